/* Descriptors in a buffer, for vtr-app-demo-stored. */
#pragma once

#include "vtr-app-demo.h"

typedef struct
{
  VtrAppBuffer buffer;
  VkDeviceAddress address;
  PFN_vkCmdBindDescriptorBuffersEXT bind;
  PFN_vkCmdSetDescriptorBufferOffsetsEXT set_offsets;
} VtrAppStoredBuffer;

/* A buffer with the descriptors of a set of @layout: a storage image at binding 0, a storage buffer at 1, a storage
 * texel buffer of R32_UINT at 2. */
void vtr_app_stored_buffer (VtrAppDemo            *demo,
                            VkDescriptorSetLayout  layout,
                            VkDescriptorImageInfo  image,
                            const VtrAppBuffer    *numbers,
                            const VtrAppBuffer    *texels,
                            VtrAppStoredBuffer    *out);

/* Binds it as set 0 of @layout, for compute. */
void vtr_app_stored_buffer_bind (const VtrAppStoredBuffer *self,
                                 VkCommandBuffer           commands,
                                 VkPipelineLayout          layout);
