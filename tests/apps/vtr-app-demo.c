#include "vtr-app-demo.h"

#include "vtr-app-window.h"

#include "demo_set_frag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- What the driver offers ------------------------------------------------------------------ */

void
vtr_app_demo_skip (const char *what)
{
  printf ("The driver does not offer %s.\n", what);
  exit (VTR_APP_SKIPPED);
}

static bool
has_extensions (VkPhysicalDevice         device,
                const char       *const *names)
{
  VkExtensionProperties offered[512];
  uint32_t n = 512;

  if (vkEnumerateDeviceExtensionProperties (device, NULL, &n, offered) < 0)
    return false;
  for (uint32_t i = 0; names != NULL && names[i] != NULL; i++)
    {
      bool found = false;

      for (uint32_t j = 0; j < n && !found; j++)
        found = strcmp (names[i], offered[j].extensionName) == 0;
      if (!found)
        return false;
    }
  return true;
}

/* Whether every feature that @wanted has is in @offered: both are a head and VkBool32s. */
static bool
has_features (const void *wanted,
              const void *offered,
              size_t      size)
{
  const VkBool32 *a = wanted, *b = offered;

  for (size_t i = sizeof (VkBaseOutStructure) / sizeof *a; i < size / sizeof *a; i++)
    if (a[i] == VK_TRUE && b[i] != VK_TRUE)
      return false;
  return true;
}

typedef struct
{
  VkPhysicalDeviceFeatures2 core;
  VkPhysicalDeviceVulkan11Features features11;
  VkPhysicalDeviceVulkan12Features features12;
  VkPhysicalDeviceVulkan13Features features13;
  _Alignas(8) char more[6][256];
} Features;

static void
link_features (Features             *self,
               const VtrAppDemoInfo *info,
               bool                  wanted)
{
  void **last = &self->features13.pNext;

  memset (self, 0, sizeof *self);
  if (wanted)
    {
      self->core.features = info->features;
      self->features11 = info->features11;
      self->features12 = info->features12;
      self->features13 = info->features13;
      self->features13.dynamicRendering = self->features13.synchronization2 = VK_TRUE;
    }
  self->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  self->core.pNext = &self->features11;
  self->features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  self->features11.pNext = &self->features12;
  self->features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  self->features12.pNext = &self->features13;
  self->features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  self->features13.pNext = NULL;
  for (uint32_t i = 0; i < 6 && info->more[i].structure != NULL; i++)
    {
      VkBaseOutStructure *more = (VkBaseOutStructure *)(void *)self->more[i];

      memcpy (more, info->more[i].structure,
              wanted ? info->more[i].size : sizeof (VkStructureType));
      more->pNext = NULL;
      *last = more;
      last = (void **)&more->pNext;
    }
}

/* Asks before the device is made. */
static void
ask_driver (const VtrAppDemoInfo *info)
{
  const VkApplicationInfo application = {
    .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
    .apiVersion = info->version != 0 ? info->version : VK_API_VERSION_1_3,
  };
  const VkInstanceCreateInfo create = {
    .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
    .pApplicationInfo = &application,
  };
  VkPhysicalDeviceProperties properties;
  VkPhysicalDevice device;
  VkInstance instance;
  Features wanted, offered;
  uint32_t n = 1;
  bool ok;

  vtr_app_check (vkCreateInstance (&create, NULL, &instance), "vkCreateInstance");
  if (vkEnumeratePhysicalDevices (instance, &n, &device) < 0 || n == 0)
    vtr_app_fail ("there is no Vulkan device");
  vkGetPhysicalDeviceProperties (device, &properties);
  ok = properties.apiVersion >= application.apiVersion &&
       has_extensions (device, info->extensions) &&
       has_extensions (device, info->window_extensions);
  if (ok)
    {
      link_features (&wanted, info, true);
      link_features (&offered, info, false);
      vkGetPhysicalDeviceFeatures2 (device, &offered.core);
      ok = has_features (&wanted.core, &offered.core, sizeof wanted.core) &&
           has_features (&wanted.features11, &offered.features11, sizeof wanted.features11) &&
           has_features (&wanted.features12, &offered.features12, sizeof wanted.features12) &&
           has_features (&wanted.features13, &offered.features13, sizeof wanted.features13);
      for (uint32_t i = 0; i < 6 && info->more[i].structure != NULL; i++)
        ok = ok && has_features (wanted.more[i], offered.more[i], info->more[i].size);
    }
  vkDestroyInstance (instance, NULL);
  if (!ok)
    vtr_app_demo_skip (info->what);
}

