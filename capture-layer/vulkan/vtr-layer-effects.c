/* Collects the effects of a command buffer (image layouts, queue ownership, events, queries)
 * while it is recorded; a submission applies them to the tracked objects. */
#include "vtr-layer-effects.h"

#include "vtr-layer-live-state.h"
#include "vtr-layer-reach.h"

#include "vtr-layer-trampolines.h"

#include "base/vtr-grow.h"
#include "vulkan/vtr-vulkan-facts.h"

#include <stdlib.h>
#include <string.h>

void
vtr_layer_effects_clear (VtrLayerEffects *self)
{
  self->n = 0;
}

void
vtr_layer_effects_finish (VtrLayerEffects *self)
{
  free (self->items);
  memset (self, 0, sizeof *self);
}

static uint64_t
key (const void *handle)
{
  return (uint64_t)(uintptr_t)handle;
}

static VtrLayerEffect *
add (VtrLayerEffects    *self,
     VtrLayerEffectKind  kind,
     uint64_t            handle)
{
  VtrLayerEffect *grown =
    vtr_grow (self->items, &self->n_allocated, self->n + 1, sizeof *grown);

  if (grown == NULL)
    {
      vtr_layer_live_fail (VTR_LAYER_NO_MEMORY);
      return NULL;
    }
  self->items = grown;
  self->items[self->n] = (VtrLayerEffect){
    .kind = kind,
    .handle = handle,
    .owner = VK_QUEUE_FAMILY_IGNORED,
  };
  return &self->items[self->n++];
}

static void
add_image (VtrLayerEffects               *self,
           uint64_t                       image,
           const VkImageSubresourceRange *range,
           VkImageLayout                  layout,
           uint32_t                       owner)
{
  VtrLayerEffect *effect = add (self, VTR_LAYER_EFFECT_IMAGE, image);

  if (effect == NULL)
    return;
  effect->range = *range;
  effect->layout = layout;
  effect->owner = owner;
}

/* ---- Barriers ---- */

static uint32_t
new_owner (uint32_t source,
           uint32_t destination)
{
  return source != destination ? destination : VK_QUEUE_FAMILY_IGNORED;
}

static void
add_barriers (VtrLayerEffects             *self,
              uint32_t                     n_buffers,
              const VkBufferMemoryBarrier *buffers,
              uint32_t                     n_images,
              const VkImageMemoryBarrier  *images)
{
  for (uint32_t i = 0; i < n_buffers; i++)
    if (buffers[i].srcQueueFamilyIndex != buffers[i].dstQueueFamilyIndex)
      {
        VtrLayerEffect *effect =
          add (self, VTR_LAYER_EFFECT_BUFFER_OWNER, key (buffers[i].buffer));

        if (effect != NULL)
          effect->owner = buffers[i].dstQueueFamilyIndex;
      }
  for (uint32_t i = 0; i < n_images; i++)
    add_image (self, key (images[i].image), &images[i].subresourceRange, images[i].newLayout,
               new_owner (images[i].srcQueueFamilyIndex, images[i].dstQueueFamilyIndex));
}

static void
add_barriers2 (VtrLayerEffects        *self,
               const VkDependencyInfo *info)
{
  for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++)
    {
      const VkBufferMemoryBarrier2 *each = &info->pBufferMemoryBarriers[i];

      if (each->srcQueueFamilyIndex != each->dstQueueFamilyIndex)
        {
          VtrLayerEffect *effect = add (self, VTR_LAYER_EFFECT_BUFFER_OWNER, key (each->buffer));

          if (effect != NULL)
            effect->owner = each->dstQueueFamilyIndex;
        }
    }
  for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++)
    {
      const VkImageMemoryBarrier2 *each = &info->pImageMemoryBarriers[i];

      /* Without a transition, the layouts in it say nothing. */
      if (each->oldLayout == each->newLayout &&
          each->srcQueueFamilyIndex == each->dstQueueFamilyIndex)
        continue;
      add_image (self, key (each->image), &each->subresourceRange, each->newLayout,
                 new_owner (each->srcQueueFamilyIndex, each->dstQueueFamilyIndex));
    }
}

void
vtr_layer_note_CmdPipelineBarrier (VtrLayerCommandBuffer              *self,
                                   const VtrArgs_vkCmdPipelineBarrier *args)
{
  add_barriers (&self->effects, args->bufferMemoryBarrierCount, args->pBufferMemoryBarriers,
                args->imageMemoryBarrierCount, args->pImageMemoryBarriers);
}

