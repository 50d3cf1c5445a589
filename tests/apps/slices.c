/* vtr-app-slices: a 3D image whose slices have layouts of their own, queries that begin reset, and
 * an asymmetric event (VK_KHR_maintenance9).
 *
 * All bytes of slice N of mip level 0 begin as 0x11 * (N + 1); mip level 1 has one color.
 *
 * Each frame is a submission. It copies one slice and leaves it in another layout. The last one
 * waits for the event that the first one sets, and uses a query that nothing used before. A second
 * device has no queues, but memory and a cache.
 *
 * The second submission draws to a slice. With --whole the feature is off: all slices change their
 * layout then, and none is copied.
 *
 * Ends with status 77 where the headers or the driver do not know the extension.
 */
#include "vtr-app.h"

#include <stdio.h>
#include <string.h>

#define SKIPPED 77
#define SIDE 8u
#define SLICES 4u
#define SLICE_BYTES (SIDE * SIDE * 4)

#ifdef VK_KHR_maintenance9

typedef struct
{
  VtrAppGpu gpu;
  VkImage image; /* two mip levels, of four slices and two */
  VkDeviceMemory memory;
  VkImageLayout layouts[SLICES]; /* of mip level 0 */
  VtrAppBuffer copy;
  VkQueryPool queries;
  VkEvent event;
  VkCommandBuffer commands;
  VkRenderPass pass; /* which draws to slice 2 */
  VkImageView view;
  VkFramebuffer framebuffer;
  bool whole;
  VkDevice quiet; /* without queues */
  VkDeviceMemory quiet_memory;
  VkPipelineCache quiet_cache;
} Slices;

static const VkImageLayout layouts[] = {
  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
};

static bool
is_offered (const VtrAppGpu *gpu)
{
  VkPhysicalDeviceMaintenance9FeaturesKHR offered = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR,
  };
  VkPhysicalDeviceFeatures2 features = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                         .pNext = &offered };

  vkGetPhysicalDeviceFeatures2 (gpu->physical, &features);
  return offered.maintenance9;
}

/* Looks for the feature with a device that does without it. Returns: whether it is there. */
static bool
make_device (Slices *self)
{
  static const char *const extensions[] = { VK_KHR_MAINTENANCE_9_EXTENSION_NAME, NULL };
  VkPhysicalDeviceMaintenance9FeaturesKHR nine = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR,
    .maintenance9 = !self->whole,
  };
  VkPhysicalDeviceVulkan13Features core = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    .pNext = &nine,
    .synchronization2 = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &core,
  };
  VtrAppGpu trial = { 0 };
  bool offered;

  vtr_app_gpu_init (&trial, NULL, false);
  offered = is_offered (&trial);
  vtr_app_gpu_finish (&trial);
  self->gpu.extensions = extensions;
  if (offered)
    vtr_app_gpu_init (&self->gpu, &features, false);
  return offered;
}

static void
make_quiet_device (Slices *self)
{
  static const char *const extensions[] = { VK_KHR_MAINTENANCE_9_EXTENSION_NAME };
  const VkPhysicalDeviceMaintenance9FeaturesKHR features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR,
    .maintenance9 = VK_TRUE,
  };
  const VkDeviceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .pNext = (void *)&features,
    .enabledExtensionCount = 1,
    .ppEnabledExtensionNames = extensions,
  };
  const VkPipelineCacheCreateInfo cache = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
  };
  const VkMemoryAllocateInfo memory = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .allocationSize = 4096,
  };
  void *bytes;

  vtr_app_check (vkCreateDevice (self->gpu.physical, &info, NULL, &self->quiet), "vkCreateDevice");
  vtr_app_check (vkCreatePipelineCache (self->quiet, &cache, NULL, &self->quiet_cache),
                 "vkCreatePipelineCache");
  vtr_app_check (vkAllocateMemory (self->quiet, &memory, NULL, &self->quiet_memory),
                 "vkAllocateMemory");
  if (vkMapMemory (self->quiet, self->quiet_memory, 0, VK_WHOLE_SIZE, 0, &bytes) == VK_SUCCESS)
    memset (bytes, 0x5a, 4096);
}

static VkImageSubresourceRange
slice_range (uint32_t mip,
             uint32_t slice)
{
  return (VkImageSubresourceRange){ VK_IMAGE_ASPECT_COLOR_BIT, mip, 1, slice, 1 };
}

