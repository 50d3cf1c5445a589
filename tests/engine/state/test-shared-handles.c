/* Tests handles that two devices have at the same time: the objects are never confused. */
#include "vtr-test-trace.h"
#include "engine/format/vtr-content-record.h"
#include "engine/format/vtr-trace-observations.h"
#include "engine/vulkan/state/vtr-state.h"

#include "api/vtr-api-print.h"

/* Device 3 with queue 4 is vtr_test_add_device()'s; this one has everything like it. */
#define OTHER 0x13
#define OTHER_QUEUE 0x14
#define OTHER_COMMANDS 0x1100
#define COMMANDS 0x1000

/* What both devices call so. A buffer and an image of one device are equal, too. */
#define BUFFER 0xb
#define MEMORY 0xc
#define SET 0x60
#define TEMPLATE 0x70

typedef struct
{
  VtrTestTrace *test;
  VtrTrace *trace;
  VtrHistory *history;
  VtrArena arena;
} Fixture;

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  self->test = vtr_test_trace_new ();
  vtr_arena_init (&self->arena);
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  vtr_arena_finish (&self->arena);
  g_clear_pointer (&self->history, vtr_history_unref);
  g_clear_pointer (&self->trace, vtr_trace_unref);
  vtr_test_trace_free (self->test);
}

static void
open_trace (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  self->trace = vtr_test_trace_open (self->test);
  self->history = vtr_history_build (self->trace, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* The arguments of a call. */
static gpointer
decode (Fixture *self,
        guint64  index)
{
  g_autoptr (GError) error = NULL;
  VtrCommand command;

  g_assert_true (vtr_trace_decode (self->trace, index, &self->arena, &command, &error));
  g_assert_no_error (error);
  return command.args;
}

static void
add_device (VtrTestTrace *test,
            guint64       value,
            guint64       queue_value)
{
  VkDevice device = H (VkDevice, value);
  VkQueue queue = H (VkQueue, queue_value);
  VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO };

  ADD (test, vkCreateDevice, .physicalDevice = H (VkPhysicalDevice, 2), .pCreateInfo = &info,
       .pDevice = &device);
  ADD (test, vkGetDeviceQueue, .device = device, .pQueue = &queue);
}

static guint64
add_buffer (VtrTestTrace *test,
            guint64       device,
            guint64       size)
{
  VkBuffer buffer = H (VkBuffer, BUFFER);
  VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size };

  return ADD (test, vkCreateBuffer, .device = H (VkDevice, device), .pCreateInfo = &info,
              .pBuffer = &buffer);
}

static void
add_memory (VtrTestTrace *test,
            guint64       device)
{
  VkDeviceMemory memory = H (VkDeviceMemory, MEMORY);
  VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                .allocationSize = 4096 };

  ADD (test, vkAllocateMemory, .device = H (VkDevice, device), .pAllocateInfo = &info,
       .pMemory = &memory);
}

static void
add_commands (VtrTestTrace *test,
              guint64       device,
              guint64       value)
{
  VkCommandBuffer commands = H (VkCommandBuffer, value);
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = H (VkCommandPool, 0x10),
    .commandBufferCount = 1,
  };

  ADD (test, vkAllocateCommandBuffers, .device = H (VkDevice, device), .pAllocateInfo = &info,
       .pCommandBuffers = &commands);
}

static void
add_set (VtrTestTrace *test,
         guint64       device)
{
  VkDescriptorSet set = H (VkDescriptorSet, SET);
  VkDescriptorSetLayout layout = H (VkDescriptorSetLayout, 0x77);
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = H (VkDescriptorPool, 0x50),
    .descriptorSetCount = 1,
    .pSetLayouts = &layout,
  };

  ADD (test, vkAllocateDescriptorSets, .device = H (VkDevice, device), .pAllocateInfo = &info,
       .pDescriptorSets = &set);
}

