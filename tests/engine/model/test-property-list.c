/* Tests property rows of parameters, objects and the bound state. */
#include "vtr-test-trace.h"

#include "engine/vulkan/show/vtr-bound-builder.h"

#include <string.h>

#define DEVICE H (VkDevice, 3)
#define CB 0x1000
#define BUFFER H (VkCommandBuffer, CB)

static VtrPropertyRow *
find_row (GListModel *rows, const char *name)
{
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (VtrPropertyRow) row = g_list_model_get_item (rows, i);

      if (g_str_equal (vtr_property_row_get_name (row), name))
        return g_steal_pointer (&row);
    }
  g_error ("there is no row “%s”", name);
}

static void
check_row (GListModel *rows, const char *name, const char *text, const char *link)
{
  g_autoptr (VtrPropertyRow) row = find_row (rows, name);

  g_assert_cmpstr (vtr_property_row_get_text (row), ==, text);
  g_assert_cmpstr (vtr_property_row_get_link (row), ==, link);
}

static void
test_parameters (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrPropertyList) list = NULL;
  g_autoptr (VtrPropertyRow) row = NULL, size = NULL, result = NULL;
  g_autoptr (GError) error = NULL;
  GListModel *children;
  guint64 index;

  vtr_test_add_device (test);
  index = vtr_test_add_buffer (test, 0xb, 4096, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  document = vtr_test_trace_open_document (test);

  list = vtr_property_list_new_for_command (vtr_document_get_analysis (document), index, &error);
  g_assert_no_error (error);
  /* device, pCreateInfo, pAllocator, pBuffer, result */
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, 5);
  g_assert_null (g_list_model_get_item (G_LIST_MODEL (list), 5));
  check_row (G_LIST_MODEL (list), "device", "device 3", "objects/3");
  check_row (G_LIST_MODEL (list), "pBuffer", "buffer 5", "objects/5");
  check_row (G_LIST_MODEL (list), "pAllocator", "null", NULL);
  result = g_list_model_get_item (G_LIST_MODEL (list), 4);
  g_assert_cmpstr (vtr_property_row_get_text (result), ==, "VK_SUCCESS");
  g_assert_null (vtr_property_row_get_warning (result));

  row = find_row (G_LIST_MODEL (list), "pCreateInfo");
  g_assert_cmpuint (vtr_property_row_get_kind (row), ==, VTR_PROPERTY_STRUCT);
  g_assert_cmpstr (vtr_property_row_get_type_name (row), ==, "VkBufferCreateInfo");
  children = vtr_property_row_get_children (row);
  g_assert_nonnull (children);
  g_assert_true (children == vtr_property_row_get_children (row));
  size = find_row (children, "size");
  g_assert_cmpstr (vtr_property_row_get_text (size), ==, "4096");
  g_assert_null (vtr_property_row_get_children (size));
  {
    g_autofree char *path =
      g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/parameters/pCreateInfo/size", index);
    g_autoptr (JsonNode) node = NULL;

    /* The row's path is one. */
    g_assert_cmpstr (vtr_property_row_get_path (size), ==, path);
    node = vtr_document_get (document, path, NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpint (json_node_get_int (node), ==, 4096);
  }
  check_row (children, "usage", "VK_BUFFER_USAGE_VERTEX_BUFFER_BIT", NULL);
}

static void
test_failure (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrPropertyList) list = NULL;
  g_autoptr (VtrPropertyRow) result = NULL;
  guint64 index;

  vtr_test_add_device (test);
  index = ADD_RESULT (test, VK_ERROR_DEVICE_LOST, vkDeviceWaitIdle, .device = DEVICE);
  document = vtr_test_trace_open_document (test);
  list = vtr_property_list_new_for_command (vtr_document_get_analysis (document), index, NULL);
  result = g_list_model_get_item (G_LIST_MODEL (list), 1);
  g_assert_cmpstr (vtr_property_row_get_text (result), ==, "VK_ERROR_DEVICE_LOST");
  g_assert_nonnull (vtr_property_row_get_warning (result));
}

