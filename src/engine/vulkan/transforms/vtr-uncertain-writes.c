/* Finds recorded writes to mapped memory that may be results of GPU work instead of writes of
 * the program. */
#include "engine/replay-session/vtr-uncertain-writes.h"

#include "base/vtr-must.h"
#include "engine/format/vtr-content-record.h"
#include "engine/memory/vtr-memory-private.h"
#include "engine/vulkan/state/vtr-state.h"
#include "engine/vulkan/transforms/vtr-pending.h"
#include "engine/vulkan/state/vtr-facts.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "engine/vulkan/state/vtr-older-form.h"
#include "vulkan/vtr-vulkan-facts.h"
#include "vtr-api-args.h"

#include <string.h>

#define POLL_INTERVAL 1024
#define WORD 4u                /* bytes that change together */
#define MOST_PIECES 4096u      /* ranges of one write that are kept apart */
#define MOST_SHADOW (1u << 30) /* bytes of one allocation that are remembered */

#define KEY(handle) ((gpointer)(gsize)(handle))

struct _VtrUncertainWrites
{
  GArray *writes; /* VtrUncertainWrite, by .index */
  gboolean sets_events;
};

/* The last recorded bytes of an allocation. */
typedef struct
{
  guint8 *bytes;     /* NULL: too many */
  VtrRangeSet known; /* where nothing that may have written them has ended since */
} Shadow;

/* The writes of a submission, in the row of all memory. */
typedef struct
{
  guint64 index;
  GArray *exact, *maybe; /* VtrRange */
} Work;

typedef struct
{
  VtrUncertainWrites *result;
  VtrMemory *memory;
  GHashTable *shadows; /* object id of the memory → Shadow; those of interest only */
  VtrPending pending;  /* data: Work */
  gboolean polls;      /* the program looks at queries or events */
  guint64 at;
  VtrArena arena;
  GError *error;
} Pass;

static void
shadow_free (gpointer data)
{
  Shadow *shadow = data;

  vtr_range_set_finish (&shadow->known);
  g_free (shadow->bytes);
  g_free (shadow);
}

/* --- Whether there is anything to look for ---------------------------------------------------- */

static gboolean
is_writable_buffer (const VkBufferCreateInfo *info,
                    gboolean                  by_transfers)
{
  const VkBufferUsageFlags writable =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
    VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
    VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT |
    VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR;

  return info != NULL &&
         ((vtr_buffer_get_usage (info) & writable) != 0 ||
          (by_transfers && (vtr_buffer_get_usage (info) & VK_BUFFER_USAGE_TRANSFER_DST_BIT) != 0));
}

static gboolean
is_writable_image (const VkImageCreateInfo *info)
{
  const VkImageUsageFlags writable = VK_IMAGE_USAGE_STORAGE_BIT |
                                     VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                     VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;

  return info != NULL && info->tiling == VK_IMAGE_TILING_LINEAR && (info->usage & writable) != 0;
}

static gboolean
is_writable (Pass            *self,
             const VtrObject *object)
{
  VtrCommand command;

  vtr_arena_reset (&self->arena);
  if (!vtr_history_decode_creation (self->memory->history, object, &self->arena, &command, NULL))
    return FALSE;
  switch (vtr_cmd_canonical (command.id))
    {
    case VTR_CMD_vkCreateBuffer:
      return is_writable_buffer (((const VtrArgs_vkCreateBuffer *)command.args)->pCreateInfo,
                                 self->polls);
    case VTR_CMD_vkCreateImage:
      return is_writable_image (((const VtrArgs_vkCreateImage *)command.args)->pCreateInfo);
    default:
      return FALSE;
    }
}

static gboolean
has_polls (VtrTrace *trace)
{
  const guint64 n = vtr_trace_get_n_commands (trace);

  for (guint64 i = 0; i < n; i++)
    switch (vtr_trace_get_command_id (trace, i))
      {
      case VTR_CMD_vkGetQueryPoolResults:
      case VTR_CMD_vkGetEventStatus:
        return TRUE;
      default:
        break;
      }
  return FALSE;
}

