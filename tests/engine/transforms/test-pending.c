/* Tests which submissions are done as far as the program knows. */
#include "engine/vulkan/transforms/vtr-pending.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#define HANDLE(type, n) ((type)(gsize)(n))
#define QUEUE(n) HANDLE (VkQueue, 0x100 + (n))
#define SEMAPHORE(n) HANDLE (VkSemaphore, 0x200 + (n))
#define FENCE(n) HANDLE (VkFence, 0x300 + (n))
#define EVENT(n) HANDLE (VkEvent, 0x400 + (n))
#define POOL(n) HANDLE (VkQueryPool, 0x600 + (n))
#define COMMANDS(n) HANDLE (VkCommandBuffer, 0x700 + (n))
#define SWAPCHAIN(n) HANDLE (VkSwapchainKHR, 0x800 + (n))
#define DEVICE HANDLE (VkDevice, 0x500)

typedef struct
{
  VtrPending pending;
  GString *left;  /* names of the submissions under way; with "?": perhaps */
  guint64 index;  /* of the next command */
  guint commands; /* that are submitted with what is submitted next; 0: none */
} Fixture;

static void
submission_done (gpointer data,
                 gpointer user_data)
{
  g_assert_not_reached ();
}

static void
note_done (gpointer data,
           gpointer user_data)
{
  g_assert_cmpstr (data, !=, "");
}

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  vtr_pending_init (&self->pending, note_done, NULL);
  self->left = g_string_new (NULL);
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  self->pending.done = submission_done;
  vtr_pending_finish (&self->pending);
  g_string_free (self->left, TRUE);
}

#define ASSERT_LEFT(self, names) \
  do \
    { \
      g_string_truncate ((self)->left, 0); \
      for (guint i_ = 0; i_ < (self)->pending.submissions->len; i_++) \
        if (vtr_pending_get (&(self)->pending, i_) != NULL) \
          g_string_append_printf ( \
            (self)->left, "%s%s", (const char *)vtr_pending_get (&(self)->pending, i_), \
            vtr_pending_get_told (&(self)->pending, i_) == VTR_PENDING_PERHAPS ? "?" : ""); \
      g_assert_cmpstr ((self)->left->str, ==, names); \
    } \
  while (0)

static void
note (Fixture  *self,
      VtrCmdId  id,
      gint32    result,
      gpointer  args)
{
  const VtrCommand command = {
    .id = id,
    .index = self->index++,
    .args = args,
    .result = (guint64)(gint64)result,
    .has_result = TRUE,
  };

  g_assert_true (vtr_pending_wants (id));
  vtr_pending_note (&self->pending, &command);
}

static void
make_timeline (Fixture *self,
               guint    n)
{
  VkSemaphoreTypeCreateInfo type = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                     .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
  VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                 .pNext = &type };
  VkSemaphore semaphore = SEMAPHORE (n);
  VtrArgs_vkCreateSemaphore args = {
    .device = DEVICE,
    .pCreateInfo = &info,
    .pSemaphore = &semaphore,
  };

  note (self, VTR_CMD_vkCreateSemaphore, VK_SUCCESS, &args);
}

typedef struct
{
  guint semaphore; /* 0: none */
  guint64 value;
} Point;

/* One batch named @name, on @queue. */
static void
submit (Fixture    *self,
        guint       queue,
        const char *name,
        Point       wait,
        Point       signal,
        guint       fence)
{
  const VkSemaphore wait_semaphore = SEMAPHORE (wait.semaphore);
  const VkSemaphore signal_semaphore = SEMAPHORE (signal.semaphore);
  const VkTimelineSemaphoreSubmitInfo values = {
    .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
    .waitSemaphoreValueCount = 1,
    .pWaitSemaphoreValues = &wait.value,
    .signalSemaphoreValueCount = 1,
    .pSignalSemaphoreValues = &signal.value,
  };
  const VkCommandBuffer commands = COMMANDS (self->commands);
  const VkSubmitInfo batch = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .pNext = &values,
    .commandBufferCount = self->commands != 0,
    .pCommandBuffers = &commands,
    .waitSemaphoreCount = wait.semaphore != 0,
    .pWaitSemaphores = &wait_semaphore,
    .signalSemaphoreCount = signal.semaphore != 0,
    .pSignalSemaphores = &signal_semaphore,
  };
  VtrArgs_vkQueueSubmit args = {
    .queue = QUEUE (queue),
    .submitCount = 1,
    .pSubmits = &batch,
    .fence = fence != 0 ? FENCE (fence) : VK_NULL_HANDLE,
  };
  const VtrCommand command = { .id = VTR_CMD_vkQueueSubmit, .args = &args };
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, &command);
  vtr_pending_add (&self->pending, form.command.args, 0, (gpointer)name);
  self->commands = 0;
}

