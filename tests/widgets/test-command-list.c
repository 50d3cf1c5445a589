/* Tests the flat list of expanded rows. */
#include "vtr-test-ui.h"

#include "widgets/vtr-command-list.h"
#include "widgets/vtr-command-row.h"
#include "widgets/vtr-command-view.h"

static VtrCommandList *
make (VtrSession *session)
{
  return vtr_command_list_new (vtr_session_get_document (session), vtr_session_get_tree (session));
}

static guint
count (VtrCommandList *list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (list));
}

static char *
title (VtrCommandList *list,
       guint           row)
{
  g_autoptr (VtrCommandItem) item = g_list_model_get_item (G_LIST_MODEL (list), row);

  g_assert_nonnull (item);
  return g_strdup (vtr_command_item_get_title (item));
}

/* A copy of the model kept by its signals alone: what a list view sees. */
typedef struct
{
  GPtrArray *items;
} Mirror;

static void
mirror_cb (GListModel *model,
           guint       position,
           guint       removed,
           guint       added,
           Mirror     *mirror)
{
  g_assert_cmpuint (position + removed, <=, mirror->items->len);
  if (removed > 0)
    g_ptr_array_remove_range (mirror->items, position, removed);
  for (guint i = 0; i < added; i++)
    g_ptr_array_insert (mirror->items, (int)(position + i),
                        g_list_model_get_item (model, position + i));
}

static void
check_mirror (VtrCommandList *list,
              Mirror         *mirror)
{
  g_assert_cmpuint (count (list), ==, mirror->items->len);
  for (guint i = 0; i < mirror->items->len; i++)
    {
      g_autoptr (VtrCommandItem) item = g_list_model_get_item (G_LIST_MODEL (list), i);

      g_assert_true (item == g_ptr_array_index (mirror->items, i));
    }
}

static void
test_unfold (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (3);
  g_autoptr (VtrCommandList) list = make (session);
  g_autofree char *first = NULL;
  guint frames = count (list);
  guint opened;

  g_assert_cmpuint (frames, ==, 3);
  first = title (list, 0);
  g_assert_cmpstr (first, ==, "Frame 0");
  g_assert_true (vtr_command_list_expand (list, 1));
  opened = count (list);
  g_assert_cmpuint (opened, >, frames);
  g_assert_false (vtr_command_list_expand (list, 1));
  g_assert_cmpuint (vtr_command_list_get_parent (list, 2), ==, 1);
  g_assert_cmpuint (vtr_command_list_get_parent (list, 1), ==, GTK_INVALID_LIST_POSITION);
  g_assert_true (vtr_command_list_collapse (list, 1));
  g_assert_cmpuint (count (list), ==, frames);
  g_assert_false (vtr_command_list_collapse (list, 1));
  g_assert_false (vtr_command_list_expand (list, 1000));
}

static void
test_random (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (6);
  g_autoptr (VtrCommandList) list = make (session);
  Mirror mirror = { g_ptr_array_new_with_free_func (g_object_unref) };

  mirror_cb (G_LIST_MODEL (list), 0, 0, count (list), &mirror);
  g_signal_connect (list, "items-changed", G_CALLBACK (mirror_cb), &mirror);
  for (int i = 0; i < 400; i++)
    {
      guint row = (guint)g_test_rand_int_range (0, (int)count (list));

      if (!vtr_command_list_expand (list, row))
        vtr_command_list_collapse (list, row);
      if (i % 20 == 0)
        check_mirror (list, &mirror);
    }
  vtr_command_list_collapse_all (list);
  check_mirror (list, &mirror);
  g_assert_cmpuint (count (list), ==, 6);
  g_signal_handlers_disconnect_by_data (list, &mirror);
  g_ptr_array_unref (mirror.items);
}

