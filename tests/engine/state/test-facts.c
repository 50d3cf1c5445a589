/* Tests facts about resources: sizes, and the memory that was bound to them by any command. */
#include "vtr-test-trace.h"

#include "engine/vulkan/state/vtr-facts.h"

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

static guint32
find (VtrHistory *history,
      guint32     type,
      guint64     handle,
      guint64     index)
{
  const VtrObject *object =
    vtr_history_find (history, vtr_vulkan_identity (type, handle), index);

  g_assert_nonnull (object);
  return object->id;
}

static void
expect_bound (VtrHistory *history,
              guint32     id,
              guint       plane,
              guint32     memory,
              guint64     offset,
              guint64     command)
{
  VtrBoundMemory bound;

  g_assert_true (vtr_facts_get_bound (history, id, plane, VTR_COMMAND_NO_INDEX, &bound));
  g_assert_cmpuint (bound.memory, ==, memory);
  g_assert_cmpuint (bound.offset, ==, offset);
  g_assert_cmpuint (bound.command, ==, command);
  g_assert_true (vtr_facts_get_bound (history, id, plane, command, &bound));
  g_assert_false (vtr_facts_get_bound (history, id, plane, command - 1, &bound));
}

static guint64
add_image (VtrTestTrace       *test,
           guint64             handle,
           VkImageCreateFlags  flags)
{
  const VkImageCreateInfo info = { .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                   .flags = flags,
                                   .format = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
                                   .extent = { 8, 8, 1 },
                                   .mipLevels = 1,
                                   .arrayLayers = 1 };
  VkImage image = H (VkImage, handle);

  return ADD (test, vkCreateImage, .device = DEVICE, .pCreateInfo = &info, .pImage = &image);
}

/* Both versions of both calls, several resources in one of them. */
static void
test_bound (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  const VkBindBufferMemoryInfo buffers[] = {
    { VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, NULL, H (VkBuffer, 0xb1),
      H (VkDeviceMemory, 0x51), 32 },
    { VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, NULL, H (VkBuffer, 0xb2),
      H (VkDeviceMemory, 0x52), 64 },
  };
  const VkBindImageMemoryInfo image = { VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, NULL,
                                        H (VkImage, 0xa1), H (VkDeviceMemory, 0x52), 48 };
  guint64 one, two, three, four;
  guint32 first, second;
  VtrBoundMemory bound;

  vtr_test_add_device (test);
  vtr_test_add_memory (test, 0x51, 1000);
  vtr_test_add_memory (test, 0x52, 1000);
  for (guint64 handle = 0xb0; handle <= 0xb3; handle++)
    vtr_test_add_buffer (test, handle, 1, 0);
  add_image (test, 0xa0, 0);
  add_image (test, 0xa1, 0);
  one = ADD (test, vkBindBufferMemory, .device = DEVICE, .buffer = H (VkBuffer, 0xb0),
             .memory = H (VkDeviceMemory, 0x51), .memoryOffset = 16);
  two = ADD (test, vkBindBufferMemory2, .device = DEVICE, .bindInfoCount = 2,
             .pBindInfos = buffers);
  three = ADD (test, vkBindImageMemory, .device = DEVICE, .image = H (VkImage, 0xa0),
               .memory = H (VkDeviceMemory, 0x51), .memoryOffset = 80);
  four = ADD (test, vkBindImageMemory2, .device = DEVICE, .bindInfoCount = 1,
              .pBindInfos = &image);

  history = build (test);
  first = find (history, VTR_HANDLE_VkDeviceMemory, 0x51, four);
  second = find (history, VTR_HANDLE_VkDeviceMemory, 0x52, four);
  expect_bound (history, find (history, VTR_HANDLE_VkBuffer, 0xb0, four), 0, first, 16, one);
  expect_bound (history, find (history, VTR_HANDLE_VkBuffer, 0xb1, four), 0, first, 32, two);
  expect_bound (history, find (history, VTR_HANDLE_VkBuffer, 0xb2, four), 0, second, 64, two);
  expect_bound (history, find (history, VTR_HANDLE_VkImage, 0xa0, four), 0, first, 80, three);
  expect_bound (history, find (history, VTR_HANDLE_VkImage, 0xa1, four), 0, second, 48, four);
  g_assert_false (vtr_facts_get_bound (history, find (history, VTR_HANDLE_VkBuffer, 0xb3, four), 0,
                                       VTR_COMMAND_NO_INDEX, &bound));
  g_assert_false (vtr_facts_get_bound (history, find (history, VTR_HANDLE_VkImage, 0xa0, four), 1,
                                       VTR_COMMAND_NO_INDEX, &bound));
}

