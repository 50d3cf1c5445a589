/* The list model behind the Commands pane: maps row numbers to nodes of the command tree without
 * an object for each command. */
#include "vtr-config.h"
#include "engine/document/vtr-document.h"

#include "widgets/vtr-command-list.h"

#include <string.h>

#define NO_ROW G_MAXUINT

/* An expanded node. Its rows are its children, each followed by the rows of the child if that is
 * expanded, too. */
typedef struct _Unfolded
{
  VtrTreeNode node;
  struct _Unfolded *parent;
  guint32 position;    /* among the parent's children */
  guint total;         /* rows below */
  GPtrArray *unfolded; /* children that are unfolded, by position */
} Unfolded;

struct _VtrCommandList
{
  GObject parent_instance;

  VtrDocument *document;
  VtrCommandTree *tree;
  Unfolded *root;
  gboolean flat;
  GArray *matches;
  GHashTable *live; /* VtrTreeNode * → VtrCommandItem *, without a reference */
};

static void list_model_iface_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrCommandList,
                               vtr_command_list,
                               G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_iface_init))

static void
unfolded_free (gpointer data)
{
  Unfolded *self = data;

  g_ptr_array_unref (self->unfolded);
  g_free (self);
}

static Unfolded *
unfolded_new (Unfolded *parent, const VtrTreeNode *node, guint32 position)
{
  Unfolded *self = g_new0 (Unfolded, 1);

  self->parent = parent;
  self->node = *node;
  self->position = position;
  self->total = node->n_children;
  self->unfolded = g_ptr_array_new_with_free_func (unfolded_free);
  return self;
}

/* The identity of a row. The run distinguishes executions of one recording, the depth a group from
 * its only child. */
static guint
node_hash (gconstpointer key)
{
  const VtrTreeNode *node = key;

  return (guint)(node->first * 31 + node->last * 17 + node->run * 7 + node->depth * 3 + node->kind);
}

static gboolean
node_equal (gconstpointer a, gconstpointer b)
{
  const VtrTreeNode *x = a;
  const VtrTreeNode *y = b;

  return x->first == y->first && x->last == y->last && x->run == y->run && x->depth == y->depth &&
         x->kind == y->kind && x->command == y->command;
}

/* Where a row is. */
typedef struct
{
  Unfolded *parent;
  guint32 position;   /* among the parent's children */
  Unfolded *unfolded; /* of the row itself; NULL: collapsed */
  guint parent_row;   /* NO_ROW: on top */
} Place;

static void
locate (VtrCommandList *self, guint row, Place *out)
{
  Unfolded *parent = self->root;
  guint base = 0; /* row of the parent's first child */
  guint parent_row = NO_ROW;

again:
  {
    guint extra = 0; /* rows of unfolded children passed */

    for (guint i = 0; i < parent->unfolded->len; i++)
      {
        Unfolded *child = g_ptr_array_index (parent->unfolded, i);
        guint child_row = base + child->position + extra;

        if (row < child_row)
          break;
        if (row == child_row)
          {
            *out = (Place){ parent, child->position, child, parent_row };
            return;
          }
        if (row <= child_row + child->total)
          {
            parent = child;
            parent_row = child_row;
            base = child_row + 1;
            goto again;
          }
        extra += child->total;
      }
    *out = (Place){ parent, row - base - extra, NULL, parent_row };
  }
}

static guint
get_n (VtrCommandList *self)
{
  if (self->matches)
    return self->matches->len;
  if (self->flat)
    return (guint)MIN (vtr_trace_get_n_commands (vtr_document_get_trace (self->document)),
                       G_MAXUINT - 1);
  return self->root->total;
}

static void
flat_node (VtrCommandList *self, guint64 command, VtrTreeNode *out)
{
  VtrTrace *trace = vtr_document_get_trace (self->document);
  VtrTimeline *timeline = vtr_document_get_timeline (self->document);
  guint32 recording = timeline ? vtr_timeline_find_recording (timeline, command) : VTR_NO_RECORDING;

  memset (out, 0, sizeof *out);
  out->kind = recording == VTR_NO_RECORDING ? VTR_NODE_COMMAND : VTR_NODE_CMD;
  out->icon = vtr_command_kind (vtr_trace_get_command_id (trace, command));
  out->command = out->first = out->last = command;
  out->run = VTR_NO_RUN;
  if (recording != VTR_NO_RECORDING)
    out->run = vtr_timeline_get_recording (timeline, recording)->first_run;
}

