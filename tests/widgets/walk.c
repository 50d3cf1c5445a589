/* walk: goes through the whole window as a person would, and says what is wrong on the screen.
 *
 * walk [--size WIDTHxHEIGHT] [--text-scale FACTOR] [--dark] [--pictures FOLDER] [--part NAME]…
 *      [TRACE…]
 * walk --planted: shows a window with one fault of each kind, and fails unless each is found.
 *
 * Every pane on every trace, every dialog, page, menu and list of choices. Exit status 1 when
 * something was found. High contrast, language and GDK_SCALE are of the environment
 * (tests/e2e/test-walk.py). */
#include "vtr-test-ui.h"

#include <glib/gstdio.h>
#include <libpanel.h>

#include "engine/format/vtr-locale.h"
#include "vtr-application.h"
#include "vtr-dialogs.h"
#include "vtr-panes.h"
#include "vtr-settings.h"
#include "vtr-test-names.h"
#include "vtr-trace-page.h"
#include "vtr-walk-check.h"
#include "vtr-window.h"

static VtrApplication *application;
static VtrWalkCheck check;
static VtrTestNames names;
static GPtrArray *findings; /* of char*: with the place */
static GHashTable *known;   /* findings without place and numbers: each is told once */
static char *place;
static char *folder; /* for pictures; NULL: none are kept */
static char **parts; /* what is walked; NULL: everything */
static guint n_places;
static gboolean is_foreign; /* what is looked at is GTK's: its own faults are not ours */

static void
add_finding (const char *text)
{
  GString *key = g_string_new (NULL);

  for (const char *at = text; *at != '\0'; at++)
    if (!g_ascii_isxdigit (*at))
      g_string_append_c (key, *at);
  if (g_hash_table_add (known, g_string_free (key, FALSE)))
    g_ptr_array_add (findings, g_strdup_printf ("%s: %s", place, text));
}

/* --- what GTK complains of ------------------------------------------------------------------- */

static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  if ((level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) != 0)
    for (gsize i = 0; i < n_fields; i++)
      if (g_str_equal (fields[i].key, "MESSAGE"))
        {
          g_autofree char *text = g_strdup_printf ("warning: %s", (const char *)fields[i].value);

          /* The path bar of GTK's file chooser. */
          if (!is_foreign || strstr (text, "Trying to snapshot GtkButton") == NULL)
            add_finding (text);
        }
  if ((level & G_LOG_LEVEL_ERROR) != 0)
    return g_log_writer_standard_streams (level, fields, n_fields, data);
  return G_LOG_WRITER_HANDLED;
}

/* --- looking --------------------------------------------------------------------------------- */

static gboolean
is_loading (GtkWidget *widget)
{
  if (!gtk_widget_get_mapped (widget))
    return FALSE;
  if (vtr_walk_is_in_motion (widget) ||
      (GTK_IS_SPINNER (widget) && gtk_spinner_get_spinning (GTK_SPINNER (widget))))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (is_loading (child))
      return TRUE;
  return FALSE;
}

/* Until nothing moves and nothing is waited for. */
static void
settle (GtkWidget *root)
{
  gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  vtr_test_ui_spin (120);
  while (is_loading (root) && g_get_monotonic_time () < end)
    vtr_test_ui_spin (50);
  vtr_test_ui_spin (20);
}

static void
save_picture (GdkTexture *texture)
{
  g_autofree char *name = g_strdup_printf ("%03u-%s.png", n_places, place);
  g_autofree char *path = g_build_filename (folder, g_strdelimit (name, "/ \n", '_'), NULL);

  gdk_texture_save_to_png (texture, path);
}

/* Fills check.findings with what @root shows now. */
static void
look_once (GtkWidget *root, gboolean foreign, gboolean save)
{
  g_autoptr (GdkTexture) texture = vtr_walk_take_picture (root);

  g_ptr_array_set_size (check.findings, 0);
  if (save && folder != NULL && texture != NULL)
    save_picture (texture);
  vtr_walk_check (&check, root, foreign ? NULL : texture);
  names.findings = check.findings;
  if (!foreign)
    vtr_test_names_check (&names, root);
}

