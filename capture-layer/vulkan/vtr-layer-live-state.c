/* Creates and frees the tracked state of each type of object, such as the layouts of an image or
 * the value of a semaphore. */
#include "vtr-layer-live-state.h"

#include "vtr-layer-frames.h"
#include "vtr-layer-quiesce.h"

#include "vulkan/vtr-vulkan-facts.h"
#include "vulkan/vtr-vulkan-formats.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
key (const void *handle)
{
  return (uint64_t)(uintptr_t)handle;
}

/* ---- Aspects ---- */

uint32_t
vtr_layer_count_aspects (VkFormat format)
{
  const VtrPixelFormat *pixels = vtr_vulkan_format_get (format);

  return pixels != NULL ? pixels->n_planes : 1;
}

VkImageAspectFlags
vtr_layer_get_aspect (VkFormat format,
                      uint32_t i)
{
  const VtrPixelFormat *pixels = vtr_vulkan_format_get (format);

  if (pixels == NULL || i >= pixels->n_planes)
    return VK_IMAGE_ASPECT_COLOR_BIT;
  return (VkImageAspectFlags)vtr_vulkan_aspect_of ((VtrPixelAspect)pixels->planes[i].kind);
}

/* ---- Layouts ---- */

/* The layers of @range that have layouts of their own. Returns: false if there are none. */
static bool
find_layers (const VtrLayerImage           *self,
             const VkImageSubresourceRange *range,
             uint32_t                      *first,
             uint32_t                      *end)
{
  const uint32_t n = vtr_layer_count_layers (self->slices, self->n_layers, range->baseMipLevel);

  /* Views name slices, which have one layout together. */
  *first = self->info.imageType == VK_IMAGE_TYPE_3D && !self->slices ? 0 : range->baseArrayLayer;
  if (*first >= n)
    return false;
  /* The range extends to the end of all levels, so that images whose slices agree always have
   * equal layouts. */
  *end = range->layerCount >= n - *first ? self->n_layers : *first + range->layerCount;
  return true;
}

void
vtr_layer_live_set_layout (VtrLayerWorld                 *world,
                           uint64_t                       image,
                           const VkImageSubresourceRange *range,
                           VkImageLayout                  layout,
                           uint32_t                       owner)
{
  VtrLayerImage *self = vtr_layer_live_state (world, VTR_HANDLE_VkImage, image);
  uint32_t first_layer, end_layer, end_mip;

  if (self == NULL || range->baseMipLevel >= self->info.mipLevels ||
      !find_layers (self, range, &first_layer, &end_layer))
    return;
  if (owner != VK_QUEUE_FAMILY_IGNORED)
    self->owner = owner;
  self->used = vtr_layer_live_next_order ();
  end_mip = range->levelCount > self->info.mipLevels - range->baseMipLevel
              ? self->info.mipLevels
              : range->baseMipLevel + range->levelCount;
  for (uint32_t i = 0; i < self->n_aspects; i++)
    {
      VkImageLayout *layouts =
        &self->layouts[(size_t)i * self->n_layers * self->info.mipLevels];

      /* The colour of several planes is all of them. */
      if ((range->aspectMask &
           (vtr_layer_get_aspect (self->info.format, i) | VK_IMAGE_ASPECT_COLOR_BIT)) == 0)
        continue;
      for (uint32_t layer = first_layer; layer < end_layer; layer++)
        for (uint32_t mip = range->baseMipLevel; mip < end_mip; mip++)
          layouts[(size_t)layer * self->info.mipLevels + mip] = layout;
    }
}

void
vtr_layer_live_set_built (VtrLayerWorld              *world,
                          VkAccelerationStructureKHR  structure)
{
  VtrLayerStructure *self =
    vtr_layer_live_state (world, VTR_HANDLE_VkAccelerationStructureKHR, key (structure));

  if (self != NULL)
    self->built = vtr_layer_live_next_order ();
}

/* The owner of an image once a barrier has run on a queue of @family. With maintenance9 a program
 * may use an image first on @family, or continue to use it there, without a transfer. */
static uint32_t
find_owner (VtrLayerWorld        *world,
            const VtrLayerEffect *barrier,
            uint32_t              family)
{
  const VtrLayerImage *image = vtr_layer_live_state (world, VTR_HANDLE_VkImage, barrier->handle);

  if (image == NULL || !world->device->maintenance9)
    return barrier->owner;
  if (image->info.tiling == VK_IMAGE_TILING_LINEAR)
    return VK_QUEUE_FAMILY_IGNORED;
  return barrier->owner == VK_QUEUE_FAMILY_IGNORED &&
             image->info.sharingMode == VK_SHARING_MODE_EXCLUSIVE
           ? family
           : barrier->owner;
}

