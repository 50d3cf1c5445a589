/* Makes the lists of a trace's images and shaders on first use, and finds who uses them. */
#include "engine/model/vtr-trace-lists.h"

#include "engine/api/vtr-show-api.h"
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

  return vtr_uses_new (self->analysis, cancellable, error);
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

/* Of the command's API; beyond the last command there is none. */
static const VtrShowApi *
get_show (VtrAnalysis *analysis, guint64 index)
{
  VtrTrace *trace = vtr_analysis_get_trace (analysis);

  return vtr_show_api_get (index < vtr_trace_get_n_commands (trace)
                             ? (guint32)vtr_trace_get_command_id (trace, index)
                             : G_MAXUINT32);
}

GArray *
vtr_uses_list_at_place (VtrAnalysis *analysis, const VtrPlace *place, GError **error)
{
  const VtrShowApi *show = get_show (analysis, place->index);

  return show->list_uses != NULL ? show->list_uses (analysis, place->index, place->run, error)
                                 : g_array_new (FALSE, FALSE, sizeof (VtrUse));
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

GArray *
vtr_bound_shaders_list_at (VtrAnalysis *analysis, guint64 index, GError **error)
{
  const VtrShowApi *show = get_show (analysis, index);

  if (show->list_bound_code != NULL)
    return show->list_bound_code (analysis, index, error);
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("No pipeline is bound at this command. Select a draw or dispatch."));
  return NULL;
}