/* Notes the memory of objects of @type that is of interest. */
static void
find_written_memory (Pass        *self,
                     VtrHandleId  type)
{
  VtrHistory *history = self->memory->history;
  g_autoptr (GArray) ids = vtr_history_list (history, type);

  for (guint i = 0; i < ids->len; i++)
    {
      const VtrObject *object = vtr_history_get_object (history, g_array_index (ids, guint32, i));
      VtrBoundMemory bound;

      if (!vtr_facts_get_bound (history, object->id, 0, VTR_COMMAND_NO_INDEX, &bound) ||
          bound.memory == 0 || !is_writable (self, object))
        continue;
      if (!g_hash_table_contains (self->shadows, GUINT_TO_POINTER (bound.memory)))
        g_hash_table_insert (self->shadows, GUINT_TO_POINTER (bound.memory), g_new0 (Shadow, 1));
    }
}

static gboolean
is_not_mapped (gpointer key,
               gpointer value,
               gpointer data)
{
  return !g_hash_table_contains (data, key);
}

/* Leaves of .shadows those that the program maps, as far as can be told. */
static void
keep_mapped (Pass *self)
{
  VtrTrace *trace = self->memory->trace;
  g_autoptr (GHashTable) mapped = g_hash_table_new (NULL, NULL);
  const guint64 n = vtr_trace_get_n_commands (trace);

  for (guint64 i = 0; i < n && g_hash_table_size (self->shadows) > 0; i++)
    {
      const VtrCmdId id = vtr_trace_get_command_id (trace, i);
      const VtrArgs_vkMapMemory *map;
      const VtrObject *memory;
      VtrOlderForms forms;
      VtrCommand command;

      if (!vtr_cmd_is_vulkan (id) || !vtr_cmd_is (id, VTR_CLASS_MAP))
        continue;
      if (vtr_cmd_older_form (id) != VTR_CMD_vkMapMemory)
        return;
      vtr_arena_reset (&self->arena);
      if (!vtr_trace_decode (trace, i, &self->arena, &command, NULL))
        continue;
      vtr_older_forms_init (&forms, &command);
      map = forms.command.args;
      memory = vtr_history_find (self->memory->history,
                                 vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory,
                                                      (guint64)(gsize)map->memory),
                                 i);
      if (memory != NULL)
        g_hash_table_add (mapped, GUINT_TO_POINTER (memory->id));
    }
  g_hash_table_foreach_remove (self->shadows, is_not_mapped, mapped);
}

/* --- Submissions ------------------------------------------------------------------------------ */

static Work *
work_new (guint64 index)
{
  Work *work = g_new0 (Work, 1);

  work->index = index;
  work->exact = g_array_new (FALSE, FALSE, sizeof (VtrRange));
  work->maybe = g_array_new (FALSE, FALSE, sizeof (VtrRange));
  return work;
}

static void
work_free (Work *work)
{
  g_array_unref (work->exact);
  g_array_unref (work->maybe);
  g_free (work);
}

static void
add_events (Work                  *work,
            const VtrMemoryEvents *events)
{
  for (guint i = 0; i < events->events->len; i++)
    {
      const VtrMemoryEvent *event = &g_array_index (events->events, VtrMemoryEvent, i);
      GArray *ranges = event->kind == VTR_EVENT_MAYBE ? work->maybe : work->exact;

      g_array_append_vals (ranges, &g_array_index (events->ranges, VtrRange, event->first_range),
                           event->n_ranges);
    }
}

static Work *
make_work (Pass    *self,
           guint32  nth)
{
  VtrTimeline *timeline = self->memory->timeline;
  const VtrSubmission *submission = vtr_timeline_get_submission (timeline, nth);
  Work *work = work_new (self->at);
  VtrMemoryEvents events;

  vtr_memory_events_init (&events);
  for (guint32 i = 0; i < submission->n_runs; i++)
    {
      vtr_memory_events_load (&events, &self->memory->index->events,
                              self->memory->index->run_events[submission->first_run + i], NULL);
      add_events (work, &events);
    }
  vtr_memory_events_finish (&events);
  if (work->exact->len + work->maybe->len > 0)
    return work;
  work_free (work);
  return NULL;
}

