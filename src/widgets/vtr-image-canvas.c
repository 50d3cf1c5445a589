/* Displays an image in the Framebuffer and Textures panes: zoom, pan, fit, and the texel under
 * the pointer. */
#include "vtr-config.h"

#include "widgets/vtr-image-canvas-private.h"

#include <math.h>

#define MARGIN 10
#define SCALE_MIN 0.01
#define SCALE_MAX 64.0
#define CHECKER 8

G_DEFINE_FINAL_TYPE (VtrImageCanvas, vtr_image_canvas, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_SCALE,
  PROP_FIT,
  PROP_FLIP,
  PROP_CHANNELS,
  N_PROPS
};

enum
{
  TEXEL_CHANGED,
  SHOWN,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

/* --- geometry -------------------------------------------------------------------------------- */

static double
fit_scale (VtrImageCanvas *self)
{
  double width = MAX (gtk_widget_get_width (GTK_WIDGET (self)) - 2 * MARGIN, 1);
  double height = MAX (gtk_widget_get_height (GTK_WIDGET (self)) - 2 * MARGIN, 1);
  double scale;

  if (self->width == 0 || self->height == 0)
    return 1;
  scale = MIN (width / self->width, height / self->height);
  /* Small images grow by whole factors only, so that texels stay square. */
  if (scale > 1)
    scale = floor (scale) > 1 && self->width < 256 ? floor (scale) : scale;
  return CLAMP (scale, SCALE_MIN, SCALE_MAX);
}

double
vtr_image_canvas_get_scale (VtrImageCanvas *self)
{
  return self->fit ? fit_scale (self) : self->scale;
}

/* Top left corner of the image in widget coordinates. */
static void
get_origin (VtrImageCanvas *self, double *x, double *y)
{
  double scale = vtr_image_canvas_get_scale (self);
  double center_x = self->fit ? self->width / 2.0 : self->center_x;
  double center_y = self->fit ? self->height / 2.0 : self->center_y;

  *x = round (gtk_widget_get_width (GTK_WIDGET (self)) / 2.0 - center_x * scale);
  *y = round (gtk_widget_get_height (GTK_WIDGET (self)) / 2.0 - center_y * scale);
}

void
vtr_image_canvas_leave_fit (VtrImageCanvas *self)
{
  if (!self->fit)
    return;
  self->scale = fit_scale (self);
  self->center_x = self->width / 2.0;
  self->center_y = self->height / 2.0;
  self->fit = FALSE;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FIT]);
}

void
vtr_image_canvas_clamp_center (VtrImageCanvas *self)
{
  self->center_x = CLAMP (self->center_x, 0, self->width);
  self->center_y = CLAMP (self->center_y, 0, self->height);
}

void
vtr_image_canvas_zoom_at (VtrImageCanvas *self, double scale, double x, double y)
{
  double dx = x - gtk_widget_get_width (GTK_WIDGET (self)) / 2.0;
  double dy = y - gtk_widget_get_height (GTK_WIDGET (self)) / 2.0;

  if (self->width == 0)
    return;
  vtr_image_canvas_leave_fit (self);
  scale = CLAMP (scale, SCALE_MIN, SCALE_MAX);
  /* Zooms so that the texel below (x, y) stays there. */
  self->center_x += dx / self->scale - dx / scale;
  self->center_y += dy / self->scale - dy / scale;
  self->scale = scale;
  vtr_image_canvas_clamp_center (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCALE]);
  vtr_image_canvas_texel_changed (self);
}

void
vtr_image_canvas_texel_changed (VtrImageCanvas *self)
{
  g_signal_emit (self, signals[TEXEL_CHANGED], 0);
}

gboolean
vtr_image_canvas_pick (
  VtrImageCanvas *self, double widget_x, double widget_y, guint32 *x, guint32 *y)
{
  double scale = vtr_image_canvas_get_scale (self);
  double origin_x, origin_y;
  double tx, ty;

  if (self->width == 0 || self->height == 0)
    return FALSE;
  get_origin (self, &origin_x, &origin_y);
  tx = floor ((widget_x - origin_x) / scale);
  ty = floor ((widget_y - origin_y) / scale);
  if (tx < 0 || ty < 0 || tx >= self->width || ty >= self->height)
    return FALSE;
  *x = (guint32)tx;
  *y = self->flip ? self->height - 1 - (guint32)ty : (guint32)ty;
  return TRUE;
}

gboolean
vtr_image_canvas_get_texel (VtrImageCanvas *self, guint32 *x, guint32 *y)
{
  if (self->has_pointer && vtr_image_canvas_pick (self, self->pointer_x, self->pointer_y, x, y))
    return TRUE;
  if (!self->has_pick || self->pick_x >= self->width || self->pick_y >= self->height)
    return FALSE;
  *x = self->pick_x;
  *y = self->pick_y;
  return TRUE;
}

/* --- painting -------------------------------------------------------------------------------- */

