/* Decodes BC6H and BC7 blocks, whose subsets have endpoints of their own. */
#include "engine/picture/vtr-block.h"

#include <string.h>

/* Bit n: texel n is of the second subset. */
static const guint16 two_subsets[64] = {
  0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80,
  0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000,
  0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce,
  0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c,
  0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a,
  0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660,
  0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c,
  0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22
};

/* Two bits a texel: its subset. */
static const guint32 three_subsets[64] = {
  0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050,
  0x5555a0a0, 0x5a5a5050, 0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090,
  0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250, 0xa5945040, 0x0a425054,
  0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
  0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414,
  0x50a4a450, 0x6a5a0200, 0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424,
  0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50, 0x500aa550, 0xaaaa4444,
  0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
  0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580,
  0xaa141414, 0x96960000, 0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000,
  0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254
};

/* The texels whose index lacks its top bit, beside the first: of the second subset of two, of the
 * second and the third of three. */
static const guint8 anchor_of_two[64] = {
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
  15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6,
  6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15
};

static const guint8 second_anchor_of_three[64] = {
  3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3,
  3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15,
  8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15,
  3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3
};

static const guint8 third_anchor_of_three[64] = {
  15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8,
  15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8,
  15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8,
  15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8
};

static const guint8 weights2[] = { 0, 21, 43, 64 };
static const guint8 weights3[] = { 0, 9, 18, 27, 37, 46, 55, 64 };
static const guint8 weights4[] = { 0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64 };

static guint
weight_of (guint bits,
           guint index)
{
  return bits == 2 ? weights2[index] : bits == 3 ? weights3[index]
                                                 : weights4[index];
}

static guint
subset_of (guint n_subsets,
           guint partition,
           guint texel)
{
  if (n_subsets == 2)
    return two_subsets[partition] >> texel & 1;
  return n_subsets == 3 ? three_subsets[partition] >> (2 * texel) & 3 : 0;
}

static gboolean
is_anchor (guint n_subsets,
           guint partition,
           guint texel)
{
  return texel == 0 || (n_subsets == 2 && texel == anchor_of_two[partition]) ||
         (n_subsets == 3 && (texel == second_anchor_of_three[partition] ||
                             texel == third_anchor_of_three[partition]));
}

/* --- Bits ------------------------------------------------------------------------------------ */

typedef struct
{
  const guint8 *block;
  guint at;
} Bits;

/* Least significant first. */
static guint
take (Bits  *bits,
      guint  n)
{
  guint value = 0;

  for (guint i = 0; i < n; i++, bits->at++)
    value |= (guint)(bits->block[bits->at / 8] >> (bits->at % 8) & 1) << i;
  return value;
}

/* --- BC7 ------------------------------------------------------------------------------------- */

typedef struct
{
  guint8 n_subsets, partition_bits, rotation_bits, selection_bits;
  guint8 color_bits, alpha_bits;
  guint8 own_low_bits, shared_low_bits; /* per endpoint, per subset */
  guint8 index_bits, second_index_bits;
} Bc7Mode;

static const Bc7Mode bc7_modes[8] = {
  { 3, 4, 0, 0, 4, 0, 1, 0, 3, 0 },
  { 2, 6, 0, 0, 6, 0, 0, 1, 3, 0 },
  { 3, 6, 0, 0, 5, 0, 0, 0, 2, 0 },
  { 2, 6, 0, 0, 7, 0, 1, 0, 2, 0 },
  { 1, 0, 2, 1, 5, 6, 0, 0, 2, 3 },
  { 1, 0, 2, 0, 7, 8, 0, 0, 2, 2 },
  { 1, 0, 0, 0, 7, 7, 1, 0, 4, 0 },
  { 2, 6, 0, 0, 5, 5, 1, 0, 2, 0 },
};

static guint8
widen (guint value,
       guint bits)
{
  value <<= 8 - bits;
  return (guint8)(value | value >> bits);
}

