/* Records what the CPU wrote to mapped memory before the submission that lets the GPU see it,
 * and follows mapping, unmapping and flushing. */
#include "vtr-layer-memory-private.h"

#include "base/vtr-log.h"
#include "vtr-layer-split-record.h"
#include "vtr-layer-mappings.h"
#include "vtr-layer-calls.h"

#include <stdlib.h>
#include <string.h>

#define APART_MIN 1024u /* bytes that are worth a part of their own of a record */
#define PARTS 128u      /* of a record, before they take memory */
#define MANY_MAPPED 16u /* allocations */
#define RECORD_MAX \
  (1024u * 1024u) /* bytes of content in one record, so that the host can keep up */

void
vtr_layer_memory_init (VtrLayerMemory                         *self,
                       VkDevice                                device,
                       const VkPhysicalDeviceMemoryProperties *properties,
                       bool                                    tracking)
{
  memset (self, 0, sizeof *self);
  pthread_mutex_init (&self->lock, NULL);
  vtr_layer_map_init (&self->allocations);
  self->device = (uint64_t)(uintptr_t)device;
  self->properties = *properties;
  vtr_layer_map_init (&self->images);
  vtr_layer_map_init (&self->buffers);
  for (uint32_t i = 0; i < VK_MAX_MEMORY_TYPES; i++)
    self->choices[i].reason = "it was not tried";
  self->tracking = tracking;
}

static void
drop_tracker (VtrLayerAllocation *self)
{
  if (self->tracker == NULL)
    return;
  *self->tracked_link = self->next_tracked;
  if (self->next_tracked != NULL)
    self->next_tracked->tracked_link = self->tracked_link;
  vtr_layer_tracker_free (self->tracker);
  self->tracker = NULL;
  self->retired = false;
}

static void
destroy_allocation (VtrLayerAllocation *self)
{
  vtr_layer_allocation_drop_bindings (self);
  drop_tracker (self);
  vtr_range_set_finish (&self->opaque);
  free (self->opaque_pages);
  free (self->shared_pages);
  free (self);
}

static bool
destroy_each (uint64_t  key,
              void     *value,
              void     *data)
{
  (void)key;
  (void)data;
  destroy_allocation (value);
  return true;
}

static bool
free_each (uint64_t  key,
           void     *value,
           void     *data)
{
  (void)key;
  (void)data;
  free (value);
  return true;
}

void
vtr_layer_memory_finish (VtrLayerMemory *self)
{
  vtr_layer_map_sweep (&self->allocations, destroy_each, NULL);
  vtr_layer_map_finish (&self->allocations);
  vtr_layer_map_sweep (&self->images, free_each, NULL);
  vtr_layer_map_finish (&self->images);
  vtr_layer_map_sweep (&self->buffers, free_each, NULL);
  vtr_layer_map_finish (&self->buffers);
  pthread_mutex_destroy (&self->lock);
}

/* ---- Recording what was found ---- */

typedef struct
{
  const VtrLayerMemory *memory;
  const VtrLayerAllocation *allocation;
  VtrLayerThread *thread;
  VtrLayerSplitRecord parts; /* the message, when .open */
  bool open;
} Collector;

static void
put_fixed64 (VtrBuffer *to,
             unsigned   field,
             uint64_t   value)
{
  vtr_buffer_append_u8 (to, (uint8_t)(field << 3 | 1));
  vtr_buffer_append_u64 (to, value);
}

static void
close_record (Collector *self)
{
  VtrBuffer *to = &self->thread->scratch;

  if (!self->open)
    return;
  put_fixed64 (to, 8, self->memory->device);
  put_fixed64 (to, 9, (uint64_t)(uintptr_t)self->allocation->handle);
  put_fixed64 (to, 10, self->allocation->offset);
  put_fixed64 (to, 11, (uint64_t)(uintptr_t)self->allocation->address);
  vtr_layer_split_record_commit (&self->parts, self->thread, VTR_RECORD_MEMORY);
  self->open = false;
}

