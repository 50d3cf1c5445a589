/* What a command finds bound, as groups of rows for each stage of the pipeline. */
#pragma once

#include "engine/model/vtr-property-list.h"

G_BEGIN_DECLS

/* The toggles of the Pipeline pane. */
typedef enum
{
  VTR_STAGE_INPUT, /* vertex and index buffers, topology */
  VTR_STAGE_VERTEX,
  VTR_STAGE_TESSELLATION,
  VTR_STAGE_GEOMETRY,
  VTR_STAGE_TASK,
  VTR_STAGE_MESH,
  VTR_STAGE_RASTER, /* viewports, rasterization, depth and stencil tests */
  VTR_STAGE_FRAGMENT,
  VTR_STAGE_OUTPUT, /* blending, attachments */
  VTR_STAGE_COMPUTE,
  VTR_STAGE_RAY_TRACING,
  VTR_N_STAGES,
} VtrStage;

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

/* Errors: VTR_RESOLVE_ERROR_NOTHING with the sentence for the empty pane when @index is not inside
   a command buffer or no pipeline is bound there. */
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

/* Whether the toggle is shown at all (a compute pipeline has no "Vertex"). */
gboolean vtr_bound_model_has_stage (VtrBoundModel *self,
                                    VtrStage       stage);
/* NULL: the stage is used; else why its toggle is insensitive ("The bound pipeline has no geometry
   shader"). */
const char *vtr_bound_model_get_unused_reason (VtrBoundModel *self,
                                               VtrStage       stage);
/* (transfer none): GListModel of VtrPropertyGroup; empty for an unused stage. */
GListModel *vtr_bound_model_get_groups (VtrBoundModel *self,
                                        VtrStage       stage);
/* The stage to show first. */
VtrStage vtr_bound_model_get_default_stage (VtrBoundModel *self);
/* "Input", "Tess". Translated. */
const char *vtr_stage_get_label (VtrStage stage);

G_END_DECLS
