/* Builds payloads for the replay machine by hand, for the replayer's tests: arguments,
 * structures, and common calls. */
#include "payload.h"

#include <string.h>

void
payload_init (Payload *self)
{
  memset (self, 0, sizeof *self);
  self->next = 16;
  self->resources = g_array_new (FALSE, FALSE, sizeof (VtrReplayResource));
}

void
payload_clear (Payload *self)
{
  vtr_buffer_finish (&self->code);
  g_clear_pointer (&self->resources, g_array_unref);
}

guint32
payload_room (Payload *self,
              gsize    size)
{
  guint32 at = self->next;

  self->next += (guint32)((size + 15) & ~(gsize)15);
  return at;
}

guint32
payload_put (Payload       *self,
             gconstpointer  data,
             gsize          size)
{
  guint32 at = payload_room (self, size);

  vtr_asm_inline (&self->code, at, data, (guint32)size, NULL, 0, NULL, 0);
  return at;
}

void
payload_point (Payload *self,
               guint32  at,
               guint32  target)
{
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, target);
  vtr_asm_store (&self->code, at);
}

void
payload_copy_handle (Payload *self,
                     guint32  at,
                     guint32  source)
{
  vtr_asm_load (&self->code, VTR_VM_UINT64, source);
  vtr_asm_store (&self->code, at);
}

void
payload_call_args (Payload   *self,
                   guint      function,
                   const Arg *args,
                   gsize      n)
{
  for (gsize i = 0; i < n; i++)
    switch (args[i].kind)
      {
      case ARG_U32:
        vtr_asm_push (&self->code, VTR_VM_UINT32, args[i].value);
        break;
      case ARG_U64:
        vtr_asm_push (&self->code, VTR_VM_UINT64, args[i].value);
        break;
      case ARG_SLOT:
        vtr_asm_load (&self->code, VTR_VM_UINT64, args[i].value);
        break;
      case ARG_POINTER:
        vtr_asm_push (&self->code, VTR_VM_VOLATILE, args[i].value);
        break;
      case ARG_FLOAT:
        vtr_asm_push (&self->code, VTR_VM_FLOAT, args[i].value);
        break;
      }
  vtr_asm_call (&self->code,
                function < VTR_REPLAY_FIRST_COMMON ? VTR_VM_API_VULKAN : VTR_VM_API_BUILTIN,
                function, false);
}

gboolean
payload_run (Payload                *self,
             VtrReplayBackend       *backend,
             guint32                 flags,
             const VtrReplayEvents  *events,
             gpointer                data,
             VtrReplayOutcome       *outcome,
             GError                **error)
{
  const VtrReplaySegment segment = {
    .opcodes = (const guint32 *)(gconstpointer)self->code.data,
    .n_opcodes = self->code.size / 4,
    .resources = (const VtrReplayResource *)(gconstpointer)self->resources->data,
    .n_resources = self->resources->len,
  };

  g_assert_false (self->code.failed);
  if (!backend->klass->begin (backend, flags, events, data, NULL, error))
    return FALSE;
  backend->klass->send (backend, &segment, NULL);
  return backend->klass->finish (backend, outcome, NULL, error);
}

/* --- A device -------------------------------------------------------------------------------- */

static void
make_instance (Payload *self,
               Device  *device)
{
  VkApplicationInfo application = { VK_STRUCTURE_TYPE_APPLICATION_INFO };
  VkInstanceCreateInfo info = { VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
  guint32 at;

  application.apiVersion = VK_API_VERSION_1_3;
  at = payload_put (self, &info, sizeof info);
  payload_point (self, at + (guint32)G_STRUCT_OFFSET (VkInstanceCreateInfo, pApplicationInfo),
                 payload_put (self, &application, sizeof application));
  vtr_asm_label (&self->code, 1);
  payload_call (self, VTR_CMD_vkCreateInstance, AT (at), NOTHING, AT (device->instance));
  vtr_asm_label (&self->code, 2);
  payload_call (self, VTR_REPLAY_GET_PHYSICAL_DEVICE, SLOT (device->instance), U32 (0), U32 (0),
                U32 (0), NOTHING, AT (device->physical));
}

static void
make_device (Payload *self,
             Device  *device)
{
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO };
  VkDeviceCreateInfo info = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO };
  guint32 at, queue_at;

  queue.queueCount = 1;
  queue_at = payload_put (self, &queue, sizeof queue);
  payload_point (self,
                 queue_at + (guint32)G_STRUCT_OFFSET (VkDeviceQueueCreateInfo, pQueuePriorities),
                 payload_put (self, &priority, sizeof priority));
  info.queueCreateInfoCount = 1;
  at = payload_put (self, &info, sizeof info);
  payload_point (self, at + (guint32)G_STRUCT_OFFSET (VkDeviceCreateInfo, pQueueCreateInfos),
                 queue_at);
  vtr_asm_label (&self->code, 3);
  payload_call (self, VTR_CMD_vkCreateDevice, SLOT (device->physical), AT (at), NOTHING,
                AT (device->device));
  vtr_asm_label (&self->code, 4);
  payload_call (self, VTR_CMD_vkGetDeviceQueue, SLOT (device->device), U32 (0), U32 (0),
                AT (device->queue));
}

