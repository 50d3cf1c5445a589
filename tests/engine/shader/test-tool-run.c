/* Tests running programs that exit early, write floods, hang or are killed: none leaves a process,
 * a descriptor or a thread behind. */
#include "engine/shader/vtr-tool-run.h"

#include "engine/shader/vtr-spirv.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define MANY (8u << 20) /* more than any pipe holds */

/* What @folder of /proc/self has: descriptors, threads. */
static guint
count (const char *folder)
{
  g_autofree char *path = g_build_filename ("/proc/self", folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  g_assert_nonnull (dir);
  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
assert_nothing_is_left (guint n_descriptors,
                        guint n_threads)
{
  g_assert_cmpuint (count ("fd"), ==, n_descriptors);
  /* A thread that was joined is on the list for a little longer. */
  for (guint i = 0; i < 1000 && count ("task") > n_threads; i++)
    g_usleep (1000);
  g_assert_cmpuint (count ("task"), <=, n_threads);
  g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
  g_assert_cmpint (errno, ==, ECHILD);
}

static gboolean
run_shell (const char    *script,
           GBytes        *input,
           VtrToolRun    *run,
           GCancellable  *cancellable,
           GError       **error)
{
  const char *const argv[] = { "/bin/sh", "-c", script, NULL };
  guint n_descriptors = count ("fd"), n_threads = count ("task");
  gboolean done = vtr_tool_run (argv, NULL, input, run, cancellable, error);

  assert_nothing_is_left (n_descriptors, n_threads);
  g_assert_true (done == (run->out != NULL));
  return done;
}

static GBytes *
make_bytes (gsize size)
{
  char *bytes = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    bytes[i] = (char)(i * 7 >> 3);
  return g_bytes_new_take (bytes, size);
}

static void
test_bytes (void)
{
  static const gsize sizes[] = { 0, 1, 65536, 65537, MANY };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (GBytes) input = make_bytes (sizes[i]);
      g_auto (VtrToolRun) run = { 0 };
      g_autoptr (GError) error = NULL;

      run_shell ("cat; echo ' well ' >&2", input, &run, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (vtr_tool_run_is_success (&run));
      g_assert_true (g_bytes_equal (run.out, input));
      g_assert_cmpstr (run.words, ==, "well");
    }
}

static void
test_no_input (void)
{
  g_auto (VtrToolRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  run_shell ("wc -c", NULL, &run, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (run.out, NULL), g_bytes_get_size (run.out), "0\n", 2);
}

/* It reads nothing, or a part, of more than a pipe holds. */
static void
test_early (void)
{
  g_autoptr (GBytes) input = make_bytes (MANY);
  g_auto (VtrToolRun) none = { 0 }, some = { 0 };
  g_autoptr (GError) error = NULL;

  run_shell ("echo no >&2; exit 7", input, &none, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (vtr_tool_run_is_success (&none));
  g_assert_cmpint (WEXITSTATUS (none.status), ==, 7);
  g_assert_cmpstr (none.words, ==, "no");
  run_shell ("head -c 100000", input, &some, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (vtr_tool_run_is_success (&some));
  g_assert_cmpuint (g_bytes_get_size (some.out), ==, 100000);
}

/* Writes to both at once: reading one of them to its end first would wait forever. */
static void
test_floods (void)
{
  g_auto (VtrToolRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  run_shell ("head -c 8388608 /dev/zero | tr '\\0' w >&2 & head -c 8388608 /dev/zero; wait", NULL,
             &run, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (vtr_tool_run_is_success (&run));
  g_assert_cmpuint (g_bytes_get_size (run.out), ==, MANY);
  g_assert_cmpuint (strlen (run.words), <, 1 << 20);
  g_assert_cmpuint (strlen (run.words), >, 1 << 10);
  g_assert_cmpuint (strspn (run.words, "w"), ==, strlen (run.words));
}

static void
test_endless (void)
{
  g_auto (VtrToolRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  run_shell ("exec cat /dev/zero", NULL, &run, NULL, &error);
  g_assert_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_TOOL);
}

static void
test_killed (void)
{
  g_auto (VtrToolRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  run_shell ("echo half; kill -SEGV $$", NULL, &run, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (vtr_tool_run_is_success (&run));
  g_assert_true (WIFSIGNALED (run.status));
  g_assert_cmpint (WTERMSIG (run.status), ==, SIGSEGV);
  g_assert_cmpmem (g_bytes_get_data (run.out, NULL), g_bytes_get_size (run.out), "half\n", 5);
}

static void
test_missing (void)
{
  const char *const argv[] = { "/nonexistent/tool", NULL };
  guint n_descriptors = count ("fd"), n_threads = count ("task");
  g_autoptr (GBytes) input = make_bytes (10);
  g_auto (VtrToolRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_false (vtr_tool_run (argv, NULL, input, &run, NULL, &error));
  g_assert_error (error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT);
  assert_nothing_is_left (n_descriptors, n_threads);
}

/* --- Cancelling ------------------------------------------------------------------------------ */

static gpointer
cancel_later (gpointer cancellable)
{
  g_usleep (50000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* A program that reads nothing, with closed pipes, and writes all the time: it has ended when
 * the call returns. */
static void
test_cancelled (void)
{
  static const char *const hanging[] = { "exec sleep 1000", "exec sleep 1000 >&- 2>&-",
                                         "while :; do echo; done" };
  g_autoptr (GBytes) input = make_bytes (MANY);

  for (guint i = 0; i < G_N_ELEMENTS (hanging); i++)
    {
      const char *const argv[] = { "/bin/sh", "-c", hanging[i], NULL };
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      GThread *thread = g_thread_new ("cancel", cancel_later, cancellable);
      g_auto (VtrToolRun) run = { 0 };
      g_autoptr (GError) error = NULL;

      g_assert_false (vtr_tool_run (argv, NULL, input, &run, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_null (run.out);
      g_thread_join (thread);
      g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
    }
}

static void
test_cancelled_before (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_auto (VtrToolRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  run_shell ("exec sleep 1000", NULL, &run, cancellable, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* --- Many at once ---------------------------------------------------------------------------- */

static gpointer
cancel_at (gpointer cancellable)
{
  g_usleep ((gulong)g_random_int_range (0, 8000));
  g_cancellable_cancel (cancellable);
  g_object_unref (cancellable);
  return NULL;
}

static gpointer
run_many (gpointer data)
{
  static const char *const scripts[] = { "cat", "exit 1", "head -c 70000 >&2; kill -9 $$",
                                         "exec sleep 1000" };
  GBytes *input = data;

  for (guint i = 0; i < 24; i++)
    {
      const char *const argv[] = { "/bin/sh", "-c", scripts[i % 4], NULL };
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      GThread *thread = i % 4 == 3 || i % 5 == 0
                          ? g_thread_new ("cancel", cancel_at, g_object_ref (cancellable))
                          : NULL;
      g_auto (VtrToolRun) run = { 0 };
      g_autoptr (GError) error = NULL;

      if (!vtr_tool_run (argv, NULL, input, &run, cancellable, &error))
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      else if (i % 4 == 0)
        g_assert_true (g_bytes_equal (run.out, input));
      else
        g_assert_false (vtr_tool_run_is_success (&run));
      g_clear_pointer (&thread, g_thread_join);
    }
  return NULL;
}

static void
test_threads (void)
{
  guint n_descriptors = count ("fd"), n_threads = count ("task");
  g_autoptr (GBytes) input = make_bytes (200000);
  GThread *threads[6];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("run", run_many, input);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  assert_nothing_is_left (n_descriptors, n_threads);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/shader/tool-run/bytes", test_bytes);
  g_test_add_func ("/engine/shader/tool-run/no-input", test_no_input);
  g_test_add_func ("/engine/shader/tool-run/early", test_early);
  g_test_add_func ("/engine/shader/tool-run/floods", test_floods);
  g_test_add_func ("/engine/shader/tool-run/endless", test_endless);
  g_test_add_func ("/engine/shader/tool-run/killed", test_killed);
  g_test_add_func ("/engine/shader/tool-run/missing", test_missing);
  g_test_add_func ("/engine/shader/tool-run/cancelled", test_cancelled);
  g_test_add_func ("/engine/shader/tool-run/cancelled-before", test_cancelled_before);
  g_test_add_func ("/engine/shader/tool-run/threads", test_threads);
  return g_test_run ();
}
