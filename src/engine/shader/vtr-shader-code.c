/* Asks the API of an object for its shader code. */
#include "engine/shader/vtr-shader-code.h"

#include "engine/api/vtr-show-api.h"

#include <glib/gi18n.h>

VtrShaderCode *
vtr_shader_code_load (VtrHistory *history, guint32 object, guint32 nth, GError **error)
{
  const VtrObject *info = vtr_history_get_object (history, object);
  const VtrShowApi *show;

  g_return_val_if_fail (info != NULL, NULL);

  show = vtr_show_api_get (info->type);
  if (show->load_code != NULL)
    return show->load_code (history, info, nth, error);
  g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                       _ ("This object is not a shader."));
  return NULL;
}

void
vtr_shader_code_free (VtrShaderCode *self)
{
  g_clear_pointer (&self->spirv, vtr_spirv_unref);
  g_clear_pointer (&self->code, g_bytes_unref);
  g_free (self->entry);
  g_free (self);
}
