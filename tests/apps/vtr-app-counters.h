/* The shared file in which vtr-app-counter says which of its calls have returned.
 *
 * The program is killed at a random instant; whatever stands here then had returned, so a capture
 * must have it. Layout, little endian, native alignment:
 *
 *   VtrAppCountersHeader                              64 bytes
 *   char names[n_functions][VTR_APP_NAME]             NUL-padded command names
 *   VtrAppCountersThread threads[n_threads], each followed by uint64_t counts[n_functions]
 *
 * Each thread writes its own part only, a count after each call that returned.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define VTR_APP_COUNTERS_MAGIC "VTRCOUNT"
#define VTR_APP_NAME 64u

typedef struct
{
  char magic[8];
  uint32_t version; /* 1 */
  uint32_t n_threads;
  uint32_t n_functions;
  uint32_t ready; /* not 0 once the threads run */
  uint64_t pid;
  uint8_t reserved[32];
} VtrAppCountersHeader;

typedef struct
{
  uint64_t tid; /* gettid () */
  /* Returned calls of vkCmdSetStencilReference: the nth has the reference thread << 24 | n, so
   * that a hole or a double shows. */
  _Atomic uint64_t serial;
} VtrAppCountersThread;

_Static_assert(sizeof (VtrAppCountersHeader) == 64, "the header is 64 bytes");
_Static_assert(sizeof (VtrAppCountersThread) == 16, "a thread's part starts with 16 bytes");
