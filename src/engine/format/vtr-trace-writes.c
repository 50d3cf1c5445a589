/* Reads contents of memory and images that no command of the trace writes: vitrine.MappedWrites,
 * vitrine.ImageContents, vitrine.StructureContents and vitrine.TexelContents. */
#include "engine/format/vtr-trace-private.h"

#include "vtr-config.h"

#include "engine/api/vtr-read-api.h"
#include "base/vtr-number.h"
#include "engine/format/vtr-trace-observations.h"
#include "vulkan/vtr-vulkan.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <glib/gi18n-lib.h>

/* ---- One object ---- */

/* Data that all observations of an object share. */
typedef struct
{
  VtrMappedWrite write;
  guint64 map_offset;
  guint64 map_address;
  VtrTexelContents texels;
} Common;

static void
take_memory_field (Common                  *common,
                   const VtrPackFieldValue *field)
{
  switch (field->number)
    {
    case VTR_MAPPED_WRITES_DEVICE:
      common->write.device = field->value;
      break;
    case VTR_MAPPED_WRITES_MEMORY:
      common->write.memory = field->value;
      break;
    case VTR_MAPPED_WRITES_MAP_OFFSET:
      common->map_offset = field->value;
      break;
    case VTR_MAPPED_WRITES_MAP_ADDRESS:
      common->map_address = field->value;
      break;
    default:
      break;
    }
}

static void
take_image_field (VtrMappedWrite          *write,
                  const VtrPackFieldValue *field)
{
  guint32 value = (guint32)field->value;

  switch (field->number)
    {
    case VTR_IMAGE_CONTENTS_DEVICE:
      write->device = field->value;
      break;
    case VTR_IMAGE_CONTENTS_IMAGE:
      write->image = field->value;
      break;
    case VTR_IMAGE_CONTENTS_ASPECT:
      write->aspect = value;
      break;
    case VTR_IMAGE_CONTENTS_MIP:
      write->mip = value;
      break;
    case VTR_IMAGE_CONTENTS_LAYER:
      write->layer = value;
      break;
    case VTR_IMAGE_CONTENTS_LAYOUT:
      write->layout = (VkImageLayout)value;
      break;
    case VTR_IMAGE_CONTENTS_FORMAT:
      write->format = (VkFormat)value;
      break;
    case VTR_IMAGE_CONTENTS_WIDTH:
      write->extent.width = value;
      break;
    case VTR_IMAGE_CONTENTS_HEIGHT:
      write->extent.height = value;
      break;
    case VTR_IMAGE_CONTENTS_DEPTH:
      write->extent.depth = value;
      break;
    case VTR_IMAGE_CONTENTS_ROW_PITCH:
      write->row_pitch = field->value;
      break;
    case VTR_IMAGE_CONTENTS_DEPTH_PITCH:
      write->depth_pitch = field->value;
      break;
    case VTR_IMAGE_CONTENTS_SAMPLE:
      write->sample = value;
      break;
    case VTR_IMAGE_CONTENTS_X:
      write->x = value;
      break;
    case VTR_IMAGE_CONTENTS_Y:
      write->y = value;
      break;
    case VTR_IMAGE_CONTENTS_Z:
      write->z = value;
      break;
    default:
      break;
    }
}

static void
take_structure_field (VtrMappedWrite          *write,
                      const VtrPackFieldValue *field)
{
  switch (field->number)
    {
    case VTR_STRUCTURE_CONTENTS_DEVICE:
      write->device = field->value;
      break;
    case VTR_STRUCTURE_CONTENTS_STRUCTURE:
      write->structure = field->value;
      break;
    case VTR_STRUCTURE_CONTENTS_OFFSET:
      write->offset = field->value;
      break;
    case VTR_STRUCTURE_CONTENTS_WHOLE:
      write->whole = field->value;
      break;
    default:
      break;
    }
}

static char *
keep_text (VtrArena                *arena,
           const VtrPackFieldValue *field)
{
  char *text = field->wire == VTR_PACK_WIRE_BYTES ? vtr_arena_alloc (arena, field->size + 1) : NULL;

  if (text != NULL)
    {
      memcpy (text, field->data, field->size);
      text[field->size] = '\0';
    }
  return text;
}

