/* vtr-app-demo-recordings: the ways in which command buffers are reused: secondaries that are
 * recorded once and run in several primaries, command buffers that are recorded again after each
 * kind of reset, and a primary that is submitted again in every frame. */
#include "vtr-app-demo.h"

typedef struct
{
  VtrAppDemo demo;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkPipeline in_pass;
  VtrAppBuffer *numbers;
  VkCommandPool pool;      /* reset as a whole */
  VkCommandBuffer often;   /* secondary, in dynamic rendering; recorded once */
  VkCommandBuffer drawing; /* secondary, in a pass without saying the framebuffer; recorded once */
  VkCommandBuffer outside; /* secondary, outside of passes; recorded once */
  VkCommandBuffer changed; /* secondary, reset by a command */
  VkCommandBuffer begun;   /* secondary, reset by being begun */
  VkCommandBuffer pooled;  /* secondary, reset with its pool; for one submission */
  VkCommandBuffer again;   /* primary, submitted in every frame */
} Recordings;

static void
begin_secondary (Recordings                *self,
                 VkCommandBuffer            commands,
                 VkCommandBufferUsageFlags  usage,
                 VkRenderPass               pass,
                 VkFramebuffer              framebuffer)
{
  static const VkFormat format = VTR_APP_DEMO_FORMAT;
  const VkCommandBufferInheritanceRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
    .colorAttachmentCount = 1,
    .pColorAttachmentFormats = &format,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
  };
  const bool inside = (usage & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0;
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .pNext = inside && pass == VK_NULL_HANDLE ? &rendering : NULL,
    .renderPass = pass,
    .framebuffer = framebuffer,
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = usage,
    .pInheritanceInfo = &inheritance,
  };

  vtr_app_check (vkBeginCommandBuffer (commands, &info), "vkBeginCommandBuffer");
}

/* One triangle, recorded into @commands. */
static void
record_triangle (Recordings                *self,
                 VkCommandBuffer            commands,
                 VkCommandBufferUsageFlags  usage,
                 VkRenderPass               pass,
                 VkFramebuffer              framebuffer,
                 uint32_t                   nth)
{
  VtrAppDemo *demo = &self->demo;

  begin_secondary (self, commands, usage | VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, pass,
                   framebuffer);
  vtr_app_viewport (commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                     pass != VK_NULL_HANDLE ? self->in_pass : demo->pipeline);
  vtr_app_triangle (&demo->scene, commands, -1 + 0.2f * (float)(nth % 9),
                    -0.9f + 0.12f * (float)(nth % 7), 0.8f, 0.5f, nth);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
}

static void
make_pass (Recordings *self)
{
  VtrAppDemo *demo = &self->demo;
  VtrAppPipelineInfo pipeline = { .n_colors = 1, .blend = true };

  self->pass = vtr_app_demo_pass (demo->scene.gpu.device);
  VTR_APP_KEEP (&demo->scene, RENDER_PASS, self->pass);
  self->framebuffer = vtr_app_demo_framebuffer (demo, self->pass);
  pipeline.pass = self->pass;
  self->in_pass = vtr_app_pipeline (&demo->scene, &pipeline);
}

/* A rendering, or a pass, of nothing but @secondaries. */
static void
execute (Recordings            *self,
         VkCommandBuffer        primary,
         bool                   in_pass,
         uint32_t               n,
         const VkCommandBuffer  secondaries[])
{
  const VkRect2D area = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } };
  const VkRenderPassBeginInfo pass = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = self->pass,
    .framebuffer = self->framebuffer,
    .renderArea = area,
  };
  const VkRenderingAttachmentInfo attachment = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = self->demo.color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
    .renderArea = area,
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &attachment,
  };

  vtr_app_barrier (primary);
  if (in_pass)
    vkCmdBeginRenderPass (primary, &pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
  else
    vkCmdBeginRendering (primary, &rendering);
  vkCmdExecuteCommands (primary, n, secondaries);
  if (in_pass)
    vkCmdEndRenderPass (primary);
  else
    vkCmdEndRendering (primary);
  vtr_app_barrier (primary);
}

/* Every run shifts the numbers and counts itself. */
static void
record_outside (Recordings *self)
{
  const VkBufferCopy shift = { 0, 128, 128 };

  begin_secondary (self, self->outside, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                   VK_NULL_HANDLE, VK_NULL_HANDLE);
  vtr_app_barrier (self->outside);
  vkCmdCopyBuffer (self->outside, self->numbers->buffer, self->numbers->buffer, 1, &shift);
  vtr_app_barrier (self->outside);
  vkCmdFillBuffer (self->outside, self->numbers->buffer, 16, 32, 0x01020304);
  vtr_app_barrier (self->outside);
  vtr_app_check (vkEndCommandBuffer (self->outside), "vkEndCommandBuffer");
}

