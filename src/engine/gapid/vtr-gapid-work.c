/* Makes commands that restore state which only work on a queue can change: layouts, signals,
 * acquired images, queries. */
#include "engine/gapid/vtr-gapid-builder-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

/* A command buffer of our own on one queue. */
typedef struct
{
  guint64 device;
  VkQueue queue;
  guint32 family;
  GArray *barriers; /* VkImageMemoryBarrier */
} Scratch;

/* ---- Scratch ---- */

static void
scratch_begin (VtrGapidBuilder *self,
               const Scratch   *scratch,
               VkCommandPool   *pool,
               VkCommandBuffer *buffer)
{
  const VkCommandPoolCreateInfo create = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .queueFamilyIndex = scratch->family,
  };
  VkCommandBufferAllocateInfo allocate = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };
  VkDevice device = VTR_GAPID_HANDLE (VkDevice, scratch->device);
  const VtrArgs_vkCreateCommandPool pool_args = { device, &create, NULL, pool };
  const VtrArgs_vkAllocateCommandBuffers buffer_args = { device, &allocate, buffer };

  *pool = VTR_GAPID_HANDLE (VkCommandPool, vtr_gapid_new_handle (self));
  *buffer = VTR_GAPID_HANDLE (VkCommandBuffer, vtr_gapid_new_handle (self));
  vtr_gapid_emit (self, VTR_CMD_vkCreateCommandPool, &pool_args);
  allocate.commandPool = *pool;
  vtr_gapid_emit (self, VTR_CMD_vkAllocateCommandBuffers, &buffer_args);
  vtr_gapid_emit (self, VTR_CMD_vkBeginCommandBuffer,
                  &(VtrArgs_vkBeginCommandBuffer){ *buffer, &begin });
}

static void
scratch_end (VtrGapidBuilder *self,
             const Scratch   *scratch,
             VkCommandPool    pool,
             VkCommandBuffer  buffer)
{
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &buffer,
  };
  VkDevice device = VTR_GAPID_HANDLE (VkDevice, scratch->device);

  vtr_gapid_emit (self, VTR_CMD_vkEndCommandBuffer, &(VtrArgs_vkEndCommandBuffer){ buffer });
  vtr_gapid_emit (self, VTR_CMD_vkQueueSubmit,
                  &(VtrArgs_vkQueueSubmit){ scratch->queue, 1, &submit, VK_NULL_HANDLE });
  vtr_gapid_emit (self, VTR_CMD_vkQueueWaitIdle, &(VtrArgs_vkQueueWaitIdle){ scratch->queue });
  vtr_gapid_emit (self, VTR_CMD_vkDestroyCommandPool,
                  &(VtrArgs_vkDestroyCommandPool){ device, pool, NULL });
}

/* ---- Layouts ---- */

static Scratch *
find_scratch (GArray  *list,
              guint64  device,
              VkQueue  queue,
              guint32  family)
{
  Scratch added = { device, queue, family, NULL };

  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, Scratch, i).queue == queue)
      return &g_array_index (list, Scratch, i);
  added.barriers = g_array_new (FALSE, FALSE, sizeof (VkImageMemoryBarrier));
  g_array_append_val (list, added);
  return &g_array_index (list, Scratch, list->len - 1);
}

static void
add_level (VtrGapidBuilder      *self,
           const VtrGapidObject *object,
           guint64               aspect,
           guint64               layer,
           const VtrGapidEntry  *level)
{
  VtrGapidValue *info = vtr_gapid_get (object->value, "Info");
  VtrGapidValue *queue_object = vtr_gapid_get (level->value, "LastBoundQueue");
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    .oldLayout = (VkImageLayout)vtr_gapid_get_number (info, "InitialLayout"),
    .newLayout = (VkImageLayout)vtr_gapid_get_number (level->value, "Layout"),
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = VTR_GAPID_HANDLE (VkImage, object->handle),
    .subresourceRange = { (VkImageAspectFlags)aspect, (guint32)level->key, 1, (guint32)layer, 1 },
  };
  guint32 family = 0;
  VkQueue queue;

  if (barrier.newLayout == VK_IMAGE_LAYOUT_UNDEFINED ||
      barrier.newLayout == VK_IMAGE_LAYOUT_PREINITIALIZED ||
      barrier.newLayout == barrier.oldLayout)
    return;
  queue = vtr_gapid_find_queue (
    self, object->device,
    queue_object != NULL ? queue_object : vtr_gapid_get (object->value, "LastBoundQueue"),
    VK_QUEUE_GRAPHICS_BIT, &family);
  if (queue == NULL)
    queue = vtr_gapid_find_queue (self, object->device, NULL, 0, &family);
  if (queue == NULL)
    {
      vtr_gapid_note (self, _ ("the layout of an image: its device has no queue"));
      return;
    }
  g_array_append_val (
    find_scratch (self->scratch, object->device, queue, family)->barriers, barrier);
}

