/* Tests memory, lifetimes, queries and command buffers in the state. */
#include "vtr-test-state.h"

#define M 0xe1
#define B 0xf1

/* --- Memory --- */

static void
test_binding (VtrTestState  *self,
              gconstpointer  data)
{
  VkBindBufferMemoryInfo info = {
    .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO,
    .buffer = H (VkBuffer, B + 1),
    .memory = H (VkDeviceMemory, M),
    .memoryOffset = 512,
  };
  guint64 bound, bound2, failed, image;

  vtr_test_state_add_memory (self, M);
  vtr_test_state_add_buffer (self, B);
  vtr_test_state_add_buffer (self, B + 1);
  vtr_test_state_add_buffer (self, B + 2);
  bound = ADD (self->test, vkBindBufferMemory, .device = DEVICE, .buffer = H (VkBuffer, B),
               .memory = H (VkDeviceMemory, M), .memoryOffset = 256);
  bound2 = ADD (self->test, vkBindBufferMemory2, .device = DEVICE, .bindInfoCount = 1,
                .pBindInfos = &info);
  failed = ADD_RESULT (self->test, VK_ERROR_OUT_OF_DEVICE_MEMORY, vkBindBufferMemory,
                       .device = DEVICE, .buffer = H (VkBuffer, B + 2),
                       .memory = H (VkDeviceMemory, M));
  vtr_test_state_add_image (self, 0xa1, VK_FORMAT_R8_UNORM, 0, M);
  image = vtr_test_begin (self->test, CB);
  vtr_test_state_open (self);

  EXPECT (self, bound - 1, VkBuffer, B, "memory", "null");
  EXPECT_OBJECT (self, bound, VkBuffer, B, "memory",
                 vtr_test_state_id (self, bound, VTR_HANDLE_VkDeviceMemory, M));
  EXPECT (self, bound, VkBuffer, B, "memoryOffset", "256");
  EXPECT_COMMAND (self, bound, VkBuffer, B, "boundBy", bound);
  EXPECT (self, bound, VkBuffer, B + 1, "memory", "null");
  EXPECT (self, bound2, VkBuffer, B + 1, "memoryOffset", "512");
  EXPECT (self, failed, VkBuffer, B + 2, "memory", "null");
  EXPECT_OBJECT (self, image, VkDeviceMemory, M, "bound/1",
                 vtr_test_state_id (self, image, VTR_HANDLE_VkBuffer, B + 1));
  EXPECT_OBJECT (self, image, VkDeviceMemory, M, "bound/2",
                 vtr_test_state_id (self, image, VTR_HANDLE_VkImage, 0xa1));
  EXPECT (self, image, VkImage, 0xa1, "memoryOffset", "4096");
}

