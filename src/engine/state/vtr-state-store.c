/* Finds the state at any command: one mutator runs over the trace once and leaves checkpoints;
 * every question starts from the nearest one. */
#include "engine/state/vtr-mutator.h"
#include "engine/state/vtr-state-store.h"

#include <glib/gi18n.h>

/* Work (decoded commands) between two checkpoints. */
#define CHECKPOINT_DISTANCE 256
/* Commands that are only passed over, but whose bytes may have to be decompressed, for one of work.
   */
#define PASSED_PER_WORK 64
/* States kept that were asked for last. */
#define MAX_RECENT 16
/* Commands between looks at the clock and the cancellable. */
#define SLICE 512

typedef struct
{
  VtrStatePosition at;
  VtrApiState *state;
} VtrCheckpoint;

struct _VtrStateStore
{
  gatomicrefcount refs;
  VtrStateShared *shared;

  GMutex lock;         /* what follows */
  GArray *checkpoints; /* of VtrCheckpoint, in order */
  gsize bytes;         /* of them */
  GQueue recent;       /* of VtrApiState, used last first */

  GMutex check_lock; /* what follows; taken before .front_lock */
  gboolean checked;

  GMutex front_lock; /* what follows; taken before .lock */
  guint64 distance;  /* work between two checkpoints */
  VtrMutator front;
  VtrStatePosition front_at;
  guint64 checkpoint_work;  /* front.work at the last checkpoint */
  guint64 checkpoint_index; /* front_at.index there */
};

static void
clear_checkpoint (gpointer data)
{
  vtr_api_state_unref (((VtrCheckpoint *)data)->state);
}

static void
clear_message (gpointer data)
{
  g_free (((VtrStateMessage *)data)->text);
}

static int
compare_messages (gconstpointer a,
                  gconstpointer b)
{
  const VtrStateMessage *left = a, *right = b;

  return left->index < right->index ? -1 : left->index > right->index;
}

static GArray *
messages_new (void)
{
  GArray *array = g_array_new (FALSE, FALSE, sizeof (VtrStateMessage));

  g_array_set_clear_func (array, clear_message);
  return array;
}

static void
add_checkpoint (VtrStateStore          *self,
                const VtrStatePosition *at)
{
  VtrCheckpoint checkpoint = { *at, vtr_api_state_copy (self->front.state) };
  VtrApiState *before = NULL;

  checkpoint.state->index = at->run != VTR_NO_RUN ? at->command : at->index;
  checkpoint.state->run = at->run;
  self->checkpoint_work = self->front.work;
  self->checkpoint_index = at->index;
  g_mutex_lock (&self->lock);
  if (self->checkpoints->len > 0)
    before = g_array_index (self->checkpoints, VtrCheckpoint, self->checkpoints->len - 1).state;
  self->bytes += vtr_api_state_measure (checkpoint.state, before);
  g_array_append_val (self->checkpoints, checkpoint);
  g_mutex_unlock (&self->lock);
}

static gboolean
is_far (VtrStateStore *self)
{
  return self->front.work - self->checkpoint_work +
           (self->front_at.index - self->checkpoint_index) / PASSED_PER_WORK >=
         self->distance;
}

/* Inside a long submission. */
static void
on_step (gpointer                data,
         const VtrStatePosition *at)
{
  VtrStateStore *self = data;

  if (is_far (self))
    add_checkpoint (self, at);
}

VtrStateStore *
vtr_state_store_new (VtrTimeline *timeline,
                     VtrHistory  *history)
{
  VtrStateStore *self = g_new0 (VtrStateStore, 1);
  VtrStatePosition start = { VTR_COMMAND_NO_INDEX, VTR_NO_RUN, 0 };

  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  g_mutex_init (&self->front_lock);
  g_mutex_init (&self->check_lock);
  self->distance = CHECKPOINT_DISTANCE;
  self->shared = vtr_state_shared_new (timeline, history);
  self->checkpoints = g_array_new (FALSE, FALSE, sizeof (VtrCheckpoint));
  g_array_set_clear_func (self->checkpoints, clear_checkpoint);
  vtr_mutator_init (&self->front, self->shared, vtr_api_state_new (self->shared));
  self->front.messages = messages_new ();
  self->front.said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->front.on_step = on_step;
  self->front.step_data = self;
  self->front_at = start;
  add_checkpoint (self, &start);
  return self;
}