static void
painted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrImageCanvas *self = VTR_IMAGE_CANVAS (source);
  cairo_surface_t *surface = vtr_image_paint_finish (result, NULL);
  gboolean same_size;

  if (surface == NULL)
    return;
  same_size = self->width == self->image->width && self->height == self->image->height;
  g_clear_pointer (&self->surface, cairo_surface_destroy);
  self->surface = surface;
  self->has_alpha = (self->channels & VTR_CHANNEL_A) != 0 && self->channels != VTR_CHANNEL_A;
  self->width = self->image->width;
  self->height = self->image->height;
  if (!same_size)
    {
      self->center_x = self->width / 2.0;
      self->center_y = self->height / 2.0;
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCALE]);
  vtr_image_canvas_texel_changed (self);
  g_signal_emit (self, signals[SHOWN], 0);
}

static void
paint (VtrImageCanvas *self)
{
  g_cancellable_cancel (self->painting);
  g_clear_object (&self->painting);
  if (self->image == NULL)
    {
      g_clear_pointer (&self->surface, cairo_surface_destroy);
      self->width = self->height = 0;
      gtk_widget_queue_draw (GTK_WIDGET (self));
      return;
    }
  self->painting = g_cancellable_new ();
  vtr_image_paint_async (self->image, self->channels, self->low, self->high, G_OBJECT (self),
                         self->painting, painted_cb, NULL);
}

/* --- drawing --------------------------------------------------------------------------------- */

static void
draw_checkerboard (cairo_t *cr, const graphene_rect_t *area)
{
  cairo_set_source_rgb (cr, .6, .6, .6);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, .45, .45, .45);
  for (float y = 0; y < area->size.height; y += CHECKER)
    for (float x = fmodf (y, 2 * CHECKER) < CHECKER ? 0 : CHECKER; x < area->size.width;
         x += 2 * CHECKER)
      cairo_rectangle (cr, area->origin.x + x, area->origin.y + y, CHECKER, CHECKER);
  cairo_fill (cr);
}

static void
draw_pick (VtrImageCanvas *self, cairo_t *cr, double origin_x, double origin_y, double scale)
{
  double x = origin_x + (self->pick_x + .5) * scale;
  double y =
    origin_y + ((self->flip ? self->height - 1 - self->pick_y : self->pick_y) + .5) * scale;
  double gap = MAX (scale / 2, 3);

  /* White on black is visible on any image. */
  for (int pass = 0; pass < 2; pass++)
    {
      cairo_set_source_rgba (cr, pass, pass, pass, .9);
      cairo_set_line_width (cr, pass ? 1 : 3);
      for (int arm = 0; arm < 4; arm++)
        {
          double dx = arm == 0 ? 1 : arm == 1 ? -1
                                              : 0;
          double dy = arm == 2 ? 1 : arm == 3 ? -1
                                              : 0;

          cairo_move_to (cr, x + dx * gap, y + dy * gap);
          cairo_line_to (cr, x + dx * (gap + 8), y + dy * (gap + 8));
        }
      cairo_stroke (cr);
    }
}

static void
vtr_image_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtrImageCanvas *self = VTR_IMAGE_CANVAS (widget);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, (float)gtk_widget_get_width (widget),
                                               (float)gtk_widget_get_height (widget));
  graphene_rect_t area;
  double scale = vtr_image_canvas_get_scale (self);
  double x, y;
  cairo_t *cr;

  if (self->surface == NULL)
    return;
  get_origin (self, &x, &y);
  area = GRAPHENE_RECT_INIT ((float)x, (float)y, (float)(self->width * scale),
                             (float)(self->height * scale));
  if (!graphene_rect_intersection (&area, &bounds, &bounds))
    return;

  /* Only what is visible is drawn: a zoomed image costs what the widget costs. */
  cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  if (self->has_alpha)
    draw_checkerboard (cr, &area);
  cairo_save (cr);
  cairo_translate (cr, x, y);
  cairo_scale (cr, scale, scale);
  if (self->flip)
    {
      cairo_translate (cr, 0, self->height);
      cairo_scale (cr, 1, -1);
    }
  cairo_set_source_surface (cr, self->surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr),
                            scale >= 1 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
  cairo_rectangle (cr, 0, 0, self->width, self->height);
  cairo_fill (cr);
  cairo_restore (cr);
  if (self->has_pick && self->pick_x < self->width && self->pick_y < self->height)
    draw_pick (self, cr, x, y, scale);
  cairo_destroy (cr);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_image_canvas_dispose (GObject *object)
{
  VtrImageCanvas *self = VTR_IMAGE_CANVAS (object);

  g_clear_handle_id (&self->scale_idle, g_source_remove);
  g_cancellable_cancel (self->painting);
  g_clear_object (&self->painting);
  g_clear_pointer (&self->surface, cairo_surface_destroy);
  g_clear_pointer (&self->image, vtr_image_unref);
  G_OBJECT_CLASS (vtr_image_canvas_parent_class)->dispose (object);
}

