/* Every control of the window has an accessible name: a label of its own or of another, or words
 * on it. GTK_A11Y=test. */
#include "vtr-test-ui.h"

#include "vtr-application.h"
#include "vtr-panes.h"
#include "vtr-preferences.h"
#include "vtr-trace-page.h"
#include "vtr-window.h"
#include "engine/model/vtr-bound-model.h"
#include "widgets/vtr-pipeline-view.h"

static VtrApplication *application;
static guint n_controls;
static guint n_rows;

static gboolean
is_labelled (GtkWidget *widget)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);

  return gtk_test_accessible_has_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) ||
         gtk_test_accessible_has_relation (accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

/* Words on it are a name only where GTK makes them one. */
static gboolean
is_named (GtkWidget *widget)
{
  return is_labelled (widget);
}

/* Named by its text, and by the label that shows it: "_Next Draw Next Draw". */
static gboolean
is_named_twice (GtkWidget *widget)
{
  GtkWidget *label = GTK_IS_BUTTON (widget) ? gtk_button_get_child (GTK_BUTTON (widget)) : NULL;
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);
  g_autofree char *relation = NULL;

  if (!GTK_IS_LABEL (label) ||
      !gtk_test_accessible_has_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) ||
      !gtk_test_accessible_has_relation (accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY))
    return FALSE;
  relation = gtk_test_accessible_check_relation (
    accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL);
  return relation == NULL;
}

/* A row of a list or table with something in it: what has the keyboard focus there. */
static gboolean
is_row (GtkWidget *widget)
{
  GtkAccessibleRole role = gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (widget));

  if (gtk_widget_get_first_child (widget) == NULL ||
      !g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkListItemWidget"))
    return FALSE;
  /* The row of a table's titles is not in its list. */
  return role == GTK_ACCESSIBLE_ROLE_LIST_ITEM ||
         (role == GTK_ACCESSIBLE_ROLE_ROW && GTK_IS_LIST_VIEW (gtk_widget_get_parent (widget)));
}

static gboolean
is_control (GtkWidget *widget)
{
  return GTK_IS_BUTTON (widget) || GTK_IS_MENU_BUTTON (widget) || GTK_IS_CHECK_BUTTON (widget) ||
         GTK_IS_ENTRY (widget) || GTK_IS_SEARCH_ENTRY (widget) || GTK_IS_SPIN_BUTTON (widget) ||
         GTK_IS_DROP_DOWN (widget) || GTK_IS_SWITCH (widget) || GTK_IS_SCALE (widget) ||
         GTK_IS_PROGRESS_BAR (widget) || GTK_IS_COLUMN_VIEW (widget) ||
         (GTK_IS_LIST_VIEW (widget) && !GTK_IS_COLUMN_VIEW (gtk_widget_get_parent (widget))) ||
         GTK_IS_GRID_VIEW (widget) || GTK_IS_TEXT_VIEW (widget);
}

/* Hidden, or not ours: rows of libadwaita name what they hold, frames of windows and docks. */
static gboolean
is_foreign (GtkWidget *widget)
{
  if (GTK_IS_REVEALER (widget) && !gtk_revealer_get_reveal_child (GTK_REVEALER (widget)))
    return TRUE;
  /* Its own search. */
  if (ADW_IS_HEADER_BAR (widget) && ADW_IS_PREFERENCES_WINDOW (gtk_widget_get_root (widget)))
    return TRUE;
  return !gtk_widget_get_visible (widget) || !gtk_widget_get_child_visible (widget) ||
         ADW_IS_ENTRY_ROW (widget) || ADW_IS_COMBO_ROW (widget) ||
         GTK_IS_WINDOW_CONTROLS (widget) || GTK_IS_POPOVER (widget) ||
         g_str_equal (G_OBJECT_TYPE_NAME (widget), "PanelDropControls");
}

static void
check_names (GtkWidget *widget)
{
  if (is_foreign (widget))
    return;
  if (is_row (widget))
    n_rows++;
  if (is_named_twice (widget))
    {
      g_printerr ("A %s is named twice: “%s”\n", G_OBJECT_TYPE_NAME (widget),
                  gtk_button_get_label (GTK_BUTTON (widget)));
      g_test_fail ();
    }
  if (is_control (widget) || is_row (widget))
    {
      n_controls++;
      if (!is_named (widget))
        {
          g_autoptr (GString) where = g_string_new (NULL);

          for (GtkWidget *at = gtk_widget_get_parent (widget); at != NULL;
               at = gtk_widget_get_parent (at))
            g_string_append_printf (where, " in a %s", G_OBJECT_TYPE_NAME (at));
          g_printerr ("A %s (“%s”) without a name%s\n", G_OBJECT_TYPE_NAME (widget),
                      gtk_widget_get_tooltip_text (widget), where->str);
          g_test_fail ();
        }
      if (!GTK_IS_COLUMN_VIEW (widget) && !GTK_IS_LIST_VIEW (widget) &&
          !GTK_IS_GRID_VIEW (widget) && !is_row (widget))
        return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_names (child);
}

/* Stages that the selected draw does not have are hidden, and have names all the same. */
static guint
check_toggles (GtkWidget *widget)
{
  guint n = 0;

  if (GTK_IS_TOGGLE_BUTTON (widget))
    {
      g_assert_true (is_labelled (widget));
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
  GtkWidget *view = g_object_ref_sink (vtr_pipeline_view_new ());

  g_assert_cmpuint (check_toggles (view), ==, VTR_N_STAGES);
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
  VtrWindow *window = vtr_window_new (application);
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