static void
make_pass (Slices *self)
{
  const VkAttachmentDescription attachment = {
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
  };
  const VkAttachmentReference color = { 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL };
  const VkSubpassDescription subpass = { .colorAttachmentCount = 1, .pColorAttachments = &color };
  const VkRenderPassCreateInfo pass = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  const VkImageViewCreateInfo view = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = self->image,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = attachment.format,
    .subresourceRange = slice_range (0, 2),
  };
  VkFramebufferCreateInfo framebuffer = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &self->view,
    .width = SIDE,
    .height = SIDE,
    .layers = 1,
  };
  const VkDevice device = self->gpu.device;

  vtr_app_check (vkCreateRenderPass (device, &pass, NULL, &self->pass), "vkCreateRenderPass");
  vtr_app_check (vkCreateImageView (device, &view, NULL, &self->view), "vkCreateImageView");
  framebuffer.renderPass = self->pass;
  vtr_app_check (vkCreateFramebuffer (device, &framebuffer, NULL, &self->framebuffer),
                 "vkCreateFramebuffer");
}

static void
draw (Slices *self)
{
  const VkClearValue clear = { .color.float32 = { 1, 0, 0, 1 } };
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { SIDE, SIDE } },
    .clearValueCount = 1,
    .pClearValues = &clear,
  };

  vkCmdBeginRenderPass (self->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdEndRenderPass (self->commands);
  self->layouts[2] = VK_IMAGE_LAYOUT_GENERAL;
}

static void
make_objects (Slices *self)
{
  const VkImageCreateInfo image = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT,
    .imageType = VK_IMAGE_TYPE_3D,
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .extent = { SIDE, SIDE, SLICES },
    .mipLevels = 2,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
             VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  };
  const VkQueryPoolCreateInfo queries = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .flags = VK_QUERY_POOL_CREATE_RESET_BIT_KHR,
    .queryType = VK_QUERY_TYPE_TIMESTAMP,
    .queryCount = 2,
  };
  const VkEventCreateInfo event = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO,
                                    .flags = VK_EVENT_CREATE_DEVICE_ONLY_BIT };
  const VkDevice device = self->gpu.device;
  VkMemoryRequirements needs;

  vtr_app_check (vkCreateImage (device, &image, NULL, &self->image), "vkCreateImage");
  vkGetImageMemoryRequirements (device, self->image, &needs);
  self->memory = vtr_app_allocate (&self->gpu, &needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  vtr_app_check (vkBindImageMemory (device, self->image, self->memory, 0), "vkBindImageMemory");
  vtr_app_check (vkCreateQueryPool (device, &queries, NULL, &self->queries), "vkCreateQueryPool");
  vtr_app_check (vkCreateEvent (device, &event, NULL, &self->event), "vkCreateEvent");
  self->copy = vtr_app_buffer (
    &self->gpu, SLICES * SLICE_BYTES,
    VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  for (uint32_t slice = 0; slice < SLICES; slice++)
    memset ((char *)self->copy.mapped + slice * SLICE_BYTES, 0x11 * ((int)slice + 1), SLICE_BYTES);
  self->commands = vtr_app_commands (&self->gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
}

static VkImageMemoryBarrier2
transition (const Slices            *self,
            VkImageSubresourceRange  range,
            VkImageLayout            from,
            VkImageLayout            to)
{
  return (VkImageMemoryBarrier2){
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
    .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
    .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = self->image,
    .subresourceRange = range,
  };
}

static void
move (Slices                  *self,
      VkImageSubresourceRange  range,
      VkImageLayout            from,
      VkImageLayout            to)
{
  const VkImageMemoryBarrier2 barrier = transition (self, range, from, to);
  const VkDependencyInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
    .imageMemoryBarrierCount = 1,
    .pImageMemoryBarriers = &barrier,
  };

  if (from != to)
    vkCmdPipelineBarrier2 (self->commands, &info);
}

static void
move_slice (Slices        *self,
            uint32_t       slice,
            VkImageLayout  to)
{
  move (self, slice_range (0, slice), self->layouts[slice], to);
  self->layouts[slice] = to;
}

static VkBufferImageCopy
region_of_slice (uint32_t slice)
{
  return (VkBufferImageCopy){
    .bufferOffset = slice * SLICE_BYTES,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageOffset = { 0, 0, (int32_t)slice },
    .imageExtent = { SIDE, SIDE, 1 },
  };
}

static void
begin_all (Slices *self)
{
  const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                        VK_REMAINING_ARRAY_LAYERS };
  const VkImageLayout filled = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  const VkClearColorValue color = { .float32 = { 0.25f, 0.5f, 0.75f, 1 } };
  const VkMemoryBarrier2 before = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
    .srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
  };
  const VkDependencyInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
    .dependencyFlags = VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR,
    .memoryBarrierCount = 1,
    .pMemoryBarriers = &before,
  };

  move (self, all, VK_IMAGE_LAYOUT_UNDEFINED, filled);
  vkCmdClearColorImage (self->commands, self->image, filled, &color, 1, &all);
  if (self->whole)
    return;
  vtr_app_barrier (self->commands);
  for (uint32_t slice = 0; slice < SLICES; slice++)
    {
      const VkBufferImageCopy region = region_of_slice (slice);

      vkCmdCopyBufferToImage (self->commands, self->copy.buffer, self->image, filled, 1, &region);
      self->layouts[slice] = filled;
      move_slice (self, slice, layouts[slice]);
    }
  move (self, slice_range (1, 1), filled, VK_IMAGE_LAYOUT_GENERAL);
  vkCmdSetEvent2 (self->commands, self->event, &info);
  vkCmdWriteTimestamp2 (self->commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, self->queries, 0);
}

