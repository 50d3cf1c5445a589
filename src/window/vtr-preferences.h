/* The preferences window. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void vtr_preferences_show (GtkWindow *parent);

G_END_DECLS
