/* The tree of the State pane: shows objects and their values, keeps rows expanded from command
 * to command, and marks what has changed. */
#include "vtr-config.h"

#include "widgets/vtr-state-list.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "engine/model/vtr-command-text.h"
#include "widgets/vtr-accessible.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-list-keys.h"
#include "widgets/vtr-name-width.h"

/* The most rows that are expanded again: a group of a million buffers may have been expanded. */
#define KEEP_ROWS 20000
/* The minimum width of a note in characters, unless it is shorter. */
#define MIN_NOTE 20
#define NO_ROW GTK_INVALID_LIST_POSITION

struct _VtrStateList
{
  GtkWidget parent_instance;

  GtkWidget *scroller;
  GtkColumnView *list;
  GtkSingleSelection *selection;
  GtkTreeListModel *model;
  VtrStateNode *root;
  guint name_width; /* vtr_name_width_set() */
  gboolean only_changed;
  GHashTable *unfolded; /* char *: paths below the root */
  gboolean restoring;
  double scroll_to; /* < 0: nowhere */
  guint scroll_tick;
  int scroll_frames;
  GtkWidget *menu;
  VtrStateNode *menu_node;
};

G_DEFINE_FINAL_TYPE (VtrStateList, vtr_state_list, GTK_TYPE_WIDGET)

enum
{
  LINK,
  FIND,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* --- paths below the root -------------------------------------------------------------------- */

static const char *
get_key (VtrStateList *self, VtrStateNode *node)
{
  const char *path = vtr_state_node_get_path (node);
  const char *root = vtr_state_node_get_path (self->root);

  return g_str_has_prefix (path, root) ? path + strlen (root) : path;
}

static VtrStateNode *
dup_node (VtrStateList *self, guint row)
{
  g_autoptr (GtkTreeListRow) tree_row =
    self->model ? gtk_tree_list_model_get_row (self->model, row) : NULL;

  return tree_row ? gtk_tree_list_row_get_item (tree_row) : NULL;
}

/* --- model ----------------------------------------------------------------------------------- */

static gboolean
is_changed (gpointer item, gpointer data)
{
  return vtr_state_node_get_changed (item);
}

/* (transfer full) */
static GListModel *
filter (VtrStateList *self, GListModel *children)
{
  GtkFilterListModel *filtered;

  if (!self->only_changed)
    return g_object_ref (children);
  filtered = gtk_filter_list_model_new (
    g_object_ref (children), GTK_FILTER (gtk_custom_filter_new (is_changed, NULL, NULL)));
  return G_LIST_MODEL (filtered);
}

static GListModel *
create_children (gpointer item, gpointer data)
{
  GListModel *children = vtr_state_node_get_children (item);

  return children ? filter (data, children) : NULL;
}

/* Parents come before their children, because expanding a parent adds its children after it. */
static void
unfold_again (VtrStateList *self)
{
  guint left = g_hash_table_size (self->unfolded);

  self->restoring = TRUE;
  for (guint row = 0; left > 0 && row < KEEP_ROWS; row++)
    {
      g_autoptr (GtkTreeListRow) tree_row = gtk_tree_list_model_get_row (self->model, row);
      g_autoptr (VtrStateNode) node = tree_row ? gtk_tree_list_row_get_item (tree_row) : NULL;

      if (node == NULL)
        break;
      if (g_hash_table_contains (self->unfolded, get_key (self, node)))
        {
          gtk_tree_list_row_set_expanded (tree_row, TRUE);
          left--;
        }
    }
  self->restoring = FALSE;
}

static guint
find_row (VtrStateList *self, const char *key)
{
  guint n = MIN (vtr_state_list_get_n_rows (self), KEEP_ROWS);

  for (guint row = 0; row < n; row++)
    {
      g_autoptr (VtrStateNode) node = dup_node (self, row);

      if (strcmp (get_key (self, node), key) == 0)
        return row;
    }
  return NO_ROW;
}

/* The list takes a scroll position only once it has been allocated with its new rows. */
static gboolean
scroll_tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  VtrStateList *self = VTR_STATE_LIST (widget);
  GtkAdjustment *adjustment =
    gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller));

  if (++self->scroll_frames < 2)
    return G_SOURCE_CONTINUE;
  gtk_adjustment_set_value (adjustment, self->scroll_to);
  self->scroll_tick = 0;
  return G_SOURCE_REMOVE;
}

