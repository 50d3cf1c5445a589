/* Tests that the descriptors of a draw in descriptor buffers are found by the bytes that the
 * program got from the driver. */
#include "vtr-test-trace.h"

#include "engine/model/vtr-bound-model.h"
#include "engine/vulkan/show/vtr-bound-builder.h"
#include "engine/vulkan/show/vtr-buffer-facts.h"

#include <string.h>
#include <time.h>

#define DEVICE H (VkDevice, 3)
#define CB 0x1000
#define BUFFER H (VkCommandBuffer, CB)

#define DESCRIPTORS 0xd /* the descriptor buffer */
#define UNIFORMS 0xe    /* a buffer that a descriptor is of */
#define SET_OFFSET 256  /* of the set in the descriptor buffer */
#define SIZE 16         /* of a descriptor */
#define BUFFER_SIZE 1024
#define CUT_OFFSET (BUFFER_SIZE - SET_OFFSET - 2 * SIZE)
#define COPIED_OFFSET 512
#define MEMORY_OFFSET 64 /* of the descriptor buffer in its memory */

static void
add_buffers (VtrTestTrace *test)
{
  const VkBufferDeviceAddressInfo descriptors = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = H (VkBuffer, DESCRIPTORS)
  };
  const VkBufferDeviceAddressInfo uniforms = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = H (VkBuffer, UNIFORMS)
  };

  vtr_test_add_memory (test, 0x70, 4096);
  vtr_test_add_buffer (test, DESCRIPTORS, BUFFER_SIZE,
                       VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT);
  vtr_test_bind_buffer (test, DESCRIPTORS, 0x70, MEMORY_OFFSET);
  vtr_test_add_buffer (test, UNIFORMS, 512, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  ADD_RESULT (test, 0x10000, vkGetBufferDeviceAddress, .device = DEVICE, .pInfo = &descriptors);
  ADD_RESULT (test, 0x20000, vkGetBufferDeviceAddress, .device = DEVICE, .pInfo = &uniforms);
}

static void
add_layouts (VtrTestTrace *test)
{
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 3, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 2, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 3, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 4, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 4, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 5, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 6, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
  };
  const VkDescriptorSetLayoutCreateInfo infos[] = {
    { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
      .bindingCount = G_N_ELEMENTS (bindings),
      .pBindings = bindings },
    { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO },
  };
  VkDescriptorSetLayout sets[] = { H (VkDescriptorSetLayout, 0x61),
                                   H (VkDescriptorSetLayout, 0x65) };
  const VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 2,
    .pSetLayouts = sets,
  };
  VkPipelineLayout layout = H (VkPipelineLayout, 0x62);
  /* Number 3 is not asked for; of number 4, two of four descriptors fit; number 6 does not. */
  static const VkDeviceSize offsets[] = { 32, 48, 96, 0, CUT_OFFSET, COPIED_OFFSET, 2000 };

  for (guint i = 0; i < 2; i++)
    ADD (test, vkCreateDescriptorSetLayout, .device = DEVICE, .pCreateInfo = &infos[i],
         .pSetLayout = &sets[i]);
  for (guint i = 0; i < G_N_ELEMENTS (offsets); i++)
    if (i != 3)
      ADD (test, vkGetDescriptorSetLayoutBindingOffsetEXT, .device = DEVICE, .layout = sets[0],
           .binding = i, .pOffset = (VkDeviceSize *)&offsets[i]);
  ADD (test, vkCreatePipelineLayout, .device = DEVICE, .pCreateInfo = &info,
       .pPipelineLayout = &layout);
}

static void
add_pipeline (VtrTestTrace *test)
{
  VkShaderModule module = H (VkShaderModule, 0x63);
  const guint32 code[4] = { 0 };
  const VkShaderModuleCreateInfo module_info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = sizeof code,
    .pCode = code,
  };
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = module,
               .pName = "main" },
    .layout = H (VkPipelineLayout, 0x62),
  };
  VkPipeline pipeline = H (VkPipeline, 0x64);

  ADD (test, vkCreateShaderModule, .device = DEVICE, .pCreateInfo = &module_info,
       .pShaderModule = &module);
  ADD (test, vkCreateComputePipelines, .device = DEVICE, .createInfoCount = 1,
       .pCreateInfos = &info, .pPipelines = &pipeline);
}

