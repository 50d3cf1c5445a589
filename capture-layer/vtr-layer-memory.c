#include "vtr-layer-memory.h"

#include "vtr-layer-recorder.h"

#include <stdlib.h>

#define RECORD_MAX \
  (1024u * 1024u) /* bytes of content in one record, so that the host can keep up */

struct VtrLayerAllocation
{
  VtrLayerAllocation *next_mapped;
  VkDeviceMemory handle;
  uint64_t size;
  bool coherent;
  bool imported;    /* the program's own memory: mapped as long as it lives */
  uint64_t offset;  /* mapped part */
  uint64_t mapped;  /* bytes */
  uint8_t *address; /* NULL: not mapped */
  void *state;      /* of the tracker; NULL until first mapped while tracking */
};

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
  self->tracker = &vtr_layer_tracker_compare;
  self->tracking = tracking;
}

static void
destroy_allocation (VtrLayerMemory     *self,
                    VtrLayerAllocation *allocation)
{
  if (allocation->state != NULL)
    self->tracker->destroy (allocation->state);
  free (allocation);
}

static bool
destroy_each (uint64_t  key,
              void     *value,
              void     *data)
{
  destroy_allocation (data, value);
  return true;
}

void
vtr_layer_memory_finish (VtrLayerMemory *self)
{
  vtr_layer_map_sweep (&self->allocations, destroy_each, self);
  vtr_layer_map_finish (&self->allocations);
  pthread_mutex_destroy (&self->lock);
}

/* ---- Recording what was found ---- */

typedef struct
{
  const VtrLayerMemory *memory;
  const VtrLayerAllocation *allocation;
  VtrLayerThread *thread;
  size_t start; /* of the message in the scratch, when .open */
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
  vtr_layer_thread_append (self->thread, VTR_RECORD_MEMORY, 0, self->start);
  self->open = false;
}

static const uint8_t *
take_dirty (void          *data,
            uint64_t       offset,
            const uint8_t *bytes,
            size_t         size)
{
  Collector *self = data;
  VtrBuffer *to = &self->thread->scratch;

  if (self->open && to->size - self->start + size > RECORD_MAX)
    close_record (self);
  if (!self->open)
    {
      self->start = to->size;
      self->open = true;
      vtr_buffer_append_u8 (to, VTR_COMMAND_THREAD << 3 | 5);
      vtr_buffer_append_u32 (to, self->thread->id);
    }
  vtr_api_encode_observation_at (to, VTR_COMMAND_READS, (uint64_t)(uintptr_t)bytes, bytes, size);
  return to->failed ? NULL : to->data + to->size - size;
}

static void
collect (VtrLayerMemory           *self,
         const VtrLayerAllocation *allocation,
         uint64_t                  offset,
         uint64_t                  size)
{
  Collector collector = { self, allocation, NULL, 0, false };

  if (allocation->state == NULL || allocation->address == NULL || !vtr_layer_is_recording ())
    return;
  collector.thread = vtr_layer_thread_get ();
  if (collector.thread == NULL)
    return;
  self->tracker->collect (allocation->state, offset, size, RECORD_MAX - VTR_LAYER_PAGE, take_dirty,
                          &collector);
  close_record (&collector);
}

void
vtr_layer_memory_lock (VtrLayerMemory *self)
{
  pthread_mutex_lock (&self->lock);
  for (const VtrLayerAllocation *each = self->mapped; each != NULL; each = each->next_mapped)
    if (each->coherent)
      collect (self, each, 0, each->size);
}

void
vtr_layer_memory_unlock (VtrLayerMemory *self)
{
  pthread_mutex_unlock (&self->lock);
}

/* ---- Following the application ---- */

/* Begins to follow a mapped allocation. */
static void
track (VtrLayerMemory     *self,
       VtrLayerAllocation *allocation)
{
  if (allocation->state == NULL)
    allocation->state = self->tracker->create (allocation->size);
  if (allocation->state != NULL)
    self->tracker->map (allocation->state, allocation->offset, allocation->address,
                        allocation->mapped);
}

void
vtr_layer_memory_begin (VtrLayerMemory *self)
{
  pthread_mutex_lock (&self->lock);
  if (!self->tracking)
    {
      self->tracking = true;
      for (VtrLayerAllocation *each = self->mapped; each != NULL; each = each->next_mapped)
        {
          track (self, each);
          if (each->state != NULL)
            self->tracker->adopt (each->state);
        }
    }
  pthread_mutex_unlock (&self->lock);
}

static bool
forget (uint64_t  key,
        void     *value,
        void     *data)
{
  const VtrLayerMemory *self = data;
  VtrLayerAllocation *allocation = value;

  if (allocation->state != NULL)
    self->tracker->destroy (allocation->state);
  allocation->state = NULL;
  return false;
}

void
vtr_layer_memory_end (VtrLayerMemory *self)
{
  pthread_mutex_lock (&self->lock);
  self->tracking = false;
  vtr_layer_map_sweep (&self->allocations, forget, self);
  pthread_mutex_unlock (&self->lock);
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
  if (self->tracking)
    track (self, allocation);
  allocation->next_mapped = self->mapped;
  self->mapped = allocation;
}

static void
unmap_locked (VtrLayerMemory     *self,
              VtrLayerAllocation *allocation)
{
  VtrLayerAllocation **link = &self->mapped;

  if (allocation->address == NULL)
    return;
  while (*link != NULL && *link != allocation)
    link = &(*link)->next_mapped;
  if (*link != NULL)
    *link = allocation->next_mapped;
  if (allocation->state != NULL)
    self->tracker->unmap (allocation->state);
  allocation->address = NULL;
}

void
vtr_layer_memory_allocated (VtrLayerMemory             *self,
                            VkDeviceMemory              memory,
                            const VkMemoryAllocateInfo *info)
{
  const VkImportMemoryHostPointerInfoEXT *import;
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
  allocation->coherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  if (!vtr_layer_map_set (&self->allocations, (uint64_t)(uintptr_t)memory, allocation))
    {
      free (allocation);
      return;
    }

  import = vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
  if (import != NULL && import->pHostPointer != NULL)
    {
      pthread_mutex_lock (&self->lock);
      allocation->imported = true;
      map_locked (self, allocation, 0, allocation->size, import->pHostPointer);
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
  pthread_mutex_unlock (&self->lock);
  destroy_allocation (self, allocation);
}

void
vtr_layer_memory_mapped (VtrLayerMemory *self,
                         VkDeviceMemory  memory,
                         VkDeviceSize    offset,
                         VkDeviceSize    size,
                         void           *address)
{
  VtrLayerAllocation *allocation = find (self, memory);

  if (allocation == NULL || allocation->imported || address == NULL)
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

  if (allocation == NULL || allocation->imported)
    return;
  pthread_mutex_lock (&self->lock);
  collect (self, allocation, 0, allocation->size);
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
      const VtrLayerAllocation *allocation = find (self, ranges[i].memory);

      if (allocation != NULL)
        collect (self, allocation, ranges[i].offset, ranges[i].size);
    }
  pthread_mutex_unlock (&self->lock);
}
