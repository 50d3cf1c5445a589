/* Describes the result of a capture: its traces, or why there are none. */
#include "engine/capture/vtr-capture-session-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <sys/wait.h>

#include "base/vtr-number.h"

static VtrCaptureSituation
get_situation (VtrCaptureSession *self)
{
  return (VtrCaptureSituation){
    .registry = &self->registry,
    .program = self->program != NULL ? self->program : _ ("The program"),
    .exited = self->exited,
    .wait_status = self->wait_status,
    .stopped = self->terminated != 0,
    .waiting = self->waiting,
    .hindrance = self->hindrance,
  };
}

/* A program that used Vulkan and created no device may have needed a hidden extension. */
static void
tell_withheld_locked (VtrCaptureSession *self)
{
  VtrCaptureRegistry *registry = &self->registry;
  g_autofree char *withheld = vtr_capture_explain_withheld (registry);

  if (withheld == NULL || self->terminated != 0 ||
      registry->rungs[VTR_CAPTURE_RUNG_DEVICE].state == VTR_CAPTURE_RUNG_DONE)
    return;
  g_ptr_array_add (registry->notices,
                   g_strdup_printf (_ ("“%s” created no device. %s"),
                                    self->program != NULL ? self->program : _ ("The program"),
                                    withheld));
}

/* Notices about the result. */
static void
tell_result_locked (VtrCaptureSession *self,
                    VtrCaptureEntry   *entry)
{
  VtrCaptureSituation situation = get_situation (self);
  GPtrArray *notices = self->registry.notices;
  guint64 n_main = 0;

  for (guint i = 0; i < self->traces->len; i++)
    {
      VtrCaptureTrace *trace = g_ptr_array_index (self->traces, i);

      if (trace->pid != entry->pid)
        g_ptr_array_add (notices, g_strdup_printf (_ ("Process %u was recorded too: %s"),
                                                   trace->pid, trace->path));
      else
        n_main++;
    }
  if (self->exited && self->terminated == 0 && n_main > 0 && n_main < self->registry.plan.times)
    {
      g_autofree char *end = vtr_capture_explain_exit (&situation);

      g_ptr_array_add (notices,
                       g_strdup_printf (_ ("“%s” %s after %s of %s captures."), self->program, end,
                                        VTR_NUMBER (n_main),
                                        VTR_NUMBER (self->registry.plan.times)));
    }
  if (self->exited && WIFSIGNALED (self->wait_status) && self->terminated == 0)
    {
      g_autofree char *end = vtr_capture_explain_exit (&situation);

      /* Single frames of a run end where they were to end. */
      if (vtr_capture_session_get_trigger (self) == VTR_CAPTURE_FROM_LAUNCH)
        self->ending = g_strdup_printf (_ ("“%s” %s. The trace holds every call up to there."),
                                        self->program, end);
      else
        self->ending = g_strdup_printf (_ ("“%s” %s. Captures that finished before that are "
                                           "complete."),
                                        self->program, end);
      g_ptr_array_add (notices, g_strdup (self->ending));
    }
}

/* Why the main process' captures are not all there, if so. */
static GError *
find_error_locked (VtrCaptureSession *self,
                   VtrCaptureEntry   *entry)
{
  VtrCaptureSituation situation = get_situation (self);
  g_autoptr (GError) error = NULL;

  if (entry == NULL)
    return vtr_capture_explain_silence (&situation);
  error = vtr_capture_process_get_error (entry->process);
  if (error != NULL && self->traces->len > 0)
    {
      VtrCaptureTrace *trace = g_ptr_array_index (self->traces, 0);

      return g_error_new (error->domain, error->code, _ ("%s The recorded calls are in “%s”."),
                          error->message, trace->path);
    }
  if (error != NULL)
    return g_steal_pointer (&error);
  if (self->traces->len == 0)
    return vtr_capture_explain_nothing (&situation, entry);
  return NULL;
}

void
vtr_capture_session_decide_result (VtrCaptureSession *self)
{
  VtrCaptureEntry *entry;

  vtr_capture_session_get_program (self);
  g_mutex_lock (&self->registry.lock);
  entry = vtr_capture_registry_get_main_locked (&self->registry);
  tell_withheld_locked (self);
  self->error = find_error_locked (self, entry);
  if (entry != NULL && self->registry.n_missed > 0)
    g_ptr_array_add (self->registry.notices, vtr_capture_explain_missed (&self->registry));
  if (self->error == NULL)
    tell_result_locked (self, entry);
  g_mutex_unlock (&self->registry.lock);
}

char *
vtr_capture_session_explain (VtrCaptureSession *self)
{
  VtrCaptureSituation situation = get_situation (self);

  return vtr_capture_explain_rungs (&situation);
}

char **
vtr_capture_session_dup_withheld (VtrCaptureSession *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_mutex_lock (&self->registry.lock);
  for (guint i = 0; i < self->registry.withheld->len; i++)
    g_strv_builder_add (builder, g_ptr_array_index (self->registry.withheld, i));
  g_mutex_unlock (&self->registry.lock);
  return g_strv_builder_end (builder);
}

const char *
vtr_capture_session_get_ending (VtrCaptureSession *self)
{
  return self->ending;
}

const char *
vtr_capture_session_get_path (VtrCaptureSession *self)
{
  if (self->traces->len > 0)
    return ((VtrCaptureTrace *)g_ptr_array_index (self->traces, 0))->path;
  return self->registry.output;
}

GPtrArray *
vtr_capture_session_get_traces (VtrCaptureSession *self)
{
  return self->traces;
}

const char *
vtr_capture_session_get_program (VtrCaptureSession *self)
{
  VtrCaptureEntry *entry;

  if (self->program != NULL)
    return self->program;
  g_mutex_lock (&self->registry.lock);
  entry = vtr_capture_registry_get_main_locked (&self->registry);
  if (entry != NULL && entry->has_device)
    self->program = g_strdup (entry->name);
  g_mutex_unlock (&self->registry.lock);
  return self->program != NULL ? self->program : _ ("The program");
}
