/* The measurements of one command: durations and pipeline statistics, in a column. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-measurement.h"

G_BEGIN_DECLS

#define VTR_TYPE_TIMINGS_FACTS (vtr_timings_facts_get_type ())
G_DECLARE_FINAL_TYPE (VtrTimingsFacts, vtr_timings_facts, VTR, TIMINGS_FACTS, GtkWidget)

GtkWidget *vtr_timings_facts_new (void);
/* Shows the measurements of the selected command, or of the frame if that command was not measured.
 * NULL: shows nothing. */
void vtr_timings_facts_update (VtrTimingsFacts *self,
                               VtrSession      *session);

G_END_DECLS
