/* Implements VtrBuildApi for Vulkan. */
#include "engine/vulkan/replay/vtr-vulkan-build.h"

#include "engine/vulkan/read/vtr-trace-device.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"

#include <string.h>

#include "engine/vulkan/compatibility/vtr-vulkan-compatibility.h"
#include "engine/vulkan/host/vtr-vulkan-device-message.h"
#include "engine/vulkan/replay/vtr-vulkan-requests.h"
#include "engine/vulkan/transforms/vtr-transforms.h"

static const char *
decline (VtrReplayBuilder    *builder,
         const VtrReplayRule *rule,
         const VtrCommand    *command)
{
  VtrReplayPlan *plan = vtr_vulkan_plan (builder);

  return plan != NULL && !vtr_replay_plan_is_same (plan)
           ? vtr_vulkan_rule_why_not_elsewhere (rule, command)
           : NULL;
}

/* --- The plan -------------------------------------------------------------------------------- */

static gpointer
plan_new (VtrTrace      *trace,
          GPtrArray     *devices,
          const char    *wanted,
          guint          addresses,
          GCancellable  *cancellable,
          GError       **error)
{
  return vtr_replay_plan_new (trace, devices, wanted, (VtrReplayAddresses)addresses, cancellable,
                              error);
}

static gpointer
plan_ref (gpointer plan)
{
  return vtr_replay_plan_ref (plan);
}

static void
plan_unref (gpointer plan)
{
  vtr_replay_plan_unref (plan);
}

static gboolean
plan_is_same (gpointer plan)
{
  return vtr_replay_plan_is_same (plan);
}

static gboolean
plan_is_guessing (gpointer plan)
{
  return vtr_replay_plan_get_ranges (plan) != NULL;
}

static const char *
plan_get_device (gpointer  plan,
                 VtrTrace *trace)
{
  const char *captured = vtr_trace_get_info (trace)->device;
  const guint n = vtr_trace_get_n_devices (trace);

  for (guint i = 0; i < n; i++)
    {
      const VtrTraceDevice *device = vtr_trace_get_device (trace, i);
      const VtrVulkanDevice *target = vtr_replay_plan_get_target (plan, device->physical_device);

      if (target != NULL && (n == 1 || strcmp (device->properties.deviceName, captured) == 0))
        return target->properties.deviceName;
    }
  return NULL;
}

static void
plan_describe (gpointer       plan,
               VtrPlanDevice *out)
{
  const VtrVulkanDevice *device = vtr_replay_plan_get_target (plan, 0);

  out->name = device->base.name;
  out->driver = device->base.driver;
  out->is_software = device->base.kind == VTR_REPLAY_DEVICE_SOFTWARE;
}

static void
plan_identify (gpointer  plan,
               VtrTrace *trace,
               GString  *text)
{
  for (guint i = 0; i < vtr_trace_get_n_devices (trace) + 1; i++)
    {
      guint64 handle = i < vtr_trace_get_n_devices (trace)
                         ? vtr_trace_get_device (trace, i)->physical_device
                         : 0;
      const VtrVulkanDevice *device = vtr_replay_plan_get_target (plan, handle);

      g_string_append_printf (text, "|%x.%x.%x.%x.%s.%s.", device->properties.vendorID,
                              device->properties.deviceID, device->properties.driverVersion,
                              device->properties.apiVersion, device->properties.deviceName,
                              device->base.driver);
      for (guint j = 0; j < VK_UUID_SIZE; j++)
        g_string_append_printf (text, "%02x", device->properties.pipelineCacheUUID[j]);
    }
}

const VtrBuildApi vtr_vulkan_build = {
  .rule = vtr_vulkan_rule_get,
  .decline = decline,
  .result_counts = vtr_vulkan_rule_result_counts,
  .part_init = vtr_vulkan_part_init,
  .part_set_plan = vtr_vulkan_part_set_plan,
  .part_clear = vtr_vulkan_part_clear,
  .write = vtr_vulkan_write,
  .read = vtr_vulkan_read,
  .read_device = vtr_vulkan_device_from_bytes,
  .describe_device = vtr_vulkan_device_describe,
  .plan_new = plan_new,
  .plan_ref = plan_ref,
  .plan_unref = plan_unref,
  .plan_is_same = plan_is_same,
  .plan_is_guessing = plan_is_guessing,
  .plan_get_device = plan_get_device,
  .plan_describe = plan_describe,
  .plan_identify = plan_identify,
  .can_disable = vtr_vulkan_can_disable,
  .find_code = vtr_vulkan_find_place,
  .find_incompatible = vtr_vulkan_find_incompatible,
  .requests = &vtr_vulkan_requests,
};
