/* Creates devices with the features that the captured program asked for and this driver has, and
 * gets their queues. */
#include "vtr-overrides.h"

#include "vtr-feature-table.h"
#include "vtr-opaque.h"
#include "vtr-vk-sync.h"
#include "vtr-vk-transfer.h"
#include "vtr-utility.h"

#include "vulkan/vtr-vulkan-facts.h"

#include <stdlib.h>
#include <time.h>

#define MAX_STRUCTS 64

/* Callbacks of the captured program. */
static const VkStructureType foreign[] = {
  VK_STRUCTURE_TYPE_DEVICE_DEVICE_MEMORY_REPORT_CREATE_INFO_EXT,
};

static const VtrFeatureStruct *
feature_struct (uint32_t s_type)
{
  for (size_t i = 0; i < vtr_n_feature_structs; i++)
    if (vtr_feature_structs[i].s_type == s_type)
      return &vtr_feature_structs[i];
  return NULL;
}

/* --- Features -------------------------------------------------------------------------------- */

/* Clears those of @wanted that @offered lacks. */
static void
drop_missing_features (VtrReplayVk           *vk,
                       const char     *const *names,
                       uint32_t               n,
                       VkBool32              *wanted,
                       const VkBool32        *offered)
{
  for (uint32_t i = 0; i < n; i++)
    if (wanted[i] && !offered[i])
      {
        vtr_replay_vk_message (vk, VTR_LOG_WARNING,
                               "The device lacks the feature %s; the replay goes on without it.",
                               names[i]);
        wanted[i] = VK_FALSE;
      }
}

