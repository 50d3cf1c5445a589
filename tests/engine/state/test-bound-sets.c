/* Tests the descriptor sets that are bound at recorded commands, and their contents. */
#include "vtr-test-bound.h"

#include "engine/vulkan/state/vtr-descriptors.h"

static void
add_set_layout (VtrTestTrace                       *test,
                guint64                             value,
                const VkDescriptorSetLayoutBinding *bindings,
                guint32                             n)
{
  VkDescriptorSetLayout layout = H (VkDescriptorSetLayout, value);
  VkDescriptorSetLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = n,
    .pBindings = bindings,
  };

  ADD (test, vkCreateDescriptorSetLayout, .device = DEVICE, .pCreateInfo = &info,
       .pSetLayout = &layout);
}

/* Sets 0x81 (layout 0x61) and 0x82 (layout 0x62) from pool 0x50. */
static void
add_sets (VtrTestTrace *test)
{
  VkDescriptorSetLayoutBinding first[] = {
    { 3, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2, VK_SHADER_STAGE_VERTEX_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
  };
  VkDescriptorSetLayoutBinding second[] = {
    { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_ALL, NULL },
    { 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL },
  };
  VkDescriptorSetLayout layouts[] = { H (VkDescriptorSetLayout, 0x61),
                                      H (VkDescriptorSetLayout, 0x62) };
  VkDescriptorSet sets[] = { H (VkDescriptorSet, 0x81), H (VkDescriptorSet, 0x82) };
  VkDescriptorPool pool = H (VkDescriptorPool, 0x50);
  VkPipelineLayout pipeline_layout = H (VkPipelineLayout, 0x90);
  VkDescriptorPoolCreateInfo pool_info = { .sType =
                                             VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO };
  VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 2,
    .pSetLayouts = layouts,
  };
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = pool,
    .descriptorSetCount = 2,
    .pSetLayouts = layouts,
  };

  add_set_layout (test, 0x61, first, G_N_ELEMENTS (first));
  add_set_layout (test, 0x62, second, G_N_ELEMENTS (second));
  ADD (test, vkCreatePipelineLayout, .device = DEVICE, .pCreateInfo = &layout_info,
       .pPipelineLayout = &pipeline_layout);
  ADD (test, vkCreateDescriptorPool, .device = DEVICE, .pCreateInfo = &pool_info,
       .pDescriptorPool = &pool);
  ADD (test, vkAllocateDescriptorSets, .device = DEVICE, .pAllocateInfo = &info,
       .pDescriptorSets = sets);
}

/* Dynamic offsets of one bind are shared out in the order of sets. */
static void
test_dynamic_offsets (VtrTestBound *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VkDescriptorSet sets[] = { H (VkDescriptorSet, 0x81), H (VkDescriptorSet, 0x82) };
  guint32 offsets[] = { 256, 512, 1024 };
  guint64 begin, bind, draw;

  add_sets (self->test);
  begin = vtr_test_begin (self->test, CB);
  bind = ADD (self->test, vkCmdBindDescriptorSets, .commandBuffer = BUFFER,
              .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
              .layout = H (VkPipelineLayout, 0x90), .firstSet = 1, .descriptorSetCount = 2,
              .pDescriptorSets = sets, .dynamicOffsetCount = 3, .pDynamicOffsets = offsets);
  draw = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  vtr_test_bound_open (self);

  vtr_test_bound_get (self, draw, state);
  g_assert_cmpuint (state->bind_points[0].layout, ==, 0x90);
  g_assert_cmpuint (state->bind_points[0].sets[0], ==, 0);
  g_assert_cmpuint (state->bind_points[0].sets[1], ==, 0x81);
  g_assert_cmpuint (state->bind_points[0].sets[2], ==, 0x82);
  g_assert_cmpuint (state->bind_points[0].set_command[2], ==, bind - begin);
  g_assert_cmpuint (state->bind_points[0].n_dynamic_offsets[1], ==, 2);
  g_assert_cmpuint (state->bind_points[0].dynamic_offsets[1][1], ==, 512);
  g_assert_cmpuint (state->bind_points[0].n_dynamic_offsets[2], ==, 1);
  g_assert_cmpuint (state->bind_points[0].dynamic_offsets[2][0], ==, 1024);
  g_assert_cmpuint (state->bind_points[1].sets[1], ==, 0);
}

