/* The options of vitrine-cli that edit the replay before it makes an image: overlay, disabled
 * commands, replaced shaders. */
#include "vtr-cli-edit.h"

#include <string.h>

#include "engine/answers/vtr-shader-option.h"
#include "engine/shader/vtr-shader-code.h"

VtrCliEdit vtr_cli_edit;

static void
append (GString    *text,
        const char *name,
        const char *value)
{
  g_autofree char *escaped = g_uri_escape_string (value, "/:,.@", TRUE);

  g_string_append_printf (text, "%s%s=%s", text->len > 0 ? "&" : "", name, escaped);
}

static gboolean
append_shader (GString      *text,
               VtrDocument  *document,
               const char   *option,
               GError      **error)
{
  g_autofree char *value = NULL, *sum = NULL;
  g_autoptr (GBytes) code = NULL;
  guint32 object, stage;

  code = vtr_shader_option_read (vtr_document_get_history (document), option, &object, &stage,
                                 vtr_cli_get_cancellable (), error);
  if (code == NULL)
    return FALSE;
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