void
vtr_app_demo_need_format (VtrAppDemo           *self,
                          VkFormat              format,
                          VkFormatFeatureFlags  features)
{
  VkFormatProperties offered;
  char what[64];

  vkGetPhysicalDeviceFormatProperties (self->scene.gpu.physical, format, &offered);
  snprintf (what, sizeof what, "images of format %d", format);
  if ((offered.optimalTilingFeatures & features) != features)
    vtr_app_demo_skip (what);
}

PFN_vkVoidFunction
vtr_app_demo_need (VtrAppDemo *self,
                   const char *name)
{
  PFN_vkVoidFunction function = vkGetDeviceProcAddr (self->scene.gpu.device, name);

  if (function == NULL)
    vtr_app_fail ("there is no %s", name);
  return function;
}

/* --- Objects --------------------------------------------------------------------------------- */

VtrAppBuffer *
vtr_app_demo_buffer (VtrAppDemo         *self,
                     const char         *name,
                     VkDeviceSize        size,
                     VkBufferUsageFlags  usage)
{
  VtrAppBuffer *buffer = &self->buffers[self->n_buffers].buffer;
  VkDebugUtilsObjectNameInfoEXT named = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
    .objectType = VK_OBJECT_TYPE_BUFFER,
    .pObjectName = name,
  };

  if (self->n_buffers == sizeof self->buffers / sizeof self->buffers[0])
    vtr_app_fail ("too many buffers");
  self->buffers[self->n_buffers++].name = name;
  *buffer = vtr_app_buffer (&self->scene.gpu, size,
                            usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                              VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                              VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  memset (buffer->mapped, 0, size);
  named.objectHandle = (uint64_t)buffer->buffer;
  vtr_app_check (self->scene.set_name (self->scene.gpu.device, &named),
                 "vkSetDebugUtilsObjectNameEXT");
  return buffer;
}

VkPipeline
vtr_app_demo_pipeline (VtrAppDemo *self,
                       void (*change) (VkGraphicsPipelineCreateInfo *create,
                                       void *data),
                       void *data)
{
  const VkFormat format = VTR_APP_DEMO_FORMAT;

  return vtr_app_pipeline (&self->scene, &(VtrAppPipelineInfo){ .n_colors = 1,
                                                                .formats = &format,
                                                                .change = change,
                                                                .data = data });
}

VkPipeline
vtr_app_demo_compute (VtrAppDemo       *self,
                      const uint32_t    code[],
                      size_t            size,
                      VkPipelineLayout  layout)
{
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = vtr_app_scene_shader (&self->scene, code, size),
               .pName = "main" },
    .layout = layout,
  };
  VkPipeline pipeline;

  vtr_app_check (vkCreateComputePipelines (self->scene.gpu.device, VK_NULL_HANDLE, 1, &info, NULL,
                                           &pipeline),
                 "vkCreateComputePipelines");
  VTR_APP_KEEP (&self->scene, PIPELINE, pipeline);
  return pipeline;
}

VkDescriptorSetLayout
vtr_app_demo_set_layout (VtrAppDemo                         *self,
                         const VkDescriptorSetLayoutBinding *bindings,
                         uint32_t                            n,
                         VkDescriptorSetLayoutCreateFlags    flags,
                         const void                         *next)
{
  const VkDescriptorSetLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .pNext = next,
    .flags = flags,
    .bindingCount = n,
    .pBindings = bindings,
  };
  VkDescriptorSetLayout layout;

  vtr_app_check (vkCreateDescriptorSetLayout (self->scene.gpu.device, &info, NULL, &layout),
                 "vkCreateDescriptorSetLayout");
  VTR_APP_KEEP (&self->scene, DESCRIPTOR_SET_LAYOUT, layout);
  return layout;
}

VkPipelineLayout
vtr_app_demo_layout (VtrAppDemo            *self,
                     VkDescriptorSetLayout  set,
                     VkShaderStageFlags     stages)
{
  const VkPushConstantRange range = { stages, 0, 128 };
  const VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = set != VK_NULL_HANDLE ? 1 : 0,
    .pSetLayouts = &set,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkPipelineLayout layout;

  vtr_app_check (vkCreatePipelineLayout (self->scene.gpu.device, &info, NULL, &layout),
                 "vkCreatePipelineLayout");
  VTR_APP_KEEP (&self->scene, PIPELINE_LAYOUT, layout);
  return layout;
}

