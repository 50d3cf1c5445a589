#include "vtr-capture-recording.h"

VtrCaptureTrace *
vtr_capture_trace_copy (const VtrCaptureTrace *self)
{
  VtrCaptureTrace *copy = g_memdup2 (self, sizeof *self);

  copy->path = g_strdup (self->path);
  return copy;
}

void
vtr_capture_trace_free (VtrCaptureTrace *self)
{
  if (self == NULL)
    return;
  g_free (self->path);
  g_free (self);
}

VtrCaptureRecording *
vtr_capture_recording_new (const char        *path,
                           guint              nth,
                           VtrCaptureHeader  *header,
                           GError           **error)
{
  VtrTraceWriter *writer = vtr_trace_writer_new (path, error);
  VtrCaptureRecording *self;

  if (writer == NULL)
    return NULL;
  self = g_new0 (VtrCaptureRecording, 1);
  self->writer = writer;
  self->trace.pid = header->pid;
  self->trace.nth = nth;
  vtr_capture_header_append (header, writer);
  vtr_trace_writer_set_ticket (writer, 1); /* the header counts for no record */
  return self;
}

void
vtr_capture_recording_set_path (VtrCaptureRecording *self,
                                const char          *path)
{
  vtr_trace_writer_set_path (self->writer, path);
}

VtrCaptureTrace *
vtr_capture_recording_finish (VtrCaptureRecording  *self,
                              VtrCaptureHeader     *header,
                              GError              **error)
{
  VtrCaptureTrace *trace = NULL;
  g_autoptr (GError) local = NULL;

  if (vtr_trace_writer_get_n_commands (self->writer) > 0)
    {
      vtr_capture_header_append (header, self->writer);
      vtr_trace_writer_finish (self->writer, &local);
      if (vtr_trace_writer_is_placed (self->writer))
        {
          self->trace.path = g_strdup (vtr_trace_writer_get_path (self->writer));
          self->trace.commands = vtr_trace_writer_get_n_commands (self->writer);
          self->trace.bytes = vtr_trace_writer_get_bytes (self->writer);
          trace = g_memdup2 (&self->trace, sizeof self->trace);
        }
    }
  /* What could not be completed stays for a later start. */
  vtr_trace_writer_free (self->writer, trace == NULL && local == NULL);
  g_free (self);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return trace;
}

void
vtr_capture_recording_discard (VtrCaptureRecording *self)
{
  if (self == NULL)
    return;
  vtr_trace_writer_free (self->writer, TRUE);
  g_free (self);
}
