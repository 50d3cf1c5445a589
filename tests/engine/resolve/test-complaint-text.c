/* Tests that messages of the validation layer about handles are turned into messages about objects
 * of the trace. */
#include "engine/replay-session/vtr-complaint-text.h"

#include <string.h>

static void
check (const char *text, const char *wanted)
{
  static const guint64 handles[] = { 0x7, 0xabc };
  static const char *const names[] = { "image 12", "buffer 3 “Ünder”" };
  g_autofree char *named = vtr_complaint_text_new (text, handles, names, 2);

  g_assert_cmpstr (named, ==, wanted);
}

static void
test_names (void)
{
  check ("nothing", "nothing");
  check ("VkImage 0x7[] is bad", "image 12 is bad");
  check ("VkImage 0x7[own name], VkBuffer 0xabc[], VkImage 0x7[]",
         "image 12, buffer 3 “Ünder”, image 12");
  check ("VkImage 0x77[] and VkImage 0x7", "VkImage 0x77[] and VkImage 0x7");
}

/* Each name holds the next handle twice: put in one after the other, they would be 2^40. */
static void
test_growth (void)
{
  guint64 handles[41];
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *named = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (handles); i++)
    {
      handles[i] = i + 1;
      g_ptr_array_add (names, g_strdup_printf ("VkImage 0x%x[] VkImage 0x%x[]", i + 2, i + 2));
    }
  named = vtr_complaint_text_new ("VkImage 0x1[]", handles, (const char *const *)names->pdata,
                                  names->len);
  g_assert_cmpstr (named, ==, "VkImage 0x2[] VkImage 0x2[]");
}

static void
test_long_name (void)
{
  const guint64 handle = 1;
  g_autofree char *name = g_strnfill (1 << 20, 'x');
  const char *const names[] = { name };
  g_autofree char *named = vtr_complaint_text_new ("VkImage 0x1[]", &handle, names, 1);

  g_assert_cmpuint (strlen (named), <, 300);
}

/* No text keeps the search busy. */
static void
test_long_text (void)
{
  const guint64 handle = 1;
  const char *const names[] = { "image 1" };
  g_autoptr (GString) text = g_string_new ("");
  gint64 start = g_get_monotonic_time ();

  while (text->len < 60000)
    g_string_append (text, "VkA 0x1[");
  for (guint i = 0; i < 20; i++)
    g_free (vtr_complaint_text_new (text->str, &handle, names, 1));
  g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * G_USEC_PER_SEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/resolve/complaint-text/names", test_names);
  g_test_add_func ("/resolve/complaint-text/growth", test_growth);
  g_test_add_func ("/resolve/complaint-text/long-name", test_long_name);
  g_test_add_func ("/resolve/complaint-text/long-text", test_long_text);
  return g_test_run ();
}
