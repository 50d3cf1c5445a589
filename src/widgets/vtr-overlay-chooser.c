/* The drop-down of the Framebuffer pane that chooses an overlay, such as wireframe or overdraw. */
#include "vtr-config.h"

#include "widgets/vtr-overlay-chooser.h"

#include <glib/gi18n.h>

struct _VtrOverlayChooser
{
  GtkWidget parent_instance;

  GtkDropDown *list;
  VtrEdits *edits;
  gboolean syncing;
};

G_DEFINE_FINAL_TYPE (VtrOverlayChooser, vtr_overlay_chooser, GTK_TYPE_WIDGET)

/* --- choosing -------------------------------------------------------------------------------- */

static void
show_overlay (VtrOverlayChooser *self)
{
  VtrOverlay overlay = self->edits ? vtr_edits_get_overlay (self->edits) : VTR_OVERLAY_NONE;
  guint n;
  const VtrOverlayInfo *infos = vtr_overlay_list (&n);

  self->syncing = TRUE;
  for (guint i = 0; i < n; i++)
    if (infos[i].overlay == overlay)
      {
        gtk_drop_down_set_selected (self->list, i);
        gtk_widget_set_tooltip_text (GTK_WIDGET (self->list), _ (infos[i].summary));
      }
  self->syncing = FALSE;
  if (overlay != VTR_OVERLAY_NONE)
    gtk_widget_add_css_class (GTK_WIDGET (self), "chosen");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "chosen");
}

static void
selected_cb (VtrOverlayChooser *self)
{
  guint selected = gtk_drop_down_get_selected (self->list), n;
  const VtrOverlayInfo *infos = vtr_overlay_list (&n);

  if (!self->syncing && self->edits && selected < n)
    vtr_edits_set_overlay (self->edits, infos[selected].overlay);
}

void
vtr_overlay_chooser_set_edits (VtrOverlayChooser *self, VtrEdits *edits)
{
  if (self->edits)
    g_signal_handlers_disconnect_by_data (self->edits, self);
  g_set_object (&self->edits, edits);
  if (edits)
    g_signal_connect_object (edits, "overlay-changed", G_CALLBACK (show_overlay), self,
                             G_CONNECT_SWAPPED);
  gtk_widget_set_sensitive (GTK_WIDGET (self), edits != NULL);
  show_overlay (self);
}

void
vtr_overlay_chooser_popup (VtrOverlayChooser *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->list));
  gtk_widget_activate (GTK_WIDGET (self->list));
}

/* --- rows ------------------------------------------------------------------------------------ */

static GtkWidget *
make_label (void)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  return label;
}

/* The label in the button, which is ellipsized in a narrow pane. */
static void
setup_button_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = make_label ();

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label), 9);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 22);
  gtk_list_item_set_child (item, label);
}

static void
bind_button_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)),
                       gtk_string_object_get_string (gtk_list_item_get_item (item)));
}

static void
setup_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *title = make_label ();
  GtkWidget *summary = make_label ();
  GtkWidget *check = gtk_image_new_from_icon_name ("object-select-symbolic");

  gtk_widget_add_css_class (summary, "caption");
  gtk_widget_add_css_class (summary, "dim-text");
  gtk_label_set_wrap (GTK_LABEL (summary), TRUE);
  /* The list is as wide as its rows need. */
  gtk_label_set_width_chars (GTK_LABEL (summary), 36);
  gtk_label_set_max_width_chars (GTK_LABEL (summary), 36);
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_box_append (GTK_BOX (texts), title);
  gtk_box_append (GTK_BOX (texts), summary);
  gtk_box_append (GTK_BOX (box), texts);
  gtk_box_append (GTK_BOX (box), check);
  gtk_list_item_set_child (item, box);
}

static void
show_check (GtkListItem *item, GParamSpec *pspec, GtkDropDown *list)
{
  GtkWidget *check = gtk_widget_get_last_child (gtk_list_item_get_child (item));

  gtk_widget_set_opacity (
    check, gtk_drop_down_get_selected (list) == gtk_list_item_get_position (item) ? 1 : 0);
}

static void
bind_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item, GtkDropDown *list)
{
  GtkWidget *texts = gtk_widget_get_first_child (gtk_list_item_get_child (item));
  guint n;
  const VtrOverlayInfo *info = &vtr_overlay_list (&n)[gtk_list_item_get_position (item)];

  gtk_label_set_label (GTK_LABEL (gtk_widget_get_first_child (texts)), _ (info->title));
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_last_child (texts)), _ (info->summary));
  g_signal_connect_object (list, "notify::selected", G_CALLBACK (show_check), item,
                           G_CONNECT_SWAPPED);
  show_check (item, NULL, list);
}

static void
unbind_row_cb (GtkSignalListItemFactory *factory, GtkListItem *item, GtkDropDown *list)
{
  g_signal_handlers_disconnect_by_func (list, show_check, item);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_overlay_chooser_dispose (GObject *object)
{
  VtrOverlayChooser *self = VTR_OVERLAY_CHOOSER (object);

  if (self->edits)
    g_signal_handlers_disconnect_by_data (self->edits, self);
  g_clear_object (&self->edits);
  if (self->list)
    gtk_widget_unparent (GTK_WIDGET (self->list));
  self->list = NULL;
  G_OBJECT_CLASS (vtr_overlay_chooser_parent_class)->dispose (object);
}

static void
vtr_overlay_chooser_class_init (VtrOverlayChooserClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_overlay_chooser_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtroverlaychooser");
}

static void
init_factories (VtrOverlayChooser *self)
{
  g_autoptr (GtkListItemFactory) button = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkListItemFactory) rows = gtk_signal_list_item_factory_new ();

  g_signal_connect (button, "setup", G_CALLBACK (setup_button_cb), NULL);
  g_signal_connect (button, "bind", G_CALLBACK (bind_button_cb), NULL);
  g_signal_connect (rows, "setup", G_CALLBACK (setup_row_cb), NULL);
  g_signal_connect_object (rows, "bind", G_CALLBACK (bind_row_cb), self->list, 0);
  g_signal_connect_object (rows, "unbind", G_CALLBACK (unbind_row_cb), self->list, 0);
  gtk_drop_down_set_factory (self->list, button);
  gtk_drop_down_set_list_factory (self->list, rows);
}

static void
vtr_overlay_chooser_init (VtrOverlayChooser *self)
{
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  guint n;
  const VtrOverlayInfo *infos = vtr_overlay_list (&n);

  for (guint i = 0; i < n; i++)
    gtk_string_list_append (titles, _ (infos[i].title));
  self->list = GTK_DROP_DOWN (g_object_new (GTK_TYPE_DROP_DOWN, NULL));
  init_factories (self);
  gtk_drop_down_set_model (self->list, G_LIST_MODEL (titles));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Overlay"), -1);
  gtk_widget_set_parent (GTK_WIDGET (self->list), GTK_WIDGET (self));
  g_signal_connect_object (self->list, "notify::selected", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);
  vtr_overlay_chooser_set_edits (self, NULL);
}

GtkWidget *
vtr_overlay_chooser_new (void)
{
  return g_object_new (VTR_TYPE_OVERLAY_CHOOSER, NULL);
}
