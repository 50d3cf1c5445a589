/* Tests the bound state at recorded commands, in purpose-made sequences. */
#include "vtr-test-bound.h"

#include "api/vtr-api-types.h"

#include <string.h>

static void
add_framebuffer (
  VtrTestTrace *test, guint64 framebuffer, gboolean imageless, guint64 color, guint64 depth)
{
  VkFramebuffer handle = H (VkFramebuffer, framebuffer);
  VkImageView views[2] = { H (VkImageView, color), H (VkImageView, depth) };
  VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .flags = imageless ? VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT : 0,
    .attachmentCount = depth != 0 ? 2 : 1,
    .pAttachments = imageless ? NULL : views,
    .width = 64,
    .height = 32,
    .layers = 1,
  };

  ADD (test, vkCreateFramebuffer, .device = DEVICE, .pCreateInfo = &info,
       .pFramebuffer = &handle);
}

/* Images 0xa1 and 0xa2 with views 0xb1 and 0xb2, render pass 0xc1, framebuffer 0xd1. */
static void
add_targets (VtrTestTrace *test, guint32 n_subpasses)
{
  vtr_test_add_image (test, 0xa1, 0xb1, VK_FORMAT_R8G8B8A8_SRGB, 128, 64);
  vtr_test_add_image (test, 0xa2, 0xb2, VK_FORMAT_D32_SFLOAT, 128, 64);
  vtr_test_add_render_pass (test, 0xc1, VK_FORMAT_R8G8B8A8_SRGB, TRUE, n_subpasses);
  add_framebuffer (test, 0xd1, FALSE, 0xb1, 0xb2);
}

static void
check_targets (const VtrBoundState *state, gboolean depth)
{
  g_assert_true (state->in_pass);
  g_assert_cmpuint (state->n_colors, ==, 1);
  g_assert_cmpuint (state->colors[0].image_handle, ==, 0xa1);
  g_assert_cmpuint (state->colors[0].view_handle, ==, 0xb1);
  g_assert_cmpuint (state->colors[0].format, ==, VK_FORMAT_R8G8B8A8_SRGB);
  /* The view begins at level 1 of 4, and takes both layers. */
  g_assert_cmpuint (state->colors[0].extent.width, ==, 64);
  g_assert_cmpuint (state->colors[0].extent.height, ==, 32);
  g_assert_cmpuint (state->colors[0].range.levelCount, ==, 3);
  g_assert_cmpuint (state->colors[0].range.layerCount, ==, 2);
  g_assert_cmpuint (state->colors[0].layout, ==, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  g_assert_false (state->colors[0].swapchain);
  g_assert_true (state->has_depth == depth);
  g_assert_false (state->has_stencil);
  if (depth)
    g_assert_cmpuint (state->depth.image_handle, ==, 0xa2);
}

static void
test_render_pass (VtrTestBound *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  guint64 begin, pass, draw, next, end, after;

  add_targets (self->test, 2);
  begin = vtr_test_begin (self->test, CB);
  pass = vtr_test_begin_pass (self->test, CB, 0xc1, 0xd1);
  draw = vtr_test_draw (self->test, CB);
  next = ADD (self->test, vkCmdNextSubpass, .commandBuffer = BUFFER);
  end = vtr_test_end_pass (self->test, CB);
  after = vtr_test_end (self->test, CB);
  vtr_test_bound_open (self);

  vtr_test_bound_get (self, begin, state);
  g_assert_false (state->in_pass);
  g_assert_cmpuint (state->last_pass_begin, ==, VTR_COMMAND_NO_INDEX);
  vtr_test_bound_get (self, draw, state);
  check_targets (state, TRUE);
  g_assert_cmpuint (state->pass_begin, ==, pass);
  g_assert_cmpuint (state->render_pass, ==, 0xc1);
  g_assert_cmpuint (state->framebuffer, ==, 0xd1);
  g_assert_cmpuint (state->render_area.extent.width, ==, 64);
  g_assert_cmpuint (state->subpass, ==, 0);
  vtr_test_bound_get (self, next, state);
  g_assert_cmpuint (state->subpass, ==, 1);
  check_targets (state, FALSE);
  vtr_test_bound_get (self, end, state);
  g_assert_false (state->in_pass);
  g_assert_cmpuint (state->last_pass_end, ==, end);
  vtr_test_bound_get (self, after, state);
  g_assert_cmpuint (state->last_pass_begin, ==, pass);
  vtr_test_bound_get (self, 0, state);
  g_assert_cmpuint (state->recording, ==, VTR_NO_RECORDING);
}

static void
test_imageless (VtrTestBound *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VkImageView views[2] = { H (VkImageView, 0xb1), H (VkImageView, 0xb2) };
  VkRenderPassAttachmentBeginInfo attachments = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
    .attachmentCount = 2,
    .pAttachments = views,
  };
  VkRenderPassBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .pNext = &attachments,
    .renderPass = H (VkRenderPass, 0xc1),
    .framebuffer = H (VkFramebuffer, 0xd2),
  };
  VkSubpassBeginInfo subpass = { .sType = VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO };
  guint64 draw;

  add_targets (self->test, 1);
  add_framebuffer (self->test, 0xd2, TRUE, 0, 1);
  vtr_test_begin (self->test, CB);
  ADD (self->test, vkCmdBeginRenderPass2, .commandBuffer = BUFFER, .pRenderPassBegin = &begin,
       .pSubpassBeginInfo = &subpass);
  draw = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  vtr_test_bound_open (self);

  vtr_test_bound_get (self, draw, state);
  check_targets (state, TRUE);
}

