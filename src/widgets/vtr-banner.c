/* The strip below the header bar that shows a lasting message with one button, such as the
 * result of a capture. */
#include "vtr-config.h"

#include "widgets/vtr-banner.h"

#include <glib/gi18n.h>

struct _VtrBanner
{
  GtkWidget parent_instance;

  GtkWidget *revealer;
  GtkWidget *label;
  GtkWidget *button;
  GtkWidget *icon;
  GtkWidget *close;
};

G_DEFINE_FINAL_TYPE (VtrBanner, vtr_banner, GTK_TYPE_WIDGET)

static void
vtr_banner_dispose (GObject *object)
{
  g_clear_pointer (&VTR_BANNER (object)->revealer, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_banner_parent_class)->dispose (object);
}

static void
vtr_banner_class_init (VtrBannerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_banner_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrbanner");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
}

static void
vtr_banner_init (VtrBanner *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *icon = gtk_image_new_from_icon_name ("dialog-warning-symbolic");
  GtkWidget *close = gtk_button_new_from_icon_name ("window-close-symbolic");

  gtk_widget_add_css_class (box, "banner");
  self->label = gtk_label_new (NULL);
  /* One line, with the full text in the tooltip: the revealer miscalculates the height of labels
   * that wrap. */
  gtk_label_set_ellipsize (GTK_LABEL (self->label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (self->label), 0);
  gtk_widget_set_hexpand (self->label, TRUE);
  gtk_widget_set_valign (self->label, GTK_ALIGN_CENTER);
  self->button = gtk_button_new ();
  gtk_widget_set_valign (self->button, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (icon, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (close, "flat");
  gtk_widget_set_valign (close, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (close, _ ("Close"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (close), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Close"), -1);
  g_signal_connect_swapped (close, "clicked", G_CALLBACK (vtr_banner_hide), self);

  gtk_box_append (GTK_BOX (box), icon);
  gtk_box_append (GTK_BOX (box), self->label);
  gtk_box_append (GTK_BOX (box), self->button);
  gtk_box_append (GTK_BOX (box), close);

  self->revealer = gtk_revealer_new ();
  /* A sliding revealer rounds the height of a label that wraps, and GTK then prints warnings. */
  gtk_revealer_set_transition_type (GTK_REVEALER (self->revealer),
                                    GTK_REVEALER_TRANSITION_TYPE_CROSSFADE);
  self->icon = icon;
  self->close = close;
  gtk_revealer_set_child (GTK_REVEALER (self->revealer), box);
  gtk_widget_set_parent (self->revealer, GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

GtkWidget *
vtr_banner_new (void)
{
  return g_object_new (VTR_TYPE_BANNER, NULL);
}

void
vtr_banner_show (VtrBanner *self, const char *text, const char *button, const char *detailed_action)
{
  gtk_label_set_label (GTK_LABEL (self->label), text);
  gtk_widget_set_tooltip_text (self->label, text);
  gtk_widget_set_visible (self->button, button != NULL);
  if (button)
    {
      gtk_button_set_label (GTK_BUTTON (self->button), button);
      gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (self->button), detailed_action);
    }
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->revealer), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

void
vtr_banner_set_quiet (VtrBanner *self, const char *icon_name)
{
  gtk_image_set_from_icon_name (GTK_IMAGE (self->icon), icon_name);
  gtk_widget_set_visible (self->close, FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self), "quiet");
}

void
vtr_banner_hide (VtrBanner *self)
{
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->revealer), FALSE);
  /* A fading revealer would keep its room, so it is hidden. */
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

gboolean
vtr_banner_get_shown (VtrBanner *self)
{
  return gtk_revealer_get_reveal_child (GTK_REVEALER (self->revealer));
}