static void
forget_ranges (Pass         *self,
               const GArray *ranges)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, self->shadows);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const VtrMemorySpace *pool =
        vtr_memory_index_find_space (self->memory->index, GPOINTER_TO_UINT (key));
      Shadow *shadow = value;

      for (guint i = 0; pool != NULL && shadow->known.n > 0 && i < ranges->len; i++)
        {
          const VtrRange *range = &g_array_index (ranges, VtrRange, i);

          if (range->end > pool->base && range->begin < pool->base + pool->size)
            vtr_must (vtr_range_set_remove (
              &shadow->known, range->begin > pool->base ? range->begin - pool->base : 0,
              range->end - pool->base));
        }
    }
}

/* The writes of a submission are known now, and earlier bytes may have been overwritten. */
static void
work_done (gpointer data,
           gpointer user_data)
{
  Pass *self = user_data;
  Work *work = data;

  forget_ranges (self, work->exact);
  forget_ranges (self, work->maybe);
  work_free (work);
}

static void
note_submission (Pass             *self,
                 const VtrCommand *command)
{
  const guint32 nth = vtr_timeline_find_submission (self->memory->timeline, self->at);
  Work *work = nth != VTR_NO_RECORDING ? make_work (self, nth) : NULL;

  switch (vtr_cmd_newer_form (command->id))
    {
    case VTR_CMD_vkQueueSubmit2:
      {
        g_auto (VtrNewerForm) form;
        const VtrArgs_vkQueueSubmit2 *a;
        guint32 n;

        vtr_newer_form_init (&form, command);
        a = form.command.args;
        n = a->pSubmits != NULL ? a->submitCount : 0;
        /* With the last batch: what all of them write. */
        for (guint32 i = 0; i + 1 < n; i++)
          vtr_pending_add (&self->pending, a, i, NULL);
        vtr_pending_add (&self->pending, a, MAX (n, 1) - 1, work);
        break;
      }
    default:
      if (work != NULL)
        work_free (work);
      vtr_pending_note (&self->pending, command);
      break;
    }
}

/* --- Mapped writes ---------------------------------------------------------------------------- */

/* Returns: whether there are any of @ranges in [@begin, @end). */
static gboolean
add_ranges (const GArray *ranges,
            guint64       begin,
            guint64       end,
            VtrRangeSet  *out)
{
  gboolean any = FALSE;

  for (guint i = 0; i < ranges->len; i++)
    {
      const VtrRange *range = &g_array_index (ranges, VtrRange, i);

      if (range->begin >= end || range->end <= begin)
        continue;
      vtr_must (vtr_range_set_add (out, MAX (range->begin, begin), MIN (range->end, end)));
      any = TRUE;
    }
  return any;
}

/* The bytes of [@begin, @end) in the row that pending work may write, without those that it
 * certainly writes. */
static guint64
find_uncertain (Pass        *self,
                guint64      begin,
                guint64      end,
                VtrRangeSet *out)
{
  guint64 submit = VTR_COMMAND_NO_INDEX;

  for (guint i = 0; i < self->pending.submissions->len; i++)
    {
      const Work *work = vtr_pending_get (&self->pending, i);
      const gboolean perhaps =
        vtr_pending_get_told (&self->pending, i) == VTR_PENDING_PERHAPS;
      gboolean any;

      if (work == NULL)
        continue;
      any = add_ranges (work->maybe, begin, end, out);
      /* The program may have written over it. */
      any |= perhaps && add_ranges (work->exact, begin, end, out);
      if (any)
        submit = MIN (submit, work->index);
    }
  for (guint i = 0; out->n > 0 && i < self->pending.submissions->len; i++)
    {
      const Work *work = vtr_pending_get (&self->pending, i);

      if (vtr_pending_get_told (&self->pending, i) == VTR_PENDING_PERHAPS)
        continue;
      for (guint j = 0; work != NULL && j < work->exact->len; j++)
        {
          const VtrRange *range = &g_array_index (work->exact, VtrRange, j);

          if (range->begin < end && range->end > begin)
            vtr_must (vtr_range_set_remove (out, range->begin, range->end));
        }
    }
  return submit;
}

