/* A trace that a capture made. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A trace that is complete. */
typedef struct
{
  char *path;
  guint pid;
  guint nth;           /* of its process, from 1 */
  guint64 first_frame; /* its first frame's number in the run of the program, from 0 */
  guint64 frames;
  guint64 commands;
  guint64 draws;
  guint64 bytes;
} VtrCaptureTrace;

VtrCaptureTrace *vtr_capture_trace_copy (const VtrCaptureTrace *self);
void vtr_capture_trace_free (VtrCaptureTrace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrCaptureTrace, vtr_capture_trace_free)

G_END_DECLS
