/* Leaves out GPU work whose results are not used. Submissions stay for their semaphores and
 * fences, but run no command buffers. Primary command buffers that only such submissions run are
 * not recorded. */
#include "engine/vulkan/transforms/vtr-transforms.h"

#include "vtr-api-args.h"

typedef struct
{
  VtrTransform parent;
  VtrTimeline *timeline;
  guint64 *dead;    /* bit per submission */
  guint8 *unneeded; /* per recording */
} TransformSkipDead;

static gboolean
is_dead (const TransformSkipDead *self,
         guint32                  submission)
{
  /* Commands of the initial state are kept: they are few, and layouts depend on them. */
  if (vtr_timeline_get_submission (self->timeline, submission)->submit <
      vtr_trace_get_n_initial_commands (vtr_timeline_get_trace (self->timeline)))
    return FALSE;
  return (self->dead[submission / 64] >> (submission % 64) & 1) != 0;
}

static gboolean
empty_submit (TransformSkipDead  *self,
              VtrCommand         *command,
              GError            **error)
{
  VtrArgs_vkQueueSubmit args = *(const VtrArgs_vkQueueSubmit *)command->args;
  g_autofree VkSubmitInfo *batches = NULL;

  if (args.pSubmits == NULL)
    return vtr_transform_command (self->parent.next, command, error);
  batches = g_memdup2 (args.pSubmits, args.submitCount * sizeof *batches);
  for (guint32 i = 0; i < args.submitCount; i++)
    batches[i].commandBufferCount = 0;
  args.pSubmits = batches;
  return vtr_transform_emit (self->parent.next, command->id, &args, command->index, error);
}

static gboolean
empty_submit2 (TransformSkipDead  *self,
               VtrCommand         *command,
               GError            **error)
{
  VtrArgs_vkQueueSubmit2 args = *(const VtrArgs_vkQueueSubmit2 *)command->args;
  g_autofree VkSubmitInfo2 *batches = NULL;

  if (args.pSubmits == NULL)
    return vtr_transform_command (self->parent.next, command, error);
  batches = g_memdup2 (args.pSubmits, args.submitCount * sizeof *batches);
  for (guint32 i = 0; i < args.submitCount; i++)
    batches[i].commandBufferInfoCount = 0;
  args.pSubmits = batches;
  return vtr_transform_emit (self->parent.next, command->id, &args, command->index, error);
}

static gboolean
skip_dead_command (VtrTransform  *transform,
                   VtrCommand    *command,
                   GError       **error)
{
  TransformSkipDead *self = (TransformSkipDead *)transform;
  guint32 nth;

  if (vtr_cmd_is (command->id, VTR_CLASS_SUBMIT))
    {
      nth = vtr_timeline_find_submission (self->timeline, command->index);
      if (nth == VTR_NO_RECORDING || !is_dead (self, nth))
        return vtr_transform_command (transform->next, command, error);
      if (vtr_cmd_canonical (command->id) == VTR_CMD_vkQueueSubmit2)
        return empty_submit2 (self, command, error);
      return empty_submit (self, command, error);
    }
  if (vtr_cmd_is (command->id, VTR_CLASS_RECORD) ||
      command->id == VTR_CMD_vkBeginCommandBuffer || command->id == VTR_CMD_vkEndCommandBuffer)
    {
      nth = vtr_timeline_find_recording (self->timeline, command->index);
      if (nth != VTR_NO_RECORDING && self->unneeded[nth])
        return TRUE;
    }
  return vtr_transform_command (transform->next, command, error);
}

static void
skip_dead_free (VtrTransform *transform)
{
  TransformSkipDead *self = (TransformSkipDead *)transform;

  vtr_timeline_unref (self->timeline);
  g_free (self->dead);
  g_free (self->unneeded);
  g_free (self);
}

static const VtrTransformClass skip_dead_class = {
  .name = "skip-dead",
  .command = skip_dead_command,
  .free = skip_dead_free,
  .resume = vtr_transform_resume_plain,
};

/* Recordings that run before @stop, but in dead submissions only. */
static void
find_unneeded (TransformSkipDead *self,
               guint64            stop)
{
  guint32 n = vtr_timeline_get_n_submissions (self->timeline);

  for (int needed = 0; needed < 2; needed++)
    for (guint32 i = 0; i < n; i++)
      {
        const VtrSubmission *submission = vtr_timeline_get_submission (self->timeline, i);

        if (submission->submit > stop || is_dead (self, i) == needed)
          continue;
        for (guint32 j = 0; j < submission->n_runs; j++)
          {
            const VtrRun *run = vtr_timeline_get_run (self->timeline, submission->first_run + j);

            if (run->recording != VTR_NO_RECORDING)
              self->unneeded[run->recording] = !needed;
          }
      }
}

static TransformSkipDead *
skip_dead_new (VtrTimeline *timeline,
               guint64     *dead,
               guint64      stop)
{
  TransformSkipDead *self = g_new0 (TransformSkipDead, 1);

  self->parent.klass = &skip_dead_class;
  self->timeline = vtr_timeline_ref (timeline);
  self->dead = dead;
  self->unneeded = g_new0 (guint8, vtr_timeline_get_n_recordings (timeline) + 1);
  find_unneeded (self, stop);
  return self;
}

VtrTransform *
vtr_transform_skip_dead_new (VtrDeadWork   *work,
                             VtrTimeline   *timeline,
                             guint64        stop,
                             guint32        n_last,
                             guint64        last,
                             const guint64 *images,
                             guint          n_images)
{
  return &skip_dead_new (timeline,
                         vtr_dead_work_find (work, stop, n_last, last, images, n_images), stop)
            ->parent;
}

VtrTransform *
vtr_transform_skip_dead_kept_new (VtrDeadWork   *work,
                                  VtrTimeline   *timeline,
                                  guint64        stop,
                                  const guint64 *images,
                                  guint          n_images)
{
  guint64 *dead = vtr_dead_work_find (work, stop, G_MAXUINT32, G_MAXUINT64, images, n_images);

  return &skip_dead_new (timeline, dead, G_MAXUINT64)->parent;
}
