/* Parses GAPID's serialised state into a tree of values. */
#include "engine/gapid/vtr-gapid-value.h"

#include <string.h>

#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack.h"

#define MAX_DEPTH 64
#define MAX_FIELDS 1024

/* Nodes may weigh this much more than the message they come from. */
#define MAX_GROWTH 512

typedef struct
{
  const VtrTraceTypes *types;
  VtrArena *arena;
  GHashTable *by_name;    /* full name → VtrPackType */
  GHashTable *references; /* id → VtrGapidValue */
  gsize budget;           /* bytes that nodes may still take */
  guint n_broken;
  gboolean failed;
} Parser;

static VtrGapidValue *parse_message (Parser            *self,
                                     const VtrPackType *type,
                                     const guint8      *message,
                                     gsize              size,
                                     guint              depth);

static const VtrPackType *
find_type (Parser     *self,
           const char *name)
{
  const VtrPackType *type;
  const VtrTraceType *found;

  if (name == NULL || name[0] != '.')
    return NULL;
  type = g_hash_table_lookup (self->by_name, name + 1);
  if (type != NULL)
    return type;
  found = vtr_trace_types_find (self->types, name + 1);
  if (found == NULL)
    return NULL;
  g_hash_table_insert (self->by_name, (gpointer)(name + 1), (gpointer)&found->type);
  return &found->type;
}

static VtrGapidValue *
new_value (Parser       *self,
           VtrGapidKind  kind)
{
  VtrGapidValue *value = vtr_arena_new (self->arena, VtrGapidValue);

  if (value == NULL)
    self->failed = TRUE;
  else
    value->kind = kind;
  return value;
}

static gboolean
is_real (const VtrPackField *field)
{
  return field->type == VTR_PACK_FLOAT || field->type == VTR_PACK_DOUBLE;
}

static guint64
number_of (const VtrPackField *field,
           guint64             raw)
{
  if (field->type == VTR_PACK_SINT32 || field->type == VTR_PACK_SINT64)
    return (guint64)vtr_zigzag_decode (raw);
  return raw;
}

static double
real_of (const VtrPackField *field,
         guint64             raw)
{
  guint32 low = (guint32)raw;
  double wide;
  float narrow;

  if (field->type == VTR_PACK_FLOAT)
    {
      memcpy (&narrow, &low, sizeof narrow);
      return (double)narrow;
    }
  memcpy (&wide, &raw, sizeof wide);
  return wide;
}

/* ---- References ---- */

/* "vulkan.Foo_ref": {ReferenceID, Value}. */
static gboolean
is_reference (const VtrPackType *type)
{
  return g_str_has_suffix (type->name, "_ref") && vtr_pack_type_find (type, "ReferenceID") != NULL;
}

static gboolean
has_map_type (const VtrPackType *type)
{
  return g_str_has_suffix (type->name, "_map") && vtr_pack_type_find (type, "Keys") != NULL;
}

static guint64
find_reference_id (const VtrPackType *type,
                   const guint8      *message,
                   gsize              size)
{
  const VtrPackField *id = vtr_pack_type_find (type, "ReferenceID");
  const guint8 *at = message, *end = message + size;
  VtrPackFieldValue field;

  if (id == NULL)
    return 0;
  while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
    if (field.number == id->number && field.wire == VTR_PACK_WIRE_VARINT)
      return number_of (id, field.value);
  return 0;
}

/* The content of a reference's message, by its number. */
static VtrGapidValue *
parse_reference (Parser            *self,
                 const VtrPackType *type,
                 const guint8      *message,
                 gsize              size,
                 guint              depth)
{
  guint64 id = find_reference_id (type, message, size);
  VtrGapidValue *known = g_hash_table_lookup (self->references, &id);
  const VtrPackField *content = vtr_pack_type_find (type, "Value");
  const VtrPackType *target = content == NULL ? NULL : find_type (self, content->type_name);
  const guint8 *at = message, *end = message + size;
  VtrGapidValue *value = NULL;
  VtrPackFieldValue field;

  if (known != NULL && known->type == target)
    return known;
  if (known == NULL && target != NULL)
    while (vtr_pack_next_field (&at, end, &field) == VTR_OK)
      if (field.number == content->number && field.wire == VTR_PACK_WIRE_BYTES)
        {
          /* The object may hold references to itself. */
          value = new_value (self, VTR_GAPID_MESSAGE);
          if (value == NULL)
            return NULL;
          value->type = target;
          if (id != 0)
            g_hash_table_insert (self->references, g_memdup2 (&id, sizeof id), value);
          known = parse_message (self, target, field.data, field.size, depth);
          if (known != NULL)
            *value = *known;
          return value;
        }
  self->n_broken++;
  return NULL;
}

