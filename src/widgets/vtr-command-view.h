/* The Commands pane: the list of all commands, its filter and its menus. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_COMMAND_VIEW (vtr_command_view_get_type ())
G_DECLARE_FINAL_TYPE (VtrCommandView, vtr_command_view, VTR, COMMAND_VIEW, PanelWidget)

GtkWidget *vtr_command_view_new (void);
void vtr_command_view_set_session (VtrCommandView *self,
                                   VtrSession     *session);
void vtr_command_view_focus_filter (VtrCommandView *self);
/* Next (1) or previous (-1) match of the filter; rows of the tree without one. */
void vtr_command_view_step_match (VtrCommandView *self,
                                  int             step);

/* The row that is selected, with what is below it: disabled, or enabled if it is. What cannot be is
 * said in a toast. */
void vtr_command_view_toggle_disabled (VtrCommandView *self);
/* All others of its pass; of a pass, those of its command buffer. */
void vtr_command_view_disable_others (VtrCommandView *self);

G_END_DECLS
