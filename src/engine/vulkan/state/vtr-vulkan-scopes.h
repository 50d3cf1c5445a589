/* Vulkan's command lists and scopes, for its table. */
#pragma once

#include "engine/api/vtr-scope-api.h"

G_BEGIN_DECLS

extern const VtrScopeApi vtr_vulkan_scopes;

G_END_DECLS
