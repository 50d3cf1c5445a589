/* Tests the builder's instructions on a machine of the test's own. */
#include <string.h>
#include <time.h>

#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"
#include "vtr-api-args.h"
#include "vtr-test-machine.h"

#define HANDLE(type, value) ((type)(gsize)(value))

typedef struct
{
  VtrTestMachine machine;
  VtrReplayBuilder *builder;
  guint64 next_index;
  const void *expected; /* arguments that the next call must equal, handles aside */
  guint n_compared;
} Fixture;

static void
compare_call (const VtrTestCall *call,
              gpointer           data)
{
  Fixture *fixture = data;
  char where[256] = "";

  if (fixture->expected == NULL || call->function >= VTR_REPLAY_FIRST_SYNTHETIC)
    return;
  if (!vtr_api_compare ((VtrCmdId)call->function, fixture->expected, call->args, 0,
                        &(VtrApiEnv){ .decoded = true }, where, sizeof where))
    g_error ("%s differs at %s", vtr_cmd_name ((VtrCmdId)call->function), where);
  fixture->n_compared++;
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  memset (fixture, 0, sizeof *fixture);
  vtr_test_machine_init (&fixture->machine);
  fixture->builder = vtr_replay_builder_new (NULL, vtr_test_machine_send, &fixture->machine);
  fixture->machine.builder = fixture->builder;
  fixture->machine.called = compare_call;
  fixture->machine.data = fixture;
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  vtr_replay_builder_free (fixture->builder);
  vtr_test_machine_finish (&fixture->machine);
}

static void
add_full (Fixture  *fixture,
          VtrCmdId  id,
          void     *args,
          gboolean  has_result,
          gint64    result,
          guint32   flags)
{
  const VtrCommand command = {
    .id = id,
    .index = fixture->next_index++,
    .flags = flags,
    .has_result = has_result,
    .result = (guint64)result,
    .args = args,
  };
  g_autoptr (GError) error = NULL;

  vtr_replay_builder_add (fixture->builder, &command, &error);
  g_assert_no_error (error);
}

static void
add (Fixture  *fixture,
     VtrCmdId  id,
     void     *args)
{
  add_full (fixture, id, args, TRUE, 0, 0);
}

static void
flush (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  vtr_replay_builder_flush (fixture->builder, &error);
  g_assert_no_error (error);
}

static const VkDevice device = HANDLE (VkDevice, 0xd0);

/* A device, so that handles in what follows are known. */
static void
add_device (Fixture *fixture)
{
  VkDevice out = device;
  VkDeviceCreateInfo info = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO };
  VtrArgs_vkCreateDevice args = { HANDLE (VkPhysicalDevice, 0xbad), &info, NULL, &out };

  add (fixture, VTR_CMD_vkCreateDevice, &args);
}

static void
add_buffer (Fixture *fixture,
            guint64  value)
{
  VkBuffer out = HANDLE (VkBuffer, value);
  VkBufferCreateInfo info = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 64 };
  VtrArgs_vkCreateBuffer args = { device, &info, NULL, &out };

  add (fixture, VTR_CMD_vkCreateBuffer, &args);
}

static void
test_handles (Fixture       *fixture,
              gconstpointer  data)
{
  VtrArgs_vkBindBufferMemory bind = { device, HANDLE (VkBuffer, 0xb0),
                                      HANDLE (VkDeviceMemory, 0xee), 1 };
  VtrArgs_vkDestroyBuffer destroy = { device, HANDLE (VkBuffer, 0xb0), (gpointer)0x1234 };
  const VtrArgs_vkBindBufferMemory *got;

  add_device (fixture);
  add_buffer (fixture, 0xb0);
  add (fixture, VTR_CMD_vkBindBufferMemory, &bind);
  flush (fixture);
  got = vtr_test_machine_last (&fixture->machine)->args;
  g_assert_cmpuint ((gsize)got->device, ==, 0x7000);
  g_assert_cmpuint ((gsize)got->buffer, ==, 0x7001);
  /* Memory that was not allocated is ignored. */
  g_assert_true (got->memory == VK_NULL_HANDLE);
  g_assert_cmpuint (got->memoryOffset, ==, 1);
  /* Also the physical device. */
  g_assert_cmpuint (vtr_replay_builder_get_stats (fixture->builder)->n_unknown, ==, 2);

  /* The same value later is another object. */
  add_full (fixture, VTR_CMD_vkDestroyBuffer, &destroy, FALSE, 0, 0);
  add_buffer (fixture, 0xb0);
  add (fixture, VTR_CMD_vkBindBufferMemory, &bind);
  flush (fixture);
  got = vtr_test_machine_last (&fixture->machine)->args;
  g_assert_cmpuint ((gsize)got->buffer, ==, 0x7002);
  g_assert_cmpuint (vtr_test_machine_last (&fixture->machine)->label, ==, 5);
}

