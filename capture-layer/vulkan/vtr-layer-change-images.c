/* Changes the creation of images and swapchains so that their contents can be copied, and answers
 * questions about images that do not exist yet as they will be created. */
#include "vtr-layer-changes.h"

#include "vtr-layer-host-copy.h"
#include "vtr-layer-picture.h"
#include "vtr-layer-trampolines.h"

#include <stdlib.h>

#define SOURCE VK_IMAGE_USAGE_TRANSFER_SRC_BIT
#define SAMPLED VK_IMAGE_USAGE_SAMPLED_BIT

/* ---- Images ---- */

/* Whether the driver can make an image with @usage. */
static bool
supports_image (VtrLayerDevice          *device,
                const VkImageCreateInfo *info,
                VkImageUsageFlags        usage)
{
  VkImageFormatProperties limits;

  return device->instance->next.GetPhysicalDeviceImageFormatProperties (
           device->physical, info->format, info->imageType, info->tiling, usage, info->flags,
           &limits) == VK_SUCCESS &&
         info->extent.width <= limits.maxExtent.width &&
         info->extent.height <= limits.maxExtent.height &&
         info->extent.depth <= limits.maxExtent.depth && info->mipLevels <= limits.maxMipLevels &&
         info->arrayLayers <= limits.maxArrayLayers && (info->samples & limits.sampleCounts) != 0;
}

static VkImageUsageFlags
wanted_image_usage (VkImageUsageFlags     usage,
                    VkSampleCountFlagBits samples)
{
  return usage | SOURCE | (samples != VK_SAMPLE_COUNT_1_BIT ? SAMPLED : 0);
}

/* The usage with which an image is created: the program's, and those of the layer's that the
 * format allows. */
VkImageUsageFlags
vtr_layer_change_image_usage (VtrLayerDevice          *device,
                              const VkImageCreateInfo *info)
{
  VkImageUsageFlags wanted = wanted_image_usage (info->usage, info->samples);

  /* Transient images allow attachment usages only; modifiers need a query of their own. */
  if ((info->usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) ||
      info->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT ||
      (info->flags & VK_IMAGE_CREATE_PROTECTED_BIT) || info->format == VK_FORMAT_UNDEFINED)
    return info->usage;
  if (wanted == info->usage || supports_image (device, info, wanted))
    return wanted;
  wanted = info->usage | SOURCE;
  return supports_image (device, info, wanted) ? wanted : info->usage;
}

VkResult
vtr_layer_hook_CreateImage (VtrLayerDevice              *self,
                            VkDevice                     device,
                            const VkImageCreateInfo     *pCreateInfo,
                            const VkAllocationCallbacks *pAllocator,
                            VkImage                     *pImage)
{
  VkImageCreateInfo info = *pCreateInfo;
  VkResult result;

  info.usage = vtr_layer_change_image_usage (self, pCreateInfo);
  result = self->next.CreateImage (device, &info, pAllocator, pImage);
  if (result < 0 && info.usage != pCreateInfo->usage)
    result = self->next.CreateImage (device, pCreateInfo, pAllocator, pImage);
  if (result == VK_SUCCESS)
    {
      vtr_layer_memory_image_created (&self->memory, *pImage, pCreateInfo);
      vtr_layer_host_copy_created (self, *pImage, pCreateInfo);
    }
  return result;
}

VkResult
vtr_layer_hook_GetPhysicalDeviceImageFormatProperties (VtrLayerInstance        *self,
                                                       VkPhysicalDevice         physicalDevice,
                                                       VkFormat                 format,
                                                       VkImageType              type,
                                                       VkImageTiling            tiling,
                                                       VkImageUsageFlags        usage,
                                                       VkImageCreateFlags       flags,
                                                       VkImageFormatProperties *pProperties)
{
  /* The sample count is not known yet: SAMPLED is asked for when the image is made. */
  if ((usage & (VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT | SOURCE)) == 0 &&
      self->next.GetPhysicalDeviceImageFormatProperties (
        physicalDevice, format, type, tiling, usage | SOURCE, flags, pProperties) == VK_SUCCESS)
    return VK_SUCCESS;
  return self->next.GetPhysicalDeviceImageFormatProperties (physicalDevice, format, type, tiling,
                                                            usage, flags, pProperties);
}

static VkResult
query_image_format2 (PFN_vkGetPhysicalDeviceImageFormatProperties2  query,
                     VkPhysicalDevice                               physical,
                     const VkPhysicalDeviceImageFormatInfo2        *info,
                     VkImageFormatProperties2                      *properties)
{
  VkPhysicalDeviceImageFormatInfo2 changed = *info;

  changed.usage |= SOURCE;
  if ((info->usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) == 0 &&
      info->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT && changed.usage != info->usage &&
      query (physical, &changed, properties) == VK_SUCCESS)
    return VK_SUCCESS;
  return query (physical, info, properties);
}

