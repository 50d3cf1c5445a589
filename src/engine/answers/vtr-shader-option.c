/* Reads a shader replacement from a command line, such as "41=new.frag", and finds the shader
 * that it names. */
#include "engine/answers/vtr-shader-option.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/api/vtr-show-api.h"
#include "base/vtr-number.h"
#include "engine/shader/vtr-shader-compile.h"
#include "engine/state/vtr-resolve-error.h"

/* Asks each API for a shader of this name. */
static guint32
find_by_name (VtrHistory *history,
              guint64     name)
{
  guint32 found = 0;

  for (guint i = 0; vtr_apis[i] != NULL && found == 0; i++)
    if (vtr_apis[i]->show != NULL && vtr_apis[i]->show->find_code != NULL)
      found = vtr_apis[i]->show->find_code (history, name);
  return found;
}

/* "41", "41.2" or "0x55…": the object by number, a stage of a pipeline, or the module or shader
 * object that was the last with this handle. */
static gboolean
find_shader (VtrHistory  *history,
             const char  *name,
             guint32     *object,
             guint32     *stage,
             GError     **error)
{
  g_auto (GStrv) parts = g_strsplit (name, ".", 2);
  guint64 value = 0, nth = VTR_SHADER_MODULE;

  *object = 0;
  if (g_str_has_prefix (name, "0x") && vtr_parse_number (name + 2, 16, 0, G_MAXUINT64, &value))
    *object = find_by_name (history, value);
  else if (vtr_parse_number (parts[0], 10, 1, vtr_history_get_n_objects (history), &value) &&
           (parts[1] == NULL || vtr_parse_number (parts[1], 10, 0, 64, &nth)))
    *object = (guint32)value;
  *stage = (guint32)nth;
  if (*object != 0)
    return TRUE;
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("“%s” is not a valid shader. Use a number that “vitrine-cli shaders” lists, "
                  "PIPELINE.STAGE or a handle."),
               name);
  return FALSE;
}

GBytes *
vtr_shader_option_read (VtrHistory    *history,
                        const char    *option,
                        guint32       *object,
                        guint32       *stage,
                        GCancellable  *cancellable,
                        GError       **error)
{
  const char *equals = strchr (option, '=');
  g_autofree char *name = equals != NULL ? g_strndup (option, (gsize)(equals - option)) : NULL;
  g_autoptr (VtrShaderCode) old = NULL;
  GBytes *code;

  if (name == NULL)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“%s” is not a valid replacement. Use OBJECT=FILE, as in 41=new.frag."),
                   option);
      return NULL;
    }
  if (!find_shader (history, name, object, stage, error))
    return NULL;
  old = vtr_shader_code_load (history, *object, *stage, error);
  if (old == NULL)
    return NULL;
  code = vtr_shader_compile_file (equals + 1, old->stage, old->spirv, cancellable, error);
  if (code == NULL)
    g_prefix_error (error, "%s: ", equals + 1);
  return code;
}
