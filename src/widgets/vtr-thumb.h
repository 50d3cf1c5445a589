/* A thumbnail of a fixed size, scaled to fit or cropped to fill. */
#pragma once

#include <gtk/gtk.h>

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

#define VTR_TYPE_THUMB (vtr_thumb_get_type ())
G_DECLARE_FINAL_TYPE (VtrThumb, vtr_thumb, VTR, THUMB, GtkWidget)

/* @ratio: width / height, if the layout chooses the width; 0: always @width × @height. */
GtkWidget *vtr_thumb_new (int    width,
                          int    height,
                          double ratio);
void vtr_thumb_set_texture (VtrThumb   *self,
                            GdkTexture *texture);
GdkTexture *vtr_thumb_get_texture (VtrThumb *self);
/* @placeholder: without a texture, shows an icon on a background (the default), else nothing. */
void vtr_thumb_set_placeholder (VtrThumb *self,
                                gboolean  placeholder);
void vtr_thumb_set_cover (VtrThumb *self,
                          gboolean  cover);

/* A texture of the image of at most @width × @height. NULL: it cannot be shown. Blocks. Threading:
 * any. */
GdkTexture *vtr_thumb_texture_from_image (VtrImage *image,
                                          int       width,
                                          int       height);

/* The thumbnail in the header of a trace. NULL: the bytes are no image, or larger than any that
 * Vitrine writes. */
GdkTexture *vtr_thumb_texture_from_png (GBytes *png);

G_END_DECLS
