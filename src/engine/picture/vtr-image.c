/* Converts the texels of an image to numbers and to pixels. */
#include "engine/picture/vtr-image.h"

#include <errno.h>
#include <fcntl.h>
#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/vtr-number.h"
#include "engine/picture/vtr-block.h"
#include "engine/picture/vtr-image-private.h"

G_DEFINE_QUARK (vtr - image - error - quark, vtr_image_error)

VtrImage *
vtr_image_new (const VtrPixelFormat  *format,
               VtrPixelAspect         aspect,
               guint32                width,
               guint32                height,
               GBytes                *texels,
               GError               **error)
{
  VtrBlockCodec codec;
  gboolean blocks;
  VtrPixelRows rows;
  VtrImage *self;

  blocks = vtr_block_codec_find (format, &codec);
  if (vtr_pixel_format_get_rows (format, aspect, width, height, 1, &rows) <= 0 ||
      (!blocks && !vtr_pixel_format_is_plain (rows.format)))
    {
      g_set_error (error, VTR_IMAGE_ERROR, VTR_IMAGE_ERROR_FORMAT,
                   _ ("Images of format %s cannot be shown yet."),
                   format != NULL ? format->name : "?");
      return NULL;
    }
  if (rows.width == 0 || rows.height == 0 ||
      rows.size > g_bytes_get_size (texels))
    {
      g_set_error (error, VTR_IMAGE_ERROR, VTR_IMAGE_ERROR_BYTES,
                   _ ("The replay sent %s bytes for an image of %u × %u texels"),
                   VTR_NUMBER (g_bytes_get_size (texels)), width, height);
      return NULL;
    }

  self = g_atomic_rc_box_new0 (VtrImage);
  self->format = format;
  self->aspect = aspect;
  self->width = rows.width;
  self->height = rows.height;
  self->stride = rows.row_bytes;
  self->texels = g_bytes_ref (texels);
  self->shown_format = blocks ? codec.format : rows.format;
  self->shown = blocks ? vtr_block_codec_decode (&codec, g_bytes_get_data (texels, NULL),
                                                 rows.width,
                                                 rows.height)
                       : g_bytes_ref (texels);
  self->after = G_MAXUINT64;
  self->samples = 1;
  return self;
}

