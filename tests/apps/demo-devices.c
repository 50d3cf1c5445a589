/* vtr-app-demo-devices: three instances with a device each that work in turn: the program copies
 * what one has drawn to the next through mapped memory. */
#include "vtr-app-demo.h"

#include <string.h>

#define SIZE 16u
#define BYTES (SIZE * SIZE * 4)

typedef struct
{
  VtrAppGpu gpu;
  VtrAppImage image;
  VtrAppBuffer buffer;
  bool ready; /* .image has contents */
} Station;

typedef struct
{
  VtrAppDemo demo;
  Station stations[2];
  VtrAppBuffer *arrived;
} Devices;

static const VkImageSubresourceLayers layers = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };

static void
start (VtrAppDemo *demo)
{
  Devices *self = (Devices *)demo;
  const VkPhysicalDeviceVulkan13Features features13 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    .pNext = NULL,
    .dynamicRendering = VK_TRUE,
    .synchronization2 = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = (void *)&features13,
  };

  for (uint32_t i = 0; i < 2; i++)
    {
      Station *station = &self->stations[i];

      vtr_app_gpu_init (&station->gpu, &features, false);
      station->image =
        vtr_app_image (&station->gpu, SIZE, SIZE, VTR_APP_DEMO_FORMAT,
                       VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                         VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
      station->buffer = vtr_app_buffer (&station->gpu, BYTES,
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                          VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    }
  self->arrived = vtr_app_demo_buffer (demo, "arrived", BYTES, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
}

/* Some of what came goes into the image, a rectangle is cleared in it, all of it goes on. */
static void
work (Devices  *self,
      Station  *station,
      uint32_t  nth)
{
  const float shade = 0.2f * (float)((self->demo.frame + nth) % 5);
  const VkClearAttachment clear = { VK_IMAGE_ASPECT_COLOR_BIT,
                                    0,
                                    { .color = { .float32 = { 1 - shade, shade, 0.4f, 1 } } } };
  const VkClearRect rect = { { { (int32_t)(2 + 5 * nth), (int32_t)(self->demo.frame % 8) },
                               { 4, 6 } },
                             0,
                             1 };
  const VkBufferImageCopy some = { .bufferOffset = SIZE * 4 * 2,
                                   .imageSubresource = layers,
                                   .imageOffset = { 0, 1, 0 },
                                   .imageExtent = { SIZE, SIZE - 2, 1 } };
  const VkBufferImageCopy all = { .imageSubresource = layers, .imageExtent = { SIZE, SIZE, 1 } };
  const VkRenderingAttachmentInfo attachment = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = station->image.view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = station->ready ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { SIZE, SIZE } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &attachment,
  };
  VkCommandBuffer commands = vtr_app_commands (&station->gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

  vtr_app_begin (commands);
  if (!station->ready)
    vtr_app_transition (commands, &station->image, VK_IMAGE_LAYOUT_UNDEFINED,
                        VK_IMAGE_LAYOUT_GENERAL);
  else
    vkCmdCopyBufferToImage (commands, station->buffer.buffer, station->image.image,
                            VK_IMAGE_LAYOUT_GENERAL, 1, &some);
  vtr_app_barrier (commands);
  vkCmdBeginRendering (commands, &info);
  vkCmdClearAttachments (commands, 1, &clear, 1, &rect);
  vkCmdEndRendering (commands);
  vtr_app_barrier (commands);
  vkCmdCopyImageToBuffer (commands, station->image.image, VK_IMAGE_LAYOUT_GENERAL,
                          station->buffer.buffer, 1, &all);
  vtr_app_barrier (commands);
  vtr_app_run (&station->gpu, commands);
  station->ready = true;
}

static void
draw (VtrAppDemo *demo)
{
  Devices *self = (Devices *)demo;
  const VkBufferImageCopy region = { .imageSubresource = layers,
                                     .imageOffset = { 5 * (int32_t)(demo->frame % 6), 4, 0 },
                                     .imageExtent = { SIZE, SIZE, 1 } };

  work (self, &self->stations[0], 0);
  memcpy (self->stations[1].buffer.mapped, self->stations[0].buffer.mapped, BYTES);
  work (self, &self->stations[1], 1);
  memcpy (self->arrived->mapped, self->stations[1].buffer.mapped, BYTES);
  for (uint32_t i = 0; i < BYTES; i++)
    ((uint8_t *)self->stations[0].buffer.mapped)[i] ^= (uint8_t)(i + demo->frame);
  vtr_app_barrier (demo->commands);
  vkCmdCopyBufferToImage (demo->commands, self->arrived->buffer, demo->color->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  vtr_app_demo_begin_rendering (demo);
  vtr_app_demo_triangle (demo, 5);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Devices *self = (Devices *)demo;

  for (uint32_t i = 0; i < 2; i++)
    {
      Station *station = &self->stations[i];

      vtr_app_buffer_finish (&station->gpu, &station->buffer);
      vtr_app_image_finish (&station->gpu, &station->image);
      vtr_app_gpu_finish (&station->gpu);
    }
}

int
main (int    argc,
      char **argv)
{
  Devices self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "what every driver has",
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
