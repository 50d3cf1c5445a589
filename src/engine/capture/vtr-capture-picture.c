/* Makes a trace's thumbnail from the rows of the presented image that the layer has copied. */
#include "engine/capture/vtr-capture-picture.h"

#include "engine/api/vtr-host-api.h"
#include "engine/picture/vtr-image.h"
#include "wire/vtr-ring.h"

#include <string.h>

#define MAX_EXTENT 65536u

/* The format of a picture that a process with @apis has given. One API of a process gives
 * pictures. */
static const VtrPixelFormat *
find_format (const VtrWireApi apis[VTR_WIRE_MAX_APIS],
             guint32          format)
{
  for (guint i = 0; i < VTR_WIRE_MAX_APIS; i++)
    {
      g_autofree char *prefix = g_strndup (apis[i].prefix, sizeof apis[i].prefix);
      const VtrApiModel *model = vtr_api_from_name (prefix);
      const VtrApi *api = model != NULL ? vtr_api_get (model->first_id) : NULL;

      if (api != NULL && api->host != NULL && api->host->get_picture_format != NULL)
        return api->host->get_picture_format (format);
    }
  return NULL;
}

GBytes *
vtr_capture_picture_make (const VtrWireApi  apis[VTR_WIRE_MAX_APIS],
                          const void       *data,
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
  image = vtr_image_new (find_format (apis, head.format), VTR_PIXEL_COLOR, head.width, head.n_rows,
                         rows, NULL);
  return image != NULL ? vtr_thumbnail_encode (image, head.height, rest, rest_data) : NULL;
}
