/* Tests traces with wrong bytes in their messages: every question ends with an answer or an error,
 * never with a crash. The container has checksums; this test is about what a hostile writer puts
 * inside. */
#include "vtr-test-trace.h"

#include "engine/model/vtr-bound-model.h"
#include "engine/model/vtr-command-tree.h"

#define DEVICE H (VkDevice, 3)
#define CB 0x1000
#define SECONDARY 0x2000
#define BUFFER H (VkCommandBuffer, CB)

static void
add_framebuffer (VtrTestTrace *test)
{
  VkFramebuffer framebuffer = H (VkFramebuffer, 0xd1);
  VkImageView views[] = { H (VkImageView, 0xb1), H (VkImageView, 0xb2) };
  VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .attachmentCount = 2,
    .pAttachments = views,
    .width = 64,
    .height = 32,
    .layers = 1,
  };

  vtr_test_add_image (test, 0xa1, 0xb1, VK_FORMAT_R8G8B8A8_SRGB, 128, 64);
  vtr_test_add_image (test, 0xa2, 0xb2, VK_FORMAT_D32_SFLOAT, 128, 64);
  vtr_test_add_render_pass (test, 0xc1, VK_FORMAT_R8G8B8A8_SRGB, TRUE, 2);
  ADD (test, vkCreateFramebuffer, .device = DEVICE, .pCreateInfo = &info,
       .pFramebuffer = &framebuffer);
}

static void
add_pipeline (VtrTestTrace *test)
{
  VkSampler sampler = H (VkSampler, 0x41);
  VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2, VK_SHADER_STAGE_ALL, NULL },
    { 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_ALL, &sampler },
  };
  VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 2,
    .pBindings = bindings,
  };
  VkDescriptorSetLayout set_layout = H (VkDescriptorSetLayout, 0x61);
  VkPushConstantRange range = { VK_SHADER_STAGE_ALL, 0, 16 };
  VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkPipelineLayout layout = H (VkPipelineLayout, 0x62);
  VkSpecializationMapEntry entry = { 0, 0, 4 };
  guint32 constant = 5;
  VkSpecializationInfo constants = { 1, &entry, sizeof constant, &constant };
  VkPipelineShaderStageCreateInfo stages[] = {
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .pName = "vs",
      .pSpecializationInfo = &constants },
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .pName = "fs" },
  };
  VkVertexInputBindingDescription input_binding = { 0, 24, VK_VERTEX_INPUT_RATE_VERTEX };
  VkVertexInputAttributeDescription attribute = { 0, 0, VK_FORMAT_R32G32B32_SFLOAT, 12 };
  VkPipelineVertexInputStateCreateInfo input = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
    .vertexBindingDescriptionCount = 1,
    .pVertexBindingDescriptions = &input_binding,
    .vertexAttributeDescriptionCount = 1,
    .pVertexAttributeDescriptions = &attribute,
  };
  VkViewport viewport = { 0, 0, 64, 32, 0, 1 };
  VkRect2D scissor = { { 0, 0 }, { 64, 32 } };
  VkPipelineViewportStateCreateInfo viewports = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .pViewports = &viewport,
    .scissorCount = 1,
    .pScissors = &scissor,
  };
  VkPipelineRasterizationStateCreateInfo raster = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO
  };
  VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .stageCount = 2,
    .pStages = stages,
    .pVertexInputState = &input,
    .pViewportState = &viewports,
    .pRasterizationState = &raster,
    .layout = layout,
  };
  VkPipeline pipeline = H (VkPipeline, 0x64);

  ADD (test, vkCreateDescriptorSetLayout, .device = DEVICE, .pCreateInfo = &set_info,
       .pSetLayout = &set_layout);
  ADD (test, vkCreatePipelineLayout, .device = DEVICE, .pCreateInfo = &layout_info,
       .pPipelineLayout = &layout);
  ADD (test, vkCreateGraphicsPipelines, .device = DEVICE, .createInfoCount = 1,
       .pCreateInfos = &info, .pPipelines = &pipeline);
}

