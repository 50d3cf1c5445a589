/* What a command reads and writes: arguments as they were observed, mapped writes before it, and
   for a recorded one what it finds bound. */
#include "engine/vulkan/memory/vtr-memory-host-copies.h"
#include "engine/vulkan/memory/vtr-memory-ranges-private.h"

#include "vtr-config.h"

#include "api/vtr-api-args.h"
#include "engine/format/vtr-trace-observations.h"
#include "engine/vulkan/state/vtr-older-form.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static void
clear_range (gpointer data)
{
  vtr_memory_range_clear (data);
}

/* Takes @label and @type. */
static void
add (VtrMemoryLister *self,
     guint32          pool,
     guint64          offset,
     guint64          size,
     guint            access,
     guint32          object,
     char            *label,
     char            *type)
{
  VtrMemoryRange range = { .pool = pool,
                           .offset = offset,
                           .size = size,
                           .access = access,
                           .object = object,
                           .label = label,
                           .type = type };

  if (self->descriptor != NULL)
    {
      range.described = TRUE;
      range.descriptor = *self->descriptor;
    }

  for (guint i = 0; i < self->ranges->len; i++)
    {
      VtrMemoryRange *known = &g_array_index (self->ranges, VtrMemoryRange, i);

      if (known->pool == pool && known->offset == offset && known->size == size &&
          known->access == access && g_strcmp0 (known->label, label) == 0)
        {
          vtr_memory_range_clear (&range);
          return;
        }
    }
  if (size > 0)
    g_array_append_val (self->ranges, range);
  else
    vtr_memory_range_clear (&range);
}

/* --- Buffers and images ---------------------------------------------------------------------- */

/* What the command at @at bound to @object. */
static gboolean
read_binding (const VtrCommand *command,
              const VtrObject  *object,
              guint64          *memory,
              guint64          *offset)
{
  switch (vtr_cmd_canonical (command->id))
    {
    case VTR_CMD_vkBindBufferMemory:
      {
        const VtrArgs_vkBindBufferMemory *a = command->args;

        *memory = (guint64)a->memory;
        *offset = a->memoryOffset;
        return TRUE;
      }
    case VTR_CMD_vkBindBufferMemory2:
      {
        const VtrArgs_vkBindBufferMemory2 *a = command->args;

        for (guint32 i = 0; a->pBindInfos != NULL && i < a->bindInfoCount; i++)
          if ((guint64)a->pBindInfos[i].buffer == object->handle)
            {
              *memory = (guint64)a->pBindInfos[i].memory;
              *offset = a->pBindInfos[i].memoryOffset;
              return TRUE;
            }
        return FALSE;
      }
    default:
      return FALSE;
    }
}

static gboolean
locate_buffer (VtrMemoryLister *self,
               guint64          handle,
               VtrMemoryPlace  *out)
{
  VtrHistory *history = self->memory->history;
  const VtrObject *object =
    vtr_history_find (history, vtr_vulkan_identity (VTR_HANDLE_VkBuffer, handle), self->time);
  guint64 bound = object != NULL ? vtr_history_get_memory_binding (history, object->id)
                                 : VTR_COMMAND_NO_INDEX;
  const VtrArgs_vkCreateBuffer *args;
  const VtrObject *memory;
  guint64 memory_handle;
  VtrCommand command;

  if (bound == VTR_COMMAND_NO_INDEX ||
      !vtr_history_decode_creation (history, object, &self->arena, &command, NULL) ||
      command.id != VTR_CMD_vkCreateBuffer || (args = command.args)->pCreateInfo == NULL)
    return FALSE;
  out->size = args->pCreateInfo->size;
  out->object = object->id;
  if (!vtr_trace_decode (self->memory->trace, bound, &self->arena, &command, NULL) ||
      !read_binding (&command, object, &memory_handle, &out->offset))
    return FALSE;
  memory = vtr_history_find (history,
                             vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory, memory_handle), bound);
  out->pool = memory != NULL ? memory->id : 0;
  return memory != NULL;
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
      add (self, place.pool, place.offset + offset, size,
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
  const GArray *images = self->memory->index->images;
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
      add (self, place->pool, place->offset, place->size,
           access | VTR_MEMORY_BY_GPU, object->id, g_strdup (label), NULL);
    }
}

