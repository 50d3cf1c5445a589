/* VtrMemory: makes its index once, for whoever comes first. Reading is in vtr-memory-read.c, what
   commands touch in vtr-memory-ranges.c. */
#include "engine/memory/vtr-memory-private.h"

#include "api/vtr-api-args.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

/* How often a waiting caller looks whether it was cancelled. */
#define WAIT_STEP (50 * G_TIME_SPAN_MILLISECOND)

G_DEFINE_QUARK (vtr - memory - error - quark, vtr_memory_error)

VtrMemory *
vtr_memory_new (VtrTimeline *timeline,
                VtrHistory  *history)
{
  VtrMemory *self = g_new0 (VtrMemory, 1);

  self->trace = vtr_trace_ref (vtr_timeline_get_trace (timeline));
  self->timeline = vtr_timeline_ref (timeline);
  self->history = vtr_history_ref (history);
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  g_mutex_init (&self->blocks_lock);
  self->walker = vtr_bound_walker_new (timeline, history);
  return self;
}

void
vtr_memory_free (VtrMemory *self)
{
  g_clear_pointer (&self->index, vtr_memory_index_free);
  vtr_bound_walker_free (self->walker);
  g_clear_pointer (&self->blocks, vtr_memory_blocks_unref);
  vtr_history_unref (self->history);
  vtr_timeline_unref (self->timeline);
  vtr_trace_unref (self->trace);
  g_mutex_clear (&self->blocks_lock);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self);
}

gboolean
vtr_memory_get_bound_state (VtrMemory      *self,
                            guint64         index,
                            VtrBoundState  *out,
                            GError        **error)
{
  return vtr_bound_walker_get (self->walker, index, out, error);
}

VtrMemoryBlocks *
vtr_memory_get_blocks (VtrMemory           *self,
                       const VtrBoundState *state,
                       guint                point,
                       guint64              index)
{
  VtrMemoryBlocks *blocks;
  VtrProgram program;

  vtr_program_find_bound (self->history, state, point, index, &program);
  if (program.n == 0)
    return NULL;
  g_mutex_lock (&self->blocks_lock);
  if (self->blocks == NULL ||
      vtr_memory_blocks_get_program (self->blocks) != vtr_program_hash (&program))
    {
      g_clear_pointer (&self->blocks, vtr_memory_blocks_unref);
      self->blocks = vtr_memory_blocks_new (self->history, &program);
    }
  blocks = vtr_memory_blocks_ref (self->blocks);
  g_mutex_unlock (&self->blocks_lock);
  return blocks;
}

/* --- The index ------------------------------------------------------------------------------- */

typedef struct
{
  VtrMemory *memory;
  VtrTraceProgress progress;
  gpointer data;
} Telling;

static void
on_progress (guint64  done,
             guint64  total,
             gpointer data)
{
  Telling *telling = data;
  int thousandths = total > 0 ? (int)(done * 1000 / total) : 0;

  if (thousandths == g_atomic_int_get (&telling->memory->thousandths))
    return;
  g_atomic_int_set (&telling->memory->thousandths, thousandths);
  if (telling->progress != NULL)
    telling->progress ((guint64)thousandths, 1000, telling->data);
}

/* Waits, with the lock held, until the index is there or nobody makes it. */
static gboolean
wait_for_builder (Telling       *telling,
                  GCancellable  *cancellable,
                  GError       **error)
{
  VtrMemory *self = telling->memory;

  while (self->building)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      g_cond_wait_until (&self->cond, &self->lock, g_get_monotonic_time () + WAIT_STEP);
      if (telling->progress != NULL && self->building)
        telling->progress ((guint64)g_atomic_int_get (&self->thousandths), 1000, telling->data);
    }
  return TRUE;
}

