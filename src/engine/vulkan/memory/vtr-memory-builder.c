/* The pass that makes a VtrMemoryIndex. */
#include "engine/vulkan/memory/vtr-memory-host-copies.h"
#include "engine/memory/vtr-memory-private.h"

#include "api/vtr-api-args.h"
#include "engine/format/vtr-trace-observations.h"
#include "engine/vulkan/memory/vtr-memory-recorder.h"

#define POLL_INTERVAL 1024

typedef struct
{
  VtrTrace *trace;
  VtrTimeline *timeline;
  VtrMemoryIndex *index;
  VtrMemoryObjects *objects;
  VtrMemoryDraft **drafts; /* by recording */
  guint32 n_recordings;
  guint32 recording; /* of the command before; a guess at that of the next */
  gboolean contiguous;
  gboolean draws_store;
  guint64 at; /* flat index */
  VtrArena arena;
} Build;

/* --- Observations ---------------------------------------------------------------------------- */

static gboolean
add_observation (const VtrTraceObservation *observation,
                 gpointer                   data)
{
  Build *self = data;

  vtr_interval_index_add (self->index->application, self->at, observation->base,
                          observation->base + observation->size);
  return TRUE;
}

static gboolean
add_mapped_write (const VtrTraceObservation *observation,
                  gpointer                   data)
{
  Build *self = data;
  guint32 at =
    vtr_memory_objects_find (self->objects, VTR_HANDLE_VkDeviceMemory, observation->memory);
  const VtrMemoryPool *pool;

  if (at == VTR_MEMORY_NONE)
    return TRUE;
  pool = &g_array_index (self->objects->pools, VtrMemoryPool, at);
  if (observation->base < pool->size)
    vtr_interval_index_add (self->index->exact, self->at, pool->base + observation->base,
                            pool->base +
                              MIN (observation->base + observation->size, pool->size));
  return TRUE;
}

/* --- Devices --------------------------------------------------------------------------------- */

