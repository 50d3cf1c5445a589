/* Finds resources that are not copied yet and that a call may change. */
#include "vtr-layer-late-private.h"

#include "vtr-layer-live-state.h"

#include "api/vtr-api-program.h"

typedef struct
{
  VtrLate *late;
  VkCommandBuffer commands; /* that is looked through; NULL: a call */
  bool submits;
  bool begins_pass; /* the command that is looked at: it names what will be drawn to */
  bool ends_device;
  bool found;
} Touch;

/* Bytes in the copy of the process never change, so no call has to wait for them; but their records
 * are written with the device. Returns: whether it is still to be copied. */
static bool
want (Touch           *self,
      VtrLateResource *resource)
{
  if (resource == NULL || resource->n_left == 0 || (resource->kept != NULL && !self->ends_device))
    return false;
  self->found = true;
  if (resource->wanted)
    return true;
  resource->wanted = true;
  resource->next_wanted = self->late->first_wanted;
  self->late->first_wanted = resource;
  return true;
}

static void
want_all (Touch *self)
{
  for (size_t i = 0; i < self->late->n_resources; i++)
    want (self, &self->late->resources[i]);
}

/* ---- Descriptors ---- */

static bool
want_all_stored (Touch *self)
{
  bool found = false;

  for (size_t i = 0; self->late->n_stored > 0 && i < self->late->n_resources; i++)
    if (self->late->resources[i].stored)
      found |= want (self, &self->late->resources[i]);
  return found;
}

/* The resources that shaders may write to through a handle. None if it was destroyed, because no
 * shader can use such a descriptor. With the lock of the live records. */
static bool
want_reached (void        *data,
              VtrHandleId  type,
              uint64_t     handle)
{
  Touch *self = data;
  VtrLayerWorld *world = self->late->contents.device->live;
  const VtrLayerImageView *view;
  const VtrLayerBufferView *texels;

  switch (type)
    {
    case VTR_HANDLE_VkBuffer:
      return want (self, vtr_layer_map_get (&self->late->buffers, handle));
    case VTR_HANDLE_VkBufferView:
      texels = vtr_layer_live_state (world, type, handle);
      return texels != NULL &&
             want (self, vtr_layer_map_get (&self->late->buffers, texels->buffer));
    case VTR_HANDLE_VkImageView:
      view = vtr_layer_live_state (world, type, handle);
      return view != NULL &&
             want (self, vtr_layer_map_get (&self->late->images, view->image));
    default:
      return want_all_stored (self);
    }
}

static void
want_all_reached (Touch               *self,
                  const VtrLayerReach *reach)
{
  VtrLate *late = self->late;

  if (late->n_stored == 0 || reach->n == 0)
    return;
  vtr_layer_live_lock ();
  for (size_t i = 0; i < reach->n; i++)
    vtr_layer_live_visit_reached (late->contents.device->live, &reach->items[i], late->looker,
                                  want_reached, self);
  vtr_layer_live_unlock ();
}

/* ---- Passes ---- */

/* With the lock of what lives. */
static void
want_view (Touch                   *self,
           const VtrLayerImageView *view)
{
  if (view->image == 0)
    want_all (self);
  else
    want (self, vtr_layer_map_get (&self->late->images, view->image));
}

/* The images of a view or framebuffer; all images, if that is unknown. */
static void
want_attachments (Touch       *self,
                  VtrHandleId  type,
                  uint64_t     handle)
{
  const void *state;

  vtr_layer_live_lock ();
  state = vtr_layer_live_state (self->late->contents.device->live, type, handle);
  if (state == NULL)
    want_all (self);
  else if (type == VTR_HANDLE_VkImageView)
    want_view (self, state);
  else
    for (uint32_t i = 0; i < ((const VtrLayerFramebuffer *)state)->n; i++)
      want_view (self, &((const VtrLayerFramebuffer *)state)->views[i]);
  vtr_layer_live_unlock ();
}

/* ---- Names ---- */

static void look_through (Touch           *self,
                          VkCommandBuffer  commands);

