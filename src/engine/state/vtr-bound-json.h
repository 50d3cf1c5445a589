/* The state of the API at a command, as JSON: the bound state, or all of it. */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-place.h"

G_BEGIN_DECLS

/* (transfer full). Errors: VTR_RESOLVE_ERROR_NOTHING for a command outside of command lists; those of decoding. Threading: any. */
JsonNode *vtr_bound_to_json (VtrAnalysis     *analysis,
                             const VtrPlace  *address,
                             GError         **error);

/* The part of the whole state after the command at @place that @steps name; empty: all. Blocks. (transfer full). Errors:
 * VTR_RESOLVE_ERROR; those of the trace. Threading: any. */
JsonNode *vtr_state_to_json (VtrAnalysis     *analysis,
                             const VtrPlace  *place,
                             char           **steps,
                             GCancellable    *cancellable,
                             GError         **error);

G_END_DECLS
