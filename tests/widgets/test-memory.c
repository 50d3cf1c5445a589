/* Tests the Memory pane: hex grid, values, and what it shows for a command. */
#include "vtr-test-ui.h"

#include "engine/document/vtr-document-memory.h"
#include "widgets/vtr-hex-grid.h"
#include "widgets/vtr-memory-pane.h"
#include "widgets/vtr-memory-tree.h"
#include "widgets/vtr-memory-values.h"
#include "widgets/vtr-pane.h"

#include <string.h>

#define BIG ((guint64)64 << 30)

/* Bytes that count up; every fifth sixteen is the GPU's. */
static VtrMemoryView *
make_view (guint64 offset,
           guint64 size)
{
  VtrMemoryView *view = g_new0 (VtrMemoryView, 1);
  guint8 *bytes = g_malloc (size);

  g_atomic_ref_count_init (&view->refs);
  view->space = 7;
  view->offset = offset;
  view->size = size;
  view->spans = g_array_new (FALSE, FALSE, sizeof (VtrMemorySpan));
  view->accesses = g_array_new (FALSE, FALSE, sizeof (VtrMemoryRange));
  for (guint64 i = 0; i < size; i++)
    bytes[i] = (guint8)(offset + i);
  for (guint64 at = offset; at < offset + size; at += 16)
    {
      gboolean gpu = at / 16 % 5 == 4;
      const VtrMemorySpan span = { at, MIN (16, offset + size - at),
                                   gpu ? VTR_MEMORY_GPU_WRITTEN : VTR_MEMORY_OBSERVED, !gpu, 3 };

      g_array_append_val (view->spans, span);
    }
  view->bytes = g_bytes_new_take (bytes, size);
  return view;
}

static guint64 loaded;

static void
load_cb (VtrHexGrid *grid,
         guint64     offset,
         guint64     size,
         gpointer    data)
{
  g_autoptr (VtrMemoryView) view = make_view (offset, size);

  loaded += size;
  vtr_hex_grid_take (grid, view);
}

static gboolean
has_byte (gpointer data)
{
  guint8 byte;

  return vtr_hex_grid_get_byte (data, vtr_hex_grid_get_cursor (data), &byte) != NULL;
}

/* 64 GiB are shown by loading what is on the screen. */
static void
test_grid (void)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  VtrHexGrid *grid = VTR_HEX_GRID (vtr_hex_grid_new ());
  GtkWindow *window;
  guint64 offset, size;
  guint8 byte = 0;

  loaded = 0;
  g_signal_connect (grid, "load", G_CALLBACK (load_cb), NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (grid));
  window = vtr_test_ui_show (scroller, 800, 300);
  vtr_hex_grid_set_range (grid, 0, BIG);
  vtr_test_ui_wait (has_byte, grid);
  vtr_hex_grid_go_to (grid, BIG - 5);
  vtr_test_ui_wait (has_byte, grid);
  vtr_hex_grid_go_to (grid, BIG / 2 + 0x21);
  vtr_test_ui_wait (has_byte, grid);
  g_assert_nonnull (vtr_hex_grid_get_byte (grid, BIG / 2 + 0x21, &byte));
  g_assert_cmpuint (byte, ==, 0x21);
  g_assert_cmpuint (loaded, <, 1 << 20);
  g_assert_true (vtr_hex_grid_find_gpu (grid, &offset, &size));
  g_assert_cmpuint (offset / 16 % 5, ==, 4);

  vtr_hex_grid_select (grid, BIG / 2, 100);
  vtr_hex_grid_get_selection (grid, &offset, &size);
  g_assert_cmpuint (offset, ==, BIG / 2);
  g_assert_cmpuint (size, ==, 100);
  vtr_hex_grid_go_to (grid, G_MAXUINT64);
  g_assert_cmpuint (vtr_hex_grid_get_cursor (grid), ==, BIG - 1);
  vtr_hex_grid_set_range (grid, 0, 0);
  vtr_test_ui_spin (50);
  gtk_window_destroy (window);
}