static void
take_texel_field (Common                  *common,
                  const VtrPackFieldValue *field,
                  VtrArena                *arena)
{
  VtrTexelContents *out = &common->texels;
  const guint32 value = (guint32)field->value;
  const char *kind;

  switch (field->number)
    {
    case VTR_TEXEL_CONTENTS_NAMESPACE:
      out->namespace = value;
      break;
    case VTR_TEXEL_CONTENTS_KIND:
      kind = keep_text (arena, field);
      if (kind != NULL)
        common->write.kind = vtr_handle_from_name (kind);
      break;
    case VTR_TEXEL_CONTENTS_NAME:
      out->name = field->value;
      break;
    case VTR_TEXEL_CONTENTS_FORMAT:
      out->format = keep_text (arena, field);
      break;
    case VTR_TEXEL_CONTENTS_LEVEL:
      out->level = value;
      break;
    case VTR_TEXEL_CONTENTS_LAYER:
      out->layer = value;
      break;
    case VTR_TEXEL_CONTENTS_WIDTH:
      out->width = value;
      break;
    case VTR_TEXEL_CONTENTS_HEIGHT:
      out->height = value;
      break;
    case VTR_TEXEL_CONTENTS_DEPTH:
      out->depth = value;
      break;
    case VTR_TEXEL_CONTENTS_WORD:
      out->word = value;
      break;
    default:
      break;
    }
}

/* The kind of the object whose contents messages of type @object are, which one API knows. */
static guint32
find_kind (guint32 object)
{
  VtrContentObject at;

  for (gsize i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->read != NULL && vtr_apis[i]->read->find_content != NULL &&
        vtr_apis[i]->read->find_content ((VtrTraceObject)object, &at))
      return at.kind;
  return VTR_HANDLE_NONE;
}

