/* Tests the pages and panes in a real window: no warning (G_DEBUG=fatal-warnings), no leak. */
#include "vtr-test-ui.h"

#include <glib/gstdio.h>

#include "application/vtr-application.h"
#include "session/vtr-message.h"
#include "session/vtr-settings.h"
#include "widgets/vtr-banner.h"
#include "widgets/vtr-capture-page.h"
#include "widgets/vtr-framebuffer-view.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-program-chooser.h"
#include "widgets/vtr-texture-view.h"
#include "window/vtr-trace-page.h"
#include "window/vtr-window.h"

static VtrApplication *application;

typedef struct
{
  VtrWindow *window;
  const char *page;
} IsPage;

static gboolean
is_page (gpointer data)
{
  IsPage *is = data;

  return g_strcmp0 (vtr_window_get_page (is->window), is->page) == 0;
}

static void
wait_for_page (VtrWindow *window, const char *page)
{
  IsPage is = { window, page };

  vtr_test_ui_wait (is_page, &is);
}

static void
test_pages (void)
{
  VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));

  gtk_window_present (GTK_WINDOW (window));
  vtr_test_ui_spin (150);
  g_assert_cmpstr (vtr_window_get_page (window), ==, "start");
  vtr_window_show_capture (window);
  vtr_test_ui_spin (300);
  g_assert_cmpstr (vtr_window_get_page (window), ==, "capture");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page-back", NULL);
  g_assert_cmpstr (vtr_window_get_page (window), ==, "start");
  g_assert_false (vtr_window_is_busy (window));
  g_object_ref (window);
  gtk_window_destroy (GTK_WINDOW (window));
  vtr_test_ui_assert_gone (window);
}

static void
test_errors (void)
{
  g_autofree char *folder = g_dir_make_tmp ("window-XXXXXX", NULL);
  g_autofree char *empty = g_build_filename (folder, "empty.gfxtrace", NULL);
  g_autofree char *foreign = g_build_filename (folder, "foreign.gfxtrace", NULL);
  const char *const paths[] = { empty, foreign, folder, "/nowhere/at all.gfxtrace" };
  VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));

  g_assert_true (g_file_set_contents (empty, "", 0, NULL));
  g_assert_true (g_file_set_contents (foreign, "%PDF-1.7 <b>&amp; more", -1, NULL));
  gtk_window_present (GTK_WINDOW (window));
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (GFile) file = g_file_new_for_path (paths[i]);

      vtr_window_open_file (window, file);
      wait_for_page (window, "error");
      vtr_test_ui_spin (50);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The replayer is a program that ends at once: the window stays, and says so. */
/* Words on it or in it. */
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

/* Buttons with nothing but an icon say in their tooltip what they do. The parts of GTK's own
 * widgets and of the window's frame are theirs to name. */
static void
check_buttons (GtkWidget *widget)
{
  GtkWidget *parent = gtk_widget_get_parent (widget);

  if (GTK_IS_SPIN_BUTTON (widget) || GTK_IS_WINDOW_CONTROLS (widget) || GTK_IS_POPOVER (widget) ||
      GTK_IS_EDITABLE (widget) || GTK_IS_DROP_DOWN (widget) ||
      g_str_equal (G_OBJECT_TYPE_NAME (widget), "PanelDropControls") ||
      (GTK_IS_REVEALER (widget) && !gtk_revealer_get_reveal_child (GTK_REVEALER (widget))))
    return;
  if (GTK_IS_BUTTON (widget) && !GTK_IS_MENU_BUTTON (parent) && !has_words (widget) &&
      gtk_widget_get_tooltip_text (widget) == NULL)
    {
      g_autoptr (GString) where = g_string_new (NULL);

      for (GtkWidget *at = parent; at != NULL; at = gtk_widget_get_parent (at))
        g_string_append_printf (where, " in a %s", G_OBJECT_TYPE_NAME (at));
      g_error ("A %s without words%s", G_OBJECT_TYPE_NAME (widget), where->str);
    }
  if (GTK_IS_MENU_BUTTON (widget) && !has_words (widget) &&
      gtk_widget_get_tooltip_text (widget) == NULL)
    g_error ("A menu button without words in a %s", G_OBJECT_TYPE_NAME (parent));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_buttons (child);
}

