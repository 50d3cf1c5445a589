/* What the replayer's process offers to the APIs under the replay machine.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-interpreter.h"

#include "base/vtr-log.h"

typedef struct
{
  void (*message) (void *data,
                   VtrLogLevel level,
                   const char *text);
  /* A broken rule, named by @id; @handles: what it is about. */
  void (*complain) (void *data,
                    VtrLogLevel level,
                    const char *id,
                    const char *text,
                    const uint64_t *handles,
                    uint32_t n_handles);
  /* Where to write @size > 0 bytes that are sent as post @id; NULL after vtr_vm_fail(). */
  uint8_t *(*post) (void     *data,
                    uint64_t  id,
                    uint64_t  size);
  /* For how long the request has run, without what it waited for the engine; nanoseconds. */
  uint64_t (*clock) (void *data);
  /* The calling thread is about to wait for the GPU: what can be done meanwhile may be done now. */
  void (*idle) (void *data);
  void *data;
} VtrReplayerHost;