gboolean
vtr_memory_prepare (VtrMemory         *self,
                    VtrTraceProgress   progress,
                    gpointer           data,
                    GCancellable      *cancellable,
                    GError           **error)
{
  Telling telling = { self, progress, data };
  VtrMemoryIndex *index = NULL;
  gboolean ok;

  g_mutex_lock (&self->lock);
  ok = wait_for_builder (&telling, cancellable, error);
  if (!ok || self->index != NULL)
    {
      g_mutex_unlock (&self->lock);
      return ok;
    }
  self->building = TRUE;
  g_mutex_unlock (&self->lock);

  index = vtr_memory_index_build (self->timeline, self->history, on_progress, &telling,
                                  cancellable, error);

  g_mutex_lock (&self->lock);
  self->building = FALSE;
  self->index = index;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  return index != NULL;
}

gboolean
vtr_memory_is_ready (VtrMemory *self)
{
  gboolean ready;

  g_mutex_lock (&self->lock);
  ready = self->index != NULL;
  g_mutex_unlock (&self->lock);
  return ready;
}

guint
vtr_memory_get_progress (VtrMemory *self)
{
  return vtr_memory_is_ready (self) ? 1000 : (guint)g_atomic_int_get (&self->thousandths);
}

gsize
vtr_memory_get_index_bytes (VtrMemory *self)
{
  return vtr_memory_is_ready (self) ? vtr_memory_index_get_bytes (self->index) : 0;
}

/* --- Pools ----------------------------------------------------------------------------------- */

static gboolean
set_no_pool (GError  **error,
             guint32   pool)
{
  g_set_error (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_POOL,
               _ ("There is no memory pool %u. Use 0 for the program's own memory, or the number "
                  "of a device memory object."),
               pool);
  return FALSE;
}

gboolean
vtr_memory_get_pool_size (VtrMemory  *self,
                          guint32     pool,
                          guint64     index,
                          guint64    *size,
                          GError    **error)
{
  const VtrArgs_vkAllocateMemory *args;
  const VtrObject *object;
  VtrCommand command;
  VtrArena arena;
  gboolean found;

  *size = 0;
  if (pool == VTR_MEMORY_APPLICATION)
    return TRUE;
  object = pool <= vtr_history_get_n_objects (self->history)
             ? vtr_history_get_object (self->history, pool)
             : NULL;
  if (object == NULL || object->type != VTR_HANDLE_VkDeviceMemory)
    return set_no_pool (error, pool);
  if (index != VTR_COMMAND_NO_INDEX && (index < object->created || index > object->destroyed))
    {
      g_autofree char *name = vtr_history_describe (self->history, object);

      g_set_error (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_POOL,
                   index < object->created ? _ ("The %s is not allocated yet at this command.")
                                           : _ ("The %s was freed before this command."),
                   name);
      return FALSE;
    }
  vtr_arena_init (&arena);
  found = vtr_history_decode_creation (self->history, object, &arena, &command, error);
  if (found && command.id == VTR_CMD_vkAllocateMemory &&
      (args = command.args)->pAllocateInfo != NULL)
    *size = args->pAllocateInfo->allocationSize;
  else if (found)
    found = set_no_pool (error, pool);
  vtr_arena_finish (&arena);
  return found;
}

/* --- Plain structures ------------------------------------------------------------------------ */

void
vtr_memory_range_clear (VtrMemoryRange *self)
{
  g_clear_pointer (&self->label, g_free);
  g_clear_pointer (&self->type, g_free);
}

VtrMemoryView *
vtr_memory_view_ref (VtrMemoryView *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_memory_view_unref (VtrMemoryView *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_clear_pointer (&self->spans, g_array_unref);
  g_clear_pointer (&self->accesses, g_array_unref);
  g_free (self);
}

const char *
vtr_memory_kind_get_name (VtrMemoryKind kind)
{
  switch (kind)
    {
    case VTR_MEMORY_OBSERVED:
      return "observed";
    case VTR_MEMORY_GPU_WRITTEN:
      return "gpu-written";
    case VTR_MEMORY_GPU_MAYBE:
      return "gpu-maybe";
    case VTR_MEMORY_REPLAYED:
      return "replayed";
    case VTR_MEMORY_UNKNOWN:
    default:
      return "unknown";
    }
}
