/* Reads memory at a command: walks backwards through the index and takes each byte from the
 * command that touched it last. */
#include "engine/memory/vtr-memory-private.h"
#include "engine/memory/vtr-memory-spans.h"

#include "vtr-config.h"

#include "base/vtr-must.h"
#include "engine/format/vtr-trace-observations.h"
#include "engine/state/vtr-history.h"
#include "engine/state/vtr-timeline.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Lists that run lists that run lists … */
#define MAX_STEPS 9 /* as deep as VtrTimeline follows them */

typedef struct
{
  VtrMemory *memory;
  const VtrMemoryIndex *index;
  const VtrObject *object; /* the space asked for; NULL: the program's */
  guint64 begin;           /* of the question, by address or place in the row */
  guint64 base;            /* of the space in the row */
  guint8 *bytes;
  gboolean maybe;       /* looks for what may be written */
  GArray *found;        /* VtrMemoryFragment */
  GArray *observations; /* VtrTraceObservation of the command being looked at */
  VtrMemoryEvents events;
  VtrArena arena;
  guint n_visited;
  GCancellable *cancellable;
  GError *error;
} Reader;

/* --- Painting -------------------------------------------------------------------------------- */

/* Fills what is wanted of one piece. Returns: FALSE when the trace has not got its bytes. */
typedef gboolean (*FillFunc) (Reader *self,
                              gconstpointer source,
                              guint64 offset,
                              gsize size,
                              guint8 *out);

/* Whatever is wanted of [begin, end) was touched here last. @fill: (nullable). */
static void
paint (Reader                  *self,
       VtrRangeSet             *wanted,
       VtrRange                 range,
       const VtrMemoryFragment *like,
       FillFunc                 fill,
       gconstpointer            source)
{
  gboolean any = FALSE;

  for (gsize i = vtr_range_set_find (wanted, range.begin); i < wanted->n; i++)
    {
      const VtrRange *want = &wanted->ranges[i];
      VtrMemoryFragment piece = *like;

      if (want->begin >= range.end)
        break;
      piece.begin = MAX (want->begin, range.begin);
      piece.end = MIN (want->end, range.end);
      if (fill != NULL && !fill (self, source, piece.begin - range.begin, piece.end - piece.begin,
                                 self->bytes + (piece.begin - self->begin)))
        piece.kind = VTR_MEMORY_UNKNOWN;
      g_array_append_val (self->found, piece);
      any = TRUE;
    }
  if (any)
    vtr_must (vtr_range_set_remove (wanted, range.begin, range.end));
}

static gboolean
check_cancelled (Reader *self)
{
  return ++self->n_visited % 1024 != 0 ||
         !g_cancellable_set_error_if_cancelled (self->cancellable, &self->error);
}

/* --- Observations ---------------------------------------------------------------------------- */

static gboolean
fill_observed (Reader        *self,
               gconstpointer  source,
               guint64        offset,
               gsize          size,
               guint8        *out)
{
  return vtr_trace_copy_observed (self->memory->trace, source, offset, size, &self->arena, out);
}

/* Later observations hide earlier ones, so all are collected before any is painted. Inline
 * contents may be freed with their frame. */
static gboolean
collect (const VtrTraceObservation *observation,
         gpointer                   data)
{
  Reader *self = data;
  VtrTraceObservation kept = *observation;

  if (self->object != NULL && observation->memory != self->object->handle)
    return TRUE;
  if (kept.data != NULL)
    kept.data = vtr_arena_memdup (&self->arena, kept.data, kept.size);
  if (kept.data != NULL || kept.resource != 0)
    g_array_append_val (self->observations, kept);
  return TRUE;
}

typedef struct
{
  Reader *reader;
  const VtrRangeSet *wanted;
} Collector;

