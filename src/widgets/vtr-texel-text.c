/* Writes the values of one texel as text for the image viewer, and names its channels (RGBA,
 * Depth). */
#include "vtr-config.h"

#include "widgets/vtr-texel-text.h"

#include <glib/gi18n.h>
#include <math.h>

static void
append_value (GString *text, double value)
{
  if (text->len > 0)
    g_string_append (text, "  ");
  if (value == floor (value) && fabs (value) >= 2 && fabs (value) < 1e9)
    g_string_append_printf (text, "%.0f", value);
  else if (fabs (value) >= 1000 || (value != 0 && fabs (value) < .001))
    g_string_append_printf (text, "%.3e", value);
  else
    g_string_append_printf (text, "%.4f", value);
}

static const char *
name_channels (const VtrImage *image, guint n)
{
  if (image->aspect == VTR_PIXEL_DEPTH)
    return _ ("Depth");
  if (image->aspect == VTR_PIXEL_STENCIL)
    return _ ("Stencil");
  return n == 4 ? "RGBA" : n == 3 ? "RGB"
                         : n == 2 ? "RG"
                                  : "R";
}

char *
vtr_texel_text_new (VtrImage *image, guint32 x, guint32 y, const char **channels)
{
  GString *text = g_string_new (NULL);
  double values[4];
  guint n = vtr_image_read_texel (image, x, y, values);

  for (guint i = 0; i < n; i++)
    append_value (text, values[i]);
  *channels = name_channels (image, n);
  return g_string_free (text, FALSE);
}
