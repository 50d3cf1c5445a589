/* A widget that draws a thumbnail of a fixed size, and functions that make one from an image or
 * a PNG file. */
#include "vtr-config.h"

#include "widgets/vtr-thumb.h"

#include <string.h>

#include "engine/picture/vtr-image-file.h"

/* The largest width and height of a thumbnail in a trace. */
#define MOST_PIXELS 4096

struct _VtrThumb
{
  GtkWidget parent_instance;

  GdkTexture *texture;
  GtkWidget *placeholder;
  int width, height;
  double ratio;
  gboolean cover;
  gboolean bare; /* shows nothing without a texture */
};

G_DEFINE_FINAL_TYPE (VtrThumb, vtr_thumb, GTK_TYPE_WIDGET)

static void
vtr_thumb_dispose (GObject *object)
{
  VtrThumb *self = VTR_THUMB (object);

  g_clear_object (&self->texture);
  g_clear_pointer (&self->placeholder, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_thumb_parent_class)->dispose (object);
}

static GtkSizeRequestMode
vtr_thumb_get_request_mode (GtkWidget *widget)
{
  return VTR_THUMB (widget)->ratio > 0 ? GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH
                                       : GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

static void
vtr_thumb_measure (GtkWidget      *widget,
                   GtkOrientation  orientation,
                   int             for_size,
                   int            *minimum,
                   int            *natural,
                   int            *minimum_baseline,
                   int            *natural_baseline)
{
  VtrThumb *self = VTR_THUMB (widget);

  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? self->width : self->height;
  if (self->ratio > 0 && orientation == GTK_ORIENTATION_VERTICAL && for_size > 0)
    *minimum = *natural = (int)(for_size / self->ratio + .5);
}

static void
vtr_thumb_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  gtk_widget_allocate (VTR_THUMB (widget)->placeholder, width, height, baseline, NULL);
}

static void
vtr_thumb_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtrThumb *self = VTR_THUMB (widget);
  double width = gtk_widget_get_width (widget);
  double height = gtk_widget_get_height (widget);
  double across, down, scale;

  if (self->texture == NULL)
    {
      gtk_widget_snapshot_child (widget, self->placeholder, snapshot);
      return;
    }
  across = width / gdk_texture_get_width (self->texture);
  down = height / gdk_texture_get_height (self->texture);
  scale = self->cover ? MAX (across, down) : MIN (across, down);
  width = gdk_texture_get_width (self->texture) * scale;
  height = gdk_texture_get_height (self->texture) * scale;
  gtk_snapshot_append_texture (
    snapshot, self->texture,
    &GRAPHENE_RECT_INIT ((float)((gtk_widget_get_width (widget) - width) / 2),
                         (float)((gtk_widget_get_height (widget) - height) / 2), (float)width,
                         (float)height));
}

