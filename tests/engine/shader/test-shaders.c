/* Tests the lists of a trace's shaders and images, and who uses them. */
#include "vtr-test-trace.h"

#include "engine/document/vtr-document-lists.h"
#include "engine/vulkan/state/vtr-state.h"

#include <string.h>

static const guint32 fragment[] = {
#include "sample.frag.inc"
};
static const guint32 compute[] = {
#include "sample.comp.inc"
};

#define CB 0x1000
#define BUFFER H (VkCommandBuffer, CB)

typedef struct
{
  VtrDocument *document;
  guint64 draw, dispatch, copy, present;
} Fixture;

static void
add_module (VtrTestTrace *test, guint64 handle, const guint32 *code, gsize size)
{
  VkShaderModule module = H (VkShaderModule, handle);
  VkShaderModuleCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                    .codeSize = size,
                                    .pCode = code };

  ADD (test, vkCreateShaderModule, .device = H (VkDevice, 3), .pCreateInfo = &info,
       .pShaderModule = &module);
}

/* Pipeline 0xe1: fragment module 0x51, constant 7 is 5; 0xe2: a compute stage that carries its
   code. */
static void
add_pipelines (VtrTestTrace *test)
{
  static const VkSpecializationMapEntry map = { 7, 0, 4 };
  static const guint32 five = 5;
  VkSpecializationInfo special = { 1, &map, sizeof five, &five };
  VkPipelineShaderStageCreateInfo stage = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
    .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
    .module = H (VkShaderModule, 0x51),
    .pName = "main",
    .pSpecializationInfo = &special,
  };
  VkPipelineRasterizationStateCreateInfo raster = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .rasterizerDiscardEnable = VK_TRUE,
  };
  VkGraphicsPipelineCreateInfo graphics = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .stageCount = 1,
    .pStages = &stage,
    .pRasterizationState = &raster,
    .renderPass = H (VkRenderPass, 0xc1),
    .layout = H (VkPipelineLayout, 0xf1),
  };
  VkShaderModuleCreateInfo carried = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                       .codeSize = sizeof compute,
                                       .pCode = compute };
  VkComputePipelineCreateInfo computing = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .pNext = &carried,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .pName = "main" },
    .layout = H (VkPipelineLayout, 0xf1),
  };
  VkPipeline made = H (VkPipeline, 0xe1), other = H (VkPipeline, 0xe2);

  ADD (test, vkCreateGraphicsPipelines, .device = H (VkDevice, 3), .createInfoCount = 1,
       .pCreateInfos = &graphics, .pPipelines = &made);
  ADD (test, vkCreateComputePipelines, .device = H (VkDevice, 3), .createInfoCount = 1,
       .pCreateInfos = &computing, .pPipelines = &other);
}

static void
add_framebuffer (VtrTestTrace *test)
{
  VkFramebuffer framebuffer = H (VkFramebuffer, 0xd1);
  VkImageView views[] = { H (VkImageView, 0xb1) };
  VkFramebufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .attachmentCount = 1,
                                   .pAttachments = views,
                                   .width = 64,
                                   .height = 32,
                                   .layers = 1 };

  ADD (test, vkCreateFramebuffer, .device = H (VkDevice, 3), .pCreateInfo = &info,
       .pFramebuffer = &framebuffer);
}

static void
record (Fixture *self, VtrTestTrace *test)
{
  VkImageCopy region = { .extent = { 1, 1, 1 } };

  vtr_test_begin (test, CB);
  vtr_test_begin_pass (test, CB, 0xc1, 0xd1);
  ADD (test, vkCmdBindPipeline, .commandBuffer = BUFFER,
       .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS, .pipeline = H (VkPipeline, 0xe1));
  self->draw = vtr_test_draw (test, CB);
  vtr_test_draw (test, CB);
  vtr_test_end_pass (test, CB);
  ADD (test, vkCmdBindPipeline, .commandBuffer = BUFFER,
       .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE, .pipeline = H (VkPipeline, 0xe2));
  self->dispatch = ADD (test, vkCmdDispatch, .commandBuffer = BUFFER, .groupCountX = 1,
                        .groupCountY = 1, .groupCountZ = 1);
  self->copy =
    ADD (test, vkCmdCopyImage, .commandBuffer = BUFFER, .srcImage = H (VkImage, 0xa1),
         .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL, .dstImage = H (VkImage, 0xa2),
         .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL, .regionCount = 1, .pRegions = &region);
  vtr_test_end (test, CB);
}

