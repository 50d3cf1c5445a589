/* Tests image layouts in the state, reached in every way. */
#include "vtr-test-state.h"

#define A 0xa1
#define M 0xe1
#define UNDEFINED VK_IMAGE_LAYOUT_UNDEFINED
#define GENERAL VK_IMAGE_LAYOUT_GENERAL
#define TRANSFER_DST VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
#define SHADER_READ VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
#define COLOR VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
#define RGBA VK_FORMAT_R8G8B8A8_UNORM

static VkImageSubresourceRange
range (VkImageAspectFlags aspect,
       guint32            mip,
       guint32            mips,
       guint32            layer,
       guint32            layers)
{
  return (VkImageSubresourceRange){ aspect, mip, mips, layer, layers };
}

static void
add_image (VtrTestState *self)
{
  vtr_test_state_add_memory (self, M);
  vtr_test_state_add_image (self, A, RGBA, UNDEFINED, M);
}

/* Recording changes nothing; submitting does, in order, for the subresources named. */
static void
test_barrier (VtrTestState  *self,
              gconstpointer  data)
{
  guint64 created, first, second, end, submit;

  add_image (self);
  created = vtr_test_begin (self->test, CB);
  first = vtr_test_state_barrier (self, CB, A, ALL_COLOR, UNDEFINED, TRANSFER_DST);
  second = vtr_test_state_barrier (self, CB, A, range (VK_IMAGE_ASPECT_COLOR_BIT, 1, 2, 1, 1),
                                   TRANSFER_DST, SHADER_READ);
  end = vtr_test_end (self->test, CB);
  submit = vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  EXPECT_COLOR (self, created, A, 0, 0, UNDEFINED);
  EXPECT_COLOR (self, first, A, 3, 1, TRANSFER_DST_OPTIMAL);
  EXPECT_COLOR (self, second, A, 0, 1, TRANSFER_DST_OPTIMAL);
  EXPECT_COLOR (self, second, A, 1, 1, SHADER_READ_ONLY_OPTIMAL);
  EXPECT_COLOR (self, second, A, 2, 1, SHADER_READ_ONLY_OPTIMAL);
  EXPECT_COLOR (self, second, A, 3, 1, TRANSFER_DST_OPTIMAL);
  EXPECT_COLOR (self, second, A, 1, 0, TRANSFER_DST_OPTIMAL);
  EXPECT_COLOR (self, end, A, 2, 1, SHADER_READ_ONLY_OPTIMAL);
  EXPECT_COLOR (self, submit, A, 2, 1, SHADER_READ_ONLY_OPTIMAL);
  EXPECT (self, submit, VkImage, A, "layouts/2/baseMipLevel", "1");
  EXPECT (self, submit, VkImage, A, "layouts/2/levelCount", "2");
  EXPECT (self, submit, VkImage, A, "layouts/2/layout",
          "\"VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL\"");
  vtr_test_state_expect_message (self, first, "");
  vtr_test_state_expect_message (self, second, "");
}

/* A recording that is never submitted has no effect, at any command. */
static void
test_never_submitted (VtrTestState  *self,
                      gconstpointer  data)
{
  guint64 barrier, later;

  add_image (self);
  vtr_test_begin (self->test, CB);
  barrier = vtr_test_state_barrier (self, CB, A, ALL_COLOR, UNDEFINED, GENERAL);
  vtr_test_end (self->test, CB);
  vtr_test_begin (self->test, CB2);
  later = vtr_test_end (self->test, CB2);
  vtr_test_state_open (self);

  EXPECT_COLOR (self, barrier, A, 0, 0, UNDEFINED);
  EXPECT_COLOR (self, later, A, 0, 0, UNDEFINED);
}

/* Each run finds what was before it. */
static void
test_runs (VtrTestState  *self,
           gconstpointer  data)
{
  guint64 begin, barrier, first, other, second;
  g_autofree char *submission = NULL;

  add_image (self);
  begin = vtr_test_begin (self->test, CB);
  barrier = vtr_test_state_barrier (self, CB, A, ALL_COLOR, UNDEFINED, SHADER_READ);
  vtr_test_end (self->test, CB);
  vtr_test_begin (self->test, CB2);
  vtr_test_state_barrier (self, CB2, A, ALL_COLOR, SHADER_READ, GENERAL);
  vtr_test_end (self->test, CB2);
  first = vtr_test_submit (self->test, CB);
  other = vtr_test_submit (self->test, CB2);
  second = vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  EXPECT_COLOR (self, begin, A, 0, 0, UNDEFINED);
  vtr_test_state_expect_layout (self, begin, 1, A, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, GENERAL);
  vtr_test_state_expect_layout (self, barrier, 1, A, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, SHADER_READ);
  EXPECT_COLOR (self, first, A, 0, 0, SHADER_READ_ONLY_OPTIMAL);
  EXPECT_COLOR (self, other, A, 0, 0, GENERAL);
  EXPECT_COLOR (self, second, A, 0, 0, SHADER_READ_ONLY_OPTIMAL);
  submission = g_strdup_printf ("%" G_GUINT64_FORMAT, second);
  vtr_test_state_expect_path (self, begin, 1, "submission", submission);
}

