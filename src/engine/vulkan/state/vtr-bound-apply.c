/* Applies single commands to a VtrBoundState. */
#include "engine/vulkan/state/vtr-bound-walker-private.h"

#include "api/vtr-api-args.h"
#include "engine/vulkan/state/vtr-attachments.h"
#include "engine/vulkan/state/vtr-older-form.h"

#include <string.h>

#define STATE_CLASSES \
  (VTR_CLASS_BIND | VTR_CLASS_DYNAMIC | VTR_CLASS_BEGIN_PASS | VTR_CLASS_END_PASS | \
   VTR_CLASS_EXECUTE | VTR_CLASS_NEXT_SUBPASS)

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
      state->bind_points[point].buffered &= ~(1u << set);
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
  state->bind_points[point].buffered &= ~(1u << set);
}

static void
set_buffer_offsets (VtrBoundState                                    *state,
                    const VtrArgs_vkCmdSetDescriptorBufferOffsetsEXT *args,
                    guint32                                           offset)
{
  guint point = vtr_bind_point_index (args->pipelineBindPoint);

  state->bind_points[point].layout = (guint64)args->layout;
  for (guint64 set = args->firstSet;
       set < (guint64)args->firstSet + args->setCount && set < VTR_MAX_SETS; set++)
    {
      state->bind_points[point].sets[set] = 0;
      state->bind_points[point].set_command[set] = offset;
      state->bind_points[point].pushed &= ~(1u << set);
      state->bind_points[point].buffered |= 1u << set;
    }
}

/* A template knows its bind point only from its creation. */
static guint
find_template_point (VtrVulkanWalker            *self,
                     VkDescriptorUpdateTemplate  handle,
                     guint64                     index)
{
  const VtrObject *object =
    vtr_history_find (self->history,
                      vtr_vulkan_identity (VTR_HANDLE_VkDescriptorUpdateTemplate, (guint64)handle),
                      index);
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
bind_program (VtrBoundState    *state,
              const VtrCommand *command)
{
  guint64 pipelines[G_N_ELEMENTS (state->bind_points)];

  for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++)
    pipelines[i] = state->bind_points[i].pipeline;
  vtr_bind_shaders (command, pipelines, state->shaders);
  for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++)
    state->bind_points[i].pipeline = pipelines[i];
}

static void
push_constants (VtrBoundState                    *state,
                const VtrArgs_vkCmdPushConstants *args)
{
  guint32 size = args->size;

  state->push_layout = (guint64)args->layout;
  if (args->pValues == NULL || args->offset >= sizeof state->push_constants)
    return;

  size = MIN (size, sizeof state->push_constants - args->offset);
  memcpy (state->push_constants + args->offset, args->pValues, size);
  state->push_constants_size = MAX (state->push_constants_size, args->offset + size);
}

void
vtr_bound_set_viewports (VtrBoundState    *state,
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

void
vtr_bound_set_scissors (VtrBoundState  *state,
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
  memset (state->shaders, 0, sizeof state->shaders);
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
apply_known (VtrVulkanWalker  *self,
             VtrBoundState    *state,
             const VtrCommand *command,
             VtrCmdId          id)
{
  guint32 offset =
    (guint32)(command->index - vtr_timeline_get_recording (self->timeline, self->recording)->first);

  switch (id)
    {
    case VTR_CMD_vkCmdBindPipeline:
#ifdef VK_EXT_shader_object
    case VTR_CMD_vkCmdBindShadersEXT:
#endif
      bind_program (state, command);
      return TRUE;
    case VTR_CMD_vkCmdBindDescriptorSets:
      bind_sets (state, command->args, offset);
      return TRUE;
    case VTR_CMD_vkCmdSetDescriptorBufferOffsetsEXT:
      set_buffer_offsets (state, command->args, offset);
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

        vtr_bound_set_viewports (state, args->firstViewport, args->viewportCount, args->pViewports);
        break;
      }
    case VTR_CMD_vkCmdSetViewportWithCount:
      {
        const VtrArgs_vkCmdSetViewportWithCount *args = command->args;

        state->n_viewports = 0;
        vtr_bound_set_viewports (state, 0, args->viewportCount, args->pViewports);
        break;
      }
    case VTR_CMD_vkCmdSetScissor:
      {
        const VtrArgs_vkCmdSetScissor *args = command->args;

        vtr_bound_set_scissors (state, args->firstScissor, args->scissorCount, args->pScissors);
        break;
      }
    case VTR_CMD_vkCmdSetScissorWithCount:
      {
        const VtrArgs_vkCmdSetScissorWithCount *args = command->args;

        state->n_scissors = 0;
        vtr_bound_set_scissors (state, 0, args->scissorCount, args->pScissors);
        break;
      }
    default:
      break;
    }
  note_dynamic (state, id, command->index);
}

gboolean
vtr_vulkan_walker_apply (VtrVulkanWalker  *self,
                         VtrBoundState    *state,
                         guint64           index,
                         GError          **error)
{
  VtrTrace *trace = vtr_timeline_get_trace (self->timeline);
  VtrCmdId id = vtr_trace_get_command_id (trace, index);
  VtrOlderForms forms;
  VtrCommand command;

  if (!vtr_cmd_is_vulkan (id))
    return TRUE;
  id = vtr_cmd_canonical (id);
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
  else
    for (vtr_older_forms_init (&forms, &command); vtr_older_forms_next (&forms);)
      if (!apply_known (self, state, &forms.command, forms.command.id))
        apply_dynamic (state, &forms.command, forms.command.id);
  return TRUE;
}
