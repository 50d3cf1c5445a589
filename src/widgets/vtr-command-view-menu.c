/* The actions of the Commands pane and the context menu of its rows: copy, filter, collapse,
 * disable, overlay. */
#include "vtr-config.h"

#include "widgets/vtr-command-view-private.h"

#include <glib/gi18n.h>

#include "widgets/vtr-command-edits.h"
#include "widgets/vtr-command-row.h"
#include "widgets/vtr-list-keys.h"

static void
clear_filter_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  vtr_command_view_clear_filter (data);
}

static void
add_term_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrCommandView *self = data;
  const char *text = gtk_editable_get_text (self->filter);
  g_autofree char *joined =
    g_strdup_printf ("%s%s%s", text, *text && !g_str_has_suffix (text, " ") ? " " : "",
                     g_variant_get_string (parameter, NULL));

  gtk_editable_set_text (self->filter, joined);
  gtk_widget_grab_focus (GTK_WIDGET (self->filter));
  gtk_editable_set_position (self->filter, -1);
}

static void
collapse_all_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrCommandView *self = data;

  self->following = TRUE;
  vtr_command_list_collapse_all (self->model);
  gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
  self->following = FALSE;
}

void
vtr_command_view_go_to_parent (VtrCommandView *self)
{
  guint row = gtk_single_selection_get_selected (self->selection);

  row = vtr_command_list_get_parent (self->model, row);
  if (row != GTK_INVALID_LIST_POSITION)
    {
      gtk_single_selection_set_selected (self->selection, row);
      vtr_command_view_scroll_to_selection (self);
    }
}

static void
go_to_parent_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  vtr_command_view_go_to_parent (data);
}

static void
show_in_tree_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrCommandView *self = data;

  gtk_toggle_button_set_active (self->flat, FALSE);
  gtk_editable_set_text (self->filter, "");
}

static void
copy_text (VtrCommandView *self, const char *text)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
}

static VtrCommandItem *
get_menu_item (VtrCommandView *self)
{
  return self->menu_item ? self->menu_item
                         : gtk_single_selection_get_selected_item (self->selection);
}

static void
copy_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrCommandItem *item = get_menu_item (data);
  g_autofree char *text = NULL;

  if (item == NULL)
    return;
  text = vtr_command_item_dup_text (item);
  copy_text (data, text);
}

static void
copy_path_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrCommandItem *item = get_menu_item (data);
  g_autofree char *text = NULL;

  if (item == NULL)
    return;
  text = vtr_trace_format_command (vtr_session_get_trace (((VtrCommandView *)data)->session),
                                   vtr_command_item_get_node (item)->command);
  copy_text (data, text);
}

/* --- disabling ------------------------------------------------------------------------------- */

/* The target of the action: a row, or the selected command if the filter hides its row. */
static gboolean
get_node (VtrCommandView *self, VtrTreeNode *out)
{
  VtrCommandItem *item = self->selection ? get_menu_item (self) : NULL;
  VtrPlace address;

  if (item != NULL)
    {
      *out = *vtr_command_item_get_node (item);
      return TRUE;
    }
  if (self->session == NULL || vtr_session_get_command (self->session) == VTR_COMMAND_NO_INDEX)
    return FALSE;
  address = vtr_session_get_address (self->session);
  *out = (VtrTreeNode){ .kind = VTR_NODE_COMMAND,
                        .command = address.index,
                        .first = address.index,
                        .last = address.index,
                        .run = address.run };
  return TRUE;
}

static void
complain (VtrCommandView *self, const GError *error)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.complain", "s", error->message);
}

/* @commands NULL: there are none; @error has the reason. */
static void
set_disabled (VtrCommandView *self, GArray *commands, gboolean disabled, GError *error)
{
  VtrEdits *edits = vtr_session_get_edits (self->session);
  g_autoptr (GError) refused = NULL;

  if (commands == NULL)
    complain (self, error);
  else if (!vtr_edits_set_disabled (edits, commands, disabled, &refused))
    complain (self, refused);
}

void
vtr_command_view_toggle_disabled (VtrCommandView *self)
{
  g_autoptr (GArray) commands = NULL;
  g_autoptr (GError) error = NULL;
  VtrTreeNode node;

  if (!get_node (self, &node))
    return;
  commands = vtr_command_edits_collect (self->session, &node, &error);
  set_disabled (self, commands,
                vtr_command_edits_get_state (self->session, &node) != VTR_COMMAND_DISABLED, error);
}

void
vtr_command_view_disable_others (VtrCommandView *self)
{
  g_autoptr (GArray) own = NULL;
  g_autoptr (GArray) others = NULL;
  g_autoptr (GError) error = NULL;
  VtrTreeNode node;

  if (!get_node (self, &node))
    return;
  others = vtr_command_edits_collect_others (self->session, &node, &error);
  own = others != NULL ? vtr_command_edits_collect (self->session, &node, NULL) : NULL;
  if (own != NULL)
    vtr_edits_set_disabled (vtr_session_get_edits (self->session), own, FALSE, NULL);
  set_disabled (self, others, TRUE, error);
}

