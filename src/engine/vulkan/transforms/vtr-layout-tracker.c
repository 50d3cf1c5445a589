/* Follows the layout of one image subresource through barriers, render passes and submissions. */
#include "engine/vulkan/transforms/vtr-layout-tracker.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "vtr-api-args.h"

/* The effect of running a command buffer on the subresource. */
typedef struct
{
  gboolean touched;
  VkImageLayout layout;      /* afterwards, when touched */
  gboolean pass_touches;     /* the render pass being recorded has it as an attachment */
  VkImageLayout pass_layout; /* after that pass */
} Effect;

/* A render pass' final layouts, per attachment. */
typedef struct
{
  guint32 n;
  VkImageLayout layouts[];
} FinalLayouts;

struct _VtrLayoutTracker
{
  guint64 image;
  guint64 created;
  VkImageAspectFlags aspect; /* planes: with colour, which means all of them */
  guint32 mip, layer;
  gboolean is_3d;  /* has one layer: what views call layers are its slices */
  gboolean slices; /* .layer is a slice, which has a layout of its own */
  gboolean alive;
  VkImageLayout layout;

  GHashTable *effects;       /* VkCommandBuffer → Effect */
  GHashTable *views;         /* VkImageView of the subresource */
  GHashTable *framebuffers;  /* VkFramebuffer → 1 + index of the attachment that is such a view */
  GHashTable *render_passes; /* VkRenderPass → FinalLayouts */
};

/* Keys are 64-bit handles; on 64-bit hosts they fit a pointer. */
#define KEY(handle) ((gpointer)(gsize)(handle))

VtrLayoutTracker *
vtr_layout_tracker_new (guint64            image,
                        guint64            created,
                        VkImageAspectFlags aspect,
                        guint32            mip,
                        guint32            layer,
                        gboolean           slices)
{
  VtrLayoutTracker *self = g_new0 (VtrLayoutTracker, 1);

  self->image = image;
  self->created = created;
  self->aspect = aspect;
  if ((aspect & (VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT |
                 VK_IMAGE_ASPECT_PLANE_2_BIT)) != 0)
    self->aspect |= VK_IMAGE_ASPECT_COLOR_BIT;
  self->mip = mip;
  self->layer = layer;
  self->slices = slices;
  self->effects = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->views = g_hash_table_new (NULL, NULL);
  self->framebuffers = g_hash_table_new (NULL, NULL);
  self->render_passes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return self;
}

void
vtr_layout_tracker_free (VtrLayoutTracker *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->effects);
  g_hash_table_unref (self->views);
  g_hash_table_unref (self->framebuffers);
  g_hash_table_unref (self->render_passes);
  g_free (self);
}

VkImageLayout
vtr_layout_tracker_get (VtrLayoutTracker *self)
{
  return self->layout;
}

static Effect *
effect_of (VtrLayoutTracker *self,
           VkCommandBuffer   command_buffer)
{
  Effect *effect = g_hash_table_lookup (self->effects, command_buffer);

  if (effect == NULL)
    {
      effect = g_new0 (Effect, 1);
      g_hash_table_insert (self->effects, command_buffer, effect);
    }
  return effect;
}

static gboolean
covers (VtrLayoutTracker              *self,
        const VkImageSubresourceRange *range)
{
  if (self->mip < range->baseMipLevel ||
      (range->levelCount != VK_REMAINING_MIP_LEVELS &&
       self->mip - range->baseMipLevel >= range->levelCount))
    return FALSE;
  if (self->is_3d && !self->slices)
    return TRUE;
  return (self->layer >= range->baseArrayLayer &&
          (range->layerCount == VK_REMAINING_ARRAY_LAYERS ||
           self->layer - range->baseArrayLayer < range->layerCount));
}

/* Views of three dimensions have all slices as their one layer. */
static gboolean
covers_view (VtrLayoutTracker            *self,
             const VkImageViewCreateInfo *info)
{
  VkImageSubresourceRange range = info->subresourceRange;

  if (info->viewType == VK_IMAGE_VIEW_TYPE_3D)
    range.layerCount = VK_REMAINING_ARRAY_LAYERS;
  return covers (self, &range);
}

static void
touch (Effect        *effect,
       VkImageLayout  layout)
{
  effect->touched = TRUE;
  effect->layout = layout;
}

/* --- Barriers -------------------------------------------------------------------------------- */

