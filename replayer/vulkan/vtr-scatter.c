/* Replaces one captured memory allocation by separate places for its resources, and sends reads
 * and writes of its bytes there. */
#include "vtr-scatter.h"
#include "vtr-utility.h"

#include <stdlib.h>
#include <sys/mman.h>

/* --- Life ------------------------------------------------------------------------------------ */

static void
scatter_free (VtrScatter *self)
{
  if (self->bytes != NULL)
    munmap (self->bytes, (size_t)self->size);
  vtr_range_set_finish (&self->written);
  free (self->groups);
  free (self);
}

static bool
scatter_fail_memory (VtrReplayVk *vk)
{
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_MEMORY, "The replayer ran out of memory.");
  return false;
}

void
vtr_scatter_drop_next (VtrReplayVk *vk)
{
  if (vk->next_scatter != NULL)
    scatter_free (vk->next_scatter);
  vk->next_scatter = NULL;
}

/* (u32 flags, u32 n, pointer VtrReplayMemoryGroup[n]) */
uint64_t
vtr_synthetic_scatter_memory (void           *context,
                              const uint64_t *args)
{
  VtrReplayVk *vk = context;
  uint64_t n = args[1], size = n * sizeof (VtrReplayMemoryGroup);
  const void *groups = NULL;
  VtrScatter *self;

  if (n > UINT32_MAX / sizeof (VtrReplayMemoryGroup))
    {
      scatter_fail_memory (vk);
      return 0;
    }
  if (n > 0)
    groups =
      vtr_vm_memory_resolve (&vk->vm->memory, VTR_VM_ABSOLUTE, args[2], size, VTR_VM_READ);
  if (n > 0 && groups == NULL)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
                   "The plan of a memory lies outside the machine's memory.");
      return 0;
    }
  self = calloc (1, sizeof *self);
  if (self != NULL && n > 0)
    self->groups = malloc ((size_t)size);
  if (self == NULL || (n > 0 && self->groups == NULL))
    {
      free (self);
      scatter_fail_memory (vk);
      return 0;
    }
  if (n > 0)
    memcpy (self->groups, groups, (size_t)size);
  self->n_groups = (uint32_t)n;
  self->flags = (VkMemoryPropertyFlags)args[0];
  vtr_scatter_drop_next (vk);
  vk->next_scatter = self;
  return 0;
}

bool
vtr_scatter_take (VtrReplayVk                *vk,
                  VtrReplayObject            *memory,
                  const VkMemoryAllocateInfo *info,
                  uint64_t                    address)
{
  VtrScatter *self = vk->next_scatter;

  if (self == NULL || memory == NULL)
    return false;
  vk->next_scatter = NULL;
  self->size = info->allocationSize;
  self->address = address;
  self->dedicated =
    vtr_chain_find (info->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO) != NULL;
  memory->info.memory.scatter = self;
  memory->info.memory.size = info->allocationSize;
  memory->info.memory.dedicated = self->dedicated;
  return true;
}

static void
block_release (VtrReplayVk *vk,
               VtrBlock    *block)
{
  VtrBlock **link;

  if (block->n_residents > 0 || (block->planned && block->scatter != NULL))
    return;
  if (block->scatter != NULL)
    {
      for (link = &block->scatter->blocks; *link != block; link = &(*link)->next)
        ;
      *link = block->next;
    }
  vtr_heap_release (vk, block->table, &block->place);
  free (block->residents);
  free (block);
}

static void
block_leave (VtrReplayVk     *vk,
             VtrBlock        *block,
             VtrReplayObject *resident)
{
  if (block == NULL)
    return;
  for (uint32_t i = block->n_residents; i-- > 0;)
    if (block->residents[i].object == resident)
      {
        block->residents[i] = block->residents[--block->n_residents];
        break;
      }
  block_release (vk, block);
}

static void
memory_forget (VtrReplayVk *vk,
               VtrScatter  *self)
{
  while (self->blocks != NULL)
    {
      VtrBlock *block = self->blocks;

      self->blocks = block->next;
      block->scatter = NULL;
      block_release (vk, block);
    }
  scatter_free (self);
}

void
vtr_scatter_forget (VtrReplayVk     *vk,
                    VtrReplayObject *object)
{
  switch (object->type)
    {
    case VTR_HANDLE_VkDeviceMemory:
      if (object->info.memory.scatter != NULL)
        memory_forget (vk, object->info.memory.scatter);
      object->info.memory.scatter = NULL;
      break;
    case VTR_HANDLE_VkBuffer:
      block_leave (vk, object->info.buffer.block, object);
      object->info.buffer.block = NULL;
      break;
    case VTR_HANDLE_VkImage:
      for (size_t i = 0; i < VTR_MAX_PLANES; i++)
        {
          block_leave (vk, object->info.image.blocks[i], object);
          object->info.image.blocks[i] = NULL;
        }
      free (object->info.image.layouts);
      object->info.image.layouts = NULL;
      break;
    default:
      break;
    }
}

