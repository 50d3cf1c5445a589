/* What Vulkan answers to the walkers: members of its VtrApiModel. Threading: any. */
#pragma once

#include "api/vtr-api-rules.h"
#include "vulkan/vtr-vulkan-env.h"

VtrApiAnswer vtr_vulkan_answer;
VtrApiVisitData vtr_vulkan_visit_data;

/* The template that the call of @walk uses. Returns: false when it is not known. */
bool vtr_vulkan_template_of_call (const VtrApiWalk  *walk,
                                  VtrUpdateTemplate *out);