static void
keep_scroll (VtrStateList *self, double value)
{
  self->scroll_to = value;
  self->scroll_frames = 0;
  if (self->scroll_tick == 0)
    self->scroll_tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_tick_cb, NULL,
                                                      NULL);
}

static void
drop_scroll (VtrStateList *self)
{
  if (self->scroll_tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->scroll_tick);
  self->scroll_tick = 0;
}

void
vtr_state_list_set_root (VtrStateList *self, VtrStateNode *root, gboolean only_changed)
{
  GtkAdjustment *adjustment =
    gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller));
  double scroll =
    self->scroll_tick != 0 ? self->scroll_to : gtk_adjustment_get_value (adjustment);
  g_autofree char *selected = NULL;
  GListModel *children = NULL;

  if (self->root)
    {
      g_autoptr (VtrStateNode) node =
        dup_node (self, gtk_single_selection_get_selected (self->selection));

      selected = node ? g_strdup (get_key (self, node)) : NULL;
    }
  gtk_single_selection_set_model (self->selection, NULL);
  g_clear_object (&self->model);
  g_set_object (&self->root, root);
  self->name_width = VTR_NAME_WIDTH_MIN;
  self->only_changed = only_changed;
  if (root)
    children = vtr_state_node_get_children (root);
  if (children == NULL)
    return;

  self->model =
    gtk_tree_list_model_new (filter (self, children), FALSE, FALSE, create_children, self, NULL);
  unfold_again (self);
  gtk_single_selection_set_model (self->selection, G_LIST_MODEL (self->model));
  gtk_single_selection_set_selected (self->selection,
                                     selected ? find_row (self, selected) : NO_ROW);
  keep_scroll (self, scroll);
}

guint
vtr_state_list_get_n_rows (VtrStateList *self)
{
  return self->model ? g_list_model_get_n_items (G_LIST_MODEL (self->model)) : 0;
}

char *
vtr_state_list_dup_selected (VtrStateList *self)
{
  g_autoptr (VtrStateNode) node =
    dup_node (self, gtk_single_selection_get_selected (self->selection));

  return node ? g_strdup (vtr_state_node_get_path (node)) : NULL;
}

/* --- going to a row -------------------------------------------------------------------------- */

static gboolean
leads_to (const char *path, const char *target)
{
  gsize n = strlen (path);

  return strncmp (path, target, n) == 0 && (target[n] == '\0' || target[n] == '/');
}

/* The row among the children of @parent (NULL: at the top) that is on the way to @path. */
static GtkTreeListRow *
find_child (VtrStateList *self, GtkTreeListRow *parent, const char *path)
{
  for (guint i = 0;; i++)
    {
      g_autoptr (GtkTreeListRow) row = parent ? gtk_tree_list_row_get_child_row (parent, i)
                                              : gtk_tree_list_model_get_child_row (self->model, i);
      g_autoptr (VtrStateNode) node = row ? gtk_tree_list_row_get_item (row) : NULL;

      if (node == NULL)
        return NULL;
      if (leads_to (vtr_state_node_get_path (node), path))
        return g_steal_pointer (&row);
    }
}

static void
scroll_to_row (VtrStateList *self, guint row)
{
  drop_scroll (self);
  gtk_single_selection_set_selected (self->selection, row);
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->list)); child;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_activate_action (child, "list.scroll-to-item", "u", row))
      return;
}

