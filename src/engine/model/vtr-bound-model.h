/* The state that is bound at a command, as groups of rows for each stage of the pipeline. */
#pragma once

#include "engine/model/vtr-property-list.h"

G_BEGIN_DECLS

/**
 * VtrPropertyGroup:
 *
 * A title ("Shader", "Set 1", "Push constants") over rows. Properties: "title", "rows", "folded".
 * Threading: main.
 */
#define VTR_TYPE_PROPERTY_GROUP (vtr_property_group_get_type ())
G_DECLARE_FINAL_TYPE (VtrPropertyGroup, vtr_property_group, VTR, PROPERTY_GROUP, GObject)

const char *vtr_property_group_get_title (VtrPropertyGroup *self);
/* (transfer none): GListModel of VtrPropertyRow. */
GListModel *vtr_property_group_get_rows (VtrPropertyGroup *self);
/* Shown folded at first ("Defaults"). */
gboolean vtr_property_group_get_folded (VtrPropertyGroup *self);

/**
 * VtrBoundModel:
 *
 * The bound state after one command. Immutable. Threading: main (built on a worker).
 */
#define VTR_TYPE_BOUND_MODEL (vtr_bound_model_get_type ())
G_DECLARE_FINAL_TYPE (VtrBoundModel, vtr_bound_model, VTR, BOUND_MODEL, GObject)

/* Errors: VTR_RESOLVE_ERROR_NOTHING with the sentence for the empty pane when no pipeline is bound at @index. */
void vtr_bound_model_new_async (VtrAnalysis         *analysis,
                                guint64              index,
                                GCancellable        *cancellable,
                                GAsyncReadyCallback  callback,
                                gpointer             data);
VtrBoundModel *vtr_bound_model_new_finish (GAsyncResult  *result,
                                           GError       **error);
/* Blocks. */
VtrBoundModel *vtr_bound_model_new (VtrAnalysis   *analysis,
                                    guint64        index,
                                    GCancellable  *cancellable,
                                    GError       **error);

/* Stages are numbered from 0 in the order of their toggles. An API has the same stages everywhere. */
guint vtr_bound_model_get_n_stages (VtrBoundModel *self);
/* "Input", "Tess". Translated. */
const char *vtr_bound_model_get_stage_label (VtrBoundModel *self,
                                             guint          stage);
/* Whether the toggle is shown at all (a compute pipeline has no "Vertex"). */
gboolean vtr_bound_model_has_stage (VtrBoundModel *self,
                                    guint          stage);
/* NULL: the stage is used; otherwise the reason why its toggle is insensitive ("The bound
 * pipeline has no geometry shader"). */
const char *vtr_bound_model_get_unused_reason (VtrBoundModel *self,
                                               guint          stage);
/* (transfer none): GListModel of VtrPropertyGroup; empty for an unused stage. */
GListModel *vtr_bound_model_get_groups (VtrBoundModel *self,
                                        guint          stage);
/* The stage to show first. */
guint vtr_bound_model_get_default_stage (VtrBoundModel *self);

G_END_DECLS
