/* Makes the chains of transforms that answer questions about Vulkan's commands. */
#include "engine/vulkan/replay/vtr-vulkan-requests.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "base/vtr-number.h"
#include "engine/memory/vtr-targets.h"
#include "engine/state/vtr-resolve-error.h"
#include "engine/vulkan/transforms/vtr-transforms.h"
#include "vulkan/vtr-vulkan-formats.h"

/* --- Spaces ---------------------------------------------------------------------------------- */

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

/* What to read of an object, and by which function. */
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

/* A buffer or device memory, by its id; NULL: there is none. */
static const VtrObject *
get_object (const VtrReplayBasis *basis,
            guint32               id)
{
  const VtrObject *object = id != 0 ? vtr_history_get_object (basis->history, id) : NULL;

  return object != NULL && (object->type == VTR_HANDLE_VkBuffer ||
                            object->type == VTR_HANDLE_VkDeviceMemory)
           ? object
           : NULL;
}

/* Whether there is something to read when the command runs. */
gboolean
vtr_vulkan_check_space (const VtrReplayQuestion  *question,
                        GError                  **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (question->session);
  const VtrObject *object = get_object (basis, question->spaces[0].object);
  const guint64 stop = vtr_timeline_get_stop (basis->timeline, &question->place);
  const char *reason = NULL;

  if (object == NULL)
    return TRUE; /* describe_read() says it */
  if (object->created > stop)
    reason = _ ("The buffer or memory does not exist yet when this command runs.");
  else if (object->destroyed <= stop)
    reason = _ ("The buffer or memory has been destroyed before this command.");
  else if (object->type == VTR_HANDLE_VkBuffer &&
           vtr_history_get_memory_binding (basis->history, object->id) ==
             VTR_COMMAND_NO_INDEX)
    reason = _ ("No memory was ever bound to this buffer, so it has no contents.");
  if (reason == NULL)
    return TRUE;
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING, reason);
  return FALSE;
}

static VtrTransform *
space_chain (const VtrReplayQuestion  *question,
             guint64                  *end,
             GError                  **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (question->session);
  const VtrReplaySpace *space = &question->spaces[0];
  const VtrObject *object = get_object (basis, space->object);
  VtrReplayReadBytes what = { .offset = space->offset, .size = space->size, .post = space->post };
  VtrTransform *cut;

  if (!describe_read (basis, object, object != NULL ? object->handle : 0, &what, error))
    return NULL;
  cut = vtr_transform_cut_new (basis->timeline, basis->history, question->place.index,
                               question->place.run, end, error);
  if (cut == NULL)
    return NULL;
  return vtr_transform_chain (cut, vtr_transform_gpu_writes_new (question->poison),
                              vtr_transform_read_bytes_new (&what, VTR_COMMAND_NO_INDEX), NULL);
}

/* --- Targets --------------------------------------------------------------------------------- */

/* Work on which the images do not depend is not run. */
static VtrTransform *
skip_dead (const VtrReplayQuestion  *question,
           guint64                   end,
           GCancellable             *cancellable,
           GError                  **error)
{
  VtrTimeline *timeline = vtr_replay_session_get_basis (question->session)->timeline;
  VtrHistory *history = vtr_replay_session_get_basis (question->session)->history;
  VtrDeadWork *work = vtr_vulkan_get_dead_work (question->session, cancellable, error);
  const VtrPlace *cut = &question->place;
  guint32 submission = vtr_timeline_find_submission (timeline, end - 1);
  guint32 run = vtr_timeline_get_run_of (timeline, cut);
  guint64 last = cut->index;
  g_autofree guint64 *images = g_new (guint64, question->n_targets);
  guint32 n_last = G_MAXUINT32;

  if (work == NULL)
    return NULL;
  for (guint i = 0; i < question->n_targets; i++)
    images[i] = vtr_history_get_object (history, question->targets[i]->object)->handle;
  /* Of a secondary, the primary that runs it. */
  while (run != VTR_NO_RUN &&
         vtr_timeline_get_run (timeline, run)->parent != VTR_NO_RUN)
    {
      last = vtr_timeline_get_run (timeline, run)->executed_by;
      run = vtr_timeline_get_run (timeline, run)->parent;
    }
  if (run != VTR_NO_RUN && submission != VTR_NO_RECORDING)
    {
      const VtrSubmission *info = vtr_timeline_get_submission (timeline, submission);

      if (run >= info->first_run && run - info->first_run < info->n_runs)
        n_last = run - info->first_run + 1;
    }
  return vtr_transform_skip_dead_new (work, timeline, end - 1, n_last,
                                      run != VTR_NO_RUN ? last : G_MAXUINT64, images,
                                      question->n_targets);
}

