/* A layout manager for toolbars: children side by side, continued on further lines if they do not
 * fit. */
#include "vtr-config.h"

#include "widgets/vtr-wrap-layout.h"

struct _VtrWrapLayout
{
  GtkLayoutManager parent_instance;

  int spacing;
  GtkAlign align;
};

G_DEFINE_FINAL_TYPE (VtrWrapLayout, vtr_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

/* Of a child: its rank, from 1 to MAX_RANK; 0: it is not optional. */
#define RANK "vtr-wrap-rank"
#define MAX_RANK 31

/* Children from @first to before @end. */
typedef struct
{
  GtkWidget *first;
  GtkWidget *end; /* NULL: none follows */
  int width;      /* with the spaces between */
  int height;
} Line;

static int
get_width (GtkWidget *child, int room)
{
  int least, usual;

  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &usual, NULL, NULL);
  return MAX (least, MIN (usual, room));
}

static int
get_rank (GtkWidget *child)
{
  return GPOINTER_TO_INT (g_object_get_data (G_OBJECT (child), RANK));
}

/* @ranks: bit mask of those that are shown. */
static gboolean
has_place (GtkWidget *child, guint32 ranks)
{
  return gtk_widget_should_layout (child) && (ranks & 1u << get_rank (child)) != 0;
}

/* Fills a line of width @room, beginning with @child. */
static Line
get_line (VtrWrapLayout *self, GtkWidget *child, int room, guint32 ranks)
{
  Line line = { .first = child };
  gboolean empty = TRUE;

  for (; child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      int width, height;

      if (!has_place (child, ranks))
        continue;
      width = get_width (child, room);
      if (!empty && line.width + self->spacing + width > room)
        break;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, &height, NULL, NULL, NULL);
      line.width += width + (empty ? 0 : self->spacing);
      line.height = MAX (line.height, height);
      empty = FALSE;
    }
  line.end = child;
  return line;
}

static guint
count_lines (VtrWrapLayout *self, GtkWidget *widget, int room, guint32 ranks)
{
  guint n = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; n++)
    child = get_line (self, child, room, ranks).end;
  return n;
}

/* Chooses the ranks that fit into @room. */
static guint32
choose_ranks (VtrWrapLayout *self, GtkWidget *widget, int room)
{
  guint32 ranks = 1, there = 0;
  guint n_lines;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    there |= 1u << get_rank (child);
  if ((there & ~1u) == 0)
    return ranks;
  n_lines = count_lines (self, widget, room, ranks);
  for (guint rank = 1; rank <= MAX_RANK; rank++)
    if ((there & 1u << rank) != 0 &&
        count_lines (self, widget, room, ranks | 1u << rank) == n_lines)
      ranks |= 1u << rank;
  return ranks;
}

static void
measure_width (VtrWrapLayout *self, GtkWidget *widget, int *minimum, int *natural)
{
  gboolean first = TRUE;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int least, usual;

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &usual, NULL, NULL);
      if (get_rank (child) == 0)
        *minimum = MAX (*minimum, least);
      *natural += usual + (first ? 0 : self->spacing);
      first = FALSE;
    }
}

static void
vtr_wrap_layout_measure (GtkLayoutManager *layout,
                         GtkWidget        *widget,
                         GtkOrientation    orientation,
                         int               for_size,
                         int              *minimum,
                         int              *natural,
                         int              *minimum_baseline,
                         int              *natural_baseline)
{
  VtrWrapLayout *self = VTR_WRAP_LAYOUT (layout);
  int room = for_size < 0 ? G_MAXINT / 2 : for_size;
  int height = 0;
  guint32 ranks;

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      measure_width (self, widget, minimum, natural);
      return;
    }
  ranks = choose_ranks (self, widget, room);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;)
    {
      Line line = get_line (self, child, room, ranks);

      if (line.height > 0)
        height += line.height + (height > 0 ? self->spacing : 0);
      child = line.end;
    }
  *minimum = *natural = height;
}

static void
place_line (
  VtrWrapLayout *self, GtkWidget *widget, const Line *line, int y, int room, guint32 ranks)
{
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int left = MAX (room - line->width, 0);
  int expands = 0; /* children that share the remaining width */
  int x = 0;

  for (GtkWidget *child = line->first; child != line->end;
       child = gtk_widget_get_next_sibling (child))
    expands += has_place (child, ranks) &&
               gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL);
  if (expands == 0 && self->align != GTK_ALIGN_START)
    x = self->align == GTK_ALIGN_CENTER ? left / 2 : left;
  for (GtkWidget *child = line->first; child != line->end;
       child = gtk_widget_get_next_sibling (child))
    {
      GskTransform *at;
      int width;

      if (get_rank (child) > 0)
        gtk_widget_set_child_visible (child, has_place (child, ranks));
      if (!has_place (child, ranks))
        continue;
      width = get_width (child, room);
      if (expands > 0 && gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL))
        {
          width += left / expands;
          left -= left / expands;
          expands--;
        }
      at = gsk_transform_translate (
        NULL, &GRAPHENE_POINT_INIT ((float)(mirrored ? room - x - width : x), (float)y));
      gtk_widget_allocate (child, width, line->height, -1, at);
      x += width + self->spacing;
    }
}

static void
vtr_wrap_layout_allocate (
  GtkLayoutManager *layout, GtkWidget *widget, int width, int height, int baseline)
{
  VtrWrapLayout *self = VTR_WRAP_LAYOUT (layout);
  guint32 ranks = choose_ranks (self, widget, width);
  int y = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;)
    {
      Line line = get_line (self, child, width, ranks);

      place_line (self, widget, &line, y, width, ranks);
      y += line.height > 0 ? line.height + self->spacing : 0;
      child = line.end;
    }
}

static GtkSizeRequestMode
vtr_wrap_layout_get_request_mode (GtkLayoutManager *layout, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
vtr_wrap_layout_class_init (VtrWrapLayoutClass *klass)
{
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  layout_class->measure = vtr_wrap_layout_measure;
  layout_class->allocate = vtr_wrap_layout_allocate;
  layout_class->get_request_mode = vtr_wrap_layout_get_request_mode;
}

static void
vtr_wrap_layout_init (VtrWrapLayout *self)
{
}

GtkLayoutManager *
vtr_wrap_layout_new (int spacing, GtkAlign align)
{
  VtrWrapLayout *self = g_object_new (VTR_TYPE_WRAP_LAYOUT, NULL);

  self->spacing = spacing;
  self->align = align;
  return GTK_LAYOUT_MANAGER (self);
}

void
vtr_wrap_layout_set_optional (GtkWidget *child, int rank)
{
  g_return_if_fail (rank >= 1 && rank <= MAX_RANK);

  g_object_set_data (G_OBJECT (child), RANK, GINT_TO_POINTER (rank));
  gtk_widget_queue_resize (child);
}

GtkWidget *
vtr_wrap_box_new (int spacing, GtkAlign align)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_layout_manager (box, vtr_wrap_layout_new (spacing, align));
  return box;
}