void
vtr_layer_live_apply (VtrLayerWorld         *world,
                      const VtrLayerEffects *effects,
                      uint32_t               family)
{
  for (size_t i = 0; i < effects->n; i++)
    {
      const VtrLayerEffect *each = &effects->items[i];
      VtrLayerBuffer *buffer;
      VtrLayerEvent *event;
      VtrLayerQueryPool *pool;

      switch (each->kind)
        {
        case VTR_LAYER_EFFECT_IMAGE:
          vtr_layer_live_set_layout (world, each->handle, &each->range, each->layout,
                                     find_owner (world, each, family));
          break;
        case VTR_LAYER_EFFECT_BUFFER_OWNER:
          buffer = vtr_layer_live_state (world, VTR_HANDLE_VkBuffer, each->handle);
          /* With maintenance9 buffers keep what they hold on queues of every family. */
          if (buffer != NULL && !world->device->maintenance9)
            buffer->owner = each->owner;
          break;
        case VTR_LAYER_EFFECT_EVENT:
          event = vtr_layer_live_state (world, VTR_HANDLE_VkEvent, each->handle);
          if (event != NULL)
            {
              event->set = (VtrLayerEventSet)each->layout;
              event->stages = each->stages;
            }
          break;
        case VTR_LAYER_EFFECT_QUERIES:
          pool = vtr_layer_live_state (world, VTR_HANDLE_VkQueryPool, each->handle);
          if (pool != NULL)
            pool->reset = true;
          break;
        case VTR_LAYER_EFFECT_BUILT:
          vtr_layer_live_set_built (world, (VkAccelerationStructureKHR)(uintptr_t)each->handle);
          break;
        }
    }
}

/* ---- Creation and destruction of objects ---- */

static void
free_image (void *state)
{
  VtrLayerImage *self = state;

  if (self != NULL)
    vtr_layer_sparse_free (self->sparse);
  free (self);
}

static void
free_buffer (void *state)
{
  VtrLayerBuffer *self = state;

  if (self != NULL)
    vtr_layer_sparse_free (self->sparse);
  free (self);
}

static void *
make_image (const VtrLayerWorld     *world,
            const VkImageCreateInfo *info)
{
  const bool slices = world->device != NULL && world->device->maintenance9 &&
                      vtr_image_has_slice_layouts (info->imageType, info->flags);
  uint32_t n_layers = slices ? info->extent.depth : info->arrayLayers;
  uint32_t n_aspects = vtr_layer_count_aspects (info->format);
  size_t n = (size_t)n_aspects * n_layers * info->mipLevels;
  VtrLayerImage *self = calloc (1, sizeof *self + n * sizeof self->layouts[0]);
  const VkImageStencilUsageCreateInfo *stencil =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO);

  if (self == NULL)
    return NULL;
  self->stencil_usage = stencil != NULL ? stencil->stencilUsage : 0;
  self->info = *info;
  self->info.pNext = NULL;
  self->info.queueFamilyIndexCount = 0;
  self->info.pQueueFamilyIndices = NULL;
  self->owner = VK_QUEUE_FAMILY_IGNORED;
  self->slices = slices;
  self->n_layers = n_layers;
  self->n_aspects = n_aspects;
  for (size_t i = 0; i < n; i++)
    self->layouts[i] = info->initialLayout;
  return self;
}

static void *
make_swapchain (const VkSwapchainCreateInfoKHR *info)
{
  VtrLayerSwapchain *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->surface = info->surface;
  self->image = (VkImageCreateInfo){
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = info->imageFormat,
    .extent = { info->imageExtent.width, info->imageExtent.height, 1 },
    .mipLevels = 1,
    .arrayLayers = info->imageArrayLayers,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .tiling = VK_IMAGE_TILING_OPTIMAL,
    .usage = info->imageUsage,
    .sharingMode = info->imageSharingMode,
    .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
  };
  return self;
}

static void *
make_swapchain_image (VtrLayerWorld                         *world,
                      const VtrArgs_vkGetSwapchainImagesKHR *args,
                      uint64_t                               handle)
{
  VtrLayerSwapchain *swapchain =
    vtr_layer_live_state (world, VTR_HANDLE_VkSwapchainKHR, key (args->swapchain));
  VtrLayerImage *self = swapchain != NULL ? make_image (world, &swapchain->image) : NULL;

  if (self == NULL)
    return NULL;
  self->swapchain = true;
  self->surface = swapchain->surface;
  /* By index: several calls may have handed out parts. */
  for (uint32_t i = 0; i < *args->pSwapchainImageCount && i < 64; i++)
    {
      swapchain->images[i] = args->pSwapchainImages[i];
      if (swapchain->n_images <= i)
        swapchain->n_images = i + 1;
    }
  (void)handle;
  return self;
}

