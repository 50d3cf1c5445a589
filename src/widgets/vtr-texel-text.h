/* The values of one texel of an image as text. */
#pragma once

#include "engine/picture/vtr-image.h"

G_BEGIN_DECLS

/* The values of a texel. @channels: (out): the names of its channels, such as “RGBA”. (transfer
 * full) */
char *vtr_texel_text_new (VtrImage    *image,
                          guint32      x,
                          guint32      y,
                          const char **channels);

G_END_DECLS
