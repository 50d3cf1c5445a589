/* What Vulkan keeps for all states of a trace, and the render pass instance that a state is in. */
#include "engine/vulkan/state/vtr-vulkan-shared.h"
#include "engine/vulkan/state/vtr-state-effects.h"

gpointer
vtr_vulkan_shared_new (VtrStateShared *shared)
{
  VtrVulkanShared *self = g_new0 (VtrVulkanShared, 1);

  self->facts = vtr_state_facts_new (shared->history);
  self->effects = vtr_effect_cache_new (shared);
  g_mutex_init (&self->lock);
  self->uses = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  return self;
}

void
vtr_vulkan_shared_free (gpointer part)
{
  VtrVulkanShared *self = part;

  vtr_effect_cache_free (self->effects);
  vtr_state_facts_free (self->facts);
  g_hash_table_unref (self->uses);
  g_mutex_clear (&self->lock);
  g_free (self);
}

VtrStatePass *
vtr_state_pass_ref (VtrStatePass *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_state_pass_unref (VtrStatePass *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_free (self->images);
  g_free (self->layouts);
  g_free (self);
}

const VtrStatePassAt *
vtr_state_pass_peek (VtrApiState *state)
{
  static const VtrStatePassAt none = { .pass = NULL };
  gconstpointer record = vtr_api_state_peek_own (state, VTR_VULKAN_FIRST_ID);

  return record != NULL ? record : &none;
}

void
vtr_state_pass_set (VtrApiState  *state,
                    VtrStatePass *pass,
                    guint32       subpass,
                    gboolean      suspended)
{
  const VtrStatePassAt *now = vtr_state_pass_peek (state);
  VtrStatePassAt *at;
  VtrStatePass *old;

  if (now->pass == pass && now->subpass == subpass && now->suspended == suspended)
    return;
  at = vtr_api_state_edit_own (state, VTR_VULKAN_FIRST_ID);
  old = at->pass;
  at->pass = pass != NULL ? vtr_state_pass_ref (pass) : NULL;
  at->subpass = subpass;
  at->suspended = suspended;
  g_clear_pointer (&old, vtr_state_pass_unref);
}
