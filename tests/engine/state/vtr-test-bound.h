/* Short command sequences for tests of the bound state. Handles are those of
 * vtr-test-state.h, without CB2. */
#pragma once

#include "vtr-test-state.h"

G_BEGIN_DECLS

typedef struct
{
  VtrTestTrace *test;
  VtrTrace *trace; /* once opened */
  VtrTimeline *timeline;
  VtrHistory *history;
} VtrTestBound;

void vtr_test_bound_set_up (VtrTestBound  *self,
                            gconstpointer  data);
void vtr_test_bound_tear_down (VtrTestBound  *self,
                               gconstpointer  data);
/* Ends the trace. */
void vtr_test_bound_open (VtrTestBound *self);
void vtr_test_bound_get (VtrTestBound  *self,
                         guint64        index,
                         VtrBoundState *out);

G_END_DECLS
