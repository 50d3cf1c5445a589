/* Lists the memory that a command reads and writes: its observed arguments, contents before it, and
   ranges from its API. */
#include "engine/memory/vtr-memory-list.h"

#include "vtr-config.h"

#include "engine/format/vtr-trace-observations.h"
#include "engine/memory/vtr-memory-private.h"
#include "engine/state/vtr-history.h"
#include "engine/state/vtr-timeline.h"

#include <glib/gi18n-lib.h>

struct _VtrMemoryList
{
  VtrMemory *memory;
  guint64 index, time;
  guint32 run;
  GArray *ranges; /* VtrMemoryRange */
};

static void
clear_range (gpointer data)
{
  vtr_memory_range_clear (data);
}

guint64
vtr_memory_list_get_index (const VtrMemoryList *self)
{
  return self->index;
}

guint32
vtr_memory_list_get_run (const VtrMemoryList *self)
{
  return self->run;
}

guint64
vtr_memory_list_get_time (const VtrMemoryList *self)
{
  return self->time;
}

GArray *
vtr_memory_list_get_ranges (VtrMemoryList *self)
{
  return self->ranges;
}

gboolean
vtr_memory_list_is_full (const VtrMemoryList *self)
{
  return self->ranges->len >= VTR_MEMORY_MAX_RANGES;
}

void
vtr_memory_list_add (VtrMemoryList  *self,
                     VtrMemoryRange  range)
{
  for (guint i = 0; range.size > 0 && i < self->ranges->len; i++)
    {
      const VtrMemoryRange *known = &g_array_index (self->ranges, VtrMemoryRange, i);

      if (known->space == range.space && known->offset == range.offset &&
          known->size == range.size && known->access == range.access &&
          g_strcmp0 (known->label, range.label) == 0)
        range.size = 0;
    }
  if (range.size > 0)
    g_array_append_val (self->ranges, range);
  else
    vtr_memory_range_clear (&range);
}

void
vtr_memory_list_load_run (VtrMemoryList   *self,
                          guint32          run,
                          VtrMemoryEvents *events)
{
  const VtrMemoryIndex *index = self->memory->index;

  vtr_memory_events_load (events, &index->events, index->run_events[run], NULL);
}

void
vtr_memory_list_add_places (VtrMemoryList *self,
                            GArray        *places,
                            guint          access,
                            const char    *label)
{
  VtrRange *ranges = (VtrRange *)(void *)places->data;
  const gsize n = vtr_ranges_join (ranges, places->len);

  for (gsize i = 0; i < n && !vtr_memory_list_is_full (self); i++)
    {
      const VtrMemorySpace *space =
        vtr_memory_index_find_place (self->memory->index, ranges[i].begin);

      if (space != NULL)
        vtr_memory_list_add (self, (VtrMemoryRange){ .space = space->id,
                                                     .offset = ranges[i].begin - space->base,
                                                     .size = ranges[i].end - ranges[i].begin,
                                                     .access = access | VTR_MEMORY_BY_GPU,
                                                     .label = g_strdup (label) });
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
    case VTR_KIND_BOOL8:
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
      return "u64";
    case VTR_KIND_HANDLE:
      return pointer->element_size == 4 ? "u32" : "u64";
    case VTR_KIND_I32:
      return "i32";
    case VTR_KIND_I64:
    case VTR_KIND_SSIZE:
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
  VtrMemoryList *list;
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
  vtr_memory_list_add (
    arguments->list,
    (VtrMemoryRange){ .space = VTR_SPACE_PROGRAM,
                      .offset = address,
                      .size = size,
                      .access = (pointer->in || !pointer->out ? (guint)VTR_MEMORY_READ : 0) |
                                (pointer->out && write ? (guint)VTR_MEMORY_WRITE : 0),
                      .label = g_strdup (pointer->field != NULL
                                           ? vtr_api_string (pointer->field->name)
                                           : "pNext"),
                      .type = g_strdup (pointer->levels > 1 ? "u64" : kind_type (pointer)) });
}

/* Adds observations to which no pointer leads that the tables know. */
static void
add_other_observations (VtrMemoryList    *self,
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

          known = range->space == VTR_SPACE_PROGRAM &&
                  range->offset < seen->base + seen->size &&
                  seen->base < range->offset + range->size;
        }
      if (!known)
        vtr_memory_list_add (self, (VtrMemoryRange){
                                     .space = VTR_SPACE_PROGRAM,
                                     .offset = seen->base,
                                     .size = seen->size,
                                     .access = seen->write ? VTR_MEMORY_WRITE : VTR_MEMORY_READ,
                                     .label = g_strdup (_ ("memory")),
                                   });
    }
}

