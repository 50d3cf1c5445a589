/* Finds the images into which the host copies bytes (VK_EXT_host_image_copy), and counts how many
 * of them the driver reads. */
#include "vtr-layer-host-copy.h"

#include "vtr-layer-trampolines.h"

#include "vulkan/vtr-vulkan-formats.h"

#include <stdlib.h>

#ifdef VK_EXT_host_image_copy

/* The layer's data about an image. */
typedef struct
{
  VkFormat format;
  uint32_t layers;
} HostImage;

static uint64_t
key_of (VkImage image)
{
  return (uint64_t)(uintptr_t)image;
}

void
vtr_layer_host_copy_created (VtrLayerDevice          *device,
                             VkImage                  image,
                             const VkImageCreateInfo *info)
{
  HostImage *self;

  if ((info->usage & VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT) == 0)
    return;
  self = malloc (sizeof *self);
  if (self == NULL)
    return;
  *self = (HostImage){ info->format, info->arrayLayers };
  free (vtr_layer_map_take (&device->host_images, key_of (image)));
  if (!vtr_layer_map_set (&device->host_images, key_of (image), self))
    free (self);
}

void
vtr_layer_host_copy_destroyed (VtrLayerDevice *device,
                               VkImage         image)
{
  free (vtr_layer_map_take (&device->host_images, key_of (image)));
}

/* Bytes of a row of blocks. Returns: 0: unknown. */
static uint64_t
row_size (const VtrPixelFormat *texel,
          uint32_t              width)
{
  VtrPixelRows rows;

  return vtr_pixel_format_get_rows (texel, (VtrPixelAspect)texel->planes[0].kind, width, 1, 1,
                                    &rows) > 0
           ? rows.size
           : 0;
}

/* Bytes of texels in rows, from the first to the last one. */
static size_t
size_of_rows (const HostImage              *image,
              const VkMemoryToImageCopyEXT *region,
              uint32_t                      n_layers)
{
  /* Extents of one plane count the texels of that plane. */
  const VtrPixelFormat *texel =
    vtr_vulkan_format_get_aspect (image->format, region->imageSubresource.aspectMask);
  const uint32_t width =
    region->memoryRowLength != 0 ? region->memoryRowLength : region->imageExtent.width;
  const uint32_t height =
    region->memoryImageHeight != 0 ? region->memoryImageHeight : region->imageExtent.height;
  const uint64_t stride = texel != NULL ? row_size (texel, width) : 0;
  const uint64_t last = texel != NULL ? row_size (texel, region->imageExtent.width) : 0;
  const uint64_t n_slices = (uint64_t)region->imageExtent.depth * n_layers;
  uint64_t block, rows, size;

  if (stride == 0 || n_slices == 0 || region->imageExtent.height == 0)
    return 0;
  block = texel->block_extent[1];
  rows = (region->imageExtent.height + block - 1) / block;
  if (__builtin_mul_overflow (stride, (height + block - 1) / block, &size) ||
      __builtin_mul_overflow (size, n_slices - 1, &size) ||
      __builtin_add_overflow (size, (rows - 1) * stride, &size) ||
      __builtin_add_overflow (size, last, &size))
    return 0;
  return size;
}

/* Bytes of whole subresources in the driver's own order. */
static size_t
size_of_driver_order (VtrLayerDevice                   *device,
                      const VkCopyMemoryToImageInfoEXT *info,
                      const VkMemoryToImageCopyEXT     *region,
                      uint32_t                          n_layers)
{
  const VkImageSubresource2EXT subresource = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT,
    .imageSubresource = { region->imageSubresource.aspectMask, region->imageSubresource.mipLevel,
                          region->imageSubresource.baseArrayLayer },
  };
  VkSubresourceHostMemcpySizeEXT size = {
    .sType = VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE_EXT,
  };
  VkSubresourceLayout2EXT layout = {
    .sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT,
    .pNext = &size,
  };

  if (device->next.GetImageSubresourceLayout2EXT != NULL)
    device->next.GetImageSubresourceLayout2EXT (device->handle, info->dstImage, &subresource,
                                                &layout);
#ifdef VK_KHR_maintenance5
  else if (device->next.GetImageSubresourceLayout2KHR != NULL)
    device->next.GetImageSubresourceLayout2KHR (device->handle, info->dstImage, &subresource,
                                                &layout);
#endif
#ifdef VK_API_VERSION_1_4
  else if (device->next.GetImageSubresourceLayout2 != NULL)
    device->next.GetImageSubresourceLayout2 (device->handle, info->dstImage, &subresource,
                                             &layout);
#endif
  return size.size * n_layers;
}

size_t
vtr_layer_host_copy_size (VtrLayerDevice *device,
                          const void     *call,
                          const void     *element)
{
  const VkCopyMemoryToImageInfoEXT *info = call;
  const VkMemoryToImageCopyEXT *region = element;
  const HostImage *image = vtr_layer_map_get (&device->host_images, key_of (info->dstImage));
  uint32_t n_layers;

  if (image == NULL)
    return 0;
  n_layers = region->imageSubresource.layerCount;
  if (n_layers == VK_REMAINING_ARRAY_LAYERS)
    n_layers = image->layers - region->imageSubresource.baseArrayLayer;
  return (info->flags & VK_HOST_IMAGE_COPY_MEMCPY_EXT) != 0
           ? size_of_driver_order (device, info, region, n_layers)
           : size_of_rows (image, region, n_layers);
}

#else

void
vtr_layer_host_copy_created (VtrLayerDevice          *device,
                             VkImage                  image,
                             const VkImageCreateInfo *info)
{
  (void)device, (void)image, (void)info;
}

void
vtr_layer_host_copy_destroyed (VtrLayerDevice *device,
                               VkImage         image)
{
  (void)device, (void)image;
}

size_t
vtr_layer_host_copy_size (VtrLayerDevice *device,
                          const void     *call,
                          const void     *element)
{
  (void)device, (void)call, (void)element;
  return 0;
}

#endif
