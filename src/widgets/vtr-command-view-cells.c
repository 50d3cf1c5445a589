/* Decides which cells of the list are filled. GTK keeps two hundred rows around the visible part of
 * a list, and binds them all again after each jump. Only cells in view are filled, after the layout
 * has placed them and before they are painted. The positions of the cells tell which are in view,
 * because the adjustment knows the list's height only if that is more than a page. */
#include "vtr-config.h"

#include "widgets/vtr-command-view-private.h"

/* The number of rows on each side of the view that are filled in advance, and that stay filled. */
#define NEAR_ROWS 2
#define KEPT_ROWS 12
/* The number of rows to show beyond the target of scrolling. */
#define CONTEXT_ROWS 6
/* GTK only estimates the positions of rows that it has not made yet. */
#define SCROLL_TRIES 4
#define LAYOUTS 2
/* The most layouts per frame: the frame clock warns if a fifth one is requested. */
#define LAYOUTS_A_FRAME 3

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
  guint due;                 /* number of layouts after which to check which cells are in view */
  guint scroll_tries;        /* layouts left to bring the selected row into view; 0: not needed */
  gboolean focus_wanted;     /* of the selected row, once it is in view */
  gint64 frame;              /* of the clock */
  guint n_layouts;           /* layouts checked in that frame */
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

/* The list inside the column view. */
static GtkWidget *
get_rows (Filler *self)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->view->list));

  while (child && !GTK_IS_LIST_VIEW (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

/* Returns: (transfer none) (nullable) */
static GtkWidget *
get_row (GtkListItem *item)
{
  GtkWidget *child = gtk_list_item_get_child (item);
  GtkWidget *cell = child ? gtk_widget_get_parent (child) : NULL;

  return cell ? gtk_widget_get_parent (cell) : NULL;
}

/* The place of the cell's row, whose column may be hidden. Returns: FALSE if it has none: rows out
 * of view keep their old places. */
static gboolean
get_bounds (GtkListItem *item, GtkWidget *rows, graphene_rect_t *bounds)
{
  GtkWidget *row = get_row (item);

  return row && gtk_widget_get_mapped (row) && gtk_widget_compute_bounds (row, rows, bounds) &&
         bounds->size.height > 0;
}

/* The visible rows. @whole: only those that are visible as a whole. Returns: FALSE if there are
 * none. */
static gboolean
get_rows_in_view (Filler *self, GtkWidget *rows, gboolean whole, guint *first, guint *last)
{
  float height = (float)gtk_widget_get_height (rows);
  GHashTableIter iter;
  gpointer item;

  *first = G_MAXUINT;
  *last = 0;
  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, &item, NULL))
    {
      guint row = gtk_list_item_get_position (item);
      graphene_rect_t bounds;
      float top, bottom;

      if (row == GTK_INVALID_LIST_POSITION || !get_bounds (item, rows, &bounds))
        continue;
      top = bounds.origin.y;
      bottom = top + bounds.size.height;
      if (whole ? top < 0 || bottom > height : bottom <= 0 || top >= height)
        continue;
      *first = MIN (*first, row);
      *last = MAX (*last, row);
    }
  return *first <= *last;
}

static void
update_cells (Filler *self, GtkWidget *rows)
{
  guint first, last;
  gboolean any = get_rows_in_view (self, rows, FALSE, &first, &last);
  GHashTableIter iter;
  gpointer item, value;

  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, &item, &value))
    {
      Cell *cell = value;
      guint row = gtk_list_item_get_position (item);
      guint around = cell->filled ? KEPT_ROWS : NEAR_ROWS;

      if ((any && row + around >= first && row <= last + around) == cell->filled)
        continue;
      cell->filled = !cell->filled;
      (cell->filled ? cell->fill : cell->empty) (self->view, item);
    }
}

static gboolean
has_focus (Filler *self, GtkWidget *rows)
{
  GtkRoot *root = gtk_widget_get_root (rows);
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;

  return focus && (focus == rows || focus == GTK_WIDGET (self->view->list) ||
                   gtk_widget_get_parent (focus) == rows);
}

static gboolean
is_elsewhere (Filler *self)
{
  GtkWidget *list = GTK_WIDGET (self->view->list);
  GtkRoot *root = gtk_widget_get_root (list);
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;

  return focus != NULL && focus != list && !gtk_widget_is_ancestor (focus, list);
}

