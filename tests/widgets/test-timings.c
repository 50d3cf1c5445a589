/* Tests the Timings pane and the column of GPU times: without a measurement, with a failed and
 * with a finished one; sorting; the options of a measurement. */
#include "vtr-test-ui.h"

#include "engine/vulkan/replay/vtr-timings-gatherer.h"
#include "session/vtr-measurement.h"
#include "widgets/vtr-command-view.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-timings-facts.h"
#include "widgets/vtr-timings-table.h"
#include "widgets/vtr-time-cell.h"
#include "widgets/vtr-timings-view.h"

/* The first descendant of @type, or with a label or text of @text. */
static GtkWidget *
find (GtkWidget *widget, GType type, const char *text)
{
  g_autofree char *label = NULL;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (widget), "label") &&
      !GTK_IS_FRAME (widget))
    g_object_get (widget, "label", &label, NULL);
  if (g_type_is_a (G_OBJECT_TYPE (widget), type) &&
      (text == NULL || (label != NULL && strstr (label, text) != NULL)))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find (child, type, text);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* A command buffer, its pass and two draws of 300 and 100 ns, of the frame's 1000. */
static VtrTimings *
make_timings (VtrSession *session)
{
  VtrDocument *document = vtr_session_get_document (session);
  VtrTimeline *timeline = vtr_document_get_timeline (document);
  const VtrRecording *recording =
    vtr_timeline_get_recording (timeline, vtr_timeline_get_run (timeline, 0)->recording);
  g_autoptr (VtrProbe) probe = vtr_probe_new ();
  g_autoptr (VtrTimingsGatherer) gatherer = vtr_timings_gatherer_new (
    timeline, vtr_document_get_history (document), 0, VTR_TIMINGS_BY_DRAW, FALSE);
  static const guint64 times[] = { 1000, 800, 300, 100 };
  VtrTrace *trace = vtr_session_get_trace (session);
  VtrTimings *timings;

  for (guint64 i = recording->first; i <= recording->last; i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (trace, i);
      VtrProbeRow row = {
        .index = i,
        .last = i,
        .begin = VTR_PROBE_NONE,
        .end = VTR_PROBE_NONE,
        .statistics = VTR_PROBE_NONE,
        .occlusion = VTR_PROBE_NONE,
        .n_views = 1,
      };

      row.parent = probe->rows->len > 0 ? MIN (probe->rows->len - 1, 1) : VTR_PROBE_NONE;
      if (id == VTR_CMD_vkBeginCommandBuffer)
        row.kind = VTR_PROBE_COMMAND_BUFFER;
      else if (vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS))
        row.kind = VTR_PROBE_PASS;
      else if (vtr_cmd_is (id, VTR_CLASS_DRAW))
        row.kind = VTR_PROBE_COMMAND;
      else
        continue;
      g_array_append_val (probe->rows, row);
    }
  g_assert_true (vtr_timings_gatherer_add (gatherer, probe, NULL));
  timings = vtr_timings_gatherer_get (gatherer);
  g_assert_cmpuint (timings->rows->len, ==, G_N_ELEMENTS (times));
  for (guint i = 0; i < timings->rows->len; i++)
    {
      VtrTimingRow *row = &g_array_index (timings->rows, VtrTimingRow, i);

      row->is_timed = TRUE;
      row->time = (VtrSpread){ times[i] - 10, times[i], times[i] + 10, times[i] + 1 };
    }
  timings->gpu = times[0];
  return timings;
}

static gboolean
is_over (gpointer data)
{
  guint done, total;

  return !vtr_measurement_is_running (data, &done, &total);
}

