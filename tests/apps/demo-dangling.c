/* vtr-app-demo-dangling: invalid pointers and handles wherever Vulkan ignores them; --valid: valid
 * ones, because some layers read them nevertheless. */
#include "vtr-app-demo.h"

#include <string.h>
#include <sys/mman.h>

#define N_PARTS 4u

typedef struct
{
  VtrAppDemo demo;
  VkPipeline parts[N_PARTS], linked; /* of libraries; dynamic rendering */
  VkRenderPass pass;
  VkFramebuffer framebuffer; /* imageless */
  VkPipeline with_pass;
} Dangling;

static bool valid; /* --valid */

static const VkGraphicsPipelineLibraryFlagsEXT part_flags[N_PARTS] = {
  VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
  VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
  VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
  VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT,
};

/* An address that must not be read; with --valid @instead. */
static const void *
nowhere (const void *instead)
{
  static void *place;

  if (valid)
    return instead;
  if (place == NULL)
    place = mmap (NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED)
    vtr_app_fail ("mmap");
  return (const char *)place + 64;
}

/* Everything but what one of the four parts is made from leads nowhere. */
static void
make_part (VkGraphicsPipelineCreateInfo *create,
           void                         *data)
{
  static VkGraphicsPipelineLibraryCreateInfoEXT library;
  static VkPipelineRenderingCreateInfo rendering;
  const uint32_t nth = *(const uint32_t *)data;
  VkGraphicsPipelineCreateInfo all = *create;

  rendering = *(const VkPipelineRenderingCreateInfo *)all.pNext;
  library = (VkGraphicsPipelineLibraryCreateInfoEXT){
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
    .pNext = &rendering,
    .flags = part_flags[nth],
  };
  create->pNext = &library;
  create->flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  if (nth != 0)
    {
      create->pVertexInputState = nowhere (all.pVertexInputState);
      create->pInputAssemblyState = nowhere (all.pInputAssemblyState);
    }
  if (nth != 1)
    {
      create->pViewportState = nowhere (all.pViewportState);
      create->pRasterizationState = nowhere (all.pRasterizationState);
    }
  if (nth == 0 || nth == 3)
    {
      /* None: lavapipe looks at them. */
      create->pStages = nowhere (all.pStages);
      create->stageCount = 0;
    }
  else
    {
      create->stageCount = 1;
      create->pStages = &all.pStages[nth - 1];
    }
  if (nth < 2)
    create->pMultisampleState = nowhere (all.pMultisampleState);
  if (nth != 2)
    create->pDepthStencilState = nowhere (all.pDepthStencilState);
  if (nth != 3)
    {
      create->pColorBlendState = nowhere (all.pColorBlendState);
      rendering.pColorAttachmentFormats = nowhere (rendering.pColorAttachmentFormats);
    }
  create->pTessellationState = nowhere (NULL);
}

/* Beside a render pass without depth, with dynamic viewports and no tessellation. */
static void
make_with_pass (VkGraphicsPipelineCreateInfo *create,
                void                         *data)
{
  static const VkFormat formats[] = { VTR_APP_DEMO_FORMAT, VTR_APP_DEMO_FORMAT };
  static VkPipelineRenderingCreateInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
    .colorAttachmentCount = 2,
  };
  VkPipelineViewportStateCreateInfo *viewports =
    (VkPipelineViewportStateCreateInfo *)create->pViewportState;

  rendering.pColorAttachmentFormats = nowhere (formats);
  create->pNext = &rendering;
  viewports->pViewports = nowhere (NULL);
  viewports->pScissors = nowhere (NULL);
  create->pTessellationState = nowhere (NULL);
  create->pDepthStencilState = nowhere (create->pDepthStencilState);
}

/* Without rasterization. */
static void
make_discarding (VkGraphicsPipelineCreateInfo *create,
                 void                         *data)
{
  ((VkPipelineRasterizationStateCreateInfo *)create->pRasterizationState)->rasterizerDiscardEnable =
    VK_TRUE;
  create->stageCount = 1;
  create->pViewportState = nowhere (create->pViewportState);
  create->pMultisampleState = nowhere (create->pMultisampleState);
  create->pDepthStencilState = nowhere (create->pDepthStencilState);
  create->pColorBlendState = nowhere (create->pColorBlendState);
}

static void
make_pipelines (Dangling *self)
{
  VtrAppDemo *demo = &self->demo;
  VkPipelineLibraryCreateInfoKHR libraries = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
    .libraryCount = N_PARTS,
    .pLibraries = self->parts,
  };
  const VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .pNext = &libraries,
    .layout = demo->scene.layout,
    .pTessellationState = nowhere (NULL),
  };

  for (uint32_t i = 0; i < N_PARTS; i++)
    self->parts[i] = vtr_app_demo_pipeline (demo, make_part, &i);
  vtr_app_check (vkCreateGraphicsPipelines (demo->scene.gpu.device, VK_NULL_HANDLE, 1, &info, NULL,
                                            &self->linked),
                 "vkCreateGraphicsPipelines");
  VTR_APP_KEEP (&demo->scene, PIPELINE, self->linked);
  self->with_pass = vtr_app_pipeline (
    &demo->scene,
    &(VtrAppPipelineInfo){ .pass = self->pass, .n_colors = 1, .change = make_with_pass });
  vtr_app_demo_pipeline (demo, make_discarding, NULL);
}

static void
make_pass (Dangling *self)
{
  VtrAppDemo *demo = &self->demo;

  self->pass = vtr_app_demo_pass (demo->scene.gpu.device);
  VTR_APP_KEEP (&demo->scene, RENDER_PASS, self->pass);
}

