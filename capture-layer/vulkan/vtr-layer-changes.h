/* The parameters that the layer changes before a call reaches the driver, so that the trace can
 * be inspected and replayed (docs/design/recording.md). The trace has the program's own
 * parameters.
 *
 * Threading: any. */
#pragma once

#include "base/vtr-arena.h"
#include "vtr-layer.h"

/* Copies the chain at *@next up to and including the structure of @stype into @arena; what follows is shared. Returns:
 * the copy of that structure; NULL, with *@next as it was, when it is not there or something before it is unknown. */
void *vtr_layer_clone_chain_to (VtrArena         *arena,
                                const void      **next,
                                VkStructureType   stype);

/* A VkDeviceCreateInfo with changed features; the caller's own is not touched. */
typedef struct
{
  VkDeviceCreateInfo info;
  VtrArena arena;        /* of the structures that had to be copied */
  bool address_replay;   /* bufferDeviceAddressCaptureReplay was switched on */
  bool structure_replay; /* accelerationStructureCaptureReplay */
  bool group_replay;     /* rayTracingPipelineShaderGroupHandleCaptureReplay */
} VtrLayerFeatureChange;

void vtr_layer_change_features (VtrLayerFeatureChange    *self,
                                VtrLayerInstance         *instance,
                                VkPhysicalDevice          physical,
                                const VkDeviceCreateInfo *info);
/* Reverts the changes, for a driver that fails. Returns: false when there were none. */
bool vtr_layer_change_features_drop (VtrLayerFeatureChange *self);
void vtr_layer_change_features_finish (VtrLayerFeatureChange *self);

/* The parameters with which the layer makes an allocation; @arena holds copies. Returns: whether
 * its address can be requested again. */
bool vtr_layer_change_allocation (const VtrLayerDevice       *device,
                                  const VkMemoryAllocateInfo *info,
                                  VkMemoryAllocateInfo       *out,
                                  VtrArena                   *arena);

/* How much the driver says of a shader group for it to get its handle again; 0: nothing. */
uint32_t vtr_layer_get_group_handle_size (const VtrLayerDevice *device);

/* The usage that the images of a swapchain for @surface have when the application asks for @usage. */
VkImageUsageFlags vtr_layer_change_swapchain_usage (const VtrLayerDevice *device,
                                                    VkSurfaceKHR          surface,
                                                    VkImageUsageFlags     usage);

/* Adds the opaque address that replay has to ask for to the call under way (extra
 * "vitrine.OpaqueAddress", 8 bytes). */
void vtr_layer_record_memory_address (VtrLayerDevice *device,
                                      VkDeviceMemory  memory);

/* The usage with which the layer makes an image that the program requested with @info. */
VkImageUsageFlags vtr_layer_change_image_usage (VtrLayerDevice          *device,
                                                const VkImageCreateInfo *info);

/* A sentence about something that is changed on @device. Returns: NULL after the last. */
const char *vtr_layer_get_change (const VtrLayerDevice *device,
                                  size_t                nth);
