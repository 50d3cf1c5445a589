/* VtrLayout itself. Its files are vtr-layout.c (moving panes), -places (the stored places) and
 * -sizes (sizes of the docked areas). */
#pragma once

#include <gio/gio.h>

#include "window/vtr-layout.h"

G_BEGIN_DECLS

#define VTR_LAYOUT_MAX_FRAMES 8 /* columns, or rows, of an area */
#define VTR_LAYOUT_N_EDGES 3

struct _VtrLayout
{
  GObject parent_instance;

  VtrLayoutParts parts;
  GSettings *settings;
  GSimpleActionGroup *actions;
  gboolean has_width;
  gboolean narrow;
  int width, height;             /* of the window's page; 0: not known yet */
  int given[VTR_LAYOUT_N_EDGES]; /* the size that this code gave each edge; another size was chosen
                                    by the user */
  gboolean busy;                 /* panes are being moved by this code: do not store the layout */
};

typedef struct
{
  PanelWidget *pane;
  PanelArea area;
  guint column, row; /* of the frame in the area */
  guint order;       /* of the pane in the frame */
  gboolean front;
  gboolean closed;
} VtrLayoutPlace;

/* The default places of all panes. (transfer full) */
GArray *vtr_layout_default_places (GPtrArray *panes);
/* Takes the valid entries of @layout, "a(ssuub)". */
void vtr_layout_read_places (GArray   *places,
                             GVariant *layout);
/* Sorts, and numbers frames without gaps. */
void vtr_layout_close_gaps (GArray *places);

typedef struct
{
  PanelArea area;
  const char *size_key;
  const char *size_property;
  int default_size, largest_size; /* between these limits: a quarter of the window */
  const char *reveal_key;
} VtrLayoutEdge;

extern const VtrLayoutEdge vtr_layout_edges[VTR_LAYOUT_N_EDGES];

/* All frames of an area, in order; empty ones too. (transfer container) */
GPtrArray *vtr_layout_list_area (VtrLayout *self,
                                 PanelArea  area);
/* Call it after any change: hides empty areas, gives every frame our header, and sets the switches
 * of the menu. */
void vtr_layout_tidy (VtrLayout *self);
void vtr_layout_save_sizes (VtrLayout *self);
void vtr_layout_save_edges (VtrLayout *self);
void vtr_layout_restore_edges (VtrLayout *self);

G_END_DECLS
