/* Stores a thumbnail of a newly opened trace, made from its framebuffer, for the cards of the
 * start page. */
#include "vtr-config.h"

#include "window/vtr-thumbnailer.h"

#include "session/vtr-recent-store.h"
#include "widgets/vtr-thumb.h"

#define THUMBNAIL_WIDTH 512
#define THUMBNAIL_HEIGHT 288

typedef struct
{
  GFile *file;
  GCancellable *cancellable;
} Job;

static void
job_free (Job *job)
{
  g_object_unref (job->file);
  g_clear_object (&job->cancellable);
  g_free (job);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Job, job_free)

static void
shrink_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GdkTexture *texture = vtr_thumb_texture_from_image (data, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT);

  if (texture)
    g_task_return_pointer (task, texture, g_object_unref);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                             "This format cannot be shown");
}

static void
shrunk_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Job) job = data;
  g_autoptr (GdkTexture) texture = g_task_propagate_pointer (G_TASK (result), NULL);

  if (texture)
    vtr_recent_store_set_thumbnail (vtr_recent_store_get_default (), job->file, texture);
}

static void
image_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Job) job = data;
  g_autoptr (VtrImage) image =
    vtr_document_get_framebuffer_finish (VTR_DOCUMENT (source), result, NULL);
  g_autoptr (GTask) task = NULL;
  GCancellable *cancellable = job->cancellable;

  if (image == NULL)
    return;
  task = g_task_new (source, cancellable, shrunk_cb, g_steal_pointer (&job));
  g_task_set_source_tag (task, image_cb);
  g_task_set_task_data (task, g_steal_pointer (&image), (GDestroyNotify)vtr_image_unref);
  g_task_run_in_thread (task, shrink_worker);
}

void
vtr_thumbnailer_run (VtrDocument *document, guint64 command, GFile *file, GCancellable *cancellable)
{
  g_autoptr (GArray) infos = NULL;
  VtrAttachmentKind kind;
  Job *job;

  if (command == VTR_COMMAND_NO_INDEX)
    return;
  infos = vtr_document_list_attachments (document, command, NULL);
  if (infos == NULL || infos->len == 0)
    return;
  kind = g_array_index (infos, VtrTarget, 0).kind;
  if (kind >= VTR_ATTACHMENT_DEPTH)
    return;
  job = g_new0 (Job, 1);
  job->file = g_object_ref (file);
  job->cancellable = cancellable ? g_object_ref (cancellable) : NULL;
  vtr_document_get_framebuffer_async (document, command, kind, VTR_PRIORITY_THUMBNAIL, cancellable,
                                      image_cb, job);
}
