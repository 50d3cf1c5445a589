/* Places the resources that are bound to scattered memory (vtr-scatter.h). */
#include "vtr-scatter.h"

#include <stdlib.h>

/* A resource that wants a place. */
typedef struct
{
  VtrReplayObject *object;
  uint64_t begin, size; /* in the captured memory */
  VtrBlockKind kind;
  VtrHeapWish wish;
} Guest;

/* Whether @guest fits into @block, as far from its start as it was in the capture. */
static bool
block_has_room (const VtrBlock *block,
                const Guest    *guest)
{
  const VkMemoryRequirements *requirements = &guest->wish.requirements;
  uint64_t distance = guest->begin - block->begin;
  uint64_t at = vtr_heap_piece_offset (&block->place) + distance;

  return block->kind == guest->kind && guest->begin >= block->begin && !guest->wish.solo &&
         distance <= block->place.size &&
         requirements->size <= block->place.size - distance &&
         at % requirements->alignment == 0 &&
         (requirements->memoryTypeBits >> vtr_heap_piece_type (&block->place) & 1) != 0;
}

/* Whether a live resource shares bytes with @guest. */
static bool
block_has_resident (const VtrBlock *block,
                    const Guest    *guest)
{
  for (uint32_t i = 0; i < block->n_residents; i++)
    if (block->residents[i].begin < guest->begin + guest->size &&
        guest->begin < block->residents[i].begin + block->residents[i].size)
      return true;
  return false;
}

static bool
block_add_resident (VtrBlock    *block,
                    const Guest *guest)
{
  VtrResident *residents =
    realloc (block->residents, (block->n_residents + 1) * sizeof *residents);

  if (residents == NULL)
    return false;
  block->residents = residents;
  residents[block->n_residents++] = (VtrResident){ guest->object, guest->begin, guest->size };
  return true;
}

/* A block that the guest shares with others; NULL: it is alone. Sets *@conflict when a resource
 * that is still there wants to share and cannot. */
static VtrBlock *
scatter_share (VtrScatter  *self,
               const Guest *guest,
               bool        *conflict)
{
  *conflict = false;
  for (VtrBlock *block = self->blocks; block != NULL; block = block->next)
    {
      if (!block->planned || block->kind != guest->kind ||
          !vtr_block_touches (block, guest->begin, guest->size))
        continue;
      /* Images with optimal tiling share contents only if they begin at the same byte. */
      if (block->kind == VTR_BLOCK_OPAQUE && block->begin != guest->begin)
        continue;
      if (block_has_room (block, guest))
        return block;
      *conflict |= block_has_resident (block, guest);
    }
  return NULL;
}

static const VtrReplayMemoryGroup *
scatter_group (const VtrScatter *self,
               const Guest      *guest)
{
  for (uint32_t i = 0; i < self->n_groups; i++)
    if (self->groups[i].images == (guest->kind == VTR_BLOCK_OPAQUE) &&
        guest->begin >= self->groups[i].begin && guest->begin < self->groups[i].end &&
        self->groups[i].end <= self->size)
      return &self->groups[i];
  return NULL;
}

/* How much further on the guest would begin where it was captured, if it had to begin as it must on
 * this device. */
static uint64_t
guest_shift (const Guest *guest)
{
  uint64_t alignment = guest->wish.requirements.alignment;
  uint64_t over = guest->begin % alignment;

  return over > 0 ? alignment - over : 0;
}

/* All of the memory, for its buffers, at the address that it had. Returns: whether there is such a
 * block now. */
static bool
scatter_add_placed (VtrReplayVk *vk,
                    VtrScatter  *self,
                    const Guest *guest)
{
  VtrHeapWish wish = guest->wish;
  VtrBlock *block;

  if (self->address == 0 || guest->kind != VTR_BLOCK_BYTES || wish.solo)
    return false;
  for (block = self->blocks; block != NULL; block = block->next)
    if (block->placed)
      return false;
  block = calloc (1, sizeof *block);
  if (block == NULL)
    return false;
  *block = (VtrBlock){
    .next = self->blocks,
    .scatter = self,
    .table = guest->object->table,
    .kind = VTR_BLOCK_BYTES,
    .planned = true,
    .placed = true,
    .size = self->size,
  };
  /* The last buffer may be rounded up as much as this one is. */
  wish.requirements.size = self->size + (wish.requirements.size - guest->size);
  wish.address = true;
  if (vtr_heap_place_at (vk, block->table, &wish, self->address, &block->place) < 0)
    {
      free (block);
      return false;
    }
  self->blocks = block;
  return true;
}