/* Shaders of drawing stages store only with these features. */
static void
note_device (Build                        *self,
             const VtrArgs_vkCreateDevice *args)
{
  const VkPhysicalDeviceFeatures *features;
  const VkPhysicalDeviceFeatures2 *features2;

  if (args->pCreateInfo == NULL)
    return;
  features = args->pCreateInfo->pEnabledFeatures;
  features2 =
    vtr_api_find_next (args->pCreateInfo->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  if (features == NULL && features2 != NULL)
    features = &features2->features;
  if (features != NULL &&
      (features->fragmentStoresAndAtomics || features->vertexPipelineStoresAndAtomics))
    self->draws_store = TRUE;
}

/* --- Recordings and submissions -------------------------------------------------------------- */

static VtrMemoryDraft *
find_draft (gpointer data,
            guint32  recording)
{
  Build *self = data;

  return recording < self->n_recordings ? self->drafts[recording] : NULL;
}

/* The recording that the command is part of. */
static guint32
find_recording (Build *self)
{
  if (self->contiguous && self->recording != VTR_NO_RECORDING)
    {
      const VtrRecording *last = vtr_timeline_get_recording (self->timeline, self->recording);

      if (self->at >= last->first && self->at <= last->last)
        return self->recording;
    }
  self->recording = vtr_timeline_find_recording (self->timeline, self->at);
  return self->recording;
}

static void
note_recorded (Build            *self,
               VtrCmdId          id,
               const VtrCommand *command)
{
  guint32 recording = find_recording (self);

  if (recording == VTR_NO_RECORDING ||
      vtr_timeline_get_recording (self->timeline, recording)->n_runs == 0)
    return;
  if (self->drafts[recording] == NULL)
    self->drafts[recording] = vtr_memory_draft_new ();
  vtr_memory_draft_apply (self->drafts[recording], self->objects, self->timeline,
                          self->draws_store, id, self->at, command);
}

/* A recording that is not run again is not needed any more. */
static void
drop_draft (Build   *self,
            guint32  recording)
{
  const VtrRecording *info = vtr_timeline_get_recording (self->timeline, recording);
  const VtrRun *last = vtr_timeline_find_run (self->timeline, recording, info->n_runs - 1);

  if (last == NULL || last->submit <= self->at)
    g_clear_pointer (&self->drafts[recording], vtr_memory_draft_free);
}

static void
add_ranges (VtrIntervalIndex *index,
            guint64           item,
            const GArray     *ranges)
{
  for (guint i = 0; i < ranges->len; i++)
    {
      const VtrRange *range = &g_array_index (ranges, VtrRange, i);

      vtr_interval_index_add (index, item, range->begin, range->end);
    }
}

static void
note_submission (Build *self)
{
  guint32 nth = vtr_timeline_find_submission (self->timeline, self->at);
  const VtrSubmission *submission;

  if (nth == VTR_NO_RECORDING)
    return;
  submission = vtr_timeline_get_submission (self->timeline, nth);
  for (guint32 i = submission->first_run; i < submission->first_run + submission->n_runs; i++)
    {
      const VtrRun *run = vtr_timeline_get_run (self->timeline, i);
      VtrMemoryDraft *draft = find_draft (self, run->recording);
      const GArray *exact, *maybe;

      if (draft == NULL)
        continue;
      self->index->run_events[i] = vtr_memory_draft_resolve (
        draft, self->objects, find_draft, self, &self->index->events, &exact, &maybe);
      add_ranges (self->index->exact, self->at, exact);
      add_ranges (self->index->maybe, self->at, maybe);
    }
  for (guint32 i = submission->first_run; i < submission->first_run + submission->n_runs; i++)
    {
      const VtrRun *run = vtr_timeline_get_run (self->timeline, i);

      for (guint32 k = run->first_child; k < run->first_child + run->n_children; k++)
        drop_draft (self, vtr_timeline_get_run (self->timeline, k)->recording);
      drop_draft (self, run->recording);
    }
}

/* --- Copies by the host ---------------------------------------------------------------------- */

/* Where texels of an image lie is not known: any of its bytes may change. */
static void
note_host_copy (Build            *self,
                const VtrCommand *command)
{
  guint64 source, destination;
  guint32 image = VTR_MEMORY_NONE;

  if (vtr_host_copy_read (command, &source, &destination))
    image = vtr_memory_objects_find (self->objects, VTR_HANDLE_VkImage, destination);
  for (guint plane = 0; image != VTR_MEMORY_NONE && plane < VTR_MEMORY_PLANES; plane++)
    {
      VtrRange range;

      if (vtr_memory_objects_locate_image (self->objects, image, plane, &range))
        vtr_interval_index_add (self->index->maybe, self->at, range.begin, range.end);
    }
}

/* --- The pass -------------------------------------------------------------------------------- */

/* What cannot be read is left out: a damaged call must not hide the memory of all others. */
static void
note_command (Build *self)
{
  VtrCmdId id = vtr_trace_get_command_id (self->trace, self->at);
  gboolean recorded, decode;
  VtrCommand command;

  vtr_trace_visit_mapped_writes (self->trace, self->at, add_mapped_write, self, NULL);
  vtr_trace_visit_observations (self->trace, self->at, add_observation, self, NULL);
  if (!vtr_cmd_is_vulkan (id))
    return;
  recorded = vtr_cmd_is (id, VTR_CLASS_RECORD);
  decode = recorded ? vtr_memory_draft_wants (self->objects, id)
                    : vtr_memory_objects_wants (id) || id == VTR_CMD_vkCreateDevice ||
                        vtr_is_host_copy (id);
  if (decode)
    {
      vtr_arena_reset (&self->arena);
      if (!vtr_trace_decode (self->trace, self->at, &self->arena, &command, NULL))
        return;
    }
  if (recorded)
    note_recorded (self, id, decode ? &command : NULL);
  else if (id == VTR_CMD_vkCreateDevice)
    note_device (self, command.args);
  else if (decode && vtr_is_host_copy (id))
    note_host_copy (self, &command);
  else if (decode)
    vtr_memory_objects_apply (self->objects, &command);
  else if (vtr_cmd_is (id, VTR_CLASS_SUBMIT))
    note_submission (self);
}

static gboolean
run_pass (Build             *self,
          VtrTraceProgress   progress,
          gpointer           data,
          GCancellable      *cancellable,
          GError           **error)
{
  guint64 n = vtr_trace_get_n_commands (self->trace);

  for (self->at = 0; self->at < n; self->at++)
    {
      if (self->at % POLL_INTERVAL == 0)
        {
          if (g_cancellable_set_error_if_cancelled (cancellable, error))
            return FALSE;
          if (progress != NULL)
            progress (self->at, n, data);
        }
      note_command (self);
    }
  return TRUE;
}

static GArray *
list_image_places (VtrMemoryObjects *objects)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (VtrMemoryImagePlace));

  for (guint32 i = 0; i < objects->images->len; i++)
    {
      const VtrMemoryImage *image = &g_array_index (objects->images, VtrMemoryImage, i);

      for (guint plane = 0; image->id != 0 && plane < VTR_MEMORY_PLANES; plane++)
        {
          const VtrMemoryPool *pool;
          VtrRange range;

          if (!vtr_memory_objects_locate_image (objects, i, plane, &range))
            continue;
          pool = &g_array_index (objects->pools, VtrMemoryPool, image->planes[plane].pool);
          g_array_append_vals (places,
                               &(VtrMemoryImagePlace){ image->id, pool->id,
                                                       range.begin - pool->base,
                                                       range.end - range.begin },
                               1);
        }
    }
  return places;
}

