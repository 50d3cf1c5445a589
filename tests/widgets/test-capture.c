/* Tests the options of the capture page, set by its form and by scripts, and the captures that
 * follow. */
#include "vtr-test-ui.h"

#include "application/vtr-application.h"
#include "session/vtr-capture-words.h"
#include "session/vtr-settings.h"
#include "widgets/vtr-capture-page.h"
#include "window/vtr-window.h"

static void
test_words (void)
{
  static const char *const wrong[] = { "frame=3", "at-frame", "at-frame=-1", "at-frame=x",
                                       "trim=yes", "at-frame=3&after=2", "frames=0&idle", "idle=1",
                                       "after=-1", "tracker=best", "trim&fast" };
  g_autoptr (GSettings) settings = vtr_settings_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *only = NULL;

  g_assert_true (vtr_capture_words_apply (
    "at-frame=1000&frames=3&every=50&times=4&trim&only=game*,a b&tracker=compare", settings,
    &error));
  g_assert_no_error (error);
  g_assert_cmpuint (g_settings_get_uint (settings, "capture-begin"), ==, 2);
  g_assert_cmpuint (g_settings_get_uint (settings, "capture-at-frame"), ==, 1000);
  g_assert_cmpuint (g_settings_get_uint (settings, "capture-frames-each"), ==, 3);
  g_assert_cmpuint (g_settings_get_uint (settings, "capture-every"), ==, 50);
  g_assert_cmpuint (g_settings_get_uint (settings, "capture-times"), ==, 4);
  g_assert_true (g_settings_get_boolean (settings, "capture-trim"));
  only = g_settings_get_string (settings, "capture-only");
  g_assert_cmpstr (only, ==, "game*,a b");
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_false (vtr_capture_words_apply (wrong[i], settings, &error));
      g_assert_nonnull (error);
      g_assert_nonnull (strstr (error->message, "“"));
      g_clear_error (&error);
      g_assert_cmpuint (g_settings_get_uint (settings, "capture-begin"), ==, 2);
      g_assert_true (g_settings_get_boolean (settings, "capture-trim"));
    }
  /* Options that are not named have their defaults, whatever was captured before. */
  g_assert_true (vtr_capture_words_apply ("", settings, NULL));
  g_assert_cmpuint (g_settings_get_uint (settings, "capture-begin"), ==, 0);
  g_assert_false (g_settings_get_boolean (settings, "capture-trim"));
  g_assert_true (vtr_capture_words_apply ("frames=0", settings, NULL));
  g_assert_false (g_settings_get_boolean (settings, "capture-stop"));
  g_assert_true (vtr_capture_words_apply ("frames=7", settings, NULL));
  g_assert_true (g_settings_get_boolean (settings, "capture-stop"));
  g_assert_cmpuint (g_settings_get_uint (settings, "capture-frames"), ==, 7);
  g_assert_true (vtr_capture_words_apply ("", settings, NULL));
}

static gboolean
has_ended (gpointer page)
{
  return !vtr_capture_page_get_running (page);
}

/* The choice of a tracker reaches the program. */
static void
test_tracker (void)
{
  g_autofree char *folder = g_dir_make_tmp ("capture-XXXXXX", NULL);
  g_autofree char *told = g_build_filename (folder, "told", NULL);
  g_autofree char *script = g_strdup_printf ("echo \"$VITRINE_TRACKER\" > '%s'", told);
  const char *const argv[] = { "/bin/sh", "-c", script, NULL };
  static const char *const ways[] = { "compare", "auto" };
  GtkWidget *page = vtr_capture_page_new ();
  GtkWindow *window = vtr_test_ui_show (page, 1300, 700);

  g_assert_true (vtr_test_ui_shows_text (page, "Choose a Program"));
  vtr_capture_page_set_program (VTR_CAPTURE_PAGE (page), argv, folder);
  g_assert_false (vtr_test_ui_shows_text (page, "Choose a Program"));
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *options = g_strconcat ("tracker=", ways[i], NULL);
      g_autofree char *text = NULL;

      g_assert_true (vtr_capture_page_set_options (VTR_CAPTURE_PAGE (page), options, NULL));
      vtr_capture_page_launch (VTR_CAPTURE_PAGE (page));
      vtr_test_ui_wait (has_ended, page);
      g_assert_true (g_file_get_contents (told, &text, NULL, NULL));
      g_assert_cmpstr (text, ==, i == 0 ? "compare\n" : "\n");
    }
  g_assert_true (vtr_test_ui_shows_text (page, "The Program Did Not Use Vulkan"));
  /* Nothing was measured: no empty graphs. */
  g_assert_false (vtr_test_ui_shows_text (page, "Frame time"));
  gtk_window_destroy (window);
}