/* (u64 image, u32 n, pointer VtrReplayLinearLayout[n]) */
uint64_t
vtr_synthetic_linear_layout (void           *context,
                             const uint64_t *args)
{
  VtrReplayVk *vk = context;
  VtrReplayObject *image = vtr_objects_need (vk, VTR_HANDLE_VkImage, args[0]);
  uint64_t n = args[1], size = n * sizeof (VtrReplayLinearLayout);
  const void *layouts;

  if (image == NULL || n == 0 || n > UINT32_MAX / sizeof (VtrReplayLinearLayout))
    return 0;
  layouts = vtr_vm_memory_resolve (&vk->vm->memory, VTR_VM_ABSOLUTE, args[2], size, VTR_VM_READ);
  if (layouts == NULL)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD,
                   "The layout of an image lies outside the machine's memory.");
      return 0;
    }
  free (image->info.image.layouts);
  image->info.image.layouts = malloc ((size_t)size);
  image->info.image.n_layouts = image->info.image.layouts != NULL ? (uint32_t)n : 0;
  if (image->info.image.layouts != NULL)
    memcpy (image->info.image.layouts, layouts, (size_t)size);
  else
    scatter_fail_memory (vk);
  return 0;
}

/* --- Bytes ----------------------------------------------------------------------------------- */

/* A walk over bytes of the captured memory: between the caller's and a mapping. */
typedef struct
{
  uint8_t *bytes; /* the caller's, those at .offset first */
  uint64_t offset;
  uint64_t size;
  bool write; /* from the caller's into the mapping */
} Transfer;

/* Copies the bytes [from, from + size) of the captured memory, as far as they are asked for;
 * @at: where they are in the mapping. */
static void
transfer_copy (const Transfer *self,
               uint64_t        from,
               uint64_t        size,
               uint8_t        *at)
{
  uint64_t begin = from > self->offset ? from : self->offset;
  uint64_t end = from + size < self->offset + self->size ? from + size : self->offset + self->size;

  if (begin >= end)
    return;
  if (self->write)
    memcpy (at + (begin - from), self->bytes + (begin - self->offset), (size_t)(end - begin));
  else
    memcpy (self->bytes + (begin - self->offset), at + (begin - from), (size_t)(end - begin));
}

/* Rows of one subresource. */
static void
transfer_rows (const Transfer              *self,
               const VtrBlock              *block,
               const VtrReplayLinearLayout *from,
               const VkSubresourceLayout   *to,
               uint8_t                     *map)
{
  const VtrReplayImage *image = &block->residents[0].object->info.image;
  uint64_t pitch = from->row_pitch < to->rowPitch ? from->row_pitch : to->rowPitch;
  uint64_t depth = image->extent.depth >> from->mip > 1 ? image->extent.depth >> from->mip : 1;
  uint64_t slice = depth > 1 ? from->depth_pitch : from->size;

  if (from->row_pitch == 0 || slice == 0)
    return;
  for (uint64_t z = 0; z < depth; z++)
    for (uint64_t row = 0; row * from->row_pitch < slice; row++)
      {
        uint64_t source = z * slice + row * from->row_pitch;
        uint64_t target = z * to->depthPitch + row * to->rowPitch;
        uint64_t n = pitch;

        if (source >= from->size || target >= to->size || row * to->rowPitch >= to->size)
          break;
        n = n < from->size - source ? n : from->size - source;
        n = n < to->size - target ? n : to->size - target;
        if (to->offset + target + n <= block->place.size)
          transfer_copy (self, block->begin + from->offset + source, n,
                         map + to->offset + target);
      }
}

/* Without a known layout, rows are as here. */
static void
transfer_image (VtrReplayVk    *vk,
                const Transfer *self,
                const VtrBlock *block,
                uint8_t        *map)
{
  const VtrReplayObject *resident = block->n_residents > 0 ? block->residents[0].object : NULL;
  const VtrReplayImage *image = resident != NULL ? &resident->info.image : NULL;

  if (image == NULL || image->n_layouts == 0)
    {
      transfer_copy (self, block->begin, block->size, map);
      return;
    }
  for (uint32_t i = 0; i < image->n_layouts; i++)
    {
      const VtrReplayLinearLayout *from = &image->layouts[i];
      const VkImageSubresource subresource = { from->aspect, from->mip, from->layer };
      VkSubresourceLayout to = { 0 };

      if (from->mip >= 32 || from->size > UINT64_MAX / 2 || from->offset > UINT64_MAX / 4)
        continue;
      VTR_CALL (vk, block->table, vkGetImageSubresourceLayout)
      (block->table->device, VTR_HANDLE_FROM (VkImage, resident->handle), &subresource, &to);
      transfer_rows (self, block, from, &to, map);
    }
}

bool
vtr_block_touches (const VtrBlock *self,
                   uint64_t        offset,
                   uint64_t        size)
{
  return self->begin < offset + size && offset < self->begin + self->size;
}

