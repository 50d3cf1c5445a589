/* vtr-app-cut: threads that make it hard to begin a recording between two submissions, each in its
 * own way:
 *
 *   plain      one thread; what the other ways are compared with
 *   timeline   every submission waits for a value that another thread signals, which waits itself
 *   commands   the other thread updates and records what is submitted next, before it signals
 *   event      every submission waits for an event that another thread sets later
 *   waits      other threads wait as long as it takes: for a fence, a semaphore, a queue
 *   busy       something is always submitted that waits for what comes after the next submission,
 *              on two threads; until the file --calm is there
 *   record     four threads record, update and write; one keeps command buffers half recorded
 *   threads    every round has a thread of its own, others begin and end
 *   devices    three instances with a device and a thread each
 *   churn      another thread makes devices, uses and destroys them
 *   forks      another thread starts children, which end at once, or become other programs
 *
 * A round of a worker is one submission. It adds to what the round before left, so that the result
 * is only right if every one ran, once and in order. The program looks at its own, and exits with 1
 * if it is wrong. With --end another thread ends it in the middle.
 */
#include "vtr-app.h"

#include "cut.comp.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_SLOTS 1024u /* of a worker's rounds, used again and again */
#define N_WORDS 16u
#define SOURCE_STRIDE 256u
#define MAX_WORKERS 6u
#define LAG 3u /* submissions of others between the halves of a recording */

typedef struct
{
  VtrAppGpu gpu;
  pthread_mutex_t lock; /* of the queue */
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
} Device;

/* A worker's next submission waits for and signals values of its own timelines. */
typedef struct
{
  uint64_t wait;   /* of .allowed; 0: for nothing */
  uint64_t signal; /* of .done; likewise */
} Order;

typedef struct
{
  Device *device;
  uint32_t number;
  uint64_t n_rounds;   /* so far */
  VtrAppBuffer source; /* mapped */
  VtrAppBuffer result; /* not mapped: nobody could tell what the CPU writes there */
  VkCommandPool pool;
  VkDescriptorPool descriptors;
  VkDescriptorSet sets[2]; /* and what follows: of even and odd rounds */
  VkCommandBuffer commands[2];
  VkFence fences[2];
  VkSemaphore announced; /* timelines: about to be submitted, may run, has run */
  VkSemaphore allowed;
  VkSemaphore done;
  VkEvent event;
  bool waits_for_event;
  bool halves;
  uint32_t expected[N_SLOTS * N_WORDS];
  pthread_t thread;
} Worker;

static uint32_t n_rounds = 60;
static const char *calm_file, *until_file;
static Worker workers[MAX_WORKERS];
static uint32_t n_workers;
static _Atomic uint64_t n_submitted;
static _Atomic bool stopping, calm;
static VkFence last_fence; /* of ways_waits() */
static VkSemaphore last_value;

static void
check (VkResult    result,
       const char *call)
{
  vtr_app_check (result, call);
}

static void
start_thread (pthread_t *thread,
              void *(*function) (void *),
              void *data)
{
  if (pthread_create (thread, NULL, function, data) != 0)
    vtr_app_fail ("there is no thread");
}

/* Of the program's own conditions. */
static void
nap (void)
{
  const struct timespec time = { 0, 200000 };

  nanosleep (&time, NULL);
}

static bool
is_there (const char *file)
{
  return file != NULL && access (file, F_OK) == 0;
}

/* ---- Devices ---- */

static void
device_init (Device *self)
{
  const VkPhysicalDeviceVulkan12Features timeline = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    .timelineSemaphore = VK_TRUE,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = (void *)&timeline,
  };
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
  };
  const VkDescriptorSetLayoutCreateInfo set_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 2,
    .pBindings = bindings,
  };
  const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 2 * sizeof (uint32_t) };
  VkPipelineLayoutCreateInfo layout_info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &self->set_layout,
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .pName = "main" },
  };

  memset (self, 0, sizeof *self);
  pthread_mutex_init (&self->lock, NULL);
  vtr_app_gpu_init (&self->gpu, &features, false);
  check (vkCreateDescriptorSetLayout (self->gpu.device, &set_info, NULL, &self->set_layout),
         "vkCreateDescriptorSetLayout");
  check (vkCreatePipelineLayout (self->gpu.device, &layout_info, NULL, &self->layout),
         "vkCreatePipelineLayout");
  info.stage.module = vtr_app_shader (&self->gpu, cut_comp, sizeof cut_comp);
  info.layout = self->layout;
  check (vkCreateComputePipelines (self->gpu.device, VK_NULL_HANDLE, 1, &info, NULL,
                                   &self->pipeline),
         "vkCreateComputePipelines");
  vkDestroyShaderModule (self->gpu.device, info.stage.module, NULL);
}