/* A map that was seen before comes as its number alone. */
static VtrGapidValue *
parse_map (Parser            *self,
           const VtrPackType *type,
           const guint8      *message,
           gsize              size,
           guint              depth)
{
  guint64 id = find_reference_id (type, message, size);
  VtrGapidValue *known = g_hash_table_lookup (self->references, &id);
  VtrGapidValue *value, *content;

  if (known != NULL)
    {
      if (known->type == type)
        return known;
      self->n_broken++;
      return NULL;
    }
  value = new_value (self, VTR_GAPID_MESSAGE);
  if (value == NULL)
    return NULL;
  value->type = type;
  if (id != 0)
    g_hash_table_insert (self->references, g_memdup2 (&id, sizeof id), value);
  content = parse_message (self, type, message, size, depth);
  if (content != NULL)
    *value = *content;
  return value;
}

/* ---- Fields ---- */

static VtrGapidValue *
parse_one (Parser                  *self,
           const VtrPackField      *field,
           const VtrPackFieldValue *raw,
           guint                    depth)
{
  const VtrPackType *type;
  VtrGapidValue *value = NULL;

  if (raw->wire != VTR_PACK_WIRE_BYTES)
    {
      value = new_value (self, is_real (field) ? VTR_GAPID_REAL : VTR_GAPID_NUMBER);
      if (value == NULL)
        return NULL;
      if (value->kind == VTR_GAPID_REAL)
        value->real = real_of (field, raw->value);
      else
        value->number = number_of (field, raw->value);
      return value;
    }
  type = find_type (self, field->type_name);
  if (type == NULL)
    {
      value = new_value (self, VTR_GAPID_BYTES);
      if (value != NULL)
        {
          value->bytes = raw->data;
          value->n = raw->size;
        }
      return value;
    }
  if (depth >= MAX_DEPTH)
    {
      self->n_broken++;
      return NULL;
    }
  if (is_reference (type))
    return parse_reference (self, type, raw->data, raw->size, depth + 1);
  if (has_map_type (type))
    return parse_map (self, type, raw->data, raw->size, depth + 1);
  return parse_message (self, type, raw->data, raw->size, depth + 1);
}

/* A repeated field while its occurrences come in. */
typedef struct
{
  GArray *numbers; /* guint64, or double of a real one */
  GPtrArray *items;
} Gathered;

static void
gather_packed (Parser                  *self,
               const VtrPackField      *field,
               const VtrPackFieldValue *raw,
               Gathered                *to)
{
  const guint8 *at = raw->data, *end = at + raw->size;
  gsize width = field->type == VTR_PACK_FLOAT ? 4 : 8;

  while (at < end)
    {
      guint64 number = 0;

      if (is_real (field))
        {
          double real;

          if ((gsize)(end - at) < width)
            {
              self->n_broken++;
              return;
            }
          memcpy (&number, at, width);
          at += width;
          real = real_of (field, number);
          memcpy (&number, &real, sizeof number);
        }
      else if (vtr_varint_read (&at, end, &number) != VTR_OK)
        {
          self->n_broken++;
          return;
        }
      else
        number = number_of (field, number);
      g_array_append_val (to->numbers, number);
    }
}

static gboolean
holds_numbers (const VtrPackField *field)
{
  return field->type != VTR_PACK_MESSAGE && field->type != VTR_PACK_STRING &&
         field->type != VTR_PACK_BYTES;
}

static void
gather (Parser                  *self,
        const VtrPackField      *field,
        const VtrPackFieldValue *raw,
        guint                    depth,
        Gathered                *to)
{
  if (!holds_numbers (field))
    {
      /* A damaged one keeps its place, because keys and values are matched by position. */
      if (to->items == NULL)
        to->items = g_ptr_array_new ();
      g_ptr_array_add (to->items, parse_one (self, field, raw, depth));
      return;
    }
  if (to->numbers == NULL)
    to->numbers = g_array_new (FALSE, FALSE, sizeof (guint64));
  if (raw->wire == VTR_PACK_WIRE_BYTES)
    gather_packed (self, field, raw, to);
  else
    {
      double real = real_of (field, raw->value);
      guint64 number = number_of (field, raw->value);

      if (is_real (field))
        memcpy (&number, &real, sizeof number);
      g_array_append_val (to->numbers, number);
    }
}

