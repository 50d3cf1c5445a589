/* vtr-app-demo-blends: every blend operation and factor in turn, constants, masks of channels, two
 * sources of one attachment, logical operations.
 */
#include "vtr-app-demo.h"

#include "demo_dual_frag.h"

#define N 10u

typedef struct
{
  VtrAppDemo demo;
  VkPipeline blends[N], dual, logic[4];
  VtrAppPicture *floats;
} Blends;

static const VkBlendFactor factors[] = {
  VK_BLEND_FACTOR_SRC_ALPHA,
  VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR,
  VK_BLEND_FACTOR_CONSTANT_COLOR,
  VK_BLEND_FACTOR_SRC_ALPHA_SATURATE,
  VK_BLEND_FACTOR_DST_ALPHA,
  VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA,
  VK_BLEND_FACTOR_DST_COLOR,
  VK_BLEND_FACTOR_ONE,
};

typedef struct
{
  uint32_t nth;
  VkShaderModule dual;
  VkDynamicState states[4];
} Change;

static void
change_blend (VkGraphicsPipelineCreateInfo *create,
              void                         *data)
{
  VkPipelineDynamicStateCreateInfo *dynamic =
    (VkPipelineDynamicStateCreateInfo *)create->pDynamicState;
  VkPipelineColorBlendStateCreateInfo *state =
    (VkPipelineColorBlendStateCreateInfo *)create->pColorBlendState;
  VkPipelineColorBlendAttachmentState *blends =
    (VkPipelineColorBlendAttachmentState *)state->pAttachments;
  Change *change = data;

  for (uint32_t i = 0; i < 3; i++)
    change->states[i] = dynamic->pDynamicStates[i];
  change->states[3] = VK_DYNAMIC_STATE_BLEND_CONSTANTS;
  dynamic->pDynamicStates = change->states;
  dynamic->dynamicStateCount = 4;
  for (uint32_t i = 0; i < state->attachmentCount; i++)
    {
      const uint32_t n = change->nth + i;

      blends[i] = (VkPipelineColorBlendAttachmentState){
        .blendEnable = VK_TRUE,
        .srcColorBlendFactor = factors[n % 8],
        .dstColorBlendFactor = factors[(3 * n + 1) % 8 == 3 ? 0 : (3 * n + 1) % 8],
        .colorBlendOp = (VkBlendOp)(n % 5),
        .srcAlphaBlendFactor = factors[(5 * n + 2) % 8],
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .alphaBlendOp = (VkBlendOp)((n + 2) % 5),
        .colorWriteMask = n % 3 == 2 ? VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_B_BIT : 0xf,
      };
    }
  if (change->dual == VK_NULL_HANDLE)
    return;
  blends[0].srcColorBlendFactor = VK_BLEND_FACTOR_SRC1_COLOR;
  blends[0].dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
  blends[0].colorBlendOp = blends[0].alphaBlendOp = VK_BLEND_OP_ADD;
  blends[0].colorWriteMask = 0xf;
  vtr_app_demo_set_stage (create, 1, change->dual);
}

static void
change_logic (VkGraphicsPipelineCreateInfo *create,
              void                         *data)
{
  VkPipelineColorBlendStateCreateInfo *state =
    (VkPipelineColorBlendStateCreateInfo *)create->pColorBlendState;

  state->logicOpEnable = VK_TRUE;
  state->logicOp = *(const VkLogicOp *)data;
}

static void
start (VtrAppDemo *demo)
{
  static const VkLogicOp ops[] = { VK_LOGIC_OP_XOR, VK_LOGIC_OP_NAND, VK_LOGIC_OP_OR_REVERSE,
                                   VK_LOGIC_OP_AND_INVERTED };
  const VkFormat formats[] = { VTR_APP_DEMO_FORMAT, VK_FORMAT_R16G16B16A16_SFLOAT };
  Blends *self = (Blends *)demo;
  Change dual = {
    .dual = vtr_app_scene_shader (&demo->scene, demo_dual_frag, sizeof demo_dual_frag),
  };

  self->floats = vtr_app_picture (
    &demo->scene,
    &(VtrAppPictureInfo){ .name = "floats",
                          .format = formats[1],
                          .extent = { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 1 },
                          .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT });
  vtr_app_picture_clear (demo->commands, self->floats, 0.5f);
  for (uint32_t i = 0; i < N; i++)
    self->blends[i] = vtr_app_pipeline (&demo->scene,
                                        &(VtrAppPipelineInfo){ .n_colors = 2,
                                                               .formats = formats,
                                                               .change = change_blend,
                                                               .data = &(Change){ .nth = i } });
  self->dual = vtr_app_demo_pipeline (demo, change_blend, &dual);
  for (uint32_t i = 0; i < 4; i++)
    self->logic[i] = vtr_app_demo_pipeline (demo, change_logic, (void *)&ops[i]);
}

static void
draw_with (Blends     *self,
           VkPipeline  pipeline,
           uint32_t    nth)
{
  VtrAppDemo *demo = &self->demo;
  const float constants[4] = { 0.1f * (float)(nth % 10), 0.9f, 0.3f, 0.6f };

  if (demo->scene.stopped)
    return;
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdSetBlendConstants (demo->commands, constants);
  vtr_app_demo_triangle (demo, nth);
}

static void
draw (VtrAppDemo *demo)
{
  Blends *self = (Blends *)demo;

  vtr_app_demo_render_to (demo, 2, (VtrAppPicture *[]){ demo->color, self->floats }, NULL, false);
  for (uint32_t i = 0; i < N; i++)
    {
      draw_with (self, self->blends[i], i);
      if (i == 4)
        vtr_app_demo_check (demo);
    }
  vtr_app_demo_end_rendering (demo);
  if (demo->scene.stopped)
    return;
  vtr_app_demo_begin_rendering (demo);
  draw_with (self, self->dual, 3);
  vtr_app_demo_check (demo);
  for (uint32_t i = 0; i < 4 && !demo->scene.stopped; i++)
    {
      vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->logic[i]);
      vtr_app_demo_triangle (demo, 2 * i);
    }
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  Blends self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "blending of all kinds",
                                              .features = { .independentBlend = VK_TRUE,
                                                            .dualSrcBlend = VK_TRUE,
                                                            .logicOp = VK_TRUE },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
