/* Ends a trace: writes its index and seek table, and renames the file. */
#include "engine/format/vtr-trace-writer-private.h"

#include "vtr-config.h"

#include "engine/format/vtr-trace-part.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-ring.h"
#include "wire/vtr-pack.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <sys/stat.h>
#include <unistd.h>

/* After a failure: forgets what did not reach the disk. */
static void
drop_unwritten (VtrTraceWriter *self)
{
  vtr_trace_tables_truncate (self->tables, self->tables->frames->len);
  vtr_buffer_clear (&self->raw);
  self->resources.n = self->resources.first_raw - 1;
  vtr_trace_resources_flushed (&self->resources);
}

/* Says in the file why it ends early. Uses the room that was kept for the end. */
static void
write_reason (VtrTraceWriter *self,
              const GError   *reason)
{
  gboolean space = g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  VtrTracePosition position = VTR_TRACE_POSITION (self->tables->frames->len, 0);
  VtrTraceNote note = vtr_trace_writer_make_note (self);
  VtrBuffer message = { 0 };

  note.first_command = self->tables->ids->len;
  vtr_pack_append_varint (&message, VTR_STOPPED_STATE,
                          space ? VTR_RING_STATE_NO_SPACE : VTR_RING_STATE_NOT_WRITTEN);
  vtr_buffer_clear (&self->raw);
  vtr_pack_write_object (&self->raw, vtr_trace_types_get_object (VTR_OBJECT_STOPPED), message.data,
                         message.size);
  if (vtr_trace_writer_write_frame (self, VTR_TRACE_FRAME_COMMANDS, &self->raw, note, TRUE, NULL))
    vtr_trace_tables_add_mark (self->tables->objects, self->tables->ids->len, position,
                               VTR_OBJECT_STOPPED);
  g_clear_error (&self->failure);
  vtr_buffer_finish (&message);
  vtr_buffer_clear (&self->raw);
}

static gboolean
write_index (VtrTraceWriter  *self,
             GError         **error)
{
  VtrBuffer message = { 0 };
  VtrTraceNote note = vtr_trace_writer_make_note (self);
  gboolean good;

  self->tables->n_resources = self->resources.n;
  vtr_trace_tables_complete (self->tables);
  vtr_trace_tables_encode (self->tables, &message);
  vtr_buffer_clear (&self->raw);
  vtr_pack_write_object (&self->raw, vtr_trace_types_get_object (VTR_OBJECT_INDEX), message.data,
                         message.size);
  self->raw.failed |= message.failed;
  vtr_buffer_finish (&message);
  good = vtr_trace_writer_write_frame (self, VTR_TRACE_FRAME_INDEX, &self->raw, note, TRUE, error);
  vtr_buffer_clear (&self->raw);
  return good;
}

static gboolean
write_seek_table (VtrTraceWriter  *self,
                  GError         **error)
{
  VtrBuffer table = { 0 };
  guint n = self->seek->len / 2;
  int code;

  vtr_buffer_append_u32 (&table, VTR_TRACE_SEEK_MAGIC);
  vtr_buffer_append_u32 (&table, n * 8 + VTR_TRACE_SEEK_FOOTER_SIZE);
  vtr_buffer_append (&table, self->seek->data, (gsize)n * 8);
  vtr_buffer_append_u32 (&table, n);
  vtr_buffer_append_u8 (&table, 0); /* no checksums here: every frame has its own */
  vtr_buffer_append_u32 (&table, VTR_TRACE_SEEK_FOOTER);
  code = table.failed
           ? ENOMEM
           : vtr_trace_writer_put (self->fd, table.data, table.size, self->offset);
  if (code == 0)
    self->offset += table.size;
  vtr_buffer_finish (&table);
  return code == 0 || vtr_trace_writer_fail (self, code, error);
}

/* Whether the file still is what was written: the head, and a note in front of every frame. */
static gboolean
is_intact (VtrTraceWriter *self)
{
  const GArray *frames = self->tables->frames;
  VtrTraceNoteFrame there;
  char magic[sizeof VTR_TRACE_NAME];
  struct stat info;

  if (fstat (self->fd, &info) != 0 || (guint64)info.st_size != self->offset ||
      pread (self->fd, magic, sizeof magic, 8) != sizeof magic ||
      memcmp (magic, VTR_TRACE_NAME, sizeof magic) != 0)
    return FALSE;
  for (guint i = 0; i < frames->len; i++)
    {
      const VtrTraceFrame *frame = &g_array_index (frames, VtrTraceFrame, i);

      /* An index without its seek table is cut off. */
      if (frame->offset >= self->offset)
        break;
      if (pread (self->fd, &there, sizeof there, (off_t)(frame->offset - sizeof there)) !=
            sizeof there ||
          memcmp (&there.note, &frame->note, sizeof there.note) != 0)
        return FALSE;
    }
  return TRUE;
}

static gboolean
move_into_place (VtrTraceWriter  *self,
                 GError         **error)
{
  char *placed = NULL;

  /* Gives back the reserve, and whatever an incomplete write left. */
  if (ftruncate (self->fd, (off_t)self->offset) != 0)
    return vtr_trace_writer_fail (self, errno, error);
  if (fsync (self->fd) != 0 && errno != EINVAL && errno != EROFS)
    return vtr_trace_writer_fail (self, errno, error);
  if (!is_intact (self))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                   _ ("Another program wrote to “%s” during recording, so the trace is damaged. "
                      "Capture again under another name."),
                   self->path);
      return FALSE;
    }
  if (!vtr_trace_part_place (self->fd, self->part_path, self->path,
                             self->keep ? NULL : &self->target, &placed, &self->displaced, error))
    return FALSE;
  self->evaded = !g_str_equal (placed, self->path);
  g_free (self->path);
  self->path = placed;
  self->placed = TRUE;
  return TRUE;
}

gboolean
vtr_trace_writer_is_placed (VtrTraceWriter *self)
{
  return self->placed;
}

gboolean
vtr_trace_writer_has_evaded (VtrTraceWriter *self)
{
  return self->evaded;
}

gboolean
vtr_trace_writer_was_displaced (VtrTraceWriter *self)
{
  return self->displaced;
}

gboolean
vtr_trace_writer_finish (VtrTraceWriter  *self,
                         GError         **error)
{
  g_autoptr (GError) first = NULL, ignored = NULL;
  guint64 end;

  if (self->failure != NULL || !vtr_trace_writer_close_frame (self, &first))
    {
      if (first == NULL)
        first = g_error_copy (self->failure);
      g_clear_error (&self->failure);
      drop_unwritten (self);
      /* A trace without calls is not kept. Its data can be completed later when there is room. */
      if (self->tables->ids->len == 0)
        {
          g_propagate_error (error, g_steal_pointer (&first));
          return FALSE;
        }
      write_reason (self, first);
    }

  /* Without its index the file still opens: readers scan it. */
  end = self->offset;
  if (!write_index (self, first == NULL ? &first : &ignored) ||
      !write_seek_table (self, first == NULL ? &first : &ignored))
    {
      g_clear_error (&self->failure);
      self->offset = end;
    }
  g_clear_error (&ignored);
  if (!move_into_place (self, first == NULL ? &first : &ignored) || first != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&first));
      return FALSE;
    }
  return TRUE;
}
