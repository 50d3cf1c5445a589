/* Creates and begins the pass with one more colour attachment for the counts. */
#include "engine/vulkan/transforms/vtr-count-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/vulkan/state/vtr-pass-references.h"
#include "vtr-api-args.h"

#define OPTIMAL VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
#define WRITES VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
#define ACCESS (VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT)

gboolean
vtr_count_has_subpass (const VtrCount *self,
                       guint32         subpass)
{
  return subpass < 64 && (self->plan.pass.subpasses >> subpass & 1) != 0;
}

/* The counted subpass before @subpass; G_MAXUINT32: none. */
static guint32
find_earlier (const VtrCount *self,
              guint32         subpass)
{
  for (guint32 i = subpass; i > 0; i--)
    if (vtr_count_has_subpass (self, i - 1))
      return i - 1;
  return G_MAXUINT32;
}

static gboolean
no_memory (GError **error)
{
  return vtr_count_unsupported (error, _ ("The pass is too large to count draws in it."));
}

static gboolean
check_subpass (VtrCount  *self,
               guint32    subpass,
               guint32    n_colors,
               GError   **error)
{
  if (subpass < G_N_ELEMENTS (self->n_colors))
    self->n_colors[subpass] = n_colors;
  return !vtr_count_has_subpass (self, subpass) || n_colors <= self->plan.slot ||
         vtr_count_unsupported (error, _ ("The pass uses all colour attachments that this device "
                                          "supports, so none is left for counting draws."));
}

/* Subpasses that we draw to go one after the other. */
static guint32
count_dependencies (const VtrCount *self,
                    guint32         n_subpasses)
{
  guint32 n = 0;

  for (guint32 i = 1; i < n_subpasses; i++)
    n += vtr_count_has_subpass (self, i) && find_earlier (self, i) != G_MAXUINT32;
  return n;
}

/* One more attachment that a subpass leaves as it is. */
static gboolean
preserve (const guint32 **attachments,
          guint32        *n,
          guint32         ours,
          VtrArena       *arena)
{
  guint32 *preserved = vtr_arena_new_array (arena, *n + 1, guint32);

  if (preserved == NULL)
    return FALSE;
  if (*n > 0)
    memcpy (preserved, *attachments, *n * sizeof *preserved);
  preserved[(*n)++] = ours;
  *attachments = preserved;
  return TRUE;
}

/* --- VkRenderPassCreateInfo ------------------------------------------------------------------ */

static gboolean
extend_subpass1 (VtrCount             *self,
                 VkSubpassDescription *subpass,
                 guint32               nth,
                 guint32               ours,
                 VtrArena             *arena)
{
  const guint32 n = subpass->pColorAttachments != NULL ? subpass->colorAttachmentCount : 0;
  const guint32 slot = self->plan.slot;
  VkAttachmentReference *colors, *resolves;

  if (!vtr_count_has_subpass (self, nth))
    return preserve (&subpass->pPreserveAttachments, &subpass->preserveAttachmentCount, ours,
                     arena);
  colors = vtr_arena_new_array (arena, slot + 1, VkAttachmentReference);
  resolves = vtr_arena_new_array (arena, slot + 1, VkAttachmentReference);
  if (colors == NULL || resolves == NULL)
    return FALSE;
  for (guint32 i = 0; i <= slot; i++)
    colors[i] = resolves[i] =
      (VkAttachmentReference){ VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED };
  if (n > 0)
    memcpy (colors, subpass->pColorAttachments, n * sizeof *colors);
  colors[slot] = (VkAttachmentReference){ ours, OPTIMAL };
  if (subpass->pResolveAttachments != NULL && n > 0)
    {
      memcpy (resolves, subpass->pResolveAttachments, n * sizeof *resolves);
      subpass->pResolveAttachments = resolves;
    }
  subpass->pColorAttachments = colors;
  subpass->colorAttachmentCount = slot + 1;
  return TRUE;
}

