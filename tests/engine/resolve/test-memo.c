/* Tests the scheduler and the memo: order, joining, cancelling, forgetting. */
#include "engine/jobs/vtr-memo.h"
#include "engine/replay-session/vtr-replay-waiters.h"

/* --- Scheduler --- */

typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean open;
  GString *order;
} Gate;

static void
gate_init (Gate *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->open = FALSE;
  self->order = g_string_new (NULL);
}

static void
gate_clear (Gate *self)
{
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_string_free (self->order, TRUE);
}

static void
gate_open (Gate *self)
{
  g_mutex_lock (&self->lock);
  self->open = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void
gate_wait (Gate *self)
{
  g_mutex_lock (&self->lock);
  while (!self->open)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
}

static void
wait_at_gate (gpointer data, gpointer pool)
{
  g_assert_true (vtr_scheduler_is_worker (pool));
  gate_wait (data);
}

typedef struct
{
  Gate *gate;
  char letter;
} Letter;

static void
write_letter (gpointer data, gpointer pool)
{
  Letter *letter = data;

  g_mutex_lock (&letter->gate->lock);
  g_string_append_c (letter->gate->order, letter->letter);
  g_mutex_unlock (&letter->gate->lock);
}

static void
test_priorities (void)
{
  VtrScheduler *pool = vtr_scheduler_new ("test", 1);
  Gate gate;
  Letter letters[] = {
    { &gate, 'a' }, { &gate, 'b' }, { &gate, 'c' }, { &gate, 'd' }, { &gate, 'x' }
  };
  guint64 removed;

  gate_init (&gate);
  g_assert_false (vtr_scheduler_is_worker (pool));
  vtr_scheduler_push (pool, VTR_PRIORITY_INTERACTIVE, wait_at_gate, &gate);
  vtr_scheduler_push (pool, VTR_PRIORITY_BACKGROUND, write_letter, &letters[3]);
  vtr_scheduler_push (pool, VTR_PRIORITY_NORMAL, write_letter, &letters[1]);
  removed = vtr_scheduler_push (pool, VTR_PRIORITY_INTERACTIVE, write_letter, &letters[4]);
  vtr_scheduler_push (pool, VTR_PRIORITY_INTERACTIVE, write_letter, &letters[0]);
  vtr_scheduler_push (pool, VTR_PRIORITY_NORMAL, write_letter, &letters[2]);
  g_assert_true (vtr_scheduler_remove (pool, removed));
  g_assert_false (vtr_scheduler_remove (pool, removed));
  gate_open (&gate);
  vtr_scheduler_free (pool); /* runs what is queued */
  g_assert_cmpstr (gate.order->str, ==, "abcd");
  gate_clear (&gate);
}

/* What waits for long goes first, once in a while. */
static void
test_patience (void)
{
  VtrScheduler *pool = vtr_scheduler_new ("test", 1);
  Gate gate;
  Letter letters[] = { { &gate, 'a' }, { &gate, 'b' }, { &gate, 'c' }, { &gate, 'd' } };

  gate_init (&gate);
  vtr_scheduler_set_patience (pool, 1);
  vtr_scheduler_push (pool, VTR_PRIORITY_INTERACTIVE, wait_at_gate, &gate);
  vtr_scheduler_push (pool, VTR_PRIORITY_BACKGROUND, write_letter, &letters[3]);
  g_usleep (1000);
  vtr_scheduler_push (pool, VTR_PRIORITY_INTERACTIVE, write_letter, &letters[0]);
  gate_open (&gate);
  vtr_scheduler_free (pool);
  g_assert_cmpstr (gate.order->str, ==, "da");
  gate_clear (&gate);

  pool = vtr_scheduler_new ("test", 1);
  gate_init (&gate);
  vtr_scheduler_set_patience (pool, G_MAXINT64 / 2);
  vtr_scheduler_push (pool, VTR_PRIORITY_INTERACTIVE, wait_at_gate, &gate);
  vtr_scheduler_push (pool, VTR_PRIORITY_BACKGROUND, write_letter, &letters[3]);
  g_usleep (1000);
  vtr_scheduler_push (pool, VTR_PRIORITY_INTERACTIVE, write_letter, &letters[0]);
  gate_open (&gate);
  vtr_scheduler_free (pool);
  g_assert_cmpstr (gate.order->str, ==, "ad");
  gate_clear (&gate);
}

/* --- Wishes --- */

static void
test_wishes (void)
{
  VtrReplayWaiters *wishes = vtr_replay_waiters_new ();
  g_autoptr (GCancellable) request = g_cancellable_new ();
  g_autoptr (GCancellable) making = vtr_replay_waiters_begin (wishes, 100, 200, request);
  guint64 inside, outside;

  /* The only caller cancels, but somebody will ask again. */
  g_cancellable_cancel (request);
  g_assert_false (g_cancellable_is_cancelled (making));
  inside = vtr_replay_waiters_add (wishes, 199, VTR_PRIORITY_INTERACTIVE);
  vtr_replay_waiters_end_unneeded (wishes);
  outside = vtr_replay_waiters_add (wishes, 200, VTR_PRIORITY_NORMAL);
  vtr_replay_waiters_end_unneeded (wishes);
  g_assert_false (g_cancellable_is_cancelled (making));
  /* What runs next needs another. */
  vtr_replay_waiters_remove (wishes, inside);
  vtr_replay_waiters_end_unneeded (wishes);
  g_assert_true (g_cancellable_is_cancelled (making));
  vtr_replay_waiters_end (wishes);
  g_clear_object (&making);

  /* As long as its request stands, it is made. */
  g_cancellable_reset (request);
  making = vtr_replay_waiters_begin (wishes, 100, 200, request);
  vtr_replay_waiters_end_unneeded (wishes);
  g_assert_false (g_cancellable_is_cancelled (making));
  g_cancellable_cancel (request);
  g_assert_true (g_cancellable_is_cancelled (making));
  vtr_replay_waiters_end (wishes);
  g_clear_object (&making);
  vtr_replay_waiters_remove (wishes, outside);

  making = vtr_replay_waiters_begin (wishes, 100, 200, request);
  g_assert_false (g_cancellable_is_cancelled (making));
  vtr_replay_waiters_close (wishes);
  g_assert_true (g_cancellable_is_cancelled (making));
  vtr_replay_waiters_end (wishes);
  vtr_replay_waiters_free (wishes);
}

/* --- Memo --- */

typedef struct
{
  VtrScheduler *pool;
  VtrMemo *memo;
  Gate gate;
  int n_started, n_computed, n_cancelled, n_freed; /* atomic */
  guint n_answers, n_errors;
} Fixture;

static gpointer
ref_bytes (gpointer value)
{
  return g_bytes_ref (value);
}

static void
unref_bytes (gpointer value)
{
  g_bytes_unref (value);
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->pool = vtr_scheduler_new ("test", 1);
  vtr_scheduler_set_patience (self->pool, G_MAXINT64 / 2); /* on a slow machine too */
  self->memo = vtr_memo_new (self->pool, ref_bytes, unref_bytes, 100);
  gate_init (&self->gate);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  vtr_memo_free (self->memo);
  vtr_scheduler_free (self->pool);
  gate_clear (&self->gate);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static gpointer
compute (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  Fixture *self = data;

  gate_wait (&self->gate);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    {
      g_atomic_int_inc (&self->n_cancelled);
      return NULL;
    }
  *cost = 40;
  g_atomic_int_inc (&self->n_computed);
  return g_bytes_new_static ("value", 5);
}

static gpointer
fail (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  Fixture *self = data;

  g_atomic_int_inc (&self->n_computed);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "no");
  return NULL;
}

/* Runs until it is cancelled or the gate opens. */
static gpointer
compute_until_cancelled (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  Fixture *self = data;
  gboolean open = FALSE;

  g_atomic_int_inc (&self->n_started);
  while (!open)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        {
          g_atomic_int_inc (&self->n_cancelled);
          return NULL;
        }
      g_usleep (200);
      g_mutex_lock (&self->gate.lock);
      open = self->gate.open;
      g_mutex_unlock (&self->gate.lock);
    }
  g_atomic_int_inc (&self->n_computed);
  return g_bytes_new_static ("value", 5);
}

