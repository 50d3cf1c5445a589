/* Keeps Vulkan's data in a replay builder: its plan, the patchers of addresses and tokens, the
 * update templates. */
#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"

#include "engine/vulkan/replay-builder/vtr-address-patcher.h"
#include "engine/vulkan/replay-builder/vtr-token-patcher.h"
#include "vulkan/vtr-vulkan-env.h"
#include "vtr-api-args.h"

static bool
env_update_template (void                       *data,
                     VkDescriptorUpdateTemplate  handle,
                     VtrUpdateTemplate          *out)
{
  const VtrVulkanPart *self = vtr_vulkan_part (data);
  guint64 key = (guint64)(gsize)handle;
  GArray *entries = g_hash_table_lookup (self->templates, &key);

  if (entries == NULL)
    return false;
  out->entries = (const VkDescriptorUpdateTemplateEntry *)(gpointer)entries->data;
  out->n_entries = entries->len;
  return true;
}

static const VtrVulkanEnv vulkan_env = { .update_template = env_update_template };

void
vtr_replay_builder_add_template (VtrReplayBuilder                           *self,
                                 guint64                                     handle,
                                 const VkDescriptorUpdateTemplateCreateInfo *info)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (VkDescriptorUpdateTemplateEntry));

  if (info->pDescriptorUpdateEntries != NULL)
    g_array_append_vals (entries, info->pDescriptorUpdateEntries, info->descriptorUpdateEntryCount);
  g_hash_table_replace (vtr_vulkan_part (self)->templates, g_memdup2 (&handle, sizeof handle),
                        entries);
}

/* Without a patcher, addresses are not searched. */
static void
note_patcher (VtrReplayPart *part)
{
  const gboolean patches = ((VtrVulkanPart *)part->data)->patcher != NULL;

  part->wants_places = patches;
  part->change_tree = patches ? vtr_address_patcher_change_tree : NULL;
  part->change_address = patches ? vtr_address_patcher_push : NULL;
}

void
vtr_vulkan_part_set_patcher (VtrReplayBuilder  *builder,
                             VtrAddressPatcher *patcher)
{
  VtrVulkanPart *self = vtr_vulkan_part (builder);

  g_clear_pointer (&self->patcher, vtr_address_patcher_free);
  self->patcher = patcher;
  note_patcher (vtr_replay_builder_get_part (builder, VTR_VULKAN_FIRST_ID));
}

static void
copy_templates (VtrVulkanPart       *self,
                const VtrVulkanPart *base)
{
  GHashTableIter iter;
  gpointer handle, entries;

  g_hash_table_iter_init (&iter, base->templates);
  while (g_hash_table_iter_next (&iter, &handle, &entries))
    g_hash_table_insert (self->templates, g_memdup2 (handle, sizeof (guint64)),
                         g_array_ref (entries));
}

void
vtr_vulkan_part_init (VtrReplayBuilder    *builder,
                      VtrReplayPart       *part,
                      const VtrReplayPart *base_part)
{
  const VtrVulkanPart *base = base_part != NULL ? base_part->data : NULL;
  VtrVulkanPart *self = g_new0 (VtrVulkanPart, 1);

  self->templates = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                           (GDestroyNotify)g_array_unref);
  part->data = self;
  part->env.state = &vulkan_env;
  if (base == NULL)
    return;
  if (base->plan != NULL)
    self->plan = vtr_replay_plan_ref (base->plan);
  if (base->patcher != NULL)
    self->patcher = vtr_address_patcher_fork (base->patcher);
  for (guint i = 0; i < VTR_N_TOKEN_KINDS; i++)
    if (base->tokens[i] != NULL)
      self->tokens[i] = vtr_token_patcher_fork (base->tokens[i]);
  copy_templates (self, base);
  note_patcher (part);
}

void
vtr_vulkan_part_set_plan (VtrReplayBuilder *builder,
                          VtrReplayPart    *part)
{
  VtrVulkanPart *self = part->data;
  VtrReplayPlan *plan = vtr_plan_get (vtr_replay_builder_get_plan (builder), &vtr_api_vulkan);
  const VtrAddressRanges *ranges = plan != NULL ? vtr_replay_plan_get_ranges (plan) : NULL;

  if (plan != NULL)
    vtr_replay_plan_ref (plan);
  g_clear_pointer (&self->plan, vtr_replay_plan_unref);
  self->plan = plan;
  vtr_vulkan_part_set_patcher (builder, ranges != NULL ? vtr_address_patcher_new (ranges) : NULL);
  for (guint i = 0; i < VTR_N_TOKEN_KINDS; i++)
    {
      const VtrTokenPlan *tokens =
        plan != NULL ? vtr_replay_plan_get_tokens (plan, (VtrTokenKind)i) : NULL;

      vtr_token_patcher_free (self->tokens[i]);
      self->tokens[i] = tokens != NULL ? vtr_token_patcher_new (tokens) : NULL;
    }
}

void
vtr_vulkan_part_clear (VtrReplayPart *part)
{
  VtrVulkanPart *self = part->data;

  g_hash_table_unref (self->templates);
  g_clear_pointer (&self->patcher, vtr_address_patcher_free);
  for (guint i = 0; i < VTR_N_TOKEN_KINDS; i++)
    vtr_token_patcher_free (self->tokens[i]);
  g_clear_pointer (&self->plan, vtr_replay_plan_unref);
  g_free (self);
}
