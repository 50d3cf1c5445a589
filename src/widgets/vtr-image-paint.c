/* Converts an image's texels to displayable pixels in a worker thread, with the chosen value
 * range and channels. */
#include "vtr-config.h"

#include "widgets/vtr-image-paint.h"

typedef struct
{
  VtrImage *image;
  VtrChannels channels;
  double low, high;
  cairo_surface_t *surface;
} Painting;

static void
painting_free (gpointer data)
{
  Painting *job = data;

  vtr_image_unref (job->image);
  g_clear_pointer (&job->surface, cairo_surface_destroy);
  g_free (job);
}

/* One channel alone is shown in grey; alpha with colour as transparency; unused colours are
 * dropped. */
static guint32
display_pixel (const guint8 *rgba, VtrChannels channels)
{
  guint r = channels & VTR_CHANNEL_R ? rgba[0] : 0;
  guint g = channels & VTR_CHANNEL_G ? rgba[1] : 0;
  guint b = channels & VTR_CHANNEL_B ? rgba[2] : 0;
  guint a = 255;

  switch ((guint)channels)
    {
    case VTR_CHANNEL_R:
      g = b = r;
      break;
    case VTR_CHANNEL_G:
      r = b = g;
      break;
    case VTR_CHANNEL_B:
      r = g = b;
      break;
    case VTR_CHANNEL_A:
      r = g = b = rgba[3];
      break;
    default:
      if (channels & VTR_CHANNEL_A)
        {
          a = rgba[3];
          r = (r * a + 127) / 255;
          g = (g * a + 127) / 255;
          b = (b * a + 127) / 255;
        }
    }
  return a << 24 | r << 16 | g << 8 | b;
}

static void
paint_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Painting *job = data;
  g_autoptr (GBytes) rgba = vtr_image_to_rgba8 (job->image, job->low, job->high);
  const guint8 *from = rgba ? g_bytes_get_data (rgba, NULL) : NULL;
  guint8 *to;
  int stride;

  if (rgba == NULL || g_bytes_get_size (rgba) < (gsize)job->image->width * job->image->height * 4)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                               "This format cannot be shown");
      return;
    }
  job->surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int)job->image->width,
                                             (int)job->image->height);
  to = cairo_image_surface_get_data (job->surface);
  stride = cairo_image_surface_get_stride (job->surface);
  for (guint32 y = 0; to && y < job->image->height; y++)
    {
      guint32 *row = (guint32 *)(void *)(to + (gsize)y * (gsize)stride);

      if (g_cancellable_is_cancelled (cancellable))
        break;
      for (guint32 x = 0; x < job->image->width; x++, from += 4)
        row[x] = display_pixel (from, job->channels);
    }
  cairo_surface_mark_dirty (job->surface);
  if (!g_task_return_error_if_cancelled (task))
    g_task_return_boolean (task, TRUE);
}

void
vtr_image_paint_async (VtrImage            *image,
                       VtrChannels          channels,
                       double               low,
                       double               high,
                       GObject             *source,
                       GCancellable        *cancellable,
                       GAsyncReadyCallback  callback,
                       gpointer             data)
{
  g_autoptr (GTask) task = g_task_new (source, cancellable, callback, data);
  Painting *job = g_new0 (Painting, 1);

  job->image = vtr_image_ref (image);
  job->channels = channels;
  job->low = low;
  job->high = high;
  g_task_set_source_tag (task, vtr_image_paint_async);
  g_task_set_task_data (task, job, painting_free);
  g_task_run_in_thread (task, paint_worker);
}

cairo_surface_t *
vtr_image_paint_finish (GAsyncResult *result, GError **error)
{
  Painting *job = g_task_get_task_data (G_TASK (result));

  if (!g_task_propagate_boolean (G_TASK (result), error))
    return NULL;
  return g_steal_pointer (&job->surface);
}
