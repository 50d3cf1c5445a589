/* Names and values as a card of expandable rows. */
#pragma once

#include <gtk/gtk.h>

#include "engine/model/vtr-property-list.h"

G_BEGIN_DECLS

/**
 * VtrPropertyRows:
 *
 * A list of VtrPropertyRow. Rows with children have an expander; links select their target
 * ("win.select"). Structures are expanded at first if the list stays short. With a scrolled window
 * of its own, it makes only the visible rows.
 */
#define VTR_TYPE_PROPERTY_ROWS (vtr_property_rows_get_type ())
G_DECLARE_FINAL_TYPE (VtrPropertyRows, vtr_property_rows, VTR, PROPERTY_ROWS, GtkWidget)

/* @scrolling: gets a scrolled window of its own; otherwise takes the height it needs. */
GtkWidget *vtr_property_rows_new (gboolean    scrolling,
                                  const char *label);
/* @rows: GListModel of VtrPropertyRow, or NULL. */
void vtr_property_rows_set_rows (VtrPropertyRows *self,
                                 GListModel      *rows);

G_END_DECLS