static void
test_planes (VtrTestState  *self,
             gconstpointer  data)
{
  VkImage handle = H (VkImage, 0xa1);
  VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .flags = VK_IMAGE_CREATE_DISJOINT_BIT,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
    .extent = { 64, 64, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
  };
  VkBindImagePlaneMemoryInfo planes[] = {
    { .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO,
      .planeAspect = VK_IMAGE_ASPECT_PLANE_0_BIT },
    { .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO,
      .planeAspect = VK_IMAGE_ASPECT_PLANE_1_BIT },
  };
  VkBindImageMemoryInfo binds[] = {
    { .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
      .pNext = &planes[0],
      .image = handle,
      .memory = H (VkDeviceMemory, M) },
    { .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
      .pNext = &planes[1],
      .image = handle,
      .memory = H (VkDeviceMemory, M),
      .memoryOffset = 8192 },
  };
  guint64 bound, barrier;

  vtr_test_state_add_memory (self, M);
  ADD (self->test, vkCreateImage, .device = DEVICE, .pCreateInfo = &info, .pImage = &handle);
  bound = ADD (self->test, vkBindImageMemory2, .device = DEVICE, .bindInfoCount = 2,
               .pBindInfos = binds);
  vtr_test_begin (self->test, CB);
  barrier = vtr_test_state_barrier (
    self, CB, 0xa1, (VkImageSubresourceRange){ VK_IMAGE_ASPECT_PLANE_1_BIT, 0, 1, 0, 1 },
    VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  EXPECT (self, bound, VkImage, 0xa1, "planes/0/memoryOffset", "0");
  EXPECT (self, bound, VkImage, 0xa1, "planes/1/memoryOffset", "8192");
  vtr_test_state_expect_layout (self, barrier, 0, 0xa1, VK_IMAGE_ASPECT_PLANE_0_BIT, 0, 0,
                                VK_IMAGE_LAYOUT_UNDEFINED);
  vtr_test_state_expect_layout (self, barrier, 0, 0xa1, VK_IMAGE_ASPECT_PLANE_1_BIT, 0, 0,
                                VK_IMAGE_LAYOUT_GENERAL);
}

static void
test_mapping (VtrTestState  *self,
              gconstpointer  data)
{
  void *address = (void *)(gsize)0x7f0000001000;
  guint64 mapped, unmapped, again, failed;

  vtr_test_state_add_memory (self, M);
  mapped = ADD (self->test, vkMapMemory, .device = DEVICE, .memory = H (VkDeviceMemory, M),
                .offset = 128, .size = 1024, .ppData = &address);
  unmapped = ADD (self->test, vkUnmapMemory, .device = DEVICE, .memory = H (VkDeviceMemory, M));
  failed = ADD_RESULT (self->test, VK_ERROR_MEMORY_MAP_FAILED, vkMapMemory, .device = DEVICE,
                       .memory = H (VkDeviceMemory, M), .size = 1, .ppData = &address);
  again = ADD (self->test, vkMapMemory, .device = DEVICE, .memory = H (VkDeviceMemory, M),
               .size = VK_WHOLE_SIZE, .ppData = &address);
  vtr_test_state_open (self);

  EXPECT (self, mapped - 1, VkDeviceMemory, M, "mapped", "false");
  EXPECT (self, mapped, VkDeviceMemory, M, "mapped", "true");
  EXPECT (self, mapped, VkDeviceMemory, M, "mapOffset", "128");
  EXPECT (self, mapped, VkDeviceMemory, M, "mapSize", "1024");
  EXPECT (self, mapped, VkDeviceMemory, M, "mapAddress", "\"0x7f0000001000\"");
  EXPECT_COMMAND (self, mapped, VkDeviceMemory, M, "mappedBy", mapped);
  EXPECT (self, unmapped, VkDeviceMemory, M, "mapped", "false");
  EXPECT (self, failed, VkDeviceMemory, M, "mapped", "false");
  EXPECT (self, again, VkDeviceMemory, M, "mapSize", "\"VK_WHOLE_SIZE\"");
}

static void
test_sparse (VtrTestState  *self,
             gconstpointer  data)
{
  VkSparseMemoryBind binds[] = {
    { .resourceOffset = 0, .size = 4096, .memory = H (VkDeviceMemory, M), .memoryOffset = 100 },
    { .resourceOffset = 4096, .size = 4096, .memory = H (VkDeviceMemory, M), .memoryOffset = 200 },
  };
  VkSparseBufferMemoryBindInfo buffer = { H (VkBuffer, B), 2, binds };
  VkBindSparseInfo info = {
    .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
    .bufferBindCount = 1,
    .pBufferBinds = &buffer,
  };
  guint64 both, one;

  vtr_test_state_add_memory (self, M);
  vtr_test_state_add_buffer (self, B);
  both = ADD (self->test, vkQueueBindSparse, .queue = QUEUE, .bindInfoCount = 1,
              .pBindInfo = &info);
  binds[0].memory = VK_NULL_HANDLE;
  buffer.bindCount = 1;
  one = ADD (self->test, vkQueueBindSparse, .queue = QUEUE, .bindInfoCount = 1, .pBindInfo = &info);
  vtr_test_state_open (self);

  EXPECT (self, both, VkBuffer, B, "sparse/0/memoryOffset", "100");
  EXPECT (self, both, VkBuffer, B, "sparse/1/offset", "4096");
  EXPECT (self, one, VkBuffer, B, "sparse/0/memory", "null");
  EXPECT (self, one, VkBuffer, B, "sparse/1/memoryOffset", "200");
  EXPECT_COMMAND (self, one, VkQueue, 4, "lastSparseBindCommand", one);
}

/* --- Lifetimes --- */

/* The next buffer with the same handle has a new state. */
static void
test_reuse (VtrTestState  *self,
            gconstpointer  data)
{
  guint64 bound, again;

  vtr_test_state_add_memory (self, M);
  vtr_test_state_add_buffer (self, B);
  bound = ADD (self->test, vkBindBufferMemory, .device = DEVICE, .buffer = H (VkBuffer, B),
               .memory = H (VkDeviceMemory, M));
  ADD (self->test, vkDestroyBuffer, .device = DEVICE, .buffer = H (VkBuffer, B));
  vtr_test_state_add_buffer (self, B);
  again = vtr_test_begin (self->test, CB);
  vtr_test_state_open (self);

  g_assert_cmpuint (vtr_test_state_id (self, bound, VTR_HANDLE_VkBuffer, B), !=,
                    vtr_test_state_id (self, again, VTR_HANDLE_VkBuffer, B));
  EXPECT (self, bound, VkBuffer, B, "memoryOffset", "0");
  EXPECT (self, again, VkBuffer, B, "memory", "null");
}

static gboolean
is_alive (VtrTestState *self,
          guint64       index,
          guint32       id)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrApiState) state = vtr_state_store_get (
    vtr_document_get_state_store (self->document), index, VTR_NO_RUN, NULL, &error);

  g_assert_no_error (error);
  return vtr_api_state_is_alive (state, id);
}

