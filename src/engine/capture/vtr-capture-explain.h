/* Explains in sentences why a capture has no trace, or none yet. */
#pragma once

#include "engine/capture/vtr-capture-hindrance.h"
#include "engine/capture/vtr-capture-registry.h"

G_BEGIN_DECLS

/* The facts for an explanation, besides those in the registry. */
typedef struct
{
  VtrCaptureRegistry *registry;
  const char *program;
  gboolean exited;
  int wait_status;
  gboolean stopped; /* by Vitrine */
  gboolean waiting; /* waits for a program started elsewhere */
  VtrCaptureHindrance hindrance;
} VtrCaptureSituation;

/* "ended with status 3", "was ended by signal 11 (Segmentation fault)". (transfer full) */
char *vtr_capture_explain_exit (const VtrCaptureSituation *situation);

/* How many programs were to be recorded and are not, and why. The registry is locked. (transfer
 * full) */
char *vtr_capture_explain_missed (const VtrCaptureRegistry *registry);

/* Why nothing registered. The registry is locked. */
GError *vtr_capture_explain_silence (const VtrCaptureSituation *situation);

/* Why nothing was recorded, although @entry registered. The registry is locked. */
GError *vtr_capture_explain_nothing (const VtrCaptureSituation *situation,
                                     VtrCaptureEntry           *entry);

/* Names the features of the driver that were hidden from the program, and how to show them; NULL:
 * none. The registry is locked. (transfer full) */
char *vtr_capture_explain_withheld (VtrCaptureRegistry *registry);

/* The first missing rung and its likely cause; NULL when none is missing. */
char *vtr_capture_explain_rungs (const VtrCaptureSituation *situation);

G_END_DECLS
