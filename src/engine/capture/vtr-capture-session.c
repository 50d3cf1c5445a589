/* VtrCaptureSession: a state machine on the main thread over a control thread and one drain
 * thread per process. */
#include "vtr-capture-session.h"

#include "api/vtr-api-ids.h"
#include "engine/capture/vtr-capture-control.h"
#include "engine/capture/vtr-capture-launch.h"
#include "engine/capture/vtr-capture-process.h"
#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS 20
#define CHANGED_US (50 * 1000)
#define TERMINATE_US (2 * G_USEC_PER_SEC)
#define RATE_US G_USEC_PER_SEC

G_DEFINE_QUARK (vtr - capture - error - quark, vtr_capture_error)

/* A process that registered. */
typedef struct
{
  guint peer;
  VtrCaptureProcess *process;
  gboolean has_device;
  char *path;
} Entry;

typedef struct
{
  VtrCaptureRungState state;
  gint64 time;
  char *fact;
} Rung;

struct _VtrCaptureSession
{
  GObject parent_instance;

  char *program;
  char *output;
  guint64 n_frames;
  gboolean keep_running;
  guint child_watch;
  GPid group;
  VtrCaptureControl *control;
  gint64 start;
  guint tick;
  GPtrArray *waiters; /* of GTask */

  VtrCaptureState state;
  gboolean exited; /* the launched program */
  int wait_status;
  gboolean end_program;
  gint64 terminated; /* when SIGTERM was sent */
  gboolean killed;
  gboolean failure_told;
  gint64 last_changed;
  gint64 rate_time;
  guint64 rate_frames;
  double rate;
  char *result;
  GError *error;

  GMutex lock;        /* of all below */
  GPtrArray *entries; /* of Entry, in order of registration */
  Entry *chosen;      /* whose trace goes to .output */
  Rung rungs[VTR_CAPTURE_N_RUNGS];
  GPtrArray *notices; /* of char: to be emitted */
  GError *peer_error; /* the first process that could not be recorded, and why */
  gboolean closed;    /* no more registrations */
};

G_DEFINE_FINAL_TYPE (VtrCaptureSession, vtr_capture_session, G_TYPE_OBJECT)

enum
{
  PROP_STATE = 1,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];
static guint signal_changed, signal_notice;

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  vtr_capture_process_free (entry->process);
  g_free (entry->path);
  g_free (entry);
}

/* ---- Control thread ---- */

static Entry *
find_entry_locked (VtrCaptureSession *self,
                   guint              peer)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (self->entries, i);

      if (entry->peer == peer)
        return entry;
    }
  return NULL;
}

/* "cube.gfxtrace" → "cube-4711.gfxtrace" */
static char *
numbered_path (VtrCaptureSession *self,
               guint              pid)
{
  gsize stem = strlen (self->output);

  if (g_str_has_suffix (self->output, ".gfxtrace"))
    stem -= strlen (".gfxtrace");
  return g_strdup_printf ("%.*s-%u.gfxtrace", (int)stem, self->output, pid);
}

static int
refuse_locked (VtrCaptureSession *self,
               GError            *error)
{
  if (self->peer_error == NULL)
    self->peer_error = error;
  else
    g_error_free (error);
  return -1;
}

static int
register_locked (VtrCaptureSession      *self,
                 guint                   peer,
                 const VtrCaptureHello  *hello,
                 char                  **arguments,
                 guint64                *ring_bytes)
{
  GError *error = NULL;
  Entry *entry;

  if (self->closed)
    return -1;
  if (hello->protocol != VTR_CAPTURE_PROTOCOL || hello->registry_hash != VTR_API_REGISTRY_HASH)
    return refuse_locked (self, g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_LAYER,
                                                     _ ("The program loaded a capture layer of "
                                                        "another version of "
                                                        "Vitrine. Remove the other one, or set "
                                                        "VITRINE_LAYER_DIR.")));

  entry = g_new0 (Entry, 1);
  entry->peer = peer;
  if (self->entries->len == 0)
    entry->path = g_strdup (self->output);
  else
    entry->path = numbered_path (self, hello->pid);
  entry->process = vtr_capture_process_new (entry->path, hello, arguments, self->n_frames,
                                            &error);
  if (entry->process == NULL)
    {
      entry_free (entry);
      return refuse_locked (self, error);
    }
  g_ptr_array_add (self->entries, entry);
  *ring_bytes = vtr_capture_process_get_ring_bytes (entry->process);
  return vtr_capture_process_get_ring_fd (entry->process);
}

