/* Makes the thumbnail of a recording from the layer's copy of the presented image. */
#pragma once

#include "engine/picture/vtr-thumbnail.h"
#include "wire/vtr-wire-apis.h"

G_BEGIN_DECLS

/* @apis: of the process; @data: of its VTR_RECORD_PICTURE: a program may have put anything there. Returns: (transfer full): a
 * thumbnail as vtr_thumbnail_encode () makes it with @rest; NULL when the record makes no sense, or its format
 * cannot be shown. Threading: any. */
GBytes *vtr_capture_picture_make (const VtrWireApi  apis[VTR_WIRE_MAX_APIS],
                                  const void       *data,
                                  gsize             size,
                                  VtrThumbnailRest  rest,
                                  gpointer          rest_data);

G_END_DECLS
