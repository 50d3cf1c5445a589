/* The table of the Textures pane: thumbnail, name, size, format and uses, with sorting and a
 * filter. */
#include "vtr-config.h"

#include "widgets/vtr-texture-table.h"

#include <glib/gi18n.h>
#include <string.h>

#include "widgets/vtr-accessible.h"
#include "widgets/vtr-export.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-list-keys.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-text-scale.h"
#include "widgets/vtr-texture-sorter.h"
#include "widgets/vtr-thumb-loader.h"

#define THUMB_WIDTH 36
#define THUMB_HEIGHT 24
/* Narrower lists drop a column. */
#define FORMAT_WIDTH 400
#define EXTENT_COLUMN_WIDTH 90 /* at least */
#define USES_COLUMN_WIDTH 62
#define MAX_NAME_CHARS 32
#define CELL_SPACING 16
#define FORMAT_COLUMN_WIDTH 116 /* at least */
#define FORMAT_CHAR_WIDTH 7
#define MAX_FORMAT_CHARS 26
#define NARROW_WIDTH 290

struct _VtrTextureTable
{
  GtkWidget parent_instance;

  GtkWidget *entry;
  GtkWidget *used_toggle;
  GtkStack *stack;
  VtrPaneState *none;
  GtkColumnView *view;
  /* If sizes with mips and samples do not fit, only extents are shown. */
  GtkColumnViewColumn *size_column, *extent_column, *format_column;
  GtkFilter *filter;
  GtkSortListModel *sorted;
  GtkSingleSelection *selection;

  VtrSession *session; /* (nullable) */
  VtrTextureList *list;
  GHashTable *used;
  /* object id of the row chosen last, in the list or filtered out; 0: none */
  guint32 current;
  VtrThumbLoader *thumbs; /* key: object id */
  char *needle;           /* the filter text, case-folded */
  VtrImage *shown;
  char *shown_name;
  guint layout_idle;
  int width;
  int format_width;                         /* of the column, at 100 % text size */
  int name_width, size_width, extent_width; /* width of the longest texts, in pixels */
  gboolean syncing;
};

G_DEFINE_FINAL_TYPE (VtrTextureTable, vtr_texture_table, GTK_TYPE_WIDGET)

