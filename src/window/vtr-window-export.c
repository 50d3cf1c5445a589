/* Exports the image that the framebuffer pane shows to a file. */
#include "vtr-config.h"

#include "window/vtr-window.h"

#include <glib/gi18n.h>

#include "engine/picture/vtr-image-file.h"
#include "widgets/vtr-dialogs.h"
#include "window/vtr-window-private.h"

/* The exported image is requested from the document by its path, never taken from the screen, which
 * shows the previous image until the next one is ready. */

typedef struct
{
  GFile *file;
  VtrImage *image;
  char *note; /* what the file leaves out; NULL: nothing */
} Export;

static void
export_free (Export *order)
{
  g_object_unref (order->file);
  g_clear_pointer (&order->image, vtr_image_unref);
  g_free (order->note);
  g_free (order);
}

static void
save_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Export *order = data;
  g_autofree char *path = g_file_get_path (order->file);
  GError *error = NULL;

  if (path == NULL)
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                             _ ("The folder is not on this computer"));
  else if (vtr_image_save (order->image, path, &error))
    {
      if (vtr_image_is_png (path))
        order->note = vtr_image_describe_range (order->image);
      g_task_return_boolean (task, TRUE);
    }
  else
    g_task_return_error (task, error);
}

static void
got_image_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  Export *order = g_task_get_task_data (task);
  GError *error = NULL;
  VtrImage *image = vtr_document_get_image_finish (VTR_DOCUMENT (source), result, &error);

  if (image == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  order->image = image;
  g_task_run_in_thread (task, save_worker);
}

static void
saved_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrWindow *self = VTR_WINDOW (source);
  Export *order = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;

  if (g_task_propagate_boolean (G_TASK (result), &error))
    {
      g_autofree char *uri = g_file_get_uri (order->file);
      g_autofree char *text = order->note != NULL
                                ? g_strdup_printf ("%s. %s", _ ("Image saved"), order->note)
                                : g_strdup (_ ("Image saved"));

      vtr_window_toast (self, text, _ ("Show in _Files"), "win.show-file", uri);
    }
  else
    {
      g_autofree char *text = g_strdup_printf (_ ("The image was not saved: %s"), error->message);

      vtr_window_complain (self, text);
    }
}

static void
start (VtrWindow *self, GFile *file)
{
  VtrSession *session = vtr_window_get_session (self);
  g_autoptr (GTask) task = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = vtr_window_dup_image_path (self, &error);
  Export *order;

  if (path == NULL)
    {
      vtr_window_complain (self, error->message);
      return;
    }
  order = g_new0 (Export, 1);
  order->file = g_object_ref (file);
  task = g_task_new (self, NULL, saved_cb, NULL);
  g_task_set_source_tag (task, vtr_window_export_image);
  g_task_set_task_data (task, order, (GDestroyNotify)export_free);
  vtr_document_get_image_async (vtr_session_get_document (session), path,
                                VTR_PRIORITY_INTERACTIVE, NULL, got_image_cb,
                                g_steal_pointer (&task));
}

static void
ready_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GFile) file = data;

  if (vtr_window_wait_finish (VTR_WINDOW (source), result, NULL))
    start (VTR_WINDOW (source), file);
}

static void
export_chosen_cb (GtkWindow *window, GFile *file)
{
  vtr_window_export_image (VTR_WINDOW (window), file);
}

void
vtr_window_export_image (VtrWindow *self, GFile *file)
{
  VtrSession *session = vtr_window_get_session (self);

  if (file)
    vtr_window_wait_async (self, NULL, ready_cb, g_object_ref (file));
  else if (session && vtr_session_get_command (session) != VTR_COMMAND_NO_INDEX)
    vtr_dialogs_save_image (GTK_WINDOW (self), vtr_window_get_file (self),
                            vtr_session_get_command (session), export_chosen_cb);
  else
    vtr_window_complain (self, _ ("No image to save: no command is selected"));
}
