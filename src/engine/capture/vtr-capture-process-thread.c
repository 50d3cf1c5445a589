/* Runs the thread of a VtrCaptureProcess: begins captures, drains the ring, and ends captures. */
#include "engine/capture/vtr-capture-process-private.h"

#include "engine/api/vtr-capture-error.h"
#include "engine/capture/vtr-capture-options.h"
#include "engine/capture/vtr-capture-picture.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#define BATCH 16384
#define STEP 16                /* records between two looks at the pace, … */
#define STEP_BYTES (32 * 1024) /* … and bytes */
#define SHORTEST_NAP_US 500
#define LONGEST_NAP_US 5000
/* While a program records: the longest pause, and how many bytes may come meanwhile. */
#define LONGEST_PAUSE_US 20000
#define PAUSE_BYTES (1 << 20)
#define LONGEST_WAIT_US (250 * 1000)
/* After the recording ended, calls under way get this long to return. */
#define GRACE_US (2 * G_USEC_PER_SEC)
#define QUIET_US (50 * 1000)

/* Whether the layer has ended the capture under way and waits for the next request. */
static gboolean
is_done (VtrCaptureProcess *self)
{
  return self->recording != NULL && !self->plan.from_launch &&
         atomic_load_explicit (&self->ring->header->trigger_done, memory_order_acquire) ==
           self->request;
}

/* The problem of the recording, as a sentence. NULL: none. */
static GError *
explain_end (VtrCaptureProcess *self)
{
  if (vtr_capture_ring_is_lost (self->ring))
    return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                                _ ("The program truncated the recording buffer that it shares "
                                   "with Vitrine, so recording ended early."));
  switch (vtr_capture_process_get_state (self))
    {
    case VTR_RING_STATE_FULL:
      return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_SPACE,
                                  _ ("For more than two seconds, the program made calls "
                                     "faster than they could be written, so recording ended "
                                     "early. The trace holds everything up to there."));
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
    case VTR_RING_STATE_THREADS:
      return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_SPACE,
                          _ ("More than %u threads of the program made calls at once, so recording "
                             "ended early. The trace holds everything up to there."),
                          VTR_RING_MAX_STREAMS);
    default:
      return NULL;
    }
}

/* The state that a trace has to tell of which explain_end() speaks. */
static guint32
get_end_state (VtrCaptureProcess *self)
{
  return vtr_capture_ring_is_lost (self->ring) ? VTR_RING_STATE_NOT_WRITTEN
                                               : vtr_capture_process_get_state (self);
}

static void
keep_error (VtrCaptureProcess *self,
            GError            *error)
{
  if (error == NULL)
    return;
  g_mutex_lock (&self->lock);
  if (self->error == NULL)
    self->error = g_steal_pointer (&error);
  g_mutex_unlock (&self->lock);
  g_clear_error (&error);
}

static guint64
get_presented (VtrCaptureProcess *self)
{
  return atomic_load_explicit (&self->ring->header->frames, memory_order_relaxed);
}

/* The progress of the current capture. */
static void
survey_recording (VtrCaptureProcess *self,
                  VtrCaptureTrace   *out)
{
  VtrRingHeader *ring = self->ring->header;
  guint64 presented = get_presented (self);

  *out = self->recording->trace;
  out->frames = presented > out->first_frame ? presented - out->first_frame : 0;
  if (self->plan.n_frames > 0)
    out->frames = MIN (out->frames, self->plan.n_frames);
  out->draws =
    atomic_load_explicit (&ring->draws, memory_order_relaxed) - self->draws_before;
  out->commands = vtr_trace_writer_get_n_commands (self->recording->writer);
  out->bytes = vtr_trace_writer_get_bytes (self->recording->writer);
}

static void
update_counts (VtrCaptureProcess *self)
{
  VtrCaptureTrace current = { 0 };

  if (self->recording != NULL && self->recording->begun)
    survey_recording (self, &current);
  g_mutex_lock (&self->lock);
  self->counts = self->made;
  self->counts.presented = get_presented (self);
  self->counts.recording = self->recording != NULL && self->recording->begun;
  self->counts.current_frames = current.frames;
  self->counts.frames += current.frames;
  self->counts.commands += current.commands;
  self->counts.draws += current.draws;
  self->counts.bytes += current.bytes;
  g_mutex_unlock (&self->lock);
}

/* Waits for news, @microseconds at most. Returns: whether recording is to end. */
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

