/* Writes query results that a replay cannot produce to where the trace copies them: results of
 * queries that ended before the recording began, and timestamps that the program read.
 *
 * A command buffer that copies different results in its first run than in later ones is recorded
 * more than once (VtrQueryVariants): its commands are also recorded into command buffers of the
 * replay, and each submission uses the one that it needs. */
#include "engine/vulkan/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/vtr-number.h"
#include "engine/vulkan/transforms/vtr-buffer-copy.h"
#include "engine/vulkan/transforms/vtr-submitted.h"
#include "vtr-api-args.h"

#define MOST_UPDATE 65536u /* bytes, of vkCmdUpdateBuffer */

#define KEY(handle) ((gpointer)(gsize)(handle))

typedef struct
{
  VtrTransform parent;
  const VtrQueryPlan *plan;
  VtrTimeline *timeline;
  VtrHistory *history;
  GHashTable *recorded; /* VkCommandBuffer → Recorded: those with variants, or that copy results */
  guint64 first;        /* where the stream begins */
} TransformQueryResults;

/* The current recording of a command buffer, which may be a copy that another transform made. */
typedef struct
{
  guint32 recording;
  guint64 begun;    /* flat index */
  GArray *variants; /* VkCommandBuffer: of each variant */
} Recorded;

/* One copy on its way. */
typedef struct
{
  VtrTransform *next;
  const VtrCommand *command;
  const VtrArgs_vkCmdCopyQueryPoolResults *args;
  const VtrQueryCopy *copy;
  gsize width;  /* bytes of a number */
  GArray *data; /* guint8: results of queries one after the other */
} Copying;

static gboolean
is_known (const Copying *self,
          guint32        nth)
{
  const VtrQueryValue *value = self->copy->values[nth];

  return value != NULL && (self->width == sizeof (guint64) ? value->has_wide : value->has_narrow);
}

static void
append_number (Copying *self,
               guint64  wide,
               guint32  narrow)
{
  if (self->width == sizeof wide)
    g_array_append_vals (self->data, &wide, sizeof wide);
  else
    g_array_append_vals (self->data, &narrow, sizeof narrow);
}

