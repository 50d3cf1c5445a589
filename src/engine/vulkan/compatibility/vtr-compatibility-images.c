/* Finds images whose format or use this device does not support. */
#include "vtr-config.h"

#include "engine/vulkan/compatibility/vtr-compatibility-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/vulkan/host/vtr-vulkan-device-message.h"
#include "vtr-api-args.h"

/* Images that are alike to a device: the largest of each measure. */
typedef struct
{
  VtrVulkanImageKind kind;
  guint32 device; /* index of the one they are made on */
  char *name;     /* its name */
  guint32 width, height, depth, mips, layers, samples;
  GArray *commands; /* guint64 */
} Images;

const char *
vtr_compatibility_format_name (guint32 format)
{
  const char *name = vtr_enum_value_name (VTR_ENUM_VkFormat, format);

  return name != NULL ? name : _ ("an unknown format");
}

/* --- Images ---------------------------------------------------------------------------------- */

static void
add_image (VtrCompatibilityScan *self,
           const Images         *wanted)
{
  const VtrVulkanImageKind *kind = &wanted->kind;
  g_autofree char *key =
    g_strdup_printf ("%u %u %u %u %u %u", self->target->base.index, kind->format, kind->type,
                     kind->tiling, kind->usage, kind->flags);
  Images *images = g_hash_table_lookup (self->images, key);

  if (images == NULL)
    {
      images = g_new0 (Images, 1);
      images->kind = *kind;
      images->device = self->target->base.index;
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
    vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "memory", self->command->index,
                           _ ("The trace has sparse images, whose pages only the captured device "
                              "can place again."));
  images.kind = (VtrVulkanImageKind){
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
  images.kind = (VtrVulkanImageKind){
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
              const VtrVulkanImageLimits *limits)
{
  const char *format = vtr_compatibility_format_name (images->kind.format);
  gboolean small = limits->width < images->width || limits->height < images->height ||
                   limits->depth < images->depth || limits->mips < images->mips ||
                   limits->layers < images->layers;

  for (guint i = 0; i < images->commands->len; i++)
    {
      guint64 index = g_array_index (images->commands, guint64, i);

      if (limits->result < 0)
        vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "image", index,
                               images->kind.tiling == VK_IMAGE_TILING_LINEAR
                                 ? _ ("%s does not support linear images of format %s with the "
                                      "usage in the trace.")
                                 : _ ("%s does not support images of format %s with the usage in "
                                      "the trace."),
                               images->name, format);
      else if (small)
        vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "limit", index,
                               _ ("%s does not support images of format %s with %u × %u × %u "
                                  "texels, %u mip levels and %u layers."),
                               images->name, format, images->width, images->height, images->depth,
                               images->mips, images->layers);
      else if ((limits->samples & images->samples) != images->samples)
        vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_ERROR, "limit", index,
                               _ ("%s does not support images of format %s with as many samples "
                                  "as in the trace."),
                               images->name, format);
    }
}

gboolean
vtr_compatibility_end_images (VtrCompatibilityScan  *self,
                              VtrReplayBackend      *backend,
                              GCancellable          *cancellable,
                              GError               **error)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->images);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Images *images = value;
      VtrVulkanImageLimits limits;

      if (!vtr_vulkan_device_check_images (backend, images->device, &images->kind, 1, &limits,
                                           cancellable, error))
        return FALSE;
      judge_images (self, images, &limits);
    }
  return TRUE;
}

/* --- The pass -------------------------------------------------------------------------------- */

void
vtr_compatibility_scan_images (VtrCompatibilityScan *self)
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
    default:
      break;
    }
}