static void
barrier (VtrLayoutTracker              *self,
         VkCommandBuffer                command_buffer,
         VkImage                        image,
         const VkImageSubresourceRange *range,
         VkImageLayout                  layout)
{
  /* Vulkan 1.0 depth and stencil change together; separate layouts name their aspect. Only a
   * barrier that changes no layout may name VK_IMAGE_LAYOUT_UNDEFINED as the new one. */
  if ((guint64)(gsize)image == self->image && layout != VK_IMAGE_LAYOUT_UNDEFINED &&
      (range->aspectMask & self->aspect) != 0 && covers (self, range))
    touch (effect_of (self, command_buffer), layout);
}

static void
dependency (VtrLayoutTracker       *self,
            VkCommandBuffer         command_buffer,
            const VkDependencyInfo *info)
{
  if (info == NULL || info->pImageMemoryBarriers == NULL)
    return;
  for (guint32 i = 0; i < info->imageMemoryBarrierCount; i++)
    {
      const VkImageMemoryBarrier2 *b = &info->pImageMemoryBarriers[i];

      barrier (self, command_buffer, b->image, &b->subresourceRange, b->newLayout);
    }
}

/* Barriers, also those of waits for events. */
static void
barriers (VtrLayoutTracker *self,
          const VtrCommand *command)
{
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, command);
  if (form.command.id == VTR_CMD_vkCmdPipelineBarrier2)
    {
      const VtrArgs_vkCmdPipelineBarrier2 *args = form.command.args;

      dependency (self, args->commandBuffer, args->pDependencyInfo);
    }
  else
    {
      const VtrArgs_vkCmdWaitEvents2 *args = form.command.args;

      for (guint32 i = 0; args->pDependencyInfos != NULL && i < args->eventCount; i++)
        dependency (self, args->commandBuffer, &args->pDependencyInfos[i]);
    }
}

#ifdef VK_EXT_host_image_copy
static void
move (VtrLayoutTracker                         *self,
      const VtrArgs_vkTransitionImageLayoutEXT *args)
{
  for (guint32 i = 0; args->pTransitions != NULL && i < args->transitionCount; i++)
    {
      const VkHostImageLayoutTransitionInfoEXT *info = &args->pTransitions[i];

      if ((guint64)(gsize)info->image == self->image &&
          (info->subresourceRange.aspectMask & self->aspect) != 0 &&
          covers (self, &info->subresourceRange))
        self->layout = info->newLayout;
    }
}
#endif

/* --- Render passes --------------------------------------------------------------------------- */

static FinalLayouts *
new_final_layouts (guint32 n)
{
  FinalLayouts *final = g_malloc (sizeof *final + (gsize)n * sizeof final->layouts[0]);

  final->n = n;
  return final;
}