static gboolean
extend_dependencies1 (VtrCount               *self,
                      VkRenderPassCreateInfo *info,
                      VtrArena               *arena)
{
  const guint32 more = count_dependencies (self, info->subpassCount), n = info->dependencyCount;
  VkRenderPassMultiviewCreateInfo *views = (gpointer)vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
  VkSubpassDependency *list = vtr_arena_new_array (arena, n + more, VkSubpassDependency);
  gint32 *offsets = vtr_arena_new_array (arena, n + more, gint32);

  if (list == NULL || offsets == NULL)
    return FALSE;
  if (n > 0)
    memcpy (list, info->pDependencies, n * sizeof *list);
  if (views != NULL && views->dependencyCount > 0)
    {
      memcpy (offsets, views->pViewOffsets, MIN (n, views->dependencyCount) * sizeof *offsets);
      views->pViewOffsets = offsets;
      views->dependencyCount = n + more;
    }
  info->dependencyCount = n;
  for (guint32 i = 1; i < info->subpassCount; i++)
    if (vtr_count_has_subpass (self, i) && find_earlier (self, i) != G_MAXUINT32)
      list[info->dependencyCount++] = (VkSubpassDependency){
        find_earlier (self, i), i, WRITES, WRITES, ACCESS, ACCESS, VK_DEPENDENCY_BY_REGION_BIT
      };
  info->pDependencies = list;
  return TRUE;
}

static gboolean
extend1 (VtrCount                *self,
         VkRenderPassCreateInfo  *info,
         VtrArena                *arena,
         GError                 **error)
{
  const guint32 n = info->pAttachments != NULL ? info->attachmentCount : 0;
  VkAttachmentDescription *attachments =
    vtr_arena_new_array (arena, n + 1, VkAttachmentDescription);
  VkSubpassDescription *subpasses =
    vtr_arena_memdup (arena, info->pSubpasses, info->subpassCount * sizeof *subpasses);

  if (attachments == NULL || subpasses == NULL)
    return no_memory (error);
  if (n > 0)
    memcpy (attachments, info->pAttachments, n * sizeof *attachments);
  attachments[n] = (VkAttachmentDescription){
    .format = (VkFormat)self->plan.read.format,
    .samples = (VkSampleCountFlagBits)self->plan.read.samples,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
    .initialLayout = OPTIMAL,
    .finalLayout = OPTIMAL,
  };
  self->n_subpasses = info->subpassCount;
  for (guint32 i = 0; i < info->subpassCount; i++)
    if (!check_subpass (self, i, subpasses[i].colorAttachmentCount, error))
      return FALSE;
    else if (!extend_subpass1 (self, &subpasses[i], i, n, arena))
      return no_memory (error);
  info->pAttachments = attachments;
  info->attachmentCount = n + 1;
  info->pSubpasses = subpasses;
  return extend_dependencies1 (self, info, arena) || no_memory (error);
}

/* --- VkRenderPassCreateInfo2 ----------------------------------------------------------------- */

static gboolean
extend_subpass2 (VtrCount              *self,
                 VkSubpassDescription2 *subpass,
                 guint32                nth,
                 guint32                ours,
                 VtrArena              *arena)
{
  const guint32 n = subpass->pColorAttachments != NULL ? subpass->colorAttachmentCount : 0;
  const guint32 slot = self->plan.slot;
  VkAttachmentReference2 *colors, *resolves;

  if (!vtr_count_has_subpass (self, nth))
    return preserve (&subpass->pPreserveAttachments, &subpass->preserveAttachmentCount, ours,
                     arena);
  colors = vtr_arena_new_array (arena, slot + 1, VkAttachmentReference2);
  resolves = vtr_arena_new_array (arena, slot + 1, VkAttachmentReference2);
  if (colors == NULL || resolves == NULL)
    return FALSE;
  for (guint32 i = 0; i <= slot; i++)
    colors[i] = resolves[i] =
      (VkAttachmentReference2){ VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, NULL,
                                VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED, 0 };
  if (n > 0)
    memcpy (colors, subpass->pColorAttachments, n * sizeof *colors);
  colors[slot] = (VkAttachmentReference2){ VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, NULL, ours,
                                           OPTIMAL, VK_IMAGE_ASPECT_COLOR_BIT };
  if (subpass->pResolveAttachments != NULL && n > 0)
    {
      memcpy (resolves, subpass->pResolveAttachments, n * sizeof *resolves);
      subpass->pResolveAttachments = resolves;
    }
  subpass->pColorAttachments = colors;
  subpass->colorAttachmentCount = slot + 1;
  return TRUE;
}

