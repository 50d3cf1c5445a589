/* What was measured of one command: durations and pipeline statistics, one below the other. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-measurement.h"

G_BEGIN_DECLS

#define VTR_TYPE_TIMINGS_FACTS (vtr_timings_facts_get_type ())
G_DECLARE_FINAL_TYPE (VtrTimingsFacts, vtr_timings_facts, VTR, TIMINGS_FACTS, GtkWidget)

GtkWidget *vtr_timings_facts_new (void);
/* Of what is selected; of the frame, when that was not measured by itself. NULL: nothing. */
void vtr_timings_facts_update (VtrTimingsFacts *self,
                               VtrSession      *session);

G_END_DECLS
