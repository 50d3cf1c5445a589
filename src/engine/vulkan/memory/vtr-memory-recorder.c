/* Notes what recorded commands bind and draw (VtrMemoryDraft). Passes are in
 * vtr-memory-attachments.c, transfers in vtr-memory-transfers.c; vtr-memory-resolve.c turns the
 * notes into bytes. */
#include "engine/vulkan/memory/vtr-memory-recorder-private.h"

#include "api/vtr-api-args.h"
#include "engine/vulkan/state/vtr-older-form.h"
#include "engine/vulkan/state/vtr-work.h"

#include <string.h>

#define KEY(handle) ((gpointer)(gsize)(handle))
#define VALUE(handle) ((guint64)(gsize)(handle))

#define WORK_CLASSES (VTR_CLASS_DRAW | VTR_CLASS_DISPATCH | VTR_CLASS_TRACE_RAYS)

VtrMemoryDraft *
vtr_memory_draft_new (void)
{
  VtrMemoryDraft *self = g_new0 (VtrMemoryDraft, 1);

  self->entries = g_array_new (FALSE, FALSE, sizeof (VtrMemoryEntry));
  self->refs = g_array_new (FALSE, FALSE, sizeof (VtrMemoryRef));
  self->dynamic = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->attachments = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->exact = g_array_new (FALSE, FALSE, sizeof (VtrRange));
  self->maybe = g_array_new (FALSE, FALSE, sizeof (VtrRange));
  self->events = VTR_NO_EVENTS;
  for (guint point = 0; point < G_N_ELEMENTS (self->points); point++)
    for (guint i = 0; i < VTR_MAX_SETS; i++)
      self->points[point].sets[i].set = VTR_MEMORY_NONE;
  for (guint i = 0; i < G_N_ELEMENTS (self->feedback); i++)
    self->feedback[i].buffer = VTR_MEMORY_NONE;
  return self;
}

void
vtr_memory_draft_free (VtrMemoryDraft *self)
{
  for (guint point = 0; point < G_N_ELEMENTS (self->points); point++)
    for (guint i = 0; i < VTR_MAX_SETS; i++)
      g_clear_pointer (&self->points[point].sets[i].pushed, g_array_unref);
  g_array_unref (self->entries);
  g_array_unref (self->refs);
  g_array_unref (self->dynamic);
  g_array_unref (self->attachments);
  g_array_unref (self->exact);
  g_array_unref (self->maybe);
  g_free (self);
}

void
vtr_memory_draft_begin_entry (VtrMemoryDraft     *self,
                              VtrMemoryEventKind  kind,
                              guint64             index)
{
  const VtrMemoryEntry entry = { kind, index, index, self->refs->len, 0 };

  g_array_append_val (self->entries, entry);
}

VtrMemoryEntry *
vtr_memory_draft_get_entry (VtrMemoryDraft *self,
                            guint           nth)
{
  return &g_array_index (self->entries, VtrMemoryEntry, nth - 1);
}

void
vtr_memory_draft_add_ref (VtrMemoryDraft *self,
                          VtrMemoryRef    ref)
{
  g_array_append_val (self->refs, ref);
  g_array_index (self->entries, VtrMemoryEntry, self->entries->len - 1).n_refs++;
}

void
vtr_memory_draft_add_buffer (VtrMemoryDraft   *self,
                             VtrMemoryObjects *objects,
                             VkBuffer          buffer,
                             guint64           offset,
                             guint64           size)
{
  guint32 at = vtr_memory_objects_find (objects, VTR_HANDLE_VkBuffer, VALUE (buffer));

  if (at != VTR_MEMORY_NONE)
    vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_BUFFER,
                                                    .object = at,
                                                    .offset = offset,
                                                    .size = size });
}

/* --- Binding --------------------------------------------------------------------------------- */

static void
unbind (VtrMemoryPoint *point,
        guint32         nth)
{
  if (point->sets[nth].set != VTR_MEMORY_NONE || point->sets[nth].pushed != NULL)
    point->dirty = TRUE;
  g_clear_pointer (&point->sets[nth].pushed, g_array_unref);
  point->sets[nth].set = VTR_MEMORY_NONE;
}

