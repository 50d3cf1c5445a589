/* vtr-app-demo-resolves: one pass that resolves into pictures, draws over them, and resolves into
 * them again: four samples and depth with stencil in its first and third subpass, the plain picture
 * in between. With --first by vkCreateRenderPass, which resolves no depth.
 *
 * A run that is stopped makes a pass of only as many subpasses as it gets to, whose last resolves
 * nothing.
 */
#include "vtr-app-demo.h"

#define N 4u
#define N_SUBPASSES 3u
#define DEPTH_FORMAT VK_FORMAT_D32_SFLOAT_S8_UINT

enum
{
  SAMPLES,
  DEPTHS,
  COLOR,
  DEPTH,
};

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *pictures[N];
  VkRenderPass pass; /* of the frame */
  VkFramebuffer framebuffer;
  VkPipeline pipelines[N_SUBPASSES];
} Resolves;

static bool first;

/* --- The pass -------------------------------------------------------------------------------- */

static VkAttachmentReference2
reference_to (uint32_t attachment)
{
  return (VkAttachmentReference2){
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
    .attachment = attachment,
    .layout = VK_IMAGE_LAYOUT_GENERAL,
  };
}

static VkRenderPass
make_second_pass (Resolves *self,
                  uint32_t  n,
                  bool      resolves)
{
  const VkAttachmentReference2 samples = reference_to (SAMPLES), depths = reference_to (DEPTHS);
  const VkAttachmentReference2 color = reference_to (COLOR), depth = reference_to (DEPTH);
  const VkSubpassDescriptionDepthStencilResolve resolve = {
    .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE,
    .depthResolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
    .stencilResolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
    .pDepthStencilResolveAttachment = &depth,
  };
  const uint32_t kept[] = { SAMPLES, DEPTHS };
  VkSubpassDescription2 subpasses[N_SUBPASSES];
  VkSubpassDependency2 dependencies[2];
  VkAttachmentDescription2 attachments[N];
  const VkRenderPassCreateInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
    .attachmentCount = N,
    .pAttachments = attachments,
    .subpassCount = n,
    .pSubpasses = subpasses,
    .dependencyCount = n - 1,
    .pDependencies = dependencies,
  };
  VkRenderPass pass;

  for (uint32_t i = 0; i < N; i++)
    attachments[i] = (VkAttachmentDescription2){
      .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
      .format = self->pictures[i]->info.format,
      .samples = self->pictures[i]->info.samples,
      .loadOp = i < COLOR ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
      .stencilLoadOp = i < COLOR ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
      .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
      .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
    };
  for (uint32_t i = 0; i < N_SUBPASSES; i++)
    subpasses[i] = (VkSubpassDescription2){
      .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
      .pNext = i != 1 && (i + 1 < n || resolves) ? &resolve : NULL,
      .colorAttachmentCount = 1,
      .pColorAttachments = i != 1 ? &samples : &color,
      .pResolveAttachments = i != 1 && (i + 1 < n || resolves) ? &color : NULL,
      .pDepthStencilAttachment = i != 1 ? &depths : &depth,
      .preserveAttachmentCount = i == 1 ? 2 : 0,
      .pPreserveAttachments = kept,
    };
  for (uint32_t i = 0; i < 2; i++)
    dependencies[i] = (VkSubpassDependency2){
      .sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
      .srcSubpass = i,
      .dstSubpass = i + 1,
      .srcStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
      .dstStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
  vtr_app_check (vkCreateRenderPass2 (self->demo.scene.gpu.device, &info, NULL, &pass),
                 "vkCreateRenderPass2");
  return pass;
}

static VkRenderPass
make_first_pass (Resolves *self,
                 uint32_t  n,
                 bool      resolves)
{
  const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
  const VkAttachmentReference references[N] = {
    { SAMPLES, general }, { DEPTHS, general }, { COLOR, general }, { DEPTH, general }
  };
  const uint32_t kept[] = { SAMPLES, DEPTHS };
  VkSubpassDescription subpasses[N_SUBPASSES];
  VkSubpassDependency dependencies[2];
  VkAttachmentDescription attachments[N];
  const VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = N,
    .pAttachments = attachments,
    .subpassCount = n,
    .pSubpasses = subpasses,
    .dependencyCount = n - 1,
    .pDependencies = dependencies,
  };
  VkRenderPass pass;

  for (uint32_t i = 0; i < N; i++)
    attachments[i] = (VkAttachmentDescription){
      .format = self->pictures[i]->info.format,
      .samples = self->pictures[i]->info.samples,
      .loadOp = i < COLOR ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
      .stencilLoadOp = i < COLOR ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
      .initialLayout = general,
      .finalLayout = general,
    };
  for (uint32_t i = 0; i < N_SUBPASSES; i++)
    subpasses[i] = (VkSubpassDescription){
      .colorAttachmentCount = 1,
      .pColorAttachments = &references[i != 1 ? SAMPLES : COLOR],
      .pResolveAttachments = i != 1 && (i + 1 < n || resolves) ? &references[COLOR] : NULL,
      .pDepthStencilAttachment = &references[i != 1 ? DEPTHS : DEPTH],
      .preserveAttachmentCount = i == 1 ? 2 : 0,
      .pPreserveAttachments = kept,
    };
  for (uint32_t i = 0; i < 2; i++)
    dependencies[i] = (VkSubpassDependency){ i, i + 1, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
                                             VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
                                             VK_ACCESS_MEMORY_WRITE_BIT,
                                             VK_ACCESS_MEMORY_READ_BIT |
                                               VK_ACCESS_MEMORY_WRITE_BIT,
                                             0 };
  vtr_app_check (vkCreateRenderPass (self->demo.scene.gpu.device, &info, NULL, &pass),
                 "vkCreateRenderPass");
  return pass;
}

