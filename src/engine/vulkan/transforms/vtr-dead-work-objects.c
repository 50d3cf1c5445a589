/* Notes objects for the analysis of dead work: images, their views, and whether shaders may write
 * to bound resources. */
#include "engine/vulkan/transforms/vtr-dead-work-private.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "vulkan/vtr-vulkan-facts.h"

/* Usages of an image that is read only by passes and by commands that are never plain. */
#define PLAIN_USAGE \
  (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | \
   VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | \
   VK_IMAGE_USAGE_TRANSFER_DST_BIT)

static void
add_image (VtrDeadBuild       *build,
           const VtrDeadImage *image)
{
  g_array_append_val (build->result->images, *image);
  g_hash_table_insert (build->images, VTR_DEAD_KEY (image->handle),
                       GUINT_TO_POINTER (build->result->images->len));
}

static void
create_image (VtrDeadBuild                *build,
              const VtrArgs_vkCreateImage *args)
{
  const VkImageCreateInfo *info = args->pCreateInfo;
  VtrDeadImage image = { 0 };

  if (info == NULL || args->pImage == NULL)
    return;
  image.handle = (guint64)(gsize)*args->pImage;
  image.plain = (info->usage & ~(VkImageUsageFlags)PLAIN_USAGE) == 0 && info->flags == 0 &&
                info->tiling == VK_IMAGE_TILING_OPTIMAL;
  image.single = info->mipLevels == 1 && info->arrayLayers == 1 &&
                 info->imageType == VK_IMAGE_TYPE_2D;
  image.extent = (VkExtent2D){ info->extent.width, info->extent.height };
  add_image (build, &image);
}

static void
create_swapchain (VtrDeadBuild                       *build,
                  const VtrArgs_vkCreateSwapchainKHR *args)
{
  const VkSwapchainCreateInfoKHR *info = args->pCreateInfo;
  VtrDeadImage image = { 0 };

  if (info == NULL || args->pSwapchain == NULL)
    return;
  image.plain = (info->imageUsage & ~(VkImageUsageFlags)PLAIN_USAGE) == 0 && info->flags == 0;
  image.single = info->imageArrayLayers == 1;
  image.extent = info->imageExtent;
  g_hash_table_replace (build->swapchains, VTR_DEAD_KEY (*args->pSwapchain),
                        g_memdup2 (&image, sizeof image));
}

static void
get_swapchain_images (VtrDeadBuild                          *build,
                      const VtrArgs_vkGetSwapchainImagesKHR *args)
{
  const VtrDeadImage *pattern = g_hash_table_lookup (build->swapchains,
                                                     VTR_DEAD_KEY (args->swapchain));

  if (pattern == NULL || args->pSwapchainImages == NULL || args->pSwapchainImageCount == NULL)
    return;
  for (guint32 i = 0; i < *args->pSwapchainImageCount; i++)
    {
      VtrDeadImage image = *pattern;
      guint known =
        GPOINTER_TO_UINT (g_hash_table_lookup (build->images,
                                               VTR_DEAD_KEY (args->pSwapchainImages[i])));

      image.handle = (guint64)(gsize)args->pSwapchainImages[i];
      image.swapchain = (guint64)(gsize)args->swapchain;
      if (known == 0)
        add_image (build, &image);
    }
}

typedef struct
{
  VtrDeadWork *result;
  guint64 swapchain;
} SwapchainOf;

static gboolean
is_of_swapchain (gpointer key,
                 gpointer value,
                 gpointer data)
{
  const SwapchainOf *of = data;

  return of->swapchain != 0 &&
         g_array_index (of->result->images, VtrDeadImage, GPOINTER_TO_UINT (value) - 1).swapchain ==
           of->swapchain;
}

