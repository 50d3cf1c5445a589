/* Tests with random calls that the first version of a call reads as the second version that means
 * the same. Each is made from a random call of the second version, reduced to what the first one
 * can express. */
#include "engine/vulkan/state/vtr-newer-form.h"
#include "tests/api/vtr-random-tree.h"

#include <string.h>

#define N_CALLS 200 /* of each kind */

typedef struct
{
  VtrCmdId id;   /* of the first version */
  gpointer args; /* of it */
} Older;

/* Changes @args, of the second version, to what the first can say. Returns: FALSE: no such call. */
typedef gboolean (*TellOlder) (gpointer args,
                               VtrArena *arena,
                               Older *out);

#define NEW(type) vtr_arena_new (arena, type)
#define MANY(n, type) vtr_arena_new_array (arena, n, type)

/* The @n elements of @from, of @wide bytes, without structure type and chain. */
static gpointer
narrow (VtrArena      *arena,
        gconstpointer  from,
        guint32        n,
        gsize          wide,
        gsize          size)
{
  guint8 *to = vtr_arena_alloc_array (arena, n, size);

  if (from == NULL)
    return NULL;
  for (guint32 i = 0; i < n; i++)
    memcpy (to + i * size, (const guint8 *)from + i * wide + sizeof (VkBaseInStructure), size);
  return to;
}
#define NARROW(from, n, older) narrow (arena, from, n, sizeof *(from), sizeof (older))

/* ---- Memory ---- */

static gboolean
tell_buffer_binding (gpointer  data,
                     VtrArena *arena,
                     Older    *out)
{
  VtrArgs_vkBindBufferMemory2 *args = data;
  VtrArgs_vkBindBufferMemory *older = NEW (VtrArgs_vkBindBufferMemory);

  if (args->bindInfoCount == 0)
    return FALSE;
  args->bindInfoCount = 1;
  *older = (VtrArgs_vkBindBufferMemory){ args->device, args->pBindInfos->buffer,
                                         args->pBindInfos->memory, args->pBindInfos->memoryOffset };
  *out = (Older){ VTR_CMD_vkBindBufferMemory, older };
  return TRUE;
}

static gboolean
tell_image_binding (gpointer  data,
                    VtrArena *arena,
                    Older    *out)
{
  VtrArgs_vkBindImageMemory2 *args = data;
  VtrArgs_vkBindImageMemory *older = NEW (VtrArgs_vkBindImageMemory);

  if (args->bindInfoCount == 0)
    return FALSE;
  args->bindInfoCount = 1;
  *older = (VtrArgs_vkBindImageMemory){ args->device, args->pBindInfos->image,
                                        args->pBindInfos->memory, args->pBindInfos->memoryOffset };
  *out = (Older){ VTR_CMD_vkBindImageMemory, older };
  return TRUE;
}

static gboolean
tell_buffer_requirements (gpointer  data,
                          VtrArena *arena,
                          Older    *out)
{
  VtrArgs_vkGetBufferMemoryRequirements2 *args = data;
  VtrArgs_vkGetBufferMemoryRequirements *older = NEW (VtrArgs_vkGetBufferMemoryRequirements);

  older->device = args->device;
  older->buffer = args->pInfo->buffer;
  older->pMemoryRequirements = &args->pMemoryRequirements->memoryRequirements;
  *out = (Older){ VTR_CMD_vkGetBufferMemoryRequirements, older };
  return TRUE;
}

static gboolean
tell_image_requirements (gpointer  data,
                         VtrArena *arena,
                         Older    *out)
{
  VtrArgs_vkGetImageMemoryRequirements2 *args = data;
  VtrArgs_vkGetImageMemoryRequirements *older = NEW (VtrArgs_vkGetImageMemoryRequirements);

  older->device = args->device;
  older->image = args->pInfo->image;
  older->pMemoryRequirements = &args->pMemoryRequirements->memoryRequirements;
  *out = (Older){ VTR_CMD_vkGetImageMemoryRequirements, older };
  return TRUE;
}

/* ---- Render passes ---- */