static void
drop_missing_core_features (VtrReplayVk              *vk,
                            VtrTable                 *table,
                            VkPhysicalDevice          physical,
                            VkPhysicalDeviceFeatures *wanted)
{
  const VtrFeatureStruct *info = feature_struct (VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  VkPhysicalDeviceFeatures offered;

  VTR_CALL (vk, table, vkGetPhysicalDeviceFeatures)
  (physical, &offered);
  drop_missing_features (vk, info->names, info->n_features, (VkBool32 *)wanted,
                         (const VkBool32 *)&offered);
}

/* Queries the same structures as in the chain @next, and clears the features in the chain that
 * are missing. The chain is in the machine's memory, and is written again for every call. */
static void
drop_missing_chained_features (VtrReplayVk      *vk,
                               VtrTable         *table,
                               VkPhysicalDevice  physical,
                               const void       *next)
{
  PFN_vkGetPhysicalDeviceFeatures2 get = VTR_CALL (vk, table, vkGetPhysicalDeviceFeatures2);
  VkPhysicalDeviceFeatures2 head = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 };
  VkBaseOutStructure *wanted[MAX_STRUCTS], *offered[MAX_STRUCTS];
  const VtrFeatureStruct *infos[MAX_STRUCTS];
  const VkBaseInStructure *link = next;
  size_t n = 0;

  for (unsigned i = 0; link != NULL && i < MAX_STRUCTS; i++, link = link->pNext)
    {
      const VtrFeatureStruct *info = feature_struct (link->sType);
      VkBaseOutStructure *copy;

      if (info == NULL)
        continue;
      if (info->s_type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
        {
          drop_missing_core_features (
            vk, table, physical, &((VkPhysicalDeviceFeatures2 *)(uintptr_t)link)->features);
          continue;
        }
      copy = calloc (1, info->size);
      if (copy == NULL)
        break;
      copy->sType = link->sType;
      copy->pNext = head.pNext;
      head.pNext = copy;
      wanted[n] = (VkBaseOutStructure *)(uintptr_t)link;
      offered[n] = copy;
      infos[n++] = info;
    }
  if (get != NULL)
    get (physical, &head);
  for (size_t i = 0; i < n; i++)
    {
      if (get != NULL)
        drop_missing_features (vk, infos[i]->names, infos[i]->n_features,
                               (VkBool32 *)(void *)(wanted[i] + 1),
                               (const VkBool32 *)(void *)(offered[i] + 1));
      free (offered[i]);
    }
}

/* --- Extensions ------------------------------------------------------------------------------ */

/* Whether the program may ask for addresses of buffers. */
static bool
uses_addresses (const VkDeviceCreateInfo *info)
{
  const VkPhysicalDeviceBufferDeviceAddressFeatures *own = vtr_chain_find (
    info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
  const VkPhysicalDeviceVulkan12Features *all =
    vtr_chain_find (info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  const VkPhysicalDeviceBufferDeviceAddressFeaturesEXT *old = vtr_chain_find (
    info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT);

  return (own != NULL && own->bufferDeviceAddress) || (all != NULL && all->bufferDeviceAddress) ||
         (old != NULL && old->bufferDeviceAddress);
}

/* Adds a name that is not there yet. */
static void
add_name (const char **names,
          uint32_t    *n,
          const char  *name)
{
  for (uint32_t i = 0; i < *n; i++)
    if (strcmp (names[i], name) == 0)
      return;
  names[(*n)++] = name;
}

/* Returns: the names to enable, NULL when out of memory; *@n of them. */
static const char **
choose_extensions (VtrReplayVk              *vk,
                   VtrTable                 *table,
                   VkPhysicalDevice          physical,
                   const VkDeviceCreateInfo *info,
                   uint32_t                 *n)
{
  PFN_vkEnumerateDeviceExtensionProperties enumerate =
    VTR_CALL (vk, table, vkEnumerateDeviceExtensionProperties);
  VkExtensionProperties *offered = NULL;
  uint32_t n_offered = 0;
  const char **names;

  *n = 0;
  if (info->enabledExtensionCount > 4096)
    return NULL;
  names = calloc (info->enabledExtensionCount + 2, sizeof *names);
  if (enumerate (physical, NULL, &n_offered, NULL) == VK_SUCCESS)
    offered = calloc (n_offered + 1, sizeof *offered);
  if (offered == NULL || names == NULL || enumerate (physical, NULL, &n_offered, offered) < 0)
    n_offered = 0;
  for (uint32_t i = 0; names != NULL && i < info->enabledExtensionCount; i++)
    {
      bool found = false;

      for (uint32_t j = 0; !found && j < n_offered; j++)
        found = strcmp (offered[j].extensionName, info->ppEnabledExtensionNames[i]) == 0;
      if (found)
        names[(*n)++] = info->ppEnabledExtensionNames[i];
      else
        vtr_replay_vk_message (vk, VTR_LOG_WARNING,
                               "The device does not offer %s; the replay goes on without it.",
                               info->ppEnabledExtensionNames[i]);
    }
  for (uint32_t i = 0; names != NULL && uses_addresses (info) && i < n_offered; i++)
    if (strcmp (offered[i].extensionName, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) == 0)
      add_name (names, n, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  free (offered);
  return names;
}

static bool
has_extension (const VkDeviceCreateInfo *info,
               const char               *name)
{
  for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
    if (strcmp (info->ppEnabledExtensionNames[i], name) == 0)
      return true;
  return false;
}

/* Notes whether memory can be imported (vtr-fixed-address.h). */
static void
note_imports (VtrReplayVk              *vk,
              VtrTable                 *device,
              VkPhysicalDevice          physical,
              const VkDeviceCreateInfo *info)
{
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
  };
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &host,
  };
  PFN_vkGetPhysicalDeviceProperties2 get =
    VTR_CALL (vk, device->parent, vkGetPhysicalDeviceProperties2);

  if (!has_extension (info, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) || get == NULL)
    return;
  get (physical, &properties);
  device->host_import_unit = host.minImportedHostPointerAlignment;
}

/* --- Devices --------------------------------------------------------------------------------- */

static bool
note_families (VtrReplayVk              *vk,
               VtrTable                 *table,
               const VkDeviceCreateInfo *info)
{
  table->queue_families = calloc (info->queueCreateInfoCount + 1, sizeof *table->queue_families);
  table->queue_flags = calloc (info->queueCreateInfoCount + 1, sizeof *table->queue_flags);
  VTR_CALL (vk, table->parent, vkGetPhysicalDeviceQueueFamilyProperties)
  (table->physical, &table->n_families, NULL);
  table->families = calloc (table->n_families + 1, sizeof *table->families);
  if (table->queue_families == NULL || table->queue_flags == NULL || table->families == NULL)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_MEMORY, "The replayer ran out of memory.");
      return false;
    }
  VTR_CALL (vk, table->parent, vkGetPhysicalDeviceQueueFamilyProperties)
  (table->physical, &table->n_families, table->families);
  for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
    {
      table->queue_families[i] = info->pQueueCreateInfos[i].queueFamilyIndex;
      table->queue_flags[i] = info->pQueueCreateInfos[i].flags;
    }
  table->n_queue_families = info->queueCreateInfoCount;
  return true;
}

static void
note_device (VtrReplayVk              *vk,
             VtrTable                 *parent,
             VkPhysicalDevice          physical,
             const VkDeviceCreateInfo *info,
             VkDevice                  device)
{
  VtrTable *table = vtr_table_create (vk);
  VtrReplayObject *object = vtr_objects_created (vk, VTR_HANDLE_VkDevice, VTR_HANDLE_BITS (device),
                                                 VTR_HANDLE_BITS (physical), 0);
  VkPhysicalDeviceProperties properties;

  if (table == NULL || object == NULL)
    return;
  object->table = table;
  table->parent = parent;
  table->instance = parent->instance;
  table->physical = physical;
  table->device = device;
  VTR_CALL (vk, parent, vkGetPhysicalDeviceProperties)
  (physical, &properties);
  table->atom = properties.limits.nonCoherentAtomSize;
  table->api_version =
    properties.apiVersion < parent->api_version ? properties.apiVersion : parent->api_version;
  VTR_CALL (vk, parent, vkGetPhysicalDeviceMemoryProperties)
  (physical, &table->memory);
  note_families (vk, table, info);
}