gboolean
vtr_state_list_reveal (VtrStateList *self, const char *path)
{
  g_autoptr (GtkTreeListRow) at = NULL;
  gboolean found = FALSE;

  while (self->model && !found)
    {
      g_autoptr (GtkTreeListRow) next = find_child (self, at, path);
      g_autoptr (VtrStateNode) node = next ? gtk_tree_list_row_get_item (next) : NULL;

      if (next == NULL)
        break;
      g_set_object (&at, next);
      found = strcmp (vtr_state_node_get_path (node), path) == 0;
      if (!found)
        {
          gtk_tree_list_row_set_expanded (next, TRUE);
          g_hash_table_add (self->unfolded, g_strdup (get_key (self, node)));
        }
    }
  if (at)
    scroll_to_row (self, gtk_tree_list_row_get_position (at));
  return found;
}

/* --- cells ----------------------------------------------------------------------------------- */

static void
follow_link (VtrStateList *self, const char *path)
{
  GdkModifierType modifiers = 0;
  GdkDisplay *display = gtk_widget_get_display (GTK_WIDGET (self));
  GdkSeat *seat = gdk_display_get_default_seat (display);
  GdkDevice *keyboard = seat ? gdk_seat_get_keyboard (seat) : NULL;

  if (keyboard)
    modifiers = gdk_device_get_modifier_state (keyboard);
  g_signal_emit (self, signals[LINK], 0, path, (modifiers & GDK_CONTROL_MASK) != 0);
}

static gboolean
activate_link_cb (GtkWidget *label, const char *uri)
{
  follow_link (VTR_STATE_LIST (gtk_widget_get_ancestor (label, VTR_TYPE_STATE_LIST)), uri);
  return TRUE;
}

static void
expanded_cb (GtkTreeListRow *row, GParamSpec *pspec, VtrStateList *self)
{
  g_autoptr (VtrStateNode) node = gtk_tree_list_row_get_item (row);

  if (self->restoring || node == NULL || self->root == NULL)
    return;
  if (gtk_tree_list_row_get_expanded (row))
    g_hash_table_add (self->unfolded, g_strdup (get_key (self, node)));
  else
    g_hash_table_remove (self->unfolded, get_key (self, node));
}

static void
setup_name_cb (VtrStateList *self, GtkListItem *item)
{
  GtkWidget *expander = gtk_tree_expander_new ();
  GtkWidget *name = gtk_inscription_new (NULL);

  gtk_inscription_set_text_overflow (GTK_INSCRIPTION (name),
                                     GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (name), 1);
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (name), VTR_NAME_WIDTH_MIN);
  gtk_widget_set_valign (name, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand (name, TRUE);
  gtk_tree_expander_set_child (GTK_TREE_EXPANDER (expander), name);
  gtk_list_item_set_child (item, expander);
}

static void
describe_row (GtkWidget *widget, VtrStateNode *node)
{
  const char *value = vtr_state_node_get_value (node);
  const char *warning = vtr_state_node_get_warning (node);
  g_autofree char *text = g_strdup_printf (
    "%s%s%s%s%s%s", vtr_state_node_get_name (node), *value ? ": " : "", value,
    vtr_state_node_get_changed (node) ? _ (", changed by this command") : "", warning ? ", " : "",
    warning ? warning : "");

  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  vtr_accessible_name_row (widget, text);
}

static void
bind_name_cb (VtrStateList *self, GtkListItem *item)
{
  GtkTreeListRow *row = gtk_list_item_get_item (item);
  g_autoptr (VtrStateNode) node = gtk_tree_list_row_get_item (row);
  GtkWidget *expander = gtk_list_item_get_child (item);
  GtkWidget *name = gtk_tree_expander_get_child (GTK_TREE_EXPANDER (expander));

  gtk_tree_expander_set_list_row (GTK_TREE_EXPANDER (expander), row);
  gtk_inscription_set_text (GTK_INSCRIPTION (name), vtr_state_node_get_name (node));
  vtr_name_width_set (GTK_INSCRIPTION (name), row, &self->name_width);
  gtk_widget_set_tooltip_text (name, vtr_state_node_get_name (node));
  if (vtr_state_node_get_changed (node))
    gtk_widget_add_css_class (expander, "changed");
  else
    gtk_widget_remove_css_class (expander, "changed");
  describe_row (expander, node);
  g_object_set_data_full (G_OBJECT (expander), "node", g_object_ref (node), g_object_unref);
  g_signal_connect_object (row, "notify::expanded", G_CALLBACK (expanded_cb), self, 0);
}

