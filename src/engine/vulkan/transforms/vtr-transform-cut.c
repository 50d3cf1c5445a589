/* Ends the stream in the middle of a command buffer.  While the recording that contains the
 * target passes, a copy of it is recorded beside it, up to the target. The recordings that
 * execute it as a secondary are copied in the same way. The submission then runs the copy of the
 * primary instead of the original, and everything after it is left out. */
#include "engine/vulkan/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/vulkan/transforms/vtr-cut-copy.h"
#include "vtr-api-args.h"

#define MAX_LEVELS 8

/* A recording on the way from the submission to the target. */
typedef struct
{
  guint32 recording;
  guint32 position;       /* of a secondary, in the vkCmdExecuteCommands that runs it */
  gboolean keep_original; /* something else runs it, too */
  VtrCutCopy *copy;
} Level;

typedef struct
{
  VtrTransform parent;
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrRun run;               /* of the primary */
  Level levels[MAX_LEVELS]; /* the innermost first, the primary last */
  guint n_levels;
  gboolean started; /* in the middle of the primary: what is submitted before it has run */
} TransformCut;

/* --- The submission -------------------------------------------------------------------------- */

static VkCommandBuffer
get_primary (const TransformCut *self)
{
  return vtr_cut_copy_get_command_buffer (self->levels[self->n_levels - 1].copy);
}

/* Passes what ran before the copy in its submission to vtr_transform_skipped () of the next
 * transforms, and leaves it out. */
static void
skip_before (TransformCut          *self,
             const VtrCommand      *command,
             VtrArgs_vkQueueSubmit *args,
             VkSubmitInfo          *batches,
             VkCommandBuffer       *buffers)
{
  VkSubmitInfo *last = &batches[self->run.batch];
  VtrCommand before = *command;

  before.args = args;
  last->commandBufferCount = self->run.position;
  vtr_transform_skipped (self->parent.next, &before);
  buffers[0] = buffers[self->run.position];
  last->commandBufferCount = 1;
  last->waitSemaphoreCount = 0;
  last->pNext = NULL; /* has values for the semaphores */
  args->pSubmits = last;
  args->submitCount = 1;
}

static void
skip_before2 (TransformCut              *self,
              const VtrCommand          *command,
              VtrArgs_vkQueueSubmit2    *args,
              VkSubmitInfo2             *batches,
              VkCommandBufferSubmitInfo *buffers)
{
  VkSubmitInfo2 *last = &batches[self->run.batch];
  VtrCommand before = *command;

  before.args = args;
  last->commandBufferInfoCount = self->run.position;
  vtr_transform_skipped (self->parent.next, &before);
  buffers[0] = buffers[self->run.position];
  last->commandBufferInfoCount = 1;
  last->waitSemaphoreInfoCount = 0;
  args->pSubmits = last;
  args->submitCount = 1;
}

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
  buffers[self->run.position] = get_primary (self);
  last->pCommandBuffers = buffers;
  last->commandBufferCount = self->run.position + 1;
  last->signalSemaphoreCount = 0;
  args.submitCount = self->run.batch + 1;
  args.pSubmits = batches;
  args.fence = VK_NULL_HANDLE;
  if (self->started)
    skip_before (self, command, &args, batches, buffers);
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
  buffers[self->run.position].commandBuffer = get_primary (self);
  last->pCommandBufferInfos = buffers;
  last->commandBufferInfoCount = self->run.position + 1;
  last->signalSemaphoreInfoCount = 0;
  args.submitCount = self->run.batch + 1;
  args.pSubmits = batches;
  args.fence = VK_NULL_HANDLE;
  if (self->started)
    skip_before2 (self, command, &args, batches, buffers);
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
                   _ ("Submission %s does not contain the expected command buffer"), number);
    }
  return ok;
}

static Level *
find_level (TransformCut *self,
            guint32       recording)
{
  for (guint i = 0; recording != VTR_NO_RECORDING && i < self->n_levels; i++)
    if (self->levels[i].recording == recording)
      return &self->levels[i];
  return NULL;
}