static void
ask_value (Fixture *self,
           guint    semaphore,
           guint64  value)
{
  VtrArgs_vkGetSemaphoreCounterValue args = { .device = DEVICE,
                                              .semaphore = SEMAPHORE (semaphore),
                                              .pValue = &value };

  note (self, VTR_CMD_vkGetSemaphoreCounterValue, VK_SUCCESS, &args);
}

static void
wait_for_fence (Fixture *self,
                guint    fence)
{
  const VkFence handle = FENCE (fence);
  VtrArgs_vkWaitForFences args = { .device = DEVICE, .fenceCount = 1, .pFences = &handle };

  note (self, VTR_CMD_vkWaitForFences, VK_SUCCESS, &args);
}

#define NO_POINT ((Point){ 0, 0 })

/* A semaphore value shows that the submissions that signalled it are done, and those before them
 * in their queues; nothing else. */
static void
test_values (Fixture       *self,
             gconstpointer  data)
{
  make_timeline (self, 1);
  submit (self, 0, "a", NO_POINT, NO_POINT, 0);
  submit (self, 0, "b", NO_POINT, (Point){ 1, 10 }, 0);
  submit (self, 0, "c", NO_POINT, (Point){ 1, 11 }, 0);
  submit (self, 1, "d", NO_POINT, NO_POINT, 0);
  ask_value (self, 1, 9);
  ASSERT_LEFT (self, "abcd");
  ask_value (self, 2, 1000);
  ASSERT_LEFT (self, "abcd");
  ask_value (self, 1, 10);
  ASSERT_LEFT (self, "cd");
  ask_value (self, 1, 12);
  ASSERT_LEFT (self, "d");
}

static void
test_waits (Fixture       *self,
            gconstpointer  data)
{
  const VkSemaphore semaphores[] = { SEMAPHORE (1), SEMAPHORE (2) };
  const guint64 values[] = { 5, 7 };
  VkSemaphoreWaitInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                               .flags = VK_SEMAPHORE_WAIT_ANY_BIT,
                               .semaphoreCount = 2,
                               .pSemaphores = semaphores,
                               .pValues = values };
  VtrArgs_vkWaitSemaphores args = { .device = DEVICE, .pWaitInfo = &info };

  make_timeline (self, 1);
  make_timeline (self, 2);
  submit (self, 0, "a", NO_POINT, (Point){ 1, 5 }, 0);
  submit (self, 1, "b", NO_POINT, (Point){ 2, 7 }, 0);
  note (self, VTR_CMD_vkWaitSemaphores, VK_SUCCESS, &args);
  ASSERT_LEFT (self, "ab");
  info.flags = 0;
  note (self, VTR_CMD_vkWaitSemaphores, VK_TIMEOUT, &args);
  ASSERT_LEFT (self, "ab");
  note (self, VTR_CMD_vkWaitSemaphores, VK_SUCCESS, &args);
  ASSERT_LEFT (self, "");
}

/* A submission that waited for others shows that these are done, through any number of queues
 * and semaphores. */
static void
test_chains (Fixture       *self,
             gconstpointer  data)
{
  make_timeline (self, 1);
  submit (self, 0, "a", NO_POINT, (Point){ 1, 3 }, 0);
  submit (self, 0, "b", NO_POINT, (Point){ 1, 4 }, 0);
  submit (self, 1, "c", (Point){ 1, 3 }, (Point){ 2, 0 }, 0);
  submit (self, 1, "d", NO_POINT, NO_POINT, 0);
  submit (self, 2, "e", (Point){ 2, 0 }, NO_POINT, 1);
  submit (self, 1, "f", NO_POINT, (Point){ 2, 0 }, 0); /* the next round of that one */
  wait_for_fence (self, 1);
  ASSERT_LEFT (self, "bdf");
}

