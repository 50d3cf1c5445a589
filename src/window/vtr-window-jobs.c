/* Long jobs that write files (all frames, all shaders, a trimmed trace): runs them one after the
 * other, with a progress dialog. */
#include "vtr-config.h"

#include "window/vtr-window-private.h"

#include <errno.h>
#include <glib/gi18n.h>

#include "engine/answers/vtr-shader-export.h"
#include "engine/picture/vtr-image-file.h"
#include "engine/replay-session/vtr-replay-questions.h"
#include "engine/trim/vtr-trim.h"
#include "widgets/vtr-dialogs.h"

/* Long jobs that write files: all frames, all shaders, the trimmed trace. One runs at a time;
 * others, requested by scripts, wait. */

#define JOB "vtr-job"
#define QUEUE "vtr-job-queue"
/* The most waiting jobs. A script that requests more without waiting is broken. */
#define MAX_WAITING 64
/* Jobs shorter than this show no progress: nobody could read it. */
#define SHOW_AFTER_MS 400
#define TELL_MS 100

typedef struct _Job Job;

typedef struct
{
  const char *name;
  const char *heading; /* while it runs */
  void (*ask) (VtrWindow *self, void (*callback) (GFile *file, gpointer data), gpointer data);
  gboolean (*work) (Job *job, GCancellable *cancellable, GError **error);
  char *(*tell) (Job *job);
} Kind;

struct _Job
{
  const Kind *kind;
  VtrDocument *document;
  char *edits;
  char *path; /* file or folder */
  GtkWidget *dialog;
  gint64 begun;
  guint tick;
  gulong destroyed;
  GCancellable *cancellable;
  GMutex lock; /* of: */
  guint64 done, total, missing;
  /* of the worker, then of the main thread */
  guint64 n;
  VtrTrimFacts facts;
  GError *error; /* of the first file that could not be written */
};

static void
job_free (gpointer data)
{
  Job *job = data;

  g_object_unref (job->document);
  g_object_unref (job->cancellable);
  g_free (job->edits);
  g_free (job->path);
  g_clear_error (&job->error);
  g_mutex_clear (&job->lock);
  g_free (job);
}

static void
progress (guint64 done, guint64 total, gpointer data)
{
  Job *job = data;

  g_mutex_lock (&job->lock);
  job->done = done;
  job->total = total;
  g_mutex_unlock (&job->lock);
}

/* --- frames ---------------------------------------------------------------------------------- */

static void
frame_cb (guint64 frame, VtrImage *image, gpointer data)
{
  Job *job = data;
  g_autofree char *name = g_strdup_printf ("frame-%06" G_GUINT64_FORMAT ".png", frame);
  g_autofree char *path = g_build_filename (job->path, name, NULL);

  /* Images that were already requested still arrive. */
  if (image == NULL || job->error != NULL || g_cancellable_is_cancelled (job->cancellable))
    return;
  if (vtr_image_save (image, path, &job->error))
    job->n++;
  else
    g_cancellable_cancel (job->cancellable);
}

static gboolean
write_frames (Job *job, GCancellable *cancellable, GError **error)
{
  VtrReplayAllOptions options = {
    .to = VTR_COMMAND_NO_INDEX,
    .images = TRUE,
    .frame = frame_cb,
    .progress = progress,
    .data = job,
  };
  VtrReplayOutcome outcome = { 0 };

  if (g_mkdir_with_parents (job->path, 0777) != 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
                   _ ("The folder “%s” cannot be created: %s"), job->path, g_strerror (errno));
      return FALSE;
    }
  if (!vtr_document_parse_edit (job->document, job->edits, &options.edit, error) ||
      !vtr_replay_session_replay_all (vtr_document_get_replay_session (job->document), &options,
                                      &outcome, cancellable, error))
    return FALSE;
  if (job->n > 0 || job->error != NULL)
    return TRUE;
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("The program presents no images."));
  return FALSE;
}

static char *
tell_frames (Job *job)
{
  g_autofree char *n = vtr_format_number (job->n);

  return g_strdup_printf (ngettext ("%s frame saved", "%s frames saved", job->n), n);
}

static void
ask_for_frames (VtrWindow *self, void (*callback) (GFile *file, gpointer data), gpointer data)
{
  vtr_dialogs_choose_folder (GTK_WINDOW (self), _ ("Save All Frames To"), callback, data);
}

/* --- shaders --------------------------------------------------------------------------------- */

static void
missing_cb (const char *text, gpointer data)
{
  Job *job = data;

  g_mutex_lock (&job->lock);
  job->missing++;
  g_mutex_unlock (&job->lock);
  g_message ("%s", text);
}

