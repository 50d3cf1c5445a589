/* The strip that gives an overview of one frame: buttons to step through frames, and the passes
 * in order along a ruler. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_FRAME_STRIP (vtr_frame_strip_get_type ())
G_DECLARE_FINAL_TYPE (VtrFrameStrip, vtr_frame_strip, VTR, FRAME_STRIP, GtkWidget)

void vtr_frame_strip_set_session (VtrFrameStrip *self,
                                  VtrSession    *session);
void vtr_frame_strip_set_compact (VtrFrameStrip *self,
                                  gboolean       compact);

G_END_DECLS
