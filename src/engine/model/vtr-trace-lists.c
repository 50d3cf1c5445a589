/* Makes the lists of a trace's images and shaders on first use, and finds who uses them. */
#include "engine/model/vtr-trace-lists.h"

#include "engine/jobs/vtr-memo.h"
#include "engine/model/vtr-command-tree.h"
#include "engine/model/vtr-draw-order.h"

#include "engine/state/vtr-resolve-error.h"

#include <glib/gi18n.h>

/* Lists kept: all. */
#define LISTS 16

struct _VtrTraceLists
{
  VtrAnalysis *analysis;
  VtrMemo *memo; /* "uses", "textures", "shaders" → GObject */
};

VtrTraceLists *
vtr_trace_lists_new (VtrAnalysis *analysis)
{
  VtrTraceLists *self = g_new0 (VtrTraceLists, 1);

  self->analysis = vtr_analysis_ref (analysis);
  self->memo = vtr_memo_new (vtr_scheduler_get_resolve (), g_object_ref, g_object_unref, LISTS);
  return self;
}

void
vtr_trace_lists_free (VtrTraceLists *self)
{
  vtr_memo_free (self->memo);
  vtr_analysis_unref (self->analysis);
  g_free (self);
}

/* --- Made once ------------------------------------------------------------------------------- */

static gpointer
make_uses (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  VtrTraceLists *self = data;

  return vtr_uses_new (vtr_analysis_get_timeline (self->analysis),
                       vtr_analysis_get_history (self->analysis), cancellable, error);
}

static VtrUses *
get_uses (VtrTraceLists *self, GCancellable *cancellable, GError **error)
{
  return vtr_memo_get (self->memo, "uses", VTR_PRIORITY_NORMAL, make_uses, self, NULL,
                       cancellable, error);
}

static gpointer
make_textures (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  VtrTraceLists *self = data;
  g_autoptr (VtrUses) uses = get_uses (self, cancellable, error);

  return uses != NULL ? vtr_texture_list_new (vtr_analysis_get_history (self->analysis), uses,
                                              cancellable, error)
                      : NULL;
}

VtrTextureList *
vtr_trace_lists_get_textures (VtrTraceLists *self, GCancellable *cancellable, GError **error)
{
  return vtr_memo_get (self->memo, "textures", VTR_PRIORITY_NORMAL, make_textures, self, NULL,
                       cancellable, error);
}

void
vtr_trace_lists_get_textures_async (VtrTraceLists       *self,
                                    gpointer             source,
                                    GCancellable        *cancellable,
                                    GAsyncReadyCallback  callback,
                                    gpointer             data)
{
  vtr_memo_get_async (self->memo, "textures", VTR_PRIORITY_NORMAL, make_textures, self, NULL,
                      source, cancellable, callback, data);
}

VtrTextureList *
vtr_trace_lists_get_textures_finish (GAsyncResult *result, GError **error)
{
  return vtr_memo_get_finish (result, error);
}

static gpointer
make_shaders (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  VtrTraceLists *self = data;
  g_autoptr (VtrUses) uses = get_uses (self, cancellable, error);

  return uses != NULL ? vtr_shader_list_new (vtr_analysis_get_history (self->analysis), uses,
                                             cancellable, error)
                      : NULL;
}

VtrShaderList *
vtr_trace_lists_get_shaders (VtrTraceLists *self, GCancellable *cancellable, GError **error)
{
  return vtr_memo_get (self->memo, "shaders", VTR_PRIORITY_NORMAL, make_shaders, self, NULL,
                       cancellable, error);
}

void
vtr_trace_lists_get_shaders_async (VtrTraceLists       *self,
                                   gpointer             source,
                                   GCancellable        *cancellable,
                                   GAsyncReadyCallback  callback,
                                   gpointer             data)
{
  vtr_memo_get_async (self->memo, "shaders", VTR_PRIORITY_NORMAL, make_shaders, self, NULL, source,
                      cancellable, callback, data);
}

