/* Ends the stream in the middle of a command buffer.
 *
 * While the recording that holds the target goes by, a copy of it is recorded beside it, up to
 * the target, and then closed: what was begun is ended, the render pass (a clone that stores
 * everything) runs through its remaining subpasses empty. At the submission, the copy takes the
 * original's place and whatever comes after it is left out. */
#include "engine/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/transforms/vtr-render-pass-clone.h"
#include "vtr-api-args.h"

/* Something the copy has begun and must end. */
typedef struct
{
  VtrCmdId end;
  gboolean in_pass;
  VkQueryPool pool;
  guint32 query, index;
} Open;

typedef struct
{
  VtrTransform parent;
  VtrTimeline *timeline;
  VtrHistory *history;

  guint64 target; /* flat index of the last command to run */
  guint32 nth;    /* recording that holds it */
  VtrRecording recording;
  VtrRun run;
  gboolean keep_original; /* earlier runs need it */
  VtrBoundState state;    /* after the target */

  VkCommandBuffer copy; /* captured-side handle of the copy */
  guint64 render_pass;  /* of the clone; 0: none */
  guint32 n_subpasses;
  VtrCmdId end_rendering; /* alias that fits the begin */
  gboolean in_pass;       /* where the copy is now */
  GArray *open;           /* Open, outermost first */
} TransformCut;

#define HANDLE(type, value) ((type)(gsize)(value))

/* --- Beginning the copy ---------------------------------------------------------------------- */

/* Allocates the copy's command buffer from the pool of the original. */
static gboolean
allocate_copy (TransformCut  *self,
               guint64        index,
               GError       **error)
{
  const VtrObject *object = vtr_history_find (self->history, VTR_HANDLE_VkCommandBuffer,
                                              self->recording.command_buffer, index);
  VkCommandBufferAllocateInfo info;
  VtrArgs_vkAllocateCommandBuffers *original;
  VtrArgs_vkAllocateCommandBuffers args;
  VtrCommand creation;
  VtrArena arena;
  gboolean ok;

  if (object == NULL)
    {
      g_autofree char *number =
        vtr_trace_format_number (vtr_history_get_trace (self->history), index);

      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                   _ ("The trace lacks the allocation of the command buffer of command %s"),
                   number);
      return FALSE;
    }
  vtr_arena_init (&arena);
  ok = vtr_history_decode_creation (self->history, object, &arena, &creation, error);
  original = ok ? creation.args : NULL;
  if (ok && (creation.id != VTR_CMD_vkAllocateCommandBuffers || original->pAllocateInfo == NULL))
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                           _ ("The trace does not say how the command buffer was allocated"));
      ok = FALSE;
    }
  if (ok)
    {
      info = *original->pAllocateInfo;
      info.commandBufferCount = 1;
      self->copy = HANDLE (VkCommandBuffer, vtr_transform_new_handle ());
      args = (VtrArgs_vkAllocateCommandBuffers){ original->device, &info, &self->copy };
      ok = vtr_transform_emit (self->parent.next, VTR_CMD_vkAllocateCommandBuffers, &args, index,
                               error);
    }
  vtr_arena_finish (&arena);
  return ok;
}

/* Creates the clone of the pass that is cut. */
static gboolean
create_clone (TransformCut  *self,
              guint64        index,
              GError       **error)
{
  const VtrObject *object = vtr_history_find (self->history, VTR_HANDLE_VkRenderPass,
                                              self->state.render_pass, index);
  VtrCommand creation;
  VtrArena arena;
  gboolean ok;

  vtr_arena_init (&arena);
  ok = object != NULL &&
       vtr_history_decode_creation (self->history, object, &arena, &creation, error);
  if (ok)
    {
      self->render_pass = vtr_transform_new_handle ();
      self->n_subpasses =
        vtr_render_pass_clone (&creation, self->state.subpass, &self->render_pass);
      creation.index = index;
      creation.flags = 0;
      ok = self->n_subpasses > 0 && vtr_transform_command (self->parent.next, &creation, error);
    }
  vtr_arena_finish (&arena);
  if (!ok && error != NULL && *error == NULL)
    {
      g_autofree char *number =
        vtr_trace_format_number (vtr_history_get_trace (self->history), index);

      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                   _ ("The trace does not hold the creation of the render pass of command %s"),
                   number);
    }
  return ok;
}

