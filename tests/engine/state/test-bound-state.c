/* What recorded commands find bound, in purpose-made sequences. */
#include "vtr-test-trace.h"

#include "engine/state/vtr-descriptors.h"

#include "api/vtr-api-types.h"

#include <string.h>

#define DEVICE H (VkDevice, 3)
#define CB 0x1000
#define SECONDARY 0x2000
#define BUFFER H (VkCommandBuffer, CB)

typedef struct
{
  VtrTestTrace *test;
  VtrTrace *trace;
  VtrTimeline *timeline;
  VtrHistory *history;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->test = vtr_test_trace_new ();
  vtr_test_add_device (self->test);
  vtr_test_add_pool (self->test, 0x10, 0);
  vtr_test_allocate_buffer (self->test, 0x10, CB);
  vtr_test_allocate_buffer (self->test, 0x10, SECONDARY);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_clear_pointer (&self->history, vtr_history_unref);
  g_clear_pointer (&self->timeline, vtr_timeline_unref);
  g_clear_pointer (&self->trace, vtr_trace_unref);
  vtr_test_trace_free (self->test);
}

static void
open_trace (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  self->trace = vtr_test_trace_open (self->test);
  self->timeline = vtr_timeline_build (self->trace, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  self->history = vtr_history_build (self->trace, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
get_state (Fixture *self, guint64 index, VtrBoundState *out)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (vtr_bound_state_at (self->timeline, self->history, index, out, &error));
  g_assert_no_error (error);
}

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
test_render_pass (Fixture *self, gconstpointer data)
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
  open_trace (self);

  get_state (self, begin, state);
  g_assert_false (state->in_pass);
  g_assert_cmpuint (state->last_pass_begin, ==, VTR_COMMAND_NO_INDEX);
  get_state (self, draw, state);
  check_targets (state, TRUE);
  g_assert_cmpuint (state->pass_begin, ==, pass);
  g_assert_cmpuint (state->render_pass, ==, 0xc1);
  g_assert_cmpuint (state->framebuffer, ==, 0xd1);
  g_assert_cmpuint (state->render_area.extent.width, ==, 64);
  g_assert_cmpuint (state->subpass, ==, 0);
  get_state (self, next, state);
  g_assert_cmpuint (state->subpass, ==, 1);
  check_targets (state, FALSE);
  get_state (self, end, state);
  g_assert_false (state->in_pass);
  g_assert_cmpuint (state->last_pass_end, ==, end);
  get_state (self, after, state);
  g_assert_cmpuint (state->last_pass_begin, ==, pass);
  get_state (self, 0, state);
  g_assert_cmpuint (state->recording, ==, VTR_NO_RECORDING);
}

static void
test_imageless (Fixture *self, gconstpointer data)
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
  open_trace (self);

  get_state (self, draw, state);
  check_targets (state, TRUE);
}

static void
test_dynamic_rendering (Fixture *self, gconstpointer data)
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
  open_trace (self);

  get_state (self, draw, state);
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
  get_state (self, end, state);
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
test_inheritance (Fixture *self, gconstpointer data)
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
  open_trace (self);

  get_state (self, draw, state);
  check_targets (state, TRUE);
  g_assert_true (state->inherited);
  g_assert_cmpuint (state->pass_begin, ==, pass);
  g_assert_cmpuint (state->framebuffer, ==, 0xd1);
  get_state (self, before, state);
  g_assert_cmpuint (state->bind_points[0].pipeline, ==, 0x99);
  /* After secondaries ran, everything but the pass is undefined. */
  get_state (self, execute, state);
  g_assert_cmpuint (state->bind_points[0].pipeline, ==, 0);
  check_targets (state, TRUE);
}

/* One that nobody executes knows its framebuffer, if it says so. */
static void
test_inheritance_alone (Fixture *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  guint64 draw;

  add_targets (self->test, 1);
  begin_secondary (self->test, 0xd1);
  draw = vtr_test_draw (self->test, SECONDARY);
  vtr_test_end (self->test, SECONDARY);
  open_trace (self);

  get_state (self, draw, state);
  check_targets (state, TRUE);
  g_assert_true (state->inherited);
}

static void
test_bindings (Fixture *self, gconstpointer data)
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
  open_trace (self);

  get_state (self, draw, state);
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

  get_state (self, last, state);
  g_assert_cmpuint (state->vertex_buffers[2].buffer, ==, 0x51);
  g_assert_cmpuint (state->vertex_buffers[2].size, ==, 100);
  g_assert_cmpuint (state->vertex_buffers[2].stride, ==, 8);
  g_assert_cmpuint (state->push_constants_size, ==, 256);
}

/* --- Descriptor sets --- */