static VtrBlock *
scatter_add_block (VtrReplayVk *vk,
                   VtrScatter  *self,
                   const Guest *guest,
                   VkResult    *result)
{
  const VtrReplayMemoryGroup *group = scatter_group (self, guest);
  VtrBlock *block = calloc (1, sizeof *block);
  VtrHeapWish wish = guest->wish;

  *result = VK_ERROR_OUT_OF_HOST_MEMORY;
  if (block == NULL)
    return NULL;
  block->table = guest->object->table;
  block->kind = guest->kind;
  block->begin = guest->begin;
  block->size = guest->size;
  if (group != NULL && guest->kind != VTR_BLOCK_ROWS && !wish.solo)
    {
      uint64_t distance = guest->begin - group->begin;
      uint64_t extent = group->end - group->begin;

      block->planned = true;
      if (guest->kind == VTR_BLOCK_BYTES)
        {
          block->begin = group->begin;
          block->size = extent;
          /* The last one may be rounded up as much as this one is, and its start too. */
          extent += 2 * (wish.requirements.size - guest->size) + wish.requirements.alignment;
          wish.requirements.size += distance;
          if (wish.requirements.size < extent)
            wish.requirements.size = extent;
          wish.keep_residue = true;
          /* At the same distance from a multiple of the alignment as before, unless this guest
           * must begin at one. */
          wish.residue = group->begin + guest_shift (guest);
        }
    }
  *result = vtr_heap_place (vk, block->table, &wish, &block->place);
  if (*result < 0)
    {
      free (block);
      return NULL;
    }
  block->scatter = self;
  block->next = self->blocks;
  self->blocks = block;
  return block;
}

/* Finds the guest's block. @slot: where the object keeps it. Returns: NULL with *@result. */
static VtrBlock *
scatter_house (VtrReplayVk      *vk,
               VtrReplayObject  *memory,
               const Guest      *guest,
               VtrBlock        **slot,
               VkResult         *result)
{
  VtrScatter *self = memory->info.memory.scatter;
  bool conflict, fresh = false;
  VtrBlock *block;

  *result = VK_SUCCESS;
  fresh = scatter_add_placed (vk, self, guest);
  block = scatter_share (self, guest, &conflict);
  if (conflict)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "Resources share memory in a way that this device cannot repeat: it wants them "
                   "%llu bytes apart.",
                   (unsigned long long)guest->wish.requirements.alignment);
      *result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
      return NULL;
    }
  if (block == NULL)
    {
      block = scatter_add_block (vk, self, guest, result);
      fresh = true;
    }
  if (block == NULL)
    return NULL;
  if (!block_add_resident (block, guest))
    {
      *result = VK_ERROR_OUT_OF_HOST_MEMORY;
      return NULL;
    }
  *slot = block;
  if (fresh)
    *result = vtr_block_fill (vk, block);
  return *result < 0 ? NULL : block;
}

/* The properties of the captured memory type, and whether the resource needs an allocation of its
 * own. */
static void
guest_wish (const VtrReplayObject               *memory,
            const VkMemoryRequirements          *requirements,
            const VkMemoryDedicatedRequirements *dedicated,
            Guest                               *guest)
{
  const VtrScatter *scatter = memory->info.memory.scatter;

  guest->wish.requirements = *requirements;
  if (guest->wish.requirements.alignment == 0)
    guest->wish.requirements.alignment = 1;
  guest->wish.liked = scatter->flags;
  guest->wish.linear = guest->kind != VTR_BLOCK_OPAQUE;
  if (guest->wish.linear)
    guest->wish.wanted = scatter->flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  else /* the host has no business there */
    guest->wish.liked &= ~(VkMemoryPropertyFlags)(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                                  VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  guest->wish.solo = dedicated->requiresDedicatedAllocation ||
                     (dedicated->prefersDedicatedAllocation && scatter->dedicated);
}

static bool
bind_check (VtrReplayVk           *vk,
            const VtrReplayObject *memory,
            const VtrReplayObject *object,
            uint64_t               offset,
            uint64_t               size)
{
  if (object->table == memory->table && offset <= memory->info.memory.size &&
      size <= memory->info.memory.size - offset)
    return true;
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_PAYLOAD, "A resource does not fit the memory it is bound to.");
  return false;
}

VkResult
vtr_scatter_bind_buffer (VtrReplayVk     *vk,
                         VtrReplayObject *memory,
                         VtrReplayObject *buffer,
                         uint64_t         offset)
{
  VtrTable *table = buffer->table;
  VkBuffer handle = VTR_HANDLE_FROM (VkBuffer, buffer->handle);
  const VkBufferMemoryRequirementsInfo2 about = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
    .buffer = handle,
  };
  VkMemoryDedicatedRequirements dedicated = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS,
  };
  VkMemoryRequirements2 all = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
    .pNext = &dedicated,
  };
  PFN_vkGetBufferMemoryRequirements2 get = VTR_CALL (vk, table, vkGetBufferMemoryRequirements2);
  Guest guest = {
    .object = buffer,
    .begin = offset,
    .size = buffer->info.buffer.size,
    .kind = VTR_BLOCK_BYTES,
  };
  VtrBlock *block;
  VkResult result;

  if (!bind_check (vk, memory, buffer, offset, guest.size) || buffer->info.buffer.block != NULL)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  if (get != NULL)
    get (table->device, &about, &all);
  else
    VTR_CALL (vk, table, vkGetBufferMemoryRequirements)
  (table->device, handle, &all.memoryRequirements);
  guest_wish (memory, &all.memoryRequirements, &dedicated, &guest);
  guest.wish.address =
    (buffer->info.buffer.usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
  if (guest.wish.solo)
    guest.wish.buffer = handle;
  block = scatter_house (vk, memory, &guest, &buffer->info.buffer.block, &result);
  if (block == NULL)
    return result;
  return VTR_CALL (vk, table, vkBindBufferMemory) (
    table->device, handle, vtr_heap_piece_memory (&block->place),
    vtr_heap_piece_offset (&block->place) + (guest.begin - block->begin));
}