/* Checks what @root shows. @foreign: a window of GTK's, whose names and pale texts are its own. */
G_GNUC_PRINTF (3, 4)
static void
look_at (GtkWidget *root, gboolean foreign, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_free (place);
  place = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  n_places++;
  look_once (root, foreign, TRUE);
  /* Only what stays: something may still have been on its way. */
  for (guint i = 0; i < 3 && check.findings->len > 0; i++)
    {
      settle (root);
      look_once (root, foreign, FALSE);
    }
  for (guint i = 0; i < check.findings->len; i++)
    add_finding (check.findings->pdata[i]);
}

/* --- lists of choices and menus -------------------------------------------------------------- */

typedef void (*Visit) (GtkWidget *widget, gpointer data);

/* Calls @visit with all that is on the screen, popovers left out. */
static void
visit_shown (GtkWidget *widget, Visit visit, gpointer data)
{
  g_autoptr (GPtrArray) children = g_ptr_array_new_with_free_func (g_object_unref);

  if (!gtk_widget_get_mapped (widget) || GTK_IS_POPOVER (widget))
    return;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    g_ptr_array_add (children, g_object_ref (child));
  visit (widget, data);
  for (guint i = 0; i < children->len; i++)
    visit_shown (children->pdata[i], visit, data);
}

static GtkWidget *
find_open_popover (GtkWidget *widget)
{
  if (GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_open_popover (child);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* Looks at the popover that has just been opened in @root, and closes it. */
static void
look_at_popover (GtkWidget *root, const char *where, const char *what)
{
  GtkWidget *popover = find_open_popover (root);

  if (popover == NULL)
    return;
  settle (popover);
  look_at (popover, FALSE, "%s/%s", where, what);
  gtk_popover_popdown (GTK_POPOVER (popover));
  for (guint i = 0; i < 20 && find_open_popover (root) != NULL; i++)
    vtr_test_ui_spin (20);
}

typedef struct
{
  GtkWidget *root;
  char *where;
  GHashTable *seen; /* kinds of widgets whose right click was tried */
} Menus;

static void
right_click (GtkWidget *widget, Menus *menus)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      double x, y;

      if (!GTK_IS_GESTURE_CLICK (controller) ||
          gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller)) != GDK_BUTTON_SECONDARY ||
          g_hash_table_contains (menus->seen, G_OBJECT_TYPE_NAME (widget)))
        continue;
      x = MIN (60., gtk_widget_get_width (widget) / 2.);
      y = MIN (60., gtk_widget_get_height (widget) / 2.);
      g_signal_emit_by_name (controller, "pressed", 1, x, y);
      if (find_open_popover (menus->root) == NULL)
        continue;
      g_hash_table_add (menus->seen, (gpointer)G_OBJECT_TYPE_NAME (widget));
      look_at_popover (menus->root, menus->where, G_OBJECT_TYPE_NAME (widget));
    }
}

static void
open_menu (GtkWidget *widget, gpointer data)
{
  Menus *menus = data;

  if (!gtk_widget_is_sensitive (widget) || GTK_IS_WINDOW_CONTROLS (widget))
    return;
  if (GTK_IS_MENU_BUTTON (widget))
    {
      gtk_menu_button_popup (GTK_MENU_BUTTON (widget));
      look_at_popover (menus->root, menus->where,
                       gtk_widget_get_tooltip_text (widget) ? gtk_widget_get_tooltip_text (widget)
                                                            : "menu");
    }
  else if (GTK_IS_DROP_DOWN (widget))
    {
      g_signal_emit_by_name (widget, "activate");
      look_at_popover (menus->root, menus->where, "choices");
    }
  else
    right_click (widget, menus);
}