/* Dynamic offsets of a set, by its layout. */
static guint32
count_dynamic (VtrMemoryObjects *objects,
               guint32           set)
{
  const VtrMemorySet *bound = g_ptr_array_index (objects->sets, set);
  guint32 n = 0;

  for (guint32 i = 0; i < bound->layout->n; i++)
    if (vtr_memory_is_dynamic (bound->layout->bindings[i].type))
      n += bound->layout->bindings[i].count;
  return n;
}

static void
bind_set (VtrMemoryDraft *self,
          VtrMemoryPoint *point,
          guint32         nth,
          guint32         set,
          const guint32  *dynamic,
          guint32         n_dynamic)
{
  VtrMemoryBoundSet *bound = &point->sets[nth];

  if (bound->set == set && bound->pushed == NULL && bound->n_dynamic == n_dynamic &&
      (n_dynamic == 0 ||
       memcmp (&g_array_index (self->dynamic, guint32, bound->first_dynamic), dynamic,
               n_dynamic * sizeof *dynamic) == 0))
    return;
  unbind (point, nth);
  bound->set = set;
  bound->first_dynamic = self->dynamic->len;
  bound->n_dynamic = n_dynamic;
  g_array_append_vals (self->dynamic, dynamic, n_dynamic);
  point->dirty = TRUE;
}

/* How many dynamic offsets the sets before @nth use, is known only if all layouts are; sets without
   storage are not kept, so their layouts are asked for by the pipeline layout. */
static guint32
skip_dynamic (VtrMemoryObjects *objects,
              VkDescriptorSet   handle,
              guint64           index)
{
  const VtrObject *set =
    vtr_history_find (objects->history,
                      vtr_vulkan_identity (VTR_HANDLE_VkDescriptorSet, VALUE (handle)), index);
  const VtrArgs_vkAllocateDescriptorSets *args;
  const VtrMemorySetLayout *layout = NULL;
  VtrCommand command;
  VtrArena arena;
  guint32 n = 0;

  vtr_arena_init (&arena);
  if (set != NULL &&
      vtr_history_decode_creation (objects->history, set, &arena, &command, NULL) &&
      command.id == VTR_CMD_vkAllocateDescriptorSets &&
      (args = command.args)->pAllocateInfo != NULL && args->pAllocateInfo->pSetLayouts != NULL &&
      set->element < args->pAllocateInfo->descriptorSetCount)
    layout = g_hash_table_lookup (objects->layouts,
                                  KEY (args->pAllocateInfo->pSetLayouts[set->element]));
  for (guint32 i = 0; layout != NULL && i < layout->n; i++)
    if (vtr_memory_is_dynamic (layout->bindings[i].type))
      n += layout->bindings[i].count;
  vtr_arena_finish (&arena);
  return n;
}

static void
bind_sets (VtrMemoryDraft                        *self,
           VtrMemoryObjects                      *objects,
           guint64                                index,
           const VtrArgs_vkCmdBindDescriptorSets *args)
{
  VtrMemoryPoint *point = &self->points[vtr_bind_point_index (args->pipelineBindPoint)];
  guint32 used = 0;
  guint32 available = args->pDynamicOffsets != NULL ? args->dynamicOffsetCount : 0;

  /* Sets take the place of descriptor buffers. */
  point->dirty |= point->buffers;
  point->buffers = FALSE;
  for (guint32 i = 0; args->pDescriptorSets != NULL && i < args->descriptorSetCount; i++)
    {
      guint64 nth = (guint64)args->firstSet + i;
      guint32 set = vtr_memory_objects_find (objects, VTR_HANDLE_VkDescriptorSet,
                                             VALUE (args->pDescriptorSets[i]));
      guint32 n = 0;

      if (nth >= VTR_MAX_SETS)
        return;
      if (set != VTR_MEMORY_NONE)
        n = MIN (count_dynamic (objects, set), available - used);
      else if (used < available && i + 1 < args->descriptorSetCount)
        n = MIN (skip_dynamic (objects, args->pDescriptorSets[i], index),
                 available - used);
      if (set == VTR_MEMORY_NONE)
        unbind (point, (guint32)nth);
      else
        bind_set (self, point, (guint32)nth, set,
                  n > 0 ? args->pDynamicOffsets + used : NULL, n);
      used += n;
    }
}