static void *
make_view (const VkImageViewCreateInfo *info)
{
  VtrLayerImageView *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->image = key (info->image);
  self->range = info->subresourceRange;
  return self;
}

static void *
make_framebuffer (VtrLayerWorld                 *world,
                  const VkFramebufferCreateInfo *info)
{
  uint32_t n = info->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT ? 0 : info->attachmentCount;
  VtrLayerFramebuffer *self = calloc (1, sizeof *self + n * sizeof self->views[0]);

  if (self == NULL)
    return NULL;
  self->n = n;
  for (uint32_t i = 0; i < n; i++)
    {
      const VtrLayerImageView *view =
        vtr_layer_live_state (world, VTR_HANDLE_VkImageView, key (info->pAttachments[i]));

      if (view != NULL)
        self->views[i] = *view;
    }
  return self;
}

static void *
make_render_pass (const VkRenderPassCreateInfo *info)
{
  VtrLayerRenderPass *self =
    calloc (1, sizeof *self + info->attachmentCount * sizeof self->attachments[0]);

  if (self == NULL)
    return NULL;
  self->n = info->attachmentCount;
  for (uint32_t i = 0; i < self->n; i++)
    {
      self->attachments[i].layout = info->pAttachments[i].finalLayout;
      self->attachments[i].stencil = info->pAttachments[i].finalLayout;
    }
  return self;
}

static void *
make_render_pass2 (const VkRenderPassCreateInfo2 *info)
{
  VtrLayerRenderPass *self =
    calloc (1, sizeof *self + info->attachmentCount * sizeof self->attachments[0]);

  if (self == NULL)
    return NULL;
  self->n = info->attachmentCount;
  for (uint32_t i = 0; i < self->n; i++)
    {
      const VkAttachmentDescriptionStencilLayout *stencil =
        vtr_api_find_next (info->pAttachments[i].pNext,
                           VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT);

      self->attachments[i].layout = info->pAttachments[i].finalLayout;
      self->attachments[i].stencil =
        stencil != NULL ? stencil->stencilFinalLayout : info->pAttachments[i].finalLayout;
    }
  return self;
}

static void *
make_buffer (const VkBufferCreateInfo *info)
{
  VtrLayerBuffer *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->size = info->size;
  self->usage = vtr_buffer_get_usage (info);
  self->owner = VK_QUEUE_FAMILY_IGNORED;
  return self;
}

static void *
make_buffer_view (const VkBufferViewCreateInfo *info)
{
  VtrLayerBufferView *self = calloc (1, sizeof *self);

  if (self != NULL)
    self->buffer = key (info->buffer);
  return self;
}

static void *
make_memory (const VkMemoryAllocateInfo *info)
{
  const VkImportMemoryHostPointerInfoEXT *host =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
  const VkImportMemoryFdInfoKHR *fd =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
  VtrLayerDeviceMemory *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->size = info->allocationSize;
  self->type = info->memoryTypeIndex;
  self->imported = host != NULL || (fd != NULL && fd->handleType != 0);
  self->exported =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO) != NULL;
  self->host = host != NULL ? host->pHostPointer : NULL;
  return self;
}

