/* Tests descriptor sets in the state. */
#include "vtr-test-state.h"

#include <string.h>

#define SET H (VkDescriptorSet, 0x51)
#define SET2 H (VkDescriptorSet, 0x52)
#define UNIFORM VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
#define COMBINED VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER
#define INLINE VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK

static VkDescriptorSetLayoutBinding
binding (guint32          number,
         VkDescriptorType type,
         guint32          count)
{
  return (VkDescriptorSetLayoutBinding){ number, type, count, VK_SHADER_STAGE_ALL, NULL };
}

static void
add_layout (VtrTestState                       *self,
            guint64                             layout,
            const VkDescriptorSetLayoutBinding *bindings,
            guint32                             n,
            const VkDescriptorBindingFlags     *flags)
{
  VkDescriptorSetLayout handle = H (VkDescriptorSetLayout, layout);
  VkDescriptorSetLayoutBindingFlagsCreateInfo more = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
    .bindingCount = n,
    .pBindingFlags = flags,
  };
  VkDescriptorSetLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .pNext = flags != NULL ? &more : NULL,
    .bindingCount = n,
    .pBindings = bindings,
  };

  ADD (self->test, vkCreateDescriptorSetLayout, .device = DEVICE, .pCreateInfo = &info,
       .pSetLayout = &handle);
}

static void
add_pool (VtrTestState *self)
{
  VkDescriptorPool handle = H (VkDescriptorPool, 0x41);
  VkDescriptorPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = 8,
  };

  ADD (self->test, vkCreateDescriptorPool, .device = DEVICE, .pCreateInfo = &info,
       .pDescriptorPool = &handle);
}

static guint64
allocate (VtrTestState    *self,
          VkDescriptorSet  set,
          guint64          layout,
          const guint32   *variable)
{
  VkDescriptorSetLayout handle = H (VkDescriptorSetLayout, layout);
  VkDescriptorSetVariableDescriptorCountAllocateInfo count = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pDescriptorCounts = variable,
  };
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .pNext = variable != NULL ? &count : NULL,
    .descriptorPool = H (VkDescriptorPool, 0x41),
    .descriptorSetCount = 1,
    .pSetLayouts = &handle,
  };

  return ADD (self->test, vkAllocateDescriptorSets, .device = DEVICE, .pAllocateInfo = &info,
              .pDescriptorSets = &set);
}

static guint64
write_buffers (VtrTestState    *self,
               VkDescriptorSet  set,
               guint32          number,
               guint32          element,
               guint32          n,
               const guint64   *buffers)
{
  g_autofree VkDescriptorBufferInfo *infos = g_new0 (VkDescriptorBufferInfo, n);
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = set,
    .dstBinding = number,
    .dstArrayElement = element,
    .descriptorCount = n,
    .descriptorType = UNIFORM,
    .pBufferInfo = infos,
  };

  for (guint32 i = 0; i < n; i++)
    infos[i] = (VkDescriptorBufferInfo){ H (VkBuffer, buffers[i]), 16 * i, VK_WHOLE_SIZE };
  return ADD (self->test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorWriteCount = 1,
              .pDescriptorWrites = &write);
}

/* Bindings 0 (2 buffers), 1 (2 buffers), 3 (3 buffers); buffers 0xf1 to 0xf4. */
static void
add_buffers_set (VtrTestState *self)
{
  VkDescriptorSetLayoutBinding bindings[] = { binding (3, UNIFORM, 3), binding (0, UNIFORM, 2),
                                              binding (1, UNIFORM, 2) };

  for (guint64 i = 0xf1; i <= 0xf4; i++)
    vtr_test_state_add_buffer (self, i);
  add_layout (self, 0x31, bindings, G_N_ELEMENTS (bindings), NULL);
  add_pool (self);
  allocate (self, SET, 0x31, NULL);
}

#define EXPECT_BUFFER(self, index, set, path, buffer) \
  vtr_test_state_expect_object ( \
    (self), (index), 0, VTR_HANDLE_VkDescriptorSet, (guint64)(set), path "/buffer", \
    vtr_test_state_id ((self), (index), VTR_HANDLE_VkBuffer, (buffer)))

