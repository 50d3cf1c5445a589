/* Copies large contents after a mid-run capture has begun: on a thread of the layer, or right
 * before a call of the program that could change them. */
#include "vtr-layer-late.h"

#include "vtr-layer-own-thread.h"
#include "vtr-layer-still.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define THRESHOLD (32u * 1024u * 1024u) /* less is copied at once: it takes a frame */
#define DELAY_MS 250                    /* frames that take longer are not waited for */
#define PATIENCE_MS 30                  /* for the program to come to rest, at first */
#define LONGEST_MS 500                  /* and at last */
#define MOST_TRIES 24                   /* failed tries after which the rest is given up */
#define PAUSE_NS 300000                 /* between pieces */
#define EXIT_MS 5000                    /* that a program's end may take longer */
#define STILL_SHARE 8                   /* keeping a byte costs the eighth of copying it */

atomic_bool vtr_layer_late_pending;

static struct
{
  pthread_mutex_t lock;
  pthread_cond_t changed;
  VtrLayerLate *first;
  _Atomic uint32_t generation; /* counts cuts */
  int64_t due;                 /* when copying begins by itself */
  atomic_bool hurry;           /* now */
  void (*filled) (void);       /* of vtr_layer_late_start() */
  bool working;                /* there is a thread */
  bool watches_exit;
} late = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

/* ---- What tests ask for ---- */

static int64_t delay_ms = DELAY_MS;
static bool is_asked, has_delay;
static uint64_t threshold = THRESHOLD;

static void
read_wish (void)
{
  const char *wish = getenv ("VITRINE_LATE");
  char *end;

  if (wish == NULL || wish[0] == '\0')
    return;
  threshold = strtoull (wish, &end, 10);
  is_asked = true;
  has_delay = *end == ',';
  if (has_delay)
    delay_ms = (int64_t)strtoul (end + 1, NULL, 10);
}

uint64_t
vtr_layer_late_get_threshold (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, read_wish);
  return threshold;
}

bool
vtr_layer_late_is_asked (void)
{
  vtr_layer_late_get_threshold ();
  return is_asked;
}

bool
vtr_layer_late_may_keep_still (uint64_t size)
{
  uint64_t all;

  if (size == 0 || size < vtr_layer_late_get_threshold () ||
      (vtr_layer_options & VTR_CAPTURE_OPTION_CRASH_MODE) != 0)
    return false;
  /* All memory of the process is kept, whatever is wanted of it. */
  all = vtr_layer_still_measure ();
  return vtr_layer_late_is_asked () || (all != 0 && size >= all / STILL_SHARE);
}

/* ---- The list; with the lock ---- */

/* Whether the host has ended the recording: calls are not looked at any more, so what is copied
 * from now on may be another content. */
static bool
is_over (void)
{
  return vtr_ring_writer_has_ended (&vtr_layer_ring) ||
         vtr_layer_get_mode () == VTR_RING_MODE_OFF;
}

static void
finish (VtrLayerLate *self)
{
  atomic_fetch_sub (&self->names->n_late, 1);
  self->names->api->late->finish (self);
}

/* Frees what is complete. */
static void
take_off_done (void)
{
  bool had = late.first != NULL, over = is_over ();

  for (VtrLayerLate **link = &late.first; *link != NULL;)
    {
      VtrLayerLate *each = *link;

      if (each->n_left > 0 && !over)
        {
          link = &each->next;
          continue;
        }
      *link = each->next;
      finish (each);
    }
  if (!had || late.first != NULL)
    return;
  atomic_store (&vtr_layer_late_pending, false);
  pthread_cond_broadcast (&late.changed);
  if (!over)
    late.filled ();
}

void
vtr_layer_late_add (VtrLayerLate *self,
                    VtrNamespace *names)
{
  VtrLayerLate **link = &late.first;

  self->names = names;
  pthread_mutex_lock (&late.lock);
  /* In the order of their tickets, in which the host takes them. */
  while (*link != NULL)
    link = &(*link)->next;
  *link = self;
  atomic_fetch_add (&names->n_late, 1);
  pthread_mutex_unlock (&late.lock);
}

/* ---- The thread that copies ---- */

/* Returns: whether there is something to do now. */
static bool
wait_until_due (void)
{
  while (late.first != NULL && !(atomic_load (&late.hurry) && !has_delay) &&
         vtr_layer_now_ms () < late.due)
    {
      struct timespec until;

      clock_gettime (CLOCK_REALTIME, &until);
      until.tv_nsec += 10000000;
      if (until.tv_nsec >= 1000000000)
        {
          until.tv_sec++;
          until.tv_nsec -= 1000000000;
        }
      pthread_cond_timedwait (&late.changed, &late.lock, &until);
    }
  return late.first != NULL;
}

/* Copies a piece. Returns: false when the program did not come to rest within @patience (ms). */
static bool
copy_piece (VtrLayerGatePlace *place,
            int64_t            patience)
{
  bool moved = late.first->names->api->late->copy_piece (late.first, place,
                                                         vtr_layer_now_ms () + patience);

  take_off_done ();
  return moved;
}

static void
give_up_first (void)
{
  if (late.first != NULL)
    late.first->names->api->late->give_up (late.first, "the device was lost, or never at rest");
  take_off_done ();
}