static void
test_values (void)
{
  g_autoptr (VtrMemoryView) view = make_view (0, 128);
  g_autoptr (VtrMemoryType) type =
    vtr_memory_type_parse ("{u8 a; u8 b[3]; u32 c}", VTR_MEMORY_LAYOUT_SCALAR, NULL);
  g_autoptr (GListModel) list = vtr_memory_values_new (view, type, 0);
  g_autoptr (VtrMemoryValue) first = g_list_model_get_item (list, 0);
  g_autoptr (VtrMemoryValue) unknown = g_list_model_get_item (list, 8);
  g_autoptr (GListModel) members = vtr_memory_value_list_children (first);
  g_autoptr (VtrMemoryValue) array = g_list_model_get_item (members, 1);
  g_autoptr (GListModel) elements = vtr_memory_value_list_children (array);
  g_autoptr (VtrMemoryValue) element = g_list_model_get_item (elements, 2);

  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 16);
  g_assert_cmpstr (vtr_memory_value_get_text (first), ==, "{0, [1, 2, 3], 117835012}");
  g_assert_cmpstr (vtr_memory_value_get_text (unknown), ==, "··");
  g_assert_cmpuint (g_list_model_get_n_items (members), ==, 3);
  g_assert_cmpstr (vtr_memory_value_get_name (array), ==, "b");
  g_assert_cmpstr (vtr_memory_value_get_text (element), ==, "3");
  g_assert_null (vtr_memory_value_list_children (element));
  g_assert_null (g_list_model_get_item (list, 16));
}

/* A block stands once; what of it is beyond the range is not shown as a value. */
static void
test_block (void)
{
  g_autoptr (VtrMemoryView) view = make_view (0, 32);
  g_autoptr (VtrMemoryType) type = vtr_memory_type_parse (
    "block Camera {u32 a @0; u8 b[2 stride 8] @4; u32 beyond @40}", VTR_MEMORY_LAYOUT_STD140, NULL);
  g_autoptr (VtrMemoryType) open =
    vtr_memory_type_parse ("block {u32 n @0; u16 more[]}", VTR_MEMORY_LAYOUT_SCALAR, NULL);
  g_autoptr (GListModel) list = vtr_memory_values_new (view, type, 0);
  g_autoptr (GListModel) open_list = vtr_memory_values_new (view, open, 0);
  g_autoptr (VtrMemoryValue) array = g_list_model_get_item (list, 1);
  g_autoptr (VtrMemoryValue) beyond = g_list_model_get_item (list, 2);
  g_autoptr (GListModel) elements = vtr_memory_value_list_children (array);
  g_autoptr (VtrMemoryValue) element = g_list_model_get_item (elements, 1);
  g_autoptr (VtrMemoryValue) more = g_list_model_get_item (open_list, 1);

  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 3);
  g_assert_cmpstr (vtr_memory_value_get_name (array), ==, "b");
  g_assert_cmpstr (vtr_memory_value_get_type_name (array), ==, "u8[2]");
  g_assert_cmpuint (vtr_memory_value_get_offset (element), ==, 12);
  g_assert_cmpuint (vtr_memory_value_get_size (element), ==, 1);
  g_assert_cmpstr (vtr_memory_value_get_text (element), ==, "12");
  g_assert_cmpstr (vtr_memory_value_get_text (beyond), ==, "··");
  g_assert_cmpstr (vtr_memory_value_get_type_name (more), ==, "u16[14]");
}

static gboolean
shows_text (GtkWidget  *widget,
            const char *text)
{
  if (GTK_IS_INSCRIPTION (widget) &&
      g_strcmp0 (gtk_inscription_get_text (GTK_INSCRIPTION (widget)), text) == 0)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (shows_text (child, text))
      return TRUE;
  return FALSE;
}

