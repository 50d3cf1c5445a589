/* Keeps Vulkan's data for all states of a trace, and the render pass instance that a state is
 * in. */
#include "engine/vulkan/state/vtr-vulkan-shared.h"

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