static void
look_at_menus (GtkWidget *root, GtkWidget *within, const char *where)
{
  Menus menus = { root, g_strdup (where), g_hash_table_new (g_str_hash, g_str_equal) };

  visit_shown (within, open_menu, &menus);
  g_hash_table_unref (menus.seen);
  g_free (menus.where);
}

/* --- panes ----------------------------------------------------------------------------------- */

static void
find_widget_cb (GtkWidget *widget, gpointer data)
{
  GtkWidget **found = ((gpointer *)data)[0];
  GType type = *(GType *)((gpointer *)data)[1];
  const char *id = ((gpointer *)data)[2];

  if (*found == NULL && G_TYPE_CHECK_INSTANCE_TYPE (widget, type) &&
      (id == NULL || (PANEL_IS_WIDGET (widget) &&
                      g_strcmp0 (panel_widget_get_id (PANEL_WIDGET (widget)), id) == 0)))
    *found = widget;
}

static GtkWidget *
find_shown (GtkWidget *within, GType type, const char *id)
{
  GtkWidget *found = NULL;
  gpointer data[] = { &found, &type, (gpointer)id };

  visit_shown (within, find_widget_cb, data);
  return found;
}

static void
select_first_row (GtkWidget *widget, gpointer data)
{
  GtkSelectionModel *model;

  if (!GTK_IS_COLUMN_VIEW (widget) && !GTK_IS_LIST_VIEW (widget))
    return;
  model = GTK_IS_COLUMN_VIEW (widget) ? gtk_column_view_get_model (GTK_COLUMN_VIEW (widget))
                                      : gtk_list_view_get_model (GTK_LIST_VIEW (widget));
  if (GTK_IS_SINGLE_SELECTION (model) && g_list_model_get_n_items (G_LIST_MODEL (model)) > 0 &&
      gtk_single_selection_get_selected (GTK_SINGLE_SELECTION (model)) == GTK_INVALID_LIST_POSITION)
    gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (model), 0);
}

static void
open_toggle (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_TOGGLE_BUTTON (widget) && gtk_widget_is_sensitive (widget) &&
      !GTK_IS_MENU_BUTTON (gtk_widget_get_parent (widget)) &&
      !GTK_IS_DROP_DOWN (gtk_widget_get_parent (widget)) &&
      gtk_widget_get_ancestor (widget, GTK_TYPE_BUTTON) == widget &&
      !gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (widget)))
    g_ptr_array_add (data, g_object_ref (widget));
}

/* What the toggles of a pane open: ranges, statistics, stages; each is closed again. */
static void
look_at_toggles (GtkWidget *window, GtkWidget *pane, const char *where)
{
  g_autoptr (GPtrArray) toggles = g_ptr_array_new_with_free_func (g_object_unref);

  visit_shown (pane, open_toggle, toggles);
  for (guint i = 0; i < toggles->len; i++)
    {
      GtkToggleButton *toggle = toggles->pdata[i];
      const char *words = gtk_widget_get_tooltip_text (GTK_WIDGET (toggle));

      if (!gtk_widget_get_mapped (GTK_WIDGET (toggle)))
        continue;
      gtk_toggle_button_set_active (toggle, TRUE);
      settle (window);
      look_at (window, FALSE, "%s/%s", where, words ? words : "toggle");
      gtk_toggle_button_set_active (toggle, FALSE);
    }
}

static gboolean
is_wanted (const char *part)
{
  return parts == NULL || g_strv_contains ((const char *const *)parts, part);
}

