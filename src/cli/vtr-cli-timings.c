/* vitrine-cli timings: measures GPU times and statistics of a frame. */
#include "vtr-cli.h"

#include "engine/state/vtr-path.h"
#include "engine/answers/vtr-resolve.h"
#include "engine/answers/vtr-timings-json.h"
#include "engine/document/vtr-document.h"
#include "base/vtr-number.h"
#include "engine/replay/vtr-replay-backend.h"

#include <stdio.h>
#include <string.h>

/* A loop may take less than a millisecond. */
#define SAY_EVERY (G_USEC_PER_SEC / 2)

static char *frame_text;
static char *by_text;
static char *device;
static int loops = VTR_TIMINGS_LOOPS;
static int warm = 1;
static gboolean endless;
static gboolean statistics;
static gboolean slowest;
static gboolean json;
static gboolean csv;

static const GOptionEntry entries[] = {
  { "frame", 0, 0, G_OPTION_ARG_STRING, &frame_text, N_ ("Measure this frame (default: the last)"),
    N_ ("N") },
  { "by", 0, 0, G_OPTION_ARG_STRING, &by_text,
    N_ ("Granularity: frame, command-buffer, pass or draw (default)"), N_ ("PART") },
  { "loops", 0, 0, G_OPTION_ARG_INT, &loops, N_ ("Number of measured replays of the frame "
                                                 "(default: 5)"),
    N_ ("N") },
  { "warm-up", 0, 0, G_OPTION_ARG_INT, &warm,
    N_ ("Number of replays before the measurement (default: 1)"), N_ ("N") },
  { "until-interrupted", 0, 0, G_OPTION_ARG_NONE, &endless,
    N_ ("Replay until Ctrl+C and print progress"), NULL },
  { "statistics", 0, 0, G_OPTION_ARG_NONE, &statistics,
    N_ ("Also count vertices, primitives, shader invocations and samples of each draw"), NULL },
  { "slowest", 0, 0, G_OPTION_ARG_NONE, &slowest, N_ ("Sort by time, slowest first"), NULL },
  { "device", 0, 0, G_OPTION_ARG_STRING, &device,
    N_ ("Replay on this device: its name, a part of the name, or its number in vitrine-cli "
        "devices"),
    N_ ("DEVICE") },
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print JSON"), NULL },
  { "csv", 0, 0, G_OPTION_ARG_NONE, &csv, N_ ("Print CSV"), NULL },
  { NULL },
};

/* --- Tables ---------------------------------------------------------------------------------- */

static char *
format_path (VtrDocument        *document,
             const VtrTimingRow *row)
{
  static VtrPathCursor cursor;
  const VtrPlace address = { row->index, row->run };

  return vtr_path_format_next (vtr_document_get_timeline (document), &address, &cursor);
}

static const char *
kind_of (const VtrTimingRow *row)
{
  switch (row->kind)
    {
    case VTR_PROBE_COMMAND_BUFFER:
      return "command-buffer";
    case VTR_PROBE_PASS:
      return "pass";
    default:
      return "command";
    }
}

/* The numbers of the rows to print, in output order. */
static GArray *
list_rows (const VtrTimings *timings)
{
  VtrProbeKind kind = VTR_PROBE_COMMAND;
  GArray *rows;

  if (timings->by == VTR_TIMINGS_BY_COMMAND_BUFFER)
    kind = VTR_PROBE_COMMAND_BUFFER;
  else if (timings->by == VTR_TIMINGS_BY_PASS)
    kind = VTR_PROBE_PASS;
  if (slowest)
    return vtr_timings_sort (timings, kind);
  rows = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = 0; i < timings->rows->len; i++)
    g_array_append_val (rows, i);
  return rows;
}

