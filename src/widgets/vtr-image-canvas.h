/* Displays an image's texels: nearest-neighbour zoom, pan, channels, value range, flip, and the
 * texel under the pointer. */
#pragma once

#include <gtk/gtk.h>

#include "engine/document/vtr-document.h"
#include "widgets/vtr-image-paint.h"

G_BEGIN_DECLS

/**
 * VtrImageCanvas:
 *
 * A worker converts texels to display colours; the previous image stays until it is done.
 *
 * Properties: "scale" (device pixels per texel, readable), "fit" (follow the window's size), "flip" (upside down),
 * "channels" (VtrChannels).
 * Signals: "texel-changed" (): another texel is read out. "shown" (): the newest image is on
 * screen.
 * Threading: main.
 */
#define VTR_TYPE_IMAGE_CANVAS (vtr_image_canvas_get_type ())
G_DECLARE_FINAL_TYPE (VtrImageCanvas, vtr_image_canvas, VTR, IMAGE_CANVAS, GtkWidget)

GtkWidget *vtr_image_canvas_new (void);

/* Keeps zoom and pan if the size is that of the previous image. @description: for screen
 * readers. */
void vtr_image_canvas_set_image (VtrImageCanvas *self,
                                 VtrImage       *image,
                                 const char     *description);
VtrImage *vtr_image_canvas_get_image (VtrImageCanvas *self);

void vtr_image_canvas_set_channels (VtrImageCanvas *self,
                                    VtrChannels     channels);
VtrChannels vtr_image_canvas_get_channels (VtrImageCanvas *self);
/* Sets the values that are shown as black and as white. */
void vtr_image_canvas_set_range (VtrImageCanvas *self,
                                 double          low,
                                 double          high);
void vtr_image_canvas_set_flip (VtrImageCanvas *self,
                                gboolean        flip);
void vtr_image_canvas_set_fit (VtrImageCanvas *self,
                               gboolean        fit);
gboolean vtr_image_canvas_get_fit (VtrImageCanvas *self);
/* Zooms so that a texel has @scale device pixels, and leaves fit mode. The middle of the view
 * stays. */
void vtr_image_canvas_set_scale (VtrImageCanvas *self,
                                 double          scale);
double vtr_image_canvas_get_scale (VtrImageCanvas *self);

/* The texel under the pointer, else the selected one. Returns: FALSE: there is neither. */
gboolean vtr_image_canvas_get_texel (VtrImageCanvas *self,
                                     guint32        *x,
                                     guint32        *y);
/* Widget coordinates → texel; FALSE outside the image. */
gboolean vtr_image_canvas_pick (VtrImageCanvas *self,
                                double          widget_x,
                                double          widget_y,
                                guint32        *x,
                                guint32        *y);

G_END_DECLS
