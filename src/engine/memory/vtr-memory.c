/* Makes the index of a VtrMemory at the first request. Reading is in vtr-memory-read.c, the ranges
 * of commands in vtr-memory-list.c. */
#include "engine/memory/vtr-memory-private.h"

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-history.h"
#include "engine/state/vtr-timeline.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

/* How often a waiting caller looks whether it was cancelled. */
#define WAIT_STEP (50 * G_TIME_SPAN_MILLISECOND)

G_DEFINE_QUARK (vtr - memory - error - quark, vtr_memory_error)

static void
make_models (VtrMemory   *self,
             VtrAnalysis *analysis)
{
  guint n = 0;

  while (vtr_apis[n] != NULL)
    n++;
  self->models = g_new0 (VtrMemoryModel, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      const VtrMemoryApi *api = vtr_apis[i]->memory;
      VtrMemoryModel *model = &self->models[self->n_models];

      if (api == NULL)
        continue;
      self->n_models++;
      *model = (VtrMemoryModel){ api, api->create (analysis) };
      for (guint page = 0; page < VTR_API_N_PAGES; page++)
        if (vtr_api_pages[page] == &vtr_api_models[i])
          self->by_page[page] = model;
    }
}

VtrMemory *
vtr_memory_new (VtrAnalysis *analysis)
{
  VtrMemory *self = g_new0 (VtrMemory, 1);

  self->trace = vtr_trace_ref (vtr_analysis_get_trace (analysis));
  self->timeline = vtr_timeline_ref (vtr_analysis_get_timeline (analysis));
  self->history = vtr_history_ref (vtr_analysis_get_history (analysis));
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  make_models (self, analysis);
  return self;
}

void
vtr_memory_free (VtrMemory *self)
{
  g_clear_pointer (&self->index, vtr_memory_index_free);
  for (guint i = 0; i < self->n_models; i++)
    self->models[i].api->destroy (self->models[i].self);
  g_free (self->models);
  vtr_history_unref (self->history);
  vtr_timeline_unref (self->timeline);
  vtr_trace_unref (self->trace);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self);
}

guint32
vtr_memory_find_space (VtrMemory *self,
                       guint64    name,
                       guint64    index)
{
  guint32 found = 0;

  for (guint i = 0; found == 0 && i < self->n_models; i++)
    if (self->models[i].api->find_space != NULL)
      found = self->models[i].api->find_space (self->models[i].self, name, index);
  return found;
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

/* Waits, with the lock held, until the index is ready or no thread makes it. */
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

  index = vtr_memory_index_build (self, on_progress, &telling, cancellable, error);

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

/* --- Byte spaces ----------------------------------------------------------------------------- */

static gboolean
set_no_space (GError  **error,
              guint32   space)
{
  g_set_error (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_SPACE,
               _ ("There is no memory pool %u. Use 0 for the program's own memory, or the number "
                  "of a memory object."),
               space);
  return FALSE;
}

gboolean
vtr_memory_get_space_size (VtrMemory  *self,
                           guint32     space,
                           guint64     index,
                           guint64    *size,
                           GError    **error)
{
  const VtrMemoryModel *model;
  const VtrObject *object;
  g_autoptr (GError) reason = NULL;

  *size = 0;
  if (space == VTR_SPACE_PROGRAM)
    return TRUE;
  object = space <= vtr_history_get_n_objects (self->history)
             ? vtr_history_get_object (self->history, space)
             : NULL;
  model = object != NULL ? vtr_memory_find_model (self, object->type) : NULL;
  if (model == NULL || model->api->get_space_size == NULL)
    return set_no_space (error, space);
  if (!model->api->get_space_size (model->self, space, index, size, &reason))
    {
      if (reason == NULL)
        return set_no_space (error, space);
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  if (index != VTR_COMMAND_NO_INDEX && (index < object->created || index > object->destroyed))
    {
      g_autofree char *name = vtr_history_describe (self->history, object);

      g_set_error (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_SPACE,
                   index < object->created ? _ ("The %s is not allocated yet at this command.")
                                           : _ ("The %s was freed before this command."),
                   name);
      return FALSE;
    }
  return TRUE;
}

/* --- Plain structures ------------------------------------------------------------------------ */

void
vtr_memory_range_clear (VtrMemoryRange *self)
{
  g_clear_pointer (&self->label, g_free);
  g_clear_pointer (&self->type, g_free);
  g_clear_pointer (&self->descriptor, json_object_unref);
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

static gpointer
make_memory (VtrAnalysis *analysis)
{
  return vtr_memory_new (analysis);
}

static void
free_memory (gpointer memory)
{
  vtr_memory_free (memory);
}

VtrMemory *
vtr_analysis_get_memory (VtrAnalysis *self)
{
  return vtr_analysis_keep_quick (self, make_memory, free_memory);
}
