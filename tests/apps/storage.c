/* vtr-app-storage: images and a buffer to which shaders store: dispatches into a 2D image, a
 * volume and layers; draws into an image beside their attachment. */
#include "vtr-app-scene.h"

#include "pictures-store.comp.h"
#include "pictures-store.frag.h"

#include <stdio.h>
#include <string.h>

#define WIDTH 16u
#define HEIGHT 16u
#define DEPTH 4u
#define NUMBERS (WIDTH * HEIGHT * 4u)
#define COLOR VK_FORMAT_R8G8B8A8_UNORM

typedef struct
{
  VtrAppScene scene;
  VtrAppPicture *flat, *volume, *layers, *color;
  VtrAppBuffer numbers;
  VkDescriptorSetLayout set_layouts[2]; /* of dispatches, of draws */
  VkPipelineLayout pipeline_layouts[2];
  VkDescriptorSet sets[2];
  VkPipeline compute, draw;
} Storage;

static const VkFormat format = COLOR;

static void
make_layouts (Storage *self)
{
  const VkDevice device = self->scene.gpu.device;
  const VkShaderStageFlags both = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, both, NULL },
    { 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, both, NULL },
    { 2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, both, NULL },
    { 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, both, NULL },
  };

  for (uint32_t i = 0; i < 2; i++)
    {
      const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = i == 0 ? 4 : 1,
        .pBindings = bindings,
      };
      const VkPushConstantRange range = {
        i == 0 ? VK_SHADER_STAGE_COMPUTE_BIT
               : VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
        0,
        128,
      };
      const VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &self->set_layouts[i],
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range,
      };

      vtr_app_check (vkCreateDescriptorSetLayout (device, &set_info, NULL, &self->set_layouts[i]),
                     "vkCreateDescriptorSetLayout");
      VTR_APP_KEEP (&self->scene, DESCRIPTOR_SET_LAYOUT, self->set_layouts[i]);
      vtr_app_check (vkCreatePipelineLayout (device, &info, NULL, &self->pipeline_layouts[i]),
                     "vkCreatePipelineLayout");
      VTR_APP_KEEP (&self->scene, PIPELINE_LAYOUT, self->pipeline_layouts[i]);
    }
}

static void
make_sets (Storage *self)
{
  const VkDevice device = self->scene.gpu.device;
  const VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 4 },
                                         { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 } };
  const VkDescriptorPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = 2,
    .poolSizeCount = 2,
    .pPoolSizes = sizes,
  };
  VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 2,
    .pSetLayouts = self->set_layouts,
  };
  const VkDescriptorImageInfo images[] = {
    { .imageView = self->flat->view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL },
    { .imageView = vtr_app_picture_view (&self->scene, self->volume, VK_IMAGE_VIEW_TYPE_3D, 0, 0,
                                         1),
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL },
    { .imageView = self->layers->view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL },
  };
  const VkDescriptorBufferInfo numbers = { self->numbers.buffer, 0, VK_WHOLE_SIZE };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  };

  vtr_app_check (vkCreateDescriptorPool (device, &pool_info, NULL, &allocate.descriptorPool),
                 "vkCreateDescriptorPool");
  VTR_APP_KEEP (&self->scene, DESCRIPTOR_POOL, allocate.descriptorPool);
  vtr_app_check (vkAllocateDescriptorSets (device, &allocate, self->sets),
                 "vkAllocateDescriptorSets");
  for (uint32_t i = 0; i < 4; i++)
    {
      write.dstSet = self->sets[i == 3];
      write.dstBinding = i % 3;
      write.pImageInfo = &images[i % 3];
      vkUpdateDescriptorSets (device, 1, &write, 0, NULL);
    }
  write.dstSet = self->sets[0];
  write.dstBinding = 3;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &numbers;
  vkUpdateDescriptorSets (device, 1, &write, 0, NULL);
}

static void
make_pipelines (Storage *self)
{
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = vtr_app_scene_shader (&self->scene, pictures_store_comp,
                                               sizeof pictures_store_comp),
               .pName = "main" },
    .layout = self->pipeline_layouts[0],
  };

  vtr_app_check (vkCreateComputePipelines (self->scene.gpu.device, VK_NULL_HANDLE, 1, &info, NULL,
                                           &self->compute),
                 "vkCreateComputePipelines");
  VTR_APP_KEEP (&self->scene, PIPELINE, self->compute);
  self->draw = vtr_app_pipeline (
    &self->scene,
    &(VtrAppPipelineInfo){ .n_colors = 1,
                           .formats = &format,
                           .layout = self->pipeline_layouts[1],
                           .fragment = vtr_app_scene_shader (&self->scene, pictures_store_frag,
                                                             sizeof pictures_store_frag) });
}

