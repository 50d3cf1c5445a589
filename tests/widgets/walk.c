/* walk: goes through the whole window as a person would, and prints what is wrong on the screen.
 *
 * walk [--size WIDTHxHEIGHT] [--text-scale FACTOR] [--dark] [--tab] [--pictures FOLDER]
 *      [--part NAME]… [TRACE…]
 * walk --planted: shows a window with one fault of each kind, and fails unless each is found.
 *
 * --tab: goes around the window with the Tab key, too, once for each pane.
 *
 * Every pane on every trace, every dialog, page, menu and list of choices. Exit status 1 when
 * something was found. High contrast, language and GDK_SCALE are of the environment
 * (tests/e2e/test-walk.py). */
#include "vtr-test-ui.h"

#include <libpanel.h>

#include "application/vtr-application.h"
#include "engine/format/vtr-locale.h"
#include "session/vtr-settings.h"
#include "vtr-walk-look.h"
#include "widgets/vtr-dialogs.h"
#include "window/vtr-panes.h"
#include "window/vtr-trace-page.h"
#include "window/vtr-window.h"

static VtrApplication *application;
static char **parts; /* what is walked; NULL: everything */
static gboolean with_tab;

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

  vtr_walk_visit (within, find_widget_cb, data);
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

  vtr_walk_visit (pane, open_toggle, toggles);
  for (guint i = 0; i < toggles->len; i++)
    {
      GtkToggleButton *toggle = toggles->pdata[i];
      const char *words = gtk_widget_get_tooltip_text (GTK_WIDGET (toggle));

      if (!gtk_widget_get_mapped (GTK_WIDGET (toggle)))
        continue;
      gtk_toggle_button_set_active (toggle, TRUE);
      vtr_walk_settle (window);
      vtr_walk_look_at (window, FALSE, "%s/%s", where, words ? words : "toggle");
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

      vtr_walk_set_place ("%s/raise", where);
      vtr_trace_page_raise (page, infos[i].id);
      vtr_walk_settle (root);
      pane = find_shown (root, PANEL_TYPE_WIDGET, infos[i].id);
      if (pane == NULL)
        {
          vtr_walk_add_finding (where);
          continue;
        }
      vtr_walk_visit (pane, select_first_row, NULL);
      vtr_walk_settle (root);
      vtr_walk_look_at (root, FALSE, "%s", where);
      if (with_tab)
        vtr_walk_look_at_tab (root, where);
      if (is_wanted ("menus"))
        {
          vtr_walk_look_at_menus (root, pane, where);
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
  vtr_walk_set_place ("%s", name);
  if (dialog == NULL)
    {
      vtr_walk_add_finding ("dialog: it does not open");
      return;
    }
  vtr_walk.is_foreign = foreign;
  vtr_walk_settle (dialog);
  vtr_walk_look_at (dialog, foreign, "%s", name);
  if (!foreign)
    vtr_walk_look_at_menus (dialog, dialog, name);
  gtk_window_destroy (GTK_WINDOW (dialog));
  vtr_test_ui_spin (50);
  vtr_walk.is_foreign = FALSE;
}

static void
activate_and_look (GtkWidget *window, const char *action, gboolean foreign)
{
  vtr_walk.is_foreign = foreign;
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
  vtr_walk.is_foreign = TRUE;
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
  vtr_walk_settle (root);
  vtr_walk_look_at (root, FALSE, "capture");
  vtr_walk_visit (root, expand_row, NULL);
  vtr_walk_settle (root);
  vtr_walk_look_at (root, FALSE, "capture/expanded");
  vtr_walk_look_at_menus (root, root, "capture");
  vtr_walk_visit (root, scroll_down, NULL);
  vtr_walk_settle (root);
  vtr_walk_look_at (root, FALSE, "capture/end");
  gtk_widget_activate_action (root, "win.choose-program", NULL);
  look_at_dialog (root, "program-chooser", FALSE);
  g_assert_true (vtr_window_capture_program (window, ends, NULL, "", &error));
  for (guint i = 0; i < 100 && vtr_window_is_capturing (window); i++)
    vtr_test_ui_spin (50);
  vtr_walk_settle (root);
  vtr_walk_look_at (root, FALSE, "capture/ended");
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
  vtr_walk_settle (GTK_WIDGET (window));
}

static VtrWindow *
open_window (int width, int height)
{
  VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));

  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gtk_window_present (GTK_WINDOW (window));
  vtr_walk_settle (GTK_WIDGET (window));
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

      vtr_walk_add_finding (text);
    }
}

/* Narrower and wider again, as by its edge: what folds must be laid out when it is drawn. */
static void
walk_sizes (VtrWindow *window, const char *name, int width, int height)
{
  static const double factors[] = { .97, .9, .83, .8, 1, .7, 1 };

  vtr_walk_set_place ("%s/sizes", name);
  vtr_walk_check_closed (GTK_WIDGET (window));
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
  vtr_walk_look_at (GTK_WIDGET (window), FALSE, "%s", name);
  check_size (window, width, height);
  walk_panes (window, name);
  walk_sizes (window, name, width, height);
  if (first && is_wanted ("menus"))
    vtr_walk_look_at_menus (GTK_WIDGET (window), GTK_WIDGET (window), name);
  if (first && is_wanted ("dialogs"))
    walk_dialogs (GTK_WIDGET (window));
  close_window (window);
}

static void
walk_pages (int width, int height)
{
  VtrWindow *window = open_window (width, height);

  vtr_walk_look_at (GTK_WIDGET (window), FALSE, "start");
  check_size (window, width, height);
  vtr_walk_look_at_menus (GTK_WIDGET (window), GTK_WIDGET (window), "start");
  open_and_wait (window, "/nowhere/missing.gfxtrace", "error");
  vtr_walk_look_at (GTK_WIDGET (window), FALSE, "error");
  walk_capture (window);
  check_size (window, width, height);
  close_window (window);
}

/* --- the walk -------------------------------------------------------------------------------- */

static void
set_up (double text_scale, gboolean dark)
{
  g_autoptr (GSettings) settings = vtr_settings_new ();
  gboolean contrast = g_getenv ("ADW_DEBUG_HIGH_CONTRAST") != NULL;

  vtr_walk_init ();
  /* Web Content Accessibility Guidelines, 1.4.3 and 1.4.6. */
  vtr_walk.check.contrast = contrast ? 7 : 4.5;
  vtr_walk.check.header_contrast = contrast ? 7 : 4.5;
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
    { "tab", 0, 0, G_OPTION_ARG_NONE, &with_tab, NULL, NULL },
    { "planted", 0, 0, G_OPTION_ARG_NONE, &planted, NULL, NULL },
    { "pictures", 0, 0, G_OPTION_ARG_FILENAME, &vtr_walk.folder, NULL, NULL },
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
    return vtr_walk_planted ();
  for (guint i = 0; traces != NULL && traces[i] != NULL; i++)
    walk_trace (traces[i], width, height, i == 0);
  if (is_wanted ("pages"))
    walk_pages (width, height);
  for (guint i = 0; i < vtr_walk.findings->len; i++)
    g_print ("%s\n", (char *)vtr_walk.findings->pdata[i]);
  g_print ("%u places, %u texts, %u rows, %u controls, %u findings\n", vtr_walk.n_places,
           vtr_walk.check.n_texts, vtr_walk.check.n_rows, vtr_walk.names.n_controls,
           vtr_walk.findings->len);
  return vtr_walk.findings->len > 0;
}
