/* Tests cutting in the middle of a command buffer, and leaving out work that is not needed, on
 * traces of the test's own. */
#include <string.h>

#include "engine/vulkan/transforms/vtr-transforms.h"
#include "vtr-test-trace.h"

/* --- What arrives at the end of a chain ------------------------------------------------------ */

typedef struct
{
  VtrCmdId id;
  guint64 index;
  guint64 first;  /* first handle parameter: the command buffer of a recorded command */
  guint64 detail; /* of some commands */
} Seen;

typedef struct
{
  VtrTransform parent;
  GArray *seen;
  gboolean all_stored; /* of the last render pass created */
  gboolean all_loaded;
} Sink;

static gboolean
sink_command (VtrTransform  *transform,
              VtrCommand    *command,
              GError       **error)
{
  Sink *self = (Sink *)transform;
  Seen seen = { command->id, command->index, *(guint64 *)command->args, 0 };

  switch (command->id)
    {
    case VTR_CMD_vkCmdBeginRenderPass:
      seen.detail = (guint64)(gsize)((VtrArgs_vkCmdBeginRenderPass *)command->args)
                      ->pRenderPassBegin->renderPass;
      break;
    case VTR_CMD_vkCreateRenderPass:
      {
        const VtrArgs_vkCreateRenderPass *args = command->args;

        seen.detail = (guint64)(gsize)*args->pRenderPass;
        self->all_stored = self->all_loaded = TRUE;
        for (guint32 i = 0; i < args->pCreateInfo->attachmentCount; i++)
          {
            const VkAttachmentDescription *attachment = &args->pCreateInfo->pAttachments[i];

            if (attachment->storeOp != VK_ATTACHMENT_STORE_OP_STORE)
              self->all_stored = FALSE;
            if (attachment->loadOp != VK_ATTACHMENT_LOAD_OP_LOAD)
              self->all_loaded = FALSE;
          }
        break;
      }
    case VTR_CMD_vkAllocateCommandBuffers:
      seen.detail =
        (guint64)(gsize)((VtrArgs_vkAllocateCommandBuffers *)command->args)->pCommandBuffers[0];
      break;
    case VTR_CMD_vkQueueSubmit:
      {
        const VkSubmitInfo *batch = ((VtrArgs_vkQueueSubmit *)command->args)->pSubmits;

        seen.detail = batch->commandBufferCount > 0 ? (guint64)(gsize)batch->pCommandBuffers[0] : 0;
        break;
      }
    default:
      break;
    }
  g_array_append_val (self->seen, seen);
  return TRUE;
}

static gboolean
sink_end (VtrTransform  *self,
          GError       **error)
{
  return TRUE;
}

static void
sink_free (VtrTransform *self)
{
  g_array_unref (((Sink *)self)->seen);
  g_free (self);
}

static const VtrTransformClass sink_class = {
  .name = "sink",
  .command = sink_command,
  .end = sink_end,
  .free = sink_free,
};

static Sink *
sink_new (void)
{
  Sink *self = g_new0 (Sink, 1);

  self->parent.klass = &sink_class;
  self->seen = g_array_new (FALSE, FALSE, sizeof (Seen));
  return self;
}

/* The next command with @id from *@at on, which is moved past it. */
static const Seen *
next_seen (Sink     *sink,
           guint    *at,
           VtrCmdId  id)
{
  while (*at < sink->seen->len)
    {
      const Seen *seen = &g_array_index (sink->seen, Seen, (*at)++);

      if (seen->id == id)
        return seen;
    }
  return NULL;
}

/* --- A trace --------------------------------------------------------------------------------- */

enum
{
  POOL = 10,
  BUFFER = 0x1001,
  COLOR = 20,
  COLOR_VIEW = 21,
  PASS = 30,
  FRAMEBUFFER = 31,
};

#define SIZE 64

static void
add_target (VtrTestTrace      *trace,
            guint64            image,
            guint64            view,
            VkImageUsageFlags  usage)
{
  VkImage image_handle = H (VkImage, image);
  VkImageView view_handle = H (VkImageView, view);
  const VkImageCreateInfo image_info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .extent = { SIZE, SIZE, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = usage,
  };
  const VkImageViewCreateInfo view_info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = image_handle,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };

  ADD (trace, vkCreateImage, .device = H (VkDevice, 3), .pCreateInfo = &image_info,
       .pImage = &image_handle);
  ADD (trace, vkCreateImageView, .device = H (VkDevice, 3), .pCreateInfo = &view_info,
       .pView = &view_handle);
}

