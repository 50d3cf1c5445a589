/* Vulkan's objects and bound state at a command: images, pipelines, attachments, and what is bound in a recording. Results
 * are valid as long as the history, unless they are in an arena. Threading: any. */
#pragma once

#include "engine/state/vtr-attachment-kind.h"
#include "engine/state/vtr-bound-walker.h"
#include "engine/state/vtr-history.h"
#include "engine/state/vtr-timeline.h"
#include "vulkan/vtr-vulkan.h"

G_BEGIN_DECLS

/* The identity of the handle @handle of @type (VtrHandleId). */
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
/* The vkBindBufferMemory, vkBindImageMemory (2) that bound memory to object @id; VTR_COMMAND_NO_INDEX: none. */
guint64 vtr_history_get_memory_binding (VtrHistory *self,
                                        guint32     id);

/* The properties of an image, whether the program or a swapchain created it. */
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

/* Where a stage of a pipeline is defined: in the pipeline's own creation, or in that of a library. */
typedef struct
{
  guint64 command; /* flat index of the creation */
  guint32 element; /* position among the pipelines that it creates */
  guint32 nth;     /* position among the stages of that pipeline */
} VtrStageOrigin;

/* A pipeline with the parts that it takes from pipeline libraries. A shader object is described as a pipeline of one stage
 * without a layout; its stage has its code in the chain, like a stage without a module. */
typedef struct
{
  const VtrObject *object;
  VkPipelineBindPoint bind_point;
  VkPipelineLayout layout;
  guint64 layout_named; /* flat index of a command at which .layout is valid */
  guint32 n_stages;
  const VkPipelineShaderStageCreateInfo *stages;
  const VtrStageOrigin *origins; /* graphics pipelines only: one for each stage */
  /* Graphics pipelines only: each state structure comes from the library that has it, pStages is .stages,
   * pDynamicState has the dynamic states of all libraries. */
  const VkGraphicsPipelineCreateInfo *graphics;
  gboolean is_shader; /* a shader object: all state is dynamic */
  gboolean partial;   /* it may run stages that are not listed, of libraries or shader groups */
} VtrPipelineInfo;

/* @pipeline: a VkPipeline or a VkShaderEXT. All results are in @arena. Errors: DAMAGED. */
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

/* An attachment of the current render pass instance. */
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

/* The state that is bound when a recorded command runs, found by walking its recording from the beginning, and what a
 * secondary inherits. */
typedef struct
{
  guint32 recording; /* VTR_NO_RECORDING: the command is not inside one */
  gboolean in_pass;  /* inside a render pass instance or dynamic rendering */
  gboolean dynamic_rendering;
  gboolean inherited; /* a secondary: the recording that executes it began the pass */
  guint64 pass_begin; /* flat index of the command that began the pass */
  /* Flat indices of the commands that began and ended a pass last in this recording; the last pass may still be
   * open. VTR_COMMAND_NO_INDEX: none. */
  guint64 last_pass_begin;
  guint64 last_pass_end;
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
    guint64 pipeline, layout; /* .layout: of the last vkCmdBindDescriptorSets */
    guint64 sets[VTR_MAX_SETS];
    guint32 set_command[VTR_MAX_SETS]; /* the command that bound it, counted from the first of the recording */
    guint32 pushed;                    /* bit n: set n was pushed (vkCmdPushDescriptorSet…), .sets[n] is 0 */
    guint32 buffered;                  /* bit n: set n lies in a descriptor buffer, .sets[n] is 0 */
    guint32 n_dynamic_offsets[VTR_MAX_SETS];
    guint32 dynamic_offsets[VTR_MAX_SETS][VTR_MAX_DYNAMIC_OFFSETS]; /* first eight */
  } bind_points[3];                                                 /* graphics, compute, ray tracing */
  guint64 shaders[VTR_MAX_SHADERS];                                 /* VkShaderEXT, by bit of the stage; 0: none */
  struct
  {
    guint64 buffer, offset;
    guint64 size;   /* VK_WHOLE_SIZE: to the end of the buffer */
    guint64 stride; /* 0: that of the pipeline */
  } vertex_buffers[VTR_MAX_VERTEX_BUFFERS];
  guint64 index_buffer, index_offset;
  VkIndexType index_type;
  guint32 n_viewports, n_scissors; /* of the pipeline, or set by commands */
  VkViewport viewports[16];
  VkRect2D scissors[16];
  guint8 push_constants[256];
  guint32 push_constants_size; /* bytes set so far, from 0 */
  guint64 push_layout;         /* VkPipelineLayout of the last vkCmdPushConstants */
  /* The last command of each kind that sets dynamic state, or state that has no field above; ascending by
   * .id, which is never that of an alias. */
  guint32 n_dynamic;
  struct
  {
    VtrCmdId id;
    guint64 index;
  } dynamic[128];
} VtrBoundState;

/* The position of @point in VtrBoundState.bind_points. */
guint vtr_bind_point_index (VkPipelineBindPoint point);

/* Fills @out with the state after command @index. Walks the recording from its beginning. Errors: RANGE, DAMAGED. */
gboolean vtr_bound_state_at (VtrTimeline    *timeline,
                             VtrHistory     *history,
                             guint64         index,
                             VtrBoundState  *out,
                             GError        **error);

/* The program at a bind point: one pipeline, or the shader objects of its stages. */
typedef struct
{
  const VtrObject *objects[VTR_MAX_SHADERS];
  guint n;        /* 0: nothing is bound */
  guint64 layout; /* shader objects: the VkPipelineLayout of their descriptors */
  guint64 index;  /* flat index of the command that runs it */
} VtrProgram;

/* Updates the @pipelines and @shaders of a state if @command binds any. Returns: the bind points whose program has changed, as
 * bits. */
guint32 vtr_bind_shaders (const VtrCommand *command,
                          guint64           pipelines[3],
                          guint64           shaders[VTR_MAX_SHADERS]);
/* The program at bind point @point (a position in VtrBoundState.bind_points). @index: the command to which the handles mean
 * their objects. */
void vtr_program_find (VtrHistory    *history,
                       guint          point,
                       guint64        pipeline,
                       const guint64  shaders[VTR_MAX_SHADERS],
                       guint64        index,
                       VtrProgram    *out);
/* Like vtr_program_find (), for the objects that are bound in @state. */
void vtr_program_find_bound (VtrHistory          *history,
                             const VtrBoundState *state,
                             guint                point,
                             guint64              index,
                             VtrProgram          *out);
/* The program that command @index runs; if it runs none, the first program that is bound. Returns: its bind point. */
guint vtr_program_choose (VtrHistory          *history,
                          const VtrBoundState *state,
                          guint64              index,
                          VtrProgram          *out);
/* A hash: programs with the same objects have the same one. */
guint64 vtr_program_hash (const VtrProgram *self);
/* Describes the program's pipeline. Shader objects are described as one pipeline with all state dynamic, whose .object is the
 * first of them. All results are in @arena. Errors: DAMAGED. */
gboolean vtr_program_get_info (const VtrProgram  *self,
                               VtrHistory        *history,
                               VtrArena          *arena,
                               VtrPipelineInfo   *out,
                               GError           **error);

/* Like vtr_bound_state_at (), for repeated use: the walker keeps states of the last recording, so that any command of it
 * costs a walk over at most 1024 commands. Threading: any. */
gboolean vtr_bound_walker_get (VtrBoundWalker  *self,
                               guint64          index,
                               VtrBoundState   *out,
                               GError         **error);
G_END_DECLS
