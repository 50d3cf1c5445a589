/* vtr-app-demo-results: results of queries that ended before the first frame, used in every
 * frame: copied in every form, alone and beside queries that are counted again, drawn as texels,
 * as number of instances and as condition, and read by the program. --times: also copies
 * timestamps. */
#include "vtr-app-demo.h"

#include "demo_feedback_vert.h"

#include <string.h>

#define N 6u
#define BYTES 512u

typedef struct
{
  VtrAppDemo demo;
  bool timed;
  VkQueryPool occlusion, statistics, feedback, times;
  VtrAppBuffer *results, *draws, *vertices;
  VkCommandBuffer again; /* recorded once, submitted in every frame */
  VkPipeline keeping;
  PFN_vkCmdBeginConditionalRenderingEXT begin_conditional;
  PFN_vkCmdEndConditionalRenderingEXT end_conditional;
} Results;

static VkQueryPool
make_pool (VtrAppDemo                    *demo,
           VkQueryType                    type,
           VkQueryPipelineStatisticFlags  statistics)
{
  const VkQueryPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = type,
    .queryCount = N,
    .pipelineStatistics = statistics,
  };
  VkQueryPool pool;

  vtr_app_check (vkCreateQueryPool (demo->scene.gpu.device, &info, NULL, &pool),
                 "vkCreateQueryPool");
  VTR_APP_KEEP (&demo->scene, QUERY_POOL, pool);
  vkCmdResetQueryPool (demo->commands, pool, 0, N);
  return pool;
}

/* --- Before the first frame ------------------------------------------------------------------ */

static void
set_vertex (VkGraphicsPipelineCreateInfo *create,
            void                         *data)
{
  vtr_app_demo_set_stage (create, 0, data);
}

static void
count_feedback (Results *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDeviceSize offset = 0, size = 1024;

  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->keeping);
  VTR_APP_NEED (demo, vkCmdBindTransformFeedbackBuffersEXT)
  (demo->commands, 0, 1, &self->vertices->buffer, &offset, &size);
  VTR_APP_NEED (demo, vkCmdBeginQueryIndexedEXT)
  (demo->commands, self->feedback, 0, 0, 0);
  VTR_APP_NEED (demo, vkCmdBeginTransformFeedbackEXT)
  (demo->commands, 0, 0, NULL, NULL);
  for (uint32_t i = 0; i < 3; i++)
    vtr_app_demo_triangle (demo, i);
  VTR_APP_NEED (demo, vkCmdEndTransformFeedbackEXT)
  (demo->commands, 0, 0, NULL, NULL);
  VTR_APP_NEED (demo, vkCmdEndQueryIndexedEXT)
  (demo->commands, self->feedback, 0, 0);
  vtr_app_demo_end_rendering (demo);
}

/* Queries 0 to 4: of another number of samples each. */
static void
count_samples (Results *self)
{
  VtrAppDemo *demo = &self->demo;

  vkCmdBeginQuery (demo->commands, self->statistics, 1, 0);
  vtr_app_demo_begin_rendering (demo);
  for (uint32_t i = 0; i < 5; i++)
    {
      vkCmdBeginQuery (demo->commands, self->occlusion, i, VK_QUERY_CONTROL_PRECISE_BIT);
      for (uint32_t j = 0; j <= i; j++)
        vtr_app_demo_triangle (demo, 2 * i + j);
      vkCmdEndQuery (demo->commands, self->occlusion, i);
    }
  vtr_app_demo_end_rendering (demo);
  vkCmdEndQuery (demo->commands, self->statistics, 1);
}

static void
record_again (Results *self)
{
  VkCommandBuffer commands =
    vtr_app_commands (&self->demo.scene.gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  const VkCommandBufferBeginInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };

  vtr_app_check (vkBeginCommandBuffer (commands, &info), "vkBeginCommandBuffer");
  vkCmdCopyQueryPoolResults (commands, self->occlusion, 2, 1, self->results->buffer, 448, 0,
                             VK_QUERY_RESULT_WAIT_BIT);
  vtr_app_barrier (commands);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
  self->again = commands;
}

