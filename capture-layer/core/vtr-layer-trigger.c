/* Decides at each frame boundary whether a mid-run capture begins or ends, and carries that out
 * while the program's threads are stopped. */
#include "vtr-layer-trigger.h"

#include "vtr-capture-core.h"
#include "vtr-layer-calls.h"
#include "vtr-layer-errands.h"
#include "vtr-layer-late.h"
#include "vtr-layer-order.h"
#include "vtr-layer-quiesce.h"
#include "vtr-layer-thumbnail.h"

#include "base/vtr-log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define TRIES 4           /* frame boundaries at which a recording may fail to begin, or to end */
#define PREPARING_MS 300  /* that a capture of the next frame is put off at most */
#define ERRANDS_MS 500    /* that threads with a context have to come to the gate */
#define TIDYING_FRAMES 64 /* behind the end of a recording, before nothing is left of it */

static struct
{
  pthread_mutex_t lock;         /* one thread begins or ends a recording */
  _Atomic uint64_t first_frame; /* of the recording under way */
  atomic_bool ending;           /* some thread is about to end it, and no other */
  uint32_t request;             /* that it answers */
  uint32_t n_tries;             /* of the request that has not begun, or not ended */
  _Atomic uint32_t last_thread; /* that has tried and could not; 0: it may try again */
  _Atomic uint64_t planned;     /* the request seen last, and the lower half of its frame */
  _Atomic int64_t planned_ms;   /* when it was seen */
  _Atomic int64_t frame_ms;     /* when the last frame ended, … */
  _Atomic int64_t last_ms;      /* … and how long it took */
  _Atomic uint32_t n_tidying;   /* frames in which something is still to be given back */