static void
get_node (VtrCommandList *self, guint row, VtrTreeNode *out, gboolean *expanded)
{
  Place place;

  *expanded = FALSE;
  if (self->matches)
    {
      flat_node (self, g_array_index (self->matches, guint64, row), out);
      return;
    }
  if (self->flat)
    {
      flat_node (self, row, out);
      return;
    }
  locate (self, row, &place);
  if (place.unfolded)
    *out = place.unfolded->node;
  else
    vtr_command_tree_get_children (self->tree, &place.parent->node, place.position, 1, out);
  *expanded = place.unfolded != NULL;
}

static void
item_gone_cb (gpointer data, GObject *where_the_object_was)
{
  VtrCommandList *self = data;
  GHashTableIter iter;
  gpointer item;

  /* The table has only about as many items as fit on the screen. */
  g_hash_table_iter_init (&iter, self->live);
  while (g_hash_table_iter_next (&iter, NULL, &item))
    if (item == where_the_object_was)
      {
        g_hash_table_iter_remove (&iter);
        return;
      }
}

static GType
get_item_type (GListModel *model)
{
  return VTR_TYPE_COMMAND_ITEM;
}

static guint
get_n_items (GListModel *model)
{
  return get_n (VTR_COMMAND_LIST (model));
}

static gpointer
get_item (GListModel *model, guint row)
{
  VtrCommandList *self = VTR_COMMAND_LIST (model);
  VtrCommandItem *item;
  VtrTreeNode node;
  gboolean expanded;

  if (row >= get_n (self))
    return NULL;
  get_node (self, row, &node, &expanded);
  item = g_hash_table_lookup (self->live, &node);
  if (item)
    return g_object_ref (item);

  item = vtr_command_item_new (self->tree, &node);
  vtr_command_item_set_expanded (item, expanded);
  g_hash_table_insert (self->live, g_memdup2 (&node, sizeof node), item);
  g_object_weak_ref (G_OBJECT (item), item_gone_cb, self);
  return item;
}

static void
list_model_iface_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static void
vtr_command_list_finalize (GObject *object)
{
  VtrCommandList *self = VTR_COMMAND_LIST (object);
  GHashTableIter iter;
  gpointer item;

  g_hash_table_iter_init (&iter, self->live);
  while (g_hash_table_iter_next (&iter, NULL, &item))
    g_object_weak_unref (item, item_gone_cb, self);
  g_hash_table_unref (self->live);
  g_clear_pointer (&self->root, unfolded_free);
  g_clear_pointer (&self->matches, g_array_unref);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (vtr_command_list_parent_class)->finalize (object);
}

static void
vtr_command_list_class_init (VtrCommandListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_command_list_finalize;
}

static void
vtr_command_list_init (VtrCommandList *self)
{
  self->live = g_hash_table_new_full (node_hash, node_equal, g_free, NULL);
}

VtrCommandList *
vtr_command_list_new (VtrDocument *document, VtrCommandTree *tree)
{
  VtrCommandList *self = g_object_new (VTR_TYPE_COMMAND_LIST, NULL);
  VtrTreeNode root;

  self->document = g_object_ref (document);
  self->tree = tree;
  vtr_command_tree_get_root (tree, &root);
  self->root = unfolded_new (NULL, &root, 0);
  return self;
}

static void
changed_whole (VtrCommandList *self, guint before)
{
  g_list_model_items_changed (G_LIST_MODEL (self), 0, before, get_n (self));
}

void
vtr_command_list_set_flat (VtrCommandList *self, gboolean flat)
{
  guint before = get_n (self);

  if (self->flat == !!flat)
    return;
  self->flat = !!flat;
  if (self->matches == NULL)
    changed_whole (self, before);
}

void
vtr_command_list_set_matches (VtrCommandList *self, GArray *matches)
{
  guint before = get_n (self);

  if (matches == NULL && self->matches == NULL)
    return;
  if (matches)
    g_array_ref (matches);
  g_clear_pointer (&self->matches, g_array_unref);
  self->matches = matches;
  changed_whole (self, before);
}

gboolean
vtr_command_list_get_filtered (VtrCommandList *self)
{
  return self->matches != NULL;
}

static gboolean
is_tree (VtrCommandList *self)
{
  return self->matches == NULL && !self->flat;
}

/* Adds @delta to the number of rows of @at and of all its ancestors. */
static void
add_total (Unfolded *at, int delta)
{
  for (; at; at = at->parent)
    at->total += delta;
}

