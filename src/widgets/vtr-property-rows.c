/* The card of expandable name and value rows that the Parameters and Pipeline panes are made of,
 * with links and a context menu. */
#include "vtr-config.h"

#include "widgets/vtr-property-rows.h"

#include <glib/gi18n.h>

#include "engine/model/vtr-command-text.h"
#include "widgets/vtr-accessible.h"
#include "widgets/vtr-copy-menu.h"
#include "widgets/vtr-list-keys.h"
#include "widgets/vtr-property-layout.h"
#include "widgets/vtr-property-slot.h"

/* Initial expansion stops at this many rows, and never expands a longer array. */
#define UNFOLD_ROWS 48
#define UNFOLD_ARRAY 8
/* Longer values are cut; the tooltip has the full value. */
#define VALUE_LINES 4

struct _VtrPropertyRows
{
  GtkWidget parent_instance;

  GtkWidget *top;
  GtkListView *list;
  GListModel *slots; /* (nullable): the VtrPropertySlot items that the list shows */
  gboolean unfolds;  /* some row has an expander */
  GtkWidget *menu;
  char *menu_path;
  char *menu_value;
};

G_DEFINE_FINAL_TYPE (VtrPropertyRows, vtr_property_rows, GTK_TYPE_WIDGET)

/* --- cells ----------------------------------------------------------------------------------- */

typedef struct
{
  GtkWidget *expander;
  GtkWidget *name;
  GtkWidget *value;
  GtkWidget *note;
  GtkWidget *warning;
  const char *value_class; /* static; NULL: none yet */
  VtrPropertySlot *slot;   /* NULL: not bound */
} Cell;

static gboolean
activate_link_cb (GtkWidget *label, const char *uri)
{
  gtk_widget_activate_action (label, "win.select", "s", uri);
  return TRUE;
}

/* Tooltips are made on demand, because setting one asks the display for the pointer's position. */
static gboolean
query_tooltip_cb (GtkWidget  *box,
                  int         x,
                  int         y,
                  gboolean    keyboard,
                  GtkTooltip *tooltip)
{
  const char *text = g_object_get_data (G_OBJECT (box), "tooltip");

  gtk_tooltip_set_text (tooltip, text);
  return text != NULL;
}