static void
unbind_name_cb (VtrStateList *self, GtkListItem *item)
{
  GtkWidget *expander = gtk_list_item_get_child (item);

  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (item), expanded_cb, self);
  gtk_tree_expander_set_list_row (GTK_TREE_EXPANDER (expander), NULL);
  g_object_set_data (G_OBJECT (expander), "node", NULL);
}

typedef struct
{
  GtkWidget *value;
  GtkWidget *note;
  GtkWidget *warning;
} Cell;

static void
setup_value_cb (VtrStateList *self, GtkListItem *item)
{
  Cell *cell = g_new0 (Cell, 1);
  AdwSqueezer *squeezer;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);

  cell->value = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (cell->value), 0);
  gtk_label_set_ellipsize (GTK_LABEL (cell->value), PANGO_ELLIPSIZE_END);
  gtk_label_set_single_line_mode (GTK_LABEL (cell->value), TRUE);
  gtk_widget_add_css_class (cell->value, "numeric");
  g_signal_connect (cell->value, "activate-link", G_CALLBACK (activate_link_cb), NULL);
  cell->note = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (cell->note), 0);
  gtk_label_set_ellipsize (GTK_LABEL (cell->note), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (cell->note, "dim-text");
  gtk_widget_add_css_class (cell->note, "caption");
  cell->warning = gtk_image_new_from_icon_name ("dialog-warning-symbolic");
  gtk_widget_add_css_class (cell->warning, "warning");
  gtk_box_append (GTK_BOX (box), cell->value);
  /* A note that is cut to fewer characters would say nothing; the tooltip has it. */
  squeezer = ADW_SQUEEZER (adw_squeezer_new ());
  adw_squeezer_set_allow_none (squeezer, TRUE);
  adw_squeezer_set_xalign (squeezer, 0);
  adw_squeezer_set_switch_threshold_policy (squeezer, ADW_FOLD_THRESHOLD_POLICY_MINIMUM);
  adw_squeezer_add (squeezer, cell->note);
  gtk_widget_set_hexpand (GTK_WIDGET (squeezer), TRUE);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (squeezer));
  gtk_box_append (GTK_BOX (box), cell->warning);
  g_object_set_data_full (G_OBJECT (box), "cell", cell, g_free);
  gtk_list_item_set_child (item, box);
}

static void
bind_value_cb (VtrStateList *self, GtkListItem *item)
{
  g_autoptr (VtrStateNode) node = gtk_tree_list_row_get_item (gtk_list_item_get_item (item));
  GtkWidget *box = gtk_list_item_get_child (item);
  Cell *cell = g_object_get_data (G_OBJECT (box), "cell");
  const char *whole = vtr_state_node_get_value (node);
  const char *link = vtr_state_node_get_link (node);
  const char *note = vtr_state_node_get_note (node);
  g_autofree char *value = vtr_shorten_enumerants (whole);
  g_autofree char *short_note = vtr_shorten_enumerants (note ? note : "");
  g_autofree char *tooltip =
    g_strdup_printf ("%s%s%s", whole, *whole != '\0' && note ? "\n" : "", note ? note : "");
  const char *warning = vtr_state_node_get_warning (node);

  if (link && *value)
    {
      g_autofree char *markup =
        g_markup_printf_escaped ("<a href=\"%s\" title=\"%s\">%s</a>", link, link, value);

      gtk_label_set_markup (GTK_LABEL (cell->value), markup);
    }
  else
    gtk_label_set_text (GTK_LABEL (cell->value), value);
  gtk_label_set_width_chars (GTK_LABEL (cell->value), (int)MIN (g_utf8_strlen (value, 24), 20));
  gtk_widget_set_visible (cell->value, *value != '\0');
  gtk_label_set_label (GTK_LABEL (cell->note), short_note);
  gtk_label_set_width_chars (GTK_LABEL (cell->note),
                             (int)MIN (g_utf8_strlen (short_note, -1), MIN_NOTE));
  gtk_widget_set_tooltip_text (box, *tooltip != '\0' ? tooltip : NULL);
  gtk_widget_set_visible (cell->warning, warning != NULL);
  gtk_widget_set_tooltip_text (cell->warning, warning);
  g_object_set_data_full (G_OBJECT (box), "node", g_object_ref (node), g_object_unref);
}

