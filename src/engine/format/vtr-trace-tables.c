/* Builds the arrays with one entry for each command, and reads and writes them as the trace's
 * index. */
#include "engine/format/vtr-trace-tables.h"

#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

/* For all kinds of commands together; small traces may list this many in any case. */
#define LEAST_LIMIT (1u << 20)
#define MOST_PER_BYTE 8

/* A tree and not a hash table: a file cannot choose threads that make it slow. */
static gint
compare_streams (gconstpointer a,
                 gconstpointer b,
                 gpointer      data)
{
  const VtrTraceStream *left = a, *right = b;

  if (left->thread != right->thread)
    return left->thread < right->thread ? -1 : 1;
  return left->namespace < right->namespace ? -1 : left->namespace > right->namespace;
}

VtrTraceTables *
vtr_trace_tables_new (void)
{
  VtrTraceTables *self = g_new0 (VtrTraceTables, 1);

  self->frames = g_array_new (FALSE, FALSE, sizeof (VtrTraceFrame));
  self->positions = g_array_new (FALSE, FALSE, sizeof (VtrTracePosition));
  self->ids = g_array_new (FALSE, FALSE, sizeof (guint16));
  self->threads = g_array_new (FALSE, FALSE, sizeof (guint16));
  self->flags = g_array_new (FALSE, FALSE, sizeof (guint16));
  self->thread_table = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->namespaces = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->returned = g_array_new (FALSE, FALSE, sizeof (VtrTraceReturned));
  self->mapped = g_array_new (FALSE, FALSE, sizeof (VtrTraceMark));
  self->objects = g_array_new (FALSE, FALSE, sizeof (VtrTraceMark));
  return self;
}

void
vtr_trace_tables_free (VtrTraceTables *self)
{
  GArray **arrays[] = { &self->frames, &self->positions, &self->ids, &self->threads, &self->flags,
                        &self->thread_table, &self->namespaces, &self->returned, &self->mapped,
                        &self->objects };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_clear_pointer (arrays[i], g_array_unref);
  g_clear_pointer (&self->thread_places, g_tree_unref);
  g_free (self);
}

/* A file whose index was read has its threads in the table only. */
static void
make_thread_places (VtrTraceTables *self)
{
  self->thread_places = g_tree_new_full (compare_streams, NULL, g_free, NULL);
  for (guint i = 0; i < self->thread_table->len; i++)
    {
      const VtrTraceStream stream = { g_array_index (self->thread_table, guint64, i),
                                      g_array_index (self->namespaces, guint32, i) };

      g_tree_insert (self->thread_places, g_memdup2 (&stream, sizeof stream),
                     GUINT_TO_POINTER (i));
    }
}

/* Streams beyond 65,535 share the last number: no program has as many. */
static guint16
find_stream (VtrTraceTables *self,
             VtrTraceStream  stream)
{
  GArray *table = self->thread_table;
  gpointer place;

  if (self->last_thread < table->len &&
      g_array_index (table, guint64, self->last_thread) == stream.thread &&
      g_array_index (self->namespaces, guint32, self->last_thread) == stream.namespace)
    return (guint16)self->last_thread;
  if (self->thread_places == NULL)
    make_thread_places (self);
  if (g_tree_lookup_extended (self->thread_places, &stream, NULL, &place))
    self->last_thread = GPOINTER_TO_UINT (place);
  else if (table->len < G_MAXUINT16)
    {
      self->last_thread = table->len;
      g_array_append_val (table, stream.thread);
      g_array_append_val (self->namespaces, stream.namespace);
      g_tree_insert (self->thread_places, g_memdup2 (&stream, sizeof stream),
                     GUINT_TO_POINTER (self->last_thread));
    }
  else
    self->last_thread = table->len - 1;
  return (guint16)self->last_thread;
}

void
vtr_trace_tables_add_command (VtrTraceTables   *self,
                              VtrTracePosition  position,
                              guint16           id,
                              VtrTraceStream    stream,
                              guint32           flags)
{
  guint16 thread_index = find_stream (self, stream), short_flags = (guint16)flags;

  g_array_append_val (self->positions, position);
  g_array_append_val (self->ids, id);
  g_array_append_val (self->threads, thread_index);
  g_array_append_val (self->flags, short_flags);
}

void
vtr_trace_tables_add_mark (GArray           *marks,
                           guint64           command,
                           VtrTracePosition  position,
                           guint32           object)
{
  VtrTraceMark mark = { command, position, object };

  g_array_append_val (marks, mark);
}

guint
vtr_trace_tables_find_mark (const GArray *marks,
                            guint64       command)
{
  guint low = 0, high = marks->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (marks, VtrTraceMark, middle).command < command)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

