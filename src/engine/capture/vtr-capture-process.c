#include "vtr-capture-process.h"

#include "base/vtr-buffer.h"
#include "engine/capture/vtr-capture-drain.h"
#include "engine/capture/vtr-capture-header.h"
#include "engine/capture/vtr-capture-ring.h"
#include "engine/capture/vtr-capture-session.h"
#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#define BATCH 16384
#define SHORTEST_NAP_US 500
#define LONGEST_NAP_US 5000
/* After the recording ended, calls under way get this long to return. */
#define GRACE_US (2 * G_USEC_PER_SEC)
#define QUIET_US (50 * 1000)

struct _VtrCaptureProcess
{
  guint pid;
  guint64 n_frames;
  VtrCaptureRing *ring;
  VtrTraceWriter *writer;  /* the thread's alone */
  VtrCaptureDrain *drain;  /* likewise */
  VtrCaptureHeader header; /* likewise */
  GThread *thread;

  GMutex lock;
  GCond wake;
  gboolean stopping;
  gboolean hung_up;
  gboolean failed; /* recording ended before its time */
  gboolean complete;
  char *path; /* where the trace goes */
  gboolean path_changed;
  VtrCaptureCounts counts;
  char *result;
  GError *error;
};

static void
update_counts (VtrCaptureProcess *self)
{
  VtrRingHeader *ring = self->ring->header;
  guint64 frames = atomic_load_explicit (&ring->frames, memory_order_relaxed);

  g_mutex_lock (&self->lock);
  self->counts.frames = self->n_frames > 0 ? MIN (frames, self->n_frames) : frames;
  self->counts.draws = atomic_load_explicit (&ring->draws, memory_order_relaxed);
  self->counts.commands = vtr_trace_writer_get_n_commands (self->writer);
  self->counts.bytes = vtr_trace_writer_get_bytes (self->writer);
  g_mutex_unlock (&self->lock);
}

static void
keep_error (VtrCaptureProcess *self,
            GError            *error)
{
  if (error == NULL)
    return;
  if (self->error == NULL)
    self->error = error;
  else
    g_error_free (error);
}

/* The disk is full, or gone: stop, and complete what is there. */
static void
give_up (VtrCaptureProcess *self,
         GError            *error)
{
  atomic_store (&self->ring->header->mode, VTR_RING_MODE_OFF);
  keep_error (self, error);
}

static gboolean
is_recorded (VtrCaptureProcess *self)
{
  return atomic_load_explicit (&self->ring->header->state,
                               memory_order_acquire) >= VTR_RING_STATE_DONE;
}

/* What the layer says of its end, as a sentence. NULL: nothing wrong. */
static GError *
explain_state (guint32 state)
{
  switch (state)
    {
    case VTR_RING_STATE_FULL:
      return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_SPACE,
                                  _ ("The program made calls faster than they could be written "
                                     "for more than two "
                                     "seconds, so recording ended early. The trace holds "
                                     "everything up to there."));
    case VTR_RING_STATE_NO_SPACE:
      return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_SPACE,
                                  _ ("There is no space left for the recording buffer, so "
                                     "recording ended early. "
                                     "The trace holds everything up to there."));
    case VTR_RING_STATE_NO_MEMORY:
      return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_SPACE,
                                  _ ("The program ran out of memory, so recording ended early. "
                                     "The trace holds "
                                     "everything up to there."));
    default:
      return NULL;
    }
}

static void
apply_path (VtrCaptureProcess *self)
{
  g_autofree char *path = NULL;
  GError *error = NULL;

  g_mutex_lock (&self->lock);
  if (self->path_changed)
    path = g_strdup (self->path);
  self->path_changed = FALSE;
  g_mutex_unlock (&self->lock);

  if (path == NULL)
    return;
  if (vtr_trace_writer_set_path (self->writer, path, &error))
    vtr_capture_ring_set_trace_path (self->ring, path);
  else
    keep_error (self, error);
}

