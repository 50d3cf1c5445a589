/* What acceleration structures hold: the driver serialises them, as nobody else knows what their
 * bytes mean, or where they point. */
#include "vtr-layer-contents-private.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 256u /* of serialised data */
#define NEED VK_QUEUE_COMPUTE_BIT

/* In serialised data: two UUIDs and two sizes, then a number of handles and those. */
#define COUNT_AT 48u
#define HANDLES_AT 56u

typedef struct
{
  VtrContents *contents;
  uint64_t *sizes; /* of each structure, serialised */
  VkQueryPool pool;
  VkBuffer buffer; /* what they are serialised to */
  VkDeviceMemory memory;
  uint64_t address; /* aligned */
  uint8_t *bytes;   /* what lies there */
  uint64_t size;
} Serialiser;

static VkCommandBuffer
begin (Serialiser                  *self,
       const VtrLayerLiveStructure *structure)
{
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
  };
  VtrContents *contents = self->contents;
  size_t place = vtr_contents_find_queue (contents, structure->owner, NEED);
  VkCommandBuffer commands = place != 0 ? vtr_contents_open (contents, place) : VK_NULL_HANDLE;

  if (place == 0)
    vtr_contents_fail (contents,
                       "An acceleration structure belongs to a queue that cannot read it.");
  if (commands != VK_NULL_HANDLE)
    contents->device->next.CmdPipelineBarrier (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                               VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier,
                                               0, NULL, 0, NULL);
  return commands;
}

/* ---- Sizes ---- */

static bool
ask_sizes (Serialiser *self)
{
  VtrContents *contents = self->contents;
  const VtrLayerLiveWorld *world = contents->world;
  const VtrDeviceDispatch *next = &contents->device->next;
  const uint32_t n = (uint32_t)world->n_structures;
  const VkQueryPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR,
    .queryCount = n,
  };

  if (next->CreateQueryPool (contents->device->handle, &info, NULL, &self->pool) != VK_SUCCESS)
    return vtr_contents_fail (contents, "The GPU has no memory left to read contents with.");
  for (uint32_t i = 0; i < n; i++)
    {
      VkCommandBuffer commands = begin (self, &world->structures[i]);

      if (commands == VK_NULL_HANDLE)
        return false;
      next->CmdResetQueryPool (commands, self->pool, i, 1);
      next->CmdWriteAccelerationStructuresPropertiesKHR (commands, 1,
                                                         &world->structures[i].structure,
                                                         info.queryType, self->pool, i);
    }
  return vtr_contents_wait (contents) &&
         (next->GetQueryPoolResults (contents->device->handle, self->pool, 0, n,
                                     n * sizeof *self->sizes, self->sizes, sizeof *self->sizes,
                                     VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT) ==
            VK_SUCCESS ||
          vtr_contents_fail (contents, "The driver does not say how large acceleration structures "
                                       "are."));
}

/* ---- Memory ---- */

/* Drivers are seen that write more than they said, up to the size of the structure. */
static uint64_t
room_for (const Serialiser *self,
          size_t            nth)
{
  const uint64_t size = self->sizes[nth] + self->contents->world->structures[nth].size;

  return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool
check_sizes (Serialiser *self)
{
  const VtrLayerLiveWorld *world = self->contents->world;
  uint64_t all = 0, most = 0;

  for (size_t i = 0; i < world->n_structures; i++)
    {
      if (self->sizes[i] < HANDLES_AT || self->sizes[i] > UINT32_MAX ||
          world->structures[i].size > UINT32_MAX)
        return vtr_contents_fail (self->contents,
                                  "The driver gives an acceleration structure %llu bytes.",
                                  (unsigned long long)self->sizes[i]);
      all += room_for (self, i);
      if (room_for (self, i) > most)
        most = room_for (self, i);
    }
  if (all > VTR_CONTENTS_STAGING)
    all = VTR_CONTENTS_STAGING;
  self->size = all > most ? all : most;
  return true;
}

static VkResult
allocate (Serialiser *self)
{
  const VtrDeviceDispatch *next = &self->contents->device->next;
  VkDevice device = self->contents->device->handle;
  const VkMemoryAllocateFlagsInfo flags = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &flags };
  VkMemoryRequirements requirements;
  void *map = NULL;
  VkResult result;

  next->GetBufferMemoryRequirements (device, self->buffer, &requirements);
  info.allocationSize = requirements.size;
  if (!vtr_layer_choose_readable_type (self->contents->device, requirements.memoryTypeBits,
                                       &info.memoryTypeIndex))
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  result = next->AllocateMemory (device, &info, NULL, &self->memory);
  if (result == VK_SUCCESS)
    result = next->BindBufferMemory (device, self->buffer, self->memory, 0);
  if (result == VK_SUCCESS)
    result = next->MapMemory (device, self->memory, 0, VK_WHOLE_SIZE, 0, &map);
  self->bytes = map;
  return result;
}

