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

/* Connects on the first call and blocks until the host has answered. Returns: whether it welcomed us. */
bool vtr_layer_transport_start (void);

/* Recording has ended for good: from now on every call passes through. */
void vtr_layer_transport_stop (void);

/* Reports a rung of the ladder, once each. */
void vtr_layer_transport_rung (VtrCaptureRungKind  kind,
                               int32_t             result,
                               const char         *fact);

/* Tells the host what the program is not told of: lines, ended by NUL. */
void vtr_layer_transport_withheld (const VtrCaptureWithheld *withheld);

__attribute__ ((format (printf, 2, 3))) void vtr_layer_transport_notice (uint32_t level,
                                                                         const char *format,
                                                                         ...);