static void
make_framebuffer (Dangling *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  const VkFramebufferAttachmentImageInfo image = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
    .flags = demo->color->info.flags,
    .usage = demo->color->info.usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
             VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
    .width = VTR_APP_DEMO_WIDTH,
    .height = VTR_APP_DEMO_HEIGHT,
    .layerCount = 1,
    .viewFormatCount = 1,
    .pViewFormats = &format,
  };
  const VkFramebufferAttachmentsCreateInfo attachments = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO,
    .attachmentImageInfoCount = 1,
    .pAttachmentImageInfos = &image,
  };
  const VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .pNext = &attachments,
    .flags = VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT,
    .renderPass = self->pass,
    .attachmentCount = 1,
    .pAttachments = nowhere (NULL),
    .width = VTR_APP_DEMO_WIDTH,
    .height = VTR_APP_DEMO_HEIGHT,
    .layers = 1,
  };

  vtr_app_check (vkCreateFramebuffer (demo->scene.gpu.device, &info, NULL, &self->framebuffer),
                 "vkCreateFramebuffer");
  VTR_APP_KEEP (&demo->scene, FRAMEBUFFER, self->framebuffer);
}

static void
make_resources (Dangling *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkBufferCreateInfo buffer_info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = 256,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
    .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    .queueFamilyIndexCount = valid ? 0 : 3,
    .pQueueFamilyIndices = nowhere (NULL),
  };
  const VkImageCreateInfo image_info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = VTR_APP_DEMO_FORMAT,
    .extent = { 8, 8, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
    .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    .queueFamilyIndexCount = valid ? 0 : 3,
    .pQueueFamilyIndices = nowhere (NULL),
  };
  VkBuffer buffer;
  VkImage image;

  vtr_app_check (vkCreateBuffer (device, &buffer_info, NULL, &buffer), "vkCreateBuffer");
  VTR_APP_KEEP (&self->demo.scene, BUFFER, buffer);
  vtr_app_check (vkCreateImage (device, &image_info, NULL, &image), "vkCreateImage");
  VTR_APP_KEEP (&self->demo.scene, IMAGE, image);
}

static void
make_set (Dangling *self)
{
  VtrAppDemo *demo = &self->demo;
  const VtrAppBuffer *buffer =
    vtr_app_demo_buffer (demo, "tint", 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  const VkDescriptorSetLayoutBinding binding = {
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    .descriptorCount = 1,
    .stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT,
    .pImmutableSamplers = nowhere (NULL),
  };
  const VkDescriptorBufferInfo info = { buffer->buffer, 0, 16 };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = binding.descriptorType,
    .pImageInfo = nowhere (NULL),
    .pBufferInfo = &info,
    .pTexelBufferView = nowhere (NULL),
  };
  const VkDescriptorSetLayout layout = vtr_app_demo_set_layout (demo, &binding, 1, 0, NULL);

  write.dstSet = vtr_app_demo_set (demo, layout, &binding, 1, 0, NULL);
  vkUpdateDescriptorSets (demo->scene.gpu.device, 1, &write, 0, NULL);
}

/* A primary command buffer that is told what it would inherit. */
static void
begin_primary (Dangling *self)
{
  const VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkCommandPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
  VkCommandBufferAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .pInheritanceInfo = nowhere (NULL),
  };
  VkCommandBuffer commands;

  vtr_app_check (vkCreateCommandPool (gpu->device, &pool_info, NULL, &allocate.commandPool),
                 "vkCreateCommandPool");
  vtr_app_check (vkAllocateCommandBuffers (gpu->device, &allocate, &commands),
                 "vkAllocateCommandBuffers");
  vtr_app_check (vkBeginCommandBuffer (commands, &begin), "vkBeginCommandBuffer");
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  vkDestroyCommandPool (gpu->device, allocate.commandPool, NULL);
}

static void
start (VtrAppDemo *demo)
{
  Dangling *self = (Dangling *)demo;

  make_pass (self);
  make_framebuffer (self);
  make_pipelines (self);
  make_resources (self);
  make_set (self);
  begin_primary (self);
}

static void
draw_in_pass (Dangling *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkRenderPassAttachmentBeginInfo attachments = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
    .attachmentCount = 1,
    .pAttachments = &demo->color->view,
  };
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .pNext = &attachments,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .clearValueCount = 0,
    .pClearValues = nowhere (NULL),
  };

  vtr_app_barrier (demo->commands);
  vkCmdBeginRenderPass (demo->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->with_pass);
  vtr_app_demo_triangle (demo, 5);
  vkCmdEndRenderPass (demo->commands);
  vtr_app_barrier (demo->commands);
}

static void
draw (VtrAppDemo *demo)
{
  Dangling *self = (Dangling *)demo;

  begin_primary (self);
  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->linked);
  vtr_app_demo_triangle (demo, 2);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
  if (demo->scene.stopped)
    return;
  draw_in_pass (self);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                            VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
                                            NULL };
  static const VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
    .graphicsPipelineLibrary = VK_TRUE,
  };
  static const VtrAppOption options[] = {
    { "--valid", NULL, NULL, &valid, "Nothing leads nowhere" },
    { 0 },
  };
  Dangling self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "pointers to nowhere that are ignored",
                                              .options = options,
                                              .extensions = extensions,
                                              .features12 = { .imagelessFramebuffer = VK_TRUE },
                                              .more = { { &features, sizeof features } },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