/* The first version cannot say it, and the second ignores it, but for inputs. */
static void
clear_aspects (const VkAttachmentReference2 *references,
               guint32                       n)
{
  for (guint32 i = 0; references != NULL && i < n; i++)
    ((VkAttachmentReference2 *)references)[i].aspectMask = 0;
}

/* The aspects of every second input are given; those of the others must be the format's. */
static guint32
tell_aspects (const VkRenderPassCreateInfo2    *info,
              guint32                           subpass,
              VkInputAttachmentAspectReference *out)
{
  const VkSubpassDescription2 *from = &info->pSubpasses[subpass];
  guint32 n = 0;

  for (guint32 i = 0; from->pInputAttachments != NULL && i < from->inputAttachmentCount; i++)
    {
      VkAttachmentReference2 *input = (VkAttachmentReference2 *)&from->pInputAttachments[i];

      if (i % 2 == 0)
        out[n++] = (VkInputAttachmentAspectReference){ subpass, i, input->aspectMask };
      else if (info->attachmentCount == 0)
        input->aspectMask = 0;
      else
        {
          input->attachment %= info->attachmentCount;
          ((VkAttachmentDescription2 *)info->pAttachments)[input->attachment].format =
            VK_FORMAT_D24_UNORM_S8_UINT;
          input->aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
        }
    }
  return n;
}

static void
tell_subpass (VtrArena              *arena,
              VkSubpassDescription2 *from,
              VkSubpassDescription  *to)
{
  *to = (VkSubpassDescription){
    from->flags, from->pipelineBindPoint, from->inputAttachmentCount,
    NARROW (from->pInputAttachments, from->inputAttachmentCount, VkAttachmentReference),
    from->colorAttachmentCount,
    NARROW (from->pColorAttachments, from->colorAttachmentCount, VkAttachmentReference),
    NARROW (from->pResolveAttachments, from->colorAttachmentCount, VkAttachmentReference),
    NARROW (from->pDepthStencilAttachment, 1, VkAttachmentReference),
    from->preserveAttachmentCount, from->pPreserveAttachments
  };
  clear_aspects (from->pColorAttachments, from->colorAttachmentCount);
  clear_aspects (from->pResolveAttachments, from->colorAttachmentCount);
  clear_aspects (from->pDepthStencilAttachment, 1);
}

static gboolean
tell_render_pass (gpointer  data,
                  VtrArena *arena,
                  Older    *out)
{
  VtrArgs_vkCreateRenderPass2 *args = data;
  VkRenderPassCreateInfo2 *from = (VkRenderPassCreateInfo2 *)args->pCreateInfo;
  VtrArgs_vkCreateRenderPass *older = NEW (VtrArgs_vkCreateRenderPass);
  VkRenderPassCreateInfo *to = NEW (VkRenderPassCreateInfo);
  VkRenderPassMultiviewCreateInfo *views = NEW (VkRenderPassMultiviewCreateInfo);
  VkRenderPassInputAttachmentAspectCreateInfo *aspects =
    NEW (VkRenderPassInputAttachmentAspectCreateInfo);
  VkInputAttachmentAspectReference *references = MANY (64, VkInputAttachmentAspectReference);
  VkSubpassDescription *subpasses = MANY (from->subpassCount, VkSubpassDescription);
  guint32 *masks = MANY (from->subpassCount, guint32);
  gint32 *offsets = MANY (from->dependencyCount, gint32);

  for (guint32 i = 0; i < from->subpassCount; i++)
    {
      VkSubpassDescription2 *subpass = (VkSubpassDescription2 *)&from->pSubpasses[i];

      aspects->aspectReferenceCount +=
        tell_aspects (from, i, references + aspects->aspectReferenceCount);
      g_assert_cmpuint (aspects->aspectReferenceCount, <, 60);
      tell_subpass (arena, subpass, &subpasses[i]);
      masks[i] = subpass->viewMask;
    }
  for (guint32 i = 0; i < from->dependencyCount; i++)
    offsets[i] = from->pDependencies[i].viewOffset;
  aspects->sType = VK_STRUCTURE_TYPE_RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO;
  aspects->pNext = views;
  aspects->pAspectReferences = references;
  *views = (VkRenderPassMultiviewCreateInfo){ VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
                                              NULL,
                                              from->subpassCount,
                                              masks,
                                              from->dependencyCount,
                                              offsets,
                                              from->correlatedViewMaskCount,
                                              from->pCorrelatedViewMasks };
  *to = (VkRenderPassCreateInfo){
    VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, aspects, from->flags, from->attachmentCount,
    NARROW (from->pAttachments, from->attachmentCount, VkAttachmentDescription),
    from->subpassCount, subpasses, from->dependencyCount,
    NARROW (from->pDependencies, from->dependencyCount, VkSubpassDependency)
  };
  *older =
    (VtrArgs_vkCreateRenderPass){ args->device, to, args->pAllocator, args->pRenderPass };
  from->pNext = aspects;
  *out = (Older){ VTR_CMD_vkCreateRenderPass, older };
  return TRUE;
}

