/* Sets the dynamic state that drawing with shader objects needs, for the demo programs. */
#include "vtr-app-demo-shaders.h"

#ifdef VK_EXT_shader_object

void
vtr_app_demo_shaders_init (VtrAppDemoShaders *self,
                           VtrAppDemo        *demo)
{
  self->create = VTR_APP_NEED (demo, vkCreateShadersEXT);
  self->destroy = VTR_APP_NEED (demo, vkDestroyShaderEXT);
  self->bind = VTR_APP_NEED (demo, vkCmdBindShadersEXT);
  self->vertex_input = VTR_APP_NEED (demo, vkCmdSetVertexInputEXT);
  self->polygon_mode = VTR_APP_NEED (demo, vkCmdSetPolygonModeEXT);
  self->samples = VTR_APP_NEED (demo, vkCmdSetRasterizationSamplesEXT);
  self->sample_mask = VTR_APP_NEED (demo, vkCmdSetSampleMaskEXT);
  self->alpha_to_coverage = VTR_APP_NEED (demo, vkCmdSetAlphaToCoverageEnableEXT);
  self->blend = VTR_APP_NEED (demo, vkCmdSetColorBlendEnableEXT);
  self->write_mask = VTR_APP_NEED (demo, vkCmdSetColorWriteMaskEXT);
}

void
vtr_app_demo_shaders_set_state (const VtrAppDemoShaders *self,
                                VkCommandBuffer          commands)
{
  const VkViewport viewport = { 0, 0, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT, 0, 1 };
  const VkRect2D scissor = { { 0, 0 }, { VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT } };
  const VkSampleMask mask = ~0u;
  const VkBool32 blend = VK_FALSE;
  const VkColorComponentFlags write = 0xf;

  vkCmdSetViewportWithCount (commands, 1, &viewport);
  vkCmdSetScissorWithCount (commands, 1, &scissor);
  vkCmdSetRasterizerDiscardEnable (commands, VK_FALSE);
  self->vertex_input (commands, 0, NULL, 0, NULL);
  vkCmdSetPrimitiveTopology (commands, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
  vkCmdSetPrimitiveRestartEnable (commands, VK_FALSE);
  self->samples (commands, VK_SAMPLE_COUNT_1_BIT);
  self->sample_mask (commands, VK_SAMPLE_COUNT_1_BIT, &mask);
  self->alpha_to_coverage (commands, VK_FALSE);
  self->polygon_mode (commands, VK_POLYGON_MODE_FILL);
  vkCmdSetCullMode (commands, VK_CULL_MODE_NONE);
  vkCmdSetFrontFace (commands, VK_FRONT_FACE_COUNTER_CLOCKWISE);
  vkCmdSetDepthTestEnable (commands, VK_FALSE);
  vkCmdSetDepthWriteEnable (commands, VK_FALSE);
  vkCmdSetDepthBiasEnable (commands, VK_FALSE);
  vkCmdSetStencilTestEnable (commands, VK_FALSE);
  self->blend (commands, 0, 1, &blend);
  self->write_mask (commands, 0, 1, &write);
}

void
vtr_app_demo_shaders_bind (const VtrAppDemoShaders *self,
                           VkCommandBuffer          commands,
                           const VkShaderEXT        shaders[2])
{
  static const VkShaderStageFlagBits others[] = { VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                                  VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                                                  VK_SHADER_STAGE_GEOMETRY_BIT };
  static const VkShaderStageFlagBits stages[] = { VK_SHADER_STAGE_VERTEX_BIT,
                                                  VK_SHADER_STAGE_FRAGMENT_BIT };

  self->bind (commands, 3, others, NULL);
  self->bind (commands, 2, stages, shaders);
}

#endif