static gboolean
write_shaders (Job *job, GCancellable *cancellable, GError **error)
{
  const VtrShaderExportEvents events = { progress, missing_cb, job };
  guint n = 0;
  gboolean done = vtr_shader_export (vtr_document_get_answers (job->document), job->path, &events,
                                     &n, cancellable, error);

  job->n = n;
  return done;
}

static char *
tell_shaders (Job *job)
{
  g_autofree char *n = vtr_format_number (job->n);
  g_autofree char *missing = vtr_format_number (job->missing);

  if (job->missing == 0)
    return g_strdup_printf (ngettext ("%s shader saved", "%s shaders saved", job->n), n);
  return g_strdup_printf (ngettext ("%s shader saved; %s formats were unavailable",
                                    "%s shaders saved; %s formats were unavailable", job->n),
                          n, missing);
}

static void
ask_for_shaders (VtrWindow *self, void (*callback) (GFile *file, gpointer data), gpointer data)
{
  vtr_dialogs_choose_folder (GTK_WINDOW (self), _ ("Save All Shaders To"), callback, data);
}

/* --- the trace, trimmed ---------------------------------------------------------------------- */

static gboolean
write_trimmed (Job *job, GCancellable *cancellable, GError **error)
{
  VtrTrace *trace = vtr_document_get_trace (job->document);

  if (vtr_trace_get_n_initial_commands (trace) > 0)
    return vtr_trim (vtr_trace_get_path (trace), job->path, &job->facts, cancellable, error);
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("The trace begins at the program’s launch, so nothing in it can be "
                          "left out."));
  return FALSE;
}

static char *
tell_trimmed (Job *job)
{
  g_autofree char *before = g_format_size (job->facts.bytes_before);
  g_autofree char *after = g_format_size (job->facts.bytes_after);
  g_autofree char *kept = vtr_format_number (job->facts.objects_after);
  g_autofree char *objects = vtr_format_number (job->facts.objects_before);

  return g_strdup_printf (_ ("Kept %s of %s objects; %s became %s"), kept, objects, before, after);
}

static void
ask_for_trimmed (VtrWindow *self, void (*callback) (GFile *file, gpointer data), gpointer data)
{
  g_autofree char *name = self->file ? g_file_get_basename (self->file) : g_strdup ("trace");
  g_autofree char *whole = NULL;

  if (g_str_has_suffix (name, ".gfxtrace"))
    name[strlen (name) - strlen (".gfxtrace")] = '\0';
  whole = g_strconcat (name, "-trimmed.gfxtrace", NULL);
  vtr_dialogs_save_file (GTK_WINDOW (self), _ ("Save Trimmed Trace"), whole, callback, data);
}

static const Kind kinds[] = {
  { "export-frames", N_ ("Saving All Frames"), ask_for_frames, write_frames, tell_frames },
  { "export-shaders", N_ ("Saving All Shaders"), ask_for_shaders, write_shaders, tell_shaders },
  { "trim", N_ ("Trimming the Trace"), ask_for_trimmed, write_trimmed, tell_trimmed },
};

/* --- running --------------------------------------------------------------------------------- */

static void
cancel_cb (GCancellable *cancellable)
{
  g_cancellable_cancel (cancellable);
}

static gboolean
tick_cb (gpointer data)
{
  GTask *task = data;
  Job *job = g_task_get_task_data (task);
  double fraction;

  if (g_get_monotonic_time () - job->begun < SHOW_AFTER_MS * G_TIME_SPAN_MILLISECOND ||
      g_cancellable_is_cancelled (job->cancellable))
    return G_SOURCE_CONTINUE;
  if (job->dialog == NULL)
    g_set_weak_pointer (&job->dialog,
                        vtr_dialogs_show_progress (g_task_get_source_object (task),
                                                   _ (job->kind->heading), G_CALLBACK (cancel_cb),
                                                   job->cancellable));
  g_mutex_lock (&job->lock);
  fraction = job->total > 0 ? (double)job->done / (double)job->total : -1;
  g_mutex_unlock (&job->lock);
  if (job->dialog != NULL)
    vtr_dialogs_set_progress (job->dialog, fraction);
  return G_SOURCE_CONTINUE;
}

static void
worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  gboolean done = job->kind->work (job, cancellable, &error);

  if (job->error != NULL)
    {
      g_clear_error (&error);
      g_task_return_error (task, g_steal_pointer (&job->error));
    }
  else if (done)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void run (VtrWindow *self, GTask *task);

/* The waiting tasks, oldest first. */
static GQueue *
get_queue (VtrWindow *self)
{
  GQueue *queue = g_object_get_data (G_OBJECT (self), QUEUE);

  if (queue == NULL)
    {
      queue = g_queue_new ();
      g_object_set_data (G_OBJECT (self), QUEUE, queue);
    }
  return queue;
}

