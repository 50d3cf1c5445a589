/* Tests transforms that look at one command at a time, and the tracker of image layouts. */
#include <string.h>

#include "engine/vulkan/transforms/vtr-layout-tracker.h"
#include "engine/vulkan/transforms/vtr-render-pass-clone.h"
#include "engine/vulkan/transforms/vtr-transforms.h"
#include "vtr-api-args.h"

#define HANDLE(type, value) ((type)(gsize)(value))

/* --- The end of the test's chains: keeps what arrives ------------------------------------------
 */

typedef struct
{
  VtrTransform parent;
  guint n_commands;
  GArray *writes; /* VtrContentRecord */
} Sink;

static gboolean
sink_command (VtrTransform  *self,
              VtrCommand    *command,
              GError       **error)
{
  ((Sink *)self)->n_commands++;
  return TRUE;
}

static gboolean
sink_write (VtrTransform      *self,
            guint64            index,
            gsize              nth,
            VtrContentRecord  *write,
            GError           **error)
{
  g_array_append_val (((Sink *)self)->writes, *write);
  return TRUE;
}

static gboolean
sink_end (VtrTransform  *self,
          GError       **error)
{
  return TRUE;
}

static void
sink_free (VtrTransform *self)
{
  g_array_unref (((Sink *)self)->writes);
  g_free (self);
}

static const VtrTransformClass sink_class = {
  .name = "sink",
  .command = sink_command,
  .write = sink_write,
  .end = sink_end,
  .free = sink_free,
};

static Sink *
sink_new (void)
{
  Sink *self = g_new0 (Sink, 1);

  self->parent.klass = &sink_class;
  self->writes = g_array_new (FALSE, FALSE, sizeof (VtrContentRecord));
  return self;
}

static void
give (VtrTransform *chain,
      VtrCmdId      id,
      void         *args)
{
  g_autoptr (GError) error = NULL;

  vtr_transform_emit (chain, id, args, 0, &error);
  g_assert_no_error (error);
}

/* --- Virtual swapchain -------------------------------------------------------------------------
 */

static void
test_virtual_swapchain (void)
{
  Sink *sink = sink_new ();
  g_autoptr (VtrTransform) chain =
    vtr_transform_chain (vtr_transform_virtual_swapchain_new (), &sink->parent, NULL);
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .oldLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
    .newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
  };
  VtrArgs_vkCmdPipelineBarrier args = { .imageMemoryBarrierCount = 1,
                                        .pImageMemoryBarriers = &barrier };
  VkAttachmentDescription attachment = {
    .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    .finalLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
  };
  VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment,
  };
  VkRenderPass out = HANDLE (VkRenderPass, 1);
  VtrArgs_vkCreateRenderPass create = { NULL, &info, NULL, &out };

  give (chain, VTR_CMD_vkCmdPipelineBarrier, &args);
  give (chain, VTR_CMD_vkCreateRenderPass, &create);
  g_assert_cmpuint (sink->n_commands, ==, 2);
  g_assert_cmpint (barrier.oldLayout, ==, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  g_assert_cmpint (barrier.newLayout, ==, VK_IMAGE_LAYOUT_GENERAL);
  g_assert_cmpint (attachment.initialLayout, ==, VK_IMAGE_LAYOUT_UNDEFINED);
  g_assert_cmpint (attachment.finalLayout, ==, VK_IMAGE_LAYOUT_GENERAL);
}

/* --- Replayable --------------------------------------------------------------------------------
 */

static void
test_replayable (void)
{
  Sink *sink = sink_new ();
  g_autoptr (VtrTransform) chain =
    vtr_transform_chain (vtr_transform_replayable_new (), &sink->parent, NULL);
  g_autoptr (GError) error = NULL;
  VkMemoryDedicatedAllocateInfo dedicated = { VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO };
  VkExportMemoryAllocateInfo exported = { VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                          &dedicated };
  VkImportMemoryFdInfoKHR imported = { VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR };
  VkMemoryAllocateInfo info = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported, 64, 0 };
  VkDeviceMemory out = HANDLE (VkDeviceMemory, 1);
  VtrArgs_vkAllocateMemory args = { NULL, &info, NULL, &out };

  give (chain, VTR_CMD_vkAllocateMemory, &args);
  g_assert_true (info.pNext == &dedicated);

  info.pNext = &imported;
  g_assert_false (vtr_transform_emit (chain, VTR_CMD_vkAllocateMemory, &args, 7, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "VkImportMemoryFdInfoKHR"));
}

