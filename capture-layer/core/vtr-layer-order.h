/* The order of all that happens to followed objects, and why no recording can begin in a process.
 *
 * Threading: any, without a lock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define VTR_LAYER_RECENT_FRAMES 4u
#define VTR_LAYER_NO_MEMORY "The program ran out of memory while its objects were being followed"

/* Why no recording can begin in this process; "" if one can. */
const char *vtr_layer_live_get_failure (void);
__attribute__ ((format (printf, 1, 2))) void vtr_layer_live_fail (const char *format,
                                                                  ...);

/* Returns: a number that no call has had before. */
uint64_t vtr_layer_live_next_order (void);

/* A frame has ended. */
void vtr_layer_live_note_frame (void);

/* How many have. */
uint32_t vtr_layer_live_count_frames (void);

/* Returns: an order; whatever has a higher one happened in the last few frames. 0: the program has not made
 * that many frames yet. */
uint64_t vtr_layer_live_get_recent_order (void);
