/* Runs a demo: enables device features, renders, presents, and loops over frames. */
#include "vtr-app-demo.h"

#include "vtr-app-window.h"

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
