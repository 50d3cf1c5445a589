/* Images, formats and limits that a trace needs and the device at hand may not have. */
#include "vtr-config.h"

#include "engine/compatibility/vtr-compatibility-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "vtr-api-args.h"

/* Images that are alike to a device: the largest of each measure. */
typedef struct
{
  VtrReplayImageKind kind;
  guint32 device; /* index of the one they are made on */
  char *name;     /* its name */
  guint32 width, height, depth, mips, layers, samples;
  GArray *commands; /* guint64 */
} Images;

static const char *
format_name (guint32 format)
{
  const char *name = vtr_enum_value_name (VTR_ENUM_VkFormat, format);

  return name != NULL ? name : _ ("an unknown format");
}

/* --- Images ---------------------------------------------------------------------------------- */

static void
add_image (VtrCompatibilityScan *self,
           const Images         *wanted)
{
  const VtrReplayImageKind *kind = &wanted->kind;
  g_autofree char *key =
    g_strdup_printf ("%u %u %u %u %u %u", self->target->index, kind->format, kind->type,
                     kind->tiling, kind->usage, kind->flags);
  Images *images = g_hash_table_lookup (self->images, key);

  if (images == NULL)
    {
      images = g_new0 (Images, 1);
      images->kind = *kind;
      images->device = self->target->index;
      images->name = g_strdup (self->target->properties.deviceName);
      images->commands = g_array_new (FALSE, FALSE, sizeof (guint64));
      g_hash_table_insert (self->images, g_steal_pointer (&key), images);
    }
  images->width = MAX (images->width, wanted->width);
  images->height = MAX (images->height, wanted->height);
  images->depth = MAX (images->depth, wanted->depth);
  images->mips = MAX (images->mips, wanted->mips);
  images->layers = MAX (images->layers, wanted->layers);
  images->samples |= wanted->samples;
  g_array_append_val (images->commands, self->command->index);
}

void
vtr_compatibility_images_free (gpointer data)
{
  Images *images = data;

  g_array_unref (images->commands);
  g_free (images->name);
  g_free (images);
}

static void
scan_image (VtrCompatibilityScan    *self,
            const VkImageCreateInfo *info)
{
  Images images = { 0 };

  if (info == NULL)
    return;
  if ((info->flags &
       (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT)) != 0)
    vtr_compatibility_add (self, VTR_COMPATIBILITY_ERROR, "memory", self->command->index,
                           _ ("The trace has sparse images, whose pages only the captured device "
                              "can place again."));
  images.kind = (VtrReplayImageKind){
    info->format,
    info->imageType,
    info->tiling,
    /* As the replayer makes them. */
    info->usage & ~(VkImageUsageFlags)VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
    info->flags,
  };
  images.width = info->extent.width;
  images.height = info->extent.height;
  images.depth = info->extent.depth;
  images.mips = info->mipLevels;
  images.layers = info->arrayLayers;
  images.samples = info->samples;
  add_image (self, &images);
}

static void
scan_swapchain (VtrCompatibilityScan           *self,
                const VkSwapchainCreateInfoKHR *info)
{
  Images images = { 0 };

  if (info == NULL)
    return;
  images.kind = (VtrReplayImageKind){
    info->imageFormat,
    VK_IMAGE_TYPE_2D,
    VK_IMAGE_TILING_OPTIMAL,
    info->imageUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
    0,
  };
  images.width = info->imageExtent.width;
  images.height = info->imageExtent.height;
  images.depth = images.mips = images.samples = 1;
  images.layers = info->imageArrayLayers;
  add_image (self, &images);
}

static void
judge_images (VtrCompatibilityScan       *self,
              const Images               *images,
              const VtrReplayImageLimits *limits)
{
  const char *format = format_name (images->kind.format);
  gboolean small = limits->width < images->width || limits->height < images->height ||
                   limits->depth < images->depth || limits->mips < images->mips ||
                   limits->layers < images->layers;

  for (guint i = 0; i < images->commands->len; i++)
    {
      guint64 index = g_array_index (images->commands, guint64, i);

      if (limits->result < 0)
        vtr_compatibility_add (self, VTR_COMPATIBILITY_ERROR, "image", index,
                               images->kind.tiling == VK_IMAGE_TILING_LINEAR
                                 ? _ ("%s cannot make linear images of %s as the trace uses them.")
                                 : _ ("%s cannot make images of %s as the trace uses them."),
                               images->name, format);
      else if (small)
        vtr_compatibility_add (self, VTR_COMPATIBILITY_ERROR, "limit", index,
                               _ ("%s cannot make images of %s as large as %u × %u × %u with %u "
                                  "mips and %u layers."),
                               images->name, format, images->width, images->height, images->depth,
                               images->mips, images->layers);
      else if ((limits->samples & images->samples) != images->samples)
        vtr_compatibility_add (self, VTR_COMPATIBILITY_ERROR, "limit", index,
                               _ ("%s has no images of %s with as many samples as the trace's."),
                               images->name, format);
    }
}

