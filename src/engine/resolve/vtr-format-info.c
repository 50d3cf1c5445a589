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