static VtrGapidValue *
take_gathered (Parser             *self,
               const VtrPackField *field,
               Gathered           *from)
{
  VtrGapidKind kind = !holds_numbers (field) ? VTR_GAPID_LIST
                      : is_real (field)      ? VTR_GAPID_REALS
                                             : VTR_GAPID_NUMBERS;
  gsize n = from->items != NULL ? from->items->len : from->numbers->len;
  gconstpointer data = from->items != NULL ? (gconstpointer)from->items->pdata
                                           : (gconstpointer)from->numbers->data;
  VtrGapidValue *value = new_value (self, kind);

  if (value == NULL)
    return NULL;
  value->n = n;
  value->numbers = vtr_arena_memdup (self->arena, data, n * sizeof (guint64));
  if (value->numbers == NULL && n > 0)
    self->failed = TRUE;
  return value->numbers != NULL || n == 0 ? value : NULL;
}

/* The position of a field; @hint: where the one before was. */
static gsize
find_position (const VtrPackType *type,
               guint64            number,
               gsize              hint)
{
  for (gsize i = 0; i < type->n_fields; i++)
    {
      gsize at = (hint + i) % type->n_fields;

      if (type->fields[at].number == number)
        return at;
    }
  return type->n_fields;
}

static VtrGapidValue *
parse_message (Parser            *self,
               const VtrPackType *type,
               const guint8      *message,
               gsize              size,
               guint              depth)
{
  VtrGapidValue *value = new_value (self, VTR_GAPID_MESSAGE);
  const guint8 *at = message, *end = message + size;
  g_autofree Gathered *gathered = NULL;
  VtrPackFieldValue raw;
  VtrStatus status;
  gsize position = 0;

  if (value == NULL || self->failed)
    return NULL;
  if (type->n_fields > MAX_FIELDS || self->budget < type->n_fields * sizeof *value->fields)
    {
      self->failed = type->n_fields <= MAX_FIELDS;
      self->n_broken++;
      return NULL;
    }
  self->budget -= type->n_fields * sizeof *value->fields;
  value->type = type;
  value->n = type->n_fields;
  value->fields = vtr_arena_new_array (self->arena, type->n_fields, VtrGapidValue *);
  if (value->fields == NULL && type->n_fields > 0)
    {
      self->failed = TRUE;
      return NULL;
    }
  while ((status = vtr_pack_next_field (&at, end, &raw)) == VTR_OK && !self->failed)
    {
      position = find_position (type, raw.number, position);
      if (position == type->n_fields)
        {
          position = 0;
          continue;
        }
      if (type->fields[position].label != VTR_PACK_REPEATED)
        value->fields[position] = parse_one (self, &type->fields[position], &raw, depth);
      else
        {
          if (gathered == NULL)
            gathered = g_new0 (Gathered, type->n_fields);
          gather (self, &type->fields[position], &raw, depth, &gathered[position]);
        }
    }
  self->n_broken += status != VTR_CLOSED;
  for (gsize i = 0; gathered != NULL && i < type->n_fields; i++)
    {
      if (gathered[i].items != NULL || gathered[i].numbers != NULL)
        value->fields[i] = take_gathered (self, &type->fields[i], &gathered[i]);
      g_clear_pointer (&gathered[i].items, g_ptr_array_unref);
      g_clear_pointer (&gathered[i].numbers, g_array_unref);
    }
  return value;
}

VtrGapidValue *
vtr_gapid_parse (const VtrTraceTypes *types,
                 const VtrTraceType  *type,
                 const guint8        *message,
                 gsize                size,
                 VtrArena            *arena,
                 guint               *n_broken)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) references =
    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  Parser parser = {
    .types = types,
    .arena = arena,
    .by_name = by_name,
    .references = references,
    .budget = size < G_MAXSIZE / MAX_GROWTH ? size * MAX_GROWTH + 65536 : G_MAXSIZE,
  };
  VtrGapidValue *value = parse_message (&parser, &type->type, message, size, 0);

  *n_broken = parser.n_broken;
  return parser.failed ? NULL : value;
}

/* ---- Asking ---- */

