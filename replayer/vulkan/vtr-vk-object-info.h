/* The replay's data about each kind of Vulkan object, and its own objects on a device.
 *
 * Types only: the functions are in the header of each subject. Threading: one at a time. */
#pragma once

#include "base/vtr-buffer.h"
#include "vulkan/vtr-vulkan.h"
#include "vulkan/vtr-vulkan-replay.h"

typedef struct VtrScatter VtrScatter;
typedef struct VtrBlock VtrBlock;

/* An instance outlives its request: one that wants the same needs not make it anew, and the
 * drivers stay loaded. It has no state that a request could leave behind. */
typedef struct
{
  VkInstance instance;
  VkDebugUtilsMessengerEXT messenger;
  VtrBuffer key; /* what it was created from */
} VtrParkedInstance;

/* NULL until first asked for. */
typedef struct
{
  VkLayerProperties *layers;
  uint32_t n_layers;
  VkExtensionProperties *extensions;
  uint32_t n_extensions;
} VtrInstanceOffers;

/* Our own things on a device: a queue to work with and memory to read through. Made when first
 * needed. */
typedef struct
{
  VkQueue queue; /* of the family .family */
  uint32_t family;
  VkCommandPool pool; /* of .pool_family */
  uint32_t pool_family;
  VkCommandBuffer commands;
  VkFence fence;
  VkBuffer staging;
  VkDeviceMemory staging_memory;
  uint64_t staging_size;
  uint8_t *staging_map;
  bool staging_coherent;
} VtrUtility;

/* Memory of our own that a driver uses (vtr-fixed-address.h). */
typedef struct
{
  void *at;      /* NULL: none */
  size_t size;   /* whole pages */
  size_t page;   /* as the driver imports them */
  uint64_t bias; /* the captured memory begins so many bytes behind .at */
} VtrFixedAddress;

/* The captured value that the next allocation, buffer or acceleration structure is to have again
 * (vtr-opaque.h). */
typedef struct
{
  bool wanted;
  uint64_t address; /* 0: the driver told none */
} VtrOpaque;

/* The captured handles of shader groups that the next pipelines are to have again. */
typedef struct
{
  bool wanted;
  uint32_t size;    /* of one handle */
  uint64_t n_bytes; /* 0: no handles are known */
  uint8_t *bytes;   /* owned */
} VtrReplayGroupHandles;

/* Pages that places begin and end with: neighbours share them. */
typedef struct
{
  uintptr_t at;
  unsigned n_users;
} VtrEdgePage;

typedef struct
{
  uint64_t size;
  uint32_t type; /* index */
  VtrFixedAddress place;
  uint8_t *map; /* whole; NULL until first needed */
  bool dedicated;
  VtrScatter *scatter; /* NULL: an allocation of the driver's; .type is nothing then */
} VtrMemoryInfo;

typedef struct
{
  uint64_t size;
  uint64_t usage;  /* VkBufferUsageFlags, or its wider form */
  uint64_t memory; /* .serial of the driver's that it is bound to; 0: none */
  uint64_t offset; /* in .memory */
  VtrBlock *block; /* where it lies in scattered memory; NULL: elsewhere */
} VtrBufferInfo;

#define VTR_MAX_PLANES 4

typedef struct
{
  VkImageUsageFlags usage;
  VkImageCreateFlags flags;
  VkImageTiling tiling;
  VkFormat format;
  VkExtent3D extent;
  uint32_t mips;
  uint32_t layers;
  VkSampleCountFlagBits samples;
  bool slices;                      /* each slice has a layout of its own */
  VtrBlock *blocks[VTR_MAX_PLANES]; /* of a disjoint image one for each plane, else the first */
  VtrReplayLinearLayout *layouts;   /* of a linear image in the capture; owned */
  uint32_t n_layouts;
} VtrReplayImage;

/* The state of a semaphore once all submitted work has run. */
typedef struct
{
  bool timeline;
  bool signaled;  /* binary */
  uint64_t reach; /* timeline: largest value that will be signalled */
} VtrSemaphoreInfo;

/* The state of an event once all submitted work has run. */
typedef struct
{
  bool set;
  uint64_t n_resets; /* so far */
  bool was_set;      /* before a reset */
} VtrEventInfo;

/* The contents of a command buffer. */
typedef struct
{
  struct VtrEventActs *acts; /* vtr-vk-events.c; owned */
  struct VtrPushes *pushes;  /* vtr-vk-push.c; owned */
} VtrCommandsInfo;

/* Parts of what an acceleration structure was serialised to (vtr-write-structure.c). */
typedef struct
{
  uint8_t *bytes; /* owned */
  uint64_t structure;
  uint64_t size, filled;
} VtrSerialised;
