/* Completing what dead captures left: rings, and ".part" files beside them. */
#include "vtr-capture-session.h"

#include "engine/capture/vtr-capture-drain.h"
#include "engine/capture/vtr-capture-journal.h"
#include "engine/capture/vtr-capture-ring.h"
#include "engine/capture/vtr-capture-socket.h"
#include "engine/format/vtr-trace-part.h"
#include "engine/format/vtr-trace.h"
#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>

#define BATCH 65536
/* A program that outlived its host sees the broken connection and stops; this long it may still
 * be inside a call. */
#define SETTLE_US (100 * 1000)

static gboolean
drain_ring (VtrCaptureRing  *ring,
            VtrTraceWriter  *writer,
            GError         **error)
{
  VtrCaptureDrain *drain = vtr_capture_drain_new (ring->header, ring->size, writer, error);
  gboolean done = drain != NULL;
  guint taken = 1;
  guint32 request = atomic_load (&ring->header->trigger_request);

  /* Nothing of a recording from the middle of the run is in the file yet: its beginning is still
   * in the ring, or it never began. */
  if (done && request != 0 && vtr_trace_writer_get_n_commands (writer) == 0)
    done = vtr_capture_drain_expect (drain, writer, request, error);
  while (done && taken > 0)
    done = vtr_capture_drain_run (drain, TRUE, BATCH, &taken, error);
  done = done && vtr_capture_drain_unfinished (drain, error);
  vtr_capture_drain_free (drain);
  return done;
}

/* Whether what was begun has all that its frames need. */
static gboolean
is_whole (VtrRingHeader *header)
{
  return atomic_load (&header->trigger_request) == 0 ||
         atomic_load (&header->trigger_begun) == atomic_load (&header->trigger_request);
}

/* The unfinished file; or a new one when it holds nothing that can be continued, and a ring
 * does. */
static VtrTraceWriter *
open_writer (const char            *part,
             const char            *trace,
             const VtrRecordingId  *id,
             gboolean               has_ring,
             GError               **error)
{
  g_autoptr (GError) local = NULL;
  VtrTraceWriter *writer = vtr_trace_writer_resume (part, trace, id, &local);
  VtrRecordingId found;

  if (writer != NULL)
    return writer;
  if (local->domain != VTR_TRACE_ERROR || !has_ring)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }
  writer = vtr_trace_writer_new_recording (trace, id, error);
  if (writer == NULL)
    return NULL;
  vtr_trace_writer_set_keep (writer, TRUE);
  if (vtr_trace_part_read_recording (part, &found) && vtr_recording_id_equal (&found, id))
    g_unlink (part);
  return writer;
}

/* @ring: (nullable). Returns: the path of the completed trace, NULL when there was nothing to keep
 * (or, with @error, it failed). */
static char *
complete (const char            *part,
          const char            *trace,
          const VtrRecordingId  *id,
          VtrCaptureRing        *ring,
          GError               **error)
{
  VtrTraceWriter *writer = open_writer (part, trace, id, ring != NULL, error);
  gboolean done, whole;
  char *result = NULL;

  if (writer == NULL)
    return NULL;
  whole = ring == NULL || is_whole (ring->header);
  done = ring == NULL || drain_ring (ring, writer, error);
  if (done && whole && vtr_trace_writer_get_n_commands (writer) > 0)
    {
      done = vtr_trace_writer_finish (writer, error);
      if (done)
        result = g_strdup (vtr_trace_writer_get_path (writer));
    }
  if (done)
    vtr_capture_journal_remove (id);
  vtr_trace_writer_free (writer, done && result == NULL);
  return result;
}

static char *
complete_ring (VtrCaptureRing  *ring,
               GError         **error)
{
  g_autoptr (VtrCaptureNote) note = vtr_capture_ring_dup_recording (ring);
  g_autofree char *part = note != NULL ? vtr_trace_part_find (note->part, &note->id) : NULL;

  if (part == NULL)
    return NULL;
  atomic_store (&ring->header->mode, VTR_RING_MODE_OFF);
  g_usleep (SETTLE_US);
  return complete (part, note->trace, &note->id, ring, error);
}

static gboolean
recover_ring (const char    *path,
              GStrvBuilder  *recovered,
              GError       **error)
{
  GError *local = NULL;
  VtrCaptureRing *ring = vtr_capture_ring_adopt (path, &local);
  char *result;
  gboolean missing;

  if (ring == NULL)
    {
      if (local == NULL)
        return TRUE;
      g_propagate_error (error, local);
      return FALSE;
    }
  result = complete_ring (ring, &local);
  /* Its ".part" is gone: somebody has removed the recording; nothing can be completed. */
  missing = g_error_matches (local, G_IO_ERROR, G_IO_ERROR_NOT_FOUND) ||
            g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  if (missing)
    g_clear_error (&local);
  vtr_capture_ring_free (ring, local == NULL);
  if (result != NULL)
    g_strv_builder_add (recovered, result);
  g_free (result);
  if (local != NULL)
    {
      g_propagate_error (error, local);
      return FALSE;
    }
  return TRUE;
}

/* Half files without a ring: the computer was restarted. What is being written is locked. */
static void
recover_parts (const char   *folder,
               GStrvBuilder *recovered)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *part = g_build_filename (folder, name, NULL);
      g_autofree char *path = vtr_trace_part_get_trace_path (part);
      g_autofree char *result = NULL;
      VtrRecordingId id;

      if (path == NULL || !g_str_has_suffix (path, ".gfxtrace") ||
          !vtr_trace_part_read_recording (part, &id))
        continue;
      result = complete (part, path, &id, NULL, NULL);
      if (result != NULL)
        g_strv_builder_add (recovered, result);
    }
}

char **
vtr_capture_recover (GError **error)
{
  g_autofree char *folder = vtr_capture_ring_get_folder (error);
  g_autofree char *here = g_get_current_dir ();
  g_autoptr (GStrvBuilder) recovered = g_strv_builder_new ();
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (folder == NULL)
    return NULL;
  vtr_capture_socket_clean (folder);
  vtr_capture_ring_clean (folder);
  dir = g_dir_open (folder, 0, error);
  if (dir == NULL)
    return NULL;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (GError) local = NULL;

      if (!g_str_has_suffix (name, ".ring"))
        continue;
      if (!recover_ring (path, recovered, &local))
        {
          /* One that fails must not keep the others from being completed. */
          g_message (_ ("“%s” could not be completed: %s"), path, local->message);
        }
    }
  /* Where traces go when nobody says where (vtr_capture_default_output). */
  recover_parts (here, recovered);
  if (!g_str_equal (here, g_get_home_dir ()))
    recover_parts (g_get_home_dir (), recovered);
  return g_strv_builder_end (recovered);
}