/* There is no replayer here: a measurement fails, with a sentence and a way out. */
static void
test_fails (void)
{
  GtkWidget *pane = vtr_timings_view_new ();
  g_autoptr (VtrSession) session = vtr_test_ui_session (2);
  VtrMeasurement *measurement = vtr_measurement_of (session);
  GtkWindow *window;

  vtr_pane_set_session (VTR_PANE (pane), session);
  window = vtr_test_ui_show (pane, 700, 300);
  g_assert_nonnull (find (pane, GTK_TYPE_LABEL, "Not Measured Yet"));
  vtr_measurement_start (measurement);
  g_assert_false (is_over (measurement));
  g_assert_nonnull (find (pane, GTK_TYPE_BUTTON, "Stop"));
  vtr_test_ui_wait (is_over, measurement);
  g_assert_nonnull (vtr_measurement_get_error (measurement));
  g_assert_null (vtr_measurement_get_timings (measurement));
  g_assert_nonnull (find (pane, GTK_TYPE_LABEL, vtr_measurement_get_error (measurement)));
  g_assert_nonnull (find (pane, GTK_TYPE_BUTTON, "Measure Again"));
  /* The trace is closed while one runs. */
  vtr_measurement_start (measurement);
  vtr_pane_set_session (VTR_PANE (pane), NULL);
  g_object_ref (pane);
  gtk_window_destroy (window);
  vtr_test_ui_assert_gone (pane);
}

static guint64
get_index (GListModel *model, guint nth)
{
  g_autoptr (GObject) item = g_list_model_get_item (model, nth);

  return vtr_timings_table_get_index (item);
}

static void
test_table (void)
{
  GtkWidget *table = vtr_timings_table_new ();
  g_autoptr (VtrSession) session = vtr_test_ui_session (2);
  VtrMeasurement *measurement = vtr_measurement_of (session);
  GtkWindow *window = vtr_test_ui_show (table, 700, 300);
  GListModel *model = vtr_timings_table_get_model (VTR_TIMINGS_TABLE (table));
  GtkWidget *view = find (table, GTK_TYPE_COLUMN_VIEW, NULL);
  g_autoptr (GtkColumnViewColumn) index =
    g_list_model_get_item (gtk_column_view_get_columns (GTK_COLUMN_VIEW (view)), 1);
  guint64 slow, quick;

  vtr_timings_table_set_session (VTR_TIMINGS_TABLE (table), session);
  vtr_timings_table_update (VTR_TIMINGS_TABLE (table), VTR_PROBE_COMMAND);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 0);
  vtr_measurement_take_timings (measurement, make_timings (session));
  vtr_timings_table_update (VTR_TIMINGS_TABLE (table), VTR_PROBE_PASS);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 1);
  vtr_timings_table_update (VTR_TIMINGS_TABLE (table), VTR_PROBE_COMMAND);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 2);
  slow = get_index (model, 0);
  quick = get_index (model, 1);
  g_assert_cmpuint (slow, <, quick);
  /* The slowest first, and as someone sorts. */
  gtk_column_view_sort_by_column (GTK_COLUMN_VIEW (view), index, GTK_SORT_DESCENDING);
  g_assert_cmpuint (get_index (model, 0), ==, quick);
  /* A row is its command, both ways. */
  gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (model), 0);
  g_assert_cmpuint (vtr_session_get_command (session), ==, quick);
  vtr_session_select (session, slow, VTR_SELECT_JUMP);
  g_assert_cmpuint (gtk_single_selection_get_selected (GTK_SINGLE_SELECTION (model)), ==, 1);
  vtr_timings_table_set_session (VTR_TIMINGS_TABLE (table), NULL);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 0);
  g_object_ref (table);
  gtk_window_destroy (window);
  vtr_test_ui_assert_gone (table);
}

/* The pane shows the times of the frame and of the selected command. */
static void
test_facts (void)
{
  GtkWidget *pane = vtr_timings_view_new ();
  g_autoptr (VtrSession) session = vtr_test_ui_session (2);
  GtkWindow *window;
  VtrTimings *timings;
  guint64 draw;

  vtr_pane_set_session (VTR_PANE (pane), session);
  window = vtr_test_ui_show (pane, 900, 400);
  timings = make_timings (session);
  draw = g_array_index (timings->rows, VtrTimingRow, 2).index;
  vtr_measurement_take_timings (vtr_measurement_of (session), timings);
  g_assert_nonnull (find (pane, GTK_TYPE_LABEL, "Frame 0"));
  vtr_session_select (session, draw, VTR_SELECT_JUMP);
  g_assert_nonnull (find (pane, GTK_TYPE_LABEL, "Draw ·"));
  g_assert_nonnull (find (pane, GTK_TYPE_LABEL, "30.0 %"));
  g_object_ref (pane);
  vtr_pane_set_session (VTR_PANE (pane), NULL);
  gtk_window_destroy (window);
  vtr_test_ui_assert_gone (pane);
}

