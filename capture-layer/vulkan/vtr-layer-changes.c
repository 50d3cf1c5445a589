/* Changes what a program asks of a device (features, queue families) before the driver gets it, so
 * that resources can be copied and replayed, and lists all changes that the layer makes. */
#include "vtr-layer-changes.h"

#include "vtr-layer-instance.h"
#include "vtr-layer-trampolines.h"

#include "api/vtr-api-types.h"


/* ---- Features ---- */

void *
vtr_layer_clone_chain_to (VtrArena         *arena,
                          const void      **next,
                          VkStructureType   stype)
{
  const VkBaseInStructure *each = *next;
  const void *head = NULL;
  const void **link = &head;

  for (; each != NULL; each = each->pNext)
    {
      VtrStructId id = vtr_struct_from_stype (each->sType);
      size_t size = id == VTR_STRUCT_NONE ? 0 : vtr_struct_get (id)->size[VTR_ABI_NATIVE];
      VkBaseOutStructure *copy;

      if (each->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
        size = sizeof (VkLayerDeviceCreateInfo);
      if (size == 0 || (copy = vtr_arena_memdup (arena, each, size)) == NULL)
        return NULL;
      *link = copy;
      link = (const void **)&copy->pNext;
      if (each->sType == stype)
        {
          *next = head;
          return copy;
        }
    }
  return NULL;
}

/* Asks for the features in @feature, which is in the chain of the device and so known to it. */
static void
ask_features (VtrLayerInstance *instance,
              VkPhysicalDevice  physical,
              void             *feature)
{
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = feature,
  };
  PFN_vkGetPhysicalDeviceFeatures2 get_features = vtr_layer_get_features2 (instance, physical);

  if (get_features != NULL)
    get_features (physical, &features);
}

static bool
offers_address_replay (VtrLayerInstance *instance,
                       VkPhysicalDevice  physical)
{
  VkPhysicalDeviceBufferDeviceAddressFeatures address = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
  };

  ask_features (instance, physical, &address);
  return address.bufferDeviceAddressCaptureReplay == VK_TRUE;
}

static void
change_structures (VtrLayerFeatureChange *self,
                   VtrLayerInstance      *instance,
                   VkPhysicalDevice       physical)
{
  VkPhysicalDeviceAccelerationStructureFeaturesKHR offered = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
  };
  VkPhysicalDeviceAccelerationStructureFeaturesKHR *wanted =
    vtr_layer_clone_chain_to (&self->arena, &self->info.pNext, offered.sType);

  if (wanted == NULL || !wanted->accelerationStructure)
    return;
  ask_features (instance, physical, &offered);
  if (offered.accelerationStructureCaptureReplay)
    wanted->accelerationStructureCaptureReplay = self->structure_replay = true;
}

static void
change_groups (VtrLayerFeatureChange *self,
               VtrLayerInstance      *instance,
               VkPhysicalDevice       physical)
{
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR offered = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
  };
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR *wanted =
    vtr_layer_clone_chain_to (&self->arena, &self->info.pNext, offered.sType);

  if (wanted == NULL || !wanted->rayTracingPipeline)
    return;
  ask_features (instance, physical, &offered);
  if (offered.rayTracingPipelineShaderGroupHandleCaptureReplay)
    wanted->rayTracingPipelineShaderGroupHandleCaptureReplay = self->group_replay = true;
}

void
vtr_layer_change_features (VtrLayerFeatureChange    *self,
                           VtrLayerInstance         *instance,
                           VkPhysicalDevice          physical,
                           const VkDeviceCreateInfo *info)
{
  VkPhysicalDeviceBufferDeviceAddressFeatures *address;
  VkPhysicalDeviceVulkan12Features *vulkan12;

  self->info = *info;
  self->address_replay = self->structure_replay = self->group_replay = false;
  vtr_arena_init (&self->arena);
  if (!vtr_layer_transport_start ())
    return;

  change_groups (self, instance, physical);
  if (!offers_address_replay (instance, physical))
    return;
  address = vtr_layer_clone_chain_to (
    &self->arena, &self->info.pNext,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
  if (address != NULL && address->bufferDeviceAddress)
    address->bufferDeviceAddressCaptureReplay = self->address_replay = true;
  vulkan12 = vtr_layer_clone_chain_to (&self->arena, &self->info.pNext,
                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  if (vulkan12 != NULL && vulkan12->bufferDeviceAddress)
    vulkan12->bufferDeviceAddressCaptureReplay = self->address_replay = true;
  /* A structure lies where it was only in a buffer that does. */
  if (self->address_replay)
    change_structures (self, instance, physical);
}

bool
vtr_layer_change_features_drop (VtrLayerFeatureChange *self)
{
  const bool any = self->address_replay || self->group_replay;

  self->address_replay = self->structure_replay = self->group_replay = false;
  return any;
}

void
vtr_layer_change_features_finish (VtrLayerFeatureChange *self)
{
  vtr_arena_finish (&self->arena);
}

/* ---- Protected memory ---- */

static void
hide_protected (void *next)
{
  for (VkBaseOutStructure *each = next; each != NULL; each = each->pNext)
    {
      if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES)
        ((VkPhysicalDeviceProtectedMemoryFeatures *)(void *)each)->protectedMemory = VK_FALSE;
      if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES)
        ((VkPhysicalDeviceVulkan11Features *)(void *)each)->protectedMemory = VK_FALSE;
    }
}