static void
test_object (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrPropertyList) list = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *created = NULL, *link = NULL, *ended = NULL, *ended_link = NULL;
  guint64 index, destroyed;

  vtr_test_add_device (test);
  index = vtr_test_add_buffer (test, 0xb, 4096, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  destroyed = ADD (test, vkDestroyBuffer, .device = DEVICE, .buffer = H (VkBuffer, 0xb));
  document = vtr_test_trace_open_document (test);

  list = vtr_property_list_new_for_object (vtr_document_get_analysis (document), 5, &error);
  g_assert_no_error (error);
  created = g_strdup_printf ("vkCreateBuffer %" G_GUINT64_FORMAT, index);
  link = g_strdup_printf ("commands/%" G_GUINT64_FORMAT, index);
  ended = g_strdup_printf ("vkDestroyBuffer %" G_GUINT64_FORMAT, destroyed);
  ended_link = g_strdup_printf ("commands/%" G_GUINT64_FORMAT, destroyed);
  check_row (G_LIST_MODEL (list), "type", "VkBuffer", NULL);
  check_row (G_LIST_MODEL (list), "created from", "device 3", "objects/3");
  check_row (G_LIST_MODEL (list), "created by", created, link);
  check_row (G_LIST_MODEL (list), "destroyed by", ended, ended_link);
  /* Then how it was created. */
  check_row (G_LIST_MODEL (list), "pBuffer", "buffer 5", "objects/5");
  g_assert_null (vtr_property_list_new_for_object (vtr_document_get_analysis (document),
                                                   99, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH);
}

/* --- Bound state --- */

static GListModel *
find_group (VtrBoundModel *model, VtrStage stage, const char *title)
{
  GListModel *groups = vtr_bound_model_get_groups (model, stage);

  for (guint i = 0; i < g_list_model_get_n_items (groups); i++)
    {
      g_autoptr (VtrPropertyGroup) group = g_list_model_get_item (groups, i);

      if (g_str_equal (vtr_property_group_get_title (group), title))
        return vtr_property_group_get_rows (group);
    }
  g_error ("there is no group “%s”", title);
}

static void
add_pipeline (VtrTestTrace *test)
{
  VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
  };
  VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 2,
    .pBindings = bindings,
  };
  VkDescriptorSetLayout set_layout = H (VkDescriptorSetLayout, 0x61);
  VkPushConstantRange range = { VK_SHADER_STAGE_VERTEX_BIT, 0, 16 };
  VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkPipelineLayout layout = H (VkPipelineLayout, 0x62);
  VkShaderModule module = H (VkShaderModule, 0x63);
  guint32 code[4] = { 0 };
  VkShaderModuleCreateInfo module_info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = sizeof code,
    .pCode = code,
  };
  VkPipelineShaderStageCreateInfo stages[] = {
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_VERTEX_BIT,
      .module = module,
      .pName = "vs" },
    { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
      .module = module,
      .pName = "fs" },
  };
  VkVertexInputBindingDescription input_bindings[] = { { 0, 24, VK_VERTEX_INPUT_RATE_VERTEX },
                                                       { 1, 8, VK_VERTEX_INPUT_RATE_INSTANCE } };
  VkVertexInputAttributeDescription attribute = { 0, 0, VK_FORMAT_R32G32B32_SFLOAT, 12 };
  VkPipelineVertexInputStateCreateInfo input = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
    .vertexBindingDescriptionCount = 2,
    .pVertexBindingDescriptions = input_bindings,
    .vertexAttributeDescriptionCount = 1,
    .pVertexAttributeDescriptions = &attribute,
  };
  VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
  };
  VkPipelineRasterizationStateCreateInfo raster = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .lineWidth = 1,
  };
  VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .stageCount = 2,
    .pStages = stages,
    .pVertexInputState = &input,
    .pInputAssemblyState = &assembly,
    .pRasterizationState = &raster,
    .layout = layout,
  };
  VkPipeline pipeline = H (VkPipeline, 0x64);

  ADD (test, vkCreateDescriptorSetLayout, .device = DEVICE, .pCreateInfo = &set_info,
       .pSetLayout = &set_layout);
  ADD (test, vkCreatePipelineLayout, .device = DEVICE, .pCreateInfo = &layout_info,
       .pPipelineLayout = &layout);
  ADD (test, vkCreateShaderModule, .device = DEVICE, .pCreateInfo = &module_info,
       .pShaderModule = &module);
  ADD (test, vkCreateGraphicsPipelines, .device = DEVICE, .createInfoCount = 1,
       .pCreateInfos = &info, .pPipelines = &pipeline);
  /* Destroyed before it is bound, as in most programs. */
  ADD (test, vkDestroyShaderModule, .device = DEVICE, .shaderModule = module);
}

