/* Paints overlays from counts over a picture. */
#include "engine/document/vtr-document-overlay.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/replay/vtr-replay-backend.h"

gboolean
vtr_overlay_is_counted (VtrOverlay overlay)
{
  return overlay == VTR_OVERLAY_WIREFRAME || overlay == VTR_OVERLAY_HIGHLIGHT ||
         overlay == VTR_OVERLAY_OVERDRAW;
}

static void
mix (guint8       *pixel,
     const guint8  color[3],
     double        part)
{
  for (guint c = 0; c < 3; c++)
    pixel[c] = (guint8)(pixel[c] * (1 - part) + color[c] * part + 0.5);
}

VtrImage *
vtr_overlay_paint (VtrOverlay   overlay,
                   VtrImage    *picture,
                   VtrImage    *counts,
                   GError     **error)
{
  static const guint8 line[3] = { 200, 255, 0 }, shape[3] = { 204, 26, 204 }, dark[3] = { 0 };
  const float *count = g_bytes_get_data (counts->texels, NULL);
  g_autoptr (GBytes) pixels = vtr_image_to_rgba8 (picture, 0, 1);
  gsize size = g_bytes_get_size (pixels);
  guint8 *out = g_memdup2 (g_bytes_get_data (pixels, NULL), size);
  g_autoptr (GBytes) painted = g_bytes_new_take (out, size);
  VtrImage *image;

  if (picture->width != counts->width || picture->height != counts->height)
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                           _ ("The overlay and the image differ in size."));
      return NULL;
    }
  for (gsize i = 0; i < size / 4; i++)
    {
      double part = MIN (1.0, (double)count[i]);

      if (overlay == VTR_OVERLAY_WIREFRAME)
        mix (&out[i * 4], line, part);
      else
        {
          mix (&out[i * 4], dark, 0.6 * (1 - part));
          mix (&out[i * 4], shape, 0.7 * part);
        }
      out[i * 4 + 3] = 255;
    }
  image = vtr_image_new (&vtr_pixel_rgba8_unorm, VTR_PIXEL_COLOR, picture->width,
                         picture->height, painted, error);
  if (image != NULL)
    {
      image->overlay = overlay;
      image->image = picture->image;
      image->after = picture->after;
      image->mip = picture->mip;
      image->layer = picture->layer;
      image->slice = picture->slice;
      image->sample = picture->sample;
      image->samples = picture->samples;
    }
  return image;
}
