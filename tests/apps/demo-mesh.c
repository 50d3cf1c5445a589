/* vtr-app-demo-mesh: task and mesh shaders: drawn directly, by an indirect command, and with the
 * number of draws from a buffer. */
#include "vtr-app-demo.h"

#include "demo_mesh_frag.h"
#include "demo_mesh_mesh.h"
#include "demo_mesh_task.h"

#include <string.h>

typedef struct
{
  VtrAppDemo demo;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VtrAppBuffer *commands; /* two VkDrawMeshTasksIndirectCommandEXT, then a count */
  PFN_vkCmdDrawMeshTasksEXT draw;
  PFN_vkCmdDrawMeshTasksIndirectEXT draw_indirect;
  PFN_vkCmdDrawMeshTasksIndirectCountEXT draw_counted;
} Mesh;

#define COUNT_AT 64u

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static VkPipelineShaderStageCreateInfo stages[3];
  Mesh *self = data;
  VtrAppScene *scene = &self->demo.scene;

  for (uint32_t i = 0; i < 3; i++)
    stages[i] = (VkPipelineShaderStageCreateInfo){
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      .pName = "main",
    };
  stages[0].stage = VK_SHADER_STAGE_TASK_BIT_EXT;
  stages[0].module = vtr_app_scene_shader (scene, demo_mesh_task, sizeof demo_mesh_task);
  stages[1].stage = VK_SHADER_STAGE_MESH_BIT_EXT;
  stages[1].module = vtr_app_scene_shader (scene, demo_mesh_mesh, sizeof demo_mesh_mesh);
  stages[2].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[2].module = vtr_app_scene_shader (scene, demo_mesh_frag, sizeof demo_mesh_frag);
  create->stageCount = 3;
  create->pStages = stages;
  create->pVertexInputState = NULL;
  create->pInputAssemblyState = NULL;
  create->layout = self->layout;
}

static void
start (VtrAppDemo *demo)
{
  static const VkDrawMeshTasksIndirectCommandEXT draws[2] = { { 1, 1, 1 }, { 2, 1, 1 } };
  static const uint32_t count = 1;
  Mesh *self = (Mesh *)demo;

  self->draw = VTR_APP_NEED (demo, vkCmdDrawMeshTasksEXT);
  self->draw_indirect = VTR_APP_NEED (demo, vkCmdDrawMeshTasksIndirectEXT);
  self->draw_counted = VTR_APP_NEED (demo, vkCmdDrawMeshTasksIndirectCountEXT);
  self->layout = vtr_app_demo_layout (demo, VK_NULL_HANDLE, VK_SHADER_STAGE_ALL);
  self->pipeline = vtr_app_demo_pipeline (demo, change, self);
  self->commands =
    vtr_app_demo_buffer (demo, "commands", 128, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  memcpy (self->commands->mapped, draws, sizeof draws);
  memcpy ((char *)self->commands->mapped + COUNT_AT, &count, sizeof count);
}

static void
place (Mesh  *self,
       float  x,
       float  y,
       float  red)
{
  const float numbers[8] = { x, y, 0.3f, 0.2f, red, 0.25f * (float)self->demo.frame, 0.5f, 1 };

  vkCmdPushConstants (self->demo.commands, self->layout, VK_SHADER_STAGE_ALL, 0, sizeof numbers,
                      numbers);
}

static void
draw (VtrAppDemo *demo)
{
  Mesh *self = (Mesh *)demo;

  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipeline);
  place (self, -0.9f, -0.9f, 0.25f);
  self->draw (demo->commands, 2, 1, 1);
  if (!vtr_app_demo_check (demo))
    {
      vtr_app_demo_end_rendering (demo);
      return;
    }
  place (self, 0, -0.4f, 0.75f);
  self->draw_indirect (demo->commands, self->commands->buffer, 0, 2,
                       sizeof (VkDrawMeshTasksIndirectCommandEXT));
  place (self, -0.7f, 0.3f, 1);
  self->draw_counted (demo->commands, self->commands->buffer, 0, self->commands->buffer, COUNT_AT,
                      2, sizeof (VkDrawMeshTasksIndirectCommandEXT));
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_MESH_SHADER_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceMeshShaderFeaturesEXT meshes = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
    .taskShader = VK_TRUE,
    .meshShader = VK_TRUE,
  };
  Mesh self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "mesh shaders",
                                              .extensions = extensions,
                                              .features = { .multiDrawIndirect = VK_TRUE },
                                              .features12 = { .drawIndirectCount = VK_TRUE },
                                              .features13 = { .maintenance4 = VK_TRUE },
                                              .more = { { &meshes, sizeof meshes } },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