/* --- Arguments ------------------------------------------------------------------------------- */

static const char *
kind_type (const VtrVisitPointer *pointer)
{
  switch ((int)pointer->kind)
    {
    case VTR_KIND_CHAR:
    case VTR_KIND_U8:
      return "u8";
    case VTR_KIND_U16:
      return "u16";
    case VTR_KIND_U32:
    case VTR_KIND_BOOL32:
    case VTR_KIND_ENUM:
    case VTR_KIND_FLAGS32:
      return "u32";
    case VTR_KIND_U64:
    case VTR_KIND_SIZE:
    case VTR_KIND_FLAGS64:
    case VTR_KIND_HANDLE:
      return "u64";
    case VTR_KIND_I32:
      return "i32";
    case VTR_KIND_I64:
      return "i64";
    case VTR_KIND_F32:
      return "float";
    case VTR_KIND_F64:
      return "double";
    default:
      return NULL;
    }
}

typedef struct
{
  VtrMemoryLister *lister;
  const VtrDecoded *decoded;
} Arguments;

/* How much was observed from @address on, at most @size; *@write: as the driver left it. */
static guint64
measure_observed (const VtrDecoded *decoded,
                  guint64           address,
                  guint64           size,
                  gboolean         *write)
{
  guint64 most = 0;

  for (gsize i = 0; i < decoded->n_observations; i++)
    {
      const VtrObservation *seen = &decoded->observations[i];

      if (address < seen->base || address - seen->base >= seen->size)
        continue;
      most = MAX (most, MIN (size, seen->size - (address - seen->base)));
      *write |= seen->write;
    }
  return most;
}

static void
add_argument (gpointer               data,
              const VtrVisitPointer *pointer)
{
  Arguments *arguments = data;
  guint64 address, size;
  gboolean write = FALSE;

  if (pointer->ignored || pointer->kind == VTR_KIND_ADDRESS || pointer->kind == VTR_KIND_FUNCTION)
    return;
  address = vtr_decoded_address (arguments->decoded, pointer->slot);
  if (address == 0)
    return;
  if (__builtin_mul_overflow ((guint64)pointer->element_size, pointer->count, &size) || size == 0)
    size = G_MAXUINT64;
  size = measure_observed (arguments->decoded, address, size, &write);
  if (size == 0)
    return;
  add (arguments->lister, VTR_MEMORY_APPLICATION, address, size,
       (pointer->in || !pointer->out ? (guint)VTR_MEMORY_READ : 0) |
         (pointer->out && write ? (guint)VTR_MEMORY_WRITE : 0),
       0,
       g_strdup (pointer->field != NULL ? vtr_api_string (pointer->field->name)
                                        : "pNext"),
       g_strdup (pointer->levels > 1 ? "u64" : kind_type (pointer)));
}

/* What was observed without any pointer to it that the tables know. */
static void
add_other_observations (VtrMemoryLister  *self,
                        const VtrDecoded *decoded)
{
  guint n = self->ranges->len;

  for (gsize i = 0; i < decoded->n_observations; i++)
    {
      const VtrObservation *seen = &decoded->observations[i];
      gboolean known = FALSE;

      for (guint k = 0; !known && k < n; k++)
        {
          const VtrMemoryRange *range = &g_array_index (self->ranges, VtrMemoryRange, k);

          known = range->pool == VTR_MEMORY_APPLICATION &&
                  range->offset < seen->base + seen->size &&
                  seen->base < range->offset + range->size;
        }
      if (!known)
        add (self, VTR_MEMORY_APPLICATION, seen->base, seen->size,
             seen->write ? VTR_MEMORY_WRITE : VTR_MEMORY_READ, 0,
             g_strdup (_ ("memory")), NULL);
    }
}

static void
add_arguments (VtrMemoryLister  *self,
               const VtrCommand *command)
{
  static const VtrApiEnv decoded_env = { .decoded = true };
  Arguments arguments = { self, command->decoded };
  const VtrApiVisitor visitor = { .data = &arguments, .pointer = add_argument };

  if (command->decoded == NULL)
    return;
  vtr_api_visit (command->id, command->args, &decoded_env, &visitor);
  add_other_observations (self, command->decoded);
}

