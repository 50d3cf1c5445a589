/* Tests docking: panes are moved, split off, closed and reopened, and the next window has them in
 * the same places. */
#include "vtr-test-ui.h"

#include "session/vtr-settings.h"
#include "widgets/vtr-pane-area.h"
#include "window/vtr-layout.h"
#include "window/vtr-panes.h"
#include "window/vtr-trace-page.h"

typedef struct
{
  GtkWindow *window;
  VtrTracePage *page;
  VtrLayout *layout;
} Fixture;

static void
open_page (Fixture *fixture, int width)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  GtkWidget *page = vtr_trace_page_new ();

  fixture->page = VTR_TRACE_PAGE (page);
  fixture->layout = vtr_trace_page_get_layout (fixture->page);
  vtr_trace_page_set_session (fixture->page, session);
  vtr_session_select (session, 3, VTR_SELECT_JUMP);
  fixture->window = vtr_test_ui_show (page, width, 800);
  vtr_test_ui_spin (100);
}

static void
close_page (Fixture *fixture)
{
  vtr_layout_save (fixture->layout);
  vtr_trace_page_set_session (fixture->page, NULL);
  gtk_window_destroy (fixture->window);
  vtr_test_ui_spin (50);
}

static PanelWidget *
find_pane (Fixture *fixture, const char *id, PanelFrame **frame)
{
  g_autoptr (GPtrArray) frames = vtr_layout_list_frames (fixture->layout);

  for (guint i = 0; i < frames->len; i++)
    for (guint j = 0; j < panel_frame_get_n_pages (g_ptr_array_index (frames, i)); j++)
      {
        PanelWidget *pane = panel_frame_get_page (g_ptr_array_index (frames, i), j);

        if (g_str_equal (panel_widget_get_id (pane), id))
          {
            *frame = g_ptr_array_index (frames, i);
            return pane;
          }
      }
  *frame = NULL;
  return NULL;
}

/* "end 0,1 front", or "closed" */
static char *
describe (Fixture *fixture, const char *id)
{
  PanelFrame *frame;
  PanelWidget *pane = find_pane (fixture, id, &frame);
  g_autoptr (PanelPosition) position = pane ? panel_frame_get_position (frame) : NULL;

  if (pane == NULL)
    return g_strdup ("closed");
  return g_strdup_printf ("%s %u,%u%s", vtr_pane_area_name (panel_position_get_area (position)),
                          panel_position_get_column (position), panel_position_get_row (position),
                          panel_frame_get_visible_child (frame) == pane ? " front" : "");
}

static void
assert_place (Fixture *fixture, const char *id, const char *expected)
{
  g_autofree char *place = describe (fixture, id);

  if (g_strcmp0 (place, expected) != 0)
    g_error ("%s is at “%s”, not at “%s”", id, place, expected);
}

static void
move (Fixture *fixture, const char *id, const char *area)
{
  g_action_group_activate_action (vtr_layout_get_actions (fixture->layout), "move",
                                  g_variant_new ("(ss)", id, area));
  vtr_test_ui_spin (50);
}

static void
activate (Fixture *fixture, const char *action, const char *id)
{
  g_action_group_activate_action (vtr_layout_get_actions (fixture->layout), action,
                                  id ? g_variant_new_string (id) : NULL);
  vtr_test_ui_spin (50);
}

static void
reset_settings (void)
{
  static const char *const keys[] = { "layout", "frame-sizes", "start-width", "end-width",
                                      "bottom-height", "reveal-start", "reveal-end",
                                      "reveal-bottom" };
  g_autoptr (GSettings) settings = vtr_settings_new ();

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_settings_reset (settings, keys[i]);
}

static void
test_default (void)
{
  Fixture fixture;
  guint n_panes;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);

  reset_settings ();
  open_page (&fixture, 1400);
  for (guint i = 0; i < n_panes; i++)
    {
      PanelFrame *frame;
      PanelWidget *pane = find_pane (&fixture, infos[i].id, &frame);

      g_assert_nonnull (pane);
      g_assert_cmpint (panel_frame_get_visible_child (frame) == pane, ==, infos[i].front);
    }
  assert_place (&fixture, "commands", "start 0,0 front");
  assert_place (&fixture, "parameters", "end 0,0 front");
  assert_place (&fixture, "pipeline", "end 0,1 front");
  close_page (&fixture);
}

