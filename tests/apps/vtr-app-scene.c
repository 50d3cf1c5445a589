/* Images, triangles and checkpoints for the test programs whose images are compared with those
 * of a replay. */
#include "vtr-app-scene.h"

#include "pictures.frag.h"
#include "pictures.vert.h"

#include <stdio.h>
#include <string.h>

#define PUSH_STAGES (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)

/* --- The device ------------------------------------------------------------------------------ */

static PFN_vkVoidFunction
need (VtrAppScene *self,
      const char  *name)
{
  PFN_vkVoidFunction function = vkGetInstanceProcAddr (self->gpu.instance, name);

  if (function == NULL)
    vtr_app_fail ("there is no %s", name);
  return function;
}

void
vtr_app_scene_init (VtrAppScene                      *self,
                    int                               argc,
                    char                            **argv,
                    const VtrAppOption               *options,
                    const VkPhysicalDeviceFeatures2  *features)
{
  VtrAppOption all[16] = {
    { "--stop", &self->stop, NULL, NULL, "end at this checkpoint, from 1" },
    { "--run", &self->run, NULL, NULL, "how often it goes by before that" },
    { "--output", NULL, &self->output, NULL, "folder to write every image to" },
  };
  VkPushConstantRange range = { PUSH_STAGES, 0, 128 };
  VkPipelineLayoutCreateInfo layout = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };

  for (uint32_t i = 0; options != NULL && options[i].name != NULL; i++)
    all[3 + i] = options[i];
  vtr_app_options (argc, argv, all);
  self->gpu.debug_utils = true;
  vtr_app_gpu_init (&self->gpu, features, self->present);
  self->insert_label =
    (PFN_vkCmdInsertDebugUtilsLabelEXT)need (self, "vkCmdInsertDebugUtilsLabelEXT");
  self->begin_label =
    (PFN_vkCmdBeginDebugUtilsLabelEXT)need (self, "vkCmdBeginDebugUtilsLabelEXT");
  self->end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)need (self, "vkCmdEndDebugUtilsLabelEXT");
  self->set_name = (PFN_vkSetDebugUtilsObjectNameEXT)need (self, "vkSetDebugUtilsObjectNameEXT");
  vtr_app_check (vkCreatePipelineLayout (self->gpu.device, &layout, NULL, &self->layout),
                 "vkCreatePipelineLayout");
  self->vertex = vtr_app_shader (&self->gpu, pictures_vert, sizeof pictures_vert);
  self->fragment = vtr_app_shader (&self->gpu, pictures_frag, sizeof pictures_frag);
}

bool
vtr_app_scene_check (VtrAppScene     *self,
                     VkCommandBuffer  commands)
{
  char name[32];
  VkDebugUtilsLabelEXT label = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
    .pLabelName = name,
  };

  if (self->stopped)
    return true;
  snprintf (name, sizeof name, "check %u", ++self->n_checks);
  self->insert_label (commands, &label);
  if (self->n_checks == self->stop && self->run-- == 0)
    self->stopped = true;
  return self->stopped;
}