static VkImageMemoryBarrier2
barrier2 (VkImageLayout from,
          VkImageLayout to)
{
  return (VkImageMemoryBarrier2){
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = H (VkImage, A),
    .subresourceRange = ALL_COLOR,
  };
}

static VkEvent
add_event (VtrTestState *self)
{
  VkEvent event = H (VkEvent, 0x71);
  VkEventCreateInfo info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };

  ADD (self->test, vkCreateEvent, .device = DEVICE, .pCreateInfo = &info, .pEvent = &event);
  return event;
}

/* vkCmdPipelineBarrier2, vkCmdWaitEvents, vkCmdWaitEvents2. */
static void
test_other_barriers (VtrTestState  *self,
                     gconstpointer  data)
{
  VkImageMemoryBarrier2 list[] = { barrier2 (UNDEFINED, GENERAL), barrier2 (TRANSFER_DST, COLOR) };
  VkDependencyInfo info[] = {
    { .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
      .imageMemoryBarrierCount = 1,
      .pImageMemoryBarriers = &list[0] },
    { .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
      .imageMemoryBarrierCount = 1,
      .pImageMemoryBarriers = &list[1] },
  };
  VkImageMemoryBarrier waited = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .oldLayout = GENERAL,
    .newLayout = TRANSFER_DST,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = H (VkImage, A),
    .subresourceRange = ALL_COLOR,
  };
  guint64 one, set, two, three, submit;
  VkEvent event;

  add_image (self);
  event = add_event (self);
  vtr_test_begin (self->test, CB);
  one = ADD (self->test, vkCmdPipelineBarrier2, .commandBuffer = BUFFER,
             .pDependencyInfo = &info[0]);
  set = ADD (self->test, vkCmdSetEvent, .commandBuffer = BUFFER, .event = event, .stageMask = 1);
  two = ADD (self->test, vkCmdWaitEvents, .commandBuffer = BUFFER, .eventCount = 1,
             .pEvents = &event, .srcStageMask = 1, .dstStageMask = 1,
             .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &waited);
  three = ADD (self->test, vkCmdWaitEvents2, .commandBuffer = BUFFER, .eventCount = 1,
               .pEvents = &event, .pDependencyInfos = &info[1]);
  vtr_test_end (self->test, CB);
  submit = vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  EXPECT_COLOR (self, one, A, 2, 0, GENERAL);
  EXPECT (self, one, VkEvent, 0x71, "status", "\"reset\"");
  EXPECT_COLOR (self, set, A, 2, 0, GENERAL);
  EXPECT (self, set, VkEvent, 0x71, "status", "\"set\"");
  EXPECT (self, set, VkEvent, 0x71, "byHost", "false");
  EXPECT_COLOR (self, two, A, 2, 0, TRANSFER_DST_OPTIMAL);
  EXPECT_COLOR (self, three, A, 2, 0, COLOR_ATTACHMENT_OPTIMAL);
  EXPECT_COLOR (self, submit, A, 2, 0, COLOR_ATTACHMENT_OPTIMAL);
  for (guint64 i = one; i < submit; i++)
    vtr_test_state_expect_message (self, i, "");
}

/* A layout that is not what the barrier says. */
static void
test_wrong_layout (VtrTestState  *self,
                   gconstpointer  data)
{
  guint64 wrong, beyond, aspect;

  add_image (self);
  vtr_test_begin (self->test, CB);
  wrong = vtr_test_state_barrier (self, CB, A, ALL_COLOR, GENERAL, SHADER_READ);
  beyond = vtr_test_state_barrier (self, CB, A, range (VK_IMAGE_ASPECT_COLOR_BIT, 2, 5, 0, 1),
                                   SHADER_READ, GENERAL);
  aspect = vtr_test_state_barrier (self, CB, A, range (VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1),
                                   SHADER_READ, GENERAL);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  vtr_test_state_expect_message (self, wrong, "image-layout: \nimage-layout: ");
  vtr_test_state_expect_message (self, beyond, "image-range: ");
  vtr_test_state_expect_message (self, aspect, "image-aspect: ");
}

