/* Finds the kept command buffers that can still be submitted: those whose objects all exist.
 *
 * A destroyed object makes the command buffers that name it invalid, with exceptions: layouts and
 * update templates are only looked at while a call is recorded. The stream has those at their old
 * places. */
#include "vtr-layer-initial.h"

#include <stdlib.h>
#include <string.h>

#define N_SEEN 64u

typedef struct
{
  uint64_t handle; /* 0: none */
  VtrHandleId type;
} Seen;

typedef struct
{
  VtrLayerCommandBuffer *commands;
  VtrLayerWorld *world;
  VtrLayerInitialChecks *checks;
  VtrArena arena;
  Seen seen[N_SEEN]; /* objects that exist: commands name the same ones again and again */
  bool valid;
} Scan;

/* Whether commands that were recorded with it can outlive it. */
static bool
may_be_gone (VtrHandleId type)
{
  return type == VTR_HANDLE_VkPipelineLayout || type == VTR_HANDLE_VkDescriptorUpdateTemplate ||
         type == VTR_HANDLE_VkDescriptorSetLayout;
}

/* ---- What was destroyed ---- */

/* An object that was destroyed. */
typedef struct
{
  const VtrLayerWorld *world;
  uint64_t handle;
  uint64_t begin; /* orders */
  uint64_t end;
  VtrLayerCreation *creation;
  VtrHandleId type;
} Grave;

/* Sorted by handle, then by the beginning of its life. */
static int
compare_graves (const void *a,
                const void *b)
{
  const Grave *left = a, *right = b;

  if (left->world != right->world)
    return (uintptr_t)left->world < (uintptr_t)right->world ? -1 : 1;
  if (left->type != right->type)
    return left->type < right->type ? -1 : 1;
  if (left->handle != right->handle)
    return left->handle < right->handle ? -1 : 1;
  return left->begin < right->begin ? -1 : left->begin > right->begin;
}

static bool
add_graves (uint64_t  key,
            void     *value,
            void     *data)
{
  const VtrLayerDevice *device = value;
  VtrBuffer *all = data;

  for (VtrLayerCreation *each = device->live != NULL ? device->live->first : NULL; each != NULL;
       each = each->next)
    for (const VtrLayerObject *object = each->objects; object != NULL; object = object->sibling)
      if (object->dead && object->end != NULL && may_be_gone (object->type))
        vtr_buffer_append (all,
                           &(Grave){ device->live, object->handle, each->record->order,
                                     object->end->order, each, object->type },
                           sizeof (Grave));
  return false;
}

static bool
list_graves (VtrLayerInitialChecks *self)
{
  if (!self->listed)
    {
      vtr_layer_map_sweep (&vtr_layer_devices, add_graves, &self->graves);
      if (!self->graves.failed && self->graves.size > 0)
        qsort (self->graves.data, self->graves.size / sizeof (Grave), sizeof (Grave),
               compare_graves);
    }
  self->listed = true;
  return !self->graves.failed;
}

/* The object that had @handle when the block was ended, though it was destroyed later. */
static VtrLayerCreation *
find_grave (VtrLayerInitialChecks *self,
            const VtrLayerWorld   *world,
            VtrHandleId            type,
            uint64_t               handle,
            uint64_t               order)
{
  const Grave key = { world, handle, order, 0, NULL, type };
  const Grave *all;
  size_t low = 0, high;

  if (!list_graves (self))
    return NULL;
  all = (const void *)self->graves.data;
  high = self->graves.size / sizeof *all;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (compare_graves (&all[middle], &key) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  /* Blocks before it began earlier; drivers may give one handle to several equal objects. */
  for (; low > 0 && all[low - 1].world == world && all[low - 1].type == type &&
         all[low - 1].handle == handle;
       low--)
    if (all[low - 1].end > order)
      return all[low - 1].creation;
  return NULL;
}

void
vtr_layer_initial_checks_finish (VtrLayerInitialChecks *self)
{
  vtr_buffer_finish (&self->graves);
  vtr_handle_reader_free (self->reader);
}

/* ---- What command buffers name ---- */

static bool
is_secondary_there (const Scan *self,
                    uint64_t    handle)
{
  const VtrLayerCommandBuffer *other = vtr_layer_command_buffer (
    (VkCommandBuffer)(uintptr_t)handle);

  return other == self->commands ||
         (other != NULL && other->valid && other->batch.order < self->commands->batch.order);
}

/* Whether an object is there, or was when the block was ended and does not have to be any more. */
static bool
is_there (Scan        *self,
          VtrHandleId  type,
          uint64_t     handle)
{
  const VtrLayerObject *object;
  VtrLayerCreation *grave = NULL;

  if (type == VTR_HANDLE_VkCommandBuffer)
    return is_secondary_there (self, handle);
  object = vtr_layer_live_find (self->world, type, handle);
  if (object != NULL && object->order < self->commands->batch.order)
    return true;
  if (may_be_gone (type))
    grave = find_grave (self->checks, self->world, type, handle, self->commands->batch.order);
  if (grave != NULL)
    grave->needed = true;
  return grave != NULL;
}

static void
check_handle (void        *data,
              VtrHandleId  type,
              uint64_t     handle)
{
  Scan *self = data;
  Seen *seen = &self->seen[(handle ^ handle >> 6 ^ handle >> 12 ^ type) % N_SEEN];

  if (handle == 0 || type >= VTR_VULKAN_N_HANDLES || !self->valid ||
      (seen->handle == handle && seen->type == type))
    return;
  self->valid = is_there (self, type, handle);
  *seen = (Seen){ handle, type };
}

static void
check_slot (void                 *data,
            const VtrVisitHandle *handle)
{
  uint64_t value = 0;

  memcpy (&value, handle->slot, handle->dispatchable ? sizeof (void *) : sizeof value);
  if (!handle->ignored)
    check_handle (data, handle->type, value);
}

/* Returns: whether to go on. */
static bool
check_call (uint16_t       cmd,
            const uint8_t *message,
            size_t         size,
            void          *data)
{
  const VtrApiVisitor visitor = { .data = data, .handle = check_slot };
  Scan *self = data;
  VtrDecoded decoded;

  if (!vtr_cmd_is_vulkan (cmd) ||
      (self->checks->reader != NULL &&
       vtr_handle_reader_read (self->checks->reader, (VtrCmdId)cmd, message, size, check_handle,
                               self)))
    return self->valid;
  if (vtr_api_decode ((VtrCmdId)cmd, message, size, NULL, &self->arena, &decoded) == VTR_OK)
    vtr_api_visit ((VtrCmdId)cmd, decoded.args, NULL, &visitor);
  else
    self->valid = false;
  vtr_arena_reset (&self->arena);
  return self->valid;
}

void
vtr_layer_initial_check_block (VtrLayerCommandBuffer *self,
                               VtrLayerInitialChecks *checks)
{
  Scan scan = { .commands = self, .world = self->device->live, .checks = checks, .valid = true };

  /* No object was destroyed since, so all exist. Secondaries may have been recorded again. */
  if (self->executes || self->batch.order <= scan.world->last_end)
    {
      if (checks->reader == NULL)
        checks->reader = vtr_handle_reader_new ();
      vtr_arena_init (&scan.arena);
      if (!vtr_ring_block_for_each (&self->batch.kept, check_call, &scan))
        scan.valid = false;
      vtr_arena_finish (&scan.arena);
    }
  self->valid = scan.valid;
}
