/* Answers questions about memory on worker threads. */
#include "engine/document/vtr-document-memory.h"

#include "engine/document/vtr-document-private.h"

VtrMemory *
vtr_document_get_memory (VtrDocument *self)
{
  return vtr_analysis_get_memory (self->analysis);
}

guint
vtr_document_get_memory_progress (VtrDocument *self)
{
  return vtr_memory_get_progress (vtr_document_get_memory (self));
}

static VtrMemoryQuery *
copy_query (const VtrMemoryQuery *query)
{
  return g_memdup2 (query, sizeof *query);
}

static void
run_view (gpointer data,
          gpointer pool)
{
  GTask *task = data;
  GError *error = NULL;
  VtrDocument *self = g_task_get_source_object (task);
  VtrMemoryView *view =
    vtr_replay_session_get_memory_view (self->session, g_task_get_task_data (task),
                                        g_task_get_cancellable (task), &error);

  if (view != NULL)
    g_task_return_pointer (task, view, (GDestroyNotify)vtr_memory_view_unref);
  else
    g_task_return_error (task, error);
  vtr_scheduler_release_task (task);
}

/* Questions about memory may wait for its index, or for a replay: they keep off the pool that
   answers what is on screen. */
void
vtr_document_get_memory_view_async (VtrDocument          *self,
                                    const VtrMemoryQuery *query,
                                    GCancellable         *cancellable,
                                    GAsyncReadyCallback   callback,
                                    gpointer              data)
{
  GTask *task = g_task_new (self, cancellable, callback, data);

  g_task_set_source_tag (task, vtr_document_get_memory_view_async);
  g_task_set_task_data (task, copy_query (query), g_free);
  vtr_scheduler_push (vtr_scheduler_get_io (), VTR_PRIORITY_NORMAL, run_view, task);
}

VtrMemoryView *
vtr_document_get_memory_view_finish (VtrDocument   *self,
                                     GAsyncResult  *result,
                                     GError       **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

static void
run_list (gpointer data,
          gpointer pool)
{
  GTask *task = data;
  VtrDocument *self = g_task_get_source_object (task);
  const VtrPlace *address = g_task_get_task_data (task);
  GError *error = NULL;
  GArray *ranges = vtr_memory_list_ranges (vtr_document_get_memory (self), address->index,
                                           address->run, g_task_get_cancellable (task), &error);

  if (ranges != NULL)
    g_task_return_pointer (task, ranges, (GDestroyNotify)g_array_unref);
  else
    g_task_return_error (task, error);
  vtr_scheduler_release_task (task);
}

void
vtr_document_list_memory_async (VtrDocument         *self,
                                const VtrPlace      *address,
                                GCancellable        *cancellable,
                                GAsyncReadyCallback  callback,
                                gpointer             data)
{
  GTask *task = g_task_new (self, cancellable, callback, data);

  g_task_set_source_tag (task, vtr_document_list_memory_async);
  g_task_set_task_data (task, g_memdup2 (address, sizeof *address), g_free);
  vtr_scheduler_push (vtr_scheduler_get_io (), VTR_PRIORITY_NORMAL, run_list, task);
}

GArray *
vtr_document_list_memory_finish (VtrDocument   *self,
                                 GAsyncResult  *result,
                                 GError       **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