static void
push_slot (guint32              binding,
           guint32              element,
           const VtrMemorySlot *slot,
           gpointer             data)
{
  GArray *pushed = data;

  g_array_append_vals (pushed, &(VtrMemoryPushed){ binding, element, *slot }, 1);
}

static GArray *
begin_push (VtrMemoryPoint *point,
            guint32         set)
{
  unbind (point, set);
  point->sets[set].pushed = g_array_new (FALSE, FALSE, sizeof (VtrMemoryPushed));
  return point->sets[set].pushed;
}

static void
end_push (VtrMemoryPoint *point,
          guint32         set)
{
  if (point->sets[set].pushed->len == 0)
    g_clear_pointer (&point->sets[set].pushed, g_array_unref);
  else
    point->dirty = TRUE;
}

static void
push_set (VtrMemoryDraft                          *self,
          VtrMemoryObjects                        *objects,
          const VtrArgs_vkCmdPushDescriptorSetKHR *args)
{
  VtrMemoryPoint *point = &self->points[vtr_bind_point_index (args->pipelineBindPoint)];
  GArray *slots;

  if (args->set >= VTR_MAX_SETS)
    return;
  slots = begin_push (point, args->set);
  for (guint32 i = 0; args->pDescriptorWrites != NULL && i < args->descriptorWriteCount; i++)
    vtr_memory_objects_read_write (objects, &args->pDescriptorWrites[i], push_slot, slots);
  end_push (point, args->set);
}

/* The bind point is not among the arguments: all of them see what was pushed. */
static void
push_template (VtrMemoryDraft          *self,
               VtrMemoryObjects        *objects,
               const VtrCommand        *command,
               const void       *const *data)
{
  const VtrArgs_vkCmdPushDescriptorSetWithTemplateKHR *args = command->args;

  for (guint i = 0;
       i < G_N_ELEMENTS (self->points) && args->set < VTR_MAX_SETS && data != NULL; i++)
    {
      GArray *slots = begin_push (&self->points[i], args->set);

      vtr_memory_objects_read_template (objects, command, args->descriptorUpdateTemplate, data,
                                        push_slot, slots);
      end_push (&self->points[i], args->set);
    }
}

static void
bind_program (VtrMemoryDraft   *self,
              VtrMemoryObjects *objects,
              const VtrCommand *command)
{
  guint32 changed = vtr_bind_shaders (command, self->pipelines, self->shaders);

  for (guint i = 0; i < G_N_ELEMENTS (self->points); i++)
    {
      VtrMemoryPoint *point = &self->points[i];
      gboolean addressing = g_hash_table_contains (objects->addressing, KEY (self->pipelines[i]));

      if ((changed >> i & 1) == 0)
        continue;
      for (guint k = 0; k < VTR_MAX_SHADERS && self->pipelines[i] == 0; k++)
        addressing |= g_hash_table_contains (objects->addressing, KEY (self->shaders[k]));
      if (addressing != point->addressing)
        point->dirty = TRUE;
      point->addressing = addressing;
      point->rebound = TRUE;
    }
}

static void
bind_feedback (VtrMemoryDraft                                     *self,
               VtrMemoryObjects                                   *objects,
               const VtrArgs_vkCmdBindTransformFeedbackBuffersEXT *args)
{
  for (guint32 i = 0; args->pBuffers != NULL && args->pOffsets != NULL && i < args->bindingCount;
       i++)
    {
      guint64 at = (guint64)args->firstBinding + i;

      if (at >= G_N_ELEMENTS (self->feedback))
        return;
      self->feedback[at].buffer =
        vtr_memory_objects_find (objects, VTR_HANDLE_VkBuffer, VALUE (args->pBuffers[i]));
      self->feedback[at].offset = args->pOffsets[i];
      self->feedback[at].size = args->pSizes != NULL ? args->pSizes[i] : VK_WHOLE_SIZE;
    }
  self->points[0].dirty = TRUE;
}

/* --- Draws and dispatches -------------------------------------------------------------------- */