static bool
make_room (Serialiser *self)
{
  const VtrDeviceDispatch *next = &self->contents->device->next;
  VkDevice device = self->contents->device->handle;
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    .size = self->size + ALIGNMENT,
  };
  VkBufferDeviceAddressInfo which = { .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO };
  PFN_vkGetBufferDeviceAddress get = next->GetBufferDeviceAddress;
  uint32_t families[VTR_CONTENTS_MAX_QUEUES];
  uint64_t past;

  for (size_t i = 0; i < self->contents->world->n_queues && i < VTR_CONTENTS_MAX_QUEUES; i++)
    families[info.queueFamilyIndexCount++] = self->contents->world->queues[i].family;
  if (info.queueFamilyIndexCount > 1)
    {
      info.sharingMode = VK_SHARING_MODE_CONCURRENT;
      info.pQueueFamilyIndices = families;
    }
  if (get == NULL)
    get = next->GetBufferDeviceAddressKHR;
  if (get == NULL || next->CreateBuffer (device, &info, NULL, &self->buffer) != VK_SUCCESS ||
      allocate (self) != VK_SUCCESS)
    return vtr_contents_fail (self->contents,
                              "The GPU has no memory left to read acceleration structures with.");
  which.buffer = self->buffer;
  self->address = get (device, &which);
  past = self->address % ALIGNMENT;
  if (past != 0)
    {
      self->address += ALIGNMENT - past;
      self->bytes += ALIGNMENT - past;
    }
  return true;
}

static void
finish (Serialiser *self)
{
  const VtrDeviceDispatch *next = &self->contents->device->next;
  VkDevice device = self->contents->device->handle;

  free (self->sizes);
  if (self->contents->gpu.lost)
    return;
  if (self->pool != VK_NULL_HANDLE)
    next->DestroyQueryPool (device, self->pool, NULL);
  if (self->buffer != VK_NULL_HANDLE)
    next->DestroyBuffer (device, self->buffer, NULL);
  if (self->memory != VK_NULL_HANDLE)
    next->FreeMemory (device, self->memory, NULL);
}

/* ---- Bytes ---- */

/* The list of handles is in one part: whoever changes them need not look further. */
static bool
put (Serialiser *self,
     size_t      nth,
     uint64_t    at)
{
  const VtrLayerLiveStructure *structure = &self->contents->world->structures[nth];
  const uint8_t *bytes = self->bytes + at;
  const uint64_t whole = self->sizes[nth];
  uint64_t part = VTR_CONTENTS_PIECE, n;

  memcpy (&n, bytes + COUNT_AT, sizeof n);
  if (n > (whole - HANDLES_AT) / sizeof n)
    return vtr_contents_fail (self->contents,
                              "The driver gives an acceleration structure %llu handles.",
                              (unsigned long long)n);
  if (part < HANDLES_AT + n * sizeof n)
    part = HANDLES_AT + n * sizeof n;
  for (uint64_t offset = 0; offset < whole; offset += part, part = VTR_CONTENTS_PIECE)
    {
      if (part > whole - offset)
        part = whole - offset;
      if (!vtr_contents_put_structure (self->contents, structure, offset, bytes + offset, part,
                                       whole))
        return false;
    }
  return true;
}

/* Those from @first on that there is room for. Returns: the first one that is left; 0: failed. */
static size_t
serialise_some (Serialiser *self,
                size_t      first)
{
  const VtrLayerLiveWorld *world = self->contents->world;
  const VtrDeviceDispatch *next = &self->contents->device->next;
  const VkMappedMemoryRange range = {
    .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
    .memory = self->memory,
    .size = VK_WHOLE_SIZE,
  };
  uint64_t used = 0, at = 0;
  size_t end = first;

  for (; end < world->n_structures && room_for (self, end) <= self->size - used; end++)
    {
      const VkCopyAccelerationStructureToMemoryInfoKHR copy = {
        .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR,
        .src = world->structures[end].structure,
        .dst.deviceAddress = self->address + used,
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR,
      };
      VkCommandBuffer commands = begin (self, &world->structures[end]);

      if (commands == VK_NULL_HANDLE)
        return 0;
      next->CmdCopyAccelerationStructureToMemoryKHR (commands, &copy);
      used += room_for (self, end);
    }
  if (!vtr_contents_wait (self->contents))
    return 0;
  next->InvalidateMappedMemoryRanges (self->contents->device->handle, 1, &range);
  for (; first < end; first++)
    {
      if (!put (self, first, at))
        return 0;
      at += room_for (self, first);
    }
  return end;
}

bool
vtr_contents_write_structures (VtrContents *contents)
{
  const size_t n = contents->world->n_structures;
  Serialiser self = { .contents = contents };
  size_t done = 0;
  bool ok;

  if (n == 0)
    return true;
  self.sizes = calloc (n, sizeof *self.sizes);
  if (self.sizes == NULL)
    return vtr_contents_fail (contents, "The program has no memory left.");
  ok = vtr_contents_run (contents) && ask_sizes (&self) && check_sizes (&self) && make_room (&self);
  while (ok && done < n)
    {
      done = serialise_some (&self, done);
      ok = done > 0;
    }
  finish (&self);
  return ok;
}
