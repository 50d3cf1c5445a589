/* The table of the Timings pane: the measured commands or passes with their durations, the
 * slowest first. */
#include "vtr-config.h"

#include "widgets/vtr-timings-table.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/answers/vtr-resolve.h"
#include "widgets/vtr-accessible.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-list-keys.h"
#include "widgets/vtr-time-cell.h"

/* The most rows: nobody reads more, and sorting more would be slow. */
#define MAX_ROWS 10000

/* --- rows ------------------------------------------------------------------------------------ */

#define VTR_TYPE_TIMINGS_ITEM (vtr_timings_item_get_type ())
G_DECLARE_FINAL_TYPE (VtrTimingsItem, vtr_timings_item, VTR, TIMINGS_ITEM, GObject)

struct _VtrTimingsItem
{
  GObject parent_instance;

  guint64 index;
  guint32 run;
  gboolean is_timed;
  VtrSpread time;
  double share;
};

G_DEFINE_FINAL_TYPE (VtrTimingsItem, vtr_timings_item, G_TYPE_OBJECT)

static void
vtr_timings_item_class_init (VtrTimingsItemClass *klass)
{
}

static void
vtr_timings_item_init (VtrTimingsItem *self)
{
}

/* --- the table ------------------------------------------------------------------------------- */

typedef enum
{
  COLUMN_COMMAND,
  COLUMN_INDEX,
  COLUMN_MEDIAN,
  COLUMN_MEAN,
  COLUMN_LEAST,
  COLUMN_MOST,
  N_COLUMNS,
} Column;

struct _VtrTimingsTable
{
  GtkWidget parent_instance;

  GtkWidget *scroller;
  GtkColumnView *view;
  GListStore *store;
  GtkSingleSelection *selection;
  VtrSession *session; /* weak */
  gboolean following;
};

G_DEFINE_FINAL_TYPE (VtrTimingsTable, vtr_timings_table, GTK_TYPE_WIDGET)

static guint64
get_number (const VtrTimingsItem *item, Column column)
{
  switch (column)
    {
    case COLUMN_MEDIAN:
      return item->time.median;
    case COLUMN_MEAN:
      return item->time.mean;
    case COLUMN_LEAST:
      return item->time.minimum;
    case COLUMN_MOST:
      return item->time.maximum;
    case COLUMN_COMMAND:
    case COLUMN_INDEX:
    case N_COLUMNS:
    default:
      return item->index;
    }
}

static const char *
get_name (VtrTimingsTable *self, const VtrTimingsItem *item)
{
  return vtr_command_name (
    vtr_trace_get_command_id (vtr_session_get_trace (self->session), item->index));
}

static int
compare_cb (gconstpointer a, gconstpointer b, gpointer data)
{
  Column column = GPOINTER_TO_UINT (data);
  const VtrTimingsItem *left = a, *right = b;
  guint64 x = get_number (left, column);
  guint64 y = get_number (right, column);

  if (x == y)
    return (left->index > right->index) - (left->index < right->index);
  return x < y ? -1 : 1;
}

static int
compare_names_cb (gconstpointer a, gconstpointer b, gpointer data)
{
  VtrTimingsTable *self = data;
  int order = self->session != NULL ? g_strcmp0 (get_name (self, a), get_name (self, b)) : 0;

  return order != 0 ? order : compare_cb (a, b, GUINT_TO_POINTER (COLUMN_INDEX));
}

/* --- cells ----------------------------------------------------------------------------------- */

static void
setup_text_cb (GtkListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  GtkWidget *text = gtk_inscription_new (NULL);
  gboolean number = GPOINTER_TO_UINT (data) == COLUMN_INDEX;

  gtk_inscription_set_text_overflow (GTK_INSCRIPTION (text),
                                     GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (text), 1);
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (text), number ? 5 : 8);
  gtk_inscription_set_xalign (GTK_INSCRIPTION (text), number ? 1 : 0);
  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);
  if (number)
    {
      gtk_widget_add_css_class (text, "caption");
      gtk_widget_add_css_class (text, "numeric");
      gtk_widget_add_css_class (text, "dim-text");
    }
  gtk_list_item_set_child (list_item, text);
}

