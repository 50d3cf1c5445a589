/* Records one frame of a VtrScene as a renderer would, with a shadow map, a geometry pass filled
 * by two threads, and a post-processing pass. */
#include "vtr-scene.h"

#define BASE_THREAD 1000

static void
begin_label (VtrScene   *self,
             guint64     commands,
             const char *text)
{
  VkDebugUtilsLabelEXT label = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
    .pLabelName = text,
  };

  CALL (self->recorder, vkCmdBeginDebugUtilsLabelEXT,
        .commandBuffer = H (VkCommandBuffer, commands), .pLabelInfo = &label);
}

static void
end_label (VtrScene *self,
           guint64   commands)
{
  CALL (self->recorder, vkCmdEndDebugUtilsLabelEXT,
        .commandBuffer = H (VkCommandBuffer, commands));
}

static void
begin_pass (VtrScene          *self,
            guint64            commands,
            guint64            pass,
            guint64            framebuffer,
            VkSubpassContents  contents)
{
  VkClearValue clears[N_COLORS + 1] = { 0 };
  VkRenderPassBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = H (VkRenderPass, pass),
    .framebuffer = H (VkFramebuffer, framebuffer),
    .renderArea = { { 0, 0 }, { TARGET_SIZE, TARGET_SIZE } },
    .clearValueCount = pass == self->geometry_pass ? N_COLORS + 1 : 1,
    .pClearValues = clears,
  };

  clears[info.clearValueCount - 1].depthStencil.depth = 1;
  CALL (self->recorder, vkCmdBeginRenderPass, .commandBuffer = H (VkCommandBuffer, commands),
        .pRenderPassBegin = &info, .contents = contents);
}

static void
set_viewport (VtrScene *self,
              guint64   commands)
{
  VkViewport viewport = { 0, 0, TARGET_SIZE, TARGET_SIZE, 0, 1 };
  VkRect2D scissor = { { 0, 0 }, { TARGET_SIZE, TARGET_SIZE } };

  CALL (self->recorder, vkCmdSetViewport, .commandBuffer = H (VkCommandBuffer, commands),
        .viewportCount = 1, .pViewports = &viewport);
  CALL (self->recorder, vkCmdSetScissor, .commandBuffer = H (VkCommandBuffer, commands),
        .scissorCount = 1, .pScissors = &scissor);
}

static void
record_draws (VtrScene *self,
              guint64   commands,
              guint     n_draws)
{
  VkCommandBuffer buffer = H (VkCommandBuffer, commands);
  VkPipelineLayout layout = H (VkPipelineLayout, self->layout);
  VkDeviceSize zero = 0;
  guint bound = G_MAXUINT;

  CALL (self->recorder, vkCmdBindIndexBuffer, .commandBuffer = buffer,
        .buffer = H (VkBuffer, self->indices.buffer), .indexType = VK_INDEX_TYPE_UINT16);
  for (guint i = 0; i < n_draws; i++)
    {
      guint material = (guint)g_rand_int_range (self->random, 0, N_MATERIALS);
      float push[16] = { (float)g_rand_double_range (self->random, -1, 1),
                         (float)g_rand_double_range (self->random, -1, 1), 0.02f, 0.02f,
                         (float)g_rand_double (self->random), 0.5f, 0.25f, 1 };

      if (bound != material / 8)
        {
          bound = material / 8;
          CALL (self->recorder, vkCmdBindPipeline, .commandBuffer = buffer,
                .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                .pipeline = H (VkPipeline, self->geometry_pipelines[bound]));
        }
      CALL (self->recorder, vkCmdBindDescriptorSets, .commandBuffer = buffer,
            .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS, .layout = layout,
            .descriptorSetCount = 1, .pDescriptorSets = (VkDescriptorSet *)&self->sets[material]);
      CALL (self->recorder, vkCmdPushConstants, .commandBuffer = buffer, .layout = layout,
            .stageFlags = VK_SHADER_STAGE_VERTEX_BIT, .size = sizeof push, .pValues = push);
      CALL (self->recorder, vkCmdBindVertexBuffers, .commandBuffer = buffer, .bindingCount = 1,
            .pBuffers = (VkBuffer *)&self->vertices.buffer, .pOffsets = &zero);
      CALL (self->recorder, vkCmdDrawIndexed, .commandBuffer = buffer,
            .indexCount = 3 * (1 + i % 8), .instanceCount = 1, .firstIndex = 3 * (i % 512));
    }
}

