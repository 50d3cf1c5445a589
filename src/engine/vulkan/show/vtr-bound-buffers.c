/* Makes rows for sets in descriptor buffers. */
#include "engine/vulkan/show/vtr-bound-builder.h"

#include "engine/memory/vtr-memory.h"
#include "base/vtr-number.h"
#include "engine/vulkan/state/vtr-older-form.h"

#include "api/vtr-api-args.h"

#include <glib/gi18n.h>

/* Where a set lies. */
typedef struct
{
  const VtrBufferFacts *facts;
  const VtrObject *buffer;
  guint64 handle, offset; /* of .buffer, and in it */
} Place;

/* Decodes the last command @id of the recording before the draw. */
static gboolean
decode_bind (VtrBoundBuilder *self,
             VtrCmdId         id,
             VtrCommand      *out)
{
  for (guint32 i = 0; i < self->state->n_dynamic; i++)
    if (self->state->dynamic[i].id == id)
      return vtr_trace_decode (vtr_analysis_get_trace (self->analysis),
                               self->state->dynamic[i].index, &self->source->arena, out, NULL);
  return FALSE;
}

static gboolean
find_place (VtrBoundBuilder *self,
            guint32          set,
            Place           *out)
{
  const VtrRecording *recording =
    vtr_timeline_get_recording (vtr_analysis_get_timeline (self->analysis), self->state->recording);
  const VtrArgs_vkCmdSetDescriptorBufferOffsetsEXT *offsets;
  const VtrArgs_vkCmdBindDescriptorBuffersEXT *buffers;
  VtrCommand command, bind;
  guint64 address, offset = 0;
  VtrOlderForms forms;
  guint32 nth, number;

  out->facts = vtr_buffer_facts_get (self->analysis);
  if (out->facts == NULL ||
      !vtr_trace_decode (vtr_analysis_get_trace (self->analysis),
                         recording->first + self->state->bind_points[self->point].set_command[set],
                         &self->source->arena, &command, NULL) ||
      !decode_bind (self, VTR_CMD_vkCmdBindDescriptorBuffersEXT, &bind))
    return FALSE;
  vtr_older_forms_init (&forms, &command);
  if (forms.command.id != VTR_CMD_vkCmdSetDescriptorBufferOffsetsEXT)
    return FALSE;
  offsets = forms.command.args;
  buffers = bind.args;
  nth = set - offsets->firstSet;
  if (offsets->pBufferIndices == NULL || offsets->pOffsets == NULL || nth >= offsets->setCount ||
      buffers->pBindingInfos == NULL ||
      (number = offsets->pBufferIndices[nth]) >= buffers->bufferCount)
    return FALSE;
  address = buffers->pBindingInfos[number].address;
  if (self->lookup == NULL)
    self->lookup = vtr_buffer_lookup_new (out->facts, self->history, self->submit);
  out->buffer = vtr_buffer_lookup_find_buffer (self->lookup, address, &out->handle, &offset);
  out->offset = offset + offsets->pOffsets[nth];
  return out->buffer != NULL;
}

/* Why the bytes of @view are not known. Returns: NULL when they are. */
static const char *
explain_unknown (const VtrMemoryView *view)
{
  for (guint i = 0; i < view->spans->len; i++)
    {
      const VtrMemorySpan *span = &g_array_index (view->spans, VtrMemorySpan, i);

      if (span->known)
        continue;
      if (span->kind == VTR_MEMORY_GPU_WRITTEN)
        return _ ("The GPU wrote this part of the descriptor buffer. The trace does not contain "
                  "its bytes.");
      if (span->kind == VTR_MEMORY_GPU_MAYBE)
        return _ ("The GPU may have written this part of the descriptor buffer. The trace does "
                  "not contain its bytes.");
    }
  return NULL;
}

/* Bytes of the buffer as the draw finds them: up to @n descriptors of @size bytes, as many as the
 * buffer has room for. Returns: NULL with the reason in @why. */
