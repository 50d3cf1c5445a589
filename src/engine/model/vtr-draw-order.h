/* Steps through draws and dispatches in the order in which they ran. */
#pragma once

#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/**
 * vtr_draw_order_step:
 * @index: (inout) flat index of a command; VTR_COMMAND_NO_INDEX: before the first (@step 1) or
 * after the last (-1)
 * @run: (inout) vtr_timeline_get_run() of it; VTR_NO_RUN: the first, or not in a command
 * buffer
 * @step: 1 or -1
 *
 * Goes to the next or previous draw or dispatch as the queues ran them: by submission, batch,
 * command buffer, and into the
 * secondary ones where they are executed. From a command outside a recording, to those of the
 * submissions after it (before
 * or at it). From one that was never submitted, by flat index within its recording. O(commands
 * in between).
 *
 * Returns: FALSE when there is none; nothing is written then. Threading: any.
 */
gboolean vtr_draw_order_step (VtrTimeline *timeline,
                              guint64     *index,
                              guint32     *run,
                              int          step);

/* Like vtr_draw_order_step (), for commands of other kinds: @kinds has bits 1 << VtrCommandKind. */
gboolean vtr_draw_order_step_kinds (VtrTimeline *timeline,
                                    guint64     *index,
                                    guint32     *run,
                                    int          step,
                                    guint32      kinds);

G_END_DECLS
