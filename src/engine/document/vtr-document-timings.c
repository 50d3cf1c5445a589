/* Measures a frame of a document on a thread, and reports progress in the caller's main context. */
#include "engine/document/vtr-document-timings.h"

#include "engine/document/vtr-document-private.h"

typedef struct
{
  VtrTimingsQuery query;
  VtrTimingsProgress progress;
  gpointer progress_data;
  GMainContext *context;
  GCancellable *cancellable;
} Measurement;

typedef struct
{
  GTask *task; /* keeps the measurement */
  VtrTimings *timings;
  guint n_done, n_loops;
} Report;

static void
measurement_free (gpointer data)
{
  Measurement *self = data;

  g_main_context_unref (self->context);
  g_clear_object (&self->cancellable);
  g_free (self);
}

static void
report_free (gpointer data)
{
  Report *self = data;

  g_clear_pointer (&self->timings, vtr_timings_unref);
  g_object_unref (self->task);
  g_free (self);
}

static gboolean
report_now (gpointer data)
{
  const Report *self = data;
  const Measurement *measurement = g_task_get_task_data (self->task);

  if (!g_cancellable_is_cancelled (measurement->cancellable))
    measurement->progress (self->timings, self->n_done, self->n_loops,
                           measurement->progress_data);
  return G_SOURCE_REMOVE;
}

static void
report (VtrTimings *timings,
        guint       n_done,
        guint       n_loops,
        gpointer    data)
{
  GTask *task = data;
  const Measurement *measurement = g_task_get_task_data (task);
  Report *self;

  if (measurement->progress == NULL)
    return;
  self = g_new0 (Report, 1);
  self->task = g_object_ref (task);
  self->timings = timings != NULL ? vtr_timings_ref (timings) : NULL;
  self->n_done = n_done;
  self->n_loops = n_loops;
  g_main_context_invoke_full (measurement->context, G_PRIORITY_DEFAULT, report_now, self,
                              report_free);
}

static void
measure_in_thread (GTask        *task,
                   gpointer      source,
                   gpointer      data,
                   GCancellable *cancellable)
{
  const Measurement *measurement = data;
  GError *error = NULL;
  VtrDocument *self = source;
  VtrTimings *timings = vtr_replay_session_measure (self->session, &measurement->query, report,
                                                    task, measurement->cancellable, &error);

  if (timings != NULL)
    g_task_return_pointer (task, timings, (GDestroyNotify)vtr_timings_unref);
  else
    g_task_return_error (task, error);
}

void
vtr_document_measure_async (VtrDocument           *self,
                            const VtrTimingsQuery *query,
                            VtrTimingsProgress     progress,
                            gpointer               progress_data,
                            GCancellable          *cancellable,
                            GAsyncReadyCallback    callback,
                            gpointer               data)
{
  /* Results up to a cancellation are an answer, too. */
  g_autoptr (GTask) task = g_task_new (self, NULL, callback, data);
  Measurement *measurement = g_new0 (Measurement, 1);

  measurement->query = *query;
  measurement->progress = progress;
  measurement->progress_data = progress_data;
  measurement->context = g_main_context_ref_thread_default ();
  measurement->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  g_task_set_source_tag (task, vtr_document_measure_async);
  g_task_set_task_data (task, measurement, measurement_free);
  g_task_run_in_thread (task, measure_in_thread);
}

VtrTimings *
vtr_document_measure_finish (VtrDocument   *self,
                             GAsyncResult  *result,
                             GError       **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}
