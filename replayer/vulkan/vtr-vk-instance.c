/* Creates instances with the layers and extensions that the captured program asked for and this
 * loader has. */
#include "vtr-overrides.h"
#include "vtr-vk-offers.h"

#include <stdio.h>
#include <stdlib.h>

/* Callbacks and libraries of the captured program. */
static const VkStructureType foreign[] = {
  VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
  VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT,
  VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG,
};

/* Names to pass on. The strings are the payload's, the driver's or constants. */
typedef struct
{
  const char **names;
  uint32_t n;
} Names;

static bool
names_init (Names    *self,
            uint32_t  most)
{
  self->n = 0;
  self->names = most > 4096 ? NULL : calloc (most + 1, sizeof *self->names);
  return self->names != NULL;
}

static bool
names_have (const Names *self,
            const char  *name)
{
  for (uint32_t i = 0; i < self->n; i++)
    if (strcmp (self->names[i], name) == 0)
      return true;
  return false;
}

bool
vtr_replay_vk_has_names (VtrReplayVk        *vk,
                         uint32_t            n,
                         const char  *const *names)
{
  if (!vtr_replay_vk_has (vk, n, names, "names"))
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (!vtr_replay_vk_has (vk, 1, names[i], "a name"))
      return false;
  return true;
}

/* --- Creating -------------------------------------------------------------------------------- */

#define VALIDATION "VK_LAYER_KHRONOS_validation"

static void
choose_layers (VtrReplayVk                *vk,
               const VkInstanceCreateInfo *info,
               Names                      *layers)
{
  if ((vk->flags & VTR_REPLAY_VALIDATE) != 0)
    {
      if (vtr_offers_layer (vk, VALIDATION))
        layers->names[layers->n++] = VALIDATION;
      else
        vtr_vm_fail (vk->vm, VTR_VM_ERROR_UNSUPPORTED,
                     "%s is not installed (Debian: vulkan-validationlayers).", VALIDATION);
    }
  for (uint32_t i = 0; i < info->enabledLayerCount; i++)
    {
      const char *name = info->ppEnabledLayerNames[i];

      /* Validation costs more than the calls, so it runs only in a validated replay. */
      if (strcmp (name, VALIDATION) == 0)
        continue;
      if (vtr_offers_layer (vk, name))
        layers->names[layers->n++] = name;
      else
        vtr_replay_vk_message (vk, VTR_LOG_INFO, "Layer %s is not installed; left out.", name);
    }
}

static void
choose_extensions (VtrReplayVk                *vk,
                   const VkInstanceCreateInfo *info,
                   const Names                *layers,
                   Names                      *extensions)
{
  static const char *const ours[] = { VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                      VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME };

  for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
    {
      const char *name = info->ppEnabledExtensionNames[i];

      if (vtr_offers_extension (vk, layers->names, layers->n, name))
        extensions->names[extensions->n++] = name;
      else
        vtr_replay_vk_message (vk, VTR_LOG_INFO, "Instance extension %s is not offered; left out.",
                               name);
    }
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (!names_have (extensions, ours[i]) &&
        vtr_offers_extension (vk, layers->names, layers->n, ours[i]))
      extensions->names[extensions->n++] = ours[i];
}

static const VkDebugUtilsMessengerCreateInfoEXT *
messenger_info (VtrReplayVk *vk)
{
  static VkDebugUtilsMessengerCreateInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                   VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
    .pfnUserCallback = vtr_replay_vk_debug,
  };

  info.pUserData = vk;
  return &info;
}

static void
note_physical_devices (VtrReplayVk *vk,
                       VtrTable    *table)
{
  PFN_vkEnumeratePhysicalDevices enumerate = VTR_CALL (vk, table, vkEnumeratePhysicalDevices);
  VkPhysicalDevice devices[64];
  uint32_t n = sizeof devices / sizeof *devices;

  if (enumerate (table->instance, &n, devices) < 0)
    return;
  for (uint32_t i = 0; i < n; i++)
    vtr_objects_seen (vk, VTR_HANDLE_VkPhysicalDevice, VTR_HANDLE_BITS (devices[i]),
                      VTR_HANDLE_BITS (table->instance), 0);
}

static void
note_instance (VtrReplayVk                *vk,
               VtrParkedInstance          *parked,
               const VkInstanceCreateInfo *info)
{
  VtrTable *table = vtr_table_create (vk);
  VtrReplayObject *object =
    vtr_objects_created (vk, VTR_HANDLE_VkInstance, VTR_HANDLE_BITS (parked->instance), 0, 0);

  if (table == NULL || object == NULL)
    return;
  object->table = table;
  table->parked = parked;
  table->instance = parked->instance;
  table->api_version = VK_API_VERSION_1_0;
  if (info->pApplicationInfo != NULL && info->pApplicationInfo->apiVersion != 0)
    table->api_version = info->pApplicationInfo->apiVersion;
  note_physical_devices (vk, table);
}

