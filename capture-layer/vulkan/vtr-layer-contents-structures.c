/* Reads the contents of acceleration structures: the driver serialises them, because only it knows
 * what their bytes mean and where they point. */
#include "vtr-layer-contents-private.h"

#include "vtr-layer-readback.h"

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
  VtrLayerReadback readback; /* what they are serialised to */
  uint64_t address;          /* aligned */
  uint8_t *bytes;            /* what lies there */
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

static bool
make_room (Serialiser *self)
{
  const VtrContents *contents = self->contents;
  const VtrDeviceDispatch *next = &contents->device->next;
  VkBufferDeviceAddressInfo which = { .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO };
  PFN_vkGetBufferDeviceAddress get = next->GetBufferDeviceAddress;
  uint32_t families[VTR_CONTENTS_MAX_QUEUES];
  uint32_t n_families = 0;
  uint64_t past;

  for (size_t i = 0; i < contents->world->n_queues && i < VTR_CONTENTS_MAX_QUEUES; i++)
    families[n_families++] = contents->world->queues[i].family;
  if (get == NULL)
    get = next->GetBufferDeviceAddressKHR;
  if (get == NULL ||
      vtr_layer_readback_make (
        &self->readback, contents->device, self->size + ALIGNMENT,
        VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, families,
        n_families) != VK_SUCCESS)
    return vtr_contents_fail (self->contents,
                              "The GPU has no memory left to read acceleration structures with.");
  which.buffer = self->readback.buffer;
  self->address = get (contents->device->handle, &which);
  past = self->address % ALIGNMENT;
  self->bytes = self->readback.bytes;
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
  VtrLayerDevice *device = self->contents->device;

  free (self->sizes);
  if (self->contents->gpu.lost)
    return;
  if (self->pool != VK_NULL_HANDLE)
    device->next.DestroyQueryPool (device->handle, self->pool, NULL);
  vtr_layer_readback_free (&self->readback, device);
}

/* ---- Bytes ---- */

/* The list of handles is in one part, so that a replay that changes them need not search
 * further. */
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

/* Serialises the structures from @first on for which there is room. Returns: the first one that is
 * left; 0: failed. */
static size_t
serialise_some (Serialiser *self,
                size_t      first)
{
  const VtrLayerLiveWorld *world = self->contents->world;
  const VtrDeviceDispatch *next = &self->contents->device->next;
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
  if (!vtr_contents_wait (self->contents) ||
      !vtr_contents_invalidate (self->contents, &self->readback))
    return 0;
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
