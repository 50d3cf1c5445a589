/* Makes and restores the snapshot before a frame, so that each request replays only what comes
 * after it. */
#include "engine/vulkan/replay/vtr-replay-frame-state.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/vulkan/replay/vtr-vulkan-requests.h"

#include "vtr-api-args.h"

/* Differences of fewer commands than this are ignored. */
#define NEAR 768

#define VALUE(handle) ((guint64)(gsize)(handle))
#define HANDLE(type, value) ((type)(gsize)(value))

static void
saved_set_clear (gpointer data)
{
  g_clear_pointer (&((VtrSavedSet *)data)->bindings, g_array_unref);
}

void
vtr_replay_frame_state_free (VtrReplayFrameState *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->builder, vtr_replay_builder_free);
  g_clear_pointer (&self->start.chain, vtr_transform_free);
  g_clear_pointer (&self->start.known, g_hash_table_unref);
  g_clear_pointer (&self->sets, g_array_unref);
  g_free (self);
}

/* --- Where to start -------------------------------------------------------------------------- */

/* Where what submission @nth runs was recorded, not before @first. */
static guint64
start_of_submission (VtrTimeline *timeline,
                     guint32      nth,
                     guint64      first)
{
  const VtrSubmission *submission = vtr_timeline_get_submission (timeline, nth);
  guint64 start = submission->submit;

  for (guint32 i = 0; i < submission->n_runs; i++)
    {
      const VtrRun *run = vtr_timeline_get_run (timeline, submission->first_run + i);

      if (run->recording == VTR_NO_RECORDING)
        continue;
      if (vtr_timeline_get_recording (timeline, run->recording)->first >= first)
        start = MIN (start, vtr_timeline_get_recording (timeline, run->recording)->first);
    }
  return start;
}

/* In the first frame of a program most commands make things, and one that presents nothing has no
 * other frame: what is run again starts with the last submission. */
static guint64
choose_submission (VtrTimeline *timeline,
                   guint64      stop,
                   guint64      first,
                   guint64     *end)
{
  guint32 n = vtr_timeline_get_n_submissions (timeline);
  guint64 previous = first;
  guint64 start = 0;

  for (guint32 i = 0; i < n; i++)
    {
      guint64 submit = vtr_timeline_get_submission (timeline, i)->submit;

      if (submit < first)
        continue;
      if (submit > stop)
        {
          *end = MIN (*end, submit);
          break;
        }
      start = start_of_submission (timeline, i, previous);
      previous = submit;
    }
  return start;
}

guint64
vtr_replay_frame_state_choose (const VtrReplayBasis *basis,
                               guint64               stop,
                               guint64              *end)
{
  guint64 frame = vtr_trace_get_part_of (basis->trace, stop);
  guint64 initial = vtr_trace_get_n_initial_commands (basis->trace);
  guint64 first;
  guint64 last;

  vtr_trace_get_frame (basis->trace, frame, &first, &last);
  *end = last + 1;
  /* Small frames together. */
  if (stop > NEAR && vtr_trace_get_part_of (basis->trace, stop - NEAR) + 1 < frame)
    frame = vtr_trace_get_part_of (basis->trace, stop - NEAR) + 1;
  else if (stop <= NEAR && frame > 1)
    frame = 1;
  vtr_trace_get_frame (basis->trace, frame, &first, &last);
  *end = MAX (*end, first + 2 * NEAR);
  if (first == 0)
    first = choose_submission (basis->timeline, stop, initial, end);
  return MAX (first, initial);
}

guint64
vtr_replay_frame_state_find_work (const VtrReplayBasis *basis,
                                  guint64               frame)
{
  guint64 initial = vtr_trace_get_n_initial_commands (basis->trace);
  guint32 n = vtr_timeline_get_n_submissions (basis->timeline);
  guint64 first, last;

  vtr_trace_get_frame (basis->trace, frame, &first, &last);
  for (guint32 i = 0; i < n; i++)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (basis->timeline, i);

      if (submission->submit >= first && submission->submit <= last && submission->n_runs > 0)
        return start_of_submission (basis->timeline, i, MAX (first, initial));
    }
  return VTR_COMMAND_NO_INDEX;
}

/* --- Descriptor sets ------------------------------------------------------------------------- */

static gboolean
refuse_set (const VtrObject  *set,
            GError          **error)
{
  g_autofree char *number = g_strdup_printf ("%u", set->id);

  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
               _ ("Descriptor set %s cannot be copied"), number);
  return FALSE;
}

