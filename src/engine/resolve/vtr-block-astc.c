/* ASTC, two-dimensional, of low dynamic range. Names and numbers as in the Khronos Data Format
 * specification 1.3, chapter 23. */
#include "engine/resolve/vtr-block.h"

#include <string.h>

#define MOST_TEXELS 144u /* of a block */
#define MOST_WEIGHTS 64u
#define MOST_VALUES 18u /* of end points */
#define MOST_PARTS 4u

/* Numbers from 0 to .levels - 1: some bits, and below a base of 3 or 5 another digit. */
typedef struct
{
  guint16 levels;
  guint8 base; /* 3, 5; 0: bits alone */
  guint8 bits;
} Range;

static const Range ranges[] = {
  { 2, 0, 1 },
  { 3, 3, 0 },
  { 4, 0, 2 },
  { 5, 5, 0 },
  { 6, 3, 1 },
  { 8, 0, 3 },
  { 10, 5, 1 },
  { 12, 3, 2 },
  { 16, 0, 4 },
  { 20, 5, 2 },
  { 24, 3, 3 },
  { 32, 0, 5 },
  { 40, 5, 3 },
  { 48, 3, 4 },
  { 64, 0, 6 },
  { 80, 5, 4 },
  { 96, 3, 5 },
  { 128, 0, 7 },
  { 160, 5, 5 },
  { 192, 3, 6 },
  { 256, 0, 8 },
};

#define FEWEST_COLOR_LEVELS 4u /* place in .ranges */

typedef struct
{
  const guint8 *data;
  guint width, height; /* of the block, texels */
  gboolean srgb;

  guint grid_width, grid_height;
  gboolean two_planes;
  guint second_channel; /* that the second plane is for */
  Range weights;
  guint n_parts;
  guint part_seed;
  guint modes[MOST_PARTS];      /* of end points */
  guint color_start, color_end; /* bits */

  gint ends[MOST_PARTS][2][4];
  guint8 grid[2][MOST_WEIGHTS + 16]; /* of the planes; zeroes behind */
} Block;

/* --- Bits ------------------------------------------------------------------------------------ */

static guint
get_bits (const guint8 *data,
          guint         at,
          guint         n)
{
  guint value = 0;

  for (guint i = 0; i < n && at + i < 128; i++)
    value |= (guint)(data[(at + i) / 8] >> ((at + i) % 8) & 1) << i;
  return value;
}

static guint
count_bits (Range range,
            guint n)
{
  guint digits = 0;

  if (range.base == 3)
    digits = (8 * n + 4) / 5;
  else if (range.base == 5)
    digits = (7 * n + 2) / 3;
  return digits + n * range.bits;
}

static void
split_trits (guint  packed,
             guint *digits)
{
  guint c;

  if ((packed >> 2 & 7) == 7)
    {
      c = (packed >> 5 & 7) << 2 | (packed & 3);
      digits[3] = digits[4] = 2;
    }
  else
    {
      c = packed & 31;
      digits[4] = (packed >> 5 & 3) == 3 ? 2 : packed >> 7 & 1;
      digits[3] = (packed >> 5 & 3) == 3 ? packed >> 7 & 1 : packed >> 5 & 3;
    }
  if ((c & 3) == 3)
    {
      digits[2] = 2;
      digits[1] = c >> 4 & 1;
      digits[0] = (c >> 3 & 1) << 1 | (c >> 2 & ~(c >> 3) & 1);
    }
  else if ((c >> 2 & 3) == 3)
    {
      digits[1] = digits[2] = 2;
      digits[0] = c & 3;
    }
  else
    {
      digits[2] = c >> 4 & 1;
      digits[1] = c >> 2 & 3;
      digits[0] = (c >> 1 & 1) << 1 | (c & ~(c >> 1) & 1);
    }
}

static void
split_quints (guint  packed,
              guint *digits)
{
  guint c;

  if ((packed >> 1 & 3) == 3 && (packed >> 5 & 3) == 0)
    {
      guint low = ~packed & 1;

      digits[2] = (packed & 1) << 2 | (packed >> 4 & low) << 1 | (packed >> 3 & low);
      digits[0] = digits[1] = 4;
      return;
    }
  if ((packed >> 1 & 3) == 3)
    {
      digits[2] = 4;
      c = (packed >> 3 & 3) << 3 | (~(packed >> 5) & 3) << 1 | (packed & 1);
    }
  else
    {
      digits[2] = packed >> 5 & 3;
      c = packed & 31;
    }
  digits[1] = (c & 7) == 5 ? 4 : c >> 3 & 3;
  digits[0] = (c & 7) == 5 ? c >> 3 & 3 : c & 7;
}

