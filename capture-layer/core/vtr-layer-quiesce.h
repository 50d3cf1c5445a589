/* Brings the program to rest for the start of a mid-run capture: all threads outside of
 * calls, the device idle.
 *
 * Threading: one thread at a time. */
#pragma once

#include "vtr-layer-thread.h"

/**
 * vtr_layer_quiesce_begin:
 * @thread: the calling one
 *
 * Closes the gate and waits for the GPU, half a second at most. If nothing moves, the calls that GPU work waits
 * for are let through, then all calls that may end another wait (signals, events, submissions), and at last,
 * for a moment, every call. Returns: NULL, or why the device did not come to rest; vtr_layer_quiesce_end() has to
 * follow in both cases.
 */
const char *vtr_layer_quiesce_begin (VtrLayerThread *thread);
void vtr_layer_quiesce_end (VtrLayerThread *thread);

/* Like vtr_layer_quiesce_begin (), at the end of a recording, which must contain the signals that its last
 * submissions wait for. Returns: whether it does. */
bool vtr_layer_quiesce_begin_last (VtrLayerThread *thread);

/* The program has something by which the host can make the device wait. */
void vtr_layer_quiesce_note_host_waits (void);