static void
append_result (Copying *self,
               guint32  nth)
{
  const VtrQueryValue *value = self->copy->values[nth];

  for (guint i = 0; i < value->n; i++)
    append_number (self, value->wide[i], value->narrow[i]);
  if ((self->args->flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0)
    append_number (self, 1, 1);
}

/* The results of query @nth, and of those behind it as long as they lie without gaps. Returns: how
 * many queries; 0 with @error. */
static guint32
put_known (Copying  *self,
           guint32   nth,
           GError  **error)
{
  const VtrArgs_vkCmdCopyQueryPoolResults *args = self->args;
  VtrArgs_vkCmdUpdateBuffer update = { args->commandBuffer, args->dstBuffer,
                                       args->dstOffset + nth * args->stride, 0, NULL };
  guint32 n = 0;
  gsize size;

  g_array_set_size (self->data, 0);
  do
    {
      append_result (self, nth + n++);
      size = self->data->len / n;
    }
  while (nth + n < self->copy->n && is_known (self, nth + n) && args->stride == size &&
         self->data->len + size <= MOST_UPDATE);
  update.dataSize = self->data->len;
  update.pData = self->data->data;
  return vtr_transform_emit (self->next, VTR_CMD_vkCmdUpdateBuffer, &update, self->command->index,
                             error)
           ? n
           : 0;
}

/* Copies the queries that the replay counts itself. */
static guint32
copy_others (Copying  *self,
             guint32   nth,
             GError  **error)
{
  VtrArgs_vkCmdCopyQueryPoolResults args = *self->args;
  guint32 n = 1;

  while (nth + n < self->copy->n && !is_known (self, nth + n))
    n++;
  args.firstQuery += nth;
  args.queryCount = n;
  args.dstOffset += nth * args.stride;
  return vtr_transform_emit (self->next, self->command->id, &args, self->command->index, error)
           ? n
           : 0;
}

static gboolean
put_results (Copying  *self,
             GError  **error)
{
  guint32 n = 0;

  self->data = g_array_new (FALSE, FALSE, 1);
  for (guint32 i = 0; i < self->copy->n; i += n)
    {
      n = is_known (self, i) ? put_known (self, i, error) : copy_others (self, i, error);
      if (n == 0)
        break;
    }
  g_array_unref (self->data);
  return n > 0;
}

/* The known results that the vkCmdCopyQueryPoolResults @command copies. @copy: (nullable): none. */
static gboolean
send_copy (TransformQueryResults  *self,
           VtrCommand             *command,
           const VtrQueryCopy     *copy,
           GError                **error)
{
  Copying copying = {
    .next = self->parent.next, .command = command, .args = command->args, .copy = copy
  };

  if (copy == NULL || copying.args->queryCount != copy->n)
    return vtr_transform_command (self->parent.next, command, error);
  copying.width =
    (copying.args->flags & VK_QUERY_RESULT_64_BIT) != 0 ? sizeof (guint64) : sizeof (guint32);
  return put_results (&copying, error);
}

/* --- Variants -------------------------------------------------------------------------------- */

static void
recorded_free (gpointer data)
{
  Recorded *self = data;

  g_array_unref (self->variants);
  g_free (self);
}

static Recorded *
find_recorded (const TransformQueryResults *self,
               VkCommandBuffer              buffer)
{
  return g_hash_table_lookup (self->recorded, KEY (buffer));
}

/* A recording begins: takes note of it, and of its variants, if that matters. */
static gboolean
note_begin (TransformQueryResults  *self,
            const VtrCommand       *command,
            GError                **error)
{
  VkCommandBuffer buffer = ((const VtrArgs_vkBeginCommandBuffer *)command->args)->commandBuffer;
  guint32 nth = vtr_timeline_find_recording (self->timeline, command->index);
  guint32 n = vtr_query_variants_count (vtr_query_plan_get_variants (self->plan), nth);
  Recorded *recorded;

  g_hash_table_remove (self->recorded, KEY (buffer));
  if (nth == VTR_NO_RECORDING || (n == 0 && !vtr_query_plan_copies (self->plan, nth)))
    return TRUE;
  recorded = g_new0 (Recorded, 1);
  recorded->recording = nth;
  recorded->begun = command->index;
  recorded->variants = g_array_new (FALSE, FALSE, sizeof (VkCommandBuffer));
  g_hash_table_insert (self->recorded, KEY (buffer), recorded);
  for (guint32 i = 0; i < n; i++)
    {
      guint64 original = vtr_timeline_get_recording (self->timeline, nth)->list;
      VkCommandBuffer variant;

      if (!vtr_buffer_copy_allocate (self->parent.next, self->history, original, command->index,
                                     &variant, error))
        return FALSE;
      g_array_append_val (recorded->variants, variant);
    }
  return TRUE;
}

/* Lets @command, of the variant @variant of a recording, run the secondaries that it needs. */
static void
change_secondaries (const TransformQueryResults *self,
                    guint32                      recording,
                    guint32                      variant,
                    const VtrCommand            *command)
{
  const VtrArgs_vkCmdExecuteCommands *args = command->args;

  for (guint32 i = 0; args->pCommandBuffers != NULL && i < args->commandBufferCount; i++)
    {
      VkCommandBuffer *slot = (VkCommandBuffer *)&args->pCommandBuffers[i];
      const Recorded *inner = find_recorded (self, *slot);
      const VtrQueryChange *change = vtr_query_variants_find (
        vtr_query_plan_get_variants (self->plan), recording, variant, command->index, i);

      if (change != NULL && inner != NULL && change->variant > 0 &&
          change->variant <= inner->variants->len)
        *slot = g_array_index (inner->variants, VkCommandBuffer, change->variant - 1);
    }
}

/* Whether an update template lays out data of @id. A copy of the arguments would need it. */
static gboolean
takes_template (VtrCmdId id)
{
  const VtrApiCommand *info = vtr_cmd_get (id);

  for (guint i = info->first_field; i < (guint)info->first_field + info->n_params; i++)
    if (vtr_api_fields[i].kind == VTR_KIND_HANDLE &&
        vtr_api_fields[i].type == VTR_HANDLE_VkDescriptorUpdateTemplate)
      return TRUE;
  return FALSE;
}

/* Records @command, a copy of one of the recording's, into the variant @variant. */
static gboolean
record_changed (TransformQueryResults  *self,
                const Recorded         *recorded,
                guint32                 variant,
                VtrCommand             *command,
                GError                **error)
{
  const VtrQueryVariants *variants = vtr_query_plan_get_variants (self->plan);
  const VtrQueryCopy *copy = vtr_query_plan_find (self->plan, command->index);
  const VtrQueryChange *change =
    vtr_query_variants_find (variants, recorded->recording, variant, command->index, 0);

  *(VkCommandBuffer *)command->args = /* the first parameter of all of them */
    g_array_index (recorded->variants, VkCommandBuffer, variant - 1);
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkCmdCopyQueryPoolResults:
      return send_copy (self, command, change != NULL ? change->copy : copy, error);
    case VTR_CMD_vkCmdExecuteCommands:
      change_secondaries (self, recorded->recording, variant, command);
      break;
    default:
      break;
    }
  return vtr_transform_command (self->parent.next, command, error);
}

/* Records @command into the variant @variant, too. Later transforms may change what they get, so
 * they get a copy. */
static gboolean
record_variant (TransformQueryResults  *self,
                const Recorded         *recorded,
                guint32                 variant,
                VtrCommand             *command,
                GError                **error)
{
  VkCommandBuffer buffer =
    g_array_index (recorded->variants, VkCommandBuffer, variant - 1);
  VtrCommand changed = *command;
  gboolean ok = TRUE;
  VtrArena arena;

  if (takes_template (command->id))
    return vtr_transform_command_into (self->parent.next, buffer, command, error);
  vtr_arena_init (&arena);
  if (vtr_api_copy (command->id, command->args, &(VtrApiEnv){ .decoded = true }, &arena,
                    &changed.args) != VTR_OK)
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                           _ ("A command cannot be copied"));
      ok = FALSE;
    }
  ok = ok && record_changed (self, recorded, variant, &changed, error);
  vtr_arena_finish (&arena);
  return ok;
}

