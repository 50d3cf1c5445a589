/* The mapped memory of a device. CPU writes to it are recorded before the call that makes them
 * visible to the GPU.
 *
 * Threading: any; one lock per device. */
#pragma once

#include "api/vtr-api-dispatch.h"
#include "vulkan/vtr-vulkan.h"
#include "vtr-layer-map.h"
#include "vtr-layer-tracker.h"

#include <stdatomic.h>

typedef struct VtrLayerAllocation VtrLayerAllocation;

/**
 * VtrLayerMemory:
 *
 * The host-visible allocations of a device. While it is locked by vtr_layer_memory_lock(), no other
 * thread collects: scan, records of memory and the record of the signaller are one critical
 * section.
 */
typedef struct
{
  pthread_mutex_t lock;
  VtrLayerMap allocations;     /* VkDeviceMemory → VtrLayerAllocation, host-visible ones */
  VtrLayerMap images;          /* VkImage → VtrLayerBinding, wherever they are bound */
  VtrLayerMap buffers;         /* VkBuffer → VtrLayerBinding, of those bound to host-visible memory, or shared */
  VtrLayerAllocation *mapped;  /* list of those that are mapped, by .next_mapped */
  VtrLayerAllocation *tracked; /* list of those with a tracker, by .next_tracked */
  _Atomic uint64_t n_bytes;    /* of .allocations */
  _Atomic uint64_t n_mapped;   /* of these, mapped bytes */
  uint64_t device;             /* VkDevice */
  VkPhysicalDeviceMemoryProperties properties;
  VtrLayerTrackerChoice choices[VK_MAX_MEMORY_TYPES];
  atomic_bool shares; /* some mapped memory may be written by the device, too */
  bool tracking;      /* between vtr_layer_memory_begin() and _end() */
} VtrLayerMemory;

/* @tracking: begins at once, with nothing known. */
void vtr_layer_memory_init (VtrLayerMemory                         *self,
                            VkDevice                                device,
                            const VkPhysicalDeviceMemoryProperties *properties,
                            bool                                    tracking);
void vtr_layer_memory_finish (VtrLayerMemory *self);

/* Finds out how each type of memory can be tracked, with memory of it. */
void vtr_layer_memory_probe (VtrLayerMemory          *self,
                             const VtrDeviceDispatch *next);

/* Says in words how memory of @type is tracked. Returns: false when the program cannot map such memory. */
bool vtr_layer_memory_describe (const VtrLayerMemory *self,
                                uint32_t              type,
                                char                 *text,
                                size_t                size);

/* Bytes of memory that the program can map, and of mapped memory. */
uint64_t vtr_layer_memory_measure (VtrLayerMemory *self,
                                   uint64_t       *mapped);

/* Does a part of the work of vtr_layer_memory_begin(), for up to *@left bytes, which it subtracts.
 * Bytes that the program writes until the beginning are recorded once more. @last: does the rest,
 * and records bytes written meanwhile once more. Does nothing while the memory is watched
 * already. */
void vtr_layer_memory_prepare (VtrLayerMemory *self,
                               bool            last,
                               uint64_t       *left);

/* Begins to watch: the mapped memory has just been recorded as a whole, and only later changes will
 * be recorded. The caller has stopped all other threads of the program. Does nothing when it has
 * begun before; a device that is made during a recording begins by itself. */
void vtr_layer_memory_begin (VtrLayerMemory *self);

/* Ends it, except for resources that take long to free, which are left to
 * vtr_layer_memory_tidy(). */
void vtr_layer_memory_end (VtrLayerMemory *self);

/* Frees up to *@left bytes of that, and subtracts them from *@left. Returns: whether there are more. */
bool vtr_layer_memory_tidy (VtrLayerMemory *self,
                            uint64_t       *left);

/* The driver has made @memory. */
void vtr_layer_memory_allocated (VtrLayerMemory             *self,
                                 VkDeviceMemory              memory,
                                 const VkMemoryAllocateInfo *info);
/* The driver is about to free @memory. */
void vtr_layer_memory_free (VtrLayerMemory *self,
                            VkDeviceMemory  memory);
/* The driver has mapped @memory at @address. */
void vtr_layer_memory_mapped (VtrLayerMemory *self,
                              VkDeviceMemory  memory,
                              VkDeviceSize    offset,
                              VkDeviceSize    size,
                              void           *address);
/* The driver is about to unmap @memory: records its changes. */
void vtr_layer_memory_unmap (VtrLayerMemory *self,
                             VkDeviceMemory  memory);
/* The driver is about to see the writes in @ranges. */
void vtr_layer_memory_flush (VtrLayerMemory            *self,
                             uint32_t                   n_ranges,
                             const VkMappedMemoryRange *ranges);

/* The call @id with @result may have told the program that the device has finished its writes:
 * records these if they would not be found later, because comparing cannot separate them from later
 * writes of the program. */
void vtr_layer_memory_waited (VtrLayerMemory *self,
                              VtrCmdId        id,
                              VkResult        result);

/* Begins the critical section of a signaller: records the writes to all coherent memory. */
void vtr_layer_memory_lock (VtrLayerMemory *self);

/* Like vtr_layer_memory_lock (), for a call that writes to it: its writes are recorded after the call. */
void vtr_layer_memory_hold (VtrLayerMemory *self);
void vtr_layer_memory_unlock (VtrLayerMemory *self);

/* ---- What lies in memory (vtr-layer-memory-bindings.c) ----
 *
 * Nobody but the device writes to images with optimal tiling: where nothing else lies, what changes there
 * is no write of the program, not even if a software driver does it. Where both write, a byte that is
 * as it was recorded last may have been another meanwhile, and be written back: of such pages
 * everything is recorded that was written to. */

void vtr_layer_memory_image_created (VtrLayerMemory          *self,
                                     VkImage                  image,
                                     const VkImageCreateInfo *info);
void vtr_layer_memory_buffer_created (VtrLayerMemory           *self,
                                      VkBuffer                  buffer,
                                      const VkBufferCreateInfo *info);
void vtr_layer_memory_image_bound (VtrLayerMemory          *self,
                                   const VtrDeviceDispatch *next,
                                   VkImage                  image,
                                   VkDeviceMemory           memory,
                                   VkDeviceSize             offset);
void vtr_layer_memory_buffer_bound (VtrLayerMemory          *self,
                                    const VtrDeviceDispatch *next,
                                    VkBuffer                 buffer,
                                    VkDeviceMemory           memory,
                                    VkDeviceSize             offset);
/* The address of @buffer can be asked for again, as of one that structures lie in. */
void vtr_layer_memory_buffer_replayable (VtrLayerMemory *self,
                                         VkBuffer        buffer);
/* Whether it was said of @buffer. *@bound: it has memory (unless that is sparse). */
bool vtr_layer_memory_is_replayable (VtrLayerMemory *self,
                                     VkBuffer        buffer,
                                     bool           *bound);

/* Pages of memory are about to be bound to resources: no place in it is an image's alone any more, and
 * the device may write to all of it. */
void vtr_layer_memory_sparse_bound (VtrLayerMemory         *self,
                                    uint32_t                n,
                                    const VkBindSparseInfo *infos);

/* The driver is about to destroy it. */
void vtr_layer_memory_image_gone (VtrLayerMemory *self,
                                  VkImage         image);
void vtr_layer_memory_buffer_gone (VtrLayerMemory *self,
                                   VkBuffer        buffer);
