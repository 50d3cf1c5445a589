/* Tests calls with a count and a list that a damaged trace lacks: the replayer checks such lists
 * before the driver reads them. Each ends with a sentence that names the list, and the replayer
 * survives. */
#include "fixture.h"

typedef struct
{
  Fixture *fixture;
  gsize good;              /* size of the code before the case */
  const char *expected[2]; /* the call; what it lacks */
} Case;

static void
begin (Case       *self,
       const char *call,
       const char *list)
{
  self->fixture->payload.code.size = self->good;
  self->expected[0] = call;
  self->expected[1] = list;
}

static void
finish (Case *self)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (fixture_run (self->fixture, 0, &error));
  g_test_message ("%s, %s: %s", self->expected[0], self->expected[1], error->message);
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE);
  g_assert_nonnull (strstr (error->message, "lacks"));
  g_assert_nonnull (strstr (error->message, self->expected[1]));
}

static guint32
put (Case          *self,
     gconstpointer  data,
     gsize          size)
{
  return payload_put (&self->fixture->payload, data, size);
}

#define PUT(self, value) AT (put ((self), &(value), sizeof (value)))
#define CALL(self, ...) payload_call (&(self)->fixture->payload, __VA_ARGS__)

static void
check_submits (Case *self)
{
  const Arg queue = SLOT (self->fixture->device.queue);
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const struct
  {
    const char *list;
    VkSubmitInfo info;
  } batches[] = {
    { "pWaitSemaphores", { .waitSemaphoreCount = 1, .pWaitDstStageMask = &stage } },
    { "pCommandBuffers", { .commandBufferCount = 3 } },
    { "pSignalSemaphores", { .signalSemaphoreCount = 1 } },
  };
  const struct
  {
    const char *list;
    VkSubmitInfo2 info;
  } batches2[] = {
    { "pWaitSemaphoreInfos", { .waitSemaphoreInfoCount = 1 } },
    { "pCommandBufferInfos", { .commandBufferInfoCount = G_MAXUINT32 } },
    { "pSignalSemaphoreInfos", { .signalSemaphoreInfoCount = 1 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (batches); i++)
    {
      VkSubmitInfo info = batches[i].info;

      info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
      begin (self, "vkQueueSubmit", batches[i].list);
      CALL (self, VTR_CMD_vkQueueSubmit, queue, U32 (1), PUT (self, info), U64 (0));
      finish (self);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (batches2); i++)
    {
      VkSubmitInfo2 info = batches2[i].info;

      info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
      begin (self, "vkQueueSubmit2", batches2[i].list);
      CALL (self, VTR_CMD_vkQueueSubmit2, queue, U32 (1), PUT (self, info), U64 (0));
      finish (self);
    }
  begin (self, "vkQueueSubmit", "pSubmits");
  CALL (self, VTR_CMD_vkQueueSubmit, queue, U32 (1), NOTHING, U64 (0));
  finish (self);
  begin (self, "vkQueueSubmit2", "pSubmits");
  CALL (self, VTR_CMD_vkQueueSubmit2, queue, U32 (G_MAXUINT32), NOTHING, U64 (0));
  finish (self);
}

static void
check_waits (Case *self)
{
  const Arg device = SLOT (self->fixture->device.device);
  const VkSemaphoreWaitInfo wait = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                     .semaphoreCount = 1 };
  const VkPresentInfoKHR present = { .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                     .waitSemaphoreCount = 1 };

  begin (self, "vkWaitForFences", "pFences");
  CALL (self, VTR_CMD_vkWaitForFences, device, U32 (2), NOTHING, U32 (1), U64 (0));
  finish (self);
  begin (self, "vkWaitSemaphores", "pSemaphores");
  CALL (self, VTR_CMD_vkWaitSemaphores, device, PUT (self, wait), U64 (0));
  finish (self);
  begin (self, "vkQueuePresentKHR", "pWaitSemaphores");
  CALL (self, VTR_REPLAY_PRESENT, SLOT (self->fixture->device.queue), PUT (self, present));
  finish (self);
}

static void
check_binds (Case *self)
{
  const Arg device = SLOT (self->fixture->device.device);
  const Arg queue = SLOT (self->fixture->device.queue);
  const VkBindSparseInfo sparse = { .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                                    .bufferBindCount = 1 };
  const VkSparseBufferMemoryBindInfo buffer = { .bindCount = 5 };
  VkBindSparseInfo nested = sparse;
  guint32 at;

  begin (self, "vkBindBufferMemory2", "pBindInfos");
  CALL (self, VTR_CMD_vkBindBufferMemory2, device, U32 (1), NOTHING);
  finish (self);
  begin (self, "vkBindImageMemory2", "pBindInfos");
  CALL (self, VTR_CMD_vkBindImageMemory2, device, U32 (1), NOTHING);
  finish (self);
  begin (self, "vkQueueBindSparse", "pBindInfo");
  CALL (self, VTR_CMD_vkQueueBindSparse, queue, U32 (1), NOTHING, U64 (0));
  finish (self);
  begin (self, "vkQueueBindSparse", "pBufferBinds");
  CALL (self, VTR_CMD_vkQueueBindSparse, queue, U32 (1), PUT (self, sparse), U64 (0));
  finish (self);
  begin (self, "vkQueueBindSparse", "pBinds");
  at = put (self, &nested, sizeof nested);
  payload_point (&self->fixture->payload,
                 at + (guint32)G_STRUCT_OFFSET (VkBindSparseInfo, pBufferBinds),
                 put (self, &buffer, sizeof buffer));
  CALL (self, VTR_CMD_vkQueueBindSparse, queue, U32 (1), AT (at), U64 (0));
  finish (self);
}

static void
check_makers (Case *self)
{
  const guint32 made = payload_room (&self->fixture->payload, 8);
  const VkDeviceCreateInfo no_queues = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                         .queueCreateInfoCount = 1 };
  const VkDeviceCreateInfo no_names = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                        .enabledExtensionCount = 2 };
  const VkInstanceCreateInfo instance = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                          .enabledLayerCount = 1 };
  const Arg physical = SLOT (self->fixture->device.physical);

  begin (self, "vkCreateDevice", "pQueueCreateInfos");
  CALL (self, VTR_CMD_vkCreateDevice, physical, PUT (self, no_queues), NOTHING, AT (made));
  finish (self);
  begin (self, "vkCreateDevice", "names");
  CALL (self, VTR_CMD_vkCreateDevice, physical, PUT (self, no_names), NOTHING, AT (made));
  finish (self);
  begin (self, "vkCreateInstance", "names");
  CALL (self, VTR_CMD_vkCreateInstance, PUT (self, instance), NOTHING, AT (made));
  finish (self);
}

static void
check_alive (Case *self)
{
  g_autoptr (GError) error = NULL;

  self->fixture->payload.code.size = self->good;
  g_assert_true (fixture_run (self->fixture, 0, &error));
  g_assert_no_error (error);
}

static void
test_lists (Fixture       *self,
            gconstpointer  data)
{
  void (*check) (Case * self) = data;
  Case each = { .fixture = self, .good = self->payload.code.size };

  check (&each);
  check_alive (&each);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, check) \
  g_test_add ("/replayer/lists/" path, Fixture, (gconstpointer)check, fixture_set_up, test_lists, \
              fixture_tear_down)
  ADD ("submits", check_submits);
  ADD ("waits", check_waits);
  ADD ("binds", check_binds);
  ADD ("makers", check_makers);
  return g_test_run ();
}
