/* vtr-app-demo-library: a pipeline linked from four libraries (VK_EXT_graphics_pipeline_library).
 */
#include "vtr-app-demo.h"

#include <string.h>

#define N 4u

typedef struct
{
  VtrAppDemo demo;
  VkPipeline parts[N], linked;
} Library;

static const VkGraphicsPipelineLibraryFlagsEXT flags[N] = {
  VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
  VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
  VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
  VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT,
};

/* Only what one of the four has. */
static void
make_part (VkGraphicsPipelineCreateInfo *create,
           void                         *data)
{
  static VkGraphicsPipelineLibraryCreateInfoEXT library;
  const uint32_t nth = *(const uint32_t *)data;
  VkGraphicsPipelineCreateInfo all = *create;

  library = (VkGraphicsPipelineLibraryCreateInfoEXT){
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
    .pNext = nth == 3 ? (void *)all.pNext : NULL,
    .flags = flags[nth],
  };
  memset (create, 0, sizeof *create);
  create->sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  create->pNext = &library;
  create->flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  create->pDynamicState = all.pDynamicState;
  if (nth == 0)
    {
      create->pVertexInputState = all.pVertexInputState;
      create->pInputAssemblyState = all.pInputAssemblyState;
      return;
    }
  create->pMultisampleState = nth > 1 ? all.pMultisampleState : NULL;
  if (nth < 3)
    {
      create->layout = all.layout;
      create->stageCount = 1;
      create->pStages = &all.pStages[nth - 1];
    }
  if (nth == 1)
    {
      create->pViewportState = all.pViewportState;
      create->pRasterizationState = all.pRasterizationState;
    }
  if (nth == 2)
    create->pDepthStencilState = all.pDepthStencilState;
  if (nth == 3)
    create->pColorBlendState = all.pColorBlendState;
}

static void
start (VtrAppDemo *demo)
{
  Library *self = (Library *)demo;
  VkPipelineLibraryCreateInfoKHR libraries = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
    .libraryCount = N,
    .pLibraries = self->parts,
  };
  const VkGraphicsPipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
    .pNext = &libraries,
    .layout = demo->scene.layout,
  };

  for (uint32_t i = 0; i < N; i++)
    self->parts[i] = vtr_app_demo_pipeline (demo, make_part, &i);
  vtr_app_check (vkCreateGraphicsPipelines (demo->scene.gpu.device, VK_NULL_HANDLE, 1, &info, NULL,
                                            &self->linked),
                 "vkCreateGraphicsPipelines");
  VTR_APP_KEEP (&demo->scene, PIPELINE, self->linked);
}

static void
draw (VtrAppDemo *demo)
{
  Library *self = (Library *)demo;

  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->linked);
  vtr_app_demo_triangle (demo, 2);
  vtr_app_demo_check (demo);
  vtr_app_demo_triangle (demo, 5);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                            VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
                                            NULL };
  static const VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
    .graphicsPipelineLibrary = VK_TRUE,
  };
  Library self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "pipeline libraries",
                                              .extensions = extensions,
                                              .more = { { &features, sizeof features } },
                                              .start = start,
                                              .draw = draw },
                           argc, argv);
}