static void
set_up (Fixture *self, gconstpointer data)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_add_image (test, 0xa1, 0xb1, VK_FORMAT_R8G8B8A8_SRGB, 64, 32);
  vtr_test_add_image (test, 0xa2, 0xb2, VK_FORMAT_R8G8B8A8_SRGB, 16, 8);
  vtr_test_add_render_pass (test, 0xc1, VK_FORMAT_R8G8B8A8_SRGB, FALSE, 1);
  add_framebuffer (test);
  add_module (test, 0x51, fragment, sizeof fragment);
  add_module (test, 0x52, fragment, 16);
  add_pipelines (test);
  record (self, test);
  /* Three runs of the same recording. */
  for (guint i = 0; i < 3; i++)
    vtr_test_submit (test, CB);
  vtr_test_present (test);
  self->document = vtr_test_trace_open_document (test);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_assert_finalize_object (self->document);
}

static const VtrObject *
find_object (Fixture *self, guint32 type, guint64 handle)
{
  const VtrObject *object =
    vtr_history_find (vtr_document_get_history (self->document), vtr_vulkan_identity (type, handle),
                      self->copy);

  g_assert_nonnull (object);
  return object;
}

static JsonNode *
get (Fixture *self, const char *path)
{
  g_autoptr (GError) error = NULL;
  JsonNode *node = vtr_document_get (self->document, path, NULL, &error);

  g_assert_no_error (error);
  return node;
}

static void
test_list (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrShaderList) list = vtr_document_list_shaders (self->document, NULL, &error);
  guint32 module = find_object (self, VTR_HANDLE_VkShaderModule, 0x51)->id;
  guint32 graphics = find_object (self, VTR_HANDLE_VkPipeline, 0xe1)->id;
  guint32 computing = find_object (self, VTR_HANDLE_VkPipeline, 0xe2)->id;
  VtrShader *shader;

  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, 3);
  shader = vtr_shader_list_find (list, module, VTR_SHADER_MODULE);
  g_assert_true (shader == vtr_shader_list_find (list, graphics, 0));
  g_assert_cmpuint (vtr_shader_get_stages (shader), ==, VK_SHADER_STAGE_FRAGMENT_BIT);
  g_assert_cmpuint (vtr_shader_get_n_users (shader), ==, 1);
  g_assert_cmpuint (vtr_shader_get_user (shader, 0)->pipeline, ==, graphics);
  /* Two draws, three runs. */
  g_assert_cmpuint (vtr_shader_get_work (shader), ==, 6);
  g_assert_null (vtr_shader_get_problem (shader));

  shader = vtr_shader_list_find (list, computing, 0);
  g_assert_cmpuint (vtr_shader_get_nth (shader), ==, 0);
  g_assert_cmpuint (vtr_shader_get_user (shader, 0)->dispatches, ==, 3);

  shader = vtr_shader_list_get (list, 1);
  g_assert_nonnull (vtr_shader_get_problem (shader));
  g_assert_cmpuint (vtr_shader_get_work (shader), ==, 0);
}