static int
on_hello (guint                   peer,
          const VtrCaptureHello  *hello,
          char                  **arguments,
          guint64                *ring_bytes,
          gpointer                data)
{
  VtrCaptureSession *self = data;
  int fd;

  g_mutex_lock (&self->lock);
  fd = register_locked (self, peer, hello, arguments, ring_bytes);
  g_mutex_unlock (&self->lock);
  return fd;
}

static void
set_entry_path (Entry      *entry,
                const char *path)
{
  g_free (entry->path);
  entry->path = g_strdup (path);
  vtr_capture_process_set_path (entry->process, path);
}

/* The first process with a device gets the name that was asked for. */
static void
choose_locked (VtrCaptureSession *self,
               Entry             *entry)
{
  Entry *first = g_ptr_array_index (self->entries, 0);

  self->chosen = entry;
  if (first != entry && g_str_equal (first->path, self->output))
    {
      g_autofree char *other = numbered_path (self, vtr_capture_process_get_pid (first->process));

      set_entry_path (first, other);
      set_entry_path (entry, self->output);
    }
}

static void
on_rung (guint                 peer,
         const VtrCaptureRung *rung,
         gpointer              data)
{
  VtrCaptureSession *self = data;
  Rung *mine = &self->rungs[rung->rung];
  Entry *entry;

  g_mutex_lock (&self->lock);
  entry = find_entry_locked (self, peer);
  if (mine->state != VTR_CAPTURE_RUNG_DONE)
    {
      mine->state = rung->result >= 0 ? VTR_CAPTURE_RUNG_DONE : VTR_CAPTURE_RUNG_TRIED;
      mine->time = g_get_monotonic_time () - self->start;
      g_free (mine->fact);
      mine->fact = g_utf8_make_valid (rung->fact, -1);
    }
  if (entry != NULL && rung->rung == VTR_CAPTURE_RUNG_DEVICE_CREATED && rung->result >= 0)
    {
      entry->has_device = TRUE;
      if (self->chosen == NULL)
        choose_locked (self, entry);
    }
  g_mutex_unlock (&self->lock);
}

static void
on_notice (guint                   peer,
           const VtrCaptureNotice *notice,
           gpointer                data)
{
  VtrCaptureSession *self = data;

  g_mutex_lock (&self->lock);
  if (self->notices->len < 100)
    g_ptr_array_add (self->notices, g_utf8_make_valid (notice->text, -1));
  g_mutex_unlock (&self->lock);
}

static void
on_hang_up (guint    peer,
            gpointer data)
{
  VtrCaptureSession *self = data;
  Entry *entry;

  g_mutex_lock (&self->lock);
  entry = find_entry_locked (self, peer);
  if (entry != NULL)
    vtr_capture_process_hang_up (entry->process);
  g_mutex_unlock (&self->lock);
}

/* ---- Main thread ---- */

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
  self->end_program |= end_program;
  g_mutex_lock (&self->lock);
  self->closed = TRUE;
  for (guint i = 0; i < self->entries->len; i++)
    vtr_capture_process_stop (((Entry *)g_ptr_array_index (self->entries, i))->process);
  g_mutex_unlock (&self->lock);
  set_state (self, VTR_CAPTURE_STATE_FINISHING);
}

static gboolean
all_complete (VtrCaptureSession *self)
{
  gboolean all = TRUE;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->entries->len; i++)
    all &= vtr_capture_process_is_complete (((Entry *)g_ptr_array_index (self->entries,
                                                                         i))
                                              ->process);
  g_mutex_unlock (&self->lock);
  return all;
}

/* Ends what still runs of the program. Returns: whether nothing does. */
static gboolean
end_program (VtrCaptureSession *self)
{
  gint64 now = g_get_monotonic_time ();

  if (!group_lives (self) && self->exited)
    return TRUE;
  if (self->terminated == 0)
    {
      self->terminated = now;
      kill (-self->group, SIGTERM);
      /* A stopped program could not act on it. */
      kill (-self->group, SIGCONT);
    }
  else if (!self->killed && now - self->terminated > TERMINATE_US)
    {
      self->killed = TRUE;
      kill (-self->group, SIGKILL);
    }
  return self->killed && self->exited;
}

static Entry *
main_entry_locked (VtrCaptureSession *self)
{
  if (self->chosen != NULL)
    return self->chosen;
  return self->entries->len > 0 ? g_ptr_array_index (self->entries, 0) : NULL;
}

