/* Creates instances and devices, and links them into the loader's chain of layers. Threading:
 * any. */
#pragma once

#include "vtr-layer.h"

VKAPI_ATTR VkResult VKAPI_CALL vtr_layer_CreateInstance (const VkInstanceCreateInfo  *pCreateInfo,
                                                         const VkAllocationCallbacks *pAllocator,
                                                         VkInstance                  *pInstance);

/* @next without the structures that the loader puts in front of the application's own. */
const void *vtr_layer_skip_loader_structs (const void *next);

/* Copies @n strings one after the other, each with its NUL, one more NUL at the end. NULL without
 * memory. */
char *vtr_layer_dup_strings (uint32_t           n,
                             const char *const *strings);

/* The queries with a chain, as far as the application itself may use them. Returns: NULL when it may
 * not: we keep to the version and the extensions that it has asked for. */
PFN_vkGetPhysicalDeviceFeatures2 vtr_layer_get_features2 (const VtrLayerInstance *instance,
                                                          VkPhysicalDevice        physical);
PFN_vkGetPhysicalDeviceProperties2 vtr_layer_get_properties2 (const VtrLayerInstance *instance,
                                                              VkPhysicalDevice        physical);

/* Records vitrine.DeviceInfo of a device that was just made. */
void vtr_layer_record_device_info (VtrLayerDevice           *device,
                                   const VkDeviceCreateInfo *create_info);