static const uint8_t *
take_dirty (void          *data,
            uint64_t       offset,
            const uint8_t *bytes,
            const uint8_t *held,
            size_t         size)
{
  Collector *self = data;
  VtrBuffer *to = &self->thread->scratch;

  if (self->open && vtr_layer_split_record_measure (&self->parts, self->thread) + size > RECORD_MAX)
    close_record (self);
  if (!self->open)
    {
      vtr_layer_split_record_begin (&self->parts, self->thread);
      self->open = true;
      vtr_buffer_append_u8 (to, VTR_COMMAND_THREAD << 3 | 5);
      vtr_buffer_append_u32 (to, self->thread->id);
    }
  if (held != NULL && size >= APART_MIN)
    {
      vtr_layer_split_record_observe (&self->parts, self->thread, (uint64_t)(uintptr_t)bytes,
                                      held, size);
      return to->failed ? NULL : held;
    }
  vtr_api_encode_observation_at (to, VTR_COMMAND_READS, (uint64_t)(uintptr_t)bytes,
                                 held != NULL ? held : bytes, size);
  return to->failed ? NULL : to->data + to->size - size;
}

/* @last: it is about to be unmapped. */
static void
collect (VtrLayerMemory     *self,
         VtrLayerAllocation *allocation,
         uint64_t            offset,
         uint64_t            size,
         bool                last)
{
  VtrRingPart parts[PARTS];
  Collector collector = {
    .memory = self,
    .allocation = allocation,
    .parts.parts = VTR_BUFFER_IN (parts),
  };
  const VtrLayerSink sink = { take_dirty, &collector, RECORD_MAX - VTR_LAYER_PAGE };

  if (allocation->tracker == NULL || allocation->address == NULL || !vtr_layer_is_recording ())
    return;
  collector.thread = vtr_layer_thread_get ();
  if (collector.thread == NULL)
    return;
  vtr_layer_allocation_update_bindings (allocation);
  vtr_layer_tracker_collect (allocation->tracker, offset, size, last, &sink);
  close_record (&collector);
  vtr_layer_split_record_finish (&collector.parts);
}

void
vtr_layer_memory_lock (VtrLayerMemory *self)
{
  pthread_mutex_lock (&self->lock);
  /* Some programs have thousands mapped. */
  if (!vtr_layer_is_recording ())
    return;
  for (VtrLayerAllocation *each = self->mapped; each != NULL; each = each->next_mapped)
    if (each->coherent)
      collect (self, each, 0, each->size, false);
}

void
vtr_layer_memory_hold (VtrLayerMemory *self)
{
  pthread_mutex_lock (&self->lock);
}

void
vtr_layer_memory_unlock (VtrLayerMemory *self)
{
  pthread_mutex_unlock (&self->lock);
}

static void
collect_shared (VtrLayerMemory     *self,
                VtrLayerAllocation *allocation)
{
  VtrRingPart parts[PARTS];
  Collector collector = {
    .memory = self,
    .allocation = allocation,
    .parts.parts = VTR_BUFFER_IN (parts),
  };
  const VtrLayerSink sink = { take_dirty, &collector, RECORD_MAX - VTR_LAYER_PAGE };

  if (allocation->tracker == NULL || allocation->address == NULL)
    return;
  collector.thread = vtr_layer_thread_get ();
  if (collector.thread == NULL)
    return;
  vtr_layer_allocation_update_bindings (allocation);
  vtr_layer_tracker_collect_shared (allocation->tracker, &sink);
  close_record (&collector);
  vtr_layer_split_record_finish (&collector.parts);
}

void
vtr_layer_memory_waited (VtrLayerMemory *self,
                         VtrCmdId        id,
                         VkResult        result)
{
  VtrLayerThread *thread;

  /* Programs ask again and again. */
  if (result < 0 || result == VK_NOT_READY || result == VK_TIMEOUT || result == VK_EVENT_RESET)
    return;
  if (!atomic_load_explicit (&self->shares, memory_order_relaxed) || !vtr_layer_is_recording ())
    return;
  thread = vtr_layer_thread_enter (id);
  pthread_mutex_lock (&self->lock);
  for (VtrLayerAllocation *each = self->mapped; each != NULL; each = each->next_mapped)
    if (each->coherent && vtr_layer_is_recording ())
      collect_shared (self, each);
  pthread_mutex_unlock (&self->lock);
  vtr_layer_thread_leave (thread);
}

