#include "engine/transforms/vtr-dead-work.h"

#include "vtr-api-args.h"

/* Uses under which nobody but a pass or a command that is never plain looks at an image. */
#define PLAIN_USAGE \
  (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | \
   VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | \
   VK_IMAGE_USAGE_TRANSFER_DST_BIT)

typedef struct
{
  guint64 handle;
  guint64 swapchain; /* VkSwapchainKHR; 0: an image of its own */
  gboolean plain;    /* attachment only */
  gboolean single;   /* one mip level, one layer: written as a whole */
  VkExtent2D extent;
} Image;

/* The first thing a recording does to an image. */
typedef struct
{
  guint64 command; /* flat index */
  guint32 image;
  gboolean overwrites; /* as a whole, without looking */
} Use;

typedef struct
{
  gboolean plain;
  GArray *uses; /* Use; NULL: none */
} Recording;

struct _VtrDeadWork
{
  gatomicrefcount refs;
  VtrTimeline *timeline;
  GArray *images; /* Image */
  Recording *recordings;
  guint32 n_recordings;
  gboolean one_queue;
};

VtrDeadWork *
vtr_dead_work_ref (VtrDeadWork *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_dead_work_unref (VtrDeadWork *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  for (guint32 i = 0; i < self->n_recordings; i++)
    g_clear_pointer (&self->recordings[i].uses, g_array_unref);
  g_free (self->recordings);
  g_array_unref (self->images);
  vtr_timeline_unref (self->timeline);
  g_free (self);
}

/* --- Building -------------------------------------------------------------------------------- */

typedef struct
{
  guint32 image;
  gboolean single; /* the view shows all of its image */
} View;

typedef struct
{
  guint32 n;
  VkExtent2D extent;
  gboolean imageless;
  guint64 views[];
} Framebuffer;

/* Per attachment: whether the pass begins without looking at it. */
typedef struct
{
  guint32 n;
  gboolean fresh[];
} RenderPass;

typedef struct
{
  VtrDeadWork *result;
  guint64 index;             /* of the command being looked at */
  GHashTable *images;        /* VkImage → index + 1 */
  GHashTable *swapchains;    /* VkSwapchainKHR → Image (a pattern) */
  GHashTable *views;         /* VkImageView → View */
  GHashTable *framebuffers;  /* VkFramebuffer → Framebuffer */
  GHashTable *render_passes; /* VkRenderPass → RenderPass */
  GHashTable *storing_sets;  /* VkDescriptorSetLayout that hold storage; a set */
  GHashTable *storing;       /* VkPipelineLayout of those; a set */
  gboolean stores;           /* shaders of drawing stages may store */
} Build;

#define KEY(handle) ((gpointer)(gsize)(handle))

static void
add_image (Build       *build,
           const Image *image)
{
  g_array_append_val (build->result->images, *image);
  g_hash_table_insert (build->images, KEY (image->handle),
                       GUINT_TO_POINTER (build->result->images->len));
}

static void
create_image (Build                       *build,
              const VtrArgs_vkCreateImage *args)
{
  const VkImageCreateInfo *info = args->pCreateInfo;
  Image image = { 0 };

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
create_swapchain (Build                              *build,
                  const VtrArgs_vkCreateSwapchainKHR *args)
{
  const VkSwapchainCreateInfoKHR *info = args->pCreateInfo;
  Image image = { 0 };

  if (info == NULL || args->pSwapchain == NULL)
    return;
  image.plain = (info->imageUsage & ~(VkImageUsageFlags)PLAIN_USAGE) == 0 && info->flags == 0;
  image.single = info->imageArrayLayers == 1;
  image.extent = info->imageExtent;
  g_hash_table_replace (build->swapchains, KEY (*args->pSwapchain),
                        g_memdup2 (&image, sizeof image));
}

static void
get_swapchain_images (Build                                 *build,
                      const VtrArgs_vkGetSwapchainImagesKHR *args)
{
  const Image *pattern = g_hash_table_lookup (build->swapchains, KEY (args->swapchain));

  if (pattern == NULL || args->pSwapchainImages == NULL || args->pSwapchainImageCount == NULL)
    return;
  for (guint32 i = 0; i < *args->pSwapchainImageCount; i++)
    {
      Image image = *pattern;
      guint known =
        GPOINTER_TO_UINT (g_hash_table_lookup (build->images, KEY (args->pSwapchainImages[i])));

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
         g_array_index (of->result->images, Image, GPOINTER_TO_UINT (value) - 1).swapchain ==
           of->swapchain;
}

static void
create_view (Build                           *build,
             const VtrArgs_vkCreateImageView *args)
{
  const VkImageViewCreateInfo *info = args->pCreateInfo;
  View view;
  guint image;

  if (info == NULL || args->pView == NULL)
    return;
  image = GPOINTER_TO_UINT (g_hash_table_lookup (build->images, KEY (info->image)));
  g_hash_table_remove (build->views, KEY (*args->pView));
  if (image == 0)
    return;
  view.image = image - 1;
  view.single = g_array_index (build->result->images, Image, view.image).single;
  g_hash_table_insert (build->views, KEY (*args->pView), g_memdup2 (&view, sizeof view));
}

static void
create_framebuffer (Build                             *build,
                    const VtrArgs_vkCreateFramebuffer *args)
{
  const VkFramebufferCreateInfo *info = args->pCreateInfo;
  Framebuffer *framebuffer;
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
  g_hash_table_replace (build->framebuffers, KEY (*args->pFramebuffer), framebuffer);
}

static gboolean
is_fresh (VkImageLayout       initial,
          VkAttachmentLoadOp  load,
          VkAttachmentLoadOp  stencil_load,
          VkAttachmentStoreOp store)
{
  /* VK_ATTACHMENT_STORE_OP_NONE keeps what was there before. */
  return initial == VK_IMAGE_LAYOUT_UNDEFINED && load != VK_ATTACHMENT_LOAD_OP_LOAD &&
         stencil_load != VK_ATTACHMENT_LOAD_OP_LOAD && store != VK_ATTACHMENT_STORE_OP_NONE;
}

static void
create_render_pass (Build                            *build,
                    const VtrArgs_vkCreateRenderPass *args)
{
  const VkRenderPassCreateInfo *info = args->pCreateInfo;
  RenderPass *pass;
  guint32 n;

  if (info == NULL || args->pRenderPass == NULL)
    return;
  n = info->pAttachments != NULL ? info->attachmentCount : 0;
  pass = g_malloc0 (sizeof *pass + (gsize)n * sizeof pass->fresh[0]);
  pass->n = n;
  for (guint32 i = 0; i < n; i++)
    pass->fresh[i] = is_fresh (info->pAttachments[i].initialLayout, info->pAttachments[i].loadOp,
                               info->pAttachments[i].stencilLoadOp, info->pAttachments[i].storeOp);
  g_hash_table_replace (build->render_passes, KEY (*args->pRenderPass), pass);
}

static void
create_render_pass2 (Build                             *build,
                     const VtrArgs_vkCreateRenderPass2 *args)
{
  const VkRenderPassCreateInfo2 *info = args->pCreateInfo;
  RenderPass *pass;
  guint32 n;

  if (info == NULL || args->pRenderPass == NULL)
    return;
  n = info->pAttachments != NULL ? info->attachmentCount : 0;
  pass = g_malloc0 (sizeof *pass + (gsize)n * sizeof pass->fresh[0]);
  pass->n = n;
  for (guint32 i = 0; i < n; i++)
    pass->fresh[i] = is_fresh (info->pAttachments[i].initialLayout, info->pAttachments[i].loadOp,
                               info->pAttachments[i].stencilLoadOp, info->pAttachments[i].storeOp);
  g_hash_table_replace (build->render_passes, KEY (*args->pRenderPass), pass);
}

/* Drawing stages store only with these features; then the layouts of what is bound tell. */
static void
create_device (Build                        *build,
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

/* --- Recordings ------------------------------------------------------------------------------ */

static void
use_image (Build     *build,
           Recording *recording,
           guint32    image,
           gboolean   overwrites)
{
  const Use use = { build->index, image, overwrites };

  if (!g_array_index (build->result->images, Image, image).plain)
    recording->plain = FALSE;
  if (recording->uses == NULL)
    recording->uses = g_array_new (FALSE, FALSE, sizeof (Use));
  for (guint i = 0; i < recording->uses->len; i++)
    if (g_array_index (recording->uses, Use, i).image == image)
      return;
  g_array_append_val (recording->uses, use);
}

static void
use_view (Build     *build,
          Recording *recording,
          guint64    handle,
          VkRect2D   area,
          gboolean   fresh)
{
  const View *view = g_hash_table_lookup (build->views, KEY (handle));
  const Image *image;

  if (handle == 0)
    return;
  if (view == NULL)
    {
      recording->plain = FALSE;
      return;
    }
  image = &g_array_index (build->result->images, Image, view->image);
  use_image (build, recording, view->image,
             fresh && view->single && area.offset.x == 0 && area.offset.y == 0 &&
               area.extent.width == image->extent.width &&
               area.extent.height == image->extent.height);
}

static void
begin_render_pass (Build                       *build,
                   Recording                   *recording,
                   const VkRenderPassBeginInfo *info)
{
  const Framebuffer *framebuffer;
  const RenderPass *pass;

  if (info == NULL)
    {
      recording->plain = FALSE;
      return;
    }
  framebuffer = g_hash_table_lookup (build->framebuffers, KEY (info->framebuffer));
  pass = g_hash_table_lookup (build->render_passes, KEY (info->renderPass));
  if (framebuffer == NULL || pass == NULL || framebuffer->imageless || pass->n != framebuffer->n)
    {
      recording->plain = FALSE;
      return;
    }
  for (guint32 i = 0; i < pass->n; i++)
    use_view (build, recording, framebuffer->views[i], info->renderArea, pass->fresh[i]);
}

static void
use_rendering (Build                           *build,
               Recording                       *recording,
               const VkRenderingInfo           *info,
               const VkRenderingAttachmentInfo *attachment)
{
  if (attachment == NULL)
    return;
  use_view (build, recording, (guint64)(gsize)attachment->imageView, info->renderArea, FALSE);
  use_view (build, recording, (guint64)(gsize)attachment->resolveImageView, info->renderArea,
            FALSE);
}

static void
begin_rendering (Build                 *build,
                 Recording             *recording,
                 const VkRenderingInfo *info)
{
  if (info == NULL || info->flags != 0)
    {
      recording->plain = FALSE;
      return;
    }
  for (guint32 i = 0; info->pColorAttachments != NULL && i < info->colorAttachmentCount; i++)
    use_rendering (build, recording, info, &info->pColorAttachments[i]);
  use_rendering (build, recording, info, info->pDepthAttachment);
  use_rendering (build, recording, info, info->pStencilAttachment);
}

static void
barrier (Build         *build,
         Recording     *recording,
         VkImage        handle,
         VkImageLayout  from)
{
  guint image = GPOINTER_TO_UINT (g_hash_table_lookup (build->images, KEY (handle)));

  if (image == 0)
    recording->plain = FALSE;
  else
    use_image (build, recording, image - 1,
               from == VK_IMAGE_LAYOUT_UNDEFINED &&
                 g_array_index (build->result->images, Image, image - 1).single);
}

static void
pipeline_barrier (Build                              *build,
                  Recording                          *recording,
                  const VtrArgs_vkCmdPipelineBarrier *args)
{
  if (args->memoryBarrierCount > 0 || args->bufferMemoryBarrierCount > 0 ||
      args->imageMemoryBarrierCount == 0 || args->pImageMemoryBarriers == NULL)
    {
      recording->plain = FALSE;
      return;
    }
  for (guint32 i = 0; i < args->imageMemoryBarrierCount; i++)
    barrier (build, recording, args->pImageMemoryBarriers[i].image,
             args->pImageMemoryBarriers[i].oldLayout);
}

static void
pipeline_barrier2 (Build                  *build,
                   Recording              *recording,
                   const VkDependencyInfo *info)
{
  if (info == NULL || info->memoryBarrierCount > 0 || info->bufferMemoryBarrierCount > 0 ||
      info->imageMemoryBarrierCount == 0 || info->pImageMemoryBarriers == NULL)
    {
      recording->plain = FALSE;
      return;
    }
  for (guint32 i = 0; i < info->imageMemoryBarrierCount; i++)
    barrier (build, recording, info->pImageMemoryBarriers[i].image,
             info->pImageMemoryBarriers[i].oldLayout);
}

/* Commands in a recording that change nothing but what later draws of it do. */
static gboolean
is_harmless (VtrCmdId id)
{
  if (vtr_cmd_is (id, VTR_CLASS_DRAW | VTR_CLASS_DYNAMIC | VTR_CLASS_END_PASS |
                        VTR_CLASS_NEXT_SUBPASS | VTR_CLASS_BEGIN_LABEL | VTR_CLASS_END_LABEL))
    return TRUE;
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkBeginCommandBuffer:
    case VTR_CMD_vkEndCommandBuffer:
    case VTR_CMD_vkCmdBindPipeline:
    case VTR_CMD_vkCmdBindVertexBuffers:
    case VTR_CMD_vkCmdBindVertexBuffers2:
    case VTR_CMD_vkCmdBindIndexBuffer:
    case VTR_CMD_vkCmdPushConstants:
    case VTR_CMD_vkCmdClearAttachments:
    case VTR_CMD_vkCmdInsertDebugUtilsLabelEXT:
      return TRUE;
    default:
      return FALSE;
    }
}

/* Whether drawing with what this binds may store somewhere. */
static gboolean
binds_storage (Build            *build,
               const VtrCommand *command)
{
  VkPipelineLayout layout = VK_NULL_HANDLE;

  if (!build->stores)
    return FALSE;
  switch (command->id)
    {
    case VTR_CMD_vkCmdBindDescriptorSets:
      layout = ((const VtrArgs_vkCmdBindDescriptorSets *)command->args)->layout;
      break;
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
      layout = ((const VtrArgs_vkCmdPushDescriptorSetKHR *)command->args)->layout;
      break;
    default:
      break;
    }
  return layout == VK_NULL_HANDLE || g_hash_table_contains (build->storing, KEY (layout));
}

static void
note_recorded (Build            *build,
               Recording        *recording,
               const VtrCommand *command)
{
  const void *args = command->args;

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCmdBeginRenderPass:
      begin_render_pass (build, recording,
                         ((const VtrArgs_vkCmdBeginRenderPass *)args)->pRenderPassBegin);
      break;
    case VTR_CMD_vkCmdBeginRenderPass2:
      begin_render_pass (build, recording,
                         ((const VtrArgs_vkCmdBeginRenderPass2 *)args)->pRenderPassBegin);
      break;
    case VTR_CMD_vkCmdBeginRendering:
      begin_rendering (build, recording,
                       ((const VtrArgs_vkCmdBeginRendering *)args)->pRenderingInfo);
      break;
    case VTR_CMD_vkCmdPipelineBarrier:
      pipeline_barrier (build, recording, args);
      break;
    case VTR_CMD_vkCmdPipelineBarrier2:
      pipeline_barrier2 (build, recording,
                         ((const VtrArgs_vkCmdPipelineBarrier2 *)args)->pDependencyInfo);
      break;
    case VTR_CMD_vkCmdBindDescriptorSets:
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
      if (binds_storage (build, command))
        recording->plain = FALSE;
      break;
    default:
      recording->plain = FALSE;
    }
}

/* --- Layouts of descriptors ------------------------------------------------------------------ */

static void
create_set_layout (Build                                     *build,
                   const VtrArgs_vkCreateDescriptorSetLayout *args)
{
  const VkDescriptorSetLayoutCreateInfo *info = args->pCreateInfo;
  gboolean storing = FALSE;

  if (info == NULL || args->pSetLayout == NULL)
    return;
  for (guint32 i = 0; info->pBindings != NULL && i < info->bindingCount; i++)
    switch (info->pBindings[i].descriptorType)
      {
      case VK_DESCRIPTOR_TYPE_SAMPLER:
      case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
      case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
      case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
        break;
      default:
        storing = TRUE;
      }
  if (storing)
    g_hash_table_add (build->storing_sets, KEY (*args->pSetLayout));
  else
    g_hash_table_remove (build->storing_sets, KEY (*args->pSetLayout));
}

static void
create_pipeline_layout (Build                                *build,
                        const VtrArgs_vkCreatePipelineLayout *args)
{
  const VkPipelineLayoutCreateInfo *info = args->pCreateInfo;
  gboolean storing = FALSE;

  if (info == NULL || args->pPipelineLayout == NULL)
    return;
  for (guint32 i = 0; info->pSetLayouts != NULL && i < info->setLayoutCount; i++)
    storing = storing || g_hash_table_contains (build->storing_sets, KEY (info->pSetLayouts[i]));
  if (storing)
    g_hash_table_add (build->storing, KEY (*args->pPipelineLayout));
  else
    g_hash_table_remove (build->storing, KEY (*args->pPipelineLayout));
}

static void
note_command (Build            *build,
              const VtrCommand *command)
{
  const void *args = command->args;

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCreateDevice:
      create_device (build, args);
      break;
    case VTR_CMD_vkCreateImage:
      create_image (build, args);
      break;
    case VTR_CMD_vkDestroyImage:
      g_hash_table_remove (build->images, KEY (((const VtrArgs_vkDestroyImage *)args)->image));
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
    case VTR_CMD_vkCreateRenderPass:
      create_render_pass (build, args);
      break;
    case VTR_CMD_vkCreateRenderPass2:
      create_render_pass2 (build, args);
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

/* Commands outside of recordings that the analysis has to see. */
static gboolean
is_noted (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkCreateDevice:
    case VTR_CMD_vkCreateImage:
    case VTR_CMD_vkDestroyImage:
    case VTR_CMD_vkCreateSwapchainKHR:
    case VTR_CMD_vkDestroySwapchainKHR:
    case VTR_CMD_vkGetSwapchainImagesKHR:
    case VTR_CMD_vkCreateImageView:
    case VTR_CMD_vkCreateFramebuffer:
    case VTR_CMD_vkCreateRenderPass:
    case VTR_CMD_vkCreateRenderPass2:
    case VTR_CMD_vkCreateDescriptorSetLayout:
    case VTR_CMD_vkCreatePipelineLayout:
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
build_one (Build     *build,
           VtrTrace  *trace,
           guint64    index,
           VtrArena  *arena,
           GError   **error)
{
  VtrDeadWork *result = build->result;
  VtrCmdId id = vtr_trace_get_command_id (trace, index);
  guint32 nth = vtr_cmd_is (id, VTR_CLASS_RECORD)
                  ? vtr_timeline_find_recording (result->timeline, index)
                  : VTR_NO_RECORDING;
  VtrCommand command;

  if (nth == VTR_NO_RECORDING ? !is_noted (id)
                              : !result->recordings[nth].plain || is_harmless (id))
    return TRUE;
  build->index = index;
  vtr_arena_reset (arena);
  if (!vtr_trace_decode (trace, index, arena, &command, error))
    return FALSE;
  if (nth == VTR_NO_RECORDING)
    note_command (build, &command);
  else
    note_recorded (build, &result->recordings[nth], &command);
  return TRUE;
}

static void
build_recordings (VtrDeadWork *self)
{
  self->n_recordings = vtr_timeline_get_n_recordings (self->timeline);
  self->recordings = g_new0 (Recording, self->n_recordings);
  for (guint32 i = 0; i < self->n_recordings; i++)
    {
      const VtrRecording *recording = vtr_timeline_get_recording (self->timeline, i);

      self->recordings[i].plain =
        recording->complete && recording->level == VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    }
  self->one_queue = TRUE;
  for (guint32 i = 1; i < vtr_timeline_get_n_submissions (self->timeline); i++)
    if (vtr_timeline_get_submission (self->timeline, i)->queue !=
        vtr_timeline_get_submission (self->timeline, 0)->queue)
      self->one_queue = FALSE;
}

VtrDeadWork *
vtr_dead_work_build (VtrTrace      *trace,
                     VtrTimeline   *timeline,
                     GCancellable  *cancellable,
                     GError       **error)
{
  VtrDeadWork *self = g_new0 (VtrDeadWork, 1);
  Build build = {
    .result = self,
    .images = g_hash_table_new (NULL, NULL),
    .swapchains = g_hash_table_new_full (NULL, NULL, NULL, g_free),
    .views = g_hash_table_new_full (NULL, NULL, NULL, g_free),
    .framebuffers = g_hash_table_new_full (NULL, NULL, NULL, g_free),
    .render_passes = g_hash_table_new_full (NULL, NULL, NULL, g_free),
    .storing_sets = g_hash_table_new (NULL, NULL),
    .storing = g_hash_table_new (NULL, NULL),
  };
  gboolean ok = TRUE;
  VtrArena arena;

  g_atomic_ref_count_init (&self->refs);
  self->timeline = vtr_timeline_ref (timeline);
  self->images = g_array_new (FALSE, FALSE, sizeof (Image));
  build_recordings (self);
  vtr_arena_init (&arena);
  for (guint64 i = 0; ok && i < vtr_trace_get_n_commands (trace); i++)
    ok = (i % 1024 != 0 || !g_cancellable_set_error_if_cancelled (cancellable, error)) &&
         build_one (&build, trace, i, &arena, error);
  vtr_arena_finish (&arena);
  g_hash_table_unref (build.images);
  g_hash_table_unref (build.swapchains);
  g_hash_table_unref (build.views);
  g_hash_table_unref (build.framebuffers);
  g_hash_table_unref (build.render_passes);
  g_hash_table_unref (build.storing_sets);
  g_hash_table_unref (build.storing);
  if (ok)
    return self;
  vtr_dead_work_unref (self);
  return NULL;
}

/* --- Asking ---------------------------------------------------------------------------------- */

/* Walks what ran, last first, with the images whose contents matter. */
typedef struct
{
  const VtrDeadWork *work;
  gboolean everything; /* something that looks anywhere ran */
  guint8 *live;        /* per image */
} Live;

static gboolean
is_plain (const VtrDeadWork   *self,
          const VtrSubmission *submission)
{
  for (guint32 i = 0; i < submission->n_runs; i++)
    {
      guint32 recording =
        vtr_timeline_get_run (self->timeline, submission->first_run + i)->recording;

      if (recording >= self->n_recordings || !self->recordings[recording].plain)
        return FALSE;
    }
  return submission->n_runs > 0;
}

static gboolean
touches_live (const Live          *live,
              const VtrSubmission *submission)
{
  for (guint32 i = 0; i < submission->n_runs; i++)
    {
      const VtrRun *run = vtr_timeline_get_run (live->work->timeline, submission->first_run + i);
      const GArray *uses = live->work->recordings[run->recording].uses;

      for (guint j = 0; uses != NULL && j < uses->len; j++)
        if (live->live[g_array_index (uses, Use, j).image])
          return TRUE;
    }
  return FALSE;
}

/* Before these runs, what they overwrite does not matter, and what they look at does. Of the last
 * one only what comes up to command @last counts. */
static void
pass_runs (Live    *live,
           guint32  first_run,
           guint32  n_runs,
           guint64  last)
{
  for (guint32 i = n_runs; i > 0; i--)
    {
      const VtrRun *run = vtr_timeline_get_run (live->work->timeline, first_run + i - 1);
      const Recording *recording = run->recording < live->work->n_recordings
                                     ? &live->work->recordings[run->recording]
                                     : NULL;

      if (recording == NULL || !recording->plain)
        {
          live->everything = TRUE;
          return;
        }
      for (guint j = 0; recording->uses != NULL && j < recording->uses->len; j++)
        {
          const Use *use = &g_array_index (recording->uses, Use, j);

          if (i < n_runs || use->command <= last)
            live->live[use->image] = !use->overwrites;
        }
    }
}

guint64 *
vtr_dead_work_find (VtrDeadWork   *self,
                    guint64        stop,
                    guint32        n_last,
                    guint64        last,
                    const guint64 *images,
                    guint          n_images)
{
  guint32 n = vtr_timeline_get_n_submissions (self->timeline);
  guint64 *dead = g_new0 (guint64, n / 64 + 1);
  g_autofree guint8 *marks = g_new0 (guint8, self->images->len + 1);
  Live live = { .work = self, .live = marks, .everything = !self->one_queue };

  /* A handle may have meant several images: all of them count. */
  for (guint i = 0; i < self->images->len; i++)
    for (guint j = 0; j < n_images; j++)
      if (g_array_index (self->images, Image, i).handle == images[j])
        marks[i] = TRUE;

  for (guint32 i = n; i > 0 && !live.everything; i--)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (self->timeline, i - 1);

      if (submission->submit > stop)
        continue;
      if (submission->submit == stop)
        pass_runs (&live, submission->first_run, MIN (n_last, submission->n_runs), last);
      else if (!is_plain (self, submission))
        live.everything = TRUE;
      else if (touches_live (&live, submission))
        pass_runs (&live, submission->first_run, submission->n_runs, G_MAXUINT64);
      else
        dead[(i - 1) / 64] |= G_GUINT64_CONSTANT (1) << ((i - 1) % 64);
    }
  return dead;
}