static gboolean
extend_dependencies2 (VtrCount                *self,
                      VkRenderPassCreateInfo2 *info,
                      VtrArena                *arena)
{
  const guint32 more = count_dependencies (self, info->subpassCount), n = info->dependencyCount;
  VkSubpassDependency2 *list = vtr_arena_new_array (arena, n + more, VkSubpassDependency2);

  if (list == NULL)
    return FALSE;
  if (n > 0)
    memcpy (list, info->pDependencies, n * sizeof *list);
  for (guint32 i = 1; i < info->subpassCount; i++)
    if (vtr_count_has_subpass (self, i) && find_earlier (self, i) != G_MAXUINT32)
      list[info->dependencyCount++] = (VkSubpassDependency2){
        .sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
        .srcSubpass = find_earlier (self, i),
        .dstSubpass = i,
        .srcStageMask = WRITES,
        .dstStageMask = WRITES,
        .srcAccessMask = ACCESS,
        .dstAccessMask = ACCESS,
        .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT,
      };
  info->pDependencies = list;
  return TRUE;
}

static gboolean
extend2 (VtrCount                 *self,
         VkRenderPassCreateInfo2  *info,
         VtrArena                 *arena,
         GError                  **error)
{
  const guint32 n = info->pAttachments != NULL ? info->attachmentCount : 0;
  VkAttachmentDescription2 *attachments =
    vtr_arena_new_array (arena, n + 1, VkAttachmentDescription2);
  VkSubpassDescription2 *subpasses =
    vtr_arena_memdup (arena, info->pSubpasses, info->subpassCount * sizeof *subpasses);

  if (attachments == NULL || subpasses == NULL)
    return no_memory (error);
  if (n > 0)
    memcpy (attachments, info->pAttachments, n * sizeof *attachments);
  attachments[n] = (VkAttachmentDescription2){
    .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
    .format = (VkFormat)self->plan.read.format,
    .samples = (VkSampleCountFlagBits)self->plan.read.samples,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
    .initialLayout = OPTIMAL,
    .finalLayout = OPTIMAL,
  };
  self->n_subpasses = info->subpassCount;
  for (guint32 i = 0; i < info->subpassCount; i++)
    if (!check_subpass (self, i, subpasses[i].colorAttachmentCount, error))
      return FALSE;
    else if (!extend_subpass2 (self, &subpasses[i], i, n, arena))
      return no_memory (error);
  info->pAttachments = attachments;
  info->attachmentCount = n + 1;
  info->pSubpasses = subpasses;
  return extend_dependencies2 (self, info, arena) || no_memory (error);
}

/* --- Render passes --------------------------------------------------------------------------- */

/* Sends on @creation with one more attachment, as *@handle. Its tree is changed. */
static gboolean
create_extended (VtrCount    *self,
                 VtrCommand  *creation,
                 VtrArena    *arena,
                 guint64     *handle,
                 GError     **error)
{
  VtrArgs_vkCreateRenderPass *args = creation->args; /* …2 has the same parameters */
  gboolean ok;

  *handle = vtr_transform_new_handle ();
  args->pRenderPass = (VkRenderPass *)(gpointer)handle;
  args->pAllocator = NULL;
  creation->index = self->position;
  creation->flags = 0;
  creation->found = 0;
  if (args->pCreateInfo == NULL)
    ok = FALSE;
  else if (vtr_cmd_canonical (creation->id) == VTR_CMD_vkCreateRenderPass2)
    ok = extend2 (self, (VkRenderPassCreateInfo2 *)(gconstpointer)args->pCreateInfo, arena, error);
  else
    ok = vtr_cmd_canonical (creation->id) == VTR_CMD_vkCreateRenderPass &&
         extend1 (self, (VkRenderPassCreateInfo *)args->pCreateInfo, arena, error);
  if (ok)
    return vtr_transform_command (self->parent.next, creation, error);
  if (error != NULL && *error == NULL)
    vtr_count_unsupported (error, _ ("The trace does not contain the creation of this pass."));
  return FALSE;
}

gboolean
vtr_count_make_pass (VtrCount  *self,
                     GError   **error)
{
  const VtrCountPass *pass = &self->plan.pass;
  const VtrObject *object;
  VtrCommand creation;
  VtrArena arena;
  gboolean ok;

  if (self->pass != 0 || self->n_subpasses > 0)
    return TRUE;
  if (pass->dynamic)
    {
      self->n_subpasses = 1;
      return check_subpass (self, 0, pass->n_colors, error);
    }
  object =
    vtr_history_find (self->history,
                      vtr_vulkan_identity (VTR_HANDLE_VkRenderPass, pass->render_pass),
                      pass->begin);
  if (object == NULL)
    return vtr_count_unsupported (error,
                                  _ ("The trace does not contain the creation of this pass."));
  vtr_arena_init (&arena);
  ok = vtr_history_decode_creation (self->history, object, &arena, &creation, error) &&
       create_extended (self, &creation, &arena, &self->pass, error);
  vtr_arena_finish (&arena);
  return ok;
}

