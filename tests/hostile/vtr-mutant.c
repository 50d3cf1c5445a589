/* Makes hostile traces from real ones: reads all objects of a trace, changes, drops, repeats or
 * moves some, and writes a valid file. */
#include "vtr-mutant-private.h"

#include "api/vtr-api-walk.h"

#include <gio/gio.h>
#include <string.h>
#include <zstd.h>

#define MAX_POOL 8192
#define MAX_MUTATIONS 6

/* --- Reading --------------------------------------------------------------------------------- */

static void
chunk_clear (gpointer data)
{
  g_clear_pointer (&((Chunk *)data)->message, g_bytes_unref);
}

/* @compressed: (out) */
static GByteArray *
read_plain (const char  *path,
            gboolean    *compressed,
            GError     **error)
{
  GByteArray *plain = g_byte_array_new ();
  g_autofree guint8 *piece = g_malloc (1 << 17);
  g_autofree char *data = NULL;
  ZSTD_DCtx *context;
  ZSTD_inBuffer in = { 0 };
  unsigned major, minor;
  size_t left = 1;

  if (!g_file_get_contents (path, &data, &in.size, error))
    return NULL;
  if (vtr_pack_sniff ((const guint8 *)data, in.size, &major, &minor) == VTR_PACK_MAGIC_2)
    {
      g_byte_array_append (plain, (const guint8 *)data, (guint)in.size);
      *compressed = FALSE;
      return plain;
    }
  *compressed = TRUE;
  in.src = data;
  context = ZSTD_createDCtx ();
  while (!ZSTD_isError (left) && in.pos < in.size)
    {
      ZSTD_outBuffer out = { piece, 1 << 17, 0 };

      left = ZSTD_decompressStream (context, &out, &in);
      g_byte_array_append (plain, piece, (guint)out.pos);
    }
  ZSTD_freeDCtx (context);
  return plain;
}

static void
add_to_pool (VtrMutantSource *self,
             const guint8    *data,
             gsize            size)
{
  for (gsize at = 0; at + 8 <= MIN (size, 512) && self->pool->len < MAX_POOL; at += 8)
    {
      guint64 value;

      memcpy (&value, data + at, sizeof value);
      if (value > 0xffff)
        g_array_append_val (self->pool, value);
    }
}

static void
collect (VtrMutantSource *self,
         const guint8    *at,
         gsize            size,
         guint            depth)
{
  const guint8 *end = at + size;
  VtrPackFieldValue field;

  while (vtr_pack_next_field (&at, end, &field) == VTR_OK && self->pool->len < MAX_POOL)
    if (field.wire == VTR_PACK_WIRE_FIXED64 && field.value > 0xffff)
      g_array_append_val (self->pool, field.value);
    else if (field.wire == VTR_PACK_WIRE_BYTES && depth == 0 &&
             (field.number == VTR_COMMAND_READS || field.number == VTR_COMMAND_WRITES))
      collect (self, field.data, field.size, 1);
    else if (field.wire == VTR_PACK_WIRE_BYTES && depth == 1)
      add_to_pool (self, field.data, field.size);
}

static void
add_place (VtrMutantSource *self,
           const char      *name,
           guint            place)
{
  GArray *kind = g_hash_table_lookup (self->kinds_by_name, name);

  if (kind == NULL)
    {
      kind = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (self->kinds_by_name, (gpointer)name, kind);
      g_ptr_array_add (self->kinds, kind);
    }
  g_array_append_val (kind, place);
  g_array_append_val (self->objects, place);
}

static void
add_chunk (VtrMutantSource    *self,
           const VtrPackChunk *from)
{
  Chunk chunk = { from->kind, from->parent, from->type,
                  NULL, g_bytes_new (from->message, from->size), FALSE };

  if (from->kind == VTR_PACK_TYPE)
    {
      chunk.name = g_string_chunk_insert_len (self->names, (const char *)from->name,
                                              (gssize)from->name_size);
      g_ptr_array_add (self->types, (gpointer)chunk.name);
    }
  else if (from->type > 0 && from->type <= self->types->len)
    {
      chunk.name = g_ptr_array_index (self->types, from->type - 1);
      /* It says where everything is; without it the file is looked through. */
      if (g_str_equal (chunk.name, "vitrine.Index"))
        {
          chunk_clear (&chunk);
          return;
        }
      chunk.is_command = g_str_has_prefix (chunk.name, "vulkan.vk");
      if (from->kind == VTR_PACK_OBJECT || chunk.is_command)
        add_place (self, chunk.name, self->chunks->len);
      if (chunk.is_command)
        collect (self, from->message, from->size, 0);
    }
  g_array_append_val (self->chunks, chunk);
}

