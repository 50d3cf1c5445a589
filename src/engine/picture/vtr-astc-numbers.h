/* Decodes the packed numbers in ASTC blocks into weights and colours. Names and numbers are
 * those of the Khronos Data Format specification 1.3, chapter 23. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Numbers from 0 to .levels - 1: some bits, and below a base of 3 or 5 another digit. */
typedef struct
{
  guint16 levels;
  guint8 base; /* 3, 5; 0: bits alone */
  guint8 bits;
} VtrAstcRange;

#define VTR_ASTC_N_RANGES 21u
/* By .levels. */
extern const VtrAstcRange vtr_astc_ranges[VTR_ASTC_N_RANGES];

/* @n bits of a block of 128, from bit @at on; zeroes behind its end. */
static inline guint
vtr_astc_get_bits (const guint8 *data,
                   guint         at,
                   guint         n)
{
  guint value = 0;

  for (guint i = 0; i < n && at + i < 128; i++)
    value |= (guint)(data[(at + i) / 8] >> ((at + i) % 8) & 1) << i;
  return value;
}

/* Bits that @n numbers take. */
guint vtr_astc_count_bits (VtrAstcRange range,
                           guint        n);

/* @n numbers from bit @at on, before bit @end: digits go to @digits, the bits below them to @lows. */
void vtr_astc_read_numbers (const guint8 *data,
                            guint         at,
                            guint         end,
                            VtrAstcRange  range,
                            guint         n,
                            guint        *digits,
                            guint        *lows);

/* From 0 to 64. */
guint vtr_astc_expand_weight (VtrAstcRange range,
                              guint        digit,
                              guint        low);

/* From 0 to 255. */
guint vtr_astc_expand_color (VtrAstcRange range,
                             guint        digit,
                             guint        low);

G_END_DECLS
