/* vtr-app-demo-unused: a program that has made much more than its frames use, as most have: what a
 * capture from the middle of its run can leave out.
 *
 * All of it carries names that begin with "unused", and shares a device, a pool and one allocation
 * with what is used.
 */
#include "vtr-app-demo.h"

#include <stdio.h>

#define N_TEXTURES 3
#define SHARE 65536u /* bytes of each buffer in the common memory */
#define N_SHARES 8

typedef struct
{
  VtrAppDemo demo;
  VtrAppDemoInputs inputs;
  VkDescriptorSet set, unused_set;
  VtrAppPicture *unused[N_TEXTURES];
  char names[N_TEXTURES][16];
  VkBuffer shares[N_SHARES]; /* in one memory; the first is used */
  VkDeviceMemory memory;
  void *mapped;
  VkSemaphore semaphores[2];
} Unused;

static void
name_object (Unused       *self,
             VkObjectType  type,
             uint64_t      handle,
             const char   *name)
{
  const VkDebugUtilsObjectNameInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
    .objectType = type,
    .objectHandle = handle,
    .pObjectName = name,
  };

  vtr_app_check (self->demo.scene.set_name (self->demo.scene.gpu.device, &info),
                 "vkSetDebugUtilsObjectNameEXT");
}

static void
make_shares (Unused *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = SHARE,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  };
  VkMemoryRequirements requirements = { 0 };

  for (uint32_t i = 0; i < N_SHARES; i++)
    {
      vtr_app_check (vkCreateBuffer (gpu->device, &info, NULL, &self->shares[i]), "vkCreateBuffer");
      vkGetBufferMemoryRequirements (gpu->device, self->shares[i], &requirements);
      if (requirements.size > SHARE)
        vtr_app_demo_skip ("buffers side by side");
    }
  requirements.size = (VkDeviceSize)SHARE * N_SHARES;
  self->memory = vtr_app_allocate (gpu, &requirements,
                                   VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  vtr_app_check (vkMapMemory (gpu->device, self->memory, 0, VK_WHOLE_SIZE, 0, &self->mapped),
                 "vkMapMemory");
  for (uint32_t i = 0; i < N_SHARES; i++)
    {
      uint64_t state = i + 1;

      vtr_app_check (vkBindBufferMemory (gpu->device, self->shares[i], self->memory, i * SHARE),
                     "vkBindBufferMemory");
      if (i > 0)
        name_object (self, VK_OBJECT_TYPE_BUFFER, (uint64_t)self->shares[i], "unused share");
      for (uint32_t at = 0; at < SHARE / 4; at++)
        ((uint32_t *)self->mapped)[i * SHARE / 4 + at] = vtr_app_random (&state);
    }
}

/* One that is signalled and never waited for, one that is neither. */
static void
make_semaphores (Unused *self)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  const VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .signalSemaphoreCount = 1,
                                .pSignalSemaphores = self->semaphores };

  for (uint32_t i = 0; i < 2; i++)
    {
      vtr_app_check (vkCreateSemaphore (gpu->device, &info, NULL, &self->semaphores[i]),
                     "vkCreateSemaphore");
      name_object (self, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)self->semaphores[i], "unused");
    }
  vtr_app_check (vkQueueSubmit (gpu->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
}

static void
write_set (Unused              *self,
           VkDescriptorSet      set,
           VkBuffer             tint,
           const VtrAppPicture *texture)
{
  const VkDescriptorBufferInfo buffer = { tint, 0, 16 };
  const VkDescriptorImageInfo image = { self->inputs.sampler, texture->view,
                                        VK_IMAGE_LAYOUT_GENERAL };
  const VkWriteDescriptorSet writes[] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      .pBufferInfo = &buffer },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .pImageInfo = &image },
  };

  vkUpdateDescriptorSets (self->demo.scene.gpu.device, 2, writes, 0, NULL);
}

static void
start (VtrAppDemo *demo)
{
  Unused *self = (Unused *)demo;

  vtr_app_demo_inputs (demo, &self->inputs, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0);
  for (uint32_t i = 0; i < N_TEXTURES; i++)
    {
      snprintf (self->names[i], sizeof self->names[i], "unused %u", i);
      self->unused[i] = vtr_app_demo_texture (demo, self->names[i], i + 10);
    }
  make_shares (self);
  make_semaphores (self);
  self->set = vtr_app_demo_set (demo, self->inputs.set, self->inputs.bindings, 2, 0, NULL);
  self->unused_set = vtr_app_demo_set (demo, self->inputs.set, self->inputs.bindings, 2, 0, NULL);
  name_object (self, VK_OBJECT_TYPE_DESCRIPTOR_SET, (uint64_t)self->unused_set, "unused set");
  name_object (self, VK_OBJECT_TYPE_PIPELINE, (uint64_t)vtr_app_demo_pipeline (demo, NULL, NULL),
               "unused pipeline");
  write_set (self, self->set, self->shares[0], self->inputs.textures[0]);
  write_set (self, self->unused_set, self->shares[1], self->unused[0]);
}

static void
draw (VtrAppDemo *demo)
{
  Unused *self = (Unused *)demo;

  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->inputs.pipeline);
  vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->inputs.layout, 0,
                           1, &self->set, 0, NULL);
  vtr_app_demo_triangle (demo, demo->frame % 4);
  vtr_app_demo_check (demo);
  vtr_app_demo_triangle (demo, 4 + demo->frame % 4);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  VkDevice device = demo->scene.gpu.device;
  Unused *self = (Unused *)demo;

  for (uint32_t i = 0; i < N_SHARES; i++)
    vkDestroyBuffer (device, self->shares[i], NULL);
  vkFreeMemory (device, self->memory, NULL);
  for (uint32_t i = 0; i < 2; i++)
    vkDestroySemaphore (device, self->semaphores[i], NULL);
}

int
main (int    argc,
      char **argv)
{
  Unused self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "objects without use",
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
