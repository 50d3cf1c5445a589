/* Fills a VtrTimeline, in one pass over the trace. */
#include "engine/state/vtr-timeline-private.h"
#include "engine/vulkan/state/vtr-work.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-types.h"

/* How deep secondaries may execute secondaries; a damaged file could make a loop. */
#define MAX_DEPTH 8
/* How many runs one file may make of nested executes, before it is taken for hostile. */
#define MAX_RUNS (64u << 20)

/* What is known about a VkCommandBuffer at this point of the pass. */
typedef struct
{
  guint64 handle;
  guint64 pool;
  guint32 level;
  guint32 queue_family;
  guint32 open;  /* recording in progress, or VTR_NO_RECORDING */
  guint32 ended; /* last recording that was ended */
} VtrBufferState;

typedef struct
{
  VtrTimeline *timeline;
  VtrArena arena;
  GHashTable *pools;   /* VkCommandPool (guint64 *) → queue family */
  GHashTable *buffers; /* VkCommandBuffer (guint64 *) → VtrBufferState */
  guint32 open;        /* recording that a vkCmd* is part of, in contiguous files */
  gboolean loose;      /* recordings are interleaved: each vkCmd* is asked whose it is */
} VtrTimelineBuilder;

static VtrBufferState *
builder_get_buffer (VtrTimelineBuilder *self, guint64 handle)
{
  VtrBufferState *state = g_hash_table_lookup (self->buffers, &handle);

  if (state != NULL)
    return state;

  state = g_new0 (VtrBufferState, 1);
  state->handle = handle;
  state->level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  state->queue_family = G_MAXUINT32;
  state->open = state->ended = VTR_NO_RECORDING;
  g_hash_table_insert (self->buffers, &state->handle, state);
  return state;
}

static void
builder_create_pool (VtrTimelineBuilder *self, const VtrCommand *command)
{
  const VtrArgs_vkCreateCommandPool *args = command->args;
  guint64 *key;

  if (args->pCreateInfo == NULL || args->pCommandPool == NULL || *args->pCommandPool == 0)
    return;

  key = g_new (guint64, 1);
  *key = (guint64)*args->pCommandPool;
  g_hash_table_replace (self->pools, key, GUINT_TO_POINTER (args->pCreateInfo->queueFamilyIndex));
}

static void
builder_allocate (VtrTimelineBuilder *self, const VtrCommand *command)
{
  const VtrArgs_vkAllocateCommandBuffers *args = command->args;
  guint64 pool;
  gpointer family;

  if (args->pAllocateInfo == NULL || args->pCommandBuffers == NULL ||
      (command->has_result && (gint64)command->result < 0))
    return;

  pool = (guint64)args->pAllocateInfo->commandPool;
  for (guint32 i = 0; i < args->pAllocateInfo->commandBufferCount; i++)
    {
      guint64 handle = (guint64)(guintptr)args->pCommandBuffers[i];
      VtrBufferState *state = builder_get_buffer (self, handle);

      state->pool = pool;
      state->level = args->pAllocateInfo->level;
      if (g_hash_table_lookup_extended (self->pools, &pool, NULL, &family))
        state->queue_family = GPOINTER_TO_UINT (family);
    }
}

static guint32
builder_begin (VtrTimelineBuilder *self, const VtrCommand *command)
{
  VtrTimeline *timeline = self->timeline;
  const VtrArgs_vkBeginCommandBuffer *args = command->args;
  VtrBufferState *state = builder_get_buffer (self, (guint64)(guintptr)args->commandBuffer);
  VtrRecording recording = {
    .command_buffer = state->handle,
    .first = command->index,
    .last = command->index,
    .level = state->level,
    .queue_family = state->queue_family,
    .first_run = VTR_NO_RUN,
  };
  guint32 nth = timeline->recordings->len;
  GArray *list = g_hash_table_lookup (timeline->by_buffer, &state->handle);

  g_array_append_val (timeline->recordings, recording);
  if (list == NULL)
    {
      list = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_hash_table_insert (timeline->by_buffer, g_memdup2 (&state->handle, sizeof (guint64)),
                           list);
    }
  g_array_append_val (list, nth);
  state->open = nth;
  return nth;
}

/* Counts a command that is part of recording @nth. */
static void
builder_extend (VtrTimelineBuilder *self, guint32 nth, guint64 index, VtrCmdId id)
{
  VtrRecording *recording = vtr_timeline_recording_at (self->timeline, nth);

  VtrApiClass work = vtr_work_at (self->timeline->trace, index);

  recording->last = index;
  if ((work & VTR_CLASS_DRAW) != 0)
    recording->n_draws++;
  else if (work != 0)
    recording->n_dispatches++;
  else if (vtr_cmd_is (id, VTR_CLASS_TRANSFER))
    recording->n_transfers++;
  else if (vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS))
    recording->n_passes++;
  if (self->timeline->membership != NULL)
    self->timeline->membership[index] = nth;
}