void
vtr_memory_list_add_arguments (VtrMemoryList    *self,
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

/* --- Contents -------------------------------------------------------------------------------- */

static gboolean
add_content (const VtrTraceObservation *observation,
             gpointer                   data)
{
  VtrMemoryList *self = data;
  const guint32 space = vtr_memory_find_space (self->memory, observation->memory, self->index);

  if (space != 0)
    vtr_memory_list_add (self, (VtrMemoryRange){ .space = space,
                                                 .offset = observation->base,
                                                 .size = observation->size,
                                                 .access = VTR_MEMORY_WRITE,
                                                 .object = space,
                                                 .label = g_strdup (_ ("mapped memory")) });
  return !vtr_memory_list_is_full (self);
}

/* --- All of it ------------------------------------------------------------------------------- */

/* A command in a list acts when its run is submitted. */
static void
set_time (VtrMemoryList *self,
          guint32        run)
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

static gboolean
list_all (VtrMemoryList  *self,
          GError        **error)
{
  VtrTrace *trace = self->memory->trace;
  const VtrMemoryModel *model;
  VtrCommand command;
  VtrArena arena;
  gboolean ok;

  vtr_arena_init (&arena);
  ok = vtr_trace_decode (trace, self->index, &arena, &command, error);
  if (ok)
    {
      model = vtr_memory_find_model (self->memory, command.id);
      if (model != NULL && model->api->list != NULL)
        model->api->list (model->self, self, &command);
      else
        vtr_memory_list_add_arguments (self, &command);
      ok = vtr_trace_visit_mapped_writes (trace, self->index, add_content, self, error);
    }
  vtr_arena_finish (&arena);
  return ok;
}

GArray *
vtr_memory_list_ranges (VtrMemory     *self,
                        guint64        index,
                        guint32        run,
                        GCancellable  *cancellable,
                        GError       **error)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (VtrMemoryRange));
  VtrMemoryList list = { .memory = self, .index = index, .ranges = ranges };

  g_array_set_clear_func (ranges, clear_range);
  if (!vtr_memory_prepare (self, NULL, NULL, cancellable, error))
    return NULL;
  set_time (&list, run);
  return list_all (&list, error) ? g_steal_pointer (&ranges) : NULL;
}

static gboolean
take_first (const GArray *ranges,
            guint32      *space,
            guint64      *offset,
            guint64      *size)
{
  const VtrMemoryRange *range;

  if (ranges->len == 0)
    return FALSE;
  range = &g_array_index (ranges, VtrMemoryRange, 0);
  *space = range->space;
  *offset = range->offset;
  *size = range->size;
  return TRUE;
}

gboolean
vtr_memory_locate_object (VtrMemory *self,
                          guint64    index,
                          guint32    object,
                          guint32   *space,
                          guint64   *offset,
                          guint64   *size)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (VtrMemoryRange));
  VtrMemoryList list = {
    .memory = self, .index = index, .time = index, .run = VTR_NO_RUN, .ranges = ranges
  };
  const VtrObject *found = object > 0 && object <= vtr_history_get_n_objects (self->history)
                             ? vtr_history_get_object (self->history, object)
                             : NULL;
  const VtrMemoryModel *model = found != NULL ? vtr_memory_find_model (self, found->type) : NULL;

  if (model == NULL || model->api->locate == NULL ||
      !vtr_memory_prepare (self, NULL, NULL, NULL, NULL))
    return FALSE;
  g_array_set_clear_func (ranges, clear_range);
  model->api->locate (model->self, &list, object);
  return take_first (ranges, space, offset, size);
}

gboolean
vtr_memory_locate_name (VtrMemory *self,
                        guint64    index,
                        guint64    name,
                        guint32   *space,
                        guint64   *offset,
                        guint64   *size)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (VtrMemoryRange));
  VtrMemoryList list = {
    .memory = self, .index = index, .time = index, .run = VTR_NO_RUN, .ranges = ranges
  };

  if (!vtr_memory_prepare (self, NULL, NULL, NULL, NULL))
    return FALSE;
  g_array_set_clear_func (ranges, clear_range);
  for (guint i = 0; ranges->len == 0 && i < self->n_models; i++)
    if (self->models[i].api->locate_name != NULL)
      self->models[i].api->locate_name (self->models[i].self, &list, name);
  return take_first (ranges, space, offset, size);
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

      if (range->space != view->space || range->offset >= view->offset + view->size ||
          view->offset >= range->offset + range->size)
        g_array_remove_index (ranges, i - 1);
    }
  view->accesses = g_steal_pointer (&ranges);
  return TRUE;
}
