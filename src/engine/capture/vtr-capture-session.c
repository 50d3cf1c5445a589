/* VtrCaptureSession: a state machine on the main thread over a control thread and one drain
 * thread per process. */
#include "engine/capture/vtr-capture-session-private.h"

#include "engine/capture/vtr-capture-launch.h"
#include "engine/capture/vtr-capture-descendants.h"
#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS 20
#define CHANGED_US (50 * 1000)
#define TERMINATE_US (2 * G_USEC_PER_SEC)
#define OTHERS_US (5 * G_USEC_PER_SEC)
/* How long a process counts that has not presented yet. */
#define NEWCOMERS_US (2 * G_USEC_PER_SEC)
#define RATE_US G_USEC_PER_SEC
/* How long processes that the program left running may take to use Vulkan, if the program itself
 * has presented: launchers leave the real program, others a daemon that never ends. */
#define LEFT_US (10 * G_USEC_PER_SEC)
#define LOOK_US (200 * 1000)

G_DEFINE_FINAL_TYPE (VtrCaptureSession, vtr_capture_session, G_TYPE_OBJECT)

enum
{
  PROP_STATE = 1,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];
static guint signal_changed, signal_notice, signal_captured;

static void
set_state (VtrCaptureSession *self,
           VtrCaptureState    state)
{
  if (self->state == state)
    return;
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
  g_signal_emit (self, signal_changed, 0);
}

static gboolean
group_lives (VtrCaptureSession *self)
{
  return self->group > 0 && kill (-self->group, 0) == 0;
}

static void
begin_finish (VtrCaptureSession *self,
              gboolean           end_program)
{
  self->end_program |= end_program && !self->waiting;
  vtr_capture_registry_stop (&self->registry);
  set_state (self, VTR_CAPTURE_STATE_FINISHING);
}

/* The launched group, and who has left it and used Vulkan. */
static void
signal_program (VtrCaptureSession *self,
                int                number)
{
  kill (-self->group, number);
  vtr_capture_registry_signal (&self->registry, self->group, number);
}

/* Ends what still runs of the program. Returns: whether nothing does. */
static gboolean
end_program (VtrCaptureSession *self)
{
  gint64 now = g_get_monotonic_time ();

  if (self->exited && !group_lives (self) &&
      !vtr_capture_registry_signal (&self->registry, self->group, 0))
    return TRUE;
  if (self->terminated == 0)
    {
      self->terminated = now;
      signal_program (self, SIGTERM);
      /* A stopped program could not act on it. */
      signal_program (self, SIGCONT);
    }
  else if (!self->killed && now - self->terminated > TERMINATE_US)
    {
      self->killed = TRUE;
      signal_program (self, SIGKILL);
    }
  return self->killed && self->exited;
}

static void
emit_notices (VtrCaptureSession *self)
{
  g_autoptr (GPtrArray) notices = vtr_capture_registry_take_notices (&self->registry);

  for (guint i = 0; i < notices->len; i++)
    g_signal_emit (self, signal_notice, 0, g_ptr_array_index (notices, i));
}

static void
emit_trace (VtrCaptureSession *self,
            VtrCaptureTrace   *trace)
{
  g_ptr_array_add (self->traces, trace);
  g_signal_emit (self, signal_captured, 0, trace);
}

/* Traces that were to be trimmed come when that is done. */
static void
emit_trimmed (VtrCaptureSession *self)
{
  VtrCaptureTrace *trace;
  char *notice;

  while ((trace = vtr_capture_finisher_pop (self->finisher, &notice)) != NULL)
    {
      if (notice != NULL)
        g_signal_emit (self, signal_notice, 0, notice);
      g_free (notice);
      emit_trace (self, trace);
    }
}