void
vtr_trace_tables_truncate (VtrTraceTables *self,
                           guint           n_frames)
{
  GArray *columns[] = { self->positions, self->ids, self->threads, self->flags };
  GArray *marks[] = { self->mapped, self->objects };
  guint n = self->positions->len, kept = 0;

  while (n > 0 && VTR_TRACE_POSITION_FRAME (
                    g_array_index (self->positions, VtrTracePosition, n - 1)) >= n_frames)
    n--;
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    g_array_set_size (columns[i], n);
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    while (marks[i]->len > 0 &&
           VTR_TRACE_POSITION_FRAME (
             g_array_index (marks[i], VtrTraceMark, marks[i]->len - 1).position) >= n_frames)
      g_array_set_size (marks[i], marks[i]->len - 1);
  for (guint i = 0; i < self->returned->len; i++)
    if (g_array_index (self->returned, VtrTraceReturned, i).command < n)
      g_array_index (self->returned, VtrTraceReturned, kept++) =
        g_array_index (self->returned, VtrTraceReturned, i);
  g_array_set_size (self->returned, kept);
  if (self->frames->len > n_frames)
    g_array_set_size (self->frames, n_frames);
}

static gint
compare_returned (gconstpointer a,
                  gconstpointer b)
{
  const VtrTraceReturned *left = a, *right = b;

  return left->command < right->command ? -1 : left->command > right->command;
}

void
vtr_trace_tables_complete (VtrTraceTables *self)
{
  g_array_sort (self->returned, compare_returned);
}

gboolean
vtr_trace_tables_find_returned (const VtrTraceTables *self,
                                guint64               command,
                                guint64              *result)
{
  VtrTraceReturned key = { command, 0 };
  guint at;

  if (!g_array_binary_search (self->returned, &key, compare_returned, &at))
    return FALSE;
  *result = g_array_index (self->returned, VtrTraceReturned, at).result;
  return TRUE;
}

/* ---- Into the file ---- */

static void
append_column (VtrBuffer    *to,
               guint32       number,
               const GArray *array)
{
  vtr_pack_append_bytes (to, number, array->data,
                         (gsize)array->len * g_array_get_element_size ((GArray *)array));
}

static void
append_packed (VtrBuffer *to,
               guint32    number,
               VtrBuffer *packed)
{
  vtr_pack_append_bytes (to, number, packed->data, packed->size);
  to->failed |= packed->failed;
  vtr_buffer_clear (packed);
}

/* The first command of a frame has its offset, the others the distance from the one before. */
static void
pack_positions (const VtrTraceTables *self,
                VtrBuffer            *packed)
{
  const VtrTracePosition *positions = (const VtrTracePosition *)(void *)self->positions->data;
  guint32 frame = G_MAXUINT32, offset = 0;

  for (guint i = 0; i < self->positions->len; i++)
    {
      if (VTR_TRACE_POSITION_FRAME (positions[i]) != frame)
        {
          frame = VTR_TRACE_POSITION_FRAME (positions[i]);
          offset = 0;
        }
      vtr_buffer_append_varint (packed, VTR_TRACE_POSITION_OFFSET (positions[i]) - offset);
      offset = VTR_TRACE_POSITION_OFFSET (positions[i]);
    }
}

static void
pack_types (const VtrTraceTables *self,
            VtrBuffer            *packed)
{
  const guint16 *ids = (const guint16 *)(void *)self->ids->data;

  for (guint i = 0; i < self->ids->len; i++)
    {
      guint16 type = (guint16)vtr_trace_type_places_get (&self->types, ids[i]);

      vtr_buffer_append (packed, &type, sizeof type);
    }
}

static void
pack_marks (const GArray *marks,
            VtrBuffer    *packed)
{
  for (guint i = 0; i < marks->len; i++)
    {
      const VtrTraceMark *mark = &g_array_index (marks, VtrTraceMark, i);

      vtr_buffer_append_varint (packed, mark->object);
      vtr_buffer_append_varint (packed, mark->command);
      vtr_buffer_append_varint (packed, VTR_TRACE_POSITION_FRAME (mark->position));
      vtr_buffer_append_varint (packed, VTR_TRACE_POSITION_OFFSET (mark->position));
    }
}

static gboolean
has_namespaces (const VtrTraceTables *self)
{
  for (guint i = 0; i < self->namespaces->len; i++)
    if (g_array_index (self->namespaces, guint32, i) != 0)
      return TRUE;
  return FALSE;
}