static void
test_paths (Fixture *self, gconstpointer data)
{
  guint32 graphics = find_object (self, VTR_HANDLE_VkPipeline, 0xe1)->id;
  g_autofree char *glsl = g_strdup_printf ("objects/%u/shader/fragment/glsl", graphics);
  g_autofree char *stage = g_strdup_printf ("objects/%u/shader/vertex", graphics);
  g_autofree char *at = g_strdup_printf ("commands/%" G_GUINT64_FORMAT "/shaders", self->draw);
  g_autofree char *before = g_strdup_printf ("commands/%u/shaders", 0);
  g_autoptr (JsonNode) text = get (self, glsl);
  g_autoptr (JsonNode) bound = get (self, at);
  g_autoptr (GError) error = NULL;
  JsonObject *first = json_array_get_object_element (json_node_get_array (bound), 0);

  /* As the pipeline specializes it. */
  g_assert_nonnull (strstr (json_node_get_string (text), "const int COUNT = 5;"));
  g_assert_cmpint (json_array_get_length (json_node_get_array (bound)), ==, 1);
  g_assert_cmpstr (json_object_get_string_member (first, "stage"), ==, "fragment");
  g_assert_null (vtr_document_get (self->document, stage, NULL, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH);
  g_assert_nonnull (strstr (error->message, "fragment"));
  g_clear_error (&error);
  g_assert_null (vtr_document_get (self->document, before, NULL, &error));
  g_assert_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING);
}

static void
test_textures (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTextureList) list = vtr_document_list_textures (self->document, NULL, &error);
  VtrTexture *drawn, *copied;

  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, 2);
  drawn = vtr_texture_list_find (list, find_object (self, VTR_HANDLE_VkImage, 0xa1)->id);
  copied = vtr_texture_list_find (list, find_object (self, VTR_HANDLE_VkImage, 0xa2)->id);
  g_assert_cmpuint (vtr_texture_get_uses (drawn)->draws_writing, ==, 6);
  g_assert_cmpuint (vtr_texture_get_uses (drawn)->copies_reading, ==, 3);
  g_assert_cmpuint (vtr_texture_get_uses (drawn)->first_write, ==, self->draw + 1);
  g_assert_cmpuint (vtr_texture_get_uses (copied)->copies_writing, ==, 3);
  g_assert_cmpuint (vtr_texture_get_uses (copied)->draws_writing, ==, 0);
  g_assert_cmpstr (vtr_texture_get_uses_text (drawn), ==, "W 6");
  g_assert_cmpstr (vtr_texture_get_size_text (copied), ==,
                   "16 × 8 × 2 · 4 mips");
  g_assert_cmpstr (vtr_texture_get_format_text (copied), ==, "R8G8B8A8_SRGB");
}

static void
test_used_here (Fixture *self, gconstpointer data)
{
  guint32 drawn = find_object (self, VTR_HANDLE_VkImage, 0xa1)->id;
  guint32 copied = find_object (self, VTR_HANDLE_VkImage, 0xa2)->id;
  g_autoptr (GArray) at_draw = vtr_uses_list_at_place (vtr_document_get_analysis (self->document),
                                                       &(VtrPlace){ self->draw, VTR_NO_RUN }, NULL);
  g_autoptr (GArray) at_copy = vtr_uses_list_at_place (vtr_document_get_analysis (self->document),
                                                       &(VtrPlace){ self->copy, VTR_NO_RUN }, NULL);
  g_autoptr (GArray) at_start = vtr_uses_list_at_place (vtr_document_get_analysis (self->document),
                                                        &(VtrPlace){ 0, VTR_NO_RUN }, NULL);

  g_assert_cmpuint (at_draw->len, ==, 1);
  g_assert_cmpuint (g_array_index (at_draw, VtrUse, 0).image, ==, drawn);
  g_assert_cmpuint (g_array_index (at_draw, VtrUse, 0).flags, ==,
                    VTR_USE_ATTACHMENT | VTR_USE_WRITE);
  g_assert_cmpuint (at_copy->len, ==, 2);
  g_assert_cmpuint (g_array_index (at_copy, VtrUse, 0).image, ==, drawn);
  g_assert_cmpuint (g_array_index (at_copy, VtrUse, 0).flags, ==,
                    VTR_USE_TRANSFER | VTR_USE_READ);
  g_assert_cmpuint (g_array_index (at_copy, VtrUse, 1).image, ==, copied);
  g_assert_cmpuint (at_start->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(name, func) \
  g_test_add ("/engine/shader/shaders/" name, Fixture, NULL, set_up, func, tear_down)
  TEST ("list", test_list);
  TEST ("paths", test_paths);
  TEST ("textures", test_textures);
  TEST ("used-here", test_used_here);
#undef TEST
  return g_test_run ();
}
