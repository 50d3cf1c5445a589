/* Lets a caller wait until a window has opened its trace, so that requests of scripts are
 * handled in order. */
#include "vtr-config.h"

#include "window/vtr-window.h"

#include <glib/gi18n.h>

/* A request to a window that is opening a file waits until the file is open. A request that arrives
 * while earlier ones are about to continue waits behind them, so all run in order. */

#define N_WAITING "vtr-n-waiting"

typedef struct
{
  GTask *task; /* owns us */
  gulong page_changed, destroyed;
} Wait;

static void
stop_waiting (Wait *wait)
{
  VtrWindow *window = g_task_get_source_object (wait->task);

  g_clear_signal_handler (&wait->page_changed, window);
  g_clear_signal_handler (&wait->destroyed, window);
}

static void
count (gpointer window, int change)
{
  int n = GPOINTER_TO_INT (g_object_get_data (window, N_WAITING));

  g_object_set_data (window, N_WAITING, GINT_TO_POINTER (n + change));
}

gboolean
vtr_window_must_wait (VtrWindow *self)
{
  return g_str_equal (vtr_window_get_page (self), "loading") ||
         g_object_get_data (G_OBJECT (self), N_WAITING) != NULL;
}

static gboolean
ready_cb (gpointer data)
{
  g_autoptr (GTask) task = data;

  count (g_task_get_source_object (task), -1);
  g_task_return_boolean (task, TRUE);
  return G_SOURCE_REMOVE;
}

/* Not at once, because the window has yet to select the end of the last frame. */
static void
page_changed_cb (VtrWindow *window, Wait *wait)
{
  if (g_str_equal (vtr_window_get_page (window), "loading"))
    return;
  stop_waiting (wait);
  count (window, 1);
  g_idle_add (ready_cb, wait->task);
}

static void
destroyed_cb (VtrWindow *window, Wait *wait)
{
  g_autoptr (GTask) task = wait->task;

  stop_waiting (wait);
  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, _ ("The window was closed"));
}

void
vtr_window_wait_async (VtrWindow           *self,
                       GCancellable        *cancellable,
                       GAsyncReadyCallback  callback,
                       gpointer             data)
{
  GTask *task = g_task_new (self, cancellable, callback, data);
  Wait *wait;

  g_return_if_fail (VTR_IS_WINDOW (self));

  g_task_set_source_tag (task, vtr_window_wait_async);
  if (!vtr_window_must_wait (self))
    {
      g_task_return_boolean (task, TRUE);
      g_object_unref (task);
      return;
    }
  if (!g_str_equal (vtr_window_get_page (self), "loading"))
    {
      count (self, 1);
      g_idle_add (ready_cb, task);
      return;
    }
  wait = g_new0 (Wait, 1);
  wait->task = task;
  g_task_set_task_data (task, wait, g_free);
  wait->page_changed = g_signal_connect (self, "page-changed", G_CALLBACK (page_changed_cb), wait);
  wait->destroyed = g_signal_connect (self, "destroy", G_CALLBACK (destroyed_cb), wait);
}

gboolean
vtr_window_wait_finish (VtrWindow     *self,
                        GAsyncResult  *result,
                        GError       **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}