VtrShaderList *
vtr_trace_lists_get_shaders_finish (GAsyncResult *result, GError **error)
{
  return vtr_memo_get_finish (result, error);
}

/* --- At a command ---------------------------------------------------------------------------- */

/* The submission in which @index runs. */
static guint64
find_submit (VtrTimeline *timeline, guint64 index, guint32 run)
{
  guint32 recording = vtr_timeline_find_recording (timeline, index);
  const VtrRun *info = NULL;

  if (recording == VTR_NO_RECORDING)
    return index;
  if (run != VTR_NO_RUN && run < vtr_timeline_get_n_runs (timeline))
    info = vtr_timeline_get_run (timeline, run);
  if (info == NULL || info->recording != recording)
    info = vtr_timeline_find_run (timeline, recording, 0);
  return info != NULL ? info->submit : index;
}

GArray *
vtr_uses_list_at_place (VtrAnalysis *analysis, const VtrPlace *place, GError **error)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (analysis);
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);

  if (!vtr_bound_walker_get (vtr_analysis_get_walker (analysis), place->index, state, error))
    return NULL;
  return vtr_uses_list_at (timeline, vtr_analysis_get_history (analysis), place->index,
                           find_submit (timeline, place->index, place->run), state);
}

static gboolean
is_written_at (VtrAnalysis *analysis, guint32 image, const VtrPlace *place)
{
  g_autoptr (GArray) uses = vtr_uses_list_at_place (analysis, place, NULL);

  for (guint i = 0; uses != NULL && i < uses->len; i++)
    {
      const VtrUse *use = &g_array_index (uses, VtrUse, i);

      if (use->image == image && (use->flags & VTR_USE_WRITE) != 0)
        return TRUE;
    }
  return FALSE;
}

gboolean
vtr_uses_find_write (VtrAnalysis   *analysis,
                     guint32        image,
                     int            step,
                     VtrPlace      *place,
                     GCancellable  *cancellable,
                     GError       **error)
{
  static const guint32 kinds = 1u << VTR_COMMAND_KIND_DRAW | 1u << VTR_COMMAND_KIND_DISPATCH |
                               1u << VTR_COMMAND_KIND_COPY | 1u << VTR_COMMAND_KIND_CLEAR;
  VtrPlace at = *place;

  while (vtr_draw_order_step_kinds (vtr_analysis_get_timeline (analysis), &at.index, &at.run, step,
                                    kinds))
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (is_written_at (analysis, image, &at))
        {
          *place = at;
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
vtr_bound_shaders_list_at (VtrAnalysis *analysis, guint64 index, GError **error)
{
  VtrHistory *history = vtr_analysis_get_history (analysis);
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VtrProgram program = { 0 };
  GArray *list = NULL;
  VtrPipelineInfo info;
  VtrArena arena;

  if (!vtr_bound_walker_get (vtr_analysis_get_walker (analysis), index, state, error))
    return NULL;
  if (state->recording != VTR_NO_RECORDING)
    vtr_program_choose (history, state, index, &program);
  if (program.n == 0)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("No pipeline is bound at this command: pick a draw or dispatch."));
      return NULL;
    }
  vtr_arena_init (&arena);
  if (vtr_program_get_info (&program, history, &arena, &info, error))
    {
      list = g_array_new (FALSE, TRUE, sizeof (VtrBoundShader));
      g_array_set_clear_func (list, clear_bound_shader);
      for (guint32 i = 0; i < info.n_stages; i++)
        {
          const char *name = info.stages[i].pName;
          VtrBoundShader shader = { program.objects[info.is_shader ? i : 0]->id,
                                    info.is_shader ? VTR_SHADER_MODULE : i,
                                    (guint32)info.stages[i].stage,
                                    g_utf8_make_valid (name != NULL ? name : "", -1) };

          g_array_append_val (list, shader);
        }
    }
  vtr_arena_finish (&arena);
  return list;
}
