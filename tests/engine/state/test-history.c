/* Tests lifetimes of objects in purpose-made sequences. */
#include "vtr-test-trace.h"
#include "engine/vulkan/state/vtr-state.h"

#include "api/vtr-api-types.h"

#define DEVICE H (VkDevice, 3)

static VtrHistory *
build (VtrTestTrace *test)
{
  g_autoptr (VtrTrace) trace = vtr_test_trace_open (test);
  g_autoptr (GError) error = NULL;
  VtrHistory *history = vtr_history_build (trace, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return history;
}

static void
test_reuse (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  guint64 first, between, ended, second, last;
  const VtrObject *one, *two;
  VtrArena arena;
  VtrCommand command;

  vtr_test_add_device (test);
  first = vtr_test_add_buffer (test, 0xb, 10, 0);
  between = ADD (test, vkDeviceWaitIdle, .device = DEVICE);
  ended = ADD (test, vkDestroyBuffer, .device = DEVICE, .buffer = H (VkBuffer, 0xb));
  second = vtr_test_add_buffer (test, 0xb, 20, 0);
  last = ADD (test, vkDeviceWaitIdle, .device = DEVICE);

  history = build (test);
  one = vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkBuffer, 0xb), between);
  g_assert_nonnull (one);
  g_assert_cmpuint (one->created, ==, first);
  g_assert_cmpuint (one->destroyed, ==, ended);
  g_assert_true (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkBuffer, 0xb),
                                   first) == one);
  g_assert_true (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkBuffer, 0xb),
                                   ended) == one);
  two = vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkBuffer, 0xb), last);
  g_assert_cmpuint (two->created, ==, second);
  g_assert_cmpuint (two->destroyed, ==, VTR_COMMAND_NO_INDEX);
  g_assert_cmpuint (two->id, !=, one->id);
  g_assert_null (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkBuffer, 0xb),
                                   first - 1));
  g_assert_null (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkImage, 0xb),
                                   between));
  g_assert_null (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkBuffer, 0), between));
  g_assert_cmpuint (vtr_history_get_object (history, one->parent)->type, ==, VTR_HANDLE_VkDevice);
  g_assert_null (vtr_history_get_object (history, 0));
  g_assert_null (vtr_history_get_object (history, vtr_history_get_n_objects (history) + 1));

  vtr_arena_init (&arena);
  g_assert_true (vtr_history_decode_creation (history, two, &arena, &command, NULL));
  g_assert_cmpuint (((VtrArgs_vkCreateBuffer *)command.args)->pCreateInfo->size, ==, 20);
  vtr_arena_finish (&arena);
}

static VkDescriptorSet
add_set (VtrTestTrace *test, guint64 pool, guint64 value)
{
  VkDescriptorSet set = H (VkDescriptorSet, value);
  VkDescriptorSetLayout layout = H (VkDescriptorSetLayout, 0x77);
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = H (VkDescriptorPool, pool),
    .descriptorSetCount = 1,
    .pSetLayouts = &layout,
  };

  ADD (test, vkAllocateDescriptorSets, .device = DEVICE, .pAllocateInfo = &info,
       .pDescriptorSets = &set);
  return set;
}

static void
add_descriptor_pool (VtrTestTrace *test, guint64 value)
{
  VkDescriptorPool pool = H (VkDescriptorPool, value);
  VkDescriptorPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO };

  ADD (test, vkCreateDescriptorPool, .device = DEVICE, .pCreateInfo = &info,
       .pDescriptorPool = &pool);
}