static void
record_shadows (VtrScene      *self,
                VtrSceneFrame *frame,
                guint          n_draws)
{
  VkCommandBuffer buffer = H (VkCommandBuffer, frame->primary);
  float push[16] = { 0, 0, 0.1f, 0.1f };

  begin_label (self, frame->primary, "Shadow map");
  begin_pass (self, frame->primary, self->shadow_pass, self->shadow_framebuffer,
              VK_SUBPASS_CONTENTS_INLINE);
  CALL (self->recorder, vkCmdBindPipeline, .commandBuffer = buffer,
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .pipeline = H (VkPipeline, self->shadow_pipeline));
  set_viewport (self, frame->primary);
  for (guint i = 0; i < n_draws; i++)
    {
      push[0] = (float)g_rand_double_range (self->random, -1, 1);
      CALL (self->recorder, vkCmdPushConstants, .commandBuffer = buffer,
            .layout = H (VkPipelineLayout, self->layout),
            .stageFlags = VK_SHADER_STAGE_VERTEX_BIT, .size = sizeof push, .pValues = push);
      CALL (self->recorder, vkCmdDraw, .commandBuffer = buffer, .vertexCount = 3 * (1 + i % 4),
            .instanceCount = 1);
    }
  CALL (self->recorder, vkCmdEndRenderPass, .commandBuffer = buffer);
  end_label (self, frame->primary);
}

static void
record_secondary (VtrScene      *self,
                  VtrSceneFrame *frame,
                  guint          nth,
                  guint          n_draws)
{
  VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .renderPass = H (VkRenderPass, self->geometry_pass),
    .framebuffer = H (VkFramebuffer, self->geometry_framebuffer),
  };
  VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT |
             VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
    .pInheritanceInfo = &inheritance,
  };
  guint64 commands = frame->secondaries[nth];

  vtr_recorder_set_thread (self->recorder, BASE_THREAD + 1 + nth);
  CALL (self->recorder, vkResetCommandPool, .device = H (VkDevice, self->device),
        .commandPool = H (VkCommandPool, frame->worker_pools[nth]));
  CALL (self->recorder, vkBeginCommandBuffer, .commandBuffer = H (VkCommandBuffer, commands),
        .pBeginInfo = &info);
  set_viewport (self, commands);
  record_draws (self, commands, n_draws);
  CALL (self->recorder, vkEndCommandBuffer, .commandBuffer = H (VkCommandBuffer, commands));
  vtr_recorder_set_thread (self->recorder, BASE_THREAD);
}

static gboolean
streams_texture (guint64 number)
{
  return number >= N_MATERIALS && number % 10 == 0;
}

static void
record_primary (VtrScene      *self,
                VtrSceneFrame *frame,
                guint64        number,
                guint32        image,
                guint          n_shadows)
{
  VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };
  VkCommandBuffer buffer = H (VkCommandBuffer, frame->primary);
  VkQueryPool queries = H (VkQueryPool, self->query_pool);
  float push[16] = { 0, 0, 1, 1, 0.2f, 0.2f, 0.2f, 1 };

  CALL (self->recorder, vkBeginCommandBuffer, .commandBuffer = buffer, .pBeginInfo = &info);
  CALL (self->recorder, vkCmdResetQueryPool, .commandBuffer = buffer, .queryPool = queries,
        .firstQuery = 2 * image, .queryCount = 2);
  CALL (self->recorder, vkCmdWriteTimestamp, .commandBuffer = buffer,
        .pipelineStage = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, .queryPool = queries,
        .query = 2 * image);
  if (number < N_MATERIALS)
    vtr_scene_upload_texture (self, (guint)number, frame->primary);
  else if (streams_texture (number))
    vtr_scene_upload_texture (self, (guint)(number / 10 % N_MATERIALS), frame->primary);
  record_shadows (self, frame, n_shadows);

  begin_label (self, frame->primary, "Geometry");
  begin_pass (self, frame->primary, self->geometry_pass, self->geometry_framebuffer,
              VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
  CALL (self->recorder, vkCmdExecuteCommands, .commandBuffer = buffer,
        .commandBufferCount = N_SECONDARIES,
        .pCommandBuffers = (VkCommandBuffer *)frame->secondaries);
  CALL (self->recorder, vkCmdEndRenderPass, .commandBuffer = buffer);
  end_label (self, frame->primary);

  begin_label (self, frame->primary, "Post-processing");
  begin_pass (self, frame->primary, self->post_pass, self->swap_framebuffers[image],
              VK_SUBPASS_CONTENTS_INLINE);
  CALL (self->recorder, vkCmdBindPipeline, .commandBuffer = buffer,
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .pipeline = H (VkPipeline, self->post_pipeline));
  set_viewport (self, frame->primary);
  push[4] = (float)(number % 100) / 100;
  CALL (self->recorder, vkCmdBindDescriptorSets, .commandBuffer = buffer,
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .layout = H (VkPipelineLayout, self->layout), .descriptorSetCount = 1,
        .pDescriptorSets = (VkDescriptorSet *)&frame->set);
  CALL (self->recorder, vkCmdPushConstants, .commandBuffer = buffer,
        .layout = H (VkPipelineLayout, self->layout), .stageFlags = VK_SHADER_STAGE_VERTEX_BIT,
        .size = sizeof push, .pValues = push);
  CALL (self->recorder, vkCmdDraw, .commandBuffer = buffer, .vertexCount = 3,
        .instanceCount = 1);
  CALL (self->recorder, vkCmdEndRenderPass, .commandBuffer = buffer);
  end_label (self, frame->primary);
  CALL (self->recorder, vkCmdWriteTimestamp, .commandBuffer = buffer,
        .pipelineStage = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, .queryPool = queries,
        .query = 2 * image + 1);
  CALL (self->recorder, vkEndCommandBuffer, .commandBuffer = buffer);
}

