/* Scales an image down and encodes it as the thumbnail that a trace carries. */
#include "engine/picture/vtr-thumbnail.h"

#include "engine/picture/vtr-image-private.h"
#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#define WIDTH 320
#define HEIGHT 180

typedef struct
{
  const VtrImage *image;
  guint32 width, height; /* of the thumbnail */
  guint8 *pixels;        /* rows of the image that one of the thumbnail stands for; RGBA */
  VtrThumbnailRest rest;
  gpointer data;
} Shrinker;

/* The mean of columns @x0 to @x1 of @n_rows rows. */
static void
average (const Shrinker *self,
         guint32         x0,
         guint32         x1,
         guint32         n_rows,
         guint8          out[3])
{
  guint64 sums[3] = { 0 }, n = (guint64)(x1 - x0) * n_rows;

  for (guint32 y = 0; y < n_rows; y++)
    {
      const guint8 *row = self->pixels + (gsize)y * self->image->width * 4;
      guint32 of_row[3] = { 0 }; /* a row has fewer texels than 2^24 */

      for (gsize at = (gsize)x0 * 4; at < (gsize)x1 * 4; at += 4)
        for (guint c = 0; c < 3; c++)
          of_row[c] += row[at + c];
      for (guint c = 0; c < 3; c++)
        sums[c] += of_row[c];
    }
  for (guint c = 0; c < 3; c++)
    out[c] = (guint8)(sums[c] / n);
}

static guint32
scale (guint32 at,
       guint32 from,
       guint32 to)
{
  return (guint32)((guint64)at * to / from);
}

static void
shrink_row (gpointer  data,
            guint32   y,
            guint8   *rgb)
{
  const Shrinker *self = data;
  const VtrImage *image = self->image;
  guint32 y0 = scale (y, self->height, image->height);
  guint32 y1 = MAX (scale (y + 1, self->height, image->height), y0 + 1);

  vtr_image_rows_to_rgba8 (image, 0, 1, y0, y1 - y0, self->pixels);
  for (guint32 x = 0; x < self->width; x++)
    {
      guint32 x0 = scale (x, self->width, image->width);
      guint32 x1 = MAX (scale (x + 1, self->width, image->width), x0 + 1);

      average (self, x0, x1, y1 - y0, rgb + (gsize)x * 3);
    }
  if (self->rest != NULL)
    self->rest (self->data);
}

GBytes *
vtr_thumbnail_encode (const VtrImage   *image,
                      guint32           height,
                      VtrThumbnailRest  rest,
                      gpointer          data)
{
  Shrinker shrinker = { .image = image, .rest = rest, .data = data };
  g_autofree guint8 *pixels = NULL;
  double factor;

  if (image->width == 0 || image->height == 0 || height == 0)
    return NULL;
  factor = MIN (1.0, MIN ((double)WIDTH / image->width, (double)HEIGHT / height));
  shrinker.width = MAX (1, (guint32)(image->width * factor));
  shrinker.height = MAX (1, (guint32)(height * factor));
  pixels = g_malloc_n ((gsize)image->height / shrinker.height + 2, (gsize)image->width * 4);
  shrinker.pixels = pixels;
  return vtr_image_rows_to_png (shrinker.width, shrinker.height, shrink_row, &shrinker);
}