static void
emit_traces (VtrCaptureSession *self)
{
  g_autoptr (GPtrArray) traces = vtr_capture_registry_take_traces (&self->registry);

  for (guint i = 0; i < traces->len; i++)
    {
      VtrCaptureTrace *trace = vtr_capture_trace_copy (g_ptr_array_index (traces, i));

      if (self->finisher != NULL)
        vtr_capture_finisher_push (self->finisher, trace);
      else
        emit_trace (self, trace);
    }
  if (self->finisher != NULL)
    emit_trimmed (self);
}

static void
answer_waiters (VtrCaptureSession *self)
{
  g_autoptr (GPtrArray) waiters = g_steal_pointer (&self->waiters);

  self->waiters = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < waiters->len; i++)
    {
      GTask *task = g_ptr_array_index (waiters, i);

      if (self->error != NULL)
        g_task_return_error (task, g_error_copy (self->error));
      else
        g_task_return_pointer (task, g_strdup (vtr_capture_session_get_path (self)), g_free);
    }
}

static void
conclude (VtrCaptureSession *self)
{
  emit_traces (self);
  vtr_capture_session_decide_result (self);
  emit_notices (self);
  set_state (self, self->error == NULL ? VTR_CAPTURE_STATE_DONE : VTR_CAPTURE_STATE_FAILED);
  answer_waiters (self);
}

static void
update_rate (VtrCaptureSession *self,
             guint64            frames)
{
  gint64 now = g_get_monotonic_time ();

  if (now - self->rate_time < RATE_US)
    return;
  if (self->rate_time != 0 && frames >= self->rate_frames)
    self->rate = (double)(frames - self->rate_frames) * G_USEC_PER_SEC /
                 (double)(now - self->rate_time);
  self->rate_time = now;
  self->rate_frames = frames;
}

/* The recording ended before its time; the program goes on undisturbed. */
static void
tell_failure (VtrCaptureSession *self,
              VtrCaptureEntry   *entry)
{
  g_autoptr (GError) error = NULL;

  if (self->failure_told || !vtr_capture_process_is_complete (entry->process))
    return;
  self->failure_told = TRUE;
  error = vtr_capture_process_get_error (entry->process);
  if (error != NULL)
    vtr_capture_registry_take_notice (&self->registry, g_strdup (error->message));
}

/* Whether the process has made all requested recordings. If one has failed, it has not: its end
 * may be of interest. Nor has a process that ended too early: another one may follow. */
static gboolean
is_satisfied (VtrCaptureSession *self,
              VtrCaptureEntry   *entry)
{
  const VtrCapturePlan *plan = &self->registry.plan;
  g_autoptr (GError) error = NULL;
  VtrCaptureCounts counts;

  if (!entry->has_device || !vtr_capture_process_is_recorded (entry->process))
    return FALSE;
  vtr_capture_process_get_counts (entry->process, &counts);
  if (plan->from_launch)
    return plan->n_frames > 0 && counts.frames >= plan->n_frames;
  error = vtr_capture_process_get_error (entry->process);
  if (error != NULL)
    return g_error_matches (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_DECLINED);
  return counts.commands > 0;
}

/* Whether another process that presents is still at it; or, with @early, may be about to. */
static gboolean
others_record_locked (VtrCaptureSession *self,
                      gboolean           early)
{
  for (guint i = 0; i < self->registry.entries->len; i++)
    {
      VtrCaptureEntry *entry = g_ptr_array_index (self->registry.entries, i);
      VtrCaptureCounts counts;

      if (entry->process == NULL || entry->gone ||
          vtr_capture_process_is_recorded (entry->process))
        continue;
      vtr_capture_process_get_counts (entry->process, &counts);
      if (early || (entry->has_device && counts.presented > 0))
        return TRUE;
    }
  return FALSE;
}

/* Whether all is recorded: by the main process, and then within a while by the others. */
static gboolean
is_recorded (VtrCaptureSession *self,
             VtrCaptureEntry   *entry)
{
  gint64 now = g_get_monotonic_time ();
  gboolean others;

  if (entry == NULL || !is_satisfied (self, entry))
    return FALSE;
  if (self->satisfied == 0)
    self->satisfied = now;
  g_mutex_lock (&self->registry.lock);
  others = others_record_locked (self, now - self->satisfied < NEWCOMERS_US);
  g_mutex_unlock (&self->registry.lock);
  return !others || now - self->satisfied > OTHERS_US;
}

