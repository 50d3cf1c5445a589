/* Saves what a pane shows (an image, text or bytes) to a file that the user chooses, and copies
 * images to the clipboard. */
#include "vtr-config.h"

#include "widgets/vtr-export.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "engine/picture/vtr-image-file.h"
#include "widgets/vtr-dialogs.h"
#include "widgets/vtr-thumb.h"

/* Larger images would make the drag stutter. */
#define MAX_DRAG_TEXELS (16u << 20)

typedef struct
{
  GtkWidget *widget;
  VtrImage *image; /* or … */
  GBytes *bytes;
  GFile *file;
  char *note; /* what the file leaves out; NULL: nothing */
} Export;

static void
export_free (gpointer data)
{
  Export *self = data;

  g_object_unref (self->widget);
  g_clear_pointer (&self->image, vtr_image_unref);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_clear_object (&self->file);
  g_free (self->note);
  g_free (self);
}

static void
toast (GtkWidget *widget, const char *text, GFile *file)
{
  GtkWidget *overlay = gtk_widget_get_ancestor (widget, ADW_TYPE_TOAST_OVERLAY);
  AdwToast *message = adw_toast_new (text);

  if (file != NULL)
    {
      g_autofree char *uri = g_file_get_uri (file);

      adw_toast_set_button_label (message, _ ("Show in _Files"));
      adw_toast_set_action_name (message, "win.show-file");
      adw_toast_set_action_target (message, "s", uri);
    }
  if (overlay != NULL)
    adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (overlay), message);
  else
    g_object_unref (message);
}

void
vtr_export_toast (GtkWidget *widget, const char *text)
{
  toast (widget, text, NULL);
}

static void
write_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Export *self = data;
  g_autofree char *path = g_file_get_path (self->file);
  GError *error = NULL;
  gboolean done = FALSE;

  if (self->bytes != NULL)
    {
      gsize size;
      const char *bytes = g_bytes_get_data (self->bytes, &size);

      done = g_file_replace_contents (self->file, bytes != NULL ? bytes : "", size, NULL, FALSE,
                                      G_FILE_CREATE_NONE, NULL, NULL, &error);
    }
  else if (path == NULL)
    error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                                 _ ("The folder is not on this computer"));
  else
    {
      done = vtr_image_save (self->image, path, &error);
      if (done && vtr_image_is_png (path))
        self->note = vtr_image_describe_range (self->image);
    }
  if (done)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Export *self = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;

  if (g_task_propagate_boolean (G_TASK (result), &error))
    {
      const char *what = self->image != NULL ? _ ("Image saved") : _ ("File saved");
      g_autofree char *text = self->note != NULL ? g_strdup_printf ("%s. %s", what, self->note)
                                                 : g_strdup (what);

      toast (self->widget, text, self->file);
    }
  else
    {
      g_autofree char *text = g_strdup_printf (_ ("Not saved: %s"), error->message);

      toast (self->widget, text, NULL);
    }
}

static void
chosen_cb (GFile *file, gpointer data)
{
  Export *self = data;
  g_autoptr (GTask) task = NULL;

  if (file == NULL)
    {
      export_free (self);
      return;
    }
  self->file = g_object_ref (file);
  task = g_task_new (self->widget, NULL, written_cb, NULL);
  g_task_set_source_tag (task, chosen_cb);
  g_task_set_task_data (task, self, export_free);
  g_task_run_in_thread (task, write_worker);
}

static void
ask (GtkWidget *widget, VtrImage *image, GBytes *bytes, const char *name)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  Export *self = g_new0 (Export, 1);

  self->widget = g_object_ref (widget);
  self->image = image != NULL ? vtr_image_ref (image) : NULL;
  self->bytes = bytes != NULL ? g_bytes_ref (bytes) : NULL;
  vtr_dialogs_save_file (GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                         image != NULL ? _ ("Save Image") : _ ("Save File"), name, chosen_cb, self);
}

void
vtr_export_image (GtkWidget *widget, VtrImage *image, const char *name)
{
  ask (widget, image, NULL, name);
}

void
vtr_export_bytes (GtkWidget *widget, GBytes *bytes, const char *name)
{
  ask (widget, NULL, bytes, name);
}

static GdkTexture *
make_texture (VtrImage *image)
{
  return vtr_thumb_texture_from_image (image, (int)MIN (image->width, (guint)G_MAXINT),
                                       (int)MIN (image->height, (guint)G_MAXINT));
}

void
vtr_copy_image (GtkWidget *widget, VtrImage *image)
{
  g_autoptr (GdkTexture) texture = make_texture (image);

  if (texture == NULL)
    {
      toast (widget, _ ("Images in this format cannot be copied"), NULL);
      return;
    }
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (widget), texture);
  toast (widget, _ ("Image copied"), NULL);
}

GdkContentProvider *
vtr_export_provide_image (VtrImage *image, const char *name)
{
  g_autoptr (GdkTexture) texture = NULL;
  g_autofree char *folder = NULL;
  g_autofree char *path = NULL;
  GdkContentProvider *providers[2];
  guint n = 0;

  if ((guint64)image->width * image->height > MAX_DRAG_TEXELS)
    return NULL;
  texture = make_texture (image);
  if (texture == NULL)
    return NULL;
  providers[n++] = gdk_content_provider_new_typed (GDK_TYPE_TEXTURE, texture);
  folder = g_dir_make_tmp ("vitrine-XXXXXX", NULL);
  path = folder != NULL ? g_build_filename (folder, name, NULL) : NULL;
  if (path != NULL && vtr_image_save (image, path, NULL))
    {
      g_autoptr (GFile) file = g_file_new_for_path (path);

      providers[n++] = gdk_content_provider_new_typed (G_TYPE_FILE, file);
    }
  return gdk_content_provider_new_union (providers, n);
}