/* Other bytes of the same type, such as after reading back: rows stay expanded and selected. */
static void
test_tree (void)
{
  g_autoptr (VtrMemoryType) type =
    vtr_memory_type_parse ("{u8 a; u8 b[3]; u32 c}", VTR_MEMORY_LAYOUT_SCALAR, NULL);
  g_autoptr (VtrMemoryView) before = make_view (0, 64);
  g_autoptr (VtrMemoryView) after = make_view (0, 64);
  g_autoptr (VtrMemoryView) elsewhere = make_view (32, 64);
  g_autoptr (VtrMemoryView) shorter = make_view (0, 32);
  static guint8 bytes[64] = { 200, 201 };
  GtkColumnView *tree = GTK_COLUMN_VIEW (vtr_memory_tree_new ());
  GtkWindow *window = vtr_test_ui_show (GTK_WIDGET (tree), 600, 400);
  GtkSelectionModel *model;
  g_autoptr (GtkTreeListRow) row = NULL;
  guint64 offset, size;

  g_bytes_unref (after->bytes);
  after->bytes = g_bytes_new_static (bytes, sizeof (bytes));
  vtr_memory_tree_set (tree, before, type);
  model = gtk_column_view_get_model (tree);
  row = g_list_model_get_item (G_LIST_MODEL (model), 0);
  gtk_tree_list_row_set_expanded (row, TRUE);
  gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (model), 2);
  vtr_test_ui_spin (100);
  g_assert_true (shows_text (GTK_WIDGET (tree), "[1, 2, 3]"));

  vtr_memory_tree_set (tree, after, type);
  vtr_test_ui_spin (100);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (tree))), ==,
                    8 + 3);
  g_assert_true (vtr_memory_tree_get_selected (tree, &offset, &size));
  g_assert_cmpuint (offset, ==, 1);
  g_assert_true (shows_text (GTK_WIDGET (tree), "[201, 0, 0]"));
  g_assert_false (shows_text (GTK_WIDGET (tree), "[1, 2, 3]"));

  /* Rows of another place are expanded alike; what was selected there is not. */
  vtr_memory_tree_set (tree, elsewhere, type);
  vtr_test_ui_spin (100);
  g_assert_true (shows_text (GTK_WIDGET (tree), "[33, 34, 35]"));
  g_assert_false (vtr_memory_tree_get_selected (tree, &offset, &size));
  vtr_memory_tree_set (tree, shorter, type);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (tree))), ==,
                    4);
  gtk_window_destroy (window);
}

/* The pane is given sessions, selections and paths of all kinds, and taken away at any moment. */
static void
test_pane (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (2);
  VtrMemoryPane *pane = VTR_MEMORY_PANE (g_object_ref_sink (vtr_memory_pane_new ()));
  GtkWindow *window = vtr_test_ui_show (GTK_WIDGET (pane), 900, 300);
  guint64 n = vtr_trace_get_n_commands (vtr_session_get_trace (session));

  vtr_memory_pane_set_session (pane, session);
  for (guint64 i = 0; i < n; i++)
    {
      vtr_session_select (session, i, VTR_SELECT_STEP);
      vtr_test_ui_spin (5);
    }
  g_assert_true (vtr_pane_show_path (VTR_PANE (pane), "commands/2/memory"));
  g_assert_true (
    vtr_pane_show_path (VTR_PANE (pane), "commands/2/memory/0/0x1000-0x1010?type=vec4"));
  vtr_test_ui_spin (100);
  g_assert_false (vtr_pane_show_path (VTR_PANE (pane), "commands/2/memory/0/nonsense"));
  g_assert_false (vtr_pane_show_path (VTR_PANE (pane), "commands/2/state"));
  vtr_memory_pane_show (pane, 0, G_MAXUINT64 - 8, 8);
  vtr_memory_pane_show (pane, 12345, 0, 8);
  vtr_test_ui_spin (100);
  vtr_session_clear_selection (session);
  vtr_session_select (session, 1, VTR_SELECT_JUMP);
  vtr_memory_pane_set_session (pane, NULL);
  vtr_test_ui_spin (50);
  gtk_window_destroy (window);
  vtr_test_ui_assert_gone (pane);
}