static void
add_framebuffer (VtrTestState *self,
                 guint64       framebuffer,
                 VkImageView  *views,
                 guint32       n,
                 gboolean      imageless)
{
  VkFramebuffer handle = H (VkFramebuffer, framebuffer);
  VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .flags = imageless ? VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT : 0,
    .attachmentCount = n,
    .pAttachments = imageless ? NULL : views,
    .width = 64,
    .height = 64,
    .layers = 1,
  };

  ADD (self->test, vkCreateFramebuffer, .device = DEVICE, .pCreateInfo = &info,
       .pFramebuffer = &handle);
}

/* Colour: UNDEFINED → written in subpass 0, read in subpass 1 → PRESENT_SRC. */
static void
add_two_subpasses (VtrTestState *self,
                   guint64       render_pass)
{
  VkRenderPass handle = H (VkRenderPass, render_pass);
  VkAttachmentDescription attachment = {
    .format = RGBA,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .initialLayout = GENERAL,
    .finalLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
  };
  VkAttachmentReference write = { 0, COLOR }, read = { 0, SHADER_READ };
  VkSubpassDescription subpasses[] = {
    { .colorAttachmentCount = 1, .pColorAttachments = &write },
    { .inputAttachmentCount = 1, .pInputAttachments = &read },
    { .colorAttachmentCount = 0 },
  };
  VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment,
    .subpassCount = G_N_ELEMENTS (subpasses),
    .pSubpasses = subpasses,
  };

  ADD (self->test, vkCreateRenderPass, .device = DEVICE, .pCreateInfo = &info,
       .pRenderPass = &handle);
}

/* Only the view's level goes along; the rest stays. */
static void
test_render_pass (VtrTestState  *self,
                  gconstpointer  data)
{
  VkImageView view = H (VkImageView, 0xb1);
  guint64 first, begin, next, unused, end, submit;

  add_image (self);
  vtr_test_state_add_view (self, 0xb1, A, RGBA, range (VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 0, 1));
  add_two_subpasses (self, 0xc1);
  add_framebuffer (self, 0xd1, &view, 1, FALSE);
  vtr_test_begin (self->test, CB);
  first = vtr_test_state_barrier (self, CB, A, ALL_COLOR, UNDEFINED, GENERAL);
  begin = vtr_test_begin_pass (self->test, CB, 0xc1, 0xd1);
  next = ADD (self->test, vkCmdNextSubpass, .commandBuffer = BUFFER);
  unused = ADD (self->test, vkCmdNextSubpass, .commandBuffer = BUFFER);
  end = vtr_test_end_pass (self->test, CB);
  vtr_test_end (self->test, CB);
  submit = vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  EXPECT_COLOR (self, first, A, 1, 0, GENERAL);
  EXPECT_COLOR (self, begin, A, 1, 0, COLOR_ATTACHMENT_OPTIMAL);
  EXPECT_COLOR (self, begin, A, 0, 0, GENERAL);
  EXPECT_COLOR (self, begin, A, 1, 1, GENERAL);
  EXPECT_COLOR (self, next, A, 1, 0, SHADER_READ_ONLY_OPTIMAL);
  EXPECT_COLOR (self, unused, A, 1, 0, SHADER_READ_ONLY_OPTIMAL);
  EXPECT_COLOR (self, end, A, 1, 0, PRESENT_SRC_KHR);
  EXPECT_COLOR (self, submit, A, 1, 0, PRESENT_SRC_KHR);
  vtr_test_state_expect_path (self, begin, 0, "pass/subpass", "0");
  vtr_test_state_expect_path (self, unused, 0, "pass/subpass", "2");
  vtr_test_state_expect_path (self, end, 0, "pass", "null");
  vtr_test_state_expect_message (self, begin, "");
}

