/* The members of VtrShowApi for Vulkan. */
#include "engine/vulkan/show/vtr-vulkan-show.h"

#include "api/vtr-api-types.h"
#include "engine/vulkan/show/vtr-bound-builder.h"
#include "engine/vulkan/shader/vtr-shader-modules.h"
#include "engine/vulkan/show/vtr-shader-rows.h"
#include "engine/vulkan/show/vtr-texture-rows.h"
#include "engine/vulkan/show/vtr-use-resolver.h"

#include <string.h>

/* "DrawIndexed" of vkCmdDrawIndexed. */
static const char *
get_short_name (VtrCmdId id)
{
  const char *name = vtr_cmd_name (id);

  if (g_str_has_prefix (name, "vkCmd"))
    return name + strlen ("vkCmd");
  return g_str_has_prefix (name, "vk") ? name + strlen ("vk") : name;
}

static guint64
find_binding (VtrHistory *history, const VtrObject *object)
{
  return vtr_history_get_memory_binding (history, object->id);
}

const VtrShowApi vtr_vulkan_show = {
  .short_name = get_short_name,
  .count_uses = vtr_vulkan_count_uses,
  .list_uses = vtr_vulkan_list_uses,
  .list_bound = vtr_vulkan_list_bound,
  .image_kind = VTR_HANDLE_VkImage,
  .get_image = vtr_vulkan_get_image,
  .find_image = vtr_vulkan_find_image,
  .find_binding = find_binding,
  .list_code = vtr_vulkan_list_code,
  .list_bound_code = vtr_vulkan_list_bound_code,
  .list_stages = vtr_vulkan_list_stages,
  .load_code = vtr_vulkan_load_code,
  .find_code = vtr_vulkan_find_code,
};
