/* Fences behind the work that queues have been given: how the layer learns that all of it has come to its end.
 *
 * Threading: any; one lock. */
#pragma once

#include "vtr-layer.h"

/* Submits a fence to each queue of each device that is followed. Nobody else may use the queues. Returns: false when a
 * driver did not accept one. */
bool vtr_layer_marks_set (void);

/* Returns: whether all queues came as far as they were marked by @deadline (CLOCK_MONOTONIC, ms). */
bool vtr_layer_marks_wait (int64_t deadline);

/* Waits for all queues of all devices; no other thread may use them. Returns: false when they are
 * not idle by
 * @deadline (CLOCK_MONOTONIC, ms). */
bool vtr_layer_marks_settle (int64_t deadline);

/* The device is about to be destroyed: gives back what a queue had not yet signalled. */
void vtr_layer_marks_forget (VtrLayerDevice *device);