/* Contents that are not requested are not copied. */
static gboolean
collect_wanted (const VtrTraceObservation *observation,
                gpointer                   data)
{
  Collector *collector = data;
  guint64 base = collector->reader->base;
  const VtrRange range = { base + observation->base,
                           base + observation->base + observation->size };

  if (!vtr_range_set_overlaps (collector->wanted, range.begin, range.end))
    return TRUE;
  return collect (observation, collector->reader);
}

static void
paint_observations (Reader      *self,
                    guint64      item,
                    VtrRangeSet *wanted)
{
  const VtrMemoryFragment like = { 0, 0, VTR_MEMORY_OBSERVED, item, { item, 0 } };

  for (guint i = self->observations->len; i > 0; i--)
    {
      const VtrTraceObservation *seen =
        &g_array_index (self->observations, VtrTraceObservation, i - 1);
      const VtrRange range = { self->base + seen->base, self->base + seen->base + seen->size };

      paint (self, wanted, range, &like, fill_observed, seen);
    }
}

static gboolean
visit_program (guint64      item,
               VtrRangeSet *wanted,
               gpointer     data)
{
  Reader *self = data;
  Collector collector = { self, wanted };

  if (!check_cancelled (self))
    return FALSE;
  vtr_arena_reset (&self->arena);
  g_array_set_size (self->observations, 0);
  vtr_trace_visit_observations (self->memory->trace, item, collect_wanted, &collector, NULL);
  paint_observations (self, item, wanted);
  return TRUE;
}

/* --- GPU work -------------------------------------------------------------------------------- */

static const VtrMemoryModel *
find_model (Reader  *self,
            guint64  index)
{
  return vtr_memory_find_model (self->memory,
                                vtr_trace_get_command_id (self->memory->trace, index));
}

/* The bytes that the call writes according to its arguments. */
static gboolean
fill_known (Reader        *self,
            gconstpointer  source,
            guint64        offset,
            gsize          size,
            guint8        *out)
{
  const VtrMemoryEvent *event = source;
  const VtrMemoryModel *model = find_model (self, event->first);

  return model != NULL && model->api->fill != NULL &&
         model->api->fill (model->self, event->first, offset, size, out);
}

/* Of the commands that share an event, the last one that can have done it. */
static guint64
attribute (Reader               *self,
           const VtrMemoryEvent *event)
{
  const VtrMemoryModel *model = find_model (self, event->first);

  return event->last > event->first && model != NULL && model->api->attribute != NULL
           ? model->api->attribute (model->self, event->first, event->last)
           : event->first;
}

static void
paint_event (Reader               *self,
             const VtrMemoryEvent *event,
             VtrMemoryWhen         when,
             VtrRangeSet          *wanted)
{
  VtrMemoryFragment like = {
    .kind = VTR_MEMORY_GPU_MAYBE, .index = VTR_COMMAND_NO_INDEX, .when = when
  };
  gboolean known = event->kind == VTR_EVENT_KNOWN;

  if ((event->kind == VTR_EVENT_MAYBE) != self->maybe)
    return;
  if (!self->maybe)
    like.kind = known ? VTR_MEMORY_OBSERVED : VTR_MEMORY_GPU_WRITTEN;
  for (guint i = 0; i < event->n_ranges; i++)
    {
      VtrRange range = g_array_index (self->events.ranges, VtrRange, event->first_range + i);

      if (!vtr_range_set_overlaps (wanted, range.begin, range.end))
        continue;
      if (like.index == VTR_COMMAND_NO_INDEX)
        like.index = attribute (self, event);
      paint (self, wanted, range, &like, known ? fill_known : NULL, event);
    }
}

/* Part @nth of what a command did: the events at @position of the store, or their beginning. */
static void
paint_events (Reader              *self,
              guint64              item,
              guint32              position,
              guint32              nth,
              const VtrMemoryStep *steps,
              VtrRangeSet         *wanted)
{
  vtr_memory_events_load (&self->events, &self->index->events, position, steps);
  for (guint i = self->events.events->len; i > 0; i--)
    {
      const VtrMemoryWhen when = { item, ((guint64)nth + 1) << 32 | i };

      if (wanted->n == 0)
        return;
      paint_event (self, &g_array_index (self->events.events, VtrMemoryEvent, i - 1), when,
                   wanted);
    }
}