/* Slots beyond what one LOAD_V reaches. */
static void
test_many_handles (Fixture       *fixture,
                   gconstpointer  data)
{
  const guint n = 150000;
  VtrArgs_vkBindBufferMemory bind = { device, HANDLE (VkBuffer, 0x100000 + n - 1), VK_NULL_HANDLE,
                                      0 };
  const VtrArgs_vkBindBufferMemory *got;

  for (guint i = 0; i < n; i++)
    add_buffer (fixture, 0x100000 + i);
  add (fixture, VTR_CMD_vkBindBufferMemory, &bind);
  flush (fixture);
  got = vtr_test_machine_last (&fixture->machine)->args;
  g_assert_cmpuint ((gsize)got->buffer, ==, 0x7000 + n - 1);
}

static void
test_scalars (Fixture       *fixture,
              gconstpointer  data)
{
  VtrArgs_vkCmdDrawIndexed draw = {
    HANDLE (VkCommandBuffer, 0xcb), 0xffffffff, 1, 0x12345678, -7, 0
  };
  VtrArgs_vkCmdSetDepthBias bias = { HANDLE (VkCommandBuffer, 0xcb), 1.25f, -0.5f, 3.14159f };
  VtrArgs_vkCmdFillBuffer fill = { NULL, VK_NULL_HANDLE, G_GUINT64_CONSTANT (0xfedcba9876543210),
                                   VK_WHOLE_SIZE, 0xdeadbeef };
  const float constants[4] = { 1, 2, 3, 4.5f };
  VtrArgs_vkCmdSetBlendConstants blend = { NULL, constants };

  fixture->expected = &draw;
  add_full (fixture, VTR_CMD_vkCmdDrawIndexed, &draw, FALSE, 0, 0);
  flush (fixture);
  fixture->expected = &bias;
  add_full (fixture, VTR_CMD_vkCmdSetDepthBias, &bias, FALSE, 0, 0);
  flush (fixture);
  fixture->expected = &fill;
  add_full (fixture, VTR_CMD_vkCmdFillBuffer, &fill, FALSE, 0, 0);
  flush (fixture);
  fixture->expected = &blend;
  add_full (fixture, VTR_CMD_vkCmdSetBlendConstants, &blend, FALSE, 0, 0);
  flush (fixture);
  g_assert_cmpuint (fixture->n_compared, ==, 4);
}

static void
add_command_buffers (Fixture         *fixture,
                     VkCommandBuffer *buffers,
                     guint            n)
{
  VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO };
  VtrArgs_vkAllocateCommandBuffers args = { device, &info, buffers };

  info.commandBufferCount = n;
  for (guint i = 0; i < n; i++)
    buffers[i] = HANDLE (VkCommandBuffer, 0xcb00 + i);
  add (fixture, VTR_CMD_vkAllocateCommandBuffers, &args);
}

/* More nested pointers than one INLINE_RESOURCE can patch, handles in arrays in structures in
 * arrays, a pNext chain. */
