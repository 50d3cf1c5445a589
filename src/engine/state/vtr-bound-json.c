/* Writes bound state and the state after a command as JSON: asks the API of the command, or all
 * APIs of the trace. */
#include "engine/state/vtr-bound-json.h"

#include "engine/api/vtr-state-api.h"
#include "engine/state/vtr-resolve-error.h"
#include "engine/state/vtr-state-store.h"
#include "engine/state/vtr-state-view.h"

#include <glib/gi18n.h>

JsonNode *
vtr_bound_to_json (VtrAnalysis     *analysis,
                   const VtrPlace  *place,
                   GError         **error)
{
  VtrTrace *trace = vtr_analysis_get_trace (analysis);
  /* Before the first command there is none. */
  const VtrApi *api = place->index < vtr_trace_get_n_commands (trace)
                        ? vtr_api_get (vtr_trace_get_command_id (trace, place->index))
                        : NULL;

  if (api != NULL && api->state != NULL && api->state->bound_json != NULL)
    return api->state->bound_json (analysis, place, error);
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
               _ ("Bound state is unknown for commands of this graphics API."));
  return NULL;
}

JsonNode *
vtr_state_to_json (VtrAnalysis     *analysis,
                   const VtrPlace  *place,
                   char           **steps,
                   GCancellable    *cancellable,
                   GError         **error)
{
  g_autoptr (VtrApiState) state = vtr_state_store_get (
    vtr_analysis_get_states (analysis), place->index, place->run, cancellable, error);
  g_autoptr (VtrStateView) view = state != NULL ? vtr_state_view_new (analysis, state) : NULL;

  return view != NULL ? vtr_state_view_resolve (view, steps, cancellable, error) : NULL;
}