static void
device_finish (Device *self)
{
  vkDestroyPipeline (self->gpu.device, self->pipeline, NULL);
  vkDestroyPipelineLayout (self->gpu.device, self->layout, NULL);
  vkDestroyDescriptorSetLayout (self->gpu.device, self->set_layout, NULL);
  vtr_app_gpu_finish (&self->gpu);
  pthread_mutex_destroy (&self->lock);
}

/* ---- Timelines ---- */

static VkSemaphore
create_timeline (const Device *device)
{
  const VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
  };
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                       .pNext = &type };
  VkSemaphore semaphore;

  check (vkCreateSemaphore (device->gpu.device, &info, NULL, &semaphore), "vkCreateSemaphore");
  return semaphore;
}

static void
signal_value (const Device *device,
              VkSemaphore   semaphore,
              uint64_t      value)
{
  const VkSemaphoreSignalInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                       .semaphore = semaphore,
                                       .value = value };

  check (vkSignalSemaphore (device->gpu.device, &info), "vkSignalSemaphore");
}

static void
wait_for_value (const Device *device,
                VkSemaphore   semaphore,
                uint64_t      value)
{
  const VkSemaphoreWaitInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                     .semaphoreCount = 1,
                                     .pSemaphores = &semaphore,
                                     .pValues = &value };

  check (vkWaitSemaphores (device->gpu.device, &info, UINT64_MAX), "vkWaitSemaphores");
}

/* ---- Workers ---- */

static void
create_sets (Worker *self)
{
  VkDevice device = self->device->gpu.device;
  const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 };
  const VkDescriptorPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = 2,
    .poolSizeCount = 1,
    .pPoolSizes = &size,
  };
  const VkDescriptorSetLayout layouts[] = { self->device->set_layout, self->device->set_layout };
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorSetCount = 2,
    .pSetLayouts = layouts,
  };

  check (vkCreateDescriptorPool (device, &pool_info, NULL, &self->descriptors),
         "vkCreateDescriptorPool");
  info.descriptorPool = self->descriptors;
  check (vkAllocateDescriptorSets (device, &info, self->sets), "vkAllocateDescriptorSets");
}

static void
create_commands (Worker *self)
{
  VkDevice device = self->device->gpu.device;
  const VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                         .flags = VK_FENCE_CREATE_SIGNALED_BIT };
  const VkEventCreateInfo event_info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
  const VkCommandPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    .queueFamilyIndex = self->device->gpu.family,
  };
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandBufferCount = 2,
  };

  check (vkCreateCommandPool (device, &pool_info, NULL, &self->pool), "vkCreateCommandPool");
  info.commandPool = self->pool;
  check (vkAllocateCommandBuffers (device, &info, self->commands), "vkAllocateCommandBuffers");
  for (int i = 0; i < 2; i++)
    check (vkCreateFence (device, &fence_info, NULL, &self->fences[i]), "vkCreateFence");
  check (vkCreateEvent (device, &event_info, NULL, &self->event), "vkCreateEvent");
}

