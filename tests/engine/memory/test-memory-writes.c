/* Tests which storage buffers count as possibly written, depending on the shaders that run. */
#include "vtr-test-trace.h"

#include "engine/document/vtr-document-memory.h"
#include "engine/memory/vtr-memory.h"
#include "engine/vulkan/state/vtr-state.h"

#define CB 0x1000
#define DEVICE H (VkDevice, 3)
#define MEMORY 0x51
#define BUFFER 0x61
#define LAYOUT 0x71
#define SET 0x72
#define PIPELINE 0x80 /* and its module 0x90: of each Shader */
#define MODULE 0x90
/* Each of the three bindings has one part of the buffer. */
#define PART 256
#define N_BINDINGS 3

typedef enum
{
  SHADER_READS,       /* bindings 0 and 1 are readonly */
  SHADER_WRITES,      /* 0 is readonly, 1 is not */
  SHADER_WRITES_ALSO, /* the same in another module */
  SHADER_UNKNOWN,     /* there is no module */
  SHADER_GROUPED,     /* as READS, but decorates groups of ids */
  N_SHADERS,
} Shader;

static void
add_op (GArray *words,
        guint32 opcode,
        guint n,
        ...)
{
  guint32 word = (n + 1) << 16 | opcode;
  va_list operands;

  g_array_append_val (words, word);
  va_start (operands, n);
  for (guint i = 0; i < n; i++)
    {
      word = va_arg (operands, guint32);
      g_array_append_val (words, word);
    }
  va_end (operands);
}

static GArray *
make_code (Shader shader)
{
  static const guint32 header[] = { 0x07230203, 0x00010300, 0, 200, 0 };
  GArray *words = g_array_new (FALSE, FALSE, sizeof (guint32));

  g_array_append_vals (words, header, G_N_ELEMENTS (header));
  for (guint32 i = 0; i < 2; i++)
    {
      add_op (words, 71, 3, 20 + i, 34, 0); /* DescriptorSet */
      add_op (words, 71, 3, 20 + i, 33, i); /* Binding */
    }
  add_op (words, 72, 3, 10, 0, 24); /* NonWritable */
  if (shader != SHADER_WRITES && shader != SHADER_WRITES_ALSO)
    add_op (words, 72, 3, 11, 0, 24);
  if (shader == SHADER_GROUPED)
    add_op (words, 74, 2, 60, 21); /* OpGroupDecorate */
  add_op (words, 21, 3, 3, 32, 0);
  add_op (words, 29, 2, 4, 3);
  add_op (words, 43, 3, 3, 6, 0); /* 0 */
  for (guint32 i = 0; i < 2; i++)
    {
      add_op (words, 30, 2, 10 + i, 4);          /* { uint[] } */
      add_op (words, 32, 3, 30 + i, 12, 10 + i); /* its pointer */
      add_op (words, 59, 3, 30 + i, 20 + i, 12); /* variable */
    }
  add_op (words, 54, 4, 1, 40, 0, 2);
  for (guint32 i = 0; i < 2; i++)
    add_op (words, 65, 5, 3, 50 + i, 20 + i, 6, 6); /* access chain */
  add_op (words, 56, 0);
  return words;
}

static void
add_pipelines (VtrTestTrace *test)
{
  for (guint i = 0; i < N_SHADERS; i++)
    {
      g_autoptr (GArray) words = make_code (i);
      VkShaderModule module = H (VkShaderModule, MODULE + i);
      VkPipeline pipeline = H (VkPipeline, PIPELINE + i);
      const VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = words->len * sizeof (guint32),
        .pCode = (const guint32 *)(void *)words->data,
      };
      const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                   .module = module,
                   .pName = "main" },
      };

      if (i != SHADER_UNKNOWN)
        ADD (test, vkCreateShaderModule, .device = DEVICE, .pCreateInfo = &module_info,
             .pShaderModule = &module);
      ADD (test, vkCreateComputePipelines, .device = DEVICE, .createInfoCount = 1,
           .pCreateInfos = &info, .pPipelines = &pipeline);
    }
}

/* Binding i has the bytes from i * PART on. @split: by one write for each; otherwise one write
 * continues from binding 0. */
