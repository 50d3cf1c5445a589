/* Tests what is reported before a replay on another device begins. */
#include <string.h>

#include "vtr-test-devices.h"

static const VtrCompatibilityFinding *
find (VtrCompatibility *compatibility,
      const char       *part)
{
  for (guint i = 0; i < vtr_compatibility_get_n (compatibility); i++)
    if (strstr (vtr_compatibility_get (compatibility, i)->text, part) != NULL)
      return vtr_compatibility_get (compatibility, i);
  return NULL;
}

static VtrPlan *
make_plan (VtrTrace  *trace,
           GPtrArray *devices)
{
  g_autoptr (VtrReplayPlan) own = vtr_test_plan_new (trace, devices);

  return vtr_plan_new_of (&vtr_api_vulkan, own);
}

static void
test_compatibility (void)
{
  g_autoptr (VtrTestTrace) writer = vtr_test_trace_new ();
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (VtrPlan) plan = NULL;
  g_autoptr (VtrCompatibility) compatibility = NULL;
  g_autoptr (GPtrArray) devices =
    vtr_test_devices_new (vtr_test_device_new (0, "Target", VK_PHYSICAL_DEVICE_TYPE_CPU,
                                               vtr_test_lone, 1));
  g_autoptr (GError) error = NULL;
  VtrReplayBackend *backend = vtr_test_backend_new ();
  const char *extensions[] = { "VK_KHR_push_descriptor", "VK_EXT_conditional_rendering" };
  const VkPhysicalDeviceFeatures features = { .wideLines = VK_TRUE, .logicOp = VK_TRUE };
  const VkDeviceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .enabledExtensionCount = 2,
    .ppEnabledExtensionNames = extensions,
    .pEnabledFeatures = &features,
  };
  const VkPushConstantRange range = { VK_SHADER_STAGE_VERTEX_BIT, 0, 256 };
  const VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkPipelineLayout layout = H (VkPipelineLayout, 70);
  VkDevice device = H (VkDevice, 3);

  ADD (writer, vkCreateDevice, .physicalDevice = H (VkPhysicalDevice, 2), .pCreateInfo = &info,
       .pDevice = &device);
  vtr_test_describe (writer, vtr_test_desktop, 3);
  ADD (writer, vkCreatePipelineLayout, .device = device, .pCreateInfo = &layout_info,
       .pPipelineLayout = &layout);
  vtr_test_add_pool (writer, 10, 0);
  vtr_test_allocate_buffer (writer, 10, 20);
  vtr_test_begin (writer, 20);
  ADD (writer, vkCmdSetLineWidth, .commandBuffer = H (VkCommandBuffer, 20), .lineWidth = 3.0f);
  ADD (writer, vkCmdPushDescriptorSetKHR, .commandBuffer = H (VkCommandBuffer, 20));
  vtr_test_end (writer, 20);
  trace = vtr_test_trace_open (writer);
  plan = make_plan (trace, devices);
  compatibility = vtr_compatibility_new (trace, plan, backend, NULL, &error);
  g_assert_no_error (error);

  g_assert_nonnull (vtr_compatibility_get_error (compatibility));
  /* The replayer makes sets of them. */
  g_assert_cmpint (find (compatibility, "VK_KHR_push_descriptor")->level, ==,
                   VTR_COMPATIBILITY_NOTE);
  g_assert_cmpint (find (compatibility, "VK_EXT_conditional_rendering")->level, ==,
                   VTR_COMPATIBILITY_NOTE);
  g_assert_cmpint (find (compatibility, "wideLines")->level, ==, VTR_COMPATIBILITY_ERROR);
  g_assert_cmpint (find (compatibility, "logicOp")->level, ==, VTR_COMPATIBILITY_NOTE);
  g_assert_cmpint (find (compatibility, "maxPushConstantsSize")->level, ==,
                   VTR_COMPATIBILITY_ERROR);
  g_assert_nonnull (find (compatibility, "Captured"));
  /* Errors first. */
  for (guint i = 1; i < vtr_compatibility_get_n (compatibility); i++)
    g_assert_cmpint (vtr_compatibility_get (compatibility, i)->level, <=,
                     vtr_compatibility_get (compatibility, i - 1)->level);
  backend->klass->free (backend);
}