/* Programs that store to the same descriptors share an entry. */
static void
find_writes (VtrMemoryDraft   *self,
             VtrMemoryObjects *objects,
             guint             nth,
             guint64           index)
{
  VtrMemoryPoint *point = &self->points[nth];
  const GArray *before = point->writes;
  VtrProgram program;

  if (!point->rebound)
    return;
  vtr_program_find (objects->history, nth, self->pipelines[nth], self->shaders, index, &program);
  point->writes = vtr_memory_writes_get (objects->writes, &program);
  point->dirty |= point->writes != before;
  point->rebound = FALSE;
}

static void
add_slot (VtrMemoryDraft      *self,
          const VtrMemorySlot *slot)
{
  if (slot->kind == VTR_SLOT_BUFFER)
    vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_BUFFER,
                                                    .object = slot->object,
                                                    .offset = slot->offset,
                                                    .size = slot->range });
  else if (slot->kind == VTR_SLOT_IMAGE)
    vtr_memory_draft_add_ref (self,
                              (VtrMemoryRef){ .kind = VTR_REF_IMAGE, .object = slot->object });
}

static void
add_bound (VtrMemoryDraft       *self,
           const VtrMemoryPoint *point,
           VkShaderStageFlags    stages,
           const GArray         *writes)
{
  for (guint i = 0; i < VTR_MAX_SETS; i++)
    {
      const VtrMemoryBoundSet *bound = &point->sets[i];

      if (bound->set != VTR_MEMORY_NONE && vtr_memory_writes_has_set (writes, i))
        vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_SET,
                                                        .object = bound->set,
                                                        .offset = bound->first_dynamic,
                                                        .size = bound->n_dynamic,
                                                        .stages = stages,
                                                        .set = i,
                                                        .writes = writes });
      for (guint k = 0; bound->pushed != NULL && k < bound->pushed->len; k++)
        {
          const VtrMemoryPushed *pushed = &g_array_index (bound->pushed, VtrMemoryPushed, k);

          if (vtr_memory_writes_has_pushed (writes, i, pushed->binding, pushed->element))
            add_slot (self, &pushed->slot);
        }
    }
  if (point->addressing || point->buffers)
    vtr_memory_draft_add_ref (
      self, (VtrMemoryRef){ .kind = VTR_REF_ADDRESSES, .object = point->buffers });
}

static void
note_work (VtrMemoryDraft   *self,
           VtrMemoryObjects *objects,
           gboolean          draws_store,
           VtrCmdId          id,
           guint64           index)
{
  gboolean draw = vtr_cmd_is (id, VTR_CLASS_DRAW);
  guint nth = draw ? 0 : vtr_cmd_is (id, VTR_CLASS_TRACE_RAYS) ? 2
                                                               : 1;
  VtrMemoryPoint *point = &self->points[nth];
  VkShaderStageFlags stages = draw ? (VkShaderStageFlags)~VK_SHADER_STAGE_COMPUTE_BIT
                              : vtr_cmd_is (id, VTR_CLASS_TRACE_RAYS)
                                ? (VkShaderStageFlags)~VK_SHADER_STAGE_COMPUTE_BIT
                                : VK_SHADER_STAGE_COMPUTE_BIT;

  if (draw)
    vtr_memory_draft_extend_pass (self, index);
  find_writes (self, objects, nth, index);
  if (!point->dirty && point->entry != 0 && point->entry == self->entries->len)
    {
      vtr_memory_draft_get_entry (self, point->entry)->last = index;
      return;
    }
  vtr_memory_draft_begin_entry (self, VTR_EVENT_MAYBE, index);
  if (!draw || draws_store)
    add_bound (self, point, stages, point->writes);
  for (guint i = 0; draw && self->feeding && i < G_N_ELEMENTS (self->feedback); i++)
    if (self->feedback[i].buffer != VTR_MEMORY_NONE)
      vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_BUFFER,
                                                      .object = self->feedback[i].buffer,
                                                      .offset = self->feedback[i].offset,
                                                      .size = self->feedback[i].size });
  point->dirty = FALSE;
  if (vtr_memory_draft_get_entry (self, self->entries->len)->n_refs == 0)
    {
      g_array_set_size (self->entries, self->entries->len - 1);
      point->entry = 0;
      return;
    }
  point->entry = self->entries->len;
}

/* Commands that the device generates may run any program of a set, and store through any
 * address. They, and the driver's preparations of them, also write the preprocess buffer, of
 * which only the address is known. */
