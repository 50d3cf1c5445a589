/* compare-states FILE [N] [SEED] [WORK]: the state at N random commands (and random runs of
 * recorded
 * ones),
 * once from the nearest checkpoint and once mutated from the first command; the JSON of the whole
 * state must be the same. WORK: decoded commands between checkpoints, so that short traces have
 * many.
 * Prints what it took as JSON. */
#include "engine/state/vtr-state-store.h"
#include "engine/state/vtr-state-view.h"
#include "engine/document/vtr-document.h"
#include "engine/vulkan/state/vtr-vulkan-shared.h"

#include <stdlib.h>

static char *
print_state (VtrDocument *document,
             VtrApiState *state)
{
  g_autoptr (VtrStateView) view = vtr_state_view_new (vtr_document_get_analysis (document), state);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = vtr_state_view_all (view, NULL, &error);

  g_assert_no_error (error);
  return json_to_string (node, TRUE);
}

static guint32
pick_run (VtrDocument *document,
          guint64      index,
          GRand       *rand)
{
  VtrTimeline *timeline = vtr_document_get_timeline (document);
  guint32 nth = vtr_timeline_find_recording (timeline, index), n_runs;

  if (nth == VTR_NO_RECORDING)
    return VTR_NO_RUN;
  n_runs = vtr_timeline_get_recording (timeline, nth)->n_runs;
  if (n_runs == 0)
    return VTR_NO_RUN;
  return (guint32)(vtr_timeline_find_run (timeline, nth,
                                          (guint32)g_rand_int_range (rand, 0, (gint32)n_runs)) -
                   vtr_timeline_get_run (timeline, 0));
}

static void
tell_difference (const char *left,
                 const char *right)
{
  g_auto (GStrv) a = g_strsplit (left, "\n", -1), b = g_strsplit (right, "\n", -1);

  for (guint i = 0, shown = 0; a[i] != NULL && b[i] != NULL && shown < 5; i++)
    if (!g_str_equal (a[i], b[i]))
      {
        g_printerr ("line %u: %s | %s\n", i, a[i], b[i]);
        shown++;
      }
}

/* Returns: whether they agree. *@slowest: ms of the question, at most. */
static gboolean
compare (VtrDocument   *document,
         VtrStateStore *store,
         guint64        index,
         guint32        run,
         double        *slowest)
{
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();
  g_autoptr (VtrApiState) near = vtr_state_store_get (store, index, run, NULL, &error);
  g_autoptr (VtrApiState) far = NULL;
  g_autofree char *left = NULL, *right = NULL;

  g_assert_no_error (error);
  *slowest = MAX (*slowest, (double)(g_get_monotonic_time () - start) / 1000);
  far = vtr_state_store_get_from_start (store, index, run, NULL, &error);
  g_assert_no_error (error);
  left = print_state (document, near);
  right = print_state (document, far);
  if (g_str_equal (left, right))
    return TRUE;
  g_printerr ("the states after command %" G_GUINT64_FORMAT ", run %d, differ\n", index, (int)run);
  tell_difference (left, right);
  return FALSE;
}

int
main (int    argc,
      char **argv)
{
  guint32 n = argc > 2 ? (guint32)atoi (argv[2]) : 200;
  guint32 seed = argc > 3 ? (guint32)atoi (argv[3]) : 1;
  GRand *rand = g_rand_new_with_seed (seed);
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrStateStore) store = NULL;
  double pass, slowest = 0;
  guint different = 0, checkpoints;
  gsize bytes;
  guint64 end;
  gint64 start;

  if (argc < 2)
    {
      g_printerr ("compare-states FILE [N] [SEED] [WORK]\n");
      return 2;
    }
  document = vtr_document_open (argv[1], NULL, NULL, NULL, &error);
  if (document == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  store = vtr_state_store_new (vtr_document_get_timeline (document),
                               vtr_document_get_history (document));
  if (argc > 4)
    vtr_state_store_set_distance (store, (guint64)atoi (argv[4]));
  start = g_get_monotonic_time ();
  if (!vtr_state_store_prepare (store, NULL, NULL, NULL, &error))
    return 1;
  pass = (double)(g_get_monotonic_time () - start) / 1000;
  checkpoints = vtr_state_store_get_n_checkpoints (store, &bytes);
  end = vtr_trace_get_n_commands (vtr_document_get_trace (document));
  for (guint32 i = 0; i < n; i++)
    {
      guint64 index = (guint64)(g_rand_double (rand) * (double)end);

      if (!compare (document, store, MIN (index, end - 1),
                    pick_run (document, MIN (index, end - 1), rand), &slowest))
        different++;
    }
  g_rand_free (rand);
  g_print ("{\"commands\": %" G_GUINT64_FORMAT
           ", \"compared\": %u, \"different\": %u, \"pass_ms\": %.1f, \"checkpoints\": %u, "
           "\"bytes\": %" G_GSIZE_FORMAT ", \"slowest_ms\": %.2f}\n",
           end, n, different, pass, checkpoints, bytes, slowest);
  return different > 0;
}
