/* Finds the last item that touched a byte, with unions of ranges over blocks of items, blocks of
 * blocks, and so on. */
#include "engine/memory/vtr-interval-index.h"

#include "base/vtr-buffer.h"
#include "base/vtr-must.h"
#include "base/vtr-varint.h"

/* log2 of items in a block, and of blocks in a larger one. */
#define BLOCK_BITS 6
#define FAN_BITS 5
#define MAX_LEVELS 12
/* Ranges collected before they are merged. */
#define MERGE_AT 4096

G_STATIC_ASSERT (VTR_INTERVAL_BLOCK == 1 << BLOCK_BITS);

/* Blocks of one size. The union of a block: varints {distance from the end of the range before (the
   first: from 0), length}; the block ends where the next one begins. */
typedef struct
{
  VtrBuffer bytes;
  GArray *starts;      /* guint64: where each closed block begins in .bytes; NULL: no range yet */
  VtrRangeSet current; /* of the block being filled; only its first .merged ranges are joined */
  gsize merged;
  gsize merge_at;
  guint64 block; /* being filled */
} Level;

struct _VtrIntervalIndex
{
  Level levels[MAX_LEVELS];
  guint n_levels; /* with anything in them */
  guint64 last_item;
  gboolean complete;
};

/* log2 of items in a block of @level. */
static guint
level_bits (guint level)
{
  return BLOCK_BITS + level * FAN_BITS;
}

VtrIntervalIndex *
vtr_interval_index_new (void)
{
  return g_new0 (VtrIntervalIndex, 1);
}

static void
level_finish (Level *self)
{
  vtr_buffer_finish (&self->bytes);
  g_clear_pointer (&self->starts, g_array_unref);
  vtr_range_set_finish (&self->current);
}

void
vtr_interval_index_free (VtrIntervalIndex *self)
{
  for (guint i = 0; i < MAX_LEVELS; i++)
    level_finish (&self->levels[i]);
  g_free (self);
}

/* --- Filling --------------------------------------------------------------------------------- */

static void
level_merge (Level *self)
{
  if (self->current.n == self->merged)
    return;
  vtr_range_set_join (&self->current);
  self->merged = self->current.n;
  self->merge_at = MAX (MERGE_AT, 2 * self->merged);
}

static void
level_add (Level          *self,
           const VtrRange *range)
{
  if (self->merged < self->current.n)
    {
      /* The same range again, or one that continues it: by far the most frequent case. */
      VtrRange *last = &self->current.ranges[self->current.n - 1];

      if (range->begin >= last->begin && range->begin <= last->end)
        {
          last->end = MAX (last->end, range->end);
          return;
        }
    }
  vtr_must (vtr_range_set_append (&self->current, range->begin, range->end));
  if (self->current.n >= self->merge_at)
    level_merge (self);
}

static void add_to_level (VtrIntervalIndex *self,
                          guint             level,
                          guint64           item,
                          const VtrRange   *range);

/* Writes the block down and hands its union to the next level. */
static void
close_block (VtrIntervalIndex *self,
             guint             nth)
{
  Level *level = &self->levels[nth];
  guint64 item = level->block << level_bits (nth);
  guint64 start = level->bytes.size;
  guint64 at = 0;

  level_merge (level);
  while (level->starts->len < level->block)
    g_array_append_val (level->starts, start);
  g_array_append_val (level->starts, start);
  for (gsize i = 0; i < level->current.n; i++)
    {
      const VtrRange range = level->current.ranges[i];

      vtr_buffer_append_varint (&level->bytes, range.begin - at);
      vtr_buffer_append_varint (&level->bytes, range.end - range.begin);
      at = range.end;
      if (nth + 1 < MAX_LEVELS)
        add_to_level (self, nth + 1, item, &range);
    }
  level->current.n = 0;
  level->merged = 0;
  level->merge_at = MERGE_AT;
}

static void
add_to_level (VtrIntervalIndex *self,
              guint             nth,
              guint64           item,
              const VtrRange   *range)
{
  Level *level = &self->levels[nth];
  guint64 block = item >> level_bits (nth);

  if (level->starts == NULL)
    {
      level->starts = g_array_new (FALSE, FALSE, sizeof (guint64));
      level->merge_at = MERGE_AT;
      level->block = block;
      self->n_levels = MAX (self->n_levels, nth + 1);
    }
  if (level->block != block)
    {
      close_block (self, nth);
      level->block = block;
    }
  level_add (level, range);
}

void
vtr_interval_index_add (VtrIntervalIndex *self,
                        guint64           item,
                        guint64           begin,
                        guint64           end)
{
  const VtrRange range = { begin, end };

  g_return_if_fail (!self->complete && item >= self->last_item);

  self->last_item = item;
  if (begin < end)
    add_to_level (self, 0, item, &range);
}

