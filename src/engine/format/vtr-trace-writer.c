/* Writes Vitrine traces command by command. */
#include "engine/format/vtr-trace-writer-private.h"

#include "vtr-config.h"

#include "api/vtr-api-walk.h"
#include "engine/format/vtr-command.h"
#include "engine/format/vtr-trace-message.h"
#include "engine/format/vtr-trace-part.h"
#include "engine/format/vtr-trace-scan.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack.h"

#include <errno.h>
#include <unistd.h>

void
vtr_trace_writer_set_path (VtrTraceWriter *self,
                           const char     *path)
{
  g_free (self->path);
  self->path = g_strdup (path);
  vtr_trace_part_look (path, &self->target);
}

const char *
vtr_trace_writer_get_part_path (VtrTraceWriter *self)
{
  return self->part_path;
}

void
vtr_trace_writer_set_keep (VtrTraceWriter *self,
                           gboolean        keep)
{
  self->keep = keep;
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
  VtrTracePosition position = VTR_TRACE_POSITION (VTR_TRACE_OPEN_FRAME, self->raw.size);
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

void
vtr_trace_writer_set_stream (VtrTraceWriter *self,
                             guint64         thread,
                             guint32         namespace)
{
  self->stream = (VtrTraceStream){ thread, namespace };
}

/* Most bytes of a vitrine.Batch, with its chunk. */
#define BATCH_BYTES 32

/* Every frame says anew which stream its commands are of: each is read without those before it.
 * It is no object that the recorder knows of, so it is not counted. */
static void
put_batch (VtrTraceWriter *self)
{
  VtrBuffer message = { 0 };

  if (self->stream.thread == self->open_stream.thread &&
      self->stream.namespace == self->open_stream.namespace)
    return;
  self->open_stream = self->stream;
  vtr_pack_append_fixed32 (&message, VTR_BATCH_THREAD, (guint32)self->stream.thread);
  vtr_pack_append_fixed32 (&message, VTR_BATCH_NAMESPACE, self->stream.namespace);
  vtr_pack_write_object (&self->raw, vtr_trace_types_get_object (VTR_OBJECT_BATCH), message.data,
                         message.size);
  self->raw.failed |= message.failed;
  vtr_buffer_finish (&message);
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
  guint type;
  VtrTraceFacts facts;

  g_return_val_if_fail (vtr_cmd_is_known (id), G_MAXUINT64);

  if (large)
    {
      vtr_buffer_clear (&self->rewritten);
      if (vtr_trace_resources_replace (&self->resources, message, size, &self->rewritten))
        {
          message = self->rewritten.data;
          size = self->rewritten.size;
        }
    }
  if (!vtr_trace_writer_define (self, id, error) ||
      !vtr_trace_writer_open_frame (self, BATCH_BYTES + size, error))
    return G_MAXUINT64;
  put_batch (self);
  /* Copied before it is read, because the bytes may be in memory that another process can
   * change. */
  type = vtr_trace_type_places_get (&self->tables->types, id);
  position = append_message (self, type, message, size, NULL);
  if (self->raw.failed)
    {
      vtr_trace_writer_fail (self, ENOMEM, error);
      return G_MAXUINT64;
    }
  facts = vtr_trace_survey (self->raw.data + self->raw.size - size, size);
  if (extra != 0)
    {
      self->raw.size = VTR_TRACE_POSITION_OFFSET (position);
      self->ticket_items--;
      position = append_flagged (self, type, message, size, facts.flags | extra);
    }
  self->tables->n_observations += facts.n_observations;
  vtr_trace_tables_add_command (self->tables, position, (guint16)id,
                                vtr_trace_stream_of (&facts, &self->stream), facts.flags | extra);
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

  if (!vtr_trace_writer_open_frame (self, 32, error))
    return FALSE;
  vtr_pack_append_fixed64 (&message, VTR_RETURNED_COMMAND, command);
  vtr_pack_append_fixed64 (&message, VTR_RETURNED_RESULT, result);
  append_message (self, vtr_trace_types_get_object (VTR_OBJECT_RETURNED), message.data,
                  message.size, NULL);
  vtr_buffer_finish (&message);
  g_array_append_val (self->tables->returned, returned);
  return !self->raw.failed || vtr_trace_writer_fail (self, ENOMEM, error);
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
  gboolean writes = object == VTR_OBJECT_MAPPED_WRITES || object == VTR_OBJECT_IMAGE_CONTENTS ||
                    object == VTR_OBJECT_STRUCTURE_CONTENTS || object == VTR_OBJECT_TEXEL_CONTENTS;
  VtrTracePosition position;

  if (object == VTR_N_OBJECTS)
    return TRUE;
  vtr_buffer_clear (&self->rewritten);
  if (writes && vtr_trace_resources_replace (&self->resources, message, size, &self->rewritten))
    {
      message = self->rewritten.data;
      size = self->rewritten.size;
    }
  if (!vtr_trace_writer_open_frame (self, size, error))
    return FALSE;
  position = append_message (self, vtr_trace_types_get_object (object), message, size, NULL);
  if (self->raw.failed)
    return vtr_trace_writer_fail (self, ENOMEM, error);
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
    return vtr_trace_writer_fail (self, 0, error);
  if (self->raw.size == 0 ||
      (!force && g_get_monotonic_time () - self->opened < VTR_TRACE_FRAME_MS * (gint64)1000))
    return TRUE;
  return vtr_trace_writer_close_frame (self, error);
}

void
vtr_trace_writer_set_hurry (VtrTraceWriter *self,
                            gboolean        hurry)
{
  ZSTD_CCtx_setParameter (self->zstd, ZSTD_c_compressionLevel,
                          hurry ? VTR_TRACE_LEVEL_HURRY : VTR_TRACE_LEVEL);
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

void
vtr_trace_writer_free (VtrTraceWriter *self,
                       gboolean        discard)
{
  if (self == NULL)
    return;
  if (discard && !self->placed)
    vtr_trace_part_remove (self->fd, self->part_path);
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
