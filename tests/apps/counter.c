/* vtr-app-counter: makes calls of many kinds until it is killed, and counts those that returned. */
#include "vtr-app.h"
#include "vtr-app-counters.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FUNCTIONS(X) \
  X (vkAllocateCommandBuffers) \
  X (vkAllocateDescriptorSets) \
  X (vkAllocateMemory) \
  X (vkBeginCommandBuffer) \
  X (vkBindBufferMemory) \
  X (vkCmdCopyBuffer) \
  X (vkCmdExecuteCommands) \
  X (vkCmdFillBuffer) \
  X (vkCmdPipelineBarrier) \
  X (vkCmdSetStencilReference) \
  X (vkCmdUpdateBuffer) \
  X (vkCreateBuffer) \
  X (vkCreateCommandPool) \
  X (vkCreateDescriptorPool) \
  X (vkCreateDescriptorSetLayout) \
  X (vkCreateEvent) \
  X (vkCreateFence) \
  X (vkCreateImage) \
  X (vkCreateSemaphore) \
  X (vkDestroyBuffer) \
  X (vkDestroyCommandPool) \
  X (vkDestroyDescriptorPool) \
  X (vkDestroyDescriptorSetLayout) \
  X (vkDestroyEvent) \
  X (vkDestroyFence) \
  X (vkDestroyImage) \
  X (vkDestroySemaphore) \
  X (vkEndCommandBuffer) \
  X (vkFlushMappedMemoryRanges) \
  X (vkFreeCommandBuffers) \
  X (vkFreeMemory) \
  X (vkGetBufferMemoryRequirements) \
  X (vkGetEventStatus) \
  X (vkGetFenceStatus) \
  X (vkGetImageMemoryRequirements) \
  X (vkGetSemaphoreCounterValue) \
  X (vkMapMemory) \
  X (vkQueueSubmit) \
  X (vkResetCommandBuffer) \
  X (vkResetCommandPool) \
  X (vkResetFences) \
  X (vkSetEvent) \
  X (vkSignalSemaphore) \
  X (vkUnmapMemory) \
  X (vkUpdateDescriptorSets) \
  X (vkWaitForFences)

enum
{
#define X(name) COUNT_##name,
  FUNCTIONS (X)
#undef X
    N_FUNCTIONS,
};

static const char names[N_FUNCTIONS][VTR_APP_NAME] = {
#define X(name) #name,
  FUNCTIONS (X)
#undef X
};

