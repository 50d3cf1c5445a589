/* VtrBoundWalker: applies the state-setting commands of one recording in order, keeping copies on
   the way; what takes look-ups (attachments, static viewports, dynamic offsets) is filled in only
   for the command that is asked for. */
#include "engine/state/vtr-attachments.h"
#include "engine/state/vtr-state.h"

#include "api/vtr-api-args.h"

#include <glib/gi18n.h>
#include <string.h>

/* Commands between two copies of the state. */
#define SNAPSHOT_DISTANCE 1024
/* How many executing recordings are asked for what a secondary inherits. */
#define MAX_INHERITANCE 4

#define STATE_CLASSES \
  (VTR_CLASS_BIND | VTR_CLASS_DYNAMIC | VTR_CLASS_BEGIN_PASS | VTR_CLASS_END_PASS | \
   VTR_CLASS_EXECUTE | VTR_CLASS_NEXT_SUBPASS)

typedef struct
{
  guint64 next; /* flat index of the first command that is not in it */
  VtrBoundState state;
} VtrSnapshot;

struct _VtrBoundWalker
{
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrArena arena;
  GArray *snapshots; /* of VtrSnapshot, of one recording, by .next */
  guint32 recording; /* theirs */
};

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

VtrBoundWalker *
vtr_bound_walker_new (VtrTimeline *timeline,
                      VtrHistory  *history)
{
  VtrBoundWalker *self = g_new0 (VtrBoundWalker, 1);

  self->timeline = vtr_timeline_ref (timeline);
  self->history = vtr_history_ref (history);
  vtr_arena_init (&self->arena);
  self->snapshots = g_array_new (FALSE, FALSE, sizeof (VtrSnapshot));
  self->recording = VTR_NO_RECORDING;
  return self;
}

void
vtr_bound_walker_free (VtrBoundWalker *self)
{
  vtr_timeline_unref (self->timeline);
  vtr_history_unref (self->history);
  vtr_arena_finish (&self->arena);
  g_array_unref (self->snapshots);
  g_free (self);
}

static void
note_dynamic (VtrBoundState *state,
              VtrCmdId       id,
              guint64        index)
{
  guint32 at = 0;

  while (at < state->n_dynamic && state->dynamic[at].id < id)
    at++;
  if (at < state->n_dynamic && state->dynamic[at].id == id)
    {
      state->dynamic[at].index = index;
      return;
    }
  if (state->n_dynamic == G_N_ELEMENTS (state->dynamic))
    return;
  memmove (&state->dynamic[at + 1], &state->dynamic[at],
           (state->n_dynamic - at) * sizeof state->dynamic[0]);
  state->dynamic[at].id = id;
  state->dynamic[at].index = index;
  state->n_dynamic++;
}

static void
bind_sets (VtrBoundState                         *state,
           const VtrArgs_vkCmdBindDescriptorSets *args,
           guint32                                offset)
{
  guint point = vtr_bind_point_index (args->pipelineBindPoint);

  state->bind_points[point].layout = (guint64)args->layout;
  for (guint32 i = 0; i < args->descriptorSetCount && args->pDescriptorSets != NULL; i++)
    {
      guint64 set = (guint64)args->firstSet + i;

      if (set >= VTR_MAX_SETS)
        break;
      state->bind_points[point].sets[set] = (guint64)args->pDescriptorSets[i];
      state->bind_points[point].set_command[set] = offset;
      state->bind_points[point].pushed &= ~(1u << set);
    }
}

static void
push_set (VtrBoundState    *state,
          guint             point,
          VkPipelineLayout  layout,
          guint32           set,
          guint32           offset)
{
  if (set >= VTR_MAX_SETS)
    return;

  state->bind_points[point].layout = (guint64)layout;
  state->bind_points[point].sets[set] = 0;
  state->bind_points[point].set_command[set] = offset;
  state->bind_points[point].pushed |= 1u << set;
}

/* A template knows its bind point only from its creation. */
static guint
find_template_point (VtrBoundWalker             *self,
                     VkDescriptorUpdateTemplate  handle,
                     guint64                     index)
{
  const VtrObject *object = vtr_history_find (self->history, VTR_HANDLE_VkDescriptorUpdateTemplate,
                                              (guint64)handle, index);
  const VtrArgs_vkCreateDescriptorUpdateTemplate *args;
  guint point = 0;
  VtrCommand command;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (object != NULL &&
      vtr_history_decode_creation (self->history, object, &arena, &command, NULL) &&
      vtr_cmd_canonical (command.id) == VTR_CMD_vkCreateDescriptorUpdateTemplate &&
      (args = command.args)->pCreateInfo != NULL)
    point = vtr_bind_point_index (args->pCreateInfo->pipelineBindPoint);
  vtr_arena_finish (&arena);
  return point;
}