VkCommandBuffer
vtr_app_scene_begin (VtrAppScene *self)
{
  VkCommandBuffer commands = vtr_app_commands (&self->gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

  vtr_app_begin (commands);
  return commands;
}

void
vtr_app_scene_submit (VtrAppScene     *self,
                      VkCommandBuffer  commands)
{
  vtr_app_run (&self->gpu, commands);
  vkFreeCommandBuffers (self->gpu.device, self->gpu.pool, 1, &commands);
}

void
vtr_app_keep (VtrAppScene  *self,
              VkObjectType  type,
              uint64_t      handle)
{
  if (self->n_kept == sizeof self->kept / sizeof self->kept[0])
    vtr_app_fail ("too many objects to keep");
  self->kept[self->n_kept].type = type;
  self->kept[self->n_kept++].handle = handle;
}

VkShaderModule
vtr_app_scene_shader (VtrAppScene    *self,
                      const uint32_t  code[],
                      size_t          size)
{
  VkShaderModule module = vtr_app_shader (&self->gpu, code, size);

  VTR_APP_KEEP (self, SHADER_MODULE, module);
  return module;
}

static void
destroy_kept (VtrAppScene *self)
{
  const VkDevice device = self->gpu.device;

  while (self->n_kept-- > 0)
    {
      const uint64_t handle = self->kept[self->n_kept].handle;

      switch ((int)self->kept[self->n_kept].type)
        {
        case VK_OBJECT_TYPE_IMAGE_VIEW:
          vkDestroyImageView (device, (VkImageView)handle, NULL);
          break;
        case VK_OBJECT_TYPE_SHADER_MODULE:
          vkDestroyShaderModule (device, (VkShaderModule)handle, NULL);
          break;
        case VK_OBJECT_TYPE_PIPELINE:
          vkDestroyPipeline (device, (VkPipeline)handle, NULL);
          break;
        case VK_OBJECT_TYPE_PIPELINE_LAYOUT:
          vkDestroyPipelineLayout (device, (VkPipelineLayout)handle, NULL);
          break;
        case VK_OBJECT_TYPE_RENDER_PASS:
          vkDestroyRenderPass (device, (VkRenderPass)handle, NULL);
          break;
        case VK_OBJECT_TYPE_FRAMEBUFFER:
          vkDestroyFramebuffer (device, (VkFramebuffer)handle, NULL);
          break;
        case VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT:
          vkDestroyDescriptorSetLayout (device, (VkDescriptorSetLayout)handle, NULL);
          break;
        case VK_OBJECT_TYPE_DESCRIPTOR_POOL:
          vkDestroyDescriptorPool (device, (VkDescriptorPool)handle, NULL);
          break;
        case VK_OBJECT_TYPE_SAMPLER:
          vkDestroySampler (device, (VkSampler)handle, NULL);
          break;
        case VK_OBJECT_TYPE_BUFFER_VIEW:
          vkDestroyBufferView (device, (VkBufferView)handle, NULL);
          break;
        case VK_OBJECT_TYPE_QUERY_POOL:
          vkDestroyQueryPool (device, (VkQueryPool)handle, NULL);
          break;
        case VK_OBJECT_TYPE_SEMAPHORE:
          vkDestroySemaphore (device, (VkSemaphore)handle, NULL);
          break;
        case VK_OBJECT_TYPE_EVENT:
          vkDestroyEvent (device, (VkEvent)handle, NULL);
          break;
        case VK_OBJECT_TYPE_BUFFER:
          vkDestroyBuffer (device, (VkBuffer)handle, NULL);
          break;
        case VK_OBJECT_TYPE_IMAGE:
          vkDestroyImage (device, (VkImage)handle, NULL);
          break;
        case VK_OBJECT_TYPE_PIPELINE_CACHE:
          vkDestroyPipelineCache (device, (VkPipelineCache)handle, NULL);
          break;
        case VK_OBJECT_TYPE_DESCRIPTOR_UPDATE_TEMPLATE:
          vkDestroyDescriptorUpdateTemplate (device, (VkDescriptorUpdateTemplate)handle, NULL);
          break;
        case VK_OBJECT_TYPE_PRIVATE_DATA_SLOT:
          vkDestroyPrivateDataSlot (device, (VkPrivateDataSlot)handle, NULL);
          break;
        case VK_OBJECT_TYPE_SAMPLER_YCBCR_CONVERSION:
          vkDestroySamplerYcbcrConversion (device, (VkSamplerYcbcrConversion)handle, NULL);
          break;
        default:
          vtr_app_fail ("objects of type %d are not kept", self->kept[self->n_kept].type);
        }
    }
}

/* --- Pictures -------------------------------------------------------------------------------- */

VtrAppPicture *
vtr_app_picture (VtrAppScene             *self,
                 const VtrAppPictureInfo *info)
{
  VtrAppPicture *picture = &self->pictures[self->n_pictures++];
  VkMemoryRequirements requirements;
  VkDeviceSize offset;
  VkImageCreateInfo create = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .pNext = info->next,
    .tiling = info->tiling,
  };
  VkDebugUtilsObjectNameInfoEXT name = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
    .objectType = VK_OBJECT_TYPE_IMAGE,
    .pObjectName = info->name,
  };

  if (self->n_pictures == VTR_APP_MAX_PICTURES)
    vtr_app_fail ("too many pictures");
  *picture = (VtrAppPicture){ .info = *info };
  info = &picture->info;
  picture->info.type = info->type == 0 ? VK_IMAGE_TYPE_2D : info->type;
  picture->info.mips += info->mips == 0;
  picture->info.layers += info->layers == 0;
  if (info->samples == 0)
    picture->info.samples = VK_SAMPLE_COUNT_1_BIT;
  create.flags = info->flags;
  create.imageType = info->type;
  create.format = info->format;
  create.extent = info->extent;
  create.extent.depth += info->extent.depth == 0;
  picture->info.extent = create.extent;
  create.mipLevels = info->mips;
  create.arrayLayers = info->layers;
  create.samples = info->samples;
  create.usage = info->usage;
  create.initialLayout = picture->layout = info->initial;
  if ((info->usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) == 0)
    create.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                    (info->samples > 1 ? VK_IMAGE_USAGE_SAMPLED_BIT : 0);
  vtr_app_check (vkCreateImage (self->gpu.device, &create, NULL, &picture->image),
                 "vkCreateImage");
  vkGetImageMemoryRequirements (self->gpu.device, picture->image, &requirements);
  offset = (info->around + requirements.alignment - 1) / requirements.alignment *
           requirements.alignment;
  requirements.size += offset + info->around;
  picture->memory =
    vtr_app_allocate (&self->gpu, &requirements,
                      info->memory != 0 ? info->memory : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  vtr_app_check (vkBindImageMemory (self->gpu.device, picture->image, picture->memory, offset),
                 "vkBindImageMemory");
  name.objectHandle = (uint64_t)picture->image;
  vtr_app_check (self->set_name (self->gpu.device, &name), "vkSetDebugUtilsObjectNameEXT");
  if (info->type == VK_IMAGE_TYPE_2D && (create.usage & ~3u) != 0)
    picture->view = vtr_app_picture_view (self, picture,
                                          info->layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY
                                                           : VK_IMAGE_VIEW_TYPE_2D,
                                          0, 0, info->layers);
  picture->info.next = picture->info.view_next = NULL;
  return picture;
}

