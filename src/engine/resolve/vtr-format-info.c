#include "engine/resolve/vtr-format-info.h"

#include <stdbool.h>
#include <stdlib.h>

#include "vtr-format-table.inc"

static int
compare_format (const void *key,
                const void *entry)
{
  VkFormat a = *(const VkFormat *)key;
  VkFormat b = ((const VtrFormatInfo *)entry)->format;

  return (a > b) - (a < b);
}

const VtrFormatInfo *
vtr_format_info_get (VkFormat format)
{
  return bsearch (&format, vtr_formats, G_N_ELEMENTS (vtr_formats), sizeof vtr_formats[0],
                  compare_format);
}

/* NULL: unknown. O(log n). */
static const VtrFormatShape *
get_shape (VkFormat format)
{
  G_STATIC_ASSERT (G_STRUCT_OFFSET (VtrFormatShape, format) == 0);
  G_STATIC_ASSERT (G_STRUCT_OFFSET (VtrFormatInfo, format) == 0);

  return bsearch (&format, vtr_shapes, G_N_ELEMENTS (vtr_shapes), sizeof vtr_shapes[0],
                  compare_format);
}

/* Position of a plane aspect; 3: it is none. */
static guint
plane_of (VkImageAspectFlagBits aspect)
{
  switch (aspect)
    {
    case VK_IMAGE_ASPECT_PLANE_0_BIT:
      return 0;
    case VK_IMAGE_ASPECT_PLANE_1_BIT:
      return 1;
    case VK_IMAGE_ASPECT_PLANE_2_BIT:
      return 2;
    default:
      return 3;
    }
}

static const VtrFormatComponent *
find_channel (const VtrFormatInfo *info,
              char                 channel)
{
  for (guint i = 0; info != NULL && i < info->n_components; i++)
    if (info->components[i].channel == channel)
      return &info->components[i];
  return NULL;
}

const VtrFormatInfo *
vtr_format_info_get_aspect (VkFormat              format,
                            VkImageAspectFlagBits aspect)
{
  const VtrFormatInfo *info = vtr_format_info_get (format);
  const VtrFormatComponent *depth = find_channel (info, 'D');
  const VtrFormatComponent *stencil = find_channel (info, 'S');

  if (plane_of (aspect) < 3)
    {
      const VtrFormatShape *shape = get_shape (format);

      return shape != NULL && plane_of (aspect) < shape->n_planes
               ? vtr_format_info_get (shape->planes[plane_of (aspect)].compatible)
               : NULL;
    }
  if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
    return stencil != NULL ? vtr_format_info_get (VK_FORMAT_S8_UINT) : NULL;
  if (aspect != VK_IMAGE_ASPECT_DEPTH_BIT)
    return depth == NULL && stencil == NULL ? info : NULL;
  if (depth == NULL)
    return NULL;
  switch (depth->bits)
    {
    case 16:
      return vtr_format_info_get (VK_FORMAT_D16_UNORM);
    case 24:
      return vtr_format_info_get (VK_FORMAT_X8_D24_UNORM_PACK32);
    default:
      return vtr_format_info_get (VK_FORMAT_D32_SFLOAT);
    }
}

gboolean
vtr_format_has_aspect (VkFormat              format,
                       VkImageAspectFlagBits aspect)
{
  const VtrFormatShape *shape = get_shape (format);
  const VtrFormatInfo *info = vtr_format_info_get (format);
  gboolean depth = find_channel (info, 'D') != NULL;
  gboolean stencil = find_channel (info, 'S') != NULL;

  if (shape == NULL)
    return FALSE;
  if (aspect == VK_IMAGE_ASPECT_COLOR_BIT)
    return !depth && !stencil && shape->n_planes == 0;
  if (aspect == VK_IMAGE_ASPECT_DEPTH_BIT)
    return depth;
  if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
    return stencil;
  return plane_of (aspect) < shape->n_planes;
}

static gsize
divide_up (guint32 a,
           guint32 b)
{
  return a / b + (a % b != 0);
}

gboolean
vtr_format_get_rows (VkFormat               format,
                     VkImageAspectFlagBits  aspect,
                     guint32                width,
                     guint32                height,
                     VtrFormatRows         *out)
{
  const VtrFormatShape *shape = get_shape (format);
  const VtrFormatInfo *info;
  guint plane = plane_of (aspect);
  gsize bytes;

  if (!vtr_format_has_aspect (format, aspect))
    return FALSE;
  *out = (VtrFormatRows){ .format = format, .width = width, .height = height };
  if (plane < shape->n_planes)
    {
      out->format = shape->planes[plane].compatible;
      out->width = (guint32)divide_up (width, shape->planes[plane].width_divisor);
      out->height = (guint32)divide_up (height, shape->planes[plane].height_divisor);
      shape = get_shape (out->format);
      if (shape == NULL)
        return FALSE;
    }
  info = vtr_format_info_get_aspect (out->format, plane < 3 ? VK_IMAGE_ASPECT_COLOR_BIT : aspect);
  if (info != NULL)
    out->format = info->format;
  bytes = info != NULL ? info->texel_bytes : shape->block_bytes;
  out->n_rows = divide_up (out->height, shape->block_extent[1]);
  return g_size_checked_mul (&out->stride, divide_up (out->width, shape->block_extent[0]), bytes) &&
         out->stride > 0 && out->n_rows <= G_MAXSIZE / out->stride;
}
