/* vtr-app-demo-imageless: one framebuffer without images that is used with three sets of views,
 * one with another format than its image, one of a single layer. */
#include "vtr-app-demo.h"

#define LAYERS 3u

typedef struct
{
  VtrAppDemo demo;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkPipeline pipeline;
  VtrAppPicture *pictures[2]; /* colour and depth; each layer can be drawn to */
  VkImageView views[LAYERS][2];
} Imageless;

static const VkFormat formats[] = { VTR_APP_DEMO_FORMAT, VK_FORMAT_R8G8B8A8_UINT,
                                    VK_FORMAT_R32_UINT };
static const VkFormat depth_format = VK_FORMAT_D16_UNORM;

static void
make_pass (Imageless *self)
{
  const VkAttachmentDescription2 attachments[] = {
    { .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
      .format = VTR_APP_DEMO_FORMAT,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
      .finalLayout = VK_IMAGE_LAYOUT_GENERAL },
    { .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
      .format = depth_format,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
      .finalLayout = VK_IMAGE_LAYOUT_GENERAL },
  };
  const VkAttachmentReference2 references[] = {
    { .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, .layout = VK_IMAGE_LAYOUT_GENERAL },
    { .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
      .attachment = 1,
      .layout = VK_IMAGE_LAYOUT_GENERAL },
  };
  const VkSubpassDescription2 subpass = {
    .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
    .colorAttachmentCount = 1,
    .pColorAttachments = &references[0],
    .pDepthStencilAttachment = &references[1],
  };
  const VkRenderPassCreateInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
    .attachmentCount = 2,
    .pAttachments = attachments,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };

  vtr_app_check (vkCreateRenderPass2 (self->demo.scene.gpu.device, &info, NULL, &self->pass),
                 "vkCreateRenderPass2");
  VTR_APP_KEEP (&self->demo.scene, RENDER_PASS, self->pass);
}

static void
make_framebuffer (Imageless *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkImageUsageFlags transfer =
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const VkFramebufferAttachmentImageInfo images[] = {
    { .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
      .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
      .usage = transfer | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
      .width = VTR_APP_DEMO_WIDTH,
      .height = VTR_APP_DEMO_HEIGHT,
      .layerCount = 1,
      .viewFormatCount = sizeof formats / sizeof formats[0],
      .pViewFormats = formats },
    { .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
      .usage = transfer | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
      .width = VTR_APP_DEMO_WIDTH,
      .height = VTR_APP_DEMO_HEIGHT,
      .layerCount = 1,
      .viewFormatCount = 1,
      .pViewFormats = &depth_format },
  };
  const VkFramebufferAttachmentsCreateInfo attachments = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO,
    .attachmentImageInfoCount = 2,
    .pAttachmentImageInfos = images,
  };
  const VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .pNext = &attachments,
    .flags = VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT,
    .renderPass = self->pass,
    .attachmentCount = 2,
    .width = VTR_APP_DEMO_WIDTH,
    .height = VTR_APP_DEMO_HEIGHT,
    .layers = 1,
  };

  vtr_app_check (vkCreateFramebuffer (demo->scene.gpu.device, &info, NULL, &self->framebuffer),
                 "vkCreateFramebuffer");
  VTR_APP_KEEP (&demo->scene, FRAMEBUFFER, self->framebuffer);
}

static void
start (VtrAppDemo *demo)
{
  Imageless *self = (Imageless *)demo;
  const VkImageFormatListCreateInfo list = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
    .viewFormatCount = sizeof formats / sizeof formats[0],
    .pViewFormats = formats,
  };
  VtrAppPictureInfo info = {
    .name = "layers",
    .next = &list,
    .format = formats[2], /* drawn to as another */
    .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
    .layers = LAYERS,
    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
    .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
  };

  make_pass (self);
  make_framebuffer (self);
  self->pictures[0] = vtr_app_picture (&demo->scene, &info);
  info = (VtrAppPictureInfo){ .name = "depths",
                              .format = depth_format,
                              .extent = info.extent,
                              .layers = LAYERS,
                              .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT };
  self->pictures[1] = vtr_app_picture (&demo->scene, &info);
  for (uint32_t i = 0; i < 2; i++)
    {
      vtr_app_picture_clear (demo->commands, self->pictures[i], 0.75f);
      for (uint32_t j = 0; j < LAYERS; j++)
        {
          VtrAppPicture as = *self->pictures[i];

          as.info.format = i == 0 ? VTR_APP_DEMO_FORMAT : depth_format;
          self->views[j][i] =
            vtr_app_picture_view (&demo->scene, &as, VK_IMAGE_VIEW_TYPE_2D, 0, j, 1);
        }
    }
  self->pipeline = vtr_app_pipeline (
    &demo->scene,
    &(VtrAppPipelineInfo){ .pass = self->pass, .n_colors = 1, .depth_test = true });
}

static void
begin_pass (Imageless *self,
            uint32_t   layer)
{
  const VkCommandBuffer commands = self->demo.commands;
  const VkRenderPassAttachmentBeginInfo attachments = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
    .attachmentCount = 2,
    .pAttachments = self->views[layer],
  };
  const VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .pNext = &attachments,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
  };

  vtr_app_barrier (commands);
  vkCmdBeginRenderPass (commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vtr_app_viewport (commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
}

static void
draw (VtrAppDemo *demo)
{
  Imageless *self = (Imageless *)demo;
  const uint32_t shown = demo->frame % LAYERS;
  VkImageCopy copy = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, shown, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
  };

  for (uint32_t i = 0; i < LAYERS && !demo->scene.stopped; i++)
    {
      begin_pass (self, i);
      vtr_app_demo_triangle (demo, 1 + i);
      if (i == 1)
        vtr_app_demo_check (demo);
      vtr_app_demo_triangle (demo, 4 + i);
      vkCmdEndRenderPass (demo->commands);
    }
  vtr_app_barrier (demo->commands);
  if (demo->scene.stopped)
    return;
  vkCmdCopyImage (demo->commands, self->pictures[0]->image, VK_IMAGE_LAYOUT_GENERAL,
                  demo->color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  vtr_app_barrier (demo->commands);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  Imageless self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "imageless framebuffers",
                                              .features12 = { .imagelessFramebuffer = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
