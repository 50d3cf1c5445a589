/* Makes a VtrMemoryIndex in one pass over the trace: takes observed bytes from the commands, and
 * asks the APIs what commands write. */
#include "engine/memory/vtr-memory-private.h"

#include "engine/format/vtr-trace-observations.h"
#include "engine/state/vtr-timeline.h"

#define POLL_INTERVAL 1024
/* Between spaces, so that what goes beyond the end of one is not in the next. */
#define GUARD ((guint64)4096)
/* More than any device has. Larger sizes are taken for damage. */
#define MAX_SPACE ((guint64)1 << 44)

struct _VtrEffects
{
  VtrMemory *memory;
  VtrMemoryIndex *index;
  guint64 next_base;
  guint64 at;             /* flat index */
  VtrMemoryEvents events; /* of the command, outside of lists */
  VtrArena arena;
};

/* --- What the APIs say ----------------------------------------------------------------------- */

guint64
vtr_effects_get_index (const VtrEffects *self)
{
  return self->at;
}

gboolean
vtr_effects_decode (VtrEffects *self,
                    VtrCommand *out)
{
  vtr_arena_reset (&self->arena);
  return vtr_trace_decode (self->memory->trace, self->at, &self->arena, out, NULL);
}

gboolean
vtr_effects_add_space (VtrEffects *self,
                       guint32     space,
                       guint64     size)
{
  const VtrMemorySpace added = { space, self->next_base, MIN (size, MAX_SPACE) };

  if (added.size > G_MAXUINT64 / 2 - self->next_base)
    return FALSE;
  self->next_base += (added.size + 2 * GUARD - 1) & ~(GUARD - 1);
  g_array_append_val (self->index->spaces, added);
  return TRUE;
}

GArray *
vtr_effects_get_spaces (VtrEffects *self)
{
  return self->index->spaces;
}

void
vtr_effects_write (VtrEffects   *self,
                   guint32       space,
                   guint64       offset,
                   guint64       size,
                   VtrCertainty  certainty)
{
  static const VtrMemoryEventKind kinds[] = {
    [VTR_EFFECT_EXACT] = VTR_EVENT_EXACT,
    [VTR_EFFECT_MAYBE] = VTR_EVENT_MAYBE,
    [VTR_EFFECT_KNOWN] = VTR_EVENT_KNOWN,
  };
  const VtrMemorySpace *found = vtr_memory_index_find_space (self->index, space);
  VtrRange range;

  if (found == NULL || offset >= found->size || size == 0)
    return;
  range.begin = found->base + offset;
  range.end = range.begin + MIN (size, found->size - offset);
  vtr_interval_index_add (certainty == VTR_EFFECT_MAYBE ? self->index->maybe : self->index->exact,
                          self->at, range.begin, range.end);
  vtr_memory_events_begin (&self->events, kinds[certainty], self->at, self->at);
  vtr_memory_events_add_range (&self->events, range);
  vtr_memory_events_end (&self->events);
}

void
vtr_effects_write_until (VtrEffects *self,
                         guint64     address,
                         guint64     size,
                         guint64     last)
{
  VtrMemoryWindow window = { { address, 0 }, self->at, last };

  if (size > 0 && last >= self->at && !__builtin_add_overflow (address, size, &window.range.end))
    g_array_append_val (self->index->windows, window);
}

VtrBuffer *
vtr_effects_get_store (VtrEffects *self)
{
  return &self->index->events;
}

static void
add_ranges (VtrIntervalIndex *index,
            guint64           item,
            const GArray     *ranges)
{
  for (guint i = 0; i < ranges->len; i++)
    {
      const VtrRange *range = &g_array_index (ranges, VtrRange, i);

      vtr_interval_index_add (index, item, range->begin, range->end);
    }
}

void
vtr_effects_add_run (VtrEffects   *self,
                     guint32       run,
                     guint32       events,
                     const GArray *exact,
                     const GArray *maybe)
{
  self->index->run_events[run] = events;
  add_ranges (self->index->exact, self->at, exact);
  add_ranges (self->index->maybe, self->at, maybe);
}

/* --- What was observed ----------------------------------------------------------------------- */

static gboolean
add_observation (const VtrTraceObservation *observation,
                 gpointer                   data)
{
  VtrEffects *self = data;

  vtr_interval_index_add (self->index->program, self->at, observation->base,
                          observation->base + observation->size);
  return TRUE;
}

static gboolean
add_content (const VtrTraceObservation *observation,
             gpointer                   data)
{
  VtrEffects *self = data;
  const guint32 id = vtr_memory_find_space (self->memory, observation->memory, self->at);
  const VtrMemorySpace *space = id != 0 ? vtr_memory_index_find_space (self->index, id) : NULL;

  if (space != NULL && observation->base < space->size)
    vtr_interval_index_add (self->index->exact, self->at, space->base + observation->base,
                            space->base +
                              MIN (observation->base + observation->size, space->size));
  return TRUE;
}

/* --- The pass -------------------------------------------------------------------------------- */

static void
keep_events (VtrEffects *self)
{
  const VtrMemoryWriter writer = {
    self->at, vtr_memory_events_store (&self->events, &self->index->events)
  };

  g_array_append_val (self->index->writers, writer);
  vtr_memory_events_clear (&self->events);
}

/* Calls that cannot be read are left out, so that a damaged call does not hide the memory of all
 * others. */