/* Between the caller's bytes and one block the host can see. */
static VkResult
transfer_block (VtrReplayVk    *vk,
                const Transfer *self,
                VtrBlock       *block)
{
  uint8_t *map = vtr_heap_piece_map (vk, &block->place);
  uint64_t begin = self->offset > block->begin ? self->offset - block->begin : 0;
  uint64_t end = self->offset + self->size - block->begin;
  VkResult result;

  end = end < block->size ? end : block->size;
  if (map == NULL)
    return VK_ERROR_MEMORY_MAP_FAILED;
  /* Also before writes, because whole atoms are written back, and whole places of images. */
  if (!self->write || block->kind == VTR_BLOCK_ROWS)
    result = vtr_heap_piece_invalidate (vk, &block->place, 0, block->place.size);
  else
    result = vtr_heap_piece_invalidate (vk, &block->place, begin, end - begin);
  if (result < 0)
    return result;
  if (block->kind == VTR_BLOCK_ROWS)
    transfer_image (vk, self, block, map);
  else
    transfer_copy (self, block->begin, block->size, map);
  if (!self->write)
    return VK_SUCCESS;
  if (block->kind == VTR_BLOCK_ROWS)
    return vtr_heap_piece_flush (vk, &block->place, 0, block->place.size);
  return vtr_heap_piece_flush (vk, &block->place, begin, end - begin);
}

VkResult
vtr_scatter_write (VtrReplayVk     *vk,
                   VtrReplayObject *memory,
                   uint64_t         offset,
                   const void      *bytes,
                   uint64_t         size)
{
  VtrScatter *self = memory->info.memory.scatter;
  const Transfer transfer = { (uint8_t *)(uintptr_t)bytes, offset, size, true };

  if (self->bytes == NULL)
    {
      void *map = mmap (NULL, (size_t)self->size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

      if (map == MAP_FAILED)
        {
          scatter_fail_memory (vk);
          return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
      self->bytes = map;
    }
  memcpy (self->bytes + offset, bytes, (size_t)size);
  if (!vtr_range_set_add (&self->written, offset, offset + size))
    {
      scatter_fail_memory (vk);
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  for (VtrBlock *block = self->blocks; block != NULL; block = block->next)
    if (block->kind != VTR_BLOCK_OPAQUE && vtr_block_touches (block, offset, size))
      {
        VkResult result = transfer_block (vk, &transfer, block);

        if (result < 0)
          return result;
      }
  return VK_SUCCESS;
}

VkResult
vtr_block_fill (VtrReplayVk *vk,
                VtrBlock    *block)
{
  const VtrScatter *self = block->scatter;
  uint64_t from = block->begin, end = block->begin + block->size, to;

  if (self->bytes == NULL || block->kind == VTR_BLOCK_OPAQUE)
    return VK_SUCCESS;
  for (; vtr_range_set_next_part (&self->written, &from, end, &to); from = to)
    {
      const Transfer transfer = { self->bytes + from, from, to - from, true };
      VkResult result = transfer_block (vk, &transfer, block);

      if (result < 0)
        return result;
    }
  return VK_SUCCESS;
}

/* Reads what the host cannot see through a buffer that lies there. */
static bool
read_through_buffer (VtrReplayVk       *vk,
                     const Transfer    *transfer,
                     VtrTable          *table,
                     const VtrResident *resident)
{
  const VtrReplayObject *buffer = resident->object;
  VkBufferCopy region = { 0 };
  VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_HOST_READ_BIT,
  };
  VkCommandBuffer commands;

  if (buffer->type != VTR_HANDLE_VkBuffer)
    return true;
  region.size = buffer->info.buffer.size;
  if (!vtr_utility_stage (vk, table, region.size) ||
      (commands = vtr_utility_begin (vk, table, 0)) == VK_NULL_HANDLE)
    return false;
  VTR_CALL (vk, table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0,
   NULL, 0, NULL);
  VTR_CALL (vk, table, vkCmdCopyBuffer)
  (commands, VTR_HANDLE_FROM (VkBuffer, buffer->handle), table->utility.staging, 1, &region);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  VTR_CALL (vk, table, vkCmdPipelineBarrier)
  (commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
   NULL);
  if (!vtr_utility_run (vk, table, 0) || !vtr_utility_collect (vk, table))
    return false;
  transfer_copy (transfer, resident->begin, region.size, table->utility.staging_map);
  return true;
}

bool
vtr_scatter_read (VtrReplayVk     *vk,
                  VtrReplayObject *memory,
                  uint64_t         offset,
                  void            *bytes,
                  uint64_t         size)
{
  const VtrScatter *self = memory->info.memory.scatter;
  const Transfer transfer = { bytes, offset, size, false };

  memset (bytes, 0, (size_t)size);
  if (self->bytes != NULL)
    memcpy (bytes, self->bytes + offset, (size_t)size);
  for (VtrBlock *block = self->blocks; block != NULL; block = block->next)
    {
      VkResult result;

      if (block->kind == VTR_BLOCK_OPAQUE || !vtr_block_touches (block, offset, size))
        continue;
      if (!vtr_heap_piece_is_host_visible (&block->place))
        {
          for (uint32_t i = 0; i < block->n_residents; i++)
            if (!read_through_buffer (vk, &transfer, block->table, &block->residents[i]))
              return false;
          continue;
        }
      result = transfer_block (vk, &transfer, block);
      if (result < 0)
        return vtr_replay_vk_failed (vk, "Reading memory", result);
    }
  return true;
}
