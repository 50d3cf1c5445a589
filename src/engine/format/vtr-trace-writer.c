/* Streaming writer of Vitrine traces. */
#include "engine/format/vtr-trace-writer.h"

#include "vtr-config.h"

#include "api/vtr-api-walk.h"
#include "engine/format/vtr-command.h"
#include "engine/format/vtr-trace-message.h"
#include "engine/format/vtr-trace-resources.h"
#include "engine/format/vtr-trace-scan.h"
#include "engine/format/vtr-trace-tables.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include <zstd.h>

#define LEVEL_NORMAL 3
#define LEVEL_HURRY 1
/* Room kept behind the end of the file so that the index fits even when the disk is full. */
#define RESERVE_BYTES (8u * 1024u)
#define RESERVE_PER_COMMAND 4
/* Frame number in positions of the open frame, until it is closed and has one. */
#define OPEN_FRAME G_MAXUINT32

struct _VtrTraceWriter
{
  char *path;
  char *part_path;
  int fd;
  guint64 offset; /* where the next frame goes; what is before is complete */
  ZSTD_CCtx *zstd;
  VtrBuffer raw;        /* objects of the open frame */
  VtrBuffer compressed; /* scratch */
  VtrBuffer rewritten;  /* scratch */
  VtrTraceResources resources;
  VtrTraceTables *tables;
  GArray *pending;       /* VtrTracePending found in the file that is continued */
  GArray *seek;          /* guint32 pairs: compressed and raw size of every frame of the file */
  gint64 opened;         /* monotonic time of the first object in .raw */
  guint64 first_command; /* of the open frame */
  guint64 next_ticket;
  guint64 written_ticket;
  guint ticket_items;
  guint written_items;
  GError *failure; /* why nothing more is accepted */
};

/* ---- Frames ---- */

static gboolean
fail (VtrTraceWriter  *self,
      int              code,
      GError         **error)
{
  if (self->failure == NULL)
    {
      if (code == ENOSPC || code == EDQUOT || code == EFBIG)
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

static int
write_all (int         fd,
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

static void
add_seek_entry (VtrTraceWriter *self,
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
      fail (self, ENOMEM, error);
      return 0;
    }
  size = ZSTD_compress2 (self->zstd, to + sizeof (VtrTraceNoteFrame), bound, raw->data, raw->size);
  if (ZSTD_isError (size))
    {
      fail (self, ENOMEM, error);
      return 0;
    }
  return size;
}

static gboolean
write_frame (VtrTraceWriter     *self,
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
    code = write_all (self->fd, self->compressed.data, sizeof head + size, self->offset);
  if (code != 0)
    {
      /* Nothing behind the last complete frame may stay. */
      if (ftruncate (self->fd, (off_t)self->offset) != 0)
        g_debug ("truncating %s: %s", self->part_path, g_strerror (errno));
      return fail (self, code, error);
    }

  frame = (VtrTraceFrame){ self->offset + sizeof head, head.note };
  g_array_append_val (self->tables->frames, frame);
  add_seek_entry (self, sizeof head, 0);
  add_seek_entry (self, size, raw->size);
  self->offset += sizeof head + size;
  return TRUE;
}

static VtrTraceNote
make_note (VtrTraceWriter *self)
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
  VtrTraceNote note = make_note (self);

  if (self->resources.raw.size == 0)
    return TRUE;
  note.n_resources = (guint32)(self->resources.n + 1 - self->resources.first_raw);
  if (!write_frame (self, VTR_TRACE_FRAME_RESOURCES, &self->resources.raw, note, FALSE, error))
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

        if (VTR_TRACE_POSITION_FRAME (mark->position) != OPEN_FRAME)
          break;
        mark->position = VTR_TRACE_POSITION (frame, VTR_TRACE_POSITION_OFFSET (mark->position));
      }
}

/* Resources go first: a frame that survives has all that it refers to. */
static gboolean
close_frame (VtrTraceWriter  *self,
             GError         **error)
{
  VtrTraceNote note;

  if (!close_resources (self, error))
    return FALSE;
  if (self->raw.size > 0)
    {
      note = make_note (self);
      note.n_commands = (guint32)(self->tables->ids->len - self->first_command);
      note.next_ticket = self->next_ticket;
      note.ticket_items = self->ticket_items;
      if (!write_frame (self, VTR_TRACE_FRAME_COMMANDS, &self->raw, note, FALSE, error))
        return FALSE;
      settle_positions (self);
    }
  vtr_buffer_clear (&self->raw);
  if (self->raw.capacity > 16 * VTR_TRACE_FRAME_BYTES)
    vtr_buffer_finish (&self->raw);
  self->first_command = self->tables->ids->len;
  self->written_ticket = self->next_ticket;
  self->written_items = self->ticket_items;
  return TRUE;
}

