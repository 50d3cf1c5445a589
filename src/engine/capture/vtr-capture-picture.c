/* Makes a trace's thumbnail from the rows of the presented image that the layer has copied. */
#include "engine/capture/vtr-capture-picture.h"

#include "engine/picture/vtr-image.h"
#include "wire/vtr-ring.h"
#include "vulkan/vtr-vulkan-formats.h"

#include <string.h>

#define MAX_EXTENT 65536u

GBytes *
vtr_capture_picture_make (const void       *data,
                          gsize             size,
                          VtrThumbnailRest  rest,
                          gpointer          rest_data)
{
  VtrRingPicture head;
  g_autoptr (GBytes) rows = NULL;
  g_autoptr (VtrImage) image = NULL;

  if (size < sizeof head || size > sizeof head + VTR_RING_PICTURE_MAX)
    return NULL;
  memcpy (&head, data, sizeof head);
  if (head.width == 0 || head.width > MAX_EXTENT || head.height > MAX_EXTENT ||
      head.n_rows == 0 || head.n_rows > head.height)
    return NULL;
  /* Borrowed: nothing outlives this function. */
  rows = g_bytes_new_static ((const guint8 *)data + sizeof head, size - sizeof head);
  image = vtr_image_new (vtr_vulkan_format_get ((VkFormat)head.format), VTR_PIXEL_COLOR,
                         head.width, head.n_rows, rows, NULL);
  return image != NULL ? vtr_thumbnail_encode (image, head.height, rest, rest_data) : NULL;
}