/* An instance from @info, or the parked one. Our own messenger hears it from its creation on. */
static VtrParkedInstance *
make_instance (VtrReplayVk                *vk,
               const VkInstanceCreateInfo *info,
               bool                        debug,
               VkResult                   *result)
{
  PFN_vkCreateInstance create =
    (PFN_vkCreateInstance)vtr_thunk_find_global (vk, VTR_CMD_vkCreateInstance);
  VtrParkedInstance *parked = vtr_parked_instance_take (vk, info);
  VkDebugUtilsMessengerCreateInfoEXT messenger = *messenger_info (vk);
  VkInstanceCreateInfo with_messenger = *info;
  PFN_vkCreateDebugUtilsMessengerEXT create_messenger;
  VkInstance instance;

  *result = VK_SUCCESS;
  if (parked != NULL || create == NULL)
    return parked;
  if (debug)
    {
      messenger.pNext = info->pNext;
      with_messenger.pNext = &messenger;
    }
  *result = create (&with_messenger, NULL, &instance);
  if (*result < 0)
    return NULL;
  vtr_describer_close (vk); /* the new one keeps the drivers loaded */
  parked = vtr_parked_instance_new (info, instance);
  create_messenger = (PFN_vkCreateDebugUtilsMessengerEXT)vk->get_instance_proc_addr (
    instance, "vkCreateDebugUtilsMessengerEXT");
  if (parked == NULL)
    *result = VK_ERROR_OUT_OF_HOST_MEMORY;
  else if (debug && create_messenger != NULL)
    create_messenger (instance, messenger_info (vk), NULL, &parked->messenger);
  return parked;
}

VkResult
vtr_override_vkCreateInstance (VtrReplayVk                 *vk,
                               const VkInstanceCreateInfo  *pCreateInfo,
                               const VkAllocationCallbacks *pAllocator,
                               VkInstance                  *pInstance)
{
  VkInstanceCreateInfo info = *pCreateInfo;
  Names layers = { 0 }, extensions = { 0 };
  VtrParkedInstance *parked;
  VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;

  (void)pAllocator;
  if (!vtr_replay_vk_load (vk) || vtr_replay_vk_output (vk, pInstance, sizeof *pInstance) == NULL)
    return VK_ERROR_INITIALIZATION_FAILED;
  if (!vtr_replay_vk_has_names (vk, info.enabledLayerCount, info.ppEnabledLayerNames) ||
      !vtr_replay_vk_has_names (vk, info.enabledExtensionCount, info.ppEnabledExtensionNames))
    return VK_ERROR_INITIALIZATION_FAILED;
  if (!names_init (&layers, info.enabledLayerCount + 1) ||
      !names_init (&extensions, info.enabledExtensionCount + 2))
    goto out;

  choose_layers (vk, &info, &layers);
  if (vk->vm->error.code != VTR_VM_FINE)
    goto out;
  choose_extensions (vk, &info, &layers, &extensions);
  vtr_chain_remove (&info.pNext, foreign, sizeof foreign / sizeof *foreign);
  info.enabledLayerCount = layers.n;
  info.ppEnabledLayerNames = layers.names;
  info.enabledExtensionCount = extensions.n;
  info.ppEnabledExtensionNames = extensions.names;
  parked = make_instance (vk, &info, names_have (&extensions, VK_EXT_DEBUG_UTILS_EXTENSION_NAME),
                          &result);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_DRIVER, "There is no Vulkan driver that can run the trace.");
  if (parked != NULL)
    {
      *pInstance = parked->instance;
      note_instance (vk, parked, pCreateInfo);
    }

out:
  free (layers.names);
  free (extensions.names);
  return result;
}

void
vtr_override_vkDestroyInstance (VtrReplayVk                 *vk,
                                VkInstance                   instance,
                                const VkAllocationCallbacks *pAllocator)
{
  VtrTable *table = vtr_table_of (vk, VTR_HANDLE_VkInstance, VTR_HANDLE_BITS (instance));
  VtrParkedInstance *parked;
  bool clean = true;

  (void)pAllocator;
  if (table == NULL)
    return;
  parked = table->parked;
  for (VtrTable *device = vk->tables, *next; device != NULL; device = next)
    {
      next = device->next;
      if (device->parent != table)
        continue;
      vtr_table_destroy (vk, device);
      clean = false;
    }
  vtr_table_destroy (vk, table);
  if (clean)
    vtr_parked_instance_park (vk, parked);
  else
    vtr_parked_instance_destroy (vk, parked);
}

/* --- The device to use ----------------------------------------------------------------------- */

