/* The functions by which the loader and the program find the layer's other functions.
 *
 * Threading: any. */
#pragma once

#include <vulkan/vk_layer.h>

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vtr_layer_GetInstanceProcAddr (VkInstance  instance,
                                                                        const char *pName);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vtr_layer_GetDeviceProcAddr (VkDevice    device,
                                                                      const char *pName);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vtr_layer_GetPhysicalDeviceProcAddr (VkInstance  instance,
                                                                              const char *pName);
