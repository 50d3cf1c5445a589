/* Vulkan's objects and their state, for its table. */
#pragma once

#include "engine/api/vtr-state-api.h"

G_BEGIN_DECLS

extern const VtrStateApi vtr_vulkan_state;

G_END_DECLS
