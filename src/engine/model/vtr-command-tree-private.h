/* What the files of VtrCommandTree share. */
#pragma once

#include "engine/model/vtr-recording-tree.h"

G_BEGIN_DECLS

struct _VtrCommandTree
{
  VtrDocument *document;
  VtrTimeline *timeline;
  VtrTrace *trace;
  guint32 *passes_before; /* by run: passes that earlier primaries of its frame begin; 0 for secondaries */
  GMutex lock;            /* of the caches */
  GHashTable *recordings; /* recording + 1 → VtrRecordingTree, bounded */
  GHashTable *frames;     /* frame + 1 → VtrSegments *, reference-counted, bounded */
};

/* (transfer full) */
VtrRecordingTree *vtr_command_tree_get_recording (VtrCommandTree *self,
                                                  guint32         recording);
/* The recording a node of a command buffer (or inside one) shows; VTR_NO_RECORDING for others. */
guint32 vtr_command_tree_node_recording (VtrCommandTree    *self,
                                         const VtrTreeNode *node);

/* Which pass of its frame the PASS @node is, from 1, in the order of execution. */
guint32 vtr_command_tree_get_pass_number (VtrCommandTree    *self,
                                          const VtrTreeNode *node);

G_END_DECLS
