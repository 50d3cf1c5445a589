/* What may be asked of a capture, and what its files are called. */
#include "engine/capture/vtr-capture-session.h"

#include <math.h>

static void
check_path (const char *path,
            guint       nth,
            const char *expected)
{
  g_autofree char *got = vtr_capture_number_path (path, nth);

  g_assert_cmpstr (got, ==, expected);
}

static void
test_paths (void)
{
  check_path ("/a/cube.gfxtrace", 1, "/a/cube.gfxtrace");
  check_path ("/a/cube.gfxtrace", 2, "/a/cube-2.gfxtrace");
  check_path ("/a/cube", 1, "/a/cube");
  check_path ("/a/cube", 3, "/a/cube-3.gfxtrace");
  check_path ("/a/c%dube.gfxtrace", 1, "/a/c1ube.gfxtrace");
  check_path ("/a/c%d.gfxtrace", 12, "/a/c12.gfxtrace");
  /* Only in the name, only the first, and nothing else is a directive. */
  check_path ("/a%d/c.gfxtrace", 2, "/a%d/c-2.gfxtrace");
  check_path ("/a/%s%d%d%n.gfxtrace", 2, "/a/%s2%d%n.gfxtrace");
}

static void
check (const VtrCaptureOptions *options,
       gboolean                 good)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (vtr_capture_options_check (options, &error), ==, good);
  if (good)
    g_assert_no_error (error);
  else
    g_assert_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_OPTIONS);
}

static void
test_combinations (void)
{
  check (&(VtrCaptureOptions){ 0 }, TRUE);
  check (&(VtrCaptureOptions){ .n_frames = 60, .times = 1 }, TRUE);
  check (&(VtrCaptureOptions){ .every = 10 }, FALSE);
  check (&(VtrCaptureOptions){ .times = 2 }, FALSE);
  check (&(VtrCaptureOptions){ .n_frames = (guint64)G_MAXUINT32 + 1 }, FALSE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AT_FRAME, .every = 2, .n_frames = 2 }, TRUE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AT_FRAME, .every = 2, .n_frames = 3 },
         FALSE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AT_FRAME, .times = 2 }, FALSE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_BY_HAND, .times = 2 }, TRUE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AFTER_SECONDS, .seconds = 0.5 }, TRUE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AFTER_SECONDS, .seconds = -1 }, FALSE);
  check (&(VtrCaptureOptions){ .trigger = VTR_CAPTURE_AFTER_SECONDS, .seconds = NAN }, FALSE);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/capture/options/paths", test_paths);
  g_test_add_func ("/engine/capture/options/combinations", test_combinations);
  return g_test_run ();
}
