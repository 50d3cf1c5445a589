/* Measures a frame. Every run of a recording in the frame gets its own copy with queries
 * (vtr-probe-copy.c), recorded beside the original, and submissions run the copies. So a command
 * buffer that is submitted several times is measured each time, and the originals stay
 * unchanged. */
#include "engine/vulkan/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/vulkan/transforms/vtr-submitted.h"
#include "vtr-api-args.h"

typedef struct
{
  VtrTransform parent;
  VtrProbeContext context;
  VtrReplayPlan *plan; /* (nullable) */
  guint64 first, last; /* of the frame */
  guint64 from;        /* where the clock starts */
  GHashTable *copies;  /* run → VtrProbeCopy */
  GHashTable *runs;    /* recording → GArray of runs in the frame */
  gboolean begun;
} TransformProbe;

#define KEY(number) GUINT_TO_POINTER ((number) + 1)

/* --- What runs in the frame ------------------------------------------------------------------ */

static void
expect_queries (TransformProbe     *self,
                const VtrRecording *recording)
{
  VtrTimeline *timeline = self->context.timeline;
  VtrTrace *trace = vtr_timeline_get_trace (timeline);
  const gboolean contiguous = vtr_timeline_is_contiguous (timeline);
  guint32 stamps = 2, actions = 0, draws = 0;

  for (guint64 i = recording->first; contiguous && i <= recording->last; i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (trace, i);

      if (!vtr_cmd_is_vulkan (id))
        continue;
      if (vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS))
        stamps += 2;
      if (vtr_cmd_is (id, VTR_PROBE_ACTIONS))
        actions++;
      if (vtr_cmd_is (id, VTR_CLASS_DRAW | VTR_CLASS_DISPATCH))
        draws++;
    }
  if (self->context.detail >= VTR_PROBE_COMMAND)
    stamps += 2 * actions;
  if ((self->context.what & VTR_PROBE_TIME) != 0)
    vtr_probe_expect (self->context.probe, VTR_PROBE_QUERY_TIME, stamps);
  if ((self->context.what & VTR_PROBE_STATISTICS) == 0)
    return;
  vtr_probe_expect (self->context.probe, VTR_PROBE_QUERY_GRAPHICS, draws);
  vtr_probe_expect (self->context.probe, VTR_PROBE_QUERY_OCCLUSION, draws);
}

static void
add_run (TransformProbe *self,
         guint32         nth)
{
  VtrTimeline *timeline = self->context.timeline;
  const VtrRun *run = vtr_timeline_get_run (timeline, nth);
  GArray *runs;

  for (guint32 i = 0; i < run->n_children; i++)
    add_run (self, run->first_child + i);
  if (run->recording == VTR_NO_RECORDING)
    return;
  g_hash_table_insert (self->copies, KEY (nth), vtr_probe_copy_new (&self->context, nth));
  runs = g_hash_table_lookup (self->runs, KEY (run->recording));
  if (runs == NULL)
    {
      runs = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_hash_table_insert (self->runs, KEY (run->recording), runs);
    }
  g_array_append_val (runs, nth);
  expect_queries (self, vtr_timeline_get_recording (timeline, run->recording));
}

static void
list_runs (TransformProbe *self)
{
  VtrTimeline *timeline = self->context.timeline;
  guint32 n = vtr_timeline_get_n_submissions (timeline);

  for (guint32 i = 0; i < n; i++)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (timeline, i);

      if (submission->submit < self->first || submission->submit > self->last)
        continue;
      for (guint32 k = 0; k < submission->n_runs; k++)
        add_run (self, submission->first_run + k);
    }
}

/* --- Where a copy runs ----------------------------------------------------------------------- */

