/* Functions of the replay machine that Vulkan needs beyond the commands of its registry, and their arguments.
 *
 * They belong to API VTR_VM_API_VULKAN, from VTR_REPLAY_FIRST_SYNTHETIC on. wire/vtr-replay-functions.h has the
 * functions of every API; their requests in Vulkan's words are here, too.
 *
 * The replayer overrides a few registry commands so that a trace runs without its window:
 * vkCreateInstance and vkCreateDevice (leave out layers, extensions and features that replay
 * does not need or the driver lacks), vkCreateSwapchainKHR, vkGetSwapchainImagesKHR and
 * vkDestroySwapchainKHR (ordinary images instead of a swapchain). Surfaces are never created.
 *
 * Threading: any (constants). */
#pragma once

#include "wire/vtr-replay-functions.h"

enum
{
  /* (u64 instance, u32 vendor, u32 device, u32 nth, pointer name, pointer out): writes the
   * VkPhysicalDevice that is most like the captured one: the same vendor and device, else the same name,
   * else the nth, else the first. */
  VTR_REPLAY_GET_PHYSICAL_DEVICE = VTR_REPLAY_FIRST_SYNTHETIC,

  /* (u64 device, u64 swapchain, u64 semaphore, u64 fence, u32 image): signals both as
   * vkAcquireNextImageKHR would. */
  VTR_REPLAY_ACQUIRE,

  /* (u64 queue, pointer VkPresentInfoKHR): waits for the semaphores as vkQueuePresentKHR would. */
  VTR_REPLAY_PRESENT,

  /* (u64 device, u64 event): returns once the event is set. */
  VTR_REPLAY_WAIT_EVENT,

  /* (u32 flags, u32 n, pointer VtrReplayMemoryGroup[n]): the next vkAllocateMemory was captured on another
   * device, where its type had these VkMemoryPropertyFlags. It allocates nothing; each resource gets memory
   * when it is bound. VTR_REPLAY_WRITE_BYTES and VTR_REPLAY_READ_BYTES use the captured offsets. */
  VTR_REPLAY_SCATTER_MEMORY,

  /* (u64 address): the memory of the next vkAllocateMemory is placed there, if this device can do so. */
  VTR_REPLAY_PLACE_MEMORY,

  /* (u64 opaque address): the next vkAllocateMemory, vkCreateBuffer or vkCreateAccelerationStructureKHR
   * asks the driver for this captured opaque address, if this device takes such addresses;
   * VTR_REPLAY_PLACE_MEMORY before it then has no effect. 0: only sets the flag that makes the object's
   * address replayable. */
  VTR_REPLAY_KEEP_ADDRESS,

  /* (u64 bytes, pointer handles, u32 bytes of a handle): the shader groups of the pipelines that the next
   * vkCreateRayTracingPipelinesKHR makes get these captured handles, if this device can do so; the handles
   * of each pipeline follow those of the one before. 0 bytes: only sets the flag that makes handles
   * replayable. */
  VTR_REPLAY_KEEP_GROUPS,

  /* (u64 bytes, pointer captured, pointer handles, u32 bytes of a handle): counts handles of shader
   * groups that are as captured, and those that are not. */
  VTR_REPLAY_COMPARE_GROUPS,

  /* (u32 type, u64 object, u64 address): fails with a sentence if the buffer or acceleration
   * structure has another address; counts the others for the outcome. */
  VTR_REPLAY_CHECK_ADDRESS,

  /* (u32 type, u64 object, u64 address, pointer out): writes the object's address less @address,
   * modulo 2^64, as u64. */
  VTR_REPLAY_FIND_ADDRESS,

  /* (u64 image, u32 n, pointer VtrReplayLinearLayout[n]): where the captured device placed the rows
   * of a linear image. Bytes that are written to it later are moved to this device's rows. */
  VTR_REPLAY_LINEAR_LAYOUT,

  /* (pointer VtrReplayQueries): resets queries of a pool that nothing has used yet. */
  VTR_REPLAY_RESET_QUERIES,