static void
unbind_value_cb (VtrStateList *self, GtkListItem *item)
{
  g_object_set_data (G_OBJECT (gtk_list_item_get_child (item)), "node", NULL);
}

static void
add_column (VtrStateList *self,
            const char   *title,
            gboolean      expands,
            GCallback     setup,
            GCallback     bind,
            GCallback     unbind)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) column = NULL;

  g_signal_connect_object (factory, "setup", setup, self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "bind", bind, self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "unbind", unbind, self, G_CONNECT_SWAPPED);
  column = gtk_column_view_column_new (title, factory);
  gtk_column_view_column_set_expand (column, expands);
  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_append_column (self->list, column);
}

/* Return expands the row, or follows its link. */
static void
activate_cb (VtrStateList *self, guint position)
{
  g_autoptr (GtkTreeListRow) row = gtk_tree_list_model_get_row (self->model, position);
  g_autoptr (VtrStateNode) node = row ? gtk_tree_list_row_get_item (row) : NULL;

  if (node == NULL)
    return;
  if (gtk_tree_list_row_is_expandable (row))
    gtk_tree_list_row_set_expanded (row, !gtk_tree_list_row_get_expanded (row));
  else if (vtr_state_node_get_link (node))
    follow_link (self, vtr_state_node_get_link (node));
}

/* --- menu ------------------------------------------------------------------------------------ */

/* The row of the menu, or, by keyboard, the selected row. (transfer full) */
static VtrStateNode *
dup_target (VtrStateList *self)
{
  if (self->menu_node)
    return g_object_ref (self->menu_node);
  return dup_node (self, gtk_single_selection_get_selected (self->selection));
}

static void
row_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrStateList *self = VTR_STATE_LIST (widget);
  g_autoptr (VtrStateNode) node = dup_target (self);
  const char *value = node ? vtr_state_node_get_value (node) : NULL;

  if (node == NULL)
    return;
  if (*value == '\0')
    value = vtr_state_node_get_name (node);
  name += strlen ("state.");
  if (g_str_equal (name, "copy-value"))
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), value);
  else if (g_str_equal (name, "copy-path"))
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), vtr_state_node_get_path (node));
  else if (g_str_equal (name, "find-value"))
    g_signal_emit (self, signals[FIND], 0, value);
  else if (vtr_state_node_get_link (node))
    g_signal_emit (self, signals[LINK], 0, vtr_state_node_get_link (node), FALSE);
}

static void
collapse_all_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrStateList *self = VTR_STATE_LIST (widget);
  g_autoptr (VtrStateNode) root = self->root ? g_object_ref (self->root) : NULL;

  g_hash_table_remove_all (self->unfolded);
  vtr_state_list_set_root (self, root, self->only_changed);
}

static void
forget_menu (gpointer data)
{
  VtrStateList *self = data;

  g_clear_object (&self->menu_node);
}

