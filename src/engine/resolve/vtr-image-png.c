/* Images as PNG. */
#include "engine/resolve/vtr-image-private.h"

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
wants_16_bits (const VtrFormatInfo *info)
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
png_shape (const VtrFormatInfo *info)
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

static guint8 *
png_rows (VtrImage            *self,
          const VtrFormatInfo *info,
          const VtrImageRange *range,
          PngShape             shape)
{
  const guint8 *from = g_bytes_get_data (self->shown, NULL);
  gsize n = (gsize)self->width * self->height;
  guint8 *rows = g_malloc (n * shape.channels * shape.bytes);
  guint8 *to = rows;

  for (gsize i = 0; i < n; i++)
    {
      double unit[4];

      vtr_image_texel_to_unit (self, info, from + i * info->texel_bytes, range->low, range->high,
                               unit);
      for (guint c = 0; c < shape.channels; c++)
        {
          guint value = (guint)(unit[c] * (shape.bytes == 2 ? 65535 : 255) + 0.5);

          if (shape.bytes == 2)
            *to++ = (guint8)(value >> 8);
          *to++ = (guint8)value;
        }
    }
  return rows;
}

/* Kept apart and free of locals that change: setjmp. */
static gboolean
png_encode (PngSink   *sink,
            guint32    width,
            guint32    height,
            PngShape   shape,
            char      *comment,
            guint8   **rows)
{
  png_text text = { .compression = PNG_TEXT_COMPRESSION_NONE,
                    .key = (char *)"Comment",
                    .text = comment };
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
  png_set_IHDR (png, info, width, height, (int)shape.bytes * 8,
                shape.channels == 1   ? PNG_COLOR_TYPE_GRAY
                : shape.channels == 3 ? PNG_COLOR_TYPE_RGB
                                      : PNG_COLOR_TYPE_RGB_ALPHA,
                PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (comment != NULL)
    png_set_text (png, info, &text, 1);
  png_write_info (png, info);
  png_write_image (png, rows);
  png_write_end (png, NULL);
  png_destroy_write_struct (&png, &info);
  return TRUE;
}

GBytes *
vtr_image_to_png (VtrImage  *self,
                  GError   **error)
{
  const VtrFormatInfo *info = vtr_format_info_get (self->shown_format);
  const VtrImageRange range = vtr_image_find_range (self);
  PngShape shape = png_shape (info);
  g_autofree guint8 *pixels = png_rows (self, info, &range, shape);
  g_autofree char *comment =
    range.is_told ? g_strdup_printf ("Range: %.9g to %.9g", range.low, range.high) : NULL;
  g_autofree guint8 **rows = g_new (guint8 *, self->height);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  PngSink sink = { out, "" };

  for (guint32 y = 0; y < self->height; y++)
    rows[y] = pixels + (gsize)y * self->width * shape.channels * shape.bytes;
  if (!png_encode (&sink, self->width, self->height, shape, comment, rows))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _ ("The image could not be encoded: %s"),
                   sink.message);
      return NULL;
    }
  return g_byte_array_free_to_bytes (g_steal_pointer (&out));
}

/* ---- Row by row ---- */

/* Kept apart and free of locals that change: setjmp. */
static gboolean
png_encode_rows (PngSink         *sink,
                 guint32          width,
                 guint32          height,
                 guint8          *row,
                 VtrImageReadRow  read_row,
                 gpointer         data)
{
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
  png_set_filter (png, 0, PNG_FILTER_NONE);
  png_set_IHDR (png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info (png, info);
  for (guint32 y = 0; y < height; y++)
    {
      read_row (data, y, row);
      png_write_row (png, row);
    }
  png_write_end (png, NULL);
  png_destroy_write_struct (&png, &info);
  return TRUE;
}

GBytes *
vtr_image_rows_to_png (guint32         width,
                       guint32         height,
                       VtrImageReadRow read_row,
                       gpointer        data)
{
  g_autofree guint8 *row = g_malloc ((gsize)width * 3);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  PngSink sink = { out, "" };

  if (!png_encode_rows (&sink, width, height, row, read_row, data))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&out));
}