gboolean
vtr_compatibility_end_images (VtrCompatibilityScan  *self,
                              VtrReplayBackend      *backend,
                              GError               **error)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->images);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Images *images = value;
      VtrReplayImageLimits limits;

      if (!backend->klass->check_images (backend, images->device, &images->kind, 1, &limits, error))
        return FALSE;
      judge_images (self, images, &limits);
    }
  return TRUE;
}

/* --- Limits ---------------------------------------------------------------------------------- */

/* @needed beyond @limit; @captured: what the captured device had, to tell a broken trace from one
 * that needs much. */
static void
check_limit (VtrCompatibilityScan *self,
             const char           *name,
             guint64               needed,
             guint64               limit)
{
  g_autofree char *have = g_strdup_printf ("%" G_GUINT64_FORMAT, limit);
  g_autofree char *want = g_strdup_printf ("%" G_GUINT64_FORMAT, needed);

  if (needed > limit)
    vtr_compatibility_add (self, VTR_COMPATIBILITY_ERROR, "limit", self->command->index,
                           _ ("The trace needs %s of %s; %s has %s."), name, want,
                           self->target->properties.deviceName, have);
}

static void
scan_layout (VtrCompatibilityScan             *self,
             const VkPipelineLayoutCreateInfo *info)
{
  const VkPhysicalDeviceLimits *limits = &self->target->properties.limits;

  if (info == NULL)
    return;
  check_limit (self, "maxBoundDescriptorSets", info->setLayoutCount,
               limits->maxBoundDescriptorSets);
  for (guint32 i = 0; info->pPushConstantRanges != NULL && i < info->pushConstantRangeCount; i++)
    check_limit (self, "maxPushConstantsSize",
                 (guint64)info->pPushConstantRanges[i].offset + info->pPushConstantRanges[i].size,
                 limits->maxPushConstantsSize);
}

static void
scan_vertex_input (VtrCompatibilityScan                       *self,
                   const VkPipelineVertexInputStateCreateInfo *info)
{
  const VkPhysicalDeviceLimits *limits = &self->target->properties.limits;

  if (info == NULL)
    return;
  check_limit (self, "maxVertexInputBindings", info->vertexBindingDescriptionCount,
               limits->maxVertexInputBindings);
  check_limit (self, "maxVertexInputAttributes", info->vertexAttributeDescriptionCount,
               limits->maxVertexInputAttributes);
  for (guint32 i = 0;
       info->pVertexBindingDescriptions != NULL && i < info->vertexBindingDescriptionCount; i++)
    check_limit (self, "maxVertexInputBindingStride", info->pVertexBindingDescriptions[i].stride,
                 limits->maxVertexInputBindingStride);
  for (guint32 i = 0;
       info->pVertexAttributeDescriptions != NULL && i < info->vertexAttributeDescriptionCount; i++)
    {
      VkFormat format = info->pVertexAttributeDescriptions[i].format;

      if ((vtr_replay_device_get_format (self->target, format).bufferFeatures &
           VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT) == 0)
        vtr_compatibility_add (self, VTR_COMPATIBILITY_ERROR, "format", self->command->index,
                               _ ("%s cannot read vertices of %s."),
                               self->target->properties.deviceName, format_name (format));
    }
}

static void
scan_pipeline (VtrCompatibilityScan               *self,
               const VkGraphicsPipelineCreateInfo *info)
{
  const VkPhysicalDeviceLimits *limits = &self->target->properties.limits;

  scan_vertex_input (self, info->pVertexInputState);
  if (info->pViewportState != NULL)
    check_limit (self, "maxViewports", info->pViewportState->viewportCount, limits->maxViewports);
  if (info->pColorBlendState != NULL)
    check_limit (self, "maxColorAttachments", info->pColorBlendState->attachmentCount,
                 limits->maxColorAttachments);
}

static void
scan_buffer_view (VtrCompatibilityScan         *self,
                  const VkBufferViewCreateInfo *info)
{
  const VkFormatFeatureFlags texels = VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT |
                                      VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;

  if (info == NULL)
    return;
  if ((vtr_replay_device_get_format (self->target, info->format).bufferFeatures & texels) == 0)
    vtr_compatibility_add (self, VTR_COMPATIBILITY_ERROR, "format", self->command->index,
                           _ ("%s has no texel buffers of %s."),
                           self->target->properties.deviceName, format_name (info->format));
  if (info->offset % MAX (self->target->properties.limits.minTexelBufferOffsetAlignment, 1) != 0)
    vtr_compatibility_add (self, VTR_COMPATIBILITY_WARNING, "limit", self->command->index,
                           _ ("A texel buffer begins where %s does not want one to."),
                           self->target->properties.deviceName);
}

