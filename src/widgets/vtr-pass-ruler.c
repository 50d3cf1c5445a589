/* Draws the passes of a frame, or the scopes of an API without passes, along a ruler above the
 * panes, and selects commands by click and drag. */
#include "vtr-config.h"

#include "widgets/vtr-pass-ruler.h"

#include <glib/gi18n.h>
#include <math.h>

#include "widgets/vtr-command-item.h"

#define RULER_HEIGHT 18
#define BLOCK_HEIGHT 24
#define FOOT_HEIGHT 3
#define PAD 4
#define VISIT_MAX 20000 /* nodes checked per frame */
#define BATCH 128
#define TICK_WIDTH 90
#define NUMBER_SCALE .75 /* of the font */
#define NUMBER_PAD 4     /* from a tick to its number */
#define LEAST_TEXT 3     /* width of an ellipsized text, in multiples of its height */

/* A run of commands that execute one after the other. */
typedef struct
{
  guint64 first, last;
  guint32 run;
  guint64 start;       /* in commands executed before it in the frame */
  gboolean pass;       /* drawn as a block */
  VtrCommandKind kind; /* colour of its base line */
  VtrTreeNode node;
  char *title;
  char *detail;
} Segment;

struct _VtrPassRuler
{
  GtkWidget parent_instance;

  VtrSession *session; /* weak */
  guint64 frame;
  gboolean has_frame;
  GArray *segments;
  guint64 total;
  guint visited;
  guint hover; /* segment, or G_MAXUINT */
};

G_DEFINE_FINAL_TYPE (VtrPassRuler, vtr_pass_ruler, GTK_TYPE_WIDGET)

/* --- data ------------------------------------------------------------------------------------ */

static void
segment_clear (gpointer data)
{
  Segment *segment = data;

  g_free (segment->title);
  g_free (segment->detail);
}

static void
add_segment (VtrPassRuler *self, const VtrTreeNode *node)
{
  Segment segment = { 0 };
  VtrCommandTree *tree = vtr_session_get_tree (self->session);

  segment.first = node->first;
  segment.last = node->last;
  segment.run = node->run;
  segment.start = self->total;
  segment.pass = node->kind == VTR_NODE_PASS || node->kind == VTR_NODE_SCOPE;
  segment.kind = segment.pass ? VTR_COMMAND_KIND_DRAW : node->icon;
  segment.node = *node;
  if (segment.pass || node->icon == VTR_COMMAND_KIND_DISPATCH ||
      node->icon == VTR_COMMAND_KIND_COPY)
    {
      segment.title = vtr_command_tree_get_title (tree, node);
      segment.detail = vtr_command_tree_get_detail (tree, node);
    }
  self->total += node->last - node->first + 1;
  g_array_append_val (self->segments, segment);
}

static void collect (VtrPassRuler *self, const VtrTreeNode *parent);

/* A scope without passes stands for itself. */
static void
collect_inside (VtrPassRuler *self, const VtrTreeNode *node)
{
  const guint before = self->segments->len;

  collect (self, node);
  if (node->kind == VTR_NODE_SCOPE && self->segments->len == before)
    add_segment (self, node);
}

static void
collect (VtrPassRuler *self, const VtrTreeNode *parent)
{
  VtrTreeNode children[BATCH];

  for (guint32 at = 0; at < parent->n_children; at += BATCH)
    {
      guint32 n = MIN (BATCH, parent->n_children - at);

      if (self->visited > VISIT_MAX)
        return;
      self->visited += n;
      vtr_command_tree_get_children (vtr_session_get_tree (self->session), parent, at, n, children);
      for (guint32 i = 0; i < n; i++)
        {
          const VtrTreeNode *node = &children[i];

          if (node->kind == VTR_NODE_PASS || node->kind == VTR_NODE_CMD)
            add_segment (self, node);
          else if (node->n_children > 0)
            collect_inside (self, node);
        }
    }
}

