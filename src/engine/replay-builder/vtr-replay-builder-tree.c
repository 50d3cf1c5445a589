/* Writes the tree of a command's arguments into the machine's scratch memory. */
#include "vtr-config.h"

#include "engine/replay-builder/vtr-replay-builder-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Most bytes in one INLINE_RESOURCE; a multiple of 8. */
#define INLINE_BYTES 0x80000
#define INLINE_PATCHES 63

static int
compare_u32 (gconstpointer a,
             gconstpointer b)
{
  guint32 x = *(const guint32 *)a;
  guint32 y = *(const guint32 *)b;

  return (x > y) - (x < y);
}

/* Puts blob bytes [from, to) into scratch with the patches collected for them. */
static void
write_inline (VtrReplayBuilder         *self,
              const VtrReplayPlacement *placement,
              guint32                   from,
              guint32                   to)
{
  const guint32 *patches = (const guint32 *)(gpointer)self->patches->data;
  guint n_patches = self->patches->len / 2;

  while (to - from > INLINE_BYTES)
    {
      vtr_asm_inline (&self->code, vtr_replay_placed (placement, from), self->flat.blob.data + from,
                      INLINE_BYTES, NULL, 0, NULL, 0);
      from += INLINE_BYTES;
    }
  vtr_asm_inline (&self->code, vtr_replay_placed (placement, from), self->flat.blob.data + from,
                  to - from,
                  patches, MIN (n_patches, INLINE_PATCHES),
                  (const guint32 *)(gpointer)self->copies->data, self->copies->len / 2);
  for (guint done = INLINE_PATCHES; done < n_patches; done += INLINE_PATCHES)
    vtr_asm_inline (&self->code, vtr_replay_placed (placement, from), NULL, 0, patches + 2 * done,
                    MIN (n_patches - done, INLINE_PATCHES), NULL, 0);
  for (guint i = 0; i < self->narrow->len; i += 2)
    {
      vtr_asm_load (&self->code, VTR_VM_UINT32, g_array_index (self->narrow, guint32, i + 1));
      vtr_asm_store (&self->code, g_array_index (self->narrow, guint32, i));
    }
}

static void
write_resource (VtrReplayBuilder         *self,
                const VtrReplayPlacement *placement,
                guint32                   from,
                guint32                   to)
{
  guint64 index = self->command != NULL && self->command->found != 0 ? self->command->found - 1
                                                                     : VTR_COMMAND_NO_INDEX;
  guint32 number = vtr_replay_builder_add_resource (self, self->flat.blob.data + from, to - from,
                                                    index,
                                                    self->n_large++, FALSE);

  vtr_asm_push (&self->code, VTR_VM_VOLATILE, vtr_replay_placed (placement, from));
  vtr_asm_x (&self->code, VTR_OP_RESOURCE, number);
}

/* The blob from its second piece on is cut at the starts of large pieces that nothing is patched
 * into: those become resources. Sorts the starts of all pieces into self->targets. */
static void
find_targets (VtrReplayBuilder *self,
              guint32           first)
{
  const VtrFlatPointer *pointers = (const VtrFlatPointer *)(const void *)self->flat.pointers.data;

  g_array_set_size (self->targets, 0);
  for (gsize i = 0; i < self->flat.n_pointers; i++)
    if (pointers[i].to >= first)
      g_array_append_val (self->targets, pointers[i].to);
  g_array_sort (self->targets, compare_u32);
}

/* Whether [from, to) is output memory only: the driver reads nothing of it. */
static gboolean
is_blank (VtrReplayBuilder *self,
          guint32           from,
          guint32           to)
{
  const guint8 *bytes = self->flat.blob.data + from;
  gsize n = to - from;

  return n > 0 && bytes[0] == 0 && memcmp (bytes, bytes + 1, n - 1) == 0;
}

static gboolean
in_output (VtrReplayBuilder *self,
           guint32           offset)
{
  const VtrFlatRange *outputs = (const VtrFlatRange *)(const void *)self->flat.outputs.data;

  for (gsize i = 0; i < self->flat.n_outputs; i++)
    if (offset >= outputs[i].at && offset - outputs[i].at < outputs[i].size)
      return TRUE;
  return FALSE;
}

static void
collect_handle (VtrReplayBuilder         *self,
                const VtrReplayPlacement *placement,
                const VtrFlatHandle      *handle)
{
  GArray *copies = handle->size == sizeof (guint32) ? self->narrow : self->copies;
  guint64 slot;

  if (handle->out)
    return;
  slot = vtr_replay_slots_find (&self->slots,
                                vtr_replay_builder_identify (self, handle->type, handle->value));
  if (slot != 0 && (handle->type == self->ending || self->ends_any) &&
      !vtr_replay_builder_end (self, slot))
    slot = 0;
  if (slot != 0)
    vtr_replay_add_pair (copies, vtr_replay_placed (placement, handle->at), (guint32)slot);
  else
    {
      memset (self->flat.blob.data + handle->at, 0, handle->size);
      self->stats.n_unknown += handle->value != 0;
    }
}

/* Of [from, to): the pointers into self->patches, the handles into self->copies. */
static void
collect_patches (VtrReplayBuilder         *self,
                 const VtrReplayPlacement *placement,
                 guint32                   from,
                 guint32                   to)
{
  const VtrFlatPointer *pointers = (const VtrFlatPointer *)(const void *)self->flat.pointers.data;
  const VtrFlatHandle *handles = (const VtrFlatHandle *)(const void *)self->flat.handles.data;

  if (self->patches->len > 0)
    g_array_set_size (self->patches, 0);
  if (self->copies->len > 0)
    g_array_set_size (self->copies, 0);
  if (self->narrow->len > 0)
    g_array_set_size (self->narrow, 0);
  for (gsize i = 0; i < self->flat.n_pointers; i++)
    if (pointers[i].at >= from && pointers[i].at < to)
      vtr_replay_add_pair (self->patches, vtr_replay_placed (placement, pointers[i].at),
                           vtr_replay_placed (placement, pointers[i].to));
  for (gsize i = 0; i < self->flat.n_handles; i++)
    if (handles[i].at >= from && handles[i].at < to)
      collect_handle (self, placement, &handles[i]);
}

