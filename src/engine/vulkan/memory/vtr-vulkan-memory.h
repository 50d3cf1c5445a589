/* What the engine asks Vulkan about memory. */
#pragma once

#include "engine/api/vtr-memory-api.h"

G_BEGIN_DECLS

extern const VtrMemoryApi vtr_vulkan_memory;

G_END_DECLS