static VtrCompatibility *
examine (VtrTestTrace    *writer,
         VtrVulkanDevice *target)
{
  g_autoptr (VtrTrace) trace = vtr_test_trace_open (writer);
  g_autoptr (GPtrArray) devices = vtr_test_devices_new (target);
  g_autoptr (VtrPlan) plan = make_plan (trace, devices);
  g_autoptr (GError) error = NULL;
  VtrReplayBackend *backend = vtr_test_backend_new ();
  VtrCompatibility *found = vtr_compatibility_new (trace, plan, backend, NULL, &error);

  g_assert_no_error (error);
  backend->klass->free (backend);
  return found;
}

/* A pipeline layout of two sets, of so many storage buffers for fragment shaders each. */
static void
add_layouts (VtrTestTrace                     *writer,
             guint32                           n,
             VkDescriptorSetLayoutCreateFlags  flags)
{
  const VkDescriptorSetLayoutBinding binding = { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, n,
                                                 VK_SHADER_STAGE_FRAGMENT_BIT, NULL };
  const VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .flags = flags,
    .bindingCount = 1,
    .pBindings = &binding,
  };
  VkDescriptorSetLayout set = H (VkDescriptorSetLayout, 60);
  const VkDescriptorSetLayout sets[] = { set, set };
  const VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 2,
    .pSetLayouts = sets,
  };
  VkPipelineLayout layout = H (VkPipelineLayout, 70);

  ADD (writer, vkCreateDescriptorSetLayout, .device = H (VkDevice, 3), .pCreateInfo = &set_info,
       .pSetLayout = &set);
  ADD (writer, vkCreatePipelineLayout, .device = H (VkDevice, 3), .pCreateInfo = &info,
       .pPipelineLayout = &layout);
}

/* A compute shader of 64 × 8 invocations that declares @capability. */
static void
add_shader (VtrTestTrace *writer,
            guint32       capability)
{
  const guint32 code[] = {
    0x07230203, 0x10000, 0, 20, 0,     /* header */
    2 << 16 | 17, 1,                   /* OpCapability Shader */
    2 << 16 | 17, capability,          /* OpCapability */
    5 << 16 | 15, 5, 4, 0x6e69616d, 0, /* OpEntryPoint GLCompute %4 "main" */
    6 << 16 | 16, 4, 17, 64, 8, 1,     /* OpExecutionMode %4 LocalSize 64 8 1 */
    2 << 16 | 19, 2,                   /* OpTypeVoid */
  };
  const VkShaderModuleCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = sizeof code,
    .pCode = code,
  };
  VkShaderModule module = H (VkShaderModule, 80);

  ADD (writer, vkCreateShaderModule, .device = H (VkDevice, 3), .pCreateInfo = &info,
       .pShaderModule = &module);
}

static void
add_offset (VtrTestTrace *writer,
            guint64       offset)
{
  const VkDescriptorBufferInfo buffer = { H (VkBuffer, 30), offset, 16 };
  const VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    .pBufferInfo = &buffer,
  };

  ADD (writer, vkUpdateDescriptorSets, .device = H (VkDevice, 3), .descriptorWriteCount = 1,
       .pDescriptorWrites = &write);
}

/* What a trace needs of limits, and what its shaders declare, on a device that has just that or
 * less. */
