/* Checks the calls of a trace without following state: handles, pointers, extensions. Decodes every call. Threading: any. */
#pragma once

#include "engine/state/vtr-state-message.h"
#include "engine/vulkan/state/vtr-state-questions.h"

G_BEGIN_DECLS

/* Appends a VtrStateMessage to @messages for every call that is wrong. Errors: G_IO_ERROR_CANCELLED. */
gboolean vtr_state_check_calls (VtrTimeline   *timeline,
                                VtrHistory    *history,
                                GArray        *messages,
                                GCancellable  *cancellable,
                                GError       **error);

G_END_DECLS
