/* Tests replay on another device, on made-up devices: queues, ownership and shared memory. */
#include <string.h>

#include "engine/vulkan/transforms/vtr-queue-map.h"
#include "vtr-test-devices.h"

static void
test_choose (void)
{
  g_autoptr (GPtrArray) devices =
    vtr_test_devices_new (vtr_test_device_new (0, "Soft", VK_PHYSICAL_DEVICE_TYPE_CPU,
                                               vtr_test_lone, 1));
  g_autoptr (GError) error = NULL;
  VkPhysicalDeviceProperties captured = { .vendorID = 0x1000, .deviceID = 0, .deviceName = "Soft" };

  g_ptr_array_add (devices,
                   vtr_test_device_new (1, "Inside", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                                        vtr_test_lone, 1));
  g_ptr_array_add (devices, vtr_test_device_new (2, "Card A", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                                 vtr_test_desktop, 3));
  g_ptr_array_add (devices, vtr_test_device_new (3, "Card B", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                                 vtr_test_desktop, 3));
  g_assert_cmpuint (vtr_vulkan_device_choose (devices, NULL)->base.index, ==, 2);
  g_assert_cmpuint (vtr_vulkan_device_choose (devices, &captured)->base.index, ==, 0);
  captured.vendorID = 1;
  g_assert_cmpuint (vtr_vulkan_device_choose (devices, &captured)->base.index, ==, 2);
  g_assert_cmpuint (vtr_replay_device_find (devices, "3", &error)->index, ==, 3);
  g_assert_cmpuint (vtr_replay_device_find (devices, "card b", &error)->index, ==, 3);
  g_assert_no_error (error);
  g_assert_null (vtr_replay_device_find (devices, "card", &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER);
  g_clear_error (&error);
  g_assert_null (vtr_replay_device_find (devices, "4", &error));
  g_assert_nonnull (strstr (error->message, "Card B"));
}

/* --- Queues ---------------------------------------------------------------------------------- */

static void
test_queues (void)
{
  const guint32 all[] = { 16, 2, 8 };
  const guint32 one[] = { 1 };
  g_autoptr (VtrQueueMap) same = vtr_queue_map_new (vtr_test_desktop, 3, all, vtr_test_desktop, 3);
  g_autoptr (VtrQueueMap) fold = vtr_queue_map_new (vtr_test_desktop, 3, all, vtr_test_lone, 1);
  g_autoptr (VtrQueueMap) turn = vtr_queue_map_new (vtr_test_desktop, 3, all, vtr_test_reversed, 3);
  g_autoptr (VtrQueueMap) none =
    vtr_queue_map_new (vtr_test_lone, 1, one, vtr_test_compute_only, 1);

  for (guint32 i = 0; i < 3; i++)
    {
      g_assert_cmpuint (vtr_queue_map_family (same, i), ==, i);
      g_assert_cmpuint (vtr_queue_map_index (same, i, 1), ==, 1);
      g_assert_cmpuint (vtr_queue_map_family (fold, i), ==, 0);
      g_assert_cmpuint (vtr_queue_map_index (fold, i, 7), ==, 0);
    }
  g_assert_false (same->folded);
  g_assert_true (fold->folded);
  g_assert_cmpuint (vtr_queue_map_family (turn, 0), ==, 2);
  g_assert_cmpuint (vtr_queue_map_family (turn, 1), <, 3);
  g_assert_cmpuint (vtr_queue_map_family (turn, 2), >, 0);
  g_assert_cmpuint (vtr_queue_map_index (turn, 0, 15), <, 2);
  g_assert_cmpuint (vtr_queue_map_family (none, 0), ==, G_MAXUINT32);
  g_assert_cmpuint (vtr_queue_map_family (turn, VK_QUEUE_FAMILY_IGNORED), ==,
                    VK_QUEUE_FAMILY_IGNORED);
  g_assert_cmpuint (vtr_queue_map_family (turn, VK_QUEUE_FAMILY_EXTERNAL), ==,
                    VK_QUEUE_FAMILY_EXTERNAL);
}

/* Every queue of any device goes to one that exists and can do its work, or nowhere. */
static void
test_random_queues (void)
{
  for (guint round = 0; round < 2000; round++)
    {
      VkQueueFamilyProperties captured[4] = { 0 }, target[4] = { 0 };
      guint32 used[4];
      guint n_captured = (guint)g_test_rand_int_range (1, 5);
      guint n_target = (guint)g_test_rand_int_range (1, 5);
      g_autoptr (VtrQueueMap) map = NULL;

      for (guint i = 0; i < 4; i++)
        {
          captured[i].queueFlags = (VkQueueFlags)g_test_rand_int_range (1, 16);
          captured[i].queueCount = (guint32)g_test_rand_int_range (1, 6);
          used[i] = (guint32)g_test_rand_int_range (0, (gint32)captured[i].queueCount + 1);
          target[i].queueFlags = (VkQueueFlags)g_test_rand_int_range (1, 16);
          target[i].queueCount = (guint32)g_test_rand_int_range (1, 6);
        }
      map = vtr_queue_map_new (captured, n_captured, used, target, n_target);
      for (guint32 i = 0; i < n_captured; i++)
        {
          guint32 family = vtr_queue_map_family (map, i);
          VkQueueFlags work = captured[i].queueFlags &
                              (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);

          if (family == G_MAXUINT32)
            {
              for (guint32 j = 0; j < n_target; j++)
                g_assert_true ((target[j].queueFlags & work) != work || work == 0);
              continue;
            }
          g_assert_cmpuint (family, <, n_target);
          g_assert_cmpuint (target[family].queueFlags & work, ==, work);
          for (guint32 j = 0; j < captured[i].queueCount; j++)
            g_assert_cmpuint (vtr_queue_map_index (map, i, j), <, target[family].queueCount);
        }
    }
}

/* --- The transform --------------------------------------------------------------------------- */

typedef struct
{
  VtrTransform parent;
  VtrCmdId id;
  VkDeviceQueueCreateInfo queues[4];
  guint32 n_queues;
  guint32 family, index;
  VkSharingMode sharing;
  guint32 n_sharing;
  VkImageMemoryBarrier barrier;
} Sink;

static gboolean
sink_command (VtrTransform  *transform,
              VtrCommand    *command,
              GError       **error)
{
  Sink *self = (Sink *)transform;

  switch (command->id)
    {
    case VTR_CMD_vkCreateDevice:
      {
        const VkDeviceCreateInfo *info = ((VtrArgs_vkCreateDevice *)command->args)->pCreateInfo;

        self->n_queues = info->queueCreateInfoCount;
        g_assert_cmpuint (self->n_queues, <=, 4);
        memcpy (self->queues, info->pQueueCreateInfos, self->n_queues * sizeof *self->queues);
        break;
      }
    case VTR_CMD_vkGetDeviceQueue:
      self->family = ((VtrArgs_vkGetDeviceQueue *)command->args)->queueFamilyIndex;
      self->index = ((VtrArgs_vkGetDeviceQueue *)command->args)->queueIndex;
      break;
    case VTR_CMD_vkCreateCommandPool:
      self->family =
        ((VtrArgs_vkCreateCommandPool *)command->args)->pCreateInfo->queueFamilyIndex;
      break;
    case VTR_CMD_vkCreateBuffer:
      self->sharing = ((VtrArgs_vkCreateBuffer *)command->args)->pCreateInfo->sharingMode;
      self->n_sharing =
        ((VtrArgs_vkCreateBuffer *)command->args)->pCreateInfo->queueFamilyIndexCount;
      break;
    case VTR_CMD_vkCmdPipelineBarrier:
      self->barrier = *((VtrArgs_vkCmdPipelineBarrier *)command->args)->pImageMemoryBarriers;
      break;
    default:
      break;
    }
  return TRUE;
}

static gboolean
sink_end (VtrTransform  *self,
          GError       **error)
{
  return TRUE;
}

static void
sink_free (VtrTransform *self)
{
  g_free (self);
}

static const VtrTransformClass sink_class = {
  .name = "sink",
  .command = sink_command,
  .end = sink_end,
  .free = sink_free,
};

/* Gives all of a trace to the transform. (transfer full): the chain, the sink at its end. */
static VtrTransform *
run_elsewhere (VtrTrace       *trace,
               VtrReplayPlan  *plan,
               Sink          **sink,
               GError        **error)
{
  VtrTransform *chain = vtr_transform_elsewhere_new (plan);

  *sink = g_new0 (Sink, 1);
  (*sink)->parent.klass = &sink_class;
  chain = vtr_transform_chain (chain, &(*sink)->parent, NULL);
  vtr_transform_run (chain, trace, vtr_trace_get_n_commands (trace), NULL, NULL, NULL, error);
  return chain;
}

static void
add_barrier (VtrTestTrace *trace,
             guint64       buffer,
             guint32       from,
             guint32       to)
{
  const VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
    .newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
    .srcQueueFamilyIndex = from,
    .dstQueueFamilyIndex = to,
  };

  ADD (trace, vkCmdPipelineBarrier, .commandBuffer = H (VkCommandBuffer, buffer),
       .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier);
}

