/* A card of the start page for a recently opened trace: thumbnail, name, facts, context menu. */
#include "vtr-config.h"

#include "widgets/vtr-recent-card.h"

#include <glib/gi18n.h>

#include "widgets/vtr-thumb.h"

struct _VtrRecentCard
{
  GtkWidget parent_instance;

  VtrRecent *recent;
  GtkWidget *button;
  GtkWidget *thumb;
  GtkWidget *facts;
  GtkWidget *warning;
  GtkWidget *file_facts;
  GtkWidget *menu;
  GCancellable *querying;
};

G_DEFINE_FINAL_TYPE (VtrRecentCard, vtr_recent_card, GTK_TYPE_WIDGET)

enum
{
  OPEN,
  REMOVE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

void
vtr_show_in_files (GtkWidget *widget, GFile *file)
{
  g_autoptr (GDBusConnection) bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  g_autofree char *uri = g_file_get_uri (file);
  const char *uris[] = { uri, NULL };

  if (bus)
    g_dbus_connection_call (bus, "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1",
                            "org.freedesktop.FileManager1", "ShowItems",
                            g_variant_new ("(^ass)", uris, ""), NULL, G_DBUS_CALL_FLAGS_NONE, -1,
                            NULL, NULL, NULL);
}

static void
open_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_signal_emit (widget, signals[OPEN], 0, g_str_equal (name, "card.open-in-new-window"));
}

static void
show_in_files_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_show_in_files (widget, vtr_recent_get_file (VTR_RECENT_CARD (widget)->recent));
}

static void
copy_path_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *path =
    g_file_get_parse_name (vtr_recent_get_file (VTR_RECENT_CARD (widget)->recent));

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), path);
}

static void
remove_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_signal_emit (widget, signals[REMOVE], 0);
}

static void
popup (VtrRecentCard *self, const GdkRectangle *at)
{
  if (self->menu == NULL)
    {
      g_autoptr (GtkBuilder) builder =
        gtk_builder_new_from_resource ("/io/github/vitrine/Vitrine/gtk/menus.ui");

      self->menu = gtk_popover_menu_new_from_model (
        G_MENU_MODEL (gtk_builder_get_object (builder, "recent-card")));
      gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
      gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
      gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
    }
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), at);
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

static void
pressed_cb (VtrRecentCard *self, int n_press, double x, double y)
{
  popup (self, &(GdkRectangle){ (int)x, (int)y, 1, 1 });
}

static void
popup_menu_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  popup (VTR_RECENT_CARD (widget), &(GdkRectangle){ gtk_widget_get_width (widget) / 2, 40, 1, 1 });
}

static void
clicked_cb (VtrRecentCard *self)
{
  g_signal_emit (self, signals[OPEN], 0, FALSE);
}

static void
queried_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  GFileInfo *info = g_file_query_info_finish (G_FILE (source), result, &error);
  VtrRecentCard *self = data;

  g_clear_object (&info);
  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return;
  gtk_widget_add_css_class (GTK_WIDGET (self), "missing");
  gtk_label_set_label (GTK_LABEL (self->file_facts), _ ("File not found"));
  gtk_widget_set_visible (self->warning, TRUE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "card.open", FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "card.open-in-new-window", FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "card.show-in-files", FALSE);
  gtk_widget_set_sensitive (self->button, FALSE);
}

static void
update_texture (VtrRecentCard *self)
{
  vtr_thumb_set_texture (VTR_THUMB (self->thumb), vtr_recent_get_texture (self->recent));
}

static void
vtr_recent_card_dispose (GObject *object)
{
  VtrRecentCard *self = VTR_RECENT_CARD (object);

  g_cancellable_cancel (self->querying);
  g_clear_object (&self->querying);
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_pointer (&self->button, gtk_widget_unparent);
  g_clear_object (&self->recent);
  G_OBJECT_CLASS (vtr_recent_card_parent_class)->dispose (object);
}