static void
make_commands (Payload *self,
               Device  *device)
{
  VkCommandPoolCreateInfo pool = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
  VkCommandBufferAllocateInfo commands = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO };
  guint32 at;

  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  vtr_asm_label (&self->code, 5);
  payload_call (self, VTR_CMD_vkCreateCommandPool, SLOT (device->device),
                AT (payload_put (self, &pool, sizeof pool)), NOTHING, AT (device->pool));
  commands.commandBufferCount = 1;
  at = payload_put (self, &commands, sizeof commands);
  payload_copy_handle (
    self, at + (guint32)G_STRUCT_OFFSET (VkCommandBufferAllocateInfo, commandPool), device->pool);
  vtr_asm_label (&self->code, 6);
  payload_call (self, VTR_CMD_vkAllocateCommandBuffers, SLOT (device->device), AT (at),
                AT (device->commands));
}

void
payload_make_device (Payload *self,
                     Device  *device)
{
  device->instance = payload_room (self, 8);
  device->physical = payload_room (self, 8);
  device->device = payload_room (self, 8);
  device->queue = payload_room (self, 8);
  device->pool = payload_room (self, 8);
  device->commands = payload_room (self, 8);
  make_instance (self, device);
  make_device (self, device);
  make_commands (self, device);
}

guint32
payload_make_image (Payload                 *self,
                    const Device            *device,
                    const VkImageCreateInfo *info,
                    guint64                  bytes,
                    guint32                 *memory)
{
  VkMemoryAllocateInfo allocate = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  guint32 image = payload_room (self, 8);

  *memory = payload_room (self, 8);
  allocate.allocationSize = bytes;
  payload_call (self, VTR_CMD_vkCreateImage, SLOT (device->device),
                AT (payload_put (self, info, sizeof *info)), NOTHING, AT (image));
  payload_call (self, VTR_CMD_vkAllocateMemory, SLOT (device->device),
                AT (payload_put (self, &allocate, sizeof allocate)), NOTHING, AT (*memory));
  payload_call (self, VTR_CMD_vkBindImageMemory, SLOT (device->device), SLOT (image),
                SLOT (*memory), U64 (0));
  return image;
}

void
payload_begin_commands (Payload      *self,
                        const Device *device)
{
  VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };

  payload_call (self, VTR_CMD_vkBeginCommandBuffer, SLOT (device->commands),
                AT (payload_put (self, &begin, sizeof begin)));
}

void
payload_barrier (Payload            *self,
                 const Device       *device,
                 guint32             image,
                 VkImageAspectFlags  aspects,
                 VkImageLayout       from,
                 VkImageLayout       to)
{
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .subresourceRange = { aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS },
  };
  guint32 at = payload_put (self, &barrier, sizeof barrier);

  payload_copy_handle (self, at + (guint32)G_STRUCT_OFFSET (VkImageMemoryBarrier, image), image);
  payload_call (self, VTR_CMD_vkCmdPipelineBarrier, SLOT (device->commands),
                U32 (VK_PIPELINE_STAGE_ALL_COMMANDS_BIT), U32 (VK_PIPELINE_STAGE_ALL_COMMANDS_BIT),
                U32 (0), U32 (0), NOTHING, U32 (0), NOTHING, U32 (1), AT (at));
}

void
payload_submit_commands (Payload      *self,
                         const Device *device)
{
  VkSubmitInfo submit = { VK_STRUCTURE_TYPE_SUBMIT_INFO };
  guint32 at;

  payload_call (self, VTR_CMD_vkEndCommandBuffer, SLOT (device->commands));
  submit.commandBufferCount = 1;
  at = payload_put (self, &submit, sizeof submit);
  payload_point (self, at + (guint32)G_STRUCT_OFFSET (VkSubmitInfo, pCommandBuffers),
                 device->commands);
  payload_call (self, VTR_CMD_vkQueueSubmit, SLOT (device->queue), U32 (1), AT (at), U64 (0));
}

void
payload_read_image (Payload                  *self,
                    const Device             *device,
                    guint32                   image,
                    const VtrReplayReadImage *read)
{
  const VtrReplayReadTexels texels = vtr_vulkan_texels_to_read (read);
  guint32 at = payload_put (self, &texels, sizeof texels);

  payload_copy_handle (self, at + (guint32)G_STRUCT_OFFSET (VtrReplayReadTexels, owner),
                       device->device);
  payload_copy_handle (self, at + (guint32)G_STRUCT_OFFSET (VtrReplayReadTexels, object), image);
  payload_call (self, VTR_REPLAY_READ_TEXELS, AT (at));
}