static gboolean
tell_begin_pass (gpointer  data,
                 VtrArena *arena,
                 Older    *out)
{
  VtrArgs_vkCmdBeginRenderPass2 *args = data;
  VtrArgs_vkCmdBeginRenderPass *older = NEW (VtrArgs_vkCmdBeginRenderPass);

  *older = (VtrArgs_vkCmdBeginRenderPass){ args->commandBuffer, args->pRenderPassBegin,
                                           args->pSubpassBeginInfo->contents };
  *out = (Older){ VTR_CMD_vkCmdBeginRenderPass, older };
  return TRUE;
}

static gboolean
tell_next_subpass (gpointer  data,
                   VtrArena *arena,
                   Older    *out)
{
  VtrArgs_vkCmdNextSubpass2 *args = data;
  VtrArgs_vkCmdNextSubpass *older = NEW (VtrArgs_vkCmdNextSubpass);

  *older =
    (VtrArgs_vkCmdNextSubpass){ args->commandBuffer, args->pSubpassBeginInfo->contents };
  *out = (Older){ VTR_CMD_vkCmdNextSubpass, older };
  return TRUE;
}

static gboolean
tell_end_pass (gpointer  data,
               VtrArena *arena,
               Older    *out)
{
  VtrArgs_vkCmdEndRenderPass2 *args = data;
  VtrArgs_vkCmdEndRenderPass *older = NEW (VtrArgs_vkCmdEndRenderPass);

  older->commandBuffer = args->commandBuffer;
  *out = (Older){ VTR_CMD_vkCmdEndRenderPass, older };
  return TRUE;
}

/* ---- Submissions ---- */

/* @signals: their stages cannot be told. */
static void
tell_semaphores (VkSemaphoreSubmitInfo *from,
                 guint32                n,
                 gboolean               signals,
                 VkSemaphore           *semaphores,
                 VkPipelineStageFlags  *stages,
                 guint64               *values,
                 guint32               *devices)
{
  for (guint32 i = 0; i < n; i++)
    {
      from[i].stageMask = signals ? VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT
                                  : from[i].stageMask & G_MAXUINT32;
      semaphores[i] = from[i].semaphore;
      stages[i] = (VkPipelineStageFlags)from[i].stageMask;
      values[i] = from[i].value;
      devices[i] = from[i].deviceIndex;
    }
}

