/* The placeholder that a pane shows when it has no content: an icon, a title, an explanation,
 * and buttons. */
#include "vtr-config.h"

#include "widgets/vtr-pane-state.h"

#include <glib/gi18n.h>

#include "widgets/vtr-accessible.h"
#include "widgets/vtr-wrap-layout.h"

struct _VtrPaneState
{
  GtkWidget parent_instance;

  GtkWidget *scroller; /* in a small pane, text and buttons scroll */
  GtkWidget *box;
  GtkWidget *icon;
  GtkWidget *title;
  GtkWidget *text;
  GtkWidget *buttons; /* NULL: none */
  gboolean compact;
};

G_DEFINE_FINAL_TYPE (VtrPaneState, vtr_pane_state, GTK_TYPE_WIDGET)

static void
vtr_pane_state_dispose (GObject *object)
{
  g_clear_pointer (&VTR_PANE_STATE (object)->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_pane_state_parent_class)->dispose (object);
}

static void
vtr_pane_state_class_init (VtrPaneStateClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_pane_state_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrpanestate");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static GtkWidget *
make_label (void)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_NONE);
  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
  return label;
}

static void
vtr_pane_state_init (VtrPaneState *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  /* Takes all the width, so that lines wrap where they were measured; a card takes only its natural
     width. */
  gtk_widget_add_css_class (self->box, "state-box");
  gtk_widget_set_halign (self->box, GTK_ALIGN_FILL);
  gtk_widget_set_valign (self->box, GTK_ALIGN_CENTER);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (self->scroller), TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), self->box);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);

  self->icon = gtk_image_new ();
  gtk_widget_add_css_class (self->icon, "state-icon");
  self->title = make_label ();
  gtk_widget_add_css_class (self->title, "state-title");
  self->text = make_label ();
  gtk_widget_add_css_class (self->text, "state-text");
  gtk_label_set_max_width_chars (GTK_LABEL (self->text), 64);

  gtk_box_append (GTK_BOX (self->box), self->icon);
  gtk_box_append (GTK_BOX (self->box), self->title);
  gtk_box_append (GTK_BOX (self->box), self->text);
}

GtkWidget *
vtr_pane_state_new (void)
{
  return g_object_new (VTR_TYPE_PANE_STATE, NULL);
}

void
vtr_pane_state_set (VtrPaneState *self,
                    const char   *icon_name,
                    const char   *title,
                    const char   *text)
{
  gtk_image_set_from_icon_name (GTK_IMAGE (self->icon), icon_name);
  gtk_label_set_label (GTK_LABEL (self->title), title);
  gtk_label_set_label (GTK_LABEL (self->text), text ? text : "");
  gtk_widget_set_visible (self->text, text != NULL);
  if (self->buttons)
    gtk_box_remove (GTK_BOX (self->box), self->buttons);
  self->buttons = NULL;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text ? text : "", -1);
}

/* Makes a new row each time: a row that is hidden, filled and shown again can keep its empty size,
 * and GTK then allocates a negative size to its buttons. */
static GtkWidget *
make_buttons (VtrPaneState *self)
{
  GtkWidget *buttons = vtr_wrap_box_new (8, GTK_ALIGN_CENTER);

  gtk_widget_add_css_class (buttons, "state-buttons");
  gtk_box_append (GTK_BOX (self->box), buttons);
  return buttons;
}

void
vtr_pane_state_add_button (VtrPaneState *self,
                           const char   *label,
                           const char   *detailed_action)
{
  GtkWidget *button = vtr_button_new_with_mnemonic (label);

  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (button), detailed_action);
  if (!self->compact && self->buttons == NULL)
    gtk_widget_add_css_class (button, "suggested-action");
  if (self->buttons == NULL)
    self->buttons = make_buttons (self);
  gtk_box_append (GTK_BOX (self->buttons), button);
}

void
vtr_pane_state_add_draw_button (VtrPaneState *self,
                                VtrSession   *session)
{
  if (vtr_session_has_draw (session, 1))
    vtr_pane_state_add_button (self, _ ("_Next Draw"), "win.next-draw");
  else if (vtr_session_has_draw (session, -1))
    vtr_pane_state_add_button (self, _ ("_Previous Draw"), "win.previous-draw");
}

void
vtr_pane_state_set_compact (VtrPaneState *self,
                            gboolean      compact)
{
  self->compact = compact;
  gtk_image_set_pixel_size (GTK_IMAGE (self->icon), compact ? 32 : 48);
  gtk_label_set_max_width_chars (GTK_LABEL (self->text), compact ? 36 : 64);
  if (compact)
    gtk_widget_add_css_class (GTK_WIDGET (self), "compact");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "compact");
}

void
vtr_pane_state_set_card (VtrPaneState *self,
                         gboolean      card)
{
  gtk_widget_set_halign (self->box, card ? GTK_ALIGN_CENTER : GTK_ALIGN_FILL);
  if (card)
    gtk_widget_add_css_class (self->box, "state-card");
  else
    gtk_widget_remove_css_class (self->box, "state-card");
}