static void
worker_init (Worker   *self,
             Device   *device,
             uint32_t  number)
{
  const VkMemoryPropertyFlags visible =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

  memset (self, 0, sizeof *self);
  self->device = device;
  self->number = number;
  self->source = vtr_app_buffer (&device->gpu, N_SLOTS * SOURCE_STRIDE,
                                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, visible);
  self->result = vtr_app_buffer (&device->gpu, sizeof self->expected,
                                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  create_sets (self);
  create_commands (self);
  self->announced = create_timeline (device);
  self->allowed = create_timeline (device);
  self->done = create_timeline (device);
}

/* What the CPU writes for a round; tests/e2e/test-cut.py has the same. */
static uint32_t
get_source (uint32_t number,
            uint64_t round,
            uint32_t i)
{
  return (uint32_t)round * 2654435761u + i * 40503u + number * 97u + 1;
}

static void
write_source (Worker *self)
{
  uint32_t slot = (uint32_t)(self->n_rounds % N_SLOTS), previous = (slot + N_SLOTS - 1) % N_SLOTS;
  uint32_t *source = self->source.mapped;

  for (uint32_t i = 0; i < N_WORDS; i++)
    {
      uint32_t value = get_source (self->number, self->n_rounds, i);

      source[slot * (SOURCE_STRIDE / sizeof *source) + i] = value;
      self->expected[slot * N_WORDS + i] = value + 3 * self->expected[previous * N_WORDS + i];
    }
}

static void
update_set (Worker *self)
{
  VkDescriptorSet set = self->sets[self->n_rounds % 2];
  const VkDescriptorBufferInfo buffers[] = {
    { self->source.buffer, self->n_rounds % N_SLOTS * SOURCE_STRIDE, N_WORDS * sizeof (uint32_t) },
    { self->result.buffer, 0, VK_WHOLE_SIZE },
  };
  const VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .dstSet = set,
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  };
  VkWriteDescriptorSet writes[] = { write, write };

  writes[0].pBufferInfo = &buffers[0];
  writes[1].dstBinding = 1;
  writes[1].pBufferInfo = &buffers[1];
  vkUpdateDescriptorSets (self->device->gpu.device, 2, writes, 0, NULL);
}

/* Between the halves of a recording. */
static void
let_others_submit (void)
{
  uint64_t end = atomic_load (&n_submitted) + LAG;

  while (atomic_load (&n_submitted) < end && !atomic_load (&stopping))
    nap ();
}

static void
record (Worker *self)
{
  VkCommandBuffer commands = self->commands[self->n_rounds % 2];
  uint32_t slot = (uint32_t)(self->n_rounds % N_SLOTS);
  const uint32_t push[] = { slot, (slot + N_SLOTS - 1) % N_SLOTS };

  vtr_app_begin (commands);
  if (self->waits_for_event)
    {
      vkCmdWaitEvents (commands, 1, &self->event, VK_PIPELINE_STAGE_HOST_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, NULL, 0, NULL, 0, NULL);
      vkCmdResetEvent (commands, self->event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    }
  if (self->n_rounds == 0)
    vkCmdFillBuffer (commands, self->result.buffer, 0, VK_WHOLE_SIZE, 0);
  vtr_app_barrier (commands);
  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->device->pipeline);
  vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->device->layout, 0, 1,
                           &self->sets[self->n_rounds % 2], 0, NULL);
  if (self->halves)
    let_others_submit ();
  vkCmdPushConstants (commands, self->device->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push,
                      push);
  vkCmdDispatch (commands, 1, 1, 1);
  vtr_app_barrier (commands);
  check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
}

/* Everything of a round but its submission. */
static void
prepare (Worker *self)
{
  VkFence *fence = &self->fences[self->n_rounds % 2];

  check (vkWaitForFences (self->device->gpu.device, 1, fence, VK_TRUE, UINT64_MAX),
         "vkWaitForFences");
  check (vkResetFences (self->device->gpu.device, 1, fence), "vkResetFences");
  write_source (self);
  update_set (self);
  record (self);
}

static void
submit (Worker *self,
        Order   order)
{
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkTimelineSemaphoreSubmitInfo values = {
    .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
    .waitSemaphoreValueCount = order.wait != 0,
    .pWaitSemaphoreValues = &order.wait,
    .signalSemaphoreValueCount = order.signal != 0,
    .pSignalSemaphoreValues = &order.signal,
  };
  const VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .pNext = &values,
    .waitSemaphoreCount = order.wait != 0,
    .pWaitSemaphores = &self->allowed,
    .pWaitDstStageMask = &stage,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands[self->n_rounds % 2],
    .signalSemaphoreCount = order.signal != 0,
    .pSignalSemaphores = &self->done,
  };

  pthread_mutex_lock (&self->device->lock);
  atomic_fetch_add (&n_submitted, 1);
  check (vkQueueSubmit (self->device->gpu.queue, 1, &info, self->fences[self->n_rounds % 2]),
         "vkQueueSubmit");
  pthread_mutex_unlock (&self->device->lock);
  self->n_rounds++;
}