void
vtr_layer_note_CmdWaitEvents (VtrLayerCommandBuffer         *self,
                              const VtrArgs_vkCmdWaitEvents *args)
{
  add_barriers (&self->effects, args->bufferMemoryBarrierCount, args->pBufferMemoryBarriers,
                args->imageMemoryBarrierCount, args->pImageMemoryBarriers);
}

void
vtr_layer_note_CmdPipelineBarrier2 (VtrLayerCommandBuffer               *self,
                                    const VtrArgs_vkCmdPipelineBarrier2 *args)
{
  add_barriers2 (&self->effects, args->pDependencyInfo);
}

void
vtr_layer_note_CmdWaitEvents2 (VtrLayerCommandBuffer          *self,
                               const VtrArgs_vkCmdWaitEvents2 *args)
{
  for (uint32_t i = 0; i < args->eventCount; i++)
    add_barriers2 (&self->effects, &args->pDependencyInfos[i]);
}

/* ---- Render passes ---- */

static bool
get_view (const VtrLayerFramebuffer             *framebuffer,
          const VkRenderPassAttachmentBeginInfo *attachments,
          VtrLayerWorld                         *world,
          uint32_t                               i,
          VtrLayerImageView                     *out)
{
  const VtrLayerImageView *view = NULL;

  if (framebuffer->n > 0)
    view = i < framebuffer->n ? &framebuffer->views[i] : NULL;
  else if (attachments != NULL && i < attachments->attachmentCount)
    view = vtr_layer_live_state (world, VTR_HANDLE_VkImageView, key (attachments->pAttachments[i]));
  if (view != NULL)
    *out = *view;
  return view != NULL;
}

static void
add_attachment (VtrLayerEffects         *self,
                const VtrLayerImageView *view,
                VkImageLayout            layout,
                VkImageLayout            stencil)
{
  VkImageSubresourceRange range = view->range;

  if (layout == stencil)
    {
      add_image (self, view->image, &range, layout, VK_QUEUE_FAMILY_IGNORED);
      return;
    }
  range.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
  add_image (self, view->image, &range, layout, VK_QUEUE_FAMILY_IGNORED);
  range.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
  add_image (self, view->image, &range, stencil, VK_QUEUE_FAMILY_IGNORED);
}

/* A pass leaves its attachments as it says, whatever its subpasses do meanwhile. */
static void
add_pass (VtrLayerCommandBuffer       *self,
          const VkRenderPassBeginInfo *info)
{
  VtrLayerWorld *world = self->device->live;
  const VkRenderPassAttachmentBeginInfo *attachments =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
  const VtrLayerRenderPass *pass =
    vtr_layer_live_state (world, VTR_HANDLE_VkRenderPass, key (info->renderPass));
  const VtrLayerFramebuffer *framebuffer =
    vtr_layer_live_state (world, VTR_HANDLE_VkFramebuffer, key (info->framebuffer));

  for (uint32_t i = 0; pass != NULL && framebuffer != NULL && i < pass->n; i++)
    {
      VtrLayerImageView view;

      if (!get_view (framebuffer, attachments, world, i, &view))
        continue;
      /* A view of a format with both may name one of them: the layout is of both. */
      if (view.range.aspectMask & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT))
        view.range.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
      add_attachment (&self->effects, &view, pass->attachments[i].layout,
                      pass->attachments[i].stencil);
    }
}

void
vtr_layer_note_CmdBeginRenderPass (VtrLayerCommandBuffer              *self,
                                   const VtrArgs_vkCmdBeginRenderPass *args)
{
  add_pass (self, args->pRenderPassBegin);
}

void
vtr_layer_note_CmdBeginRenderPass2 (VtrLayerCommandBuffer               *self,
                                    const VtrArgs_vkCmdBeginRenderPass2 *args)
{
  add_pass (self, args->pRenderPassBegin);
}

/* ---- Secondaries, events, queries ---- */

