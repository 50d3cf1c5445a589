/* Submits work of the layer to the program's queues, and keeps the memory for its results. */
#include "vtr-layer-contents-private.h"

#include "vtr-layer-readback.h"

#include "base/vtr-grow.h"

#include <stdlib.h>

/* Where parts begin: a multiple of every texel block's bytes, of which some are divisible by 3. */
#define ALIGNMENT 768u
#define TIMEOUT_NS (30ull * 1000 * 1000 * 1000)

/* ---- Queues ---- */

static bool
keeps_images (const VtrLayerLiveQueue *from,
              const VtrLayerLiveQueue *to)
{
  return from->family == to->family ||
         (to->family < 32 && (from->image_families >> to->family & 1) != 0);
}

/* Which of the @n queues may have an image that queue number @owner had in the last call that the
 * layer follows: a bit each. Without a barrier, the program may have used it on other queues since,
 * as far as the driver takes images from one family to another. */
static uint32_t
find_holders (const VtrLayerLiveQueue *queues,
              size_t                   n,
              size_t                   owner)
{
  uint32_t holders = 1u << owner, before;

  do
    {
      before = holders;
      for (size_t from = 0; from < n; from++)
        for (size_t to = 0; to < n; to++)
          if ((holders >> from & 1) != 0 && keeps_images (&queues[from], &queues[to]))
            holders |= 1u << to;
    }
  while (holders != before);
  return holders;
}

/* Whether queue @nth can take the image from each of @holders, and give it back, with what it
 * holds. */
static bool
is_safe (const VtrLayerLiveQueue *queues,
         size_t                   n,
         uint32_t                 holders,
         size_t                   nth)
{
  for (size_t i = 0; i < n; i++)
    if ((holders >> i & 1) != 0 &&
        !(keeps_images (&queues[i], &queues[nth]) && keeps_images (&queues[nth], &queues[i])))
      return false;
  return true;
}

/* The owner itself if it can; where others may have the image, one that can take it from each and
 * give it back. If there is none, the owner. */
static size_t
find_queue_for_owner (const VtrLayerLiveQueue *queues,
                      size_t                   n,
                      size_t                   owner,
                      VkQueueFlags             flags)
{
  const uint32_t holders = find_holders (queues, n, owner);
  const bool able = (queues[owner].flags & flags) == flags;

  if (able && is_safe (queues, n, holders, owner))
    return owner + 1;
  for (size_t i = 0; i < n; i++)
    if ((queues[i].flags & flags) == flags && is_safe (queues, n, holders, i))
      return i + 1;
  return able ? owner + 1 : 0;
}

size_t
vtr_contents_find_queue (const VtrContents *self,
                         uint32_t           owner,
                         VkQueueFlags       flags)
{
  const VkQueueFlags all = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  const VtrLayerLiveWorld *world = self->world;
  size_t n = world->n_queues < VTR_CONTENTS_MAX_QUEUES ? world->n_queues : VTR_CONTENTS_MAX_QUEUES;
  size_t best = 0;

  for (size_t i = 0; i < n; i++)
    if (owner != VK_QUEUE_FAMILY_IGNORED && world->queues[i].family == owner)
      return find_queue_for_owner (world->queues, n, i, flags);
  for (size_t i = 0; i < n; i++)
    {
      VkQueueFlags has = world->queues[i].flags;

      if ((has & flags) != flags || (has & (all | VK_QUEUE_TRANSFER_BIT)) == 0)
        continue;
      if ((has & all) == all)
        return i + 1;
      if (best == 0 || (has & VK_QUEUE_GRAPHICS_BIT) != 0)
        best = i + 1;
    }
  return best;
}

/* ---- Staging memory ---- */

bool
vtr_contents_prepare (VtrContents *self)
{
  VtrContentsGpu *gpu = &self->gpu;
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  uint32_t families[VTR_CONTENTS_MAX_QUEUES];
  uint32_t n = 0;

  if (gpu->fence != VK_NULL_HANDLE)
    return true;
  for (size_t i = 0; i < self->world->n_queues && i < VTR_CONTENTS_MAX_QUEUES; i++)
    families[n++] = self->world->queues[i].family;
  if (gpu->staging.readback.bytes == NULL)
    vtr_layer_staging_take (&gpu->staging, self->device);
  return (vtr_layer_staging_make (&gpu->staging, self->device, families, n) &&
          self->device->next.CreateFence (self->device->handle, &fence, NULL, &gpu->fence) ==
            VK_SUCCESS) ||
         vtr_contents_fail (self, "The GPU has no memory left to read contents with.");
}

void
vtr_contents_gpu_finish (VtrContents *self)
{
  const VtrDeviceDispatch *next = &self->device->next;
  VtrContentsGpu *gpu = &self->gpu;
  VkDevice device = self->device->handle;

  free (gpu->parts);
  if (gpu->lost)
    return;
  for (size_t i = 0; i < VTR_CONTENTS_MAX_QUEUES; i++)
    if (gpu->pools[i] != VK_NULL_HANDLE)
      next->DestroyCommandPool (device, gpu->pools[i], NULL);
  if (gpu->fence != VK_NULL_HANDLE)
    next->DestroyFence (device, gpu->fence, NULL);
  vtr_layer_staging_give (&gpu->staging, self->device);
}

/* ---- Recording ---- */