static void
toggle_disabled_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  vtr_command_view_toggle_disabled (data);
}

static void
disable_others_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  vtr_command_view_disable_others (data);
}

/* The overlay of a group begins with its first command. If no overlay is chosen, chooses the
 * highlight. */
static void
overlay_from_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrCommandView *self = data;
  VtrEdits *edits = vtr_session_get_edits (self->session);
  VtrTreeNode node;

  if (!get_node (self, &node))
    return;
  vtr_edits_set_overlay_from (edits, node.first);
  if (vtr_edits_get_overlay (edits) != VTR_OVERLAY_WIREFRAME)
    vtr_edits_set_overlay (edits, VTR_OVERLAY_HIGHLIGHT);
}

static void
overlay_alone_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  vtr_edits_set_overlay_from (vtr_session_get_edits (((VtrCommandView *)data)->session),
                              VTR_COMMAND_NO_INDEX);
}

/* The label of what the menu item does to the row. */
static void
update_menu (VtrCommandView *self)
{
  GActionMap *group = G_ACTION_MAP (self->actions);
  VtrTreeNode node;
  gboolean disabled =
    get_node (self, &node) &&
    vtr_command_edits_get_state (self->session, &node) == VTR_COMMAND_DISABLED;

  g_simple_action_set_enabled (
    G_SIMPLE_ACTION (g_action_map_lookup_action (group, "disable")), !disabled);
  g_simple_action_set_enabled (
    G_SIMPLE_ACTION (g_action_map_lookup_action (group, "enable")), disabled);
  g_simple_action_set_enabled (
    G_SIMPLE_ACTION (g_action_map_lookup_action (group, "overlay-alone")),
    vtr_edits_get_overlay_from (vtr_session_get_edits (self->session)) != VTR_COMMAND_NO_INDEX);
}

static const GActionEntry actions[] = {
  { "clear-filter", clear_filter_action },
  { "add-term", add_term_action, "s" },
  { "collapse-all", collapse_all_action },
  { "go-to-parent", go_to_parent_action },
  { "show-in-tree", show_in_tree_action },
  { "copy", copy_action },
  { "copy-path", copy_path_action },
  { "disable", toggle_disabled_action },
  { "enable", toggle_disabled_action },
  { "disable-others", disable_others_action },
  { "overlay-from", overlay_from_action },
  { "overlay-alone", overlay_alone_action },
};

static gboolean
open_menu (gpointer data, double x, double y)
{
  VtrCommandView *self = data;
  GtkWidget *picked = gtk_widget_pick (GTK_WIDGET (self->list), x, y, GTK_PICK_DEFAULT);
  GtkWidget *row = picked ? gtk_widget_get_ancestor (picked, VTR_TYPE_COMMAND_ROW) : NULL;

  if (row == NULL || vtr_command_row_get_item (VTR_COMMAND_ROW (row)) == NULL)
    return FALSE;
  g_set_object (&self->menu_item, vtr_command_row_get_item (VTR_COMMAND_ROW (row)));
  update_menu (self);
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &(GdkRectangle){ (int)x, (int)y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
  return TRUE;
}

static void
forget_menu_item (gpointer data)
{
  VtrCommandView *self = data;

  g_clear_object (&self->menu_item);
}

void
vtr_command_view_init_menus (VtrCommandView *self)
{
  GSimpleActionGroup *group = self->actions = g_simple_action_group_new ();
  g_autoptr (GAction) prefix = g_settings_create_action (self->settings, "show-vkcmd");
  g_autoptr (GAction) thumbnails = g_settings_create_action (self->settings, "show-thumbnails");
  g_autoptr (GtkBuilder) builder =
    gtk_builder_new_from_resource ("/io/github/vitrine/Vitrine/gtk/menus.ui");

  g_action_map_add_action_entries (G_ACTION_MAP (group), actions, G_N_ELEMENTS (actions), self);
  g_action_map_add_action (G_ACTION_MAP (group), prefix);
  g_action_map_add_action (G_ACTION_MAP (group), thumbnails);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "commands", G_ACTION_GROUP (group));

  self->menu = gtk_popover_menu_new_from_model (
    G_MENU_MODEL (gtk_builder_get_object (builder, "command-row")));
  gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
  gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
  gtk_widget_set_parent (self->menu, GTK_WIDGET (self->list));
  vtr_list_keys_on_closed (self->menu, forget_menu_item, self);
  vtr_list_keys_add_menu (GTK_WIDGET (self->list), open_menu, self);
}
