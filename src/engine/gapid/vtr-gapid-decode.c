/* Decodes the calls of GAPID traces, and what they wrote to memory. */
#include "engine/gapid/vtr-gapid-message.h"
#include "engine/gapid/vtr-gapid-source.h"

#include "vtr-config.h"

#include "vulkan/vtr-vulkan.h"
#include "wire/vtr-pack.h"

#include <glib/gi18n-lib.h>
#include <string.h>

typedef struct
{
  VtrTrace *trace;
  VtrArena *arena;
  GArray *observations; /* VtrObservation */
  gboolean called;
  gboolean has_result;
  guint64 result;
} GapidCommand;

static void
take_observation (GapidCommand       *command,
                  const VtrTraceType *type,
                  const VtrPackChunk *chunk)
{
  VtrObservation observation = { .write = command->called };
  gsize size = 0;

  /* Other pools hold what GAPID keeps apart from the memory of the application. */
  if (vtr_gapid_find_number (&type->type, chunk->message, chunk->size, "pool") != 0)
    return;
  observation.base = vtr_gapid_find_number (&type->type, chunk->message, chunk->size, "base");
  observation.size = vtr_gapid_find_number (&type->type, chunk->message, chunk->size, "size");
  observation.resource = vtr_gapid_find_number (&type->type, chunk->message, chunk->size,
                                                "res_index");
  if (!vtr_trace_read_resource (command->trace, observation.resource, command->arena,
                                &observation.data, &size))
    observation.data = NULL;
  observation.size = MIN (observation.size, size);
  if (observation.size > 0)
    g_array_append_val (command->observations, observation);
}

static void
take_child (GapidCommand       *command,
            const VtrPackChunk *chunk)
{
  const VtrTraceType *type = vtr_trace_types_lookup (command->trace->types, chunk->type);

  if (type == NULL)
    return;
  if (type->is_call)
    {
      command->called = TRUE;
      command->has_result = vtr_pack_type_find (&type->type, "result") != NULL;
      command->result = vtr_gapid_find_number (&type->type, chunk->message, chunk->size, "result");
    }
  else if (g_str_equal (type->type.name, "memory.Observation"))
    take_observation (command, type, chunk);
}

/* Children follow their group, perhaps among chunks of other groups, until the end marker. */
static void
take_children (GapidCommand *command,
               const guint8 *at,
               const guint8 *end)
{
  VtrPackChunk chunk;

  for (gint64 distance = 1; vtr_pack_read (&at, end, &chunk) == VTR_OK; distance++)
    {
      if (chunk.kind == VTR_PACK_TYPE || chunk.parent != -distance)
        continue;
      if (chunk.kind == VTR_PACK_END)
        return;
      if (chunk.kind == VTR_PACK_OBJECT)
        take_child (command, &chunk);
    }
}

/* The captured value of each parameter, by name. */
static void
read_params (const VtrTraceType *type,
             VtrAbi              abi,
             const VtrPackChunk *chunk,
             guint64            *params)
{
  for (guint i = 0; i < vtr_cmd_get (type->command)->n_params; i++)
    {
      const VtrApiField *param = vtr_cmd_param (type->command, i);
      const VtrPackField *field;
      VtrPackFieldValue value;

      if (!vtr_gapid_find_field (&type->type, chunk->message, chunk->size,
                                 vtr_api_string (param->name),
                                 &field, &value) ||
          value.wire == VTR_PACK_WIRE_BYTES)
        continue;
      params[i] = vtr_gapid_undo_zigzag (field, value.value);
      if (param->size[abi] < sizeof *params)
        params[i] &= ((guint64)1 << (8 * param->size[abi])) - 1;
    }
}

static gboolean
fail (VtrTrace   *self,
      guint64     index,
      GError    **error,
      VtrStatus   status)
{
  g_autofree char *number = vtr_trace_format_number (self, index);

  g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
               _ ("Call %s (%s) cannot be read: %s."),
               number, vtr_cmd_name (vtr_trace_get_command_id (self, index)),
               vtr_status_to_string (status));
  return FALSE;
}

/* One of the calls that make the initial state again: a message as Vitrine writes them. */
static gboolean
decode_initial (VtrTrace    *self,
                guint64      index,
                VtrArena    *arena,
                VtrCommand  *out,
                GError     **error)
{
  const VtrGapidFile *file = self->source_data;
  const VtrGapidInitialCommand *command =
    &g_array_index (file->initial->commands, VtrGapidInitialCommand, index);
  VtrDecoded *decoded = vtr_arena_new (arena, VtrDecoded);
  VtrStatus status = VTR_NO_MEMORY;

  if (decoded != NULL)
    status = vtr_api_decode (command->id, file->initial->messages.data + command->offset,
                             command->size, NULL, arena, decoded);
  if (status != VTR_OK)
    return fail (self, index, error, status);
  out->has_result = decoded->has_result;
  out->result = decoded->result;
  out->args = decoded->args;
  out->decoded = decoded;
  return TRUE;
}