/* The driver's answers: a uniform buffer, and an image view. */
static void
add_descriptors (VtrTestTrace *test, guint8 *uniform, guint8 *image)
{
  const VkDescriptorAddressInfoEXT place = { .sType =
                                               VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
                                             .address = 0x20000 + 128,
                                             .range = 64 };
  const VkDescriptorImageInfo view = { VK_NULL_HANDLE, H (VkImageView, 0xb1),
                                       VK_IMAGE_LAYOUT_GENERAL };
  const VkDescriptorGetInfoEXT infos[] = {
    { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
      .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      .data.pUniformBuffer = &place },
    { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
      .type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
      .data.pSampledImage = &view },
  };

  memset (uniform, 0x5a, SIZE);
  memset (image, 0xc3, SIZE);
  ADD (test, vkGetDescriptorEXT, .device = DEVICE, .pDescriptorInfo = &infos[0], .dataSize = SIZE,
       .pDescriptor = uniform);
  ADD (test, vkGetDescriptorEXT, .device = DEVICE, .pDescriptorInfo = &infos[1], .dataSize = SIZE,
       .pDescriptor = image);
}

static guint64
add_dispatch (VtrTestTrace *test)
{
  const VkDescriptorBufferBindingInfoEXT buffer = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
    .address = 0x10000,
    .usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT,
  };
  const guint32 number = 0;
  const VkDeviceSize offset = SET_OFFSET;
  const VkBufferCopy copy = { 0, SET_OFFSET + COPIED_OFFSET, SIZE };
  guint64 dispatch;

  vtr_test_begin (test, CB);
  ADD (test, vkCmdCopyBuffer, .commandBuffer = BUFFER, .srcBuffer = H (VkBuffer, UNIFORMS),
       .dstBuffer = H (VkBuffer, DESCRIPTORS), .regionCount = 1, .pRegions = &copy);
  ADD (test, vkCmdBindPipeline, .commandBuffer = BUFFER,
       .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE, .pipeline = H (VkPipeline, 0x64));
  ADD (test, vkCmdBindDescriptorBuffersEXT, .commandBuffer = BUFFER, .bufferCount = 1,
       .pBindingInfos = &buffer);
  ADD (test, vkCmdSetDescriptorBufferOffsetsEXT, .commandBuffer = BUFFER,
       .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE, .layout = H (VkPipelineLayout, 0x62),
       .setCount = 1, .pBufferIndices = &number, .pOffsets = &offset);
  dispatch = ADD (test, vkCmdDispatch, .commandBuffer = BUFFER, .groupCountX = 1,
                  .groupCountY = 1, .groupCountZ = 1);
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  return dispatch;
}

/* Returns: (transfer full): the row of this name in “Set 0”. */
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

static GListModel *
find_set (VtrBoundModel *model, const char *title)
{
  GListModel *groups = vtr_bound_model_get_groups (model, VTR_STAGE_COMPUTE);

  for (guint i = 0; i < g_list_model_get_n_items (groups); i++)
    {
      g_autoptr (VtrPropertyGroup) group = g_list_model_get_item (groups, i);

      if (g_str_equal (vtr_property_group_get_title (group), title))
        return vtr_property_group_get_rows (group);
    }
  return NULL;
}

static void
check_row (GListModel *rows, const char *name, const char *text, const char *note, gboolean warns)
{
  g_autoptr (VtrPropertyRow) row = find_row (rows, name);

  g_assert_cmpstr (vtr_property_row_get_text (row), ==, text);
  if (note != NULL)
    g_assert_cmpstr (vtr_property_row_get_note (row), ==, note);
  g_assert_cmpint (vtr_property_row_get_warning (row) != NULL, ==, warns);
}

