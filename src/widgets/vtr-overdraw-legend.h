/* The legend of the overdraw overlay: a bar of colours with numbers.
 *
 * Threading: main. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VTR_TYPE_OVERDRAW_LEGEND (vtr_overdraw_legend_get_type ())
G_DECLARE_FINAL_TYPE (VtrOverdrawLegend, vtr_overdraw_legend, VTR, OVERDRAW_LEGEND, GtkWidget)

/* Sets the draws per pixel at both ends of the bar; 0 and 1: the default scale of
 * vtr_overdraw_get_position(). */
void vtr_overdraw_legend_set_range (VtrOverdrawLegend *self,
                                    double             low,
                                    double             high);

/* The number at tick @nth of the bar, and where it is, 0 to 1. Returns: FALSE after the last. */
gboolean vtr_overdraw_legend_get_tick (VtrOverdrawLegend *self,
                                       guint              nth,
                                       double            *count,
                                       double            *position);

G_END_DECLS
