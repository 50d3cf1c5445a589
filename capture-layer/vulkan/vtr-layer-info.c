/* Writes vitrine.DeviceInfo: what a replay has to know about the captured device. */
#include "vtr-layer-changes.h"
#include "vtr-layer-hidden.h"
#include "vtr-layer-instance.h"
#include "vtr-layer-live.h"

#include "wire/vtr-trace-objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
put_bytes (VtrBuffer  *to,
           unsigned    field,
           const void *data,
           size_t      size)
{
  vtr_buffer_append_varint (to, field << 3 | 2);
  vtr_buffer_append_varint (to, size);
  vtr_buffer_append (to, data, size);
}

static void
put_string (VtrBuffer  *to,
            unsigned    field,
            const char *text)
{
  put_bytes (to, field, text, strlen (text));
}

static void
put_fixed64 (VtrBuffer *to,
             unsigned   field,
             uint64_t   value)
{
  vtr_buffer_append_varint (to, field << 3 | 1);
  vtr_buffer_append_u64 (to, value);
}

static void
put_queue_families (VtrBuffer            *to,
                    const VtrLayerDevice *device)
{
  const VtrInstanceDispatch *next = &device->instance->next;
  VkQueueFamilyProperties *families;
  uint32_t n = 0;

  next->GetPhysicalDeviceQueueFamilyProperties (device->physical, &n, NULL);
  families = calloc (n + 1, sizeof *families);
  if (families == NULL)
    return;
  next->GetPhysicalDeviceQueueFamilyProperties (device->physical, &n, families);
  put_bytes (to, VTR_DEVICE_INFO_QUEUE_FAMILIES, families, n * sizeof *families);
  free (families);
}

static void
put_driver (VtrBuffer            *to,
            const VtrLayerDevice *device)
{
  VkPhysicalDeviceDriverProperties driver = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
  };
  VkPhysicalDeviceProperties2 all = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &driver,
  };
  PFN_vkGetPhysicalDeviceProperties2 get_properties =
    vtr_layer_get_properties2 (device->instance, device->physical);

  if (get_properties != NULL)
    get_properties (device->physical, &all);
  put_string (to, VTR_DEVICE_INFO_DRIVER_NAME, driver.driverName);
  put_string (to, VTR_DEVICE_INFO_DRIVER_INFO, driver.driverInfo);
}

static void
put_enabled (VtrBuffer                *to,
             const VkDeviceCreateInfo *info)
{
  const VkPhysicalDeviceFeatures2 *features =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);

  if (features != NULL)
    put_bytes (to, VTR_DEVICE_INFO_FEATURES, &features->features, sizeof features->features);
  else if (info->pEnabledFeatures != NULL)
    put_bytes (to, VTR_DEVICE_INFO_FEATURES, info->pEnabledFeatures,
               sizeof *info->pEnabledFeatures);
  for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
    put_string (to, VTR_DEVICE_INFO_EXTENSION, info->ppEnabledExtensionNames[i]);
}

static void
put_hidden (VtrBuffer            *to,
            const VtrLayerDevice *device)
{
  const VtrInstanceDispatch *next = &device->instance->next;
  VkExtensionProperties *all;
  uint32_t n = 0;

  if (next->EnumerateDeviceExtensionProperties (device->physical, NULL, &n, NULL) < 0)
    return;
  all = calloc (n + 1, sizeof *all);
  if (all == NULL)
    return;
  if (next->EnumerateDeviceExtensionProperties (device->physical, NULL, &n, all) >= 0)
    for (uint32_t i = 0; i < n; i++)
      if (vtr_layer_hides_extension (device->instance, device->physical, all[i].extensionName))
        put_string (to, VTR_DEVICE_INFO_HIDDEN_EXTENSION, all[i].extensionName);
  free (all);
}

static void
put_changes (VtrBuffer            *to,
             const VtrLayerDevice *device)
{
  const char *change;
  char fact[256];
  char tracker[300];

  for (size_t i = 0; (change = vtr_layer_get_change (device, i)) != NULL; i++)
    put_string (to, VTR_DEVICE_INFO_CHANGE, change);
  for (uint32_t type = 0; type < device->memory.properties.memoryTypeCount; type++)
    if (vtr_layer_memory_describe (&device->memory, type, fact, sizeof fact))
      {
        snprintf (tracker, sizeof tracker, "memory type %" PRIu32 ": %s", type, fact);
        put_string (to, VTR_DEVICE_INFO_TRACKER, tracker);
      }
}

void
vtr_layer_record_device_info (VtrLayerDevice           *device,
                              const VkDeviceCreateInfo *create_info)
{
  const VtrInstanceDispatch *next = &device->instance->next;
  VkPhysicalDeviceProperties properties;
  VtrBuffer message = { 0 };

  if (!vtr_layer_is_encoding ())
    return;
  next->GetPhysicalDeviceProperties (device->physical, &properties);
  put_fixed64 (&message, VTR_DEVICE_INFO_DEVICE, (uint64_t)(uintptr_t)device->handle);
  put_fixed64 (&message, VTR_DEVICE_INFO_PHYSICAL_DEVICE, (uint64_t)(uintptr_t)device->physical);
  put_bytes (&message, VTR_DEVICE_INFO_PROPERTIES, &properties, sizeof properties);
  put_bytes (&message, VTR_DEVICE_INFO_MEMORY, &device->memory.properties,
             sizeof device->memory.properties);
  put_queue_families (&message, device);
  put_driver (&message, device);
  put_enabled (&message, create_info);
  put_changes (&message, device);
  put_hidden (&message, device);
  if (!message.failed)
    {
      vtr_layer_record_info ("vitrine.DeviceInfo", message.data, message.size);
      vtr_layer_live_add_info (device, "vitrine.DeviceInfo", message.data, message.size);
    }
  vtr_buffer_finish (&message);
}
