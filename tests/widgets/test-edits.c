/* Tests edits of a trace (commands, shaders, overlays), and how rows show them. */
#include "vtr-test-ui.h"

#include "widgets/vtr-command-edits.h"
#include "widgets/vtr-command-view.h"
#include "widgets/vtr-framebuffer-view.h"

#include "engine/replay-session/vtr-picture-edit.h"
#include "engine/shader/vtr-shader-code.h"

/* The row of kind @kind that shows @command first. */
static VtrTreeNode
find_node (VtrSession *session, guint64 command, VtrNodeKind kind)
{
  g_autoptr (GArray) nodes = vtr_command_tree_find (vtr_session_get_tree (session), command, NULL);

  g_assert_nonnull (nodes);
  for (guint i = nodes->len; i-- > 0;)
    if (g_array_index (nodes, VtrTreeNode, i).kind == kind)
      return g_array_index (nodes, VtrTreeNode, i);
  g_assert_not_reached ();
}

static guint64
find_draw (VtrSession *session, guint nth)
{
  VtrTrace *trace = vtr_session_get_trace (session);

  for (guint64 i = 0; i < vtr_trace_get_n_commands (trace); i++)
    if (vtr_trace_get_command_id (trace, i) == VTR_CMD_vkCmdDraw && nth-- == 0)
      return i;
  g_assert_not_reached ();
}

static void
count_cb (guint *n)
{
  (*n)++;
}

static void
disable (VtrSession *session, guint64 command, gboolean disabled)
{
  g_autoptr (GArray) commands = g_array_new (FALSE, FALSE, sizeof command);

  g_array_append_val (commands, command);
  g_assert_true (
    vtr_edits_set_disabled (vtr_session_get_edits (session), commands, disabled, NULL));
}

