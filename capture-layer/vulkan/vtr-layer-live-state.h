/* The current state of the live objects, by type: VtrLayerObject.state.
 *
 * Threading: with the lock of vtr-layer-live.h. */
#pragma once

#include "vtr-layer-live.h"
#include "vtr-layer-sparse.h"

typedef struct
{
  VkImageCreateInfo info;          /* .pNext NULL */
  VkImageUsageFlags stencil_usage; /* 0: as .info.usage */
  VkDeviceMemory memory;
  uint64_t offset;
  VkSurfaceKHR surface; /* a swapchain's image: to ask for its real usage */
  bool swapchain;
  bool acquired;
  bool disjoint;          /* bound plane by plane */
  VtrLayerSparse *sparse; /* NULL: nothing was ever bound page by page */
  uint32_t owner;
  uint64_t used;     /* when it last was in a barrier or pass: an order, of vtr_layer_live_next_order() */
  uint64_t reached;  /* as vtr_layer_live_mark_reached() has found; an order */
  bool slices;       /* the slices of a 3D image have layouts of their own: .n_layers counts them */
  uint32_t n_layers; /* that have layouts of their own, at mip level 0 */
  uint32_t n_aspects;
  VkImageLayout layouts[]; /* [n_aspects][n_layers][mipLevels] */
} VtrLayerImage;

typedef struct
{
  uint64_t image;
  VkImageSubresourceRange range;
} VtrLayerImageView;

typedef struct
{
  uint32_t n;
  VtrLayerImageView views[];
} VtrLayerFramebuffer;

typedef struct
{
  uint32_t n;
  struct
  {
    VkImageLayout layout;  /* at the end, of colour or depth */
    VkImageLayout stencil; /* at the end, of stencil */
  } attachments[];
} VtrLayerRenderPass;

typedef struct
{
  VkDeviceMemory memory;
  uint64_t offset;
  uint64_t size;
  uint64_t address; /* that the program was told; 0: none */
  uint64_t usage;   /* VkBufferUsageFlags2 */
  uint32_t owner;
  VtrLayerSparse *sparse; /* NULL: nothing was ever bound page by page */
  uint64_t reached;       /* as vtr_layer_live_mark_reached() has found; an order */
} VtrLayerBuffer;

typedef struct
{
  uint64_t buffer;
} VtrLayerBufferView;

/* An acceleration structure. */
typedef struct
{
  VkBuffer buffer;
  uint64_t offset;
  uint64_t size;
  uint64_t address; /* that the program was told; 0: none */
  VkAccelerationStructureTypeKHR type;
  uint64_t built; /* when it last was, on the GPU or the CPU: an order; 0: it holds nothing */
} VtrLayerStructure;

typedef struct
{
  uint64_t size;
  uint32_t type;
  bool imported;
  bool exported;
  void *host; /* memory of the program's own; or NULL */
  void *mapped;
  uint64_t map_offset;
  uint64_t map_size;
} VtrLayerDeviceMemory;

typedef struct
{
  uint64_t initial;
  bool timeline;
  bool signalled;   /* binary ones */
  uint64_t acquire; /* image whose acquisition signalled it; 0: none */
  /* timelines: the highest values that submissions wait for, and that are or will be signalled */
  uint64_t awaited, promised;
} VtrLayerSemaphore;

typedef struct
{
  bool signalled; /* when it was made */
} VtrLayerFence;

typedef struct
{
  bool device_only;
  VtrLayerEventSet set;         /* by the device */
  VkPipelineStageFlags2 stages; /* which it then waited for */
} VtrLayerEvent;

typedef struct
{
  uint32_t n;
  VkQueryType type;
  uint32_t n_values; /* of each */
  bool reset;        /* some of it was; all of it is taken for usable */
} VtrLayerQueryPool;

typedef struct
{
  VkImageCreateInfo image; /* as which its images can be looked at */
  VkSurfaceKHR surface;
  uint32_t n_images;
  VkImage images[64];
} VtrLayerSwapchain;

typedef struct
{
  uint32_t family;
} VtrLayerQueue;

/* Number of aspects that have layouts of their own, and the place of one of them. */
uint32_t vtr_layer_count_aspects (VkFormat format);

/* The aspects of the @i-th. */
VkImageAspectFlags vtr_layer_get_aspect (VkFormat format,
                                         uint32_t i);

/* Notes the waits and signals of a submission; @cmd is canonical. */
void vtr_layer_live_note_waits (VtrLayerWorld *world,
                                VtrCmdId       cmd,
                                const void    *args);

/* Returns: the object that a descriptor is of; NULL where it names none. @part: a hash that tells the
 * descriptors of one object apart. */
VtrLayerObject *vtr_layer_descriptor_get_subject (VtrLayerWorld                *world,
                                                  const VkDescriptorGetInfoEXT *info,
                                                  uint32_t                     *part);