/* Writes [from, to) inline, with its patches. */
static void
write_span (VtrReplayBuilder         *self,
            const VtrReplayPlacement *placement,
            guint32                   from,
            guint32                   to)
{
  if (from >= to)
    return;
  collect_patches (self, placement, from, to);
  write_inline (self, placement, from, to);
}

static gboolean
has_patches (VtrReplayBuilder *self,
             guint32           from,
             guint32           to)
{
  const VtrFlatPointer *pointers = (const VtrFlatPointer *)(const void *)self->flat.pointers.data;
  const VtrFlatHandle *handles = (const VtrFlatHandle *)(const void *)self->flat.handles.data;

  for (gsize i = 0; i < self->flat.n_pointers; i++)
    if (pointers[i].at >= from && pointers[i].at < to)
      return TRUE;
  for (gsize i = 0; i < self->flat.n_handles; i++)
    if (handles[i].at >= from && handles[i].at < to)
      return TRUE;
  return FALSE;
}

void
vtr_replay_builder_write_tree (VtrReplayBuilder         *self,
                               const VtrReplayPlacement *placement)
{
  guint32 end = (guint32)self->flat.blob.size;
  guint32 pending = placement->first; /* start of what is not written yet */
  const guint32 *targets;

  if (end - placement->first < VTR_REPLAY_RESOURCE_FROM)
    {
      write_span (self, placement, placement->first, end);
      return;
    }

  find_targets (self, placement->first);
  targets = (const guint32 *)(gpointer)self->targets->data;
  for (guint i = 0; i < self->targets->len; i++)
    {
      guint32 from = targets[i];
      guint32 to = i + 1 < self->targets->len ? targets[i + 1] : end;

      if (to - from < VTR_REPLAY_RESOURCE_FROM || has_patches (self, from, to))
        continue;
      write_span (self, placement, pending, from);
      if (!in_output (self, from) || !is_blank (self, from, to))
        write_resource (self, placement, from, to);
      pending = to;
    }
  write_span (self, placement, pending, end);
}

/* Whether the command makes the objects of @type that it names, not only their names. */
static gboolean
makes_object (VtrCmdId    id,
              VtrHandleId type)
{
  const VtrApiLifetime *create = &vtr_cmd_get (id)->create;

  return vtr_cmd_is (id, VTR_CLASS_CREATE) && create->handle == type &&
         create->how != VTR_HOW_RESERVED;
}

void
vtr_replay_builder_store_outputs (VtrReplayBuilder         *self,
                                  VtrCmdId                  id,
                                  const VtrReplayPlacement *placement)
{
  const VtrFlatHandle *handles = (const VtrFlatHandle *)(const void *)self->flat.handles.data;

  for (gsize i = 0; i < self->flat.n_handles; i++)
    {
      const VtrVmType width =
        handles[i].size == sizeof (guint32) ? VTR_VM_UINT32 : VTR_VM_UINT64;
      guint64 slot;

      if (!handles[i].out || handles[i].at < placement->first ||
          vtr_handle_is_null (handles[i].type, handles[i].value))
        continue;
      slot = vtr_replay_slots_ensure (&self->slots,
                                      vtr_replay_builder_identify (self, handles[i].type,
                                                                   handles[i].value));
      if (slot == 0)
        {
          self->full = TRUE;
          return;
        }
      vtr_asm_load (&self->code, width, vtr_replay_placed (placement, handles[i].at));
      vtr_asm_store (&self->code, slot);
      if (makes_object (id, handles[i].type))
        vtr_replay_slots_begin (&self->slots, slot, vtr_replay_builder_find_pool (self, id));
    }
}

gboolean
vtr_replay_builder_flatten (VtrReplayBuilder  *self,
                            VtrCmdId           id,
                            const void        *args,
                            GError           **error)
{
  const VtrReplayPart *part = vtr_replay_builder_get_part (self, id);
  VtrStatus status;

  vtr_flat_clear (&self->flat);
  self->flat.wants_places = part->wants_places && vtr_cmd_is (id, VTR_CLASS_PLACES);
  status = vtr_api_flatten (id, args, &part->env, &self->flat);
  if (status == VTR_OK)
    return TRUE;
  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
               _ ("The arguments of %s cannot be laid out for the replay: %s"), vtr_cmd_name (id),
               vtr_status_to_string (status));
  return FALSE;
}

GBytes *
vtr_replay_builder_find_piece (VtrReplayBuilder    *self,
                               const VtrApiCommand *command,
                               guint32              nth)
{
  guint32 first = (command->args_size + 7u) & ~7u;
  guint32 end = (guint32)self->flat.blob.size;
  const guint32 *targets;

  find_targets (self, first);
  targets = (const guint32 *)(gpointer)self->targets->data;
  for (guint i = 0; i < self->targets->len; i++)
    {
      guint32 from = targets[i];
      guint32 to = i + 1 < self->targets->len ? targets[i + 1] : end;

      if (to - from < VTR_REPLAY_RESOURCE_FROM || has_patches (self, from, to) ||
          (in_output (self, from) && is_blank (self, from, to)))
        continue;
      if (nth-- == 0)
        return g_bytes_new (self->flat.blob.data + from, to - from);
    }
  return NULL;
}
