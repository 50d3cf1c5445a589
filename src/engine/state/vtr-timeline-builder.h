/* Functions with which an API describes its command lists to a timeline that is being built
 * (src/engine/api/vtr-scope-api.h).
 *
 * All calls come in the order of the commands. Threading: one worker. */
#pragma once

#include "engine/api/vtr-scope-api.h"
#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

VtrTrace *vtr_timeline_builder_get_trace (VtrTimelineBuilder *self);
/* Whether commands of several recordings are mixed in the trace, so that the API must find the
 * recording of each. */
gboolean vtr_timeline_builder_is_mixed (VtrTimelineBuilder *self);

/* Command @index begins a recording of list @list. @nested, @word: as in VtrRecording. Returns: the recording. */
guint32 vtr_timeline_builder_begin (VtrTimelineBuilder *self,
                                    guint64             list,
                                    guint64             index,
                                    gboolean            nested,
                                    guint32             word);
/* Command @index is part of @recording. */
void vtr_timeline_builder_extend (VtrTimelineBuilder *self,
                                  guint32             recording,
                                  guint64             index,
                                  VtrCommandCount     count);
/* Command @index is in no list. */
void vtr_timeline_builder_count (VtrTimelineBuilder *self,
                                 guint64             index,
                                 VtrCommandCount     count);
guint64 vtr_timeline_builder_get_list (VtrTimelineBuilder *self,
                                       guint32             recording);
/* The last command of @recording ended it. */
void vtr_timeline_builder_end (VtrTimelineBuilder *self,
                               guint32             recording);
/* Command @index of @recording runs @n other lists, as their recordings @executed; VTR_NO_RECORDING: not known. */
void vtr_timeline_builder_execute (VtrTimelineBuilder *self,
                                   guint32             recording,
                                   guint64             index,
                                   const guint32      *executed,
                                   guint32             n);
/* Command @index, which is in no list, runs lists: the runs are added, then the submission ends. @executor: as in
 * VtrSubmission. */
void vtr_timeline_builder_submit (VtrTimelineBuilder *self,
                                  guint64             index,
                                  guint64             executor);
/* VTR_NO_RECORDING is ignored. */
void vtr_timeline_builder_add_run (VtrTimelineBuilder *self,
                                   guint32             recording,
                                   guint32             batch,
                                   guint32             position);
void vtr_timeline_builder_end_submission (VtrTimelineBuilder *self);

G_END_DECLS
