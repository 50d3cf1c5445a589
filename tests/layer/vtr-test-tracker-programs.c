/* Does what programs do to their mapped memory: they fork, map over it, write on several threads,
 * close descriptors that they do not know, and handle faults themselves. */
#include "vtr-test-tracker.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child writes to its own pages, and its end takes nothing away from the parent. */
void
vtr_test_tracker_fork (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);
  pid_t child;
  int status;

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  self->memory[3 * PAGE] = 1;
  child = fork ();
  if (child == 0)
    {
      memset (self->memory, 7, self->size);
      vtr_layer_tracker_free (self->tracker);
      memset (self->memory, 8, self->size);
      _exit (self->memory[0] == 8 ? 0 : 1);
    }
  self->memory[5 * PAGE] = 1;
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  self->memory[7 * PAGE] = 1;
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (self->n_bytes, ==, 3 * 64);
  g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
  vtr_test_tracker_check_watched (self);
  vtr_test_tracker_free (self);
}

/* Somebody puts another mapping into the place, or takes it away from the kernel's eyes. */
void
vtr_test_tracker_mapped_over (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);
  guint8 *other;

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  other = mmap (self->memory + 16 * PAGE, 16 * PAGE, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  g_assert_true (other == self->memory + 16 * PAGE);
  memset (other, 3, 16 * PAGE);
  for (guint i = 0; i < 3; i++)
    {
      self->memory[2 * PAGE] = (guint8)(i + 1);
      other[3 * PAGE] = (guint8)(i + 1);
      vtr_test_tracker_collect (self, 0, UINT64_MAX);
      g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
    }
  vtr_test_tracker_free (self);
}

/* Unmapped and mapped again: at the same place, elsewhere, in part. */
void
vtr_test_tracker_remapped (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);
  guint8 *old = self->memory;
  guint8 *moved = vtr_test_map_pages (self->size);

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  for (guint i = 0; i < 20; i++)
    {
      guint64 offset = i % 3 == 2 ? 13 * PAGE : 0;

      vtr_layer_tracker_unmap (self->tracker);
      if (i % 4 == 3)
        {
          guint8 *from = self->memory;

          self->memory = from == old ? moved : old;
          memcpy (self->memory, from, self->size);
        }
      vtr_layer_tracker_map (self->tracker, offset, self->memory + offset,
                             i % 3 == 2 ? 40 * PAGE : self->size);
      self->memory[20 * PAGE + i] = (guint8)(i + 1);
      vtr_test_tracker_collect (self, 0, UINT64_MAX);
      g_assert_cmpuint (self->n_bytes, ==, 64);
      g_assert_cmpmem (self->seen, self->size, self->memory, self->size);
    }
  munmap (self->memory == old ? moved : old, self->size);
  vtr_test_tracker_free (self);
}

typedef struct
{
  VtrTestTracker *fixture;
  guint number;
  gint stop; /* atomic */
} Writer;

/* Each page has a counter of each thread, which only grows. */
static gpointer
write_counters (gpointer data)
{
  Writer *self = data;
  guint32 page = self->number;

  for (guint32 value = 1; !g_atomic_int_get (&self->stop); value++)
    {
      guint32 *counters = (guint32 *)(gpointer)(self->fixture->memory + page % 512 * PAGE);

      __atomic_store_n (&counters[self->number], value, __ATOMIC_RELEASE);
      page = page * 1103515245u + 12345u;
    }
  return NULL;
}

/* Threads write all the time; what they wrote before they stopped is found afterwards. */
void
vtr_test_tracker_threads (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, 512 * PAGE);

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  for (guint round = 0; round < 30; round++)
    {
      Writer writers[3];
      GThread *threads[3];

      for (guint i = 0; i < 3; i++)
        {
          writers[i] = (Writer){ self, i, FALSE };
          threads[i] = g_thread_new ("writer", write_counters, &writers[i]);
        }
      for (guint i = 0; i < 5; i++)
        vtr_test_tracker_collect (self, 0, UINT64_MAX);
      for (guint i = 0; i < 3; i++)
        {
          g_atomic_int_set (&writers[i].stop, TRUE);
          g_thread_join (threads[i]);
        }
      vtr_test_tracker_collect (self, 0, UINT64_MAX);
      g_assert_cmpuint (vtr_test_tracker_count_wrong_pages (self), ==, 0);
    }
  vtr_test_tracker_free (self);
}

/* Programs close what they do not know: daemons, before they start. */
void
vtr_test_tracker_closed (gconstpointer choice)
{
  VtrTestTracker *self;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  self = vtr_test_tracker_new (choice, N_PAGES * PAGE);
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  self->memory[5 * PAGE] = 1;
  close_range (3, ~0u, 0);
  for (guint i = 0; i < 3; i++)
    {
      self->memory[9 * PAGE + i] = 1;
      vtr_test_tracker_collect (self, 0, UINT64_MAX);
      g_assert_cmpuint (vtr_test_tracker_count_wrong_pages (self), ==, 0);
    }
  vtr_test_tracker_free (self);
}

static sigjmp_buf way_out;

static void
escape (int number)
{
  siglongjmp (way_out, number);
}

/* What the program does about faults of its own goes on, by a handler that came later. */
void
vtr_test_tracker_handlers (gconstpointer choice)
{
  VtrTestTracker *self = vtr_test_tracker_new (choice, N_PAGES * PAGE);
  struct sigaction program = { .sa_handler = escape }, before;
  guint8 *forbidden = mmap (NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  volatile guint n_faults = 0;

  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  sigaction (SIGSEGV, &program, &before);
  for (volatile guint i = 0; i < 3; i++)
    {
      vtr_test_tracker_collect (self, 0, UINT64_MAX);
      self->memory[i * PAGE] = (guint8)(i + 1);
      if (sigsetjmp (way_out, 1) == 0)
        *(volatile guint8 *)forbidden = 1;
      else
        n_faults++;
    }
  g_assert_cmpuint (n_faults, ==, 3);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  g_assert_cmpuint (vtr_test_tracker_count_wrong_pages (self), ==, 0);
  sigaction (SIGSEGV, &before, NULL);
  munmap (forbidden, PAGE);
  vtr_test_tracker_free (self);
}

static struct sigaction handed_on_to;

static void
hand_on (int        number,
         siginfo_t *info,
         void      *context)
{
  handed_on_to.sa_sigaction (number, info, context);
}

/* With a handler that calls the layer's, the program still dies of its own faults. */
void
vtr_test_tracker_death (gconstpointer choice)
{
  struct sigaction program = { .sa_flags = SA_SIGINFO };
  VtrTestTracker *self;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_failed ();
      g_test_trap_assert_stderr_unmatched ("*survived*");
      return;
    }
  self = vtr_test_tracker_new (choice, N_PAGES * PAGE);
  vtr_layer_tracker_map (self->tracker, 0, self->memory, self->size);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  program.sa_sigaction = hand_on;
  sigaction (SIGSEGV, &program, &handed_on_to);
  vtr_test_tracker_collect (self, 0, UINT64_MAX);
  mprotect (self->seen, PAGE, PROT_NONE);
  *(volatile guint8 *)self->seen = 1;
  g_printerr ("survived");
}
