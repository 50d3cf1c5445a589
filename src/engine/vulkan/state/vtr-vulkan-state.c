/* The table of what Vulkan says about its objects and their state. */
#include "engine/vulkan/state/vtr-vulkan-state.h"
#include "engine/vulkan/state/vtr-vulkan-objects.h"

const VtrStateApi vtr_vulkan_state = {
  .objects_new = vtr_vulkan_objects_new,
  .objects_free = vtr_vulkan_objects_free,
  .wants_lifetimes = vtr_vulkan_objects_wants,
  .lifetimes = vtr_vulkan_objects_apply,
};