static void
test_set (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrBoundModel) model = NULL;
  g_autoptr (VtrPropertyRow) images = NULL, view = NULL, cut = NULL;
  g_autoptr (GError) error = NULL;
  guint8 uniform[SIZE], image[SIZE], foreign[SIZE];
  guint64 dispatch;
  const guint64 at = MEMORY_OFFSET + SET_OFFSET;
  GListModel *rows;

  memset (foreign, 0x77, sizeof foreign);
  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_add_image (test, 0xa1, 0xb1, VK_FORMAT_R8G8B8A8_UNORM, 128, 64);
  add_buffers (test);
  add_layouts (test);
  add_pipeline (test);
  add_descriptors (test, uniform, image);
  vtr_test_trace_add_mapped_write (test, 0x70, at + 32, uniform, SIZE);
  vtr_test_trace_add_mapped_write (test, 0x70, at + 48 + SIZE, image, SIZE);
  vtr_test_trace_add_mapped_write (test, 0x70, at + 96, foreign, SIZE);
  vtr_test_trace_add_mapped_write (test, 0x70, at + CUT_OFFSET + SIZE, image, SIZE);
  dispatch = add_dispatch (test);
  document = vtr_test_trace_open_document (test);

  model = vtr_bound_model_new (vtr_document_get_analysis (document), dispatch, NULL, &error);
  g_assert_no_error (error);
  rows = find_set (model, "Set 0");
  g_assert_nonnull (rows);
  {
    g_autoptr (VtrPropertyRow) buffer = find_row (rows, "descriptor buffer");

    g_assert_cmpstr (vtr_property_row_get_note (buffer), ==, "at 256");
    g_assert_nonnull (vtr_property_row_get_link (buffer));
  }
  {
    g_autoptr (VtrPropertyRow) row = find_row (rows, "0 · uniform buffer");

    g_assert_true (g_str_has_prefix (vtr_property_row_get_text (row), "buffer "));
    g_assert_cmpstr (vtr_property_row_get_note (row), ==, "64 B at 128");
  }
  images = find_row (rows, "1 · sampled image");
  g_assert_cmpstr (vtr_property_row_get_text (images), ==, "3 descriptors");
  check_row (vtr_property_row_get_children (images), "[0]", "not bound", NULL, TRUE);
  view = find_row (vtr_property_row_get_children (images), "[1]");
  g_assert_true (g_str_has_prefix (vtr_property_row_get_text (view), "image view "));
  g_assert_cmpstr (vtr_property_row_get_note (view), ==, "128 × 64 R8G8B8A8_UNORM");
  check_row (rows, "2 · sampled image", "unknown",
             "These bytes match no descriptor that the driver gave the program while it was "
             "recorded.",
             TRUE);
  check_row (rows, "3 · sampled image", "unknown",
             "The offset of this binding is unknown: the program did not query it "
             "(vkGetDescriptorSetLayoutBindingOffsetEXT).",
             TRUE);
  cut = find_row (rows, "4 · sampled image");
  check_row (vtr_property_row_get_children (cut), "[0]", "not bound", NULL, TRUE);
  check_row (vtr_property_row_get_children (cut), "[1]", vtr_property_row_get_text (view),
             "128 × 64 R8G8B8A8_UNORM", FALSE);
  check_row (vtr_property_row_get_children (cut), "[3]", "not bound", NULL, TRUE);
  check_row (rows, "5 · sampled image", "unknown",
             "The GPU wrote this part of the descriptor buffer. The trace does not contain its "
             "bytes.",
             TRUE);
  check_row (rows, "6 · sampled image", "unknown",
             "This binding lies beyond the end of the descriptor buffer.", TRUE);
  /* A layout without bindings wants nothing. */
  g_assert_null (find_set (model, "Set 1"));
}

#define N_BUFFERS 4000u
#define N_IN_ARRAY 1024u

/* Of buffers that are 512 bytes large; those made later lie lower. */
static guint64
address_of (guint nth)
{
  return 0x1000000 + 4096 * (guint64)(N_BUFFERS - nth);
}

static void
add_many_buffers (VtrTestTrace *test)
{
  for (guint i = 0; i < N_BUFFERS; i++)
    {
      const VkBufferDeviceAddressInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = H (VkBuffer, 0x10000 + i)
      };

      vtr_test_add_buffer (test, 0x10000 + i, 512, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
      ADD_RESULT (test, (gint64)address_of (i), vkGetBufferDeviceAddress, .device = DEVICE,
                  .pInfo = &info);
    }
}