static void
vtr_recent_card_class_init (VtrRecentCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_recent_card_dispose;
  signals[OPEN] = g_signal_new ("open", VTR_TYPE_RECENT_CARD, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, G_TYPE_BOOLEAN);
  signals[REMOVE] = g_signal_new ("remove", VTR_TYPE_RECENT_CARD, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrcard");
  gtk_widget_class_install_action (widget_class, "card.open", NULL, open_action);
  gtk_widget_class_install_action (widget_class, "card.open-in-new-window", NULL, open_action);
  gtk_widget_class_install_action (widget_class, "card.show-in-files", NULL, show_in_files_action);
  gtk_widget_class_install_action (widget_class, "card.copy-path", NULL, copy_path_action);
  gtk_widget_class_install_action (widget_class, "card.remove", NULL, remove_action);
  gtk_widget_class_install_action (widget_class, "card.menu", NULL, popup_menu_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Menu, 0, "card.menu", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F10, GDK_SHIFT_MASK, "card.menu",
                                       NULL);
}

static GtkWidget *
make_label (const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  /* With large text, size and date have a second line. */
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_lines (GTK_LABEL (label), 2);
  gtk_widget_add_css_class (label, css_class);
  return label;
}

static void
vtr_recent_card_init (VtrRecentCard *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkGesture *click = gtk_gesture_click_new ();

  self->thumb = vtr_thumb_new (140, 79, 16.0 / 9);
  vtr_thumb_set_cover (VTR_THUMB (self->thumb), TRUE);
  gtk_box_append (GTK_BOX (box), self->thumb);

  self->button = gtk_button_new ();
  gtk_widget_add_css_class (self->button, "card");
  gtk_widget_set_overflow (self->button, GTK_OVERFLOW_HIDDEN);
  gtk_button_set_child (GTK_BUTTON (self->button), box);
  gtk_widget_set_parent (self->button, GTK_WIDGET (self));
  g_signal_connect_object (self->button, "clicked", G_CALLBACK (clicked_cb), self,
                           G_CONNECT_SWAPPED);

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  g_signal_connect_object (click, "pressed", G_CALLBACK (pressed_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}

static void
add_texts (VtrRecentCard *self)
{
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 1);
  GtkWidget *last = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  GtkWidget *name = make_label ("heading");
  g_autofree char *facts = vtr_recent_describe (self->recent);
  g_autofree char *file_facts = vtr_recent_describe_file (self->recent);
  g_autofree char *label =
    g_strdup_printf ("%s, %s, %s", vtr_recent_get_name (self->recent), facts, file_facts);
  g_autofree char *path = g_file_get_parse_name (vtr_recent_get_file (self->recent));

  gtk_widget_add_css_class (texts, "texts");
  gtk_label_set_label (GTK_LABEL (name), vtr_recent_get_name (self->recent));
  self->facts = make_label ("caption");
  gtk_widget_add_css_class (self->facts, "dim-text");
  gtk_widget_add_css_class (self->facts, "numeric");
  gtk_label_set_label (GTK_LABEL (self->facts), facts);
  self->warning = gtk_image_new_from_icon_name ("dialog-warning-symbolic");
  gtk_widget_add_css_class (self->warning, "warning");
  gtk_widget_set_visible (self->warning, vtr_recent_get_truncated (self->recent));
  self->file_facts = make_label ("caption");
  gtk_widget_add_css_class (self->file_facts, "dim-text");
  gtk_widget_add_css_class (self->file_facts, "numeric");
  gtk_label_set_label (GTK_LABEL (self->file_facts), file_facts);

  gtk_box_append (GTK_BOX (last), self->warning);
  gtk_box_append (GTK_BOX (last), self->file_facts);
  gtk_box_append (GTK_BOX (texts), name);
  gtk_box_append (GTK_BOX (texts), self->facts);
  gtk_box_append (GTK_BOX (texts), last);
  gtk_box_append (GTK_BOX (gtk_button_get_child (GTK_BUTTON (self->button))), texts);
  gtk_widget_set_tooltip_text (self->button, path);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
}

GtkWidget *
vtr_recent_card_new (VtrRecent *recent)
{
  VtrRecentCard *self = g_object_new (VTR_TYPE_RECENT_CARD, NULL);

  self->recent = g_object_ref (recent);
  add_texts (self);
  update_texture (self);
  g_signal_connect_object (recent, "notify::texture", G_CALLBACK (update_texture), self,
                           G_CONNECT_SWAPPED);
  self->querying = g_cancellable_new ();
  g_file_query_info_async (vtr_recent_get_file (recent), G_FILE_ATTRIBUTE_STANDARD_SIZE,
                           G_FILE_QUERY_INFO_NONE, G_PRIORITY_DEFAULT_IDLE, self->querying,
                           queried_cb, self);
  return GTK_WIDGET (self);
}

VtrRecent *
vtr_recent_card_get_recent (VtrRecentCard *self)
{
  return self->recent;
}
