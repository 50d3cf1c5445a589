/* Reads contents of objects that no command of the trace writes, with the help of the API that
 * their messages belong to. */
#include "engine/format/vtr-trace-private.h"

#include "vtr-config.h"

#include "engine/api/vtr-read-api.h"
#include "base/vtr-number.h"
#include "engine/format/vtr-trace-observations.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <glib/gi18n-lib.h>

/* ---- One object ---- */

static char *
keep_text (VtrArena                *arena,
           const VtrPackFieldValue *field)
{
  char *text = field->wire == VTR_PACK_WIRE_BYTES ? vtr_arena_alloc (arena, field->size + 1) : NULL;

  if (text != NULL && field->size > 0)
    memcpy (text, field->data, field->size);
  return text;
}

static void
take_texel_field (VtrContentRecord        *content,
                  VtrTexelContents        *out,
                  const VtrPackFieldValue *field,
                  VtrArena                *arena)
{
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
        content->kind = vtr_handle_from_name (kind);
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

static gboolean
read_texels (const VtrPackChunk *chunk,
             VtrArena           *arena,
             VtrContentRecord   *out)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrTexelContents *texels = vtr_arena_new (arena, VtrTexelContents);
  VtrPackFieldValue field;
  VtrStatus status;

  if (texels == NULL)
    return FALSE;
  *texels = (VtrTexelContents){ .width = 1, .height = 1, .depth = 1 };
  *out = (VtrContentRecord){ .what = VTR_CONTENT_TEXELS, .kind = VTR_HANDLE_NONE };
  while ((status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    take_texel_field (out, texels, &field, arena);
  out->texels = texels;
  return status == VTR_CLOSED && texels->format != NULL;
}

gboolean
vtr_trace_read_content (VtrTrace           *self,
                        VtrTraceObject      object,
                        const VtrPackChunk *chunk,
                        VtrArena           *arena,
                        VtrContentRecord   *out)
{
  if (object == VTR_OBJECT_TEXEL_CONTENTS)
    return read_texels (chunk, arena, out);
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    {
      const VtrReadApi *read = vtr_apis[i]->read;
      VtrContentObject where;

      if (read == NULL || read->read_content == NULL || !read->find_content (object, &where))
        continue;
      *out = (VtrContentRecord){ 0 };
      if (!read->read_content (object, chunk, out))
        return FALSE;
      out->object = vtr_trace_complete_name (self, out->kind, out->owner, out->object);
      return TRUE;
    }
  return FALSE;
}

/* *@resource: of the content that is not in the message; 0: all is in *@write. */
static gboolean
read_observation (const VtrContentRecord  *common,
                  const VtrPackFieldValue *observation,
                  VtrContentRecord        *write,
                  guint64                 *resource)
{
  VtrTraceObservation found = { 0 };

  if (!vtr_trace_parse_observation (observation, &found) || !vtr_trace_fill_zeros (&found))
    return FALSE;
  *write = *common;
  write->data = found.data;
  write->size = found.size;
  write->address = write->what == VTR_CONTENT_BYTES ? found.base : 0;
  if (write->what == VTR_CONTENT_BYTES)
    write->offset = common->offset + (found.base - common->address);
  *resource = found.resource;
  return TRUE;
}

/* ---- All before a command ---- */

typedef struct
{
  VtrTrace *trace;
  VtrArena *arena;
  gboolean load; /* contents are wanted */
  gsize nth;     /* of the next one */
  gsize wanted;  /* G_MAXSIZE: all */
  VtrTraceContentVisitor visit;
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

/* Sets no @error where the object is to blame. */
static gboolean
walk_object (Walk                *self,
             const VtrPackChunk  *chunk,
             guint32              object,
             GError             **error)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrContentRecord common;
  VtrPackFieldValue field;

  if (!vtr_trace_read_content (self->trace, (VtrTraceObject)object, chunk, self->arena,
                               &common))
    return FALSE;
  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    {
      VtrContentRecord write;
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
  VtrTraceContentVisitor visit;
  gpointer data;
  gsize wanted;
  VtrContentCursor *cursor; /* (nullable) */
} Choice;

static gboolean
walk_source (VtrTrace      *trace,
             guint64        index,
             const Choice  *choice,
             GError       **error)
{
  const VtrContentRecord *writes = NULL;
  gboolean ok = TRUE;
  VtrArena arena;
  gsize n;

  vtr_arena_init (&arena);
  n = trace->source->get_writes (trace, index, &arena, &writes);
  for (gsize i = 0; ok && i < n; i++)
    if (choice->wanted == G_MAXSIZE || choice->wanted == i)
      {
        VtrContentRecord write = writes[i];

        write.object = vtr_trace_complete_name (trace, write.kind, write.owner, write.object);
        ok = choice->visit (&write, i, choice->data, error);
      }
  vtr_arena_finish (&arena);
  return ok;
}

/* Returns: the mark to begin with. */
static guint
begin_walk (Walk                   *self,
            guint64                 index,
            const VtrContentCursor *cursor)
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
        *choice->cursor = (VtrContentCursor){ index, i, self.nth };
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
vtr_trace_each_content (VtrTrace                *self,
                        guint64                  index,
                        gboolean                 load,
                        VtrTraceContentVisitor   visit,
                        gpointer                 data,
                        GError                 **error)
{
  const Choice choice = { visit, data, G_MAXSIZE, NULL };

  return walk (self, index, load, &choice, error);
}

/* ---- Keeping them ---- */

typedef struct
{
  VtrArena *arena;
  GArray *writes; /* VtrContentRecord */
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
keep_write (const VtrContentRecord  *write,
            gsize                    nth,
            gpointer                 data,
            GError                 **error)
{
  Keeper *self = data;
  VtrContentRecord kept = *write;

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
vtr_trace_find_content (VtrTrace          *self,
                        guint64            index,
                        gsize              nth,
                        VtrContentCursor  *cursor,
                        VtrArena          *arena,
                        VtrContentRecord  *out,
                        GError           **error)
{
  g_autoptr (GArray) writes = g_array_new (FALSE, FALSE, sizeof (VtrContentRecord));
  Keeper keeper = { arena, writes };
  const Choice choice = { keep_write, &keeper, nth, cursor };

  if (!walk (self, index, TRUE, &choice, error) || writes->len == 0)
    return FALSE;
  *out = g_array_index (writes, VtrContentRecord, 0);
  return TRUE;
}

gsize
vtr_trace_get_contents (VtrTrace                *self,
                        guint64                  index,
                        VtrArena                *arena,
                        const VtrContentRecord **out,
                        GError                 **error)
{
  g_autoptr (GArray) writes = g_array_new (FALSE, FALSE, sizeof (VtrContentRecord));
  Keeper keeper = { arena, writes };

  *out = NULL;
  if (!vtr_trace_each_content (self, index, TRUE, keep_write, &keeper, error))
    return G_MAXSIZE;
  *out = vtr_arena_memdup (arena, writes->data, writes->len * sizeof (VtrContentRecord));
  return writes->len;
}
