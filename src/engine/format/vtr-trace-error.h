/* The errors of whatever reads or writes a trace file, and the callback that reports its progress. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define VTR_TRACE_ERROR (vtr_trace_error_quark ())
GQuark vtr_trace_error_quark (void);

typedef enum
{
  VTR_TRACE_ERROR_FOREIGN, /* not a .gfxtrace */
  VTR_TRACE_ERROR_EMPTY,   /* a .gfxtrace without a header or commands */
  VTR_TRACE_ERROR_VERSION, /* a version this build does not read */
  VTR_TRACE_ERROR_DAMAGED, /* breaks the format where nothing can be saved */
  VTR_TRACE_ERROR_RANGE,   /* an index outside the trace was asked for */
  VTR_TRACE_ERROR_FILE,    /* missing, unreadable, or no ordinary file */
} VtrTraceError;

/* Called now and then with how much is done of how much, in any unit, on the thread that does it. */
typedef void (*VtrTraceProgress) (guint64 done,
                                  guint64 total,
                                  gpointer data);

G_END_DECLS
