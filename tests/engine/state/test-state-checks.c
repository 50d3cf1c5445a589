/* Tests the checks of the model: they report what is wrong, and nothing else. */
#include "vtr-test-state.h"

static void
expect_checked (VtrTestState *self,
                guint64       index,
                const char   *expected)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (
    vtr_state_store_check (vtr_document_get_state_store (self->document), NULL, &error));
  g_assert_no_error (error);
  vtr_test_state_expect_message (self, index, expected);
}

static void
test_handles (VtrTestState  *self,
              gconstpointer  data)
{
  guint64 good, dead, unknown;

  vtr_test_state_add_memory (self, 0xe1);
  vtr_test_state_add_buffer (self, 0xf1);
  vtr_test_state_add_buffer (self, 0xf2);
  good = ADD (self->test, vkBindBufferMemory, .device = DEVICE, .buffer = H (VkBuffer, 0xf1),
              .memory = H (VkDeviceMemory, 0xe1));
  ADD (self->test, vkDestroyBuffer, .device = DEVICE, .buffer = H (VkBuffer, 0xf1));
  dead = ADD (self->test, vkBindBufferMemory, .device = DEVICE, .buffer = H (VkBuffer, 0xf1),
              .memory = H (VkDeviceMemory, 0xe1));
  unknown = ADD (self->test, vkBindBufferMemory, .device = DEVICE, .buffer = H (VkBuffer, 0xf2),
                 .memory = H (VkDeviceMemory, 0x999));
  vtr_test_state_open (self);

  expect_checked (self, good, "");
  expect_checked (self, dead, "invalid-handle: buffer is buffer");
  expect_checked (self, unknown, "invalid-handle: memory is 0x999");
}

static void
test_pointers (VtrTestState  *self,
               gconstpointer  data)
{
  VkBuffer buffer = H (VkBuffer, 0xf1);
  VkSubmitInfo empty = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO };
  guint64 null, nothing;

  null = ADD (self->test, vkCreateBuffer, .device = DEVICE, .pBuffer = &buffer);
  nothing = ADD (self->test, vkQueueSubmit, .queue = QUEUE, .submitCount = 1, .pSubmits = &empty);
  vtr_test_state_open (self);

  expect_checked (self, null, "null-pointer: pCreateInfo");
  expect_checked (self, nothing, "");
}

static void
test_extensions (VtrTestState  *self,
                 gconstpointer  data)
{
  const char *names[] = { "VK_KHR_swapchain", "VK_ACME_wonder" };
  VkDeviceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .enabledExtensionCount = 2,
    .ppEnabledExtensionNames = names,
  };
  VkDevice device = H (VkDevice, 0x33);
  VkPresentInfoKHR present = { .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR };
  guint64 created, presented, pushed;

  created = ADD (self->test, vkCreateDevice, .physicalDevice = H (VkPhysicalDevice, 2),
                 .pCreateInfo = &info, .pDevice = &device);
  presented = ADD (self->test, vkQueuePresentKHR, .queue = QUEUE, .pPresentInfo = &present);
  vtr_test_begin (self->test, CB);
  pushed = ADD (self->test, vkCmdDrawMeshTasksNV, .commandBuffer = BUFFER, .taskCount = 1);
  vtr_test_end (self->test, CB);
  vtr_test_state_open (self);

  expect_checked (self, created, "extension: Vitrine does not know the extension VK_ACME_wonder");
  expect_checked (self, presented, "");
  expect_checked (self, pushed, "extension: vkCmdDrawMeshTasksNV");
}

/* Commands that several extensions bring: one of them is enough. */
static void
test_several_extensions (VtrTestState  *self,
                         gconstpointer  data)
{
  const char *name = "VK_KHR_device_group";
  VkDeviceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .enabledExtensionCount = 1,
    .ppEnabledExtensionNames = &name,
  };
  VkDevice device = H (VkDevice, 0x33);
  VkDeviceGroupPresentModeFlagsKHR modes = 0;
  guint64 asked, pushed;

  ADD (self->test, vkCreateDevice, .physicalDevice = H (VkPhysicalDevice, 2), .pCreateInfo = &info,
       .pDevice = &device);
  asked = ADD (self->test, vkGetDeviceGroupSurfacePresentModesKHR, .device = DEVICE,
               .pModes = &modes);
  vtr_test_begin (self->test, CB);
  pushed = ADD (self->test, vkCmdPushDescriptorSetWithTemplateKHR, .commandBuffer = BUFFER);
  vtr_test_end (self->test, CB);
  vtr_test_state_open (self);

  expect_checked (self, asked, "");
  expect_checked (self, pushed,
                  "extension: vkCmdPushDescriptorSetWithTemplateKHR belongs to extensions that "
                  "neither the instance nor a device has enabled: VK_KHR_push_descriptor, "
                  "VK_KHR_descriptor_update_template.");
}

static void
test_outside (VtrTestState  *self,
              gconstpointer  data)
{
  guint64 inside, outside;

  vtr_test_begin (self->test, CB);
  inside = vtr_test_draw (self->test, CB);
  vtr_test_end (self->test, CB);
  outside = vtr_test_draw (self->test, CB);
  vtr_test_state_open (self);

  expect_checked (self, inside, "");
  expect_checked (self, outside, "command-buffer: ");
}

static void
test_unbound (VtrTestState  *self,
              gconstpointer  data)
{
  guint64 barrier;

  vtr_test_state_add_image (self, 0xa1, VK_FORMAT_R8_UNORM, VK_IMAGE_LAYOUT_UNDEFINED, 0);
  vtr_test_begin (self->test, CB);
  barrier = vtr_test_state_barrier (self, CB, 0xa1, ALL_COLOR, VK_IMAGE_LAYOUT_UNDEFINED,
                                    VK_IMAGE_LAYOUT_GENERAL);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  expect_checked (self, barrier, "memory-unbound: ");
}

/* A transfer says in which layout it finds its image. */
static void
test_transfer_layout (VtrTestState  *self,
                      gconstpointer  data)
{
  VkClearColorValue color = { .float32 = { 1 } };
  VkImageSubresourceRange all = ALL_COLOR;
  guint64 right, wrong;

  vtr_test_state_add_memory (self, 0xe1);
  vtr_test_state_add_image (self, 0xa1, VK_FORMAT_R8_UNORM, VK_IMAGE_LAYOUT_UNDEFINED, 0xe1);
  vtr_test_begin (self->test, CB);
  vtr_test_state_barrier (self, CB, 0xa1, ALL_COLOR, VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_GENERAL);
  right = ADD (self->test, vkCmdClearColorImage, .commandBuffer = BUFFER,
               .image = H (VkImage, 0xa1), .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
               .pColor = &color, .rangeCount = 1, .pRanges = &all);
  wrong = ADD (self->test, vkCmdClearColorImage, .commandBuffer = BUFFER,
               .image = H (VkImage, 0xa1), .imageLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
               .pColor = &color, .rangeCount = 1, .pRanges = &all);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  vtr_test_state_open (self);

  expect_checked (self, right, "");
  expect_checked (self, wrong, "image-layout: ");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD_STATE_TEST ("state-checks", handles);
  ADD_STATE_TEST ("state-checks", pointers);
  ADD_STATE_TEST ("state-checks", extensions);
  ADD_STATE_TEST ("state-checks", several_extensions);
  ADD_STATE_TEST ("state-checks", outside);
  ADD_STATE_TEST ("state-checks", unbound);
  ADD_STATE_TEST ("state-checks", transfer_layout);
  return g_test_run ();
}