static void
test_partial (VtrTestState  *self,
              gconstpointer  data)
{
  guint64 first, second, third;

  add_buffers_set (self);
  first = write_buffers (self, SET, 0, 0, 2, (guint64[]){ 0xf1, 0xf2 });
  second = write_buffers (self, SET, 0, 1, 1, (guint64[]){ 0xf3 });
  third = write_buffers (self, SET, 3, 2, 1, (guint64[]){ 0xf4 });
  vtr_test_state_open (self);

  EXPECT_BUFFER (self, first, SET, "bindings/0/descriptors/1", 0xf2);
  EXPECT (self, first, VkDescriptorSet, 0x51, "bindings/0/descriptors/1/offset", "16");
  EXPECT (self, first, VkDescriptorSet, 0x51, "bindings/1/descriptors/0", "null");
  EXPECT_BUFFER (self, second, SET, "bindings/0/descriptors/0", 0xf1);
  EXPECT_BUFFER (self, second, SET, "bindings/0/descriptors/1", 0xf3);
  EXPECT (self, second, VkDescriptorSet, 0x51, "bindings/0/descriptors/1/offset", "0");
  EXPECT (self, third, VkDescriptorSet, 0x51, "bindings/2/binding", "3");
  EXPECT (self, third, VkDescriptorSet, 0x51, "bindings/2/descriptors/1", "null");
  EXPECT_BUFFER (self, third, SET, "bindings/2/descriptors/2", 0xf4);
  EXPECT (self, third, VkDescriptorSet, 0x51, "bindings/2/descriptors/2/range",
          "\"VK_WHOLE_SIZE\"");
}

/* What does not fit into a binding goes on in the next one. */
static void
test_overflow (VtrTestState  *self,
               gconstpointer  data)
{
  guint64 on, beyond, missing;

  add_buffers_set (self);
  on = write_buffers (self, SET, 0, 1, 4, (guint64[]){ 0xf1, 0xf2, 0xf3, 0xf4 });
  beyond = write_buffers (self, SET, 3, 1, 3, (guint64[]){ 0xf1, 0xf2, 0xf3 });
  missing = write_buffers (self, SET, 2, 0, 1, (guint64[]){ 0xf1 });
  vtr_test_state_open (self);

  EXPECT (self, on, VkDescriptorSet, 0x51, "bindings/0/descriptors/0", "null");
  EXPECT_BUFFER (self, on, SET, "bindings/0/descriptors/1", 0xf1);
  EXPECT_BUFFER (self, on, SET, "bindings/1/descriptors/0", 0xf2);
  EXPECT_BUFFER (self, on, SET, "bindings/1/descriptors/1", 0xf3);
  EXPECT_BUFFER (self, on, SET, "bindings/2/descriptors/0", 0xf4);
  EXPECT_BUFFER (self, beyond, SET, "bindings/2/descriptors/2", 0xf2);
  vtr_test_state_expect_message (self, on, "");
  vtr_test_state_expect_message (self, beyond, "descriptor-element: ");
  vtr_test_state_expect_message (self, missing, "descriptor-binding: ");
}

static void
test_copy (VtrTestState  *self,
           gconstpointer  data)
{
  VkCopyDescriptorSet copy = {
    .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
    .srcSet = SET,
    .srcBinding = 0,
    .srcArrayElement = 1,
    .dstSet = SET2,
    .dstBinding = 1,
    .dstArrayElement = 0,
    .descriptorCount = 3,
  };
  guint64 written, copied, later;

  add_buffers_set (self);
  allocate (self, SET2, 0x31, NULL);
  written = write_buffers (self, SET, 0, 0, 3, (guint64[]){ 0xf1, 0xf2, 0xf3 });
  copied = ADD (self->test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorCopyCount = 1,
                .pDescriptorCopies = &copy);
  later = write_buffers (self, SET, 0, 1, 1, (guint64[]){ 0xf4 });
  vtr_test_state_open (self);

  EXPECT (self, written, VkDescriptorSet, 0x52, "bindings/1/descriptors/0", "null");
  EXPECT_BUFFER (self, copied, SET2, "bindings/1/descriptors/0", 0xf2);
  EXPECT_BUFFER (self, copied, SET2, "bindings/1/descriptors/1", 0xf3);
  /* Unwritten ones are copied, too. */
  EXPECT (self, copied, VkDescriptorSet, 0x52, "bindings/2/descriptors/0", "null");
  EXPECT_BUFFER (self, later, SET2, "bindings/1/descriptors/0", 0xf2);
  EXPECT_BUFFER (self, later, SET, "bindings/0/descriptors/1", 0xf4);
}

