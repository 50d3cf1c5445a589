/* Decodes BC1 to BC5 blocks. */
#include "engine/picture/vtr-block.h"

static guint
read_u16 (const guint8 *at)
{
  return at[0] | (guint)at[1] << 8;
}

/* --- Colours --------------------------------------------------------------------------------- */

static void
expand_565 (guint  value,
            guint8 out[3])
{
  const guint r = value >> 11, g = value >> 5 & 63, b = value & 31;

  out[0] = (guint8)(r << 3 | r >> 2);
  out[1] = (guint8)(g << 2 | g >> 4);
  out[2] = (guint8)(b << 3 | b >> 2);
}

/* @three: the order of the endpoints may choose three colours and black, with @alpha
 * transparent. */
static void
decode_colors (const guint8 *block,
               gboolean      three,
               guint8        black_alpha,
               guint8       *texels)
{
  const guint first = read_u16 (block), second = read_u16 (block + 2);
  guint8 colors[4][4] = { { 0, 0, 0, 255 }, { 0, 0, 0, 255 }, { 0, 0, 0, 255 }, { 0, 0, 0, 255 } };

  expand_565 (first, colors[0]);
  expand_565 (second, colors[1]);
  for (guint c = 0; c < 3; c++)
    {
      const guint a = colors[0][c], b = colors[1][c];

      if (!three || first > second)
        {
          colors[2][c] = (guint8)((2 * a + b) / 3);
          colors[3][c] = (guint8)((a + 2 * b) / 3);
        }
      else
        colors[2][c] = (guint8)((a + b) / 2);
    }
  if (three && first <= second)
    colors[3][3] = black_alpha;
  for (guint i = 0; i < 16; i++)
    for (guint c = 0; c < 4; c++)
      texels[i * 4 + c] = colors[block[4 + i / 4] >> (2 * (i % 4)) & 3][c];
}

void
vtr_block_decode_bc1 (const guint8 *block,
                      guint         transparent,
                      guint8       *texels)
{
  decode_colors (block, TRUE, transparent ? 0 : 255, texels);
}

void
vtr_block_decode_bc2 (const guint8 *block,
                      guint         variant,
                      guint8       *texels)
{
  decode_colors (block + 8, FALSE, 255, texels);
  for (guint i = 0; i < 16; i++)
    texels[i * 4 + 3] = (guint8)((block[i / 2] >> (4 * (i % 2)) & 15) * 17);
}

/* --- Channels -------------------------------------------------------------------------------- */

/* The eight values between two endpoints, in units of 1/35 of those of the endpoints; or, not @six
 * of them, four and the ends of the range. */
static void
make_ramp (int      first,
           int      second,
           gboolean six,
           int      low,
           int      high,
           int      out[8])
{
  out[0] = first * 35;
  out[1] = second * 35;
  if (six)
    {
      for (int i = 1; i < 7; i++)
        out[1 + i] = ((7 - i) * first + i * second) * 5;
      return;
    }
  for (int i = 1; i < 5; i++)
    out[1 + i] = ((5 - i) * first + i * second) * 7;
  out[6] = low * 35;
  out[7] = high * 35;
}

static guint
index_of (const guint8 *block,
          guint         texel)
{
  guint64 bits = 0;

  for (guint i = 0; i < 6; i++)
    bits |= (guint64)block[2 + i] << (8 * i);
  return (guint)(bits >> (3 * texel)) & 7;
}

void
vtr_block_decode_bc3 (const guint8 *block,
                      guint         variant,
                      guint8       *texels)
{
  int ramp[8];

  decode_colors (block + 8, FALSE, 255, texels);
  make_ramp (block[0], block[1], block[0] > block[1], 0, 255, ramp);
  for (guint i = 0; i < 16; i++)
    texels[i * 4 + 3] = (guint8)((ramp[index_of (block, i)] + 17) / 35);
}

/* 16-bit values every @step bytes. */
static void
decode_channel (const guint8 *block,
                gboolean      is_signed,
                guint         step,
                guint8       *texels)
{
  /* -128 means what -127 does, but counts where the order matters. */
  const gboolean six =
    is_signed ? (gint8)block[0] > (gint8)block[1] : block[0] > block[1];
  const int first = is_signed ? MAX ((gint8)block[0], -127) : block[0];
  const int second = is_signed ? MAX ((gint8)block[1], -127) : block[1];
  const int top = is_signed ? 127 : 255;
  int ramp[8];

  make_ramp (first, second, six, is_signed ? -127 : 0, top, ramp);
  for (guint i = 0; i < 16; i++)
    {
      const double unit = ramp[index_of (block, i)] / (35.0 * top);
      const int value = (int)(unit * (is_signed ? 32767 : 65535) + (unit < 0 ? -0.5 : 0.5));

      texels[i * step] = (guint8)((guint)value & 255);
      texels[i * step + 1] = (guint8)((guint)value >> 8 & 255);
    }
}

void
vtr_block_decode_bc4 (const guint8 *block,
                      guint         is_signed,
                      guint8       *texels)
{
  decode_channel (block, is_signed != 0, 2, texels);
}

void
vtr_block_decode_bc5 (const guint8 *block,
                      guint         is_signed,
                      guint8       *texels)
{
  decode_channel (block, is_signed != 0, 4, texels);
  decode_channel (block + 8, is_signed != 0, 4, texels + 2);
}