static void
print_csv_row (VtrDocument        *document,
               const VtrTimingRow *row,
               gboolean            counts)
{
  g_autofree char *path = format_path (document, row);
  VtrTrace *trace = vtr_document_get_trace (document);

  printf ("%s,commands/%s,%s", kind_of (row), path,
          vtr_trace_get_command_name (trace, row->index));
  if (row->is_timed)
    printf (",%u,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
            ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT,
            row->executor, row->begin, row->time.minimum, row->time.median, row->time.maximum,
            row->time.mean);
  else
    printf (",%u,,,,,", row->executor);
  for (guint i = 0; counts && i < VTR_PROBE_N_STATISTICS; i++)
    if (i >= row->first_statistic && i < row->first_statistic + row->n_statistics)
      printf (",%" G_GUINT64_FORMAT, row->statistics[i]);
    else
      putchar (',');
  if (counts && row->has_samples)
    printf (",%" G_GUINT64_FORMAT, row->samples);
  else if (counts)
    putchar (',');
  putchar ('\n');
}

static void
print_csv (VtrDocument      *document,
           const VtrTimings *timings)
{
  g_autoptr (GArray) rows = list_rows (timings);

  printf ("kind,path,name,queue,begin_ns,minimum_ns,median_ns,maximum_ns,mean_ns");
  for (guint i = 0; timings->has_statistics && i < VTR_PROBE_N_STATISTICS; i++)
    printf (",%s", vtr_timings_statistic_key (i));
  printf ("%s\n", timings->has_statistics ? ",samplesPassed" : "");
  printf ("frame,frames/%" G_GUINT64_FORMAT ",,,0,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
          ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT,
          timings->frame, timings->wall.minimum, timings->wall.median, timings->wall.maximum,
          timings->wall.mean);
  for (guint i = 0; timings->has_statistics && i <= VTR_PROBE_N_STATISTICS; i++)
    putchar (',');
  putchar ('\n');
  for (guint i = 0; i < rows->len; i++)
    print_csv_row (document,
                   &g_array_index (timings->rows, VtrTimingRow, g_array_index (rows, guint32, i)),
                   timings->has_statistics);
}

static void
print_statistics (const VtrTimingRow *row,
                  int                 indent)
{
  for (guint i = 0; i < row->n_statistics; i++)
    if (row->statistics[row->first_statistic + i] > 0)
      printf ("%*s%-40s %15" G_GUINT64_FORMAT "\n", indent, "",
              vtr_timings_statistic_name (row->first_statistic + i),
              row->statistics[row->first_statistic + i]);
  if (row->has_samples)
    printf ("%*s%-40s %15" G_GUINT64_FORMAT "\n", indent, "", _ ("Samples passed"), row->samples);
  if (row->n_skipped > 0)
    printf ("%*s%s\n", indent, "", vtr_timings_explain_statistics (row));
}

static void
print_row (VtrDocument        *document,
           const VtrTimings   *timings,
           const VtrTimingRow *row)
{
  g_autofree char *path = format_path (document, row);
  VtrTrace *trace = vtr_document_get_trace (document);
  const char *name = vtr_trace_get_command_name (trace, row->index);
  int indent = slowest ? 0 : 2 * (int)MIN (row->depth, 10);
  g_autofree char *text = g_strdup_printf ("%*s%s  %s", indent, "", path, name);

  if (row->is_timed)
    printf ("%12.3f %12.3f %12.3f  %s\n", (double)row->time.median / 1000,
            (double)row->time.minimum / 1000, (double)row->time.maximum / 1000, text);
  else
    printf ("%38s  %s: %s\n", "", text, vtr_timings_explain_time (row));
  if (timings->has_statistics && row->kind == VTR_PROBE_COMMAND)
    print_statistics (row, 42 + indent);
}

static void
print_table (VtrDocument      *document,
             const VtrTimings *timings)
{
  g_autoptr (GArray) rows = list_rows (timings);
  g_auto (GStrv) caveats = vtr_timings_list_caveats (timings);

  printf (_ ("Frame %s on %s: %.3f ms (%.3f to %.3f in %u loops)\n"),
          VTR_NUMBER (timings->frame), timings->device != NULL ? timings->device : "?",
          (double)timings->wall.median / 1e6, (double)timings->wall.minimum / 1e6,
          (double)timings->wall.maximum / 1e6, timings->n_loops);
  for (guint i = 0; caveats[i] != NULL; i++)
    printf ("  %s\n", caveats[i]);
  if (timings->rows->len == 0)
    return;
  printf ("\n%12s %12s %12s  %s\n", _ ("median µs"), _ ("min"), _ ("max"), _ ("command"));
  for (guint i = 0; i < rows->len; i++)
    print_row (document, timings,
               &g_array_index (timings->rows, VtrTimingRow, g_array_index (rows, guint32, i)));
}

