/* The pages of vtr-app-demo-sparse: resources without memory, and what is bound to them. */
#include "vtr-app-demo-sparse.h"

#include <string.h>

#define POOL 96u /* pages */

/* --- Binding --------------------------------------------------------------------------------- */

VkDeviceSize
vtr_sparse_take (VtrSparse    *self,
                 VkDeviceSize  size)
{
  const VkDeviceSize at = (VkDeviceSize)self->n_taken * VTR_SPARSE_PAGE;

  self->n_taken += (uint32_t)((size + VTR_SPARSE_PAGE - 1) / VTR_SPARSE_PAGE);
  if (self->n_taken > POOL)
    vtr_app_fail ("there are too few pages");
  return at;
}

/* Binds with nothing to wait for. */
static void
bind_now (VtrSparse        *self,
          VkBindSparseInfo *info)
{
  const VkDevice device = self->demo.scene.gpu.device;

  info->sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO;
  vtr_app_check (vkQueueBindSparse (self->demo.scene.gpu.queue, 1, info, self->fence),
                 "vkQueueBindSparse");
  vtr_app_check (vkWaitForFences (device, 1, &self->fence, VK_TRUE, UINT64_MAX),
                 "vkWaitForFences");
  vtr_app_check (vkResetFences (device, 1, &self->fence), "vkResetFences");
}

void
vtr_sparse_bind_buffer (VtrSparse      *self,
                        VkBuffer        buffer,
                        VkDeviceSize    at,
                        VkDeviceSize    size,
                        VkDeviceMemory  memory,
                        VkDeviceSize    offset)
{
  const VkSparseMemoryBind bind = { at, size, memory, offset, 0 };
  const VkSparseBufferMemoryBindInfo one = { buffer, 1, &bind };
  VkBindSparseInfo info = { .bufferBindCount = 1, .pBufferBinds = &one };

  bind_now (self, &info);
}

static void
bind_opaque (VtrSparse               *self,
             VkImage                  image,
             VkDeviceSize             at,
             VkDeviceSize             size,
             VkDeviceSize             offset,
             VkSparseMemoryBindFlags  flags)
{
  const VkSparseMemoryBind bind = { at, size, self->pool, offset, flags };
  const VkSparseImageOpaqueMemoryBindInfo one = { image, 1, &bind };
  VkBindSparseInfo info = { .imageOpaqueBindCount = 1, .pImageOpaqueBinds = &one };

  bind_now (self, &info);
}

VkSparseImageMemoryBind
vtr_sparse_tile (const VtrSparsePicture *self,
                 uint32_t                mip,
                 uint32_t                layer,
                 uint32_t                x,
                 uint32_t                y,
                 uint32_t                z,
                 VkDeviceMemory          memory,
                 VkDeviceSize            offset)
{
  return (VkSparseImageMemoryBind){
    .subresource = { VK_IMAGE_ASPECT_COLOR_BIT, mip, layer },
    .offset = { (int32_t)(x * self->tile.width), (int32_t)(y * self->tile.height),
                (int32_t)(z * self->tile.depth) },
    .extent = self->tile,
    .memory = memory,
    .memoryOffset = offset,
  };
}

void
vtr_sparse_bind_tiles (VtrSparse                     *self,
                       const VtrSparsePicture        *picture,
                       uint32_t                       n,
                       const VkSparseImageMemoryBind *binds)
{
  const VkSparseImageMemoryBindInfo one = { picture->picture->image, n, binds };
  VkBindSparseInfo info = { .imageBindCount = 1, .pImageBinds = &one };

  bind_now (self, &info);
}

/* --- Making ---------------------------------------------------------------------------------- */

static void
name (VtrSparse    *self,
      VkObjectType  type,
      uint64_t      handle,
      const char   *text)
{
  const VkDebugUtilsObjectNameInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
    .objectType = type,
    .objectHandle = handle,
    .pObjectName = text,
  };

  vtr_app_check (self->demo.scene.set_name (self->demo.scene.gpu.device, &info),
                 "vkSetDebugUtilsObjectNameEXT");
}

VkBuffer
vtr_sparse_buffer (VtrSparse           *self,
                   const char          *text,
                   VkDeviceSize         size,
                   VkBufferCreateFlags  flags)
{
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT | flags,
    .size = size,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  };
  VkMemoryRequirements wants;
  VkBuffer buffer;

  vtr_app_check (vkCreateBuffer (self->demo.scene.gpu.device, &info, NULL, &buffer),
                 "vkCreateBuffer");
  vkGetBufferMemoryRequirements (self->demo.scene.gpu.device, buffer, &wants);
  if (VTR_SPARSE_PAGE % wants.alignment != 0)
    vtr_app_demo_skip ("sparse pages of 64 KiB");
  if (text != NULL)
    name (self, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer, text);
  return buffer;
}

