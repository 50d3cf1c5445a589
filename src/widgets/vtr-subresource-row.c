/* The row of controls that chooses which part of an image is shown: mip level, layer, slice,
 * sample, aspect. */
#include "vtr-config.h"

#include "widgets/vtr-subresource-row.h"

#include <glib/gi18n.h>

typedef enum
{
  SLIDER_LEVEL,
  SLIDER_LAYER,
  SLIDER_SLICE,
  N_SLIDERS
} Slider;

#define MAX_ASPECTS 8

struct _VtrSubresourceRow
{
  GtkWidget parent_instance;

  struct
  {
    GtkWidget *row;
    GtkAdjustment *adjustment;
    GtkWidget *value;
  } sliders[N_SLIDERS];
  GtkWidget *choices; /* row of the two below */
  GtkWidget *sample_label, *sample;
  GtkWidget *aspect_label, *aspect;
  guint32 aspects[MAX_ASPECTS]; /* bits 1 << VtrPixelAspect */
  VtrTexture *texture;
  gboolean syncing;
};

G_DEFINE_FINAL_TYPE (VtrSubresourceRow, vtr_subresource_row, GTK_TYPE_WIDGET)

static guint changed_signal;

static guint
get_slider (VtrSubresourceRow *self, Slider slider)
{
  return (guint)(gtk_adjustment_get_value (self->sliders[slider].adjustment) + .5);
}

/* "2 · 512 × 256", "+X", "3 of 6". */
static void
update_texts (VtrSubresourceRow *self)
{
  static const char *const faces[] = { "+X", "−X", "+Y", "−Y", "+Z", "−Z" };
  const VtrImageFacts *facts = vtr_texture_get_facts (self->texture);
  guint mip = get_slider (self, SLIDER_LEVEL), layer = get_slider (self, SLIDER_LAYER);
  g_autofree char *level =
    g_strdup_printf ("%u · %u × %u", mip, MAX (facts->width >> mip, 1u),
                     MAX (facts->height >> mip, 1u));
  g_autofree char *layer_text =
    facts->cube
      ? g_strdup_printf ("%u · %s", layer, faces[layer % 6])
      : g_strdup_printf ("%u", layer);
  g_autofree char *slice = g_strdup_printf ("%u", get_slider (self, SLIDER_SLICE));

  gtk_label_set_label (GTK_LABEL (self->sliders[SLIDER_LEVEL].value), level);
  gtk_label_set_label (GTK_LABEL (self->sliders[SLIDER_LAYER].value), layer_text);
  gtk_label_set_label (GTK_LABEL (self->sliders[SLIDER_SLICE].value), slice);
}

/* A mip has fewer slices than the one before it. */
static void
update_slices (VtrSubresourceRow *self)
{
  const VtrImageFacts *facts = vtr_texture_get_facts (self->texture);
  guint n = facts->dimensions == 3
              ? MAX (facts->depth >> get_slider (self, SLIDER_LEVEL), 1u)
              : 1;

  gtk_adjustment_set_upper (self->sliders[SLIDER_SLICE].adjustment, n - 1);
  if (get_slider (self, SLIDER_SLICE) > n - 1)
    gtk_adjustment_set_value (self->sliders[SLIDER_SLICE].adjustment, n - 1);
  gtk_widget_set_visible (self->sliders[SLIDER_SLICE].row,
                          facts->dimensions == 3 && facts->depth > 1);
}

static void
changed_cb (VtrSubresourceRow *self)
{
  if (self->syncing || self->texture == NULL)
    return;
  self->syncing = TRUE;
  update_slices (self);
  self->syncing = FALSE;
  update_texts (self);
  g_signal_emit (self, changed_signal, 0);
}

static void
set_slider (VtrSubresourceRow *self, Slider slider, guint n, guint value)
{
  GtkAdjustment *adjustment = self->sliders[slider].adjustment;

  gtk_adjustment_set_upper (adjustment, n > 0 ? n - 1 : 0);
  gtk_adjustment_set_value (adjustment, n > 0 ? MIN (value, n - 1) : 0);
  gtk_widget_set_visible (self->sliders[slider].row, n > 1);
}

static void
set_samples (VtrSubresourceRow *self, const VtrImageFacts *facts)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  gtk_string_list_append (names, _ ("Resolved"));
  for (guint i = 0; i < facts->samples && i < 64; i++)
    {
      g_autofree char *name = g_strdup_printf (_ ("Sample %u"), i);

      gtk_string_list_append (names, name);
    }
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->sample), G_LIST_MODEL (names));
  gtk_widget_set_visible (self->sample, facts->samples > 1);
  gtk_widget_set_visible (self->sample_label, facts->samples > 1);
}

static guint
set_aspects (VtrSubresourceRow *self)
{
  const guint32 aspects = vtr_texture_get_facts (self->texture)->aspects;
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  guint n = 0;

  for (guint i = 0; i < VTR_PIXEL_NO_ASPECT && n < MAX_ASPECTS; i++)
    if ((aspects >> i & 1) != 0)
      {
        self->aspects[n++] = 1u << i;
        gtk_string_list_append (names, vtr_pixel_aspect_get_label ((VtrPixelAspect)i));
      }
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->aspect), G_LIST_MODEL (names));
  gtk_widget_set_visible (self->aspect, n > 1);
  gtk_widget_set_visible (self->aspect_label, n > 1);
  return n;
}