static void
add_set (VtrTestTrace *test)
{
  VkDescriptorPool pool = H (VkDescriptorPool, 0x50);
  VkDescriptorPoolCreateInfo pool_info = { .sType =
                                             VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO };
  VkDescriptorSetLayout layouts[2] = { H (VkDescriptorSetLayout, 0x61),
                                       H (VkDescriptorSetLayout, 0x61) };
  VkDescriptorSet sets[2] = { H (VkDescriptorSet, 0x51), H (VkDescriptorSet, 0x52) };
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = pool,
    .descriptorSetCount = 2,
    .pSetLayouts = layouts,
  };
  VkDescriptorBufferInfo buffers[2] = { { H (VkBuffer, 0xb), 64, 256 },
                                        { H (VkBuffer, 0xc), 0, VK_WHOLE_SIZE } };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = sets[0],
    .descriptorCount = 2,
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
    .pBufferInfo = buffers,
  };
  VkCopyDescriptorSet copy = {
    .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
    .srcSet = sets[0],
    .dstSet = sets[1],
    .descriptorCount = 2,
  };

  ADD (test, vkCreateDescriptorPool, .device = DEVICE, .pCreateInfo = &pool_info,
       .pDescriptorPool = &pool);
  ADD (test, vkAllocateDescriptorSets, .device = DEVICE, .pAllocateInfo = &info,
       .pDescriptorSets = sets);
  ADD (test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorWriteCount = 1,
       .pDescriptorWrites = &write);
  ADD (test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorCopyCount = 1,
       .pDescriptorCopies = &copy);
}

static void
add_recordings (VtrTestTrace *test)
{
  VkCommandBuffer secondary = H (VkCommandBuffer, SECONDARY);
  VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    .renderPass = H (VkRenderPass, 0xc1),
  };
  VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
    .pInheritanceInfo = &inheritance,
  };
  VkDescriptorSet set = H (VkDescriptorSet, 0x52);
  VkBuffer buffer = H (VkBuffer, 0xb);
  VkDeviceSize offset = 0;
  guint32 offsets[2] = { 16, 32 };
  guint32 values[4] = { 1, 2, 3, 4 };

  ADD (test, vkBeginCommandBuffer, .commandBuffer = secondary, .pBeginInfo = &begin);
  vtr_test_draw (test, SECONDARY);
  vtr_test_end (test, SECONDARY);
  vtr_test_begin (test, CB);
  vtr_test_label (test, CB, "label");
  ADD (test, vkCmdBindPipeline, .commandBuffer = BUFFER, .pipeline = H (VkPipeline, 0x64));
  ADD (test, vkCmdBindDescriptorSets, .commandBuffer = BUFFER,
       .layout = H (VkPipelineLayout, 0x62), .descriptorSetCount = 1, .pDescriptorSets = &set,
       .dynamicOffsetCount = 2, .pDynamicOffsets = offsets);
  ADD (test, vkCmdBindVertexBuffers, .commandBuffer = BUFFER, .bindingCount = 1,
       .pBuffers = &buffer, .pOffsets = &offset);
  ADD (test, vkCmdPushConstants, .commandBuffer = BUFFER, .stageFlags = VK_SHADER_STAGE_ALL,
       .size = 16, .pValues = values);
  vtr_test_begin_pass (test, CB, 0xc1, 0xd1);
  vtr_test_draw (test, CB);
  ADD (test, vkCmdNextSubpass, .commandBuffer = BUFFER);
  ADD (test, vkCmdExecuteCommands, .commandBuffer = BUFFER, .commandBufferCount = 1,
       .pCommandBuffers = &secondary);
  vtr_test_end_pass (test, CB);
  vtr_test_end_label (test, CB);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  vtr_test_present (test);
}

static VtrDocument *
make_document (guint32 damage)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();

  vtr_test_trace_set_damage (test, damage);
  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_allocate_buffer (test, 0x10, SECONDARY);
  add_framebuffer (test);
  add_pipeline (test);
  add_set (test);
  add_recordings (test);
  ADD (test, vkDestroyDevice, .device = DEVICE);
  return vtr_test_trace_open_document (test);
}

static guint
walk (VtrCommandTree *tree, const VtrTreeNode *node)
{
  guint n = 1;

  for (guint32 i = 0; i < node->n_children; i++)
    {
      VtrTreeNode child;

      vtr_command_tree_get_child (tree, node, i, &child);
      g_free (vtr_command_tree_get_title (tree, &child));
      g_free (vtr_command_tree_get_detail (tree, &child));
      n += walk (tree, &child);
    }
  return n;
}

