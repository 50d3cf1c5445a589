/* Creates instances and devices through the next layer or the driver, and fills the tables
 * through which all later calls are passed on. */
#include "vtr-layer-instance.h"

#include "vtr-layer-live.h"
#include "vtr-layer-trampolines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

VtrLayerMap vtr_layer_instances = VTR_LAYER_MAP_INIT;
VtrLayerMap vtr_layer_devices = VTR_LAYER_MAP_INIT;
VtrLayerMap vtr_layer_command_buffers = VTR_LAYER_MAP_INIT;

const void *
vtr_layer_skip_loader_structs (const void *next)
{
  const VkBaseInStructure *each = next;

  while (each != NULL && (each->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
                          each->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO))
    each = each->pNext;
  return each;
}

char *
vtr_layer_dup_strings (uint32_t           n,
                       const char *const *strings)
{
  size_t size = 1;
  char *result;
  char *to;

  for (uint32_t i = 0; i < n; i++)
    size += strlen (strings[i]) + 1;
  result = malloc (size);
  if (result == NULL)
    return NULL;
  to = result;
  for (uint32_t i = 0; i < n; i++)
    {
      size_t length = strlen (strings[i]) + 1;

      memcpy (to, strings[i], length);
      to += length;
    }
  *to = '\0';
  return result;
}

static bool
has_extension (const VtrLayerInstance *self,
               const char             *name)
{
  for (const char *each = self->extensions; *each != '\0'; each += strlen (each) + 1)
    if (strcmp (each, name) == 0)
      return true;
  return false;
}

/* Whether instance and device are both used as Vulkan 1.1 at least. */
static bool
is_version_1_1 (const VtrLayerInstance *self,
                VkPhysicalDevice        physical)
{
  VkPhysicalDeviceProperties properties;

  if (self->api_version < VK_API_VERSION_1_1)
    return false;
  self->next.GetPhysicalDeviceProperties (physical, &properties);
  return properties.apiVersion >= VK_API_VERSION_1_1;
}

PFN_vkGetPhysicalDeviceFeatures2
vtr_layer_get_features2 (const VtrLayerInstance *instance,
                         VkPhysicalDevice        physical)
{
  if (has_extension (instance, VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME))
    return instance->next.GetPhysicalDeviceFeatures2KHR;
  return is_version_1_1 (instance, physical) ? instance->next.GetPhysicalDeviceFeatures2 : NULL;
}

PFN_vkGetPhysicalDeviceProperties2
vtr_layer_get_properties2 (const VtrLayerInstance *instance,
                           VkPhysicalDevice        physical)
{
  if (has_extension (instance, VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME))
    return instance->next.GetPhysicalDeviceProperties2KHR;
  return is_version_1_1 (instance, physical) ? instance->next.GetPhysicalDeviceProperties2 : NULL;
}

static VkLayerInstanceCreateInfo *
find_link (const VkInstanceCreateInfo *info)
{
  const VkLayerInstanceCreateInfo *each = info->pNext;

  while (each != NULL && !(each->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
                           each->function == VK_LAYER_LINK_INFO))
    each = each->pNext;
  /* The loader made it for the layers to advance. */
  return (VkLayerInstanceCreateInfo *)each;
}

static void
report_instance (const VkInstanceCreateInfo *info,
                 VkResult                    result)
{
  uint32_t version = VK_API_VERSION_1_0;
  char fact[128];

  if (info->pApplicationInfo != NULL && info->pApplicationInfo->apiVersion != 0)
    version = info->pApplicationInfo->apiVersion;
  if (result == VK_SUCCESS)
    snprintf (fact, sizeof fact, "Vulkan %u.%u, %u extensions", VK_API_VERSION_MAJOR (version),
              VK_API_VERSION_MINOR (version), info->enabledExtensionCount);
  else
    snprintf (fact, sizeof fact, "vkCreateInstance failed (%d)", result);
  vtr_layer_transport_rung (VTR_CAPTURE_RUNG_STARTED, result, fact);
}

