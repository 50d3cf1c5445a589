/* What is bound at a command, as JSON. */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-place.h"

G_BEGIN_DECLS

/* (transfer full). Errors: VTR_RESOLVE_ERROR_NOTHING for a command outside of command lists; those of decoding. Threading: any. */
JsonNode *vtr_bound_to_json (VtrAnalysis     *analysis,
                             const VtrPlace  *address,
                             GError         **error);

G_END_DECLS
