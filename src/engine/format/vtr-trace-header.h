/* The parts of the header of a Vitrine trace that VtrTraceInfo does not have. */
#pragma once

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* The message of the vitrine.Header that counts. (transfer none) (nullable) Threading: any. */
GBytes *vtr_trace_get_header (VtrTrace *self);

/* A picture of the first frame, as PNG. (transfer full) (nullable) Threading: any. */
GBytes *vtr_trace_dup_thumbnail (VtrTrace *self);

G_END_DECLS
