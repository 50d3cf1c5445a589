/* Describes a complete trace: VtrCaptureTrace. */
#include "vtr-capture-trace.h"

VtrCaptureTrace *
vtr_capture_trace_copy (const VtrCaptureTrace *self)
{
  VtrCaptureTrace *copy = g_memdup2 (self, sizeof *self);

  copy->path = g_strdup (self->path);
  return copy;
}

void
vtr_capture_trace_free (VtrCaptureTrace *self)
{
  if (self == NULL)
    return;
  g_free (self->path);
  g_free (self);
}
