/* Completes the traces of captures that were interrupted, from their rings and unfinished files. */
#include "vtr-capture-recover.h"

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
/* A recording is in the journal before its file is there. */
#define NEW_US (60 * G_USEC_PER_SEC)
/* How long a ring waits for an unfinished file that was moved away. */
#define WAIT_SECONDS (24 * 60 * 60)

typedef struct
{
  GStrvBuilder *paths;
  GPtrArray *notices;
  guint n_failed;
} Recovery;

/* Whether what was begun has all that its frames need. */
static gboolean
is_whole (VtrRingHeader *header)
{
  return atomic_load (&header->trigger_request) == 0 ||
         atomic_load (&header->trigger_begun) == atomic_load (&header->trigger_request);
}

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
  if (done && request != 0 && is_whole (ring->header) &&
      atomic_load (&ring->header->trigger_filled) != request)
    done = vtr_capture_drain_tell_unfilled (drain, error);
  vtr_capture_drain_free (drain);
  return done;
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

/* @ring: (nullable). @named: by the user: it stays where there is nothing to complete. Returns: the
 * path of the completed trace, NULL when there was nothing to keep (or, with @error, it failed). */
static char *
complete (const char            *part,
          const char            *trace,
          const VtrRecordingId  *id,
          VtrCaptureRing        *ring,
          gboolean               named,
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
      /* After a death from here on, the ring is of no use, wherever the trace has been taken. */
      if (ring != NULL)
        ring->header->all_written = vtr_trace_writer_flush (writer, TRUE, NULL);
      done = vtr_trace_writer_finish (writer, error);
      if (done)
        result = g_strdup (vtr_trace_writer_get_path (writer));
    }
  else if (done && named)
    {
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_EMPTY, _ ("It contains no calls."));
      done = FALSE;
    }
  vtr_trace_writer_free (writer, done && result == NULL);
  return result;
}

/* Handles the result of complete (). Returns: whether the recording needs no further recovery. */
static gboolean
settle (Recovery             *self,
        const char           *trace,
        const VtrRecordingId *id,
        char                 *result,
        GError               *error)
{
  g_autofree char *path = result;
  g_autoptr (GError) local = error;

  if (local == NULL)
    {
      vtr_capture_journal_remove (id);
      if (path != NULL)
        g_strv_builder_add (self->paths, path);
      return TRUE;
    }
  /* Its host lives after all. */
  if (g_error_matches (local, G_IO_ERROR, G_IO_ERROR_BUSY))
    return FALSE;
  self->n_failed++;
  g_ptr_array_add (self->notices, g_strdup_printf (_ ("“%s” could not be completed: %s"), trace,
                                                   local->message));
  return FALSE;
}

/* Whether the trace was completed before the host died. */
static gboolean
is_finished (const VtrCaptureNote *note)
{
  VtrRecordingId found;

  return !vtr_recording_id_is_none (&note->id) &&
         vtr_trace_part_read_recording (note->trace, &found) &&
         vtr_recording_id_equal (&found, &note->id);
}

/* Whether the folder of the unfinished file is there, on whatever disk. */
static gboolean
has_folder (const VtrCaptureNote *note)
{
  g_autofree char *folder = g_path_get_dirname (note->part);

  return g_file_test (folder, G_FILE_TEST_IS_DIR);
}

/* ---- Rings ---- */

/* Whether the ring has nothing that is not in the file: the host died when it had written all, or
 * before the program, or the layer, heard of it. */
static gboolean
is_empty (VtrRingHeader *header)
{
  guint32 request = atomic_load (&header->trigger_request);

  if (header->all_written)
    return TRUE;
  if (request > 0)
    return atomic_load (&header->trigger_done) == request;
  return atomic_load (&header->mode) == VTR_RING_MODE_IDLE ||
         atomic_load (&header->next_ticket) <= 1;
}

/* The unfinished file was moved or removed. The ring has the last calls, and is kept for a while.
 * Returns: whether it has waited long enough. */
static gboolean
lament (Recovery             *self,
        VtrCaptureRing       *ring,
        const VtrCaptureNote *note)
{
  GStatBuf info;

  if (has_folder (note) && g_stat (ring->path, &info) == 0 &&
      g_get_real_time () / G_USEC_PER_SEC - info.st_mtime > WAIT_SECONDS)
    {
      vtr_capture_journal_remove (&note->id);
      return TRUE;
    }
  self->n_failed++;
  g_ptr_array_add (self->notices,
                   g_strdup_printf (_ ("“%s” cannot be completed: its unfinished file is not where "
                                       "it was. If you have it: vitrine-cli recover FILE"),
                                    note->trace));
  return FALSE;
}

/* @part: (nullable): the unfinished file, where it is known. Frees @ring. */
static void
recover_ring (Recovery             *self,
              VtrCaptureRing       *ring,
              const VtrCaptureNote *note,
              const char           *known_part)
{
  gboolean finished = known_part == NULL && is_finished (note);
  g_autofree char *part = known_part != NULL ? g_strdup (known_part)
                          : finished         ? NULL
                                             : vtr_trace_part_find (note->part, &note->id);
  gboolean over = TRUE;

  if (part != NULL)
    {
      GError *error = NULL;
      char *result;

      atomic_store (&ring->header->mode, VTR_RING_MODE_OFF);
      g_usleep (SETTLE_US);
      result = complete (part, note->trace, &note->id, ring, known_part != NULL, &error);
      over = settle (self, note->trace, &note->id, result, error);
    }
  else if (finished || is_empty (ring->header))
    vtr_capture_journal_remove (&note->id);
  else
    over = lament (self, ring, note);
  vtr_capture_ring_free (ring, over);
}

