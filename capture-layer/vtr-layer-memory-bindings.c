#include "vtr-layer-memory-private.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
key_of_image (VkImage image)
{
  return (uint64_t)(uintptr_t)image;
}

static uint64_t
key_of_buffer (VkBuffer buffer)
{
  return (uint64_t)(uintptr_t)buffer;
}

/* ---- Lists of allocations ---- */

static void
unbind (VtrLayerBinding *self)
{
  if (self->allocation == NULL)
    return;
  self->allocation->stale = true;
  *self->link = self->next;
  if (self->next != NULL)
    self->next->link = self->link;
  self->allocation = NULL;
}

static void
bind (VtrLayerBinding    *self,
      VtrLayerAllocation *allocation,
      uint64_t            offset,
      uint64_t            size)
{
  unbind (self);
  if (offset > allocation->size)
    return;
  self->allocation = allocation;
  self->start = offset;
  self->end = size > allocation->size - offset ? allocation->size : offset + size;
  self->next = allocation->bindings;
  self->link = &allocation->bindings;
  if (self->next != NULL)
    self->next->link = &self->next;
  allocation->bindings = self;
  allocation->stale = true;
}

void
vtr_layer_allocation_drop_bindings (VtrLayerAllocation *self)
{
  while (self->bindings != NULL)
    unbind (self->bindings);
}

/* ---- Pages of images only ---- */

static void
set_bits (uint64_t *bits,
          uint64_t  first,
          uint64_t  end,
          bool      value)
{
  for (uint64_t i = first; i < end; i++)
    if (value)
      bits[i / 64] |= UINT64_C (1) << (i % 64);
    else
      bits[i / 64] &= ~(UINT64_C (1) << (i % 64));
}

void
vtr_layer_allocation_update_bindings (VtrLayerAllocation *self)
{
  uint64_t n_words = self->size / VTR_LAYER_PAGE / 64 + 1;
  bool any = false;

  if (!self->stale || self->tracker == NULL)
    return;
  self->stale = false;
  for (const VtrLayerBinding *each = self->bindings; each != NULL; each = each->next)
    any = any || each->opaque;
  if (any && self->opaque_pages == NULL)
    self->opaque_pages = malloc (n_words * sizeof *self->opaque_pages);
  if (!any || self->opaque_pages == NULL)
    {
      vtr_layer_tracker_leave_out (self->tracker, NULL);
      return;
    }

  memset (self->opaque_pages, 0, n_words * sizeof *self->opaque_pages);
  for (const VtrLayerBinding *each = self->bindings; each != NULL; each = each->next)
    if (each->opaque)
      set_bits (self->opaque_pages, (each->start + VTR_LAYER_PAGE - 1) / VTR_LAYER_PAGE,
                each->end / VTR_LAYER_PAGE, true);
  for (const VtrLayerBinding *each = self->bindings; each != NULL; each = each->next)
    if (!each->opaque)
      set_bits (self->opaque_pages, each->start / VTR_LAYER_PAGE,
                (each->end + VTR_LAYER_PAGE - 1) / VTR_LAYER_PAGE, false);
  vtr_layer_tracker_leave_out (self->tracker, self->opaque_pages);
}

/* ---- Following the program ---- */

/* Images that are bound in one piece, by a size that can be asked for, and in no layout that others
 * know. */
static bool
is_opaque (const VkImageCreateInfo *info)
{
  return info->tiling == VK_IMAGE_TILING_OPTIMAL &&
         (info->flags & (VK_IMAGE_CREATE_DISJOINT_BIT | VK_IMAGE_CREATE_SPARSE_BINDING_BIT)) == 0 &&
         vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO) ==
           NULL;
}

/* Returns: what is known of @key, made when it is not there; NULL without memory. */
static VtrLayerBinding *
get_binding (VtrLayerMap *map,
             uint64_t     key)
{
  VtrLayerBinding *binding = vtr_layer_map_get (map, key);

  if (binding != NULL)
    return binding;
  binding = calloc (1, sizeof *binding);
  if (binding != NULL && !vtr_layer_map_set (map, key, binding))
    {
      free (binding);
      binding = NULL;
    }
  return binding;
}

void
vtr_layer_memory_image_created (VtrLayerMemory          *self,
                                VkImage                  image,
                                const VkImageCreateInfo *info)
{
  VtrLayerBinding *binding;

  if (!is_opaque (info))
    return;
  binding = get_binding (&self->images, key_of_image (image));
  if (binding != NULL)
    binding->opaque = true;
}

static VtrLayerAllocation *
find (VtrLayerMemory *self,
      VkDeviceMemory  memory)
{
  return memory == VK_NULL_HANDLE
           ? NULL
           : vtr_layer_map_get (&self->allocations, (uint64_t)(uintptr_t)memory);
}

void
vtr_layer_memory_image_bound (VtrLayerMemory          *self,
                              const VtrDeviceDispatch *next,
                              VkImage                  image,
                              VkDeviceMemory           memory,
                              VkDeviceSize             offset)
{
  VtrLayerAllocation *allocation = find (self, memory);
  VtrLayerBinding *binding;
  VkMemoryRequirements wants;

  if (allocation == NULL)
    return;
  binding = get_binding (&self->images, key_of_image (image));
  if (binding == NULL)
    return;
  /* Others keep nothing away, and their size need not be known: up to the end of the memory. */
  wants.size = UINT64_MAX;
  if (binding->opaque)
    next->GetImageMemoryRequirements ((VkDevice)(uintptr_t)self->device, image, &wants);
  pthread_mutex_lock (&self->lock);
  bind (binding, allocation, offset, wants.size);
  pthread_mutex_unlock (&self->lock);
}

void
vtr_layer_memory_buffer_bound (VtrLayerMemory          *self,
                               const VtrDeviceDispatch *next,
                               VkBuffer                 buffer,
                               VkDeviceMemory           memory,
                               VkDeviceSize             offset)
{
  VtrLayerAllocation *allocation = find (self, memory);
  VtrLayerBinding *binding;
  VkMemoryRequirements wants;

  if (allocation == NULL)
    return;
  binding = get_binding (&self->buffers, key_of_buffer (buffer));
  if (binding == NULL)
    return;
  next->GetBufferMemoryRequirements ((VkDevice)(uintptr_t)self->device, buffer, &wants);
  pthread_mutex_lock (&self->lock);
  bind (binding, allocation, offset, wants.size);
  pthread_mutex_unlock (&self->lock);
}

static void
forget (VtrLayerMemory  *self,
        VtrLayerBinding *binding)
{
  if (binding == NULL)
    return;
  pthread_mutex_lock (&self->lock);
  unbind (binding);
  pthread_mutex_unlock (&self->lock);
  free (binding);
}

void
vtr_layer_memory_image_gone (VtrLayerMemory *self,
                             VkImage         image)
{
  if (image != VK_NULL_HANDLE)
    forget (self, vtr_layer_map_take (&self->images, key_of_image (image)));
}

void
vtr_layer_memory_buffer_gone (VtrLayerMemory *self,
                              VkBuffer        buffer)
{
  if (buffer != VK_NULL_HANDLE)
    forget (self, vtr_layer_map_take (&self->buffers, key_of_buffer (buffer)));
}
