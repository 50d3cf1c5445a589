/* Chooses which shader the Shaders pane shows: one of the selected command, or the one that a
 * link names. */
#include "vtr-config.h"

#include "widgets/vtr-shader-view-private.h"

#include <string.h>

static gboolean
is_bound (VtrShaderView *self, gpointer shader)
{
  return g_hash_table_contains (self->bound, shader);
}

/* Finds the shaders that the selected command runs. Takes some hundred microseconds. */
static VtrShader *
find_bound (VtrShaderView *self)
{
  guint64 index = vtr_session_get_command (self->session);
  g_autoptr (GArray) stages = NULL;
  VtrShader *best = NULL;

  g_hash_table_remove_all (self->bound);
  self->pipeline = 0;
  if (index != VTR_COMMAND_NO_INDEX)
    stages = vtr_bound_shaders_list_at (
      vtr_document_get_analysis (vtr_session_get_document (self->session)), index, NULL);
  for (guint i = 0; stages != NULL && i < stages->len; i++)
    {
      const VtrBoundShader *stage = &g_array_index (stages, VtrBoundShader, i);
      VtrShader *shader = vtr_shader_list_find (self->list, stage->pipeline, stage->nth);

      if (shader == NULL || g_hash_table_contains (self->bound, shader))
        continue;
      self->pipeline = stage->pipeline;
      g_hash_table_insert (self->bound, shader, GUINT_TO_POINTER (stage->nth + 1));
      if (best == NULL || stage->stage == VTR_SHADER_STAGE_FRAGMENT)
        best = shader;
    }
  return best;
}

/* "objects/38/shader/glsl" → the shader. *@form: the form that the path names, else
 * VTR_N_SHADER_FORMS. */
static VtrShader *
find_path (VtrShaderView *self, const char *path, VtrShaderForm *form)
{
  g_auto (GStrv) steps = g_strsplit (path, "/", -1);
  guint32 object = steps[0] != NULL && steps[1] != NULL
                     ? (guint32)g_ascii_strtoull (steps[1], NULL, 10)
                     : 0;
  VtrShader *shader = vtr_shader_list_find (self->list, object, VTR_SHADER_MODULE);

  *form = VTR_N_SHADER_FORMS;
  for (guint i = 0; i < VTR_N_SHADER_FORMS; i++)
    if (g_strv_length (steps) > 3 &&
        g_str_equal (steps[g_strv_length (steps) - 1], vtr_shader_form_get_word (i)))
      *form = i;
  if (shader != NULL || g_strv_length (steps) < 4)
    return shader;
  for (guint32 nth = 0; nth < 64; nth++)
    {
      g_autofree char *number = g_strdup_printf ("%u", nth);
      VtrShader *other = vtr_shader_list_find (self->list, object, nth);

      if (other == NULL)
        continue;
      for (guint i = 0; i < vtr_shader_get_n_users (other); i++)
        {
          const VtrShaderUser *user = vtr_shader_get_user (other, i);

          if (user->pipeline == object && user->nth == nth &&
              (g_str_equal (steps[3], number) ||
               g_str_equal (steps[3], vtr_shader_stage_word (user->stage))))
            return other;
        }
    }
  return NULL;
}

void
vtr_shader_view_apply_pending (VtrShaderView *self)
{
  VtrShaderForm form;
  VtrShader *shader = find_path (self, self->pending, &form);

  g_clear_pointer (&self->pending, g_free);
  if (shader == NULL)
    return;
  if (form != VTR_N_SHADER_FORMS)
    {
      self->has_form = TRUE;
      vtr_shader_view_set_form (self, form);
    }
  vtr_shader_table_select (self->table, shader);
  vtr_shader_view_choose (self, shader);
}

void
vtr_shader_view_follow (VtrShaderView *self)
{
  VtrShader *best = find_bound (self);

  vtr_shader_table_set_list (self->table, self->list, self->bound);
  if (self->pending != NULL)
    {
      vtr_shader_view_apply_pending (self);
      return;
    }
  /* Shows a shader of the selected command, unless the shown one runs there, too, or is being
   * edited. */
  if (self->shader != NULL &&
      (best == NULL || is_bound (self, self->shader) ||
       vtr_shader_editor_has_draft (self->editor, self->shader, self->form)))
    best = self->shader;
  if (best == NULL)
    best = vtr_shader_list_get (self->list, 0);
  vtr_shader_table_select (self->table, best);
  vtr_shader_view_choose (self, best);
}
