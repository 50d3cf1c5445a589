/* The interface of every docked pane: a PanelWidget that follows a session. vtr-panes.c has the
 * table of all panes. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"

G_BEGIN_DECLS

/**
 * VtrPane:
 *
 * A view implements this interface, sets its own id and title (panel_widget_set_id(), _set_title()), and has a line in the
 * table of vtr-panes.c; docking, moving, closing and remembering come from there. All panes live as long as the trace page:
 * one that is closed or hidden keeps its session, and should do no work before it is mapped.
 *
 * Threading: main.
 */
#define VTR_TYPE_PANE (vtr_pane_get_type ())
G_DECLARE_INTERFACE (VtrPane, vtr_pane, VTR, PANE, PanelWidget)

struct _VtrPaneInterface
{
  GTypeInterface parent_iface;

  /* Follows @session; NULL: drops the trace. */
  void (*set_session) (VtrPane *self,
                       VtrSession *session);
  /* Optional. Shows the thing that @path names ("commands/12@1/state/devices/1",
   * "objects/41/texture?mip=1"); the command of @path is selected already. Returns: FALSE if this
   * pane does not show such paths. */
  gboolean (*show_path) (VtrPane *self,
                         const char *path);
  /* Optional. Searches in this pane: @step 0 focuses the search entry, 1 and -1 go to the next and
   * previous match. In panes without it, Ctrl+F filters the commands. */
  gboolean (*find) (VtrPane *self,
                    int step);
};

void vtr_pane_set_session (VtrPane    *self,
                           VtrSession *session);
gboolean vtr_pane_show_path (VtrPane    *self,
                             const char *path);
gboolean vtr_pane_find (VtrPane *self,
                        int      step);

/* For show_path: the rest of @path after "commands/ADDRESS/WORD", with its slash, or "" at the end;
 * NULL: @path is of another kind. vtr_pane_match_path ("commands/12@1/state/devices", "state") is
 * "/devices". */
const char *vtr_pane_match_path (const char *path,
                                 const char *word);

G_END_DECLS