/* Endpoints by subset, end and channel. */
static void
take_endpoints (Bits          *bits,
                const Bc7Mode *mode,
                guint8         out[3][2][4])
{
  const guint n = mode->n_subsets * 2u;
  guint raw[6][4];
  guint low;

  for (guint c = 0; c < 4; c++)
    for (guint i = 0; i < n; i++)
      raw[i][c] = take (bits, c < 3 ? mode->color_bits : mode->alpha_bits);
  low = mode->own_low_bits + mode->shared_low_bits;
  for (guint i = 0, bit = 0; i < n; i++)
    {
      if (low > 0 && (mode->own_low_bits > 0 || i % 2 == 0))
        bit = take (bits, 1);
      for (guint c = 0; c < 4; c++)
        {
          const guint width = c < 3 ? mode->color_bits : mode->alpha_bits;

          out[i / 2][i % 2][c] =
            width == 0 ? 255 : widen (low > 0 ? raw[i][c] << 1 | bit : raw[i][c], width + low);
        }
    }
}

static void
take_indices (Bits          *bits,
              const Bc7Mode *mode,
              guint          partition,
              guint          width,
              guint8         out[16])
{
  for (guint i = 0; i < 16; i++)
    out[i] = (guint8)take (bits, width - is_anchor (mode->n_subsets, partition, i));
}

static guint8
between (guint a,
         guint b,
         guint weight)
{
  return (guint8)((a * (64 - weight) + b * weight + 32) >> 6);
}

void
vtr_block_decode_bc7 (const guint8 *block,
                      guint         variant,
                      guint8       *texels)
{
  Bits bits = { block, 0 };
  const Bc7Mode *mode;
  guint8 ends[3][2][4];
  guint8 indices[2][16];
  guint partition, rotation, selection;
  guint number = 0;

  while (number < 8 && take (&bits, 1) == 0)
    number++;
  memset (texels, 0, 64);
  if (number == 8) /* reserved */
    return;
  mode = &bc7_modes[number];
  partition = take (&bits, mode->partition_bits);
  rotation = take (&bits, mode->rotation_bits);
  selection = take (&bits, mode->selection_bits);
  take_endpoints (&bits, mode, ends);
  take_indices (&bits, mode, partition, mode->index_bits, indices[0]);
  if (mode->second_index_bits > 0)
    take_indices (&bits, mode, partition, mode->second_index_bits, indices[1]);
  for (guint i = 0; i < 16; i++)
    {
      guint8 (*end)[4] = ends[subset_of (mode->n_subsets, partition, i)];
      guint8 *texel = texels + i * 4;

      for (guint c = 0; c < 4; c++)
        {
          const gboolean second = mode->second_index_bits > 0 && (c == 3) != (selection != 0);
          const guint width = second ? mode->second_index_bits : mode->index_bits;

          texel[c] = between (end[0][c], end[1][c], weight_of (width, indices[second][i]));
        }
      if (rotation > 0)
        {
          const guint8 alpha = texel[3];

          texel[3] = texel[rotation - 1];
          texel[rotation - 1] = alpha;
        }
    }
}

/* --- BC6H ------------------------------------------------------------------------------------ */

/* Where the bits of the endpoints lie, in the order of the block: a letter for the channel, one for
 * the endpoint (w and x of the first subset, y and z of the second), and the bits it gives, from
 * first to last. */
typedef struct
{
  guint8 code; /* the mode bits */
  gboolean delta;
  guint8 bits[4]; /* of w; of the others in red, green, blue */
  const char *layout;
} Bc6Mode;

