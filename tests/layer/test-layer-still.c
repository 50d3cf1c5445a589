/* Tests snapshots of memory that a child process keeps. */
#include "vtr-layer-still.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE (4u << 20)

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrLayerStill, vtr_layer_still_free)

static guint8 *
map_bytes (int flags)
{
  guint8 *bytes = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

  g_assert_true (bytes != MAP_FAILED);
  memset (bytes, 1, SIZE);
  return bytes;
}

static VtrLayerStill *
keep (void)
{
  VtrLayerStill *still = vtr_layer_still_new ();

  g_assert_nonnull (still);
  g_assert_true (vtr_layer_still_keep (still, NULL, 0));
  return still;
}

static gboolean
count_reads (guint64 *out)
{
  g_autofree gchar *text = NULL;
  const gchar *found = NULL;

  if (g_file_get_contents ("/proc/self/io", &text, NULL, NULL))
    found = strstr (text, "syscr:");
  if (found != NULL)
    *out = g_ascii_strtoull (found + 6, NULL, 10);
  return found != NULL;
}

/* Where system calls are filtered, and on old systems, nothing is ever kept. */
static gboolean
can_keep_here (void)
{
  g_autoptr (VtrLayerStill) still = vtr_layer_still_new ();

  return still != NULL && vtr_layer_still_keep (still, NULL, 0);
}

/* The child of a process, by what the kernel lists. Returns: 0: it has none. */
static pid_t
find_child (pid_t parent)
{
  g_autoptr (GDir) tasks = NULL;
  g_autofree gchar *folder = g_strdup_printf ("/proc/%d/task", (int)parent);
  const gchar *name;

  tasks = g_dir_open (folder, 0, NULL);
  while (tasks != NULL && (name = g_dir_read_name (tasks)) != NULL)
    {
      g_autofree gchar *path = g_build_filename (folder, name, "children", NULL);
      g_autofree gchar *list = NULL;

      if (g_file_get_contents (path, &list, NULL, NULL) && list[0] != '\0')
        return (pid_t)g_ascii_strtoll (list, NULL, 10);
    }
  return 0;
}

static void
assert_gone (pid_t process)
{
  for (guint i = 0; kill (process, 0) == 0; i++)
    {
      g_autofree gchar *path = g_strdup_printf ("/proc/%d/stat", (int)process);
      g_autofree gchar *stat = NULL;

      /* The process that inherits the child may be slow to wait for it. */
      if (g_file_get_contents (path, &stat, NULL, NULL) && strstr (stat, ") Z ") != NULL)
        return;
      g_assert_cmpuint (i, <, 1000);
      g_usleep (10000);
    }
}

static void
test_kept (void)
{
  guint8 *bytes = map_bytes (MAP_PRIVATE);
  g_autofree guint8 *seen = g_malloc (SIZE);
  VtrLayerStill *still = keep ();
  pid_t child = find_child (getpid ());

  memset (bytes, 2, SIZE);
  munmap (bytes + SIZE / 2, SIZE / 2);
  g_assert_true (vtr_layer_still_read (still, seen, bytes, SIZE));
  for (gsize i = 0; i < SIZE; i++)
    g_assert_cmpuint (seen[i], ==, 1);

  /* No wait () in this process sees the child. */
  g_assert_cmpint (child, >, 0);
  g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
  g_assert_cmpint (errno, ==, ECHILD);
  vtr_layer_still_free (still);
  vtr_layer_still_reap ();
  g_assert_cmpint (find_child (getpid ()), ==, 0);
  munmap (bytes, SIZE / 2);
}

/* Bytes of pages that @process has for itself, written by it or not. */
static guint64
measure_own (pid_t process)
{
  g_autofree gchar *path = g_strdup_printf ("/proc/%d/smaps_rollup", (int)process);
  g_autofree gchar *text = NULL;
  guint64 size = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (const gchar *line = text; (line = strstr (line, "\nPrivate_")) != NULL; line++)
    size += g_ascii_strtoull (strchr (line, ':') + 1, NULL, 10) * 1024;
  return size;
}