/* @from's half of a transfer, or @to's, as it arrives on @families. */
static VkImageMemoryBarrier
transfer (const VkQueueFamilyProperties *families,
          guint                          n_families,
          guint32                        recorded,
          guint32                        from,
          guint32                        to)
{
  g_autoptr (VtrTestTrace) writer = vtr_test_trace_new ();
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (VtrReplayPlan) plan = NULL;
  g_autoptr (VtrTransform) chain = NULL;
  g_autoptr (GPtrArray) devices = vtr_test_devices_new (
    vtr_test_device_new (0, "Target", VK_PHYSICAL_DEVICE_TYPE_CPU, families, n_families));
  g_autoptr (GError) error = NULL;
  VkImageMemoryBarrier barrier;
  Sink *sink;

  vtr_test_add_desktop (writer);
  vtr_test_add_pool (writer, 10, recorded);
  vtr_test_allocate_buffer (writer, 10, 20);
  vtr_test_begin (writer, 20);
  add_barrier (writer, 20, from, to);
  vtr_test_end (writer, 20);
  trace = vtr_test_trace_open (writer);
  plan = vtr_test_plan_new (trace, devices);
  g_assert_false (vtr_replay_plan_is_same (plan));
  chain = run_elsewhere (trace, plan, &sink, &error);
  g_assert_no_error (error);
  barrier = sink->barrier;
  return barrier;
}

