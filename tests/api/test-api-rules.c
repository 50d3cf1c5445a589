/* Tests ignored pointers: for every rule of the overlay, invalid pointers that the specification
 * ignores are not read when a call is observed, and others are. */
#include "vtr-random-tree.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-slot-private.h"

#include <glib.h>

#define GARBAGE ((void *)(uintptr_t)0x30)

/* --- Every rule, both ways ------------------------------------------------------------------- */

typedef struct
{
  guint8 *ignored; /* by field */
  guint8 *followed;
} Outcomes;

static void
note_pointer (void                  *data,
              const VtrVisitPointer *pointer)
{
  Outcomes *outcomes = data;
  gsize index = (gsize)(pointer->field - vtr_api_fields);

  if (pointer->ignored)
    outcomes->ignored[index] = 1;
  else
    outcomes->followed[index] = 1;
}

static void
note_handle (void                 *data,
             const VtrVisitHandle *handle)
{
  Outcomes *outcomes = data;
  gsize index = (gsize)(handle->field - vtr_api_fields);

  if (handle->field == NULL)
    return;
  if (handle->ignored)
    outcomes->ignored[index] = 1;
  else
    outcomes->followed[index] = 1;
}

static void
ignore_range (void       *data,
              const void *base,
              size_t      size)
{
  guint8 sum = 0;

  /* Touch it, for address checkers. */
  for (size_t i = 0; i < size; i++)
    sum ^= ((const guint8 *)base)[i];
  *(guint8 *)data ^= sum;
}

static void
observe_trees (VtrCmdId  cmd,
               guint     n_trees,
               Outcomes *outcomes)
{
  VtrApiVisitor visitor = { .data = outcomes, .handle = note_handle, .pointer = note_pointer };
  guint8 sum = 0;

  for (guint seed = 1000; seed < 1000 + n_trees; seed++)
    {
      VtrRandomTree tree;

      vtr_random_tree_init (&tree, cmd, seed);
      vtr_api_observe (cmd, tree.args, VTR_PHASE_BEFORE, 0, tree.env, ignore_range, &sum);
      vtr_api_observe (cmd, tree.args, VTR_PHASE_AFTER, 0, tree.env, ignore_range, &sum);
      vtr_api_visit (cmd, tree.args, tree.env, &visitor);
      vtr_random_tree_finish (&tree);
    }
}

static gsize
count_fields (void)
{
  gsize n_fields = 0;

  for (unsigned nth = 0; nth < VTR_N_STRUCTS; nth++)
    {
      VtrStructId id = vtr_struct_at (nth);
      gsize end = (gsize)vtr_struct_get (id)->first_field + vtr_struct_get (id)->n_fields;

      n_fields = MAX (n_fields, end);
    }
  return n_fields;
}

/* Whether the rule never says that the pointer is ignored, but at most that it may be. */
static gboolean
is_uncertain (VtrApiProgram program)
{
  const guint16 *word = &vtr_api_programs[program];

  for (; *word != VTR_OP_END; word++)
    switch ((VtrApiOp)*word)
      {
      case VTR_OP_UNKNOWN:
        return TRUE;
      case VTR_OP_ASK:
      case VTR_OP_ASK_OF:
      case VTR_OP_FIELD:
      case VTR_OP_ENTER:
      case VTR_OP_ENTER_AT:
      case VTR_OP_NONNULL:
        word++;
        break;
      case VTR_OP_CONST:
        word += 2;
        break;
      case VTR_OP_IN:
        word += 1 + 2 * word[1];
        break;
      default:
        break;
      }
  return FALSE;
}

static void
check_outcomes (const Outcomes *outcomes)
{
  for (unsigned k = 0; k < VTR_N_STRUCTS; k++)
    for (unsigned i = 0; i < vtr_api_structs[k].n_fields; i++)
      {
        gsize index = vtr_api_structs[k].first_field + i;
        const VtrApiField *field = &vtr_api_fields[index];

        if (field->live == 0 || (field->flags & VTR_FIELD_SELECTED) != 0 ||
            (field->pointers == 0 && field->kind != VTR_KIND_HANDLE))
          continue;
        if ((!outcomes->ignored[index] && !is_uncertain (field->live)) ||
            !outcomes->followed[index])
          g_error ("%s.%s: ignored %d, followed %d", vtr_api_string (vtr_api_structs[k].name),
                   vtr_api_string (field->name), outcomes->ignored[index],
                   outcomes->followed[index]);
      }
}

