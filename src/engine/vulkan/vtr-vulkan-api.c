/* Vulkan for the engine: the table of its tables. */
#include "engine/vulkan/state/vtr-vulkan-scopes.h"

const VtrApi vtr_api_vulkan = {
  .name = "vulkan",
  .scopes = &vtr_vulkan_scopes,
};
