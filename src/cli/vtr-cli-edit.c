#include "vtr-cli-edit.h"

#include <string.h>

#include "api/vtr-api-types.h"
#include "engine/resolve/vtr-path.h"
#include "engine/shader/vtr-shader-compile.h"

VtrCliEdit vtr_cli_edit;

static void
append (GString    *text,
        const char *name,
        const char *value)
{
  g_autofree char *escaped = g_uri_escape_string (value, "/:,.@", TRUE);

  g_string_append_printf (text, "%s%s=%s", text->len > 0 ? "&" : "", name, escaped);
}

/* "41", "41.2" or "0x55…": the object by number, a stage of a pipeline, or the module last known by
 * that handle. */
static gboolean
find_shader (VtrDocument  *document,
             const char   *name,
             guint32      *object,
             guint32      *stage,
             GError      **error)
{
  VtrHistory *history = vtr_document_get_history (document);
  g_auto (GStrv) parts = g_strsplit (name, ".", 2);
  guint64 value = 0, nth = VTR_SHADER_MODULE;

  *object = 0;
  if (g_str_has_prefix (name, "0x") && vtr_parse_number (name + 2, 16, 0, G_MAXUINT64, &value))
    {
      const VtrObject *found = vtr_history_find (history, VTR_HANDLE_VkShaderModule, value,
                                                 VTR_COMMAND_NO_INDEX - 1);

      g_autoptr (GArray) ids = vtr_history_list (history, VTR_HANDLE_VkShaderModule);

      for (guint i = 0; found == NULL && i < ids->len; i++)
        {
          const VtrObject *module =
            vtr_history_get_object (history, g_array_index (ids, guint32, i));

          if (module->handle == value)
            *object = module->id;
        }
      if (found != NULL)
        *object = found->id;
    }
  else if (vtr_parse_number (parts[0], 10, 1, vtr_history_get_n_objects (history), &value) &&
           (parts[1] == NULL || vtr_parse_number (parts[1], 10, 0, 64, &nth)))
    *object = (guint32)value;
  *stage = (guint32)nth;
  if (*object != 0)
    return TRUE;
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("“%s” names no shader: a number as in “vitrine-cli shaders”, PIPELINE.STAGE or "
                  "a handle is expected."),
               name);
  return FALSE;
}

static gboolean
append_shader (GString      *text,
               VtrDocument  *document,
               const char   *option,
               GError      **error)
{
  const char *equals = strchr (option, '=');
  g_autofree char *name = equals != NULL ? g_strndup (option, (gsize)(equals - option)) : NULL;
  g_autofree char *file = NULL, *value = NULL, *sum = NULL;
  g_autoptr (VtrShaderCode) old = NULL;
  g_autoptr (GBytes) code = NULL;
  guint32 object, stage;

  if (name == NULL)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                           _ ("--replace-shader takes OBJECT=FILE, as in 41=new.frag."));
      return FALSE;
    }
  if (!find_shader (document, name, &object, &stage, error))
    return FALSE;
  old = vtr_shader_code_load (vtr_document_get_history (document), object, stage, error);
  if (old == NULL)
    return FALSE;
  code = vtr_shader_compile_file (equals + 1, old->stage, old->spirv, vtr_cli_get_cancellable (),
                                  error);
  if (code == NULL)
    {
      g_prefix_error (error, "%s: ", equals + 1);
      return FALSE;
    }
  sum = vtr_document_add_shader (document, code);
  value = stage != VTR_SHADER_MODULE ? g_strdup_printf ("%u.%u:%s", object, stage, sum)
                                     : g_strdup_printf ("%u:%s", object, sum);
  append (text, "shader", value);
  return TRUE;
}

char *
vtr_cli_edit_format (VtrDocument  *document,
                     GError      **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (vtr_cli_edit.overlay != NULL)
    append (text, "overlay", vtr_cli_edit.overlay);
  for (char **list = vtr_cli_edit.disable; list != NULL && *list != NULL; list++)
    append (text, "disable", *list);
  for (char **list = vtr_cli_edit.shaders; list != NULL && *list != NULL; list++)
    if (!append_shader (text, document, *list, error))
      return NULL;
  return g_strdup (text->str);
}

char *
vtr_cli_edit_append (const char *path,
                     const char *options)
{
  if (*options == '\0')
    return g_strdup (path);
  return g_strconcat (path, strchr (path, '?') != NULL ? "&" : "?", options, NULL);
}
