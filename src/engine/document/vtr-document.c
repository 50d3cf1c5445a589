/* VtrDocument: opens a trace; owns its analysis, its replay session, its lists and its answers. */
#include "engine/document/vtr-document-private.h"

/* Bytes of images kept. */
#define IMAGE_CACHE (64 << 20)

G_DEFINE_FINAL_TYPE (VtrDocument, vtr_document, G_TYPE_OBJECT)

enum
{
  SIGNAL_REPLAY_CHANGED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

static gpointer
drop_document (gpointer data)
{
  g_object_unref (data);
  return NULL;
}

/* Between the end of a document and what its replay says in other threads. */
static GMutex change_lock;

/* Ending a replay may take seconds: a main loop leaves that to a thread. */
static void
vtr_document_dispose (GObject *object)
{
  VtrDocument *self = VTR_DOCUMENT (object);

  G_OBJECT_CLASS (vtr_document_parent_class)->dispose (object);
  if (self->session != NULL)
    vtr_replay_session_close (self->session);
  if (g_main_depth () == 0 || self->disposed || self->session == NULL ||
      !vtr_replay_session_is_started (self->session))
    {
      /* Weak references are cleared after this; a later one would outlive the document. */
      g_mutex_lock (&change_lock);
      self->closed = TRUE;
      g_mutex_unlock (&change_lock);
      return;
    }
  self->disposed = TRUE;
  g_thread_unref (g_thread_new ("vtr-close", drop_document, g_object_ref (self)));
}

static void
vtr_document_finalize (GObject *object)
{
  VtrDocument *self = VTR_DOCUMENT (object);

  g_clear_pointer (&self->answers, vtr_answers_free);
  g_clear_pointer (&self->lists, vtr_trace_lists_free);
  g_clear_pointer (&self->images, vtr_memo_free);
  g_clear_pointer (&self->session, vtr_replay_session_free);
  g_clear_pointer (&self->analysis, vtr_analysis_unref);
  g_clear_pointer (&self->history, vtr_history_unref);
  g_clear_pointer (&self->timeline, vtr_timeline_unref);
  g_clear_pointer (&self->trace, vtr_trace_unref);
  g_clear_pointer (&self->context, g_main_context_unref);
  G_OBJECT_CLASS (vtr_document_parent_class)->finalize (object);
}

static void
vtr_document_class_init (VtrDocumentClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_document_dispose;
  G_OBJECT_CLASS (klass)->finalize = vtr_document_finalize;

  /**
   * VtrDocument::replay-changed:
   *
   * vtr_document_describe_replay() would say something else now. In the context the document was
   * opened from.
   */
  signals[SIGNAL_REPLAY_CHANGED] = g_signal_new (
    "replay-changed", VTR_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
vtr_document_init (VtrDocument *self)
{
  self->context = g_main_context_ref_thread_default ();
}

/* Progress of an opening: written by the worker, told in the caller's context at most once per
 * iteration of its main loop. */
typedef struct
{
  gatomicrefcount refs;
  char *path;
  VtrTraceProgress progress;
  gpointer progress_data;
  GMainContext *context;
  gboolean direct; /* the caller waits: call it from here */
  guint phase;     /* 0: trace, 1: timeline, 2: history */
  int thousandths; /* atomic */
  int pending;     /* atomic: an idle source is under way */
  int over;        /* atomic: the caller has its answer and may have been freed */
} VtrOpening;

#define N_PHASES 3

static VtrOpening *
vtr_opening_new (const char       *path,
                 VtrTraceProgress  progress,
                 gpointer          progress_data,
                 gboolean          direct)
{
  VtrOpening *self = g_new0 (VtrOpening, 1);

  g_atomic_ref_count_init (&self->refs);
  self->path = g_strdup (path);
  self->progress = progress;
  self->progress_data = progress_data;
  self->context = g_main_context_ref_thread_default ();
  self->direct = direct;
  return self;
}

static void
vtr_opening_unref (gpointer data)
{
  VtrOpening *self = data;

  if (!g_atomic_ref_count_dec (&self->refs))
    return;

  g_main_context_unref (self->context);
  g_free (self->path);
  g_free (self);
}

static gboolean
vtr_opening_tell (gpointer data)
{
  VtrOpening *self = data;

  g_atomic_int_set (&self->pending, 0);
  if (!g_atomic_int_get (&self->over))
    self->progress ((guint64)g_atomic_int_get (&self->thousandths), 1000, self->progress_data);
  return G_SOURCE_REMOVE;
}

static void
vtr_opening_on_progress (guint64 done, guint64 total, gpointer data)
{
  VtrOpening *self = data;
  int thousandths =
    (int)((self->phase + (total > 0 ? (double)done / (double)total : 0)) * 1000 / N_PHASES);
  g_autoptr (GSource) source = NULL;

  if (self->progress == NULL || thousandths == g_atomic_int_get (&self->thousandths))
    return;

  g_atomic_int_set (&self->thousandths, thousandths);
  if (self->direct)
    {
      self->progress ((guint64)thousandths, 1000, self->progress_data);
      return;
    }
  if (!g_atomic_int_compare_and_exchange (&self->pending, 0, 1))
    return;

  g_atomic_ref_count_inc (&self->refs);
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_LOW);
  g_source_set_callback (source, vtr_opening_tell, self, vtr_opening_unref);
  g_source_attach (source, self->context);
}

static gpointer
ref_image (gpointer image)
{
  return vtr_image_ref (image);
}

static void
unref_image (gpointer image)
{
  vtr_image_unref (image);
}

static gboolean
emit_replay_changed (gpointer data)
{
  GWeakRef *weak = data;
  g_autoptr (VtrDocument) self = g_weak_ref_get (weak);

  if (self != NULL)
    {
      g_atomic_int_set (&self->replay_change_pending, 0);
      g_signal_emit (self, signals[SIGNAL_REPLAY_CHANGED], 0);
    }
  return G_SOURCE_REMOVE;
}

static void
free_weak_ref (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

/* Emits "replay-changed" in the document's main context, soon, once for many calls. Any thread. */
static void
replay_changed (gpointer data)
{
  VtrDocument *self = data;
  g_autoptr (GSource) source = NULL;
  GWeakRef *weak = NULL;

  if (!g_atomic_int_compare_and_exchange (&self->replay_change_pending, 0, 1))
    return;

  /* The end of the replay is announced, too, and listeners may drop the document then. */
  g_mutex_lock (&change_lock);
  if (!self->closed)
    {
      weak = g_new0 (GWeakRef, 1);
      g_weak_ref_init (weak, self);
    }
  g_mutex_unlock (&change_lock);
  if (weak == NULL)
    return;
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, emit_replay_changed, weak, free_weak_ref);
  g_source_attach (source, self->context);
}

static void
make_session (VtrDocument *self)
{
  const VtrReplayBasis basis = {
    .trace = self->trace,
    .timeline = self->timeline,
    .history = self->history,
    .walker = self->walker,
    .memory = vtr_analysis_get_memory (self->analysis),
  };

  self->session = vtr_replay_session_new (&basis, replay_changed, self);
  self->images = vtr_memo_new (vtr_replay_session_get_worker (self->session), ref_image,
                               unref_image, IMAGE_CACHE);
  self->lists = vtr_trace_lists_new (self->analysis);
  self->answers = vtr_answers_new (self->analysis, self->session, self->lists);
}

/* Fills @self. Any thread. */
static gboolean
vtr_document_load (VtrDocument   *self,
                   VtrOpening    *opening,
                   GCancellable  *cancellable,
                   GError       **error)
{
  self->trace =
    vtr_trace_open (opening->path, vtr_opening_on_progress, opening, cancellable, error);
  if (self->trace == NULL)
    return FALSE;

  opening->phase = 1;
  self->timeline =
    vtr_timeline_build (self->trace, vtr_opening_on_progress, opening, cancellable, error);
  if (self->timeline == NULL)
    return FALSE;

  opening->phase = 2;
  self->history =
    vtr_history_build (self->trace, vtr_opening_on_progress, opening, cancellable, error);
  if (self->history == NULL)
    return FALSE;

  self->analysis = vtr_analysis_new (self->timeline, self->history);
  self->walker = vtr_analysis_get_walker (self->analysis);
  make_session (self);
  return TRUE;
}

VtrDocument *
vtr_document_open (const char        *path,
                   VtrTraceProgress   progress,
                   gpointer           progress_data,
                   GCancellable      *cancellable,
                   GError           **error)
{
  g_autoptr (VtrDocument) self = g_object_new (VTR_TYPE_DOCUMENT, NULL);
  VtrOpening *opening = vtr_opening_new (path, progress, progress_data, TRUE);
  gboolean loaded = vtr_document_load (self, opening, cancellable, error);

  vtr_opening_unref (opening);
  return loaded ? g_steal_pointer (&self) : NULL;
}

typedef struct
{
  VtrDocument *document;
  VtrOpening *opening;
} VtrOpenJob;

static void
vtr_open_job_free (gpointer data)
{
  VtrOpenJob *job = data;

  g_clear_object (&job->document);
  vtr_opening_unref (job->opening);
  g_free (job);
}

static void
run_open (gpointer data, gpointer pool)
{
  GTask *task = data;
  VtrOpenJob *job = g_task_get_task_data (task);
  GError *error = NULL;

  if (vtr_document_load (job->document, job->opening, g_task_get_cancellable (task), &error))
    g_task_return_pointer (task, g_steal_pointer (&job->document), g_object_unref);
  else
    g_task_return_error (task, error);
  vtr_scheduler_release_task (task);
}

void
vtr_document_open_async (const char          *path,
                         VtrTraceProgress     progress,
                         gpointer             progress_data,
                         GCancellable        *cancellable,
                         GAsyncReadyCallback  callback,
                         gpointer             data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, data);
  VtrOpenJob *job = g_new0 (VtrOpenJob, 1);

  g_task_set_source_tag (task, vtr_document_open_async);
  job->document = g_object_new (VTR_TYPE_DOCUMENT, NULL);
  job->opening = vtr_opening_new (path, progress, progress_data, FALSE);
  g_task_set_task_data (task, job, vtr_open_job_free);
  vtr_scheduler_push (vtr_scheduler_get_io (), VTR_PRIORITY_INTERACTIVE, run_open, task);
}

VtrDocument *
vtr_document_open_finish (GAsyncResult *result, GError **error)
{
  VtrOpenJob *job;

  g_return_val_if_fail (g_async_result_is_tagged (result, vtr_document_open_async), NULL);

  job = g_task_get_task_data (G_TASK (result));
  g_atomic_int_set (&job->opening->over, 1);
  return g_task_propagate_pointer (G_TASK (result), error);
}

VtrAnalysis *
vtr_document_get_analysis (VtrDocument *self)
{
  return self->analysis;
}

VtrTrace *
vtr_document_get_trace (VtrDocument *self)
{
  return self->trace;
}

VtrTimeline *
vtr_document_get_timeline (VtrDocument *self)
{
  return self->timeline;
}

VtrReplaySession *
vtr_document_get_replay_session (VtrDocument *self)
{
  return self->session;
}

VtrAnswers *
vtr_document_get_answers (VtrDocument *self)
{
  return self->answers;
}

VtrHistory *
vtr_document_get_history (VtrDocument *self)
{
  return self->history;
}

VtrStateStore *
vtr_document_get_state_store (VtrDocument *self)
{
  return vtr_analysis_get_states (self->analysis);
}

JsonNode *
vtr_document_get (VtrDocument *self, const char *path, GCancellable *cancellable, GError **error)
{
  return vtr_answers_get (self->answers, path, cancellable, error);
}

void
vtr_document_get_async (VtrDocument         *self,
                        const char          *path,
                        GCancellable        *cancellable,
                        GAsyncReadyCallback  callback,
                        gpointer             data)
{
  vtr_answers_get_async (self->answers, self, path, cancellable, callback, data);
}

JsonNode *
vtr_document_get_finish (VtrDocument *self, GAsyncResult *result, GError **error)
{
  return vtr_answers_get_finish (result, error);
}
