/* Lists Vulkan's tables for the engine (VtrApi). */
#include "engine/vulkan/memory/vtr-vulkan-memory.h"
#include "engine/vulkan/show/vtr-vulkan-show.h"
#include "engine/vulkan/replay/vtr-vulkan-build.h"
#include "engine/vulkan/host/vtr-vulkan-host.h"
#include "engine/vulkan/state/vtr-vulkan-scopes.h"
#include "engine/vulkan/state/vtr-vulkan-state.h"
#include "engine/vulkan/read/vtr-vulkan-read.h"
#include "engine/vulkan/trim/vtr-vulkan-trim.h"

const VtrApi vtr_api_vulkan = {
  .name = "vulkan",
  .host = &vtr_vulkan_host_api,
  .read = &vtr_vulkan_messages,
  .trim = &vtr_vulkan_trim,
  .scopes = &vtr_vulkan_scopes,
  .state = &vtr_vulkan_state,
  .memory = &vtr_vulkan_memory,
  .show = &vtr_vulkan_show,
  .build = &vtr_vulkan_build,
};
