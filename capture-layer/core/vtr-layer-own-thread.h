/* Starts threads of the layer's own in the captured program.
 *
 * Threading: any. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct
{
  const char *name; /* at most 15 characters; debuggers show it */
  void (*run) (void);
  size_t stack_size; /* bytes; 0: the C library's default */
} VtrLayerOwnThread;

/* Starts a detached thread, with all signals blocked: the program's handlers run in the program's own
 * threads. @self must stay valid for ever. Returns: false if no thread can be started. */
bool vtr_layer_own_thread_start (const VtrLayerOwnThread *self);
