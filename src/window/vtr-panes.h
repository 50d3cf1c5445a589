/* The table of all panes. To add a pane, write a VtrPane and give it a line here. */
#pragma once

#include "widgets/vtr-pane.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;    /* as panel_widget_get_id(); stored in layouts */
  const char *title; /* for menus; untranslated */
  PanelArea area;    /* where it is docked at first … */
  guint row;         /* … counted from the top of that area, */
  gboolean front;    /* and whether it is in front there */
  GtkWidget *(*create) (void);
} VtrPaneInfo;

/* The panes, in the order in which they stand side by side and in which they get a new session. */
const VtrPaneInfo *vtr_panes_list (guint *n_panes);

G_END_DECLS
