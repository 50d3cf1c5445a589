/* vtr-app-random: creates and destroys memory and buffers at any time. */
#include "vtr-app-random.h"

#include <stdlib.h>
#include <string.h>

bool
vtr_random_is_idle (const VtrRandom *self,
                    uint64_t         last_use)
{
  return last_use <= self->done;
}

/* --- Memory ---------------------------------------------------------------------------------- */

#define HEAP_SIZE (512u << 10)

void
vtr_random_release_heap (VtrRandom     *self,
                         VtrRandomHeap *heap)
{
  if (--heap->n_users > 0)
    return;
  if (heap->mapped != NULL && vtr_random_chance (self, 50))
    vkUnmapMemory (self->gpu.device, heap->memory);
  vkFreeMemory (self->gpu.device, heap->memory, NULL);
  free (heap);
}

static void
map_heap (VtrRandom     *self,
          VtrRandomHeap *heap,
          VkDeviceSize   offset,
          VkDeviceSize   size)
{
  void *mapped;

  vtr_app_check (vkMapMemory (self->gpu.device, heap->memory, offset, size, 0, &mapped),
                 "vkMapMemory");
  heap->mapped = mapped;
  heap->map_offset = offset;
  heap->map_size = size == VK_WHOLE_SIZE ? heap->size - offset : size;
}

/* @dedicated: the buffer or image that is to have it alone; NULL: others may share it. */
static VtrRandomHeap *
make_heap (VtrRandom                           *self,
           VkDeviceSize                         size,
           uint32_t                             type,
           const VkMemoryDedicatedAllocateInfo *dedicated,
           bool                                 alone)
{
  VtrRandomHeap *heap = calloc (1, sizeof *heap);
  const VkMemoryAllocateFlagsInfo flags = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .pNext = dedicated,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  const VkMemoryAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .pNext = &flags,
    .allocationSize = size,
    .memoryTypeIndex = type,
  };

  if (heap == NULL)
    vtr_app_fail ("out of memory");
  heap->size = size;
  heap->dedicated = dedicated != NULL;
  heap->alone = alone;
  vtr_app_check (vkAllocateMemory (self->gpu.device, &info, NULL, &heap->memory),
                 "vkAllocateMemory");
  if (!alone && vtr_random_chance (self, 40))
    map_heap (self, heap, 0, VK_WHOLE_SIZE);
  return heap;
}

VtrRandomHeap *
vtr_random_place (VtrRandom                           *self,
                  const VkMemoryRequirements          *needs,
                  const VkMemoryDedicatedAllocateInfo *dedicated,
                  bool                                 alone,
                  VkDeviceSize                        *offset)
{
  const VkDeviceSize align = needs->alignment > 256 ? needs->alignment : 256;
  VtrRandomHeap *heap = self->heap;
  uint32_t type = 0;

  while ((needs->memoryTypeBits & (1u << type)) == 0)
    type++;
  alone = alone && !self->shared;
  if (alone || needs->size > HEAP_SIZE / 2 || vtr_random_chance (self, 25))
    {
      *offset = 0;
      heap = make_heap (self, needs->size, type, vtr_random_chance (self, 60) ? dedicated : NULL,
                        alone);
      heap->n_users = 1;
      return heap;
    }
  if (heap != NULL && (heap->used + align - 1) / align * align + needs->size > heap->size)
    {
      vtr_random_release_heap (self, heap);
      heap = NULL;
    }
  if (heap == NULL)
    {
      heap = make_heap (self, HEAP_SIZE, type, NULL, false);
      heap->n_users = 1; /* self->heap */
      self->heap = heap;
    }
  *offset = (heap->used + align - 1) / align * align;
  heap->used = *offset + needs->size;
  heap->n_users++;
  return heap;
}

/* --- Buffers --------------------------------------------------------------------------------- */

VtrRandomBuffer *
vtr_random_buffer (VtrRandom *self,
                   VkBufferUsageFlags usage,
                   VkDeviceSize size,
                   const VtrRandomBuffer * not )
{
  const uint32_t first = vtr_random_below (self, VTR_RANDOM_MAX);

  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    {
      VtrRandomBuffer *buffer = &self->buffers[(first + i) % VTR_RANDOM_MAX];

      if (buffer->buffer != VK_NULL_HANDLE && (buffer->usage & usage) == usage &&
          buffer->size >= size && (not == NULL || !vtr_random_overlap (buffer, not )))
        return buffer;
    }
  return NULL;
}