static void
tell_submit (VtrArena      *arena,
             VkSubmitInfo2 *from,
             VkSubmitInfo  *to)
{
  const guint32 n_waits = from->waitSemaphoreInfoCount, n = from->commandBufferInfoCount;
  const guint32 n_signals = from->signalSemaphoreInfoCount;
  VkSemaphore *waits = MANY (n_waits, VkSemaphore), *signals = MANY (n_signals, VkSemaphore);
  VkPipelineStageFlags *stages = MANY (n_waits + n_signals, VkPipelineStageFlags);
  guint64 *values = MANY (n_waits, guint64), *later = MANY (n_signals, guint64);
  guint32 *devices = MANY (n_waits, guint32), *masks = MANY (n, guint32);
  guint32 *others = MANY (n_signals, guint32);
  VkCommandBuffer *buffers = MANY (n, VkCommandBuffer);
  VkTimelineSemaphoreSubmitInfo *timeline = NEW (VkTimelineSemaphoreSubmitInfo);
  VkDeviceGroupSubmitInfo *group = NEW (VkDeviceGroupSubmitInfo);
  VkProtectedSubmitInfo *protection = NEW (VkProtectedSubmitInfo);

  from->flags &= VK_SUBMIT_PROTECTED_BIT;
  tell_semaphores ((VkSemaphoreSubmitInfo *)from->pWaitSemaphoreInfos, n_waits, FALSE, waits,
                   stages, values, devices);
  tell_semaphores ((VkSemaphoreSubmitInfo *)from->pSignalSemaphoreInfos, n_signals, TRUE, signals,
                   stages + n_waits, later, others);
  for (guint32 i = 0; i < n; i++)
    {
      buffers[i] = from->pCommandBufferInfos[i].commandBuffer;
      masks[i] = from->pCommandBufferInfos[i].deviceMask;
    }
  *protection = (VkProtectedSubmitInfo){ VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO, NULL,
                                         from->flags != 0 };
  *timeline = (VkTimelineSemaphoreSubmitInfo){ VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                               protection,
                                               n_waits,
                                               values,
                                               n_signals,
                                               later };
  *group = (VkDeviceGroupSubmitInfo){ VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO, timeline, n_waits,
                                      devices, n, masks, n_signals, others };
  *to = (VkSubmitInfo){ VK_STRUCTURE_TYPE_SUBMIT_INFO, group, n_waits, waits, stages, n, buffers,
                        n_signals, signals };
  from->pNext = group;
}

static gboolean
tell_submission (gpointer  data,
                 VtrArena *arena,
                 Older    *out)
{
  VtrArgs_vkQueueSubmit2 *args = data;
  VtrArgs_vkQueueSubmit *older = NEW (VtrArgs_vkQueueSubmit);
  VkSubmitInfo *submits = MANY (args->submitCount, VkSubmitInfo);

  for (guint32 i = 0; i < args->submitCount; i++)
    tell_submit (arena, (VkSubmitInfo2 *)&args->pSubmits[i], &submits[i]);
  *older = (VtrArgs_vkQueueSubmit){ args->queue, args->submitCount, submits, args->fence };
  *out = (Older){ VTR_CMD_vkQueueSubmit, older };
  return TRUE;
}

/* ---- Transfers ---- */

static gboolean
tell_copy_buffer (gpointer  data,
                  VtrArena *arena,
                  Older    *out)
{
  const VtrArgs_vkCmdCopyBuffer2 *args = data;
  const VkCopyBufferInfo2 *info = args->pCopyBufferInfo;
  VtrArgs_vkCmdCopyBuffer *older = NEW (VtrArgs_vkCmdCopyBuffer);

  *older = (VtrArgs_vkCmdCopyBuffer){ args->commandBuffer, info->srcBuffer, info->dstBuffer,
                                      info->regionCount,
                                      NARROW (info->pRegions, info->regionCount, VkBufferCopy) };
  *out = (Older){ VTR_CMD_vkCmdCopyBuffer, older };
  return TRUE;
}

static gboolean
tell_copy_image (gpointer  data,
                 VtrArena *arena,
                 Older    *out)
{
  const VtrArgs_vkCmdCopyImage2 *args = data;
  const VkCopyImageInfo2 *info = args->pCopyImageInfo;
  VtrArgs_vkCmdCopyImage *older = NEW (VtrArgs_vkCmdCopyImage);

  *older = (VtrArgs_vkCmdCopyImage){ args->commandBuffer, info->srcImage, info->srcImageLayout,
                                     info->dstImage, info->dstImageLayout, info->regionCount,
                                     NARROW (info->pRegions, info->regionCount, VkImageCopy) };
  *out = (Older){ VTR_CMD_vkCmdCopyImage, older };
  return TRUE;
}

static gboolean
tell_blit_image (gpointer  data,
                 VtrArena *arena,
                 Older    *out)
{
  const VtrArgs_vkCmdBlitImage2 *args = data;
  const VkBlitImageInfo2 *info = args->pBlitImageInfo;
  VtrArgs_vkCmdBlitImage *older = NEW (VtrArgs_vkCmdBlitImage);

  *older = (VtrArgs_vkCmdBlitImage){ args->commandBuffer, info->srcImage, info->srcImageLayout,
                                     info->dstImage, info->dstImageLayout, info->regionCount,
                                     NARROW (info->pRegions, info->regionCount, VkImageBlit),
                                     info->filter };
  *out = (Older){ VTR_CMD_vkCmdBlitImage, older };
  return TRUE;
}