static void
test_tree (Fixture       *fixture,
           gconstpointer  data)
{
  enum
  {
    N = 200
  };
  VkCommandBuffer buffers[N];
  VkSubmitInfo batches[N] = { { 0 } };
  VkTimelineSemaphoreSubmitInfo timeline = { VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO };
  const guint64 values[2] = { 5, G_MAXUINT64 };
  VtrArgs_vkQueueSubmit args = { HANDLE (VkQueue, 0x90), N, batches, VK_NULL_HANDLE };
  const VtrTestCall *call;

  add_command_buffers (fixture, buffers, N);
  flush (fixture);
  timeline.waitSemaphoreValueCount = 2;
  timeline.pWaitSemaphoreValues = values;
  for (guint i = 0; i < N; i++)
    {
      batches[i].sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
      batches[i].commandBufferCount = 1;
      batches[i].pCommandBuffers = &buffers[N - 1 - i];
    }
  batches[3].pNext = &timeline;

  fixture->expected = &args;
  add (fixture, VTR_CMD_vkQueueSubmit, &args);
  flush (fixture);
  g_assert_cmpuint (fixture->n_compared, ==, 1);
  call = vtr_test_machine_last (&fixture->machine);
  for (guint i = 0; i < N; i++)
    {
      const VkSubmitInfo *batch = &((const VtrArgs_vkQueueSubmit *)call->args)->pSubmits[i];

      g_assert_cmpuint ((gsize)batch->pCommandBuffers[0], ==, 0x7000 + N - 1 - i);
    }
}

/* Large contents travel as resources, equal ones once. */
static void
test_resources (Fixture       *fixture,
                gconstpointer  data)
{
  g_autofree guint32 *code = g_new (guint32, 50000);
  VkShaderModule out = HANDLE (VkShaderModule, 0x50);
  VkShaderModuleCreateInfo info = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO };
  VtrArgs_vkCreateShaderModule args = { device, &info, NULL, &out };
  const guint64 before = vtr_replay_builder_get_stats (fixture->builder)->n_words;

  for (guint i = 0; i < 50000; i++)
    code[i] = i * 2654435761u;
  info.codeSize = 200000;
  info.pCode = code;
  fixture->expected = &args;
  add (fixture, VTR_CMD_vkCreateShaderModule, &args);
  add (fixture, VTR_CMD_vkCreateShaderModule, &args);
  flush (fixture);
  g_assert_cmpuint (fixture->n_compared, ==, 2);
  g_assert_cmpuint (fixture->machine.n_resources, ==, 1);
  g_assert_cmpuint (vtr_replay_builder_get_stats (fixture->builder)->n_words - before, <, 100);
}

static void
test_writes (Fixture       *fixture,
             gconstpointer  data)
{
  g_autofree guint8 *bytes = g_malloc (3 << 20);
  VtrContentRecord write = { 0xd0, 0x3e, 4096, 0, bytes, 100 };
  g_autoptr (GError) error = NULL;
  const VtrTestCall *call;

  for (guint i = 0; i < 3 << 20; i++)
    bytes[i] = (guint8)(i * 7);
  vtr_replay_builder_write (fixture->builder, VTR_COMMAND_NO_INDEX, 0, &write, &error);
  flush (fixture);
  call = vtr_test_machine_last (&fixture->machine);
  g_assert_cmpuint (call->function, ==, VTR_REPLAY_WRITE_BYTES);
  g_assert_cmpuint (call->values[0], ==, VTR_HANDLE_VkDeviceMemory);
  g_assert_cmpuint (call->values[2], ==, 4096);
  g_assert_cmpuint (call->values[4], ==, 100);
  g_assert_cmpmem ((gpointer)(gsize)call->values[3], 100, bytes, 100);

  write.size = 3 << 20;
  vtr_replay_builder_write (fixture->builder, VTR_COMMAND_NO_INDEX, 0, &write, &error);
  flush (fixture);
  call = vtr_test_machine_last (&fixture->machine);
  g_assert_cmpmem ((gpointer)(gsize)call->values[3], 3 << 20, bytes, 3 << 20);
  g_assert_no_error (error);
}