/* Memory goes before what is bound to it; a pool with its buffers; a device with everything. */
static void
test_destroyed_parents (VtrTestState  *self,
                        gconstpointer  data)
{
  guint64 bound, freed, pool, device;
  guint32 memory, buffer, commands;

  vtr_test_state_add_memory (self, M);
  vtr_test_state_add_buffer (self, B);
  bound = ADD (self->test, vkBindBufferMemory, .device = DEVICE, .buffer = H (VkBuffer, B),
               .memory = H (VkDeviceMemory, M));
  freed = ADD (self->test, vkFreeMemory, .device = DEVICE, .memory = H (VkDeviceMemory, M));
  pool = ADD (self->test, vkDestroyCommandPool, .device = DEVICE,
              .commandPool = H (VkCommandPool, POOL));
  device = ADD (self->test, vkDestroyDevice, .device = DEVICE);
  vtr_test_state_open (self);

  memory = vtr_test_state_id (self, bound, VTR_HANDLE_VkDeviceMemory, M);
  buffer = vtr_test_state_id (self, bound, VTR_HANDLE_VkBuffer, B);
  commands = vtr_test_state_id (self, bound, VTR_HANDLE_VkCommandBuffer, CB);
  EXPECT_OBJECT (self, freed, VkBuffer, B, "memory", memory);
  EXPECT (self, freed, VkBuffer, B, "memory/destroyed", "true");
  g_assert_false (is_alive (self, freed, memory));
  g_assert_true (is_alive (self, freed, commands));
  g_assert_false (is_alive (self, pool, commands));
  g_assert_true (is_alive (self, pool, buffer));
  g_assert_false (is_alive (self, device, buffer));
  vtr_test_state_expect_path (self, pool, 0, "devices/3/bufferss",
                              "error: There is no “bufferss” in "
                              "commands/12/state/devices/3; expected buffers, queues.");
}

/* --- Queries --- */

