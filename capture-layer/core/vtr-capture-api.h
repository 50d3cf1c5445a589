/* What the core of the capture layer asks an API that is recorded: the members C of docs/design/api.md (3.2).
 *
 * An API is a constant table, which vtr_capture_core_add_api() makes known once, before any of its calls is recorded.
 * Members may be NULL unless their comment says otherwise; then the answer is "no" and nothing is done.
 *
 * Threading: as each member says. The core holds none of its locks while it asks, unless a member says so. */
#pragma once

#include "api/vtr-api-ids.h"

#include <stdbool.h>
#include <stdint.h>

/* How far the gate is closed (vtr-layer-gate.h). */
typedef enum
{
  VTR_LAYER_GATE_OPEN,
  VTR_LAYER_GATE_AWAITED, /* all passes but what would give the device more work than what it has waits for,
                             and waits for all of its work */
  VTR_LAYER_GATE_SIGNALS, /* what may end somebody's wait passes: signals, submissions; and waits,
                             behind which they come */
  VTR_LAYER_GATE_CLOSED,
  VTR_LAYER_GATE_PAUSED, /* closed by vtr_layer_gate_pause() */
} VtrLayerGateState;

typedef enum
{
  VTR_QUIESCE_MARK, /* marks the end of the work that the device has been given */
  VTR_QUIESCE_WAIT, /* waits for the marks that were not reached yet */
} VtrQuiesceStep;

typedef struct
{
  const char *name;       /* for people and log files */
  VtrCmdId first_command; /* its commands are the @n_commands from this one on */
  uint32_t n_commands;

  /**
   * may_pass:
   * @state: VTR_LAYER_GATE_AWAITED or VTR_LAYER_GATE_SIGNALS
   * @args: of the call, if it gives the device work or may end a wait (vtr_layer_thread_enter_signaller()); else NULL
   *
   * C4. Whether a call passes the gate that is neither open nor closed. Asked by the thread that makes the call,
   * outside, again and again until it passes. NULL: nothing passes. What comes back from a wait is not asked for, and
   * passes.
   */
  bool (*may_pass) (VtrLayerGateState state,
                    VtrCmdId cmd,
                    const void *args);

  /**
   * quiesce:
   * @deadline: CLOCK_MONOTONIC, ms; of VTR_QUIESCE_WAIT
   *
   * C5. Does a step on the way to an idle device. The core controls the rest: it closes the gate, tries again, and
   * lets calls through that the marks wait for. Asked by the thread that makes the cut; all others are outside when it
   * marks. Returns: false when a mark could not be made, or some were not reached by @deadline.
   */
  bool (*quiesce) (VtrQuiesceStep step,
                   int64_t deadline);
} VtrCaptureApi;
