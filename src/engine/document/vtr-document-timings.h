/* Measures the times of a frame on a thread. */
#pragma once

#include "engine/document/vtr-document.h"
#include "engine/replay-session/vtr-timings-measure.h"

G_BEGIN_DECLS

/* vtr_replay_session_measure () on a thread; @progress is called in the caller's main context, as @callback is. */
void vtr_document_measure_async (VtrDocument           *self,
                                 const VtrTimingsQuery *query,
                                 VtrTimingsProgress     progress,
                                 gpointer               progress_data,
                                 GCancellable          *cancellable,
                                 GAsyncReadyCallback    callback,
                                 gpointer               data);
VtrTimings *vtr_document_measure_finish (VtrDocument   *self,
                                         GAsyncResult  *result,
                                         GError       **error);

G_END_DECLS
