/* Changes the copy that is cut so that its pass counts how often pixels are drawn to. */
#include "engine/vulkan/transforms/vtr-count-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "vtr-api-args.h"

#define MAX_NESTED 8

static gboolean record (VtrCount      *self,
                        VtrCountCopy  *copy,
                        VtrCommand    *command,
                        guint          depth,
                        GError       **error);

/* --- Which commands -------------------------------------------------------------------------- */

/* Whether the draws of @command count. A vkCmdExecuteCommands counts for the draws of its
 * secondaries. */
static gboolean
counts (const VtrCount     *self,
        const VtrCountCopy *copy,
        guint64             index)
{
  guint32 recording;

  if (self->plan.what == VTR_COUNT_FRAGMENTS)
    return TRUE;
  recording = vtr_timeline_find_recording (self->timeline, self->plan.first);
  if (recording == vtr_timeline_find_recording (self->timeline, index))
    return index >= self->plan.first;
  return copy->executed != VTR_COMMAND_NO_INDEX && recording == self->recording &&
         copy->executed >= self->plan.first;
}

static gboolean
is_recorded (VtrCmdId id)
{
  return vtr_cmd_is (id, VTR_CLASS_RECORD) || id == VTR_CMD_vkBeginCommandBuffer ||
         id == VTR_CMD_vkEndCommandBuffer;
}

/* The copy that @command is recorded into. NULL: none that matters. */
static VtrCountCopy *
find_copy (VtrCount         *self,
           const VtrCommand *command)
{
  guint64 buffer = is_recorded (command->id)
                     ? (guint64)(gsize) * (const VkCommandBuffer *)command->args
                     : 0;
  VtrCountCopy *copy;
  guint32 recording;
  gpointer executed;

  if (buffer == 0 || !vtr_transform_is_new_handle (buffer))
    return NULL;
  copy = g_hash_table_lookup (self->copies, &buffer);
  if (copy != NULL)
    return copy;
  recording = vtr_timeline_find_recording (self->timeline, command->index);
  if (recording == VTR_NO_RECORDING)
    return NULL;
  executed = g_hash_table_lookup (self->inner, GUINT_TO_POINTER (recording));
  if (recording != self->recording && executed == NULL)
    return NULL;
  copy = g_new0 (VtrCountCopy, 1);
  copy->buffer = VTR_COUNT_HANDLE (VkCommandBuffer, buffer);
  copy->label = VTR_COMMAND_NO_INDEX;
  copy->executed =
    executed != NULL ? *(const guint64 *)executed : VTR_COMMAND_NO_INDEX;
  g_hash_table_insert (self->copies, g_memdup2 (&buffer, sizeof buffer), copy);
  return copy;
}

/* --- Recording ------------------------------------------------------------------------------- */

static gboolean
forward (VtrCount            *self,
         const VtrCountCopy  *copy,
         VtrCommand          *command,
         GError             **error)
{
  guint64 index = command->index;
  gboolean ok;

  if (copy->label != VTR_COMMAND_NO_INDEX)
    command->index = copy->label;
  ok = vtr_transform_command (self->parent.next, command, error);
  command->index = index;
  return ok;
}

/* Binds the replacement of the bound pipeline. */
static gboolean
bind (VtrCount      *self,
      VtrCountCopy  *copy,
      guint64        index,
      GError       **error)
{
  gboolean wanted = counts (self, copy, index);
  VtrArgs_vkCmdBindPipeline args = { .commandBuffer = copy->buffer,
                                     .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS };

  if (copy->bound != 0 && copy->bound_counts == wanted)
    return TRUE;
  if (copy->pipeline == 0)
    return vtr_count_unsupported (error, _ ("This pass draws with shader objects. Such draws "
                                            "cannot be counted yet."));
  if (!vtr_count_get_pipeline (self, copy->pipeline, copy->pipeline_at, wanted, &copy->bound,
                               error))
    return FALSE;
  copy->bound_counts = wanted;
  args.pipeline = VTR_COUNT_HANDLE (VkPipeline, copy->bound);
  return vtr_count_emit (self, VTR_CMD_vkCmdBindPipeline, &args, error);
}

