/* Unpacks the trits, quints and bits of ASTC blocks into weights and colour values. */
#include "engine/picture/vtr-astc-numbers.h"

const VtrAstcRange vtr_astc_ranges[VTR_ASTC_N_RANGES] = {
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

guint
vtr_astc_count_bits (VtrAstcRange range,
                     guint        n)
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

void
vtr_astc_read_numbers (const guint8 *data,
                       guint         at,
                       guint         end,
                       VtrAstcRange  range,
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
          const guint low = vtr_astc_get_bits (data, at, at < end ? MIN (range.bits, end - at) : 0);

          at += range.bits;
          packed |= vtr_astc_get_bits (data, at, at < end ? MIN (bits, end - at) : 0) << n_packed;
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

/* The value of a digit, and the place of the bits below it. */
typedef struct
{
  guint8 factor;
  const char *places;
} Spread;

guint
vtr_astc_expand_weight (VtrAstcRange range,
                        guint        digit,
                        guint        low)
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

guint
vtr_astc_expand_color (VtrAstcRange range,
                       guint        digit,
                       guint        low)
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