typedef struct
{
  guint8 pad[8];
  VkDescriptorBufferInfo buffers[2];
  guint8 block[12];
} TemplateData;

static void
test_template (VtrTestState  *self,
               gconstpointer  data)
{
  VkDescriptorSetLayoutBinding bindings[] = { binding (0, UNIFORM, 2), binding (1, INLINE, 16) };
  VkDescriptorUpdateTemplate handle = H (VkDescriptorUpdateTemplate, 0x61);
  VkDescriptorUpdateTemplateEntry entries[] = {
    { 0, 0, 2, UNIFORM, offsetof (TemplateData, buffers), sizeof (VkDescriptorBufferInfo) },
    { 1, 4, 12, INLINE, offsetof (TemplateData, block), 0 },
  };
  VkDescriptorUpdateTemplateCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
    .descriptorUpdateEntryCount = 2,
    .pDescriptorUpdateEntries = entries,
    .descriptorSetLayout = H (VkDescriptorSetLayout, 0x31),
  };
  TemplateData bytes = {
    .buffers = { { H (VkBuffer, 0xf2), 64, 32 }, { H (VkBuffer, 0xf1), 0, VK_WHOLE_SIZE } },
  };
  guint64 update;

  memset (bytes.block, 0xab, sizeof bytes.block);
  vtr_test_state_add_buffer (self, 0xf1);
  vtr_test_state_add_buffer (self, 0xf2);
  add_layout (self, 0x31, bindings, G_N_ELEMENTS (bindings), NULL);
  add_pool (self);
  allocate (self, SET, 0x31, NULL);
  ADD (self->test, vkCreateDescriptorUpdateTemplate, .device = DEVICE, .pCreateInfo = &info,
       .pDescriptorUpdateTemplate = &handle);
  vtr_test_trace_set_template (self->test, entries, 2);
  update = ADD (self->test, vkUpdateDescriptorSetWithTemplate, .device = DEVICE,
                .descriptorSet = SET, .descriptorUpdateTemplate = handle, .pData = &bytes);
  vtr_test_state_open (self);

  EXPECT_BUFFER (self, update, SET, "bindings/0/descriptors/0", 0xf2);
  EXPECT (self, update, VkDescriptorSet, 0x51, "bindings/0/descriptors/0/offset", "64");
  EXPECT (self, update, VkDescriptorSet, 0x51, "bindings/0/descriptors/0/range", "32");
  EXPECT_BUFFER (self, update, SET, "bindings/0/descriptors/1", 0xf1);
  EXPECT (self, update, VkDescriptorSet, 0x51, "bindings/1/bytes",
          "\"00000000abababababababababababab\"");
}

static guint64
write_inline (VtrTestState *self,
              guint32       offset,
              guint32       size,
              const void   *bytes)
{
  VkWriteDescriptorSetInlineUniformBlock block = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
    .dataSize = size,
    .pData = bytes,
  };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .pNext = &block,
    .dstSet = SET,
    .dstBinding = 4,
    .dstArrayElement = offset,
    .descriptorCount = size,
    .descriptorType = INLINE,
  };

  return ADD (self->test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorWriteCount = 1,
              .pDescriptorWrites = &write);
}

static void
test_inline (VtrTestState  *self,
             gconstpointer  data)
{
  VkDescriptorSetLayoutBinding bindings[] = { binding (4, INLINE, 8) };
  VkCopyDescriptorSet copy = {
    .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
    .srcSet = SET,
    .srcBinding = 4,
    .srcArrayElement = 4,
    .dstSet = SET2,
    .dstBinding = 4,
    .descriptorCount = 4,
  };
  guint64 allocated, whole, part, copied;

  add_layout (self, 0x31, bindings, 1, NULL);
  add_pool (self);
  allocate (self, SET, 0x31, NULL);
  allocated = allocate (self, SET2, 0x31, NULL);
  whole = write_inline (self, 0, 8, "\x01\x02\x03\x04\x05\x06\x07\x08");
  part = write_inline (self, 4, 4, "\xaa\xbb\xcc\xdd");
  copied = ADD (self->test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorCopyCount = 1,
                .pDescriptorCopies = &copy);
  vtr_test_state_open (self);

  EXPECT (self, allocated, VkDescriptorSet, 0x51, "bindings/0/bytes", "null");
  EXPECT (self, whole, VkDescriptorSet, 0x51, "bindings/0/bytes", "\"0102030405060708\"");
  EXPECT (self, part, VkDescriptorSet, 0x51, "bindings/0/bytes", "\"01020304aabbccdd\"");
  EXPECT (self, copied, VkDescriptorSet, 0x52, "bindings/0/bytes", "\"aabbccdd00000000\"");
}

