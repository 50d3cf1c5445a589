/* The sizes of the docked areas: chooses them by the window's size, and stores and restores
 * those that the user chose. */
#include "vtr-config.h"

#include "widgets/vtr-pane-area.h"
#include "widgets/vtr-text-scale.h"
#include "window/vtr-layout-private.h"

#define START_WIDTH 440
#define START_WIDTH_NARROW 300
#define END_WIDTH 372
#define BOTTOM_HEIGHT 220
/* In a large window an edge takes a quarter of the window, up to these sizes. */
#define MAX_SIDE_WIDTH 640
#define MAX_BOTTOM_HEIGHT 360
#define NARROW_PERCENT 27 /* the largest share of a narrow window for an edge; the middle gets the
                             rest */
#define FIRST_HEIGHT 222  /* of a frame above others, until the user drags the divider */
#define MIN_SIZE 80
#define MAX_SIZE 4000

const VtrLayoutEdge vtr_layout_edges[VTR_LAYOUT_N_EDGES] = {
  { PANEL_AREA_START, "start-width", "start-width", START_WIDTH, MAX_SIDE_WIDTH,
    "reveal-start" },
  { PANEL_AREA_END, "end-width", "end-width", END_WIDTH, MAX_SIDE_WIDTH,
    "reveal-end" },
  { PANEL_AREA_BOTTOM, "bottom-height", "bottom-height", BOTTOM_HEIGHT, MAX_BOTTOM_HEIGHT,
    "reveal-bottom" },
};

/* --- sizes ----------------------------------------------------------------------------------- */

static int
get_default_height (VtrLayout *self, PanelArea area, guint n)
{
  return area == PANEL_AREA_END && n == 0
           ? vtr_text_scaled (GTK_WIDGET (self->parts.dock), FIRST_HEIGHT)
           : -1;
}

/* A frame keeps a size only while its resizer does not expand; the last one takes what is left. */
static void
size_frames (VtrLayout *self, PanelArea area, GVariant *sizes)
{
  g_autoptr (GPtrArray) frames = vtr_layout_list_area (self, area);
  PanelFrame *last = NULL;

  for (guint i = 0; i < frames->len; i++)
    if (!panel_frame_get_empty (g_ptr_array_index (frames, i)))
      last = g_ptr_array_index (frames, i);
  for (guint i = 0; i < frames->len; i++)
    {
      PanelFrame *frame = g_ptr_array_index (frames, i);
      GtkWidget *resizer = gtk_widget_get_parent (GTK_WIDGET (frame));
      int size = get_default_height (self, area, i);
      GVariantIter iter;
      const char *name;
      guint32 n;
      gint32 stored;

      g_variant_iter_init (&iter, sizes);
      while (g_variant_iter_next (&iter, "(&sui)", &name, &n, &stored))
        if (n == i && g_str_equal (name, vtr_pane_area_name (area)))
          size = stored;
      if (resizer == NULL)
        continue;
      if (frame == last || size < MIN_SIZE || size > MAX_SIZE)
        {
          panel_frame_set_requested_size (frame, -1);
          gtk_widget_set_vexpand_set (resizer, FALSE);
          gtk_widget_set_hexpand_set (resizer, FALSE);
        }
      else
        {
          panel_frame_set_requested_size (frame, size);
          if (area == PANEL_AREA_BOTTOM)
            gtk_widget_set_hexpand (resizer, FALSE);
          else
            gtk_widget_set_vexpand (resizer, FALSE);
        }
    }
}

void
vtr_layout_apply_sizes (VtrLayout *self)
{
  g_autoptr (GVariant) sizes = g_settings_get_value (self->settings, "frame-sizes");

  for (guint i = 0; i < VTR_LAYOUT_N_EDGES; i++)
    size_frames (self, vtr_layout_edges[i].area, sizes);
}

void
vtr_layout_save_sizes (VtrLayout *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sui)"));
  for (guint i = 0; i < VTR_LAYOUT_N_EDGES; i++)
    {
      g_autoptr (GPtrArray) frames = vtr_layout_list_area (self, vtr_layout_edges[i].area);

      for (guint j = 0; j + 1 < frames->len; j++)
        {
          GtkWidget *frame = g_ptr_array_index (frames, j);
          int size = vtr_layout_edges[i].area == PANEL_AREA_BOTTOM ? gtk_widget_get_width (frame)
                                                                   : gtk_widget_get_height (frame);

          if (size >= MIN_SIZE && size <= MAX_SIZE && gtk_widget_get_mapped (frame))
            g_variant_builder_add (&builder, "(sui)",
                                   vtr_pane_area_name (vtr_layout_edges[i].area), j,
                                   size);
        }
    }
  g_settings_set_value (self->settings, "frame-sizes", g_variant_builder_end (&builder));
}

