/* vtr-app-demo-stages: a geometry shader, and tessellation.
 */
#include "vtr-app-demo.h"

#include "demo_stages_geom.h"
#include "demo_stages_tesc.h"
#include "demo_stages_tese.h"

typedef struct
{
  VtrAppDemo demo;
  VkPipeline geometry, tessellation;
} Stages;

static VkPipelineShaderStageCreateInfo
stage_of (VtrAppDemo            *demo,
          VkShaderStageFlagBits  stage,
          const uint32_t        *code,
          size_t                 size)
{
  return (VkPipelineShaderStageCreateInfo){
    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
    .stage = stage,
    .module = vtr_app_scene_shader (&demo->scene, code, size),
    .pName = "main",
  };
}

static void
add_geometry (VkGraphicsPipelineCreateInfo *create,
              void                         *data)
{
  static VkPipelineShaderStageCreateInfo stages[3];

  stages[0] = create->pStages[0];
  stages[1] = create->pStages[1];
  stages[2] =
    stage_of (data, VK_SHADER_STAGE_GEOMETRY_BIT, demo_stages_geom, sizeof demo_stages_geom);
  create->stageCount = 3;
  create->pStages = stages;
}

static void
add_tessellation (VkGraphicsPipelineCreateInfo *create,
                  void                         *data)
{
  static const VkPipelineTessellationStateCreateInfo patches = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
    .patchControlPoints = 3,
  };
  static VkPipelineShaderStageCreateInfo stages[4];

  stages[0] = create->pStages[0];
  stages[1] = create->pStages[1];
  stages[2] = stage_of (data, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, demo_stages_tesc,
                        sizeof demo_stages_tesc);
  stages[3] = stage_of (data, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, demo_stages_tese,
                        sizeof demo_stages_tese);
  create->stageCount = 4;
  create->pStages = stages;
  create->pTessellationState = &patches;
  ((VkPipelineInputAssemblyStateCreateInfo *)create->pInputAssemblyState)->topology =
    VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
}

static void
start (VtrAppDemo *demo)
{
  Stages *self = (Stages *)demo;

  self->geometry = vtr_app_demo_pipeline (demo, add_geometry, demo);
  self->tessellation = vtr_app_demo_pipeline (demo, add_tessellation, demo);
}

static void
draw (VtrAppDemo *demo)
{
  Stages *self = (Stages *)demo;

  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->geometry);
  vtr_app_demo_triangle (demo, 1);
  vtr_app_demo_check (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->tessellation);
  vtr_app_demo_triangle (demo, 5);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  Stages self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "geometry and tessellation shaders",
                                              .features = { .geometryShader = VK_TRUE,
                                                            .tessellationShader = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