void
vtr_trace_tables_encode (const VtrTraceTables *self,
                         VtrBuffer            *to)
{
  VtrBuffer packed = { 0 };

  append_column (to, VTR_INDEX_FRAMES, self->frames);
  pack_positions (self, &packed);
  append_packed (to, VTR_INDEX_POSITIONS, &packed);
  pack_types (self, &packed);
  append_packed (to, VTR_INDEX_TYPES, &packed);
  append_column (to, VTR_INDEX_THREADS, self->threads);
  append_column (to, VTR_INDEX_FLAGS, self->flags);
  append_column (to, VTR_INDEX_THREAD_TABLE, self->thread_table);
  for (guint i = 0; i < self->returned->len; i++)
    {
      const VtrTraceReturned *returned = &g_array_index (self->returned, VtrTraceReturned, i);

      vtr_buffer_append_varint (&packed, returned->command);
      vtr_buffer_append_varint (&packed, returned->result);
    }
  append_packed (to, VTR_INDEX_RETURNED, &packed);
  pack_marks (self->mapped, &packed);
  append_packed (to, VTR_INDEX_MAPPED_WRITES, &packed);
  pack_marks (self->objects, &packed);
  append_packed (to, VTR_INDEX_OBJECTS, &packed);
  vtr_pack_append_varint (to, VTR_INDEX_N_OBSERVATIONS, self->n_observations);
  vtr_pack_append_varint (to, VTR_INDEX_N_RESOURCES, self->n_resources);
  vtr_pack_append_varint (to, VTR_INDEX_N_COMMANDS, self->ids->len);
  if (has_namespaces (self))
    append_column (to, VTR_INDEX_NAMESPACES, self->namespaces);
  vtr_buffer_finish (&packed);
}

/* ---- From the file ---- */

guint64
vtr_trace_tables_get_limit (guint64 file_size)
{
  return MIN (file_size, G_MAXUINT32 / MOST_PER_BYTE - LEAST_LIMIT) * MOST_PER_BYTE + LEAST_LIMIT;
}

static gboolean
take_column (GArray                  *array,
             const VtrPackFieldValue *field,
             guint64                  limit)
{
  gsize element = g_array_get_element_size (array);

  if (field->size % element != 0 || field->size / element > MIN (limit, G_MAXUINT32 / element) ||
      array->len > 0)
    return FALSE;
  g_array_append_vals (array, field->data, (guint)(field->size / element));
  return TRUE;
}

static gboolean
read_numbers (const guint8 **at,
              const guint8  *end,
              guint64       *out,
              guint          n)
{
  for (guint i = 0; i < n; i++)
    if (vtr_varint_read (at, end, &out[i]) != VTR_OK)
      return FALSE;
  return TRUE;
}

static gboolean
take_returned (VtrTraceTables          *self,
               const VtrPackFieldValue *field,
               guint64                  limit)
{
  const guint8 *at = field->data, *end = at + field->size;

  while (at < end)
    {
      VtrTraceReturned returned;
      guint64 numbers[2];

      if (self->returned->len >= limit || !read_numbers (&at, end, numbers, 2))
        return FALSE;
      returned = (VtrTraceReturned){ numbers[0], numbers[1] };
      g_array_append_val (self->returned, returned);
    }
  return TRUE;
}

static gboolean
take_marks (GArray                  *marks,
            const VtrPackFieldValue *field,
            guint64                  limit)
{
  const guint8 *at = field->data, *end = at + field->size;

  while (at < end)
    {
      guint64 numbers[4];

      if (marks->len >= limit || !read_numbers (&at, end, numbers, 4) ||
          numbers[0] >= VTR_N_OBJECTS || numbers[2] > G_MAXUINT32 || numbers[3] > G_MAXUINT32)
        return FALSE;
      vtr_trace_tables_add_mark (marks, numbers[1], VTR_TRACE_POSITION (numbers[2], numbers[3]),
                                 (guint32)numbers[0]);
    }
  return TRUE;
}

/* Needs .frames: they say how many commands each holds. */
static gboolean
take_positions (VtrTraceTables *self,
                const guint8   *at,
                gsize           size,
                guint64         limit)
{
  const guint8 *end = at + size;

  /* Each takes a byte at least. */
  if (size > limit * VTR_VARINT_MAX || self->ids->len > size)
    return FALSE;

  for (guint i = 0; i < self->frames->len; i++)
    {
      const VtrTraceFrame *frame = &g_array_index (self->frames, VtrTraceFrame, i);
      guint64 offset = 0, delta;

      if (frame->note.first_command != self->positions->len ||
          frame->note.n_commands > self->ids->len - self->positions->len)
        return FALSE;
      for (guint32 n = 0; n < frame->note.n_commands; n++)
        {
          VtrTracePosition position;

          if (vtr_varint_read (&at, end, &delta) != VTR_OK || delta > G_MAXUINT32)
            return FALSE;
          offset += delta;
          if (offset >= frame->note.raw_size || offset > G_MAXUINT32)
            return FALSE;
          position = VTR_TRACE_POSITION (i, offset);
          g_array_append_val (self->positions, position);
        }
    }
  return at == end;
}

