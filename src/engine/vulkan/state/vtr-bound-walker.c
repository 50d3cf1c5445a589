/* Finds the bound state at a recorded command: walks the state-setting commands of its recording
 * in order, and keeps copies on the way. What takes look-ups (attachments, static viewports,
 * dynamic offsets) is filled in only for the command that is asked for. */
#include "engine/vulkan/state/vtr-bound-walker-private.h"
#include "engine/vulkan/state/vtr-older-form.h"

#include "engine/vulkan/state/vtr-attachments.h"

#include "api/vtr-api-args.h"

#include <glib/gi18n.h>
#include <string.h>

/* Commands between two copies of the state. */
#define SNAPSHOT_DISTANCE 1024
/* How many executing recordings are asked for what a secondary inherits. */
#define MAX_INHERITANCE 4

typedef struct
{
  guint64 next; /* flat index of the first command that is not in it */
  VtrBoundState state;
} VtrSnapshot;

guint
vtr_bind_point_index (VkPipelineBindPoint point)
{
  switch ((int)point)
    {
    case VK_PIPELINE_BIND_POINT_GRAPHICS:
      return 0;
    case VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR:
      return 2;
    default:
      return 1;
    }
}

gpointer
vtr_vulkan_walker_new (VtrTimeline *timeline,
                       VtrHistory  *history)
{
  VtrVulkanWalker *self = g_new0 (VtrVulkanWalker, 1);

  self->timeline = vtr_timeline_ref (timeline);
  self->history = vtr_history_ref (history);
  g_mutex_init (&self->lock);
  vtr_arena_init (&self->arena);
  self->snapshots = g_array_new (FALSE, FALSE, sizeof (VtrSnapshot));
  self->recording = VTR_NO_RECORDING;
  return self;
}

void
vtr_vulkan_walker_free (gpointer part)
{
  VtrVulkanWalker *self = part;

  vtr_timeline_unref (self->timeline);
  vtr_history_unref (self->history);
  vtr_arena_finish (&self->arena);
  g_array_unref (self->snapshots);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Static viewports and scissors hide what commands set. */
static void
fill_viewports (VtrVulkanWalker *self,
                guint64          index,
                VtrBoundState   *state)
{
  const VtrObject *pipeline =
    vtr_history_find (self->history,
                      vtr_vulkan_identity (VTR_HANDLE_VkPipeline, state->bind_points[0].pipeline),
                      index);
  const VkPipelineViewportStateCreateInfo *viewport;
  VtrPipelineInfo info;

  vtr_arena_reset (&self->arena);
  if (pipeline == NULL ||
      !vtr_history_get_pipeline_info (self->history, pipeline, &self->arena, &info, NULL) ||
      info.graphics == NULL || (viewport = info.graphics->pViewportState) == NULL)
    return;

  if (viewport->pViewports != NULL &&
      !vtr_pipeline_info_is_dynamic (&info, VK_DYNAMIC_STATE_VIEWPORT) &&
      !vtr_pipeline_info_is_dynamic (&info, VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT))
    {
      state->n_viewports = 0;
      vtr_bound_set_viewports (state, 0, viewport->viewportCount, viewport->pViewports);
    }
  if (viewport->pScissors != NULL &&
      !vtr_pipeline_info_is_dynamic (&info, VK_DYNAMIC_STATE_SCISSOR) &&
      !vtr_pipeline_info_is_dynamic (&info, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT))
    {
      state->n_scissors = 0;
      vtr_bound_set_scissors (state, 0, viewport->scissorCount, viewport->pScissors);
    }
}

/* How many dynamic offsets a bound set takes. */
static guint32
count_dynamic_descriptors (VtrVulkanWalker *self,
                           guint64          set,
                           guint64          index)
{
  const VtrObject *object =
    vtr_history_find (self->history, vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet, set), index);
  const VtrObject *layout;
  const VtrArgs_vkAllocateDescriptorSets *allocate;
  const VtrArgs_vkCreateDescriptorSetLayout *create;
  guint32 n = 0;
  VtrCommand command;

  if (object == NULL ||
      !vtr_history_decode_creation (self->history, object, &self->arena, &command, NULL) ||
      command.id != VTR_CMD_vkAllocateDescriptorSets)
    return 0;
  allocate = command.args;
  if (allocate->pAllocateInfo == NULL || allocate->pAllocateInfo->pSetLayouts == NULL ||
      object->element >= allocate->pAllocateInfo->descriptorSetCount)
    return 0;

  layout = vtr_history_find (
    self->history,
    vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSetLayout,
                         (guint64)allocate->pAllocateInfo->pSetLayouts[object->element]),
    object->created);
  if (layout == NULL ||
      !vtr_history_decode_creation (self->history, layout, &self->arena, &command, NULL) ||
      command.id != VTR_CMD_vkCreateDescriptorSetLayout)
    return 0;
  create = command.args;
  if (create->pCreateInfo == NULL || create->pCreateInfo->pBindings == NULL)
    return 0;
  for (guint32 i = 0; i < create->pCreateInfo->bindingCount; i++)
    {
      const VkDescriptorSetLayoutBinding *binding = &create->pCreateInfo->pBindings[i];

      if (binding->descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
          binding->descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)
        n += binding->descriptorCount;
    }
  return n;
}