static void
add_pass (VtrTestTrace       *trace,
          guint64             pass,
          VkAttachmentLoadOp  load,
          guint32             n_subpasses)
{
  VkRenderPass handle = H (VkRenderPass, pass);
  const VkAttachmentDescription attachment = {
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .loadOp = load,
    .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
    .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    .initialLayout =
      load == VK_ATTACHMENT_LOAD_OP_LOAD ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED,
    .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
  };
  const VkAttachmentReference reference = { 0, VK_IMAGE_LAYOUT_GENERAL };
  VkSubpassDescription subpasses[2] = { { .colorAttachmentCount = 1,
                                          .pColorAttachments = &reference } };
  VkRenderPassCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &attachment,
    .pSubpasses = subpasses,
  };

  subpasses[1] = subpasses[0];
  info.subpassCount = n_subpasses;
  ADD (trace, vkCreateRenderPass, .device = H (VkDevice, 3), .pCreateInfo = &info,
       .pRenderPass = &handle);
}

static void
add_framebuffer (VtrTestTrace *trace,
                 guint64       framebuffer,
                 guint64       pass,
                 guint64       view)
{
  VkFramebuffer handle = H (VkFramebuffer, framebuffer);
  VkImageView view_handle = H (VkImageView, view);
  const VkFramebufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
    .renderPass = H (VkRenderPass, pass),
    .attachmentCount = 1,
    .pAttachments = &view_handle,
    .width = SIZE,
    .height = SIZE,
    .layers = 1,
  };

  ADD (trace, vkCreateFramebuffer, .device = H (VkDevice, 3), .pCreateInfo = &info,
       .pFramebuffer = &handle);
}

static guint64
begin_pass (VtrTestTrace *trace,
            guint64       buffer,
            guint64       pass,
            guint64       framebuffer)
{
  const VkRenderPassBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
    .renderPass = H (VkRenderPass, pass),
    .framebuffer = H (VkFramebuffer, framebuffer),
    .renderArea = { { 0, 0 }, { SIZE, SIZE } },
  };

  return ADD (trace, vkCmdBeginRenderPass, .commandBuffer = H (VkCommandBuffer, buffer),
              .pRenderPassBegin = &info);
}

