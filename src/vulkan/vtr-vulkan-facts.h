/* Facts that a structure holds itself, or one in its chain in its place. */
#pragma once

#include "api/vtr-api-walk.h"
#include "vulkan/vtr-vulkan.h"

#include <stdbool.h>
#include <string.h>

/* Descriptors of this many bytes are found in the memory that a program has put them in (replays need
 * that): shorter ones could be any bytes. */
#define VTR_MIN_DESCRIPTOR 16u
#define VTR_MAX_DESCRIPTOR 1024u

/* Whether descriptors of acceleration structures that have @size bytes are found in memory. Where they
 * are as long as an address, drivers give the structure's address (and so do replays, for any other
 * address in memory). */
static inline bool
vtr_descriptor_finds_structures (size_t size)
{
  return size == sizeof (VkDeviceAddress) ||
         (size >= VTR_MIN_DESCRIPTOR && size <= VTR_MAX_DESCRIPTOR);
}

#ifdef VK_EXT_descriptor_buffer
/* Whether the descriptor of @size bytes at @descriptor, which was asked for with @info, is nothing but
 * the address of the acceleration structure. */
static inline bool
vtr_descriptor_is_address (const VkDescriptorGetInfoEXT *info,
                           const void                   *descriptor,
                           size_t                        size)
{
  return info->type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR &&
         size == sizeof info->data.accelerationStructure &&
         memcmp (descriptor, &info->data.accelerationStructure, size) == 0;
}
#endif

/* What a buffer is used for. */
static inline uint64_t
vtr_buffer_get_usage (const VkBufferCreateInfo *info)
{
#ifdef VK_KHR_maintenance5
  const VkBufferUsageFlags2CreateInfoKHR *wide =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);

  if (wide != NULL)
    return wide->usage;
#endif
  return info->usage;
}

/* The flags of a pipeline with this @next and .flags. */
static inline uint64_t
vtr_pipeline_get_flags (const void            *next,
                        VkPipelineCreateFlags  flags)
{
#ifdef VK_KHR_maintenance5
  const VkPipelineCreateFlags2CreateInfoKHR *wide =
    vtr_api_find_next (next, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);

  if (wide != NULL)
    return wide->flags;
#else
  (void)next;
#endif
  return flags;
}

/* Whether a device that is made so has the feature maintenance9. */
static inline bool
vtr_device_has_maintenance9 (const VkDeviceCreateInfo *info)
{
#ifdef VK_KHR_maintenance9
  const VkPhysicalDeviceMaintenance9FeaturesKHR *features = vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR);

  return features != NULL && features->maintenance9;
#else
  (void)info;
  return false;
#endif
}

/* Whether an image has a layout for each slice on a device with maintenance9: ranges of barriers then
 * name slices in the place of layers. */
static inline bool
vtr_image_has_slice_layouts (VkImageType        type,
                             VkImageCreateFlags flags)
{
  return type == VK_IMAGE_TYPE_3D && (flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT) != 0;
}

/* Whether the queries of a pool can be used as soon as the pool is made (VK_KHR_maintenance9). */
static inline bool
vtr_query_pool_begins_reset (const VkQueryPoolCreateInfo *info)
{
#ifdef VK_KHR_maintenance9
  return (info->flags & VK_QUERY_POOL_CREATE_RESET_BIT_KHR) != 0;
#else
  (void)info;
  return false;
#endif
}

/* Whether vkCmdSetEvent2 says nothing but which stages come before; the wait says the rest (VK_KHR_maintenance9). */
static inline bool
vtr_dependency_is_asymmetric (const VkDependencyInfo *info)
{
#ifdef VK_KHR_maintenance9
  return (info->dependencyFlags & VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR) != 0;
#else
  (void)info;
  return false;
#endif
}

/* The type of handle that a descriptor names which shaders can write through. VTR_HANDLE_NONE: they only read
 * through it. VTR_VULKAN_N_HANDLES: the type of descriptor is not known. */
static inline VtrHandleId
vtr_descriptor_get_written (VkDescriptorType type)
{
  switch (type)
    {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
    case VK_DESCRIPTOR_TYPE_SAMPLE_WEIGHT_IMAGE_QCOM:
    case VK_DESCRIPTOR_TYPE_BLOCK_MATCH_IMAGE_QCOM:
      return VTR_HANDLE_NONE;
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      return VTR_HANDLE_VkImageView;
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return VTR_HANDLE_VkBufferView;
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      return VTR_HANDLE_VkBuffer;
    default:
      return VTR_VULKAN_N_HANDLES;
    }
}
