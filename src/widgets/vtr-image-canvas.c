#include "vtr-config.h"

#include "widgets/vtr-image-canvas.h"

#include <math.h>

#define MARGIN 10
#define SCALE_MIN 0.01
#define SCALE_MAX 64.0
#define SCALE_STEP 1.25
#define CHECKER 8
#define DRAG_THRESHOLD 4

struct _VtrImageCanvas
{
  GtkWidget parent_instance;

  VtrImage *image;
  cairo_surface_t *surface; /* of the image shown, premultiplied; NULL: none yet */
  guint32 width, height;    /* of the surface */
  gboolean has_alpha;       /* alpha is shown as transparency */
  GCancellable *converting;
  VtrChannels channels;
  double low, high;
  gboolean flip;
  gboolean fit;
  double scale;
  double center_x, center_y; /* texel in the middle of the widget */
  double drag_x, drag_y;
  gboolean dragged;
  double pointer_x, pointer_y;
  gboolean has_pointer;
  guint scale_idle;
  gboolean has_pick;
  guint32 pick_x, pick_y;
};

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

static double
current_scale (VtrImageCanvas *self)
{
  return self->fit ? fit_scale (self) : self->scale;
}

/* Top left corner of the image in widget coordinates. */
static void
get_origin (VtrImageCanvas *self, double *x, double *y)
{
  double scale = current_scale (self);
  double center_x = self->fit ? self->width / 2.0 : self->center_x;
  double center_y = self->fit ? self->height / 2.0 : self->center_y;

  *x = round (gtk_widget_get_width (GTK_WIDGET (self)) / 2.0 - center_x * scale);
  *y = round (gtk_widget_get_height (GTK_WIDGET (self)) / 2.0 - center_y * scale);
}

static void
leave_fit (VtrImageCanvas *self)
{
  if (!self->fit)
    return;
  self->scale = fit_scale (self);
  self->center_x = self->width / 2.0;
  self->center_y = self->height / 2.0;
  self->fit = FALSE;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FIT]);
}

static void
clamp_center (VtrImageCanvas *self)
{
  self->center_x = CLAMP (self->center_x, 0, self->width);
  self->center_y = CLAMP (self->center_y, 0, self->height);
}

static void
zoom_at (VtrImageCanvas *self, double scale, double x, double y)
{
  double dx = x - gtk_widget_get_width (GTK_WIDGET (self)) / 2.0;
  double dy = y - gtk_widget_get_height (GTK_WIDGET (self)) / 2.0;

  if (self->width == 0)
    return;
  leave_fit (self);
  scale = CLAMP (scale, SCALE_MIN, SCALE_MAX);
  /* The texel below (x, y) stays there. */
  self->center_x += dx / self->scale - dx / scale;
  self->center_y += dy / self->scale - dy / scale;
  self->scale = scale;
  clamp_center (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCALE]);
  g_signal_emit (self, signals[TEXEL_CHANGED], 0);
}

gboolean
vtr_image_canvas_pick (
  VtrImageCanvas *self, double widget_x, double widget_y, guint32 *x, guint32 *y)
{
  double scale = current_scale (self);
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

/* --- conversion ------------------------------------------------------------------------------ */

typedef struct
{
  VtrImage *image;
  VtrChannels channels;
  double low, high;
  cairo_surface_t *surface;
} Conversion;

static void
conversion_free (gpointer data)
{
  Conversion *job = data;

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
convert_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Conversion *job = data;
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

static void
converted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrImageCanvas *self = VTR_IMAGE_CANVAS (source);
  Conversion *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean same_size;

  if (!g_task_propagate_boolean (G_TASK (result), &error))
    return;
  same_size = self->width == job->image->width && self->height == job->image->height;
  g_clear_pointer (&self->surface, cairo_surface_destroy);
  self->surface = g_steal_pointer (&job->surface);
  self->width = job->image->width;
  self->height = job->image->height;
  self->has_alpha = (job->channels & VTR_CHANNEL_A) != 0 && job->channels != VTR_CHANNEL_A;
  if (!same_size)
    {
      self->center_x = self->width / 2.0;
      self->center_y = self->height / 2.0;
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCALE]);
  g_signal_emit (self, signals[TEXEL_CHANGED], 0);
  g_signal_emit (self, signals[SHOWN], 0);
}