enum
{
  SELECTED,
  ACTIVATED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* --- thumbnails ------------------------------------------------------------------------------ */

/* A cell with a thumbnail. */
typedef struct
{
  VtrTextureTable *self; /* not owned */
  GtkWidget *thumb;      /* not owned */
  guint32 object;
} Cell;

/* The smallest mip level that is large enough, at the end of the image's life. */
static gboolean
find_image (guint64 key, VtrImageQuery *query, gpointer data)
{
  VtrTextureTable *self = data;
  VtrTexture *texture =
    self->list != NULL ? vtr_texture_list_find (self->list, (guint32)key) : NULL;
  const VtrImageFacts *facts;

  if (texture == NULL)
    return FALSE;
  facts = vtr_texture_get_facts (texture);
  query->object = (guint32)key;
  while (query->mip + 1 < facts->mip_levels &&
         facts->width >> (query->mip + 1) >= 2 * THUMB_WIDTH &&
         facts->height >> (query->mip + 1) >= 2 * THUMB_HEIGHT)
    query->mip++;
  return TRUE;
}

static GdkContentProvider *
drag_prepare_cb (GtkDragSource *source, double x, double y, gpointer data)
{
  Cell *cell = data;
  VtrTextureTable *self = cell->self;

  if (self->shown == NULL || self->shown->image != cell->object)
    return NULL;
  gtk_drag_source_set_icon (source,
                            GDK_PAINTABLE (vtr_thumb_get_texture (VTR_THUMB (cell->thumb))), 0, 0);
  return vtr_export_provide_image (self->shown, self->shown_name);
}

static void
setup_name_cb (VtrTextureTable *self, GtkListItem *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *thumb = vtr_thumb_new (THUMB_WIDTH, THUMB_HEIGHT, 0);
  GtkWidget *name = gtk_inscription_new (NULL);
  GtkDragSource *drag = gtk_drag_source_new ();
  Cell *cell = g_new0 (Cell, 1);

  cell->self = self;
  cell->thumb = thumb;
  gtk_widget_set_valign (thumb, GTK_ALIGN_CENTER);
  vtr_thumb_set_cover (VTR_THUMB (thumb), TRUE);
  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (name), 1);
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (name), 6);
  gtk_inscription_set_text_overflow (GTK_INSCRIPTION (name),
                                     GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_widget_set_valign (name, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand (name, TRUE);
  gtk_box_append (GTK_BOX (box), thumb);
  gtk_box_append (GTK_BOX (box), name);
  g_object_set_data_full (G_OBJECT (item), "cell", cell, g_free);
  g_signal_connect (drag, "prepare", G_CALLBACK (drag_prepare_cb), cell);
  gtk_widget_add_controller (box, GTK_EVENT_CONTROLLER (drag));
  gtk_list_item_set_child (item, box);
}

static void
bind_name_cb (VtrTextureTable *self, GtkListItem *item)
{
  VtrTexture *texture = gtk_list_item_get_item (item);
  Cell *cell = g_object_get_data (G_OBJECT (item), "cell");
  GtkWidget *box = gtk_list_item_get_child (item);
  g_autofree char *uses = vtr_texture_dup_uses_sentence (texture);
  g_autofree char *tooltip =
    g_strdup_printf ("%s\n%s · %s\n%s", vtr_texture_get_name (texture),
                     vtr_texture_get_size_text (texture), vtr_texture_get_format_text (texture),
                     uses);

  cell->object = vtr_texture_get_object (texture);
  gtk_inscription_set_text (GTK_INSCRIPTION (gtk_widget_get_last_child (box)),
                            vtr_texture_get_name (texture));
  gtk_widget_set_tooltip_text (box, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (box), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                  -1);
  vtr_accessible_name_row (box, tooltip);
  vtr_thumb_loader_show (self->thumbs, VTR_THUMB (cell->thumb), cell->object, TRUE);
}

static void
unbind_name_cb (VtrTextureTable *self, GtkListItem *item)
{
  Cell *cell = g_object_get_data (G_OBJECT (item), "cell");

  vtr_thumb_loader_drop (self->thumbs, VTR_THUMB (cell->thumb));
}

/* --- other cells ----------------------------------------------------------------------------- */

typedef const char *(*TextFunc) (VtrTexture *texture);

static void
setup_text_cb (GtkListItemFactory *factory, GtkListItem *item, const char *css_class)
{
  GtkWidget *text = gtk_inscription_new (NULL);

  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (text), 1);
  gtk_inscription_set_text_overflow (GTK_INSCRIPTION (text),
                                     GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (text, css_class);
  if (g_object_get_data (G_OBJECT (factory), "end"))
    gtk_inscription_set_xalign (GTK_INSCRIPTION (text), 1);
  if (g_str_equal (css_class, "monospace"))
    gtk_widget_add_css_class (text, "dim-text");
  gtk_list_item_set_child (item, text);
}

static void
bind_text_cb (GtkListItemFactory *factory, GtkListItem *item)
{
  TextFunc func = (TextFunc)g_object_get_data (G_OBJECT (factory), "func");

  gtk_inscription_set_text (GTK_INSCRIPTION (gtk_list_item_get_child (item)),
                            func (gtk_list_item_get_item (item)));
}

static GtkColumnViewColumn *
add_column (VtrTextureTable *self,
            const char      *title,
            TextFunc         func,
            const char      *css_class,
            VtrTextureOrder  order,
            int              width)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *column = gtk_column_view_column_new (title, factory);
  g_autoptr (GtkSorter) sorter = vtr_texture_sorter_new (order);

  if (func != NULL)
    {
      g_object_set_data (G_OBJECT (factory), "func", (gpointer)func);
      g_object_set_data (G_OBJECT (factory), "end",
                         GINT_TO_POINTER (func == vtr_texture_get_uses_text));
      g_signal_connect (factory, "setup", G_CALLBACK (setup_text_cb), (gpointer)css_class);
      g_signal_connect (factory, "bind", G_CALLBACK (bind_text_cb), NULL);
      gtk_column_view_column_set_fixed_width (column, vtr_text_scaled (GTK_WIDGET (self), width));
      gtk_column_view_column_set_resizable (column, TRUE);
    }
  else
    {
      g_signal_connect_object (factory, "setup", G_CALLBACK (setup_name_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (factory, "bind", G_CALLBACK (bind_name_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (factory, "unbind", G_CALLBACK (unbind_name_cb), self,
                               G_CONNECT_SWAPPED);
      gtk_column_view_column_set_expand (column, TRUE);
    }
  gtk_column_view_column_set_sorter (column, sorter);
  gtk_column_view_append_column (self->view, column);
  g_object_unref (column);
  return column;
}

/* --- filter ---------------------------------------------------------------------------------- */

static gboolean
contains (const char *text, const char *needle)
{
  g_autofree char *hay = g_utf8_casefold (text, -1);

  return strstr (hay, needle) != NULL;
}

static gboolean
match_cb (gpointer item, gpointer data)
{
  VtrTextureTable *self = data;
  g_autofree char *object = NULL;

  if (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->used_toggle)) &&
      (self->used == NULL ||
       !g_hash_table_contains (self->used, GUINT_TO_POINTER (vtr_texture_get_object (item)))))
    return FALSE;
  if (self->needle == NULL)
    return TRUE;
  object = g_strdup_printf ("image %u", vtr_texture_get_object (item));
  return contains (vtr_texture_get_name (item), self->needle) ||
         contains (vtr_texture_get_format_text (item), self->needle) ||
         contains (vtr_texture_get_size_text (item), self->needle) ||
         contains (object, self->needle);
}

static void
update_none (VtrTextureTable *self)
{
  gboolean any = g_list_model_get_n_items (G_LIST_MODEL (self->sorted)) > 0;
  gboolean used = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->used_toggle));

  gtk_stack_set_visible_child_name (self->stack, any ? "list" : "none");
  if (any)
    return;
  if (self->needle != NULL)
    {
      g_autofree char *text = g_strdup_printf (
        _ ("No image has “%s” in its name, size or format."),
        gtk_editable_get_text (GTK_EDITABLE (self->entry)));

      vtr_pane_state_set (self->none, "edit-find-symbolic", _ ("No Match"), text);
      vtr_pane_state_add_button (self->none, _ ("_Clear Filter"), "textures.clear-filter");
    }
  else if (used)
    {
      vtr_pane_state_set (self->none, "image-missing-symbolic", _ ("No Images Here"),
                          _ ("The selected command uses no image."));
      vtr_pane_state_add_button (self->none, _ ("Show _All"), "textures.show-all");
      if (self->session != NULL)
        vtr_pane_state_add_draw_button (self->none, self->session);
    }
  else
    vtr_pane_state_set (self->none, "image-missing-symbolic", _ ("No Images"),
                        _ ("This program created no images."));
}