/* --- The copy, command by command ------------------------------------------------------------ */

static void
opened (TransformCut *self,
        VtrCmdId      end,
        VkQueryPool   pool,
        guint32       query,
        guint32       index)
{
  const Open open = { end, self->in_pass, pool, query, index };

  g_array_append_val (self->open, open);
}

static void
closed (TransformCut *self,
        VtrCmdId      end,
        VkQueryPool   pool,
        guint32       query,
        guint32       index)
{
  for (guint i = self->open->len; i > 0; i--)
    {
      const Open *open = &g_array_index (self->open, Open, i - 1);

      if (open->end == end && open->pool == pool && open->query == query && open->index == index)
        {
          g_array_remove_index (self->open, i - 1);
          return;
        }
    }
}

/* Keeps count of what is begun and not ended. */
static void
note_scope (TransformCut     *self,
            const VtrCommand *command)
{
  const void *args = command->args;
  const VtrArgs_vkCmdBeginQuery *begin = args;
  const VtrArgs_vkCmdEndQuery *end = args;
  const VtrArgs_vkCmdBeginQueryIndexedEXT *begin_indexed = args;
  const VtrArgs_vkCmdEndQueryIndexedEXT *end_indexed = args;

  if (vtr_cmd_is (command->id, VTR_CLASS_BEGIN_PASS))
    self->in_pass = TRUE;
  if (vtr_cmd_is (command->id, VTR_CLASS_END_PASS))
    self->in_pass = FALSE;
  switch (command->id)
    {
    case VTR_CMD_vkCmdBeginQuery:
      opened (self, VTR_CMD_vkCmdEndQuery, begin->queryPool, begin->query, 0);
      break;
    case VTR_CMD_vkCmdEndQuery:
      closed (self, VTR_CMD_vkCmdEndQuery, end->queryPool, end->query, 0);
      break;
    case VTR_CMD_vkCmdBeginQueryIndexedEXT:
      opened (self, VTR_CMD_vkCmdEndQueryIndexedEXT, begin_indexed->queryPool, begin_indexed->query,
              begin_indexed->index);
      break;
    case VTR_CMD_vkCmdEndQueryIndexedEXT:
      closed (self, VTR_CMD_vkCmdEndQueryIndexedEXT, end_indexed->queryPool, end_indexed->query,
              end_indexed->index);
      break;
    case VTR_CMD_vkCmdBeginConditionalRenderingEXT:
      opened (self, VTR_CMD_vkCmdEndConditionalRenderingEXT, VK_NULL_HANDLE, 0, 0);
      break;
    case VTR_CMD_vkCmdEndConditionalRenderingEXT:
      closed (self, VTR_CMD_vkCmdEndConditionalRenderingEXT, VK_NULL_HANDLE, 0, 0);
      break;
    case VTR_CMD_vkCmdBeginTransformFeedbackEXT:
      opened (self, VTR_CMD_vkCmdEndTransformFeedbackEXT, VK_NULL_HANDLE, 0, 0);
      break;
    case VTR_CMD_vkCmdEndTransformFeedbackEXT:
      closed (self, VTR_CMD_vkCmdEndTransformFeedbackEXT, VK_NULL_HANDLE, 0, 0);
      break;
    default:
      break;
    }
}

/* Records @command into the copy, as it is but for the command buffer. */
static gboolean
record (TransformCut  *self,
        VtrCommand    *command,
        GError       **error)
{
  VkCommandBuffer *slot = command->args; /* the first parameter of all of them */
  VkCommandBuffer original = *slot;
  gboolean ok;

  *slot = self->copy;
  ok = vtr_transform_command (self->parent.next, command, error);
  *slot = original;
  return ok;
}

static gboolean
record_begin_render_pass (TransformCut  *self,
                          VtrCommand    *command,
                          GError       **error)
{
  VtrArgs_vkCmdBeginRenderPass *args = command->args; /* ...2 begins with the same parameters */
  const VkRenderPassBeginInfo *original = args->pRenderPassBegin;
  VkRenderPassBeginInfo info;
  gboolean ok;

  if (original == NULL || !create_clone (self, command->index, error))
    return FALSE;
  info = *original;
  info.renderPass = HANDLE (VkRenderPass, self->render_pass);
  args->pRenderPassBegin = &info;
  ok = record (self, command, error);
  args->pRenderPassBegin = original;
  return ok;
}