/* --- GPU writes --------------------------------------------------------------------------------
 */

static const VkCommandBuffer cb = HANDLE (VkCommandBuffer, 0xcb);
static const VkQueue queue = HANDLE (VkQueue, 0x90);

/* A buffer at 1000 of memory 0x3e whose bytes [16, 32) a submitted command buffer fills. */
static void
give_fill (VtrTransform *chain)
{
  VkBuffer buffer = HANDLE (VkBuffer, 0xb0);
  VkBufferCreateInfo info = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 64 };
  VtrArgs_vkCreateBuffer create = { NULL, &info, NULL, &buffer };
  VtrArgs_vkBindBufferMemory bind = { NULL, buffer, HANDLE (VkDeviceMemory, 0x3e), 1000 };
  VtrArgs_vkBeginCommandBuffer begin = { cb, NULL };
  VtrArgs_vkCmdFillBuffer fill = { cb, buffer, 16, 16, 1 };
  VkSubmitInfo batch = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                         .pCommandBuffers = &cb };
  VtrArgs_vkQueueSubmit submit = { queue, 1, &batch, HANDLE (VkFence, 0xf0) };

  give (chain, VTR_CMD_vkCreateBuffer, &create);
  give (chain, VTR_CMD_vkBindBufferMemory, &bind);
  give (chain, VTR_CMD_vkBeginCommandBuffer, &begin);
  give (chain, VTR_CMD_vkCmdFillBuffer, &fill);
  give (chain, VTR_CMD_vkQueueSubmit, &submit);
}

static void
expect_writes (VtrTransform *chain,
               Sink *sink,
               guint n,
               const guint64 (*ranges)[2])
{
  static const guint8 bytes[100];
  VtrContentRecord write = { 0, 0x3e, 1000, 0, bytes, 64 };

  g_array_set_size (sink->writes, 0);
  g_assert_true (vtr_transform_write (chain, 5, 0, &write, NULL));
  g_assert_cmpuint (sink->writes->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      const VtrContentRecord *got = &g_array_index (sink->writes, VtrContentRecord, i);

      g_assert_cmpuint (got->offset, ==, ranges[i][0]);
      g_assert_cmpuint (got->size, ==, ranges[i][1]);
      g_assert_true (got->data == bytes + (got->offset - 1000));
    }
}

static void
test_gpu_writes (gconstpointer data)
{
  gboolean poison = GPOINTER_TO_INT (data);
  static const guint64 all[][2] = { { 1000, 64 } };
  static const guint64 around[][2] = { { 1000, 16 }, { 1032, 32 } };
  Sink *sink = sink_new ();
  g_autoptr (VtrTransform) chain =
    vtr_transform_chain (vtr_transform_gpu_writes_new (poison), &sink->parent, NULL);
  VkFence fence = HANDLE (VkFence, 0xf0);
  VtrArgs_vkWaitForFences wait = { NULL, 1, &fence, VK_TRUE, 0 };
  VtrArgs_vkQueueWaitIdle other = { HANDLE (VkQueue, 0x91) };
  VkBuffer buffer = HANDLE (VkBuffer, 0xb0);
  VtrArgs_vkBindBufferMemory bind = { NULL, buffer, HANDLE (VkDeviceMemory, 0x3e), 1000 };

  expect_writes (chain, sink, 1, all);
  give_fill (chain);
  expect_writes (chain, sink, 2, around);
  give (chain, VTR_CMD_vkQueueWaitIdle, &other);
  expect_writes (chain, sink, 2, around);
  give (chain, VTR_CMD_vkWaitForFences, &wait);
  expect_writes (chain, sink, poison ? 2 : 1, poison ? around : all);
  give (chain, VTR_CMD_vkBindBufferMemory, &bind);
  expect_writes (chain, sink, 1, all);
}

/* What the GPU draws into an image is not a write of the program; memory that other resources
 * share with it may be. */