static void
touch_handle (void                 *data,
              const VtrVisitHandle *handle)
{
  Touch *self = data;
  uint64_t value = 0;

  if (handle->ignored || handle->out)
    return;
  memcpy (&value, handle->slot, handle->dispatchable ? sizeof (void *) : sizeof value);
  if (value == 0)
    return;
  switch (handle->type)
    {
    case VTR_HANDLE_VkImage:
      want (self, vtr_layer_map_get (&self->late->images, value));
      break;
    case VTR_HANDLE_VkBuffer:
      want (self, vtr_layer_map_get (&self->late->buffers, value));
      break;
    case VTR_HANDLE_VkDeviceMemory:
      for (VtrLateResource *each = vtr_layer_map_get (&self->late->memory, value); each != NULL;
           each = each->next_in_memory)
        want (self, each);
      break;
    case VTR_HANDLE_VkImageView:
    case VTR_HANDLE_VkFramebuffer:
      if (self->begins_pass)
        want_attachments (self, handle->type, value);
      break;
    case VTR_HANDLE_VkCommandBuffer:
      if (self->submits && value != (uint64_t)(uintptr_t)self->commands)
        look_through (self, (VkCommandBuffer)(uintptr_t)value);
      break;
    default:
      break;
    }
}

/* Whether a command only reads what it names. Of these, those that write do it through descriptors
 * (VtrLayerReach), or through usages that no such resource has. */
static bool
only_reads (VtrCmdId cmd)
{
  return vtr_cmd_is (cmd, VTR_CLASS_DRAW | VTR_CLASS_DISPATCH | VTR_CLASS_BIND |
                            VTR_CLASS_DYNAMIC | VTR_CLASS_BEGIN_LABEL | VTR_CLASS_END_LABEL);
}

static bool
touch_command (uint16_t       cmd,
               const uint8_t *message,
               size_t         size,
               void          *data)
{
  const VtrApiVisitor visitor = { .data = data, .handle = touch_handle };
  VtrDecoded decoded;
  VtrArena arena;
  Touch *touch = data;

  if (!vtr_cmd_is_vulkan (cmd) || only_reads ((VtrCmdId)cmd))
    return true;
  touch->begins_pass = vtr_cmd_is ((VtrCmdId)cmd, VTR_CLASS_BEGIN_PASS);
  vtr_arena_init (&arena);
  if (vtr_api_decode ((VtrCmdId)cmd, message, size, NULL, &arena, &decoded) == VTR_OK)
    vtr_api_visit ((VtrCmdId)cmd, decoded.args, NULL, &visitor);
  else
    want_all (data);
  vtr_arena_finish (&arena);
  touch->begins_pass = false;
  return true;
}

static void
look_through (Touch           *self,
              VkCommandBuffer  commands)
{
  const VtrLayerCommandBuffer *known = vtr_layer_command_buffer (commands);
  VkCommandBuffer before = self->commands;

  self->commands = commands;
  /* If the commands are unknown, they may touch any resource. */
  if (known == NULL || known->batch.kept.segment == NULL ||
      vtr_layer_live_get_failure ()[0] != '\0' ||
      !vtr_ring_block_for_each (&known->batch.kept, touch_command, self))
    want_all (self);
  else
    want_all_reached (self, &known->reach);
  self->commands = before;
}

bool
vtr_late_is_harmless (VtrCmdId cmd)
{
  if (vtr_layer_gives_descriptors (cmd))
    return false;
  /* A descriptor that is updated while work that may use it is pending must not be used by that
   * work: what a set leads to at its submission is all that counts. */
  return vtr_cmd_is (cmd, VTR_CLASS_CREATE | VTR_CLASS_RETRIEVE | VTR_CLASS_QUERY |
                            VTR_CLASS_WAIT | VTR_CLASS_FRAME_END | VTR_CLASS_RECORD) ||
         vtr_cmd_canonical (cmd) == VTR_CMD_vkUpdateDescriptorSets ||
         vtr_cmd_canonical (cmd) == VTR_CMD_vkUpdateDescriptorSetWithTemplate;
}