static void
bind_vertex_buffers (VtrBoundState      *state,
                     guint32             first,
                     guint32             count,
                     const VkBuffer     *buffers,
                     const VkDeviceSize *offsets,
                     const VkDeviceSize *sizes,
                     const VkDeviceSize *strides)
{
  for (guint32 i = 0; i < count && buffers != NULL; i++)
    {
      guint64 binding = (guint64)first + i;

      if (binding >= VTR_MAX_VERTEX_BUFFERS)
        break;
      state->vertex_buffers[binding].buffer = (guint64)buffers[i];
      state->vertex_buffers[binding].offset = offsets != NULL ? offsets[i] : 0;
      state->vertex_buffers[binding].size = sizes != NULL ? sizes[i] : VK_WHOLE_SIZE;
      state->vertex_buffers[binding].stride = strides != NULL ? strides[i] : 0;
    }
}

static void
push_constants (VtrBoundState                    *state,
                const VtrArgs_vkCmdPushConstants *args)
{
  guint32 size = args->size;

  if (args->pValues == NULL || args->offset >= sizeof state->push_constants)
    return;

  size = MIN (size, sizeof state->push_constants - args->offset);
  memcpy (state->push_constants + args->offset, args->pValues, size);
  state->push_constants_size = MAX (state->push_constants_size, args->offset + size);
}

static void
set_viewports (VtrBoundState    *state,
               guint32           first,
               guint32           count,
               const VkViewport *viewports)
{
  for (guint32 i = 0; i < count && viewports != NULL; i++)
    {
      if ((guint64)first + i >= G_N_ELEMENTS (state->viewports))
        break;
      state->viewports[first + i] = viewports[i];
      state->n_viewports = MAX (state->n_viewports, first + i + 1);
    }
}

static void
set_scissors (VtrBoundState  *state,
              guint32         first,
              guint32         count,
              const VkRect2D *scissors)
{
  for (guint32 i = 0; i < count && scissors != NULL; i++)
    {
      if ((guint64)first + i >= G_N_ELEMENTS (state->scissors))
        break;
      state->scissors[first + i] = scissors[i];
      state->n_scissors = MAX (state->n_scissors, first + i + 1);
    }
}

static void
begin_pass (VtrBoundState    *state,
            const VtrCommand *command,
            VtrCmdId          id)
{
  state->in_pass = TRUE;
  state->inherited = FALSE;
  state->pass_begin = state->last_pass_begin = command->index;
  state->subpass = 0;
  state->dynamic_rendering = id == VTR_CMD_vkCmdBeginRendering;
  state->render_pass = state->framebuffer = 0;
  if (!state->dynamic_rendering)
    {
      const VtrArgs_vkCmdBeginRenderPass *args = command->args;

      if (args->pRenderPassBegin == NULL)
        return;
      state->render_pass = (guint64)args->pRenderPassBegin->renderPass;
      state->framebuffer = (guint64)args->pRenderPassBegin->framebuffer;
      state->render_area = args->pRenderPassBegin->renderArea;
    }
}

/* Everything but the pass is undefined after secondaries ran. */
static void
forget_bindings (VtrBoundState *state)
{
  memset (state->bind_points, 0, sizeof state->bind_points);
  memset (state->vertex_buffers, 0, sizeof state->vertex_buffers);
  state->index_buffer = state->index_offset = 0;
  state->n_viewports = state->n_scissors = 0;
  state->push_constants_size = 0;
  state->n_dynamic = 0;
}

static void
apply_begin (VtrBoundState    *state,
             const VtrCommand *command)
{
  const VtrArgs_vkBeginCommandBuffer *args = command->args;
  const VkCommandBufferInheritanceInfo *inherited;

  if (args->pBeginInfo == NULL || args->pBeginInfo->pInheritanceInfo == NULL ||
      (args->pBeginInfo->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) == 0)
    return;

  inherited = args->pBeginInfo->pInheritanceInfo;
  state->in_pass = state->inherited = TRUE;
  state->pass_begin = command->index;
  state->render_pass = (guint64)inherited->renderPass;
  state->framebuffer = (guint64)inherited->framebuffer;
  state->subpass = inherited->subpass;
  state->dynamic_rendering = inherited->renderPass == VK_NULL_HANDLE;
}