static gboolean
is_known (const Shadow *shadow,
          guint64       begin,
          guint64       end)
{
  return shadow->bytes != NULL && vtr_range_set_contains (&shadow->known, begin, end);
}

static void
add_uncertain (Pass                    *self,
               const VtrUncertainWrite *uncertain)
{
  GArray *writes = self->result->writes;
  VtrUncertainWrite *last =
    writes->len > 0 ? &g_array_index (writes, VtrUncertainWrite, writes->len - 1) : NULL;

  if (last != NULL && last->index == uncertain->index && last->pool == uncertain->pool &&
      last->same == uncertain->same && last->offset + last->size == uncertain->offset)
    last->size += uncertain->size;
  else
    g_array_append_val (writes, *uncertain);
}

/* Bytes [@begin, @end) of @write's memory, word by word: which have changed. */
static void
tell_apart (Pass                   *self,
            const VtrContentRecord *write,
            const Shadow           *shadow,
            VtrUncertainWrite       uncertain,
            guint64                 begin,
            guint64                 end)
{
  const guint first = self->result->writes->len;

  for (guint64 at = begin, stop; at < end; at = stop)
    {
      stop = MIN ((at / WORD + 1) * WORD, end);
      uncertain.offset = at;
      uncertain.size = stop - at;
      uncertain.same =
        is_known (shadow, at, stop) &&
        memcmp (shadow->bytes + at, write->data + (at - write->offset), stop - at) == 0;
      add_uncertain (self, &uncertain);
    }
  if (self->result->writes->len - first <= MOST_PIECES)
    return;
  g_array_set_size (self->result->writes, first);
  uncertain.offset = begin;
  uncertain.size = end - begin;
  uncertain.same = FALSE;
  add_uncertain (self, &uncertain);
}

static void
remember (Shadow                 *shadow,
          guint64                 size,
          const VtrContentRecord *write)
{
  const guint64 end = MIN (write->offset + write->size, size);

  if (shadow->bytes == NULL && size <= MOST_SHADOW)
    shadow->bytes = g_try_malloc0 (size);
  if (shadow->bytes == NULL || write->offset >= end)
    return;
  memcpy (shadow->bytes + write->offset, write->data, end - write->offset);
  vtr_must (vtr_range_set_add (&shadow->known, write->offset, end));
}

static gboolean
note_write (const VtrContentRecord  *write,
            gsize                    nth,
            gpointer                 data,
            GError                 **error)
{
  Pass *self = data;
  const VtrObject *memory = vtr_history_find (self->memory->history,
                                              vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory,
                                                                   write->object),
                                              self->at);
  Shadow *shadow =
    memory != NULL ? g_hash_table_lookup (self->shadows, GUINT_TO_POINTER (memory->id)) : NULL;
  const VtrMemorySpace *pool =
    shadow != NULL ? vtr_memory_index_find_space (self->memory->index, memory->id) : NULL;
  VtrRangeSet doubtful = { 0 };
  VtrUncertainWrite uncertain = { .index = self->at, .memory = write->object };
  guint64 end;

  if (write->what != VTR_CONTENT_BYTES || pool == NULL ||
      __builtin_add_overflow (write->offset, write->size, &end) || end > pool->size)
    return TRUE;
  uncertain.pool = memory->id;
  uncertain.submit =
    find_uncertain (self, pool->base + write->offset, pool->base + end, &doubtful);
  for (gsize i = 0; i < doubtful.n; i++)
    tell_apart (self, write, shadow, uncertain, doubtful.ranges[i].begin - pool->base,
                doubtful.ranges[i].end - pool->base);
  vtr_range_set_finish (&doubtful);
  remember (shadow, pool->size, write);
  return TRUE;
}

/* --- The pass --------------------------------------------------------------------------------- */

