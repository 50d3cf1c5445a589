/* A placeholder that a pane shows instead of content: an icon, a title, an explanation, and
 * buttons that help. It scrolls where there is too little room. */
#pragma once

#include <gtk/gtk.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

#define VTR_TYPE_PANE_STATE (vtr_pane_state_get_type ())
G_DECLARE_FINAL_TYPE (VtrPaneState, vtr_pane_state, VTR, PANE_STATE, GtkWidget)

GtkWidget *vtr_pane_state_new (void);

/* Replaces everything, buttons too. @text may be NULL. */
void vtr_pane_state_set (VtrPaneState *self,
                         const char   *icon_name,
                         const char   *title,
                         const char   *text);
/* Adds a button; the first one is suggested. @detailed_action: "win.first-draw",
 * "win.select::commands/3". */
void vtr_pane_state_add_button (VtrPaneState *self,
                                const char   *label,
                                const char   *detailed_action);
/* Adds a button "Next Draw", or "Previous Draw" if the selection is after the last draw. Adds none
 * if the trace has no draws. */
void vtr_pane_state_add_draw_button (VtrPaneState *self,
                                     VtrSession   *session);
/* Small type, for inspector panes. */
void vtr_pane_state_set_compact (VtrPaneState *self,
                                 gboolean      compact);
/* Makes it a card over the last image instead of filling the pane. */
void vtr_pane_state_set_card (VtrPaneState *self,
                              gboolean      card);

G_END_DECLS
