/* Lists the memory that a Vulkan command reads and writes: mapped memory, bound resources, and the
   writes of its runs. */
#include "engine/vulkan/memory/vtr-memory-lister.h"

#include "vtr-config.h"

#include "api/vtr-api-args.h"
#include "engine/shader/vtr-shader-stage.h"
#include "engine/state/vtr-json.h"
#include "engine/vulkan/memory/vtr-memory-host-copies.h"
#include "engine/vulkan/state/vtr-facts.h"
#include "engine/vulkan/state/vtr-older-form.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static JsonObject *
make_descriptor (const VtrMemoryDescriptor *descriptor)
{
  JsonObject *json = json_object_new ();
  JsonArray *stages = json_array_new ();

  json_object_set_int_member (json, "set", descriptor->set);
  json_object_set_int_member (json, "binding", descriptor->binding);
  json_object_set_int_member (json, "element", descriptor->element);
  json_object_set_int_member (json, "dynamicOffset", (gint64)descriptor->dynamic_offset);
  for (guint i = 0; i < 32; i++)
    if ((descriptor->stages & 1u << i) != 0)
      json_array_add_string_element (stages,
                                     vtr_shader_stage_word ((VtrShaderStage)(1u << i)));
  json_object_set_array_member (json, "stages", stages);
  return json;
}

/* Takes @label and @type. */
static void
add (VtrMemoryLister *self,
     guint32          memory,
     guint64          offset,
     guint64          size,
     guint            access,
     guint32          object,
     char            *label,
     char            *type)
{
  VtrMemoryRange range = { .space = memory,
                           .offset = offset,
                           .size = size,
                           .access = access,
                           .object = object,
                           .label = label,
                           .type = type };

  if (self->descriptor != NULL)
    range.descriptor = make_descriptor (self->descriptor);
  vtr_memory_list_add (self->list, range);
}

/* --- Buffers and images ---------------------------------------------------------------------- */

static gboolean
locate_buffer (VtrMemoryLister *self,
               guint64          handle,
               VtrMemoryPlace  *out)
{
  VtrHistory *history = self->memory->history;
  const VtrObject *object =
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkBuffer, handle), self->time);
  VtrBoundMemory bound;
  VtrBufferFact buffer;

  if (object == NULL ||
      !vtr_facts_get_bound (history, object->id, 0, VTR_COMMAND_NO_INDEX, &bound) ||
      bound.memory == 0 || !vtr_facts_get_buffer (history, object->id, &buffer))
    return FALSE;
  out->size = buffer.size;
  out->object = object->id;
  out->memory = bound.memory;
  out->offset = bound.offset;
  return TRUE;
}

void
vtr_memory_lister_add_buffer (VtrMemoryLister *self,
                              guint64          handle,
                              guint64          offset,
                              guint64          size,
                              guint            access,
                              char            *label,
                              char            *type)
{
  VtrMemoryPlace place;

  if (handle != 0 && locate_buffer (self, handle, &place) &&
      offset < place.size)
    {
      size = MIN (size, place.size - offset);
      add (self, place.memory, place.offset + offset, size,
           access | VTR_MEMORY_BY_GPU, place.object, label, type);
      return;
    }
  g_free (label);
  g_free (type);
}

void
vtr_memory_lister_add_image (VtrMemoryLister *self,
                             guint64          handle,
                             guint            access,
                             const char      *label)
{
  const VtrObject *object =
    vtr_history_find (self->memory->history, vtr_vulkan_identity (VTR_HANDLE_VkImage, handle),
                      self->time);
  const GArray *images = self->memory->images;
  guint low = 0, high = images->len;

  if (object == NULL)
    return;
  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (images, VtrMemoryImagePlace, middle).image < object->id)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < images->len; low++)
    {
      const VtrMemoryImagePlace *place = &g_array_index (images, VtrMemoryImagePlace, low);

      if (place->image != object->id)
        break;
      add (self, place->memory, place->offset, place->size,
           access | VTR_MEMORY_BY_GPU, object->id, g_strdup (label), NULL);
    }
}

/* --- Mapped memory --------------------------------------------------------------------------- */

static void
add_mapped_range (VtrMemoryLister *self,
                  guint64          memory,
                  guint64          offset,
                  guint64          size,
                  guint            access,
                  const char      *label)
{
  const VtrObject *object = vtr_history_find (self->memory->history,
                                              vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory,
                                                                   memory),
                                              self->index);
  guint64 whole;

  if (object == NULL ||
      !vtr_vulkan_memory_get_space_size (self->memory, object->id, VTR_COMMAND_NO_INDEX, &whole,
                                         NULL) ||
      offset >= whole)
    return;
  add (self, object->id, offset, MIN (size, whole - offset), access, object->id,
       g_strdup (label), NULL);
}

