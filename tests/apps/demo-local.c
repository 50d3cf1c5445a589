/* vtr-app-demo-local: Vulkan 1.4 by its core names. The second half of a rendering reads what the
 * first half drew, with the attachments of shaders mapped again in between; memory is mapped, and
 * descriptors and constants are pushed, by the commands of Vulkan 1.4. */
#include "vtr-app-demo.h"

#include <stdio.h>
#include <string.h>

#ifdef VK_API_VERSION_1_4

#include "demo_local_frag.h"

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *first; /* drawn to, then read */
  VkDescriptorSetLayout set;
  VkPipelineLayout layout;
  VkPipeline writer, reader;
  VkBuffer indices;
  VkDeviceMemory memory;
  PFN_vkMapMemory2 map;
  PFN_vkUnmapMemory2 unmap;
  PFN_vkCmdSetRenderingAttachmentLocations set_locations;
  PFN_vkCmdSetRenderingInputAttachmentIndices set_inputs;
  PFN_vkCmdPushDescriptorSet push;
  PFN_vkCmdPushConstants2 push_constants;
  PFN_vkCmdBindIndexBuffer2 bind_indices;
} Local;

static const uint32_t unused = VK_ATTACHMENT_UNUSED;

/* Of the two attachments, the second is written, the first read. */
static const uint32_t second_only[] = { VK_ATTACHMENT_UNUSED, 0 };
static const uint32_t first_only[] = { 0, VK_ATTACHMENT_UNUSED };

static const VkRenderingAttachmentLocationInfo write_first = {
  .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO,
  .colorAttachmentCount = 2,
  .pColorAttachmentLocations = first_only,
};
static const VkRenderingAttachmentLocationInfo write_second = {
  .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO,
  .colorAttachmentCount = 2,
  .pColorAttachmentLocations = second_only,
};
static const VkRenderingInputAttachmentIndexInfo read_first = {
  .sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO,
  .colorAttachmentCount = 2,
  .pColorAttachmentInputIndices = first_only,
  .pDepthInputAttachmentIndex = &unused,
  .pStencilInputAttachmentIndex = &unused,
};

static void
use_writer (VkGraphicsPipelineCreateInfo *create,
            void                         *data)
{
  static VkRenderingAttachmentLocationInfo locations;
  Local *self = data;

  locations = write_first;
  locations.pNext = create->pNext;
  create->pNext = &locations;
  create->layout = self->layout;
}

static void
use_reader (VkGraphicsPipelineCreateInfo *create,
            void                         *data)
{
  static VkRenderingAttachmentLocationInfo locations;
  static VkRenderingInputAttachmentIndexInfo inputs;
  Local *self = data;

  inputs = read_first;
  inputs.pNext = create->pNext;
  locations = write_second;
  locations.pNext = &inputs;
  create->pNext = &locations;
  create->layout = self->layout;
}

static void
make_indices (Local *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = 64,
    .usage = VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
  };
  const VkMemoryPropertyFlags wanted =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkMemoryRequirements needs;

  vtr_app_check (vkCreateBuffer (gpu->device, &info, NULL, &self->indices), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (gpu->device, self->indices, &needs);
  while ((needs.memoryTypeBits & 1u << allocate.memoryTypeIndex) == 0 ||
         (gpu->memory.memoryTypes[allocate.memoryTypeIndex].propertyFlags & wanted) != wanted)
    allocate.memoryTypeIndex++;
  allocate.allocationSize = needs.size;
  vtr_app_check (vkAllocateMemory (gpu->device, &allocate, NULL, &self->memory),
                 "vkAllocateMemory");
  vtr_app_check (vkBindBufferMemory (gpu->device, self->indices, self->memory, 0),
                 "vkBindBufferMemory");
}

static void
start (VtrAppDemo *demo)
{
  Local *self = (Local *)demo;
  const VkFormat formats[] = { VTR_APP_DEMO_FORMAT, VTR_APP_DEMO_FORMAT };
  const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1,
                                                 VK_SHADER_STAGE_FRAGMENT_BIT, NULL };
  VkShaderModule fragment;

  self->map = VTR_APP_NEED (demo, vkMapMemory2);
  self->unmap = VTR_APP_NEED (demo, vkUnmapMemory2);
  self->set_locations = VTR_APP_NEED (demo, vkCmdSetRenderingAttachmentLocations);
  self->set_inputs = VTR_APP_NEED (demo, vkCmdSetRenderingInputAttachmentIndices);
  self->push = VTR_APP_NEED (demo, vkCmdPushDescriptorSet);
  self->push_constants = VTR_APP_NEED (demo, vkCmdPushConstants2);
  self->bind_indices = VTR_APP_NEED (demo, vkCmdBindIndexBuffer2);

  make_indices (self);
  self->first = vtr_app_picture (
    &demo->scene,
    &(VtrAppPictureInfo){
      .name = "first",
      .format = VTR_APP_DEMO_FORMAT,
      .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
      .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT });
  vtr_app_picture_clear (demo->commands, self->first, 0.5f);
  self->set = vtr_app_demo_set_layout (demo, &binding, 1,
                                       VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT, NULL);
  self->layout = vtr_app_demo_layout (demo, self->set, stages);
  fragment = vtr_app_shader (&demo->scene.gpu, demo_local_frag, sizeof demo_local_frag);
  VTR_APP_KEEP (&demo->scene, SHADER_MODULE, fragment);
  self->writer = vtr_app_pipeline (
    &demo->scene,
    &(VtrAppPipelineInfo){ .n_colors = 2, .formats = formats, .change = use_writer, .data = self });
  self->reader = vtr_app_pipeline (&demo->scene, &(VtrAppPipelineInfo){ .n_colors = 2,
                                                                        .formats = formats,
                                                                        .fragment = fragment,
                                                                        .change = use_reader,
                                                                        .data = self });
}

