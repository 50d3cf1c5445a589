/* Compresses and writes the frames of a trace; each is on disk before anything depends on it. */
#include "engine/format/vtr-trace-writer-private.h"

#include "vtr-config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <sys/statvfs.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

/* Room kept behind the end of the file so that the index fits even when the disk is full. */
#define RESERVE_BYTES (8u * 1024u)
#define RESERVE_PER_COMMAND 4

gboolean
vtr_trace_writer_fail (VtrTraceWriter  *self,
                       int              code,
                       GError         **error)
{
  if (self->failure == NULL)
    {
      struct statvfs disk;

      if (code == ENOSPC && fstatvfs (self->fd, &disk) == 0)
        {
          g_autofree char *room = g_format_size ((guint64)disk.f_bavail * disk.f_frsize);

          g_set_error (&self->failure, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                       _ ("There is not enough space left to write “%s” (%s free)."), self->path,
                       room);
        }
      else if (code == ENOSPC || code == EDQUOT || code == EFBIG)
        g_set_error (&self->failure, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                     _ ("There is no space left to write “%s”."), self->path);
      else
        g_set_error (&self->failure, G_IO_ERROR, g_io_error_from_errno (code),
                     _ ("Writing “%s” failed: %s."), self->path, g_strerror (code));
    }
  if (error != NULL && *error == NULL)
    *error = g_error_copy (self->failure);
  return FALSE;
}

int
vtr_trace_writer_put (int         fd,
                      const void *data,
                      gsize       size,
                      guint64     offset)
{
  const guint8 *at = data;

  while (size > 0)
    {
      gssize n = pwrite (fd, at, MIN (size, G_MAXINT32), (off_t)offset);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return n < 0 ? errno : ENOSPC;
      at += n;
      size -= (gsize)n;
      offset += (guint64)n;
    }
  return 0;
}

void
vtr_trace_writer_add_seek_entry (VtrTraceWriter *self,
                                 guint64         compressed,
                                 guint64         raw)
{
  guint32 entry[2] = { (guint32)compressed, (guint32)raw };

  g_array_append_vals (self->seek, entry, 2);
}

/* Makes sure that the frame and, after it, the index will fit. */
static int
reserve (VtrTraceWriter *self,
         gsize           size)
{
  guint64 room = size + RESERVE_BYTES + (guint64)self->tables->ids->len * RESERVE_PER_COMMAND;
  int result;

  do
    result = fallocate (self->fd, FALLOC_FL_KEEP_SIZE, (off_t)self->offset, (off_t)room);
  while (result != 0 && errno == EINTR);
  return result != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) ? errno : 0;
}

/* Compresses @raw behind room for the note. Returns: compressed size, or 0 with @error. */
static gsize
compress_frame (VtrTraceWriter   *self,
                const VtrBuffer  *raw,
                GError          **error)
{
  gsize bound = ZSTD_compressBound (raw->size), size;
  guint8 *to;

  vtr_buffer_clear (&self->compressed);
  to = vtr_buffer_extend (&self->compressed, sizeof (VtrTraceNoteFrame) + bound);
  if (to == NULL || raw->failed)
    {
      vtr_trace_writer_fail (self, ENOMEM, error);
      return 0;
    }
  size = ZSTD_compress2 (self->zstd, to + sizeof (VtrTraceNoteFrame), bound, raw->data, raw->size);
  if (ZSTD_isError (size))
    {
      vtr_trace_writer_fail (self, ENOMEM, error);
      return 0;
    }
  return size;
}

gboolean
vtr_trace_writer_write_frame (VtrTraceWriter     *self,
                              VtrTraceFrameKind   kind,
                              VtrBuffer          *raw,
                              VtrTraceNote        note,
                              gboolean            use_reserve,
                              GError            **error)
{
  VtrTraceNoteFrame head = { VTR_TRACE_NOTE_MAGIC, sizeof head.note, note };
  VtrTraceFrame frame;
  gsize size = compress_frame (self, raw, error);
  int code = 0;

  if (size == 0)
    return FALSE;
  head.note.kind = kind;
  head.note.raw_size = raw->size;
  head.note.compressed_size = size;
  head.note.checksum = XXH3_64bits (&head.note, offsetof (VtrTraceNote, checksum));
  memcpy (self->compressed.data, &head, sizeof head);

  if (!use_reserve)
    code = reserve (self, sizeof head + size);
  if (code == 0)
    code = vtr_trace_writer_put (self->fd, self->compressed.data, sizeof head + size, self->offset);
  if (code != 0)
    {
      /* Nothing behind the last complete frame may stay. */
      if (ftruncate (self->fd, (off_t)self->offset) != 0)
        g_debug ("truncating %s: %s", self->part_path, g_strerror (errno));
      return vtr_trace_writer_fail (self, code, error);
    }

  frame = (VtrTraceFrame){ self->offset + sizeof head, head.note };
  g_array_append_val (self->tables->frames, frame);
  vtr_trace_writer_add_seek_entry (self, sizeof head, 0);
  vtr_trace_writer_add_seek_entry (self, size, raw->size);
  self->offset += sizeof head + size;
  return TRUE;
}

