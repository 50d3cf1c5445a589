/* Makes state nodes and their texts, for the tree and its search. */
#pragma once

#include "engine/state/vtr-state-view.h"
#include "engine/model/vtr-state-tree.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_STATE_NODE_ROOT,
  VTR_STATE_NODE_GROUP,  /* objects of one type */
  VTR_STATE_NODE_OBJECT, /* one object */
  VTR_STATE_NODE_VALUE,  /* something in an object's JSON */
} VtrStateNodeKind;

VtrStateNode *vtr_state_node_new_root (VtrAnalysis  *analysis,
                                       VtrStateView *view,
                                       VtrStateView *before);
/* A row for an object; its text is made when needed. */
VtrStateNode *vtr_state_node_new_object (VtrStateNode *parent,
                                         guint32       id);

#define VTR_TYPE_STATE_GROUP_LIST (vtr_state_group_list_get_type ())
G_DECLARE_FINAL_TYPE (VtrStateGroupList,
                      vtr_state_group_list,
                      VTR,
                      STATE_GROUP_LIST,
                      GObject)

/* The rows below a group's row. @group: of @parent's view. */
GListModel *vtr_state_group_list_new (VtrStateNode        *parent,
                                      const VtrStateGroup *group);

/* Copies the node without its children and other data that is made on demand, for another thread. (transfer full) */
VtrStateNode *vtr_state_node_copy (VtrStateNode *self);
/* The values that a row shows shortened, in full: VK_FORMAT_D32_SFLOAT for D32_SFLOAT. NULL: none. */
const char *vtr_state_node_get_full_value (VtrStateNode *self);
/* Drops the children. Not for nodes that are shown. */
void vtr_state_node_fold (VtrStateNode *self);

/* --- Values in words --- */

/* A reference to an object, as vtr_json_object_ref() makes it: shown by its name. */
gboolean vtr_state_is_reference (JsonNode *node);
/* @step: the member's name. "" for what has children. (transfer full) */
char *vtr_state_text (const char *step,
                      JsonNode   *node);
/* Dim facts: what is in a small structure. (transfer full) (nullable) */
char *vtr_state_note (JsonNode *node);
/* The target of a click. (transfer full) (nullable) */
char *vtr_state_link (VtrStateView *view,
                      const char   *step,
                      JsonNode     *node);
/* "[3]", "binding 2". (transfer full) */
char *vtr_state_element_name (JsonNode *node,
                              guint     position);

G_END_DECLS