static void
add_sampler (VtrTestState *self,
             guint64       sampler)
{
  VkSampler handle = H (VkSampler, sampler);
  VkSamplerCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO };

  ADD (self->test, vkCreateSampler, .device = DEVICE, .pCreateInfo = &info, .pSampler = &handle);
}

static void
test_immutable (VtrTestState  *self,
                gconstpointer  data)
{
  VkSampler samplers[] = { H (VkSampler, 0x81), H (VkSampler, 0x82) };
  VkDescriptorSetLayoutBinding bindings[] = { binding (0, COMBINED, 2) };
  VkDescriptorImageInfo image = {
    .sampler = H (VkSampler, 0x83),
    .imageView = H (VkImageView, 0xb1),
    .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
  };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = SET,
    .dstBinding = 0,
    .dstArrayElement = 1,
    .descriptorCount = 1,
    .descriptorType = COMBINED,
    .pImageInfo = &image,
  };
  guint64 allocated, update;

  for (guint64 i = 0x81; i <= 0x83; i++)
    add_sampler (self, i);
  vtr_test_state_add_image (self, 0xa1, VK_FORMAT_R8_UNORM, 0, 0);
  vtr_test_state_add_view (self, 0xb1, 0xa1, VK_FORMAT_R8_UNORM, ALL_COLOR);
  bindings[0].pImmutableSamplers = samplers;
  add_layout (self, 0x31, bindings, 1, NULL);
  add_pool (self);
  allocated = allocate (self, SET, 0x31, NULL);
  update = ADD (self->test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorWriteCount = 1,
                .pDescriptorWrites = &write);
  vtr_test_state_open (self);

  EXPECT (self, allocated, VkDescriptorSet, 0x51, "bindings/0/descriptors/0/immutableSampler",
          "true");
  vtr_test_state_expect_object (
    self, update, 0, VTR_HANDLE_VkDescriptorSet, 0x51, "bindings/0/descriptors/1/sampler",
    vtr_test_state_id (self, update, VTR_HANDLE_VkSampler, 0x82));
  vtr_test_state_expect_object (
    self, update, 0, VTR_HANDLE_VkDescriptorSet, 0x51, "bindings/0/descriptors/1/imageView",
    vtr_test_state_id (self, update, VTR_HANDLE_VkImageView, 0xb1));
  EXPECT (self, update, VkDescriptorSet, 0x51, "bindings/0/descriptors/1/imageLayout",
          "\"VK_IMAGE_LAYOUT_GENERAL\"");
}

static void
test_variable_count (VtrTestState  *self,
                     gconstpointer  data)
{
  VkDescriptorSetLayoutBinding bindings[] = { binding (0, UNIFORM, 1),
                                              binding (1, UNIFORM, 1000000) };
  VkDescriptorBindingFlags flags[] = { 0, VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT };
  guint32 three = 3, many = 500000;
  guint64 update, sparse;

  vtr_test_state_add_buffer (self, 0xf1);
  add_layout (self, 0x31, bindings, 2, flags);
  add_pool (self);
  allocate (self, SET, 0x31, &three);
  allocate (self, SET2, 0x31, &many);
  update = write_buffers (self, SET, 1, 2, 1, (guint64[]){ 0xf1 });
  sparse = write_buffers (self, SET2, 1, 400000, 1, (guint64[]){ 0xf1 });
  vtr_test_state_open (self);

  EXPECT (self, update, VkDescriptorSet, 0x51, "bindings/1/count", "3");
  EXPECT (self, update, VkDescriptorSet, 0x51, "bindings/1/descriptors/1", "null");
  EXPECT_BUFFER (self, update, SET, "bindings/1/descriptors/2", 0xf1);
  EXPECT (self, sparse, VkDescriptorSet, 0x52, "bindings/1/count", "500000");
  EXPECT (self, sparse, VkDescriptorSet, 0x52, "bindings/1/descriptors/0/element", "400000");
}

