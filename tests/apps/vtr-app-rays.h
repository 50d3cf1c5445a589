/* Functions shared by the test programs that trace rays. */
#pragma once

#include "vtr-app.h"

/* X of every function that they find themselves. */
#define VTR_APP_RAYS_FUNCTIONS(X) \
  X (vkCmdBuildAccelerationStructuresKHR) \
  X (vkCmdCopyAccelerationStructureKHR) \
  X (vkCmdTraceRaysIndirectKHR) \
  X (vkCmdTraceRaysKHR) \
  X (vkCmdWriteAccelerationStructuresPropertiesKHR) \
  X (vkCreateAccelerationStructureKHR) \
  X (vkCreateRayTracingPipelinesKHR) \
  X (vkDestroyAccelerationStructureKHR) \
  X (vkGetAccelerationStructureBuildSizesKHR) \
  X (vkGetAccelerationStructureDeviceAddressKHR) \
  X (vkGetRayTracingShaderGroupHandlesKHR)

typedef struct
{
  VtrAppBuffer buffer;
  VkAccelerationStructureKHR handle;
} VtrAppStructure;

/* An acceleration structure in a buffer of its own, in memory of @properties; not at its beginning.
 * @create: the device's vkCreateAccelerationStructureKHR. */
VtrAppStructure vtr_app_structure (VtrAppGpu                            *gpu,
                                   PFN_vkCreateAccelerationStructureKHR  create,
                                   VkAccelerationStructureTypeKHR        type,
                                   VkDeviceSize                          size,
                                   VkMemoryPropertyFlags                 properties);

/* Like vtr_app_structure (), at the beginning of its buffer, made before that has memory. */
VtrAppStructure vtr_app_structure_early (VtrAppGpu                            *gpu,
                                         PFN_vkCreateAccelerationStructureKHR  create,
                                         VkAccelerationStructureTypeKHR        type,
                                         VkDeviceSize                          size,
                                         VkMemoryPropertyFlags                 properties);
