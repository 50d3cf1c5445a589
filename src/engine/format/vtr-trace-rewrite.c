/* Writes some commands of a trace and their contents to a new trace. */
#include "engine/format/vtr-trace-rewrite.h"
#include "engine/api/vtr-read-api.h"

#include "vtr-config.h"

#include "base/vtr-number.h"
#include "engine/format/vtr-trace-observations.h"
#include "engine/format/vtr-trace-private.h"
#include "engine/format/vtr-trace-writer.h"
#include "wire/vtr-pack-field.h"

#include <glib/gi18n-lib.h>

typedef struct
{
  VtrTrace *trace;
  const VtrTraceFilter *filter;
  VtrTraceWriter *writer;
  GArray *numbers; /* guint64: new index of each command so far, G_MAXUINT64: it is gone */
  VtrArena arena;  /* contents of resources, for one object */
  VtrBuffer message, replacement;
} Rewrite;

static gboolean
set_damaged (const Rewrite  *self,
             GError        **error)
{
  g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
               _ ("The trace is damaged near call %s."), VTR_NUMBER (self->numbers->len));
  return FALSE;
}

/* ---- Observations ---- */

/* The new file numbers its resources itself: contents go back into the message. */
static gboolean
read_observed (Rewrite                 *self,
               const VtrPackFieldValue *observation,
               VtrTraceObservation     *out)
{
  gsize size;

  *out = (VtrTraceObservation){ 0 };
  if (!vtr_trace_parse_observation (observation, out) || out->size > G_MAXUINT64 - out->base)
    return FALSE;
  if (out->resource == 0)
    return TRUE;
  if (!vtr_trace_read_resource (self->trace, out->resource, &self->arena, &out->data, &size))
    return FALSE;
  out->size = size;
  return TRUE;
}

static void
put_observed (Rewrite                   *self,
              guint32                    field,
              const VtrTraceObservation *observed)
{
  VtrBuffer inner = { 0 };

  if (observed->data != NULL)
    {
      vtr_api_encode_observation_at (&self->message, field, observed->base, observed->data,
                                     (gsize)observed->size);
      return;
    }
  vtr_pack_append_fixed64 (&inner, VTR_OBSERVATION_BASE, observed->base);
  vtr_pack_append_varint (&inner, VTR_OBSERVATION_SIZE, observed->size);
  vtr_pack_append_bytes (&self->message, field, inner.data, inner.size);
  self->message.failed |= inner.failed;
  vtr_buffer_finish (&inner);
}

/* A write to memory, less what lies outside of @ranges; @shift: from its base to its offset. */
static void
put_clipped (Rewrite                   *self,
             guint32                    field,
             const VtrTraceObservation *observed,
             guint64                    shift,
             const VtrRangeSet         *ranges)
{
  guint64 begin = observed->base + shift, end = begin + observed->size;

  if (ranges == NULL || end < begin)
    {
      put_observed (self, field, observed);
      return;
    }
  for (guint64 from = begin, to; vtr_range_set_next_part (ranges, &from, end, &to); from = to)
    {
      VtrTraceObservation part = *observed;

      part.base += from - begin;
      part.size = to - from;
      if (part.data != NULL)
        part.data += from - begin;
      put_observed (self, field, &part);
    }
}

/* Copies a message to .message. @ranges: of the memory that it writes; NULL: everything. */
static gboolean
copy_message (Rewrite            *self,
              const VtrPackChunk *chunk,
              guint64             shift,
              const VtrRangeSet  *ranges)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue field;
  VtrStatus status;

  vtr_buffer_clear (&self->message);
  vtr_arena_reset (&self->arena);
  for (;;)
    {
      const guint8 *start = at;
      VtrTraceObservation observed;

      status = vtr_pack_next_field (&at, end, &field);
      if (status != VTR_OK)
        break;
      if ((field.number != VTR_COMMAND_READS && field.number != VTR_COMMAND_WRITES) ||
          field.wire != VTR_PACK_WIRE_BYTES)
        {
          vtr_buffer_append (&self->message, start, (gsize)(at - start));
          continue;
        }
      if (!read_observed (self, &field, &observed))
        return FALSE;
      put_clipped (self, field.number, &observed, shift, ranges);
    }
  return status == VTR_CLOSED && !self->message.failed;
}

/* ---- Objects ---- */