void
vtr_random_use_buffer (VtrRandom       *self,
                       VtrRandomBuffer *buffer)
{
  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    if (self->buffers[i].buffer != VK_NULL_HANDLE &&
        vtr_random_overlap (&self->buffers[i], buffer))
      self->buffers[i].last_use = self->frame;
  vtr_random_record_buffer (self, buffer);
}

bool
vtr_random_overlap (const VtrRandomBuffer *a,
                    const VtrRandomBuffer *b)
{
  return a != NULL && b != NULL && a->heap == b->heap && a->offset < b->offset + b->size &&
         b->offset < a->offset + a->size;
}

/* Writes, and says so where that matters. */
void
vtr_random_write (VtrRandom       *self,
                  VtrRandomBuffer *buffer,
                  VkDeviceSize     offset,
                  VkDeviceSize     size)
{
  VtrRandomHeap *heap = buffer->heap;
  const VkDeviceSize begin = buffer->offset + offset;
  bool mapped_here = false;
  uint8_t *to;

  if (heap->mapped != NULL &&
      (begin < heap->map_offset || begin + size > heap->map_offset + heap->map_size ||
       vtr_random_chance (self, 5)))
    {
      vkUnmapMemory (self->gpu.device, heap->memory);
      heap->mapped = NULL;
    }
  if (heap->mapped == NULL)
    {
      mapped_here = true;
      if (vtr_random_chance (self, 50))
        map_heap (self, heap, 0, VK_WHOLE_SIZE);
      else
        map_heap (self, heap, begin, size);
    }
  to = heap->mapped + (begin - heap->map_offset);
  if (vtr_random_chance (self, 20))
    memset (to, (int)vtr_random_below (self, 256), size);
  else
    for (VkDeviceSize i = 0; i < size; i++)
      to[i] = (uint8_t)vtr_random_number (self);
  if (vtr_random_chance (self, 30))
    {
      const VkMappedMemoryRange range = {
        .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
        .memory = heap->memory,
        .offset = heap->map_offset / 64 * 64,
        .size = VK_WHOLE_SIZE,
      };

      if (heap->map_offset % 64 == 0 &&
          (heap->map_size % 64 == 0 || heap->map_offset + heap->map_size == heap->size))
        vtr_app_check (vkFlushMappedMemoryRanges (self->gpu.device, 1, &range),
                       "vkFlushMappedMemoryRanges");
    }
  if (heap->alone || (mapped_here && vtr_random_chance (self, 60)))
    {
      vkUnmapMemory (self->gpu.device, heap->memory);
      heap->mapped = NULL;
    }
}

static void
bind_buffer (VtrRandom       *self,
             VtrRandomBuffer *buffer)
{
  const VkBindBufferMemoryInfo info = {
    .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO,
    .buffer = buffer->buffer,
    .memory = buffer->heap->memory,
    .memoryOffset = buffer->offset,
  };

  if (vtr_random_chance (self, 50))
    vtr_app_check (vkBindBufferMemory2 (self->gpu.device, 1, &info), "vkBindBufferMemory2");
  else
    vtr_app_check (vkBindBufferMemory (self->gpu.device, buffer->buffer, info.memory,
                                       info.memoryOffset),
                   "vkBindBufferMemory");
}

/* Another buffer for bytes of one that there is. */
static bool
share_place (VtrRandom                  *self,
             VtrRandomBuffer            *buffer,
             const VkMemoryRequirements *needs)
{
  const VtrRandomBuffer *other = vtr_random_buffer (self, 0, buffer->size, buffer);

  if (other == NULL || other->usage != buffer->usage || other->heap->dedicated ||
      other->size < needs->size || other->offset % needs->alignment != 0 ||
      !vtr_random_may (self, 60, "aliases"))
    return false;
  buffer->heap = other->heap;
  buffer->heap->n_users++;
  buffer->offset = other->offset + vtr_random_below (self, (uint32_t)((other->size - needs->size) /
                                                                      needs->alignment) +
                                                             1) *
                                     needs->alignment;
  buffer->last_use = other->last_use;
  return true;
}

