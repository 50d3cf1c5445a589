/* The drop-down that chooses which overlay the Framebuffer pane shows. It lists all overlays of
 * the engine. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-edits.h"

G_BEGIN_DECLS

/* Threading: main. */
#define VTR_TYPE_OVERLAY_CHOOSER (vtr_overlay_chooser_get_type ())
G_DECLARE_FINAL_TYPE (VtrOverlayChooser, vtr_overlay_chooser, VTR, OVERLAY_CHOOSER, GtkWidget)

GtkWidget *vtr_overlay_chooser_new (void);
/* Shows and changes the overlay of @edits; NULL: of no trace. */
void vtr_overlay_chooser_set_edits (VtrOverlayChooser *self,
                                    VtrEdits          *edits);
/* Opens the list, with the focus in it. */
void vtr_overlay_chooser_popup (VtrOverlayChooser *self);

G_END_DECLS
