/* What the files of VtrCommandTree share. */
#pragma once

#include "engine/model/vtr-recording-tree.h"

G_BEGIN_DECLS

struct _VtrCommandTree
{
  VtrAnalysis *analysis;
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

/* How many passes of its frame begin before @run does, in the order of execution. */
guint32 vtr_command_tree_count_passes_before (VtrCommandTree *self,
                                              guint32         run);
/* Which pass of its frame the PASS @node is, from 1, in the order of execution. */
guint32 vtr_command_tree_get_pass_number (VtrCommandTree    *self,
                                          const VtrTreeNode *node);

/* What a pass is called, which is the same in each run of its recording but for the number. */
typedef struct
{
  enum
  {
    VTR_PASS_UNKNOWN,
    VTR_PASS_COLOR,
    VTR_PASS_DEPTH,
    VTR_PASS_EMPTY, /* no attachments */
  } kind;
  const char *name; /* (nullable) of its render pass; the whole title. Owned by the history. */
} VtrPassName;

/* Of the PASS @node. */
void vtr_command_tree_get_pass_name (VtrCommandTree    *self,
                                     const VtrTreeNode *node,
                                     VtrPassName       *out);
/* (transfer full) */
char *vtr_pass_name_format (const VtrPassName *name,
                            guint32            number);

G_END_DECLS