static void
test_pools (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  VkDescriptorSet sets[2];
  VkCommandBuffer buffer = H (VkCommandBuffer, 0x1000);
  guint64 reset, freed, command_reset, destroyed, end;

  vtr_test_add_device (test);
  add_descriptor_pool (test, 0x50);
  sets[0] = add_set (test, 0x50, 0x60);
  sets[1] = add_set (test, 0x50, 0x61);
  freed = ADD (test, vkFreeDescriptorSets, .device = DEVICE,
               .descriptorPool = H (VkDescriptorPool, 0x50), .descriptorSetCount = 1,
               .pDescriptorSets = &sets[1]);
  reset = ADD (test, vkResetDescriptorPool, .device = DEVICE,
               .descriptorPool = H (VkDescriptorPool, 0x50));
  add_set (test, 0x50, 0x60);
  vtr_test_add_pool (test, 0x10, 0);
  vtr_test_allocate_buffer (test, 0x10, 0x1000);
  vtr_test_allocate_buffer (test, 0x10, 0x1001);
  command_reset =
    ADD (test, vkResetCommandPool, .device = DEVICE, .commandPool = H (VkCommandPool, 0x10));
  ADD (test, vkFreeCommandBuffers, .device = DEVICE, .commandPool = H (VkCommandPool, 0x10),
       .commandBufferCount = 1, .pCommandBuffers = &buffer);
  destroyed =
    ADD (test, vkDestroyCommandPool, .device = DEVICE, .commandPool = H (VkCommandPool, 0x10));
  end = ADD (test, vkDestroyDevice, .device = DEVICE);

  history = build (test);
  g_assert_cmpuint (
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet, 0x60),
                      reset)
      ->destroyed,
    ==, reset);
  g_assert_cmpuint (
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet, 0x61),
                      freed)
      ->destroyed,
    ==, freed);
  g_assert_null (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet, 0x61),
                                   reset));
  /* The pool still exists, and gives out the same handle again. */
  g_assert_cmpuint (vtr_history_find (history,
                                      vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet, 0x60),
                                      end)
                      ->destroyed,
                    ==, end);
  g_assert_cmpuint (vtr_history_find (history,
                                      vtr_vulkan_identity (VTR_HANDLE_VkDescriptorPool, 0x50),
                                      end)
                      ->destroyed,
                    ==, end);
  /* Resetting a command pool frees nothing. */
  g_assert_cmpuint (
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkCommandBuffer, 0x1001),
                      command_reset)
      ->destroyed,
    ==,
    destroyed);
  g_assert_cmpuint (
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkCommandBuffer, 0x1000),
                      command_reset)
      ->destroyed,
    ==,
    command_reset + 1);
  g_assert_cmpuint (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkQueue, 4),
                                      end)
                      ->destroyed,
                    ==, end);
  g_assert_cmpuint (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkInstance, 1),
                                      end)
                      ->destroyed,
                    ==,
                    VTR_COMMAND_NO_INDEX);
}

/* Drivers may return one value for two living objects. */
static void
test_same_value_twice (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  VkSampler sampler = H (VkSampler, 0x5);
  VkSamplerCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO };
  guint64 first, second, destroy, after, gone;

  vtr_test_add_device (test);
  first =
    ADD (test, vkCreateSampler, .device = DEVICE, .pCreateInfo = &info, .pSampler = &sampler);
  second =
    ADD (test, vkCreateSampler, .device = DEVICE, .pCreateInfo = &info, .pSampler = &sampler);
  destroy = ADD (test, vkDestroySampler, .device = DEVICE, .sampler = sampler);
  after = ADD (test, vkDeviceWaitIdle, .device = DEVICE);
  ADD (test, vkDestroySampler, .device = DEVICE, .sampler = sampler);
  gone = ADD (test, vkDeviceWaitIdle, .device = DEVICE);

  history = build (test);
  g_assert_cmpuint (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkSampler, 5),
                                      second)
                      ->created,
                    ==,
                    second);
  g_assert_cmpuint (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkSampler, 5),
                                      destroy)
                      ->created,
                    ==,
                    first);
  g_assert_cmpuint (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkSampler, 5),
                                      after)
                      ->created,
                    ==,
                    first);
  g_assert_null (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkSampler, 5), gone));
}

static void
test_getters (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  g_autoptr (GArray) queues = NULL, images = NULL, children = NULL;
  VkSwapchainKHR swapchain = H (VkSwapchainKHR, 0x5c);
  VkSwapchainCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
    .imageFormat = VK_FORMAT_B8G8R8A8_SRGB,
    .imageExtent = { 640, 480 },
    .imageArrayLayers = 1,
  };
  VkImage handles[3] = { H (VkImage, 0xa), H (VkImage, 0xb), H (VkImage, 0xc) };
  VkQueue queue = H (VkQueue, 4);
  guint32 n = 3;
  guint64 end;
  const VtrObject *image;
  VtrImageInfo image_info;

  vtr_test_add_device (test);
  ADD (test, vkGetDeviceQueue, .device = DEVICE, .pQueue = &queue);
  ADD (test, vkCreateSwapchainKHR, .device = DEVICE, .pCreateInfo = &info,
       .pSwapchain = &swapchain);
  for (guint i = 0; i < 2; i++)
    ADD (test, vkGetSwapchainImagesKHR, .device = DEVICE, .swapchain = swapchain,
         .pSwapchainImageCount = &n, .pSwapchainImages = handles);
  end = ADD (test, vkDestroySwapchainKHR, .device = DEVICE, .swapchain = swapchain);

  history = build (test);
  queues = vtr_history_list (history, VTR_HANDLE_VkQueue);
  g_assert_cmpuint (queues->len, ==, 1);
  images = vtr_history_list (history, VTR_HANDLE_VkImage);
  g_assert_cmpuint (images->len, ==, 3);
  image = vtr_history_get_object (history, g_array_index (images, guint32, 2));
  g_assert_cmpuint (image->handle, ==, 0xc);
  g_assert_cmpuint (image->element, ==, 2);
  g_assert_cmpuint (image->destroyed, ==, end);
  g_assert_cmpuint (vtr_history_get_object (history, image->parent)->type, ==,
                    VTR_HANDLE_VkSwapchainKHR);
  children = vtr_history_list_children (history, image->parent);
  g_assert_cmpuint (children->len, ==, 3);
  g_assert_true (vtr_history_get_image_info (history, image, &image_info, NULL));
  g_assert_true (image_info.swapchain);
  g_assert_cmpuint (image_info.extent.width, ==, 640);
  g_assert_cmpuint (image_info.format, ==, VK_FORMAT_B8G8R8A8_SRGB);
}

