/* Answers a request: from a snapshot if its API has one, or else from the beginning of the
 * trace. */
#include "engine/replay-session/vtr-replay-request.h"

#include "vtr-config.h"

#include <string.h>

#include "engine/replay-session/vtr-replay-request-private.h"
#include "engine/replay-session/vtr-request-api.h"

#define MOST_ATTEMPTS 3 /* at one request, when replayers die between two of its parts */

gboolean
vtr_replay_request_run_whole (VtrReplayRequest    *request,
                              VtrReplayMakeChain   make,
                              guint32              flags,
                              VtrReplayOutcome    *outcome,
                              GCancellable        *cancellable,
                              GError             **error)
{
  VtrTransform *chain = make (request->data, &request->end, cancellable, error);

  request->is_whole = TRUE;
  return chain != NULL &&
         vtr_replay_request_run (request, chain, flags, outcome, cancellable, error);
}

/* The API of the command at @place keeps states, if one does. */
static gboolean
answer (VtrReplayRequest    *request,
        const VtrPlace      *place,
        VtrReplayMakeChain   make,
        guint32              flags,
        VtrReplayOutcome    *outcome,
        GCancellable        *cancellable,
        GError             **error)
{
  VtrTrace *trace = vtr_replay_session_get_basis (request->session)->trace;
  const VtrRequestApi *api =
    vtr_request_api_get (place->index < vtr_trace_get_n_commands (trace)
                           ? vtr_trace_get_command_id (trace, place->index)
                           : VTR_CMD_NONE);

  memset (outcome, 0, sizeof *outcome);
  request->starts_inside = FALSE;
  request->is_whole = FALSE;
  if (api->answer != NULL)
    return api->answer (request, place, make, flags, outcome, cancellable, error);
  return vtr_replay_request_run_whole (request, make, flags, outcome, cancellable, error);
}

/* If a replayer dies while no request runs, that may be noticed only when a request is to go on
 * from its snapshot: a process that is being killed holds its socket for a while. No request is to
 * blame, and a new replayer makes the snapshot again. */
static gboolean
answer_with_new_snapshot (VtrReplayRequest    *request,
                          const VtrPlace      *address,
                          VtrReplayMakeChain   make,
                          guint32              flags,
                          VtrReplayOutcome    *outcome,
                          GCancellable        *cancellable,
                          GError             **error)
{
  g_autoptr (GError) failure = NULL;

  for (guint attempt = 0; attempt < MOST_ATTEMPTS; attempt++)
    {
      g_clear_error (&failure);
      if (answer (request, address, make, flags, outcome, cancellable, &failure))
        return TRUE;
      if (!g_error_matches (failure, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_LOST))
        break;
    }
  if (g_error_matches (failure, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_LOST))
    vtr_replay_request_note_end (request, failure);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

gboolean
vtr_replay_request_answer (VtrReplayRequest    *request,
                           const VtrPlace      *address,
                           VtrReplayMakeChain   make,
                           guint32              flags,
                           VtrReplayOutcome    *outcome,
                           GCancellable        *cancellable,
                           GError             **error)
{
  g_autoptr (GError) failure = NULL;

  if (answer_with_new_snapshot (request, address, make, flags, outcome, cancellable, &failure) ||
      (vtr_replay_session_guess_addresses (request->session, &failure) &&
       answer_with_new_snapshot (request, address, make, flags, outcome, cancellable, &failure)))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}
