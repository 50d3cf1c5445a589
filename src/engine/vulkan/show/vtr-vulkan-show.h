/* The contents of lists and panes for Vulkan. Threading: any (constant). */
#pragma once

#include "engine/api/vtr-show-api.h"

G_BEGIN_DECLS

extern const VtrShowApi vtr_vulkan_show;

G_END_DECLS
