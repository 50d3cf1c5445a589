/* Makes rows with statistics over all loops from the results of each loop's queries. */
#include "engine/vulkan/replay/vtr-timings-gatherer.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Loops that a spread is of: the newest ones, fewer of large frames. */
#define MAX_SAMPLES 256u
#define MIN_SAMPLES 16u
#define MAX_NUMBERS (4u << 20)

#define KEY(number) GUINT_TO_POINTER ((number) + 1)

struct _VtrTimingsGatherer
{
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrTimings *made; /* rows of the last loop, without spread */
  GPtrArray *loops; /* guint64 [rows], the newest at the end */
  guint n_loops;    /* so far */
};

VtrTimingsGatherer *
vtr_timings_gatherer_new (VtrTimeline  *timeline,
                          VtrHistory   *history,
                          guint64       frame,
                          VtrTimingsBy  by,
                          gboolean      statistics)
{
  VtrTimingsGatherer *self = g_new0 (VtrTimingsGatherer, 1);

  self->timeline = vtr_timeline_ref (timeline);
  self->history = vtr_history_ref (history);
  self->made = g_new0 (VtrTimings, 1);
  self->made->frame = frame;
  self->made->by = by;
  self->made->has_statistics = statistics;
  self->made->rows = g_array_new (FALSE, TRUE, sizeof (VtrTimingRow));
  self->made->samples = g_array_new (FALSE, TRUE, sizeof (guint64));
  self->loops = g_ptr_array_new_with_free_func (g_free);
  g_atomic_ref_count_init (&self->made->references);
  return self;
}

void
vtr_timings_gatherer_free (VtrTimingsGatherer *self)
{
  if (self == NULL)
    return;
  vtr_timings_unref (self->made);
  g_ptr_array_unref (self->loops);
  vtr_timeline_unref (self->timeline);
  vtr_history_unref (self->history);
  g_free (self);
}

/* --- Order ----------------------------------------------------------------------------------- */

typedef struct
{
  VtrTimeline *timeline;
  const VtrProbe *probe;
  GHashTable *rows; /* run → GArray of numbers of its rows */
  GArray *order;    /* numbers of all rows */
} Order;

static void
order_run (Order   *self,
           guint32  nth)
{
  const VtrRun *run = vtr_timeline_get_run (self->timeline, nth);
  const GArray *rows = g_hash_table_lookup (self->rows, KEY (nth));
  guint32 child = 0;

  for (guint i = 0; rows != NULL && i < rows->len; i++)
    {
      guint32 number = g_array_index (rows, guint32, i);
      guint64 index = g_array_index (self->probe->rows, VtrProbeRow, number).index;

      for (; child < run->n_children &&
             vtr_timeline_get_run (self->timeline, run->first_child + child)->executed_by < index;
           child++)
        order_run (self, run->first_child + child);
      g_array_append_val (self->order, number);
    }
  for (; child < run->n_children; child++)
    order_run (self, run->first_child + child);
}

/* Numbers of the probe's rows in the order they run in: they come in that of recording. */
static GArray *
order_rows (VtrTimeline    *timeline,
            const VtrProbe *probe)
{
  Order self = { timeline, probe, NULL, g_array_new (FALSE, FALSE, sizeof (guint32)) };
  guint32 n = vtr_timeline_get_n_submissions (timeline);

  self.rows = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  for (guint32 i = 0; i < probe->rows->len; i++)
    {
      guint32 run = g_array_index (probe->rows, VtrProbeRow, i).run;
      GArray *rows = g_hash_table_lookup (self.rows, KEY (run));

      if (rows == NULL)
        {
          rows = g_array_new (FALSE, FALSE, sizeof (guint32));
          g_hash_table_insert (self.rows, KEY (run), rows);
        }
      g_array_append_val (rows, i);
    }
  for (guint32 i = 0; i < n; i++)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (timeline, i);

      for (guint32 k = 0; k < submission->n_runs; k++)
        if (g_hash_table_contains (self.rows, KEY (submission->first_run + k)))
          order_run (&self, submission->first_run + k);
    }
  g_hash_table_unref (self.rows);
  return self.order;
}

/* --- Numbers --------------------------------------------------------------------------------- */

static guint32
find_queue (VtrTimingsGatherer *self,
            guint32             nth)
{
  const VtrRun *run = vtr_timeline_get_run (self->timeline, nth);
  const VtrSubmission *submission;
  const VtrObject *queue;
  guint32 number = vtr_timeline_find_submission (self->timeline, run->submit);

  if (number == VTR_NO_RECORDING)
    return 0;
  submission = vtr_timeline_get_submission (self->timeline, number);
  queue =
    vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkQueue, submission->executor),
                      submission->submit);
  return queue != NULL ? queue->id : 0;
}

