/* Tests that every control of the window has an accessible name: a label of its own or of another
 * control, or text on it. GTK_A11Y=test. */
#include "vtr-test-names.h"
#include "vtr-test-ui.h"

#include "application/vtr-application.h"
#include "window/vtr-panes.h"
#include "window/vtr-preferences.h"
#include "window/vtr-trace-page.h"
#include "window/vtr-window.h"
#include "engine/model/vtr-bound-model-private.h"
#include "widgets/vtr-pipeline-view.h"

static VtrApplication *application;
static guint n_controls;
static guint n_rows;

static void
check_names (GtkWidget *widget)
{
  VtrTestNames names = { n_controls, n_rows, g_ptr_array_new_with_free_func (g_free) };

  vtr_test_names_check (&names, widget);
  for (guint i = 0; i < names.findings->len; i++)
    {
      g_printerr ("%s\n", (char *)names.findings->pdata[i]);
      g_test_fail ();
    }
  n_controls = names.n_controls;
  n_rows = names.n_rows;
  g_ptr_array_unref (names.findings);
}

/* Stages that the selected draw does not have are hidden, but have names nevertheless. */
static guint
check_toggles (GtkWidget *widget)
{
  guint n = 0;

  if (GTK_IS_TOGGLE_BUTTON (widget))
    {
      g_assert_true (vtr_test_names_is_labelled (widget));
      n++;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += check_toggles (child);
  return n;
}

static void
test_stages (void)
{
  static const char *const labels[] = { "Pen", "Array", "Target" };
  GtkWidget *view = g_object_ref_sink (vtr_pipeline_view_new ());
  g_autoptr (VtrBoundModel) model = vtr_bound_model_new_empty (labels, G_N_ELEMENTS (labels));

  vtr_bound_model_show_stage (model, 1);
  vtr_bound_model_set_default_stage (model, 1);
  vtr_pipeline_view_set_model (VTR_PIPELINE_VIEW (view), model);
  g_assert_cmpuint (check_toggles (view), ==, G_N_ELEMENTS (labels));
  g_object_unref (view);
}

static void
test_trace (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  GtkWidget *page = vtr_trace_page_new ();
  GtkWindow *window = vtr_test_ui_show (page, 1400, 800);
  guint n_panes;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);

  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), session);
  vtr_session_select (session, 3, VTR_SELECT_JUMP);
  n_controls = 0;
  for (guint i = 0; i < n_panes; i++)
    {
      vtr_trace_page_raise (VTR_TRACE_PAGE (page), infos[i].id);
      vtr_test_ui_spin (50);
      check_names (page);
    }
  g_assert_cmpuint (n_controls, >, 60);
  g_assert_cmpuint (n_rows, >, 10);
  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), NULL);
  gtk_window_destroy (window);
}

static gboolean
is_drawn (gpointer data)
{
  return gtk_widget_get_mapped (data) && gtk_widget_get_width (data) > 0;
}

static void
test_window (void)
{
  VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));
  GList *windows;

  gtk_window_present (GTK_WINDOW (window));
  vtr_window_show_capture (window);
  vtr_test_ui_wait (is_drawn, window);
  vtr_preferences_show (GTK_WINDOW (window));
  vtr_test_ui_spin (300);
  n_controls = 0;
  for (GList *at = windows = gtk_window_list_toplevels (); at != NULL; at = at->next)
    check_names (at->data);
  g_list_free (windows);
  g_assert_cmpuint (n_controls, >, 8);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  application = vtr_application_new ();
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
  g_test_add_func ("/widgets/names/stages", test_stages);
  g_test_add_func ("/widgets/names/trace", test_trace);
  g_test_add_func ("/widgets/names/window", test_window);
  return g_test_run ();
}
