/* How the texels of an image become numbers for files and for the screen. Threading: any. */
#pragma once

#include "engine/picture/vtr-image-file.h"

G_BEGIN_DECLS

/* The texel at @texel of an image in .shown_format: @low to @high become 0 to 1; the texels of an
   overdraw overlay become its colours. Writes 4 numbers in [0, 1]. */
void vtr_image_texel_to_unit (const VtrImage       *self,
                              const VtrPixelFormat *info,
                              const guint8         *texel,
                              double                low,
                              double                high,
                              double                out[4]);

/* Rows @first to @first + @n_rows as vtr_image_to_rgba8 () makes them of all. @pixels: has room for them */
void vtr_image_rows_to_rgba8 (const VtrImage *self,
                              double          low,
                              double          high,
                              guint32         first,
                              guint32         n_rows,
                              guint8         *pixels);

/* Makes row @y of a PNG in @row. */
typedef void (*VtrImageReadRow) (gpointer data,
                                 guint32 y,
                                 guint8 *row);

/* Writes 8-bit RGB as a PNG, row by row and quickly. Returns: (transfer full): NULL when it cannot be encoded. */
GBytes *vtr_image_rows_to_png (guint32         width,
                               guint32         height,
                               VtrImageReadRow read_row,
                               gpointer        data);

/* Channels of @info, counted to the last of R, G, B, A; depth and stencil have one. */
guint vtr_image_count_channels (const VtrPixelFormat *info);

/* The first component that is no alpha and no shared exponent. */
const VtrPixelComponent *vtr_image_first_component (const VtrPixelFormat *info);

/* Formats whose values are no shares of 1. */
gboolean vtr_image_is_integer (VtrNumeric numeric);

/* Whole files. Errors: G_IO_ERROR. (transfer full) */
GBytes *vtr_image_to_ktx2 (VtrImage  *self,
                           GError   **error);
GBytes *vtr_image_to_pfm (VtrImage *self);

G_END_DECLS