static void
ask_layer (VtrCaptureProcess *self,
           guint64            frame)
{
  VtrRingHeader *ring = self->ring->header;

  atomic_store (&ring->frame_limit, (guint32)self->plan.n_frames);
  atomic_store (&ring->trigger_frame, frame);
  atomic_store (&ring->trigger_request, self->request);
}

gboolean
vtr_capture_process_begin (VtrCaptureProcess  *self,
                           guint64             frame,
                           GError            **error)
{
  g_autofree char *path = NULL;

  g_mutex_lock (&self->lock);
  path = vtr_capture_number_path (self->path, self->n_begun + 1);
  self->path_changed = FALSE;
  g_mutex_unlock (&self->lock);

  self->recording =
    vtr_capture_recording_new (path, self->n_begun + 1, &self->header, self->ring, error);
  if (self->recording == NULL)
    return FALSE;
  if (self->recording->notice != NULL)
    {
      g_mutex_lock (&self->lock);
      g_ptr_array_add (self->notices, g_steal_pointer (&self->recording->notice));
      g_mutex_unlock (&self->lock);
    }
  self->n_begun++;
  self->wish = frame;
  self->draws_before = atomic_load (&self->ring->header->draws);
  if (self->plan.from_launch)
    return TRUE;
  self->request = atomic_load (&self->ring->header->trigger_request) + 1;
  if (!vtr_capture_drain_expect (self->drain, self->recording->writer, self->request, error))
    return FALSE;
  vtr_capture_ring_prepare (self->ring);
  ask_layer (self, frame);
  return TRUE;
}

/* Begins the requested recording, unless another one is running. */
static gboolean
begin_triggered (VtrCaptureProcess  *self,
                 GError            **error)
{
  gboolean triggered;
  guint64 frame;

  if (self->recording != NULL)
    return TRUE;
  g_mutex_lock (&self->lock);
  triggered = self->triggered && !self->recorded;
  frame = self->triggered_frame;
  self->triggered = FALSE;
  g_mutex_unlock (&self->lock);
  /* Too late for it: the distance to the one before stays a multiple. */
  if (frame > 0 && self->plan.every > 0)
    while (frame <= get_presented (self))
      frame += self->plan.every;
  return !triggered || vtr_capture_process_begin (self, frame, error);
}

static gboolean
apply_path (VtrCaptureProcess  *self,
            GError            **error)
{
  g_autofree char *path = NULL;

  if (self->recording == NULL)
    return TRUE;
  g_mutex_lock (&self->lock);
  if (self->path_changed)
    path = vtr_capture_number_path (self->path, self->recording->trace.nth);
  self->path_changed = FALSE;
  g_mutex_unlock (&self->lock);
  return path == NULL ||
         vtr_capture_recording_set_path (self->recording, self->ring, path, error);
}

/* Records were taken: perhaps the first of a capture. */
static void
note_begin (VtrCaptureProcess *self)
{
  VtrCaptureRecording *recording = self->recording;

  if (recording == NULL || recording->begun ||
      !vtr_capture_drain_has_started (self->drain, &recording->trace.first_frame))
    return;
  recording->begun = TRUE;
  self->header.start_time = g_get_real_time ();
}

/* Lets a program that goes on have the processor for a while. */
static void
rest (gpointer data)
{
  VtrCaptureProcess *self = data;

  if (!self->plan.from_launch && !vtr_capture_process_get_flag (self, &self->stopping) &&
      !vtr_capture_process_get_flag (self, &self->hung_up))
    vtr_capture_pace_rest (&self->pace);
}

/* Takes what the program recorded; once its frames are complete, in small steps with pauses as long
 * as the pace has some. @taken: (out) */
static gboolean
take (VtrCaptureProcess  *self,
      gboolean            complete,
      guint              *taken,
      GError            **error)
{
  guint n = 0;
  gboolean ok;

  *taken = 0;
  do
    {
      const gboolean small = complete && !self->plan.from_launch &&
                             self->pace.slept < VTR_CAPTURE_PACE_MOST_US;

      vtr_capture_drain_set_step (self->drain, small ? STEP_BYTES : G_MAXUINT64);
      ok = vtr_capture_drain_run (self->drain, FALSE, small ? STEP : BATCH, &n, error);
      *taken += n;
      if (complete && ok)
        rest (self);
    }
  while (ok && complete && n > 0 && *taken < BATCH);
  vtr_capture_drain_set_step (self->drain, G_MAXUINT64);
  return ok;
}

/* A program that keeps writing after the end must not delay us: we read up to the ticket of that
 * moment, or as much as the ring holds. */
