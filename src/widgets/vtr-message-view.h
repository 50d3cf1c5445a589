/* The Report and Log panes: lists of messages, each with the command that it is about. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_MESSAGE_VIEW (vtr_message_view_get_type ())
G_DECLARE_FINAL_TYPE (VtrMessageView, vtr_message_view, VTR, MESSAGE_VIEW, PanelWidget)

/* The Report pane: problems of the trace, with a toggle for each level and their number in the
 * title. */
GtkWidget *vtr_message_view_new_report (void);
/* The Log pane: messages with their time. */
GtkWidget *vtr_message_view_new_log (void);
void vtr_message_view_set_session (VtrMessageView *self,
                                   VtrSession     *session);

G_END_DECLS
