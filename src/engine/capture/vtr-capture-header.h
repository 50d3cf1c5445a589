/* Makes the vitrine.Header of a trace from the layer's hello message. */
#pragma once

#include "engine/format/vtr-trace-writer.h"
#include "wire/vtr-capture-proto.h"

G_BEGIN_DECLS

/* Threading: one at a time. */
typedef struct
{
  char *executable;
  char **arguments;
  gint64 start_time; /* Unix time, µs */
  guint pid;
  VtrWireApi apis[VTR_WIRE_MAX_APIS]; /* that could be recorded */
  guint64
    calibration[2]
               [2];  /* {CPU ticks, CLOCK_MONOTONIC ns}, at the beginning and at the last append */
  GBytes *thumbnail; /* PNG, of the recording at hand; NULL: none */
} VtrCaptureHeader;

void vtr_capture_header_init (VtrCaptureHeader       *self,
                              const VtrCaptureHello  *hello,
                              char                  **arguments);
void vtr_capture_header_clear (VtrCaptureHeader *self);

/* Appends the header as it is now; the last one in a file counts. Errors are kept by the writer. */
void vtr_capture_header_append (VtrCaptureHeader *self,
                                VtrTraceWriter   *writer);

G_END_DECLS
