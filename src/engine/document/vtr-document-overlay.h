/* Paints overlays that are made of counts per pixel: overdraw, and the lines or the area of single draws. Threading: any. */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/* Whether @overlay is made of counts. */
gboolean vtr_overlay_is_counted (VtrOverlay overlay);

/* Paints @overlay over @picture. @counts: how often each pixel was drawn to; as large as @picture. Returns: (transfer full).
 * Errors: VTR_REPLAY_ERROR_PAYLOAD if the sizes differ. */
VtrImage *vtr_overlay_paint (VtrOverlay   overlay,
                             VtrImage    *picture,
                             VtrImage    *counts,
                             GError     **error);

G_END_DECLS