VkDescriptorSet
vtr_app_demo_set (VtrAppDemo                         *self,
                  VkDescriptorSetLayout               layout,
                  const VkDescriptorSetLayoutBinding *bindings,
                  uint32_t                            n,
                  VkDescriptorPoolCreateFlags         flags,
                  const void                         *next)
{
  VkDescriptorPoolSize sizes[8];
  const VkDescriptorPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .pNext = next,
    .flags = flags,
    .maxSets = 1,
    .poolSizeCount = n,
    .pPoolSizes = sizes,
  };
  VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pSetLayouts = &layout,
  };
  VkDescriptorSet set;

  for (uint32_t i = 0; i < n; i++)
    sizes[i] =
      (VkDescriptorPoolSize){ bindings[i].descriptorType, bindings[i].descriptorCount };
  vtr_app_check (vkCreateDescriptorPool (self->scene.gpu.device, &info, NULL,
                                         &allocate.descriptorPool),
                 "vkCreateDescriptorPool");
  VTR_APP_KEEP (&self->scene, DESCRIPTOR_POOL, allocate.descriptorPool);
  vtr_app_check (vkAllocateDescriptorSets (self->scene.gpu.device, &allocate, &set),
                 "vkAllocateDescriptorSets");
  return set;
}

VtrAppPicture *
vtr_app_demo_texture (VtrAppDemo *self,
                      const char *name,
                      uint32_t    seed)
{
  VtrAppPicture *picture =
    vtr_app_picture (&self->scene, &(VtrAppPictureInfo){ .name = name,
                                                         .format = VTR_APP_DEMO_FORMAT,
                                                         .extent = { 8, 8, 1 },
                                                         .usage = VK_IMAGE_USAGE_SAMPLED_BIT });
  VtrAppBuffer *texels =
    vtr_app_demo_buffer (self, name, 256, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { 8, 8, 1 },
  };

  for (uint32_t i = 0; i < 256; i++)
    ((uint8_t *)texels->mapped)[i] = (uint8_t)(i * (37 + 2 * seed) + seed);
  vtr_app_picture_to (self->commands, picture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdCopyBufferToImage (self->commands, texels->buffer, picture->image, picture->layout, 1,
                          &region);
  vtr_app_picture_to (self->commands, picture, VK_IMAGE_LAYOUT_GENERAL);
  return picture;
}

VkSampler
vtr_app_demo_sampler (VtrAppDemo                *self,
                      const VkSamplerCreateInfo *change)
{
  const VkSamplerCreateInfo plain = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO };
  VkSampler sampler;

  vtr_app_check (vkCreateSampler (self->scene.gpu.device, change != NULL ? change : &plain, NULL,
                                  &sampler),
                 "vkCreateSampler");
  VTR_APP_KEEP (&self->scene, SAMPLER, sampler);
  return sampler;
}

void
vtr_app_demo_set_stage (VkGraphicsPipelineCreateInfo *create,
                        uint32_t                      nth,
                        VkShaderModule                module)
{
  ((VkPipelineShaderStageCreateInfo *)create->pStages)[nth].module = module;
}

static void
use_inputs (VkGraphicsPipelineCreateInfo *create,
            void                         *data)
{
  VtrAppDemoInputs *inputs = data;

  create->layout = inputs->layout;
}

VkShaderModule
vtr_app_demo_input_shader (VtrAppDemo *self)
{
  return vtr_app_scene_shader (&self->scene, demo_set_frag, sizeof demo_set_frag);
}