/* Reading what is kept takes no memory: its pages stay shared. */
static void
test_read_shares (void)
{
  guint8 *bytes = map_bytes (MAP_PRIVATE);
  g_autofree guint8 *seen = NULL;
  g_autoptr (VtrLayerStill) still = NULL;
  pid_t child;

  vtr_layer_still_reap (); /* those of other tests */
  still = keep ();
  child = find_child (getpid ());
  seen = g_malloc (SIZE); /* the child does not know of it */
  g_assert_true (vtr_layer_still_read (still, seen, bytes, SIZE));
  g_assert_cmpmem (seen, SIZE, bytes, SIZE);
  g_assert_cmpuint (measure_own (child), <, SIZE / 4);
  munmap (bytes, SIZE);
}

/* What others may change, and what is not there. */
static void
test_not_kept (void)
{
  guint8 *own = map_bytes (MAP_PRIVATE), *shared = map_bytes (MAP_SHARED);
  VtrLayerStill *still = vtr_layer_still_new ();

  g_assert_true (vtr_layer_still_can_keep (still, own, SIZE));
  g_assert_true (vtr_layer_still_can_keep (still, own + 1, 1));
  g_assert_false (vtr_layer_still_can_keep (still, shared, SIZE));
  g_assert_false (vtr_layer_still_can_keep (still, shared, 1));
  g_assert_false (vtr_layer_still_can_keep (still, own, (guint64)1 << 46));
  g_assert_false (vtr_layer_still_can_keep (still, NULL, 1));
  g_assert_false (vtr_layer_still_can_keep (still, (void *)(UINTPTR_MAX - 1), 1));
  vtr_layer_still_free (still);
  vtr_layer_still_free (NULL);
  munmap (own, SIZE);
  munmap (shared, SIZE);
}

/* What the program keeps from its children, between memory that they get. */
static void
test_kept_from_children (void)
{
  guint8 *bytes = map_bytes (MAP_PRIVATE);
  const gsize part = SIZE / 4;
  VtrLayerStill *still;
  guint8 seen[2] = { 0 };

  g_assert_cmpint (madvise (bytes + part, part, MADV_DONTFORK), ==, 0);
  g_assert_cmpint (madvise (bytes + 3 * part, part, MADV_WIPEONFORK), ==, 0);
  still = keep ();
  g_assert_true (vtr_layer_still_can_keep (still, bytes, part));
  g_assert_false (vtr_layer_still_can_keep (still, bytes + part - 1, 2));
  g_assert_false (vtr_layer_still_can_keep (still, bytes + part, part));
  g_assert_true (vtr_layer_still_can_keep (still, bytes + 2 * part, part));
  g_assert_false (vtr_layer_still_can_keep (still, bytes, SIZE));
  g_assert_true (vtr_layer_still_read (still, seen, bytes + 3 * part - 2, 2));
  g_assert_cmpuint (seen[0] + seen[1], ==, 2);
  /* The child has zeros there. */
  g_assert_false (vtr_layer_still_read (still, seen, bytes + 3 * part - 1, 2));
  g_assert_false (vtr_layer_still_read (still, seen, bytes + 3 * part, 1));
  g_assert_false (vtr_layer_still_read (still, seen, bytes + SIZE - 1, 1));
  vtr_layer_still_free (still);
  munmap (bytes, SIZE);
}

#define N_PIECES 4096u

/* Thousands of allocations in one mapping are not looked at one by one. */
static void
test_many (void)
{
  const guint8 *pieces[N_PIECES];
  guint8 *bytes = map_bytes (MAP_PRIVATE);
  VtrLayerStill *still = vtr_layer_still_new ();
  guint64 before = 0, after;

  g_assert_nonnull (still);
  for (guint i = 0; i < N_PIECES; i++)
    pieces[i] = bytes + i * (SIZE / N_PIECES);
  if (!count_reads (&before))
    g_test_skip ("The kernel does not count system calls");
  g_assert_true (vtr_layer_still_keep (still, pieces, N_PIECES));
  if (count_reads (&after))
    g_assert_cmpuint (after - before, <, N_PIECES / 4);
  vtr_layer_still_free (still);
  munmap (bytes, SIZE);
}