static void
add_set (VtrTestTrace *test)
{
  VkDescriptorPool pool = H (VkDescriptorPool, 0x50);
  VkDescriptorPoolCreateInfo pool_info = { .sType =
                                             VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO };
  VkDescriptorSetLayout layout = H (VkDescriptorSetLayout, 0x61);
  VkDescriptorSet set = H (VkDescriptorSet, 0x51);
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = pool,
    .descriptorSetCount = 1,
    .pSetLayouts = &layout,
  };
  VkDescriptorBufferInfo buffer = { H (VkBuffer, 0xb), 64, 256 };
  VkDescriptorImageInfo image = { VK_NULL_HANDLE, H (VkImageView, 0xb1),
                                  VK_IMAGE_LAYOUT_GENERAL };
  VkWriteDescriptorSet writes[] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .dstBinding = 0,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      .pBufferInfo = &buffer },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .dstBinding = 1,
      .dstArrayElement = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .pImageInfo = &image },
  };

  ADD (test, vkCreateDescriptorPool, .device = DEVICE, .pCreateInfo = &pool_info,
       .pDescriptorPool = &pool);
  ADD (test, vkAllocateDescriptorSets, .device = DEVICE, .pAllocateInfo = &info,
       .pDescriptorSets = &set);
  ADD (test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorWriteCount = 2,
       .pDescriptorWrites = writes);
}

