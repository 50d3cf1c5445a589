/* Makes the widgets of the Memory pane: its toolbar, the hex dump and the tree of values. */
#include "vtr-config.h"

#include "widgets/vtr-memory-pane-private.h"

#include <glib/gi18n.h>

#include "widgets/vtr-text-factory.h"
#include "widgets/vtr-wrap-layout.h"

static GtkWidget *
make_copy_button (void)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  GtkWidget *button = gtk_menu_button_new ();

  g_menu_append (menu, _ ("Copy as Hexadecimal"), "memory.copy::hex");
  g_menu_append (menu, _ ("Copy as Text"), "memory.copy::text");
  g_menu_append (menu, _ ("Copy as C Array"), "memory.copy::c");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "edit-copy-symbolic");
  gtk_widget_set_tooltip_text (button, _ ("Copy the Selected Bytes"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Copy the Selected Bytes"), -1);
  gtk_widget_add_css_class (button, "flat");
  return button;
}

static GtkWidget *
make_save_button (void)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("document-save-symbolic");

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "memory.save");
  gtk_widget_set_tooltip_text (button, _ ("Save the Selected Bytes or the Whole Range"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Save Bytes"), -1);
  gtk_widget_add_css_class (button, "flat");
  return button;
}

static void
set_label (gpointer    widget,
           const char *text)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                  -1);
}

GtkWidget *
vtr_memory_pane_make_tools (VtrMemoryPane *self)
{
  static const char *const layouts[] = { "scalar", "std430", "std140", NULL };
  GtkWidget *tools = vtr_wrap_box_new (6, GTK_ALIGN_START);
  GtkWidget *place = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *view = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  g_autoptr (GtkListItemFactory) factory = vtr_text_factory_new ();

  self->range_names = gtk_string_list_new (NULL);
  self->ranges = GTK_DROP_DOWN (
    gtk_drop_down_new (g_object_ref (G_LIST_MODEL (self->range_names)), NULL));
  gtk_drop_down_set_factory (self->ranges, factory);
  gtk_widget_set_hexpand (GTK_WIDGET (self->ranges), TRUE);
  gtk_widget_set_size_request (GTK_WIDGET (self->ranges), 60, -1);
  gtk_widget_set_hexpand (place, TRUE);
  set_label (self->ranges, _ ("Read or written by the command"));
  g_signal_connect_object (self->ranges, "notify::selected",
                           G_CALLBACK (vtr_memory_pane_choose_range), self,
                           G_CONNECT_SWAPPED);

  self->type_entry = GTK_ENTRY (gtk_entry_new ());
  gtk_entry_set_placeholder_text (self->type_entry, _ ("Type"));
  gtk_editable_set_width_chars (GTK_EDITABLE (self->type_entry), 6);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->type_entry), 14);
  set_label (self->type_entry, _ ("Type"));
  g_signal_connect_object (self->type_entry, "changed", G_CALLBACK (vtr_memory_pane_read_type),
                           self,
                           G_CONNECT_SWAPPED);
  self->decode = GTK_TOGGLE_BUTTON (gtk_toggle_button_new_with_label (_ ("Values")));
  gtk_toggle_button_set_active (self->decode, TRUE);
  gtk_widget_set_sensitive (GTK_WIDGET (self->decode), FALSE);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->decode),
                               _ ("Show typed values beside the bytes"));
  g_signal_connect_object (self->decode, "toggled", G_CALLBACK (vtr_memory_pane_show_values), self,
                           G_CONNECT_SWAPPED);
  self->layout = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (layouts));
  set_label (self->layout, _ ("Layout"));
  g_signal_connect_object (self->layout, "notify::selected", G_CALLBACK (vtr_memory_pane_read_type),
                           self,
                           G_CONNECT_SWAPPED);

  self->go_to = GTK_ENTRY (gtk_entry_new ());
  gtk_entry_set_placeholder_text (self->go_to, _ ("Address"));
  gtk_editable_set_width_chars (GTK_EDITABLE (self->go_to), 6);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->go_to), 14);
  gtk_widget_set_tooltip_text (
    GTK_WIDGET (self->go_to),
    _ ("Go to an address, MEMORY/ADDRESS, objects/NUMBER, or the handle of a buffer or image"));
  set_label (self->go_to, _ ("Go to address"));
  g_signal_connect_object (self->go_to, "activate", G_CALLBACK (vtr_memory_pane_go_to), self,
                           G_CONNECT_SWAPPED);

  self->spinner = gtk_spinner_new ();
  self->read_back = gtk_button_new_with_label (_ ("Read Back"));
  gtk_widget_set_tooltip_text (self->read_back, _ ("Replay to see what the GPU wrote here"));
  gtk_widget_set_visible (self->read_back, FALSE);
  g_signal_connect_object (self->read_back, "clicked", G_CALLBACK (vtr_memory_pane_read_back), self,
                           G_CONNECT_SWAPPED);

  gtk_widget_add_css_class (tools, "tool-row");
  gtk_box_append (GTK_BOX (place), GTK_WIDGET (self->ranges));
  gtk_box_append (GTK_BOX (place), self->spinner);
  gtk_box_append (GTK_BOX (place), self->read_back);
  gtk_box_append (GTK_BOX (place), make_copy_button ());
  gtk_box_append (GTK_BOX (place), make_save_button ());
  gtk_box_append (GTK_BOX (view), GTK_WIDGET (self->decode));
  gtk_box_append (GTK_BOX (view), GTK_WIDGET (self->type_entry));
  gtk_box_append (GTK_BOX (view), GTK_WIDGET (self->layout));
  gtk_box_append (GTK_BOX (view), GTK_WIDGET (self->go_to));
  gtk_box_append (GTK_BOX (tools), place);
  gtk_box_append (GTK_BOX (tools), view);
  return tools;
}

static gboolean
activate_link_cb (GtkWidget  *label,
                  const char *uri)
{
  gtk_widget_activate_action (label, "win.select", "s", uri);
  return TRUE;
}

GtkWidget *
vtr_memory_pane_make_body (VtrMemoryPane *self)
{
  GtkWidget *left = gtk_scrolled_window_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->grid = VTR_HEX_GRID (vtr_hex_grid_new ());
  g_signal_connect_object (self->grid, "load", G_CALLBACK (vtr_memory_pane_load), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->grid, "cursor-moved", G_CALLBACK (vtr_memory_pane_update_read_out),
                           self,
                           G_CONNECT_SWAPPED);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (left), GTK_WIDGET (self->grid));
  self->values = GTK_COLUMN_VIEW (vtr_memory_tree_new ());
  self->tree = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->tree), GTK_WIDGET (self->values));
  gtk_widget_set_size_request (self->tree, 120, -1);
  gtk_widget_set_visible (self->tree, FALSE);
  self->paned = GTK_PANED (gtk_paned_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_paned_set_start_child (self->paned, left);
  gtk_paned_set_end_child (self->paned, self->tree);
  gtk_paned_set_resize_start_child (self->paned, FALSE);
  g_signal_connect_object (self->paned, "notify::max-position",
                           G_CALLBACK (vtr_memory_pane_place_divider), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_set_vexpand (GTK_WIDGET (self->paned), TRUE);

  self->read_out = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->read_out, 0);
  gtk_label_set_ellipsize (self->read_out, PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (GTK_WIDGET (self->read_out), "read-out");
  gtk_widget_add_css_class (GTK_WIDGET (self->read_out), "numeric");
  g_signal_connect (self->read_out, "activate-link", G_CALLBACK (activate_link_cb), NULL);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->paned));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->read_out));
  return box;
}