/* The capabilities of the target's families; all zero if unknown. */
static void
find_family (TransformProbe     *self,
             const VtrRecording *recording,
             guint64             index,
             guint64            *device,
             VtrProbeFamily     *out)
{
  VtrHistory *history = self->context.history;
  const VtrObject *object =
    vtr_history_find (history,
                      vtr_vulkan_identity (VTR_HANDLE_VkCommandBuffer, recording->list),
                      index);
  const VtrVulkanDevice *target = NULL;
  const VkBool32 *features;
  VtrCommand creation;
  VtrArena arena;
  guint32 family;
  guint n;

  *out = (VtrProbeFamily){ 0 };
  *device = 0;
  while (object != NULL && object->type != VTR_HANDLE_VkDevice)
    object = object->parent != 0 ? vtr_history_get_object (history, object->parent) : NULL;
  if (object == NULL || self->plan == NULL)
    return;
  *device = object->handle;
  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (history, object, &arena, &creation, NULL) &&
      creation.id == VTR_CMD_vkCreateDevice)
    target = vtr_replay_plan_get_target (
      self->plan,
      (guint64)(gsize)((const VtrArgs_vkCreateDevice *)creation.args)->physicalDevice);
  vtr_arena_finish (&arena);
  family =
    vtr_transform_elsewhere_get_family (self->parent.next, *device, recording->word);
  if (target == NULL || family >= target->n_families)
    return;
  out->flags = target->families[family].queueFlags;
  out->valid_bits = target->families[family].timestampValidBits;
  out->is_software = target->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  out->period = target->properties.limits.timestampPeriod;
  features =
    vtr_vulkan_device_get_features (target, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &n);
  if (features == NULL || n * sizeof *features < sizeof (VkPhysicalDeviceFeatures))
    return;
  /* The replayer enables what is offered of these. */
  out->statistics = ((const VkPhysicalDeviceFeatures *)features)->pipelineStatisticsQuery;
  out->precise = ((const VkPhysicalDeviceFeatures *)features)->occlusionQueryPrecise;
}

/* --- Commands -------------------------------------------------------------------------------- */

static VtrProbeCopy *
find_inner (gpointer data,
            guint32  parent_run,
            guint64  executed_by,
            guint32  position)
{
  TransformProbe *self = data;
  const VtrRun *parent = vtr_timeline_get_run (self->context.timeline, parent_run);

  for (guint32 i = 0; i < parent->n_children; i++)
    {
      const VtrRun *run =
        vtr_timeline_get_run (self->context.timeline, parent->first_child + i);

      if (run->executed_by == executed_by && run->position == position)
        return g_hash_table_lookup (self->copies, KEY (parent->first_child + i));
    }
  return NULL;
}

/* Later transforms may change the arguments, so all but the last receiver get a copy. */
static gboolean
give_copy (TransformProbe  *self,
           VtrProbeCopy    *copy,
           VtrCommand      *command,
           gboolean         is_last,
           GError         **error)
{
  VtrCommand own = *command;
  VtrArena arena;
  gboolean ok = TRUE;

  if (is_last)
    return vtr_probe_copy_command (copy, self->parent.next, command, find_inner, self, error);
  vtr_arena_init (&arena);
  if (vtr_api_copy (command->id, command->args, &(VtrApiEnv){ .decoded = true }, &arena,
                    &own.args) != VTR_OK)
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                           _ ("A command cannot be copied"));
      ok = FALSE;
    }
  ok = ok && vtr_probe_copy_command (copy, self->parent.next, &own, find_inner, self, error);
  vtr_arena_finish (&arena);
  return ok;
}

static gboolean
record_copies (TransformProbe  *self,
               guint32          nth,
               GArray          *runs,
               VtrCommand      *command,
               GError         **error)
{
  const VtrRecording *recording = vtr_timeline_get_recording (self->context.timeline, nth);
  const gboolean keep_original = recording->n_runs > runs->len;

  for (guint i = 0; i < runs->len; i++)
    {
      VtrProbeCopy *copy =
        g_hash_table_lookup (self->copies, KEY (g_array_index (runs, guint32, i)));

      if (command->index == recording->first)
        {
          VtrProbeFamily family;
          guint64 device;

          find_family (self, recording, command->index, &device, &family);
          vtr_probe_copy_set_family (copy, device, &family);
        }
      if (!give_copy (self, copy, command, i + 1 == runs->len && !keep_original, error))
        return FALSE;
    }
  /* Where it is from before a state that is kept, the original is there. */
  return !keep_original || vtr_transform_command (self->parent.next, command, error);
}

/* --- Submissions ----------------------------------------------------------------------------- */

static VkCommandBuffer
find_copy (TransformProbe  *self,
           guint64          submit,
           guint32          batch,
           guint32          position,
           VkCommandBuffer  original)
{
  VtrTimeline *timeline = self->context.timeline;
  guint32 nth = vtr_timeline_find_submission (timeline, submit);
  const VtrSubmission *submission =
    nth != VTR_NO_RECORDING ? vtr_timeline_get_submission (timeline, nth) : NULL;

  for (guint32 i = 0; submission != NULL && i < submission->n_runs; i++)
    {
      const VtrRun *run = vtr_timeline_get_run (timeline, submission->first_run + i);
      const VtrProbeCopy *copy =
        g_hash_table_lookup (self->copies, KEY (submission->first_run + i));

      if (run->batch == batch && run->position == position && copy != NULL &&
          vtr_probe_copy_get_command_buffer (copy) != NULL)
        return vtr_probe_copy_get_command_buffer (copy);
    }
  return original;
}