static void
test_every_rule (void)
{
  gsize n_fields = count_fields ();
  g_autofree guint8 *ignored = g_new0 (guint8, n_fields + G_MAXUINT16);
  g_autofree guint8 *followed = g_new0 (guint8, n_fields + G_MAXUINT16);
  Outcomes outcomes = { ignored, followed };

  /* Of pipelines few are derivatives of a handle. */
  for (unsigned i = 0; i < VTR_N_COMMANDS; i++)
    {
      VtrHandleId made = vtr_cmd_get (vtr_cmd_at (i))->create.handle;

      observe_trees (vtr_cmd_at (i), made == VTR_HANDLE_VkPipeline ? 1000 : 40, &outcomes);
    }
  /* Its rules depend on each other, and some hide deep in pNext chains. */
  observe_trees (VTR_CMD_vkCreateGraphicsPipelines, 6000, &outcomes);
  /* Later registries know so many structures for its chain that few trees have the right one. */
  observe_trees (VTR_CMD_vkBeginCommandBuffer, 1000, &outcomes);
  check_outcomes (&outcomes);
}

/* --- The ones that crash programs most ------------------------------------------------------- */

typedef struct
{
  const void *base;
  gboolean seen;
} Range;

static void
find_range (void       *data,
            const void *base,
            size_t      size)
{
  Range *range = data;

  range->seen |= base == range->base;
}

static gboolean
is_observed (VtrCmdId         cmd,
             const void      *args,
             const VtrApiEnv *env,
             const void      *base)
{
  Range range = { base, FALSE };

  vtr_api_observe (cmd, args, VTR_PHASE_BEFORE, 0, env, find_range, &range);
  return range.seen;
}

static void
test_sharing_mode (void)
{
  guint32 families[2] = { 0, 1 };
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    .queueFamilyIndexCount = 7,
    .pQueueFamilyIndices = GARBAGE,
  };
  VtrArgs_vkCreateBuffer args = { .pCreateInfo = &info };

  g_assert_false (is_observed (VTR_CMD_vkCreateBuffer, &args, NULL, GARBAGE));
  info.sharingMode = VK_SHARING_MODE_CONCURRENT;
  info.queueFamilyIndexCount = 2;
  info.pQueueFamilyIndices = families;
  g_assert_true (is_observed (VTR_CMD_vkCreateBuffer, &args, NULL, families));
}

static void
test_descriptor_write (void)
{
  VkDescriptorBufferInfo buffer = { 0 };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    .pImageInfo = GARBAGE,
    .pBufferInfo = &buffer,
    .pTexelBufferView = GARBAGE,
  };
  VtrArgs_vkUpdateDescriptorSets args = { .descriptorWriteCount = 1, .pDescriptorWrites = &write };

  g_assert_true (is_observed (VTR_CMD_vkUpdateDescriptorSets, &args, NULL, &buffer));
  write.descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
  write.pBufferInfo = GARBAGE;
  g_assert_false (is_observed (VTR_CMD_vkUpdateDescriptorSets, &args, NULL, GARBAGE));
}

static void
test_inheritance (void)
{
  VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .pInheritanceInfo = GARBAGE,
  };
  VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
  };
  VtrArgs_vkBeginCommandBuffer args = { .commandBuffer = (VkCommandBuffer)(uintptr_t)2,
                                        .pBeginInfo = &info };

  /* In the environment of these tests, even handles are primary command buffers; without it, the
   * level is unknown. */
  g_assert_false (is_observed (VTR_CMD_vkBeginCommandBuffer, &args, &vtr_random_env, GARBAGE));
  g_assert_false (is_observed (VTR_CMD_vkBeginCommandBuffer, &args, NULL, GARBAGE));
  args.commandBuffer = (VkCommandBuffer)(uintptr_t)3;
  info.pInheritanceInfo = &inheritance;
  g_assert_true (is_observed (VTR_CMD_vkBeginCommandBuffer, &args, &vtr_random_env, &inheritance));
}

