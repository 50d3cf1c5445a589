/* Finds the observed bytes in command messages and mapped writes. */
#include "engine/format/vtr-trace-observations.h"

#include "vtr-config.h"

#include "engine/format/vtr-trace-private.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <glib/gi18n-lib.h>
#include <string.h>

const guint8 *
vtr_trace_get_zeros (void)
{
  /* Never written to, so it takes no memory. */
  static guint8 zeros[VTR_TRACE_MAX_ZEROS];

  return zeros;
}

static gboolean
set_damaged (GError  **error,
             guint64   index)
{
  g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, index);

  g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
               _ ("The memory observed at call %s cannot be read: the trace is damaged there."),
               number);
  return FALSE;
}

gboolean
vtr_trace_parse_observation (const VtrPackFieldValue *message,
                             VtrTraceObservation     *out)
{
  const guint8 *at = message->data, *end = at + message->size;
  VtrPackFieldValue field;
  VtrStatus status;

  while ((status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    if (field.number == VTR_OBSERVATION_BASE)
      out->base = field.value;
    else if (field.number == VTR_OBSERVATION_DATA && field.wire == VTR_PACK_WIRE_BYTES)
      {
        out->data = field.data;
        out->size = field.size;
      }
    else if (field.number == VTR_OBSERVATION_RESOURCE)
      out->resource = field.value;
    else if (field.number == VTR_OBSERVATION_SIZE)
      out->size = field.value;
  return status == VTR_CLOSED;
}

gboolean
vtr_trace_fill_zeros (VtrTraceObservation *self)
{
  if (self->data != NULL || self->resource != 0 || self->size == 0)
    return TRUE;
  self->data = vtr_trace_get_zeros ();
  return self->size <= VTR_TRACE_MAX_ZEROS;
}

static gboolean
read_observation (const VtrPackFieldValue *message,
                  VtrTraceObservation     *out)
{
  return vtr_trace_parse_observation (message, out) && out->size <= G_MAXUINT64 - out->base &&
         vtr_trace_fill_zeros (out);
}

/* Files of a source: its decoder knows how. */
static gboolean
visit_decoded (VtrTrace                    *self,
               guint64                      index,
               VtrTraceObservationVisitor   visit,
               gpointer                     data,
               GError                     **error)
{
  VtrCommand command;
  VtrArena arena;
  gboolean ok;

  vtr_arena_init (&arena);
  ok = vtr_trace_decode (self, index, &arena, &command, error);
  for (gsize i = 0; ok && command.decoded != NULL && i < command.decoded->n_observations; i++)
    {
      const VtrObservation *seen = &command.decoded->observations[i];
      const VtrTraceObservation observation = {
        .base = seen->base,
        .size = MIN (seen->size, G_MAXUINT64 - seen->base),
        .data = seen->data,
        .resource = seen->resource,
        .write = seen->write,
      };

      if (seen->data != NULL && !visit (&observation, data))
        break;
    }
  vtr_arena_finish (&arena);
  return ok;
}

gboolean
vtr_trace_visit_observations (VtrTrace                    *self,
                              guint64                      index,
                              VtrTraceObservationVisitor   visit,
                              gpointer                     data,
                              GError                     **error)
{
  g_autoptr (GBytes) keep = NULL;
  const guint8 *at, *end;
  VtrPackFieldValue field;
  VtrPackChunk chunk;
  VtrStatus status;

  if (self->source != NULL || index >= self->tables->positions->len)
    return visit_decoded (self, index, visit, data, error);
  if (!vtr_trace_read_chunk (self, g_array_index (self->tables->positions, VtrTracePosition, index),
                             &keep, &chunk, error))
    return FALSE;
  at = chunk.message;
  end = at + chunk.size;
  while ((status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    {
      VtrTraceObservation observation = { .write = field.number == VTR_COMMAND_WRITES };

      if ((field.number != VTR_COMMAND_READS && field.number != VTR_COMMAND_WRITES) ||
          field.wire != VTR_PACK_WIRE_BYTES)
        continue;
      if (!read_observation (&field, &observation))
        return set_damaged (error, index);
      if (observation.size > 0 && !visit (&observation, data))
        return TRUE;
    }
  return status == VTR_CLOSED || set_damaged (error, index);
}

/* --- Mapped memory --------------------------------------------------------------------------- */

/* *@go_on: FALSE when the visitor had enough. */
static gboolean
visit_mark (VtrTrace                   *self,
            const VtrPackChunk         *chunk,
            VtrTraceObservationVisitor  visit,
            gpointer                    data,
            gboolean                   *go_on)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue field;
  VtrContentRecord mapping;

  if (!vtr_trace_read_content (self, VTR_OBJECT_MAPPED_WRITES, chunk, NULL, &mapping))
    return FALSE;
  while (*go_on && vtr_pack_next_field (&at, end, &field) == VTR_OK)
    {
      VtrTraceObservation observation = { .memory = mapping.object };

      if (field.number != VTR_MAPPED_WRITES_READS || field.wire != VTR_PACK_WIRE_BYTES)
        continue;
      if (!read_observation (&field, &observation))
        return FALSE;
      observation.base = mapping.offset + (observation.base - mapping.address);
      if (observation.size > G_MAXUINT64 - observation.base)
        return FALSE;
      if (observation.size > 0)
        *go_on = visit (&observation, data);
    }
  return TRUE;
}

static gboolean
visit_decoded_writes (VtrTrace                    *self,
                      guint64                      index,
                      VtrTraceObservationVisitor   visit,
                      gpointer                     data,
                      GError                     **error)
{
  const VtrContentRecord *writes = NULL;
  VtrArena arena;
  gsize n;

  vtr_arena_init (&arena);
  n = vtr_trace_get_contents (self, index, &arena, &writes, error);
  for (gsize i = 0; n != G_MAXSIZE && i < n; i++)
    {
      const VtrTraceObservation observation = {
        .memory = writes[i].object,
        .base = writes[i].offset,
        .size = MIN (writes[i].size, G_MAXUINT64 - writes[i].offset),
        .data = writes[i].data,
      };

      if (writes[i].what == VTR_CONTENT_BYTES && !visit (&observation, data))
        break;
    }
  vtr_arena_finish (&arena);
  return n != G_MAXSIZE;
}

gboolean
vtr_trace_visit_mapped_writes (VtrTrace                    *self,
                               guint64                      index,
                               VtrTraceObservationVisitor   visit,
                               gpointer                     data,
                               GError                     **error)
{
  const GArray *marks = self->tables->mapped;
  gboolean go_on = TRUE;

  if (self->source != NULL)
    return visit_decoded_writes (self, index, visit, data, error);
  for (guint i = vtr_trace_tables_find_mark (marks, index); go_on && i < marks->len; i++)
    {
      const VtrTraceMark *mark = &g_array_index (marks, VtrTraceMark, i);
      g_autoptr (GBytes) keep = NULL;
      VtrPackChunk chunk;

      if (mark->command != index)
        break;
      if (mark->object != VTR_OBJECT_MAPPED_WRITES)
        continue;
      if (!vtr_trace_read_chunk (self, mark->position, &keep, &chunk, error))
        return FALSE;
      if (!visit_mark (self, &chunk, visit, data, &go_on))
        return set_damaged (error, index);
    }
  return TRUE;
}

gboolean
vtr_trace_copy_observed (VtrTrace                  *self,
                         const VtrTraceObservation *observation,
                         guint64                    offset,
                         gsize                      size,
                         VtrArena                  *arena,
                         guint8                    *out)
{
  const guint8 *bytes = observation->data;
  gsize n = observation->size;

  if (bytes == NULL &&
      (observation->resource == 0 ||
       !vtr_trace_read_resource (self, observation->resource, arena, &bytes, &n)))
    return FALSE;
  if (offset > n || size > n - offset)
    return FALSE;
  memcpy (out, bytes + offset, size);
  return TRUE;
}

gsize
vtr_command_get_observed_size (const VtrCommand *command,
                               const void       *slot)
{
  guint64 address = command->decoded != NULL ? vtr_decoded_address (command->decoded, slot) : 0;

  for (gsize i = 0; address != 0 && i < command->decoded->n_observations; i++)
    {
      const VtrObservation *observation = &command->decoded->observations[i];

      if (address >= observation->base && address - observation->base < observation->size)
        return observation->size - (address - observation->base);
    }
  return 0;
}
