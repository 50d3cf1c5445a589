/* The whole API state as a tree of rows, unfolded on demand. */
#pragma once

#include "engine/state/vtr-analysis.h"

G_BEGIN_DECLS

/**
 * VtrStateNode:
 *
 * One row of the state at one command. Immutable. Properties of the same names as the getters:
 * "name", "value", "note", "path", "link", "changed", "warning".
 *
 * Threading: main (made on a worker and handed over). Children are made when first asked for, from
 * an immutable state: cheap.
 */
#define VTR_TYPE_STATE_NODE (vtr_state_node_get_type ())
G_DECLARE_FINAL_TYPE (VtrStateNode, vtr_state_node, VTR, STATE_NODE, GObject)

/* "image 41", "images", "layout", "[3]". */
const char *vtr_state_node_get_name (VtrStateNode *self);
/* "TRANSFER_DST_OPTIMAL"; "" for inner nodes. */
const char *vtr_state_node_get_value (VtrStateNode *self);
/* Dim facts after the value; NULL: none. */
const char *vtr_state_node_get_note (VtrStateNode *self);
/* Its own address: "commands/12/state/devices/1/images/41/layouts". */
const char *vtr_state_node_get_path (VtrStateNode *self);
/* Path that a click on the value leads to; NULL: none. */
const char *vtr_state_node_get_link (VtrStateNode *self);
/* The command changed it or something below it. */
gboolean vtr_state_node_get_changed (VtrStateNode *self);
/* A sentence when something is wrong with it; NULL: fine. */
const char *vtr_state_node_get_warning (VtrStateNode *self);
/* GListModel of VtrStateNode; NULL: a leaf. (transfer none) */
GListModel *vtr_state_node_get_children (VtrStateNode *self);
/* The node below @self with that path, or the nearest on the way. (transfer full) */
VtrStateNode *vtr_state_node_find (VtrStateNode *self,
                                   const char   *path);

/* @path: "commands/12@1", "commands/12/state", or a path below: that node is the root then.
   Errors: VTR_RESOLVE_ERROR_PATH. */
void vtr_state_node_new_async (VtrAnalysis         *analysis,
                               const char          *path,
                               GCancellable        *cancellable,
                               GAsyncReadyCallback  callback,
                               gpointer             data);
VtrStateNode *vtr_state_node_new_finish (GAsyncResult  *result,
                                         GError       **error);
/* Blocks. (transfer full) */
VtrStateNode *vtr_state_node_new (VtrAnalysis   *analysis,
                                  const char    *path,
                                  GCancellable  *cancellable,
                                  GError       **error);

/* Paths of nodes below @root whose name, value or note contains @text, whatever the case; at most
   @limit, in the order of the tree. */
void vtr_state_node_search_async (VtrStateNode        *root,
                                  const char          *text,
                                  guint                limit,
                                  GCancellable        *cancellable,
                                  GAsyncReadyCallback  callback,
                                  gpointer             data);
/* (transfer full) */
GStrv vtr_state_node_search_finish (GAsyncResult  *result,
                                    GError       **error);

G_END_DECLS