static void
bind_name_cb (VtrTimingsTable *self, GtkListItem *list_item)
{
  const char *name =
    self->session != NULL ? get_name (self, gtk_list_item_get_item (list_item)) : "";

  /* The same text as in the command list. */
  if (g_str_has_prefix (name, "vkCmd"))
    name += strlen ("vkCmd");
  gtk_inscription_set_text (GTK_INSCRIPTION (gtk_list_item_get_child (list_item)), name);
  vtr_accessible_name_row (gtk_list_item_get_child (list_item), name);
}

static void
bind_index_cb (VtrTimingsTable *self, GtkListItem *list_item)
{
  const VtrTimingsItem *item = gtk_list_item_get_item (list_item);
  g_autofree char *number = NULL;

  if (self->session != NULL)
    number = vtr_format_number (
      vtr_trace_get_number (vtr_session_get_trace (self->session), item->index));
  gtk_inscription_set_text (GTK_INSCRIPTION (gtk_list_item_get_child (list_item)), number);
}

static void
setup_time_cb (GtkListItemFactory *factory, GtkListItem *list_item)
{
  gtk_list_item_set_child (list_item, vtr_time_cell_new ());
}

static void
bind_time_cb (GtkListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  const VtrTimingsItem *item = gtk_list_item_get_item (list_item);
  g_autofree char *text = NULL;
  Column column = GPOINTER_TO_UINT (data);

  if (item->is_timed)
    text = vtr_format_duration (get_number (item, column));
  vtr_time_cell_set (VTR_TIME_CELL (gtk_list_item_get_child (list_item)), text,
                     column == COLUMN_MEDIAN && item->is_timed ? item->share : -1);
}

static void
add_column (VtrTimingsTable *self, const char *title, Column column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *made = gtk_column_view_column_new (title, factory);
  g_autoptr (GtkSorter) sorter = NULL;

  if (column == COLUMN_COMMAND)
    sorter = GTK_SORTER (gtk_custom_sorter_new (compare_names_cb, self, NULL));
  else
    sorter = GTK_SORTER (gtk_custom_sorter_new (compare_cb, GUINT_TO_POINTER (column), NULL));
  gtk_column_view_column_set_sorter (made, sorter);
  gtk_column_view_column_set_expand (made, column == COLUMN_COMMAND);
  if (column == COLUMN_COMMAND || column == COLUMN_INDEX)
    {
      g_signal_connect (factory, "setup", G_CALLBACK (setup_text_cb), GUINT_TO_POINTER (column));
      g_signal_connect_object (factory, "bind",
                               column == COLUMN_COMMAND ? G_CALLBACK (bind_name_cb)
                                                        : G_CALLBACK (bind_index_cb),
                               self, G_CONNECT_SWAPPED);
    }
  else
    {
      g_signal_connect (factory, "setup", G_CALLBACK (setup_time_cb), NULL);
      g_signal_connect (factory, "bind", G_CALLBACK (bind_time_cb), GUINT_TO_POINTER (column));
    }
  gtk_column_view_append_column (self->view, made);
  if (column == COLUMN_MEDIAN)
    gtk_column_view_sort_by_column (self->view, made, GTK_SORT_DESCENDING);
  g_object_unref (made);
}

/* --- selection ------------------------------------------------------------------------------- */

static void
selected_cb (VtrTimingsTable *self)
{
  const VtrTimingsItem *item = gtk_single_selection_get_selected_item (self->selection);
  VtrPlace address;

  if (self->following || item == NULL || self->session == NULL)
    return;
  address = (VtrPlace){ item->index, item->run };
  vtr_session_select_address (self->session, &address, VTR_SELECT_JUMP);
}

/* The row of the session's selection, if the table has it. */
static void
follow (VtrTimingsTable *self)
{
  VtrPlace address = vtr_session_get_address (self->session);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->selection));
  guint found = GTK_INVALID_LIST_POSITION;

  for (guint i = 0; i < n && found == GTK_INVALID_LIST_POSITION; i++)
    {
      g_autoptr (VtrTimingsItem) item = g_list_model_get_item (G_LIST_MODEL (self->selection), i);

      if (item->index == address.index &&
          (address.run == VTR_NO_RUN || address.run == item->run))
        found = i;
    }
  self->following = TRUE;
  gtk_single_selection_set_selected (self->selection, found);
  self->following = FALSE;
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_timings_table_dispose (GObject *object)
{
  VtrTimingsTable *self = VTR_TIMINGS_TABLE (object);

  if (self->selection != NULL)
    vtr_timings_table_set_session (self, NULL);
  g_clear_object (&self->selection);
  g_clear_object (&self->store);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_timings_table_parent_class)->dispose (object);
}