static guint
make_writes (VkWriteDescriptorSet   writes[N_BINDINGS],
             VkDescriptorBufferInfo infos[N_BINDINGS],
             gboolean               split)
{
  for (guint i = 0; i < N_BINDINGS; i++)
    {
      infos[i] = (VkDescriptorBufferInfo){ H (VkBuffer, BUFFER), i * PART, PART };
      writes[i] = (VkWriteDescriptorSet){
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = H (VkDescriptorSet, SET),
        .dstBinding = i,
        .descriptorCount = split ? 1 : N_BINDINGS,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = &infos[i],
      };
    }
  return split ? N_BINDINGS : 1;
}

static void
add_set (VtrTestTrace *test)
{
  VkDescriptorSetLayoutBinding bindings[N_BINDINGS];
  const VkDescriptorSetLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = N_BINDINGS,
    .pBindings = bindings,
  };
  VkDescriptorSetLayout layout = H (VkDescriptorSetLayout, LAYOUT);
  VkDescriptorSet set = H (VkDescriptorSet, SET);
  const VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = H (VkDescriptorPool, 0x73),
    .descriptorSetCount = 1,
    .pSetLayouts = &layout,
  };
  VkDescriptorBufferInfo infos[N_BINDINGS];
  VkWriteDescriptorSet writes[N_BINDINGS];
  guint n = make_writes (writes, infos, FALSE);

  for (guint i = 0; i < N_BINDINGS; i++)
    bindings[i] = (VkDescriptorSetLayoutBinding){ i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                  VK_SHADER_STAGE_COMPUTE_BIT, NULL };
  ADD (test, vkCreateDescriptorSetLayout, .device = DEVICE, .pCreateInfo = &info,
       .pSetLayout = &layout);
  ADD (test, vkAllocateDescriptorSets, .device = DEVICE, .pAllocateInfo = &allocate,
       .pDescriptorSets = &set);
  ADD (test, vkUpdateDescriptorSets, .device = DEVICE, .descriptorWriteCount = n,
       .pDescriptorWrites = writes);
}

static VtrTestTrace *
begin_trace (void)
{
  VtrTestTrace *test = vtr_test_trace_new ();
  guint8 zeros[N_BINDINGS * PART] = { 0 };

  vtr_test_add_device (test);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, CB);
  vtr_test_add_memory (test, MEMORY, 4096);
  vtr_test_add_buffer (test, BUFFER, 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  vtr_test_bind_buffer (test, BUFFER, MEMORY, 0);
  vtr_test_trace_add_mapped_write (test, MEMORY, 0, zeros, sizeof zeros);
  add_set (test);
  add_pipelines (test);
  vtr_test_begin (test, CB);
  return test;
}

static void
bind_set (VtrTestTrace *test)
{
  VkDescriptorSet set = H (VkDescriptorSet, SET);

  ADD (test, vkCmdBindDescriptorSets, .commandBuffer = H (VkCommandBuffer, CB),
       .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE, .descriptorSetCount = 1,
       .pDescriptorSets = &set);
}

static void
push_set (VtrTestTrace *test,
          gboolean      split)
{
  VkDescriptorBufferInfo infos[N_BINDINGS];
  VkWriteDescriptorSet writes[N_BINDINGS];
  guint n = make_writes (writes, infos, split);

  ADD (test, vkCmdPushDescriptorSetKHR, .commandBuffer = H (VkCommandBuffer, CB),
       .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE, .descriptorWriteCount = n,
       .pDescriptorWrites = writes);
}

static guint64
run (VtrTestTrace *test,
     Shader        shader)
{
  ADD (test, vkCmdBindPipeline, .commandBuffer = H (VkCommandBuffer, CB),
       .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
       .pipeline = H (VkPipeline, PIPELINE + shader));
  return ADD (test, vkCmdDispatch, .commandBuffer = H (VkCommandBuffer, CB), .groupCountX = 1,
              .groupCountY = 1, .groupCountZ = 1);
}

static VtrDocument *
end_trace (VtrTestTrace *test)
{
  vtr_test_end (test, CB);
  vtr_test_submit (test, CB);
  return vtr_test_trace_open_document (test);
}

