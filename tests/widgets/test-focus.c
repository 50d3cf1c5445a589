/* The keyboard reaches every control: Tab goes through a page from its begin to its end, in the
 * order in which controls are seen, and is caught nowhere. */
#include "vtr-test-ui.h"

#include "vtr-application.h"
#include "vtr-panes.h"
#include "vtr-trace-page.h"
#include "vtr-window.h"

#define MAX_STEPS 400

static VtrApplication *application;

/* What takes part: one that can be seen and used. Members of a group of toggles and rows of a list
 * are gone through with the arrows. */
static gboolean
is_control (GtkWidget *widget)
{
  return (GTK_IS_BUTTON (widget) || GTK_IS_TEXT (widget) || GTK_IS_DROP_DOWN (widget) ||
          GTK_IS_SWITCH (widget) || GTK_IS_SCALE (widget) || GTK_IS_CHECK_BUTTON (widget)) &&
         gtk_widget_get_mapped (widget) && gtk_widget_is_sensitive (widget) &&
         gtk_widget_get_focusable (widget) && gtk_widget_get_can_focus (widget);
}

static gboolean
is_in_list (GtkWidget *widget)
{
  return gtk_widget_get_ancestor (widget, GTK_TYPE_LIST_VIEW) != NULL ||
         gtk_widget_get_ancestor (widget, GTK_TYPE_COLUMN_VIEW) != NULL ||
         gtk_widget_get_ancestor (widget, GTK_TYPE_POPOVER) != NULL;
}

static char *
describe (GtkWidget *widget)
{
  GString *text = g_string_new (G_OBJECT_TYPE_NAME (widget));

  g_string_append_printf (text, " (“%s”)", gtk_widget_get_tooltip_text (widget));
  for (GtkWidget *at = gtk_widget_get_parent (widget); at != NULL; at = gtk_widget_get_parent (at))
    g_string_append_printf (text, " in a %s", G_OBJECT_TYPE_NAME (at));
  return g_string_free (text, FALSE);
}

/* What Tab does: GTK's own way, unless a list has a word in it. */
static gboolean
press_tab (GtkWindow *window, GtkDirectionType direction)
{
  guint key = direction == GTK_DIR_TAB_FORWARD ? GDK_KEY_Tab : GDK_KEY_ISO_Left_Tab;

  for (GtkWidget *at = gtk_window_get_focus (window); at != NULL; at = gtk_widget_get_parent (at))
    {
      g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (at);

      for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
        {
          g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
          gboolean handled = FALSE;

          if (!GTK_IS_EVENT_CONTROLLER_KEY (controller) ||
              gtk_event_controller_get_propagation_phase (controller) != GTK_PHASE_CAPTURE ||
              !(GTK_IS_COLUMN_VIEW (at) || GTK_IS_LIST_VIEW (at)))
            continue;
          g_signal_emit_by_name (controller, "key-pressed", key, 0, 0, &handled);
          if (handled)
            return TRUE;
        }
    }
  return gtk_widget_child_focus (GTK_WIDGET (window), direction);
}

/* Once around, from where the focus is. */
static GPtrArray *
walk (GtkWindow *window, GtkDirectionType direction)
{
  GPtrArray *seen = g_ptr_array_new ();
  guint n_ends = 0;

  for (guint i = 0; i < MAX_STEPS; i++)
    {
      GtkWidget *focus;

      if (!press_tab (window, direction))
        {
          /* As the window does with the key itself. */
          g_assert_cmpuint (++n_ends, <, 3);
          gtk_window_set_focus (window, NULL);
          continue;
        }
      focus = gtk_window_get_focus (window);
      g_assert_nonnull (focus);
      if (seen->len > 0 && focus == g_ptr_array_index (seen, 0))
        return seen;
      /* Else it would go on in a circle. */
      g_assert_false (g_ptr_array_find (seen, focus, NULL));
      g_ptr_array_add (seen, focus);
    }
  g_error ("Tab comes to no end");
}

static gboolean
was_seen (GPtrArray *seen, GtkWidget *widget)
{
  for (guint i = 0; i < seen->len; i++)
    {
      GtkWidget *at = g_ptr_array_index (seen, i);

      if (at == widget || gtk_widget_is_ancestor (at, widget) ||
          gtk_widget_is_ancestor (widget, at))
        return TRUE;
      /* Of a group one is enough: the arrows reach the others. */
      if (GTK_IS_TOGGLE_BUTTON (at) && GTK_IS_TOGGLE_BUTTON (widget) &&
          gtk_widget_get_parent (at) == gtk_widget_get_parent (widget))
        return TRUE;
    }
  return FALSE;
}