VtrStateStore *
vtr_state_store_ref (VtrStateStore *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

static void
unref_state (gpointer data)
{
  vtr_api_state_unref (data);
}

void
vtr_state_store_unref (VtrStateStore *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_array_unref (self->checkpoints);
  g_queue_clear_full (&self->recent, unref_state);
  g_clear_pointer (&self->front.messages, g_array_unref);
  g_clear_pointer (&self->front.said, g_hash_table_unref);
  vtr_mutator_finish (&self->front);
  vtr_state_shared_unref (self->shared);
  g_mutex_clear (&self->lock);
  g_mutex_clear (&self->front_lock);
  g_mutex_clear (&self->check_lock);
  g_free (self);
}

void
vtr_state_store_set_distance (VtrStateStore *self,
                              guint64        work)
{
  self->distance = work;
}

static guint64
get_n_commands (VtrStateStore *self)
{
  return vtr_trace_get_n_commands (vtr_timeline_get_trace (self->shared->timeline));
}

/* --- The pass --- */

/* Goes on to @to, for at most @budget µs. Returns: whether it got there. */
static gboolean
advance (VtrStateStore *self,
         guint64        to,
         gint64         budget)
{
  gint64 deadline = g_get_monotonic_time () + budget;
  gboolean there;

  g_mutex_lock (&self->front_lock);
  while (self->front_at.index + 1 < to + 1)
    {
      self->front_at.index++;
      vtr_mutator_apply (&self->front, self->front_at.index);
      if (is_far (self))
        add_checkpoint (self, &self->front_at);
      if (self->front_at.index % SLICE == 0 && g_get_monotonic_time () > deadline)
        break;
    }
  there = self->front_at.index + 1 >= to + 1;
  g_mutex_unlock (&self->front_lock);
  return there;
}

gboolean
vtr_state_store_step (VtrStateStore *self,
                      gint64         budget)
{
  return advance (self, get_n_commands (self) - 1, budget);
}

gboolean
vtr_state_store_prepare (VtrStateStore     *self,
                         VtrTraceProgress   progress,
                         gpointer           data,
                         GCancellable      *cancellable,
                         GError           **error)
{
  guint64 n = get_n_commands (self), done;

  /* Callers that wait for the same pass take turns at it. */
  while (!advance (self, n - 1, 10 * G_TIME_SPAN_MILLISECOND))
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      g_mutex_lock (&self->front_lock);
      done = self->front_at.index + 1;
      g_mutex_unlock (&self->front_lock);
      if (progress != NULL)
        progress (done * 1000 / n, 1000, data);
    }
  if (progress != NULL)
    progress (1000, 1000, data);
  return TRUE;
}

static gboolean
advance_to (VtrStateStore  *self,
            guint64         index,
            GCancellable   *cancellable,
            GError        **error)
{
  while (!advance (self, index, 20 * G_TIME_SPAN_MILLISECOND))
    if (g_cancellable_set_error_if_cancelled (cancellable, error))
      return FALSE;
  return TRUE;
}

/* --- Questions --- */

static VtrStatePosition
get_position (VtrStateStore *self,
              VtrApiState   *state)
{
  VtrStatePosition at = { state->index, state->run, 0 };

  if (state->run != VTR_NO_RUN)
    {
      at.index = vtr_timeline_get_run (self->shared->timeline, state->run)->submit;
      at.command = state->index;
    }
  return at;
}

/* The position just before @at. */
static VtrStatePosition
get_previous (const VtrStatePosition *at)
{
  VtrStatePosition before = *at;

  if (at->run != VTR_NO_RUN)
    before.command--;
  else
    before.index--;
  return before;
}

