/* The errors of requests about a trace. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define VTR_RESOLVE_ERROR (vtr_resolve_error_quark ())
GQuark vtr_resolve_error_quark (void);

typedef enum
{
  VTR_RESOLVE_ERROR_PATH,    /* not a path, or it names nothing */
  VTR_RESOLVE_ERROR_NOTHING, /* a valid request without an answer; the message says why (nothing was
                                drawn yet, …) */
} VtrResolveError;

G_END_DECLS
