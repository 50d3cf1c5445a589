/* vtr-bench-document: measures the time and memory that an open trace costs, and prints them as
 * one JSON object.
 *
 * Times are wall milliseconds in this process, memory is RssAnon. Random positions come from a
 * fixed seed. Answers that the document would keep are asked for once each. */
#include "engine/model/vtr-command-tree.h"
#include "engine/memory/vtr-memory.h"
#include "engine/document/vtr-document-memory.h"
#include "engine/document/vtr-document.h"
#include "engine/replay-session/vtr-replay-questions.h"
#include "engine/state/vtr-api-state.h"
#include "engine/state/vtr-state-store.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 60 /* of a window */

typedef struct
{
  VtrDocument *document;
  GRand *random;
  JsonBuilder *json;
  guint64 n_commands;
  guint n_questions;
} Bench;

static double
now_ms (void)
{
  return (double)g_get_monotonic_time () / 1000;
}

static double
get_anonymous_kib (void)
{
  g_autofree char *status = NULL;
  const char *line;

  g_file_get_contents ("/proc/self/status", &status, NULL, NULL);
  line = strstr (status, "RssAnon:");
  return line != NULL ? strtod (line + 8, NULL) : 0;
}

static void
report (Bench      *self,
        const char *name,
        double      value)
{
  json_builder_set_member_name (self->json, name);
  json_builder_add_double_value (self->json, value);
}

static gint
compare_doubles (gconstpointer a,
                 gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Takes @times. */
static void
report_times (Bench      *self,
              const char *name,
              GArray     *times)
{
  g_autofree char *worst = g_strdup_printf ("%s_worst", name);

  if (times->len > 0)
    {
      g_array_sort (times, compare_doubles);
      report (self, name, g_array_index (times, double, times->len / 2));
      report (self, worst, g_array_index (times, double, times->len - 1));
    }
  g_array_unref (times);
}

static void
fail_on (GError *error)
{
  if (error == NULL)
    return;
  g_printerr ("%s\n", error->message);
  exit (1);
}

static void
measure_open (Bench      *self,
              const char *path)
{
  GError *error = NULL;
  double before = get_anonymous_kib (), begun = now_ms ();

  self->document = vtr_document_open (path, NULL, NULL, NULL, &error);
  fail_on (error);
  self->n_commands = vtr_trace_get_n_commands (vtr_document_get_trace (self->document));
  report (self, "commands", (double)self->n_commands);
  report (self, "open_ms", now_ms () - begun);
  report (self, "open_bytes_per_command",
          (get_anonymous_kib () - before) * 1024 / (double)self->n_commands);
}

/* What the window asks for before it shows its first rows. */
static void
measure_rows (Bench *self)
{
  double begun = now_ms ();
  g_autoptr (VtrCommandTree) tree =
    vtr_command_tree_new (vtr_document_get_analysis (self->document));
  VtrTreeNode root, rows[ROWS];
  g_autoptr (GArray) found = NULL;
  GArray *times = g_array_new (FALSE, FALSE, sizeof (double));
  guint32 n;

  vtr_command_tree_get_root (tree, &root);
  n = MIN (root.n_children, ROWS);
  vtr_command_tree_get_children (tree, &root, 0, n, rows);
  for (guint32 i = 0; i < n; i++)
    {
      g_free (vtr_command_tree_get_title (tree, &rows[i]));
      g_free (vtr_command_tree_get_detail (tree, &rows[i]));
    }
  found = vtr_command_tree_find (tree, self->n_commands - 1, NULL);
  report (self, "rows_ms", now_ms () - begun);

  /* Unfolding down to a command and reading its row's text. */
  for (guint i = 0; i < self->n_questions; i++)
    {
      guint64 index = (guint64)g_rand_double_range (self->random, 0, (double)self->n_commands);
      g_autoptr (GArray) way = NULL;
      double asked = now_ms ();

      way = vtr_command_tree_find (tree, index, NULL);
      if (way != NULL)
        g_free (
          vtr_command_tree_get_detail (tree, &g_array_index (way, VtrTreeNode, way->len - 1)));
      asked = now_ms () - asked;
      g_array_append_val (times, asked);
    }
  report_times (self, "find_row_ms", times);
}

static void
measure_filter (Bench      *self,
                const char *name,
                const char *filter)
{
  g_autofree char *member = g_strdup_printf ("filter_%s_ms", name);
  g_autoptr (GArray) found = NULL;
  GError *error = NULL;
  double begun = now_ms ();

  found = vtr_command_filter (vtr_document_get_analysis (self->document),
                              filter, G_MAXUINT64, NULL, &error);
  fail_on (error);
  report (self, member, now_ms () - begun);
}

/* @format: a path with the number of a random command in it. */
static void
measure_paths (Bench      *self,
               const char *name,
               const char *suffix)
{
  GArray *times = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < self->n_questions; i++)
    {
      guint64 index = (guint64)g_rand_double_range (self->random, 0, (double)self->n_commands);
      g_autofree char *path = g_strdup_printf ("commands/%" G_GUINT64_FORMAT "%s", index, suffix);
      g_autoptr (JsonNode) node = NULL;
      double begun = now_ms ();

      /* A question without an answer (nothing bound, no memory read) takes its time too. */
      node = vtr_document_get (self->document, path, NULL, NULL);
      begun = now_ms () - begun;
      g_array_append_val (times, begun);
    }
  report_times (self, name, times);
}

