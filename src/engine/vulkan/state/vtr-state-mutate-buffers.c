/* Applies the commands that begin, end, reset and free command buffers to the state. */
#include "engine/vulkan/state/vtr-state-mutator.h"

#include "api/vtr-api-args.h"

static void
begin (VtrMutator *self)
{
  const VtrArgs_vkBeginCommandBuffer *args = self->command.args;
  VtrStateCommandBuffer *buffer = vtr_mutator_edit (
    self, VTR_HANDLE_VkCommandBuffer, (guint64)(guintptr)args->commandBuffer);

  if (buffer == NULL || (self->command.has_result && (gint32)self->command.result < 0))
    return;
  buffer->status = VTR_BUFFER_RECORDING;
  buffer->recording = vtr_timeline_find_recording (self->shared->timeline, self->command.index);
  buffer->usage = args->pBeginInfo != NULL ? args->pBeginInfo->flags : 0;
  buffer->ended = buffer->submit = buffer->queue = 0;
}

static void
end (VtrMutator *self)
{
  const VtrArgs_vkEndCommandBuffer *args = self->command.args;
  VtrStateCommandBuffer *buffer = vtr_mutator_edit (
    self, VTR_HANDLE_VkCommandBuffer, (guint64)(guintptr)args->commandBuffer);
  gboolean failed = self->command.has_result && (gint32)self->command.result < 0;

  if (buffer == NULL)
    return;
  buffer->status = failed ? VTR_BUFFER_INVALID : VTR_BUFFER_EXECUTABLE;
  buffer->ended = (guint32)self->command.index;
}

static void
reset_id (VtrMutator *self,
          guint32     id)
{
  const VtrStateCommandBuffer *known =
    (const VtrStateCommandBuffer *)(gconstpointer)vtr_api_state_peek (self->state, id);
  VtrStateCommandBuffer *buffer;

  if (known == NULL || known->status == VTR_BUFFER_INITIAL)
    return;
  buffer = vtr_mutator_edit_id (self, id);
  buffer->status = VTR_BUFFER_INITIAL;
  buffer->recording = VTR_NO_RECORDING;
  buffer->usage = buffer->ended = buffer->submit = buffer->queue = 0;
}

static void
reset_pool (VtrMutator *self)
{
  const VtrArgs_vkResetCommandPool *args = self->command.args;
  guint32 id = vtr_mutator_find (self, VTR_HANDLE_VkCommandPool, (guint64)args->commandPool), n;
  const guint32 *children = vtr_state_shared_get_children (self->shared, id, &n);

  for (guint32 i = 0; id != 0 && i < n; i++)
    {
      if (vtr_history_get_object (self->shared->history, children[i])->created >
          self->command.index)
        break;
      reset_id (self, children[i]);
    }
}

gboolean
vtr_mutator_apply_buffers (VtrMutator *self)
{
  switch (self->command.id)
    {
    case VTR_CMD_vkBeginCommandBuffer:
      begin (self);
      return TRUE;
    case VTR_CMD_vkEndCommandBuffer:
      end (self);
      return TRUE;
    case VTR_CMD_vkResetCommandBuffer:
      {
        const VtrArgs_vkResetCommandBuffer *args = self->command.args;

        reset_id (self, vtr_mutator_find (self, VTR_HANDLE_VkCommandBuffer,
                                          (guint64)(guintptr)args->commandBuffer));
        return TRUE;
      }
    case VTR_CMD_vkResetCommandPool:
      reset_pool (self);
      return TRUE;
    default:
      return FALSE;
    }
}