/* Another device: the trace is opened again, and the selection stays. */
static void
check_other_device (VtrWindow *window)
{
  VtrSession *session = vtr_window_get_session (window);
  g_autofree char *path = NULL;

  vtr_session_select (session, 2, VTR_SELECT_JUMP);
  path = g_strdup (vtr_session_get_path (session));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.replay-on", "s", "0");
  wait_for_page (window, "trace");
  g_assert_cmpstr (vtr_session_get_path (vtr_window_get_session (window)), ==, path);
}

/* Its file was removed: the window still shows the trace. */
static void
check_gone_file (VtrWindow *window)
{
  VtrSession *session = vtr_window_get_session (window);
  g_autofree char *path = g_file_get_path (vtr_window_get_file (window));

  g_assert_cmpint (g_unlink (path), ==, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.replay-on", "s", "0");
  vtr_test_ui_spin (100);
  g_assert_cmpstr (vtr_window_get_page (window), ==, "trace");
  g_assert_true (vtr_window_get_session (window) == session);
}

static void
test_trace (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));
  g_autoptr (GFile) file = NULL;
  VtrSession *session;

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_add_image (test, 0x20, 0x21, VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  vtr_test_add_render_pass (test, 0xc1, VK_FORMAT_R8G8B8A8_UNORM, FALSE, 1);
  vtr_test_allocate_buffer (test, 0x10, 0x1000);
  vtr_test_begin (test, 0x1000);
  vtr_test_begin_pass (test, 0x1000, 0xc1, 0);
  vtr_test_draw (test, 0x1000);
  vtr_test_end_pass (test, 0x1000);
  vtr_test_end (test, 0x1000);
  vtr_test_submit (test, 0x1000);
  vtr_test_present (test);
  file = g_file_new_for_path (vtr_test_trace_finish (test));

  gtk_window_present (GTK_WINDOW (window));
  vtr_window_open_file (window, file);
  wait_for_page (window, "trace");
  session = vtr_window_get_session (window);
  g_assert_nonnull (session);
  g_assert_cmpuint (vtr_session_get_command (session), !=, VTR_COMMAND_NO_INDEX);
  check_buttons (GTK_WIDGET (window));
  check_other_device (window);
  session = vtr_window_get_session (window);
  for (guint64 i = 0; i < vtr_trace_get_n_commands (vtr_session_get_trace (session)); i++)
    {
      vtr_session_select (session, i, VTR_SELECT_STEP);
      vtr_test_ui_spin (10);
    }
  vtr_test_ui_spin (300);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-pane", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.previous-pane", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-tab", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.reveal-end", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-log", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.first-draw", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-write", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.previous-write", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.select", "s", "no path");
  check_gone_file (window);
  vtr_session_clear_selection (session);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.export-image", NULL);
  vtr_test_ui_spin (200);
  g_object_ref (window);
  gtk_window_destroy (GTK_WINDOW (window));
  vtr_test_ui_assert_gone (window);
}

static GtkWidget *
find_widget (GtkWidget *widget, GType type)
{
  GtkWidget *found = NULL;

  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_widget (child, type);
  return found;
}

static gboolean
shows_pane (VtrWindow *window, GType type)
{
  GtkWidget *pane = find_widget (GTK_WIDGET (window), type);

  return pane != NULL && gtk_widget_get_mapped (pane);
}

/* Whatever was in front last time, a trace that is opened shows its picture; another device leaves
 * the panes as they are. */
static void
test_front (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (GFile) file = NULL;

  vtr_test_add_device (test);
  vtr_test_present (test);
  file = g_file_new_for_path (vtr_test_trace_finish (test));
  for (guint i = 0; i < 2; i++)
    {
      VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));

      gtk_window_present (GTK_WINDOW (window));
      vtr_window_open_file (window, file);
      wait_for_page (window, "trace");
      vtr_test_ui_spin (100);
      g_assert_true (shows_pane (window, VTR_TYPE_FRAMEBUFFER_VIEW));
      vtr_trace_page_raise (
        VTR_TRACE_PAGE (find_widget (GTK_WIDGET (window), VTR_TYPE_TRACE_PAGE)), "textures");
      vtr_test_ui_spin (50);
      g_assert_true (shows_pane (window, VTR_TYPE_TEXTURE_VIEW));
      gtk_widget_activate_action (GTK_WIDGET (window), "win.replay-on", "s", "0");
      wait_for_page (window, "trace");
      vtr_test_ui_spin (50);
      g_assert_true (shows_pane (window, VTR_TYPE_TEXTURE_VIEW));
      gtk_window_close (GTK_WINDOW (window));
    }
}

