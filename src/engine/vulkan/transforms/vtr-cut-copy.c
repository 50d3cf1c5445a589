/* Copies one recording up to its target, and ends there what is open. */
#include "engine/vulkan/transforms/vtr-cut-copy.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/vulkan/transforms/vtr-buffer-copy.h"
#include "engine/vulkan/transforms/vtr-render-pass-clone.h"
#include "vtr-api-args.h"

/* Something the copy has begun and must end. */
typedef struct
{
  VtrCmdId end;
  gboolean in_pass;
  VkQueryPool pool;
  guint32 query, index;
} Open;

/* The pass that is open after the target. */
typedef struct
{
  gboolean open, inherited, dynamic;
  guint64 begin; /* flat index */
  guint32 subpass;
} Pass;

struct _VtrCutCopy
{
  VtrHistory *history;
  VtrTransform *next; /* borrowed: where the copy's commands go */

  guint64 target; /* flat index of the last command to run */
  VtrRecording recording;
  Pass pass;
  VtrCutStart start;      /* .after: VTR_COMMAND_NO_INDEX: it begins where the recording does */
  gboolean ends_pass;     /* the pass that is open there was begun in this recording */
  VkCommandBuffer inner;  /* of the target, a vkCmdExecuteCommands: takes the place of the */
  guint32 inner_position; /* the secondary at this position, the last one; else NULL */

  VkCommandBuffer copy; /* captured-side handle of the copy */
  guint64 render_pass;  /* of the clone; 0: none */
  guint32 n_subpasses;
  VtrCmdId end_rendering; /* alias that fits the begin */
  gboolean in_pass;       /* where the copy is now */
  GArray *open;           /* Open, outermost first */
};

#define HANDLE(type, value) ((type)(gsize)(value))

/* --- Beginning the copy ---------------------------------------------------------------------- */

/* The resolves that are still to come and whose targets the pass has used already: what they hold
 * now would be lost. */
static GArray *
find_spared (VtrCutCopy                  *self,
             const VkRenderPassBeginInfo *info)
{
  g_autofree VtrBoundState *state = g_new0 (VtrBoundState, 1);
  GArray *spared = g_array_new (FALSE, FALSE, sizeof (VtrPassReference));
  g_autoptr (GArray) list = NULL;

  state->in_pass = TRUE;
  state->pass_begin = self->pass.begin;
  state->render_pass = (guint64)(gsize)info->renderPass;
  state->framebuffer = (guint64)(gsize)info->framebuffer;
  state->render_area = info->renderArea;
  state->subpass = self->pass.subpass;
  list = vtr_pass_list_references (self->history, state);
  for (guint i = 0; i < list->len; i++)
    {
      const VtrPassReference *to_come = &g_array_index (list, VtrPassReference, i);
      gboolean used = FALSE;

      if (!vtr_pass_reference_is_to_come (to_come, state->subpass) ||
          !vtr_pass_use_is_resolve (to_come->use))
        continue;
      for (guint j = 0; j < list->len && !used; j++)
        {
          const VtrPassReference *other = &g_array_index (list, VtrPassReference, j);

          used = !vtr_pass_reference_is_to_come (other, state->subpass) &&
                 vtr_attachment_overlaps (&to_come->attachment, &other->attachment);
        }
      if (used)
        g_array_append_val (spared, *to_come);
    }
  return spared;
}

static gboolean
is_cut_pass (const VtrCutCopy *self,
             const VtrCommand *command)
{
  return self->ends_pass && command->index == self->pass.begin;
}

static gboolean
is_resumed_pass (const VtrCutCopy *self,
                 const VtrCommand *command)
{
  return self->start.after != VTR_COMMAND_NO_INDEX && command->index == self->start.pass_begin;
}

/* Creates the clone of the pass that is cut, or goes on. */
static gboolean
create_clone (VtrCutCopy                   *self,
              const VtrCommand             *begin,
              const VkRenderPassBeginInfo  *info,
              GError                      **error)
{
  const gboolean cut = is_cut_pass (self, begin);
  g_autoptr (GArray) spared = cut ? find_spared (self, info) : NULL;
  const VtrRenderPassClone what = {
    .cut = cut,
    .subpass = self->pass.subpass,
    .spared = spared,
    .resumed = is_resumed_pass (self, begin),
    .resumed_subpass = self->start.subpass,
  };
  const VtrObject *object =
    vtr_history_find (self->history,
                      vtr_vulkan_identity (VTR_HANDLE_VkRenderPass,
                                           (guint64)(gsize)info->renderPass),
                      begin->index);
  VtrCommand creation;
  VtrArena arena;
  gboolean ok;

  vtr_arena_init (&arena);
  ok = object != NULL &&
       vtr_history_decode_creation (self->history, object, &arena, &creation, error);
  if (ok)
    {
      self->render_pass = vtr_transform_new_handle ();
      self->n_subpasses = vtr_render_pass_clone (&creation, &arena, &what, &self->render_pass);
      creation.index = begin->index;
      creation.flags = 0;
      ok = self->n_subpasses > 0 && vtr_transform_command (self->next, &creation, error);
    }
  vtr_arena_finish (&arena);
  if (!ok && error != NULL && *error == NULL)
    {
      g_autofree char *number =
        vtr_trace_format_number (vtr_history_get_trace (self->history), begin->index);

      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                   _ ("The trace does not contain the creation of the render pass of command %s"),
                   number);
    }
  return ok;
}

