/* The effects of a command buffer on the state that the layer tracks: collected while the
 * command buffer is recorded, and applied each time it is submitted.
 *
 * Threading: with its command buffer. */
#pragma once

#include "vulkan/vtr-vulkan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

void vtr_layer_effects_clear (VtrLayerEffects *self);
void vtr_layer_effects_finish (VtrLayerEffects *self);
