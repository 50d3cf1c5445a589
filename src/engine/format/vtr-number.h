/* Numbers to and from text. In sentences that are translated gettext cannot read what hides behind
 * G_GUINT64_FORMAT, and would cut the sentence there. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char text[24];
} VtrNumber;

static inline VtrNumber
vtr_number (guint64 number)
{
  VtrNumber self;

  g_snprintf (self.text, sizeof self.text, "%" G_GUINT64_FORMAT, number);
  return self;
}

static inline VtrNumber
vtr_number_hex (guint64 number)
{
  VtrNumber self;

  g_snprintf (self.text, sizeof self.text, "0x%" G_GINT64_MODIFIER "x", number);
  return self;
}

/* @digits significant ones, with a dot in every locale, as C and JSON write values. */
static inline VtrNumber
vtr_number_real (double number,
                 int    digits)
{
  VtrNumber self;
  char format[8];

  g_snprintf (format, sizeof format, "%%.%dg", CLAMP (digits, 1, 15));
  g_ascii_formatd (self.text, sizeof self.text, format, number);
  return self;
}

/* Reads the digits of @base (10, 16) that @text is made of: no sign, space or prefix. Returns: FALSE,
 * with @out as it was, when it is anything else or not within [@least, @most].
 *
 * Not g_ascii_string_to_unsigned(): it trusts errno, which g_ascii_strtoull() changes when two
 * threads make GLib's C locale at a time. */
static inline gboolean
vtr_parse_number (const char *text,
                  guint       base,
                  guint64     least,
                  guint64     most,
                  guint64    *out)
{
  guint64 value = 0;
  const char *at;

  for (at = text; *at != '\0'; at++)
    {
      gint digit = base == 16 ? g_ascii_xdigit_value (*at) : g_ascii_digit_value (*at);

      if (digit < 0 || __builtin_mul_overflow (value, (guint64)base, &value) ||
          __builtin_add_overflow (value, (guint64)digit, &value))
        return FALSE;
    }
  if (at == text || value < least || value > most)
    return FALSE;
  *out = value;
  return TRUE;
}

/* Digits, valid to the end of the statement: printf ("%s", VTR_NUMBER (n)). */
#define VTR_NUMBER(number) (vtr_number (number).text)
#define VTR_NUMBER_HEX(number) (vtr_number_hex (number).text)
#define VTR_NUMBER_REAL(number) (vtr_number_real (number, 6).text)

G_END_DECLS
