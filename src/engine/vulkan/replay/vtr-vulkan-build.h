/* Vulkan's answers about replays (engine/api/vtr-build-api.h). */
#pragma once

#include "engine/api/vtr-build-api.h"

G_BEGIN_DECLS

extern const VtrBuildApi vtr_vulkan_build;

G_END_DECLS
