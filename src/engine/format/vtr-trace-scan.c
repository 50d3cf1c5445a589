/* Scans Vitrine files that have no index. */
#include "engine/format/vtr-trace-scan.h"

#include "vtr-config.h"

#include "engine/format/vtr-trace-frames.h"
#include "engine/format/vtr-trace-message.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

VtrTraceScan *
vtr_trace_scan_new (void)
{
  VtrTraceScan *self = g_new0 (VtrTraceScan, 1);

  self->types = vtr_trace_types_new ();
  self->tables = vtr_trace_tables_new ();
  self->resources = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->pending = g_array_new (FALSE, FALSE, sizeof (VtrTracePending));
  return self;
}

void
vtr_trace_scan_free (VtrTraceScan *self)
{
  g_clear_pointer (&self->types, vtr_trace_types_free);
  g_clear_pointer (&self->tables, vtr_trace_tables_free);
  g_clear_pointer (&self->resources, g_array_unref);
  g_clear_pointer (&self->pending, g_array_unref);
  g_free (self);
}

gboolean
vtr_trace_is_vitrine (const guint8 *data,
                      gsize         size)
{
  VtrTraceHead head;

  if (size < sizeof head)
    return FALSE;
  memcpy (&head, data, sizeof head);
  return head.magic == VTR_TRACE_HEAD_MAGIC &&
         (head.size == sizeof head - 8 ||
          (head.size == sizeof (VtrTraceLongHead) - 8 && size >= sizeof (VtrTraceLongHead))) &&
         memcmp (head.name, VTR_TRACE_NAME, sizeof head.name) == 0;
}

guint64
vtr_trace_head_size (const guint8 *data)
{
  VtrTraceHead head;

  memcpy (&head, data, sizeof head);
  return 8 + (guint64)head.size;
}

VtrRecordingId
vtr_trace_head_recording (const guint8 *data)
{
  VtrRecordingId id = { { 0 } };

  if (vtr_trace_head_size (data) == sizeof (VtrTraceLongHead))
    memcpy (id.bytes, data + offsetof (VtrTraceLongHead, recording), sizeof id.bytes);
  return id;
}

/* ---- Notes ---- */

gboolean
vtr_trace_scan_note (const guint8  *data,
                     gsize          size,
                     guint64        at,
                     VtrTraceFrame *out)
{
  VtrTraceNoteFrame frame;

  if (at > size || size - at < sizeof frame)
    return FALSE;
  memcpy (&frame, data + at, sizeof frame);
  if (frame.magic != VTR_TRACE_NOTE_MAGIC || frame.size != sizeof frame.note ||
      frame.note.checksum != XXH3_64bits (&frame.note, offsetof (VtrTraceNote, checksum)) ||
      frame.note.raw_size > VTR_TRACE_MAX_FRAME_BYTES)
    return FALSE;
  *out = (VtrTraceFrame){ at + sizeof frame, frame.note };
  return TRUE;
}

/* Whether the file ends as it should, with a whole seek table at @at. */
static gboolean
has_seek_table (const guint8 *data,
                gsize         size,
                guint64       at)
{
  guint32 head[2];

  if (at > size || size - at < sizeof head)
    return FALSE;
  memcpy (head, data + at, sizeof head);
  return head[0] == VTR_TRACE_SEEK_MAGIC && head[1] == size - at - sizeof head;
}

void
vtr_trace_scan_notes (VtrTraceScan *self,
                      const guint8 *data,
                      gsize         size)
{
  guint64 at = vtr_trace_head_size (data);

  self->front = at;
  while (at < size)
    {
      VtrTraceFrame frame;
      gboolean cut;

      if (!vtr_trace_scan_note (data, size, at, &frame))
        break;
      cut = frame.note.compressed_size > size - frame.offset;
      if (cut)
        frame.note.compressed_size = size - frame.offset;
      g_array_append_val (self->tables->frames, frame);
      if (cut)
        return;
      at = frame.offset + frame.note.compressed_size;
      self->end = at;
    }
  self->complete = has_seek_table (data, size, at);
}

/* ---- Objects ---- */

static void
take_returned (VtrTraceScan       *self,
               const VtrPackChunk *chunk)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrTraceReturned returned = { 0 };
  VtrPackFieldValue field;

  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == VTR_RETURNED_COMMAND)
      returned.command = field.value;
    else if (field.number == VTR_RETURNED_RESULT)
      returned.result = field.value;
  g_array_append_val (self->tables->returned, returned);
}