/* A recorded draw finds the set as it is when it runs. */
static void
test_update_after_bind (VtrTestState  *self,
                        gconstpointer  data)
{
  VkDescriptorSetLayoutBinding bindings[] = { binding (0, UNIFORM, 1) };
  VkDescriptorBindingFlags flags[] = { VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT };
  guint64 draw;

  vtr_test_state_add_buffer (self, 0xf1);
  vtr_test_state_add_buffer (self, 0xf2);
  add_layout (self, 0x31, bindings, 1, flags);
  add_pool (self);
  allocate (self, SET, 0x31, NULL);
  vtr_test_begin (self->test, CB);
  draw = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  write_buffers (self, SET, 0, 0, 1, (guint64[]){ 0xf1 });
  vtr_test_submit (self->test, CB);
  write_buffers (self, SET, 0, 0, 1, (guint64[]){ 0xf2 });
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  vtr_test_state_expect_object (
    self, draw, 0, VTR_HANDLE_VkDescriptorSet, 0x51, "bindings/0/descriptors/0/buffer",
    vtr_test_state_id (self, draw, VTR_HANDLE_VkBuffer, 0xf1));
  vtr_test_state_expect_object (
    self, draw, 1, VTR_HANDLE_VkDescriptorSet, 0x51, "bindings/0/descriptors/0/buffer",
    vtr_test_state_id (self, draw, VTR_HANDLE_VkBuffer, 0xf2));
}

/* A reset pool ends its sets; the same handle is another, empty set. */
static void
test_reset_pool (VtrTestState  *self,
                 gconstpointer  data)
{
  guint64 written, reset, again;
  guint32 first, second;

  add_buffers_set (self);
  written = write_buffers (self, SET, 0, 0, 1, (guint64[]){ 0xf1 });
  reset = ADD (self->test, vkResetDescriptorPool, .device = DEVICE,
               .descriptorPool = H (VkDescriptorPool, 0x41));
  again = allocate (self, SET, 0x31, NULL);
  vtr_test_state_open (self);

  first = vtr_test_state_id (self, written, VTR_HANDLE_VkDescriptorSet, 0x51);
  second = vtr_test_state_id (self, again, VTR_HANDLE_VkDescriptorSet, 0x51);
  g_assert_cmpuint (first, !=, second);
  EXPECT_BUFFER (self, written, SET, "bindings/0/descriptors/0", 0xf1);
  EXPECT (self, again, VkDescriptorSet, 0x51, "bindings/0/descriptors/0", "null");
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (VtrApiState) state =
      vtr_state_store_get (vtr_document_get_state_store (self->document), reset, VTR_NO_RUN,
                           NULL, &error);

    g_assert_no_error (error);
    g_assert_false (vtr_api_state_is_alive (state, first));
    g_assert_false (vtr_api_state_is_alive (state, second));
  }
}

/* A descriptor goes on naming what has been destroyed, and not what got its handle later. */
static void
test_destroyed_buffer (VtrTestState  *self,
                       gconstpointer  data)
{
  guint64 written, destroyed, reused;
  guint32 old;

  add_buffers_set (self);
  written = write_buffers (self, SET, 0, 0, 1, (guint64[]){ 0xf1 });
  destroyed =
    ADD (self->test, vkDestroyBuffer, .device = DEVICE, .buffer = H (VkBuffer, 0xf1));
  vtr_test_state_add_buffer (self, 0xf1);
  reused = write_buffers (self, SET, 1, 0, 1, (guint64[]){ 0xf1 });
  vtr_test_state_open (self);

  old = vtr_test_state_id (self, written, VTR_HANDLE_VkBuffer, 0xf1);
  g_assert_cmpuint (old, !=, vtr_test_state_id (self, reused, VTR_HANDLE_VkBuffer, 0xf1));
  vtr_test_state_expect_object (self, reused, 0, VTR_HANDLE_VkDescriptorSet, 0x51,
                                "bindings/0/descriptors/0/buffer", old);
  EXPECT (self, destroyed, VkDescriptorSet, 0x51, "bindings/0/descriptors/0/buffer/destroyed",
          "true");
  EXPECT_BUFFER (self, reused, SET, "bindings/1/descriptors/0", 0xf1);
}

