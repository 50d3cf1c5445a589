/* vtr-app-demo-contents: images of every kind that are filled before the first frame and never
 * again, so that a capture that begins later has to find their contents. Every frame only copies a
 * little of some of them. */
#include "vtr-app-demo.h"

#include <string.h>

#define BYTES (4u << 20)
#define SMALL \
  { \
    22, 13, 1 \
  }

static const VtrAppPictureInfo infos[] = {
  { .name = "array",
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .extent = { 24, 18, 1 },
    .mips = 3,
    .layers = 4 },
  { .name = "cube",
    .format = VK_FORMAT_R16G16_SFLOAT,
    .extent = { 16, 16, 1 },
    .mips = 2,
    .layers = 6,
    .flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT },
  { .name = "volume",
    .format = VK_FORMAT_R8_UNORM,
    .type = VK_IMAGE_TYPE_3D,
    .extent = { 14, 9, 7 },
    .mips = 2 },
  { .name = "blocks", .format = VK_FORMAT_BC3_UNORM_BLOCK, .extent = SMALL, .mips = 3 },
  { .name = "words", .format = VK_FORMAT_R32G32B32A32_UINT, .extent = SMALL },
  { .name = "packed", .format = VK_FORMAT_A2B10G10R10_UNORM_PACK32, .extent = SMALL },
  /* More than what a record holds: rows of one, slices of the other. */
  { .name = "large", .format = VK_FORMAT_R8G8B8A8_UNORM, .extent = { 701, 523, 1 } },
  { .name = "deep",
    .format = VK_FORMAT_R16G16B16A16_UNORM,
    .type = VK_IMAGE_TYPE_3D,
    .extent = { 181, 163, 6 } },
  { .name = "d16", .format = VK_FORMAT_D16_UNORM, .extent = SMALL, .layers = 2 },
  { .name = "d32", .format = VK_FORMAT_D32_SFLOAT, .extent = SMALL },
  { .name = "s8", .format = VK_FORMAT_S8_UINT, .extent = SMALL, .mips = 2 },
  { .name = "d32s8", .format = VK_FORMAT_D32_SFLOAT_S8_UINT, .extent = SMALL, .layers = 2 },
};
#define N (sizeof infos / sizeof infos[0])

static const VtrAppPictureInfo sampled_infos[] = {
  { .name = "samples",
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
    .samples = VK_SAMPLE_COUNT_4_BIT,
    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT },
  { .name = "depths",
    .format = VK_FORMAT_D32_SFLOAT_S8_UINT,
    .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
    .samples = VK_SAMPLE_COUNT_4_BIT,
    .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT },
};

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *pictures[N];
  VtrAppPicture *samples, *depths;
} Contents;

/* --- Filling --------------------------------------------------------------------------------- */

