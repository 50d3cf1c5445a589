#include "vtr-app-rays.h"

VtrAppStructure
vtr_app_structure (VtrAppGpu                            *gpu,
                   PFN_vkCreateAccelerationStructureKHR  create,
                   VkAccelerationStructureTypeKHR        type,
                   VkDeviceSize                          size,
                   VkMemoryPropertyFlags                 properties)
{
  VkAccelerationStructureCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
    .offset = 256,
    .size = size,
    .type = type,
  };
  VtrAppStructure structure;

  structure.buffer = vtr_app_buffer (gpu, info.offset + size,
                                     VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                                       VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                                     properties);
  info.buffer = structure.buffer.buffer;
  vtr_app_check (create (gpu->device, &info, NULL, &structure.handle),
                 "vkCreateAccelerationStructureKHR");
  return structure;
}