/* Content of an image goes to the image, with all that says where. */
static void
test_image_writes (Fixture       *fixture,
                   gconstpointer  data)
{
  static const guint8 bytes[64] = { 1, 2, 3 };
  VkImage out = HANDLE (VkImage, 0x70);
  VkImageCreateInfo info = { VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO };
  VtrArgs_vkCreateImage create = { device, &info, NULL, &out };
  VtrContentRecord write = {
    .what = VTR_CONTENT_TEXELS,
    .owner = 0xd0,
    .data = bytes,
    .size = sizeof bytes,
    .object = 0x70,
    .aspect = VTR_PIXEL_COLOR,
    .level = 1,
    .layer = 2,
    .word = VK_IMAGE_LAYOUT_GENERAL,
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .width = 4,
    .height = 2,
    .depth = 2,
    .y = 6,
    .z = 7,
    .sample = 8,
  };
  g_autoptr (GError) error = NULL;
  const VtrReplayWriteTexels *request;
  const VtrTestCall *call;

  vtr_replay_builder_write (fixture->builder, VTR_COMMAND_NO_INDEX, 0, &write, &error);
  flush (fixture);
  g_assert_cmpuint (fixture->machine.calls->len, ==, 0); /* the image was not created */
  add_device (fixture);
  add (fixture, VTR_CMD_vkCreateImage, &create);
  vtr_replay_builder_write (fixture->builder, VTR_COMMAND_NO_INDEX, 0, &write, &error);
  flush (fixture);
  g_assert_no_error (error);
  call = vtr_test_machine_last (&fixture->machine);
  g_assert_cmpuint (call->function, ==, VTR_REPLAY_WRITE_TEXELS);
  g_assert_cmpuint (call->values[2], ==, sizeof bytes);
  g_assert_cmpmem ((gpointer)(gsize)call->values[1], sizeof bytes, bytes, sizeof bytes);
  request = (const VtrReplayWriteTexels *)(gsize)call->values[0];
  g_assert_cmpuint (request->object, !=, 0);
  g_assert_cmpuint (request->level, ==, 1);
  g_assert_cmpuint (request->layer, ==, 2);
  g_assert_cmpuint (request->word, ==, VK_IMAGE_LAYOUT_GENERAL);
  g_assert_cmpuint (request->width, ==, 4);
  g_assert_cmpuint (request->height, ==, 2);
  g_assert_cmpuint (request->depth, ==, 2);
  g_assert_cmpuint (request->y, ==, 6);
  g_assert_cmpuint (request->z, ==, 7);
  g_assert_cmpuint (request->sample, ==, 8);
}

static void
test_write_structure (Fixture       *fixture,
                      gconstpointer  data)
{
  const VkAccelerationStructureCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
    .size = 512,
  };
  VkAccelerationStructureKHR out = HANDLE (VkAccelerationStructureKHR, 0xac);
  VtrArgs_vkCreateAccelerationStructureKHR create = { device, &info, NULL, &out };
  const guint8 bytes[] = { 7, 1, 8 };
  const VtrContentRecord write = {
    .what = VTR_CONTENT_OPAQUE,
    .owner = (guint64)(gsize)device,
    .object = 0xac,
    .offset = 40,
    .whole = 43,
    .data = bytes,
    .size = sizeof bytes,
  };
  g_autoptr (GError) error = NULL;
  const VtrReplayWriteStructure *request;
  const VtrTestCall *call;

  vtr_replay_builder_write (fixture->builder, VTR_COMMAND_NO_INDEX, 0, &write, &error);
  flush (fixture);
  g_assert_cmpuint (fixture->machine.calls->len, ==, 0); /* the structure was not created */
  add_device (fixture);
  add (fixture, VTR_CMD_vkCreateAccelerationStructureKHR, &create);
  vtr_replay_builder_write (fixture->builder, VTR_COMMAND_NO_INDEX, 0, &write, &error);
  flush (fixture);
  g_assert_no_error (error);
  call = vtr_test_machine_last (&fixture->machine);
  g_assert_cmpuint (call->function, ==, VTR_REPLAY_WRITE_STRUCTURE);
  g_assert_cmpuint (call->values[2], ==, sizeof bytes);
  g_assert_cmpmem ((gpointer)(gsize)call->values[1], sizeof bytes, bytes, sizeof bytes);
  request = (const VtrReplayWriteStructure *)(gsize)call->values[0];
  g_assert_cmpuint (request->device, !=, 0);
  g_assert_cmpuint (request->offset, ==, 40);
  g_assert_cmpuint (request->whole, ==, 43);
}