/* The resources in the bytes of @memory to which another one is about to be bound. */
static void
want_range (Touch          *self,
            VkDeviceMemory  memory,
            uint64_t        offset,
            uint64_t        size)
{
  VtrLateResource *each =
    vtr_layer_map_get (&self->late->memory, (uint64_t)(uintptr_t)memory);

  for (; each != NULL; each = each->next_in_memory)
    {
      bool image = each->image.image != VK_NULL_HANDLE;
      uint64_t begin = image ? each->image.offset : each->buffer.offset;
      uint64_t length = image ? each->image.size : each->buffer.size;

      if (begin < offset ? offset - begin < length : begin - offset < size)
        want (self, each);
    }
}

static void
want_bound_buffers (Touch                        *self,
                    uint32_t                      n,
                    const VkBindBufferMemoryInfo *infos)
{
  const VtrLayerDevice *device = self->late->contents.device;

  for (uint32_t i = 0; i < n; i++)
    {
      VkMemoryRequirements needed;

      device->next.GetBufferMemoryRequirements (device->handle, infos[i].buffer, &needed);
      want_range (self, infos[i].memory, infos[i].memoryOffset, needed.size);
    }
}

static void
want_bound_images (Touch                       *self,
                   uint32_t                     n,
                   const VkBindImageMemoryInfo *infos)
{
  const VtrLayerDevice *device = self->late->contents.device;

  for (uint32_t i = 0; i < n; i++)
    {
      VkMemoryRequirements needed = { .size = UINT64_MAX };

      /* Planes that are bound one by one are not asked for. */
      if (infos[i].pNext == NULL)
        device->next.GetImageMemoryRequirements (device->handle, infos[i].image, &needed);
      want_range (self, infos[i].memory, infos[i].memoryOffset, needed.size);
    }
}

/* Binding names the memory, of which it concerns a part. Returns: false: it is another call. */
static bool
touch_bound (Touch      *self,
             VtrCmdId    cmd,
             const void *args)
{
  const VtrArgs_vkBindBufferMemory2 *buffers = args;
  const VtrArgs_vkBindImageMemory2 *images = args;
  const VtrArgs_vkBindBufferMemory *buffer = args;
  const VtrArgs_vkBindImageMemory *image = args;

  switch (vtr_cmd_canonical (cmd))
    {
    case VTR_CMD_vkBindBufferMemory:
      want_bound_buffers (self, 1,
                          &(VkBindBufferMemoryInfo){ .buffer = buffer->buffer,
                                                     .memory = buffer->memory,
                                                     .memoryOffset = buffer->memoryOffset });
      return true;
    case VTR_CMD_vkBindImageMemory:
      want_bound_images (self, 1,
                         &(VkBindImageMemoryInfo){ .image = image->image,
                                                   .memory = image->memory,
                                                   .memoryOffset = image->memoryOffset });
      return true;
    case VTR_CMD_vkBindBufferMemory2:
      want_bound_buffers (self, buffers->bindInfoCount, buffers->pBindInfos);
      return true;
    case VTR_CMD_vkBindImageMemory2:
      want_bound_images (self, images->bindInfoCount, images->pBindInfos);
      return true;
    default:
      return false;
    }
}

bool
vtr_late_touch (VtrLayerLate *late,
                VtrCmdId      cmd,
                const void   *args)
{
  VtrLate *self = (VtrLate *)late;
  Touch touch = { .late = self,
                  .submits = vtr_cmd_is (cmd, VTR_CLASS_SUBMIT),
                  .ends_device = cmd == VTR_CMD_vkDestroyDevice };
  const VtrApiVisitor visitor = { .data = &touch, .handle = touch_handle };

  if (touch.ends_device)
    want_all (&touch);
  else if (vtr_layer_gives_descriptors (cmd))
    want_all_stored (&touch);
  else if (!touch_bound (&touch, cmd, args))
    vtr_api_visit (cmd, (void *)args, &self->contents.device->names.env, &visitor);
  return touch.found;
}
