/* The gate that every recorded call passes while recordings can begin at any frame boundary,
 * except those that are written into a block (vtr-layer-batch.h). It holds the program's threads while their state is written down.
 *
 * A thread is *inside* during a call that may change the tracked state, and *outside* in the
 * program's own code. A call that waits for the GPU or for another thread counts as outside
 * while the driver runs it. Closing the gate waits until no thread is inside. Calls into a block
 * need no gate: they only change a command list that is still being recorded, which is not part
 * of the state.
 *
 * Threading: any. */
#pragma once

#include "vtr-capture-api.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Where a thread is; part of its VtrLayerThread. */
struct VtrLayerGatePlace
{
  _Atomic uint32_t inside; /* 0: outside */
  const void *args;        /* of the call that is about to enter, if it signals; else NULL */
  uint32_t depth;          /* calls within calls; its own thread's */
  atomic_bool has_errand;  /* its thread has a context (vtr-layer-errands.h) */
  _Atomic uint32_t errand; /* the last round in which it has done its errand */
  VtrLayerGatePlace *next;
  VtrLayerGatePlace *previous;
};

/* For the threads of the program. */
void vtr_layer_gate_add (VtrLayerGatePlace *place);
void vtr_layer_gate_remove (VtrLayerGatePlace *place);
void vtr_layer_gate_enter (VtrLayerGatePlace *place,
                           VtrCmdId           cmd);
/* Like vtr_layer_gate_enter (), for a call that submits or signals. */
void vtr_layer_gate_enter_signaller (VtrLayerGatePlace *place,
                                     VtrCmdId           cmd,
                                     const void        *args);
void vtr_layer_gate_leave (VtrLayerGatePlace *place);

/* Around the driver's part of a call that may wait: others need not wait for it. @place is inside. */
void vtr_layer_gate_rest (VtrLayerGatePlace *place);
void vtr_layer_gate_resume (VtrLayerGatePlace *place);

/* Changes the state (vtr-capture-api.h). Closing it is for one thread at a time. */
void vtr_layer_gate_set (VtrLayerGateState state);

/* Closes an open gate for a short time, and waits until only @place is inside, which need not be
 * inside before. A thread that closes the gate meanwhile waits for @place. One thread at a time.
 * Returns: false, with everything as it was and @place outside, when that is not so by @deadline
 * (CLOCK_MONOTONIC, ms). */
bool vtr_layer_gate_pause (VtrLayerGatePlace *place,
                           int64_t            deadline);

/* Ends the pause; @place is outside. */
void vtr_layer_gate_go_on (VtrLayerGatePlace *place);

/* Whether a thread was let in since the gate was last opened, because it stayed closed for too
 * long. */
bool vtr_layer_gate_was_forced (void);

/* Whether only @self is inside by @deadline (CLOCK_MONOTONIC, ms). */
bool vtr_layer_gate_wait (const VtrLayerGatePlace *self,
                          int64_t                  deadline);

/* Whether every thread with a context has done its errand in @round. */
bool vtr_layer_gate_have_done (uint32_t round);

int64_t vtr_layer_now_ms (void);