  pthread_mutex_t fill_lock; /* guards the following; nothing is waited for with it */
  atomic_bool filling;       /* contents from the cut are still to be copied */
  atomic_bool delivering;    /* the picture of the last frame may still come */
  bool ended;                /* the frames are recorded */
} trigger = { .lock = PTHREAD_MUTEX_INITIALIZER, .fill_lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t
count_frames (void)
{
  return atomic_load_explicit (&vtr_layer_ring.header->frames, memory_order_relaxed);
}

/* The requested recording has ended. */
static void
answer (uint32_t request)
{
  atomic_store_explicit (&vtr_layer_ring.header->trigger_done, request, memory_order_release);
}

static void
set_mode (VtrRingMode mode)
{
  uint32_t before = mode == VTR_RING_MODE_RECORD ? VTR_RING_MODE_IDLE : VTR_RING_MODE_RECORD;

  /* The host may have switched everything off meanwhile. */
  atomic_compare_exchange_strong (&vtr_layer_ring.header->mode, &before, (uint32_t)mode);
}

static void
tell_end (VtrNamespace *names,
          void         *data)
{
  if (names->api->recording_changed != NULL)
    names->api->recording_changed (names, false);
}

static void
decline (VtrLayerThread *thread,
         uint32_t        request,
         bool            started,
         const char     *why)
{
  vtr_layer_transport_notice (VTR_LOG_ERROR, "No capture could be made here: %s", why);
  if (started)
    vtr_ring_log_pause (&thread->log, VTR_RING_STATE_DECLINED);
  else
    atomic_store_explicit (&vtr_layer_ring.header->state, VTR_RING_STATE_DECLINED,
                           memory_order_release);
  trigger.n_tries = 0;
  vtr_namespace_for_each (NULL, tell_end, NULL);
  atomic_store (&trigger.n_tidying, TIDYING_FRAMES);
  answer (request);
}

/* ---- What comes later ---- */

/* The host is told before the next recording may begin. */
static void
finish_part (atomic_bool *part)
{
  atomic_bool *other = part == &trigger.filling ? &trigger.delivering : &trigger.filling;

  pthread_mutex_lock (&trigger.fill_lock);
  if (trigger.ended && !atomic_load (other))
    answer (trigger.request);
  atomic_store (part, false);
  pthread_mutex_unlock (&trigger.fill_lock);
}

/* All contents from the cut of the recording under way, or just ended, are recorded. */
static void
filled (void)
{
  atomic_store_explicit (&vtr_layer_ring.header->trigger_filled, trigger.request,
                         memory_order_release);
  finish_part (&trigger.filling);
}

/* The picture of the recording that has ended was written, or there is none. */
static void
delivered (void)
{
  finish_part (&trigger.delivering);
}

/* The recording has all its frames. */
static void
note_end (void)
{
  pthread_mutex_lock (&trigger.fill_lock);
  trigger.ended = true;
  atomic_store (&trigger.delivering, true);
  pthread_mutex_unlock (&trigger.fill_lock);
}

/* ---- Beginning and ending ---- */

/* Returns: false when no recording can begin; *@why says why. */
static bool
write_state (VtrLayerThread *thread,
             char            why[VTR_LAYER_WHY_MAX])
{
  const VtrCaptureApi *api;
  bool written = true;

  why[0] = '\0';
  for (unsigned i = 0; written && (api = vtr_capture_core_get_api (i)) != NULL; i++)
    if (api->write_state != NULL)
      written = api->write_state (thread, why);
  return written;
}

/* All threads rest. */
static void
begin_at_rest (VtrLayerThread *thread,
               uint32_t        request)
{
  /* Other threads may have got on while this one waited for them. */
  uint64_t frames = count_frames ();
  char why[VTR_LAYER_WHY_MAX];
  bool written;

  if (!vtr_ring_log_start (&thread->log, request, frames))
    return;
  vtr_namespace_tell_all (thread);
  written = write_state (thread, why);
  if (written && vtr_layer_gate_was_forced ())
    {
      snprintf (why, sizeof why, "A thread of the program could not be held any longer.");
      written = false;
    }
  if (!written)
    {
      vtr_layer_late_give_up ();
      decline (thread, request, true, why);
      return;
    }
  atomic_store (&trigger.first_frame, frames);
  atomic_store (&trigger.ending, false);
  trigger.request = request;
  trigger.n_tries = 0;
  trigger.ended = false;
  atomic_store (&trigger.filling, true);
  atomic_store_explicit (&vtr_layer_ring.header->trigger_begun, request, memory_order_release);
  if (!vtr_layer_late_start (filled))
    filled ();
  set_mode (VTR_RING_MODE_RECORD);
}

static void
begin (VtrLayerThread *thread,
       uint32_t        request)
{
  const char *why = vtr_layer_live_get_failure ();
  char sentence[VTR_LAYER_WHY_MAX];

  if (why[0] != '\0')
    {
      snprintf (sentence, sizeof sentence, "%s.", why);
      decline (thread, request, false, sentence);
      return;
    }
  why = vtr_layer_quiesce_begin (thread);
  if (why == NULL && !vtr_layer_errands_run (thread, vtr_layer_now_ms () + ERRANDS_MS))
    why = "A thread that draws did not make another call";
  if (why == NULL)
    begin_at_rest (thread, request);
  else if (++trigger.n_tries >= TRIES)
    {
      snprintf (sentence, sizeof sentence, "%s, at the end of %u frames.", why, trigger.n_tries);
      decline (thread, request, false, sentence);
    }
  else
    atomic_store (&trigger.last_thread, thread->id);
  vtr_layer_quiesce_end (thread);
}

/* Work of contexts since they last let others act on it belongs to the recording. */
static void
publish (VtrNamespace *names,
         void         *data)
{
  vtr_layer_publish (names);
}

static void
end (VtrLayerThread *thread)
{
  /* The awaited signal may come from this very thread, so another frame is tried. */
  if (!vtr_layer_quiesce_begin_last (thread) && ++trigger.n_tries < TRIES)
    {
      atomic_store (&trigger.last_thread, thread->id);
      atomic_store (&trigger.ending, false);
      vtr_layer_quiesce_end (thread);
      return;
    }
  note_end ();
  if (vtr_layer_gate_wait (&thread->place, 0))
    vtr_namespace_for_each (NULL, publish, NULL);
  set_mode (VTR_RING_MODE_IDLE);
  vtr_namespace_for_each (NULL, tell_end, NULL);
  atomic_store (&trigger.n_tidying, TIDYING_FRAMES);
  vtr_ring_log_pause (&thread->log, VTR_RING_STATE_DONE);
  trigger.n_tries = 0;
  if (atomic_load (&trigger.filling))
    vtr_layer_late_hurry ();
  vtr_layer_quiesce_end (thread);
  vtr_layer_thumbnail_deliver (thread, delivered);
}

/* ---- Frame boundaries ---- */

/* The awaited signal may come from the thread that tries, so other threads get a turn in
 * between. */
static bool
may_try (const VtrLayerThread *thread)
{
  uint32_t last = thread->id;

  return !atomic_compare_exchange_strong (&trigger.last_thread, &last, 0);
}

/* Whether the current recording has all requested frames, with @more ones added. */
static bool
is_complete (uint32_t more)
{
  uint32_t limit;

  if (!vtr_layer_is_recording ())
    return false;
  limit = atomic_load_explicit (&vtr_layer_ring.header->frame_limit, memory_order_relaxed);
  return limit != 0 && count_frames () + more - atomic_load (&trigger.first_frame) >= limit;
}

bool
vtr_layer_trigger_is_last (void)
{
  return is_complete (1);
}

/* Whether there is a request that nothing was begun for. */
static bool
is_asked (uint32_t *request)
{
  VtrRingHeader *header = vtr_layer_ring.header;

  *request = atomic_load_explicit (&header->trigger_request, memory_order_acquire);
  return vtr_layer_get_mode () == VTR_RING_MODE_IDLE && !atomic_load (&trigger.filling) &&
         !atomic_load (&trigger.delivering) &&
         *request != atomic_load_explicit (&header->trigger_done, memory_order_relaxed);
}

/* How long frames take, in milliseconds: the last one, or the one under way if it takes longer. A
 * program that has drawn none yet draws seldom. */
static int64_t
measure_frame (void)
{
  int64_t last = atomic_load (&trigger.last_ms);
  int64_t now = vtr_layer_now_ms () - atomic_load (&trigger.frame_ms);

  return now > last ? now : last;
}

/* How many frames the APIs want before a cut that may come at any time. */
static uint64_t
count_frames_ahead (int64_t frame_ms)
{
  const VtrCaptureApi *api;
  uint32_t most = 0;

  for (unsigned i = 0; (api = vtr_capture_core_get_api (i)) != NULL; i++)
    {
      const uint32_t n = api->count_ahead != NULL ? api->count_ahead (frame_ms) : 0;

      most = n > most ? n : most;
    }
  return most;
}

static void
prepare (uint64_t n_frames)
{
  const VtrCaptureApi *api;

  for (unsigned i = 0; (api = vtr_capture_core_get_api (i)) != NULL; i++)
    if (api->prepare != NULL)
      api->prepare (n_frames);
}

/* Returns: whether there is more. */
static bool
tidy (bool last)
{
  const VtrCaptureApi *api;
  bool more = false;

  for (unsigned i = 0; (api = vtr_capture_core_get_api (i)) != NULL; i++)
    if (api->tidy != NULL && api->tidy (last))
      more = true;
  return more;
}

/* How many frames there are until the recording is to begin; 0: it begins now. A capture of the
 * next frame is put off by some frames, so that the cut takes less time.
 *
 * @request: the one that is asked for */
static uint64_t
count_ahead (uint32_t request)
{
  const uint64_t frames = count_frames ();
  const uint64_t due =
    atomic_load_explicit (&vtr_layer_ring.header->trigger_frame, memory_order_relaxed);
  uint64_t planned = atomic_load (&trigger.planned);
  int32_t ahead;

  if (planned >> 32 != request)
    {
      const uint64_t wait = due < frames ? count_frames_ahead (measure_frame ()) : 0;
      const uint64_t plan = (uint64_t)request << 32 | (uint32_t)(frames + wait);

      atomic_store (&trigger.planned_ms, vtr_layer_now_ms ());
      if (atomic_compare_exchange_strong (&trigger.planned, &planned, plan))
        planned = plan;
    }
  if (due > frames)
    return due - frames;
  /* A program that cannot be recorded is not delayed: the reason is reported at once. */
  if (vtr_layer_live_get_failure ()[0] != '\0')
    return 0;
  ahead = (int32_t)((uint32_t)planned - (uint32_t)frames);
  return ahead > 0 && vtr_layer_now_ms () - atomic_load (&trigger.planned_ms) < PREPARING_MS
           ? (uint64_t)ahead
           : 0;
}

/* Whether a recording is to begin now. */
static bool
is_wanted (uint32_t *request)
{
  return is_asked (request) && count_ahead (*request) == 0;
}

bool
vtr_layer_trigger_is_ahead (void)
{
  uint32_t request;

  return vtr_layer_is_live () && is_asked (&request) && count_ahead (request) > 0 &&
         vtr_layer_live_get_failure ()[0] == '\0';
}

/* Does this frame's part of what comes before a cut, or behind the end. With .lock. */
static void
do_part (void)
{
  uint32_t request, left = atomic_load (&trigger.n_tidying);

  if (is_asked (&request))
    {
      prepare (count_ahead (request));
      /* Should it never come to a cut. */
      atomic_store (&trigger.n_tidying, TIDYING_FRAMES);
    }
  else if (left > 0 && !tidy (left == 1))
    atomic_store (&trigger.n_tidying, left - 1);
}

/* Whether there is something for do_part() to do. */
static bool
has_part (void)
{
  return vtr_layer_trigger_is_ahead () ||
         (vtr_layer_get_mode () == VTR_RING_MODE_IDLE && atomic_load (&trigger.n_tidying) > 0);
}

void
vtr_layer_trigger_count (VtrLayerThread *thread)
{
  const int64_t now = vtr_layer_now_ms ();
  uint32_t request;

  atomic_store (&trigger.last_ms, now - atomic_exchange (&trigger.frame_ms, now));
  vtr_layer_live_note_frame ();
  if (thread == NULL)
    return;
  if (is_complete (0) && may_try (thread) && !atomic_exchange (&trigger.ending, true))
    {
      thread->boundary = thread->last = true;
      /* Calls of other threads from here on do not belong to it, unless this thread depends on them
       * first. */
      if (thread->place.depth == 1)
        vtr_layer_gate_set (VTR_LAYER_GATE_CLOSED);
    }
  else
    thread->boundary = is_wanted (&request) ? may_try (thread) : has_part ();
}

void
vtr_layer_trigger_boundary (VtrLayerThread *thread)
{
  bool last = thread->last;
  uint32_t request;

  thread->boundary = thread->last = false;
  if (last)
    {
      pthread_mutex_lock (&trigger.lock);
      end (thread);
      pthread_mutex_unlock (&trigger.lock);
    }
  else if (pthread_mutex_trylock (&trigger.lock) == 0)
    {
      if (is_wanted (&request))
        begin (thread, request);
      else if (has_part ())
        do_part ();
      pthread_mutex_unlock (&trigger.lock);
    }
}
