/* Hostile traces: mutants of real ones (vtr-mutant.h), each asked for everything that the command
 * line and the window ask for. A mutant ends with answers or with sentences, and the process goes
 * on; what ends it is a finding, as is what takes too long or is never freed (under sanitizers).
 *
 *   hostile-traces --mutants 60 TRACE…                 a moment, without a replayer
 *   hostile-traces --mutants 20000 --from 1 TRACE…     a campaign
 *   hostile-traces --replay --mutants 200 TRACE…       with $VITRINE_REPLAYER and a driver
 *   hostile-traces --from SEED --mutants 1 --story …   one of them again
 *
 * Children run them in batches, so that one finding is not the end of a campaign. Without --replay,
 * payloads run in the machine, and functions do nothing; those of edited pictures are sent to
 * $VITRINE_REPLAYER, which may be tests/liar-replayer. */
#include "vtr-asks.h"
#include "vtr-mutant.h"

#include "engine/document/vtr-document.h"
#include "engine/vulkan/host/vtr-vulkan-device-message.h"
#include "engine/vulkan/read/vtr-trace-device.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH 16

static int mutants = 60;
static int from = 0;
static int seconds = 60;     /* for one mutant */
static int mebibytes = 1024; /* for a batch of them */
static gboolean replay;
static gboolean tell;
static char *keep;
static char **traces;

static const GOptionEntry entries[] = {
  { "mutants", 0, 0, G_OPTION_ARG_INT, &mutants, "How many, over all traces", "N" },
  { "from", 0, 0, G_OPTION_ARG_INT, &from, "The first seed", "N" },
  { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "What a mutant may take", "N" },
  { "mebibytes", 0, 0, G_OPTION_ARG_INT, &mebibytes, "What a batch of mutants may take", "N" },
  { "replay", 0, 0, G_OPTION_ARG_NONE, &replay, "Replay with $VITRINE_REPLAYER", NULL },
  { "story", 0, 0, G_OPTION_ARG_NONE, &tell, "Say what is changed and answered", NULL },
  { "keep", 0, 0, G_OPTION_ARG_FILENAME, &keep, "Folder for mutants that are findings", "DIR" },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &traces, "Traces", "TRACE…" },
  { NULL },
};

static VtrAsksProgress *progress;
static GPtrArray *devices;

/* --- One mutant ------------------------------------------------------------------------------ */

/* Nothing but the machine. */
static void
use_no_driver (VtrDocument *document)
{
  /* Every image can be made. */
  const VtrVulkanImageLimits limits = { 0, 1 << 16, 1 << 16, 1 << 12, 16, 1 << 12, 0x7f };
  VtrReplayBackend *backend = vtr_replay_null_new ();

  vtr_replay_null_set_answer (backend, &limits, sizeof limits);
  vtr_replay_null_set_devices (backend, devices);
  vtr_replay_session_set_backend (vtr_document_get_replay_session (document), backend);
}

/* Since the child began. If small traces take more, something else is wrong. */
static void
check_size (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  if (usage.ru_maxrss / 1024 <= mebibytes)
    return;
  g_snprintf (progress->doing, sizeof progress->doing, "all of it, with %ld MiB at its largest",
              usage.ru_maxrss / 1024);
  _exit (3);
}

static void
run_mutant (const VtrMutantSource *source,
            guint                  seed)
{
  g_autoptr (GString) story = g_string_new (NULL);
  g_autoptr (GByteArray) file = vtr_mutant_make (source, seed, (seed & 1) != 0, story);
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  GRand *rand = g_rand_new_with_seed (seed);
  int fd = memfd_create ("mutant", MFD_CLOEXEC);

  if (tell)
    fprintf (stderr, "mutant %u:\n%s", seed, story->str);
  g_assert_cmpint (write (fd, file->data, file->len), ==, file->len);
  path = g_strdup_printf ("/proc/%d/fd/%d", (int)getpid (), fd);
  vtr_asks_begin (progress, "open");
  document = vtr_document_open (path, NULL, NULL, NULL, &error);
  vtr_asks_end (progress, error);
  if (document != NULL)
    {
      progress->n_opened++;
      if (!replay)
        use_no_driver (document);
      vtr_asks_about_document (progress, document, rand);
      vtr_asks_about_file (progress, path, document);
    }
  g_rand_free (rand);
  close (fd);
}

/* --- Batches --------------------------------------------------------------------------------- */

