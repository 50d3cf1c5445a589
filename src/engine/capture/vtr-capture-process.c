/* Follows one captured process: starts, triggers and stops its recordings, and lists the traces
 * they became. */
#include "engine/capture/vtr-capture-process-private.h"

#include "engine/capture/vtr-capture-options.h"

/* ---- What the layer says ---- */

guint32
vtr_capture_process_get_state (VtrCaptureProcess *self)
{
  return atomic_load_explicit (&self->ring->header->state, memory_order_acquire);
}

gboolean
vtr_capture_process_is_over (VtrCaptureProcess *self)
{
  if (vtr_capture_ring_is_lost (self->ring))
    return TRUE;
  switch (vtr_capture_process_get_state (self))
    {
    case VTR_RING_STATE_FULL:
    case VTR_RING_STATE_NO_SPACE:
    case VTR_RING_STATE_NO_MEMORY:
    case VTR_RING_STATE_THREADS:
    case VTR_RING_STATE_HOST_GONE:
      return TRUE;
    case VTR_RING_STATE_DONE:
      return self->plan.from_launch;
    default:
      return FALSE;
    }
}

/* ---- Flags and figures ---- */

void
vtr_capture_process_set_flag (VtrCaptureProcess *self,
                              gboolean          *flag)
{
  g_mutex_lock (&self->lock);
  *flag = TRUE;
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
}

gboolean
vtr_capture_process_get_flag (VtrCaptureProcess *self,
                              const gboolean    *flag)
{
  gboolean result;

  g_mutex_lock (&self->lock);
  result = *flag;
  g_mutex_unlock (&self->lock);
  return result;
}

/* ---- For others ---- */

static gboolean
set_up (VtrCaptureProcess  *self,
        GError            **error)
{
  VtrRingHeader *ring;

  self->ring = vtr_capture_ring_new (error);
  if (self->ring == NULL)
    return FALSE;
  ring = self->ring->header;
  memcpy (ring->apis, self->header.apis, sizeof ring->apis);
  atomic_store (&ring->frame_limit, (guint32)self->plan.n_frames);
  atomic_store (&ring->mode,
                self->plan.from_launch ? VTR_RING_MODE_RECORD : VTR_RING_MODE_IDLE);
  if (self->plan.from_launch && !vtr_capture_process_begin (self, 0, error))
    return FALSE;
  self->drain = vtr_capture_drain_new (ring, self->ring->size,
                                       self->recording ? self->recording->writer : NULL, error);
  if (self->drain == NULL)
    return FALSE;
  return !self->plan.at_frame || vtr_capture_process_begin (self, self->plan.frame, error);
}

VtrCaptureProcess *
vtr_capture_process_new (const char             *path,
                         const VtrCaptureHello  *hello,
                         char                  **arguments,
                         const VtrCapturePlan   *plan,
                         GError                **error)
{
  VtrCaptureProcess *self = g_new0 (VtrCaptureProcess, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  self->pid = hello->pid;
  self->plan = *plan;
  self->path = g_strdup (path);
  self->traces = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_capture_trace_free);
  self->notices = g_ptr_array_new_with_free_func (g_free);
  vtr_capture_header_init (&self->header, hello, arguments);
  if (!set_up (self, error))
    {
      vtr_capture_process_free (self);
      return NULL;
    }
  self->thread = g_thread_new ("drain", vtr_capture_process_run, self);
  return self;
}

void
vtr_capture_process_free (VtrCaptureProcess *self)
{
  if (self == NULL)
    return;
  if (self->thread != NULL)
    g_thread_join (self->thread);
  vtr_capture_recording_discard (self->recording);
  vtr_capture_drain_free (self->drain);
  vtr_capture_ring_free (self->ring, !self->keep_ring);
  vtr_capture_header_clear (&self->header);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->wake);
  g_clear_error (&self->error);
  g_clear_error (&self->declined);
  g_ptr_array_unref (self->traces);
  g_ptr_array_unref (self->notices);
  g_free (self->notice);
  g_free (self->path);
  g_free (self);
}

int
vtr_capture_process_get_ring_fd (VtrCaptureProcess *self)
{
  return self->ring->fd;
}

guint64
vtr_capture_process_get_ring_bytes (VtrCaptureProcess *self)
{
  return self->ring->size;
}

void
vtr_capture_process_get_counts (VtrCaptureProcess *self,
                                VtrCaptureCounts  *out)
{
  g_mutex_lock (&self->lock);
  *out = self->counts;
  g_mutex_unlock (&self->lock);
}

void
vtr_capture_process_set_path (VtrCaptureProcess *self,
                              const char        *path)
{
  g_mutex_lock (&self->lock);
  g_free (self->path);
  self->path = g_strdup (path);
  self->path_changed = TRUE;
  g_mutex_unlock (&self->lock);
}

gboolean
vtr_capture_process_trigger (VtrCaptureProcess *self)
{
  gboolean possible;

  g_mutex_lock (&self->lock);
  possible = !self->plan.from_launch && !self->recorded && !self->stopping && !self->hung_up;
  if (possible && !self->triggered)
    {
      self->triggered = TRUE;
      self->triggered_frame = 0;
    }
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
  return possible;
}

void
vtr_capture_process_stop (VtrCaptureProcess *self)
{
  vtr_capture_process_set_flag (self, &self->stopping);
}

void
vtr_capture_process_hang_up (VtrCaptureProcess *self)
{
  vtr_capture_process_set_flag (self, &self->hung_up);
}

void
vtr_capture_process_set_notice (VtrCaptureProcess *self,
                                const char        *text)
{
  g_mutex_lock (&self->lock);
  g_free (self->notice);
  self->notice = g_strdup (text);
  g_mutex_unlock (&self->lock);
}

gboolean
vtr_capture_process_is_recorded (VtrCaptureProcess *self)
{
  return vtr_capture_process_get_flag (self, &self->recorded) || vtr_capture_process_is_over (self);
}

gboolean
vtr_capture_process_is_complete (VtrCaptureProcess *self)
{
  return vtr_capture_process_get_flag (self, &self->complete);
}

GPtrArray *
vtr_capture_process_take_traces (VtrCaptureProcess *self)
{
  GPtrArray *traces;

  g_mutex_lock (&self->lock);
  traces = self->traces;
  self->traces = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_capture_trace_free);
  g_mutex_unlock (&self->lock);
  return traces;
}

GPtrArray *
vtr_capture_process_take_notices (VtrCaptureProcess *self)
{
  GPtrArray *notices;

  g_mutex_lock (&self->lock);
  notices = self->notices;
  self->notices = g_ptr_array_new_with_free_func (g_free);
  g_mutex_unlock (&self->lock);
  return notices;
}

GError *
vtr_capture_process_get_error (VtrCaptureProcess *self)
{
  GError *error;

  g_mutex_lock (&self->lock);
  error = self->error != NULL ? g_error_copy (self->error) : NULL;
  g_mutex_unlock (&self->lock);
  return error;
}