/* GTK's arrow keys start from the row that has the focus, not from the selected one. */
static void
focus_selected (Filler *self, GtkWidget *rows)
{
  guint selected = gtk_single_selection_get_selected (self->view->selection);
  gboolean wanted = self->focus_wanted && !is_elsewhere (self);
  GHashTableIter iter;
  gpointer item;

  /* Leaves the focus where it is if the user has moved it meanwhile. */
  self->focus_wanted = FALSE;
  if (!wanted && !has_focus (self, rows))
    return;
  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, &item, NULL))
    if (gtk_list_item_get_position (item) == selected && get_row (item))
      {
        gtk_widget_grab_focus (get_row (item));
        return;
      }
}

/* Scrolls with some rows on each side, because GTK scrolls no further than it must. */
static void
scroll_to_selected (Filler *self, GtkWidget *rows)
{
  guint row = gtk_single_selection_get_selected (self->view->selection);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->view->model));
  guint target = row;
  guint first, last;

  self->scroll_tries--;
  if (row == GTK_INVALID_LIST_POSITION)
    self->scroll_tries = 0;
  else if (get_rows_in_view (self, rows, TRUE, &first, &last))
    {
      guint context = MIN (CONTEXT_ROWS, (last - first) / 2);

      if (row < first)
        target = row > context ? row - context : 0;
      else if (row > last)
        target = MIN (row + context, n - 1);
      else
        {
          self->scroll_tries = 0;
          focus_selected (self, rows);
        }
    }
  /* The column view's own action does nothing; that of its inner list works. */
  if (self->scroll_tries > 0)
    gtk_widget_activate_action (rows, "list.scroll-to-item", "u", target);
}

static void
request_layout (Filler *self)
{
  if (self->clock)
    gdk_frame_clock_request_phase (self->clock, GDK_FRAME_CLOCK_PHASE_LAYOUT);
}

/* Cells for which this frame has no time are filled in the next one. */
static gboolean
begin_layout (Filler *self)
{
  gint64 frame = gdk_frame_clock_get_frame_counter (self->clock);

  if (frame != self->frame)
    self->n_layouts = 0;
  self->frame = frame;
  return self->n_layouts++ < LAYOUTS_A_FRAME;
}

static void
laid_out_cb (Filler *self)
{
  GtkWidget *rows = get_rows (self);

  if (self->due == 0 && self->scroll_tries == 0)
    return;
  if (rows == NULL || !gtk_widget_get_mapped (rows) || gtk_widget_get_height (rows) == 0 ||
      !begin_layout (self))
    return;
  if (self->due > 0)
    {
      update_cells (self, rows);
      if (--self->due > 0 && self->n_layouts < LAYOUTS_A_FRAME)
        request_layout (self);
    }
  if (self->due == 0 && self->scroll_tries > 0 && self->view->selection)
    scroll_to_selected (self, rows);
}

/* Cells that are bound during a layout get their place in the next one. */
static void
queue_update (Filler *self)
{
  if (self->due < LAYOUTS)
    {
      self->due = LAYOUTS;
      request_layout (self);
    }
}

static void
painted_cb (Filler *self)
{
  if ((self->due > 0 || self->scroll_tries > 0) &&
      gtk_widget_get_mapped (GTK_WIDGET (self->view->list)))
    request_layout (self);
}

static void
realize_cb (Filler *self)
{
  filler_set_clock (self, gtk_widget_get_frame_clock (GTK_WIDGET (self->view->list)));
  if (self->clock)
    g_signal_connect_data (self->clock, "layout", G_CALLBACK (laid_out_cb), self, NULL,
                           G_CONNECT_AFTER | G_CONNECT_SWAPPED);
  if (self->clock)
    g_signal_connect_swapped (self->clock, "after-paint", G_CALLBACK (painted_cb), self);
}

static void
unrealize_cb (Filler *self)
{
  filler_set_clock (self, NULL);
}

void
vtr_command_view_scroll_to_selection (VtrCommandView *self)
{
  Filler *filler = filler_of (self);

  filler->scroll_tries = SCROLL_TRIES;
  request_layout (filler);
}

gboolean
vtr_command_view_focus_list (VtrCommandView *self)
{
  gboolean done = gtk_widget_grab_focus (GTK_WIDGET (self->list));

  filler_of (self)->focus_wanted = done;
  vtr_command_view_scroll_to_selection (self);
  return done;
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
  queue_update (filler);
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
  g_signal_connect_swapped (filler->adjustment, "changed", G_CALLBACK (queue_update), filler);
  g_signal_connect_swapped (filler->adjustment, "value-changed", G_CALLBACK (queue_update), filler);
  g_signal_connect_swapped (self->list, "realize", G_CALLBACK (realize_cb), filler);
  g_signal_connect_swapped (self->list, "map", G_CALLBACK (request_layout), filler);
  g_signal_connect_swapped (self->list, "unrealize", G_CALLBACK (unrealize_cb), filler);
}
