/* What a trace needs of Vulkan's devices that those of this machine lack. */
#pragma once

#include "engine/replay-builder/vtr-compatibility.h"

G_BEGIN_DECLS

/* VtrBuildApi.find_incompatible; @plan: a VtrReplayPlan. */
gboolean vtr_vulkan_find_incompatible (VtrTrace          *trace,
                                       gpointer           plan,
                                       VtrReplayBackend  *backend,
                                       VtrCompatibility  *findings,
                                       GCancellable      *cancellable,
                                       GError           **error);

G_END_DECLS