/* Answers at once. */
static gpointer
compute_now (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  g_atomic_int_inc (&((Fixture *)data)->n_computed);
  return g_bytes_new_static ("value", 5);
}

static void
count_free (gpointer data)
{
  g_atomic_int_inc (&((Fixture *)data)->n_freed);
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Fixture *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = vtr_memo_get_finish (result, &error);

  self->n_answers++;
  if (bytes == NULL)
    self->n_errors++;
}

static void
ask_at (Fixture *self, const char *key, int priority, VtrMemoFunc func, GCancellable *cancellable)
{
  vtr_memo_get_async (self->memo, key, priority, func, self, count_free, NULL, cancellable,
                      on_answer, self);
}

static void
ask (Fixture *self, const char *key, VtrMemoFunc func, GCancellable *cancellable)
{
  ask_at (self, key, VTR_PRIORITY_NORMAL, func, cancellable);
}

static void
wait_count (const int *count, int n)
{
  while (g_atomic_int_get (count) < n)
    g_usleep (200);
}

static void
wait_answers (Fixture *self, guint n)
{
  while (self->n_answers < n)
    g_main_context_iteration (NULL, TRUE);
}

static void
test_joining (Fixture *self, gconstpointer data)
{
  g_autoptr (GBytes) again = NULL;

  for (guint i = 0; i < 5; i++)
    ask (self, "key", compute, NULL);
  g_assert_null (vtr_memo_peek (self->memo, "key"));
  gate_open (&self->gate);
  wait_answers (self, 5);
  g_assert_cmpint (g_atomic_int_get (&self->n_computed), ==, 1);
  g_assert_cmpint (g_atomic_int_get (&self->n_freed), ==, 5);
  g_assert_cmpuint (self->n_errors, ==, 0);
  ask (self, "key", compute, NULL);
  wait_answers (self, 6);
  again = vtr_memo_get (self->memo, "key", 0, compute, self, count_free, NULL, NULL);
  g_assert_nonnull (again);
  g_assert_cmpint (g_atomic_int_get (&self->n_computed), ==, 1);
}

