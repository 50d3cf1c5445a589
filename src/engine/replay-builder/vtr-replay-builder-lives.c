/* Follows which objects exist, because a trace may destroy an object twice, or after its pool, and
 * few drivers survive that. The report lists such calls (state/vtr-state-check.c). */
#include "engine/replay-builder/vtr-replay-builder-private.h"

#include <string.h>

/* Returns: the slot of the handle that parameter @i of @id is, the command being built; 0: none, or
 * not known. */
static guint64
find_argument (VtrReplayBuilder *self,
               VtrCmdId          id,
               guint             i,
               const void       *args)
{
  const VtrApiField *field = vtr_cmd_param (id, i);
  guint64 value = 0;

  if (field->kind != VTR_KIND_HANDLE || field->pointers > 0 || field->array != 1)
    return 0;
  memcpy (&value, (const guint8 *)args + field->offset[VTR_ABI_NATIVE],
          MIN (sizeof value, field->size[VTR_ABI_NATIVE]));
  return vtr_handle_is_null (field->type, value)
           ? 0
           : vtr_replay_slots_find (&self->slots,
                                    vtr_replay_builder_identify (self, field->type, value));
}

gboolean
vtr_replay_builder_is_too_late (VtrReplayBuilder *self,
                                const VtrCommand *command)
{
  const VtrApiCommand *api = vtr_cmd_get (command->id);

  for (guint i = 0; i < api->n_params; i++)
    {
      guint64 slot = find_argument (self, command->id, i, command->args);

      if (slot != 0 && vtr_replay_slots_is_dead (&self->slots, slot))
        return TRUE;
    }
  return FALSE;
}

gboolean
vtr_replay_builder_end (VtrReplayBuilder *self,
                        guint64           slot)
{
  gboolean dead = vtr_replay_slots_is_dead (&self->slots, slot);

  if (!dead)
    vtr_replay_slots_end (&self->slots, slot);
  return !dead;
}

void
vtr_replay_builder_note_ends (VtrReplayBuilder *self,
                              const VtrCommand *command)
{
  const VtrApiCommand *api = vtr_cmd_get (command->id);
  const guint64 slot = find_argument (self, command->id, api->destroy.param, command->args);

  if (slot != 0)
    vtr_replay_builder_end (self, slot);
}

guint64
vtr_replay_builder_find_pool (VtrReplayBuilder *self,
                              VtrCmdId          id)
{
  const VtrApiLifetime *create = &vtr_cmd_get (id)->create;
  const VtrFlatHandle *handles = (const VtrFlatHandle *)(const void *)self->flat.handles.data;
  VtrHandleId type;

  if (!vtr_cmd_is (id, VTR_CLASS_CREATE) || create->pool == 0)
    return 0;
  type = vtr_handle_get (create->handle)->parent;
  for (gsize i = 0; i < self->flat.n_handles; i++)
    if (!handles[i].out && handles[i].type == type && handles[i].value != 0)
      return vtr_replay_slots_find (&self->slots,
                                    vtr_replay_builder_identify (self, type, handles[i].value));
  return 0;
}

guint64
vtr_replay_builder_use (VtrReplayBuilder *self,
                        VtrIdentity       identity)
{
  const VtrBuildApi *build = vtr_replay_builder_get_part (self, identity.kind)->build;
  guint64 slot = vtr_replay_slots_find (&self->slots, identity);

  if (slot != 0 && !vtr_replay_slots_is_dead (&self->slots, slot))
    return slot;
  slot = vtr_replay_slots_ensure (&self->slots, identity);
  if (slot == 0)
    {
      self->full = TRUE;
      return 0;
    }
  vtr_replay_slots_begin (&self->slots, slot, 0);
  if (build != NULL && build->reserve != NULL && build->reserve (self, &identity, slot))
    return slot;
  vtr_asm_push (&self->code, VTR_VM_UINT64, identity.name);
  vtr_asm_store (&self->code, slot);
  return slot;
}
