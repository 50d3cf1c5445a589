/* The layer's end of the control connection (wire/vtr-capture-proto.h) and of the ring.
 *
 * Threading: any. */
#pragma once

#include "wire/vtr-capture-proto.h"
#include "wire/vtr-ring-writer.h"

#include <stdbool.h>

/* Valid when vtr_layer_transport_start() has returned true. */
extern VtrRingWriter vtr_layer_ring;
extern uint32_t vtr_layer_options; /* VTR_CAPTURE_OPTION_* */
extern bool vtr_layer_live;        /* the ring was idle: recordings begin and end on request */

/* VtrRingHeader.mode, or a constant VTR_RING_MODE_OFF without a ring. */
extern const _Atomic uint32_t *_Atomic vtr_layer_mode;

/* The mode that the host wants now: VtrRingMode. */
static inline uint32_t
vtr_layer_get_mode (void)
{
  return atomic_load_explicit (atomic_load_explicit (&vtr_layer_mode, memory_order_relaxed),
                               memory_order_relaxed);
}

/* Whether ordinary calls are recorded now. */
static inline bool
vtr_layer_is_recording (void)
{
  return vtr_layer_get_mode () == VTR_RING_MODE_RECORD;
}

/* Whether the process can be recorded from again and again, from the middle of its run: what lives is
 * followed then even while nothing is recorded. Never changes once there is a ring. */
static inline bool
vtr_layer_is_live (void)
{
  return __builtin_expect (vtr_layer_live, 0);
}

/* Whether command buffers that begin now get a block. */
static inline bool
vtr_layer_is_encoding (void)
{
  return vtr_layer_get_mode () != VTR_RING_MODE_OFF;
}

/* Connects on the first call and blocks until the host has answered. Returns: whether it welcomed us. */
bool vtr_layer_transport_start (void);

/* Recording has ended forever: from now on every call passes through. */
void vtr_layer_transport_stop (void);

/* Has @forked called in the child of each fork(), where nothing is recorded any more. For constructors: at most
 * VTR_LAYER_FORK_HANDLERS. */
#define VTR_LAYER_FORK_HANDLERS 8u
void vtr_layer_transport_at_fork (void (*forked) (void));

/* Reports a rung of the ladder, once each. */
void vtr_layer_transport_rung (VtrCaptureRungKind  kind,
                               int32_t             result,
                               const char         *fact);

/* Reports the features hidden from the program to the host: lines, ended by NUL. */
void vtr_layer_transport_withheld (const VtrCaptureWithheld *withheld);

__attribute__ ((format (printf, 2, 3))) void vtr_layer_transport_notice (uint32_t level,
                                                                         const char *format,
                                                                         ...);