VkResult
vtr_layer_hook_GetPhysicalDeviceImageFormatProperties2 (
  VtrLayerInstance *self,
  VkPhysicalDevice physicalDevice,
  const VkPhysicalDeviceImageFormatInfo2 *pInfo,
  VkImageFormatProperties2 *pProperties)
{
  return query_image_format2 (self->next.GetPhysicalDeviceImageFormatProperties2, physicalDevice,
                              pInfo, pProperties);
}

VkResult
vtr_layer_hook_GetPhysicalDeviceImageFormatProperties2KHR (
  VtrLayerInstance *self,
  VkPhysicalDevice physicalDevice,
  const VkPhysicalDeviceImageFormatInfo2 *pInfo,
  VkImageFormatProperties2 *pProperties)
{
  return query_image_format2 (self->next.GetPhysicalDeviceImageFormatProperties2KHR, physicalDevice,
                              pInfo, pProperties);
}

void
vtr_layer_hook_GetPhysicalDeviceSparseImageFormatProperties (
  VtrLayerInstance *self,
  VkPhysicalDevice physicalDevice,
  VkFormat format,
  VkImageType type,
  VkSampleCountFlagBits samples,
  VkImageUsageFlags usage,
  VkImageTiling tiling,
  uint32_t *pCount,
  VkSparseImageFormatProperties *pProperties)
{
  self->next.GetPhysicalDeviceSparseImageFormatProperties (
    physicalDevice, format, type, samples, usage | SOURCE, tiling, pCount, pProperties);
}

void
vtr_layer_hook_GetPhysicalDeviceSparseImageFormatProperties2 (
  VtrLayerInstance *self,
  VkPhysicalDevice physicalDevice,
  const VkPhysicalDeviceSparseImageFormatInfo2 *pInfo,
  uint32_t *pCount,
  VkSparseImageFormatProperties2 *pProperties)
{
  VkPhysicalDeviceSparseImageFormatInfo2 changed = *pInfo;

  changed.usage |= SOURCE;
  self->next.GetPhysicalDeviceSparseImageFormatProperties2 (physicalDevice, &changed, pCount,
                                                            pProperties);
}

void
vtr_layer_hook_GetPhysicalDeviceSparseImageFormatProperties2KHR (
  VtrLayerInstance *self,
  VkPhysicalDevice physicalDevice,
  const VkPhysicalDeviceSparseImageFormatInfo2 *pInfo,
  uint32_t *pCount,
  VkSparseImageFormatProperties2 *pProperties)
{
  VkPhysicalDeviceSparseImageFormatInfo2 changed = *pInfo;

  changed.usage |= SOURCE;
  self->next.GetPhysicalDeviceSparseImageFormatProperties2KHR (physicalDevice, &changed, pCount,
                                                               pProperties);
}

/* Calls one of the requirement queries with the image as it will be made. */
#define WITH_IMAGE_REQUIREMENTS(call) \
  VkImageCreateInfo image = *pInfo->pCreateInfo; \
  VkDeviceImageMemoryRequirements changed = *pInfo; \
\
  image.usage = vtr_layer_change_image_usage (self, pInfo->pCreateInfo); \
  changed.pCreateInfo = &image; \
  call

void
vtr_layer_hook_GetDeviceImageMemoryRequirements (VtrLayerDevice                        *self,
                                                 VkDevice                               device,
                                                 const VkDeviceImageMemoryRequirements *pInfo,
                                                 VkMemoryRequirements2                 *pOut)
{
  WITH_IMAGE_REQUIREMENTS (
    self->next.GetDeviceImageMemoryRequirements (device, &changed, pOut));
}

void
vtr_layer_hook_GetDeviceImageMemoryRequirementsKHR (VtrLayerDevice                        *self,
                                                    VkDevice                               device,
                                                    const VkDeviceImageMemoryRequirements *pInfo,
                                                    VkMemoryRequirements2                 *pOut)
{
  WITH_IMAGE_REQUIREMENTS (
    self->next.GetDeviceImageMemoryRequirementsKHR (device, &changed, pOut));
}

void
vtr_layer_hook_GetDeviceImageSparseMemoryRequirements (
  VtrLayerDevice *self,
  VkDevice device,
  const VkDeviceImageMemoryRequirements *pInfo,
  uint32_t *pCount,
  VkSparseImageMemoryRequirements2 *pOut)
{
  WITH_IMAGE_REQUIREMENTS (
    self->next.GetDeviceImageSparseMemoryRequirements (device, &changed, pCount, pOut));
}

