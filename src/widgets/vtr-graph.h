/* A small graph of a value over time: the newest at the end, the latest value as text. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VTR_TYPE_GRAPH (vtr_graph_get_type ())
G_DECLARE_FINAL_TYPE (VtrGraph, vtr_graph, VTR, GRAPH, GtkWidget)

/* @color: a colour name of the style sheet. */
GtkWidget *vtr_graph_new (const char *title,
                          const char *color);
/* @text: the value as people read it, with its unit. */
void vtr_graph_push (VtrGraph   *self,
                     double      value,
                     const char *text);
void vtr_graph_clear (VtrGraph *self);
gboolean vtr_graph_has_points (VtrGraph *self);

G_END_DECLS
