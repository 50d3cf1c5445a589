/* Questions that a session answers by a replay, other than pictures: what an object holds, whole
 * replays, what the devices at hand lack. All of it runs on the session's worker. */
#include "engine/replay-session/vtr-replay-questions.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/format/vtr-number.h"
#include "engine/picture/vtr-image.h"
#include "engine/replay-session/vtr-replay-request.h"
#include "engine/memory/vtr-targets.h"
#include "engine/state/vtr-resolve-error.h"
#include "engine/vulkan/transforms/vtr-transforms.h"
#include "vulkan/vtr-vulkan-formats.h"

/* --- Memory ---------------------------------------------------------------------------------- */

/* The buffer or memory that a handle meant last, no later than @end. */
static const VtrObject *
find_read_object (VtrHistory *history,
                  guint64     handle,
                  guint64     end)
{
  const VtrObject *found = NULL;

  for (guint32 id = 1; id <= vtr_history_get_n_objects (history); id++)
    {
      const VtrObject *object = vtr_history_get_object (history, id);

      if (object->handle == handle && object->created < end &&
          (object->type == VTR_HANDLE_VkBuffer || object->type == VTR_HANDLE_VkDeviceMemory))
        found = object;
    }
  return found;
}

/* The part of an object to read, and the function that reads it. */
static gboolean
describe_read (const VtrReplayBasis  *basis,
               const VtrObject       *object,
               guint64                handle,
               VtrReplayReadBytes    *read,
               GError               **error)
{
  const VtrObject *device = object;

  while (device != NULL && device->type != VTR_HANDLE_VkDevice)
    device = device->parent != 0 ? vtr_history_get_object (basis->history, device->parent) : NULL;
  if (device == NULL)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("The trace has no buffer or device memory %s at this command"),
                   VTR_NUMBER_HEX (vtr_trace_get_driver_handle (basis->trace, handle)));
      return FALSE;
    }
  read->owner = device->handle;
  read->object = object->handle;
  read->kind = object->type;
  return TRUE;
}

typedef struct
{
  VtrReplaySession *session;
  const VtrReplayBasis *basis;
  VtrPlace place;
  const VtrObject *object; /* (nullable) */
  guint64 handle;
  guint64 offset, size;
  const VtrPictureEdit *edit; /* (nullable) */
  GCancellable *cancellable;
  GBytes *read;
  GError *error;
} MemoryJob;

static void
memory_posted (guint64       post,
               const guint8 *bytes,
               gsize         size,
               gpointer      data)
{
  MemoryJob *job = data;

  g_clear_pointer (&job->read, g_bytes_unref);
  if (size <= job->size)
    job->read = g_bytes_new (bytes, size);
}

/* Whether there is something to read when the command runs. */
static gboolean
check_readable (const MemoryJob  *job,
                GError          **error)
{
  const guint64 stop = vtr_timeline_get_stop (job->basis->timeline, &job->place);
  const char *reason = NULL;

  if (job->object == NULL)
    return TRUE; /* describe_read() says it */
  if (job->object->created > stop)
    reason = _ ("The buffer or memory does not exist yet when this command runs.");
  else if (job->object->destroyed <= stop)
    reason = _ ("The buffer or memory has been destroyed before this command.");
  else if (job->object->type == VTR_HANDLE_VkBuffer &&
           vtr_history_get_memory_binding (job->basis->history, job->object->id) ==
             VTR_COMMAND_NO_INDEX)
    reason = _ ("No memory was ever bound to this buffer, so it has no contents.");
  if (reason == NULL)
    return TRUE;
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING, reason);
  return FALSE;
}

