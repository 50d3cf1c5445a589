/* How writes to mapped memory are found: a row of the capture form, which keeps its choice in the settings. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Threading: main. */
GtkWidget *vtr_capture_tracker_row_new (GSettings *settings);

G_END_DECLS