/* Pushed sets are bound, not kept. */
static void
test_push (VtrTestState  *self,
           gconstpointer  data)
{
  VkDescriptorSetLayoutBinding bindings[] = { binding (0, UNIFORM, 1) };
  VkDescriptorSetLayout layout = H (VkDescriptorSetLayout, 0x31);
  VkPipelineLayout pipeline_layout = H (VkPipelineLayout, 0x91);
  VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &layout,
  };
  VkDescriptorBufferInfo buffer = { H (VkBuffer, 0xf1), 32, 64 };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = UNIFORM,
    .pBufferInfo = &buffer,
  };
  guint64 push, draw;

  vtr_test_state_add_buffer (self, 0xf1);
  add_layout (self, 0x31, bindings, 1, NULL);
  ADD (self->test, vkCreatePipelineLayout, .device = DEVICE, .pCreateInfo = &info,
       .pPipelineLayout = &pipeline_layout);
  vtr_test_begin (self->test, CB);
  push = ADD (self->test, vkCmdPushDescriptorSetKHR, .commandBuffer = BUFFER,
              .layout = pipeline_layout, .descriptorWriteCount = 1, .pDescriptorWrites = &write);
  draw = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  vtr_test_state_expect_path (self, push, 0, "bound/graphics/sets/0/pushed", "true");
  vtr_test_state_expect_path (self, draw, 0,
                              "bound/graphics/sets/0/bindings/0/descriptors/0/offset", "32");
  vtr_test_state_expect_path (self, draw, 0,
                              "bound/graphics/sets/0/bindings/0/descriptors/0/range", "64");
}

#ifdef VK_EXT_device_generated_commands

#define EXECUTION_SET H (VkIndirectExecutionSetEXT, 0x91)
#define FIRST 0x71 /* pipelines or shader objects FIRST, FIRST + 1, FIRST + 2 */

static void
add_pipelines (VtrTestState *self)
{
  VkComputePipelineCreateInfo info = { .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO };

  for (guint64 i = 0; i < 3; i++)
    {
      VkPipeline pipeline = H (VkPipeline, FIRST + i);

      ADD (self->test, vkCreateComputePipelines, .device = DEVICE, .createInfoCount = 1,
           .pCreateInfos = &info, .pPipelines = &pipeline);
    }
}

static guint64
add_execution_set (VtrTestState                      *self,
                   VkIndirectExecutionSetInfoTypeEXT  type,
                   const void                        *of_type)
{
  VkIndirectExecutionSetEXT set = EXECUTION_SET;
  VkIndirectExecutionSetCreateInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT,
    .type = type,
    .info.pPipelineInfo = of_type,
  };

  return ADD (self->test, vkCreateIndirectExecutionSetEXT, .device = DEVICE, .pCreateInfo = &info,
              .pIndirectExecutionSet = &set);
}

static guint64
write_pipeline (VtrTestState *self,
                guint32       index,
                guint64       pipeline)
{
  VkWriteIndirectExecutionSetPipelineEXT write = {
    VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT, NULL, index,
    H (VkPipeline, pipeline)
  };

  return ADD (self->test, vkUpdateIndirectExecutionSetPipelineEXT, .device = DEVICE,
              .indirectExecutionSet = EXECUTION_SET, .executionSetWriteCount = 1,
              .pExecutionSetWrites = &write);
}

