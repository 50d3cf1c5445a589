/* The tree of the Memory pane that shows bytes as values of a type: name, offset, type, value. */
#include "vtr-config.h"

#include "widgets/vtr-memory-tree.h"

#include <glib/gi18n.h>

#include "widgets/vtr-accessible.h"
#include "widgets/vtr-list-keys.h"
#include "widgets/vtr-memory-values.h"
#include "widgets/vtr-name-width.h"

/* The key of the view's Widths. */
#define WIDTHS "vtr-memory-widths"

/* Initial widths of types and offsets, in characters. */
#define MIN_WIDTH 4
#define MAX_WIDTH 14
#define LEAST_SEEN 9 /* also in a narrow table */

/* The widest texts so far, in characters; the column of values gets the rest. */
typedef struct
{
  guint name, type, offset;
} Widths;

static const Widths least_widths = { VTR_NAME_WIDTH_MIN, MIN_WIDTH, MIN_WIDTH };

/* The content of the tree. */
#define SHOWN "vtr-memory-shown"

typedef struct
{
  VtrMemoryValues *values; /* NULL: nothing yet */
  VtrMemoryType *type;
  guint32 space;
  guint64 offset;
  GHashTable *bound; /* GtkListItem of the visible cells in the column of values */
} Shown;

static void
shown_free (gpointer data)
{
  Shown *self = data;

  g_clear_object (&self->values);
  g_clear_pointer (&self->type, vtr_memory_type_unref);
  g_hash_table_unref (self->bound);
  g_free (self);
}

