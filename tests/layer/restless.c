/* A program without a window that does not rest by itself, in the way it is told:
 *
 *   semaphore  every submission waits for a value that another thread signals
 *   event      every submission waits for an event that another thread sets
 *   fence      another thread waits, for as long as it takes, for the last submission of all
 *   busy       every submission but the last waits for what is signalled after the next one
 *   objects    rests; makes and destroys objects with parents that are gone, all the time
 *   blocks     rests; submits a command buffer recorded at the beginning, with a layout that is
 *              gone; one that names an event that is gone, and one that executes a secondary that
 *              was reset, are not submitted
 *
 * Each submission is a frame. Exits with 0 if every call went well. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan.h>

#define N_FRAMES 16

#define CHECK(call) \
  do \
    if ((call) != VK_SUCCESS) \
      { \
        fprintf (stderr, "%s failed\n", #call); \
        exit (1); \
      } \
  while (0)

static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;
static VkSemaphore timeline;
static VkEvent event;
static VkFence last;
static _Atomic uint64_t submitted; /* about to be */

static void
make_device (void)
{
  const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                          .apiVersion = VK_API_VERSION_1_2 };
  const VkInstanceCreateInfo instance_info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                               .pApplicationInfo = &application };
  VkPhysicalDeviceVulkan12Features features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    .timelineSemaphore = VK_TRUE,
  };
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue_info = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                               .queueCount = 1,
                                               .pQueuePriorities = &priority };
  const VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .pNext = &features,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &queue_info };
  const VkCommandPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                              .flags =
                                                VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT };
  VkPhysicalDevice physical;
  VkInstance instance;
  uint32_t n = 1;

  CHECK (vkCreateInstance (&instance_info, NULL, &instance));
  if (vkEnumeratePhysicalDevices (instance, &n, &physical) < 0 || n == 0)
    exit (1);
  CHECK (vkCreateDevice (physical, &info, NULL, &device));
  vkGetDeviceQueue (device, 0, 0, &queue);
  CHECK (vkCreateCommandPool (device, &pool_info, NULL, &pool));
}

static void
make_signals (void)
{
  const VkSemaphoreTypeCreateInfo type = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                           .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                       .pNext = &type };
  const VkEventCreateInfo event_info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
  const VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };

  CHECK (vkCreateSemaphore (device, &info, NULL, &timeline));
  CHECK (vkCreateEvent (device, &event_info, NULL, &event));
  CHECK (vkCreateFence (device, &fence_info, NULL, &last));
}

static void
signal_timeline (uint64_t value)
{
  const VkSemaphoreSignalInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                       .semaphore = timeline,
                                       .value = value };

  CHECK (vkSignalSemaphore (device, &info));
}

/* Submits @commands (or nothing) behind @value of the timeline (0: at once). */
static void
submit (VkCommandBuffer commands,
        uint64_t        value,
        VkFence         fence)
{
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkTimelineSemaphoreSubmitInfo values = {
    .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
    .waitSemaphoreValueCount = value != 0,
    .pWaitSemaphoreValues = &value,
  };
  const VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .pNext = &values,
    .waitSemaphoreCount = value != 0,
    .pWaitSemaphores = &timeline,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = commands != VK_NULL_HANDLE,
    .pCommandBuffers = &commands,
  };

  CHECK (vkQueueSubmit (queue, 1, &info, fence));
}

static VkCommandBuffer
record_wait (void)
{
  const VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = pool,
    .commandBufferCount = 1,
  };
  const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
  VkCommandBuffer commands;

  CHECK (vkAllocateCommandBuffers (device, &info, &commands));
  CHECK (vkBeginCommandBuffer (commands, &begin));
  vkCmdWaitEvents (commands, 1, &event, VK_PIPELINE_STAGE_HOST_BIT,
                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, NULL, 0, NULL, 0, NULL);
  vkCmdResetEvent (commands, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  CHECK (vkEndCommandBuffer (commands));
  return commands;
}

static VkCommandBuffer
allocate (VkCommandBufferLevel level)
{
  const VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = pool,
    .level = level,
    .commandBufferCount = 1,
  };
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
  };
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
    .pInheritanceInfo = level == VK_COMMAND_BUFFER_LEVEL_SECONDARY ? &inheritance : NULL,
  };
  VkCommandBuffer commands;

  CHECK (vkAllocateCommandBuffers (device, &info, &commands));
  CHECK (vkBeginCommandBuffer (commands, &begin));
  return commands;
}

