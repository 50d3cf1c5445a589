/* Copies one recording of a command buffer up to one command. */
#pragma once

#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

/**
 * VtrCutCopy:
 *
 * Records a copy beside the recording, up to a target command, and then ends what is open in it: queries,
 * labels and the render pass. The render pass is a clone that stores all attachments; its remaining
 * subpasses are empty. Threading: one at a time.
 */
typedef struct _VtrCutCopy VtrCutCopy;

/* The start of a copy that begins in the middle of the recording. The results of earlier commands are in
 * memory; the copy only gets the earlier commands that set the state. */
typedef struct
{
  guint64 after;      /* flat index of the last command that ran */
  guint64 pass_begin; /* flat index of the beginning of the pass it is in; VTR_COMMAND_NO_INDEX: none */
  guint32 subpass;
} VtrCutStart;

VtrCutCopy *vtr_cut_copy_new (VtrTimeline  *timeline,
                              VtrHistory   *history,
                              guint32       recording,
                              guint64       target,
                              GError      **error);
void vtr_cut_copy_free (VtrCutCopy *self);

/* For a target that is a vkCmdExecuteCommands: runs @inner instead of the secondary at @position, and no secondary after
 * it. To be called before the copy gets the target. */
void vtr_cut_copy_set_inner (VtrCutCopy      *self,
                             VkCommandBuffer  inner,
                             guint32          position);

/* Makes the copy begin at @start. To be called before it gets any command. */
void vtr_cut_copy_start_at (VtrCutCopy        *self,
                            const VtrCutStart *start);

/* Records a command of the recording into the copy, by commands to @next. Errors: those of @next. */
gboolean vtr_cut_copy_command (VtrCutCopy    *self,
                               VtrTransform  *next,
                               VtrCommand    *command,
                               GError       **error);

/* The captured-side handle of the copy; NULL before the recording began. */
VkCommandBuffer vtr_cut_copy_get_command_buffer (const VtrCutCopy *self);

G_END_DECLS
