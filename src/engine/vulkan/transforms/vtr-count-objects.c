/* Creates the objects that counting needs: new ones, and those that the program has destroyed
 * since. */
#include "engine/vulkan/transforms/vtr-count-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "vtr-api-args.h"

#define MAX_DEPTH 8

gboolean
vtr_count_unsupported (GError     **error,
                       const char  *message)
{
  g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED, message);
  return FALSE;
}

gboolean
vtr_count_emit (VtrCount  *self,
                VtrCmdId   id,
                gpointer   args,
                GError   **error)
{
  return vtr_transform_emit (self->parent.next, id, args, self->position, error);
}

void
vtr_count_unlink (const void      **next,
                  VkStructureType   s_type)
{
  while (*next != NULL)
    {
      VkBaseOutStructure *at = (VkBaseOutStructure *)*next;

      if (at->sType == s_type)
        *next = at->pNext;
      else
        next = (const void **)&at->pNext;
    }
}

/* --- Made again ------------------------------------------------------------------------------ */

typedef struct
{
  VtrCount *count;
  guint64 at;
  guint depth;
  GError *error;
} Naming;

static gboolean name_one (VtrCount  *self,
                          guint32    type,
                          guint64   *handle,
                          guint64    at,
                          guint      depth,
                          GError   **error);

static guint64
map_handle (void        *data,
            VtrHandleId  type,
            guint64      value)
{
  Naming *self = data;

  if (self->error == NULL)
    name_one (self->count, type, &value, self->at, self->depth, &self->error);
  return value;
}

static gboolean
name_below (VtrCount    *self,
            VtrCommand  *command,
            guint64      at,
            guint        depth,
            GError     **error)
{
  Naming naming = { self, at, depth, NULL };

  vtr_api_remap (command->id, command->args, &(VtrApiEnv){ .decoded = true }, false, map_handle,
                 &naming);
  if (naming.error == NULL)
    return TRUE;
  g_propagate_error (error, naming.error);
  return FALSE;
}

typedef struct
{
  guint32 type;
  guint64 value;
  guint n;
} Output;

static void
set_output (void                 *data,
            const VtrVisitHandle *handle)
{
  Output *self = data;

  if (!handle->out || handle->type != self->type || handle->dispatchable)
    return;
  memcpy (handle->slot, &self->value, sizeof self->value);
  self->n++;
}

/* Whether commands that still run may refer to objects of the type. */
static gboolean
may_be_made_again (guint32 type)
{
  switch (type)
    {
    case VTR_HANDLE_VkPipelineLayout:
    case VTR_HANDLE_VkDescriptorSetLayout:
    case VTR_HANDLE_VkShaderModule:
    case VTR_HANDLE_VkRenderPass:
    case VTR_HANDLE_VkSampler:
    case VTR_HANDLE_VkSamplerYcbcrConversion:
    case VTR_HANDLE_VkDescriptorUpdateTemplate:
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
make_again (VtrCount         *self,
            const VtrObject  *object,
            guint64          *out,
            guint             depth,
            GError          **error)
{
  Output output = { object->type, vtr_transform_new_handle (), 0 };
  const VtrApiVisitor visitor = { .data = &output, .handle = set_output };
  VtrCommand creation;
  VtrArena arena;
  gboolean ok;

  vtr_arena_init (&arena);
  ok = vtr_history_decode_creation (self->history, object, &arena, &creation, error) &&
       name_below (self, &creation, object->created, depth + 1, error);
  if (ok)
    {
      vtr_api_visit (creation.id, creation.args, &(VtrApiEnv){ .decoded = true }, &visitor);
      creation.index = self->position;
      creation.flags = 0;
      ok = output.n == 1 ? vtr_transform_command (self->parent.next, &creation, error)
                         : vtr_count_unsupported (
                             error, _ ("An object that this pass needs cannot be created again."));
    }
  vtr_arena_finish (&arena);
  *out = output.value;
  return ok;
}

static gboolean
name_one (VtrCount  *self,
          guint32    type,
          guint64   *handle,
          guint64    at,
          guint      depth,
          GError   **error)
{
  const VtrObject *object = *handle != 0 && !vtr_transform_is_new_handle (*handle)
                              ? vtr_history_find (self->history,
                                                  vtr_vulkan_identity (type, *handle), at)
                              : NULL;
  gpointer key;
  guint64 *made;

  if (object == NULL || object->destroyed >= self->position)
    return TRUE;
  key = GUINT_TO_POINTER (object->id);
  made = g_hash_table_lookup (self->remade, key);
  if (made == NULL)
    {
      guint64 value = 0;

      if (!may_be_made_again (type) || depth >= MAX_DEPTH)
        {
          g_autofree char *name = vtr_history_describe (self->history, object);

          g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                       _ ("The %s, which this pass needs, was destroyed too early."), name);
          return FALSE;
        }
      if (!make_again (self, object, &value, depth, error))
        return FALSE;
      made = g_memdup2 (&value, sizeof value);
      g_hash_table_insert (self->remade, key, made);
    }
  *handle = *made;
  return TRUE;
}

gboolean
vtr_count_name (VtrCount  *self,
                guint32    type,
                guint64   *handle,
                guint64    at,
                GError   **error)
{
  return name_one (self, type, handle, at, 0, error);
}

gboolean
vtr_count_name_all (VtrCount    *self,
                    VtrCommand  *command,
                    guint64      at,
                    GError     **error)
{
  return name_below (self, command, at, 0, error);
}

/* --- Our own --------------------------------------------------------------------------------- */

static gboolean
back_image (VtrCount  *self,
            GError   **error)
{
  VtrVulkanRead read = { .parent = VTR_VULKAN_READ, .function = VTR_REPLAY_BACK_IMAGE };

  read.image.device = self->plan.pass.device;
  read.image.image = self->image;
  return vtr_transform_read (self->parent.next, &read.parent, error);
}

gboolean
vtr_count_make_image (VtrCount  *self,
                      GError   **error)
{
  const VtrReplayReadImage *what = &self->plan.read;
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = (VkFormat)what->format,
    .extent = { what->width, what->height, 1 },
    .mipLevels = 1,
    .arrayLayers = self->plan.n_layers,
    .samples = (VkSampleCountFlagBits)what->samples,
    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
             VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
  };
  VkImageViewCreateInfo view = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
    .format = info.format,
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, info.arrayLayers },
  };
  VkDevice device = VTR_COUNT_HANDLE (VkDevice, self->plan.pass.device);
  VkImageView view_handle;
  VkImage image_handle;
  VtrArgs_vkCreateImage image_args = { device, &info, NULL, &image_handle };
  VtrArgs_vkCreateImageView view_args = { device, &view, NULL, &view_handle };

  self->image = vtr_transform_new_handle ();
  self->view = vtr_transform_new_handle ();
  image_handle = VTR_COUNT_HANDLE (VkImage, self->image);
  view_handle = VTR_COUNT_HANDLE (VkImageView, self->view);
  view.image = image_handle;
  return vtr_count_emit (self, VTR_CMD_vkCreateImage, &image_args, error) &&
         back_image (self, error) &&
         vtr_count_emit (self, VTR_CMD_vkCreateImageView, &view_args, error);
}

