/* A strip below the header bar for a lasting message: a sentence, one button, and a close
 * button. (AdwBanner came with libadwaita 1.3.) */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VTR_TYPE_BANNER (vtr_banner_get_type ())
G_DECLARE_FINAL_TYPE (VtrBanner, vtr_banner, VTR, BANNER, GtkWidget)

GtkWidget *vtr_banner_new (void);
/* @button, @detailed_action: NULL for none. Reveals. */
void vtr_banner_show (VtrBanner  *self,
                      const char *text,
                      const char *button,
                      const char *detailed_action);
/* Makes it a notice without a close button: its sentence holds until its button is pressed. */
void vtr_banner_set_quiet (VtrBanner  *self,
                           const char *icon_name);
void vtr_banner_hide (VtrBanner *self);
gboolean vtr_banner_get_shown (VtrBanner *self);

G_END_DECLS