static void
test_gpu_images (void)
{
  static const guint64 all[][2] = { { 1000, 64 } };
  static const guint64 around[][2] = { { 1000, 8 }, { 1048, 16 } };
  static const guint64 shared[][2] = { { 1000, 8 }, { 1016, 8 }, { 1048, 16 } };
  Sink *sink = sink_new ();
  g_autoptr (VtrTransform) chain =
    vtr_transform_chain (vtr_transform_gpu_writes_new (FALSE), &sink->parent, NULL);
  VkImage image = HANDLE (VkImage, 0x13);
  VkImageCreateInfo info = { VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO };
  VtrArgs_vkCreateImage create = { NULL, &info, NULL, &image };
  VkMemoryRequirements wants = { 40, 1, 1 };
  VtrArgs_vkGetImageMemoryRequirements ask = { NULL, image, &wants };
  VtrArgs_vkBindImageMemory bind = { NULL, image, HANDLE (VkDeviceMemory, 0x3e), 1008 };
  VtrArgs_vkDestroyImage destroy = { NULL, image, NULL };
  VkBuffer buffer = HANDLE (VkBuffer, 0xb1);
  VkBufferCreateInfo buffer_info = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 8 };
  VtrArgs_vkCreateBuffer create_buffer = { NULL, &buffer_info, NULL, &buffer };
  VtrArgs_vkBindBufferMemory bind_buffer = { NULL, buffer, HANDLE (VkDeviceMemory, 0x3e), 1016 };
  VtrArgs_vkDestroyBuffer destroy_buffer = { NULL, buffer, NULL };

  give (chain, VTR_CMD_vkCreateImage, &create);
  give (chain, VTR_CMD_vkGetImageMemoryRequirements, &ask);
  expect_writes (chain, sink, 1, all);
  give (chain, VTR_CMD_vkBindImageMemory, &bind);
  expect_writes (chain, sink, 2, around);
  give (chain, VTR_CMD_vkCreateBuffer, &create_buffer);
  give (chain, VTR_CMD_vkBindBufferMemory, &bind_buffer);
  expect_writes (chain, sink, 3, shared);
  give (chain, VTR_CMD_vkDestroyBuffer, &destroy_buffer);
  expect_writes (chain, sink, 2, around);
  give (chain, VTR_CMD_vkDestroyImage, &destroy);
  expect_writes (chain, sink, 1, all);

  /* A linear one is the program's, too. */
  info.tiling = VK_IMAGE_TILING_LINEAR;
  give (chain, VTR_CMD_vkCreateImage, &create);
  give (chain, VTR_CMD_vkGetImageMemoryRequirements, &ask);
  give (chain, VTR_CMD_vkBindImageMemory, &bind);
  expect_writes (chain, sink, 1, all);
}

/* Bytes are dropped until the program learns that the GPU is done; learning about other work
 * changes nothing (test-pending.c). */
static void
test_gpu_writes_end (void)
{
  static const guint64 all[][2] = { { 1000, 64 } };
  static const guint64 around[][2] = { { 1000, 16 }, { 1032, 32 } };
  VkFence fence = HANDLE (VkFence, 0xf7);
  VtrArgs_vkGetFenceStatus ask_fence = { NULL, fence };
  VtrArgs_vkGetQueryPoolResults ask_results = { 0 };
  VtrArgs_vkAcquireNextImageKHR acquire = { .fence = fence };
  VtrArgs_vkDeviceWaitIdle wait = { NULL };

  for (guint what = 0; what < 3; what++)
    {
      Sink *sink = sink_new ();
      g_autoptr (VtrTransform) chain =
        vtr_transform_chain (vtr_transform_gpu_writes_new (FALSE), &sink->parent, NULL);

      give_fill (chain);
      expect_writes (chain, sink, 2, around);
      if (what == 0)
        give (chain, VTR_CMD_vkGetQueryPoolResults, &ask_results);
      if (what == 1)
        give (chain, VTR_CMD_vkAcquireNextImageKHR, &acquire);
      if (what == 1)
        give (chain, VTR_CMD_vkGetFenceStatus, &ask_fence);
      if (what == 2)
        give (chain, VTR_CMD_vkDeviceWaitIdle, &wait);
      expect_writes (chain, sink, what < 2 ? 2 : 1, what < 2 ? around : all);
    }
}

/* --- Layouts -----------------------------------------------------------------------------------
 */

static void
track (VtrLayoutTracker *tracker,
       VtrCmdId          id,
       void             *args)
{
  const VtrCommand command = { .id = id, .index = 10, .args = args };

  vtr_layout_tracker_command (tracker, &command);
}