static gboolean
emit_barrier (VtrCount              *self,
              VkCommandBuffer        buffer,
              VkImageMemoryBarrier  *barrier,
              VkPipelineStageFlags   from,
              VkPipelineStageFlags   to,
              GError               **error)
{
  VtrArgs_vkCmdPipelineBarrier args = { .commandBuffer = buffer,
                                        .srcStageMask = from,
                                        .dstStageMask = to,
                                        .imageMemoryBarrierCount = 1,
                                        .pImageMemoryBarriers = barrier };

  return vtr_count_emit (self, VTR_CMD_vkCmdPipelineBarrier, &args, error);
}

gboolean
vtr_count_clear_image (VtrCount         *self,
                       VkCommandBuffer   buffer,
                       GError          **error)
{
  const VkClearColorValue zero = { .float32 = { 0 } };
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = VTR_COUNT_HANDLE (VkImage, self->image),
    .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, self->plan.n_layers },
  };
  VtrArgs_vkCmdClearColorImage clear = { buffer, barrier.image, barrier.newLayout,
                                         &zero, 1, &barrier.subresourceRange };

  if (!emit_barrier (self, buffer, &barrier, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                     VK_PIPELINE_STAGE_TRANSFER_BIT, error) ||
      !vtr_count_emit (self, VTR_CMD_vkCmdClearColorImage, &clear, error))
    return FALSE;
  barrier.srcAccessMask = barrier.dstAccessMask;
  barrier.dstAccessMask =
    VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  barrier.oldLayout = barrier.newLayout;
  barrier.newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  return emit_barrier (self, buffer, &barrier, VK_PIPELINE_STAGE_TRANSFER_BIT,
                       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, error);
}

static gboolean
make_pool (VtrCount            *self,
           const VtrRecording  *like,
           GError             **error)
{
  const VkCommandPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .queueFamilyIndex = like->word,
  };
  VkCommandPool pool;
  VtrArgs_vkCreateCommandPool args = { VTR_COUNT_HANDLE (VkDevice, self->plan.pass.device), &info,
                                       NULL, &pool };

  if (like->word == G_MAXUINT32)
    return vtr_count_unsupported (
      error, _ ("The trace does not say how the command buffer was allocated"));
  self->pool = vtr_transform_new_handle ();
  pool = VTR_COUNT_HANDLE (VkCommandPool, self->pool);
  return vtr_count_emit (self, VTR_CMD_vkCreateCommandPool, &args, error);
}

gboolean
vtr_count_make_secondary (VtrCount            *self,
                          const VtrRecording  *like,
                          VkCommandBuffer     *out,
                          GError             **error)
{
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
    .commandBufferCount = 1,
  };
  VtrArgs_vkAllocateCommandBuffers args = { VTR_COUNT_HANDLE (VkDevice, self->plan.pass.device),
                                            &info, out };

  if (self->pool == 0 && !make_pool (self, like, error))
    return FALSE;
  info.commandPool = VTR_COUNT_HANDLE (VkCommandPool, self->pool);
  *out = VTR_COUNT_HANDLE (VkCommandBuffer, vtr_transform_new_handle ());
  return vtr_count_emit (self, VTR_CMD_vkAllocateCommandBuffers, &args, error);
}