gboolean
vtr_trace_tables_translate (VtrTraceTables      *self,
                            const VtrTraceTypes *types)
{
  guint16 *ids = (guint16 *)(void *)self->ids->data;

  for (guint i = 0; i < self->ids->len; i++)
    {
      const VtrTraceType *type = vtr_trace_types_lookup (types, ids[i]);

      if (type == NULL || !type->is_command || type->command == VTR_CMD_NONE)
        return FALSE;
      ids[i] = type->command;
    }
  return TRUE;
}

static gboolean
check_frames (const VtrTraceTables *self,
              guint64               file_size)
{
  if (self->frames->len > file_size / sizeof (VtrTraceNoteFrame))
    return FALSE;
  for (guint i = 0; i < self->frames->len; i++)
    {
      const VtrTraceFrame *frame = &g_array_index (self->frames, VtrTraceFrame, i);

      if (frame->offset > file_size || frame->note.compressed_size > file_size - frame->offset ||
          frame->note.raw_size > VTR_TRACE_MAX_FRAME_BYTES)
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_marks (const VtrTraceTables *self,
             const GArray         *marks)
{
  guint64 before = 0;

  for (guint i = 0; i < marks->len; i++)
    {
      const VtrTraceMark *mark = &g_array_index (marks, VtrTraceMark, i);

      if (VTR_TRACE_POSITION_FRAME (mark->position) >= self->frames->len ||
          mark->command < before || mark->command > self->ids->len)
        return FALSE;
      before = mark->command;
    }
  return TRUE;
}

static gboolean
fits_together (const VtrTraceTables *self,
               guint64               n_commands,
               guint64               file_size)
{
  const guint16 *threads = (const guint16 *)(void *)self->threads->data;

  if (self->namespaces->len != self->thread_table->len)
    return FALSE;
  if (self->positions->len != n_commands || self->ids->len != n_commands ||
      self->threads->len != n_commands || self->flags->len != n_commands ||
      !check_frames (self, file_size) || !check_marks (self, self->mapped) ||
      !check_marks (self, self->objects))
    return FALSE;
  for (guint i = 0; i < self->threads->len; i++)
    if (threads[i] >= self->thread_table->len)
      return FALSE;
  return TRUE;
}

VtrTraceTables *
vtr_trace_tables_decode (const guint8 *message,
                         gsize         size,
                         guint64       file_size)
{
  g_autoptr (VtrTraceTables) self = vtr_trace_tables_new ();
  const guint8 *at = message, *end = message + size;
  VtrPackFieldValue field, positions = { 0 };
  const guint64 limit = vtr_trace_tables_get_limit (file_size);
  guint64 n_commands = 0;
  gboolean good = TRUE;
  VtrStatus status;

  while (good && (status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    {
      if (field.number <= VTR_INDEX_OBJECTS && field.wire != VTR_PACK_WIRE_BYTES)
        return NULL;
      switch (field.number)
        {
        case VTR_INDEX_FRAMES:
          good = take_column (self->frames, &field, limit);
          break;
        case VTR_INDEX_POSITIONS:
          positions = field;
          break;
        case VTR_INDEX_TYPES:
          good = take_column (self->ids, &field, limit);
          break;
        case VTR_INDEX_THREADS:
          good = take_column (self->threads, &field, limit);
          break;
        case VTR_INDEX_FLAGS:
          good = take_column (self->flags, &field, limit);
          break;
        case VTR_INDEX_THREAD_TABLE:
          good = take_column (self->thread_table, &field, limit);
          break;
        case VTR_INDEX_NAMESPACES:
          good = field.wire == VTR_PACK_WIRE_BYTES &&
                 take_column (self->namespaces, &field, limit);
          break;
        case VTR_INDEX_RETURNED:
          good = take_returned (self, &field, limit);
          break;
        case VTR_INDEX_MAPPED_WRITES:
          good = take_marks (self->mapped, &field, limit);
          break;
        case VTR_INDEX_OBJECTS:
          good = take_marks (self->objects, &field, limit);
          break;
        case VTR_INDEX_N_OBSERVATIONS:
          self->n_observations = field.value;
          break;
        case VTR_INDEX_N_RESOURCES:
          self->n_resources = field.value;
          break;
        case VTR_INDEX_N_COMMANDS:
          n_commands = field.value;
          break;
        default:
          break;
        }
    }
  if (self->namespaces->len == 0)
    g_array_set_size (self->namespaces, self->thread_table->len);
  if (!good || status != VTR_CLOSED ||
      !take_positions (self, positions.data, positions.size, limit) ||
      !fits_together (self, n_commands, file_size))
    return NULL;
  vtr_trace_tables_complete (self);
  return g_steal_pointer (&self);
}