static void
setup_name_cb (GtkListItemFactory *factory,
               GtkListItem        *item,
               gpointer            characters)
{
  GtkWidget *expander = gtk_tree_expander_new ();

  gtk_tree_expander_set_child (GTK_TREE_EXPANDER (expander), gtk_inscription_new (NULL));
  gtk_widget_set_hexpand (gtk_tree_expander_get_child (GTK_TREE_EXPANDER (expander)), TRUE);
  gtk_inscription_set_min_chars (
    GTK_INSCRIPTION (gtk_tree_expander_get_child (GTK_TREE_EXPANDER (expander))),
    GPOINTER_TO_UINT (characters));
  gtk_inscription_set_nat_lines (
    GTK_INSCRIPTION (gtk_tree_expander_get_child (GTK_TREE_EXPANDER (expander))), 1);
  gtk_inscription_set_text_overflow (
    GTK_INSCRIPTION (gtk_tree_expander_get_child (GTK_TREE_EXPANDER (expander))),
    GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_widget_set_valign (gtk_tree_expander_get_child (GTK_TREE_EXPANDER (expander)),
                         GTK_ALIGN_CENTER);
  gtk_list_item_set_child (item, expander);
}

static void
bind_name_cb (GtkListItemFactory *factory,
              GtkListItem        *item,
              guint              *widest)
{
  GtkTreeExpander *expander = GTK_TREE_EXPANDER (gtk_list_item_get_child (item));
  GtkTreeListRow *row = gtk_list_item_get_item (item);
  g_autoptr (VtrMemoryValue) value = gtk_tree_list_row_get_item (row);

  gtk_tree_expander_set_list_row (expander, row);
  gtk_inscription_set_text (GTK_INSCRIPTION (gtk_tree_expander_get_child (expander)),
                            vtr_memory_value_get_name (value));
  vtr_name_width_set (GTK_INSCRIPTION (gtk_tree_expander_get_child (expander)), row, widest);
  vtr_accessible_name_row (GTK_WIDGET (expander), vtr_memory_value_get_name (value));
}

static void
setup_text_cb (GtkListItemFactory *factory,
               GtkListItem        *item,
               gpointer            characters)
{
  GtkWidget *text = gtk_inscription_new (NULL);

  gtk_inscription_set_min_chars (GTK_INSCRIPTION (text), GPOINTER_TO_UINT (characters));
  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (text), 1);
  gtk_inscription_set_text_overflow (GTK_INSCRIPTION (text),
                                     GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (text, "numeric");
  gtk_list_item_set_child (item, text);
}

static void
bind_text (GtkListItem *item,
           const char *(*get) (VtrMemoryValue *value))
{
  g_autoptr (VtrMemoryValue) value = gtk_tree_list_row_get_item (gtk_list_item_get_item (item));

  gtk_inscription_set_text (GTK_INSCRIPTION (gtk_list_item_get_child (item)), get (value));
  gtk_widget_set_tooltip_text (gtk_list_item_get_child (item), get (value));
}

/* @widest: of its column, in Widths. */
static void
fit_text (GtkListItem *item,
          guint       *widest)
{
  GtkInscription *text = GTK_INSCRIPTION (gtk_list_item_get_child (item));
  guint n_chars = (guint)g_utf8_strlen (gtk_inscription_get_text (text), -1) + 1;

  *widest = CLAMP (n_chars, *widest, MAX_WIDTH);
  gtk_inscription_set_min_chars (text, MIN (*widest, LEAST_SEEN));
  gtk_inscription_set_nat_chars (text, *widest);
}

static void
bind_offset_cb (GtkListItemFactory *factory,
                GtkListItem        *item,
                guint              *widest)
{
  g_autoptr (VtrMemoryValue) value = gtk_tree_list_row_get_item (gtk_list_item_get_item (item));
  g_autofree char *text =
    g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", vtr_memory_value_get_offset (value));

  gtk_inscription_set_text (GTK_INSCRIPTION (gtk_list_item_get_child (item)), text);
  fit_text (item, widest);
}

static void
bind_type_cb (GtkListItemFactory *factory,
              GtkListItem        *item,
              guint              *widest)
{
  bind_text (item, vtr_memory_value_get_type_name);
  fit_text (item, widest);
}

static void
bind_value_cb (GtkListItemFactory *factory,
               GtkListItem        *item)
{
  bind_text (item, vtr_memory_value_get_text);
}

static void
note_bound_cb (GtkListItemFactory *factory,
               GtkListItem        *item,
               GHashTable         *bound)
{
  g_hash_table_add (bound, item);
}

static void
note_unbound_cb (GtkListItemFactory *factory,
                 GtkListItem        *item,
                 GHashTable         *bound)
{
  g_hash_table_remove (bound, item);
}

static GtkListItemFactory *
add_column (GtkColumnView *view,
            const char    *title,
            gboolean       expand,
            guint          characters, /* at least this many are visible */
            GCallback      setup,
            GCallback      bind,
            guint         *widest) /* (nullable) in Widths: for @bind */
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) column = NULL;

  g_signal_connect (factory, "setup", setup, GUINT_TO_POINTER (characters));
  g_signal_connect (factory, "bind", bind, widest);
  column = gtk_column_view_column_new (title, factory);
  gtk_column_view_column_set_expand (column, expand);
  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_append_column (view, column);
  return factory;
}

static GListModel *
create_children (gpointer item,
                 gpointer data)
{
  return vtr_memory_value_list_children (item);
}

