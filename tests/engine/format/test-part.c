/* The unfinished file of a trace among files of others: nothing foreign is changed, and nothing
 * recorded is lost. */
#include "engine/format/vtr-trace-part.h"


static void
test_names (void)
{
  static const char *const names[][2] = {
    { "/a/x.gfxtrace.part", "/a/x.gfxtrace" },
    { "/a/x.gfxtrace.2.part", "/a/x.gfxtrace" },
    { "x.part", "x" },
    { "x-3.part", "x-3" },
    { "/a/x.gfxtrace", NULL },
    { "/a/.part", NULL },
    { "/a/x.gfxtrace.12.part", "/a/x.gfxtrace" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *trace = vtr_trace_part_get_trace_path (names[i][0]);

      g_assert_cmpstr (trace, ==, names[i][1]);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/format/part/names", test_names);
  return g_test_run ();
}
