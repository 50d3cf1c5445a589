/* How large text is on this screen. Layout thresholds and column widths scale with it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* 1: 96 dots per inch; 2: text at 200 %. From 0.75 to 4. Threading: main. */
double vtr_text_scale (GtkWidget *widget);
/* @size, given for 96 dots per inch, for text as large as it is. */
int vtr_text_scaled (GtkWidget *widget,
                     int        size);

G_END_DECLS
