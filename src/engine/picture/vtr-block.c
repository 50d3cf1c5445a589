/* Lists the decoder of each format that stores texels in blocks, and decodes whole images with
 * it. */
#include "engine/picture/vtr-block.h"

#include <string.h>

/* --- Pairs of texels ------------------------------------------------------------------------- */

enum
{
  GREEN_FIRST = 1 << 0, /* G B G R, else B G R G */
  WIDE = 1 << 1,        /* 16 bits a channel, else 8 */
};

/* Two texels of 4:2:2 share what is not green. They are shown as they are, not converted. */
static void
decode_pair (const guint8 *block,
             guint         variant,
             guint8       *texels)
{
  const guint bytes = variant & WIDE ? 2 : 1;
  const guint green = variant & GREEN_FIRST ? 0 : 1;

  for (guint i = 0; i < 2; i++)
    {
      guint8 *texel = texels + i * 4 * bytes;

      memcpy (texel, block + (3 - green) * bytes, bytes);
      memcpy (texel + bytes, block + (green + 2 * i) * bytes, bytes);
      memcpy (texel + 2 * bytes, block + (1 - green) * bytes, bytes);
      memset (texel + 3 * bytes, 0xff, bytes);
    }
}

/* --- Finding --------------------------------------------------------------------------------- */

/* The format of decoded texels, by the kind of their numbers. */
static const VtrPixelFormat *
choose (VtrNumeric            numeric,
        const VtrPixelFormat *srgb,
        const VtrPixelFormat *snorm,
        const VtrPixelFormat *other)
{
  return numeric == VTR_NUMERIC_SRGB ? srgb : numeric == VTR_NUMERIC_SNORM ? snorm
                                                                           : other;
}

/* Single-plane 4:2:2: four components for two texels. */
static gboolean
find_pair (const VtrPixelFormat *format,
           VtrBlockCodec        *out)
{
  const gboolean wide = format->block_bytes == 8;

  if (format->block_extent[0] != 2 || format->block_extent[1] != 1 || format->n_components != 4)
    return FALSE;
  out->format = wide ? &vtr_pixel_rgba16_unorm : &vtr_pixel_rgba8_unorm;
  out->decode = decode_pair;
  out->variant =
    (wide ? WIDE : 0) | (format->components[0].channel == 'G' ? (guint)GREEN_FIRST : 0);
  return TRUE;
}

/* Colours of 8 bits a channel. */
static gboolean
find_rgba (VtrPixelCompression  compression,
           VtrBlockCodec       *out)
{
  static const struct
  {
    VtrPixelCompression compression;
    void (*decode) (const guint8 *block,
                    guint variant,
                    guint8 *texels);
    guint variant;
  } codecs[] = {
    { VTR_PIXEL_BC1_RGB, vtr_block_decode_bc1, FALSE },
    { VTR_PIXEL_BC1_RGBA, vtr_block_decode_bc1, TRUE },
    { VTR_PIXEL_BC2, vtr_block_decode_bc2, 0 },
    { VTR_PIXEL_BC3, vtr_block_decode_bc3, 0 },
    { VTR_PIXEL_BC7, vtr_block_decode_bc7, 0 },
    { VTR_PIXEL_ETC2_RGB, vtr_block_decode_etc2, VTR_BLOCK_ETC2_RGB },
    { VTR_PIXEL_ETC2_RGB_A1, vtr_block_decode_etc2, VTR_BLOCK_ETC2_PUNCH_THROUGH },
    { VTR_PIXEL_ETC2_RGBA, vtr_block_decode_etc2, VTR_BLOCK_ETC2_RGBA },
  };

  for (guint i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (codecs[i].compression == compression)
      {
        out->decode = codecs[i].decode;
        out->variant = codecs[i].variant;
        return TRUE;
      }
  return FALSE;
}

static gboolean
find_decoder (const VtrPixelFormat *format,
              VtrBlockCodec        *out)
{
  const VtrNumeric numeric = (VtrNumeric)format->components[0].numeric;
  const gboolean is_signed = numeric == VTR_NUMERIC_SNORM || numeric == VTR_NUMERIC_SFLOAT;

  out->format = choose (numeric, &vtr_pixel_rgba8_srgb, NULL, &vtr_pixel_rgba8_unorm);
  if (find_rgba ((VtrPixelCompression)format->compression, out))
    return TRUE;
  out->variant = (guint)is_signed;
  switch ((VtrPixelCompression)format->compression)
    {
    case VTR_PIXEL_BC4:
      out->format = choose (numeric, NULL, &vtr_pixel_r16_snorm, &vtr_pixel_r16_unorm);
      out->decode = vtr_block_decode_bc4;
      return TRUE;
    case VTR_PIXEL_BC5:
      out->format = choose (numeric, NULL, &vtr_pixel_rg16_snorm, &vtr_pixel_rg16_unorm);
      out->decode = vtr_block_decode_bc5;
      return TRUE;
    case VTR_PIXEL_BC6H:
      out->format = &vtr_pixel_rgba16_sfloat;
      out->decode = vtr_block_decode_bc6h;
      return TRUE;
    case VTR_PIXEL_EAC:
      if (format->block_bytes == 8)
        {
          out->format = choose (numeric, NULL, &vtr_pixel_r16_snorm, &vtr_pixel_r16_unorm);
          out->decode = vtr_block_decode_eac1;
          return TRUE;
        }
      out->format = choose (numeric, NULL, &vtr_pixel_rg16_snorm, &vtr_pixel_rg16_unorm);
      out->decode = vtr_block_decode_eac2;
      return TRUE;
    case VTR_PIXEL_ASTC:
      /* Not those of high dynamic range. */
      out->format = choose (numeric, &vtr_pixel_rgba8_srgb, NULL, &vtr_pixel_rgba16_unorm);
      out->decode = vtr_block_decode_astc;
      out->variant = format->block_extent[0] | (guint)format->block_extent[1] << 4 |
                     (numeric == VTR_NUMERIC_SRGB ? VTR_BLOCK_ASTC_SRGB : 0);
      return numeric == VTR_NUMERIC_UNORM || numeric == VTR_NUMERIC_SRGB;
    default:
      return FALSE;
    }
}

gboolean
vtr_block_codec_find (const VtrPixelFormat *format,
                      VtrBlockCodec        *out)
{
  if (format == NULL)
    return FALSE;
  *out = (VtrBlockCodec){
    .block_bytes = format->block_bytes,
    .width = format->block_extent[0],
    .height = format->block_extent[1],
  };
  if (format->compression == VTR_PIXEL_PLAIN ? !find_pair (format, out)
                                             : !find_decoder (format, out))
    return FALSE;
  out->texel_bytes = out->format->block_bytes;
  return TRUE;
}

GBytes *
vtr_block_codec_decode (const VtrBlockCodec *self,
                        const guint8        *blocks,
                        guint32              width,
                        guint32              height)
{
  const gsize stride = (gsize)width * self->texel_bytes;
  guint8 *out = g_malloc (stride * height);
  guint8 texels[12 * 12 * 8];

  for (guint32 y = 0; y < height; y += self->height)
    for (guint32 x = 0; x < width; x += self->width)
      {
        const gsize n = (gsize)MIN (self->width, width - x) * self->texel_bytes;

        self->decode (blocks, self->variant, texels);
        blocks += self->block_bytes;
        for (guint row = 0; row < self->height && y + row < height; row++)
          memcpy (out + (y + row) * stride + (gsize)x * self->texel_bytes,
                  texels + (gsize)row * self->width * self->texel_bytes, n);
      }
  return g_bytes_new_take (out, stride * height);
}
