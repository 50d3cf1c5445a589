/* The page of a window that shows an open trace: docked panes, the frame stepper above, the
 * status bar below. */
#pragma once

#include <libpanel.h>

#include "session/vtr-session.h"
#include "widgets/vtr-command-view.h"
#include "widgets/vtr-framebuffer-view.h"
#include "window/vtr-layout.h"

G_BEGIN_DECLS

/* Properties: "reveal-start", "reveal-end", "reveal-bottom". */
#define VTR_TYPE_TRACE_PAGE (vtr_trace_page_get_type ())
G_DECLARE_FINAL_TYPE (VtrTracePage, vtr_trace_page, VTR, TRACE_PAGE, GtkWidget)

GtkWidget *vtr_trace_page_new (void);
void vtr_trace_page_set_session (VtrTracePage *self,
                                 VtrSession   *session);
/* Shows the replay device that was chosen for the trace (NULL: none), and how addresses are
 * treated. */
void vtr_trace_page_set_device (VtrTracePage       *self,
                                const char         *device,
                                VtrReplayAddresses  addresses);
/* Opens the list of devices; a choice activates "win.replay-on". */
void vtr_trace_page_choose_device (VtrTracePage *self);
VtrCommandView *vtr_trace_page_get_commands (VtrTracePage *self);
VtrFramebufferView *vtr_trace_page_get_framebuffer (VtrTracePage *self);
VtrLayout *vtr_trace_page_get_layout (VtrTracePage *self);
/* The object id of the image that the user sees: that of the Textures pane while it is on the
 * screen, else that of the framebuffer. 0: none. */
guint32 vtr_trace_page_get_image (VtrTracePage *self);
/* Raises a pane by its id (see vtr-panes.c). */
void vtr_trace_page_raise (VtrTracePage *self,
                           const char   *id);
/* Raises the pane that shows the part of the selected command that @path names. Returns: FALSE if
 * no pane does. */
gboolean vtr_trace_page_show_path (VtrTracePage *self,
                                   const char   *path);
/* Moves the focus to the next (1) or previous (-1) pane. */
void vtr_trace_page_step_pane (VtrTracePage *self,
                               int           step);
/* Searches in the pane that has the focus; see VtrPane.find. Returns: FALSE if that pane has no
 * search. */
gboolean vtr_trace_page_find (VtrTracePage *self,
                              int           step);
/* Shows the next or previous tab of the frame that has the focus. */
void vtr_trace_page_step_tab (VtrTracePage *self,
                              int           step);

G_END_DECLS