static void
check_size (int width, int height, gboolean maximized)
{
  g_autoptr (GSettings) settings = vtr_settings_new ();
  int w, h;

  g_settings_get (settings, "window-size", "(ii)", &w, &h);
  g_assert_cmpint (w, ==, width);
  g_assert_cmpint (h, ==, height);
  g_assert_cmpint (g_settings_get_boolean (settings, "window-maximized"), ==, maximized);
}

/* A window reopens with the size that it had, however often. */
static void
test_size (void)
{
  g_autoptr (GSettings) settings = vtr_settings_new ();

  g_settings_set (settings, "window-size", "(ii)", 1000, 700);
  for (guint i = 0; i < 3; i++)
    {
      VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));

      gtk_window_present (GTK_WINDOW (window));
      vtr_test_ui_spin (150);
      gtk_window_close (GTK_WINDOW (window));
      vtr_test_ui_spin (20);
      check_size (1000, 700, FALSE);
    }
  g_settings_reset (settings, "window-size");
}

static gboolean
is_maximized (gpointer window)
{
  return gtk_window_is_maximized (window);
}

/* The window manager may still be starting. */
static gboolean
maximizes (gpointer window)
{
  if (!gtk_window_is_maximized (window))
    gtk_window_maximize (window);
  return gtk_window_is_maximized (window);
}

/* With a window manager: maximized stays maximized, and the size is the one from before. */
static void
test_maximized (void)
{
  g_autoptr (GSettings) settings = vtr_settings_new ();
  g_autoptr (GSubprocess) manager =
    g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE, NULL,
                      "openbox", "--sm-disable", NULL);

  if (manager == NULL)
    {
      g_test_skip ("There is no openbox");
      return;
    }
  g_settings_set (settings, "window-size", "(ii)", 1000, 700);
  for (guint i = 0; i < 2; i++)
    {
      VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));

      gtk_window_present (GTK_WINDOW (window));
      vtr_test_ui_wait (i == 0 ? maximizes : is_maximized, window);
      vtr_test_ui_spin (200);
      g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), >, 1400);
      gtk_window_close (GTK_WINDOW (window));
      vtr_test_ui_spin (20);
      check_size (1000, 700, TRUE);
    }
  g_settings_reset (settings, "window-size");
  g_settings_reset (settings, "window-maximized");
  g_subprocess_force_exit (manager);
  g_subprocess_wait (manager, NULL, NULL);
}

static void
chosen_cb (VtrProgramChooser *chooser,
           const char        *title,
           const char        *program,
           const char        *arguments,
           gboolean          *chosen)
{
  *chosen = TRUE;
}

/* Enter takes what was typed: the entry has the focus from the beginning. */
static void
test_program_chooser (void)
{
  GtkWindow *window = vtr_test_ui_show (gtk_label_new ("parent"), 500, 400);
  GtkWindow *chooser = GTK_WINDOW (vtr_program_chooser_new (window));
  GtkWidget *entry;
  gboolean chosen = FALSE;

  g_signal_connect (chooser, "chosen", G_CALLBACK (chosen_cb), &chosen);
  gtk_window_present (chooser);
  vtr_test_ui_spin (100);
  entry = gtk_widget_get_ancestor (gtk_window_get_focus (chooser), GTK_TYPE_SEARCH_ENTRY);
  g_assert_nonnull (entry);
  gtk_editable_set_text (GTK_EDITABLE (entry), "/bin/sh");
  g_signal_emit_by_name (entry, "activate");
  vtr_test_ui_spin (50);
  g_assert_true (chosen);
  gtk_window_destroy (window);
}

