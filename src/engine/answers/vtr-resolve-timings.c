/* Answers frames/N/timings, frames/N/statistics, commands/N/timings and commands/N/statistics. */
#include "engine/answers/vtr-resolve.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/answers/vtr-timings-json.h"
#include "base/vtr-number.h"

static const char *const kinds[VTR_PROBE_N_KINDS] = { "command-buffer", "pass", "command" };

/* --- Questions ------------------------------------------------------------------------------- */

gboolean
vtr_timings_query_parse (const char       *text,
                         VtrTimingsQuery  *query,
                         GError          **error)
{
  g_auto (GStrv) parts = g_strsplit (text, "&", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      guint64 number;

      if (g_str_has_prefix (parts[i], "by=") &&
          vtr_timings_by_from_string (parts[i] + strlen ("by="), &query->by))
        continue;
      if (g_str_has_prefix (parts[i], "loops=") &&
          vtr_parse_number (parts[i] + strlen ("loops="), 10, 1, 10000, &number))
        query->n_loops = (guint)number;
      else if (g_str_has_prefix (parts[i], "warm=") &&
               vtr_parse_number (parts[i] + strlen ("warm="), 10, 0, 10000, &number))
        query->n_warm = (guint)number;
      else
        {
          g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                       _ ("“%s” is not an option of a measurement. Use by=frame, "
                          "by=command-buffer, by=pass, by=draw, loops=N or warm=N."),
                       parts[i]);
          return FALSE;
        }
    }
  return TRUE;
}

/* --- Answers --------------------------------------------------------------------------------- */

static void
add_spread (JsonObject      *object,
            const VtrSpread *spread)
{
  json_object_set_int_member (object, "minimum", (gint64)spread->minimum);
  json_object_set_int_member (object, "median", (gint64)spread->median);
  json_object_set_int_member (object, "maximum", (gint64)spread->maximum);
  json_object_set_int_member (object, "mean", (gint64)spread->mean);
}

static void
add_statistics (JsonObject         *object,
                const VtrTimingRow *row)
{
  JsonObject *statistics = json_object_new ();

  for (guint i = 0; i < row->n_statistics; i++)
    json_object_set_int_member (statistics,
                                vtr_timings_statistic_key (row->first_statistic + i),
                                (gint64)row->statistics[row->first_statistic + i]);
  if (row->has_samples)
    json_object_set_int_member (statistics, "samplesPassed", (gint64)row->samples);
  json_object_set_object_member (object, "statistics", statistics);
  if (row->n_skipped == 0)
    return;
  json_object_set_int_member (object, "skipped", row->n_skipped);
  json_object_set_string_member (object, "statisticsReason",
                                 vtr_timings_explain_statistics (row));
}

static JsonObject *
make_row (VtrAnalysis      *analysis,
          const VtrTimings *timings,
          guint32           nth,
          VtrPathCursor    *cursor)
{
  VtrTrace *trace = vtr_analysis_get_trace (analysis);
  VtrHistory *history = vtr_analysis_get_history (analysis);
  const VtrTimingRow *row = &g_array_index (timings->rows, VtrTimingRow, nth);
  const VtrPlace address = { row->index, row->run };
  const VtrObject *queue =
    row->executor != 0 ? vtr_history_get_object (history, row->executor) : NULL;
  g_autofree char *where =
    vtr_path_format_next (vtr_analysis_get_timeline (analysis), &address, cursor);
  g_autofree char *path = g_strconcat ("commands/", where, NULL);
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "kind", kinds[row->kind]);
  json_object_set_string_member (object, "path", path);
  json_object_set_member (object, "command", vtr_json_command (trace, row->index));
  json_object_set_member (object, "last", vtr_json_command (trace, row->last));
  json_object_set_string_member (
    object, "name", vtr_command_name (vtr_trace_get_command_id (trace, row->index)));
  if (row->parent != VTR_PROBE_NONE)
    json_object_set_int_member (object, "parent", row->parent);
  else
    json_object_set_null_member (object, "parent");
  if (queue != NULL)
    json_object_set_member (object, "queue", vtr_json_object_ref (history, queue));
  else
    json_object_set_null_member (object, "queue");
  if (row->is_timed)
    {
      json_object_set_int_member (object, "begin", (gint64)row->begin);
      add_spread (object, &row->time);
    }
  else
    json_object_set_string_member (object, "reason", vtr_timings_explain_time (row));
  if (timings->has_statistics)
    add_statistics (object, row);
  return object;
}