static void
dispatch (Storage         *self,
          VkCommandBuffer  commands,
          uint32_t         round)
{
  vtr_app_barrier (commands);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->compute);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->pipeline_layouts[0], 0,
                           1, &self->sets[0], 0, NULL);
  vkCmdPushConstants (commands, self->pipeline_layouts[0], VK_SHADER_STAGE_COMPUTE_BIT, 0,
                      sizeof round, &round);
  vkCmdDispatch (commands, WIDTH / 4 - round, HEIGHT / 4, DEPTH);
}

static void
draw (Storage         *self,
      VkCommandBuffer  commands)
{
  const VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { WIDTH, HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
  };

  vtr_app_barrier (commands);
  vkCmdBeginRendering (commands, &rendering);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->draw);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline_layouts[1], 0,
                           1, &self->sets[1], 0, NULL);
  vtr_app_viewport (commands, WIDTH, HEIGHT);
  for (uint32_t i = 0; i < 3 && !self->scene.stopped; i++)
    {
      vtr_app_triangle (&self->scene, commands, -0.9f + 0.3f * (float)i, -0.8f, 1.2f, 0.5f, i + 1);
      vtr_app_scene_check (&self->scene, commands);
    }
  vkCmdEndRendering (commands);
}

static void
record (Storage         *self,
        VkCommandBuffer  commands)
{
  VtrAppScene *scene = &self->scene;

  for (uint32_t i = 0; i < scene->n_pictures; i++)
    vtr_app_picture_clear (commands, &scene->pictures[i], 0);
  vkCmdFillBuffer (commands, self->numbers.buffer, 0, VK_WHOLE_SIZE, 1000);
  for (uint32_t round = 0; round < 3 && !scene->stopped; round++)
    {
      dispatch (self, commands, round);
      vtr_app_scene_check (scene, commands);
    }
  if (!scene->stopped)
    draw (self, commands);
}

int
main (int    argc,
      char **argv)
{
  Storage self = { 0 };
  VtrAppScene *scene = &self.scene;
  VkPhysicalDeviceVulkan13Features features13 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    .dynamicRendering = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features13,
    .features = { .fragmentStoresAndAtomics = VK_TRUE },
  };
  const VkDebugUtilsObjectNameInfoEXT name = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
    .objectType = VK_OBJECT_TYPE_BUFFER,
    .pObjectName = "numbers",
  };
  VkDebugUtilsObjectNameInfoEXT named = name;
  VkCommandBuffer commands;

  vtr_app_scene_init (scene, argc, argv, NULL, &features);
  self.flat =
    vtr_app_picture (scene, &(VtrAppPictureInfo){ .name = "flat",
                                                  .format = VK_FORMAT_R32_UINT,
                                                  .extent = { WIDTH, HEIGHT, 1 },
                                                  .usage = VK_IMAGE_USAGE_STORAGE_BIT });
  self.volume =
    vtr_app_picture (scene, &(VtrAppPictureInfo){ .name = "volume",
                                                  .format = VK_FORMAT_R16G16B16A16_SFLOAT,
                                                  .type = VK_IMAGE_TYPE_3D,
                                                  .extent = { HEIGHT, WIDTH, DEPTH },
                                                  .usage = VK_IMAGE_USAGE_STORAGE_BIT });
  self.layers =
    vtr_app_picture (scene, &(VtrAppPictureInfo){ .name = "layers",
                                                  .format = COLOR,
                                                  .extent = { WIDTH, HEIGHT, 1 },
                                                  .layers = 2,
                                                  .usage = VK_IMAGE_USAGE_STORAGE_BIT });
  self.color =
    vtr_app_picture (scene, &(VtrAppPictureInfo){ .name = "color",
                                                  .format = COLOR,
                                                  .extent = { WIDTH, HEIGHT, 1 },
                                                  .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  self.numbers = vtr_app_buffer (&scene->gpu, NUMBERS,
                                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                 VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                   VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  named.objectHandle = (uint64_t)self.numbers.buffer;
  vtr_app_check (scene->set_name (scene->gpu.device, &named), "vkSetDebugUtilsObjectNameEXT");
  make_layouts (&self);
  make_sets (&self);
  make_pipelines (&self);
  commands = vtr_app_scene_begin (scene);
  record (&self, commands);
  vtr_app_barrier (commands);
  vtr_app_scene_submit (scene, commands);
  if (scene->output != NULL)
    {
      char path[4096];

      snprintf (path, sizeof path, "%s/numbers.buffer", scene->output);
      vtr_app_write_file (path, self.numbers.mapped, NUMBERS);
    }
  vtr_app_buffer_finish (&scene->gpu, &self.numbers);
  vtr_app_scene_finish (scene);

  return 0;
}
