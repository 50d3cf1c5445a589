/* Tests the initial state of a real GAPID trace, as a graph and as calls. */
#include "api/vtr-api-args.h"
#include "engine/format/vtr-content-record.h"
#include "engine/format/vtr-trace-private.h"
#include "engine/gapid/vtr-gapid-initial.h"
#include "engine/vulkan/read/vtr-trace-device.h"
#include "engine/vulkan/state/vtr-state.h"

#include <string.h>

static VtrTrace *
open_sample (void)
{
  const char *path = g_getenv ("VITRINE_SAMPLE_TRACE");
  g_autoptr (GError) error = NULL;
  VtrTrace *trace;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("VITRINE_SAMPLE_TRACE names no file");
      return NULL;
    }
  trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  return trace;
}

static gboolean
find_state (VtrTrace            *trace,
            VtrPackChunk        *chunk,
            const VtrTraceType **type)
{
  const guint8 *at = trace->data + VTR_PACK_HEADER_SIZE, *end = trace->data + trace->size;

  while (vtr_pack_read (&at, end, chunk) == VTR_OK)
    {
      *type = chunk->kind == VTR_PACK_OBJECT ? vtr_trace_types_lookup (trace->types, chunk->type)
                                             : NULL;
      if (*type != NULL && g_str_equal ((*type)->type.name, "vulkan.State"))
        return TRUE;
    }
  return FALSE;
}