static void
take_batch (VtrTraceScan       *self,
            const VtrPackChunk *chunk)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue field;

  self->stream = (VtrTraceStream){ 0 };
  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == VTR_BATCH_THREAD)
      self->stream.thread = field.value;
    else if (field.number == VTR_BATCH_NAMESPACE)
      self->stream.namespace = (guint32)field.value;
}

/* Notes a command that lies at @position. */
static void
take_command (VtrTraceScan       *self,
              const VtrPackChunk *chunk,
              VtrCmdId            id,
              VtrTracePosition    position)
{
  const VtrTraceFacts facts = vtr_trace_survey (chunk->message, chunk->size);

  if (facts.ticket != 0)
    {
      VtrTracePending pending = { self->tables->ids->len, facts.ticket };

      g_array_append_val (self->pending, pending);
    }
  self->tables->n_observations += facts.n_observations;
  vtr_trace_tables_add_command (self->tables, position, (guint16)id,
                                vtr_trace_stream_of (&facts, &self->stream), facts.flags);
}

static void
take_object (VtrTraceScan       *self,
             const VtrPackChunk *chunk,
             VtrTraceObject      object,
             VtrTracePosition    position)
{
  VtrTraceTables *tables = self->tables;

  switch (object)
    {
    case VTR_OBJECT_RETURNED:
      take_returned (self, chunk);
      break;
    case VTR_OBJECT_MAPPED_WRITES:
    case VTR_OBJECT_IMAGE_CONTENTS:
    case VTR_OBJECT_STRUCTURE_CONTENTS:
    case VTR_OBJECT_TEXEL_CONTENTS:
      tables->n_observations += vtr_trace_survey (chunk->message, chunk->size).n_observations;
      vtr_trace_tables_add_mark (tables->mapped, tables->ids->len, position, object);
      break;
    case VTR_OBJECT_RESOURCE:
      tables->n_resources++;
      g_array_append_val (self->resources, position);
      break;
    case VTR_OBJECT_BATCH:
      take_batch (self, chunk);
      break;
    case VTR_OBJECT_HEADER:
    case VTR_OBJECT_NAMESPACE:
    case VTR_OBJECT_DEVICE_INFO:
    case VTR_OBJECT_NOTICE:
    case VTR_OBJECT_STOPPED:
      vtr_trace_tables_add_mark (tables->objects, tables->ids->len, position, object);
      break;
    case VTR_OBJECT_CALIBRATION:
    case VTR_OBJECT_OBSERVATION:
    case VTR_OBJECT_EXTRA:
    case VTR_OBJECT_REGISTRY:
    case VTR_OBJECT_INDEX:
    case VTR_N_OBJECTS:
    default:
      break;
    }
}

gsize
vtr_trace_scan_chunks (VtrTraceScan     *self,
                       const guint8     *data,
                       gsize             size,
                       VtrTracePosition  base)
{
  const guint8 *at = data, *end = data + size;
  VtrPackChunk chunk;

  self->stream = (VtrTraceStream){ 0 };
  for (;;)
    {
      VtrTracePosition position = base + (guint64)(at - data);
      const VtrTraceType *type;

      if (vtr_pack_read (&at, end, &chunk) != VTR_OK)
        return (gsize)(at - data);
      if (chunk.kind == VTR_PACK_TYPE)
        vtr_trace_types_add (self->types, chunk.name, chunk.name_size, chunk.message, chunk.size);
      if (chunk.kind != VTR_PACK_OBJECT)
        continue;
      type = vtr_trace_types_lookup (self->types, chunk.type);
      if (type == NULL)
        return (gsize)(position - base);
      if (type->is_command && type->command == VTR_CMD_NONE)
        {
          /* Flat indices would shift if it were left out. */
          self->unknown_command = type->type.name;
          return (gsize)(position - base);
        }
      if (type->is_command)
        take_command (self, &chunk, type->command, position);
      else
        take_object (self, &chunk, type->object, position);
    }
}

gboolean
vtr_trace_scan_definitions (VtrTraceScan  *self,
                            const guint8  *data,
                            GError       **error)
{
  const VtrTraceFrame *frame = (const VtrTraceFrame *)(void *)self->tables->frames->data;
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *raw;
  gboolean whole;
  unsigned major, minor;
  gsize size;

  if (self->tables->frames->len > 0 && frame->note.kind == VTR_TRACE_FRAME_DEFINITIONS)
    bytes = vtr_trace_decompress (data + frame->offset, frame->note.compressed_size,
                                  frame->note.raw_size, &whole);
  if (bytes == NULL || !whole)
    {
      g_set_error_literal (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_EMPTY,
                           _ ("The trace ends before anything was recorded."));
      return FALSE;
    }
  raw = g_bytes_get_data (bytes, &size);
  if (vtr_pack_sniff (raw, size, &major, &minor) != VTR_PACK_MAGIC_2)
    {
      g_set_error_literal (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
                           _ ("The definitions at the beginning of the trace are damaged."));
      return FALSE;
    }
  vtr_trace_scan_chunks (self, raw + VTR_PACK_HEADER_SIZE, size - VTR_PACK_HEADER_SIZE,
                         VTR_PACK_HEADER_SIZE);
  return TRUE;
}