/* The sets of one vkCmdBindDescriptorSets share its list of offsets, in the order of sets and
   bindings. */
static void
fill_dynamic_offsets (VtrVulkanWalker *self,
                      guint            point,
                      guint32          set,
                      VtrBoundState   *state)
{
  guint64 index = vtr_timeline_get_recording (self->timeline, state->recording)->first +
                  state->bind_points[point].set_command[set];
  const VtrArgs_vkCmdBindDescriptorSets *args;
  guint64 at = 0;
  guint32 n = 0;
  VtrOlderForms forms;
  VtrCommand command;

  vtr_arena_reset (&self->arena);
  if (!vtr_trace_decode (vtr_timeline_get_trace (self->timeline), index, &self->arena, &command,
                         NULL))
    return;
  /* All forms bind the same sets. */
  vtr_older_forms_init (&forms, &command);
  if (forms.command.id != VTR_CMD_vkCmdBindDescriptorSets)
    return;
  args = forms.command.args;
  if (args->dynamicOffsetCount == 0 || args->pDynamicOffsets == NULL ||
      args->pDescriptorSets == NULL)
    return;

  for (guint32 i = 0; i < args->descriptorSetCount && i <= set - args->firstSet; i++)
    {
      at += n;
      n = count_dynamic_descriptors (self, (guint64)args->pDescriptorSets[i], index);
    }
  n = MIN (n, VTR_MAX_DYNAMIC_OFFSETS);
  for (guint32 i = 0; i < n && at + i < args->dynamicOffsetCount; i++)
    {
      state->bind_points[point].dynamic_offsets[set][i] = args->pDynamicOffsets[at + i];
      state->bind_points[point].n_dynamic_offsets[set] = i + 1;
    }
}

static gboolean walker_get (VtrVulkanWalker  *self,
                            guint64           index,
                            guint             depth,
                            VtrBoundState    *out,
                            GError          **error);

/* A secondary draws into what the recording that executes it first has begun. */
static void
fill_inherited (VtrVulkanWalker *self,
                guint            depth,
                VtrBoundState   *state)
{
  const VtrRun *run = vtr_timeline_find_run (self->timeline, state->recording, 0);
  VtrBoundState *outer;

  if (run == NULL || run->executed_by == VTR_COMMAND_NO_INDEX || depth >= MAX_INHERITANCE)
    {
      vtr_attachments_fill_inherited (
        self->history, vtr_timeline_get_recording (self->timeline, state->recording)->first, state);
      return;
    }

  outer = g_new (VtrBoundState, 1);
  if (walker_get (self, run->executed_by, depth + 1, outer, NULL) && outer->in_pass)
    {
      state->pass_begin = outer->pass_begin;
      state->render_pass = outer->render_pass;
      state->framebuffer = outer->framebuffer;
      state->subpass = outer->subpass;
      state->dynamic_rendering = outer->dynamic_rendering;
      state->render_area = outer->render_area;
      state->view_mask = outer->view_mask;
      state->n_colors = outer->n_colors;
      memcpy (state->colors, outer->colors, sizeof state->colors);
      state->has_depth = outer->has_depth;
      state->has_stencil = outer->has_stencil;
      state->depth = outer->depth;
      state->stencil = outer->stencil;
    }
  g_free (outer);
}

