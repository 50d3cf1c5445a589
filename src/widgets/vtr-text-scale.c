/* Scales pixel widths with the user's text size. */
#include "vtr-config.h"

#include "widgets/vtr-text-scale.h"

#define USUAL_DPI (96 * 1024)

double
vtr_text_scale (GtkWidget *widget)
{
  int dpi = -1;

  g_object_get (gtk_widget_get_settings (widget), "gtk-xft-dpi", &dpi, NULL);
  return dpi > 0 ? CLAMP ((double)dpi / USUAL_DPI, .75, 4) : 1;
}

int
vtr_text_scaled (GtkWidget *widget, int size)
{
  return (int)(size * vtr_text_scale (widget) + .5);
}
