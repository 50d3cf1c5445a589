/* Small pictures for lists of traces. */
#pragma once

#include "engine/picture/vtr-image.h"

G_BEGIN_DECLS

/* Called again and again meanwhile: it may sleep. */
typedef void (*VtrThumbnailRest) (gpointer data);

/**
 * vtr_thumbnail_encode:
 * @image: all rows of a picture, or some that are equally far apart
 * @height: of the whole picture, in texels
 * @rest: (nullable): called with @data after each row of the thumbnail
 *
 * Returns: (transfer full): @image as an opaque PNG of 320 × 180 pixels at most, or NULL when its format cannot be
 * shown. Threading: any.
 */
GBytes *vtr_thumbnail_encode (const VtrImage   *image,
                              guint32           height,
                              VtrThumbnailRest  rest,
                              gpointer          data);

G_END_DECLS