static gboolean
is_written (VtrReplayFrameState *self,
            VtrHistory          *history,
            const VtrObject     *set)
{
  gsize n = 0;
  const guint64 *writes = vtr_history_get_set_writes (history, set->id, &n);

  for (gsize i = 0; i < n; i++)
    if (writes[i] >= self->first && writes[i] < self->end)
      return TRUE;
  return FALSE;
}

/* What @binding of a layout holds, and what of it is copied. */
static gboolean
add_binding (VtrSavedSet                        *saved,
             GArray                             *sizes,
             const VkDescriptorSetLayoutBinding *binding,
             guint32                             count)
{
  const VkDescriptorPoolSize size = { binding->descriptorType, count };
  const VkCopyDescriptorSet copy = {
    .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
    .srcBinding = binding->binding,
    .dstBinding = binding->binding,
    .descriptorCount = count,
  };

  if (count == 0)
    return TRUE;
  /* lavapipe of Mesa 22.3 copies inline blocks as if each byte were a descriptor, over what lies
   * behind them. */
  if (binding->descriptorType == VK_DESCRIPTOR_TYPE_MUTABLE_EXT ||
      binding->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
    return FALSE;
  g_array_append_val (sizes, size);
  if (binding->descriptorType != VK_DESCRIPTOR_TYPE_SAMPLER || binding->pImmutableSamplers == NULL)
    g_array_append_val (saved->bindings, copy);
  return TRUE;
}

/* Size of the binding that takes what its allocation says; G_MAXUINT32: none does. */
static guint32
variable_count (const VkDescriptorSetAllocateInfo *info,
                guint32                            element)
{
  const VkDescriptorSetVariableDescriptorCountAllocateInfo *counts = vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);

  return counts != NULL && counts->pDescriptorCounts != NULL && element < counts->descriptorSetCount
           ? counts->pDescriptorCounts[element]
           : G_MAXUINT32;
}

static gboolean
list_bindings (VtrSavedSet                           *saved,
               const VkDescriptorSetLayoutCreateInfo *info,
               guint32                                variable,
               GArray                                *sizes)
{
  const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags = vtr_api_find_next (
    info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);

  for (guint32 i = 0; info->pBindings != NULL && i < info->bindingCount; i++)
    {
      guint32 count = info->pBindings[i].descriptorCount;

      if (flags != NULL && flags->pBindingFlags != NULL && i < flags->bindingCount &&
          (flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0)
        count = variable != G_MAXUINT32 ? variable : 0;
      if (!add_binding (saved, sizes, &info->pBindings[i], count))
        return FALSE;
    }
  return TRUE;
}

static gboolean
emit_copies (const VtrSavedSet  *saved,
             guint64             from,
             guint64             to,
             VtrTransform       *chain,
             GError            **error)
{
  g_autoptr (GArray) copies = g_array_copy (saved->bindings);
  VtrArgs_vkUpdateDescriptorSets args = { .device = HANDLE (VkDevice, saved->device) };

  for (guint i = 0; i < copies->len; i++)
    {
      VkCopyDescriptorSet *copy = &g_array_index (copies, VkCopyDescriptorSet, i);

      copy->srcSet = HANDLE (VkDescriptorSet, from);
      copy->dstSet = HANDLE (VkDescriptorSet, to);
    }
  args.descriptorCopyCount = copies->len;
  args.pDescriptorCopies = (const VkCopyDescriptorSet *)(gpointer)copies->data;
  return copies->len == 0 || vtr_transform_emit (chain, VTR_CMD_vkUpdateDescriptorSets, &args,
                                                 VTR_COMMAND_NO_INDEX, error);
}

/* A pool and a set of our own. */
static gboolean
emit_copy (VtrSavedSet                            *saved,
           const VkDescriptorSetAllocateInfo      *original,
           guint32                                 element,
           const VkDescriptorSetLayoutCreateInfo  *layout,
           GArray                                 *sizes,
           VtrTransform                           *chain,
           GError                                **error)
{
  VkDescriptorPool pool = HANDLE (VkDescriptorPool, vtr_transform_new_handle ());
  VkDescriptorSet set = HANDLE (VkDescriptorSet, vtr_transform_new_handle ());
  VkDescriptorPoolCreateInfo pool_info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .flags =
      (layout->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT) != 0
        ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT
        : 0,
    .maxSets = 1,
    .poolSizeCount = sizes->len,
    .pPoolSizes = (const VkDescriptorPoolSize *)(gpointer)sizes->data,
  };
  guint32 count = variable_count (original, element);
  VkDescriptorSetVariableDescriptorCountAllocateInfo counts = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
    .descriptorSetCount = 1,
    .pDescriptorCounts = &count,
  };
  VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .pNext = count != G_MAXUINT32 ? &counts : NULL,
    .descriptorPool = pool,
    .descriptorSetCount = 1,
    .pSetLayouts = &original->pSetLayouts[element],
  };
  VtrArgs_vkCreateDescriptorPool create = { HANDLE (VkDevice, saved->device), &pool_info, NULL,
                                            &pool };
  VtrArgs_vkAllocateDescriptorSets allocate = { HANDLE (VkDevice, saved->device), &info, &set };

  saved->copy = VALUE (set);
  return vtr_transform_emit (chain, VTR_CMD_vkCreateDescriptorPool, &create, VTR_COMMAND_NO_INDEX,
                             error) &&
         vtr_transform_emit (chain, VTR_CMD_vkAllocateDescriptorSets, &allocate,
                             VTR_COMMAND_NO_INDEX, error) &&
         emit_copies (saved, saved->set, saved->copy, chain, error);
}

