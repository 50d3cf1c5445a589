/* Counts frames, which recordings begin and end with.
 *
 * Threading: any. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Counts a frame that was presented with @result; ends recording when it was the last one wanted. Within
 * vtr_layer_thread_enter() and vtr_layer_thread_leave(), which begins and ends recordings of a part of a
 * run. */
void vtr_layer_count_frame (int32_t result);

/* Counts a submission, which ends a frame in programs that cannot present. */
void vtr_layer_count_submission (void);

/* Something was @made, or has ended, with which the program may come to present: a program that has nothing such ends
 * its frames by submissions from the first one on. */
void vtr_layer_count_presenter (bool made);

/* The program has something to present to. */
void vtr_layer_count_surface (void);
