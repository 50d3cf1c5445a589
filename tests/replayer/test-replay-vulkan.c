/* Tests payloads in the real replayer on the machine's Vulkan driver (lavapipe in CI). */
#include "fixture.h"

/* --- Memory and buffers ---------------------------------------------------------------------- */

static void
test_write_memory (Fixture       *self,
                   gconstpointer  data)
{
  Buffer buffer = make_buffer (self, 100);
  guint32 words = payload_put (&self->payload, "some words", 10);
  guint32 mapped = payload_room (&self->payload, 8);
  g_autoptr (GError) error = NULL;

  payload_call (&self->payload, VTR_REPLAY_WRITE_BYTES, U32 (VTR_HANDLE_VkDeviceMemory),
                SLOT (buffer.memory), U64 (20), AT (words),
                U64 (10));
  read_bytes (self, VTR_HANDLE_VkBuffer, buffer.buffer, 20, 10, 1);
  read_bytes (self, VTR_HANDLE_VkDeviceMemory, buffer.memory, 22, 4, 2);
  read_bytes (self, VTR_HANDLE_VkBuffer, buffer.buffer, 0, UINT64_MAX, 3);
  read_bytes (self, VTR_HANDLE_VkDeviceMemory, buffer.memory, 4000, UINT64_MAX, 4);
  /* Through the trace's own mapping: what the machine stores there arrives. */
  payload_call (&self->payload, VTR_CMD_vkMapMemory, SLOT (self->device.device),
                SLOT (buffer.memory), U64 (16), U64 (VK_WHOLE_SIZE), U32 (0), AT (mapped));
  vtr_asm_push (&self->payload.code, VTR_VM_UINT32, 0x64636261);
  vtr_asm_load (&self->payload.code, VTR_VM_ABSOLUTE, mapped);
  vtr_asm_x (&self->payload.code, VTR_OP_STORE, 0);
  payload_call (&self->payload, VTR_CMD_vkUnmapMemory, SLOT (self->device.device),
                SLOT (buffer.memory));
  read_bytes (self, VTR_HANDLE_VkBuffer, buffer.buffer, 16, 4, 5);

  g_assert_true (fixture_run (self, 0, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (log_get (&self->log, 1), NULL), 10, "some words", 10);
  g_assert_cmpuint (g_bytes_get_size (log_get (&self->log, 1)), ==, 10);
  g_assert_cmpmem (g_bytes_get_data (log_get (&self->log, 2), NULL), 4, "me w", 4);
  g_assert_cmpuint (g_bytes_get_size (log_get (&self->log, 3)), ==, 100);
  g_assert_cmpuint (g_bytes_get_size (log_get (&self->log, 4)), ==, 96);
  g_assert_cmpmem (g_bytes_get_data (log_get (&self->log, 5), NULL), 4, "abcd", 4);
}

static void
test_poison (Fixture       *self,
             gconstpointer  data)
{
  Buffer buffer = make_buffer (self, 64);
  g_autoptr (GError) error = NULL;
  const guint8 *bytes;

  read_bytes (self, VTR_HANDLE_VkDeviceMemory, buffer.memory, 0, 4096, 1);
  g_assert_true (fixture_run (self, VTR_REPLAY_POISON, &error));
  bytes = g_bytes_get_data (log_get (&self->log, 1), NULL);
  for (gsize i = 0; i < 4096; i++)
    g_assert_cmphex (bytes[i], ==, 0xa5);
}

static void
test_ranges (Fixture       *self,
             gconstpointer  data)
{
  Buffer buffer = make_buffer (self, 100);
  guint32 words = payload_put (&self->payload, "words", 5);
  g_autoptr (GError) error = NULL;

  vtr_asm_label (&self->payload.code, 41);
  payload_call (&self->payload, VTR_REPLAY_WRITE_BYTES, U32 (VTR_HANDLE_VkDeviceMemory),
                SLOT (buffer.memory), U64 (4094),
                AT (words), U64 (5));
  g_assert_false (fixture_run (self, 0, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD);
  g_assert_true (self->outcome.failed);
  g_assert_cmpuint (self->outcome.label, ==, 41);
}

/* --- Swapchain ------------------------------------------------------------------------------- */

static guint32
make_semaphore (Fixture *self)
{
  const VkSemaphoreCreateInfo info = { VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  guint32 semaphore = payload_room (&self->payload, 8);

  payload_call (&self->payload, VTR_CMD_vkCreateSemaphore, SLOT (self->device.device),
                AT (payload_put (&self->payload, &info, sizeof info)), NOTHING, AT (semaphore));
  return semaphore;
}

static void
present (Fixture *self,
         guint32  semaphore,
         guint32  swapchain)
{
  Payload *payload = &self->payload;
  const guint32 index = 1;
  VkPresentInfoKHR info = { VK_STRUCTURE_TYPE_PRESENT_INFO_KHR };
  guint32 at;

  info.waitSemaphoreCount = 1;
  info.swapchainCount = 1;
  at = payload_put (payload, &info, sizeof info);
  payload_point (payload, at + (guint32)G_STRUCT_OFFSET (VkPresentInfoKHR, pWaitSemaphores),
                 semaphore);
  payload_point (payload, at + (guint32)G_STRUCT_OFFSET (VkPresentInfoKHR, pSwapchains), swapchain);
  payload_point (payload, at + (guint32)G_STRUCT_OFFSET (VkPresentInfoKHR, pImageIndices),
                 payload_put (payload, &index, sizeof index));
  payload_call (payload, VTR_REPLAY_PRESENT, SLOT (self->device.queue), AT (at));
}

static void
test_swapchain (Fixture       *self,
                gconstpointer  data)
{
  Payload *payload = &self->payload;
  const VkSwapchainCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
    .minImageCount = 2,
    .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
    .imageExtent = { 32, 16 },
    .imageArrayLayers = 1,
    .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  };
  const guint32 four = 4;
  const VkClearColorValue color = { .float32 = { 1, 0.2f, 0, 1 } };
  const VtrReplayReadImage read = { .format = VK_FORMAT_B8G8R8A8_UNORM,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                    .layout = VK_IMAGE_LAYOUT_GENERAL,
                                    .samples = 1,
                                    .width = 32,
                                    .height = 16,
                                    .depth = 1 };
  guint32 swapchain = payload_room (payload, 8);
  guint32 images = payload_room (payload, 32);
  guint32 surface = payload_room (payload, 8);
  guint32 semaphore;
  g_autoptr (GError) error = NULL;

  vtr_asm_label (&payload->code, 30);
  payload_call (payload, VTR_CMD_vkCreateXcbSurfaceKHR, SLOT (self->device.instance), NOTHING,
                NOTHING, AT (surface));
  payload_call (payload, VTR_CMD_vkCreateSwapchainKHR, SLOT (self->device.device),
                AT (payload_put (payload, &info, sizeof info)), NOTHING, AT (swapchain));
  payload_call (payload, VTR_CMD_vkGetSwapchainImagesKHR, SLOT (self->device.device),
                SLOT (swapchain), AT (payload_put (payload, &four, sizeof four)), AT (images));
  semaphore = make_semaphore (self);
  for (guint frame = 0; frame < 3; frame++)
    {
      payload_call (payload, VTR_REPLAY_ACQUIRE, SLOT (self->device.device), SLOT (swapchain),
                    SLOT (semaphore), U64 (0), U32 (1));
      present (self, semaphore, swapchain);
    }
  clear_image (self, images + 24, &color, &whole_color, VK_IMAGE_LAYOUT_GENERAL);
  payload_read_image (payload, &self->device, images + 24, &read);
  payload_call (payload, VTR_CMD_vkDestroySurfaceKHR, SLOT (self->device.instance), SLOT (surface),
                NOTHING);

  g_assert_true (fixture_run (self, 0, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (log_get (&self->log, 0)), ==, 32 * 16 * 4);
  g_assert_cmpmem (g_bytes_get_data (log_get (&self->log, 0), NULL), 4, "\x00\x33\xff\xff", 4);
}

/* --- Failures -------------------------------------------------------------------------------- */

static void
test_vulkan_error (Fixture       *self,
                   gconstpointer  data)
{
  VkMemoryAllocateInfo allocate = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  guint32 memory = payload_room (&self->payload, 8);
  g_autoptr (GError) error = NULL;

  allocate.allocationSize = 1ull << 60;
  vtr_asm_label (&self->payload.code, 1234);
  payload_call (&self->payload, VTR_CMD_vkAllocateMemory, SLOT (self->device.device),
                AT (payload_put (&self->payload, &allocate, sizeof allocate)), NOTHING,
                AT (memory));
  vtr_asm_label (&self->payload.code, 1235);
  g_assert_false (fixture_run (self, 0, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_CALL);
  g_assert_true (
    g_str_has_prefix (error->message, "vkAllocateMemory failed: VK_ERROR_OUT_OF_DEVICE_MEMORY."));
  g_assert_cmpuint (self->outcome.label, ==, 1234);
}

/* An invalid handle is reported and does no harm. */
static void
test_dead_handle (Fixture       *self,
                  gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  payload_call (&self->payload, VTR_CMD_vkEndCommandBuffer, U64 (0xdead));
  g_assert_false (fixture_run (self, 0, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD);
  g_assert_nonnull (strstr (error->message, "no live VkCommandBuffer"));
}

static void
test_no_such_device (void)
{
  VtrReplayBackend *backend = vtr_replay_process_new ("No Such Device");
  Payload payload;
  Device device;
  Log log;
  g_autoptr (GError) error = NULL;
  VtrReplayOutcome outcome;

  log_init (&log);
  payload_init (&payload);
  payload_make_device (&payload, &device);
  g_assert_false (payload_run (&payload, backend, 0, &log_events, &log, &outcome, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER);
  g_assert_nonnull (strstr (error->message, "No Such Device"));
  payload_clear (&payload);
  log_clear (&log);
  backend->klass->free (backend);
}

/* A crash inside the driver names the call; the next request has a new replayer. */
static void
test_crash (Fixture       *self,
            gconstpointer  data)
{
  gsize good = self->payload.code.size;
  g_autoptr (GError) error = NULL;

  vtr_asm_label (&self->payload.code, 4321);
  payload_call (&self->payload, VTR_CMD_vkCreateFence, SLOT (self->device.device), U64 (8), NOTHING,
                AT (16));
  g_assert_false (fixture_run (self, 0, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "vkCreateFence"));
  g_assert_cmpuint (self->outcome.label, ==, 4321);
  g_clear_error (&error);
  self->payload.code.size = good;
  g_assert_true (fixture_run (self, 0, &error));
  g_assert_no_error (error);
}

/* --- What is not here ------------------------------------------------------------------------ */

/* Layers, extensions and features that this machine lacks are left out, with a word. */
static void
test_left_out (void)
{
  const float priority = 1;
  VkInstanceCreateInfo instance_info = { VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
  VkDebugUtilsMessengerCreateInfoEXT messenger = {
    VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT
  };
  VkDeviceQueueCreateInfo queue = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO };
  VkDeviceCreateInfo device_info = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO };
  VkPhysicalDeviceFeatures2 features = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 };
  VkPhysicalDeviceProtectedMemoryFeatures protected_memory = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES
  };
  VtrReplayBackend *backend = vtr_replay_process_new (NULL);
  g_autoptr (GError) error = NULL;
  VtrReplayOutcome outcome;
  Payload payload;
  Log log;
  guint32 at, link, chain, names, instance, physical, device;

  log_init (&log);
  payload_init (&payload);
  instance = payload_room (&payload, 8);
  physical = payload_room (&payload, 8);
  device = payload_room (&payload, 8);

  names = payload_room (&payload, 16);
  payload_point (&payload, names, payload_put (&payload, "VK_EXT_not_there", 17));
  payload_point (&payload, names + 8, payload_put (&payload, "VK_LAYER_not_there", 19));
  /* The callback is an address of another process. */
  messenger.pfnUserCallback = (PFN_vkDebugUtilsMessengerCallbackEXT)(guintptr)0x1234;
  messenger.messageSeverity = messenger.messageType = 0xf;
  instance_info.enabledExtensionCount = 1;
  instance_info.enabledLayerCount = 1;
  at = payload_put (&payload, &instance_info, sizeof instance_info);
  payload_point (&payload, at + (guint32)G_STRUCT_OFFSET (VkInstanceCreateInfo, pNext),
                 payload_put (&payload, &messenger, sizeof messenger));
  payload_point (&payload,
                 at + (guint32)G_STRUCT_OFFSET (VkInstanceCreateInfo, ppEnabledExtensionNames),
                 names);
  payload_point (&payload,
                 at + (guint32)G_STRUCT_OFFSET (VkInstanceCreateInfo, ppEnabledLayerNames),
                 names + 8);
  payload_call (&payload, VTR_CMD_vkCreateInstance, AT (at), NOTHING, AT (instance));
  payload_call (&payload, VTR_REPLAY_GET_PHYSICAL_DEVICE, SLOT (instance), U32 (0), U32 (0),
                U32 (0), NOTHING, AT (physical));

  features.features.sparseBinding = VK_TRUE; /* lavapipe of Debian 12 has neither */
  features.features.geometryShader = VK_TRUE;
  protected_memory.protectedMemory = VK_TRUE;
  queue.queueCount = 1;
  device_info.queueCreateInfoCount = 1;
  device_info.enabledExtensionCount = 1;
  link = payload_put (&payload, &protected_memory, sizeof protected_memory);
  chain = payload_put (&payload, &features, sizeof features);
  payload_point (&payload, chain + (guint32)G_STRUCT_OFFSET (VkPhysicalDeviceFeatures2, pNext),
                 link);
  at = payload_put (&payload, &queue, sizeof queue);
  payload_point (&payload,
                 at + (guint32)G_STRUCT_OFFSET (VkDeviceQueueCreateInfo, pQueuePriorities),
                 payload_put (&payload, &priority, sizeof priority));
  link = at;
  at = payload_put (&payload, &device_info, sizeof device_info);
  payload_point (&payload, at + (guint32)G_STRUCT_OFFSET (VkDeviceCreateInfo, pNext), chain);
  payload_point (&payload, at + (guint32)G_STRUCT_OFFSET (VkDeviceCreateInfo, pQueueCreateInfos),
                 link);
  payload_point (&payload,
                 at + (guint32)G_STRUCT_OFFSET (VkDeviceCreateInfo, ppEnabledExtensionNames),
                 names);
  payload_call (&payload, VTR_CMD_vkCreateDevice, SLOT (physical), AT (at), NOTHING, AT (device));

  g_assert_true (payload_run (&payload, backend, 0, &log_events, &log, &outcome, &error));
  g_assert_no_error (error);
  g_assert_nonnull (strstr (log.messages->str, "Layer VK_LAYER_not_there is not installed"));
  g_assert_nonnull (strstr (log.messages->str, "Instance extension VK_EXT_not_there"));
  g_assert_nonnull (strstr (log.messages->str, "device does not offer VK_EXT_not_there"));
  g_assert_nonnull (strstr (log.messages->str, "lacks the feature sparseBinding"));
  g_assert_nonnull (strstr (log.messages->str, "lacks the feature protectedMemory"));
  g_assert_null (strstr (log.messages->str, "geometryShader"));
  payload_clear (&payload);
  log_clear (&log);
  backend->klass->free (backend);
}

/* No result is written where the machine has no memory, by our own functions least of all. */
static void
test_outputs (Fixture       *self,
              gconstpointer  data)
{
  static guint64 victim = 7;
  const VkDebugUtilsMessengerCreateInfoEXT info = {
    VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT
  };
  g_autoptr (GError) error = NULL;

  payload_call (&self->payload, VTR_CMD_vkCreateDebugUtilsMessengerEXT,
                SLOT (self->device.instance),
                AT (payload_put (&self->payload, &info, sizeof info)), NOTHING,
                U64 ((guintptr)&victim));
  g_assert_false (fixture_run (self, 0, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD);
  g_assert_cmpuint (victim, ==, 7);
}

/* --- Again and again ------------------------------------------------------------------------- */

static void
test_repeat (Fixture       *self,
             gconstpointer  data)
{
  const VkImageCreateInfo info = image_info (VK_FORMAT_R8G8B8A8_UNORM, 64, 64, 0);
  const VkClearColorValue color = { .float32 = { 0, 1, 0, 1 } };
  const VtrReplayReadImage read = { .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                    .layout = VK_IMAGE_LAYOUT_GENERAL,
                                    .samples = 1,
                                    .width = 64,
                                    .height = 64,
                                    .depth = 1,
                                    .post = 9 };
  guint32 memory;
  guint32 image = payload_make_image (&self->payload, &self->device, &info, 1 << 20, &memory);
  gint64 start;

  clear_image (self, image, &color, &whole_color, VK_IMAGE_LAYOUT_GENERAL);
  payload_read_image (&self->payload, &self->device, image, &read);
  start = g_get_monotonic_time ();
  for (guint i = 0; i < 30; i++)
    {
      g_autoptr (GError) error = NULL;

      g_hash_table_remove_all (self->log.posts);
      g_assert_true (fixture_run (self, i % 2 == 0 ? 0 : VTR_REPLAY_POISON, &error));
      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (log_get (&self->log, 9), NULL), 4, "\0\xff\0\xff", 4);
    }
  g_test_message ("%.1f ms per request", (double)(g_get_monotonic_time () - start) / 30000);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/replayer/vulkan/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("write-memory", test_write_memory);
  ADD ("poison", test_poison);
  ADD ("ranges", test_ranges);
  ADD ("swapchain", test_swapchain);
  ADD ("vulkan-error", test_vulkan_error);
  ADD ("dead-handle", test_dead_handle);
  g_test_add_func ("/replayer/vulkan/no-such-device", test_no_such_device);
  ADD ("crash", test_crash);
  g_test_add_func ("/replayer/vulkan/left-out", test_left_out);
  ADD ("outputs", test_outputs);
  ADD ("repeat", test_repeat);
  return g_test_run ();
}
