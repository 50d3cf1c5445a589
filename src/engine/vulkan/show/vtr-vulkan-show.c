/* Implements VtrShowApi for Vulkan. */
#include "engine/vulkan/show/vtr-vulkan-show.h"

#include "api/vtr-api-types.h"
#include "engine/vulkan/host/vtr-vulkan-device.h"
#include "engine/vulkan/show/vtr-bound-builder.h"
#include "engine/vulkan/shader/vtr-shader-modules.h"
#include "engine/vulkan/show/vtr-shader-rows.h"
#include "engine/vulkan/show/vtr-texture-rows.h"
#include "engine/vulkan/show/vtr-trace-json.h"
#include "engine/vulkan/show/vtr-use-resolver.h"
#include "engine/vulkan/transforms/vtr-probe.h"

#include <glib/gi18n.h>
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

/* In the order of the bits of VkQueryPipelineStatisticFlagBits. */
static const VtrCounter *
list_counters (guint *n)
{
  static const VtrCounter counters[VTR_PROBE_N_STATISTICS] = {
    { "inputAssemblyVertices", N_ ("Vertices assembled") },
    { "inputAssemblyPrimitives", N_ ("Primitives assembled") },
    { "vertexShaderInvocations", N_ ("Vertex shader invocations") },
    { "geometryShaderInvocations", N_ ("Geometry shader invocations") },
    { "geometryShaderPrimitives", N_ ("Geometry shader primitives") },
    { "clippingInvocations", N_ ("Primitives before clipping") },
    { "clippingPrimitives", N_ ("Primitives after clipping") },
    { "fragmentShaderInvocations", N_ ("Fragment shader invocations") },
    { "tessellationControlShaderPatches", N_ ("Tessellation patches") },
    { "tessellationEvaluationShaderInvocations", N_ ("Tessellation evaluation invocations") },
    { "computeShaderInvocations", N_ ("Compute shader invocations") },
  };

  *n = G_N_ELEMENTS (counters);
  return counters;
}

static guint64
find_binding (VtrHistory *history, const VtrObject *object)
{
  return vtr_history_get_memory_binding (history, object->id);
}

const VtrShowApi vtr_vulkan_show = {
  .short_name = get_short_name,
  .list_kind = VTR_HANDLE_VkCommandBuffer,
  .executor_kind = VTR_HANDLE_VkQueue,
  .count_uses = vtr_vulkan_count_uses,
  .list_uses = vtr_vulkan_list_uses,
  .list_bound = vtr_vulkan_list_bound,
  .image_kind = VTR_HANDLE_VkImage,
  .presenter = N_ ("swapchain"),
  .get_image = vtr_vulkan_get_image,
  .find_image = vtr_vulkan_find_image,
  .find_binding = find_binding,
  .list_code = vtr_vulkan_list_code,
  .list_bound_code = vtr_vulkan_list_bound_code,
  .list_stages = vtr_vulkan_list_stages,
  .load_code = vtr_vulkan_load_code,
  .find_code = vtr_vulkan_find_code,
  .describe_devices = vtr_vulkan_describe_devices,
  .describe_writes = vtr_vulkan_describe_writes,
  .format_version = vtr_vulkan_format_version,
  .list_counters = list_counters,
};
