/* Explains to the user why a replay gave no image. */
#pragma once

#include "session/vtr-session.h"
#include "widgets/vtr-pane-state.h"

G_BEGIN_DECLS

/* Says in @state why a replay gave no image for command @asked, and tells the session. */
void vtr_replay_problem_report (VtrSession   *session,
                                const GError *error,
                                guint64       asked,
                                VtrPaneState *state);

G_END_DECLS