static guint
find_position (VtrTextureTable *self, guint32 object)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->sorted));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (VtrTexture) texture = g_list_model_get_item (G_LIST_MODEL (self->sorted), i);

      if (vtr_texture_get_object (texture) == object)
        return i;
    }
  return GTK_INVALID_LIST_POSITION;
}

static void
refilter (VtrTextureTable *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));

  g_clear_pointer (&self->needle, g_free);
  if (*text != '\0')
    self->needle = g_utf8_casefold (text, -1);
  self->syncing = TRUE;
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
  /* The row of the selected image is no longer filtered out. */
  if (gtk_single_selection_get_selected (self->selection) == GTK_INVALID_LIST_POSITION)
    gtk_single_selection_set_selected (self->selection, find_position (self, self->current));
  self->syncing = FALSE;
  update_none (self);
}

static void
clear_filter_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrTextureTable *self = VTR_TEXTURE_TABLE (widget);

  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  refilter (self);
}

static void
show_all_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (VTR_TEXTURE_TABLE (widget)->used_toggle),
                                FALSE);
}

static void
entry_activate_cb (VtrTextureTable *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

/* --- selection ------------------------------------------------------------------------------- */

static void
selected_cb (VtrTextureTable *self)
{
  VtrTexture *texture = gtk_single_selection_get_selected_item (self->selection);

  if (self->syncing || texture == NULL)
    return;
  self->current = vtr_texture_get_object (texture);
  g_signal_emit (self, signals[SELECTED], 0, texture);
}

static void
activate_cb (VtrTextureTable *self)
{
  VtrTexture *texture = gtk_single_selection_get_selected_item (self->selection);

  if (texture != NULL)
    g_signal_emit (self, signals[ACTIVATED], 0, texture);
}

void
vtr_texture_table_select (VtrTextureTable *self, guint32 object)
{
  guint position = find_position (self, object);

  self->current = object;
  if (position == GTK_INVALID_LIST_POSITION)
    {
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->used_toggle), FALSE);
      gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
      refilter (self);
      position = find_position (self, object);
    }
  if (position == GTK_INVALID_LIST_POSITION)
    return;
  self->syncing = TRUE;
  gtk_single_selection_set_selected (self->selection, position);
  self->syncing = FALSE;
  /* The header is the view's first child, the list the last. */
  gtk_widget_activate_action (gtk_widget_get_last_child (GTK_WIDGET (self->view)),
                              "list.scroll-to-item", "u", position);
}