static void
copy_slice (Slices   *self,
            uint32_t  slice)
{
  const VkBufferImageCopy region = region_of_slice (slice);

  move_slice (self, slice, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  vkCmdCopyImageToBuffer (self->commands, self->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                          self->copy.buffer, 1, &region);
}

/* The wait names what the event did not: the layout of a slice. */
static void
end_all (Slices *self)
{
  const VkImageMemoryBarrier2 barrier = transition (
    self, slice_range (0, 2), self->layouts[2], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  VkDependencyInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
    .dependencyFlags = VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR,
    .imageMemoryBarrierCount = 1,
    .pImageMemoryBarriers = &barrier,
  };

  vkCmdWaitEvents2 (self->commands, 1, &self->event, &info);
  self->layouts[2] = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  vkCmdWriteTimestamp2 (self->commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, self->queries, 1);
}

static void
run (Slices   *self,
     uint32_t  n_frames)
{
  for (uint32_t frame = 0; frame < n_frames; frame++)
    {
      const uint32_t slice = frame % SLICES;

      vtr_app_begin (self->commands);
      if (frame == 0)
        begin_all (self);
      if (frame == 1)
        draw (self);
      if (!self->whole)
        {
          copy_slice (self, slice);
          move_slice (self, slice, layouts[(slice + frame) % SLICES]);
        }
      if (!self->whole && frame + 1 == n_frames)
        end_all (self);
      vtr_app_run (&self->gpu, self->commands);
    }
}

#endif

int
main (int    argc,
      char **argv)
{
  uint32_t n_frames = 5;
  bool whole = false;
  const VtrAppOption options[] = {
    { .name = "--frames", .number = &n_frames, .help = "submissions" },
    { .name = "--whole", .flag = &whole, .help = "slices have one layout together" },
    { 0 },
  };

  vtr_app_options (argc, argv, options);
#ifdef VK_KHR_maintenance9
  Slices self = { .whole = whole };

  if (!make_device (&self))
    {
      fprintf (stderr, "This driver has no VK_KHR_maintenance9.\n");
      return SKIPPED;
    }
  make_quiet_device (&self);
  make_objects (&self);
  make_pass (&self);
  run (&self, n_frames);
  vkDestroyFramebuffer (self.gpu.device, self.framebuffer, NULL);
  vkDestroyImageView (self.gpu.device, self.view, NULL);
  vkDestroyRenderPass (self.gpu.device, self.pass, NULL);
  vkDestroyEvent (self.gpu.device, self.event, NULL);
  vkDestroyQueryPool (self.gpu.device, self.queries, NULL);
  vkDestroyImage (self.gpu.device, self.image, NULL);
  vkFreeMemory (self.gpu.device, self.memory, NULL);
  vkDestroyPipelineCache (self.quiet, self.quiet_cache, NULL);
  vkFreeMemory (self.quiet, self.quiet_memory, NULL);
  vkDestroyDevice (self.quiet, NULL);
  vtr_app_buffer_finish (&self.gpu, &self.copy);
  vtr_app_gpu_finish (&self.gpu);
  return 0;
#else
  fprintf (stderr, "These headers know no VK_KHR_maintenance9.\n");
  return SKIPPED;
#endif
}
