/* Fills the cells of the Commands pane: command text, number, thumbnail. */
#include "vtr-config.h"

#include "widgets/vtr-command-view-private.h"

#include "widgets/vtr-command-row.h"

void
vtr_command_view_toggle_row (VtrCommandView *self, guint row)
{
  if (!vtr_command_list_expand (self->model, row))
    vtr_command_list_collapse (self->model, row);
}

static void
row_toggle_cb (VtrCommandRow *row, GtkListItem *list_item)
{
  VtrCommandView *self =
    VTR_COMMAND_VIEW (gtk_widget_get_ancestor (GTK_WIDGET (row), VTR_TYPE_COMMAND_VIEW));

  if (self)
    vtr_command_view_toggle_row (self, gtk_list_item_get_position (list_item));
}

static void
row_gone_cb (gpointer data, GObject *row)
{
  g_ptr_array_remove_fast (data, row);
}

static void
setup_command_cb (VtrCommandView *self, GtkListItem *list_item)
{
  GtkWidget *row = vtr_command_row_new ();

  g_signal_connect_object (row, "toggle", G_CALLBACK (row_toggle_cb), list_item, 0);
  g_ptr_array_add (self->rows, row);
  g_object_weak_ref (G_OBJECT (row), row_gone_cb, g_ptr_array_ref (self->rows));
  gtk_list_item_set_child (list_item, row);
}

static void
show_thumb (VtrCommandView *self, VtrCommandRow *row)
{
  VtrThumb *thumb = vtr_command_row_get_thumb (row);
  VtrCommandItem *item = vtr_command_row_get_item (row);

  if (item != NULL && !self->narrow && g_settings_get_boolean (self->settings, "show-thumbnails"))
    {
      vtr_command_thumbs_show (self->thumbs, thumb, vtr_command_item_get_node (item));
      return;
    }
  gtk_widget_set_visible (GTK_WIDGET (thumb), FALSE);
  vtr_command_thumbs_drop (self->thumbs, thumb);
}

void
vtr_command_view_update_thumbs (VtrCommandView *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    show_thumb (self, g_ptr_array_index (self->rows, i));
}

static void
fill_command (VtrCommandView *self, GtkListItem *list_item)
{
  vtr_command_row_set_item (VTR_COMMAND_ROW (gtk_list_item_get_child (list_item)), self->session,
                            gtk_list_item_get_item (list_item),
                            g_settings_get_boolean (self->settings, "show-vkcmd"));
  show_thumb (self, VTR_COMMAND_ROW (gtk_list_item_get_child (list_item)));
}

static void
empty_command (VtrCommandView *self, GtkListItem *list_item)
{
  vtr_command_thumbs_drop (self->thumbs, vtr_command_row_get_thumb (
                                           VTR_COMMAND_ROW (gtk_list_item_get_child (list_item))));
  vtr_command_row_set_item (VTR_COMMAND_ROW (gtk_list_item_get_child (list_item)), NULL, NULL,
                            FALSE);
}

static void
bind_command_cb (VtrCommandView *self, GtkListItem *list_item)
{
  vtr_command_view_bind_cell (self, list_item, fill_command, empty_command);
}

static void
setup_index_cb (VtrCommandView *self, GtkListItem *list_item)
{
  GtkWidget *text = gtk_inscription_new (NULL);
  g_autofree char *longest =
    vtr_format_number (vtr_trace_get_n_commands (vtr_session_get_trace (self->session)));

  gtk_inscription_set_xalign (GTK_INSCRIPTION (text), 1);
  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (text), 1);
  /* Makes room for the whole text: the rest would wrap to a second line, which is hidden. */
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (text),
                                 (guint)MAX (5, g_utf8_strlen (longest, -1)));
  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (text, "caption");
  gtk_widget_add_css_class (text, "numeric");
  gtk_widget_add_css_class (text, "dim-text");
  gtk_list_item_set_child (list_item, text);
}

static void
fill_index (VtrCommandView *self, GtkListItem *list_item)
{
  const VtrTreeNode *node = vtr_command_item_get_node (gtk_list_item_get_item (list_item));
  g_autofree char *number =
    vtr_format_number (vtr_trace_get_number (vtr_session_get_trace (self->session), node->first));

  gtk_inscription_set_text (GTK_INSCRIPTION (gtk_list_item_get_child (list_item)), number);
}

static void
empty_index (VtrCommandView *self, GtkListItem *list_item)
{
}

static void
bind_index_cb (VtrCommandView *self, GtkListItem *list_item)
{
  vtr_command_view_bind_cell (self, list_item, fill_index, empty_index);
}

void
vtr_command_view_update_failed (VtrCommandView *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    vtr_command_row_update_failed (g_ptr_array_index (self->rows, i));
}

void
vtr_command_view_update_edited (VtrCommandView *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    vtr_command_row_update_edited (g_ptr_array_index (self->rows, i));
}

void
vtr_command_view_init_factories (VtrCommandView *self)
{
  g_autoptr (GtkListItemFactory) command = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkListItemFactory) index = gtk_signal_list_item_factory_new ();

  g_signal_connect_object (command, "setup", G_CALLBACK (setup_command_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (command, "bind", G_CALLBACK (bind_command_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (command, "unbind", G_CALLBACK (vtr_command_view_unbind_cell), self,
                           G_CONNECT_SWAPPED);
  gtk_column_view_column_set_factory (self->command_column, command);
  g_signal_connect_object (index, "setup", G_CALLBACK (setup_index_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (index, "bind", G_CALLBACK (bind_index_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (index, "unbind", G_CALLBACK (vtr_command_view_unbind_cell), self,
                           G_CONNECT_SWAPPED);
  gtk_column_view_column_set_factory (self->index_column, index);
}