static void
test_queries (VtrTestState  *self,
              gconstpointer  data)
{
  VkQueryPool pool = H (VkQueryPool, 0x76);
  VkQueryPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = VK_QUERY_TYPE_OCCLUSION,
    .queryCount = 8,
  };
  guint64 created, reset, begin, end, stamp, host, wrong, unreset, beyond;

  created = ADD (self->test, vkCreateQueryPool, .device = DEVICE, .pCreateInfo = &info,
                 .pQueryPool = &pool);
  vtr_test_begin (self->test, CB);
  reset = ADD (self->test, vkCmdResetQueryPool, .commandBuffer = BUFFER, .queryPool = pool,
               .firstQuery = 2, .queryCount = 4);
  begin = ADD (self->test, vkCmdBeginQuery, .commandBuffer = BUFFER, .queryPool = pool, .query = 3);
  end = ADD (self->test, vkCmdEndQuery, .commandBuffer = BUFFER, .queryPool = pool, .query = 3);
  stamp = ADD (self->test, vkCmdWriteTimestamp, .commandBuffer = BUFFER,
               .pipelineStage = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, .queryPool = pool, .query = 4);
  wrong = ADD (self->test, vkCmdEndQuery, .commandBuffer = BUFFER, .queryPool = pool, .query = 5);
  unreset =
    ADD (self->test, vkCmdBeginQuery, .commandBuffer = BUFFER, .queryPool = pool, .query = 7);
  beyond = ADD (self->test, vkCmdResetQueryPool, .commandBuffer = BUFFER, .queryPool = pool,
                .firstQuery = 6, .queryCount = 3);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  host = ADD (self->test, vkResetQueryPool, .device = DEVICE, .queryPool = pool, .firstQuery = 3,
              .queryCount = 1);
  vtr_test_state_open (self);

  EXPECT (self, created, VkQueryPool, 0x76, "queries/0/count", "8");
  EXPECT (self, created, VkQueryPool, 0x76, "queries/0/status", "\"uninitialised\"");
  EXPECT (self, reset, VkQueryPool, 0x76, "queries/1/first", "2");
  EXPECT (self, reset, VkQueryPool, 0x76, "queries/1/count", "4");
  EXPECT (self, reset, VkQueryPool, 0x76, "queries/1/status", "\"reset\"");
  EXPECT (self, begin, VkQueryPool, 0x76, "queries/2/status", "\"active\"");
  EXPECT (self, end, VkQueryPool, 0x76, "queries/2/status", "\"ended\"");
  EXPECT_COMMAND (self, end, VkQueryPool, 0x76, "queries/2/changedBy", end);
  EXPECT (self, stamp, VkQueryPool, 0x76, "queries/3/status", "\"written\"");
  EXPECT (self, host, VkQueryPool, 0x76, "queries/2/status", "\"reset\"");
  vtr_test_state_expect_message (self, begin, "");
  vtr_test_state_expect_message (self, wrong, "query: Query 5");
  vtr_test_state_expect_message (self, unreset, "query: Query 7");
  vtr_test_state_expect_message (self, beyond, "query: Queries 6 to 8");
}

/* --- Command buffers --- */