static void
add_mapping (VtrMemoryLister  *self,
             const VtrCommand *command)
{
  VtrOlderForms forms;

  vtr_older_forms_init (&forms, command);
  switch (forms.command.id)
    {
    case VTR_CMD_vkMapMemory:
      {
        const VtrArgs_vkMapMemory *a = forms.command.args;

        add_mapped_range (self, (guint64)a->memory, a->offset, a->size,
                          VTR_MEMORY_READ | VTR_MEMORY_POSSIBLY, _ ("mapped range"));
        break;
      }
    case VTR_CMD_vkFlushMappedMemoryRanges:
      {
        const VtrArgs_vkFlushMappedMemoryRanges *a = command->args;

        for (guint32 i = 0; a->pMemoryRanges != NULL && i < a->memoryRangeCount; i++)
          add_mapped_range (self, (guint64)a->pMemoryRanges[i].memory, a->pMemoryRanges[i].offset,
                            a->pMemoryRanges[i].size, VTR_MEMORY_WRITE | VTR_MEMORY_POSSIBLY,
                            _ ("flushed range"));
        break;
      }
    case VTR_CMD_vkInvalidateMappedMemoryRanges:
      {
        const VtrArgs_vkInvalidateMappedMemoryRanges *a = command->args;

        for (guint32 i = 0; a->pMemoryRanges != NULL && i < a->memoryRangeCount; i++)
          add_mapped_range (self, (guint64)a->pMemoryRanges[i].memory, a->pMemoryRanges[i].offset,
                            a->pMemoryRanges[i].size, VTR_MEMORY_READ | VTR_MEMORY_POSSIBLY,
                            _ ("invalidated range"));
        break;
      }
    default:
      break;
    }
}

/* --- Submissions ----------------------------------------------------------------------------- */

/* The writes of one run. */
static void
add_run (VtrMemoryLister *self,
         guint32          run,
         guint32          nth)
{
  g_autoptr (GArray) sure = g_array_new (FALSE, FALSE, sizeof (VtrRange));
  g_autoptr (GArray) maybe = g_array_new (FALSE, FALSE, sizeof (VtrRange));
  g_autofree char *number = g_strdup_printf ("%u", nth);
  g_autofree char *label = g_strdup_printf (_ ("command buffer %s of this submission"), number);
  VtrMemoryEvents events;

  vtr_memory_events_init (&events);
  vtr_memory_list_load_run (self->list, run, &events);
  for (guint i = 0; i < events.events->len; i++)
    {
      const VtrMemoryEvent *event = &g_array_index (events.events, VtrMemoryEvent, i);

      if (event->n_ranges > 0)
        g_array_append_vals (event->kind == VTR_EVENT_MAYBE ? maybe : sure,
                             &g_array_index (events.ranges, VtrRange, event->first_range),
                             event->n_ranges);
    }
  vtr_memory_events_finish (&events);
  vtr_memory_list_add_places (self->list, sure, VTR_MEMORY_WRITE, label);
  vtr_memory_list_add_places (self->list, maybe, VTR_MEMORY_WRITE | VTR_MEMORY_POSSIBLY, label);
}

static void
add_submission (VtrMemoryLister *self)
{
  guint32 nth = vtr_timeline_find_submission (self->memory->timeline, self->index);
  const VtrSubmission *submission;

  if (nth == VTR_NO_RECORDING)
    return;
  submission = vtr_timeline_get_submission (self->memory->timeline, nth);
  for (guint32 i = 0; i < submission->n_runs; i++)
    add_run (self, submission->first_run + i, i);
}

/* --- All of it ------------------------------------------------------------------------------- */

/* The type of the constants by what @index finds bound. (transfer full) (nullable) */
static char *
describe_by_bound (VtrMemoryLister                  *self,
                   const VtrArgs_vkCmdPushConstants *args,
                   guint64                           index)
{
  g_autofree VtrBoundState *state = g_new0 (VtrBoundState, 1);
  char *type = NULL;

  if (!vtr_bound_walker_get (self->memory->walker, index, state, NULL))
    return NULL;
  for (guint point = 0; type == NULL && point < G_N_ELEMENTS (state->bind_points); point++)
    {
      g_autoptr (VtrMemoryBlocks) blocks =
        vtr_vulkan_memory_get_blocks (self->memory, state, point, index);

      if (blocks != NULL)
        type = vtr_memory_blocks_describe_push_constants (blocks, args->stageFlags, args->offset,
                                                          args->size);
    }
  return type;
}

/* Commands of a recording that are looked at for the shaders that constants are set for. */
#define MAX_LATER 4096

/* Constants may be set before the pipeline or shaders that read them are bound: the next ones in
   the recording that declare them. (transfer full) (nullable) */
