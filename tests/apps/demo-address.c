/* vtr-app-demo-address: device addresses in push constants and in memory, read and written through
 * by a dispatch and by a vertex shader; one buffer is not at the start of its memory. --update:
 * those in memory come with vkCmdUpdateBuffer, in every frame; --inline: the dispatch finds its
 * address in an inline uniform block.
 */
#include "vtr-app-demo.h"

#include "demo_address_comp.h"
#include "demo_address_inline_comp.h"
#include "demo_address_vert.h"

#include <string.h>

#define NUMBERS 64u
#define OFFSET 4096u
#define PLACES_SIZE (2 * sizeof (uint64_t)) /* of FROM and TO */

enum
{
  PLACES,
  FROM,
  TO,
  CORNERS,
  N
};

static bool update, inlined;

typedef struct
{
  VtrAppDemo demo;
  VtrAppBuffer buffers[N]; /* .memory, .mapped: of the first of the two that share some */
  uint64_t addresses[N];
  VkPipelineLayout layout, compute_layout;
  VkDescriptorSet set; /* with --inline */
  VkPipeline compute, graphics;
} Address;

static void
name_buffer (Address    *self,
             uint32_t    nth,
             const char *name)
{
  const VkDebugUtilsObjectNameInfoEXT named = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
    .objectType = VK_OBJECT_TYPE_BUFFER,
    .objectHandle = (uint64_t)self->buffers[nth].buffer,
    .pObjectName = name,
  };

  vtr_app_check (self->demo.scene.set_name (self->demo.scene.gpu.device, &named),
                 "vkSetDebugUtilsObjectNameEXT");
  self->addresses[nth] = vtr_app_address (&self->demo.scene.gpu, self->buffers[nth].buffer);
}

/* Buffers @first and the next, in one piece of memory. */
static void
make_buffers (Address  *self,
              uint32_t  first)
{
  const VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = NUMBERS * 4,
    .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
             VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  };
  const VkMemoryAllocateFlagsInfo flags = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  const VkMemoryPropertyFlags wanted =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
    .pNext = &flags,
    .allocationSize = 2 * OFFSET,
  };
  VkMemoryRequirements requirements;
  VkDeviceMemory memory;
  char *map;

  for (uint32_t i = first; i < first + 2; i++)
    vtr_app_check (vkCreateBuffer (gpu->device, &info, NULL, &self->buffers[i].buffer),
                   "vkCreateBuffer");
  vkGetBufferMemoryRequirements (gpu->device, self->buffers[first].buffer, &requirements);
  while ((requirements.memoryTypeBits & 1u << allocate.memoryTypeIndex) == 0 ||
         (gpu->memory.memoryTypes[allocate.memoryTypeIndex].propertyFlags & wanted) != wanted)
    allocate.memoryTypeIndex++;
  vtr_app_check (vkAllocateMemory (gpu->device, &allocate, NULL, &memory), "vkAllocateMemory");
  vtr_app_check (vkMapMemory (gpu->device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&map),
                 "vkMapMemory");
  memset (map, 0, allocate.allocationSize);
  for (uint32_t i = 0; i < 2; i++)
    {
      VtrAppBuffer *buffer = &self->buffers[first + i];

      vtr_app_check (vkBindBufferMemory (gpu->device, buffer->buffer, memory, i * OFFSET),
                     "vkBindBufferMemory");
      buffer->mapped = map + i * OFFSET;
      buffer->memory = i == 0 ? memory : VK_NULL_HANDLE;
      buffer->size = info.size;
    }
}

static void
change (VkGraphicsPipelineCreateInfo *create,
        void                         *data)
{
  Address *self = data;

  create->layout = self->layout;
  vtr_app_demo_set_stage (create, 0,
                          vtr_app_scene_shader (&self->demo.scene, demo_address_vert,
                                                sizeof demo_address_vert));
}

/* A set with the address of the places in it. */
static void
make_block (Address *self)
{
  const VkDescriptorSetLayoutBinding binding = {
    .descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
    .descriptorCount = 16,
    .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
  };
  const VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
    .maxInlineUniformBlockBindings = 1,
  };
  const uint64_t data[2] = { self->addresses[PLACES], 0 };
  const VkWriteDescriptorSetInlineUniformBlock block = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
    .dataSize = sizeof data,
    .pData = data,
  };
  VkWriteDescriptorSet write = {
    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
    .pNext = &block,
    .descriptorCount = sizeof data,
    .descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
  };
  VkDescriptorSetLayout set = vtr_app_demo_set_layout (&self->demo, &binding, 1, 0, NULL);

  self->set = vtr_app_demo_set (&self->demo, set, &binding, 1, 0, &blocks);
  write.dstSet = self->set;
  vkUpdateDescriptorSets (self->demo.scene.gpu.device, 1, &write, 0, NULL);
  self->compute_layout = vtr_app_demo_layout (&self->demo, set, VK_SHADER_STAGE_ALL);
  self->compute = vtr_app_demo_compute (&self->demo, demo_address_inline_comp,
                                        sizeof demo_address_inline_comp, self->compute_layout);
}