static void
test_imageless (VtrTestState  *self,
                gconstpointer  data)
{
  VkImageView view = H (VkImageView, 0xb1);
  VkRenderPassAttachmentBeginInfo given = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
    .attachmentCount = 1,
    .pAttachments = &view,
  };
  VkRenderPassBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .pNext = &given,
    .renderPass = H (VkRenderPass, 0xc1),
    .framebuffer = H (VkFramebuffer, 0xd1),
  };
  guint64 begin, end;

  add_image (self);
  vtr_test_state_add_view (self, 0xb1, A, RGBA, range (VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1));
  add_two_subpasses (self, 0xc1);
  add_framebuffer (self, 0xd1, &view, 1, TRUE);
  vtr_test_begin (self->test, CB);
  begin = ADD (self->test, vkCmdBeginRenderPass, .commandBuffer = BUFFER,
               .pRenderPassBegin = &info);
  end = vtr_test_end_pass (self->test, CB);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  EXPECT_COLOR (self, begin, A, 0, 0, COLOR_ATTACHMENT_OPTIMAL);
  EXPECT_COLOR (self, end, A, 0, 0, PRESENT_SRC_KHR);
  vtr_test_state_expect_message (self, begin, "image-layout: ");
}

/* Depth and stencil on ways of their own: by structures of render passes and by barriers. */
static void
test_separate_stencil (VtrTestState  *self,
                       gconstpointer  data)
{
  VkImageView view = H (VkImageView, 0xb1);
  VkRenderPass handle = H (VkRenderPass, 0xc1);
  VkAttachmentDescriptionStencilLayout stencil = {
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT,
    .stencilInitialLayout = UNDEFINED,
    .stencilFinalLayout = VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL,
  };
  VkAttachmentDescription2 attachment = {
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
    .pNext = &stencil,
    .format = VK_FORMAT_D24_UNORM_S8_UINT,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .initialLayout = UNDEFINED,
    .finalLayout = VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL,
  };
  VkAttachmentReferenceStencilLayout reference_stencil = {
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT,
    .stencilLayout = VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL,
  };
  VkAttachmentReference2 reference = {
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
    .pNext = &reference_stencil,
    .layout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
  };
  VkSubpassDescription2 subpass = {
    .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
    .pDepthStencilAttachment = &reference,
  };
  VkRenderPassCreateInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
    .attachmentCount = 1,
    .pAttachments = &attachment,
    .subpassCount = 1,
    .pSubpasses = &subpass,
  };
  VkImageSubresourceRange both =
    range (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, 4, 0, 2);
  guint64 begin, end, barrier;

  vtr_test_state_add_memory (self, M);
  vtr_test_state_add_image (self, A, VK_FORMAT_D24_UNORM_S8_UINT, UNDEFINED, M);
  vtr_test_state_add_view (self, 0xb1, A, VK_FORMAT_D24_UNORM_S8_UINT, both);
  ADD (self->test, vkCreateRenderPass2, .device = DEVICE, .pCreateInfo = &info,
       .pRenderPass = &handle);
  add_framebuffer (self, 0xd1, &view, 1, FALSE);
  vtr_test_begin (self->test, CB);
  begin = vtr_test_begin_pass (self->test, CB, 0xc1, 0xd1);
  end = vtr_test_end_pass (self->test, CB);
  barrier = vtr_test_state_barrier (self, CB, A, range (VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1),
                                    VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL, GENERAL);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