/* --- The copy, command by command ------------------------------------------------------------ */

static void
opened (VtrCutCopy  *self,
        VtrCmdId     end,
        VkQueryPool  pool,
        guint32      query,
        guint32      index)
{
  const Open open = { end, self->in_pass, pool, query, index };

  g_array_append_val (self->open, open);
}

static void
closed (VtrCutCopy  *self,
        VtrCmdId     end,
        VkQueryPool  pool,
        guint32      query,
        guint32      index)
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
note_scope (VtrCutCopy       *self,
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
    case VTR_CMD_vkCmdBeginDebugUtilsLabelEXT:
      opened (self, VTR_CMD_vkCmdEndDebugUtilsLabelEXT, VK_NULL_HANDLE, 0, 0);
      break;
    case VTR_CMD_vkCmdEndDebugUtilsLabelEXT:
      closed (self, VTR_CMD_vkCmdEndDebugUtilsLabelEXT, VK_NULL_HANDLE, 0, 0);
      break;
    case VTR_CMD_vkCmdDebugMarkerBeginEXT:
      opened (self, VTR_CMD_vkCmdDebugMarkerEndEXT, VK_NULL_HANDLE, 0, 0);
      break;
    case VTR_CMD_vkCmdDebugMarkerEndEXT:
      closed (self, VTR_CMD_vkCmdDebugMarkerEndEXT, VK_NULL_HANDLE, 0, 0);
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
record (VtrCutCopy  *self,
        VtrCommand  *command,
        GError     **error)
{
  return vtr_transform_command_into (self->next, self->copy, command, error);
}

static gboolean
record_begin_render_pass (VtrCutCopy  *self,
                          VtrCommand  *command,
                          GError     **error)
{
  VtrArgs_vkCmdBeginRenderPass *args = command->args; /* ...2 begins with the same parameters */
  const VkRenderPassBeginInfo *original = args->pRenderPassBegin;
  VkRenderPassBeginInfo info;
  gboolean ok;

  if (original == NULL || !create_clone (self, command, original, error))
    return FALSE;
  info = *original;
  info.renderPass = HANDLE (VkRenderPass, self->render_pass);
  args->pRenderPassBegin = &info;
  ok = record (self, command, error);
  args->pRenderPassBegin = original;
  return ok;
}

static void
change_attachment (VkRenderingAttachmentInfo *attachment,
                   gboolean                   cut,
                   gboolean                   resumed)
{
  if (attachment == NULL)
    return;
  if (resumed)
    attachment->loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  if (!cut)
    return;
  attachment->storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachment->resolveMode = VK_RESOLVE_MODE_NONE;
}

/* The rendering that is cut stores everything and resolves nothing; one that goes on loads
 * everything. */
static gboolean
record_begin_rendering (VtrCutCopy  *self,
                        VtrCommand  *command,
                        GError     **error)
{
  const gboolean cut = is_cut_pass (self, command), resumed = is_resumed_pass (self, command);
  VtrArgs_vkCmdBeginRendering *args = command->args;
  VkRenderingInfo *info;
  VtrArena arena;
  gboolean ok;
  void *copied;

  self->end_rendering = command->id == VTR_CMD_vkCmdBeginRendering ? VTR_CMD_vkCmdEndRendering
                                                                   : VTR_CMD_vkCmdEndRenderingKHR;
  if (args->pRenderingInfo == NULL || (!cut && !resumed))
    return record (self, command, error);

  vtr_arena_init (&arena);
  ok = vtr_api_copy (command->id, args, &(VtrApiEnv){ .decoded = true }, &arena, &copied) == VTR_OK;
  if (ok)
    {
      VtrCommand changed = *command;

      changed.args = copied;
      info = (VkRenderingInfo *)((VtrArgs_vkCmdBeginRendering *)copied)->pRenderingInfo;
      for (guint32 i = 0; info->pColorAttachments != NULL && i < info->colorAttachmentCount; i++)
        change_attachment ((VkRenderingAttachmentInfo *)&info->pColorAttachments[i], cut, resumed);
      change_attachment ((VkRenderingAttachmentInfo *)info->pDepthAttachment, cut, resumed);
      change_attachment ((VkRenderingAttachmentInfo *)info->pStencilAttachment, cut, resumed);
      ok = record (self, &changed, error);
    }
  vtr_arena_finish (&arena);
  return ok;
}

/* Runs the secondaries up to the one that is cut, which its copy replaces. */
static gboolean
record_execute (VtrCutCopy  *self,
                VtrCommand  *command,
                GError     **error)
{
  VtrArgs_vkCmdExecuteCommands args = *(const VtrArgs_vkCmdExecuteCommands *)command->args;
  g_autofree VkCommandBuffer *buffers = NULL;
  VtrCommand changed = *command;

  if (self->inner == NULL || command->index != self->target)
    return record (self, command, error);
  if (args.pCommandBuffers == NULL || self->inner_position >= args.commandBufferCount)
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                           _ ("vkCmdExecuteCommands does not execute the expected command buffer"));
      return FALSE;
    }
  buffers = g_memdup2 (args.pCommandBuffers, (self->inner_position + 1) * sizeof *buffers);
  buffers[self->inner_position] = self->inner;
  args.pCommandBuffers = buffers;
  args.commandBufferCount = self->inner_position + 1;
  changed.args = &args;
  return record (self, &changed, error);
}

