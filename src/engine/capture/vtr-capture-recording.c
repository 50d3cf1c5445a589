/* Creates the file of one recording, and completes or discards it at the end. */
#include "vtr-capture-recording.h"

#include "engine/capture/vtr-capture-journal.h"
#include "engine/format/vtr-trace-part.h"
#include "vtr-config.h"

#include <glib/gi18n-lib.h>

static void
recording_free (VtrCaptureRecording *self,
                gboolean             discard)
{
  if (self->writer != NULL)
    vtr_trace_writer_free (self->writer, discard);
  g_free (self->notice);
  g_free (self->origin);
  g_free (self);
}

/* Another capture of that name may have been interrupted. */
static char *
describe_left (const char     *path,
               VtrTraceWriter *writer)
{
  g_autofree char *usual = g_strconcat (path, ".part", NULL);
  VtrRecordingId id;

  if (g_str_equal (usual, vtr_trace_writer_get_part_path (writer)) ||
      !vtr_trace_part_read_recording (usual, &id))
    return NULL;
  return g_strdup_printf (_ ("“%s” is left from an interrupted capture and was not changed. "
                             "To complete it: vitrine-cli recover"),
                          usual);
}

/* Before the file is there: one that nothing names could not be recovered. */
VtrCaptureRecording *
vtr_capture_recording_new (const char        *path,
                           guint              nth,
                           VtrCaptureHeader  *header,
                           VtrCaptureRing    *ring,
                           GError           **error)
{
  VtrCaptureRecording *self = g_new0 (VtrCaptureRecording, 1);

  self->id = vtr_recording_id_new ();
  self->origin = g_strdup (path);
  vtr_capture_journal_set (&self->id, path, path);
  if (vtr_capture_ring_set_recording (ring, &self->id, path, path, error))
    self->writer = vtr_trace_writer_new_recording (path, &self->id, error);
  if (self->writer == NULL)
    {
      vtr_capture_ring_set_recording (ring, NULL, NULL, NULL, NULL);
      vtr_capture_journal_remove (&self->id);
      recording_free (self, FALSE);
      return NULL;
    }
  self->notice = describe_left (path, self->writer);
  self->trace.pid = header->pid;
  self->trace.nth = nth;
  vtr_capture_header_append (header, self->writer);
  vtr_trace_writer_set_ticket (self->writer, 1); /* the header counts for no record */
  /* The ring does not have it. Errors are kept by the writer. */
  vtr_trace_writer_flush (self->writer, TRUE, NULL);
  return self;
}

gboolean
vtr_capture_recording_set_path (VtrCaptureRecording  *self,
                                VtrCaptureRing       *ring,
                                const char           *path,
                                GError              **error)
{
  vtr_trace_writer_set_path (self->writer, path);
  vtr_capture_journal_set (&self->id, self->origin, path);
  return vtr_capture_ring_set_recording (ring, &self->id, self->origin, path, error);
}

/* Notices about files that other programs changed meanwhile. */
static char *
describe_names (VtrCaptureRecording *self,
                const char          *wanted)
{
  if (vtr_trace_writer_has_evaded (self->writer))
    return g_strdup_printf (_ ("Another program wrote “%s” in the meantime. The trace is in “%s”."),
                            wanted, self->trace.path);
  if (vtr_trace_writer_was_displaced (self->writer))
    return g_strdup_printf (_ ("Another program moved or replaced the unfinished file of “%s”. "
                               "The trace was saved anyway."),
                            self->trace.path);
  return NULL;
}

VtrCaptureTrace *
vtr_capture_recording_finish (VtrCaptureRecording  *self,
                              VtrCaptureHeader     *header,
                              char                **notice,
                              GError              **error)
{
  g_autofree char *wanted = g_strdup (vtr_trace_writer_get_path (self->writer));
  VtrCaptureTrace *trace = NULL;
  g_autoptr (GError) local = NULL;

  *notice = NULL;
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
  if (trace != NULL)
    *notice = describe_names (self, wanted);
  /* A recording that could not be completed is kept for a later start. */
  if (trace != NULL || local == NULL)
    vtr_capture_journal_remove (&self->id);
  recording_free (self, trace == NULL && local == NULL);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return trace;
}

void
vtr_capture_recording_discard (VtrCaptureRecording *self)
{
  if (self == NULL)
    return;
  vtr_capture_journal_remove (&self->id);
  recording_free (self, TRUE);
}
