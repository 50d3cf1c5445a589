/* The states of a document: made on first use, then gone through in the background. */
#include "engine/document/vtr-document-private.h"

#include "engine/answers/vtr-resolve.h"
#include "engine/answers/vtr-state-view.h"

/* µs of the background pass before somebody else gets the worker. */
#define SLICE (30 * G_TIME_SPAN_MILLISECOND)

/* The pass holds the store, not the document. */
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
start_pass (VtrDocument *self)
{
  VtrStatePassJob *job = g_new0 (VtrStatePassJob, 1);

  job->store = vtr_state_store_ref (self->states);
  job->cancellable = g_object_ref (self->states_cancellable);
  vtr_scheduler_push (vtr_scheduler_get_resolve (), VTR_PRIORITY_BACKGROUND, run_slice, job);
}

VtrStateStore *
vtr_document_get_state_store (VtrDocument *self)
{
  g_mutex_lock (&self->states_lock);
  if (self->states == NULL)
    {
      self->states = vtr_state_store_new (self->timeline, self->history);
      start_pass (self);
    }
  g_mutex_unlock (&self->states_lock);
  return self->states;
}

JsonNode *
vtr_resolve_state (VtrDocument              *document,
                   const VtrCommandAddress  *address,
                   char                    **steps,
                   GCancellable             *cancellable,
                   GError                  **error)
{
  g_autoptr (VtrApiState) state = NULL;
  g_autoptr (VtrStateView) view = NULL;

  /* What is bound needs no other state. */
  if (g_strcmp0 (steps[0], "bound") == 0)
    {
      JsonNode *bound = vtr_resolve_bound (document, address, error);

      return bound != NULL ? vtr_json_walk (bound, steps + 1, "state/bound", error) : NULL;
    }
  state = vtr_state_store_get (vtr_document_get_state_store (document), address->index,
                               address->run, cancellable, error);
  if (state == NULL)
    return NULL;
  view = vtr_state_view_new (document, state);
  return vtr_state_view_resolve (view, steps, cancellable, error);
}