/* --- Mapped memory --------------------------------------------------------------------------- */

static gboolean
add_mapped_write (const VtrTraceObservation *observation,
                  gpointer                   data)
{
  VtrMemoryLister *self = data;
  const VtrObject *memory = vtr_history_find (self->memory->history,
                                              vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory,
                                                                   observation->memory),
                                              self->index);

  if (memory != NULL)
    add (self, memory->id, observation->base, observation->size,
         VTR_MEMORY_WRITE, memory->id, g_strdup (_ ("mapped memory")), NULL);
  return self->ranges->len < VTR_MEMORY_MAX_RANGES;
}

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
      !vtr_memory_get_pool_size (self->memory, object->id, VTR_COMMAND_NO_INDEX, &whole, NULL) ||
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

void
vtr_memory_lister_add_places (VtrMemoryLister *self,
                              GArray          *places,
                              guint            access,
                              const char      *label)
{
  VtrRange *ranges = (VtrRange *)(void *)places->data;
  const gsize n = vtr_ranges_join (ranges, places->len);

  for (gsize i = 0; i < n && self->ranges->len < VTR_MEMORY_MAX_RANGES; i++)
    {
      const VtrMemoryPool *pool =
        vtr_memory_index_find_place (self->memory->index, ranges[i].begin);

      if (pool != NULL)
        add (self, pool->id, ranges[i].begin - pool->base,
             ranges[i].end - ranges[i].begin, access | VTR_MEMORY_BY_GPU, 0,
             g_strdup (label), NULL);
    }
}

/* What one run writes. */
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
  vtr_memory_events_load (&events, &self->memory->index->events,
                          self->memory->index->run_events[run], NULL);
  for (guint i = 0; i < events.events->len; i++)
    {
      const VtrMemoryEvent *event = &g_array_index (events.events, VtrMemoryEvent, i);

      if (event->n_ranges > 0)
        g_array_append_vals (event->kind == VTR_EVENT_MAYBE ? maybe : sure,
                             &g_array_index (events.ranges, VtrRange, event->first_range),
                             event->n_ranges);
    }
  vtr_memory_events_finish (&events);
  vtr_memory_lister_add_places (self, sure, VTR_MEMORY_WRITE, label);
  vtr_memory_lister_add_places (self, maybe, VTR_MEMORY_WRITE | VTR_MEMORY_POSSIBLY, label);
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

/* A recorded command acts when its run is submitted. */
static void
set_time (VtrMemoryLister *self,
          guint32          run)
{
  VtrTimeline *timeline = self->memory->timeline;
  guint32 recording = vtr_timeline_find_recording (timeline, self->index);
  const VtrRun *at = NULL;

  self->time = self->index;
  self->run = VTR_NO_RUN;
  if (recording == VTR_NO_RECORDING)
    return;
  if (run != VTR_NO_RUN)
    at = vtr_timeline_get_run (timeline, run);
  else
    at = vtr_timeline_find_run (timeline, recording, 0);
  if (at == NULL)
    return;
  self->run = (guint32)(at - vtr_timeline_get_run (timeline, 0));
  self->time = at->submit;
}