static void
test_small_widgets (void)
{
  GtkWidget *state = vtr_pane_state_new ();
  GtkWidget *banner = vtr_banner_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWindow *window;

  vtr_pane_state_set (VTR_PANE_STATE (state), "dialog-error-symbolic", "Title",
                      "A <sentence> & more");
  vtr_pane_state_add_button (VTR_PANE_STATE (state), "Go", "win.select::commands/3");
  vtr_pane_state_set_card (VTR_PANE_STATE (state), TRUE);
  vtr_banner_show (VTR_BANNER (banner), "This trace ends early", "Details", "win.show-report");
  gtk_box_append (GTK_BOX (box), banner);
  gtk_box_append (GTK_BOX (box), state);
  window = vtr_test_ui_show (box, 500, 400);
  g_assert_true (vtr_banner_get_shown (VTR_BANNER (banner)));
  vtr_banner_hide (VTR_BANNER (banner));
  gtk_window_destroy (window);
}

/* Whether all buttons in @widget lie within @within, beside or below each other. */
static guint
check_inside (GtkWidget *widget, GtkWidget *within)
{
  graphene_rect_t bounds;
  guint n = 0;

  if (GTK_IS_BUTTON (widget))
    {
      g_assert_true (gtk_widget_compute_bounds (widget, within, &bounds));
      g_assert_cmpfloat (bounds.origin.x, >=, 0);
      g_assert_cmpfloat (bounds.origin.x + bounds.size.width, <=, gtk_widget_get_width (within));
      return 1;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += check_inside (child, within);
  return n;
}

/* As many ways out as there are: none is beyond the edge of a small pane. */
static void
test_wrapping (void)
{
  static const char *const labels[] = { "Show _Last Good Image", "_Try Again", "Other _Device…",
                                        "Show L_og" };

  for (guint rtl = 0; rtl < 2; rtl++)
    for (int width = 320; width <= 820; width += 250)
      {
        GtkWidget *state = vtr_pane_state_new ();
        GtkWindow *window;

        vtr_pane_state_set (VTR_PANE_STATE (state), "computer-fail-symbolic",
                            "Replay Stopped at Command 1 138",
                            "Everything up to command 1 137 can still be shown.");
        vtr_pane_state_set_card (VTR_PANE_STATE (state), TRUE);
        for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
          vtr_pane_state_add_button (VTR_PANE_STATE (state), labels[i], "win.show-log");
        gtk_widget_set_direction (state, rtl ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR);
        window = vtr_test_ui_show (state, width, 400);
        vtr_test_ui_spin (50);
        g_assert_cmpint (gtk_widget_get_width (state), <=, width);
        g_assert_cmpuint (check_inside (state, state), ==, G_N_ELEMENTS (labels));
        gtk_window_destroy (window);
      }
}

static void
test_command_lines (void)
{
  static const struct
  {
    const char *line, *program, *arguments;
  } cases[] = {
    { "vkcube", "vkcube", "" },
    { "vkcube --c 60 %U", "vkcube", "--c 60" },
    { "env A=b C=d game --fast", "game", "--fast" },
    { "'/opt/my game/run' \"two words\" %f x", "/opt/my game/run", "'two words' x" },
    { "env A=b", NULL, NULL },
    { "\"open", NULL, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *program = NULL;
      g_autofree char *arguments = NULL;

      g_assert_cmpint (vtr_split_command_line (cases[i].line, &program, &arguments), ==,
                       cases[i].program != NULL);
      g_assert_cmpstr (program, ==, cases[i].program);
      g_assert_cmpstr (arguments, ==, cases[i].arguments);
    }
}

/* A program that is not there: a sentence, and the form stays usable. */
static void
test_capture_nothing (void)
{
  static const char *const argv[] = { "/nowhere/no-such-program", "--x", NULL };
  GtkWidget *page = vtr_capture_page_new ();
  GtkWindow *window = vtr_test_ui_show (page, 1300, 700);

  vtr_capture_page_set_program (VTR_CAPTURE_PAGE (page), argv, NULL);
  vtr_capture_page_launch (VTR_CAPTURE_PAGE (page));
  vtr_test_ui_spin (200);
  g_assert_false (vtr_capture_page_get_running (VTR_CAPTURE_PAGE (page)));
  gtk_window_set_default_size (window, 900, 600);
  vtr_test_ui_spin (200);
  g_object_ref (page);
  gtk_window_destroy (window);
  vtr_test_ui_assert_gone (page);
}

static gboolean
has_ended (gpointer page)
{
  return !vtr_capture_page_get_running (page);
}

/* One that a signal ended before it used Vulkan may well have wanted to. */
static void
test_capture_signal (void)
{
  static const char *const argv[] = { "/bin/sh", "-c", "kill -SEGV $$", NULL };
  GtkWidget *page = vtr_capture_page_new ();
  GtkWindow *window = vtr_test_ui_show (page, 1300, 700);

  vtr_capture_page_set_program (VTR_CAPTURE_PAGE (page), argv, NULL);
  vtr_capture_page_launch (VTR_CAPTURE_PAGE (page));
  vtr_test_ui_wait (has_ended, page);
  g_assert_true (vtr_test_ui_shows_text (page, "The Program Ended Before It Used Vulkan"));
  g_assert_true (vtr_test_ui_shows_text (page, "signal 11"));
  gtk_window_destroy (window);
}

static gboolean
says (GListModel *messages, const char *text)
{
  for (guint i = 0; i < g_list_model_get_n_items (messages); i++)
    {
      g_autoptr (VtrMessage) message = g_list_model_get_item (messages, i);

      if (strstr (vtr_message_get_text (message), text) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* Changes that Vitrine made to the program are listed with the trace's other facts, not as
 * messages. */
static void
test_trace_information (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("VTR_TEST_DATA"), "vkcube.gfxtrace", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));
  GtkWidget *information = NULL;
  GList *windows;

  gtk_window_present (GTK_WINDOW (window));
  vtr_window_open_file (window, file);
  wait_for_page (window, "trace");
  vtr_test_ui_spin (50);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.trace-information", NULL);
  vtr_test_ui_spin (200);
  windows = gtk_window_list_toplevels ();
  for (GList *at = windows; at != NULL; at = at->next)
    if (ADW_IS_PREFERENCES_WINDOW (at->data))
      information = at->data;
  g_list_free (windows);
  g_assert_nonnull (information);
  g_assert_true (vtr_test_ui_shows_text (information, "llvmpipe Mesa 22.3.6"));
  g_assert_true (vtr_test_ui_shows_text (information,
                                         "Buffers also have VK_BUFFER_USAGE_TRANSFER_SRC_BIT."));
  g_assert_false (says (vtr_session_get_log (vtr_window_get_session (window)), "Buffers also"));
  g_assert_false (says (vtr_session_get_report (vtr_window_get_session (window)), "Buffers also"));
  gtk_window_destroy (GTK_WINDOW (information));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* People count the program's commands: this trace begins with 96 that re-create what was there. */
static void
test_counts (void)
{
  g_autofree char *path =
    g_build_filename (g_getenv ("VTR_TEST_DATA"), "vkcube-middle.gfxtrace", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  VtrWindow *window = vtr_window_new (GTK_APPLICATION (application)), *next;

  gtk_window_present (GTK_WINDOW (window));
  vtr_window_open_file (window, file);
  wait_for_page (window, "trace");
  vtr_test_ui_spin (50);
  g_assert_true (vtr_test_ui_shows_text (GTK_WIDGET (window), "2 frames · 10 commands"));
  g_assert_true (says (vtr_session_get_log (vtr_window_get_session (window)), ": 10 commands"));
  next = vtr_window_new (GTK_APPLICATION (application));
  gtk_window_present (GTK_WINDOW (next));
  vtr_test_ui_spin (150);
  g_assert_cmpstr (vtr_window_get_page (next), ==, "start");
  g_assert_true (vtr_test_ui_shows_text (GTK_WIDGET (next), "vkcube-middle"));
  g_assert_true (vtr_test_ui_shows_text (GTK_WIDGET (next), " 10 commands"));
  g_assert_false (vtr_test_ui_shows_text (GTK_WIDGET (next), "106 commands"));
  gtk_window_destroy (GTK_WINDOW (next));
  gtk_window_destroy (GTK_WINDOW (window));
}

static GtkDropTarget *
find_drop_target (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_DROP_TARGET (controller))
        return GTK_DROP_TARGET (controller);
    }
  return NULL;
}

/* A file that is dropped on the window is opened there. */
static void
test_drop (void)
{
  VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));
  g_autoptr (GFile) file = g_file_new_for_path ("/nowhere/dropped.gfxtrace");
  GtkDropTarget *target = find_drop_target (GTK_WIDGET (window));
  g_auto (GValue) value = G_VALUE_INIT;
  g_autoptr (GSList) files = NULL;
  gboolean handled = FALSE;

  g_assert_nonnull (target);
  gtk_window_present (GTK_WINDOW (window));
  files = g_slist_append (files, file);
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (&value, gdk_file_list_new_from_list (files));
  g_signal_emit_by_name (target, "drop", &value, 10., 10., &handled);
  g_assert_true (handled);
  wait_for_page (window, "error");
  g_assert_true (g_file_equal (vtr_window_get_file (window), file));
  g_object_ref (window);
  gtk_window_destroy (GTK_WINDOW (window));
  vtr_test_ui_assert_gone (window);
}

/* Several files: a window for each, the first of them this one. */
static void
test_drop_several (void)
{
  VtrWindow *window = vtr_window_new (GTK_APPLICATION (application));
  g_autoptr (GFile) first = g_file_new_for_path ("/nowhere/first.gfxtrace");
  g_autoptr (GFile) second = g_file_new_for_path ("/nowhere/second.gfxtrace");
  GtkDropTarget *target = find_drop_target (GTK_WIDGET (window));
  g_auto (GValue) value = G_VALUE_INIT;
  g_autoptr (GSList) files = NULL;
  g_autoptr (GList) windows = NULL;
  VtrWindow *other = NULL;
  gboolean handled = FALSE;

  gtk_window_present (GTK_WINDOW (window));
  files = g_slist_append (g_slist_append (files, first), second);
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (&value, gdk_file_list_new_from_list (files));
  g_signal_emit_by_name (target, "drop", &value, 10., 10., &handled);
  g_assert_true (handled);
  windows = g_list_copy (gtk_application_get_windows (GTK_APPLICATION (application)));
  for (GList *at = windows; at != NULL; at = at->next)
    if (VTR_IS_WINDOW (at->data) && at->data != (gpointer)window)
      {
        g_assert_null (other);
        other = at->data;
      }
  g_assert_nonnull (other);
  wait_for_page (window, "error");
  wait_for_page (other, "error");
  g_assert_true (g_file_equal (vtr_window_get_file (window), first));
  g_assert_true (g_file_equal (vtr_window_get_file (other), second));
  gtk_window_destroy (GTK_WINDOW (other));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_appearances (void)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  GtkSettings *settings = gtk_settings_get_default ();

  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_FORCE_DARK);
  test_pages ();
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_DEFAULT);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  test_pages ();
  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  test_trace ();
  gtk_settings_reset_property (settings, "gtk-xft-dpi");
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

