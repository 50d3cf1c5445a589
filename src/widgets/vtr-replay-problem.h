/* Explains to the user why a replay gave no image. */
#pragma once

#include "session/vtr-session.h"
#include "widgets/vtr-pane-state.h"

G_BEGIN_DECLS

/* Explains in @state why the replay gave no image for command @asked, and reports it to the
 * session. */
void vtr_replay_problem_report (VtrSession   *session,
                                const GError *error,
                                guint64       asked,
                                VtrPaneState *state);

G_END_DECLS