static void
add_set_layout (VtrTestTrace                       *test,
                guint64                             value,
                const VkDescriptorSetLayoutBinding *bindings,
                guint32                             n)
{
  VkDescriptorSetLayout layout = H (VkDescriptorSetLayout, value);
  VkDescriptorSetLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = n,
    .pBindings = bindings,
  };

  ADD (test, vkCreateDescriptorSetLayout, .device = DEVICE, .pCreateInfo = &info,
       .pSetLayout = &layout);
}

/* Sets 0x81 (layout 0x61) and 0x82 (layout 0x62) from pool 0x50. */
static void
add_sets (VtrTestTrace *test)
{
  VkDescriptorSetLayoutBinding first[] = {
    { 3, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2, VK_SHADER_STAGE_VERTEX_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
  };
  VkDescriptorSetLayoutBinding second[] = {
    { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_ALL, NULL },
    { 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL },
  };
  VkDescriptorSetLayout layouts[] = { H (VkDescriptorSetLayout, 0x61),
                                      H (VkDescriptorSetLayout, 0x62) };
  VkDescriptorSet sets[] = { H (VkDescriptorSet, 0x81), H (VkDescriptorSet, 0x82) };
  VkDescriptorPool pool = H (VkDescriptorPool, 0x50);
  VkPipelineLayout pipeline_layout = H (VkPipelineLayout, 0x90);
  VkDescriptorPoolCreateInfo pool_info = { .sType =
                                             VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO };
  VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 2,
    .pSetLayouts = layouts,
  };
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = pool,
    .descriptorSetCount = 2,
    .pSetLayouts = layouts,
  };

  add_set_layout (test, 0x61, first, G_N_ELEMENTS (first));
  add_set_layout (test, 0x62, second, G_N_ELEMENTS (second));
  ADD (test, vkCreatePipelineLayout, .device = DEVICE, .pCreateInfo = &layout_info,
       .pPipelineLayout = &pipeline_layout);
  ADD (test, vkCreateDescriptorPool, .device = DEVICE, .pCreateInfo = &pool_info,
       .pDescriptorPool = &pool);
  ADD (test, vkAllocateDescriptorSets, .device = DEVICE, .pAllocateInfo = &info,
       .pDescriptorSets = sets);
}

/* Dynamic offsets of one bind are shared out in the order of sets. */
static void
test_dynamic_offsets (Fixture *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VkDescriptorSet sets[] = { H (VkDescriptorSet, 0x81), H (VkDescriptorSet, 0x82) };
  guint32 offsets[] = { 256, 512, 1024 };
  guint64 begin, bind, draw;

  add_sets (self->test);
  begin = vtr_test_begin (self->test, CB);
  bind = ADD (self->test, vkCmdBindDescriptorSets, .commandBuffer = BUFFER,
              .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
              .layout = H (VkPipelineLayout, 0x90), .firstSet = 1, .descriptorSetCount = 2,
              .pDescriptorSets = sets, .dynamicOffsetCount = 3, .pDynamicOffsets = offsets);
  draw = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  open_trace (self);

  get_state (self, draw, state);
  g_assert_cmpuint (state->bind_points[0].layout, ==, 0x90);
  g_assert_cmpuint (state->bind_points[0].sets[0], ==, 0);
  g_assert_cmpuint (state->bind_points[0].sets[1], ==, 0x81);
  g_assert_cmpuint (state->bind_points[0].sets[2], ==, 0x82);
  g_assert_cmpuint (state->bind_points[0].set_command[2], ==, bind - begin);
  g_assert_cmpuint (state->bind_points[0].n_dynamic_offsets[1], ==, 2);
  g_assert_cmpuint (state->bind_points[0].dynamic_offsets[1][1], ==, 512);
  g_assert_cmpuint (state->bind_points[0].n_dynamic_offsets[2], ==, 1);
  g_assert_cmpuint (state->bind_points[0].dynamic_offsets[2][0], ==, 1024);
  g_assert_cmpuint (state->bind_points[1].sets[1], ==, 0);
}

static guint64
update_buffers (VtrTestTrace *test,
                guint64       set,
                guint32       binding,
                guint32       element,
                guint64       first_buffer,
                guint32       n)
{
  VkDescriptorBufferInfo infos[8] = { 0 };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = H (VkDescriptorSet, set),
    .dstBinding = binding,
    .dstArrayElement = element,
    .descriptorCount = n,
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
    .pBufferInfo = infos,
  };

  for (guint32 i = 0; i < n; i++)
    {
      infos[i].buffer = H (VkBuffer, first_buffer + i);
      infos[i].range = 64;
    }
  return ADD (test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorWriteCount = 1,
              .pDescriptorWrites = &write);
}

