/* vtr-app-demo-clears: clears of every kind, in passes and outside, of parts of images; fills and
 * updates of buffers; every copy in its second form.
 */
#include "vtr-app-demo.h"

#include <string.h>

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *layers, *depths, *samples, *volume, *flipped;
  VkImageView views[2]; /* layers 1 to 3 of the first two */
  VtrAppBuffer *bytes;
} Clears;

#define LAYERS(aspect, mip, layer, n) \
  { \
    aspect, mip, layer, n \
  }

static VtrAppPicture *
make (VtrAppDemo              *demo,
      const VtrAppPictureInfo *info,
      float                    value)
{
  VtrAppPicture *picture = vtr_app_picture (&demo->scene, info);

  vtr_app_picture_clear (demo->commands, picture, value);
  return picture;
}

static void
start (VtrAppDemo *demo)
{
  Clears *self = (Clears *)demo;

  self->layers = make (demo,
                       &(VtrAppPictureInfo){ .name = "layers",
                                             .format = VTR_APP_DEMO_FORMAT,
                                             .extent = { 32, 24, 1 },
                                             .mips = 2,
                                             .layers = 4,
                                             .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT },
                       0.125f);
  self->depths = make (demo,
                       &(VtrAppPictureInfo){ .name = "depths",
                                             .format = VK_FORMAT_D32_SFLOAT_S8_UINT,
                                             .extent = { 32, 24, 1 },
                                             .layers = 4,
                                             .usage =
                                               VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT },
                       0.5f);
  self->samples = make (demo,
                        &(VtrAppPictureInfo){ .name = "samples",
                                              .format = VTR_APP_DEMO_FORMAT,
                                              .extent = { 32, 24, 1 },
                                              .samples = VK_SAMPLE_COUNT_4_BIT,
                                              .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT },
                        0.75f);
  self->volume = make (demo,
                       &(VtrAppPictureInfo){ .name = "volume",
                                             .format = VTR_APP_DEMO_FORMAT,
                                             .type = VK_IMAGE_TYPE_3D,
                                             .extent = { 16, 12, 5 },
                                             .mips = 2 },
                       0.25f);
  self->flipped = make (demo,
                        &(VtrAppPictureInfo){ .name = "flipped",
                                              .format = VK_FORMAT_B8G8R8A8_UNORM,
                                              .type = VK_IMAGE_TYPE_3D,
                                              .extent = { 24, 20, 4 } },
                        0.5f);
  self->views[0] = vtr_app_picture_view (&demo->scene, self->layers, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                                         0, 1, 3);
  self->views[1] = vtr_app_picture_view (&demo->scene, self->depths, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                                         0, 1, 3);
  self->bytes = vtr_app_demo_buffer (demo, "bytes", 8192, 0);
}

/* --- In a pass ------------------------------------------------------------------------------- */

static void
clear_attachments (Clears *self)
{
  VtrAppDemo *demo = &self->demo;
  const float shade = 0.1f * (float)(demo->frame + 1);
  const VkClearAttachment clears[] = {
    { VK_IMAGE_ASPECT_COLOR_BIT, 0, { .color = { .float32 = { shade, 1, 0.5f, 1 } } } },
    { VK_IMAGE_ASPECT_DEPTH_BIT, 0, { .depthStencil = { shade, 9 } } },
  };
  const VkClearAttachment stencil = { VK_IMAGE_ASPECT_STENCIL_BIT,
                                      0,
                                      { .depthStencil = { 0, 77 + demo->frame } } };
  const VkClearRect rects[] = { { { { 2, 3 }, { 9, 5 } }, 0, 2 },
                                { { { 14, 1 }, { 7, 20 } }, 1, 2 } };
  const VkClearRect more = { { { 5, 5 }, { 20, 12 } }, 2, 1 };
  VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  VkRenderingAttachmentInfo depth = color;
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { 32, 24 } },
    .layerCount = 3,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
    .pDepthAttachment = &depth,
    .pStencilAttachment = &depth,
  };

  color.imageView = self->views[0];
  depth.imageView = self->views[1];
  vtr_app_barrier (demo->commands);
  vkCmdBeginRendering (demo->commands, &info);
  vkCmdClearAttachments (demo->commands, 2, clears, 2, rects);
  vtr_app_demo_check (demo);
  if (!demo->scene.stopped)
    vkCmdClearAttachments (demo->commands, 1, &stencil, 1, &more);
  vkCmdEndRendering (demo->commands);
  vtr_app_barrier (demo->commands);
}

/* --- Outside --------------------------------------------------------------------------------- */

static void
clear_images (Clears *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkClearColorValue color = { .float32 = { 0.9f, 0.1f * (float)demo->frame, 0.2f, 0.5f } };
  const VkClearDepthStencilValue depth = { 0.3f, 33 + demo->frame };
  const VkImageSubresourceRange parts[] = {
    { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2, 1 },
    { VK_IMAGE_ASPECT_COLOR_BIT, 1, VK_REMAINING_MIP_LEVELS, 1, VK_REMAINING_ARRAY_LAYERS },
  };
  const VkImageSubresourceRange stencils = { VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 3, 1 };
  const VkImageSubresourceRange depths = { VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 2 };

  vkCmdClearColorImage (demo->commands, self->layers->image, VK_IMAGE_LAYOUT_GENERAL, &color, 2,
                        parts);
  vkCmdClearDepthStencilImage (demo->commands, self->depths->image, VK_IMAGE_LAYOUT_GENERAL,
                               &depth, 1, &stencils);
  vkCmdClearDepthStencilImage (demo->commands, self->depths->image, VK_IMAGE_LAYOUT_GENERAL,
                               &depth, 1, &depths);
  vtr_app_barrier (demo->commands);
}