/* Both have all of it. */
static void
add_both (VtrTestTrace *test)
{
  vtr_test_add_device (test);
  add_device (test, OTHER, OTHER_QUEUE);
  for (guint i = 0; i < 2; i++)
    {
      guint64 device = i == 0 ? 3 : OTHER;

      add_buffer (test, device, 100 + i);
      add_memory (test, device);
      add_set (test, device);
      add_commands (test, device, i == 0 ? COMMANDS : OTHER_COMMANDS);
    }
}

/* The buffers of the devices at the end. */
static void
find_both (Fixture          *self,
           const VtrObject **first,
           const VtrObject **second)
{
  g_autoptr (GArray) ids = vtr_history_list (self->history, VTR_HANDLE_VkBuffer);

  g_assert_cmpuint (ids->len, ==, 2);
  *first = vtr_history_get_object (self->history, g_array_index (ids, guint32, 0));
  *second = vtr_history_get_object (self->history, g_array_index (ids, guint32, 1));
}

static void
test_lifetimes (Fixture       *self,
                gconstpointer  data)
{
  const VtrObject *first, *second;
  guint64 destroyed, end;

  add_both (self->test);
  destroyed = ADD (self->test, vkDestroyBuffer, .device = H (VkDevice, 3),
                   .buffer = H (VkBuffer, BUFFER));
  end = ADD (self->test, vkDeviceWaitIdle, .device = H (VkDevice, OTHER));
  open_trace (self);
  find_both (self, &first, &second);
  g_assert_cmphex (first->handle, ==, BUFFER);
  g_assert_cmphex (second->handle, !=, BUFFER);
  g_assert_cmphex (vtr_trace_get_driver_handle (self->trace, second->handle), ==, BUFFER);
  g_assert_cmphex (vtr_trace_get_driver_handle (self->trace, BUFFER), ==, BUFFER);
  g_assert_cmpuint (first->destroyed, ==, destroyed);
  g_assert_cmpuint (second->destroyed, ==, VTR_COMMAND_NO_INDEX);
  g_assert_true (vtr_history_find (self->history,
                                   vtr_vulkan_identity (VTR_HANDLE_VkBuffer, second->handle),
                                   end) ==
                 second);
  g_assert_cmphex (vtr_history_get_object (self->history, second->parent)->handle, ==, OTHER);
}

/* Handles in structures, in lists, in chains, of calls on queues and into command buffers. */
static void
test_calls (Fixture       *self,
            gconstpointer  data)
{
  VkDescriptorBufferInfo info = { .buffer = H (VkBuffer, BUFFER), .range = 16 };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = H (VkDescriptorSet, SET),
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    .pBufferInfo = &info,
  };
  VkMemoryDedicatedAllocateInfo dedicated = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
    .buffer = H (VkBuffer, BUFFER),
  };
  VkMemoryAllocateInfo allocation = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .pNext = &dedicated };
  VkSparseMemoryBind bind = { .size = 64, .memory = H (VkDeviceMemory, MEMORY) };
  VkSparseBufferMemoryBindInfo buffer_bind = { H (VkBuffer, BUFFER), 1, &bind };
  VkBindSparseInfo sparse = { .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                              .bufferBindCount = 1,
                              .pBufferBinds = &buffer_bind };
  VkDeviceMemory own = H (VkDeviceMemory, 0xcc);
  guint64 update, allocate, bound, fill, first_update;
  const VtrObject *first, *second;
  const VtrArgs_vkUpdateDescriptorSets *sets;
  const VtrArgs_vkQueueBindSparse *sparse_args;
  const VtrArgs_vkAllocateMemory *memory;
  const VkMemoryDedicatedAllocateInfo *chained;

  add_both (self->test);
  first_update = ADD (self->test, vkUpdateDescriptorSets, .device = H (VkDevice, 3),
                      .descriptorWriteCount = 1, .pDescriptorWrites = &write);
  update = ADD (self->test, vkUpdateDescriptorSets, .device = H (VkDevice, OTHER),
                .descriptorWriteCount = 1, .pDescriptorWrites = &write);
  allocate = ADD (self->test, vkAllocateMemory, .device = H (VkDevice, OTHER),
                  .pAllocateInfo = &allocation, .pMemory = &own);
  bound = ADD (self->test, vkQueueBindSparse, .queue = H (VkQueue, OTHER_QUEUE),
               .bindInfoCount = 1, .pBindInfo = &sparse);
  vtr_test_begin (self->test, OTHER_COMMANDS);
  fill = ADD (self->test, vkCmdFillBuffer, .commandBuffer = H (VkCommandBuffer, OTHER_COMMANDS),
              .dstBuffer = H (VkBuffer, BUFFER), .size = 4);
  vtr_test_end (self->test, OTHER_COMMANDS);
  open_trace (self);
  find_both (self, &first, &second);

  sets = decode (self, first_update);
  g_assert_cmphex ((guint64)sets->pDescriptorWrites->pBufferInfo->buffer, ==, BUFFER);
  sets = decode (self, update);
  g_assert_cmphex ((guint64)sets->pDescriptorWrites->pBufferInfo->buffer, ==, second->handle);
  g_assert_cmphex ((guint64)sets->pDescriptorWrites->dstSet, !=, SET);
  g_assert_cmphex (
    vtr_trace_get_driver_handle (self->trace, (guint64)sets->pDescriptorWrites->dstSet), ==, SET);
  memory = decode (self, allocate);
  chained = memory->pAllocateInfo->pNext;
  g_assert_cmphex ((guint64)chained->buffer, ==, second->handle);
  sparse_args = decode (self, bound);
  g_assert_cmphex ((guint64)sparse_args->pBindInfo->pBufferBinds->buffer, ==, second->handle);
  g_assert_cmphex (
    vtr_trace_get_driver_handle (
      self->trace, (guint64)sparse_args->pBindInfo->pBufferBinds->pBinds->memory),
    ==, MEMORY);
  g_assert_cmphex ((guint64)((const VtrArgs_vkCmdFillBuffer *)decode (self, fill))->dstBuffer, ==,
                   second->handle);
}

