/* Which cells of the list hold something. GTK keeps two hundred rows about what can be seen of a
 * list, and binds them all anew after each jump: only those in view are filled, once the layout
 * knows which those are, and before they are painted. */
#include "vtr-config.h"

#include "widgets/vtr-command-view-private.h"

/* Rows on each side that are filled beforehand, and rows that stay filled. */
#define NEAR_ROWS 2
#define KEPT_ROWS 12

typedef struct
{
  VtrCellFunc fill, empty;
  gboolean filled;
} Cell;

typedef struct
{
  VtrCommandView *view;      /* not owned */
  GHashTable *cells;         /* GtkListItem * → Cell */
  GtkAdjustment *adjustment; /* (nullable) */
  GdkFrameClock *clock;      /* (nullable) */
  double row_height;         /* 0: not laid out yet */
  gboolean due;
} Filler;

static void
filler_set_clock (Filler *self, GdkFrameClock *clock)
{
  if (self->clock)
    g_signal_handlers_disconnect_by_data (self->clock, self);
  g_set_object (&self->clock, clock);
}

static void
filler_free (gpointer data)
{
  Filler *self = data;

  filler_set_clock (self, NULL);
  if (self->adjustment)
    g_signal_handlers_disconnect_by_data (self->adjustment, self);
  g_clear_object (&self->adjustment);
  g_hash_table_unref (self->cells);
  g_free (self);
}

static Filler *
filler_of (VtrCommandView *self)
{
  return g_object_get_data (G_OBJECT (self), "vtr-filler");
}

static gboolean
is_in_view (Filler *self, GtkListItem *item, guint rows_around)
{
  double around = rows_around * self->row_height;
  double y = gtk_list_item_get_position (item) * self->row_height;
  double top;

  if (self->adjustment == NULL || self->row_height <= 0)
    return FALSE;
  top = gtk_adjustment_get_value (self->adjustment);
  return y + self->row_height > top - around &&
         y < top + gtk_adjustment_get_page_size (self->adjustment) + around;
}

static void
update_cells (Filler *self)
{
  GHashTableIter iter;
  gpointer item, value;

  self->due = FALSE;
  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, &item, &value))
    {
      Cell *cell = value;

      if (is_in_view (self, item, cell->filled ? KEPT_ROWS : NEAR_ROWS) == cell->filled)
        continue;
      cell->filled = !cell->filled;
      (cell->filled ? cell->fill : cell->empty) (self->view, item);
    }
}

static void
laid_out_cb (Filler *self)
{
  if (self->due)
    update_cells (self);
}

/* In the middle of the layout, which must not be asked for another one. */
static void
adjustment_changed_cb (Filler *self)
{
  guint n = self->view->model ? g_list_model_get_n_items (G_LIST_MODEL (self->view->model)) : 0;

  self->row_height = n > 0 ? gtk_adjustment_get_upper (self->adjustment) / n : 0;
  self->due = TRUE;
  if (self->clock)
    gdk_frame_clock_request_phase (self->clock, GDK_FRAME_CLOCK_PHASE_LAYOUT);
}

static void
realize_cb (Filler *self)
{
  filler_set_clock (self, gtk_widget_get_frame_clock (GTK_WIDGET (self->view->list)));
  if (self->clock)
    g_signal_connect_data (self->clock, "layout", G_CALLBACK (laid_out_cb), self, NULL,
                           G_CONNECT_AFTER | G_CONNECT_SWAPPED);
}

static void
unrealize_cb (Filler *self)
{
  filler_set_clock (self, NULL);
}

void
vtr_command_view_bind_cell (VtrCommandView *self,
                            GtkListItem    *item,
                            VtrCellFunc     fill,
                            VtrCellFunc     empty)
{
  Filler *filler = filler_of (self);
  Cell *cell = g_new0 (Cell, 1);

  cell->fill = fill;
  cell->empty = empty;
  g_hash_table_replace (filler->cells, item, cell);
  cell->filled = is_in_view (filler, item, NEAR_ROWS);
  if (cell->filled)
    fill (self, item);
}

void
vtr_command_view_unbind_cell (VtrCommandView *self, GtkListItem *item)
{
  Filler *filler = filler_of (self);
  Cell *cell = filler ? g_hash_table_lookup (filler->cells, item) : NULL;

  if (cell == NULL)
    return;
  if (cell->filled)
    cell->empty (self, item);
  g_hash_table_remove (filler->cells, item);
}

void
vtr_command_view_refill (VtrCommandView *self, VtrCellFunc fill)
{
  GHashTableIter iter;
  gpointer item, value;

  g_hash_table_iter_init (&iter, filler_of (self)->cells);
  while (g_hash_table_iter_next (&iter, &item, &value))
    if (((Cell *)value)->filled && ((Cell *)value)->fill == fill)
      fill (self, item);
}

void
vtr_command_view_init_cells (VtrCommandView *self)
{
  Filler *filler = g_new0 (Filler, 1);

  filler->view = self;
  filler->cells = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_object_set_data_full (G_OBJECT (self), "vtr-filler", filler, filler_free);
  filler->adjustment =
    g_object_ref (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->list)));
  g_signal_connect_swapped (filler->adjustment, "changed", G_CALLBACK (adjustment_changed_cb),
                            filler);
  g_signal_connect_swapped (filler->adjustment, "value-changed",
                            G_CALLBACK (adjustment_changed_cb), filler);
  g_signal_connect_swapped (self->list, "realize", G_CALLBACK (realize_cb), filler);
  g_signal_connect_swapped (self->list, "unrealize", G_CALLBACK (unrealize_cb), filler);
}
