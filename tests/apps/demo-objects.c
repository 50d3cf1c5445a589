/* vtr-app-demo-objects: shader objects (VK_EXT_shader_object) instead of pipelines: linked and
 * single ones, one created from the driver's binary, one that is created again in every frame, one
 * for compute; and a pipeline between them.
 *
 * --spirv: none is made from the driver's own code. --line: they draw lines. --strong: the single
 * fragment shader is not specialized. */
#include "vtr-app-demo-shaders.h"

#include "demo_flight_comp.h"
#include "demo_objects_frag.h"
#include "demo_objects_vert.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef VK_EXT_shader_object

#define DANGLING(type) ((const type *)(uintptr_t)16)

typedef struct
{
  VtrAppDemo demo;
  bool spirv, line, strong;
  VtrAppDemoShaders shaders;
  PFN_vkGetShaderBinaryDataEXT get_code;
  VkPipelineLayout layout;
  VtrAppDemoNumbers numbers;
  VkShaderEXT linked[2]; /* vertex, fragment */
  VkShaderEXT single[2];
  VkShaderEXT compute;
} Objects;

static const VkPushConstantRange range = {
  VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
  0,
  32,
};

/* The strength of what the single shader draws. */
static const float strength = 0.75f;
static const VkSpecializationMapEntry entry = { 3, 0, sizeof strength };
static const VkSpecializationInfo constants = { 1, &entry, sizeof strength, &strength };

/* What a single shader of the scene is made from. What Vulkan ignores points nowhere. */
static VkShaderCreateInfoEXT
describe (VkShaderStageFlagBits stage)
{
  const bool vertex = stage == VK_SHADER_STAGE_VERTEX_BIT;

  return (VkShaderCreateInfoEXT){
    .sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
    .stage = stage,
    .nextStage = vertex ? VK_SHADER_STAGE_FRAGMENT_BIT : 0,
    .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
    .codeSize = vertex ? sizeof demo_objects_vert : sizeof demo_objects_frag,
    .pCode = vertex ? demo_objects_vert : demo_objects_frag,
    .pName = "main",
    .pSetLayouts = DANGLING (VkDescriptorSetLayout),
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
}

static void
create (Objects                     *self,
        uint32_t                     n,
        const VkShaderCreateInfoEXT *infos,
        VkShaderEXT                 *shaders)
{
  vtr_app_check (self->shaders.create (self->demo.scene.gpu.device, n, infos, NULL, shaders),
                 "vkCreateShadersEXT");
}

/* The shader again, from the driver's binary. */
static void
create_from_driver_code (Objects               *self,
                         VkShaderCreateInfoEXT  info,
                         VkShaderEXT           *shader)
{
  const VkDevice device = self->demo.scene.gpu.device;
  VkShaderEXT first;
  size_t size;
  void *code;

  create (self, 1, &info, &first);
  vtr_app_check (self->get_code (device, first, &size, NULL), "vkGetShaderBinaryDataEXT");
  code = malloc (size);
  vtr_app_check (self->get_code (device, first, &size, code), "vkGetShaderBinaryDataEXT");
  self->shaders.destroy (device, first, NULL);
  info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
  info.codeSize = size;
  info.pCode = code;
  create (self, 1, &info, shader);
  free (code);
}

static void
make_compute (Objects *self)
{
  const VkPushConstantRange first = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 32 };
  VkShaderCreateInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
    .stage = VK_SHADER_STAGE_COMPUTE_BIT,
    .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
    .codeSize = sizeof demo_flight_comp,
    .pCode = demo_flight_comp,
    .pName = "main",
    .setLayoutCount = 1,
    .pSetLayouts = &self->numbers.set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &first,
  };

  self->numbers = vtr_app_demo_numbers (&self->demo);
  create (self, 1, &info, &self->compute);
}

