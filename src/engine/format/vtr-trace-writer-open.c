/* Begins a trace, or continues one that was left unfinished. */
#include "engine/format/vtr-trace-writer-private.h"

#include "vtr-config.h"

#include "engine/format/vtr-trace-part.h"
#include "engine/format/vtr-trace-scan.h"
#include "wire/vtr-pack.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <unistd.h>

static VtrTraceWriter *
writer_alloc (const char *path,
              char       *part_path,
              int         fd)
{
  VtrTraceWriter *self = g_new0 (VtrTraceWriter, 1);

  self->path = g_strdup (path);
  vtr_trace_part_look (path, &self->target);
  self->part_path = part_path;
  self->fd = fd;
  self->zstd = ZSTD_createCCtx ();
  self->tables = vtr_trace_tables_new ();
  self->seek = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->next_ticket = self->written_ticket = 1;
  vtr_trace_resources_init (&self->resources);
  ZSTD_CCtx_setParameter (self->zstd, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter (self->zstd, ZSTD_c_compressionLevel, VTR_TRACE_LEVEL);
  return self;
}

static gboolean
write_front (VtrTraceWriter        *self,
             const VtrRecordingId  *recording,
             GError               **error)
{
  VtrTraceLongHead head = { { VTR_TRACE_HEAD_MAGIC, sizeof head - 8, VTR_TRACE_NAME,
                              VTR_TRACE_VERSION, 0 },
                            { 0 } };
  VtrTraceNote note = { .first_resource = 1, .next_ticket = 1 };
  gboolean good;
  int code;

  memcpy (head.recording, recording->bytes, sizeof head.recording);
  code = vtr_trace_writer_put (self->fd, &head, sizeof head, 0);
  if (code != 0)
    return vtr_trace_writer_fail (self, code, error);
  self->offset = self->front = sizeof head;
  vtr_trace_writer_add_seek_entry (self, sizeof head, 0);
  vtr_pack_write_header (&self->raw);
  vtr_trace_types_write (&self->raw, &self->tables->types);
  good = vtr_trace_writer_write_frame (self, VTR_TRACE_FRAME_DEFINITIONS, &self->raw, note, FALSE,
                                       error);
  vtr_buffer_clear (&self->raw);
  return good;
}

static gboolean
check_path (const char  *path,
            GError     **error)
{
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY,
               _ ("“%s” is a folder. Give the name of a file."), path);
  return FALSE;
}

static VtrTraceWriter *
begin (const char            *path,
       gboolean               hidden,
       const VtrRecordingId  *recording,
       GError               **error)
{
  VtrTraceWriter *self;
  char *part_path;
  int fd = check_path (path, error) ? vtr_trace_part_create (path, hidden, &part_path, error) : -1;

  if (fd < 0)
    return NULL;
  self = writer_alloc (path, part_path, fd);
  if (write_front (self, recording, error))
    return self;
  vtr_trace_writer_free (self, TRUE);
  return NULL;
}

/* The file gets its name after its head, so that every named file can be identified. */
VtrTraceWriter *
vtr_trace_writer_new_recording (const char            *path,
                                const VtrRecordingId  *recording,
                                GError               **error)
{
  VtrTraceWriter *self = begin (path, TRUE, recording, error);
  g_autoptr (GError) local = NULL;

  if (self == NULL || self->part_path != NULL ||
      vtr_trace_part_give_name (self->fd, path, &self->part_path, &local))
    return self;
  vtr_trace_writer_free (self, TRUE);
  if (g_error_matches (local, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED))
    return begin (path, FALSE, recording, error);
  g_propagate_error (error, g_steal_pointer (&local));
  return NULL;
}

VtrTraceWriter *
vtr_trace_writer_new (const char  *path,
                      GError     **error)
{
  VtrRecordingId recording = vtr_recording_id_new ();

  return vtr_trace_writer_new_recording (path, &recording, error);
}

VtrTraceWriter *
vtr_trace_writer_new_hidden (const char  *path,
                             GError     **error)
{
  VtrRecordingId recording = vtr_recording_id_new ();
  VtrTraceWriter *self = begin (path, TRUE, &recording, error);

  if (self != NULL)
    self->target.only = TRUE;
  return self;
}

/* Keeps the complete frames of a file; a truncated frame and the index are written again. */
static void
adopt_scan (VtrTraceWriter *self,
            VtrTraceScan   *scan)
{
  guint n_frames = 0;

  vtr_trace_tables_free (self->tables);
  self->tables = g_steal_pointer (&scan->tables);
  self->tables->n_resources = 0;
  self->pending = g_array_ref (scan->pending);
  vtr_trace_writer_add_seek_entry (self, self->front, 0);
  self->offset = self->front;
  for (; n_frames < self->tables->frames->len; n_frames++)
    {
      const VtrTraceFrame *frame = &g_array_index (self->tables->frames, VtrTraceFrame, n_frames);
      const VtrTraceNote *note = &frame->note;

      if (note->kind == VTR_TRACE_FRAME_INDEX || frame->offset + note->compressed_size > scan->end)
        break;
      vtr_trace_writer_add_seek_entry (self, sizeof (VtrTraceNoteFrame), 0);
      vtr_trace_writer_add_seek_entry (self, note->compressed_size, note->raw_size);
      self->offset = frame->offset + note->compressed_size;
      self->next_ticket = note->next_ticket;
      self->ticket_items = note->ticket_items;
      self->tables->n_resources = note->first_resource + note->n_resources - 1;
    }
  vtr_trace_tables_truncate (self->tables, n_frames);
}

static VtrTraceWriter *
resume (const char  *path,
        char        *part_path,
        int          fd,
        GError     **error)
{
  VtrTraceWriter *self = writer_alloc (path, part_path, fd);
  VtrTraceTypePlaces places;
  g_autoptr (VtrTraceScan) scan =
    vtr_trace_scan_file (fd, part_path != NULL ? part_path : path, NULL, NULL, NULL, error);

  if (scan != NULL && !vtr_trace_types_are_ours (scan->types, &places))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                   _ ("“%s” was started by another version of Vitrine and cannot be continued."),
                   path);
      g_clear_pointer (&scan, vtr_trace_scan_free);
    }
  if (scan == NULL)
    {
      vtr_trace_writer_free (self, FALSE);
      return NULL;
    }

  self->front = scan->front;
  adopt_scan (self, scan);
  self->tables->types = places;
  self->written_ticket = self->next_ticket;
  self->written_items = self->ticket_items;
  self->first_command = self->tables->ids->len;
  self->resources.n = self->tables->n_resources;
  self->resources.first_raw = self->resources.n + 1;
  if (ftruncate (fd, (off_t)self->offset) != 0)
    g_debug ("truncating: %s", g_strerror (errno));
  return self;
}

VtrTraceWriter *
vtr_trace_writer_resume (const char            *part_path,
                         const char            *path,
                         const VtrRecordingId  *recording,
                         GError               **error)
{
  int fd = vtr_trace_part_open (part_path, recording, error);
  VtrTraceWriter *self = fd < 0 ? NULL : resume (path, g_strdup (part_path), fd, error);

  if (self != NULL)
    self->keep = TRUE;
  return self;
}
