/* Devices and workers of vtr-app-cut. */
#include "vtr-app-cut.h"

#include "cut.comp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SOURCE_STRIDE 256u
#define LAG 3u /* submissions of others between the halves of a recording */

VtrCut vtr_cut = { .n_rounds = 60 };

void
vtr_cut_nap (void)
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

void
vtr_cut_device_init (VtrCutDevice *self)
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
  vtr_app_check (vkCreateDescriptorSetLayout (self->gpu.device, &set_info, NULL, &self->set_layout),
                 "vkCreateDescriptorSetLayout");
  vtr_app_check (vkCreatePipelineLayout (self->gpu.device, &layout_info, NULL, &self->layout),
                 "vkCreatePipelineLayout");
  info.stage.module = vtr_app_shader (&self->gpu, cut_comp, sizeof cut_comp);
  info.layout = self->layout;
  vtr_app_check (vkCreateComputePipelines (self->gpu.device, VK_NULL_HANDLE, 1, &info, NULL,
                                           &self->pipeline),
                 "vkCreateComputePipelines");
  vkDestroyShaderModule (self->gpu.device, info.stage.module, NULL);
}

void
vtr_cut_device_finish (VtrCutDevice *self)
{
  vkDestroyPipeline (self->gpu.device, self->pipeline, NULL);
  vkDestroyPipelineLayout (self->gpu.device, self->layout, NULL);
  vkDestroyDescriptorSetLayout (self->gpu.device, self->set_layout, NULL);
  vtr_app_gpu_finish (&self->gpu);
  pthread_mutex_destroy (&self->lock);
}

/* ---- Timelines ---- */

VkSemaphore
vtr_cut_timeline (const VtrCutDevice *device)
{
  const VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
  };
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                       .pNext = &type };
  VkSemaphore semaphore;

  vtr_app_check (vkCreateSemaphore (device->gpu.device, &info, NULL, &semaphore),
                 "vkCreateSemaphore");
  return semaphore;
}

void
vtr_cut_signal (const VtrCutDevice *device,
                VkSemaphore         semaphore,
                uint64_t            value)
{
  const VkSemaphoreSignalInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                       .semaphore = semaphore,
                                       .value = value };

  vtr_app_check (vkSignalSemaphore (device->gpu.device, &info), "vkSignalSemaphore");
}

void
vtr_cut_wait (const VtrCutDevice *device,
              VkSemaphore         semaphore,
              uint64_t            value)
{
  const VkSemaphoreWaitInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                     .semaphoreCount = 1,
                                     .pSemaphores = &semaphore,
                                     .pValues = &value };

  vtr_app_check (vkWaitSemaphores (device->gpu.device, &info, UINT64_MAX), "vkWaitSemaphores");
}

/* ---- Workers ---- */

static void
create_sets (VtrCutWorker *self)
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

  vtr_app_check (vkCreateDescriptorPool (device, &pool_info, NULL, &self->descriptors),
                 "vkCreateDescriptorPool");
  info.descriptorPool = self->descriptors;
  vtr_app_check (vkAllocateDescriptorSets (device, &info, self->sets), "vkAllocateDescriptorSets");
}

static void
create_commands (VtrCutWorker *self)
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

  vtr_app_check (vkCreateCommandPool (device, &pool_info, NULL, &self->pool),
                 "vkCreateCommandPool");
  info.commandPool = self->pool;
  vtr_app_check (vkAllocateCommandBuffers (device, &info, self->commands),
                 "vkAllocateCommandBuffers");
  for (int i = 0; i < 2; i++)
    vtr_app_check (vkCreateFence (device, &fence_info, NULL, &self->fences[i]), "vkCreateFence");
  vtr_app_check (vkCreateEvent (device, &event_info, NULL, &self->event), "vkCreateEvent");
}