static void
follow_state (VtrCaptureSession *self,
              VtrCaptureEntry   *entry)
{
  VtrCaptureCounts counts;

  if (entry == NULL)
    return;
  vtr_capture_process_get_counts (entry->process, &counts);
  if (self->registry.plan.from_launch ? counts.commands > 0 : counts.recording)
    set_state (self, VTR_CAPTURE_STATE_RECORDING);
  else if (!self->registry.plan.from_launch && entry->has_device)
    set_state (self, VTR_CAPTURE_STATE_IDLE);
  else
    set_state (self, VTR_CAPTURE_STATE_WAITING);
}

/* Whether no more recordings are expected from processes that the program left. Nothing is being
 * recorded. */
static gboolean
is_left_alone (VtrCaptureSession     *self,
               const VtrCaptureStats *stats,
               VtrCaptureEntry       *entry)
{
  if (entry == NULL || !entry->gone || stats->presented == 0)
    return FALSE;
  if (self->left == 0)
    self->left = g_get_monotonic_time ();
  return g_get_monotonic_time () - self->left > LEFT_US;
}

/* Whether the launched program has ended and what it started in sessions of their own may use
 * Vulkan yet. That may be a daemon that never will: only so long. */
static gboolean
is_handing_over (VtrCaptureSession     *self,
                 const VtrCaptureStats *stats)
{
  const gint64 now = g_get_monotonic_time ();

  if (stats->presented > 0)
    return FALSE;
  if (self->exit_time == 0)
    self->exit_time = now;
  if (now - self->exit_time > LEFT_US)
    return FALSE;
  if (self->looked != 0 && now - self->looked < LOOK_US)
    return TRUE;
  self->looked = now;
  return vtr_capture_has_descendants (vtr_capture_control_get_path (self->control));
}

/* Whether the program, and all it left, has ended. */
static gboolean
is_gone (VtrCaptureSession     *self,
         const VtrCaptureStats *stats,
         VtrCaptureEntry       *entry)
{
  if (vtr_capture_control_get_n_peers (self->control) > 0)
    {
      self->left = self->exit_time = 0;
      return FALSE;
    }
  if (!self->waiting)
    return self->exited && (group_lives (self)
                              ? is_left_alone (self, stats, entry)
                              : !is_handing_over (self, stats));
  /* Launchers try the driver before they start what matters. */
  return entry != NULL && entry->has_device && entry->gone &&
         (stats->presented > 0 || self->registry.only != NULL);
}

/* The part of the tick before the recording ends. */
static void
watch (VtrCaptureSession *self)
{
  VtrCaptureStats stats;
  VtrCaptureEntry *entry;

  g_mutex_lock (&self->registry.lock);
  entry = vtr_capture_registry_get_main_locked (&self->registry);
  g_mutex_unlock (&self->registry.lock);

  vtr_capture_session_get_stats (self, &stats);
  update_rate (self, stats.presented);
  follow_state (self, entry);
  if (self->delay >= 0 && stats.elapsed >= self->delay &&
      vtr_capture_registry_trigger (&self->registry) > 0)
    self->delay = -1;

  if (is_recorded (self, entry))
    begin_finish (self, !self->keep_running);
  else if (entry != NULL && entry->has_device)
    tell_failure (self, entry);
  if (self->state < VTR_CAPTURE_STATE_FINISHING && is_gone (self, &stats, entry))
    begin_finish (self, FALSE);
}

/* Whether a complete trace was not announced yet. */
static gboolean
is_finishing (VtrCaptureSession *self)
{
  emit_traces (self);
  return self->finisher != NULL && vtr_capture_finisher_is_busy (self->finisher);
}

