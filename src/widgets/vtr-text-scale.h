/* How large text is on this screen. Layout thresholds and column widths scale with it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The scale of text: 1 at 96 dots per inch, 2 at 200 %. From 0.75 to 4. Threading: main. */
double vtr_text_scale (GtkWidget *widget);
/* @size, which is given for 96 dots per inch, multiplied by the scale of text. */
int vtr_text_scaled (GtkWidget *widget,
                     int        size);

G_END_DECLS