void
vtr_app_demo_inputs (VtrAppDemo                       *self,
                     VtrAppDemoInputs                 *inputs,
                     VkDescriptorType                  tint,
                     VkDescriptorSetLayoutCreateFlags  flags)
{
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

  inputs->bindings[0] = (VkDescriptorSetLayoutBinding){
    0, tint, tint == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? 16 : 1, VK_SHADER_STAGE_FRAGMENT_BIT,
    NULL
  };
  inputs->bindings[1] = (VkDescriptorSetLayoutBinding){
    1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL
  };
  inputs->set = vtr_app_demo_set_layout (self, inputs->bindings, 2, flags, NULL);
  inputs->layout = vtr_app_demo_layout (self, inputs->set, stages);
  inputs->pipeline = vtr_app_pipeline (
    &self->scene,
    &(VtrAppPipelineInfo){
      .n_colors = 1,
      .formats = &format,
      .fragment = vtr_app_demo_input_shader (self),
      .change = use_inputs,
      .data = inputs });
  inputs->textures[0] = vtr_app_demo_texture (self, "texture0", 1);
  inputs->textures[1] = vtr_app_demo_texture (self, "texture1", 5);
  inputs->sampler = vtr_app_demo_sampler (self, NULL);
  inputs->tints =
    vtr_app_demo_buffer (self, "tints", 512, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  for (uint32_t i = 0; i < 2; i++)
    memcpy ((char *)inputs->tints->mapped + i * 256,
            (const float[]){ 1.5f - (float)i, 0.5f, 0.75f, 1 }, 16);
}

/* --- Recording ------------------------------------------------------------------------------- */

bool
vtr_app_demo_check (VtrAppDemo *self)
{
  return !vtr_app_scene_check (&self->scene, self->commands);
}

void
vtr_app_demo_flush (VtrAppDemo *self)
{
  vtr_app_barrier (self->commands);
  vtr_app_scene_submit (&self->scene, self->commands);
  self->commands = vtr_app_scene_begin (&self->scene);
}

static VkRenderingAttachmentInfo
attachment_of (const VtrAppPicture *picture,
               bool                 clear)
{
  return (VkRenderingAttachmentInfo){
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = picture->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
}

void
vtr_app_demo_render_to (VtrAppDemo     *self,
                        uint32_t        n_colors,
                        VtrAppPicture **colors,
                        VtrAppPicture  *depth,
                        bool            clear)
{
  const VtrAppPicture *first = n_colors > 0 ? colors[0] : depth;
  VkRenderingAttachmentInfo attachments[8], depths[1];
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { first->info.extent.width, first->info.extent.height } },
    .layerCount = 1,
    .colorAttachmentCount = n_colors,
    .pColorAttachments = attachments,
    .pDepthAttachment = depth != NULL ? depths : NULL,
  };

  for (uint32_t i = 0; i < n_colors; i++)
    attachments[i] = attachment_of (colors[i], clear);
  if (depth != NULL)
    {
      depths[0] = attachment_of (depth, clear);
      depths[0].clearValue.depthStencil.depth = 1;
    }
  vtr_app_barrier (self->commands);
  vkCmdBeginRendering (self->commands, &info);
  vtr_app_viewport (self->commands, first->info.extent.width, first->info.extent.height);
}

void
vtr_app_demo_begin_rendering (VtrAppDemo *self)
{
  vtr_app_demo_render_to (self, 1, &self->color, NULL, false);
  vkCmdBindPipeline (self->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
}

void
vtr_app_demo_end_rendering (VtrAppDemo *self)
{
  vkCmdEndRendering (self->commands);
}

void
vtr_app_demo_triangle (VtrAppDemo *self,
                       uint32_t    nth)
{
  if (!self->scene.stopped)
    vtr_app_triangle (&self->scene, self->commands, -1 + 0.2f * (float)(nth % 9),
                      -0.9f + 0.12f * (float)(nth % 7), 0.8f, 0.5f, nth + self->frame);
}

/* --- Frames ---------------------------------------------------------------------------------- */

typedef struct
{
  xcb_connection_t *connection;
  VtrAppWindow window;
  VkSemaphore drawn;
} Presenter;

static void
presenter_init (Presenter  *self,
                VtrAppDemo *demo)
{
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };

  self->connection = vtr_app_connect ();
  self->window.width = 2 * VTR_APP_DEMO_WIDTH;
  self->window.height = 2 * VTR_APP_DEMO_HEIGHT;
  self->window.format = VK_FORMAT_B8G8R8A8_UNORM;
  vtr_app_window_init (&self->window, &demo->scene.gpu, self->connection, 10);
  vtr_app_check (vkCreateSemaphore (demo->scene.gpu.device, &info, NULL, &self->drawn),
                 "vkCreateSemaphore");
}

