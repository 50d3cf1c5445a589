/* The State pane: every object of the API as it is after the selected command. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"
#include "widgets/vtr-state-list.h"

G_BEGIN_DECLS

/**
 * VtrStatePane:
 *
 * Requests the state when the selection changes while the pane is visible; the old state stays
 * until the answer arrives. A pinned pane stays at its command. Actions: "state-pane.next-match",
 * "state-pane.previous-match", "state-pane.cancel", "state-pane.retry". Threading: main.
 */
#define VTR_TYPE_STATE_PANE (vtr_state_pane_get_type ())
G_DECLARE_FINAL_TYPE (VtrStatePane, vtr_state_pane, VTR, STATE_PANE, PanelWidget)

GtkWidget *vtr_state_pane_new (void);
/* The path of the command whose state is shown, "commands/12@1"; NULL: none yet. */
const char *vtr_state_pane_get_shown (VtrStatePane *self);
void vtr_state_pane_set_search (VtrStatePane *self,
                                const char   *text);
VtrStateList *vtr_state_pane_get_list (VtrStatePane *self);
/* The number of matches of the search; -1: no search was made, or it is running. */
int vtr_state_pane_get_n_matches (VtrStatePane *self);

G_END_DECLS
