/* Reads every presented image. */
#include "engine/vulkan/transforms/vtr-transforms.h"

#include "vtr-api-args.h"

typedef struct
{
  guint64 device;
  VkFormat format;
  VkExtent2D extent;
  guint32 n_images;
  guint64 *images;
} Swapchain;

typedef struct
{
  VtrTransform parent;
  VtrPresentFound found;
  gpointer data;
  guint64 n_presents;
  GHashTable *swapchains; /* VkSwapchainKHR → Swapchain */
} TransformReadPresents;

static void
swapchain_free (gpointer data)
{
  Swapchain *swapchain = data;

  g_free (swapchain->images);
  g_free (swapchain);
}

static void
create_swapchain (TransformReadPresents              *self,
                  const VtrArgs_vkCreateSwapchainKHR *args)
{
  Swapchain *swapchain;

  if (args->pCreateInfo == NULL || args->pSwapchain == NULL)
    return;
  swapchain = g_new0 (Swapchain, 1);
  swapchain->device = (guint64)(gsize)args->device;
  swapchain->format = args->pCreateInfo->imageFormat;
  swapchain->extent = args->pCreateInfo->imageExtent;
  g_hash_table_replace (self->swapchains, (gpointer)(gsize)*args->pSwapchain, swapchain);
}

static void
get_images (TransformReadPresents                 *self,
            const VtrArgs_vkGetSwapchainImagesKHR *args)
{
  Swapchain *swapchain = g_hash_table_lookup (self->swapchains, (gpointer)(gsize)args->swapchain);

  if (swapchain == NULL || args->pSwapchainImages == NULL || args->pSwapchainImageCount == NULL)
    return;
  g_free (swapchain->images);
  swapchain->n_images = *args->pSwapchainImageCount;
  swapchain->images = g_new (guint64, swapchain->n_images);
  for (guint32 i = 0; i < swapchain->n_images; i++)
    swapchain->images[i] = (guint64)(gsize)args->pSwapchainImages[i];
}

static gboolean
read_swapchain (TransformReadPresents  *self,
                const VtrCommand       *command,
                VkSwapchainKHR          handle,
                guint32                 image,
                GError                **error)
{
  const Swapchain *swapchain = g_hash_table_lookup (self->swapchains, (gpointer)(gsize)handle);
  VtrVulkanRead read = { .parent = VTR_VULKAN_READ,
                         .function = VTR_REPLAY_READ_TEXELS,
                         .image.post = self->n_presents++ };

  if (swapchain == NULL || image >= swapchain->n_images)
    return TRUE;
  read.image.device = swapchain->device;
  read.image.image = swapchain->images[image];
  read.image.format = (guint32)swapchain->format;
  read.image.aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  read.image.layout = VK_IMAGE_LAYOUT_GENERAL;
  read.image.samples = 1;
  read.image.width = swapchain->extent.width;
  read.image.height = swapchain->extent.height;
  read.image.depth = 1;
  self->found (read.image.post, command->index, &read.image, self->data);
  return vtr_transform_read (self->parent.next, &read.parent, error);
}

static gboolean
read_present (TransformReadPresents  *self,
              const VtrCommand       *command,
              GError                **error)
{
  const VkPresentInfoKHR *info = ((const VtrArgs_vkQueuePresentKHR *)command->args)->pPresentInfo;

  if (info == NULL || info->pSwapchains == NULL || info->pImageIndices == NULL)
    return TRUE;
  for (guint32 i = 0; i < info->swapchainCount; i++)
    if (!read_swapchain (self, command, info->pSwapchains[i], info->pImageIndices[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
read_presents_command (VtrTransform  *transform,
                       VtrCommand    *command,
                       GError       **error)
{
  TransformReadPresents *self = (TransformReadPresents *)transform;

  if (!vtr_transform_command (self->parent.next, command, error))
    return FALSE;
  switch (command->id)
    {
    case VTR_CMD_vkCreateSwapchainKHR:
      create_swapchain (self, command->args);
      return TRUE;
    case VTR_CMD_vkGetSwapchainImagesKHR:
      get_images (self, command->args);
      return TRUE;
    case VTR_CMD_vkQueuePresentKHR:
      return (command->flags & VTR_COMMAND_DIED) != 0 || read_present (self, command, error);
    default:
      return TRUE;
    }
}

static void
read_presents_free (VtrTransform *transform)
{
  TransformReadPresents *self = (TransformReadPresents *)transform;

  g_hash_table_unref (self->swapchains);
  g_free (self);
}

static const VtrTransformClass read_presents_class = {
  .name = "read-presents",
  .command = read_presents_command,
  .free = read_presents_free,
};

VtrTransform *
vtr_transform_read_presents_new (VtrPresentFound found,
                                 gpointer        data)
{
  TransformReadPresents *self = g_new0 (TransformReadPresents, 1);

  self->parent.klass = &read_presents_class;
  self->found = found;
  self->data = data;
  self->swapchains = g_hash_table_new_full (NULL, NULL, NULL, swapchain_free);
  return &self->parent;
}