/* Every command has a row, whatever was unfolded before. */
static void
test_reveal (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (4);
  guint64 n = vtr_trace_get_n_commands (vtr_session_get_trace (session));

  for (guint64 command = 0; command < n; command += 3)
    {
      g_autoptr (VtrCommandList) list = make (session);
      guint row;
      g_autoptr (VtrCommandItem) item = NULL;

      vtr_command_list_expand (list, (guint)(command % 4));
      row = vtr_command_list_reveal (list, command, NULL);
      g_assert_cmpuint (row, <, count (list));
      item = g_list_model_get_item (G_LIST_MODEL (list), row);
      /* The begin of a label is shown by the row of its group. */
      g_assert_cmpuint (vtr_command_item_get_node (item)->first, <=, command);
      g_assert_cmpuint (vtr_command_item_get_node (item)->last, >=, command);
    }
}

static void
test_flat_and_matches (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (2);
  g_autoptr (VtrCommandList) list = make (session);
  g_autoptr (GArray) matches = g_array_new (FALSE, FALSE, sizeof (guint64));
  const guint64 some[] = { 1, 4, 9 };
  guint frames = count (list);

  vtr_command_list_set_flat (list, TRUE);
  g_assert_cmpuint (count (list), ==, vtr_trace_get_n_commands (vtr_session_get_trace (session)));
  g_assert_cmpuint (vtr_command_list_reveal (list, 7, NULL), ==, 7);

  g_array_append_vals (matches, some, G_N_ELEMENTS (some));
  vtr_command_list_set_matches (list, matches);
  g_assert_cmpuint (count (list), ==, 3);
  g_assert_cmpuint (vtr_command_list_reveal (list, 4, NULL), ==, 1);
  g_assert_cmpuint (vtr_command_list_reveal (list, 5, NULL), ==, GTK_INVALID_LIST_POSITION);
  g_assert_false (vtr_command_list_expand (list, 0));

  vtr_command_list_set_matches (list, NULL);
  vtr_command_list_set_flat (list, FALSE);
  g_assert_cmpuint (count (list), ==, frames);
}

static void
test_finalize (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  VtrCommandList *list = make (session);
  VtrCommandItem *item = g_list_model_get_item (G_LIST_MODEL (list), 0);

  g_assert_finalize_object (list);
  g_assert_finalize_object (item);
}

typedef struct
{
  guint n_rows, n_filled;
  guint64 wanted; /* command */
  gboolean has_wanted;
} Rows;

