/* Applies submissions: semaphores and fences, and the effects of the command buffers that run, in
 * order. */
#include "engine/vulkan/state/vtr-state-mutator.h"
#include "engine/vulkan/state/vtr-newer-form.h"

#include "api/vtr-api-args.h"

#include <glib/gi18n.h>

/* --- Runs --- */

static void
step (VtrMutator *self,
      guint32     run,
      guint64     command)
{
  VtrStatePosition at = { self->command.index, run, command };

  if (self->on_step != NULL)
    self->on_step (self->step_data, &at);
}

static gboolean
is_on (const VtrRunChain *chain,
       guint              level,
       guint32            run)
{
  return chain != NULL && level < chain->n && chain->levels[level].run == run;
}

/* The first child of a run that the command at @index executes; children are in the order of
 * execution. */
static guint32
find_child (VtrMutator   *self,
            const VtrRun *run,
            guint64       index)
{
  guint32 low = run->first_child, high = run->first_child + run->n_children;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (vtr_timeline_get_run (self->shared->timeline, middle)->executed_by < index)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* The secondaries that the command at @index executes. Returns: FALSE when @to was reached. */
static gboolean
run_children (VtrMutator        *self,
              guint32            parent,
              guint64            index,
              guint              level,
              const VtrRunChain *from,
              const VtrRunChain *to)
{
  const VtrRun *run = vtr_timeline_get_run (self->shared->timeline, parent);
  gboolean started = from == NULL;

  for (guint32 i = find_child (self, run, index); i < run->first_child + run->n_children; i++)
    {
      gboolean resumes = !started && is_on (from, level, i);

      if (vtr_timeline_get_run (self->shared->timeline, i)->executed_by != index)
        break;
      if (!started && !resumes)
        continue;
      started = TRUE;
      if (!vtr_mutator_run (self, i, level, resumes ? from : NULL,
                            is_on (to, level, i) ? to : NULL))
        return FALSE;
    }
  return TRUE;
}

gboolean
vtr_mutator_run (VtrMutator        *self,
                 guint32            nth,
                 guint              level,
                 const VtrRunChain *from,
                 const VtrRunChain *to)
{
  const VtrRun *run = vtr_timeline_get_run (self->shared->timeline, nth);
  const VtrRecording *recording =
    vtr_timeline_get_recording (self->shared->timeline, run->recording);
  gboolean inside = from != NULL && level + 1 < from->n; /* begins inside a secondary */
  guint64 start = from == NULL ? recording->first : from->levels[level].command + !inside;
  guint64 stop = to == NULL ? recording->last : to->levels[level].command;

  if (level + 1 >= VTR_MAX_LEVELS || stop == VTR_COMMAND_NO_INDEX)
    return to == NULL;
  for (guint64 chunk_start = start - (start - recording->first) % VTR_EFFECT_CHUNK;
       chunk_start <= stop; chunk_start += VTR_EFFECT_CHUNK)
    {
      gboolean made;
      VtrEffectChunk *chunk = vtr_effect_cache_get (
        vtr_vulkan_shared (self->shared)->effects, run->recording,
        (guint32)((chunk_start - recording->first) / VTR_EFFECT_CHUNK), &made);
      gboolean reached = FALSE;

      self->work += made ? chunk->decoded : 0;
      for (guint32 i = 0; i < chunk->n && !reached; i++)
        {
          const VtrEffect *effect = &chunk->effects[i];
          guint64 index = recording->first + effect->offset;

          if (index < start)
            continue;
          if (index > stop)
            break;
          if (effect->kind == VTR_EFFECT_EXECUTE)
            reached = !run_children (
              self, nth, index, level + 1, inside && index == start ? from : NULL,
              to != NULL && index == stop && level + 1 < to->n ? to : NULL);
          vtr_mutator_apply_effect (self, effect, index);
          /* Several effects may be of one command. */
          if (!reached && (i + 1 == chunk->n || chunk->effects[i + 1].offset != effect->offset))
            step (self, nth, index);
        }
      vtr_effect_chunk_unref (chunk);
      if (reached)
        return FALSE;
    }
  return to == NULL;
}

/* --- Submissions --- */

/* The submission, in its second version: vtr_mutator_submit () sees to it. */
static const VtrArgs_vkQueueSubmit2 *
get_args (VtrMutator *self)
{
  return self->command.args;
}

static guint32
get_n_batches (VtrMutator *self)
{
  return get_args (self)->pSubmits != NULL ? get_args (self)->submitCount : 0;
}

static void
wait_batch (VtrMutator *self,
            guint32     nth)
{
  const VkSubmitInfo2 *info = &get_args (self)->pSubmits[nth];

  for (guint32 i = 0; i < info->waitSemaphoreInfoCount && info->pWaitSemaphoreInfos != NULL; i++)
    vtr_mutator_wait_semaphore (self, info->pWaitSemaphoreInfos[i].semaphore,
                                info->pWaitSemaphoreInfos[i].value);
}

static void
signal_batch (VtrMutator *self,
              guint32     nth,
              guint32     queue)
{
  const VkSubmitInfo2 *info = &get_args (self)->pSubmits[nth];

  for (guint32 i = 0; i < info->signalSemaphoreInfoCount && info->pSignalSemaphoreInfos != NULL;
       i++)
    vtr_mutator_signal_semaphore (self, info->pSignalSemaphoreInfos[i].semaphore,
                                  info->pSignalSemaphoreInfos[i].value, queue);
}

/* A command buffer of the submission begins to be pending. */
static void
start_buffer (VtrMutator *self,
              guint64     handle,
              guint32     queue)
{
  guint32 id = vtr_mutator_find (self, VTR_HANDLE_VkCommandBuffer, handle);
  VtrStateCommandBuffer *buffer = vtr_mutator_edit_id (self, id);
  g_autofree char *name = NULL;

  if (buffer == NULL)
    return;
  name = self->messages != NULL ? vtr_mutator_describe (self, id) : NULL;
  if (buffer->status == VTR_BUFFER_RECORDING)
    vtr_mutator_say (self, VTR_STATE_ERROR, self->command.index, "command-buffer",
                     _ ("%s is submitted while it is being recorded."), name);
  else if (buffer->status == VTR_BUFFER_INITIAL)
    vtr_mutator_say (self, VTR_STATE_ERROR, self->command.index, "command-buffer",
                     _ ("%s is submitted, but nothing was recorded into it."), name);
  if (buffer->status != VTR_BUFFER_EXECUTABLE && buffer->status != VTR_BUFFER_PENDING &&
      buffer->status != VTR_BUFFER_INVALID)
    return;
  buffer->status = VTR_BUFFER_PENDING;
  buffer->submit = (guint32)self->command.index;
  buffer->queue = queue;
  if (queue != 0)
    vtr_mutator_add_pending (self, queue, id);
}

static void
start_buffers (VtrMutator *self,
               guint32     queue)
{
  guint32 n = get_n_batches (self);

  for (guint32 i = 0; i < n; i++)
    {
      const VkSubmitInfo2 *info = &get_args (self)->pSubmits[i];

      for (guint32 k = 0; k < info->commandBufferInfoCount && info->pCommandBufferInfos != NULL;
           k++)
        start_buffer (self, (guint64)(guintptr)info->pCommandBufferInfos[k].commandBuffer, queue);
    }
}

/* Secondaries are pending with those that execute them. */
static void
start_children (VtrMutator *self,
                guint32     nth,
                guint32     queue,
                guint       depth)
{
  const VtrRun *run = vtr_timeline_get_run (self->shared->timeline, nth);

  for (guint32 i = run->first_child; depth < 8 && i < run->first_child + run->n_children; i++)
    {
      const VtrRun *child = vtr_timeline_get_run (self->shared->timeline, i);

      start_buffer (
        self, vtr_timeline_get_recording (self->shared->timeline, child->recording)->list,
        queue);
      start_children (self, i, queue, depth + 1);
    }
}

static void
start_submission (VtrMutator          *self,
                  const VtrSubmission *submission,
                  guint32              queue_id)
{
  VtrStateQueue *queue = vtr_mutator_edit_id (self, queue_id);

  if (queue != NULL)
    {
      queue->n_submissions++;
      queue->last_submission = (guint32)self->command.index;
    }
  start_buffers (self, queue_id);
  for (guint32 i = 0; i < submission->n_runs; i++)
    start_children (self, submission->first_run + i, queue_id, 0);
}

/* The runs of one batch. Returns: FALSE when @to was reached. */
static gboolean
run_batch (VtrMutator          *self,
           const VtrSubmission *submission,
           guint32              batch,
           const VtrRunChain   *from,
           const VtrRunChain   *to)
{
  for (guint32 i = submission->first_run; i < submission->first_run + submission->n_runs; i++)
    {
      if (vtr_timeline_get_run (self->shared->timeline, i)->batch != batch ||
          (from != NULL && i < from->levels[0].run))
        continue;
      /* Only dynamic rendering that was suspended goes on in the next command buffer. */
      if (!(from != NULL && is_on (from, 0, i)) && !vtr_state_pass_peek (self->state)->suspended)
        vtr_state_pass_set (self->state, NULL, vtr_state_pass_peek (self->state)->subpass, FALSE);
      if (!vtr_mutator_run (self, i, 0, is_on (from, 0, i) ? from : NULL,
                            is_on (to, 0, i) ? to : NULL))
        return FALSE;
      if (is_on (to, 0, i))
        return FALSE;
    }
  return TRUE;
}

static void
finish_submission (VtrMutator *self,
                   guint32     queue)
{
  if (get_args (self)->fence != VK_NULL_HANDLE)
    vtr_mutator_use_fence (self, get_args (self)->fence, queue);
  vtr_state_pass_set (self->state, NULL, 0, FALSE);
}

static void
submit (VtrMutator             *self,
        guint64                 index,
        const VtrStatePosition *from,
        const VtrStatePosition *to)
{
  guint32 nth = vtr_timeline_find_submission (self->shared->timeline, index);
  const VtrSubmission *submission;
  VtrRunChain start, end;
  guint32 n = get_n_batches (self), queue, first_batch = 0;
  const VtrStateRecord *record;

  if (nth == VTR_NO_RECORDING || (self->command.has_result && (gint32)self->command.result < 0))
    return;
  submission = vtr_timeline_get_submission (self->shared->timeline, nth);
  queue = vtr_mutator_find (self, VTR_HANDLE_VkQueue, submission->executor);
  if (from != NULL)
    {
      vtr_run_chain_init (&start, self->shared->timeline, from);
      first_batch = vtr_timeline_get_run (self->shared->timeline, from->run)->batch;
    }
  else
    start_submission (self, submission, queue);
  if (to != NULL)
    vtr_run_chain_init (&end, self->shared->timeline, to);

  record = vtr_api_state_peek (self->state, queue);
  vtr_mutator_vulkan (self)->queue_family =
    record != NULL ? ((const VtrStateQueue *)(gconstpointer)record)->family
                   : VK_QUEUE_FAMILY_IGNORED;
  for (guint32 i = first_batch; i < n; i++)
    {
      if (from == NULL || i > first_batch)
        wait_batch (self, i);
      if (!run_batch (self, submission, i, from != NULL && i == first_batch ? &start : NULL,
                      to != NULL ? &end : NULL))
        {
          self->state->index = to->command;
          self->state->run = to->run;
          return;
        }
      signal_batch (self, i, queue);
    }
  finish_submission (self, queue);
}

void
vtr_mutator_submit (VtrMutator             *self,
                    guint64                 index,
                    const VtrStatePosition *from,
                    const VtrStatePosition *to)
{
  const VtrCommand call = self->command;
  g_auto (VtrNewerForm) form;

  vtr_newer_form_init (&form, &call);
  self->command = form.command;
  submit (self, index, from, to);
  self->command = call;
}