static void
vtr_thumb_class_init (VtrThumbClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_thumb_dispose;
  widget_class->get_request_mode = vtr_thumb_get_request_mode;
  widget_class->measure = vtr_thumb_measure;
  widget_class->size_allocate = vtr_thumb_size_allocate;
  widget_class->snapshot = vtr_thumb_snapshot;
  gtk_widget_class_set_css_name (widget_class, "vtrthumb");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
vtr_thumb_init (VtrThumb *self)
{
  self->placeholder = gtk_image_new_from_icon_name ("image-missing-symbolic");
  gtk_widget_add_css_class (self->placeholder, "thumb-placeholder");
  gtk_widget_set_parent (self->placeholder, GTK_WIDGET (self));
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *
vtr_thumb_new (int width, int height, double ratio)
{
  VtrThumb *self = g_object_new (VTR_TYPE_THUMB, NULL);

  self->width = width;
  self->height = height;
  self->ratio = ratio;
  return GTK_WIDGET (self);
}

void
vtr_thumb_set_texture (VtrThumb *self, GdkTexture *texture)
{
  if (!g_set_object (&self->texture, texture))
    return;
  gtk_widget_set_opacity (GTK_WIDGET (self), self->bare && texture == NULL ? 0 : 1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
vtr_thumb_set_placeholder (VtrThumb *self, gboolean placeholder)
{
  self->bare = !placeholder;
  gtk_widget_set_opacity (GTK_WIDGET (self), self->bare && self->texture == NULL ? 0 : 1);
}

GdkTexture *
vtr_thumb_get_texture (VtrThumb *self)
{
  return self->texture;
}

void
vtr_thumb_set_cover (VtrThumb *self, gboolean cover)
{
  self->cover = cover;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* The mean of the texels of a cell; every texel counts once, so thin lines do not flicker away. */
static void
average_cell (
  const guint8 *rgba, guint32 width, guint32 x0, guint32 x1, guint32 y0, guint32 y1, guint8 *out)
{
  guint64 sum[3] = { 0 };
  guint64 n = (guint64)(x1 - x0) * (y1 - y0);

  for (guint32 y = y0; y < y1; y++)
    for (guint32 x = x0; x < x1; x++)
      for (int c = 0; c < 3; c++)
        sum[c] += rgba[((gsize)y * width + x) * 4 + (gsize)c];
  for (int c = 0; c < 3; c++)
    out[c] = (guint8)(sum[c] / n);
  out[3] = 255;
}

static void
find_range (VtrImage *image, double *low, double *high)
{
  double least = G_MAXDOUBLE;
  double most = -G_MAXDOUBLE;
  double values[4];

  for (guint32 y = 0; y < image->height; y += MAX (1, image->height / 128))
    for (guint32 x = 0; x < image->width; x += MAX (1, image->width / 128))
      if (vtr_image_read_texel (image, x, y, values) > 0)
        {
          least = MIN (least, values[0]);
          most = MAX (most, values[0]);
        }
  if (least < most)
    {
      *low = least;
      *high = most;
    }
}

GdkTexture *
vtr_thumb_texture_from_image (VtrImage *image, int width, int height)
{
  double low = 0;
  double high = 1;
  g_autoptr (GBytes) rgba = NULL;
  g_autoptr (GBytes) small = NULL;
  double scale = MIN (1, MIN ((double)width / image->width, (double)height / image->height));
  guint32 out_width = MAX (1, (guint32)(image->width * scale));
  guint32 out_height = MAX (1, (guint32)(image->height * scale));
  const guint8 *from;
  guint8 *to;

  if (image->aspect != VTR_PIXEL_COLOR)
    find_range (image, &low, &high);
  else
    {
      const VtrImageRange range = vtr_image_find_range (image);

      low = range.low;
      high = range.high;
    }
  rgba = vtr_image_to_rgba8 (image, low, high);
  if (rgba == NULL || g_bytes_get_size (rgba) < (gsize)image->width * image->height * 4 ||
      image->width == 0)
    return NULL;
  from = g_bytes_get_data (rgba, NULL);
  to = g_malloc ((gsize)out_width * out_height * 4);
  for (guint32 y = 0; y < out_height; y++)
    for (guint32 x = 0; x < out_width; x++)
      {
        guint32 x0 = (guint32)((guint64)x * image->width / out_width);
        guint32 y0 = (guint32)((guint64)y * image->height / out_height);
        guint32 x1 = MAX (x0 + 1, (guint32)((guint64)(x + 1) * image->width / out_width));
        guint32 y1 = MAX (y0 + 1, (guint32)((guint64)(y + 1) * image->height / out_height));

        average_cell (from, image->width, x0, x1, y0, y1, to + ((gsize)y * out_width + x) * 4);
      }
  small = g_bytes_new_take (to, (gsize)out_width * out_height * 4);
  return gdk_memory_texture_new ((int)out_width, (int)out_height, GDK_MEMORY_R8G8B8A8, small,
                                 (gsize)out_width * 4);
}

/* The file may come from anybody, so its size is checked before memory is allocated. */
GdkTexture *
vtr_thumb_texture_from_png (GBytes *png)
{
  static const guint8 signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                                      0, 0, 0, 13, 'I', 'H', 'D', 'R' };
  gsize size;
  const guint8 *bytes = g_bytes_get_data (png, &size);
  guint32 width, height;

  if (size < sizeof signature + 2 * sizeof width ||
      memcmp (bytes, signature, sizeof signature) != 0)
    return NULL;
  memcpy (&width, bytes + sizeof signature, sizeof width);
  memcpy (&height, bytes + sizeof signature + sizeof width, sizeof height);
  if (GUINT32_FROM_BE (width) > MOST_PIXELS || GUINT32_FROM_BE (height) > MOST_PIXELS)
    return NULL;
  return gdk_texture_new_from_bytes (png, NULL);
}
