/* Loads thumbnails for lists one after the other, with low priority, so that they do not delay
 * the selected command's image. */
#include "vtr-config.h"

#include "widgets/vtr-thumb-loader.h"

#include "engine/jobs/vtr-scheduler.h"
#include "widgets/vtr-pane-load.h"

/* Milliseconds in view before a thumbnail is requested. */
#define DELAY_MS 100
/* The most thumbnails that are kept; beyond that all are dropped. */
#define MAX_KNOWN 2000

struct _VtrThumbLoader
{
  GObject parent_instance;

  int width, height;
  VtrThumbQuery query;
  gpointer data;
  VtrSession *session;
  GHashTable *requests; /* VtrThumb → Request */
  GHashTable *known;    /* guint64 key → GdkTexture; NULL: there is nothing to show */
};

G_DEFINE_FINAL_TYPE (VtrThumbLoader, vtr_thumb_loader, G_TYPE_OBJECT)

/* A thumbnail in view. */
typedef struct
{
  VtrThumbLoader *loader; /* not owned */
  VtrThumb *thumb;        /* not owned; removed before it is freed */
  guint64 key;
  gboolean ask;
  guint timeout;
  GCancellable *loading;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_clear_handle_id (&request->timeout, g_source_remove);
  vtr_pane_load_cancel (&request->loading);
  g_free (request);
}

static void
unref_texture (gpointer data)
{
  if (data != NULL)
    g_object_unref (data);
}

void
vtr_thumb_loader_put (VtrThumbLoader *self, guint64 key, GdkTexture *texture)
{
  GHashTableIter iter;
  gpointer value;

  if (g_hash_table_size (self->known) >= MAX_KNOWN)
    g_hash_table_remove_all (self->known);
  g_hash_table_replace (self->known, g_memdup2 (&key, sizeof key),
                        texture != NULL ? g_object_ref (texture) : NULL);
  g_hash_table_iter_init (&iter, self->requests);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((Request *)value)->key == key)
      vtr_thumb_set_texture (((Request *)value)->thumb, texture);
}

/* --- loading --------------------------------------------------------------------------------- */

typedef struct
{
  VtrImage *image;
  int width, height;
} Shrinking;

static void
shrinking_free (gpointer data)
{
  Shrinking *shrinking = data;

  vtr_image_unref (shrinking->image);
  g_free (shrinking);
}

static void
shrink_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Shrinking *shrinking = data;

  g_task_return_pointer (
    task,
    vtr_thumb_texture_from_image (shrinking->image, shrinking->width, shrinking->height),
    unref_texture);
}

static void
shrunk_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrPaneLoad) load = data;
  g_autoptr (GdkTexture) texture = g_task_propagate_pointer (G_TASK (result), NULL);

  if (!vtr_pane_load_is_over (load))
    vtr_thumb_loader_put (load->owner, load->tag, texture);
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrPaneLoad) load = data;
  VtrThumbLoader *self = load->owner;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrImage) image =
    vtr_document_get_texture_finish (VTR_DOCUMENT (source), result, &error);
  g_autoptr (GTask) task = NULL;
  Shrinking *shrinking;

  if (vtr_pane_load_is_over (load) || self->session == NULL)
    return;
  if (image == NULL)
    {
      /* The image is empty or cannot be shown: not requested again. */
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        vtr_thumb_loader_put (self, load->tag, NULL);
      return;
    }
  shrinking = g_new0 (Shrinking, 1);
  shrinking->image = g_steal_pointer (&image);
  shrinking->width = self->width * 2;
  shrinking->height = self->height * 2;
  task = g_task_new (self, load->cancellable, shrunk_cb, load);
  g_task_set_source_tag (task, loaded_cb);
  g_task_set_task_data (task, shrinking, shrinking_free);
  g_task_run_in_thread (task, shrink_worker);
  g_steal_pointer (&load);
}