static void
setup_cb (VtrPropertyRows *self, GtkListItem *item)
{
  Cell *cell = g_new0 (Cell, 1);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_layout_manager (box, vtr_property_layout_new (6));
  cell->name = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (cell->name), 0);
  gtk_label_set_wrap (GTK_LABEL (cell->name), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (cell->name), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_width_chars (GTK_LABEL (cell->name), 6);
  gtk_widget_add_css_class (cell->name, "dim-text");
  cell->expander = gtk_tree_expander_new ();
  gtk_tree_expander_set_child (GTK_TREE_EXPANDER (cell->expander), cell->name);
  gtk_widget_add_css_class (cell->expander, "key");

  cell->value = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (cell->value), 0);
  gtk_label_set_ellipsize (GTK_LABEL (cell->value), PANGO_ELLIPSIZE_END);
  gtk_label_set_wrap_mode (GTK_LABEL (cell->value), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (GTK_LABEL (cell->value), VALUE_LINES);
  gtk_label_set_selectable (GTK_LABEL (cell->value), TRUE);
  vtr_copy_menu_add (cell->value);
  g_signal_connect (cell->value, "activate-link", G_CALLBACK (activate_link_cb), NULL);

  cell->note = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (cell->note), 0);
  gtk_label_set_wrap (GTK_LABEL (cell->note), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (cell->note), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (cell->note, "dim-text");
  gtk_widget_add_css_class (cell->note, "caption");

  cell->warning = gtk_image_new_from_icon_name ("dialog-warning-symbolic");
  gtk_widget_add_css_class (cell->warning, "warning");

  gtk_box_append (GTK_BOX (box), cell->expander);
  gtk_box_append (GTK_BOX (box), cell->value);
  gtk_box_append (GTK_BOX (box), cell->note);
  gtk_box_append (GTK_BOX (box), cell->warning);
  g_object_set_data_full (G_OBJECT (box), "cell", cell, g_free);
  gtk_widget_set_has_tooltip (box, TRUE);
  g_signal_connect (box, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
  gtk_list_item_set_child (item, box);
}

static void
set_value_class (Cell *cell, const char *value_class)
{
  if (cell->value_class == value_class)
    return;
  if (cell->value_class != NULL)
    gtk_widget_remove_css_class (cell->value, cell->value_class);
  gtk_widget_add_css_class (cell->value, value_class);
  cell->value_class = value_class;
}

static void
set_value (Cell *cell, VtrPropertyRow *row)
{
  g_autofree char *text = vtr_shorten_enumerants (vtr_property_row_get_text (row));
  const char *link = vtr_property_row_get_link (row);
  VtrPropertyKind kind = vtr_property_row_get_kind (row);
  gboolean mono = kind == VTR_PROPERTY_ENUM || kind == VTR_PROPERTY_FLAGS ||
                  kind == VTR_PROPERTY_ADDRESS || kind == VTR_PROPERTY_BYTES;
  gboolean dim = vtr_property_row_get_ignored (row) || kind == VTR_PROPERTY_NULL ||
                 kind == VTR_PROPERTY_STRUCT || kind == VTR_PROPERTY_ARRAY ||
                 kind == VTR_PROPERTY_CHAIN;

  if (link)
    {
      g_autofree char *target = g_markup_escape_text (link, -1);
      g_autofree char *escaped = g_markup_escape_text (text, -1);
      g_autofree char *markup =
        g_strdup_printf ("<a href=\"%s\" title=\"%s\">%s</a>", target, target, escaped);

      gtk_label_set_markup (GTK_LABEL (cell->value), markup);
    }
  else
    gtk_label_set_text (GTK_LABEL (cell->value), text);

  /* The rows below contain everything that a structure or an array summarises. */
  gtk_label_set_wrap (GTK_LABEL (cell->value), vtr_property_row_get_children (row) == NULL);
  set_value_class (cell, mono ? "monospace" : "numeric");
  if (dim && link == NULL)
    gtk_widget_add_css_class (cell->value, "dim-text");
  else
    gtk_widget_remove_css_class (cell->value, "dim-text");
}

static void
show_row (GtkWidget *box)
{
  Cell *cell = g_object_get_data (G_OBJECT (box), "cell");
  VtrPropertyRow *row = vtr_property_slot_get_row (cell->slot);
  const char *type = vtr_property_row_get_type_name (row);
  const char *note = vtr_property_row_get_note (row);
  const char *warning = vtr_property_row_get_warning (row);
  g_autofree char *tooltip =
    g_strdup_printf ("%s %s\n%s%s%s", type, vtr_property_row_get_name (row),
                     vtr_property_row_get_text (row), note ? "\n" : "", note ? note : "");
  g_autofree char *short_text = vtr_shorten_enumerants (vtr_property_row_get_text (row));
  g_autofree char *short_note = vtr_shorten_enumerants (note ? note : "");
  g_autofree char *label =
    g_strdup_printf ("%s: %s%s%s", vtr_property_row_get_name (row), short_text,
                     warning ? ", " : "", warning ? warning : "");

  gtk_label_set_label (GTK_LABEL (cell->name), vtr_property_row_get_name (row));
  set_value (cell, row);
  /* In a narrow pane an empty value would be an empty line below the name. */
  gtk_widget_set_visible (cell->value, *vtr_property_row_get_text (row) != '\0');
  gtk_label_set_label (GTK_LABEL (cell->note), short_note);
  gtk_widget_set_visible (cell->note, *short_note != '\0');
  gtk_widget_set_visible (cell->warning, warning != NULL);
  if (g_strcmp0 (gtk_widget_get_tooltip_text (cell->warning), warning) != 0)
    gtk_widget_set_tooltip_text (cell->warning, warning);
  g_object_set_data_full (G_OBJECT (box), "tooltip", g_strdup (g_strstrip (tooltip)), g_free);
  gtk_accessible_update_property (GTK_ACCESSIBLE (box), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  vtr_accessible_name_row (box, label);
  g_object_set_data_full (G_OBJECT (box), "row", g_object_ref (row), g_object_unref);
}

static void
bind_cb (VtrPropertyRows *self, GtkListItem *item)
{
  GtkTreeListRow *tree_row = gtk_list_item_get_item (item);
  g_autoptr (VtrPropertySlot) slot = gtk_tree_list_row_get_item (tree_row);
  GtkWidget *box = gtk_list_item_get_child (item);
  Cell *cell = g_object_get_data (G_OBJECT (box), "cell");

  gtk_tree_expander_set_indent_for_icon (GTK_TREE_EXPANDER (cell->expander), self->unfolds);
  gtk_tree_expander_set_list_row (GTK_TREE_EXPANDER (cell->expander), tree_row);
  g_set_object (&cell->slot, slot);
  g_signal_connect_object (slot, "changed", G_CALLBACK (show_row), box, G_CONNECT_SWAPPED);
  show_row (box);
}

static void
unbind_cb (VtrPropertyRows *self, GtkListItem *item)
{
  GtkWidget *box = gtk_list_item_get_child (item);
  Cell *cell = g_object_get_data (G_OBJECT (box), "cell");

  g_signal_handlers_disconnect_by_data (cell->slot, box);
  g_clear_object (&cell->slot);
  gtk_tree_expander_set_list_row (GTK_TREE_EXPANDER (cell->expander), NULL);
  g_object_set_data (G_OBJECT (box), "row", NULL);
}

/* --- model ----------------------------------------------------------------------------------- */

static GListModel *
create_children (gpointer item, gpointer data)
{
  GListModel *children = vtr_property_slot_get_children (item);

  return children ? g_object_ref (children) : NULL;
}

static gboolean
unfolds_at_first (VtrPropertyRow *row)
{
  GListModel *children = vtr_property_row_get_children (row);

  if (children == NULL || vtr_property_row_get_ignored (row))
    return FALSE;
  return g_list_model_get_n_items (children) <= UNFOLD_ARRAY ||
         vtr_property_row_get_kind (row) == VTR_PROPERTY_STRUCT;
}

static void
unfold (GtkTreeListModel *tree)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (tree)); i++)
    {
      g_autoptr (GtkTreeListRow) tree_row = gtk_tree_list_model_get_row (tree, i);
      g_autoptr (VtrPropertySlot) slot = gtk_tree_list_row_get_item (tree_row);

      if (g_list_model_get_n_items (G_LIST_MODEL (tree)) >= UNFOLD_ROWS)
        return;
      if (unfolds_at_first (vtr_property_slot_get_row (slot)))
        gtk_tree_list_row_set_expanded (tree_row, TRUE);
    }
}

