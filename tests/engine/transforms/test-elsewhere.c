/* Replay on another device, on made-up devices: queues, ownership, memory that is shared, and what
 * is said first. */
#include <string.h>

#include "engine/compatibility/vtr-compatibility.h"
#include "engine/transforms/vtr-queue-map.h"
#include "engine/transforms/vtr-transforms.h"
#include "vtr-test-trace.h"

#define GRAPHICS (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)

/* --- Devices --------------------------------------------------------------------------------- */

static const VkQueueFamilyProperties lone[] = { { GRAPHICS, 1, 64, { 1, 1, 1 } } };
static const VkQueueFamilyProperties desktop[] = {
  { GRAPHICS, 16, 64, { 1, 1, 1 } },
  { VK_QUEUE_TRANSFER_BIT, 2, 64, { 1, 1, 1 } },
  { VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 8, 64, { 1, 1, 1 } },
};
static const VkQueueFamilyProperties reversed[] = {
  { VK_QUEUE_TRANSFER_BIT, 1, 0, { 8, 8, 8 } },
  { VK_QUEUE_COMPUTE_BIT, 2, 64, { 1, 1, 1 } },
  { GRAPHICS | VK_QUEUE_SPARSE_BINDING_BIT, 2, 64, { 1, 1, 1 } },
};
static const VkQueueFamilyProperties compute_only[] = {
  { VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 4, 64, { 1, 1, 1 } },
};

static VtrReplayDevice *
make_device (guint32                        index,
             const char                    *name,
             VkPhysicalDeviceType           type,
             const VkQueueFamilyProperties *families,
             guint                          n_families)
{
  VtrReplayDevice *device = vtr_replay_device_new ();

  device->index = index;
  g_strlcpy (device->properties.deviceName, name, sizeof device->properties.deviceName);
  device->properties.deviceType = type;
  device->properties.vendorID = 0x1000 + index;
  device->properties.deviceID = index;
  device->properties.apiVersion = VK_API_VERSION_1_3;
  device->properties.limits.maxPushConstantsSize = 128;
  device->properties.limits.maxBoundDescriptorSets = 4;
  device->families = g_memdup2 (families, n_families * sizeof *families);
  device->n_families = n_families;
  device->memory.memoryTypeCount = 1;
  return device;
}

static GPtrArray *
make_devices (VtrReplayDevice *device)
{
  GPtrArray *devices = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_replay_device_unref);

  g_ptr_array_add (devices, device);
  return devices;
}

static void
describe (VtrTestTrace                  *trace,
          const VkQueueFamilyProperties *families,
          guint                          n_families)
{
  VkPhysicalDeviceProperties properties = { .vendorID = 7, .deviceName = "Captured" };
  VkPhysicalDeviceMemoryProperties memory = { .memoryTypeCount = 1 };

  vtr_test_trace_describe_device (trace, &properties, &memory, families, n_families);
}