/* Takes note of a pipeline; inside the pass it is bound when something is drawn with it. Returns:
 * whether the command is to go on. */
static gboolean
note_pipeline (VtrCountCopy     *copy,
               const VtrCommand *command)
{
  const VtrArgs_vkCmdBindPipeline *args = command->args;

  if (args->pipelineBindPoint != VK_PIPELINE_BIND_POINT_GRAPHICS)
    return TRUE;
  copy->pipeline = (guint64)(gsize)args->pipeline;
  copy->pipeline_at = command->index;
  copy->bound = 0;
  return !copy->inside;
}

#ifdef VK_EXT_shader_object
/* Shader objects of graphics take the place of the pipeline. */
static void
note_shaders (VtrCountCopy     *copy,
              const VtrCommand *command)
{
  const VtrArgs_vkCmdBindShadersEXT *args = command->args;

  for (guint32 i = 0; args->pStages != NULL && i < args->stageCount; i++)
    if (args->pStages[i] != VK_SHADER_STAGE_COMPUTE_BIT)
      copy->pipeline = copy->bound = 0;
}
#endif

static gboolean
is_left_out (const VtrCount   *self,
             const VtrCommand *command)
{
  return self->plan.edit != NULL && vtr_stream_edit_can_disable (command->id) &&
         vtr_stream_edit_is_disabled (self->plan.edit, command->index);
}

/* Records the commands of recording @nth into a new command buffer. */
static gboolean
copy_recording (VtrCount      *self,
                VtrCountCopy  *copy,
                guint32        nth,
                guint          depth,
                GError       **error)
{
  const VtrRecording *recording = vtr_timeline_get_recording (self->timeline, nth);
  VtrTrace *trace = vtr_timeline_get_trace (self->timeline);
  VtrCommand command;
  VtrArena arena;
  gboolean ok = TRUE;

  vtr_arena_init (&arena);
  for (guint64 i = recording->first; ok && i <= recording->last; i++)
    {
      if (vtr_timeline_find_recording (self->timeline, i) != nth)
        continue;
      vtr_arena_reset (&arena);
      ok = vtr_trace_decode (trace, i, &arena, &command, error);
      if (!ok || is_left_out (self, &command))
        continue;
      command.flags = 0;
      *(VkCommandBuffer *)command.args = copy->buffer;
      ok = record (self, copy, &command, depth, error);
    }
  vtr_arena_finish (&arena);
  return ok;
}

static gboolean
copy_secondary (VtrCount         *self,
                guint32           nth,
                guint64           executed,
                guint             depth,
                VkCommandBuffer  *out,
                GError          **error)
{
  VtrCountCopy copy = { .label = self->position, .executed = executed };
  const VtrRecording *recording;

  if (nth == VTR_NO_RECORDING || depth >= MAX_NESTED)
    return vtr_count_unsupported (error, _ ("The trace does not contain the recording of a "
                                            "secondary command buffer of this pass."));
  recording = vtr_timeline_get_recording (self->timeline, nth);
  if (!recording->complete)
    return vtr_count_unsupported (error, _ ("The trace does not contain the recording of a "
                                            "secondary command buffer of this pass."));
  if (!vtr_count_make_secondary (self, recording, out, error))
    return FALSE;
  copy.buffer = *out;
  return copy_recording (self, &copy, nth, depth, error);
}

/* Replaces the secondaries by copies; the cut has made the copy of the one in which it ends. */
static gboolean
execute (VtrCount      *self,
         VtrCountCopy  *copy,
         VtrCommand    *command,
         guint          depth,
         GError       **error)
{
  VtrArgs_vkCmdExecuteCommands *args = command->args;
  const VkCommandBuffer *original = args->pCommandBuffers;
  g_autofree VkCommandBuffer *buffers = NULL;
  guint64 executed = copy->executed != VTR_COMMAND_NO_INDEX ? copy->executed : command->index;
  const guint32 *recordings;
  guint32 n = 0;
  gboolean ok;

  recordings = vtr_timeline_get_executed (self->timeline, command->index, &n);
  if (original == NULL || args->commandBufferCount == 0)
    return forward (self, copy, command, error);
  buffers = g_memdup2 (original, args->commandBufferCount * sizeof *buffers);
  for (guint32 i = 0; i < args->commandBufferCount; i++)
    if (!vtr_transform_is_new_handle ((guint64)(gsize)buffers[i]) &&
        !copy_secondary (self, recordings != NULL && i < n ? recordings[i] : VTR_NO_RECORDING,
                         executed, depth + 1, &buffers[i], error))
      return FALSE;
  args->pCommandBuffers = buffers;
  ok = forward (self, copy, command, error);
  args->pCommandBuffers = original;
  /* All bound state is undefined now. */
  copy->pipeline = copy->bound = 0;
  return ok;
}

