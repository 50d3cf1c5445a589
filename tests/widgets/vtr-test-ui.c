#include "vtr-test-ui.h"

#include <libpanel.h>

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

void
vtr_test_ui_spin (guint milliseconds)
{
  gboolean late = FALSE;

  g_timeout_add (milliseconds, late_cb, &late);
  while (!late)
    g_main_context_iteration (NULL, TRUE);
}

void
vtr_test_ui_wait (gboolean (*condition) (gpointer data),
                  gpointer data)
{
  gint64 end = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;

  while (!condition (data))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      vtr_test_ui_spin (5);
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

GtkWindow *
vtr_test_ui_show (GtkWidget *widget,
                  int        width,
                  int        height)
{
  GtkWindow *window = GTK_WINDOW (gtk_window_new ());

  gtk_window_set_default_size (window, width, height);
  gtk_window_set_child (window, widget);
  gtk_window_present (window);
  vtr_test_ui_spin (150);
  return window;
}
