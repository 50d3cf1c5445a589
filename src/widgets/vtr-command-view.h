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
/* Goes to the next (1) or previous (-1) match of the filter; without a filter, to the next or
 * previous row. */
void vtr_command_view_step_match (VtrCommandView *self,
                                  int             step);

/* Disables the selected row and everything below it, or enables it again. A toast says if that is
 * not possible. */
void vtr_command_view_toggle_disabled (VtrCommandView *self);
/* Disables all other commands of the pass; for a pass, those of its command buffer. */
void vtr_command_view_disable_others (VtrCommandView *self);

G_END_DECLS
