/* A capture on this computer: launches a program with the layer, drains its ring into a trace. */
#pragma once

#include <gio/gio.h>

#include "engine/api/vtr-capture-error.h"
#include "engine/capture/vtr-capture-options.h"
#include "engine/capture/vtr-capture-progress.h"
#include "engine/capture/vtr-capture-trace.h"

G_BEGIN_DECLS

/**
 * VtrCaptureSession:
 *
 * Signals: "changed" (state, rungs, statistics: at most every 50 ms), "notice" (gchar *text),
 * "captured" (VtrCaptureTrace *trace): one more is complete; before the session is done.
 * Property: "state". Threading: main (all work happens on its own threads; signals come in the
 * creator's main context).
 */
#define VTR_TYPE_CAPTURE_SESSION (vtr_capture_session_get_type ())
G_DECLARE_FINAL_TYPE (VtrCaptureSession, vtr_capture_session, VTR, CAPTURE_SESSION, GObject)

/* Starts the program. Returns: (transfer full): or NULL with a sentence in @error. */
VtrCaptureSession *vtr_capture_session_start (const VtrCaptureOptions  *options,
                                              GError                  **error);

/* Begins a capture with one of the next frames of every process that has a device (Capture Frame
 * button, signal): it is prepared in some frames before. One that is being made is completed first.
 * FALSE with a sentence when none can be made now. */
gboolean vtr_capture_session_trigger (VtrCaptureSession  *self,
                                      GError            **error);

VtrCaptureTrigger vtr_capture_session_get_trigger (VtrCaptureSession *self);

/* Waits until all is complete. Result: path of the first trace (transfer full). */
void vtr_capture_session_wait_async (VtrCaptureSession   *self,
                                     GCancellable        *cancellable,
                                     GAsyncReadyCallback  callback,
                                     gpointer             data);
char *vtr_capture_session_wait_finish (VtrCaptureSession  *self,
                                       GAsyncResult       *result,
                                       GError            **error);

/* Ends the recording (Capture/Stop button, SIGINT). @end_program: then SIGTERM, after 2 s
 * SIGKILL. */
void vtr_capture_session_stop (VtrCaptureSession *self,
                               gboolean           end_program);

void vtr_capture_session_get_stats (VtrCaptureSession *self,
                                    VtrCaptureStats   *out);
/* The processes that loaded the layer, in that order: of VtrCaptureProcessInfo. (transfer full) */
GPtrArray *vtr_capture_session_list_processes (VtrCaptureSession *self);
/* @rung: VtrCaptureRungKind of wire/vtr-capture-proto.h */
void vtr_capture_session_get_rung (VtrCaptureSession  *self,
                                   guint               rung,
                                   VtrCaptureRungInfo *out);
/* One sentence naming the first missing rung and its likely cause; NULL when nothing is missing. */
char *vtr_capture_session_explain (VtrCaptureSession *self);
/* Features of the driver that were hidden from the program: extensions, "Vulkan 1.4". (transfer
 * full) */
char **vtr_capture_session_dup_withheld (VtrCaptureSession *self);
const char *vtr_capture_session_get_path (VtrCaptureSession *self);
/* When all is done and there is a trace: a sentence on the signal that ended the program, which is also
 * the last of the notices; NULL: none did, or it was ours. */
const char *vtr_capture_session_get_ending (VtrCaptureSession *self);
/* Of VtrCaptureTrace, in order of completion. (transfer none) */
GPtrArray *vtr_capture_session_get_traces (VtrCaptureSession *self);
const char *vtr_capture_session_get_program (VtrCaptureSession *self);

G_END_DECLS