gboolean
vtr_gapid_decode (VtrTrace    *self,
                  guint64      index,
                  VtrArena    *arena,
                  VtrCommand  *out,
                  GError     **error)
{
  const VtrGapidFile *file = self->source_data;
  g_autoptr (GArray) observations = g_array_new (FALSE, FALSE, sizeof (VtrObservation));
  GapidCommand command = { .trace = self, .arena = arena, .observations = observations };
  const guint8 *at = self->data + g_array_index (self->tables->positions, VtrTracePosition, index);
  const guint8 *end = self->data + self->size;
  VtrDecoded *decoded = vtr_arena_new (arena, VtrDecoded);
  guint64 params[G_MAXUINT8 + 1] = { 0 };
  const VtrTraceType *type;
  VtrObservation *kept;
  VtrPackChunk chunk;
  VtrStatus status;

  if (file->initial != NULL && index < file->initial->commands->len)
    return decode_initial (self, index, arena, out, error);
  status = vtr_pack_read (&at, end, &chunk);
  type = status == VTR_OK ? vtr_trace_types_lookup (self->types, chunk.type) : NULL;
  if (type == NULL || !vtr_cmd_is_known (type->command))
    return fail (self, index, error, VTR_CORRUPT);
  read_params (type, self->info.abi, &chunk, params);
  take_children (&command, at, end);
  kept = vtr_arena_memdup (arena, observations->data, observations->len * sizeof (VtrObservation));
  status = VTR_NO_MEMORY;
  if (decoded != NULL && kept != NULL)
    status = vtr_api_rebuild (type->command, self->info.abi, params, kept, observations->len, arena,
                              decoded);
  if (status != VTR_OK)
    return fail (self, index, error, status);
  decoded->thread = (guint32)out->thread;
  decoded->result = command.result;
  decoded->has_result = command.has_result;
  out->has_result = command.has_result;
  out->result = command.result;
  out->args = decoded->args;
  out->decoded = decoded;
  return TRUE;
}

/* ---- Writes to memory and images ---- */

/* Depth of 24 bits comes in three bytes; copies take four. */
static gboolean
widen_depth (VtrContentRecord *write,
             VtrArena         *arena)
{
  guint64 n = (guint64)write->width * write->height * write->depth;
  guint8 *wide;

  if (write->aspect != VTR_PIXEL_DEPTH || write->size != n * 3 ||
      (write->format != VK_FORMAT_D24_UNORM_S8_UINT &&
       write->format != VK_FORMAT_X8_D24_UNORM_PACK32))
    return TRUE;
  wide = vtr_arena_alloc_array (arena, n, 4);
  if (wide == NULL)
    return FALSE;
  for (guint64 i = 0; i < n; i++)
    memcpy (wide + 4 * i, write->data + 3 * i, 3);
  write->data = wide;
  write->size = n * 4;
  return TRUE;
}

static guint
find_write (const GArray *writes,
            guint64       command)
{
  guint low = 0, high = writes->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (writes, VtrGapidWrite, middle).command < command)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

gsize
vtr_gapid_get_writes (VtrTrace                *self,
                      guint64                  index,
                      VtrArena                *arena,
                      const VtrContentRecord **out)
{
  const GArray *all = ((const VtrGapidFile *)self->source_data)->writes;
  g_autoptr (GArray) writes = g_array_new (FALSE, FALSE, sizeof (VtrContentRecord));

  for (guint i = find_write (all, index); i < all->len; i++)
    {
      const VtrGapidWrite *from = &g_array_index (all, VtrGapidWrite, i);
      VtrContentRecord write = from->content.write;
      const guint8 *data;
      gsize size;

      if (from->command != index)
        break;
      if (!vtr_trace_read_resource (self, from->content.resource, arena, &data, &size) ||
          from->content.from > size || write.size > size - from->content.from)
        continue;
      write.data = data + from->content.from;
      if (write.what == VTR_CONTENT_BYTES || widen_depth (&write, arena))
        g_array_append_val (writes, write);
    }
  *out = vtr_arena_memdup (arena, writes->data, writes->len * sizeof (VtrContentRecord));
  return *out != NULL ? writes->len : 0;
}
