/* A GListModel over an array that never changes, for lists that are made once. */
#include "engine/model/vtr-fixed-list.h"

typedef struct
{
  GPtrArray *items;
} VtrFixedListPrivate;

static void list_model_init (GListModelInterface *iface);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (VtrFixedList,
                                  vtr_fixed_list,
                                  G_TYPE_OBJECT,
                                  G_ADD_PRIVATE (VtrFixedList)
                                    G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

GPtrArray *
vtr_fixed_list_get_array (VtrFixedList *self)
{
  VtrFixedListPrivate *priv = vtr_fixed_list_get_instance_private (self);

  return priv->items;
}

static guint
get_length (VtrFixedList *self)
{
  return vtr_fixed_list_get_array (self)->len;
}

gpointer
vtr_fixed_list_get (VtrFixedList *self, guint nth)
{
  return g_ptr_array_index (vtr_fixed_list_get_array (self), nth);
}

static GType
get_item_type (GListModel *model)
{
  return VTR_FIXED_LIST_GET_CLASS (model)->get_item_type ();
}

static guint
get_n_items (GListModel *model)
{
  return get_length (VTR_FIXED_LIST (model));
}

static gpointer
get_item (GListModel *model, guint position)
{
  GPtrArray *items = vtr_fixed_list_get_array (VTR_FIXED_LIST (model));

  return position < items->len ? g_object_ref (g_ptr_array_index (items, position)) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static void
vtr_fixed_list_finalize (GObject *object)
{
  g_ptr_array_unref (vtr_fixed_list_get_array (VTR_FIXED_LIST (object)));
  G_OBJECT_CLASS (vtr_fixed_list_parent_class)->finalize (object);
}

static void
vtr_fixed_list_class_init (VtrFixedListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_fixed_list_finalize;
}

static void
vtr_fixed_list_init (VtrFixedList *self)
{
  VtrFixedListPrivate *priv = vtr_fixed_list_get_instance_private (self);

  priv->items = g_ptr_array_new_with_free_func (g_object_unref);
}