/* Makes room for an object of @size bytes in the open frame. */
static gboolean
open_frame (VtrTraceWriter  *self,
            gsize            size,
            GError         **error)
{
  if (self->failure != NULL)
    return fail (self, 0, error);
  if (self->raw.size > 0 && self->raw.size + size > VTR_TRACE_FRAME_BYTES &&
      !close_frame (self, error))
    return FALSE;
  if (self->resources.raw.size > VTR_TRACE_FRAME_BYTES && !close_resources (self, error))
    return FALSE;
  if (self->raw.size == 0)
    self->opened = g_get_monotonic_time ();
  return TRUE;
}

/* ---- Construction ---- */

static VtrTraceWriter *
writer_alloc (const char *path,
              int         fd)
{
  VtrTraceWriter *self = g_new0 (VtrTraceWriter, 1);

  self->path = g_strdup (path);
  self->part_path = g_strconcat (path, ".part", NULL);
  self->fd = fd;
  self->zstd = ZSTD_createCCtx ();
  self->tables = vtr_trace_tables_new ();
  self->seek = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->next_ticket = self->written_ticket = 1;
  vtr_trace_resources_init (&self->resources);
  ZSTD_CCtx_setParameter (self->zstd, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter (self->zstd, ZSTD_c_compressionLevel, LEVEL_NORMAL);
  return self;
}

static gboolean
write_front (VtrTraceWriter  *self,
             GError         **error)
{
  VtrTraceHead head = { VTR_TRACE_HEAD_MAGIC, 16, VTR_TRACE_NAME, VTR_TRACE_VERSION, 0 };
  VtrTraceNote note = { .first_resource = 1, .next_ticket = 1 };
  int code = write_all (self->fd, &head, sizeof head, 0);
  gboolean good;

  if (code != 0)
    return fail (self, code, error);
  self->offset = sizeof head;
  add_seek_entry (self, sizeof head, 0);
  vtr_pack_write_header (&self->raw);
  vtr_trace_types_write (&self->raw);
  good = write_frame (self, VTR_TRACE_FRAME_DEFINITIONS, &self->raw, note, FALSE, error);
  vtr_buffer_clear (&self->raw);
  return good;
}

/* Opens "<path>.part" and locks it, so that recovery leaves it alone while this process lives. */
static int
open_part (const char  *path,
           gboolean     create,
           GError     **error)
{
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  struct stat info;
  int fd, code;

  /* It is overwritten: no link leads it to another file. A FIFO would hang here. */
  do
    fd = open (part, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (create ? O_CREAT : 0), 0644);
  while (fd < 0 && errno == EINTR);
  if (fd >= 0 && (fstat (fd, &info) != 0 || !S_ISREG (info.st_mode)))
    {
      close (fd);
      fd = -1;
      errno = EINVAL;
    }
  if (fd < 0)
    {
      code = errno;
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
                   _ ("“%s” cannot be written: %s."), path, g_strerror (code));
      return -1;
    }
  if (flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
                   _ ("“%s” is being written by another Vitrine."), path);
      close (fd);
      return -1;
    }
  return fd;
}

VtrTraceWriter *
vtr_trace_writer_new (const char  *path,
                      GError     **error)
{
  VtrTraceWriter *self;
  int fd;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY,
                   _ ("“%s” is a folder; name a file to write."), path);
      return NULL;
    }
  fd = open_part (path, TRUE, error);
  if (fd < 0)
    return NULL;
  if (ftruncate (fd, 0) != 0)
    g_debug ("truncating: %s", g_strerror (errno));

  self = writer_alloc (path, fd);
  if (!write_front (self, error))
    {
      vtr_trace_writer_free (self, TRUE);
      return NULL;
    }
  return self;
}