VkImageView
vtr_app_picture_view (VtrAppScene         *self,
                      const VtrAppPicture *picture,
                      VkImageViewType      type,
                      uint32_t             mip,
                      uint32_t             layer,
                      uint32_t             n_layers)
{
  VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .pNext = picture->info.view_next,
    .image = picture->image,
    .viewType = type,
    .format = picture->info.format,
    .subresourceRange = { vtr_app_aspects (picture->info.format), mip, 1, layer, n_layers },
  };
  VkImageView view;

  vtr_app_check (vkCreateImageView (self->gpu.device, &info, NULL, &view), "vkCreateImageView");
  VTR_APP_KEEP (self, IMAGE_VIEW, view);
  return view;
}

void
vtr_app_picture_to (VkCommandBuffer  commands,
                    VtrAppPicture   *picture,
                    VkImageLayout    layout)
{
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = picture->layout,
    .newLayout = layout,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = picture->image,
    .subresourceRange = { vtr_app_aspects (picture->info.format), 0, VK_REMAINING_MIP_LEVELS, 0,
                          VK_REMAINING_ARRAY_LAYERS },
  };

  picture->layout = layout;
  vkCmdPipelineBarrier (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

void
vtr_app_picture_clear (VkCommandBuffer  commands,
                       VtrAppPicture   *picture,
                       float            value)
{
  VkImageSubresourceRange range = { vtr_app_aspects (picture->info.format), 0,
                                    VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS };
  VkClearColorValue color = { .float32 = { value, value / 2, value / 4, 1 } };
  VkClearDepthStencilValue depth = { value, (uint32_t)(value * 200) };

  vtr_app_picture_to (commands, picture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  if (range.aspectMask == VK_IMAGE_ASPECT_COLOR_BIT)
    vkCmdClearColorImage (commands, picture->image, picture->layout, &color, 1, &range);
  else
    vkCmdClearDepthStencilImage (commands, picture->image, picture->layout, &depth, 1, &range);
  vtr_app_picture_to (commands, picture, VK_IMAGE_LAYOUT_GENERAL);
}

/* --- Drawing --------------------------------------------------------------------------------- */

VkPipeline
vtr_app_pipeline (VtrAppScene              *self,
                  const VtrAppPipelineInfo *info)
{
  VkPipelineShaderStageCreateInfo stages[] = {
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .module = info->vertex != VK_NULL_HANDLE ? info->vertex : self->vertex,
      .pName = "main" },
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .module = info->fragment != VK_NULL_HANDLE ? info->fragment : self->fragment,
      .pName = "main" },
  };
  VkPipelineVertexInputStateCreateInfo vertices = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
  };
  VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  };
  VkPipelineViewportStateCreateInfo viewports = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .scissorCount = 1,
  };
  VkPipelineRasterizationStateCreateInfo raster = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .lineWidth = 1,
  };
  VkPipelineMultisampleStateCreateInfo samples = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
    .rasterizationSamples = info->samples != 0 ? info->samples : VK_SAMPLE_COUNT_1_BIT,
  };
  VkPipelineDepthStencilStateCreateInfo depth = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
    .depthTestEnable = info->depth_test,
    .depthWriteEnable = info->depth_test,
    .depthCompareOp = VK_COMPARE_OP_LESS,
    .stencilTestEnable = info->stencil_test,
    .front = info->front,
    .back = info->back,
  };
  VkPipelineColorBlendAttachmentState blends[4];
  VkPipelineColorBlendStateCreateInfo blend = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = info->n_colors,
    .pAttachments = blends,
  };
  VkDynamicState dynamics[] = { VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                VK_DYNAMIC_STATE_STENCIL_REFERENCE };
  VkPipelineDynamicStateCreateInfo dynamic = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
    .dynamicStateCount = 3,
    .pDynamicStates = dynamics,
  };
  bool has_depth = info->depth != VK_FORMAT_UNDEFINED &&
                   (vtr_app_aspects (info->depth) & VK_IMAGE_ASPECT_DEPTH_BIT) != 0;
  bool has_stencil = info->depth != VK_FORMAT_UNDEFINED &&
                     (vtr_app_aspects (info->depth) & VK_IMAGE_ASPECT_STENCIL_BIT) != 0;
  VkPipelineRenderingCreateInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
    .viewMask = info->view_mask,
    .colorAttachmentCount = info->n_colors,
    .pColorAttachmentFormats = info->formats,
    .depthAttachmentFormat = has_depth ? info->depth : VK_FORMAT_UNDEFINED,
    .stencilAttachmentFormat = has_stencil ? info->depth : VK_FORMAT_UNDEFINED,
  };
  VkGraphicsPipelineCreateInfo create = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .pNext = info->pass == VK_NULL_HANDLE ? &rendering : NULL,
    .stageCount = 2,
    .pStages = stages,
    .pVertexInputState = &vertices,
    .pInputAssemblyState = &assembly,
    .pViewportState = &viewports,
    .pRasterizationState = &raster,
    .pMultisampleState = &samples,
    .pDepthStencilState = &depth,
    .pColorBlendState = &blend,
    .pDynamicState = &dynamic,
    .layout = info->layout != VK_NULL_HANDLE ? info->layout : self->layout,
    .renderPass = info->pass,
    .subpass = info->subpass,
  };
  VkPipeline pipeline;

  for (uint32_t i = 0; i < info->n_colors; i++)
    blends[i] = (VkPipelineColorBlendAttachmentState){
      .blendEnable = info->blend,
      .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
      .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
      .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
      .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
      .colorWriteMask = 0xf,
    };
  if (info->change != NULL)
    info->change (&create, info->data);
  vtr_app_check (vkCreateGraphicsPipelines (self->gpu.device, VK_NULL_HANDLE, 1, &create, NULL,
                                            &pipeline),
                 "vkCreateGraphicsPipelines");
  VTR_APP_KEEP (self, PIPELINE, pipeline);
  return pipeline;
}

