/* Parses links to images. */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/* "objects/41", "objects/41/texture?mip=1", "commands/12/images/41", where 41 is an image or a view
 * of one. @query: VTR_IMAGE_QUERY_INIT before. Threading: main. */
gboolean vtr_texture_path_parse (VtrHistory *history, const char *path, VtrImageQuery *query);

G_END_DECLS
