/* vtr-app-demo-copies: copies, blits, resolves and clears of the second generation
 * (VK_KHR_copy_commands2), between pictures and a buffer, and clears inside a pass.
 */
#include "vtr-app-demo.h"

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *other, *samples;
  VtrAppBuffer *texels;
} Copies;

static const VkImageSubresourceLayers whole = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };

static VtrAppPicture *
make_picture (VtrAppDemo            *demo,
              const char            *name,
              VkSampleCountFlagBits  samples)
{
  VtrAppPicture *picture =
    vtr_app_picture (&demo->scene, &(VtrAppPictureInfo){
                                     .name = name,
                                     .format = VTR_APP_DEMO_FORMAT,
                                     .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                                     .samples = samples,
                                     .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });

  vtr_app_picture_clear (demo->commands, picture, 0.75f);
  return picture;
}

static void
start (VtrAppDemo *demo)
{
  Copies *self = (Copies *)demo;

  self->other = make_picture (demo, "other", VK_SAMPLE_COUNT_1_BIT);
  self->samples = make_picture (demo, "samples", VK_SAMPLE_COUNT_4_BIT);
  self->texels = vtr_app_demo_buffer (demo, "texels", 8192, 0);
}

static void
copy (Copies *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkBufferImageCopy2 to_buffer = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
    .bufferOffset = 64,
    .bufferRowLength = 24,
    .imageSubresource = whole,
    .imageOffset = { 5, 7, 0 },
    .imageExtent = { 20, 16, 1 },
  };
  const VkCopyImageToBufferInfo2 read = {
    .sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2,
    .srcImage = demo->color->image,
    .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .dstBuffer = self->texels->buffer,
    .regionCount = 1,
    .pRegions = &to_buffer,
  };
  const VkBufferCopy2 within = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_COPY_2,
    .srcOffset = 64,
    .dstOffset = 4096,
    .size = 1536,
  };
  const VkCopyBufferInfo2 move = {
    .sType = VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2,
    .srcBuffer = self->texels->buffer,
    .dstBuffer = self->texels->buffer,
    .regionCount = 1,
    .pRegions = &within,
  };
  const VkBufferImageCopy2 to_image = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
    .bufferOffset = 4096,
    .bufferRowLength = 24,
    .imageSubresource = whole,
    .imageOffset = { 30, 20 + (int32_t)demo->frame, 0 },
    .imageExtent = { 20, 16, 1 },
  };
  const VkCopyBufferToImageInfo2 write = {
    .sType = VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2,
    .srcBuffer = self->texels->buffer,
    .dstImage = self->other->image,
    .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .regionCount = 1,
    .pRegions = &to_image,
  };

  vtr_app_barrier (demo->commands);
  vkCmdCopyImageToBuffer2 (demo->commands, &read);
  vtr_app_barrier (demo->commands);
  vkCmdCopyBuffer2 (demo->commands, &move);
  vtr_app_barrier (demo->commands);
  vkCmdCopyBufferToImage2 (demo->commands, &write);
  vtr_app_barrier (demo->commands);
}

static void
blit (Copies *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkImageBlit2 part = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_BLIT_2,
    .srcSubresource = whole,
    .srcOffsets = { { 0, 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 } },
    .dstSubresource = whole,
    .dstOffsets = { { 40, 30, 0 }, { 4, 3, 1 } }, /* mirrored */
  };
  const VkBlitImageInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2,
    .srcImage = self->other->image,
    .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .dstImage = demo->color->image,
    .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .regionCount = 1,
    .pRegions = &part,
    .filter = VK_FILTER_LINEAR,
  };

  vkCmdBlitImage2 (demo->commands, &info);
  vtr_app_barrier (demo->commands);
}

static void
resolve (Copies *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkImageResolve2 part = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2,
    .srcSubresource = whole,
    .dstSubresource = whole,
    .dstOffset = { 44, 2, 0 },
    .extent = { 16, 12, 1 },
  };
  const VkResolveImageInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2,
    .srcImage = self->samples->image,
    .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .dstImage = demo->color->image,
    .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .regionCount = 1,
    .pRegions = &part,
  };

  vkCmdResolveImage2 (demo->commands, &info);
  vtr_app_barrier (demo->commands);
}

static void
draw (VtrAppDemo *demo)
{
  Copies *self = (Copies *)demo;
  const VkClearAttachment clear = {
    .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
    .clearValue = { .color = { .float32 = { 0.125f, 0.5f, 1, 0.5f } } },
  };
  const VkClearRect rect = { { { 33, 11 }, { 9, 21 } }, 0, 1 };

  vtr_app_demo_begin_rendering (demo);
  vtr_app_demo_triangle (demo, 2);
  vkCmdClearAttachments (demo->commands, 1, &clear, 1, &rect);
  vtr_app_demo_end_rendering (demo);
  copy (self);
  if (!vtr_app_demo_check (demo))
    return;
  blit (self);
  if (!vtr_app_demo_check (demo))
    return;
  resolve (self);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  Copies self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "copies",
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
