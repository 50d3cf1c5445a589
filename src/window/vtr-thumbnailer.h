/* Makes the thumbnails that the cards of the start page show. */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/* Stores the image after @command, if there is one, as the thumbnail of @file. The framebuffer pane
 * requests the same image, so this causes no further replay. Threading: main. */
void vtr_thumbnailer_run (VtrDocument  *document,
                          guint64       command,
                          GFile        *file,
                          GCancellable *cancellable);

G_END_DECLS