/* The column is there with what it shows. */
static void
test_column (void)
{
  GtkWidget *view = vtr_command_view_new ();
  g_autoptr (VtrSession) session = vtr_test_ui_session (2);
  GtkWindow *window;
  GtkWidget *list;
  GListModel *columns;
  g_autoptr (GtkColumnViewColumn) times = NULL;
  VtrTreeNode root, frame, submit;
  VtrSpread spread;

  vtr_pane_set_session (VTR_PANE (view), session);
  window = vtr_test_ui_show (view, 500, 500);
  list = find (view, GTK_TYPE_COLUMN_VIEW, NULL);
  columns = gtk_column_view_get_columns (GTK_COLUMN_VIEW (list));
  times = g_list_model_get_item (columns, g_list_model_get_n_items (columns) - 1);
  g_assert_false (gtk_column_view_column_get_visible (times));
  vtr_measurement_take_timings (vtr_measurement_of (session), make_timings (session));
  g_assert_true (gtk_column_view_column_get_visible (times));
  g_assert_cmpstr (gtk_column_view_column_get_title (times), ==, "GPU µs");
  /* The rows of the tree: the frame, and only the one that was measured. */
  vtr_command_tree_get_root (vtr_session_get_tree (session), &root);
  vtr_command_tree_get_child (vtr_session_get_tree (session), &root, 0, &frame);
  g_assert_true (vtr_measurement_get_time (vtr_measurement_of (session), &frame, &spread));
  g_assert_cmpuint (spread.median, ==, 1000);
  for (guint i = 0; i < frame.n_children; i++)
    {
      vtr_command_tree_get_child (vtr_session_get_tree (session), &frame, i, &submit);
      if (submit.kind != VTR_NODE_SUBMIT)
        continue;
      g_assert_true (vtr_measurement_get_time (vtr_measurement_of (session), &submit, &spread));
      g_assert_cmpuint (spread.median, ==, 1000);
    }
  vtr_command_tree_get_child (vtr_session_get_tree (session), &root, 1, &frame);
  g_assert_false (vtr_measurement_get_time (vtr_measurement_of (session), &frame, &spread));
  vtr_pane_set_session (VTR_PANE (view), NULL);
  g_object_ref (view);
  gtk_window_destroy (window);
  vtr_test_ui_assert_gone (view);
}

/* Durations are right-aligned: of one that is cut, the first digits would be missing. */
static void
test_cell (void)
{
  static const char *const texts[] = { "0.10 µs", "999.9 µs", "14.57 ms", "251.53 ms",
                                       "12345.67 ms" };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWindow *window = vtr_test_ui_show (box, 200, 200);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      GtkWidget *cell = vtr_time_cell_new ();
      GtkWidget *label = gtk_label_new (texts[i]);
      int least, wanted;

      gtk_widget_add_css_class (label, "caption");
      gtk_widget_add_css_class (label, "numeric");
      gtk_box_append (GTK_BOX (box), cell);
      gtk_box_append (GTK_BOX (box), label);
      vtr_time_cell_set (VTR_TIME_CELL (cell), texts[i], .5);
      gtk_widget_measure (cell, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
      gtk_widget_measure (label, GTK_ORIENTATION_HORIZONTAL, -1, &wanted, NULL, NULL, NULL);
      g_assert_cmpint (least, >=, wanted);
    }
  gtk_window_destroy (window);
}

int
main (int argc, char **argv)
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/timings/fails", test_fails);
  g_test_add_func ("/widgets/timings/table", test_table);
  g_test_add_func ("/widgets/timings/facts", test_facts);
  g_test_add_func ("/widgets/timings/column", test_column);
  g_test_add_func ("/widgets/timings/cell", test_cell);
  return g_test_run ();
}
