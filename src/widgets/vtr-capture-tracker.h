/* The row of the capture form that chooses how the layer finds writes to mapped memory. It
 * stores the choice in GSettings. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Threading: main. */
GtkWidget *vtr_capture_tracker_row_new (GSettings *settings);

G_END_DECLS