/* The observations come before the fields they depend on. @arena: takes texts. */
static gboolean
read_common (const VtrPackChunk *chunk,
             guint32             object,
             VtrArena           *arena,
             Common             *out)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  const gboolean texels = object == VTR_OBJECT_TEXEL_CONTENTS;
  VtrPackFieldValue field;
  VtrStatus status;

  *out = (Common){ .texels = { .width = 1, .height = 1, .depth = 1 } };
  out->write.kind = texels ? (guint32)VTR_HANDLE_NONE : find_kind (object);
  out->write.texels = texels ? &out->texels : NULL;
  while ((status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    if (texels)
      take_texel_field (out, &field, arena);
    else if (object == VTR_OBJECT_IMAGE_CONTENTS)
      take_image_field (&out->write, &field);
    else if (object == VTR_OBJECT_STRUCTURE_CONTENTS)
      take_structure_field (&out->write, &field);
    else
      take_memory_field (out, &field);
  /* An image or a structure without a handle would be taken for memory. */
  return status == VTR_CLOSED && (!texels || out->texels.format != NULL) &&
         vtr_mapped_write_is_memory (&out->write) == (object == VTR_OBJECT_MAPPED_WRITES);
}

/* *@resource: of the content that is not in the message; 0: all is in *@write. */
static gboolean
read_observation (const Common            *common,
                  const VtrPackFieldValue *observation,
                  VtrMappedWrite          *write,
                  guint64                 *resource)
{
  const guint8 *at = observation->data, *end = at + observation->size;
  VtrPackFieldValue field;
  VtrStatus status;

  *write = common->write;
  *resource = 0;
  while ((status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    if (field.number == VTR_OBSERVATION_BASE)
      write->address = field.value;
    else if (field.number == VTR_OBSERVATION_DATA && field.wire == VTR_PACK_WIRE_BYTES)
      {
        write->data = field.data;
        write->size = field.size;
      }
    else if (field.number == VTR_OBSERVATION_RESOURCE)
      *resource = field.value;
    else if (field.number == VTR_OBSERVATION_SIZE)
      write->size = field.value;
  if (write->data == NULL && *resource == 0 && write->size > 0)
    {
      if (write->size > VTR_TRACE_MAX_ZEROS)
        return FALSE;
      write->data = vtr_trace_get_zeros ();
    }
  if (!vtr_mapped_write_is_memory (write))
    write->address = 0;
  else
    write->offset = common->map_offset + (write->address - common->map_address);
  return status == VTR_CLOSED;
}

/* ---- All before a command ---- */

typedef struct
{
  VtrTrace *trace;
  VtrArena *arena;
  gboolean load; /* contents are wanted */
  gsize nth;     /* of the next one */
  gsize wanted;  /* G_MAXSIZE: all */
  VtrTraceWriteVisitor visit;
  gpointer data;
} Walk;

static gboolean
set_damaged (GError  **error,
             guint64   index)
{
  g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
               _ ("The memory observed at call %s cannot be read: the trace is damaged there."),
               VTR_NUMBER (index));
  return FALSE;
}

static void
replace_shared (const VtrSharedHandles *shared,
                VtrMappedWrite         *write)
{
  if (shared == NULL)
    return;
  write->memory =
    vtr_shared_handles_replace (shared, VTR_HANDLE_VkDeviceMemory, write->device, write->memory);
  write->image =
    vtr_shared_handles_replace (shared, VTR_HANDLE_VkImage, write->device, write->image);
  write->structure = vtr_shared_handles_replace (shared, VTR_HANDLE_VkAccelerationStructureKHR,
                                                 write->device, write->structure);
}

/* Sets no @error where the object is to blame. */
static gboolean
walk_object (Walk                *self,
             const VtrPackChunk  *chunk,
             guint32              object,
             GError             **error)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue field;
  Common common;

  if (!read_common (chunk, object, self->arena, &common))
    return FALSE;
  replace_shared (self->trace->shared_handles, &common.write);
  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    {
      VtrMappedWrite write;
      guint64 resource;
      gsize nth;

      if (field.number != VTR_MAPPED_WRITES_READS || field.wire != VTR_PACK_WIRE_BYTES)
        continue;
      if (!read_observation (&common, &field, &write, &resource))
        return FALSE;
      if (write.size == 0 && resource == 0)
        continue;
      nth = self->nth++;
      if (self->wanted != G_MAXSIZE && self->wanted != nth)
        continue;
      if (self->load && resource != 0 &&
          !vtr_trace_read_resource (self->trace, resource, self->arena, &write.data, &write.size))
        return FALSE;
      if (!self->visit (&write, nth, self->data, error))
        return FALSE;
    }
  return TRUE;
}

typedef struct
{
  VtrTraceWriteVisitor visit;
  gpointer data;
  gsize wanted;
  VtrMappedWriteCursor *cursor; /* (nullable) */
} Choice;

static gboolean
walk_source (VtrTrace      *trace,
             guint64        index,
             const Choice  *choice,
             GError       **error)
{
  const VtrMappedWrite *writes = NULL;
  gboolean ok = TRUE;
  VtrArena arena;
  gsize n;

  vtr_arena_init (&arena);
  n = trace->source->get_writes (trace, index, &arena, &writes);
  for (gsize i = 0; ok && i < n; i++)
    if (choice->wanted == G_MAXSIZE || choice->wanted == i)
      {
        VtrMappedWrite write = writes[i];

        replace_shared (trace->shared_handles, &write);
        ok = choice->visit (&write, i, choice->data, error);
      }
  vtr_arena_finish (&arena);
  return ok;
}

/* Returns: the mark to begin with. */
static guint
begin_walk (Walk                       *self,
            guint64                     index,
            const VtrMappedWriteCursor *cursor)
{
  if (cursor == NULL || cursor->mark == 0 || cursor->index != index || cursor->nth > self->wanted)
    return vtr_trace_tables_find_mark (self->trace->tables->mapped, index);
  self->nth = cursor->nth;
  return cursor->mark;
}

static gboolean
walk (VtrTrace      *trace,
      guint64        index,
      gboolean       load,
      const Choice  *choice,
      GError       **error)
{
  const GArray *marks = trace->tables->mapped;
  gboolean ok = TRUE;
  VtrArena arena;
  Walk self = {
    .trace = trace,
    .arena = &arena,
    .load = load,
    .wanted = choice->wanted,
    .visit = choice->visit,
    .data = choice->data,
  };

  if (trace->source != NULL)
    return walk_source (trace, index, choice, error);
  vtr_arena_init (&arena);
  for (guint i = begin_walk (&self, index, choice->cursor); ok && i < marks->len; i++)
    {
      const VtrTraceMark *mark = &g_array_index (marks, VtrTraceMark, i);
      g_autoptr (GBytes) keep = NULL;
      g_autoptr (GError) own = NULL;
      VtrPackChunk chunk;

      if (mark->command != index || (self.wanted != G_MAXSIZE && self.nth > self.wanted))
        break;
      if (choice->cursor != NULL)
        *choice->cursor = (VtrMappedWriteCursor){ index, i, self.nth };
      ok = vtr_trace_read_chunk (trace, mark->position, &keep, &chunk, &own);
      if (ok && !walk_object (&self, &chunk, mark->object, &own))
        ok = FALSE;
      if (!ok && own == NULL)
        set_damaged (&own, index);
      if (!ok)
        g_propagate_error (error, g_steal_pointer (&own));
      vtr_arena_reset (&arena);
    }
  vtr_arena_finish (&arena);
  return ok;
}

gboolean
vtr_trace_each_mapped_write (VtrTrace              *self,
                             guint64                index,
                             gboolean               load,
                             VtrTraceWriteVisitor   visit,
                             gpointer               data,
                             GError               **error)
{
  const Choice choice = { visit, data, G_MAXSIZE, NULL };

  return walk (self, index, load, &choice, error);
}

/* ---- Keeping them ---- */

typedef struct
{
  VtrArena *arena;
  GArray *writes; /* VtrMappedWrite */
} Keeper;

static const VtrTexelContents *
keep_texels (const VtrTexelContents *texels,
             VtrArena               *arena)
{
  VtrTexelContents kept = *texels;

  kept.format = vtr_arena_memdup (arena, texels->format, strlen (texels->format) + 1);
  return kept.format != NULL ? vtr_arena_memdup (arena, &kept, sizeof kept) : NULL;
}

static gboolean
keep_write (const VtrMappedWrite  *write,
            gsize                  nth,
            gpointer               data,
            GError               **error)
{
  Keeper *self = data;
  VtrMappedWrite kept = *write;

  if (kept.data != vtr_trace_get_zeros ())
    kept.data = vtr_arena_memdup (self->arena, write->data, write->size);
  if (write->texels != NULL)
    kept.texels = keep_texels (write->texels, self->arena);
  if (kept.data == NULL || (write->texels != NULL && kept.texels == NULL))
    return FALSE; /* beyond the arena's limit: what is so large is no trace */
  g_array_append_val (self->writes, kept);
  return TRUE;
}

gboolean
vtr_trace_find_mapped_write (VtrTrace              *self,
                             guint64                index,
                             gsize                  nth,
                             VtrMappedWriteCursor  *cursor,
                             VtrArena              *arena,
                             VtrMappedWrite        *out,
                             GError               **error)
{
  g_autoptr (GArray) writes = g_array_new (FALSE, FALSE, sizeof (VtrMappedWrite));
  Keeper keeper = { arena, writes };
  const Choice choice = { keep_write, &keeper, nth, cursor };

  if (!walk (self, index, TRUE, &choice, error) || writes->len == 0)
    return FALSE;
  *out = g_array_index (writes, VtrMappedWrite, 0);
  return TRUE;
}

gsize
vtr_trace_get_mapped_writes (VtrTrace              *self,
                             guint64                index,
                             VtrArena              *arena,
                             const VtrMappedWrite **out,
                             GError               **error)
{
  g_autoptr (GArray) writes = g_array_new (FALSE, FALSE, sizeof (VtrMappedWrite));
  Keeper keeper = { arena, writes };

  *out = NULL;
  if (!vtr_trace_each_mapped_write (self, index, TRUE, keep_write, &keeper, error))
    return G_MAXSIZE;
  *out = vtr_arena_memdup (arena, writes->data, writes->len * sizeof (VtrMappedWrite));
  return writes->len;
}