static void
scan_framebuffer (VtrCompatibilityScan          *self,
                  const VkFramebufferCreateInfo *info)
{
  const VkPhysicalDeviceLimits *limits = &self->target->properties.limits;

  if (info == NULL)
    return;
  check_limit (self, "maxFramebufferWidth", info->width, limits->maxFramebufferWidth);
  check_limit (self, "maxFramebufferHeight", info->height, limits->maxFramebufferHeight);
  check_limit (self, "maxFramebufferLayers", info->layers, limits->maxFramebufferLayers);
}

/* Offsets of buffers in descriptors: where this device wants them further apart than the captured
 * one. */
static void
scan_offset (VtrCompatibilityScan *self,
             VkDescriptorType      type,
             guint64               offset,
             guint64               range)
{
  const VkPhysicalDeviceLimits *limits = &self->target->properties.limits;
  gboolean uniform = type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
                     type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
  gboolean storage = type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
                     type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
  guint64 alignment = uniform ? limits->minUniformBufferOffsetAlignment
                              : limits->minStorageBufferOffsetAlignment;

  if (!uniform && !storage)
    return;
  if (alignment > 1 && offset % alignment != 0)
    vtr_compatibility_add (self, VTR_COMPATIBILITY_WARNING, "limit", self->command->index,
                           _ ("A descriptor's buffer begins where %s does not want one to."),
                           self->target->properties.deviceName);
  if (range != VK_WHOLE_SIZE)
    check_limit (self, uniform ? "maxUniformBufferRange" : "maxStorageBufferRange", range,
                 uniform ? limits->maxUniformBufferRange : limits->maxStorageBufferRange);
}

static void
scan_descriptors (VtrCompatibilityScan                 *self,
                  const VtrArgs_vkUpdateDescriptorSets *args)
{
  for (guint32 i = 0; args->pDescriptorWrites != NULL && i < args->descriptorWriteCount; i++)
    {
      const VkWriteDescriptorSet *write = &args->pDescriptorWrites[i];

      for (guint32 j = 0; write->pBufferInfo != NULL && j < write->descriptorCount; j++)
        scan_offset (self, write->descriptorType, write->pBufferInfo[j].offset,
                     write->pBufferInfo[j].range);
    }
}

static void
scan_bind_sets (VtrCompatibilityScan                  *self,
                const VtrArgs_vkCmdBindDescriptorSets *args)
{
  const VkPhysicalDeviceLimits *limits = &self->target->properties.limits;
  /* Of which type each is, the sets' layouts say; the smaller wish must be met in any case. */
  guint64 alignment =
    MIN (limits->minUniformBufferOffsetAlignment, limits->minStorageBufferOffsetAlignment);

  for (guint32 i = 0; args->pDynamicOffsets != NULL && i < args->dynamicOffsetCount; i++)
    if (alignment > 1 && args->pDynamicOffsets[i] % alignment != 0)
      vtr_compatibility_add (self, VTR_COMPATIBILITY_WARNING, "limit", self->command->index,
                             _ ("A dynamic offset is one that %s does not want."),
                             self->target->properties.deviceName);
}

void
vtr_compatibility_scan_limits (VtrCompatibilityScan *self)
{
  const void *args = self->command->args;

  switch (vtr_cmd_canonical (self->command->id))
    {
    case VTR_CMD_vkCreateImage:
      scan_image (self, ((const VtrArgs_vkCreateImage *)args)->pCreateInfo);
      break;
    case VTR_CMD_vkCreateSwapchainKHR:
      scan_swapchain (self, ((const VtrArgs_vkCreateSwapchainKHR *)args)->pCreateInfo);
      break;
    case VTR_CMD_vkCreatePipelineLayout:
      scan_layout (self, ((const VtrArgs_vkCreatePipelineLayout *)args)->pCreateInfo);
      break;
    case VTR_CMD_vkCreateGraphicsPipelines:
      {
        const VtrArgs_vkCreateGraphicsPipelines *a = args;

        for (guint32 i = 0; a->pCreateInfos != NULL && i < a->createInfoCount; i++)
          scan_pipeline (self, &a->pCreateInfos[i]);
        break;
      }
    case VTR_CMD_vkCreateBufferView:
      scan_buffer_view (self, ((const VtrArgs_vkCreateBufferView *)args)->pCreateInfo);
      break;
    case VTR_CMD_vkCreateFramebuffer:
      scan_framebuffer (self, ((const VtrArgs_vkCreateFramebuffer *)args)->pCreateInfo);
      break;
    case VTR_CMD_vkUpdateDescriptorSets:
      scan_descriptors (self, args);
      break;
    case VTR_CMD_vkCmdBindDescriptorSets:
      scan_bind_sets (self, args);
      break;
    default:
      break;
    }
}