void
vtr_layer_hook_GetPhysicalDeviceFeatures2 (VtrLayerInstance          *self,
                                           VkPhysicalDevice           physicalDevice,
                                           VkPhysicalDeviceFeatures2 *pFeatures)
{
  self->next.GetPhysicalDeviceFeatures2 (physicalDevice, pFeatures);
  hide_protected (pFeatures->pNext);
}

void
vtr_layer_hook_GetPhysicalDeviceFeatures2KHR (VtrLayerInstance          *self,
                                              VkPhysicalDevice           physicalDevice,
                                              VkPhysicalDeviceFeatures2 *pFeatures)
{
  self->next.GetPhysicalDeviceFeatures2KHR (physicalDevice, pFeatures);
  hide_protected (pFeatures->pNext);
}

void
vtr_layer_hook_GetPhysicalDeviceQueueFamilyProperties (VtrLayerInstance        *self,
                                                       VkPhysicalDevice         physicalDevice,
                                                       uint32_t                *pCount,
                                                       VkQueueFamilyProperties *pProperties)
{
  self->next.GetPhysicalDeviceQueueFamilyProperties (physicalDevice, pCount, pProperties);
  for (uint32_t i = 0; pProperties != NULL && i < *pCount; i++)
    pProperties[i].queueFlags &= ~(VkQueueFlags)VK_QUEUE_PROTECTED_BIT;
}

static void
hide_protected_queues (uint32_t                  n,
                       VkQueueFamilyProperties2 *properties)
{
  for (uint32_t i = 0; properties != NULL && i < n; i++)
    properties[i].queueFamilyProperties.queueFlags &= ~(VkQueueFlags)VK_QUEUE_PROTECTED_BIT;
}

void
vtr_layer_hook_GetPhysicalDeviceQueueFamilyProperties2 (VtrLayerInstance         *self,
                                                        VkPhysicalDevice          physicalDevice,
                                                        uint32_t                 *pCount,
                                                        VkQueueFamilyProperties2 *pProperties)
{
  self->next.GetPhysicalDeviceQueueFamilyProperties2 (physicalDevice, pCount, pProperties);
  hide_protected_queues (*pCount, pProperties);
}

void
vtr_layer_hook_GetPhysicalDeviceQueueFamilyProperties2KHR (VtrLayerInstance         *self,
                                                           VkPhysicalDevice          physicalDevice,
                                                           uint32_t                 *pCount,
                                                           VkQueueFamilyProperties2 *pProperties)
{
  self->next.GetPhysicalDeviceQueueFamilyProperties2KHR (physicalDevice, pCount, pProperties);
  hide_protected_queues (*pCount, pProperties);
}

/* ---- The list of them ---- */

/* The trace contains these texts in English; programs that show them translate them. */
#define N_(text) (text)

const char *
vtr_layer_get_change (const VtrLayerDevice *device,
                      size_t                nth)
{
  const struct
  {
    bool made;
    const char *text;
  } changes[] = {
    { true, N_ ("Images also have VK_IMAGE_USAGE_TRANSFER_SRC_BIT where their format allows it.") },
    { true, N_ ("Multisampled images also have VK_IMAGE_USAGE_SAMPLED_BIT "
                "where their format allows it.") },
    { true, N_ ("Buffers also have VK_BUFFER_USAGE_TRANSFER_SRC_BIT.") },
    { true, N_ ("Swapchain images also have VK_IMAGE_USAGE_TRANSFER_SRC_BIT "
                "where their surface allows it.") },
    { true, N_ ("Protected memory is hidden.") },
    { device->address_replay, N_ ("The feature bufferDeviceAddressCaptureReplay is enabled.") },
    { device->structure_replay, N_ ("The feature accelerationStructureCaptureReplay is enabled.") },
    { device->group_handle_size != 0,
      N_ ("The feature rayTracingPipelineShaderGroupHandleCaptureReplay is enabled.") },
    { device->next.CreateRayTracingPipelinesKHR != NULL,
      N_ ("Ray tracing pipelines are created immediately where the program defers it.") },
  };

  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
    if (changes[i].made && nth-- == 0)
      return changes[i].text;
  return NULL;
}