static gboolean
timeout_cb (gpointer data)
{
  Request *request = data;
  VtrThumbLoader *self = request->loader;
  VtrImageQuery query = VTR_IMAGE_QUERY_INIT;
  VtrPaneLoad *load;

  request->timeout = 0;
  if (self->session == NULL || g_hash_table_contains (self->known, &request->key))
    return G_SOURCE_REMOVE;
  if (!self->query (request->key, &query, self->data))
    {
      vtr_thumb_loader_put (self, request->key, NULL);
      return G_SOURCE_REMOVE;
    }
  query.priority = VTR_PRIORITY_THUMBNAIL;
  query.edit = vtr_edits_get (vtr_session_get_edits (self->session), FALSE);
  load = vtr_pane_load_new (self, &request->loading);
  load->tag = request->key;
  vtr_document_get_texture_async (vtr_session_get_document (self->session), &query,
                                  request->loading, loaded_cb, load);
  return G_SOURCE_REMOVE;
}

/* --- what is in view ------------------------------------------------------------------------- */

void
vtr_thumb_loader_show (VtrThumbLoader *self, VtrThumb *thumb, guint64 key, gboolean ask)
{
  Request *request = g_hash_table_lookup (self->requests, thumb);
  gpointer texture = NULL;
  gboolean known = g_hash_table_lookup_extended (self->known, &key, NULL, &texture);

  if (request != NULL && request->key == key &&
      (request->timeout != 0 || request->loading != NULL) && ask)
    return;
  request = g_new0 (Request, 1);
  request->loader = self;
  request->thumb = thumb;
  request->key = key;
  request->ask = ask;
  g_hash_table_replace (self->requests, thumb, request);
  vtr_thumb_set_texture (thumb, texture);
  if (!known && ask && self->session != NULL)
    request->timeout = g_timeout_add (DELAY_MS, timeout_cb, request);
}

void
vtr_thumb_loader_drop (VtrThumbLoader *self, VtrThumb *thumb)
{
  g_hash_table_remove (self->requests, thumb);
}

/* The images have changed; the old thumbnails stay until the new ones are loaded. */
static void
refresh (VtrThumbLoader *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_remove_all (self->known);
  g_hash_table_iter_init (&iter, self->requests);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Request *request = value;

      vtr_pane_load_cancel (&request->loading);
      g_clear_handle_id (&request->timeout, g_source_remove);
      if (request->ask && self->session != NULL)
        request->timeout = g_timeout_add (DELAY_MS, timeout_cb, request);
      else
        vtr_thumb_set_texture (request->thumb, NULL);
    }
}

static void
drop_session (VtrThumbLoader *self)
{
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (vtr_session_get_edits (self->session), self);
  g_clear_object (&self->session);
}

void
vtr_thumb_loader_set_session (VtrThumbLoader *self, VtrSession *session)
{
  g_hash_table_remove_all (self->requests);
  g_hash_table_remove_all (self->known);
  drop_session (self);
  if (session == NULL)
    return;
  self->session = g_object_ref (session);
  g_signal_connect_object (vtr_session_get_edits (session), "changed", G_CALLBACK (refresh), self,
                           G_CONNECT_SWAPPED);
}

static void
vtr_thumb_loader_finalize (GObject *object)
{
  VtrThumbLoader *self = VTR_THUMB_LOADER (object);

  g_hash_table_unref (self->requests);
  g_hash_table_unref (self->known);
  drop_session (self);
  G_OBJECT_CLASS (vtr_thumb_loader_parent_class)->finalize (object);
}

static void
vtr_thumb_loader_class_init (VtrThumbLoaderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_thumb_loader_finalize;
}

static void
vtr_thumb_loader_init (VtrThumbLoader *self)
{
  self->requests = g_hash_table_new_full (NULL, NULL, NULL, request_free);
  self->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, unref_texture);
}

VtrThumbLoader *
vtr_thumb_loader_new (int width, int height, VtrThumbQuery query, gpointer data)
{
  VtrThumbLoader *self = g_object_new (VTR_TYPE_THUMB_LOADER, NULL);

  self->width = width;
  self->height = height;
  self->query = query;
  self->data = data;
  return self;
}