/* Creates a framebuffer with the views of the pass and that of the counts. */
static gboolean
make_framebuffer (VtrCount                     *self,
                  const VkRenderPassBeginInfo  *begin,
                  VkRenderPass                  pass,
                  VtrArena                     *arena,
                  VkFramebuffer                *out,
                  GError                      **error)
{
  const VkRenderPassAttachmentBeginInfo *given =
    vtr_api_find_next (begin->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
  const VtrObject *object =
    vtr_history_find (self->history,
                      vtr_vulkan_identity (VTR_HANDLE_VkFramebuffer, self->plan.pass.framebuffer),
                      self->plan.pass.begin);
  const VtrArgs_vkCreateFramebuffer *original;
  VtrArgs_vkCreateFramebuffer args;
  VkFramebufferCreateInfo info;
  const VkImageView *views;
  VkImageView *all;
  VtrCommand creation;

  if (object == NULL ||
      !vtr_history_decode_creation (self->history, object, arena, &creation, NULL) ||
      creation.id != VTR_CMD_vkCreateFramebuffer ||
      ((const VtrArgs_vkCreateFramebuffer *)creation.args)->pCreateInfo == NULL)
    return vtr_count_unsupported (
      error, _ ("The trace does not contain the creation of this pass’s framebuffer."));
  original = creation.args;
  info = *original->pCreateInfo;
  views = info.pAttachments;
  if ((info.flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) != 0)
    {
      views = given != NULL ? given->pAttachments : NULL;
      info.attachmentCount = given != NULL ? given->attachmentCount : 0;
      info.flags &= ~(VkFramebufferCreateFlags)VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT;
    }
  vtr_count_unlink (&info.pNext, VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO);
  all = vtr_arena_new_array (arena, info.attachmentCount + 1, VkImageView);
  if (all == NULL || (views == NULL && info.attachmentCount > 0))
    return no_memory (error);
  if (info.attachmentCount > 0)
    memcpy (all, views, info.attachmentCount * sizeof *all);
  all[info.attachmentCount++] = VTR_COUNT_HANDLE (VkImageView, self->view);
  info.pAttachments = all;
  info.renderPass = pass;
  *out = VTR_COUNT_HANDLE (VkFramebuffer, vtr_transform_new_handle ());
  args = (VtrArgs_vkCreateFramebuffer){ original->device, &info, NULL, out };
  return vtr_count_emit (self, VTR_CMD_vkCreateFramebuffer, &args, error);
}

static gboolean
begin_render_pass (VtrCount    *self,
                   VtrCommand  *command,
                   VtrArena    *arena,
                   GError     **error)
{
  VtrArgs_vkCmdBeginRenderPass *args = command->args; /* …2 begins with the same parameters */
  const VkRenderPassBeginInfo *original = args->pRenderPassBegin;
  VkRenderPassBeginInfo info = *original;
  guint64 pass = self->pass;
  gboolean ok;

  if (!vtr_count_make_pass (self, error))
    return FALSE;
  /* The cut has changed what is stored and resolved: that pass, with our attachment. */
  if (self->clone.args != NULL &&
      *((const VtrArgs_vkCreateRenderPass *)self->clone.args)->pRenderPass == info.renderPass)
    {
      if (!create_extended (self, &self->clone, arena, &pass, error))
        return FALSE;
      self->clone.args = NULL;
    }
  else
    pass = self->pass;
  info.renderPass = VTR_COUNT_HANDLE (VkRenderPass, pass);
  if (!make_framebuffer (self, original, info.renderPass, arena, &info.framebuffer, error))
    return FALSE;
  vtr_count_unlink (&info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
  args->pRenderPassBegin = &info;
  ok = vtr_transform_command (self->parent.next, command, error);
  args->pRenderPassBegin = original;
  return ok;
}

/* --- Dynamic rendering ----------------------------------------------------------------------- */

static gboolean
begin_rendering (VtrCount    *self,
                 VtrCommand  *command,
                 VtrArena    *arena,
                 GError     **error)
{
  VtrArgs_vkCmdBeginRendering *args = command->args;
  const VkRenderingInfo *original = args->pRenderingInfo;
  const guint32 n = original->pColorAttachments != NULL ? original->colorAttachmentCount : 0;
  VkRenderingInfo info = *original;
  VkRenderingAttachmentInfo *colors =
    vtr_arena_new_array (arena, self->plan.slot + 1, VkRenderingAttachmentInfo);
  const guint32 slot = self->plan.slot;
  gboolean ok;

  if (colors == NULL)
    return no_memory (error);
  if (!vtr_count_make_pass (self, error))
    return FALSE;
  for (guint32 i = n; i < slot; i++)
    colors[i].sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  if (n > 0)
    memcpy (colors, original->pColorAttachments, n * sizeof *colors);
  colors[slot] = (VkRenderingAttachmentInfo){
    .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
    .imageView = VTR_COUNT_HANDLE (VkImageView, self->view),
    .imageLayout = OPTIMAL,
    .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
    .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
  };
  info.pColorAttachments = colors;
  info.colorAttachmentCount = slot + 1;
  args->pRenderingInfo = &info;
  ok = vtr_transform_command (self->parent.next, command, error);
  args->pRenderingInfo = original;
  return ok;
}

gboolean
vtr_count_begin_pass (VtrCount      *self,
                      VtrCountCopy  *copy,
                      VtrCommand    *command,
                      GError       **error)
{
  VtrArena arena;
  gboolean ok;

  copy->inside = TRUE;
  copy->subpass = 0;
  copy->bound = 0;
  if (!vtr_count_make_image (self, error) || !vtr_count_clear_image (self, copy->buffer, error))
    return FALSE;
  vtr_arena_init (&arena);
  ok = self->plan.pass.dynamic ? begin_rendering (self, command, &arena, error)
                               : begin_render_pass (self, command, &arena, error);
  vtr_arena_finish (&arena);
  return ok;
}

/* --- Secondaries ----------------------------------------------------------------------------- */

/* Adds the attachment of counts to a secondary's inheritance information about a dynamic
 * rendering. */
static gboolean
inherit_rendering (VtrCount                                 *self,
                   VkCommandBufferInheritanceRenderingInfo  *rendering,
                   VtrArena                                 *arena,
                   GError                                  **error)
{
  const guint32 n = self->plan.pass.n_colors;
  const guint32 slot = self->plan.slot;
  VkFormat *formats = vtr_arena_new_array (arena, slot + 1, VkFormat);

  if (formats == NULL)
    return no_memory (error);
  if (rendering->colorAttachmentCount != n)
    return vtr_count_unsupported (error, _ ("A secondary command buffer of this pass expects other "
                                            "attachments than the pass has."));
  if (n > 0)
    memcpy (formats, rendering->pColorAttachmentFormats, n * sizeof *formats);
  formats[slot] = (VkFormat)self->plan.read.format;
  rendering->pColorAttachmentFormats = formats;
  rendering->colorAttachmentCount = slot + 1;
  return TRUE;
}

gboolean
vtr_count_inherit (VtrCount      *self,
                   VtrCountCopy  *copy,
                   VtrCommand    *command,
                   VtrArena      *arena,
                   GError       **error)
{
  VtrArgs_vkBeginCommandBuffer *args = command->args;
  VkCommandBufferBeginInfo *info = vtr_arena_memdup (arena, args->pBeginInfo, sizeof *info);
  VkCommandBufferInheritanceRenderingInfo *rendering;
  VkCommandBufferInheritanceInfo *inheritance;

  if (info == NULL || info->pInheritanceInfo == NULL)
    return no_memory (error);
  if (!vtr_count_make_pass (self, error))
    return FALSE;
  inheritance = vtr_arena_memdup (arena, info->pInheritanceInfo, sizeof *inheritance);
  if (inheritance == NULL)
    return no_memory (error);
  info->pInheritanceInfo = inheritance;
  args->pBeginInfo = info;
  copy->inside = TRUE;
  copy->subpass = inheritance->subpass;
  inheritance->framebuffer = VK_NULL_HANDLE;
  if (!self->plan.pass.dynamic)
    {
      inheritance->renderPass = VTR_COUNT_HANDLE (VkRenderPass, self->pass);
      return TRUE;
    }
  copy->subpass = 0;
  rendering = (gpointer)vtr_api_find_next (
    inheritance->pNext, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO);
  return vtr_count_extend_chain (self, inheritance->pNext, arena, error) &&
         (rendering == NULL || inherit_rendering (self, rendering, arena, error));
}