/* Takes over the whole frames of a file; a frame that is cut, and an index, are written anew. */
static void
adopt_scan (VtrTraceWriter *self,
            VtrTraceScan   *scan)
{
  guint n_frames = 0;

  vtr_trace_tables_free (self->tables);
  self->tables = g_steal_pointer (&scan->tables);
  self->tables->n_resources = 0;
  self->pending = g_array_ref (scan->pending);
  add_seek_entry (self, sizeof (VtrTraceHead), 0);
  for (; n_frames < self->tables->frames->len; n_frames++)
    {
      const VtrTraceFrame *frame = &g_array_index (self->tables->frames, VtrTraceFrame, n_frames);
      const VtrTraceNote *note = &frame->note;

      if (note->kind == VTR_TRACE_FRAME_INDEX || frame->offset + note->compressed_size > scan->end)
        break;
      add_seek_entry (self, sizeof (VtrTraceNoteFrame), 0);
      add_seek_entry (self, note->compressed_size, note->raw_size);
      self->offset = frame->offset + note->compressed_size;
      self->next_ticket = note->next_ticket;
      self->ticket_items = note->ticket_items;
      self->tables->n_resources = note->first_resource + note->n_resources - 1;
    }
  vtr_trace_tables_truncate (self->tables, n_frames);
}

VtrTraceWriter *
vtr_trace_writer_resume (const char  *path,
                         GError     **error)
{
  g_autoptr (VtrTraceScan) scan = NULL;
  VtrTraceWriter *self;
  int fd = open_part (path, FALSE, error);

  if (fd < 0)
    return NULL;
  self = writer_alloc (path, fd);
  scan = vtr_trace_scan_file (self->part_path, NULL, NULL, NULL, error);
  if (scan == NULL)
    {
      vtr_trace_writer_free (self, FALSE);
      return NULL;
    }
  if (!vtr_trace_types_are_ours (scan->types))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                   _ ("“%s” was begun by another version of Vitrine and cannot be continued."),
                   path);
      vtr_trace_writer_free (self, FALSE);
      return NULL;
    }

  adopt_scan (self, scan);
  self->written_ticket = self->next_ticket;
  self->written_items = self->ticket_items;
  self->first_command = self->tables->ids->len;
  self->resources.n = self->tables->n_resources;
  self->resources.first_raw = self->resources.n + 1;
  if (ftruncate (fd, (off_t)self->offset) != 0)
    g_debug ("truncating: %s", g_strerror (errno));
  return self;
}

gboolean
vtr_trace_writer_set_path (VtrTraceWriter  *self,
                           const char      *path,
                           GError         **error)
{
  g_autofree char *part = g_strconcat (path, ".part", NULL);

  /* Another recording may be on its way from that name to one of its own. */
  if (renameat2 (AT_FDCWD, self->part_path, AT_FDCWD, part, RENAME_NOREPLACE) != 0 &&
      (errno != EINVAL || g_rename (self->part_path, part) != 0))
    {
      int code = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
                   _ ("“%s” cannot be written: %s."), path, g_strerror (code));
      return FALSE;
    }
  g_free (self->path);
  g_free (self->part_path);
  self->path = g_strdup (path);
  self->part_path = g_steal_pointer (&part);
  return TRUE;
}

const char *
vtr_trace_writer_get_path (VtrTraceWriter *self)
{
  return self->path;
}

/* ---- Objects ---- */

static guint32
to_file_flags (guint32 flags)
{
  return ((flags & VTR_COMMAND_ABANDONED) ? (guint32)VTR_COMMAND_FLAG_ABANDONED : 0) |
         ((flags & VTR_COMMAND_UNFINISHED) ? (guint32)VTR_COMMAND_FLAG_UNFINISHED : 0) |
         ((flags & VTR_COMMAND_PENDING) ? (guint32)VTR_TRACE_FLAG_PENDING : 0) |
         ((flags & VTR_COMMAND_INITIAL) ? (guint32)VTR_COMMAND_FLAG_INITIAL : 0);
}

/* Appends one leaf object; @tail are more fields of it. Returns: where it is. */
static VtrTracePosition
append_message (VtrTraceWriter  *self,
                guint            type,
                const guint8    *message,
                gsize            size,
                const VtrBuffer *tail)
{
  VtrTracePosition position = VTR_TRACE_POSITION (OPEN_FRAME, self->raw.size);
  gsize tail_size = tail == NULL ? 0 : tail->size;

  vtr_pack_begin_object (&self->raw, type, size + tail_size);
  vtr_buffer_append (&self->raw, message, size);
  if (tail_size > 0)
    vtr_buffer_append (&self->raw, tail->data, tail_size);
  self->ticket_items++;
  return position;
}

/* Says in the message what the host knows of the call. */
static VtrTracePosition
append_flagged (VtrTraceWriter *self,
                guint           type,
                const guint8   *message,
                gsize           size,
                guint32         flags)
{
  VtrBuffer tail = { 0 };
  VtrTracePosition position;

  vtr_pack_append_fixed32 (&tail, VTR_COMMAND_FLAGS, flags);
  if (flags & VTR_TRACE_FLAG_PENDING)
    vtr_api_encode_extra (&tail, VTR_TRACE_TICKET_EXTRA, &self->next_ticket,
                          sizeof self->next_ticket);
  self->raw.failed |= tail.failed;
  position = append_message (self, type, message, size, &tail);
  vtr_buffer_finish (&tail);
  return position;
}

