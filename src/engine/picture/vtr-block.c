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

#define RGBA(decode, bytes, variant) \
  { \
    VK_FORMAT_R8G8B8A8_UNORM, 4, bytes, 4, 4, decode, variant \
  }
#define SRGBA(decode, bytes, variant) \
  { \
    VK_FORMAT_R8G8B8A8_SRGB, 4, bytes, 4, 4, decode, variant \
  }
#define ONE(decode, variant) \
  { \
    variant ? VK_FORMAT_R16_SNORM : VK_FORMAT_R16_UNORM, 2, 8, 4, 4, decode, variant \
  }
#define TWO(decode, variant) \
  { \
    variant ? VK_FORMAT_R16G16_SNORM : VK_FORMAT_R16G16_UNORM, 4, 16, 4, 4, decode, variant \
  }
#define PAIR(variant) \
  { \
    (variant) & WIDE ? VK_FORMAT_R16G16B16A16_UNORM : VK_FORMAT_R8G8B8A8_UNORM, \
      (variant)&WIDE ? 8 : 4, \
      (variant)&WIDE ? 8 : 4, \
      2, \
      1, \
      decode_pair, \
      variant \
  }

#define ASTC(width, height) \
  { VK_FORMAT_ASTC_##width##x##height##_UNORM_BLOCK, \
    { VK_FORMAT_R16G16B16A16_UNORM, 8, 16, width, height, vtr_block_decode_astc, \
      (width) | (height) << 4 } }, \
  { \
    VK_FORMAT_ASTC_##width##x##height##_SRGB_BLOCK, \
    { \
      VK_FORMAT_R8G8B8A8_SRGB, 4, 16, width, height, vtr_block_decode_astc, \
        (width) | (height) << 4 | VTR_BLOCK_ASTC_SRGB \
    } \
  }

static const struct
{
  VkFormat format;
  VtrBlockCodec codec;
} codecs[] = {
  { VK_FORMAT_BC1_RGB_UNORM_BLOCK, RGBA (vtr_block_decode_bc1, 8, FALSE) },
  { VK_FORMAT_BC1_RGB_SRGB_BLOCK, SRGBA (vtr_block_decode_bc1, 8, FALSE) },
  { VK_FORMAT_BC1_RGBA_UNORM_BLOCK, RGBA (vtr_block_decode_bc1, 8, TRUE) },
  { VK_FORMAT_BC1_RGBA_SRGB_BLOCK, SRGBA (vtr_block_decode_bc1, 8, TRUE) },
  { VK_FORMAT_BC2_UNORM_BLOCK, RGBA (vtr_block_decode_bc2, 16, 0) },
  { VK_FORMAT_BC2_SRGB_BLOCK, SRGBA (vtr_block_decode_bc2, 16, 0) },
  { VK_FORMAT_BC3_UNORM_BLOCK, RGBA (vtr_block_decode_bc3, 16, 0) },
  { VK_FORMAT_BC3_SRGB_BLOCK, SRGBA (vtr_block_decode_bc3, 16, 0) },
  { VK_FORMAT_BC4_UNORM_BLOCK, ONE (vtr_block_decode_bc4, FALSE) },
  { VK_FORMAT_BC4_SNORM_BLOCK, ONE (vtr_block_decode_bc4, TRUE) },
  { VK_FORMAT_BC5_UNORM_BLOCK, TWO (vtr_block_decode_bc5, FALSE) },
  { VK_FORMAT_BC5_SNORM_BLOCK, TWO (vtr_block_decode_bc5, TRUE) },
  { VK_FORMAT_BC6H_UFLOAT_BLOCK,
    { VK_FORMAT_R16G16B16A16_SFLOAT, 8, 16, 4, 4, vtr_block_decode_bc6h, FALSE } },
  { VK_FORMAT_BC6H_SFLOAT_BLOCK,
    { VK_FORMAT_R16G16B16A16_SFLOAT, 8, 16, 4, 4, vtr_block_decode_bc6h, TRUE } },
  { VK_FORMAT_BC7_UNORM_BLOCK, RGBA (vtr_block_decode_bc7, 16, 0) },
  { VK_FORMAT_BC7_SRGB_BLOCK, SRGBA (vtr_block_decode_bc7, 16, 0) },
  { VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, RGBA (vtr_block_decode_etc2, 8, VTR_BLOCK_ETC2_RGB) },
  { VK_FORMAT_ETC2_R8G8B8_SRGB_BLOCK, SRGBA (vtr_block_decode_etc2, 8, VTR_BLOCK_ETC2_RGB) },
  { VK_FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK,
    RGBA (vtr_block_decode_etc2, 8, VTR_BLOCK_ETC2_PUNCH_THROUGH) },
  { VK_FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK,
    SRGBA (vtr_block_decode_etc2, 8, VTR_BLOCK_ETC2_PUNCH_THROUGH) },
  { VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, RGBA (vtr_block_decode_etc2, 16, VTR_BLOCK_ETC2_RGBA) },
  { VK_FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK, SRGBA (vtr_block_decode_etc2, 16, VTR_BLOCK_ETC2_RGBA) },
  { VK_FORMAT_EAC_R11_UNORM_BLOCK, ONE (vtr_block_decode_eac1, FALSE) },
  { VK_FORMAT_EAC_R11_SNORM_BLOCK, ONE (vtr_block_decode_eac1, TRUE) },
  { VK_FORMAT_EAC_R11G11_UNORM_BLOCK, TWO (vtr_block_decode_eac2, FALSE) },
  { VK_FORMAT_EAC_R11G11_SNORM_BLOCK, TWO (vtr_block_decode_eac2, TRUE) },
  ASTC (4, 4),
  ASTC (5, 4),
  ASTC (5, 5),
  ASTC (6, 5),
  ASTC (6, 6),
  ASTC (8, 5),
  ASTC (8, 6),
  ASTC (8, 8),
  ASTC (10, 5),
  ASTC (10, 6),
  ASTC (10, 8),
  ASTC (10, 10),
  ASTC (12, 10),
  ASTC (12, 12),
  { VK_FORMAT_G8B8G8R8_422_UNORM, PAIR (GREEN_FIRST) },
  { VK_FORMAT_B8G8R8G8_422_UNORM, PAIR (0) },
  { VK_FORMAT_G10X6B10X6G10X6R10X6_422_UNORM_4PACK16, PAIR (GREEN_FIRST | WIDE) },
  { VK_FORMAT_B10X6G10X6R10X6G10X6_422_UNORM_4PACK16, PAIR (WIDE) },
  { VK_FORMAT_G12X4B12X4G12X4R12X4_422_UNORM_4PACK16, PAIR (GREEN_FIRST | WIDE) },
  { VK_FORMAT_B12X4G12X4R12X4G12X4_422_UNORM_4PACK16, PAIR (WIDE) },
  { VK_FORMAT_G16B16G16R16_422_UNORM, PAIR (GREEN_FIRST | WIDE) },
  { VK_FORMAT_B16G16R16G16_422_UNORM, PAIR (WIDE) },
};

gboolean
vtr_block_codec_find (VkFormat       format,
                      VtrBlockCodec *out)
{
  for (guint i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (codecs[i].format == format)
      {
        *out = codecs[i].codec;
        return TRUE;
      }
  return FALSE;
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
