/* What a cut needs and can be had before it, a part in each frame, so that the frame of the cut takes no longer than
 * it has to: memory that the GPU copies to, and watching what is mapped. And the other way round: what is given back
 * frame by frame behind the end of a recording.
 *
 * $VITRINE_AHEAD, for tests: from how many mapped bytes on these are watched before the cut.
 *
 * Threading: one at a time, outside of calls of the program. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* So many frames before the cut mapped memory begins to be watched. What the program writes there in the last of them
 * is recorded once more. */
#define VTR_LAYER_AHEAD_FRAMES 16u

/* Whether so much memory is mapped that beginning to watch it takes longer than a frame may. */
bool vtr_layer_ahead_is_worth_waiting (void);

/* Does a frame's part. @n_frames: until the cut; from 1 */
void vtr_layer_ahead_prepare (uint64_t n_frames);

/* No cut is ahead: gives back a frame's part of what was prepared, or used by the last recording. @last: all of what
 * might be of use to another one, too. Returns: whether there is more. */
bool vtr_layer_ahead_tidy (bool last);