/* Bit i: the part of binding i may have been written up to the command at @index. */
static guint
list_written (VtrDocument *document,
              guint64      index)
{
  VtrMemory *memory = vtr_document_get_memory (document);
  const VtrObject *object = vtr_history_find (vtr_document_get_history (document),
                                              vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory,
                                                                   MEMORY),
                                              index);
  guint written = 0;

  g_assert_nonnull (object);
  for (guint i = 0; i < N_BINDINGS; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (VtrMemoryView) view = vtr_memory_read (memory, index, VTR_NO_RUN,
                                                        object->id, i * PART, PART, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (view->spans->len, ==, 1);
      if (g_array_index (view->spans, VtrMemorySpan, 0).kind == VTR_MEMORY_GPU_MAYBE)
        written |= 1u << i;
    }
  return written;
}

/* What @shader may write of the bound set, or of what is pushed. */
static guint
try_shader (Shader   shader,
            gboolean pushed,
            gboolean split)
{
  g_autoptr (VtrTestTrace) test = begin_trace ();
  g_autoptr (VtrDocument) document = NULL;
  guint64 dispatch;

  if (pushed)
    push_set (test, split);
  else
    bind_set (test);
  dispatch = run (test, shader);
  document = end_trace (test);
  return list_written (document, dispatch);
}

static void
test_bound (void)
{
  g_assert_cmphex (try_shader (SHADER_READS, FALSE, FALSE), ==, 0);
  g_assert_cmphex (try_shader (SHADER_WRITES, FALSE, FALSE), ==, 0x2);
}

/* A push in one piece continues into bindings whose length is unknown. */
static void
test_pushed (void)
{
  g_assert_cmphex (try_shader (SHADER_READS, TRUE, TRUE), ==, 0);
  g_assert_cmphex (try_shader (SHADER_READS, TRUE, FALSE), ==, 0);
  g_assert_cmphex (try_shader (SHADER_WRITES, TRUE, TRUE), ==, 0x2);
  g_assert_cmphex (try_shader (SHADER_WRITES, TRUE, FALSE), ==, 0x6);
}

static void
test_unknown (void)
{
  g_assert_cmphex (try_shader (SHADER_UNKNOWN, FALSE, FALSE), ==, 0x7);
  g_assert_cmphex (try_shader (SHADER_UNKNOWN, TRUE, FALSE), ==, 0x7);
  g_assert_cmphex (try_shader (SHADER_GROUPED, FALSE, FALSE), ==, 0x7);
}

/* Pipelines change under a bound set. */
static void
test_changes (void)
{
  g_autoptr (VtrTestTrace) test = begin_trace ();
  g_autoptr (VtrDocument) document = NULL;
  guint64 reads, writes, also, unknown;
  g_autoptr (VtrMemoryView) view = NULL;
  const VtrObject *object;

  bind_set (test);
  reads = run (test, SHADER_READS);
  writes = run (test, SHADER_WRITES);
  also = run (test, SHADER_WRITES_ALSO);
  run (test, SHADER_READS);
  unknown = run (test, SHADER_UNKNOWN);
  document = end_trace (test);
  g_assert_cmphex (list_written (document, reads), ==, 0);
  g_assert_cmphex (list_written (document, writes), ==, 0x2);
  g_assert_cmphex (list_written (document, also), ==, 0x2);
  g_assert_cmphex (list_written (document, unknown), ==, 0x7);

  /* The last one that may have written is blamed, not the one that only read after it. */
  object = vtr_history_find (vtr_document_get_history (document),
                             vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory, MEMORY), also);
  view = vtr_memory_read (vtr_document_get_memory (document), unknown - 1, VTR_NO_RUN,
                          object->id, PART, 4, NULL, NULL);
  g_assert_cmpuint (g_array_index (view->spans, VtrMemorySpan, 0).index, ==, also);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/memory/writes/bound", test_bound);
  g_test_add_func ("/engine/memory/writes/pushed", test_pushed);
  g_test_add_func ("/engine/memory/writes/unknown", test_unknown);
  g_test_add_func ("/engine/memory/writes/changes", test_changes);
  return g_test_run ();
}
