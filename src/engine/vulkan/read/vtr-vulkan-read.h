/* Messages of a trace that only Vulkan can read. Threading: any (constant). */
#pragma once

#include "engine/api/vtr-read-api.h"

G_BEGIN_DECLS

extern const VtrReadApi vtr_vulkan_messages;

G_END_DECLS
