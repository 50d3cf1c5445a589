/* Tests fences, semaphores, timelines, events and swapchains in the state. */
#include "vtr-test-state.h"

static guint64
submit_full (VtrTestState *self,
             guint64       buffer,
             guint64       wait,
             guint64       signal,
             guint64       fence)
{
  VkSemaphore waits = H (VkSemaphore, wait), signals = H (VkSemaphore, signal);
  VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkCommandBuffer handle = H (VkCommandBuffer, buffer);
  VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .waitSemaphoreCount = wait != 0,
    .pWaitSemaphores = &waits,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = buffer != 0,
    .pCommandBuffers = &handle,
    .signalSemaphoreCount = signal != 0,
    .pSignalSemaphores = &signals,
  };

  return ADD (self->test, vkQueueSubmit, .queue = QUEUE, .submitCount = 1, .pSubmits = &info,
              .fence = H (VkFence, fence));
}

static void
add_fence (VtrTestState *self,
           guint64       fence,
           gboolean      signaled)
{
  VkFence handle = H (VkFence, fence);
  VkFenceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
    .flags = signaled ? VK_FENCE_CREATE_SIGNALED_BIT : 0,
  };

  ADD (self->test, vkCreateFence, .device = DEVICE, .pCreateInfo = &info, .pFence = &handle);
}

static void
test_fences (VtrTestState  *self,
             gconstpointer  data)
{
  VkFence fences[] = { H (VkFence, 0x21), H (VkFence, 0x22) };
  guint64 created, first, second, status, any, waited, reset, idle;

  add_fence (self, 0x21, FALSE);
  add_fence (self, 0x22, TRUE);
  created = ADD (self->test, vkResetFences, .device = DEVICE, .fenceCount = 1,
                 .pFences = &fences[0]);
  ADD (self->test, vkResetFences, .device = DEVICE, .fenceCount = 1, .pFences = &fences[1]);
  first = submit_full (self, 0, 0, 0, 0x21);
  second = submit_full (self, 0, 0, 0, 0x22);
  status = ADD_RESULT (self->test, VK_NOT_READY, vkGetFenceStatus, .device = DEVICE,
                       .fence = fences[0]);
  any = ADD (self->test, vkWaitForFences, .device = DEVICE, .fenceCount = 2, .pFences = fences,
             .waitAll = VK_FALSE);
  /* All work submitted before it is done, too. */
  waited = ADD (self->test, vkWaitForFences, .device = DEVICE, .fenceCount = 1,
                .pFences = &fences[1], .waitAll = VK_TRUE);
  reset = ADD (self->test, vkResetFences, .device = DEVICE, .fenceCount = 2, .pFences = fences);
  submit_full (self, 0, 0, 0, 0x21);
  idle = ADD (self->test, vkQueueWaitIdle, .queue = QUEUE);
  vtr_test_state_open (self);

  EXPECT (self, created, VkFence, 0x22, "status", "\"signaled\"");
  EXPECT (self, created, VkFence, 0x21, "status", "\"unsignaled\"");
  EXPECT (self, first, VkFence, 0x21, "status", "\"pending\"");
  EXPECT_COMMAND (self, first, VkFence, 0x21, "signaledBy", first);
  EXPECT (self, second, VkFence, 0x22, "status", "\"pending\"");
  EXPECT (self, status, VkFence, 0x21, "status", "\"pending\"");
  EXPECT (self, any, VkFence, 0x21, "status", "\"pending\"");
  EXPECT (self, waited, VkFence, 0x21, "status", "\"signaled\"");
  EXPECT (self, waited, VkFence, 0x22, "status", "\"signaled\"");
  EXPECT (self, reset, VkFence, 0x22, "status", "\"unsignaled\"");
  EXPECT (self, idle, VkFence, 0x21, "status", "\"signaled\"");
}

static void
add_semaphore (VtrTestState *self,
               guint64       semaphore,
               gboolean      timeline,
               guint64       value)
{
  VkSemaphore handle = H (VkSemaphore, semaphore);
  VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    .initialValue = value,
  };
  VkSemaphoreCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
    .pNext = timeline ? &type : NULL,
  };

  ADD (self->test, vkCreateSemaphore, .device = DEVICE, .pCreateInfo = &info,
       .pSemaphore = &handle);
}