static VtrTransform *
memory_chain (gpointer       data,
              guint64       *end,
              GCancellable  *cancellable,
              GError       **error)
{
  MemoryJob *job = data;
  gboolean poison = vtr_replay_session_get_poison (job->session);
  VtrReplayReadBytes what = { .offset = job->offset, .size = job->size };
  VtrTransform *cut;

  if (!describe_read (job->basis, job->object, job->handle, &what, error))
    return NULL;
  cut = vtr_transform_cut_new (job->basis->timeline, job->basis->history, job->place.index,
                               job->place.run, end, error);
  if (cut == NULL)
    return NULL;
  return vtr_transform_chain (cut, vtr_transform_gpu_writes_new (poison),
                              vtr_transform_read_bytes_new (&what, VTR_COMMAND_NO_INDEX),
                              NULL);
}

static void
memory_run (gpointer data)
{
  MemoryJob *job = data;
  VtrReplayRequest request = {
    .session = job->session, .edit = job->edit, .posted = memory_posted, .data = job
  };
  const guint32 flags = vtr_replay_session_get_poison (job->session) ? VTR_REPLAY_POISON : 0;
  VtrReplayOutcome outcome;

  if (check_readable (job, &job->error) &&
      vtr_picture_edit_check_stream (job->edit, vtr_replay_session_get_edits (job->session),
                                     job->basis->history, job->cancellable, &job->error) &&
      vtr_replay_request_answer (&request, &job->place, memory_chain, flags, &outcome,
                                 job->cancellable, &job->error) &&
      job->read == NULL)
    g_set_error_literal (&job->error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                         _ ("The replay finished without reading the bytes"));
}

static GBytes *
run_memory_job (MemoryJob  *job,
                GError    **error)
{
  vtr_replay_session_run (job->session, memory_run, job);
  if (job->error == NULL)
    return job->read;
  g_clear_pointer (&job->read, g_bytes_unref);
  g_propagate_error (error, job->error);
  return NULL;
}

GBytes *
vtr_replay_session_read_object (VtrReplaySession      *self,
                                const VtrPlace        *place,
                                guint32                object,
                                guint64                offset,
                                guint64                size,
                                const VtrPictureEdit  *edit,
                                GCancellable          *cancellable,
                                GError               **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (self);
  MemoryJob job = { .session = self,
                    .basis = basis,
                    .place = *place,
                    .offset = offset,
                    .size = size,
                    .edit = edit,
                    .cancellable = cancellable };

  if (object != 0 && object <= vtr_history_get_n_objects (basis->history))
    job.object = vtr_history_get_object (basis->history, object);
  if (job.object != NULL && job.object->type != VTR_HANDLE_VkBuffer &&
      job.object->type != VTR_HANDLE_VkDeviceMemory)
    job.object = NULL;
  job.handle = job.object != NULL ? job.object->handle : 0;
  return run_memory_job (&job, error);
}

/* --- Whole replays --------------------------------------------------------------------------- */

/* Posts of what is read, the first one's the highest; those of frames count from 0. */
#define READ_POST(i) (G_MAXUINT64 - (i))

typedef struct
{
  VtrReplaySession *session;
  const VtrReplayBasis *basis;
  const VtrReplayAllOptions *options;
  VtrReplayOutcome *outcome;
  GCancellable *cancellable;
  GHashTable *frames; /* post id → VtrImage without texels: what it will hold */
  guint64 n_given;    /* frames that the caller got */
  GBytes **read;      /* one for each object to read */
  gboolean ok;
  GError *error;
} ReplayAll;

typedef struct
{
  VkFormat format;
  guint32 width, height;
  guint64 index;
} Frame;

static void
present_found (guint64                   post,
               guint64                   index,
               const VtrReplayReadImage *read,
               gpointer                  data)
{
  ReplayAll *all = data;
  const Frame frame = { (VkFormat)read->format, read->width, read->height, index };

  g_hash_table_insert (all->frames, g_memdup2 (&post, sizeof post),
                       g_memdup2 (&frame, sizeof frame));
}