static guint
find_checkpoint (VtrStateStore          *self,
                 const VtrStatePosition *at)
{
  guint low = 0, high = self->checkpoints->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (vtr_state_position_compare (self->shared->timeline,
                                      &g_array_index (self->checkpoints, VtrCheckpoint, middle).at,
                                      at) <= 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low - 1;
}

/* The nearest state at or before @at, to go on from. */
static VtrApiState *
find_start (VtrStateStore          *self,
            const VtrStatePosition *at,
            VtrStatePosition       *from)
{
  const VtrCheckpoint *checkpoint;
  VtrApiState *start;

  g_mutex_lock (&self->lock);
  checkpoint =
    &g_array_index (self->checkpoints, VtrCheckpoint, find_checkpoint (self, at));
  start = checkpoint->state;
  *from = checkpoint->at;
  for (GList *l = self->recent.head; l != NULL; l = l->next)
    {
      VtrStatePosition position = get_position (self, l->data);

      if (vtr_state_position_compare (self->shared->timeline, &position, at) <= 0 &&
          vtr_state_position_compare (self->shared->timeline, &position, from) > 0)
        {
          start = l->data;
          *from = position;
        }
    }
  start = vtr_api_state_copy (start);
  g_mutex_unlock (&self->lock);
  return start;
}

static VtrApiState *
find_recent (VtrStateStore *self,
             guint64        index,
             guint32        run)
{
  VtrApiState *found = NULL;

  g_mutex_lock (&self->lock);
  for (GList *l = self->recent.head; l != NULL && found == NULL; l = l->next)
    {
      VtrApiState *state = l->data;

      if (state->index != index || state->run != run)
        continue;
      found = vtr_api_state_ref (state);
      g_queue_unlink (&self->recent, l);
      g_queue_push_head_link (&self->recent, l);
    }
  g_mutex_unlock (&self->lock);
  return found;
}

static void
keep_recent (VtrStateStore *self,
             VtrApiState   *state)
{
  VtrApiState *old = NULL;

  g_mutex_lock (&self->lock);
  g_queue_push_head (&self->recent, vtr_api_state_ref (state));
  if (self->recent.length > MAX_RECENT)
    old = g_queue_pop_tail (&self->recent);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&old, vtr_api_state_unref);
}

/* Mutates @start (taken over), which is at @from, to @to. */
static VtrApiState *
mutate (VtrStateShared          *shared,
        VtrApiState             *start,
        const VtrStatePosition  *from,
        const VtrStatePosition  *to,
        GCancellable            *cancellable,
        GError                 **error)
{
  VtrStatePosition before = get_previous (to);
  g_autoptr (VtrApiState) previous = NULL;
  VtrApiState *state = NULL;
  VtrMutator mutator;

  vtr_mutator_init (&mutator, shared, start);
  if (vtr_mutator_go (&mutator, from, &before, cancellable, error))
    {
      previous = vtr_api_state_copy (mutator.state);
      if (vtr_mutator_go (&mutator, &before, to, cancellable, error))
        {
          state = g_steal_pointer (&mutator.state);
          state->index = to->run != VTR_NO_RUN ? to->command : to->index;
          state->run = to->run;
          state->previous = g_steal_pointer (&previous);
        }
    }
  vtr_mutator_finish (&mutator);
  return state;
}

static gboolean
make_position (VtrStateStore     *self,
               guint64            index,
               guint32            run,
               VtrStatePosition  *out,
               GError           **error)
{
  VtrTimeline *timeline = self->shared->timeline;

  *out = (VtrStatePosition){ index, run, 0 };
  if (index >= get_n_commands (self) ||
      (run != VTR_NO_RUN &&
       (run >= vtr_timeline_get_n_runs (timeline) ||
        vtr_timeline_get_run (timeline, run)->recording !=
          vtr_timeline_find_recording (timeline, index))))
    {
      g_set_error_literal (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_RANGE,
                           _ ("The trace has no such command, or it did not run then."));
      return FALSE;
    }
  if (run != VTR_NO_RUN)
    {
      out->index = vtr_timeline_get_run (timeline, run)->submit;
      out->command = index;
    }
  return TRUE;
}