static void
test_ownership (void)
{
  const VkImageLayout before = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  const VkImageLayout after = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  VkImageMemoryBarrier barrier = transfer (vtr_test_reversed, 3, 1, 1, 0);

  /* Families that stay two: the transfer stays one. */
  g_assert_cmpuint (barrier.srcQueueFamilyIndex, <, 2);
  g_assert_cmpuint (barrier.dstQueueFamilyIndex, ==, 2);
  g_assert_cmpint (barrier.oldLayout, ==, before);
  /* One family: the release barrier changes the layout, the acquire barrier does not. */
  barrier = transfer (vtr_test_lone, 1, 1, 1, 0);
  g_assert_cmpuint (barrier.srcQueueFamilyIndex, ==, VK_QUEUE_FAMILY_IGNORED);
  g_assert_cmpuint (barrier.dstQueueFamilyIndex, ==, VK_QUEUE_FAMILY_IGNORED);
  g_assert_cmpint (barrier.oldLayout, ==, before);
  g_assert_cmpint (barrier.newLayout, ==, after);
  barrier = transfer (vtr_test_lone, 1, 0, 1, 0);
  g_assert_cmpuint (barrier.srcQueueFamilyIndex, ==, VK_QUEUE_FAMILY_IGNORED);
  g_assert_cmpint (barrier.oldLayout, ==, after);
  g_assert_cmpint (barrier.newLayout, ==, after);
  /* No transfer at all. */
  barrier = transfer (vtr_test_lone, 1, 0, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED);
  g_assert_cmpuint (barrier.srcQueueFamilyIndex, ==, VK_QUEUE_FAMILY_IGNORED);
  g_assert_cmpint (barrier.oldLayout, ==, before);
}

static void
test_device (void)
{
  g_autoptr (VtrTestTrace) writer = vtr_test_trace_new ();
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (VtrReplayPlan) plan = NULL;
  g_autoptr (VtrTransform) chain = NULL;
  g_autoptr (GPtrArray) devices =
    vtr_test_devices_new (vtr_test_device_new (0, "Target", VK_PHYSICAL_DEVICE_TYPE_CPU,
                                               vtr_test_lone, 1));
  g_autoptr (GError) error = NULL;
  const guint32 families[] = { 0, 2 };
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = 16,
    .sharingMode = VK_SHARING_MODE_CONCURRENT,
    .queueFamilyIndexCount = 2,
    .pQueueFamilyIndices = families,
  };
  VkBuffer buffer = H (VkBuffer, 30);
  VkQueue queue = H (VkQueue, 4);
  Sink *sink;

  vtr_test_add_desktop (writer);
  ADD (writer, vkCreateBuffer, .device = H (VkDevice, 3), .pCreateInfo = &info, .pBuffer = &buffer);
  ADD (writer, vkGetDeviceQueue, .device = H (VkDevice, 3), .queueFamilyIndex = 2,
       .queueIndex = 0, .pQueue = &queue);
  trace = vtr_test_trace_open (writer);
  plan = vtr_test_plan_new (trace, devices);
  chain = run_elsewhere (trace, plan, &sink, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sink->n_queues, ==, 1);
  g_assert_cmpuint (sink->queues[0].queueFamilyIndex, ==, 0);
  g_assert_cmpuint (sink->queues[0].queueCount, ==, 1);
  g_assert_cmpuint (sink->family, ==, 0);
  g_assert_cmpuint (sink->index, ==, 0);
  g_assert_cmpint (sink->sharing, ==, VK_SHARING_MODE_EXCLUSIVE);
  g_assert_cmpuint (sink->n_sharing, ==, 0);
}

