/* Which submissions the program was told of that they are done. */
#include "engine/transforms/vtr-pending.h"

#define HANDLE(type, n) ((type)(gsize)(n))
#define QUEUE(n) HANDLE (VkQueue, 0x100 + (n))
#define SEMAPHORE(n) HANDLE (VkSemaphore, 0x200 + (n))
#define FENCE(n) HANDLE (VkFence, 0x300 + (n))
#define EVENT(n) HANDLE (VkEvent, 0x400 + (n))
#define DEVICE HANDLE (VkDevice, 0x500)

typedef struct
{
  VtrPending pending;
  GString *left; /* names of the submissions under way */
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
          g_string_append ((self)->left, vtr_pending_get (&(self)->pending, i_)); \
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
  const VkSubmitInfo batch = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .pNext = &values,
    .waitSemaphoreCount = wait.semaphore != 0,
    .pWaitSemaphores = &wait_semaphore,
    .signalSemaphoreCount = signal.semaphore != 0,
    .pSignalSemaphores = &signal_semaphore,
  };
  const VtrArgs_vkQueueSubmit args = {
    .queue = QUEUE (queue),
    .submitCount = 1,
    .pSubmits = &batch,
    .fence = fence != 0 ? FENCE (fence) : VK_NULL_HANDLE,
  };

  vtr_pending_add (&self->pending, &args, 0, (gpointer)name);
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

/* A value tells of what made it that, and of what came before in its queue; of no more. */
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

/* What waited for others tells of them, through any number of queues and semaphores. */
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
  vtr_pending_add2 (&self->pending, &args, 0, (gpointer) "a");
  vtr_pending_add2 (&self->pending, &args, 1, (gpointer) "b");
  ask_value (self, 1, 2);
  ASSERT_LEFT (self, "b");
  wait_for_fence (self, 1);
  ASSERT_LEFT (self, "");
}

/* An event that the program set itself tells nothing. */
static void
test_events (Fixture       *self,
             gconstpointer  data)
{
  VtrArgs_vkGetEventStatus get = { .device = DEVICE, .event = EVENT (1) };
  VtrArgs_vkSetEvent set = { .device = DEVICE, .event = EVENT (1) };
  VtrArgs_vkResetEvent reset = { .device = DEVICE, .event = EVENT (1) };

  submit (self, 0, "a", NO_POINT, NO_POINT, 0);
  note (self, VTR_CMD_vkSetEvent, VK_SUCCESS, &set);
  note (self, VTR_CMD_vkGetEventStatus, VK_EVENT_SET, &get);
  ASSERT_LEFT (self, "a");
  note (self, VTR_CMD_vkResetEvent, VK_SUCCESS, &reset);
  note (self, VTR_CMD_vkGetEventStatus, VK_EVENT_RESET, &get);
  ASSERT_LEFT (self, "a");
  note (self, VTR_CMD_vkGetEventStatus, VK_EVENT_SET, &get);
  ASSERT_LEFT (self, "");
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
  ADD ("events", test_events);
  ADD ("copy", test_copy);
  ADD ("many", test_many);
  return g_test_run ();
}