#define DEPTH(index, layout) \
  vtr_test_state_expect_layout (self, index, 0, A, VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, \
                                VK_IMAGE_LAYOUT_##layout)
#define STENCIL(index, layout) \
  vtr_test_state_expect_layout (self, index, 0, A, VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, \
                                VK_IMAGE_LAYOUT_##layout)
  DEPTH (begin, DEPTH_ATTACHMENT_OPTIMAL);
  STENCIL (begin, STENCIL_ATTACHMENT_OPTIMAL);
  DEPTH (end, DEPTH_READ_ONLY_OPTIMAL);
  STENCIL (end, STENCIL_READ_ONLY_OPTIMAL);
  DEPTH (barrier, DEPTH_READ_ONLY_OPTIMAL);
  STENCIL (barrier, GENERAL);
  vtr_test_state_expect_message (self, begin, "");
  vtr_test_state_expect_message (self, barrier, "");
}

/* Dynamic rendering changes no layouts; suspended, it goes on in the next command buffer. */
static void
test_dynamic_rendering (VtrTestState  *self,
                        gconstpointer  data)
{
  VkRenderingAttachmentInfo color = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = H (VkImageView, 0xb1),
    .imageLayout = COLOR,
  };
  VkRenderingInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
    .flags = VK_RENDERING_SUSPENDING_BIT,
    .layerCount = 1,
    .colorAttachmentCount = 1,
    .pColorAttachments = &color,
  };
  VkCommandBuffer buffers[] = { BUFFER, H (VkCommandBuffer, CB2) };
  VkSubmitInfo submission = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 2,
    .pCommandBuffers = buffers,
  };
  guint64 begin, end, between, resume, over;

  add_image (self);
  vtr_test_state_add_view (self, 0xb1, A, RGBA, range (VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1));
  vtr_test_begin (self->test, CB);
  vtr_test_state_barrier (self, CB, A, ALL_COLOR, UNDEFINED, COLOR);
  begin = ADD (self->test, vkCmdBeginRendering, .commandBuffer = BUFFER, .pRenderingInfo = &info);
  end = ADD (self->test, vkCmdEndRendering, .commandBuffer = BUFFER);
  vtr_test_end (self->test, CB);
  between = vtr_test_begin (self->test, CB2);
  info.flags = VK_RENDERING_RESUMING_BIT;
  resume = ADD (self->test, vkCmdBeginRendering, .commandBuffer = buffers[1],
                .pRenderingInfo = &info);
  over = ADD (self->test, vkCmdEndRendering, .commandBuffer = buffers[1]);
  vtr_test_end (self->test, CB2);
  ADD (self->test, vkQueueSubmit, .queue = QUEUE, .submitCount = 1, .pSubmits = &submission);
  vtr_test_state_open (self);

  vtr_test_state_expect_path (self, begin, 0, "pass/dynamicRendering", "true");
  vtr_test_state_expect_path (self, begin, 0, "pass/suspended", "false");
  vtr_test_state_expect_path (self, begin, 0, "pass/attachments/0/layout",
                              "\"VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL\"");
  EXPECT_COLOR (self, begin, A, 0, 0, COLOR_ATTACHMENT_OPTIMAL);
  vtr_test_state_expect_path (self, end, 0, "pass/suspended", "true");
  vtr_test_state_expect_path (self, between, 0, "pass/suspended", "true");
  vtr_test_state_expect_path (self, resume, 0, "pass/suspended", "false");
  vtr_test_state_expect_path (self, over, 0, "pass", "null");
  vtr_test_state_expect_message (self, begin, "");
  vtr_test_state_expect_message (self, resume, "");
}

/* A secondary runs where it is executed: before it, inside it, after it. */
static void
test_secondary (VtrTestState  *self,
                gconstpointer  data)
{
  VkCommandBuffer secondary = H (VkCommandBuffer, SECONDARY);
  guint64 inside, before, execute, after;

  add_image (self);
  vtr_test_begin (self->test, SECONDARY);
  inside = vtr_test_state_barrier (self, SECONDARY, A, ALL_COLOR, TRANSFER_DST, SHADER_READ);
  vtr_test_end (self->test, SECONDARY);
  vtr_test_begin (self->test, CB);
  before = vtr_test_state_barrier (self, CB, A, ALL_COLOR, UNDEFINED, TRANSFER_DST);
  execute = ADD (self->test, vkCmdExecuteCommands, .commandBuffer = BUFFER,
                 .commandBufferCount = 1, .pCommandBuffers = &secondary);
  after = vtr_test_state_barrier (self, CB, A, ALL_COLOR, SHADER_READ, GENERAL);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  EXPECT_COLOR (self, before, A, 0, 0, TRANSFER_DST_OPTIMAL);
  EXPECT_COLOR (self, inside - 1, A, 0, 0, TRANSFER_DST_OPTIMAL);
  EXPECT_COLOR (self, inside, A, 0, 0, SHADER_READ_ONLY_OPTIMAL);
  EXPECT_COLOR (self, execute, A, 0, 0, SHADER_READ_ONLY_OPTIMAL);
  EXPECT_COLOR (self, after, A, 0, 0, GENERAL);
  EXPECT (self, inside, VkCommandBuffer, SECONDARY, "status", "\"pending\"");
  vtr_test_state_expect_message (self, inside, "");
  vtr_test_state_expect_message (self, after, "");
}