/* From one timestamp to the next; those that seem to go back took no time. */
static guint64
span_of (const VtrProbeRow *row,
         guint64            begin,
         guint64            end)
{
  guint64 mask =
    row->valid_bits >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << row->valid_bits) - 1;
  guint64 ticks = (end - begin) & mask;

  return ticks > mask / 2 ? 0 : (guint64)((double)ticks * (double)row->period + 0.5);
}

/* @first: queue → its first timestamp. */
static void
read_time (const VtrProbe    *probe,
           const VtrProbeRow *from,
           VtrTimingRow      *row,
           GHashTable        *first)
{
  gpointer key = KEY (row->executor);
  guint64 *origin = g_hash_table_lookup (first, key);
  guint64 begin, end;

  row->time_reason = (VtrProbeReason)from->time_reason;
  if (!vtr_probe_get_value (probe, from->begin, 0, &begin) ||
      !vtr_probe_get_value (probe, from->end, 0, &end))
    return;
  if (origin == NULL)
    {
      origin = g_memdup2 (&begin, sizeof begin);
      g_hash_table_insert (first, key, origin);
    }
  row->is_timed = TRUE;
  row->begin = span_of (from, *origin, begin);
  row->time.median = span_of (from, begin, end);
}

static void
add_statistics (VtrTimingRow       *row,
                const VtrTimingRow *from)
{
  row->n_skipped += from->n_skipped;
  if (row->statistics_reason == VTR_PROBE_FINE)
    row->statistics_reason = from->statistics_reason;
  if (from->n_statistics > row->n_statistics)
    {
      row->n_statistics = from->n_statistics;
      row->first_statistic = from->first_statistic;
    }
  for (guint i = 0; i < VTR_PROBE_N_STATISTICS; i++)
    row->statistics[i] += from->statistics[i];
  row->has_samples = row->has_samples || from->has_samples;
  row->samples += from->samples;
}

/* Views of a multiview pass share the counts in no certain way; the sum is what counts. */
static void
read_statistics (const VtrProbe    *probe,
                 const VtrProbeRow *from,
                 VtrTimingRow      *row)
{
  guint64 value;

  for (guint32 view = 0; from->statistics != VTR_PROBE_NONE && view < from->n_views; view++)
    for (guint i = 0; i < from->n_statistics; i++)
      if (vtr_probe_get_value (probe, from->statistics + view, i, &value))
        {
          row->first_statistic = from->first_statistic;
          row->n_statistics = from->n_statistics;
          row->statistics[from->first_statistic + i] += value;
        }
  for (guint32 view = 0; from->occlusion != VTR_PROBE_NONE && view < from->n_views; view++)
    if (vtr_probe_get_value (probe, from->occlusion + view, 0, &value))
      {
        row->has_samples = TRUE;
        row->samples += value;
      }
  if (from->statistics_reason == VTR_PROBE_FINE)
    return;
  row->statistics_reason = (VtrProbeReason)from->statistics_reason;
  row->n_skipped = 1;
}

/* --- Loops ----------------------------------------------------------------------------------- */

static GArray *
make_rows (VtrTimingsGatherer *self,
           const VtrProbe     *probe)
{
  g_autoptr (GArray) order = order_rows (self->timeline, probe);
  g_autoptr (GHashTable) first = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autofree guint32 *place = g_new (guint32, probe->rows->len + 1);
  GArray *rows = g_array_sized_new (FALSE, TRUE, sizeof (VtrTimingRow), order->len);

  for (guint32 i = 0; i < order->len; i++)
    {
      guint32 number = g_array_index (order, guint32, i);
      const VtrProbeRow *from = &g_array_index (probe->rows, VtrProbeRow, number);
      VtrTimingRow row = {
        .kind = from->kind,
        .index = from->index,
        .last = from->last,
        .run = from->run,
        .parent = from->parent != VTR_PROBE_NONE ? place[from->parent] : VTR_PROBE_NONE,
        .executor = find_queue (self, from->run),
      };

      place[number] = i;
      if (row.parent != VTR_PROBE_NONE)
        row.depth = g_array_index (rows, VtrTimingRow, row.parent).depth + 1;
      read_time (probe, from, &row, first);
      read_statistics (probe, from, &row);
      g_array_append_val (rows, row);
    }
  for (guint32 i = rows->len; i > 0; i--)
    {
      const VtrTimingRow *row = &g_array_index (rows, VtrTimingRow, i - 1);

      if (row->parent != VTR_PROBE_NONE)
        add_statistics (&g_array_index (rows, VtrTimingRow, row->parent), row);
    }
  return rows;
}