void
vtr_texture_table_set_used (VtrTextureTable *self, GHashTable *used)
{
  g_clear_pointer (&self->used, g_hash_table_unref);
  self->used = used != NULL ? g_hash_table_ref (used) : NULL;
  if (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->used_toggle)))
    refilter (self);
}

/* The width of the longest format in the list. Names of block formats differ at their end, which
 * must not be cut. */
static int
get_format_width (VtrTextureTable *self)
{
  guint n = self->list != NULL ? g_list_model_get_n_items (G_LIST_MODEL (self->list)) : 0;
  gsize longest = 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (VtrTexture) texture = g_list_model_get_item (G_LIST_MODEL (self->list), i);

      longest = MAX (longest, strlen (vtr_texture_get_format_text (texture)));
    }
  return MAX (FORMAT_COLUMN_WIDTH, (int)MIN (longest, MAX_FORMAT_CHARS) * FORMAT_CHAR_WIDTH + 16);
}

/* The width of the longest text, with the space after it. */
static int
measure_longest (VtrTextureTable *self, TextFunc func, glong max_chars)
{
  guint n = self->list != NULL ? g_list_model_get_n_items (G_LIST_MODEL (self->list)) : 0;
  g_autoptr (PangoLayout) layout = NULL;
  g_autofree char *text = g_strdup ("");
  glong longest = 0;
  int width;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (VtrTexture) texture = g_list_model_get_item (G_LIST_MODEL (self->list), i);
      glong chars = MIN (g_utf8_strlen (func (texture), -1), max_chars);

      if (chars <= longest)
        continue;
      longest = chars;
      g_free (text);
      text = g_utf8_substring (func (texture), 0, chars);
    }
  layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);
  pango_layout_get_pixel_size (layout, &width, NULL);
  return width + CELL_SPACING;
}

static void
measure_texts (VtrTextureTable *self)
{
  self->format_width = get_format_width (self);
  self->name_width =
    measure_longest (self, vtr_texture_get_name, MAX_NAME_CHARS) + THUMB_WIDTH + CELL_SPACING;
  self->size_width = measure_longest (self, vtr_texture_get_size_text, G_MAXLONG);
  self->extent_width = MAX (measure_longest (self, vtr_texture_get_extent_text, G_MAXLONG),
                            vtr_text_scaled (GTK_WIDGET (self), EXTENT_COLUMN_WIDTH));
  self->size_width = MAX (self->size_width, self->extent_width);
}

int
vtr_texture_table_get_wanted_width (VtrTextureTable *self)
{
  return self->name_width + self->size_width +
         vtr_text_scaled (GTK_WIDGET (self), self->format_width + USES_COLUMN_WIDTH);
}

void
vtr_texture_table_set_list (VtrTextureTable *self, VtrSession *session, VtrTextureList *list)
{
  g_autoptr (GtkFilterListModel) filtered = NULL;

  g_set_object (&self->list, list);
  g_set_object (&self->session, session);
  vtr_thumb_loader_set_session (self->thumbs, session);
  self->current = 0;
  measure_texts (self);
  self->width = 0; /* the columns are measured again */
  g_clear_pointer (&self->used, g_hash_table_unref);
  g_clear_pointer (&self->shown, vtr_image_unref);
  self->syncing = TRUE;
  if (list != NULL)
    filtered = gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (list)),
                                          g_object_ref (self->filter));
  gtk_sort_list_model_set_model (self->sorted, G_LIST_MODEL (filtered));
  self->syncing = FALSE;
  update_none (self);
}

