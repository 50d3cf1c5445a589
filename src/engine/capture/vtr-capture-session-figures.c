/* Describes the progress of a running capture: counts, processes, and the steps that the program
 * has reached. */
#include "engine/capture/vtr-capture-session-private.h"

/* Counts come from the ring during the capture, and from the traces afterwards, which may have been
 * trimmed. */
static void
sum_traces (VtrCaptureSession *self,
            VtrCaptureStats   *out)
{
  out->frames = out->commands = out->draws = out->bytes = out->current_frames = 0;
  for (guint i = 0; i < self->traces->len; i++)
    {
      const VtrCaptureTrace *trace = g_ptr_array_index (self->traces, i);

      if ((GPid)trace->pid != out->pid)
        continue;
      out->frames += trace->frames;
      out->commands += trace->commands;
      out->draws += trace->draws;
      out->bytes += trace->bytes;
    }
}

void
vtr_capture_session_get_stats (VtrCaptureSession *self,
                               VtrCaptureStats   *out)
{
  VtrCaptureCounts counts = { 0 };
  VtrCaptureEntry *entry;

  *out = (VtrCaptureStats){ .state = self->state, .pid = self->group };
  g_mutex_lock (&self->registry.lock);
  entry = vtr_capture_registry_get_main_locked (&self->registry);
  if (entry != NULL)
    {
      vtr_capture_process_get_counts (entry->process, &counts);
      out->pid = (GPid)entry->pid;
    }
  out->n_processes = self->registry.entries->len;
  out->n_missed = self->registry.n_missed;
  g_mutex_unlock (&self->registry.lock);
  out->presented = counts.presented;
  out->frames = counts.frames;
  out->commands = counts.commands;
  out->draws = counts.draws;
  out->bytes = counts.bytes;
  out->current_frames = counts.current_frames;
  out->n_captures = self->traces->len;
  out->frames_per_second = self->rate;
  out->elapsed = g_get_monotonic_time () - self->registry.start;
  if (self->state >= VTR_CAPTURE_STATE_DONE)
    sum_traces (self, out);
}

static VtrCaptureProcessState
get_process_state (VtrCaptureSession     *self,
                   const VtrCaptureEntry *entry)
{
  VtrCaptureCounts counts;

  if (entry->missed)
    return VTR_CAPTURE_PROCESS_MISSED;
  if (entry->process == NULL)
    return entry->coming ? VTR_CAPTURE_PROCESS_IDLE : VTR_CAPTURE_PROCESS_PASSED_OVER;
  vtr_capture_process_get_counts (entry->process, &counts);
  if (entry->gone)
    return VTR_CAPTURE_PROCESS_ENDED;
  if (vtr_capture_process_is_recorded (entry->process))
    return VTR_CAPTURE_PROCESS_RECORDED;
  return self->registry.plan.from_launch || counts.recording ? VTR_CAPTURE_PROCESS_RECORDING
                                                             : VTR_CAPTURE_PROCESS_IDLE;
}

static void
process_info_free (gpointer data)
{
  VtrCaptureProcessInfo *info = data;

  g_free (info->name);
  g_free (info);
}

GPtrArray *
vtr_capture_session_list_processes (VtrCaptureSession *self)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (process_info_free);

  g_mutex_lock (&self->registry.lock);
  for (guint i = 0; i < self->registry.entries->len; i++)
    {
      const VtrCaptureEntry *entry = g_ptr_array_index (self->registry.entries, i);
      VtrCaptureProcessInfo *info = g_new0 (VtrCaptureProcessInfo, 1);
      VtrCaptureCounts counts = { 0 };

      if (entry->process != NULL)
        vtr_capture_process_get_counts (entry->process, &counts);
      info->pid = entry->pid;
      info->parent_pid = entry->parent_pid;
      info->name = g_strdup (entry->name);
      info->state = get_process_state (self, entry);
      info->has_device = entry->has_device;
      info->presented = counts.presented;
      g_ptr_array_add (list, info);
    }
  g_mutex_unlock (&self->registry.lock);
  return list;
}

void
vtr_capture_session_get_rung (VtrCaptureSession  *self,
                              guint               rung,
                              VtrCaptureRungInfo *out)
{
  VtrCaptureRegistry *registry = &self->registry;

  g_return_if_fail (rung < VTR_CAPTURE_N_RUNGS);

  g_mutex_lock (&registry->lock);
  out->state = registry->rungs[rung].state;
  out->time = registry->rungs[rung].time;
  /* Interned: the answer outlives a rung that is tried again. */
  out->fact =
    registry->rungs[rung].fact != NULL ? g_intern_string (registry->rungs[rung].fact) : "";
  g_mutex_unlock (&registry->lock);
}
