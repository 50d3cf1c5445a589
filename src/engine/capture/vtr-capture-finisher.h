/* Trims single captured frames before they are shown to anybody. */
#pragma once

#include "engine/capture/vtr-capture-trace.h"

G_BEGIN_DECLS

/**
 * VtrCaptureFinisher:
 *
 * Works on a thread of its own, one trace after the other. Threading: main.
 */
typedef struct _VtrCaptureFinisher VtrCaptureFinisher;

VtrCaptureFinisher *vtr_capture_finisher_new (void);
/* Waits for the work that was pushed. */
void vtr_capture_finisher_free (VtrCaptureFinisher *self);

/* @trace: (transfer full): complete */
void vtr_capture_finisher_push (VtrCaptureFinisher *self,
                                VtrCaptureTrace    *trace);

/* Leaves the traces whole that are not trimmed yet. */
void vtr_capture_finisher_cancel (VtrCaptureFinisher *self);

/* Takes the next finished trace. @notice: (out) (transfer full): what could not be done; NULL if
 * all was. Returns: (transfer full): NULL if no trace is finished. */
VtrCaptureTrace *vtr_capture_finisher_pop (VtrCaptureFinisher  *self,
                                           char               **notice);

/* Whether there are traces that were not popped yet. */
gboolean vtr_capture_finisher_is_busy (VtrCaptureFinisher *self);

G_END_DECLS
