/* Docks the panes of a window: moves, splits, closes and reopens them, and stores the layout in
 * GSettings. */
#include "vtr-config.h"

#include "window/vtr-layout.h"

#include <glib/gi18n.h>
#include <string.h>

#include "session/vtr-settings.h"
#include "widgets/vtr-pane-area.h"
#include "widgets/vtr-pane-header.h"
#include "widgets/vtr-pane-state.h"
#include "window/vtr-layout-private.h"
#include "window/vtr-panes.h"


G_DEFINE_FINAL_TYPE (VtrLayout, vtr_layout, G_TYPE_OBJECT)

/* --- frames ---------------------------------------------------------------------------------- */

static PanelArea
get_area (PanelFrame *frame)
{
  g_autoptr (PanelPosition) position = panel_frame_get_position (frame);

  return position && panel_position_get_area_set (position) ? panel_position_get_area (position)
                                                            : PANEL_AREA_CENTER;
}

typedef struct
{
  PanelArea area;
  GPtrArray *frames;
} Collect;

static void
collect_cb (PanelFrame *frame, gpointer data)
{
  Collect *collect = data;

  if (get_area (frame) == collect->area)
    g_ptr_array_add (collect->frames, frame);
}

/* All frames of an area, in order; empty ones too. */
GPtrArray *
vtr_layout_list_area (VtrLayout *self, PanelArea area)
{
  Collect collect = { area, g_ptr_array_new () };

  panel_dock_foreach_frame (self->parts.dock, collect_cb, &collect);
  return collect.frames;
}

GPtrArray *
vtr_layout_list_frames (VtrLayout *self)
{
  static const PanelArea order[] = { PANEL_AREA_START, PANEL_AREA_CENTER, PANEL_AREA_END,
                                     PANEL_AREA_BOTTOM };
  GPtrArray *all = g_ptr_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    {
      g_autoptr (GPtrArray) frames = vtr_layout_list_area (self, order[i]);

      for (guint j = 0; j < frames->len; j++)
        if (!panel_frame_get_empty (g_ptr_array_index (frames, j)))
          g_ptr_array_add (all, g_ptr_array_index (frames, j));
    }
  return all;
}

static PanelPaned *
get_paned (VtrLayout *self, PanelArea area)
{
  if (area == PANEL_AREA_START)
    return self->parts.start;
  return area == PANEL_AREA_END ? self->parts.end : self->parts.bottom;
}

/* Must run before the frame gets pages: a tab bar of libpanel that is replaced during an animation
 * goes on animating after it was freed (libadwaita 1.2). */
static PanelFrame *
with_header (PanelFrame *frame)
{
  if (!VTR_IS_PANE_HEADER (panel_frame_get_header (frame)))
    panel_frame_set_header (frame, PANEL_FRAME_HEADER (vtr_pane_header_new ()));
  return frame;
}

/* The frame at a place. Makes it if it does not exist. */
static PanelFrame *
get_frame (VtrLayout *self, PanelArea area, guint column, guint row)
{
  g_autoptr (GPtrArray) frames = NULL;
  guint n = area == PANEL_AREA_BOTTOM ? column : row;

  column = MIN (column, VTR_LAYOUT_MAX_FRAMES - 1);
  row = MIN (row, VTR_LAYOUT_MAX_FRAMES - 1);
  if (area == PANEL_AREA_CENTER)
    return with_header (
      panel_grid_column_get_row (panel_grid_get_column (self->parts.grid, column), row));
  frames = vtr_layout_list_area (self, area);
  for (guint i = frames->len; i <= MIN (n, VTR_LAYOUT_MAX_FRAMES - 1); i++)
    {
      GtkWidget *frame = panel_frame_new ();

      panel_paned_append (get_paned (self, area), frame);
      g_ptr_array_add (frames, frame);
    }
  return with_header (g_ptr_array_index (frames, MIN (n, VTR_LAYOUT_MAX_FRAMES - 1)));
}

