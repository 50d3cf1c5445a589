/* Makes the lists of a document's images and shaders on first use, and answers who uses each of
 * them. */
#include "engine/document/vtr-document-lists.h"

#include "engine/document/vtr-document-private.h"
#include "engine/model/vtr-command-tree.h"
#include "engine/model/vtr-draw-order.h"

#include <glib/gi18n.h>

/* --- Made once ------------------------------------------------------------------------------- */

static gpointer
make_uses (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  VtrDocument *self = data;

  return vtr_uses_new (self->timeline, self->history, cancellable, error);
}

static VtrUses *
get_uses (VtrDocument *self, GCancellable *cancellable, GError **error)
{
  return vtr_memo_get (self->lists, "uses", VTR_PRIORITY_NORMAL, make_uses, self, NULL,
                       cancellable, error);
}

static gpointer
make_textures (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  VtrDocument *self = data;
  g_autoptr (VtrUses) uses = get_uses (self, cancellable, error);

  return uses != NULL ? vtr_texture_list_new (self->history, uses, cancellable, error) : NULL;
}

VtrTextureList *
vtr_document_list_textures (VtrDocument *self, GCancellable *cancellable, GError **error)
{
  return vtr_memo_get (self->lists, "textures", VTR_PRIORITY_NORMAL, make_textures, self, NULL,
                       cancellable, error);
}

void
vtr_document_list_textures_async (VtrDocument         *self,
                                  GCancellable        *cancellable,
                                  GAsyncReadyCallback  callback,
                                  gpointer             data)
{
  vtr_memo_get_async (self->lists, "textures", VTR_PRIORITY_NORMAL, make_textures, self, NULL,
                      self, cancellable, callback, data);
}

VtrTextureList *
vtr_document_list_textures_finish (VtrDocument *self, GAsyncResult *result, GError **error)
{
  return vtr_memo_get_finish (result, error);
}

static gpointer
make_shaders (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  VtrDocument *self = data;
  g_autoptr (VtrUses) uses = get_uses (self, cancellable, error);

  return uses != NULL ? vtr_shader_list_new (self->history, uses, cancellable, error) : NULL;
}

VtrShaderList *
vtr_document_list_shaders (VtrDocument *self, GCancellable *cancellable, GError **error)
{
  return vtr_memo_get (self->lists, "shaders", VTR_PRIORITY_NORMAL, make_shaders, self, NULL,
                       cancellable, error);
}

void
vtr_document_list_shaders_async (VtrDocument         *self,
                                 GCancellable        *cancellable,
                                 GAsyncReadyCallback  callback,
                                 gpointer             data)
{
  vtr_memo_get_async (self->lists, "shaders", VTR_PRIORITY_NORMAL, make_shaders, self, NULL, self,
                      cancellable, callback, data);
}

VtrShaderList *
vtr_document_list_shaders_finish (VtrDocument *self, GAsyncResult *result, GError **error)
{
  return vtr_memo_get_finish (result, error);
}

/* --- At a command ---------------------------------------------------------------------------- */

/* The submission in which @index runs. */
static guint64
find_submit (VtrDocument *self, guint64 index, guint32 run)
{
  guint32 recording = vtr_timeline_find_recording (self->timeline, index);
  const VtrRun *info = NULL;

  if (recording == VTR_NO_RECORDING)
    return index;
  if (run != VTR_NO_RUN && run < vtr_timeline_get_n_runs (self->timeline))
    info = vtr_timeline_get_run (self->timeline, run);
  if (info == NULL || info->recording != recording)
    info = vtr_timeline_find_run (self->timeline, recording, 0);
  return info != NULL ? info->submit : index;
}

GArray *
vtr_document_list_uses_at (VtrDocument *self, guint64 index, guint32 run, GError **error)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);

  if (!vtr_document_get_bound_state (self, index, state, error))
    return NULL;
  return vtr_uses_list_at (self->timeline, self->history, index, find_submit (self, index, run),
                           state);
}

static gboolean
is_written_at (VtrDocument *self, guint32 image, const VtrPlace *address)
{
  g_autoptr (GArray) uses =
    vtr_document_list_uses_at (self, address->index, address->run, NULL);

  for (guint i = 0; uses != NULL && i < uses->len; i++)
    {
      const VtrUse *use = &g_array_index (uses, VtrUse, i);

      if (use->image == image && (use->flags & VTR_USE_WRITE) != 0)
        return TRUE;
    }
  return FALSE;
}

gboolean
vtr_document_find_write (VtrDocument   *self,
                         guint32        image,
                         int            step,
                         VtrPlace      *address,
                         GCancellable  *cancellable,
                         GError       **error)
{
  static const guint32 kinds = 1u << VTR_COMMAND_KIND_DRAW | 1u << VTR_COMMAND_KIND_DISPATCH |
                               1u << VTR_COMMAND_KIND_COPY | 1u << VTR_COMMAND_KIND_CLEAR;
  VtrPlace at = *address;

  while (vtr_draw_order_step_kinds (self->timeline, &at.index, &at.run, step, kinds))
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (is_written_at (self, image, &at))
        {
          *address = at;
          return TRUE;
        }
    }
  return FALSE;
}

static void
clear_bound_shader (gpointer data)
{
  g_free (((VtrBoundShader *)data)->entry);
}

GArray *
vtr_document_list_shaders_at (VtrDocument *self, guint64 index, GError **error)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VtrProgram program = { 0 };
  GArray *list = NULL;
  VtrPipelineInfo info;
  VtrArena arena;

  if (!vtr_document_get_bound_state (self, index, state, error))
    return NULL;
  if (state->recording != VTR_NO_RECORDING)
    vtr_program_choose (self->history, state, index, &program);
  if (program.n == 0)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("No pipeline is bound at this command: pick a draw or dispatch."));
      return NULL;
    }
  vtr_arena_init (&arena);
  if (vtr_program_get_info (&program, self->history, &arena, &info, error))
    {
      list = g_array_new (FALSE, TRUE, sizeof (VtrBoundShader));
      g_array_set_clear_func (list, clear_bound_shader);
      for (guint32 i = 0; i < info.n_stages; i++)
        {
          const char *name = info.stages[i].pName;
          VtrBoundShader shader = { program.objects[info.is_shader ? i : 0]->id,
                                    info.is_shader ? VTR_SHADER_MODULE : i, info.stages[i].stage,
                                    g_utf8_make_valid (name != NULL ? name : "", -1) };

          g_array_append_val (list, shader);
        }
    }
  vtr_arena_finish (&arena);
  return list;
}
