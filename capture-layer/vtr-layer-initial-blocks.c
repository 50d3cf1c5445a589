/* Which of the command buffers that were kept can still be submitted: those whose objects are all
 * there.
 *
 * A destroyed object makes the command buffers that name it invalid, with exceptions: layouts and
 * update templates are only looked at while a call is recorded. The stream has those at their old
 * places. */
#include "vtr-layer-initial.h"

#include <string.h>

typedef struct
{
  VtrLayerCommandBuffer *commands;
  VtrLayerWorld *world;
  bool valid;
} Scan;

/* Whether commands that were recorded with it can outlive it. */
static bool
may_be_gone (VtrHandleId type)
{
  return type == VTR_HANDLE_VkPipelineLayout || type == VTR_HANDLE_VkDescriptorUpdateTemplate ||
         type == VTR_HANDLE_VkDescriptorSetLayout;
}

/* The object that had @handle when the block was ended, though it was destroyed later. */
static VtrLayerCreation *
find_grave (VtrLayerWorld *world,
            VtrHandleId    type,
            uint64_t       handle,
            uint64_t       order)
{
  for (VtrLayerCreation *each = world->first; each != NULL; each = each->next)
    for (const VtrLayerObject *object = each->objects; object != NULL; object = object->sibling)
      if (object->dead && object->type == type && object->handle == handle &&
          each->record->order < order && object->end != NULL && object->end->order > order)
        return each;
  return NULL;
}

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
        find_grave (self->world, handle->type, value, self->commands->order);

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
vtr_layer_initial_check_block (VtrLayerCommandBuffer *self)
{
  Scan scan = { self, self->device->live, true };

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