VtrMutantSource *
vtr_mutant_source_new (const char  *path,
                       GError     **error)
{
  VtrMutantSource *self;
  gboolean compressed;
  g_autoptr (GByteArray) plain = read_plain (path, &compressed, error);
  const guint8 *at, *end;
  VtrPackChunk chunk;

  if (plain == NULL)
    return NULL;
  self = g_new0 (VtrMutantSource, 1);
  self->chunks = g_array_new (FALSE, FALSE, sizeof (Chunk));
  g_array_set_clear_func (self->chunks, chunk_clear);
  self->names = g_string_chunk_new (4096);
  self->types = g_ptr_array_new ();
  self->pool = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->objects = g_array_new (FALSE, FALSE, sizeof (guint));
  self->kinds = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  self->kinds_by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self->is_vitrine = compressed;
  at = plain->data + MIN (plain->len, VTR_PACK_HEADER_SIZE);
  end = plain->data + plain->len;
  while (vtr_pack_read (&at, end, &chunk) == VTR_OK)
    add_chunk (self, &chunk);
  if (self->objects->len > 0)
    return self;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s has no objects", path);
  vtr_mutant_source_free (self);
  return NULL;
}

void
vtr_mutant_source_free (VtrMutantSource *self)
{
  g_array_unref (self->chunks);
  g_string_chunk_free (self->names);
  g_ptr_array_unref (self->types);
  g_array_unref (self->pool);
  g_array_unref (self->objects);
  g_ptr_array_unref (self->kinds);
  g_hash_table_unref (self->kinds_by_name);
  g_free (self);
}

/* --- Messages -------------------------------------------------------------------------------- */

static void
field_clear (gpointer data)
{
  g_clear_pointer (&((Field *)data)->bytes, g_byte_array_unref);
}

GArray *
vtr_mutant_split (const guint8 *at,
                  gsize         size)
{
  GArray *fields = g_array_new (FALSE, FALSE, sizeof (Field));
  const guint8 *end = at + size;
  VtrPackFieldValue value;

  g_array_set_clear_func (fields, field_clear);
  while (vtr_pack_next_field (&at, end, &value) == VTR_OK)
    {
      Field field = { value.number, value.wire, value.value, NULL };

      if (value.wire == VTR_PACK_WIRE_BYTES)
        {
          field.bytes = g_byte_array_new ();
          g_byte_array_append (field.bytes, value.data, (guint)value.size);
        }
      g_array_append_val (fields, field);
    }
  return fields;
}

static void
join (GArray    *fields,
      VtrBuffer *to)
{
  for (guint i = 0; i < fields->len; i++)
    {
      const Field *field = &g_array_index (fields, Field, i);

      if (field->wire == VTR_PACK_WIRE_VARINT)
        vtr_pack_append_varint (to, field->number, field->value);
      else if (field->wire == VTR_PACK_WIRE_FIXED64)
        vtr_pack_append_fixed64 (to, field->number, field->value);
      else if (field->wire == VTR_PACK_WIRE_FIXED32)
        vtr_pack_append_fixed32 (to, field->number, (guint32)field->value);
      else
        vtr_pack_append_bytes (to, field->number, field->bytes->data, field->bytes->len);
    }
}

void
vtr_mutant_replace (Chunk  *chunk,
                    GArray *fields)
{
  VtrBuffer joined = { 0 };

  join (fields, &joined);
  g_bytes_unref (chunk->message);
  chunk->message = g_bytes_new (joined.data, joined.size);
  vtr_buffer_finish (&joined);
}

/* --- Numbers --------------------------------------------------------------------------------- */

guint
vtr_mutant_below (Mutator *self,
                  guint    limit)
{
  return limit == 0 ? 0 : g_rand_int (self->rand) % limit;
}

guint64
vtr_mutant_pick_number (Mutator *self)
{
  const GArray *pool = self->source->pool;

  return pool->len == 0 ? 0 : g_array_index (pool, guint64, vtr_mutant_below (self, pool->len));
}