/* An allocation may be in several mappings, of which one may be wiped. */
static void
test_several_mappings (void)
{
  guint8 *bytes = map_bytes (MAP_PRIVATE);
  const guint8 *const pieces[] = { bytes, bytes + 4096, bytes + SIZE / 2 };
  VtrLayerStill *still;

  g_assert_cmpint (mprotect (bytes + SIZE / 4, 4096, PROT_READ), ==, 0);
  still = vtr_layer_still_new ();
  g_assert_true (vtr_layer_still_can_keep (still, bytes, SIZE));
  g_assert_true (vtr_layer_still_keep (still, pieces, G_N_ELEMENTS (pieces)));
  vtr_layer_still_free (still);
  g_assert_cmpint (madvise (bytes + SIZE / 2, 4096, MADV_WIPEONFORK), ==, 0);
  still = vtr_layer_still_new ();
  g_assert_false (vtr_layer_still_keep (still, pieces, G_N_ELEMENTS (pieces)));
  vtr_layer_still_free (still);
  munmap (bytes, SIZE);
}

/* The program closes all files that it has not opened, and opens others. */
static void
test_closed (void)
{
  gboolean open[256];
  gint ends[2];
  VtrLayerStill *still;

  g_assert_cmpint (pipe (ends), ==, 0);
  for (gint i = 0; i < (gint)G_N_ELEMENTS (open); i++)
    open[i] = fcntl (i, F_GETFD) >= 0;
  still = keep ();
  for (gint i = 0; i < (gint)G_N_ELEMENTS (open); i++)
    if (!open[i] && fcntl (i, F_GETFD) >= 0)
      g_assert_cmpint (dup2 (ends[0], i), ==, i);
    else
      open[i] = TRUE;
  vtr_layer_still_free (still);
  for (gint i = 0; i < (gint)G_N_ELEMENTS (open); i++)
    if (!open[i])
      {
        g_assert_cmpint (fcntl (i, F_GETFD), >=, 0);
        close (i);
      }
  close (ends[0]);
  close (ends[1]);
  vtr_layer_still_reap ();
}

/* Makes a child of the program's that has this number. Returns: false: that is not allowed. */
static gboolean
make_child_of_number (pid_t number)
{
  struct clone_args args = { .exit_signal = SIGCHLD,
                             .set_tid = (guint64)(guintptr)&number,
                             .set_tid_size = 1 };
  const long child = syscall (SYS_clone3, &args, sizeof args);

  if (child == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      for (;;)
        pause ();
    }
  return child == number;
}

