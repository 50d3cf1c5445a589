/* vtr-app-writers: threads that write to the same pages of one mapping and submit copies of what
 * they wrote, all at once.
 *
 * Each round of a thread leaves its bytes in a place of the result of its own, which is only right
 * if they were there when its submission ran. */
#include "vtr-app.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define N_THREADS 4u
#define SLOT 256u /* bytes that a thread writes together; those of the threads take turns */
#define SOURCE (4u << 20)
#define PIECE 1024u /* bytes of the result a round */

typedef struct
{
  VtrAppGpu gpu;
  VtrAppBuffer source;
  VtrAppBuffer result;
  pthread_mutex_t lock; /* of the queue */
  uint32_t n_rounds;
} Writers;

typedef struct
{
  Writers *writers;
  uint32_t number;
  pthread_t thread;
} Worker;

/* Fills slots of the thread, recording their copies. */
static void
write_slots (Worker          *self,
             VkCommandBuffer  commands,
             uint32_t         round,
             uint64_t        *random)
{
  Writers *writers = self->writers;
  VkBufferCopy regions[PIECE / SLOT];

  for (uint32_t i = 0; i < PIECE / SLOT; i++)
    {
      uint32_t group = vtr_app_random (random) % (SOURCE / SLOT / N_THREADS);
      uint32_t slot = group * N_THREADS + self->number;
      uint8_t *bytes = (uint8_t *)writers->source.mapped + (size_t)slot * SLOT;

      for (uint32_t j = 0; j < SLOT; j++)
        bytes[j] = (uint8_t)(vtr_app_random (random) >> 7);
      regions[i].srcOffset = (VkDeviceSize)slot * SLOT;
      regions[i].dstOffset =
        ((VkDeviceSize)self->number * writers->n_rounds + round) * PIECE + i * SLOT;
      regions[i].size = SLOT;
    }
  vkCmdCopyBuffer (commands, writers->source.buffer, writers->result.buffer, PIECE / SLOT, regions);
}

static void *
work (void *data)
{
  Worker *self = data;
  Writers *writers = self->writers;
  VkDevice device = writers->gpu.device;
  const VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  const VkCommandPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    .queueFamilyIndex = writers->gpu.family,
  };
  VkCommandBufferAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandBufferCount = 1,
  };
  VkCommandBuffer commands;
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &commands,
  };
  uint64_t random = 17 + self->number;
  VkFence fence;

  vtr_app_check (vkCreateFence (device, &fence_info, NULL, &fence), "vkCreateFence");
  vtr_app_check (vkCreateCommandPool (device, &pool_info, NULL, &allocate.commandPool),
                 "vkCreateCommandPool");
  vtr_app_check (vkAllocateCommandBuffers (device, &allocate, &commands),
                 "vkAllocateCommandBuffers");
  for (uint32_t round = 0; round < writers->n_rounds; round++)
    {
      vtr_app_begin (commands);
      write_slots (self, commands, round, &random);
      vtr_app_barrier (commands);
      vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
      pthread_mutex_lock (&writers->lock);
      vtr_app_check (vkQueueSubmit (writers->gpu.queue, 1, &submit, fence), "vkQueueSubmit");
      pthread_mutex_unlock (&writers->lock);
      vtr_app_check (vkWaitForFences (device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
      vtr_app_check (vkResetFences (device, 1, &fence), "vkResetFences");
    }
  vkDestroyCommandPool (device, allocate.commandPool, NULL);
  vkDestroyFence (device, fence, NULL);
  return NULL;
}

int
main (int    argc,
      char **argv)
{
  Writers self = { .lock = PTHREAD_MUTEX_INITIALIZER, .n_rounds = 100 };
  Worker workers[N_THREADS];
  const char *output = NULL;
  const VkMemoryPropertyFlags visible =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VtrAppOption options[] = {
    { "--rounds", &self.n_rounds, NULL, NULL, "of each thread (100)" },
    { "--output", NULL, &output, NULL, "file to write the result buffer to" },
    { 0 },
  };

  vtr_app_options (argc, argv, options);
  vtr_app_gpu_init (&self.gpu, NULL, false);
  self.source = vtr_app_buffer (&self.gpu, SOURCE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, visible);
  self.result = vtr_app_buffer (&self.gpu, (VkDeviceSize)N_THREADS * self.n_rounds * PIECE,
                                VK_BUFFER_USAGE_TRANSFER_DST_BIT, visible);
  for (uint32_t i = 0; i < N_THREADS; i++)
    {
      workers[i] = (Worker){ .writers = &self, .number = i };
      if (pthread_create (&workers[i].thread, NULL, work, &workers[i]) != 0)
        vtr_app_fail ("there is no thread");
    }
  for (uint32_t i = 0; i < N_THREADS; i++)
    pthread_join (workers[i].thread, NULL);

  if (output != NULL)
    vtr_app_write_file (output, self.result.mapped, self.result.size);
  printf ("{\"result_buffer\": \"0x%" PRIx64 "\"}\n",
          (uint64_t)(uintptr_t)self.result.buffer);
  vtr_app_buffer_finish (&self.gpu, &self.result);
  vtr_app_buffer_finish (&self.gpu, &self.source);
  vtr_app_gpu_finish (&self.gpu);
  return 0;
}
