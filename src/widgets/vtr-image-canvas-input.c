/* Handles pointer, touch and keys on a VtrImageCanvas. */
#include "vtr-config.h"

#include "widgets/vtr-image-canvas-private.h"

#include <math.h>

/* A press that moves by fewer pixels still selects a texel. */
#define DRAG_THRESHOLD 4
/* The zoom factor of one notch of the wheel, or one press of plus. */
#define SCALE_STEP 1.25

static gboolean
scroll_cb (VtrImageCanvas *self, double dx, double dy, GtkEventController *controller)
{
  GdkModifierType modifiers = gtk_event_controller_get_current_event_state (controller);
  GdkEvent *event = gtk_event_controller_get_current_event (controller);
  GdkDevice *device = event ? gdk_event_get_device (event) : NULL;
  gboolean touchpad = device && gdk_device_get_source (device) == GDK_SOURCE_TOUCHPAD;
  double scale = vtr_image_canvas_get_scale (self);

  if (self->width == 0)
    return GDK_EVENT_PROPAGATE;
  /* The wheel zooms. Two fingers scroll, and zoom with Ctrl. */
  if (touchpad && !(modifiers & GDK_CONTROL_MASK))
    {
      vtr_image_canvas_leave_fit (self);
      self->center_x += dx * 10 / scale;
      self->center_y += dy * 10 / scale;
      vtr_image_canvas_clamp_center (self);
      gtk_widget_queue_draw (GTK_WIDGET (self));
      return GDK_EVENT_STOP;
    }
  vtr_image_canvas_zoom_at (self, scale * pow (SCALE_STEP, -dy), self->pointer_x, self->pointer_y);
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
      vtr_image_canvas_leave_fit (self);
      self->dragged = TRUE;
      self->drag_x = self->center_x;
      self->drag_y = self->center_y;
    }
  self->center_x = self->drag_x - dx / self->scale;
  self->center_y = self->drag_y - dy / self->scale;
  vtr_image_canvas_clamp_center (self);
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
  vtr_image_canvas_texel_changed (self);
}

static void
motion_cb (VtrImageCanvas *self, double x, double y)
{
  self->has_pointer = TRUE;
  self->pointer_x = x;
  self->pointer_y = y;
  vtr_image_canvas_texel_changed (self);
}

static void
leave_cb (VtrImageCanvas *self)
{
  self->has_pointer = FALSE;
  vtr_image_canvas_texel_changed (self);
}

static void
pinch_cb (VtrImageCanvas *self, double factor, GtkGesture *gesture)
{
  double x, y;

  if (gtk_gesture_get_bounding_box_center (gesture, &x, &y))
    vtr_image_canvas_zoom_at (self, self->drag_x * factor, x, y);
}

static void
pinch_begin_cb (VtrImageCanvas *self)
{
  self->drag_x = vtr_image_canvas_get_scale (self);
}

/* Arrow keys move the selected texel, so that values can be read without a pointer. */
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
  vtr_image_canvas_texel_changed (self);
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
      vtr_image_canvas_set_scale (self, vtr_image_canvas_get_scale (self) * SCALE_STEP);
      return GDK_EVENT_STOP;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      vtr_image_canvas_set_scale (self, vtr_image_canvas_get_scale (self) / SCALE_STEP);
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

void
vtr_image_canvas_add_controllers (VtrImageCanvas *self)
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
