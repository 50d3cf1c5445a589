/* Functions of the replay machine that Vulkan needs beyond the commands of its registry, and what they are given.
 *
 * API VTR_VM_API_VULKAN, from VTR_REPLAY_FIRST_SYNTHETIC on. See wire/vtr-replay-functions.h, which has those of
 * every API, and whose requests in Vulkan's words are here, too.
 *
 * The replayer overrides a few registry commands so that a trace runs without its window:
 * vkCreateInstance and vkCreateDevice (leave out layers, extensions and features that replay
 * does not need and the driver lacks), vkCreateSwapchainKHR, vkGetSwapchainImagesKHR and
 * vkDestroySwapchainKHR (the virtual swapchain: ordinary images). Surfaces are never created.
 *
 * Threading: any (constants). */
#pragma once

#include "wire/vtr-replay-functions.h"

enum
{
  /* (u64 instance, u32 vendor, u32 device, u32 nth, pointer name, pointer out): writes the
   * VkPhysicalDevice that fits the captured one best: same vendor and device, else same name,
   * else the nth, else the first. */
  VTR_REPLAY_GET_PHYSICAL_DEVICE = VTR_REPLAY_FIRST_SYNTHETIC,

  /* (u64 device, u64 swapchain, u64 semaphore, u64 fence, u32 image): signals both as
   * vkAcquireNextImageKHR would. */
  VTR_REPLAY_ACQUIRE,

  /* (u64 queue, pointer VkPresentInfoKHR): waits for the semaphores as vkQueuePresentKHR would. */
  VTR_REPLAY_PRESENT,

  /* (u64 device, u64 event): returns once the event is set. */
  VTR_REPLAY_WAIT_EVENT,

  /* (u32 flags, u32 n, pointer VtrReplayMemoryGroup[n]): the vkAllocateMemory that follows stands
   * for memory of another device: VkMemoryPropertyFlags of its type there. Nothing is allocated
   * then; each resource gets its place when it is bound, and VTR_REPLAY_WRITE_BYTES and
   * VTR_REPLAY_READ_BYTES go by the captured offsets. */
  VTR_REPLAY_SCATTER_MEMORY,

  /* (u64 address): the vkAllocateMemory that follows is to lie there, if this device can do so. */
  VTR_REPLAY_PLACE_MEMORY,

  /* (u64 opaque address): the vkAllocateMemory, vkCreateBuffer or vkCreateAccelerationStructureKHR that
   * follows is to get this back, which the driver said of it in the capture, if this device takes such
   * addresses; before that, it need not be placed. 0: the driver said nothing else than that it could
   * be asked for again. */
  VTR_REPLAY_KEEP_ADDRESS,

  /* (u64 bytes, pointer handles, u32 bytes of a handle): the groups of the pipelines that the
   * vkCreateRayTracingPipelinesKHR makes that follows are to get these handles back, each pipeline's own
   * one after the other, if this device does so. No bytes: they only were made so that they could. */
  VTR_REPLAY_KEEP_GROUPS,

  /* (u64 bytes, pointer captured, pointer handles, u32 bytes of a handle): counts handles of shader
   * groups that are as captured, and those that are not. */
  VTR_REPLAY_COMPARE_GROUPS,

  /* (u32 type, u64 object, u64 address): fails with a sentence when the buffer or acceleration
   * structure is elsewhere. */
  VTR_REPLAY_CHECK_ADDRESS,

  /* (u32 type, u64 object, u64 address, pointer out): writes by how much the object's address is
   * larger than @address, modulo 2^64, as u64. */
  VTR_REPLAY_FIND_ADDRESS,

  /* (u64 image, u32 n, pointer VtrReplayLinearLayout[n]): how the capture's device laid the rows
   * of a linear image, so that bytes written to it find theirs. */
  VTR_REPLAY_LINEAR_LAYOUT,

  /* (pointer VtrReplayQueries): makes queries of a pool that nothing uses yet ready for use. */
  VTR_REPLAY_RESET_QUERIES,

  /* (pointer VtrReplayQueries): waits for the device; posts for each query its values and whether
   * they are there (0: it never ran), u64 each. */
  VTR_REPLAY_READ_QUERIES,

  /* (pointer VtrReplayReadImage): gives the image, which the engine made for itself, memory of its
   * own; only .device and .image are looked at. */
  VTR_REPLAY_BACK_IMAGE,

  /* (pointer VtrReplayWriteStructure, pointer source, u64 size): a part of what an acceleration
   * structure was serialised to; parts come in order. The last one waits for the device, and makes the
   * structure of them. UNSUPPORTED where the driver does not take them. */
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
