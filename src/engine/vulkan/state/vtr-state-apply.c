/* Applies a recorded command to the state when it runs, and reports its errors. */
#include "engine/vulkan/state/vtr-state-mutator.h"

#include "api/vtr-api-args.h"

#include <glib/gi18n.h>

/* Effects that weigh as much as one decoded command. */
#define EFFECTS_PER_WORK 8

/* --- Checks --- */

/* The layout that @layout is for one aspect: those for depth and stencil together are one for each,
   and those of synchronization2 stand for older names. */
static guint32
get_layout_of (guint32               layout,
               VkImageAspectFlagBits aspect)
{
  gboolean stencil = aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
  gboolean color = !stencil && aspect != VK_IMAGE_ASPECT_DEPTH_BIT;
  guint32 attachment = color     ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
                       : stencil ? VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL
                                 : VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  guint32 read_only = color     ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
                      : stencil ? VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL
                                : VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL;

  switch ((int)layout)
    {
    case VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL:
      return attachment;
    case VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL:
      return read_only;
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL:
      return stencil ? attachment : read_only;
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL:
      return stencil ? read_only : attachment;
    default:
      return layout;
    }
}

static gboolean
layouts_agree (guint32               is,
               guint32               wanted,
               VkImageAspectFlagBits aspect)
{
  return is == wanted || get_layout_of (is, aspect) == get_layout_of (wanted, aspect);
}

static void
check_layout (VtrMutator      *self,
              const VtrEffect *effect,
              guint64          index)
{
  const VtrImageFact *fact =
    vtr_state_facts_get_image (vtr_vulkan_facts (self->shared), effect->object);
  const VkImageSubresourceRange *range = &effect->image.range;
  const VtrStateImage *image =
    (const VtrStateImage *)(gconstpointer)vtr_api_state_peek (self->state, effect->object);
  /* Then one subresource speaks for all. */
  gboolean uniform = image == NULL || image->uniform;
  VkImageAspectFlags aspects = range->aspectMask;
  g_autofree char *name = NULL;

  if (self->messages == NULL || fact == NULL)
    return;
  if ((aspects & VK_IMAGE_ASPECT_COLOR_BIT) != 0 &&
      (fact->aspects & VK_IMAGE_ASPECT_COLOR_BIT) == 0 &&
      (fact->aspects & VK_IMAGE_ASPECT_PLANE_0_BIT) != 0)
    aspects = fact->aspects;
  name = vtr_mutator_describe (self, effect->object);
  if ((aspects & ~fact->aspects & ~(guint32)VK_IMAGE_ASPECT_METADATA_BIT) != 0)
    vtr_mutator_say (self, VTR_STATE_ERROR, index, "image-aspect",
                     _ ("%s has no such aspect."), name);
  if (!effect->image.fits)
    vtr_mutator_say (self, VTR_STATE_ERROR, index, "image-range",
                     _ ("The mip levels or array layers reach beyond %s."), name);
  if (effect->image.old_layout == VK_IMAGE_LAYOUT_UNDEFINED)
    return;
  for (guint32 bits = fact->aspects & aspects; bits != 0; bits &= bits - 1)
    for (guint32 layer = 0; layer < (uniform ? MIN (range->layerCount, 1) : range->layerCount);
         layer++)
      for (guint32 mip = 0; mip < (uniform ? MIN (range->levelCount, 1) : range->levelCount); mip++)
        {
          VkImageLayout is = vtr_api_state_get_layout (
            self->state, effect->object, bits & -bits, range->baseMipLevel + mip,
            range->baseArrayLayer + layer);
          g_autofree char *wanted = NULL;
          const char *text;

          if (layouts_agree (is, effect->image.old_layout, bits & -bits))
            continue;
          text = vtr_enum_value_name (VTR_ENUM_VkImageLayout, is);
          wanted = g_strdup (
            vtr_enum_value_name (VTR_ENUM_VkImageLayout, (gint64)effect->image.old_layout));
          vtr_mutator_say (self, VTR_STATE_ERROR, index, "image-layout",
                           _ ("%s, mip level %u, layer %u, is in layout %s, not in %s."), name,
                           range->baseMipLevel + mip, range->baseArrayLayer + layer,
                           text != NULL ? text : "?", wanted != NULL ? wanted : "?");
          return;
        }
}

