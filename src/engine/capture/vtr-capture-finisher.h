/* What is done with single captured frames before anybody sees them: trimmed if wished, then given
   their picture if there is time. A picture costs a replay; a capture that has waited in line for
   long goes without one, and shows its own when it is opened. */
#pragma once

#include "engine/capture/vtr-capture-session.h"

G_BEGIN_DECLS

/**
 * VtrCaptureFinisher:
 *
 * Works on a thread of its own, one trace after the other. Threading: main.
 */
typedef struct _VtrCaptureFinisher VtrCaptureFinisher;

VtrCaptureFinisher *vtr_capture_finisher_new (gboolean trim);
/* Gives up the picture under way, and waits for the rest of that work. */
void vtr_capture_finisher_free (VtrCaptureFinisher *self);

/* @trace: (transfer full): complete */
void vtr_capture_finisher_push (VtrCaptureFinisher *self,
                                VtrCaptureTrace    *trace);

/* Somebody waits for the end: in @milliseconds pictures are given up, the one under way too. @all:
 * trimming likewise. */
void vtr_capture_finisher_hurry (VtrCaptureFinisher *self,
                                 guint               milliseconds,
                                 gboolean            all);

/* The next one that is done. @notice: (out) (transfer full): what could not be done; else NULL.
 * Returns: (transfer full): NULL when there is none. */
VtrCaptureTrace *vtr_capture_finisher_pop (VtrCaptureFinisher  *self,
                                           char               **notice);

/* Whether there are traces that were not popped yet. */
gboolean vtr_capture_finisher_is_busy (VtrCaptureFinisher *self);

G_END_DECLS