/* Whether the size of the frame is plausible, because the sender may lie. */
static gboolean
fits_frame (const Frame *frame,
            gsize        size)
{
  VtrPixelRows rows;

  return vtr_vulkan_format_get_rows (frame->format, VK_IMAGE_ASPECT_COLOR_BIT, frame->width,
                                     frame->height, 1, &rows) > 0 &&
         size <= rows.size;
}

static void
all_posted (guint64       post,
            const guint8 *bytes,
            gsize         size,
            gpointer      data)
{
  ReplayAll *all = data;
  const Frame *frame = g_hash_table_lookup (all->frames, &post);
  g_autoptr (GBytes) texels = NULL;
  g_autoptr (VtrImage) image = NULL;

  if (READ_POST (post) < all->options->n_read_objects)
    {
      GBytes **read = &all->read[READ_POST (post)];

      g_clear_pointer (read, g_bytes_unref);
      *read = g_bytes_new (bytes, size);
      return;
    }
  /* A second run for the sake of addresses begins anew. */
  if (frame == NULL || all->options->frame == NULL || post < all->n_given ||
      !fits_frame (frame, size))
    return;
  all->n_given = post + 1;
  texels = g_bytes_new (bytes, size);
  image = vtr_image_new (vtr_vulkan_format_get (frame->format), VTR_PIXEL_COLOR, frame->width,
                         frame->height, texels, all->error == NULL ? &all->error : NULL);
  if (image == NULL)
    return;
  image->after = frame->index;
  all->options->frame (post, image, all->options->data);
  g_hash_table_remove (all->frames, &post);
}

static void
all_progress (guint64  command,
              guint64  total,
              gpointer data)
{
  ReplayAll *all = data;

  if (all->options->progress != NULL)
    all->options->progress (command, total, all->options->data);
}

static VtrTransform *
read_object_transform (ReplayAll  *all,
                       guint       i,
                       guint64     end,
                       GError    **error)
{
  guint64 handle = all->options->read_objects[i];
  const VtrObject *object = find_read_object (all->basis->history, handle, end);
  VtrReplayReadBytes read = { .size = G_MAXUINT64, .post = READ_POST (i) };

  if (!describe_read (all->basis, object, handle, &read, error))
    return NULL;
  return vtr_transform_read_bytes_new (
    &read, MIN (end, vtr_target_find_last_readable (all->basis->memory, object)));
}

static VtrTransform *
all_chain (ReplayAll  *all,
           guint64    *end,
           GError    **error)
{
  const VtrReplayBasis *basis = all->basis;
  const VtrReplayAllOptions *options = all->options;
  VtrTransform *chain;

  *end = vtr_trace_get_n_commands (basis->trace);
  chain = vtr_transform_gpu_writes_new (options->poison);
  if (options->to != VTR_COMMAND_NO_INDEX && options->to + 1 < *end)
    {
      VtrTransform *cut = vtr_transform_cut_new (basis->timeline, basis->history, options->to,
                                                 VTR_NO_RUN, end, error);

      if (cut == NULL)
        {
          vtr_transform_free (chain);
          return NULL;
        }
      chain = vtr_transform_chain (cut, chain, NULL);
    }
  if (options->images)
    chain = vtr_transform_chain (chain, vtr_transform_read_presents_new (present_found, all), NULL);
  for (guint i = 0; i < options->n_read_objects; i++)
    {
      VtrTransform *read = read_object_transform (all, i, *end, error);

      if (read == NULL)
        {
          vtr_transform_free (chain);
          return NULL;
        }
      chain = vtr_transform_chain (chain, read, NULL);
    }
  return chain;
}

static gboolean
all_run (ReplayAll  *all,
         GError    **error)
{
  VtrReplayRequest request = {
    .session = all->session,
    .edit = all->options->edit,
    .posted = all_posted,
    .progress = all_progress,
    .data = all,
  };
  VtrTransform *chain = all_chain (all, &request.end, error);

  if (chain == NULL)
    return FALSE;
  if (!vtr_replay_request_run (&request, chain, all->options->poison ? VTR_REPLAY_POISON : 0,
                               all->outcome, all->cancellable, error))
    return FALSE;
  if (all->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&all->error));
      return FALSE;
    }
  for (guint i = 0; i < all->options->n_read_objects; i++)
    all->options->read_results[i] = g_steal_pointer (&all->read[i]);
  return TRUE;
}

