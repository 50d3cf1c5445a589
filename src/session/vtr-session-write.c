/* Finds the previous or next command that writes to an image, for the window's actions that step
 * through the writes. */
#include "vtr-config.h"

#include "session/vtr-session.h"

#include "engine/document/vtr-document-lists.h"

/* A search for the next write of an image. */

typedef struct
{
  VtrDocument *document;
  VtrPlace address;
  guint32 image;
  int step;
} Search;

static void
search_free (gpointer data)
{
  Search *self = data;

  g_object_unref (self->document);
  g_free (self);
}

static void
search_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Search *self = data;
  GError *error = NULL;
  gboolean found = vtr_uses_find_write (vtr_document_get_analysis (self->document), self->image,
                                        self->step, &self->address, cancellable, &error);

  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, found);
}

void
vtr_session_step_write_async (VtrSession          *self,
                              guint32              image,
                              int                  step,
                              GCancellable        *cancellable,
                              GAsyncReadyCallback  callback,
                              gpointer             data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, data);
  Search *search = g_new0 (Search, 1);

  g_task_set_source_tag (task, vtr_session_step_write_async);
  search->document = g_object_ref (vtr_session_get_document (self));
  search->address = vtr_session_get_address (self);
  search->image = image;
  search->step = step;
  g_task_set_task_data (task, search, search_free);
  g_task_run_in_thread (task, search_worker);
}

gboolean
vtr_session_step_write_finish (VtrSession    *self,
                               GAsyncResult  *result,
                               GError       **error)
{
  const Search *search = g_task_get_task_data (G_TASK (result));

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  if (!g_task_propagate_boolean (G_TASK (result), error))
    return FALSE;
  vtr_session_select_address (self, &search->address, VTR_SELECT_STEP);
  return TRUE;
}