static void
test_limits (gconstpointer data)
{
  gboolean enough = GPOINTER_TO_INT (data);
  g_autoptr (VtrTestTrace) writer = vtr_test_trace_new ();
  g_autoptr (VtrCompatibility) compatibility = NULL;
  VtrVulkanDevice *target =
    vtr_test_device_new (0, "Target", VK_PHYSICAL_DEVICE_TYPE_CPU, vtr_test_lone, 1);
  VkPhysicalDeviceLimits *limits = &target->properties.limits;
  VkPhysicalDeviceDescriptorIndexingProperties indexing = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES,
    .maxPerStageDescriptorUpdateAfterBindStorageBuffers = enough ? 40 : 39,
  };
  guint32 head[] = { indexing.sType, sizeof indexing };
  g_autoptr (GByteArray) more = g_byte_array_new ();
  VkSamplerCreateInfo sampler_info = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                       .anisotropyEnable = VK_TRUE,
                                       .maxAnisotropy = 16.0f };
  VkSampler sampler = H (VkSampler, 90);

  limits->maxPerStageDescriptorStorageBuffers = enough ? 8 : 7;
  limits->maxDescriptorSetStorageBuffers = 8;
  limits->maxComputeWorkGroupSize[0] = 64;
  limits->maxComputeWorkGroupSize[1] = enough ? 8 : 7;
  limits->maxComputeWorkGroupSize[2] = 1;
  limits->maxComputeWorkGroupInvocations = enough ? 512 : 511;
  limits->minUniformBufferOffsetAlignment = enough ? 64 : 128;
  limits->maxSamplerAnisotropy = enough ? 16.0f : 8.0f;
  g_byte_array_append (more, (const guint8 *)head, sizeof head);
  g_byte_array_append (more, (const guint8 *)&indexing, sizeof indexing);
  vtr_vulkan_device_set_properties (target, more->data, more->len);
  if (enough)
    {
      target->extensions = g_renew (char *, target->extensions, 2);
      target->extensions[0] = g_strdup ("VK_EXT_shader_stencil_export");
      target->extensions[1] = NULL;
    }

  vtr_test_add_desktop (writer);
  add_layouts (writer, 4, 0);
  add_layouts (writer, 20, VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT);
  add_shader (writer, 5013 /* StencilExportEXT */);
  add_offset (writer, 192);
  ADD (writer, vkCreateSampler, .device = H (VkDevice, 3), .pCreateInfo = &sampler_info,
       .pSampler = &sampler);
  compatibility = examine (writer, target);

  if (enough)
    {
      for (guint i = 0; i < vtr_compatibility_get_n (compatibility); i++)
        g_assert_cmpint (vtr_compatibility_get (compatibility, i)->level, ==,
                         VTR_COMPATIBILITY_NOTE);
      return;
    }
  g_assert_cmpint (find (compatibility, "maxPerStageDescriptorStorageBuffers of 8")->level, ==,
                   VTR_COMPATIBILITY_ERROR);
  g_assert_cmpint (
    find (compatibility, "maxPerStageDescriptorUpdateAfterBindStorageBuffers of 40")->level, ==,
    VTR_COMPATIBILITY_ERROR);
  g_assert_null (find (compatibility, "maxDescriptorSetStorageBuffers"));
  g_assert_nonnull (find (compatibility, "maxComputeWorkGroupSize of 8"));
  g_assert_nonnull (find (compatibility, "maxComputeWorkGroupInvocations of 512"));
  g_assert_cmpint (find (compatibility, "minUniformBufferOffsetAlignment")->level, ==,
                   VTR_COMPATIBILITY_WARNING);
  g_assert_cmpint (find (compatibility, "maxSamplerAnisotropy")->level, ==,
                   VTR_COMPATIBILITY_WARNING);
  g_assert_cmpint (find (compatibility, "StencilExportEXT")->level, ==, VTR_COMPATIBILITY_WARNING);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transforms/elsewhere/compatibility", test_compatibility);
  g_test_add_data_func ("/transforms/elsewhere/limits/enough", GINT_TO_POINTER (TRUE), test_limits);
  g_test_add_data_func ("/transforms/elsewhere/limits/less", GINT_TO_POINTER (FALSE), test_limits);
  return g_test_run ();
}
