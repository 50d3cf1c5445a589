/* The parts of vtr-app-random, which makes random but valid use of Vulkan.
 *
 * Every frame is a list of *operations*. Each is chosen, and chooses itself, by numbers that come
 * from the seed, the frame and the operation's place alone, so a group of operations can be left
 * out (--without, --only) and the others stay much what they were. Nothing is read that was not
 * written before, and what the program shows is exact: texels and bytes are copied, not converted.
 *
 * All work goes to one queue in the order in which it is recorded. An object may be touched by the
 * CPU, or destroyed, when the last frame that used it is done (.last_use, vtr_random_is_idle()).
 *
 * Threading: one at a time.
 */
#pragma once

#include "vtr-app-window.h"

#define VTR_RANDOM_EDGE 256u /* of the window, in texels */
#define VTR_RANDOM_TILE 32u  /* of a tile in it; its texels are the bytes of something */
#define VTR_RANDOM_TILE_BYTES (VTR_RANDOM_TILE * VTR_RANDOM_TILE * 4)
#define VTR_RANDOM_N_TILES 64u
#define VTR_RANDOM_THREADS 3u
#define VTR_RANDOM_AHEAD 2u /* frames that may be pending */
#define VTR_RANDOM_MAX 32u  /* objects of one kind */
#define VTR_RANDOM_MAX_PARTS 64u
#define VTR_RANDOM_ALL VK_PIPELINE_STAGE_ALL_COMMANDS_BIT

typedef enum
{
  VTR_RANDOM_FLOAT,
  VTR_RANDOM_UINT,
  VTR_RANDOM_SINT,
  VTR_RANDOM_DEPTH
} VtrRandomClass;

/* Memory in which objects are placed one after another. Objects in the same place take turns. */
typedef struct VtrRandomHeap
{
  VkDeviceMemory memory;
  VkDeviceSize size, used;
  uint32_t n_users;
  bool dedicated;
  bool alone;      /* written by shaders in ways that cannot be followed: mapped only for moments */
  uint8_t *mapped; /* NULL: is mapped when needed */
  VkDeviceSize map_offset, map_size;
} VtrRandomHeap;

/* The common data of images that lie in one place. */
typedef struct
{
  uint64_t owner; /* the .id of who used it last */
  uint32_t n_users;
  VkDeviceSize size;
} VtrRandomPlace;

typedef struct
{
  VkBuffer buffer; /* NULL: the place is free */
  uint64_t id;
  VtrRandomHeap *heap;
  VkDeviceSize offset, size;
  VkBufferUsageFlags usage;
  uint64_t last_use;
  uint32_t n_pins; /* recordings that go on using it */
  VkDeviceAddress address;
} VtrRandomBuffer;

typedef struct
{
  VkImage image; /* NULL: the place is free */
  uint64_t id;
  VtrRandomHeap *heap;
  VkDeviceSize offset;
  VkImageCreateInfo info;
  VkFormat other; /* that views may have, too; UNDEFINED: none */
  VkImageAspectFlags aspects;
  VtrRandomClass class;
  uint32_t texel; /* bytes of the colour, or of the aspect that is shown */
  bool bound, ready;
  VtrRandomPlace *place;
  uint64_t last_use;
  uint32_t n_pins;
  VkImageLayout rest;                          /* while pinned */
  VkImageLayout layouts[VTR_RANDOM_MAX_PARTS]; /* [layer][mip] */
} VtrRandomImage;

/* Descriptors that are bound together: a layout of sets of one shape. */
typedef enum
{
  VTR_RANDOM_DRAW,   /* random.frag -DSET */
  VTR_RANDOM_COPY,   /* random.comp */
  VTR_RANDOM_IMAGE,  /* -DIMAGE */
  VTR_RANDOM_TEXELS, /* -DTEXELS */
  VTR_RANDOM_N_SHAPES
} VtrRandomShape;

#define VTR_RANDOM_BINDINGS 6u
#define VTR_RANDOM_KINDS 10u

