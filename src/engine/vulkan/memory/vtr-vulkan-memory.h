/* Vulkan's answers about memory for the engine. */
#pragma once

#include "engine/api/vtr-memory-api.h"

G_BEGIN_DECLS

extern const VtrMemoryApi vtr_vulkan_memory;

G_END_DECLS