void
vtr_texture_table_show_image (VtrTextureTable *self, VtrImage *image, const char *name)
{
  g_autoptr (GdkTexture) texture =
    vtr_thumb_texture_from_image (image, THUMB_WIDTH * 2, THUMB_HEIGHT * 2);

  g_clear_pointer (&self->shown, vtr_image_unref);
  self->shown = vtr_image_ref (image);
  g_free (self->shown_name);
  self->shown_name = g_strdup_printf ("%s.png", name);
  if (texture != NULL)
    vtr_thumb_loader_put (self->thumbs, image->image, texture);
}

/* --- layout ---------------------------------------------------------------------------------- */

/* @width: pixels. A hidden column still takes its fixed width from the others (GTK 4.8). */
static void
show_column (GtkColumnViewColumn *column, int width, gboolean show)
{
  gtk_column_view_column_set_fixed_width (column, show ? width : 0);
  gtk_column_view_column_set_visible (column, show);
}

static gboolean
layout_idle_cb (gpointer data)
{
  VtrTextureTable *self = data;
  GtkWidget *widget = GTK_WIDGET (self);
  int format, needed;
  gboolean formats, sizes;

  self->layout_idle = 0;
  self->width = gtk_widget_get_width (widget);
  format = vtr_text_scaled (widget, self->format_width);
  needed = vtr_text_scaled (widget, FORMAT_WIDTH + self->format_width - FORMAT_COLUMN_WIDTH);
  formats = self->width >= needed;
  sizes = self->width >= vtr_texture_table_get_wanted_width (self) - (formats ? 0 : format);
  show_column (self->format_column, format, formats);
  show_column (self->size_column, self->size_width, sizes);
  show_column (self->extent_column, self->extent_width,
               !sizes && self->width >= vtr_text_scaled (widget, NARROW_WIDTH));
  /* Showing or hiding a column keeps the widths of the others. */
  gtk_widget_queue_resize (GTK_WIDGET (self->view));
  return G_SOURCE_REMOVE;
}

static void
vtr_texture_table_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtrTextureTable *self = VTR_TEXTURE_TABLE (widget);

  GTK_WIDGET_CLASS (vtr_texture_table_parent_class)->snapshot (widget, snapshot);
  if (gtk_widget_get_width (widget) != self->width && self->layout_idle == 0)
    self->layout_idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, layout_idle_cb, self, NULL);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_texture_table_dispose (GObject *object)
{
  VtrTextureTable *self = VTR_TEXTURE_TABLE (object);
  GtkWidget *child;

  g_clear_handle_id (&self->layout_idle, g_source_remove);
  if (self->sorted != NULL)
    gtk_sort_list_model_set_model (self->sorted, NULL);
  g_clear_object (&self->session);
  g_clear_object (&self->list);
  g_clear_pointer (&self->used, g_hash_table_unref);
  g_clear_pointer (&self->shown, vtr_image_unref);
  g_clear_pointer (&self->shown_name, g_free);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  g_clear_object (&self->sorted);
  g_clear_object (&self->filter);
  g_clear_object (&self->selection);
  G_OBJECT_CLASS (vtr_texture_table_parent_class)->dispose (object);
}

static void
vtr_texture_table_finalize (GObject *object)
{
  VtrTextureTable *self = VTR_TEXTURE_TABLE (object);

  g_object_unref (self->thumbs);
  g_free (self->needle);
  G_OBJECT_CLASS (vtr_texture_table_parent_class)->finalize (object);
}

static gboolean
vtr_texture_table_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (VTR_TEXTURE_TABLE (widget)->view));
}