/* Arrays grow by doubling; what is kept for long gives the slack back. */
static void
level_trim (Level *self)
{
  guint8 *bytes;
  GArray *starts;

  vtr_range_set_finish (&self->current);
  if (self->starts == NULL)
    return;
  bytes = realloc (self->bytes.data, MAX (self->bytes.size, 1));
  if (bytes != NULL)
    {
      self->bytes.data = bytes;
      self->bytes.capacity = MAX (self->bytes.size, 1);
    }
  starts = g_array_sized_new (FALSE, FALSE, sizeof (guint64), self->starts->len);
  g_array_append_vals (starts, self->starts->data, self->starts->len);
  g_array_unref (self->starts);
  self->starts = starts;
}

/* The last block of each level is closed; one level with a single block is enough at the top. */
void
vtr_interval_index_complete (VtrIntervalIndex *self)
{
  if (self->complete)
    return;
  for (guint i = 0; i < self->n_levels; i++)
    {
      close_block (self, i);
      if (self->levels[i].starts->len == 1)
        {
          self->n_levels = i + 1;
          break;
        }
    }
  for (guint i = 0; i < MAX_LEVELS; i++)
    if (i < self->n_levels)
      level_trim (&self->levels[i]);
    else
      level_finish (&self->levels[i]);
  self->complete = TRUE;
}

/* --- Asking ---------------------------------------------------------------------------------- */

/* Whether a block's union meets what is wanted. */
static gboolean
block_meets (const Level       *level,
             guint64            block,
             const VtrRangeSet *wanted)
{
  const VtrRange *want = wanted->ranges;
  const VtrRange *end = want + wanted->n;
  const guint8 *at, *stop;
  guint64 position = 0;

  if (block >= level->starts->len || level->bytes.data == NULL)
    return FALSE;
  at = level->bytes.data + g_array_index (level->starts, guint64, block);
  stop = level->bytes.data + (block + 1 < level->starts->len
                                ? g_array_index (level->starts, guint64, block + 1)
                                : level->bytes.size);
  while (at < stop)
    {
      guint64 gap, length;

      if (vtr_varint_read (&at, stop, &gap) != VTR_OK ||
          vtr_varint_read (&at, stop, &length) != VTR_OK)
        return FALSE;
      position += gap;
      while (want < end && want->end <= position)
        want++;
      if (want == end)
        return FALSE;
      position += length;
      if (want->begin < position)
        return TRUE;
    }
  return FALSE;
}

typedef struct
{
  const VtrIntervalIndex *index;
  guint64 end;
  VtrRangeSet *wanted;
  VtrIntervalVisitor visit;
  gpointer data;
} Walk;

static gboolean
is_done (const Walk *walk)
{
  return walk->wanted->n == 0;
}

static gboolean
walk_block (Walk    *walk,
            guint    level,
            guint64  block)
{
  guint64 first = block << level_bits (level);

  if (first >= walk->end || is_done (walk) ||
      !block_meets (&walk->index->levels[level], block, walk->wanted))
    return TRUE;
  if (level == 0)
    {
      for (guint64 item = MIN (first + VTR_INTERVAL_BLOCK, walk->end);
           item > first && !is_done (walk); item--)
        if (!walk->visit (item - 1, walk->wanted, walk->data))
          return FALSE;
      return TRUE;
    }
  for (guint64 child = (block + 1) << FAN_BITS; child > block << FAN_BITS; child--)
    if (!walk_block (walk, level - 1, child - 1))
      return FALSE;
  return TRUE;
}

gboolean
vtr_interval_index_walk (const VtrIntervalIndex *self,
                         guint64                 end,
                         VtrRangeSet            *wanted,
                         VtrIntervalVisitor      visit,
                         gpointer                data)
{
  Walk walk = { self, MIN (end, self->last_item + 1), wanted, visit, data };
  guint64 n;

  g_return_val_if_fail (self->complete, TRUE);

  if (self->n_levels == 0)
    return TRUE;
  n = self->levels[self->n_levels - 1].starts->len;
  for (guint64 block = n; block > 0; block--)
    if (!walk_block (&walk, self->n_levels - 1, block - 1))
      return FALSE;
  return TRUE;
}

gsize
vtr_interval_index_get_bytes (const VtrIntervalIndex *self)
{
  gsize bytes = sizeof *self;

  for (guint i = 0; i < self->n_levels; i++)
    bytes += self->levels[i].bytes.capacity + self->levels[i].starts->len * sizeof (guint64);
  return bytes;
}