static void
count_rows (GtkWidget *widget, Rows *rows)
{
  if (VTR_IS_COMMAND_ROW (widget))
    {
      VtrCommandItem *item = vtr_command_row_get_item (VTR_COMMAND_ROW (widget));

      rows->n_rows++;
      rows->n_filled += item != NULL;
      rows->has_wanted |=
        item != NULL && vtr_command_item_get_node (item)->command == rows->wanted;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    count_rows (child, rows);
}

static gboolean
has_wanted (gpointer data)
{
  gpointer *both = data;
  Rows *rows = both[1];

  *rows = (Rows){ .wanted = rows->wanted };
  count_rows (both[0], rows);
  return rows->has_wanted;
}

/* Visible rows are filled after every jump; rows that GTK keeps outside of the view are not. */
static void
test_cells (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (150);
  GtkWidget *view = vtr_command_view_new ();
  GtkWindow *window = vtr_test_ui_show (view, 400, 400);
  guint64 n = vtr_trace_get_n_commands (vtr_session_get_trace (session));
  Rows rows = { 0 };
  gpointer both[] = { view, &rows };

  vtr_command_view_set_session (VTR_COMMAND_VIEW (view), session);
  for (guint i = 1; i <= 5; i++)
    {
      rows.wanted = i % 2 == 0 ? 20 + i : n - 20 - i;
      vtr_session_select (session, rows.wanted, VTR_SELECT_JUMP);
      vtr_test_ui_wait (has_wanted, both);
      vtr_test_ui_spin (50);
      g_assert_true (has_wanted (both));
      g_assert_cmpuint (rows.n_rows, >, 100);
      g_assert_cmpuint (rows.n_filled, <, 60);
    }
  vtr_command_view_set_session (VTR_COMMAND_VIEW (view), NULL);
  gtk_window_destroy (window);
}

/* --- what can be seen ------------------------------------------------------------------------ */

typedef struct
{
  GtkWidget *view;
  GtkWidget *rows;  /* the list that scrolls */
  guint64 wanted;   /* command whose own row is to be seen */
  guint n_expected; /* rows that are to be seen, all with text */
} Sight;

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
is_whole_in_view (GtkWidget *widget, GtkWidget *rows)
{
  graphene_rect_t bounds;

  return gtk_widget_get_mapped (widget) && gtk_widget_compute_bounds (widget, rows, &bounds) &&
         bounds.size.height > 0 &&
         bounds.origin.y >= 0 &&
         bounds.origin.y + bounds.size.height <= (float)gtk_widget_get_height (rows);
}

typedef struct
{
  guint n, n_empty;
  guint64 wanted;
  gboolean seen;
} Seen;

static void
see_row (VtrCommandRow *row, Seen *seen)
{
  VtrCommandItem *item = vtr_command_row_get_item (row);
  GtkWidget *text = find_widget (GTK_WIDGET (row), GTK_TYPE_INSCRIPTION);
  const char *words = gtk_inscription_get_text (GTK_INSCRIPTION (text));

  seen->n++;
  seen->n_empty += item == NULL || words == NULL || *words == '\0';
  seen->seen |= item != NULL && !vtr_command_item_is_group (item) &&
                vtr_command_item_get_node (item)->command == seen->wanted;
}

/* Looks at each row that can be seen. */
static void
see_rows (GtkWidget *widget, GtkWidget *rows, Seen *seen)
{
  if (VTR_IS_COMMAND_ROW (widget) && is_whole_in_view (widget, rows))
    see_row (VTR_COMMAND_ROW (widget), seen);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    see_rows (child, rows, seen);
}

static gboolean
is_seen (gpointer data)
{
  Sight *sight = data;
  Seen seen = { .wanted = sight->wanted };

  see_rows (sight->rows, sight->rows, &seen);
  return seen.n_empty == 0 && seen.n >= sight->n_expected &&
         (sight->wanted == VTR_COMMAND_NO_INDEX || seen.seen);
}

static Sight
open_view (VtrSession *session, int height, GtkWindow **window)
{
  Sight sight = { .view = vtr_command_view_new (), .wanted = VTR_COMMAND_NO_INDEX };

  *window = vtr_test_ui_show (sight.view, 500, height);
  vtr_command_view_set_session (VTR_COMMAND_VIEW (sight.view), session);
  sight.rows = find_widget (sight.view, GTK_TYPE_LIST_VIEW);
  return sight;
}

static void
close_view (Sight *sight, GtkWindow *window)
{
  vtr_command_view_set_session (VTR_COMMAND_VIEW (sight->view), NULL);
  gtk_window_destroy (window);
}

/* A list that is shorter than its window: what is unfolded has its text, too. */
static void
test_short (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  GtkWindow *window;
  Sight sight = open_view (session, 900, &window);
  GtkWidget *list = find_widget (sight.view, GTK_TYPE_COLUMN_VIEW);
  GListModel *model = G_LIST_MODEL (gtk_column_view_get_model (GTK_COLUMN_VIEW (list)));
  guint n;

  sight.n_expected = 1;
  vtr_test_ui_wait (is_seen, &sight);
  do
    {
      n = g_list_model_get_n_items (model);
      for (guint i = g_list_model_get_n_items (model); i > 0; i--)
        {
          g_autoptr (VtrCommandItem) item = g_list_model_get_item (model, i - 1);

          if (!vtr_command_item_get_expanded (item))
            g_signal_emit_by_name (list, "activate", i - 1);
        }
      sight.n_expected = g_list_model_get_n_items (model);
      vtr_test_ui_wait (is_seen, &sight);
    }
  while (n < 12 && g_list_model_get_n_items (model) > n);
  g_assert_cmpuint (sight.n_expected, >=, 10);
  close_view (&sight, window);
}

/* Whether a group stands for the command in the tree, as the label's begin. */
static gboolean
has_own_row (VtrSession *session, guint64 command)
{
  g_autoptr (VtrCommandList) list = make (session);
  guint row = vtr_command_list_reveal (list, command, NULL);
  g_autoptr (VtrCommandItem) item = g_list_model_get_item (G_LIST_MODEL (list), row);

  return !vtr_command_item_is_group (item) &&
         vtr_command_item_get_node (item)->command == command;
}

/* Wherever it is, and whatever was unfolded before: the selected command can be seen. */
static void
check_selections (gboolean flat)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (40);
  guint64 n = vtr_trace_get_n_commands (vtr_session_get_trace (session));
  GtkWindow *window;
  Sight sight = open_view (session, flat ? 260 : 700, &window);

  if (flat)
    gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (find_widget (sight.view, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
  for (guint i = 0; i < 40; i++)
    {
      sight.wanted = (n / 3 * (i % 3) + i * 7 + 11) % n;
      if (!flat && !has_own_row (session, sight.wanted))
        continue;
      vtr_session_select (session, sight.wanted, VTR_SELECT_JUMP);
      vtr_test_ui_wait (is_seen, &sight);
      if (!flat && i % 4 == 0)
        {
          /* Folded away, and asked for again. */
          gtk_widget_activate_action (sight.view, "commands.collapse-all", NULL);
          vtr_session_select (session, sight.wanted, VTR_SELECT_JUMP);
          vtr_test_ui_wait (is_seen, &sight);
        }
    }
  close_view (&sight, window);
}

static void
test_selected_in_tree (void)
{
  check_selections (FALSE);
}

static void
test_selected_in_flat_list (void)
{
  check_selections (TRUE);
}

static gboolean
is_selected_focused (gpointer data)
{
  GtkWidget *focus = gtk_window_get_focus (data);

  return focus && gtk_widget_get_ancestor (focus, GTK_TYPE_LIST_VIEW) &&
         (gtk_widget_get_state_flags (focus) & GTK_STATE_FLAG_SELECTED) != 0;
}

/* The arrow keys go on from the selected row, however it came to be selected. */
static void
test_focus_follows (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (40);
  guint64 n = vtr_trace_get_n_commands (vtr_session_get_trace (session));
  GtkWindow *window;
  Sight sight = open_view (session, 400, &window);
  GtkWidget *filter = find_widget (sight.view, GTK_TYPE_SEARCH_ENTRY);

  vtr_session_select (session, n - 1, VTR_SELECT_JUMP);
  gtk_widget_grab_focus (sight.view);
  vtr_test_ui_wait (is_selected_focused, window);
  /* While it has the focus. */
  vtr_session_select (session, n / 2, VTR_SELECT_JUMP);
  vtr_test_ui_wait (is_selected_focused, window);
  /* After a search. */
  gtk_widget_grab_focus (filter);
  vtr_session_select (session, n - 1, VTR_SELECT_JUMP);
  vtr_test_ui_spin (300);
  g_assert_false (is_selected_focused (window));
  gtk_widget_activate_action (sight.view, "commands.clear-filter", NULL);
  vtr_test_ui_wait (is_selected_focused, window);
  /* Not once the focus went on before the row came into view. */
  vtr_session_select (session, 0, VTR_SELECT_JUMP);
  gtk_widget_grab_focus (sight.view);
  gtk_widget_grab_focus (filter);
  vtr_test_ui_spin (300);
  g_assert_false (is_selected_focused (window));
  close_view (&sight, window);
}

int
main (int   argc,
      char *argv[])
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/command-list/unfold", test_unfold);
  g_test_add_func ("/widgets/command-list/random", test_random);
  g_test_add_func ("/widgets/command-list/reveal", test_reveal);
  g_test_add_func ("/widgets/command-list/flat-and-matches", test_flat_and_matches);
  g_test_add_func ("/widgets/command-list/finalize", test_finalize);
  g_test_add_func ("/widgets/command-list/cells", test_cells);
  g_test_add_func ("/widgets/command-list/short", test_short);
  g_test_add_func ("/widgets/command-list/selected-in-tree", test_selected_in_tree);
  g_test_add_func ("/widgets/command-list/selected-in-flat-list", test_selected_in_flat_list);
  g_test_add_func ("/widgets/command-list/focus-follows", test_focus_follows);
  return g_test_run ();
}
