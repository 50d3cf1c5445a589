/* The command tree of the window: frames › submits › command buffers › debug groups and passes ›
   commands. */
#pragma once

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-place.h"
#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_NODE_ROOT,
  VTR_NODE_FRAME,
  VTR_NODE_COMMAND,        /* any call outside a command buffer */
  VTR_NODE_SUBMIT,         /* vkQueueSubmit…; children: command buffers */
  VTR_NODE_COMMAND_BUFFER, /* one run of a recording; children: passes, groups, commands */
  VTR_NODE_PASS,           /* from begin to end of a render pass or dynamic rendering */
  VTR_NODE_SUBPASS,
  VTR_NODE_GROUP, /* debug label */
  VTR_NODE_CMD,   /* a call inside a command buffer */
} VtrNodeKind;

/* Which icon a command gets. */
typedef enum
{
  VTR_COMMAND_KIND_OTHER,
  VTR_COMMAND_KIND_DRAW,
  VTR_COMMAND_KIND_DISPATCH,
  VTR_COMMAND_KIND_COPY, /* copy, blit, resolve */
  VTR_COMMAND_KIND_CLEAR,
  VTR_COMMAND_KIND_BARRIER, /* and events */
  VTR_COMMAND_KIND_STATE,   /* bind, set, push */
  VTR_COMMAND_KIND_PASS,
  VTR_COMMAND_KIND_GROUP,
  VTR_COMMAND_KIND_SUBMIT,
  VTR_COMMAND_KIND_COMMAND_BUFFER,
  VTR_COMMAND_KIND_FRAME,
  VTR_COMMAND_KIND_PRESENT,
} VtrCommandKind;

/**
 * VtrTreeNode:
 *
 * A value: copy freely. Children are computed on demand and never stored per command, so a
 * million-command trace costs nothing until it is unfolded.
 */
typedef struct
{
  VtrNodeKind kind;
  VtrCommandKind icon;
  guint64
    command;           /* flat index that selecting this row means (of a group: its last command); always valid but for ROOT */
  guint64 first, last; /* flat range of what the row stands for, inside its run or frame */
  guint32 run;         /* run (vtr_timeline_get_run) it belongs to; VTR_NO_RUN outside */
  guint32 depth;       /* 0 for frames */
  guint32 n_children;
} VtrTreeNode;

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

/* The same for one of the runs of a command that is recorded (VtrTreeNode.run); VTR_NO_RUN:
   its first. */
GArray *vtr_command_tree_find_run (VtrCommandTree  *self,
                                   guint64          command,
                                   guint32          run,
                                   GArray         **positions);
/* The path that selecting @node means: "commands/104", or "commands/104@3" for a row in the fourth
   submission of its command buffer. (transfer full) */
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

VtrCommandKind vtr_command_kind (VtrCmdId id);

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