/* Release on one family, acquire on another. */
static void
test_ownership (VtrTestState  *self,
                gconstpointer  data)
{
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .oldLayout = UNDEFINED,
    .newLayout = SHADER_READ,
    .srcQueueFamilyIndex = 0,
    .dstQueueFamilyIndex = 1,
    .image = H (VkImage, A),
    .subresourceRange = ALL_COLOR,
  };
  VkBufferMemoryBarrier buffer = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
    .srcQueueFamilyIndex = 0,
    .dstQueueFamilyIndex = 1,
    .buffer = H (VkBuffer, 0xf1),
    .size = VK_WHOLE_SIZE,
  };
  guint64 begin, release;

  add_image (self);
  vtr_test_state_add_buffer (self, 0xf1);
  begin = vtr_test_begin (self->test, CB);
  release = ADD (self->test, vkCmdPipelineBarrier, .commandBuffer = BUFFER, .srcStageMask = 1,
                 .dstStageMask = 1, .bufferMemoryBarrierCount = 1, .pBufferMemoryBarriers = &buffer,
                 .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  EXPECT (self, begin, VkImage, A, "layouts/0/queueFamily", "null");
  EXPECT (self, begin, VkBuffer, 0xf1, "queueFamily", "null");
  EXPECT (self, release, VkImage, A, "layouts/0/queueFamily", "1");
  EXPECT (self, release, VkImage, A, "layouts/0/layout",
          "\"VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL\"");
  EXPECT (self, release, VkBuffer, 0xf1, "queueFamily", "1");
}

/* initialLayout, and slices of a 3D image that share one layout. */
static void
test_initial (VtrTestState  *self,
              gconstpointer  data)
{
  VkImage deep = H (VkImage, 0xa2);
  VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_3D,
    .format = RGBA,
    .extent = { 8, 8, 8 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .initialLayout = UNDEFINED,
  };
  guint64 created, barrier;

  vtr_test_state_add_memory (self, M);
  vtr_test_state_add_image (self, A, RGBA, VK_IMAGE_LAYOUT_PREINITIALIZED, M);
  created = ADD (self->test, vkCreateImage, .device = DEVICE, .pCreateInfo = &info,
                 .pImage = &deep);
  ADD (self->test, vkBindImageMemory, .device = DEVICE, .image = deep,
       .memory = H (VkDeviceMemory, M));
  vtr_test_begin (self->test, CB);
  barrier = vtr_test_state_barrier (self, CB, 0xa2, range (VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1),
                                    UNDEFINED, GENERAL);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  EXPECT_COLOR (self, created, A, 0, 0, PREINITIALIZED);
  EXPECT_COLOR (self, created, 0xa2, 0, 0, UNDEFINED);
  EXPECT_COLOR (self, barrier, 0xa2, 0, 5, GENERAL);
}

/* "submit.batch.cb.cmd" and "@k" are two names of one place. */
static void
test_addresses (VtrTestState  *self,
                gconstpointer  data)
{
  guint64 barrier, submit;
  g_autofree char *dotted = NULL, *flat = NULL, *left = NULL, *right = NULL;
  g_autoptr (JsonNode) a = NULL, b = NULL;
  g_autoptr (GError) error = NULL;

  add_image (self);
  vtr_test_begin (self->test, CB);
  barrier = vtr_test_state_barrier (self, CB, A, ALL_COLOR, UNDEFINED, GENERAL);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  submit = vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  dotted = g_strdup_printf ("commands/%" G_GUINT64_FORMAT ".0.0.1/state", submit);
  flat = g_strdup_printf ("commands/%" G_GUINT64_FORMAT "@1/state", barrier);
  a = vtr_document_get (self->document, dotted, NULL, &error);
  g_assert_no_error (error);
  b = vtr_document_get (self->document, flat, NULL, &error);
  g_assert_no_error (error);
  left = json_to_string (a, FALSE);
  right = json_to_string (b, FALSE);
  g_assert_cmpstr (left, ==, right);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD_STATE_TEST ("api-state/layouts", barrier);
  ADD_STATE_TEST ("api-state/layouts", never_submitted);
  ADD_STATE_TEST ("api-state/layouts", runs);
  ADD_STATE_TEST ("api-state/layouts", other_barriers);
  ADD_STATE_TEST ("api-state/layouts", wrong_layout);
  ADD_STATE_TEST ("api-state/layouts", render_pass);
  ADD_STATE_TEST ("api-state/layouts", imageless);
  ADD_STATE_TEST ("api-state/layouts", separate_stencil);
  ADD_STATE_TEST ("api-state/layouts", dynamic_rendering);
  ADD_STATE_TEST ("api-state/layouts", secondary);
  ADD_STATE_TEST ("api-state/layouts", ownership);
  ADD_STATE_TEST ("api-state/layouts", initial);
  ADD_STATE_TEST ("api-state/layouts", addresses);
  return g_test_run ();
}