static const Bc6Mode bc6_modes[] = {
  { 0x00, TRUE, { 10, 5, 5, 5 }, "gy4 by4 bz4 rw0-9 gw0-9 bw0-9 rx0-4 gz4 gy0-3 gx0-4 bz0 "
                                 "gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3" },
  { 0x01, TRUE, { 7, 6, 6, 6 }, "gy5 gz4-5 rw0-6 bz0-1 by4 gw0-6 by5 bz2 gy4 bw0-6 bz3 "
                                "bz5 bz4 rx0-5 gy0-3 gx0-5 gz0-3 bx0-5 by0-3 ry0-5 rz0-5" },
  { 0x02, TRUE, { 11, 5, 4, 4 }, "rw0-9 gw0-9 bw0-9 rx0-4 rw10 gy0-3 gx0-3 gw10 bz0 gz0-3 "
                                 "bx0-3 bw10 bz1 by0-3 ry0-4 bz2 rz0-4 bz3" },
  { 0x06, TRUE, { 11, 4, 5, 4 }, "rw0-9 gw0-9 bw0-9 rx0-3 rw10 gz4 gy0-3 gx0-4 gw10 gz0-3 "
                                 "bx0-3 bw10 bz1 by0-3 ry0-3 bz0 bz2 rz0-3 gy4 bz3" },
  { 0x0a, TRUE, { 11, 4, 4, 5 }, "rw0-9 gw0-9 bw0-9 rx0-3 rw10 by4 gy0-3 gx0-3 gw10 bz0 "
                                 "gz0-3 bx0-4 bw10 by0-3 ry0-3 bz1 bz2 rz0-3 bz4 bz3" },
  { 0x0e, TRUE, { 9, 5, 5, 5 }, "rw0-8 by4 gw0-8 gy4 bw0-8 bz4 rx0-4 gz4 gy0-3 gx0-4 bz0 "
                                "gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3" },
  { 0x12, TRUE, { 8, 6, 5, 5 }, "rw0-7 gz4 by4 gw0-7 bz2 gy4 bw0-7 bz3 bz4 rx0-5 gy0-3 "
                                "gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-5 rz0-5" },
  { 0x16, TRUE, { 8, 5, 6, 5 }, "rw0-7 bz0 by4 gw0-7 gy5 gy4 bw0-7 gz5 bz4 rx0-4 gz4 "
                                "gy0-3 gx0-5 gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3" },
  { 0x1a, TRUE, { 8, 5, 5, 6 }, "rw0-7 bz1 by4 gw0-7 by5 gy4 bw0-7 bz5 bz4 rx0-4 gz4 "
                                "gy0-3 gx0-4 bz0 gz0-3 bx0-5 by0-3 ry0-4 bz2 rz0-4 bz3" },
  { 0x1e, FALSE, { 6, 6, 6, 6 }, "rw0-5 gz4 bz0 bz1 by4 gw0-5 gy5 by5 bz2 gy4 bw0-5 gz5 "
                                 "bz3 bz5 bz4 rx0-5 gy0-3 gx0-5 gz0-3 bx0-5 by0-3 ry0-5 "
                                 "rz0-5" },
  { 0x03, FALSE, { 10, 10, 10, 10 }, "rw0-9 gw0-9 bw0-9 rx0-9 gx0-9 bx0-9" },
  { 0x07, TRUE, { 11, 9, 9, 9 }, "rw0-9 gw0-9 bw0-9 rx0-8 rw10 gx0-8 gw10 bx0-8 bw10" },
  { 0x0b, TRUE, { 12, 8, 8, 8 }, "rw0-9 gw0-9 bw0-9 rx0-7 rw11-10 gx0-7 gw11-10 bx0-7 "
                                 "bw11-10" },
  { 0x0f, TRUE, { 16, 4, 4, 4 }, "rw0-9 gw0-9 bw0-9 rx0-3 rw15-10 gx0-3 gw15-10 bx0-3 "
                                 "bw15-10" },
};

#define FIRST_WHOLE 10 /* modes from here have one subset */

static const Bc6Mode *
take_bc6_mode (Bits *bits)
{
  guint code = take (bits, 2);

  if (code > 1)
    code |= take (bits, 3) << 2;
  for (guint i = 0; i < G_N_ELEMENTS (bc6_modes); i++)
    if (bc6_modes[i].code == code)
      return &bc6_modes[i];
  return NULL;
}