static void
fill_buffers (Clears *self)
{
  VtrAppDemo *demo = &self->demo;
  uint32_t words[300];

  for (uint32_t i = 0; i < 300; i++)
    words[i] = (i + demo->frame) * 2654435761u;
  vkCmdFillBuffer (demo->commands, self->bytes->buffer, 4096, VK_WHOLE_SIZE,
                   0x01020304u * (demo->frame + 1));
  vkCmdUpdateBuffer (demo->commands, self->bytes->buffer, 4 + 4 * demo->frame, sizeof words,
                     words);
  vtr_app_barrier (demo->commands);
}

/* --- Copies in their second form ------------------------------------------------------------- */

static void
copy_buffers (Clears *self)
{
  const VkBufferCopy2 regions[] = {
    { VK_STRUCTURE_TYPE_BUFFER_COPY_2, NULL, 100, 5000, 333 },
    { VK_STRUCTURE_TYPE_BUFFER_COPY_2, NULL, 1000, 6001, 77 },
  };
  const VkCopyBufferInfo2 copy = {
    .sType = VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2,
    .srcBuffer = self->bytes->buffer,
    .dstBuffer = self->bytes->buffer,
    .regionCount = 2,
    .pRegions = regions,
  };
  const VkBufferImageCopy2 to_volume = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
    .bufferOffset = 4,
    .bufferRowLength = 9,
    .bufferImageHeight = 7,
    .imageSubresource = LAYERS (VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 1),
    .imageOffset = { 1, 0, 0 },
    .imageExtent = { 6, 5, 2 },
  };
  const VkCopyBufferToImageInfo2 to_image = {
    .sType = VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2,
    .srcBuffer = self->bytes->buffer,
    .dstImage = self->volume->image,
    .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .regionCount = 1,
    .pRegions = &to_volume,
  };
  const VkBufferImageCopy2 from_stencil = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
    .bufferOffset = 7000,
    .imageSubresource = LAYERS (VK_IMAGE_ASPECT_STENCIL_BIT, 0, 3, 1),
    .imageOffset = { 4, 4, 0 },
    .imageExtent = { 24, 16, 1 },
  };
  const VkCopyImageToBufferInfo2 to_buffer = {
    .sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2,
    .srcImage = self->depths->image,
    .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .dstBuffer = self->bytes->buffer,
    .regionCount = 1,
    .pRegions = &from_stencil,
  };
  VkCommandBuffer commands = self->demo.commands;

  vkCmdCopyBuffer2 (commands, &copy);
  vtr_app_barrier (commands);
  vkCmdCopyBufferToImage2 (commands, &to_image);
  vkCmdCopyImageToBuffer2 (commands, &to_buffer);
  vtr_app_barrier (commands);
}

static void
copy_images (Clears *self)
{
  const VkImageBlit2 mirrored = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_BLIT_2,
    .srcSubresource = LAYERS (VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1),
    .srcOffsets = { { 14, 1, 4 }, { 2, 11, 1 } },
    .dstSubresource = LAYERS (VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1),
    .dstOffsets = { { 1, 18, 0 }, { 23, 2, 4 } },
  };
  const VkBlitImageInfo2 blit = {
    .sType = VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2,
    .srcImage = self->volume->image,
    .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .dstImage = self->flipped->image,
    .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .regionCount = 1,
    .pRegions = &mirrored,
    .filter = VK_FILTER_LINEAR,
  };
  /* Layers become slices. */
  const VkImageCopy2 slices = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_COPY_2,
    .srcSubresource = LAYERS (VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 3),
    .dstSubresource = LAYERS (VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1),
    .dstOffset = { 3, 2, 2 },
    .extent = { 12, 9, 3 },
  };
  const VkCopyImageInfo2 copy = {
    .sType = VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2,
    .srcImage = self->layers->image,
    .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .dstImage = self->volume->image,
    .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .regionCount = 1,
    .pRegions = &slices,
  };
  const VkImageResolve2 part = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2,
    .srcSubresource = LAYERS (VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1),
    .srcOffset = { 1, 1, 0 },
    .dstSubresource = LAYERS (VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1),
    .dstOffset = { 30, 20, 0 },
    .extent = { 30, 20, 1 },
  };
  const VkResolveImageInfo2 resolve = {
    .sType = VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2,
    .srcImage = self->samples->image,
    .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .dstImage = self->demo.color->image,
    .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .regionCount = 1,
    .pRegions = &part,
  };
  VkCommandBuffer commands = self->demo.commands;

  vkCmdCopyImage2 (commands, &copy);
  vtr_app_barrier (commands);
  vkCmdBlitImage2 (commands, &blit);
  vkCmdResolveImage2 (commands, &resolve);
  vtr_app_barrier (commands);
}

/* Two slices of what came out, as the picture. */
static void
show (Clears *self)
{
  for (int32_t i = 0; i < 2; i++)
    {
      const VkImageCopy region = {
        .srcSubresource = LAYERS (VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1),
        .srcOffset = { 0, 0, 1 + i },
        .dstSubresource = LAYERS (VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1),
        .dstOffset = { 26 * i, (int32_t)self->demo.frame, 0 },
        .extent = { 24, 20, 1 },
      };

      vkCmdCopyImage (self->demo.commands, self->flipped->image, VK_IMAGE_LAYOUT_GENERAL,
                      self->demo.color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }
  vtr_app_barrier (self->demo.commands);
}

static void
draw (VtrAppDemo *demo)
{
  Clears *self = (Clears *)demo;

  clear_attachments (self);
  if (demo->scene.stopped)
    return;
  clear_images (self);
  fill_buffers (self);
  copy_buffers (self);
  copy_images (self);
  show (self);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  Clears self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "clears and copies of all kinds",
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
