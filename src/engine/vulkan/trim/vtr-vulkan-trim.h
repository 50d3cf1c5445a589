/* Finds Vulkan's initial commands and contents that a trace does not need. Threading: any (constant). */
#pragma once

#include "engine/api/vtr-trim-api.h"

G_BEGIN_DECLS

extern const VtrTrimApi vtr_vulkan_trim;

G_END_DECLS
