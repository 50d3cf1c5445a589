/* Copies one recording of a command buffer for one of its runs, with queries around its commands. */
#pragma once

#include "engine/vulkan/transforms/vtr-probe.h"

G_BEGIN_DECLS

/**
 * VtrProbeCopy:
 *
 * Adds rows to the probe as the commands pass. Queries are written at these places:
 *
 *   command buffer   after its begin and before its end
 *   pass             before its begin and after its end, outside the pass
 *   command          right before and right after it; if only state is set between two commands, one
 *                    query is the end of the first and the beginning of the second
 *
 * All timestamps are written at the bottom of the pipe. The time of a row is the time that it adds to
 * everything before it, so the rows inside a row never sum up to more than that row. Threading: one at
 * a time.
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

/* The device and queue family that run the copy. To be called before the first command. */
void vtr_probe_copy_set_family (VtrProbeCopy         *self,
                                guint64               device,
                                const VtrProbeFamily *family);

/* The copy that a vkCmdExecuteCommands runs instead of its secondary at @position. NULL: the secondary is not copied. */
typedef VtrProbeCopy *(*VtrProbeFindInner) (gpointer data,
                                            guint32  parent_run,
                                            guint64  executed_by,
                                            guint32  position);

/* Records @command of the recording into the copy, with the queries that belong there, and passes the results to @next.
 * Changes @command. Errors: those of @next. */
gboolean vtr_probe_copy_command (VtrProbeCopy       *self,
                                 VtrTransform       *next,
                                 VtrCommand         *command,
                                 VtrProbeFindInner   find,
                                 gpointer            data,
                                 GError            **error);

/* The captured-side handle of the copy; NULL before the recording began. */
VkCommandBuffer vtr_probe_copy_get_command_buffer (const VtrProbeCopy *self);

/* The classes of commands that get a row of their own. */
#define VTR_PROBE_ACTIONS \
  (VTR_CLASS_DRAW | VTR_CLASS_DISPATCH | VTR_CLASS_TRANSFER | VTR_CLASS_CLEAR | VTR_CLASS_BUILD | \
   VTR_CLASS_TRACE_RAYS | VTR_CLASS_GENERATED)

G_END_DECLS
