/* Keeps facts about objects in one table by object id, with all data in one arena. */
#include "engine/vulkan/state/vtr-state-facts.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "engine/vulkan/state/vtr-attachments.h"

#include "api/vtr-api-args.h"

#include <stdlib.h>
#include <string.h>

/* A set layout may claim any number of descriptors; this many are kept of one set. */
#define MAX_SLOTS (1u << 20)
/* Attachments times subpasses of a render pass, and layers of an image, that are believed. */
#define MAX_USES (1u << 20)
#define MAX_LAYERS (1u << 14)

struct _VtrStateFacts
{
  VtrHistory *history;
  GRecMutex lock;
  VtrArena arena;
  GHashTable *table;   /* id → fact, or NULL when there is none */
  GHashTable *layouts; /* id → VtrSetLayout */
};

typedef gpointer (*VtrFactMaker) (VtrStateFacts *self,
                                  const VtrObject *object,
                                  const VtrCommand *command);

static void
unref_layout (gpointer data)
{
  if (data != NULL)
    vtr_set_layout_unref (data);
}

VtrStateFacts *
vtr_state_facts_new (VtrHistory *history)
{
  VtrStateFacts *self = g_new0 (VtrStateFacts, 1);

  self->history = history;
  g_rec_mutex_init (&self->lock);
  vtr_arena_init (&self->arena);
  self->table = g_hash_table_new (NULL, NULL);
  self->layouts = g_hash_table_new_full (NULL, NULL, NULL, unref_layout);
  return self;
}

void
vtr_state_facts_free (VtrStateFacts *self)
{
  g_hash_table_unref (self->table);
  g_hash_table_unref (self->layouts);
  vtr_arena_finish (&self->arena);
  g_rec_mutex_clear (&self->lock);
  g_free (self);
}

static const VtrObject *
get_object (VtrStateFacts *self,
            guint32        id,
            guint32        type)
{
  const VtrObject *object;

  if (id == 0 || id > vtr_history_get_n_objects (self->history))
    return NULL;
  object = vtr_history_get_object (self->history, id);
  return object->type == type ? object : NULL;
}

static guint32
find_id (VtrStateFacts *self,
         guint32        type,
         guint64        handle,
         guint64        index)
{
  const VtrObject *object = vtr_history_find (self->history, vtr_vulkan_identity (type, handle),
                                              index);

  return object != NULL ? object->id : 0;
}

static gpointer
make_fact (VtrStateFacts   *self,
           const VtrObject *object,
           VtrFactMaker     maker)
{
  gpointer fact = NULL;
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (self->history, object, &arena, &command, NULL))
    {
      command.id = vtr_cmd_canonical (command.id);
      fact = maker (self, object, &command);
    }
  vtr_arena_finish (&arena);
  return fact;
}

static gconstpointer
get_fact (VtrStateFacts *self,
          guint32        id,
          guint32        type,
          VtrFactMaker   maker)
{
  const VtrObject *object = get_object (self, id, type);
  gpointer fact = NULL;

  if (object == NULL)
    return NULL;

  g_rec_mutex_lock (&self->lock);
  if (!g_hash_table_lookup_extended (self->table, GUINT_TO_POINTER (id), NULL, &fact))
    {
      fact = make_fact (self, object, maker);
      g_hash_table_insert (self->table, GUINT_TO_POINTER (id), fact);
    }
  g_rec_mutex_unlock (&self->lock);
  return fact;
}

/* --- Images and views --- */

/* The names of multi-planar formats say how many planes they have. */
static guint
count_planes (VkFormat format)
{
  const char *name;

  if (format < VK_FORMAT_G8B8G8R8_422_UNORM)
    return 1;
  name = vtr_enum_value_name (VTR_ENUM_VkFormat, format);
  if (name == NULL)
    return 1;
  return strstr (name, "_3PLANE_") != NULL ? 3 : strstr (name, "_2PLANE_") != NULL ? 2
                                                                                   : 1;
}

static void
fill_aspects (VtrImageFact *fact)
{
  VkFormat format = fact->info.format;
  guint planes = count_planes (format);

  if (vtr_format_has_depth (format))
    fact->aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
  if (vtr_format_has_stencil (format))
    fact->aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
  if (fact->aspects == 0 && planes > 1)
    fact->aspects = planes == 3 ? VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT |
                                    VK_IMAGE_ASPECT_PLANE_2_BIT
                                : VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT;
  if (fact->aspects == 0)
    fact->aspects = VK_IMAGE_ASPECT_COLOR_BIT;
  fact->n_aspects = (guint32)__builtin_popcount (fact->aspects);
}

