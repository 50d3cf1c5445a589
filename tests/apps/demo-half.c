/* vtr-app-demo-half: 16-bit numbers in a fragment shader. Lavapipe calls functions of libm for
 * them, and looks those up in the libraries that the program is linked with (libvulkan needs libm).
 */
#include "vtr-app-demo.h"

#include "demo_half_frag.h"

typedef struct
{
  VtrAppDemo demo;
  VkPipeline pipelines[2];
} Half;

typedef struct
{
  VkShaderModule fragment;
  float scale;
} Change;

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static const VkSpecializationMapEntry entry = { 0, 0, sizeof (float) };
  static VkSpecializationInfo info = { 1, &entry, sizeof (float), NULL };
  Change *self = data;

  vtr_app_demo_set_stage (create, 1, self->fragment);
  info.pData = &self->scale;
  ((VkPipelineShaderStageCreateInfo *)create->pStages)[1].pSpecializationInfo = &info;
}

static void
start (VtrAppDemo *demo)
{
  Half *self = (Half *)demo;
  Change data = { vtr_app_scene_shader (&demo->scene, demo_half_frag, sizeof demo_half_frag), 0 };

  for (uint32_t i = 0; i < 2; i++)
    {
      data.scale = 1.0f / (float)(i + 1);
      self->pipelines[i] = vtr_app_demo_pipeline (demo, change, &data);
    }
}

static void
draw (VtrAppDemo *demo)
{
  Half *self = (Half *)demo;

  vtr_app_demo_begin_rendering (demo);
  for (uint32_t i = 0; i < 2; i++)
    {
      vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[i]);
      vtr_app_demo_triangle (demo, 2 * i + demo->frame % 3);
      vtr_app_demo_check (demo);
    }
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  Half self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "16-bit numbers in shaders",
                                              .features12 = { .shaderFloat16 = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