/* Descriptors that name no object (vtr-layer-live-descriptors.c). */
void vtr_layer_descriptors_note (VtrLayerWorld                    *world,
                                 const VtrArgs_vkGetDescriptorEXT *args);
void vtr_layer_descriptors_free (VtrLayerDescriptors *self);

/* Calls @call for each whose address still means something. Returns: false without memory. */
bool vtr_layer_descriptors_write (const VtrLayerWorld *world,
                                  void (*call) (const VtrArgs_vkGetDescriptorEXT *args,
                                                void *data),
                                  void *data);

/* Applies the effects of a command buffer that ran on a queue of @family (VK_QUEUE_FAMILY_IGNORED:
 * unknown). */
void vtr_layer_live_apply (VtrLayerWorld         *world,
                           const VtrLayerEffects *effects,
                           uint32_t               family);

/* A command buffer was submitted. */
void vtr_layer_live_note_reach (VtrLayerWorld       *world,
                                const VtrLayerReach *reach);

/* Finds the images and buffers that shaders may have written to in the last frames: their .reached becomes a new
 * order. */
void vtr_layer_live_mark_reached (VtrLayerWorld *world);

/* Gets a handle that shaders may write through (VtrLayerReached.type). Returns: whether it has to be looked at
 * again. */
typedef bool (*VtrLayerReachVisit) (void *data,
                                    VtrHandleId type,
                                    uint64_t handle);

/* Calls @visit for @reached, or if it is a descriptor set, for its contents. Sets in which @looker
 * found nothing to visit again are skipped until they change. @looker: an order, of
 * vtr_layer_live_next_order(). Returns: whether anything must be visited again. */
bool vtr_layer_live_visit_reached (VtrLayerWorld         *world,
                                   const VtrLayerReached *reached,
                                   uint64_t               looker,
                                   VtrLayerReachVisit     visit,
                                   void                  *data);

/* Images that changed on the host. */
void vtr_layer_live_set_layout (VtrLayerWorld                 *world,
                                uint64_t                       image,
                                const VkImageSubresourceRange *range,
                                VkImageLayout                  layout,
                                uint32_t                       owner);

/* An acceleration structure holds something else. */
void vtr_layer_live_set_built (VtrLayerWorld              *world,
                               VkAccelerationStructureKHR  structure);

/* How many layers (or slices) of a mip level have layouts of their own. */
static inline uint32_t
vtr_layer_count_layers (bool     slices,
                        uint32_t n_layers,
                        uint32_t mip)
{
  const uint32_t n = slices ? n_layers >> mip : n_layers;

  return n > 0 ? n : 1;
}

static inline void *
vtr_layer_live_state (VtrLayerWorld *world,
                      VtrHandleId    type,
                      uint64_t       handle)
{
  VtrLayerObject *object = vtr_layer_live_find (world, type, handle);

  return object != NULL ? object->state : NULL;
}

/* ---- Sparse memory (vtr-layer-live-sparse.c) ---- */

/* Makes room for what @args bind; asks the driver, so without the lock. */
void vtr_layer_live_prepare_sparse (VtrLayerWorld                   *world,
                                    const VtrArgs_vkQueueBindSparse *args);
void vtr_layer_live_bind_sparse (VtrLayerWorld          *world,
                                 const VkBindSparseInfo *info);

/* Whether the memory that was bound lives. */
bool vtr_layer_live_is_there (VkDeviceMemory  memory,
                              uint64_t        made,
                              void           *world);

/* Whether an image may be used: all of it is bound, or may be missing. */
bool vtr_layer_live_is_usable (VtrLayerWorld       *world,
                               const VtrLayerImage *image);

/* ---- Descriptor sets (vtr-layer-live-sets.c) ---- */

void *vtr_layer_set_layout_new (const VkDescriptorSetLayoutCreateInfo *info);
void vtr_layer_set_layout_free (void *state);
void *vtr_layer_set_new (VtrLayerWorld                     *world,
                         const VkDescriptorSetAllocateInfo *info,
                         uint32_t                           index);
void vtr_layer_set_free (void *state);
void vtr_layer_set_update (VtrLayerWorld                        *world,
                           const VtrArgs_vkUpdateDescriptorSets *args);
void vtr_layer_set_update_with_template (
  VtrLayerWorld *world,
  const VtrArgs_vkUpdateDescriptorSetWithTemplate *args);

/* When the contents of a set were last changed; 0: never. */
uint64_t vtr_layer_set_get_order (const void *state);

/* Appends a vkUpdateDescriptorSets with the contents of @object that are still there, flagged initial.
 * Returns: whether there are any. */
bool vtr_layer_set_encode (VtrLayerWorld        *world,
                           const VtrLayerObject *object,
                           VtrLayerThread       *thread);