JsonNode *
vtr_timings_to_json (VtrAnalysis      *analysis,
                     const VtrTimings *timings)
{
  JsonObject *object = json_object_new ();
  JsonObject *wall = json_object_new ();
  JsonArray *rows = json_array_new ();
  JsonArray *samples = json_array_new ();
  JsonArray *notes = json_array_new ();
  VtrPathCursor cursor = { 0 };
  g_auto (GStrv) caveats = vtr_timings_list_caveats (timings);

  json_object_set_int_member (object, "frame", (gint64)timings->frame);
  json_object_set_string_member (object, "by", vtr_timings_by_to_string (timings->by));
  json_object_set_string_member (object, "device",
                                 timings->device != NULL ? timings->device : "");
  json_object_set_int_member (object, "loops", timings->n_loops);
  json_object_set_int_member (object, "warm", timings->n_warm);
  json_object_set_string_member (object, "unit", "ns");
  for (guint i = 0; caveats[i] != NULL; i++)
    json_array_add_string_element (notes, caveats[i]);
  json_object_set_array_member (object, "notes", notes);
  add_spread (wall, &timings->wall);
  for (guint i = 0; i < timings->samples->len; i++)
    json_array_add_int_element (samples,
                                (gint64)g_array_index (timings->samples, guint64, i));
  json_object_set_array_member (wall, "samples", samples);
  json_object_set_object_member (object, "wall", wall);
  json_object_set_int_member (object, "gpu", (gint64)timings->gpu);
  for (guint32 i = 0; i < timings->rows->len; i++)
    json_array_add_object_element (rows, make_row (analysis, timings, i, &cursor));
  json_object_set_array_member (object, "rows", rows);
  return vtr_json_take_object (object);
}

static VtrTimingsQuery
make_query (guint64     frame,
            const char *step)
{
  gboolean statistics = g_str_has_prefix (step, "statistics");

  return (VtrTimingsQuery){
    .frame = frame,
    .by = VTR_TIMINGS_BY_DRAW,
    .n_loops = statistics ? 1 : VTR_TIMINGS_LOOPS,
    .n_warm = statistics ? 0 : 1,
    .statistics = statistics,
  };
}

gboolean
vtr_path_is_timings (const char *step)
{
  return step != NULL &&
         (g_str_equal (step, "timings") || g_str_has_prefix (step, "timings?") ||
          g_str_equal (step, "statistics") || g_str_has_prefix (step, "statistics?"));
}

JsonNode *
vtr_resolve_timings (VtrAnswers    *answers,
                     guint64        frame,
                     char         **steps,
                     GCancellable  *cancellable,
                     GError       **error)
{
  VtrTimingsQuery query = make_query (frame, steps[0]);
  const char *mark = strchr (steps[0], '?');
  g_autoptr (VtrTimings) timings = NULL;

  if (mark != NULL && !vtr_timings_query_parse (mark + 1, &query, error))
    return NULL;
  timings = vtr_replay_session_measure (answers->session, &query, NULL, NULL, cancellable, error);
  if (timings == NULL)
    return NULL;
  return vtr_json_walk (vtr_timings_to_json (answers->analysis, timings), steps + 1, "timings",
                        error);
}

JsonNode *
vtr_resolve_timings_at (VtrAnswers      *answers,
                        const VtrPlace  *address,
                        char           **steps,
                        GCancellable    *cancellable,
                        GError         **error)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (answers->analysis);
  guint32 run = vtr_timeline_get_run_of (timeline, address);
  const VtrPlace there = { address->index, run };
  g_autofree char *where = NULL;
  g_autofree char *path = NULL;
  g_autofree char *wanted = NULL;
  g_autoptr (JsonNode) frame = NULL;
  JsonArray *rows;

  if (run == VTR_NO_RUN)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("Only commands in a command buffer take time on the GPU."));
      return NULL;
    }
  path = g_strdup_printf (
    "frames/%" G_GUINT64_FORMAT "/%s",
    vtr_trace_get_part_of (vtr_analysis_get_trace (answers->analysis),
                           vtr_timeline_get_run (timeline, run)->submit),
    steps[0]);
  frame = vtr_answers_get (answers, path, cancellable, error);
  if (frame == NULL)
    return NULL;
  where = vtr_path_format_command (timeline, &there);
  wanted = g_strconcat ("commands/", where, NULL);
  rows = json_object_get_array_member (json_node_get_object (frame), "rows");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonNode *row = json_array_get_element (rows, i);

      if (g_strcmp0 (json_object_get_string_member (json_node_get_object (row), "path"), wanted) ==
          0)
        return vtr_json_walk (json_node_ref (row), steps + 1, "timings", error);
    }
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("This command is not measured: it only sets state or synchronises."));
  return NULL;
}