/* A task of a closed window is cancelled at once. */
static void
run_next (VtrWindow *self)
{
  GTask *task = g_queue_pop_head (get_queue (self));

  if (task != NULL)
    {
      run (self, task);
      g_object_unref (task);
      return;
    }
  g_queue_free (get_queue (self));
  g_object_set_data (G_OBJECT (self), QUEUE, NULL);
}

static void
done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrWindow *self = VTR_WINDOW (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean done = g_task_propagate_boolean (G_TASK (result), &error);
  g_autofree char *text = NULL;

  g_clear_handle_id (&job->tick, g_source_remove);
  g_clear_signal_handler (&job->destroyed, self);
  if (job->dialog != NULL)
    gtk_window_destroy (GTK_WINDOW (job->dialog));
  g_clear_weak_pointer (&job->dialog);
  g_object_set_data (source, JOB, NULL);
  run_next (self);
  if (self->toasts == NULL)
    return;
  if (done)
    {
      g_autoptr (GFile) file = g_file_new_for_path (job->path);

      text = job->kind->tell (job);
      vtr_window_tell (self, text, file);
    }
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      text = g_strdup_printf (_ ("Not saved: %s"), error->message);
      vtr_window_complain (self, text);
    }
}

static void
run (VtrWindow *self, GTask *task)
{
  Job *job = g_task_get_task_data (task);

  job->begun = g_get_monotonic_time ();
  g_object_set_data (G_OBJECT (self), JOB, job);
  job->tick = g_timeout_add_full (G_PRIORITY_DEFAULT, TELL_MS, tick_cb, g_object_ref (task),
                                  g_object_unref);
  g_task_run_in_thread (task, worker);
}

static void
start (VtrWindow *self, const Kind *kind, GFile *file)
{
  g_autofree char *path = g_file_get_path (file);
  GTask *task;
  Job *job;

  if (self->session == NULL)
    {
      vtr_window_complain (self, _ ("The window shows no trace"));
      return;
    }
  if (path == NULL)
    {
      vtr_window_complain (self, _ ("The folder is not on this computer"));
      return;
    }
  if (g_queue_get_length (get_queue (self)) >= MAX_WAITING)
    {
      vtr_window_complain (self, _ ("Not saved: too many exports are waiting"));
      return;
    }
  job = g_new0 (Job, 1);
  g_mutex_init (&job->lock);
  job->kind = kind;
  job->document = g_object_ref (vtr_session_get_document (self->session));
  job->edits = vtr_edits_format (vtr_session_get_edits (self->session), FALSE);
  job->path = g_steal_pointer (&path);
  job->cancellable = g_cancellable_new ();
  task = g_task_new (self, job->cancellable, done_cb, NULL);
  g_task_set_source_tag (task, start);
  g_task_set_task_data (task, job, job_free);
  job->destroyed = g_signal_connect_object (self, "destroy", G_CALLBACK (cancel_cb),
                                            job->cancellable, G_CONNECT_SWAPPED);
  if (g_object_get_data (G_OBJECT (self), JOB) == NULL)
    run (self, task);
  else
    g_queue_push_tail (get_queue (self), g_object_ref (task));
  g_object_unref (task);
}

/* --- asking ---------------------------------------------------------------------------------- */

typedef struct
{
  VtrWindow *self;
  const Kind *kind;
  GFile *file;
} Wish;

static void
wish_free (Wish *wish)
{
  g_object_unref (wish->self);
  g_clear_object (&wish->file);
  g_free (wish);
}

static void
chosen_cb (GFile *file, gpointer data)
{
  Wish *wish = data;

  if (file)
    start (wish->self, wish->kind, file);
  wish_free (wish);
}

static void
ready_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Wish *wish = data;

  if (vtr_window_wait_finish (VTR_WINDOW (source), result, NULL))
    start (wish->self, wish->kind, wish->file);
  wish_free (wish);
}

void
vtr_window_write (VtrWindow *self, const char *what, GFile *file)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      Wish *wish;

      if (!g_str_equal (what, kinds[i].name))
        continue;
      wish = g_new0 (Wish, 1);
      wish->self = g_object_ref (self);
      wish->kind = &kinds[i];
      if (file)
        {
          wish->file = g_object_ref (file);
          vtr_window_wait_async (self, NULL, ready_cb, wish);
        }
      else
        kinds[i].ask (self, chosen_cb, wish);
    }
}

static void
write_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_window_write (VTR_WINDOW (widget), name + strlen ("win."), NULL);
}

void
vtr_window_install_job_actions (GtkWidgetClass *widget_class)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *name = g_strconcat ("win.", kinds[i].name, NULL);

      gtk_widget_class_install_action (widget_class, g_intern_string (name), NULL, write_action);
    }
}