static void
walk_panes (VtrWindow *window, const char *trace)
{
  GtkWidget *root = GTK_WIDGET (window);
  VtrTracePage *page = VTR_TRACE_PAGE (find_shown (root, VTR_TYPE_TRACE_PAGE, NULL));
  guint n_panes;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);

  g_assert_nonnull (page);
  for (guint i = 0; i < n_panes; i++)
    {
      g_autofree char *where = g_strdup_printf ("%s/%s", trace, infos[i].id);
      GtkWidget *pane;

      g_free (place);
      place = g_strconcat (where, "/raise", NULL);
      vtr_trace_page_raise (page, infos[i].id);
      settle (root);
      pane = find_shown (root, PANEL_TYPE_WIDGET, infos[i].id);
      if (pane == NULL)
        {
          add_finding (where);
          continue;
        }
      visit_shown (pane, select_first_row, NULL);
      settle (root);
      look_at (root, FALSE, "%s", where);
      if (is_wanted ("menus"))
        {
          look_at_menus (root, pane, where);
          look_at_toggles (root, pane, where);
        }
    }
}

/* --- dialogs --------------------------------------------------------------------------------- */

static GtkWidget *
find_other_window (GtkWidget *window)
{
  GtkWidget *found = NULL;
  GList *windows = gtk_window_list_toplevels ();

  for (GList *at = windows; at != NULL; at = at->next)
    if (at->data != (gpointer)window && gtk_widget_get_mapped (at->data))
      found = at->data;
  g_list_free (windows);
  return found;
}

/* Looks at the window that has been opened beside @window, and closes it. */
static void
look_at_dialog (GtkWidget *window, const char *name, gboolean foreign)
{
  GtkWidget *dialog = NULL;

  for (guint i = 0; i < 100 && dialog == NULL; i++)
    {
      dialog = find_other_window (window);
      vtr_test_ui_spin (20);
    }
  g_free (place);
  place = g_strdup (name);
  if (dialog == NULL)
    {
      add_finding ("dialog: it does not open");
      return;
    }
  is_foreign = foreign;
  settle (dialog);
  look_at (dialog, foreign, "%s", name);
  if (!foreign)
    look_at_menus (dialog, dialog, name);
  gtk_window_destroy (GTK_WINDOW (dialog));
  vtr_test_ui_spin (50);
  is_foreign = FALSE;
}

static void
activate_and_look (GtkWidget *window, const char *action, gboolean foreign)
{
  is_foreign = foreign;
  gtk_widget_activate_action (window, action, NULL);
  look_at_dialog (window, action, foreign);
}

static void
ignore_file (GFile *file, gpointer data)
{
}

static void
ignore_response (void)
{
}

static void
walk_dialogs (GtkWidget *window)
{
  activate_and_look (window, "app.preferences", FALSE);
  activate_and_look (window, "app.about", TRUE);
  activate_and_look (window, "win.show-help-overlay", TRUE);
  activate_and_look (window, "win.go-to", FALSE);
  activate_and_look (window, "win.trace-information", FALSE);
  activate_and_look (window, "win.open", TRUE);
  activate_and_look (window, "win.export-image", TRUE);
  activate_and_look (window, "win.export-frames", TRUE);
  activate_and_look (window, "win.export-shaders", TRUE);
  is_foreign = TRUE;
  vtr_dialogs_save_file (GTK_WINDOW (window), "Save", "name.txt", ignore_file, NULL);
  look_at_dialog (window, "save-file", TRUE);
  vtr_dialogs_confirm_stop (GTK_WINDOW (window), ignore_response, window);
  look_at_dialog (window, "confirm-stop", FALSE);
  vtr_dialogs_set_progress (
    vtr_dialogs_show_progress (GTK_WINDOW (window), "Exporting Frames", ignore_response, window),
    .4);
  look_at_dialog (window, "progress", FALSE);
}

/* --- pages ----------------------------------------------------------------------------------- */

static void
expand_row (GtkWidget *widget, gpointer data)
{
  if (ADW_IS_EXPANDER_ROW (widget))
    adw_expander_row_set_expanded (ADW_EXPANDER_ROW (widget), TRUE);
}