/* By channel and endpoint. */
static void
take_layout (Bits       *bits,
             const char *layout,
             int         out[3][4])
{
  memset (out, 0, 12 * sizeof out[0][0]);
  while (*layout != '\0')
    {
      const guint channel = *layout == 'r' ? 0 : *layout == 'g' ? 1
                                                                : 2;
      const guint end = layout[1] == 'w' ? 0 : (guint)(layout[1] - 'x') + 1;
      char *next;
      const guint first = (guint)g_ascii_strtoull (layout + 2, &next, 10);
      const guint last = *next == '-' ? (guint)g_ascii_strtoull (next + 1, &next, 10) : first;

      for (guint bit = first;; bit = first < last ? bit + 1 : bit - 1)
        {
          out[channel][end] |= (int)(take (bits, 1) << bit);
          if (bit == last)
            break;
        }
      layout = next + (*next == ' ');
    }
}

static int
extend (int   value,
        guint bits)
{
  return (value & (1 << (bits - 1))) != 0 ? value - (1 << bits) : value;
}

static int
unquantize (int      value,
            guint    bits,
            gboolean is_signed)
{
  const int magnitude = ABS (value);
  int wide;

  if (!is_signed)
    {
      if (bits >= 15 || value == 0)
        return value;
      return value == (1 << bits) - 1 ? 0xffff : ((value << 16) + 0x8000) >> bits;
    }
  if (bits >= 16 || value == 0)
    return value;
  wide = magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff
                                            : ((magnitude << 15) + 0x4000) >> (bits - 1);
  return value < 0 ? -wide : wide;
}

static guint
to_half (int      value,
         gboolean is_signed)
{
  if (!is_signed)
    return (guint)(value * 31) >> 6;
  return value < 0 ? 0x8000u | (guint)(-value * 31) >> 5 : (guint)(value * 31) >> 5;
}

static void
make_bc6_ends (const Bc6Mode *mode,
               guint          n_ends,
               gboolean       is_signed,
               int            ends[3][4])
{
  const guint width = mode->bits[0];

  for (guint c = 0; c < 3; c++)
    {
      if (is_signed)
        ends[c][0] = extend (ends[c][0], width);
      for (guint i = 1; i < n_ends; i++)
        {
          if (mode->delta || is_signed)
            ends[c][i] = extend (ends[c][i], mode->bits[1 + c]);
          if (mode->delta)
            {
              ends[c][i] = (ends[c][i] + ends[c][0]) & ((1 << width) - 1);
              if (is_signed)
                ends[c][i] = extend (ends[c][i], width);
            }
        }
      for (guint i = 0; i < n_ends; i++)
        ends[c][i] = unquantize (ends[c][i], width, is_signed);
    }
}

void
vtr_block_decode_bc6h (const guint8 *block,
                       guint         is_signed,
                       guint8       *texels)
{
  const guint one = 0x3c00;
  Bits bits = { block, 0 };
  const Bc6Mode *mode = take_bc6_mode (&bits);
  guint n_subsets, width;
  guint partition = 0;
  int ends[3][4];

  if (mode == NULL) /* reserved: black */
    {
      for (guint i = 0; i < 16; i++)
        memcpy (texels + i * 8, (const guint8[]){ 0, 0, 0, 0, 0, 0, 0, one >> 8 }, 8);
      return;
    }
  n_subsets = mode - bc6_modes < FIRST_WHOLE ? 2 : 1;
  width = n_subsets == 2 ? 3 : 4;
  take_layout (&bits, mode->layout, ends);
  if (n_subsets == 2)
    partition = take (&bits, 5);
  make_bc6_ends (mode, n_subsets * 2, is_signed != 0, ends);
  for (guint i = 0; i < 16; i++)
    {
      const guint subset = subset_of (n_subsets, partition, i);
      const int weight =
        (int)weight_of (width, take (&bits, width - is_anchor (n_subsets, partition, i)));

      for (guint c = 0; c < 4; c++)
        {
          guint half = one;

          if (c < 3)
            half = to_half ((ends[c][subset * 2] * (64 - weight) +
                             ends[c][subset * 2 + 1] * weight + 32) >>
                              6,
                            is_signed != 0);
          texels[i * 8 + c * 2] = (guint8)(half & 255);
          texels[i * 8 + c * 2 + 1] = (guint8)(half >> 8);
        }
    }
}
