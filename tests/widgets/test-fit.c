/* Tests what a person can reach and read: tools within their pane, buttons that lead somewhere,
 * whole names, menus with only what can be done. */
#include "vtr-test-ui.h"

#include <glib/gstdio.h>

#include "engine/model/vtr-command-text.h"
#include "widgets/vtr-command-list.h"
#include "widgets/vtr-copy-menu.h"
#include "widgets/vtr-dialogs.h"
#include "widgets/vtr-image-viewer.h"
#include "widgets/vtr-overdraw-legend.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-pipeline-view.h"
#include "widgets/vtr-program-search.h"
#include "widgets/vtr-shader-text.h"
#include "window/vtr-panes.h"
#include "window/vtr-trace-page.h"

typedef gboolean (*Match) (GtkWidget *widget);

/* The first widget below @widget that is shown; NULL: none. */
static GtkWidget *
find (GtkWidget *widget, Match match)
{
  if (match (widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find (child, match);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* --- tools within their pane ----------------------------------------------------------------- */

static gboolean
is_tool (GtkWidget *widget)
{
  return GTK_IS_BUTTON (widget) || GTK_IS_MENU_BUTTON (widget) || GTK_IS_ENTRY (widget) ||
         GTK_IS_SEARCH_ENTRY (widget) || GTK_IS_DROP_DOWN (widget);
}

/* Checks every tool below @widget, a row of tools or what holds some; @row: the row. */
static guint
check_tools (GtkWidget *widget, GtkWidget *row, GtkWidget *pane, const char *id)
{
  guint n = 0;

  if (!gtk_widget_get_mapped (widget))
    return 0;
  if (row == NULL && gtk_widget_has_css_class (widget, "tool-row"))
    row = widget;
  if (row != NULL && is_tool (widget))
    {
      graphene_rect_t bounds;

      g_assert_true (gtk_widget_compute_bounds (widget, pane, &bounds));
      if (bounds.origin.x < -1 ||
          bounds.origin.x + bounds.size.width > (float)gtk_widget_get_width (pane) + 1)
        {
          g_printerr ("A tool of %s is cut: a %s (“%s”) ends at %g of %d\n", id,
                      G_OBJECT_TYPE_NAME (widget), gtk_widget_get_tooltip_text (widget),
                      (double)(bounds.origin.x + bounds.size.width), gtk_widget_get_width (pane));
          g_test_fail ();
        }
      return 1;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += check_tools (child, row, pane, id);
  return n;
}

static gboolean
is_shader_stack (GtkWidget *widget)
{
  return GTK_IS_STACK (widget) && gtk_stack_get_child_by_name (GTK_STACK (widget), "content");
}

static const char *wanted_pane;

static gboolean
is_wanted_pane (GtkWidget *widget)
{
  return PANEL_IS_WIDGET (widget) &&
         g_strcmp0 (panel_widget_get_id (PANEL_WIDGET (widget)), wanted_pane) == 0;
}

/* Both sizes are with all edges open, the tightest that there is by default. */
static void
test_tools (gconstpointer data)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  GtkWidget *page = vtr_trace_page_new ();
  gboolean wide = GPOINTER_TO_INT (data) != 0;
  GtkWindow *window = vtr_test_ui_show (page, wide ? 1280 : 1024, wide ? 720 : 560);
  guint n_panes, n = 0;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);

  vtr_layout_set_narrow (vtr_trace_page_get_layout (VTR_TRACE_PAGE (page)), !wide);
  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), session);
  vtr_session_select (session, 3, VTR_SELECT_JUMP);
  for (guint i = 0; i < n_panes; i++)
    {
      GtkWidget *pane, *stack;

      vtr_trace_page_raise (VTR_TRACE_PAGE (page), infos[i].id);
      vtr_test_ui_spin (50);
      wanted_pane = infos[i].id;
      pane = find (page, is_wanted_pane);
      g_assert_nonnull (pane);
      /* The trace has no shader, but the tools are still there. */
      stack = find (pane, is_shader_stack);
      if (stack != NULL)
        gtk_stack_set_visible_child_name (GTK_STACK (stack), "content");
      vtr_test_ui_spin (50);
      n += check_tools (pane, NULL, pane, infos[i].id);
    }
  g_assert_cmpuint (n, >, 20);
  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), NULL);
  gtk_window_destroy (window);
}