static void
test_layouts (void)
{
  VtrLayoutTracker *tracker =
    vtr_layout_tracker_new (0x13, 10, VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, FALSE);
  VkImage image = HANDLE (VkImage, 0x13);
  VkImageCreateInfo image_info = { VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO };
  VtrArgs_vkCreateImage create = { NULL, &image_info, NULL, &image };
  VtrArgs_vkBeginCommandBuffer begin = { cb, NULL };
  VkImageMemoryBarrier barrier = {
    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
    .image = image,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 0, VK_REMAINING_ARRAY_LAYERS },
  };
  VtrArgs_vkCmdPipelineBarrier barriers = {
    .commandBuffer = cb, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier
  };
  VkSubmitInfo batch = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                         .pCommandBuffers = &cb };
  VtrArgs_vkQueueSubmit submit = { queue, 1, &batch, VK_NULL_HANDLE };
  VkImageView view = HANDLE (VkImageView, 0x14);
  VkImageViewCreateInfo view_info = { .image = image,
                                      .subresourceRange = barrier.subresourceRange };
  VtrArgs_vkCreateImageView create_view = { NULL, &view_info, NULL, &view };
  VkFramebuffer framebuffer = HANDLE (VkFramebuffer, 0x15);
  VkFramebufferCreateInfo framebuffer_info = { .attachmentCount = 1, .pAttachments = &view };
  VtrArgs_vkCreateFramebuffer create_framebuffer = { NULL, &framebuffer_info, NULL, &framebuffer };
  VkAttachmentDescription attachment = { .finalLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
  VkRenderPass pass = HANDLE (VkRenderPass, 0x16);
  VkRenderPassCreateInfo pass_info = { .attachmentCount = 1, .pAttachments = &attachment };
  VtrArgs_vkCreateRenderPass create_pass = { NULL, &pass_info, NULL, &pass };
  VkRenderPassBeginInfo begin_info = { .renderPass = pass, .framebuffer = framebuffer };
  VtrArgs_vkCmdBeginRenderPass begin_pass = { cb, &begin_info, VK_SUBPASS_CONTENTS_INLINE };
  VtrArgs_vkCmdEndRenderPass end_pass = { cb };

  track (tracker, VTR_CMD_vkCreateImage, &create);
  g_assert_cmpint (vtr_layout_tracker_get (tracker), ==, VK_IMAGE_LAYOUT_UNDEFINED);
  track (tracker, VTR_CMD_vkBeginCommandBuffer, &begin);
  track (tracker, VTR_CMD_vkCmdPipelineBarrier, &barriers);
  g_assert_cmpint (vtr_layout_tracker_get (tracker), ==, VK_IMAGE_LAYOUT_UNDEFINED);
  track (tracker, VTR_CMD_vkQueueSubmit, &submit);
  g_assert_cmpint (vtr_layout_tracker_get (tracker), ==, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);

  /* Another mip, then a render pass. */
  track (tracker, VTR_CMD_vkBeginCommandBuffer, &begin);
  barrier.subresourceRange.baseMipLevel = 2;
  barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  track (tracker, VTR_CMD_vkCmdPipelineBarrier, &barriers);
  track (tracker, VTR_CMD_vkQueueSubmit, &submit);
  g_assert_cmpint (vtr_layout_tracker_get (tracker), ==, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  track (tracker, VTR_CMD_vkCreateImageView, &create_view);
  track (tracker, VTR_CMD_vkCreateFramebuffer, &create_framebuffer);
  track (tracker, VTR_CMD_vkCreateRenderPass, &create_pass);
  track (tracker, VTR_CMD_vkCmdBeginRenderPass, &begin_pass);
  track (tracker, VTR_CMD_vkCmdEndRenderPass, &end_pass);
  track (tracker, VTR_CMD_vkQueueSubmit, &submit);
  g_assert_cmpint (vtr_layout_tracker_get (tracker), ==, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  vtr_layout_tracker_free (tracker);
}

/* --- Render passes -----------------------------------------------------------------------------
 */

static void
test_render_pass_clone (void)
{
  VkAttachmentDescription attachments[3] = {
    { .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
      .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED },
    { .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
      .initialLayout = VK_IMAGE_LAYOUT_GENERAL },
    { .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
      .initialLayout = VK_IMAGE_LAYOUT_GENERAL },
  };
  const VkAttachmentReference first = { 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL };
  const VkAttachmentReference second = { 1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL };
  const VkAttachmentReference depth = { 2, VK_IMAGE_LAYOUT_GENERAL };
  const VkAttachmentReference resolve = { 0, VK_IMAGE_LAYOUT_GENERAL };
  const VtrPassReference reference = { .subpass = 1, .use = VTR_PASS_RESOLVE, .nth = 0 };
  VkSubpassDescription subpasses[2] = {
    { .colorAttachmentCount = 1, .pColorAttachments = &first, .pResolveAttachments = &resolve },
    { .colorAttachmentCount = 1,
      .pColorAttachments = &second,
      .pResolveAttachments = &resolve, /* the same */
      .pDepthStencilAttachment = &depth },
  };
  g_autoptr (GArray) spared = g_array_new (FALSE, FALSE, sizeof reference);
  VkRenderPassCreateInfo info = {
    .attachmentCount = 3, .pAttachments = attachments, .subpassCount = 2, .pSubpasses = subpasses
  };
  VkRenderPass out = HANDLE (VkRenderPass, 1);
  VtrArgs_vkCreateRenderPass args = { NULL, &info, NULL, &out };
  VtrCommand command = { .id = VTR_CMD_vkCreateRenderPass, .args = &args };
  VtrRenderPassClone what = { .cut = TRUE, .spared = spared };
  guint64 handle = 77;
  VtrArena arena;

  for (guint i = 0; i < G_N_ELEMENTS (attachments); i++)
    attachments[i].finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  vtr_arena_init (&arena);
  g_array_append_val (spared, reference);
  g_assert_cmpuint (vtr_render_pass_clone (&command, &arena, &what, &handle), ==, 2);
  g_assert_cmpint (attachments[0].storeOp, ==, VK_ATTACHMENT_STORE_OP_STORE);
  g_assert_cmpint (attachments[0].loadOp, ==, VK_ATTACHMENT_LOAD_OP_CLEAR);
  /* Not reached: its contents stay. */
  g_assert_cmpint (attachments[1].loadOp, ==, VK_ATTACHMENT_LOAD_OP_LOAD);
  g_assert_cmpint (attachments[2].stencilLoadOp, ==, VK_ATTACHMENT_LOAD_OP_LOAD);
  g_assert_cmpuint ((gsize)*args.pRenderPass, ==, 77);
  /* What holds something is not resolved into. */
  g_assert_cmpuint (subpasses[0].pResolveAttachments[0].attachment, ==, 0);
  g_assert_cmpuint (subpasses[1].pResolveAttachments[0].attachment, ==, VK_ATTACHMENT_UNUSED);

  /* What was cut goes on: the first attachment is there, the others are still to be cleared. */
  subpasses[1].pResolveAttachments = NULL;
  attachments[1].loadOp = attachments[2].stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachments[2].storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  what = (VtrRenderPassClone){ .resumed = TRUE };
  g_assert_cmpuint (vtr_render_pass_clone (&command, &arena, &what, &handle), ==, 2);
  g_assert_cmpint (attachments[0].loadOp, ==, VK_ATTACHMENT_LOAD_OP_LOAD);
  g_assert_cmpint (attachments[0].initialLayout, ==, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  g_assert_cmpint (attachments[1].loadOp, ==, VK_ATTACHMENT_LOAD_OP_CLEAR);
  g_assert_cmpint (attachments[1].initialLayout, ==, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  g_assert_cmpint (attachments[2].stencilLoadOp, ==, VK_ATTACHMENT_LOAD_OP_CLEAR);
  g_assert_cmpint (attachments[2].storeOp, ==, VK_ATTACHMENT_STORE_OP_DONT_CARE);
  vtr_arena_finish (&arena);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/transforms/virtual-swapchain", test_virtual_swapchain);
  g_test_add_func ("/engine/transforms/replayable", test_replayable);
  g_test_add_func ("/engine/transforms/gpu-writes/images", test_gpu_images);
  g_test_add_func ("/engine/transforms/gpu-writes/end", test_gpu_writes_end);
  g_test_add_data_func ("/engine/transforms/gpu-writes/pending", GINT_TO_POINTER (FALSE),
                        test_gpu_writes);
  g_test_add_data_func ("/engine/transforms/gpu-writes/poison", GINT_TO_POINTER (TRUE),
                        test_gpu_writes);
  g_test_add_func ("/engine/transforms/layouts", test_layouts);
  g_test_add_func ("/engine/transforms/render-pass-clone", test_render_pass_clone);
  return g_test_run ();
}