static void
set_name (VtrTestTrace *test, VkObjectType type, guint64 handle, const char *name)
{
  VkDebugUtilsObjectNameInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
    .objectType = type,
    .objectHandle = handle,
    .pObjectName = name,
  };

  ADD (test, vkSetDebugUtilsObjectNameEXT, .device = DEVICE, .pNameInfo = &info);
}

static void
test_names (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  g_autofree char *named = NULL, *marked = NULL, *bare = NULL, *type = NULL;
  VkDebugMarkerObjectNameInfoEXT marker = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_NAME_INFO_EXT,
    .objectType = VK_DEBUG_REPORT_OBJECT_TYPE_BUFFER_EXT,
    .object = 0xb1,
    .pObjectName = "marked \xff",
  };
  guint64 last;

  vtr_test_add_device (test);
  vtr_test_add_buffer (test, 0xb0, 1, 0);
  vtr_test_add_buffer (test, 0xb1, 1, 0);
  vtr_test_add_buffer (test, 0xb2, 1, 0);
  set_name (test, VK_OBJECT_TYPE_BUFFER, 0xb0, "old");
  set_name (test, VK_OBJECT_TYPE_BUFFER, 0xb0, "vertices");
  set_name (test, VK_OBJECT_TYPE_IMAGE, 0xb2, "no such image");
  last = ADD (test, vkDebugMarkerSetObjectNameEXT, .device = DEVICE, .pNameInfo = &marker);

  history = build (test);
  named =
    vtr_history_describe (history, vtr_history_find (history,
                                                     vtr_vulkan_identity (VTR_HANDLE_VkBuffer,
                                                                          0xb0),
                                                     last));
  g_assert_cmpstr (named, ==, "vertices");
  marked =
    vtr_history_describe (history, vtr_history_find (history,
                                                     vtr_vulkan_identity (VTR_HANDLE_VkBuffer,
                                                                          0xb1),
                                                     last));
  g_assert_cmpstr (marked, ==, "marked \xef\xbf\xbd");
  bare =
    vtr_history_describe (history, vtr_history_find (history,
                                                     vtr_vulkan_identity (VTR_HANDLE_VkBuffer,
                                                                          0xb2),
                                                     last));
  g_assert_cmpstr (bare, ==, "buffer 7");
  type = vtr_history_describe_type (VTR_HANDLE_VkSwapchainKHR);
  g_assert_cmpstr (type, ==, "swapchain");
}

/* Arrays with holes: some pipelines of one call may fail. */
static void
test_elements (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  VkComputePipelineCreateInfo infos[3] = { 0 };
  VkPipeline pipelines[3] = { H (VkPipeline, 0x1), VK_NULL_HANDLE, H (VkPipeline, 0x3) };
  VtrPipelineInfo info;
  VtrArena arena;
  guint64 index;

  vtr_test_add_device (test);
  for (guint i = 0; i < 3; i++)
    {
      infos[i].sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
      infos[i].stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
      infos[i].stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
      infos[i].layout = H (VkPipelineLayout, 0x100 + i);
    }
  index =
    ADD_RESULT (test, VK_ERROR_OUT_OF_DEVICE_MEMORY, vkCreateComputePipelines, .device = DEVICE,
                .createInfoCount = 3, .pCreateInfos = infos, .pPipelines = pipelines);

  history = build (test);
  g_assert_cmpuint (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkPipeline, 1),
                                      index)
                      ->element,
                    ==, 0);
  g_assert_cmpuint (vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkPipeline, 3),
                                      index)
                      ->element,
                    ==, 2);
  vtr_arena_init (&arena);
  g_assert_true (vtr_history_get_pipeline_info (
    history, vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkPipeline, 3), index),
    &arena, &info, NULL));
  g_assert_cmpuint ((gsize)info.layout, ==, 0x102);
  g_assert_cmpuint (info.bind_point, ==, VK_PIPELINE_BIND_POINT_COMPUTE);
  vtr_arena_finish (&arena);
}