typedef struct
{
  VtrRandomShape shape;
  VkDescriptorSetLayoutBinding bindings[VTR_RANDOM_BINDINGS];
  uint32_t n_bindings;
  bool push;
  VkSampler sampler; /* immutable; NULL: none is */
  VkDescriptorSetLayout set;
  VkPipelineLayout layout;
  VkDescriptorSet scratch; /* that others are copied from; NULL where sets are pushed */
  VkPipeline pipelines[2]; /* to compute; the second takes a base */
  uint32_t n_dynamic;
} VtrRandomKind;

typedef struct
{
  VkDescriptorSet set; /* NULL: the place is free, or it is to be pushed */
  VtrRandomKind *kind; /* NULL: free */
  uint32_t pool;
  VtrRandomBuffer *buffers[VTR_RANDOM_BINDINGS]; /* by binding; NULL: none */
  uint64_t buffer_ids[VTR_RANDOM_BINDINGS];
  VkDeviceSize ranges[VTR_RANDOM_BINDINGS];
  VtrRandomImage *images[4];
  uint64_t image_ids[4];
  VkImageView views[4];
  uint32_t n_images;
  VkBufferView texels[VTR_RANDOM_BINDINGS];
  VkSampler samplers[3];
  uint8_t inlined[64];
  uint64_t last_use;
  uint32_t n_pins;
} VtrRandomSet;

#define VTR_RANDOM_COLORS 3u
#define VTR_RANDOM_PIPELINES 6u

typedef struct
{
  VkPipeline pipeline;     /* NULL: the place is free */
  VkPipeline libraries[2]; /* that it was linked of, which drivers may go on reading */
  VtrRandomKind *kind;     /* NULL: no set */
  uint32_t subpass;
  bool attributes, address, input, feedback;
  uint64_t dynamic; /* bits of the table of states in random-pipelines.c */
  VkPrimitiveTopology topology;
} VtrRandomPipeline;

/* Images that are drawn to together, with what that needs. */
typedef struct
{
  bool used;
  uint64_t last_use;
  uint32_t n_pins;
  VkRenderPass pass; /* NULL: dynamic rendering */
  VkFramebuffer framebuffer;
  bool imageless, whole; /* whole: all of it is drawn to */
  VtrRandomClass class;
  uint32_t n_colors, n_subpasses;
  VtrRandomImage *images[VTR_RANDOM_COLORS + 1]; /* the last: depth and stencil, or NULL */
  uint64_t ids[VTR_RANDOM_COLORS + 1];
  VkImageView views[VTR_RANDOM_COLORS + 1];
  uint32_t mips[VTR_RANDOM_COLORS + 1], layers[VTR_RANDOM_COLORS + 1];
  VkAttachmentLoadOp loads[VTR_RANDOM_COLORS + 1];
  VkImageLayout layouts[VTR_RANDOM_COLORS + 1];
  VkImageLayout finals[VTR_RANDOM_COLORS + 1];
  VkFormat formats[VTR_RANDOM_COLORS + 1];
  VkExtent2D extent;
  VkRenderingInfo rendering; /* if there is no pass; this one, in so many parts more */
  VkRenderingAttachmentInfo attachments[VTR_RANDOM_COLORS + 1];
  uint32_t n_parts;
  VkSampleCountFlagBits samples;
  bool inputs; /* the second subpass reads the first colour of the first */
  VkDescriptorSetLayout input_set;
  VkDescriptorPool input_pool;
  VkDescriptorSet input;
  VkPipelineLayout input_layout;
  VtrRandomPipeline pipelines[VTR_RANDOM_PIPELINES];
} VtrRandomTarget;

/* Commands that were recorded once, and run often. */
typedef struct
{
  VkCommandBuffer commands; /* NULL: the place is free */
  bool secondary, simultaneous;
  uint64_t last_use;
  VtrRandomBuffer *buffers[VTR_RANDOM_MAX];
  uint32_t n_buffers;
  VtrRandomImage *images[VTR_RANDOM_MAX];
  VkImageLayout saved[VTR_RANDOM_MAX][VTR_RANDOM_MAX_PARTS];
  uint32_t n_images;
  VtrRandomSet *sets[VTR_RANDOM_MAX];
  uint32_t n_sets;
  VtrRandomTarget *targets[VTR_RANDOM_MAX];
  uint32_t n_targets;
} VtrRandomRecording;

