/* Explains a failed replay in a pane's placeholder, and adds the failure to the report. */
#include "vtr-config.h"

#include "widgets/vtr-replay-problem.h"

#include <glib/gi18n.h>

#include "engine/replay/vtr-replay-backend.h"

/* The command that failed: the one that the replayer was running when it ended, else the requested
 * one. */
static guint64
get_failed_command (VtrSession *session, guint64 asked, const GError *error)
{
  guint64 failed = vtr_document_get_failed_command (vtr_session_get_document (session));

  if (failed != VTR_COMMAND_NO_INDEX &&
      (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED) ||
       g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_CALL)))
    return failed;
  return asked;
}

void
vtr_replay_problem_report (VtrSession   *session,
                           const GError *error,
                           guint64       asked,
                           VtrPaneState *state)
{
  guint64 failed = get_failed_command (session, asked, error);
  g_autofree char *stopped = NULL;
  const char *title = _ ("This Image Cannot Be Shown");

  if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START))
    title = _ ("Replay Cannot Start");
  else if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER))
    title = _ ("This Device Cannot Replay");
  else if (!g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED) &&
           !g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE) &&
           failed != VTR_COMMAND_NO_INDEX)
    {
      g_autofree char *number = vtr_format_number (
        vtr_trace_get_number (vtr_session_get_trace (session), failed));

      title = stopped = g_strdup_printf (_ ("Replay Stopped at Command %s"), number);
    }
  vtr_pane_state_set (state, "computer-fail-symbolic", title, error->message);
  if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER))
    vtr_pane_state_add_button (state, _ ("_Why?"), "win.show-report");
  vtr_session_report_replay_failure (session, failed, error);
}