static gboolean
is_same (const GArray *a,
         const GArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const VtrTimingRow *left = &g_array_index (a, VtrTimingRow, i);
      const VtrTimingRow *right = &g_array_index (b, VtrTimingRow, i);

      if (left->index != right->index || left->run != right->run || left->kind != right->kind)
        return FALSE;
    }
  return TRUE;
}

gboolean
vtr_timings_gatherer_add (VtrTimingsGatherer  *self,
                          const VtrProbe      *probe,
                          GError             **error)
{
  GArray *rows = make_rows (self, probe);
  const guint most = CLAMP (MAX_NUMBERS / (rows->len + 1), MIN_SAMPLES, MAX_SAMPLES);
  guint64 wall = 0;
  guint64 *times;

  if (self->n_loops > 0 && !is_same (rows, self->made->rows))
    {
      g_array_unref (rows);
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                           _ ("The frame ran differently than before"));
      return FALSE;
    }
  g_array_unref (self->made->rows);
  self->made->rows = rows;
  times = g_new (guint64, rows->len);
  for (guint i = 0; i < rows->len; i++)
    times[i] = g_array_index (rows, VtrTimingRow, i).time.median;
  if (self->loops->len == most)
    g_ptr_array_remove_index (self->loops, 0);
  g_ptr_array_add (self->loops, times);
  if (probe->clock[0] >= 0 && probe->clock[1] >= probe->clock[0])
    wall = (guint64)(probe->clock[1] - probe->clock[0]);
  if (self->made->samples->len == MAX_SAMPLES)
    g_array_remove_index (self->made->samples, 0);
  g_array_append_val (self->made->samples, wall);
  self->n_loops++;
  return TRUE;
}

/* --- Spread ---------------------------------------------------------------------------------- */

static int
compare_spans (gconstpointer a,
               gconstpointer b)
{
  const guint64 left = *(const guint64 *)a, right = *(const guint64 *)b;

  return (left > right) - (left < right);
}

/* Sorts @sorted. The lower of the two in the middle: one that was measured. */
static VtrSpread
spread_of (guint64 *sorted,
           guint    n)
{
  double sum = 0;

  if (n == 0)
    return (VtrSpread){ 0 };
  qsort (sorted, n, sizeof *sorted, compare_spans);
  for (guint i = 0; i < n; i++)
    sum += (double)sorted[i];
  return (VtrSpread){ .minimum = sorted[0],
                      .median = sorted[(n - 1) / 2],
                      .maximum = sorted[n - 1],
                      .mean = (guint64)(sum / n + 0.5) };
}

static void
index_rows (VtrTimings *self)
{
  self->by_index = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = self->rows->len; i > 0; i--)
    {
      const VtrTimingRow *row = &g_array_index (self->rows, VtrTimingRow, i - 1);
      gint64 *key = g_memdup2 (&row->index, sizeof *key);

      g_hash_table_insert (self->by_index, key, KEY (i - 1));
    }
}

VtrTimings *
vtr_timings_gatherer_get (VtrTimingsGatherer *self)
{
  VtrTimings *made = g_new (VtrTimings, 1);
  guint64 sorted[MAX_SAMPLES];

  *made = *self->made;
  g_atomic_ref_count_init (&made->references);
  made->n_loops = self->n_loops;
  made->device = NULL;
  made->rows = g_array_copy (self->made->rows);
  made->samples = g_array_copy (self->made->samples);
  memcpy (sorted, made->samples->data, made->samples->len * sizeof *sorted);
  made->wall = spread_of (sorted, made->samples->len);
  made->gpu = 0;
  for (guint i = 0; i < made->rows->len; i++)
    {
      VtrTimingRow *row = &g_array_index (made->rows, VtrTimingRow, i);

      for (guint k = 0; k < self->loops->len; k++)
        sorted[k] = ((const guint64 *)g_ptr_array_index (self->loops, k))[i];
      row->time = spread_of (sorted, self->loops->len);
      if (row->parent == VTR_PROBE_NONE)
        made->gpu += row->time.median;
    }
  index_rows (made);
  return made;
}