static void
complete (VtrCaptureProcess *self,
          gboolean           failed)
{
  GError *error = NULL;
  guint taken = 1;

  while (!failed && taken > 0)
    failed = !vtr_capture_drain_run (self->drain, TRUE, BATCH, &taken, &error);
  if (!failed)
    failed = !vtr_capture_drain_unfinished (self->drain, &error);
  keep_error (self, g_steal_pointer (&error));
  keep_error (self, explain_state (atomic_load (&self->ring->header->state)));
  apply_path (self);
  update_counts (self);

  if (vtr_trace_writer_get_n_commands (self->writer) > 0)
    {
      vtr_capture_header_append (&self->header, self->writer);
      if (vtr_trace_writer_finish (self->writer, &error) || error == NULL ||
          g_file_test (vtr_trace_writer_get_path (self->writer), G_FILE_TEST_EXISTS))
        self->result = g_strdup (vtr_trace_writer_get_path (self->writer));
      keep_error (self, error);
    }
  update_counts (self);
  vtr_trace_writer_free (g_steal_pointer (&self->writer), self->result == NULL &&
                                                            self->error == NULL);
}

static void
set_flag (VtrCaptureProcess *self,
          gboolean          *flag)
{
  g_mutex_lock (&self->lock);
  *flag = TRUE;
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
}

/* Waits for news, @nap at most. Returns: whether recording is to end. */
static gboolean
nap (VtrCaptureProcess *self,
     gint64             microseconds)
{
  gboolean ending;

  g_mutex_lock (&self->lock);
  if (!self->stopping && !self->hung_up)
    g_cond_wait_until (&self->wake, &self->lock, g_get_monotonic_time () + microseconds);
  ending = self->stopping || self->hung_up;
  g_mutex_unlock (&self->lock);
  return ending;
}

static gboolean
has_hung_up (VtrCaptureProcess *self)
{
  gboolean result;

  g_mutex_lock (&self->lock);
  result = self->hung_up;
  g_mutex_unlock (&self->lock);
  return result;
}

/* The recording ended while the process lives: takes what is still on its way. */
static gboolean
drain_rest (VtrCaptureProcess  *self,
            GError            **error)
{
  gint64 start = g_get_monotonic_time (), last = start;

  while (!has_hung_up (self))
    {
      gint64 now;
      guint taken;

      if (!vtr_capture_drain_run (self->drain, FALSE, BATCH, &taken, error))
        return FALSE;
      now = g_get_monotonic_time ();
      if (taken > 0)
        last = now;
      else if (now - start > GRACE_US ||
               (now - last > QUIET_US && !vtr_capture_drain_expects_more (self->drain)))
        return TRUE;
      g_usleep (SHORTEST_NAP_US);
    }
  return TRUE;
}

static gpointer
run (gpointer data)
{
  VtrCaptureProcess *self = data;
  gint64 pause = SHORTEST_NAP_US;
  gboolean failed = FALSE, ending = FALSE;
  GError *error = NULL;

  vtr_capture_header_append (&self->header, self->writer);
  while (!failed && !ending)
    {
      gboolean recorded = is_recorded (self);
      guint taken = 0;

      apply_path (self);
      failed = !vtr_capture_drain_run (self->drain, FALSE, BATCH, &taken, &error);
      update_counts (self);
      vtr_trace_writer_set_hurry (self->writer, taken == BATCH);
      if (recorded)
        break;
      pause = taken > 0 ? SHORTEST_NAP_US : MIN (pause * 2, LONGEST_NAP_US);
      if (!failed && taken < BATCH)
        ending = nap (self, pause);
    }

  /* Known before the end is: whoever sees the end asks why. */
  if (failed)
    set_flag (self, &self->failed);
  atomic_store (&self->ring->header->mode, VTR_RING_MODE_OFF);
  if (!failed)
    failed = !drain_rest (self, &error);
  if (failed)
    give_up (self, error);
  complete (self, failed);

  g_mutex_lock (&self->lock);
  self->complete = TRUE;
  g_mutex_unlock (&self->lock);
  return NULL;
}