static gboolean
note_command (Pass    *self,
              GError **error)
{
  VtrTrace *trace = self->memory->trace;
  const VtrCmdId id = vtr_trace_get_command_id (trace, self->at);
  VtrCommand command;

  if (!vtr_trace_each_content (trace, self->at, TRUE, note_write, self, error))
    return FALSE;
  self->result->sets_events = self->result->sets_events || id == VTR_CMD_vkSetEvent;
  if (!vtr_cmd_is_vulkan (id) || (!vtr_cmd_is (id, VTR_CLASS_SUBMIT) && !vtr_pending_wants (id)))
    return TRUE;
  vtr_arena_reset (&self->arena);
  if (!vtr_trace_decode (trace, self->at, &self->arena, &command, NULL))
    return TRUE;
  if (vtr_cmd_is (id, VTR_CLASS_SUBMIT))
    note_submission (self, &command);
  else
    vtr_pending_note (&self->pending, &command);
  return TRUE;
}

static gboolean
run_pass (Pass          *self,
          GCancellable  *cancellable,
          GError       **error)
{
  const guint64 n = vtr_trace_get_n_commands (self->memory->trace);

  for (self->at = 0; self->at < n; self->at++)
    if ((self->at % POLL_INTERVAL == 0 &&
         g_cancellable_set_error_if_cancelled (cancellable, error)) ||
        !note_command (self, error))
      return FALSE;
  return TRUE;
}

VtrUncertainWrites *
vtr_uncertain_writes_build (VtrMemory     *memory,
                            GCancellable  *cancellable,
                            GError       **error)
{
  g_autoptr (VtrUncertainWrites) result = g_new0 (VtrUncertainWrites, 1);
  Pass self = { .result = result, .memory = memory };
  gboolean ok = TRUE;

  result->writes = g_array_new (FALSE, FALSE, sizeof (VtrUncertainWrite));
  self.shadows = g_hash_table_new_full (NULL, NULL, NULL, shadow_free);
  vtr_arena_init (&self.arena);
  vtr_pending_init (&self.pending, work_done, &self);
  self.polls = has_polls (memory->trace);
  find_written_memory (&self, VTR_HANDLE_VkBuffer);
  find_written_memory (&self, VTR_HANDLE_VkImage);
  keep_mapped (&self);
  if (g_hash_table_size (self.shadows) > 0)
    ok = vtr_memory_prepare (memory, NULL, NULL, cancellable, error) &&
         run_pass (&self, cancellable, error);
  while (self.pending.submissions->len > 0)
    {
      if (vtr_pending_get (&self.pending, 0) != NULL)
        work_free (vtr_pending_get (&self.pending, 0));
      g_ptr_array_remove_index (self.pending.submissions, 0);
    }
  vtr_pending_finish (&self.pending);
  vtr_arena_finish (&self.arena);
  g_hash_table_unref (self.shadows);
  return ok ? g_steal_pointer (&result) : NULL;
}

void
vtr_uncertain_writes_free (VtrUncertainWrites *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->writes);
  g_free (self);
}

gboolean
vtr_uncertain_writes_may_settle (const VtrUncertainWrites *self)
{
  return !self->sets_events;
}

const VtrUncertainWrite *
vtr_uncertain_writes_find (const VtrUncertainWrites *self,
                           guint64                   index,
                           gsize                    *n)
{
  guint low = 0, high = self->writes->len, end;

  while (low < high)
    {
      const guint middle = (low + high) / 2;

      if (g_array_index (self->writes, VtrUncertainWrite, middle).index < index)
        low = middle + 1;
      else
        high = middle;
    }
  end = low;
  while (end < self->writes->len &&
         g_array_index (self->writes, VtrUncertainWrite, end).index == index)
    end++;
  *n = end - low;
  return *n > 0 ? &g_array_index (self->writes, VtrUncertainWrite, low) : NULL;
}

const VtrUncertainWrite *
vtr_uncertain_writes_list (const VtrUncertainWrites *self,
                           gsize                    *n)
{
  *n = self->writes->len;
  return *n > 0 ? &g_array_index (self->writes, VtrUncertainWrite, 0) : NULL;
}