/* Checks only the first rows, because an array of plain values may be very long. */
static gboolean
any_unfolds (GListModel *rows)
{
  guint n = MIN (g_list_model_get_n_items (rows), UNFOLD_ROWS);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (VtrPropertyRow) row = g_list_model_get_item (rows, i);

      if (vtr_property_row_get_children (row))
        return TRUE;
    }
  return FALSE;
}

void
vtr_property_rows_set_rows (VtrPropertyRows *self, GListModel *rows)
{
  GtkTreeListModel *tree;
  g_autoptr (GtkNoSelection) selection = NULL;

  /* If the rows have the same names, widgets and expansion are kept. */
  if (rows != NULL && self->slots != NULL && vtr_property_slots_replace (self->slots, rows))
    return;
  g_clear_object (&self->slots);
  if (rows == NULL)
    {
      gtk_list_view_set_model (self->list, NULL);
      return;
    }
  self->unfolds = any_unfolds (rows);
  self->slots = vtr_property_slots_new (rows);
  tree = gtk_tree_list_model_new (g_object_ref (self->slots), FALSE, FALSE, create_children, NULL,
                                  NULL);
  unfold (tree);
  selection = gtk_no_selection_new (G_LIST_MODEL (tree));
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (selection));
}

/* Return expands a row, or follows the link of its value. */
static void
activate_cb (VtrPropertyRows *self, guint position)
{
  g_autoptr (GtkTreeListRow) tree_row =
    g_list_model_get_item (G_LIST_MODEL (gtk_list_view_get_model (self->list)), position);
  g_autoptr (VtrPropertySlot) slot = gtk_tree_list_row_get_item (tree_row);
  const char *link = vtr_property_row_get_link (vtr_property_slot_get_row (slot));

  if (gtk_tree_list_row_is_expandable (tree_row))
    gtk_tree_list_row_set_expanded (tree_row, !gtk_tree_list_row_get_expanded (tree_row));
  else if (link != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.select", "s", link);
}

/* --- menu ------------------------------------------------------------------------------------ */

static void
copy (GtkWidget *widget, const char *text)
{
  if (text)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

static VtrPropertyRow *
row_at (GtkWidget *picked, GtkWidget *top)
{
  GtkWidget *child = picked ? gtk_widget_get_first_child (picked) : NULL;

  /* The row of the list has the focus; its child has the values. */
  if (child && g_object_get_data (G_OBJECT (child), "row"))
    return g_object_get_data (G_OBJECT (child), "row");
  for (; picked && picked != top; picked = gtk_widget_get_parent (picked))
    {
      VtrPropertyRow *row = g_object_get_data (G_OBJECT (picked), "row");

      if (row)
        return row;
    }
  return NULL;
}

/* Applies to the row of the menu, or, by keyboard, to the row that has the focus. */
static void
copy_value_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrPropertyRows *self = VTR_PROPERTY_ROWS (widget);
  GtkRoot *root = gtk_widget_get_root (widget);
  VtrPropertyRow *row = root != NULL ? row_at (gtk_root_get_focus (root), widget) : NULL;

  if (self->menu_value != NULL)
    copy (widget, self->menu_value);
  else if (row != NULL)
    copy (widget, vtr_property_row_get_text (row));
}

static void
copy_path_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  copy (widget, VTR_PROPERTY_ROWS (widget)->menu_path);
}