static void
test_moves (void)
{
  Fixture fixture;
  PanelFrame *frame;
  int size;

  reset_settings ();
  open_page (&fixture, 1400);
  move (&fixture, "log", "centre");
  assert_place (&fixture, "log", "centre 0,0 front");
  move (&fixture, "log", "nowhere");
  move (&fixture, "nothing", "start");
  assert_place (&fixture, "log", "centre 0,0 front");
  activate (&fixture, "split", "log");
  assert_place (&fixture, "log", "centre 0,1 front");
  /* The last one of a frame: the frame goes, the other stays. */
  move (&fixture, "parameters", "start");
  assert_place (&fixture, "parameters", "start 0,0 front");
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (find_pane (&fixture, "pipeline", &frame))));
  activate (&fixture, "close", "report");
  assert_place (&fixture, "report", "closed");
  g_object_set (fixture.page, "reveal-end", FALSE, NULL);
  g_object_set (gtk_widget_get_ancestor (GTK_WIDGET (frame), PANEL_TYPE_DOCK), "start-width", 333,
                NULL);
  vtr_test_ui_spin (100);
  close_page (&fixture);

  open_page (&fixture, 1400);
  assert_place (&fixture, "log", "centre 0,1 front");
  assert_place (&fixture, "parameters", "start 0,0 front");
  assert_place (&fixture, "commands", "start 0,0");
  assert_place (&fixture, "pipeline", "end 0,0 front");
  assert_place (&fixture, "report", "closed");
  g_assert_false (g_variant_get_boolean (
    g_action_group_get_action_state (vtr_layout_get_actions (fixture.layout), "report")));
  g_object_get (fixture.page, "reveal-end", &size, NULL);
  g_assert_false (size);
  find_pane (&fixture, "commands", &frame);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (frame)), >, 320);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (frame)), <, 345);

  /* Asking for a closed pane brings it back, and its edge. */
  vtr_trace_page_raise (fixture.page, "report");
  vtr_test_ui_spin (50);
  assert_place (&fixture, "report", "bottom 0,0 front");
  activate (&fixture, "reset", NULL);
  assert_place (&fixture, "log", "bottom 0,0");
  assert_place (&fixture, "parameters", "end 0,0 front");
  assert_place (&fixture, "pipeline", "end 0,1 front");
  close_page (&fixture);
}

/* Sizes come back as they were left, however often. */
static void
test_sizes (void)
{
  int height = 0;
  int width = 0;

  reset_settings ();
  for (int i = 0; i < 4; i++)
    {
      Fixture fixture;
      PanelFrame *frame;
      PanelFrame *start;

      open_page (&fixture, 1400);
      find_pane (&fixture, "parameters", &frame);
      find_pane (&fixture, "commands", &start);
      if (i > 0)
        {
          g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (frame)), ==, height);
          g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (start)), ==, width);
        }
      height = gtk_widget_get_height (GTK_WIDGET (frame));
      width = gtk_widget_get_width (GTK_WIDGET (start));
      close_page (&fixture);
    }
  g_assert_cmpint (height, >, 150);
  g_assert_cmpint (height, <, 300);
}

static GtkWidget *
find_dock (Fixture *fixture)
{
  PanelFrame *frame;

  find_pane (fixture, "commands", &frame);
  return gtk_widget_get_ancestor (GTK_WIDGET (frame), PANEL_TYPE_DOCK);
}

static int
get_width (Fixture *fixture, const char *id)
{
  PanelFrame *frame;

  find_pane (fixture, id, &frame);
  return gtk_widget_get_width (GTK_WIDGET (frame));
}

/* Whatever the size of the screen. */
static void
resize (Fixture *fixture, int width)
{
  gtk_widget_set_size_request (GTK_WIDGET (fixture->page), width, -1);
  gtk_window_set_default_size (fixture->window, width, 800);
  vtr_test_ui_spin (200);
}

