/* Draws one row of the Commands pane: indentation, expander, icon, text, marks for failed and
 * edited commands, thumbnail. */
#include "vtr-config.h"

#include "widgets/vtr-command-row.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "widgets/vtr-accessible.h"
#include "widgets/vtr-command-edits.h"
#include "widgets/vtr-command-thumbs.h"

#define INDENT 12

struct _VtrCommandRow
{
  GtkWidget parent_instance;

  VtrSession *session; /* weak */
  VtrCommandItem *item;
  GtkWidget *expander;
  GtkWidget *icon;
  GtkWidget *text;
  GtkWidget *mark;
  GtkWidget *off; /* disabled, as a whole or in part */
  GtkWidget *thumb;
  const char *kind_class;
  VtrCommandEditState state;
  gboolean prefix;
};

G_DEFINE_FINAL_TYPE (VtrCommandRow, vtr_command_row, GTK_TYPE_WIDGET)

static guint toggle_signal;

static void
vtr_command_row_dispose (GObject *object)
{
  VtrCommandRow *self = VTR_COMMAND_ROW (object);
  GtkWidget *child;

  if (self->item)
    g_signal_handlers_disconnect_by_data (self->item, self);
  g_clear_object (&self->item);
  g_clear_weak_pointer (&self->session);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (vtr_command_row_parent_class)->dispose (object);
}

/* Names are written from left to right, but aligned by the text direction. */
static void
vtr_command_row_direction_changed (GtkWidget *widget, GtkTextDirection previous)
{
  gtk_inscription_set_xalign (GTK_INSCRIPTION (VTR_COMMAND_ROW (widget)->text),
                              gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL ? 1 : 0);
  GTK_WIDGET_CLASS (vtr_command_row_parent_class)->direction_changed (widget, previous);
}

/* Tooltips are made on demand: setting a tooltip asks the display for the pointer's position, and
 * scrolling fills hundreds of rows. */
