/* The Framebuffer pane: the selected command's attachments as they are after it, by replay. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_FRAMEBUFFER_VIEW (vtr_framebuffer_view_get_type ())
G_DECLARE_FINAL_TYPE (VtrFramebufferView, vtr_framebuffer_view, VTR, FRAMEBUFFER_VIEW, PanelWidget)

/* Shows @preview, such as the trace's thumbnail, pale until there is an image. @preview:
 * (nullable) */
void vtr_framebuffer_view_set_preview (VtrFramebufferView *self,
                                       GdkPaintable       *preview);

GtkWidget *vtr_framebuffer_view_new (void);
void vtr_framebuffer_view_set_session (VtrFramebufferView *self,
                                       VtrSession         *session);
/* The object id of the attachment's image that is shown or being loaded; 0: none. */
guint32 vtr_framebuffer_view_get_object (VtrFramebufferView *self);
/* The path of the image that is shown or being loaded. Errors: VTR_RESOLVE_ERROR_NOTHING. (transfer
 * full) */
char *vtr_framebuffer_view_dup_image_path (VtrFramebufferView  *self,
                                           GError             **error);
/* While TRUE, shows the end of the frame instead of the selection (Space held). */
void vtr_framebuffer_view_peek (VtrFramebufferView *self,
                                gboolean            peek);

G_END_DECLS