/* Applies the writes of the lists that @item ran, up to its @n_runs-th run, of which only the
   beginning up to @steps (nullable) counts. */
static void
paint_runs (Reader              *self,
            guint64              item,
            guint32              n_runs,
            const VtrMemoryStep *steps,
            VtrRangeSet         *wanted)
{
  const guint32 nth = vtr_timeline_find_submission (self->memory->timeline, item);
  const VtrSubmission *submission;

  if (nth == VTR_NO_RECORDING)
    return;
  submission = vtr_timeline_get_submission (self->memory->timeline, nth);
  n_runs = MIN (n_runs, submission->n_runs);
  for (guint32 i = n_runs; i > 0; i--)
    paint_events (self, item, self->index->run_events[submission->first_run + i - 1], i - 1,
                  i == n_runs ? steps : NULL, wanted);
}

/* Like paint_runs (), then the writes of the command itself, and those to the space before it. */
static void
paint_item (Reader              *self,
            guint64              item,
            guint32              n_runs,
            const VtrMemoryStep *steps,
            VtrRangeSet         *wanted)
{
  paint_runs (self, item, n_runs, steps, wanted);
  if (self->index->writers->len > 0)
    paint_events (self, item, vtr_memory_index_find_writer (self->index, item), 0, NULL, wanted);
  /* Another object may have had this name before or after. */
  if (!self->maybe && wanted->n > 0 && item > self->object->created &&
      item <= self->object->destroyed)
    {
      Collector collector = { self, wanted };

      vtr_arena_reset (&self->arena);
      g_array_set_size (self->observations, 0);
      vtr_trace_visit_mapped_writes (self->memory->trace, item, collect_wanted, &collector, NULL);
      paint_observations (self, item, wanted);
    }
}

static gboolean
visit_space (guint64      item,
             VtrRangeSet *wanted,
             gpointer     data)
{
  Reader *self = data;

  if (!check_cancelled (self))
    return FALSE;
  paint_item (self, item, G_MAXUINT32, NULL, wanted);
  return TRUE;
}

/* --- Where to stop --------------------------------------------------------------------------- */

typedef struct
{
  guint64 end;   /* items before this one count as a whole */
  gboolean part; /* of item @end, the first @n_runs runs, the last of them up to @steps */
  guint32 n_runs;
  VtrMemoryStep steps[MAX_STEPS];
} Limit;

/* The way down from the outermost list to the command asked for. Returns: the run of that list. */
static guint32
trace_steps (VtrTimeline *timeline,
             guint64      index,
             guint32      run,
             Limit       *out)
{
  guint32 chain[MAX_STEPS];
  guint n = 0;

  for (guint32 at = run; at != VTR_NO_RUN && n < MAX_STEPS;
       at = vtr_timeline_get_run (timeline, at)->parent)
    chain[n++] = at;
  for (guint i = 0; i < n; i++)
    {
      VtrMemoryStep *step = &out->steps[i];
      const VtrRun *below = i + 1 < n ? vtr_timeline_get_run (timeline, chain[n - 2 - i]) : NULL;

      step->command = below != NULL ? below->executed_by : index;
      step->child = below != NULL ? below->position : G_MAXUINT32;
    }
  return chain[n - 1];
}