static void
measure_state (Bench *self)
{
  VtrStateStore *store = vtr_document_get_state_store (self->document);
  GArray *times = g_array_new (FALSE, FALSE, sizeof (double));
  GError *error = NULL;
  double begun = now_ms ();

  vtr_state_store_prepare (store, NULL, NULL, NULL, &error);
  fail_on (error);
  report (self, "state_prepare_ms", now_ms () - begun);
  for (guint i = 0; i < self->n_questions; i++)
    {
      guint64 index = (guint64)g_rand_double_range (self->random, 0, (double)self->n_commands);
      g_autoptr (VtrApiState) state = NULL;

      begun = now_ms ();
      state = vtr_state_store_get (store, index, VTR_NO_RUN, NULL, &error);
      fail_on (error);
      begun = now_ms () - begun;
      g_array_append_val (times, begun);
    }
  report_times (self, "state_ms", times);
}

/* What a memory pane asks for: the ranges of a command, and a screen of the first of them. */
static void
measure_memory (Bench *self)
{
  VtrMemory *memory = vtr_document_get_memory (self->document);
  GArray *times = g_array_new (FALSE, FALSE, sizeof (double));
  GError *error = NULL;
  double begun = now_ms ();

  vtr_memory_prepare (memory, NULL, NULL, NULL, &error);
  fail_on (error);
  report (self, "memory_prepare_ms", now_ms () - begun);
  report (self, "memory_index_bytes_per_command",
          (double)vtr_memory_get_index_bytes (memory) / (double)self->n_commands);
  for (guint i = 0; i < self->n_questions; i++)
    {
      guint64 index = (guint64)g_rand_double_range (self->random, 0, (double)self->n_commands);
      g_autoptr (GArray) ranges = NULL;

      begun = now_ms ();
      ranges = vtr_memory_list_ranges (memory, index, VTR_NO_RUN, NULL, &error);
      fail_on (error);
      if (ranges->len > 0)
        {
          const VtrMemoryRange *range =
            &g_array_index (ranges, VtrMemoryRange, ranges->len - 1);
          VtrMemoryView *view =
            vtr_memory_read (memory, index, VTR_NO_RUN, range->space, range->offset,
                             MIN (range->size, 4096), NULL, NULL);

          g_clear_pointer (&view, vtr_memory_view_unref);
        }
      begun = now_ms () - begun;
      g_array_append_val (times, begun);
    }
  report_times (self, "memory_ms", times);
}

static double
time_image (Bench   *self,
            guint64  index)
{
  double begun = now_ms ();
  GError *error = NULL;
  VtrImage *image =
    vtr_document_get_framebuffer (self->document, index, VTR_ATTACHMENT_COLOR0, NULL, &error);

  fail_on (error);
  begun = now_ms () - begun;
  vtr_image_unref (image);
  return begun;
}

/* The draws of the recording that holds the last draw of the trace. */
static GArray *
list_draws (Bench *self)
{
  VtrTrace *trace = vtr_document_get_trace (self->document);
  VtrTimeline *timeline = vtr_document_get_timeline (self->document);
  GArray *draws = g_array_new (FALSE, FALSE, sizeof (guint64));
  guint32 recording = VTR_NO_RECORDING;

  for (guint64 i = self->n_commands; i > 0; i--)
    {
      guint64 index = i - 1;

      if (vtr_command_kind (vtr_trace_get_command_id (trace, index)) != VTR_COMMAND_KIND_DRAW)
        continue;
      if (recording == VTR_NO_RECORDING)
        recording = vtr_timeline_find_recording (timeline, index);
      if (vtr_timeline_find_recording (timeline, index) != recording)
        break;
      g_array_prepend_val (draws, index);
    }
  return draws;
}

/* Clicks: the picture after @n draws of one command buffer each, from its first tenth, from around
 * its middle, from its last tenth, and from all over it; then of another frame and back. */
