/* The hex dump of the Memory pane: scrolling, cursor, selection, and loading the rows that come
 * into view. */
#include "vtr-config.h"

#include "widgets/vtr-hex-grid-private.h"

#include <glib/gi18n.h>
#include <math.h>

static void configure (VtrHexGrid *self);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrHexGrid,
                               vtr_hex_grid,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

enum
{
  PROP_0,
  PROP_HADJUSTMENT,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY,
};

enum
{
  SIGNAL_LOAD,
  SIGNAL_CURSOR_MOVED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

/* --- Rows ------------------------------------------------------------------------------------ */

guint64
vtr_hex_grid_get_n_rows (VtrHexGrid *self)
{
  guint64 begin = self->first / VTR_HEX_COLUMNS;

  if (self->size == 0)
    return 0;
  return (self->first + self->size - 1) / VTR_HEX_COLUMNS - begin + 1;
}

guint64
vtr_hex_grid_get_row_offset (VtrHexGrid *self,
                             guint64     row)
{
  return (self->first / VTR_HEX_COLUMNS + row) * VTR_HEX_COLUMNS;
}

/* The bytes on the screen. */
static void
get_visible (VtrHexGrid *self,
             guint64    *begin,
             guint64    *end)
{
  double top = self->vadjustment != NULL ? gtk_adjustment_get_value (self->vadjustment) : 0;
  guint64 row = self->row_height > 0 ? (guint64)(top / self->row_height) : 0;
  guint64 n = self->row_height > 0
                ? (guint64)(gtk_widget_get_height (GTK_WIDGET (self)) / self->row_height) + 2
                : 0;

  *begin = MAX (vtr_hex_grid_get_row_offset (self, row), self->first);
  *end = MIN (vtr_hex_grid_get_row_offset (self, row + n), self->first + self->size);
}

/* Requests bytes on the screen that are not loaded. */
static void
load_visible (VtrHexGrid *self)
{
  guint64 begin, end, offset;

  if (self->size == 0 || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  get_visible (self, &begin, &end);
  while (vtr_hex_bytes_next_missing (&self->bytes, begin, end, &offset))
    {
      guint64 from = MAX (offset, self->first);
      guint64 to = MIN (offset + VTR_HEX_PIECE, self->first + self->size);

      g_signal_emit (self, signals[SIGNAL_LOAD], 0, from, to - from);
    }
}

/* --- Scrolling ------------------------------------------------------------------------------- */

static void
configure (VtrHexGrid *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  double all;

  if (self->row_height == 0)
    vtr_hex_grid_measure_font (self);
  all = (double)vtr_hex_grid_get_n_rows (self) * self->row_height;
  if (self->hadjustment != NULL)
    {
      double wide = MAX (vtr_hex_grid_get_width (self), width);

      gtk_adjustment_configure (self->hadjustment, gtk_adjustment_get_value (self->hadjustment), 0,
                                wide, self->cell, width * .9, width);
    }
  if (self->vadjustment != NULL)
    gtk_adjustment_configure (self->vadjustment, gtk_adjustment_get_value (self->vadjustment), 0,
                              MAX (all, height), self->row_height, height * .9, height);
}

static void
scrolled_cb (VtrHexGrid *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
set_adjustment (VtrHexGrid     *self,
                GtkAdjustment **place,
                GtkAdjustment  *adjustment)
{
  if (*place == adjustment && adjustment != NULL)
    return;
  if (*place != NULL)
    g_signal_handlers_disconnect_by_data (*place, self);
  g_clear_object (place);
  if (adjustment == NULL)
    adjustment = gtk_adjustment_new (0, 0, 0, 0, 0, 0);
  *place = g_object_ref_sink (adjustment);
  g_signal_connect_swapped (adjustment, "value-changed", G_CALLBACK (scrolled_cb), self);
  if (gtk_widget_get_width (GTK_WIDGET (self)) > 0)
    configure (self);
}

static void
reveal (VtrHexGrid *self,
        guint64     offset)
{
  guint64 row = offset / VTR_HEX_COLUMNS - self->first / VTR_HEX_COLUMNS;
  double y = (double)row * self->row_height;

  if (self->vadjustment != NULL && self->row_height > 0)
    gtk_adjustment_clamp_page (self->vadjustment, y, y + self->row_height);
}

/* --- Cursor ---------------------------------------------------------------------------------- */

static void
tell_cursor (VtrHexGrid *self)
{
  guint8 byte = 0;
  const VtrMemorySpan *span = vtr_hex_bytes_get (&self->bytes, self->cursor, &byte);
  g_autofree char *address = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", self->cursor);
  g_autofree char *text = NULL;

  if (span != NULL && span->known)
    text = g_strdup_printf (_ ("address %s, %02x"), address, byte);
  else if (span != NULL && span->kind == VTR_MEMORY_GPU_WRITTEN)
    text = g_strdup_printf (_ ("address %s, written by the GPU"), address);
  else
    text = g_strdup_printf (_ ("address %s, not known"), address);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text,
                                  -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[SIGNAL_CURSOR_MOVED], 0);
}

static void
move_cursor (VtrHexGrid *self,
             guint64     to,
             gboolean    extend)
{
  if (self->size == 0)
    return;
  self->cursor = CLAMP (to, self->first, self->first + self->size - 1);
  if (!extend)
    self->anchor = self->cursor;
  reveal (self, self->cursor);
  tell_cursor (self);
}

static guint64
step (VtrHexGrid *self,
      gint64      by)
{
  if (by < 0)
    return self->cursor - self->first < (guint64)-by ? self->first : self->cursor - (guint64)-by;
  return self->first + self->size - 1 - self->cursor < (guint64)by ? self->first + self->size - 1
                                                                   : self->cursor + (guint64)by;
}

static gboolean
key_pressed_cb (VtrHexGrid      *self,
                guint            key,
                guint            code,
                GdkModifierType  state)
{
  gboolean extend = (state & GDK_SHIFT_MASK) != 0;
  gboolean control = (state & GDK_CONTROL_MASK) != 0;
  gint64 page = self->row_height > 0
                  ? MAX ((gint64)(gtk_widget_get_height (GTK_WIDGET (self)) / self->row_height) - 1,
                         1)
                  : 1;

  switch (key)
    {
    case GDK_KEY_Left:
      move_cursor (self, step (self, -1), extend);
      return TRUE;
    case GDK_KEY_Right:
      move_cursor (self, step (self, 1), extend);
      return TRUE;
    case GDK_KEY_Up:
      move_cursor (self, step (self, -VTR_HEX_COLUMNS), extend);
      return TRUE;
    case GDK_KEY_Down:
      move_cursor (self, step (self, VTR_HEX_COLUMNS), extend);
      return TRUE;
    case GDK_KEY_Page_Up:
      if (control || (state & GDK_ALT_MASK) != 0)
        return FALSE;
      move_cursor (self, step (self, -page * VTR_HEX_COLUMNS), extend);
      return TRUE;
    case GDK_KEY_Page_Down:
      if (control || (state & GDK_ALT_MASK) != 0)
        return FALSE;
      move_cursor (self, step (self, page * VTR_HEX_COLUMNS), extend);
      return TRUE;
    case GDK_KEY_Home:
      move_cursor (self, control ? self->first : self->cursor / VTR_HEX_COLUMNS * VTR_HEX_COLUMNS,
                   extend);
      return TRUE;
    case GDK_KEY_End:
      move_cursor (self,
                   control ? self->first + self->size - 1
                           : self->cursor / VTR_HEX_COLUMNS * VTR_HEX_COLUMNS +
                               VTR_HEX_COLUMNS - 1,
                   extend);
      return TRUE;
    case GDK_KEY_a:
      if (!control)
        return FALSE;
      vtr_hex_grid_select (self, self->first, self->size);
      return TRUE;
    default:
      return FALSE;
    }
}

/* --- Pointer --------------------------------------------------------------------------------- */

static gboolean
pick (VtrHexGrid *self,
      double      x,
      double      y,
      guint64    *out)
{
  VtrHexPlaces places = vtr_hex_grid_get_places (self);
  double column;
  guint64 row;

  if (self->size == 0 || self->row_height == 0)
    return FALSE;
  x += self->hadjustment != NULL ? gtk_adjustment_get_value (self->hadjustment) : 0;
  y += self->vadjustment != NULL ? gtk_adjustment_get_value (self->vadjustment) : 0;
  row = (guint64)(MAX (y, 0) / self->row_height);
  if (x >= places.text - self->cell)
    column = (x - places.text) / self->cell;
  else
    {
      column = (x - places.hex + self->cell / 2) / self->cell;
      if (column > 3 * VTR_HEX_COLUMNS / 2)
        column -= 1;
      column /= 3;
    }
  row = MIN (row, vtr_hex_grid_get_n_rows (self) - 1);
  *out = vtr_hex_grid_get_row_offset (self, row) +
         (guint64)CLAMP (floor (column), 0, VTR_HEX_COLUMNS - 1);
  return TRUE;
}

static void
drag_begin_cb (VtrHexGrid     *self,
               double          x,
               double          y,
               GtkGestureDrag *gesture)
{
  GdkModifierType state =
    gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  guint64 at;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (pick (self, x, y, &at))
    move_cursor (self, at, (state & GDK_SHIFT_MASK) != 0);
}

static void
drag_update_cb (VtrHexGrid     *self,
                double          dx,
                double          dy,
                GtkGestureDrag *gesture)
{
  double x, y;
  guint64 at;

  if (gtk_gesture_drag_get_start_point (gesture, &x, &y) && pick (self, x + dx, y + dy, &at))
    move_cursor (self, at, TRUE);
}

/* --- Widget ---------------------------------------------------------------------------------- */

static void
vtr_hex_grid_measure (GtkWidget      *widget,
                      GtkOrientation  orientation,
                      int             for_size,
                      int            *minimum,
                      int            *natural,
                      int            *minimum_baseline,
                      int            *natural_baseline)
{
  VtrHexGrid *self = VTR_HEX_GRID (widget);

  if (self->row_height == 0)
    vtr_hex_grid_measure_font (self);
  *minimum = (int)(orientation == GTK_ORIENTATION_VERTICAL ? 2 * self->row_height
                                                           : 20 * self->cell);
  *natural = (int)(orientation == GTK_ORIENTATION_VERTICAL ? 8 * self->row_height
                                                           : vtr_hex_grid_get_places (self).values);
  *natural = MAX (*natural, *minimum);
}

static void
vtr_hex_grid_size_allocate (GtkWidget *widget,
                            int        width,
                            int        height,
                            int        baseline)
{
  configure (VTR_HEX_GRID (widget));
}

static gboolean
load_idle_cb (gpointer data)
{
  load_visible (data);
  return G_SOURCE_REMOVE;
}

static void
vtr_hex_grid_snapshot (GtkWidget   *widget,
                       GtkSnapshot *snapshot)
{
  VtrHexGrid *self = VTR_HEX_GRID (widget);

  gtk_snapshot_push_clip (snapshot,
                          &GRAPHENE_RECT_INIT (0, 0, (float)gtk_widget_get_width (widget),
                                               (float)gtk_widget_get_height (widget)));
  vtr_hex_grid_snapshot_rows (self, snapshot);
  gtk_snapshot_pop (snapshot);
  /* Requests are not made while drawing, because the answer may come at once. */
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, load_idle_cb, g_object_ref (self), g_object_unref);
}

static void
vtr_hex_grid_css_changed (GtkWidget         *widget,
                          GtkCssStyleChange *change)
{
  VtrHexGrid *self = VTR_HEX_GRID (widget);

  GTK_WIDGET_CLASS (vtr_hex_grid_parent_class)->css_changed (widget, change);
  self->row_height = 0;
  gtk_widget_queue_resize (widget);
}

static void
vtr_hex_grid_system_setting_changed (GtkWidget        *widget,
                                     GtkSystemSetting  setting)
{
  GTK_WIDGET_CLASS (vtr_hex_grid_parent_class)->system_setting_changed (widget, setting);
  VTR_HEX_GRID (widget)->row_height = 0;
  gtk_widget_queue_resize (widget);
}

static void
vtr_hex_grid_get_property (GObject    *object,
                           guint       id,
                           GValue     *value,
                           GParamSpec *spec)
{
  VtrHexGrid *self = VTR_HEX_GRID (object);

  switch (id)
    {
    case PROP_HADJUSTMENT:
      g_value_set_object (value, self->hadjustment);
      break;
    case PROP_VADJUSTMENT:
      g_value_set_object (value, self->vadjustment);
      break;
    case PROP_HSCROLL_POLICY:
      g_value_set_enum (value, self->hpolicy);
      break;
    case PROP_VSCROLL_POLICY:
      g_value_set_enum (value, self->vpolicy);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    }
}

static void
vtr_hex_grid_set_property (GObject      *object,
                           guint         id,
                           const GValue *value,
                           GParamSpec   *spec)
{
  VtrHexGrid *self = VTR_HEX_GRID (object);

  switch (id)
    {
    case PROP_HADJUSTMENT:
      set_adjustment (self, &self->hadjustment, g_value_get_object (value));
      break;
    case PROP_VADJUSTMENT:
      set_adjustment (self, &self->vadjustment, g_value_get_object (value));
      break;
    case PROP_HSCROLL_POLICY:
      self->hpolicy = g_value_get_enum (value);
      break;
    case PROP_VSCROLL_POLICY:
      self->vpolicy = g_value_get_enum (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    }
}

static void
vtr_hex_grid_dispose (GObject *object)
{
  VtrHexGrid *self = VTR_HEX_GRID (object);

  if (self->hadjustment != NULL)
    g_signal_handlers_disconnect_by_data (self->hadjustment, self);
  if (self->vadjustment != NULL)
    g_signal_handlers_disconnect_by_data (self->vadjustment, self);
  g_clear_object (&self->hadjustment);
  g_clear_object (&self->vadjustment);
  G_OBJECT_CLASS (vtr_hex_grid_parent_class)->dispose (object);
}

static void
vtr_hex_grid_finalize (GObject *object)
{
  VtrHexGrid *self = VTR_HEX_GRID (object);

  vtr_hex_bytes_finish (&self->bytes);
  g_clear_pointer (&self->accesses, g_array_unref);
  g_clear_pointer (&self->type, vtr_memory_type_unref);
  G_OBJECT_CLASS (vtr_hex_grid_parent_class)->finalize (object);
}

static void
vtr_hex_grid_class_init (VtrHexGridClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = vtr_hex_grid_get_property;
  object_class->set_property = vtr_hex_grid_set_property;
  object_class->dispose = vtr_hex_grid_dispose;
  object_class->finalize = vtr_hex_grid_finalize;
  widget_class->measure = vtr_hex_grid_measure;
  widget_class->size_allocate = vtr_hex_grid_size_allocate;
  widget_class->snapshot = vtr_hex_grid_snapshot;
  widget_class->css_changed = vtr_hex_grid_css_changed;
  widget_class->system_setting_changed = vtr_hex_grid_system_setting_changed;
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");

  /**
   * VtrHexGrid::load:
   *
   * Requests the bytes from an offset, with a size.
   */
  signals[SIGNAL_LOAD] = g_signal_new ("load", VTR_TYPE_HEX_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                       NULL, G_TYPE_NONE, 2, G_TYPE_UINT64, G_TYPE_UINT64);
  signals[SIGNAL_CURSOR_MOVED] =
    g_signal_new ("cursor-moved", VTR_TYPE_HEX_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name (widget_class, "vtrhexgrid");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GRID);
}

static void
vtr_hex_grid_init (VtrHexGrid *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();

  vtr_hex_bytes_init (&self->bytes);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (GTK_WIDGET (self), "monospace");
  /* Digits run from left to right everywhere. */
  gtk_widget_set_direction (GTK_WIDGET (self), GTK_TEXT_DIR_LTR);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Memory"), -1);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
}

/* --- API ------------------------------------------------------------------------------------- */

GtkWidget *
vtr_hex_grid_new (void)
{
  return g_object_new (VTR_TYPE_HEX_GRID, NULL);
}

void
vtr_hex_grid_set_range (VtrHexGrid *self,
                        guint64     first,
                        guint64     size)
{
  self->first = first;
  self->size = MIN (size, G_MAXUINT64 - first);
  vtr_hex_bytes_clear (&self->bytes);
  self->cursor = self->anchor = first;
  self->row_height = 0;
  configure (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
vtr_hex_grid_take (VtrHexGrid    *self,
                   VtrMemoryView *view)
{
  vtr_hex_bytes_put (&self->bytes, view);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (self->cursor >= view->offset && self->cursor - view->offset < view->size)
    tell_cursor (self);
}

void
vtr_hex_grid_give_up (VtrHexGrid *self,
                      guint64     offset,
                      guint64     size)
{
  vtr_hex_bytes_give_up (&self->bytes, offset, size);
}

void
vtr_hex_grid_set_accesses (VtrHexGrid *self,
                           GArray     *accesses)
{
  g_clear_pointer (&self->accesses, g_array_unref);
  self->accesses = accesses != NULL ? g_array_ref (accesses) : NULL;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
vtr_hex_grid_set_type (VtrHexGrid    *self,
                       VtrMemoryType *type,
                       guint64        origin,
                       guint64        stride)
{
  g_clear_pointer (&self->type, vtr_memory_type_unref);
  self->type = type != NULL ? vtr_memory_type_ref (type) : NULL;
  self->origin = origin;
  self->stride = stride != 0 || type == NULL ? stride : vtr_memory_type_get_stride (type);
  configure (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
vtr_hex_grid_go_to (VtrHexGrid *self,
                    guint64     offset)
{
  guint64 row;

  move_cursor (self, offset, FALSE);
  if (self->vadjustment == NULL || self->row_height == 0)
    return;
  row = self->cursor / VTR_HEX_COLUMNS - self->first / VTR_HEX_COLUMNS;
  gtk_adjustment_set_value (self->vadjustment, (double)row * self->row_height);
}

guint64
vtr_hex_grid_get_cursor (VtrHexGrid *self)
{
  return self->cursor;
}

void
vtr_hex_grid_get_selection (VtrHexGrid *self,
                            guint64    *offset,
                            guint64    *size)
{
  *offset = MIN (self->cursor, self->anchor);
  *size = MAX (self->cursor, self->anchor) - *offset + 1;
}

void
vtr_hex_grid_select (VtrHexGrid *self,
                     guint64     offset,
                     guint64     size)
{
  if (self->size == 0 || size == 0)
    return;
  self->anchor = CLAMP (offset, self->first, self->first + self->size - 1);
  self->cursor = CLAMP (offset + size - 1, self->anchor, self->first + self->size - 1);
  reveal (self, self->cursor);
  reveal (self, self->anchor);
  tell_cursor (self);
}

const VtrMemorySpan *
vtr_hex_grid_get_byte (VtrHexGrid *self,
                       guint64     offset,
                       guint8     *byte)
{
  return vtr_hex_bytes_get (&self->bytes, offset, byte);
}

gboolean
vtr_hex_grid_find_gpu (VtrHexGrid *self,
                       guint64    *offset,
                       guint64    *size)
{
  guint64 begin, end, last = 0;
  gboolean any = FALSE;

  if (self->size == 0)
    return FALSE;
  get_visible (self, &begin, &end);
  for (guint64 at = begin; at < end; at++)
    {
      guint8 byte;
      const VtrMemorySpan *span = vtr_hex_bytes_get (&self->bytes, at, &byte);

      if (span == NULL ||
          (span->kind != VTR_MEMORY_GPU_WRITTEN && span->kind != VTR_MEMORY_GPU_MAYBE))
        continue;
      if (!any)
        *offset = at;
      any = TRUE;
      last = at;
    }
  if (any)
    *size = last - *offset + 1;
  return any;
}