/* The program waits for all kinds of children, and the next one gets the number. */
static void
test_waited_for (void)
{
  guint8 *bytes = map_bytes (MAP_PRIVATE), seen;
  VtrLayerStill *still = keep ();
  pid_t child = find_child (getpid ());

  g_assert_cmpint (kill (child, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (-1, NULL, __WALL), ==, child);
  if (make_child_of_number (child))
    {
      g_assert_false (vtr_layer_still_read (still, &seen, bytes, 1));
      vtr_layer_still_free (still);
      vtr_layer_still_reap ();
      g_usleep (10000);
      g_assert_cmpint (waitpid (child, NULL, WNOHANG), ==, 0);
      g_assert_cmpint (kill (child, SIGKILL), ==, 0);
      g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
    }
  else
    {
      g_test_skip ("choosing process IDs needs administrator rights");
      vtr_layer_still_free (still);
    }
  munmap (bytes, SIZE);
}

/* The child goes first when memory runs out. */
static void
test_first_to_go (void)
{
  VtrLayerStill *still = keep ();
  g_autofree gchar *path = NULL, *score = NULL;

  path = g_strdup_printf ("/proc/%d/oom_score_adj", (int)find_child (getpid ()));
  for (guint i = 0; i < 1000 && g_strcmp0 (score, "1000\n") != 0; i++)
    {
      g_usleep (i > 0 ? 10000 : 0);
      g_clear_pointer (&score, g_free);
      g_assert_true (g_file_get_contents (path, &score, NULL, NULL));
    }
  g_assert_cmpstr (score, ==, "1000\n");
  vtr_layer_still_free (still);
  vtr_layer_still_reap ();
}

/* Somebody kills the child: the reader reports it. */
static void
test_killed (void)
{
  guint8 *bytes = map_bytes (MAP_PRIVATE), seen;
  VtrLayerStill *still = keep ();
  pid_t child = find_child (getpid ());

  g_assert_cmpint (child, >, 0);
  g_assert_cmpint (kill (child, SIGKILL), ==, 0);
  for (guint i = 0; i < 1000 && vtr_layer_still_read (still, &seen, bytes, 1); i++)
    g_usleep (10000);
  g_assert_false (vtr_layer_still_read (still, &seen, bytes, 1));
  vtr_layer_still_free (still);
  vtr_layer_still_reap ();
  munmap (bytes, SIZE);
}

typedef enum
{
  END_KILLED,
  END_BECOMES_ANOTHER, /* program */
} End;

/* However a process ends, its child ends with it; and that has no file of it open. */
static void
test_end (gconstpointer data)
{
  const End end = (End)GPOINTER_TO_INT (data);
  int ends[2];
  pid_t process, child = 0;
  char byte;

  g_assert_cmpint (pipe (ends), ==, 0);
  process = fork ();
  if (process == 0)
    {
      keep ();
      close (ends[0]);
      if (end == END_BECOMES_ANOTHER)
        {
          g_usleep (300000);
          fcntl (ends[1], F_SETFD, FD_CLOEXEC);
          execlp ("sleep", "sleep", "100", NULL);
        }
      pause ();
      _exit (1);
    }
  close (ends[1]);
  for (guint i = 0; i < 1000 && (child = find_child (process)) == 0; i++)
    g_usleep (10000);
  g_assert_cmpint (child, >, 0);
  if (end == END_KILLED)
    kill (process, SIGKILL);
  g_assert_cmpint (read (ends[0], &byte, 1), ==, 0);
  assert_gone (child);
  kill (process, SIGKILL);
  g_assert_cmpint (waitpid (process, NULL, 0), ==, process);
  close (ends[0]);
}

static void *
allocate_and_free (void *data)
{
  gint *stop = data;

  while (!g_atomic_int_get (stop))
    g_free (g_malloc (100000));
  return NULL;
}

/* Whatever other threads are at, and again and again. */
static void
test_threads (void)
{
  pthread_t threads[4];
  gint stop = 0;

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, allocate_and_free, &stop), ==, 0);
  for (guint i = 0; i < 50; i++)
    {
      guint value = i, seen;
      VtrLayerStill *still = keep ();

      value++;
      g_assert_true (vtr_layer_still_read (still, &seen, &value, sizeof seen));
      g_assert_cmpuint (seen, ==, i);
      vtr_layer_still_free (still);
    }
  g_atomic_int_set (&stop, 1);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_join (threads[i], NULL);
  vtr_layer_still_reap ();
  g_assert_cmpint (find_child (getpid ()), ==, 0);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/still/not-kept", test_not_kept);
  if (!can_keep_here ())
    return g_test_run ();
  g_test_add_func ("/still/kept-from-children", test_kept_from_children);
  g_test_add_func ("/still/kept", test_kept);
  g_test_add_func ("/still/read-shares", test_read_shares);
  g_test_add_func ("/still/many", test_many);
  g_test_add_func ("/still/several-mappings", test_several_mappings);
  g_test_add_func ("/still/closed", test_closed);
  g_test_add_func ("/still/waited-for", test_waited_for);
  g_test_add_func ("/still/first-to-go", test_first_to_go);
  g_test_add_func ("/still/killed", test_killed);
  g_test_add_data_func ("/still/process-is-killed", GINT_TO_POINTER (END_KILLED), test_end);
  g_test_add_data_func ("/still/process-becomes-another", GINT_TO_POINTER (END_BECOMES_ANOTHER),
                        test_end);
  g_test_add_func ("/still/threads", test_threads);

  return g_test_run ();
}