static gboolean
is_enough (VtrCaptureProcess *self,
           guint64            end_ticket,
           guint64            n_taken)
{
  return n_taken > self->ring->size / sizeof (VtrRingRecord) ||
         (!vtr_capture_process_get_flag (self, &self->hung_up) &&
          vtr_capture_drain_get_ticket (self->drain) >= end_ticket);
}

/* The recording ended while the process lives: takes what is still on its way. */
static gboolean
drain_rest (VtrCaptureProcess  *self,
            GError            **error)
{
  gint64 start = g_get_monotonic_time (), last = start;
  guint64 end_ticket = atomic_load (&self->ring->header->next_ticket), total = 0;

  while (!vtr_capture_process_get_flag (self, &self->hung_up))
    {
      gint64 now;
      guint taken;

      if (!take (self, TRUE, &taken, error))
        return FALSE;
      if (taken > 0)
        note_begin (self);
      now = g_get_monotonic_time ();
      total += taken;
      if (now - start > GRACE_US && is_enough (self, end_ticket, total))
        return TRUE;
      if (taken > 0)
        last = now;
      else if (now - start > GRACE_US ||
               (now - last > QUIET_US && !vtr_capture_drain_expects_more (self->drain)))
        return TRUE;
      g_usleep (taken > 0 ? SHORTEST_NAP_US : LONGEST_NAP_US);
    }
  return TRUE;
}

/* Whether what was begun has all that its frames need. */
static gboolean
is_whole (VtrCaptureProcess *self)
{
  return self->plan.from_launch ||
         atomic_load_explicit (&self->ring->header->trigger_begun, memory_order_acquire) ==
           self->request;
}

/* Whether the contents that the layer has left room for are there, too. */
static gboolean
is_filled (VtrCaptureProcess *self)
{
  return self->plan.from_launch ||
         atomic_load_explicit (&self->ring->header->trigger_filled, memory_order_acquire) ==
           self->request;
}

static GError *
explain_declined (VtrCaptureProcess *self)
{
  g_autofree char *notice = NULL;

  g_mutex_lock (&self->lock);
  notice = g_steal_pointer (&self->notice);
  g_mutex_unlock (&self->lock);
  if (notice != NULL)
    return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_DECLINED,
                        _ ("The frame could not be captured: %s"), notice);
  if (self->recording->begun && !vtr_capture_drain_was_declined (self->drain))
    return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_DECLINED,
                                _ ("The frame could not be captured: the program ended before "
                                   "its state was recorded."));
  return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_DECLINED,
                              _ ("The frame could not be captured: the GPU was never idle."));
}

/* A request that came so late that nothing was begun for it. */
static void
decline_request (VtrCaptureProcess *self)
{
  gboolean triggered;

  g_mutex_lock (&self->lock);
  triggered = self->triggered && !self->recorded;
  g_mutex_unlock (&self->lock);
  if (triggered && self->recording == NULL && self->declined == NULL)
    self->declined =
      g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_DECLINED,
                           _ ("The frame could not be captured: the recording ended before it "
                              "started."));
}

/* Drops a recording that was begun and then given up. Returns: whether there was one. */
static gboolean
take_back_declined (VtrCaptureProcess *self)
{
  if (self->recording->begun && !vtr_capture_drain_was_declined (self->drain) && is_whole (self))
    return FALSE;
  /* A user who triggers captures by hand was informed about each one, and may have got one
   * since. */
  if (self->plan.times > 0)
    keep_error (self, explain_declined (self));
  else if (self->declined == NULL)
    self->declined = explain_declined (self);
  self->recording->begun = FALSE;
  return TRUE;
}

/* A recording that could not be completed is not lost. */
static void
tell_kept (VtrCaptureProcess *self)
{
  GError *error;

  g_mutex_lock (&self->lock);
  error = self->error;
  self->error =
    g_error_new (error->domain, error->code,
                 _ ("%s The recorded calls are kept. Run “vitrine-cli recover” later to complete "
                    "the trace."),
                 error->message);
  g_mutex_unlock (&self->lock);
  g_error_free (error);
}

/* Makes the thumbnail in the header of the trace from the layer's copy of the last frame. */
static void
make_thumbnail (VtrCaptureProcess *self)
{
  g_autoptr (GBytes) record = vtr_capture_drain_steal_picture (self->drain);
  gsize size;
  gconstpointer data = record != NULL ? g_bytes_get_data (record, &size) : NULL;

  if (data != NULL)
    self->header.thumbnail = vtr_capture_picture_make (self->header.apis, data, size, rest, self);
}

