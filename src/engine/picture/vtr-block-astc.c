/* Decodes ASTC blocks (two-dimensional, low dynamic range). Names and numbers are those of the
 * Khronos Data Format specification 1.3, chapter 23. */
#include "engine/picture/vtr-astc-numbers.h"
#include "engine/picture/vtr-block.h"

#include <string.h>

#define MOST_TEXELS 144u /* of a block */
#define MOST_WEIGHTS 64u
#define MOST_VALUES 18u /* of end points */
#define MOST_PARTS 4u

#define FEWEST_COLOR_LEVELS 4u /* place in .ranges */

typedef struct
{
  const guint8 *data;
  guint width, height; /* of the block, texels */
  gboolean srgb;

  guint grid_width, grid_height;
  gboolean two_planes;
  guint second_channel; /* that the second plane is for */
  VtrAstcRange weights;
  guint n_parts;
  guint part_seed;
  guint modes[MOST_PARTS];      /* of end points */
  guint color_start, color_end; /* bits */

  gint ends[MOST_PARTS][2][4];
  guint8 grid[2][MOST_WEIGHTS + 16]; /* of the planes; zeroes behind */
} Block;

/* --- End points ------------------------------------------------------------------------------ */

static gint
clamp_byte (gint value)
{
  return CLAMP (value, 0, 255);
}

static void
set_end (gint *end,
         gint  r,
         gint  g,
         gint  b,
         gint  a)
{
  end[0] = clamp_byte (r);
  end[1] = clamp_byte (g);
  end[2] = clamp_byte (b);
  end[3] = clamp_byte (a);
}

static void
set_contracted (gint *end,
                gint  r,
                gint  g,
                gint  b,
                gint  a)
{
  set_end (end, (r + b) >> 1, (g + b) >> 1, b, a);
}

/* Moves the top bit of @offset to @base; what is left of it has a sign. */
static void
transfer_bit (gint *offset,
              gint *base)
{
  *base = *base >> 1 | (*offset & 0x80);
  *offset = *offset >> 1 & 0x3f;
  if ((*offset & 0x20) != 0)
    *offset -= 0x40;
}

/* Modes 8 and 12. */
static void
set_direct (gint  ends[2][4],
            gint *v,
            gint  a0,
            gint  a1)
{
  if (v[1] + v[3] + v[5] >= v[0] + v[2] + v[4])
    {
      set_end (ends[0], v[0], v[2], v[4], a0);
      set_end (ends[1], v[1], v[3], v[5], a1);
    }
  else
    {
      set_contracted (ends[0], v[1], v[3], v[5], a1);
      set_contracted (ends[1], v[0], v[2], v[4], a0);
    }
}

/* Modes 9 and 13; @a, @da: alpha and its offset. */
static void
set_offset (gint  ends[2][4],
            gint *v,
            gint  a,
            gint  da)
{
  for (guint i = 0; i < 6; i += 2)
    transfer_bit (&v[i + 1], &v[i]);
  if (v[1] + v[3] + v[5] >= 0)
    {
      set_end (ends[0], v[0], v[2], v[4], a);
      set_end (ends[1], v[0] + v[1], v[2] + v[3], v[4] + v[5], a + da);
    }
  else
    {
      set_contracted (ends[0], v[0] + v[1], v[2] + v[3], v[4] + v[5], a + da);
      set_contracted (ends[1], v[0], v[2], v[4], a);
    }
}

