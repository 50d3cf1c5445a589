/* What the widget tests share: opening a session, waiting until the window is idle, and looking
 * for text on the screen. */
#include "vtr-test-ui.h"

#include <libpanel.h>
#include <string.h>
#include <unistd.h>

void
vtr_test_ui_init (int    *argc,
                  char ***argv)
{
  GtkCssProvider *provider = NULL;

  gtk_test_init (argc, argv, NULL);
  adw_init ();
  panel_init ();
  /* As the application has it: sizes and icons depend on it. */
  provider = gtk_css_provider_new ();
  gtk_css_provider_load_from_resource (provider, "/io/github/vitrine/Vitrine/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_unref (provider);
  gtk_icon_theme_add_resource_path (gtk_icon_theme_get_for_display (gdk_display_get_default ()),
                                    "/io/github/vitrine/Vitrine/icons");
}

#define CB 0x1000

VtrSession *
vtr_test_ui_session (guint n_frames)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_add_render_pass (test, 0xc1, VK_FORMAT_R8G8B8A8_UNORM, TRUE, 1);
  for (guint i = 0; i < n_frames; i++)
    {
      vtr_test_allocate_buffer (test, 0x10, CB + i);
      vtr_test_begin (test, CB + i);
      vtr_test_label (test, CB + i, "world");
      vtr_test_begin_pass (test, CB + i, 0xc1, 0);
      vtr_test_draw (test, CB + i);
      vtr_test_draw (test, CB + i);
      vtr_test_end_pass (test, CB + i);
      vtr_test_end_label (test, CB + i);
      vtr_test_end (test, CB + i);
      vtr_test_submit (test, CB + i);
      vtr_test_present (test);
    }
  document = vtr_test_trace_open_document (test);
  return vtr_session_new (document);
}

static gboolean
late_cb (gpointer data)
{
  *(gboolean *)data = TRUE;
  return G_SOURCE_REMOVE;
}

static void
run (guint milliseconds)
{
  gboolean late = FALSE;

  g_timeout_add (milliseconds, late_cb, &late);
  while (!late)
    g_main_context_iteration (NULL, TRUE);
}

/* Whether another thread of this process has work: it runs, or waits for a processor. */
static gboolean
others_run (void)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/task", 0, NULL);
  const char *name;

  g_assert_nonnull (folder);
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", name, "stat", NULL);
      g_autofree char *stat = NULL;
      const char *end;

      if (g_ascii_strtoll (name, NULL, 10) == getpid () ||
          !g_file_get_contents (path, &stat, NULL, NULL))
        continue;
      end = strrchr (stat, ')');
      if (end != NULL && (end[2] == 'R' || end[2] == 'D'))
        return TRUE;
    }
  return FALSE;
}

void
vtr_test_ui_spin (guint milliseconds)
{
  gint64 end = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;
  guint n_quiet = 0;

  run (milliseconds);
  while (n_quiet < 3 && g_get_monotonic_time () < end)
    {
      n_quiet = others_run () || g_main_context_pending (NULL) ? 0 : n_quiet + 1;
      run (1);
    }
}

void
vtr_test_ui_wait_at (gboolean (*condition) (gpointer data),
                     gpointer data,
                     const char *words,
                     const char *file,
                     int line)
{
  gint64 end = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;

  while (!condition (data))
    {
      if (g_get_monotonic_time () >= end)
        g_error ("%s:%d: still waiting for %s", file, line, words);
      run (5);
    }
}

static gboolean
is_null (gpointer data)
{
  return *(gpointer *)data == NULL;
}

void
vtr_test_ui_assert_gone (gpointer object)
{
  gpointer weak = object;

  g_object_add_weak_pointer (object, &weak);
  g_object_unref (object);
  vtr_test_ui_wait (is_null, &weak);
}

static gboolean
is_drawn (gpointer data)
{
  return gtk_widget_get_mapped (data) && gtk_widget_get_width (data) > 0;
}

GtkWindow *
vtr_test_ui_show (GtkWidget *widget,
                  int        width,
                  int        height)
{
  GtkWindow *window = GTK_WINDOW (gtk_window_new ());

  gtk_window_set_default_size (window, width, height);
  gtk_window_set_child (window, widget);
  gtk_window_present (window);
  vtr_test_ui_wait (is_drawn, widget);
  vtr_test_ui_spin (150);
  return window;
}

gboolean
vtr_test_ui_shows_text (GtkWidget *widget, const char *text)
{
  if (!gtk_widget_get_mapped (widget))
    return FALSE;
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (GTK_LABEL (widget)), text) != NULL)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (vtr_test_ui_shows_text (child, text))
      return TRUE;
  return FALSE;
}
