/* VtrImageCanvas itself, and how it zooms and moves. */
#pragma once

#include "widgets/vtr-image-canvas.h"

G_BEGIN_DECLS

struct _VtrImageCanvas
{
  GtkWidget parent_instance;

  VtrImage *image;
  cairo_surface_t *surface; /* of the image shown, premultiplied; NULL: none yet */
  guint32 width, height;    /* of the surface */
  gboolean has_alpha;       /* alpha is shown as transparency */
  GCancellable *painting;
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

/* The scale stops following the size of the widget. */
void vtr_image_canvas_leave_fit (VtrImageCanvas *self);
/* Keeps the middle of the widget inside the image. */
void vtr_image_canvas_clamp_center (VtrImageCanvas *self);
/* Leaves fit mode; the texel below (@x, @y), in widget coordinates, stays there. */
void vtr_image_canvas_zoom_at (VtrImageCanvas *self,
                               double          scale,
                               double          x,
                               double          y);
/* Emits "texel-changed", because another texel is to be read out. */
void vtr_image_canvas_texel_changed (VtrImageCanvas *self);
/* Pointer, touch and keys (vtr-image-canvas-input.c). */
void vtr_image_canvas_add_controllers (VtrImageCanvas *self);

G_END_DECLS