static PanelFrame *
get_frame_of (PanelWidget *pane)
{
  return PANEL_FRAME (gtk_widget_get_ancestor (GTK_WIDGET (pane), PANEL_TYPE_FRAME));
}

/* --- after a change -------------------------------------------------------------------------- */

static void
show_resizer (GtkWidget *child, gboolean show)
{
  GtkWidget *resizer = gtk_widget_get_parent (child);

  if (resizer)
    gtk_widget_set_visible (resizer, show);
}

/* A frame without panes takes no room; frames that libpanel made get our header. Returns:
 * whether the area holds any. */
static gboolean
tidy_area (VtrLayout *self, PanelArea area)
{
  g_autoptr (GPtrArray) frames = vtr_layout_list_area (self, area);
  gboolean any = FALSE;

  for (guint i = 0; i < frames->len; i++)
    {
      PanelFrame *frame = g_ptr_array_index (frames, i);

      with_header (frame);
      any |= !panel_frame_get_empty (frame);
    }
  for (guint i = 0; i < frames->len; i++)
    {
      GtkWidget *frame = g_ptr_array_index (frames, i);

      /* The centre is never without a frame: the first says what to do. */
      show_resizer (frame, !panel_frame_get_empty (PANEL_FRAME (frame)) ||
                             (area == PANEL_AREA_CENTER && !any && i == 0));
    }
  return any;
}

static void
tidy_columns (VtrLayout *self)
{
  guint n = panel_grid_get_n_columns (self->parts.grid);

  for (guint i = 0; i < n; i++)
    {
      PanelGridColumn *column = panel_grid_get_column (self->parts.grid, i);

      show_resizer (GTK_WIDGET (column), i == 0 || !panel_grid_column_get_empty (column));
    }
}

static void
update_switches (VtrLayout *self)
{
  for (guint i = 0; i < self->parts.panes->len; i++)
    {
      PanelWidget *pane = g_ptr_array_index (self->parts.panes, i);
      GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->actions),
                                                    panel_widget_get_id (pane));

      g_simple_action_set_state (G_SIMPLE_ACTION (action),
                                 g_variant_new_boolean (gtk_widget_get_parent (GTK_WIDGET (pane)) !=
                                                        NULL));
    }
}

void
vtr_layout_tidy (VtrLayout *self)
{
  tidy_area (self, PANEL_AREA_CENTER);
  tidy_columns (self);
  for (guint i = 0; i < VTR_LAYOUT_N_EDGES; i++)
    if (!tidy_area (self, vtr_layout_edges[i].area))
      panel_dock_set_reveal_area (self->parts.dock, vtr_layout_edges[i].area, FALSE);
  update_switches (self);
}

static void
set_placeholder (VtrLayout *self)
{
  GtkWidget *state = vtr_pane_state_new ();
  PanelFrame *frame = get_frame (self, PANEL_AREA_CENTER, 0, 0);

  if (panel_frame_get_placeholder (frame))
    {
      g_object_unref (g_object_ref_sink (state));
      return;
    }
  vtr_pane_state_set (VTR_PANE_STATE (state), "view-grid-symbolic", _ ("No Pane Here"),
                      _ ("Reopen closed panes from the main menu."));
  vtr_pane_state_add_button (VTR_PANE_STATE (state), _ ("_Reset Layout"), "panes.reset");
  panel_frame_set_placeholder (frame, state);
}

/* --- places ---------------------------------------------------------------------------------- */

static void
take_out (PanelWidget *pane)
{
  PanelFrame *frame;

  panel_widget_unmaximize (pane);
  frame = get_frame_of (pane);
  if (frame)
    panel_frame_remove (frame, pane);
}

