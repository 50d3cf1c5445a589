/* Implements the machine functions that every API has: snapshots and marks, the clock, reads and
 * writes. */
#include "vtr-replay-service-private.h"

#include "vtr-vm-signature.h"

#include "api/vtr-api-model.h"

#include <string.h>

#define N_COMMON (VTR_REPLAY_LAST_COMMON - VTR_REPLAY_FIRST_COMMON)

/* Returns: @size > 0 bytes at @address to read, or NULL after vtr_vm_fail (). */
static const void *
get_bytes (VtrReplayService *self,
           uint64_t          address,
           uint64_t          size,
           const char       *what)
{
  const void *bytes =
    vtr_vm_memory_resolve (&self->vm.memory, VTR_VM_ABSOLUTE, address, size, VTR_VM_READ);

  if (bytes == NULL)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_PAYLOAD, "%s outside the machine's memory.", what);
  return bytes;
}

/* Posts @size bytes as they are. */
static void
post (VtrReplayService *self,
      uint64_t          id,
      const void       *bytes,
      size_t            size)
{
  vtr_replay_service_post (self, id, bytes, size);
}

/* --- Kept states ----------------------------------------------------------------------------- */

void
vtr_replay_service_drop (VtrReplayService *self)
{
  for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
    if (vtr_replayer_apis[api]->drop != NULL)
      vtr_replayer_apis[api]->drop (self->apis[api]);
  vtr_kept_slots_drop (&self->kept);
  vtr_kept_slots_drop (&self->inner);
}

bool
vtr_replay_service_rewind (VtrReplayService *self)
{
  const bool inner = self->inner.bytes != NULL;
  bool fine = self->kept.bytes != NULL;

  for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
    fine = fine && vtr_replayer_apis[api]->rewind (self->apis[api], inner);
  if (fine)
    vtr_kept_slots_restore (inner ? &self->inner : &self->kept);
  return fine;
}

bool
vtr_replay_service_resume (VtrReplayService *self,
                           uint32_t          flags)
{
  if ((flags & VTR_REPLAY_INNER) != 0)
    return self->inner.bytes != NULL;
  if (self->inner.bytes == NULL)
    return self->kept.bytes != NULL;
  vtr_kept_slots_drop (&self->inner);
  return vtr_replay_service_rewind (self);
}

bool
vtr_replay_service_rename_kept (void     *data,
                                bool      inner,
                                uint64_t  from,
                                uint64_t  to)
{
  VtrReplayService *self = data;

  return vtr_kept_slots_rename (inner ? &self->inner : &self->kept, from, to);
}

static uint64_t
save (void           *data,
      const uint64_t *args)
{
  VtrReplayService *self = data;
  const void *slots = get_bytes (self, args[0], args[1], "The slots lie");
  bool fine;

  vtr_replay_service_drop (self);
  if (slots == NULL)
    return 0;
  fine = vtr_kept_slots_keep (&self->kept, slots, args[1]);
  for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
    fine = fine && vtr_replayer_apis[api]->save != NULL &&
           vtr_replayer_apis[api]->save (self->apis[api]);
  if (!fine)
    vtr_replay_service_drop (self);
  return 0;
}

static void
refuse (VtrReplayService *self)
{
  vtr_vm_fail (&self->vm, VTR_VM_ERROR_UNSUPPORTED, "The state cannot be kept here.");
}

static uint64_t
mark (void           *data,
      const uint64_t *args)
{
  VtrReplayService *self = data;
  const void *slots = get_bytes (self, args[1], args[2], "The slots lie");
  VtrReplayerMark taken = { 0 };
  uint64_t numbers[2];
  bool fine = true;

  if (slots == NULL)
    return 0;
  if (self->kept.bytes == NULL || (args[0] != 0 && self->inner.bytes == NULL) ||
      (args[0] == 0 && !vtr_kept_slots_keep (&self->inner, slots, args[2])))
    {
      refuse (self);
      return 0;
    }
  for (unsigned api = 1; fine && api < VTR_VM_N_APIS; api++)
    fine = vtr_replayer_apis[api]->mark (self->apis[api], args[0], &taken);
  if (!fine)
    {
      if (args[0] == 0)
        vtr_kept_slots_drop (&self->inner);
      return 0;
    }
  numbers[0] = taken.bytes;
  numbers[1] = taken.microseconds;
  post (self, args[3], numbers, sizeof numbers);
  return 0;
}

static uint64_t
go_to_mark (void           *data,
            const uint64_t *args)
{
  VtrReplayService *self = data;

  if (self->inner.bytes == NULL)
    refuse (self);
  else
    for (unsigned api = 1; api < VTR_VM_N_APIS; api++)
      if (!vtr_replayer_apis[api]->go_to_mark (self->apis[api], args[0]))
        break;
  return 0;
}

static uint64_t
forget_mark (void           *data,
             const uint64_t *args)
{
  VtrReplayService *self = data;

  for (unsigned api = 1; self->inner.bytes != NULL && api < VTR_VM_N_APIS; api++)
    vtr_replayer_apis[api]->forget_mark (self->apis[api], args[0]);
  return 0;
}

/* --- Waiting --------------------------------------------------------------------------------- */

static uint64_t
settle (void           *data,
        const uint64_t *args)
{
  VtrReplayService *self = data;

  (void)args;
  for (unsigned api = 1; api < VTR_VM_N_APIS && self->vm.error.code == VTR_VM_FINE; api++)
    if (vtr_replayer_apis[api]->settle != NULL)
      vtr_replayer_apis[api]->settle (self->apis[api]);
  return 0;
}

