/* Makes rows with a spread of what the probes of several loops measured. */
#pragma once

#include "engine/replay-session/vtr-timings.h"
#include "engine/vulkan/state/vtr-state.h"
#include "engine/vulkan/transforms/vtr-probe.h"

G_BEGIN_DECLS

/**
 * VtrTimingsGatherer:
 *
 * Takes the probe of each loop. Threading: one at a time.
 */
typedef struct _VtrTimingsGatherer VtrTimingsGatherer;

VtrTimingsGatherer *vtr_timings_gatherer_new (VtrTimeline  *timeline,
                                              VtrHistory   *history,
                                              guint64       frame,
                                              VtrTimingsBy  by,
                                              gboolean      statistics);
void vtr_timings_gatherer_free (VtrTimingsGatherer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTimingsGatherer, vtr_timings_gatherer_free)

/* Errors: VTR_REPLAY_ERROR_TRACE, when the frame did not run as it did before. */
gboolean vtr_timings_gatherer_add (VtrTimingsGatherer  *self,
                                   const VtrProbe      *probe,
                                   GError             **error);

/* What is there now. (transfer full) */
VtrTimings *vtr_timings_gatherer_get (VtrTimingsGatherer *self);

G_END_DECLS