/* A call that gives a result and one that does not; both count once it has returned. */
#define TRY(worker, name, ...) \
  do \
    { \
      VkResult try_result = name (__VA_ARGS__); \
      count (worker, COUNT_##name); \
      vtr_app_check (try_result, #name); \
    } \
  while (0)
#define CALL(worker, name, ...) \
  do \
    { \
      name (__VA_ARGS__); \
      count (worker, COUNT_##name); \
    } \
  while (0)

#define SIZE 65536u
#define MAX_THREADS 32u

typedef struct
{
  VtrAppGpu *gpu;
  pthread_mutex_t *queue_lock;
  pthread_t thread;
  uint32_t index;
  uint32_t n_rounds; /* 0: without end */
  uint32_t pause;    /* µs after each */
  uint64_t random;
  VtrAppCountersThread *counters;
  _Atomic uint64_t *counts;
  VkCommandPool pool;
  VtrAppBuffer buffer; /* made by counted calls, unlike vtr_app_buffer () */
} Worker;

static void
count (Worker *worker,
       int     function)
{
  uint64_t value = atomic_load_explicit (&worker->counts[function], memory_order_relaxed);

  atomic_store_explicit (&worker->counts[function], value + 1, memory_order_release);
}

static void
set_reference (Worker          *worker,
               VkCommandBuffer  commands)
{
  uint64_t serial = atomic_load_explicit (&worker->counters->serial, memory_order_relaxed);

  CALL (worker, vkCmdSetStencilReference, commands, VK_STENCIL_FACE_FRONT_AND_BACK,
        worker->index << 24 | (uint32_t)serial);
  atomic_store_explicit (&worker->counters->serial, serial + 1, memory_order_release);
}

static void
make_buffer (Worker       *worker,
             VtrAppBuffer *buffer)
{
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = SIZE,
    .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
             VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  };
  VkMemoryAllocateInfo allocate_info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  const VkMemoryPropertyFlags host =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties *memory = &worker->gpu->memory;
  VkDevice device = worker->gpu->device;
  VkMemoryRequirements requirements;

  TRY (worker, vkCreateBuffer, device, &info, NULL, &buffer->buffer);
  CALL (worker, vkGetBufferMemoryRequirements, device, buffer->buffer, &requirements);
  while ((requirements.memoryTypeBits & (1u << allocate_info.memoryTypeIndex)) == 0 ||
         (memory->memoryTypes[allocate_info.memoryTypeIndex].propertyFlags & host) != host)
    allocate_info.memoryTypeIndex++;
  allocate_info.allocationSize = requirements.size;
  TRY (worker, vkAllocateMemory, device, &allocate_info, NULL, &buffer->memory);
  TRY (worker, vkBindBufferMemory, device, buffer->buffer, buffer->memory, 0);
  TRY (worker, vkMapMemory, device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped);
  memset (buffer->mapped, 0, SIZE);
}

static void
unmake_buffer (Worker       *worker,
               VtrAppBuffer *buffer)
{
  VkDevice device = worker->gpu->device;

  if (vtr_app_random (&worker->random) % 2 == 0)
    CALL (worker, vkUnmapMemory, device, buffer->memory);
  CALL (worker, vkDestroyBuffer, device, buffer->buffer, NULL);
  CALL (worker, vkFreeMemory, device, buffer->memory, NULL);
}

static void
make_image (Worker *worker)
{
  VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = VK_FORMAT_R8G8B8A8_UNORM,
    .extent = { 16 + vtr_app_random (&worker->random) % 16, 16, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .tiling = VK_IMAGE_TILING_OPTIMAL,
    .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
  };
  VkDevice device = worker->gpu->device;
  VkMemoryRequirements requirements;
  VkImage image;

  TRY (worker, vkCreateImage, device, &info, NULL, &image);
  CALL (worker, vkGetImageMemoryRequirements, device, image, &requirements);
  CALL (worker, vkDestroyImage, device, image, NULL);
}

static void
make_descriptors (Worker *worker)
{
  VkDescriptorSetLayoutBinding binding = {
    0,
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    1,
    VK_SHADER_STAGE_ALL,
    NULL,
  };
  VkDescriptorSetLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 1,
    .pBindings = &binding,
  };
  VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1 };
  VkDescriptorPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = 1,
    .poolSizeCount = 1,
    .pPoolSizes = &size,
  };
  VkDescriptorSetAllocateInfo allocate_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 1,
  };
  VkDescriptorBufferInfo buffer_info = { worker->buffer.buffer, 0, 256 };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    .pBufferInfo = &buffer_info,
  };
  VkDevice device = worker->gpu->device;
  VkDescriptorSetLayout layout;

  TRY (worker, vkCreateDescriptorSetLayout, device, &layout_info, NULL, &layout);
  TRY (worker, vkCreateDescriptorPool, device, &pool_info, NULL, &allocate_info.descriptorPool);
  allocate_info.pSetLayouts = &layout;
  TRY (worker, vkAllocateDescriptorSets, device, &allocate_info, &write.dstSet);
  CALL (worker, vkUpdateDescriptorSets, device, 1, &write, 0, NULL);
  CALL (worker, vkDestroyDescriptorPool, device, allocate_info.descriptorPool, NULL);
  CALL (worker, vkDestroyDescriptorSetLayout, device, layout, NULL);
}

static void
make_sync (Worker *worker)
{
  VkEventCreateInfo event_info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
  VkSemaphoreTypeCreateInfo type_info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
  };
  VkSemaphoreCreateInfo semaphore_info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
    .pNext = &type_info,
  };
  VkSemaphoreSignalInfo signal_info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
    .value = 5,
  };
  VkDevice device = worker->gpu->device;
  uint64_t value;
  VkEvent event;

  TRY (worker, vkCreateEvent, device, &event_info, NULL, &event);
  TRY (worker, vkSetEvent, device, event);
  vkGetEventStatus (device, event);
  count (worker, COUNT_vkGetEventStatus);
  CALL (worker, vkDestroyEvent, device, event, NULL);

  TRY (worker, vkCreateSemaphore, device, &semaphore_info, NULL, &signal_info.semaphore);
  TRY (worker, vkSignalSemaphore, device, &signal_info);
  TRY (worker, vkGetSemaphoreCounterValue, device, signal_info.semaphore, &value);
  CALL (worker, vkDestroySemaphore, device, signal_info.semaphore, NULL);
}