static void
test_choose (void)
{
  g_autoptr (GPtrArray) devices =
    make_devices (make_device (0, "Soft", VK_PHYSICAL_DEVICE_TYPE_CPU, lone, 1));
  g_autoptr (GError) error = NULL;
  VkPhysicalDeviceProperties captured = { .vendorID = 0x1000, .deviceID = 0, .deviceName = "Soft" };

  g_ptr_array_add (devices, make_device (1, "Inside", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, lone,
                                         1));
  g_ptr_array_add (devices, make_device (2, "Card A", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, desktop,
                                         3));
  g_ptr_array_add (devices, make_device (3, "Card B", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, desktop,
                                         3));
  g_assert_cmpuint (vtr_replay_device_choose (devices, NULL)->index, ==, 2);
  g_assert_cmpuint (vtr_replay_device_choose (devices, &captured)->index, ==, 0);
  captured.vendorID = 1;
  g_assert_cmpuint (vtr_replay_device_choose (devices, &captured)->index, ==, 2);
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
  g_autoptr (VtrQueueMap) same = vtr_queue_map_new (desktop, 3, all, desktop, 3);
  g_autoptr (VtrQueueMap) fold = vtr_queue_map_new (desktop, 3, all, lone, 1);
  g_autoptr (VtrQueueMap) turn = vtr_queue_map_new (desktop, 3, all, reversed, 3);
  g_autoptr (VtrQueueMap) none = vtr_queue_map_new (lone, 1, one, compute_only, 1);

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

/* A device with a queue of each of desktop's families. */
static guint64
add_device (VtrTestTrace *trace)
{
  static const float priority = 1;
  VkDeviceQueueCreateInfo queues[3];
  VkInstance instance = H (VkInstance, 1);
  VkPhysicalDevice physical = H (VkPhysicalDevice, 2);
  VkDevice device = H (VkDevice, 3);
  VkInstanceCreateInfo instance_info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
  VkDeviceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .queueCreateInfoCount = 3,
    .pQueueCreateInfos = queues,
  };
  guint32 one = 1;
  guint64 index;

  for (guint32 i = 0; i < 3; i++)
    queues[i] = (VkDeviceQueueCreateInfo){
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueFamilyIndex = i,
      .queueCount = 1,
      .pQueuePriorities = &priority,
    };
  ADD (trace, vkCreateInstance, .pCreateInfo = &instance_info, .pInstance = &instance);
  ADD (trace, vkEnumeratePhysicalDevices, .instance = instance, .pPhysicalDeviceCount = &one,
       .pPhysicalDevices = &physical);
  index = ADD (trace, vkCreateDevice, .physicalDevice = physical, .pCreateInfo = &info,
               .pDevice = &device);
  describe (trace, desktop, 3);
  return index;
}

static VtrReplayPlan *
make_plan (VtrTrace  *trace,
           GPtrArray *devices)
{
  g_autoptr (GError) error = NULL;
  VtrReplayPlan *plan =
    vtr_replay_plan_new (trace, devices, NULL, VTR_REPLAY_ADDRESSES_AUTO, NULL, &error);

  g_assert_no_error (error);
  return plan;
}

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
  g_autoptr (GPtrArray) devices = make_devices (
    make_device (0, "Target", VK_PHYSICAL_DEVICE_TYPE_CPU, families, n_families));
  g_autoptr (GError) error = NULL;
  VkImageMemoryBarrier barrier;
  Sink *sink;

  add_device (writer);
  vtr_test_add_pool (writer, 10, recorded);
  vtr_test_allocate_buffer (writer, 10, 20);
  vtr_test_begin (writer, 20);
  add_barrier (writer, 20, from, to);
  vtr_test_end (writer, 20);
  trace = vtr_test_trace_open (writer);
  plan = make_plan (trace, devices);
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
  VkImageMemoryBarrier barrier = transfer (reversed, 3, 1, 1, 0);

  /* Families that stay two: the transfer stays one. */
  g_assert_cmpuint (barrier.srcQueueFamilyIndex, <, 2);
  g_assert_cmpuint (barrier.dstQueueFamilyIndex, ==, 2);
  g_assert_cmpint (barrier.oldLayout, ==, before);
  /* One family: the releasing half changes the layout, the acquiring half no more. */
  barrier = transfer (lone, 1, 1, 1, 0);
  g_assert_cmpuint (barrier.srcQueueFamilyIndex, ==, VK_QUEUE_FAMILY_IGNORED);
  g_assert_cmpuint (barrier.dstQueueFamilyIndex, ==, VK_QUEUE_FAMILY_IGNORED);
  g_assert_cmpint (barrier.oldLayout, ==, before);
  g_assert_cmpint (barrier.newLayout, ==, after);
  barrier = transfer (lone, 1, 0, 1, 0);
  g_assert_cmpuint (barrier.srcQueueFamilyIndex, ==, VK_QUEUE_FAMILY_IGNORED);
  g_assert_cmpint (barrier.oldLayout, ==, after);
  g_assert_cmpint (barrier.newLayout, ==, after);
  /* No transfer at all. */
  barrier = transfer (lone, 1, 0, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED);
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
    make_devices (make_device (0, "Target", VK_PHYSICAL_DEVICE_TYPE_CPU, lone, 1));
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

  add_device (writer);
  ADD (writer, vkCreateBuffer, .device = H (VkDevice, 3), .pCreateInfo = &info, .pBuffer = &buffer);
  ADD (writer, vkGetDeviceQueue, .device = H (VkDevice, 3), .queueFamilyIndex = 2,
       .queueIndex = 0, .pQueue = &queue);
  trace = vtr_test_trace_open (writer);
  plan = make_plan (trace, devices);
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
    make_devices (make_device (0, "Cruncher", VK_PHYSICAL_DEVICE_TYPE_OTHER, compute_only, 1));
  g_autoptr (GError) error = NULL;
  Sink *sink;

  add_device (writer);
  trace = vtr_test_trace_open (writer);
  plan = make_plan (trace, devices);
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

  add_device (writer);
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