static gboolean
copy_set (VtrReplayFrameState  *self,
          VtrHistory           *history,
          const VtrObject      *set,
          VtrArena             *arena,
          VtrTransform         *chain,
          GError              **error)
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (VkDescriptorPoolSize));
  VtrSavedSet saved = { .set = set->handle };
  const VtrArgs_vkAllocateDescriptorSets *allocation;
  const VtrArgs_vkCreateDescriptorSetLayout *creation;
  const VtrObject *layout;
  VtrCommand command;

  if (!vtr_history_decode_creation (history, set, arena, &command, error))
    return FALSE;
  allocation = command.args;
  if (command.id != VTR_CMD_vkAllocateDescriptorSets || allocation->pAllocateInfo == NULL ||
      allocation->pAllocateInfo->pSetLayouts == NULL ||
      set->element >= allocation->pAllocateInfo->descriptorSetCount)
    return refuse_set (set, error);
  layout = vtr_history_find (
    history,
    vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSetLayout,
                         VALUE (allocation->pAllocateInfo->pSetLayouts[set->element])),
    set->created);
  if (layout == NULL || layout->destroyed < self->first)
    return refuse_set (set, error);
  if (!vtr_history_decode_creation (history, layout, arena, &command, error))
    return FALSE;
  creation = command.args;
  if (command.id != VTR_CMD_vkCreateDescriptorSetLayout || creation->pCreateInfo == NULL)
    return refuse_set (set, error);

  saved.device = VALUE (allocation->device);
  saved.bindings = g_array_new (FALSE, FALSE, sizeof (VkCopyDescriptorSet));
  g_array_append_val (self->sets, saved);
  if (!list_bindings (&saved, creation->pCreateInfo,
                      variable_count (allocation->pAllocateInfo, set->element), sizes))
    return refuse_set (set, error);
  return emit_copy (&g_array_index (self->sets, VtrSavedSet, self->sets->len - 1),
                    allocation->pAllocateInfo, set->element, creation->pCreateInfo, sizes,
                    chain, error);
}

gboolean
vtr_replay_frame_state_copy_sets (VtrReplayFrameState  *self,
                                  VtrHistory           *history,
                                  VtrTransform         *chain,
                                  GError              **error)
{
  g_autoptr (GArray) ids = vtr_history_list (history, VTR_HANDLE_VkDescriptorSet);
  gboolean ok = TRUE;
  VtrArena arena;

  self->sets = g_array_new (FALSE, TRUE, sizeof (VtrSavedSet));
  g_array_set_clear_func (self->sets, saved_set_clear);
  vtr_arena_init (&arena);
  for (guint i = 0; ok && i < ids->len; i++)
    {
      const VtrObject *set = vtr_history_get_object (history, g_array_index (ids, guint32, i));

      if (set->created >= self->first || set->destroyed < self->first ||
          !is_written (self, history, set))
        continue;
      vtr_arena_reset (&arena);
      ok = copy_set (self, history, set, &arena, chain, error);
    }
  vtr_arena_finish (&arena);
  return ok;
}

gboolean
vtr_replay_frame_state_restore_sets (VtrReplayFrameState  *self,
                                     VtrTransform         *chain,
                                     GError              **error)
{
  for (guint i = 0; i < self->sets->len; i++)
    {
      const VtrSavedSet *saved = &g_array_index (self->sets, VtrSavedSet, i);

      if (!emit_copies (saved, saved->copy, saved->set, chain, error))
        return FALSE;
    }
  return TRUE;
}

/* --- Recordings of before -------------------------------------------------------------------- */

typedef struct
{
  VtrHistory *history;
  guint64 then, now;
  gboolean changed;
} Lifetimes;

