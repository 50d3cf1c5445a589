/* Writes the line below a shader: which pipelines use it, its size, SPIR-V version and compiler. */
#include "vtr-config.h"

#include "widgets/vtr-shader-facts.h"

#include <glib/gi18n.h>

#include "session/vtr-session.h"

#define MAX_USERS 4

char *
vtr_shader_dup_facts (VtrShader *self, VtrHistory *history)
{
  guint n = vtr_shader_get_n_users (self);
  VtrSpirv *spirv = vtr_shader_get_spirv (self);
  GString *text = g_string_new (n > 0 ? _ ("Used by") : _ ("Used by no pipeline"));
  g_autofree char *size = g_format_size (vtr_shader_get_size (self));

  if (n == 0 && vtr_shader_is_alone (self))
    {
      g_autofree char *work = vtr_format_number (vtr_shader_get_work (self));

      g_string_printf (text, _ ("Shader object, used %s times"), work);
    }
  for (guint i = 0; i < MIN (n, MAX_USERS); i++)
    {
      const VtrShaderUser *user = vtr_shader_get_user (self, i);
      g_autofree char *name = vtr_history_describe (
        history, vtr_history_get_object (history, user->pipeline));
      g_autofree char *escaped = g_markup_escape_text (name, -1);
      g_autofree char *work = vtr_format_number (user->draws + user->dispatches);

      g_string_append_printf (text, "%s <a href=\"objects/%u\">%s</a> (%s)", i > 0 ? "," : "",
                              user->pipeline, escaped, work);
    }
  if (n > MAX_USERS)
    g_string_append_printf (text, ngettext (" and %u more", " and %u more", n - MAX_USERS),
                            n - MAX_USERS);
  g_string_append_printf (text, " · %s", size);
  if (spirv != NULL)
    {
      const char *generator = vtr_spirv_get_generator (spirv);

      g_string_append_printf (text, " · SPIR-V %u.%u", vtr_spirv_get_version_major (spirv),
                              vtr_spirv_get_version_minor (spirv));
      if (generator != NULL)
        g_string_append_printf (text, " · %s", generator);
    }
  return g_string_free (text, FALSE);
}
