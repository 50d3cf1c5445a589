/* Converts an image's texels to displayable pixels in a worker thread: value range, channels,
 * and alpha as transparency. */
#pragma once

#include <cairo.h>

#include "engine/picture/vtr-image.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_CHANNEL_R = 1 << 0,
  VTR_CHANNEL_G = 1 << 1,
  VTR_CHANNEL_B = 1 << 2,
  VTR_CHANNEL_A = 1 << 3,
  VTR_CHANNEL_RGB = VTR_CHANNEL_R | VTR_CHANNEL_G | VTR_CHANNEL_B,
} VtrChannels;

/**
 * vtr_image_paint_async:
 * @low: the value shown as black.
 * @high: the value shown as white.
 * @source: what @callback gets as its source.
 *
 * One channel alone is shown in grey, alpha beside colours as transparency.
 */
void vtr_image_paint_async (VtrImage            *image,
                            VtrChannels          channels,
                            double               low,
                            double               high,
                            GObject             *source,
                            GCancellable        *cancellable,
                            GAsyncReadyCallback  callback,
                            gpointer             data);
/* Returns: (transfer full): as large as the image, premultiplied; NULL with @error set (a format that cannot be shown,
 * G_IO_ERROR_CANCELLED). */
cairo_surface_t *vtr_image_paint_finish (GAsyncResult  *result,
                                         GError       **error);

G_END_DECLS