/* Returns: the one of all that may be submitted. */
static VkCommandBuffer
record_blocks (void)
{
  const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 4 };
  const VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkCommandBuffer good = allocate (VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  VkCommandBuffer bad = allocate (VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  VkCommandBuffer secondary = allocate (VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  VkCommandBuffer parent = allocate (VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  const uint32_t constant = 1;
  VkPipelineLayout layout;

  CHECK (vkCreatePipelineLayout (device, &info, NULL, &layout));
  vkCmdPushConstants (good, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &constant);
  CHECK (vkEndCommandBuffer (good));
  vkDestroyPipelineLayout (device, layout, NULL);
  vkCmdSetEvent (bad, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  CHECK (vkEndCommandBuffer (bad));
  vkDestroyEvent (device, event, NULL);
  CHECK (vkEndCommandBuffer (secondary));
  vkCmdExecuteCommands (parent, 1, &secondary);
  CHECK (vkEndCommandBuffer (parent));
  CHECK (vkResetCommandBuffer (secondary, 0));
  return good;
}

/* Signals what was submitted, some time later. */
static void *
signal_later (void *how)
{
  const struct timespec nap = { 0, 2000000 };

  for (uint64_t done = 0; done < N_FRAMES;)
    {
      nanosleep (&nap, NULL);
      if (atomic_load (&submitted) == done)
        continue;
      done++;
      if (strcmp (how, "event") == 0)
        CHECK (vkSetEvent (device, event));
      else
        signal_timeline (done);
    }
  return NULL;
}

static void *
wait_for_last (void *data)
{
  CHECK (vkWaitForFences (device, 1, &last, VK_TRUE, UINT64_MAX));
  return NULL;
}

/* A buffer with memory that is freed before it, a module and layouts that a pipeline outlives. */
static void
make_objects (void)
{
  const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .size = 4096,
                                    .usage = VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT };
  const VkMemoryAllocateInfo memory_info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                             .allocationSize = 65536 };
  const VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO
  };
  VkPipelineLayoutCreateInfo layout_info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 1 };
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkDeviceMemory memory;
  VkBuffer buffer;

  CHECK (vkCreateBuffer (device, &info, NULL, &buffer));
  CHECK (vkAllocateMemory (device, &memory_info, NULL, &memory));
  CHECK (vkBindBufferMemory (device, buffer, memory, 0));
  vkFreeMemory (device, memory, NULL);
  CHECK (vkCreateDescriptorSetLayout (device, &set_info, NULL, &set_layout));
  layout_info.pSetLayouts = &set_layout;
  CHECK (vkCreatePipelineLayout (device, &layout_info, NULL, &layout));
  vkDestroyDescriptorSetLayout (device, set_layout, NULL);
  /* The rest is left to the end of the program. */
}

int
main (int    argc,
      char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  int semaphore = strcmp (how, "semaphore") == 0, busy = strcmp (how, "busy") == 0;
  int is_event = strcmp (how, "event") == 0, fence = strcmp (how, "fence") == 0;
  int has_thread = semaphore || is_event || fence;
  VkCommandBuffer block = VK_NULL_HANDLE;
  pthread_t thread;

  make_device ();
  make_signals ();
  if (strcmp (how, "blocks") == 0)
    block = record_blocks ();
  if (has_thread && pthread_create (&thread, NULL, fence ? wait_for_last : signal_later,
                                    argv[1]) != 0)
    return 1;
  for (uint64_t i = 1; i <= N_FRAMES; i++)
    {
      VkCommandBuffer commands = is_event ? record_wait () : block;

      if (!busy && i > 1 && !fence)
        CHECK (vkQueueWaitIdle (queue));
      if (strcmp (how, "objects") == 0)
        make_objects ();
      atomic_store (&submitted, i);
      submit (commands, semaphore || busy ? i : 0, i == N_FRAMES ? last : VK_NULL_HANDLE);
      if (busy && i > 1)
        signal_timeline (i - 1);
    }
  if (busy)
    signal_timeline (N_FRAMES);
  if (has_thread)
    pthread_join (thread, NULL);
  CHECK (vkDeviceWaitIdle (device));
  return 0;
}