static void
test_dynamic_rendering (VtrTestBound *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VkRenderingAttachmentInfo colors[2] = {
    { .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = H (VkImageView, 0xb1),
      .imageLayout = VK_IMAGE_LAYOUT_GENERAL },
    { .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO },
  };
  VkRenderingAttachmentInfo depth = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = H (VkImageView, 0xb2),
  };
  VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .renderArea = { { 1, 2 }, { 3, 4 } },
    .layerCount = 1,
    .viewMask = 5,
    .colorAttachmentCount = 2,
    .pColorAttachments = colors,
    .pDepthAttachment = &depth,
  };
  guint64 draw, end;

  add_targets (self->test, 1);
  vtr_test_begin (self->test, CB);
  vtr_test_trace_add (
    self->test, VTR_CMD_vkCmdBeginRenderingKHR,
    &(VtrArgs_vkCmdBeginRendering){ .commandBuffer = BUFFER, .pRenderingInfo = &info }, 0, 0);
  draw = vtr_test_draw (self->test, CB);
  end = ADD (self->test, vkCmdEndRendering, .commandBuffer = BUFFER);
  vtr_test_end (self->test, CB);
  vtr_test_bound_open (self);

  vtr_test_bound_get (self, draw, state);
  g_assert_true (state->in_pass);
  g_assert_true (state->dynamic_rendering);
  g_assert_cmpuint (state->render_pass, ==, 0);
  g_assert_cmpint (state->render_area.offset.y, ==, 2);
  g_assert_cmpuint (state->view_mask, ==, 5);
  g_assert_cmpuint (state->n_colors, ==, 2);
  g_assert_cmpuint (state->colors[0].image_handle, ==, 0xa1);
  g_assert_cmpuint (state->colors[0].layout, ==, VK_IMAGE_LAYOUT_GENERAL);
  g_assert_cmpuint (state->colors[1].image, ==, 0);
  g_assert_true (state->has_depth);
  g_assert_false (state->has_stencil);
  vtr_test_bound_get (self, end, state);
  g_assert_false (state->in_pass);
  g_assert_false (state->dynamic_rendering);
}

static guint64
begin_secondary (VtrTestTrace *test, guint64 framebuffer)
{
  VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .renderPass = H (VkRenderPass, 0xc1),
    .framebuffer = H (VkFramebuffer, framebuffer),
  };
  VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
    .pInheritanceInfo = &inheritance,
  };

  return ADD (test, vkBeginCommandBuffer, .commandBuffer = H (VkCommandBuffer, SECONDARY),
              .pBeginInfo = &info);
}

static void
bind_pipeline (VtrTestTrace *test, VkPipelineBindPoint point, guint64 pipeline)
{
  ADD (test, vkCmdBindPipeline, .commandBuffer = BUFFER, .pipelineBindPoint = point,
       .pipeline = H (VkPipeline, pipeline));
}

