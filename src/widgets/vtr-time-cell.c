/* A table cell for a GPU time: the duration, with a bar behind it that shows its share of the
 * whole. */
#include "vtr-config.h"

#include "widgets/vtr-time-cell.h"

#include <glib/gi18n.h>

#define BAR_ALPHA 0.13f
#define MIN_CHARS 6
#define BAR_MARGIN 3

struct _VtrTimeCell
{
  GtkWidget parent_instance;

  GtkWidget *text;
  double share;
};

G_DEFINE_FINAL_TYPE (VtrTimeCell, vtr_time_cell, GTK_TYPE_WIDGET)

static void
vtr_time_cell_dispose (GObject *object)
{
  g_clear_pointer (&VTR_TIME_CELL (object)->text, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_time_cell_parent_class)->dispose (object);
}

static void
vtr_time_cell_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtrTimeCell *self = VTR_TIME_CELL (widget);
  float width = (float)gtk_widget_get_width (widget);
  float height = (float)gtk_widget_get_height (widget);
  float length = (float)(width * self->share);
  GdkRGBA color;

  if (self->share > 0 && height > 2 * BAR_MARGIN)
    {
      float x = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL ? 0 : width - length;

      gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
      color.alpha *= BAR_ALPHA;
      gtk_snapshot_append_color (
        snapshot, &color,
        &GRAPHENE_RECT_INIT (x, BAR_MARGIN, MAX (length, 1), height - 2 * BAR_MARGIN));
    }
  GTK_WIDGET_CLASS (vtr_time_cell_parent_class)->snapshot (widget, snapshot);
}

static void
vtr_time_cell_class_init (VtrTimeCellClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_time_cell_dispose;
  widget_class->snapshot = vtr_time_cell_snapshot;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrtimecell");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
vtr_time_cell_init (VtrTimeCell *self)
{
  self->text = gtk_inscription_new (NULL);
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (self->text), MIN_CHARS);
  gtk_inscription_set_xalign (GTK_INSCRIPTION (self->text), 1);
  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (self->text), 1);
  gtk_widget_set_valign (self->text, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (self->text, "caption");
  gtk_widget_add_css_class (self->text, "numeric");
  gtk_widget_set_parent (self->text, GTK_WIDGET (self));
}

GtkWidget *
vtr_time_cell_new (void)
{
  return g_object_new (VTR_TYPE_TIME_CELL, NULL);
}

void
vtr_time_cell_set (VtrTimeCell *self, const char *text, double share)
{
  g_autofree char *percent = NULL;
  g_autofree char *label = NULL;

  self->share = share;
  gtk_inscription_set_text (GTK_INSCRIPTION (self->text), text ? text : "");
  /* The number is never cut: 14.57 ms could become 4.57 ms. */
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (self->text),
                                 MAX (MIN_CHARS, text ? (guint)g_utf8_strlen (text, -1) : 0));
  if (share >= 0)
    percent = g_strdup_printf ("%.1f", 100 * share);
  if (text == NULL)
    label = g_strdup (_ ("Not measured"));
  else if (percent == NULL)
    label = g_strdup (text);
  else
    /* Translators: a duration, and its share of what all took: "12 µs, 3.4 % of the frame" */
    label = g_strdup_printf (_ ("%s, %s %% of the frame"), text, percent);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