static void
put_panes (VtrLayout *self, GArray *places)
{
  self->busy = TRUE;
  for (guint i = 0; i < places->len; i++)
    take_out (g_array_index (places, VtrLayoutPlace, i).pane);
  for (guint i = 0; i < places->len;)
    if (g_array_index (places, VtrLayoutPlace, i).closed)
      g_array_remove_index (places, i);
    else
      i++;
  vtr_layout_close_gaps (places);
  for (guint i = 0; i < places->len; i++)
    {
      const VtrLayoutPlace *place = &g_array_index (places, VtrLayoutPlace, i);

      panel_frame_add (get_frame (self, place->area, place->column, place->row), place->pane);
    }
  for (guint i = 0; i < places->len; i++)
    {
      const VtrLayoutPlace *place = &g_array_index (places, VtrLayoutPlace, i);

      if (place->front)
        panel_frame_set_visible_child (get_frame_of (place->pane), place->pane);
    }
  self->busy = FALSE;
}

static void
add_places (GVariantBuilder *builder, PanelFrame *frame, PanelArea area, guint column, guint row)
{
  guint n = panel_frame_get_n_pages (frame);

  for (guint i = 0; i < n; i++)
    {
      PanelWidget *pane = panel_frame_get_page (frame, i);

      g_variant_builder_add (builder, "(ssuub)", panel_widget_get_id (pane),
                             vtr_pane_area_name (area), column, row,
                             panel_frame_get_visible_child (frame) == pane);
    }
}

static GVariant *
write_places (VtrLayout *self)
{
  GVariantBuilder builder;
  guint n_columns = panel_grid_get_n_columns (self->parts.grid);

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(ssuub)"));
  for (guint i = 0; i < VTR_LAYOUT_N_EDGES; i++)
    {
      g_autoptr (GPtrArray) frames = vtr_layout_list_area (self, vtr_layout_edges[i].area);
      gboolean beside = vtr_layout_edges[i].area == PANEL_AREA_BOTTOM;

      for (guint j = 0; j < frames->len; j++)
        add_places (&builder, g_ptr_array_index (frames, j), vtr_layout_edges[i].area,
                    beside ? j : 0,
                    beside ? 0 : j);
    }
  for (guint i = 0; i < n_columns; i++)
    {
      PanelGridColumn *column = panel_grid_get_column (self->parts.grid, i);
      guint n_rows = panel_grid_column_get_n_rows (column);

      for (guint j = 0; j < n_rows; j++)
        add_places (&builder, panel_grid_column_get_row (column, j), PANEL_AREA_CENTER, i, j);
    }
  for (guint i = 0; i < self->parts.panes->len; i++)
    {
      PanelWidget *pane = g_ptr_array_index (self->parts.panes, i);

      if (gtk_widget_get_parent (GTK_WIDGET (pane)) == NULL)
        g_variant_builder_add (&builder, "(ssuub)", panel_widget_get_id (pane), "closed", 0, 0,
                               FALSE);
    }
  return g_variant_builder_end (&builder);
}

static void
restore (VtrLayout *self)
{
  g_autoptr (GVariant) layout = g_settings_get_value (self->settings, "layout");
  g_autoptr (GArray) places = vtr_layout_default_places (self->parts.panes);

  vtr_layout_read_places (places, layout);
  put_panes (self, places);
  set_placeholder (self);
  vtr_layout_tidy (self);
}

static PanelWidget *
find_maximized (VtrLayout *self)
{
  for (guint i = 0; i < self->parts.panes->len; i++)
    {
      PanelWidget *pane = g_ptr_array_index (self->parts.panes, i);

      if (gtk_widget_get_parent (GTK_WIDGET (pane)) && get_frame_of (pane) == NULL)
        return pane;
    }
  return NULL;
}

void
vtr_layout_save (VtrLayout *self)
{
  PanelWidget *maximized;

  g_return_if_fail (VTR_IS_LAYOUT (self));

  /* A window that never showed a trace has no layout to store. */
  if (!self->has_width || self->busy)
    return;
  /* A maximised pane is in no frame, and would count as closed. */
  maximized = find_maximized (self);
  if (maximized)
    panel_widget_unmaximize (maximized);
  g_settings_set_value (self->settings, "layout", write_places (self));
  vtr_layout_save_sizes (self);
  if (!self->narrow)
    vtr_layout_save_edges (self);
}