static void
builder_end (VtrTimelineBuilder *self, guint32 nth)
{
  VtrRecording *recording = vtr_timeline_recording_at (self->timeline, nth);
  VtrBufferState *state = builder_get_buffer (self, recording->command_buffer);

  recording->complete = (vtr_trace_get_flags (self->timeline->trace, recording->last) &
                         (VTR_COMMAND_ABANDONED | VTR_COMMAND_UNFINISHED)) == 0;
  state->ended = nth;
  state->open = VTR_NO_RECORDING;
}

static void
builder_execute (VtrTimelineBuilder *self, const VtrCommand *command, guint32 nth)
{
  VtrTimeline *timeline = self->timeline;
  const VtrArgs_vkCmdExecuteCommands *args = command->args;
  VtrExecute execute = {
    .index = command->index,
    .recording = nth,
    .first = timeline->executed->len,
    .count = args->pCommandBuffers != NULL ? args->commandBufferCount : 0,
  };

  for (guint32 i = 0; i < execute.count; i++)
    {
      guint64 handle = (guint64)(guintptr)args->pCommandBuffers[i];
      guint32 secondary = builder_get_buffer (self, handle)->ended;

      if (secondary != VTR_NO_RECORDING)
        {
          VtrRecording *recording = vtr_timeline_recording_at (timeline, nth);
          const VtrRecording *other = vtr_timeline_recording_at (timeline, secondary);

          recording->n_draws += other->n_draws;
          recording->n_dispatches += other->n_dispatches;
          recording->n_transfers += other->n_transfers;
          recording->n_passes += other->n_passes;
        }
      g_array_append_val (timeline->executed, secondary);
    }
  g_array_append_val (timeline->executes, execute);
}

static void
builder_add_run (VtrTimelineBuilder *self,
                 VtrSubmission      *submission,
                 guint64             command_buffer,
                 guint32             batch,
                 guint32             position)
{
  VtrTimeline *timeline = self->timeline;
  VtrRun run = {
    .recording = builder_get_buffer (self, command_buffer)->ended,
    .submit = submission->submit,
    .batch = batch,
    .position = position,
    .executed_by = VTR_COMMAND_NO_INDEX,
    .parent = VTR_NO_RUN,
  };

  if (run.recording == VTR_NO_RECORDING)
    return;

  if (submission->submit >= vtr_trace_get_n_initial_commands (timeline->trace))
    {
      timeline->n_draws += vtr_timeline_recording_at (timeline, run.recording)->n_draws;
      timeline->n_dispatches +=
        vtr_timeline_recording_at (timeline, run.recording)->n_dispatches;
    }
  g_array_append_val (timeline->runs, run);
  submission->n_runs++;
}

/* Appends the runs of the secondaries that run @nth executes. */
static void
builder_add_children (VtrTimelineBuilder *self, guint32 nth)
{
  VtrTimeline *timeline = self->timeline;
  const VtrRun parent = *vtr_timeline_run_at (timeline, nth);
  const VtrRecording *recording = vtr_timeline_recording_at (timeline, parent.recording);
  guint32 first = timeline->runs->len;

  for (guint32 i = vtr_timeline_find_execute (timeline,
                                              recording->first);
       i < timeline->executes->len; i++)
    {
      const VtrExecute *execute = &g_array_index (timeline->executes, VtrExecute, i);

      if (execute->index > recording->last)
        break;
      if (execute->recording != parent.recording)
        continue;
      for (guint32 k = 0; k < execute->count && timeline->runs->len < MAX_RUNS; k++)
        {
          VtrRun run = {
            .recording = g_array_index (timeline->executed, guint32, execute->first + k),
            .submit = parent.submit,
            .batch = parent.batch,
            .position = k,
            .executed_by = execute->index,
            .parent = nth,
          };

          if (run.recording != VTR_NO_RECORDING && run.recording != parent.recording)
            g_array_append_val (timeline->runs, run);
        }
    }
  vtr_timeline_run_at (timeline, nth)->first_child = first;
  vtr_timeline_run_at (timeline, nth)->n_children = timeline->runs->len - first;
}

