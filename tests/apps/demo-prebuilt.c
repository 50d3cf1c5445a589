/* vtr-app-demo-prebuilt: a command buffer that is recorded once and submitted in every frame. It
 * copies the results of the last frame's queries, one of them in a secondary, shows the numbers as
 * texels, resets the queries and counts again. */
#include "vtr-app-demo.h"

#define BYTES 64u

typedef struct
{
  VtrAppDemo demo;
  VkQueryPool pool; /* 2 queries: each has samples of another number of instances */
  VtrAppBuffer *results, *draws;
  VkCommandBuffer copying; /* secondary: the second result */
  VkCommandBuffer again;
} Prebuilt;

/* The numbers of instances of the two draws, before anything else of the frame. */
static void
set_instances (Prebuilt *self,
               uint32_t  frame)
{
  const VkDrawIndirectCommand draws[] = { { 3, 1 + frame, 0, 0 }, { 3, 2 + 3 * frame, 0, 0 } };

  vkCmdUpdateBuffer (self->demo.commands, self->draws->buffer, 0, sizeof draws, draws);
  vtr_app_barrier (self->demo.commands);
}

/* Counts the samples of both draws, into @commands. */
static void
count (Prebuilt        *self,
       VkCommandBuffer  commands)
{
  VtrAppDemo *demo = &self->demo;
  const VkRenderingAttachmentInfo attachment = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = demo->color->view,
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  const VkRenderingInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } },
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &attachment,
  };

  vkCmdResetQueryPool (commands, self->pool, 0, 2);
  vkCmdBeginRendering (commands, &rendering);
  vtr_app_viewport (commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_GRAPHICS, demo->pipeline);
  for (uint32_t i = 0; i < 2; i++)
    {
      /* The indirect draw draws the same triangle. */
      vtr_app_triangle (&demo->scene, commands, -0.9f + 0.9f * (float)i, -0.5f, 0.8f, 0.5f, 3 + i);
      vkCmdBeginQuery (commands, self->pool, i, VK_QUERY_CONTROL_PRECISE_BIT);
      vkCmdDrawIndirect (commands, self->draws->buffer, i * sizeof (VkDrawIndirectCommand), 1, 0);
      vkCmdEndQuery (commands, self->pool, i);
    }
  vkCmdEndRendering (commands);
  vtr_app_barrier (commands);
}

static void
record_copying (Prebuilt *self)
{
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
  };
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .pInheritanceInfo = &inheritance,
  };
  VkCommandBuffer commands =
    vtr_app_commands (&self->demo.scene.gpu, VK_COMMAND_BUFFER_LEVEL_SECONDARY);

  vtr_app_check (vkBeginCommandBuffer (commands, &info), "vkBeginCommandBuffer");
  vkCmdCopyQueryPoolResults (commands, self->pool, 1, 1, self->results->buffer, 32, 8,
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  self->copying = commands;
}

static void
record_again (Prebuilt *self)
{
  const VkCommandBufferBeginInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
  const VkBufferImageCopy texels = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { BYTES / 4, 1, 1 },
  };
  VtrAppDemo *demo = &self->demo;
  VkCommandBuffer commands =
    vtr_app_commands (&demo->scene.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);

  vtr_app_check (vkBeginCommandBuffer (commands, &info), "vkBeginCommandBuffer");
  vtr_app_barrier (commands);
  vkCmdCopyQueryPoolResults (commands, self->pool, 0, 2, self->results->buffer, 0, 4,
                             VK_QUERY_RESULT_WAIT_BIT);
  vkCmdExecuteCommands (commands, 1, &self->copying);
  vtr_app_barrier (commands);
  vkCmdCopyBufferToImage (commands, self->results->buffer, demo->color->image,
                          demo->color->layout, 1, &texels);
  vtr_app_barrier (commands);
  count (self, commands);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  self->again = commands;
}

static void
start (VtrAppDemo *demo)
{
  const VkQueryPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = VK_QUERY_TYPE_OCCLUSION,
    .queryCount = 2,
  };
  Prebuilt *self = (Prebuilt *)demo;

  vtr_app_check (vkCreateQueryPool (demo->scene.gpu.device, &info, NULL, &self->pool),
                 "vkCreateQueryPool");
  VTR_APP_KEEP (&demo->scene, QUERY_POOL, self->pool);
  self->results = vtr_app_demo_buffer (demo, "results", BYTES, 0);
  self->draws = vtr_app_demo_buffer (demo, "draws", 64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  set_instances (self, 5);
  count (self, demo->commands);
  record_copying (self);
  record_again (self);
}

static void
draw (VtrAppDemo *demo)
{
  Prebuilt *self = (Prebuilt *)demo;

  set_instances (self, demo->frame);
  vtr_app_demo_flush (demo);
  vtr_app_check (vkQueueSubmit (demo->scene.gpu.queue, 1,
                                &(VkSubmitInfo){ .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                                 .commandBufferCount = 1,
                                                 .pCommandBuffers = &self->again },
                                VK_NULL_HANDLE),
                 "vkQueueSubmit");
  vtr_app_check (vkQueueWaitIdle (demo->scene.gpu.queue), "vkQueueWaitIdle");
  vtr_app_barrier (demo->commands);
  vtr_app_demo_begin_rendering (demo);
  if (vtr_app_demo_check (demo))
    {
      vtr_app_demo_triangle (demo, 8);
      vtr_app_demo_check (demo);
    }
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  Prebuilt self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "precise queries of samples",
                                              .features = { .occlusionQueryPrecise = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