static void
test_command_buffers (VtrTestState  *self,
                      gconstpointer  data)
{
  VkCommandBufferBeginInfo once = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };
  guint64 begin, draw, end, submit, idle, reset, pool, empty;

  begin = vtr_test_begin (self->test, CB);
  draw = vtr_test_draw (self->test, CB);
  end = vtr_test_end (self->test, CB);
  ADD (self->test, vkBeginCommandBuffer, .commandBuffer = H (VkCommandBuffer, CB2),
       .pBeginInfo = &once);
  vtr_test_end (self->test, CB2);
  vtr_test_submit (self->test, CB2);
  submit = vtr_test_submit (self->test, CB);
  idle = ADD (self->test, vkDeviceWaitIdle, .device = DEVICE);
  reset = ADD (self->test, vkResetCommandBuffer, .commandBuffer = BUFFER);
  pool = ADD (self->test, vkResetCommandPool, .device = DEVICE,
              .commandPool = H (VkCommandPool, POOL));
  empty = vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  EXPECT (self, begin - 1, VkCommandBuffer, CB, "status", "\"initial\"");
  /* In the run that the draw is looked at, the buffer is at work. */
  EXPECT (self, draw, VkCommandBuffer, CB, "status", "\"pending\"");
  EXPECT_COMMAND (self, draw, VkCommandBuffer, CB, "submittedBy", submit);
  EXPECT (self, end + 1, VkCommandBuffer, CB, "status", "\"executable\"");
  EXPECT_COMMAND (self, end + 1, VkCommandBuffer, CB, "beginCommand", begin);
  EXPECT_COMMAND (self, end + 1, VkCommandBuffer, CB, "endCommand", end);
  EXPECT (self, submit, VkCommandBuffer, CB, "status", "\"pending\"");
  EXPECT (self, submit, VkCommandBuffer, CB2, "status", "\"pending\"");
  EXPECT (self, idle, VkCommandBuffer, CB, "status", "\"executable\"");
  EXPECT (self, idle, VkCommandBuffer, CB2, "status", "\"invalid\"");
  EXPECT (self, reset, VkCommandBuffer, CB, "status", "\"initial\"");
  EXPECT (self, reset, VkCommandBuffer, CB2, "status", "\"invalid\"");
  EXPECT (self, pool, VkCommandBuffer, CB2, "status", "\"initial\"");
  vtr_test_state_expect_message (self, submit, "");
  vtr_test_state_expect_message (self, empty, "command-buffer: ");
}

/* A recording is worth nothing without what it names. */
static void
test_invalid (VtrTestState  *self,
              gconstpointer  data)
{
  VkCommandBuffer secondary = H (VkCommandBuffer, SECONDARY);
  guint64 end, destroyed, again;
  guint32 buffer;

  vtr_test_state_add_buffer (self, B);
  vtr_test_begin (self->test, SECONDARY);
  vtr_test_end (self->test, SECONDARY);
  vtr_test_begin (self->test, CB);
  ADD (self->test, vkCmdFillBuffer, .commandBuffer = BUFFER, .dstBuffer = H (VkBuffer, B),
       .size = VK_WHOLE_SIZE);
  vtr_test_end (self->test, CB);
  vtr_test_begin (self->test, CB2);
  ADD (self->test, vkCmdExecuteCommands, .commandBuffer = H (VkCommandBuffer, CB2),
       .commandBufferCount = 1, .pCommandBuffers = &secondary);
  vtr_test_end (self->test, CB2);
  end = ADD (self->test, vkDeviceWaitIdle, .device = DEVICE);
  destroyed = ADD (self->test, vkDestroyBuffer, .device = DEVICE, .buffer = H (VkBuffer, B));
  vtr_test_begin (self->test, SECONDARY);
  again = vtr_test_end (self->test, SECONDARY);
  vtr_test_state_open (self);

  buffer = vtr_test_state_id (self, end, VTR_HANDLE_VkBuffer, B);
  EXPECT (self, end, VkCommandBuffer, CB, "status", "\"executable\"");
  EXPECT (self, destroyed, VkCommandBuffer, CB, "status", "\"invalid\"");
  EXPECT_OBJECT (self, destroyed, VkCommandBuffer, CB, "invalidObject", buffer);
  EXPECT_COMMAND (self, destroyed, VkCommandBuffer, CB, "invalidatedBy", destroyed);
  EXPECT (self, destroyed, VkCommandBuffer, CB2, "status", "\"executable\"");
  EXPECT (self, again, VkCommandBuffer, CB2, "status", "\"invalid\"");
}

/* A recording that was never submitted is looked at in the order of calls. */
static void
test_recording (VtrTestState  *self,
                gconstpointer  data)
{
  guint64 draw;

  vtr_test_begin (self->test, CB);
  draw = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  vtr_test_state_open (self);

  EXPECT (self, draw, VkCommandBuffer, CB, "status", "\"recording\"");
  vtr_test_state_expect_path (self, draw, 0, "submission", "null");
}

