/* Images that the host copies bytes into (VK_EXT_host_image_copy). Where the registry does not know
 * this there are none. Threading: any. */
#pragma once

#include "vtr-layer.h"

/* Remembers an image that the host may copy to. */
void vtr_layer_host_copy_created (VtrLayerDevice          *device,
                                  VkImage                  image,
                                  const VkImageCreateInfo *info);
void vtr_layer_host_copy_destroyed (VtrLayerDevice *device,
                                    VkImage         image);

/* Bytes that the driver reads at pHostPointer of a VkMemoryToImageCopy, @element, of the call with the
 * VkCopyMemoryToImageInfo @call. Returns: 0 when that is not known. */
size_t vtr_layer_host_copy_size (VtrLayerDevice *device,
                                 const void     *call,
                                 const void     *element);
