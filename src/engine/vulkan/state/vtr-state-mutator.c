/* VtrMutator: which part applies a command, and the way from one position to another. */
#include "engine/vulkan/state/vtr-state-mutator.h"

#include "api/vtr-api-args.h"

#include <stdarg.h>
#include <string.h>

/* --- Positions --- */

void
vtr_run_chain_init (VtrRunChain            *self,
                    VtrTimeline            *timeline,
                    const VtrStatePosition *position)
{
  guint32 run = position->run;
  guint64 command = position->command;

  self->n = 0;
  while (run != VTR_NO_RUN && self->n < VTR_MAX_LEVELS)
    {
      const VtrRun *at = vtr_timeline_get_run (timeline, run);

      self->levels[self->n].run = run;
      self->levels[self->n].command = command;
      self->n++;
      command = at->executed_by;
      run = at->parent;
    }
  for (guint i = 0; i < self->n / 2; i++)
    {
      typeof (self->levels[0]) swapped = self->levels[i];

      self->levels[i] = self->levels[self->n - 1 - i];
      self->levels[self->n - 1 - i] = swapped;
    }
}

static int
compare_numbers (guint64 a,
                 guint64 b)
{
  return a < b ? -1 : a > b;
}

int
vtr_state_position_compare (VtrTimeline            *timeline,
                            const VtrStatePosition *a,
                            const VtrStatePosition *b)
{
  VtrRunChain left, right;

  /* VTR_COMMAND_NO_INDEX + 1 is 0: before the first command. */
  if (a->index != b->index)
    return compare_numbers (a->index + 1, b->index + 1);
  if (a->run == VTR_NO_RUN || b->run == VTR_NO_RUN)
    return (a->run == VTR_NO_RUN) - (b->run == VTR_NO_RUN);

  vtr_run_chain_init (&left, timeline, a);
  vtr_run_chain_init (&right, timeline, b);
  for (guint i = 0; i < MIN (left.n, right.n); i++)
    {
      int order = compare_numbers (left.levels[i].run, right.levels[i].run);

      if (order == 0)
        order = compare_numbers (left.levels[i].command + 1, right.levels[i].command + 1);
      if (order != 0)
        return order;
    }
  /* Inside what a vkCmdExecuteCommands runs is before its end. */
  return (int)right.n - (int)left.n;
}

/* --- The mutator --- */