typedef struct VtrRandom VtrRandom;

#define VTR_RANDOM_QUERIES 16u /* of a pool; the second half are those of recordings */
#define VTR_RANDOM_QUERY_POOLS 3u

typedef struct
{
  VkQueryPool pool;
  VkQueryType type;
  uint32_t n_values; /* of each */
  bool ended[VTR_RANDOM_QUERIES];
  uint64_t last_use;
} VtrRandomQueries;

typedef struct
{
  VtrRandomQueries *queries; /* NULL: none */
  uint32_t nth;
  bool outside; /* of passes */
} VtrRandomQuery;

#define VTR_RANDOM_EVENTS 6u

typedef struct
{
  VkEvent event;
  enum
  {
    VTR_RANDOM_UNSET,
    VTR_RANDOM_SET_BY_HOST,
    VTR_RANDOM_SET_BY_COMMAND,
    VTR_RANDOM_SET_BY_COMMAND2
  } how;
  uint64_t last_use;
} VtrRandomEvent;

#define VTR_RANDOM_VIEWS 4u
#define VTR_RANDOM_VIEW_IMAGES 4u

typedef struct
{
  VkImage image; /* NULL: there is none */
  VkImageView view;
  VtrRandomHeap *heap;
  VkFormat format;
  VkImageAspectFlags aspects;
} VtrRandomViewImage;

/* The images of a pass with several views, or several samples; all of them stay in GENERAL. */
typedef struct
{
  VkPipeline pipeline; /* NULL: the place is free */
  VkRenderPass pass;   /* NULL: dynamic rendering */
  VkFramebuffer framebuffer;
  VtrRandomViewImage images[VTR_RANDOM_VIEW_IMAGES];
  uint32_t places[VTR_RANDOM_VIEW_IMAGES]; /* in the pass */
  uint32_t n_images, n_layers, mask;
  VkSampleCountFlagBits samples;
  VkAttachmentLoadOp load;
  uint64_t last_use;
} VtrRandomView;

#define VTR_RANDOM_BLOCKS 4u

/* An image of a compressed format, in GENERAL. */
typedef struct
{
  VkImage image; /* NULL: the place is free */
  VkImageView view;
  VtrRandomHeap *heap;
  uint32_t format, n_layers;
  VkExtent3D extent;
  VtrAppBuffer results;
  VkDescriptorPool pool;
  VkDescriptorSet set;
  uint64_t last_use;
} VtrRandomBlock;

#define VTR_RANDOM_FUNCTIONS(X) \
  X (vkCmdPushDescriptorSetKHR) \
  X (vkCmdSetVertexInputEXT) \
  X (vkCmdSetColorBlendEnableEXT) \
  X (vkCmdSetColorBlendEquationEXT) \
  X (vkCmdSetColorWriteMaskEXT) \
  X (vkCmdSetPolygonModeEXT) \
  X (vkCmdDrawMultiEXT) \
  X (vkCmdBindTransformFeedbackBuffersEXT) \
  X (vkCmdBeginTransformFeedbackEXT) \
  X (vkCmdEndTransformFeedbackEXT) \
  X (vkCmdDrawMultiIndexedEXT) \
  X (vkCmdBeginConditionalRenderingEXT) \
  X (vkCmdEndConditionalRenderingEXT)

typedef struct
{
  const char *name;
  const char *group;
  uint32_t weight;
  void (*run) (VtrRandom *self);
} VtrRandomOperation;

