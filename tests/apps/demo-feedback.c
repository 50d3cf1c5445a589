/* vtr-app-demo-feedback: vertices that transform feedback stores, paused and resumed by a counter,
 * counted by a query, and drawn by their number. */
#include "vtr-app-demo.h"

#include "demo_feedback_vert.h"

#define BYTES 8192u

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer *vertices, *counter, *counts;
  VkPipeline keeping;
  VkQueryPool queries;
  PFN_vkCmdBindTransformFeedbackBuffersEXT bind;
  PFN_vkCmdBeginTransformFeedbackEXT begin;
  PFN_vkCmdEndTransformFeedbackEXT end;
  PFN_vkCmdDrawIndirectByteCountEXT draw_count;
  PFN_vkCmdBeginQueryIndexedEXT begin_query;
  PFN_vkCmdEndQueryIndexedEXT end_query;
} Feedback;

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  ((VkPipelineShaderStageCreateInfo *)create->pStages)[0].module = data;
}

static void
start (VtrAppDemo *demo)
{
  Feedback *self = (Feedback *)demo;
  const VkQueryPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT,
    .queryCount = 8,
  };

  self->vertices = vtr_app_demo_buffer (demo, "vertices", BYTES,
                                        VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT);
  self->counter =
    vtr_app_demo_buffer (demo, "counter", 64,
                         VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT |
                           VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  self->counts = vtr_app_demo_buffer (demo, "counts", 256, 0);
  self->keeping = vtr_app_demo_pipeline (
    demo, change,
    vtr_app_scene_shader (&demo->scene, demo_feedback_vert, sizeof demo_feedback_vert));
  vtr_app_check (vkCreateQueryPool (demo->scene.gpu.device, &info, NULL, &self->queries),
                 "vkCreateQueryPool");
  VTR_APP_KEEP (&demo->scene, QUERY_POOL, self->queries);
  self->bind = VTR_APP_NEED (demo, vkCmdBindTransformFeedbackBuffersEXT);
  self->begin = VTR_APP_NEED (demo, vkCmdBeginTransformFeedbackEXT);
  self->end = VTR_APP_NEED (demo, vkCmdEndTransformFeedbackEXT);
  self->draw_count = VTR_APP_NEED (demo, vkCmdDrawIndirectByteCountEXT);
  self->begin_query = VTR_APP_NEED (demo, vkCmdBeginQueryIndexedEXT);
  self->end_query = VTR_APP_NEED (demo, vkCmdEndQueryIndexedEXT);
}

/* One stretch of feedback; @resume: go on where the last one ended. */
static void
keep (Feedback *self,
      uint32_t  first,
      uint32_t  n,
      bool      resume,
      bool      check)
{
  VtrAppDemo *demo = &self->demo;
  const VkDeviceSize zero = 0;
  const bool going = !demo->scene.stopped;

  if (!going)
    return;
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->keeping);
  self->begin (demo->commands, 0, 1, resume ? &self->counter->buffer : NULL,
               resume ? &zero : NULL);
  for (uint32_t i = 0; i < n; i++)
    {
      vtr_app_demo_triangle (demo, first + i);
      if (check && i == 1)
        vtr_app_demo_check (demo);
    }
  self->end (demo->commands, 0, 1, &self->counter->buffer, &zero);
}

static void
draw (VtrAppDemo *demo)
{
  Feedback *self = (Feedback *)demo;
  const VkDeviceSize offset = demo->frame % 4 * 2048, size = 2048;

  vkCmdResetQueryPool (demo->commands, self->queries, 0, 8);
  vtr_app_demo_begin_rendering (demo);
  self->bind (demo->commands, 0, 1, &self->vertices->buffer, &offset, &size);
  self->begin_query (demo->commands, self->queries, 1, 0, 0);
  keep (self, 1, 3, false, demo->frame == 0);
  self->end_query (demo->commands, self->queries, 1, 0);
  vtr_app_demo_end_rendering (demo);
  vtr_app_barrier (demo->commands);
  vtr_app_demo_begin_rendering (demo);
  self->begin_query (demo->commands, self->queries, 2, 0, 0);
  keep (self, 5, 2, true, true);
  self->end_query (demo->commands, self->queries, 2, 0);
  vtr_app_demo_end_rendering (demo);
  if (demo->scene.stopped)
    return;
  vtr_app_barrier (demo->commands);
  vtr_app_demo_begin_rendering (demo);
  self->draw_count (demo->commands, 1, 0, self->counter->buffer, 0, 0, 160);
  vtr_app_demo_end_rendering (demo);
  vkCmdCopyQueryPoolResults (demo->commands, self->queries, 1, 2, self->counts->buffer, 0, 16,
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  vtr_app_barrier (demo->commands);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceTransformFeedbackFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
    .transformFeedback = VK_TRUE,
  };
  Feedback self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "transform feedback",
                                              .extensions = extensions,
                                              .more = { { &features, sizeof features } },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