static void *
make_semaphore (const VkSemaphoreCreateInfo *info)
{
  const VkSemaphoreTypeCreateInfo *type =
    vtr_api_find_next (info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  VtrLayerSemaphore *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->timeline = type != NULL && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
  if (self->timeline)
    vtr_layer_quiesce_note_host_waits ();
  self->initial = self->promised = self->timeline ? type->initialValue : 0;
  return self;
}

static void *
make_fence (bool signalled)
{
  VtrLayerFence *self = calloc (1, sizeof *self);

  if (self != NULL)
    self->signalled = signalled;
  return self;
}

static void *
make_event (const VkEventCreateInfo *info)
{
  VtrLayerEvent *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->device_only = (info->flags & VK_EVENT_CREATE_DEVICE_ONLY_BIT) != 0;
  if (!self->device_only)
    vtr_layer_quiesce_note_host_waits ();
  return self;
}

static void *
make_query_pool (const VkQueryPoolCreateInfo *info)
{
  VtrLayerQueryPool *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->n = info->queryCount;
  self->type = info->queryType;
  self->n_values = 1;
  self->reset = vtr_query_pool_begins_reset (info);
  if (info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS)
    self->n_values = (uint32_t)__builtin_popcount (info->pipelineStatistics);
  else if (info->queryType == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT)
    self->n_values = 2; /* written and needed */
  return self;
}

static void *
make_structure (const VkAccelerationStructureCreateInfoKHR *info)
{
  VtrLayerStructure *self = calloc (1, sizeof *self);

  if (self != NULL)
    *self = (VtrLayerStructure){ info->buffer, info->offset, info->size, info->type, 0 };
  return self;
}

static void *
make_queue (uint32_t family)
{
  VtrLayerQueue *self = calloc (1, sizeof *self);

  if (self != NULL)
    self->family = family;
  return self;
}

/* The parameters of @cmd, which the switch below has found. */
#define ARGS(cmd) ((const VtrArgs_##cmd *)args)

static void *
make_state (VtrLayerWorld        *world,
            const VtrLayerObject *object,
            VtrCmdId              cmd,
            const void           *args,
            uint32_t              index)
{
  switch (cmd)
    {
    case VTR_CMD_vkCreateImage:
      return make_image (world, ARGS (vkCreateImage)->pCreateInfo);
    case VTR_CMD_vkCreateSwapchainKHR:
      return make_swapchain (ARGS (vkCreateSwapchainKHR)->pCreateInfo);
    case VTR_CMD_vkCreateSharedSwapchainsKHR:
      return make_swapchain (&ARGS (vkCreateSharedSwapchainsKHR)->pCreateInfos[index]);
    case VTR_CMD_vkGetSwapchainImagesKHR:
      return make_swapchain_image (world, args, object->handle);
    case VTR_CMD_vkCreateImageView:
      return make_view (ARGS (vkCreateImageView)->pCreateInfo);
    case VTR_CMD_vkCreateFramebuffer:
      return make_framebuffer (world, ARGS (vkCreateFramebuffer)->pCreateInfo);
    case VTR_CMD_vkCreateRenderPass:
      return make_render_pass (ARGS (vkCreateRenderPass)->pCreateInfo);
    case VTR_CMD_vkCreateRenderPass2:
      return make_render_pass2 (ARGS (vkCreateRenderPass2)->pCreateInfo);
    case VTR_CMD_vkCreateBuffer:
      return make_buffer (ARGS (vkCreateBuffer)->pCreateInfo);
    case VTR_CMD_vkCreateBufferView:
      return make_buffer_view (ARGS (vkCreateBufferView)->pCreateInfo);
    case VTR_CMD_vkAllocateMemory:
      return make_memory (ARGS (vkAllocateMemory)->pAllocateInfo);
    case VTR_CMD_vkCreateSemaphore:
      return make_semaphore (ARGS (vkCreateSemaphore)->pCreateInfo);
    case VTR_CMD_vkCreateFence:
      return make_fence (
        (ARGS (vkCreateFence)->pCreateInfo->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0);
    case VTR_CMD_vkRegisterDeviceEventEXT:
    case VTR_CMD_vkRegisterDisplayEventEXT:
      return make_fence (false);
    case VTR_CMD_vkCreateEvent:
      return make_event (ARGS (vkCreateEvent)->pCreateInfo);
    case VTR_CMD_vkCreateQueryPool:
      return make_query_pool (ARGS (vkCreateQueryPool)->pCreateInfo);
    case VTR_CMD_vkCreateAccelerationStructureKHR:
      return make_structure (ARGS (vkCreateAccelerationStructureKHR)->pCreateInfo);
    case VTR_CMD_vkGetDeviceQueue:
      return make_queue (ARGS (vkGetDeviceQueue)->queueFamilyIndex);
    case VTR_CMD_vkGetDeviceQueue2:
      return make_queue (ARGS (vkGetDeviceQueue2)->pQueueInfo->queueFamilyIndex);
    case VTR_CMD_vkCreateDescriptorSetLayout:
      return vtr_layer_set_layout_new (ARGS (vkCreateDescriptorSetLayout)->pCreateInfo);
    case VTR_CMD_vkAllocateDescriptorSets:
      return vtr_layer_set_new (world, ARGS (vkAllocateDescriptorSets)->pAllocateInfo, index);
    default:
      return NULL;
    }
}

void
vtr_layer_live_made (VtrLayerWorld  *world,
                     VtrLayerObject *object,
                     VtrCmdId        cmd,
                     const void     *args,
                     uint32_t        index)
{
  if (object->type == VTR_HANDLE_VkSurfaceKHR)
    vtr_layer_count_surface ();
  object->state = make_state (world, object, cmd, args, index);
  object->free_state = free;
  if (object->type == VTR_HANDLE_VkImage)
    object->free_state = free_image;
  else if (object->type == VTR_HANDLE_VkBuffer)
    object->free_state = free_buffer;
  if (object->type == VTR_HANDLE_VkDescriptorSetLayout)
    object->free_state = vtr_layer_set_layout_free;
  else if (object->type == VTR_HANDLE_VkDescriptorSet)
    object->free_state = vtr_layer_set_free;
}