void
vtr_cut_worker_init (VtrCutWorker *self,
                     VtrCutDevice *device,
                     uint32_t      number)
{
  const VkMemoryPropertyFlags visible =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

  memset (self, 0, sizeof *self);
  self->device = device;
  self->number = number;
  self->source = vtr_app_buffer (&device->gpu, VTR_CUT_SLOTS * SOURCE_STRIDE,
                                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, visible);
  self->result = vtr_app_buffer (&device->gpu, sizeof self->expected,
                                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  create_sets (self);
  create_commands (self);
  self->announced = vtr_cut_timeline (device);
  self->allowed = vtr_cut_timeline (device);
  self->done = vtr_cut_timeline (device);
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
write_source (VtrCutWorker *self)
{
  uint32_t slot = (uint32_t)(self->n_rounds % VTR_CUT_SLOTS),
           previous = (slot + VTR_CUT_SLOTS - 1) % VTR_CUT_SLOTS;
  uint32_t *source = self->source.mapped;

  for (uint32_t i = 0; i < VTR_CUT_WORDS; i++)
    {
      uint32_t value = get_source (self->number, self->n_rounds, i);

      source[slot * (SOURCE_STRIDE / sizeof *source) + i] = value;
      self->expected[slot * VTR_CUT_WORDS + i] =
        value + 3 * self->expected[previous * VTR_CUT_WORDS + i];
    }
}

static void
update_set (VtrCutWorker *self)
{
  VkDescriptorSet set = self->sets[self->n_rounds % 2];
  const VkDescriptorBufferInfo buffers[] = {
    { self->source.buffer, self->n_rounds % VTR_CUT_SLOTS * SOURCE_STRIDE,
      VTR_CUT_WORDS * sizeof (uint32_t) },
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
  uint64_t end = atomic_load (&vtr_cut.n_submitted) + LAG;

  while (atomic_load (&vtr_cut.n_submitted) < end && !atomic_load (&vtr_cut.stopping))
    vtr_cut_nap ();
}

static void
record (VtrCutWorker *self)
{
  VkCommandBuffer commands = self->commands[self->n_rounds % 2];
  uint32_t slot = (uint32_t)(self->n_rounds % VTR_CUT_SLOTS);
  const uint32_t push[] = { slot, (slot + VTR_CUT_SLOTS - 1) % VTR_CUT_SLOTS };

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
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
}

void
vtr_cut_prepare (VtrCutWorker *self)
{
  VkFence *fence = &self->fences[self->n_rounds % 2];

  vtr_app_check (vkWaitForFences (self->device->gpu.device, 1, fence, VK_TRUE, UINT64_MAX),
                 "vkWaitForFences");
  vtr_app_check (vkResetFences (self->device->gpu.device, 1, fence), "vkResetFences");
  write_source (self);
  update_set (self);
  record (self);
}

void
vtr_cut_submit (VtrCutWorker *self,
                VtrCutOrder   order)
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
  atomic_fetch_add (&vtr_cut.n_submitted, 1);
  vtr_app_check (vkQueueSubmit (self->device->gpu.queue, 1, &info,
                                self->fences[self->n_rounds % 2]),
                 "vkQueueSubmit");
  pthread_mutex_unlock (&self->device->lock);
  self->n_rounds++;
}

bool
vtr_cut_goes_on (const VtrCutWorker *self)
{
  if (self->number == 0)
    {
      if (is_there (vtr_cut.calm_file))
        atomic_store (&vtr_cut.calm, true);
      if (vtr_cut.until_file != NULL ? is_there (vtr_cut.until_file)
                                     : self->n_rounds >= vtr_cut.n_rounds)
        atomic_store (&vtr_cut.stopping, true);
    }
  return !atomic_load (&vtr_cut.stopping);
}

static bool
is_right (VtrCutWorker *self)
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

bool
vtr_cut_worker_finish (VtrCutWorker *self)
{
  VkDevice device = self->device->gpu.device;
  bool right;

  vtr_app_check (vkWaitForFences (device, 2, self->fences, VK_TRUE, UINT64_MAX), "vkWaitForFences");
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

bool
vtr_cut_finish (void)
{
  bool right = true;

  for (uint32_t i = 0; i < vtr_cut.n_workers; i++)
    if (!vtr_cut_worker_finish (&vtr_cut.workers[i]))
      {
        fprintf (stderr, "vtr-app-cut: the result of worker %u is wrong\n", i);
        right = false;
      }
  return right;
}

void
vtr_cut_add (VtrCutDevice *device,
             uint32_t      n)
{
  for (uint32_t i = 0; i < n; i++, vtr_cut.n_workers++)
    vtr_cut_worker_init (&vtr_cut.workers[vtr_cut.n_workers], device, vtr_cut.n_workers);
}
