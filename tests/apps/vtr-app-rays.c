/* Creates acceleration structures, for the test programs that trace rays. */
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

VtrAppStructure
vtr_app_structure_early (VtrAppGpu                            *gpu,
                         PFN_vkCreateAccelerationStructureKHR  create,
                         VkAccelerationStructureTypeKHR        type,
                         VkDeviceSize                          size,
                         VkMemoryPropertyFlags                 properties)
{
  const VkBufferCreateInfo buffer = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = size,
    .usage = VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
             VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
  };
  const VkMemoryAllocateFlagsInfo addresses = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  VkAccelerationStructureCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
    .size = size,
    .type = type,
  };
  VtrAppStructure structure = { .buffer.size = size };
  VkMemoryRequirements requirements;

  vtr_app_check (vkCreateBuffer (gpu->device, &buffer, NULL, &structure.buffer.buffer),
                 "vkCreateBuffer");
  info.buffer = structure.buffer.buffer;
  vtr_app_check (create (gpu->device, &info, NULL, &structure.handle),
                 "vkCreateAccelerationStructureKHR");
  vkGetBufferMemoryRequirements (gpu->device, info.buffer, &requirements);
  structure.buffer.memory = vtr_app_allocate_with (gpu, &requirements, properties, &addresses);
  vtr_app_check (vkBindBufferMemory (gpu->device, info.buffer, structure.buffer.memory, 0),
                 "vkBindBufferMemory");
  return structure;
}