static VkResult
adopt_instance (VkInstance                     handle,
                const VkInstanceCreateInfo    *info,
                PFN_vkGetInstanceProcAddr      get_proc_addr,
                PFN_GetPhysicalDeviceProcAddr  get_physical_proc_addr)
{
  VtrLayerInstance *self = calloc (1, sizeof *self);

  if (self == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  self->handle = handle;
  self->get_proc_addr = get_proc_addr;
  self->get_physical_proc_addr = get_physical_proc_addr;
  self->api_version = VK_API_VERSION_1_0;
  if (info->pApplicationInfo != NULL && info->pApplicationInfo->apiVersion != 0)
    self->api_version = info->pApplicationInfo->apiVersion;
  self->extensions =
    vtr_layer_dup_strings (info->enabledExtensionCount, info->ppEnabledExtensionNames);
  vtr_instance_dispatch_load (&self->next, handle, get_proc_addr);
  self->live = vtr_layer_world_new (NULL, NULL);
  if (self->extensions == NULL ||
      !vtr_layer_map_set (&vtr_layer_instances, vtr_layer_key (handle), self))
    {
      vtr_layer_world_free (self->live);
      free (self->extensions);
      free (self);
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  self->names.env = vtr_layer_global_env;
  if (has_extension (self, VK_KHR_SURFACE_EXTENSION_NAME))
    vtr_layer_count_presenter (true);
  vtr_namespace_begin (&self->names, &vtr_layer_vulkan_api);
  return VK_SUCCESS;
}

static VkResult
create_instance (const VkInstanceCreateInfo  *info,
                 const VkAllocationCallbacks *allocator,
                 VkInstance                  *instance)
{
  VkLayerInstanceCreateInfo *link = find_link (info);
  PFN_GetPhysicalDeviceProcAddr get_physical_proc_addr;
  PFN_vkGetInstanceProcAddr get_proc_addr;
  PFN_vkCreateInstance create;
  VkResult result;

  if (link == NULL || link->u.pLayerInfo == NULL)
    return VK_ERROR_INITIALIZATION_FAILED;
  get_proc_addr = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  get_physical_proc_addr = link->u.pLayerInfo->pfnNextGetPhysicalDeviceProcAddr;
  create = (PFN_vkCreateInstance)get_proc_addr (VK_NULL_HANDLE, "vkCreateInstance");
  if (create == NULL)
    return VK_ERROR_INITIALIZATION_FAILED;

  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  result = create (info, allocator, instance);
  if (result != VK_SUCCESS)
    return result;
  result = adopt_instance (*instance, info, get_proc_addr, get_physical_proc_addr);
  if (result != VK_SUCCESS)
    {
      PFN_vkDestroyInstance destroy =
        (PFN_vkDestroyInstance)get_proc_addr (*instance, "vkDestroyInstance");

      destroy (*instance, allocator);
      *instance = VK_NULL_HANDLE;
    }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vtr_layer_CreateInstance (const VkInstanceCreateInfo  *pCreateInfo,
                          const VkAllocationCallbacks *pAllocator,
                          VkInstance                  *pInstance)
{
  /* As the program passed it, without the structures that the loader puts in front of the chain. */
  VkInstanceCreateInfo own = *pCreateInfo;
  const VtrArgs_vkCreateInstance args = { &own, pAllocator, pInstance };
  VtrLayerCall call = { 0 };
  VkResult result;

  own.pNext = vtr_layer_skip_loader_structs (own.pNext);
  vtr_layer_transport_start ();
  if (vtr_layer_is_encoding ())
    vtr_layer_call_enter (&call, &vtr_layer_process, VTR_CMD_vkCreateInstance, &args);
  result = create_instance (pCreateInfo, pAllocator, pInstance);
  vtr_layer_call_leave (&call, &args, (uint64_t)(int64_t)result);
  report_instance (pCreateInfo, result);
  return result;
}

void
vtr_layer_hook_DestroyInstance (VtrLayerInstance            *self,
                                VkInstance                   instance,
                                const VkAllocationCallbacks *pAllocator)
{
  vtr_layer_map_take (&vtr_layer_instances, vtr_layer_key (instance));
  vtr_namespace_end (&self->names);
  if (has_extension (self, VK_KHR_SURFACE_EXTENSION_NAME))
    vtr_layer_count_presenter (false);
  self->next.DestroyInstance (instance, pAllocator);
  vtr_layer_world_free (self->live);
  free (self->extensions);
  free (self);
}
