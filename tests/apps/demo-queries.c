/* vtr-app-demo-queries: queries of samples, statistics and primitives around draws, whose results
 * the GPU copies into a buffer that the next draws read, and which the program reads. */
#include "vtr-app-demo.h"

#define N 8u

typedef struct
{
  VtrAppDemo demo;
  VkQueryPool occlusion, statistics;
  VtrAppBuffer *results, *draws;
} Queries;

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
  return pool;
}

static void
start (VtrAppDemo *demo)
{
  Queries *self = (Queries *)demo;

  self->occlusion = make_pool (demo, VK_QUERY_TYPE_OCCLUSION, 0);
  self->statistics = make_pool (demo, VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
                                  VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT);
  self->results = vtr_app_demo_buffer (demo, "results", 512, 0);
  self->draws = vtr_app_demo_buffer (demo, "draws", 64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
}

/* Draws as many instances as statistic 1 says primitives were clipped. */
static void
draw_counted (Queries *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkDrawIndirectCommand command = { 3, 0, 0, 0 };

  vkCmdUpdateBuffer (demo->commands, self->draws->buffer, 0, sizeof command, &command);
  vtr_app_barrier (demo->commands);
  vkCmdCopyQueryPoolResults (demo->commands, self->statistics, 0, 1, self->results->buffer, 256, 8,
                             VK_QUERY_RESULT_WAIT_BIT);
  vtr_app_barrier (demo->commands);
  vkCmdCopyBuffer (demo->commands, self->results->buffer, self->draws->buffer, 1,
                   &(VkBufferCopy){ 260, 4, 4 });
  vtr_app_barrier (demo->commands);
  vtr_app_demo_begin_rendering (demo);
  vtr_app_demo_triangle (demo, 6);
  if (!demo->scene.stopped)
    vkCmdDrawIndirect (demo->commands, self->draws->buffer, 0, 1, 16);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

static void
fetch (Queries *self)
{
  uint64_t results[2 * 3] = { 0 };

  vtr_app_demo_flush (&self->demo);
  vtr_app_check (vkGetQueryPoolResults (self->demo.scene.gpu.device, self->occlusion, 0, 3,
                                        sizeof results, results, 16,
                                        VK_QUERY_RESULT_64_BIT |
                                          VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
                 "vkGetQueryPoolResults");
  if (results[1] == 0 || results[0] == 0)
    vtr_app_fail ("no sample has passed");
}

static void
draw (VtrAppDemo *demo)
{
  Queries *self = (Queries *)demo;

  if (demo->frame == 0)
    {
      vkCmdResetQueryPool (demo->commands, self->occlusion, 0, N);
      vkCmdResetQueryPool (demo->commands, self->statistics, 0, N);
    }
  else /* by the host: what hostQueryReset is for */
    {
      vtr_app_demo_flush (demo);
      vkResetQueryPool (demo->scene.gpu.device, self->occlusion, 0, N);
      vkResetQueryPool (demo->scene.gpu.device, self->statistics, 0, N);
    }
  vkCmdBeginQuery (demo->commands, self->statistics, 0, 0); /* around the pass */
  vtr_app_demo_begin_rendering (demo);
  vkCmdBeginQuery (demo->commands, self->occlusion, 0, VK_QUERY_CONTROL_PRECISE_BIT);
  vtr_app_demo_triangle (demo, 1);
  vtr_app_demo_check (demo);
  vtr_app_demo_triangle (demo, 3);
  vkCmdEndQuery (demo->commands, self->occlusion, 0);
  for (uint32_t i = 1; i < 3 && !demo->scene.stopped; i++)
    {
      vkCmdBeginQuery (demo->commands, self->occlusion, i, 0);
      vtr_app_demo_triangle (demo, 3 + 2 * i);
      vkCmdEndQuery (demo->commands, self->occlusion, i);
    }
  vtr_app_demo_end_rendering (demo);
  vkCmdEndQuery (demo->commands, self->statistics, 0);
  if (demo->scene.stopped)
    return;
  vkCmdCopyQueryPoolResults (demo->commands, self->occlusion, 0, 3, self->results->buffer, 0, 16,
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT |
                               VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  draw_counted (self);
  if (!demo->scene.stopped)
    fetch (self);
}

int
main (int    argc,
      char **argv)
{
  Queries self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "queries of samples and statistics",
                                              .features = { .occlusionQueryPrecise = VK_TRUE,
                                                            .pipelineStatisticsQuery = VK_TRUE },
                                              .features12 = { .hostQueryReset = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