/* Disabled, enabled, undone, done again; the options are those of a path. */
static void
test_disable (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  VtrEdits *edits = vtr_session_get_edits (session);
  guint64 first = find_draw (session, 0), second = find_draw (session, 1);
  g_autofree char *both =
    g_strdup_printf ("disable=%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT, first, second);
  g_autofree char *plain = vtr_edits_format (edits, TRUE);
  g_autofree char *options = NULL;
  g_autofree char *words = NULL;
  const VtrPictureEdit *edit;
  guint n_changes = 0;

  g_signal_connect_swapped (edits, "changed", G_CALLBACK (count_cb), &n_changes);
  g_assert_cmpstr (plain, ==, "");
  g_assert_null (vtr_edits_describe (edits, TRUE));
  g_assert_null (vtr_edits_get (edits, TRUE));
  disable (session, second, TRUE);
  disable (session, first, TRUE);
  disable (session, first, TRUE); /* again: nothing changes */
  g_assert_cmpuint (n_changes, ==, 2);
  options = vtr_edits_format (edits, FALSE);
  g_assert_cmpstr (options, ==, both);
  words = vtr_edits_describe (edits, FALSE);
  g_assert_nonnull (strstr (words, "2"));
  edit = vtr_edits_get (edits, FALSE);
  g_assert_nonnull (edit);
  g_assert_true (vtr_edits_get (edits, TRUE) == edit);

  disable (session, first, FALSE);
  g_assert_false (vtr_edits_is_disabled (edits, first));
  g_assert_true (vtr_edits_is_disabled (edits, second));
  g_assert_true (vtr_edits_undo (edits));
  g_assert_true (vtr_edits_get (edits, FALSE) == edit);
  g_assert_true (vtr_edits_undo (edits));
  g_assert_true (vtr_edits_undo (edits));
  g_assert_false (vtr_edits_undo (edits));
  g_assert_cmpuint (vtr_edits_get_n_disabled (edits), ==, 0);
  g_assert_true (vtr_edits_redo (edits));
  g_assert_true (vtr_edits_is_disabled (edits, second));
  vtr_edits_reset (edits);
  g_assert_false (vtr_edits_redo (edits));
  g_assert_cmpuint (vtr_edits_get_n_disabled (edits), ==, 0);
  g_assert_true (vtr_edits_undo (edits));
  g_assert_true (vtr_edits_is_disabled (edits, second));
}

/* What cannot be disabled has a sentence, and changes nothing. */
static void
test_refuse (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  VtrEdits *edits = vtr_session_get_edits (session);
  guint64 draw = find_draw (session, 0), begin = draw - 1;
  g_autoptr (GArray) commands = g_array_new (FALSE, FALSE, sizeof draw);
  g_autoptr (GError) error = NULL;
  VtrTreeNode pass = find_node (session, draw, VTR_NODE_PASS);

  g_array_append_val (commands, draw);
  g_array_append_val (commands, begin);
  g_assert_false (vtr_edits_set_disabled (edits, commands, TRUE, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH);
  g_assert_cmpuint (vtr_edits_get_n_disabled (edits), ==, 0);
  g_clear_error (&error);
  pass.n_children = 0;
  g_assert_null (vtr_command_edits_collect (session, &pass, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING);
}

/* A group is what is below it; it tells whether all of that is disabled. */
static void
test_groups (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (2);
  VtrEdits *edits = vtr_session_get_edits (session);
  guint64 first = find_draw (session, 0), second = find_draw (session, 1);
  VtrTreeNode pass = find_node (session, first, VTR_NODE_PASS);
  VtrTreeNode frame = find_node (session, first, VTR_NODE_FRAME);
  VtrTreeNode other = find_node (session, find_draw (session, 2), VTR_NODE_FRAME);
  VtrTreeNode draw = find_node (session, first, VTR_NODE_CMD);
  g_autoptr (GArray) commands = vtr_command_edits_collect (session, &pass, NULL);
  g_autoptr (GArray) whole = vtr_command_edits_collect (session, &frame, NULL);
  g_autoptr (GArray) others = vtr_command_edits_collect_others (session, &draw, NULL);

  g_assert_cmpuint (commands->len, ==, 2);
  g_assert_cmpuint (whole->len, ==, 2);
  g_assert_cmpuint (g_array_index (commands, guint64, 0), ==, first);
  g_assert_cmpuint (g_array_index (commands, guint64, 1), ==, second);
  g_assert_cmpuint (others->len, ==, 1);
  g_assert_cmpuint (g_array_index (others, guint64, 0), ==, second);

  g_assert_cmpuint (vtr_command_edits_get_state (session, &pass), ==, VTR_COMMAND_RUNS);
  disable (session, second, TRUE);
  g_assert_cmpuint (vtr_command_edits_get_state (session, &draw), ==, VTR_COMMAND_RUNS);
  g_assert_cmpuint (vtr_command_edits_get_state (session, &pass), ==, VTR_COMMAND_PARTLY_DISABLED);
  g_assert_true (vtr_edits_set_disabled (edits, commands, TRUE, NULL));
  g_assert_cmpuint (vtr_edits_get_n_disabled (edits), ==, 2);
  g_assert_cmpuint (vtr_command_edits_get_state (session, &draw), ==, VTR_COMMAND_DISABLED);
  g_assert_cmpuint (vtr_command_edits_get_state (session, &pass), ==, VTR_COMMAND_DISABLED);
  g_assert_cmpuint (vtr_command_edits_get_state (session, &frame), ==, VTR_COMMAND_DISABLED);
  g_assert_cmpuint (vtr_command_edits_get_state (session, &other), ==, VTR_COMMAND_RUNS);
}

/* The list: the row that is selected, and the others of its pass. */
static void
test_view (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  VtrEdits *edits = vtr_session_get_edits (session);
  VtrCommandView *view = VTR_COMMAND_VIEW (vtr_command_view_new ());
  GtkWindow *window = vtr_test_ui_show (GTK_WIDGET (view), 500, 600);
  guint64 first = find_draw (session, 0), second = find_draw (session, 1);

  vtr_command_view_set_session (view, session);
  vtr_command_view_toggle_disabled (view); /* nothing is selected: nothing happens */
  g_assert_cmpuint (vtr_edits_get_n_disabled (edits), ==, 0);
  vtr_session_select (session, first, VTR_SELECT_JUMP);
  vtr_command_view_toggle_disabled (view);
  vtr_test_ui_spin (100);
  g_assert_true (vtr_edits_is_disabled (edits, first));
  vtr_command_view_toggle_disabled (view);
  g_assert_cmpuint (vtr_edits_get_n_disabled (edits), ==, 0);
  vtr_command_view_toggle_disabled (view);
  vtr_command_view_disable_others (view);
  g_assert_false (vtr_edits_is_disabled (edits, first));
  g_assert_true (vtr_edits_is_disabled (edits, second));
  vtr_test_ui_spin (100);
  vtr_command_view_set_session (view, NULL);
  gtk_window_destroy (window);
}

/* An overlay is in the question for the framebuffer alone. */
static void
test_overlay (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  VtrEdits *edits = vtr_session_get_edits (session);
  VtrFramebufferView *view = VTR_FRAMEBUFFER_VIEW (vtr_framebuffer_view_new ());
  GtkWindow *window = vtr_test_ui_show (GTK_WIDGET (view), 700, 500);
  g_autofree char *path = NULL, *without = NULL, *edited = NULL;
  guint n, n_changes = 0;
  const VtrOverlayInfo *infos = vtr_overlay_list (&n);

  g_assert_cmpuint (n, >=, 2);
  g_assert_cmpuint (infos[0].overlay, ==, VTR_OVERLAY_NONE);
  g_signal_connect_swapped (edits, "overlay-changed", G_CALLBACK (count_cb), &n_changes);
  vtr_framebuffer_view_set_session (view, session);
  vtr_session_select (session, find_draw (session, 0), VTR_SELECT_JUMP);
  gtk_widget_activate_action (GTK_WIDGET (view), "framebuffer.overlay", "s", infos[1].name);
  g_assert_cmpuint (vtr_edits_get_overlay (edits), ==, infos[1].overlay);
  gtk_widget_activate_action (GTK_WIDGET (view), "framebuffer.overlay", "s", "nonsense");
  g_assert_cmpuint (vtr_edits_get_overlay (edits), ==, infos[1].overlay);
  g_assert_cmpuint (n_changes, ==, 1);
  path = vtr_session_get_image_path (session, vtr_session_get_command (session),
                                     VTR_ATTACHMENT_COLOR0, TRUE);
  without = vtr_session_get_image_path (session, vtr_session_get_command (session),
                                        VTR_ATTACHMENT_COLOR0, FALSE);
  g_assert_nonnull (strstr (path, "?overlay="));
  g_assert_null (strstr (path, "from="));
  g_assert_null (strchr (without, '?'));
  disable (session, find_draw (session, 1), TRUE);
  edited = vtr_session_get_image_path (session, vtr_session_get_command (session),
                                       VTR_ATTACHMENT_COLOR0, TRUE);
  g_assert_nonnull (strstr (edited, "&disable="));
  vtr_test_ui_spin (200);
  gtk_widget_activate_action (GTK_WIDGET (view), "framebuffer.reset", NULL);
  g_assert_null (vtr_edits_get (edits, TRUE));
  vtr_test_ui_spin (100);
  vtr_framebuffer_view_set_session (view, NULL);
  gtk_window_destroy (window);
}

/* A highlight of a group begins where it was said to; without an overlay nothing is said. */
static void
test_overlay_from (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  VtrEdits *edits = vtr_session_get_edits (session);
  guint64 draw = find_draw (session, 0);
  g_autofree char *number = vtr_trace_format_number (vtr_session_get_trace (session), draw);
  g_autofree char *from = g_strdup_printf ("overlay=highlight&from=%s", number);
  g_autofree char *highlight = NULL, *overdraw = NULL, *words = NULL;

  vtr_edits_set_overlay (edits, VTR_OVERLAY_HIGHLIGHT);
  vtr_edits_set_overlay_from (edits, draw);
  highlight = vtr_edits_format (edits, TRUE);
  words = vtr_edits_describe (edits, TRUE);
  g_assert_cmpstr (highlight, ==, from);
  g_assert_nonnull (strstr (words, number));
  g_assert_cmpuint (vtr_edits_get (edits, TRUE)->from, ==, draw);
  vtr_edits_set_overlay (edits, VTR_OVERLAY_OVERDRAW);
  overdraw = vtr_edits_format (edits, TRUE);
  g_assert_cmpstr (overdraw, ==, "overlay=overdraw");
  vtr_edits_set_overlay (edits, VTR_OVERLAY_NONE);
  g_assert_cmpuint (vtr_edits_get_overlay_from (edits), ==, VTR_COMMAND_NO_INDEX);
}

int
main (int argc, char **argv)
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/edits/disable", test_disable);
  g_test_add_func ("/widgets/edits/refuse", test_refuse);
  g_test_add_func ("/widgets/edits/groups", test_groups);
  g_test_add_func ("/widgets/edits/view", test_view);
  g_test_add_func ("/widgets/edits/overlay", test_overlay);
  g_test_add_func ("/widgets/edits/overlay-from", test_overlay_from);
  return g_test_run ();
}
