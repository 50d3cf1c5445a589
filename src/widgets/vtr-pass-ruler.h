/* The passes of a frame as blocks along a ruler of commands, with a playhead at the selection. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_PASS_RULER (vtr_pass_ruler_get_type ())
G_DECLARE_FINAL_TYPE (VtrPassRuler, vtr_pass_ruler, VTR, PASS_RULER, GtkWidget)

GtkWidget *vtr_pass_ruler_new (void);
/* Shows the passes of a frame, and moves the playhead to the session's selection. @session NULL:
 * shows nothing. */
void vtr_pass_ruler_set_frame (VtrPassRuler *self,
                               VtrSession   *session,
                               guint64       frame);

G_END_DECLS
