/* vtr-app-demo-stored: a frame first changes what the frame before left in storage images, storage
 * buffers and storage texel buffers, with shaders that reach them through descriptors in every
 * possible way, and then shows them. No other command names them before.
 *
 * Each way is three rows of the picture: image, buffer, texel buffer. A capture that copies
 * contents after its first frame has begun must have copied them before the shaders run. --push:
 * also descriptors that are pushed. --after-bind: also sets that are updated after they were bound,
 * and descriptors of mutable types. --buffers: also descriptors in a buffer, which the program was
 * told before the first frame. --busy: one of the images is large, and is changed by work that
 * waits in the queue for work which the CPU lets begin later. */
#include "vtr-app-demo-stored.h"

#include "demo_stored_comp.h"

#include <stddef.h>
#include <string.h>

#define N_BINDINGS 3u
#define ROW_BYTES (VTR_APP_DEMO_WIDTH * 4u)
#define OFFSET 256u /* a dynamic one; any device takes it */
#define LARGE 3072u /* rows and columns: 36 MiB */

typedef enum
{
  WRITTEN,         /* a set that was written before the first frame */
  TEMPLATE,        /* written by a template */
  COPIED,          /* copied from another set */
  PUSHED,          /* pushed descriptors */
  PUSHED_TEMPLATE, /* the same by a template */
  SECONDARY,       /* bound by a secondary command buffer */
  PREBUILT,        /* bound by commands that were recorded before the first frame */
  DYNAMIC,         /* bound with a dynamic offset */
  MUTABLE,
  AFTER_BIND, /* updated after it was bound */
  BUFFERED,   /* descriptors in a buffer */
  N_WAYS,
} Way;

/* A pipeline for one layout of sets. */
typedef struct
{
  VkDescriptorSetLayoutBinding bindings[N_BINDINGS];
  VkDescriptorSetLayout set;
  VkPipelineLayout layout;
  VkPipeline pipeline;
} Shape;

typedef struct
{
  VtrAppImage image;
  VtrAppBuffer buffer, texels;
  VkBufferView view;
  VkDescriptorSet set;
} Stored;

/* What a template reads. */
typedef struct
{
  VkDescriptorImageInfo image;
  VkDescriptorBufferInfo buffer;
  VkBufferView view;
} Data;

typedef struct
{
  VtrAppDemo demo;
  Shape plain, pushed, dynamic, any, after_bind, buffered;
  Stored stored[N_WAYS], nothing;
  VkDescriptorSet source; /* what COPIED is copied from */
  VkDescriptorUpdateTemplate template, push_shape;
  VkCommandBuffer prebuilt, secondary;
  VkSemaphore timeline;           /* with --busy */
  VtrAppStoredBuffer descriptors; /* of BUFFERED */
  PFN_vkCmdPushDescriptorSetKHR push;
  PFN_vkCmdPushDescriptorSetWithTemplateKHR push_template;
} Demo;

static bool pushes, after_bind, buffers, busy;

static bool
has (Way way)
{
  return way == PUSHED || way == PUSHED_TEMPLATE ? pushes
         : way == MUTABLE || way == AFTER_BIND   ? after_bind
         : way == BUFFERED                       ? buffers
                                                 : way < N_WAYS;
}

/* ---- Layouts ---- */

static void
make_shape (Demo                             *self,
            Shape                            *shape,
            const VkDescriptorType            types[N_BINDINGS],
            VkDescriptorSetLayoutCreateFlags  flags,
            const void                       *next)
{
  VtrAppScene *scene = &self->demo.scene;
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = vtr_app_scene_shader (scene, demo_stored_comp, sizeof demo_stored_comp),
               .pName = "main" },
  };

  for (uint32_t i = 0; i < N_BINDINGS; i++)
    shape->bindings[i] =
      (VkDescriptorSetLayoutBinding){ i, types[i], 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL };
  shape->set = vtr_app_demo_set_layout (&self->demo, shape->bindings, N_BINDINGS, flags, next);
  shape->layout = vtr_app_demo_layout (&self->demo, shape->set, VK_SHADER_STAGE_COMPUTE_BIT);
  info.layout = shape->layout;
  info.flags = (flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT) != 0
                 ? VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT
                 : 0;
  vtr_app_check (vkCreateComputePipelines (scene->gpu.device, VK_NULL_HANDLE, 1, &info, NULL,
                                           &shape->pipeline),
                 "vkCreateComputePipelines");
  VTR_APP_KEEP (scene, PIPELINE, shape->pipeline);
}

