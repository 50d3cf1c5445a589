/* The descriptor buffer of vtr-app-demo-stored: fills it, binds it, and uses it
 * (VK_EXT_descriptor_buffer). */
#include "vtr-app-demo-stored.h"

static VkDescriptorAddressInfoEXT
address_of (VtrAppDemo         *demo,
            const VtrAppBuffer *buffer,
            VkFormat            format)
{
  return (VkDescriptorAddressInfoEXT){
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
    .address = vtr_app_address (&demo->scene.gpu, buffer->buffer),
    .range = VTR_APP_DEMO_WIDTH * 4u,
    .format = format,
  };
}

static void
put (VtrAppDemo            *demo,
     VtrAppStoredBuffer    *self,
     VkDescriptorSetLayout  layout,
     uint32_t               binding,
     VkDescriptorType       type,
     VkDescriptorDataEXT    data,
     size_t                 size)
{
  const VkDescriptorGetInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
    .type = type,
    .data = data,
  };
  VkDeviceSize offset;

  VTR_APP_NEED (demo, vkGetDescriptorSetLayoutBindingOffsetEXT)
  (demo->scene.gpu.device, layout,
   binding, &offset);
  VTR_APP_NEED (demo, vkGetDescriptorEXT)
  (demo->scene.gpu.device, &info, size,
   (char *)self->buffer.mapped + offset);
}

void
vtr_app_stored_buffer (VtrAppDemo            *demo,
                       VkDescriptorSetLayout  layout,
                       VkDescriptorImageInfo  image,
                       const VtrAppBuffer    *numbers,
                       const VtrAppBuffer    *texels,
                       VtrAppStoredBuffer    *out)
{
  VtrAppGpu *gpu = &demo->scene.gpu;
  const VkDescriptorAddressInfoEXT first = address_of (demo, numbers, VK_FORMAT_UNDEFINED);
  const VkDescriptorAddressInfoEXT second = address_of (demo, texels, VK_FORMAT_R32_UINT);
  VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT
  };
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &sizes,
  };

  vkGetPhysicalDeviceProperties2 (gpu->physical, &properties);
  out->bind = VTR_APP_NEED (demo, vkCmdBindDescriptorBuffersEXT);
  out->set_offsets = VTR_APP_NEED (demo, vkCmdSetDescriptorBufferOffsetsEXT);
  out->buffer =
    vtr_app_buffer (gpu, 4096,
                    VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
                      VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  out->address = vtr_app_address (gpu, out->buffer.buffer);
  put (demo, out, layout, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
       (VkDescriptorDataEXT){ .pStorageImage = &image }, sizes.storageImageDescriptorSize);
  put (demo, out, layout, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
       (VkDescriptorDataEXT){ .pStorageBuffer = &first }, sizes.storageBufferDescriptorSize);
  put (demo, out, layout, 2, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
       (VkDescriptorDataEXT){ .pStorageTexelBuffer = &second },
       sizes.storageTexelBufferDescriptorSize);
}

void
vtr_app_stored_buffer_bind (const VtrAppStoredBuffer *self,
                            VkCommandBuffer           commands,
                            VkPipelineLayout          layout)
{
  const VkDescriptorBufferBindingInfoEXT binding = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
    .address = self->address,
    .usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT,
  };
  const uint32_t buffer = 0;
  const VkDeviceSize offset = 0;

  self->bind (commands, 1, &binding);
  self->set_offsets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &buffer, &offset);
}