guint64
vtr_trace_writer_append_command (VtrTraceWriter  *self,
                                 VtrCmdId         id,
                                 const guint8    *message,
                                 gsize            size,
                                 guint32          flags,
                                 gboolean         large,
                                 GError         **error)
{
  guint32 extra = to_file_flags (flags);
  VtrTracePosition position;
  VtrTraceFacts facts;

  g_return_val_if_fail (id < VTR_CMD_COUNT, G_MAXUINT64);

  if (large)
    {
      vtr_buffer_clear (&self->rewritten);
      if (vtr_trace_resources_replace (&self->resources, message, size, &self->rewritten))
        {
          message = self->rewritten.data;
          size = self->rewritten.size;
        }
    }
  if (!open_frame (self, size, error))
    return G_MAXUINT64;
  /* Copied before it is looked at: the bytes may lie in memory that another process can change. */
  position = append_message (self, vtr_trace_types_get_command (id), message, size, NULL);
  if (self->raw.failed)
    {
      fail (self, ENOMEM, error);
      return G_MAXUINT64;
    }
  facts = vtr_trace_survey (self->raw.data + self->raw.size - size, size);
  if (extra != 0)
    {
      self->raw.size = VTR_TRACE_POSITION_OFFSET (position);
      self->ticket_items--;
      position =
        append_flagged (self, vtr_trace_types_get_command (id), message, size, facts.flags | extra);
    }
  self->tables->n_observations += facts.n_observations;
  vtr_trace_tables_add_command (self->tables, position, (guint16)id, facts.thread,
                                facts.flags | extra);
  return self->tables->ids->len - 1;
}

gboolean
vtr_trace_writer_append_returned (VtrTraceWriter  *self,
                                  guint64          command,
                                  guint64          result,
                                  GError         **error)
{
  VtrTraceReturned returned = { command, result };
  VtrBuffer message = { 0 };

  if (!open_frame (self, 32, error))
    return FALSE;
  vtr_pack_append_fixed64 (&message, VTR_RETURNED_COMMAND, command);
  vtr_pack_append_fixed64 (&message, VTR_RETURNED_RESULT, result);
  append_message (self, vtr_trace_types_get_object (VTR_OBJECT_RETURNED), message.data,
                  message.size, NULL);
  vtr_buffer_finish (&message);
  g_array_append_val (self->tables->returned, returned);
  return !self->raw.failed || fail (self, ENOMEM, error);
}

gboolean
vtr_trace_writer_append_object (VtrTraceWriter  *self,
                                const char      *type_name,
                                const guint8    *message,
                                gsize            size,
                                GError         **error)
{
  VtrTraceObject object =
    vtr_trace_object_from_name ((const guint8 *)type_name, strlen (type_name));
  gboolean writes = object == VTR_OBJECT_MAPPED_WRITES || object == VTR_OBJECT_IMAGE_CONTENTS;
  VtrTracePosition position;

  if (object == VTR_N_OBJECTS)
    return TRUE;
  vtr_buffer_clear (&self->rewritten);
  if (writes && vtr_trace_resources_replace (&self->resources, message, size, &self->rewritten))
    {
      message = self->rewritten.data;
      size = self->rewritten.size;
    }
  if (!open_frame (self, size, error))
    return FALSE;
  position = append_message (self, vtr_trace_types_get_object (object), message, size, NULL);
  if (self->raw.failed)
    return fail (self, ENOMEM, error);
  if (writes)
    self->tables->n_observations +=
      vtr_trace_survey (self->raw.data + self->raw.size - size, size).n_observations;
  vtr_trace_tables_add_mark (writes ? self->tables->mapped : self->tables->objects,
                             self->tables->ids->len, position, object);
  return TRUE;
}

guint64
vtr_trace_writer_get_written_ticket (VtrTraceWriter *self)
{
  return self->written_ticket;
}

void
vtr_trace_writer_set_ticket (VtrTraceWriter *self,
                             guint64         next_ticket)
{
  self->next_ticket = next_ticket;
  self->ticket_items = 0;
  if (self->raw.size == 0)
    {
      /* Nothing is buffered, so everything below is in the file, such as it is. */
      self->written_ticket = next_ticket;
      self->written_items = 0;
    }
}

guint
vtr_trace_writer_get_ticket_items (VtrTraceWriter *self)
{
  return self->ticket_items;
}