GtkWidget *
vtr_memory_tree_new (void)
{
  GtkColumnView *self = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  GtkListItemFactory *factory;
  Shown *shown = g_new0 (Shown, 1);
  Widths *widths = g_memdup2 (&least_widths, sizeof least_widths);

  g_object_set_data_full (G_OBJECT (self), WIDTHS, widths, g_free);
  shown->bound = g_hash_table_new (NULL, NULL);
  g_object_set_data_full (G_OBJECT (self), SHOWN, shown, shown_free);
  vtr_list_keys_init (GTK_WIDGET (self));
  gtk_widget_add_css_class (GTK_WIDGET (self), "messages");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Values"), -1);
  add_column (self, _ ("Name"), FALSE, 7, G_CALLBACK (setup_name_cb), G_CALLBACK (bind_name_cb),
              &widths->name);
  /* Values before types: a narrow table shows its first columns. */
  factory = add_column (self, _ ("Value"), TRUE, 12, G_CALLBACK (setup_text_cb),
                        G_CALLBACK (bind_value_cb), NULL);
  g_signal_connect_data (factory, "bind", G_CALLBACK (note_bound_cb),
                         g_hash_table_ref (shown->bound),
                         (GClosureNotify)(GCallback)g_hash_table_unref, 0);
  g_signal_connect_data (factory, "unbind", G_CALLBACK (note_unbound_cb),
                         g_hash_table_ref (shown->bound),
                         (GClosureNotify)(GCallback)g_hash_table_unref, 0);
  add_column (self, _ ("Type"), FALSE, MIN_WIDTH, G_CALLBACK (setup_text_cb),
              G_CALLBACK (bind_type_cb), &widths->type);
  add_column (self, _ ("Offset"), FALSE, MIN_WIDTH, G_CALLBACK (setup_text_cb),
              G_CALLBACK (bind_offset_cb), &widths->offset);
  return GTK_WIDGET (self);
}

/* Shows other bytes of the same type in the existing rows. Returns: FALSE if other rows are
   needed. */
static gboolean
update_rows (GtkColumnView *self,
             VtrMemoryView *view,
             VtrMemoryType *type)
{
  Shown *shown = g_object_get_data (G_OBJECT (self), SHOWN);
  GtkSelectionModel *model = gtk_column_view_get_model (self);
  GHashTableIter iter;
  gpointer item;

  if (model == NULL || type != shown->type || !vtr_memory_values_set_view (shown->values, view))
    return FALSE;
  if (view->space != shown->space || view->offset != shown->offset)
    gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (model), GTK_INVALID_LIST_POSITION);
  g_hash_table_iter_init (&iter, shown->bound);
  while (g_hash_table_iter_next (&iter, &item, NULL))
    bind_text (item, vtr_memory_value_get_text);
  return TRUE;
}

void
vtr_memory_tree_set (GtkColumnView *self,
                     VtrMemoryView *view,
                     VtrMemoryType *type)
{
  Shown *shown = g_object_get_data (G_OBJECT (self), SHOWN);
  GtkTreeListModel *tree;
  g_autoptr (GtkSingleSelection) selection = NULL;

  if (!update_rows (self, view, type))
    {
      g_clear_object (&shown->values);
      shown->values = VTR_MEMORY_VALUES (vtr_memory_values_new (view, type, 0));
      g_clear_pointer (&shown->type, vtr_memory_type_unref);
      shown->type = vtr_memory_type_ref (type);
      tree = gtk_tree_list_model_new (g_object_ref (G_LIST_MODEL (shown->values)), FALSE, FALSE,
                                      create_children, NULL, NULL);
      *(Widths *)g_object_get_data (G_OBJECT (self), WIDTHS) = least_widths;
      selection = gtk_single_selection_new (NULL);
      gtk_single_selection_set_autoselect (selection, FALSE);
      gtk_single_selection_set_can_unselect (selection, TRUE);
      gtk_single_selection_set_model (selection, G_LIST_MODEL (tree));
      g_object_unref (tree);
      gtk_column_view_set_model (self, GTK_SELECTION_MODEL (selection));
    }
  shown->space = view->space;
  shown->offset = view->offset;
}

gboolean
vtr_memory_tree_get_selected (GtkColumnView *self,
                              guint64       *offset,
                              guint64       *size)
{
  GtkSelectionModel *selection = gtk_column_view_get_model (self);
  GtkTreeListRow *row = selection != NULL ? gtk_single_selection_get_selected_item (
                                              GTK_SINGLE_SELECTION (selection))
                                          : NULL;
  g_autoptr (VtrMemoryValue) value = row != NULL ? gtk_tree_list_row_get_item (row) : NULL;

  if (value == NULL)
    return FALSE;
  *offset = vtr_memory_value_get_offset (value);
  *size = vtr_memory_value_get_size (value);
  return TRUE;
}
