/* Implements VtrStateApi for Vulkan. */
#include "engine/vulkan/state/vtr-vulkan-state.h"
#include "engine/format/vtr-command.h"
#include "engine/vulkan/state/vtr-bound-walker-private.h"
#include "engine/vulkan/state/vtr-state-check.h"
#include "engine/vulkan/state/vtr-state-json.h"
#include "engine/vulkan/state/vtr-state-mutator.h"
#include "engine/vulkan/state/vtr-vulkan-objects.h"
#include "engine/vulkan/state/vtr-vulkan-view.h"

static gpointer
shared_new (VtrStateShared *shared)
{
  VtrVulkanShared *self = g_new0 (VtrVulkanShared, 1);

  self->facts = vtr_state_facts_new (shared->history);
  self->effects = vtr_effect_cache_new (shared);
  g_mutex_init (&self->lock);
  self->uses = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  return self;
}

static void
shared_free (gpointer part)
{
  VtrVulkanShared *self = part;

  vtr_effect_cache_free (self->effects);
  vtr_state_facts_free (self->facts);
  g_hash_table_unref (self->uses);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Negative results are errors; others say how it went. */
static VtrTristate
succeeded (const VtrCommand *command,
           VtrApiState      *state)
{
  return command->has_result && vtr_cmd_get (command->id)->result == VTR_RESULT_STATUS &&
             (gint32)command->result < 0
           ? VTR_NO
           : VTR_YES;
}

const VtrStateApi vtr_vulkan_state = {
  .objects_new = vtr_vulkan_objects_new,
  .objects_free = vtr_vulkan_objects_free,
  .wants_lifetimes = vtr_vulkan_objects_wants,
  .lifetimes = vtr_vulkan_objects_apply,
  .shared_new = shared_new,
  .shared_free = shared_free,
  .record_size = vtr_vulkan_record_size,
  .record_fill = vtr_vulkan_record_fill,
  .record_deepen = vtr_vulkan_record_deepen,
  .record_clear = vtr_vulkan_record_clear,
  .record_measure = vtr_vulkan_record_measure,
  .mutator_new = vtr_vulkan_mutator_new,
  .wants = vtr_vulkan_wants,
  .mutate = vtr_vulkan_mutate,
  .run = vtr_vulkan_run,
  .is_owner = vtr_vulkan_is_owner,
  .view_new = vtr_vulkan_view_new,
  .view_free = vtr_vulkan_view_free,
  .object_json = vtr_state_json_add,
  .facts_json = vtr_vulkan_facts_json,
  .walker_new = vtr_vulkan_walker_new,
  .walker_free = vtr_vulkan_walker_free,
  .bound_json = vtr_vulkan_bound_json,
  .check = vtr_state_check_calls,
  .succeeded = succeeded,
};