static void
write_mapped (Worker *worker)
{
  VkMappedMemoryRange range = {
    .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
    .memory = worker->buffer.memory,
    .size = VK_WHOLE_SIZE,
  };
  uint32_t *words = worker->buffer.mapped;

  for (uint32_t i = 0; i < 32; i++)
    words[vtr_app_random (&worker->random) % (SIZE / 8)] = vtr_app_random (&worker->random);
  TRY (worker, vkFlushMappedMemoryRanges, worker->gpu->device, 1, &range);
}

/* Records calls into the first half of the buffer and leaves @commands open. */
static void
record (Worker          *worker,
        VkCommandBuffer  commands,
        bool             secondary)
{
  VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
  };
  VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .pInheritanceInfo = secondary ? &inheritance : NULL,
  };
  VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT,
  };
  uint32_t n_calls = 1 + vtr_app_random (&worker->random) % 40;

  TRY (worker, vkBeginCommandBuffer, commands, &info);
  for (uint32_t i = 0; i < n_calls; i++)
    {
      uint32_t words[4] = { i, worker->index, n_calls, vtr_app_random (&worker->random) };
      VkDeviceSize offset = SIZE / 2 + 64 * (vtr_app_random (&worker->random) % 256);
      VkBufferCopy copy = { 64 * (vtr_app_random (&worker->random) % 256), offset, 64 };

      set_reference (worker, commands);
      switch (vtr_app_random (&worker->random) % 4)
        {
        case 0:
          CALL (worker, vkCmdFillBuffer, commands, worker->buffer.buffer, offset, 64, i);
          break;
        case 1:
          CALL (worker, vkCmdUpdateBuffer, commands, worker->buffer.buffer, offset, sizeof words,
                words);
          break;
        case 2:
          CALL (worker, vkCmdCopyBuffer, commands, worker->buffer.buffer, worker->buffer.buffer, 1,
                &copy);
          break;
        default:
          break;
        }
      CALL (worker, vkCmdPipelineBarrier, commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    }
}

static void
submit (Worker          *worker,
        VkCommandBuffer  commands)
{
  VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &commands,
  };
  VkDevice device = worker->gpu->device;
  VkFence fence;

  TRY (worker, vkCreateFence, device, &fence_info, NULL, &fence);
  pthread_mutex_lock (worker->queue_lock);
  TRY (worker, vkQueueSubmit, worker->gpu->queue, 1, &info, fence);
  pthread_mutex_unlock (worker->queue_lock);
  TRY (worker, vkWaitForFences, device, 1, &fence, VK_TRUE, UINT64_MAX);
  TRY (worker, vkGetFenceStatus, device, fence);
  TRY (worker, vkResetFences, device, 1, &fence);
  CALL (worker, vkDestroyFence, device, fence, NULL);
}

static void
run_commands (Worker *worker)
{
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = worker->pool,
    .commandBufferCount = 1,
  };
  VkDevice device = worker->gpu->device;
  VkCommandBuffer primary, secondary;

  TRY (worker, vkAllocateCommandBuffers, device, &info, &primary);
  info.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
  TRY (worker, vkAllocateCommandBuffers, device, &info, &secondary);

  record (worker, primary, false);
  switch (vtr_app_random (&worker->random) % 8)
    {
    case 0: /* abandoned by a reset */
      TRY (worker, vkResetCommandBuffer, primary, 0);
      break;
    case 1: /* abandoned by being freed */
      break;
    case 2: /* abandoned with its pool */
      TRY (worker, vkResetCommandPool, device, worker->pool, 0);
      break;
    case 3:
      record (worker, secondary, true);
      TRY (worker, vkEndCommandBuffer, secondary);
      CALL (worker, vkCmdExecuteCommands, primary, 1, &secondary);
      TRY (worker, vkEndCommandBuffer, primary);
      submit (worker, primary);
      break;
    default:
      TRY (worker, vkEndCommandBuffer, primary);
      submit (worker, primary);
      break;
    }
  CALL (worker, vkFreeCommandBuffers, device, worker->pool, 1, &primary);
  CALL (worker, vkFreeCommandBuffers, device, worker->pool, 1, &secondary);
}