static void
make_buffer (VtrRandom *self)
{
  const VkBufferUsageFlags always =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const VkBufferUsageFlags most =
    VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
    VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
    VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
    VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
    (self->core ? 0
                : VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT |
                    VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
                    VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT);
  const VkBufferUsageFlags stored = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                    VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                                    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VtrRandomBuffer *buffer = NULL;
  VkMemoryDedicatedAllocateInfo dedicated = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
  };
  VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO };
  VkMemoryRequirements needs;
  bool shares;

  for (uint32_t i = 0; i < VTR_RANDOM_MAX && buffer == NULL; i++)
    if (self->buffers[i].buffer == VK_NULL_HANDLE)
      buffer = &self->buffers[i];
  if (buffer == NULL)
    return;
  memset (buffer, 0, sizeof *buffer);
  info.size = buffer->size = vtr_random_chance (self, 30)
                               ? 16 * vtr_random_between (self, 1, 40)
                               : 4096 * vtr_random_between (self, 1, 8);
  info.usage = always | (vtr_random_chance (self, 60) ? most : 0);
  if (vtr_random_chance (self, 30))
    info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                 VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  buffer->usage = info.usage;
  vtr_app_check (vkCreateBuffer (self->gpu.device, &info, NULL, &buffer->buffer),
                 "vkCreateBuffer");
  dedicated.buffer = buffer->buffer;
  vkGetBufferMemoryRequirements (self->gpu.device, buffer->buffer, &needs);
  shares = share_place (self, buffer, &needs);
  if (!shares)
    buffer->heap =
      vtr_random_place (self, &needs, &dedicated, (info.usage & stored) != 0, &buffer->offset);
  buffer->id = ++self->n_ids;
  bind_buffer (self, buffer);
  if ((buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0)
    buffer->address = vtr_app_address (&self->gpu, buffer->buffer);
  if (!shares)
    vtr_random_write (self, buffer, 0, buffer->size);
}

static void
destroy_buffer (VtrRandom       *self,
                VtrRandomBuffer *buffer)
{
  vkDestroyBuffer (self->gpu.device, buffer->buffer, NULL);
  vtr_random_release_heap (self, buffer->heap);
  buffer->buffer = VK_NULL_HANDLE;
  buffer->id = 0;
}

static void
drop_buffer (VtrRandom *self)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, 0, 0, NULL);

  if (buffer != NULL && vtr_random_is_idle (self, buffer->last_use) && buffer->n_pins == 0)
    destroy_buffer (self, buffer);
}

static void
write_buffer (VtrRandom *self)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, 0, 0, NULL);
  VkDeviceSize offset, size;

  if (buffer == NULL || !vtr_random_is_idle (self, buffer->last_use) ||
      (self->apart && (buffer->usage & VK_BUFFER_USAGE_TRANSFER_DST_BIT) != 0))
    return;
  offset = vtr_random_below (self, (uint32_t)buffer->size);
  size = 1 + vtr_random_below (self, (uint32_t)(buffer->size - offset));
  vtr_random_write (self, buffer, offset, size);
}

/* What is read decides about everything that follows. */
static void
read_buffer (VtrRandom *self)
{
  VtrRandomBuffer *buffer = vtr_random_buffer (self, 0, 0, NULL);
  uint64_t sum = 0;

  if (buffer == NULL || !vtr_random_is_idle (self, buffer->last_use))
    return;
  if (buffer->heap->mapped != NULL)
    {
      vkUnmapMemory (self->gpu.device, buffer->heap->memory);
      buffer->heap->mapped = NULL;
    }
  map_heap (self, buffer->heap, 0, VK_WHOLE_SIZE);
  for (VkDeviceSize i = 0; i < buffer->size; i++)
    sum = sum * 31 + buffer->heap->mapped[buffer->offset + i];
  self->mood = sum;
  if (buffer->heap->alone)
    {
      vkUnmapMemory (self->gpu.device, buffer->heap->memory);
      buffer->heap->mapped = NULL;
    }
}

void
vtr_random_objects_finish (VtrRandom *self)
{
  for (uint32_t i = 0; i < VTR_RANDOM_MAX; i++)
    if (self->buffers[i].buffer != VK_NULL_HANDLE)
      destroy_buffer (self, &self->buffers[i]);
  if (self->heap != NULL)
    vtr_random_release_heap (self, self->heap);
}

const VtrRandomOperation vtr_random_object_operations[] = {
  { "make-buffer", "buffers", 12, make_buffer },
  { "drop-buffer", "drops", 4, drop_buffer },
  { "write-buffer", "mapped", 12, write_buffer },
  { "read-buffer", "results", 3, read_buffer },
  { 0 },
};
