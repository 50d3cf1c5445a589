/* Follows presents, images that are acquired again, and sparse bindings, and what they tell about
 * submissions. */
#include "engine/vulkan/transforms/vtr-pending-private.h"

#include "api/vtr-api-walk.h"
#include "vtr-api-args.h"

#define VALUE VTR_PENDING_VALUE

void
vtr_pending_present_free (gpointer data)
{
  VtrPendingPresent *present = data;

  g_clear_pointer (&present->waits, g_array_unref);
  g_free (present);
}

/* Returns: (nullable): of its last present. */
static VtrPendingPresent *
find_present (const VtrPending *self,
              VkSwapchainKHR    swapchain,
              guint32           image)
{
  for (guint i = 0; i < self->presents->len; i++)
    {
      VtrPendingPresent *present = g_ptr_array_index (self->presents, i);

      if (present->swapchain == VALUE (swapchain) && present->image == image)
        return present;
    }
  return NULL;
}

/* A present tells nothing by itself; it ends after what it waits for. */
static void
note_present (VtrPending                      *self,
              const VtrArgs_vkQueuePresentKHR *args)
{
  const VkPresentInfoKHR *info = args->pPresentInfo;
  const VkPresentIdKHR *ids;
  g_autoptr (GArray) waits = NULL;

  if (info == NULL || info->pSwapchains == NULL || info->pImageIndices == NULL)
    return;
  ids = vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
  for (guint32 i = 0; info->pWaitSemaphores != NULL && i < info->waitSemaphoreCount; i++)
    vtr_pending_add_wait (self, &waits, info->pWaitSemaphores[i], 0);
  for (guint32 i = 0; i < info->swapchainCount; i++)
    {
      VtrPendingPresent *present =
        find_present (self, info->pSwapchains[i], info->pImageIndices[i]);

      if (present == NULL)
        {
          present = g_new0 (VtrPendingPresent, 1);
          present->swapchain = VALUE (info->pSwapchains[i]);
          present->image = info->pImageIndices[i];
          g_ptr_array_add (self->presents, present);
        }
      g_clear_pointer (&present->waits, g_array_unref);
      present->waits = waits != NULL ? g_array_ref (waits) : NULL;
      present->id =
        ids != NULL ? vtr_pending_value_at (ids->pPresentIds, ids->swapchainCount, i) : 0;
    }
}

/* The image was given back, so that its last present is over. */
static void
note_acquire (VtrPending     *self,
              VkSwapchainKHR  swapchain,
              const uint32_t *image,
              VkSemaphore     semaphore,
              VkFence         fence)
{
  const VtrPendingPresent *present = image != NULL ? find_present (self, swapchain, *image) : NULL;
  VtrPendingSubmission acquire = { .fence = VALUE (fence) };

  if (present != NULL && present->waits != NULL)
    acquire.waits = g_array_copy (present->waits);
  if (semaphore != VK_NULL_HANDLE)
    vtr_pending_add_signal (self, &acquire.signals, semaphore, 0);
  vtr_pending_take (self, acquire);
}

static void
note_presented (VtrPending                        *self,
                const VtrArgs_vkWaitForPresentKHR *args)
{
  for (guint i = 0; i < self->presents->len; i++)
    {
      const VtrPendingPresent *present = g_ptr_array_index (self->presents, i);

      if (present->swapchain == VALUE (args->swapchain) && present->id != 0 &&
          present->id <= args->presentId)
        vtr_pending_tell_points (self, present->waits, VTR_PENDING_DONE);
    }
  vtr_pending_sweep (self);
}

static void
forget_swapchain (VtrPending     *self,
                  VkSwapchainKHR  swapchain)
{
  for (guint i = self->presents->len; i > 0; i--)
    if (((const VtrPendingPresent *)g_ptr_array_index (self->presents, i - 1))->swapchain ==
        VALUE (swapchain))
      g_ptr_array_remove_index_fast (self->presents, i - 1);
}

static void
note_binding (VtrPending                      *self,
              const VtrArgs_vkQueueBindSparse *args)
{
  for (guint32 i = 0; args->pBindInfo != NULL && i < args->bindInfoCount; i++)
    {
      const VkBindSparseInfo *info = &args->pBindInfo[i];
      const VkTimelineSemaphoreSubmitInfo none = { 0 };
      const VkTimelineSemaphoreSubmitInfo *values =
        vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
      VtrPendingSubmission binding = { 0 };

      if (values == NULL)
        values = &none;
      if (i + 1 == args->bindInfoCount)
        binding.fence = VALUE (args->fence);
      for (guint32 j = 0; info->pWaitSemaphores != NULL && j < info->waitSemaphoreCount; j++)
        vtr_pending_add_wait (self, &binding.waits, info->pWaitSemaphores[j],
                              vtr_pending_value_at (values->pWaitSemaphoreValues,
                                                    values->waitSemaphoreValueCount, j));
      for (guint32 j = 0; info->pSignalSemaphores != NULL && j < info->signalSemaphoreCount; j++)
        vtr_pending_add_signal (self, &binding.signals, info->pSignalSemaphores[j],
                                vtr_pending_value_at (values->pSignalSemaphoreValues,
                                                      values->signalSemaphoreValueCount, j));
      vtr_pending_take (self, binding);
    }
}

gboolean
vtr_pending_wants_present (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkQueuePresentKHR:
    case VTR_CMD_vkAcquireNextImageKHR:
    case VTR_CMD_vkAcquireNextImage2KHR:
    case VTR_CMD_vkWaitForPresentKHR:
    case VTR_CMD_vkDestroySwapchainKHR:
    case VTR_CMD_vkQueueBindSparse:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
vtr_pending_note_present (VtrPending       *self,
                          const VtrCommand *command,
                          gint32            result)
{
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkQueuePresentKHR:
      note_present (self, command->args);
      return TRUE;
    case VTR_CMD_vkAcquireNextImageKHR:
      {
        const VtrArgs_vkAcquireNextImageKHR *a = command->args;

        if (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR)
          note_acquire (self, a->swapchain, a->pImageIndex, a->semaphore, a->fence);
        return TRUE;
      }
    case VTR_CMD_vkAcquireNextImage2KHR:
      {
        const VtrArgs_vkAcquireNextImage2KHR *a = command->args;

        if (a->pAcquireInfo != NULL && (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR))
          note_acquire (self, a->pAcquireInfo->swapchain, a->pImageIndex,
                        a->pAcquireInfo->semaphore, a->pAcquireInfo->fence);
        return TRUE;
      }
    case VTR_CMD_vkWaitForPresentKHR:
      if (result == VK_SUCCESS)
        note_presented (self, command->args);
      return TRUE;
    case VTR_CMD_vkDestroySwapchainKHR:
      forget_swapchain (self, ((const VtrArgs_vkDestroySwapchainKHR *)command->args)->swapchain);
      return TRUE;
    case VTR_CMD_vkQueueBindSparse:
      if (result == VK_SUCCESS)
        note_binding (self, command->args);
      return TRUE;
    default:
      return FALSE;
    }
}
