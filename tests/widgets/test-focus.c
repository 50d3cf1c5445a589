/* Tests that the keyboard reaches every control: Tab goes through a page from its beginning to its
 * end, in the order in which controls are seen, and gets caught nowhere. */
#include "vtr-test-ui.h"

#include "application/vtr-application.h"
#include "engine/picture/vtr-image.h"
#include "vtr-test-tab.h"
#include "widgets/vtr-image-viewer.h"
#include "widgets/vtr-program-chooser.h"
#include "window/vtr-panes.h"
#include "window/vtr-trace-page.h"
#include "window/vtr-window.h"

static VtrApplication *application;

static void
check_window (GtkWindow *window, guint at_least)
{
  g_autoptr (GPtrArray) findings = g_ptr_array_new_with_free_func (g_free);
  guint n = vtr_test_tab_check (window, findings, NULL, NULL);

  for (guint i = 0; i < findings->len; i++)
    {
      g_printerr ("%s\n", (char *)findings->pdata[i]);
      g_test_fail ();
    }
  g_assert_cmpuint (n, >=, at_least);
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

/* The widget before the picture, which takes the focus when the viewer is asked to. */
static void
test_viewer (void)
{
  const gsize size = 64 * 32 * 4;
  g_autoptr (GBytes) texels = g_bytes_new_take (g_malloc0 (size), size);
  g_autoptr (VtrImage) image =
    vtr_image_new (&vtr_pixel_rgba8_unorm, VTR_PIXEL_COLOR, 64, 32, texels, NULL);
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  GtkWidget *viewer = vtr_image_viewer_new ();
  GtkWindow *window = vtr_test_ui_show (viewer, 900, 600);

  vtr_image_viewer_set_session (VTR_IMAGE_VIEWER (viewer), session);
  vtr_image_viewer_show (VTR_IMAGE_VIEWER (viewer), image, "an image", "image");
  vtr_test_ui_spin (50);
  check_window (window, 6);
  gtk_window_destroy (window);
}

/* Raises each pane of a trace's page in turn. Returns: what @check has counted in all of them. */
static guint
check_panes (guint (*check) (GtkWindow *window, GtkWidget *widget))
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
      n += check (window, page);
    }
  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), NULL);
  gtk_window_destroy (window);
  return n;
}

/* Escape in each entry that filters or searches. Returns: how many there are. */
static guint
check_escape (GtkWindow *window, GtkWidget *widget)
{
  guint n = 0;

  if (GTK_IS_SEARCH_ENTRY (widget) && gtk_widget_get_mapped (widget))
    {
      gtk_editable_set_text (GTK_EDITABLE (widget), "x");
      g_signal_emit_by_name (widget, "stop-search");
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (widget)), ==, "");
      n++;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += check_escape (window, child);
  return n;
}

static void
test_escape (void)
{
  g_assert_cmpuint (check_panes (check_escape), >, 3);
}

/* Escape closes the chooser of programs, also from the entry, which has that key for itself. */
static void
test_chooser_escape (void)
{
  GtkWindow *window = vtr_test_ui_show (gtk_label_new ("parent"), 500, 400);
  GtkWindow *chooser = GTK_WINDOW (vtr_program_chooser_new (window));
  GtkWidget *entry;

  g_object_add_weak_pointer (G_OBJECT (chooser), (gpointer *)&chooser);
  gtk_window_present (chooser);
  vtr_test_ui_spin (100);
  entry = gtk_widget_get_ancestor (gtk_window_get_focus (chooser), GTK_TYPE_SEARCH_ENTRY);
  g_assert_nonnull (entry);
  g_signal_emit_by_name (entry, "stop-search");
  vtr_test_ui_spin (50);
  g_assert_null (chooser);
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
          g_autofree char *what = vtr_test_tab_describe (widget);

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
  /* The commands, the parameters and a text among them, the state. */
  g_assert_cmpuint (check_panes (check_menus), >=, 4);
}

static void
test_pages (void)
{
  VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));

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
  g_test_add_func ("/widgets/focus/viewer", test_viewer);
  g_test_add_func ("/widgets/focus/menus", test_menus);
  g_test_add_func ("/widgets/focus/escape", test_escape);
  g_test_add_func ("/widgets/focus/chooser-escape", test_chooser_escape);
  return g_test_run ();
}