/* Commands that are not replayed, and commands that are replayed as others. */
static void
test_rules (Fixture       *fixture,
            gconstpointer  data)
{
  VtrArgs_vkGetFenceStatus status = { device, HANDLE (VkFence, 0xf0) };
  VkFence fences[] = { HANDLE (VkFence, 0xf0) };
  VtrArgs_vkWaitForFences wait = { device, 1, fences, VK_TRUE, 10 };
  VtrArgs_vkDeviceWaitIdle idle = { device };
  guint32 image = 2;
  VtrArgs_vkAcquireNextImageKHR acquire = { device, VK_NULL_HANDLE, 0,
                                            VK_NULL_HANDLE, VK_NULL_HANDLE, &image };
  VkMemoryRequirements requirements;
  VtrArgs_vkGetBufferMemoryRequirements query = { device, VK_NULL_HANDLE, &requirements };
  VtrArgs_vkSetDebugUtilsObjectNameEXT name = { device, NULL };
  const VtrTestCall *call;

  add_full (fixture, VTR_CMD_vkGetFenceStatus, &status, TRUE, VK_NOT_READY, 0);
  add_full (fixture, VTR_CMD_vkWaitForFences, &wait, TRUE, VK_TIMEOUT, 0);
  add_full (fixture, VTR_CMD_vkDeviceWaitIdle, &idle, TRUE, VK_ERROR_DEVICE_LOST, 0);
  add_full (fixture, VTR_CMD_vkDeviceWaitIdle, &idle, FALSE, 0, VTR_COMMAND_DIED);
  add_full (fixture, VTR_CMD_vkDeviceWaitIdle, &idle, TRUE, 0, VTR_COMMAND_ABANDONED);
  add_full (fixture, VTR_CMD_vkGetBufferMemoryRequirements, &query, FALSE, 0, 0);
  add_full (fixture, VTR_CMD_vkSetDebugUtilsObjectNameEXT, &name, TRUE, 0, 0);
  flush (fixture);
  g_assert_cmpuint (fixture->machine.calls->len, ==, 0);
  g_assert_cmpuint (vtr_replay_builder_get_stats (fixture->builder)->n_skipped, ==, 7);

  add_full (fixture, VTR_CMD_vkGetFenceStatus, &status, TRUE, VK_SUCCESS, 0);
  flush (fixture);
  call = vtr_test_machine_last (&fixture->machine);
  g_assert_cmpuint (call->function, ==, VTR_CMD_vkWaitForFences);
  g_assert_cmpuint (((const VtrArgs_vkWaitForFences *)call->args)->timeout, ==, G_MAXUINT64);

  add_full (fixture, VTR_CMD_vkAcquireNextImageKHR, &acquire, TRUE, VK_SUBOPTIMAL_KHR, 0);
  flush (fixture);
  call = vtr_test_machine_last (&fixture->machine);
  g_assert_cmpuint (call->function, ==, VTR_REPLAY_ACQUIRE);
  g_assert_cmpuint (call->values[4], ==, 2);
}

/* Every command of the registry has a rule, and those that make handles are not taken for
 * questions. */