static void
convert (VtrImageCanvas *self)
{
  g_autoptr (GTask) task = NULL;
  Conversion *job;

  g_cancellable_cancel (self->converting);
  g_clear_object (&self->converting);
  if (self->image == NULL)
    {
      g_clear_pointer (&self->surface, cairo_surface_destroy);
      self->width = self->height = 0;
      gtk_widget_queue_draw (GTK_WIDGET (self));
      return;
    }
  self->converting = g_cancellable_new ();
  job = g_new0 (Conversion, 1);
  job->image = vtr_image_ref (self->image);
  job->channels = self->channels;
  job->low = self->low;
  job->high = self->high;
  task = g_task_new (self, self->converting, converted_cb, NULL);
  g_task_set_source_tag (task, convert);
  g_task_set_task_data (task, job, conversion_free);
  g_task_run_in_thread (task, convert_worker);
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

  /* White on black: seen on anything. */
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
  double scale = current_scale (self);
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

/* --- input ----------------------------------------------------------------------------------- */

static gboolean
scroll_cb (VtrImageCanvas *self, double dx, double dy, GtkEventController *controller)
{
  GdkModifierType modifiers = gtk_event_controller_get_current_event_state (controller);
  GdkEvent *event = gtk_event_controller_get_current_event (controller);
  GdkDevice *device = event ? gdk_event_get_device (event) : NULL;
  gboolean touchpad = device && gdk_device_get_source (device) == GDK_SOURCE_TOUCHPAD;
  double scale = current_scale (self);

  if (self->width == 0)
    return GDK_EVENT_PROPAGATE;
  /* A wheel zooms; two fingers move, and zoom with Ctrl. */
  if (touchpad && !(modifiers & GDK_CONTROL_MASK))
    {
      leave_fit (self);
      self->center_x += dx * 10 / scale;
      self->center_y += dy * 10 / scale;
      clamp_center (self);
      gtk_widget_queue_draw (GTK_WIDGET (self));
      return GDK_EVENT_STOP;
    }
  zoom_at (self, scale * pow (SCALE_STEP, -dy), self->pointer_x, self->pointer_y);
  return GDK_EVENT_STOP;
}

static void
drag_begin_cb (VtrImageCanvas *self)
{
  self->dragged = FALSE;
  self->drag_x = self->center_x;
  self->drag_y = self->center_y;
}

static void
drag_update_cb (VtrImageCanvas *self, double dx, double dy)
{
  if (self->width == 0)
    return;
  if (!self->dragged)
    {
      if (fabs (dx) + fabs (dy) < DRAG_THRESHOLD)
        return;
      leave_fit (self);
      self->dragged = TRUE;
      self->drag_x = self->center_x;
      self->drag_y = self->center_y;
    }
  self->center_x = self->drag_x - dx / self->scale;
  self->center_y = self->drag_y - dy / self->scale;
  clamp_center (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
released_cb (VtrImageCanvas *self, int n_press, double x, double y)
{
  guint32 tx, ty;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (self->dragged)
    return;
  if (n_press == 2)
    {
      vtr_image_canvas_set_fit (self, !self->fit);
      return;
    }
  if (!vtr_image_canvas_pick (self, x, y, &tx, &ty))
    return;
  self->has_pick = TRUE;
  self->pick_x = tx;
  self->pick_y = ty;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[TEXEL_CHANGED], 0);
}

static void
motion_cb (VtrImageCanvas *self, double x, double y)
{
  self->has_pointer = TRUE;
  self->pointer_x = x;
  self->pointer_y = y;
  g_signal_emit (self, signals[TEXEL_CHANGED], 0);
}

static void
leave_cb (VtrImageCanvas *self)
{
  self->has_pointer = FALSE;
  g_signal_emit (self, signals[TEXEL_CHANGED], 0);
}

static void
pinch_cb (VtrImageCanvas *self, double factor, GtkGesture *gesture)
{
  double x, y;

  if (gtk_gesture_get_bounding_box_center (gesture, &x, &y))
    zoom_at (self, self->drag_x * factor, x, y);
}

static void
pinch_begin_cb (VtrImageCanvas *self)
{
  self->drag_x = current_scale (self);
}

/* Arrow keys move the picked texel: reading values needs no pointer. */
static void
move_pick (VtrImageCanvas *self, int dx, int dy)
{
  if (self->width == 0)
    return;
  if (!self->has_pick)
    {
      self->has_pick = TRUE;
      self->pick_x = self->width / 2;
      self->pick_y = self->height / 2;
    }
  else
    {
      self->pick_x = (guint32)CLAMP ((gint64)self->pick_x + dx, 0, (gint64)self->width - 1);
      self->pick_y = (guint32)CLAMP ((gint64)self->pick_y + (self->flip ? -dy : dy), 0,
                                     (gint64)self->height - 1);
    }
  self->has_pointer = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[TEXEL_CHANGED], 0);
}

static void
toggle_channel (VtrImageCanvas *self, VtrChannels channel)
{
  vtr_image_canvas_set_channels (self, self->channels ^ channel);
}

static gboolean
key_pressed_cb (VtrImageCanvas *self, guint key, guint code, GdkModifierType modifiers)
{
  int step = modifiers & GDK_SHIFT_MASK ? 10 : 1;

  if (modifiers & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK))
    return GDK_EVENT_PROPAGATE;
  switch (key)
    {
    case GDK_KEY_1:
    case GDK_KEY_KP_1:
      vtr_image_canvas_set_scale (self, 1);
      return GDK_EVENT_STOP;
    case GDK_KEY_0:
    case GDK_KEY_KP_0:
      vtr_image_canvas_set_fit (self, TRUE);
      return GDK_EVENT_STOP;
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
      vtr_image_canvas_set_scale (self, current_scale (self) * SCALE_STEP);
      return GDK_EVENT_STOP;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      vtr_image_canvas_set_scale (self, current_scale (self) / SCALE_STEP);
      return GDK_EVENT_STOP;
    case GDK_KEY_r:
      toggle_channel (self, VTR_CHANNEL_R);
      return GDK_EVENT_STOP;
    case GDK_KEY_g:
      toggle_channel (self, VTR_CHANNEL_G);
      return GDK_EVENT_STOP;
    case GDK_KEY_b:
      toggle_channel (self, VTR_CHANNEL_B);
      return GDK_EVENT_STOP;
    case GDK_KEY_a:
      toggle_channel (self, VTR_CHANNEL_A);
      return GDK_EVENT_STOP;
    case GDK_KEY_Left:
    case GDK_KEY_Right:
      move_pick (self, key == GDK_KEY_Left ? -step : step, 0);
      return GDK_EVENT_STOP;
    case GDK_KEY_Up:
    case GDK_KEY_Down:
      move_pick (self, 0, key == GDK_KEY_Up ? -step : step);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_image_canvas_dispose (GObject *object)
{
  VtrImageCanvas *self = VTR_IMAGE_CANVAS (object);

  g_clear_handle_id (&self->scale_idle, g_source_remove);
  g_cancellable_cancel (self->converting);
  g_clear_object (&self->converting);
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
      g_value_set_double (value, current_scale (self));
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

/* Whoever shows the scale may change its size: not while sizes are being given out. */
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
add_controllers (VtrImageCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *scroll =
    gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *pinch = gtk_gesture_zoom_new ();

  g_signal_connect_object (scroll, "scroll", G_CALLBACK (scroll_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (motion, "motion", G_CALLBACK (motion_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (motion, "leave", G_CALLBACK (leave_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  g_signal_connect_object (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (drag, "drag-update", G_CALLBACK (drag_update_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (click, "released", G_CALLBACK (released_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (pinch, "begin", G_CALLBACK (pinch_begin_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (pinch, "scale-changed", G_CALLBACK (pinch_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, keys);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pinch));
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
  add_controllers (self);
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
  convert (self);
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
  convert (self);
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
  convert (self);
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
    leave_fit (self);
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
  zoom_at (self, scale, gtk_widget_get_width (GTK_WIDGET (self)) / 2.0,
           gtk_widget_get_height (GTK_WIDGET (self)) / 2.0);
}

double
vtr_image_canvas_get_scale (VtrImageCanvas *self)
{
  return current_scale (self);
}
