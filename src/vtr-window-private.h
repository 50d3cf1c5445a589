/* VtrWindow inside: what vtr-window-export.c needs of vtr-window.c. */
#pragma once

#include "vtr-window.h"

G_BEGIN_DECLS

/* @button NULL: without. @action takes @target, a string. */
void vtr_window_toast (VtrWindow  *self,
                       const char *text,
                       const char *button,
                       const char *action,
                       const char *target);
/* The path of the image that the framebuffer pane shows or is about to show. (transfer full) */
char *vtr_window_dup_image_path (VtrWindow  *self,
                                 GError    **error);

G_END_DECLS