/* Whether the host has a quarter of the ring still to write: the program needs the rest. */
static bool
is_far_ahead (const VtrLayerLate *self)
{
  const VtrRingHeader *header = vtr_layer_ring.header;
  uint64_t written = atomic_load_explicit (&header->written_ticket, memory_order_relaxed);
  uint64_t most = (uint64_t)header->n_segments * VTR_RING_SEGMENT_SIZE / VTR_LAYER_LATE_PIECE / 4;

  return !is_over () && self->writer.log.reserved > written + most + 1;
}

static void
copy_rest (void)
{
  const struct timespec pause = { 0, PAUSE_NS };
  VtrLayerGatePlace place = { 0 };
  int64_t patience = PATIENCE_MS;
  unsigned n_tries = 0;

  vtr_layer_gate_add (&place);
  pthread_mutex_lock (&late.lock);
  while (wait_until_due ())
    {
      if (is_far_ahead (late.first))
        ;
      else if (copy_piece (&place, patience))
        {
          patience = PATIENCE_MS;
          n_tries = 0;
        }
      else
        {
          patience = patience < LONGEST_MS ? patience * 2 : patience;
          /* A device that was lost says so at once. */
          if (++n_tries == MOST_TRIES)
            give_up_first ();
          n_tries %= MOST_TRIES;
        }
      pthread_mutex_unlock (&late.lock);
      nanosleep (&pause, NULL);
      pthread_mutex_lock (&late.lock);
    }
  late.working = false;
  pthread_mutex_unlock (&late.lock);
  vtr_layer_gate_remove (&place);
  vtr_layer_still_reap ();
}

static const VtrLayerOwnThread copier = { "vitrine-late", copy_rest, 0 };

/* The program ends without destroying its device: other threads go on meanwhile. */
static void
complete_at_exit (void)
{
  struct timespec until;

  if (!vtr_layer_late_is_pending ())
    return;
  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_sec += EXIT_MS / 1000;
  pthread_mutex_lock (&late.lock);
  late.due = 0;
  pthread_cond_broadcast (&late.changed);
  while (late.first != NULL && late.working &&
         pthread_cond_timedwait (&late.changed, &late.lock, &until) == 0)
    ;
  pthread_mutex_unlock (&late.lock);
}

bool
vtr_layer_late_start (void (*filled) (void))
{
  bool pending;

  pthread_mutex_lock (&late.lock);
  pending = late.first != NULL;
  if (pending)
    {
      late.filled = filled;
      late.due = vtr_layer_now_ms () + delay_ms;
      atomic_store (&late.hurry, false);
      late.working = late.working || vtr_layer_own_thread_start (&copier);
      /* After all handlers of the driver, so that it runs before them. */
      if (!late.watches_exit)
        late.watches_exit = atexit (complete_at_exit) == 0;
      atomic_fetch_add (&late.generation, 1);
      atomic_store (&vtr_layer_late_pending, true);
    }
  pthread_mutex_unlock (&late.lock);
  return pending;
}

void
vtr_layer_late_give_up (void)
{
  pthread_mutex_lock (&late.lock);
  while (late.first != NULL)
    {
      VtrLayerLate *each = late.first;

      late.first = each->next;
      finish (each);
    }
  pthread_mutex_unlock (&late.lock);
}

void
vtr_layer_late_hurry (void)
{
  /* Without the lock: who has it may wait for the gate that the caller has closed. */
  atomic_store (&late.hurry, true);
  pthread_cond_broadcast (&late.changed);
}

/* In the child. */
static void
forked (void)
{
  late.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  late.first = NULL;
  late.working = false;
  atomic_store (&vtr_layer_late_pending, false);
}

static __attribute__ ((constructor)) void
watch_forks (void)
{
  vtr_layer_transport_at_fork (forked);
}

/* ---- Calls of the program ---- */

/* With the lock. */
static bool
touch (const VtrNamespace *names,
       VtrCmdId            cmd,
       const void         *args)
{
  bool found = false;

  for (VtrLayerLate *each = late.first; each != NULL; each = each->next)
    if (each->names == names)
      found |= names->api->late->touch (each, cmd, args);
  return found;
}

/* Returns: whether the call can go on at once. The thread is inside. */
static bool
can_pass (const VtrNamespace *names,
          VtrCmdId            cmd,
          const void         *args)
{
  bool pass;

  /* The owner of the lock may wait for this thread to be outside. */
  if (pthread_mutex_trylock (&late.lock) != 0)
    return false;
  pass = !touch (names, cmd, args);
  pthread_mutex_unlock (&late.lock);
  return pass;
}

void
vtr_layer_late_before (VtrLayerThread *thread,
                       VtrNamespace   *names,
                       VtrCmdId        cmd,
                       const void     *args)
{
  if (thread == NULL || atomic_load (&names->n_late) == 0 || names->api->late->is_harmless (cmd))
    return;
  while (vtr_layer_late_is_pending ())
    {
      uint32_t generation = atomic_load (&late.generation);

      if (can_pass (names, cmd, args))
        return;
      vtr_layer_gate_rest (&thread->place);
      pthread_mutex_lock (&late.lock);
      if (touch (names, cmd, args))
        for (VtrLayerLate *each = late.first; each != NULL; each = each->next)
          each->names->api->late->copy_wanted (each, &thread->place);
      take_off_done ();
      pthread_mutex_unlock (&late.lock);
      vtr_layer_gate_resume (&thread->place);
      /* There may have been another cut meanwhile. */
      if (generation == atomic_load (&late.generation))
        return;
    }
}