/* Who waits for a program launches none. */
static void
test_waiting (void)
{
  GtkWidget *page = vtr_capture_page_new ();
  GtkWindow *window = vtr_test_ui_show (page, 1300, 700);

  g_assert_true (vtr_capture_page_set_options (VTR_CAPTURE_PAGE (page), "wait", NULL));
  vtr_test_ui_spin (50);
  g_assert_true (vtr_test_ui_shows_text (page, "Wait and Capture"));
  g_assert_false (vtr_test_ui_shows_text (page, "Launch and Capture"));
  vtr_capture_page_launch (VTR_CAPTURE_PAGE (page));
  vtr_test_ui_spin (50);
  g_assert_true (vtr_capture_page_get_running (VTR_CAPTURE_PAGE (page)));
  g_assert_true (vtr_test_ui_shows_text (page, "Waiting for a program"));
  /* The program will be somebody else's. */
  g_assert_true (vtr_test_ui_shows_text (page, "Stop Waiting"));
  g_assert_false (vtr_test_ui_shows_text (page, "Stop Program"));
  vtr_capture_page_stop (VTR_CAPTURE_PAGE (page), TRUE);
  vtr_test_ui_wait (has_ended, page);
  g_assert_true (vtr_test_ui_shows_text (page, "No Program Connected"));
  g_assert_true (vtr_capture_page_set_options (VTR_CAPTURE_PAGE (page), "", NULL));
  vtr_test_ui_spin (50);
  g_assert_true (vtr_test_ui_shows_text (page, "Launch and Capture"));
  gtk_window_destroy (window);
}

static void
set_environment (const char *variable)
{
  g_autoptr (GSettings) settings = vtr_settings_new ();
  const char *const variables[] = { variable, NULL };

  g_settings_set_strv (settings, "capture-environment", variables);
}

typedef struct
{
  GtkWidget *widget;
  const char *text;
} Shows;

static gboolean
is_shown (gpointer data)
{
  Shows *shows = data;

  return vtr_test_ui_shows_text (shows->widget, shows->text);
}

/* The devices are those that the program will find, with the variables that it is given. */
static void
test_devices (void)
{
  g_autofree char *mock = g_strconcat ("VK_DRIVER_FILES=", g_getenv ("VTR_TEST_MOCK"), NULL);
  const struct
  {
    const char *variable;
    const char *shown;
  } cases[] = {
    { mock, "Mock device" },
    { "VK_DRIVER_FILES=/nowhere/driver.json", "No Vulkan driver can be used" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GtkWidget *page;
      GtkWindow *window;

      set_environment (cases[i].variable);
      page = vtr_capture_page_new ();
      window = vtr_test_ui_show (page, 1300, 700);
      vtr_test_ui_wait (is_shown, &(Shows){ page, cases[i].shown });
      gtk_window_destroy (window);
    }
  set_environment (NULL);
}

/* A program that dies while it is recorded: its trace is opened, and the window says what ended
 * it. */
static void
test_death (void)
{
  g_autofree char *folder = g_dir_make_tmp ("capture-XXXXXX", NULL);
  g_autofree char *mock = g_strconcat ("VK_DRIVER_FILES=", g_getenv ("VTR_TEST_MOCK"), NULL);
  g_autoptr (GSettings) settings = vtr_settings_new ();
  const char *const variables[] = { mock, "VTR_MOCK=crash vkQueueSubmit 1", NULL };
  const char *const argv[] = { g_getenv ("VTR_TEST_PROGRAM"), NULL };
  g_autoptr (VtrApplication) application = vtr_application_new ();
  VtrWindow *window;

  g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
  g_settings_set_strv (settings, "capture-environment", variables);
  g_settings_set_string (settings, "capture-folder", folder);
  window = vtr_window_new (GTK_APPLICATION (application));
  gtk_window_present (GTK_WINDOW (window));
  vtr_window_show_capture (window);
  g_assert_true (vtr_window_capture_program (window, argv, folder, "", NULL));
  vtr_test_ui_wait (is_shown, &(Shows){ GTK_WIDGET (window), "was ended by signal" });
  g_assert_cmpstr (vtr_window_get_page (window), ==, "trace");
  gtk_window_destroy (GTK_WINDOW (window));
  set_environment (NULL);
}

int
main (int argc, char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/capture/words", test_words);
  g_test_add_func ("/widgets/capture/tracker", test_tracker);
  g_test_add_func ("/widgets/capture/waiting", test_waiting);
  g_test_add_func ("/widgets/capture/devices", test_devices);
  g_test_add_func ("/widgets/capture/death", test_death);
  return g_test_run ();
}