/* Whether the families asked for exist here. */
static bool
check_families (VtrReplayVk              *vk,
                VtrTable                 *table,
                VkPhysicalDevice          physical,
                const VkDeviceCreateInfo *info)
{
  uint32_t n = 0;

  VTR_CALL (vk, table, vkGetPhysicalDeviceQueueFamilyProperties)
  (physical, &n, NULL);
  for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
    if (info->pQueueCreateInfos[i].queueFamilyIndex >= n)
      {
        vtr_vm_fail (vk->vm, VTR_VM_ERROR_DRIVER,
                     "The trace uses queue family %u; this device has %u families.",
                     info->pQueueCreateInfos[i].queueFamilyIndex, n);
        return false;
      }
  return true;
}

VkResult
vtr_override_vkCreateDevice (VtrReplayVk                 *vk,
                             VkPhysicalDevice             physicalDevice,
                             const VkDeviceCreateInfo    *pCreateInfo,
                             const VkAllocationCallbacks *pAllocator,
                             VkDevice                    *pDevice)
{
  VtrTable *table =
    vtr_table_of (vk, VTR_HANDLE_VkPhysicalDevice, VTR_HANDLE_BITS (physicalDevice));
  VkDeviceCreateInfo info = *pCreateInfo;
  VkPhysicalDeviceFeatures features;
  const char **extensions;
  VtrOpaqueFeatures opaque;
  VkResult result;

  (void)pAllocator;
  if (table == NULL ||
      !vtr_replay_vk_has (vk, info.queueCreateInfoCount, info.pQueueCreateInfos,
                          "pQueueCreateInfos") ||
      !vtr_replay_vk_has_names (vk, info.enabledExtensionCount, info.ppEnabledExtensionNames) ||
      !check_families (vk, table, physicalDevice, &info))
    return VK_ERROR_INITIALIZATION_FAILED;
  extensions =
    choose_extensions (vk, table, physicalDevice, pCreateInfo, &info.enabledExtensionCount);
  if (extensions == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  info.ppEnabledExtensionNames = extensions;
  info.enabledLayerCount = 0; /* device layers are long ignored */
  info.ppEnabledLayerNames = NULL;
  vtr_chain_remove (&info.pNext, foreign, sizeof foreign / sizeof *foreign);
  if (info.pEnabledFeatures != NULL)
    {
      features = *info.pEnabledFeatures;
      drop_missing_core_features (vk, table, physicalDevice, &features);
      info.pEnabledFeatures = &features;
    }
  drop_missing_chained_features (vk, table, physicalDevice, info.pNext);
  vtr_queries_enable (vk, table, physicalDevice, &info, &features);
  vtr_opaque_enable (vk, table, physicalDevice, &info, &opaque);
  result = VTR_CALL (vk, table, vkCreateDevice) (physicalDevice, &info, NULL, pDevice);
  if (result < 0 && vtr_opaque_disable (&opaque))
    result = VTR_CALL (vk, table, vkCreateDevice) (physicalDevice, &info, NULL, pDevice);
  if (result == VK_SUCCESS)
    {
      VtrTable *device;

      note_device (vk, table, physicalDevice, pCreateInfo, *pDevice);
      device = vtr_device_table (vk, *pDevice);
      if (device != NULL)
        {
          /* The core has it since Vulkan 1.4. */
          device->emulates_push =
            (has_extension (pCreateInfo, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) ||
             table->api_version >= VK_MAKE_API_VERSION (0, 1, 4, 0)) &&
            !has_extension (&info, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) &&
            device->api_version < VK_MAKE_API_VERSION (0, 1, 4, 0);
          device->maintenance9 = vtr_device_has_maintenance9 (&info);
          note_imports (vk, device, physicalDevice, &info);
          vtr_opaque_note (vk, device, &opaque);
        }
    }
  free (extensions);
  return result;
}

void
vtr_override_vkDestroyDevice (VtrReplayVk                 *vk,
                              VkDevice                     device,
                              const VkAllocationCallbacks *pAllocator)
{
  VtrTable *table = vtr_device_table (vk, device);
  PFN_vkDestroyDevice destroy;

  (void)pAllocator;
  if (table == NULL)
    return;
  vtr_table_wait (vk, table); /* a lost device is destroyed, too */
  destroy = VTR_CALL (vk, table, vkDestroyDevice);
  vtr_utility_finish (vk, table);
  vtr_table_destroy (vk, table);
  destroy (device, NULL);
}

/* --- Queues ---------------------------------------------------------------------------------- */

static void
note_queue (VtrReplayVk *vk,
            VkDevice     device,
            uint32_t     family,
            VkQueue      queue)
{
  VtrReplayObject *object = vtr_objects_seen (vk, VTR_HANDLE_VkQueue, VTR_HANDLE_BITS (queue),
                                              VTR_HANDLE_BITS (device), 0);

  if (object != NULL)
    object->info.queue_family = family;
}

void
vtr_override_vkGetDeviceQueue (VtrReplayVk *vk,
                               VkDevice     device,
                               uint32_t     queueFamilyIndex,
                               uint32_t     queueIndex,
                               VkQueue     *pQueue)
{
  VtrTable *table = vtr_device_table (vk, device);

  if (table == NULL)
    return;
  VTR_CALL (vk, table, vkGetDeviceQueue)
  (device, queueFamilyIndex, queueIndex, pQueue);
  note_queue (vk, device, queueFamilyIndex, *pQueue);
}

void
vtr_override_vkGetDeviceQueue2 (VtrReplayVk              *vk,
                                VkDevice                  device,
                                const VkDeviceQueueInfo2 *pQueueInfo,
                                VkQueue                  *pQueue)
{
  VtrTable *table = vtr_device_table (vk, device);
  PFN_vkGetDeviceQueue2 get;

  if (table == NULL)
    return;
  get = (PFN_vkGetDeviceQueue2)vtr_table_need (vk, table, VTR_CMD_vkGetDeviceQueue2);
  if (get == NULL)
    return;
  get (device, pQueueInfo, pQueue);
  note_queue (vk, device, pQueueInfo->queueFamilyIndex, *pQueue);
}

/* --- Synchronisation ------------------------------------------------------------------------- */

VkResult
vtr_override_vkGetFenceStatus (VtrReplayVk *vk,
                               VkDevice     device,
                               VkFence      fence)
{
  VtrTable *table = vtr_device_table (vk, device);

  if (table == NULL)
    return VK_ERROR_DEVICE_LOST;
  return vtr_override_vkWaitForFences (vk, device, 1, &fence, VK_TRUE, UINT64_MAX);
}

static void
decline_descriptor (VtrReplayVk *vk)
{
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
               "The trace imports a file of another process, which is not there any more.");
}

