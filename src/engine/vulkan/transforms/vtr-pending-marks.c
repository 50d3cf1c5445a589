/* Follows recorded queries and events, and what their results tell about submissions. */
#include "engine/vulkan/transforms/vtr-pending-private.h"

#include "base/vtr-must.h"
#include "base/vtr-range-set.h"
#include "vtr-api-args.h"

#define KEY VTR_PENDING_KEY
#define VALUE VTR_PENDING_VALUE

/* As the first of two stages, one of these waits for all that comes before. */
#define WHOLE (VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT)

/* --- What is recorded ------------------------------------------------------------------------- */

static GArray *
recorded_in (VtrPending      *self,
             VkCommandBuffer  commands)
{
  GArray *marks = g_hash_table_lookup (self->recorded, commands);

  if (marks == NULL)
    {
      marks = g_array_new (FALSE, FALSE, sizeof (VtrPendingMark));
      g_hash_table_insert (self->recorded, commands, marks);
    }
  return marks;
}

static void
record (VtrPending      *self,
        VkCommandBuffer  commands,
        VtrPendingMark   mark)
{
  g_array_append_val (recorded_in (self, commands), mark);
}

static VkPipelineStageFlags2
find_stages (const VkDependencyInfo *info)
{
  VkPipelineStageFlags2 stages = 0;

  if (info == NULL)
    return 0;
  for (guint32 i = 0; info->pMemoryBarriers != NULL && i < info->memoryBarrierCount; i++)
    stages |= info->pMemoryBarriers[i].srcStageMask;
  for (guint32 i = 0; info->pBufferMemoryBarriers != NULL && i < info->bufferMemoryBarrierCount;
       i++)
    stages |= info->pBufferMemoryBarriers[i].srcStageMask;
  for (guint32 i = 0; info->pImageMemoryBarriers != NULL && i < info->imageMemoryBarrierCount; i++)
    stages |= info->pImageMemoryBarriers[i].srcStageMask;
  return stages;
}

static void
record_secondaries (VtrPending                         *self,
                    const VtrArgs_vkCmdExecuteCommands *args)
{
  for (guint32 i = 0; args->pCommandBuffers != NULL && i < args->commandBufferCount; i++)
    {
      const GArray *marks = g_hash_table_lookup (self->recorded, args->pCommandBuffers[i]);

      for (guint j = 0;
           marks != NULL && args->pCommandBuffers[i] != args->commandBuffer && j < marks->len; j++)
        {
          VtrPendingMark mark = g_array_index (marks, VtrPendingMark, j);

          mark.index = VTR_COMMAND_NO_INDEX;
          mark.last = FALSE;
          record (self, args->commandBuffer, mark);
        }
    }
}

/* Finds the marks at the end of the recording that ends with command @index. */
static void
find_last (VtrPending      *self,
           VkCommandBuffer  commands,
           guint64          index)
{
  GArray *marks = g_hash_table_lookup (self->recorded, commands);

  for (guint i = marks != NULL && index != VTR_COMMAND_NO_INDEX ? marks->len : 0; i > 0; i--)
    {
      VtrPendingMark *mark = &g_array_index (marks, VtrPendingMark, i - 1);

      if (mark->index == VTR_COMMAND_NO_INDEX || mark->index + 1 != index)
        return;
      mark->last = TRUE;
      index = mark->index;
    }
}

/* --- What is submitted ------------------------------------------------------------------------ */

/* Whether something older may be seen of it; from now on it may. */
static gboolean
note_seen (VtrPending           *self,
           const VtrPendingMark *mark)
{
  VtrRangeSet *set = g_hash_table_lookup (self->seen, KEY (mark->object));
  const guint64 end = mark->first + mark->n;
  gboolean fresh;

  if (set == NULL)
    {
      set = g_new0 (VtrRangeSet, 1);
      g_hash_table_insert (self->seen, KEY (mark->object), set);
    }
  fresh = mark->n > 0 && !vtr_range_set_overlaps (set, mark->first, end);
  vtr_must (vtr_range_set_add (set, mark->first, end));
  return !fresh;
}

void
vtr_pending_add_commands (VtrPending           *self,
                          VtrPendingSubmission *submission,
                          VkCommandBuffer       commands)
{
  const GArray *marks = g_hash_table_lookup (self->recorded, commands);

  for (guint i = 0; submission->marks != NULL && i < submission->marks->len; i++)
    g_array_index (submission->marks, VtrPendingMark, i).last = FALSE;
  if (submission->commands == NULL)
    submission->commands = g_array_new (FALSE, FALSE, sizeof (VkCommandBuffer));
  g_array_append_val (submission->commands, commands);
  for (guint i = 0; marks != NULL && i < marks->len; i++)
    {
      VtrPendingMark mark = g_array_index (marks, VtrPendingMark, i);

      mark.fresh = !note_seen (self, &mark);
      if (submission->marks == NULL)
        submission->marks = g_array_new (FALSE, FALSE, sizeof mark);
      g_array_append_val (submission->marks, mark);
    }
}

