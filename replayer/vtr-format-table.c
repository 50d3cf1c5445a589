#include "vtr-format-table.h"

#include "api/vtr-vulkan.h"

const VtrFormatInfo *
vtr_format_info (uint32_t format)
{
  size_t low = 0, high = vtr_n_formats;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (vtr_format_table[middle].format == format)
        return &vtr_format_table[middle];
      if (vtr_format_table[middle].format < format)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

static uint32_t
divide_up (uint32_t a,
           uint32_t b)
{
  return a / b + (a % b != 0);
}

/* Bytes of depth texels as copies have them: X8D24 and D24 take 4. */
static uint32_t
depth_bytes (const VtrFormatInfo *info)
{
  return info->depth_bits == 0 ? 0 : info->depth_bits <= 16 ? 2
                                                            : 4;
}

int
vtr_format_aspect_extent (uint32_t         format,
                          uint32_t         aspect,
                          uint32_t         width,
                          uint32_t         height,
                          uint32_t         depth,
                          VtrFormatExtent *out)
{
  const VtrFormatInfo *info = vtr_format_info (format);
  const VtrFormatInfo *texel = info;
  uint64_t size = 0, blocks;
  unsigned plane = 3;

  if (info == NULL)
    return 0;
  *out = (VtrFormatExtent){ width, height, depth, 0 };
  switch (aspect)
    {
    case VK_IMAGE_ASPECT_COLOR_BIT:
      size = info->depth_bits == 0 && info->stencil_bits == 0 && info->n_planes == 0
               ? info->block_bytes
               : 0;
      break;
    case VK_IMAGE_ASPECT_DEPTH_BIT:
      size = depth_bytes (info);
      break;
    case VK_IMAGE_ASPECT_STENCIL_BIT:
      size = info->stencil_bits / 8;
      break;
    case VK_IMAGE_ASPECT_PLANE_0_BIT:
      plane = 0;
      break;
    case VK_IMAGE_ASPECT_PLANE_1_BIT:
      plane = 1;
      break;
    case VK_IMAGE_ASPECT_PLANE_2_BIT:
      plane = 2;
      break;
    default:
      return 0;
    }
  if (plane < info->n_planes)
    {
      texel = vtr_format_info (info->planes[plane].compatible);
      if (texel == NULL)
        return 0;
      size = texel->block_bytes;
      out->width = divide_up (width, info->planes[plane].width_divisor);
      out->height = divide_up (height, info->planes[plane].height_divisor);
    }
  if (size == 0)
    return 0;
  if (__builtin_mul_overflow ((uint64_t)divide_up (out->width, texel->block_extent[0]),
                              (uint64_t)divide_up (out->height, texel->block_extent[1]), &blocks) ||
      __builtin_mul_overflow (blocks, (uint64_t)divide_up (depth, texel->block_extent[2]),
                              &blocks) ||
      __builtin_mul_overflow (blocks, size, &out->size))
    return -1;
  return 1;
}