/* However long the titles of panes are (in large text, or in another language), the window fits. */
static void
test_tabs (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  GtkWidget *page = vtr_trace_page_new ();
  GtkWindow *window = vtr_test_ui_show (page, 1280, 720);
  guint n_panes;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);
  int before, after;

  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), session);
  vtr_test_ui_spin (50);
  gtk_widget_measure (page, GTK_ORIENTATION_HORIZONTAL, -1, &before, NULL, NULL, NULL);
  for (guint i = 0; i < n_panes; i++)
    {
      GtkWidget *pane;

      wanted_pane = infos[i].id;
      pane = find (page, is_wanted_pane);
      g_assert_nonnull (pane);
      panel_widget_set_title (PANEL_WIDGET (pane), "A title that is longer than any pane is wide");
    }
  vtr_test_ui_spin (50);
  gtk_widget_measure (page, GTK_ORIENTATION_HORIZONTAL, -1, &after, NULL, NULL, NULL);
  g_assert_cmpint (after, <=, before);
  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), NULL);
  gtk_window_destroy (window);
}

/* --- buttons that lead somewhere ------------------------------------------------------------- */

static gboolean
goes_to_next (GtkWidget *widget)
{
  return GTK_IS_BUTTON (widget) &&
         g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)), "win.next-draw") == 0;
}

static gboolean
goes_to_previous (GtkWidget *widget)
{
  return GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (
                                                widget)),
                                              "win.previous-draw") == 0;
}

/* At the end of the trace no draw comes after the selection. */
static void
test_draw_button (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  GtkWidget *view = vtr_pipeline_view_new ();
  GtkWindow *window = vtr_test_ui_show (view, 400, 400);

  vtr_session_select_frame_end (session, 0);
  g_assert_false (vtr_session_has_draw (session, 1));
  vtr_pipeline_view_set_session (VTR_PIPELINE_VIEW (view), session);
  vtr_test_ui_spin (50);
  g_assert_null (find (view, goes_to_next));
  g_assert_nonnull (find (view, goes_to_previous));
  vtr_session_select (session, 0, VTR_SELECT_JUMP);
  vtr_test_ui_spin (50);
  g_assert_nonnull (find (view, goes_to_next));
  g_assert_null (find (view, goes_to_previous));
  vtr_pipeline_view_set_session (VTR_PIPELINE_VIEW (view), NULL);
  gtk_window_destroy (window);
}

/* --- whole names ----------------------------------------------------------------------------- */

/* Rows leave out "vkCmd"; vkEndCommandBuffer has none. */
static void
test_whole_names (void)
{
  static const char *const expected[] = { "vkBeginCommandBuffer ", "vkEndCommandBuffer ",
                                          "vkCmdDraw " };
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  g_autoptr (VtrCommandList) list = vtr_command_list_new (vtr_session_get_document (session),
                                                          vtr_session_get_tree (session));
  guint found = 0;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (list)); i++)
    vtr_command_list_expand (list, i);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (list)); i++)
    {
      g_autoptr (VtrCommandItem) item = g_list_model_get_item (G_LIST_MODEL (list), i);
      g_autofree char *text = vtr_command_item_dup_text (item);

      g_assert_null (strstr (text, "vkCmdEndCommandBuffer"));
      for (guint j = 0; j < G_N_ELEMENTS (expected); j++)
        if (g_str_has_prefix (text, expected[j]))
          found |= 1u << j;
    }
  g_assert_cmpuint (found, ==, 7);
}

/* --- menus of what cannot be changed --------------------------------------------------------- */

static gboolean
is_text (GtkWidget *widget)
{
  return GTK_IS_TEXT_VIEW (widget);
}

static gboolean
is_menu (GtkWidget *widget)
{
  return GTK_IS_POPOVER_MENU (widget) && gtk_widget_get_visible (widget);
}

static void
list_words (GtkWidget *widget, GString *words)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget))
    g_string_append_printf (words, "%s;", gtk_label_get_text (GTK_LABEL (widget)));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    list_words (child, words);
}

/* As a right click does it. */
static void
right_click (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_GESTURE_CLICK (controller) &&
          gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller)) == GDK_BUTTON_SECONDARY &&
          gtk_event_controller_get_propagation_phase (controller) == GTK_PHASE_CAPTURE)
        g_signal_emit_by_name (controller, "pressed", 1, 5.0, 5.0);
    }
  vtr_test_ui_spin (100);
}