/* Completes what is under way, or lets it go if nothing came of it. */
static void
end_recording (VtrCaptureProcess *self,
               gboolean           failed)
{
  VtrCaptureRecording *recording = g_steal_pointer (&self->recording);
  VtrCaptureTrace *trace = NULL;
  char *notice = NULL;
  GError *error = NULL;

  if (recording == NULL)
    return;
  self->recording = recording;
  survey_recording (self, &recording->trace);
  self->recording = NULL;
  if (!recording->begun && !failed)
    vtr_capture_recording_discard (recording);
  else
    {
      /* After a death from here on, the ring is of no use, wherever the trace has been taken. */
      self->ring->header->all_written = vtr_trace_writer_flush (recording->writer, TRUE, NULL);
      make_thumbnail (self);
      trace = vtr_capture_recording_finish (recording, &self->header, &notice, &error);
      /* The next recording begins with the same header. */
      g_clear_pointer (&self->header.thumbnail, g_bytes_unref);
    }
  self->keep_ring |= error != NULL && trace == NULL;
  vtr_capture_drain_detach (self->drain, !self->keep_ring);
  keep_error (self, error);
  if (self->keep_ring)
    tell_kept (self);
  if (!self->keep_ring)
    vtr_capture_ring_set_recording (self->ring, NULL, NULL, NULL, NULL);
  if (trace == NULL)
    return;

  g_mutex_lock (&self->lock);
  if (notice != NULL)
    g_ptr_array_add (self->notices, notice);
  self->made.frames += trace->frames;
  self->made.commands += trace->commands;
  self->made.draws += trace->draws;
  self->made.bytes += trace->bytes;
  g_ptr_array_add (self->traces, trace);
  g_mutex_unlock (&self->lock);
}

/* Chooses what happens after the capture that has just ended. */
static void
plan_next (VtrCaptureProcess *self,
           guint64            first_frame)
{
  g_mutex_lock (&self->lock);
  if (self->plan.times > 0 && self->n_begun >= self->plan.times)
    self->recorded = TRUE;
  else if (self->plan.every > 0)
    {
      self->triggered = TRUE;
      self->triggered_frame = first_frame + self->plan.every;
    }
  g_mutex_unlock (&self->lock);
}

/* The layer has recorded the wanted frames, or says that it cannot. Returns: FALSE when the trace
 * cannot be written. */
static gboolean
end_triggered (VtrCaptureProcess  *self,
               GError            **error)
{
  guint64 first = self->wish;

  if (!drain_rest (self, error))
    return FALSE;
  if (!take_back_declined (self))
    first = self->recording->trace.first_frame;
  end_recording (self, FALSE);
  plan_next (self, first);
  return TRUE;
}

/* If recording ended early, tells the user and notes it in the trace. */
static void
tell_end (VtrCaptureProcess *self)
{
  GError *why = explain_end (self), *error = NULL;

  if (why == NULL)
    return;
  keep_error (self, why);
  if (!vtr_capture_drain_tell_end (self->drain, get_end_state (self), &error))
    keep_error (self, error);
}

/* The frames are recorded, but perhaps not all contents that they begin with: these cannot be told
 * from later ones once the program is let go. */
static void
wait_until_filled (VtrCaptureProcess *self)
{
  gint64 start = g_get_monotonic_time ();
  GError *error = NULL;
  guint taken;

  while (self->recording != NULL && self->recording->begun && !is_filled (self) &&
         !vtr_capture_process_get_flag (self, &self->hung_up) &&
         !vtr_capture_process_is_over (self) &&
         g_get_monotonic_time () - start < GRACE_US)
    {
      if (!vtr_capture_drain_run (self->drain, FALSE, BATCH, &taken, &error))
        break;
      g_usleep (SHORTEST_NAP_US);
    }
  keep_error (self, error);
}

/* The program has died before all contents were copied that the frames begin with. */
static void
tell_unfilled (VtrCaptureProcess *self)
{
  GError *error = NULL;

  if (is_filled (self))
    return;
  if (!vtr_capture_drain_tell_unfilled (self->drain, &error))
    keep_error (self, error);
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->notices, g_strdup (_ (VTR_CAPTURE_UNFILLED)));
  g_mutex_unlock (&self->lock);
}

