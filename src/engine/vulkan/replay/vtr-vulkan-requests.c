/* Implements VtrRequestApi for Vulkan, and keeps the data of its replays. */
#include "vtr-config.h"

#include "engine/vulkan/replay/vtr-vulkan-requests.h"

#include <glib/gi18n-lib.h>

#include "engine/replay-session/vtr-replay-request-private.h"
#include "engine/vulkan/replay/vtr-replay-frame-state.h"
#include "engine/vulkan/replay/vtr-replay-submission-state.h"
#include "engine/vulkan/transforms/vtr-transforms.h"

/* --- What is found in the trace -------------------------------------------------------------- */

typedef struct
{
  VtrDeadWork *dead_work; /* NULL until it is first needed, as is all that follows */
  VtrQueryPlan *queries;
  VtrUncertainWrites *uncertain_writes;
} Found;

static gpointer
data_new (VtrReplaySession *session)
{
  return g_new0 (Found, 1);
}

static void
data_free (gpointer data)
{
  Found *self = data;

  g_clear_pointer (&self->dead_work, vtr_dead_work_free);
  g_clear_pointer (&self->queries, vtr_query_plan_free);
  g_clear_pointer (&self->uncertain_writes, vtr_uncertain_writes_free);
  g_free (self);
}

VtrDeadWork *
vtr_vulkan_get_dead_work (VtrReplaySession  *session,
                          GCancellable      *cancellable,
                          GError           **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (session);
  Found *self = vtr_replay_session_get_data (session, &vtr_api_vulkan);

  if (self->dead_work == NULL)
    self->dead_work = vtr_dead_work_build (basis->trace, basis->timeline, cancellable, error);
  return self->dead_work;
}

const VtrQueryPlan *
vtr_vulkan_get_queries (VtrReplaySession  *session,
                        GCancellable      *cancellable,
                        GError           **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (session);
  Found *self = vtr_replay_session_get_data (session, &vtr_api_vulkan);

  if (self->queries == NULL)
    self->queries = vtr_query_plan_build (basis->trace, basis->timeline, cancellable, error);
  return self->queries;
}

static const VtrUncertainWrites *
get_uncertain_writes (VtrReplaySession  *session,
                      GCancellable      *cancellable,
                      GError           **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (session);
  Found *self = vtr_replay_session_get_data (session, &vtr_api_vulkan);

  if (self->uncertain_writes == NULL)
    self->uncertain_writes = vtr_uncertain_writes_build (basis->memory, cancellable, error);
  return self->uncertain_writes;
}

static void
report_copy (guint64             index,
             const VtrQueryCopy *copy,
             gpointer            data)
{
  VtrStateMessage message = { .level = VTR_STATE_INFO, .index = index };

  if (!copy->times)
    return;
  message.text = g_strdup (_ ("This copies timestamps that the program never read, so a replay "
                              "copies its own."));
  g_array_append_val ((GArray *)data, message);
}

/* Results of queries that no replay has. */
static gboolean
find_unrepeatable (VtrReplaySession  *session,
                   GArray            *messages,
                   GCancellable      *cancellable,
                   GError           **error)
{
  const VtrQueryPlan *queries = vtr_vulkan_get_queries (session, cancellable, error);

  if (queries == NULL)
    return FALSE;
  vtr_query_plan_foreach (queries, report_copy, messages);
  return TRUE;
}

static gboolean
prepare (VtrReplaySession  *session,
         GCancellable      *cancellable,
         GError           **error)
{
  return vtr_vulkan_get_queries (session, cancellable, error) != NULL &&
         get_uncertain_writes (session, cancellable, error) != NULL;
}

/* --- What every replay needs ----------------------------------------------------------------- */

static VtrTransform *
complete (const VtrReplayRequest *request,
          VtrTransform           *chain,
          VtrReplayBuilder       *builder)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (request->session);
  VtrPlan *plan = vtr_replay_builder_get_plan (builder);
  VtrReplayPlan *own = plan != NULL ? vtr_plan_get (plan, &vtr_api_vulkan) : NULL;
  VtrTransform *queries;

  /* prepare () has made both, so neither can fail. */
  vtr_transform_gpu_writes_set_uncertain (chain,
                                          get_uncertain_writes (request->session, NULL, NULL));
  if (request->edit != NULL)
    chain = vtr_transform_chain (
      chain, vtr_transform_edit_new (request->edit->stream, basis->trace, own), NULL);
  queries = vtr_transform_query_results_new (vtr_vulkan_get_queries (request->session, NULL, NULL),
                                             basis->timeline, basis->history);
  chain = vtr_transform_chain (chain, queries, vtr_transform_replayable_new (),
                               vtr_transform_virtual_swapchain_new (), NULL);
  if (own != NULL && !vtr_replay_plan_is_same (own))
    chain = vtr_transform_chain (chain, vtr_transform_elsewhere_new (own), NULL);
  return chain;
}

/* --- What a replayer keeps ------------------------------------------------------------------- */

VtrVulkanKept *
vtr_vulkan_kept (VtrSessionReplayer *replayer)
{
  if (replayer->kept == NULL)
    {
      replayer->kept = g_new0 (VtrVulkanKept, 1);
      replayer->kept_by = &vtr_vulkan_requests;
    }
  return replayer->kept;
}

static void
drop (gpointer data)
{
  VtrVulkanKept *self = data;

  g_clear_pointer (&self->submission_state, vtr_replay_submission_state_free);
  g_clear_pointer (&self->frame_state, vtr_replay_frame_state_free);
}

static void
kept_free (gpointer data)
{
  VtrVulkanKept *self = data;

  drop (self);
  g_clear_pointer (&self->refused_frames, g_hash_table_unref);
  g_clear_pointer (&self->refused_submissions, g_hash_table_unref);
  g_free (self);
}

const VtrRequestApi vtr_vulkan_requests = {
  .data_new = data_new,
  .data_free = data_free,
  .prepare = prepare,
  .chain = vtr_vulkan_chain,
  .complete = complete,
  .check_space = vtr_vulkan_check_space,
  .count = vtr_vulkan_count_draws,
  .answer = vtr_vulkan_answer_request,
  .drop = drop,
  .kept_free = kept_free,
  .get_uncertain_writes = get_uncertain_writes,
  .find_unrepeatable = find_unrepeatable,
  .measure = vtr_vulkan_measure,
};
