/* vtr-app-demo-later: the additions of VK_KHR_maintenance7 and 8: render passes that draw beside
 * secondaries, copies between colour and depth, third access flags, layered implementations. */
#include "vtr-app-demo.h"

#include <stdio.h>

#if defined VK_KHR_maintenance7 && defined VK_KHR_maintenance8

typedef struct
{
  VtrAppDemo demo;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkPipeline pipeline;
  VkCommandPool pool;
  VkCommandBuffer secondary;
  VtrAppPicture *values, *depths; /* of the same size; numbers, and depth */
} Later;

static void
make_pass (Later *self)
{
  VtrAppDemo *demo = &self->demo;
  static const VkFormat format = VTR_APP_DEMO_FORMAT;

  self->pass = vtr_app_demo_pass (demo->scene.gpu.device);
  VTR_APP_KEEP (&demo->scene, RENDER_PASS, self->pass);
  self->framebuffer = vtr_app_demo_framebuffer (demo, self->pass);
  self->pipeline = vtr_app_pipeline (
    &demo->scene,
    &(VtrAppPipelineInfo){ .pass = self->pass, .n_colors = 1, .formats = &format });
}

/* An answer with an array that the program gives, in structures that are asked for. */
static void
ask_layers (Later *self)
{
  VkPhysicalDeviceLayeredApiPropertiesKHR layers[4] = { 0 };
  VkPhysicalDeviceLayeredApiPropertiesListKHR list = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_LIST_KHR,
  };
  VkPhysicalDeviceMaintenance7PropertiesKHR limits = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_PROPERTIES_KHR,
    .pNext = &list,
  };
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &limits,
  };

  vkGetPhysicalDeviceProperties2 (self->demo.scene.gpu.physical, &properties);
  for (uint32_t i = 0; i < 4; i++)
    layers[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_KHR;
  list.layeredApiCount = list.layeredApiCount < 4 ? list.layeredApiCount : 4;
  list.pLayeredApis = layers;
  vkGetPhysicalDeviceProperties2 (self->demo.scene.gpu.physical, &properties);
}

static void
start (VtrAppDemo *demo)
{
  Later *self = (Later *)demo;
  VtrAppGpu *gpu = &demo->scene.gpu;
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    .queueFamilyIndex = gpu->family,
  };
  VkCommandBufferAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
    .commandBufferCount = 1,
  };
  VtrAppPictureInfo picture = { .name = "values",
                                .format = VK_FORMAT_R32_SFLOAT,
                                .extent = { 8, 8, 1 },
                                .usage = VK_IMAGE_USAGE_SAMPLED_BIT };

  ask_layers (self);
  make_pass (self);
  vtr_app_check (vkCreateCommandPool (gpu->device, &pool, NULL, &self->pool),
                 "vkCreateCommandPool");
  allocate.commandPool = self->pool;
  vtr_app_check (vkAllocateCommandBuffers (gpu->device, &allocate, &self->secondary),
                 "vkAllocateCommandBuffers");
  self->values = vtr_app_picture (&demo->scene, &picture);
  picture.name = "depths";
  picture.format = VK_FORMAT_D32_SFLOAT;
  picture.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  self->depths = vtr_app_picture (&demo->scene, &picture);
  vtr_app_picture_clear (demo->commands, self->values, 0.25f);
  vtr_app_picture_clear (demo->commands, self->depths, 0.75f);
}

static void
record_secondary (Later *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkCommandBuffer before = demo->commands;
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
    .pInheritanceInfo = &inheritance,
  };

  demo->commands = self->secondary;
  vtr_app_check (vkBeginCommandBuffer (self->secondary, &info), "vkBeginCommandBuffer");
  vtr_app_viewport (self->secondary, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (self->secondary, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vtr_app_demo_triangle (demo, 3);
  vtr_app_demo_check (demo);
  vtr_app_demo_triangle (demo, 4);
  vtr_app_check (vkEndCommandBuffer (self->secondary), "vkEndCommandBuffer");
  demo->commands = before;
}

static void
draw_triangle (Later    *self,
               uint32_t  nth)
{
  vtr_app_viewport (self->demo.commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (self->demo.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vtr_app_demo_triangle (&self->demo, nth);
}

static void
copy (Later         *self,
      VtrAppPicture *from,
      VtrAppPicture *to,
      int32_t        at)
{
  const bool to_depth = to == self->depths;
  const VkImageCopy region = {
    .srcSubresource = { to_depth ? VK_IMAGE_ASPECT_COLOR_BIT : VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1 },
    .dstSubresource = { to_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .srcOffset = { 0, at, 0 },
    .dstOffset = { at, 0, 0 },
    .extent = { 3, 4, 1 },
  };
  /* Of no access that there is so far. */
  const VkMemoryBarrierAccessFlags3KHR more = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_ACCESS_FLAGS_3_KHR,
  };
  const VkMemoryBarrier2 barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
    .pNext = &more,
    .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
    .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
  };
  const VkDependencyInfo dependency = {
    .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
    .memoryBarrierCount = 1,
    .pMemoryBarriers = &barrier,
  };

  if (self->demo.scene.stopped)
    return;
  vkCmdCopyImage (self->demo.commands, from->image, from->layout, to->image, to->layout, 1,
                  &region);
  vkCmdPipelineBarrier2 (self->demo.commands, &dependency);
}

static void
draw (VtrAppDemo *demo)
{
  Later *self = (Later *)demo;
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
  };
  const int32_t at = (int32_t)demo->frame % 3;

  copy (self, self->values, self->depths, at);
  if (!vtr_app_demo_check (demo))
    return;
  copy (self, self->depths, self->values, at + 1);
  vkCmdBeginRenderPass (demo->commands, &begin,
                        VK_SUBPASS_CONTENTS_INLINE_AND_SECONDARY_COMMAND_BUFFERS_KHR);
  draw_triangle (self, 1);
  record_secondary (self);
  vkCmdExecuteCommands (demo->commands, 1, &self->secondary);
  if (!demo->scene.stopped)
    {
      draw_triangle (self, 6);
      vtr_app_demo_check (demo);
    }
  vkCmdEndRenderPass (demo->commands);
}

static void
finish (VtrAppDemo *demo)
{
  vkDestroyCommandPool (demo->scene.gpu.device, ((Later *)demo)->pool, NULL);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_KHR_MAINTENANCE_7_EXTENSION_NAME,
                                            VK_KHR_MAINTENANCE_8_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceMaintenance7FeaturesKHR seventh = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_FEATURES_KHR,
    .maintenance7 = VK_TRUE,
  };
  static const VkPhysicalDeviceMaintenance8FeaturesKHR eighth = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_8_FEATURES_KHR,
    .maintenance8 = VK_TRUE,
  };
  Later self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "maintenance7 and maintenance8",
                                              .extensions = extensions,
                                              .more = { { &seventh, sizeof seventh },
                                                        { &eighth, sizeof eighth } },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}

#else

int
main (void)
{
  puts ("The Vulkan headers that this was built with do not know VK_KHR_maintenance7 and 8.");
  return VTR_APP_SKIPPED;
}

#endif