static void
store_attachment (VkRenderingAttachmentInfo *attachment,
                  gboolean                   resumed,
                  gboolean                   cut)
{
  if (attachment == NULL)
    return;
  attachment->storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  if (resumed)
    attachment->loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  if (cut)
    attachment->resolveMode = VK_RESOLVE_MODE_NONE;
}

/* A rendering that is suspended or resumed becomes a whole one; the one that is cut stores
 * everything and resolves nothing. */
static gboolean
record_begin_rendering (TransformCut  *self,
                        VtrCommand    *command,
                        GError       **error)
{
  const VkRenderingFlags split = VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT;
  VtrArgs_vkCmdBeginRendering *args = command->args;
  gboolean cut = self->state.in_pass && command->index == self->state.pass_begin;
  VkRenderingInfo *info;
  VtrArena arena;
  gboolean ok;
  void *copied;

  self->end_rendering = command->id == VTR_CMD_vkCmdBeginRendering ? VTR_CMD_vkCmdEndRendering
                                                                   : VTR_CMD_vkCmdEndRenderingKHR;
  if (args->pRenderingInfo == NULL || (!cut && (args->pRenderingInfo->flags & split) == 0))
    return record (self, command, error);

  vtr_arena_init (&arena);
  ok = vtr_api_copy (command->id, args, &(VtrApiEnv){ .decoded = true }, &arena, &copied) == VTR_OK;
  if (ok)
    {
      VtrCommand changed = *command;
      gboolean resumed;

      changed.args = copied;
      info = (VkRenderingInfo *)((VtrArgs_vkCmdBeginRendering *)copied)->pRenderingInfo;
      resumed = (info->flags & VK_RENDERING_RESUMING_BIT) != 0;
      info->flags &= ~split;
      for (guint32 i = 0; info->pColorAttachments != NULL && i < info->colorAttachmentCount; i++)
        store_attachment ((VkRenderingAttachmentInfo *)&info->pColorAttachments[i], resumed, cut);
      store_attachment ((VkRenderingAttachmentInfo *)info->pDepthAttachment, resumed, cut);
      store_attachment ((VkRenderingAttachmentInfo *)info->pStencilAttachment, resumed, cut);
      ok = record (self, &changed, error);
    }
  vtr_arena_finish (&arena);
  return ok;
}

static gboolean
record_copy (TransformCut  *self,
             VtrCommand    *command,
             GError       **error)
{
  gboolean cut = self->state.in_pass && command->index == self->state.pass_begin;
  gboolean ok;

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCmdBeginRendering:
      ok = record_begin_rendering (self, command, error);
      break;
    case VTR_CMD_vkCmdBeginRenderPass:
    case VTR_CMD_vkCmdBeginRenderPass2:
      ok = cut ? record_begin_render_pass (self, command, error) : record (self, command, error);
      break;
    default:
      ok = record (self, command, error);
    }
  note_scope (self, command);
  return ok;
}

/* --- Closing the copy ------------------------------------------------------------------------ */

static gboolean
emit_end (TransformCut  *self,
          const Open    *open,
          GError       **error)
{
  VtrArgs_vkCmdEndQuery query = { self->copy, open->pool, open->query };
  VtrArgs_vkCmdEndQueryIndexedEXT indexed = { self->copy, open->pool, open->query, open->index };
  VtrArgs_vkCmdEndTransformFeedbackEXT feedback = { .commandBuffer = self->copy };
  VtrArgs_vkCmdEndConditionalRenderingEXT conditional = { self->copy };
  gpointer args = &conditional;

  if (open->end == VTR_CMD_vkCmdEndQuery)
    args = &query;
  else if (open->end == VTR_CMD_vkCmdEndQueryIndexedEXT)
    args = &indexed;
  else if (open->end == VTR_CMD_vkCmdEndTransformFeedbackEXT)
    args = &feedback;
  return vtr_transform_emit (self->parent.next, open->end, args, self->target, error);
}