static gboolean
tell_resolve_image (gpointer  data,
                    VtrArena *arena,
                    Older    *out)
{
  const VtrArgs_vkCmdResolveImage2 *args = data;
  const VkResolveImageInfo2 *info = args->pResolveImageInfo;
  VtrArgs_vkCmdResolveImage *older = NEW (VtrArgs_vkCmdResolveImage);

  *older =
    (VtrArgs_vkCmdResolveImage){ args->commandBuffer, info->srcImage, info->srcImageLayout,
                                 info->dstImage, info->dstImageLayout, info->regionCount,
                                 NARROW (info->pRegions, info->regionCount, VkImageResolve) };
  *out = (Older){ VTR_CMD_vkCmdResolveImage, older };
  return TRUE;
}

static gboolean
tell_copy_to_image (gpointer  data,
                    VtrArena *arena,
                    Older    *out)
{
  const VtrArgs_vkCmdCopyBufferToImage2 *args = data;
  const VkCopyBufferToImageInfo2 *info = args->pCopyBufferToImageInfo;
  VtrArgs_vkCmdCopyBufferToImage *older = NEW (VtrArgs_vkCmdCopyBufferToImage);

  *older = (VtrArgs_vkCmdCopyBufferToImage){
    args->commandBuffer, info->srcBuffer, info->dstImage, info->dstImageLayout, info->regionCount,
    NARROW (info->pRegions, info->regionCount, VkBufferImageCopy)
  };
  *out = (Older){ VTR_CMD_vkCmdCopyBufferToImage, older };
  return TRUE;
}

static gboolean
tell_copy_to_buffer (gpointer  data,
                     VtrArena *arena,
                     Older    *out)
{
  const VtrArgs_vkCmdCopyImageToBuffer2 *args = data;
  const VkCopyImageToBufferInfo2 *info = args->pCopyImageToBufferInfo;
  VtrArgs_vkCmdCopyImageToBuffer *older = NEW (VtrArgs_vkCmdCopyImageToBuffer);

  *older = (VtrArgs_vkCmdCopyImageToBuffer){
    args->commandBuffer, info->srcImage, info->srcImageLayout, info->dstBuffer, info->regionCount,
    NARROW (info->pRegions, info->regionCount, VkBufferImageCopy)
  };
  *out = (Older){ VTR_CMD_vkCmdCopyImageToBuffer, older };
  return TRUE;
}

/* ---- Barriers ---- */

typedef struct
{
  VkMemoryBarrier *memory;
  VkBufferMemoryBarrier *buffers;
  VkImageMemoryBarrier *images;
} Barriers;

