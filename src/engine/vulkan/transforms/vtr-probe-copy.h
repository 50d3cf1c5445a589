/* A copy of one recording, for one of its runs, with queries around what it does. */
#pragma once

#include "engine/vulkan/transforms/vtr-probe.h"

G_BEGIN_DECLS

/**
 * VtrProbeCopy:
 *
 * Rows are added to the probe as the commands go by. Where queries are written:
 *
 *   command buffer   after its begin and before its end
 *   pass             before its begin and after its end, outside of it
 *   command          right around it; the end of one is the beginning of the next where nothing but
 *                    state is set between
 *
 * All timestamps are written at the bottom of the pipe: a row's time is what it added to the time
 * that everything before it needed, so rows inside another never sum up to more than it. Threading:
 * one at a time.
 */
typedef struct _VtrProbeCopy VtrProbeCopy;

typedef struct
{
  VtrHistory *history;
  VtrTimeline *timeline;
  VtrProbe *probe;
  VtrProbeKind detail; /* rows down to this kind */
  guint32 what;        /* VtrProbeWhat */
} VtrProbeContext;

VtrProbeCopy *vtr_probe_copy_new (const VtrProbeContext *context,
                                  guint32                run);
void vtr_probe_copy_free (VtrProbeCopy *self);

/* Before the first command: on what it runs. */
void vtr_probe_copy_set_family (VtrProbeCopy         *self,
                                guint64               device,
                                const VtrProbeFamily *family);

/* The copy that a vkCmdExecuteCommands is to run instead of the one at @position. NULL: as it is. */
typedef VtrProbeCopy *(*VtrProbeFindInner) (gpointer data,
                                            guint32  parent_run,
                                            guint64  executed_by,
                                            guint32  position);

/* Gives @next what the copy makes of a command of the recording, which is changed on the way. */
gboolean vtr_probe_copy_command (VtrProbeCopy       *self,
                                 VtrTransform       *next,
                                 VtrCommand         *command,
                                 VtrProbeFindInner   find,
                                 gpointer            data,
                                 GError            **error);

/* Captured-side handle; NULL before the recording began. */
VkCommandBuffer vtr_probe_copy_get_command_buffer (const VtrProbeCopy *self);

/* The classes of commands that are measured by themselves. */
#define VTR_PROBE_ACTIONS \
  (VTR_CLASS_DRAW | VTR_CLASS_DISPATCH | VTR_CLASS_TRANSFER | VTR_CLASS_CLEAR | VTR_CLASS_BUILD | \
   VTR_CLASS_TRACE_RAYS | VTR_CLASS_GENERATED)

G_END_DECLS
