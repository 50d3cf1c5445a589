/* Makes panes scroll in a small window, and folds a list and its details from side by side to
 * one above the other. */
#include "vtr-config.h"

#include "widgets/vtr-pane-room.h"

#include "widgets/vtr-text-scale.h"

#define MIN_FOLDED_HEIGHT 200

void
vtr_pane_room_add (PanelWidget *pane)
{
  GtkWidget *child = panel_widget_get_child (pane);
  GtkWidget *scroller = gtk_scrolled_window_new ();

  g_return_if_fail (child != NULL);

  g_object_ref (child);
  panel_widget_set_child (pane, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), child);
  g_object_unref (child);
  gtk_scrolled_window_set_min_content_width (GTK_SCROLLED_WINDOW (scroller), VTR_PANE_MIN_WIDTH);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scroller),
                                              VTR_PANE_MIN_HEIGHT);
  /* The natural width of the content would shrink an edge whose size the user or the layout
   * chose. */
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  panel_widget_set_child (pane, scroller);
}

/* --- folding --------------------------------------------------------------------------------- */

typedef struct
{
  GtkPaned *paned; /* (transfer none): the paned that has this data */
  int width, list_width;
  int wanted;   /* wanted by the content of the list, in pixels; 0: unknown */
  int placed;   /* width of the paned when the divider was placed */
  int position; /* position of the divider then */
  gboolean folded;
  guint idle;
} Fold;

static void
fold_free (gpointer data)
{
  Fold *fold = data;

  g_clear_handle_id (&fold->idle, g_source_remove);
  g_free (fold);
}

/* The position that the user chose stays until the width changes. */
static gboolean
fold_cb (gpointer data)
{
  Fold *fold = data;
  GtkWidget *widget = GTK_WIDGET (fold->paned);
  int width = gtk_widget_get_width (widget);
  int list = fold->wanted > 0 ? fold->wanted : vtr_text_scaled (widget, fold->list_width);
  gboolean folded = width < vtr_text_scaled (widget, fold->width) &&
                    gtk_widget_get_height (widget) >= vtr_text_scaled (widget, MIN_FOLDED_HEIGHT);

  fold->idle = 0;
  if (width == 0 || (width == fold->placed && folded == fold->folded))
    return G_SOURCE_REMOVE;
  fold->placed = width;
  fold->folded = folded;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (widget),
                                  folded ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL);
  gtk_paned_set_position (fold->paned, folded ? gtk_widget_get_height (widget) * 2 / 5
                                              : MIN (list, width * 11 / 20));
  fold->position = gtk_paned_get_position (fold->paned);
  return G_SOURCE_REMOVE;
}

static void
resized_cb (GtkPaned *paned)
{
  Fold *fold = g_object_get_data (G_OBJECT (paned), "vtr-fold");

  if (fold->idle == 0)
    fold->idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, fold_cb, fold, NULL);
}

void
vtr_pane_room_set_list_width (GtkPaned *paned, int pixels)
{
  Fold *fold = g_object_get_data (G_OBJECT (paned), "vtr-fold");

  if (fold->wanted == pixels)
    return;
  fold->wanted = pixels;
  if (fold->position == gtk_paned_get_position (paned))
    fold->placed = 0;
  resized_cb (paned);
}

/* --- what holds a fold ----------------------------------------------------------------------- */

/* Watches the size, and asks the paned for its height at this width, which a scrolled window does
 * not do. */
typedef struct
{
  GtkWidget parent_instance;
} VtrFoldHolder;

typedef struct
{
  GtkWidgetClass parent_class;
} VtrFoldHolderClass;

GType vtr_fold_holder_get_type (void);
G_DEFINE_TYPE (VtrFoldHolder, vtr_fold_holder, GTK_TYPE_WIDGET)

static GtkSizeRequestMode
vtr_fold_holder_get_request_mode (GtkWidget *widget)
{
  return gtk_widget_get_request_mode (gtk_widget_get_first_child (widget));
}

static void
vtr_fold_holder_measure (GtkWidget      *widget,
                         GtkOrientation  orientation,
                         int             for_size,
                         int            *minimum,
                         int            *natural,
                         int            *minimum_baseline,
                         int            *natural_baseline)
{
  gtk_widget_measure (gtk_widget_get_first_child (widget), orientation, for_size, minimum, natural,
                      minimum_baseline, natural_baseline);
}

static void
vtr_fold_holder_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  GtkWidget *paned = gtk_widget_get_first_child (widget);

  if (gtk_widget_get_width (paned) != width || gtk_widget_get_height (paned) != height)
    resized_cb (GTK_PANED (paned));
  gtk_widget_allocate (paned, width, height, baseline, NULL);
}

static void
vtr_fold_holder_dispose (GObject *object)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (object));

  if (child)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (vtr_fold_holder_parent_class)->dispose (object);
}

static void
vtr_fold_holder_class_init (VtrFoldHolderClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->get_request_mode = vtr_fold_holder_get_request_mode;
  widget_class->measure = vtr_fold_holder_measure;
  widget_class->size_allocate = vtr_fold_holder_size_allocate;
  G_OBJECT_CLASS (klass)->dispose = vtr_fold_holder_dispose;
}

static void
vtr_fold_holder_init (VtrFoldHolder *self)
{
}

GtkWidget *
vtr_pane_room_new_fold (GtkPaned *paned, int width, int list_width)
{
  GtkWidget *holder = g_object_new (vtr_fold_holder_get_type (), NULL);
  Fold *fold = g_new0 (Fold, 1);

  fold->paned = paned;
  fold->width = width;
  fold->list_width = list_width;
  g_object_set_data_full (G_OBJECT (paned), "vtr-fold", fold, fold_free);
  gtk_widget_set_parent (GTK_WIDGET (paned), holder);
  return holder;
}