/* Aspects of one image change together where their layouts are the same. */
static void
merge_aspects (GArray *barriers)
{
  guint kept = 0;

  for (guint i = 0; i < barriers->len; i++)
    {
      const VkImageMemoryBarrier *barrier = &g_array_index (barriers, VkImageMemoryBarrier, i);
      gboolean merged = FALSE;

      /* Levels and layers of an image lie close together. */
      for (guint k = kept; k > 0 && !merged; k--)
        {
          VkImageMemoryBarrier *other = &g_array_index (barriers, VkImageMemoryBarrier, k - 1);

          if (other->image != barrier->image)
            break;
          if (other->newLayout == barrier->newLayout &&
              other->subresourceRange.baseMipLevel == barrier->subresourceRange.baseMipLevel &&
              other->subresourceRange.baseArrayLayer == barrier->subresourceRange.baseArrayLayer)
            {
              other->subresourceRange.aspectMask |= barrier->subresourceRange.aspectMask;
              merged = TRUE;
            }
        }
      if (!merged)
        g_array_index (barriers, VkImageMemoryBarrier, kept++) = *barrier;
    }
  g_array_set_size (barriers, kept);
}

static void
add_image (VtrGapidBuilder *self,
           VtrGapidObject  *object)
{
  gsize n_aspects, n_layers, n_levels;
  const VtrGapidEntry *aspects = vtr_gapid_list_entries (vtr_gapid_get (object->value, "Aspects"),
                                                         &self->arena, &n_aspects);

  for (gsize i = 0; i < n_aspects; i++)
    {
      const VtrGapidEntry *layers = vtr_gapid_list_entries (
        vtr_gapid_get (aspects[i].value, "Layers"), &self->arena, &n_layers);

      for (gsize j = 0; j < n_layers; j++)
        {
          const VtrGapidEntry *levels = vtr_gapid_list_entries (
            vtr_gapid_get (layers[j].value, "Levels"), &self->arena, &n_levels);

          for (gsize k = 0; k < n_levels; k++)
            add_level (self, object, aspects[i].key, layers[j].key, &levels[k]);
        }
    }
}

static void
set_layouts (VtrGapidBuilder *self)
{
  self->scratch = g_array_new (FALSE, FALSE, sizeof (Scratch));
  vtr_gapid_each (self, VTR_HANDLE_VkImage, add_image);
  for (guint i = 0; i < self->scratch->len; i++)
    {
      const Scratch *scratch = &g_array_index (self->scratch, Scratch, i);
      VkCommandPool pool;
      VkCommandBuffer buffer;

      merge_aspects (scratch->barriers);
      scratch_begin (self, scratch, &pool, &buffer);
      vtr_gapid_emit (
        self, VTR_CMD_vkCmdPipelineBarrier,
        &(VtrArgs_vkCmdPipelineBarrier){
          .commandBuffer = buffer,
          .srcStageMask = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
          .dstStageMask = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
          .imageMemoryBarrierCount = scratch->barriers->len,
          .pImageMemoryBarriers = (const VkImageMemoryBarrier *)(gpointer)scratch->barriers->data,
        });
      scratch_end (self, scratch, pool, buffer);
      g_array_unref (scratch->barriers);
    }
  g_clear_pointer (&self->scratch, g_array_unref);
}

/* ---- Signals ---- */

static void
signal_semaphore (VtrGapidBuilder *self,
                  VtrGapidObject  *object)
{
  const VkSemaphore semaphore = VTR_GAPID_HANDLE (VkSemaphore, object->handle);
  const VtrGapidObject *last =
    vtr_gapid_find (self, VTR_HANDLE_VkQueue, vtr_gapid_get_number (object->value, "LastQueue"));
  const VkSubmitInfo submit = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .signalSemaphoreCount = 1,
    .pSignalSemaphores = &semaphore,
  };
  VtrArgs_vkQueueSubmit args = { .submitCount = 1, .pSubmits = &submit };
  guint32 family;

  if (vtr_gapid_get_number (object->value, "Signaled") == 0)
    return;
  args.queue = last != NULL
                 ? VTR_GAPID_HANDLE (VkQueue, last->handle)
                 : vtr_gapid_find_queue (self, object->device, NULL, 0, &family);
  if (args.queue != NULL)
    vtr_gapid_emit (self, VTR_CMD_vkQueueSubmit, &args);
  else
    vtr_gapid_note (self, _ ("the signal of a semaphore"));
}

static void
signal_event (VtrGapidBuilder *self,
              VtrGapidObject  *object)
{
  const VtrArgs_vkSetEvent args = {
    VTR_GAPID_HANDLE (VkDevice, object->device),
    VTR_GAPID_HANDLE (VkEvent, object->handle),
  };

  if (vtr_gapid_get_number (object->value, "Signaled") != 0)
    vtr_gapid_emit (self, VTR_CMD_vkSetEvent, &args);
}

/* ---- Acquired images ---- */