static gboolean
query_tooltip (GtkWidget  *widget,
               int         x,
               int         y,
               gboolean    keyboard,
               GtkTooltip *tooltip)
{
  VtrCommandRow *self = VTR_COMMAND_ROW (widget);
  g_autofree char *text = NULL;

  if (self->item == NULL)
    return FALSE;
  text = vtr_command_item_dup_text (self->item);
  if (self->state != VTR_COMMAND_RUNS)
    {
      const char *state = self->state == VTR_COMMAND_DISABLED
                            ? _ ("Disabled: images are shown without it")
                            : _ ("Some of its commands are disabled");
      g_autofree char *both = g_strdup_printf ("%s\n%s", text, state);

      gtk_tooltip_set_text (tooltip, both);
      return TRUE;
    }
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static void
vtr_command_row_class_init (VtrCommandRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_command_row_dispose;
  widget_class->direction_changed = vtr_command_row_direction_changed;
  widget_class->query_tooltip = query_tooltip;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrcommandrow");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
  toggle_signal = g_signal_new ("toggle", VTR_TYPE_COMMAND_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 0);
}

static void
pressed_cb (VtrCommandRow *self, int n_press, double x, double y, GtkGesture *gesture)
{
  if (self->item == NULL || vtr_command_item_get_node (self->item)->n_children == 0)
    return;
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  g_signal_emit (self, toggle_signal, 0);
}

static void
vtr_command_row_init (VtrCommandRow *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkWidget *widget = GTK_WIDGET (self);

  gtk_widget_set_has_tooltip (widget, TRUE);
  self->expander = gtk_image_new_from_icon_name ("pan-end-symbolic");
  gtk_widget_add_css_class (self->expander, "row-expander");
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (self->expander, GTK_EVENT_CONTROLLER (click));

  self->icon = gtk_image_new ();
  gtk_widget_add_css_class (self->icon, "kind");

  self->text = gtk_inscription_new (NULL);
  gtk_inscription_set_text_overflow (GTK_INSCRIPTION (self->text),
                                     GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (self->text), 1);
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (self->text), 3);
  gtk_widget_set_valign (self->text, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand (self->text, TRUE);
  gtk_inscription_set_xalign (GTK_INSCRIPTION (self->text),
                              gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL ? 1 : 0);

  self->mark = gtk_image_new_from_icon_name ("dialog-error-symbolic");
  gtk_widget_add_css_class (self->mark, "error");
  gtk_widget_set_visible (self->mark, FALSE);

  self->off = gtk_image_new_from_icon_name ("action-unavailable-symbolic");
  gtk_widget_add_css_class (self->off, "dim-text");
  gtk_widget_set_visible (self->off, FALSE);

  self->thumb = vtr_thumb_new (VTR_COMMAND_THUMB_WIDTH, VTR_COMMAND_THUMB_HEIGHT, 0);
  vtr_thumb_set_cover (VTR_THUMB (self->thumb), TRUE);
  vtr_thumb_set_placeholder (VTR_THUMB (self->thumb), FALSE);
  gtk_widget_set_valign (self->thumb, GTK_ALIGN_CENTER);
  gtk_widget_set_visible (self->thumb, FALSE);

  gtk_widget_set_parent (self->expander, widget);
  gtk_widget_set_parent (self->icon, widget);
  gtk_widget_set_parent (self->text, widget);
  gtk_widget_set_parent (self->mark, widget);
  gtk_widget_set_parent (self->off, widget);
  gtk_widget_set_parent (self->thumb, widget);
}

GtkWidget *
vtr_command_row_new (void)
{
  return g_object_new (VTR_TYPE_COMMAND_ROW, NULL);
}

static void
update_expanded (VtrCommandRow *self)
{
  gboolean has_children = vtr_command_item_get_node (self->item)->n_children > 0;
  gboolean expanded = vtr_command_item_get_expanded (self->item);

  gtk_image_set_from_icon_name (GTK_IMAGE (self->expander),
                                expanded ? "pan-down-symbolic" : "pan-end-symbolic");
  gtk_widget_set_opacity (self->expander, has_children ? 1 : 0);
}

/* "DrawIndexed (36, 1, 0, 0)": arguments follow the name directly, facts after a gap. */
static void
set_text (VtrCommandRow *self)
{
  const VtrTreeNode *node = vtr_command_item_get_node (self->item);
  const char *detail = vtr_command_item_get_detail (self->item);
  gboolean contrast = adw_style_manager_get_high_contrast (adw_style_manager_get_default ());
  gboolean group = vtr_command_item_is_group (self->item);
  gboolean state = node->icon == VTR_COMMAND_KIND_STATE || node->icon == VTR_COMMAND_KIND_OTHER;
  g_autofree char *full = self->prefix ? vtr_command_item_dup_full_title (self->item) : NULL;
  g_autofree char *title = g_markup_escape_text (
    full != NULL ? full : vtr_command_item_get_title (self->item), -1);
  g_autofree char *dim = g_markup_escape_text (detail, -1);
  gboolean off = self->state == VTR_COMMAND_DISABLED;
  g_autofree char *plain = NULL;
  g_autofree char *markup = NULL;
  int dim_alpha = contrast ? 90 : 62;
  int alpha = contrast || ((group || !state) && !off) ? 100 : off ? 68
                                                                  : 82;

  if (group)
    plain = g_strdup_printf (
      "<b><span alpha=\"%d%%\">%s</span></b><span alpha=\"%d%%\">%s%s</span>", alpha, title,
      dim_alpha, *dim ? "  " : "", dim);
  else
    plain = g_strdup_printf (
      "<span alpha=\"%d%%\">%s</span><span alpha=\"%d%%\">%s%s</span>", alpha, title, dim_alpha,
      *dim == '(' ? "" : "  ", dim);
  markup = off ? g_strdup_printf ("<s>%s</s>", plain) : g_steal_pointer (&plain);
  gtk_inscription_set_markup (GTK_INSCRIPTION (self->text), markup);
}

static void
set_accessible (VtrCommandRow *self)
{
  const VtrTreeNode *node = vtr_command_item_get_node (self->item);
  gboolean failed = gtk_widget_get_visible (self->mark);
  g_autofree char *index = vtr_format_number (
    vtr_trace_get_number (vtr_session_get_trace (self->session), node->command));
  /* Translators: how a screen reader says a row: name, arguments, index, kind */
  g_autofree char *label = g_strdup_printf (
    _ ("%s %s, index %s, %s%s%s"), vtr_command_item_get_title (self->item),
    vtr_command_item_get_detail (self->item), index, vtr_command_kind_get_label (node->icon),
    failed ? _ (", replay stopped here") : "",
    self->state == VTR_COMMAND_DISABLED          ? _ (", disabled")
    : self->state == VTR_COMMAND_PARTLY_DISABLED ? _ (", disabled in part")
                                                 : "");

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  vtr_accessible_name_row (GTK_WIDGET (self), label);
}

void
vtr_command_row_set_item (VtrCommandRow  *self,
                          VtrSession     *session,
                          VtrCommandItem *item,
                          gboolean        prefix)
{
  const VtrTreeNode *node;

  if (self->item)
    g_signal_handlers_disconnect_by_data (self->item, self);
  g_set_object (&self->item, item);
  g_set_weak_pointer (&self->session, session);
  if (item == NULL)
    return;

  node = vtr_command_item_get_node (item);
  gtk_widget_set_margin_start (self->expander, INDENT * (int)MIN (node->depth, 24));
  gtk_image_set_from_icon_name (GTK_IMAGE (self->icon),
                                vtr_command_kind_get_icon_name (node->icon));
  if (self->kind_class)
    gtk_widget_remove_css_class (self->icon, self->kind_class);
  self->kind_class = vtr_command_kind_get_css_class (node->icon);
  gtk_widget_add_css_class (self->icon, self->kind_class);
  self->prefix = prefix;
  update_expanded (self);
  vtr_command_row_update_failed (self);
  vtr_command_row_update_edited (self);
  g_signal_connect_object (item, "notify::expanded", G_CALLBACK (update_expanded), self,
                           G_CONNECT_SWAPPED);
}

VtrCommandItem *
vtr_command_row_get_item (VtrCommandRow *self)
{
  return self->item;
}

VtrThumb *
vtr_command_row_get_thumb (VtrCommandRow *self)
{
  return VTR_THUMB (self->thumb);
}

void
vtr_command_row_update_failed (VtrCommandRow *self)
{
  const VtrTreeNode *node;

  if (self->item == NULL || self->session == NULL)
    return;
  node = vtr_command_item_get_node (self->item);
  gtk_widget_set_visible (self->mark,
                          (node->kind == VTR_NODE_CMD || node->kind == VTR_NODE_COMMAND ||
                           node->kind == VTR_NODE_SUBMIT) &&
                            vtr_session_get_command_failed (self->session, node->command));
  set_accessible (self);
}

void
vtr_command_row_update_edited (VtrCommandRow *self)
{
  if (self->item == NULL || self->session == NULL)
    return;
  self->state =
    vtr_command_edits_get_state (self->session, vtr_command_item_get_node (self->item));
  gtk_widget_set_visible (self->off, self->state != VTR_COMMAND_RUNS);
  set_text (self);
  set_accessible (self);
}