/* Finding a descriptor's buffer does not walk through all that were made later. */
static void
test_many (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrBufferLookup) lookup = NULL;
  VtrDescriptor found;
  clock_t begin;

  vtr_test_add_device (test);
  add_many_buffers (test);
  for (guint i = 0; i < N_IN_ARRAY; i++)
    {
      const VkDescriptorAddressInfoEXT place = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
        .address = address_of (i) + 500,
        .range = 12,
      };
      const VkDescriptorGetInfoEXT info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
                                            .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                            .data.pUniformBuffer = &place };
      guint32 bytes[SIZE / 4] = { i, 1 };

      ADD (test, vkGetDescriptorEXT, .device = DEVICE, .pDescriptorInfo = &info,
           .dataSize = SIZE, .pDescriptor = bytes);
    }
  document = vtr_test_trace_open_document (test);

  begin = clock ();
  lookup = vtr_buffer_lookup_new (vtr_buffer_facts_get (vtr_document_get_analysis (document)),
                                  vtr_document_get_history (document), G_MAXUINT64);
  for (guint round = 0; round < 20; round++)
    for (guint i = 0; i < N_IN_ARRAY; i++)
      {
        const guint32 bytes[SIZE / 4] = { i, 1 };

        g_assert_true (vtr_buffer_lookup_find_descriptor (
          lookup, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, bytes, sizeof bytes, &found));
        g_assert_cmpuint (found.buffer, ==, 0x10000 + i);
        g_assert_cmpuint (found.offset, ==, 500);
      }
  /* Time of the processor: others that run beside it do not count. */
  g_assert_cmpint ((clock () - begin) / CLOCKS_PER_SEC, <, 10);
}

/* Buffers that lie over each other, that end, and whose handles are used again. */
static void
test_addresses (void)
{
  static const struct
  {
    guint64 handle, size, address;
  } buffers[] = { { 0x21, 4096, 0x10000 }, { 0x22, 256, 0x10100 }, { 0x23, 512, 0x10180 } };
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrBufferLookup) early = NULL, late = NULL;
  guint64 buffer, offset, middle;

  vtr_test_add_device (test);
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    {
      const VkBufferDeviceAddressInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = H (VkBuffer, buffers[i].handle),
      };

      vtr_test_add_buffer (test, buffers[i].handle, buffers[i].size, 0);
      ADD_RESULT (test, (gint64)buffers[i].address, vkGetBufferDeviceAddress, .device = DEVICE,
                  .pInfo = &info);
    }
  middle = ADD (test, vkDeviceWaitIdle, .device = DEVICE);
  ADD (test, vkDestroyBuffer, .device = DEVICE, .buffer = H (VkBuffer, 0x23));
  /* The program does not ask for the address of this one. */
  vtr_test_add_buffer (test, 0x23, 512, 0);
  document = vtr_test_trace_open_document (test);
  early = vtr_buffer_lookup_new (vtr_buffer_facts_get (vtr_document_get_analysis (document)),
                                 vtr_document_get_history (document), middle);
  late = vtr_buffer_lookup_new (vtr_buffer_facts_get (vtr_document_get_analysis (document)),
                                vtr_document_get_history (document), G_MAXUINT64);

#define EXPECT(lookup, address, wanted, at) \
  g_assert_nonnull (vtr_buffer_lookup_find_buffer (lookup, address, &buffer, &offset)); \
  g_assert_cmphex (buffer, ==, wanted); \
  g_assert_cmphex (offset, ==, at)
  EXPECT (early, 0x10000, 0x21, 0);
  EXPECT (early, 0x100ff, 0x21, 0xff);
  EXPECT (early, 0x1017f, 0x22, 0x7f);
  EXPECT (early, 0x10180, 0x23, 0);
  EXPECT (early, 0x1037f, 0x23, 0x1ff);
  EXPECT (early, 0x10380, 0x21, 0x380);
  EXPECT (late, 0x101ff, 0x22, 0xff);
  EXPECT (late, 0x10200, 0x21, 0x200);
  EXPECT (late, 0x10fff, 0x21, 0xfff);
#undef EXPECT
  g_assert_null (vtr_buffer_lookup_find_buffer (early, 0xffff, &buffer, &offset));
  g_assert_null (vtr_buffer_lookup_find_buffer (early, 0x11000, &buffer, &offset));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/model/bound-buffers", test_set);
  g_test_add_func ("/engine/model/bound-buffers/many", test_many);
  g_test_add_func ("/engine/model/bound-buffers/addresses", test_addresses);
  return g_test_run ();
}