/* A secondary without a framebuffer draws where the primary that executes it does. */
static void
test_inheritance (VtrTestBound *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VkCommandBuffer secondary = H (VkCommandBuffer, SECONDARY);
  guint64 draw, pass, before, execute;

  add_targets (self->test, 1);
  begin_secondary (self->test, 0);
  draw = vtr_test_draw (self->test, SECONDARY);
  vtr_test_end (self->test, SECONDARY);
  vtr_test_begin (self->test, CB);
  bind_pipeline (self->test, VK_PIPELINE_BIND_POINT_GRAPHICS, 0x99);
  before = pass = vtr_test_begin_pass (self->test, CB, 0xc1, 0xd1);
  execute = ADD (self->test, vkCmdExecuteCommands, .commandBuffer = BUFFER,
                 .commandBufferCount = 1, .pCommandBuffers = &secondary);
  vtr_test_end_pass (self->test, CB);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_bound_open (self);

  vtr_test_bound_get (self, draw, state);
  check_targets (state, TRUE);
  g_assert_true (state->inherited);
  g_assert_cmpuint (state->pass_begin, ==, pass);
  g_assert_cmpuint (state->framebuffer, ==, 0xd1);
  vtr_test_bound_get (self, before, state);
  g_assert_cmpuint (state->bind_points[0].pipeline, ==, 0x99);
  /* After secondaries ran, everything but the pass is undefined. */
  vtr_test_bound_get (self, execute, state);
  g_assert_cmpuint (state->bind_points[0].pipeline, ==, 0);
  check_targets (state, TRUE);
}

/* A secondary that no primary executes has a framebuffer if it inherits one. */
static void
test_inheritance_alone (VtrTestBound *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  guint64 draw;

  add_targets (self->test, 1);
  begin_secondary (self->test, 0xd1);
  draw = vtr_test_draw (self->test, SECONDARY);
  vtr_test_end (self->test, SECONDARY);
  vtr_test_bound_open (self);

  vtr_test_bound_get (self, draw, state);
  check_targets (state, TRUE);
  g_assert_true (state->inherited);
}

static void
test_bindings (VtrTestBound *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VkBuffer buffers[2] = { H (VkBuffer, 0x51), H (VkBuffer, 0x52) };
  VkDeviceSize offsets[2] = { 16, 32 }, sizes[2] = { 100, 200 }, strides[2] = { 8, 12 };
  guint8 bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  guint64 draw, last;

  vtr_test_begin (self->test, CB);
  bind_pipeline (self->test, VK_PIPELINE_BIND_POINT_COMPUTE, 0x71);
  bind_pipeline (self->test, VK_PIPELINE_BIND_POINT_GRAPHICS, 0x72);
  bind_pipeline (self->test, VK_PIPELINE_BIND_POINT_GRAPHICS, 0x73);
  ADD (self->test, vkCmdBindVertexBuffers, .commandBuffer = BUFFER, .firstBinding = 1,
       .bindingCount = 2, .pBuffers = buffers, .pOffsets = offsets);
  ADD (self->test, vkCmdBindIndexBuffer, .commandBuffer = BUFFER, .buffer = H (VkBuffer, 0x53),
       .offset = 6, .indexType = VK_INDEX_TYPE_UINT32);
  ADD (self->test, vkCmdPushConstants, .commandBuffer = BUFFER,
       .stageFlags = VK_SHADER_STAGE_VERTEX_BIT, .offset = 8, .size = 8, .pValues = bytes);
  ADD (self->test, vkCmdPushConstants, .commandBuffer = BUFFER,
       .stageFlags = VK_SHADER_STAGE_VERTEX_BIT, .offset = 12, .size = 4, .pValues = bytes);
  draw = vtr_test_draw (self->test, CB);
  vtr_test_trace_add (self->test, VTR_CMD_vkCmdBindVertexBuffers2EXT,
                      &(VtrArgs_vkCmdBindVertexBuffers2){ .commandBuffer = BUFFER,
                                                          .firstBinding = 2,
                                                          .bindingCount = 1,
                                                          .pBuffers = buffers,
                                                          .pOffsets = offsets,
                                                          .pSizes = sizes,
                                                          .pStrides = strides },
                      0, 0);
  /* Far beyond what any driver has. */
  ADD (self->test, vkCmdBindVertexBuffers, .commandBuffer = BUFFER, .firstBinding = 0xffffffff,
       .bindingCount = 2, .pBuffers = buffers, .pOffsets = offsets);
  ADD (self->test, vkCmdPushConstants, .commandBuffer = BUFFER, .offset = 252, .size = 8,
       .pValues = bytes);
  last = vtr_test_end (self->test, CB);
  vtr_test_bound_open (self);

  vtr_test_bound_get (self, draw, state);
  g_assert_cmpuint (state->bind_points[0].pipeline, ==, 0x73);
  g_assert_cmpuint (state->bind_points[1].pipeline, ==, 0x71);
  g_assert_cmpuint (state->bind_points[2].pipeline, ==, 0);
  g_assert_cmpuint (state->vertex_buffers[0].buffer, ==, 0);
  g_assert_cmpuint (state->vertex_buffers[1].buffer, ==, 0x51);
  g_assert_cmpuint (state->vertex_buffers[2].offset, ==, 32);
  g_assert_cmpuint (state->vertex_buffers[2].size, ==, VK_WHOLE_SIZE);
  g_assert_cmpuint (state->index_buffer, ==, 0x53);
  g_assert_cmpuint (state->index_offset, ==, 6);
  g_assert_cmpuint (state->index_type, ==, VK_INDEX_TYPE_UINT32);
  g_assert_cmpuint (state->push_constants_size, ==, 16);
  g_assert_cmpmem (state->push_constants + 8, 8, "\1\2\3\4\1\2\3\4", 8);

  vtr_test_bound_get (self, last, state);
  g_assert_cmpuint (state->vertex_buffers[2].buffer, ==, 0x51);
  g_assert_cmpuint (state->vertex_buffers[2].size, ==, 100);
  g_assert_cmpuint (state->vertex_buffers[2].stride, ==, 8);
  g_assert_cmpuint (state->push_constants_size, ==, 256);
}