VtrTraceNote
vtr_trace_writer_make_note (VtrTraceWriter *self)
{
  return (VtrTraceNote){
    .ticket_items = self->written_items,
    .first_command = self->first_command,
    .first_resource = self->resources.first_raw,
    .next_ticket = self->written_ticket,
  };
}

static gboolean
close_resources (VtrTraceWriter  *self,
                 GError         **error)
{
  VtrTraceNote note = vtr_trace_writer_make_note (self);

  if (self->resources.raw.size == 0)
    return TRUE;
  note.n_resources = (guint32)(self->resources.n + 1 - self->resources.first_raw);
  if (!vtr_trace_writer_write_frame (self, VTR_TRACE_FRAME_RESOURCES, &self->resources.raw, note,
                                     FALSE, error))
    return FALSE;
  vtr_trace_resources_flushed (&self->resources);
  return TRUE;
}

/* Gives everything in the frame just written its number. */
static void
settle_positions (VtrTraceWriter *self)
{
  VtrTracePosition *positions = (VtrTracePosition *)(void *)self->tables->positions->data;
  GArray *marks[] = { self->tables->mapped, self->tables->objects };
  guint64 frame = self->tables->frames->len - 1;

  for (guint i = (guint)self->first_command; i < self->tables->positions->len; i++)
    positions[i] = VTR_TRACE_POSITION (frame, VTR_TRACE_POSITION_OFFSET (positions[i]));
  for (guint m = 0; m < G_N_ELEMENTS (marks); m++)
    for (guint i = marks[m]->len; i > 0; i--)
      {
        VtrTraceMark *mark = &g_array_index (marks[m], VtrTraceMark, i - 1);

        if (VTR_TRACE_POSITION_FRAME (mark->position) != VTR_TRACE_OPEN_FRAME)
          break;
        mark->position = VTR_TRACE_POSITION (frame, VTR_TRACE_POSITION_OFFSET (mark->position));
      }
}

/* Resources go first: a frame that survives has all that it refers to. */
gboolean
vtr_trace_writer_close_frame (VtrTraceWriter  *self,
                              GError         **error)
{
  VtrTraceNote note;

  if (!close_resources (self, error))
    return FALSE;
  if (self->raw.size > 0)
    {
      note = vtr_trace_writer_make_note (self);
      note.n_commands = (guint32)(self->tables->ids->len - self->first_command);
      note.next_ticket = self->next_ticket;
      note.ticket_items = self->ticket_items;
      if (!vtr_trace_writer_write_frame (self, VTR_TRACE_FRAME_COMMANDS, &self->raw, note, FALSE,
                                         error))
        return FALSE;
      settle_positions (self);
    }
  vtr_buffer_clear (&self->raw);
  if (self->raw.capacity > 16 * VTR_TRACE_FRAME_BYTES)
    vtr_buffer_finish (&self->raw);
  self->first_command = self->tables->ids->len;
  self->written_ticket = self->next_ticket;
  self->written_items = self->ticket_items;
  self->open_stream = (VtrTraceStream){ 0 };
  return TRUE;
}

gboolean
vtr_trace_writer_define (VtrTraceWriter  *self,
                         VtrCmdId         id,
                         GError         **error)
{
  VtrBuffer types = { 0 };
  gboolean good;

  if (G_LIKELY (vtr_trace_type_places_get (&self->tables->types, id) != 0))
    return TRUE;
  if (self->failure != NULL)
    return vtr_trace_writer_fail (self, 0, error);
  if (!vtr_trace_writer_close_frame (self, error))
    return FALSE;
  vtr_trace_types_write_more (&types, &self->tables->types, id);
  good = vtr_trace_writer_write_frame (self, VTR_TRACE_FRAME_DEFINITIONS, &types,
                                       vtr_trace_writer_make_note (self), FALSE, error);
  vtr_buffer_finish (&types);
  return good;
}

gboolean
vtr_trace_writer_open_frame (VtrTraceWriter  *self,
                             gsize            size,
                             GError         **error)
{
  if (self->failure != NULL)
    return vtr_trace_writer_fail (self, 0, error);
  if (self->raw.size > 0 && self->raw.size + size > VTR_TRACE_FRAME_BYTES &&
      !vtr_trace_writer_close_frame (self, error))
    return FALSE;
  if (self->resources.raw.size > VTR_TRACE_FRAME_BYTES && !close_resources (self, error))
    return FALSE;
  if (self->raw.size == 0)
    self->opened = g_get_monotonic_time ();
  return TRUE;
}