static void
test_errors (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (vtr_memo_get (self->memo, "key", 0, fail, self, count_free, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  /* Not kept: the next request tries again. */
  ask (self, "key", fail, NULL);
  wait_answers (self, 1);
  g_assert_cmpuint (self->n_errors, ==, 1);
  g_assert_cmpint (g_atomic_int_get (&self->n_computed), ==, 2);
  g_assert_cmpint (g_atomic_int_get (&self->n_freed), ==, 2);
}

/* One caller of two goes: the other still gets the answer. */
static void
test_one_cancelled (Fixture *self, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  ask (self, "key", compute, cancellable);
  ask (self, "key", compute, NULL);
  g_cancellable_cancel (cancellable);
  wait_answers (self, 1);
  g_assert_cmpuint (self->n_errors, ==, 1);
  gate_open (&self->gate);
  wait_answers (self, 2);
  g_assert_cmpuint (self->n_errors, ==, 1);
  g_assert_cmpint (g_atomic_int_get (&self->n_computed), ==, 1);
}

/* The last caller takes the computation with it, running or queued. */
static void
test_all_cancelled (Fixture *self, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GCancellable) before = g_cancellable_new ();

  ask (self, "running", compute, cancellable);
  ask (self, "queued", compute, cancellable);
  g_cancellable_cancel (before);
  ask (self, "never", compute, before);
  g_usleep (20000);
  g_cancellable_cancel (cancellable);
  wait_answers (self, 3);
  g_assert_cmpuint (self->n_errors, ==, 3);
  /* When it is asked for again, it is computed again, although the first computation has not
   * ended yet. */
  ask (self, "running", compute, NULL);
  gate_open (&self->gate);
  wait_answers (self, 4);
  g_assert_cmpuint (self->n_errors, ==, 3);
  g_assert_cmpint (g_atomic_int_get (&self->n_computed), ==, 1);
  g_assert_cmpint (g_atomic_int_get (&self->n_cancelled), <=, 1);
  g_assert_cmpint (g_atomic_int_get (&self->n_freed), ==, 4);
}

static void
test_forgetting (Fixture *self, gconstpointer data)
{
  static const char *const keys[] = { "a", "b", "a", "c" };
  GBytes *kept;

  gate_open (&self->gate);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_bytes_unref (vtr_memo_get (self->memo, keys[i], 0, compute, self, NULL, NULL, NULL));
  /* Two of cost 40 fit into 100: "b" was used longest ago. */
  g_assert_null (vtr_memo_peek (self->memo, "b"));
  kept = vtr_memo_peek (self->memo, "a");
  g_assert_nonnull (kept);
  g_bytes_unref (kept);
}

typedef struct
{
  Fixture *fixture;
  GError *error;
} Waiter;

static gpointer
wait_in_thread (gpointer data)
{
  Waiter *waiter = data;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  gpointer value;

  g_cancellable_cancel (cancellable);
  value = vtr_memo_get (waiter->fixture->memo, "key", 0, compute, waiter->fixture, count_free,
                        cancellable, &waiter->error);
  return value;
}

static void
test_blocking_cancelled (Fixture *self, gconstpointer data)
{
  Waiter waiter = { .fixture = self };
  GThread *thread = g_thread_new ("waiter", wait_in_thread, &waiter);

  g_assert_null (g_thread_join (thread));
  g_assert_error (waiter.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&waiter.error);
  gate_open (&self->gate);
}

static gpointer
nested (gpointer data, GCancellable *cancellable, gsize *cost, GError **error)
{
  Fixture *self = data;

  return vtr_memo_get (self->memo, "inner", 0, compute, self, NULL, cancellable, error);
}

/* A computation that needs another one of its own pool does not wait for itself. */
static void
test_nested (Fixture *self, gconstpointer data)
{
  g_autoptr (GBytes) bytes = NULL;

  gate_open (&self->gate);
  bytes = vtr_memo_get (self->memo, "outer", 0, nested, self, NULL, NULL, NULL);
  g_assert_nonnull (bytes);
}

/* A newer request of the same view: the only caller of the older one cancels while it runs. */
static void
test_newer_ends_older (Fixture *self, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  ask (self, "older", compute_until_cancelled, cancellable);
  wait_count (&self->n_started, 1);
  g_cancellable_cancel (cancellable);
  ask (self, "newer", compute_now, NULL);
  wait_answers (self, 2);
  g_assert_cmpuint (self->n_errors, ==, 1);
  g_assert_cmpint (g_atomic_int_get (&self->n_cancelled), ==, 1);
  g_assert_cmpint (g_atomic_int_get (&self->n_computed), ==, 1);
}

/* Like test_newer_ends_older (), when somebody else waits for the older one too: it goes on. */
static void
test_joined_survives (Fixture *self, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  ask (self, "older", compute_until_cancelled, cancellable);
  ask_at (self, "older", VTR_PRIORITY_BACKGROUND, compute_until_cancelled, NULL);
  wait_count (&self->n_started, 1);
  g_cancellable_cancel (cancellable);
  ask (self, "newer", compute_now, NULL);
  wait_answers (self, 1);
  gate_open (&self->gate);
  wait_answers (self, 3);
  g_assert_cmpuint (self->n_errors, ==, 1);
  g_assert_cmpint (g_atomic_int_get (&self->n_cancelled), ==, 0);
  g_assert_cmpint (g_atomic_int_get (&self->n_started), ==, 1);
}

/* What runs in the background stops for a request and is taken up again, but not for ever. */
static void
test_yielding (Fixture *self, gconstpointer data)
{
  const guint n = 20;
  int n_yields;

  ask_at (self, "background", VTR_PRIORITY_BACKGROUND, compute_until_cancelled, NULL);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *key = g_strdup_printf ("%u", i);

      wait_count (&self->n_started, 1 + g_atomic_int_get (&self->n_cancelled));
      ask_at (self, key, VTR_PRIORITY_INTERACTIVE, compute_now, NULL);
      /* As long as it yields, the others have their answers. */
      if (i < 4)
        wait_answers (self, i + 1);
    }
  n_yields = g_atomic_int_get (&self->n_cancelled);
  g_assert_cmpint (n_yields, ==, 4);
  g_assert_cmpuint (self->n_answers, ==, 4);
  gate_open (&self->gate);
  wait_answers (self, n + 1);
  g_assert_cmpuint (self->n_errors, ==, 0);
  g_assert_cmpint (g_atomic_int_get (&self->n_started), ==, 5);
  g_assert_cmpint (g_atomic_int_get (&self->n_computed), ==, n + 1);
  g_assert_cmpint (g_atomic_int_get (&self->n_freed), ==, n + 1);
}