/* @only: (nullable): the recording that is wanted, in the file @part. Returns: whether a ring named
 * it. */
static gboolean
recover_rings (Recovery             *self,
               const char           *folder,
               const VtrCaptureNote *only,
               const char           *part)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  gboolean named = FALSE;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (VtrCaptureNote) note = NULL;
      g_autoptr (GError) error = NULL;
      VtrCaptureRing *ring;

      if (!g_str_has_suffix (name, ".ring"))
        continue;
      ring = vtr_capture_ring_adopt (path, &error);
      if (error != NULL)
        {
          self->n_failed++;
          g_ptr_array_add (self->notices, g_strdup (error->message));
        }
      if (ring == NULL)
        continue;
      note = vtr_capture_ring_dup_recording (ring);
      if (only == NULL && note != NULL)
        recover_ring (self, ring, note, NULL);
      else if (only != NULL && note != NULL && vtr_recording_id_equal (&only->id, &note->id))
        {
          named = TRUE;
          recover_ring (self, ring, only, part);
        }
      else
        vtr_capture_ring_free (ring, only == NULL);
    }
  return named;
}

/* ---- The journal ---- */

/* Whether a ring in @folder has calls of the recording that the file lacks: it is completed from
 * there, or by the host that lives. */
static gboolean
has_ring (const char           *folder,
          const VtrRecordingId *id)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (VtrCaptureNote) note = NULL;

      if (g_str_has_suffix (name, ".lock"))
        note = vtr_capture_ring_peek_recording (path);
      if (note != NULL && vtr_recording_id_equal (&note->id, id))
        return TRUE;
    }
  return FALSE;
}

/* Unfinished files without a ring: the computer was restarted. */
static void
recover_journal (Recovery   *self,
                 const char *folder)
{
  g_autoptr (GPtrArray) notes = vtr_capture_journal_list ();

  for (guint i = 0; i < notes->len; i++)
    {
      const VtrCaptureNote *note = g_ptr_array_index (notes, i);
      g_autofree char *part = vtr_trace_part_find (note->part, &note->id);
      GError *error = NULL;
      char *result;

      if (has_ring (folder, &note->id))
        continue;
      if (is_finished (note))
        vtr_capture_journal_remove (&note->id);
      else if (part != NULL)
        {
          result = complete (part, note->trace, &note->id, NULL, FALSE, &error);
          settle (self, note->trace, &note->id, result, error);
        }
      else if (has_folder (note) && vtr_capture_journal_get_age (&note->id) > NEW_US)
        vtr_capture_journal_remove (&note->id);
    }
}

/* ---- Both ---- */

static VtrCaptureRecovery *
make_result (Recovery *self)
{
  VtrCaptureRecovery *result = g_new0 (VtrCaptureRecovery, 1);

  result->paths = g_strv_builder_end (self->paths);
  result->notices = self->notices;
  result->n_failed = self->n_failed;
  g_strv_builder_unref (self->paths);
  return result;
}

void
vtr_capture_recovery_free (VtrCaptureRecovery *self)
{
  if (self == NULL)
    return;
  g_strfreev (self->paths);
  g_ptr_array_unref (self->notices);
  g_free (self);
}

VtrCaptureRecovery *
vtr_capture_recover (GError **error)
{
  g_autofree char *folder = vtr_capture_ring_get_folder (error);
  Recovery self;

  if (folder == NULL)
    return NULL;
  self = (Recovery){ g_strv_builder_new (), g_ptr_array_new_with_free_func (g_free), 0 };
  vtr_capture_socket_clean (folder);
  vtr_capture_ring_clean (folder);
  recover_rings (&self, folder, NULL, NULL);
  recover_journal (&self, folder);
  return make_result (&self);
}

static void
recover_file (Recovery   *self,
              const char *folder,
              const char *file)
{
  VtrCaptureNote note = { .part = (char *)file,
                          .trace = vtr_trace_part_get_trace_path (file) };
  GError *error = NULL;
  char *result;

  if (note.trace == NULL)
    {
      self->n_failed++;
      g_ptr_array_add (self->notices,
                       g_strdup_printf (_ ("“%s” is not the name of an unfinished trace. The "
                                           "name must end in “.part”."),
                                        file));
    }
  else if (!vtr_trace_part_read_recording (file, &note.id))
    {
      self->n_failed++;
      g_ptr_array_add (self->notices,
                       g_strdup_printf (_ ("“%s” is not an unfinished Vitrine trace."), file));
    }
  else if (vtr_recording_id_is_none (&note.id) || !recover_rings (self, folder, &note, file))
    {
      if (!vtr_recording_id_is_none (&note.id) && has_ring (folder, &note.id))
        g_set_error (&error, G_IO_ERROR, G_IO_ERROR_PENDING,
                     _ ("“%s” is being written by another Vitrine."), note.trace);
      result = error == NULL ? complete (file, note.trace, &note.id, NULL, TRUE, &error) : NULL;
      settle (self, note.trace, &note.id, result, error);
    }
  g_free (note.trace);
}

VtrCaptureRecovery *
vtr_capture_recover_files (const char *const *files,
                           GError           **error)
{
  g_autofree char *folder = vtr_capture_ring_get_folder (error);
  Recovery self;

  if (folder == NULL)
    return NULL;
  self = (Recovery){ g_strv_builder_new (), g_ptr_array_new_with_free_func (g_free), 0 };
  for (; *files != NULL; files++)
    recover_file (&self, folder, *files);
  return make_result (&self);
}