/* The sources of the bytes of the byte spaces after @index in @run. */
static gboolean
find_limit (VtrMemory  *self,
            guint64     index,
            guint32     run,
            Limit      *out,
            GError    **error)
{
  guint32 recording = vtr_timeline_find_recording (self->timeline, index);
  const VtrSubmission *submission;
  guint32 primary;

  memset (out, 0, sizeof *out);
  out->end = index + 1;
  if (recording == VTR_NO_RECORDING)
    return TRUE;
  if (run == VTR_NO_RUN)
    {
      const VtrRun *first = vtr_timeline_find_run (self->timeline, recording, 0);

      if (first == NULL)
        {
          g_set_error_literal (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_NOTHING,
                               _ ("This command was recorded but never submitted, so there is no "
                                  "device memory after it. The program's own memory can be "
                                  "read (pool 0)."));
          return FALSE;
        }
      run = (guint32)(first - vtr_timeline_get_run (self->timeline, 0));
    }
  primary = trace_steps (self->timeline, index, run, out);
  out->end = vtr_timeline_get_run (self->timeline, primary)->submit;
  out->part = TRUE;
  submission = vtr_timeline_get_submission (
    self->timeline, vtr_timeline_find_submission (self->timeline, out->end));
  out->n_runs = primary - submission->first_run + 1;
  return TRUE;
}

static void
look (Reader                 *self,
      const VtrIntervalIndex *index,
      const Limit            *limit,
      VtrRange                range)
{
  VtrRangeSet wanted = { 0 };

  vtr_must (vtr_range_set_add (&wanted, range.begin, range.end));
  if (limit->part)
    paint_item (self, limit->end, limit->n_runs, limit->steps, &wanted);
  vtr_interval_index_walk (index, limit->end, &wanted,
                           self->object != NULL ? visit_space : visit_program, self);
  vtr_range_set_finish (&wanted);
}

/* --- Program memory that the driver may write later ------------------------------------------- */

typedef struct
{
  const VtrMemoryWindow *window;
  guint64 until; /* the last command, up to the place asked about, after which it may be written */
} Open;

static int
compare_open (gconstpointer a,
              gconstpointer b)
{
  const Open *first = a, *second = b;

  return first->until > second->until ? -1 : first->until < second->until;
}

/* Finds what may have been written at any time since it was observed. */
static void
look_into_windows (Reader      *self,
                   const Limit *limit,
                   VtrRange     range)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Open));
  VtrRangeSet wanted = { 0 };

  for (guint i = 0; i < self->index->windows->len; i++)
    {
      const VtrMemoryWindow *window = &g_array_index (self->index->windows, VtrMemoryWindow, i);
      const Open added = { window, MIN (window->last, limit->end - 1) };

      if (window->first < limit->end)
        g_array_append_val (open, added);
    }
  g_array_sort (open, compare_open);
  vtr_must (vtr_range_set_add (&wanted, range.begin, range.end));
  for (guint i = 0; i < open->len; i++)
    {
      const Open *found = &g_array_index (open, Open, i);
      const VtrMemoryFragment like = {
        .kind = VTR_MEMORY_GPU_MAYBE,
        .index = found->window->first,
        .when = { found->until, G_MAXUINT64 },
      };

      paint (self, &wanted, found->window->range, &like, NULL, NULL);
    }
  vtr_range_set_finish (&wanted);
}

/* --- Reading --------------------------------------------------------------------------------- */

static gboolean
check_range (VtrMemory  *self,
             guint32     space,
             guint64     at,
             guint64     offset,
             guint64     size,
             GError    **error)
{
  g_autofree char *most = g_format_size_full (VTR_MEMORY_MAX_READ, G_FORMAT_SIZE_IEC_UNITS);
  guint64 end, whole;

  if (!vtr_memory_get_space_size (self, space, at, &whole, error))
    return FALSE;
  if (size == 0)
    g_set_error_literal (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_RANGE,
                         _ ("The range is empty. Use at least one byte."));
  else if (size > VTR_MEMORY_MAX_READ)
    g_set_error (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_RANGE,
                 _ ("At most %s can be read at once."), most);
  else if (__builtin_add_overflow (offset, size, &end))
    g_set_error_literal (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_RANGE,
                         _ ("The range extends beyond the last address."));
  else if (space != VTR_SPACE_PROGRAM && end > whole)
    {
      g_autofree char *bytes = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", whole);

      g_set_error (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_RANGE,
                   _ ("The range extends beyond the end of memory pool %u, which has %s bytes."),
                   space, bytes);
    }
  else
    return TRUE;
  return FALSE;
}