static guint64
wrong_number (Mutator *self,
              guint64  was,
              guint    bits)
{
  static const guint64 values[] = { 0, 1, 2, 3, 7, 8, 16, 33, 64, 255, 256, 4096, 0xffff, 0x10000,
                                    0x1000000, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
                                    0x7fffffffffffffff, 0x8000000000000000, G_MAXUINT64,
                                    G_MAXUINT64 - 7, 0x100000000, 0x3f800000, 0x7fc00000,
                                    1000000000, 1000001003, 1000059000 };

  switch (vtr_mutant_below (self, bits == 64 ? 9 : 7))
    {
    case 0:
      return was + 1;
    case 1:
      return was - 1;
    case 2:
      return was * 2;
    case 3:
      return vtr_mutant_below (self, 70); /* an enumerant, a structure's type, a count */
    case 4:
      return was ^ (G_GUINT64_CONSTANT (1) << vtr_mutant_below (self, bits));
    case 5:
    case 6:
      return values[vtr_mutant_below (self, G_N_ELEMENTS (values))];
    default:
      return vtr_mutant_pick_number (self); /* another object, another address */
    }
}

/* Structures as the driver reads them: words, and pointers or handles. @near: the address that the
 * bytes were at, for chains that come back to where they were. */
static void
change_words (Mutator    *self,
              GByteArray *bytes,
              guint64     near)
{
  gboolean wide = bytes->len >= 8 && vtr_mutant_below (self, 5) < 2;
  guint64 value = 0;
  gsize width = wide ? 8 : 4, at;

  if (bytes->len < 4)
    {
      if (bytes->len > 0)
        bytes->data[vtr_mutant_below (self, bytes->len)] = (guint8)g_rand_int (self->rand);
      return;
    }
  at = vtr_mutant_below (self, (guint)(bytes->len / width)) * width;
  memcpy (&value, bytes->data + at, width);
  if (wide && near != 0 && vtr_mutant_below (self, 4) == 0)
    value = near + vtr_mutant_below (self, 4) * 8;
  else
    value = wrong_number (self, value, wide ? 64 : 32);
  memcpy (bytes->data + at, &value, width);
  g_string_append_printf (self->story, " word at %zu becomes 0x%" G_GINT64_MODIFIER "x;", at,
                          value);
}

static void
change_size (Mutator    *self,
             GByteArray *bytes)
{
  guint size = bytes->len;

  switch (vtr_mutant_below (self, 3))
    {
    case 0:
      size = vtr_mutant_below (self, size + 1);
      break;
    case 1:
      size = size / 2;
      break;
    default:
      size = size + 1 + vtr_mutant_below (self, 64);
      break;
    }
  if (size > bytes->len)
    {
      guint was = bytes->len;

      g_byte_array_set_size (bytes, size);
      memset (bytes->data + was, 0xff, size - was);
    }
  else
    g_byte_array_set_size (bytes, size);
  g_string_append_printf (self->story, " %u bytes;", size);
}

/* { address, bytes } or { address, resource, size } */
static void
change_observation (Mutator    *self,
                    GByteArray *message)
{
  g_autoptr (GArray) fields = vtr_mutant_split (message->data, message->len);
  VtrBuffer joined = { 0 };
  guint64 base = 0;
  Field *field;

  for (guint i = 0; i < fields->len; i++)
    if (g_array_index (fields, Field, i).number == VTR_OBSERVATION_BASE)
      base = g_array_index (fields, Field, i).value;
  if (fields->len == 0)
    return;
  field = &g_array_index (fields, Field, fields->len - 1);
  if (vtr_mutant_below (self, 12) == 0)
    field = &g_array_index (fields, Field, vtr_mutant_below (self, fields->len));
  if (field->wire != VTR_PACK_WIRE_BYTES)
    field->value = wrong_number (self, field->value, 64);
  else if (vtr_mutant_below (self, 10) == 0)
    change_size (self, field->bytes);
  else
    change_words (self, field->bytes, base);
  join (fields, &joined);
  g_byte_array_set_size (message, 0);
  g_byte_array_append (message, joined.data, (guint)joined.size);
  vtr_buffer_finish (&joined);
}

static void
change_field (Mutator  *self,
              GArray   *fields,
              guint     place,
              gboolean  is_command)
{
  Field *field = &g_array_index (fields, Field, place);

  g_string_append_printf (self->story, " field %u:", field->number);
  if (field->wire == VTR_PACK_WIRE_BYTES &&
      (field->number == VTR_COMMAND_READS || field->number == VTR_COMMAND_WRITES))
    change_observation (self, field->bytes);
  else if (field->wire == VTR_PACK_WIRE_BYTES && vtr_mutant_below (self, 8) == 0)
    change_size (self, field->bytes);
  else if (field->wire == VTR_PACK_WIRE_BYTES)
    change_words (self, field->bytes, 0);
  else
    {
      guint bits = field->wire == VTR_PACK_WIRE_FIXED32 ? 32 : 64;

      field->value = wrong_number (self, field->value, bits);
      g_string_append_printf (self->story, " 0x%" G_GINT64_MODIFIER "x;", field->value);
    }
}