/* Nothing more will be recorded. */
static void
wind_up (VtrCaptureProcess *self,
         gboolean           failed)
{
  GError *error = NULL;
  guint taken = 1;
  guint64 end_ticket, total = 0;

  if (!failed)
    wait_until_filled (self);
  vtr_capture_drain_set_patient (self->drain, FALSE);
  /* Set before the end is announced, because listeners then ask for the reason. */
  atomic_store (&self->ring->header->mode, VTR_RING_MODE_OFF);
  if (!failed)
    failed = !drain_rest (self, &error);
  end_ticket = atomic_load (&self->ring->header->next_ticket);
  while (!failed && taken > 0 && !is_enough (self, end_ticket, total))
    {
      failed = !vtr_capture_drain_run (self->drain, TRUE, BATCH, &taken, &error);
      total += taken;
      if (taken > 0)
        note_begin (self);
    }
  if (!failed && self->recording != NULL)
    failed = !vtr_capture_drain_unfinished (self->drain, &error);
  keep_error (self, error);
  /* The program may have ended before anybody saw that it declined. */
  if (self->recording != NULL && self->recording->begun && !take_back_declined (self))
    {
      tell_end (self);
      tell_unfilled (self);
    }
  error = NULL;
  apply_path (self, &error);
  keep_error (self, error);
  decline_request (self);
  end_recording (self, failed);
  if (self->made.frames == 0)
    keep_error (self, g_steal_pointer (&self->declined));
  update_counts (self);
}

/* Whether to leave what has been recorded in the ring for now: the program has the processors to
 * itself while it makes the wanted frames, as long as there is room and it does not take long. */
static gboolean
may_wait (VtrCaptureProcess *self)
{
  const VtrRingHeader *header = self->ring->header;
  gint64 now = g_get_monotonic_time ();

  if (self->recording == NULL || self->plan.from_launch ||
      atomic_load (&header->next_ticket) == self->drained_ticket)
    {
      self->waiting_since = 0;
      return FALSE;
    }
  if (self->waiting_since == 0)
    self->waiting_since = now;
  return now - self->waiting_since < LONGEST_WAIT_US &&
         atomic_load (&header->alloc_hint) < header->n_segments / 4;
}

/* One round. @taken: (out). Returns: FALSE when it was the last one; with @error if that is
 * because the trace cannot be written. */
static gboolean
serve (VtrCaptureProcess  *self,
       guint              *taken,
       GError            **error)
{
  gboolean over, done;

  if (!begin_triggered (self, error) || !apply_path (self, error))
    return FALSE;
  /* Asked before draining, so that everything recorded until then is drained. */
  over = vtr_capture_process_is_over (self);
  done = is_done (self);
  if (!over && !done && may_wait (self))
    return TRUE;
  self->drained_ticket = atomic_load (&self->ring->header->next_ticket);
  /* The layer may copy contents that it has left room for. */
  vtr_capture_drain_set_patient (self->drain,
                                 self->recording != NULL && !over && !is_filled (self));
  if (done)
    vtr_capture_pace_start (&self->pace);
  if (!take (self, done && !over, taken, error))
    return FALSE;
  if (*taken > 0)
    note_begin (self);
  if (self->recording != NULL)
    vtr_trace_writer_set_hurry (self->recording->writer, *taken == BATCH);
  if (done && !end_triggered (self, error))
    return FALSE;
  update_counts (self);
  return !over;
}

/* How long to leave the ring alone, after @bytes came in @pause microseconds. The thread takes a
 * processor from the program each time, so it looks seldom at a ring that fills slowly. */
static gint64
choose_pause (gint64  pause,
              guint64 bytes)
{
  gint64 longest = bytes > 0 ? LONGEST_PAUSE_US : LONGEST_NAP_US;
  gint64 fitting = pause * PAUSE_BYTES / (gint64)CLAMP (bytes, PAUSE_BYTES / 2, G_MAXINT32);

  return CLAMP (fitting, SHORTEST_NAP_US, longest);
}

gpointer
vtr_capture_process_run (gpointer data)
{
  VtrCaptureProcess *self = data;
  gint64 pause = SHORTEST_NAP_US;
  gboolean ending = FALSE, failed;
  GError *error = NULL;

  if (!self->plan.from_launch)
    vtr_capture_pace_be_polite ();
  while (!ending)
    {
      guint64 before = vtr_capture_drain_get_bytes (self->drain);
      guint taken = 0;

      if (!serve (self, &taken, &error))
        break;
      pause = choose_pause (pause, vtr_capture_drain_get_bytes (self->drain) - before);
      /* Also checked while more records keep coming, so that the capture can be ended. */
      ending = nap (self, taken < BATCH ? pause : 0);
    }
  failed = error != NULL;
  if (vtr_capture_ring_is_lost (self->ring))
    keep_error (self, explain_end (self));
  keep_error (self, error);
  wind_up (self, failed);
  vtr_capture_process_set_flag (self, &self->recorded);
  vtr_capture_process_set_flag (self, &self->complete);
  return NULL;
}