static void
start (VtrAppDemo *demo)
{
  static const float corners[] = { -0.8f, -0.7f, 0.5f, 1, 0.9f, -0.5f, 0.5f, 2,
                                   -0.3f, 0.8f, 0.5f, 3, 0.75f, 0.6f, 0.5f, 0 };
  Address *self = (Address *)demo;

  make_buffers (self, PLACES);
  make_buffers (self, TO);
  name_buffer (self, PLACES, "places");
  name_buffer (self, FROM, "from");
  name_buffer (self, TO, "to");
  name_buffer (self, CORNERS, "corners");
  if (!update)
    memcpy (self->buffers[PLACES].mapped, &self->addresses[FROM], PLACES_SIZE);
  for (uint32_t i = 0; i < NUMBERS; i++)
    ((uint32_t *)self->buffers[FROM].mapped)[i] = i * 7;
  memcpy (self->buffers[CORNERS].mapped, corners, sizeof corners);
  self->layout = vtr_app_demo_layout (demo, VK_NULL_HANDLE, VK_SHADER_STAGE_ALL);
  self->compute_layout = self->layout;
  if (inlined)
    make_block (self);
  else
    self->compute = vtr_app_demo_compute (demo, demo_address_comp, sizeof demo_address_comp,
                                          self->layout);
  self->graphics = vtr_app_demo_pipeline (demo, change, self);
}

static void
draw (VtrAppDemo *demo)
{
  Address *self = (Address *)demo;
  struct
  {
    uint64_t places;
    uint32_t add, gap;
  } numbers = { inlined ? 0 : self->addresses[PLACES], 5 + demo->frame, 0 };
  struct
  {
    uint64_t corners, gap;
    float color[4];
  } triangle = { self->addresses[CORNERS], 0, { 0.25f, 0.5f - 0.25f * (float)demo->frame, 1, 1 } };

  vtr_app_barrier (demo->commands);
  if (update)
    {
      vkCmdUpdateBuffer (demo->commands, self->buffers[PLACES].buffer, 0, PLACES_SIZE,
                         &self->addresses[FROM]);
      vtr_app_barrier (demo->commands);
    }
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->compute);
  vkCmdPushConstants (demo->commands, self->compute_layout, VK_SHADER_STAGE_ALL, 0, 16, &numbers);
  if (inlined)
    vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                             self->compute_layout, 0, 1, &self->set, 0, NULL);
  vkCmdDispatch (demo->commands, NUMBERS / 8, 1, 1);
  if (!vtr_app_demo_check (demo))
    return;
  vtr_app_demo_begin_rendering (demo);
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->graphics);
  vkCmdPushConstants (demo->commands, self->layout, VK_SHADER_STAGE_ALL, 0, 32, &triangle);
  vkCmdDraw (demo->commands, 3, 1, demo->frame, 0);
  vtr_app_demo_check (demo);
  vtr_app_demo_end_rendering (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Address *self = (Address *)demo;

  vtr_app_demo_write_buffer (demo, "to", &self->buffers[TO]);
  for (uint32_t i = 0; i < N; i++)
    vkDestroyBuffer (demo->scene.gpu.device, self->buffers[i].buffer, NULL);
  for (uint32_t i = 0; i < N; i++)
    vkFreeMemory (demo->scene.gpu.device, self->buffers[i].memory, NULL);
}

int
main (int    argc,
      char **argv)
{
  static const VtrAppOption options[] = {
    { "--inline", NULL, NULL, &inlined, "the dispatch has its address in an inline uniform block" },
    { "--update", NULL, NULL, &update, "addresses in memory come with vkCmdUpdateBuffer" },
    { 0 },
  };
  Address self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "device addresses",
                                              .options = options,
                                              .features12 = { .bufferDeviceAddress = VK_TRUE },
                                              .features13 = { .maintenance4 = VK_TRUE,
                                                              .inlineUniformBlock = VK_TRUE },
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