struct VtrRandom
{
  VtrAppGpu gpu;
  uint32_t seed, n_frames, n_operations, verbose;
  const char *only, *without;
  bool shared;    /* it may lie beside what the CPU writes to, and be mapped for long */
  bool core;      /* nothing but what Vulkan 1.3 has */
  bool wide;      /* also what came later: the seeds of old faults stay what they were */
  bool apart;     /* the CPU writes to no buffer that the GPU writes to, but when it is made */
  uint64_t state; /* of the numbers of this operation */
  uint64_t mood;  /* what results that were read have changed */
  uint64_t frame; /* from 1: 0 is never */
  uint64_t done;  /* frames up to this one are over */
  uint64_t n_ids;
  bool beside;              /* this is a copy, of a thread beside others: it makes nothing */
  VkCommandBuffer commands; /* being recorded */
  bool recorded;            /* something is in it */

  VtrRandomHeap *heap; /* that is being filled */
  VtrRandomBuffer buffers[VTR_RANDOM_MAX];
  VtrRandomImage images[VTR_RANDOM_MAX];

  xcb_connection_t *connection;
  VtrAppWindow window;
  VkSwapchainKHR retired; /* the swapchain before; NULL: destroyed */
  uint64_t retired_use;
  struct
  {
    VkFence fence;
    uint64_t number; /* 0: none is pending */
    VkSemaphore acquired, drawn;
    VkCommandPool pool;
    VkCommandPool inner[VTR_RANDOM_THREADS]; /* of secondary command buffers */
  } frames[VTR_RANDOM_AHEAD];
  VtrAppBuffer tiles;

  VtrRandomKind kinds[VTR_RANDOM_KINDS];
  VkDescriptorPool pools[4]; /* the last: of the kinds' own sets */
  uint32_t pool_free[4];     /* whether sets can be freed one by one */
  VkSampler samplers[6];
  VtrRandomSet sets[VTR_RANDOM_MAX];
  VkShaderModule computes[4], vertices[4], fragments[7];
  VkPipelineLayout plain; /* push constants alone */
  VkPipeline address_pipeline;
  VkPipelineCache cache;
  VtrRandomTarget targets[12];
  VtrRandomRecording recordings[8];
  VtrRandomRecording *recording; /* that .commands are for; NULL: for this frame */
  VkCommandPool recording_pool;
  VtrRandomQueries queries[VTR_RANDOM_QUERY_POOLS], times;
  VtrAppBuffer time_buffer;
  VtrRandomEvent events[VTR_RANDOM_EVENTS];
  VtrRandomView views[VTR_RANDOM_VIEWS];
  VtrRandomBlock blocks[VTR_RANDOM_BLOCKS];
  VkDescriptorSetLayout block_set;
  VkPipelineLayout block_layout;
  VkPipeline block_pipeline;
  VkSampler block_sampler;
  VkSemaphore timeline, host_timeline;
  uint64_t value, host_value; /* that are, or will be, signalled */
#define MEMBER(name) PFN_##name name;
  VTR_RANDOM_FUNCTIONS (MEMBER)
#undef MEMBER
};

typedef struct
{
  float place[4], color[4];
  VkDeviceAddress address;
  uint32_t seed, n;
} VtrRandomPush;

/* Numbers. */
uint32_t vtr_random_number (VtrRandom *self);
/* 0 to @n - 1. */
uint32_t vtr_random_below (VtrRandom *self,
                           uint32_t   n);
uint32_t vtr_random_between (VtrRandom *self,
                             uint32_t   least,
                             uint32_t   most);
bool vtr_random_chance (VtrRandom *self,
                        uint32_t   percent);
float vtr_random_float (VtrRandom *self); /* 0 to 1 */
/* Like vtr_random_chance (), for a way of doing things that --without can name. */
bool vtr_random_may (VtrRandom  *self,
                     uint32_t    percent,
                     const char *what);
#define VTR_RANDOM_PICK(self, array) \
  ((array)[vtr_random_below ((self), sizeof (array) / sizeof (array)[0])])

/* --- random-objects.c */

bool vtr_random_is_idle (const VtrRandom *self,
                         uint64_t         last_use);
/* A random buffer or image that is ready, has @usage, and is not in the same place as @not;
 * NULL: none. */