static void
on_write (const VtrContentRecord *write,
          guint64                *memory)
{
  *memory = write->object;
}

static gboolean
visit_write (const VtrContentRecord  *write,
             gsize                    nth,
             gpointer                 data,
             GError                 **error)
{
  on_write (write, data);
  return TRUE;
}

static gboolean
visit_observed (const VtrTraceObservation *observation,
                gpointer                   data)
{
  *(guint64 *)data = observation->memory;
  return TRUE;
}

static void
test_contents (Fixture       *self,
               gconstpointer  data)
{
  guint64 first, second, memory = 0, observed = 0;

  add_both (self->test);
  vtr_test_trace_add_mapped_write (self->test, MEMORY, 0, "one", 4);
  first = ADD (self->test, vkDeviceWaitIdle, .device = H (VkDevice, 3));
  vtr_test_trace_add_mapped_write_of (self->test, OTHER, MEMORY, 0, "two", 4);
  second = ADD (self->test, vkDeviceWaitIdle, .device = H (VkDevice, 3));
  open_trace (self);
  g_assert_true (
    vtr_trace_each_content (self->trace, first, FALSE, visit_write, &memory, NULL));
  g_assert_cmphex (memory, ==, MEMORY);
  g_assert_true (
    vtr_trace_each_content (self->trace, second, FALSE, visit_write, &memory, NULL));
  g_assert_cmphex (memory, !=, MEMORY);
  g_assert_cmphex (vtr_trace_get_driver_handle (self->trace, memory), ==, MEMORY);
  /* Whoever looks at the bytes alone finds the same memory. */
  g_assert_true (
    vtr_trace_visit_mapped_writes (self->trace, second, visit_observed, &observed, NULL));
  g_assert_cmphex (observed, ==, memory);
}