static void
forget_menu (gpointer data)
{
  VtrPropertyRows *self = data;

  g_clear_pointer (&self->menu_path, g_free);
  g_clear_pointer (&self->menu_value, g_free);
}

static gboolean
open_menu (gpointer data, double x, double y)
{
  VtrPropertyRows *self = data;
  VtrPropertyRow *row =
    row_at (gtk_widget_pick (GTK_WIDGET (self), x, y, GTK_PICK_DEFAULT), GTK_WIDGET (self));

  if (row == NULL)
    return FALSE;
  forget_menu (self);
  self->menu_path = g_strdup (vtr_property_row_get_path (row));
  self->menu_value = g_strdup (vtr_property_row_get_text (row));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "rows.copy-path", self->menu_path != NULL);
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &(GdkRectangle){ (int)x, (int)y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
  return TRUE;
}

/* --- layout ---------------------------------------------------------------------------------- */

static int
measure (GtkWidget *widget, GtkOrientation orientation, int for_size)
{
  int usual;

  gtk_widget_measure (widget, orientation, for_size, NULL, &usual, NULL, NULL);
  return usual;
}

/* Margins of the card. */
static int
get_margins (VtrPropertyRows *self)
{
  GtkBorder margin;

  gtk_style_context_get_margin (gtk_widget_get_style_context (self->top), &margin);
  return margin.left + margin.right;
}

/* GtkListView ignores that its height depends on its width, so the extra height of wrapped rows is
 * added. */
