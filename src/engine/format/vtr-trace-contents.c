/* Reads the contents of images with which a recording begins. */
#include "engine/format/vtr-trace-contents.h"

#include "engine/format/vtr-trace-private.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

static char *
keep_text (VtrArena                *arena,
           const VtrPackFieldValue *field)
{
  char *text = vtr_arena_alloc (arena, field->size + 1);

  if (text != NULL)
    {
      memcpy (text, field->data, field->size);
      text[field->size] = '\0';
    }
  return text;
}

/* The bytes of the observation, wherever they are. Returns: FALSE when they cannot be had. */
static gboolean
take_data (VtrTrace                *self,
           const VtrPackFieldValue *observation,
           VtrArena                *arena,
           VtrTexelContents        *out)
{
  const guint8 *at = observation->data, *end = at + observation->size;
  VtrPackFieldValue field;
  guint64 resource = 0;

  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == VTR_OBSERVATION_DATA && field.wire == VTR_PACK_WIRE_BYTES)
      {
        out->data = vtr_arena_memdup (arena, field.data, field.size);
        out->size = field.size;
      }
    else if (field.number == VTR_OBSERVATION_RESOURCE)
      resource = field.value;
  if (resource != 0)
    return vtr_trace_read_resource (self, resource, arena, &out->data, &out->size);
  return out->data != NULL;
}

static gboolean
read_message (VtrTrace           *self,
              const VtrPackChunk *chunk,
              VtrArena           *arena,
              VtrTexelContents   *out)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue field, reads = { 0 };
  const char *kind = NULL;
  VtrStatus status;

  *out = (VtrTexelContents){ .width = 1, .height = 1, .depth = 1, .kind = VTR_HANDLE_NONE };
  while ((status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    if (field.number == VTR_TEXEL_CONTENTS_READS && field.wire == VTR_PACK_WIRE_BYTES)
      reads = field;
    else if (field.number == VTR_TEXEL_CONTENTS_NAMESPACE)
      out->namespace = (guint32)field.value;
    else if (field.number == VTR_TEXEL_CONTENTS_KIND && field.wire == VTR_PACK_WIRE_BYTES)
      kind = keep_text (arena, &field);
    else if (field.number == VTR_TEXEL_CONTENTS_NAME)
      out->name = field.value;
    else if (field.number == VTR_TEXEL_CONTENTS_FORMAT && field.wire == VTR_PACK_WIRE_BYTES)
      out->format = keep_text (arena, &field);
    else if (field.number == VTR_TEXEL_CONTENTS_LEVEL)
      out->level = (guint32)field.value;
    else if (field.number == VTR_TEXEL_CONTENTS_LAYER)
      out->layer = (guint32)field.value;
    else if (field.number == VTR_TEXEL_CONTENTS_WIDTH)
      out->width = (guint32)field.value;
    else if (field.number == VTR_TEXEL_CONTENTS_HEIGHT)
      out->height = (guint32)field.value;
    else if (field.number == VTR_TEXEL_CONTENTS_DEPTH)
      out->depth = (guint32)field.value;
    else if (field.number == VTR_TEXEL_CONTENTS_WORD)
      out->word = (guint32)field.value;
  if (kind != NULL)
    out->kind = vtr_handle_from_name (kind);
  return status == VTR_CLOSED && out->format != NULL && reads.data != NULL &&
         take_data (self, &reads, arena, out);
}

gsize
vtr_trace_get_texel_contents (VtrTrace                *self,
                              guint64                  index,
                              VtrArena                *arena,
                              const VtrTexelContents **out,
                              GError                 **error)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (VtrTexelContents));
  const GArray *marks = self->tables->objects;

  *out = NULL;
  for (guint i = vtr_trace_tables_find_mark (marks, index); i < marks->len; i++)
    {
      const VtrTraceMark *mark = &g_array_index (marks, VtrTraceMark, i);
      g_autoptr (GBytes) keep = NULL;
      VtrTexelContents contents;
      VtrPackChunk chunk;

      if (mark->command != index)
        break;
      if (mark->object != VTR_OBJECT_TEXEL_CONTENTS)
        continue;
      if (!vtr_trace_read_chunk (self, mark->position, &keep, &chunk, error))
        return G_MAXSIZE;
      /* Contents that cannot be read are left out, as of other images. */
      if (read_message (self, &chunk, arena, &contents))
        g_array_append_val (found, contents);
    }
  *out = vtr_arena_memdup (arena, found->data, found->len * sizeof (VtrTexelContents));
  return found->len;
}