/* A large window has wide edges; one that a person dragged keeps its width, in every window. */
static void
test_large (void)
{
  Fixture fixture;

  reset_settings ();
  open_page (&fixture, 1280);
  g_assert_cmpint (get_width (&fixture, "commands"), ==, 440);
  close_page (&fixture);
  open_page (&fixture, 1280);
  resize (&fixture, 2560);
  g_assert_cmpint (get_width (&fixture, "commands"), ==, 640);
  g_assert_cmpint (get_width (&fixture, "parameters"), ==, 640);
  resize (&fixture, 2000);
  g_assert_cmpint (get_width (&fixture, "commands"), ==, 500);
  g_object_set (find_dock (&fixture), "start-width", 333, NULL);
  vtr_test_ui_spin (100);
  resize (&fixture, 2560);
  g_assert_cmpint (get_width (&fixture, "commands"), ==, 333);
  g_assert_cmpint (get_width (&fixture, "parameters"), ==, 640);
  close_page (&fixture);
  open_page (&fixture, 1280);
  g_assert_cmpint (get_width (&fixture, "commands"), ==, 333);
  g_assert_cmpint (get_width (&fixture, "parameters"), ==, 372);
  close_page (&fixture);
  reset_settings ();
}

/* The pane in front of another edge, or in the middle, takes no width from an edge. */
static void
test_steady (void)
{
  Fixture fixture;
  guint n_panes;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);

  reset_settings ();
  open_page (&fixture, 1280);
  for (guint i = 0; i < n_panes; i++)
    {
      vtr_trace_page_raise (fixture.page, infos[i].id);
      vtr_test_ui_spin (100);
      if (get_width (&fixture, "commands") != 440 || get_width (&fixture, "parameters") != 372)
        g_error ("With “%s” in front the edges have %d and %d", infos[i].id,
                 get_width (&fixture, "commands"), get_width (&fixture, "parameters"));
    }
  close_page (&fixture);
  reset_settings ();
}

/* What another version, a broken disk or a joker wrote is taken as far as it makes sense. */
static void
test_nonsense (void)
{
  static const char *const layouts[] = {
    "[('nobody', 'start', uint32 0, uint32 0, true), ('log', 'moon', 0, 0, true)]",
    "[('log', 'centre', uint32 4000000000, uint32 77, true), ('report', 'bottom', 9, 9, false)]",
    ("[('commands', 'closed', uint32 0, uint32 0, true), ('framebuffer', 'closed', 0, 0, true), "
     "('commands', 'closed', 0, 0, false)]"),
    "[('log', 'start', uint32 3, uint32 5, true), ('log', 'end', 0, 1, true)]",
  };
  g_autoptr (GSettings) settings = vtr_settings_new ();

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      Fixture fixture;
      g_autoptr (GVariant) layout =
        g_variant_parse (G_VARIANT_TYPE ("a(ssuub)"), layouts[i], NULL, NULL, NULL);

      g_assert_nonnull (layout);
      reset_settings ();
      g_settings_set_value (settings, "layout", layout);
      g_settings_set_value (
        settings, "frame-sizes",
        g_variant_new_parsed ("@a(sui) [('end', uint32 0, -5), ('end', uint32 4000, 200)]"));
      g_settings_set_int (settings, "start-width", -99999);
      g_settings_set_int (settings, "bottom-height", 3999);
      open_page (&fixture, 1300);
      assert_place (&fixture, "parameters", "end 0,0 front");
      close_page (&fixture);
      open_page (&fixture, 700);
      close_page (&fixture);
    }
  reset_settings ();
}