/* Gives all barriers of @info the stages 1 and 2, and accesses of 32 bits. */
static void
tell_barriers (VtrArena         *arena,
               VkDependencyInfo *info,
               Barriers         *out)
{
  VkMemoryBarrier2 *memory = (VkMemoryBarrier2 *)info->pMemoryBarriers;
  VkBufferMemoryBarrier2 *buffers = (VkBufferMemoryBarrier2 *)info->pBufferMemoryBarriers;
  VkImageMemoryBarrier2 *images = (VkImageMemoryBarrier2 *)info->pImageMemoryBarriers;

  out->memory = MANY (info->memoryBarrierCount, VkMemoryBarrier);
  out->buffers = MANY (info->bufferMemoryBarrierCount, VkBufferMemoryBarrier);
  out->images = MANY (info->imageMemoryBarrierCount, VkImageMemoryBarrier);
  for (guint32 i = 0; i < info->memoryBarrierCount; i++)
    {
      memory[i].srcStageMask = 1;
      memory[i].dstStageMask = 2;
      memory[i].srcAccessMask &= G_MAXUINT32;
      memory[i].dstAccessMask &= G_MAXUINT32;
      out->memory[i] = (VkMemoryBarrier){ VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL,
                                          (VkAccessFlags)memory[i].srcAccessMask,
                                          (VkAccessFlags)memory[i].dstAccessMask };
    }
  for (guint32 i = 0; i < info->bufferMemoryBarrierCount; i++)
    {
      buffers[i].srcStageMask = 1;
      buffers[i].dstStageMask = 2;
      buffers[i].srcAccessMask &= G_MAXUINT32;
      buffers[i].dstAccessMask &= G_MAXUINT32;
      out->buffers[i] = (VkBufferMemoryBarrier){ VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER, NULL,
                                                 (VkAccessFlags)buffers[i].srcAccessMask,
                                                 (VkAccessFlags)buffers[i].dstAccessMask,
                                                 buffers[i].srcQueueFamilyIndex,
                                                 buffers[i].dstQueueFamilyIndex,
                                                 buffers[i].buffer, buffers[i].offset,
                                                 buffers[i].size };
    }
  for (guint32 i = 0; i < info->imageMemoryBarrierCount; i++)
    {
      images[i].srcStageMask = 1;
      images[i].dstStageMask = 2;
      images[i].srcAccessMask &= G_MAXUINT32;
      images[i].dstAccessMask &= G_MAXUINT32;
      out->images[i] = (VkImageMemoryBarrier){ VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, NULL,
                                               (VkAccessFlags)images[i].srcAccessMask,
                                               (VkAccessFlags)images[i].dstAccessMask,
                                               images[i].oldLayout, images[i].newLayout,
                                               images[i].srcQueueFamilyIndex,
                                               images[i].dstQueueFamilyIndex, images[i].image,
                                               images[i].subresourceRange };
    }
}

/* The wait of stages 2 for stages 1, and nothing else. */
static void
set_wait (VtrArena         *arena,
          VkDependencyInfo *info)
{
  VkMemoryBarrier2 *wait = NEW (VkMemoryBarrier2);

  wait->sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  wait->srcStageMask = 1;
  wait->dstStageMask = 2;
  *info = (VkDependencyInfo){ .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                              .dependencyFlags = info->dependencyFlags,
                              .memoryBarrierCount = 1,
                              .pMemoryBarriers = wait };
}

static gboolean
has_no_barrier (const VkDependencyInfo *info)
{
  return info->memoryBarrierCount + info->bufferMemoryBarrierCount +
           info->imageMemoryBarrierCount ==
         0;
}

static gboolean
tell_pipeline_barrier (gpointer  data,
                       VtrArena *arena,
                       Older    *out)
{
  VtrArgs_vkCmdPipelineBarrier2 *args = data;
  VkDependencyInfo *info = (VkDependencyInfo *)args->pDependencyInfo;
  VtrArgs_vkCmdPipelineBarrier *older = NEW (VtrArgs_vkCmdPipelineBarrier);
  Barriers barriers;

  tell_barriers (arena, info, &barriers);
  *older = (VtrArgs_vkCmdPipelineBarrier){ args->commandBuffer,
                                           1,
                                           2,
                                           info->dependencyFlags,
                                           info->memoryBarrierCount,
                                           barriers.memory,
                                           info->bufferMemoryBarrierCount,
                                           barriers.buffers,
                                           info->imageMemoryBarrierCount,
                                           barriers.images };
  if (has_no_barrier (info))
    set_wait (arena, info);
  *out = (Older){ VTR_CMD_vkCmdPipelineBarrier, older };
  return TRUE;
}

static gboolean
tell_wait_events (gpointer  data,
                  VtrArena *arena,
                  Older    *out)
{
  VtrArgs_vkCmdWaitEvents2 *args = data;
  VkDependencyInfo *infos = (VkDependencyInfo *)args->pDependencyInfos;
  VtrArgs_vkCmdWaitEvents *older = NEW (VtrArgs_vkCmdWaitEvents);
  Barriers barriers;

  if (args->eventCount == 0)
    return FALSE;
  for (guint32 i = 0; i < args->eventCount; i++)
    {
      infos[i].dependencyFlags = 0;
      if (i > 0)
        set_wait (arena, &infos[i]);
    }
  tell_barriers (arena, infos, &barriers);
  *older = (VtrArgs_vkCmdWaitEvents){ args->commandBuffer,
                                      args->eventCount,
                                      args->pEvents,
                                      1,
                                      2,
                                      infos->memoryBarrierCount,
                                      barriers.memory,
                                      infos->bufferMemoryBarrierCount,
                                      barriers.buffers,
                                      infos->imageMemoryBarrierCount,
                                      barriers.images };
  if (has_no_barrier (infos))
    set_wait (arena, infos);
  *out = (Older){ VTR_CMD_vkCmdWaitEvents, older };
  return TRUE;
}

