/* The command tree of the window: frames › scopes › commands, where the APIs say what scopes there are (P2): of Vulkan
   submissions › command buffers › debug groups and passes. */
#pragma once

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-command-class.h"
#include "engine/state/vtr-place.h"
#include "engine/state/vtr-timeline.h"
#include "engine/state/vtr-tree-node.h"

G_BEGIN_DECLS

/**
 * VtrCommandTree: Threading: any (immutable).
 */
typedef struct _VtrCommandTree VtrCommandTree;

VtrCommandTree *vtr_command_tree_new (VtrAnalysis *analysis);
void vtr_command_tree_free (VtrCommandTree *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrCommandTree, vtr_command_tree_free)

void vtr_command_tree_get_root (VtrCommandTree *self,
                                VtrTreeNode    *out);
/* Children [first, first + count) of @node. */
void vtr_command_tree_get_children (VtrCommandTree    *self,
                                    const VtrTreeNode *node,
                                    guint32            first,
                                    guint32            count,
                                    VtrTreeNode       *out);
/* Child @nth of @node alone. */
void vtr_command_tree_get_child (VtrCommandTree    *self,
                                 const VtrTreeNode *node,
                                 guint32            nth,
                                 VtrTreeNode       *out);
/* The nodes from a frame down to the row of @command (its first run): a GArray of VtrTreeNode, and
   the child positions leading there in @positions (nullable; GArray of guint32, same length). NULL
   for a command that no frame shows: recorded and never submitted (the flat list has it). The begin
   and end of a debug label lead to its group. (transfer full) */
GArray *vtr_command_tree_find (VtrCommandTree  *self,
                               guint64          command,
                               GArray         **positions);

/* Like vtr_command_tree_find (), for one of the runs of a command that is recorded (VtrTreeNode.run);
 * VTR_NO_RUN: its first. */
GArray *vtr_command_tree_find_run (VtrCommandTree  *self,
                                   guint64          command,
                                   guint32          run,
                                   GArray         **positions);
/* The path that selecting @node means: "commands/104", or "commands/104@3" for a row in the fourth
   run of its command list. (transfer full) */
char *vtr_command_tree_dup_path (VtrCommandTree    *self,
                                 const VtrTreeNode *node);
/* The nodes down to what such a path names, as find(). NULL with @error: not the path of a command,
   or no frame shows it. */
GArray *vtr_command_tree_find_path (VtrCommandTree  *self,
                                    const char      *path,
                                    GArray         **positions,
                                    GError         **error);

/* Texts of a row. (transfer full) */
char *vtr_command_tree_get_title (VtrCommandTree    *self,
                                  const VtrTreeNode *node); /* "DrawIndexed", "Frame 12", "G-buffer" */
/* The title with the command's whole name: "vkCmdDrawIndexed", "vkEndCommandBuffer", "Frame 12". */
char *vtr_command_tree_get_full_title (VtrCommandTree    *self,
                                       const VtrTreeNode *node);
char *vtr_command_tree_get_detail (VtrCommandTree    *self,
                                   const VtrTreeNode *node); /* "(36, 1, 0, 0)", "4 colour + depth · 648 draws" */

/* The filter of the command list: words (substring of name or group), "draw", "dispatch", "copy",
   "clear", "barrier", "pass:NAME", "thread:N", "name:RE", "error", combined by spaces (and), "-"
   negates. Returns: bitset of matching flat indices as sorted GArray of guint64, or NULL with
   @error saying what was expected. Cancellable, off the main thread. */
GArray *vtr_command_filter (VtrAnalysis   *analysis,
                            const char    *text,
                            guint64        limit,
                            GCancellable  *cancellable,
                            GError       **error);

G_END_DECLS