static void
set_ends (gint   ends[2][4],
          guint  mode,
          gint  *v)
{
  gint low;

  switch (mode)
    {
    case 0:
      set_end (ends[0], v[0], v[0], v[0], 255);
      set_end (ends[1], v[1], v[1], v[1], 255);
      break;
    case 1:
      low = v[0] >> 2 | (v[1] & 0xc0);
      set_end (ends[0], low, low, low, 255);
      low += v[1] & 0x3f;
      set_end (ends[1], low, low, low, 255);
      break;
    case 4:
      set_end (ends[0], v[0], v[0], v[0], v[2]);
      set_end (ends[1], v[1], v[1], v[1], v[3]);
      break;
    case 5:
      transfer_bit (&v[1], &v[0]);
      transfer_bit (&v[3], &v[2]);
      set_end (ends[0], v[0], v[0], v[0], v[2]);
      set_end (ends[1], v[0] + v[1], v[0] + v[1], v[0] + v[1], v[2] + v[3]);
      break;
    case 6:
    case 10:
      set_end (ends[0], v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8,
               mode == 10 ? v[4] : 255);
      set_end (ends[1], v[0], v[1], v[2], mode == 10 ? v[5] : 255);
      break;
    case 8:
      set_direct (ends, v, 255, 255);
      break;
    case 12:
      set_direct (ends, v, v[6], v[7]);
      break;
    case 9:
      set_offset (ends, v, 255, 0);
      break;
    case 13:
      transfer_bit (&v[7], &v[6]);
      set_offset (ends, v, v[6], v[7]);
      break;
    default: /* of high dynamic range: an error where only this part is */
      set_end (ends[0], 255, 0, 255, 255);
      set_end (ends[1], 255, 0, 255, 255);
      break;
    }
}

static gboolean
read_ends (Block *self)
{
  guint digits[MOST_VALUES] = { 0 }, lows[MOST_VALUES] = { 0 };
  gint values[MOST_VALUES + 8] = { 0 };
  guint n = 0, at = 0;
  gint nth = G_N_ELEMENTS (vtr_astc_ranges) - 1;

  for (guint i = 0; i < self->n_parts; i++)
    n += 2 * ((self->modes[i] >> 2) + 1);
  if (n > MOST_VALUES || self->color_end <= self->color_start)
    return FALSE;
  while (nth >= (gint)FEWEST_COLOR_LEVELS &&
         vtr_astc_count_bits (vtr_astc_ranges[nth], n) > self->color_end - self->color_start)
    nth--;
  if (nth < (gint)FEWEST_COLOR_LEVELS)
    return FALSE;
  vtr_astc_read_numbers (self->data, self->color_start,
                         self->color_start + vtr_astc_count_bits (vtr_astc_ranges[nth], n),
                         vtr_astc_ranges[nth], n, digits, lows);
  for (guint i = 0; i < n; i++)
    values[i] = (gint)vtr_astc_expand_color (vtr_astc_ranges[nth], digits[i], lows[i]);
  for (guint i = 0; i < self->n_parts; i++)
    {
      set_ends (self->ends[i], self->modes[i], values + at);
      at += 2 * ((self->modes[i] >> 2) + 1);
    }
  return TRUE;
}

/* --- The head of a block --------------------------------------------------------------------- */

/* How large the grid of weights is. Returns: which range its numbers have, by R; 0: none. */
static guint
read_grid (Block    *self,
           gboolean *high)
{
  const guint mode = vtr_astc_get_bits (self->data, 0, 11);
  const guint a = mode >> 5 & 3;
  const guint b = mode >> 7 & 3;

  self->two_planes = (mode >> 10 & 1) != 0;
  *high = (mode >> 9 & 1) != 0;
  if ((mode & 3) != 0)
    {
      const guint kind = mode >> 2 & 3;

      self->grid_width = kind == 0 ? b + 4 : kind == 1                 ? b + 8
                                           : kind == 3 && (b & 2) != 0 ? (b & 1) + 2
                                                                       : a + 2;
      self->grid_height = kind == 2                   ? b + 8
                          : kind == 3 && (b & 2) == 0 ? (b & 1) + 6
                                                      : a + 2;
      return (mode & 3) << 1 | (mode >> 4 & 1);
    }
  if (b == 0 || b == 1)
    {
      self->grid_width = b == 0 ? 12 : a + 2;
      self->grid_height = b == 0 ? a + 2 : 12;
    }
  else if (b == 2)
    {
      self->grid_width = a + 6;
      self->grid_height = (mode >> 9 & 3) + 6;
      self->two_planes = *high = FALSE;
    }
  else if (a < 2)
    {
      self->grid_width = a == 0 ? 6 : 10;
      self->grid_height = a == 0 ? 10 : 6;
    }
  else
    return 0;
  return (mode >> 2 & 3) << 1 | (mode >> 4 & 1);
}