/* --- Submissions ----------------------------------------------------------------------------- */

typedef struct
{
  const TransformQueryResults *self;
  const VtrCommand *command;
} Submission;

/* Puts the variant that is needed into @slot. Errors: VTR_REPLAY_ERROR_UNSUPPORTED for what was
 * recorded before the stream began and would copy results of queries that were counted since. */
static gboolean
choose_variant (VkCommandBuffer  *slot,
                guint32           batch,
                guint32           position,
                gpointer          data,
                GError          **error)
{
  const TransformQueryResults *self = ((const Submission *)data)->self;
  const VtrCommand *command = ((const Submission *)data)->command;
  const Recorded *recorded = find_recorded (self, *slot);
  guint32 run, variant = 0;

  if (recorded == NULL)
    return TRUE;
  if (recorded->begun < self->first)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                   _ ("The effect of command %s (%s) cannot be undone"),
                   VTR_NUMBER (command->index), vtr_cmd_name (command->id));
      return FALSE;
    }
  run = vtr_timeline_find_run_in (self->timeline, command->index, batch, position);
  if (run != VTR_NO_RUN)
    variant = vtr_query_variants_get (vtr_query_plan_get_variants (self->plan), run);
  if (variant > 0 && variant <= recorded->variants->len)
    *slot = g_array_index (recorded->variants, VkCommandBuffer, variant - 1);
  return TRUE;
}

/* --- The transform --------------------------------------------------------------------------- */

static gboolean
recording_command (TransformQueryResults  *self,
                   VtrCommand             *command,
                   GError                **error)
{
  const Recorded *recorded = find_recorded (self, *(const VkCommandBuffer *)command->args);

  for (guint32 i = 1; recorded != NULL && i <= recorded->variants->len; i++)
    if (!record_variant (self, recorded, i, command, error))
      return FALSE;
  if (vtr_cmd_canonical (command->id) == VTR_CMD_vkCmdCopyQueryPoolResults)
    return send_copy (self, command, vtr_query_plan_find (self->plan, command->index), error);
  return vtr_transform_command (self->parent.next, command, error);
}

static gboolean
query_results_command (VtrTransform  *transform,
                       VtrCommand    *command,
                       GError       **error)
{
  TransformQueryResults *self = (TransformQueryResults *)transform;
  Submission submission = { self, command };

  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkBeginCommandBuffer:
      return note_begin (self, command, error) && recording_command (self, command, error);
    case VTR_CMD_vkQueueSubmit:
    case VTR_CMD_vkQueueSubmit2:
      return vtr_submitted_visit (command, choose_variant, &submission, error) &&
             vtr_transform_command (transform->next, command, error);
    default:
      if (vtr_cmd_is (command->id, VTR_CLASS_RECORD) || command->id == VTR_CMD_vkEndCommandBuffer)
        return recording_command (self, command, error);
      return vtr_transform_command (transform->next, command, error);
    }
}

static void
query_results_free (VtrTransform *transform)
{
  TransformQueryResults *self = (TransformQueryResults *)transform;

  g_hash_table_unref (self->recorded);
  vtr_timeline_unref (self->timeline);
  vtr_history_unref (self->history);
  g_free (self);
}

/* Knows what was recorded before @start. */
static gboolean
query_results_resume (VtrTransform       *transform,
                      VtrTransformStart  *start,
                      GError            **error)
{
  TransformQueryResults *self = (TransformQueryResults *)transform;
  const TransformQueryResults *before =
    (const TransformQueryResults *)vtr_transform_find (start->chain, transform->klass);
  GHashTableIter iter;
  gpointer key, value;

  self->first = start->index;
  if (before == NULL)
    return TRUE;
  g_hash_table_iter_init (&iter, before->recorded);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const Recorded *other = value;
      Recorded *recorded = g_memdup2 (other, sizeof *other);

      g_array_ref (recorded->variants);
      g_hash_table_insert (self->recorded, key, recorded);
    }
  return TRUE;
}

static const VtrTransformClass query_results_class = {
  .name = "query-results",
  .command = query_results_command,
  .free = query_results_free,
  .resume = query_results_resume,
};

VtrTransform *
vtr_transform_query_results_new (const VtrQueryPlan *plan,
                                 VtrTimeline        *timeline,
                                 VtrHistory         *history)
{
  TransformQueryResults *self = g_new0 (TransformQueryResults, 1);

  self->parent.klass = &query_results_class;
  self->plan = plan;
  self->timeline = vtr_timeline_ref (timeline);
  self->history = vtr_history_ref (history);
  self->recorded = g_hash_table_new_full (NULL, NULL, NULL, recorded_free);
  return &self->parent;
}