static void
create_view (VtrDeadBuild                    *build,
             const VtrArgs_vkCreateImageView *args)
{
  const VkImageViewCreateInfo *info = args->pCreateInfo;
  VtrDeadView view;
  guint image;

  if (info == NULL || args->pView == NULL)
    return;
  image = GPOINTER_TO_UINT (g_hash_table_lookup (build->images, VTR_DEAD_KEY (info->image)));
  g_hash_table_remove (build->views, VTR_DEAD_KEY (*args->pView));
  if (image == 0)
    return;
  view.image = image - 1;
  view.single = g_array_index (build->result->images, VtrDeadImage, view.image).single;
  g_hash_table_insert (build->views, VTR_DEAD_KEY (*args->pView), g_memdup2 (&view, sizeof view));
}

static void
create_framebuffer (VtrDeadBuild                      *build,
                    const VtrArgs_vkCreateFramebuffer *args)
{
  const VkFramebufferCreateInfo *info = args->pCreateInfo;
  VtrDeadFramebuffer *framebuffer;
  guint32 n;

  if (info == NULL || args->pFramebuffer == NULL)
    return;
  n = info->pAttachments != NULL ? info->attachmentCount : 0;
  framebuffer = g_malloc0 (sizeof *framebuffer + (gsize)n * sizeof framebuffer->views[0]);
  framebuffer->n = n;
  framebuffer->extent = (VkExtent2D){ info->width, info->height };
  framebuffer->imageless = (info->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) != 0;
  for (guint32 i = 0; i < n; i++)
    framebuffer->views[i] = (guint64)(gsize)info->pAttachments[i];
  g_hash_table_replace (build->framebuffers, VTR_DEAD_KEY (*args->pFramebuffer), framebuffer);
}

static gboolean
is_fresh (const VkAttachmentDescription2 *attachment)
{
  /* VK_ATTACHMENT_STORE_OP_NONE keeps what was there before. */
  return attachment->initialLayout == VK_IMAGE_LAYOUT_UNDEFINED &&
         attachment->loadOp != VK_ATTACHMENT_LOAD_OP_LOAD &&
         attachment->stencilLoadOp != VK_ATTACHMENT_LOAD_OP_LOAD &&
         attachment->storeOp != VK_ATTACHMENT_STORE_OP_NONE;
}

static void
create_render_pass (VtrDeadBuild     *build,
                    const VtrCommand *command)
{
  const VtrArgs_vkCreateRenderPass2 *args;
  const VkRenderPassCreateInfo2 *info;
  g_auto (VtrNewerForm) form;
  VtrDeadRenderPass *pass;
  guint32 n;

  vtr_newer_form_init (&form, command);
  args = form.command.args;
  info = args->pCreateInfo;
  if (info == NULL || args->pRenderPass == NULL)
    return;
  n = info->pAttachments != NULL ? info->attachmentCount : 0;
  pass = g_malloc0 (sizeof *pass + (gsize)n * sizeof pass->fresh[0]);
  pass->n = n;
  for (guint32 i = 0; i < n; i++)
    pass->fresh[i] = is_fresh (&info->pAttachments[i]);
  g_hash_table_replace (build->render_passes, VTR_DEAD_KEY (*args->pRenderPass), pass);
}