/* --- The verb -------------------------------------------------------------------------------- */

static void
on_open_progress (guint64  done,
                  guint64  total,
                  gpointer data)
{
  vtr_cli_progress (_ ("Reading commands"), done, total);
}

static void
on_loop (VtrTimings *timings,
         guint       n_done,
         guint       n_loops,
         gpointer    data)
{
  static gint64 last;
  gint64 now = g_get_monotonic_time ();

  if (!endless)
    vtr_cli_progress (_ ("Measuring"), n_done, n_loops);
  else if (timings != NULL && (last == 0 || now - last >= SAY_EVERY))
    {
      last = now;
      fprintf (stderr, _ ("%u loops, %.3f ms (%.3f to %.3f)\n"), timings->n_loops,
               (double)timings->wall.median / 1e6, (double)timings->wall.minimum / 1e6,
               (double)timings->wall.maximum / 1e6);
    }
}

static gboolean
make_query (VtrDocument      *document,
            VtrTimingsQuery  *query,
            GError          **error)
{
  guint64 n = vtr_trace_get_n_frames (vtr_document_get_trace (document));

  *query = (VtrTimingsQuery){
    .frame = n > 0 ? n - 1 : 0,
    .by = VTR_TIMINGS_BY_DRAW,
    .n_loops = endless ? VTR_TIMINGS_FOR_EVER : (guint)loops,
    .n_warm = (guint)warm,
    .statistics = statistics,
  };
  if (by_text != NULL)
    vtr_timings_by_from_string (by_text, &query->by);
  return frame_text == NULL ||
         vtr_path_parse_number (frame_text, _ ("frame"), n, &query->frame, error);
}

VtrCliStatus
vtr_cli_timings (int    argc,
                 char **argv)
{
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrTimings) timings = NULL;
  g_autoptr (GError) error = NULL;
  GCancellable *cancellable;
  VtrTimingsQuery query;
  VtrTimingsBy by;
  VtrCliStatus status;

  if (!vtr_cli_parse ("timings", "FILE",
                      _ ("Replays a frame several times and prints how long each part takes."),
                      entries, 1, 1, &argc, &argv, &status))
    return status;
  if (by_text != NULL && !vtr_timings_by_from_string (by_text, &by))
    return vtr_cli_complain (VTR_CLI_USAGE,
                             _ ("--by needs frame, command-buffer, pass or draw."));
  if (loops < 1 || loops > 100000 || warm < 0 || warm > 100000)
    return vtr_cli_complain (VTR_CLI_USAGE, _ ("--loops needs a number from 1 to 100000, "
                                               "--warm-up a number of at least 0."));
  if (json && csv)
    return vtr_cli_complain (VTR_CLI_USAGE, _ ("Use either --json or --csv."));
  /* Must run before a replayer exists, which Ctrl+C would end. */
  cancellable = vtr_cli_get_cancellable ();
  vtr_replay_process_prepare (argv[1]);
  document = vtr_document_open (argv[1], on_open_progress, NULL, cancellable, &error);
  if (document == NULL || !make_query (document, &query, &error))
    return vtr_cli_fail (error);
  if (device != NULL)
    vtr_document_set_replay_device (document, device);
  timings = vtr_replay_session_measure (vtr_document_get_replay_session (document), &query, on_loop,
                                        NULL, vtr_cli_get_cancellable (), &error);
  vtr_cli_progress_end ();
  if (timings == NULL)
    return vtr_cli_fail (error);
  if (json)
    {
      g_autoptr (JsonNode) node =
        vtr_timings_to_json (vtr_document_get_analysis (document), timings);

      vtr_cli_print_json (node, FALSE);
    }
  else if (csv)
    print_csv (document, timings);
  else
    print_table (document, timings);
  return VTR_CLI_OK;
}
