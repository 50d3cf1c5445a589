/* Answers questions about an opened trace. */
#include "engine/format/vtr-trace-private.h"

#include "vtr-config.h"

#include "api/vtr-api-walk.h"
#include "engine/format/vtr-foreign-command.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack.h"

#include <glib/gi18n-lib.h>

#include "base/vtr-number.h"

/* ---- Plain facts ---- */

const char *
vtr_trace_get_path (VtrTrace *self)
{
  return self->path;
}

const VtrTraceInfo *
vtr_trace_get_info (VtrTrace *self)
{
  return &self->info;
}

const char *
vtr_trace_get_warning (VtrTrace *self)
{
  return self->warning;
}

guint64
vtr_trace_get_n_commands (VtrTrace *self)
{
  return self->tables->ids->len;
}

guint64
vtr_trace_get_n_initial_commands (VtrTrace *self)
{
  return self->n_initial;
}

guint64
vtr_trace_get_n_program_commands (VtrTrace *self)
{
  return vtr_trace_get_n_commands (self) - self->n_initial;
}

guint64
vtr_trace_get_number (VtrTrace *self,
                      guint64   index)
{
  return index < self->n_initial ? index : index - self->n_initial;
}

char *
vtr_trace_format_command (VtrTrace *self,
                          guint64   index)
{
  return g_strdup_printf ("%s/%" G_GUINT64_FORMAT,
                          index < self->n_initial ? "initial" : "commands",
                          vtr_trace_get_number (self, index));
}

char *
vtr_trace_format_number (VtrTrace *self,
                         guint64   index)
{
  return g_strdup_printf ("%s%" G_GUINT64_FORMAT, index < self->n_initial ? "initial/" : "",
                          vtr_trace_get_number (self, index));
}

guint64
vtr_trace_get_driver_handle (VtrTrace *self,
                             guint64   handle)
{
  for (guint i = 0; self->completes && vtr_apis[i] != NULL; i++)
    {
      const VtrReadApi *read = vtr_apis[i]->read;
      guint64 name = handle;

      if (read != NULL && read->get_driver_name != NULL)
        name = read->get_driver_name (self->api_data[i], handle);
      if (name != handle)
        return name;
    }
  return handle;
}

void
vtr_trace_complete_command (VtrTrace   *self,
                            VtrCommand *command)
{
  const guint number = vtr_api_get_number (command->id);
  const VtrReadApi *read = number < VTR_MAX_APIS ? vtr_apis[number]->read : NULL;

  if (self->completes && read != NULL && read->complete != NULL)
    read->complete (self->api_data[number], command);
}

guint64
vtr_trace_complete_name (VtrTrace    *self,
                         VtrHandleId  kind,
                         guint64      owner,
                         guint64      name)
{
  const guint number = vtr_api_get_number (kind);
  const VtrReadApi *read = number < VTR_MAX_APIS ? vtr_apis[number]->read : NULL;

  return self->completes && read != NULL && read->complete_name != NULL
           ? read->complete_name (self->api_data[number], kind, owner, name)
           : name;
}

static uint64_t
show_handle (void     *data,
             uint64_t  handle)
{
  return vtr_trace_get_driver_handle (data, handle);
}

VtrApiEnv
vtr_trace_get_env (VtrTrace *self)
{
  return (VtrApiEnv){ .data = self, .decoded = true, .shown_name = show_handle };
}

guint64
vtr_trace_get_n_resources (VtrTrace *self)
{
  return self->tables->n_resources;
}

guint64
vtr_trace_get_n_observations (VtrTrace *self)
{
  return self->tables->n_observations;
}

guint64
vtr_trace_get_n_frames (VtrTrace *self)
{
  return self->frame_ends->len - (self->has_rest ? 1 : 0);
}

guint64
vtr_trace_get_n_parts (VtrTrace *self)
{
  return self->frame_ends->len;
}

void
vtr_trace_get_frame (VtrTrace *self,
                     guint64   frame,
                     guint64  *first,
                     guint64  *last)
{
  g_return_if_fail (frame < self->frame_ends->len);

  if (first != NULL)
    *first = frame == 0 ? self->n_initial
                        : g_array_index (self->frame_ends, guint64, frame - 1) + 1;
  if (last != NULL)
    *last = g_array_index (self->frame_ends, guint64, frame);
}

guint64
vtr_trace_get_frame_end (VtrTrace *self,
                         guint64   frame)
{
  g_return_val_if_fail (frame < vtr_trace_get_n_frames (self), VTR_COMMAND_NO_INDEX);

  return frame + 1 == vtr_trace_get_n_frames (self)
           ? self->end_of_frames
           : g_array_index (self->frame_ends, guint64, frame);
}

