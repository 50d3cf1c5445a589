/* vtr-app-rings: queues that wait on each other, each with a thread that submits ahead of all
 * others.
 *
 * For drivers of several queues: with one, what is waited for would come behind what waits. */
#include "vtr-app.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_QUEUES 4u
#define N_AHEAD 3u
#define N_BINARY 4u

typedef struct
{
  uint32_t number;
  uint32_t family;
  VkQueue queue;
  VkCommandPool pools[N_AHEAD];
  VkCommandBuffer commands[N_AHEAD];
  VkFence fences[N_AHEAD];
  VkSemaphore timeline;
  VkSemaphore own;                      /* binary: from each submission to the next */
  VkSemaphore handed[N_BINARY];         /* binary: to the next queue */
  _Atomic uint64_t handed_by[N_BINARY]; /* the number of the submission */
  _Atomic uint64_t n_handed;            /* submitted, by this thread */
  _Atomic uint64_t n_taken;             /* by the next one's */
  _Atomic uint64_t n_free;              /* whose wait has ended */
  uint64_t taken[N_AHEAD];              /* of the one before, up to that submission */
  VtrAppBuffer buffer;
  pthread_t thread;
} Ring;

static uint32_t n_queues = 2, n_rounds = 200;
static const char *until_file;
static VtrAppGpu gpu;
static Ring rings[MAX_QUEUES];
static _Atomic uint64_t last; /* number that all end with; 0: not yet */

static VkSemaphore
create_semaphore (bool timeline)
{
  const VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY,
  };
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                       .pNext = &type };
  VkSemaphore semaphore;

  vtr_app_check (vkCreateSemaphore (gpu.device, &info, NULL, &semaphore), "vkCreateSemaphore");
  return semaphore;
}

static void
ring_init (Ring     *self,
           uint32_t  number)
{
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                    .flags = VK_FENCE_CREATE_SIGNALED_BIT };
  const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = self->family };
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandBufferCount = 1,
  };

  self->number = number;
  for (uint32_t i = 0; i < N_AHEAD; i++)
    {
      vtr_app_check (vkCreateFence (gpu.device, &fence, NULL, &self->fences[i]), "vkCreateFence");
      vtr_app_check (vkCreateCommandPool (gpu.device, &pool, NULL, &self->pools[i]),
                     "vkCreateCommandPool");
      info.commandPool = self->pools[i];
      vtr_app_check (vkAllocateCommandBuffers (gpu.device, &info, &self->commands[i]),
                     "vkAllocateCommandBuffers");
    }
  for (uint32_t i = 0; i < N_BINARY; i++)
    self->handed[i] = create_semaphore (false);
  self->own = create_semaphore (false);
  self->timeline = create_semaphore (true);
  self->buffer = vtr_app_buffer (&gpu, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                 VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
}

static void
ring_finish (Ring *self)
{
  for (uint32_t i = 0; i < N_AHEAD; i++)
    {
      vkDestroyFence (gpu.device, self->fences[i], NULL);
      vkDestroyCommandPool (gpu.device, self->pools[i], NULL);
    }
  for (uint32_t i = 0; i < N_BINARY; i++)
    vkDestroySemaphore (gpu.device, self->handed[i], NULL);
  vkDestroySemaphore (gpu.device, self->own, NULL);
  vkDestroySemaphore (gpu.device, self->timeline, NULL);
  vtr_app_buffer_finish (&gpu, &self->buffer);
}

static void
record (Ring     *self,
        uint64_t  n)
{
  const uint32_t slot = n % N_AHEAD;

  vtr_app_check (vkResetCommandPool (gpu.device, self->pools[slot], 0), "vkResetCommandPool");
  vtr_app_begin (self->commands[slot]);
  vkCmdFillBuffer (self->commands[slot], self->buffer.buffer, n % 64 * 64, 64, (uint32_t)n);
  vtr_app_check (vkEndCommandBuffer (self->commands[slot]), "vkEndCommandBuffer");
}