/* A wait may be submitted before what it waits for. */
static void
test_wait_before_signal (Fixture       *self,
                         gconstpointer  data)
{
  make_timeline (self, 1);
  submit (self, 1, "a", (Point){ 1, 8 }, NO_POINT, 1);
  submit (self, 0, "b", NO_POINT, (Point){ 1, 8 }, 0);
  submit (self, 0, "c", NO_POINT, (Point){ 1, 9 }, 0);
  wait_for_fence (self, 1);
  ASSERT_LEFT (self, "c");
}

/* Batches of one call end by themselves; the fence is the last one's. */
static void
test_batches (Fixture       *self,
              gconstpointer  data)
{
  VkSemaphoreSubmitInfo signal = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                   .semaphore = SEMAPHORE (1),
                                   .value = 2 };
  const VkSubmitInfo2 batches[] = {
    {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
      .signalSemaphoreInfoCount = 1,
      .pSignalSemaphoreInfos = &signal,
    },
    { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2 },
  };
  const VtrArgs_vkQueueSubmit2 args = {
    .queue = QUEUE (0),
    .submitCount = 2,
    .pSubmits = batches,
    .fence = FENCE (1),
  };

  make_timeline (self, 1);
  vtr_pending_add (&self->pending, &args, 0, (gpointer) "a");
  vtr_pending_add (&self->pending, &args, 1, (gpointer) "b");
  ask_value (self, 1, 2);
  ASSERT_LEFT (self, "b");
  wait_for_fence (self, 1);
  ASSERT_LEFT (self, "");
}

/* A wait for any of several fences: later calls of the program show which one. */
static void
test_fences (Fixture       *self,
             gconstpointer  data)
{
  const VkFence fences[] = { FENCE (1), FENCE (2) };
  VtrArgs_vkWaitForFences wait = { .device = DEVICE, .fenceCount = 2, .pFences = fences };
  VtrArgs_vkResetFences reset = { .device = DEVICE, .fenceCount = 1, .pFences = &fences[1] };

  submit (self, 0, "a", NO_POINT, NO_POINT, 1);
  submit (self, 1, "b", NO_POINT, NO_POINT, 2);
  note (self, VTR_CMD_vkWaitForFences, VK_SUCCESS, &wait);
  ASSERT_LEFT (self, "ab");
  note (self, VTR_CMD_vkResetFences, VK_SUCCESS, &reset);
  ASSERT_LEFT (self, "a");
  wait.waitAll = VK_TRUE;
  note (self, VTR_CMD_vkWaitForFences, VK_TIMEOUT, &wait);
  ASSERT_LEFT (self, "a");
  note (self, VTR_CMD_vkWaitForFences, VK_SUCCESS, &wait);
  ASSERT_LEFT (self, "");
}

/* --- What is recorded ------------------------------------------------------------------------- */

static void
begin (Fixture *self,
       guint    n)
{
  VtrArgs_vkBeginCommandBuffer args = { .commandBuffer = COMMANDS (n) };

  note (self, VTR_CMD_vkBeginCommandBuffer, VK_SUCCESS, &args);
}

/* @more: of other commands before the end. */
static void
end (Fixture *self,
     guint    n,
     guint    more)
{
  VtrArgs_vkEndCommandBuffer args = { .commandBuffer = COMMANDS (n) };

  self->index += more;
  note (self, VTR_CMD_vkEndCommandBuffer, VK_SUCCESS, &args);
  self->commands = n;
}

static void
write_time (Fixture                 *self,
            guint                    n,
            VkPipelineStageFlagBits  stage,
            guint32                  query)
{
  VtrArgs_vkCmdWriteTimestamp args = { COMMANDS (n), stage, POOL (1), query };

  note (self, VTR_CMD_vkCmdWriteTimestamp, VK_SUCCESS, &args);
}

/* A submission that ends with a timestamp. */
static void
submit_time (Fixture                 *self,
             guint                    queue,
             const char              *name,
             guint                    n,
             VkPipelineStageFlagBits  stage,
             guint32                  query,
             guint                    more)
{
  begin (self, n);
  write_time (self, n, stage, query);
  end (self, n, more);
  submit (self, queue, name, NO_POINT, NO_POINT, 0);
}

