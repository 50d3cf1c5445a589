/* The API state at a command: every object alive, keyed by lifetime, and what is bound in a
   recording. */
#pragma once

#include "engine/state/vtr-attachment-kind.h"
#include "engine/state/vtr-bound-walker.h"
#include "engine/state/vtr-history.h"
#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/* What a handle of @type names. */
static inline VtrIdentity
vtr_vulkan_identity (guint32 type,
                     guint64 handle)
{
  return (VtrIdentity){ .name = handle, .kind = type };
}

/* Flat indices of the commands that wrote into descriptor set @id (updates, copies into it,
   templates), ascending. Returns: (array length=n) (transfer none) (nullable). */
const guint64 *vtr_history_get_set_writes (VtrHistory *self,
                                           guint32     id,
                                           gsize      *n);
/* The vkBindBufferMemory, vkBindImageMemory (2) that bound memory to @id; VTR_COMMAND_NO_INDEX:
   none did. */
guint64 vtr_history_get_memory_binding (VtrHistory *self,
                                        guint32     id);

/* What an image is, wherever it came from. */
typedef struct
{
  const VtrObject *object;
  VkImageType type;
  VkFormat format;
  VkExtent3D extent;
  guint32 mip_levels, array_layers;
  VkSampleCountFlagBits samples;
  VkImageTiling tiling;
  VkImageUsageFlags usage;
  VkImageCreateFlags flags;
  gboolean swapchain; /* one of the images of a swapchain */
  gboolean slices;    /* a 3D image whose slices have layouts of their own */
} VtrImageInfo;

/* @image: a VkImage. Errors: DAMAGED, when its creation is not in the trace. */
gboolean vtr_history_get_image_info (VtrHistory       *self,
                                     const VtrObject  *image,
                                     VtrImageInfo     *out,
                                     GError          **error);

/* Which creation names a stage: the pipeline's own, or a library's. */
typedef struct
{
  guint64 command; /* flat index */
  guint32 element; /* which of the pipelines it makes */
  guint32 nth;     /* of that one's stages */
} VtrStageOrigin;

/* A pipeline as the driver sees it: with the parts it takes from pipeline libraries. A shader object is
   a pipeline of one stage without a layout, which carries its code as stages without a module do. */
typedef struct
{
  const VtrObject *object;
  VkPipelineBindPoint bind_point;
  VkPipelineLayout layout;
  guint64 layout_named; /* flat index of a command where it has this meaning */
  guint32 n_stages;
  const VkPipelineShaderStageCreateInfo *stages;
  const VtrStageOrigin *origins; /* graphics pipelines only: of each stage */
  /* Graphics only: each state pointer from the library that has it, pStages as above; pDynamicState
     holds those of all. */
  const VkGraphicsPipelineCreateInfo *graphics;
  gboolean is_shader; /* shader objects: all state is dynamic */
  gboolean partial;   /* it may run stages that are not listed: of libraries, of shader groups */
} VtrPipelineInfo;

/* @pipeline: or a VkShaderEXT. Everything lies in @arena. Errors: DAMAGED. */
gboolean vtr_history_get_pipeline_info (VtrHistory       *self,
                                        const VtrObject  *pipeline,
                                        VtrArena         *arena,
                                        VtrPipelineInfo  *out,
                                        GError          **error);
gboolean vtr_pipeline_info_is_dynamic (const VtrPipelineInfo *self,
                                       VkDynamicState         state);

#define VTR_MAX_SETS 32
#define VTR_MAX_VERTEX_BUFFERS 64
#define VTR_MAX_DYNAMIC_OFFSETS 8
#define VTR_MAX_SHADERS 8 /* shader objects that can be bound: from the vertex to the mesh stage */

/* An attachment of the current render pass instance, as cutting and the window need it. */
typedef struct
{
  guint32 image; /* object id; 0: none */
  guint32 view;  /* object id of the VkImageView */
  guint64 image_handle, view_handle;
  VkFormat format;               /* of the view */
  VkImageLayout layout;          /* during the current subpass */
  VkImageSubresourceRange range; /* of the view, with VK_REMAINING_* replaced */
  VkSampleCountFlagBits samples;
  VkExtent3D extent; /* of the mip level */
  gboolean swapchain;
} VtrAttachment;

/* What a command inside a recording finds bound. Built by walking the recording from its begin
   (plus inheritance). */