static const VkDescriptorType plain_types[N_BINDINGS] = {
  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
};

static const VkMutableDescriptorTypeListEXT lists[N_BINDINGS] = {
  { N_BINDINGS, plain_types }, { N_BINDINGS, plain_types }, { N_BINDINGS, plain_types }
};
static const VkMutableDescriptorTypeCreateInfoEXT mutable_types = {
  .sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
  .mutableDescriptorTypeListCount = N_BINDINGS,
  .pMutableDescriptorTypeLists = lists,
};

static void
make_shapes (Demo *self)
{
  static const VkDescriptorType dynamic_types[N_BINDINGS] = {
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
    VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
  };
  static const VkDescriptorType any_types[N_BINDINGS] = {
    VK_DESCRIPTOR_TYPE_MUTABLE_EXT,
    VK_DESCRIPTOR_TYPE_MUTABLE_EXT,
    VK_DESCRIPTOR_TYPE_MUTABLE_EXT,
  };
  static const VkDescriptorBindingFlags later[N_BINDINGS] = {
    VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
    VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
    VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
  };
  static const VkDescriptorSetLayoutBindingFlagsCreateInfo flags = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
    .bindingCount = N_BINDINGS,
    .pBindingFlags = later,
  };

  make_shape (self, &self->plain, plain_types, 0, NULL);
  make_shape (self, &self->dynamic, dynamic_types, 0, NULL);
  if (pushes)
    make_shape (self, &self->pushed, plain_types,
                VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR, NULL);
  if (buffers)
    make_shape (self, &self->buffered, plain_types,
                VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT, NULL);
  if (!after_bind)
    return;
  make_shape (self, &self->any, any_types, 0, &mutable_types);
  make_shape (self, &self->after_bind, plain_types,
              VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT, &flags);
}

static Shape *
get_shape (Demo *self,
           Way   way)
{
  switch (way)
    {
    case PUSHED:
    case PUSHED_TEMPLATE:
      return &self->pushed;
    case DYNAMIC:
      return &self->dynamic;
    case MUTABLE:
      return &self->any;
    case AFTER_BIND:
      return &self->after_bind;
    case BUFFERED:
      return &self->buffered;
    default:
      return &self->plain;
    }
}

/* ---- Resources ---- */

