/* vtr-app-demo-reuse: objects of all kinds that are created and destroyed in every frame, so that
 * other objects get their handles and the addresses of their mappings; some live one frame longer.
 * Also images and a buffer in the same memory, in which a frame finds what the last one left. */
#include "vtr-app-demo.h"

#include <string.h>

#define WIDTH 24u
#define HEIGHT 20u

/* What lives for two frames. */
typedef struct
{
  VkBuffer buffer;
  VkDeviceMemory memory; /* of .buffer; mapped until it is freed */
  VkImage image;
  VkDeviceMemory texels; /* of .image alone */
  VkImageView view;
  VkSampler sampler;
  VkDescriptorSet set;
  VkPipeline pipeline;
  VkEvent event;
  VkQueryPool queries;
} Brief;

typedef struct
{
  VtrAppDemo demo;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkDescriptorPool pool;
  Brief briefs[2];
  VkImage shared[4]; /* in one memory; the last two are alike */
  VkBuffer bytes;    /* in it, too */
  VkDeviceMemory memory;
} Reuse;

/* --- Together in one memory ------------------------------------------------------------------ */

static VkImage
make_shared (Reuse                *self,
             uint32_t              width,
             uint32_t              height,
             VkMemoryRequirements *most)
{
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .flags = VK_IMAGE_CREATE_ALIAS_BIT,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = VTR_APP_DEMO_FORMAT,
    .extent = { width, height, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  };
  VkMemoryRequirements requirements;
  VkImage image;

  vtr_app_check (vkCreateImage (self->demo.scene.gpu.device, &info, NULL, &image),
                 "vkCreateImage");
  vkGetImageMemoryRequirements (self->demo.scene.gpu.device, image, &requirements);
  if (most->size < requirements.size)
    most->size = requirements.size;
  most->memoryTypeBits &= requirements.memoryTypeBits;
  return image;
}