gboolean
vtr_trace_writer_get_pending (VtrTraceWriter *self,
                              guint           nth,
                              guint64        *ticket,
                              guint64        *command)
{
  guint64 result;

  for (guint i = 0; self->pending != NULL && i < self->pending->len; i++)
    {
      const VtrTracePending *pending = &g_array_index (self->pending, VtrTracePending, i);

      if (pending->command >= self->tables->ids->len ||
          vtr_trace_tables_find_returned (self->tables, pending->command, &result) || nth-- > 0)
        continue;
      *ticket = pending->ticket;
      *command = pending->command;
      return TRUE;
    }
  return FALSE;
}

gboolean
vtr_trace_writer_flush (VtrTraceWriter  *self,
                        gboolean         force,
                        GError         **error)
{
  if (self->failure != NULL)
    return fail (self, 0, error);
  if (self->raw.size == 0 ||
      (!force && g_get_monotonic_time () - self->opened < VTR_TRACE_FRAME_MS * (gint64)1000))
    return TRUE;
  return close_frame (self, error);
}

void
vtr_trace_writer_set_hurry (VtrTraceWriter *self,
                            gboolean        hurry)
{
  ZSTD_CCtx_setParameter (self->zstd, ZSTD_c_compressionLevel, hurry ? LEVEL_HURRY : LEVEL_NORMAL);
}

guint64
vtr_trace_writer_get_bytes (VtrTraceWriter *self)
{
  return self->offset;
}

guint64
vtr_trace_writer_get_n_commands (VtrTraceWriter *self)
{
  return self->tables->ids->len;
}

/* ---- The end ---- */

/* After a failure: forgets what did not reach the disk. */
static void
drop_unwritten (VtrTraceWriter *self)
{
  vtr_trace_tables_truncate (self->tables, self->tables->frames->len);
  vtr_buffer_clear (&self->raw);
  self->resources.n = self->resources.first_raw - 1;
  vtr_trace_resources_flushed (&self->resources);
}

static gboolean
write_index (VtrTraceWriter  *self,
             GError         **error)
{
  VtrBuffer message = { 0 };
  VtrTraceNote note = make_note (self);
  gboolean good;

  self->tables->n_resources = self->resources.n;
  vtr_trace_tables_complete (self->tables);
  vtr_trace_tables_encode (self->tables, &message);
  vtr_buffer_clear (&self->raw);
  vtr_pack_write_object (&self->raw, vtr_trace_types_get_object (VTR_OBJECT_INDEX), message.data,
                         message.size);
  self->raw.failed |= message.failed;
  vtr_buffer_finish (&message);
  good = write_frame (self, VTR_TRACE_FRAME_INDEX, &self->raw, note, TRUE, error);
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
  code = table.failed ? ENOMEM : write_all (self->fd, table.data, table.size, self->offset);
  if (code == 0)
    self->offset += table.size;
  vtr_buffer_finish (&table);
  return code == 0 || fail (self, code, error);
}

static gboolean
move_into_place (VtrTraceWriter  *self,
                 GError         **error)
{
  /* Gives back the reserve, and whatever an incomplete write left. */
  if (ftruncate (self->fd, (off_t)self->offset) != 0)
    return fail (self, errno, error);
  if (fsync (self->fd) != 0 && errno != EINVAL && errno != EROFS)
    return fail (self, errno, error);
  if (g_rename (self->part_path, self->path) != 0)
    return fail (self, errno, error);
  return TRUE;
}

gboolean
vtr_trace_writer_finish (VtrTraceWriter  *self,
                         GError         **error)
{
  g_autoptr (GError) first = NULL, ignored = NULL;
  guint64 end;

  if (self->failure != NULL || !close_frame (self, &first))
    {
      if (first == NULL)
        first = g_error_copy (self->failure);
      g_clear_error (&self->failure);
      drop_unwritten (self);
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

void
vtr_trace_writer_free (VtrTraceWriter *self,
                       gboolean        discard)
{
  if (self == NULL)
    return;
  if (discard)
    g_unlink (self->part_path);
  close (self->fd);
  ZSTD_freeCCtx (self->zstd);
  vtr_buffer_finish (&self->raw);
  vtr_buffer_finish (&self->compressed);
  vtr_buffer_finish (&self->rewritten);
  vtr_trace_resources_clear (&self->resources);
  vtr_trace_tables_free (self->tables);
  g_array_unref (self->seek);
  g_clear_pointer (&self->pending, g_array_unref);
  g_clear_error (&self->failure);
  g_free (self->path);
  g_free (self->part_path);
  g_free (self);
}