static void
change_message (Mutator *self,
                Chunk   *chunk)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (chunk->message, &size);
  g_autoptr (GArray) fields = vtr_mutant_split (data, size);
  guint place;

  if (fields->len == 0)
    return;
  place = vtr_mutant_below (self, fields->len);
  g_string_append_printf (self->story, "%s:", chunk->name);
  if (vtr_mutant_below (self, 14) == 0)
    {
      g_array_remove_index (fields, place);
      g_string_append_printf (self->story, " field %u of it is gone;", place);
    }
  else
    change_field (self, fields, place, chunk->is_command);
  vtr_mutant_replace (chunk, fields);
}

/* --- Streams --------------------------------------------------------------------------------- */

Chunk
vtr_mutant_copy (const Chunk *chunk)
{
  Chunk copy = *chunk;

  copy.message = g_bytes_ref (chunk->message);
  return copy;
}

gboolean
vtr_mutant_is_movable (const Chunk *chunk)
{
  return chunk->kind == VTR_PACK_OBJECT && chunk->parent >= 0;
}

/* Commands that are left out, repeated or moved: also ends of recordings, destructions,
 * submissions. */
static void
change_order (Mutator *self,
              GArray  *chunks,
              guint    place,
              guint    other)
{
  Chunk chunk = vtr_mutant_copy (&g_array_index (chunks, Chunk, place));
  guint act = vtr_mutant_below (self, 3);

  if (!vtr_mutant_is_movable (&chunk) ||
      !vtr_mutant_is_movable (&g_array_index (chunks, Chunk, other)))
    {
      chunk_clear (&chunk);
      return;
    }
  if (act != 1)
    g_array_remove_index (chunks, place);
  if (act != 0)
    g_array_insert_val (chunks, MIN (other, chunks->len), chunk);
  else
    chunk_clear (&chunk);
  g_string_append_printf (self->story, "%s is %s;", chunk.name,
                          act == 0   ? "left out"
                          : act == 1 ? "there twice"
                                     : "elsewhere");
}

/* Any object, or one of any type. */
static guint
choose (Mutator *self,
        guint    n_chunks)
{
  const GPtrArray *kinds = self->source->kinds;
  const GArray *among = self->source->objects;
  guint place;

  if (vtr_mutant_below (self, 2) == 0)
    among = g_ptr_array_index (kinds, vtr_mutant_below (self, kinds->len));
  place = g_array_index (among, guint, vtr_mutant_below (self, among->len));
  return MIN (place, n_chunks - 1);
}

static void
mutate (Mutator *self,
        GArray  *chunks)
{
  guint place = choose (self, chunks->len);
  guint other = choose (self, chunks->len);

  if (g_array_index (chunks, Chunk, place).kind == VTR_PACK_TYPE ||
      g_array_index (chunks, Chunk, place).name == NULL)
    return;
  switch (vtr_mutant_below (self, 8))
    {
    case 0:
      change_order (self, chunks, place, other);
      break;
    case 1:
    case 2:
      vtr_mutant_act (self, chunks, place);
      break;
    default:
      change_message (self, &g_array_index (chunks, Chunk, place));
      break;
    }
  g_string_append_c (self->story, '\n');
}

GByteArray *
vtr_mutant_make (const VtrMutantSource *self,
                 guint32                seed,
                 gboolean               compressed,
                 GString               *story)
{
  Mutator mutator = { self, g_rand_new_with_seed (seed), story };
  GArray *chunks = g_array_sized_new (FALSE, FALSE, sizeof (Chunk), self->chunks->len + 8);
  guint most = 1 + vtr_mutant_below (&mutator, MAX_MUTATIONS);
  guint n = seed == 0 ? 0 : 1 + vtr_mutant_below (&mutator, most);
  GByteArray *file;

  g_array_set_clear_func (chunks, chunk_clear);
  for (guint i = 0; i < self->chunks->len; i++)
    {
      Chunk copy = vtr_mutant_copy (&g_array_index (self->chunks, Chunk, i));

      g_array_append_val (chunks, copy);
    }
  for (guint i = 0; i < n; i++)
    mutate (&mutator, chunks);
  if (compressed && self->is_vitrine)
    file = vtr_mutant_write_compressed (chunks);
  else
    file = vtr_mutant_write_plain (chunks);
  g_array_unref (chunks);
  g_rand_free (mutator.rand);
  return file;
}