static void
test_descriptors (Fixture *self, gconstpointer data)
{
  VkDescriptorImageInfo image = { H (VkSampler, 0x41), H (VkImageView, 0x42),
                                  VK_IMAGE_LAYOUT_GENERAL };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = H (VkDescriptorSet, 0x81),
    .dstBinding = 1,
    .dstArrayElement = 1,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    .pImageInfo = &image,
  };
  VkCopyDescriptorSet copy = {
    .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
    .srcSet = H (VkDescriptorSet, 0x81),
    .srcBinding = 3,
    .srcArrayElement = 1,
    .dstSet = H (VkDescriptorSet, 0x82),
    .dstBinding = 0,
    .descriptorCount = 1,
  };
  VtrDescriptorContents contents;
  const VtrObject *set;
  guint64 first, later, copied, end;
  gsize n;
  VtrArena arena;

  add_sets (self->test);
  first = update_buffers (self->test, 0x81, 3, 0, 0x31, 2);
  ADD (self->test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorWriteCount = 1,
       .pDescriptorWrites = &write);
  copied = ADD (self->test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorCopyCount = 1,
                .pDescriptorCopies = &copy);
  later = update_buffers (self->test, 0x81, 3, 1, 0x39, 1);
  /* Runs on from binding 0 into binding 1, and over the end of the set. */
  end = update_buffers (self->test, 0x82, 0, 0, 0x51, 4);
  open_trace (self);

  vtr_arena_init (&arena);
  set = vtr_history_find (self->history, VTR_HANDLE_VkDescriptorSet, 0x81, end);
  g_assert_nonnull (vtr_history_get_set_writes (self->history, set->id, &n));
  g_assert_cmpuint (n, ==, 3);
  g_assert_true (vtr_descriptors_get (self->history, set, end, &arena, &contents, NULL));
  g_assert_cmpuint (contents.n_bindings, ==, 2);
  g_assert_cmpuint (contents.layout->handle, ==, 0x61);
  g_assert_cmpuint (contents.bindings[0].binding, ==, 1);
  g_assert_false (contents.bindings[0].descriptors[0].written);
  g_assert_cmpuint (contents.bindings[0].descriptors[1].view, ==, 0x42);
  g_assert_cmpuint (contents.bindings[0].descriptors[1].sampler, ==, 0x41);
  g_assert_cmpuint (contents.bindings[1].descriptors[0].buffer, ==, 0x31);
  g_assert_cmpuint (contents.bindings[1].descriptors[0].command, ==, first);
  g_assert_cmpuint (contents.bindings[1].descriptors[1].buffer, ==, 0x39);
  /* As it was before the last write. */
  g_assert_true (vtr_descriptors_get (self->history, set, later - 1, &arena, &contents, NULL));
  g_assert_cmpuint (contents.bindings[1].descriptors[1].buffer, ==, 0x32);

  set = vtr_history_find (self->history, VTR_HANDLE_VkDescriptorSet, 0x82, end);
  g_assert_true (vtr_descriptors_get (self->history, set, copied, &arena, &contents, NULL));
  g_assert_cmpuint (contents.bindings[0].descriptors[0].buffer, ==, 0x32);
  g_assert_cmpuint (contents.bindings[0].descriptors[0].command, ==, copied);
  g_assert_true (vtr_descriptors_get (self->history, set, end, &arena, &contents, NULL));
  g_assert_cmpuint (contents.bindings[0].descriptors[0].buffer, ==, 0x51);
  g_assert_cmpuint (contents.bindings[1].descriptors[0].buffer, ==, 0x52);
  vtr_arena_finish (&arena);
}

static void
test_templates (Fixture *self, gconstpointer data)
{
  VkDescriptorUpdateTemplateEntry entries[] = {
    { 3, 0, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 8, 32 },
  };
  VkDescriptorUpdateTemplate handle = H (VkDescriptorUpdateTemplate, 0x44);
  VkDescriptorUpdateTemplateCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
    .descriptorUpdateEntryCount = 1,
    .pDescriptorUpdateEntries = entries,
    .descriptorSetLayout = H (VkDescriptorSetLayout, 0x61),
  };
  struct
  {
    guint64 unused;
    VkDescriptorBufferInfo first;
    guint64 gap;
    VkDescriptorBufferInfo second;
  } bytes = {
    .first = { H (VkBuffer, 0x31), 4, 8 },
    .second = { H (VkBuffer, 0x32), 5, VK_WHOLE_SIZE },
  };
  VtrDescriptorContents contents;
  const VtrObject *set;
  guint64 index;
  VtrArena arena;

  add_sets (self->test);
  ADD (self->test, vkCreateDescriptorUpdateTemplate, .device = DEVICE, .pCreateInfo = &info,
       .pDescriptorUpdateTemplate = &handle);
  vtr_test_trace_set_template (self->test, entries, 1);
  index = ADD (self->test, vkUpdateDescriptorSetWithTemplate, .device = DEVICE,
               .descriptorSet = H (VkDescriptorSet, 0x81), .descriptorUpdateTemplate = handle,
               .pData = &bytes);
  open_trace (self);

  vtr_arena_init (&arena);
  set = vtr_history_find (self->history, VTR_HANDLE_VkDescriptorSet, 0x81, index);
  g_assert_true (vtr_descriptors_get (self->history, set, index, &arena, &contents, NULL));
  g_assert_cmpuint (contents.bindings[1].descriptors[0].buffer, ==, 0x31);
  g_assert_cmpuint (contents.bindings[1].descriptors[1].buffer, ==, 0x32);
  g_assert_cmpuint (contents.bindings[1].descriptors[1].offset, ==, 5);
  vtr_arena_finish (&arena);
}