/* ---- The tests ---- */

static const struct
{
  VtrCmdId id;
  TellOlder tell;
} kinds[] = {
  { VTR_CMD_vkBindBufferMemory2, tell_buffer_binding },
  { VTR_CMD_vkBindImageMemory2, tell_image_binding },
  { VTR_CMD_vkGetBufferMemoryRequirements2, tell_buffer_requirements },
  { VTR_CMD_vkGetImageMemoryRequirements2, tell_image_requirements },
  { VTR_CMD_vkCreateRenderPass2, tell_render_pass },
  { VTR_CMD_vkQueueSubmit2, tell_submission },
  { VTR_CMD_vkCmdCopyBuffer2, tell_copy_buffer },
  { VTR_CMD_vkCmdCopyImage2, tell_copy_image },
  { VTR_CMD_vkCmdBlitImage2, tell_blit_image },
  { VTR_CMD_vkCmdResolveImage2, tell_resolve_image },
  { VTR_CMD_vkCmdCopyBufferToImage2, tell_copy_to_image },
  { VTR_CMD_vkCmdCopyImageToBuffer2, tell_copy_to_buffer },
  { VTR_CMD_vkCmdPipelineBarrier2, tell_pipeline_barrier },
  { VTR_CMD_vkCmdWaitEvents2, tell_wait_events },
  { VTR_CMD_vkCmdBeginRenderPass2, tell_begin_pass },
  { VTR_CMD_vkCmdNextSubpass2, tell_next_subpass },
  { VTR_CMD_vkCmdEndRenderPass2, tell_end_pass },
};

static bool
leave_to_chance (void              *data,
                 const VtrScope    *scope,
                 const VtrApiField *field,
                 uint64_t          *value)
{
  return false;
}

static bool
no_chains (void        *data,
           VtrStructId  id)
{
  return false;
}

static void
assert_equal (const VtrCommand *form,
              VtrCmdId          id,
              gconstpointer     args)
{
  static const VtrApiEnv env = { .decoded = true };
  char where[256];

  g_assert_cmpuint (form->id, ==, id);
  if (!vtr_api_compare (id, form->args, args, VTR_COMPARE_HANDLES | VTR_COMPARE_ADDRESSES, &env,
                        where, sizeof where))
    g_error ("%s differs at %s", vtr_cmd_name (id), where);
}

/* Returns: whether there was such a call. */
static gboolean
check_call (VtrCmdId  id,
            TellOlder tell,
            guint64   seed)
{
  const VtrRandomTaste taste = { .env = &vtr_random_env,
                                 .choose = leave_to_chance,
                                 .admit = no_chains };
  gboolean told;
  VtrArena arena;
  VtrRandomTree tree;
  Older older;

  vtr_arena_init (&arena);
  vtr_random_tree_init_tame (&tree, id, seed, &taste);
  told = tell (tree.args, &arena, &older);
  if (told)
    {
      const VtrCommand first = { .id = older.id, .index = 7, .args = older.args };
      const VtrCommand second = { .id = id, .index = 7, .args = tree.args };
      VtrNewerForm form;

      vtr_newer_form_init (&form, &first);
      g_assert_cmpuint (form.command.index, ==, 7);
      assert_equal (&form.command, id, tree.args);
      vtr_newer_form_clear (&form);
      /* The second version is its own form, and nothing is copied. */
      vtr_newer_form_init (&form, &second);
      g_assert_true (form.command.args == tree.args);
      assert_equal (&form.command, id, tree.args);
      vtr_newer_form_clear (&form);
    }
  vtr_random_tree_finish (&tree);
  vtr_arena_finish (&arena);
  return told;
}