/* --- What is seen ----------------------------------------------------------------------------- */

/* Marks everything before the @nth in its queue as done. */
static void
tell_before (VtrPending *self,
             guint       nth)
{
  for (guint i = nth; i > 0; i--)
    if (vtr_pending_nth (self, i - 1)->queue == vtr_pending_nth (self, nth)->queue)
      {
        vtr_pending_tell (self, i - 1, VTR_PENDING_DONE);
        return;
      }
}

static void
see_mark (VtrPending           *self,
          guint                 nth,
          const VtrPendingMark *mark)
{
  if (mark->whole && mark->fresh)
    {
      tell_before (self, nth);
      vtr_pending_tell (self, nth, mark->last ? VTR_PENDING_DONE : VTR_PENDING_PERHAPS);
    }
  else
    {
      vtr_pending_tell (self, nth, VTR_PENDING_PERHAPS);
    }
}

/* Some of [@first, @first + @n) of @object are seen. @certain: all are. */
static void
see (VtrPending *self,
     guint64     object,
     guint64     first,
     guint64     n,
     gboolean    certain)
{
  for (guint i = 0; i < self->submissions->len; i++)
    {
      const VtrPendingSubmission *submission = vtr_pending_nth (self, i);

      for (guint j = 0; submission->marks != NULL && j < submission->marks->len; j++)
        {
          VtrPendingMark mark = g_array_index (submission->marks, VtrPendingMark, j);

          if (mark.object != object || mark.first >= first + n ||
              first >= (guint64)mark.first + mark.n)
            continue;
          mark.fresh = mark.fresh && certain;
          see_mark (self, i, &mark);
        }
    }
  vtr_pending_sweep (self);
}

static void
see_results (VtrPending                          *self,
             const VtrArgs_vkGetQueryPoolResults *args,
             gint32                               result)
{
  const gboolean waited = (args->flags & VK_QUERY_RESULT_WAIT_BIT) != 0;
  const gboolean partial = !waited && (args->flags & VK_QUERY_RESULT_PARTIAL_BIT) != 0;
  const gboolean told = (args->flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0;

  /* Which of them are there was written for the program, but is not looked at here. */
  if ((result == VK_SUCCESS && !partial) || told)
    see (self, VALUE (args->queryPool), args->firstQuery, args->queryCount,
         result == VK_SUCCESS && !partial);
}

static gboolean
is_awaited (const VtrPending *self,
            guint64           object)
{
  for (guint i = 0; i < self->submissions->len; i++)
    {
      const GArray *marks = vtr_pending_nth (self, i)->marks;

      for (guint j = 0; marks != NULL && j < marks->len; j++)
        if (g_array_index (marks, VtrPendingMark, j).object == object)
          return TRUE;
    }
  return FALSE;
}

/* Nothing that is under way may use it, as a rule; an event may be set by what comes. */
static void
reset_event (VtrPending *self,
             VkEvent     event)
{
  g_hash_table_remove (self->host_set, KEY (event));
  if (!is_awaited (self, VALUE (event)))
    g_hash_table_remove (self->seen, KEY (event));
}

static void
reset_queries (VtrPending                     *self,
               const VtrArgs_vkResetQueryPool *args)
{
  VtrRangeSet *set = g_hash_table_lookup (self->seen, KEY (args->queryPool));

  if (set != NULL)
    vtr_must (vtr_range_set_remove (set, args->firstQuery,
                                    (guint64)args->firstQuery + args->queryCount));
}

/* @commands are recorded again, so their submission does not run them any more. This says
 * nothing about the other command buffers of the submission. */
static void
commands_done (VtrPending      *self,
               VkCommandBuffer  commands)
{
  g_hash_table_remove (self->recorded, commands);
  for (guint i = 0; i < self->submissions->len; i++)
    {
      VtrPendingSubmission *submission = vtr_pending_nth (self, i);

      if (submission->commands == NULL || submission->commands->len != 1 ||
          g_array_index (submission->commands, VkCommandBuffer, 0) != commands)
        continue;
      submission->told = VTR_PENDING_DONE;
      vtr_pending_tell_points (self, submission->waits, VTR_PENDING_DONE);
    }
  vtr_pending_sweep (self);
}

/* --- Calls ------------------------------------------------------------------------------------ */

gboolean
vtr_pending_wants_mark (VtrCmdId id)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkCmdEndQuery:
    case VTR_CMD_vkCmdEndQueryIndexedEXT:
    case VTR_CMD_vkCmdWriteTimestamp:
    case VTR_CMD_vkCmdWriteTimestamp2:
    case VTR_CMD_vkCmdSetEvent:
    case VTR_CMD_vkCmdSetEvent2:
    case VTR_CMD_vkCmdExecuteCommands:
    case VTR_CMD_vkBeginCommandBuffer:
    case VTR_CMD_vkEndCommandBuffer:
    case VTR_CMD_vkResetCommandBuffer:
    case VTR_CMD_vkSetEvent:
    case VTR_CMD_vkResetEvent:
    case VTR_CMD_vkDestroyEvent:
    case VTR_CMD_vkGetEventStatus:
    case VTR_CMD_vkResetQueryPool:
    case VTR_CMD_vkDestroyQueryPool:
    case VTR_CMD_vkGetQueryPoolResults:
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
note_recorded (VtrPending       *self,
               const VtrCommand *command)
{
  VtrPendingMark mark = { .n = 1, .index = command->index };

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCmdEndQuery:
      mark.object = VALUE (((const VtrArgs_vkCmdEndQuery *)command->args)->queryPool);
      mark.first = ((const VtrArgs_vkCmdEndQuery *)command->args)->query;
      break;
    case VTR_CMD_vkCmdEndQueryIndexedEXT:
      mark.object = VALUE (((const VtrArgs_vkCmdEndQueryIndexedEXT *)command->args)->queryPool);
      mark.first = ((const VtrArgs_vkCmdEndQueryIndexedEXT *)command->args)->query;
      break;
    case VTR_CMD_vkCmdWriteTimestamp:
      {
        const VtrArgs_vkCmdWriteTimestamp *a = command->args;

        mark.object = VALUE (a->queryPool);
        mark.first = a->query;
        mark.whole = ((VkPipelineStageFlags2)a->pipelineStage & WHOLE) != 0;
        break;
      }
    case VTR_CMD_vkCmdWriteTimestamp2:
      {
        const VtrArgs_vkCmdWriteTimestamp2 *a = command->args;

        mark.object = VALUE (a->queryPool);
        mark.first = a->query;
        mark.whole = (a->stage & WHOLE) != 0;
        break;
      }
    case VTR_CMD_vkCmdSetEvent:
      mark.object = VALUE (((const VtrArgs_vkCmdSetEvent *)command->args)->event);
      mark.whole = (((const VtrArgs_vkCmdSetEvent *)command->args)->stageMask & WHOLE) != 0;
      break;
    case VTR_CMD_vkCmdSetEvent2:
      {
        const VtrArgs_vkCmdSetEvent2 *a = command->args;

        mark.object = VALUE (a->event);
        mark.whole = (find_stages (a->pDependencyInfo) & WHOLE) != 0;
        break;
      }
    case VTR_CMD_vkCmdExecuteCommands:
      record_secondaries (self, command->args);
      return TRUE;
    default:
      return FALSE;
    }
  /* Commands begin with theirs. */
  record (self, *(const VkCommandBuffer *)command->args, mark);
  return TRUE;
}