/* Commands with fields of their own in VtrBoundState. Returns: FALSE for others. */
static gboolean
apply_known (VtrBoundWalker   *self,
             VtrBoundState    *state,
             const VtrCommand *command,
             VtrCmdId          id)
{
  guint32 offset =
    (guint32)(command->index - vtr_timeline_get_recording (self->timeline, self->recording)->first);

  switch (id)
    {
    case VTR_CMD_vkCmdBindPipeline:
      {
        const VtrArgs_vkCmdBindPipeline *args = command->args;

        state->bind_points[vtr_bind_point_index (args->pipelineBindPoint)].pipeline =
          (guint64)args->pipeline;
        return TRUE;
      }
    case VTR_CMD_vkCmdBindDescriptorSets:
      bind_sets (state, command->args, offset);
      return TRUE;
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
      {
        const VtrArgs_vkCmdPushDescriptorSetKHR *args = command->args;

        push_set (state, vtr_bind_point_index (args->pipelineBindPoint), args->layout, args->set,
                  offset);
        return TRUE;
      }
    case VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR:
      {
        const VtrArgs_vkCmdPushDescriptorSetWithTemplateKHR *args = command->args;

        push_set (state,
                  find_template_point (self, args->descriptorUpdateTemplate, command->index),
                  args->layout, args->set, offset);
        return TRUE;
      }
    case VTR_CMD_vkCmdBindVertexBuffers:
      {
        const VtrArgs_vkCmdBindVertexBuffers *args = command->args;

        bind_vertex_buffers (state, args->firstBinding, args->bindingCount, args->pBuffers,
                             args->pOffsets, NULL, NULL);
        return TRUE;
      }
    case VTR_CMD_vkCmdBindVertexBuffers2:
      {
        const VtrArgs_vkCmdBindVertexBuffers2 *args = command->args;

        bind_vertex_buffers (state, args->firstBinding, args->bindingCount, args->pBuffers,
                             args->pOffsets, args->pSizes, args->pStrides);
        return TRUE;
      }
    case VTR_CMD_vkCmdBindIndexBuffer:
      {
        const VtrArgs_vkCmdBindIndexBuffer *args = command->args;

        state->index_buffer = (guint64)args->buffer;
        state->index_offset = args->offset;
        state->index_type = args->indexType;
        return TRUE;
      }
    case VTR_CMD_vkCmdPushConstants:
      push_constants (state, command->args);
      return TRUE;
    default:
      return FALSE;
    }
}

/* Dynamic state that VtrBoundState shows by value, too. */
static void
apply_dynamic (VtrBoundState    *state,
               const VtrCommand *command,
               VtrCmdId          id)
{
  switch (id)
    {
    case VTR_CMD_vkCmdSetViewport:
      {
        const VtrArgs_vkCmdSetViewport *args = command->args;

        set_viewports (state, args->firstViewport, args->viewportCount, args->pViewports);
        break;
      }
    case VTR_CMD_vkCmdSetViewportWithCount:
      {
        const VtrArgs_vkCmdSetViewportWithCount *args = command->args;

        state->n_viewports = 0;
        set_viewports (state, 0, args->viewportCount, args->pViewports);
        break;
      }
    case VTR_CMD_vkCmdSetScissor:
      {
        const VtrArgs_vkCmdSetScissor *args = command->args;

        set_scissors (state, args->firstScissor, args->scissorCount, args->pScissors);
        break;
      }
    case VTR_CMD_vkCmdSetScissorWithCount:
      {
        const VtrArgs_vkCmdSetScissorWithCount *args = command->args;

        state->n_scissors = 0;
        set_scissors (state, 0, args->scissorCount, args->pScissors);
        break;
      }
    default:
      break;
    }
  note_dynamic (state, id, command->index);
}

