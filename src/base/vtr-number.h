/* Numbers to and from text. gettext cannot read what hides behind a macro such as PRIu64, and would cut a
 * translated sentence there; so sentences have %s for numbers. */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct
{
  char text[24];
} VtrNumber;

static inline VtrNumber
vtr_number (uint64_t number)
{
  VtrNumber self;

  snprintf (self.text, sizeof self.text, "%" PRIu64, number);
  return self;
}

static inline VtrNumber
vtr_number_hex (uint64_t number)
{
  VtrNumber self;

  snprintf (self.text, sizeof self.text, "0x%" PRIx64, number);
  return self;
}

/* Puts a dot where printf () wrote the decimal point of the locale into @number, which may be several bytes. */
static inline void
vtr_number_put_dot (char *number)
{
  char *end = number;

  for (const char *at = number; *at != '\0'; at++)
    if ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || *at == '+' || *at == '-')
      *end++ = *at;
    else if (end == number || end[-1] != '.')
      *end++ = '.';
  *end = '\0';
}

/* @digits significant ones, 1 to 15, with a dot in every locale, as C and JSON write values. */
static inline VtrNumber
vtr_number_real (double number,
                 int    digits)
{
  VtrNumber self;

  snprintf (self.text, sizeof self.text, "%.*g", digits < 1 ? 1 : digits > 15 ? 15
                                                                              : digits,
            number);
  vtr_number_put_dot (self.text);
  return self;
}

/* Reads the digits of @base (10, 16) that @text is made of: no sign, space or prefix. Returns: false,
 * with @out as it was, when it is anything else or not within [@least, @most]. In no way depends on the
 * locale or on errno. */
static inline bool
vtr_parse_number (const char *text,
                  unsigned    base,
                  uint64_t    least,
                  uint64_t    most,
                  uint64_t   *out)
{
  uint64_t value = 0;
  const char *at;

  for (at = text; *at != '\0'; at++)
    {
      const int letter = *at | 0x20;
      const int digit = *at >= '0' && *at <= '9'                       ? *at - '0'
                        : base == 16 && letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                                                       : -1;

      if (digit < 0 || __builtin_mul_overflow (value, (uint64_t)base, &value) ||
          __builtin_add_overflow (value, (uint64_t)digit, &value))
        return false;
    }
  if (at == text || value < least || value > most)
    return false;
  *out = value;
  return true;
}

/* Digits, valid to the end of the statement: printf ("%s", VTR_NUMBER (n)). */
#define VTR_NUMBER(number) (vtr_number (number).text)
#define VTR_NUMBER_HEX(number) (vtr_number_hex (number).text)
#define VTR_NUMBER_REAL(number) (vtr_number_real (number, 6).text)