/* Who looks at it makes a background request urgent, be it queued or running. */
static void
test_raising (Fixture *self, gconstpointer data)
{
  ask (self, "first", compute, NULL);
  ask_at (self, "a", VTR_PRIORITY_THUMBNAIL, compute_now, NULL);
  ask_at (self, "b", VTR_PRIORITY_BACKGROUND, compute_until_cancelled, NULL);
  ask_at (self, "b", VTR_PRIORITY_INTERACTIVE, compute_until_cancelled, NULL);
  gate_open (&self->gate);
  wait_answers (self, 4);
  g_assert_cmpuint (self->n_errors, ==, 0);

  self->gate.open = FALSE;
  ask_at (self, "c", VTR_PRIORITY_BACKGROUND, compute_until_cancelled, NULL);
  wait_count (&self->n_started, 2);
  ask_at (self, "c", VTR_PRIORITY_INTERACTIVE, compute_until_cancelled, NULL);
  ask_at (self, "d", VTR_PRIORITY_INTERACTIVE, compute_now, NULL);
  g_assert_cmpint (g_atomic_int_get (&self->n_cancelled), ==, 0);
  gate_open (&self->gate);
  wait_answers (self, 7);
  g_assert_cmpint (g_atomic_int_get (&self->n_started), ==, 2);
}