static void
test_bindings (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  VkBindBufferMemoryInfo infos[2] = {
    { .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, .buffer = H (VkBuffer, 0xb1) },
    { .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, .buffer = H (VkBuffer, 0xb2) },
  };
  guint64 single, both, last;

  vtr_test_add_device (test);
  vtr_test_add_buffer (test, 0xb0, 1, 0);
  vtr_test_add_buffer (test, 0xb1, 1, 0);
  vtr_test_add_buffer (test, 0xb2, 1, 0);
  vtr_test_add_buffer (test, 0xb3, 1, 0);
  single = ADD (test, vkBindBufferMemory, .device = DEVICE, .buffer = H (VkBuffer, 0xb0));
  both = last =
    ADD (test, vkBindBufferMemory2, .device = DEVICE, .bindInfoCount = 2, .pBindInfos = infos);

  history = build (test);
  g_assert_cmpuint (vtr_history_get_memory_binding (
                      history, vtr_history_find (history,
                                                 vtr_vulkan_identity (VTR_HANDLE_VkBuffer, 0xb0),
                                                 last)
                                 ->id),
                    ==, single);
  g_assert_cmpuint (vtr_history_get_memory_binding (
                      history, vtr_history_find (history,
                                                 vtr_vulkan_identity (VTR_HANDLE_VkBuffer, 0xb2),
                                                 last)
                                 ->id),
                    ==, both);
  g_assert_cmpuint (vtr_history_get_memory_binding (
                      history, vtr_history_find (history,
                                                 vtr_vulkan_identity (VTR_HANDLE_VkBuffer, 0xb3),
                                                 last)
                                 ->id),
                    ==, VTR_COMMAND_NO_INDEX);
}

/* Every command of the registry that makes one object makes it here; nothing is listed by hand. */
static void
test_every_creator (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  guint64 indices[VTR_VULKAN_N_COMMANDS];
  guint n = 0;

  vtr_test_add_device (test);
  for (guint id = 0; id < VTR_VULKAN_N_COMMANDS; id++)
    {
      const VtrApiCommand *api = vtr_cmd_get (id);
      union
      {
        guint64 words[64];
        guint8 bytes[512];
      } args = { 0 };
      guint64 handle = 0x10000 + id;
      const VtrApiField *field;

      indices[id] = VTR_COMMAND_NO_INDEX;
      if (!vtr_cmd_is ((VtrCmdId)id, VTR_CLASS_CREATE) ||
          !vtr_cmd_is ((VtrCmdId)id, VTR_CLASS_C) || api->create.count != 0)
        continue;
      field = vtr_cmd_param ((VtrCmdId)id, api->create.param);
      *(guint64 **)(void *)&args.bytes[field->offset[VTR_ABI_NATIVE]] = &handle;
      indices[id] = vtr_test_trace_add (test, (VtrCmdId)id, args.bytes, 0, 0);
      n++;
    }
  g_assert_cmpuint (n, >, 40);

  history = build (test);
  for (guint id = 0; id < VTR_VULKAN_N_COMMANDS; id++)
    if (indices[id] != VTR_COMMAND_NO_INDEX)
      {
        const VtrObject *object =
          vtr_history_find (history,
                            vtr_vulkan_identity (vtr_cmd_get (id)->create.handle, 0x10000 + id),
                            indices[id]);

        if (object == NULL || object->created != indices[id])
          g_error ("%s made no %s", vtr_cmd_name ((VtrCmdId)id),
                   vtr_api_string (vtr_handle_get (vtr_cmd_get (id)->create.handle)->name));
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/engine/state/history/reuse", test_reuse);
  g_test_add_func ("/engine/state/history/pools", test_pools);
  g_test_add_func ("/engine/state/history/same-value-twice", test_same_value_twice);
  g_test_add_func ("/engine/state/history/getters", test_getters);
  g_test_add_func ("/engine/state/history/names", test_names);
  g_test_add_func ("/engine/state/history/elements", test_elements);
  g_test_add_func ("/engine/state/history/bindings", test_bindings);
  g_test_add_func ("/engine/state/history/every-creator", test_every_creator);
  return g_test_run ();
}