static void
test_semaphores (VtrTestState  *self,
                 gconstpointer  data)
{
  guint64 signal, wait, never;

  add_semaphore (self, 0x23, FALSE, 0);
  add_semaphore (self, 0x24, FALSE, 0);
  signal = submit_full (self, 0, 0, 0x23, 0);
  wait = submit_full (self, 0, 0x23, 0, 0);
  never = submit_full (self, 0, 0x24, 0, 0);
  vtr_test_state_open (self);

  EXPECT (self, signal - 1, VkSemaphore, 0x23, "status", "\"unsignaled\"");
  EXPECT (self, signal, VkSemaphore, 0x23, "status", "\"signaled\"");
  EXPECT_COMMAND (self, signal, VkSemaphore, 0x23, "signaledBy", signal);
  EXPECT (self, wait, VkSemaphore, 0x23, "status", "\"unsignaled\"");
  EXPECT_COMMAND (self, wait, VkSemaphore, 0x23, "waitedBy", wait);
  vtr_test_state_expect_message (self, wait, "");
  vtr_test_state_expect_message (self, never, "semaphore: ");
}

static guint64
submit_value (VtrTestState *self,
              guint64       buffer,
              guint64       semaphore,
              guint64       value)
{
  VkCommandBufferSubmitInfo commands = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
    .commandBuffer = H (VkCommandBuffer, buffer),
  };
  VkSemaphoreSubmitInfo signal = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
    .semaphore = H (VkSemaphore, semaphore),
    .value = value,
  };
  VkSubmitInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
    .commandBufferInfoCount = 1,
    .pCommandBufferInfos = &commands,
    .signalSemaphoreInfoCount = 1,
    .pSignalSemaphoreInfos = &signal,
  };

  return ADD (self->test, vkQueueSubmit2, .queue = QUEUE, .submitCount = 1, .pSubmits = &info);
}

/* What is queued, what the program knows, and what that says of command buffers. */
static void
test_timeline (VtrTestState  *self,
               gconstpointer  data)
{
  VkSemaphore handle = H (VkSemaphore, 0x25);
  guint64 seven = 7, ten = 10;
  VkSemaphoreWaitInfo wait_info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
    .semaphoreCount = 1,
    .pSemaphores = &handle,
    .pValues = &seven,
  };
  VkSemaphoreSignalInfo signal_info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
    .semaphore = handle,
    .value = 20,
  };
  guint64 first, second, waited, asked, signalled;

  add_semaphore (self, 0x25, TRUE, 5);
  vtr_test_begin (self->test, CB);
  vtr_test_end (self->test, CB);
  vtr_test_begin (self->test, CB2);
  vtr_test_end (self->test, CB2);
  first = submit_value (self, CB, 0x25, 7);
  second = submit_value (self, CB2, 0x25, 10);
  waited = ADD (self->test, vkWaitSemaphores, .device = DEVICE, .pWaitInfo = &wait_info);
  asked = ADD (self->test, vkGetSemaphoreCounterValue, .device = DEVICE, .semaphore = handle,
               .pValue = &ten);
  signalled = ADD (self->test, vkSignalSemaphore, .device = DEVICE, .pSignalInfo = &signal_info);
  vtr_test_state_open (self);

  EXPECT (self, first - 1, VkSemaphore, 0x25, "value", "5");
  EXPECT (self, first, VkSemaphore, 0x25, "value", "5");
  EXPECT (self, first, VkSemaphore, 0x25, "queuedValue", "7");
  EXPECT (self, second, VkSemaphore, 0x25, "queuedValue", "10");
  EXPECT (self, second, VkCommandBuffer, CB, "status", "\"pending\"");
  EXPECT (self, waited, VkSemaphore, 0x25, "value", "7");
  EXPECT (self, waited, VkCommandBuffer, CB, "status", "\"executable\"");
  EXPECT (self, waited, VkCommandBuffer, CB2, "status", "\"pending\"");
  EXPECT (self, asked, VkSemaphore, 0x25, "value", "10");
  EXPECT (self, asked, VkCommandBuffer, CB2, "status", "\"executable\"");
  EXPECT (self, signalled, VkSemaphore, 0x25, "value", "20");
}

static void
test_events (VtrTestState  *self,
             gconstpointer  data)
{
  VkEvent event = H (VkEvent, 0x71);
  VkEventCreateInfo info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
  guint64 set, recorded, submit, reset;

  ADD (self->test, vkCreateEvent, .device = DEVICE, .pCreateInfo = &info, .pEvent = &event);
  set = ADD (self->test, vkSetEvent, .device = DEVICE, .event = event);
  vtr_test_begin (self->test, CB);
  recorded = ADD (self->test, vkCmdResetEvent, .commandBuffer = BUFFER, .event = event,
                  .stageMask = VK_PIPELINE_STAGE_TRANSFER_BIT);
  vtr_test_end (self->test, CB);
  submit = vtr_test_submit (self->test, CB);
  ADD (self->test, vkSetEvent, .device = DEVICE, .event = event);
  reset = ADD (self->test, vkResetEvent, .device = DEVICE, .event = event);
  vtr_test_state_open (self);

  EXPECT (self, set, VkEvent, 0x71, "status", "\"set\"");
  EXPECT (self, set, VkEvent, 0x71, "byHost", "true");
  EXPECT (self, recorded - 1, VkEvent, 0x71, "status", "\"set\"");
  EXPECT (self, recorded, VkEvent, 0x71, "status", "\"reset\"");
  EXPECT (self, submit, VkEvent, 0x71, "status", "\"reset\"");
  EXPECT (self, submit, VkEvent, 0x71, "byHost", "false");
  EXPECT (self, reset, VkEvent, 0x71, "byHost", "true");
}