/* @usage: more usages of the buffers; @edge: of the image; 0: it is a row */
static void
make_stored (Demo               *self,
             Stored             *stored,
             VkBufferUsageFlags  usage,
             uint32_t            edge)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;
  const VkCommandBuffer commands = self->demo.commands;
  const VkBufferUsageFlags transfers =
    usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
  const VkClearColorValue value = { .uint32 = { 0xff102030u } };
  VkBufferViewCreateInfo view = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
    .format = VK_FORMAT_R32_UINT,
    .range = VK_WHOLE_SIZE,
  };

  stored->image = vtr_app_image (gpu, edge > 0 ? edge : VTR_APP_DEMO_WIDTH, edge > 0 ? edge : 1,
                                 VK_FORMAT_R32_UINT,
                                 VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                   VK_IMAGE_USAGE_STORAGE_BIT);
  stored->buffer =
    vtr_app_buffer (gpu, OFFSET + ROW_BYTES, transfers | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  stored->texels =
    vtr_app_buffer (gpu, ROW_BYTES, transfers | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
                    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  view.buffer = stored->texels.buffer;
  vtr_app_check (vkCreateBufferView (gpu->device, &view, NULL, &stored->view),
                 "vkCreateBufferView");
  vtr_app_transition (commands, &stored->image, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_GENERAL);
  vkCmdClearColorImage (commands, stored->image.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &all);
  vkCmdFillBuffer (commands, stored->buffer.buffer, 0, VK_WHOLE_SIZE, 0xff405060u);
  vkCmdFillBuffer (commands, stored->texels.buffer, 0, VK_WHOLE_SIZE, 0xff708090u);
  vtr_app_barrier (commands);
}

static void
finish_stored (Demo   *self,
               Stored *stored)
{
  VtrAppGpu *gpu = &self->demo.scene.gpu;

  vkDestroyBufferView (gpu->device, stored->view, NULL);
  vtr_app_image_finish (gpu, &stored->image);
  vtr_app_buffer_finish (gpu, &stored->buffer);
  vtr_app_buffer_finish (gpu, &stored->texels);
}

/* ---- Descriptors ---- */

static Data
data_of (const Stored *stored)
{
  return (Data){ .image = { VK_NULL_HANDLE, stored->image.view, VK_IMAGE_LAYOUT_GENERAL },
                 .buffer = { stored->buffer.buffer, 0, ROW_BYTES },
                 .view = stored->view };
}

/* What @stored has, for sets of @shape. @writes point to @data. */
static void
fill_writes (const Shape          *shape,
             const Data           *data,
             VkDescriptorSet       set,
             VkWriteDescriptorSet  writes[N_BINDINGS])
{
  for (uint32_t i = 0; i < N_BINDINGS; i++)
    writes[i] = (VkWriteDescriptorSet){
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .dstBinding = i,
      .descriptorCount = 1,
      .descriptorType = shape->bindings[i].descriptorType == VK_DESCRIPTOR_TYPE_MUTABLE_EXT
                          ? plain_types[i]
                          : shape->bindings[i].descriptorType,
      .pImageInfo = &data->image,
      .pBufferInfo = &data->buffer,
      .pTexelBufferView = &data->view,
    };
}

static void
write_set (Demo            *self,
           const Shape     *shape,
           VkDescriptorSet  set,
           const Stored    *stored)
{
  const Data data = data_of (stored);
  VkWriteDescriptorSet writes[N_BINDINGS];

  fill_writes (shape, &data, set, writes);
  vkUpdateDescriptorSets (self->demo.scene.gpu.device, N_BINDINGS, writes, 0, NULL);
}

static void
copy_set (Demo *self)
{
  VkCopyDescriptorSet copies[N_BINDINGS];

  for (uint32_t i = 0; i < N_BINDINGS; i++)
    copies[i] = (VkCopyDescriptorSet){
      .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
      .srcSet = self->source,
      .srcBinding = i,
      .dstSet = self->stored[COPIED].set,
      .dstBinding = i,
      .descriptorCount = 1,
    };
  vkUpdateDescriptorSets (self->demo.scene.gpu.device, 0, NULL, N_BINDINGS, copies);
}

static VkDescriptorUpdateTemplate
make_template (Demo *self,
               bool  pushed)
{
  const VkDescriptorUpdateTemplateEntry entries[N_BINDINGS] = {
    { 0, 0, 1, plain_types[0], offsetof (Data, image), 0 },
    { 1, 0, 1, plain_types[1], offsetof (Data, buffer), 0 },
    { 2, 0, 1, plain_types[2], offsetof (Data, view), 0 },
  };
  const VkDescriptorUpdateTemplateCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
    .descriptorUpdateEntryCount = N_BINDINGS,
    .pDescriptorUpdateEntries = entries,
    .templateType = pushed ? VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR
                           : VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
    .descriptorSetLayout = self->plain.set,
    .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
    .pipelineLayout = self->pushed.layout,
  };
  VkDescriptorUpdateTemplate template;

  vtr_app_check (vkCreateDescriptorUpdateTemplate (self->demo.scene.gpu.device, &info, NULL,
                                                   &template),
                 "vkCreateDescriptorUpdateTemplate");
  return template;
}

