/* Tracks which images and buffers are bound where in device memory, to know the pages that hold
 * only opaque images and need no search for CPU writes. */
#include "vtr-layer-memory-private.h"

#include "vulkan/vtr-vulkan-facts.h"

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

/* ---- Where only images are ---- */

/* Fills the empty @to with the ranges that are, or are not, @opaque. Returns: false if memory
 * has run out. */
static bool
gather (const VtrLayerAllocation *self,
        bool                      opaque,
        VtrRangeSet              *to)
{
  bool ok = true;

  for (const VtrLayerBinding *each = self->bindings; ok && each != NULL; each = each->next)
    if (each->opaque == opaque)
      ok = vtr_range_set_append (to, each->start, each->end);
  vtr_range_set_join (to);
  return ok;
}

/* Where only images lie. Empty without memory. */
static VtrRangeSet
find_opaque (const VtrLayerAllocation *self)
{
  VtrRangeSet opaque = { 0 }, others = { 0 };

  if (!gather (self, true, &opaque) ||
      (opaque.n > 0 &&
       (!gather (self, false, &others) || !vtr_range_set_subtract (&opaque, &others))))
    vtr_range_set_finish (&opaque);
  vtr_range_set_finish (&others);
  return opaque;
}

static uint64_t
page_up (uint64_t at)
{
  return (at + VTR_LAYER_PAGE - 1) / VTR_LAYER_PAGE;
}

/* Sets the bits of pages [@first, @end). */
static void
set_bits (uint64_t *pages,
          uint64_t  first,
          uint64_t  end)
{
  for (uint64_t page = first; page < end; page++)
    pages[page / 64] |= UINT64_C (1) << (page % 64);
}

/* *@pages, all clear, made when there are none; NULL without memory. */
static uint64_t *
clear_bits (const VtrLayerAllocation  *self,
            uint64_t                 **pages)
{
  size_t size = (self->size / VTR_LAYER_PAGE / 64 + 1) * sizeof **pages;

  if (*pages == NULL)
    *pages = malloc (size);
  if (*pages != NULL)
    memset (*pages, 0, size);
  return *pages;
}

static void
update_opaque (VtrLayerAllocation *self)
{
  VtrRangeSet opaque = find_opaque (self);

  if (opaque.n > 0 && !self->sparse && clear_bits (self, &self->opaque_pages) != NULL)
    {
      for (size_t i = 0; i < opaque.n; i++)
        set_bits (self->opaque_pages, page_up (opaque.ranges[i].begin),
                  opaque.ranges[i].end / VTR_LAYER_PAGE);
      vtr_layer_tracker_leave_out (self->tracker, self->opaque_pages, &opaque);
    }
  else
    vtr_layer_tracker_leave_out (self->tracker, NULL, NULL);
  vtr_range_set_finish (&self->opaque);
  self->opaque = opaque;
}

static void
update_shared (VtrLayerAllocation *self)
{
  bool shared = self->sparse;

  for (const VtrLayerBinding *each = self->bindings; each != NULL; each = each->next)
    shared = shared || each->shared;
  if (shared && clear_bits (self, &self->shared_pages) != NULL)
    {
      for (const VtrLayerBinding *each = self->bindings; each != NULL; each = each->next)
        if (each->shared)
          set_bits (self->shared_pages, each->start / VTR_LAYER_PAGE, page_up (each->end));
      if (self->sparse)
        set_bits (self->shared_pages, 0, page_up (self->size));
      vtr_layer_tracker_share (self->tracker, self->shared_pages);
    }
  else
    vtr_layer_tracker_share (self->tracker, NULL);
}

void
vtr_layer_allocation_update_bindings (VtrLayerAllocation *self)
{
  if (!self->stale || self->tracker == NULL)
    return;
  self->stale = false;
  update_opaque (self);
  update_shared (self);
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

/* Returns: the entry of @key, which is made if there is none; NULL if memory has run out. */
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

void
vtr_layer_memory_buffer_created (VtrLayerMemory           *self,
                                 VkBuffer                  buffer,
                                 const VkBufferCreateInfo *info)
{
  const VkBufferUsageFlags only_read =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
    VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
    VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
    VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT |
    VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR |
    VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR;
  VtrLayerBinding *binding;

  if ((vtr_buffer_get_usage (info) & ~(uint64_t)only_read) == 0)
    return;
  binding = get_binding (&self->buffers, key_of_buffer (buffer));
  if (binding == NULL)
    return;
  binding->shared = true;
  atomic_store_explicit (&self->shares, true, memory_order_relaxed);
}

void
vtr_layer_memory_buffer_replayable (VtrLayerMemory *self,
                                    VkBuffer        buffer)
{
  VtrLayerBinding *binding = get_binding (&self->buffers, key_of_buffer (buffer));

  if (binding != NULL)
    binding->replayable = true;
}

bool
vtr_layer_memory_is_replayable (VtrLayerMemory *self,
                                VkBuffer        buffer,
                                bool           *bound)
{
  const VtrLayerBinding *binding = vtr_layer_map_get (&self->buffers, key_of_buffer (buffer));

  *bound = binding != NULL && binding->bound;
  return binding != NULL && binding->replayable;
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
  VtrLayerBinding *binding = vtr_layer_map_get (&self->buffers, key_of_buffer (buffer));
  VkMemoryRequirements wants;

  if (binding != NULL)
    binding->bound = true;
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
note_pages (VtrLayerMemory *self,
            VkDeviceMemory  memory)
{
  VtrLayerAllocation *allocation = find (self, memory);

  if (allocation == NULL)
    return;
  atomic_store_explicit (&self->shares, true, memory_order_relaxed);
  pthread_mutex_lock (&self->lock);
  allocation->stale = allocation->stale || !allocation->sparse;
  allocation->sparse = true;
  pthread_mutex_unlock (&self->lock);
}

void
vtr_layer_memory_sparse_bound (VtrLayerMemory         *self,
                               uint32_t                n,
                               const VkBindSparseInfo *infos)
{
  for (uint32_t i = 0; i < n; i++)
    {
      const VkBindSparseInfo *info = &infos[i];

      for (uint32_t j = 0; j < info->bufferBindCount; j++)
        for (uint32_t k = 0; k < info->pBufferBinds[j].bindCount; k++)
          note_pages (self, info->pBufferBinds[j].pBinds[k].memory);
      for (uint32_t j = 0; j < info->imageOpaqueBindCount; j++)
        for (uint32_t k = 0; k < info->pImageOpaqueBinds[j].bindCount; k++)
          note_pages (self, info->pImageOpaqueBinds[j].pBinds[k].memory);
      for (uint32_t j = 0; j < info->imageBindCount; j++)
        for (uint32_t k = 0; k < info->pImageBinds[j].bindCount; k++)
          note_pages (self, info->pImageBinds[j].pBinds[k].memory);
    }
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