static void
popup (VtrStateList *self, VtrStateNode *node, double x, double y)
{
  g_set_object (&self->menu_node, node);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "state.go-to",
                                 vtr_state_node_get_link (node) != NULL);
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &(GdkRectangle){ (int)x, (int)y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

static gboolean
open_menu (gpointer data, double x, double y)
{
  VtrStateList *self = data;
  GtkWidget *picked = gtk_widget_pick (GTK_WIDGET (self), x, y, GTK_PICK_DEFAULT);
  VtrStateNode *node = NULL;

  for (; picked && picked != GTK_WIDGET (self) && node == NULL;
       picked = gtk_widget_get_parent (picked))
    {
      node = g_object_get_data (G_OBJECT (picked), "node");
      if (node == NULL && gtk_widget_get_first_child (picked))
        node = g_object_get_data (G_OBJECT (gtk_widget_get_first_child (picked)), "node");
    }
  if (node == NULL)
    return FALSE;
  popup (self, node, x, y);
  return TRUE;
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_state_list_dispose (GObject *object)
{
  VtrStateList *self = VTR_STATE_LIST (object);

  drop_scroll (self);
  if (self->selection)
    gtk_single_selection_set_model (self->selection, NULL);
  g_clear_object (&self->model);
  g_clear_object (&self->root);
  g_clear_object (&self->menu_node);
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  g_clear_object (&self->selection);
  G_OBJECT_CLASS (vtr_state_list_parent_class)->dispose (object);
}

static void
vtr_state_list_finalize (GObject *object)
{
  g_hash_table_unref (VTR_STATE_LIST (object)->unfolded);
  G_OBJECT_CLASS (vtr_state_list_parent_class)->finalize (object);
}

static gboolean
vtr_state_list_grab_focus (GtkWidget *widget)
{
  return gtk_widget_child_focus (VTR_STATE_LIST (widget)->scroller, GTK_DIR_TAB_FORWARD);
}

static void
vtr_state_list_class_init (VtrStateListClass *klass)
{
  static const char *const row_actions[] = { "state.go-to", "state.copy-value", "state.copy-path",
                                             "state.find-value" };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_state_list_dispose;
  G_OBJECT_CLASS (klass)->finalize = vtr_state_list_finalize;
  widget_class->grab_focus = vtr_state_list_grab_focus;
  vtr_focus_chain_init_class (widget_class);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrstatelist");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);

  signals[LINK] = g_signal_new ("link", VTR_TYPE_STATE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_BOOLEAN);
  signals[FIND] = g_signal_new ("find", VTR_TYPE_STATE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 1, G_TYPE_STRING);
  for (guint i = 0; i < G_N_ELEMENTS (row_actions); i++)
    gtk_widget_class_install_action (widget_class, row_actions[i], NULL, row_action);
  gtk_widget_class_install_action (widget_class, "state.collapse-all", NULL, collapse_all_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_c, GDK_CONTROL_MASK,
                                       "state.copy-value", NULL);
}

static void
init_menu (VtrStateList *self)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) copy = g_menu_new ();
  g_autoptr (GMenu) tree = g_menu_new ();

  g_menu_append (menu, _ ("_Go To"), "state.go-to");
  g_menu_append (menu, _ ("_Find This Value"), "state.find-value");
  g_menu_append (copy, _ ("_Copy Value"), "state.copy-value");
  g_menu_append (copy, _ ("Copy _Path"), "state.copy-path");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (copy));
  g_menu_append (tree, _ ("Co_llapse All"), "state.collapse-all");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (tree));
  self->menu = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
  gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
  gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
  gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
}

static void
vtr_state_list_init (VtrStateList *self)
{
  self->unfolded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->selection = gtk_single_selection_new (NULL);
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  self->list =
    GTK_COLUMN_VIEW (gtk_column_view_new (g_object_ref (GTK_SELECTION_MODEL (self->selection))));
  vtr_list_keys_init (GTK_WIDGET (self->list));
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "messages");
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "state");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("State"), -1);
  add_column (self, _ ("Name"), FALSE, G_CALLBACK (setup_name_cb), G_CALLBACK (bind_name_cb),
              G_CALLBACK (unbind_name_cb));
  add_column (self, _ ("Value"), TRUE, G_CALLBACK (setup_value_cb), G_CALLBACK (bind_value_cb),
              G_CALLBACK (unbind_value_cb));
  g_signal_connect_object (self->list, "activate", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);

  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), GTK_WIDGET (self->list));
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
  init_menu (self);
  vtr_list_keys_add_menu (GTK_WIDGET (self), open_menu, self);
  vtr_list_keys_on_closed (self->menu, forget_menu, self);
}

GtkWidget *
vtr_state_list_new (void)
{
  return g_object_new (VTR_TYPE_STATE_LIST, NULL);
}