static void
vtr_texture_table_class_init (VtrTextureTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_texture_table_dispose;
  G_OBJECT_CLASS (klass)->finalize = vtr_texture_table_finalize;
  widget_class->grab_focus = vtr_texture_table_grab_focus;
  vtr_focus_chain_init_class (widget_class);
  widget_class->snapshot = vtr_texture_table_snapshot;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrtexturetable");
  gtk_widget_class_install_action (widget_class, "textures.clear-filter", NULL,
                                   clear_filter_action);
  gtk_widget_class_install_action (widget_class, "textures.show-all", NULL, show_all_action);
  signals[SELECTED] = g_signal_new ("selected", VTR_TYPE_TEXTURE_TABLE, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 1, VTR_TYPE_TEXTURE);
  signals[ACTIVATED] = g_signal_new ("activated", VTR_TYPE_TEXTURE_TABLE, G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 1, VTR_TYPE_TEXTURE);
}

static void
init_tools (VtrTextureTable *self)
{
  GtkWidget *tools = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_add_css_class (tools, "tool-row");
  self->entry = gtk_search_entry_new ();
  gtk_widget_set_hexpand (self->entry, TRUE);
  gtk_editable_set_width_chars (GTK_EDITABLE (self->entry), 6);
  g_object_set (self->entry, "placeholder-text", _ ("Filter"), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Filter textures"), -1);
  self->used_toggle = vtr_toggle_button_new_with_mnemonic (_ ("_Used Here"));
  gtk_widget_set_tooltip_text (self->used_toggle,
                               _ ("Only Images That the Selected Command Uses"));
  gtk_box_append (GTK_BOX (tools), self->entry);
  gtk_box_append (GTK_BOX (tools), self->used_toggle);
  gtk_widget_set_parent (tools, GTK_WIDGET (self));
  g_signal_connect_object (self->entry, "search-changed", G_CALLBACK (refilter), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "activate", G_CALLBACK (entry_activate_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->used_toggle, "toggled", G_CALLBACK (refilter), self,
                           G_CONNECT_SWAPPED);
}

static void
init_list (VtrTextureTable *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  vtr_list_keys_init (GTK_WIDGET (self->view));
  vtr_list_keys_add_filter (GTK_WIDGET (self->view), self->entry);
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "textures");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Textures"), -1);
  add_column (self, _ ("Name"), NULL, NULL, VTR_TEXTURES_BY_NAME, 0);
  self->size_column = add_column (self, _ ("Size"), vtr_texture_get_size_text, "numeric",
                                  VTR_TEXTURES_BY_SIZE, EXTENT_COLUMN_WIDTH);
  self->extent_column = add_column (self, _ ("Size"), vtr_texture_get_extent_text, "numeric",
                                    VTR_TEXTURES_BY_SIZE, EXTENT_COLUMN_WIDTH);
  self->format_column = add_column (self, _ ("Format"), vtr_texture_get_format_text, "monospace",
                                    VTR_TEXTURES_BY_FORMAT, FORMAT_COLUMN_WIDTH);
  add_column (self, _ ("Uses"), vtr_texture_get_uses_text, "numeric", VTR_TEXTURES_BY_USES,
              USES_COLUMN_WIDTH);

  self->filter = GTK_FILTER (gtk_custom_filter_new (match_cb, self, NULL));
  self->sorted =
    gtk_sort_list_model_new (NULL, g_object_ref (gtk_column_view_get_sorter (self->view)));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (self->sorted)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (self->selection));
  g_signal_connect_object (self->selection, "notify::selected-item", G_CALLBACK (selected_cb),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "activate", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);

  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->view));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  /* The header takes a row. */
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scroller), 90);
  self->none = VTR_PANE_STATE (vtr_pane_state_new ());
  vtr_pane_state_set_compact (self->none, TRUE);
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->stack, scroller, "list");
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->none), "none");
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_widget_set_parent (GTK_WIDGET (self->stack), GTK_WIDGET (self));
}

static void
vtr_texture_table_init (VtrTextureTable *self)
{
  gtk_orientable_set_orientation (
    GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))), GTK_ORIENTATION_VERTICAL);
  self->format_width = FORMAT_COLUMN_WIDTH;
  self->thumbs = vtr_thumb_loader_new (THUMB_WIDTH, THUMB_HEIGHT, find_image, self);
  init_tools (self);
  init_list (self);
}

GtkWidget *
vtr_texture_table_new (void)
{
  return g_object_new (VTR_TYPE_TEXTURE_TABLE, NULL);
}
