/* The four steps from launch to the first image: which are done, which one is under way, and
 * what is missing. */
#pragma once

#include <gtk/gtk.h>

#include "engine/capture/vtr-capture-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_LADDER (vtr_ladder_get_type ())
G_DECLARE_FINAL_TYPE (VtrLadder, vtr_ladder, VTR, LADDER, GtkWidget)

GtkWidget *vtr_ladder_new (void);
/* Shows the steps of @session; NULL: none is reached. */
void vtr_ladder_update (VtrLadder         *self,
                        VtrCaptureSession *session);
/* Whether the first missing rung has been waited for too long. */
gboolean vtr_ladder_get_stuck (VtrLadder *self);

G_END_DECLS
