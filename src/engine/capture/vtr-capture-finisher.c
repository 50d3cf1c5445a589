#include "engine/capture/vtr-capture-finisher.h"

#include "vtr-config.h"

#include "engine/capture/vtr-capture-thumbnail.h"
#include "engine/trim/vtr-trim.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

/* A capture that has waited so long goes without a picture. */
#define PATIENCE_US (2 * G_TIME_SPAN_SECOND)

struct _VtrCaptureFinisher
{
  GThreadPool *pool; /* NULL: nothing was pushed yet */
  GAsyncQueue *done; /* of Work */
  guint n_pushed;    /* less those that were popped */
  gboolean trim;
  GCancellable *pictures;
  GCancellable *trims;
  guint hurry; /* source that gives the pictures up */
};

typedef struct
{
  VtrCaptureTrace *trace;
  char *notice;
  gint64 since; /* when it was pushed */
} Work;

static void
free_work (gpointer data)
{
  Work *self = data;

  vtr_capture_trace_free (self->trace);
  g_free (self->notice);
  g_free (self);
}

/* What cannot be trimmed stays whole. */
static void
trim (Work         *self,
      GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  VtrTrimFacts facts;

  if (vtr_trim (self->trace->path, self->trace->path, &facts, cancellable, &error))
    self->trace->commands -= MIN (facts.commands_before - facts.commands_after,
                                  self->trace->commands);
  else
    self->notice = g_strdup_printf (_ ("“%s” was not trimmed: %s"), self->trace->path,
                                    error->message);
}

static void
make_picture (VtrCaptureFinisher *self,
              Work               *each)
{
  g_autoptr (GError) error = NULL;

  if (g_cancellable_is_cancelled (self->pictures) ||
      g_get_monotonic_time () - each->since > PATIENCE_US)
    return;
  if (!vtr_capture_thumbnail_add (each->trace->path, self->pictures, &error))
    g_debug ("no picture of “%s”: %s", each->trace->path,
             error != NULL ? error->message : "nothing to show");
}

static void
work (gpointer data,
      gpointer user_data)
{
  VtrCaptureFinisher *self = user_data;
  Work *each = data;
  GStatBuf info;

  if (self->trim)
    trim (each, self->trims);
  make_picture (self, each);
  if (g_stat (each->trace->path, &info) == 0)
    each->trace->bytes = (guint64)info.st_size;
  g_async_queue_push (self->done, each);
}

VtrCaptureFinisher *
vtr_capture_finisher_new (gboolean trim)
{
  VtrCaptureFinisher *self = g_new0 (VtrCaptureFinisher, 1);

  self->done = g_async_queue_new_full (free_work);
  self->trim = trim;
  self->pictures = g_cancellable_new ();
  self->trims = g_cancellable_new ();
  return self;
}

void
vtr_capture_finisher_free (VtrCaptureFinisher *self)
{
  if (self == NULL)
    return;
  g_clear_handle_id (&self->hurry, g_source_remove);
  g_cancellable_cancel (self->pictures);
  if (self->pool != NULL)
    g_thread_pool_free (self->pool, FALSE, TRUE);
  g_async_queue_unref (self->done);
  g_object_unref (self->pictures);
  g_object_unref (self->trims);
  g_free (self);
}

void
vtr_capture_finisher_push (VtrCaptureFinisher *self,
                           VtrCaptureTrace    *trace)
{
  Work *each = g_new0 (Work, 1);

  each->trace = trace;
  each->since = g_get_monotonic_time ();
  if (self->pool == NULL)
    self->pool = g_thread_pool_new (work, self, 1, FALSE, NULL);
  self->n_pushed++;
  g_thread_pool_push (self->pool, each, NULL);
}

static gboolean
on_hurry (gpointer data)
{
  VtrCaptureFinisher *self = data;

  self->hurry = 0;
  g_cancellable_cancel (self->pictures);
  return G_SOURCE_REMOVE;
}

void
vtr_capture_finisher_hurry (VtrCaptureFinisher *self,
                            guint               milliseconds,
                            gboolean            all)
{
  if (all)
    g_cancellable_cancel (self->trims);
  if (milliseconds == 0)
    g_cancellable_cancel (self->pictures);
  else if (self->hurry == 0)
    self->hurry = g_timeout_add (milliseconds, on_hurry, self);
}

VtrCaptureTrace *
vtr_capture_finisher_pop (VtrCaptureFinisher  *self,
                          char               **notice)
{
  Work *each = g_async_queue_try_pop (self->done);
  VtrCaptureTrace *trace;

  *notice = NULL;
  if (each == NULL)
    return NULL;
  trace = g_steal_pointer (&each->trace);
  *notice = g_steal_pointer (&each->notice);
  free_work (each);
  self->n_pushed--;
  return trace;
}

gboolean
vtr_capture_finisher_is_busy (VtrCaptureFinisher *self)
{
  return self->n_pushed > 0;
}