/* ---- Following the application ---- */

static void
make_tracker (VtrLayerMemory     *self,
              VtrLayerAllocation *allocation)
{
  allocation->tracker = vtr_layer_tracker_new (allocation->size, allocation->owner,
                                               &self->choices[allocation->type]);
  allocation->stale = true;
  if (allocation->tracker == NULL)
    return;
  allocation->next_tracked = self->tracked;
  allocation->tracked_link = &self->tracked;
  if (self->tracked != NULL)
    self->tracked->tracked_link = &allocation->next_tracked;
  self->tracked = allocation;
}

/* Begins to track a mapped allocation. */
static void
track (VtrLayerMemory     *self,
       VtrLayerAllocation *allocation)
{
  if (allocation->retired)
    drop_tracker (allocation);
  if (allocation->tracker == NULL)
    make_tracker (self, allocation);
  if (allocation->tracker != NULL)
    vtr_layer_tracker_map (allocation->tracker, allocation->offset, allocation->address,
                           allocation->mapped);
}

uint64_t
vtr_layer_memory_measure (VtrLayerMemory *self,
                          uint64_t       *mapped)
{
  *mapped = atomic_load_explicit (&self->n_mapped, memory_order_relaxed);
  return atomic_load_explicit (&self->n_bytes, memory_order_relaxed);
}

/* Where much is mapped, all of the process's mappings are read once. */
static void
hold_places (const VtrLayerMemory *self)
{
  size_t n = 0;

  for (const VtrLayerAllocation *each = self->mapped; n < MANY_MAPPED && each != NULL;
       each = each->next_mapped)
    n++;
  if (n == MANY_MAPPED)
    vtr_layer_mappings_hold ();
}

void
vtr_layer_memory_prepare (VtrLayerMemory *self,
                          bool            last,
                          uint64_t       *left)
{
  uint64_t all = UINT64_MAX;

  if (last)
    left = &all;
  pthread_mutex_lock (&self->lock);
  hold_places (self);
  for (VtrLayerAllocation *each = self->mapped;
       !self->tracking && *left > 0 && each != NULL; each = each->next_mapped)
    {
      track (self, each);
      if (each->tracker != NULL && vtr_layer_tracker_prepare (each->tracker, last, left))
        break;
    }
  vtr_layer_mappings_release ();
  pthread_mutex_unlock (&self->lock);
}

void
vtr_layer_memory_begin (VtrLayerMemory *self)
{
  pthread_mutex_lock (&self->lock);
  if (!self->tracking)
    {
      self->tracking = true;
      hold_places (self);
      for (VtrLayerAllocation *each = self->mapped; each != NULL; each = each->next_mapped)
        {
          track (self, each);
          if (each->tracker != NULL)
            vtr_layer_tracker_adopt (each->tracker);
        }
      vtr_layer_mappings_release ();
    }
  pthread_mutex_unlock (&self->lock);
}

static void
stop_tracking (VtrLayerAllocation *allocation,
               uint64_t           *left)
{
  allocation->retired = true;
  if (!vtr_layer_tracker_retire (allocation->tracker, left) && *left > 0)
    drop_tracker (allocation);
}

void
vtr_layer_memory_end (VtrLayerMemory *self)
{
  uint64_t left = 0;

  pthread_mutex_lock (&self->lock);
  self->tracking = false;
  for (VtrLayerAllocation *each = self->tracked, *next; each != NULL; each = next)
    {
      next = each->next_tracked;
      stop_tracking (each, &left);
    }
  pthread_mutex_unlock (&self->lock);
}

bool
vtr_layer_memory_tidy (VtrLayerMemory *self,
                       uint64_t       *left)
{
  pthread_mutex_lock (&self->lock);
  for (VtrLayerAllocation *each = self->tracked, *next; each != NULL; each = next)
    {
      next = each->next_tracked;
      if (each->retired)
        stop_tracking (each, left);
    }
  pthread_mutex_unlock (&self->lock);
  return *left == 0;
}

