/* What the layer changes in what the application asks for (DESIGN §4), so that replay and inspection are
 * possible. The trace has the application's own parameters.
 *
 * Threading: any. */
#pragma once

#include "base/vtr-arena.h"
#include "vtr-layer.h"

/* A VkDeviceCreateInfo with changed features; the caller's own is not touched. */
typedef struct
{
  VkDeviceCreateInfo info;
  VtrArena arena;      /* of the structures that had to be copied */
  bool address_replay; /* bufferDeviceAddressCaptureReplay was switched on */
} VtrLayerFeatureChange;

void vtr_layer_change_features (VtrLayerFeatureChange    *self,
                                VtrLayerInstance         *instance,
                                VkPhysicalDevice          physical,
                                const VkDeviceCreateInfo *info);
void vtr_layer_change_features_finish (VtrLayerFeatureChange *self);

/* What an allocation is really made with; @arena takes what has to be copied. Returns: whether its
 * address can be asked for again. */
bool vtr_layer_change_allocation (const VtrLayerDevice       *device,
                                  const VkMemoryAllocateInfo *info,
                                  VkMemoryAllocateInfo       *out,
                                  VtrArena                   *arena);

/* The usage that the images of a swapchain for @surface have when the application asks for @usage. */
VkImageUsageFlags vtr_layer_change_swapchain_usage (const VtrLayerDevice *device,
                                                    VkSurfaceKHR          surface,
                                                    VkImageUsageFlags     usage);

/* Adds the opaque address that replay has to ask for to the call under way (extra
 * "vitrine.OpaqueAddress", 8 bytes). */
void vtr_layer_record_memory_address (VtrLayerDevice *device,
                                      VkDeviceMemory  memory);

/* What an image is made with for which the program asked with @info. */
VkImageUsageFlags vtr_layer_change_image_usage (VtrLayerDevice          *device,
                                                const VkImageCreateInfo *info);

/* Sentences about what is changed on @device. */
const char *const *vtr_layer_list_changes (const VtrLayerDevice *device,
                                           size_t               *n);
