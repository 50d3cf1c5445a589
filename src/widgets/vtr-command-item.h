/* A visible row of the command list: a node of the command tree, with texts that are made when
 * they are first asked for. */
#pragma once

#include "engine/model/vtr-command-tree.h"

G_BEGIN_DECLS

/* Property: "expanded". */
#define VTR_TYPE_COMMAND_ITEM (vtr_command_item_get_type ())
G_DECLARE_FINAL_TYPE (VtrCommandItem, vtr_command_item, VTR, COMMAND_ITEM, GObject)

VtrCommandItem *vtr_command_item_new (VtrCommandTree    *tree,
                                      const VtrTreeNode *node);
const VtrTreeNode *vtr_command_item_get_node (VtrCommandItem *self);
const char *vtr_command_item_get_title (VtrCommandItem *self);
const char *vtr_command_item_get_detail (VtrCommandItem *self);
/* The title with the full name of the command: "vkCmdDraw" where the title is "Draw". (transfer
 * full) */
char *vtr_command_item_dup_full_title (VtrCommandItem *self);
/* The full name and the arguments, for tooltips and copies. (transfer full) */
char *vtr_command_item_dup_text (VtrCommandItem *self);
gboolean vtr_command_item_get_expanded (VtrCommandItem *self);
void vtr_command_item_set_expanded (VtrCommandItem *self,
                                    gboolean        expanded);
gboolean vtr_command_item_is_group (VtrCommandItem *self);

/* "vtr-draw-symbolic", "kind-draw", "draw" */
const char *vtr_command_kind_get_icon_name (VtrCommandKind kind);
const char *vtr_command_kind_get_css_class (VtrCommandKind kind);
const char *vtr_command_kind_get_label (VtrCommandKind kind);

G_END_DECLS