static void
make_all_shared (Reuse *self)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = WIDTH * HEIGHT * 4,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  };
  VkMemoryRequirements requirements;

  vtr_app_check (vkCreateBuffer (device, &info, NULL, &self->bytes), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (device, self->bytes, &requirements);
  self->shared[0] = make_shared (self, WIDTH, HEIGHT, &requirements);
  self->shared[1] = make_shared (self, 2 * WIDTH, HEIGHT / 2, &requirements);
  self->shared[2] = make_shared (self, 16, 16, &requirements);
  self->shared[3] = make_shared (self, 16, 16, &requirements);
  requirements.size *= 2;
  self->memory =
    vtr_app_allocate (&self->demo.scene.gpu, &requirements, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  vtr_app_check (vkBindBufferMemory (device, self->bytes, self->memory, 0), "vkBindBufferMemory");
  for (uint32_t i = 0; i < 4; i++)
    vtr_app_check (vkBindImageMemory (device, self->shared[i], self->memory,
                                      i < 2 ? 0 : requirements.size / 2),
                   "vkBindImageMemory");
}

static void
take (Reuse   *self,
      VkImage  image)
{
  VtrAppPicture picture = { .info = { .format = VTR_APP_DEMO_FORMAT }, .image = image };

  vtr_app_picture_to (self->demo.commands, &picture, VK_IMAGE_LAYOUT_GENERAL);
}

/* From or to .color. */
static void
copy (Reuse    *self,
      VkImage   from,
      VkImage   to,
      uint32_t  width,
      uint32_t  height,
      int32_t   x,
      int32_t   y)
{
  const VkImage color = self->demo.color->image;
  const VkOffset3D there = { x, y, 0 };
  const VkOffset3D zero = { 0, 0, 0 };
  const VkImageCopy region = {
    .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .srcOffset = from == color ? there : zero,
    .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .dstOffset = to == color ? there : zero,
    .extent = { width, height, 1 },
  };

  vtr_app_barrier (self->demo.commands);
  vkCmdCopyImage (self->demo.commands, from, VK_IMAGE_LAYOUT_GENERAL, to, VK_IMAGE_LAYOUT_GENERAL,
                  1, &region);
  vtr_app_barrier (self->demo.commands);
}

/* Reads what the last frame left, by the one or the other, and leaves something else. */
static void
use_shared (Reuse *self)
{
  VtrAppDemo *demo = &self->demo;
  const VkImage color = demo->color->image;
  const VkClearColorValue value = { .float32 = { 0.5f, 0.1f * (float)demo->frame, 1, 1 } };
  const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
  const VkBufferImageCopy region = {
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageOffset = { 38, 26, 0 },
    .imageExtent = { WIDTH, HEIGHT, 1 },
  };
  const bool odd = demo->frame % 2 == 1;

  if (demo->frame > 0)
    copy (self, self->shared[odd ? 0 : 1], color, odd ? WIDTH : 2 * WIDTH,
          odd ? HEIGHT : HEIGHT / 2, 1, 25);
  vkCmdFillBuffer (demo->commands, self->bytes, 0, VK_WHOLE_SIZE, 0xff102030 * (demo->frame + 1));
  vtr_app_barrier (demo->commands);
  vkCmdCopyBufferToImage (demo->commands, self->bytes, color, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  vtr_app_barrier (demo->commands);
  take (self, self->shared[odd ? 1 : 0]);
  copy (self, color, self->shared[odd ? 1 : 0], odd ? 2 * WIDTH : WIDTH, odd ? HEIGHT / 2 : HEIGHT,
        8, 3);
  /* These two share their memory: what is written to the first can be read from the second. */
  if (demo->frame == 0)
    {
      take (self, self->shared[2]);
      take (self, self->shared[3]);
    }
  else
    copy (self, self->shared[3], color, 16, 16, 2, 2);
  vkCmdClearColorImage (demo->commands, self->shared[2], VK_IMAGE_LAYOUT_GENERAL, &value, 1, &all);
  vtr_app_barrier (demo->commands);
}

/* --- Objects that are created again ---------------------------------------------------------- */

static void
drop (Reuse *self,
      Brief *brief)
{
  const VkDevice device = self->demo.scene.gpu.device;

  if (brief->buffer == VK_NULL_HANDLE)
    return;
  vkDestroyQueryPool (device, brief->queries, NULL);
  vkDestroyEvent (device, brief->event, NULL);
  vkDestroyPipeline (device, brief->pipeline, NULL);
  vkFreeDescriptorSets (device, self->pool, 1, &brief->set);
  vkDestroySampler (device, brief->sampler, NULL);
  vkDestroyImageView (device, brief->view, NULL);
  vkDestroyImage (device, brief->image, NULL);
  vkFreeMemory (device, brief->texels, NULL);
  vkDestroyBuffer (device, brief->buffer, NULL);
  vkFreeMemory (device, brief->memory, NULL);
  memset (brief, 0, sizeof *brief);
}

/* A tint and the texels, written through a mapping that ends with the memory. */
static void
make_buffer (Reuse *self,
             Brief *brief)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = 512,
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  };
  const float tint[] = { 1, 0.2f * (float)(self->demo.frame % 5), 0.5f, 1 };
  VkMemoryDedicatedAllocateInfo alone = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
  };
  VkMemoryRequirements requirements;
  void *mapped;

  vtr_app_check (vkCreateBuffer (device, &info, NULL, &brief->buffer), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (device, brief->buffer, &requirements);
  alone.buffer = brief->buffer;
  brief->memory = vtr_app_allocate_with (&self->demo.scene.gpu, &requirements,
                                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                         &alone);
  vtr_app_check (vkBindBufferMemory (device, brief->buffer, brief->memory, 0),
                 "vkBindBufferMemory");
  vtr_app_check (vkMapMemory (device, brief->memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  memcpy (mapped, tint, sizeof tint);
  for (uint32_t i = 0; i < 256; i++)
    ((uint8_t *)mapped)[256 + i] = (uint8_t)(i * (19 + 6 * self->demo.frame));
}

static void
make_image (Reuse *self,
            Brief *brief)
{
  const VkDevice device = self->demo.scene.gpu.device;
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = VTR_APP_DEMO_FORMAT,
    .extent = { 8, 8, 1 },
    .mipLevels = 1,
    .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  };
  VkImageViewCreateInfo view = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = VTR_APP_DEMO_FORMAT,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
  };
  const VkSamplerCreateInfo sampler = {
    .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
    .magFilter = self->demo.frame % 3 == 0 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
  };
  const VkBufferImageCopy region = {
    .bufferOffset = 256,
    .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
    .imageExtent = { 8, 8, 1 },
  };
  VkMemoryDedicatedAllocateInfo alone = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
  };
  VkBindImageMemoryInfo bind = { .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO };
  VkMemoryRequirements requirements;

  vtr_app_check (vkCreateImage (device, &info, NULL, &brief->image), "vkCreateImage");
  vkGetImageMemoryRequirements (device, brief->image, &requirements);
  alone.image = bind.image = view.image = brief->image;
  brief->texels = bind.memory = vtr_app_allocate_with (
    &self->demo.scene.gpu, &requirements, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &alone);
  vtr_app_check (vkBindImageMemory2 (device, 1, &bind), "vkBindImageMemory2");
  vtr_app_check (vkCreateImageView (device, &view, NULL, &brief->view), "vkCreateImageView");
  vtr_app_check (vkCreateSampler (device, &sampler, NULL, &brief->sampler), "vkCreateSampler");
  take (self, brief->image);
  vkCmdCopyBufferToImage (self->demo.commands, brief->buffer, brief->image,
                          VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

static void
make_set (Reuse *self,
          Brief *brief)
{
  const VkDescriptorSetAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = self->pool,
    .descriptorSetCount = 1,
    .pSetLayouts = &self->set_layout,
  };
  const VkDescriptorBufferInfo buffer = { brief->buffer, 0, 16 };
  const VkDescriptorImageInfo image = { brief->sampler, brief->view, VK_IMAGE_LAYOUT_GENERAL };
  VkWriteDescriptorSet writes[] = {
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
      .pBufferInfo = &buffer },
    { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstBinding = 1,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      .pImageInfo = &image },
  };

  vtr_app_check (vkAllocateDescriptorSets (self->demo.scene.gpu.device, &allocate, &brief->set),
                 "vkAllocateDescriptorSets");
  writes[0].dstSet = writes[1].dstSet = brief->set;
  vkUpdateDescriptorSets (self->demo.scene.gpu.device, 2, writes, 0, NULL);
}