void
vtr_subresource_row_set (VtrSubresourceRow *self, const VtrImageQuery *query)
{
  const VtrImageFacts *facts;

  if (self->texture == NULL)
    return;
  facts = vtr_texture_get_facts (self->texture);
  self->syncing = TRUE;
  set_slider (self, SLIDER_LEVEL, facts->mip_levels, query->mip);
  set_slider (self, SLIDER_LAYER, facts->array_layers, query->layer);
  set_slider (self, SLIDER_SLICE, facts->depth, query->slice);
  update_slices (self);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->sample),
                              query->sample < facts->samples ? query->sample + 1 : 0);
  for (guint i = 0; i < MAX_ASPECTS; i++)
    if (self->aspects[i] == query->aspects && query->aspects != 0)
      gtk_drop_down_set_selected (GTK_DROP_DOWN (self->aspect), i);
  self->syncing = FALSE;
  update_texts (self);
}

void
vtr_subresource_row_set_texture (VtrSubresourceRow *self, VtrTexture *texture, gboolean keep)
{
  VtrImageQuery query = VTR_IMAGE_QUERY_INIT;
  const VtrImageFacts *facts;
  guint n_aspects;

  if (keep && self->texture != NULL)
    vtr_subresource_row_get (self, &query);
  g_set_object (&self->texture, texture);
  if (texture == NULL)
    return;
  facts = vtr_texture_get_facts (texture);
  self->syncing = TRUE;
  memset (self->aspects, 0, sizeof self->aspects);
  set_samples (self, facts);
  n_aspects = set_aspects (self);
  gtk_widget_set_visible (self->choices, facts->samples > 1 || n_aspects > 1);
  self->syncing = FALSE;
  vtr_subresource_row_set (self, &query);
  gtk_widget_set_visible (GTK_WIDGET (self),
                          facts->samples > 1 || n_aspects > 1 || facts->mip_levels > 1 ||
                            facts->array_layers > 1 || facts->depth > 1);
}

void
vtr_subresource_row_get (VtrSubresourceRow *self, VtrImageQuery *query)
{
  guint sample = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->sample));
  guint aspect = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->aspect));

  query->mip = get_slider (self, SLIDER_LEVEL);
  query->layer = get_slider (self, SLIDER_LAYER);
  query->slice = get_slider (self, SLIDER_SLICE);
  query->sample = sample == 0 || sample == GTK_INVALID_LIST_POSITION ? VTR_SAMPLE_RESOLVE
                                                                     : sample - 1;
  query->aspects = aspect < MAX_ASPECTS ? self->aspects[aspect] : 0;
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_subresource_row_dispose (GObject *object)
{
  VtrSubresourceRow *self = VTR_SUBRESOURCE_ROW (object);
  GtkWidget *child;

  g_clear_object (&self->texture);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (vtr_subresource_row_parent_class)->dispose (object);
}

static void
vtr_subresource_row_class_init (VtrSubresourceRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_subresource_row_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrsubresource");
  changed_signal = g_signal_new ("changed", VTR_TYPE_SUBRESOURCE_ROW, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
add_slider (VtrSubresourceRow *self, Slider slider, const char *title)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new (title);
  GtkAdjustment *adjustment = gtk_adjustment_new (0, 0, 0, 1, 1, 0);
  GtkWidget *scale = gtk_scale_new (GTK_ORIENTATION_HORIZONTAL, adjustment);
  GtkWidget *value = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "dim-text");
  gtk_widget_add_css_class (label, "subresource-key");
  gtk_scale_set_digits (GTK_SCALE (scale), 0);
  gtk_scale_set_draw_value (GTK_SCALE (scale), FALSE);
  gtk_range_set_round_digits (GTK_RANGE (scale), 0);
  gtk_widget_set_hexpand (scale, TRUE);
  gtk_widget_set_size_request (scale, 60, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (scale), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  gtk_label_set_xalign (GTK_LABEL (value), 1);
  gtk_widget_add_css_class (value, "numeric");
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), scale);
  gtk_box_append (GTK_BOX (row), value);
  gtk_widget_set_parent (row, GTK_WIDGET (self));
  g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  self->sliders[slider].row = row;
  self->sliders[slider].adjustment = adjustment;
  self->sliders[slider].value = value;
}

static GtkWidget *
add_choice (VtrSubresourceRow *self, const char *title, GtkWidget **label)
{
  GtkWidget *choice = gtk_drop_down_new (NULL, NULL);

  *label = gtk_label_new (title);
  gtk_widget_add_css_class (*label, "dim-text");
  gtk_accessible_update_property (GTK_ACCESSIBLE (choice), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  g_signal_connect_object (choice, "notify::selected", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (self->choices), *label);
  gtk_box_append (GTK_BOX (self->choices), choice);
  return choice;
}

static void
vtr_subresource_row_init (VtrSubresourceRow *self)
{
  gtk_orientable_set_orientation (
    GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))), GTK_ORIENTATION_VERTICAL);
  add_slider (self, SLIDER_LEVEL, _ ("Level"));
  add_slider (self, SLIDER_LAYER, _ ("Layer"));
  add_slider (self, SLIDER_SLICE, _ ("Slice"));
  self->choices = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_widget_set_parent (self->choices, GTK_WIDGET (self));
  self->aspect = add_choice (self, _ ("Aspect"), &self->aspect_label);
  self->sample = add_choice (self, _ ("Samples"), &self->sample_label);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

GtkWidget *
vtr_subresource_row_new (void)
{
  return g_object_new (VTR_TYPE_SUBRESOURCE_ROW, NULL);
}
