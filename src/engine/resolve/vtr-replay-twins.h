/* Objects of two devices with the same handle, which a replay could not tell apart. */
#pragma once

#include "engine/state/vtr-state.h"

G_BEGIN_DECLS

/* Whether no two objects of different devices had the same handle of the same type while both lived.
 * Drivers are free to do that (Vulkan, "Object Model": handles are unique to a device); those at
 * hand give out pointers. Errors: VTR_REPLAY_ERROR_TRACE. Threading: any. */
gboolean vtr_replay_check_twins (VtrHistory  *history,
                                 GError     **error);

G_END_DECLS