static int
get_height (VtrPropertyRows *self, int width)
{
  int height = measure (self->top, GTK_ORIENTATION_VERTICAL, -1);

  if (width < 0)
    return height;
  width -= get_margins (self);
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->list)); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    if (gtk_widget_should_layout (row))
      height += measure (row, GTK_ORIENTATION_VERTICAL, MAX (width, 1)) -
                measure (row, GTK_ORIENTATION_VERTICAL, -1);
  return height;
}

static GtkSizeRequestMode
get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
measure_rows (GtkWidget      *widget,
              GtkOrientation  orientation,
              int             for_size,
              int            *minimum,
              int            *natural,
              int            *minimum_baseline,
              int            *natural_baseline)
{
  VtrPropertyRows *self = VTR_PROPERTY_ROWS (widget);

  gtk_widget_measure (self->top, orientation, -1, minimum, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    return;
  *natural = MAX (*minimum, get_height (self, for_size));
  /* Without a scrolled window all rows are shown. */
  if (self->top == GTK_WIDGET (self->list))
    *minimum = *natural;
}

static void
allocate_rows (GtkWidget *widget, int width, int height, int baseline)
{
  VtrPropertyRows *self = VTR_PROPERTY_ROWS (widget);

  gtk_widget_allocate (self->top, width, MIN (height, get_height (self, width)), -1, NULL);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_property_rows_dispose (GObject *object)
{
  VtrPropertyRows *self = VTR_PROPERTY_ROWS (object);

  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_pointer (&self->top, gtk_widget_unparent);
  forget_menu (self);
  g_clear_object (&self->slots);
  G_OBJECT_CLASS (vtr_property_rows_parent_class)->dispose (object);
}

static void
vtr_property_rows_class_init (VtrPropertyRowsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_property_rows_dispose;
  gtk_widget_class_set_css_name (widget_class, "vtrproperties");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_install_action (widget_class, "rows.copy-value", NULL, copy_value_action);
  gtk_widget_class_install_action (widget_class, "rows.copy-path", NULL, copy_path_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_c, GDK_CONTROL_MASK,
                                       "rows.copy-value", NULL);
}

static void
vtr_property_rows_init (VtrPropertyRows *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GMenu) menu = g_menu_new ();

  gtk_widget_set_layout_manager (
    GTK_WIDGET (self), gtk_custom_layout_new (get_request_mode, measure_rows, allocate_rows));
  g_signal_connect_object (factory, "setup", G_CALLBACK (setup_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "bind", G_CALLBACK (bind_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (unbind_cb), self, G_CONNECT_SWAPPED);
  self->list = GTK_LIST_VIEW (gtk_list_view_new (NULL, factory));
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "props");
  g_signal_connect_object (self->list, "activate", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);
  vtr_list_keys_init (GTK_WIDGET (self->list));

  g_menu_append (menu, _ ("_Copy Value"), "rows.copy-value");
  g_menu_append (menu, _ ("Copy _Path"), "rows.copy-path");
  self->menu = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
  gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
  gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
  gtk_widget_set_parent (self->menu, GTK_WIDGET (self));

  vtr_list_keys_add_menu (GTK_WIDGET (self), open_menu, self);
  vtr_list_keys_on_closed (self->menu, forget_menu, self);
}

GtkWidget *
vtr_property_rows_new (gboolean scrolling, const char *label)
{
  VtrPropertyRows *self = g_object_new (VTR_TYPE_PROPERTY_ROWS, NULL);

  self->top = GTK_WIDGET (self->list);
  if (scrolling)
    {
      self->top = gtk_scrolled_window_new ();
      gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->top), GTK_POLICY_NEVER,
                                      GTK_POLICY_AUTOMATIC);
      gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->top), GTK_WIDGET (self->list));
      gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (self->top), TRUE);
      gtk_widget_set_vexpand (GTK_WIDGET (self), TRUE);
    }
  gtk_widget_add_css_class (self->top, "property-card");
  gtk_widget_set_overflow (self->top, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_parent (self->top, GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  return GTK_WIDGET (self);
}