/* --- actions --------------------------------------------------------------------------------- */

static PanelWidget *
find_pane (VtrLayout *self, const char *id)
{
  for (guint i = 0; i < self->parts.panes->len; i++)
    if (g_strcmp0 (panel_widget_get_id (g_ptr_array_index (self->parts.panes, i)), id) == 0)
      return g_ptr_array_index (self->parts.panes, i);
  return NULL;
}

static void
finish_change (VtrLayout *self)
{
  vtr_layout_tidy (self);
  vtr_layout_apply_sizes (self);
  vtr_layout_save (self);
}

void
vtr_layout_bring_forward (VtrLayout *self, PanelWidget *pane)
{
  PanelFrame *frame = get_frame_of (pane);

  if (frame == NULL)
    return;
  panel_frame_set_visible_child (frame, pane);
  if (get_area (frame) != PANEL_AREA_CENTER)
    panel_dock_set_reveal_area (self->parts.dock, get_area (frame), TRUE);
}

/* The frame that a pane joins in an area: the first one that has panes. */
static PanelFrame *
choose_frame (VtrLayout *self, PanelArea area)
{
  g_autoptr (GPtrArray) frames = vtr_layout_list_area (self, area);

  for (guint i = 0; i < frames->len; i++)
    if (!panel_frame_get_empty (g_ptr_array_index (frames, i)))
      return g_ptr_array_index (frames, i);
  return get_frame (self, area, 0, 0);
}

static void
move_to_frame (VtrLayout *self, PanelWidget *pane, PanelFrame *frame)
{
  self->busy = TRUE;
  take_out (pane);
  panel_frame_add (frame, pane);
  vtr_layout_bring_forward (self, pane);
  self->busy = FALSE;
  finish_change (self);
}

static void
move_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrLayout *self = data;
  const char *id;
  const char *area_name;
  PanelWidget *pane;
  PanelArea area;
  PanelFrame *frame;

  g_variant_get (parameter, "(&s&s)", &id, &area_name);
  pane = find_pane (self, id);
  if (pane == NULL || !vtr_pane_area_from_name (area_name, &area))
    return;
  frame = get_frame_of (pane);
  if (frame == NULL || get_area (frame) != area)
    move_to_frame (self, pane, choose_frame (self, area));
}

/* Moves a pane into a new frame below its frame; in the bottom area, beside it. */
static void
split_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrLayout *self = data;
  PanelWidget *pane = find_pane (self, g_variant_get_string (parameter, NULL));
  PanelFrame *frame = pane ? get_frame_of (pane) : NULL;
  g_autoptr (PanelPosition) position = NULL;
  g_autoptr (GPtrArray) frames = NULL;
  PanelArea area;
  guint n;

  if (frame == NULL || panel_frame_get_n_pages (frame) < 2)
    return;
  area = get_area (frame);
  frames = vtr_layout_list_area (self, area);
  position = panel_frame_get_position (frame);
  for (guint i = 0; i < frames->len; i++)
    if (area != PANEL_AREA_CENTER && panel_frame_get_empty (g_ptr_array_index (frames, i)))
      {
        move_to_frame (self, pane, g_ptr_array_index (frames, i));
        return;
      }
  n = area == PANEL_AREA_CENTER
        ? panel_grid_column_get_n_rows (
            panel_grid_get_column (self->parts.grid, panel_position_get_column (position)))
        : frames->len;
  if (n < VTR_LAYOUT_MAX_FRAMES)
    move_to_frame (self, pane,
                   get_frame (self, area,
                              area == PANEL_AREA_BOTTOM ? n : panel_position_get_column (position),
                              n));
}

static void
close_pane (VtrLayout *self, PanelWidget *pane)
{
  take_out (pane);
  finish_change (self);
}

static void
close_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  PanelWidget *pane = find_pane (data, g_variant_get_string (parameter, NULL));

  if (pane)
    close_pane (data, pane);
}