typedef struct
{
  guint32 recording; /* VTR_NO_RECORDING: the command is not inside one */
  gboolean in_pass;  /* inside a render pass instance or dynamic rendering */
  gboolean dynamic_rendering;
  gboolean inherited; /* a secondary: the pass was begun by the recording that executes it */
  guint64 pass_begin; /* flat index of the command that began it */
  guint64
    last_pass_begin;                /* of the last pass begun in this recording, over or not; VTR_COMMAND_NO_INDEX: none */
  guint64 last_pass_end;            /* of the command that ended a pass last; VTR_COMMAND_NO_INDEX: none */
  guint64 render_pass, framebuffer; /* handles; 0 with dynamic rendering */
  guint32 subpass;
  VkRect2D render_area;
  guint32 view_mask;
  guint32 n_colors;
  VtrAttachment colors[VTR_MAX_ATTACHMENTS];
  gboolean has_depth, has_stencil;
  VtrAttachment depth, stencil;
  struct
  {
    guint64 pipeline, layout; /* layout: of the last vkCmdBindDescriptorSets */
    guint64 sets[VTR_MAX_SETS];
    guint32 set_command[VTR_MAX_SETS]; /* offset from recording's first of the binding command */
    guint32 pushed;                    /* bit n: set n was pushed (vkCmdPushDescriptorSet…), .sets[n] is 0 */
    guint32 buffered;                  /* bit n: set n lies in a descriptor buffer, .sets[n] is 0 */
    guint32 n_dynamic_offsets[VTR_MAX_SETS];
    guint32 dynamic_offsets[VTR_MAX_SETS][VTR_MAX_DYNAMIC_OFFSETS]; /* first eight */
  } bind_points[3];                                                 /* graphics, compute, ray tracing */
  guint64 shaders[VTR_MAX_SHADERS];                                 /* VkShaderEXT, by bit of the stage; 0: none */
  struct
  {
    guint64 buffer, offset;
    guint64 size;   /* VK_WHOLE_SIZE: to its end */
    guint64 stride; /* 0: the pipeline's */
  } vertex_buffers[VTR_MAX_VERTEX_BUFFERS];
  guint64 index_buffer, index_offset;
  VkIndexType index_type;
  guint32 n_viewports, n_scissors; /* from the pipeline, or set by commands */
  VkViewport viewports[16];
  VkRect2D scissors[16];
  guint8 push_constants[256];
  guint32 push_constants_size; /* bytes set so far, from 0 */
  guint64 push_layout;         /* VkPipelineLayout that they were set with last */
  /* Every other state-setting command, and every one that sets dynamic state, last one of each
     kind: id (never an alias) → flat index, ascending by id. */
  guint32 n_dynamic;
  struct
  {
    VtrCmdId id;
    guint64 index;
  } dynamic[128];
} VtrBoundState;

/* Position in VtrBoundState.bind_points. */
guint vtr_bind_point_index (VkPipelineBindPoint point);

/* Fills @out for command @index (state *after* it ran). Walks the recording from its beginning.
   Errors: RANGE, DAMAGED. */
gboolean vtr_bound_state_at (VtrTimeline    *timeline,
                             VtrHistory     *history,
                             guint64         index,
                             VtrBoundState  *out,
                             GError        **error);

/* What runs at a bind point: one pipeline, or the shader objects of its stages. */
typedef struct
{
  const VtrObject *objects[VTR_MAX_SHADERS];
  guint n;        /* 0: nothing is bound */
  guint64 layout; /* VkPipelineLayout that is used with shader objects */
  guint64 index;  /* flat index of the command that runs it */
} VtrProgram;

/* *@pipeline and the shaders of a state after a command has bound others. Returns: the bind points
   whose program has changed, bit 0: the first. */
guint32 vtr_bind_shaders (const VtrCommand *command,
                          guint64           pipelines[3],
                          guint64           shaders[VTR_MAX_SHADERS]);
/* @point: as in VtrBoundState.bind_points. Objects are looked up as they are at @index. */
void vtr_program_find (VtrHistory    *history,
                       guint          point,
                       guint64        pipeline,
                       const guint64  shaders[VTR_MAX_SHADERS],
                       guint64        index,
                       VtrProgram    *out);
/* The same for what is bound in @state. */
void vtr_program_find_bound (VtrHistory          *history,
                             const VtrBoundState *state,
                             guint                point,
                             guint64              index,
                             VtrProgram          *out);
/* The program that the command at @index runs; of a command that runs none, the first that is bound.
   Returns: its point. */
guint vtr_program_choose (VtrHistory          *history,
                          const VtrBoundState *state,
                          guint64              index,
                          VtrProgram          *out);
/* The same number for the same objects. */
guint64 vtr_program_hash (const VtrProgram *self);
/* The pipeline; or what a pipeline of the shader objects would be, all of whose state is dynamic, with
   the first of them as its object. Everything lies in @arena. Errors: DAMAGED. */
gboolean vtr_program_get_info (const VtrProgram  *self,
                               VtrHistory        *history,
                               VtrArena          *arena,
                               VtrPipelineInfo   *out,
                               GError           **error);

/* Like vtr_bound_state_at(), asked again and again: the walker keeps the states on the way of the last recording, so
 * that any command of it costs at most 1024 commands of walking. Threading: any. */
gboolean vtr_bound_walker_get (VtrBoundWalker  *self,
                               guint64          index,
                               VtrBoundState   *out,
                               GError         **error);
G_END_DECLS
