/* Implements devices, their queues, command buffers and swapchains. */
#include "vtr-mock.h"

#include <stdlib.h>

VkResult
mock_do_vkCreateDevice (VkPhysicalDevice             physical,
                        const VkDeviceCreateInfo    *info,
                        const VkAllocationCallbacks *allocator,
                        VkDevice                    *out)
{
  for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
    if (!mock_config_has_extension (info->ppEnabledExtensionNames[i]))
      return VK_ERROR_EXTENSION_NOT_PRESENT;
  for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
    if (info->pQueueCreateInfos[i].queueFamilyIndex >= mock_config.n_families)
      {
        if (mock_config.strict)
          mock_violation ("queue family %u", info->pQueueCreateInfos[i].queueFamilyIndex);
        return VK_ERROR_INITIALIZATION_FAILED;
      }
  *out = (VkDevice)mock_new_object (NULL, VK_OBJECT_TYPE_DEVICE, NULL);
  mock_note_features ((MockObject *)*out, info);
  return VK_SUCCESS;
}

void
mock_do_vkDestroyDevice (VkDevice                     device,
                         const VkAllocationCallbacks *allocator)
{
  mock_end (NULL, VK_OBJECT_TYPE_DEVICE, (uintptr_t)device);
}

static VkQueue
queue (VkDevice device,
       uint32_t family,
       uint32_t index)
{
  MockObject *owner = mock_owner (device), *found;

  mock_lock ();
  found = mock_next_of (owner, VK_OBJECT_TYPE_QUEUE, family * 64 + index);
  if (found == NULL)
    {
      found = mock_new_object (owner, VK_OBJECT_TYPE_QUEUE, NULL);
      found->u.owner_data.index = family * 64 + index;
    }
  mock_unlock ();
  return (VkQueue)found;
}

void
mock_do_vkGetDeviceQueue (VkDevice  device,
                          uint32_t  family,
                          uint32_t  index,
                          VkQueue  *out)
{
  *out = queue (device, family, index);
}

void
mock_do_vkGetDeviceQueue2 (VkDevice                  device,
                           const VkDeviceQueueInfo2 *info,
                           VkQueue                  *out)
{
  *out = queue (device, info->queueFamilyIndex, info->queueIndex);
}

/* --- What recordings do to events ------------------------------------------------------------ */

VkResult
mock_do_vkBeginCommandBuffer (VkCommandBuffer                 commands,
                              const VkCommandBufferBeginInfo *info)
{
  ((MockObject *)commands)->u.recording.n_events = 0;
  return VK_SUCCESS;
}

static void
record_event (VkCommandBuffer commands,
              VkEvent         event,
              bool            set)
{
  MockObject *recording = (MockObject *)commands;
  MockObject *object = mock_find (commands, VK_OBJECT_TYPE_EVENT, (uint64_t)event);
  uint32_t n = recording->u.recording.n_events;

  if (object == NULL || n == 64)
    return;
  recording->u.recording.events[n] = object;
  recording->u.recording.set[n] = set;
  recording->u.recording.n_events++;
}

void
mock_do_vkCmdSetEvent (VkCommandBuffer      commands,
                       VkEvent              event,
                       VkPipelineStageFlags stages)
{
  record_event (commands, event, true);
}

void
mock_do_vkCmdResetEvent (VkCommandBuffer      commands,
                         VkEvent              event,
                         VkPipelineStageFlags stages)
{
  record_event (commands, event, false);
}

void
mock_do_vkCmdSetEvent2 (VkCommandBuffer         commands,
                        VkEvent                 event,
                        const VkDependencyInfo *info)
{
  record_event (commands, event, true);
}

void
mock_do_vkCmdResetEvent2 (VkCommandBuffer       commands,
                          VkEvent               event,
                          VkPipelineStageFlags2 stages)
{
  record_event (commands, event, false);
}

/* --- Swapchains ------------------------------------------------------------------------------ */

