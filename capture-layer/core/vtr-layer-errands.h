/* Work that only a context's own thread can do when a recording begins: each thread that has a context does it at the gate,
 * one after the other, while all are outside of calls.
 *
 * Threading: any. */
#pragma once

#include "vtr-layer-thread.h"

/* Has every thread with a context (vtr_layer_set_context()) do its errand, and @thread, the calling one, its own. The
 * gate is closed, and no other thread is inside. Returns: false when some thread did not come to
 * the gate by @deadline (CLOCK_MONOTONIC, ms). */
bool vtr_layer_errands_run (VtrLayerThread *thread,
                            int64_t         deadline);

/* For the gate: does the calling thread's errand, if it is waited for. */
void vtr_layer_errands_visit (VtrLayerGatePlace *place);