static guint64
update_buffers (VtrTestTrace *test,
                guint64       set,
                guint32       binding,
                guint32       element,
                guint64       first_buffer,
                guint32       n)
{
  VkDescriptorBufferInfo infos[8] = { 0 };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = H (VkDescriptorSet, set),
    .dstBinding = binding,
    .dstArrayElement = element,
    .descriptorCount = n,
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
    .pBufferInfo = infos,
  };

  for (guint32 i = 0; i < n; i++)
    {
      infos[i].buffer = H (VkBuffer, first_buffer + i);
      infos[i].range = 64;
    }
  return ADD (test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorWriteCount = 1,
              .pDescriptorWrites = &write);
}

static void
test_descriptors (VtrTestBound *self, gconstpointer data)
{
  VkDescriptorImageInfo image = { H (VkSampler, 0x41), H (VkImageView, 0x42),
                                  VK_IMAGE_LAYOUT_GENERAL };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = H (VkDescriptorSet, 0x81),
    .dstBinding = 1,
    .dstArrayElement = 1,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    .pImageInfo = &image,
  };
  VkCopyDescriptorSet copy = {
    .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
    .srcSet = H (VkDescriptorSet, 0x81),
    .srcBinding = 3,
    .srcArrayElement = 1,
    .dstSet = H (VkDescriptorSet, 0x82),
    .dstBinding = 0,
    .descriptorCount = 1,
  };
  VtrDescriptorContents contents;
  const VtrObject *set;
  guint64 first, later, copied, end;
  gsize n;
  VtrArena arena;

  add_sets (self->test);
  first = update_buffers (self->test, 0x81, 3, 0, 0x31, 2);
  ADD (self->test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorWriteCount = 1,
       .pDescriptorWrites = &write);
  copied = ADD (self->test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorCopyCount = 1,
                .pDescriptorCopies = &copy);
  later = update_buffers (self->test, 0x81, 3, 1, 0x39, 1);
  /* Runs on from binding 0 into binding 1, and over the end of the set. */
  end = update_buffers (self->test, 0x82, 0, 0, 0x51, 4);
  vtr_test_bound_open (self);

  vtr_arena_init (&arena);
  set = vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet, 0x81),
                          end);
  g_assert_nonnull (vtr_history_get_set_writes (self->history, set->id, &n));
  g_assert_cmpuint (n, ==, 3);
  g_assert_true (vtr_descriptors_get (self->history, set, end, &arena, &contents, NULL));
  g_assert_cmpuint (contents.n_bindings, ==, 2);
  g_assert_cmpuint (contents.layout->handle, ==, 0x61);
  g_assert_cmpuint (contents.bindings[0].binding, ==, 1);
  g_assert_false (contents.bindings[0].descriptors[0].written);
  g_assert_cmpuint (contents.bindings[0].descriptors[1].view, ==, 0x42);
  g_assert_cmpuint (contents.bindings[0].descriptors[1].sampler, ==, 0x41);
  g_assert_cmpuint (contents.bindings[1].descriptors[0].buffer, ==, 0x31);
  g_assert_cmpuint (contents.bindings[1].descriptors[0].command, ==, first);
  g_assert_cmpuint (contents.bindings[1].descriptors[1].buffer, ==, 0x39);
  /* As it was before the last write. */
  g_assert_true (vtr_descriptors_get (self->history, set, later - 1, &arena, &contents, NULL));
  g_assert_cmpuint (contents.bindings[1].descriptors[1].buffer, ==, 0x32);

  set = vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet, 0x82),
                          end);
  g_assert_true (vtr_descriptors_get (self->history, set, copied, &arena, &contents, NULL));
  g_assert_cmpuint (contents.bindings[0].descriptors[0].buffer, ==, 0x32);
  g_assert_cmpuint (contents.bindings[0].descriptors[0].command, ==, copied);
  g_assert_true (vtr_descriptors_get (self->history, set, end, &arena, &contents, NULL));
  g_assert_cmpuint (contents.bindings[0].descriptors[0].buffer, ==, 0x51);
  g_assert_cmpuint (contents.bindings[1].descriptors[0].buffer, ==, 0x52);
  vtr_arena_finish (&arena);
}

