/* Tests the window on a trace of the tiny API: selects each command and raises each pane; nothing
 * may warn, and panes show what the API says. */
#include "vtr-test-ui.h"

#include "window/vtr-panes.h"
#include "window/vtr-trace-page.h"

#include "api/vtr-api-ids.h"

static const char *trace_path;

static void
raise_all (VtrTracePage *page)
{
  guint n;
  const VtrPaneInfo *infos = vtr_panes_list (&n);

  for (guint i = 0; i < n; i++)
    {
      vtr_trace_page_raise (page, infos[i].id);
      vtr_test_ui_spin (10);
    }
}

static gboolean
shows_uses (gpointer data)
{
  return vtr_test_ui_shows_text (data, "Written by");
}

static void
check_draw (VtrTracePage *page,
            VtrSession   *session,
            guint64       index)
{
  vtr_session_select (session, index, VTR_SELECT_JUMP);
  vtr_trace_page_raise (page, "pipeline");
  vtr_test_ui_spin (50);
  g_assert_true (vtr_test_ui_shows_text (GTK_WIDGET (page), "Pen"));
  g_assert_true (vtr_test_ui_shows_text (GTK_WIDGET (page), "Target"));
  vtr_trace_page_raise (page, "textures");
  vtr_test_ui_wait (shows_uses, page);
  /* The first picture is the context's window, which Vulkan would call a swapchain. */
  g_assert_true (vtr_test_ui_shows_text (GTK_WIDGET (page), "· window ·"));
}

static void
test_trace (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrDocument) document = vtr_document_open (trace_path, NULL, NULL, NULL, &error);
  g_autoptr (VtrSession) session = NULL;
  GtkWidget *page = vtr_trace_page_new ();
  GtkWindow *window;
  VtrTrace *trace;
  guint n_draws = 0;

  g_assert_no_error (error);
  session = vtr_session_new (document);
  trace = vtr_document_get_trace (document);
  window = vtr_test_ui_show (page, 1400, 900);
  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), session);
  for (guint64 i = 0; i < vtr_trace_get_n_commands (trace); i++)
    {
      vtr_session_select (session, i, VTR_SELECT_JUMP);
      raise_all (VTR_TRACE_PAGE (page));
      if (vtr_trace_get_command_id (trace, i) == VTR_CMD_tnDraw && n_draws++ == 0)
        check_draw (VTR_TRACE_PAGE (page), session, i);
    }
  g_assert_cmpuint (n_draws, >, 0);
  vtr_trace_page_set_session (VTR_TRACE_PAGE (page), NULL);
  gtk_window_destroy (window);
}

int
main (int    argc,
      char **argv)
{
  vtr_test_ui_init (&argc, &argv);
  trace_path = argc > 1 ? argv[1] : NULL;
  g_test_add_func ("/tiny/window/trace", test_trace);
  return g_test_run ();
}