  /* (pointer VtrReplayQueries): waits for the device; posts for each query its values and its
   * availability (0: it never ran), u64 each. */
  VTR_REPLAY_READ_QUERIES,

  /* (pointer VtrReplayReadImage): allocates and binds memory for an image that the engine has added; uses
   * only .device and .image. */
  VTR_REPLAY_BACK_IMAGE,

  /* (pointer VtrReplayWriteStructure, pointer source, u64 size): a part of a serialised acceleration
   * structure; parts come in order. The last one waits for the device, and deserialises the structure.
   * UNSUPPORTED if the driver refuses the data. */
  VTR_REPLAY_WRITE_STRUCTURE,

  VTR_REPLAY_LAST_SYNTHETIC,
};

/* VtrReplayReadTexels, of an image. */
typedef struct
{
  uint64_t device;
  uint64_t queue; /* a queue of a family that can do transfers; 0: the replayer picks one */
  uint64_t image;
  uint32_t format; /* VkFormat of the image */
  uint32_t aspect; /* one VkImageAspectFlagBits */
  uint32_t layout; /* VkImageLayout the subresource is in, and is left in */
  uint32_t samples;
  uint32_t width, height, depth; /* of the mip level, texels */
  uint32_t mip;
  uint32_t layer;
  uint32_t slice;  /* first of .depth ones of a 3-D image; else 0 */
  uint32_t sample; /* which sample of a multisampled image; UINT32_MAX: resolve */
  uint32_t reserved;
  uint64_t post; /* id of the post */
} VtrReplayReadImage;

typedef struct
{
  uint64_t device;
  uint64_t pool;
  uint32_t first, count; /* queries */
  uint32_t n_values;     /* that each has */
  uint32_t reserved;
  uint64_t post;
} VtrReplayQueries;

/* Bytes [begin, end) of captured memory that several resources share: their distances stay. */
typedef struct
{
  uint64_t begin, end;
  uint32_t images; /* 1: optimal images that begin at the same byte; 0: buffers */
  uint32_t reserved;
} VtrReplayMemoryGroup;

/* A subresource of a linear image as vkGetImageSubresourceLayout told the program. */
typedef struct
{
  uint32_t aspect; /* VkImageAspectFlagBits */
  uint32_t mip;
  uint32_t layer;
  uint32_t reserved;
  uint64_t offset;
  uint64_t size;
  uint64_t row_pitch;
  uint64_t depth_pitch;
} VtrReplayLinearLayout;

typedef struct
{
  uint64_t device;
  uint64_t structure; /* VkAccelerationStructureKHR */
  uint64_t offset;    /* of this part */
  uint64_t whole;     /* bytes of all parts */
} VtrReplayWriteStructure;

/* VtrReplayWriteTexels, of an image. */
typedef struct
{
  uint64_t device;
  uint64_t image;
  uint64_t row_pitch;            /* bytes from row to row of blocks; 0: no gaps */
  uint64_t depth_pitch;          /* bytes from slice to slice; 0: no gaps */
  uint32_t format;               /* VkFormat of the image */
  uint32_t aspect;               /* one VkImageAspectFlagBits */
  uint32_t layout;               /* VkImageLayout the subresource is in, and is left in */
  uint32_t width, height, depth; /* what is filled, texels of the image */
  uint32_t x, y, z;              /* its first column, row and slice */
  uint32_t mip;
  uint32_t layer;
  uint32_t sample; /* which sample of a multisampled image */
} VtrReplayWriteImage;

/* Convert requests from the form of all APIs to that of Vulkan, and back. */
VtrReplayReadTexels vtr_vulkan_texels_to_read (const VtrReplayReadImage *read);
VtrReplayReadImage vtr_vulkan_image_to_read (const VtrReplayReadTexels *read);
VtrReplayWriteImage vtr_vulkan_image_to_write (const VtrReplayWriteTexels *write);