static void
test_bound_model (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrBoundModel) model = NULL;
  g_autoptr (VtrPropertyRow) missing = NULL, images = NULL, constants = NULL, uniform = NULL;
  g_autoptr (GError) error = NULL;
  VkDescriptorSet set = H (VkDescriptorSet, 0x51);
  VkBuffer buffer = H (VkBuffer, 0xb);
  VkDeviceSize offset = 0;
  g_autofree char *line = NULL;
  float values[4] = { 0.25f, 0.5f, 1, 2 };
  guint64 draw, begin;

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_add_buffer (test, 0xb, 4096, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  vtr_test_add_image (test, 0xa1, 0xb1, VK_FORMAT_R8G8B8A8_UNORM, 128, 64);
  add_pipeline (test);
  add_set (test);
  begin = vtr_test_begin (test, CB);
  ADD (test, vkCmdBindPipeline, .commandBuffer = BUFFER, .pipeline = H (VkPipeline, 0x64));
  ADD (test, vkCmdBindDescriptorSets, .commandBuffer = BUFFER,
       .layout = H (VkPipelineLayout, 0x62), .descriptorSetCount = 1, .pDescriptorSets = &set);
  ADD (test, vkCmdBindVertexBuffers, .commandBuffer = BUFFER, .bindingCount = 1,
       .pBuffers = &buffer, .pOffsets = &offset);
  ADD (test, vkCmdPushConstants, .commandBuffer = BUFFER,
       .stageFlags = VK_SHADER_STAGE_VERTEX_BIT, .size = 16, .pValues = values);
  ADD (test, vkCmdSetLineWidth, .commandBuffer = BUFFER, .lineWidth = 3);
  draw = vtr_test_draw (test, CB);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  document = vtr_test_trace_open_document (test);

  model = vtr_bound_model_new (vtr_document_get_analysis (document), draw, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (vtr_bound_model_get_default_stage (model), ==, VTR_STAGE_FRAGMENT);
  g_assert_true (vtr_bound_model_has_stage (model, VTR_STAGE_VERTEX));
  g_assert_false (vtr_bound_model_has_stage (model, VTR_STAGE_COMPUTE));
  g_assert_null (vtr_bound_model_get_unused_reason (model, VTR_STAGE_VERTEX));
  g_assert_nonnull (vtr_bound_model_get_unused_reason (model, VTR_STAGE_GEOMETRY));
  g_assert_cmpuint (
    g_list_model_get_n_items (vtr_bound_model_get_groups (model, VTR_STAGE_GEOMETRY)), ==, 0);

  check_row (find_group (model, VTR_STAGE_INPUT, "Input assembly"), "topology",
             "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP", NULL);
  check_row (find_group (model, VTR_STAGE_INPUT, "Vertex buffers"), "binding 0", "buffer 7",
             "objects/7");
  missing = find_row (find_group (model, VTR_STAGE_INPUT, "Vertex buffers"), "binding 1");
  g_assert_cmpstr (vtr_property_row_get_text (missing), ==, "not bound");
  g_assert_nonnull (vtr_property_row_get_warning (missing));
  check_row (find_group (model, VTR_STAGE_INPUT, "Attributes"), "location 0",
             "VK_FORMAT_R32G32B32_SFLOAT", NULL);
  check_row (find_group (model, VTR_STAGE_VERTEX, "Shader"), "Entry point", "vs", NULL);
  check_row (find_group (model, VTR_STAGE_FRAGMENT, "Shader"), "Module", "shader module 12",
             "objects/12");

  uniform = find_row (find_group (model, VTR_STAGE_VERTEX, "Set 0"), "0 · uniform buffer");
  g_assert_cmpstr (vtr_property_row_get_text (uniform), ==, "buffer 7");
  g_assert_cmpstr (vtr_property_row_get_note (uniform), ==, "256 B at 64");
  images =
    find_row (find_group (model, VTR_STAGE_FRAGMENT, "Set 0"), "1 · combined image sampler");
  g_assert_cmpstr (vtr_property_row_get_text (images), ==, "2 descriptors");
  check_row (vtr_property_row_get_children (images), "[1]", "image view 9", "objects/9");
  check_row (vtr_property_row_get_children (images), "[0]", "not bound", NULL);
  constants = find_row (find_group (model, VTR_STAGE_VERTEX, "Push constants"), "byte 0");
  g_assert_cmpstr (vtr_property_row_get_text (constants), ==, "0.25, 0.5, 1, 2");
  line = g_strdup_printf ("commands/%" G_GUINT64_FORMAT, draw - 1);
  check_row (find_group (model, VTR_STAGE_RASTER, "Dynamic state"), "SetLineWidth", "(3)",
             line);
  check_row (find_group (model, VTR_STAGE_RASTER, "Rasterization"), "lineWidth", "1", NULL);

  g_assert_null (vtr_bound_model_new (vtr_document_get_analysis (document), begin, NULL, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING);
  g_clear_error (&error);
  g_assert_null (vtr_bound_model_new (vtr_document_get_analysis (document), 0, NULL, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/model/property-list/parameters", test_parameters);
  g_test_add_func ("/engine/model/property-list/failure", test_failure);
  g_test_add_func ("/engine/model/property-list/object", test_object);
  g_test_add_func ("/engine/model/bound-model", test_bound_model);
  return g_test_run ();
}
