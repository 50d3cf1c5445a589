/* An open trace in a window: the document, the selected path, the history of selections, and the
 * messages of its report and log. */
#pragma once

#include "engine/document/vtr-document.h"
#include "engine/state/vtr-path.h"
#include "engine/model/vtr-command-tree.h"
#include "session/vtr-edits.h"
#include "session/vtr-message.h"
#include "session/vtr-text.h"

G_BEGIN_DECLS

/**
 * VtrSession:
 *
 * A selection is one path ("commands/1135"). Every pane listens to "selection-changed" and shows
 * its part of the selected command.
 *
 * Properties: "can-go-back", "can-go-forward".
 * Signals: "selection-changed" (), "selected-again" (): the current selection was selected again;
 * "replay-failed" (guint64 command, gchar *sentence), "replay-changed" ().
 * Threading: main.
 */
#define VTR_TYPE_SESSION (vtr_session_get_type ())
G_DECLARE_FINAL_TYPE (VtrSession, vtr_session, VTR, SESSION, GObject)

VtrSession *vtr_session_new (VtrDocument *document);
VtrDocument *vtr_session_get_document (VtrSession *self);
VtrAnalysis *vtr_session_get_analysis (VtrSession *self);
VtrTrace *vtr_session_get_trace (VtrSession *self);
VtrCommandTree *vtr_session_get_tree (VtrSession *self);
/* The edits that images of this session show. (transfer none) */
VtrEdits *vtr_session_get_edits (VtrSession *self);

/* The selected command; VTR_COMMAND_NO_INDEX: nothing is selected. */
guint64 vtr_session_get_command (VtrSession *self);
/* NULL: nothing is selected. */
const char *vtr_session_get_path (VtrSession *self);

typedef enum
{
  VTR_SELECT_STEP, /* a step by arrow key: the history keeps only the last one */
  VTR_SELECT_JUMP, /* a link, a search, or a click far away: *Back* returns from it */
} VtrSelectHow;

void vtr_session_select (VtrSession   *self,
                         guint64       command,
                         VtrSelectHow  how);
/* Selects a command in one of several runs of its command buffer. @path: that of the row
 * ("commands/12@3"). */
void vtr_session_select_run (VtrSession   *self,
                             guint64       command,
                             const char   *path,
                             VtrSelectHow  how);
/* The selected command and run; .index is VTR_COMMAND_NO_INDEX if nothing is selected. */
VtrPlace vtr_session_get_address (VtrSession *self);
void vtr_session_select_address (VtrSession     *self,
                                 const VtrPlace *address,
                                 VtrSelectHow    how);
/* The path of an attachment's image after @command ("commands/12@3/framebuffer/depth"), with the
 * session's edits; in the selected run if @command is the selection. (transfer full) */
char *vtr_session_get_image_path (VtrSession        *self,
                                  guint64            command,
                                  VtrAttachmentKind  attachment,
                                  gboolean           with_overlay);
/* Returns: FALSE with a sentence in @error when @path names no command of the trace. */
gboolean vtr_session_select_path (VtrSession  *self,
                                  const char  *path,
                                  GError     **error);
void vtr_session_clear_selection (VtrSession *self);
void vtr_session_go_back (VtrSession *self);
void vtr_session_go_forward (VtrSession *self);

/* Selects the next (@step 1) or previous (-1) draw or dispatch. Returns: FALSE if there is none. */
gboolean vtr_session_step_draw (VtrSession *self,
                                int         step);
/* Whether vtr_session_step_draw() would find a draw. */
gboolean vtr_session_has_draw (VtrSession *self,
                               int         step);
/* Selects the next (@step 1) or previous (-1) command that writes image @image, an object id.
 * Returns: FALSE without an error if there is none. */
void vtr_session_step_write_async (VtrSession          *self,
                                   guint32              image,
                                   int                  step,
                                   GCancellable        *cancellable,
                                   GAsyncReadyCallback  callback,
                                   gpointer             data);
gboolean vtr_session_step_write_finish (VtrSession    *self,
                                        GAsyncResult  *result,
                                        GError       **error);
gboolean vtr_session_step_frame (VtrSession *self,
                                 int         step);
/* Selects the last command of @frame. */
void vtr_session_select_frame_end (VtrSession *self,
                                   guint64     frame);
/* The frame of the selection; without a selection, the last frame. */
guint64 vtr_session_get_frame (VtrSession *self);

/* GListModels of VtrMessage. */
GListModel *vtr_session_get_report (VtrSession *self);
/* FALSE while the trace is still being checked. At the end of the check the report emits
   "items-changed", even if it is empty. */
gboolean vtr_session_is_report_read (VtrSession *self);
GListModel *vtr_session_get_log (VtrSession *self);
/* Adds the messages of a replay with the validation layer. Returns: their number; -1 with
 * @error. */
void vtr_session_validate_async (VtrSession          *self,
                                 GCancellable        *cancellable,
                                 GAsyncReadyCallback  callback,
                                 gpointer             data);
gssize vtr_session_validate_finish (VtrSession    *self,
                                    GAsyncResult  *result,
                                    GError       **error);
void vtr_session_add_report (VtrSession      *self,
                             VtrMessageLevel  level,
                             const char      *text,
                             guint64          command);
void vtr_session_add_log (VtrSession      *self,
                          VtrMessageLevel  level,
                          const char      *text,
                          guint64          command);

/* Records that the replay for @command failed. The failing command is marked, and reported once. */
void vtr_session_report_replay_failure (VtrSession   *self,
                                        guint64       command,
                                        const GError *error);
gboolean vtr_session_get_command_failed (VtrSession *self,
                                         guint64     command);

G_END_DECLS