static GBytes *
read_bytes (VtrBoundBuilder  *self,
            const Place      *place,
            guint64           offset,
            guint64           size,
            guint32           n,
            char            **why)
{
  VtrMemory *memory = vtr_analysis_get_memory (self->analysis);
  g_autoptr (VtrMemoryView) view = NULL;
  g_autoptr (GError) error = NULL;
  guint64 begin, room, at;
  const char *unknown;
  guint32 space;

  if (!vtr_memory_locate_object (memory, self->submit, place->buffer->id, &space, &begin, &room))
    {
      *why = g_strdup (_ ("The descriptor buffer has no memory."));
      return NULL;
    }
  if (!g_uint64_checked_add (&at, place->offset, offset) || at > room || size > room - at)
    {
      *why = g_strdup (_ ("This binding lies beyond the end of the descriptor buffer."));
      return NULL;
    }
  n = (guint32)MIN (n, (room - at) / size);
  view = vtr_memory_read (memory, self->index, VTR_NO_RUN, space, begin + at, size * n, NULL,
                          &error);
  if (view == NULL)
    {
      *why = g_strdup (error->message);
      return NULL;
    }
  unknown = explain_unknown (view);
  if (unknown == NULL)
    return g_bytes_ref (view->bytes);
  *why = g_strdup (unknown);
  return NULL;
}

static gboolean
is_zero (const guint8 *bytes,
         gsize         size)
{
  for (gsize i = 0; i < size; i++)
    if (bytes[i] != 0)
      return FALSE;
  return TRUE;
}

/* Fills what @binding holds. Returns: NULL, or (transfer full) why that is not known. */
static char *
fill_binding (VtrBoundBuilder      *self,
              const Place          *place,
              guint64               layout,
              VtrDescriptorBinding *binding)
{
  gsize size = vtr_buffer_facts_get_size (place->facts, binding->type), n;
  gboolean foreign = FALSE, found = FALSE;
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *data;
  guint64 offset;
  char *why = NULL;

  if (!vtr_buffer_facts_find_offset (place->facts, layout, binding->binding, self->submit,
                                     &offset))
    return g_strdup (_ ("The offset of this binding is unknown: the program did not query it "
                        "(vkGetDescriptorSetLayoutBindingOffsetEXT)."));
  if (size == 0)
    return g_strdup (
      _ ("The program requested no descriptor of this type (vkGetDescriptorEXT) while it was "
         "recorded."));
  if (binding->n_descriptors == 0)
    return NULL;
  bytes = read_bytes (self, place, offset, size, binding->n_descriptors, &why);
  if (bytes == NULL)
    return why;
  data = g_bytes_get_data (bytes, &n);
  for (guint32 i = 0; i < n / size; i++, data += size)
    {
      if (vtr_buffer_lookup_find_descriptor (self->lookup, binding->type, data, size,
                                             &binding->descriptors[i]))
        found = TRUE;
      else
        foreign |= !is_zero (data, size);
    }
  return foreign && !found ? g_strdup (_ ("These bytes match no descriptor that the driver gave "
                                          "the program while it was recorded."))
                           : NULL;
}

static VtrPropertyRow *
make_unknown (const char *name,
              const char *why)
{
  VtrPropertyRow *row = vtr_property_row_new (name, _ ("unknown"), NULL, NULL);

  vtr_property_row_set_warning (row, why);
  vtr_property_row_set_note (row, why);
  return row;
}

void
vtr_bound_builder_add_buffer_set (VtrBoundBuilder       *self,
                                  VtrDescriptorContents *contents,
                                  guint32                set,
                                  VkShaderStageFlagBits  bits,
                                  GPtrArray             *rows)
{
  g_autofree char *note = NULL;
  Place place = { 0 };

  if (!find_place (self, set, &place))
    {
      g_ptr_array_add (rows, make_unknown (_ ("descriptor buffer"),
                                           _ ("The trace does not say which buffer is at the "
                                              "bound address.")));
      return;
    }
  note = g_strdup_printf (_ ("at %s"), VTR_NUMBER (place.offset));
  g_ptr_array_add (rows,
                   vtr_bound_builder_make_handle (self, _ ("descriptor buffer"),
                                                  VTR_HANDLE_VkBuffer, place.handle, note));
  for (guint32 i = 0; i < contents->n_bindings; i++)
    {
      VtrDescriptorBinding *binding = &contents->bindings[i];
      g_autofree char *why = NULL;

      if ((binding->stages & bits) == 0)
        continue;
      if (binding->type != VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        why = fill_binding (self, &place, contents->layout->handle, binding);
      if (why != NULL)
        {
          g_autofree char *name = vtr_bound_builder_name_binding (binding);

          g_ptr_array_add (rows, make_unknown (name, why));
        }
      else
        g_ptr_array_add (rows, vtr_bound_builder_make_binding (self, contents, set, i));
    }
}