static void
start (VtrAppDemo *demo)
{
  Results *self = (Results *)demo;

  self->occlusion = make_pool (demo, VK_QUERY_TYPE_OCCLUSION, 0);
  self->statistics = make_pool (demo, VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
                                  VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT);
  self->feedback = make_pool (demo, VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 0);
  self->times = make_pool (demo, VK_QUERY_TYPE_TIMESTAMP, 0);
  self->results = vtr_app_demo_buffer (demo, "results", BYTES,
                                       VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
  self->draws = vtr_app_demo_buffer (demo, "draws", 64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  self->vertices = vtr_app_demo_buffer (demo, "vertices", 1024,
                                        VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT);
  self->keeping = vtr_app_demo_pipeline (
    demo, set_vertex,
    vtr_app_scene_shader (&demo->scene, demo_feedback_vert, sizeof demo_feedback_vert));
  self->begin_conditional = VTR_APP_NEED (demo, vkCmdBeginConditionalRenderingEXT);
  self->end_conditional = VTR_APP_NEED (demo, vkCmdEndConditionalRenderingEXT);
  count_samples (self);
  count_feedback (self);
  for (uint32_t i = 0; i < 3; i++)
    vkCmdWriteTimestamp2 (demo->commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, self->times, i);
  vtr_app_demo_flush (demo);
  record_again (self);
}

/* --- In every frame -------------------------------------------------------------------------- */

static void
copy (Results            *self,
      VkQueryPool         pool,
      uint32_t            first,
      uint32_t            n,
      uint32_t            offset,
      uint32_t            stride,
      VkQueryResultFlags  flags)
{
  vkCmdCopyQueryPoolResults (self->demo.commands, pool, first, n, self->results->buffer, offset,
                             stride, flags);
}

/* Query 4 is counted again in every frame, 3 is not; 5 is never there. */
static void
copy_results (Results *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkQueryResultFlags wide = VK_QUERY_RESULT_64_BIT,
                           told = VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;

  if (demo->frame > 0)
    vkResetQueryPool (demo->scene.gpu.device, self->occlusion, 4, 1);
  else
    vkCmdResetQueryPool (demo->commands, self->occlusion, 4, 1);
  vtr_app_demo_begin_rendering (demo);
  vkCmdBeginQuery (demo->commands, self->occlusion, 4, VK_QUERY_CONTROL_PRECISE_BIT);
  vtr_app_demo_triangle (demo, 4);
  vkCmdEndQuery (demo->commands, self->occlusion, 4);
  vtr_app_demo_end_rendering (demo);
  vtr_app_barrier (demo->commands);
  vkCmdFillBuffer (demo->commands, self->results->buffer, 0, BYTES, 0x20406080u);
  vtr_app_barrier (demo->commands);
  copy (self, self->occlusion, 0, 4, 0, 16, wide | told | VK_QUERY_RESULT_WAIT_BIT);
  copy (self, self->occlusion, 1, 3, 64, 12, VK_QUERY_RESULT_WAIT_BIT);
  copy (self, self->statistics, 1, 1, 128, 24, wide | told);
  copy (self, self->feedback, 0, 1, 160, 16, told | VK_QUERY_RESULT_PARTIAL_BIT);
  copy (self, self->occlusion, 2, 4, 192, 16, wide | told);
  if (self->timed)
    copy (self, self->times, 0, 4, 256, 8, told);
  vtr_app_barrier (demo->commands);
}

/* Shows the results as texels. */
static void
show_results (Results *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { 16, BYTES / 64, 1 },
  };

  vkCmdCopyBufferToImage (demo->commands, self->results->buffer, demo->color->image,
                          demo->color->layout, 1, &region);
  vtr_app_barrier (demo->commands);
}

/* As many instances as triangles were fed back, and a triangle if samples passed. */
static void
draw_results (Results *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDrawIndirectCommand command = { 3, 0, 0, 0 };
  const VkConditionalRenderingBeginInfoEXT condition = {
    .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
    .buffer = self->results->buffer,
    .offset = 16,
  };

  vkCmdUpdateBuffer (demo->commands, self->draws->buffer, 0, sizeof command, &command);
  vtr_app_barrier (demo->commands);
  vkCmdCopyBuffer (demo->commands, self->results->buffer, self->draws->buffer, 1,
                   &(VkBufferCopy){ 160, 4, 4 });
  vtr_app_barrier (demo->commands);
  vtr_app_demo_begin_rendering (demo);
  self->begin_conditional (demo->commands, &condition);
  vtr_app_demo_triangle (demo, 6);
  self->end_conditional (demo->commands);
  vtr_app_demo_check (demo);
  if (!demo->scene.stopped)
    vkCmdDrawIndirect (demo->commands, self->draws->buffer, 0, 1, 16);
  vtr_app_demo_end_rendering (demo);
}

static void
fetch (Results *self)
{
  uint64_t results[2] = { 0 };

  vtr_app_check (vkGetQueryPoolResults (self->demo.scene.gpu.device, self->occlusion, 2, 2,
                                        sizeof results, results, 8,
                                        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "vkGetQueryPoolResults");
  if (results[0] == 0 || results[1] <= results[0])
    vtr_app_fail ("the samples are gone");
}

/* Reads @n timestamps with their availability. A replay uses its own timestamps where the
 * program read none. */
static void
ask_times (Results  *self,
           uint32_t  first,
           uint32_t  n)
{
  uint32_t told[6] = { 0 };

  vtr_app_check (vkGetQueryPoolResults (self->demo.scene.gpu.device, self->times, first, n,
                                        n * 8, told, 8, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
                 "vkGetQueryPoolResults");
  for (uint32_t i = 0; i < n; i++)
    if (told[2 * i + 1] == 0)
      vtr_app_fail ("there is no time");
}

/* A time of this frame, which the program asks for when it has been copied, as those that were
 * written before the first frame. */
static void
use_time (Results *self)
{
  VtrAppDemo *demo = &self->demo;

  vkCmdResetQueryPool (demo->commands, self->times, 5, 1);
  vkCmdWriteTimestamp2 (demo->commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, self->times, 5);
  copy (self, self->times, 5, 1, 384, 4, VK_QUERY_RESULT_WAIT_BIT);
  vtr_app_barrier (demo->commands);
  show_results (self);
  vtr_app_demo_flush (demo);
  ask_times (self, 5, 1);
  ask_times (self, 0, 3);
}

static void
draw (VtrAppDemo *demo)
{
  Results *self = (Results *)demo;

  copy_results (self);
  vtr_app_demo_flush (demo);
  vtr_app_check (vkQueueSubmit (demo->scene.gpu.queue, 1,
                                &(VkSubmitInfo){ .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                                 .commandBufferCount = 1,
                                                 .pCommandBuffers = &self->again },
                                VK_NULL_HANDLE),
                 "vkQueueSubmit");
  vtr_app_check (vkQueueWaitIdle (demo->scene.gpu.queue), "vkQueueWaitIdle");
  show_results (self);
  draw_results (self);
  if (demo->scene.stopped)
    return;
  if (self->timed)
    use_time (self);
  fetch (self);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
                                            VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
    .transformFeedback = VK_TRUE,
  };
  static const VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
    .conditionalRendering = VK_TRUE,
  };
  Results self = { 0 };
  const VtrAppOption options[] = {
    { "--times", NULL, NULL, &self.timed, "copy times, too" },
    { NULL },
  };

  return vtr_app_demo_run (
    &self.demo,
    &(VtrAppDemoInfo){ .what = "queries of all kinds",
                       .options = options,
                       .extensions = extensions,
                       .features = { .occlusionQueryPrecise = VK_TRUE,
                                     .pipelineStatisticsQuery = VK_TRUE },
                       .features12 = { .hostQueryReset = VK_TRUE },
                       .more = { { &feedback, sizeof feedback },
                                 { &conditional, sizeof conditional } },
                       .start = start,
                       .draw = draw },
    argc, argv);
}