/* --- edges ----------------------------------------------------------------------------------- */

/* The size of edge @i until the user drags it. */
static int
get_automatic_size (VtrLayout *self, guint i)
{
  const VtrLayoutEdge *edge = &vtr_layout_edges[i];
  GtkWidget *dock = GTK_WIDGET (self->parts.dock);

  return CLAMP ((edge->area == PANEL_AREA_BOTTOM ? self->height : self->width) / 4,
                vtr_text_scaled (dock, edge->default_size),
                vtr_text_scaled (dock, edge->largest_size));
}

/* The size of edge @i in a narrow window. @size: its size in a wide window. @chosen: the user chose
 * that. */
static int
get_narrow_size (VtrLayout *self, guint i, int size, gboolean chosen)
{
  PanelArea area = vtr_layout_edges[i].area;

  if (area == PANEL_AREA_START)
    size = MIN (size, vtr_text_scaled (GTK_WIDGET (self->parts.dock), START_WIDTH_NARROW));
  if (!chosen && area != PANEL_AREA_BOTTOM && self->width > 0)
    size = MIN (size, MAX (START_WIDTH_NARROW, self->width * NARROW_PERCENT / 100));
  return size;
}

/* Returns: FALSE if the user has not dragged edge @i. */
static gboolean
get_chosen_size (VtrLayout *self, guint i, int *size)
{
  *size = g_settings_get_int (self->settings, vtr_layout_edges[i].size_key);
  /* Versions without automatic sizes stored the default size, too. */
  return *size >= MIN_SIZE && *size <= MAX_SIZE && *size != vtr_layout_edges[i].default_size;
}

static void
set_edge_size (VtrLayout *self, guint i, int size)
{
  self->given[i] = size;
  g_object_set (self->parts.dock, vtr_layout_edges[i].size_property, size, NULL);
}

static int
get_edge_size (VtrLayout *self, guint i)
{
  int size = 0;

  g_object_get (self->parts.dock, vtr_layout_edges[i].size_property, &size, NULL);
  return size;
}

void
vtr_layout_save_edges (VtrLayout *self)
{
  for (guint i = 0; i < VTR_LAYOUT_N_EDGES; i++)
    {
      gboolean revealed = panel_dock_get_reveal_area (self->parts.dock, vtr_layout_edges[i].area);
      int size = get_edge_size (self, i);

      g_settings_set_boolean (self->settings, vtr_layout_edges[i].reveal_key, revealed);
      if (revealed && size != self->given[i] && size >= MIN_SIZE && size <= MAX_SIZE)
        g_settings_set_int (self->settings, vtr_layout_edges[i].size_key, size);
    }
}

void
vtr_layout_restore_edges (VtrLayout *self)
{
  for (guint i = 0; i < VTR_LAYOUT_N_EDGES; i++)
    {
      gboolean reveal = g_settings_get_boolean (self->settings, vtr_layout_edges[i].reveal_key);
      int size;
      gboolean chosen = get_chosen_size (self, i, &size);

      if (!chosen)
        size = get_automatic_size (self, i);
      if (self->narrow)
        size = get_narrow_size (self, i, size, chosen);
      set_edge_size (self, i, size);
      if (self->narrow && vtr_layout_edges[i].area != PANEL_AREA_START)
        reveal = FALSE;
      panel_dock_set_reveal_area (self->parts.dock, vtr_layout_edges[i].area, reveal);
    }
  vtr_layout_tidy (self);
}

void
vtr_layout_set_narrow (VtrLayout *self, gboolean narrow)
{
  g_return_if_fail (VTR_IS_LAYOUT (self));

  if (self->has_width && self->narrow == narrow)
    return;
  if (self->has_width && narrow)
    vtr_layout_save_edges (self);
  self->narrow = narrow;
  self->has_width = TRUE;
  vtr_layout_restore_edges (self);
}

void
vtr_layout_set_window_size (VtrLayout *self, int width, int height)
{
  g_return_if_fail (VTR_IS_LAYOUT (self));

  if (self->width == width && self->height == height)
    return;
  self->width = width;
  self->height = height;
  for (guint i = 0; i < VTR_LAYOUT_N_EDGES; i++)
    {
      int size = get_automatic_size (self, i), chosen;

      if (self->narrow)
        size = get_narrow_size (self, i, size, FALSE);
      /* An edge that was dragged since it got its size also keeps it. */
      if (!get_chosen_size (self, i, &chosen) && get_edge_size (self, i) == self->given[i] &&
          size != self->given[i])
        set_edge_size (self, i, size);
    }
}