/* How well a device fits: the named one, the captured one, one of its name, one at its place. */
static unsigned
device_score (const VtrReplayVk                *vk,
              const VkPhysicalDeviceProperties *properties,
              const uint64_t                   *args,
              uint32_t                          place)
{
  const char *name =
    vtr_vm_memory_resolve (&vk->vm->memory, VTR_VM_ABSOLUTE, args[4], 1, VTR_VM_READ);

  if (vk->driver[0] != '\0')
    return strcmp (properties->deviceName, vk->driver) == 0 ? 8 : 0;
  if (properties->vendorID == (uint32_t)args[1] && properties->deviceID == (uint32_t)args[2])
    /* Several alike: the one at the captured place. */
    return place == (uint32_t)args[3] ? 6 : 5;
  if (name != NULL && strncmp (properties->deviceName, name, VK_MAX_PHYSICAL_DEVICE_NAME_SIZE) == 0)
    return 4;
  return place == (uint32_t)args[3] ? 3 : 2;
}

uint64_t
vtr_synthetic_get_physical_device (void           *context,
                                   const uint64_t *args)
{
  VtrReplayVk *vk = context;
  VtrTable *table = vtr_table_of (vk, VTR_HANDLE_VkInstance, args[0]);
  VkPhysicalDevice devices[64];
  VkPhysicalDevice *out =
    vtr_replay_vk_output (vk, (const void *)(uintptr_t)args[5], sizeof *out);
  uint32_t n = sizeof devices / sizeof *devices;
  unsigned best = 0;
  VkResult result;

  if (table == NULL || out == NULL)
    return 0;
  result = VTR_CALL (vk, table, vkEnumeratePhysicalDevices) (table->instance, &n, devices);
  if (result < 0)
    {
      vtr_replay_vk_failed (vk, "vkEnumeratePhysicalDevices", result);
      return 0;
    }
  for (uint32_t i = 0; i < n; i++)
    {
      VkPhysicalDeviceProperties properties;
      unsigned score;

      VTR_CALL (vk, table, vkGetPhysicalDeviceProperties)
      (devices[i], &properties);
      score = device_score (vk, &properties, args, i);
      if (score <= best)
        continue;
      best = score;
      *out = devices[i];
      vtr_objects_seen (vk, VTR_HANDLE_VkPhysicalDevice, VTR_HANDLE_BITS (devices[i]), args[0], 0);
    }
  if (n == 0)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_DRIVER, "No Vulkan driver offers a device.");
  else if (best == 0)
    vtr_vm_fail (vk->vm, VTR_VM_ERROR_DRIVER, "There is no device named %s.", vk->driver);
  else if (best < 4)
    vtr_replay_vk_message (vk, VTR_LOG_WARNING,
                           "The captured device is not here; the replay may differ.");
  return 0;
}

/* --- Messages -------------------------------------------------------------------------------- */

/* Our own messenger hears everything; the application's exists so that it can be destroyed. */
VkResult
vtr_override_vkCreateDebugUtilsMessengerEXT (VtrReplayVk                              *vk,
                                             VkInstance                                instance,
                                             const VkDebugUtilsMessengerCreateInfoEXT *pCreateInfo,
                                             const VkAllocationCallbacks              *pAllocator,
                                             VkDebugUtilsMessengerEXT                 *pMessenger)
{
  (void)instance;
  (void)pCreateInfo;
  (void)pAllocator;
  vtr_objects_fake (vk, (uintptr_t)pMessenger);
  return VK_SUCCESS;
}

VkResult
vtr_override_vkCreateDebugReportCallbackEXT (VtrReplayVk                              *vk,
                                             VkInstance                                instance,
                                             const VkDebugReportCallbackCreateInfoEXT *pCreateInfo,
                                             const VkAllocationCallbacks              *pAllocator,
                                             VkDebugReportCallbackEXT                 *pCallback)
{
  (void)instance;
  (void)pCreateInfo;
  (void)pAllocator;
  vtr_objects_fake (vk, (uintptr_t)pCallback);
  return VK_SUCCESS;
}

void
vtr_override_vkDestroyDebugUtilsMessengerEXT (VtrReplayVk                 *vk,
                                              VkInstance                   instance,
                                              VkDebugUtilsMessengerEXT     messenger,
                                              const VkAllocationCallbacks *pAllocator)
{
  (void)vk;
  (void)instance;
  (void)messenger;
  (void)pAllocator;
}

void
vtr_override_vkDestroyDebugReportCallbackEXT (VtrReplayVk                 *vk,
                                              VkInstance                   instance,
                                              VkDebugReportCallbackEXT     callback,
                                              const VkAllocationCallbacks *pAllocator)
{
  (void)vk;
  (void)instance;
  (void)callback;
  (void)pAllocator;
}

PFN_vkVoidFunction
vtr_override_vkGetInstanceProcAddr (VtrReplayVk *vk,
                                    VkInstance   instance,
                                    const char  *pName)
{
  (void)vk;
  (void)instance;
  (void)pName;
  return NULL;
}

PFN_vkVoidFunction
vtr_override_vkGetDeviceProcAddr (VtrReplayVk *vk,
                                  VkDevice     device,
                                  const char  *pName)
{
  (void)vk;
  (void)device;
  (void)pName;
  return NULL;
}