static void
load (VtrPassRuler *self)
{
  VtrTrace *trace = vtr_session_get_trace (self->session);
  g_autoptr (GArray) positions = NULL;
  g_autoptr (GArray) nodes = NULL;
  guint64 first, last;

  g_array_set_size (self->segments, 0);
  self->total = 0;
  self->visited = 0;
  self->hover = G_MAXUINT;
  if (self->frame >= vtr_trace_get_n_frames (trace))
    return;
  vtr_trace_get_frame (trace, self->frame, &first, &last);
  nodes = vtr_command_tree_find (vtr_session_get_tree (self->session), last, &positions);
  if (nodes && nodes->len > 0)
    collect (self, &g_array_index (nodes, VtrTreeNode, 0));
}

/* Position of command @command on the ruler; -1: not on it. */
static double
position_of (VtrPassRuler *self, guint64 command)
{
  for (guint i = 0; i < self->segments->len; i++)
    {
      const Segment *segment = &g_array_index (self->segments, Segment, i);

      if (command >= segment->first && command <= segment->last)
        return (double)(segment->start + (command - segment->first)) + .5;
    }
  return -1;
}

static double
x_of (VtrPassRuler *self, double position)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self)) - 2 * PAD;

  return PAD + (self->total ? position / (double)self->total * width : 0);
}

static guint
segment_at (VtrPassRuler *self, double x)
{
  double width = MAX (gtk_widget_get_width (GTK_WIDGET (self)) - 2 * PAD, 1);
  double position = (x - PAD) / width * (double)self->total;

  for (guint i = 0; i < self->segments->len; i++)
    {
      const Segment *segment = &g_array_index (self->segments, Segment, i);
      double start = (double)segment->start;

      if (position >= start && position < start + (double)(segment->last - segment->first + 1))
        return i;
    }
  return G_MAXUINT;
}

/* --- drawing --------------------------------------------------------------------------------- */

static GdkRGBA
get_color (GtkWidget *widget, const char *name, double alpha)
{
  GdkRGBA color = { .5f, .5f, .5f, 1 };

  if (!gtk_style_context_lookup_color (gtk_widget_get_style_context (widget), name, &color))
    g_debug ("no colour %s", name);
  color.alpha *= (float)alpha;
  return color;
}

static void
draw_text (GtkWidget     *widget,
           GtkSnapshot   *snapshot,
           const char    *text,
           gboolean       bold,
           double         scale,
           double         x,
           double         y,
           double         width,
           const GdkRGBA *color)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, text);
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();
  int height;

  pango_attr_list_insert (attributes, pango_attr_scale_new (scale));
  if (bold)
    pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  pango_layout_set_attributes (layout, attributes);
  if (width > 0)
    {
      int wanted, line;

      /* One or two letters would say nothing; the tooltip has the name. */
      pango_layout_get_pixel_size (layout, &wanted, &line);
      if (wanted > width && width < LEAST_TEXT * line)
        return;
      pango_layout_set_width (layout, (int)(width * PANGO_SCALE));
      pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
    }
  pango_layout_get_pixel_size (layout, NULL, &height);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float)x, (float)(y - height / 2.0)));
  gtk_snapshot_append_layout (snapshot, layout, color);
  gtk_snapshot_restore (snapshot);
}

/* Pixels from a tick to the end of its @number. */
static int
get_number_width (GtkWidget *widget, const char *number)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, number);
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();
  int width;

  pango_attr_list_insert (attributes, pango_attr_scale_new (NUMBER_SCALE));
  pango_layout_set_attributes (layout, attributes);
  pango_layout_get_pixel_size (layout, &width, NULL);
  return NUMBER_PAD + width;
}

/* The smallest step of 1, 2, 5, 10, 20, 50, … whose ticks and numbers fit. */
static guint64
tick_step (VtrPassRuler *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self)) - 2 * PAD;
  g_autofree char *longest = vtr_format_number (self->total);
  int room = MAX (TICK_WIDTH, get_number_width (GTK_WIDGET (self), longest) + 3 * NUMBER_PAD);
  guint64 step = 1;

  for (int i = 0; (double)step / (double)self->total * width < room; i++)
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