static void
test_no_queue (void)
{
  g_autoptr (VtrTestTrace) writer = vtr_test_trace_new ();
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (VtrReplayPlan) plan = NULL;
  g_autoptr (VtrTransform) chain = NULL;
  g_autoptr (GPtrArray) devices =
    vtr_test_devices_new (vtr_test_device_new (0, "Cruncher", VK_PHYSICAL_DEVICE_TYPE_OTHER,
                                               vtr_test_compute_only, 1));
  g_autoptr (GError) error = NULL;
  Sink *sink;

  vtr_test_add_desktop (writer);
  trace = vtr_test_trace_open (writer);
  plan = vtr_test_plan_new (trace, devices);
  chain = run_elsewhere (trace, plan, &sink, &error);
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "Cruncher"));
}

/* --- Memory that is shared ------------------------------------------------------------------- */

static void
add_buffer (VtrTestTrace *trace,
            guint64       buffer,
            guint64       size,
            guint64       memory,
            guint64       offset)
{
  vtr_test_add_buffer (trace, buffer, size, 0);
  vtr_test_bind_buffer (trace, buffer, memory, offset);
}

static void
test_groups (void)
{
  g_autoptr (VtrTestTrace) writer = vtr_test_trace_new ();
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (VtrMemoryPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  const VtrReplayMemoryGroup *groups;
  guint64 first, second;

  vtr_test_add_desktop (writer);
  first = vtr_test_add_memory (writer, 50, 4096);
  add_buffer (writer, 30, 100, 50, 0);   /* alone */
  add_buffer (writer, 31, 100, 50, 200); /* with the next two */
  add_buffer (writer, 32, 100, 50, 250);
  add_buffer (writer, 33, 10, 50, 345);
  add_buffer (writer, 34, 100, 50, 355); /* only touches */
  ADD (writer, vkDestroyBuffer, .device = H (VkDevice, 3), .buffer = H (VkBuffer, 34));
  add_buffer (writer, 34, 50, 50, 400); /* where another one was */
  ADD (writer, vkFreeMemory, .device = H (VkDevice, 3), .memory = H (VkDeviceMemory, 50));
  second = vtr_test_add_memory (writer, 50, 4096); /* the handle again, with nothing shared */
  add_buffer (writer, 35, 100, 50, 250);
  ADD (writer, vkMapMemory, .device = H (VkDevice, 3), .memory = H (VkDeviceMemory, 50),
       .size = VK_WHOLE_SIZE);
  trace = vtr_test_trace_open (writer);
  plan = vtr_memory_plan_new (trace, NULL, &error);
  g_assert_no_error (error);

  g_assert_cmpuint (vtr_memory_plan_get_groups (plan, first, &groups), ==, 2);
  g_assert_cmpuint (groups[0].begin, ==, 200);
  g_assert_cmpuint (groups[0].end, ==, 355);
  g_assert_cmpuint (groups[1].begin, ==, 355);
  g_assert_cmpuint (groups[1].end, ==, 455);
  g_assert_cmpuint (vtr_memory_plan_get_groups (plan, second, &groups), ==, 0);
  g_assert_false (vtr_memory_plan_is_mapped (plan, first));
  g_assert_true (vtr_memory_plan_is_mapped (plan, second));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transforms/elsewhere/choose", test_choose);
  g_test_add_func ("/transforms/elsewhere/queues", test_queues);
  g_test_add_func ("/transforms/elsewhere/queues/random", test_random_queues);
  g_test_add_func ("/transforms/elsewhere/ownership", test_ownership);
  g_test_add_func ("/transforms/elsewhere/device", test_device);
  g_test_add_func ("/transforms/elsewhere/no-queue", test_no_queue);
  g_test_add_func ("/transforms/elsewhere/groups", test_groups);
  return g_test_run ();
}
