/* The resources that the shaders of a command buffer may write to although no command names
 * them: through bound descriptor sets and through pushed descriptors.
 *
 * Collected while a command buffer is recorded, by every command that can name a descriptor set
 * or a descriptor (gen/emit_trampolines.py finds them in the registry). Used where a recording
 * can begin at any frame: to copy contents before a submission changes them (vtr-layer-late.h),
 * and to know at the start of the recording what the last frames wrote to.
 *
 * Threading: with its owner. */
#pragma once

#include "api/vtr-api-ids.h"
#include "vulkan/vtr-vulkan.h"

#include <stddef.h>
#include <stdint.h>

/* A handle of a VkDescriptorSet, VkImageView, VkBufferView or VkBuffer. */
typedef struct
{
  uint64_t handle;
  VtrHandleId type; /* VTR_VULKAN_N_HANDLES: anything may be written to */
} VtrLayerReached;

#define VTR_LAYER_REACH_RECENT 64u /* a power of two */

typedef struct
{
  VtrLayerReached *items;
  size_t n;
  size_t n_allocated;
  uint32_t recent[VTR_LAYER_REACH_RECENT]; /* places of the last items, from 1, so that few are listed twice */
} VtrLayerReach;

typedef struct VtrLayerCommandBuffer VtrLayerCommandBuffer;

void vtr_layer_reach_clear (VtrLayerReach *self);
void vtr_layer_reach_finish (VtrLayerReach *self);

/* Adds all that @from has. Without memory vtr_layer_live_fail() says so, as for everything else here. */
void vtr_layer_reach_append (VtrLayerReach       *self,
                             const VtrLayerReach *from);

/* Adds what @cmd (canonical) binds or pushes. */
void vtr_layer_note_descriptors (VtrLayerCommandBuffer *self,
                                 VtrCmdId               cmd,
                                 const void            *args);