static gboolean
emit_ends (TransformCut  *self,
           gboolean       in_pass,
           GError       **error)
{
  for (guint i = self->open->len; i > 0; i--)
    {
      const Open *open = &g_array_index (self->open, Open, i - 1);

      if (open->in_pass == in_pass && !emit_end (self, open, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
end_pass (TransformCut  *self,
          GError       **error)
{
  VtrArgs_vkCmdNextSubpass next = { self->copy, VK_SUBPASS_CONTENTS_INLINE };
  VtrArgs_vkCmdEndRenderPass end = { self->copy };

  if (self->state.dynamic_rendering)
    return vtr_transform_emit (self->parent.next, self->end_rendering, &end, self->target, error);
  for (guint32 i = self->state.subpass + 1; i < self->n_subpasses; i++)
    if (!vtr_transform_emit (self->parent.next, VTR_CMD_vkCmdNextSubpass, &next, self->target,
                             error))
      return FALSE;
  return vtr_transform_emit (self->parent.next, VTR_CMD_vkCmdEndRenderPass, &end, self->target,
                             error);
}

static gboolean
close_copy (TransformCut  *self,
            GError       **error)
{
  VtrArgs_vkEndCommandBuffer end = { self->copy };

  if (self->target == self->recording.last) /* the target is vkEndCommandBuffer itself */
    return TRUE;
  return emit_ends (self, TRUE, error) && (!self->state.in_pass || end_pass (self, error)) &&
         emit_ends (self, FALSE, error) &&
         vtr_transform_emit (self->parent.next, VTR_CMD_vkEndCommandBuffer, &end, self->target,
                             error);
}

/* --- The submission -------------------------------------------------------------------------- */

static gboolean
cut_submit (TransformCut  *self,
            VtrCommand    *command,
            GError       **error)
{
  VtrArgs_vkQueueSubmit args = *(const VtrArgs_vkQueueSubmit *)command->args;
  g_autofree VkCommandBuffer *buffers = NULL;
  g_autofree VkSubmitInfo *batches = NULL;
  VkSubmitInfo *last;

  if (args.pSubmits == NULL || self->run.batch >= args.submitCount)
    return FALSE;
  batches = g_memdup2 (args.pSubmits, (self->run.batch + 1) * sizeof *batches);
  last = &batches[self->run.batch];
  if (last->pCommandBuffers == NULL || self->run.position >= last->commandBufferCount)
    return FALSE;
  buffers = g_memdup2 (last->pCommandBuffers, (self->run.position + 1) * sizeof *buffers);
  buffers[self->run.position] = self->copy;
  last->pCommandBuffers = buffers;
  last->commandBufferCount = self->run.position + 1;
  last->signalSemaphoreCount = 0;
  args.submitCount = self->run.batch + 1;
  args.pSubmits = batches;
  args.fence = VK_NULL_HANDLE;
  return vtr_transform_emit (self->parent.next, command->id, &args, command->index, error);
}

static gboolean
cut_submit2 (TransformCut  *self,
             VtrCommand    *command,
             GError       **error)
{
  VtrArgs_vkQueueSubmit2 args = *(const VtrArgs_vkQueueSubmit2 *)command->args;
  g_autofree VkCommandBufferSubmitInfo *buffers = NULL;
  g_autofree VkSubmitInfo2 *batches = NULL;
  VkSubmitInfo2 *last;

  if (args.pSubmits == NULL || self->run.batch >= args.submitCount)
    return FALSE;
  batches = g_memdup2 (args.pSubmits, (self->run.batch + 1) * sizeof *batches);
  last = &batches[self->run.batch];
  if (last->pCommandBufferInfos == NULL || self->run.position >= last->commandBufferInfoCount)
    return FALSE;
  buffers = g_memdup2 (last->pCommandBufferInfos, (self->run.position + 1) * sizeof *buffers);
  buffers[self->run.position].commandBuffer = self->copy;
  last->pCommandBufferInfos = buffers;
  last->commandBufferInfoCount = self->run.position + 1;
  last->signalSemaphoreInfoCount = 0;
  args.submitCount = self->run.batch + 1;
  args.pSubmits = batches;
  args.fence = VK_NULL_HANDLE;
  return vtr_transform_emit (self->parent.next, command->id, &args, command->index, error);
}

static gboolean
cut_submission (TransformCut  *self,
                VtrCommand    *command,
                GError       **error)
{
  gboolean ok;

  if (vtr_cmd_canonical (command->id) == VTR_CMD_vkQueueSubmit2)
    ok = cut_submit2 (self, command, error);
  else
    ok = cut_submit (self, command, error);
  if (!ok && error != NULL && *error == NULL)
    {
      g_autofree char *number =
        vtr_trace_format_number (vtr_history_get_trace (self->history), command->index);

      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                   _ ("Submission %s does not hold the command buffer it should"), number);
    }
  return ok;
}

static gboolean
cut_command (VtrTransform  *transform,
             VtrCommand    *command,
             GError       **error)
{
  TransformCut *self = (TransformCut *)transform;
  guint64 index = command->index;
  gboolean part = index >= self->recording.first && index <= self->recording.last &&
                  vtr_timeline_find_recording (self->timeline, index) == self->nth;
  gboolean inside = part && index <= self->target;

  if (index == self->run.submit)
    return cut_submission (self, command, error);
  if (inside && index == self->recording.first && !allocate_copy (self, index, error))
    return FALSE;
  if ((self->keep_original || !part) && !vtr_transform_command (self->parent.next, command, error))
    return FALSE;
  if (inside && !record_copy (self, command, error))
    return FALSE;
  return index != self->target || close_copy (self, error);
}

static void
cut_free (VtrTransform *transform)
{
  TransformCut *self = (TransformCut *)transform;

  g_array_unref (self->open);
  vtr_timeline_unref (self->timeline);
  vtr_history_unref (self->history);
  g_free (self);
}

static const VtrTransformClass cut_class = {
  .name = "cut",
  .command = cut_command,
  .free = cut_free,
};

/* Where nothing has to be cut: the stream just ends there. */
static const VtrTransformClass pass_class = {
  .name = "cut-between",
  .free = cut_free,
};

static TransformCut *
new_cut (VtrTimeline             *timeline,
         VtrHistory              *history,
         const VtrTransformClass *klass)
{
  TransformCut *self = g_new0 (TransformCut, 1);

  self->parent.klass = klass;
  self->timeline = vtr_timeline_ref (timeline);
  self->history = vtr_history_ref (history);
  self->open = g_array_new (FALSE, FALSE, sizeof (Open));
  return self;
}

VtrTransform *
vtr_transform_cut_new (VtrTimeline  *timeline,
                       VtrHistory   *history,
                       guint64       index,
                       guint32       run_number,
                       guint64      *end,
                       GError      **error)
{
  guint32 nth = vtr_timeline_find_recording (timeline, index);
  TransformCut *self;
  const VtrRun *first;
  const VtrRun *run;

  if (nth == VTR_NO_RECORDING)
    {
      *end = index + 1;
      return &new_cut (timeline, history, &pass_class)->parent;
    }
  first = vtr_timeline_find_run (timeline, nth, 0);
  run = run_number == VTR_NO_RECORDING ? first : vtr_timeline_get_run (timeline, run_number);
  if (run == NULL || run->recording != nth)
    {
      g_autofree char *number = vtr_trace_format_number (vtr_timeline_get_trace (timeline), index);

      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                   _ ("Command %s was recorded into a command buffer that was never submitted, so "
                      "it never ran"),
                   number);
      return NULL;
    }
  if (run->executed_by != VTR_COMMAND_NO_INDEX)
    {
      VtrTrace *trace = vtr_timeline_get_trace (timeline);
      g_autofree char *number = vtr_trace_format_number (trace, index);
      g_autofree char *caller = vtr_trace_format_number (trace, run->executed_by);

      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                   _ ("Command %s is inside a secondary command buffer; select the "
                      "vkCmdExecuteCommands that runs it (command %s) instead"),
                   number, caller);
      return NULL;
    }

  self = new_cut (timeline, history, &cut_class);
  self->target = index;
  self->nth = nth;
  self->recording = *vtr_timeline_get_recording (timeline, nth);
  self->run = *run;
  self->keep_original = run != first;
  self->end_rendering = VTR_CMD_vkCmdEndRendering;
  if (!vtr_bound_state_at (timeline, history, index, &self->state, error))
    {
      vtr_transform_free (&self->parent);
      return NULL;
    }
  *end = run->submit + 1;
  return &self->parent;
}
