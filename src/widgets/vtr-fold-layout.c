/* A layout manager: a column that hides its last child if there is not enough height for all
 * children. */
#include "vtr-config.h"

#include "widgets/vtr-fold-layout.h"

struct _VtrFoldLayout
{
  GtkLayoutManager parent_instance;
};

G_DEFINE_FINAL_TYPE (VtrFoldLayout, vtr_fold_layout, GTK_TYPE_LAYOUT_MANAGER)

/* The last child; NULL: it is already hidden. */
static GtkWidget *
get_dispensable (GtkWidget *widget)
{
  GtkWidget *last = gtk_widget_get_last_child (widget);

  return last != NULL && gtk_widget_get_visible (last) ? last : NULL;
}

static void
vtr_fold_layout_measure (GtkLayoutManager *layout,
                         GtkWidget        *widget,
                         GtkOrientation    orientation,
                         int               for_size,
                         int              *minimum,
                         int              *natural,
                         int              *minimum_baseline,
                         int              *natural_baseline)
{
  GtkWidget *dispensable = get_dispensable (widget);

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child;
       child = gtk_widget_get_next_sibling (child))
    {
      int least, usual;

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, orientation, for_size, &least, &usual, NULL, NULL);
      if (orientation == GTK_ORIENTATION_HORIZONTAL)
        {
          *minimum = MAX (*minimum, least);
          *natural = MAX (*natural, usual);
        }
      else
        {
          *minimum += child == dispensable ? 0 : least;
          *natural += usual;
        }
    }
}

static void
place (GtkWidget *child, int y, int width, int height)
{
  gtk_widget_allocate (child, width, height, -1,
                       gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT (0, (float)y)));
}

static void
vtr_fold_layout_allocate (
  GtkLayoutManager *layout, GtkWidget *widget, int width, int height, int baseline)
{
  GtkWidget *dispensable = get_dispensable (widget);
  int needed = 0, folded = 0, y = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child;
       child = gtk_widget_get_next_sibling (child))
    {
      int least = 0, usual = 0;

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, &least, &usual, NULL, NULL);
      if (child == dispensable)
        folded = usual;
      else
        needed += least;
    }
  if (dispensable != NULL)
    gtk_widget_set_child_visible (dispensable, needed + folded <= height);
  if (needed + folded > height)
    folded = 0;
  /* The first child takes the remaining height. */
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child;
       child = gtk_widget_get_next_sibling (child))
    {
      int least = 0;

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, &least, NULL, NULL, NULL);
      if (child == dispensable)
        least = folded;
      else if (y == 0)
        least += MAX (height - needed - folded, 0);
      if (child != dispensable || folded > 0)
        place (child, y, width, least);
      y += least;
    }
}

static void
vtr_fold_layout_class_init (VtrFoldLayoutClass *klass)
{
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  layout_class->measure = vtr_fold_layout_measure;
  layout_class->allocate = vtr_fold_layout_allocate;
}

static void
vtr_fold_layout_init (VtrFoldLayout *self)
{
}

GtkLayoutManager *
vtr_fold_layout_new (void)
{
  return g_object_new (VTR_TYPE_FOLD_LAYOUT, NULL);
}
