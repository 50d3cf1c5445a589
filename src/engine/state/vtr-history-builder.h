/* Functions with which an API fills a history that is being built (S1 of
 * src/engine/api/vtr-state-api.h). Threading: one worker. */
#pragma once

#include "engine/api/vtr-state-api.h"
#include "engine/state/vtr-lifetimes.h"
#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

VtrTrace *vtr_history_builder_get_trace (VtrHistoryBuilder *self);
/* (transfer none): valid as long as the history. */
VtrLifetimes *vtr_history_builder_get_lifetimes (VtrHistoryBuilder *self);

G_END_DECLS
