/* The data that is kept about a descriptor set, for the files that follow its contents.
 *
 * Threading: with the lock of vtr-layer-live.h. */
#pragma once

#include "vtr-layer-live-state.h"

typedef struct
{
  uint32_t number;
  VkDescriptorType type;
  uint32_t count; /* bytes of inline uniform blocks */
  bool immutable; /* its samplers are the layout's */
} VtrLayerSetBinding;

/* One descriptor. */
typedef struct
{
  uint64_t order; /* when it was written; 0: never */
  VkDescriptorType type;
  union
  {
    VkDescriptorImageInfo image;
    VkDescriptorBufferInfo buffer;
    VkBufferView view;
    VkAccelerationStructureKHR structure;
    VkAccelerationStructureNV structure_nv;
  };
} VtrLayerSetElement;

typedef struct
{
  VtrLayerSetBinding binding;
  VtrLayerSetElement *elements; /* NULL: nothing was written yet */
  uint8_t *bytes;               /* of inline uniform blocks, all of them */
  uint64_t order;               /* of the bytes */
} VtrLayerSetSlot;

typedef struct
{
  uint64_t order;  /* of the last change */
  uint64_t looker; /* who last looked at it and found nothing, and up to which change */
  uint64_t looked;
  uint32_t n;
  VtrLayerSetSlot slots[];
} VtrLayerSet;