static void
poll_queries (Fixture            *self,
              gint32              result,
              VkQueryResultFlags  flags,
              guint               pool,
              guint32             first,
              guint32             n)
{
  VtrArgs_vkGetQueryPoolResults args = { .device = DEVICE,
                                         .queryPool = POOL (pool),
                                         .firstQuery = first,
                                         .queryCount = n,
                                         .flags = flags };

  note (self, VTR_CMD_vkGetQueryPoolResults, result, &args);
}

#define BOTTOM VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT

/* A timestamp of all stages shows that everything before it in its queue is done. */
static void
test_times (Fixture       *self,
            gconstpointer  data)
{
  submit (self, 0, "a", NO_POINT, NO_POINT, 0);
  submit (self, 1, "b", NO_POINT, NO_POINT, 0);
  submit_time (self, 0, "c", 1, BOTTOM, 3, 0);
  submit_time (self, 0, "d", 2, BOTTOM, 4, 1);
  submit_time (self, 1, "e", 3, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 5, 0);
  poll_queries (self, VK_NOT_READY, 0, 1, 3, 1);
  poll_queries (self, VK_SUCCESS, VK_QUERY_RESULT_PARTIAL_BIT, 1, 3, 1);
  poll_queries (self, VK_SUCCESS, 0, 2, 0, 100);
  poll_queries (self, VK_SUCCESS, 0, 1, 6, 10);
  ASSERT_LEFT (self, "abcde");
  poll_queries (self, VK_NOT_READY, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT, 1, 3, 1);
  ASSERT_LEFT (self, "a?bc?de");
  poll_queries (self, VK_SUCCESS, VK_QUERY_RESULT_PARTIAL_BIT | VK_QUERY_RESULT_WAIT_BIT, 1, 3, 1);
  ASSERT_LEFT (self, "bde");
  poll_queries (self, VK_SUCCESS, 0, 1, 4, 1);
  ASSERT_LEFT (self, "bd?e");
  poll_queries (self, VK_SUCCESS, 0, 1, 5, 1);
  ASSERT_LEFT (self, "b?d?e?");
  wait_for_fence (self, 9);
  ASSERT_LEFT (self, "b?d?e?");
}

/* The result of a query may be an older one, unless the program reset the query. */
static void
test_times_again (Fixture       *self,
                  gconstpointer  data)
{
  VtrArgs_vkResetQueryPool reset = { .device = DEVICE,
                                     .queryPool = POOL (1),
                                     .firstQuery = 0,
                                     .queryCount = 2 };

  submit_time (self, 0, "a", 1, BOTTOM, 0, 0);
  submit_time (self, 0, "b", 2, BOTTOM, 0, 0);
  poll_queries (self, VK_SUCCESS, 0, 1, 0, 1);
  ASSERT_LEFT (self, "b?");
  note (self, VTR_CMD_vkResetQueryPool, VK_SUCCESS, &reset);
  submit_time (self, 0, "c", 3, BOTTOM, 0, 0);
  poll_queries (self, VK_SUCCESS, 0, 1, 0, 1);
  ASSERT_LEFT (self, "");
}

/* A counted result proves nothing; neither do commands on other objects. */
static void
test_counts (Fixture       *self,
             gconstpointer  data)
{
  VtrArgs_vkCmdEndQuery count = { COMMANDS (1), POOL (1), 7 };
  const VkCommandBuffer secondary = COMMANDS (1);
  VtrArgs_vkCmdExecuteCommands execute = { COMMANDS (2), 1, &secondary };

  begin (self, 1);
  note (self, VTR_CMD_vkCmdEndQuery, VK_SUCCESS, &count);
  end (self, 1, 0);
  begin (self, 2);
  note (self, VTR_CMD_vkCmdExecuteCommands, VK_SUCCESS, &execute);
  end (self, 2, 0);
  submit (self, 0, "a", NO_POINT, NO_POINT, 0);
  submit (self, 0, "b", NO_POINT, NO_POINT, 0);
  poll_queries (self, VK_SUCCESS, VK_QUERY_RESULT_WAIT_BIT, 1, 7, 1);
  ASSERT_LEFT (self, "a?b");
}

