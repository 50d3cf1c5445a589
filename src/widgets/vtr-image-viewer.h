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

/* Adds @tool at the start of the tool row. It stays usable while a problem is shown. */
void vtr_image_viewer_add_tool (VtrImageViewer *self,
                                GtkWidget      *tool);
/* Shows over the image how it differs from the trace, such as an overlay. NULL: it does not
 * differ. */
void vtr_image_viewer_set_badge (VtrImageViewer *self,
                                 const char     *text);

/* Sets the session, which resolves links and names of images, and drops the image. */
void vtr_image_viewer_set_session (VtrImageViewer *self,
                                   VtrSession     *session);
/* Shows @preview pale, marked as a preview, until the first image is shown. NULL: nothing. */
void vtr_image_viewer_set_preview (VtrImageViewer *self,
                                   GdkPaintable   *preview);
/* An image was requested. @wanted: the command after which it is shown; VTR_COMMAND_NO_INDEX: no
 * particular one. */
void vtr_image_viewer_begin_loading (VtrImageViewer *self,
                                     guint64         wanted);
void vtr_image_viewer_end_loading (VtrImageViewer *self);
/* Shows @image and ends loading; NULL: nothing. @description: for screen readers. @save_name: the
 * suggested file name, without its suffix. */
void vtr_image_viewer_show (VtrImageViewer *self,
                            VtrImage       *image,
                            const char     *description,
                            const char     *save_name);
VtrImage *vtr_image_viewer_get_image (VtrImageViewer *self);

/* Shows a card over the pale image. (transfer none): the card, for the caller to fill. */
VtrPaneState *vtr_image_viewer_show_problem (VtrImageViewer *self);
void vtr_image_viewer_hide_problem (VtrImageViewer *self);
/* Adds a button to the card that removes it and shows the last good image. */
void vtr_image_viewer_offer_last_good (VtrImageViewer *self);

G_END_DECLS
