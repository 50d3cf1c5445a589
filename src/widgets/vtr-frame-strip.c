/* The strip above the panes: steps from frame to frame, and shows the passes of the current one. */
#include "vtr-config.h"

#include "widgets/vtr-frame-strip.h"

#include <glib/gi18n.h>

#include "widgets/vtr-pass-ruler.h"

struct _VtrFrameStrip
{
  GtkWidget parent_instance;

  GtkWidget *stepper;
  GtkWidget *label;
  VtrPassRuler *ruler;
  VtrSession *session;
};

G_DEFINE_FINAL_TYPE (VtrFrameStrip, vtr_frame_strip, GTK_TYPE_WIDGET)

static void
update (VtrFrameStrip *self)
{
  guint64 frame = vtr_session_get_frame (self->session);
  g_autofree char *number = vtr_format_number (frame);
  g_autofree char *text = g_strdup_printf (_ ("Frame %s"), number);

  gtk_label_set_label (GTK_LABEL (self->label), text);
  vtr_pass_ruler_set_frame (self->ruler, self->session, frame);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "strip.previous-frame", frame > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "strip.next-frame",
                                 frame + 1 <
                                   vtr_trace_get_n_frames (vtr_session_get_trace (self->session)));
}

static void
previous_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_session_step_frame (VTR_FRAME_STRIP (widget)->session, -1);
}

static void
next_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_session_step_frame (VTR_FRAME_STRIP (widget)->session, 1);
}

static void
vtr_frame_strip_dispose (GObject *object)
{
  VtrFrameStrip *self = VTR_FRAME_STRIP (object);
  GtkWidget *child;

  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (vtr_frame_strip_parent_class)->dispose (object);
}

static void
vtr_frame_strip_class_init (VtrFrameStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_frame_strip_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrframestrip");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_install_action (widget_class, "strip.previous-frame", NULL, previous_action);
  gtk_widget_class_install_action (widget_class, "strip.next-frame", NULL, next_action);
}

static GtkWidget *
make_button (const char *icon, const char *label, const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  return button;
}

static void
vtr_frame_strip_init (VtrFrameStrip *self)
{
  self->stepper = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  gtk_widget_add_css_class (self->stepper, "stepper");
  gtk_widget_set_hexpand (self->stepper, FALSE);
  self->label = gtk_label_new (NULL);
  gtk_widget_set_hexpand (self->label, TRUE);
  gtk_widget_add_css_class (self->label, "numeric");
  gtk_box_append (
    GTK_BOX (self->stepper),
    make_button ("go-previous-symbolic", _ ("Previous Frame"), "strip.previous-frame"));
  gtk_box_append (GTK_BOX (self->stepper), self->label);
  gtk_box_append (GTK_BOX (self->stepper),
                  make_button ("go-next-symbolic", _ ("Next Frame"), "strip.next-frame"));
  gtk_widget_set_parent (self->stepper, GTK_WIDGET (self));

  self->ruler = VTR_PASS_RULER (vtr_pass_ruler_new ());
  gtk_widget_set_hexpand (GTK_WIDGET (self->ruler), TRUE);
  gtk_widget_set_parent (GTK_WIDGET (self->ruler), GTK_WIDGET (self));
}

void
vtr_frame_strip_set_session (VtrFrameStrip *self, VtrSession *session)
{
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_set_object (&self->session, session);
  if (session == NULL)
    {
      vtr_pass_ruler_set_frame (self->ruler, NULL, 0);
      return;
    }
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  update (self);
}

void
vtr_frame_strip_set_compact (VtrFrameStrip *self, gboolean compact)
{
  if (compact)
    gtk_widget_add_css_class (GTK_WIDGET (self), "compact");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "compact");
}
