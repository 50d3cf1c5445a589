/* Drawing with shader objects (VK_EXT_shader_object): sets the state that a pipeline would
 * contain.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-app-demo.h"

#ifdef VK_EXT_shader_object

typedef struct
{
  PFN_vkCreateShadersEXT create;
  PFN_vkDestroyShaderEXT destroy;
  PFN_vkCmdBindShadersEXT bind;
  PFN_vkCmdSetVertexInputEXT vertex_input;
  PFN_vkCmdSetPolygonModeEXT polygon_mode;
  PFN_vkCmdSetRasterizationSamplesEXT samples;
  PFN_vkCmdSetSampleMaskEXT sample_mask;
  PFN_vkCmdSetAlphaToCoverageEnableEXT alpha_to_coverage;
  PFN_vkCmdSetColorBlendEnableEXT blend;
  PFN_vkCmdSetColorWriteMaskEXT write_mask;
} VtrAppDemoShaders;

/* Looks the functions up; ends the program if the driver has not all of them. */
void vtr_app_demo_shaders_init (VtrAppDemoShaders *self,
                                VtrAppDemo        *demo);

/* Sets everything that a pipeline would say about drawing triangles over .color, without depth, blending
 * and vertex buffers. */
void vtr_app_demo_shaders_set_state (const VtrAppDemoShaders *self,
                                     VkCommandBuffer          commands);

/* Binds a vertex and a fragment shader, and no others for graphics. */
void vtr_app_demo_shaders_bind (const VtrAppDemoShaders *self,
                                VkCommandBuffer          commands,
                                const VkShaderEXT        shaders[2]);

#endif