static gboolean
reader_init (Reader    *self,
             VtrRange  *range,
             GError   **error)
{
  const VtrMemorySpace *space;

  self->found = g_array_new (FALSE, FALSE, sizeof (VtrMemoryFragment));
  self->observations = g_array_new (FALSE, FALSE, sizeof (VtrTraceObservation));
  vtr_memory_events_init (&self->events);
  vtr_arena_init (&self->arena);
  if (self->object != NULL)
    {
      space = vtr_memory_index_find_space (self->index, self->object->id);
      if (space == NULL || range->end > space->size)
        {
          g_set_error (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_SPACE,
                       _ ("The trace does not say how large memory pool %u is."),
                       self->object->id);
          return FALSE;
        }
      self->base = space->base;
      range->begin += space->base;
      range->end += space->base;
    }
  self->begin = range->begin;
  self->bytes = g_try_malloc0 (range->end - range->begin);
  if (self->bytes == NULL)
    g_set_error_literal (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_RANGE,
                         _ ("There is not enough memory to read so much at once."));
  return self->bytes != NULL;
}

static void
reader_finish (Reader *self)
{
  g_clear_pointer (&self->found, g_array_unref);
  g_clear_pointer (&self->observations, g_array_unref);
  vtr_memory_events_finish (&self->events);
  vtr_arena_finish (&self->arena);
  g_clear_pointer (&self->bytes, g_free);
}

/* Fills bytes and spans. */
static gboolean
read_range (Reader         *self,
            const Limit    *limit,
            VtrRange        range,
            VtrMemoryView  *view,
            GError        **error)
{
  g_autoptr (GArray) sure = NULL;
  gboolean ok = reader_init (self, &range, error);

  if (ok)
    {
      look (self, self->object != NULL ? self->index->exact : self->index->program, limit, range);
      sure = g_steal_pointer (&self->found);
      self->found = g_array_new (FALSE, FALSE, sizeof (VtrMemoryFragment));
      self->maybe = TRUE;
      if (self->error == NULL && self->object != NULL)
        look (self, self->index->maybe, limit, range);
      else if (self->error == NULL)
        look_into_windows (self, limit, range);
      ok = self->error == NULL;
      if (!ok)
        g_propagate_error (error, g_steal_pointer (&self->error));
    }
  if (ok)
    {
      view->spans = vtr_memory_spans_make (sure, self->found, range, self->base);
      view->bytes = g_bytes_new_take (g_steal_pointer (&self->bytes), range.end - range.begin);
    }
  reader_finish (self);
  return ok;
}

VtrMemoryView *
vtr_memory_read (VtrMemory     *self,
                 guint64        index,
                 guint32        run,
                 guint32        space,
                 guint64        offset,
                 guint64        size,
                 GCancellable  *cancellable,
                 GError       **error)
{
  g_autoptr (VtrMemoryView) view = g_new0 (VtrMemoryView, 1);
  Reader reader = { .memory = self, .cancellable = cancellable };
  Limit limit = { .end = index + 1 };

  g_atomic_ref_count_init (&view->refs);
  view->space = space;
  view->offset = offset;
  view->size = size;
  if (space != VTR_SPACE_PROGRAM && !find_limit (self, index, run, &limit, error))
    return NULL;
  if (!check_range (self, space, limit.part ? limit.end : index, offset, size, error) ||
      !vtr_memory_prepare (self, NULL, NULL, cancellable, error))
    return NULL;
  reader.index = self->index;
  if (space != VTR_SPACE_PROGRAM)
    reader.object = vtr_history_get_object (self->history, space);
  if (!read_range (&reader, &limit, (VtrRange){ offset, offset + size }, view, error))
    return NULL;
  if (!vtr_memory_fill_accesses (self, index, run, view, cancellable, error))
    return NULL;
  return g_steal_pointer (&view);
}