static void
add_swapchain (VtrTestState *self,
               guint64       swapchain,
               guint64       old)
{
  VkSwapchainKHR handle = H (VkSwapchainKHR, swapchain);
  VkImage images[] = { H (VkImage, swapchain + 1), H (VkImage, swapchain + 2) };
  VkSwapchainCreateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
    .minImageCount = 2,
    .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
    .imageExtent = { 64, 64 },
    .imageArrayLayers = 1,
    .oldSwapchain = H (VkSwapchainKHR, old),
  };
  guint32 n = 2;

  ADD (self->test, vkCreateSwapchainKHR, .device = DEVICE, .pCreateInfo = &info,
       .pSwapchain = &handle);
  ADD (self->test, vkGetSwapchainImagesKHR, .device = DEVICE, .swapchain = handle,
       .pSwapchainImageCount = &n, .pSwapchainImages = images);
}

static void
test_swapchain (VtrTestState  *self,
                gconstpointer  data)
{
  VkSwapchainKHR handle = H (VkSwapchainKHR, 0x300);
  VkSemaphore semaphore = H (VkSemaphore, 0x23);
  guint32 one = 1;
  VkPresentInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &semaphore,
    .swapchainCount = 1,
    .pSwapchains = &handle,
    .pImageIndices = &one,
  };
  guint64 acquired, failed, barrier, presented, replaced;

  add_semaphore (self, 0x23, FALSE, 0);
  add_swapchain (self, 0x300, 0);
  acquired = ADD (self->test, vkAcquireNextImageKHR, .device = DEVICE, .swapchain = handle,
                  .semaphore = semaphore, .pImageIndex = &one);
  failed = ADD_RESULT (self->test, VK_TIMEOUT, vkAcquireNextImageKHR, .device = DEVICE,
                       .swapchain = handle, .pImageIndex = &one);
  vtr_test_begin (self->test, CB);
  barrier = vtr_test_state_barrier (self, CB, 0x302, ALL_COLOR, VK_IMAGE_LAYOUT_UNDEFINED,
                                    VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  vtr_test_end (self->test, CB);
  vtr_test_submit (self->test, CB);
  presented = ADD (self->test, vkQueuePresentKHR, .queue = QUEUE, .pPresentInfo = &info);
  add_swapchain (self, 0x310, 0x300);
  replaced = vtr_test_begin (self->test, CB2);
  vtr_test_state_open (self);

  EXPECT_OBJECT (self, acquired, VkSwapchainKHR, 0x300, "images/1/image",
                 vtr_test_state_id (self, acquired, VTR_HANDLE_VkImage, 0x302));
  EXPECT (self, acquired, VkSwapchainKHR, 0x300, "images/0/status", "\"idle\"");
  EXPECT (self, acquired, VkSwapchainKHR, 0x300, "images/1/status", "\"acquired\"");
  EXPECT (self, acquired, VkSwapchainKHR, 0x300, "lastAcquired", "1");
  EXPECT (self, acquired, VkSemaphore, 0x23, "status", "\"signaled\"");
  EXPECT_COMMAND (self, failed, VkSwapchainKHR, 0x300, "images/1/changedBy", acquired);
  EXPECT_COLOR (self, barrier - 1, 0x302, 0, 0, UNDEFINED);
  EXPECT_COLOR (self, presented, 0x302, 0, 0, PRESENT_SRC_KHR);
  EXPECT (self, presented, VkSwapchainKHR, 0x300, "images/1/status", "\"presented\"");
  EXPECT (self, presented, VkSwapchainKHR, 0x300, "lastPresented", "1");
  EXPECT (self, presented, VkSemaphore, 0x23, "status", "\"unsignaled\"");
  EXPECT_COMMAND (self, presented, VkQueue, 4, "lastPresentCommand", presented);
  EXPECT (self, presented, VkSwapchainKHR, 0x300, "replacedBy", "null");
  EXPECT_OBJECT (self, replaced, VkSwapchainKHR, 0x300, "replacedBy",
                 vtr_test_state_id (self, replaced, VTR_HANDLE_VkSwapchainKHR, 0x310));
  vtr_test_state_expect_message (self, presented, "");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD_STATE_TEST ("api-state", fences);
  ADD_STATE_TEST ("api-state", semaphores);
  ADD_STATE_TEST ("api-state", timeline);
  ADD_STATE_TEST ("api-state", events);
  ADD_STATE_TEST ("api-state", swapchain);
  return g_test_run ();
}