/* ---- Commands ---- */

static void
push (Demo            *self,
      VkCommandBuffer  commands)
{
  const Data data = data_of (&self->stored[PUSHED]);
  VkWriteDescriptorSet writes[N_BINDINGS];

  fill_writes (&self->pushed, &data, VK_NULL_HANDLE, writes);
  self->push (commands, VK_PIPELINE_BIND_POINT_COMPUTE, self->pushed.layout, 0, N_BINDINGS, writes);
}

static void
push_by_template (Demo            *self,
                  VkCommandBuffer  commands)
{
  const Data data = data_of (&self->stored[PUSHED_TEMPLATE]);

  self->push_template (commands, self->push_shape, self->pushed.layout, 0, &data);
}

static void
change (Demo            *self,
        VkCommandBuffer  commands,
        Way              way)
{
  const Shape *shape = get_shape (self, way);
  const uint32_t offset = OFFSET, step = (uint32_t)way * 77u + 1u;

  vkCmdBindPipeline (commands, VK_PIPELINE_BIND_POINT_COMPUTE, shape->pipeline);
  if (way == PUSHED)
    push (self, commands);
  else if (way == PUSHED_TEMPLATE)
    push_by_template (self, commands);
  else if (way == BUFFERED)
    vtr_app_stored_buffer_bind (&self->descriptors, commands, shape->layout);
  else
    vkCmdBindDescriptorSets (commands, VK_PIPELINE_BIND_POINT_COMPUTE, shape->layout, 0, 1,
                             &self->stored[way].set, way == DYNAMIC ? 1 : 0, &offset);
  vkCmdPushConstants (commands, shape->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof step, &step);
  vkCmdDispatch (commands, 1, 1, 1);
}

static void
record (Demo            *self,
        VkCommandBuffer  commands,
        Way              way)
{
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO
  };
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .pInheritanceInfo = &inheritance,
  };

  vtr_app_check (vkBeginCommandBuffer (commands, &begin), "vkBeginCommandBuffer");
  change (self, commands, way);
  vtr_app_check (vkEndCommandBuffer (commands), "vkEndCommandBuffer");
}

static void
make_timeline (Demo *self)
{
  const VkSemaphoreTypeCreateInfo type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
  };
  const VkSemaphoreCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
    .pNext = &type,
  };

  vtr_app_check (vkCreateSemaphore (self->demo.scene.gpu.device, &info, NULL, &self->timeline),
                 "vkCreateSemaphore");
  VTR_APP_KEEP (&self->demo.scene, SEMAPHORE, self->timeline);
}

/* Until unblock_queue (). */
static void
block_queue (Demo *self)
{
  const uint64_t value = self->demo.frame + 1;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkTimelineSemaphoreSubmitInfo values = {
    .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
    .waitSemaphoreValueCount = 1,
    .pWaitSemaphoreValues = &value,
  };
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .pNext = &values,
    .waitSemaphoreCount = 1,
    .pWaitSemaphores = &self->timeline,
    .pWaitDstStageMask = &stage,
  };

  vtr_app_check (vkQueueSubmit (self->demo.scene.gpu.queue, 1, &submit, VK_NULL_HANDLE),
                 "vkQueueSubmit");
}

static void
unblock_queue (Demo *self)
{
  const VkSemaphoreSignalInfo signal = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
    .semaphore = self->timeline,
    .value = self->demo.frame + 1,
  };

  vtr_app_check (vkSignalSemaphore (self->demo.scene.gpu.device, &signal), "vkSignalSemaphore");
}

static void
run_prebuilt (Demo *self)
{
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->prebuilt,
  };

  if (busy)
    block_queue (self);
  vtr_app_check (vkQueueSubmit (self->demo.scene.gpu.queue, 1, &submit, VK_NULL_HANDLE),
                 "vkQueueSubmit");
  if (busy)
    unblock_queue (self);
  vtr_app_check (vkQueueWaitIdle (self->demo.scene.gpu.queue), "vkQueueWaitIdle");
}