void
vtr_layer_note_CmdExecuteCommands (VtrLayerCommandBuffer              *self,
                                   const VtrArgs_vkCmdExecuteCommands *args)
{
  self->executes = true;
  for (uint32_t i = 0; i < args->commandBufferCount; i++)
    {
      const VtrLayerCommandBuffer *other = vtr_layer_command_buffer (args->pCommandBuffers[i]);

      if (other != NULL)
        vtr_layer_reach_append (&self->reach, &other->reach);
      for (size_t j = 0; other != NULL && j < other->effects.n; j++)
        {
          const VtrLayerEffect *from = &other->effects.items[j];
          VtrLayerEffect *to = add (&self->effects, from->kind, from->handle);

          if (to != NULL)
            *to = *from;
        }
    }
}

static void
add_event (VtrLayerCommandBuffer *self,
           VkEvent                event,
           VtrLayerEventSet       set,
           VkPipelineStageFlags2  stages)
{
  VtrLayerEffect *effect = add (&self->effects, VTR_LAYER_EFFECT_EVENT, key (event));

  if (effect == NULL)
    return;
  effect->layout = (VkImageLayout)set;
  effect->stages = stages;
}

static VkPipelineStageFlags2
stages_before (const VkDependencyInfo *info)
{
  VkPipelineStageFlags2 stages = 0;

  for (uint32_t i = 0; i < info->memoryBarrierCount; i++)
    stages |= info->pMemoryBarriers[i].srcStageMask;
  for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++)
    stages |= info->pBufferMemoryBarriers[i].srcStageMask;
  for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++)
    stages |= info->pImageMemoryBarriers[i].srcStageMask;
  return stages;
}

void
vtr_layer_note_CmdSetEvent (VtrLayerCommandBuffer       *self,
                            const VtrArgs_vkCmdSetEvent *args)
{
  add_event (self, args->event, VTR_LAYER_EVENT_SET, args->stageMask);
}

void
vtr_layer_note_CmdSetEvent2 (VtrLayerCommandBuffer        *self,
                             const VtrArgs_vkCmdSetEvent2 *args)
{
  const bool asymmetric = vtr_dependency_is_asymmetric (args->pDependencyInfo);

  add_event (self, args->event,
             asymmetric ? VTR_LAYER_EVENT_SET_ASYMMETRIC : VTR_LAYER_EVENT_SET_2,
             stages_before (args->pDependencyInfo));
}

void
vtr_layer_note_CmdResetEvent (VtrLayerCommandBuffer         *self,
                              const VtrArgs_vkCmdResetEvent *args)
{
  add_event (self, args->event, VTR_LAYER_EVENT_RESET, 0);
}

void
vtr_layer_note_CmdResetEvent2 (VtrLayerCommandBuffer          *self,
                               const VtrArgs_vkCmdResetEvent2 *args)
{
  add_event (self, args->event, VTR_LAYER_EVENT_RESET, 0);
}

void
vtr_layer_note_CmdResetQueryPool (VtrLayerCommandBuffer             *self,
                                  const VtrArgs_vkCmdResetQueryPool *args)
{
  add (&self->effects, VTR_LAYER_EFFECT_QUERIES, key (args->queryPool));
}

/* ---- Acceleration structures ---- */

void
vtr_layer_note_CmdBuildAccelerationStructuresKHR (
  VtrLayerCommandBuffer *self,
  const VtrArgs_vkCmdBuildAccelerationStructuresKHR *args)
{
  for (uint32_t i = 0; i < args->infoCount; i++)
    add (&self->effects, VTR_LAYER_EFFECT_BUILT, key (args->pInfos[i].dstAccelerationStructure));
}

void
vtr_layer_note_CmdBuildAccelerationStructuresIndirectKHR (
  VtrLayerCommandBuffer *self,
  const VtrArgs_vkCmdBuildAccelerationStructuresIndirectKHR *args)
{
  for (uint32_t i = 0; i < args->infoCount; i++)
    add (&self->effects, VTR_LAYER_EFFECT_BUILT, key (args->pInfos[i].dstAccelerationStructure));
}

void
vtr_layer_note_CmdCopyAccelerationStructureKHR (
  VtrLayerCommandBuffer *self,
  const VtrArgs_vkCmdCopyAccelerationStructureKHR *args)
{
  add (&self->effects, VTR_LAYER_EFFECT_BUILT, key (args->pInfo->dst));
}

void
vtr_layer_note_CmdCopyMemoryToAccelerationStructureKHR (
  VtrLayerCommandBuffer *self,
  const VtrArgs_vkCmdCopyMemoryToAccelerationStructureKHR *args)
{
  add (&self->effects, VTR_LAYER_EFFECT_BUILT, key (args->pInfo->dst));
}