static gboolean
vtr_timings_table_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (VTR_TIMINGS_TABLE (widget)->view));
}

static void
vtr_timings_table_class_init (VtrTimingsTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_timings_table_dispose;
  GTK_WIDGET_CLASS (klass)->grab_focus = vtr_timings_table_grab_focus;
  vtr_focus_chain_init_class (GTK_WIDGET_CLASS (klass));
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
make_model (VtrTimingsTable *self)
{
  GtkSorter *sorter = gtk_column_view_get_sorter (self->view);
  GtkSortListModel *sorted;

  self->store = g_list_store_new (VTR_TYPE_TIMINGS_ITEM);
  sorted = gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (self->store)),
                                    g_object_ref (sorter));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (self->selection));
  g_signal_connect_object (self->selection, "notify::selected-item", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);
}

static void
vtr_timings_table_init (VtrTimingsTable *self)
{
  static const char *const titles[N_COLUMNS] = { N_ ("Command"), N_ ("Index"), N_ ("Median"),
                                                 N_ ("Mean"), N_ ("Min"), N_ ("Max") };

  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  vtr_list_keys_init (GTK_WIDGET (self->view));
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "messages");
  gtk_column_view_set_reorderable (self->view, FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Timings"), -1);
  for (guint i = 0; i < N_COLUMNS; i++)
    add_column (self, _ (titles[i]), i);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), GTK_WIDGET (self->view));
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
  make_model (self);
}

GtkWidget *
vtr_timings_table_new (void)
{
  return g_object_new (VTR_TYPE_TIMINGS_TABLE, NULL);
}

void
vtr_timings_table_set_session (VtrTimingsTable *self, VtrSession *session)
{
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  self->following = TRUE;
  g_list_store_remove_all (self->store);
  self->following = FALSE;
  g_set_weak_pointer (&self->session, session);
  if (session != NULL)
    g_signal_connect_object (session, "selection-changed", G_CALLBACK (follow), self,
                             G_CONNECT_SWAPPED);
}

/* --- rows ------------------------------------------------------------------------------------ */

static VtrTimingsItem *
make_item (VtrMeasurement *measurement, const VtrTimingRow *row)
{
  VtrTimingsItem *item = g_object_new (VTR_TYPE_TIMINGS_ITEM, NULL);

  item->index = row->index;
  item->run = row->run;
  item->is_timed = row->is_timed;
  item->time = row->time;
  item->share = vtr_measurement_get_share (measurement, row->time.median);
  return item;
}

void
vtr_timings_table_update (VtrTimingsTable *self, VtrProbeKind kind)
{
  VtrMeasurement *measurement = self->session != NULL ? vtr_measurement_of (self->session) : NULL;
  const VtrTimings *timings =
    measurement != NULL ? vtr_measurement_get_timings (measurement) : NULL;
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GArray) order = timings != NULL ? vtr_timings_sort (timings, kind) : NULL;

  /* Without timestamps no row is the slowest. */
  for (guint32 i = 0; order != NULL && order->len == 0 && i < timings->rows->len; i++)
    {
      const VtrTimingRow *row = &g_array_index (timings->rows, VtrTimingRow, i);

      if (row->kind == kind && items->len < MAX_ROWS)
        g_ptr_array_add (items, make_item (measurement, row));
    }
  for (guint i = 0; order != NULL && i < MIN (order->len, MAX_ROWS); i++)
    g_ptr_array_add (items, make_item (measurement, &g_array_index (timings->rows, VtrTimingRow,
                                                                    g_array_index (order, guint32,
                                                                                   i))));
  self->following = TRUE;
  g_list_store_splice (self->store, 0, g_list_model_get_n_items (G_LIST_MODEL (self->store)),
                       items->pdata, items->len);
  self->following = FALSE;
  if (self->session != NULL)
    follow (self);
}

GListModel *
vtr_timings_table_get_model (VtrTimingsTable *self)
{
  return G_LIST_MODEL (self->selection);
}

guint64
vtr_timings_table_get_index (gpointer item)
{
  return VTR_TIMINGS_ITEM (item)->index;
}
