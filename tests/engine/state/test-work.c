/* Tests which work commands make the device do, also device-generated commands. */
#include "engine/vulkan/state/vtr-work.h"

#include "vtr-api-args.h"

static void
test_classes (void)
{
  g_assert_cmpuint (vtr_work_of (VTR_CMD_vkCmdDrawIndexed, NULL), ==, VTR_CLASS_DRAW);
  g_assert_cmpuint (vtr_work_of (VTR_CMD_vkCmdDispatchIndirect, NULL), ==, VTR_CLASS_DISPATCH);
  g_assert_cmpuint (vtr_work_of (VTR_CMD_vkCmdTraceRaysKHR, NULL), ==, VTR_CLASS_TRACE_RAYS);
  g_assert_cmpuint (vtr_work_of (VTR_CMD_vkCmdCopyBuffer, NULL), ==, 0);
  g_assert_cmpuint (vtr_work_of (VTR_CMD_NONE, NULL), ==, 0);
}

static void
test_points (void)
{
  g_assert_cmpuint (vtr_work_get_point (VTR_CLASS_DRAW), ==, 0);
  g_assert_cmpuint (vtr_work_get_point (VTR_CLASS_DISPATCH), ==, 1);
  g_assert_cmpuint (vtr_work_get_point (VTR_CLASS_TRACE_RAYS), ==, 2);
  g_assert_cmpuint (vtr_work_get_point (0), ==, 3);
}

static void
test_generated_nv (void)
{
  VkGeneratedCommandsInfoNV info = { .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS };
  VtrArgs_vkCmdExecuteGeneratedCommandsNV args = { .pGeneratedCommandsInfo = &info };
  const VtrCmdId id = VTR_CMD_vkCmdExecuteGeneratedCommandsNV;

  g_assert_cmpuint (vtr_work_of (id, &args), ==, VTR_CLASS_DRAW);
  info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
  g_assert_cmpuint (vtr_work_of (id, &args), ==, VTR_CLASS_DISPATCH);
  args.pGeneratedCommandsInfo = NULL;
  g_assert_cmpuint (vtr_work_of (id, &args), ==, 0);
  g_assert_cmpuint (vtr_work_of (VTR_CMD_vkCmdPreprocessGeneratedCommandsNV, &args), ==, 0);
}

#ifdef VK_EXT_device_generated_commands
static void
test_generated (void)
{
  VkGeneratedCommandsInfoEXT info = { .shaderStages = VK_SHADER_STAGE_COMPUTE_BIT };
  const VtrArgs_vkCmdExecuteGeneratedCommandsEXT args = { .pGeneratedCommandsInfo = &info };
  const VtrCmdId id = VTR_CMD_vkCmdExecuteGeneratedCommandsEXT;

  g_assert_cmpuint (vtr_work_of (id, &args), ==, VTR_CLASS_DISPATCH);
  info.shaderStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  g_assert_cmpuint (vtr_work_of (id, &args), ==, VTR_CLASS_DRAW);
  info.shaderStages = VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR;
  g_assert_cmpuint (vtr_work_of (id, &args), ==, VTR_CLASS_TRACE_RAYS);
}
#endif

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/work/classes", test_classes);
  g_test_add_func ("/engine/work/points", test_points);
  g_test_add_func ("/engine/work/generated-nv", test_generated_nv);
#ifdef VK_EXT_device_generated_commands
  g_test_add_func ("/engine/work/generated", test_generated);
#endif
  return g_test_run ();
}
