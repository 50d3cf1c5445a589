/* Starts and ends recordings in the middle of a run (docs/design/midrun.md).
 *
 * Used only in processes that were idle when they attached to their ring (vtr_layer_is_live()),
 * except for vtr_layer_trigger_is_last() and vtr_layer_trigger_is_ahead().
 *
 * Threading: any. */
#pragma once

#include "vtr-layer-thread.h"

/* The call that @thread is in ends a frame, which was counted just now. */
void vtr_layer_trigger_count (VtrLayerThread *thread);

/* Whether the frame under way is the last one of a recording, from launch or from the middle of a run. */
bool vtr_layer_trigger_is_last (void);

/* Whether a recording is asked for that begins with a later frame. */
bool vtr_layer_trigger_is_ahead (void);

/* It has left that call: begins or ends a recording if it is time. To be called outside of all locks, by
 * a thread that is inside no call of the layer's. */
void vtr_layer_trigger_boundary (VtrLayerThread *thread);
