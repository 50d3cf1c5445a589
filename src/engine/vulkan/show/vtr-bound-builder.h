/* Builds the rows of the Pipeline pane (VtrBoundModel) for a command of Vulkan. Threading: any; a builder has one user. */
#pragma once

#include "engine/model/vtr-bound-model-private.h"
#include "engine/vulkan/show/vtr-buffer-facts.h"
#include "engine/model/vtr-property-private.h"
#include "engine/vulkan/state/vtr-descriptors.h"

G_BEGIN_DECLS

/* The stages that can be chosen in the Pipeline pane. */
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

/* VtrShowApi.list_bound */
VtrBoundModel *vtr_vulkan_list_bound (VtrAnalysis   *analysis,
                                      guint64        index,
                                      GCancellable  *cancellable,
                                      GError       **error);

/* The state that is turned into rows. */
typedef struct
{
  VtrAnalysis *analysis;
  VtrHistory *history;
  VtrPropertySource *source; /* its arena holds everything that is decoded */
  guint64 index;             /* the command */
  guint64 submit;            /* its submission, for which descriptors are looked up */
  const VtrBoundState *state;
  guint point; /* of .state->bind_points */
  VtrProgram program;
  VtrPipelineInfo pipeline;
  VtrBufferLookup *lookup; /* at .submit; NULL: no set lies in a descriptor buffer yet */
  VtrBoundModel *model;
} VtrBoundBuilder;

/* A row with a link to the object of @handle; if that is null, "not bound" with a warning. */
VtrPropertyRow *vtr_bound_builder_make_handle (VtrBoundBuilder *self,
                                               const char      *name,
                                               guint32          type,
                                               guint64          handle,
                                               const char      *note);
/* A row for binding number @nth of @contents, the contents of set @set. */
VtrPropertyRow *vtr_bound_builder_make_binding (VtrBoundBuilder             *self,
                                                const VtrDescriptorContents *contents,
                                                guint32                      set,
                                                guint32                      nth);
/* "3 · sampled image" */
char *vtr_bound_builder_name_binding (const VtrDescriptorBinding *binding);
/* Adds rows for the bindings that stages @bits can use, of a set in a descriptor buffer. @contents: the layout of the set. */
void vtr_bound_builder_add_buffer_set (VtrBoundBuilder       *self,
                                       VtrDescriptorContents *contents,
                                       guint32                set,
                                       VkShaderStageFlagBits  bits,
                                       GPtrArray             *rows);
/* Add rows for the sets and the push constants that @stage can use. */
void vtr_bound_builder_add_sets (VtrBoundBuilder       *self,
                                 VtrStage               stage,
                                 VkShaderStageFlagBits  bits);
void vtr_bound_builder_add_push_constants (VtrBoundBuilder       *self,
                                           VtrStage               stage,
                                           VkShaderStageFlagBits  bits);

G_END_DECLS