static void
draw_ruler (VtrPassRuler *self, GtkSnapshot *snapshot)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GdkRGBA text = get_color (widget, "window_fg_color", .7);
  GdkRGBA line = get_color (widget, "borders", 1);
  guint64 step = tick_step (self);

  for (guint64 at = 0; at < self->total; at += step)
    {
      double x = round (x_of (self, (double)at));
      g_autofree char *number = vtr_format_number (at);

      gtk_snapshot_append_color (snapshot, &line,
                                 &GRAPHENE_RECT_INIT ((float)x, RULER_HEIGHT - 6, 1, 5));
      if (x + get_number_width (widget, number) <= gtk_widget_get_width (widget))
        draw_text (widget, snapshot, number, FALSE, NUMBER_SCALE, x + NUMBER_PAD,
                   RULER_HEIGHT / 2.0 - 2, 0, &text);
    }
}

static const char *
foot_color (const Segment *segment)
{
  switch (segment->kind)
    {
    case VTR_COMMAND_KIND_DISPATCH:
      return "vtr_dispatch";
    case VTR_COMMAND_KIND_COPY:
      return "vtr_copy";
    case VTR_COMMAND_KIND_CLEAR:
      return "vtr_clear";
    default:
      return "vtr_draw";
    }
}

static void
draw_block (VtrPassRuler *self, GtkSnapshot *snapshot, const Segment *segment, gboolean current)
{
  GtkWidget *widget = GTK_WIDGET (self);
  gboolean contrast = gtk_widget_has_css_class (GTK_WIDGET (gtk_widget_get_root (widget)), "hc");
  double x0 = x_of (self, (double)segment->start);
  double x1 = x_of (self, (double)(segment->start + (segment->last - segment->first + 1)));
  float width = (float)MAX (x1 - x0 - 2, 3);
  graphene_rect_t area = GRAPHENE_RECT_INIT ((float)x0, RULER_HEIGHT, width, BLOCK_HEIGHT);
  GdkRGBA fill = current ? get_color (widget, "accent_bg_color", .35)
                         : get_color (widget, "window_fg_color", .08);
  GdkRGBA text = get_color (widget, "window_fg_color", 1);
  GdkRGBA foot = get_color (widget, foot_color (segment), 1);
  GskRoundedRect rounded;

  gsk_rounded_rect_init_from_rect (&rounded, &area, 4);
  gtk_snapshot_push_rounded_clip (snapshot, &rounded);
  gtk_snapshot_append_color (snapshot, &fill, &area);
  gtk_snapshot_append_color (snapshot, &foot,
                             &GRAPHENE_RECT_INIT (area.origin.x,
                                                  RULER_HEIGHT + BLOCK_HEIGHT - FOOT_HEIGHT, width,
                                                  FOOT_HEIGHT));
  if (width > 24 && segment->title)
    draw_text (widget, snapshot, segment->title, current, .88, x0 + 6,
               RULER_HEIGHT + (BLOCK_HEIGHT - FOOT_HEIGHT) / 2.0, width - 10, &text);
  gtk_snapshot_pop (snapshot);
  if (contrast)
    gtk_snapshot_append_border (snapshot, &rounded, (float[4]){ 1.5f, 1.5f, 1.5f, 1.5f },
                                (GdkRGBA[4]){ text, text, text, text });
}

