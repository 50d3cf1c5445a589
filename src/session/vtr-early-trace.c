/* Opens the trace named on the command line in the background while GTK is still starting, so
 * that the window can show it sooner. */
#include "vtr-config.h"

#include "session/vtr-early-trace.h"

#include "engine/replay/vtr-replay-backend.h"

typedef struct
{
  char *path;
  GCancellable *cancellable;
  GAsyncResult *result; /* opened, but not taken by a caller yet */
  VtrTraceProgress progress;
  gpointer progress_data;
  GAsyncReadyCallback callback;
  gpointer data;
} EarlyTrace;

static EarlyTrace *early; /* not taken; a caller that takes it owns it until its callback */

static void
early_trace_free (EarlyTrace *self)
{
  g_free (self->path);
  g_object_unref (self->cancellable);
  g_clear_object (&self->result);
  g_free (self);
}

/* Calls back the caller that has taken it. */
static void
finish (EarlyTrace *self)
{
  self->callback (NULL, self->result, self->data);
  early_trace_free (self);
}

static gboolean
finish_cb (gpointer data)
{
  finish (data);
  return G_SOURCE_REMOVE;
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  EarlyTrace *self = data;
  g_autoptr (VtrDocument) document = NULL;

  self->result = g_object_ref (result);
  if (self->callback)
    finish (self);
  else if (self != early)
    {
      document = vtr_document_open_finish (result, NULL);
      early_trace_free (self);
    }
}

static void
progress_cb (guint64 done, guint64 total, gpointer data)
{
  EarlyTrace *self = data;

  if (self->progress)
    self->progress (done, total, self->progress_data);
}

void
vtr_early_trace_begin (const char *path)
{
  vtr_early_trace_drop ();
  early = g_new0 (EarlyTrace, 1);
  early->path = g_strdup (path);
  early->cancellable = g_cancellable_new ();
  vtr_replay_process_prepare (path);
  vtr_document_open_async (path, progress_cb, early, early->cancellable, opened_cb, early);
}

gboolean
vtr_early_trace_take (const char          *path,
                      VtrTraceProgress     progress,
                      gpointer             progress_data,
                      GCancellable        *cancellable,
                      GAsyncReadyCallback  callback,
                      gpointer             data)
{
  EarlyTrace *self = early;

  if (self == NULL || g_strcmp0 (self->path, path) != 0)
    return FALSE;
  early = NULL;
  self->progress = progress;
  self->progress_data = progress_data;
  self->callback = callback;
  self->data = data;
  g_cancellable_connect (cancellable, G_CALLBACK (g_cancellable_cancel),
                         g_object_ref (self->cancellable), g_object_unref);
  if (self->result)
    g_idle_add_full (G_PRIORITY_DEFAULT, finish_cb, self, NULL);
  return TRUE;
}

void
vtr_early_trace_drop (void)
{
  EarlyTrace *self = g_steal_pointer (&early);
  g_autoptr (VtrDocument) document = NULL;

  if (self == NULL)
    return;
  vtr_replay_process_drop_prepared ();
  g_cancellable_cancel (self->cancellable);
  if (self->result == NULL)
    return; /* its callback frees it */
  document = vtr_document_open_finish (self->result, NULL);
  early_trace_free (self);
}
