/* Stores which ranges of memory the commands of a list write, packed as varints.  { number of
 * events; for each event: kind, distance of its first command from that of the event before,
 * number of commands after the first, number of ranges; for each range: zigzag distance from the
 * end of the range before, length }. Events of lists that run inside the list are { kind,
 * distance, 0, number; positions }. */
#include "engine/memory/vtr-memory-events.h"

#include "base/vtr-varint.h"

/* How deep lists run lists; a damaged file could make a loop. */
#define MAX_DEPTH 8

void
vtr_memory_events_init (VtrMemoryEvents *self)
{
  self->events = g_array_new (FALSE, FALSE, sizeof (VtrMemoryEvent));
  self->ranges = g_array_new (FALSE, FALSE, sizeof (VtrRange));
  self->children = g_array_new (FALSE, FALSE, sizeof (guint32));
}

void
vtr_memory_events_finish (VtrMemoryEvents *self)
{
  g_clear_pointer (&self->events, g_array_unref);
  g_clear_pointer (&self->ranges, g_array_unref);
  g_clear_pointer (&self->children, g_array_unref);
}

void
vtr_memory_events_clear (VtrMemoryEvents *self)
{
  g_array_set_size (self->events, 0);
  g_array_set_size (self->ranges, 0);
  g_array_set_size (self->children, 0);
}

void
vtr_memory_events_begin (VtrMemoryEvents    *self,
                         VtrMemoryEventKind  kind,
                         guint64             first,
                         guint64             last)
{
  const VtrMemoryEvent event = { kind, first, last, self->ranges->len, 0 };

  g_array_append_val (self->events, event);
}

static VtrMemoryEvent *
newest (VtrMemoryEvents *self)
{
  return &g_array_index (self->events, VtrMemoryEvent, self->events->len - 1);
}

void
vtr_memory_events_add_range (VtrMemoryEvents *self,
                             VtrRange         range)
{
  VtrMemoryEvent *event = newest (self);

  if (event->n_ranges > 0)
    {
      VtrRange *last = &g_array_index (self->ranges, VtrRange, self->ranges->len - 1);

      if (range.begin >= last->begin && range.begin <= last->end)
        {
          last->end = MAX (last->end, range.end);
          return;
        }
    }
  g_array_append_val (self->ranges, range);
  event->n_ranges++;
}

void
vtr_memory_events_end (VtrMemoryEvents *self)
{
  if (self->events->len > 0 && newest (self)->n_ranges == 0)
    g_array_set_size (self->events, self->events->len - 1);
}

void
vtr_memory_events_add_children (VtrMemoryEvents *self,
                                guint64          command,
                                const guint32   *children,
                                guint32          n)
{
  const VtrMemoryEvent event = { VTR_EVENT_CHILD, command, command, self->children->len, n };

  g_array_append_val (self->events, event);
  g_array_append_vals (self->children, children, n);
}

/* --- Storing --------------------------------------------------------------------------------- */

static void
store_ranges (const VtrMemoryEvents *self,
              const VtrMemoryEvent  *event,
              guint64               *at,
              VtrBuffer             *store)
{
  for (guint i = 0; i < event->n_ranges; i++)
    {
      const VtrRange *range = &g_array_index (self->ranges, VtrRange, event->first_range + i);

      vtr_buffer_append_zigzag (store, (gint64)(range->begin - *at));
      vtr_buffer_append_varint (store, range->end - range->begin);
      *at = range->end;
    }
}

guint32
vtr_memory_events_store (const VtrMemoryEvents *self,
                         VtrBuffer             *store)
{
  guint64 command = 0, at = 0;
  gsize position;

  if (store->size == 0)
    vtr_buffer_append_varint (store, 0); /* position 0: an empty list, for when it is full */
  position = store->size;
  if (position >= VTR_NO_EVENTS)
    return 0;
  vtr_buffer_append_varint (store, self->events->len);
  for (guint i = 0; i < self->events->len; i++)
    {
      const VtrMemoryEvent *event = &g_array_index (self->events, VtrMemoryEvent, i);

      vtr_buffer_append_varint (store, event->kind);
      vtr_buffer_append_zigzag (store, (gint64)(event->first - command));
      vtr_buffer_append_varint (store, event->last - event->first);
      vtr_buffer_append_varint (store, event->n_ranges);
      command = event->first;
      if (event->kind != VTR_EVENT_CHILD)
        store_ranges (self, event, &at, store);
      else
        for (guint k = 0; k < event->n_ranges; k++)
          vtr_buffer_append_varint (
            store, g_array_index (self->children, guint32, event->first_range + k));
    }
  return (guint32)position;
}

/* --- Loading --------------------------------------------------------------------------------- */

typedef struct
{
  const guint8 *at, *end;
} Reader;

/* The store is ours: it is never cut. */
static guint64
next (Reader *reader)
{
  guint64 value = 0;

  return vtr_varint_read (&reader->at, reader->end, &value) == VTR_OK ? value : 0;
}

static void load (VtrMemoryEvents     *self,
                  const VtrBuffer     *store,
                  guint32              position,
                  const VtrMemoryStep *steps,
                  guint                depth);

static void
load_children (VtrMemoryEvents     *self,
               const VtrBuffer     *store,
               Reader              *reader,
               guint64              command,
               guint                n,
               const VtrMemoryStep *step,
               guint                depth)
{
  for (guint i = 0; i < n; i++)
    {
      guint32 child = (guint32)next (reader);
      gboolean here = step != NULL && step->command == command && step->child != G_MAXUINT32;

      if (child == VTR_NO_EVENTS || (here && i > step->child))
        continue;
      load (self, store, child, here && i == step->child ? step + 1 : NULL, depth + 1);
    }
}

static void
load (VtrMemoryEvents     *self,
      const VtrBuffer     *store,
      guint32              position,
      const VtrMemoryStep *step,
      guint                depth)
{
  Reader reader = { store->data + position, store->data + store->size };
  guint64 command = 0, at = 0;
  guint64 n;

  if (depth > MAX_DEPTH || position >= store->size)
    return;
  n = next (&reader);
  for (guint64 i = 0; i < n; i++)
    {
      VtrMemoryEventKind kind = (VtrMemoryEventKind)next (&reader);
      guint64 first = command + (guint64)vtr_zigzag_decode (next (&reader));
      guint64 last = first + next (&reader);
      guint n_ranges = (guint)next (&reader);

      command = first;
      if (step != NULL && first > step->command)
        return;
      if (kind == VTR_EVENT_CHILD)
        {
          load_children (self, store, &reader, first, n_ranges, step, depth);
          continue;
        }
      vtr_memory_events_begin (self, kind, first,
                               step != NULL ? MIN (last, step->command) : last);
      for (guint k = 0; k < n_ranges; k++)
        {
          VtrRange range;

          range.begin = at + (guint64)vtr_zigzag_decode (next (&reader));
          range.end = at = range.begin + next (&reader);
          g_array_append_val (self->ranges, range);
          newest (self)->n_ranges++;
        }
    }
}

void
vtr_memory_events_load (VtrMemoryEvents     *self,
                        const VtrBuffer     *store,
                        guint32              position,
                        const VtrMemoryStep *steps)
{
  vtr_memory_events_clear (self);
  if (position != VTR_NO_EVENTS)
    load (self, store, position, steps, 0);
}
