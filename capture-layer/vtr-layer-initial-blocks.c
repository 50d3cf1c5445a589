/* Which of the command buffers that were kept can still be submitted: those whose objects are all
 * there.
 *
 * A destroyed object makes the command buffers that name it invalid, with exceptions: layouts and
 * update templates are only looked at while a call is recorded. The stream has those at their old
 * places. */
#include "vtr-layer-initial.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  VtrLayerCommandBuffer *commands;
  VtrLayerWorld *world;
  VtrLayerInitialGraves *graves;
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

/* An object that is gone. */
typedef struct
{
  const VtrLayerWorld *world;
  uint64_t handle;
  uint64_t begin; /* orders */
  uint64_t end;
  VtrLayerCreation *creation;
  VtrHandleId type;
} Grave;

/* By what it was, then by its beginning. */
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
list_graves (VtrLayerInitialGraves *self)
{
  if (!self->listed)
    {
      vtr_layer_map_sweep (&vtr_layer_devices, add_graves, &self->all);
      if (!self->all.failed && self->all.size > 0)
        qsort (self->all.data, self->all.size / sizeof (Grave), sizeof (Grave), compare_graves);
    }
  self->listed = true;
  return !self->all.failed;
}

/* The object that had @handle when the block was ended, though it was destroyed later. */
static VtrLayerCreation *
find_grave (VtrLayerInitialGraves *self,
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
  all = (const void *)self->all.data;
  high = self->all.size / sizeof *all;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (compare_graves (&all[middle], &key) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  /* Those before it began earlier; drivers may give one handle to several equal objects. */
  for (; low > 0 && all[low - 1].world == world && all[low - 1].type == type &&
         all[low - 1].handle == handle;
       low--)
    if (all[low - 1].end > order)
      return all[low - 1].creation;
  return NULL;
}

void
vtr_layer_initial_graves_finish (VtrLayerInitialGraves *self)
{
  vtr_buffer_finish (&self->all);
}

/* ---- What command buffers name ---- */

static bool
is_secondary_there (const Scan *self,
                    uint64_t    handle)
{
  const VtrLayerCommandBuffer *other = vtr_layer_command_buffer (
    (VkCommandBuffer)(uintptr_t)handle);

  return other == self->commands ||
         (other != NULL && other->valid && other->order < self->commands->order);
}

static void
check_handle (void                 *data,
              const VtrVisitHandle *handle)
{
  Scan *self = data;
  const VtrLayerObject *object;
  uint64_t value = 0;

  memcpy (&value, handle->slot, handle->dispatchable ? sizeof (void *) : sizeof value);
  if (value == 0 || handle->ignored || handle->type >= VTR_HANDLE_COUNT || !self->valid)
    return;
  if (handle->type == VTR_HANDLE_VkCommandBuffer)
    {
      self->valid = is_secondary_there (self, value);
      return;
    }
  object = vtr_layer_live_find (self->world, handle->type, value);
  if (object != NULL && object->creation->record->order < self->commands->order)
    return;
  if (may_be_gone (handle->type))
    {
      VtrLayerCreation *grave =
        find_grave (self->graves, self->world, handle->type, value, self->commands->order);

      if (grave != NULL)
        {
          grave->needed = true;
          return;
        }
    }
  self->valid = false;
}

/* Returns: whether to go on. */
static bool
check_call (uint16_t       cmd,
            const uint8_t *message,
            size_t         size,
            void          *data)
{
  const VtrApiVisitor visitor = { .data = data, .handle = check_handle };
  Scan *self = data;
  VtrDecoded decoded;
  VtrArena arena;

  if (cmd >= VTR_CMD_COUNT)
    return true;
  vtr_arena_init (&arena);
  if (vtr_api_decode ((VtrCmdId)cmd, message, size, NULL, &arena, &decoded) == VTR_OK)
    vtr_api_visit ((VtrCmdId)cmd, decoded.args, NULL, &visitor);
  else
    self->valid = false;
  vtr_arena_finish (&arena);
  return self->valid;
}

void
vtr_layer_initial_check_block (VtrLayerCommandBuffer *self,
                               VtrLayerInitialGraves *graves)
{
  Scan scan = { self, self->device->live, graves, true };

  /* Nothing was destroyed since: all of it is there. Secondaries may have been recorded anew. */
  if (!self->executes && self->order > scan.world->last_end)
    self->valid = true;
  else
    {
      if (!vtr_ring_block_for_each (&self->kept, check_call, &scan))
        scan.valid = false;
      self->valid = scan.valid;
    }
}