/* The modes of end points, part of which lies before the weights. Returns: bits there. */
static guint
read_modes (Block *self,
            guint  weight_bits)
{
  guint kinds, n_more;

  if (self->n_parts == 1)
    {
      self->modes[0] = vtr_astc_get_bits (self->data, 13, 4);
      self->color_start = 17;
      return 0;
    }
  self->part_seed = vtr_astc_get_bits (self->data, 13, 10);
  self->color_start = 29;
  kinds = vtr_astc_get_bits (self->data, 23, 6);
  if ((kinds & 3) == 0)
    {
      for (guint i = 0; i < self->n_parts; i++)
        self->modes[i] = kinds >> 2;
      return 0;
    }
  n_more = 3 * self->n_parts - 4;
  kinds |= vtr_astc_get_bits (self->data, 128 - weight_bits - n_more, n_more) << 6;
  for (guint i = 0; i < self->n_parts; i++)
    self->modes[i] = ((kinds & 3) - 1 + (kinds >> (2 + i) & 1)) << 2 |
                     (kinds >> (2 + self->n_parts + 2 * i) & 3);
  return n_more;
}

static void
read_weights (Block *self,
              guint  n,
              guint  bits)
{
  guint digits[MOST_WEIGHTS] = { 0 }, lows[MOST_WEIGHTS] = { 0 };
  guint8 reversed[16] = { 0 };

  for (guint i = 0; i < 128; i++)
    reversed[i / 8] |= (guint8)(vtr_astc_get_bits (self->data, 127 - i, 1) << (i % 8));
  vtr_astc_read_numbers (reversed, 0, bits, self->weights, n, digits, lows);
  for (guint i = 0; i < n; i++)
    self->grid[self->two_planes ? i % 2 : 0][self->two_planes ? i / 2 : i] =
      (guint8)vtr_astc_expand_weight (self->weights, digits[i], lows[i]);
}

static gboolean
read_block (Block *self)
{
  gboolean high;
  const guint range = read_grid (self, &high);
  guint n, bits, more;

  if (range < 2 || self->grid_width > self->width || self->grid_height > self->height)
    return FALSE;
  self->weights = vtr_astc_ranges[range - 2 + (high ? 6 : 0)];
  n = self->grid_width * self->grid_height * (self->two_planes ? 2 : 1);
  bits = vtr_astc_count_bits (self->weights, n);
  self->n_parts = vtr_astc_get_bits (self->data, 11, 2) + 1;
  if (n > MOST_WEIGHTS || bits < 24 || bits > 96 || (self->two_planes && self->n_parts == 4))
    return FALSE;
  more = read_modes (self, bits);
  self->color_end = 128 - bits - more;
  if (self->two_planes)
    {
      self->color_end -= 2;
      self->second_channel = vtr_astc_get_bits (self->data, self->color_end, 2);
    }
  read_weights (self, n, bits);
  return read_ends (self);
}

/* --- Texels ---------------------------------------------------------------------------------- */

static guint32
hash_seed (guint32 p)
{
  p ^= p >> 15;
  p -= p << 17;
  p += p << 7;
  p += p << 4;
  p ^= p >> 5;
  p += p << 16;
  p ^= p >> 7;
  p ^= p >> 3;
  p ^= p << 6;
  p ^= p >> 17;
  return p;
}

static guint
find_part (const Block *self,
           guint        x,
           guint        y)
{
  const guint32 seed = self->part_seed + (self->n_parts - 1) * 1024;
  const guint32 number = hash_seed (seed);
  const guint odd = self->n_parts == 3 ? 6 : 5;
  const guint even = (seed & 2) != 0 ? 4 : 5;
  const guint first = (seed & 1) != 0 ? even : odd;
  const guint second = (seed & 1) != 0 ? odd : even;
  guint seeds[8], values[4];

  if (self->n_parts == 1)
    return 0;
  if (self->width * self->height < 31)
    {
      x *= 2;
      y *= 2;
    }
  for (guint i = 0; i < 8; i++)
    {
      seeds[i] = number >> (4 * i) & 15;
      seeds[i] = seeds[i] * seeds[i] >> (i % 2 == 0 ? first : second);
    }
  for (guint i = 0; i < 4; i++)
    values[i] = i < self->n_parts
                  ? (seeds[2 * i] * x + seeds[2 * i + 1] * y + (number >> (14 - 4 * i))) & 63
                  : 0;
  if (values[0] >= values[1] && values[0] >= values[2] && values[0] >= values[3])
    return 0;
  if (values[1] >= values[2] && values[1] >= values[3])
    return 1;
  return values[2] >= values[3] ? 2 : 3;
}

