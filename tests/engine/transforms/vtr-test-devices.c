/* Made-up replay devices with various queue families, for the tests of replay on another device. */
#include "vtr-test-devices.h"

#define GRAPHICS (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)

const VkQueueFamilyProperties vtr_test_lone[1] = { { GRAPHICS, 1, 64, { 1, 1, 1 } } };
const VkQueueFamilyProperties vtr_test_desktop[3] = {
  { GRAPHICS, 16, 64, { 1, 1, 1 } },
  { VK_QUEUE_TRANSFER_BIT, 2, 64, { 1, 1, 1 } },
  { VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 8, 64, { 1, 1, 1 } },
};
const VkQueueFamilyProperties vtr_test_reversed[3] = {
  { VK_QUEUE_TRANSFER_BIT, 1, 0, { 8, 8, 8 } },
  { VK_QUEUE_COMPUTE_BIT, 2, 64, { 1, 1, 1 } },
  { GRAPHICS | VK_QUEUE_SPARSE_BINDING_BIT, 2, 64, { 1, 1, 1 } },
};
const VkQueueFamilyProperties vtr_test_compute_only[1] = {
  { VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 4, 64, { 1, 1, 1 } },
};

VtrVulkanDevice *
vtr_test_device_new (guint32                        index,
                     const char                    *name,
                     VkPhysicalDeviceType           type,
                     const VkQueueFamilyProperties *families,
                     guint                          n_families)
{
  VkPhysicalDeviceProperties properties = {
    .deviceType = type,
    .vendorID = 0x1000 + index,
    .deviceID = index,
    .apiVersion = VK_API_VERSION_1_3,
    .limits = { .maxPushConstantsSize = 128, .maxBoundDescriptorSets = 4 },
  };
  VtrVulkanDevice *device;

  g_strlcpy (properties.deviceName, name, sizeof properties.deviceName);
  device = vtr_vulkan_device_new (index, &properties);
  device->families = g_memdup2 (families, n_families * sizeof *families);
  device->n_families = n_families;
  device->memory.memoryTypeCount = 1;
  return device;
}

GPtrArray *
vtr_test_devices_new (VtrVulkanDevice *device)
{
  GPtrArray *devices = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_replay_device_unref);

  g_ptr_array_add (devices, device);
  return devices;
}

VtrReplayBackend *
vtr_test_backend_new (void)
{
  const VtrVulkanImageLimits limits = { 0, 1 << 16, 1 << 16, 1 << 12, 16, 1 << 12, 0x7f };
  VtrReplayBackend *backend = vtr_replay_null_new ();

  vtr_replay_null_set_answer (backend, &limits, sizeof limits);
  return backend;
}

void
vtr_test_describe (VtrTestTrace                  *trace,
                   const VkQueueFamilyProperties *families,
                   guint                          n_families)
{
  VkPhysicalDeviceProperties properties = { .vendorID = 7, .deviceName = "Captured" };
  VkPhysicalDeviceMemoryProperties memory = { .memoryTypeCount = 1 };

  vtr_test_trace_describe_device (trace, &properties, &memory, families, n_families);
}

guint64
vtr_test_add_desktop (VtrTestTrace *trace)
{
  static const float priority = 1;
  VkDeviceQueueCreateInfo queues[3];
  VkInstance instance = H (VkInstance, 1);
  VkPhysicalDevice physical = H (VkPhysicalDevice, 2);
  VkDevice device = H (VkDevice, 3);
  VkInstanceCreateInfo instance_info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
  VkDeviceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .queueCreateInfoCount = 3,
    .pQueueCreateInfos = queues,
  };
  guint32 one = 1;
  guint64 index;

  for (guint32 i = 0; i < 3; i++)
    queues[i] = (VkDeviceQueueCreateInfo){
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueFamilyIndex = i,
      .queueCount = 1,
      .pQueuePriorities = &priority,
    };
  ADD (trace, vkCreateInstance, .pCreateInfo = &instance_info, .pInstance = &instance);
  ADD (trace, vkEnumeratePhysicalDevices, .instance = instance, .pPhysicalDeviceCount = &one,
       .pPhysicalDevices = &physical);
  index = ADD (trace, vkCreateDevice, .physicalDevice = physical, .pCreateInfo = &info,
               .pDevice = &device);
  vtr_test_describe (trace, vtr_test_desktop, 3);
  return index;
}

VtrReplayPlan *
vtr_test_plan_new (VtrTrace  *trace,
                   GPtrArray *devices)
{
  g_autoptr (GError) error = NULL;
  VtrReplayPlan *plan =
    vtr_replay_plan_new (trace, devices, NULL, VTR_REPLAY_ADDRESSES_AUTO, NULL, &error);

  g_assert_no_error (error);
  return plan;
}