void
vtr_layout_show (VtrLayout *self, PanelWidget *pane)
{
  guint n_infos;
  const VtrPaneInfo *infos = vtr_panes_list (&n_infos);
  PanelWidget *maximized;

  g_return_if_fail (VTR_IS_LAYOUT (self) && PANEL_IS_WIDGET (pane));

  maximized = find_maximized (self);
  if (maximized == pane)
    return;
  if (maximized)
    panel_widget_unmaximize (maximized);
  if (get_frame_of (pane))
    vtr_layout_bring_forward (self, pane);
  else
    for (guint i = 0; i < n_infos; i++)
      if (g_strcmp0 (infos[i].id, panel_widget_get_id (pane)) == 0)
        move_to_frame (self, pane, choose_frame (self, infos[i].area));
}

static void
switch_action (GSimpleAction *action, GVariant *state, gpointer data)
{
  VtrLayout *self = data;
  PanelWidget *pane = find_pane (self, g_action_get_name (G_ACTION (action)));

  if (pane == NULL)
    return;
  if (g_variant_get_boolean (state))
    vtr_layout_show (self, pane);
  else
    close_pane (self, pane);
}

/* The user dropped a pane. */
static void
changed_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  finish_change (data);
}

static void
reset_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  VtrLayout *self = data;

  g_settings_reset (self->settings, "layout");
  g_settings_reset (self->settings, "frame-sizes");
  for (guint i = 0; i < VTR_LAYOUT_N_EDGES; i++)
    {
      g_settings_reset (self->settings, vtr_layout_edges[i].size_key);
      g_settings_reset (self->settings, vtr_layout_edges[i].reveal_key);
    }
  restore (self);
  vtr_layout_restore_edges (self);
  vtr_layout_apply_sizes (self);
}

static void
add_actions (VtrLayout *self)
{
  static const GActionEntry entries[] = {
    { "move", move_action, "(ss)" },
    { "split", split_action, "s" },
    { "close", close_action, "s" },
    { "changed", changed_action },
    { "reset", reset_action },
  };

  self->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), entries, G_N_ELEMENTS (entries),
                                   self);
  for (guint i = 0; i < self->parts.panes->len; i++)
    {
      PanelWidget *pane = g_ptr_array_index (self->parts.panes, i);
      g_autoptr (GSimpleAction) action = g_simple_action_new_stateful (
        panel_widget_get_id (pane), NULL, g_variant_new_boolean (FALSE));

      g_signal_connect_object (action, "change-state", G_CALLBACK (switch_action), self, 0);
      g_action_map_add_action (G_ACTION_MAP (self->actions), G_ACTION (action));
    }
}

/* --- life ------------------------------------------------------------------------------------ */

/* Menus may hold a reference to the action group after the layout is gone. */
static void
remove_actions (VtrLayout *self)
{
  g_auto (GStrv) names = g_action_group_list_actions (G_ACTION_GROUP (self->actions));

  for (guint i = 0; names[i]; i++)
    g_action_map_remove_action (G_ACTION_MAP (self->actions), names[i]);
}

static void
vtr_layout_finalize (GObject *object)
{
  VtrLayout *self = VTR_LAYOUT (object);

  if (self->actions)
    remove_actions (self);
  g_clear_object (&self->settings);
  g_clear_object (&self->actions);
  G_OBJECT_CLASS (vtr_layout_parent_class)->finalize (object);
}

static void
vtr_layout_class_init (VtrLayoutClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_layout_finalize;
}

static void
vtr_layout_init (VtrLayout *self)
{
  self->settings = vtr_settings_new ();
}

VtrLayout *
vtr_layout_new (const VtrLayoutParts *parts)
{
  VtrLayout *self = g_object_new (VTR_TYPE_LAYOUT, NULL);

  self->parts = *parts;
  add_actions (self);
  restore (self);
  vtr_layout_restore_edges (self);
  return self;
}

GActionGroup *
vtr_layout_get_actions (VtrLayout *self)
{
  return G_ACTION_GROUP (self->actions);
}
