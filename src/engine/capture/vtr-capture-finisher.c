/* A background thread that trims captured frames before they are reported as done. */
#include "engine/capture/vtr-capture-finisher.h"

#include "vtr-config.h"

#include "engine/trim/vtr-trim.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

struct _VtrCaptureFinisher
{
  GThreadPool *pool; /* NULL: nothing was pushed yet */
  GAsyncQueue *done; /* of Work */
  guint n_pushed;    /* less those that were popped */
  GCancellable *cancellable;
};

typedef struct
{
  VtrCaptureTrace *trace;
  char *notice;
} Work;

static void
free_work (gpointer data)
{
  Work *self = data;

  vtr_capture_trace_free (self->trace);
  g_free (self->notice);
  g_free (self);
}

/* A trace that cannot be trimmed stays whole. */
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
work (gpointer data,
      gpointer user_data)
{
  VtrCaptureFinisher *self = user_data;
  Work *each = data;
  GStatBuf info;

  trim (each, self->cancellable);
  if (g_stat (each->trace->path, &info) == 0)
    each->trace->bytes = (guint64)info.st_size;
  g_async_queue_push (self->done, each);
}

VtrCaptureFinisher *
vtr_capture_finisher_new (void)
{
  VtrCaptureFinisher *self = g_new0 (VtrCaptureFinisher, 1);

  self->done = g_async_queue_new_full (free_work);
  self->cancellable = g_cancellable_new ();
  return self;
}

void
vtr_capture_finisher_free (VtrCaptureFinisher *self)
{
  if (self == NULL)
    return;
  if (self->pool != NULL)
    g_thread_pool_free (self->pool, FALSE, TRUE);
  g_async_queue_unref (self->done);
  g_object_unref (self->cancellable);
  g_free (self);
}

void
vtr_capture_finisher_push (VtrCaptureFinisher *self,
                           VtrCaptureTrace    *trace)
{
  Work *each = g_new0 (Work, 1);

  each->trace = trace;
  if (self->pool == NULL)
    self->pool = g_thread_pool_new (work, self, 1, FALSE, NULL);
  self->n_pushed++;
  g_thread_pool_push (self->pool, each, NULL);
}

void
vtr_capture_finisher_cancel (VtrCaptureFinisher *self)
{
  g_cancellable_cancel (self->cancellable);
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