static gpointer
make_image (VtrStateFacts    *self,
            const VtrObject  *object,
            const VtrCommand *command)
{
  VtrImageFact fact = { .layers = 1 };
  const VtrArgs_vkCreateImage *args = command->args;

  if (!vtr_history_get_image_info (self->history, object, &fact.info, NULL))
    return NULL;

  fact.info.mip_levels = CLAMP (fact.info.mip_levels, 1, 32);
  if (fact.info.type != VK_IMAGE_TYPE_3D)
    fact.layers = CLAMP (fact.info.array_layers, 1, MAX_LAYERS);
  else if (fact.info.slices)
    fact.layers = CLAMP (fact.info.extent.depth, 1, MAX_LAYERS);
  fact.disjoint = (fact.info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  fact.sparse = (fact.info.flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0;
  fact.initial_layout = VK_IMAGE_LAYOUT_UNDEFINED;
  if (command->id == VTR_CMD_vkCreateImage && args->pCreateInfo != NULL)
    {
      fact.initial_layout = args->pCreateInfo->initialLayout;
      fact.external = vtr_api_find_next (
                        args->pCreateInfo->pNext,
                        VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO) != NULL;
    }
  fill_aspects (&fact);
  return vtr_arena_memdup (&self->arena, &fact, sizeof fact);
}

const VtrImageFact *
vtr_state_facts_get_image (VtrStateFacts *self,
                           guint32        id)
{
  return get_fact (self, id, VTR_HANDLE_VkImage, make_image);
}

gboolean
vtr_image_fact_clamp (const VtrImageFact      *self,
                      VkImageSubresourceRange *range)
{
  guint32 mips = self->info.mip_levels, layers = self->layers;
  gboolean fits = TRUE;

  /* Slices of a 3D image are layers of its views, but not always of its layouts. */
  if (self->info.type == VK_IMAGE_TYPE_3D && !self->info.slices)
    {
      range->baseArrayLayer = 0;
      range->layerCount = 1;
    }
  if (self->info.slices && range->baseMipLevel < mips)
    layers = MAX (1, layers >> MIN (range->baseMipLevel, 31));
  if (range->baseMipLevel >= mips || range->baseArrayLayer >= layers)
    {
      range->levelCount = range->layerCount = 0;
      range->baseMipLevel = range->baseArrayLayer = 0;
      return FALSE;
    }
  if (range->levelCount == VK_REMAINING_MIP_LEVELS)
    range->levelCount = mips - range->baseMipLevel;
  if (range->layerCount == VK_REMAINING_ARRAY_LAYERS)
    range->layerCount = layers - range->baseArrayLayer;
  if (range->levelCount > mips - range->baseMipLevel)
    {
      range->levelCount = mips - range->baseMipLevel;
      fits = FALSE;
    }
  if (range->layerCount > layers - range->baseArrayLayer)
    {
      range->layerCount = layers - range->baseArrayLayer;
      fits = FALSE;
    }
  return fits;
}

void
vtr_image_fact_name_slices (const VtrImageFact      *self,
                            VkImageSubresourceRange *range,
                            guint32                  first,
                            guint32                  n_slices)
{
  if (!self->info.slices)
    return;
  range->baseArrayLayer = first;
  range->layerCount = n_slices == G_MAXUINT32 ? VK_REMAINING_ARRAY_LAYERS : n_slices;
}

static gpointer
make_view (VtrStateFacts    *self,
           const VtrObject  *object,
           const VtrCommand *command)
{
  const VtrArgs_vkCreateImageView *args = command->args;
  const VtrImageFact *image;
  VtrViewFact fact = { 0 };

  if (command->id != VTR_CMD_vkCreateImageView || args->pCreateInfo == NULL)
    return NULL;

  fact.image =
    find_id (self, VTR_HANDLE_VkImage, (guint64)args->pCreateInfo->image, object->created);
  fact.range = args->pCreateInfo->subresourceRange;
  image = vtr_state_facts_get_image (self, fact.image);
  if (image == NULL)
    return NULL;
  if (args->pCreateInfo->viewType == VK_IMAGE_VIEW_TYPE_3D)
    vtr_image_fact_name_slices (image, &fact.range, 0, G_MAXUINT32);
  vtr_image_fact_clamp (image, &fact.range);
  return vtr_arena_memdup (&self->arena, &fact, sizeof fact);
}

const VtrViewFact *
vtr_state_facts_get_view (VtrStateFacts *self,
                          guint32        id)
{
  return get_fact (self, id, VTR_HANDLE_VkImageView, make_view);
}

/* --- Render passes --- */

static VtrRenderPassFact *
new_pass (VtrStateFacts *self,
          guint32        n_attachments,
          guint32        n_subpasses)
{
  VtrRenderPassFact *fact = vtr_arena_new (&self->arena, VtrRenderPassFact);
  gsize n_uses;

  if (fact == NULL ||
      __builtin_mul_overflow ((gsize)n_attachments, (gsize)n_subpasses, &n_uses) ||
      n_uses > MAX_USES)
    return NULL;
  fact->n_attachments = n_attachments;
  fact->n_subpasses = n_subpasses;
  fact->attachments = vtr_arena_new_array (&self->arena, n_attachments, VtrPassAttachment);
  fact->uses = vtr_arena_new_array (&self->arena, n_uses, VtrSubpassUse);
  if (fact->attachments == NULL || fact->uses == NULL)
    return NULL;
  memset (fact->uses, 0xff, n_uses * sizeof *fact->uses);
  return fact;
}

static void
use_attachment (VtrRenderPassFact *fact,
                guint32            subpass,
                guint32            attachment,
                VkImageLayout      layout,
                VkImageLayout      stencil_layout)
{
  VtrSubpassUse *use;

  if (attachment >= fact->n_attachments)
    return;
  use = &fact->uses[(gsize)subpass * fact->n_attachments + attachment];
  use->layout = layout;
  use->stencil_layout = stencil_layout;
}

static void
use_references (VtrRenderPassFact            *fact,
                guint32                       subpass,
                const VkAttachmentReference2 *references,
                guint32                       n)
{
  for (guint32 i = 0; i < n && references != NULL; i++)
    {
      const VkAttachmentReferenceStencilLayout *stencil = vtr_api_find_next (
        references[i].pNext, VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT);

      use_attachment (fact, subpass, references[i].attachment, references[i].layout,
                      stencil != NULL ? stencil->stencilLayout : references[i].layout);
    }
}

static gpointer
make_pass_of (VtrStateFacts                 *self,
              const VkRenderPassCreateInfo2 *info)
{
  VtrRenderPassFact *fact = new_pass (self, info->pAttachments != NULL ? info->attachmentCount : 0,
                                      info->pSubpasses != NULL ? info->subpassCount : 0);

  for (guint32 i = 0; fact != NULL && i < fact->n_attachments; i++)
    {
      const VkAttachmentDescription2 *from = &info->pAttachments[i];
      const VkAttachmentDescriptionStencilLayout *stencil = vtr_api_find_next (
        from->pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT);

      fact->attachments[i] =
        (VtrPassAttachment){ from->format, from->initialLayout, from->finalLayout,
                             from->initialLayout, from->finalLayout };
      if (stencil != NULL)
        {
          fact->attachments[i].stencil_initial = stencil->stencilInitialLayout;
          fact->attachments[i].stencil_final = stencil->stencilFinalLayout;
        }
    }
  for (guint32 i = 0; fact != NULL && i < fact->n_subpasses; i++)
    {
      const VkSubpassDescription2 *from = &info->pSubpasses[i];
      const VkSubpassDescriptionDepthStencilResolve *resolve = vtr_api_find_next (
        from->pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);

      use_references (fact, i, from->pInputAttachments, from->inputAttachmentCount);
      use_references (fact, i, from->pColorAttachments, from->colorAttachmentCount);
      use_references (fact, i, from->pResolveAttachments, from->colorAttachmentCount);
      use_references (fact, i, from->pDepthStencilAttachment, 1);
      if (resolve != NULL)
        use_references (fact, i, resolve->pDepthStencilResolveAttachment, 1);
    }
  return fact;
}

static gpointer
make_pass (VtrStateFacts    *self,
           const VtrObject  *object,
           const VtrCommand *command)
{
  const VtrArgs_vkCreateRenderPass2 *args;
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, command);
  args = form.command.args;
  return form.command.id == VTR_CMD_vkCreateRenderPass2 && args->pCreateInfo != NULL
           ? make_pass_of (self, args->pCreateInfo)
           : NULL;
}

const VtrRenderPassFact *
vtr_state_facts_get_render_pass (VtrStateFacts *self,
                                 guint32        id)
{
  return get_fact (self, id, VTR_HANDLE_VkRenderPass, make_pass);
}

static gpointer
make_framebuffer (VtrStateFacts    *self,
                  const VtrObject  *object,
                  const VtrCommand *command)
{
  const VtrArgs_vkCreateFramebuffer *args = command->args;
  VtrFramebufferFact *fact;
  const VkFramebufferCreateInfo *info;

  if (command->id != VTR_CMD_vkCreateFramebuffer || args->pCreateInfo == NULL)
    return NULL;

  info = args->pCreateInfo;
  fact = vtr_arena_new (&self->arena, VtrFramebufferFact);
  if (fact == NULL || (info->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) != 0 ||
      info->pAttachments == NULL)
    return fact;

  fact->views = vtr_arena_new_array (&self->arena, info->attachmentCount, guint32);
  if (fact->views == NULL)
    return NULL;
  fact->n = info->attachmentCount;
  for (guint32 i = 0; i < fact->n; i++)
    fact->views[i] = find_id (self, VTR_HANDLE_VkImageView, (guint64)info->pAttachments[i],
                              object->created);
  return fact;
}

const VtrFramebufferFact *
vtr_state_facts_get_framebuffer (VtrStateFacts *self,
                                 guint32        id)
{
  return get_fact (self, id, VTR_HANDLE_VkFramebuffer, make_framebuffer);
}

/* --- Descriptor sets --- */

VtrSetLayout *
vtr_set_layout_ref (VtrSetLayout *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_set_layout_unref (VtrSetLayout *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  for (guint32 i = 0; i < self->n_bindings; i++)
    g_free (self->bindings[i].samplers);
  g_free (self->bindings);
  g_free (self);
}

/* Where each binding starts, as the spec counts on from one to the next. */
static void
vtr_set_layout_place (VtrSetLayout *self)
{
  guint64 at = 0;

  self->has_inline = self->has_variable = FALSE;
  for (guint32 i = 0; i < self->n_bindings; i++)
    {
      VtrSetBinding *binding = &self->bindings[i];
      gboolean bytes = binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;

      binding->first = (guint32)at;
      binding->n_slots = bytes ? MIN (binding->count, 1) : binding->count;
      binding->n_slots = (guint32)MIN (binding->n_slots, MAX_SLOTS - at);
      at += binding->n_slots;
      self->has_inline |= bytes;
      self->has_variable |=
        (binding->flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0;
    }
  self->n_slots = (guint32)at;
}

static int
compare_bindings (const void *a,
                  const void *b)
{
  const VtrSetBinding *left = a, *right = b;

  return left->binding < right->binding ? -1 : left->binding > right->binding;
}

static VtrSetLayout *
make_layout (VtrStateFacts                         *self,
             const VtrObject                       *object,
             const VkDescriptorSetLayoutCreateInfo *info)
{
  const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags = vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  VtrSetLayout *layout = g_new0 (VtrSetLayout, 1);

  g_atomic_ref_count_init (&layout->refs);
  layout->id = object->id;
  layout->flags = info->flags;
  layout->n_bindings = info->pBindings != NULL ? info->bindingCount : 0;
  layout->bindings = g_new0 (VtrSetBinding, MAX (layout->n_bindings, 1));
  for (guint32 i = 0; i < layout->n_bindings; i++)
    {
      const VkDescriptorSetLayoutBinding *from = &info->pBindings[i];
      VtrSetBinding *to = &layout->bindings[i];
      guint32 n = from->pImmutableSamplers != NULL ? MIN (from->descriptorCount, MAX_SLOTS) : 0;

      to->binding = from->binding;
      to->type = from->descriptorType;
      to->count = from->descriptorCount;
      to->stages = from->stageFlags;
      if (flags != NULL && flags->pBindingFlags != NULL && i < flags->bindingCount)
        to->flags = flags->pBindingFlags[i];
      if (n > 0)
        to->samplers = g_new0 (guint32, n);
      for (guint32 k = 0; k < n; k++)
        to->samplers[k] = find_id (self, VTR_HANDLE_VkSampler,
                                   (guint64)from->pImmutableSamplers[k], object->created);
    }
  if (layout->n_bindings > 1)
    qsort (layout->bindings, layout->n_bindings, sizeof *layout->bindings, compare_bindings);
  vtr_set_layout_place (layout);
  return layout;
}

VtrSetLayout *
vtr_set_layout_resize (VtrSetLayout *self,
                       guint32       count)
{
  VtrSetLayout *copy = g_memdup2 (self, sizeof *self);

  g_atomic_ref_count_init (&copy->refs);
  copy->bindings = g_new0 (VtrSetBinding, MAX (self->n_bindings, 1));
  for (guint32 i = 0; i < self->n_bindings; i++)
    {
      VtrSetBinding *to = &copy->bindings[i];

      *to = self->bindings[i];
      if (to->samplers != NULL)
        to->samplers = g_memdup2 (to->samplers, sizeof (guint32) * MIN (to->count, MAX_SLOTS));
      if ((to->flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0)
        to->count = MIN (to->count, count);
    }
  vtr_set_layout_place (copy);
  return copy;
}

guint32
vtr_set_layout_find (const VtrSetLayout *self,
                     guint32             binding)
{
  guint32 low = 0, high = self->n_bindings;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (self->bindings[middle].binding < binding)
        low = middle + 1;
      else
        high = middle;
    }
  return low < self->n_bindings && self->bindings[low].binding == binding ? low : G_MAXUINT32;
}

static VtrSetLayout *
get_set_layout (VtrStateFacts *self,
                guint32        id)
{
  const VtrObject *object = get_object (self, id, VTR_HANDLE_VkDescriptorSetLayout);
  gpointer layout = NULL;
  VtrCommand command;
  VtrArena arena;

  if (object == NULL)
    return NULL;

  g_rec_mutex_lock (&self->lock);
  if (!g_hash_table_lookup_extended (self->layouts, GUINT_TO_POINTER (id), NULL, &layout))
    {
      vtr_arena_init (&arena);
      if (vtr_history_decode_creation (self->history, object, &arena, &command, NULL) &&
          command.id == VTR_CMD_vkCreateDescriptorSetLayout)
        {
          const VtrArgs_vkCreateDescriptorSetLayout *args = command.args;

          layout = args->pCreateInfo != NULL ? make_layout (self, object, args->pCreateInfo) : NULL;
        }
      vtr_arena_finish (&arena);
      g_hash_table_insert (self->layouts, GUINT_TO_POINTER (id), layout);
    }
  g_rec_mutex_unlock (&self->lock);
  return layout;
}

VtrSetLayout *
vtr_state_facts_find_set_layout (VtrStateFacts *self,
                                 guint64        handle,
                                 guint64        index)
{
  return get_set_layout (
    self, find_id (self, VTR_HANDLE_VkDescriptorSetLayout, handle, index));
}

VtrHistory *
vtr_state_facts_get_history (VtrStateFacts *self)
{
  return self->history;
}

static gpointer
make_template (VtrStateFacts    *self,
               const VtrObject  *object,
               const VtrCommand *command)
{
  const VtrArgs_vkCreateDescriptorUpdateTemplate *args = command->args;
  const VkDescriptorUpdateTemplateCreateInfo *info;
  VtrTemplateFact *fact;

  if (command->id != VTR_CMD_vkCreateDescriptorUpdateTemplate || args->pCreateInfo == NULL)
    return NULL;

  info = args->pCreateInfo;
  fact = vtr_arena_new (&self->arena, VtrTemplateFact);
  if (fact == NULL)
    return NULL;
  fact->bind_point = info->pipelineBindPoint;
  fact->push = info->templateType != VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
  fact->n_entries = info->pDescriptorUpdateEntries != NULL ? info->descriptorUpdateEntryCount : 0;
  fact->entries = vtr_arena_memdup (&self->arena, info->pDescriptorUpdateEntries,
                                    fact->n_entries * sizeof *fact->entries);
  return fact->entries != NULL ? fact : NULL;
}

const VtrTemplateFact *
vtr_state_facts_get_template (VtrStateFacts *self,
                              guint32        id)
{
  return get_fact (self, id, VTR_HANDLE_VkDescriptorUpdateTemplate, make_template);
}

gsize
vtr_descriptor_raw_size (guint32 type)
{
  switch ((int)type)
    {
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
      return sizeof (guint64);
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
      return 0;
    default:
      return sizeof (VkDescriptorImageInfo);
    }
}