static void
check_bound (VtrMutator *self,
             guint32     id,
             guint64     index)
{
  const VtrImageFact *fact = vtr_state_facts_get_image (vtr_vulkan_facts (self->shared), id);
  const VtrStateImage *image =
    (const VtrStateImage *)(gconstpointer)vtr_api_state_peek (self->state, id);
  g_autofree char *name = NULL;

  if (self->messages == NULL || fact == NULL || fact->info.swapchain || fact->sparse ||
      fact->external || fact->disjoint || (image != NULL && image->bound[0].command != 0))
    return;
  name = vtr_mutator_describe (self, id);
  vtr_mutator_say (self, VTR_STATE_ERROR, index, "memory-unbound", _ ("%s has no memory bound."),
                   name);
}

/* --- Images --- */

static void
apply_image (VtrMutator      *self,
             const VtrEffect *effect,
             guint64          index)
{
  const VtrImageFact *fact =
    vtr_state_facts_get_image (vtr_vulkan_facts (self->shared), effect->object);
  gboolean hands_over = effect->image.source != effect->image.destination &&
                        effect->image.source != VK_QUEUE_FAMILY_IGNORED;
  VtrStateImage *image;

  if (fact == NULL)
    return;
  /* The acquire half of a transfer names the same layouts again. */
  if (!(hands_over && effect->image.destination == vtr_mutator_vulkan (self)->queue_family))
    check_layout (self, effect, index);
  check_bound (self, effect->object, index);
  if (effect->kind == VTR_EFFECT_USE)
    return;
  image = vtr_mutator_edit_id (self, effect->object);
  if (image != NULL && image->subresources != NULL)
    vtr_state_image_set (image, fact->aspects, &effect->image.range, effect->image.new_layout,
                         hands_over ? effect->image.destination : VK_QUEUE_FAMILY_IGNORED,
                         (guint32)index);
}