guint64
vtr_trace_get_part_of (VtrTrace *self,
                       guint64   index)
{
  guint low = 0, high = self->frame_ends->len;

  while (low + 1 < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (self->frame_ends, guint64, middle - 1) < index)
        low = middle;
      else
        high = middle;
    }
  return low;
}

guint64
vtr_trace_get_frame_of (VtrTrace *self,
                        guint64   index)
{
  guint64 n_frames = vtr_trace_get_n_frames (self);

  return MIN (vtr_trace_get_part_of (self, index), n_frames > 0 ? n_frames - 1 : 0);
}

VtrCmdId
vtr_trace_get_command_id (VtrTrace *self,
                          guint64   index)
{
  g_return_val_if_fail (index < self->tables->ids->len, VTR_CMD_NONE);

  return (VtrCmdId)g_array_index (self->tables->ids, guint16, index);
}

gboolean
vtr_trace_has_command (VtrTrace *self,
                       VtrCmdId  id)
{
  g_return_val_if_fail (vtr_cmd_is_known (id), FALSE);

  return self->found[vtr_cmd_canonical (id)];
}

const char *
vtr_trace_get_id_name (VtrTrace *self,
                       VtrCmdId  id)
{
  const VtrTraceType *foreign = vtr_trace_types_get_foreign (self->types, id);

  return foreign != NULL ? foreign->foreign_name : vtr_cmd_name (id);
}

guint
vtr_trace_get_n_foreign (VtrTrace *self)
{
  return vtr_trace_types_get_n_foreign (self->types);
}

const char *
vtr_trace_get_command_name (VtrTrace *self,
                            guint64   index)
{
  return vtr_trace_get_id_name (self, vtr_trace_get_command_id (self, index));
}

guint64
vtr_trace_get_thread (VtrTrace *self,
                      guint64   index)
{
  g_return_val_if_fail (index < self->tables->threads->len, 0);

  return g_array_index (self->tables->thread_table, guint64,
                        g_array_index (self->tables->threads, guint16, index));
}

const VtrNamespaceInfo *
vtr_trace_get_namespace (VtrTrace *self,
                         guint64   index)
{
  g_return_val_if_fail (index < self->tables->threads->len, NULL);

  return self->by_stream == NULL
           ? NULL
           : self->by_stream[g_array_index (self->tables->threads, guint16, index)];
}

guint
vtr_trace_get_n_namespaces (VtrTrace *self)
{
  return self->namespaces->len;
}

const VtrNamespaceInfo *
vtr_trace_get_nth_namespace (VtrTrace *self,
                             guint     nth)
{
  return nth < self->namespaces->len ? g_ptr_array_index (self->namespaces, nth) : NULL;
}

/* What a command's bits in the tables mean, but for its class. */
static guint32
read_flags (VtrTrace *self,
            guint64   index,
            guint32   bits)
{
  guint32 flags = ((bits & VTR_COMMAND_FLAG_ABANDONED) ? (guint32)VTR_COMMAND_ABANDONED : 0) |
                  ((bits & VTR_COMMAND_FLAG_UNFINISHED) ? (guint32)VTR_COMMAND_UNFINISHED : 0) |
                  ((bits & VTR_COMMAND_FLAG_NO_RETURN) ? (guint32)VTR_COMMAND_DIED : 0) |
                  ((bits & VTR_COMMAND_FLAG_INITIAL) ? (guint32)VTR_COMMAND_INITIAL : 0) |
                  ((bits & VTR_COMMAND_FLAG_OPAQUE_NEXT) ? (guint32)VTR_COMMAND_OPAQUE : 0) |
                  ((bits & VTR_COMMAND_FLAG_UNREADABLE) ? (guint32)VTR_COMMAND_UNREADABLE : 0);
  guint64 result;

  if (bits & VTR_TRACE_FLAG_PENDING)
    {
      flags |= VTR_COMMAND_PENDING;
      if (!vtr_trace_tables_find_returned (self->tables, index, &result))
        flags |= VTR_COMMAND_DIED;
    }
  return flags;
}

guint32
vtr_trace_get_flags (VtrTrace *self,
                     guint64   index)
{
  guint32 bits, flags;

  g_return_val_if_fail (index < self->tables->flags->len, 0);

  bits = g_array_index (self->tables->flags, guint16, index);
  flags = bits == 0 ? 0 : read_flags (self, index, bits);
  if (vtr_cmd_is ((VtrCmdId)g_array_index (self->tables->ids, guint16, index),
                  VTR_CLASS_RECORD | VTR_CLASS_BEGIN_LIST | VTR_CLASS_END_LIST))
    flags |= VTR_COMMAND_IN_BLOCK;
  return flags;
}

