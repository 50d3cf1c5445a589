/* vtr-app-demo-coverage: the samples that a fragment covers: chosen by mask, by alpha, or by the
 * shader; shading of single samples. */
#include "vtr-app-demo.h"

#include "demo_samples_frag.h"

#define N 5u

typedef struct
{
  VtrAppDemo demo;
  VtrAppPicture *samples;
  VkPipeline pipelines[N];
} Coverage;

typedef struct
{
  uint32_t nth;
  VkShaderModule fragment;
} Change;

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  static const VkSampleMask masks[] = { 0x5, 0xf, 0xb };
  VkPipelineMultisampleStateCreateInfo *state =
    (VkPipelineMultisampleStateCreateInfo *)create->pMultisampleState;
  const Change *info = data;

  state->pSampleMask = info->nth < 3 ? &masks[info->nth] : NULL;
  state->alphaToCoverageEnable = info->nth == 1 || info->nth == 2;
  state->alphaToOneEnable = info->nth == 2;
  state->sampleShadingEnable = info->nth >= 3;
  state->minSampleShading = info->nth == 4 ? 1 : 0.5f;
  if (info->nth >= 3)
    vtr_app_demo_set_stage (create, 1, info->fragment);
}

static void
start (VtrAppDemo *demo)
{
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  Coverage *self = (Coverage *)demo;
  Change info = {
    .fragment = vtr_app_scene_shader (&demo->scene, demo_samples_frag, sizeof demo_samples_frag),
  };

  self->samples =
    vtr_app_picture (&demo->scene,
                     &(VtrAppPictureInfo){ .name = "samples",
                                           .format = format,
                                           .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                                           .samples = VK_SAMPLE_COUNT_4_BIT,
                                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  vtr_app_picture_clear (demo->commands, self->samples, 0.125f);
  for (info.nth = 0; info.nth < N; info.nth++)
    self->pipelines[info.nth] =
      vtr_app_pipeline (&demo->scene, &(VtrAppPipelineInfo){ .n_colors = 1,
                                                             .formats = &format,
                                                             .samples = VK_SAMPLE_COUNT_4_BIT,
                                                             .change = change,
                                                             .data = &info });
}

static void
draw (VtrAppDemo *demo)
{
  Coverage *self = (Coverage *)demo;
  const VkImageResolve region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
  };

  vtr_app_demo_render_to (demo, 1, &self->samples, NULL, false);
  for (uint32_t i = 0; i < N && !demo->scene.stopped; i++)
    {
      vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines[i]);
      vtr_app_demo_triangle (demo, 2 * i);
      vtr_app_demo_triangle (demo, 2 * i + 3);
      if (i == 2)
        vtr_app_demo_check (demo);
    }
  vtr_app_demo_end_rendering (demo);
  if (demo->scene.stopped)
    return;
  vtr_app_barrier (demo->commands);
  vkCmdResolveImage (demo->commands, self->samples->image, VK_IMAGE_LAYOUT_GENERAL,
                     demo->color->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  vtr_app_barrier (demo->commands);
  vtr_app_demo_check (demo);
}

int
main (int    argc,
      char **argv)
{
  Coverage self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "shading of samples",
                                              .features = { .sampleRateShading = VK_TRUE,
                                                            .alphaToOne = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