gboolean
vtr_trace_scan_more_definitions (VtrTraceScan        *self,
                                 const guint8        *data,
                                 const VtrTraceFrame *frame)
{
  gboolean whole;
  g_autoptr (GBytes) bytes = vtr_trace_decompress (
    data + frame->offset, frame->note.compressed_size, frame->note.raw_size, &whole);
  const guint8 *raw;
  gsize size;

  if (bytes == NULL || !whole)
    return FALSE;
  raw = g_bytes_get_data (bytes, &size);
  vtr_trace_scan_chunks (self, raw, size, 0);
  return TRUE;
}

/* Walks one frame of commands. Returns: whether the scan can go on behind it. */
static gboolean
scan_frame (VtrTraceScan *self,
            const guint8 *data,
            guint         index)
{
  VtrTraceFrame *frame = &g_array_index (self->tables->frames, VtrTraceFrame, index);
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *raw;
  gboolean whole = FALSE;
  gsize size;

  /* Flat indices count from the beginning: what comes after a gap cannot be numbered. */
  if (frame->note.first_command != self->tables->ids->len)
    return FALSE;
  bytes = vtr_trace_decompress (data + frame->offset, frame->note.compressed_size,
                                frame->note.raw_size, &whole);
  if (bytes == NULL)
    return FALSE;
  raw = g_bytes_get_data (bytes, &size);
  size = vtr_trace_scan_chunks (self, raw, size, VTR_TRACE_POSITION (index, 0));
  if (whole && size == frame->note.raw_size)
    {
      self->tables->next_ticket = frame->note.next_ticket;
      return TRUE;
    }
  frame->note.raw_size = size;
  frame->note.n_commands = (guint32)(self->tables->ids->len - frame->note.first_command);
  return FALSE;
}

gboolean
vtr_trace_scan_objects (VtrTraceScan      *self,
                        const guint8      *data,
                        VtrTraceProgress   progress,
                        gpointer           progress_data,
                        GCancellable      *cancellable,
                        GError           **error)
{
  GArray *frames = self->tables->frames;
  guint n_frames = frames->len;

  for (guint i = 0; i < n_frames; i++)
    {
      const VtrTraceNote *note = &g_array_index (frames, VtrTraceFrame, i).note;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (progress != NULL)
        progress (i, n_frames, progress_data);
      if (note->kind == VTR_TRACE_FRAME_RESOURCES)
        self->tables->n_resources = note->first_resource + note->n_resources - 1;
      if (note->kind == VTR_TRACE_FRAME_COMMANDS
            ? scan_frame (self, data, i)
            : note->kind != VTR_TRACE_FRAME_DEFINITIONS || i == 0 ||
                vtr_trace_scan_more_definitions (self, data,
                                                 &g_array_index (frames, VtrTraceFrame, i)))
        continue;
      self->complete = FALSE;
      self->end = g_array_index (frames, VtrTraceFrame, i).offset - sizeof (VtrTraceNoteFrame);
      g_array_set_size (frames, i + 1);
      break;
    }
  vtr_trace_tables_complete (self->tables);
  return TRUE;
}

VtrTraceScan *
vtr_trace_scan_file (int                fd,
                     const char        *path,
                     VtrTraceProgress   progress,
                     gpointer           progress_data,
                     GCancellable      *cancellable,
                     GError           **error)
{
  g_autoptr (VtrTraceScan) self = vtr_trace_scan_new ();
  g_autoptr (GMappedFile) file = g_mapped_file_new_from_fd (fd, FALSE, error);
  const guint8 *data;
  gsize size;

  if (file == NULL)
    return NULL;
  data = (const guint8 *)g_mapped_file_get_contents (file);
  size = g_mapped_file_get_length (file);
  if (!vtr_trace_is_vitrine (data, size))
    {
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_FOREIGN,
                   _ ("“%s” is not a Vitrine trace."), path);
      return NULL;
    }
  vtr_trace_scan_notes (self, data, size);
  if (!vtr_trace_scan_definitions (self, data, error) ||
      !vtr_trace_scan_objects (self, data, progress, progress_data, cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
}