/* All panes closed: the centre says how to get them back. */
static void
test_all_closed (void)
{
  Fixture fixture;
  guint n_panes;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);
  g_autoptr (GPtrArray) frames = NULL;

  reset_settings ();
  open_page (&fixture, 1300);
  for (guint i = 0; i < n_panes; i++)
    activate (&fixture, "close", infos[i].id);
  frames = vtr_layout_list_frames (fixture.layout);
  g_assert_cmpuint (frames->len, ==, 0);
  vtr_trace_page_step_pane (fixture.page, 1);
  vtr_trace_page_step_tab (fixture.page, 1);
  for (guint i = 0; i < n_panes; i++)
    g_action_group_change_action_state (vtr_layout_get_actions (fixture.layout), infos[i].id,
                                        g_variant_new_boolean (TRUE));
  vtr_test_ui_spin (50);
  for (guint i = 0; i < n_panes; i++)
    {
      PanelFrame *frame;

      g_assert_nonnull (find_pane (&fixture, infos[i].id, &frame));
    }
  close_page (&fixture);
  reset_settings ();
}

/* A narrow window hides the end and the bottom, and does not remember that it did. */
static void
test_narrow (void)
{
  Fixture fixture;
  gboolean revealed;

  reset_settings ();
  open_page (&fixture, 1000);
  g_object_get (fixture.page, "reveal-end", &revealed, NULL);
  g_assert_false (revealed);
  vtr_trace_page_raise (fixture.page, "log");
  vtr_test_ui_spin (50);
  g_object_get (fixture.page, "reveal-bottom", &revealed, NULL);
  g_assert_true (revealed);
  close_page (&fixture);
  open_page (&fixture, 1400);
  g_object_get (fixture.page, "reveal-end", &revealed, NULL);
  g_assert_true (revealed);
  close_page (&fixture);
}

/* With everything open and any pane in front there is room in the smallest window, 800 by 500
 * with its header bar. */
static void
test_least_size (void)
{
  Fixture fixture;
  guint n_panes;
  const VtrPaneInfo *infos = vtr_panes_list (&n_panes);

  reset_settings ();
  open_page (&fixture, 1000);
  g_object_set (fixture.page, "reveal-start", TRUE, "reveal-end", TRUE, "reveal-bottom", TRUE,
                NULL);
  for (guint i = 0; i < n_panes; i++)
    {
      int width, height;

      vtr_trace_page_raise (fixture.page, infos[i].id);
      vtr_test_ui_spin (50);
      gtk_widget_measure (GTK_WIDGET (fixture.page), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL,
                          NULL, NULL);
      gtk_widget_measure (GTK_WIDGET (fixture.page), GTK_ORIENTATION_VERTICAL, 800, &height, NULL,
                          NULL, NULL);
      if (width > 800 - 2 || height > 500 - 54)
        g_error ("The page with “%s” in front needs %d × %d", infos[i].id, width, height);
    }
  close_page (&fixture);
  reset_settings ();
}

static void
test_maximized (void)
{
  Fixture fixture;
  PanelFrame *frame;
  PanelWidget *pane;

  reset_settings ();
  open_page (&fixture, 1300);
  pane = find_pane (&fixture, "pipeline", &frame);
  panel_widget_maximize (pane);
  vtr_test_ui_spin (50);
  vtr_trace_page_raise (fixture.page, "pipeline");
  vtr_trace_page_raise (fixture.page, "log");
  vtr_test_ui_spin (50);
  assert_place (&fixture, "pipeline", "end 0,1 front");
  panel_widget_maximize (pane);
  close_page (&fixture);
  open_page (&fixture, 1300);
  assert_place (&fixture, "pipeline", "end 0,1 front");
  close_page (&fixture);
}

int
main (int argc, char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/layout/default", test_default);
  g_test_add_func ("/widgets/layout/moves", test_moves);
  g_test_add_func ("/widgets/layout/sizes", test_sizes);
  g_test_add_func ("/widgets/layout/large", test_large);
  g_test_add_func ("/widgets/layout/nonsense", test_nonsense);
  g_test_add_func ("/widgets/layout/all-closed", test_all_closed);
  g_test_add_func ("/widgets/layout/steady", test_steady);
  g_test_add_func ("/widgets/layout/narrow", test_narrow);
  g_test_add_func ("/widgets/layout/least-size", test_least_size);
  g_test_add_func ("/widgets/layout/maximized", test_maximized);
  return g_test_run ();
}