/* The data of a template has the shape that the template of its own device gives it. */
static void
test_templates (Fixture       *self,
                gconstpointer  data)
{
  static const VkDescriptorUpdateTemplateEntry entries[2] = {
    { .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      .offset = 0,
      .stride = 24 },
    { .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      .offset = 32,
      .stride = 24 },
  };
  VkDescriptorUpdateTemplate template = H (VkDescriptorUpdateTemplate, TEMPLATE);
  guint64 bytes[7] = { BUFFER, 0, 16, 0, BUFFER, 0, 16 };
  guint64 updates[2];
  const VtrObject *first, *second;

  add_both (self->test);
  for (guint i = 0; i < 2; i++)
    {
      VkDescriptorUpdateTemplateCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
        .descriptorUpdateEntryCount = 1,
        .pDescriptorUpdateEntries = &entries[i],
      };

      ADD (self->test, vkCreateDescriptorUpdateTemplate, .device = H (VkDevice, i == 0 ? 3 : OTHER),
           .pCreateInfo = &info, .pDescriptorUpdateTemplate = &template);
    }
  vtr_test_trace_set_template (self->test, entries, 2);
  for (guint i = 0; i < 2; i++)
    updates[i] = ADD (self->test, vkUpdateDescriptorSetWithTemplate,
                      .device = H (VkDevice, i == 0 ? 3 : OTHER),
                      .descriptorSet = H (VkDescriptorSet, SET),
                      .descriptorUpdateTemplate = template, .pData = bytes);
  open_trace (self);
  find_both (self, &first, &second);
  for (guint i = 0; i < 2; i++)
    {
      const VtrArgs_vkUpdateDescriptorSetWithTemplate *args = decode (self, updates[i]);
      const guint64 *got = args->pData;

      g_assert_nonnull (got);
      /* Only the second device has a buffer with handle 32; what the first one has there is not
       * a handle. */
      g_assert_cmphex (got[0], ==, BUFFER);
      g_assert_cmphex (got[4], ==, i == 0 ? BUFFER : second->handle);
    }
}

static void
test_names (Fixture       *self,
            gconstpointer  data)
{
  const VtrObject *first, *second;

  add_both (self->test);
  for (guint i = 0; i < 2; i++)
    {
      VkDebugUtilsObjectNameInfoEXT name = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = VK_OBJECT_TYPE_BUFFER,
        .objectHandle = BUFFER,
        .pObjectName = i == 0 ? "one" : "two",
      };

      ADD (self->test, vkSetDebugUtilsObjectNameEXT, .device = H (VkDevice, i == 0 ? 3 : OTHER),
           .pNameInfo = &name);
    }
  open_trace (self);
  find_both (self, &first, &second);
  g_assert_cmpstr (first->name, ==, "one");
  g_assert_cmpstr (second->name, ==, "two");
}

/* Numbers of extensions' objects are others here: a swapchain is 27. */
static void
test_marker_names (Fixture       *self,
                   gconstpointer  data)
{
  VkSwapchainCreateInfoKHR info = { .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR };
  VkSwapchainKHR swapchain = H (VkSwapchainKHR, 0x90);
  VkDebugMarkerObjectNameInfoEXT name = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_NAME_INFO_EXT,
    .objectType = VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT,
    .object = 0x90,
    .pObjectName = "two",
  };
  g_autoptr (GArray) ids = NULL;

  add_both (self->test);
  for (guint i = 0; i < 2; i++)
    ADD (self->test, vkCreateSwapchainKHR, .device = H (VkDevice, i == 0 ? 3 : OTHER),
         .pCreateInfo = &info, .pSwapchain = &swapchain);
  ADD (self->test, vkDebugMarkerSetObjectNameEXT, .device = H (VkDevice, OTHER),
       .pNameInfo = &name);
  open_trace (self);
  ids = vtr_history_list (self->history, VTR_HANDLE_VkSwapchainKHR);
  g_assert_cmpuint (ids->len, ==, 2);
  g_assert_null (
    vtr_history_get_object (self->history, g_array_index (ids, guint32, 0))->name);
  g_assert_cmpstr (vtr_history_get_object (self->history, g_array_index (ids, guint32, 1))->name,
                   ==, "two");
}