static void
check_menu (GtkWidget *text)
{
  g_autoptr (GString) words = g_string_new (NULL);
  GtkWidget *menu;

  right_click (text);
  menu = find (text, is_menu);
  g_assert_nonnull (menu);
  list_words (menu, words);
  g_assert_cmpstr (words->str, ==, "Copy;Select All;");
  gtk_popover_popdown (GTK_POPOVER (menu));
  vtr_test_ui_spin (100);
  g_assert_null (find (text, is_menu));
}

static void
test_menus (void)
{
  GtkWidget *view = vtr_shader_text_new ();
  GtkWidget *label = gtk_label_new ("words");
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWindow *window;
  GtkWidget *text;

  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  vtr_copy_menu_add (label);
  gtk_box_append (GTK_BOX (box), view);
  gtk_box_append (GTK_BOX (box), label);
  window = vtr_test_ui_show (box, 500, 300);
  vtr_shader_text_set_text (VTR_SHADER_TEXT (view), "void main () { }\n", "glsl");
  text = find (view, is_text);
  check_menu (text);
  check_menu (label);
  /* One that is edited has GTK's own. */
  vtr_shader_text_set_editable (VTR_SHADER_TEXT (view), TRUE);
  right_click (text);
  g_assert_null (find (text, is_menu));
  gtk_window_destroy (window);
}

static gboolean
is_texel (GtkWidget *widget)
{
  return GTK_IS_LABEL (widget) && gtk_widget_has_css_class (widget, "numeric") &&
         !gtk_widget_has_css_class (widget, "caption") && gtk_widget_get_hexpand (widget);
}

/* The values below an image can be copied, and nothing else. */
static void
test_viewer_menu (void)
{
  GtkWidget *viewer = vtr_image_viewer_new ();
  GtkWindow *window = vtr_test_ui_show (viewer, 600, 400);
  GtkWidget *texel = find (viewer, is_texel);

  g_assert_nonnull (texel);
  /* As while the pointer is over a texel. */
  gtk_label_set_label (GTK_LABEL (texel), "0.5");
  gtk_label_set_selectable (GTK_LABEL (texel), TRUE);
  check_menu (texel);
  gtk_window_destroy (window);
}

static gboolean
is_save (GtkWidget *widget)
{
  return GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (
                                                widget)),
                                              "viewer.save") == 0;
}

static gboolean
hides_child (GtkWidget *row)
{
  for (GtkWidget *child = gtk_widget_get_first_child (row); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (!gtk_widget_get_mapped (child))
      return TRUE;
  return FALSE;
}

/* Tools that the menu has too go before the last one stands alone in a second line. */
static void
test_viewer_tools (void)
{
  GtkWidget *viewer = vtr_image_viewer_new ();
  GtkWidget *overlay = gtk_drop_down_new_from_strings ((const char *[]){ "No Overlay", NULL });
  GtkWindow *window;
  GtkWidget *save, *row;
  int full, one;

  vtr_image_viewer_add_tool (VTR_IMAGE_VIEWER (viewer), overlay);
  window = vtr_test_ui_show (viewer, 800, 400);
  save = find (viewer, is_save);
  g_assert_nonnull (save);
  row = gtk_widget_get_parent (overlay);
  vtr_test_ui_spin (50);
  g_assert_true (gtk_widget_get_mapped (save));
  gtk_widget_measure (row, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &full, NULL, NULL);
  one = gtk_widget_get_height (row);
  for (int width = full - 60; width <= full + 2; width += 2)
    {
      gtk_window_set_default_size (window, width, 400);
      vtr_test_ui_spin (50);
      g_assert_cmpint (gtk_widget_get_width (viewer), ==, width);
      g_assert_cmpint (gtk_widget_get_height (row), ==, one);
      g_assert_cmpint (hides_child (row), ==, width < full);
      g_assert_true (gtk_widget_get_mapped (save));
    }
  gtk_window_destroy (window);
}

/* --- words and scales ------------------------------------------------------------------------ */

static void
check_short (const char *text, const char *expected)
{
  g_autofree char *shortened = vtr_shorten_enumerants (text);

  g_assert_cmpstr (shortened, ==, expected);
}

/* What tells two values of one type apart is not behind a prefix that all of them have. */
static void
test_enumerants (void)
{
  check_short ("VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST", "TRIANGLE_LIST");
  check_short ("VK_SHADER_STAGE_VERTEX_BIT|VK_SHADER_STAGE_FRAGMENT_BIT", "VERTEX|FRAGMENT");
  check_short ("VK_STRUCTURE_TYPE_PRESENT_INFO_KHR", "PRESENT_INFO_KHR");
  check_short ("256 × 256 VK_FORMAT_R8G8B8A8_UNORM", "256 × 256 R8G8B8A8_UNORM");
  check_short ("VK_SUCCESS", "SUCCESS");
  check_short ("VK_NO_SUCH_NAME", "VK_NO_SUCH_NAME");
  check_short ("VkImage, 3 × 4", "VkImage, 3 × 4");
}

/* More draws are brighter, at the counts that the legend names visibly so. */
static void
test_overdraw (void)
{
  VtrOverdrawLegend *legend =
    g_object_ref_sink (g_object_new (VTR_TYPE_OVERDRAW_LEGEND, NULL));
  double count, position, before = -1;
  guint n;

  for (n = 0; vtr_overdraw_legend_get_tick (legend, n, &count, &position); n++)
    {
      double rgb[3], bright;

      vtr_overdraw_get_color (position, rgb);
      bright = rgb[0] * .2126 + rgb[1] * .7152 + rgb[2] * .0722;
      g_assert_cmpfloat (bright, >, before + .02);
      g_assert_cmpfloat (count, ==, n == 0 ? 0 : 1u << (n - 1));
      before = bright;
    }
  g_assert_cmpuint (n, ==, 6);
  g_assert_cmpfloat (position, ==, 1);
  vtr_overdraw_legend_set_range (legend, 0, 1000);
  for (n = 0; vtr_overdraw_legend_get_tick (legend, n, &count, &position); n++)
    g_assert_cmpfloat (count, <=, 1000);
  g_assert_cmpuint (n, <, 8);
  g_object_unref (legend);
}

/* --- programs and folders -------------------------------------------------------------------- */

static char *
make_program (const char *folder, const char *name, int mode)
{
  char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, "#!/bin/sh\n", -1, NULL));
  g_assert_cmpint (g_chmod (path, mode), ==, 0);
  return path;
}