/* The pass of @n subpasses, and what fits it. */
static void
make_pass (Resolves *self,
           uint32_t  n,
           bool      resolves)
{
  VtrAppScene *scene = &self->demo.scene;
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  VkImageView views[N];
  VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = N,
    .pAttachments = views,
    .width = VTR_APP_DEMO_WIDTH,
    .height = VTR_APP_DEMO_HEIGHT,
    .layers = 1,
  };

  self->pass = info.renderPass =
    first ? make_first_pass (self, n, resolves) : make_second_pass (self, n, resolves);
  VTR_APP_KEEP (scene, RENDER_PASS, self->pass);
  for (uint32_t i = 0; i < N; i++)
    views[i] = self->pictures[i]->view;
  vtr_app_check (vkCreateFramebuffer (scene->gpu.device, &info, NULL, &self->framebuffer),
                 "vkCreateFramebuffer");
  VTR_APP_KEEP (scene, FRAMEBUFFER, self->framebuffer);
  for (uint32_t i = 0; i < n; i++)
    self->pipelines[i] = vtr_app_pipeline (
      scene, &(VtrAppPipelineInfo){
               .pass = self->pass,
               .subpass = i,
               .n_colors = 1,
               .formats = &format,
               .depth = DEPTH_FORMAT,
               .samples = i != 1 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
               .depth_test = true,
               .stencil_test = true,
               .front = { VK_STENCIL_OP_INVERT, VK_STENCIL_OP_INCREMENT_AND_WRAP,
                          VK_STENCIL_OP_INVERT, VK_COMPARE_OP_ALWAYS, 0xff, 0xff, 0 },
               .back = { VK_STENCIL_OP_INVERT, VK_STENCIL_OP_DECREMENT_AND_WRAP,
                         VK_STENCIL_OP_INVERT, VK_COMPARE_OP_ALWAYS, 0xff, 0xff, 0 } });
}

/* --- Frames ---------------------------------------------------------------------------------- */

static VtrAppPicture *
make_picture (VtrAppDemo            *demo,
              const char            *name,
              VkFormat               format,
              VkSampleCountFlagBits  samples)
{
  VtrAppPicture *picture =
    vtr_app_picture (&demo->scene, &(VtrAppPictureInfo){
                                     .name = name,
                                     .format = format,
                                     .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                                     .samples = samples,
                                     .usage = format == DEPTH_FORMAT
                                                ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                                : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });

  vtr_app_picture_clear (demo->commands, picture, 0.875f);
  return picture;
}

static void
start (VtrAppDemo *demo)
{
  Resolves *self = (Resolves *)demo;

  self->pictures[SAMPLES] =
    make_picture (demo, "samples", VTR_APP_DEMO_FORMAT, VK_SAMPLE_COUNT_4_BIT);
  self->pictures[DEPTHS] = make_picture (demo, "depths", DEPTH_FORMAT, VK_SAMPLE_COUNT_4_BIT);
  self->pictures[COLOR] = demo->color;
  self->pictures[DEPTH] = make_picture (demo, "depth", DEPTH_FORMAT, VK_SAMPLE_COUNT_1_BIT);
}

static void
draw_subpass (Resolves *self,
              uint32_t  subpass)
{
  VtrAppDemo *demo = &self->demo;

  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[subpass]);
  vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vtr_app_demo_triangle (demo, 2 * subpass + 1);
  vtr_app_demo_check (demo);
  vtr_app_demo_triangle (demo, 3 * subpass + 4);
}

static void
draw (VtrAppDemo *demo)
{
  Resolves *self = (Resolves *)demo;
  const uint32_t to_stop = demo->scene.stop - demo->scene.n_checks;
  const uint32_t n = to_stop >= 1 && to_stop <= N_SUBPASSES ? to_stop : N_SUBPASSES;
  const VkClearValue clears[] = { { .color = { .float32 = { 0.5f, 0, 0.25f, 1 } } },
                                  { .depthStencil = { 0.75f, 0x21 } } };
  VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .clearValueCount = 2,
    .pClearValues = clears,
  };

  make_pass (self, n, to_stop < 1 || to_stop > N_SUBPASSES);
  begin.renderPass = self->pass;
  begin.framebuffer = self->framebuffer;
  vtr_app_barrier (demo->commands);
  vkCmdBeginRenderPass (demo->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  for (uint32_t i = 0; i < n; i++)
    {
      if (i > 0)
        vkCmdNextSubpass (demo->commands, VK_SUBPASS_CONTENTS_INLINE);
      draw_subpass (self, i);
    }
  vkCmdEndRenderPass (demo->commands);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  const VtrAppOption options[] = {
    { "--first", NULL, NULL, &first, "the first kind of render pass" },
    { 0 },
  };
  Resolves self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "several subpasses",
                                              .options = options,
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