static guint
find_weight (const Block  *self,
             const guint8 *grid,
             guint         x,
             guint         y)
{
  const guint dx = (1024 + self->width / 2) / (self->width - 1);
  const guint dy = (1024 + self->height / 2) / (self->height - 1);
  const guint gx = (dx * x * (self->grid_width - 1) + 32) >> 6;
  const guint gy = (dy * y * (self->grid_height - 1) + 32) >> 6;
  const guint at = (gx >> 4) + (gy >> 4) * self->grid_width;
  const guint fx = gx & 15;
  const guint fy = gy & 15;
  const guint both = (fx * fy + 8) >> 4;

  return (grid[at] * (16 - fx - fy + both) + grid[at + 1] * (fx - both) +
          grid[at + self->grid_width] * (fy - both) + grid[at + self->grid_width + 1] * both + 8) >>
         4;
}

static void
put_texel (gboolean       srgb,
           const guint16  channels[4],
           guint8        *texel)
{
  for (guint i = 0; i < 4; i++)
    if (srgb)
      texel[i] = (guint8)(channels[i] >> 8);
    else
      memcpy (texel + 2 * i, &channels[i], 2);
}

static void
put_all (const Block   *self,
         const guint16  channels[4],
         guint8        *texels)
{
  for (guint i = 0; i < self->width * self->height; i++)
    put_texel (self->srgb, channels, texels + i * (self->srgb ? 4 : 8));
}

static void
put_texels (const Block *self,
            guint8      *texels)
{
  for (guint y = 0; y < self->height; y++)
    for (guint x = 0; x < self->width; x++)
      {
        const gint (*ends)[4] = self->ends[find_part (self, x, y)];
        guint weights[2] = { find_weight (self, self->grid[0], x, y), 0 };
        guint16 channels[4];

        if (self->two_planes)
          weights[1] = find_weight (self, self->grid[1], x, y);
        for (guint i = 0; i < 4; i++)
          {
            const guint w = weights[self->two_planes && i == self->second_channel];
            const guint low = self->srgb ? 0x80 : (guint)ends[0][i];
            const guint high = self->srgb ? 0x80 : (guint)ends[1][i];

            channels[i] = (guint16)((((guint)ends[0][i] << 8 | low) * (64 - w) +
                                     ((guint)ends[1][i] << 8 | high) * w + 32) >>
                                    6);
          }
        put_texel (self->srgb, channels,
                   texels + (y * self->width + x) * (self->srgb ? 4 : 8));
      }
}

/* One color for all. Returns: FALSE when it is not well made. */
static gboolean
put_void_extent (const Block *self,
                 guint8      *texels)
{
  const guint s0 = vtr_astc_get_bits (self->data, 12, 13),
              s1 = vtr_astc_get_bits (self->data, 25, 13);
  const guint t0 = vtr_astc_get_bits (self->data, 38, 13),
              t1 = vtr_astc_get_bits (self->data, 51, 13);
  const gboolean nowhere = (s0 & s1 & t0 & t1) == 0x1fff;
  guint16 channels[4];

  if (vtr_astc_get_bits (self->data, 9, 3) != 6 || (!nowhere && (s0 >= s1 || t0 >= t1)))
    return FALSE;
  for (guint i = 0; i < 4; i++)
    channels[i] = (guint16)vtr_astc_get_bits (self->data, 64 + 16 * i, 16);
  put_all (self, channels, texels);
  return TRUE;
}

void
vtr_block_decode_astc (const guint8 *block,
                       guint         variant,
                       guint8       *texels)
{
  static const guint16 wrong[4] = { 0xffff, 0, 0xffff, 0xffff };
  Block self = { .data = block,
                 .width = variant & 15,
                 .height = variant >> 4 & 15,
                 .srgb = (variant & VTR_BLOCK_ASTC_SRGB) != 0 };

  if (vtr_astc_get_bits (block, 0, 9) == 0x1fc)
    {
      if (!put_void_extent (&self, texels))
        put_all (&self, wrong, texels);
    }
  else if (read_block (&self))
    put_texels (&self, texels);
  else
    put_all (&self, wrong, texels);
}