static GtkStack *
find_stack (GtkWidget *widget)
{
  if (GTK_IS_STACK (widget) && gtk_stack_get_child_by_name (GTK_STACK (widget), "grid") != NULL)
    return GTK_STACK (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkStack *found = find_stack (child);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* A command by whether it touches memory. */
static guint64
find_command (VtrSession *session,
              gboolean    touches)
{
  VtrMemory *memory = vtr_document_get_memory (vtr_session_get_document (session));
  guint64 n = vtr_trace_get_n_commands (vtr_session_get_trace (session));

  for (guint64 i = 0; i < n; i++)
    {
      g_autoptr (GArray) ranges =
        vtr_memory_list_ranges (memory, i, VTR_NO_RUN, NULL, NULL);

      if (ranges != NULL && (ranges->len > 0) == touches)
        return i;
    }
  g_assert_not_reached ();
}

static const char *
shows (VtrSession    *session,
       VtrMemoryPane *pane,
       guint64        command)
{
  vtr_session_select (session, command, VTR_SELECT_JUMP);
  vtr_test_ui_spin (300);
  return gtk_stack_get_visible_child_name (find_stack (GTK_WIDGET (pane)));
}

/* @label: of a button; NULL: any. */
static GtkWidget *
find_widget (GtkWidget  *widget,
             GType       type,
             const char *label)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type) &&
      (label == NULL || g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_widget (child, type, label);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* Values are shown beside the bytes until somebody wants the bytes alone; a value that is picked is
   selected among the bytes. */
static void
test_raw (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  VtrMemoryPane *pane = VTR_MEMORY_PANE (vtr_memory_pane_new ());
  GtkWindow *window = vtr_test_ui_show (GTK_WIDGET (pane), 900, 300);
  GtkWidget *values = find_widget (GTK_WIDGET (pane), GTK_TYPE_COLUMN_VIEW, NULL);
  GtkWidget *grid = find_widget (GTK_WIDGET (pane), VTR_TYPE_HEX_GRID, NULL);
  GtkWidget *toggle = find_widget (GTK_WIDGET (pane), GTK_TYPE_TOGGLE_BUTTON, "Values");
  guint64 offset, size;

  vtr_memory_pane_set_session (pane, session);
  vtr_session_select (session, 2, VTR_SELECT_JUMP);
  vtr_test_ui_spin (300);
  g_assert_true (vtr_pane_show_path (
    VTR_PANE (pane), "commands/2/memory/0/0x1000-0x1010?type=block%20%7Bu32%20a%3B%20u32%20b%7D"));
  vtr_test_ui_spin (300);
  g_assert_true (gtk_widget_get_mapped (values));
  g_assert_true (gtk_widget_get_sensitive (toggle));
  gtk_selection_model_select_item (gtk_column_view_get_model (GTK_COLUMN_VIEW (values)), 1, TRUE);
  vtr_hex_grid_get_selection (VTR_HEX_GRID (grid), &offset, &size);
  g_assert_cmpuint (offset, ==, 0x1004);
  g_assert_cmpuint (size, ==, 4);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (toggle), FALSE);
  vtr_test_ui_spin (100);
  g_assert_false (gtk_widget_get_mapped (values));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (toggle), TRUE);
  vtr_test_ui_spin (100);
  g_assert_true (gtk_widget_get_mapped (values));
  vtr_memory_pane_set_session (pane, NULL);
  gtk_window_destroy (window);
}

/* Bytes of the last command are not shown for one that touches none, unless a person went there. */
static void
test_stale (void)
{
  g_autoptr (VtrSession) session = vtr_test_ui_session (1);
  VtrMemoryPane *pane = VTR_MEMORY_PANE (vtr_memory_pane_new ());
  GtkWindow *window = vtr_test_ui_show (GTK_WIDGET (pane), 900, 300);
  guint64 some = find_command (session, TRUE);
  guint64 none = find_command (session, FALSE);

  vtr_memory_pane_set_session (pane, session);
  g_assert_cmpstr (shows (session, pane, some), ==, "grid");
  g_assert_cmpstr (shows (session, pane, none), ==, "empty");
  g_assert_cmpstr (shows (session, pane, some), ==, "grid");
  g_assert_true (vtr_pane_show_path (VTR_PANE (pane), "commands/2/memory/0/0x1000-0x1010"));
  g_assert_cmpstr (shows (session, pane, none), ==, "grid");
  vtr_memory_pane_set_session (pane, NULL);
  gtk_window_destroy (window);
}

/* A narrow table shows values rather than offsets. */
static void
test_columns (void)
{
  static const char *const titles[] = { "Name", "Value" };
  GtkWidget *tree = g_object_ref_sink (vtr_memory_tree_new ());
  GListModel *columns = gtk_column_view_get_columns (GTK_COLUMN_VIEW (tree));

  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      g_assert_cmpstr (gtk_column_view_column_get_title (column), ==, titles[i]);
    }
  g_object_unref (tree);
}

int
main (int    argc,
      char **argv)
{
  vtr_test_ui_init (&argc, &argv);
  g_test_add_func ("/widgets/memory/grid", test_grid);
  g_test_add_func ("/widgets/memory/columns", test_columns);
  g_test_add_func ("/widgets/memory/values", test_values);
  g_test_add_func ("/widgets/memory/block", test_block);
  g_test_add_func ("/widgets/memory/tree", test_tree);
  g_test_add_func ("/widgets/memory/raw", test_raw);
  g_test_add_func ("/widgets/memory/pane", test_pane);
  g_test_add_func ("/widgets/memory/stale", test_stale);
  return g_test_run ();
}