static bool
is_readable (void       *data,
             const void *address,
             size_t      size)
{
  return address != GARBAGE;
}

/* If the rule's answer is unknown, everything that can be read is observed. */
static void
test_unknown (void)
{
  VtrApiEnv env = { .readable = is_readable };
  VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
  };
  VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .pInheritanceInfo = GARBAGE,
  };
  VtrArgs_vkBeginCommandBuffer args = { .pBeginInfo = &info };

  g_assert_false (is_observed (VTR_CMD_vkBeginCommandBuffer, &args, &env, GARBAGE));
  info.pInheritanceInfo = &inheritance;
  g_assert_true (is_observed (VTR_CMD_vkBeginCommandBuffer, &args, &env, &inheritance));
}

/* Memory that ends: what lies beyond may not be read. */
typedef struct
{
  const uint8_t *start;
  size_t size;
} Island;

static bool
is_on_island (void       *data,
              const void *address,
              size_t      size)
{
  const Island *self = data;
  uintptr_t offset = (uintptr_t)address - (uintptr_t)self->start;

  return offset <= self->size && size <= self->size - offset;
}

static unsigned
observe_device (VkDeviceCreateInfo *info,
                const VtrApiEnv    *env,
                Range              *range)
{
  VtrArgs_vkCreateDevice args = { .pCreateInfo = info };

  return vtr_api_observe (VTR_CMD_vkCreateDevice, &args, VTR_PHASE_BEFORE, 0, env, find_range,
                          range);
}

/* Behind a pointer that may be ignored every further one is asked about, and all of its bytes. */
static void
test_doubtful (void)
{
  struct
  {
    const char *names[3];
    char text[8];
  } place = { .names = { GARBAGE, GARBAGE, GARBAGE }, .text = "layer" };
  Island island = { (const uint8_t *)&place, sizeof place };
  VtrApiEnv env = { .data = &island, .readable = is_on_island };
  VkDeviceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .enabledLayerCount = 3,
    .ppEnabledLayerNames = place.names,
  };
  Range names = { place.names, FALSE }, text = { place.text, FALSE };

  place.names[1] = place.text;
  observe_device (&info, &env, &names);
  g_assert_true (names.seen);
  /* A string is measured within what can be read; this one's page is not all there. */
  observe_device (&info, &env, &text);
  g_assert_false (text.seen);
  island.start = (const uint8_t *)((uintptr_t)&place & ~(uintptr_t)4095);
  island.size = 3 * 4096;
  observe_device (&info, &env, &text);
  g_assert_true (text.seen);
  /* More elements than there are. */
  info.enabledLayerCount = 100000;
  names.seen = FALSE;
  g_assert_cmpuint (observe_device (&info, &env, &names), ==, VTR_OBSERVE_UNREADABLE);
  g_assert_false (names.seen);
  info.ppEnabledLayerNames = GARBAGE;
  g_assert_cmpuint (observe_device (&info, &env, &names), ==, VTR_OBSERVE_UNREADABLE);
}

/* Formats of attachments beside a render pass, and in libraries without fragment output. */
static void
test_rendering_formats (void)
{
  VkGraphicsPipelineLibraryCreateInfoEXT library = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
    .flags = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
  };
  VkPipelineRenderingCreateInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
    .colorAttachmentCount = 2,
    .pColorAttachmentFormats = GARBAGE,
  };
  VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .pNext = &rendering,
    .renderPass = (VkRenderPass)(uintptr_t)4,
  };
  VtrArgs_vkCreateGraphicsPipelines args = { .createInfoCount = 1, .pCreateInfos = &info };

  g_assert_false (
    is_observed (VTR_CMD_vkCreateGraphicsPipelines, &args, &vtr_random_env, GARBAGE));
  info.renderPass = VK_NULL_HANDLE;
  g_assert_true (
    is_observed (VTR_CMD_vkCreateGraphicsPipelines, &args, &vtr_random_env, GARBAGE));
  rendering.pNext = &library;
  g_assert_false (
    is_observed (VTR_CMD_vkCreateGraphicsPipelines, &args, &vtr_random_env, GARBAGE));
}