static gboolean
copy_command (Rewrite             *self,
              const VtrPackChunk  *chunk,
              VtrCmdId             id,
              GError             **error)
{
  guint64 index = self->numbers->len, number = G_MAXUINT64;
  const VtrNamespaceInfo *names = vtr_trace_get_namespace (self->trace, index);
  VtrRewriteAnswer answer;

  vtr_buffer_clear (&self->replacement);
  answer = self->filter->command (self->filter->data, index, &self->replacement, error);
  if (answer == VTR_REWRITE_FAIL)
    return FALSE;
  if (answer != VTR_REWRITE_DROP)
    {
      const VtrBuffer *message =
        answer == VTR_REWRITE_REPLACE ? &self->replacement : &self->message;

      if (answer == VTR_REWRITE_KEEP && !copy_message (self, chunk, 0, NULL))
        return set_damaged (self, error);
      if (names == NULL)
        vtr_trace_writer_set_stream (self->writer, 0, 0);
      else
        vtr_trace_writer_set_stream (self->writer, vtr_trace_get_thread (self->trace, index),
                                     names->number);
      number = vtr_trace_writer_append_command (self->writer, id, message->data, message->size, 0,
                                                TRUE, error);
      if (number == G_MAXUINT64)
        return FALSE;
    }
  g_array_append_val (self->numbers, number);
  return TRUE;
}

static guint64
find_field (const VtrPackChunk *chunk,
            guint32             number)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue field;

  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == number)
      return field.value;
  return 0;
}

/* Whose contents a message is, with its name as commands are decoded. Returns: FALSE: nobody's. */
static gboolean
find_object (const Rewrite      *self,
             const VtrPackChunk *chunk,
             VtrTraceObject      object,
             VtrHandleId        *kind,
             guint64            *name)
{
  VtrContentObject at;
  gboolean found = FALSE;

  for (gsize i = 0; !found && vtr_apis[i] != NULL; i++)
    found = vtr_apis[i]->read != NULL && vtr_apis[i]->read->find_content != NULL &&
            vtr_apis[i]->read->find_content (object, &at);
  if (!found)
    return FALSE;
  *kind = at.kind;
  *name = find_field (chunk, at.object_field);
  if (at.owner_field != 0)
    *name =
      vtr_trace_complete_name (self->trace, at.kind, find_field (chunk, at.owner_field), *name);
  return TRUE;
}

static gboolean
copy_returned (Rewrite             *self,
               const VtrPackChunk  *chunk,
               GError             **error)
{
  guint64 command = find_field (chunk, VTR_RETURNED_COMMAND);
  guint64 number;

  if (command >= self->numbers->len)
    return TRUE;
  number = g_array_index (self->numbers, guint64, command);
  return number == G_MAXUINT64 ||
         vtr_trace_writer_append_returned (self->writer, number,
                                           find_field (chunk, VTR_RETURNED_RESULT), error);
}

static gboolean
copy_writes (Rewrite             *self,
             const VtrPackChunk  *chunk,
             GError             **error)
{
  VtrHandleId kind;
  guint64 name;
  const VtrRangeSet *ranges =
    find_object (self, chunk, VTR_OBJECT_MAPPED_WRITES, &kind, &name)
      ? self->filter->bytes (self->filter->data, self->numbers->len, kind, name)
      : NULL;
  guint64 shift = find_field (chunk, VTR_MAPPED_WRITES_MAP_OFFSET) -
                  find_field (chunk, VTR_MAPPED_WRITES_MAP_ADDRESS);
  const guint8 *at, *end;
  VtrPackFieldValue field;
  gboolean something = FALSE;

  if (!copy_message (self, chunk, shift, ranges))
    return set_damaged (self, error);
  at = self->message.data;
  end = at + self->message.size;
  while (!something && vtr_pack_next_field (&at, end, &field) == VTR_OK)
    something = field.number == VTR_MAPPED_WRITES_READS;
  return !something ||
         vtr_trace_writer_append_object (self->writer,
                                         vtr_trace_objects[VTR_OBJECT_MAPPED_WRITES].name,
                                         self->message.data, self->message.size, error);
}

/* Whether what a message says of an object stays. */
static gboolean
keeps_contents (const Rewrite      *self,
                const VtrPackChunk *chunk,
                VtrTraceObject      object)
{
  VtrHandleId kind;
  guint64 name;

  return !find_object (self, chunk, object, &kind, &name) ||
         self->filter->contents (self->filter->data, self->numbers->len, kind, name);
}

