/* Measurements as JSON, and the options of their paths. Threading: any. */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/replay-session/vtr-timings-measure.h"
#include "engine/state/vtr-analysis.h"

G_BEGIN_DECLS

/* The answer to "frames/N/timings". (transfer full) */
JsonNode *vtr_timings_to_json (VtrAnalysis      *analysis,
                               const VtrTimings *timings);

/* Reads "by=draw&loops=5&warm=1" into @query, which already has the defaults. Errors:
 * VTR_RESOLVE_ERROR_PATH. */
gboolean vtr_timings_query_parse (const char       *text,
                                  VtrTimingsQuery  *query,
                                  GError          **error);

G_END_DECLS