/* "ended with status 3", "was ended by signal 11 (Segmentation fault)" */
static char *
describe_exit (VtrCaptureSession *self)
{
  if (!self->exited)
    return g_strdup (_ ("was stopped"));
  if (WIFSIGNALED (self->wait_status))
    return g_strdup_printf (_ ("was ended by signal %d (%s)"), WTERMSIG (self->wait_status),
                            g_strsignal (WTERMSIG (self->wait_status)));
  return g_strdup_printf (_ ("ended with status %d"), WEXITSTATUS (self->wait_status));
}

static GError *
explain_silence (VtrCaptureSession *self)
{
  g_autofree char *end = describe_exit (self);

  if (self->peer_error != NULL)
    return g_error_copy (self->peer_error);
  if (!vtr_capture_has_driver ())
    return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NO_DRIVER,
                        _ ("“%s” %s, and no Vulkan driver is installed. Install one (on Debian: "
                           "mesa-vulkan-drivers), or check VK_DRIVER_FILES."),
                        self->program, end);
  return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NO_VULKAN,
                      _ ("“%s” %s without using Vulkan. If it starts another program, capture "
                         "that one; if it chose "
                         "OpenGL, tell it to use Vulkan."),
                      self->program, end);
}

static GError *
explain_nothing (VtrCaptureSession *self)
{
  g_autofree char *end = describe_exit (self);

  if (self->rungs[VTR_CAPTURE_RUNG_INSTANCE_CREATED].state == VTR_CAPTURE_RUNG_TRIED)
    return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NO_DRIVER,
                        _ ("“%s” %s: its Vulkan instance could not be made (%s)."), self->program,
                        end,
                        self->rungs[VTR_CAPTURE_RUNG_INSTANCE_CREATED].fact);
  return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NOTHING,
                      _ ("“%s” %s before any Vulkan call was recorded."), self->program, end);
}

static void
decide_result (VtrCaptureSession *self)
{
  GError *error = NULL;
  Entry *entry;

  g_mutex_lock (&self->lock);
  entry = main_entry_locked (self);
  if (entry == NULL)
    self->error = explain_silence (self);
  else
    {
      g_autofree char *result = vtr_capture_process_get_result (entry->process, &error);

      if (error != NULL && result != NULL)
        {
          g_set_error (&self->error, error->domain, error->code,
                       _ ("%s What was recorded is in “%s”."),
                       error->message,
                       result);
          g_error_free (error);
        }
      else if (error != NULL)
        self->error = error;
      else if (result == NULL)
        self->error = explain_nothing (self);
      else
        self->result = g_steal_pointer (&result);
    }
  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *other = g_ptr_array_index (self->entries, i);
      g_autofree char *path = vtr_capture_process_get_result (other->process, NULL);

      if (other != entry && path != NULL)
        g_ptr_array_add (self->notices,
                         g_strdup_printf (_ ("Process %u was recorded too: %s"),
                                          vtr_capture_process_get_pid (other->process), path));
    }
  if (self->result != NULL && self->exited && WIFSIGNALED (self->wait_status) &&
      self->terminated == 0)
    {
      g_autofree char *end = describe_exit (self);

      g_ptr_array_add (self->notices,
                       g_strdup_printf (_ ("“%s” %s. The trace holds every call up to there."),
                                        self->program,
                                        end));
    }
  g_mutex_unlock (&self->lock);
}

static void
emit_notices (VtrCaptureSession *self)
{
  g_autoptr (GPtrArray) notices = NULL;

  g_mutex_lock (&self->lock);
  notices = g_steal_pointer (&self->notices);
  self->notices = g_ptr_array_new_with_free_func (g_free);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < notices->len; i++)
    g_signal_emit (self, signal_notice, 0, g_ptr_array_index (notices, i));
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
        g_task_return_pointer (task, g_strdup (self->result), g_free);
    }
}

static void
conclude (VtrCaptureSession *self)
{
  decide_result (self);
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
              Entry             *entry)
{
  g_autofree char *path = NULL;
  GError *error = NULL;

  if (self->failure_told || !vtr_capture_process_is_complete (entry->process))
    return;
  self->failure_told = TRUE;
  path = vtr_capture_process_get_result (entry->process, &error);
  if (error == NULL)
    return;
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->notices, g_strdup (error->message));
  g_mutex_unlock (&self->lock);
  g_error_free (error);
}

