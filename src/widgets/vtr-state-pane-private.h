/* VtrStatePane itself, and how it searches. */
#pragma once

#include "engine/model/vtr-state-tree.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-state-pane.h"

G_BEGIN_DECLS

struct _VtrStatePane
{
  PanelWidget parent_instance;

  GtkStack *stack;
  VtrPaneState *empty;
  GtkWidget *entry;
  GtkWidget *count;
  GtkWidget *steps;
  GtkToggleButton *only_changed;
  GtkToggleButton *pin;
  GtkWidget *progress_row;
  GtkProgressBar *progress;
  VtrStateList *list;

  VtrSession *session;
  char *shown;  /* path of the command whose state is on display */
  char *wanted; /* path of the command whose state is being loaded */
  char *reveal; /* node to show once the state is loaded; a path below the state */
  VtrStateNode *root;
  GCancellable *loading;
  guint busy_timeout;
  guint progress_timeout;
  gboolean busy;
  gboolean dirty; /* the selection changed while the pane was hidden */

  GCancellable *searching;
  GStrv matches;
  guint n_matches;
  guint match;          /* the current match; n_matches: none yet */
  gboolean go_to_match; /* go to the first match when vtr_state_pane_search () has its answer */
};

/* Adds the search entry, the number of matches and the buttons that step through them to the tool
 * row. */
void vtr_state_pane_add_search (VtrStatePane *self,
                                GtkBox       *row);
/* Searches the state on display for the entry's text. @go: goes to the first match. */
void vtr_state_pane_search (VtrStatePane *self,
                            gboolean      go);
void vtr_state_pane_drop_search (VtrStatePane *self);
/* Goes to the next match; @step < 0: to the previous one. */
void vtr_state_pane_step_match (VtrStatePane *self,
                                int           step);
/* Shows how many matches there are. */
void vtr_state_pane_update_count (VtrStatePane *self);

G_END_DECLS