/* The queue of a destroyed device is now the queue of another one. */
static void
test_queue_again (Fixture       *self,
                  gconstpointer  data)
{
  VkSparseMemoryBind bind = { .size = 64 };
  VkSparseBufferMemoryBindInfo buffer_bind = { H (VkBuffer, BUFFER), 1, &bind };
  VkBindSparseInfo sparse = { .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                              .bufferBindCount = 1,
                              .pBufferBinds = &buffer_bind };
  guint64 created[2], bound[2];

  vtr_test_add_device (self->test);
  add_buffer (self->test, 3, 10);
  for (guint i = 0; i < 2; i++)
    {
      const guint64 device = 0x13 + 0x10 * i;

      add_device (self->test, device, OTHER_QUEUE);
      created[i] = add_buffer (self->test, device, 20);
      bound[i] = ADD (self->test, vkQueueBindSparse, .queue = H (VkQueue, OTHER_QUEUE),
                      .bindInfoCount = 1, .pBindInfo = &sparse);
      ADD (self->test, vkDestroyBuffer, .device = H (VkDevice, device),
           .buffer = H (VkBuffer, BUFFER));
      ADD (self->test, vkDestroyDevice, .device = H (VkDevice, device));
    }
  open_trace (self);
  for (guint i = 0; i < 2; i++)
    {
      const VtrArgs_vkQueueBindSparse *args = decode (self, bound[i]);
      const VtrObject *buffer =
        vtr_history_find (self->history,
                          vtr_vulkan_identity (VTR_HANDLE_VkBuffer,
                                               (guint64)args->pBindInfo->pBufferBinds->buffer),
                          bound[i]);

      g_assert_nonnull (buffer);
      g_assert_cmpuint (buffer->created, ==, created[i]);
    }
}

/* What people see are the driver's values. */
static void
test_shown (Fixture       *self,
            gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  VtrBuffer text = { 0 };
  VtrCommand command;
  VtrApiEnv env;
  guint64 fill;

  add_both (self->test);
  vtr_test_begin (self->test, OTHER_COMMANDS);
  fill = ADD (self->test, vkCmdFillBuffer, .commandBuffer = H (VkCommandBuffer, OTHER_COMMANDS),
              .dstBuffer = H (VkBuffer, BUFFER), .size = 4);
  open_trace (self);
  env = vtr_trace_get_env (self->trace);
  g_assert_true (vtr_trace_decode (self->trace, fill, &self->arena, &command, &error));
  vtr_api_json (command.id, command.args, command.decoded, &env, &text);
  vtr_api_print (command.id, command.args, command.decoded, &env, &text);
  vtr_buffer_append_u8 (&text, 0);
  g_assert_nonnull (strstr ((const char *)text.data, "\"dstBuffer\":\"0xb\""));
  g_assert_nonnull (strstr ((const char *)text.data, "dstBuffer=0xb"));
  vtr_buffer_finish (&text);
}

/* Two devices have the same handles, but not at the same time: nothing is replaced. */
static void
test_one_at_a_time (Fixture       *self,
                    gconstpointer  data)
{
  guint64 created;

  vtr_test_add_device (self->test);
  add_buffer (self->test, 3, 10);
  ADD (self->test, vkDestroyBuffer, .device = H (VkDevice, 3), .buffer = H (VkBuffer, BUFFER));
  ADD (self->test, vkDestroyDevice, .device = H (VkDevice, 3));
  add_device (self->test, OTHER, OTHER_QUEUE);
  created = add_buffer (self->test, OTHER, 20);
  open_trace (self);
  g_assert_cmphex (
    (guint64) * ((const VtrArgs_vkCreateBuffer *)decode (self, created))->pBuffer, ==, BUFFER);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define TEST(name, function) \
  g_test_add ("/engine/shared-handles/" name, Fixture, NULL, set_up, function, tear_down)
  TEST ("lifetimes", test_lifetimes);
  TEST ("calls", test_calls);
  TEST ("contents", test_contents);
  TEST ("templates", test_templates);
  TEST ("names", test_names);
  TEST ("marker-names", test_marker_names);
  TEST ("queue-again", test_queue_again);
  TEST ("shown", test_shown);
  TEST ("one-at-a-time", test_one_at_a_time);

  return g_test_run ();
}
