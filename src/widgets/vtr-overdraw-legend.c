/* The legend of the overdraw overlay in the Framebuffer pane: a bar of colours with the number
 * of draws that each stands for. */
#include "vtr-config.h"

#include "widgets/vtr-overdraw-legend.h"

#include <glib/gi18n.h>
#include <math.h>

#include "engine/document/vtr-document.h"
#include "widgets/vtr-text-scale.h"

#define BAR_WIDTH 180
#define BAR_HEIGHT 10
#define MARGIN 14 /* room for half a number at each end */
#define GAP 3
#define N_STOPS 33

struct _VtrOverdrawLegend
{
  GtkWidget parent_instance;

  double low, high;
};

G_DEFINE_FINAL_TYPE (VtrOverdrawLegend, vtr_overdraw_legend, GTK_TYPE_WIDGET)

gboolean
vtr_overdraw_legend_get_tick (VtrOverdrawLegend *self,
                              guint              nth,
                              double            *count,
                              double            *position)
{
  double step = MAX (exp2 (ceil (log2 (MAX (self->high - self->low, 1) / 16))), 1);

  /* 0, 1, 2, 4, 8, 16 from the low end on; a wide range in larger steps. */
  *count = nth == 0 ? self->low : self->low + step * exp2 (nth - 1.0);
  if (*count > self->high && nth > 0)
    return FALSE;
  *position = vtr_overdraw_get_position (*count, self->low, self->high);
  return TRUE;
}

static PangoLayout *
make_text (VtrOverdrawLegend *self, double count)
{
  g_autofree char *number = count == floor (count) ? g_strdup_printf ("%.0f", count)
                                                   : g_strdup_printf ("%.1f", count);
  g_autofree char *text =
    count * 2 > self->high && count > self->low ? g_strdup_printf ("%s+", number) : NULL;

  return gtk_widget_create_pango_layout (GTK_WIDGET (self), text != NULL ? text : number);
}

static void
vtr_overdraw_legend_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtrOverdrawLegend *self = VTR_OVERDRAW_LEGEND (widget);
  float width = (float)(gtk_widget_get_width (widget) - 2 * MARGIN);
  graphene_rect_t bar = GRAPHENE_RECT_INIT (MARGIN, 0, width, BAR_HEIGHT);
  GskColorStop stops[N_STOPS];
  GdkRGBA color;
  double count, position;

  for (guint i = 0; i < N_STOPS; i++)
    {
      double rgb[3];

      stops[i].offset = (float)i / (N_STOPS - 1);
      vtr_overdraw_get_color ((double)stops[i].offset, rgb);
      stops[i].color = (GdkRGBA){ (float)rgb[0], (float)rgb[1], (float)rgb[2], 1 };
    }
  gtk_snapshot_append_linear_gradient (snapshot, &bar, &GRAPHENE_POINT_INIT (MARGIN, 0),
                                       &GRAPHENE_POINT_INIT (MARGIN + width, 0), stops, N_STOPS);
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  for (guint i = 0; vtr_overdraw_legend_get_tick (self, i, &count, &position); i++)
    {
      g_autoptr (PangoLayout) layout = make_text (self, count);
      float x = MARGIN + width * (float)position;
      int text_width;

      pango_layout_get_pixel_size (layout, &text_width, NULL);
      gtk_snapshot_save (snapshot);
      gtk_snapshot_translate (
        snapshot, &GRAPHENE_POINT_INIT (x - (float)text_width / 2, BAR_HEIGHT + GAP));
      gtk_snapshot_append_layout (snapshot, layout, &color);
      gtk_snapshot_restore (snapshot);
    }
}

static void
vtr_overdraw_legend_measure (GtkWidget      *widget,
                             GtkOrientation  orientation,
                             int             for_size,
                             int            *minimum,
                             int            *natural,
                             int            *minimum_baseline,
                             int            *natural_baseline)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, "0");
  int height;

  pango_layout_get_pixel_size (layout, NULL, &height);
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL
                          ? vtr_text_scaled (widget, BAR_WIDTH) + 2 * MARGIN
                          : BAR_HEIGHT + GAP + height;
}

static void
name_legend (VtrOverdrawLegend *self)
{
  g_autofree char *label = g_strdup_printf (_ ("Draws per pixel, dark to light: %.0f to %.0f"),
                                            self->low, self->high);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

void
vtr_overdraw_legend_set_range (VtrOverdrawLegend *self, double low, double high)
{
  self->low = low;
  self->high = low == 0 && high == 1 ? VTR_OVERDRAW_TOP : MAX (high, low + 1);
  name_legend (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
vtr_overdraw_legend_class_init (VtrOverdrawLegendClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = vtr_overdraw_legend_snapshot;
  widget_class->measure = vtr_overdraw_legend_measure;
  gtk_widget_class_set_css_name (widget_class, "vtroverdrawlegend");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
vtr_overdraw_legend_init (VtrOverdrawLegend *self)
{
  self->high = VTR_OVERDRAW_TOP;
  name_legend (self);
}