static gboolean
begin_buffer (VtrCount      *self,
              VtrCountCopy  *copy,
              VtrCommand    *command,
              GError       **error)
{
  const VtrArgs_vkBeginCommandBuffer *args = command->args;
  VtrArena arena;
  gboolean ok = TRUE;

  vtr_arena_init (&arena);
  if (copy->executed != VTR_COMMAND_NO_INDEX && args->pBeginInfo != NULL &&
      (args->pBeginInfo->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0)
    ok = vtr_count_inherit (self, copy, command, &arena, error);
  ok = ok && forward (self, copy, command, error);
  vtr_arena_finish (&arena);
  return ok;
}

/* Inside the pass. */
static gboolean
record_inside (VtrCount      *self,
               VtrCountCopy  *copy,
               VtrCommand    *command,
               guint          depth,
               GError       **error)
{
  VtrCmdId id = vtr_cmd_canonical (command->id);
  gboolean draws = vtr_cmd_is (id, VTR_CLASS_DRAW) || id == VTR_CMD_vkCmdBeginTransformFeedbackEXT;
  VtrArena arena;
  gboolean ok;

  if (id == VTR_CMD_vkCmdExecuteCommands)
    return execute (self, copy, command, depth, error);
  if (vtr_cmd_is (id, VTR_CLASS_GENERATED))
    return vtr_count_unsupported (error, _ ("This pass has draws that the device generates. Such "
                                            "draws cannot be counted yet."));
  if (vtr_count_has_subpass (self, copy->subpass) &&
      vtr_count_is_ours (self, id, counts (self, copy, command->index)))
    return TRUE;
  if (draws && !bind (self, copy, command->index, error))
    return FALSE;
  if (vtr_cmd_is (id, VTR_CLASS_NEXT_SUBPASS))
    copy->subpass++;
  if (vtr_cmd_is (id, VTR_CLASS_END_PASS))
    copy->inside = FALSE;
  vtr_arena_init (&arena);
  ok = vtr_count_extend_command (self, command, &arena, error) &&
       forward (self, copy, command, error);
  vtr_arena_finish (&arena);
  return ok;
}

static gboolean
record (VtrCount      *self,
        VtrCountCopy  *copy,
        VtrCommand    *command,
        guint          depth,
        GError       **error)
{
  VtrCmdId id = vtr_cmd_canonical (command->id);

  if (id == VTR_CMD_vkBeginCommandBuffer)
    return begin_buffer (self, copy, command, error);
  if (vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS) && command->index == self->plan.pass.begin)
    return vtr_count_begin_pass (self, copy, command, error);
  if (id == VTR_CMD_vkCmdBindPipeline && !note_pipeline (copy, command))
    return TRUE;
#ifdef VK_EXT_shader_object
  if (id == VTR_CMD_vkCmdBindShadersEXT)
    note_shaders (copy, command);
#endif
  /* Recorded long before: the objects that it names may have been destroyed. */
  if ((copy->label != VTR_COMMAND_NO_INDEX || command->index < self->position) &&
      id != VTR_CMD_vkCmdExecuteCommands &&
      !vtr_count_name_all (self, command, command->index, error))
    return FALSE;
  return copy->inside ? record_inside (self, copy, command, depth, error)
                      : forward (self, copy, command, error);
}

/* --- The transform --------------------------------------------------------------------------- */