static gboolean
on_tick (gpointer data)
{
  VtrCaptureSession *self = data;
  gint64 now = g_get_monotonic_time ();

  if (self->state < VTR_CAPTURE_STATE_FINISHING)
    watch (self);
  else if (vtr_capture_registry_is_complete (&self->registry) && !is_finishing (self) &&
           (!self->end_program || end_program (self)))
    {
      self->tick = 0;
      conclude (self);
      g_object_unref (self);
      return G_SOURCE_REMOVE;
    }
  else if (self->end_program)
    end_program (self);

  emit_traces (self);
  emit_notices (self);
  if (now - self->last_changed >= CHANGED_US)
    {
      self->last_changed = now;
      g_signal_emit (self, signal_changed, 0);
    }
  return G_SOURCE_CONTINUE;
}

static void
on_exited (GPid     pid,
           int      wait_status,
           gpointer data)
{
  VtrCaptureSession *self = data;

  self->exited = TRUE;
  self->wait_status = wait_status;
  self->child_watch = 0;
  g_spawn_close_pid (pid);
}

static gboolean
check_output (const char  *output,
              GError     **error)
{
  g_autofree char *folder = g_path_get_dirname (output);

  if (g_file_test (output, G_FILE_TEST_IS_DIR))
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                 _ ("“%s” is a folder. Give the name of a file."), output);
  else if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                 _ ("The folder “%s” for the trace does not exist. Create it first."), folder);
  else if (access (folder, W_OK) != 0)
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                 _ ("You do not have permission to write to the folder “%s”. Choose another "
                    "place for the trace."),
                 folder);
  else
    return TRUE;
  return FALSE;
}

static gboolean
begin (VtrCaptureSession        *self,
       const VtrCaptureOptions  *options,
       GError                  **error)
{
  g_autofree char *program = NULL;
  g_autofree char *output = g_strdup (options->output);

  if (!vtr_capture_options_check (options, error))
    return FALSE;
  if (output == NULL && options->argv != NULL)
    output = vtr_capture_default_output (options->argv[0]);
  if (output != NULL)
    self->registry.output = g_canonicalize_filename (output, NULL);
  if (output != NULL && !check_output (self->registry.output, error))
    return FALSE;
  vtr_capture_raise_file_limit ();
  self->control = vtr_capture_control_new (options->crash_mode ? VTR_CAPTURE_OPTION_CRASH_MODE : 0,
                                           self->waiting, &vtr_capture_registry_events,
                                           &self->registry, error);
  if (self->control == NULL)
    return FALSE;
  if (self->waiting)
    return TRUE;
  self->group =
    vtr_capture_launch (options, vtr_capture_control_get_path (self->control), error);
  if (self->group == 0)
    return FALSE;
  program = vtr_capture_find_program (options, NULL);
  self->hindrance = program != NULL ? vtr_capture_find_hindrance (program)
                                    : VTR_CAPTURE_HINDRANCE_NONE;
  self->child_watch = g_child_watch_add_full (G_PRIORITY_DEFAULT, self->group, on_exited,
                                              g_object_ref (self), g_object_unref);
  return TRUE;
}

VtrCaptureSession *
vtr_capture_session_start (const VtrCaptureOptions  *options,
                           GError                  **error)
{
  g_autoptr (VtrCaptureSession) self = g_object_new (VTR_TYPE_CAPTURE_SESSION, NULL);

  g_return_val_if_fail (options->wait || (options->argv != NULL && options->argv[0] != NULL),
                        NULL);

  self->waiting = options->wait;
  self->trigger = options->trigger;
  self->keep_running = options->keep_running;
  self->finisher = options->trim ? vtr_capture_finisher_new () : NULL;
  self->program = options->wait ? NULL : g_path_get_basename (options->argv[0]);
  self->delay = -1;
  if (options->trigger == VTR_CAPTURE_AFTER_SECONDS)
    self->delay = (gint64)(options->seconds * G_USEC_PER_SEC);
  vtr_capture_registry_init (&self->registry, options);
  self->has_registry = TRUE;
  if (!begin (self, options, error))
    return NULL;
  /* Runs, and keeps itself, until the traces are complete. */
  self->tick = g_timeout_add (TICK_MS, on_tick, g_object_ref (self));
  return g_steal_pointer (&self);
}

