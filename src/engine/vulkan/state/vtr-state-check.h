/* Checks that need every call decoded, but no state: handles, pointers, extensions. */
#pragma once

#include "engine/state/vtr-state-message.h"
#include "engine/vulkan/state/vtr-state-questions.h"

G_BEGIN_DECLS

/* Appends what is wrong with the calls of the trace to @messages (of VtrStateMessage). Errors:
   G_IO_ERROR_CANCELLED. */
gboolean vtr_state_check_calls (VtrTimeline   *timeline,
                                VtrHistory    *history,
                                GArray        *messages,
                                GCancellable  *cancellable,
                                GError       **error);

G_END_DECLS