VkResult
vtr_override_vkImportFenceFdKHR (VtrReplayVk                  *vk,
                                 VkDevice                      device,
                                 const VkImportFenceFdInfoKHR *pImportFenceFdInfo)
{
  (void)device;
  (void)pImportFenceFdInfo;
  decline_descriptor (vk);
  return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

VkResult
vtr_override_vkImportSemaphoreFdKHR (VtrReplayVk                      *vk,
                                     VkDevice                          device,
                                     const VkImportSemaphoreFdInfoKHR *pImportSemaphoreFdInfo)
{
  (void)device;
  (void)pImportSemaphoreFdInfo;
  decline_descriptor (vk);
  return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

/* Waits like a program that polls. */
uint64_t
vtr_synthetic_wait_event (void           *context,
                          const uint64_t *args)
{
  VtrReplayVk *vk = context;
  VtrTable *table = vtr_table_of (vk, VTR_HANDLE_VkDevice, args[0]);
  const VtrReplayObject *event = vtr_objects_find (vk, VTR_HANDLE_VkEvent, args[1]);
  PFN_vkGetEventStatus get;
  struct timespec pause = { 0, 20000 };
  VkResult result = VK_ERROR_DEVICE_LOST;

  if (table == NULL)
    return 0;
  /* The program saw it in a moment that may be over here: what set it is done when all is that was
   * submitted. */
  if (event != NULL && !event->info.event.set && event->info.event.was_set)
    {
      result = VK_SUCCESS;
      if (vk->n_blocked == 0)
        result = VTR_CALL (vk, table, vkDeviceWaitIdle) (table->device);
      return (uint64_t)(int64_t)(result == VK_SUCCESS ? VK_EVENT_SET : result);
    }
  if (event != NULL && !event->info.event.set)
    {
      vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                   "The trace waits for an event that nothing in it sets.");
      return 0;
    }
  get = VTR_CALL (vk, table, vkGetEventStatus);
  while ((result = get (table->device, VTR_HANDLE_FROM (VkEvent, args[1]))) == VK_EVENT_RESET)
    {
      if (__atomic_load_n (&vk->vm->status->cancel, __ATOMIC_RELAXED) != 0)
        {
          vtr_vm_fail (vk->vm, VTR_VM_ERROR_CANCELLED, "The request was cancelled.");
          break;
        }
      nanosleep (&pause, NULL);
    }
  return (uint64_t)(int64_t)result;
}