/* The part of the tick before the recording ends. */
static void
watch (VtrCaptureSession *self)
{
  VtrCaptureStats stats;
  gboolean recorded = FALSE;
  Entry *entry;

  g_mutex_lock (&self->lock);
  entry = main_entry_locked (self);
  if (entry != NULL)
    recorded = vtr_capture_process_is_recorded (entry->process) ||
               vtr_capture_process_is_complete (entry->process);
  /* A launcher may have ended before the process that matters registers. */
  if (recorded && !entry->has_device && vtr_capture_control_get_n_peers (self->control) > 0)
    recorded = FALSE;
  g_mutex_unlock (&self->lock);

  vtr_capture_session_get_stats (self, &stats);
  update_rate (self, stats.frames);
  if (stats.commands > 0)
    set_state (self, VTR_CAPTURE_STATE_RECORDING);
  else if (entry != NULL)
    set_state (self, VTR_CAPTURE_STATE_WAITING);

  if (recorded && entry->has_device && self->n_frames > 0 && stats.frames >= self->n_frames)
    begin_finish (self, !self->keep_running);
  else if (recorded && entry->has_device)
    tell_failure (self, entry);
  if (self->state < VTR_CAPTURE_STATE_FINISHING && self->exited &&
      vtr_capture_control_get_n_peers (self->control) == 0 && !group_lives (self))
    begin_finish (self, FALSE);
}

static gboolean
on_tick (gpointer data)
{
  VtrCaptureSession *self = data;
  gint64 now = g_get_monotonic_time ();

  if (self->state < VTR_CAPTURE_STATE_FINISHING)
    watch (self);
  else if (all_complete (self) && (!self->end_program || end_program (self)))
    {
      self->tick = 0;
      conclude (self);
      g_object_unref (self);
      return G_SOURCE_REMOVE;
    }
  else if (self->end_program)
    end_program (self);

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
check_output (VtrCaptureSession  *self,
              GError            **error)
{
  g_autofree char *folder = g_path_get_dirname (self->output);

  if (g_file_test (self->output, G_FILE_TEST_IS_DIR))
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                 _ ("“%s” is a folder. Give the name of a file."), self->output);
  else if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                 _ ("There is no folder “%s” for the trace. Make it first."), folder);
  else if (access (folder, W_OK) != 0)
    g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                 _ ("You may not write to the folder “%s”. Choose another place for the trace."),
                 folder);
  else
    return TRUE;
  return FALSE;
}

VtrCaptureSession *
vtr_capture_session_start (const VtrCaptureOptions  *options,
                           GError                  **error)
{
  static const VtrCaptureControlEvents events = { on_hello, on_rung, on_notice, on_hang_up };
  g_autoptr (VtrCaptureSession) self = g_object_new (VTR_TYPE_CAPTURE_SESSION, NULL);
  g_autofree char *output = NULL;

  g_return_val_if_fail (options->argv != NULL && options->argv[0] != NULL, NULL);

  if (options->output != NULL)
    output = g_strdup (options->output);
  else
    output = vtr_capture_default_output (options->argv[0]);
  self->output = g_canonicalize_filename (output, NULL);
  self->program = g_path_get_basename (options->argv[0]);
  self->n_frames = options->n_frames;
  self->keep_running = options->keep_running;
  if (!check_output (self, error))
    return NULL;

  self->control = vtr_capture_control_new (options->crash_mode ? VTR_CAPTURE_OPTION_CRASH_MODE : 0,
                                           &events,
                                           self, error);
  if (self->control == NULL)
    return NULL;
  self->start = g_get_monotonic_time ();
  self->group =
    vtr_capture_launch (options, vtr_capture_control_get_path (self->control), error);
  if (self->group == 0)
    return NULL;
  self->child_watch = g_child_watch_add_full (G_PRIORITY_DEFAULT, self->group, on_exited,
                                              g_object_ref (self), g_object_unref);
  /* Runs, and keeps itself, until the trace is complete. */
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
    begin_finish (self, end_the_program);
  else
    self->end_program |= end_the_program;
}

void
vtr_capture_session_get_stats (VtrCaptureSession *self,
                               VtrCaptureStats   *out)
{
  VtrCaptureCounts counts = { 0 };
  Entry *entry;

  *out = (VtrCaptureStats){ .state = self->state, .pid = self->group };
  g_mutex_lock (&self->lock);
  entry = main_entry_locked (self);
  if (entry != NULL)
    {
      vtr_capture_process_get_counts (entry->process, &counts);
      out->pid = (GPid)vtr_capture_process_get_pid (entry->process);
    }
  out->n_processes = self->entries->len;
  g_mutex_unlock (&self->lock);
  out->frames = counts.frames;
  out->commands = counts.commands;
  out->draws = counts.draws;
  out->bytes = counts.bytes;
  out->frames_per_second = self->rate;
  out->elapsed = g_get_monotonic_time () - self->start;
}

