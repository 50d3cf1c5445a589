/* What the tables cannot know: state of objects, asked from whoever has it. */
#pragma once

#include "vtr-vulkan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum
{
  VTR_NO = 0,
  VTR_YES = 1,
  VTR_UNKNOWN = 2,
} VtrTristate;

typedef struct
{
  const VkDescriptorUpdateTemplateEntry *entries;
  uint32_t n_entries;
} VtrUpdateTemplate;

/**
 * VtrApiEnv:
 *
 * Callbacks by which the walkers learn what depends on object state. Any of them, and the whole
 * environment, may be NULL: then the answer is "unknown". What is unknown is not followed where
 * memory of a live application is read (observe, encode), and is followed where the tree was
 * decoded from observations, since an ignored pointer was not observed and is NULL there.
 * Threading: called on the thread of the walk.
 */
typedef struct
{
  void *data;
  /* The tree is the result of vtr_api_decode() or vtr_api_copy(): follow what is not NULL. */
  bool decoded;
  /* Asked where the rules cannot tell whether a pointer is ignored, and of all pointers behind such
   * a one: whether the bytes can be read without a fault. Absent: such pointers are not followed
   * (unless .decoded). */
  bool (*readable) (void *data,
                    const void *address,
                    size_t size);
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
  /* What text and JSON show of a handle that is not null. Absent: the handle. */
  uint64_t (*shown_handle) (void *data,
                            uint64_t handle);
} VtrApiEnv;