static void
all_job (gpointer data)
{
  ReplayAll *all = data;
  VtrReplaySession *session = all->session;
  GError *error = NULL;

  all->ok =
    vtr_picture_edit_check_stream (all->options->edit, vtr_replay_session_get_edits (session),
                                   all->basis->history, all->cancellable, &error) &&
    all_run (all, &error);
  if (!all->ok && vtr_replay_session_guess_addresses (session, &error))
    all->ok = all_run (all, &error);
  g_clear_error (&all->error);
  all->error = error;
}

gboolean
vtr_replay_session_replay_all (VtrReplaySession           *self,
                               const VtrReplayAllOptions  *options,
                               VtrReplayOutcome           *outcome,
                               GCancellable               *cancellable,
                               GError                    **error)
{
  VtrReplayOutcome unused;
  ReplayAll all = {
    .session = self,
    .basis = vtr_replay_session_get_basis (self),
    .options = options,
    .outcome = outcome != NULL ? outcome : &unused,
    .cancellable = cancellable,
    .frames = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
    .read = g_new0 (GBytes *, options->n_read_objects),
  };

  memset (all.outcome, 0, sizeof *all.outcome);
  vtr_replay_session_run (self, all_job, &all);
  g_hash_table_unref (all.frames);
  for (guint i = 0; i < options->n_read_objects; i++)
    g_clear_pointer (&all.read[i], g_bytes_unref);
  g_free (all.read);
  if (all.error != NULL)
    g_propagate_error (error, all.error);
  return all.ok;
}

/* --- Compatibility --------------------------------------------------------------------------- */

typedef struct
{
  VtrReplaySession *session;
  GCancellable *cancellable;
  VtrCompatibility *compatibility;
  VtrPlan *plan;
  GError *error;
} CompatibilityJob;

static void
compatibility_run (gpointer data)
{
  CompatibilityJob *job = data;

  job->compatibility =
    vtr_replay_session_get_compatibility (job->session, job->cancellable, &job->error);
  if (job->compatibility == NULL)
    return;
  vtr_compatibility_ref (job->compatibility);
  job->plan = vtr_plan_ref (vtr_replay_session_peek_plan (job->session));
}

VtrCompatibility *
vtr_replay_session_find_compatibility (VtrReplaySession  *self,
                                       VtrPlan          **plan,
                                       GCancellable      *cancellable,
                                       GError           **error)
{
  CompatibilityJob job = { .session = self, .cancellable = cancellable };

  vtr_replay_session_run (self, compatibility_run, &job);
  if (job.error != NULL)
    g_propagate_error (error, job.error);
  if (plan != NULL)
    *plan = job.plan;
  else
    g_clear_pointer (&job.plan, vtr_plan_unref);
  return job.compatibility;
}

/* --- Uncertain writes ------------------------------------------------------------------------ */

typedef struct
{
  VtrReplaySession *session;
  GCancellable *cancellable;
  const VtrUncertainWrites *writes;
  GError *error;
} UncertainJob;

static void
uncertain_run (gpointer data)
{
  UncertainJob *job = data;

  job->writes =
    vtr_replay_session_get_uncertain_writes (job->session, job->cancellable, &job->error);
}

const VtrUncertainWrites *
vtr_replay_session_find_uncertain_writes (VtrReplaySession  *self,
                                          GCancellable      *cancellable,
                                          GError           **error)
{
  UncertainJob job = { .session = self, .cancellable = cancellable };

  vtr_replay_session_run (self, uncertain_run, &job);
  if (job.error != NULL)
    g_propagate_error (error, job.error);
  return job.writes;
}