/* --- Dynamic state --- */

static void
add_pipeline (VtrTestTrace *test, guint64 value, const VkDynamicState *dynamic, guint32 n_dynamic)
{
  VkPipeline handle = H (VkPipeline, value);
  VkViewport viewport = { 1, 2, 30, 40, 0, 1 };
  VkRect2D scissor = { { 5, 6 }, { 7, 8 } };
  VkPipelineViewportStateCreateInfo viewports = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .pViewports = &viewport,
    .scissorCount = 1,
    .pScissors = &scissor,
  };
  VkPipelineRasterizationStateCreateInfo raster = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
  };
  VkPipelineDynamicStateCreateInfo dynamic_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
    .dynamicStateCount = n_dynamic,
    .pDynamicStates = dynamic,
  };
  VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .pViewportState = &viewports,
    .pRasterizationState = &raster,
    .pDynamicState = &dynamic_info,
  };

  ADD (test, vkCreateGraphicsPipelines, .device = DEVICE, .createInfoCount = 1,
       .pCreateInfos = &info, .pPipelines = &handle);
}

static void
test_viewports (VtrTestBound *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VkDynamicState dynamic = VK_DYNAMIC_STATE_VIEWPORT;
  VkViewport viewports[2] = { { 0, 0, 100, 100, 0, 1 }, { 0, 0, 200, 200, 0, 1 } };
  guint64 partly, fully;

  add_pipeline (self->test, 0x71, &dynamic, 1);
  add_pipeline (self->test, 0x72, NULL, 0);
  vtr_test_begin (self->test, CB);
  ADD (self->test, vkCmdSetViewport, .commandBuffer = BUFFER, .viewportCount = 2,
       .pViewports = viewports);
  bind_pipeline (self->test, VK_PIPELINE_BIND_POINT_GRAPHICS, 0x71);
  partly = vtr_test_draw (self->test, CB);
  bind_pipeline (self->test, VK_PIPELINE_BIND_POINT_GRAPHICS, 0x72);
  fully = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  vtr_test_bound_open (self);

  vtr_test_bound_get (self, partly, state);
  g_assert_cmpuint (state->n_viewports, ==, 2);
  g_assert_cmpfloat (state->viewports[1].width, ==, 200);
  g_assert_cmpuint (state->n_scissors, ==, 1);
  g_assert_cmpint (state->scissors[0].offset.x, ==, 5);
  vtr_test_bound_get (self, fully, state);
  g_assert_cmpuint (state->n_viewports, ==, 1);
  g_assert_cmpfloat (state->viewports[0].height, ==, 40);
}