static void
measure_images (Bench *self,
                guint  n)
{
  static const struct
  {
    const char *name;
    double from, to;
  } places[] = { { "click_begin_ms", 0, 0.1 },
                 { "click_middle_ms", 0.45, 0.55 },
                 { "click_end_ms", 0.9, 1 },
                 { "click_ms", 0, 1 } };
  g_autoptr (GArray) draws = list_draws (self);
  guint64 last;

  if (draws->len == 0)
    return;
  last = g_array_index (draws, guint64, draws->len - 1);
  report (self, "draws_in_frame", draws->len);
  report (self, "first_image_ms", time_image (self, last));
  for (guint place = 0; place < G_N_ELEMENTS (places); place++)
    {
      GArray *times = g_array_new (FALSE, FALSE, sizeof (double));

      for (guint i = 0; i < n; i++)
        {
          double at = g_rand_double_range (self->random, places[place].from, places[place].to);
          double time =
            time_image (self, g_array_index (draws, guint64, (guint)(at * draws->len)));

          g_array_append_val (times, time);
        }
      report_times (self, places[place].name, times);
    }
  if (g_array_index (draws, guint64, 0) > 2 * (guint64)draws->len)
    {
      guint64 other = g_array_index (draws, guint64, 0) / 2;

      while (other > 0 && vtr_command_kind (vtr_trace_get_command_id (
                            vtr_document_get_trace (self->document), other)) !=
                            VTR_COMMAND_KIND_DRAW)
        other--;
      report (self, "other_frame_ms", time_image (self, other));
    }
}

typedef struct
{
  VtrDocument *document;
  guint64 index;
  GCancellable *cancellable;
  int ended; /* atomic */
} Long;

static gpointer
ask_long (gpointer data)
{
  Long *self = data;
  VtrImage *image = vtr_document_get_framebuffer (
    self->document, self->index, VTR_ATTACHMENT_COLOR0, self->cancellable, NULL);

  g_clear_pointer (&image, vtr_image_unref);
  g_atomic_int_set (&self->ended, 1);
  return NULL;
}

/* The time from cancelling a running replay until the next request runs. A request that needs no
 * replay is used for the second one. */
static void
measure_cancels (Bench *self,
                 guint  n)
{
  VtrTrace *trace = vtr_document_get_trace (self->document);
  GArray *times = g_array_new (FALSE, FALSE, sizeof (double));
  guint64 first, last;
  guint n_early = 0;
  g_autoptr (VtrCompatibility) first_answer = NULL;

  /* Starts the replayer. */
  first_answer = vtr_replay_session_find_compatibility (
    vtr_document_get_replay_session (self->document), NULL, NULL, NULL);
  vtr_trace_get_frame (trace, vtr_trace_get_n_frames (trace) - 1, &first, &last);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (VtrCompatibility) answer = NULL;
      Long request = { self->document, last - i, cancellable, 0 };
      GThread *thread = g_thread_new ("long", ask_long, &request);
      double begun;

      g_usleep ((gulong)g_rand_int_range (self->random, 20, 600) * 1000);
      n_early += (guint)g_atomic_int_get (&request.ended);
      begun = now_ms ();
      g_cancellable_cancel (cancellable);
      answer = vtr_replay_session_find_compatibility (
        vtr_document_get_replay_session (self->document), NULL, NULL, NULL);
      begun = now_ms () - begun;
      g_array_append_val (times, begun);
      g_thread_join (thread);
    }
  report (self, "cancels_too_late", n_early);
  report_times (self, "cancel_ms", times);
}

int
main (int    argc,
      char **argv)
{
  gint images = 0, questions = 200, cancels = 0;
  GOptionEntry entries[] = {
    { "images", 'i', 0, G_OPTION_ARG_INT, &images, "Pictures to ask for by replay", "N" },
    { "cancels", 'c', 0, G_OPTION_ARG_INT, &cancels, "Replays to cancel", "N" },
    { "questions", 'q', 0, G_OPTION_ARG_INT, &questions, "Of each other kind", "N" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("FILE");
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *text = NULL;
  GError *error = NULL;
  Bench bench = { 0 };

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_parse (context, &argc, &argv, &error);
  fail_on (error);
  if (argc != 2 || questions < 1 || images < 0 || cancels < 0)
    {
      g_printerr ("Say one trace\n");
      return 2;
    }

  bench.json = json_builder_new ();
  bench.random = g_rand_new_with_seed (1);
  bench.n_questions = (guint)questions;
  json_builder_begin_object (bench.json);
  measure_open (&bench, argv[1]);
  measure_rows (&bench);
  measure_filter (&bench, "draw", "draw");
  measure_filter (&bench, "text", "DrawIndexed 24");
  measure_paths (&bench, "command_ms", "");
  measure_paths (&bench, "bound_ms", "/bound");
  measure_state (&bench);
  measure_paths (&bench, "state_path_ms", "/state/queues");
  measure_memory (&bench);
  if (images > 0)
    measure_images (&bench, (guint)images);
  if (cancels > 0)
    measure_cancels (&bench, (guint)cancels);
  report (&bench, "rss_anon_mib", get_anonymous_kib () / 1024);
  json_builder_end_object (bench.json);
  node = json_builder_get_root (bench.json);
  text = json_to_string (node, FALSE);
  g_print ("%s\n", text);

  g_object_unref (bench.document);
  g_object_unref (bench.json);
  g_rand_free (bench.random);
  return 0;
}