/* Of an unknown structure only the header is read, and the flag says so. */
static void
test_opaque (void)
{
  VkBaseInStructure stranger = { .sType = (VkStructureType)0x7ffffff0 };
  VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &stranger };
  VtrArgs_vkCreateBuffer args = { .pCreateInfo = &info };
  Range range = { &stranger, FALSE };

  g_assert_cmpuint (vtr_api_observe (VTR_CMD_vkCreateBuffer, &args, VTR_PHASE_BEFORE, 0, NULL,
                                     find_range, &range),
                    ==, VTR_OBSERVE_OPAQUE_NEXT);
  g_assert_true (range.seen);
}

static void
test_pipeline (void)
{
  VkPipelineRasterizationStateCreateInfo raster = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
    .rasterizerDiscardEnable = VK_TRUE,
  };
  VkPipelineViewportStateCreateInfo viewport = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .pViewports = GARBAGE,
    .scissorCount = 1,
    .pScissors = GARBAGE,
  };
  VkDynamicState states[] = { VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR };
  VkPipelineDynamicStateCreateInfo dynamic = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
    .dynamicStateCount = 2,
    .pDynamicStates = states,
  };
  VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .pTessellationState = GARBAGE,
    .pViewportState = GARBAGE,
    .pRasterizationState = &raster,
    .pMultisampleState = GARBAGE,
    .pDepthStencilState = GARBAGE,
    .pColorBlendState = GARBAGE,
    .pDynamicState = &dynamic,
    .renderPass = (VkRenderPass)(uintptr_t)4, /* no attachments */
  };
  VtrArgs_vkCreateGraphicsPipelines args = { .createInfoCount = 1, .pCreateInfos = &info };

  g_assert_false (
    is_observed (VTR_CMD_vkCreateGraphicsPipelines, &args, &vtr_random_env, GARBAGE));
  raster.rasterizerDiscardEnable = VK_FALSE;
  info.pViewportState = &viewport;
  info.pMultisampleState = NULL;
  g_assert_true (
    is_observed (VTR_CMD_vkCreateGraphicsPipelines, &args, &vtr_random_env, &viewport));
  g_assert_false (
    is_observed (VTR_CMD_vkCreateGraphicsPipelines, &args, &vtr_random_env, GARBAGE));
}

static void
test_failed_calls (void)
{
  VkBuffer buffer = (VkBuffer)(uintptr_t)0;
  VkPipeline pipelines[2] = { VK_NULL_HANDLE, (VkPipeline)(uintptr_t)5 };
  VkComputePipelineCreateInfo infos[2] = { { 0 } };
  VtrArgs_vkCreateBuffer create = { .pBuffer = &buffer };
  VtrArgs_vkCreateComputePipelines compute = {
    .createInfoCount = 2, .pCreateInfos = infos, .pPipelines = pipelines
  };
  Range range = { &buffer, FALSE };

  vtr_api_observe (VTR_CMD_vkCreateBuffer, &create, VTR_PHASE_AFTER, VK_ERROR_OUT_OF_HOST_MEMORY,
                   NULL, find_range, &range);
  g_assert_false (range.seen);
  vtr_api_observe (VTR_CMD_vkCreateBuffer, &create, VTR_PHASE_AFTER, VK_SUCCESS, NULL, find_range,
                   &range);
  g_assert_true (range.seen);
  range = (Range){ pipelines, FALSE };
  vtr_api_observe (VTR_CMD_vkCreateComputePipelines, &compute, VTR_PHASE_AFTER,
                   VK_ERROR_OUT_OF_HOST_MEMORY, NULL, find_range, &range);
  g_assert_true (range.seen);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/rules/every-rule", test_every_rule);
  g_test_add_func ("/api/rules/sharing-mode", test_sharing_mode);
  g_test_add_func ("/api/rules/descriptor-write", test_descriptor_write);
  g_test_add_func ("/api/rules/inheritance", test_inheritance);
  g_test_add_func ("/api/rules/unknown", test_unknown);
  g_test_add_func ("/api/rules/doubtful", test_doubtful);
  g_test_add_func ("/api/rules/rendering-formats", test_rendering_formats);
  g_test_add_func ("/api/rules/opaque", test_opaque);
  g_test_add_func ("/api/rules/pipeline", test_pipeline);
  g_test_add_func ("/api/rules/failed-calls", test_failed_calls);
  return g_test_run ();
}
