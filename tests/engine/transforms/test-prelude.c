/* Tests which commands restore the state of a recording. */
#include "engine/vulkan/transforms/vtr-state-commands.h"

#include <string.h>

#include "vtr-api-args.h"

#define H(type, value) ((type)(gsize)(value))

/* Gives @prelude a command whose flat index is @index. */
static void
give (VtrStateCommands *prelude,
      guint64           index,
      VtrCmdId          id,
      gpointer          args)
{
  const VtrCommand command = { .id = id, .index = index, .args = args };

  vtr_state_commands_add (prelude, &command);
}

#define GIVE(prelude, index, name, ...) \
  give (prelude, index, VTR_CMD_##name, \
        &(VtrArgs_##name){ .commandBuffer = H (VkCommandBuffer, 1), __VA_ARGS__ })

static void
check_list (const VtrStateCommands *prelude,
            const char             *expected)
{
  g_autoptr (GArray) list = vtr_state_commands_list (prelude);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < list->len; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? " " : "",
                            (guint)g_array_index (list, guint64, i));
  g_assert_cmpstr (text->str, ==, expected);
}

static void
bind_set (VtrStateCommands *prelude,
          guint64           index,
          guint32           first,
          guint32           count)
{
  const VkDescriptorSet sets[2] = { H (VkDescriptorSet, index), H (VkDescriptorSet, index + 1) };

  GIVE (prelude, index, vkCmdBindDescriptorSets, .layout = H (VkPipelineLayout, 9),
        .firstSet = first, .descriptorSetCount = count, .pDescriptorSets = sets);
}

static void
push (VtrStateCommands *prelude,
      guint64           index,
      guint32           offset,
      guint32           size)
{
  static const guint8 bytes[64];

  GIVE (prelude, index, vkCmdPushConstants, .layout = H (VkPipelineLayout, 9),
        .stageFlags = VK_SHADER_STAGE_VERTEX_BIT, .offset = offset, .size = size,
        .pValues = bytes);
}

/* Padding counts, which is zero in what was decoded. */
static void
set_cull_mode (VtrStateCommands *prelude,
               guint64           index,
               VkCullModeFlags   mode)
{
  VtrArgs_vkCmdSetCullMode args;

  memset (&args, 0, sizeof args);
  args.commandBuffer = H (VkCommandBuffer, 1);
  args.cullMode = mode;
  give (prelude, index, VTR_CMD_vkCmdSetCullMode, &args);
}

static void
bind_pipeline (VtrStateCommands *prelude,
               guint64           index,
               guint64           pipeline)
{
  VtrArgs_vkCmdBindPipeline args;

  memset (&args, 0, sizeof args);
  args.commandBuffer = H (VkCommandBuffer, 1);
  args.pipeline = H (VkPipeline, pipeline);
  give (prelude, index, VTR_CMD_vkCmdBindPipeline, &args);
}

static void
test_state (void)
{
  g_autoptr (VtrStateCommands) prelude = vtr_state_commands_new ();
  g_autoptr (VtrStateCommands) copy = NULL;

  bind_pipeline (prelude, 1, 5);
  bind_set (prelude, 2, 0, 1);
  bind_set (prelude, 3, 1, 1);
  push (prelude, 4, 0, 16);
  push (prelude, 5, 0, 64);
  GIVE (prelude, 6, vkCmdSetLineWidth, .lineWidth = 1);
  GIVE (prelude, 7, vkCmdDraw, .vertexCount = 3);
  check_list (prelude, "1 2 3 4 5 6");

  /* Commands that set the same state are replaced; commands that set a part of it stay, in
   * order. */
  bind_set (prelude, 8, 0, 1);
  push (prelude, 9, 0, 16);
  GIVE (prelude, 10, vkCmdSetLineWidth, .lineWidth = 2);
  copy = vtr_state_commands_copy (prelude);
  check_list (prelude, "1 3 5 8 9 10");
  bind_set (prelude, 11, 0, 2);
  bind_pipeline (prelude, 12, 6);
  bind_pipeline (prelude, 13, 5);
  check_list (prelude, "3 5 8 9 10 11 12 13");
  check_list (copy, "1 3 5 8 9 10");

  /* Of others only equal ones replace each other. */
  set_cull_mode (prelude, 14, VK_CULL_MODE_BACK_BIT);
  set_cull_mode (prelude, 15, VK_CULL_MODE_NONE);
  set_cull_mode (prelude, 16, VK_CULL_MODE_BACK_BIT);
  check_list (prelude, "3 5 8 9 10 11 12 13 15 16");

  /* Secondaries leave nothing bound. */
  GIVE (prelude, 17, vkCmdExecuteCommands, .commandBufferCount = 0);
  check_list (prelude, "");
  g_assert_true (vtr_state_commands_is_complete (prelude));
}

static void
set_offsets (VtrStateCommands *prelude,
             guint64           index,
             guint32           set,
             guint64           offset)
{
  const guint32 buffer = 0;

  GIVE (prelude, index, vkCmdSetDescriptorBufferOffsetsEXT, .layout = H (VkPipelineLayout, 3),
        .firstSet = set, .setCount = 1, .pBufferIndices = &buffer, .pOffsets = &offset);
}

static void
bind_buffers (VtrStateCommands *prelude,
              guint64           index,
              guint64           address)
{
  const VkDescriptorBufferBindingInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, .address = address
  };

  GIVE (prelude, index, vkCmdBindDescriptorBuffersEXT, .bufferCount = 1, .pBindingInfos = &info);
}

