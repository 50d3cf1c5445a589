/* A program with several instances and devices, each used by its own thread, some destroyed in the
 * middle of a recording. Exits with 0 if every call succeeded. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#define N_DEVICES 3
#define N_ROUNDS 20

#define CHECK(call) \
  do \
    if ((call) != VK_SUCCESS) \
      { \
        fprintf (stderr, "%s failed\n", #call); \
        exit (1); \
      } \
  while (0)

static VkDevice
create_device (VkPhysicalDevice physical)
{
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .queueCount = 1,
                                          .pQueuePriorities = &priority };
  const VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &queue };
  VkDevice device;

  CHECK (vkCreateDevice (physical, &info, NULL, &device));
  return device;
}

static void
record (VkCommandBuffer commands,
        VkEvent         event,
        int             finish)
{
  const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };

  CHECK (vkBeginCommandBuffer (commands, &begin));
  for (int i = 0; i < 400; i++)
    vkCmdSetEvent (commands, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  if (finish)
    CHECK (vkEndCommandBuffer (commands));
}

/* Finished, begun again, reset by hand, reset with the pool, freed, destroyed with the pool. */
static void
use_command_buffers (VkDevice device)
{
  const VkEventCreateInfo event_info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
  const VkCommandPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                              .flags =
                                                VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT };
  VkCommandBufferAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                       .commandBufferCount = 4 };
  VkCommandBuffer commands[4];
  VkEvent event;

  CHECK (vkCreateEvent (device, &event_info, NULL, &event));
  CHECK (vkCreateCommandPool (device, &pool_info, NULL, &info.commandPool));
  CHECK (vkAllocateCommandBuffers (device, &info, commands));
  record (commands[0], event, 1);
  record (commands[0], event, 0);
  record (commands[0], event, 1);
  record (commands[1], event, 0);
  CHECK (vkResetCommandBuffer (commands[1], 0));
  record (commands[2], event, 0);
  CHECK (vkResetCommandPool (device, info.commandPool, 0));
  record (commands[3], event, 0);
  vkFreeCommandBuffers (device, info.commandPool, 1, &commands[3]);
  record (commands[1], event, 0);
  vkDestroyCommandPool (device, info.commandPool, NULL);
  vkDestroyEvent (device, event, NULL);
}

static void
use_memory (VkDevice device)
{
  const VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .allocationSize = 100000 };
  VkEventCreateInfo event_info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
  VkDeviceMemory memory;
  VkEvent event;
  void *mapped;

  CHECK (vkCreateEvent (device, &event_info, NULL, &event));
  CHECK (vkAllocateMemory (device, &info, NULL, &memory));
  CHECK (vkMapMemory (device, memory, 5000, VK_WHOLE_SIZE, 0, &mapped));
  memset (mapped, 1, 95000);
  CHECK (vkSetEvent (device, event));
  vkFreeMemory (device, memory, NULL);
  CHECK (vkSetEvent (device, event));
  vkDestroyEvent (device, event, NULL);
}

static void *
work (void *data)
{
  VkPhysicalDevice physical = data;

  for (int i = 0; i < N_ROUNDS; i++)
    {
      VkDevice device = create_device (physical);

      use_command_buffers (device);
      use_memory (device);
      vkDestroyDevice (device, NULL);
    }
  return NULL;
}

int
main (void)
{
  const VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
  VkInstance instances[N_DEVICES];
  pthread_t threads[N_DEVICES];

  vkDestroyInstance (VK_NULL_HANDLE, NULL);
  for (int i = 0; i < N_DEVICES; i++)
    {
      VkPhysicalDevice physical;
      uint32_t n = 1;

      CHECK (vkCreateInstance (&info, NULL, &instances[i]));
      if (vkEnumeratePhysicalDevices (instances[i], &n, &physical) < 0 || n == 0)
        return 1;
      if (pthread_create (&threads[i], NULL, work, physical) != 0)
        return 1;
    }
  for (int i = 0; i < N_DEVICES; i++)
    {
      pthread_join (threads[i], NULL);
      vkDestroyInstance (instances[i], NULL);
    }
  return 0;
}