static void
test_templates (VtrTestBound *self, gconstpointer data)
{
  VkDescriptorUpdateTemplateEntry entries[] = {
    { 3, 0, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 8, 32 },
  };
  VkDescriptorUpdateTemplate handle = H (VkDescriptorUpdateTemplate, 0x44);
  VkDescriptorUpdateTemplateCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
    .descriptorUpdateEntryCount = 1,
    .pDescriptorUpdateEntries = entries,
    .descriptorSetLayout = H (VkDescriptorSetLayout, 0x61),
  };
  struct
  {
    guint64 unused;
    VkDescriptorBufferInfo first;
    guint64 gap;
    VkDescriptorBufferInfo second;
  } bytes = {
    .first = { H (VkBuffer, 0x31), 4, 8 },
    .second = { H (VkBuffer, 0x32), 5, VK_WHOLE_SIZE },
  };
  VtrDescriptorContents contents;
  const VtrObject *set;
  guint64 index;
  VtrArena arena;

  add_sets (self->test);
  ADD (self->test, vkCreateDescriptorUpdateTemplate, .device = DEVICE, .pCreateInfo = &info,
       .pDescriptorUpdateTemplate = &handle);
  vtr_test_trace_set_template (self->test, entries, 1);
  index = ADD (self->test, vkUpdateDescriptorSetWithTemplate, .device = DEVICE,
               .descriptorSet = H (VkDescriptorSet, 0x81), .descriptorUpdateTemplate = handle,
               .pData = &bytes);
  vtr_test_bound_open (self);

  vtr_arena_init (&arena);
  set = vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet, 0x81),
                          index);
  g_assert_true (vtr_descriptors_get (self->history, set, index, &arena, &contents, NULL));
  g_assert_cmpuint (contents.bindings[1].descriptors[0].buffer, ==, 0x31);
  g_assert_cmpuint (contents.bindings[1].descriptors[1].buffer, ==, 0x32);
  g_assert_cmpuint (contents.bindings[1].descriptors[1].offset, ==, 5);
  vtr_arena_finish (&arena);
}

static void
test_push_descriptors (VtrTestBound *self, gconstpointer data)
{
  g_autofree VtrBoundState *state = g_new (VtrBoundState, 1);
  VkDescriptorBufferInfo buffer = { H (VkBuffer, 0x33), 0, 16 };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstBinding = 1,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    .pBufferInfo = &buffer,
  };
  VtrDescriptorContents contents;
  guint64 push, draw;
  VtrArena arena;

  add_sets (self->test);
  vtr_test_begin (self->test, CB);
  push = ADD (self->test, vkCmdPushDescriptorSetKHR, .commandBuffer = BUFFER,
              .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
              .layout = H (VkPipelineLayout, 0x90), .set = 1, .descriptorWriteCount = 1,
              .pDescriptorWrites = &write);
  draw = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  vtr_test_bound_open (self);

  vtr_test_bound_get (self, draw, state);
  g_assert_cmpuint (state->bind_points[1].pushed, ==, 1u << 1);
  g_assert_cmpuint (state->bind_points[0].pushed, ==, 0);
  vtr_arena_init (&arena);
  g_assert_true (vtr_descriptors_get_pushed (self->history, push, &arena, &contents, NULL));
  g_assert_cmpuint (contents.layout->handle, ==, 0x62);
  g_assert_cmpuint (contents.bindings[1].descriptors[0].buffer, ==, 0x33);
  g_assert_false (contents.bindings[0].descriptors[0].written);
  vtr_arena_finish (&arena);
}

int
main (int argc, char **argv)
{
#define TEST(name, function) \
  g_test_add ("/engine/state/bound-state/" name, VtrTestBound, NULL, vtr_test_bound_set_up, \
              function, vtr_test_bound_tear_down)

  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  TEST ("dynamic-offsets", test_dynamic_offsets);
  TEST ("descriptors", test_descriptors);
  TEST ("templates", test_templates);
  TEST ("push-descriptors", test_push_descriptors);
  return g_test_run ();
}
