/* Tests looking things up in the tables of an API. */
#include "api/vtr-api-args.h"
#include "api/vtr-api-dispatch.h"
#include "api/vtr-api-types.h"

#include <glib.h>

static void
test_counts (void)
{
  g_assert_cmpuint (VTR_VULKAN_VERSION, ==, VK_HEADER_VERSION);
  if (VTR_VULKAN_VERSION == 239)
    g_assert_cmpuint (VTR_VULKAN_N_HANDLES, ==, 47);
}

/* Ids of all APIs: positions and back, rows, names. */
static void
test_names (void)
{
  for (unsigned i = 0; i < VTR_N_COMMANDS; i++)
    {
      const VtrCmdId id = vtr_cmd_at (i);

      g_assert_true (vtr_cmd_is_known (id));
      g_assert_cmpuint (vtr_cmd_index (id), ==, i);
      g_assert_true (vtr_cmd_get (id) == &vtr_api_commands[i]);
      g_assert_cmpuint (vtr_cmd_from_name (vtr_cmd_name (id)), ==, id);
    }
  for (unsigned i = 0; i < VTR_N_STRUCTS; i++)
    g_assert_cmpuint (vtr_struct_from_name (vtr_api_string (vtr_api_structs[i].name)), ==,
                      vtr_struct_at (i));
  for (unsigned i = 0; i < VTR_N_ENUMS; i++)
    g_assert_cmpuint (vtr_enum_from_name (vtr_api_string (vtr_api_enums[i].name)), ==,
                      vtr_enum_at (i));
  for (unsigned i = 0; i < VTR_N_HANDLES; i++)
    g_assert_cmpuint (vtr_handle_from_name (vtr_api_string (vtr_api_handles[i].name)), ==,
                      vtr_handle_at (i));
  for (unsigned i = 0; i < VTR_N_EXTENSIONS; i++)
    g_assert_cmpuint (vtr_extension_from_name (vtr_api_string (vtr_api_extensions[i].name)), ==, i);

  g_assert_cmpuint (vtr_cmd_from_name ("vkNever"), ==, VTR_CMD_NONE);
  g_assert_cmpuint (vtr_struct_from_name ("VkNever"), ==, VTR_STRUCT_NONE);
  g_assert_cmpuint (vtr_struct_from_name ("VkPhysicalDeviceFeatures2KHR"), ==,
                    VTR_STRUCT_VkPhysicalDeviceFeatures2);
  g_assert_cmpuint (vtr_enum_from_name ("VkBufferUsageFlags"), ==, VTR_ENUM_VkBufferUsageFlagBits);
}

/* Whoever asks for the row of a command that no API of the build has learns nothing. */
static void
test_unknown (void)
{
  const VtrCmdId ids[] = { VTR_CMD_NONE, VTR_CMD_FOREIGN, VTR_CMD_FOREIGN + VTR_N_FOREIGN - 1,
                           VTR_CMD_NONE - 1 };

  for (unsigned i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      const VtrApiCommand *row = vtr_cmd_get (ids[i]);

      g_assert_false (vtr_cmd_is_known (ids[i]));
      g_assert_null (vtr_api_of (ids[i]));
      g_assert_cmpuint (vtr_cmd_index (ids[i]), ==, VTR_N_COMMANDS);
      g_assert_false (vtr_cmd_is (ids[i], ~(VtrApiClass)0));
      g_assert_cmpuint (vtr_cmd_canonical (ids[i]), ==, ids[i]);
      g_assert_cmpstr (vtr_cmd_name (ids[i]), ==, "?");
      g_assert_cmpuint (row->n_params, ==, 0);
      g_assert_cmpuint (row->result, ==, VTR_RESULT_VOID);
      g_assert_cmpuint (row->create.handle, ==, VTR_HANDLE_NONE);
      g_assert_cmpuint (row->destroy.handle, ==, VTR_HANDLE_NONE);
      g_assert_cmpuint (row->dispatch, ==, VTR_HANDLE_NONE);
    }
  g_assert_false (vtr_cmd_is_foreign (VTR_CMD_NONE));
  g_assert_true (vtr_cmd_is_foreign (ids[2]));
}