static void
create_render_pass (VtrLayoutTracker *self,
                    const VtrCommand *command)
{
  const VtrArgs_vkCreateRenderPass2 *args;
  const VkRenderPassCreateInfo2 *info;
  g_auto (VtrNewerForm) form;
  FinalLayouts *final;

  vtr_newer_form_init (&form, command);
  args = form.command.args;
  info = args->pCreateInfo;
  if (info == NULL || args->pRenderPass == NULL)
    return;
  final = new_final_layouts (info->pAttachments != NULL ? info->attachmentCount : 0);
  for (guint32 i = 0; i < final->n; i++)
    {
      const VkAttachmentDescriptionStencilLayout *stencil = vtr_api_find_next (
        info->pAttachments[i].pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT);

      final->layouts[i] = info->pAttachments[i].finalLayout;
      if (stencil != NULL && self->aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
        final->layouts[i] = stencil->stencilFinalLayout;
    }
  g_hash_table_replace (self->render_passes, KEY (*args->pRenderPass), final);
}

static guint
find_view (VtrLayoutTracker  *self,
           const VkImageView *views,
           guint32            n)
{
  for (guint32 i = 0; views != NULL && i < n; i++)
    if (g_hash_table_contains (self->views, KEY (views[i])))
      return 1 + i;
  return 0;
}

static void
create_framebuffer (VtrLayoutTracker                  *self,
                    const VtrArgs_vkCreateFramebuffer *args)
{
  const VkFramebufferCreateInfo *info = args->pCreateInfo;
  guint attachment;

  if (info == NULL || args->pFramebuffer == NULL)
    return;
  attachment = (info->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) != 0
                 ? 0
                 : find_view (self, info->pAttachments, info->attachmentCount);
  if (attachment != 0)
    g_hash_table_insert (self->framebuffers, KEY (*args->pFramebuffer),
                         GUINT_TO_POINTER (attachment));
  else
    g_hash_table_remove (self->framebuffers, KEY (*args->pFramebuffer));
}

static void
create_view (VtrLayoutTracker                *self,
             const VtrArgs_vkCreateImageView *args)
{
  const VkImageViewCreateInfo *info = args->pCreateInfo;

  if (info == NULL || args->pView == NULL)
    return;
  if (self->alive && (guint64)(gsize)info->image == self->image &&
      covers_view (self, info))
    g_hash_table_add (self->views, KEY (*args->pView));
  else
    g_hash_table_remove (self->views, KEY (*args->pView));
}

static void
begin_render_pass (VtrLayoutTracker            *self,
                   VkCommandBuffer              command_buffer,
                   const VkRenderPassBeginInfo *info)
{
  const VkRenderPassAttachmentBeginInfo *imageless;
  const FinalLayouts *final;
  guint attachment;
  Effect *effect;

  if (info == NULL)
    return;
  attachment = GPOINTER_TO_UINT (g_hash_table_lookup (self->framebuffers, KEY (info->framebuffer)));
  imageless = vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
  if (imageless != NULL && imageless->attachmentCount > 0)
    attachment = find_view (self, imageless->pAttachments, imageless->attachmentCount);
  final = g_hash_table_lookup (self->render_passes, KEY (info->renderPass));
  if (attachment == 0 || final == NULL || attachment > final->n)
    return;
  effect = effect_of (self, command_buffer);
  effect->pass_touches = TRUE;
  effect->pass_layout = final->layouts[attachment - 1];
}

static void
end_render_pass (VtrLayoutTracker *self,
                 VkCommandBuffer   command_buffer)
{
  Effect *effect = g_hash_table_lookup (self->effects, command_buffer);

  if (effect == NULL || !effect->pass_touches)
    return;
  effect->pass_touches = FALSE;
  touch (effect, effect->pass_layout);
}

/* --- Execution ------------------------------------------------------------------------------- */

static void
execute (VtrLayoutTracker                   *self,
         const VtrArgs_vkCmdExecuteCommands *args)
{
  for (guint32 i = 0; args->pCommandBuffers != NULL && i < args->commandBufferCount; i++)
    {
      const Effect *secondary = g_hash_table_lookup (self->effects, args->pCommandBuffers[i]);

      if (secondary != NULL && secondary->touched)
        touch (effect_of (self, args->commandBuffer), secondary->layout);
    }
}

static void
run (VtrLayoutTracker *self,
     VkCommandBuffer   command_buffer)
{
  const Effect *effect = g_hash_table_lookup (self->effects, command_buffer);

  if (effect != NULL && effect->touched)
    self->layout = effect->layout;
}

static void
submit (VtrLayoutTracker *self,
        const VtrCommand *command)
{
  const VtrArgs_vkQueueSubmit2 *args;
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, command);
  args = form.command.args;
  for (guint32 i = 0; args->pSubmits != NULL && i < args->submitCount; i++)
    {
      const VkSubmitInfo2 *batch = &args->pSubmits[i];

      for (guint32 j = 0; batch->pCommandBufferInfos != NULL && j < batch->commandBufferInfoCount;
           j++)
        run (self, batch->pCommandBufferInfos[j].commandBuffer);
    }
}

static void
check_created (VtrLayoutTracker *self,
               const VtrCommand *command)
{
  const VtrArgs_vkCreateImage *args = command->args;

  if (command->index != self->created)
    return;
  self->alive = TRUE;
  self->layout = VK_IMAGE_LAYOUT_UNDEFINED;
  if (command->id == VTR_CMD_vkCreateImage && args->pCreateInfo != NULL)
    {
      self->layout = args->pCreateInfo->initialLayout;
      self->is_3d = args->pCreateInfo->imageType == VK_IMAGE_TYPE_3D;
    }
}

void
vtr_layout_tracker_command (VtrLayoutTracker *self,
                            const VtrCommand *command)
{
  const void *args = command->args;

  switch (vtr_cmd_newer_form (command->id))
    {
    case VTR_CMD_vkCreateImage:
    case VTR_CMD_vkGetSwapchainImagesKHR:
      check_created (self, command);
      break;
    case VTR_CMD_vkCreateImageView:
      create_view (self, args);
      break;
    case VTR_CMD_vkCreateFramebuffer:
      create_framebuffer (self, args);
      break;
    case VTR_CMD_vkCreateRenderPass2:
      create_render_pass (self, command);
      break;
    case VTR_CMD_vkBeginCommandBuffer:
      g_hash_table_remove (self->effects,
                           ((const VtrArgs_vkBeginCommandBuffer *)args)->commandBuffer);
      break;
    case VTR_CMD_vkCmdBeginRenderPass2:
      /* The first two parameters of both versions are the same. */
      begin_render_pass (self, ((const VtrArgs_vkCmdBeginRenderPass2 *)args)->commandBuffer,
                         ((const VtrArgs_vkCmdBeginRenderPass2 *)args)->pRenderPassBegin);
      break;
    case VTR_CMD_vkCmdEndRenderPass2:
      end_render_pass (self, *(const VkCommandBuffer *)args);
      break;
    case VTR_CMD_vkCmdPipelineBarrier2:
    case VTR_CMD_vkCmdWaitEvents2:
      barriers (self, command);
      break;
    case VTR_CMD_vkCmdExecuteCommands:
      execute (self, args);
      break;
    case VTR_CMD_vkQueueSubmit2:
      submit (self, command);
      break;
#ifdef VK_EXT_host_image_copy
    case VTR_CMD_vkTransitionImageLayoutEXT:
      move (self, args);
      break;
#endif
    default:
      break;
    }
}

