/* Applies the creation, acquiring and presenting of swapchain images to the state. */
#include "engine/vulkan/state/vtr-state-mutator.h"

#include "api/vtr-api-args.h"

#define MAX_IMAGES 256

#define ARGS(name) const VtrArgs_##name *args = self->command.args

/* The image at @index, made when the program has not asked for it yet. */
static VtrStateSwapImage *
get_image (VtrStateSwapchain *self,
           guint32            index)
{
  if (index >= MAX_IMAGES)
    return NULL;
  if (index >= self->n)
    {
      self->images = g_renew (VtrStateSwapImage, self->images, index + 1);
      for (guint32 i = self->n; i <= index; i++)
        self->images[i] = (VtrStateSwapImage){ 0 };
      self->n = index + 1;
    }
  return &self->images[index];
}

static void
create (VtrMutator                     *self,
        const VkSwapchainCreateInfoKHR *info,
        guint64                         made)
{
  VtrStateSwapchain *old =
    info->oldSwapchain != VK_NULL_HANDLE
      ? vtr_mutator_edit (self, VTR_HANDLE_VkSwapchainKHR, (guint64)info->oldSwapchain)
      : NULL;

  vtr_mutator_edit (self, VTR_HANDLE_VkSwapchainKHR, made);
  if (old != NULL)
    old->retired_by = vtr_mutator_find (self, VTR_HANDLE_VkSwapchainKHR, made);
}

static void
get_images (VtrMutator *self)
{
  ARGS (vkGetSwapchainImagesKHR);
  VtrStateSwapchain *swapchain;

  if (args->pSwapchainImages == NULL || args->pSwapchainImageCount == NULL)
    return;
  swapchain = vtr_mutator_edit (self, VTR_HANDLE_VkSwapchainKHR, (guint64)args->swapchain);
  for (guint32 i = 0; swapchain != NULL && i < *args->pSwapchainImageCount; i++)
    {
      VtrStateSwapImage *image = get_image (swapchain, i);

      if (image == NULL)
        break;
      image->image =
        vtr_mutator_find (self, VTR_HANDLE_VkImage, (guint64)args->pSwapchainImages[i]);
    }
}

static void
acquire (VtrMutator     *self,
         VkSwapchainKHR  handle,
         VkSemaphore     semaphore,
         VkFence         fence,
         const uint32_t *index)
{
  gint32 result = (gint32)self->command.result;
  VtrStateSwapchain *swapchain;
  VtrStateSwapImage *image;

  if (index == NULL || (result != VK_SUCCESS && result != VK_SUBOPTIMAL_KHR))
    return;
  swapchain = vtr_mutator_edit (self, VTR_HANDLE_VkSwapchainKHR, (guint64)handle);
  image = swapchain != NULL ? get_image (swapchain, *index) : NULL;
  if (image != NULL)
    {
      image->status = VTR_SWAPCHAIN_ACQUIRED;
      image->command = (guint32)self->command.index;
      swapchain->last_acquired = *index;
    }
  if (semaphore != VK_NULL_HANDLE)
    vtr_mutator_signal_semaphore (self, semaphore, 0, 0);
  if (fence != VK_NULL_HANDLE)
    vtr_mutator_use_fence (self, fence, 0);
}

static void
present (VtrMutator *self)
{
  ARGS (vkQueuePresentKHR);
  const VkPresentInfoKHR *info = args->pPresentInfo;
  VtrStateQueue *queue =
    vtr_mutator_edit (self, VTR_HANDLE_VkQueue, (guint64)(guintptr)args->queue);

  if (queue != NULL)
    {
      queue->n_presents++;
      queue->last_present = (guint32)self->command.index;
    }
  if (info == NULL)
    return;
  for (guint32 i = 0; i < info->waitSemaphoreCount && info->pWaitSemaphores != NULL; i++)
    vtr_mutator_wait_semaphore (self, info->pWaitSemaphores[i], 0);
  for (guint32 i = 0;
       i < info->swapchainCount && info->pSwapchains != NULL && info->pImageIndices != NULL; i++)
    {
      VtrStateSwapchain *swapchain =
        vtr_mutator_edit (self, VTR_HANDLE_VkSwapchainKHR, (guint64)info->pSwapchains[i]);
      VtrStateSwapImage *image =
        swapchain != NULL ? get_image (swapchain, info->pImageIndices[i]) : NULL;

      if (image == NULL)
        continue;
      image->status = VTR_SWAPCHAIN_PRESENTED;
      image->command = (guint32)self->command.index;
      swapchain->last_presented = info->pImageIndices[i];
    }
}

gboolean
vtr_mutator_apply_swapchain (VtrMutator *self)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkCreateSwapchainKHR:
      {
        ARGS (vkCreateSwapchainKHR);
        if (args->pCreateInfo != NULL && args->pSwapchain != NULL)
          create (self, args->pCreateInfo, (guint64)*args->pSwapchain);
        return TRUE;
      }
    case VTR_CMD_vkGetSwapchainImagesKHR:
      get_images (self);
      return TRUE;
    case VTR_CMD_vkAcquireNextImageKHR:
      {
        ARGS (vkAcquireNextImageKHR);
        acquire (self, args->swapchain, args->semaphore, args->fence, args->pImageIndex);
        return TRUE;
      }
    case VTR_CMD_vkAcquireNextImage2KHR:
      {
        ARGS (vkAcquireNextImage2KHR);
        if (args->pAcquireInfo != NULL)
          acquire (self, args->pAcquireInfo->swapchain, args->pAcquireInfo->semaphore,
                   args->pAcquireInfo->fence, args->pImageIndex);
        return TRUE;
      }
    case VTR_CMD_vkQueuePresentKHR:
      present (self);
      return TRUE;
    default:
      return FALSE;
    }
}
