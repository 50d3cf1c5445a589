/* Keeps the measured times of a frame: finds and sorts rows, and explains missing figures. */
#include "engine/replay-session/vtr-timings.h"

#include "engine/api/vtr-show-api.h"
#include "engine/format/vtr-locale.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

static const char *const names[] = { "frame", "command-buffer", "pass", "draw" };

const char *
vtr_timings_by_to_string (VtrTimingsBy by)
{
  return names[by];
}

gboolean
vtr_timings_by_from_string (const char   *text,
                            VtrTimingsBy *out)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_strcmp0 (text, names[i]) == 0)
      {
        *out = (VtrTimingsBy)i;
        return TRUE;
      }
  return FALSE;
}

VtrTimings *
vtr_timings_ref (VtrTimings *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
vtr_timings_unref (VtrTimings *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_array_unref (self->rows);
  g_array_unref (self->samples);
  g_clear_pointer (&self->by_index, g_hash_table_unref);
  g_free (self->device);
  g_free (self);
}

guint32
vtr_timings_find (const VtrTimings *self,
                  guint64           index,
                  guint32           run)
{
  const gint64 key = (gint64)index;
  guint32 first = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_index, &key));

  if (first == 0)
    return VTR_PROBE_NONE;
  if (run == VTR_NO_RUN)
    return first - 1;
  for (guint32 i = first - 1; i < self->rows->len; i++)
    {
      const VtrTimingRow *row = &g_array_index (self->rows, VtrTimingRow, i);

      if (row->index == index && row->run == run)
        return i;
    }
  return VTR_PROBE_NONE;
}

static int
compare_times (gconstpointer a,
               gconstpointer b,
               gpointer      data)
{
  const VtrTimings *self = data;
  const guint32 left = *(const guint32 *)a, right = *(const guint32 *)b;
  guint64 first = g_array_index (self->rows, VtrTimingRow, left).time.median;
  guint64 second = g_array_index (self->rows, VtrTimingRow, right).time.median;

  if (first != second)
    return first > second ? -1 : 1;
  return (left > right) - (left < right);
}

GArray *
vtr_timings_sort (const VtrTimings *self,
                  VtrProbeKind      kind)
{
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < self->rows->len; i++)
    {
      const VtrTimingRow *row = &g_array_index (self->rows, VtrTimingRow, i);

      if (row->kind == kind && row->is_timed)
        g_array_append_val (order, i);
    }
  g_array_sort_with_data (order, compare_times, (gpointer)self);
  return order;
}

/* --- Words ----------------------------------------------------------------------------------- */

GStrv
vtr_timings_list_caveats (const VtrTimings *self)
{
  GPtrArray *list = g_ptr_array_new ();

  if (self->is_software)
    g_ptr_array_add (list, g_strdup (_ ("A software driver draws on the CPU: these are CPU "
                                        "times and depend on what else runs.")));
  if (self->by > VTR_TIMINGS_BY_FRAME)
    g_ptr_array_add (list,
                     g_strdup (_ ("Each time is measured from the end of all earlier work, so "
                                  "overlapping work counts only once.")));
  if (self->by == VTR_TIMINGS_BY_DRAW)
    g_ptr_array_add (list, g_strdup (_ ("Measuring each draw prevents overlap, so passes and "
                                        "command buffers take longer than usual.")));
  g_ptr_array_add (list,
                   g_strdup (_ ("The replay stores all attachments, even those that the "
                                "program discards at the end of a pass.")));
  if (self->has_statistics && self->by > VTR_TIMINGS_BY_FRAME)
    g_ptr_array_add (list, g_strdup (_ ("Counting statistics adds to the times.")));
  if (self->from > 0)
    g_ptr_array_add (list, g_strdup (_ ("Commands before the frame’s first submission are not "
                                        "measured.")));
  if (self->is_whole)
    g_ptr_array_add (list, g_strdup (_ ("Each loop ran the trace from its beginning.")));
  g_ptr_array_add (list, NULL);
  return (GStrv)g_ptr_array_free (list, FALSE);
}

const char *
vtr_timings_explain_time (const VtrTimingRow *row)
{
  if (row->is_timed)
    return NULL;
  if (row->time_reason == VTR_PROBE_NO_TIMESTAMPS)
    return _ ("The queue family does not support timestamps.");
  return _ ("It did not finish.");
}

const char *
vtr_timings_explain_statistics (const VtrTimingRow *row)
{
  if (row->n_skipped == 0)
    return NULL;
  if (row->statistics_reason == VTR_PROBE_OWN_STATISTICS)
    return _ ("Statistics are unavailable here: the program has a query of its own active.");
  return _ ("Statistics are unavailable here: the device cannot count them in this queue "
            "family.");
}

/* The statistics of the first API that counts any. */
static const VtrCounter *
get_counter (guint nth)
{
  guint n = 0;

  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->show != NULL && vtr_apis[i]->show->list_counters != NULL)
      {
        const VtrCounter *counters = vtr_apis[i]->show->list_counters (&n);

        return nth < n ? &counters[nth] : NULL;
      }
  return NULL;
}

const char *
vtr_timings_statistic_name (guint nth)
{
  const VtrCounter *counter = get_counter (nth);

  return counter != NULL ? vtr_locale_translate (counter->name) : "";
}

const char *
vtr_timings_statistic_key (guint nth)
{
  const VtrCounter *counter = get_counter (nth);

  return counter != NULL ? counter->key : "";
}