/* .color, twice as large. */
static void
presenter_show (Presenter  *self,
                VtrAppDemo *demo)
{
  VtrAppGpu *gpu = &demo->scene.gpu;
  VkCommandBuffer commands = vtr_app_scene_begin (&demo->scene);
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &self->window.acquired,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = 1,
    .pCommandBuffers = &commands,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = &self->drawn,
  };
  const VkPresentInfoKHR present = {
    .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &self->drawn,
    .swapchainCount = 1,
    .pSwapchains = &self->window.swapchain,
    .pImageIndices = &self->window.current,
  };
  const VkImageSubresourceLayers layers = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };
  const VkImageBlit blit = {
    .srcSubresource = layers,
    .srcOffsets = { { 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 } },
    .dstSubresource = layers,
    .dstOffsets = { { 0 }, { 2 * VTR_APP_DEMO_WIDTH, 2 * VTR_APP_DEMO_HEIGHT, 1 } },
  };
  VtrAppImage image = { .format = self->window.format };

  vtr_app_window_acquire (&self->window, gpu);
  image.image = self->window.images[self->window.current];
  vtr_app_transition (commands, &image, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdBlitImage (commands, demo->color->image, demo->color->layout, image.image,
                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit, VK_FILTER_NEAREST);
  vtr_app_transition (commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  vtr_app_check (vkQueueSubmit (gpu->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  vtr_app_check (vkQueuePresentKHR (gpu->queue, &present), "vkQueuePresentKHR");
  vtr_app_check (vkQueueWaitIdle (gpu->queue), "vkQueueWaitIdle");
  vkFreeCommandBuffers (gpu->device, gpu->pool, 1, &commands);
}

static void
presenter_finish (Presenter  *self,
                  VtrAppDemo *demo)
{
  vkDestroySemaphore (demo->scene.gpu.device, self->drawn, NULL);
  vtr_app_window_finish (&self->window, &demo->scene.gpu);
  xcb_disconnect (self->connection);
}

void
vtr_app_demo_write_buffer (VtrAppDemo         *self,
                           const char         *name,
                           const VtrAppBuffer *buffer)
{
  char path[4096];

  if (self->scene.output == NULL)
    return;
  snprintf (path, sizeof path, "%s/%s.buffer", self->scene.output, name);
  vtr_app_write_file (path, buffer->mapped, buffer->size);
}

static void
finish_buffers (VtrAppDemo *self)
{
  for (uint32_t i = 0; i < self->n_buffers; i++)
    {
      vtr_app_demo_write_buffer (self, self->buffers[i].name, &self->buffers[i].buffer);
      vtr_app_buffer_finish (&self->scene.gpu, &self->buffers[i].buffer);
    }
}

static void
make_color (VtrAppDemo *self)
{
  self->color = vtr_app_picture (&self->scene,
                                 &(VtrAppPictureInfo){
                                   .name = "color",
                                   .format = VTR_APP_DEMO_FORMAT,
                                   .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                                   .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                            VK_IMAGE_USAGE_SAMPLED_BIT |
                                            VK_IMAGE_USAGE_STORAGE_BIT |
                                            VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT });
  self->pipeline = vtr_app_demo_pipeline (self, NULL, NULL);
}

int
vtr_app_demo_run (VtrAppDemo            *self,
                  const VtrAppDemoInfo  *info,
                  int                    argc,
                  char                 **argv)
{
  VtrAppScene *scene = &self->scene;
  uint32_t n_frames = 2;
  const char *reason = NULL;
  VtrAppOption options[10] = {
    { "--frames", &n_frames, NULL, NULL, "how many (2)" },
    { "--while", NULL, &reason, NULL, "end as soon as this file is gone" },
    { "--window", NULL, NULL, &scene->present, "present every frame" },
  };
  Presenter presenter = { 0 };
  Features features;

  for (uint32_t i = 0; info->options != NULL && info->options[i].name != NULL; i++)
    options[3 + i] = info->options[i];
  ask_driver (info);
  link_features (&features, info, true);
  scene->gpu.version = info->version;
  scene->gpu.extensions = info->extensions;
  scene->gpu.window_extensions = info->window_extensions;
  vtr_app_scene_init (scene, argc, argv, options, &features.core);
  make_color (self);
  self->commands = vtr_app_scene_begin (scene);
  vtr_app_picture_clear (self->commands, self->color, 0.25f);
  if (info->start != NULL)
    info->start (self);
  if (scene->present && info->show == NULL)
    presenter_init (&presenter, self);
  for (self->frame = 0; self->frame < n_frames && !scene->stopped; self->frame++)
    {
      if (reason != NULL && access (reason, F_OK) != 0)
        break;
      info->draw (self);
      vtr_app_demo_flush (self);
      if (!scene->present || scene->stopped)
        continue;
      if (info->show != NULL)
        info->show (self);
      else
        presenter_show (&presenter, self);
    }
  vtr_app_scene_submit (scene, self->commands);
  vkDeviceWaitIdle (scene->gpu.device);
  if (presenter.connection != NULL)
    presenter_finish (&presenter, self);
  finish_buffers (self);
  if (info->finish != NULL)
    info->finish (self);
  vtr_app_scene_finish (scene);

  return 0;
}