static void
vtr_image_canvas_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  VtrImageCanvas *self = VTR_IMAGE_CANVAS (object);

  switch (id)
    {
    case PROP_SCALE:
      g_value_set_double (value, vtr_image_canvas_get_scale (self));
      break;
    case PROP_FIT:
      g_value_set_boolean (value, self->fit);
      break;
    case PROP_FLIP:
      g_value_set_boolean (value, self->flip);
      break;
    case PROP_CHANNELS:
      g_value_set_uint (value, self->channels);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
vtr_image_canvas_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  VtrImageCanvas *self = VTR_IMAGE_CANVAS (object);

  switch (id)
    {
    case PROP_FIT:
      vtr_image_canvas_set_fit (self, g_value_get_boolean (value));
      break;
    case PROP_FLIP:
      vtr_image_canvas_set_flip (self, g_value_get_boolean (value));
      break;
    case PROP_CHANNELS:
      vtr_image_canvas_set_channels (self, g_value_get_uint (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

/* A widget that shows the scale may change its size, which must not happen during size
 * allocation. */
static gboolean
scale_idle_cb (gpointer data)
{
  VtrImageCanvas *self = data;

  self->scale_idle = 0;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCALE]);
  return G_SOURCE_REMOVE;
}

static void
vtr_image_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  VtrImageCanvas *self = VTR_IMAGE_CANVAS (widget);

  if (self->fit && self->scale_idle == 0)
    self->scale_idle = g_idle_add (scale_idle_cb, self);
}

static void
vtr_image_canvas_measure (GtkWidget      *widget,
                          GtkOrientation  orientation,
                          int             for_size,
                          int            *minimum,
                          int            *natural,
                          int            *minimum_baseline,
                          int            *natural_baseline)
{
  *minimum = 64;
  *natural = 320;
}

static void
vtr_image_canvas_class_init (VtrImageCanvasClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = vtr_image_canvas_dispose;
  object_class->get_property = vtr_image_canvas_get_property;
  object_class->set_property = vtr_image_canvas_set_property;
  widget_class->snapshot = vtr_image_canvas_snapshot;
  widget_class->measure = vtr_image_canvas_measure;
  widget_class->size_allocate = vtr_image_canvas_size_allocate;

  properties[PROP_SCALE] = g_param_spec_double ("scale", NULL, NULL, 0, SCALE_MAX, 1,
                                                G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_FIT] = g_param_spec_boolean ("fit", NULL, NULL, TRUE, flags);
  properties[PROP_FLIP] = g_param_spec_boolean ("flip", NULL, NULL, FALSE, flags);
  properties[PROP_CHANNELS] =
    g_param_spec_uint ("channels", NULL, NULL, 0, 15, VTR_CHANNEL_RGB, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[TEXEL_CHANGED] = g_signal_new ("texel-changed", VTR_TYPE_IMAGE_CANVAS, G_SIGNAL_RUN_LAST,
                                         0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SHOWN] = g_signal_new ("shown", VTR_TYPE_IMAGE_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_css_name (widget_class, "vtrcanvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
vtr_image_canvas_init (VtrImageCanvas *self)
{
  self->channels = VTR_CHANNEL_RGB;
  self->high = 1;
  self->fit = TRUE;
  self->scale = 1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  vtr_image_canvas_add_controllers (self);
}

GtkWidget *
vtr_image_canvas_new (void)
{
  return g_object_new (VTR_TYPE_IMAGE_CANVAS, NULL);
}

void
vtr_image_canvas_set_image (VtrImageCanvas *self, VtrImage *image, const char *description)
{
  if (image)
    vtr_image_ref (image);
  g_clear_pointer (&self->image, vtr_image_unref);
  self->image = image;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  description ? description : "", -1);
  paint (self);
}

VtrImage *
vtr_image_canvas_get_image (VtrImageCanvas *self)
{
  return self->image;
}

void
vtr_image_canvas_set_channels (VtrImageCanvas *self, VtrChannels channels)
{
  if (self->channels == channels)
    return;
  self->channels = channels;
  paint (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CHANNELS]);
}

VtrChannels
vtr_image_canvas_get_channels (VtrImageCanvas *self)
{
  return self->channels;
}

void
vtr_image_canvas_set_range (VtrImageCanvas *self, double low, double high)
{
  if (self->low == low && self->high == high)
    return;
  self->low = low;
  self->high = high;
  paint (self);
}

void
vtr_image_canvas_set_flip (VtrImageCanvas *self, gboolean flip)
{
  if (self->flip == !!flip)
    return;
  self->flip = !!flip;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FLIP]);
}

void
vtr_image_canvas_set_fit (VtrImageCanvas *self, gboolean fit)
{
  if (self->fit == !!fit)
    return;
  if (!fit)
    vtr_image_canvas_leave_fit (self);
  else
    {
      self->fit = TRUE;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FIT]);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCALE]);
}

gboolean
vtr_image_canvas_get_fit (VtrImageCanvas *self)
{
  return self->fit;
}

void
vtr_image_canvas_set_scale (VtrImageCanvas *self, double scale)
{
  vtr_image_canvas_zoom_at (self, scale, gtk_widget_get_width (GTK_WIDGET (self)) / 2.0,
                            gtk_widget_get_height (GTK_WIDGET (self)) / 2.0);
}