static gboolean
walker_apply (VtrBoundWalker  *self,
              VtrBoundState   *state,
              guint64          index,
              GError         **error)
{
  VtrTrace *trace = vtr_timeline_get_trace (self->timeline);
  VtrCmdId id = vtr_trace_get_command_id (trace, index);
  VtrCommand command;

  if (id >= VTR_CMD_COUNT)
    return TRUE;
  id = vtr_cmd_canonical (id);
  if (id == vtr_cmd_canonical (VTR_CMD_vkCmdPushDescriptorSetKHR))
    id = VTR_CMD_vkCmdPushDescriptorSetKHR;
  if (!vtr_cmd_is (id, STATE_CLASSES) && id != VTR_CMD_vkBeginCommandBuffer)
    return TRUE;

  if (vtr_cmd_is (id, VTR_CLASS_END_PASS))
    {
      state->in_pass = state->dynamic_rendering = FALSE;
      state->render_pass = state->framebuffer = 0;
      state->subpass = 0;
      state->last_pass_end = index;
      return TRUE;
    }
  if (vtr_cmd_is (id, VTR_CLASS_NEXT_SUBPASS))
    {
      state->subpass++;
      return TRUE;
    }
  if (vtr_cmd_is (id, VTR_CLASS_EXECUTE))
    {
      forget_bindings (state);
      return TRUE;
    }

  vtr_arena_reset (&self->arena);
  if (!vtr_trace_decode (trace, index, &self->arena, &command, error))
    return FALSE;
  if (id == VTR_CMD_vkBeginCommandBuffer)
    apply_begin (state, &command);
  else if (vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS))
    begin_pass (state, &command, id);
  else if (!apply_known (self, state, &command, id))
    apply_dynamic (state, &command, id);
  return TRUE;
}

/* Static viewports and scissors hide what commands set. */
static void
fill_viewports (VtrBoundWalker *self,
                guint64         index,
                VtrBoundState  *state)
{
  const VtrObject *pipeline = vtr_history_find (self->history, VTR_HANDLE_VkPipeline,
                                                state->bind_points[0].pipeline, index);
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
      set_viewports (state, 0, viewport->viewportCount, viewport->pViewports);
    }
  if (viewport->pScissors != NULL &&
      !vtr_pipeline_info_is_dynamic (&info, VK_DYNAMIC_STATE_SCISSOR) &&
      !vtr_pipeline_info_is_dynamic (&info, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT))
    {
      state->n_scissors = 0;
      set_scissors (state, 0, viewport->scissorCount, viewport->pScissors);
    }
}

/* How many dynamic offsets a bound set takes. */
static guint32
count_dynamic_descriptors (VtrBoundWalker *self,
                           guint64         set,
                           guint64         index)
{
  const VtrObject *object =
    vtr_history_find (self->history, VTR_HANDLE_VkDescriptorSet, set, index);
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

  layout = vtr_history_find (self->history, VTR_HANDLE_VkDescriptorSetLayout,
                             (guint64)allocate->pAllocateInfo->pSetLayouts[object->element],
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
fill_dynamic_offsets (VtrBoundWalker *self,
                      guint           point,
                      guint32         set,
                      VtrBoundState  *state)
{
  guint64 index = vtr_timeline_get_recording (self->timeline, state->recording)->first +
                  state->bind_points[point].set_command[set];
  const VtrArgs_vkCmdBindDescriptorSets *args;
  guint64 at = 0;
  guint32 n = 0;
  VtrCommand command;

  vtr_arena_reset (&self->arena);
  if (!vtr_trace_decode (vtr_timeline_get_trace (self->timeline), index, &self->arena, &command,
                         NULL) ||
      command.id != VTR_CMD_vkCmdBindDescriptorSets)
    return;
  args = command.args;
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

static gboolean walker_get (VtrBoundWalker  *self,
                            guint64          index,
                            guint            depth,
                            VtrBoundState   *out,
                            GError         **error);

/* A secondary draws into what the recording that executes it first has begun. */
static void
fill_inherited (VtrBoundWalker *self,
                guint           depth,
                VtrBoundState  *state)
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
walker_fill (VtrBoundWalker *self,
             guint64         index,
             guint           depth,
             VtrBoundState  *state)
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
walker_start (VtrBoundWalker *self,
              guint32         recording,
              guint64         index)
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
walker_keep (VtrBoundWalker    *self,
             const VtrSnapshot *snapshot)
{
  guint64 last = self->snapshots->len > 0
                   ? g_array_index (self->snapshots, VtrSnapshot, self->snapshots->len - 1).next
                   : vtr_timeline_get_recording (self->timeline, self->recording)->first;

  if (snapshot->next >= last + SNAPSHOT_DISTANCE)
    g_array_append_vals (self->snapshots, snapshot, 1);
}

static gboolean
walker_get (VtrBoundWalker  *self,
            guint64          index,
            guint            depth,
            VtrBoundState   *out,
            GError         **error)
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
          !walker_apply (self, &walk.state, walk.next, error))
        return FALSE;
    }
  *out = walk.state;
  walker_fill (self, index, depth, out);
  return TRUE;
}

gboolean
vtr_bound_walker_get (VtrBoundWalker  *self,
                      guint64          index,
                      VtrBoundState   *out,
                      GError         **error)
{
  return walker_get (self, index, 0, out, error);
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
