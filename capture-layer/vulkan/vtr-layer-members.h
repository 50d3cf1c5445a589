/* Structures that are members of the objects of vtr-layer.h. The functions are in vtr-layer-effects.h,
 * vtr-layer-reach.h, vtr-layer-readback.h and vtr-layer-staging.h, and know the objects.
 *
 * Threading: with the object that holds it. */
#pragma once

#include "api/vtr-api-ids.h"
#include "vulkan/vtr-vulkan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- What a command buffer changes of the state that the layer follows ---- */

/* How an event was set by the device. */
typedef enum
{
  VTR_LAYER_EVENT_RESET = 0,
  VTR_LAYER_EVENT_SET,            /* vkCmdSetEvent */
  VTR_LAYER_EVENT_SET_2,          /* vkCmdSetEvent2 */
  VTR_LAYER_EVENT_SET_ASYMMETRIC, /* vkCmdSetEvent2 with VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR */
} VtrLayerEventSet;

typedef enum
{
  VTR_LAYER_EFFECT_IMAGE,        /* layout (and owner) of a part of an image */
  VTR_LAYER_EFFECT_BUFFER_OWNER, /* which queue family a buffer belongs to */
  VTR_LAYER_EFFECT_EVENT,        /* .layout: a VtrLayerEventSet */
  VTR_LAYER_EFFECT_QUERIES,      /* queries of a pool were reset */
  VTR_LAYER_EFFECT_BUILT,        /* an acceleration structure holds something else */
} VtrLayerEffectKind;

typedef struct
{
  uint64_t handle; /* of the image, buffer, event, pool or structure */
  VtrLayerEffectKind kind;
  VkImageLayout layout;
  uint32_t owner;               /* VK_QUEUE_FAMILY_IGNORED: as before */
  VkPipelineStageFlags2 stages; /* after which an event is set */
  VkImageSubresourceRange range;
} VtrLayerEffect;

typedef struct
{
  VtrLayerEffect *items;
  size_t n;
  size_t n_allocated;
} VtrLayerEffects;

/* ---- What its shaders may write to ---- */

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

/* ---- A buffer that the GPU writes to and the CPU reads, with its own memory, which stays mapped ---- */

#define VTR_LAYER_READBACK_FAMILIES 16u

/* Zero-initialised there is none. */
typedef struct
{
  VkBuffer buffer;
  VkDeviceMemory memory;
  uint8_t *bytes; /* NULL: there is none */
  bool coherent;
  uint32_t families[VTR_LAYER_READBACK_FAMILIES]; /* of the queues that may write to it, each once */
  uint32_t n_families;
} VtrLayerReadback;

/* ---- The one that a device keeps for copying contents ---- */

/* Zero-initialised there is none. */
typedef struct
{
  VtrLayerReadback readback;
  uint64_t populated; /* bytes, from the beginning */
} VtrLayerStaging;
