/* Records what memory and images hold when a capture begins in the middle of a run.
 *
 * Memory becomes vitrine.MappedWrites, images become vitrine.ImageContents, acceleration
 * structures become vitrine.StructureContents (FORMAT.md §5), all in front of the program's
 * first call. The initial commands are committed before them: contents need objects that exist,
 * are bound and mapped, and images in the layout that they have at that moment (barriers among
 * the initial commands see to that). Trackers of mapped memory start before memory is read.
 *
 * Threading: the caller stopped all other threads, and the device is idle. */
#pragma once

#include "vtr-layer-sparse.h"
#include "vtr-layer.h"


/* An allocation. */
typedef struct
{
  VkDeviceMemory memory;
  uint64_t size;
  uint32_t type;       /* index of its memory type */
  bool imported;       /* from outside: its bytes are still recorded when they can be read */
  bool exported;       /* or it may be: others can write to it */
  void *mapped;        /* NULL: not mapped now. Host pointers that were imported count as mapped */
  uint64_t map_offset; /* of .mapped in the memory */
  uint64_t map_size;   /* never VK_WHOLE_SIZE */
} VtrLayerLiveMemory;

/* A buffer in the memory that it is bound to, or one piece of a sparse buffer. */
typedef struct
{
  VkBuffer buffer;
  VkDeviceMemory memory;
  uint64_t offset; /* in the memory */
  uint64_t start;  /* in the buffer; of a sparse one */
  uint64_t size;   /* of the buffer, or piece */
  uint64_t usage;  /* VkBufferUsageFlags2 */
  uint32_t owner;  /* queue family that owns it; VK_QUEUE_FAMILY_IGNORED: any, or never used */
  bool sparse;     /* it is a piece */
  bool late;       /* it is copied after the cut (vtr-layer-late.h); not for the caller to set */
} VtrLayerLiveBuffer;

/* An image that is bound. */
typedef struct
{
  VkImage image;
  VkImageCreateInfo info;          /* as the program wrote it (the .usage of a swapchain's that is acquired: as
                             it was made); .pNext is not looked at */
  VkImageUsageFlags stencil_usage; /* 0: as .info.usage */
  VkDeviceMemory memory;           /* VK_NULL_HANDLE: a swapchain's, or several (disjoint planes) */
  uint64_t offset;                 /* in the memory */
  uint64_t size;                   /* VkMemoryRequirements.size; 0: unknown */
  bool swapchain;
  bool acquired;  /* a swapchain's image: the program may use it now */
  uint64_t used;  /* an order. Those that share memory come as they were used: the last one counts */
  uint32_t owner; /* queue family that owns it; VK_QUEUE_FAMILY_IGNORED: any, or never used */

  bool slices;       /* .n_layers are the slices of a 3D image, which have layouts of their own */
  uint32_t n_layers; /* at mip level 0 */
  /* Present layouts, [aspect][layer][mip]. One "aspect" for colour and for formats with one of
   * depth and stencil, depth then stencil when there are both, else the planes. UNDEFINED: the
   * content does not count. */
  const VkImageLayout *layouts;
  uint32_t n_aspects;

  /* Of a sparse one, which has no .memory: what is bound. */
  const VtrLayerSparse *sparse; /* NULL: it is not sparse */
  const VkSparseMemoryBind *ranges;
  size_t n_ranges;
  const VkSparseImageMemoryBind *tiles;
  size_t n_tiles;
  bool usable; /* all of it is bound, or may be missing */
  bool late;   /* as of buffers */
} VtrLayerLiveImage;

/* An acceleration structure that holds something, in a buffer that is there. */
typedef struct
{
  VkAccelerationStructureKHR structure;
  VkAccelerationStructureTypeKHR type;
  uint64_t place;  /* where it lies: the VkDeviceMemory, or the VkBuffer if that is sparse */
  uint64_t offset; /* there */
  uint64_t size;
  uint64_t built; /* an order: of those that share a place the last one counts */
  uint32_t owner; /* queue family that owns its buffer; VK_QUEUE_FAMILY_IGNORED: any, or never used */
} VtrLayerLiveStructure;

/* A queue of a family, one each. The first that can do graphics serves where any will do. */
typedef struct
{
  VkQueue queue;
  uint32_t family;
  VkQueueFlags flags;
  /* Families that may use an optimal image of this one without a transfer, and find in it what this
   * one left: a bit each. 0 where the program has not switched maintenance9 on. */
  uint32_t image_families;
} VtrLayerLiveQueue;

typedef struct
{
  const VtrLayerLiveMemory *memory;
  size_t n_memory;
  VtrLayerLiveBuffer *buffers;
  size_t n_buffers;
  VtrLayerLiveImage *images;
  size_t n_images;
  const VtrLayerLiveStructure *structures; /* bottom levels first */
  size_t n_structures;
  const VtrLayerLiveQueue *queues;
  size_t n_queues;
} VtrLayerLiveWorld;

/* Commits what the trace needs before any contents. Returns: false when recording cannot begin. */
typedef bool (*VtrLayerContentsBefore) (VtrLayerDevice *device,
                                        void *data);

/**
 * vtr_layer_contents_write:
 * @before: called once, before the first record, while the GPU already copies
 * @why: (out): a sentence when nothing could be read
 *
 * Reads the contents of all live resources, by copies on the GPU where the CPU cannot read them, and
 * commits them as records of the calling thread; contents that can wait are left to vtr-layer-late.h.
 * Layouts, owners and the program's memory stay as they were. Contents that cannot be read are left out,
 * with a notice.
 *
 * Returns: false when the capture cannot be made: the GPU refused (@why), or recording ended.
 */
bool vtr_layer_contents_write (VtrLayerDevice          *device,
                               const VtrLayerLiveWorld *world,
                               VtrLayerContentsBefore   before,
                               void                    *data,
                               char                     why[VTR_LAYER_WHY_MAX]);
