/* Converts between VkFormat and VtrPixelFormat, and between Vulkan's and Vitrine's image
 * aspects. */
#include "vulkan/vtr-vulkan-formats.h"

#include "vtr-vulkan-formats.inc"

const VtrPixelFormat *
vtr_vulkan_format_get (VkFormat format)
{
  size_t low = N_DENSE, high = vtr_vulkan_n_formats;

  if (format >= 1 && format <= N_DENSE)
    return &formats[format - 1];
  while (low < high)
    {
      const size_t middle = low + (high - low) / 2;

      if (vtr_vulkan_formats[middle] == format)
        return &formats[middle];
      if (vtr_vulkan_formats[middle] < format)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

VkFormat
vtr_vulkan_format_of (const VtrPixelFormat *format)
{
  return format != NULL ? vtr_vulkan_formats[format - formats] : VK_FORMAT_UNDEFINED;
}

VtrPixelAspect
vtr_vulkan_aspect_get (VkImageAspectFlags aspect)
{
  switch (aspect)
    {
    case VK_IMAGE_ASPECT_COLOR_BIT:
      return VTR_PIXEL_COLOR;
    case VK_IMAGE_ASPECT_DEPTH_BIT:
      return VTR_PIXEL_DEPTH;
    case VK_IMAGE_ASPECT_STENCIL_BIT:
      return VTR_PIXEL_STENCIL;
    case VK_IMAGE_ASPECT_PLANE_0_BIT:
      return VTR_PIXEL_PLANE_0;
    case VK_IMAGE_ASPECT_PLANE_1_BIT:
      return VTR_PIXEL_PLANE_1;
    case VK_IMAGE_ASPECT_PLANE_2_BIT:
      return VTR_PIXEL_PLANE_2;
    default:
      return VTR_PIXEL_NO_ASPECT;
    }
}

VkImageAspectFlagBits
vtr_vulkan_aspect_of (VtrPixelAspect aspect)
{
  static const VkImageAspectFlagBits aspects[] = {
    VK_IMAGE_ASPECT_COLOR_BIT,
    VK_IMAGE_ASPECT_DEPTH_BIT,
    VK_IMAGE_ASPECT_STENCIL_BIT,
    VK_IMAGE_ASPECT_PLANE_0_BIT,
    VK_IMAGE_ASPECT_PLANE_1_BIT,
    VK_IMAGE_ASPECT_PLANE_2_BIT,
    VK_IMAGE_ASPECT_NONE,
  };

  return aspects[aspect];
}

const VtrPixelFormat *
vtr_vulkan_format_get_aspect (VkFormat           format,
                              VkImageAspectFlags aspect)
{
  return vtr_pixel_format_get_aspect (vtr_vulkan_format_get (format),
                                      vtr_vulkan_aspect_get (aspect));
}

int
vtr_vulkan_format_get_rows (VkFormat            format,
                            VkImageAspectFlags  aspect,
                            uint32_t            width,
                            uint32_t            height,
                            uint32_t            depth,
                            VtrPixelRows       *out)
{
  return vtr_pixel_format_get_rows (vtr_vulkan_format_get (format), vtr_vulkan_aspect_get (aspect),
                                    width, height, depth, out);
}