/* Every command of the registry that sets dynamic state is seen; the last of each kind counts. */
static void
test_every_dynamic_state (VtrTestBound *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  guint64 last[VTR_VULKAN_N_COMMANDS];
  guint n = 0, seen = 0;
  guint64 draw;

  vtr_test_begin (self->test, CB);
  for (guint round = 0; round < 2; round++)
    for (guint id = 0; id < VTR_VULKAN_N_COMMANDS; id++)
      {
        guint64 args[64] = { CB };

        last[id] = round == 0 ? VTR_COMMAND_NO_INDEX : last[id];
        if (!vtr_cmd_is ((VtrCmdId)id, VTR_CLASS_DYNAMIC) ||
            !vtr_cmd_is ((VtrCmdId)id, VTR_CLASS_C))
          continue;
        last[vtr_cmd_canonical ((VtrCmdId)id)] =
          vtr_test_trace_add (self->test, (VtrCmdId)id, args, 0, 0);
      }
  draw = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  vtr_test_bound_open (self);

  vtr_test_bound_get (self, draw, state);
  for (guint id = 0; id < VTR_VULKAN_N_COMMANDS; id++)
    n += last[id] != VTR_COMMAND_NO_INDEX;
  g_assert_cmpuint (n, >, 20);
  for (guint i = 0; i < state->n_dynamic; i++)
    {
      if (i > 0)
        g_assert_cmpuint (state->dynamic[i].id, >, state->dynamic[i - 1].id);
      g_assert_cmpuint (state->dynamic[i].index, ==, last[state->dynamic[i].id]);
      seen++;
    }
  g_assert_cmpuint (seen, ==, n);
}

/* The states that the walker keeps give the same result as a new walk, at every command. */
static void
test_walker (VtrTestBound *self, gconstpointer data)
{
  g_autofree VtrBoundState *fresh = g_new (VtrBoundState, 1);
  g_autofree VtrBoundState *kept = g_new (VtrBoundState, 1);
  g_autoptr (VtrBoundWalker) walker = NULL;
  g_autoptr (GError) error = NULL;
  guint64 first, last;

  first = vtr_test_begin (self->test, CB);
  for (guint i = 0; i < 3000; i++)
    {
      if (i % 7 == 0)
        bind_pipeline (self->test, VK_PIPELINE_BIND_POINT_GRAPHICS, 1 + i);
      if (i % 11 == 0)
        ADD (self->test, vkCmdSetLineWidth, .commandBuffer = BUFFER, .lineWidth = (float)i);
      vtr_test_draw (self->test, CB);
    }
  last = vtr_test_end (self->test, CB);
  vtr_test_bound_open (self);

  walker = vtr_bound_walker_new (self->timeline, self->history);
  for (guint i = 0; i < 60; i++)
    {
      guint64 index = first + (guint64)g_test_rand_int_range (0, (gint32)(last - first + 1));

      vtr_test_bound_get (self, index, fresh);
      g_assert_true (vtr_bound_walker_get (walker, index, kept, &error));
      g_assert_no_error (error);
      g_assert_cmpmem (fresh, sizeof *fresh, kept, sizeof *kept);
    }
  g_assert_false (vtr_bound_walker_get (walker, last + 100, kept, &error));
  g_assert_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_RANGE);
}

int
main (int argc, char **argv)
{
#define TEST(name, function) \
  g_test_add ("/engine/state/bound-state/" name, VtrTestBound, NULL, vtr_test_bound_set_up, \
              function, vtr_test_bound_tear_down)

  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  TEST ("render-pass", test_render_pass);
  TEST ("imageless", test_imageless);
  TEST ("dynamic-rendering", test_dynamic_rendering);
  TEST ("inheritance", test_inheritance);
  TEST ("inheritance-alone", test_inheritance_alone);
  TEST ("bindings", test_bindings);
  TEST ("viewports", test_viewports);
  TEST ("every-dynamic-state", test_every_dynamic_state);
  TEST ("walker", test_walker);
  return g_test_run ();
}