void
vtr_capture_session_get_rung (VtrCaptureSession  *self,
                              guint               rung,
                              VtrCaptureRungInfo *out)
{
  g_return_if_fail (rung < VTR_CAPTURE_N_RUNGS);

  g_mutex_lock (&self->lock);
  out->state = self->rungs[rung].state;
  out->time = self->rungs[rung].time;
  /* Interned: the answer outlives a rung that is tried again. */
  out->fact = self->rungs[rung].fact != NULL ? g_intern_string (self->rungs[rung].fact) : "";
  g_mutex_unlock (&self->lock);
}

char *
vtr_capture_session_explain (VtrCaptureSession *self)
{
  VtrCaptureRungInfo rungs[VTR_CAPTURE_N_RUNGS];

  for (guint i = 0; i < VTR_CAPTURE_N_RUNGS; i++)
    vtr_capture_session_get_rung (self, i, &rungs[i]);

  if (rungs[VTR_CAPTURE_RUNG_LAYER_LOADED].state != VTR_CAPTURE_RUNG_DONE)
    {
      if (!vtr_capture_has_driver ())
        return g_strdup (_ ("The capture layer is not loaded: no Vulkan driver is installed."));
      if (self->exited)
        return g_strdup (_ ("The capture layer is not loaded: the program that was started has "
                            "ended, and "
                            "what it left running has not used Vulkan yet."));
      return g_strdup (_ ("The capture layer is not loaded: the program has not used Vulkan yet. "
                          "It may be "
                          "waiting for you, use OpenGL, or have handed over to a program that was "
                          "already "
                          "running."));
    }
  if (rungs[VTR_CAPTURE_RUNG_INSTANCE_CREATED].state == VTR_CAPTURE_RUNG_TRIED)
    return g_strdup_printf (_ ("No Vulkan instance: the driver refused (%s)."),
                            rungs[VTR_CAPTURE_RUNG_INSTANCE_CREATED].fact);
  if (rungs[VTR_CAPTURE_RUNG_INSTANCE_CREATED].state != VTR_CAPTURE_RUNG_DONE)
    return g_strdup (_ ("No Vulkan instance yet: the program has loaded Vulkan but only asked "
                        "what it can do."));
  if (rungs[VTR_CAPTURE_RUNG_DEVICE_CREATED].state == VTR_CAPTURE_RUNG_TRIED)
    return g_strdup_printf (_ ("No device: the driver refused (%s)."),
                            rungs[VTR_CAPTURE_RUNG_DEVICE_CREATED].fact);
  if (rungs[VTR_CAPTURE_RUNG_DEVICE_CREATED].state != VTR_CAPTURE_RUNG_DONE)
    return g_strdup (_ ("No device yet: the program looks at the graphics cards but has opened "
                        "none. It may have "
                        "found none that it likes."));
  if (rungs[VTR_CAPTURE_RUNG_FIRST_PRESENT].state != VTR_CAPTURE_RUNG_DONE)
    return g_strdup (_ ("Nothing presented yet: the program works without a window, or still "
                        "loads. Its calls are "
                        "being recorded."));
  return NULL;
}

const char *
vtr_capture_session_get_path (VtrCaptureSession *self)
{
  return self->result != NULL ? self->result : self->output;
}

const char *
vtr_capture_session_get_program (VtrCaptureSession *self)
{
  return self->program;
}

static void
vtr_capture_session_finalize (GObject *object)
{
  VtrCaptureSession *self = VTR_CAPTURE_SESSION (object);

  g_clear_pointer (&self->control, vtr_capture_control_free);
  for (guint i = 0; i < self->entries->len; i++)
    vtr_capture_process_hang_up (((Entry *)g_ptr_array_index (self->entries, i))->process);
  g_ptr_array_unref (self->entries);
  g_ptr_array_unref (self->notices);
  g_ptr_array_unref (self->waiters);
  for (guint i = 0; i < VTR_CAPTURE_N_RUNGS; i++)
    g_free (self->rungs[i].fact);
  g_clear_error (&self->error);
  g_clear_error (&self->peer_error);
  g_mutex_clear (&self->lock);
  g_free (self->program);
  g_free (self->output);
  g_free (self->result);
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
}

static void
vtr_capture_session_init (VtrCaptureSession *self)
{
  g_mutex_init (&self->lock);
  self->entries = g_ptr_array_new_with_free_func (entry_free);
  self->notices = g_ptr_array_new_with_free_func (g_free);
  self->waiters = g_ptr_array_new_with_free_func (g_object_unref);
}
