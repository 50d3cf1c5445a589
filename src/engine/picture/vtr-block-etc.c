/* Decodes ETC2 and EAC blocks, which are big-endian and store texels column by column. */
#include "engine/picture/vtr-block.h"

#include <string.h>

static guint64
read_u64 (const guint8 *at)
{
  guint64 value = 0;

  for (guint i = 0; i < 8; i++)
    value = value << 8 | at[i];
  return value;
}

/* Bits [low, low + n) of a block. */
static int
field (guint64 bits,
       guint   low,
       guint   n)
{
  return (int)(bits >> low & ((1u << n) - 1));
}

static guint8
clamp (int value)
{
  return (guint8)CLAMP (value, 0, 255);
}

/* @value of @bits bits in eight. */
static int
widen (int   value,
       guint bits)
{
  return bits == 4 ? value * 17 : (value << (8 - bits)) | (value >> (2 * bits - 8));
}

/* Position of texel @i of the block's own order in rows. */
static guint
place_of (guint i)
{
  return i % 4 * 4 + i / 4;
}

static void
put (guint8    *texels,
     guint      i,
     const int  color[3],
     int        shift,
     guint8     alpha)
{
  guint8 *texel = texels + place_of (i) * 4;

  for (guint c = 0; c < 3; c++)
    texel[c] = alpha == 0 ? 0 : clamp (color[c] + shift);
  texel[3] = alpha;
}

/* The two bits of a texel. */
static guint
index_of (guint64 bits,
          guint   i)
{
  return (guint)(bits >> (16 + i) & 1) << 1 | (guint)(bits >> i & 1);
}

/* --- Colours --------------------------------------------------------------------------------- */

static const guint8 modifiers[8][2] = {
  { 2, 8 },
  { 5, 17 },
  { 9, 29 },
  { 13, 42 },
  { 18, 60 },
  { 24, 80 },
  { 33, 106 },
  { 47, 183 },
};
static const guint8 distances[8] = { 3, 6, 11, 16, 23, 32, 41, 64 };

/* Two halves, each around a colour of its own. */
static void
decode_halves (guint64    bits,
               const int  colors[2][3],
               gboolean   opaque,
               guint8    *texels)
{
  const gboolean flipped = field (bits, 32, 1) != 0;

  for (guint i = 0; i < 16; i++)
    {
      const guint half = flipped ? i % 4 / 2 : i / 8;
      const guint8 *modifier = modifiers[field (bits, half == 0 ? 37 : 34, 3)];
      const guint index = index_of (bits, i);
      int shift = modifier[index & 1];

      if (!opaque && (index & 1) == 0)
        shift = 0;
      put (texels, i, colors[half], index >= 2 ? -shift : shift, !opaque && index == 2 ? 0 : 255);
    }
}

/* Four colours: one, and another at three distances. */
static void
decode_t (guint64   bits,
          gboolean  opaque,
          guint8   *texels)
{
  const int colors[2][3] = {
    { widen (field (bits, 59, 2) << 2 | field (bits, 56, 2), 4), widen (field (bits, 52, 4), 4),
      widen (field (bits, 48, 4), 4) },
    { widen (field (bits, 44, 4), 4), widen (field (bits, 40, 4), 4),
      widen (field (bits, 36, 4), 4) },
  };
  const int distance = distances[field (bits, 34, 2) << 1 | field (bits, 32, 1)];

  for (guint i = 0; i < 16; i++)
    {
      const guint index = index_of (bits, i);

      put (texels, i, colors[index > 0], index == 1 ? distance : index == 3 ? -distance
                                                                            : 0,
           !opaque && index == 2 ? 0 : 255);
    }
}

/* Four colours: two, each to both sides. */
static void
decode_h (guint64   bits,
          gboolean  opaque,
          guint8   *texels)
{
  const int raw[2][3] = {
    { field (bits, 59, 4), field (bits, 56, 3) << 1 | field (bits, 52, 1),
      field (bits, 51, 1) << 3 | field (bits, 47, 3) },
    { field (bits, 43, 4), field (bits, 39, 4), field (bits, 35, 4) },
  };
  const int first = raw[0][0] << 8 | raw[0][1] << 4 | raw[0][2];
  const int second = raw[1][0] << 8 | raw[1][1] << 4 | raw[1][2];
  const int distance =
    distances[field (bits, 34, 1) << 2 | field (bits, 32, 1) << 1 | (first >= second)];
  int colors[2][3];

  for (guint i = 0; i < 6; i++)
    colors[i / 3][i % 3] = widen (raw[i / 3][i % 3], 4);
  for (guint i = 0; i < 16; i++)
    {
      const guint index = index_of (bits, i);

      put (texels, i, colors[index / 2], index % 2 == 0 ? distance : -distance,
           !opaque && index == 2 ? 0 : 255);
    }
}

/* A slope over three corners. */
static void
decode_planar (guint64  bits,
               guint8  *texels)
{
  const int origin[3] = {
    widen (field (bits, 57, 6), 6),
    widen (field (bits, 56, 1) << 6 | field (bits, 49, 6), 7),
    widen (field (bits, 48, 1) << 5 | field (bits, 43, 2) << 3 | field (bits, 39, 3), 6),
  };
  const int right[3] = {
    widen (field (bits, 34, 5) << 1 | field (bits, 32, 1), 6),
    widen (field (bits, 25, 7), 7),
    widen (field (bits, 19, 6), 6),
  };
  const int down[3] = {
    widen (field (bits, 13, 6), 6),
    widen (field (bits, 6, 7), 7),
    widen (field (bits, 0, 6), 6),
  };

  for (guint i = 0; i < 16; i++)
    {
      const int x = (int)i / 4, y = (int)i % 4;
      int color[3];

      for (guint c = 0; c < 3; c++)
        color[c] =
          (x * (right[c] - origin[c]) + y * (down[c] - origin[c]) + 4 * origin[c] + 2) >> 2;
      put (texels, i, color, 0, 255);
    }
}

