/* What the reader and the writer of single samples make alike. Threading: as vtr-vulkan-samples.h. */
#pragma once

#include "vtr-vulkan-samples.h"

VkResult vtr_samples_make_view (VtrSamplesObjects    *self,
                                const VtrSamplesPart *part,
                                VkImageAspectFlags    aspects);

/* An image with one sample and @part's format, its memory and its view. */
VkResult vtr_samples_make_single (VtrSamplesObjects    *self,
                                  const VtrSamplesPart *part,
                                  uint32_t              width,
                                  uint32_t              height,
                                  VkImageUsageFlags     usage);

/* The layouts and the set: @image at binding 0, and (@range above 0) so many bytes of @buffer at binding 1,
 * with a dynamic offset. @n_constants: bytes. */
VkResult vtr_samples_make_set (VtrSamplesObjects           *self,
                               VkShaderStageFlags           stage,
                               uint32_t                     n_constants,
                               const VkDescriptorImageInfo *image,
                               VkBuffer                     buffer,
                               VkDeviceSize                 range);

/* Destroys what was made, and forgets it. */
void vtr_samples_destroy (VtrSamplesObjects *self);