typedef struct
{
  TransformProbe *self;
  const VtrCommand *command;
} Submission;

static gboolean
replace (VkCommandBuffer  *slot,
         guint32           batch,
         guint32           position,
         gpointer          data,
         GError          **error)
{
  const Submission *submission = data;

  *slot = find_copy (submission->self, submission->command->index, batch, position, *slot);
  return TRUE;
}

/* --- The transform --------------------------------------------------------------------------- */

static gboolean
probe_command (VtrTransform  *transform,
               VtrCommand    *command,
               GError       **error)
{
  TransformProbe *self = (TransformProbe *)transform;
  Submission submission = { self, command };
  guint32 nth = vtr_timeline_find_recording (self->context.timeline, command->index);
  GArray *runs =
    nth != VTR_NO_RECORDING ? g_hash_table_lookup (self->runs, KEY (nth)) : NULL;

  if (!self->begun && command->index != VTR_COMMAND_NO_INDEX && command->index >= self->from)
    {
      self->begun = TRUE;
      if (!vtr_probe_read_clock (self->context.probe, self->parent.next, 0, error))
        return FALSE;
    }
  if (runs != NULL)
    return record_copies (self, nth, runs, command, error);
  if (command->id == VTR_CMD_vkDestroyDevice &&
      !vtr_probe_read (self->context.probe, self->parent.next,
                       (guint64)(gsize)((const VtrArgs_vkDestroyDevice *)command->args)->device,
                       error))
    return FALSE;
  if (command->index < self->first || command->index > self->last ||
      g_hash_table_size (self->copies) == 0)
    return vtr_transform_command (self->parent.next, command, error);
  return vtr_submitted_visit (command, replace, &submission, error) &&
         vtr_transform_command (self->parent.next, command, error);
}

static gboolean
probe_end (VtrTransform  *transform,
           GError       **error)
{
  TransformProbe *self = (TransformProbe *)transform;

  return vtr_probe_read_clock (self->context.probe, self->parent.next, 1, error) &&
         vtr_probe_read (self->context.probe, self->parent.next, 0, error) &&
         vtr_transform_end (self->parent.next, error);
}

static gboolean
probe_resume (VtrTransform       *transform,
              VtrTransformStart  *start,
              GError            **error)
{
  const TransformProbe *self = (const TransformProbe *)transform;

  if (start->index <= self->from)
    return TRUE;
  g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                       _ ("The frame begins earlier"));
  return FALSE;
}

static void
probe_free (VtrTransform *transform)
{
  TransformProbe *self = (TransformProbe *)transform;

  g_hash_table_unref (self->copies);
  g_hash_table_unref (self->runs);
  g_clear_pointer (&self->plan, vtr_replay_plan_unref);
  vtr_timeline_unref (self->context.timeline);
  vtr_history_unref (self->context.history);
  g_free (self);
}

static const VtrTransformClass probe_class = {
  .name = "probe",
  .command = probe_command,
  .end = probe_end,
  .free = probe_free,
  .resume = probe_resume,
};

VtrTransform *
vtr_transform_probe_new (VtrTimeline   *timeline,
                         VtrHistory    *history,
                         VtrReplayPlan *plan,
                         guint64        frame,
                         guint64        from,
                         VtrProbeKind   detail,
                         guint32        what,
                         VtrProbe      *probe)
{
  TransformProbe *self = g_new0 (TransformProbe, 1);

  self->parent.klass = &probe_class;
  self->context = (VtrProbeContext){ vtr_history_ref (history), vtr_timeline_ref (timeline), probe,
                                     detail, what };
  self->plan = plan != NULL ? vtr_replay_plan_ref (plan) : NULL;
  vtr_trace_get_frame (vtr_timeline_get_trace (timeline), frame, &self->first, &self->last);
  self->from = from;
  self->copies =
    g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)vtr_probe_copy_free);
  self->runs = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  if (what != 0)
    list_runs (self);
  return &self->parent;
}

GArray *
vtr_transform_probe_list_recordings (VtrTransform *chain)
{
  TransformProbe *self = (TransformProbe *)vtr_transform_find (chain, &probe_class);
  GArray *list = g_array_new (FALSE, FALSE, sizeof (guint32));
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->runs);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      guint32 nth = GPOINTER_TO_UINT (key) - 1;

      g_array_append_val (list, nth);
    }
  return list;
}