/* Host operations take effect at once. */
static gboolean
is_host_transition (VtrCmdId id)
{
#ifdef VK_EXT_host_image_copy
  return vtr_cmd_canonical (id) == VTR_CMD_vkTransitionImageLayoutEXT;
#else
  (void)id;
  return FALSE;
#endif
}

/* --- Resuming -------------------------------------------------------------------------------- */

gboolean
vtr_layout_tracker_follows (VtrCmdId id)
{
  if (vtr_cmd_is (id, VTR_CLASS_RECORD))
    return vtr_cmd_is (id, VTR_CLASS_BARRIER | VTR_CLASS_BEGIN_PASS | VTR_CLASS_END_PASS |
                             VTR_CLASS_EXECUTE | VTR_CLASS_WAIT) ||
           vtr_cmd_newer_form (id) == VTR_CMD_vkCmdWaitEvents2;
  return vtr_cmd_is (id, VTR_CLASS_CREATE | VTR_CLASS_RETRIEVE | VTR_CLASS_SUBMIT) ||
         id == VTR_CMD_vkBeginCommandBuffer || is_host_transition (id);
}

static gboolean
follow (VtrLayoutTracker   *self,
        VtrTransformStart  *start,
        guint64             begin,
        GError            **error)
{
  VtrArena arena;
  gboolean ok = TRUE;

  vtr_arena_init (&arena);
  for (guint64 i = begin; ok && i < start->index; i++)
    {
      VtrCommand command;

      if (!vtr_layout_tracker_follows (vtr_trace_get_command_id (start->trace, i)))
        continue;
      vtr_arena_reset (&arena);
      ok = vtr_trace_decode (start->trace, i, &arena, &command, error);
      if (ok)
        vtr_layout_tracker_command (self, &command);
    }
  vtr_arena_finish (&arena);
  return ok;
}

static gpointer
copy_bytes (gconstpointer value)
{
  return g_memdup2 (value, sizeof (Effect));
}

static gpointer
copy_final (gconstpointer value)
{
  const FinalLayouts *final = value;

  return g_memdup2 (final, sizeof *final + (gsize) final->n * sizeof final->layouts[0]);
}

static void
copy_table (GHashTable *to,
            GHashTable *from,
            gpointer (*copy) (gconstpointer value))
{
  GHashTableIter iter;
  gpointer key;
  gpointer value;

  g_hash_table_remove_all (to);
  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (to, key, copy != NULL ? copy (value) : value);
}

gboolean
vtr_layout_tracker_resume (VtrLayoutTracker   *self,
                           VtrTransformStart  *start,
                           GError            **error)
{
  g_autofree char *key = g_strdup_printf (
    "%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT ".%u.%u.%u", self->image, self->created,
    (guint)self->aspect, self->mip, self->layer);
  const VtrLayoutTracker *known;

  if (start->known == NULL)
    start->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                          (GDestroyNotify)vtr_layout_tracker_free);
  known = g_hash_table_lookup (start->known, key);
  if (known == NULL)
    {
      VtrLayoutTracker *made = vtr_layout_tracker_new (self->image, self->created, self->aspect,
                                                       self->mip, self->layer, self->slices);

      if ((start->earlier != NULL && !vtr_layout_tracker_resume (made, start->earlier, error)) ||
          !follow (made, start, start->earlier != NULL ? start->earlier->index : 0, error))
        {
          vtr_layout_tracker_free (made);
          return FALSE;
        }
      g_hash_table_insert (start->known, g_steal_pointer (&key), made);
      known = made;
    }
  self->alive = known->alive;
  self->is_3d = known->is_3d;
  self->layout = known->layout;
  copy_table (self->effects, known->effects, copy_bytes);
  copy_table (self->views, known->views, NULL);
  copy_table (self->framebuffers, known->framebuffers, NULL);
  copy_table (self->render_passes, known->render_passes, copy_final);
  return TRUE;
}