static VkSwapchainKHR
create_swapchain (VkDevice                        device,
                  const VkSwapchainCreateInfoKHR *info)
{
  MockObject *self = mock_new_object (mock_owner (device), VK_OBJECT_TYPE_SWAPCHAIN_KHR, NULL);

  self->u.swapchain.n_images = info->minImageCount < 1   ? 1
                               : info->minImageCount > 8 ? 8
                                                         : info->minImageCount;
  for (uint32_t i = 0; i < self->u.swapchain.n_images; i++)
    {
      MockObject *image = mock_new_object (mock_owner (device), VK_OBJECT_TYPE_IMAGE, self);

      image->u.resource.width = info->imageExtent.width;
      image->u.resource.height = info->imageExtent.height;
      image->u.resource.depth = 1;
      image->u.resource.n_layers = image->u.resource.n_levels = 1;
      image->u.resource.texel = 16;
      image->u.resource.size = (uint64_t)info->imageExtent.width * info->imageExtent.height * 16;
      self->u.swapchain.images[i] = image;
    }
  return (VkSwapchainKHR)self->value;
}

VkResult
mock_do_vkCreateSwapchainKHR (VkDevice                        device,
                              const VkSwapchainCreateInfoKHR *info,
                              const VkAllocationCallbacks    *allocator,
                              VkSwapchainKHR                 *out)
{
  *out = create_swapchain (device, info);
  return VK_SUCCESS;
}

VkResult
mock_do_vkCreateSharedSwapchainsKHR (VkDevice                        device,
                                     uint32_t                        n,
                                     const VkSwapchainCreateInfoKHR *infos,
                                     const VkAllocationCallbacks    *allocator,
                                     VkSwapchainKHR                 *out)
{
  for (uint32_t i = 0; i < n; i++)
    out[i] = create_swapchain (device, &infos[i]);
  return VK_SUCCESS;
}

VkResult
mock_do_vkGetSwapchainImagesKHR (VkDevice        device,
                                 VkSwapchainKHR  swapchain,
                                 uint32_t       *n,
                                 VkImage        *out)
{
  MockObject *self = mock_find (device, VK_OBJECT_TYPE_SWAPCHAIN_KHR, (uint64_t)swapchain);
  uint32_t all = self == NULL ? 0 : self->u.swapchain.n_images;

  if (out == NULL || *n > all)
    *n = all;
  for (uint32_t i = 0; out != NULL && i < *n; i++)
    out[i] = (VkImage)self->u.swapchain.images[i]->value;
  return *n < all ? VK_INCOMPLETE : VK_SUCCESS;
}

static VkResult
acquire (VkDevice        device,
         VkSwapchainKHR  swapchain,
         VkSemaphore     semaphore,
         VkFence         fence,
         uint32_t       *index)
{
  MockObject *self = mock_find (device, VK_OBJECT_TYPE_SWAPCHAIN_KHR, (uint64_t)swapchain);
  MockObject *signals[] = {
    mock_find (device, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)semaphore),
    mock_find (device, VK_OBJECT_TYPE_FENCE, (uint64_t)fence),
  };

  if (self == NULL)
    return VK_ERROR_OUT_OF_DATE_KHR;
  mock_lock ();
  *index = self->u.swapchain.next++ % self->u.swapchain.n_images;
  for (unsigned i = 0; i < 2; i++)
    if (signals[i] != NULL)
      signals[i]->u.sync.signaled = true;
  mock_wake ();
  mock_unlock ();
  return VK_SUCCESS;
}

VkResult
mock_do_vkAcquireNextImageKHR (VkDevice        device,
                               VkSwapchainKHR  swapchain,
                               uint64_t        timeout,
                               VkSemaphore     semaphore,
                               VkFence         fence,
                               uint32_t       *index)
{
  return acquire (device, swapchain, semaphore, fence, index);
}

VkResult
mock_do_vkAcquireNextImage2KHR (VkDevice                         device,
                                const VkAcquireNextImageInfoKHR *info,
                                uint32_t                        *index)
{
  return acquire (device, info->swapchain, info->semaphore, info->fence, index);
}

VkResult
mock_do_vkQueuePresentKHR (VkQueue                 queue,
                           const VkPresentInfoKHR *info)
{
  mock_lock ();
  for (uint32_t i = 0; i < info->waitSemaphoreCount; i++)
    {
      MockObject *wait =
        mock_find (queue, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)info->pWaitSemaphores[i]);

      if (wait != NULL)
        wait->u.sync.signaled = false;
    }
  mock_unlock ();
  for (uint32_t i = 0; info->pResults != NULL && i < info->swapchainCount; i++)
    info->pResults[i] = VK_SUCCESS;
  return VK_SUCCESS;
}