static void
record_once (Recordings *self)
{
  const VkCommandBufferUsageFlags often = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
  };
  const VkCommandBuffer both[] = { self->often, self->often };

  record_triangle (self, self->often, often, VK_NULL_HANDLE, VK_NULL_HANDLE, 1);
  record_triangle (self, self->drawing, often, self->pass, VK_NULL_HANDLE, 3);
  record_outside (self);
  vtr_app_check (vkBeginCommandBuffer (self->again, &info), "vkBeginCommandBuffer");
  vkCmdExecuteCommands (self->again, 1, &self->outside);
  execute (self, self->again, false, 2, both);
  execute (self, self->again, true, 1, &self->drawing);
  vtr_app_check (vkEndCommandBuffer (self->again), "vkEndCommandBuffer");
}

static void
start (VtrAppDemo *demo)
{
  Recordings *self = (Recordings *)demo;
  VtrAppGpu *gpu = &demo->scene.gpu;
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
    .queueFamilyIndex = gpu->family,
  };
  VkCommandBufferAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
    .commandBufferCount = 1,
  };
  VkCommandBuffer *const secondaries[] = { &self->often, &self->drawing, &self->outside,
                                           &self->changed, &self->begun };

  self->numbers = vtr_app_demo_buffer (demo, "numbers", 512, 0);
  for (uint32_t i = 0; i < 32; i++)
    ((uint32_t *)self->numbers->mapped)[i] = i * 0x10203;
  make_pass (self);
  vtr_app_check (vkCreateCommandPool (gpu->device, &pool, NULL, &self->pool),
                 "vkCreateCommandPool");
  allocate.commandPool = self->pool;
  vtr_app_check (vkAllocateCommandBuffers (gpu->device, &allocate, &self->pooled),
                 "vkAllocateCommandBuffers");
  for (uint32_t i = 0; i < sizeof secondaries / sizeof secondaries[0]; i++)
    *secondaries[i] = vtr_app_commands (gpu, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  self->again = vtr_app_commands (gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  record_once (self);
}

/* Three ways to a new recording. @nth: of the triangles in them. */
static void
record_anew (Recordings *self,
             uint32_t    nth)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const bool release = self->demo.frame % 2 == 1;

  vtr_app_check (vkResetCommandBuffer (
                   self->changed, release ? VK_COMMAND_BUFFER_RESET_RELEASE_RESOURCES_BIT : 0),
                 "vkResetCommandBuffer");
  vtr_app_check (vkResetCommandPool (
                   device, self->pool,
                   release ? VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT : 0),
                 "vkResetCommandPool");
  record_triangle (self, self->changed, 0, self->pass, self->framebuffer, nth);
  record_triangle (self, self->begun, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, nth + 2);
  record_triangle (self, self->pooled, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
                   VK_NULL_HANDLE, VK_NULL_HANDLE, nth + 4);
}

static void
draw (VtrAppDemo *demo)
{
  Recordings *self = (Recordings *)demo;
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->again,
  };
  const VkCommandBuffer inside[] = { self->begun, self->often, self->pooled };
  const VkCommandBuffer pass[] = { self->changed, self->drawing };

  vtr_app_demo_flush (demo);
  vtr_app_check (vkQueueSubmit (demo->scene.gpu.queue, 1, &submit, VK_NULL_HANDLE),
                 "vkQueueSubmit");
  vtr_app_check (vkQueueWaitIdle (demo->scene.gpu.queue), "vkQueueWaitIdle");
  /* In every second frame those of the frame before run again. */
  if (demo->frame % 2 == 0)
    record_anew (self, 4 + demo->frame);
  execute (self, demo->commands, false, demo->frame % 2 == 0 ? 3 : 2, inside);
  if (!vtr_app_demo_check (demo))
    return;
  execute (self, demo->commands, true, 2, pass);
  vkCmdExecuteCommands (demo->commands, 1, &self->outside);
  vtr_app_demo_check (demo);
}

static void
finish (VtrAppDemo *demo)
{
  vkDestroyCommandPool (demo->scene.gpu.device, ((Recordings *)demo)->pool, NULL);
}

int
main (int    argc,
      char **argv)
{
  Recordings self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "dynamic rendering",
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
