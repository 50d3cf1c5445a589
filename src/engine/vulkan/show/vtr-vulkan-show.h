/* What lists and panes show of Vulkan. */
#pragma once

#include "engine/api/vtr-show-api.h"

G_BEGIN_DECLS

extern const VtrShowApi vtr_vulkan_show;

G_END_DECLS