/* Given up while it waits to be taken up again. */
static void
test_yielded_and_cancelled (Fixture *self, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  ask_at (self, "background", VTR_PRIORITY_BACKGROUND, compute_until_cancelled, cancellable);
  wait_count (&self->n_started, 1);
  ask_at (self, "urgent", VTR_PRIORITY_INTERACTIVE, compute, NULL);
  wait_count (&self->n_cancelled, 1);
  g_cancellable_cancel (cancellable);
  wait_answers (self, 1);
  g_assert_cmpuint (self->n_errors, ==, 1);
  gate_open (&self->gate);
  wait_answers (self, 2);
  g_assert_cmpint (g_atomic_int_get (&self->n_started), ==, 1);
  g_assert_cmpuint (self->n_errors, ==, 1);
}

int
main (int argc, char **argv)
{
#define TEST(name, function) \
  g_test_add ("/engine/resolve/memo/" name, Fixture, NULL, set_up, function, tear_down)

  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/resolve/scheduler/priorities", test_priorities);
  g_test_add_func ("/engine/resolve/scheduler/patience", test_patience);
  g_test_add_func ("/engine/resolve/wishes", test_wishes);
  TEST ("joining", test_joining);
  TEST ("errors", test_errors);
  TEST ("one-cancelled", test_one_cancelled);
  TEST ("all-cancelled", test_all_cancelled);
  TEST ("forgetting", test_forgetting);
  TEST ("blocking-cancelled", test_blocking_cancelled);
  TEST ("nested", test_nested);
  TEST ("newer-ends-older", test_newer_ends_older);
  TEST ("joined-survives", test_joined_survives);
  TEST ("yielding", test_yielding);
  TEST ("raising", test_raising);
  TEST ("yielded-and-cancelled", test_yielded_and_cancelled);
  return g_test_run ();
}