/* Command buffers that are recorded again are done, whatever came before them. */
static void
test_commands (Fixture       *self,
               gconstpointer  data)
{
  submit (self, 0, "a", NO_POINT, NO_POINT, 0);
  begin (self, 1);
  end (self, 1, 0);
  submit (self, 0, "b", NO_POINT, NO_POINT, 0);
  submit (self, 0, "c", NO_POINT, NO_POINT, 0);
  begin (self, 1);
  ASSERT_LEFT (self, "ac");
}

static void
submit_event (Fixture              *self,
              const char           *name,
              guint                 n,
              VkPipelineStageFlags  stages)
{
  VtrArgs_vkCmdSetEvent set = { COMMANDS (n), EVENT (1), stages };

  begin (self, n);
  note (self, VTR_CMD_vkCmdSetEvent, VK_SUCCESS, &set);
  end (self, n, 0);
  submit (self, 0, name, NO_POINT, NO_POINT, 0);
}

/* An event shows that the work that set it is done; an event that the program set itself shows
 * nothing. */
static void
test_events (Fixture       *self,
             gconstpointer  data)
{
  VtrArgs_vkGetEventStatus get = { .device = DEVICE, .event = EVENT (1) };
  VtrArgs_vkSetEvent set = { .device = DEVICE, .event = EVENT (1) };
  VtrArgs_vkResetEvent reset = { .device = DEVICE, .event = EVENT (1) };

  submit (self, 0, "a", NO_POINT, NO_POINT, 0);
  submit_event (self, "b", 1, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  submit (self, 0, "c", NO_POINT, NO_POINT, 0);
  note (self, VTR_CMD_vkGetEventStatus, VK_EVENT_RESET, &get);
  ASSERT_LEFT (self, "abc");
  note (self, VTR_CMD_vkSetEvent, VK_SUCCESS, &set);
  note (self, VTR_CMD_vkGetEventStatus, VK_EVENT_SET, &get);
  ASSERT_LEFT (self, "a?b?c");
  note (self, VTR_CMD_vkResetEvent, VK_SUCCESS, &reset);
  note (self, VTR_CMD_vkGetEventStatus, VK_EVENT_SET, &get);
  ASSERT_LEFT (self, "c");
  submit_event (self, "d", 2, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  note (self, VTR_CMD_vkGetEventStatus, VK_EVENT_SET, &get);
  ASSERT_LEFT (self, "c?d?");
  note (self, VTR_CMD_vkResetEvent, VK_SUCCESS, &reset);
  submit_event (self, "e", 3, VK_PIPELINE_STAGE_TRANSFER_BIT);
  note (self, VTR_CMD_vkGetEventStatus, VK_EVENT_SET, &get);
  ASSERT_LEFT (self, "c?d?e?");
}

/* --- Presents --------------------------------------------------------------------------------- */

static void
acquire (Fixture *self,
         guint32  image,
         guint    semaphore,
         guint    fence)
{
  VtrArgs_vkAcquireNextImageKHR args = {
    .device = DEVICE,
    .swapchain = SWAPCHAIN (1),
    .semaphore = semaphore != 0 ? SEMAPHORE (semaphore) : VK_NULL_HANDLE,
    .fence = fence != 0 ? FENCE (fence) : VK_NULL_HANDLE,
    .pImageIndex = &image,
  };

  note (self, VTR_CMD_vkAcquireNextImageKHR, VK_SUCCESS, &args);
}

static void
present (Fixture *self,
         guint32  image,
         guint    semaphore,
         guint64  id)
{
  const VkSemaphore wait = SEMAPHORE (semaphore);
  const VkSwapchainKHR swapchain = SWAPCHAIN (1);
  const VkPresentIdKHR ids = {
    .sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR,
    .swapchainCount = 1,
    .pPresentIds = &id,
  };
  const VkPresentInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
    .pNext = &ids,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &wait,
    .swapchainCount = 1,
    .pSwapchains = &swapchain,
    .pImageIndices = &image,
  };
  VtrArgs_vkQueuePresentKHR args = { QUEUE (0), &info };

  note (self, VTR_CMD_vkQueuePresentKHR, VK_SUCCESS, &args);
}

/* A present tells nothing, a wait for it of what it waited for, and nothing that came after. */
static void
test_presents (Fixture       *self,
               gconstpointer  data)
{
  VtrArgs_vkWaitForPresentKHR wait = { .device = DEVICE,
                                       .swapchain = SWAPCHAIN (1),
                                       .presentId = 4 };

  submit (self, 0, "a", NO_POINT, (Point){ 1, 0 }, 0);
  submit (self, 0, "b", NO_POINT, NO_POINT, 0);
  present (self, 0, 1, 4);
  submit (self, 0, "c", NO_POINT, (Point){ 2, 0 }, 0);
  present (self, 1, 2, 5);
  ASSERT_LEFT (self, "abc");
  note (self, VTR_CMD_vkWaitForPresentKHR, VK_TIMEOUT, &wait);
  ASSERT_LEFT (self, "abc");
  note (self, VTR_CMD_vkWaitForPresentKHR, VK_SUCCESS, &wait);
  ASSERT_LEFT (self, "bc");
  wait.presentId = 5;
  note (self, VTR_CMD_vkWaitForPresentKHR, VK_SUCCESS, &wait);
  ASSERT_LEFT (self, "");
}

/* An image that is acquired again shows that what its last present waited for is done, by a
 * fence or by work that waits for it. */
static void
test_acquires (Fixture       *self,
               gconstpointer  data)
{
  submit (self, 0, "a", NO_POINT, (Point){ 1, 0 }, 0);
  acquire (self, 0, 0, 1);
  wait_for_fence (self, 1);
  ASSERT_LEFT (self, "a");
  present (self, 0, 1, 0);
  submit (self, 0, "b", NO_POINT, (Point){ 2, 0 }, 0);
  present (self, 1, 2, 0);
  submit (self, 0, "c", NO_POINT, NO_POINT, 0);
  acquire (self, 0, 0, 1);
  ASSERT_LEFT (self, "abc");
  wait_for_fence (self, 1);
  ASSERT_LEFT (self, "bc");
  acquire (self, 1, 3, 0);
  submit (self, 1, "d", (Point){ 3, 0 }, NO_POINT, 2);
  ASSERT_LEFT (self, "bcd");
  wait_for_fence (self, 2);
  ASSERT_LEFT (self, "c");
}

static gpointer
copy_name (gpointer data)
{
  return data;
}

/* A copy knows what its original knew. */
static void
test_copy (Fixture       *self,
           gconstpointer  data)
{
  Fixture other;

  set_up (&other, NULL);
  make_timeline (self, 1);
  submit (self, 0, "a", NO_POINT, (Point){ 1, 1 }, 0);
  submit (self, 1, "b", (Point){ 1, 1 }, (Point){ 2, 0 }, 0);
  vtr_pending_copy (&other.pending, &self->pending, copy_name);
  submit (&other, 2, "c", (Point){ 2, 0 }, (Point){ 1, 2 }, 0);
  ask_value (self, 1, 1);
  ASSERT_LEFT (self, "b");
  ask_value (&other, 1, 2);
  ASSERT_LEFT (&other, "");
  tear_down (&other, NULL);
}

/* A program that is never told makes no list without end. */
static void
test_many (Fixture       *self,
           gconstpointer  data)
{
  for (guint i = 0; i < 10000; i++)
    submit (self, i % 3, "a", NO_POINT, (Point){ 1 + i % 5, 0 }, 0);
  g_assert_cmpuint (self->pending.submissions->len, <=, 4096);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/engine/transforms/pending/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("values", test_values);
  ADD ("waits", test_waits);
  ADD ("chains", test_chains);
  ADD ("wait-before-signal", test_wait_before_signal);
  ADD ("batches", test_batches);
  ADD ("fences", test_fences);
  ADD ("times", test_times);
  ADD ("times-again", test_times_again);
  ADD ("counts", test_counts);
  ADD ("commands", test_commands);
  ADD ("events", test_events);
  ADD ("presents", test_presents);
  ADD ("acquires", test_acquires);
  ADD ("copy", test_copy);
  ADD ("many", test_many);
  return g_test_run ();
}
