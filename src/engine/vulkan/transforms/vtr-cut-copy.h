/* A copy of one recording of a command buffer that ends early. */
#pragma once

#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

/**
 * VtrCutCopy:
 *
 * Records beside a recording a copy of it up to a target command, then closes it: what was begun
 * is ended; a render pass that the recording began (cloned so that it stores everything) runs
 * through its remaining subpasses empty. Threading: one at a time.
 */
typedef struct _VtrCutCopy VtrCutCopy;

/* Where a copy begins when not at the beginning: what ran before is in memory, and the commands that
 * the copy still gets from before set its state. */
typedef struct
{
  guint64 after;      /* the last command that ran */
  guint64 pass_begin; /* of the pass it is in; VTR_COMMAND_NO_INDEX: none */
  guint32 subpass;
} VtrCutStart;

VtrCutCopy *vtr_cut_copy_new (VtrTimeline  *timeline,
                              VtrHistory   *history,
                              guint32       recording,
                              guint64       target,
                              GError      **error);
void vtr_cut_copy_free (VtrCutCopy *self);

/* For a target that is a vkCmdExecuteCommands: run the secondary at @position as @inner, and none
 * after it. Before the target goes by. */
void vtr_cut_copy_set_inner (VtrCutCopy      *self,
                             VkCommandBuffer  inner,
                             guint32          position);

/* Before the copy gets anything. */
void vtr_cut_copy_start_at (VtrCutCopy        *self,
                            const VtrCutStart *start);

/* Gives @next what the copy makes of a command of the recording. */
gboolean vtr_cut_copy_command (VtrCutCopy    *self,
                               VtrTransform  *next,
                               VtrCommand    *command,
                               GError       **error);

/* Captured-side handle; NULL before the recording began. */
VkCommandBuffer vtr_cut_copy_get_command_buffer (const VtrCutCopy *self);

G_END_DECLS