static void
test_push_descriptors (Fixture *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VkDescriptorBufferInfo buffer = { H (VkBuffer, 0x33), 0, 16 };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstBinding = 1,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    .pBufferInfo = &buffer,
  };
  VtrDescriptorContents contents;
  guint64 push, draw;
  VtrArena arena;

  add_sets (self->test);
  vtr_test_begin (self->test, CB);
  push = ADD (self->test, vkCmdPushDescriptorSetKHR, .commandBuffer = BUFFER,
              .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
              .layout = H (VkPipelineLayout, 0x90), .set = 1, .descriptorWriteCount = 1,
              .pDescriptorWrites = &write);
  draw = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  open_trace (self);

  get_state (self, draw, state);
  g_assert_cmpuint (state->bind_points[1].pushed, ==, 1u << 1);
  g_assert_cmpuint (state->bind_points[0].pushed, ==, 0);
  vtr_arena_init (&arena);
  g_assert_true (vtr_descriptors_get_pushed (self->history, push, &arena, &contents, NULL));
  g_assert_cmpuint (contents.layout->handle, ==, 0x62);
  g_assert_cmpuint (contents.bindings[1].descriptors[0].buffer, ==, 0x33);
  g_assert_false (contents.bindings[0].descriptors[0].written);
  vtr_arena_finish (&arena);
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
test_viewports (Fixture *self, gconstpointer data)
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
  open_trace (self);

  get_state (self, partly, state);
  g_assert_cmpuint (state->n_viewports, ==, 2);
  g_assert_cmpfloat (state->viewports[1].width, ==, 200);
  g_assert_cmpuint (state->n_scissors, ==, 1);
  g_assert_cmpint (state->scissors[0].offset.x, ==, 5);
  get_state (self, fully, state);
  g_assert_cmpuint (state->n_viewports, ==, 1);
  g_assert_cmpfloat (state->viewports[0].height, ==, 40);
}

/* Every command of the registry that sets dynamic state is seen; the last of each kind counts. */
static void
test_every_dynamic_state (Fixture *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  guint64 last[VTR_CMD_COUNT];
  guint n = 0, seen = 0;
  guint64 draw;

  vtr_test_begin (self->test, CB);
  for (guint round = 0; round < 2; round++)
    for (guint id = 0; id < VTR_CMD_COUNT; id++)
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
  open_trace (self);

  get_state (self, draw, state);
  for (guint id = 0; id < VTR_CMD_COUNT; id++)
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

/* The kept states on the way give the same as a fresh walk, wherever one asks. */
static void
test_walker (Fixture *self, gconstpointer data)
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
  open_trace (self);

  walker = vtr_bound_walker_new (self->timeline, self->history);
  for (guint i = 0; i < 60; i++)
    {
      guint64 index = first + (guint64)g_test_rand_int_range (0, (gint32)(last - first + 1));

      get_state (self, index, fresh);
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
  g_test_add ("/engine/state/bound-state/" name, Fixture, NULL, set_up, function, tear_down)

  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  TEST ("render-pass", test_render_pass);
  TEST ("imageless", test_imageless);
  TEST ("dynamic-rendering", test_dynamic_rendering);
  TEST ("inheritance", test_inheritance);
  TEST ("inheritance-alone", test_inheritance_alone);
  TEST ("bindings", test_bindings);
  TEST ("dynamic-offsets", test_dynamic_offsets);
  TEST ("descriptors", test_descriptors);
  TEST ("templates", test_templates);
  TEST ("push-descriptors", test_push_descriptors);
  TEST ("viewports", test_viewports);
  TEST ("every-dynamic-state", test_every_dynamic_state);
  TEST ("walker", test_walker);
  return g_test_run ();
}
