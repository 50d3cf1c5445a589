/* Prepares a capture from the middle of a run in the frames before it begins, a part in each, so
 * that its first frame is short: allocates the buffer that the GPU copies contents to, and
 * starts watching mapped memory. (vtr-layer-picture.c prepares the memory and the thread for the
 * picture of the last frame in the same frames.) After the recording both are given back, a part
 * in each frame.
 *
 * $VITRINE_AHEAD, for tests: the number of mapped bytes from which they are watched before the
 * capture.
 *
 * Threading: one at a time, outside of calls of the program. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How many frames before the cut mapped memory begins to be watched. What the program writes in the last of these
 * frames is recorded once more after the cut. */
#define VTR_LAYER_AHEAD_FRAMES 16u

/* How many frames a cut that may come at any time is put off, so that there are frames before it. @frame_ms: how long
 * they take; a cut is not put off for frames that come seldom. */
uint32_t vtr_layer_ahead_count_frames (int64_t frame_ms);

/* Does a frame's part. @n_frames: until the cut; from 1 */
void vtr_layer_ahead_prepare (uint64_t n_frames);

/* No cut is planned: frees, in steps of a frame, data that was prepared, or used by the last
 * recording. @last: also data that is kept for another recording. Returns: whether there is
 * more. */
bool vtr_layer_ahead_tidy (bool last);