static gboolean
record_copy (VtrCutCopy  *self,
             VtrCommand  *command,
             GError     **error)
{
  gboolean ok;

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCmdBeginRendering:
      ok = record_begin_rendering (self, command, error);
      break;
    case VTR_CMD_vkCmdBeginRenderPass:
    case VTR_CMD_vkCmdBeginRenderPass2:
      ok = is_cut_pass (self, command) || is_resumed_pass (self, command)
             ? record_begin_render_pass (self, command, error)
             : record (self, command, error);
      break;
    case VTR_CMD_vkCmdExecuteCommands:
      ok = record_execute (self, command, error);
      break;
    default:
      ok = record (self, command, error);
    }
  note_scope (self, command);
  return ok;
}

/* --- Closing the copy ------------------------------------------------------------------------ */

static gboolean
emit_end (VtrCutCopy  *self,
          const Open  *open,
          GError     **error)
{
  VtrArgs_vkCmdEndQuery query = { self->copy, open->pool, open->query };
  VtrArgs_vkCmdEndQueryIndexedEXT indexed = { self->copy, open->pool, open->query, open->index };
  VtrArgs_vkCmdEndTransformFeedbackEXT feedback = { .commandBuffer = self->copy };
  VtrArgs_vkCmdEndConditionalRenderingEXT only_buffer = { self->copy };
  gpointer args = &only_buffer; /* labels and markers, too */

  if (open->end == VTR_CMD_vkCmdEndQuery)
    args = &query;
  else if (open->end == VTR_CMD_vkCmdEndQueryIndexedEXT)
    args = &indexed;
  else if (open->end == VTR_CMD_vkCmdEndTransformFeedbackEXT)
    args = &feedback;
  return vtr_transform_emit (self->next, open->end, args, self->target, error);
}

static gboolean
emit_ends (VtrCutCopy  *self,
           gboolean     in_pass,
           GError     **error)
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
end_pass (VtrCutCopy  *self,
          GError     **error)
{
  VtrArgs_vkCmdNextSubpass next = { self->copy, VK_SUBPASS_CONTENTS_INLINE };
  VtrArgs_vkCmdEndRenderPass end = { self->copy };

  if (self->pass.dynamic)
    return vtr_transform_emit (self->next, self->end_rendering, &end, self->target, error);
  for (guint32 i = self->pass.subpass + 1; i < self->n_subpasses; i++)
    if (!vtr_transform_emit (self->next, VTR_CMD_vkCmdNextSubpass, &next, self->target,
                             error))
      return FALSE;
  return vtr_transform_emit (self->next, VTR_CMD_vkCmdEndRenderPass, &end, self->target,
                             error);
}

static gboolean
close_copy (VtrCutCopy  *self,
            GError     **error)
{
  VtrArgs_vkEndCommandBuffer end = { self->copy };

  if (self->target == self->recording.last) /* the target is vkEndCommandBuffer itself */
    return TRUE;
  return emit_ends (self, TRUE, error) && (!self->ends_pass || end_pass (self, error)) &&
         emit_ends (self, FALSE, error) &&
         vtr_transform_emit (self->next, VTR_CMD_vkEndCommandBuffer, &end, self->target,
                             error);
}