static void
walker_fill (VtrVulkanWalker *self,
             guint64          index,
             guint            depth,
             VtrBoundState   *state)
{
  fill_viewports (self, index, state);
  for (guint point = 0; point < G_N_ELEMENTS (state->bind_points); point++)
    for (guint32 set = 0; set < VTR_MAX_SETS; set++)
      if (state->bind_points[point].sets[set] != 0)
        fill_dynamic_offsets (self, point, set, state);
  if (state->in_pass && state->inherited)
    fill_inherited (self, depth, state);
  else if (state->in_pass)
    vtr_attachments_fill (self->history, state);
}

/* Last snapshot of @recording that is not beyond @index, or a fresh one. */
static VtrSnapshot
walker_start (VtrVulkanWalker *self,
              guint32          recording,
              guint64          index)
{
  VtrSnapshot start = { 0 };

  if (self->recording != recording)
    {
      g_array_set_size (self->snapshots, 0);
      self->recording = recording;
    }
  for (guint i = self->snapshots->len; i > 0; i--)
    if (g_array_index (self->snapshots, VtrSnapshot, i - 1).next <= index + 1)
      return g_array_index (self->snapshots, VtrSnapshot, i - 1);

  start.next = vtr_timeline_get_recording (self->timeline, recording)->first;
  start.state.recording = recording;
  start.state.pass_begin = VTR_COMMAND_NO_INDEX;
  start.state.last_pass_begin = start.state.last_pass_end = VTR_COMMAND_NO_INDEX;
  return start;
}

static void
walker_keep (VtrVulkanWalker   *self,
             const VtrSnapshot *snapshot)
{
  guint64 last = self->snapshots->len > 0
                   ? g_array_index (self->snapshots, VtrSnapshot, self->snapshots->len - 1).next
                   : vtr_timeline_get_recording (self->timeline, self->recording)->first;

  if (snapshot->next >= last + SNAPSHOT_DISTANCE)
    g_array_append_vals (self->snapshots, snapshot, 1);
}

static gboolean
walker_get (VtrVulkanWalker  *self,
            guint64           index,
            guint             depth,
            VtrBoundState    *out,
            GError          **error)
{
  VtrTrace *trace = vtr_timeline_get_trace (self->timeline);
  guint32 recording;
  VtrSnapshot walk;

  if (index >= vtr_trace_get_n_commands (trace))
    {
      g_autofree char *number = vtr_trace_format_number (trace, index);
      g_autofree char *last = vtr_trace_format_number (trace, vtr_trace_get_n_commands (trace) - 1);

      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_RANGE,
                   _ ("There is no command %s; the last one is %s."), number, last);
      return FALSE;
    }
  recording = vtr_timeline_find_recording (self->timeline, index);
  if (recording == VTR_NO_RECORDING)
    {
      memset (out, 0, sizeof *out);
      out->recording = VTR_NO_RECORDING;
      out->pass_begin = out->last_pass_begin = out->last_pass_end = VTR_COMMAND_NO_INDEX;
      return TRUE;
    }

  walk = walker_start (self, recording, index);
  for (; walk.next <= index; walk.next++)
    {
      walker_keep (self, &walk);
      if (vtr_timeline_find_recording (self->timeline, walk.next) == recording &&
          !vtr_vulkan_walker_apply (self, &walk.state, walk.next, error))
        return FALSE;
    }
  *out = walk.state;
  walker_fill (self, index, depth, out);
  return TRUE;
}

gboolean
vtr_bound_walker_get (VtrBoundWalker  *walker,
                      guint64          index,
                      VtrBoundState   *out,
                      GError         **error)
{
  VtrVulkanWalker *self = vtr_bound_walker_get_part (walker, VTR_VULKAN_FIRST_ID);
  gboolean found;

  g_mutex_lock (&self->lock);
  found = walker_get (self, index, 0, out, error);
  g_mutex_unlock (&self->lock);
  return found;
}

gboolean
vtr_bound_state_at (VtrTimeline    *timeline,
                    VtrHistory     *history,
                    guint64         index,
                    VtrBoundState  *out,
                    GError        **error)
{
  g_autoptr (VtrBoundWalker) walker = vtr_bound_walker_new (timeline, history);

  return vtr_bound_walker_get (walker, index, out, error);
}