static void
test_extensions (void)
{
  const VtrCmdId push = VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR;

  g_assert_cmpuint (vtr_cmd_extension (VTR_CMD_vkCmdDraw, 0), ==, VTR_API_NO_INDEX);
  g_assert_cmpuint (vtr_cmd_extension (VTR_CMD_vkQueuePresentKHR, 0), ==,
                    vtr_extension_from_name ("VK_KHR_swapchain"));
  g_assert_cmpuint (vtr_cmd_extension (VTR_CMD_vkQueuePresentKHR, 1), ==, VTR_API_NO_INDEX);
  g_assert_cmpuint (vtr_cmd_extension (push, 0), ==,
                    vtr_extension_from_name ("VK_KHR_push_descriptor"));
  g_assert_cmpuint (vtr_cmd_extension (push, 1), ==,
                    vtr_extension_from_name ("VK_KHR_descriptor_update_template"));
  g_assert_cmpuint (vtr_cmd_extension (push, 2), ==, VTR_API_NO_INDEX);
}

static void
test_structure_types (void)
{
  unsigned n = 0;

  for (unsigned i = 0; i < VTR_N_STRUCTS; i++)
    if (vtr_api_structs[i].stype != VTR_STYPE_NONE)
      {
        g_assert_cmpuint (vtr_struct_from_stype (vtr_api_structs[i].stype), ==, vtr_struct_at (i));
        n++;
      }
  g_assert_cmpuint (n, >, 500);
  g_assert_cmpuint (vtr_struct_from_stype (0x7fffffff), ==, VTR_STRUCT_NONE);
  g_assert_true (vtr_struct_extends (VTR_STRUCT_VkTimelineSemaphoreSubmitInfo,
                                     VTR_STRUCT_VkSubmitInfo));
  g_assert_false (vtr_struct_extends (VTR_STRUCT_VkTimelineSemaphoreSubmitInfo,
                                      VTR_STRUCT_VkBufferCreateInfo));
}

static void
test_enums (void)
{
  gint64 value;

  g_assert_cmpstr (vtr_enum_value_name (VTR_ENUM_VkFormat, VK_FORMAT_B8G8R8A8_UNORM), ==,
                   "VK_FORMAT_B8G8R8A8_UNORM");
  g_assert_cmpstr (vtr_enum_value_name (VTR_ENUM_VkResult, VK_ERROR_OUT_OF_DATE_KHR), ==,
                   "VK_ERROR_OUT_OF_DATE_KHR");
  g_assert_cmpstr (vtr_enum_value_name (VTR_ENUM_VkResult, VK_ERROR_OUT_OF_POOL_MEMORY), ==,
                   "VK_ERROR_OUT_OF_POOL_MEMORY");
  g_assert_null (vtr_enum_value_name (VTR_ENUM_VkFormat, 999));
  g_assert_true (vtr_enum_value_from_name (VTR_ENUM_VkResult, "VK_ERROR_OUT_OF_POOL_MEMORY_KHR",
                                           &value));
  g_assert_cmpint (value, ==, VK_ERROR_OUT_OF_POOL_MEMORY);
  g_assert_true (vtr_enum_value_from_name (VTR_ENUM_VkPipelineStageFlagBits2,
                                           "VK_PIPELINE_STAGE_2_COPY_BIT", &value));
  g_assert_cmpint (value, ==, (gint64)VK_PIPELINE_STAGE_2_COPY_BIT);
  g_assert_false (vtr_enum_value_from_name (VTR_ENUM_VkResult, "VK_NEVER", &value));
}

static void
assert_lifetime (VtrApiLifetime  lifetime,
                 VtrHandleId     handle,
                 VtrCmdId        cmd,
                 const char     *param)
{
  g_assert_cmpuint (lifetime.handle, ==, handle);
  g_assert_cmpint (lifetime.param, ==, vtr_cmd_find_param (cmd, param));
}