/* Moves every page that scrolls to its end. */
static void
scroll_down (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_SCROLLED_WINDOW (widget))
    {
      GtkAdjustment *adjustment =
        gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (widget));

      gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment));
    }
}

static void
walk_capture (VtrWindow *window)
{
  static const char *const ends[] = { "/bin/true", NULL };
  GtkWidget *root = GTK_WIDGET (window);
  g_autoptr (GError) error = NULL;

  vtr_window_show_capture (window);
  settle (root);
  look_at (root, FALSE, "capture");
  visit_shown (root, expand_row, NULL);
  settle (root);
  look_at (root, FALSE, "capture/expanded");
  look_at_menus (root, root, "capture");
  visit_shown (root, scroll_down, NULL);
  settle (root);
  look_at (root, FALSE, "capture/end");
  gtk_widget_activate_action (root, "win.choose-program", NULL);
  look_at_dialog (root, "program-chooser", FALSE);
  g_assert_true (vtr_window_capture_program (window, ends, NULL, "", &error));
  for (guint i = 0; i < 100 && vtr_window_is_capturing (window); i++)
    vtr_test_ui_spin (50);
  settle (root);
  look_at (root, FALSE, "capture/ended");
}

static void
open_and_wait (VtrWindow *window, const char *path, const char *page)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  vtr_window_open_file (window, file);
  while (g_strcmp0 (vtr_window_get_page (window), page) != 0 && g_get_monotonic_time () < end)
    vtr_test_ui_spin (10);
  g_assert_cmpstr (vtr_window_get_page (window), ==, page);
  settle (GTK_WIDGET (window));
}

static VtrWindow *
open_window (int width, int height)
{
  VtrWindow *window = vtr_window_new (application);

  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gtk_window_present (GTK_WINDOW (window));
  settle (GTK_WIDGET (window));
  return window;
}

static void
close_window (VtrWindow *window)
{
  gtk_window_destroy (GTK_WINDOW (window));
  vtr_test_ui_spin (50);
}

static void
check_size (VtrWindow *window, int width, int height)
{
  int w = gtk_widget_get_width (GTK_WIDGET (window)),
      h = gtk_widget_get_height (GTK_WIDGET (window));

  /* Without a window manager, GTK's frame is within the size. */
  if (w > width || h > height)
    {
      g_autofree char *text =
        g_strdup_printf ("size: the window is %d × %d, larger than the %d × %d that were asked for",
                         w, h, width, height);

      add_finding (text);
    }
}

/* Narrower and wider again, as by its edge: what folds must be laid out when it is drawn. */
static void
walk_sizes (VtrWindow *window, const char *name, int width, int height)
{
  static const double factors[] = { .97, .9, .83, .8, 1, .7, 1 };

  g_free (place);
  place = g_strdup_printf ("%s/sizes", name);
  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      gtk_window_set_default_size (GTK_WINDOW (window), MAX (1024, (int)(width * factors[i])),
                                   MAX (640, (int)(height * factors[i])));
      vtr_test_ui_spin (60);
    }
}

static void
walk_trace (const char *path, int width, int height, gboolean first)
{
  VtrWindow *window = open_window (width, height);
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_strndup (base, strcspn (base, "."));

  open_and_wait (window, path, "trace");
  look_at (GTK_WIDGET (window), FALSE, "%s", name);
  check_size (window, width, height);
  walk_panes (window, name);
  walk_sizes (window, name, width, height);
  if (first && is_wanted ("menus"))
    look_at_menus (GTK_WIDGET (window), GTK_WIDGET (window), name);
  if (first && is_wanted ("dialogs"))
    walk_dialogs (GTK_WIDGET (window));
  close_window (window);
}

static void
walk_pages (int width, int height)
{
  VtrWindow *window = open_window (width, height);

  look_at (GTK_WIDGET (window), FALSE, "start");
  check_size (window, width, height);
  look_at_menus (GTK_WIDGET (window), GTK_WIDGET (window), "start");
  open_and_wait (window, "/nowhere/missing.gfxtrace", "error");
  look_at (GTK_WIDGET (window), FALSE, "error");
  walk_capture (window);
  check_size (window, width, height);
  close_window (window);
}