/* Metadata and the mip tail; of all others, how large a tile is. */
static void
bind_common (VtrSparse        *self,
             VtrSparsePicture *picture)
{
  const VtrAppPictureInfo *info = &picture->picture->info;
  VkSparseImageMemoryRequirements wants[8];
  uint32_t n = 8;

  vkGetImageSparseMemoryRequirements (self->demo.scene.gpu.device, picture->picture->image, &n,
                                      wants);
  for (uint32_t i = 0; i < n; i++)
    {
      const bool metadata =
        (wants[i].formatProperties.aspectMask & VK_IMAGE_ASPECT_METADATA_BIT) != 0;
      const bool single =
        (wants[i].formatProperties.flags & VK_SPARSE_IMAGE_FORMAT_SINGLE_MIPTAIL_BIT) != 0;

      if (!metadata)
        {
          picture->tile = wants[i].formatProperties.imageGranularity;
          picture->tail =
            wants[i].imageMipTailSize > 0 ? wants[i].imageMipTailFirstLod : info->mips;
        }
      if (wants[i].imageMipTailSize == 0 ||
          (!metadata && wants[i].imageMipTailFirstLod >= info->mips))
        continue;
      for (uint32_t layer = 0; layer < (single ? 1 : info->layers); layer++)
        bind_opaque (self, picture->picture->image,
                     wants[i].imageMipTailOffset + layer * wants[i].imageMipTailStride,
                     wants[i].imageMipTailSize, vtr_sparse_take (self, wants[i].imageMipTailSize),
                     metadata ? VK_SPARSE_MEMORY_BIND_METADATA_BIT : 0);
    }
}

VkDeviceSize
vtr_sparse_picture (VtrSparse          *self,
                    VtrSparsePicture   *picture,
                    const char         *text,
                    VkImageType         type,
                    VkExtent3D          extent,
                    uint32_t            mips,
                    uint32_t            layers,
                    VkImageCreateFlags  flags)
{
  VtrAppScene *scene = &self->demo.scene;
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | flags,
    .imageType = type,
    .format = VTR_APP_DEMO_FORMAT,
    .extent = extent,
    .mipLevels = mips,
    .arrayLayers = layers,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  };
  VtrAppPicture *made = &scene->pictures[scene->n_pictures++];
  VkMemoryRequirements wants;

  *made = (VtrAppPicture){ .info = { .name = text,
                                     .format = info.format,
                                     .type = type,
                                     .extent = extent,
                                     .mips = mips,
                                     .layers = layers,
                                     .samples = info.samples,
                                     .flags = info.flags } };
  vtr_app_check (vkCreateImage (scene->gpu.device, &info, NULL, &made->image), "vkCreateImage");
  name (self, VK_OBJECT_TYPE_IMAGE, (uint64_t)made->image, text);
  vkGetImageMemoryRequirements (scene->gpu.device, made->image, &wants);
  if (VTR_SPARSE_PAGE % wants.alignment != 0)
    vtr_app_demo_skip ("sparse pages of 64 KiB");
  picture->picture = made;
  if ((flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) != 0)
    bind_common (self, picture);
  return wants.size;
}

void
vtr_sparse_memory (VtrSparse *self)
{
  VkMemoryRequirements wants;
  void *map;

  vkGetBufferMemoryRequirements (self->demo.scene.gpu.device, self->holes, &wants);
  wants.size = POOL * VTR_SPARSE_PAGE;
  self->pool =
    vtr_app_allocate (&self->demo.scene.gpu, &wants, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  wants.size = 4 * VTR_SPARSE_PAGE;
  self->mapped = vtr_app_allocate (&self->demo.scene.gpu, &wants,
                                   VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  vtr_app_check (
    vkMapMemory (self->demo.scene.gpu.device, self->mapped, 0, VK_WHOLE_SIZE, 0, &map),
    "vkMapMemory");
  self->map = map;
  memset (map, 0, (size_t)wants.size);
}

VkSemaphore
vtr_sparse_semaphore (VtrSparse       *self,
                      VkSemaphoreType  kind)
{
  const VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = kind,
  };
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                       .pNext = &type };
  VkSemaphore semaphore;

  vtr_app_check (vkCreateSemaphore (self->demo.scene.gpu.device, &info, NULL, &semaphore),
                 "vkCreateSemaphore");
  VTR_APP_KEEP (&self->demo.scene, SEMAPHORE, semaphore);
  return semaphore;
}
