/* vtr-app-families: images that queues of several families use one after the other, without a
 * transfer from one family to the other (VK_KHR_maintenance9).
 *
 * The first submission, on a queue of the first family, fills both images. The second one, on a
 * queue of the second family, changes the layout of one of them and reads both. The others are of
 * the first family and use no image.
 *
 * --depth: images of depth, which only queues for graphics can copy: the second submission reads
 * none.
 *
 * Ends with status 77 where the headers or the driver do not know the extension, or without a
 * second family.
 */
#include "vtr-app.h"

#include <stdio.h>

#define SKIPPED 77
#define SIDE 8u
#define BYTES (SIDE * SIDE * 4)
#define N_FAMILIES 8u

#ifdef VK_KHR_maintenance9

typedef struct
{
  VtrAppGpu gpu;
  VtrAppImage images[2]; /* the first one changes its layout */
  VtrAppBuffer copy;
  VkQueue queue;
  VkCommandPool pool;
  VkCommandBuffer commands, others; /* of the first family, of the second */
  VkFence fence;
  bool depth;
} Families;

static bool
is_offered (void)
{
  VkPhysicalDeviceMaintenance9FeaturesKHR nine = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR,
  };
  VkPhysicalDeviceFeatures2 features = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                         .pNext = &nine };
  VtrAppGpu trial = { 0 };
  uint32_t n = 0;

  vtr_app_gpu_init (&trial, NULL, false);
  vkGetPhysicalDeviceFeatures2 (trial.physical, &features);
  vkGetPhysicalDeviceQueueFamilyProperties (trial.physical, &n, NULL);
  vtr_app_gpu_finish (&trial);
  return nine.maintenance9 && n > 1;
}

static void
make_device (Families *self)
{
  static const char *const extensions[] = { VK_KHR_MAINTENANCE_9_EXTENSION_NAME, NULL };
  VkPhysicalDeviceMaintenance9FeaturesKHR nine = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR,
    .maintenance9 = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &nine,
  };
  uint32_t n = 0;

  self->gpu.all_queues = true;
  self->gpu.extensions = extensions;
  vtr_app_gpu_init (&self->gpu, &features, false);
  vkGetPhysicalDeviceQueueFamilyProperties (self->gpu.physical, &n, NULL);
  /* Any of them could be given work. */
  for (uint32_t i = n < N_FAMILIES ? n : N_FAMILIES; i-- > 1;)
    vkGetDeviceQueue (self->gpu.device, i, 0, &self->queue);
}

static void
make_objects (Families *self)
{
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .queueFamilyIndex = 1,
  };
  VkCommandBufferAllocateInfo commands = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  const VkDevice device = self->gpu.device;

  for (uint32_t i = 0; i < 2; i++)
    self->images[i] =
      vtr_app_image (&self->gpu, SIDE, SIDE,
                     self->depth ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_R8G8B8A8_UNORM,
                     VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  self->copy = vtr_app_buffer (&self->gpu, 2 * BYTES, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                               VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                 VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  vtr_app_check (vkCreateCommandPool (device, &pool, NULL, &self->pool), "vkCreateCommandPool");
  commands.commandPool = self->pool;
  vtr_app_check (vkAllocateCommandBuffers (device, &commands, &self->others),
                 "vkAllocateCommandBuffers");
  vtr_app_check (vkCreateFence (device, &fence, NULL, &self->fence), "vkCreateFence");
  self->commands = vtr_app_commands (&self->gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
}

static void
fill_images (Families *self)
{
  const VkImageSubresourceRange all = { vtr_app_aspects (self->images[0].format), 0, 1, 0, 1 };
  const VkClearColorValue color = { .float32 = { 0.25f, 0.5f, 0.75f, 1 } };
  const VkClearDepthStencilValue depth = { 0.5f, 0 };

  for (uint32_t i = 0; i < 2; i++)
    {
      vtr_app_transition (self->commands, &self->images[i], VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_GENERAL);
      if (self->depth)
        vkCmdClearDepthStencilImage (self->commands, self->images[i].image,
                                     VK_IMAGE_LAYOUT_GENERAL, &depth, 1, &all);
      else
        vkCmdClearColorImage (self->commands, self->images[i].image, VK_IMAGE_LAYOUT_GENERAL,
                              &color, 1, &all);
    }
}

static void
read_images (Families *self)
{
  VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { SIDE, SIDE, 1 },
  };

  vtr_app_transition (self->others, &self->images[0], VK_IMAGE_LAYOUT_GENERAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  if (self->depth)
    return;
  vkCmdCopyImageToBuffer (self->others, self->images[0].image,
                          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, self->copy.buffer, 1, &region);
  region.bufferOffset = BYTES;
  vkCmdCopyImageToBuffer (self->others, self->images[1].image, VK_IMAGE_LAYOUT_GENERAL,
                          self->copy.buffer, 1, &region);
}

static void
run_others (Families *self)
{
  const VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->others,
  };
  const VkDevice device = self->gpu.device;

  vtr_app_begin (self->others);
  read_images (self);
  vtr_app_check (vkEndCommandBuffer (self->others), "vkEndCommandBuffer");
  vtr_app_check (vkQueueSubmit (self->queue, 1, &info, self->fence), "vkQueueSubmit");
  vtr_app_check (vkWaitForFences (device, 1, &self->fence, VK_TRUE, UINT64_MAX),
                 "vkWaitForFences");
}

static void
run (Families *self,
     uint32_t  n_frames)
{
  for (uint32_t frame = 0; frame < n_frames; frame++)
    {
      if (frame == 1)
        {
          run_others (self);
          continue;
        }
      vtr_app_begin (self->commands);
      if (frame == 0)
        fill_images (self);
      else
        vkCmdFillBuffer (self->commands, self->copy.buffer, 0, 4, frame);
      vtr_app_run (&self->gpu, self->commands);
    }
}

static void
finish (Families *self)
{
  vkDestroyFence (self->gpu.device, self->fence, NULL);
  vkDestroyCommandPool (self->gpu.device, self->pool, NULL);
  vtr_app_buffer_finish (&self->gpu, &self->copy);
  for (uint32_t i = 0; i < 2; i++)
    vtr_app_image_finish (&self->gpu, &self->images[i]);
  vtr_app_gpu_finish (&self->gpu);
}

#endif

int
main (int    argc,
      char **argv)
{
  uint32_t n_frames = 5;
  bool depth = false;
  const VtrAppOption options[] = {
    { .name = "--frames", .number = &n_frames, .help = "submissions" },
    { .name = "--depth", .flag = &depth, .help = "images of depth" },
    { 0 },
  };

  vtr_app_options (argc, argv, options);
#ifdef VK_KHR_maintenance9
  Families self = { .depth = depth };

  if (!is_offered ())
    {
      fprintf (stderr, "This driver has no VK_KHR_maintenance9, or one family of queues.\n");
      return SKIPPED;
    }
  make_device (&self);
  make_objects (&self);
  run (&self, n_frames);
  finish (&self);
  return 0;
#else
  fprintf (stderr, "These headers know no VK_KHR_maintenance9.\n");
  return SKIPPED;
#endif
}