static void
test_random_calls (gconstpointer data)
{
  const gsize kind = GPOINTER_TO_SIZE (data);
  guint n = 0;

  for (guint64 seed = 0; seed < N_CALLS; seed++)
    n += check_call (kinds[kind].id, kinds[kind].tell, seed);
  g_assert_cmpuint (n, >=, N_CALLS / 4);
}

/* More regions than a form has room for itself. */
static void
test_many_regions (void)
{
  static VkBufferCopy regions[1000];
  VtrArgs_vkCmdCopyBuffer args = { .regionCount = G_N_ELEMENTS (regions), .pRegions = regions };
  const VtrCommand command = { .id = VTR_CMD_vkCmdCopyBuffer, .args = &args };
  g_auto (VtrNewerForm) form = { 0 };
  const VkCopyBufferInfo2 *info;

  for (guint i = 0; i < G_N_ELEMENTS (regions); i++)
    regions[i] = (VkBufferCopy){ i, 2 * i, 3 * i };
  vtr_newer_form_init (&form, &command);
  info = ((const VtrArgs_vkCmdCopyBuffer2 *)form.command.args)->pCopyBufferInfo;
  for (guint i = 0; i < G_N_ELEMENTS (regions); i++)
    {
      g_assert_cmpuint (info->pRegions[i].sType, ==, VK_STRUCTURE_TYPE_BUFFER_COPY_2);
      g_assert_cmpuint (info->pRegions[i].srcOffset, ==, i);
      g_assert_cmpuint (info->pRegions[i].dstOffset, ==, 2 * i);
      g_assert_cmpuint (info->pRegions[i].size, ==, 3 * i);
    }
}

/* What a trace does not have of a call is not made up. */
static void
test_missing_parts (void)
{
  VtrArgs_vkQueueSubmit submission = { .submitCount = 3 };
  VtrArgs_vkCreateRenderPass pass = { 0 };
  VtrArgs_vkCmdCopyBuffer copy = { .regionCount = 3 };
  const VtrCommand submit = { .id = VTR_CMD_vkQueueSubmit, .args = &submission };
  const VtrCommand create = { .id = VTR_CMD_vkCreateRenderPass, .args = &pass };
  const VtrCommand transfer = { .id = VTR_CMD_vkCmdCopyBuffer, .args = &copy };
  const VtrCommand unread = { .id = VTR_CMD_vkCmdCopyBuffer };
  VtrNewerForm form;

  vtr_newer_form_init (&form, &submit);
  g_assert_cmpuint (((VtrArgs_vkQueueSubmit2 *)form.command.args)->submitCount, ==, 3);
  g_assert_null (((VtrArgs_vkQueueSubmit2 *)form.command.args)->pSubmits);
  vtr_newer_form_clear (&form);
  vtr_newer_form_init (&form, &create);
  g_assert_null (((VtrArgs_vkCreateRenderPass2 *)form.command.args)->pCreateInfo);
  vtr_newer_form_clear (&form);
  vtr_newer_form_init (&form, &transfer);
  g_assert_null (((VtrArgs_vkCmdCopyBuffer2 *)form.command.args)->pCopyBufferInfo->pRegions);
  vtr_newer_form_clear (&form);
  vtr_newer_form_init (&form, &unread);
  g_assert_cmpuint (form.command.id, ==, VTR_CMD_vkCmdCopyBuffer2);
  g_assert_null (form.command.args);
  vtr_newer_form_clear (&form);
}

/* Every call that has a second version reads as one that has none above it. */
static void
test_ids (void)
{
  guint n = 0;

  for (guint i = 0; i < VTR_VULKAN_N_COMMANDS; i++)
    {
      const VtrCmdId id = VTR_VULKAN_FIRST_ID + i, newer = vtr_cmd_newer_form (id);

      g_assert_cmpuint (vtr_cmd_newer_form (newer), ==, newer);
      n += newer != vtr_cmd_canonical (id);
    }
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (kinds));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/newer-form/ids", test_ids);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = g_strconcat ("/newer-form/random/", vtr_cmd_name (kinds[i].id), NULL);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_random_calls);
    }
  g_test_add_func ("/newer-form/many-regions", test_many_regions);
  g_test_add_func ("/newer-form/missing-parts", test_missing_parts);
  return g_test_run ();
}