static void
test_graph (void)
{
  static const struct
  {
    const char *field;
    guint n;
  } maps[] = {
    { "Instances", 1 },
    { "PhysicalDevices", 1 },
    { "Devices", 1 },
    { "Queues", 1 },
    { "CommandBuffers", 5 },
    { "DeviceMemories", 8 },
    { "Buffers", 5 },
    { "BufferViews", 0 },
    { "Images", 5 },
    { "ImageViews", 5 },
    { "ShaderModules", 2 },
    { "GraphicsPipelines", 1 },
    { "ComputePipelines", 0 },
    { "PipelineLayouts", 1 },
    { "Samplers", 1 },
    { "DescriptorSets", 2 },
    { "DescriptorSetLayouts", 1 },
    { "DescriptorPools", 1 },
    { "Fences", 2 },
    { "Semaphores", 4 },
    { "Events", 0 },
    { "QueryPools", 0 },
    { "Framebuffers", 2 },
    { "RenderPasses", 1 },
    { "PipelineCaches", 0 },
    { "CommandPools", 3 },
    { "Surfaces", 1 },
    { "Swapchains", 1 },
    { "DisplayModes", 0 },
    { "DebugReportCallbacks", 0 },
    { "SamplerYcbcrConversions", 0 },
    { "DescriptorUpdateTemplates", 0 },
    { "TransferBufferMemoryRequirements", 1 },
    { "LastDrawInfos", 1 },
    { "LastComputeInfos", 0 },
  };
  g_autoptr (VtrTrace) trace = open_sample ();
  const VtrTraceType *type;
  VtrGapidValue *state;
  VtrPackChunk chunk;
  VtrArena arena;
  guint n_broken;
  gsize n;

  if (trace == NULL)
    return;
  vtr_arena_init (&arena);
  g_assert_true (find_state (trace, &chunk, &type));
  g_assert_cmpuint (type->type.n_fields, ==, 39);
  state = vtr_gapid_parse (trace->types, type, chunk.message, chunk.size, &arena, &n_broken);
  g_assert_nonnull (state);
  g_assert_cmpuint (n_broken, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    {
      (void)vtr_gapid_list_entries (vtr_gapid_get (state, maps[i].field), &arena, &n);
      if (n != maps[i].n)
        g_error ("%s has %" G_GSIZE_FORMAT " entries", maps[i].field, n);
    }
  g_assert_cmpuint (vtr_gapid_get_number (state, "LastSubmission"), ==, 1);
  {
    /* An object that is referred to twice is one node. */
    const VtrGapidEntry *queues =
      vtr_gapid_list_entries (vtr_gapid_get (state, "Queues"), &arena, &n);

    g_assert_true (queues[0].value == vtr_gapid_get (state, "LastBoundQueue"));
  }
  vtr_arena_finish (&arena);
}

/* Every message of the state cut or flipped somewhere: nothing worse than less state. */
static void
test_hostile (void)
{
  g_autoptr (VtrTrace) trace = open_sample ();
  g_autofree guint8 *copy = NULL;
  const VtrTraceType *type;
  VtrPackChunk chunk;
  guint n_whole = 0;

  if (trace == NULL)
    return;
  g_assert_true (find_state (trace, &chunk, &type));
  copy = g_malloc (chunk.size);
  for (gsize i = 0; i < chunk.size; i += g_test_quick () ? 37 : 1)
    {
      g_autoptr (VtrGapidInitial) initial = NULL;
      gsize size = i % 3 == 0 ? i : chunk.size;

      memcpy (copy, chunk.message, chunk.size);
      copy[i] ^= (guint8)(1u << (i % 8));
      initial = vtr_gapid_initial_build (trace->types, type, copy, size, NULL, 0, NULL, NULL);
      g_assert_nonnull (initial);
      n_whole += initial->commands->len > 0;
    }
  g_assert_cmpuint (n_whole, >, 0);
}

typedef struct
{
  VtrTrace *trace;
  VtrArena arena;
} Reader;

/* The arguments of the @nth initial call of @id. */
static void *
find_call (Reader   *reader,
           VtrCmdId  id,
           guint     nth)
{
  VtrCommand command;

  for (guint64 i = 0; i < vtr_trace_get_n_initial_commands (reader->trace); i++)
    if (vtr_trace_get_command_id (reader->trace, i) == id && nth-- == 0)
      {
        g_assert_true (vtr_trace_decode (reader->trace, i, &reader->arena, &command, NULL));
        g_assert_true (command.flags & VTR_COMMAND_INITIAL);
        g_assert_false (command.flags & VTR_COMMAND_DAMAGED);
        return command.args;
      }
  g_assert_not_reached ();
}

static void
check_pipeline (Reader *reader)
{
  const VtrArgs_vkCreateGraphicsPipelines *args =
    find_call (reader, VTR_CMD_vkCreateGraphicsPipelines, 0);
  const VkGraphicsPipelineCreateInfo *info = args->pCreateInfos;

  g_assert_cmphex ((guint64)args->pPipelines[0], ==, 0x55c1a09040c0);
  g_assert_cmpuint (info->stageCount, ==, 2);
  g_assert_cmpuint (info->pStages[0].stage, ==, 1);
  g_assert_cmpuint (info->pStages[1].stage, ==, 16);
  g_assert_cmpstr (info->pStages[0].pName, ==, "main");
  g_assert_cmpint (info->pInputAssemblyState->topology, ==, 3);
  g_assert_cmpuint (info->pVertexInputState->pVertexBindingDescriptions[0].stride, ==, 32);
  g_assert_cmpuint (info->pVertexInputState->vertexAttributeDescriptionCount, ==, 3);
  g_assert_cmpint (info->pVertexInputState->pVertexAttributeDescriptions[0].format, ==, 106);
  g_assert_cmpint (info->pVertexInputState->pVertexAttributeDescriptions[1].format, ==, 103);
  g_assert_cmpuint (info->pVertexInputState->pVertexAttributeDescriptions[1].offset, ==, 12);
  g_assert_cmpuint (info->pVertexInputState->pVertexAttributeDescriptions[2].offset, ==, 20);
  g_assert_cmpuint (info->pRasterizationState->cullMode, ==, 2);
  g_assert_cmpint (info->pRasterizationState->frontFace, ==, 1);
  g_assert_cmpfloat (info->pRasterizationState->lineWidth, ==, 1);
  g_assert_true (info->pDepthStencilState->depthTestEnable);
  g_assert_true (info->pDepthStencilState->depthWriteEnable);
  g_assert_cmpint (info->pDepthStencilState->depthCompareOp, ==, 1);
}

static void
test_calls (void)
{
  Reader reader = { .trace = open_sample () };

  if (reader.trace == NULL)
    return;
  vtr_arena_init (&reader.arena);
  g_assert_null (vtr_trace_get_warning (reader.trace));
  {
    const VtrArgs_vkCreateSwapchainKHR *args =
      find_call (&reader, VTR_CMD_vkCreateSwapchainKHR, 0);

    g_assert_cmpint (args->pCreateInfo->imageFormat, ==, 44);
    g_assert_cmpuint (args->pCreateInfo->imageExtent.width, ==, 1024);
    g_assert_cmpuint (args->pCreateInfo->imageExtent.height, ==, 768);
    g_assert_cmpuint (args->pCreateInfo->minImageCount, ==, 2);
    g_assert_cmpuint (args->pCreateInfo->imageUsage, ==, 16);
    g_assert_cmpint (args->pCreateInfo->presentMode, ==, 2);
  }
  {
    const VtrArgs_vkCreateShaderModule *args =
      find_call (&reader, VTR_CMD_vkCreateShaderModule, 0);

    g_assert_cmpuint (args->pCreateInfo->codeSize, ==, 1772);
    g_assert_cmphex (args->pCreateInfo->pCode[0], ==, 0x07230203);
  }
  {
    const VtrArgs_vkCreateFence *args = find_call (&reader, VTR_CMD_vkCreateFence, 1);

    g_assert_cmpuint (args->pCreateInfo->flags, ==, VK_FENCE_CREATE_SIGNALED_BIT);
  }
  check_pipeline (&reader);
  {
    const VtrTraceDevice *device = vtr_trace_get_device (reader.trace, 0);

    g_assert_nonnull (device);
    g_assert_cmpstr (device->properties.deviceName, ==, "Quadro P1000");
    g_assert_cmpuint (device->memory.memoryTypeCount, >, 9);
    g_assert_cmpuint (device->n_queue_families, >, 0);
    g_assert_cmpint (vtr_trace_get_command_id (reader.trace, device->command), ==,
                     VTR_CMD_vkCreateDevice);
  }
  vtr_arena_finish (&reader.arena);
  vtr_trace_unref (reader.trace);
}

static void
test_contents (void)
{
  g_autoptr (VtrTrace) trace = open_sample ();
  const VtrContentRecord *writes;
  guint64 start, bytes = 0;
  guint n_images = 0;
  VtrArena arena;
  gsize n;

  if (trace == NULL)
    return;
  vtr_arena_init (&arena);
  start = vtr_trace_get_n_initial_commands (trace);
  n = vtr_trace_get_contents (trace, start, &arena, &writes, NULL);
  g_assert_cmpuint (n, ==, 8);
  for (gsize i = 0; i < n; i++)
    {
      n_images += writes[i].what == VTR_CONTENT_TEXELS;
      bytes += writes[i].size;
      g_assert_true ((writes[i].kind == VTR_HANDLE_VkImage) ==
                     (writes[i].what == VTR_CONTENT_TEXELS));
    }
  g_assert_cmpuint (n_images, ==, 3);
  g_assert_cmpuint (bytes, ==, 3674936 - 1068 - 1772);
  /* The flush of the first frame: a page was observed. 256 bytes of it are the memory that is
     flushed; below them lies the end of what was mapped all the time. */
  n = vtr_trace_get_contents (trace, start + 8, &arena, &writes, NULL);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmphex (writes[0].object, ==, 0x55c1a0926210);
  g_assert_cmpuint (writes[0].offset, ==, 263168 - 0xc00);
  g_assert_cmpuint (writes[0].size, ==, 0xc00);
  g_assert_cmphex (writes[1].object, ==, 0x55c1a0920e80);
  g_assert_cmpuint (writes[1].offset, ==, 0);
  g_assert_cmpuint (writes[1].size, ==, 256);
  vtr_arena_finish (&arena);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/format/gapid-state/graph", test_graph);
  g_test_add_func ("/engine/format/gapid-state/calls", test_calls);
  g_test_add_func ("/engine/format/gapid-state/contents", test_contents);
  g_test_add_func ("/engine/format/gapid-state/hostile", test_hostile);
  return g_test_run ();
}