static void
draw_playhead (VtrPassRuler *self, GtkSnapshot *snapshot, double position)
{
  GtkWidget *widget = GTK_WIDGET (self);
  double x = round (x_of (self, position));
  GdkRGBA color = get_color (widget, "accent_color", 1);
  cairo_t *cr;

  gtk_snapshot_append_color (
    snapshot, &color, &GRAPHENE_RECT_INIT ((float)x - 1, RULER_HEIGHT - 6, 2, BLOCK_HEIGHT + 8));
  cr = gtk_snapshot_append_cairo (snapshot,
                                  &GRAPHENE_RECT_INIT ((float)x - 6, RULER_HEIGHT - 9, 12, 9));
  gdk_cairo_set_source_rgba (cr, &color);
  cairo_move_to (cr, x - 5, RULER_HEIGHT - 8);
  cairo_line_to (cr, x + 5, RULER_HEIGHT - 8);
  cairo_line_to (cr, x, RULER_HEIGHT - 1);
  cairo_fill (cr);
  cairo_destroy (cr);
}

static void
vtr_pass_ruler_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtrPassRuler *self = VTR_PASS_RULER (widget);
  guint64 command = self->session ? vtr_session_get_command (self->session) : VTR_COMMAND_NO_INDEX;
  double position = command == VTR_COMMAND_NO_INDEX ? -1 : position_of (self, command);

  if (self->total == 0)
    {
      GdkRGBA text = get_color (widget, "window_fg_color", .7);

      if (self->session)
        draw_text (widget, snapshot, _ ("No passes to show in this frame"), FALSE, .9,
                   PAD + 6, gtk_widget_get_height (widget) / 2.0,
                   gtk_widget_get_width (widget) - 20, &text);
      return;
    }
  draw_ruler (self, snapshot);
  for (guint i = 0; i < self->segments->len; i++)
    {
      const Segment *segment = &g_array_index (self->segments, Segment, i);

      if (segment->title)
        draw_block (self, snapshot, segment, command >= segment->first && command <= segment->last);
    }
  if (position >= 0)
    draw_playhead (self, snapshot, position);
}

static void
vtr_pass_ruler_measure (GtkWidget      *widget,
                        GtkOrientation  orientation,
                        int             for_size,
                        int            *minimum,
                        int            *natural,
                        int            *minimum_baseline,
                        int            *natural_baseline)
{
  *minimum = *natural =
    orientation == GTK_ORIENTATION_VERTICAL ? RULER_HEIGHT + BLOCK_HEIGHT + 4 : 80;
}

/* --- input ----------------------------------------------------------------------------------- */

static void
select_segment (VtrPassRuler *self, guint at)
{
  if (at < self->segments->len && self->session)
    vtr_session_select (self->session, g_array_index (self->segments, Segment, at).node.command,
                        VTR_SELECT_JUMP);
}

static void
pressed_cb (VtrPassRuler *self, int n_press, double x, double y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (y >= RULER_HEIGHT)
    select_segment (self, segment_at (self, x));
}

static void
drag_update_cb (VtrPassRuler *self, double dx, double dy, GtkGestureDrag *drag)
{
  VtrTrace *trace = self->session ? vtr_session_get_trace (self->session) : NULL;
  double width = MAX (gtk_widget_get_width (GTK_WIDGET (self)) - 2 * PAD, 1);
  double x, y;
  guint at;

  if (trace == NULL || fabs (dx) < 4 || !gtk_gesture_drag_get_start_point (drag, &x, &y))
    return;
  x = CLAMP (x + dx, PAD, PAD + width - 1);
  at = segment_at (self, x);
  if (at == G_MAXUINT)
    return;
  {
    const Segment *segment = &g_array_index (self->segments, Segment, at);
    double position = (x - PAD) / width * (double)self->total;
    guint64 command =
      MIN (segment->last, segment->first + (guint64)MAX (0, position - (double)segment->start));

    /* Dragging goes from draw to draw. */
    for (guint64 i = command; i >= segment->first; i--)
      {
        VtrCommandKind kind = vtr_command_kind (vtr_trace_get_command_id (trace, i));

        if (kind == VTR_COMMAND_KIND_DRAW || kind == VTR_COMMAND_KIND_DISPATCH ||
            i == segment->first)
          {
            vtr_session_select (self->session, i, VTR_SELECT_STEP);
            return;
          }
      }
  }
}

