/* Facts that a structure holds itself, or one in its chain in its place. */
#pragma once

#include "api/vtr-api-walk.h"
#include "vtr-vulkan.h"

/* Descriptors of this many bytes are found in the memory that a program has put them in (replays need
 * that): shorter ones could be any bytes. */
#define VTR_MIN_DESCRIPTOR 16u
#define VTR_MAX_DESCRIPTOR 1024u

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