/* Remembers the pass that the cut makes. */
static gboolean
note_clone (VtrCount          *self,
            const VtrCommand  *command,
            GError           **error)
{
  const VtrArgs_vkCreateRenderPass *args = command->args; /* …2 has the same parameters */

  if (args->pRenderPass == NULL ||
      !vtr_transform_is_new_handle ((guint64)(gsize)*args->pRenderPass))
    return TRUE;
  self->clone = *command;
  return vtr_api_copy (command->id, command->args, &(VtrApiEnv){ .decoded = true }, &self->arena,
                       &self->clone.args) == VTR_OK ||
         vtr_count_unsupported (error, _ ("The pass is too large to count draws in it."));
}

static gboolean
count_command (VtrTransform  *transform,
               VtrCommand    *command,
               GError       **error)
{
  VtrCount *self = (VtrCount *)transform;
  VtrCmdId id = vtr_cmd_canonical (command->id);
  VtrCountCopy *copy;

  if (command->index != VTR_COMMAND_NO_INDEX)
    self->position = MAX (self->position, command->index);
  if ((id == VTR_CMD_vkCreateRenderPass || id == VTR_CMD_vkCreateRenderPass2) &&
      !note_clone (self, command, error))
    return FALSE;
  copy = find_copy (self, command);
  return copy != NULL ? record (self, copy, command, 0, error)
                      : vtr_transform_command (transform->next, command, error);
}

static gboolean
count_end (VtrTransform  *transform,
           GError       **error)
{
  VtrCount *self = (VtrCount *)transform;
  VtrVulkanRead read = { .parent = VTR_VULKAN_READ,
                         .function = VTR_REPLAY_READ_TEXELS,
                         .image = self->plan.read };

  if (self->image == 0)
    return vtr_count_unsupported (error, _ ("The pass did not run."));
  read.image.device = self->plan.pass.device;
  read.image.image = self->image;
  read.image.layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  return vtr_transform_read (transform->next, &read.parent, error) &&
         vtr_transform_end (transform->next, error);
}

static gboolean
count_resume (VtrTransform       *transform,
              VtrTransformStart  *start,
              GError            **error)
{
  ((VtrCount *)transform)->position = start->index;
  return TRUE;
}

static void
count_free (VtrTransform *transform)
{
  VtrCount *self = (VtrCount *)transform;

  vtr_timeline_unref (self->timeline);
  vtr_history_unref (self->history);
  g_hash_table_unref (self->inner);
  g_hash_table_unref (self->copies);
  g_hash_table_unref (self->remade);
  g_hash_table_unref (self->pipelines);
  vtr_arena_finish (&self->arena);
  g_free (self);
}

static const VtrTransformClass count_class = {
  .name = "count",
  .command = count_command,
  .end = count_end,
  .free = count_free,
  .resume = count_resume,
};

/* The recordings from that of the last command out to the one that begins the pass. */
static void
note_inner (VtrCount *self)
{
  const VtrRun *run =
    self->plan.run != VTR_NO_RUN ? vtr_timeline_get_run (self->timeline, self->plan.run)
                                 : NULL;
  g_autoptr (GArray) recordings = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint64 executed = VTR_COMMAND_NO_INDEX;

  while (run != NULL && run->recording != self->recording && run->parent != VTR_NO_RUN)
    {
      g_array_append_val (recordings, run->recording);
      executed = run->executed_by;
      run = vtr_timeline_get_run (self->timeline, run->parent);
    }
  for (guint i = 0; i < recordings->len; i++)
    g_hash_table_insert (self->inner,
                         GUINT_TO_POINTER (g_array_index (recordings, guint32, i)),
                         g_memdup2 (&executed, sizeof executed));
}

VtrTransform *
vtr_transform_count_new (VtrTimeline        *timeline,
                         VtrHistory         *history,
                         const VtrCountPlan *plan)
{
  VtrCount *self = g_new0 (VtrCount, 1);

  self->parent.klass = &count_class;
  self->timeline = vtr_timeline_ref (timeline);
  self->history = vtr_history_ref (history);
  self->plan = *plan;
  self->recording = vtr_timeline_find_recording (timeline, plan->pass.begin);
  self->inner = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->copies = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->remade = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->pipelines = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  vtr_arena_init (&self->arena);
  note_inner (self);
  return &self->parent;
}