static void
test_classes (void)
{
  g_assert_true (vtr_cmd_is (VTR_CMD_vkCmdDraw, VTR_CLASS_DRAW));
  g_assert_true (vtr_cmd_is (VTR_CMD_vkCmdDraw, VTR_CLASS_RECORD));
  g_assert_true (vtr_cmd_is (VTR_CMD_vkQueueSubmit2KHR, VTR_CLASS_SUBMIT));
  g_assert_true (vtr_cmd_is (VTR_CMD_vkGetPhysicalDeviceProperties, VTR_CLASS_QUERY));
  g_assert_false (vtr_cmd_is (VTR_CMD_vkGetDeviceQueue, VTR_CLASS_QUERY));
  g_assert_true (vtr_cmd_is (VTR_CMD_vkGetDeviceQueue, VTR_CLASS_RETRIEVE));
  g_assert_true (vtr_cmd_is (VTR_CMD_vkWaitForFences, VTR_CLASS_WAIT));
  g_assert_false (vtr_cmd_is (VTR_CMD_vkCreateWin32SurfaceKHR, VTR_CLASS_C));
  g_assert_true (vtr_cmd_is (VTR_CMD_vkCreateXcbSurfaceKHR, VTR_CLASS_C));

  assert_lifetime (vtr_cmd_get (VTR_CMD_vkAllocateCommandBuffers)->create,
                   VTR_HANDLE_VkCommandBuffer, VTR_CMD_vkAllocateCommandBuffers, "pCommandBuffers");
  assert_lifetime (vtr_cmd_get (VTR_CMD_vkFreeDescriptorSets)->destroy,
                   VTR_HANDLE_VkDescriptorSet, VTR_CMD_vkFreeDescriptorSets, "pDescriptorSets");
  assert_lifetime (vtr_cmd_get (VTR_CMD_vkDestroyDevice)->destroy, VTR_HANDLE_VkDevice,
                   VTR_CMD_vkDestroyDevice, "device");
}

static void
test_order (void)
{
  static const VtrCmdId before[] = {
    VTR_CMD_vkQueueSubmit,
    VTR_CMD_vkQueueSubmit2,
    VTR_CMD_vkQueueBindSparse,
    VTR_CMD_vkQueuePresentKHR,
    VTR_CMD_vkSignalSemaphore,
    VTR_CMD_vkSignalSemaphoreKHR,
    VTR_CMD_vkSetEvent,
    VTR_CMD_vkDestroyBuffer,
    VTR_CMD_vkFreeMemory,
    VTR_CMD_vkFreeCommandBuffers,
    VTR_CMD_vkResetCommandPool,
    VTR_CMD_vkResetDescriptorPool,
  };
  static const VtrCmdId after[] = {
    VTR_CMD_vkCreateBuffer,
    VTR_CMD_vkWaitForFences,
    VTR_CMD_vkAcquireNextImageKHR,
    VTR_CMD_vkGetFenceStatus,
    VTR_CMD_vkMapMemory,
    VTR_CMD_vkResetFences,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (before); i++)
    g_assert_cmpint (vtr_cmd_get (before[i])->order, ==, VTR_ORDER_BEFORE);
  for (gsize i = 0; i < G_N_ELEMENTS (after); i++)
    g_assert_cmpint (vtr_cmd_get (after[i])->order, ==, VTR_ORDER_AFTER);
}

static void
test_levels (void)
{
  g_assert_cmpint (vtr_cmd_get (VTR_CMD_vkCreateInstance)->level, ==, VTR_LEVEL_GLOBAL);
  g_assert_cmpint (vtr_cmd_get (VTR_CMD_vkDestroyInstance)->level, ==, VTR_LEVEL_INSTANCE);
  g_assert_cmpint (vtr_cmd_get (VTR_CMD_vkCreateDevice)->level, ==, VTR_LEVEL_PHYSICAL_DEVICE);
  g_assert_cmpint (vtr_cmd_get (VTR_CMD_vkQueueSubmit)->level, ==, VTR_LEVEL_DEVICE);
  g_assert_cmpuint (vtr_cmd_get (VTR_CMD_vkCmdDraw)->dispatch, ==, VTR_HANDLE_VkCommandBuffer);
  g_assert_cmpuint (vtr_cmd_get (VTR_CMD_vkQueueSubmit2KHR)->alias_of, ==,
                    VTR_CMD_vkQueueSubmit2);
  g_assert_cmpuint (vtr_cmd_canonical (VTR_CMD_vkQueueSubmit2KHR), ==, VTR_CMD_vkQueueSubmit2);
  g_assert_cmpuint (vtr_cmd_get (VTR_CMD_vkQueueSubmit2)->version, ==, VK_API_VERSION_1_3);
}