static void
start (VtrAppDemo *demo)
{
  Demo *self = (Demo *)demo;
  VtrAppGpu *gpu = &demo->scene.gpu;

  if (pushes)
    {
      self->push = VTR_APP_NEED (demo, vkCmdPushDescriptorSetKHR);
      self->push_template = VTR_APP_NEED (demo, vkCmdPushDescriptorSetWithTemplateKHR);
    }
  if (busy)
    make_timeline (self);
  make_shapes (self);
  make_stored (self, &self->nothing, 0, 0);
  for (Way way = 0; way < N_WAYS; way++)
    {
      Shape *shape = get_shape (self, way);
      Stored *stored = &self->stored[way];

      if (!has (way))
        continue;
      make_stored (self, stored, way == BUFFERED ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0,
                   way == PREBUILT && busy ? LARGE : 0);
      if (way == BUFFERED)
        vtr_app_stored_buffer (demo, self->buffered.set, data_of (stored).image, &stored->buffer,
                               &stored->texels, &self->descriptors);
      if (shape == &self->pushed || shape == &self->buffered)
        continue;
      stored->set = vtr_app_demo_set (
        demo, shape->set, shape->bindings, N_BINDINGS,
        way == AFTER_BIND ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0,
        way == MUTABLE ? &mutable_types : NULL);
      if (way != TEMPLATE && way != COPIED)
        write_set (self, shape, stored->set, stored);
    }
  self->source = vtr_app_demo_set (demo, self->plain.set, self->plain.bindings, N_BINDINGS, 0,
                                   NULL);
  write_set (self, &self->plain, self->source, &self->stored[COPIED]);
  self->template = make_template (self, false);
  VTR_APP_KEEP (&demo->scene, DESCRIPTOR_UPDATE_TEMPLATE, self->template);
  if (pushes)
    {
      self->push_shape = make_template (self, true);
      VTR_APP_KEEP (&demo->scene, DESCRIPTOR_UPDATE_TEMPLATE, self->push_shape);
    }
  self->prebuilt = vtr_app_commands (gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  self->secondary = vtr_app_commands (gpu, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  record (self, self->prebuilt, PREBUILT);
}

/* ---- A frame ---- */

static void
change_all (Demo *self)
{
  const VkCommandBuffer commands = self->demo.commands;
  const Data data = data_of (&self->stored[TEMPLATE]);

  if (after_bind)
    write_set (self, &self->after_bind, self->stored[AFTER_BIND].set, &self->nothing);
  vkUpdateDescriptorSetWithTemplate (self->demo.scene.gpu.device, self->stored[TEMPLATE].set,
                                     self->template, &data);
  copy_set (self);
  record (self, self->secondary, SECONDARY);
  for (Way way = 0; way < N_WAYS; way++)
    if (way == SECONDARY)
      vkCmdExecuteCommands (commands, 1, &self->secondary);
    else if (way != PREBUILT && has (way))
      change (self, commands, way);
  if (after_bind)
    write_set (self, &self->after_bind, self->stored[AFTER_BIND].set, &self->stored[AFTER_BIND]);
  vtr_app_demo_flush (&self->demo);
  run_prebuilt (self);
}

static void
show (Demo     *self,
      uint32_t  way)
{
  const Stored *stored = &self->stored[way];
  const VkCommandBuffer commands = self->demo.commands;
  const VkImage to = self->demo.color->image;
  const int32_t row = (int32_t)(way * N_BINDINGS);
  const VkImageSubresourceLayers color = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };
  const VkExtent3D extent = { VTR_APP_DEMO_WIDTH, 1, 1 };
  const VkImageCopy texels = { color, { 0, 0, 0 }, color, { 0, row, 0 }, extent };
  VkBufferImageCopy bytes = { .bufferOffset = way == DYNAMIC ? OFFSET : 0,
                              .imageSubresource = color,
                              .imageOffset = { 0, row + 1, 0 },
                              .imageExtent = extent };

  vkCmdCopyImage (commands, stored->image.image, VK_IMAGE_LAYOUT_GENERAL, to,
                  VK_IMAGE_LAYOUT_GENERAL, 1, &texels);
  vkCmdCopyBufferToImage (commands, stored->buffer.buffer, to, VK_IMAGE_LAYOUT_GENERAL, 1, &bytes);
  bytes.bufferOffset = 0;
  bytes.imageOffset.y = row + 2;
  vkCmdCopyBufferToImage (commands, stored->texels.buffer, to, VK_IMAGE_LAYOUT_GENERAL, 1, &bytes);
}

static void
draw (VtrAppDemo *demo)
{
  Demo *self = (Demo *)demo;

  change_all (self);
  if (!vtr_app_demo_check (demo))
    return;
  for (uint32_t way = 0; way < N_WAYS; way++)
    if (has (way))
      show (self, way);
  vtr_app_barrier (demo->commands);
  vtr_app_demo_check (demo);
}

static void
finish (VtrAppDemo *demo)
{
  Demo *self = (Demo *)demo;

  for (uint32_t way = 0; way < N_WAYS; way++)
    if (has (way))
      finish_stored (self, &self->stored[way]);
  finish_stored (self, &self->nothing);
  if (buffers)
    vtr_app_buffer_finish (&demo->scene.gpu, &self->descriptors.buffer);
}

/* Known before the command line is read by those who need to know. */
static bool
is_asked (int          argc,
          char       **argv,
          const char  *option)
{
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], option) == 0)
      return true;
  return false;
}