int
main (int argc, char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  application = vtr_application_new ();
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
  g_test_add_func ("/widgets/window/pages", test_pages);
  g_test_add_func ("/widgets/window/errors", test_errors);
  g_test_add_func ("/widgets/window/trace", test_trace);
  g_test_add_func ("/widgets/window/small-widgets", test_small_widgets);
  g_test_add_func ("/widgets/window/program-chooser", test_program_chooser);
  g_test_add_func ("/widgets/window/wrapping", test_wrapping);
  g_test_add_func ("/widgets/window/command-lines", test_command_lines);
  g_test_add_func ("/widgets/window/capture-nothing", test_capture_nothing);
  g_test_add_func ("/widgets/window/capture-signal", test_capture_signal);
  g_test_add_func ("/widgets/window/trace-information", test_trace_information);
  g_test_add_func ("/widgets/window/counts", test_counts);
  g_test_add_func ("/widgets/window/drop", test_drop);
  g_test_add_func ("/widgets/window/drop-several", test_drop_several);
  g_test_add_func ("/widgets/window/appearances", test_appearances);
  g_test_add_func ("/widgets/window/front", test_front);
  g_test_add_func ("/widgets/window/size", test_size);
  g_test_add_func ("/widgets/window/maximized", test_maximized);
  return g_test_run ();
}