static void *
worker_main (void *data)
{
  Worker *worker = data;
  VkCommandPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    .queueFamilyIndex = worker->gpu->family,
  };

  worker->counters->tid = (uint64_t)syscall (SYS_gettid);
  for (uint32_t round = 0; worker->n_rounds == 0 || round < worker->n_rounds; round++)
    {
      if (round % 16 == 0)
        {
          TRY (worker, vkCreateCommandPool, worker->gpu->device, &pool_info, NULL, &worker->pool);
          make_buffer (worker, &worker->buffer);
        }

      write_mapped (worker);
      run_commands (worker);
      make_image (worker);
      make_descriptors (worker);
      make_sync (worker);

      if (round % 16 == 15 || round + 1 == worker->n_rounds)
        {
          CALL (worker, vkDestroyCommandPool, worker->gpu->device, worker->pool, NULL);
          unmake_buffer (worker, &worker->buffer);
        }
      if (worker->pause > 0)
        usleep (worker->pause);
    }

  return NULL;
}

static void *
map_counters (const char *path,
              uint32_t    n_threads)
{
  size_t part = sizeof (VtrAppCountersThread) + N_FUNCTIONS * sizeof (uint64_t);
  size_t size = sizeof (VtrAppCountersHeader) + sizeof names + n_threads * part;
  VtrAppCountersHeader *header;
  int fd;

  fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0 || ftruncate (fd, (off_t)size) != 0)
    vtr_app_fail ("%s could not be made: %s", path, strerror (errno));

  header = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (header == MAP_FAILED)
    vtr_app_fail ("%s could not be mapped: %s", path, strerror (errno));

  close (fd);
  memcpy (header->magic, VTR_APP_COUNTERS_MAGIC, 8);
  header->version = 1;
  header->n_threads = n_threads;
  header->n_functions = N_FUNCTIONS;
  header->pid = (uint64_t)getpid ();
  memcpy (header + 1, names, sizeof names);

  return header;
}

int
main (int    argc,
      char **argv)
{
  static Worker workers[MAX_THREADS];
  static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
  const char *path = NULL;
  uint32_t n_threads = 2;
  uint32_t n_rounds = 0;
  uint32_t pause_us = 0;
  VtrAppCountersHeader *header;
  VkPhysicalDeviceVulkan12Features features12 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    .timelineSemaphore = VK_TRUE,
  };
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features12,
  };
  VtrAppGpu gpu = { 0 };
  const VtrAppOption options[] = {
    { "--counters", NULL, &path, NULL, "file to count in (vtr-app-counters.h)" },
    { "--threads", &n_threads, NULL, NULL, "threads (2)" },
    { "--rounds", &n_rounds, NULL, NULL, "rounds a thread (0: until killed)" },
    { "--pause", &pause_us, NULL, NULL, "microseconds after each round (0)" },
    { 0 },
  };

  vtr_app_options (argc, argv, options);
  if (path == NULL || n_threads == 0 || n_threads > MAX_THREADS)
    vtr_app_fail ("--counters must be given, and 1 to %u threads", MAX_THREADS);

  header = map_counters (path, n_threads);
  vtr_app_gpu_init (&gpu, &features, false);
  for (uint32_t i = 0; i < n_threads; i++)
    {
      char *part = (char *)(header + 1) + sizeof names +
                   i * (sizeof (VtrAppCountersThread) + N_FUNCTIONS * sizeof (uint64_t));

      workers[i].gpu = &gpu;
      workers[i].queue_lock = &queue_lock;
      workers[i].index = i;
      workers[i].n_rounds = n_rounds;
      workers[i].pause = pause_us;
      workers[i].random = i + 1;
      workers[i].counters = (VtrAppCountersThread *)(void *)part;
      workers[i].counts = (_Atomic uint64_t *)(void *)(part + sizeof (VtrAppCountersThread));
      if (pthread_create (&workers[i].thread, NULL, worker_main, &workers[i]) != 0)
        vtr_app_fail ("a thread could not be started");
    }
  header->ready = 1;
  for (uint32_t i = 0; i < n_threads; i++)
    pthread_join (workers[i].thread, NULL);
  vtr_app_gpu_finish (&gpu);

  return 0;
}