VtrCaptureProcess *
vtr_capture_process_new (const char             *path,
                         const VtrCaptureHello  *hello,
                         char                  **arguments,
                         guint64                 n_frames,
                         GError                **error)
{
  VtrCaptureProcess *self = g_new0 (VtrCaptureProcess, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  self->pid = hello->pid;
  self->n_frames = n_frames;
  self->path = g_strdup (path);
  vtr_capture_header_init (&self->header, hello, arguments);

  self->ring = vtr_capture_ring_new (error);
  if (self->ring != NULL)
    self->writer = vtr_trace_writer_new (path, error);
  if (self->writer != NULL)
    self->drain = vtr_capture_drain_new (self->ring->header, self->ring->size, self->writer, error);
  if (self->drain == NULL)
    {
      vtr_capture_process_free (self);
      return NULL;
    }

  vtr_capture_ring_set_trace_path (self->ring, path);
  self->ring->header->registry_hash = VTR_API_REGISTRY_HASH;
  atomic_store (&self->ring->header->frame_limit, (guint32)MIN (n_frames, G_MAXUINT32));
  atomic_store (&self->ring->header->mode, VTR_RING_MODE_RECORD);
  self->thread = g_thread_new ("drain", run, self);
  return self;
}

void
vtr_capture_process_free (VtrCaptureProcess *self)
{
  if (self == NULL)
    return;
  if (self->thread != NULL)
    g_thread_join (self->thread);
  vtr_capture_drain_free (self->drain);
  vtr_trace_writer_free (self->writer, TRUE);
  /* A trace that could not be completed keeps its ring: a later start may have the space. */
  vtr_capture_ring_free (self->ring,
                         self->thread == NULL || self->error == NULL || self->result != NULL);
  vtr_capture_header_clear (&self->header);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->wake);
  g_clear_error (&self->error);
  g_free (self->path);
  g_free (self->result);
  g_free (self);
}

int
vtr_capture_process_get_ring_fd (VtrCaptureProcess *self)
{
  return self->ring->fd;
}

guint64
vtr_capture_process_get_ring_bytes (VtrCaptureProcess *self)
{
  return self->ring->size;
}

guint
vtr_capture_process_get_pid (VtrCaptureProcess *self)
{
  return self->pid;
}

void
vtr_capture_process_get_counts (VtrCaptureProcess *self,
                                VtrCaptureCounts  *out)
{
  g_mutex_lock (&self->lock);
  *out = self->counts;
  g_mutex_unlock (&self->lock);
}

void
vtr_capture_process_set_path (VtrCaptureProcess *self,
                              const char        *path)
{
  g_mutex_lock (&self->lock);
  g_free (self->path);
  self->path = g_strdup (path);
  self->path_changed = TRUE;
  g_mutex_unlock (&self->lock);
}

void
vtr_capture_process_stop (VtrCaptureProcess *self)
{
  set_flag (self, &self->stopping);
}

void
vtr_capture_process_hang_up (VtrCaptureProcess *self)
{
  set_flag (self, &self->hung_up);
}

gboolean
vtr_capture_process_is_recorded (VtrCaptureProcess *self)
{
  return is_recorded (self);
}

gboolean
vtr_capture_process_has_failed (VtrCaptureProcess *self)
{
  gboolean failed;

  g_mutex_lock (&self->lock);
  failed = self->failed;
  g_mutex_unlock (&self->lock);
  return failed || atomic_load_explicit (&self->ring->header->state,
                                         memory_order_acquire) > VTR_RING_STATE_DONE;
}

gboolean
vtr_capture_process_is_complete (VtrCaptureProcess *self)
{
  gboolean result;

  g_mutex_lock (&self->lock);
  result = self->complete;
  g_mutex_unlock (&self->lock);
  return result;
}

char *
vtr_capture_process_get_result (VtrCaptureProcess  *self,
                                GError            **error)
{
  if (self->error != NULL && error != NULL)
    *error = g_error_copy (self->error);
  return g_strdup (self->result);
}
