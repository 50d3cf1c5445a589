/* vtr-app-demo-counted: a dispatch and draws whose numbers of vertices, primitives and fragments
 * are known.
 *
 * With --own it counts them itself, by queries of its own, and prints what they said in the last
 * frame: a line of the 11 pipeline statistics and the samples for each. That is what a measurement
 * of a run without --own must say. */
#include "vtr-app-demo.h"

#include "demo_counted_comp.h"

#include <inttypes.h>
#include <stdio.h>

#define N_STATISTICS 11u

/* The commands of a frame, in this order. */
static const struct
{
  uint32_t n_vertices, n_instances;
  float depth;
  VkRect2D scissor;
} steps[] = {
  { 0 }, /* the dispatch: 5 × 2 groups of 8 */
  { 3, 1, 0.5f, { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } } },
  { 3, 3, 0.5f, { { 4, 16 }, { 8, 16 } } }, /* no edge in it */
  { 6, 1, 0.5f, { { 8, 8 }, { 8, 8 } } },
  { 3, 1, 1.5f, { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } } }, /* behind it all */
};

#define N_STEPS (sizeof steps / sizeof steps[0])

typedef struct
{
  VtrAppDemo demo;
  VkPipeline compute;
  VkPipelineLayout layout;
  VkDescriptorSet set;
  bool own;
  VkQueryPool statistics, samples;
} Counted;

static VkQueryPool
make_pool (Counted                       *self,
           VkQueryType                    type,
           VkQueryPipelineStatisticFlags  statistics)
{
  const VkQueryPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = type,
    .queryCount = N_STEPS,
    .pipelineStatistics = statistics,
  };
  VkQueryPool pool;

  vtr_app_check (vkCreateQueryPool (self->demo.scene.gpu.device, &info, NULL, &pool),
                 "vkCreateQueryPool");
  VTR_APP_KEEP (&self->demo.scene, QUERY_POOL, pool);
  return pool;
}

static void
start (VtrAppDemo *demo)
{
  Counted *self = (Counted *)demo;
  VtrAppBuffer *count =
    vtr_app_demo_buffer (demo, "count", 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDescriptorSetLayoutBinding binding = {
    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    .descriptorCount = 1,
    .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
  };
  const VkDescriptorSetLayout layout = vtr_app_demo_set_layout (demo, &binding, 1, 0, NULL);
  const VkDescriptorBufferInfo buffer = { count->buffer, 0, VK_WHOLE_SIZE };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    .pBufferInfo = &buffer,
  };

  self->set = vtr_app_demo_set (demo, layout, &binding, 1, 0, NULL);
  write.dstSet = self->set;
  vkUpdateDescriptorSets (demo->scene.gpu.device, 1, &write, 0, NULL);
  self->layout = vtr_app_demo_layout (demo, layout, VK_SHADER_STAGE_COMPUTE_BIT);
  self->compute =
    vtr_app_demo_compute (demo, demo_counted_comp, sizeof demo_counted_comp, self->layout);
  if (!self->own)
    return;
  self->statistics =
    make_pool (self, VK_QUERY_TYPE_PIPELINE_STATISTICS, (1u << N_STATISTICS) - 1);
  self->samples = make_pool (self, VK_QUERY_TYPE_OCCLUSION, 0);
}

static void
begin (Counted  *self,
       uint32_t  step)
{
  if (!self->own)
    return;
  vkCmdBeginQuery (self->demo.commands, self->statistics, step, 0);
  if (steps[step].n_vertices > 0)
    vkCmdBeginQuery (self->demo.commands, self->samples, step, VK_QUERY_CONTROL_PRECISE_BIT);
}

static void
end (Counted  *self,
     uint32_t  step)
{
  if (!self->own)
    return;
  if (steps[step].n_vertices > 0)
    vkCmdEndQuery (self->demo.commands, self->samples, step);
  vkCmdEndQuery (self->demo.commands, self->statistics, step);
}

static void
draw (VtrAppDemo *demo)
{
  Counted *self = (Counted *)demo;
  VkCommandBuffer commands = demo->commands;

  vtr_app_barrier (commands);
  if (self->own)
    {
      vkCmdResetQueryPool (commands, self->statistics, 0, N_STEPS);
      vkCmdResetQueryPool (commands, self->samples, 0, N_STEPS);
    }
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->compute);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->layout, 0, 1, &self->set,
                           0, NULL);
  begin (self, 0);
  vkCmdDispatch (commands, 5, 2, 1);
  end (self, 0);
  vtr_app_barrier (commands);
  vtr_app_demo_begin_rendering (demo);
  for (uint32_t i = 1; i < N_STEPS; i++)
    {
      /* Covers everything. */
      const float push[8] = { -1, -1, 4, steps[i].depth, 0.5f, 0.25f, 0.75f, 1 };

      vkCmdPushConstants (commands, demo->scene.layout,
                          VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                          sizeof push, push);
      vkCmdSetScissor (commands, 0, 1, &steps[i].scissor);
      begin (self, i);
      vkCmdDraw (commands, steps[i].n_vertices, steps[i].n_instances, 0, 0);
      end (self, i);
    }
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Counted *self = (Counted *)demo;
  uint64_t counts[N_STEPS][N_STATISTICS] = { 0 };
  uint64_t samples[N_STEPS] = { 0 };

  if (!self->own)
    return;
  vtr_app_check (vkGetQueryPoolResults (demo->scene.gpu.device, self->statistics, 0, N_STEPS,
                                        sizeof counts, counts, sizeof counts[0],
                                        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "vkGetQueryPoolResults");
  vtr_app_check (vkGetQueryPoolResults (demo->scene.gpu.device, self->samples, 1, N_STEPS - 1,
                                        sizeof samples - sizeof samples[0], samples + 1,
                                        sizeof samples[0],
                                        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "vkGetQueryPoolResults");
  for (uint32_t i = 0; i < N_STEPS; i++)
    {
      printf ("counted");
      for (uint32_t k = 0; k < N_STATISTICS; k++)
        printf (" %" PRIu64, counts[i][k]);
      printf (" %" PRIu64 "\n", samples[i]);
    }
}

int
main (int    argc,
      char **argv)
{
  Counted self = { 0 };
  const VtrAppOption options[] = {
    { "--own", NULL, NULL, &self.own, "count by queries of its own" },
    { 0 },
  };

  return vtr_app_demo_run (
    &self.demo,
    &(VtrAppDemoInfo){
      .what = "pipeline statistics",
      .options = options,
      .features = { .pipelineStatisticsQuery = VK_TRUE, .occlusionQueryPrecise = VK_TRUE },
      .start = start,
      .draw = draw,
      .finish = finish },
    argc, argv);
}
