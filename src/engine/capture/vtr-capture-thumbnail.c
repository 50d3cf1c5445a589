#include "vtr-capture-thumbnail.h"

#include "base/vtr-buffer.h"
#include "engine/format/vtr-trace-header.h"
#include "engine/format/vtr-trace-writer.h"
#include "engine/resolve/vtr-document.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <png.h>
#include <string.h>

#define WIDTH 320
#define HEIGHT 180
/* The trace is copied to get its picture. */
#define MAX_BYTES (256u * 1024u * 1024u)

/* The end of the first frame. */
static VtrImage *
read_frame (VtrDocument  *document,
            GError      **error)
{
  VtrTrace *trace = vtr_document_get_trace (document);
  g_autoptr (GArray) infos = NULL;
  guint64 first, last;

  vtr_trace_get_frame (trace, 0, &first, &last);
  infos = vtr_document_list_attachments (document, last, error);
  if (infos == NULL || infos->len == 0)
    return NULL;
  return vtr_document_get_framebuffer (document, last,
                                       g_array_index (infos, VtrAttachmentInfo, 0).kind, NULL,
                                       error);
}

/* The mean of a box of the image; RGBA. */
static void
average (const guint8 *pixels,
         guint32       stride,
         guint32       x0,
         guint32       x1,
         guint32       y0,
         guint32       y1,
         guint8        out[4])
{
  guint64 sums[4] = { 0 }, n = (guint64)(x1 - x0) * (y1 - y0);

  for (guint32 y = y0; y < y1; y++)
    for (guint32 x = x0; x < x1; x++)
      for (guint c = 0; c < 4; c++)
        sums[c] += pixels[(gsize)y * stride + (gsize)x * 4 + c];
  for (guint c = 0; c < 4; c++)
    out[c] = (guint8)(sums[c] / n);
  /* What a window shows is opaque. */
  out[3] = 255;
}

/* @width, @height: (inout): of the image, then of the picture. */
static guint8 *
shrink (const guint8 *pixels,
        guint32      *width,
        guint32      *height)
{
  guint32 from_width = *width, from_height = *height;
  double scale = MIN (1.0, MIN ((double)WIDTH / from_width, (double)HEIGHT / from_height));
  guint32 to_width = MAX (1, (guint32)(from_width * scale));
  guint32 to_height = MAX (1, (guint32)(from_height * scale));
  guint8 *to = g_malloc ((gsize)to_width * to_height * 4);

  for (guint32 y = 0; y < to_height; y++)
    for (guint32 x = 0; x < to_width; x++)
      {
        guint32 x0 = (guint32)((guint64)x * from_width / to_width);
        guint32 y0 = (guint32)((guint64)y * from_height / to_height);
        guint32 x1 = (guint32)((guint64)(x + 1) * from_width / to_width);
        guint32 y1 = (guint32)((guint64)(y + 1) * from_height / to_height);

        average (pixels, from_width * 4, x0, MAX (x1, x0 + 1), y0, MAX (y1, y0 + 1),
                 to + ((gsize)y * to_width + x) * 4);
      }
  *width = to_width;
  *height = to_height;
  return to;
}

/* PNG. */
static GBytes *
make_picture (VtrImage *image)
{
  g_autoptr (GBytes) rgba = vtr_image_to_rgba8 (image, 0, 1);
  png_image png = { .version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGBA };
  guint32 width = image->width, height = image->height;
  g_autofree guint8 *pixels = NULL;
  g_autofree guint8 *out = NULL;
  png_alloc_size_t size = 0;

  if (rgba == NULL || width == 0 || height == 0 ||
      g_bytes_get_size (rgba) < (gsize)width * height * 4)
    return NULL;
  pixels = shrink (g_bytes_get_data (rgba, NULL), &width, &height);
  png.width = width;
  png.height = height;
  if (!png_image_write_to_memory (&png, NULL, &size, FALSE, pixels, 0, NULL))
    return NULL;
  out = g_malloc (size);
  if (!png_image_write_to_memory (&png, out, &size, FALSE, pixels, 0, NULL))
    return NULL;
  return g_bytes_new (out, size);
}

/* The header as it is, and the picture. */
static gboolean
write_header (VtrDocument  *document,
              GBytes       *picture,
              GError      **error)
{
  VtrTrace *trace = vtr_document_get_trace (document);
  GBytes *header = vtr_trace_get_header (trace);
  VtrBuffer message = { 0 };
  gboolean done = FALSE;
  const void *data;
  gsize size;

  if (header == NULL)
    return FALSE;
  data = g_bytes_get_data (header, &size);
  vtr_buffer_append (&message, data, size);
  data = g_bytes_get_data (picture, &size);
  vtr_pack_append_bytes (&message, VTR_HEADER_THUMBNAIL, data, size);
  if (!message.failed)
    done = vtr_trace_amend (vtr_trace_get_path (trace), "vitrine.Header", message.data,
                            message.size, error);
  vtr_buffer_finish (&message);
  return done;
}

gboolean
vtr_capture_thumbnail_add (const char  *path,
                           GError     **error)
{
  g_autoptr (VtrDocument) document = vtr_document_open (path, NULL, NULL, NULL, error);
  g_autoptr (VtrImage) image = NULL;
  g_autoptr (GBytes) picture = NULL;
  const VtrTraceInfo *info;

  if (document == NULL)
    return FALSE;
  info = vtr_trace_get_info (vtr_document_get_trace (document));
  if (info->truncated || info->bytes > MAX_BYTES)
    return FALSE;
  image = read_frame (document, error);
  if (image != NULL)
    picture = make_picture (image);
  return picture != NULL && write_header (document, picture, error);
}
