/* Follows the effect of vkQueueBindSparse on living resources. */
#include "vtr-layer-live-state.h"

static uint64_t
key (const void *handle)
{
  return (uint64_t)(uintptr_t)handle;
}

/* ---- What is followed ---- */

static VtrLayerSparse *
new_for_image (const VtrLayerDevice *device,
               VkImage               image,
               const VtrLayerImage  *state)
{
  VkSparseImageMemoryRequirements aspects[VTR_LAYER_SPARSE_MAX_ASPECTS];
  uint32_t n = 0;
  VkMemoryRequirements wants;

  device->next.GetImageMemoryRequirements (device->handle, image, &wants);
  if ((state->info.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) != 0)
    {
      n = VTR_LAYER_SPARSE_MAX_ASPECTS;
      device->next.GetImageSparseMemoryRequirements (device->handle, image, &n, aspects);
    }
  return vtr_layer_sparse_new (&state->info, &wants, aspects, n);
}

static void
prepare_image (VtrLayerWorld *world,
               VkImage        handle)
{
  VtrLayerImage *state = vtr_layer_live_state (world, VTR_HANDLE_VkImage, key (handle));

  if (state != NULL && state->sparse == NULL)
    state->sparse = new_for_image (world->device, handle, state);
  if (state != NULL && state->sparse == NULL)
    vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
  world->has_sparse = true;
}

static void
prepare_buffer (VtrLayerWorld *world,
                VkBuffer       handle)
{
  VtrLayerBuffer *state = vtr_layer_live_state (world, VTR_HANDLE_VkBuffer, key (handle));

  if (state != NULL && state->sparse == NULL)
    state->sparse = vtr_layer_sparse_new (NULL, NULL, NULL, 0);
  if (state != NULL && state->sparse == NULL)
    vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
  world->has_sparse = true;
}

void
vtr_layer_live_prepare_sparse (VtrLayerWorld                   *world,
                               const VtrArgs_vkQueueBindSparse *args)
{
  for (uint32_t i = 0; i < args->bindInfoCount; i++)
    {
      const VkBindSparseInfo *each = &args->pBindInfo[i];

      for (uint32_t j = 0; j < each->bufferBindCount; j++)
        prepare_buffer (world, each->pBufferBinds[j].buffer);
      for (uint32_t j = 0; j < each->imageOpaqueBindCount; j++)
        prepare_image (world, each->pImageOpaqueBinds[j].image);
      for (uint32_t j = 0; j < each->imageBindCount; j++)
        prepare_image (world, each->pImageBinds[j].image);
    }
}

/* ---- Binding ---- */

/* Says which of the memories that have had this handle it is. */
static uint64_t
when_made (VtrLayerWorld  *world,
           VkDeviceMemory  memory)
{
  const VtrLayerObject *object =
    vtr_layer_live_find (world, VTR_HANDLE_VkDeviceMemory, key (memory));

  return object != NULL ? object->order : 0;
}

bool
vtr_layer_live_is_there (VkDeviceMemory  memory,
                         uint64_t        made,
                         void           *world)
{
  return made != 0 && when_made (world, memory) == made;
}

bool
vtr_layer_live_is_usable (VtrLayerWorld       *world,
                          const VtrLayerImage *image)
{
  VtrBuffer ranges = { 0 }, tiles = { 0 };
  const VkSparseMemoryBind *binds;
  uint64_t size = 0;

  if ((image->info.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) != 0)
    return true;
  if (image->sparse == NULL)
    return image->swapchain || image->memory != VK_NULL_HANDLE;
  vtr_layer_sparse_list (image->sparse, vtr_layer_live_is_there, world, &ranges, &tiles);
  binds = (const void *)ranges.data;
  for (size_t i = 0; i < ranges.size / sizeof *binds; i++)
    size += binds[i].size;
  vtr_buffer_finish (&ranges);
  vtr_buffer_finish (&tiles);
  return size >= vtr_layer_sparse_size (image->sparse);
}

static void
bind_ranges (VtrLayerWorld            *world,
             VtrLayerSparse           *sparse,
             uint32_t                  n,
             const VkSparseMemoryBind *binds)
{
  for (uint32_t i = 0; sparse != NULL && i < n; i++)
    if (!vtr_layer_sparse_bind (sparse, &binds[i], when_made (world, binds[i].memory)))
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
}

static void
bind_tiles (VtrLayerWorld                     *world,
            const VkSparseImageMemoryBindInfo *info)
{
  const VtrLayerImage *image =
    vtr_layer_live_state (world, VTR_HANDLE_VkImage, key (info->image));

  for (uint32_t i = 0; image != NULL && image->sparse != NULL && i < info->bindCount; i++)
    if (!vtr_layer_sparse_bind_tiles (image->sparse, &info->pBinds[i],
                                      when_made (world, info->pBinds[i].memory)))
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
}

/* In a group of devices, only the memory of the first one is followed. */
static void
check_devices (const VkBindSparseInfo *info)
{
  const VkDeviceGroupBindSparseInfo *group =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_BIND_SPARSE_INFO);

  if (group != NULL && (group->resourceDeviceIndex != 0 || group->memoryDeviceIndex != 0))
    vtr_layer_live_fail ("The program places sparse memory on several devices of a group");
}

void
vtr_layer_live_bind_sparse (VtrLayerWorld          *world,
                            const VkBindSparseInfo *info)
{
  check_devices (info);
  for (uint32_t i = 0; i < info->bufferBindCount; i++)
    {
      const VkSparseBufferMemoryBindInfo *binds = &info->pBufferBinds[i];
      const VtrLayerBuffer *buffer =
        vtr_layer_live_state (world, VTR_HANDLE_VkBuffer, key (binds->buffer));

      if (buffer != NULL)
        bind_ranges (world, buffer->sparse, binds->bindCount, binds->pBinds);
    }
  for (uint32_t i = 0; i < info->imageOpaqueBindCount; i++)
    {
      const VkSparseImageOpaqueMemoryBindInfo *binds = &info->pImageOpaqueBinds[i];
      const VtrLayerImage *image =
        vtr_layer_live_state (world, VTR_HANDLE_VkImage, key (binds->image));

      if (image != NULL)
        bind_ranges (world, image->sparse, binds->bindCount, binds->pBinds);
    }
  for (uint32_t i = 0; i < info->imageBindCount; i++)
    bind_tiles (world, &info->pImageBinds[i]);
}