/* Drives @chain over commands [0, @end). */
static void
drive (VtrTransform *chain,
       VtrTrace     *trace,
       guint64       end)
{
  g_autoptr (GError) error = NULL;

  vtr_transform_run (chain, trace, end, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* --- Cutting --------------------------------------------------------------------------------- */

/* A draw in the first of two subpasses, inside a query, of a command buffer submitted twice. */
static void
test_cut (void)
{
  g_autoptr (VtrTestTrace) writer = vtr_test_trace_new ();
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (VtrTimeline) timeline = NULL;
  g_autoptr (VtrHistory) history = NULL;
  g_autoptr (GError) error = NULL;
  guint64 draw, second, first_submit, second_submit, end;

  vtr_test_add_device (writer);
  vtr_test_add_pool (writer, POOL, 0);
  add_target (writer, COLOR, COLOR_VIEW, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  add_pass (writer, PASS, VK_ATTACHMENT_LOAD_OP_CLEAR, 2);
  add_framebuffer (writer, FRAMEBUFFER, PASS, COLOR_VIEW);
  vtr_test_allocate_buffer (writer, POOL, BUFFER);
  vtr_test_begin (writer, BUFFER);
  begin_pass (writer, BUFFER, PASS, FRAMEBUFFER);
  ADD (writer, vkCmdBeginQuery, .commandBuffer = H (VkCommandBuffer, BUFFER),
       .queryPool = H (VkQueryPool, 50), .query = 3);
  draw = vtr_test_draw (writer, BUFFER);
  second = vtr_test_draw (writer, BUFFER);
  ADD (writer, vkCmdEndQuery, .commandBuffer = H (VkCommandBuffer, BUFFER),
       .queryPool = H (VkQueryPool, 50), .query = 3);
  ADD (writer, vkCmdNextSubpass, .commandBuffer = H (VkCommandBuffer, BUFFER));
  vtr_test_end_pass (writer, BUFFER);
  vtr_test_end (writer, BUFFER);
  first_submit = vtr_test_submit (writer, BUFFER);
  second_submit = vtr_test_submit (writer, BUFFER);
  trace = vtr_test_trace_open (writer);
  timeline = vtr_timeline_build (trace, NULL, NULL, NULL, &error);
  history = vtr_history_build (trace, NULL, NULL, NULL, &error);
  g_assert_no_error (error);

  for (guint run = 0; run < 2; run++)
    {
      static const VtrCmdId closing[] = { VTR_CMD_vkCmdDraw, VTR_CMD_vkCmdEndQuery,
                                          VTR_CMD_vkCmdNextSubpass, VTR_CMD_vkCmdEndRenderPass,
                                          VTR_CMD_vkEndCommandBuffer };
      Sink *sink = sink_new ();
      g_autoptr (VtrTransform) chain = vtr_transform_chain (
        vtr_transform_cut_new (timeline, history, draw, run, &end, &error), &sink->parent, NULL);
      guint64 copy = 0;
      guint64 clone = 0;
      const Seen *last;
      guint at = 0;

      g_assert_no_error (error);
      g_assert_cmpuint (end, ==, (run == 0 ? first_submit : second_submit) + 1);
      drive (chain, trace, end);

      /* A command buffer of its own, and a render pass that stores. */
      g_assert_nonnull (next_seen (sink, &at, VTR_CMD_vkAllocateCommandBuffers));
      copy = next_seen (sink, &at, VTR_CMD_vkAllocateCommandBuffers)->detail;
      g_assert_true (copy != BUFFER);
      clone = next_seen (sink, &at, VTR_CMD_vkCreateRenderPass)->detail;
      g_assert_true (clone != PASS);
      g_assert_true (sink->all_stored);

      /* What is recorded into it, in order; the second draw is not. */
      for (guint i = 0, seen = at; i < G_N_ELEMENTS (closing);)
        {
          const Seen *command = next_seen (sink, &seen, closing[i]);

          g_assert_nonnull (command);
          g_assert_true (command->index != second || command->first != copy);
          i += command->first == copy;
        }
      last = &g_array_index (sink->seen, Seen, sink->seen->len - 1);
      g_assert_cmpuint (last->id, ==, VTR_CMD_vkQueueSubmit);
      g_assert_cmpuint (last->detail, ==, copy);

      /* The original is only recorded where an earlier run needs it. */
      at = 0;
      for (const Seen *seen; (seen = next_seen (sink, &at, VTR_CMD_vkCmdDraw)) != NULL;)
        g_assert_true (seen->first == copy || run == 1);
    }
}

typedef struct
{
  VtrTransform parent;
  guint n_buffers;  /* command buffers of submissions that were skipped */
  guint n_barriers; /* commands that were recorded into the copy: new handles */
} Skipped;

static void
note_skipped (VtrTransform *transform,
              VtrCommand   *command)
{
  Skipped *self = (Skipped *)transform;

  if (command->id == VTR_CMD_vkQueueSubmit)
    {
      const VtrArgs_vkQueueSubmit *args = command->args;

      for (guint32 i = 0; i < args->submitCount; i++)
        self->n_buffers += args->pSubmits[i].commandBufferCount;
    }
  else
    self->n_barriers += vtr_transform_is_new_handle (*(guint64 *)command->args);
}

static void
free_skipped (VtrTransform *self)
{
}

/* A copy that begins in the middle: of a pass that goes on, in the second command buffer of a
 * submission. */
static void
test_cut_started (void)
{
  static const VtrTransformClass skipped_class = { .name = "skipped",
                                                   .skipped = note_skipped,
                                                   .free = free_skipped };
  g_autoptr (VtrTestTrace) writer = vtr_test_trace_new ();
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (VtrTimeline) timeline = NULL;
  g_autoptr (VtrHistory) history = NULL;
  g_autoptr (GError) error = NULL;
  const VkCommandBuffer buffers[] = { H (VkCommandBuffer, BUFFER),
                                      H (VkCommandBuffer, BUFFER + 1) };
  const VkSubmitInfo batch = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 2,
                               .pCommandBuffers = buffers };
  guint64 begin, barrier, pass, draw, second, submit, end;
  Skipped skipped = { .parent.klass = &skipped_class };
  VtrCutStart start = { 0 };
  Sink *sink = sink_new ();
  VtrTransform *chain;
  const Seen *last;

  vtr_test_add_device (writer);
  vtr_test_add_pool (writer, POOL, 0);
  add_target (writer, COLOR, COLOR_VIEW, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  add_pass (writer, PASS, VK_ATTACHMENT_LOAD_OP_CLEAR, 1);
  add_framebuffer (writer, FRAMEBUFFER, PASS, COLOR_VIEW);
  vtr_test_allocate_buffer (writer, POOL, BUFFER);
  vtr_test_begin (writer, BUFFER);
  vtr_test_end (writer, BUFFER);
  vtr_test_allocate_buffer (writer, POOL, BUFFER + 1);
  begin = vtr_test_begin (writer, BUFFER + 1);
  barrier = ADD (writer, vkCmdPipelineBarrier, .commandBuffer = buffers[1]);
  pass = begin_pass (writer, BUFFER + 1, PASS, FRAMEBUFFER);
  draw = vtr_test_draw (writer, BUFFER + 1);
  second = vtr_test_draw (writer, BUFFER + 1);
  vtr_test_draw (writer, BUFFER + 1);
  vtr_test_end_pass (writer, BUFFER + 1);
  vtr_test_end (writer, BUFFER + 1);
  submit = ADD (writer, vkQueueSubmit, .queue = H (VkQueue, 4), .submitCount = 1,
                .pSubmits = &batch);
  trace = vtr_test_trace_open (writer);
  timeline = vtr_timeline_build (trace, NULL, NULL, NULL, &error);
  history = vtr_history_build (trace, NULL, NULL, NULL, &error);
  g_assert_no_error (error);

  chain = vtr_transform_cut_new (timeline, history, second, VTR_NO_RUN, &end, &error);
  g_assert_no_error (error);
  vtr_transform_chain (chain, &skipped.parent, &sink->parent, NULL);
  start = (VtrCutStart){ .after = draw, .pass_begin = pass };
  vtr_transform_cut_start_at (chain, &start);
  vtr_transform_feed (chain, trace, begin, &error);
  {
    VtrCommand command = { .id = VTR_CMD_vkCmdPipelineBarrier,
                           .index = barrier,
                           .args = &(VtrArgs_vkCmdPipelineBarrier){ .commandBuffer = buffers[1] } };

    vtr_transform_skipped (chain, &command);
  }
  vtr_transform_feed (chain, trace, pass, &error);
  vtr_transform_feed (chain, trace, second, &error);
  vtr_transform_feed (chain, trace, submit, &error);
  g_assert_no_error (error);

  g_assert_cmpuint (skipped.n_barriers, ==, 1);
  g_assert_cmpuint (skipped.n_buffers, ==, 1);
  g_assert_true (sink->all_loaded);
  g_assert_true (sink->all_stored);
  last = &g_array_index (sink->seen, Seen, sink->seen->len - 1);
  g_assert_cmpuint (last->id, ==, VTR_CMD_vkQueueSubmit);
  g_assert_true (vtr_transform_is_new_handle (last->detail));
  for (guint i = 0; i < sink->seen->len; i++)
    g_assert_cmpuint (g_array_index (sink->seen, Seen, i).index, !=, draw);
  vtr_transform_free (chain);
}

static void
test_cut_errors (void)
{
  g_autoptr (VtrTestTrace) writer = vtr_test_trace_new ();
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (VtrTimeline) timeline = NULL;
  g_autoptr (VtrHistory) history = NULL;
  g_autoptr (GError) error = NULL;
  guint64 draw, end;

  vtr_test_add_device (writer);
  vtr_test_add_pool (writer, POOL, 0);
  vtr_test_allocate_buffer (writer, POOL, BUFFER);
  vtr_test_begin (writer, BUFFER);
  draw = vtr_test_draw (writer, BUFFER);
  vtr_test_end (writer, BUFFER);
  trace = vtr_test_trace_open (writer);
  timeline = vtr_timeline_build (trace, NULL, NULL, NULL, &error);
  history = vtr_history_build (trace, NULL, NULL, NULL, &error);
  g_assert_null (vtr_transform_cut_new (timeline, history, draw, VTR_NO_RUN, &end, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED);
}

/* --- Dead work ------------------------------------------------------------------------------- */

typedef struct
{
  const char *name;
  VkAttachmentLoadOp load;      /* of the passes */
  VkImageUsageFlags more_usage; /* of the image */
  gboolean barrier;             /* a memory barrier in every command buffer */
  guint64 expected;             /* bit per submission that need not run for the last one */
} DeadCase;

static const DeadCase dead_cases[] = {
  { "overwritten", VK_ATTACHMENT_LOAD_OP_CLEAR, 0, FALSE, 0x3 },
  { "loaded", VK_ATTACHMENT_LOAD_OP_LOAD, 0, FALSE, 0x0 },
  { "sampled", VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_USAGE_SAMPLED_BIT, FALSE, 0x0 },
  { "memory-barrier", VK_ATTACHMENT_LOAD_OP_CLEAR, 0, TRUE, 0x0 },
};

/* Three submissions of a command buffer each, into one image; what does the image after the third
 * depend on? */
static void
test_dead (gconstpointer data)
{
  const DeadCase *which = data;
  g_autoptr (VtrTestTrace) writer = vtr_test_trace_new ();
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (VtrTimeline) timeline = NULL;
  g_autoptr (VtrDeadWork) work = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree guint64 *dead = NULL;
  g_autofree guint64 *before = NULL;
  const guint64 images[] = { COLOR };
  guint64 begin = 0;
  guint64 submit = 0;

  vtr_test_add_device (writer);
  vtr_test_add_pool (writer, POOL, 0);
  add_target (writer, COLOR, COLOR_VIEW, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | which->more_usage);
  add_pass (writer, PASS, which->load, 1);
  add_framebuffer (writer, FRAMEBUFFER, PASS, COLOR_VIEW);
  for (guint i = 0; i < 3; i++)
    {
      const VkMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER };

      vtr_test_allocate_buffer (writer, POOL, BUFFER + i);
      begin = vtr_test_begin (writer, BUFFER + i);
      if (which->barrier)
        ADD (writer, vkCmdPipelineBarrier, .commandBuffer = H (VkCommandBuffer, BUFFER + i),
             .memoryBarrierCount = 1, .pMemoryBarriers = &barrier);
      begin_pass (writer, BUFFER + i, PASS, FRAMEBUFFER);
      vtr_test_draw (writer, BUFFER + i);
      vtr_test_end_pass (writer, BUFFER + i);
      vtr_test_end (writer, BUFFER + i);
      submit = vtr_test_submit (writer, BUFFER + i);
    }
  trace = vtr_test_trace_open (writer);
  timeline = vtr_timeline_build (trace, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  work = vtr_dead_work_build (trace, timeline, NULL, &error);
  g_assert_no_error (error);

  dead = vtr_dead_work_find (work, submit, 1, G_MAXUINT64, images, 1);
  g_assert_cmphex (dead[0], ==, which->expected);
  /* Before the third has begun its pass, the image is the second's. */
  before = vtr_dead_work_find (work, submit, 1, begin, images, 1);
  g_assert_cmphex (before[0], ==, which->expected & 1);

  if (which->expected != 0)
    {
      Sink *sink = sink_new ();
      g_autoptr (VtrTransform) chain = vtr_transform_chain (
        vtr_transform_skip_dead_new (work, timeline, submit, 1, G_MAXUINT64, images, 1),
        &sink->parent, NULL);
      guint at = 0;

      drive (chain, trace, submit + 1);
      g_assert_cmpuint (next_seen (sink, &at, VTR_CMD_vkCmdDraw)->first, ==, BUFFER + 2);
      at = 0;
      g_assert_cmpuint (next_seen (sink, &at, VTR_CMD_vkQueueSubmit)->detail, ==, 0);
      g_assert_cmpuint (next_seen (sink, &at, VTR_CMD_vkQueueSubmit)->detail, ==, 0);
      g_assert_cmpuint (next_seen (sink, &at, VTR_CMD_vkQueueSubmit)->detail, ==, BUFFER + 2);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/transforms/cut/runs", test_cut);
  g_test_add_func ("/engine/transforms/cut/started", test_cut_started);
  g_test_add_func ("/engine/transforms/cut/errors", test_cut_errors);
  for (guint i = 0; i < G_N_ELEMENTS (dead_cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/transforms/dead/%s", dead_cases[i].name);

      g_test_add_data_func (path, &dead_cases[i], test_dead);
    }
  return g_test_run ();
}