static VtrTransform *
target_chain (const VtrReplayQuestion  *question,
              guint64                  *end,
              GCancellable             *cancellable,
              GError                  **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (question->session);
  VtrTransform *cut = vtr_transform_cut_new (basis->timeline, basis->history, question->place.index,
                                             question->place.run, end, error);
  VtrTransform *chain = cut;

  if (cut != NULL && !question->request->starts_inside &&
      vtr_replay_request_may_skip (question->request))
    {
      chain = skip_dead (question, *end, cancellable, error);
      if (chain == NULL)
        vtr_transform_free (cut);
      else
        vtr_transform_chain (chain, cut, NULL);
    }
  if (chain == NULL)
    return NULL;
  chain = vtr_transform_chain (chain, vtr_transform_gpu_writes_new (question->poison), NULL);
  for (guint i = 0; i < question->n_targets; i++)
    chain = vtr_transform_chain (
      chain, vtr_transform_read_target_new (basis->history, question->targets[i], i, i > 0), NULL);
  return chain;
}

/* --- Frames ---------------------------------------------------------------------------------- */

static void
present_found (guint64                   post,
               guint64                   index,
               const VtrReplayReadImage *read,
               gpointer                  data)
{
  const VtrReplayQuestion *question = data;
  const VtrTarget target = {
    .part = { .aspect = VTR_PIXEL_COLOR },
    .format = vtr_vulkan_format_get ((VkFormat)read->format),
    .width = read->width,
    .height = read->height,
    .samples = 1,
  };

  question->found (post, &target, index, question->data);
}

static VtrTransform *
named_space (const VtrReplayQuestion  *question,
             guint                     i,
             guint64                   end,
             GError                  **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (question->session);
  const VtrReplaySpace *space = &question->spaces[i];
  const VtrObject *object = find_read_object (basis->history, space->name, end);
  VtrReplayReadBytes read = { .size = space->size, .post = space->post };

  if (!describe_read (basis, object, space->name, &read, error))
    return NULL;
  end = MIN (end, vtr_target_find_last_readable (basis->memory, object));
  return vtr_transform_read_bytes_new (&read, end);
}

static VtrTransform *
frame_chain (VtrReplayQuestion  *question,
             guint64            *end,
             GError            **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (question->session);
  const guint64 to = question->place.index;
  VtrTransform *chain;

  *end = vtr_trace_get_n_commands (basis->trace);
  chain = vtr_transform_gpu_writes_new (question->poison);
  if (to != VTR_COMMAND_NO_INDEX && to + 1 < *end)
    {
      VtrTransform *cut =
        vtr_transform_cut_new (basis->timeline, basis->history, to, VTR_NO_RUN, end, error);

      if (cut == NULL)
        {
          vtr_transform_free (chain);
          return NULL;
        }
      chain = vtr_transform_chain (cut, chain, NULL);
    }
  if (question->images)
    chain = vtr_transform_chain (chain, vtr_transform_read_presents_new (present_found, question),
                                 NULL);
  for (guint i = 0; i < question->n_spaces; i++)
    {
      VtrTransform *read = named_space (question, i, *end, error);

      if (read == NULL)
        {
          vtr_transform_free (chain);
          return NULL;
        }
      chain = vtr_transform_chain (chain, read, NULL);
    }
  return chain;
}

VtrTransform *
vtr_vulkan_chain (VtrReplayQuestion  *question,
                  guint64            *end,
                  GCancellable       *cancellable,
                  GError            **error)
{
  switch (question->what)
    {
    case VTR_ASK_TARGETS:
      return target_chain (question, end, cancellable, error);
    case VTR_ASK_SPACE:
      return space_chain (question, end, error);
    default:
      return frame_chain (question, end, error);
    }
}