int
main (int    argc,
      char **argv)
{
  static const VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT,
    .mutableDescriptorType = VK_TRUE,
  };
  static const VkPhysicalDeviceDescriptorBufferFeaturesEXT buffer_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT,
    .descriptorBuffer = VK_TRUE,
  };
  const char *extensions[4] = { NULL };
  const VtrAppOption options[] = {
    { "--push", NULL, NULL, &pushes, "also descriptors that are pushed" },
    { "--after-bind", NULL, NULL, &after_bind,
      "also sets that are updated after they were bound, and mutable descriptors" },
    { "--buffers", NULL, NULL, &buffers, "also descriptors in a buffer" },
    { "--busy", NULL, NULL, &busy, "change a large image by work that waits in the queue" },
    { 0 },
  };
  Demo self = { 0 };
  VtrAppDemoInfo info = {
    .what = "writes through descriptors",
    .features13 = { .maintenance4 = VK_TRUE },
    .options = options,
    .extensions = extensions,
    .start = start,
    .draw = draw,
    .finish = finish,
  };
  uint32_t n = 0, n_more = 0;

  if (is_asked (argc, argv, "--push"))
    extensions[n++] = VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;
  if (is_asked (argc, argv, "--after-bind"))
    {
      extensions[n++] = VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME;
      info.features12 = (VkPhysicalDeviceVulkan12Features){
        .descriptorBindingStorageImageUpdateAfterBind = VK_TRUE,
        .descriptorBindingStorageBufferUpdateAfterBind = VK_TRUE,
        .descriptorBindingStorageTexelBufferUpdateAfterBind = VK_TRUE,
      };
      info.more[n_more].structure = &features;
      info.more[n_more++].size = sizeof features;
    }
  if (is_asked (argc, argv, "--busy"))
    info.features12.timelineSemaphore = VK_TRUE;
  if (is_asked (argc, argv, "--buffers"))
    {
      extensions[n++] = VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME;
      info.features12.bufferDeviceAddress = VK_TRUE;
      info.more[n_more].structure = &buffer_features;
      info.more[n_more++].size = sizeof buffer_features;
    }
  return vtr_app_demo_run (&self.demo, &info, argc, argv);
}
