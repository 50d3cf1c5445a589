/* Keeps the data that is derived from a trace; each part is made when it is first asked for. */
#include "engine/state/vtr-analysis.h"

#include "engine/jobs/vtr-scheduler.h"
#include "engine/state/vtr-bound-walker.h"
#include "engine/state/vtr-state-store.h"

/* µs of the background pass before another job gets the worker. */
#define SLICE (30 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  VtrAnalysisMake make;
  gpointer value;
  GDestroyNotify destroy;
} VtrAnalysisPart;

struct _VtrAnalysis
{
  gatomicrefcount refs;
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrBoundWalker *walker;
  GCancellable *states_cancellable; /* of the background pass */

  GMutex lock; /* what follows */
  VtrStateStore *states;
  GArray *quick; /* of VtrAnalysisPart: what takes no time to make */

  GMutex kept_lock; /* held while something is made */
  GArray *kept;     /* of VtrAnalysisPart */
};

static void
clear_kept (gpointer data)
{
  VtrAnalysisPart *kept = data;

  kept->destroy (kept->value);
}

VtrAnalysis *
vtr_analysis_new (VtrTimeline *timeline,
                  VtrHistory  *history)
{
  VtrAnalysis *self = g_new0 (VtrAnalysis, 1);

  g_atomic_ref_count_init (&self->refs);
  self->timeline = vtr_timeline_ref (timeline);
  self->history = vtr_history_ref (history);
  self->walker = vtr_bound_walker_new (timeline, history);
  self->states_cancellable = g_cancellable_new ();
  g_mutex_init (&self->lock);
  g_mutex_init (&self->kept_lock);
  self->kept = g_array_new (FALSE, FALSE, sizeof (VtrAnalysisPart));
  g_array_set_clear_func (self->kept, clear_kept);
  self->quick = g_array_new (FALSE, FALSE, sizeof (VtrAnalysisPart));
  g_array_set_clear_func (self->quick, clear_kept);
  return self;
}

VtrAnalysis *
vtr_analysis_ref (VtrAnalysis *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_analysis_unref (VtrAnalysis *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;

  g_cancellable_cancel (self->states_cancellable);
  g_object_unref (self->states_cancellable);
  g_array_unref (self->kept);
  g_array_unref (self->quick);
  g_clear_pointer (&self->states, vtr_state_store_unref);
  vtr_bound_walker_free (self->walker);
  vtr_history_unref (self->history);
  vtr_timeline_unref (self->timeline);
  g_mutex_clear (&self->kept_lock);
  g_mutex_clear (&self->lock);
  g_free (self);
}

VtrTrace *
vtr_analysis_get_trace (VtrAnalysis *self)
{
  return vtr_timeline_get_trace (self->timeline);
}

VtrTimeline *
vtr_analysis_get_timeline (VtrAnalysis *self)
{
  return self->timeline;
}

VtrHistory *
vtr_analysis_get_history (VtrAnalysis *self)
{
  return self->history;
}

VtrBoundWalker *
vtr_analysis_get_walker (VtrAnalysis *self)
{
  return self->walker;
}

/* --- States ---------------------------------------------------------------------------------- */

/* The pass holds the store and not the analysis, whose end cancels it. */
typedef struct
{
  VtrStateStore *store;
  GCancellable *cancellable;
} VtrStatePassJob;

static void
run_slice (gpointer data,
           gpointer pool)
{
  VtrStatePassJob *job = data;

  if (!g_cancellable_is_cancelled (job->cancellable) && !vtr_state_store_step (job->store, SLICE))
    {
      vtr_scheduler_push (vtr_scheduler_get_resolve (), VTR_PRIORITY_BACKGROUND, run_slice, job);
      return;
    }
  vtr_state_store_unref (job->store);
  g_object_unref (job->cancellable);
  g_free (job);
}

static void
start_pass (VtrAnalysis *self)
{
  VtrStatePassJob *job = g_new0 (VtrStatePassJob, 1);

  job->store = vtr_state_store_ref (self->states);
  job->cancellable = g_object_ref (self->states_cancellable);
  vtr_scheduler_push (vtr_scheduler_get_resolve (), VTR_PRIORITY_BACKGROUND, run_slice, job);
}

VtrStateStore *
vtr_analysis_get_states (VtrAnalysis *self)
{
  g_mutex_lock (&self->lock);
  if (self->states == NULL)
    {
      self->states = vtr_state_store_new (self->timeline, self->history);
      start_pass (self);
    }
  g_mutex_unlock (&self->lock);
  return self->states;
}

/* --- What readers keep ------------------------------------------------------------------------ */

static gpointer
find_or_make (VtrAnalysis     *self,
              GArray          *parts,
              VtrAnalysisMake  make,
              GDestroyNotify   destroy)
{
  VtrAnalysisPart part = { .make = make, .destroy = destroy };

  for (guint i = 0; i < parts->len; i++)
    if (g_array_index (parts, VtrAnalysisPart, i).make == make)
      return g_array_index (parts, VtrAnalysisPart, i).value;
  part.value = make (self);
  if (part.value != NULL)
    g_array_append_val (parts, part);
  return part.value;
}

gpointer
vtr_analysis_keep_quick (VtrAnalysis     *self,
                         VtrAnalysisMake  make,
                         GDestroyNotify   destroy)
{
  gpointer value;

  g_mutex_lock (&self->lock);
  value = find_or_make (self, self->quick, make, destroy);
  g_mutex_unlock (&self->lock);
  return value;
}

gpointer
vtr_analysis_keep (VtrAnalysis     *self,
                   VtrAnalysisMake  make,
                   GDestroyNotify   destroy)
{
  gpointer value;

  g_mutex_lock (&self->kept_lock);
  value = find_or_make (self, self->kept, make, destroy);
  g_mutex_unlock (&self->kept_lock);
  return value;
}