#define EXPECT_ENTRY(self, index, at, type, handle) \
  vtr_test_state_expect_object ( \
    (self), (index), 0, VTR_HANDLE_VkIndirectExecutionSetEXT, 0x91, at, \
    vtr_test_state_id ((self), (index), VTR_HANDLE_##type, (handle)))

#define MANY (1u << 30) /* a trace may claim any number */

/* Entries are those at the command, the first one from the creation on. */
static void
test_execution_set_pipelines (VtrTestState  *self,
                              gconstpointer  data)
{
  VkIndirectExecutionSetPipelineInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT,
    .initialPipeline = H (VkPipeline, FIRST),
    .maxPipelineCount = MANY,
  };
  guint64 created, second, again, far, beyond, claimed;

  add_pipelines (self);
  created = add_execution_set (self, VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, &info);
  second = write_pipeline (self, 5, FIRST + 1);
  again = write_pipeline (self, 0, FIRST + 2);
  far = write_pipeline (self, MANY - 1, FIRST + 1);
  beyond = write_pipeline (self, MANY, FIRST + 1);
  claimed = write_pipeline (self, G_MAXUINT32, FIRST + 1);
  vtr_test_state_open (self);

  EXPECT_ENTRY (self, created, "entries/0/pipeline", VkPipeline, FIRST);
  EXPECT_COMMAND (self, created, VkIndirectExecutionSetEXT, 0x91, "entries/0/writtenBy", created);
  EXPECT_ENTRY (self, second, "entries/0/pipeline", VkPipeline, FIRST);
  EXPECT (self, second, VkIndirectExecutionSetEXT, 0x91, "entries/1/element", "5");
  EXPECT_ENTRY (self, second, "entries/1/pipeline", VkPipeline, FIRST + 1);
  EXPECT_COMMAND (self, second, VkIndirectExecutionSetEXT, 0x91, "entries/1/writtenBy", second);
  EXPECT_ENTRY (self, again, "entries/0/pipeline", VkPipeline, FIRST + 2);
  EXPECT_ENTRY (self, again, "entries/1/pipeline", VkPipeline, FIRST + 1);
  EXPECT (self, far, VkIndirectExecutionSetEXT, 0x91, "entries/2/element", "1073741823");
  EXPECT_ENTRY (self, far, "entries/2/pipeline", VkPipeline, FIRST + 1);
  EXPECT_ENTRY (self, claimed, "entries/1/pipeline", VkPipeline, FIRST + 1);
  vtr_test_state_expect_message (self, far, "");
  vtr_test_state_expect_message (self, beyond, "execution-set-index: ");
  vtr_test_state_expect_message (self, claimed, "execution-set-index: ");
}

static void
test_execution_set_shaders (VtrTestState  *self,
                            gconstpointer  data)
{
  VkShaderEXT shaders[] = { H (VkShaderEXT, FIRST), H (VkShaderEXT, FIRST + 1),
                            H (VkShaderEXT, FIRST + 2) };
  VkShaderCreateInfoEXT infos[3] = {
    { .sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT },
    { .sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT },
    { .sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT },
  };
  /* A set may claim to be larger than what is followed. */
  VkIndirectExecutionSetShaderInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT,
    .shaderCount = 2,
    .pInitialShaders = shaders,
    .maxShaderCount = G_MAXUINT32,
  };
  VkWriteIndirectExecutionSetShaderEXT writes[] = {
    { VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT, NULL, 1, shaders[2] },
    { VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT, NULL, G_MAXUINT32 - 1,
      shaders[2] },
  };
  guint64 created, written;

  ADD (self->test, vkCreateShadersEXT, .device = DEVICE, .createInfoCount = 3,
       .pCreateInfos = infos, .pShaders = shaders);
  created = add_execution_set (self, VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT, &info);
  written = ADD (self->test, vkUpdateIndirectExecutionSetShaderEXT, .device = DEVICE,
                 .indirectExecutionSet = EXECUTION_SET, .executionSetWriteCount = 2,
                 .pExecutionSetWrites = writes);
  vtr_test_state_open (self);

  EXPECT_ENTRY (self, created, "entries/1/shader", VkShaderEXT, FIRST + 1);
  EXPECT_ENTRY (self, written, "entries/0/shader", VkShaderEXT, FIRST);
  EXPECT_ENTRY (self, written, "entries/1/shader", VkShaderEXT, FIRST + 2);
  vtr_test_state_expect_message (self, written, "");
}

#endif

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD_STATE_TEST ("api-state/sets", partial);
  ADD_STATE_TEST ("api-state/sets", overflow);
  ADD_STATE_TEST ("api-state/sets", copy);
  ADD_STATE_TEST ("api-state/sets", template);
  ADD_STATE_TEST ("api-state/sets", inline);
  ADD_STATE_TEST ("api-state/sets", immutable);
  ADD_STATE_TEST ("api-state/sets", variable_count);
  ADD_STATE_TEST ("api-state/sets", update_after_bind);
  ADD_STATE_TEST ("api-state/sets", reset_pool);
  ADD_STATE_TEST ("api-state/sets", destroyed_buffer);
  ADD_STATE_TEST ("api-state/sets", push);
#ifdef VK_EXT_device_generated_commands
  ADD_STATE_TEST ("api-state/sets", execution_set_pipelines);
  ADD_STATE_TEST ("api-state/sets", execution_set_shaders);
#endif
  return g_test_run ();
}
