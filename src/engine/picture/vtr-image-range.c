/* Finds the range of values in an image, for display. */
#include "engine/picture/vtr-image-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "base/vtr-number.h"

const VtrPixelComponent *
vtr_image_first_component (const VtrPixelFormat *info)
{
  for (guint i = 0; i < info->n_components; i++)
    if (info->components[i].channel != 'A' && info->components[i].channel != 'E')
      return &info->components[i];
  return &info->components[0];
}

gboolean
vtr_image_is_integer (VtrNumeric numeric)
{
  return numeric == VTR_NUMERIC_UINT || numeric == VTR_NUMERIC_SINT ||
         numeric == VTR_NUMERIC_USCALED || numeric == VTR_NUMERIC_SSCALED;
}

static gboolean
has_alpha (const VtrPixelFormat *info)
{
  for (guint i = 0; i < info->n_components; i++)
    if (info->components[i].channel == 'A')
      return TRUE;
  return FALSE;
}

/* The least and the greatest value of all channels but alpha; NaN is passed over. */
static void
find_values (VtrImage             *self,
             const VtrPixelFormat *info,
             double               *least,
             double               *most)
{
  guint n = vtr_image_count_channels (info);

  if (n == 4 && info->n_components > 1)
    n = 3;
  *least = INFINITY;
  *most = -INFINITY;
  for (guint32 y = 0; y < self->height; y++)
    for (guint32 x = 0; x < self->width; x++)
      {
        double texel[4];

        vtr_image_read_texel (self, x, y, texel);
        for (guint c = 0; c < n; c++)
          {
            *least = MIN (*least, isnan (texel[c]) ? *least : texel[c]);
            *most = MAX (*most, isnan (texel[c]) ? *most : texel[c]);
          }
      }
  if (*least > *most)
    *least = *most = 0;
}

VtrImageRange
vtr_image_find_range (VtrImage *self)
{
  const VtrPixelFormat *info = self->shown_format;
  const VtrNumeric numeric = (VtrNumeric)vtr_image_first_component (info)->numeric;
  VtrImageRange range = { .low = 0, .high = 1, .least = 0, .most = 1 };

  if (self->overlay == VTR_OVERLAY_OVERDRAW || numeric == VTR_NUMERIC_UNORM ||
      numeric == VTR_NUMERIC_SRGB)
    return range;
  range.is_told = TRUE;
  if (numeric == VTR_NUMERIC_SNORM)
    {
      range.low = range.least = -1;
      return range;
    }
  find_values (self, info, &range.least, &range.most);
  if (vtr_image_is_integer (numeric))
    {
      range.low = MIN (range.least, 0);
      range.high = MAX (range.most, range.low + 1);
    }
  return range;
}

char *
vtr_image_describe_range (VtrImage *self)
{
  const VtrPixelFormat *info = self->shown_format;
  const VtrNumeric numeric = (VtrNumeric)vtr_image_first_component (info)->numeric;
  const VtrImageRange range = vtr_image_find_range (self);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *low = g_strdup (VTR_NUMBER_REAL (range.low));
  g_autofree char *high = g_strdup (VTR_NUMBER_REAL (range.high));

  if (!range.is_told)
    return NULL;
  g_string_append_printf (text, _ ("Values from %s to %s become black to white."), low, high);
  if (range.least < range.low || range.most > range.high)
    {
      g_autofree char *least = g_strdup (VTR_NUMBER_REAL (range.least));
      g_autofree char *most = g_strdup (VTR_NUMBER_REAL (range.most));

      g_string_append_c (text, ' ');
      g_string_append_printf (text,
                              _ ("The image has values from %s to %s: those outside are clipped. "
                                 "Save it as .ktx2, .pfm or .raw to keep them."),
                              least, most);
    }
  if (vtr_image_is_integer (numeric) && has_alpha (info))
    {
      g_string_append_c (text, ' ');
      g_string_append (text, _ ("Alpha is not saved. Save the image as .ktx2 or .raw to keep it."));
    }
  return g_strdup (text->str);
}