static void
fill_indices (Local *self)
{
  VkDevice device = self->demo.scene.gpu.device;
  const VkMemoryMapInfo map = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_MAP_INFO,
    .memory = self->memory,
    .size = VK_WHOLE_SIZE,
  };
  const VkMemoryUnmapInfo unmap = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO,
    .memory = self->memory,
  };
  const uint16_t indices[] = { (uint16_t)(self->demo.frame % 2), 1, 2 };
  void *data;

  vtr_app_check (self->map (device, &map, &data), "vkMapMemory2");
  memcpy (data, indices, sizeof indices);
  vtr_app_check (self->unmap (device, &unmap), "vkUnmapMemory2");
}

static void
triangle (Local    *self,
          uint32_t  nth)
{
  const uint32_t color = nth + self->demo.frame;
  const float push[8] = { -1 + 0.2f * (float)(nth % 9),
                          -0.9f + 0.12f * (float)(nth % 7),
                          0.8f,
                          0.5f,
                          (float)(color * 37 % 11) / 10,
                          (float)(color * 53 % 7) / 6,
                          (float)(color * 29 % 5) / 4,
                          0.75f };
  const VkPushConstantsInfo info = {
    .sType = VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO,
    .layout = self->layout,
    .stageFlags = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
    .size = sizeof push,
    .pValues = push,
  };

  if (self->demo.scene.stopped)
    return;
  self->push_constants (self->demo.commands, &info);
  if (nth % 2 == 0)
    vkCmdDrawIndexed (self->demo.commands, 3, 1, 0, 0, 0);
  else
    vkCmdDraw (self->demo.commands, 3, 1, 0, 0);
}

/* The second half reads what was drawn to the same pixel. */
static void
read_back (Local *self)
{
  VkCommandBuffer commands = self->demo.commands;
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
  };
  const VkDescriptorImageInfo image = { VK_NULL_HANDLE, self->first->view,
                                        self->first->layout };
  const VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .descriptorCount = 1,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                                       .pImageInfo = &image };

  vkCmdPipelineBarrier (commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                        VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_DEPENDENCY_BY_REGION_BIT, 1,
                        &barrier, 0, NULL, 0, NULL);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->reader);
  self->set_locations (commands, &write_second);
  self->set_inputs (commands, &read_first);
  self->push (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1, &write);
  triangle (self, 2);
  if (!vtr_app_demo_check (&self->demo))
    return;
  triangle (self, 5);
  vtr_app_demo_check (&self->demo);
}

static void
draw (VtrAppDemo *demo)
{
  Local *self = (Local *)demo;
  VtrAppPicture *both[] = { self->first, demo->color };

  fill_indices (self);
  vtr_app_demo_render_to (demo, 2, both, NULL, false);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->writer);
  self->bind_indices (demo->commands, self->indices, 0, 6, VK_INDEX_TYPE_UINT16);
  self->set_locations (demo->commands, &write_first);
  triangle (self, 1);
  triangle (self, 4);
  if (vtr_app_demo_check (demo))
    read_back (self);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Local *self = (Local *)demo;

  vkDestroyBuffer (demo->scene.gpu.device, self->indices, NULL);
  vkFreeMemory (demo->scene.gpu.device, self->memory, NULL);
}

int
main (int    argc,
      char **argv)
{
  static const VkPhysicalDeviceVulkan14Features features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES,
    .dynamicRenderingLocalRead = VK_TRUE,
    .maintenance5 = VK_TRUE,
    .maintenance6 = VK_TRUE,
    .pushDescriptor = VK_TRUE,
  };
  Local self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){
                             .what = "Vulkan 1.4",
                             .version = VK_API_VERSION_1_4,
                             .more = { { &features, sizeof features } },
                             .start = start,
                             .draw = draw,
                             .finish = finish,
                           },
                           argc, argv);
}

#else

int
main (void)
{
  puts ("The Vulkan headers that this was built with do not know Vulkan 1.4.");
  return VTR_APP_SKIPPED;
}

#endif