static VtrLayerAllocation *
find (VtrLayerMemory *self,
      VkDeviceMemory  memory)
{
  return vtr_layer_map_get (&self->allocations, (uint64_t)(uintptr_t)memory);
}

static void
map_locked (VtrLayerMemory     *self,
            VtrLayerAllocation *allocation,
            uint64_t            offset,
            uint64_t            size,
            uint8_t            *address)
{
  if (offset > allocation->size)
    return;
  if (size > allocation->size - offset)
    size = allocation->size - offset;
  allocation->offset = offset;
  allocation->mapped = size;
  allocation->address = address;
  atomic_fetch_add_explicit (&self->n_mapped, size, memory_order_relaxed);
  if (self->tracking)
    track (self, allocation);
  allocation->next_mapped = self->mapped;
  allocation->mapped_link = &self->mapped;
  if (self->mapped != NULL)
    self->mapped->mapped_link = &allocation->next_mapped;
  self->mapped = allocation;
}

static void
unmap_locked (VtrLayerMemory     *self,
              VtrLayerAllocation *allocation)
{
  if (allocation->address == NULL)
    return;
  *allocation->mapped_link = allocation->next_mapped;
  if (allocation->next_mapped != NULL)
    allocation->next_mapped->mapped_link = allocation->mapped_link;
  if (allocation->tracker != NULL)
    vtr_layer_tracker_unmap (allocation->tracker);
  allocation->address = NULL;
  atomic_fetch_sub_explicit (&self->n_mapped, allocation->mapped, memory_order_relaxed);
}

static void
warn_of_import (const char *structure)
{
  static atomic_bool said;

  if (vtr_layer_is_encoding () && !atomic_exchange (&said, true))
    vtr_layer_transport_notice (
      VTR_LOG_WARNING,
      "The program imports memory of other programs or interfaces (%s). What they write there is "
      "recorded only where the program maps it, and the trace cannot be replayed.",
      structure);
}

/* The owner of the memory that a chain of vkAllocateMemory names. *@address: where the program has
 * it. */
static VtrLayerOwner
find_owner (const void  *next,
            void       **address)
{
  VtrLayerOwner owner = VTR_LAYER_OWNER_DRIVER;

  for (const VkBaseInStructure *each = next; each != NULL; each = each->pNext)
    {
      VtrStructId id = vtr_struct_from_stype (each->sType);
      const char *name = id == VTR_STRUCT_NONE ? "" : vtr_api_string (vtr_struct_get (id)->name);

      if (each->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT)
        {
          *address = ((const VkImportMemoryHostPointerInfoEXT *)(const void *)each)->pHostPointer;
          owner = VTR_LAYER_OWNER_PROGRAM;
        }
      else if (strncmp (name, "VkImport", 8) == 0)
        {
          warn_of_import (name);
          return VTR_LAYER_OWNER_OTHERS;
        }
      else if (strncmp (name, "VkExport", 8) == 0)
        owner = VTR_LAYER_OWNER_OTHERS;
    }
  return owner;
}

void
vtr_layer_memory_allocated (VtrLayerMemory             *self,
                            VkDeviceMemory              memory,
                            const VkMemoryAllocateInfo *info)
{
  void *address = NULL;
  VtrLayerOwner owner = find_owner (info->pNext, &address);
  VkMemoryPropertyFlags flags = 0;
  VtrLayerAllocation *allocation;

  if (info->memoryTypeIndex < self->properties.memoryTypeCount)
    flags = self->properties.memoryTypes[info->memoryTypeIndex].propertyFlags;
  if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0)
    return;
  allocation = calloc (1, sizeof *allocation);
  if (allocation == NULL)
    return;
  allocation->handle = memory;
  allocation->size = info->allocationSize;
  allocation->type = info->memoryTypeIndex;
  allocation->coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  allocation->owner = owner;
  if (!vtr_layer_map_set (&self->allocations, (uint64_t)(uintptr_t)memory, allocation))
    {
      free (allocation);
      return;
    }
  atomic_fetch_add_explicit (&self->n_bytes, allocation->size, memory_order_relaxed);
  if (owner == VTR_LAYER_OWNER_PROGRAM && address != NULL)
    {
      pthread_mutex_lock (&self->lock);
      map_locked (self, allocation, 0, allocation->size, address);
      pthread_mutex_unlock (&self->lock);
    }
}