/* As captured, so that memory keeps its layout. */
static void
make_devices (const char *path)
{
  g_autoptr (VtrTrace) trace = vtr_trace_open (path, NULL, NULL, NULL, NULL);
  const VkPhysicalDeviceProperties unknown = { 0 };
  const VtrTraceDevice *captured =
    trace != NULL && vtr_trace_get_n_devices (trace) > 0 ? vtr_trace_get_device (trace, 0) : NULL;
  VtrVulkanDevice *device =
    vtr_vulkan_device_new (0, captured != NULL ? &captured->properties : &unknown);

  devices = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_replay_device_unref);
  g_ptr_array_add (devices, device);
  if (captured == NULL)
    return;
  device->memory = captured->memory;
  device->n_families = captured->n_queue_families;
  device->families =
    g_memdup2 (captured->queue_families, device->n_families * sizeof *device->families);
}

static void
child (const char *path,
       guint       first,
       guint       last,
       guint       step)
{
  g_autoptr (GError) error = NULL;
  VtrMutantSource *source = vtr_mutant_source_new (path, &error);

  if (source == NULL)
    g_error ("%s", error->message);
  make_devices (path);
  for (guint seed = first; seed <= last; seed += step)
    {
      progress->seed = seed;
      alarm ((guint)seconds);
      run_mutant (source, seed);
      check_size ();
      progress->n_done++;
    }
  alarm (0);
  vtr_mutant_source_free (source);
  g_ptr_array_unref (devices);
}

static void
keep_mutant (const char *path,
             guint       seed)
{
  g_autoptr (GString) story = g_string_new (NULL);
  g_autofree char *name = NULL;
  VtrMutantSource *source;
  GByteArray *file;

  if (keep == NULL || (source = vtr_mutant_source_new (path, NULL)) == NULL)
    return;
  name = g_strdup_printf ("%s/%u.gfxtrace", keep, seed);
  file = vtr_mutant_make (source, seed, (seed & 1) != 0, story);
  g_file_set_contents (name, (const char *)file->data, (gssize)file->len, NULL);
  g_byte_array_unref (file);
  vtr_mutant_source_free (source);
}

/* Returns: how many findings. Goes on after each of them. */
static guint
run_batch (const char *path,
           guint       first,
           guint       last,
           guint       step)
{
  guint n_findings = 0;

  while (first <= last)
    {
      int status;
      pid_t pid;

      progress->seed = first;
      fflush (stdout);
      pid = fork ();
      if (pid == 0)
        {
          signal (SIGTERM, SIG_DFL);
          child (path, first, last, step);
          exit (0); /* leaks are looked for */
        }
      while (waitpid (pid, &status, 0) != pid)
        if (errno != EINTR)
          return n_findings + 1;
      if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
        return n_findings;
      n_findings++;
      printf ("FINDING: %s, seed %u (of %u to %u), %s: %s %d\n", path, progress->seed, first, last,
              progress->doing,
              WIFSIGNALED (status) && WTERMSIG (status) == SIGALRM ? "hangs" : "ends it",
              WIFSIGNALED (status) ? WTERMSIG (status) : WEXITSTATUS (status));
      keep_mutant (path, progress->seed);
      first = progress->seed + step;
    }
  return n_findings;
}

static volatile sig_atomic_t enough;

static void
be_told (int signal)
{
  enough = 1;
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  guint n_traces, n_findings = 0, last;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || traces == NULL || mutants < 1)
    {
      fprintf (stderr, "%s\n", error != NULL ? error->message : "Which traces?");
      return 2;
    }
  g_setenv ("VITRINE_NO_CACHE", "1", TRUE);
  g_setenv ("VITRINE_REPLAY_TIMEOUT", "10", FALSE);
  vtr_asks_tell = tell;
  progress = mmap (NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                   -1, 0);
  n_traces = g_strv_length (traces);
  last = (guint)(from + mutants - 1);
  signal (SIGTERM, be_told); /* a campaign ends with its figures */
  for (guint at = (guint)from; at <= last && !enough; at += BATCH * n_traces)
    for (guint i = 0; i < n_traces && at + i <= last && !enough; i++)
      n_findings += run_batch (traces[i], at + i, MIN (last, at + BATCH * n_traces - 1), n_traces);
  printf ("%u mutants of %u traces: %u were read, %u answers, %u sentences (%u of dead replayers), "
          "%u findings\n",
          progress->n_done, n_traces, progress->n_opened, progress->n_answers,
          progress->n_sentences, progress->n_deaths, n_findings);
  g_strfreev (traces);
  g_free (keep);
  return n_findings > 0 || progress->n_answers == 0 ? 1 : 0;
}