static void
submit (VtrScene      *self,
        VtrSceneFrame *frame,
        guint32        image)
{
  VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = (VkSemaphore *)&frame->acquired,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = 1,
    .pCommandBuffers = (VkCommandBuffer *)&frame->primary,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = (VkSemaphore *)&frame->rendered,
  };
  VkPresentInfoKHR present = {
    .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = (VkSemaphore *)&frame->rendered,
    .swapchainCount = 1,
    .pSwapchains = (VkSwapchainKHR *)&self->swapchain,
    .pImageIndices = &image,
  };

  CALL (self->recorder, vkQueueSubmit, .queue = H (VkQueue, self->queue), .submitCount = 1,
        .pSubmits = &info, .fence = H (VkFence, frame->fence));
  CALL (self->recorder, vkQueuePresentKHR, .queue = H (VkQueue, self->queue),
        .pPresentInfo = &present);
}

void
vtr_scene_draw_frame (VtrScene *self,
                      guint64   number,
                      guint     n_draws)
{
  VtrSceneFrame *frame = &self->frames[number % N_SWAP_IMAGES];
  guint32 image = (guint32)(number % N_SWAP_IMAGES);
  guint n_shadows = n_draws / 4, n_rest = n_draws - n_draws / 4;
  VkDevice device = H (VkDevice, self->device);
  gsize written = MIN (UNIFORM_BYTES, 64 * (gsize)n_draws);
  float *uniforms = frame->uniforms.mapped;

  CALL (self->recorder, vkWaitForFences, .device = device, .fenceCount = 1,
        .pFences = (VkFence *)&frame->fence, .waitAll = VK_TRUE, .timeout = G_MAXUINT64);
  CALL (self->recorder, vkResetFences, .device = device, .fenceCount = 1,
        .pFences = (VkFence *)&frame->fence);
  CALL (self->recorder, vkAcquireNextImageKHR, .device = device,
        .swapchain = H (VkSwapchainKHR, self->swapchain), .timeout = G_MAXUINT64,
        .semaphore = H (VkSemaphore, frame->acquired), .pImageIndex = &image);
  CALL (self->recorder, vkResetCommandPool, .device = device,
        .commandPool = H (VkCommandPool, frame->pool));
  if (streams_texture (number))
    vtr_scene_stream_texture (self, (guint)(number / 10 % N_MATERIALS));
  for (guint i = 0; i < N_SECONDARIES; i++)
    record_secondary (self, frame, i, n_rest / N_SECONDARIES);
  record_primary (self, frame, number, image, n_shadows);
  for (gsize i = 0; i < written / sizeof *uniforms; i++)
    uniforms[i] = (float)g_rand_double (self->random);
  vtr_recorder_add_write (self->recorder, self->device, frame->uniforms.memory,
                          frame->uniforms.mapped, 0, written);
  submit (self, frame, image);
}
