/* Recording from the middle of a run: when it begins and ends (DESIGN §4, Trigger).
 *
 * Only in processes that were idle when they attached to their ring (vtr_layer_is_live()).
 *
 * Threading: any. */
#pragma once

#include "vtr-layer.h"

/* A frame has ended, the @frames-th: begins or ends a recording if it is time. To be called outside of
 * all locks, by a thread that is inside no call of the layer's. */
void vtr_layer_trigger_boundary (uint64_t frames);