/* ---- Chunks and resources ---- */

gboolean
vtr_trace_read_chunk (VtrTrace          *self,
                      VtrTracePosition   position,
                      GBytes           **keep,
                      VtrPackChunk      *out,
                      GError           **error)
{
  const guint8 *data = self->data;
  guint64 offset = position;
  gsize size = self->size;

  *keep = NULL;
  if (self->framed)
    {
      *keep = vtr_trace_frame_cache_get (self->cache, VTR_TRACE_POSITION_FRAME (position), error);
      if (*keep == NULL)
        return FALSE;
      data = g_bytes_get_data (*keep, &size);
      offset = VTR_TRACE_POSITION_OFFSET (position);
    }
  if (offset < size)
    {
      const guint8 *at = data + offset;

      if (vtr_pack_read (&at, data + size, out) == VTR_OK)
        return TRUE;
    }
  g_clear_pointer (keep, g_bytes_unref);
  g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
               _ ("The trace is damaged at position %s."), VTR_NUMBER_HEX (position));
  return FALSE;
}

/* The frame that holds resource @number. Returns: NULL when there is none. */
static const VtrTraceFrame *
find_resource_frame (VtrTrace *self,
                     guint64   number,
                     guint    *index)
{
  const VtrTraceFrame *frames = (const VtrTraceFrame *)(void *)self->tables->frames->data;
  guint low = 0, high = self->tables->frames->len;

  /* Every frame says where resources stand, so their numbers never fall. */
  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (frames[middle].note.first_resource + frames[middle].note.n_resources <= number)
        low = middle + 1;
      else
        high = middle;
    }
  if (low >= self->tables->frames->len || frames[low].note.kind != VTR_TRACE_FRAME_RESOURCES ||
      frames[low].note.first_resource > number)
    return NULL;
  *index = low;
  return &frames[low];
}

static gboolean
read_resource_data (const VtrPackChunk  *chunk,
                    guint32              number,
                    const guint8       **data,
                    gsize               *size)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue field;
  VtrStatus status;

  *data = at;
  *size = 0;
  while ((status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    if (field.number == number && field.wire == VTR_PACK_WIRE_BYTES)
      {
        *data = field.data;
        *size = field.size;
      }
  return status == VTR_CLOSED;
}

static gboolean
read_compressed_resource (VtrTrace      *self,
                          guint64        number,
                          VtrArena      *arena,
                          const guint8 **data,
                          gsize         *size)
{
  guint index;
  const VtrTraceFrame *frame = find_resource_frame (self, number, &index);
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *at, *end;
  VtrPackChunk chunk;
  gsize raw_size;

  if (frame == NULL)
    return FALSE;
  bytes = vtr_trace_frame_cache_get (self->cache, index, NULL);
  if (bytes == NULL)
    return FALSE;
  at = g_bytes_get_data (bytes, &raw_size);
  end = at + raw_size;
  for (guint64 i = frame->note.first_resource; i <= number; i++)
    if (vtr_pack_read (&at, end, &chunk) != VTR_OK)
      return FALSE;
  if (!read_resource_data (&chunk, VTR_RESOURCE_DATA, data, size))
    return FALSE;
  /* The frame may leave the cache while the caller still looks. */
  *data = vtr_arena_memdup (arena, *data, *size);
  return *data != NULL;
}

gboolean
vtr_trace_read_resource (VtrTrace      *self,
                         guint64        number,
                         VtrArena      *arena,
                         const guint8 **data,
                         gsize         *size)
{
  g_autoptr (GBytes) keep = NULL;
  VtrPackChunk chunk;
  guint32 field = VTR_RESOURCE_DATA;

  if (self->framed)
    return read_compressed_resource (self, number, arena, data, size);
  if (number == 0 || number > self->resources->len ||
      !vtr_trace_read_chunk (self, g_array_index (self->resources, guint64, number - 1), &keep,
                             &chunk, NULL))
    return FALSE;
  if (self->source != NULL)
    field = self->source->get_resource_field (self, &chunk);
  return field != 0 && read_resource_data (&chunk, field, data, size);
}

/* ---- Decoding ---- */

typedef struct
{
  VtrTrace *trace;
  VtrArena *arena;
} Resolver;

static bool
resolve_resource (void           *data,
                  uint64_t        index,
                  const uint8_t **bytes,
                  size_t         *size)
{
  Resolver *self = data;

  return vtr_trace_read_resource (self->trace, index, self->arena, bytes, size);
}

static gboolean
set_damaged (GError    **error,
             VtrTrace   *self,
             guint64     index,
             VtrStatus   status)
{
  g_autofree char *number = vtr_trace_format_number (self, index);

  g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
               _ ("Call %s (%s) cannot be read: %s."), number,
               vtr_trace_get_command_name (self, index), vtr_status_to_string (status));
  return FALSE;
}

