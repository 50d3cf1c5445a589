/* Making of VtrImage, for those who read images back. The rest is in vtr-document.h. */
#pragma once

#include "engine/resolve/vtr-document.h"

G_BEGIN_DECLS

/**
 * vtr_image_new:
 * @texels: (transfer none): rows without padding
 *
 * Returns: (transfer full): an image whose texels are those of one aspect of @format, or NULL
 * with @error when the bytes are too few or @format cannot be decoded. Threading: any.
 */
VtrImage *vtr_image_new (VkFormat                format,
                         VkImageAspectFlagBits   aspect,
                         guint32                 width,
                         guint32                 height,
                         GBytes                 *texels,
                         GError                **error);

G_END_DECLS