void
vtr_layer_memory_free (VtrLayerMemory *self,
                       VkDeviceMemory  memory)
{
  VtrLayerAllocation *allocation = vtr_layer_map_take (&self->allocations,
                                                       (uint64_t)(uintptr_t)memory);

  if (allocation == NULL)
    return;
  pthread_mutex_lock (&self->lock);
  unmap_locked (self, allocation);
  atomic_fetch_sub_explicit (&self->n_bytes, allocation->size, memory_order_relaxed);
  destroy_allocation (allocation);
  pthread_mutex_unlock (&self->lock);
}

void
vtr_layer_memory_mapped (VtrLayerMemory *self,
                         VkDeviceMemory  memory,
                         VkDeviceSize    offset,
                         VkDeviceSize    size,
                         void           *address)
{
  VtrLayerAllocation *allocation = find (self, memory);

  if (allocation == NULL || vtr_layer_allocation_is_own (allocation) || address == NULL)
    return;
  pthread_mutex_lock (&self->lock);
  unmap_locked (self, allocation);
  map_locked (self, allocation, offset, size, address);
  pthread_mutex_unlock (&self->lock);
}

void
vtr_layer_memory_unmap (VtrLayerMemory *self,
                        VkDeviceMemory  memory)
{
  VtrLayerAllocation *allocation = find (self, memory);

  if (allocation == NULL || vtr_layer_allocation_is_own (allocation))
    return;
  pthread_mutex_lock (&self->lock);
  collect (self, allocation, 0, allocation->size, true);
  unmap_locked (self, allocation);
  pthread_mutex_unlock (&self->lock);
}

void
vtr_layer_memory_flush (VtrLayerMemory            *self,
                        uint32_t                   n_ranges,
                        const VkMappedMemoryRange *ranges)
{
  pthread_mutex_lock (&self->lock);
  for (uint32_t i = 0; i < n_ranges; i++)
    {
      VtrLayerAllocation *allocation = find (self, ranges[i].memory);

      if (allocation != NULL)
        collect (self, allocation, ranges[i].offset, ranges[i].size, false);
    }
  pthread_mutex_unlock (&self->lock);
}

/* ---- How it is tracked ---- */

/* Types that cannot be mapped, or want to be asked for in a special way. */
static bool
can_try (const VtrLayerMemory *self,
         uint32_t              type)
{
  VkMemoryPropertyFlags flags = self->properties.memoryTypes[type].propertyFlags;

  return (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0 &&
         (flags &
          (VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD)) == 0;
}

static void
try_type (VtrLayerMemory          *self,
          const VtrDeviceDispatch *next,
          uint32_t                 type)
{
  const VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .allocationSize = VTR_LAYER_TRACKER_SCRATCH,
    .memoryTypeIndex = type,
  };
  VkDevice device = (VkDevice)(uintptr_t)self->device;
  VkDeviceMemory memory;
  void *address;

  if (next->AllocateMemory (device, &info, NULL, &memory) != VK_SUCCESS)
    return;
  if (next->MapMemory (device, memory, 0, VK_WHOLE_SIZE, 0, &address) == VK_SUCCESS)
    {
      vtr_layer_tracker_choose (&self->choices[type], address, VTR_LAYER_TRACKER_SCRATCH);
      next->UnmapMemory (device, memory);
    }
  next->FreeMemory (device, memory, NULL);
}

void
vtr_layer_memory_probe (VtrLayerMemory          *self,
                        const VtrDeviceDispatch *next)
{
  for (uint32_t type = 0; type < self->properties.memoryTypeCount; type++)
    if (can_try (self, type))
      try_type (self, next, type);
}

bool
vtr_layer_memory_describe (const VtrLayerMemory *self,
                           uint32_t              type,
                           char                 *text,
                           size_t                size)
{
  if ((self->properties.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0)
    return false;
  vtr_layer_tracker_describe (&self->choices[type], text, size);
  return true;
}