static gboolean
key_pressed_cb (VtrPassRuler *self, guint key)
{
  guint64 command = self->session ? vtr_session_get_command (self->session) : VTR_COMMAND_NO_INDEX;
  guint current = G_MAXUINT;
  int step = key == GDK_KEY_Right ? 1 : key == GDK_KEY_Left ? -1
                                                            : 0;

  if (step == 0 || self->segments->len == 0)
    return GDK_EVENT_PROPAGATE;
  for (guint i = 0; i < self->segments->len; i++)
    {
      const Segment *segment = &g_array_index (self->segments, Segment, i);

      if (command >= segment->first && command <= segment->last)
        current = i;
    }
  for (gint64 i = current == G_MAXUINT ? (step > 0 ? -1 : (gint64)self->segments->len)
                                       : (gint64)current;
       ;)
    {
      i += step;
      if (i < 0 || i >= (gint64)self->segments->len)
        return GDK_EVENT_STOP;
      if (g_array_index (self->segments, Segment, (guint)i).title)
        {
          select_segment (self, (guint)i);
          return GDK_EVENT_STOP;
        }
    }
}

static gboolean
query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  VtrPassRuler *self = VTR_PASS_RULER (widget);
  guint at = keyboard ? G_MAXUINT : segment_at (self, x);
  const Segment *segment;
  g_autofree char *text = NULL;

  if (at == G_MAXUINT)
    return FALSE;
  segment = &g_array_index (self->segments, Segment, at);
  if (segment->title == NULL)
    return FALSE;
  text = g_strdup_printf ("%s\n%s", segment->title, segment->detail ? segment->detail : "");
  gtk_tooltip_set_text (tooltip, g_strchomp (text));
  return TRUE;
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_pass_ruler_dispose (GObject *object)
{
  g_clear_weak_pointer (&VTR_PASS_RULER (object)->session);
  G_OBJECT_CLASS (vtr_pass_ruler_parent_class)->dispose (object);
}

static void
vtr_pass_ruler_finalize (GObject *object)
{
  g_array_unref (VTR_PASS_RULER (object)->segments);
  G_OBJECT_CLASS (vtr_pass_ruler_parent_class)->finalize (object);
}

static void
vtr_pass_ruler_class_init (VtrPassRulerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_pass_ruler_dispose;
  G_OBJECT_CLASS (klass)->finalize = vtr_pass_ruler_finalize;
  widget_class->snapshot = vtr_pass_ruler_snapshot;
  widget_class->measure = vtr_pass_ruler_measure;
  widget_class->query_tooltip = query_tooltip;
  gtk_widget_class_set_css_name (widget_class, "vtrpassruler");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST);
}

static void
vtr_pass_ruler_init (VtrPassRuler *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->segments = g_array_new (FALSE, TRUE, sizeof (Segment));
  g_array_set_clear_func (self->segments, segment_clear);
  self->hover = G_MAXUINT;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect_object (click, "pressed", G_CALLBACK (pressed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (drag, "drag-update", G_CALLBACK (drag_update_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

GtkWidget *
vtr_pass_ruler_new (void)
{
  return g_object_new (VTR_TYPE_PASS_RULER, NULL);
}

void
vtr_pass_ruler_set_frame (VtrPassRuler *self, VtrSession *session, guint64 frame)
{
  g_autofree char *number = NULL;
  g_autofree char *label = NULL;
  guint n = 0;

  if (session != self->session || frame != self->frame || !self->has_frame)
    {
      g_set_weak_pointer (&self->session, session);
      self->frame = frame;
      self->has_frame = session != NULL;
      if (session)
        load (self);
      else
        g_array_set_size (self->segments, 0);
    }
  for (guint i = 0; i < self->segments->len; i++)
    n += g_array_index (self->segments, Segment, i).node.kind == VTR_NODE_PASS;
  number = vtr_format_number (frame);
  label = g_strdup_printf (ngettext ("Frame %s, %u pass", "Frame %s, %u passes", n), number, n);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
