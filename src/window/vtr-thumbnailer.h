/* Makes the thumbnails that the cards of the start page show. */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/* Remembers the image after @command as the thumbnail of @file, when there is one. The framebuffer pane asks for the same
 * image, so that it costs no replay of its own. Threading: main. */
void vtr_thumbnailer_run (VtrDocument  *document,
                          guint64       command,
                          GFile        *file,
                          GCancellable *cancellable);

G_END_DECLS