static guint
check_seen (GtkWidget *widget, GPtrArray *seen)
{
  guint n = 0;

  if (is_control (widget) && !is_in_list (widget))
    {
      n++;
      if (!was_seen (seen, widget))
        {
          g_autofree char *what = describe (widget);

          g_printerr ("Tab does not reach a %s\n", what);
          g_test_fail ();
        }
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += check_seen (child, seen);
  return n;
}

/* Neighbours that share a parent come one after the other as they are seen. */
static void
check_order (GPtrArray *seen)
{
  for (guint i = 0; i + 1 < seen->len; i++)
    {
      GtkWidget *a = g_ptr_array_index (seen, i), *b = g_ptr_array_index (seen, i + 1);
      graphene_rect_t x, y;

      if (gtk_widget_get_parent (a) != gtk_widget_get_parent (b) ||
          !gtk_widget_compute_bounds (a, gtk_widget_get_parent (a), &x) ||
          !gtk_widget_compute_bounds (b, gtk_widget_get_parent (a), &y))
        continue;
      if (y.origin.y + 1 < x.origin.y ||
          (ABS (y.origin.y - x.origin.y) <= 1 && y.origin.x < x.origin.x))
        {
          g_autofree char *first = describe (a);
          g_autofree char *second = describe (b);

          g_printerr ("Tab goes back from %s\nto %s\n", first, second);
          g_test_fail ();
        }
    }
}

static void
check_window (GtkWindow *window, guint at_least)
{
  g_autoptr (GPtrArray) forward = walk (window, GTK_DIR_TAB_FORWARD);
  g_autoptr (GPtrArray) backward = walk (window, GTK_DIR_TAB_BACKWARD);

  check_order (forward);
  g_assert_cmpuint (check_seen (GTK_WIDGET (window), forward), >=, at_least);
  check_seen (GTK_WIDGET (window), backward);
}

static void
test_panes (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (3);
  GtkWidget *page = vtr_trace_page_new ();
  GtkWindow *window = vtr_test_ui_show (page, 1400, 800);
  guint n_panes;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);

  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), session);
  vtr_session_select (session, 3, VTR_SELECT_JUMP);
  for (guint i = 0; i < n_panes; i++)
    {
      vtr_trace_page_raise (VTR_TRACE_PAGE (page), infos[i].id);
      vtr_test_ui_spin (50);
      check_window (window, 12);
    }
  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), NULL);
  gtk_window_destroy (window);
}

/* --- menus of rows --------------------------------------------------------------------------- */

/* The action of the Menu key at @widget, and whether the secondary button has one there. */
static GtkShortcutAction *
find_menu_key (GtkWidget *widget, gboolean *has_button)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  GtkShortcutAction *found = NULL;

  *has_button = FALSE;
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      *has_button |= GTK_IS_GESTURE_CLICK (controller) &&
                     gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller)) ==
                       GDK_BUTTON_SECONDARY;
      for (guint j = 0; GTK_IS_SHORTCUT_CONTROLLER (controller) &&
                        j < g_list_model_get_n_items (G_LIST_MODEL (controller));
           j++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), j);
          GtkShortcutTrigger *trigger = gtk_shortcut_get_trigger (shortcut);
          g_autofree char *keys = gtk_shortcut_trigger_to_string (trigger);

          if (strstr (keys, "Menu") != NULL)
            found = gtk_shortcut_get_action (shortcut);
        }
    }
  return found;
}

static gboolean
has_open_popover (GtkWidget *widget)
{
  if (GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget))
    {
      gtk_popover_popdown (GTK_POPOVER (widget));
      return TRUE;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_open_popover (child))
      return TRUE;
  return FALSE;
}

/* Whatever has a menu under the secondary button opens it with the Menu key, too. */
static guint
check_menus (GtkWindow *window, GtkWidget *widget)
{
  gboolean has_button;
  GtkShortcutAction *action;
  guint n = 0;

  if (!gtk_widget_get_mapped (widget) || GTK_IS_POPOVER (widget))
    return 0;
  action = find_menu_key (widget, &has_button);
  if (has_button && gtk_widget_child_focus (widget, GTK_DIR_TAB_FORWARD))
    {
      n++;
      if (action == NULL || !gtk_shortcut_action_activate (action, 0, widget, NULL) ||
          !has_open_popover (widget))
        {
          g_autofree char *what = describe (widget);

          g_printerr ("The Menu key opens no menu at a %s\n", what);
          g_test_fail ();
        }
      vtr_test_ui_spin (20);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += check_menus (window, child);
  return n;
}

static void
test_menus (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (3);
  GtkWidget *page = vtr_trace_page_new ();
  GtkWindow *window = vtr_test_ui_show (page, 1400, 800);
  guint n_panes, n = 0;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);

  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), session);
  vtr_session_select (session, 3, VTR_SELECT_JUMP);
  for (guint i = 0; i < n_panes; i++)
    {
      vtr_trace_page_raise (VTR_TRACE_PAGE (page), infos[i].id);
      vtr_test_ui_spin (50);
      n += check_menus (window, page);
    }
  /* The commands, the parameters and a text among them, the state. */
  g_assert_cmpuint (n, >=, 4);
  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), NULL);
  gtk_window_destroy (window);
}

static void
test_pages (void)
{
  VtrWindow *window = vtr_window_new (application);

  gtk_window_present (GTK_WINDOW (window));
  vtr_test_ui_spin (300);
  check_window (GTK_WINDOW (window), 3);
  vtr_window_show_capture (window);
  vtr_test_ui_spin (500);
  check_window (GTK_WINDOW (window), 8);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  application = vtr_application_new ();
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
  g_test_add_func ("/widgets/focus/panes", test_panes);
  g_test_add_func ("/widgets/focus/pages", test_pages);
  g_test_add_func ("/widgets/focus/menus", test_menus);
  return g_test_run ();
}