/* The type of the constants by what @index finds bound. (transfer full) (nullable) */
static char *
describe_by_bound (VtrMemoryLister                  *self,
                   const VtrArgs_vkCmdPushConstants *args,
                   guint64                           index)
{
  g_autofree VtrBoundState *state = g_new0 (VtrBoundState, 1);
  char *type = NULL;

  if (!vtr_memory_get_bound_state (self->memory, index, state, NULL))
    return NULL;
  for (guint point = 0; type == NULL && point < G_N_ELEMENTS (state->bind_points); point++)
    {
      g_autoptr (VtrMemoryBlocks) blocks =
        vtr_memory_get_blocks (self->memory, state, point, index);

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
  for (guint i = 0; type != NULL && i < self->ranges->len; i++)
    {
      VtrMemoryRange *range = &g_array_index (self->ranges, VtrMemoryRange, i);

      if (range->pool != VTR_MEMORY_APPLICATION || strcmp (range->label, "pValues") != 0)
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

static gboolean
list_all (VtrMemoryLister  *self,
          GError          **error)
{
  VtrTrace *trace = self->memory->trace;
  VtrCommand command;

  if (!vtr_trace_decode (trace, self->index, &self->arena, &command, error))
    return FALSE;
  if (!vtr_cmd_is_vulkan (command.id))
    return TRUE;
  if (vtr_cmd_is (command.id, VTR_CLASS_RECORD) && command.id != VTR_CMD_vkBeginCommandBuffer)
    vtr_memory_lister_add_recorded (self, &command);
  if (vtr_cmd_is (command.id, VTR_CLASS_SUBMIT))
    add_submission (self);
  add_host_copy (self, &command);
  add_mapping (self, &command);
  add_arguments (self, &command);
  if (command.id == VTR_CMD_vkCmdPushConstants)
    describe_push_constants (self, command.args);
  return vtr_trace_visit_mapped_writes (trace, self->index, add_mapped_write, self, error);
}

GArray *
vtr_memory_list_ranges (VtrMemory     *self,
                        guint64        index,
                        guint32        run,
                        GCancellable  *cancellable,
                        GError       **error)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (VtrMemoryRange));
  VtrMemoryLister lister = { .memory = self, .index = index, .ranges = ranges };
  gboolean ok;

  g_array_set_clear_func (ranges, clear_range);
  if (!vtr_memory_prepare (self, NULL, NULL, cancellable, error))
    return NULL;
  set_time (&lister, run);
  vtr_arena_init (&lister.arena);
  ok = list_all (&lister, error);
  vtr_arena_finish (&lister.arena);
  return ok ? g_steal_pointer (&ranges) : NULL;
}

gboolean
vtr_memory_locate_object (VtrMemory *self,
                          guint64    index,
                          guint32    object,
                          guint32   *pool,
                          guint64   *offset,
                          guint64   *size)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (VtrMemoryRange));
  VtrMemoryLister lister = { .memory = self, .index = index, .time = index, .ranges = ranges };
  const VtrObject *found = object > 0 && object <= vtr_history_get_n_objects (self->history)
                             ? vtr_history_get_object (self->history, object)
                             : NULL;

  if (found == NULL || !vtr_memory_prepare (self, NULL, NULL, NULL, NULL))
    return FALSE;
  g_array_set_clear_func (ranges, clear_range);
  vtr_arena_init (&lister.arena);
  if (found->type == VTR_HANDLE_VkDeviceMemory)
    add_mapped_range (&lister, found->handle, 0, VK_WHOLE_SIZE, VTR_MEMORY_READ, "");
  else if (found->type == VTR_HANDLE_VkBuffer)
    vtr_memory_lister_add_buffer (&lister, found->handle, 0, VK_WHOLE_SIZE, VTR_MEMORY_READ,
                                  g_strdup (""), NULL);
  else if (found->type == VTR_HANDLE_VkImage)
    vtr_memory_lister_add_image (&lister, found->handle, VTR_MEMORY_READ, "");
  vtr_arena_finish (&lister.arena);
  if (ranges->len == 0)
    return FALSE;
  *pool = g_array_index (ranges, VtrMemoryRange, 0).pool;
  *offset = g_array_index (ranges, VtrMemoryRange, 0).offset;
  *size = g_array_index (ranges, VtrMemoryRange, 0).size;
  return TRUE;
}

gboolean
vtr_memory_fill_accesses (VtrMemory      *self,
                          guint64         index,
                          guint32         run,
                          VtrMemoryView  *view,
                          GCancellable   *cancellable,
                          GError        **error)
{
  g_autoptr (GArray) ranges = vtr_memory_list_ranges (self, index, run, cancellable, error);

  if (ranges == NULL)
    return FALSE;
  for (guint i = ranges->len; i > 0; i--)
    {
      const VtrMemoryRange *range = &g_array_index (ranges, VtrMemoryRange, i - 1);

      if (range->pool != view->pool || range->offset >= view->offset + view->size ||
          view->offset >= range->offset + range->size)
        g_array_remove_index (ranges, i - 1);
    }
  view->accesses = g_steal_pointer (&ranges);
  return TRUE;
}