/* Level by level, so that the children of each run lie together. */
static void
builder_add_secondaries (VtrTimelineBuilder *self, guint32 first)
{
  guint32 end = self->timeline->runs->len;

  for (guint depth = 0; depth < MAX_DEPTH && first < end; depth++)
    {
      for (guint32 i = first; i < end; i++)
        builder_add_children (self, i);
      first = end;
      end = self->timeline->runs->len;
    }
}

static void
builder_submit (VtrTimelineBuilder *self, const VtrCommand *command)
{
  VtrTimeline *timeline = self->timeline;
  VtrSubmission submission = { .submit = command->index, .first_run = timeline->runs->len };
  gboolean failed = command->has_result && (gint32)command->result < 0 &&
                    (gint32)command->result != VK_ERROR_DEVICE_LOST;

  if (vtr_cmd_canonical (command->id) == VTR_CMD_vkQueueSubmit)
    {
      const VtrArgs_vkQueueSubmit *args = command->args;

      submission.queue = (guint64)(guintptr)args->queue;
      for (guint32 i = 0; i < args->submitCount && args->pSubmits != NULL && !failed; i++)
        for (guint32 k = 0; k < args->pSubmits[i].commandBufferCount &&
                            args->pSubmits[i].pCommandBuffers != NULL;
             k++)
          builder_add_run (self, &submission,
                           (guint64)(guintptr)args->pSubmits[i].pCommandBuffers[k], i, k);
    }
  else
    {
      const VtrArgs_vkQueueSubmit2 *args = command->args;

      submission.queue = (guint64)(guintptr)args->queue;
      for (guint32 i = 0; i < args->submitCount && args->pSubmits != NULL && !failed; i++)
        for (guint32 k = 0; k < args->pSubmits[i].commandBufferInfoCount &&
                            args->pSubmits[i].pCommandBufferInfos != NULL;
             k++)
          builder_add_run (
            self, &submission,
            (guint64)(guintptr)args->pSubmits[i].pCommandBufferInfos[k].commandBuffer, i, k);
    }
  builder_add_secondaries (self, submission.first_run);
  g_array_append_val (timeline->submissions, submission);
  if (command->index < vtr_trace_get_n_initial_commands (timeline->trace))
    timeline->n_initial_submissions = timeline->submissions->len;
}

static gboolean
builder_decode (VtrTimelineBuilder *self, guint64 index, VtrCommand *out, GError **error)
{
  vtr_arena_reset (&self->arena);
  return vtr_trace_decode (self->timeline->trace, index, &self->arena, out, error);
}

/* Whose recording the vkCmd* or vkEndCommandBuffer at @index is part of. */
static guint32
builder_find_open (VtrTimelineBuilder *self, guint64 index)
{
  VtrCommand command;
  guint64 handle;

  if (!self->loose)
    return self->open;
  if (!builder_decode (self, index, &command, NULL))
    return VTR_NO_RECORDING;
  handle = (guint64)(guintptr) * (VkCommandBuffer *)command.args;
  return builder_get_buffer (self, handle)->open;
}

/* A command in a command buffer. Returns: FALSE when the file turns out not to be contiguous. */
static gboolean
builder_record (VtrTimelineBuilder *self, guint64 index, VtrCmdId id)
{
  guint32 nth = builder_find_open (self, index);
  VtrCommand command;

  if (nth == VTR_NO_RECORDING)
    return self->loose;

  builder_extend (self, nth, index, id);
  if (id == VTR_CMD_vkEndCommandBuffer)
    {
      builder_end (self, nth);
      self->open = VTR_NO_RECORDING;
    }
  else if (vtr_cmd_is (id, VTR_CLASS_EXECUTE) && builder_decode (self, index, &command, NULL))
    builder_execute (self, &command, nth);
  return TRUE;
}

/* Returns: FALSE as builder_record(). A command that cannot be decoded is passed over: the rest of
   the trace is still worth seeing, and the report names it. */
static gboolean
builder_command (VtrTimelineBuilder *self, guint64 index)
{
  VtrTrace *trace = self->timeline->trace;
  VtrCmdId id = vtr_trace_get_command_id (trace, index);
  VtrCommand command;

  if (!vtr_cmd_is_vulkan (id))
    return TRUE;
  id = vtr_cmd_canonical (id);
  if (vtr_cmd_is (id, VTR_CLASS_RECORD) || id == VTR_CMD_vkEndCommandBuffer)
    return builder_record (self, index, id);

  self->open = VTR_NO_RECORDING;
  switch (id)
    {
    case VTR_CMD_vkBeginCommandBuffer:
      if (builder_decode (self, index, &command, NULL) &&
          !(command.has_result && (gint32)command.result < 0))
        {
          self->open = builder_begin (self, &command);
          builder_extend (self, self->open, index, id);
        }
      break;
    case VTR_CMD_vkCreateCommandPool:
      if (builder_decode (self, index, &command, NULL))
        builder_create_pool (self, &command);
      break;
    case VTR_CMD_vkAllocateCommandBuffers:
      if (builder_decode (self, index, &command, NULL))
        builder_allocate (self, &command);
      break;
    case VTR_CMD_vkQueueSubmit:
    case VTR_CMD_vkQueueSubmit2:
      if (builder_decode (self, index, &command, NULL))
        builder_submit (self, &command);
      break;
    default:
      break;
    }
  return TRUE;
}

