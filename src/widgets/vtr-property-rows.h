/* Names and values as a card of expandable rows. */
#pragma once

#include <gtk/gtk.h>

#include "engine/model/vtr-property-list.h"

G_BEGIN_DECLS

/**
 * VtrPropertyRows:
 *
 * A list of VtrPropertyRow: rows with something below have an expander; links select what they lead to ("win.select").
 * Structures are unfolded at first as long as that makes a short list. Made with a scrolled window
 * of its own, only the visible rows are made.
 */
#define VTR_TYPE_PROPERTY_ROWS (vtr_property_rows_get_type ())
G_DECLARE_FINAL_TYPE (VtrPropertyRows, vtr_property_rows, VTR, PROPERTY_ROWS, GtkWidget)

/* @scrolling: has a scrolled window of its own; else takes the height it needs. */
GtkWidget *vtr_property_rows_new (gboolean    scrolling,
                                  const char *label);
/* @rows: GListModel of VtrPropertyRow, or NULL. */
void vtr_property_rows_set_rows (VtrPropertyRows *self,
                                 GListModel      *rows);

G_END_DECLS