static void
note_command (VtrEffects *self)
{
  const VtrCmdId id = vtr_trace_get_command_id (self->memory->trace, self->at);
  const VtrMemoryModel *model = vtr_memory_find_model (self->memory, id);

  vtr_trace_visit_mapped_writes (self->memory->trace, self->at, add_content, self, NULL);
  vtr_trace_visit_observations (self->memory->trace, self->at, add_observation, self, NULL);
  if (model != NULL && model->api->follow != NULL)
    model->api->follow (model->self, self, id);
  if (self->events.events->len > 0)
    keep_events (self);
}

static gboolean
run_pass (VtrEffects        *self,
          VtrTraceProgress   progress,
          gpointer           data,
          GCancellable      *cancellable,
          GError           **error)
{
  const guint64 n = vtr_trace_get_n_commands (self->memory->trace);

  for (self->at = 0; self->at < n; self->at++)
    {
      if (self->at % POLL_INTERVAL == 0)
        {
          if (g_cancellable_set_error_if_cancelled (cancellable, error))
            return FALSE;
          if (progress != NULL)
            progress (self->at, n, data);
        }
      note_command (self);
    }
  return TRUE;
}

static VtrMemoryIndex *
index_new (guint32 n_runs)
{
  VtrMemoryIndex *self = g_new0 (VtrMemoryIndex, 1);

  self->program = vtr_interval_index_new ();
  self->exact = vtr_interval_index_new ();
  self->maybe = vtr_interval_index_new ();
  self->writers = g_array_new (FALSE, FALSE, sizeof (VtrMemoryWriter));
  self->windows = g_array_new (FALSE, FALSE, sizeof (VtrMemoryWindow));
  self->spaces = g_array_new (FALSE, FALSE, sizeof (VtrMemorySpace));
  self->n_runs = n_runs;
  self->run_events = g_new (guint32, MAX (n_runs, 1));
  for (guint32 i = 0; i < n_runs; i++)
    self->run_events[i] = VTR_NO_EVENTS;
  return self;
}

VtrMemoryIndex *
vtr_memory_index_build (VtrMemory         *memory,
                        VtrTraceProgress   progress,
                        gpointer           data,
                        GCancellable      *cancellable,
                        GError           **error)
{
  g_autoptr (VtrMemoryIndex) index = index_new (vtr_timeline_get_n_runs (memory->timeline));
  VtrEffects effects = { .memory = memory, .index = index, .next_base = GUARD };
  gboolean ok;

  vtr_memory_events_init (&effects.events);
  vtr_arena_init (&effects.arena);
  for (guint i = 0; i < memory->n_models; i++)
    if (memory->models[i].api->begin != NULL)
      memory->models[i].api->begin (memory->models[i].self, &effects);
  ok = run_pass (&effects, progress, data, cancellable, error);
  for (guint i = 0; i < memory->n_models; i++)
    if (memory->models[i].api->end != NULL)
      memory->models[i].api->end (memory->models[i].self, &effects, ok);
  vtr_arena_finish (&effects.arena);
  vtr_memory_events_finish (&effects.events);
  if (!ok)
    return NULL;
  vtr_interval_index_complete (index->program);
  vtr_interval_index_complete (index->exact);
  vtr_interval_index_complete (index->maybe);
  return g_steal_pointer (&index);
}

void
vtr_memory_index_free (VtrMemoryIndex *self)
{
  g_clear_pointer (&self->program, vtr_interval_index_free);
  g_clear_pointer (&self->exact, vtr_interval_index_free);
  g_clear_pointer (&self->maybe, vtr_interval_index_free);
  vtr_buffer_finish (&self->events);
  g_free (self->run_events);
  g_array_unref (self->writers);
  g_array_unref (self->windows);
  g_array_unref (self->spaces);
  g_free (self);
}

/* --- Looking up ------------------------------------------------------------------------------ */

gsize
vtr_memory_index_get_bytes (const VtrMemoryIndex *self)
{
  return vtr_interval_index_get_bytes (self->program) + vtr_interval_index_get_bytes (self->exact) +
         vtr_interval_index_get_bytes (self->maybe) + self->events.capacity +
         self->n_runs * sizeof (guint32) + self->spaces->len * sizeof (VtrMemorySpace) +
         self->writers->len * sizeof (VtrMemoryWriter) +
         self->windows->len * sizeof (VtrMemoryWindow);
}

const VtrMemorySpace *
vtr_memory_index_find_space (const VtrMemoryIndex *self,
                             guint32               id)
{
  guint low = 0, high = self->spaces->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      const VtrMemorySpace *space = &g_array_index (self->spaces, VtrMemorySpace, middle);

      if (space->id == id)
        return space;
      if (space->id < id)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

const VtrMemorySpace *
vtr_memory_index_find_place (const VtrMemoryIndex *self,
                             guint64               place)
{
  guint low = 0, high = self->spaces->len;
  const VtrMemorySpace *space;

  /* They were laid out in the order of their ids. */
  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (self->spaces, VtrMemorySpace, middle).base <= place)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return NULL;
  space = &g_array_index (self->spaces, VtrMemorySpace, low - 1);
  return place - space->base < space->size ? space : NULL;
}

guint32
vtr_memory_index_find_writer (const VtrMemoryIndex *self,
                              guint64               index)
{
  guint low = 0, high = self->writers->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      const VtrMemoryWriter *writer = &g_array_index (self->writers, VtrMemoryWriter, middle);

      if (writer->index == index)
        return writer->events;
      if (writer->index < index)
        low = middle + 1;
      else
        high = middle;
    }
  return VTR_NO_EVENTS;
}