static void
note_expanded (VtrCommandList *self, const VtrTreeNode *node, gboolean expanded)
{
  VtrCommandItem *item = g_hash_table_lookup (self->live, node);

  if (item)
    vtr_command_item_set_expanded (item, expanded);
}

gboolean
vtr_command_list_expand (VtrCommandList *self, guint row)
{
  Place place;
  VtrTreeNode node;
  Unfolded *child;
  guint i;

  if (!is_tree (self) || row >= get_n (self))
    return FALSE;
  locate (self, row, &place);
  if (place.unfolded)
    return FALSE;
  vtr_command_tree_get_children (self->tree, &place.parent->node, place.position, 1, &node);
  if (node.n_children == 0)
    return FALSE;

  child = unfolded_new (place.parent, &node, place.position);
  for (i = 0; i < place.parent->unfolded->len; i++)
    if (((Unfolded *)g_ptr_array_index (place.parent->unfolded, i))->position > place.position)
      break;
  add_total (place.parent, (int)child->total);
  g_ptr_array_insert (place.parent->unfolded, (int)i, child);

  note_expanded (self, &node, TRUE);
  g_list_model_items_changed (G_LIST_MODEL (self), row + 1, 0, child->total);
  return TRUE;
}

gboolean
vtr_command_list_collapse (VtrCommandList *self, guint row)
{
  Place place;
  VtrTreeNode node;
  guint total;

  if (!is_tree (self) || row >= get_n (self))
    return FALSE;
  locate (self, row, &place);
  if (place.unfolded == NULL)
    return FALSE;

  node = place.unfolded->node;
  total = place.unfolded->total;
  add_total (place.parent, -(int)total);
  g_ptr_array_remove (place.parent->unfolded, place.unfolded);
  note_expanded (self, &node, FALSE);
  g_list_model_items_changed (G_LIST_MODEL (self), row + 1, total, 0);
  return TRUE;
}

void
vtr_command_list_collapse_all (VtrCommandList *self)
{
  guint before = get_n (self);
  VtrTreeNode root = self->root->node;
  GHashTableIter iter;
  gpointer item;

  unfolded_free (self->root);
  self->root = unfolded_new (NULL, &root, 0);
  g_hash_table_iter_init (&iter, self->live);
  while (g_hash_table_iter_next (&iter, NULL, &item))
    vtr_command_item_set_expanded (item, FALSE);
  if (is_tree (self))
    changed_whole (self, before);
}

guint
vtr_command_list_get_parent (VtrCommandList *self, guint row)
{
  Place place;

  if (!is_tree (self) || row >= get_n (self))
    return NO_ROW;
  locate (self, row, &place);
  return place.parent_row;
}

/* Row of child @position of the node whose own row is @parent_row. */
static guint
row_of_child (Unfolded *parent, guint parent_row, guint32 position)
{
  guint row = parent_row + 1 + position; /* NO_ROW + 1 == 0 */

  for (guint i = 0; i < parent->unfolded->len; i++)
    {
      Unfolded *child = g_ptr_array_index (parent->unfolded, i);

      if (child->position >= position)
        break;
      row += child->total;
    }
  return row;
}

static guint
reveal_in_tree (VtrCommandList *self, guint64 command, const char *path)
{
  g_autoptr (GArray) positions = NULL;
  g_autoptr (GArray) nodes = path ? vtr_command_tree_find_path (self->tree, path, &positions, NULL)
                                  : vtr_command_tree_find (self->tree, command, &positions);
  Unfolded *parent = self->root;
  guint row = NO_ROW;

  if (nodes == NULL || nodes->len == 0)
    return NO_ROW;
  for (guint i = 0; i < nodes->len; i++)
    {
      Place place;

      row = row_of_child (parent, row, g_array_index (positions, guint32, i));
      if (i + 1 == nodes->len)
        break;
      vtr_command_list_expand (self, row);
      locate (self, row, &place);
      if (place.unfolded == NULL)
        break;
      parent = place.unfolded;
    }
  return row;
}

static guint
find_match (GArray *matches, guint64 command)
{
  guint low = 0;
  guint high = matches->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (matches, guint64, middle) < command)
        low = middle + 1;
      else
        high = middle;
    }
  return low < matches->len && g_array_index (matches, guint64, low) == command ? low : NO_ROW;
}

guint
vtr_command_list_reveal (VtrCommandList *self, guint64 command, const char *path)
{
  if (self->matches)
    return find_match (self->matches, command);
  if (self->flat)
    return command < get_n (self) ? (guint)command : NO_ROW;
  return reveal_in_tree (self, command, path);
}
