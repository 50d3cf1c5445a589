/* Overlays that need counting: overdraw, and the coverage of single draws. */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/* Whether @overlay is one of them. */
gboolean vtr_overlay_is_counted (VtrOverlay overlay);

/* Lays what was counted over the picture: lines, or its shape. (transfer full) */
VtrImage *vtr_overlay_paint (VtrOverlay   overlay,
                             VtrImage    *picture,
                             VtrImage    *counts,
                             GError     **error);

G_END_DECLS
