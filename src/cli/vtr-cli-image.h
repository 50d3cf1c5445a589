/* Images as files for programs to compare. Threading: any. */
#pragma once

#include "engine/resolve/vtr-document.h"

G_BEGIN_DECLS

/* Writes the texels as they are in memory behind a header of 32 bytes (FORMAT.md, “Raw images”). */
gboolean vtr_cli_save_raw (VtrImage    *image,
                           const char  *path,
                           GError     **error);

G_END_DECLS