static guint32
find_next_end (VtrStateShared *shared,
               guint64         index)
{
  guint32 low = 0, high = shared->n_ends;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (vtr_history_get_object (shared->history, shared->ends[middle])->destroyed + 1 <=
          index + 1)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

void
vtr_mutator_init (VtrMutator     *self,
                  VtrStateShared *shared,
                  VtrEffectCache *effects,
                  VtrApiState    *state)
{
  *self = (VtrMutator){
    .shared = shared,
    .effects = effects,
    .state = state,
    .next_end = find_next_end (shared, state->index),
    .queue_family = VK_QUEUE_FAMILY_IGNORED,
  };
  vtr_arena_init (&self->arena);
}

void
vtr_mutator_finish (VtrMutator *self)
{
  g_clear_pointer (&self->state, vtr_api_state_unref);
  vtr_arena_finish (&self->arena);
}

guint32
vtr_mutator_find (VtrMutator *self,
                  guint32     type,
                  guint64     handle)
{
  const VtrObject *object =
    vtr_history_find (self->shared->history, vtr_vulkan_identity (type, handle),
                      self->command.index);

  return object != NULL ? object->id : 0;
}

gpointer
vtr_mutator_edit_id (VtrMutator *self,
                     guint32     id)
{
  VtrStateRecord *record = vtr_api_state_edit (self->state, id);

  if (record != NULL)
    record->command = (guint32)self->command.index;
  return record;
}

gpointer
vtr_mutator_edit (VtrMutator *self,
                  guint32     type,
                  guint64     handle)
{
  return vtr_mutator_edit_id (self, vtr_mutator_find (self, type, handle));
}

char *
vtr_mutator_describe (VtrMutator *self,
                      guint32     id)
{
  return vtr_history_describe (self->shared->history,
                               vtr_history_get_object (self->shared->history, id));
}

void
vtr_mutator_say (VtrMutator *self,
                 VtrStateLevel level,
                 guint64 index,
                 const char *check,
                 const char *format,
                 ...)
{
  VtrStateMessage message = { .level = level, .index = index, .check = check };
  g_autofree char *key = NULL;
  va_list args;

  if (self->messages == NULL)
    return;
  /* Then things happened in another order than that of submission. */
  if (self->unordered && level == VTR_STATE_ERROR)
    message.level = VTR_STATE_WARNING;

  va_start (args, format);
  message.text = g_strdup_vprintf (format, args);
  va_end (args);
  /* One recording may run a thousand times. */
  key = g_strdup_printf ("%" G_GUINT64_FORMAT " %s", index, message.text);
  if (g_hash_table_add (self->said, g_steal_pointer (&key)))
    g_array_append_val (self->messages, message);
  else
    g_free (message.text);
}

/* --- Commands --- */

/* Calls that set something in an object and have no semantics here beyond that. */
static gboolean
is_setter (VtrCmdId id)
{
  return g_str_has_prefix (vtr_cmd_name (id), "vkSet") &&
         !vtr_cmd_is (id, VTR_CLASS_RECORD | VTR_CLASS_CREATE | VTR_CLASS_DESTROY) &&
         id != VTR_CMD_vkSetDebugUtilsObjectNameEXT;
}

static gboolean
is_wanted (VtrCmdId id)
{
  if (id == VTR_CMD_vkBeginCommandBuffer || id == VTR_CMD_vkEndCommandBuffer)
    return TRUE;
  if (vtr_cmd_is (id, VTR_CLASS_RECORD))
    return FALSE;
  if (vtr_cmd_is (id, VTR_CLASS_MAP | VTR_CLASS_UNMAP | VTR_CLASS_SUBMIT | VTR_CLASS_FRAME_END |
                        VTR_CLASS_ACQUIRE | VTR_CLASS_WAIT | VTR_CLASS_POOL_RESET))
    return TRUE;
  switch (id)
    {
    case VTR_CMD_vkBindBufferMemory:
    case VTR_CMD_vkBindImageMemory:
    case VTR_CMD_vkBindBufferMemory2:
    case VTR_CMD_vkBindImageMemory2:
    case VTR_CMD_vkUpdateDescriptorSets:
    case VTR_CMD_vkUpdateDescriptorSetWithTemplate:
#ifdef VK_EXT_device_generated_commands
    case VTR_CMD_vkUpdateIndirectExecutionSetPipelineEXT:
    case VTR_CMD_vkUpdateIndirectExecutionSetShaderEXT:
#endif
    case VTR_CMD_vkResetCommandBuffer:
    case VTR_CMD_vkResetCommandPool:
    case VTR_CMD_vkResetFences:
    case VTR_CMD_vkGetFenceStatus:
    case VTR_CMD_vkGetSemaphoreCounterValue:
    case VTR_CMD_vkSignalSemaphore:
    case VTR_CMD_vkResetEvent:
    case VTR_CMD_vkResetQueryPool:
    case VTR_CMD_vkQueueBindSparse:
    case VTR_CMD_vkCreateSwapchainKHR:
    case VTR_CMD_vkGetSwapchainImagesKHR:
    case VTR_CMD_vkDeviceWaitIdle:
    case VTR_CMD_vkQueueWaitIdle:
    case VTR_CMD_vkWaitForFences:
    case VTR_CMD_vkWaitSemaphores:
      return TRUE;
    default:
      return is_setter (id) || vtr_mutator_wants_host_images (id) ||
             g_str_has_prefix (vtr_cmd_name (id), "vkImportSemaphore") ||
             g_str_has_prefix (vtr_cmd_name (id), "vkImportFence") ||
             g_str_has_prefix (vtr_cmd_name (id), "vkGetSemaphoreFd");
    }
}

/* Whether a canonical command changes anything but by creating and destroying. */
static gboolean
wants (VtrCmdId id)
{
  static guint8 table[VTR_VULKAN_N_COMMANDS];
  static gsize made;

  if (g_once_init_enter (&made))
    {
      for (guint32 i = 0; i < VTR_VULKAN_N_COMMANDS; i++)
        table[i] = (guint8)is_wanted (vtr_cmd_canonical ((VtrCmdId)i));
      g_once_init_leave (&made, 1);
    }
  return table[id];
}

static void
note_setter (VtrStateOther *self,
             guint32        id,
             guint32        command)
{
  VtrStateSetter setter = { id, command };

  if (self->setters == NULL)
    self->setters = g_array_new (FALSE, FALSE, sizeof (VtrStateSetter));
  for (guint i = 0; i < self->setters->len; i++)
    {
      VtrStateSetter *at = &g_array_index (self->setters, VtrStateSetter, i);

      if (at->id == id)
        {
          at->command = command;
          return;
        }
      if (at->id > id)
        {
          g_array_insert_val (self->setters, i, setter);
          return;
        }
    }
  g_array_append_val (self->setters, setter);
}

static void
on_set_handle (gpointer              data,
               const VtrVisitHandle *handle)
{
  VtrMutator *self = data;
  guint64 value = vtr_visit_handle_get (handle);
  VtrStateRecord *record;
  guint32 id;

  if (handle->ignored || value == 0 || handle->type == VTR_HANDLE_VkDevice)
    return;
  id = vtr_mutator_find (self, handle->type, value);
  if (id == 0)
    return;
  record = vtr_mutator_edit_id (self, id);
  if (record != NULL && vtr_state_record_is_other (handle->type))
    note_setter ((VtrStateOther *)(gpointer)record, self->command.id,
                 (guint32)self->command.index);
}

static void
apply_setter (VtrMutator *self)
{
  static const VtrApiEnv env = { .decoded = true };
  VtrApiVisitor visitor = { .data = self, .handle = on_set_handle };

  if (is_setter (self->command.id))
    vtr_api_visit (self->command.id, self->command.args, &env, &visitor);
}

static gboolean
mutator_decode (VtrMutator *self,
                guint64     index)
{
  vtr_arena_reset (&self->arena);
  self->work++;
  if (!vtr_trace_decode (vtr_timeline_get_trace (self->shared->timeline), index, &self->arena,
                         &self->command, NULL))
    return FALSE;
  self->command.id = vtr_cmd_canonical (self->command.id);
  return TRUE;
}

static gboolean
is_submission (VtrCmdId id)
{
  return id == VTR_CMD_vkQueueSubmit || id == VTR_CMD_vkQueueSubmit2;
}

static void
end_objects (VtrMutator *self,
             guint64     index)
{
  VtrHistory *history = self->shared->history;

  while (self->next_end < self->shared->n_ends &&
         vtr_history_get_object (history, self->shared->ends[self->next_end])->destroyed <= index)
    vtr_api_state_drop (self->state, self->shared->ends[self->next_end++]);
}

void
vtr_mutator_apply (VtrMutator *self,
                   guint64     index)
{
  VtrCmdId id = vtr_trace_get_command_id (vtr_timeline_get_trace (self->shared->timeline), index);

  if (vtr_cmd_is_vulkan (id) && wants (id) && mutator_decode (self, index))
    {
      if (is_submission (self->command.id))
        vtr_mutator_submit (self, index, NULL, NULL);
      else if (!vtr_mutator_apply_buffers (self) && !vtr_mutator_apply_sets (self) &&
               !vtr_mutator_apply_execution_sets (self) && !vtr_mutator_apply_memory (self) &&
               !vtr_mutator_apply_sync (self) && !vtr_mutator_apply_swapchain (self) &&
               !vtr_mutator_apply_host_images (self))
        apply_setter (self);
    }
  end_objects (self, index);
  self->state->index = index;
  self->state->run = VTR_NO_RUN;
}

/* Into a submission, or from inside it. */
static void
mutator_submit_part (VtrMutator             *self,
                     guint64                 index,
                     const VtrStatePosition *from,
                     const VtrStatePosition *to)
{
  if (mutator_decode (self, index) && is_submission (self->command.id))
    vtr_mutator_submit (self, index, from, to);
  if (to != NULL)
    return;
  end_objects (self, index);
  self->state->index = index;
  self->state->run = VTR_NO_RUN;
}

gboolean
vtr_mutator_go (VtrMutator              *self,
                const VtrStatePosition  *from,
                const VtrStatePosition  *to,
                GCancellable            *cancellable,
                GError                 **error)
{
  guint64 next = from->index + 1;

  if (from->run != VTR_NO_RUN)
    {
      gboolean inside = to->index == from->index && to->run != VTR_NO_RUN;

      mutator_submit_part (self, from->index, from, inside ? to : NULL);
      if (to->index == from->index)
        return TRUE;
    }
  for (; next != VTR_COMMAND_NO_INDEX && next + 1 <= to->index + 1; next++)
    {
      if (next % 1024 == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (next == to->index && to->run != VTR_NO_RUN)
        mutator_submit_part (self, next, NULL, to);
      else
        vtr_mutator_apply (self, next);
    }
  return TRUE;
}