void
vtr_capture_session_wait_async (VtrCaptureSession   *self,
                                GCancellable        *cancellable,
                                GAsyncReadyCallback  callback,
                                gpointer             data)
{
  GTask *task = g_task_new (self, cancellable, callback, data);

  g_task_set_source_tag (task, vtr_capture_session_wait_async);
  g_ptr_array_add (self->waiters, task);
  if (self->state >= VTR_CAPTURE_STATE_DONE)
    answer_waiters (self);
}

char *
vtr_capture_session_wait_finish (VtrCaptureSession  *self,
                                 GAsyncResult       *result,
                                 GError            **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

void
vtr_capture_session_stop (VtrCaptureSession *self,
                          gboolean           end_the_program)
{
  if (self->state < VTR_CAPTURE_STATE_FINISHING)
    {
      begin_finish (self, end_the_program);
      return;
    }
  self->end_program |= end_the_program;
  if (self->finisher != NULL)
    vtr_capture_finisher_cancel (self->finisher);
}

VtrCaptureTrigger
vtr_capture_session_get_trigger (VtrCaptureSession *self)
{
  return self->trigger;
}

gboolean
vtr_capture_session_trigger (VtrCaptureSession  *self,
                             GError            **error)
{
  if (vtr_capture_registry_trigger (&self->registry) > 0)
    {
      self->delay = -1;
      return TRUE;
    }
  if (self->state >= VTR_CAPTURE_STATE_FINISHING)
    g_set_error_literal (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                         _ ("Cannot capture a frame: the capture has ended."));
  else if (self->registry.plan.from_launch)
    g_set_error_literal (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                         _ ("The program is being recorded from launch. To capture single "
                            "frames, choose a capture by hand."));
  else if (self->state < VTR_CAPTURE_STATE_IDLE)
    g_set_error_literal (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                         _ ("Cannot capture a frame yet: the program has not created a device."));
  else
    g_set_error_literal (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                         _ ("All requested captures are done."));
  return FALSE;
}

static void
vtr_capture_session_finalize (GObject *object)
{
  VtrCaptureSession *self = VTR_CAPTURE_SESSION (object);

  g_clear_pointer (&self->control, vtr_capture_control_free);
  if (self->has_registry)
    vtr_capture_registry_clear (&self->registry);
  g_ptr_array_unref (self->waiters);
  vtr_capture_finisher_free (self->finisher);
  g_ptr_array_unref (self->traces);
  g_clear_error (&self->error);
  g_free (self->ending);
  g_free (self->program);
  G_OBJECT_CLASS (vtr_capture_session_parent_class)->finalize (object);
}

static void
vtr_capture_session_get_property (GObject    *object,
                                  guint       id,
                                  GValue     *value,
                                  GParamSpec *pspec)
{
  g_value_set_int (value, VTR_CAPTURE_SESSION (object)->state);
}

static void
vtr_capture_session_class_init (VtrCaptureSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = vtr_capture_session_finalize;
  object_class->get_property = vtr_capture_session_get_property;

  /* VtrCaptureState */
  properties[PROP_STATE] = g_param_spec_int ("state", NULL, NULL, 0, VTR_CAPTURE_STATE_FAILED, 0,
                                             G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signal_changed = g_signal_new ("changed", VTR_TYPE_CAPTURE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL,
                                 G_TYPE_NONE, 0);
  signal_notice = g_signal_new ("notice", VTR_TYPE_CAPTURE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL,
                                G_TYPE_NONE, 1, G_TYPE_STRING);
  signal_captured = g_signal_new ("captured", VTR_TYPE_CAPTURE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static void
vtr_capture_session_init (VtrCaptureSession *self)
{
  self->waiters = g_ptr_array_new_with_free_func (g_object_unref);
  self->traces = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_capture_trace_free);
}
