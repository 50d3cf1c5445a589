/* Docks the panes of a window: moves, splits, closes and reopens them, and stores the layout in
 * GSettings. */
#pragma once

#include <libpanel.h>

G_BEGIN_DECLS

/**
 * VtrLayout:
 *
 * libpanel 1.0 remembers nothing by itself. A layout is a list of places, one per pane: an area,
 * a frame of it (column and
 * row), and whether the pane is in front there; a pane without a place is closed. Invalid settings,
 * and those of later versions, are used as far as possible: unknown panes are skipped, new panes
 * get their default place.
 *
 * The group of actions of vtr_layout_get_actions() is called "panes": one switch per pane (its
 * id), "move (ss)" with pane and
 * area, "split s", "close s", "reset".
 *
 * Threading: main.
 */
#define VTR_TYPE_LAYOUT (vtr_layout_get_type ())
G_DECLARE_FINAL_TYPE (VtrLayout, vtr_layout, VTR, LAYOUT, GObject)

typedef struct
{
  PanelDock *dock;
  PanelGrid *grid;
  PanelPaned *start, *end, *bottom; /* the edges' children */
  GPtrArray *panes;                 /* PanelWidget, in the order of vtr_panes_list() */
} VtrLayoutParts;

/* Restores the stored places of the panes. @parts are borrowed and must outlive the layout. */
VtrLayout *vtr_layout_new (const VtrLayoutParts *parts);
GActionGroup *vtr_layout_get_actions (VtrLayout *self);

/* Stores the layout; called when the window closes. Moves are stored at once. */
void vtr_layout_save (VtrLayout *self);
/* Sets whether the window is narrow. A narrow window shows the end and bottom areas only on
 * request. The first call shows the other areas. */
void vtr_layout_set_narrow (VtrLayout *self,
                            gboolean   narrow);
/* Sets the size of the window in pixels. Edges that the user has not dragged take a quarter of it,
 * between limits. */
void vtr_layout_set_window_size (VtrLayout *self,
                                 int        width,
                                 int        height);
/* libpanel takes the size of a frame only once it is mapped. */
void vtr_layout_apply_sizes (VtrLayout *self);

/* Brings @pane to the front, and reopens it if it is closed. */
void vtr_layout_show (VtrLayout   *self,
                      PanelWidget *pane);
/* Makes its frame show @pane, unless the pane is closed. */
void vtr_layout_bring_forward (VtrLayout   *self,
                               PanelWidget *pane);
/* The frames with panes in them, in reading order. (transfer container) */
GPtrArray *vtr_layout_list_frames (VtrLayout *self);

G_END_DECLS