static void
test_every_command (void)
{
  guint n_called = 0;

  for (guint id = 0; id < VTR_VULKAN_N_COMMANDS; id++)
    {
      const VtrReplayRule *rule = vtr_vulkan_rule_get ((VtrCmdId)id);

      g_assert_true (rule->action != VTR_REPLAY_CUSTOM || rule->custom != NULL);
      g_assert_true (rule->action != VTR_REPLAY_DECLINE || rule->reason != NULL);
      if (rule->action == VTR_REPLAY_CALL || rule->action == VTR_REPLAY_CUSTOM)
        n_called++;
      if (vtr_cmd_is ((VtrCmdId)id, VTR_CLASS_SUBMIT))
        g_assert_cmpint (rule->action, ==, VTR_REPLAY_CALL);
      if (vtr_cmd_is ((VtrCmdId)id, VTR_CLASS_RECORD) && vtr_cmd_is ((VtrCmdId)id, VTR_CLASS_C))
        g_assert_true (rule->action == VTR_REPLAY_CALL || rule->action == VTR_REPLAY_LEAVE ||
                       id == VTR_CMD_vkCmdBindDescriptorBuffersEXT ||
                       id == VTR_CMD_vkCmdUpdateBuffer ||
                       vtr_cmd_is ((VtrCmdId)id, VTR_CLASS_GENERATED));
    }
  g_assert_cmpuint (n_called, >, 250);
  g_assert_cmpint (vtr_vulkan_rule_get (VTR_CMD_vkGetFenceStatus)->action, ==, VTR_REPLAY_CUSTOM);
  g_assert_cmpint (vtr_vulkan_rule_get (VTR_CMD_vkCmdDraw)->action, ==, VTR_REPLAY_CALL);
  g_assert_cmpint (vtr_vulkan_rule_get (VTR_CMD_vkCmdBeginDebugUtilsLabelEXT)->action, ==,
                   VTR_REPLAY_LEAVE);
  g_assert_cmpint (vtr_vulkan_rule_get (VTR_CMD_vkCreateXcbSurfaceKHR)->action, ==,
                   VTR_REPLAY_LEAVE);
  g_assert_cmpint (vtr_vulkan_rule_get (VTR_CMD_vkWaitSemaphoresKHR)->action, ==,
                   VTR_REPLAY_CUSTOM);
}

static gboolean
count_words (const VtrReplaySegment  *segment,
             gpointer                 data,
             GError                 **error)
{
  *(guint64 *)data += segment->n_opcodes;
  return TRUE;
}

/* Reported, and held to something that only a mistake would miss. */
static void
test_speed (void)
{
  guint64 n_words = 0;
  g_autoptr (VtrReplayBuilder) builder = vtr_replay_builder_new (NULL, count_words, &n_words);
  VtrArgs_vkCmdDrawIndexed args = { HANDLE (VkCommandBuffer, 0xcb), 36, 1, 0, 0, 0 };
  VtrCommand command = { .id = VTR_CMD_vkCmdDrawIndexed, .args = &args };
  const guint n = 1000000;
  clock_t start;
  double ns;

  vtr_replay_slots_ensure (vtr_replay_builder_get_slots (builder),
                           vtr_vulkan_identity (VTR_HANDLE_VkCommandBuffer, 0xcb));
  start = clock ();
  for (guint i = 0; i < n; i++)
    {
      command.index = i;
      g_assert_true (vtr_replay_builder_add (builder, &command, NULL));
    }
  ns = (double)(clock () - start) * (1e9 / CLOCKS_PER_SEC) / n;
  g_test_minimized_result (ns, "building a scalar command: %.1f ns", ns);
  g_assert_cmpfloat (ns, <, 5000);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, func) \
  g_test_add ("/engine/replay-builder/" path, Fixture, NULL, set_up, func, tear_down)
  ADD ("handles", test_handles);
  ADD ("many-handles", test_many_handles);
  ADD ("scalars", test_scalars);
  ADD ("tree", test_tree);
  ADD ("resources", test_resources);
  ADD ("writes", test_writes);
  ADD ("image-writes", test_image_writes);
  ADD ("structure-writes", test_write_structure);
  ADD ("rules", test_rules);
  g_test_add_func ("/engine/replay-builder/every-command", test_every_command);
  g_test_add_func ("/engine/replay-builder/speed", test_speed);
  return g_test_run ();
}