static uint64_t
read_clock (void           *data,
            const uint64_t *args)
{
  VtrReplayService *self = data;
  uint64_t now;

  settle (data, NULL);
  if (self->vm.error.code != VTR_VM_FINE)
    return 0;
  now = vtr_replay_service_clock (self);
  post (self, args[0], &now, sizeof now);
  return 0;
}

/* --- Reading and writing --------------------------------------------------------------------- */

/* Number of the API that a kind of object belongs to, which has the member at @offset of its table.
 * Returns: 0 after vtr_vm_fail (). */
static unsigned
find_api (VtrReplayService *self,
          uint32_t          kind,
          size_t            offset)
{
  const uint32_t page = kind >> VTR_API_PAGE_BITS;
  const VtrApiModel *model = page < VTR_API_N_PAGES ? vtr_api_pages[page] : NULL;
  const unsigned api = model != NULL ? (unsigned)(model - vtr_api_models) + 1 : 0;
  void (*member) (void);

  if (api == 0 || api >= VTR_VM_N_APIS)
    {
      vtr_vm_fail (&self->vm, VTR_VM_ERROR_PAYLOAD, "There is no kind of object %u.", kind);
      return 0;
    }
  memcpy (&member, (const char *)vtr_replayer_apis[api] + offset, sizeof member);
  if (member != NULL)
    return api;
  vtr_vm_fail (&self->vm, VTR_VM_ERROR_UNSUPPORTED, "Replays of %s cannot do this.", model->name);
  return 0;
}

/* Copies the description of @size bytes at @address to @out; @kind lies in it.
 * Returns: the number of that kind's API, which has the member at @member of its table; 0 after
 * vtr_vm_fail (). */
static unsigned
take_description (VtrReplayService *self,
                  uint64_t          address,
                  void             *out,
                  size_t            size,
                  const uint32_t   *kind,
                  size_t            member)
{
  const void *from =
    get_bytes (self, address, size, "The description of what to read or write lies");

  if (from == NULL)
    return 0;
  memcpy (out, from, size);
  return find_api (self, *kind, member);
}

static uint64_t
read_texels (void           *data,
             const uint64_t *args)
{
  VtrReplayService *self = data;
  VtrReplayReadTexels read = { 0 };
  const unsigned api = take_description (self, args[0], &read, sizeof read, &read.kind,
                                         offsetof (VtrReplayerApi, read_texels));

  if (api != 0)
    vtr_replayer_apis[api]->read_texels (self->apis[api], &read);
  return 0;
}

static uint64_t
read_bytes (void           *data,
            const uint64_t *args)
{
  VtrReplayService *self = data;
  VtrReplayReadBytes read = { 0 };
  const unsigned api = take_description (self, args[0], &read, sizeof read, &read.kind,
                                         offsetof (VtrReplayerApi, read_bytes));

  if (api != 0)
    vtr_replayer_apis[api]->read_bytes (self->apis[api], &read);
  return 0;
}

static uint64_t
write_bytes (void           *data,
             const uint64_t *args)
{
  VtrReplayService *self = data;
  const void *source;
  unsigned api;

  if (args[4] == 0)
    return 0;
  source = get_bytes (self, args[3], args[4], "The bytes to write lie");
  if (source == NULL)
    return 0;
  api = find_api (self, (uint32_t)args[0], offsetof (VtrReplayerApi, write_bytes));
  if (api != 0)
    vtr_replayer_apis[api]->write_bytes (self->apis[api], (uint32_t)args[0], args[1], args[2],
                                         source, args[4]);
  return 0;
}

static uint64_t
write_texels (void           *data,
              const uint64_t *args)
{
  VtrReplayService *self = data;
  VtrReplayWriteTexels write;
  const void *source = get_bytes (self, args[1], args[2], "The content of an image lies");
  const unsigned api =
    source != NULL ? take_description (self, args[0], &write, sizeof write, &write.kind,
                                       offsetof (VtrReplayerApi, write_texels))
                   : 0;

  if (api != 0)
    vtr_replayer_apis[api]->write_texels (self->apis[api], &write, source, args[2]);
  return 0;
}

/* --- The table ------------------------------------------------------------------------------- */

void
vtr_replay_service_set_common (VtrReplayService *self)
{
  static const VtrVmCall calls[N_COMMON] = {
#define AT(name) [VTR_REPLAY_##name - VTR_REPLAY_FIRST_COMMON]
    AT (SAVE) = save,
    AT (MARK) = mark,
    AT (GO_TO_MARK) = go_to_mark,
    AT (FORGET_MARK) = forget_mark,
    AT (READ_CLOCK) = read_clock,
    AT (SETTLE) = settle,
    AT (READ_TEXELS) = read_texels,
    AT (READ_BYTES) = read_bytes,
    AT (WRITE_BYTES) = write_bytes,
    AT (WRITE_TEXELS) = write_texels,
  };
  const VtrVmFunctions own = { .functions = self->common,
                               .first = VTR_REPLAY_FIRST_COMMON,
                               .n = N_COMMON,
                               .context = self };

  _Static_assert(sizeof self->common / sizeof *self->common == N_COMMON, "one of each");
  vtr_vm_signature_fill (self->common, vtr_vm_signatures_common.own, N_COMMON, calls, NULL);
  vtr_vm_set_functions (&self->vm, VTR_VM_API_BUILTIN, NULL, &own);
}
