/* VtrCommandTree itself, and how it numbers and names passes. */
#pragma once

#include "engine/model/vtr-command-tree.h"
#include "engine/state/vtr-scope-tree.h"

G_BEGIN_DECLS

struct _VtrCommandTree
{
  VtrAnalysis *analysis;
  VtrTimeline *timeline;
  VtrTrace *trace;
  guint32 *passes_before; /* by run: passes that earlier primaries of its frame begin; 0 for secondaries */
  GMutex lock;            /* of the caches */
  GHashTable *recordings; /* recording + 1 → VtrScopeTree, bounded */
  GHashTable *frames;     /* frame + 1 → VtrScopeTree, bounded */
};

/* (transfer full) */
VtrScopeTree *vtr_command_tree_get_recording (VtrCommandTree *self,
                                              guint32         recording);
/* How the commands around @node nest: those of its list or of its frame. (transfer full) */
VtrScopeTree *vtr_command_tree_get_scopes (VtrCommandTree    *self,
                                           const VtrTreeNode *node);
/* Which container of them @node shows; G_MAXUINT32: none. */
guint32 vtr_command_tree_find_container (VtrScopeTree      *tree,
                                         const VtrTreeNode *node);

/* How many passes of its frame begin before @run does, in the order of execution. */
guint32 vtr_command_tree_count_passes_before (VtrCommandTree *self,
                                              guint32         run);
/* Which pass of its frame the PASS @node is, from 1, in the order of execution. */
guint32 vtr_command_tree_get_pass_number (VtrCommandTree    *self,
                                          const VtrTreeNode *node);

/* Of the PASS @node. */
void vtr_command_tree_get_pass_name (VtrCommandTree    *self,
                                     const VtrTreeNode *node,
                                     VtrPassName       *out);
/* (transfer full) */
char *vtr_pass_name_format (const VtrPassName *name,
                            guint32            number);

G_END_DECLS