static void
set_attachment (VtrMutator         *self,
                const VtrPassImage *of,
                guint32             layout,
                guint32             stencil_layout,
                guint64             index)
{
  const VtrImageFact *fact = vtr_state_facts_get_image (vtr_vulkan_facts (self->shared), of->image);
  VkImageSubresourceRange range = of->range;
  VtrStateImage *image;

  if (fact == NULL || layout == VTR_LAYOUT_UNUSED)
    return;
  image = vtr_mutator_edit_id (self, of->image);
  if (image == NULL || image->subresources == NULL)
    return;
  if (layout != stencil_layout && (fact->aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0)
    {
      range.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
      vtr_state_image_set (image, fact->aspects, &range, stencil_layout, VK_QUEUE_FAMILY_IGNORED,
                           (guint32)index);
      range.aspectMask = of->range.aspectMask & ~(guint32)VK_IMAGE_ASPECT_STENCIL_BIT;
    }
  vtr_state_image_set (image, fact->aspects, &range, layout, VK_QUEUE_FAMILY_IGNORED,
                       (guint32)index);
}

static void
check_attachment (VtrMutator         *self,
                  const VtrPassImage *of,
                  guint32             layout,
                  guint64             index)
{
  VtrEffect effect = { .object = of->image };

  if (self->messages == NULL || of->image == 0)
    return;
  effect.image.range = of->range;
  effect.image.old_layout = layout;
  effect.image.fits = TRUE;
  check_layout (self, &effect, index);
  check_bound (self, of->image, index);
}

/* Puts the attachments into what subpass @nth has them in. */
static void
enter_subpass (VtrMutator *self,
               guint32     nth,
               guint64     index)
{
  const VtrStatePass *pass = vtr_state_pass_peek (self->state)->pass;
  const VtrRenderPassFact *fact = pass != NULL ? pass->fact : NULL;

  if (fact == NULL || nth >= fact->n_subpasses)
    return;
  for (guint32 i = 0; i < MIN (pass->n_images, fact->n_attachments); i++)
    {
      const VtrSubpassUse *use = &fact->uses[(gsize)nth * fact->n_attachments + i];

      set_attachment (self, &pass->images[i], use->layout, use->stencil_layout, index);
    }
}

static void
begin_pass (VtrMutator   *self,
            VtrStatePass *pass,
            guint64       index)
{
  gboolean resumes = pass->resuming && vtr_state_pass_peek (self->state)->suspended;

  vtr_state_pass_set (self->state, pass, 0, FALSE);
  if (pass->dynamic)
    {
      for (guint32 i = 0; i < pass->n_images && !resumes; i++)
        check_attachment (self, &pass->images[i], pass->layouts[i], index);
      return;
    }
  if (pass->fact == NULL)
    return;
  for (guint32 i = 0; i < MIN (pass->n_images, pass->fact->n_attachments); i++)
    {
      const VtrPassAttachment *attachment = &pass->fact->attachments[i];

      if (attachment->initial == attachment->stencil_initial)
        check_attachment (self, &pass->images[i], attachment->initial, index);
      if (attachment->initial != VK_IMAGE_LAYOUT_UNDEFINED)
        set_attachment (self, &pass->images[i], attachment->initial, attachment->stencil_initial,
                        index);
    }
  enter_subpass (self, 0, index);
}

static void
next_subpass (VtrMutator *self,
              guint64     index)
{
  const VtrStatePassAt *at = vtr_state_pass_peek (self->state);
  guint32 next = at->subpass + 1;

  vtr_state_pass_set (self->state, at->pass, next, at->suspended);
  enter_subpass (self, next, index);
}

static void
end_pass (VtrMutator *self,
          guint64     index)
{
  const VtrStatePassAt *at = vtr_state_pass_peek (self->state);
  VtrStatePass *pass = at->pass;

  if (pass == NULL)
    return;
  if (pass->dynamic && pass->suspending)
    {
      vtr_state_pass_set (self->state, pass, at->subpass, TRUE);
      return;
    }
  for (guint32 i = 0;
       pass->fact != NULL && i < MIN (pass->n_images, pass->fact->n_attachments); i++)
    set_attachment (self, &pass->images[i], pass->fact->attachments[i].final,
                    pass->fact->attachments[i].stencil_final, index);
  vtr_state_pass_set (self->state, NULL, 0, vtr_state_pass_peek (self->state)->suspended);
}

/* --- Queries --- */

static void
check_query (VtrMutator      *self,
             const VtrEffect *effect,
             guint32          status,
             guint32          nth,
             guint64          index)
{
  g_autofree char *name = NULL;

  if (self->messages == NULL)
    return;
  name = vtr_mutator_describe (self, effect->object);
  if (effect->kind == VTR_EFFECT_QUERY_BEGIN && status == VTR_QUERY_ACTIVE)
    vtr_mutator_say (self, VTR_STATE_ERROR, index, "query",
                     _ ("Query %u of %s is active already."), nth, name);
  else if (effect->kind == VTR_EFFECT_QUERY_END && status != VTR_QUERY_ACTIVE)
    vtr_mutator_say (self, VTR_STATE_ERROR, index, "query", _ ("Query %u of %s is not active."),
                     nth, name);
  else if (effect->kind != VTR_EFFECT_QUERY_RESET && status == VTR_QUERY_UNKNOWN)
    vtr_mutator_say (self, VTR_STATE_ERROR, index, "query",
                     _ ("Query %u of %s was never reset."), nth, name);
  else if ((effect->kind == VTR_EFFECT_QUERY_BEGIN || effect->kind == VTR_EFFECT_QUERY_WRITE) &&
           status != VTR_QUERY_RESET)
    vtr_mutator_say (self, VTR_STATE_ERROR, index, "query",
                     _ ("Query %u of %s was not reset since it was last used."), nth, name);
}

static void
apply_query (VtrMutator      *self,
             const VtrEffect *effect,
             guint64          index)
{
  static const guint32 outcomes[] = {
    [VTR_EFFECT_QUERY_RESET] = VTR_QUERY_RESET,
    [VTR_EFFECT_QUERY_BEGIN] = VTR_QUERY_ACTIVE,
    [VTR_EFFECT_QUERY_END] = VTR_QUERY_ENDED,
    [VTR_EFFECT_QUERY_WRITE] = VTR_QUERY_WRITTEN,
  };
  const VtrStateQueryPool *known;
  VtrStateQueryPool *pool = NULL;
  guint64 end;

  if (effect->object == 0)
    return;
  known = (const VtrStateQueryPool *)(gconstpointer)vtr_api_state_peek (self->state,
                                                                        effect->object);
  if (effect->kind != VTR_EFFECT_QUERY_COPY || known == NULL)
    known = pool = vtr_mutator_edit_id (self, effect->object);
  if (known == NULL)
    return;
  end = (guint64)effect->query.first + effect->query.count;
  if (end > known->n)
    vtr_mutator_say (self, VTR_STATE_ERROR, index, "query",
                     _ ("Queries %u to %u are not all in the pool, which has %u."),
                     effect->query.first, (guint32)(end - 1), known->n);
  for (guint64 i = effect->query.first; i < MIN (end, known->n); i++)
    {
      check_query (self, effect, known->queries[i].status, (guint32)i, index);
      if (pool != NULL && effect->kind != VTR_EFFECT_QUERY_COPY)
        pool->queries[i] = (VtrStateQuery){ outcomes[effect->kind], (guint32)index };
    }
}

/* --- Effects --- */

static void
apply_owner (VtrMutator      *self,
             const VtrEffect *effect)
{
  VtrStateBuffer *buffer = vtr_mutator_edit_id (self, effect->object);

  if (buffer != NULL && effect->owner.destination != VK_QUEUE_FAMILY_IGNORED)
    buffer->family = effect->owner.destination;
}

static void
apply_event (VtrMutator      *self,
             const VtrEffect *effect)
{
  VtrStateEvent *event = vtr_mutator_edit_id (self, effect->object);

  if (event == NULL)
    return;
  event->set = effect->set;
  event->by_host = FALSE;
  event->stages = effect->stages;
}

void
vtr_mutator_apply_effect (VtrMutator      *self,
                          const VtrEffect *effect,
                          guint64          index)
{
  guint64 submit = self->command.index;

  /* Records name the recorded command, not its submission. */
  self->command.index = index;
  switch ((VtrEffectKind)effect->kind)
    {
    case VTR_EFFECT_LAYOUT:
    case VTR_EFFECT_USE:
      apply_image (self, effect, index);
      break;
    case VTR_EFFECT_OWNER:
      apply_owner (self, effect);
      break;
    case VTR_EFFECT_PASS_BEGIN:
      begin_pass (self, effect->pass, index);
      break;
    case VTR_EFFECT_PASS_NEXT:
      next_subpass (self, index);
      break;
    case VTR_EFFECT_PASS_END:
      end_pass (self, index);
      break;
    case VTR_EFFECT_EVENT:
      apply_event (self, effect);
      break;
    case VTR_EFFECT_QUERY_RESET:
    case VTR_EFFECT_QUERY_BEGIN:
    case VTR_EFFECT_QUERY_END:
    case VTR_EFFECT_QUERY_WRITE:
    case VTR_EFFECT_QUERY_COPY:
      apply_query (self, effect, index);
      break;
    case VTR_EFFECT_BUILD:
      {
        VtrStateBuilt *built = vtr_mutator_edit_id (self, effect->object);

        if (built != NULL)
          built->built_by = (guint32)index;
        break;
      }
    case VTR_EFFECT_EXECUTE:
      break;
    }
  self->command.index = submit;
  if (++vtr_mutator_vulkan (self)->effects_done % EFFECTS_PER_WORK == 0)
    self->work++;
}