static void
vtr_timeline_clear (VtrTimeline *self)
{
  g_array_set_size (self->recordings, 0);
  g_array_set_size (self->executes, 0);
  g_array_set_size (self->executed, 0);
  g_array_set_size (self->submissions, 0);
  g_array_set_size (self->runs, 0);
  g_hash_table_remove_all (self->by_buffer);
  self->n_draws = self->n_dispatches = 0;
  self->n_initial_submissions = 0;
}

/* Runs by recording: a counting sort keeps their order. */
static void
vtr_timeline_sort_runs (VtrTimeline *self)
{
  guint32 n = self->recordings->len;
  guint32 *fill;

  self->run_start = g_new0 (guint32, (gsize)n + 1);
  self->run_order = g_new (guint32, MAX (self->runs->len, 1));
  for (guint32 i = 0; i < self->runs->len; i++)
    self->run_start[vtr_timeline_run_at (self, i)->recording + 1]++;
  for (guint32 i = 0; i < n; i++)
    self->run_start[i + 1] += self->run_start[i];

  fill = g_memdup2 (self->run_start, sizeof (guint32) * ((gsize)n + 1));
  for (guint32 i = 0; i < self->runs->len; i++)
    self->run_order[fill[vtr_timeline_run_at (self, i)->recording]++] = i;
  g_free (fill);

  for (guint32 i = 0; i < n; i++)
    {
      VtrRecording *recording = vtr_timeline_recording_at (self, i);

      recording->n_runs = self->run_start[i + 1] - self->run_start[i];
      if (recording->n_runs > 0)
        recording->first_run = self->run_order[self->run_start[i]];
    }
}

static gboolean
builder_pass (VtrTimelineBuilder  *self,
              VtrTraceProgress     progress,
              gpointer             data,
              GCancellable        *cancellable,
              GError             **error)
{
  guint64 n = vtr_trace_get_n_commands (self->timeline->trace);

  self->open = VTR_NO_RECORDING;
  for (guint64 i = 0; i < n; i++)
    {
      if (i % 1024 == 0)
        {
          if (g_cancellable_set_error_if_cancelled (cancellable, error))
            return FALSE;
          if (progress != NULL)
            progress (i, n, data);
        }
      if (builder_command (self, i))
        continue;

      /* A command outside every block: this file lists calls as they were made. Start again, asking
         each whose it is. */
      vtr_timeline_clear (self->timeline);
      g_hash_table_remove_all (self->buffers);
      g_hash_table_remove_all (self->pools);
      self->loose = TRUE;
      self->timeline->membership = g_new (guint32, n);
      memset (self->timeline->membership, 0xff, sizeof (guint32) * n);
      i = G_MAXUINT64;
    }
  return TRUE;
}

VtrTimeline *
vtr_timeline_build (VtrTrace          *trace,
                    VtrTraceProgress   progress,
                    gpointer           data,
                    GCancellable      *cancellable,
                    GError           **error)
{
  g_autoptr (VtrTimeline) self = g_new0 (VtrTimeline, 1);
  VtrTimelineBuilder builder = { .timeline = self };
  gboolean done;

  g_atomic_ref_count_init (&self->refs);
  self->trace = vtr_trace_ref (trace);
  self->recordings = g_array_new (FALSE, FALSE, sizeof (VtrRecording));
  self->executes = g_array_new (FALSE, FALSE, sizeof (VtrExecute));
  self->executed = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->submissions = g_array_new (FALSE, FALSE, sizeof (VtrSubmission));
  self->runs = g_array_new (FALSE, FALSE, sizeof (VtrRun));
  self->by_buffer = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                           (GDestroyNotify)g_array_unref);

  vtr_arena_init (&builder.arena);
  builder.pools = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  builder.buffers = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  done = builder_pass (&builder, progress, data, cancellable, error);
  g_hash_table_unref (builder.buffers);
  g_hash_table_unref (builder.pools);
  vtr_arena_finish (&builder.arena);
  if (!done)
    return NULL;

  vtr_timeline_sort_runs (self);
  return g_steal_pointer (&self);
}
