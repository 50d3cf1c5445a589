/* What Vulkan's rules ask about objects: the type of VtrApiEnv.state in walks over calls of Vulkan. */
#pragma once

#include "api/vtr-api-env.h"
#include "vulkan/vtr-vulkan.h"

typedef struct
{
  const VkDescriptorUpdateTemplateEntry *entries;
  uint32_t n_entries;
} VtrUpdateTemplate;

/**
 * VtrVulkanEnv:
 *
 * Questions about objects; all get VtrApiEnv.data. Any may be NULL: then the answer is "unknown".
 * Threading: called on the thread of the walk.
 */
typedef struct
{
  /* VTR_YES: secondary. */
  VtrTristate (*is_secondary) (void *data,
                               VkCommandBuffer command_buffer);
  /* Returns: false when the template is unknown. */
  bool (*update_template) (void *data,
                           VkDescriptorUpdateTemplate handle,
                           VtrUpdateTemplate *out);
  /* Whether the render pass's subpass has (colour, depth or stencil) attachments. */
  VtrTristate (*subpass_has_color) (void *data,
                                    VkRenderPass render_pass,
                                    uint32_t subpass);
  VtrTristate (*subpass_has_depth_stencil) (void *data,
                                            VkRenderPass render_pass,
                                            uint32_t subpass);
  /* Bytes of the opaque capture data of buffers, images, views, samplers, acceleration structures
   * (VkPhysicalDeviceDescriptorBufferPropertiesEXT); @object_type is a VkObjectType. 0: unknown. */
  size_t (*capture_data_size) (void *data,
                               uint32_t object_type);
  /* Bytes at pHostPointer of @region, a VkMemoryToImageCopy, in a call with @info, a
   * VkCopyMemoryToImageInfo. 0: unknown. */
  size_t (*host_copy_size) (void *data,
                            const void *info,
                            const void *region);
} VtrVulkanEnv;
