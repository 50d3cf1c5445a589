/* The Textures pane: all images of the trace, and the contents of one of them after the selected
 * command, by replay. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

/* Opens by link at an image or image view: "objects/41", "objects/41/texture?mip=1&layer=2&slice=0&sample=3&aspect=depth",
 * "commands/12/images/41?…". */
#define VTR_TYPE_TEXTURE_VIEW (vtr_texture_view_get_type ())
G_DECLARE_FINAL_TYPE (VtrTextureView, vtr_texture_view, VTR, TEXTURE_VIEW, PanelWidget)

GtkWidget *vtr_texture_view_new (void);
/* The object id of the selected image; 0: none. */
guint32 vtr_texture_view_get_object (VtrTextureView *self);

G_END_DECLS