static void
acquire_image (VtrGapidBuilder      *self,
               const VtrGapidObject *object,
               guint32               index)
{
  VkDevice device = VTR_GAPID_HANDLE (VkDevice, object->device);
  VkFence fence = VTR_GAPID_HANDLE (VkFence, vtr_gapid_new_handle (self));
  const VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };

  vtr_gapid_emit (self, VTR_CMD_vkCreateFence,
                  &(VtrArgs_vkCreateFence){ device, &info, NULL, &fence });
  vtr_gapid_emit (self, VTR_CMD_vkAcquireNextImageKHR,
                  &(VtrArgs_vkAcquireNextImageKHR){
                    .device = device,
                    .swapchain = VTR_GAPID_HANDLE (VkSwapchainKHR, object->handle),
                    .timeout = G_MAXUINT64,
                    .fence = fence,
                    .pImageIndex = &index,
                  });
  vtr_gapid_emit (self, VTR_CMD_vkWaitForFences,
                  &(VtrArgs_vkWaitForFences){ device, 1, &fence, VK_TRUE, G_MAXUINT64 });
  vtr_gapid_emit (self, VTR_CMD_vkDestroyFence, &(VtrArgs_vkDestroyFence){ device, fence, NULL });
}

static void
acquire_images (VtrGapidBuilder *self,
                VtrGapidObject  *object)
{
  gsize n;
  const VtrGapidEntry *acquired = vtr_gapid_list_entries (
    vtr_gapid_get (object->value, "ImagesAcquired"), &self->arena, &n);

  for (gsize i = 0; i < MIN (n, 64); i++)
    if (acquired[i].value != NULL && acquired[i].value->kind == VTR_GAPID_NUMBER &&
        acquired[i].value->number != 0)
      acquire_image (self, object, (guint32)acquired[i].key);
}

/* ---- Queries ---- */

enum
{
  QUERY_INACTIVE = 0,
  QUERY_ACTIVE = 1,
  QUERY_COMPLETE = 2,
};

static void
finish_query (VtrGapidBuilder *self,
              VkCommandBuffer  buffer,
              VkQueryPool      pool,
              VkQueryType      type,
              guint32          query)
{
  if (type == VK_QUERY_TYPE_TIMESTAMP)
    vtr_gapid_emit (self, VTR_CMD_vkCmdWriteTimestamp,
                    &(VtrArgs_vkCmdWriteTimestamp){ buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                                    pool, query });
  else if (type == VK_QUERY_TYPE_OCCLUSION || type == VK_QUERY_TYPE_PIPELINE_STATISTICS)
    {
      vtr_gapid_emit (self, VTR_CMD_vkCmdBeginQuery,
                      &(VtrArgs_vkCmdBeginQuery){ buffer, pool, query, 0 });
      vtr_gapid_emit (self, VTR_CMD_vkCmdEndQuery, &(VtrArgs_vkCmdEndQuery){ buffer, pool, query });
    }
  else
    vtr_gapid_note (self, _ ("a query of type %d"), type);
}

/* Knows which queries are reset and which have a result; the results themselves are lost. */
static void
set_queries (VtrGapidBuilder *self,
             VtrGapidObject  *object)
{
  gsize n;
  const VtrGapidEntry *status =
    vtr_gapid_list_entries (vtr_gapid_get (object->value, "Status"), &self->arena, &n);
  guint64 count = vtr_gapid_get_number (object->value, "QueryCount");
  VkQueryType type = (VkQueryType)vtr_gapid_get_number (object->value, "QueryType");
  VkQueryPool pool = VTR_GAPID_HANDLE (VkQueryPool, object->handle);
  Scratch scratch = { .device = object->device };
  VkCommandPool commands = VK_NULL_HANDLE;
  VkCommandBuffer buffer = NULL;

  scratch.queue =
    vtr_gapid_find_queue (self, object->device, vtr_gapid_get (object->value, "LastBoundQueue"),
                          VK_QUEUE_GRAPHICS_BIT, &scratch.family);
  for (gsize i = 0; i < n && scratch.queue != NULL; i++)
    {
      guint64 state = status[i].value->kind == VTR_GAPID_NUMBER ? status[i].value->number : 4;
      guint32 query = (guint32)status[i].key;

      if (state > QUERY_COMPLETE || status[i].key >= count)
        continue;
      if (buffer == NULL)
        scratch_begin (self, &scratch, &commands, &buffer);
      vtr_gapid_emit (self, VTR_CMD_vkCmdResetQueryPool,
                      &(VtrArgs_vkCmdResetQueryPool){ buffer, pool, query, 1 });
      if (state == QUERY_COMPLETE)
        {
          finish_query (self, buffer, pool, type, query);
          vtr_gapid_note (self, _ ("the result of a query"));
        }
      else if (state == QUERY_ACTIVE)
        vtr_gapid_note (self, _ ("an active query"));
    }
  if (buffer != NULL)
    scratch_end (self, &scratch, commands, buffer);
}

void
vtr_gapid_work_all (VtrGapidBuilder *self)
{
  set_layouts (self);
  vtr_gapid_each (self, VTR_HANDLE_VkQueryPool, set_queries);
  vtr_gapid_each (self, VTR_HANDLE_VkSemaphore, signal_semaphore);
  vtr_gapid_each (self, VTR_HANDLE_VkEvent, signal_event);
  vtr_gapid_each (self, VTR_HANDLE_VkSwapchainKHR, acquire_images);
}
