/* Tests numbers to and from text: decimal points of locales, limits, and what is no number. */
#include "base/vtr-number.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static void
check_dot (const char *written,
           const char *expected)
{
  char text[24];

  strcpy (text, written);
  vtr_number_put_dot (text);
  g_assert_cmpstr (text, ==, expected);
}

static void
check_parse (const char *text,
             unsigned    base,
             bool        fine,
             uint64_t    expected)
{
  uint64_t value = 77;

  g_assert_true (vtr_parse_number (text, base, 0, UINT64_MAX, &value) == fine);
  g_assert_true (value == (fine ? expected : 77));
}

static void
test_write (void)
{
  check_dot ("1,5e+20", "1.5e+20");
  check_dot ("-0\xd9\xab"
             "25",
             "-0.25"); /* U+066B, of Arabic */
  check_dot ("nan", "nan");
  check_dot ("-inf", "-inf");
  g_assert_cmpstr (VTR_NUMBER_REAL (1.5), ==, "1.5");
  g_assert_cmpstr (vtr_number_real (1.0 / 3, 99).text, ==, "0.333333333333333");
  g_assert_cmpstr (vtr_number_real (-1e300 * 3, 0).text, ==, "-3e+300");
  g_assert_cmpstr (VTR_NUMBER_REAL (-INFINITY), ==, "-inf");
  g_assert_cmpstr (VTR_NUMBER (UINT64_MAX), ==, "18446744073709551615");
  g_assert_cmpstr (VTR_NUMBER_HEX (UINT64_MAX), ==, "0xffffffffffffffff");
}

static void
test_parse (void)
{
  uint64_t value = 77;

  check_parse ("18446744073709551615", 10, true, UINT64_MAX);
  check_parse ("18446744073709551616", 10, false, 0);
  check_parse ("99999999999999999999", 10, false, 0);
  check_parse ("fFfFfFfFfFfFfFfF", 16, true, UINT64_MAX);
  check_parse ("10000000000000000", 16, false, 0);
  check_parse ("", 10, false, 0);
  check_parse ("-1", 10, false, 0);
  check_parse (" 1", 10, false, 0);
  check_parse ("0x1", 16, false, 0);
  check_parse ("1a", 10, false, 0);
  check_parse ("1g", 16, false, 0);
  /* Letters that only look like digits once a bit is set. */
  check_parse ("1\x01", 16, false, 0);
  check_parse ("\xe1", 16, false, 0);
  g_assert_false (vtr_parse_number ("4", 10, 5, 9, &value));
  g_assert_false (vtr_parse_number ("10", 10, 5, 9, &value));
  g_assert_cmpuint (value, ==, 77);
  g_assert_true (vtr_parse_number ("5", 10, 5, 9, &value) && value == 5);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/number/write", test_write);
  g_test_add_func ("/number/parse", test_parse);
  return g_test_run ();
}