static void
unfold (GListModel *rows, guint depth)
{
  for (guint i = 0; i < MIN (g_list_model_get_n_items (rows), 20) && depth < 6; i++)
    {
      g_autoptr (VtrPropertyRow) row = g_list_model_get_item (rows, i);
      GListModel *children = vtr_property_row_get_children (row);

      g_assert_nonnull (vtr_property_row_get_text (row));
      if (children != NULL)
        unfold (children, depth + 1);
    }
}

/* Asks everything of every command. Returns: how many questions had an answer. */
static guint
ask (VtrDocument *document)
{
  static const char *const below[] = {
    "", "/parameters", "/state", "/framebuffer", "/observations", "/runs"
  };
  guint64 n = vtr_trace_get_n_commands (vtr_document_get_trace (document));
  guint answers = 0;

  for (guint64 i = 0; i < n; i++)
    {
      g_autoptr (VtrPropertyList) list =
        vtr_property_list_new_for_command (vtr_document_get_analysis (document),
                                           i, NULL);
      g_autoptr (VtrBoundModel) model = vtr_bound_model_new (vtr_document_get_analysis (document),
                                                             i, NULL, NULL);

      for (guint k = 0; k < G_N_ELEMENTS (below); k++)
        {
          g_autofree char *path =
            g_strdup_printf ("commands/%" G_GUINT64_FORMAT "%s", i, below[k]);
          g_autoptr (GError) error = NULL;
          g_autoptr (JsonNode) node = vtr_document_get (document, path, NULL, &error);

          g_assert_true ((node != NULL) != (error != NULL));
          answers += node != NULL;
        }
      if (list != NULL)
        unfold (G_LIST_MODEL (list), 0);
      for (guint stage = 0; model != NULL && stage < vtr_bound_model_get_n_stages (model); stage++)
        {
          GListModel *groups = vtr_bound_model_get_groups (model, stage);

          for (guint k = 0; k < g_list_model_get_n_items (groups); k++)
            {
              g_autoptr (VtrPropertyGroup) group = g_list_model_get_item (groups, k);

              unfold (vtr_property_group_get_rows (group), 0);
            }
        }
    }
  for (guint32 id = 1; id <= vtr_history_get_n_objects (vtr_document_get_history (document));
       id++)
    {
      g_autofree char *path = g_strdup_printf ("objects/%u", id);
      g_autoptr (JsonNode) node = vtr_document_get (document, path, NULL, NULL);

      answers += node != NULL;
    }
  return answers;
}

static guint
examine (VtrDocument *document)
{
  g_autoptr (VtrCommandTree) tree = vtr_command_tree_new (vtr_document_get_analysis (document));
  g_autoptr (JsonNode) report = vtr_document_get (document, "report", NULL, NULL);
  g_autoptr (GArray) found =
    vtr_command_filter (vtr_document_get_analysis (document),
                        "draw pass:label -error", 100, NULL, NULL);
  VtrTreeNode root;

  g_assert_nonnull (report);
  g_assert_nonnull (found);
  vtr_command_tree_get_root (tree, &root);
  return walk (tree, &root) + ask (document);
}

static void
test_whole (void)
{
  g_autoptr (VtrDocument) document = make_document (0);
  g_autoptr (JsonNode) report = vtr_document_get (document, "report", NULL, NULL);
  JsonArray *entries =
    json_object_get_array_member (json_node_get_object (report), "entries");

  /* Undamaged, everything has an answer but what is bound outside of command buffers. */
  g_assert_cmpuint (examine (document), >, 200);
  /* Its images have no memory; everything else is valid. */
  for (guint i = 0; i < json_array_get_length (entries); i++)
    {
      JsonObject *entry = json_array_get_object_element (entries, i);

      if (g_str_equal (json_object_get_string_member (entry, "level"), "error"))
        g_assert_cmpstr (json_object_get_string_member (entry, "check"), ==, "memory-unbound");
    }
}

static void
test_damaged (void)
{
  guint rounds = g_test_slow () ? 1000 : 60;

  for (guint i = 0; i < rounds; i++)
    {
      g_autoptr (VtrDocument) document = make_document (20u << (i % 6));

      examine (document);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/resolve/damage/whole", test_whole);
  g_test_add_func ("/engine/resolve/damage/damaged", test_damaged);
  return g_test_run ();
}