VtrRandomBuffer *vtr_random_buffer (VtrRandom *self,
                                    VkBufferUsageFlags usage,
                                    VkDeviceSize size,
                                    const VtrRandomBuffer * not );
VtrRandomImage *vtr_random_image (VtrRandom *self,
                                  VkImageUsageFlags usage,
                                  const VtrRandomImage * not );
/* Says that the commands being recorded use it; an image: all of it is in @layout afterwards. */
void vtr_random_use_buffer (VtrRandom       *self,
                            VtrRandomBuffer *buffer);
void vtr_random_use_image (VtrRandom      *self,
                           VtrRandomImage *image,
                           VkImageLayout   layout);
/* Like vtr_random_use_image (), for some levels and layers. */
void vtr_random_use_part (VtrRandom                     *self,
                          VtrRandomImage                *image,
                          const VkImageSubresourceRange *range,
                          VkImageLayout                  layout);
VkExtent3D vtr_random_extent (const VtrRandomImage *image,
                              uint32_t              mip);
/* The bytes of one aspect's texel as copies to buffers have them; 0: they are not all defined. */
uint32_t vtr_random_texel (VkFormat           format,
                           VkImageAspectFlags aspect);
void vtr_random_barrier (VtrRandom *self);
/* Whether they have bytes in common; NULL has none. */
bool vtr_random_overlap (const VtrRandomBuffer *a,
                         const VtrRandomBuffer *b);
/* Writes through a mapping. */
void vtr_random_write (VtrRandom       *self,
                       VtrRandomBuffer *buffer,
                       VkDeviceSize     offset,
                       VkDeviceSize     size);
/* Finds room. Returns: where; its heap has one more user. */
VtrRandomHeap *vtr_random_place (VtrRandom                           *self,
                                 const VkMemoryRequirements          *needs,
                                 const VkMemoryDedicatedAllocateInfo *dedicated,
                                 bool                                 alone,
                                 VkDeviceSize                        *offset);
void vtr_random_release_heap (VtrRandom     *self,
                              VtrRandomHeap *heap);
void vtr_random_objects_finish (VtrRandom *self);
extern const VtrRandomOperation vtr_random_object_operations[];

/* --- random-images.c */

void vtr_random_images_finish (VtrRandom *self);
extern const VtrRandomOperation vtr_random_image_operations[];

/* --- random-copies.c */

/* Fills all of a colour or depth image, which is in @layout, in some way. */
void vtr_random_fill_image (VtrRandom      *self,
                            VtrRandomImage *image);
extern const VtrRandomOperation vtr_random_copy_operations[];

/* --- random-kinds.c */

void vtr_random_kinds_init (VtrRandom *self);
void vtr_random_kinds_finish (VtrRandom *self);
void vtr_random_make_pool (VtrRandom *self,
                           uint32_t   nth);

/* --- random-compute.c */

VtrRandomPush vtr_random_push (VtrRandom *self);
extern const VtrRandomOperation vtr_random_compute_operations[];

/* --- random-sets.c */

void vtr_random_sets_finish (VtrRandom *self);
/* One of the shape, whose things are used by the commands that follow, but none of @n images
 * @without; NULL: there is not all that it needs. */
VtrRandomSet *vtr_random_set (VtrRandom       *self,
                              VtrRandomShape   shape,
                              VtrRandomKind   *kind,
                              VtrRandomImage **without,
                              uint32_t         n);
void vtr_random_bind_set (VtrRandom           *self,
                          const VtrRandomSet  *set,
                          VkPipelineBindPoint  point);
VkImageView vtr_random_view (VtrRandom            *self,
                             const VtrRandomImage *image,
                             VkFormat              format,
                             VkImageAspectFlags    aspects,
                             uint32_t              mip,
                             uint32_t              layer);
extern const VtrRandomOperation vtr_random_set_operations[];

/* --- random-targets.c */

/* NULL: there is nothing to draw to. */
VtrRandomTarget *vtr_random_target (VtrRandom *self);
void vtr_random_begin_target (VtrRandom       *self,
                              VtrRandomTarget *target,
                              bool             secondary);