static void
note_generated (VtrMemoryDraft   *self,
                const VtrCommand *command)
{
  VtrApiClass work = vtr_work_of (command->id, command->args);

  if ((work & VTR_CLASS_DRAW) != 0)
    vtr_memory_draft_extend_pass (self, command->index);
  vtr_memory_draft_begin_entry (self, VTR_EVENT_MAYBE, command->index);
  if (work != 0)
    {
      VtrMemoryPoint *point = &self->points[vtr_work_get_point (work)];

      add_bound (self, point, VK_SHADER_STAGE_ALL, NULL);
      point->dirty = TRUE;
    }
  vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_ADDRESSES });
}

static void
counters (VtrMemoryDraft     *self,
          VtrMemoryObjects   *objects,
          guint64             index,
          const VkBuffer     *buffers,
          const VkDeviceSize *offsets,
          guint32             n)
{
  vtr_memory_draft_begin_entry (self, VTR_EVENT_MAYBE, index);
  for (guint32 i = 0; buffers != NULL && i < n; i++)
    vtr_memory_draft_add_buffer (self, objects, buffers[i], offsets != NULL ? offsets[i] : 0, 4);
}

/* --- All of it ------------------------------------------------------------------------------- */

static void
execute (VtrMemoryDraft *self,
         VtrTimeline    *timeline,
         guint64         index)
{
  guint32 n;
  const guint32 *recordings = vtr_timeline_get_executed (timeline, index, &n);

  if (recordings == NULL)
    return;
  vtr_memory_draft_begin_entry (self, VTR_EVENT_CHILD, index);
  for (guint32 i = 0; i < n; i++)
    vtr_memory_draft_add_ref (self, (VtrMemoryRef){ .kind = VTR_REF_CHILD,
                                                    .object = recordings[i] });
  vtr_memory_draft_extend_pass (self, index);
  memset (self->pipelines, 0, sizeof self->pipelines);
  memset (self->shaders, 0, sizeof self->shaders);
  for (guint point = 0; point < G_N_ELEMENTS (self->points); point++)
    {
      for (guint32 i = 0; i < VTR_MAX_SETS; i++)
        unbind (&self->points[point], i);
      self->points[point].addressing = self->points[point].buffers = FALSE;
      self->points[point].rebound = self->points[point].dirty = TRUE;
    }
}

gboolean
vtr_memory_draft_wants (const VtrMemoryObjects *objects,
                        VtrCmdId                id)
{
  if (vtr_cmd_is (id, VTR_CLASS_TRANSFER | VTR_CLASS_BUILD | VTR_CLASS_BEGIN_PASS |
                        VTR_CLASS_GENERATED))
    return TRUE;
  if (vtr_cmd_is (id, VTR_CLASS_CLEAR))
    return vtr_cmd_canonical (id) != VTR_CMD_vkCmdClearAttachments;
  switch (vtr_cmd_older_form (id))
    {
    case VTR_CMD_vkCmdBindDescriptorSets:
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
    case VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR:
    case VTR_CMD_vkCmdSetDescriptorBufferOffsetsEXT:
    case VTR_CMD_vkCmdBindTransformFeedbackBuffersEXT:
    case VTR_CMD_vkCmdBeginTransformFeedbackEXT:
    case VTR_CMD_vkCmdEndTransformFeedbackEXT:
    case VTR_CMD_vkCmdWriteBufferMarkerAMD:
    case VTR_CMD_vkCmdWriteBufferMarker2AMD:
    case VTR_CMD_vkCmdCopyQueryPoolResults:
    case VTR_CMD_vkCmdPreprocessGeneratedCommandsNV:
#ifdef VK_EXT_device_generated_commands
    case VTR_CMD_vkCmdPreprocessGeneratedCommandsEXT:
#endif
      return TRUE;
    case VTR_CMD_vkCmdBindPipeline:
#ifdef VK_EXT_shader_object
    case VTR_CMD_vkCmdBindShadersEXT:
#endif
      return objects->stores || g_hash_table_size (objects->addressing) > 0;
    default:
      return FALSE;
    }
}

