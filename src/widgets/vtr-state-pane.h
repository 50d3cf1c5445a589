/* The State pane: every object of the API as it is after the selected command. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"
#include "widgets/vtr-state-list.h"

G_BEGIN_DECLS

/**
 * VtrStatePane:
 *
 * Asks for the state when the selection changes and somebody can see it; until the answer comes the old state stays. Pinned,
 * it stays at its command. Actions: "state-pane.next-match", "state-pane.previous-match", "state-pane.cancel",
 * "state-pane.retry". Threading: main.
 */
#define VTR_TYPE_STATE_PANE (vtr_state_pane_get_type ())
G_DECLARE_FINAL_TYPE (VtrStatePane, vtr_state_pane, VTR, STATE_PANE, PanelWidget)

GtkWidget *vtr_state_pane_new (void);
/* What it shows, "commands/12@1"; NULL: nothing (yet). */
const char *vtr_state_pane_get_shown (VtrStatePane *self);
void vtr_state_pane_set_search (VtrStatePane *self,
                                const char   *text);
VtrStateList *vtr_state_pane_get_list (VtrStatePane *self);
/* Matches of the search; -1: none was made, or it is under way. */
int vtr_state_pane_get_n_matches (VtrStatePane *self);

G_END_DECLS