void
vtr_app_viewport (VkCommandBuffer commands,
                  uint32_t        width,
                  uint32_t        height)
{
  VkViewport viewport = { 0, 0, (float)width, (float)height, 0, 1 };
  VkRect2D scissor = { { 0, 0 }, { width, height } };

  vkCmdSetViewport (commands, 0, 1, &viewport);
  vkCmdSetScissor (commands, 0, 1, &scissor);
  vkCmdSetStencilReference (commands, VK_STENCIL_FACE_FRONT_AND_BACK, 0);
}

void
vtr_app_triangle (VtrAppScene     *self,
                  VkCommandBuffer  commands,
                  float            x,
                  float            y,
                  float            size,
                  float            z,
                  uint32_t         color)
{
  const float push[8] = { x,
                          y,
                          size,
                          z,
                          (float)(color * 37 % 11) / 10,
                          (float)(color * 53 % 7) / 6,
                          (float)(color * 29 % 5) / 4,
                          0.75f };

  vkCmdPushConstants (commands, self->layout, PUSH_STAGES, 0, sizeof push, push);
  vkCmdDraw (commands, 3, 1, 0, 0);
}

void
vtr_app_scene_finish (VtrAppScene *self)
{
  if (self->output != NULL)
    vtr_app_scene_read_back (self);
  destroy_kept (self);
  for (uint32_t i = 0; i < self->n_pictures; i++)
    {
      VtrAppPicture *picture = &self->pictures[i];

      vkDestroyImage (self->gpu.device, picture->image, NULL);
      vkFreeMemory (self->gpu.device, picture->memory, NULL);
    }
  vkDestroyShaderModule (self->gpu.device, self->vertex, NULL);
  vkDestroyShaderModule (self->gpu.device, self->fragment, NULL);
  vkDestroyPipelineLayout (self->gpu.device, self->layout, NULL);
  vtr_app_gpu_finish (&self->gpu);
}
