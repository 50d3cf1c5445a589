/* Tests the State pane: it follows the selection while visible, keeps rows expanded, finds text,
 * and stays at a command when pinned. */
#include "vtr-test-ui.h"

#include "widgets/vtr-pane.h"
#include "widgets/vtr-state-pane.h"

typedef struct
{
  GtkWindow *window;
  VtrStatePane *pane;
  VtrStateList *list;
  VtrSession *session;
  const char *path;
} Fixture;

static void
open_pane (Fixture *fixture)
{
  GtkWidget *pane = vtr_state_pane_new ();

  fixture->pane = VTR_STATE_PANE (pane);
  fixture->list = vtr_state_pane_get_list (fixture->pane);
  fixture->session = vtr_test_ui_session (2);
  vtr_pane_set_session (VTR_PANE (pane), fixture->session);
  fixture->window = vtr_test_ui_show (pane, 420, 700);
}

static void
close_pane (Fixture *fixture)
{
  g_object_ref (fixture->pane);
  gtk_window_destroy (fixture->window);
  vtr_test_ui_assert_gone (fixture->pane);
  g_object_unref (fixture->session);
}

static gboolean
is_shown (gpointer data)
{
  Fixture *fixture = data;

  return g_strcmp0 (vtr_state_pane_get_shown (fixture->pane), fixture->path) == 0;
}

static void
go (Fixture *fixture, const char *path)
{
  g_assert_true (vtr_session_select_path (fixture->session, path, NULL));
  fixture->path = vtr_session_get_path (fixture->session);
  vtr_test_ui_wait (is_shown, fixture);
}

static gboolean
is_searched (gpointer data)
{
  return vtr_state_pane_get_n_matches (((Fixture *)data)->pane) >= 0;
}

static void
test_follows (void)
{
  Fixture fixture = { 0 };
  guint n_rows;

  open_pane (&fixture);
  g_assert_null (vtr_state_pane_get_shown (fixture.pane));
  go (&fixture, "commands/9");
  n_rows = vtr_state_list_get_n_rows (fixture.list);
  g_assert_cmpuint (n_rows, >, 0);

  /* A row that is expanded here is expanded at the next command, too, and the selected row is
   * the same. */
  g_assert_true (vtr_pane_show_path (VTR_PANE (fixture.pane), "commands/9/state/devices/3"));
  vtr_test_ui_spin (50);
  g_assert_cmpuint (vtr_state_list_get_n_rows (fixture.list), >, n_rows);
  n_rows = vtr_state_list_get_n_rows (fixture.list);
  {
    g_autofree char *selected = vtr_state_list_dup_selected (fixture.list);

    g_assert_cmpstr (selected, ==, "commands/9/state/devices/3");
  }
  go (&fixture, "commands/10");
  {
    g_autofree char *selected = vtr_state_list_dup_selected (fixture.list);

    g_assert_cmpstr (selected, ==, "commands/10/state/devices/3");
  }
  g_assert_cmpuint (vtr_state_list_get_n_rows (fixture.list), >=, n_rows - 2);
  gtk_widget_activate_action (GTK_WIDGET (fixture.list), "state.collapse-all", NULL);
  g_assert_cmpuint (vtr_state_list_get_n_rows (fixture.list), <, n_rows);

  /* No such row: the nearest. */
  g_assert_false (vtr_state_list_reveal (fixture.list, "commands/10/state/devices/3/nonsense"));
  g_assert_false (vtr_state_list_reveal (fixture.list, "nonsense"));
  vtr_session_clear_selection (fixture.session);
  vtr_test_ui_spin (50);
  g_assert_null (vtr_state_pane_get_shown (fixture.pane));
  close_pane (&fixture);
}

static void
test_search (void)
{
  Fixture fixture = { 0 };
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;

  open_pane (&fixture);
  go (&fixture, "commands/12");
  vtr_state_pane_set_search (fixture.pane, "CREATION");
  vtr_test_ui_wait (is_searched, &fixture);
  g_assert_cmpint (vtr_state_pane_get_n_matches (fixture.pane), >, 1);
  first = vtr_state_list_dup_selected (fixture.list);
  g_assert_nonnull (first);
  gtk_widget_activate_action (GTK_WIDGET (fixture.pane), "state-pane.next-match", NULL);
  second = vtr_state_list_dup_selected (fixture.list);
  g_assert_cmpstr (first, !=, second);
  gtk_widget_activate_action (GTK_WIDGET (fixture.pane), "state-pane.previous-match", NULL);
  g_assert_true (vtr_pane_find (VTR_PANE (fixture.pane), 0));

  vtr_state_pane_set_search (fixture.pane, "no such thing anywhere");
  vtr_test_ui_wait (is_searched, &fixture);
  g_assert_cmpint (vtr_state_pane_get_n_matches (fixture.pane), ==, 0);
  gtk_widget_activate_action (GTK_WIDGET (fixture.pane), "state-pane.next-match", NULL);
  vtr_state_pane_set_search (fixture.pane, "");
  vtr_test_ui_spin (50);
  g_assert_cmpint (vtr_state_pane_get_n_matches (fixture.pane), ==, -1);
  /* Destroyed while it searches. */
  vtr_state_pane_set_search (fixture.pane, "a");
  close_pane (&fixture);
}

/* A hidden pane asks for nothing. */
static void
test_hidden (void)
{
  Fixture fixture = { 0 };

  open_pane (&fixture);
  gtk_widget_set_visible (GTK_WIDGET (fixture.pane), FALSE);
  vtr_session_select (fixture.session, 9, VTR_SELECT_JUMP);
  vtr_test_ui_spin (100);
  g_assert_null (vtr_state_pane_get_shown (fixture.pane));
  gtk_widget_set_visible (GTK_WIDGET (fixture.pane), TRUE);
  fixture.path = "commands/9";
  vtr_test_ui_wait (is_shown, &fixture);
  close_pane (&fixture);
}

/* After many quick selections, the last one is shown. */
static void
test_travel (void)
{
  Fixture fixture = { 0 };

  open_pane (&fixture);
  for (guint64 i = 0; i < vtr_trace_get_n_commands (vtr_session_get_trace (fixture.session)); i++)
    vtr_session_select (fixture.session, i, VTR_SELECT_STEP);
  fixture.path = vtr_session_get_path (fixture.session);
  vtr_test_ui_wait (is_shown, &fixture);
  vtr_session_select (fixture.session, 3, VTR_SELECT_STEP);
  gtk_widget_activate_action (GTK_WIDGET (fixture.pane), "state-pane.cancel", NULL);
  vtr_test_ui_spin (100);
  g_assert_cmpstr (vtr_state_pane_get_shown (fixture.pane), !=, "commands/3");
  gtk_widget_activate_action (GTK_WIDGET (fixture.pane), "state-pane.retry", NULL);
  fixture.path = "commands/3";
  vtr_test_ui_wait (is_shown, &fixture);
  close_pane (&fixture);
}

int
main (int argc, char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/state-pane/follows", test_follows);
  g_test_add_func ("/widgets/state-pane/search", test_search);
  g_test_add_func ("/widgets/state-pane/hidden", test_hidden);
  g_test_add_func ("/widgets/state-pane/travel", test_travel);
  return g_test_run ();
}
