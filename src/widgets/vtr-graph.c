/* A small graph of a value over time. The capture page shows the frame time, commands per frame
 * and bytes written with it. */
#include "vtr-config.h"

#include "widgets/vtr-graph.h"

#define N_SAMPLES 120
#define PLOT_HEIGHT 96

struct _VtrGraph
{
  GtkWidget parent_instance;

  GtkWidget *title;
  GtkWidget *value;
  const char *color;
  double samples[N_SAMPLES];
  guint n;
};

G_DEFINE_FINAL_TYPE (VtrGraph, vtr_graph, GTK_TYPE_WIDGET)

static void
vtr_graph_dispose (GObject *object)
{
  VtrGraph *self = VTR_GRAPH (object);

  g_clear_pointer (&self->title, gtk_widget_unparent);
  g_clear_pointer (&self->value, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_graph_parent_class)->dispose (object);
}

static int
text_height (VtrGraph *self)
{
  int title, value;

  gtk_widget_measure (self->title, GTK_ORIENTATION_VERTICAL, -1, NULL, &title, NULL, NULL);
  gtk_widget_measure (self->value, GTK_ORIENTATION_VERTICAL, -1, NULL, &value, NULL, NULL);
  return MAX (title, value) + 4;
}

static void
vtr_graph_measure (GtkWidget      *widget,
                   GtkOrientation  orientation,
                   int             for_size,
                   int            *minimum,
                   int            *natural,
                   int            *minimum_baseline,
                   int            *natural_baseline)
{
  VtrGraph *self = VTR_GRAPH (widget);
  int title, value;

  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      *minimum = *natural = text_height (self) + PLOT_HEIGHT;
      return;
    }
  gtk_widget_measure (self->title, orientation, -1, NULL, &title, NULL, NULL);
  gtk_widget_measure (self->value, orientation, -1, NULL, &value, NULL, NULL);
  *minimum = *natural = title + value + 12;
}

static void
vtr_graph_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  VtrGraph *self = VTR_GRAPH (widget);
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int line = text_height (self);
  int title, value;

  gtk_widget_measure (self->title, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &title, NULL, NULL);
  gtk_widget_measure (self->value, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &value, NULL, NULL);
  gtk_widget_size_allocate (self->title,
                            &(GtkAllocation){ rtl ? width - title : 0, 0, title, line }, -1);
  gtk_widget_size_allocate (self->value,
                            &(GtkAllocation){ rtl ? 0 : width - value, 0, value, line }, -1);
}

static void
plot (VtrGraph *self, cairo_t *cr, double width, double top, const GdkRGBA *color)
{
  double high = 0;
  double x = width;

  for (guint i = 0; i < self->n; i++)
    high = MAX (high, self->samples[i]);
  high = high > 0 ? high * 1.15 : 1;

  /* The newest value is at the right, in every language. */
  for (guint i = 0; i < self->n; i++)
    {
      double y = top + PLOT_HEIGHT - 1 - self->samples[self->n - 1 - i] / high * (PLOT_HEIGHT - 4);

      x = width - i * width / (N_SAMPLES - 1);
      cairo_line_to (cr, x, y);
    }
  if (self->n == 0)
    return;
  gdk_cairo_set_source_rgba (cr, color);
  cairo_set_line_width (cr, 1.5);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke_preserve (cr);
  cairo_line_to (cr, x, top + PLOT_HEIGHT);
  cairo_line_to (cr, width, top + PLOT_HEIGHT);
  cairo_close_path (cr);
  cairo_set_source_rgba (cr, color->red, color->green, color->blue, .16);
  cairo_fill (cr);
}

static void
vtr_graph_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtrGraph *self = VTR_GRAPH (widget);
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  float width = (float)gtk_widget_get_width (widget);
  float top = (float)text_height (self);
  GdkRGBA color = { .2f, .5f, .9f, 1 };
  GdkRGBA line = { .5f, .5f, .5f, .3f };
  cairo_t *cr;

  gtk_style_context_lookup_color (style, self->color, &color);
  gtk_style_context_lookup_color (style, "borders", &line);
  gtk_snapshot_append_color (snapshot, &line, &GRAPHENE_RECT_INIT (0, top, width, 1));
  gtk_snapshot_append_color (snapshot, &line,
                             &GRAPHENE_RECT_INIT (0, top + PLOT_HEIGHT / 2, width, 1));
  gtk_snapshot_append_color (snapshot, &line,
                             &GRAPHENE_RECT_INIT (0, top + PLOT_HEIGHT - 1, width, 1));
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, top, width, PLOT_HEIGHT));
  plot (self, cr, width, top, &color);
  cairo_destroy (cr);
  gtk_widget_snapshot_child (widget, self->title, snapshot);
  gtk_widget_snapshot_child (widget, self->value, snapshot);
}

static void
vtr_graph_class_init (VtrGraphClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_graph_dispose;
  widget_class->measure = vtr_graph_measure;
  widget_class->size_allocate = vtr_graph_size_allocate;
  widget_class->snapshot = vtr_graph_snapshot;
  gtk_widget_class_set_css_name (widget_class, "vtrgraph");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_METER);
}

static void
vtr_graph_init (VtrGraph *self)
{
  self->title = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->title, "caption");
  gtk_widget_add_css_class (self->title, "dim-text");
  self->value = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->value, "heading");
  gtk_widget_add_css_class (self->value, "numeric");
  gtk_widget_set_parent (self->title, GTK_WIDGET (self));
  gtk_widget_set_parent (self->value, GTK_WIDGET (self));
}

GtkWidget *
vtr_graph_new (const char *title, const char *color)
{
  VtrGraph *self = g_object_new (VTR_TYPE_GRAPH, NULL);

  self->color = color;
  gtk_label_set_label (GTK_LABEL (self->title), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  return GTK_WIDGET (self);
}

void
vtr_graph_push (VtrGraph *self, double value, const char *text)
{
  if (self->n == N_SAMPLES)
    {
      memmove (self->samples, self->samples + 1, (N_SAMPLES - 1) * sizeof *self->samples);
      self->n--;
    }
  self->samples[self->n++] = value;
  gtk_label_set_label (GTK_LABEL (self->value), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, value,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
vtr_graph_clear (VtrGraph *self)
{
  self->n = 0;
  gtk_label_set_label (GTK_LABEL (self->value), "");
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
vtr_graph_has_points (VtrGraph *self)
{
  return self->n > 0;
}
