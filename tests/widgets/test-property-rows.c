/* Tests rows of properties: names, values and notes are complete at every width, also after rows
 * of another command replaced them. */
#include "vtr-test-ui.h"

#include "engine/model/vtr-property-list.h"
#include "widgets/vtr-property-rows.h"

static void
add_row (GListStore *store, const char *name, const char *value, const char *note, gboolean warns)
{
  g_autoptr (VtrPropertyRow) row = vtr_property_row_new (name, value, NULL, NULL);

  vtr_property_row_set_note (row, note);
  if (warns)
    vtr_property_row_set_warning (row, "Nothing is bound.");
  g_list_store_append (store, row);
}

/* @longer: the same names with more to say. */
static GListModel *
make_rows (gboolean longer)
{
  GListStore *store = g_list_store_new (VTR_TYPE_PROPERTY_ROW);

  add_row (store, "128 · combined image sampler", longer ? "image view 450" : "not bound",
           longer ? "256 × 256 BC7_SRGB_BLOCK" : NULL, !longer);
  add_row (store, "0 · uniform buffer", "buffer 2280", longer ? "160 B at 622,528" : "160 B",
           FALSE);
  add_row (store, "usage",
           longer ? "TRANSFER_SRC_BIT | TRANSFER_DST_BIT | SAMPLED_BIT | STORAGE_BIT" : "0", NULL,
           FALSE);
  add_row (store, "flags", "0", NULL, TRUE);
  return G_LIST_MODEL (store);
}

static void
check_label (GtkWidget *label, GtkWidget *list)
{
  PangoLayout *layout = gtk_label_get_layout (GTK_LABEL (label));
  graphene_rect_t bounds;
  int width, height;

  if (*gtk_label_get_text (GTK_LABEL (label)) == '\0')
    return;
  pango_layout_get_pixel_size (layout, &width, &height);
  if (pango_layout_is_ellipsized (layout) || width > gtk_widget_get_width (label) ||
      height > gtk_widget_get_height (label))
    g_error ("At a width of %d “%s” is cut", gtk_widget_get_width (list),
             gtk_label_get_text (GTK_LABEL (label)));
  g_assert_true (gtk_widget_compute_bounds (label, list, &bounds));
  if (bounds.origin.x < 0 || bounds.origin.y < 0 ||
      bounds.origin.x + bounds.size.width > (float)gtk_widget_get_width (list) ||
      bounds.origin.y + bounds.size.height > (float)gtk_widget_get_height (list))
    g_error ("At a width of %d “%s” is outside of the list", gtk_widget_get_width (list),
             gtk_label_get_text (GTK_LABEL (label)));
}

/* Returns: how many labels there are. */
static guint
check_labels (GtkWidget *widget, GtkWidget *list)
{
  guint n = 0;

  if (!gtk_widget_get_mapped (widget))
    return 0;
  if (GTK_IS_LABEL (widget))
    {
      check_label (widget, list);
      n++;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += check_labels (child, list);
  return n;
}

static void
test_widths (void)
{
  GtkWidget *rows = vtr_property_rows_new (FALSE, "Rows");
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWindow *window;

  gtk_box_append (GTK_BOX (box), rows);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), box);
  window = vtr_test_ui_show (scroller, 300, 600);
  for (guint longer = 0; longer < 4; longer++)
    {
      g_autoptr (GListModel) model = make_rows (longer % 2 == 1);

      vtr_property_rows_set_rows (VTR_PROPERTY_ROWS (rows), model);
      for (int width = 240; width <= 800; width += 35)
        {
          gtk_window_set_default_size (window, width, 600);
          vtr_test_ui_spin (40);
          g_assert_cmpuint (check_labels (rows, rows), >=, 8);
        }
    }
  gtk_window_destroy (window);
}

/* --- keys ------------------------------------------------------------------------------------ */

static void
select_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  char **selected = data;

  g_free (*selected);
  *selected = g_variant_dup_string (parameter, NULL);
}

static void
add_select_action (GtkWindow *window, char **selected)
{
  g_autoptr (GSimpleActionGroup) actions = g_simple_action_group_new ();
  g_autoptr (GSimpleAction) action = g_simple_action_new ("select", G_VARIANT_TYPE_STRING);

  g_signal_connect (action, "activate", G_CALLBACK (select_cb), selected);
  g_action_map_add_action (G_ACTION_MAP (actions), G_ACTION (action));
  gtk_widget_insert_action_group (GTK_WIDGET (window), "win", G_ACTION_GROUP (actions));
}

static GtkWidget *
find_list (GtkWidget *widget)
{
  GtkWidget *found = GTK_IS_LIST_VIEW (widget) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_list (child);
  return found;
}

static void
got_text_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  *(char **)data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);
}