/* Requirements of an image, or of a plane of it. */
static void
image_requirements (VtrReplayVk                   *vk,
                    VtrReplayObject               *image,
                    VkImageAspectFlagBits          plane,
                    VkMemoryRequirements          *requirements,
                    VkMemoryDedicatedRequirements *dedicated)
{
  VtrTable *table = image->table;
  const VkImagePlaneMemoryRequirementsInfo which = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
    .planeAspect = plane,
  };
  const VkImageMemoryRequirementsInfo2 about = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
    .pNext = plane != 0 ? &which : NULL,
    .image = VTR_HANDLE_FROM (VkImage, image->handle),
  };
  VkMemoryRequirements2 all = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
    .pNext = dedicated,
  };
  PFN_vkGetImageMemoryRequirements2 get = VTR_CALL (vk, table, vkGetImageMemoryRequirements2);

  if (get != NULL)
    get (table->device, &about, &all);
  else
    VTR_CALL (vk, table, vkGetImageMemoryRequirements)
  (table->device, about.image, &all.memoryRequirements);
  *requirements = all.memoryRequirements;
}

static size_t
plane_number (VkImageAspectFlagBits plane)
{
  switch (plane)
    {
    case VK_IMAGE_ASPECT_PLANE_1_BIT:
    case VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT:
      return 1;
    case VK_IMAGE_ASPECT_PLANE_2_BIT:
    case VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT:
      return 2;
    case VK_IMAGE_ASPECT_MEMORY_PLANE_3_BIT_EXT:
      return 3;
    default:
      return 0;
    }
}

/* Captured bytes of a linear image, as far as they are known. */
static uint64_t
image_captured_size (const VtrReplayImage *image,
                     uint64_t              required)
{
  uint64_t size = 0;

  for (uint32_t i = 0; i < image->n_layouts; i++)
    if (image->layouts[i].offset + image->layouts[i].size > size)
      size = image->layouts[i].offset + image->layouts[i].size;
  return size > 0 ? size : required;
}

VkResult
vtr_scatter_bind_image (VtrReplayVk           *vk,
                        VtrReplayObject       *memory,
                        VtrReplayObject       *image,
                        uint64_t               offset,
                        VkImageAspectFlagBits  plane)
{
  VtrTable *table = image->table;
  VtrReplayImage *info = &image->info.image;
  VkMemoryDedicatedRequirements dedicated = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS,
  };
  const VkBindImagePlaneMemoryInfo which = {
    .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO,
    .planeAspect = plane,
  };
  VkBindImageMemoryInfo bind = {
    .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
    .pNext = plane != 0 ? &which : NULL,
    .image = VTR_HANDLE_FROM (VkImage, image->handle),
  };
  VtrBlock **slot = &info->blocks[plane_number (plane)];
  VkMemoryRequirements requirements;
  PFN_vkBindImageMemory2 bind2 = VTR_CALL (vk, table, vkBindImageMemory2);
  Guest guest = { .object = image, .begin = offset };
  VtrBlock *block;
  VkResult result;

  if (!bind_check (vk, memory, image, offset, 0) || *slot != NULL)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  image_requirements (vk, image, plane, &requirements, &dedicated);
  guest.kind = info->tiling == VK_IMAGE_TILING_LINEAR ? VTR_BLOCK_ROWS : VTR_BLOCK_OPAQUE;
  guest.size = image_captured_size (info, requirements.size);
  if (guest.size > memory->info.memory.size - offset)
    guest.size = memory->info.memory.size - offset;
  guest_wish (memory, &requirements, &dedicated, &guest);
  if (guest.wish.solo)
    guest.wish.image = bind.image;
  block = scatter_house (vk, memory, &guest, slot, &result);
  if (block == NULL)
    return result;
  bind.memory = vtr_heap_piece_memory (&block->place);
  bind.memoryOffset = vtr_heap_piece_offset (&block->place) + (guest.begin - block->begin);
  if (plane != 0 && bind2 != NULL)
    return bind2 (table->device, 1, &bind);
  return VTR_CALL (vk, table, vkBindImageMemory) (table->device, bind.image, bind.memory,
                                                  bind.memoryOffset);
}