/* Suspends and resumes it. Returns: there are more draws to come. */
bool vtr_random_resume_target (VtrRandom       *self,
                               VtrRandomTarget *target);
/* @target: the layout of its next image. */
void vtr_random_end_target (VtrRandom       *self,
                            VtrRandomTarget *target);
void vtr_random_targets_finish (VtrRandom *self);
extern const VtrRandomOperation vtr_random_target_operations[];

/* --- random-pipelines.c */

VtrRandomPipeline *vtr_random_pipeline (VtrRandom       *self,
                                        VtrRandomTarget *target,
                                        uint32_t         subpass);
void vtr_random_set_states (VtrRandom               *self,
                            const VtrRandomTarget   *target,
                            const VtrRandomPipeline *pipeline);
void vtr_random_pipelines_init (VtrRandom *self);
void vtr_random_pipelines_finish (VtrRandom *self);

/* --- random-draws.c */

extern const VtrRandomOperation vtr_random_draw_operations[];

/* --- random-recordings.c */

/* Called by whatever uses objects: while a recording is made, it keeps them. */
void vtr_random_record_buffer (VtrRandom       *self,
                               VtrRandomBuffer *buffer);
void vtr_random_record_image (VtrRandom      *self,
                              VtrRandomImage *image);
void vtr_random_record_set (VtrRandom    *self,
                            VtrRandomSet *set);
void vtr_random_record_target (VtrRandom       *self,
                               VtrRandomTarget *target);
/* A secondary command buffer of this frame, for draws in @subpass; @nth: the thread that is to record
 * it. */
VkCommandBuffer vtr_random_begin_inside (VtrRandom             *self,
                                         const VtrRandomTarget *target,
                                         uint32_t               subpass,
                                         uint32_t               nth);
void vtr_random_recordings_init (VtrRandom *self);
void vtr_random_recordings_finish (VtrRandom *self);
extern const VtrRandomOperation vtr_random_recording_operations[];

/* --- random-queries.c */

/* Outside of passes: resets a query, perhaps. */
VtrRandomQuery vtr_random_query_prepare (VtrRandom *self);
void vtr_random_query_begin (VtrRandom            *self,
                             const VtrRandomQuery *query);
void vtr_random_query_end (VtrRandom      *self,
                           VtrRandomQuery *query);
/* Outside of passes: its results go to a buffer, perhaps. */
void vtr_random_query_show (VtrRandom            *self,
                            const VtrRandomQuery *query);
void vtr_random_queries_init (VtrRandom *self);
void vtr_random_queries_finish (VtrRandom *self);
extern const VtrRandomOperation vtr_random_query_operations[];
extern const VtrRandomOperation vtr_random_query_polls[]; /* --wide */

/* --- random-views.c, random-blocks.c: --wide */

void vtr_random_views_finish (VtrRandom *self);
extern const VtrRandomOperation vtr_random_view_operations[];
void vtr_random_blocks_init (VtrRandom *self);
void vtr_random_blocks_finish (VtrRandom *self);
extern const VtrRandomOperation vtr_random_block_operations[];

/* --- random-sync.c */

void vtr_random_sync_init (VtrRandom *self);
void vtr_random_sync_finish (VtrRandom *self);
extern const VtrRandomOperation vtr_random_sync_operations[];
extern const VtrRandomOperation vtr_random_sync_polls[]; /* --wide */

/* --- random-show.c */

void vtr_random_show_init (VtrRandom *self);
void vtr_random_show_finish (VtrRandom *self);
/* Begins a frame: waits until an old one is over. */
void vtr_random_begin_frame (VtrRandom *self);
/* A new command buffer for the frame. */
void vtr_random_begin_commands (VtrRandom *self);
/* Submits the recorded commands and continues with a new command buffer. */
void vtr_random_submit (VtrRandom *self);
/* Tiles of the images and buffers, presented. */
void vtr_random_show (VtrRandom *self);