/* Return unfolds a row or follows its link; Ctrl+C copies its value. */
static void
test_keys (void)
{
  GtkWidget *rows = vtr_property_rows_new (TRUE, "Rows");
  g_autoptr (GListStore) store = g_list_store_new (VTR_TYPE_PROPERTY_ROW);
  GListModel *children = make_rows (FALSE);
  g_autoptr (VtrPropertyRow) parent = vtr_property_row_new ("parent", "", NULL, children);
  g_autoptr (VtrPropertyRow) linked = vtr_property_row_new ("image", "image 5", "commands/5", NULL);
  g_autofree char *selected = NULL;
  char *copied = NULL;
  GtkWindow *window;
  GtkWidget *list;
  guint n;

  g_list_store_append (store, linked);
  g_list_store_append (store, parent);
  window = vtr_test_ui_show (rows, 400, 400);
  add_select_action (window, &selected);
  vtr_property_rows_set_rows (VTR_PROPERTY_ROWS (rows), G_LIST_MODEL (store));
  vtr_test_ui_spin (50);
  list = find_list (rows);
  n = g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (list))));
  g_assert_cmpuint (n, ==, 2 + 4);
  g_signal_emit_by_name (list, "activate", 0);
  g_assert_cmpstr (selected, ==, "commands/5");
  g_signal_emit_by_name (list, "activate", 1);
  n = g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (list))));
  g_assert_cmpuint (n, ==, 2);
  g_assert_true (gtk_widget_child_focus (GTK_WIDGET (window), GTK_DIR_TAB_FORWARD));
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (window), list));
  gtk_widget_activate_action (rows, "rows.copy-value", NULL);
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (rows), NULL, got_text_cb, &copied);
  for (guint i = 0; i < 100 && copied == NULL; i++)
    vtr_test_ui_spin (20);
  g_assert_cmpstr (copied, ==, "image 5");
  g_free (copied);
  gtk_window_destroy (window);
}

/* The action of the Menu key at @widget. */
static GtkShortcutAction *
find_menu_key (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      g_autoptr (GtkShortcut) shortcut = NULL;

      if (!GTK_IS_SHORTCUT_CONTROLLER (controller) ||
          g_list_model_get_n_items (G_LIST_MODEL (controller)) != 1)
        continue;
      shortcut = g_list_model_get_item (G_LIST_MODEL (controller), 0);
      return gtk_shortcut_get_action (shortcut);
    }
  return NULL;
}

/* An item of a menu, which is of a type of GTK's own. */
static GtkWidget *
find_item (GtkWidget *widget, const char *text)
{
  g_autofree char *label = NULL;
  GtkWidget *found = NULL;

  if (g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkModelButton"))
    g_object_get (widget, "text", &label, NULL);
  if (g_strcmp0 (label, text) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_item (child, text);
  return found;
}

/* The menu copies the value of its row, wherever the focus is: GTK closes it before the action
 * runs. */
static void
test_menu (void)
{
  GtkWidget *rows = vtr_property_rows_new (TRUE, "Rows");
  g_autoptr (GListModel) model = make_rows (TRUE);
  GtkWindow *window = vtr_test_ui_show (rows, 400, 400);
  GtkWidget *list, *first, *button;
  GtkShortcutAction *key = find_menu_key (rows);
  char *copied = NULL;

  vtr_property_rows_set_rows (VTR_PROPERTY_ROWS (rows), model);
  vtr_test_ui_spin (50);
  list = find_list (rows);
  first = gtk_widget_get_first_child (list);
  g_assert_true (gtk_widget_grab_focus (gtk_widget_get_next_sibling (first)));
  g_assert_nonnull (key);
  g_assert_true (gtk_shortcut_action_activate (key, 0, rows, NULL));
  vtr_test_ui_spin (50);
  button = find_item (rows, "Copy Value");
  g_assert_nonnull (button);
  gtk_window_set_focus (window, first);
  g_signal_emit_by_name (button, "clicked");
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (rows), NULL, got_text_cb, &copied);
  for (guint i = 0; i < 100 && copied == NULL; i++)
    vtr_test_ui_spin (20);
  g_assert_cmpstr (copied, ==, "buffer 2280");
  g_free (copied);
  gtk_window_destroy (window);
}

static void
check_no_empty_label (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget))
    g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (widget)), !=, "");
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_no_empty_label (child);
}

/* A structure has no value of its own; in a narrow list it has no empty line for one. */
static void
test_no_value (void)
{
  GtkWidget *rows = vtr_property_rows_new (FALSE, "Rows");
  g_autoptr (GListStore) store = g_list_store_new (VTR_TYPE_PROPERTY_ROW);
  g_autoptr (VtrPropertyRow) parent =
    vtr_property_row_new ("pCreateInfo", "", NULL, make_rows (FALSE));
  GtkWindow *window = vtr_test_ui_show (rows, 120, 400);

  g_list_store_append (store, parent);
  vtr_property_rows_set_rows (VTR_PROPERTY_ROWS (rows), G_LIST_MODEL (store));
  vtr_test_ui_spin (50);
  check_no_empty_label (find_list (rows));
  gtk_window_destroy (window);
}

int
main (int argc, char **argv)
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/property-rows/widths", test_widths);
  g_test_add_func ("/widgets/property-rows/keys", test_keys);
  g_test_add_func ("/widgets/property-rows/menu", test_menu);
  g_test_add_func ("/widgets/property-rows/no-value", test_no_value);
  return g_test_run ();
}