static gboolean
copy_object (Rewrite             *self,
             const VtrPackChunk  *chunk,
             VtrTraceObject       object,
             GError             **error)
{
  switch (object)
    {
    case VTR_OBJECT_RETURNED:
      return copy_returned (self, chunk, error);
    case VTR_OBJECT_MAPPED_WRITES:
      return copy_writes (self, chunk, error);
    case VTR_OBJECT_BATCH:
    case VTR_OBJECT_RESOURCE:
    case VTR_OBJECT_INDEX:
    case VTR_N_OBJECTS:
      return TRUE;
    case VTR_OBJECT_DEVICE_INFO:
      if (!keeps_contents (self, chunk, object))
        return TRUE;
      break;
    case VTR_OBJECT_IMAGE_CONTENTS:
    case VTR_OBJECT_STRUCTURE_CONTENTS:
    case VTR_OBJECT_TEXEL_CONTENTS:
      if (object != VTR_OBJECT_TEXEL_CONTENTS && !keeps_contents (self, chunk, object))
        return TRUE;
      if (!copy_message (self, chunk, 0, NULL))
        return set_damaged (self, error);
      return vtr_trace_writer_append_object (self->writer, vtr_trace_objects[object].name,
                                             self->message.data, self->message.size, error);
    default:
      break;
    }
  return vtr_trace_writer_append_object (self->writer, vtr_trace_objects[object].name,
                                         chunk->message, chunk->size, error);
}

static gboolean
copy_frame (Rewrite  *self,
            guint     frame,
            GError  **error)
{
  g_autoptr (GBytes) bytes = vtr_trace_frame_cache_get (self->trace->cache, frame, error);
  const guint8 *at, *end;
  VtrPackChunk chunk;
  VtrStatus status;
  gsize size;

  if (bytes == NULL)
    return FALSE;
  at = g_bytes_get_data (bytes, &size);
  end = at + size;
  while ((status = vtr_pack_read (&at, end, &chunk)) == VTR_OK)
    {
      const VtrTraceType *type =
        chunk.kind == VTR_PACK_OBJECT ? vtr_trace_types_lookup (self->trace->types, chunk.type)
                                      : NULL;

      if (type == NULL)
        return set_damaged (self, error);
      if (type->is_command ? !copy_command (self, &chunk, type->command, error)
                           : !copy_object (self, &chunk, type->object, error))
        return FALSE;
    }
  return status == VTR_CLOSED || set_damaged (self, error);
}

static gboolean
copy_frames (Rewrite       *self,
             GCancellable  *cancellable,
             GError       **error)
{
  const GArray *frames = self->trace->tables->frames;

  for (guint i = 0; i < frames->len; i++)
    {
      const VtrTraceFrame *frame = &g_array_index (frames, VtrTraceFrame, i);

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (frame->note.kind == VTR_TRACE_FRAME_COMMANDS && !copy_frame (self, i, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_origin (VtrTrace  *trace,
              GError   **error)
{
  if (trace->info.missing[0] != NULL)
    {
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_VERSION,
                   _ ("Cannot rewrite “%s” without losing data: it has calls of an API that this "
                      "version of Vitrine does not know."),
                   trace->path);
      return FALSE;
    }
  if (!trace->framed || !vtr_trace_types_are_ours (trace->types, NULL))
    {
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_VERSION,
                   _ ("Cannot rewrite “%s” without losing data: it was not written by this "
                      "version of Vitrine."),
                   trace->path);
      return FALSE;
    }
  if (trace->cut)
    {
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
                   _ ("Cannot rewrite “%s” without losing data: it ends early."), trace->path);
      return FALSE;
    }
  return TRUE;
}

gboolean
vtr_trace_rewrite (VtrTrace              *trace,
                   const VtrTraceFilter  *filter,
                   const char            *path,
                   GCancellable          *cancellable,
                   GError               **error)
{
  Rewrite self = { .trace = trace, .filter = filter };
  gboolean done;

  if (!check_origin (trace, error))
    return FALSE;
  self.writer = vtr_trace_writer_new_hidden (path, error);
  if (self.writer == NULL)
    return FALSE;
  self.numbers = g_array_new (FALSE, FALSE, sizeof (guint64));
  vtr_arena_init (&self.arena);
  /* Nothing of a half file is of use: only what was finished without an error takes the place. */
  done = copy_frames (&self, cancellable, error) &&
         vtr_trace_writer_flush (self.writer, TRUE, error) &&
         vtr_trace_writer_finish (self.writer, error);
  vtr_trace_writer_free (self.writer, !done);
  vtr_arena_finish (&self.arena);
  vtr_buffer_finish (&self.message);
  vtr_buffer_finish (&self.replacement);
  g_array_unref (self.numbers);
  return done;
}