/* --- Dispatch tables ------------------------------------------------------------------------- */

/* Answers every name with a pointer that tells its command. */
static PFN_vkVoidFunction
device_proc (VkDevice    device,
             const char *name)
{
  return (PFN_vkVoidFunction)(void *)(guintptr)(0x1000 + vtr_cmd_from_name (name));
}

static void
test_dispatch (void)
{
  VtrDeviceDispatch table;

  vtr_device_dispatch_load (&table, NULL, device_proc);
  g_assert_cmphex ((guintptr)table.QueueSubmit, ==, 0x1000 + VTR_CMD_vkQueueSubmit);
  g_assert_cmphex ((guintptr)table.CmdDraw, ==, 0x1000 + VTR_CMD_vkCmdDraw);
  for (VtrCmdId cmd = 0; vtr_cmd_is_vulkan (cmd); cmd++)
    if (vtr_cmd_get (cmd)->level == VTR_LEVEL_DEVICE && vtr_cmd_is (cmd, VTR_CLASS_C))
      g_assert_cmphex ((guintptr)vtr_dispatch_get (cmd, NULL, &table), ==, 0x1000 + cmd);
  g_assert_null (vtr_dispatch_get (VTR_CMD_vkCreateWin32SurfaceKHR, NULL, &table));
}

static void
test_args (void)
{
  g_assert_cmpuint (vtr_cmd_get (VTR_CMD_vkCmdDraw)->args_size, ==, sizeof (VtrArgs_vkCmdDraw));
  g_assert_cmpuint (vtr_cmd_param (VTR_CMD_vkCmdPipelineBarrier, 9)->offset[VTR_ABI_NATIVE], ==,
                    offsetof (VtrArgs_vkCmdPipelineBarrier, pImageMemoryBarriers));
}

/* The API of an id, at the ends of an API's ranges and in unused pages. */
static void
test_apis (void)
{
  const VtrApiModel *vulkan = vtr_api_from_name ("vulkan");

  g_assert_nonnull (vulkan);
  g_assert_null (vtr_api_from_name ("vulka"));
  g_assert_cmpuint (vulkan->hash, ==, VTR_VULKAN_HASH);
  g_assert_true (vtr_api_of (VTR_CMD_vkCmdDraw) == vulkan);
  g_assert_true (vtr_api_of (VTR_VULKAN_N_COMMANDS - 1) == vulkan);
  g_assert_null (vtr_api_of (VTR_VULKAN_N_COMMANDS));
  g_assert_null (vtr_api_of (0x8000));
  g_assert_null (vtr_api_of (VTR_CMD_NONE));
  g_assert_null (vtr_api_of (0x10000u + VTR_CMD_vkCmdDraw));
  g_assert_false (vtr_handle_is_known (VTR_HANDLE_NONE));
  g_assert_true (&vulkan->commands[VTR_CMD_vkCmdDraw] == vtr_cmd_get (VTR_CMD_vkCmdDraw));
  g_assert_true (&vulkan->structs[VTR_STRUCT_VkExtent2D] ==
                 vtr_struct_get (VTR_STRUCT_VkExtent2D));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/tables/counts", test_counts);
  g_test_add_func ("/api/tables/names", test_names);
  g_test_add_func ("/api/tables/apis", test_apis);
  g_test_add_func ("/api/tables/unknown", test_unknown);
  g_test_add_func ("/api/tables/extensions", test_extensions);
  g_test_add_func ("/api/tables/structure-types", test_structure_types);
  g_test_add_func ("/api/tables/enums", test_enums);
  g_test_add_func ("/api/tables/classes", test_classes);
  g_test_add_func ("/api/tables/order", test_order);
  g_test_add_func ("/api/tables/levels", test_levels);
  g_test_add_func ("/api/tables/dispatch", test_dispatch);
  g_test_add_func ("/api/tables/args", test_args);
  return g_test_run ();
}
