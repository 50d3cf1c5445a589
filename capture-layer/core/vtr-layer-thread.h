/* The layer's data for each thread of the program, and the log into which the thread writes records.
 *
 * Threading: any; each thread has its own state. */
#pragma once

#include "base/vtr-buffer.h"
#include "vtr-layer-gate.h"
#include "vtr-layer-transport.h"

#include <time.h>

/**
 * VtrLayerThread:
 *
 * What the layer keeps per thread of the application; freed when the thread ends.
 */
typedef struct VtrLayerThread VtrLayerThread;
struct VtrLayerThread
{
  VtrRingLog log;
  VtrBuffer scratch; /* messages being built, innermost call last */
  void *packed;      /* of vtr_layer_pack(); NULL: not needed yet */
  size_t packed_size;
  uint32_t id; /* gettid() */
  VtrLayerGatePlace place;
  struct VtrNamespace *context; /* that is current; NULL: none */
  bool boundary;                /* the call it is in ends a frame */
  bool last;                    /* which is the last one of a recording */
};

/* Both are the calling thread's; initial-exec keeps the access one instruction. */
extern _Thread_local __attribute__ ((tls_model ("initial-exec"))) VtrLayerThread *vtr_layer_self;
extern _Thread_local __attribute__ ((tls_model ("initial-exec"))) uint32_t vtr_layer_thread_id;

/* Returns: the calling thread's state, made on first use; NULL without memory. */
VtrLayerThread *vtr_layer_thread_get_slow (void);

static inline VtrLayerThread *
vtr_layer_thread_get (void)
{
  VtrLayerThread *self = vtr_layer_self;

  return __builtin_expect (self != NULL, 1) ? self : vtr_layer_thread_get_slow ();
}

/* C0. @context (nullable) is current on the calling thread from now on, and has its calls. */
void vtr_layer_set_context (struct VtrNamespace *context);

/* Commits the message that begins at @start of the scratch and takes it off. Returns: its ticket, or 0. */
uint64_t vtr_layer_thread_append (VtrLayerThread *self,
                                  uint16_t        type,
                                  uint16_t        flags,
                                  size_t          start);

/* Like vtr_layer_thread_append (), for a message of which parts lie elsewhere. @parts: all of it, in order; of
 * those without .data the bytes follow one another in the scratch. */
uint64_t vtr_layer_thread_append_parts (VtrLayerThread *self,
                                        uint16_t        type,
                                        size_t          start,
                                        VtrRingPart    *parts,
                                        size_t          n_parts);

/* Takes the message that begins at @start of the scratch off. */
void vtr_layer_thread_forget (VtrLayerThread *self,
                              size_t          start);

uint32_t vtr_layer_thread_get_id_slow (void);

/* gettid(), without the system call. */
static inline uint32_t
vtr_layer_thread_get_id (void)
{
  uint32_t id = vtr_layer_thread_id;

  return __builtin_expect (id != 0, 1) ? id : vtr_layer_thread_get_id_slow ();
}

/* Raw CPU ticks; vitrine.DeviceInfo relates them to clocks. */
static inline uint64_t
vtr_layer_ticks (void)
{
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc ();
#elif defined(__aarch64__)
  uint64_t ticks;

  __asm__ volatile("mrs %0, cntvct_el0"
                   : "=r"(ticks));
  return ticks;
#else
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}
