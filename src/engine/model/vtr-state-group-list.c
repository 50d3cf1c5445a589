/* A list model of the objects of one type in a state; rows are made on demand. */
#include "engine/model/vtr-state-node-private.h"

struct _VtrStateGroupList
{
  GObject parent_instance;

  VtrStateNode *parent;       /* whose view and path the rows share */
  const VtrStateGroup *group; /* of the parent's view */
};

static GType
list_get_item_type (GListModel *model)
{
  return VTR_TYPE_STATE_NODE;
}

static guint
list_get_n_items (GListModel *model)
{
  return VTR_STATE_GROUP_LIST (model)->group->ids->len;
}

static gpointer
list_get_item (GListModel *model,
               guint       position)
{
  VtrStateGroupList *self = VTR_STATE_GROUP_LIST (model);

  if (position >= self->group->ids->len)
    return NULL;
  return vtr_state_node_new_object (self->parent,
                                    g_array_index (self->group->ids, guint32, position));
}

static void
list_iface_init (GListModelInterface *iface)
{
  iface->get_item_type = list_get_item_type;
  iface->get_n_items = list_get_n_items;
  iface->get_item = list_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrStateGroupList,
                               vtr_state_group_list,
                               G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_iface_init))

static void
vtr_state_group_list_finalize (GObject *object)
{
  VtrStateGroupList *self = VTR_STATE_GROUP_LIST (object);

  g_clear_object (&self->parent);
  G_OBJECT_CLASS (vtr_state_group_list_parent_class)->finalize (object);
}

static void
vtr_state_group_list_class_init (VtrStateGroupListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_state_group_list_finalize;
}

static void
vtr_state_group_list_init (VtrStateGroupList *self)
{
}

GListModel *
vtr_state_group_list_new (VtrStateNode        *parent,
                          const VtrStateGroup *group)
{
  VtrStateGroupList *self = g_object_new (VTR_TYPE_STATE_GROUP_LIST, NULL);

  /* The parent would keep its children and they it: rows get a copy. */
  self->parent = vtr_state_node_copy (parent);
  self->group = group;
  return G_LIST_MODEL (self);
}
