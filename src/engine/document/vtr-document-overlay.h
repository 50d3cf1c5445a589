/* Overlays that need counting: overdraw, and the coverage of single draws (vtr-count.h). */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/* Whether @overlay is one of them. */
gboolean vtr_overlay_is_counted (VtrOverlay overlay);

/**
 * vtr_document_count_picture:
 * @picture: of an attachment, with such an overlay
 *
 * How often each pixel was drawn to, one float each. Outside a pass: all of the one before. Blocks; on
 * the replay worker. Errors: VTR_RESOLVE_ERROR_NOTHING, those of a replay. (transfer full)
 */
VtrImage *vtr_document_count_picture (VtrDocument       *document,
                                      const VtrPicture  *picture,
                                      GCancellable      *cancellable,
                                      GError           **error);

/* Paints the counted pixels over the picture: lines, or the shape. (transfer full) */
VtrImage *vtr_overlay_paint (VtrOverlay   overlay,
                             VtrImage    *picture,
                             VtrImage    *counts,
                             GError     **error);

G_END_DECLS