VtrGapidValue *
vtr_gapid_get (const VtrGapidValue *self,
               const char          *name)
{
  if (self == NULL || self->kind != VTR_GAPID_MESSAGE)
    return NULL;
  for (gsize i = 0; i < self->n; i++)
    if (g_ascii_strcasecmp (self->type->fields[i].name, name) == 0)
      {
        if (self->fields[i] != NULL)
          self->fields[i]->used = TRUE;
        return self->fields[i];
      }
  return NULL;
}

guint64
vtr_gapid_get_number (const VtrGapidValue *self,
                      const char          *name)
{
  const VtrGapidValue *value = vtr_gapid_get (self, name);

  return value != NULL && value->kind == VTR_GAPID_NUMBER ? value->number : 0;
}

char *
vtr_gapid_get_text (const VtrGapidValue *self,
                    const char          *name,
                    VtrArena            *arena)
{
  const VtrGapidValue *value = vtr_gapid_get (self, name);
  char *text;

  if (value == NULL || value->kind != VTR_GAPID_BYTES)
    return NULL;
  text = vtr_arena_alloc (arena, value->n + 1);
  if (text != NULL && value->n > 0)
    memcpy (text, value->bytes, value->n);
  return text;
}

gboolean
vtr_gapid_is_map (const VtrGapidValue *self)
{
  return self != NULL && self->kind == VTR_GAPID_MESSAGE && has_map_type (self->type);
}

static int
compare_entries (gconstpointer a,
                 gconstpointer b,
                 gpointer      data)
{
  guint64 left = ((const VtrGapidEntry *)a)->key, right = ((const VtrGapidEntry *)b)->key;

  return left < right ? -1 : left > right;
}

static VtrGapidValue *
item_at (const VtrGapidValue *values,
         gsize                i,
         VtrArena            *arena)
{
  VtrGapidValue *value;

  if (values == NULL || i >= values->n)
    return NULL;
  if (values->kind == VTR_GAPID_LIST)
    return values->items[i];
  value = vtr_arena_new (arena, VtrGapidValue);
  if (value == NULL)
    return NULL;
  if (values->kind == VTR_GAPID_REALS)
    {
      value->kind = VTR_GAPID_REAL;
      value->real = values->reals[i];
    }
  else if (values->kind == VTR_GAPID_NUMBERS)
    value->number = values->numbers[i];
  else
    return NULL;
  return value;
}

const VtrGapidEntry *
vtr_gapid_list_entries (VtrGapidValue *self,
                        VtrArena      *arena,
                        gsize         *n)
{
  gboolean map = vtr_gapid_is_map (self);
  const VtrGapidValue *values = map ? vtr_gapid_get (self, "Values") : self;
  const VtrGapidValue *keys = map ? vtr_gapid_get (self, "Keys") : NULL;
  VtrGapidEntry *entries;

  *n = 0;
  if (values == NULL || values->kind == VTR_GAPID_NUMBER || values->kind == VTR_GAPID_REAL ||
      values->kind == VTR_GAPID_BYTES || values->kind == VTR_GAPID_MESSAGE ||
      (map && (keys == NULL || keys->kind == VTR_GAPID_NUMBER || keys->kind == VTR_GAPID_BYTES)))
    return NULL;
  *n = map ? MIN (values->n, keys->n) : values->n;
  entries = vtr_arena_new_array (arena, *n, VtrGapidEntry);
  if (entries == NULL)
    {
      *n = 0;
      return NULL;
    }
  for (gsize i = 0; i < *n; i++)
    {
      entries[i].key = !map                              ? i
                       : keys->kind == VTR_GAPID_NUMBERS ? keys->numbers[i]
                                                         : 0;
      entries[i].value = item_at (values, i, arena);
    }
  if (map && *n > 1 && *n <= G_MAXINT)
    g_qsort_with_data (entries, (gint)*n, sizeof *entries, compare_entries, NULL);
  return entries;
}

gboolean
vtr_gapid_get_slice (const VtrGapidValue *self,
                     guint64             *pool,
                     guint64             *base,
                     guint64             *size)
{
  if (self == NULL || self->kind != VTR_GAPID_MESSAGE ||
      !g_str_equal (self->type->name, "memory.Slice"))
    return FALSE;
  *pool = vtr_gapid_get_number (self, "pool");
  *base = vtr_gapid_get_number (self, "base");
  *size = vtr_gapid_get_number (self, "size");
  return TRUE;
}