/* --- What is said first ---------------------------------------------------------------------- */

static const VtrCompatibilityFinding *
find (VtrCompatibility *compatibility,
      const char       *part)
{
  for (guint i = 0; i < vtr_compatibility_get_n (compatibility); i++)
    if (strstr (vtr_compatibility_get (compatibility, i)->text, part) != NULL)
      return vtr_compatibility_get (compatibility, i);
  return NULL;
}

static void
test_compatibility (void)
{
  g_autoptr (VtrTestTrace) writer = vtr_test_trace_new ();
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (VtrReplayPlan) plan = NULL;
  g_autoptr (VtrCompatibility) compatibility = NULL;
  g_autoptr (GPtrArray) devices =
    make_devices (make_device (0, "Target", VK_PHYSICAL_DEVICE_TYPE_CPU, lone, 1));
  g_autoptr (GError) error = NULL;
  VtrReplayBackend *backend = vtr_replay_null_new ();
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
  describe (writer, desktop, 3);
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
         VtrReplayDevice *target)
{
  g_autoptr (VtrTrace) trace = vtr_test_trace_open (writer);
  g_autoptr (GPtrArray) devices = make_devices (target);
  g_autoptr (VtrReplayPlan) plan = make_plan (trace, devices);
  g_autoptr (GError) error = NULL;
  VtrReplayBackend *backend = vtr_replay_null_new ();
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
  VtrReplayDevice *target = make_device (0, "Target", VK_PHYSICAL_DEVICE_TYPE_CPU, lone, 1);
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
  vtr_replay_device_set_properties (target, more->data, more->len);
  if (enough)
    {
      target->extensions = g_renew (char *, target->extensions, 2);
      target->extensions[0] = g_strdup ("VK_EXT_shader_stencil_export");
      target->extensions[1] = NULL;
    }

  add_device (writer);
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
  g_test_add_func ("/transforms/elsewhere/choose", test_choose);
  g_test_add_func ("/transforms/elsewhere/queues", test_queues);
  g_test_add_func ("/transforms/elsewhere/queues/random", test_random_queues);
  g_test_add_func ("/transforms/elsewhere/ownership", test_ownership);
  g_test_add_func ("/transforms/elsewhere/device", test_device);
  g_test_add_func ("/transforms/elsewhere/no-queue", test_no_queue);
  g_test_add_func ("/transforms/elsewhere/groups", test_groups);
  g_test_add_func ("/transforms/elsewhere/compatibility", test_compatibility);
  g_test_add_data_func ("/transforms/elsewhere/limits/enough", GINT_TO_POINTER (TRUE), test_limits);
  g_test_add_data_func ("/transforms/elsewhere/limits/less", GINT_TO_POINTER (FALSE), test_limits);
  return g_test_run ();
}