VtrImage *
vtr_image_ref (VtrImage *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
image_clear (gpointer data)
{
  VtrImage *self = data;

  g_clear_pointer (&self->texels, g_bytes_unref);
  g_clear_pointer (&self->shown, g_bytes_unref);
}

void
vtr_image_unref (VtrImage *self)
{
  g_atomic_rc_box_release_full (self, image_clear);
}

/* --- Numbers --------------------------------------------------------------------------------- */

static guint64
extract_bits (const guint8            *texel,
              const VtrPixelComponent *component)
{
  guint first = component->offset / 8;
  guint shift = component->offset % 8;
  guint n = (shift + component->bits + 7) / 8;
  guint64 value = 0;

  for (guint i = 0; i < n && i < 8; i++)
    value |= (guint64)texel[first + i] << (8 * i);
  value >>= shift;
  return component->bits == 64 ? value : value & ((G_GUINT64_CONSTANT (1) << component->bits) - 1);
}

static gint64
sign_extend (guint64 value,
             guint   bits)
{
  return (gint64)(value << (64 - bits)) >> (64 - bits);
}

/* Floats of 5 exponent bits and @mantissa bits of fraction, without sign. */
static double
decode_small_float (guint64 value,
                    guint   mantissa)
{
  guint exponent = (guint)(value >> mantissa) & 31;
  double fraction = (double)(value & ((1u << mantissa) - 1)) / (double)(1u << mantissa);

  if (exponent == 31)
    return fraction == 0 ? INFINITY : NAN;
  return exponent == 0 ? ldexp (fraction, -14) : ldexp (1 + fraction, (int)exponent - 15);
}

static double
decode_float (guint64 value,
              guint   bits)
{
  if (bits == 64)
    {
      double out;

      memcpy (&out, &value, sizeof out);
      return out;
    }
  if (bits == 32)
    {
      guint32 word = (guint32)value;
      float out;

      memcpy (&out, &word, sizeof out);
      return out;
    }
  if (bits == 16)
    return (value & 0x8000 ? -1 : 1) * decode_small_float (value & 0x7fff, 10);
  return decode_small_float (value, bits - 5);
}

static double
srgb_to_linear (double v)
{
  return v <= 0.04045 ? v / 12.92 : pow ((v + 0.055) / 1.055, 2.4);
}

static double
decode_component (const VtrPixelComponent *component,
                  guint64                  value)
{
  guint bits = component->bits;
  double top = ldexp (1, (int)bits) - 1;

  switch ((VtrNumeric)component->numeric)
    {
    case VTR_NUMERIC_UNORM:
      return (double)value / top;
    case VTR_NUMERIC_SRGB:
      return component->channel == 'A' ? (double)value / top : srgb_to_linear ((double)value / top);
    case VTR_NUMERIC_SNORM:
      return MAX (-1.0, (double)sign_extend (value, bits) / (ldexp (1, (int)bits - 1) - 1));
    case VTR_NUMERIC_UINT:
    case VTR_NUMERIC_USCALED:
      return (double)value;
    case VTR_NUMERIC_SINT:
    case VTR_NUMERIC_SSCALED:
      return (double)sign_extend (value, bits);
    case VTR_NUMERIC_SFLOAT:
    case VTR_NUMERIC_UFLOAT:
      return decode_float (value, bits);
    default:
      g_assert_not_reached ();
    }
}

/* Where a channel goes in RGBA; depth and stencil count as the first. */
static guint
channel_slot (char channel)
{
  switch (channel)
    {
    case 'G':
      return 1;
    case 'B':
      return 2;
    case 'A':
      return 3;
    default:
      return 0;
    }
}

guint
vtr_image_count_channels (const VtrPixelFormat *info)
{
  guint n = 0;

  for (guint i = 0; i < info->n_components; i++)
    if (info->components[i].channel != 'E')
      n = MAX (n, channel_slot (info->components[i].channel) + 1);
  return n;
}

static void
decode_texel (const VtrPixelFormat *info,
              const guint8         *texel,
              double                out[4])
{
  guint64 exponent = 0;

  out[0] = out[1] = out[2] = 0;
  out[3] = 1;
  if (info->shared_exponent)
    exponent = extract_bits (texel, &info->components[0]);
  for (guint i = info->shared_exponent; i < info->n_components; i++)
    {
      const VtrPixelComponent *component = &info->components[i];
      guint64 value = extract_bits (texel, component);

      out[channel_slot (component->channel)] =
        info->shared_exponent ? ldexp ((double)value, (int)exponent - 15 - component->bits)
                              : decode_component (component, value);
    }
}

guint
vtr_image_read_texel (VtrImage *self,
                      guint32   x,
                      guint32   y,
                      double    out[4])
{
  const VtrPixelFormat *info = self->shown_format;
  const guint8 *texels = g_bytes_get_data (self->shown, NULL);

  g_return_val_if_fail (x < self->width && y < self->height, 0);

  decode_texel (info, texels + ((gsize)y * self->width + x) * info->block_bytes, out);
  return vtr_image_count_channels (info);
}

/* --- Pixels ---------------------------------------------------------------------------------- */

/* The display value of a component between @low and @high, in [0, 1]. sRGB stays encoded. */
static double
component_to_unit (const VtrPixelComponent *component,
                   guint64                  value,
                   double                   low,
                   double                   high)
{
  double v;

  if (component->numeric == VTR_NUMERIC_SRGB)
    v = (double)value / (ldexp (1, component->bits) - 1);
  else
    v = decode_component (component, value);
  v = high > low ? (v - low) / (high - low) : v - low;
  return isnan (v) ? 0 : CLAMP (v, 0.0, 1.0);
}

/* Writes 4 numbers in [0, 1]; depth and stencil are grey, a single colour channel stays red. */
static void
texel_to_unit (const VtrPixelFormat *info,
               const guint8         *texel,
               double                low,
               double                high,
               double                out[4])
{
  const VtrPixelComponent *first = &info->components[0];

  out[0] = out[1] = out[2] = 0;
  out[3] = 1;
  if (info->shared_exponent)
    {
      decode_texel (info, texel, out);
      for (guint i = 0; i < 3; i++)
        out[i] = CLAMP (high > low ? (out[i] - low) / (high - low) : out[i] - low, 0.0, 1.0);
      return;
    }
  for (guint i = 0; i < info->n_components; i++)
    {
      const VtrPixelComponent *component = &info->components[i];
      gboolean alpha = component->channel == 'A';

      out[channel_slot (component->channel)] = component_to_unit (
        component, extract_bits (texel, component), alpha ? 0 : low, alpha ? 1 : high);
    }
  if (first->channel == 'D' || first->channel == 'S')
    out[1] = out[2] = out[0];
}

double
vtr_overdraw_get_position (double count, double low, double high)
{
  if (low == 0 && high == 1)
    high = VTR_OVERDRAW_TOP;
  if (high <= low || count <= low)
    return 0;
  return MIN (log2 (1 + count - low) / log2 (1 + high - low), 1.0);
}

/* Each step looks brighter than the one before it and as far from it: the colour map "inferno". */
void
vtr_overdraw_get_color (double position, double rgb[3])
{
  static const guint8 stops[][3] = {
    { 0x00, 0x00, 0x04 },
    { 0x1b, 0x0c, 0x41 },
    { 0x4a, 0x0c, 0x6b },
    { 0x78, 0x1c, 0x6d },
    { 0xa5, 0x2c, 0x60 },
    { 0xcf, 0x44, 0x46 },
    { 0xed, 0x69, 0x25 },
    { 0xfb, 0x9b, 0x06 },
    { 0xf7, 0xd1, 0x3d },
    { 0xfc, 0xff, 0xa4 },
  };
  double at = CLAMP (position, 0.0, 1.0) * (G_N_ELEMENTS (stops) - 1);
  guint i = MIN ((guint)at, (guint)G_N_ELEMENTS (stops) - 2);

  for (guint c = 0; c < 3; c++)
    rgb[c] = (stops[i][c] + (stops[i + 1][c] - stops[i][c]) * (at - i)) / 255;
}

static void
count_to_unit (const guint8 *texel,
               double        low,
               double        high,
               double        out[4])
{
  float count;

  memcpy (&count, texel, sizeof count);
  vtr_overdraw_get_color (vtr_overdraw_get_position ((double)count, low, high), out);
  out[3] = 1;
}

void
vtr_image_texel_to_unit (const VtrImage       *self,
                         const VtrPixelFormat *info,
                         const guint8         *texel,
                         double                low,
                         double                high,
                         double                out[4])
{
  if (self->overlay == VTR_OVERLAY_OVERDRAW)
    count_to_unit (texel, low, high, out);
  else
    texel_to_unit (info, texel, low, high, out);
}

/* Position of the byte of channel @slot in a texel of four unsigned 8-bit components; FALSE:
 * another format. */
static gboolean
is_four_bytes (const VtrPixelFormat *info,
               guint                 position[4])
{
  if (info->n_components != 4 || info->block_bytes != 4)
    return FALSE;
  for (guint i = 0; i < 4; i++)
    {
      const VtrPixelComponent *component = &info->components[i];

      if (component->bits != 8 ||
          (component->numeric != VTR_NUMERIC_UNORM && component->numeric != VTR_NUMERIC_SRGB))
        return FALSE;
      position[channel_slot (component->channel)] = component->offset / 8;
    }
  return TRUE;
}

void
vtr_image_rows_to_rgba8 (const VtrImage *self,
                         double          low,
                         double          high,
                         guint32         first,
                         guint32         n_rows,
                         guint8         *pixels)
{
  const VtrPixelFormat *info = self->shown_format;
  const guint8 *from = (const guint8 *)g_bytes_get_data (self->shown, NULL) +
                       (gsize)self->width * first * info->block_bytes;
  gsize n = (gsize)self->width * n_rows;
  guint position[4];

  if (low == 0 && high == 1 && is_four_bytes (info, position))
    {
      for (gsize i = 0; i < n; i++)
        for (guint c = 0; c < 4; c++)
          pixels[i * 4 + c] = from[i * 4 + position[c]];
      return;
    }

  for (gsize i = 0; i < n; i++)
    {
      double unit[4];

      vtr_image_texel_to_unit (self, info, from + i * info->block_bytes, low, high, unit);
      for (guint c = 0; c < 4; c++)
        pixels[i * 4 + c] = (guint8)(unit[c] * 255 + 0.5);
    }
}

GBytes *
vtr_image_to_rgba8 (VtrImage *self,
                    double    low,
                    double    high)
{
  gsize size = (gsize)self->width * self->height * 4;
  guint8 *pixels = g_malloc (size);

  vtr_image_rows_to_rgba8 (self, low, high, 0, self->height, pixels);
  return g_bytes_new_take (pixels, size);
}

double
vtr_image_get_statistics (VtrImage *self,
                          double   *mean,
                          double   *covered)
{
  const VtrPixelFormat *info = self->shown_format;
  const guint8 *from = g_bytes_get_data (self->shown, NULL);
  gsize n = (gsize)self->width * self->height, n_covered = 0;
  double sum = 0, top = 0;

  for (gsize i = 0; i < n; i++)
    {
      double texel[4];

      decode_texel (info, from + i * info->block_bytes, texel);
      sum += texel[0];
      top = MAX (top, texel[0]);
      n_covered += texel[0] > 0;
    }
  *mean = n > 0 ? sum / (double)n : 0;
  *covered = n_covered > 0 ? sum / (double)n_covered : 0;
  return top;
}