VtrMemoryIndex *
vtr_memory_index_build (VtrTimeline       *timeline,
                        VtrHistory        *history,
                        VtrTraceProgress   progress,
                        gpointer           data,
                        GCancellable      *cancellable,
                        GError           **error)
{
  g_autoptr (VtrMemoryIndex) index = g_new0 (VtrMemoryIndex, 1);
  g_autoptr (VtrMemoryObjects) objects = vtr_memory_objects_new (history);
  Build build = {
    .trace = vtr_timeline_get_trace (timeline),
    .timeline = timeline,
    .index = index,
    .objects = objects,
    .n_recordings = vtr_timeline_get_n_recordings (timeline),
    .recording = VTR_NO_RECORDING,
    .contiguous = vtr_timeline_is_contiguous (timeline),
  };
  gboolean ok;

  index->application = vtr_interval_index_new ();
  index->exact = vtr_interval_index_new ();
  index->maybe = vtr_interval_index_new ();
  index->n_runs = vtr_timeline_get_n_runs (timeline);
  index->run_events = g_new (guint32, MAX (index->n_runs, 1));
  for (guint32 i = 0; i < index->n_runs; i++)
    index->run_events[i] = VTR_NO_EVENTS;
  build.drafts = g_new0 (VtrMemoryDraft *, MAX (build.n_recordings, 1));
  vtr_arena_init (&build.arena);
  ok = run_pass (&build, progress, data, cancellable, error);
  vtr_arena_finish (&build.arena);
  for (guint32 i = 0; i < build.n_recordings; i++)
    g_clear_pointer (&build.drafts[i], vtr_memory_draft_free);
  g_free (build.drafts);
  if (!ok)
    return NULL;
  vtr_interval_index_complete (index->application);
  vtr_interval_index_complete (index->exact);
  vtr_interval_index_complete (index->maybe);
  index->pools = g_array_ref (objects->pools);
  index->images = list_image_places (objects);
  return g_steal_pointer (&index);
}

void
vtr_memory_index_free (VtrMemoryIndex *self)
{
  g_clear_pointer (&self->application, vtr_interval_index_free);
  g_clear_pointer (&self->exact, vtr_interval_index_free);
  g_clear_pointer (&self->maybe, vtr_interval_index_free);
  vtr_buffer_finish (&self->events);
  g_free (self->run_events);
  g_clear_pointer (&self->pools, g_array_unref);
  g_clear_pointer (&self->images, g_array_unref);
  g_free (self);
}

gsize
vtr_memory_index_get_bytes (const VtrMemoryIndex *self)
{
  return vtr_interval_index_get_bytes (self->application) +
         vtr_interval_index_get_bytes (self->exact) + vtr_interval_index_get_bytes (self->maybe) +
         self->events.capacity + self->n_runs * sizeof (guint32) +
         self->pools->len * sizeof (VtrMemoryPool) +
         self->images->len * sizeof (VtrMemoryImagePlace);
}

const VtrMemoryPool *
vtr_memory_index_find_pool (const VtrMemoryIndex *self,
                            guint32               id)
{
  guint low = 0, high = self->pools->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      const VtrMemoryPool *pool = &g_array_index (self->pools, VtrMemoryPool, middle);

      if (pool->id == id)
        return pool;
      if (pool->id < id)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

const VtrMemoryPool *
vtr_memory_index_find_place (const VtrMemoryIndex *self,
                             guint64               place)
{
  guint low = 0, high = self->pools->len;
  const VtrMemoryPool *pool;

  /* They were laid out in the order of their ids. */
  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (self->pools, VtrMemoryPool, middle).base <= place)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return NULL;
  pool = &g_array_index (self->pools, VtrMemoryPool, low - 1);
  return place - pool->base < pool->size ? pool : NULL;
}