/* --- faults on purpose ----------------------------------------------------------------------- */

static void
bind_nothing (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_list_item_set_child (item, gtk_label_new (""));
}

static GtkWidget *
make_list_without_texts (void)
{
  const char *const words[] = { "one", "two", NULL };
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkWidget *list;

  g_signal_connect (factory, "bind", G_CALLBACK (bind_nothing), NULL);
  list = gtk_list_view_new (
    GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (gtk_string_list_new (words)))),
    factory);
  gtk_widget_set_size_request (list, 100, 60);
  return list;
}

static GtkWidget *
make_short_label (void)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *label = gtk_label_new ("A name that has room and does not take it");

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 6);
  gtk_box_append (GTK_BOX (box), label);
  gtk_widget_set_size_request (box, 400, -1);
  return box;
}

static GtkWidget *
make_pale_label (void)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_markup (GTK_LABEL (label),
                        "<span foreground='#e8e8e8' background='white'>pale</span>");
  return label;
}

/* What GTK names twice: GTK 4.8 gives the button the underlined text, too. */
static GtkWidget *
make_doubled_button (void)
{
  GtkWidget *button = gtk_button_new_with_mnemonic ("_Twice");

  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, "_Twice",
                                  -1);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  gtk_button_get_child (GTK_BUTTON (button)), NULL, -1);
  return button;
}

static void
bind_text (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label =
    gtk_label_new (gtk_string_object_get_string (gtk_list_item_get_item (item)));

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_list_item_set_child (item, label);
}

static GtkWidget *
make_uneven_columns (void)
{
  const char *const words[] = { "some words that are longer", NULL };
  GtkWidget *view = gtk_column_view_new (
    GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (gtk_string_list_new (words)))));

  for (int i = 0; i < 2; i++)
    {
      GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
      GtkColumnViewColumn *column = gtk_column_view_column_new ("Title", factory);

      g_signal_connect (factory, "bind", G_CALLBACK (bind_text), NULL);
      gtk_column_view_column_set_fixed_width (column, i == 0 ? 80 : 400);
      gtk_column_view_append_column (GTK_COLUMN_VIEW (view), column);
      g_object_unref (column);
    }
  gtk_widget_set_size_request (view, 480, 80);
  return view;
}

static GtkWidget *
make_blank_pane (void)
{
  GtkWidget *pane = panel_widget_new ();

  gtk_widget_set_size_request (pane, 100, 40);
  return pane;
}

static void
check_found (const char *rule, const char *word)
{
  for (guint i = 0; i < findings->len; i++)
    if (strstr (findings->pdata[i], rule) && strstr (findings->pdata[i], word))
      return;
  g_printerr ("Not found: %s … %s\n", rule, word);
  exit (1);
}