/* Any bytes are texels, but depth is between 0 and 1. */
static VtrAppBuffer
make_texels (VtrAppDemo *demo,
             bool        depth)
{
  VtrAppBuffer buffer = vtr_app_buffer (&demo->scene.gpu, BYTES, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  uint64_t seed = 3;

  for (uint32_t i = 0; i < BYTES / 4; i++)
    {
      uint32_t word = vtr_app_random (&seed);
      float value = (float)(word >> 8) / (float)(1 << 24);

      /* No half float is infinite or no number. */
      word &= 0xbbffbbffu;
      memcpy ((char *)buffer.mapped + 4 * (size_t)i, depth ? (void *)&value : &word, 4);
    }
  return buffer;
}

static uint32_t
shrink (uint32_t size,
        uint32_t mip)
{
  return size >> mip > 0 ? size >> mip : 1;
}

static void
fill (VtrAppDemo         *demo,
      VtrAppPicture      *picture,
      const VtrAppBuffer *texels,
      const VtrAppBuffer *depths)
{
  const VkImageAspectFlags aspects = vtr_app_aspects (picture->info.format);
  uint32_t n = 0;

  vtr_app_picture_to (demo->commands, picture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  for (VkImageAspectFlags aspect = 1; aspect <= aspects; aspect <<= 1)
    for (uint32_t layer = 0; layer < picture->info.layers; layer++)
      for (uint32_t mip = 0; mip < picture->info.mips; mip++)
        {
          const VkBufferImageCopy region = {
            .bufferOffset = 4608 * (VkDeviceSize)n++,
            .imageSubresource = { aspect, mip, layer, 1 },
            .imageExtent = { shrink (picture->info.extent.width, mip),
                             shrink (picture->info.extent.height, mip),
                             shrink (picture->info.extent.depth, mip) },
          };

          if ((aspects & aspect) != 0)
            vkCmdCopyBufferToImage (
              demo->commands,
              (aspect == VK_IMAGE_ASPECT_DEPTH_BIT ? depths : texels)->buffer, picture->image,
              VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        }
}

/* Edges of triangles, so that samples of a texel differ. */
static void
draw_samples (Contents *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkFormat format = self->samples->info.format;
  const VkStencilOpState stencil = { VK_STENCIL_OP_INVERT, VK_STENCIL_OP_INCREMENT_AND_WRAP,
                                     VK_STENCIL_OP_DECREMENT_AND_WRAP, VK_COMPARE_OP_ALWAYS,
                                     0xff, 0xff, 0 };
  const VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->samples->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .clearValue = { .color = { .float32 = { 0.25f, 0.5f, 0, 1 } } },
  };
  VkRenderingAttachmentInfo depth = color;
  const VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
    .pDepthAttachment = &depth,
    .pStencilAttachment = &depth,
  };
  VkPipeline pipeline =
    vtr_app_pipeline (&demo->scene, &(VtrAppPipelineInfo){ .n_colors = 1,
                                                           .formats = &format,
                                                           .depth = self->depths->info.format,
                                                           .samples = VK_SAMPLE_COUNT_4_BIT,
                                                           .depth_test = true,
                                                           .stencil_test = true,
                                                           .front = stencil,
                                                           .back = stencil });

  vtr_app_picture_to (demo->commands, self->samples, VK_IMAGE_LAYOUT_GENERAL);
  vtr_app_picture_to (demo->commands, self->depths, VK_IMAGE_LAYOUT_GENERAL);
  depth.imageView = self->depths->view;
  depth.clearValue = (VkClearValue){ .depthStencil = { 0.875f, 0x5a } };
  vkCmdBeginRendering (demo->commands, &info);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  for (uint32_t i = 0; i < 6; i++)
    vtr_app_triangle (&demo->scene, demo->commands, -0.9f + 0.17f * (float)i,
                      -0.95f + 0.11f * (float)i, 1.3f - 0.1f * (float)i, 0.8f - 0.1f * (float)i, i);
  vkCmdEndRendering (demo->commands);
}

/* Layouts of all kinds are kept. */
static void
start (VtrAppDemo *demo)
{
  static const VkImageLayout layouts[] = {
    VK_IMAGE_LAYOUT_GENERAL,
    VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
  };
  Contents *self = (Contents *)demo;
  VtrAppBuffer texels = make_texels (demo, false), depths = make_texels (demo, true);

  for (uint32_t i = 0; i < N; i++)
    {
      self->pictures[i] = vtr_app_picture (&demo->scene, &infos[i]);
      fill (demo, self->pictures[i], &texels, &depths);
      vtr_app_picture_to (demo->commands, self->pictures[i], layouts[i % 3]);
    }
  self->samples = vtr_app_picture (&demo->scene, &sampled_infos[0]);
  self->depths = vtr_app_picture (&demo->scene, &sampled_infos[1]);
  vtr_app_picture (&demo->scene, &(VtrAppPictureInfo){ .name = "never used",
                                                       .format = VTR_APP_DEMO_FORMAT,
                                                       .extent = SMALL });
  draw_samples (self);
  vtr_app_picture_to (demo->commands, self->samples, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  vtr_app_picture_to (demo->commands, self->depths,
                      VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
  vtr_app_demo_flush (demo);
  vtr_app_buffer_finish (&demo->scene.gpu, &texels);
  vtr_app_buffer_finish (&demo->scene.gpu, &depths);
}

/* --- Frames ---------------------------------------------------------------------------------- */

/* The window shows contents that were filled long before. */
static void
draw (VtrAppDemo *demo)
{
  Contents *self = (Contents *)demo;
  VtrAppPicture *array = self->pictures[0], *large = self->pictures[6];
  const VkImageSubresourceLayers whole = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };
  const VkImageCopy copies[] = {
    { .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 1, 2, 1 },
      .dstSubresource = whole,
      .dstOffset = { (int32_t)demo->frame, 1, 0 },
      .extent = { 12, 9, 1 } },
    { .srcSubresource = whole,
      .srcOffset = { 650, 500, 0 },
      .dstSubresource = whole,
      .dstOffset = { 20, (int32_t)demo->frame, 0 },
      .extent = { 40, 20, 1 } },
  };
  const VkImageResolve resolve = {
    .srcSubresource = whole,
    .srcOffset = { 0, 16, 0 },
    .dstSubresource = whole,
    .dstOffset = { 0, 16, 0 },
    .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT - 16, 1 },
  };

  vtr_app_barrier (demo->commands);
  vkCmdCopyImage (demo->commands, array->image, array->layout, demo->color->image,
                  demo->color->layout, 1, &copies[0]);
  vtr_app_barrier (demo->commands);
  vkCmdCopyImage (demo->commands, large->image, large->layout, demo->color->image,
                  demo->color->layout, 1, &copies[1]);
  if (!vtr_app_demo_check (demo))
    return;
  vtr_app_barrier (demo->commands);
  vtr_app_picture_to (demo->commands, self->samples, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  vkCmdResolveImage (demo->commands, self->samples->image, self->samples->layout,
                     demo->color->image, demo->color->layout, 1, &resolve);
  vtr_app_picture_to (demo->commands, self->samples, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  Contents self = { 0 };

  return vtr_app_demo_run (
    &self.demo,
    &(VtrAppDemoInfo){ .what = "block-compressed images",
                       .features = { .textureCompressionBC = VK_TRUE },
                       .start = start,
                       .draw = draw },
    argc, argv);
}
