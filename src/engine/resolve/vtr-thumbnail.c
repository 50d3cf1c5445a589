#include "engine/resolve/vtr-thumbnail.h"

#include "engine/model/vtr-command-tree.h"
#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <png.h>

#define WIDTH 320
#define HEIGHT 180

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
  guint64 sums[3] = { 0 }, n = (guint64)(x1 - x0) * (y1 - y0);

  for (guint32 y = y0; y < y1; y++)
    {
      const guint8 *row = pixels + (gsize)y * stride;
      guint32 of_row[3] = { 0 }; /* a row has fewer texels than 2^24 */

      for (gsize at = (gsize)x0 * 4; at < (gsize)x1 * 4; at += 4)
        for (guint c = 0; c < 3; c++)
          of_row[c] += row[at + c];
      for (guint c = 0; c < 3; c++)
        sums[c] += of_row[c];
    }
  for (guint c = 0; c < 3; c++)
    out[c] = (guint8)(sums[c] / n);
  /* What a window shows is opaque. */
  out[3] = 255;
}

static guint8 *
shrink (const guint8 *pixels,
        guint32       width,
        guint32       rows,
        guint32       to_width,
        guint32       to_height)
{
  guint8 *to = g_malloc ((gsize)to_width * to_height * 4);

  for (guint32 y = 0; y < to_height; y++)
    for (guint32 x = 0; x < to_width; x++)
      {
        guint32 x0 = (guint32)((guint64)x * width / to_width);
        guint32 y0 = (guint32)((guint64)y * rows / to_height);
        guint32 x1 = (guint32)((guint64)(x + 1) * width / to_width);
        guint32 y1 = (guint32)((guint64)(y + 1) * rows / to_height);

        average (pixels, width * 4, x0, MAX (x1, x0 + 1), y0, MAX (y1, y0 + 1),
                 to + ((gsize)y * to_width + x) * 4);
      }
  return to;
}

GBytes *
vtr_thumbnail_encode (VtrImage *image,
                      guint32   height)
{
  g_autoptr (GBytes) rgba = vtr_image_to_rgba8 (image, 0, 1);
  png_image png = { .version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGBA };
  png_alloc_size_t size;
  double scale;
  g_autofree guint8 *pixels = NULL;
  g_autofree guint8 *out = NULL;

  if (rgba == NULL || image->width == 0 || image->height == 0 || height == 0 ||
      g_bytes_get_size (rgba) < (gsize)image->width * image->height * 4)
    return NULL;
  scale = MIN (1.0, MIN ((double)WIDTH / image->width, (double)HEIGHT / height));
  png.width = MAX (1, (guint32)(image->width * scale));
  png.height = MAX (1, (guint32)(height * scale));
  pixels = shrink (g_bytes_get_data (rgba, NULL), image->width, image->height, png.width,
                   png.height);
  /* Captured programs run on beside this: it compresses once, and quickly. */
  png.flags = PNG_IMAGE_FLAG_FAST;
  size = PNG_IMAGE_PNG_SIZE_MAX (png);
  out = g_malloc (size);
  if (!png_image_write_to_memory (&png, out, &size, FALSE, pixels, 0, NULL))
    return NULL;
  return g_bytes_new (out, size);
}

/* The attachments at the end of the last frame. A program that presents nothing ends with
 * everything destroyed: those of its last draw. */
static GArray *
find_attachments (VtrDocument  *document,
                  guint64      *command,
                  GError      **error)
{
  VtrTrace *trace = vtr_document_get_trace (document);
  guint64 n_frames = vtr_trace_get_n_frames (trace);
  guint64 first, last;

  if (n_frames > 0)
    {
      vtr_trace_get_frame (trace, n_frames - 1, &first, &last);
      for (guint64 i = last + 1; i-- > first;)
        {
          VtrCommandKind kind = vtr_command_kind (vtr_trace_get_command_id (trace, i));
          GArray *infos = NULL;

          if (kind == VTR_COMMAND_KIND_PRESENT || kind == VTR_COMMAND_KIND_DRAW)
            infos = vtr_document_list_attachments (document, i, NULL);
          *command = i;
          if (infos != NULL && infos->len > 0)
            return infos;
          g_clear_pointer (&infos, g_array_unref);
        }
    }
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
               _ ("“%s” has no thumbnail: its last frame is empty."),
               vtr_trace_get_path (trace));
  return NULL;
}

GBytes *
vtr_thumbnail_make (VtrDocument   *document,
                    GCancellable  *cancellable,
                    GError       **error)
{
  guint64 command;
  g_autoptr (GArray) infos = find_attachments (document, &command, error);
  g_autoptr (VtrImage) image = NULL;
  GBytes *picture;

  if (infos == NULL)
    return NULL;
  image = vtr_document_get_framebuffer (document, command,
                                        g_array_index (infos, VtrAttachmentInfo, 0).kind,
                                        cancellable, error);
  if (image == NULL)
    return NULL;
  picture = vtr_thumbnail_encode (image, image->height);
  if (picture == NULL)
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                 _ ("“%s” has no thumbnail: the format of its last frame cannot be shown."),
                 vtr_trace_get_path (vtr_document_get_trace (document)));
  return picture;
}