static void
apply_form (VtrMemoryDraft          *self,
            VtrMemoryObjects        *objects,
            const VtrCommand        *command,
            const void       *const *template_data)
{
  switch (command->id)
    {
    case VTR_CMD_vkCmdBindPipeline:
#ifdef VK_EXT_shader_object
    case VTR_CMD_vkCmdBindShadersEXT:
#endif
      bind_program (self, objects, command);
      break;
    case VTR_CMD_vkCmdBindDescriptorSets:
      bind_sets (self, objects, command->index, command->args);
      break;
    case VTR_CMD_vkCmdSetDescriptorBufferOffsetsEXT:
      {
        const VtrArgs_vkCmdSetDescriptorBufferOffsetsEXT *a = command->args;
        VtrMemoryPoint *point = &self->points[vtr_bind_point_index (a->pipelineBindPoint)];

        point->dirty |= !point->buffers;
        point->buffers = TRUE;
        break;
      }
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
      push_set (self, objects, command->args);
      break;
    case VTR_CMD_vkCmdPushDescriptorSetWithTemplateKHR:
      push_template (self, objects, command, template_data);
      break;
    case VTR_CMD_vkCmdBeginRenderPass:
      {
        const VtrArgs_vkCmdBeginRenderPass *a = command->args;

        vtr_memory_draft_begin_render_pass (self, objects, command->index, a->pRenderPassBegin);
        break;
      }
    case VTR_CMD_vkCmdBeginRenderPass2:
      {
        const VtrArgs_vkCmdBeginRenderPass2 *a = command->args;

        vtr_memory_draft_begin_render_pass (self, objects, command->index, a->pRenderPassBegin);
        break;
      }
    case VTR_CMD_vkCmdBeginRendering:
      {
        const VtrArgs_vkCmdBeginRendering *a = command->args;

        vtr_memory_draft_begin_rendering (self, objects, command->index, a->pRenderingInfo);
        break;
      }
    case VTR_CMD_vkCmdBindTransformFeedbackBuffersEXT:
      bind_feedback (self, objects, command->args);
      break;
    case VTR_CMD_vkCmdBeginTransformFeedbackEXT:
      self->feeding = TRUE;
      self->points[0].dirty = TRUE;
      break;
    case VTR_CMD_vkCmdEndTransformFeedbackEXT:
      {
        const VtrArgs_vkCmdEndTransformFeedbackEXT *a = command->args;

        counters (self, objects, command->index, a->pCounterBuffers, a->pCounterBufferOffsets,
                  a->counterBufferCount);
        self->feeding = FALSE;
        self->points[0].dirty = TRUE;
        break;
      }
    case VTR_CMD_vkCmdExecuteGeneratedCommandsNV:
    case VTR_CMD_vkCmdPreprocessGeneratedCommandsNV:
#ifdef VK_EXT_device_generated_commands
    case VTR_CMD_vkCmdExecuteGeneratedCommandsEXT:
    case VTR_CMD_vkCmdPreprocessGeneratedCommandsEXT:
#endif
      note_generated (self, command);
      break;
    default:
      vtr_memory_draft_transfer (self, objects, command);
      break;
    }
}

static void
apply_decoded (VtrMemoryDraft   *self,
               VtrMemoryObjects *objects,
               const VtrCommand *command)
{
  VtrOlderForms forms;

  for (vtr_older_forms_init (&forms, command); vtr_older_forms_next (&forms);)
    apply_form (self, objects, &forms.command, forms.template_data);
}

void
vtr_memory_draft_apply (VtrMemoryDraft   *self,
                        VtrMemoryObjects *objects,
                        VtrTimeline      *timeline,
                        gboolean          draws_store,
                        VtrCmdId          id,
                        guint64           index,
                        const VtrCommand *command)
{
  if (command != NULL)
    apply_decoded (self, objects, command);
  else if (vtr_cmd_is (id, WORK_CLASSES))
    note_work (self, objects, draws_store, id, index);
  else if (vtr_cmd_is (id, VTR_CLASS_EXECUTE))
    execute (self, timeline, index);
  else if (vtr_cmd_is (id, VTR_CLASS_END_PASS))
    vtr_memory_draft_end_pass (self, index);
  else if (vtr_cmd_is (id, VTR_CLASS_CLEAR | VTR_CLASS_NEXT_SUBPASS))
    vtr_memory_draft_extend_pass (self, index);
}