/* --- Commands -------------------------------------------------------------------------------- */

static gboolean
cut_command (VtrTransform  *transform,
             VtrCommand    *command,
             GError       **error)
{
  TransformCut *self = (TransformCut *)transform;
  Level *level;

  if (command->index == self->run.submit)
    return cut_submission (self, command, error);
  level = find_level (self, vtr_timeline_find_recording (self->timeline, command->index));
  if (level == NULL)
    return vtr_transform_command (self->parent.next, command, error);
  if (level->keep_original && !vtr_transform_command (self->parent.next, command, error))
    return FALSE;
  if (level > self->levels)
    vtr_cut_copy_set_inner (level->copy, vtr_cut_copy_get_command_buffer (level[-1].copy),
                            level[-1].position);
  return vtr_cut_copy_command (level->copy, self->parent.next, command, error);
}

/* The commands of the primary that its copy does not record. */
static void
cut_skipped (VtrTransform *transform,
             VtrCommand   *command)
{
  TransformCut *self = (TransformCut *)transform;
  VkCommandBuffer *slot = command->args; /* the first parameter of all of them */
  VkCommandBuffer original = *slot;

  *slot = get_primary (self);
  vtr_transform_skipped (transform->next, command);
  *slot = original;
}

static void
cut_free (VtrTransform *transform)
{
  TransformCut *self = (TransformCut *)transform;

  for (guint i = 0; i < self->n_levels; i++)
    vtr_cut_copy_free (self->levels[i].copy);
  vtr_timeline_unref (self->timeline);
  vtr_history_unref (self->history);
  g_free (self);
}

static const VtrTransformClass cut_class = {
  .name = "cut",
  .command = cut_command,
  .free = cut_free,
  .resume = vtr_transform_resume_plain,
  .skipped = cut_skipped,
};

/* Where nothing has to be cut: the stream just ends there. */
static const VtrTransformClass pass_class = {
  .name = "cut-between",
  .free = cut_free,
  .resume = vtr_transform_resume_plain,
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
  return self;
}

/* From the target's recording out to the one that is submitted. Sets self->run. */
static gboolean
add_levels (TransformCut  *self,
            const VtrRun  *run,
            guint64        target,
            GError       **error)
{
  for (;;)
    {
      Level *level = &self->levels[self->n_levels];

      if (self->n_levels == MAX_LEVELS)
        {
          g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                               _ ("The command is inside too many nested command buffers"));
          return FALSE;
        }
      level->recording = run->recording;
      level->position = run->position;
      level->keep_original = run->parent != VTR_NO_RUN ||
                             run != vtr_timeline_find_run (self->timeline, run->recording, 0);
      level->copy =
        vtr_cut_copy_new (self->timeline, self->history, run->recording, target, error);
      if (level->copy == NULL)
        return FALSE;
      self->n_levels++;
      if (run->parent == VTR_NO_RUN)
        break;
      target = run->executed_by;
      run = vtr_timeline_get_run (self->timeline, run->parent);
    }
  self->run = *run;
  return TRUE;
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
  run = run_number == VTR_NO_RUN ? first : vtr_timeline_get_run (timeline, run_number);
  if (run == NULL || run->recording != nth)
    {
      g_autofree char *number = vtr_trace_format_number (vtr_timeline_get_trace (timeline), index);

      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                   _ ("Command %s was recorded into a command buffer that was never submitted, so "
                      "it never ran"),
                   number);
      return NULL;
    }

  self = new_cut (timeline, history, &cut_class);
  if (!add_levels (self, run, index, error))
    {
      vtr_transform_free (&self->parent);
      return NULL;
    }
  *end = self->run.submit + 1;
  return &self->parent;
}

void
vtr_transform_cut_start_at (VtrTransform      *chain,
                            const VtrCutStart *start)
{
  TransformCut *self = (TransformCut *)vtr_transform_find (chain, &cut_class);

  g_return_if_fail (self != NULL);
  self->started = TRUE;
  vtr_cut_copy_start_at (self->levels[self->n_levels - 1].copy, start);
}