/* The walk finds each of these, or finds nothing anywhere. */
static int
walk_planted (void)
{
  static const struct
  {
    const char *rule, *word;
  } expected[] = {
    { "row: ", "has no text" },
    { "cut: ", "A name that has room" },
    { "cut: ", "texts of column 0" },
    { "clipped: ", "beyond the edge" },
    { "overlap: ", "first over second" },
    { "pale: ", "“pale”" },
    { "A GtkButton", "named twice" },
    { "A GtkButton", "no accessible name" },
    { "blank: ", "a pane shows" },
    { "warning: ", "without a current allocation" },
  };
  GtkWidget *fixed = gtk_fixed_new ();
  const struct
  {
    GtkWidget *widget;
    int x, y;
  } faults[] = {
    { make_list_without_texts (), 0, 0 },
    { make_short_label (), 0, 80 },
    { make_pale_label (), 0, 110 },
    { make_doubled_button (), 0, 140 },
    { gtk_button_new (), 100, 140 },
    { make_uneven_columns (), 0, 200 },
    { make_blank_pane (), 0, 300 },
    { gtk_label_new ("first over second"), 200, 0 },
    { gtk_label_new ("second"), 240, 4 },
    { gtk_label_new ("beyond the edge"), 560, 400 },
  };
  GtkWindow *window;
  GtkWidget *label = gtk_label_new ("label");
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    gtk_fixed_put (GTK_FIXED (fixed), faults[i].widget, faults[i].x, faults[i].y);
  gtk_widget_set_overflow (fixed, GTK_OVERFLOW_HIDDEN);
  {
    GtkWidget *scroller = gtk_scrolled_window_new ();

    gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_EXTERNAL,
                                    GTK_POLICY_EXTERNAL);
    gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), fixed);
    window = vtr_test_ui_show (scroller, 600, 500);
  }
  look_at (GTK_WIDGET (window), FALSE, "planted");
  gtk_fixed_put (GTK_FIXED (fixed), label, 0, 450);
  gtk_widget_snapshot_child (fixed, label, snapshot);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    check_found (expected[i].rule, expected[i].word);
  return 0;
}

/* --- the walk -------------------------------------------------------------------------------- */

static void
set_up (double text_scale, gboolean dark)
{
  g_autoptr (GSettings) settings = vtr_settings_new ();
  gboolean contrast = g_getenv ("ADW_DEBUG_HIGH_CONTRAST") != NULL;

  findings = g_ptr_array_new_with_free_func (g_free);
  known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  check.findings = g_ptr_array_new_with_free_func (g_free);
  /* Web Content Accessibility Guidelines, 1.4.3 and 1.4.6. */
  check.contrast = contrast ? 7 : 4.5;
  check.header_contrast = contrast ? 7 : 4.5;
  place = g_strdup ("start");
  g_log_set_writer_func (write_log, NULL, NULL);
  if (text_scale > 0)
    g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", (int)(text_scale * 96 * 1024), NULL);
  g_settings_set_enum (settings, "color-scheme", dark ? 2 : 1);
}

int
main (int argc, char *argv[])
{
  g_autofree char *size = NULL;
  double text_scale = 0;
  gboolean dark = FALSE, planted = FALSE;
  g_auto (GStrv) traces = NULL;
  int width = 1280, height = 800;
  const GOptionEntry entries[] = {
    { "size", 0, 0, G_OPTION_ARG_STRING, &size, NULL, NULL },
    { "text-scale", 0, 0, G_OPTION_ARG_DOUBLE, &text_scale, NULL, NULL },
    { "dark", 0, 0, G_OPTION_ARG_NONE, &dark, NULL, NULL },
    { "planted", 0, 0, G_OPTION_ARG_NONE, &planted, NULL, NULL },
    { "pictures", 0, 0, G_OPTION_ARG_FILENAME, &folder, NULL, NULL },
    { "part", 0, 0, G_OPTION_ARG_STRING_ARRAY, &parts, NULL, NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &traces, NULL, NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL }
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  vtr_locale_init ();
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    g_error ("%s", error->message);
  if (size != NULL && sscanf (size, "%dx%d", &width, &height) != 2)
    g_error ("No size: %s", size);
  application = vtr_application_new ();
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
  set_up (text_scale, dark);
  if (planted)
    return walk_planted ();
  for (guint i = 0; traces != NULL && traces[i] != NULL; i++)
    walk_trace (traces[i], width, height, i == 0);
  if (is_wanted ("pages"))
    walk_pages (width, height);
  for (guint i = 0; i < findings->len; i++)
    g_print ("%s\n", (char *)findings->pdata[i]);
  g_print ("%u places, %u texts, %u rows, %u controls, %u findings\n", n_places, check.n_texts,
           check.n_rows, names.n_controls, findings->len);
  return findings->len > 0;
}