/* --- The pass that is cut --------------------------------------------------------------------- */

/* Whether the recording that begins at @index goes on with a pass that others begin. */
static gboolean
inherits (VtrTrace  *trace,
          guint64    index,
          gboolean  *out,
          GError   **error)
{
  const VtrArgs_vkBeginCommandBuffer *args;
  VtrCommand command;
  VtrArena arena;
  gboolean ok;

  vtr_arena_init (&arena);
  ok = vtr_trace_decode (trace, index, &arena, &command, error);
  args = ok ? command.args : NULL;
  *out = ok && command.id == VTR_CMD_vkBeginCommandBuffer && args->pBeginInfo != NULL &&
         args->pBeginInfo->pInheritanceInfo != NULL &&
         (args->pBeginInfo->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0;
  vtr_arena_finish (&arena);
  return ok;
}

/* Looks backwards from @target, at names only. */
static gboolean
find_pass (VtrTimeline  *timeline,
           guint32       recording,
           guint64       target,
           Pass         *out,
           GError      **error)
{
  VtrTrace *trace = vtr_timeline_get_trace (timeline);
  guint64 first = vtr_timeline_get_recording (timeline, recording)->first;
  gboolean contiguous = vtr_timeline_is_contiguous (timeline);

  *out = (Pass){ .begin = VTR_COMMAND_NO_INDEX };
  for (guint64 i = target; i > first; i--)
    {
      VtrCmdId id = vtr_trace_get_command_id (trace, i);

      if (!vtr_cmd_is_vulkan (id) ||
          !vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS | VTR_CLASS_END_PASS | VTR_CLASS_NEXT_SUBPASS) ||
          (!contiguous && vtr_timeline_find_recording (timeline, i) != recording))
        continue;
      if (vtr_cmd_is (id, VTR_CLASS_END_PASS))
        return TRUE;
      if (vtr_cmd_is (id, VTR_CLASS_NEXT_SUBPASS))
        {
          out->subpass++;
          continue;
        }
      out->open = TRUE;
      out->begin = i;
      out->dynamic = vtr_cmd_canonical (id) == VTR_CMD_vkCmdBeginRendering;
      return TRUE;
    }
  if (!inherits (trace, first, &out->inherited, error))
    return FALSE;
  out->open = out->inherited;
  return TRUE;
}

/* --- As the others see it -------------------------------------------------------------------- */

VtrCutCopy *
vtr_cut_copy_new (VtrTimeline  *timeline,
                  VtrHistory   *history,
                  guint32       recording,
                  guint64       target,
                  GError      **error)
{
  VtrCutCopy *self = g_new0 (VtrCutCopy, 1);

  self->history = vtr_history_ref (history);
  self->target = target;
  self->recording = *vtr_timeline_get_recording (timeline, recording);
  self->end_rendering = VTR_CMD_vkCmdEndRendering;
  self->open = g_array_new (FALSE, FALSE, sizeof (Open));
  self->start.after = VTR_COMMAND_NO_INDEX;
  if (!find_pass (timeline, recording, target, &self->pass, error))
    {
      vtr_cut_copy_free (self);
      return NULL;
    }
  self->ends_pass = self->pass.open && !self->pass.inherited;
  return self;
}

void
vtr_cut_copy_free (VtrCutCopy *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->open);
  vtr_history_unref (self->history);
  g_free (self);
}

void
vtr_cut_copy_set_inner (VtrCutCopy      *self,
                        VkCommandBuffer  inner,
                        guint32          position)
{
  self->inner = inner;
  self->inner_position = position;
}

void
vtr_cut_copy_start_at (VtrCutCopy        *self,
                       const VtrCutStart *start)
{
  self->start = *start;
}

VkCommandBuffer
vtr_cut_copy_get_command_buffer (const VtrCutCopy *self)
{
  return self->copy;
}

gboolean
vtr_cut_copy_command (VtrCutCopy    *self,
                      VtrTransform  *next,
                      VtrCommand    *command,
                      GError       **error)
{
  self->next = next;
  if (command->index == self->recording.first &&
      !vtr_buffer_copy_allocate (next, self->history, self->recording.list,
                                 command->index, &self->copy, error))
    return FALSE;
  if (command->index > self->target)
    return TRUE;
  return record_copy (self, command, error) &&
         (command->index != self->target || close_copy (self, error));
}
