/* Every control of the window has an accessible name: a label of its own or of another, or words
 * on it. GTK_A11Y=test. */
#include "vtr-test-ui.h"

#include "vtr-application.h"
#include "vtr-panes.h"
#include "vtr-preferences.h"
#include "vtr-trace-page.h"
#include "vtr-window.h"

static VtrApplication *application;
static guint n_controls;

static gboolean
has_words (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    return *gtk_label_get_text (GTK_LABEL (widget)) != '\0';
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_words (child))
      return TRUE;
  return FALSE;
}

static gboolean
is_labelled (GtkWidget *widget)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);

  return gtk_test_accessible_has_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) ||
         gtk_test_accessible_has_relation (accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

/* Words of a drop down are its value. */
static gboolean
is_named (GtkWidget *widget)
{
  gboolean button = GTK_IS_BUTTON (widget) || GTK_IS_MENU_BUTTON (widget) ||
                    GTK_IS_CHECK_BUTTON (widget);

  return is_labelled (widget) || (button && has_words (widget));
}

static gboolean
is_control (GtkWidget *widget)
{
  return GTK_IS_BUTTON (widget) || GTK_IS_MENU_BUTTON (widget) || GTK_IS_CHECK_BUTTON (widget) ||
         GTK_IS_ENTRY (widget) || GTK_IS_SEARCH_ENTRY (widget) || GTK_IS_SPIN_BUTTON (widget) ||
         GTK_IS_DROP_DOWN (widget) || GTK_IS_SWITCH (widget) || GTK_IS_SCALE (widget) ||
         GTK_IS_PROGRESS_BAR (widget) || GTK_IS_COLUMN_VIEW (widget) ||
         GTK_IS_LIST_VIEW (widget) || GTK_IS_GRID_VIEW (widget) || GTK_IS_TEXT_VIEW (widget);
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
  if (is_control (widget))
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
          !GTK_IS_GRID_VIEW (widget))
        return;
    }
  /* The list of a column view is a part of it. */
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (!GTK_IS_COLUMN_VIEW (widget) || !GTK_IS_LIST_VIEW (child))
      check_names (child);
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
  g_test_add_func ("/widgets/names/trace", test_trace);
  g_test_add_func ("/widgets/names/window", test_window);
  return g_test_run ();
}
