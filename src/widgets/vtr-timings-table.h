/* The measured durations as a table that can be sorted. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-measurement.h"

G_BEGIN_DECLS

/**
 * VtrTimingsTable:
 *
 * Rows of one kind; of very many rows, only the slowest. The slowest come first until the user
 * sorts otherwise. Choosing a row selects its command in the session. Threading: main.
 */
#define VTR_TYPE_TIMINGS_TABLE (vtr_timings_table_get_type ())
G_DECLARE_FINAL_TYPE (VtrTimingsTable, vtr_timings_table, VTR, TIMINGS_TABLE, GtkWidget)

GtkWidget *vtr_timings_table_new (void);
void vtr_timings_table_set_session (VtrTimingsTable *self,
                                    VtrSession      *session);
/* Shows the current results of the session's measurement. */
void vtr_timings_table_update (VtrTimingsTable *self,
                               VtrProbeKind     kind);
/* The selection model of the table. */
GListModel *vtr_timings_table_get_model (VtrTimingsTable *self);
/* The flat index of the command of a row in that model. */
guint64 vtr_timings_table_get_index (gpointer item);

G_END_DECLS
