/* Writes images as PNG files. */
#include "engine/picture/vtr-image-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <png.h>
#include <setjmp.h>

typedef struct
{
  GByteArray *out;
  char message[128];
} PngSink;

static void
png_sink_write (png_structp png,
                png_bytep   data,
                png_size_t  size)
{
  PngSink *sink = png_get_io_ptr (png);

  g_byte_array_append (sink->out, data, (guint)size);
}

static void
png_sink_flush (png_structp png)
{
}

static void
png_sink_error (png_structp     png,
                png_const_charp message)
{
  PngSink *sink = png_get_error_ptr (png);

  g_strlcpy (sink->message, message, sizeof sink->message);
  png_longjmp (png, 1);
}

static void
png_sink_warning (png_structp     png,
                  png_const_charp message)
{
}

/* Integers of 16 bits, floats and depth do not fit into 8. */
static gboolean
wants_16_bits (const VtrPixelFormat *info)
{
  for (guint i = 0; i < info->n_components; i++)
    if (info->components[i].bits > 8)
      return TRUE;
  return FALSE;
}

typedef struct
{
  guint channels; /* 1 grey, 3 RGB, 4 RGBA */
  guint bytes;    /* per channel */
} PngShape;

static PngShape
png_shape (const VtrPixelFormat *info)
{
  PngShape shape = { 3, wants_16_bits (info) ? 2 : 1 };

  if (info->components[0].channel == 'D' || info->components[0].channel == 'S')
    shape.channels = 1;
  /* Integers called alpha are no opacity. */
  for (guint i = 0; i < info->n_components; i++)
    if (info->components[i].channel == 'A' &&
        !vtr_image_is_integer ((VtrNumeric)info->components[i].numeric))
      shape.channels = 4;
  return shape;
}

typedef struct
{
  guint32 width;
  guint32 height;
  PngShape shape;
  char *comment; /* NULL: none */
  gboolean fast; /* somewhat larger */
  VtrImageReadRow read_row;
  gpointer data;
} PngSource;

/* Kept apart and free of locals that change: setjmp. @row: has room for one */
static gboolean
png_encode (PngSink         *sink,
            const PngSource *from,
            guint8          *row)
{
  png_text text = { .compression = PNG_TEXT_COMPRESSION_NONE,
                    .key = (char *)"Comment",
                    .text = from->comment };
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, sink, png_sink_error,
                                             png_sink_warning);
  png_infop info = png != NULL ? png_create_info_struct (png) : NULL;

  if (info == NULL || setjmp (png_jmpbuf (png)) != 0)
    {
      png_destroy_write_struct (&png, NULL);
      return FALSE;
    }
  png_set_write_fn (png, sink, png_sink_write, png_sink_flush);
  png_set_compression_level (png, 3);
  if (from->fast)
    png_set_filter (png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
  png_set_IHDR (png, info, from->width, from->height, (int)from->shape.bytes * 8,
                from->shape.channels == 1   ? PNG_COLOR_TYPE_GRAY
                : from->shape.channels == 3 ? PNG_COLOR_TYPE_RGB
                                            : PNG_COLOR_TYPE_RGB_ALPHA,
                PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (from->comment != NULL)
    png_set_text (png, info, &text, 1);
  png_write_info (png, info);
  for (guint32 y = 0; y < from->height; y++)
    {
      from->read_row (from->data, y, row);
      png_write_row (png, row);
    }
  png_write_end (png, NULL);
  png_destroy_write_struct (&png, &info);
  return TRUE;
}

static GBytes *
png_write (const PngSource  *from,
           GError          **error)
{
  g_autofree guint8 *row =
    g_malloc_n (from->width, (gsize)from->shape.channels * from->shape.bytes);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  PngSink sink = { out, "" };

  if (!png_encode (&sink, from, row))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _ ("The image could not be encoded: %s"),
                   sink.message);
      return NULL;
    }
  return g_byte_array_free_to_bytes (g_steal_pointer (&out));
}

GBytes *
vtr_image_rows_to_png (guint32         width,
                       guint32         height,
                       VtrImageReadRow read_row,
                       gpointer        data)
{
  const PngSource source = {
    .width = width,
    .height = height,
    .shape = { 3, 1 },
    .fast = TRUE,
    .read_row = read_row,
    .data = data,
  };

  return png_write (&source, NULL);
}

/* ---- Whole images ---- */

typedef struct
{
  const VtrImage *image;
  const VtrPixelFormat *info;
  VtrImageRange range;
  PngShape shape;
} PngImage;

static void
read_row (gpointer  data,
          guint32   y,
          guint8   *to)
{
  const PngImage *self = data;
  const guint32 width = self->image->width;
  const guint8 *from = (const guint8 *)g_bytes_get_data (self->image->shown, NULL) +
                       (gsize)y * width * self->info->block_bytes;

  for (guint32 x = 0; x < width; x++)
    {
      double unit[4];

      vtr_image_texel_to_unit (self->image, self->info, from + (gsize)x * self->info->block_bytes,
                               self->range.low, self->range.high, unit);
      for (guint c = 0; c < self->shape.channels; c++)
        {
          guint value = (guint)(unit[c] * (self->shape.bytes == 2 ? 65535 : 255) + 0.5);

          if (self->shape.bytes == 2)
            *to++ = (guint8)(value >> 8);
          *to++ = (guint8)value;
        }
    }
}

GBytes *
vtr_image_to_png (VtrImage  *self,
                  GError   **error)
{
  const VtrPixelFormat *info = self->shown_format;
  const VtrImageRange range = vtr_image_find_range (self);
  PngImage image = { self, info, range, png_shape (info) };
  g_autofree char *comment =
    range.is_told ? g_strdup_printf ("Range: %.9g to %.9g", range.low, range.high) : NULL;
  const PngSource source = {
    .width = self->width,
    .height = self->height,
    .shape = image.shape,
    .comment = comment,
    .read_row = read_row,
    .data = &image,
  };

  return png_write (&source, error);
}