VtrApiState *
vtr_state_store_get (VtrStateStore  *self,
                     guint64         index,
                     guint32         run,
                     GCancellable   *cancellable,
                     GError        **error)
{
  VtrStatePosition at, before, from;
  VtrApiState *state, *start;

  if (!make_position (self, index, run, &at, error))
    return NULL;
  state = find_recent (self, index, run);
  if (state != NULL)
    return state;
  if (!advance_to (self, at.index, cancellable, error))
    return NULL;

  before = get_previous (&at);
  start = find_start (self, &before, &from);
  state = mutate (self->shared, start, &from, &at, cancellable, error);
  if (state != NULL)
    keep_recent (self, state);
  return state;
}

VtrApiState *
vtr_state_store_get_from_start (VtrStateStore  *self,
                                guint64         index,
                                guint32         run,
                                GCancellable   *cancellable,
                                GError        **error)
{
  VtrStatePosition at, from = { VTR_COMMAND_NO_INDEX, VTR_NO_RUN, 0 };
  VtrStateShared *shared;
  VtrApiState *state;

  if (!make_position (self, index, run, &at, error))
    return NULL;
  /* Of its own: nothing that was kept on another way is used. */
  shared = vtr_state_shared_new (self->shared->timeline, self->shared->history);
  state = mutate (shared, vtr_api_state_new (shared), &from, &at, cancellable, error);
  vtr_state_shared_unref (shared);
  return state;
}

/* Asks each API of the build for what is wrong with its calls (S10). */
static gboolean
check_calls (VtrStateStore  *self,
             GArray         *messages,
             GCancellable   *cancellable,
             GError        **error)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->state != NULL && vtr_apis[i]->state->check != NULL &&
        !vtr_apis[i]->state->check (self->shared->timeline, self->shared->history, messages,
                                    cancellable, error))
      return FALSE;
  return TRUE;
}

gboolean
vtr_state_store_check (VtrStateStore  *self,
                       GCancellable   *cancellable,
                       GError        **error)
{
  g_autoptr (GArray) found = NULL;
  gboolean checked;

  if (!vtr_state_store_prepare (self, NULL, NULL, cancellable, error))
    return FALSE;
  g_mutex_lock (&self->check_lock);
  if (!self->checked)
    {
      found = g_array_new (FALSE, FALSE, sizeof (VtrStateMessage));
      self->checked = check_calls (self, found, cancellable, error);
    }
  if (found != NULL && self->checked)
    {
      g_mutex_lock (&self->front_lock);
      g_array_append_vals (self->front.messages, found->data, found->len);
      g_array_sort (self->front.messages, compare_messages);
      g_mutex_unlock (&self->front_lock);
    }
  else if (found != NULL)
    for (guint i = 0; i < found->len; i++)
      clear_message (&g_array_index (found, VtrStateMessage, i));
  checked = self->checked;
  g_mutex_unlock (&self->check_lock);
  return checked;
}

GArray *
vtr_state_store_get_messages (VtrStateStore *self)
{
  GArray *copy = messages_new ();

  g_mutex_lock (&self->front_lock);
  for (guint i = 0; i < self->front.messages->len; i++)
    {
      VtrStateMessage message = g_array_index (self->front.messages, VtrStateMessage, i);

      message.text = g_strdup (message.text);
      g_array_append_val (copy, message);
    }
  g_mutex_unlock (&self->front_lock);
  return copy;
}

guint
vtr_state_store_get_n_checkpoints (VtrStateStore *self,
                                   gsize         *bytes)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->checkpoints->len;
  if (bytes != NULL)
    *bytes = self->bytes;
  g_mutex_unlock (&self->lock);
  return n;
}