static void
check_found (const char *word, const char *search_path, const char *first, guint n)
{
  g_auto (GStrv) found = vtr_program_search (word, search_path, 10);

  g_assert_cmpuint (g_strv_length (found), ==, n);
  g_assert_cmpstr (found[0], ==, first);
}

static void
test_programs (void)
{
  g_autofree char *one = g_dir_make_tmp ("vitrine-XXXXXX", NULL);
  g_autofree char *two = g_dir_make_tmp ("vitrine-XXXXXX", NULL);
  g_autofree char *search_path = g_strdup_printf ("%s:/nowhere:%s", one, two);
  g_autofree char *cube = make_program (one, "cube", 0755);
  g_autofree char *hidden = make_program (two, "cube", 0755);
  g_autofree char *gears = make_program (two, "MyCubes", 0755);
  g_autofree char *text = make_program (one, "cube.txt", 0644);
  g_autofree char *missing = g_build_filename (one, "a", "b", NULL);
  g_autoptr (GFile) far = g_file_new_for_path (missing);
  g_autoptr (GFile) near = g_file_new_for_path (one);
  g_autoptr (GFile) existing = vtr_dialogs_dup_existing_folder (far);

  check_found ("cube", search_path, cube, 2);
  check_found ("mycube", search_path, gears, 1);
  check_found ("nothing", search_path, NULL, 0);
  check_found ("", search_path, NULL, 0);
  check_found (cube, "", cube, 1);
  check_found (text, search_path, NULL, 0);
  check_found (one, search_path, NULL, 0);
  g_assert_true (g_file_equal (existing, near));
  g_unlink (cube);
  g_unlink (hidden);
  g_unlink (gears);
  g_unlink (text);
  g_rmdir (one);
  g_rmdir (two);
}

int
main (int argc, char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_data_func ("/widgets/fit/tools/default", GINT_TO_POINTER (1), test_tools);
  g_test_add_data_func ("/widgets/fit/tools/narrow", GINT_TO_POINTER (0), test_tools);
  g_test_add_func ("/widgets/fit/tabs", test_tabs);
  g_test_add_func ("/widgets/fit/draw-button", test_draw_button);
  g_test_add_func ("/widgets/fit/whole-names", test_whole_names);
  g_test_add_func ("/widgets/fit/menus", test_menus);
  g_test_add_func ("/widgets/fit/viewer-menu", test_viewer_menu);
  g_test_add_func ("/widgets/fit/viewer-tools", test_viewer_tools);
  g_test_add_func ("/widgets/fit/enumerants", test_enumerants);
  g_test_add_func ("/widgets/fit/overdraw", test_overdraw);
  g_test_add_func ("/widgets/fit/programs", test_programs);
  return g_test_run ();
}