static void
decode_colors (guint64   bits,
               gboolean  punch_through,
               guint8   *texels)
{
  const gboolean bit = field (bits, 33, 1) != 0;
  const gboolean opaque = !punch_through || bit;
  int colors[2][3];

  if (!punch_through && !bit)
    {
      for (guint c = 0; c < 3; c++)
        {
          colors[0][c] = widen (field (bits, 60 - 8 * c, 4), 4);
          colors[1][c] = widen (field (bits, 56 - 8 * c, 4), 4);
        }
      decode_halves (bits, colors, TRUE, texels);
      return;
    }
  for (guint c = 0; c < 3; c++)
    {
      const int base = field (bits, 59 - 8 * c, 5);
      const int delta = field (bits, 56 - 8 * c, 3);
      const int other = base + (delta >= 4 ? delta - 8 : delta);

      /* A sum out of range is what chooses the other modes. */
      if (other < 0 || other > 31)
        {
          if (c == 0)
            decode_t (bits, opaque, texels);
          else if (c == 1)
            decode_h (bits, opaque, texels);
          else
            decode_planar (bits, texels);
          return;
        }
      colors[0][c] = widen (base, 5);
      colors[1][c] = widen (other, 5);
    }
  decode_halves (bits, colors, opaque, texels);
}

/* --- Channels -------------------------------------------------------------------------------- */

static const gint8 steps[16][8] = {
  { -3, -6, -9, -15, 2, 5, 8, 14 },
  { -3, -7, -10, -13, 2, 6, 9, 12 },
  { -2, -5, -8, -13, 1, 4, 7, 12 },
  { -2, -4, -6, -13, 1, 3, 5, 12 },
  { -3, -6, -8, -12, 2, 5, 7, 11 },
  { -3, -7, -9, -11, 2, 6, 8, 10 },
  { -4, -7, -8, -11, 3, 6, 7, 10 },
  { -3, -5, -8, -11, 2, 4, 7, 10 },
  { -2, -6, -8, -10, 1, 5, 7, 9 },
  { -2, -5, -8, -10, 1, 4, 7, 9 },
  { -2, -4, -8, -10, 1, 3, 7, 9 },
  { -2, -5, -7, -10, 1, 4, 6, 9 },
  { -3, -4, -7, -10, 2, 3, 6, 9 },
  { -1, -2, -3, -10, 0, 1, 2, 9 },
  { -4, -6, -8, -9, 3, 5, 7, 8 },
  { -3, -5, -7, -9, 2, 4, 6, 8 },
};

static int
step_of (guint64 bits,
         guint   i)
{
  return steps[field (bits, 48, 4)][field (bits, 45 - 3 * i, 3)];
}

void
vtr_block_decode_etc2 (const guint8 *block,
                       guint         kind,
                       guint8       *texels)
{
  guint64 alpha;

  if (kind != VTR_BLOCK_ETC2_RGBA)
    {
      decode_colors (read_u64 (block), kind == VTR_BLOCK_ETC2_PUNCH_THROUGH, texels);
      return;
    }
  alpha = read_u64 (block);
  decode_colors (read_u64 (block + 8), FALSE, texels);
  for (guint i = 0; i < 16; i++)
    texels[place_of (i) * 4 + 3] =
      clamp (field (alpha, 56, 8) + step_of (alpha, i) * field (alpha, 52, 4));
}

/* 11 bits, in 16, every @stride bytes. */
static void
decode_channel (const guint8 *block,
                gboolean      is_signed,
                guint         stride,
                guint8       *texels)
{
  const guint64 bits = read_u64 (block);
  const int factor = field (bits, 52, 4);
  const int base = is_signed ? MAX ((gint8)block[0], -127) * 8 : block[0] * 8 + 4;

  for (guint i = 0; i < 16; i++)
    {
      const int value = base + step_of (bits, i) * (factor > 0 ? factor * 8 : 1);
      int wide;

      if (is_signed)
        {
          const int magnitude = MIN (ABS (value), 1023);

          wide = magnitude << 5 | magnitude >> 5;
          wide = value < 0 ? -wide : wide;
        }
      else
        {
          const int clamped = CLAMP (value, 0, 2047);

          wide = clamped << 5 | clamped >> 6;
        }
      texels[place_of (i) * stride] = (guint8)((guint)wide & 255);
      texels[place_of (i) * stride + 1] = (guint8)((guint)wide >> 8 & 255);
    }
}

void
vtr_block_decode_eac1 (const guint8 *block,
                       guint         is_signed,
                       guint8       *texels)
{
  decode_channel (block, is_signed != 0, 2, texels);
}

void
vtr_block_decode_eac2 (const guint8 *block,
                       guint         is_signed,
                       guint8       *texels)
{
  decode_channel (block, is_signed != 0, 4, texels);
  decode_channel (block + 8, is_signed != 0, 4, texels + 2);
}