/* Batches and command buffers in order; the last draw, dispatch, submission before each point. */
static void
test_order (VtrTestState  *self,
            gconstpointer  data)
{
  VkCommandBuffer buffers[] = { H (VkCommandBuffer, CB2), BUFFER };
  VkSubmitInfo infos[] = {
    { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &buffers[0] },
    { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = 1,
      .pCommandBuffers = &buffers[1] },
  };
  guint64 begin, first, second, dispatch, submit, later;
  g_autofree char *second_text = NULL, *first_text = NULL, *submit_text = NULL,
                  *dispatch_text = NULL;

  begin = vtr_test_begin (self->test, CB);
  first = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  vtr_test_begin (self->test, CB2);
  second = vtr_test_draw (self->test, CB2);
  dispatch = ADD (self->test, vkCmdDispatch, .commandBuffer = buffers[0], .groupCountX = 1,
                  .groupCountY = 1, .groupCountZ = 1);
  vtr_test_end (self->test, CB2);
  submit = ADD (self->test, vkQueueSubmit, .queue = QUEUE, .submitCount = 2, .pSubmits = infos);
  later = ADD (self->test, vkDeviceWaitIdle, .device = DEVICE);
  vtr_test_state_open (self);

  first_text = g_strdup_printf ("%" G_GUINT64_FORMAT, first);
  second_text = g_strdup_printf ("%" G_GUINT64_FORMAT, second);
  submit_text = g_strdup_printf ("%" G_GUINT64_FORMAT, submit);
  dispatch_text = g_strdup_printf ("%" G_GUINT64_FORMAT, dispatch);
  vtr_test_state_expect_path (self, begin, 0, "last/drawCommand", second_text);
  vtr_test_state_expect_path (self, begin, 0, "last/submissionCommand", "null");
  vtr_test_state_expect_path (self, first, 0, "last/drawCommand", first_text);
  vtr_test_state_expect_path (self, second, 0, "last/dispatchCommand", "null");
  vtr_test_state_expect_path (self, later, 0, "last/drawCommand", first_text);
  vtr_test_state_expect_path (self, later, 0, "last/dispatchCommand", dispatch_text);
  vtr_test_state_expect_path (self, later, 0, "last/submissionCommand", submit_text);
  EXPECT (self, later, VkQueue, 4, "submissions", "1");
}

/* --- The rest --- */

/* A call that sets something in an object that has no state otherwise. */
static void
test_setter (VtrTestState  *self,
             gconstpointer  data)
{
  VkPrivateDataSlot slot = H (VkPrivateDataSlot, 0x99);
  VkPrivateDataSlotCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO };
  guint64 set;

  ADD (self->test, vkCreatePrivateDataSlot, .device = DEVICE, .pCreateInfo = &info,
       .pPrivateDataSlot = &slot);
  set = ADD (self->test, vkSetPrivateData, .device = DEVICE, .objectType = VK_OBJECT_TYPE_DEVICE,
             .objectHandle = 3, .privateDataSlot = slot, .data = 1);
  vtr_test_state_open (self);

  EXPECT (self, set, VkPrivateDataSlot, 0x99, "set/0/name", "\"vkSetPrivateData\"");
  EXPECT_COMMAND (self, set, VkPrivateDataSlot, 0x99, "set/0/setBy", set);
}