/* Numbers @at bit; digits go to @digits, the bits below them to @lows. */
static void
read_numbers (const guint8 *data,
              guint         at,
              guint         end,
              Range         range,
              guint         n,
              guint        *digits,
              guint        *lows)
{
  static const guint8 trit_bits[] = { 2, 2, 1, 2, 1 };
  static const guint8 quint_bits[] = { 3, 2, 2 };
  const guint group = range.base == 3 ? 5 : range.base == 5 ? 3
                                                            : 1;

  for (guint first = 0; first < n; first += group)
    {
      guint packed = 0, n_packed = 0, found[5] = { 0 };

      for (guint i = 0; i < group; i++)
        {
          const guint bits = range.base == 3   ? trit_bits[i]
                             : range.base == 5 ? quint_bits[i]
                                               : 0;
          const guint low = get_bits (data, at, at < end ? MIN (range.bits, end - at) : 0);

          at += range.bits;
          packed |= get_bits (data, at, at < end ? MIN (bits, end - at) : 0) << n_packed;
          at += bits;
          n_packed += bits;
          if (first + i < n)
            lows[first + i] = low;
        }
      if (range.base == 3)
        split_trits (packed, found);
      else if (range.base == 5)
        split_quints (packed, found);
      for (guint i = 0; i < group && first + i < n; i++)
        digits[first + i] = found[i];
    }
}

/* --- Numbers of fewer levels ----------------------------------------------------------------- */

/* @value of @bits, again and again, to @wanted bits. */
static guint
repeat_bits (guint value,
             guint bits,
             guint wanted)
{
  guint out = 0;

  for (gint left = (gint)wanted; left > 0; left -= (gint)bits)
    out |= left >= (gint)bits ? value << (left - (gint)bits) : value >> ((gint)bits - left);
  return out;
}

/* Puts bit n of @low where @places has the letter 'a' + n, from the highest place down. */
static guint
place_bits (guint       low,
            const char *places)
{
  guint out = 0;

  for (; *places != '\0'; places++)
    out = out << 1 | (*places == '0' ? 0 : low >> (*places - 'a') & 1);
  return out;
}

/* What a digit counts, and where the bits below it go. */
typedef struct
{
  guint8 factor;
  const char *places;
} Spread;

/* From 0 to 64. */
static guint
expand_weight (Range range,
               guint digit,
               guint low)
{
  static const guint8 of_three[] = { 0, 32, 63 };
  static const guint8 of_five[] = { 0, 16, 32, 47, 63 };
  static const Spread threes[] = { { 50, "0000000" }, { 23, "b000b0b" }, { 11, "cb000cb" } };
  static const Spread fives[] = { { 28, "0000000" }, { 13, "b0000b0" } };
  guint value;

  if (range.base == 0)
    value = repeat_bits (low, range.bits, 6);
  else if (range.bits == 0)
    value = range.base == 3 ? of_three[digit] : of_five[digit];
  else
    {
      const guint all = (low & 1) != 0 ? 0x7f : 0;
      const guint nth = range.bits - 1u;

      value = range.base == 3 ? digit * threes[nth].factor + place_bits (low, threes[nth].places)
                              : digit * fives[nth].factor + place_bits (low, fives[nth].places);
      value = (all & 0x20) | ((value ^ all) >> 2);
    }
  return value > 32 ? value + 1 : value;
}

