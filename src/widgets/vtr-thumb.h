/* A thumbnail of a fixed size, scaled to fit or cropped to fill. */
#pragma once

#include <gtk/gtk.h>

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

#define VTR_TYPE_THUMB (vtr_thumb_get_type ())
G_DECLARE_FINAL_TYPE (VtrThumb, vtr_thumb, VTR, THUMB, GtkWidget)

/* @ratio: width / height when the width is given from outside (height for width); 0: @width ×
 * @height always. */
GtkWidget *vtr_thumb_new (int    width,
                          int    height,
                          double ratio);
void vtr_thumb_set_texture (VtrThumb   *self,
                            GdkTexture *texture);
GdkTexture *vtr_thumb_get_texture (VtrThumb *self);
/* Without a texture: an icon on a ground (the default), or nothing. */
void vtr_thumb_set_placeholder (VtrThumb *self,
                                gboolean  placeholder);
void vtr_thumb_set_cover (VtrThumb *self,
                          gboolean  cover);

/* A texture of at most @width × @height with the image's colours; blocks, any thread. NULL:
 * cannot be shown. */
GdkTexture *vtr_thumb_texture_from_image (VtrImage *image,
                                          int       width,
                                          int       height);

/* The picture that a trace carries. NULL: it is none, or larger than any that Vitrine writes. */
GdkTexture *vtr_thumb_texture_from_png (GBytes *png);

G_END_DECLS