static void
submit (Ring     *self,
        uint64_t  n)
{
  Ring *next = &rings[(self->number + 1) % n_queues];
  Ring *before = &rings[(self->number + n_queues - 1) % n_queues];
  const VkPipelineStageFlags stages[3] = { VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                           VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                           VK_PIPELINE_STAGE_ALL_COMMANDS_BIT };
  uint64_t taken = atomic_load (&before->n_taken), handed = atomic_load (&self->n_handed);
  /* None that waits for this one. */
  bool takes = atomic_load (&before->n_handed) > taken &&
               atomic_load (&before->handed_by[taken % N_BINARY]) <= n;
  bool hands = handed < atomic_load (&self->n_free) + N_BINARY;
  VkSemaphore waits[3] = { next->timeline }, signals[3] = { self->timeline, self->own };
  const uint64_t wait_values[3] = { n - 1 }, signal_values[3] = { n };
  uint32_t n_waits = 1, n_signals = 2;
  const VkTimelineSemaphoreSubmitInfo values = {
    .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
    .waitSemaphoreValueCount = 3,
    .pWaitSemaphoreValues = wait_values,
    .signalSemaphoreValueCount = 3,
    .pSignalSemaphoreValues = signal_values,
  };
  VkTimelineSemaphoreSubmitInfo counted = values;
  VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .pNext = &counted,
    .pWaitSemaphores = waits,
    .pWaitDstStageMask = stages,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands[n % N_AHEAD],
    .pSignalSemaphores = signals,
  };

  if (n > 1)
    waits[n_waits++] = self->own;
  if (takes)
    waits[n_waits++] = before->handed[taken % N_BINARY];
  if (hands)
    signals[n_signals++] = self->handed[handed % N_BINARY];
  counted.waitSemaphoreValueCount = info.waitSemaphoreCount = n_waits;
  counted.signalSemaphoreValueCount = info.signalSemaphoreCount = n_signals;
  vtr_app_check (vkQueueSubmit (self->queue, 1, &info, self->fences[n % N_AHEAD]), "vkQueueSubmit");
  if (takes)
    atomic_fetch_add (&before->n_taken, 1);
  self->taken[n % N_AHEAD] = atomic_load (&before->n_taken);
  if (hands)
    {
      atomic_store (&self->handed_by[handed % N_BINARY], n);
      atomic_fetch_add (&self->n_handed, 1);
    }
}

static void *
work (void *data)
{
  Ring *self = data;

  for (uint64_t n = 1;; n++)
    {
      VkFence *fence = &self->fences[n % N_AHEAD];

      uint64_t end = atomic_load (&last);

      /* Somebody waits for each but the last. */
      if (end != 0 && n > end)
        return NULL;
      vtr_app_check (vkWaitForFences (gpu.device, 1, fence, VK_TRUE, UINT64_MAX),
                     "vkWaitForFences");
      vtr_app_check (vkResetFences (gpu.device, 1, fence), "vkResetFences");
      atomic_store (&rings[(self->number + n_queues - 1) % n_queues].n_free,
                    self->taken[n % N_AHEAD]);
      record (self, n);
      submit (self, n);
      /* Others are ahead, but not so far. */
      if (self->number == 0 && end == 0 && access (until_file, F_OK) == 0)
        atomic_store (&last, n + MAX_QUEUES * (N_AHEAD + 1));
    }
}

static void
choose_queues (void)
{
  VkQueueFamilyProperties families[16];
  uint32_t n = 16, n_found = 0;

  vkGetPhysicalDeviceQueueFamilyProperties (gpu.physical, &n, families);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < families[i].queueCount && n_found < n_queues; j++)
      {
        rings[n_found].family = i;
        vkGetDeviceQueue (gpu.device, i, j, &rings[n_found++].queue);
      }
  if (n_found < n_queues)
    vtr_app_fail ("the device has %u queues", n_found);
}

int
main (int    argc,
      char **argv)
{
  const VtrAppOption options[] = {
    { "--queues", &n_queues, NULL, NULL, "so many of them (2)" },
    { "--rounds", &n_rounds, NULL, NULL, "submissions to each (200)" },
    { "--until", NULL, &until_file, NULL, "go on until this file is there" },
    { 0 },
  };
  const VkPhysicalDeviceVulkan12Features timeline = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    .timelineSemaphore = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = (void *)&timeline,
  };

  vtr_app_options (argc, argv, options);
  if (n_queues < 2 || n_queues > MAX_QUEUES)
    vtr_app_fail ("2 to %u queues", MAX_QUEUES);
  if (until_file == NULL)
    atomic_store (&last, n_rounds);
  gpu.all_queues = true;
  vtr_app_gpu_init (&gpu, &features, false);
  choose_queues ();
  for (uint32_t i = 0; i < n_queues; i++)
    ring_init (&rings[i], i);
  for (uint32_t i = 0; i < n_queues; i++)
    if (pthread_create (&rings[i].thread, NULL, work, &rings[i]) != 0)
      vtr_app_fail ("there is no thread");
  for (uint32_t i = 0; i < n_queues; i++)
    pthread_join (rings[i].thread, NULL);
  vtr_app_check (vkDeviceWaitIdle (gpu.device), "vkDeviceWaitIdle");
  for (uint32_t i = 0; i < n_queues; i++)
    ring_finish (&rings[i]);
  vtr_app_gpu_finish (&gpu);
  printf ("{\"rounds\": %llu}\n", (unsigned long long)atomic_load (&last));
  return 0;
}