/* Drawing stages store only with these features; then the layouts of what is bound tell. */
static void
create_device (VtrDeadBuild                 *build,
               const VtrArgs_vkCreateDevice *args)
{
  const VkPhysicalDeviceFeatures *features;
  const VkPhysicalDeviceFeatures2 *features2;

  if (args->pCreateInfo == NULL)
    return;
  features = args->pCreateInfo->pEnabledFeatures;
  features2 =
    vtr_api_find_next (args->pCreateInfo->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  if (features == NULL && features2 != NULL)
    features = &features2->features;
  if (features != NULL &&
      (features->fragmentStoresAndAtomics || features->vertexPipelineStoresAndAtomics))
    build->stores = TRUE;
}

static void
create_set_layout (VtrDeadBuild                              *build,
                   const VtrArgs_vkCreateDescriptorSetLayout *args)
{
  const VkDescriptorSetLayoutCreateInfo *info = args->pCreateInfo;
  gboolean storing = FALSE;

  if (info == NULL || args->pSetLayout == NULL)
    return;
  for (guint32 i = 0; info->pBindings != NULL && i < info->bindingCount; i++)
    if (vtr_descriptor_get_written (info->pBindings[i].descriptorType) != VTR_HANDLE_NONE)
      storing = TRUE;
  if (storing)
    g_hash_table_add (build->storing_sets, VTR_DEAD_KEY (*args->pSetLayout));
  else
    g_hash_table_remove (build->storing_sets, VTR_DEAD_KEY (*args->pSetLayout));
}

static void
create_pipeline_layout (VtrDeadBuild                         *build,
                        const VtrArgs_vkCreatePipelineLayout *args)
{
  const VkPipelineLayoutCreateInfo *info = args->pCreateInfo;
  gboolean storing = FALSE;

  if (info == NULL || args->pPipelineLayout == NULL)
    return;
  for (guint32 i = 0; info->pSetLayouts != NULL && i < info->setLayoutCount; i++)
    storing = storing || g_hash_table_contains (build->storing_sets,
                                                VTR_DEAD_KEY (info->pSetLayouts[i]));
  if (storing)
    g_hash_table_add (build->storing, VTR_DEAD_KEY (*args->pPipelineLayout));
  else
    g_hash_table_remove (build->storing, VTR_DEAD_KEY (*args->pPipelineLayout));
}

void
vtr_dead_work_note_object (VtrDeadBuild     *build,
                           const VtrCommand *command)
{
  const void *args = command->args;

  switch (vtr_cmd_newer_form (command->id))
    {
    case VTR_CMD_vkCreateDevice:
      create_device (build, args);
      break;
    case VTR_CMD_vkCreateImage:
      create_image (build, args);
      break;
    case VTR_CMD_vkDestroyImage:
      g_hash_table_remove (build->images,
                           VTR_DEAD_KEY (((const VtrArgs_vkDestroyImage *)args)->image));
      break;
    case VTR_CMD_vkDestroySwapchainKHR:
      g_hash_table_foreach_remove (
        build->images, is_of_swapchain,
        &(SwapchainOf){
          build->result,
          (guint64)(gsize)((const VtrArgs_vkDestroySwapchainKHR *)args)->swapchain });
      break;
    case VTR_CMD_vkCreateSwapchainKHR:
      create_swapchain (build, args);
      break;
    case VTR_CMD_vkGetSwapchainImagesKHR:
      get_swapchain_images (build, args);
      break;
    case VTR_CMD_vkCreateImageView:
      create_view (build, args);
      break;
    case VTR_CMD_vkCreateFramebuffer:
      create_framebuffer (build, args);
      break;
    case VTR_CMD_vkCreateRenderPass2:
      create_render_pass (build, command);
      break;
    case VTR_CMD_vkCreateDescriptorSetLayout:
      create_set_layout (build, args);
      break;
    case VTR_CMD_vkCreatePipelineLayout:
      create_pipeline_layout (build, args);
      break;
    default:
      break;
    }
}

gboolean
vtr_dead_work_is_noted (VtrCmdId id)
{
  switch (vtr_cmd_newer_form (id))
    {
    case VTR_CMD_vkCreateDevice:
    case VTR_CMD_vkCreateImage:
    case VTR_CMD_vkDestroyImage:
    case VTR_CMD_vkCreateSwapchainKHR:
    case VTR_CMD_vkDestroySwapchainKHR:
    case VTR_CMD_vkGetSwapchainImagesKHR:
    case VTR_CMD_vkCreateImageView:
    case VTR_CMD_vkCreateFramebuffer:
    case VTR_CMD_vkCreateRenderPass2:
    case VTR_CMD_vkCreateDescriptorSetLayout:
    case VTR_CMD_vkCreatePipelineLayout:
      return TRUE;
    default:
      return FALSE;
    }
}