/* Whether there is another round. Worker 0 looks for the files. */
static bool
goes_on (const Worker *self)
{
  if (self->number == 0)
    {
      if (is_there (calm_file))
        atomic_store (&calm, true);
      if (until_file != NULL ? is_there (until_file) : self->n_rounds >= n_rounds)
        atomic_store (&stopping, true);
    }
  return !atomic_load (&stopping);
}

static void *
work (void *data)
{
  Worker *self = data;

  while (goes_on (self))
    {
      prepare (self);
      submit (self, (Order){ 0 });
    }
  return NULL;
}

static bool
is_right (Worker *self)
{
  VtrAppGpu *gpu = &self->device->gpu;
  const VkBufferCopy all = { 0, 0, sizeof self->expected };
  VtrAppBuffer copy = vtr_app_buffer (gpu, all.size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  VkCommandBuffer commands = vtr_app_commands (gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  bool right;

  vtr_app_begin (commands);
  vkCmdCopyBuffer (commands, self->result.buffer, copy.buffer, 1, &all);
  vtr_app_barrier (commands);
  vtr_app_run (gpu, commands);
  right = memcmp (copy.mapped, self->expected, sizeof self->expected) == 0;
  vtr_app_buffer_finish (gpu, &copy);
  return right;
}

/* Returns: whether the result is what it has to be. */
static bool
worker_finish (Worker *self)
{
  VkDevice device = self->device->gpu.device;
  bool right;

  check (vkWaitForFences (device, 2, self->fences, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  right = self->n_rounds == 0 || is_right (self);
  printf ("{\"worker\": %u, \"rounds\": %" PRIu64 ", \"result\": \"0x%" PRIx64 "\"}\n",
          self->number, self->n_rounds, (uint64_t)(uintptr_t)self->result.buffer);
  vkDestroySemaphore (device, self->announced, NULL);
  vkDestroySemaphore (device, self->allowed, NULL);
  vkDestroySemaphore (device, self->done, NULL);
  vkDestroyEvent (device, self->event, NULL);
  for (int i = 0; i < 2; i++)
    vkDestroyFence (device, self->fences[i], NULL);
  vkDestroyCommandPool (device, self->pool, NULL);
  vkDestroyDescriptorPool (device, self->descriptors, NULL);
  vtr_app_buffer_finish (&self->device->gpu, &self->result);
  vtr_app_buffer_finish (&self->device->gpu, &self->source);
  return right;
}

static bool
workers_finish (void)
{
  bool right = true;

  for (uint32_t i = 0; i < n_workers; i++)
    if (!worker_finish (&workers[i]))
      {
        fprintf (stderr, "vtr-app-cut: the result of worker %u is wrong\n", i);
        right = false;
      }
  return right;
}

static void
add_workers (Device   *device,
             uint32_t  n)
{
  for (uint32_t i = 0; i < n; i++, n_workers++)
    worker_init (&workers[n_workers], device, n_workers);
}

/* ---- Ways: of one device ---- */

/* Lets the submissions of a worker run. */
static void *
allow (void *data)
{
  Worker *self = data;

  for (uint64_t value = 1;; value++)
    {
      wait_for_value (self->device, self->announced, value);
      if (atomic_load (&stopping))
        return NULL;
      if (self->waits_for_event)
        check (vkSetEvent (self->device->gpu.device, self->event), "vkSetEvent");
      signal_value (self->device, self->allowed, value);
    }
}

/* @recorded: by @other, of another worker; NULL: nothing is */
static void
work_with (Worker *self,
           void *(*other) (void *),
           Worker *recorded)
{
  pthread_t thread;

  start_thread (&thread, other, self);
  while (goes_on (self))
    {
      uint64_t value = self->n_rounds + 1;

      prepare (self);
      signal_value (self->device, self->announced, value);
      submit (self, (Order){ self->waits_for_event ? 0 : value, value });
      wait_for_value (self->device, self->done, value);
      if (recorded != NULL)
        submit (recorded, (Order){ 0 });
    }
  signal_value (self->device, self->announced, self->n_rounds + 1);
  pthread_join (thread, NULL);
}

static void
way_timeline (Device *device)
{
  work_with (&workers[0], allow, NULL);
}

static void
way_event (Device *device)
{
  workers[0].waits_for_event = true;
  work_with (&workers[0], allow, NULL);
}

/* The same, and records something before each signal. */
static void *
record_and_allow (void *data)
{
  Worker *self = data;
  Worker *other = &workers[1];

  for (uint64_t value = 1;; value++)
    {
      wait_for_value (self->device, self->announced, value);
      if (atomic_load (&stopping))
        return NULL;
      prepare (other);
      signal_value (self->device, self->allowed, value);
    }
}

static void
way_commands (Device *device)
{
  add_workers (device, 1);
  work_with (&workers[0], record_and_allow, &workers[1]);
}

static void *
wait_for_fence (void *data)
{
  const Device *device = data;

  check (vkWaitForFences (device->gpu.device, 1, &last_fence, VK_TRUE, UINT64_MAX),
         "vkWaitForFences");
  return NULL;
}

static void *
wait_for_semaphore (void *data)
{
  wait_for_value (data, last_value, 1);
  return NULL;
}

static void *
wait_for_queue (void *data)
{
  Device *device = data;

  while (!atomic_load (&stopping))
    {
      pthread_mutex_lock (&device->lock);
      check (vkQueueWaitIdle (device->gpu.queue), "vkQueueWaitIdle");
      pthread_mutex_unlock (&device->lock);
      nap ();
    }
  return NULL;
}

static void
way_waits (Device *device)
{
  const VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  pthread_t threads[3];

  check (vkCreateFence (device->gpu.device, &info, NULL, &last_fence), "vkCreateFence");
  last_value = create_timeline (device);
  start_thread (&threads[0], wait_for_fence, device);
  start_thread (&threads[1], wait_for_semaphore, device);
  start_thread (&threads[2], wait_for_queue, device);
  work (&workers[0]);
  pthread_mutex_lock (&device->lock);
  check (vkQueueSubmit (device->gpu.queue, 0, NULL, last_fence), "vkQueueSubmit");
  pthread_mutex_unlock (&device->lock);
  signal_value (device, last_value, 1);
  for (int i = 0; i < 3; i++)
    pthread_join (threads[i], NULL);
  vkDestroyFence (device->gpu.device, last_fence, NULL);
  vkDestroySemaphore (device->gpu.device, last_value, NULL);
}

/* Lets everything run up to the @value-th submission. */
static void
allow_up_to (Worker   *self,
             uint64_t *allowed,
             uint64_t  value)
{
  if (value <= *allowed)
    return;
  *allowed = value;
  signal_value (self->device, self->allowed, value);
}

static void *
be_busy (void *data)
{
  Worker *self = data;
  uint64_t allowed = 0;

  while (goes_on (self))
    {
      bool busy = !atomic_load (&calm);

      prepare (self);
      submit (self, (Order){ busy ? self->n_rounds + 1 : 0, 0 });
      allow_up_to (self, &allowed, self->n_rounds - busy);
    }
  allow_up_to (self, &allowed, self->n_rounds);
  return NULL;
}

static void
run_all (void *(*function) (void *))
{
  for (uint32_t i = 0; i < n_workers; i++)
    start_thread (&workers[i].thread, function, &workers[i]);
  for (uint32_t i = 0; i < n_workers; i++)
    pthread_join (workers[i].thread, NULL);
}

static void
way_plain (Device *device)
{
  work (&workers[0]);
}

static void
way_record (Device *device)
{
  add_workers (device, 3);
  workers[3].halves = true;
  run_all (work);
}

static void *
do_one_round (void *data)
{
  prepare (data);
  submit (data, (Order){ 0 });
  return NULL;
}

static void *
come_and_go (void *data)
{
  Worker *self = data;
  pthread_t thread;

  while (goes_on (self))
    {
      start_thread (&thread, do_one_round, self);
      pthread_join (thread, NULL);
    }
  return NULL;
}

static void
way_threads (Device *device)
{
  add_workers (device, 2);
  run_all (come_and_go);
}

static void *
fork_children (void *data)
{
  for (int i = 0; !atomic_load (&stopping); i++)
    {
      pid_t child = fork ();
      int status;

      if (child == 0)
        {
          if (i % 2 == 1)
            execl ("/bin/true", "true", (char *)NULL);
          _exit (0);
        }
      if (child < 0 || waitpid (child, &status, 0) != child || status != 0)
        vtr_app_fail ("a child came to a bad end");
    }
  return NULL;
}

static void
way_forks (Device *device)
{
  pthread_t thread;

  start_thread (&thread, fork_children, NULL);
  work (&workers[0]);
  pthread_join (thread, NULL);
}

/* ---- Ways: of several devices ---- */

static void *
make_devices (void *data)
{
  Worker *worker = malloc (sizeof *worker);
  bool *right = data;

  while (worker != NULL && !atomic_load (&stopping))
    {
      Device device;

      device_init (&device);
      worker_init (worker, &device, MAX_WORKERS);
      do_one_round (worker);
      check (vkWaitForFences (device.gpu.device, 2, worker->fences, VK_TRUE, UINT64_MAX),
             "vkWaitForFences");
      if (!worker_finish (worker))
        *right = false;
      device_finish (&device);
    }
  free (worker);
  return NULL;
}

static void
way_churn (Device *device)
{
  bool right = true;
  pthread_t thread;

  start_thread (&thread, make_devices, &right);
  work (&workers[0]);
  pthread_join (thread, NULL);
  if (!right)
    vtr_app_fail ("the result of another device is wrong");
}

static void
way_busy (Device *device)
{
  add_workers (device, 1);
  run_all (be_busy);
}

static Device more[2];

static void
way_devices (Device *device)
{
  for (int i = 0; i < 2; i++)
    {
      device_init (&more[i]);
      add_workers (&more[i], 1);
    }
  run_all (work);
}

/* ---- The end ---- */

static const char *end_how;
static uint32_t end_at;

static void *
end_somehow (void *data)
{
  while (atomic_load (&n_submitted) < end_at)
    sched_yield ();
  if (strcmp (end_how, "exit") == 0)
    exit (3);
  else if (strcmp (end_how, "_exit") == 0)
    _exit (3);
  else if (strcmp (end_how, "abort") == 0)
    abort ();
  else if (strcmp (end_how, "segv") == 0)
    raise (SIGSEGV);
  raise (SIGKILL);
  return data;
}

int
main (int    argc,
      char **argv)
{
  static const struct
  {
    const char *name;
    void (*run) (Device *device);
  } ways[] = {
    { "plain", way_plain },
    { "timeline", way_timeline },
    { "commands", way_commands },
    { "event", way_event },
    { "waits", way_waits },
    { "busy", way_busy },
    { "record", way_record },
    { "threads", way_threads },
    { "devices", way_devices },
    { "churn", way_churn },
    { "forks", way_forks },
  };
  const VtrAppOption options[] = {
    { "--rounds", &n_rounds, NULL, NULL, "of the first worker (60)" },
    { "--until", NULL, &until_file, NULL, "file that ends the program, instead" },
    { "--calm", NULL, &calm_file, NULL, "file that ends being busy" },
    { "--end", NULL, &end_how, NULL, "exit, _exit, abort, segv or kill" },
    { "--end-at", &end_at, NULL, NULL, "submission" },
    { 0 },
  };
  int n = vtr_app_options (argc, argv, options);
  const char *how = n < argc ? argv[n] : "plain";
  bool right = false;
  pthread_t thread;
  Device device;

  device_init (&device);
  add_workers (&device, 1);
  if (end_how != NULL)
    start_thread (&thread, end_somehow, NULL);
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
    if (strcmp (ways[i].name, how) == 0)
      {
        ways[i].run (&device);
        right = workers_finish ();
      }
  for (int i = 0; i < 2; i++)
    if (more[i].pipeline != VK_NULL_HANDLE)
      device_finish (&more[i]);
  device_finish (&device);
  return right ? 0 : 1;
}
