/* A layout manager for one row of the property lists (Parameters, Pipeline): name, value, note
 * and warning, wrapped when the row is too narrow. */
#include "vtr-config.h"

#include "widgets/vtr-property-layout.h"

/* The indentation of a value or note below the name, in pixels. */
#define INDENT 24

enum
{
  NAME,
  VALUE,
  NOTE,
  WARNING,
  N_PARTS
};

struct _VtrPropertyLayout
{
  GtkLayoutManager parent_instance;

  int spacing;
};

G_DEFINE_FINAL_TYPE (VtrPropertyLayout, vtr_property_layout, GTK_TYPE_LAYOUT_MANAGER)

/* The positions of the parts. Hidden parts have no width. */
typedef struct
{
  GtkWidget *widgets[N_PARTS];
  GdkRectangle at[N_PARTS];
  int height;
} Placing;

static int
get_usual_width (GtkWidget *widget)
{
  int usual;

  if (widget == NULL)
    return 0;
  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &usual, NULL, NULL);
  return usual;
}

static int
get_height (GtkWidget *widget, int width)
{
  int usual;

  if (widget == NULL)
    return 0;
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, width, NULL, &usual, NULL, NULL);
  return usual;
}

static void
find_parts (GtkWidget *widget, GtkWidget **parts)
{
  GtkWidget *child = gtk_widget_get_first_child (widget);

  for (int i = 0; i < N_PARTS && child != NULL; i++, child = gtk_widget_get_next_sibling (child))
    parts[i] = gtk_widget_should_layout (child) ? child : NULL;
}

/* A value that does not wrap is a summary, and takes the room that the name leaves. */
static gboolean
wraps (GtkWidget *widget)
{
  return !GTK_IS_LABEL (widget) || gtk_label_get_wrap (GTK_LABEL (widget));
}

/* Puts @part into the line at @x, and gives it @width. */
static void
put (Placing *placing, int part, int x, int y, int width)
{
  placing->at[part] =
    (GdkRectangle){ x, y, width, get_height (placing->widgets[part], MAX (width, 1)) };
}

/* Parts get the height of the line, so that their texts are centred in it. */
static int
end_line (Placing *placing, int first, int last)
{
  int y = placing->at[first].y, height = 0;

  for (int i = first; i <= last; i++)
    if (placing->at[i].y == y)
      height = MAX (height, placing->at[i].height);
  for (int i = first; i <= last; i++)
    if (placing->at[i].y == y)
      placing->at[i].height = height;
  return y + height;
}

/* Places the value or the note below the first line. */
static void
put_below (Placing *placing, int part, int x, int wanted, int width)
{
  if (wanted > width - x)
    x = MIN (INDENT, width / 4);
  put (placing, part, x, placing->height, MAX (1, width - x));
  placing->height += placing->at[part].height;
}

static void
place (VtrPropertyLayout *self, GtkWidget *widget, int width, Placing *placing)
{
  int wanted[N_PARTS], warning, value_x, note_x, room;

  find_parts (widget, placing->widgets);
  for (int i = 0; i < N_PARTS; i++)
    wanted[i] = get_usual_width (placing->widgets[i]);
  warning = wanted[WARNING] > 0 ? wanted[WARNING] + self->spacing : 0;
  room = MAX (1, width - warning);
  value_x = MIN (wanted[NAME], room) + self->spacing;

  put (placing, WARNING, width - wanted[WARNING], 0, wanted[WARNING]);
  put (placing, NAME, 0, 0, MIN (wanted[NAME], room));
  if (!wraps (placing->widgets[VALUE]))
    wanted[VALUE] = MAX (1, MIN (wanted[VALUE], room - value_x));
  note_x = value_x + wanted[VALUE] + self->spacing;
  if (value_x + wanted[VALUE] > room)
    {
      placing->height = end_line (placing, NAME, NAME);
      placing->height = MAX (placing->height, placing->at[WARNING].height);
      put_below (placing, VALUE, INDENT, wanted[VALUE], width);
      if (placing->widgets[NOTE] != NULL)
        put_below (placing, NOTE, INDENT, wanted[NOTE], width);
      return;
    }
  if (placing->widgets[NOTE] != NULL && note_x + wanted[NOTE] <= room)
    {
      put (placing, VALUE, value_x, 0, wanted[VALUE]);
      put (placing, NOTE, note_x, 0, room - note_x);
      placing->height = end_line (placing, NAME, WARNING);
      return;
    }
  put (placing, VALUE, value_x, 0, room - value_x);
  placing->at[NOTE].y = -1;
  placing->height = end_line (placing, NAME, WARNING);
  if (placing->widgets[NOTE] != NULL)
    put_below (placing, NOTE, value_x, wanted[NOTE], width);
}

static void
measure_width (VtrPropertyLayout *self, GtkWidget *widget, int *minimum, int *natural)
{
  GtkWidget *parts[N_PARTS] = { NULL };

  find_parts (widget, parts);
  for (int i = 0; i < N_PARTS; i++)
    {
      int least, usual;

      if (parts[i] == NULL)
        continue;
      gtk_widget_measure (parts[i], GTK_ORIENTATION_HORIZONTAL, -1, &least, &usual, NULL, NULL);
      *minimum = MAX (*minimum, least);
      *natural += usual + (i > 0 ? self->spacing : 0);
    }
}

static void
vtr_property_layout_measure (GtkLayoutManager *layout,
                             GtkWidget        *widget,
                             GtkOrientation    orientation,
                             int               for_size,
                             int              *minimum,
                             int              *natural,
                             int              *minimum_baseline,
                             int              *natural_baseline)
{
  Placing placing = { 0 };

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      measure_width (VTR_PROPERTY_LAYOUT (layout), widget, minimum, natural);
      return;
    }
  place (VTR_PROPERTY_LAYOUT (layout), widget, for_size < 0 ? G_MAXINT / 2 : for_size, &placing);
  *minimum = *natural = placing.height;
}

static void
vtr_property_layout_allocate (
  GtkLayoutManager *layout, GtkWidget *widget, int width, int height, int baseline)
{
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  Placing placing = { 0 };

  place (VTR_PROPERTY_LAYOUT (layout), widget, width, &placing);
  for (int i = 0; i < N_PARTS; i++)
    {
      GdkRectangle at = placing.at[i];

      if (placing.widgets[i] == NULL)
        continue;
      if (mirrored)
        at.x = width - at.x - at.width;
      gtk_widget_size_allocate (placing.widgets[i], &at, -1);
    }
}

static GtkSizeRequestMode
vtr_property_layout_get_request_mode (GtkLayoutManager *layout, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
vtr_property_layout_class_init (VtrPropertyLayoutClass *klass)
{
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  layout_class->measure = vtr_property_layout_measure;
  layout_class->allocate = vtr_property_layout_allocate;
  layout_class->get_request_mode = vtr_property_layout_get_request_mode;
}

static void
vtr_property_layout_init (VtrPropertyLayout *self)
{
}

GtkLayoutManager *
vtr_property_layout_new (int spacing)
{
  VtrPropertyLayout *self = g_object_new (VTR_TYPE_PROPERTY_LAYOUT, NULL);

  self->spacing = spacing;
  return GTK_LAYOUT_MANAGER (self);
}