static bool
create_commands (VtrContents *self,
                 size_t       nth)
{
  const VtrDeviceDispatch *next = &self->device->next;
  VtrContentsGpu *gpu = &self->gpu;
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    .queueFamilyIndex = self->world->queues[nth].family,
  };
  VkCommandBufferAllocateInfo buffer = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandBufferCount = 1,
  };

  if (gpu->commands[nth] != VK_NULL_HANDLE)
    return true;
  if (next->CreateCommandPool (self->device->handle, &pool, NULL, &gpu->pools[nth]) != VK_SUCCESS)
    return vtr_contents_fail (self, "The GPU has no memory left to read contents with.");
  buffer.commandPool = gpu->pools[nth];
  if (next->AllocateCommandBuffers (self->device->handle, &buffer, &gpu->commands[nth]) !=
      VK_SUCCESS)
    return vtr_contents_fail (self, "The GPU has no memory left to read contents with.");
  /* Sets the dispatch word, as the loader does for the program: layers below find their device by
   * it. */
  *(void **)gpu->commands[nth] = *(void **)self->device->handle;
  return true;
}

static bool
open_commands (VtrContents *self,
               size_t       place)
{
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };
  VtrContentsGpu *gpu = &self->gpu;

  if (gpu->open == place)
    return true;
  if (!vtr_contents_run (self) || !vtr_contents_prepare (self) ||
      !create_commands (self, place - 1))
    return false;
  if (self->device->next.BeginCommandBuffer (gpu->commands[place - 1], &begin) != VK_SUCCESS)
    return vtr_contents_fail (self, "The GPU has no memory left to read contents with.");
  gpu->open = place;
  return true;
}

VkCommandBuffer
vtr_contents_open (VtrContents *self,
                   size_t       place)
{
  return open_commands (self, place) ? self->gpu.commands[place - 1] : VK_NULL_HANDLE;
}

static bool
append_part (VtrContents           *self,
             const VtrContentsPart *part)
{
  VtrContentsGpu *gpu = &self->gpu;
  VtrContentsPart *parts =
    vtr_grow (gpu->parts, &gpu->n_allocated, gpu->n_parts + 1, sizeof *parts);

  if (parts == NULL)
    return vtr_contents_fail (self, "The program has no memory left.");
  gpu->parts = parts;
  gpu->parts[gpu->n_parts++] = *part;
  return true;
}

VkCommandBuffer
vtr_contents_begin (VtrContents     *self,
                    size_t           place,
                    VtrContentsPart *part)
{
  VtrContentsGpu *gpu = &self->gpu;

  if (part->size > VTR_CONTENTS_STAGING - gpu->used && !vtr_contents_run (self))
    return VK_NULL_HANDLE;
  if (part->size > VTR_CONTENTS_STAGING)
    {
      vtr_contents_fail (self, "A row of an image is too long to be read.");
      return VK_NULL_HANDLE;
    }
  if (!open_commands (self, place))
    return VK_NULL_HANDLE;
  part->at = gpu->used;
  if (!append_part (self, part))
    return VK_NULL_HANDLE;
  gpu->used += (part->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (gpu->used > VTR_CONTENTS_STAGING)
    gpu->used = VTR_CONTENTS_STAGING;
  return gpu->commands[place - 1];
}

/* ---- Running ---- */

static void
make_visible (VtrContents     *self,
              VkCommandBuffer  commands)
{
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
  };

  self->device->next.CmdPipelineBarrier (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                         VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                                         NULL);
}

bool
vtr_contents_wait (VtrContents *self)
{
  const VtrDeviceDispatch *next = &self->device->next;
  VtrContentsGpu *gpu = &self->gpu;
  size_t place = gpu->open;
  VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1 };
  VkResult result;
  bool ok = true;

  if (place == 0)
    return true;
  gpu->open = 0;
  vtr_layer_staging_populate (&gpu->staging, gpu->used);
  make_visible (self, gpu->commands[place - 1]);
  result = next->EndCommandBuffer (gpu->commands[place - 1]);
  submit.pCommandBuffers = &gpu->commands[place - 1];
  if (result == VK_SUCCESS)
    result = next->QueueSubmit (self->world->queues[place - 1].queue, 1, &submit, gpu->fence);
  if (result == VK_SUCCESS)
    {
      /* It waits for the GPU even where recording has failed: what the GPU uses cannot be freed. */
      ok = vtr_contents_begin_records (self);
      result =
        next->WaitForFences (self->device->handle, 1, &gpu->fence, VK_TRUE, TIMEOUT_NS);
      gpu->lost = result != VK_SUCCESS;
    }
  if (result == VK_SUCCESS)
    result = next->ResetFences (self->device->handle, 1, &gpu->fence);
  if (result != VK_SUCCESS)
    return vtr_contents_fail (self, "The GPU did not read the contents of memory (VkResult %d).",
                              (int)result);
  return ok;
}

bool
vtr_contents_invalidate (VtrContents            *self,
                         const VtrLayerReadback *readback)
{
  VkResult result = vtr_layer_readback_invalidate (readback, self->device);

  return result == VK_SUCCESS ||
         vtr_contents_fail (self, "The GPU's copy of memory could not be read (VkResult %d).",
                            (int)result);
}

bool
vtr_contents_run (VtrContents *self)
{
  VtrContentsGpu *gpu = &self->gpu;
  bool ok = vtr_contents_wait (self);

  if (ok && gpu->n_parts > 0)
    ok = vtr_contents_invalidate (self, &gpu->staging.readback);
  for (size_t i = 0; ok && i < gpu->n_parts; i++)
    {
      VtrContentsPart *part = &gpu->parts[i];
      uint8_t *bytes = gpu->staging.readback.bytes + part->at;

      if (part->words)
        vtr_contents_pack_samples (part, bytes);
      ok = part->image != NULL
             ? vtr_contents_put_image (self, part, bytes)
             : vtr_contents_put_memory (self, part->memory, part->offset, bytes, part->size,
                                        false);
    }
  gpu->n_parts = 0;
  gpu->used = 0;
  return ok;
}