static char *
describe_by_later (VtrMemoryLister                  *self,
                   const VtrArgs_vkCmdPushConstants *args)
{
  VtrTimeline *timeline = self->memory->timeline;
  guint32 recording = vtr_timeline_find_recording (timeline, self->index);
  guint64 last = recording != VTR_NO_RECORDING
                   ? vtr_timeline_get_recording (timeline, recording)->last
                   : self->index;
  gboolean bound = FALSE; /* something new, by an earlier command */
  char *type = NULL;

  for (guint64 i = self->index + 1;
       type == NULL && i <= last && i <= self->index + MAX_LATER; i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (self->memory->trace, i);

      if (vtr_timeline_find_recording (timeline, i) != recording)
        continue;
      if (bound)
        type = describe_by_bound (self, args, i);
      bound = id == VTR_CMD_vkCmdBindPipeline;
#ifdef VK_EXT_shader_object
      bound |= id == VTR_CMD_vkCmdBindShadersEXT;
#endif
    }
  return type;
}

/* The values of vkCmdPushConstants get the type that the shaders they are for give them. */
static void
describe_push_constants (VtrMemoryLister                  *self,
                         const VtrArgs_vkCmdPushConstants *args)
{
  g_autofree char *type = describe_by_bound (self, args, self->index);

  if (type == NULL)
    type = describe_by_later (self, args);
  for (guint i = 0; type != NULL && i < vtr_memory_list_get_ranges (self->list)->len; i++)
    {
      VtrMemoryRange *range =
        &g_array_index (vtr_memory_list_get_ranges (self->list), VtrMemoryRange, i);

      if (range->space != VTR_SPACE_PROGRAM || strcmp (range->label, "pValues") != 0)
        continue;
      g_free (range->type);
      range->type = g_steal_pointer (&type);
    }
}

/* Where texels of the images lie is not known. */
static void
add_host_copy (VtrMemoryLister  *self,
               const VtrCommand *command)
{
  guint64 source, destination;

  if (!vtr_host_copy_read (command, &source, &destination))
    return;
  if (source != 0)
    vtr_memory_lister_add_image (self, source, VTR_MEMORY_READ | VTR_MEMORY_POSSIBLY, _ ("source"));
  if (destination != 0)
    vtr_memory_lister_add_image (self, destination, VTR_MEMORY_WRITE | VTR_MEMORY_POSSIBLY,
                                 _ ("destination"));
}

/* --- All of it ------------------------------------------------------------------------------- */

static void
lister_init (VtrMemoryLister *self,
             VtrVulkanMemory *memory,
             VtrMemoryList   *list)
{
  *self = (VtrMemoryLister){
    .memory = memory,
    .list = list,
    .index = vtr_memory_list_get_index (list),
    .time = vtr_memory_list_get_time (list),
    .run = vtr_memory_list_get_run (list),
  };
  vtr_arena_init (&self->arena);
}

void
vtr_vulkan_memory_list (gpointer          data,
                        VtrMemoryList    *list,
                        const VtrCommand *command)
{
  VtrMemoryLister self;

  lister_init (&self, data, list);
  if (vtr_cmd_is (command->id, VTR_CLASS_RECORD) && command->id != VTR_CMD_vkBeginCommandBuffer)
    vtr_memory_lister_add_recorded (&self, command);
  if (vtr_cmd_is (command->id, VTR_CLASS_SUBMIT))
    add_submission (&self);
  add_host_copy (&self, command);
  add_mapping (&self, command);
  vtr_memory_list_add_arguments (list, command);
  if (command->id == VTR_CMD_vkCmdPushConstants)
    describe_push_constants (&self, command->args);
  vtr_arena_finish (&self.arena);
}

void
vtr_vulkan_memory_locate (gpointer       data,
                          VtrMemoryList *list,
                          guint32        id)
{
  VtrMemoryLister self;
  const VtrObject *object;

  lister_init (&self, data, list);
  object = vtr_history_get_object (self.memory->history, id);
  if (object->type == VTR_HANDLE_VkDeviceMemory)
    add_mapped_range (&self, object->handle, 0, VK_WHOLE_SIZE, VTR_MEMORY_READ, "");
  else if (object->type == VTR_HANDLE_VkBuffer)
    vtr_memory_lister_add_buffer (&self, object->handle, 0, VK_WHOLE_SIZE, VTR_MEMORY_READ,
                                  g_strdup (""), NULL);
  else if (object->type == VTR_HANDLE_VkImage)
    vtr_memory_lister_add_image (&self, object->handle, VTR_MEMORY_READ, "");
  vtr_arena_finish (&self.arena);
}

void
vtr_vulkan_memory_locate_name (gpointer       data,
                               VtrMemoryList *list,
                               guint64        name)
{
  static const guint32 types[] = { VTR_HANDLE_VkBuffer, VTR_HANDLE_VkDeviceMemory,
                                   VTR_HANDLE_VkImage };
  VtrVulkanMemory *self = data;

  for (guint i = 0; vtr_memory_list_get_ranges (list)->len == 0 && i < G_N_ELEMENTS (types); i++)
    {
      const VtrObject *object =
        vtr_history_find (self->history, vtr_vulkan_identity (types[i], name),
                          vtr_memory_list_get_index (list));

      if (object != NULL)
        vtr_vulkan_memory_locate (self, list, object->id);
    }
}
