/* The list of shaders in the Shaders pane, with its filter and a mark for shaders that were
 * replaced. */
#include "vtr-config.h"

#include "widgets/vtr-shader-table.h"

#include <glib/gi18n.h>
#include <string.h>

#include "session/vtr-session.h"
#include "widgets/vtr-accessible.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-list-keys.h"
#include "widgets/vtr-wrap-layout.h"

#define NAME_CHARS 9 /* of a name, at least */

struct _VtrShaderTable
{
  GtkWidget parent_instance;

  GtkWidget *entry;
  GtkListView *view;
  GtkFilter *filter;
  GtkSorter *sorter;
  GtkSortListModel *sorted;
  GtkSingleSelection *selection;

  VtrShader *current; /* the row chosen last, in the list or filtered out */
  GHashTable *bound;  /* VtrShader → number of its stage + 1; NULL: none */
  VtrEdits *edits;    /* (nullable) */
  gboolean syncing;
};

G_DEFINE_FINAL_TYPE (VtrShaderTable, vtr_shader_table, GTK_TYPE_WIDGET)

enum
{
  SELECTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* --- order and filter
 * -------------------------------------------------------------------------------- */

static gboolean
is_bound (VtrShaderTable *self, gpointer shader)
{
  return self->bound != NULL && g_hash_table_contains (self->bound, shader);
}

/* The number of its stage + 1; 0: not bound. */
static guint
get_stage (VtrShaderTable *self, gconstpointer shader)
{
  return self->bound != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (self->bound, shader)) : 0;
}

static int
compare_cb (gconstpointer a, gconstpointer b, gpointer data)
{
  VtrShaderTable *self = data;
  guint x = get_stage (self, a);
  guint y = get_stage (self, b);

  if (x == y)
    return 0;
  return x == 0 ? 1 : y == 0 ? -1
                    : x < y  ? -1
                             : 1;
}

static gboolean
match_cb (gpointer item, gpointer data)
{
  VtrShaderTable *self = data;
  g_autofree char *needle =
    g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->entry)), -1);
  g_autofree char *hay = NULL;
  g_autofree char *folded = NULL;

  if (*needle == '\0')
    return TRUE;
  hay = g_strdup_printf ("%s %s", vtr_shader_get_name (item), vtr_shader_get_stages_text (item));
  folded = g_utf8_casefold (hay, -1);
  return strstr (folded, needle) != NULL;
}

static void
setup_cb (VtrShaderTable *self, GtkListItem *item)
{
  /* Stages and users get a second line if there is no room beside the name. */
  GtkWidget *row = vtr_wrap_box_new (6, GTK_ALIGN_START);

  gtk_widget_set_valign (row, GTK_ALIGN_CENTER);
  for (guint i = 0; i < 3; i++)
    {
      GtkWidget *label = gtk_label_new (NULL);

      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
      gtk_label_set_xalign (GTK_LABEL (label), i == 2 ? 1 : 0);
      gtk_widget_set_hexpand (label, i == 1);
      if (i == 0)
        gtk_label_set_width_chars (GTK_LABEL (label), NAME_CHARS);
      if (i > 0)
        gtk_widget_add_css_class (label, "dim-text");
      if (i == 2)
        gtk_widget_add_css_class (label, "numeric");
      gtk_box_append (GTK_BOX (row), label);
    }
  gtk_box_append (GTK_BOX (row), gtk_image_new_from_icon_name ("document-edit-symbolic"));
  gtk_list_item_set_child (item, row);
}

/* Marks the shader as replaced, with an icon and a text. */
static void
show_replaced (GtkListItem *item, VtrEdits *edits)
{
  VtrShader *shader = gtk_list_item_get_item (item);
  GtkWidget *row = gtk_list_item_get_child (item);
  gboolean replaced = edits != NULL &&
                      vtr_edits_get_shader (edits, vtr_shader_get_object (shader),
                                            vtr_shader_get_nth (shader)) != NULL;
  g_autofree char *work = vtr_format_number (vtr_shader_get_work (shader));
  g_autofree char *plain = g_strdup_printf (
    _ ("%s\n%s · used by %s draws and dispatches"), vtr_shader_get_name (shader),
    vtr_shader_get_stages_text (shader), work);
  g_autofree char *tooltip =
    replaced ? g_strdup_printf ("%s · %s", plain, _ ("replaced")) : g_strdup (plain);

  gtk_widget_set_visible (gtk_widget_get_last_child (row), replaced);
  gtk_widget_set_tooltip_text (row, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                  -1);
  vtr_accessible_name_row (row, tooltip);
}

static void
bind_cb (VtrShaderTable *self, GtkListItem *item)
{
  VtrShader *shader = gtk_list_item_get_item (item);
  GtkWidget *row = gtk_list_item_get_child (item);
  GtkWidget *name = gtk_widget_get_first_child (row);
  GtkWidget *stages = gtk_widget_get_next_sibling (name);
  g_autofree char *work = vtr_format_number (vtr_shader_get_work (shader));
  GtkWidget *users = gtk_widget_get_next_sibling (stages);

  gtk_label_set_label (GTK_LABEL (name), vtr_shader_get_name (shader));
  gtk_label_set_label (GTK_LABEL (stages), vtr_shader_get_stages_text (shader));
  gtk_label_set_label (GTK_LABEL (users), vtr_shader_get_work (shader) > 0 ? work : "—");
  show_replaced (item, self->edits);
  if (self->edits != NULL)
    g_signal_connect_object (self->edits, "changed", G_CALLBACK (show_replaced), item,
                             G_CONNECT_SWAPPED);
  /* Marks the shaders that the selected command runs. */
  if (is_bound (self, shader))
    gtk_widget_add_css_class (name, "bound");
  else
    gtk_widget_remove_css_class (name, "bound");
}