void
vtr_layer_hook_GetDeviceImageSparseMemoryRequirementsKHR (
  VtrLayerDevice *self,
  VkDevice device,
  const VkDeviceImageMemoryRequirements *pInfo,
  uint32_t *pCount,
  VkSparseImageMemoryRequirements2 *pOut)
{
  WITH_IMAGE_REQUIREMENTS (
    self->next.GetDeviceImageSparseMemoryRequirementsKHR (device, &changed, pCount, pOut));
}

#ifdef VK_KHR_maintenance5
static void
get_layout_of_changed (VtrLayerDevice                           *self,
                       PFN_vkGetDeviceImageSubresourceLayoutKHR  get,
                       const VkDeviceImageSubresourceInfoKHR    *info,
                       VkSubresourceLayout2KHR                  *out)
{
  VkImageCreateInfo image = *info->pCreateInfo;
  VkDeviceImageSubresourceInfoKHR changed = *info;

  image.usage = vtr_layer_change_image_usage (self, info->pCreateInfo);
  changed.pCreateInfo = &image;
  get (self->handle, &changed, out);
}

void
vtr_layer_hook_GetDeviceImageSubresourceLayoutKHR (VtrLayerDevice                        *self,
                                                   VkDevice                               device,
                                                   const VkDeviceImageSubresourceInfoKHR *pInfo,
                                                   VkSubresourceLayout2KHR               *pLayout)
{
  (void)device;
  get_layout_of_changed (self, self->next.GetDeviceImageSubresourceLayoutKHR, pInfo, pLayout);
}
#endif

#ifdef VK_VERSION_1_4
void
vtr_layer_hook_GetDeviceImageSubresourceLayout (VtrLayerDevice                     *self,
                                                VkDevice                            device,
                                                const VkDeviceImageSubresourceInfo *pInfo,
                                                VkSubresourceLayout2               *pLayout)
{
  (void)device;
  get_layout_of_changed (self, self->next.GetDeviceImageSubresourceLayout, pInfo, pLayout);
}
#endif

/* ---- Swapchains ---- */

VkImageUsageFlags
vtr_layer_change_swapchain_usage (const VtrLayerDevice *device,
                                  VkSurfaceKHR          surface,
                                  VkImageUsageFlags     usage)
{
  const VtrInstanceDispatch *instance = &device->instance->next;
  VkSurfaceCapabilitiesKHR capabilities;

  if (instance->GetPhysicalDeviceSurfaceCapabilitiesKHR == NULL || surface == VK_NULL_HANDLE ||
      instance->GetPhysicalDeviceSurfaceCapabilitiesKHR (device->physical, surface,
                                                         &capabilities) != VK_SUCCESS ||
      (capabilities.supportedUsageFlags & SOURCE) == 0)
    return usage;
  return usage | SOURCE;
}

VkResult
vtr_layer_hook_CreateSwapchainKHR (VtrLayerDevice                 *self,
                                   VkDevice                        device,
                                   const VkSwapchainCreateInfoKHR *pCreateInfo,
                                   const VkAllocationCallbacks    *pAllocator,
                                   VkSwapchainKHR                 *pSwapchain)
{
  VkSwapchainCreateInfoKHR info = *pCreateInfo;
  VkResult result;

  info.imageUsage = vtr_layer_change_swapchain_usage (self, info.surface, info.imageUsage);
  result = self->next.CreateSwapchainKHR (device, &info, pAllocator, pSwapchain);
  if (result == VK_SUCCESS)
    vtr_layer_picture_swapchain_made (self, *pSwapchain, &info);
  return result;
}

VkResult
vtr_layer_hook_CreateSharedSwapchainsKHR (VtrLayerDevice                 *self,
                                          VkDevice                        device,
                                          uint32_t                        swapchainCount,
                                          const VkSwapchainCreateInfoKHR *pCreateInfos,
                                          const VkAllocationCallbacks    *pAllocator,
                                          VkSwapchainKHR                 *pSwapchains)
{
  VkSwapchainCreateInfoKHR *infos = calloc (swapchainCount + 1, sizeof *infos);
  VkResult result;

  if (infos == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  for (uint32_t i = 0; i < swapchainCount; i++)
    {
      infos[i] = pCreateInfos[i];
      infos[i].imageUsage =
        vtr_layer_change_swapchain_usage (self, infos[i].surface, infos[i].imageUsage);
    }
  result =
    self->next.CreateSharedSwapchainsKHR (device, swapchainCount, infos, pAllocator, pSwapchains);
  for (uint32_t i = 0; result == VK_SUCCESS && i < swapchainCount; i++)
    vtr_layer_picture_swapchain_made (self, pSwapchains[i], &infos[i]);
  free (infos);
  return result;
}