/* Copies the message of a command into the arena, where it may stay. */
static gboolean
copy_message (VtrTrace            *self,
              guint64              index,
              VtrArena            *arena,
              const VtrTraceType **type,
              VtrPackChunk        *chunk,
              GError             **error)
{
  g_autoptr (GBytes) keep = NULL;

  if (!vtr_trace_read_chunk (self, g_array_index (self->tables->positions, VtrTracePosition, index),
                             &keep, chunk, error))
    return FALSE;
  *type = chunk->kind == VTR_PACK_OBJECT ? vtr_trace_types_lookup (self->types, chunk->type) : NULL;
  if (*type == NULL || !(*type)->is_command ||
      (*type)->command != vtr_trace_get_command_id (self, index))
    return set_damaged (error, self, index, VTR_CORRUPT);
  if (keep == NULL)
    return TRUE;
  chunk->message = vtr_arena_memdup (arena, chunk->message, chunk->size);
  return chunk->message != NULL || set_damaged (error, self, index, VTR_NO_MEMORY);
}

static gboolean
decode_ours (VtrTrace    *self,
             guint64      index,
             VtrArena    *arena,
             VtrCommand  *out,
             GError     **error)
{
  Resolver resolver = { self, arena };
  VtrDecodeOptions options = { .abi = self->info.abi,
                               .resolve = resolve_resource,
                               .resolve_data = &resolver };
  VtrDecoded *decoded = vtr_arena_new (arena, VtrDecoded);
  const VtrTraceType *type;
  VtrPackChunk chunk;
  VtrStatus status;
  gboolean returned;

  if (decoded == NULL)
    return set_damaged (error, self, index, VTR_NO_MEMORY);
  if (!copy_message (self, index, arena, &type, &chunk, error))
    return FALSE;
  options.field_numbers = type->field_numbers;
  status = vtr_api_decode (type->command, chunk.message, chunk.size, &options, arena, decoded);
  if (status != VTR_OK)
    return set_damaged (error, self, index, status);
  returned = (out->flags & VTR_COMMAND_PENDING) != 0 &&
             vtr_trace_tables_find_returned (self->tables, index, &decoded->result);
  if (type->foreign_name != NULL)
    {
      out->foreign = vtr_foreign_command_read (type, chunk.message, chunk.size,
                                               returned ? &decoded->result : NULL, arena);
      if (out->foreign == NULL)
        return set_damaged (error, self, index, VTR_CORRUPT);
      decoded->has_result = out->foreign->result != NULL;
    }
  else if (returned)
    decoded->has_result = vtr_cmd_get (type->command)->result != VTR_RESULT_VOID;
  out->has_result = decoded->has_result;
  out->result = decoded->result;
  out->time = decoded->time;
  out->args = decoded->args;
  out->decoded = decoded;
  return TRUE;
}

gboolean
vtr_trace_decode (VtrTrace    *self,
                  guint64      index,
                  VtrArena    *arena,
                  VtrCommand  *out,
                  GError     **error)
{
  VtrCommand command = { 0 };
  gboolean good;

  if (index >= self->tables->ids->len)
    {
      g_autofree char *number = vtr_trace_format_number (self, index);
      g_autofree char *last = vtr_trace_format_number (self, self->tables->ids->len - 1);

      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_RANGE,
                   _ ("There is no call %s; the last one is %s."), number, last);
      return FALSE;
    }
  command.id = vtr_trace_get_command_id (self, index);
  command.index = index;
  command.found = index + 1;
  command.thread = vtr_trace_get_thread (self, index);
  command.namespace = vtr_trace_get_namespace (self, index);
  command.flags = vtr_trace_get_flags (self, index);
  if (self->source != NULL)
    good = self->source->decode (self, index, arena, &command, error);
  else
    good = decode_ours (self, index, arena, &command, error);
  if (!good)
    return FALSE;
  if (self->completes)
    vtr_trace_complete_command (self, &command);
  if (command.decoded->flags & VTR_DECODED_DAMAGED)
    command.flags |= VTR_COMMAND_DAMAGED;
  *out = command;
  return TRUE;
}