/* Offsets are into the buffers that were bound before them. */
static void
test_descriptor_buffers (void)
{
  g_autoptr (VtrStateCommands) prelude = vtr_state_commands_new ();

  bind_buffers (prelude, 1, 0x1000);
  set_offsets (prelude, 2, 0, 0);
  set_offsets (prelude, 3, 1, 64);
  check_list (prelude, "1 2 3");
  set_offsets (prelude, 4, 0, 128);
  check_list (prelude, "1 3 4");
  bind_buffers (prelude, 5, 0x2000);
  check_list (prelude, "5");
  set_offsets (prelude, 6, 1, 0);
  bind_buffers (prelude, 7, 0x1000);
  set_offsets (prelude, 8, 0, 64);
  check_list (prelude, "7 8");
#ifdef VK_KHR_maintenance6
  {
    const guint32 buffer = 0;
    const VkDeviceSize offset = 0;
    const VkSetDescriptorBufferOffsetsInfoEXT to = {
      .sType = VK_STRUCTURE_TYPE_SET_DESCRIPTOR_BUFFER_OFFSETS_INFO_EXT,
      .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
      .layout = H (VkPipelineLayout, 3),
      .setCount = 1,
      .pBufferIndices = &buffer,
      .pOffsets = &offset,
    };

    GIVE (prelude, 9, vkCmdSetDescriptorBufferOffsets2EXT, .pSetDescriptorBufferOffsetsInfo = &to);
    check_list (prelude, "7 8 9");
    bind_buffers (prelude, 10, 0x2000);
    check_list (prelude, "10");
  }
#endif
  g_assert_true (vtr_state_commands_is_complete (prelude));
}

static void
test_scopes (void)
{
  g_autoptr (VtrStateCommands) prelude = vtr_state_commands_new ();
  const VkDebugUtilsLabelEXT label = { .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT };
  VtrCutStart start;

  g_assert_false (vtr_state_commands_is_complete (prelude));
  GIVE (prelude, 0, vkBeginCommandBuffer, .pBeginInfo = NULL);
  GIVE (prelude, 1, vkCmdBeginDebugUtilsLabelEXT, .pLabelInfo = &label);
  GIVE (prelude, 2, vkCmdBeginDebugUtilsLabelEXT, .pLabelInfo = &label);
  GIVE (prelude, 3, vkCmdBeginRenderPass, .contents = VK_SUBPASS_CONTENTS_INLINE);
  GIVE (prelude, 4, vkCmdEndDebugUtilsLabelEXT, );
  GIVE (prelude, 5, vkCmdNextSubpass, .contents = VK_SUBPASS_CONTENTS_INLINE);
  GIVE (prelude, 6, vkCmdDraw, .vertexCount = 3);
  check_list (prelude, "1 3 5");
  vtr_state_commands_get_start (prelude, &start);
  g_assert_cmpuint (start.after, ==, 6);
  g_assert_cmpuint (start.pass_begin, ==, 3);
  g_assert_cmpuint (start.subpass, ==, 1);

  GIVE (prelude, 7, vkCmdBeginQuery, .query = 1);
  GIVE (prelude, 8, vkCmdDraw, .vertexCount = 3);
  g_assert_false (vtr_state_commands_is_complete (prelude));
  GIVE (prelude, 9, vkCmdEndQuery, .query = 1);
  g_assert_true (vtr_state_commands_is_complete (prelude));

  GIVE (prelude, 10, vkCmdEndRenderPass, );
  vtr_state_commands_get_start (prelude, &start);
  g_assert_cmpuint (start.pass_begin, ==, VTR_COMMAND_NO_INDEX);
  check_list (prelude, "1");
  GIVE (prelude, 11, vkCmdSetEvent, .event = H (VkEvent, 4)); /* is in no memory */
  g_assert_false (vtr_state_commands_is_complete (prelude));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/transforms/prelude/state", test_state);
  g_test_add_func ("/engine/transforms/prelude/descriptor-buffers", test_descriptor_buffers);
  g_test_add_func ("/engine/transforms/prelude/scopes", test_scopes);
  return g_test_run ();
}
