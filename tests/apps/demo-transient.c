/* vtr-app-demo-transient: four samples and depth that exist only inside the pass (transient
 * attachments, in lazily allocated memory if there is some) and are resolved at its end. --kept:
 * they are neither transient nor discarded, so that they can be read back. */
#include "vtr-app-demo.h"

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *samples, *depth;
  VkRenderPass passes[2]; /* the second does not resolve: for what is stopped before that */
  VkFramebuffer framebuffer;
  VkPipeline pipeline;
} Transient;

static bool kept;

/* Lazily allocated memory if there is any. */
static VkMemoryPropertyFlags
lazy_memory (const VtrAppGpu *gpu)
{
  for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++)
    if ((gpu->memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT) != 0)
      return VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT;
  return 0;
}

static VtrAppPicture *
make_picture (VtrAppDemo        *demo,
              const char        *name,
              VkFormat           format,
              VkImageUsageFlags  usage)
{
  return vtr_app_picture (&demo->scene,
                          &(VtrAppPictureInfo){
                            .name = name,
                            .format = format,
                            .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                            .samples = VK_SAMPLE_COUNT_4_BIT,
                            .usage =
                              usage | (kept ? 0 : VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT),
                            .memory = kept ? 0 : lazy_memory (&demo->scene.gpu) });
}

static VkRenderPass
make_pass (Transient *self,
           bool       resolves)
{
  const VkAttachmentStoreOp store =
    kept ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE;
  const VkAttachmentDescription attachments[] = {
    { .format = VTR_APP_DEMO_FORMAT,
      .samples = VK_SAMPLE_COUNT_4_BIT,
      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .storeOp = store,
      .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
      .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
      .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL },
    { .format = VK_FORMAT_D32_SFLOAT,
      .samples = VK_SAMPLE_COUNT_4_BIT,
      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .storeOp = store,
      .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
      .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
      .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL },
    { .format = VTR_APP_DEMO_FORMAT,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
      .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
      .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
      .finalLayout = VK_IMAGE_LAYOUT_GENERAL },
  };
  const VkAttachmentReference color = { 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL };
  const VkAttachmentReference depth = { 1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL };
  const VkAttachmentReference resolve = { 2, VK_IMAGE_LAYOUT_GENERAL };
  const VkSubpassDescription subpass = {
    .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
    .pResolveAttachments = resolves ? &resolve : NULL,
    .pDepthStencilAttachment = &depth,
  };
  const VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 3,
    .pAttachments = attachments,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  VkRenderPass pass;

  vtr_app_check (vkCreateRenderPass (self->demo.scene.gpu.device, &info, NULL, &pass),
                 "vkCreateRenderPass");
  VTR_APP_KEEP (&self->demo.scene, RENDER_PASS, pass);
  return pass;
}

static void
make_framebuffer (Transient *self)
{
  const VkImageView views[] = { self->samples->view, self->depth->view, self->demo.color->view };
  const VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .renderPass = self->passes[0],
    .attachmentCount = 3,
    .pAttachments = views,
    .width = VTR_APP_DEMO_WIDTH,
    .height = VTR_APP_DEMO_HEIGHT,
    .layers = 1,
  };

  vtr_app_check (vkCreateFramebuffer (self->demo.scene.gpu.device, &info, NULL, &self->framebuffer),
                 "vkCreateFramebuffer");
  VTR_APP_KEEP (&self->demo.scene, FRAMEBUFFER, self->framebuffer);
}

static void
start (VtrAppDemo *demo)
{
  Transient *self = (Transient *)demo;
  const VkFormat format = VTR_APP_DEMO_FORMAT;

  self->samples =
    make_picture (demo, "samples", VTR_APP_DEMO_FORMAT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  self->depth =
    make_picture (demo, "depth", VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  for (uint32_t i = 0; i < 2; i++)
    self->passes[i] = make_pass (self, i == 0);
  make_framebuffer (self);
  self->pipeline = vtr_app_pipeline (&demo->scene,
                                     &(VtrAppPipelineInfo){ .pass = self->passes[0],
                                                            .n_colors = 1,
                                                            .formats = &format,
                                                            .depth = VK_FORMAT_D32_SFLOAT,
                                                            .samples = VK_SAMPLE_COUNT_4_BIT,
                                                            .depth_test = true });
}

static void
draw (VtrAppDemo *demo)
{
  Transient *self = (Transient *)demo;
  const VkClearValue clears[] = { { .color = { .float32 = { 0, 0.25f, 0.125f, 1 } } },
                                  { .depthStencil = { 0.75f, 0 } } };
  VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .framebuffer = self->framebuffer,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .clearValueCount = 2,
    .pClearValues = clears,
  };

  vtr_app_barrier (demo->commands);
  vtr_app_demo_check (demo);
  if (demo->scene.stopped)
    return;
  begin.renderPass = self->passes[demo->scene.stop == demo->scene.n_checks + 1];
  vkCmdBeginRenderPass (demo->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  for (uint32_t i = 0; i < 4 && !demo->scene.stopped; i++)
    {
      vtr_app_triangle (&demo->scene, demo->commands, -0.9f + 0.4f * (float)i, -0.6f, 1.1f,
                        0.3f + 0.2f * (float)(i * 3 % 4), i + demo->frame);
      if (i == 1)
        vtr_app_demo_check (demo);
    }
  vkCmdEndRenderPass (demo->commands);
  if (kept)
    {
      self->samples->layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
      self->depth->layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    }
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  const VtrAppOption options[] = {
    { "--kept", NULL, NULL, &kept, "attachments that can be read back" },
    { 0 },
  };
  Transient self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "four samples",
                                              .options = options,
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
