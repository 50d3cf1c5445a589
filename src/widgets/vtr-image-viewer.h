/* An image with tools to examine it: channels, value range, zoom, the texel under the pointer,
 * saving. */
#pragma once

#include "session/vtr-session.h"
#include "widgets/vtr-image-canvas.h"
#include "widgets/vtr-pane-state.h"

G_BEGIN_DECLS

/**
 * VtrImageViewer:
 *
 * The Framebuffer and the Textures pane show their images in one. A new image replaces the old one when it is ready; until
 * then the old one stays, pale and with a spinner after 200 ms.
 *
 * Threading: main.
 */
#define VTR_TYPE_IMAGE_VIEWER (vtr_image_viewer_get_type ())
G_DECLARE_FINAL_TYPE (VtrImageViewer, vtr_image_viewer, VTR, IMAGE_VIEWER, GtkWidget)

GtkWidget *vtr_image_viewer_new (void);
VtrImageCanvas *vtr_image_viewer_get_canvas (VtrImageViewer *self);

/* First in the tool row; still there to be used when a problem is shown. */
void vtr_image_viewer_add_tool (VtrImageViewer *self,
                                GtkWidget      *tool);
/* How the image that is shown differs from what the trace did: a mark over it. NULL: it does not. */
void vtr_image_viewer_set_badge (VtrImageViewer *self,
                                 const char     *text);

/* Where links and names of images come from; forgets the image. */
void vtr_image_viewer_set_session (VtrImageViewer *self,
                                   VtrSession     *session);
/* Stands pale where the image will be, and is called a preview, until the first one is shown. NULL: nothing does. */
void vtr_image_viewer_set_preview (VtrImageViewer *self,
                                   GdkPaintable   *preview);
/* Something was asked for: @wanted is the command (VTR_COMMAND_NO_INDEX: none in particular) it is to be shown after. */
void vtr_image_viewer_begin_loading (VtrImageViewer *self,
                                     guint64         wanted);
void vtr_image_viewer_end_loading (VtrImageViewer *self);
/* @description: for a screen reader. @save_name: of the file, without its suffix. @image NULL: shows nothing. Ends loading. */
void vtr_image_viewer_show (VtrImageViewer *self,
                            VtrImage       *image,
                            const char     *description,
                            const char     *save_name);
VtrImage *vtr_image_viewer_get_image (VtrImageViewer *self);

/* A card over the image, which becomes pale; the caller fills it. */
VtrPaneState *vtr_image_viewer_show_problem (VtrImageViewer *self);
void vtr_image_viewer_hide_problem (VtrImageViewer *self);
/* Adds a button to the card that takes it away. */
void vtr_image_viewer_offer_last_good (VtrImageViewer *self);

G_END_DECLS