static void
make_others (Reuse *self,
             Brief *brief)
{
  VtrAppScene *scene = &self->demo.scene;
  const VkDevice device = scene->gpu.device;
  const VkFormat format = VTR_APP_DEMO_FORMAT;
  const VkEventCreateInfo event = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
  const VkQueryPoolCreateInfo queries = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = VK_QUERY_TYPE_OCCLUSION,
    .queryCount = 1 + self->demo.frame % 2,
  };

  brief->pipeline = vtr_app_pipeline (
    scene, &(VtrAppPipelineInfo){ .n_colors = 1,
                                  .formats = &format,
                                  .fragment = vtr_app_demo_input_shader (&self->demo),
                                  .blend = self->demo.frame % 2 == 1,
                                  .layout = self->layout });
  /* These are destroyed here only. */
  scene->n_kept -= 2;
  vkDestroyShaderModule (device, (VkShaderModule)scene->kept[scene->n_kept].handle, NULL);
  vtr_app_check (vkCreateEvent (device, &event, NULL, &brief->event), "vkCreateEvent");
  vtr_app_check (vkCreateQueryPool (device, &queries, NULL, &brief->queries), "vkCreateQueryPool");
  vkCmdResetQueryPool (self->demo.commands, brief->queries, 0, queries.queryCount);
}

/* --- Frames ---------------------------------------------------------------------------------- */

static void
start (VtrAppDemo *demo)
{
  Reuse *self = (Reuse *)demo;
  const VkDescriptorSetLayoutBinding bindings[] = {
    { 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
    { 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL },
  };
  const VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2 },
                                         { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2 } };
  const VkDescriptorPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
    .maxSets = 2,
    .poolSizeCount = 2,
    .pPoolSizes = sizes,
  };

  self->set_layout = vtr_app_demo_set_layout (demo, bindings, 2, 0, NULL);
  self->layout = vtr_app_demo_layout (demo, self->set_layout,
                                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
  vtr_app_check (vkCreateDescriptorPool (demo->scene.gpu.device, &pool, NULL, &self->pool),
                 "vkCreateDescriptorPool");
  VTR_APP_KEEP (&demo->scene, DESCRIPTOR_POOL, self->pool);
  make_all_shared (self);
}

static void
draw_with (Reuse       *self,
           const Brief *brief,
           uint32_t     nth)
{
  VtrAppDemo *demo = &self->demo;

  if (brief->set == VK_NULL_HANDLE || demo->scene.stopped)
    return;
  vkCmdBindPipeline (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, brief->pipeline);
  vkCmdBindDescriptorSets (demo->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->layout, 0, 1,
                           &brief->set, 0, NULL);
  vkCmdBeginQuery (demo->commands, brief->queries, 0, 0);
  vtr_app_demo_triangle (demo, nth);
  vkCmdEndQuery (demo->commands, brief->queries, 0);
}

static void
draw (VtrAppDemo *demo)
{
  Reuse *self = (Reuse *)demo;
  Brief *fresh = &self->briefs[demo->frame % 2], *old = &self->briefs[1 - demo->frame % 2];

  drop (self, fresh);
  make_buffer (self, fresh);
  make_image (self, fresh);
  make_set (self, fresh);
  make_others (self, fresh);
  if (demo->frame > 0)
    vkCmdResetQueryPool (demo->commands, old->queries, 0, 1);
  vtr_app_demo_begin_rendering (demo);
  draw_with (self, fresh, 1);
  vtr_app_demo_check (demo);
  draw_with (self, old, 4);
  vtr_app_demo_end_rendering (demo);
  if (demo->scene.stopped)
    return;
  use_shared (self);
  vtr_app_demo_check (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Reuse *self = (Reuse *)demo;
  const VkDevice device = demo->scene.gpu.device;

  for (uint32_t i = 0; i < 2; i++)
    drop (self, &self->briefs[i]);
  for (uint32_t i = 0; i < 4; i++)
    vkDestroyImage (device, self->shared[i], NULL);
  vkDestroyBuffer (device, self->bytes, NULL);
  vkFreeMemory (device, self->memory, NULL);
}

int
main (int    argc,
      char **argv)
{
  Reuse self = { 0 };

  return vtr_app_demo_run (&self.demo,
                           &(VtrAppDemoInfo){ .what = "what every driver has",
                                              .start = start,
                                              .draw = draw,
                                              .finish = finish },
                           argc, argv);
}