static void
unbind_cb (VtrShaderTable *self, GtkListItem *item)
{
  if (self->edits != NULL)
    g_signal_handlers_disconnect_by_func (self->edits, show_replaced, item);
}

/* --- selection ------------------------------------------------------------------------------- */

static void
selected_cb (VtrShaderTable *self)
{
  VtrShader *shader = gtk_single_selection_get_selected_item (self->selection);

  if (self->syncing || shader == NULL)
    return;
  g_set_object (&self->current, shader);
  g_signal_emit (self, signals[SELECTED], 0, shader);
}

/* Returns: whether the list contains the shader. */
static gboolean
select_row (VtrShaderTable *self, VtrShader *shader)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->sorted));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (VtrShader) other = g_list_model_get_item (G_LIST_MODEL (self->sorted), i);

      if (other != shader)
        continue;
      self->syncing = TRUE;
      gtk_single_selection_set_selected (self->selection, i);
      self->syncing = FALSE;
      gtk_widget_activate_action (GTK_WIDGET (self->view), "list.scroll-to-item", "u", i);
      return TRUE;
    }
  return FALSE;
}

static void
refilter (VtrShaderTable *self)
{
  self->syncing = TRUE;
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
  self->syncing = FALSE;
  if (self->current != NULL)
    select_row (self, self->current);
}

void
vtr_shader_table_select (VtrShaderTable *self, VtrShader *shader)
{
  g_set_object (&self->current, shader);
  if (select_row (self, shader))
    return;
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  refilter (self);
}

void
vtr_shader_table_set_list (VtrShaderTable *self, VtrShaderList *list, GHashTable *bound)
{
  g_autoptr (GtkFilterListModel) filtered = NULL;

  if (bound != NULL)
    g_hash_table_ref (bound);
  g_clear_pointer (&self->bound, g_hash_table_unref);
  self->bound = bound;
  g_clear_object (&self->current);
  self->syncing = TRUE;
  gtk_sorter_changed (self->sorter, GTK_SORTER_CHANGE_DIFFERENT);
  gtk_sort_list_model_set_model (self->sorted, NULL);
  if (list != NULL)
    filtered = gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (list)),
                                          g_object_ref (self->filter));
  gtk_sort_list_model_set_model (self->sorted, G_LIST_MODEL (filtered));
  self->syncing = FALSE;
}

/* Called before a list is set. */
void
vtr_shader_table_set_edits (VtrShaderTable *self, VtrEdits *edits)
{
  vtr_shader_table_set_list (self, NULL, NULL);
  g_set_object (&self->edits, edits);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_shader_table_dispose (GObject *object)
{
  VtrShaderTable *self = VTR_SHADER_TABLE (object);
  GtkWidget *child;

  if (self->sorted != NULL)
    gtk_sort_list_model_set_model (self->sorted, NULL);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  g_clear_object (&self->sorted);
  g_clear_object (&self->filter);
  g_clear_object (&self->sorter);
  g_clear_object (&self->current);
  g_clear_object (&self->edits);
  g_clear_pointer (&self->bound, g_hash_table_unref);
  G_OBJECT_CLASS (vtr_shader_table_parent_class)->dispose (object);
}

static gboolean
vtr_shader_table_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (VTR_SHADER_TABLE (widget)->view));
}

static void
vtr_shader_table_class_init (VtrShaderTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_shader_table_dispose;
  widget_class->grab_focus = vtr_shader_table_grab_focus;
  vtr_focus_chain_init_class (widget_class);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrshadertable");
  signals[SELECTED] = g_signal_new ("selected", VTR_TYPE_SHADER_TABLE, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 1, VTR_TYPE_SHADER);
}

static void
vtr_shader_table_init (VtrShaderTable *self)
{
  GtkWidget *tools = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  self->entry = gtk_search_entry_new ();
  gtk_widget_set_hexpand (self->entry, TRUE);
  g_object_set (self->entry, "placeholder-text", _ ("Filter"), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Filter shaders"), -1);
  gtk_widget_add_css_class (tools, "tool-row");
  gtk_box_append (GTK_BOX (tools), self->entry);
  g_signal_connect_object (self->entry, "search-changed", G_CALLBACK (refilter), self,
                           G_CONNECT_SWAPPED);

  self->filter = GTK_FILTER (gtk_custom_filter_new (match_cb, self, NULL));
  self->sorter = GTK_SORTER (gtk_custom_sorter_new (compare_cb, self, NULL));
  self->sorted = gtk_sort_list_model_new (NULL, g_object_ref (self->sorter));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (self->sorted)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  g_signal_connect_object (self->selection, "notify::selected-item", G_CALLBACK (selected_cb),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "setup", G_CALLBACK (setup_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "bind", G_CALLBACK (bind_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (unbind_cb), self, G_CONNECT_SWAPPED);
  self->view =
    GTK_LIST_VIEW (gtk_list_view_new (GTK_SELECTION_MODEL (self->selection), factory));
  vtr_list_keys_init (GTK_WIDGET (self->view));
  vtr_list_keys_add_filter (GTK_WIDGET (self->view), self->entry);
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "shaders");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Shaders"), -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->view));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_widget_set_parent (tools, GTK_WIDGET (self));
  gtk_widget_set_parent (scroller, GTK_WIDGET (self));
  gtk_orientable_set_orientation (
    GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))), GTK_ORIENTATION_VERTICAL);
}

GtkWidget *
vtr_shader_table_new (void)
{
  return g_object_new (VTR_TYPE_SHADER_TABLE, NULL);
}