static void
start (VtrAppDemo *demo)
{
  Objects *self = (Objects *)demo;
  VkShaderCreateInfoEXT infos[] = { describe (VK_SHADER_STAGE_VERTEX_BIT),
                                    describe (VK_SHADER_STAGE_FRAGMENT_BIT) };

  vtr_app_demo_shaders_init (&self->shaders, demo);
  self->get_code = VTR_APP_NEED (demo, vkGetShaderBinaryDataEXT);
  self->layout = vtr_app_demo_layout (
    demo, VK_NULL_HANDLE, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
  make_compute (self);
  if (self->spirv)
    create (self, 1, &infos[0], &self->single[0]);
  else
    create_from_driver_code (self, infos[0], &self->single[0]);
  infos[1].pSpecializationInfo = self->strong ? NULL : &constants;
  create (self, 1, &infos[1], &self->single[1]);
  infos[1].pSpecializationInfo = NULL;
  infos[0].flags = infos[1].flags = VK_SHADER_CREATE_LINK_STAGE_BIT_EXT;
  create (self, 2, infos, self->linked);
}

static void
set_state (Objects *self)
{
  vtr_app_demo_shaders_set_state (&self->shaders, self->demo.commands);
  if (self->line)
    {
      self->shaders.polygon_mode (self->demo.commands, VK_POLYGON_MODE_LINE);
      vkCmdSetLineWidth (self->demo.commands, 1);
    }
}

/* By the layout of the shaders; that of the scene's pipeline is another one. */
static void
triangle (Objects  *self,
          uint32_t  nth)
{
  const uint32_t color = nth + self->demo.frame;
  const float push[8] = { -1 + 0.2f * (float)(nth % 9),
                          -0.9f + 0.12f * (float)(nth % 7),
                          0.8f,
                          0.5f,
                          (float)(color * 37 % 11) / 10,
                          (float)(color * 53 % 7) / 6,
                          (float)(color * 29 % 5) / 4,
                          0.75f };

  if (self->demo.scene.stopped)
    return;
  vkCmdPushConstants (self->demo.commands, self->layout, range.stageFlags, 0, sizeof push, push);
  vkCmdDraw (self->demo.commands, 3, 1, 0, 0);
}

static void
count (Objects *self)
{
  static const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
  const VkCommandBuffer commands = self->demo.commands;
  const uint32_t first = self->demo.frame % 2 * 256;

  self->shaders.bind (commands, 1, &stage, &self->compute);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->numbers.layout, 0, 1,
                           &self->numbers.set, 0, NULL);
  vkCmdPushConstants (commands, self->numbers.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &first);
  vkCmdDispatch (commands, 1, 1, 1);
  vtr_app_barrier (commands);
}

static void
draw (VtrAppDemo *demo)
{
  Objects *self = (Objects *)demo;
  VkShaderCreateInfoEXT info = describe (VK_SHADER_STAGE_FRAGMENT_BIT);

  count (self);
  vtr_app_demo_check (demo);
  vtr_app_demo_begin_rendering (demo);
  set_state (self);
  vtr_app_demo_shaders_bind (&self->shaders, demo->commands, self->linked);
  triangle (self, 1);
  if (vtr_app_demo_check (demo))
    {
      vtr_app_demo_shaders_bind (&self->shaders, demo->commands, self->single);
      triangle (self, 3);
    }
  if (vtr_app_demo_check (demo))
    {
      /* A pipeline takes the place of the shaders, and the other way round. */
      vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, demo->pipeline);
      vtr_app_viewport (demo->commands, VTR_APP_DEMO_WIDTH, VTR_APP_DEMO_HEIGHT);
      vtr_app_demo_triangle (demo, 4);
      set_state (self);
      vtr_app_demo_shaders_bind (&self->shaders, demo->commands, self->linked);
      triangle (self, 6);
    }
  vtr_app_demo_end_rendering (demo);
  if (!demo->scene.stopped)
    {
      vtr_app_demo_flush (demo);
      self->shaders.destroy (demo->scene.gpu.device, self->single[1], NULL);
      info.pSpecializationInfo = self->strong ? NULL : &constants;
      create (self, 1, &info, &self->single[1]);
    }
}

static void
finish (VtrAppDemo *demo)
{
  Objects *self = (Objects *)demo;
  const VkShaderEXT all[] = { self->linked[0], self->linked[1], self->single[0],
                              self->single[1], self->compute };

  for (uint32_t i = 0; i < sizeof all / sizeof all[0]; i++)
    self->shaders.destroy (demo->scene.gpu.device, all[i], NULL);
}

int
main (int    argc,
      char **argv)
{
  static const char *const extensions[] = { VK_EXT_SHADER_OBJECT_EXTENSION_NAME, NULL };
  static const VkPhysicalDeviceShaderObjectFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
    .shaderObject = VK_TRUE,
  };
  Objects self = { 0 };
  const VtrAppOption options[] = {
    { .name = "--spirv", .flag = &self.spirv, .help = "no shader from the driver's code" },
    { .name = "--line", .flag = &self.line, .help = "draw lines" },
    { .name = "--strong", .flag = &self.strong, .help = "no specialization" },
    { 0 },
  };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "shader objects",
                                              .options = options,
                                              .extensions = extensions,
                                              .features = { .fillModeNonSolid = VK_TRUE },
                                              .more = { { &features, sizeof features } },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}

#else

int
main (void)
{
  puts ("The Vulkan headers that this was built with do not know VK_EXT_shader_object.");
  return VTR_APP_SKIPPED;
}

#endif