gboolean
vtr_pending_note_mark (VtrPending       *self,
                       const VtrCommand *command,
                       gint32            result)
{
  if (note_recorded (self, command))
    return TRUE;
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkBeginCommandBuffer:
      commands_done (self, ((const VtrArgs_vkBeginCommandBuffer *)command->args)->commandBuffer);
      return TRUE;
    case VTR_CMD_vkResetCommandBuffer:
      commands_done (self, ((const VtrArgs_vkResetCommandBuffer *)command->args)->commandBuffer);
      return TRUE;
    case VTR_CMD_vkEndCommandBuffer:
      find_last (self, ((const VtrArgs_vkEndCommandBuffer *)command->args)->commandBuffer,
                 command->index);
      return TRUE;
    case VTR_CMD_vkSetEvent:
      g_hash_table_add (self->host_set, KEY (((const VtrArgs_vkSetEvent *)command->args)->event));
      return TRUE;
    case VTR_CMD_vkResetEvent:
      reset_event (self, ((const VtrArgs_vkResetEvent *)command->args)->event);
      return TRUE;
    case VTR_CMD_vkDestroyEvent:
      reset_event (self, ((const VtrArgs_vkDestroyEvent *)command->args)->event);
      return TRUE;
    case VTR_CMD_vkGetEventStatus:
      {
        const VtrArgs_vkGetEventStatus *a = command->args;

        if (result == VK_EVENT_SET)
          see (self, VALUE (a->event), 0, 1,
               !g_hash_table_contains (self->host_set, KEY (a->event)));
        return TRUE;
      }
    case VTR_CMD_vkResetQueryPool:
      reset_queries (self, command->args);
      return TRUE;
    case VTR_CMD_vkDestroyQueryPool:
      g_hash_table_remove (
        self->seen, KEY (((const VtrArgs_vkDestroyQueryPool *)command->args)->queryPool));
      return TRUE;
    case VTR_CMD_vkGetQueryPoolResults:
      see_results (self, command->args, result);
      return TRUE;
    default:
      return FALSE;
    }
}