/* Each plane of a disjoint image has memory of its own. */
static void
test_planes (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  const VkBindImagePlaneMemoryInfo planes[] = {
    { VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, NULL, VK_IMAGE_ASPECT_PLANE_0_BIT },
    { VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, NULL, VK_IMAGE_ASPECT_PLANE_1_BIT },
  };
  const VkBindImageMemoryInfo infos[] = {
    { VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, &planes[1], H (VkImage, 0xa0),
      H (VkDeviceMemory, 0x52), 4 },
    { VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, &planes[0], H (VkImage, 0xa0),
      H (VkDeviceMemory, 0x51), 8 },
  };
  guint64 call;
  guint32 id;

  vtr_test_add_device (test);
  vtr_test_add_memory (test, 0x51, 1000);
  vtr_test_add_memory (test, 0x52, 1000);
  add_image (test, 0xa0, VK_IMAGE_CREATE_DISJOINT_BIT);
  call = ADD (test, vkBindImageMemory2, .device = DEVICE, .bindInfoCount = 2,
              .pBindInfos = infos);

  history = build (test);
  id = find (history, VTR_HANDLE_VkImage, 0xa0, call);
  expect_bound (history, id, 0, find (history, VTR_HANDLE_VkDeviceMemory, 0x51, call), 8, call);
  expect_bound (history, id, 1, find (history, VTR_HANDLE_VkDeviceMemory, 0x52, call), 4, call);
}

/* Facts are of objects: of two with one handle, one after the other, each has its own. */
static void
test_reuse (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  guint64 first, freed, second;
  VtrBufferFact fact;
  guint32 old, new;

  vtr_test_add_device (test);
  vtr_test_add_memory (test, 0x51, 1000);
  vtr_test_add_buffer (test, 0xb, 100, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  first = ADD (test, vkBindBufferMemory, .device = DEVICE, .buffer = H (VkBuffer, 0xb),
               .memory = H (VkDeviceMemory, 0x51), .memoryOffset = 1);
  ADD (test, vkDestroyBuffer, .device = DEVICE, .buffer = H (VkBuffer, 0xb));
  freed = ADD (test, vkFreeMemory, .device = DEVICE, .memory = H (VkDeviceMemory, 0x51));
  vtr_test_add_memory (test, 0x51, 1000);
  vtr_test_add_buffer (test, 0xb, 200, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  second = ADD (test, vkBindBufferMemory, .device = DEVICE, .buffer = H (VkBuffer, 0xb),
                .memory = H (VkDeviceMemory, 0x51), .memoryOffset = 2);

  history = build (test);
  old = find (history, VTR_HANDLE_VkBuffer, 0xb, first);
  new = find (history, VTR_HANDLE_VkBuffer, 0xb, second);
  g_assert_cmpuint (old, !=, new);
  expect_bound (history, old, 0, find (history, VTR_HANDLE_VkDeviceMemory, 0x51, freed - 1), 1,
                first);
  expect_bound (history, new, 0, find (history, VTR_HANDLE_VkDeviceMemory, 0x51, second), 2,
                second);
  g_assert_true (vtr_facts_get_buffer (history, old, &fact));
  g_assert_cmpuint (fact.size, ==, 100);
  g_assert_cmpuint (fact.usage, ==, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  g_assert_true (vtr_facts_get_buffer (history, new, &fact));
  g_assert_cmpuint (fact.size, ==, 200);
  g_assert_cmpuint (fact.usage, ==, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  /* The cached facts are the same. */
  g_assert_true (vtr_facts_get_buffer (history, old, &fact));
  g_assert_cmpuint (fact.size, ==, 100);
  g_assert_false (vtr_facts_get_buffer (
    history, find (history, VTR_HANDLE_VkDeviceMemory, 0x51, second), &fact));
  g_assert_false (vtr_facts_get_buffer (history, 0, &fact));
  g_assert_false (vtr_facts_get_buffer (history, 1000, &fact));
}

/* Pages lie anywhere: no place is the resource's, but the first call counts as its binding. */
static void
test_pages (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrHistory) history = NULL;
  const VkSparseMemoryBind page = { .size = 10, .memory = H (VkDeviceMemory, 0x51) };
  const VkSparseBufferMemoryBindInfo buffer = { H (VkBuffer, 0xb), 1, &page };
  const VkBindSparseInfo info = { .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                                  .bufferBindCount = 1,
                                  .pBufferBinds = &buffer };
  VtrBoundMemory bound;
  guint64 first;
  guint32 id;

  vtr_test_add_device (test);
  vtr_test_add_memory (test, 0x51, 1000);
  vtr_test_add_buffer (test, 0xb, 100, 0);
  first = ADD (test, vkQueueBindSparse, .queue = H (VkQueue, 4), .bindInfoCount = 1,
               .pBindInfo = &info);
  ADD (test, vkQueueBindSparse, .queue = H (VkQueue, 4), .bindInfoCount = 1, .pBindInfo = &info);

  history = build (test);
  id = find (history, VTR_HANDLE_VkBuffer, 0xb, first);
  g_assert_cmpuint (vtr_history_get_memory_binding (history, id), ==, first);
  g_assert_false (vtr_facts_get_bound (history, id, 0, VTR_COMMAND_NO_INDEX, &bound));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/facts/bound", test_bound);
  g_test_add_func ("/facts/planes", test_planes);
  g_test_add_func ("/facts/reuse", test_reuse);
  g_test_add_func ("/facts/pages", test_pages);
  return g_test_run ();
}