/* From 0 to 255. */
static guint
expand_color (Range range,
              guint digit,
              guint low)
{
  static const Spread threes[] = {
    { 204, "000000000" },
    { 93, "b000b0bb0" },
    { 44, "cb000cbcb" },
    { 22, "dcb000dcb" },
    { 11, "edcb000ed" },
    { 5, "fedcb000f" },
  };
  static const Spread fives[] = {
    { 113, "000000000" },
    { 54, "b0000bb00" },
    { 26, "cb0000cbc" },
    { 13, "dcb0000dc" },
    { 6, "edcb0000e" },
  };
  const guint all = (low & 1) != 0 ? 0x1ff : 0;
  guint value;

  if (range.base == 0)
    return repeat_bits (low, range.bits, 8);
  value = range.base == 3
            ? digit * threes[range.bits - 1].factor +
                place_bits (low, threes[range.bits - 1].places)
            : digit * fives[range.bits - 1].factor + place_bits (low, fives[range.bits - 1].places);
  return (all & 0x80) | ((value ^ all) >> 2);
}

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
  gint nth = G_N_ELEMENTS (ranges) - 1;

  for (guint i = 0; i < self->n_parts; i++)
    n += 2 * ((self->modes[i] >> 2) + 1);
  if (n > MOST_VALUES || self->color_end <= self->color_start)
    return FALSE;
  while (nth >= (gint)FEWEST_COLOR_LEVELS &&
         count_bits (ranges[nth], n) > self->color_end - self->color_start)
    nth--;
  if (nth < (gint)FEWEST_COLOR_LEVELS)
    return FALSE;
  read_numbers (self->data, self->color_start,
                self->color_start + count_bits (ranges[nth], n), ranges[nth], n, digits, lows);
  for (guint i = 0; i < n; i++)
    values[i] = (gint)expand_color (ranges[nth], digits[i], lows[i]);
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
  const guint mode = get_bits (self->data, 0, 11);
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
      self->modes[0] = get_bits (self->data, 13, 4);
      self->color_start = 17;
      return 0;
    }
  self->part_seed = get_bits (self->data, 13, 10);
  self->color_start = 29;
  kinds = get_bits (self->data, 23, 6);
  if ((kinds & 3) == 0)
    {
      for (guint i = 0; i < self->n_parts; i++)
        self->modes[i] = kinds >> 2;
      return 0;
    }
  n_more = 3 * self->n_parts - 4;
  kinds |= get_bits (self->data, 128 - weight_bits - n_more, n_more) << 6;
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
    reversed[i / 8] |= (guint8)(get_bits (self->data, 127 - i, 1) << (i % 8));
  read_numbers (reversed, 0, bits, self->weights, n, digits, lows);
  for (guint i = 0; i < n; i++)
    self->grid[self->two_planes ? i % 2 : 0][self->two_planes ? i / 2 : i] =
      (guint8)expand_weight (self->weights, digits[i], lows[i]);
}

static gboolean
read_block (Block *self)
{
  gboolean high;
  const guint range = read_grid (self, &high);
  guint n, bits, more;

  if (range < 2 || self->grid_width > self->width || self->grid_height > self->height)
    return FALSE;
  self->weights = ranges[range - 2 + (high ? 6 : 0)];
  n = self->grid_width * self->grid_height * (self->two_planes ? 2 : 1);
  bits = count_bits (self->weights, n);
  self->n_parts = get_bits (self->data, 11, 2) + 1;
  if (n > MOST_WEIGHTS || bits < 24 || bits > 96 || (self->two_planes && self->n_parts == 4))
    return FALSE;
  more = read_modes (self, bits);
  self->color_end = 128 - bits - more;
  if (self->two_planes)
    {
      self->color_end -= 2;
      self->second_channel = get_bits (self->data, self->color_end, 2);
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
  const guint s0 = get_bits (self->data, 12, 13), s1 = get_bits (self->data, 25, 13);
  const guint t0 = get_bits (self->data, 38, 13), t1 = get_bits (self->data, 51, 13);
  const gboolean nowhere = (s0 & s1 & t0 & t1) == 0x1fff;
  guint16 channels[4];

  if (get_bits (self->data, 9, 3) != 6 || (!nowhere && (s0 >= s1 || t0 >= t1)))
    return FALSE;
  for (guint i = 0; i < 4; i++)
    channels[i] = (guint16)get_bits (self->data, 64 + 16 * i, 16);
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

  if (get_bits (block, 0, 9) == 0x1fc)
    {
      if (!put_void_extent (&self, texels))
        put_all (&self, wrong, texels);
    }
  else if (read_block (&self))
    put_texels (&self, texels);
  else
    put_all (&self, wrong, texels);
}