static void
check_lifetime (void                 *data,
                const VtrVisitHandle *handle)
{
  Lifetimes *self = data;
  guint64 value = 0;

  if (handle->ignored || handle->out)
    return;
  value = vtr_visit_handle_get (handle);
  if (value != 0 && vtr_history_find (self->history, vtr_vulkan_identity (handle->type, value),
                                      self->then) !=
                      vtr_history_find (self->history, vtr_vulkan_identity (handle->type, value),
                                        self->now))
    self->changed = TRUE;
}

gboolean
vtr_replay_frame_state_feed_one (const VtrReplayBasis  *basis,
                                 guint64                index,
                                 guint64                now,
                                 VtrArena              *arena,
                                 VtrTransform          *chain,
                                 GError               **error)
{
  VtrApiEnv env = { .decoded = true };
  Lifetimes lifetimes = { basis->history, index, now, FALSE };
  const VtrApiVisitor visitor = { .data = &lifetimes, .handle = check_lifetime };
  VtrCommand command;

  if (!vtr_trace_decode (basis->trace, index, arena, &command, error))
    return FALSE;
  vtr_api_visit (command.id, command.args, &env, &visitor);
  if (!lifetimes.changed)
    return vtr_transform_command (chain, &command, error);
  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
               _ ("%s uses an object that is destroyed by then"), vtr_cmd_name (command.id));
  return FALSE;
}

gboolean
vtr_replay_frame_state_feed (VtrReplayFrameState   *self,
                             const VtrReplayBasis  *basis,
                             const VtrPlace        *address,
                             VtrTransform          *chain,
                             GError               **error)
{
  VtrTimeline *timeline = basis->timeline;
  guint32 nth = vtr_timeline_find_recording (timeline, address->index);
  const VtrRun *run = NULL;
  guint32 wanted[2] = { nth, VTR_NO_RECORDING };
  guint64 first = self->first;
  gboolean ok = TRUE;
  VtrArena arena;

  if (nth == VTR_NO_RECORDING)
    return TRUE;
  run = address->run != VTR_NO_RUN ? vtr_timeline_get_run (timeline, address->run)
                                   : vtr_timeline_find_run (timeline, nth, 0);
  if (run != NULL && run->parent != VTR_NO_RUN)
    wanted[1] = vtr_timeline_get_run (timeline, run->parent)->recording;
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    if (wanted[i] != VTR_NO_RECORDING)
      first = MIN (first, vtr_timeline_get_recording (timeline, wanted[i])->first);

  vtr_arena_init (&arena);
  for (guint64 i = first; ok && i < self->first; i++)
    {
      guint32 holder = vtr_timeline_find_recording (timeline, i);

      if (holder == VTR_NO_RECORDING || (holder != wanted[0] && holder != wanted[1]))
        continue;
      vtr_arena_reset (&arena);
      ok = vtr_replay_frame_state_feed_one (basis, i, self->first, &arena, chain, error);
    }
  vtr_arena_finish (&arena);
  return ok;
}

static gboolean
feed_recording (VtrReplayFrameState   *self,
                const VtrReplayBasis  *basis,
                guint32                nth,
                VtrArena              *arena,
                VtrTransform          *chain,
                GError               **error)
{
  const VtrRecording *recording = vtr_timeline_get_recording (basis->timeline, nth);

  for (guint64 i = recording->first; i <= recording->last && i < self->first; i++)
    {
      if (vtr_timeline_find_recording (basis->timeline, i) != nth)
        continue;
      vtr_arena_reset (arena);
      if (!vtr_replay_frame_state_feed_one (basis, i, self->first, arena, chain, error))
        return FALSE;
    }
  return TRUE;
}

static int
compare_numbers (gconstpointer a,
                 gconstpointer b)
{
  const guint32 left = *(const guint32 *)a, right = *(const guint32 *)b;

  return (left > right) - (left < right);
}

/* Recordings are numbered in the order of their first commands. */
gboolean
vtr_replay_frame_state_feed_recordings (VtrReplayFrameState   *self,
                                        const VtrReplayBasis  *basis,
                                        GArray                *recordings,
                                        VtrTransform          *chain,
                                        GError               **error)
{
  gboolean ok = TRUE;
  VtrArena arena;

  g_array_sort (recordings, compare_numbers);
  vtr_arena_init (&arena);
  for (guint i = 0; ok && i < recordings->len; i++)
    ok = feed_recording (self, basis, g_array_index (recordings, guint32, i), &arena, chain,
                         error);
  vtr_arena_finish (&arena);
  return ok;
}