static void
add_pipeline (VtrTestState *self)
{
  VkPipeline handle = H (VkPipeline, 0x92);
  VkDynamicState states[] = { VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_LINE_WIDTH };
  VkPipelineDynamicStateCreateInfo dynamic = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
    .dynamicStateCount = 2,
    .pDynamicStates = states,
  };
  VkViewport viewport = { 0, 0, 320, 200, 0, 1 };
  VkRect2D scissor = { { 0, 0 }, { 11, 12 } };
  VkPipelineViewportStateCreateInfo viewports = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .pViewports = &viewport,
    .scissorCount = 1,
    .pScissors = &scissor,
  };
  VkPipelineRasterizationStateCreateInfo rasterization = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .lineWidth = 3,
    .cullMode = VK_CULL_MODE_BACK_BIT,
  };
  VkPipelineShaderStageCreateInfo stage = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
    .stage = VK_SHADER_STAGE_VERTEX_BIT,
    .pName = "main",
  };
  VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .stageCount = 1,
    .pStages = &stage,
    .pViewportState = &viewports,
    .pRasterizationState = &rasterization,
    .pDynamicState = &dynamic,
  };

  ADD (self->test, vkCreateGraphicsPipelines, .device = DEVICE, .createInfoCount = 1,
       .pCreateInfos = &info, .pPipelines = &handle);
}

/* Static state comes from the pipeline, whatever commands set; dynamic state comes from the last
 * command. */
static void
test_dynamic_state (VtrTestState  *self,
                    gconstpointer  data)
{
  VkViewport viewport = { 0, 0, 5, 5, 0, 1 };
  VkRect2D scissor = { { 0, 0 }, { 7, 8 } };
  guint64 bound, set, again;
  g_autofree char *first = NULL, *second = NULL;

  add_pipeline (self);
  vtr_test_begin (self->test, CB);
  bound = ADD (self->test, vkCmdBindPipeline, .commandBuffer = BUFFER,
               .pipeline = H (VkPipeline, 0x92));
  ADD (self->test, vkCmdSetViewport, .commandBuffer = BUFFER, .viewportCount = 1,
       .pViewports = &viewport);
  ADD (self->test, vkCmdSetScissor, .commandBuffer = BUFFER, .scissorCount = 1,
       .pScissors = &scissor);
  set = ADD (self->test, vkCmdSetLineWidth, .commandBuffer = BUFFER, .lineWidth = 2);
  again = ADD (self->test, vkCmdSetLineWidth, .commandBuffer = BUFFER, .lineWidth = 4);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  first = g_strdup_printf ("%" G_GUINT64_FORMAT, set);
  second = g_strdup_printf ("%" G_GUINT64_FORMAT, again);
  vtr_test_state_expect_path (self, bound, 0, "bound/graphics/dynamic/1/state",
                              "\"VK_DYNAMIC_STATE_LINE_WIDTH\"");
  vtr_test_state_expect_path (self, bound, 0, "bound/graphics/dynamic/1/setBy", "null");
  vtr_test_state_expect_path (self, set, 0, "bound/graphics/dynamic/1/setBy", first);
  vtr_test_state_expect_path (self, again, 0, "bound/graphics/dynamic/1/setBy", second);
  vtr_test_state_expect_path (self, again, 0, "bound/scissors/0/extent/width", "7");
  vtr_test_state_expect_path (self, again, 0, "bound/viewports/0/width", "320");
  vtr_test_state_expect_path (
    self, again, 0, "bound/graphics/createInfo/pRasterizationState/cullMode",
    "\"VK_CULL_MODE_BACK_BIT\"");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD_STATE_TEST ("api-state", binding);
  ADD_STATE_TEST ("api-state", planes);
  ADD_STATE_TEST ("api-state", mapping);
  ADD_STATE_TEST ("api-state", sparse);
  ADD_STATE_TEST ("api-state", reuse);
  ADD_STATE_TEST ("api-state", destroyed_parents);
  ADD_STATE_TEST ("api-state", queries);
  ADD_STATE_TEST ("api-state", command_buffers);
  ADD_STATE_TEST ("api-state", invalid);
  ADD_STATE_TEST ("api-state", recording);
  ADD_STATE_TEST ("api-state", order);
  ADD_STATE_TEST ("api-state", setter);
  ADD_STATE_TEST ("api-state", dynamic_state);
  return g_test_run ();
}
