/* The traces that a capture session has made, with thumbnails, and the processes that loaded the
 * capture layer. */
#pragma once

#include <gtk/gtk.h>

#include "engine/capture/vtr-capture-session.h"

G_BEGIN_DECLS

/* Signal: "open" (gchar *path): a trace was chosen. Threading: main. */
#define VTR_TYPE_CAPTURE_TRACES (vtr_capture_traces_get_type ())
G_DECLARE_FINAL_TYPE (VtrCaptureTraces, vtr_capture_traces, VTR, CAPTURE_TRACES, GtkWidget)

GtkWidget *vtr_capture_traces_new (void);
void vtr_capture_traces_clear (VtrCaptureTraces *self);
/* Adds a trace, also to the recent traces. */
void vtr_capture_traces_add (VtrCaptureTraces      *self,
                             const VtrCaptureTrace *trace);
guint vtr_capture_traces_get_n (VtrCaptureTraces *self);
/* @processes: VtrCaptureProcessInfo; the list is shown if there is more than one. */
void vtr_capture_traces_set_processes (VtrCaptureTraces *self,
                                       GPtrArray        *processes);

G_END_DECLS
