/* Runs one replay: passes the trace through a chain of transforms to the builder, and its words to
 * the replayer. */
#include "engine/replay-session/vtr-replay-request.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/vtr-log.h"
#include "engine/replay-session/vtr-complaint-text.h"
#include "engine/replay-session/vtr-replay-request-private.h"
#include "engine/replay-session/vtr-request-api.h"
#include "engine/state/vtr-history.h"

/* --- One request ----------------------------------------------------------------------------- */

static const VtrReplayBasis *
basis_of (const VtrReplayRequest *request)
{
  return vtr_replay_session_get_basis (request->session);
}

VtrSessionReplayer *
vtr_replay_request_get_replayer (const VtrReplayRequest *request)
{
  return vtr_replay_session_get_replayer (request->session, request->edit);
}

/* The flat index that a label means: the largest below @end with these low bits. */
static guint64
index_of_label (guint64 label,
                guint64 end)
{
  const guint64 period = G_GUINT64_CONSTANT (1) << 26;

  /* The replayer's number need not be a valid command. */
  label &= period - 1;
  while (label + period < end)
    label += period;
  return MIN (label, MAX (end, 1) - 1);
}

static GBytes *
request_resource (guint64    number,
                  gpointer   data,
                  GError   **error)
{
  VtrReplayRequest *request = data;

  return vtr_replay_builder_get_resource (request->builder, number, error);
}

static void
request_posted (guint64       post,
                const guint8 *bytes,
                gsize         size,
                gpointer      data)
{
  VtrReplayRequest *request = data;

  if (post == VTR_REPLAY_MARK_POST && size == sizeof request->mark)
    memcpy (request->mark, bytes, size);
  /* Bytes that are posted while a snapshot is made were not requested. */
  else if (request->posted != NULL && !request->is_making_snapshot)
    request->posted (post, bytes, size, request->data);
}

/* The status bar tells why the next picture takes longer, and how far it is. All commands have been
 * given to the driver long before the device is done with them: then there is nothing to count. */
void
vtr_replay_request_say_snapshot (VtrReplayRequest *request,
                                 guint64           done)
{
  VtrTrace *trace = basis_of (request)->trace;
  guint64 frame = vtr_trace_get_frame_of (trace, request->stop);
  g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, frame);
  guint percent = (guint)(MIN (done, request->end) * 100 / MAX (1, request->end));

  char *words;

  if (done + 1 >= request->end)
    words = g_strdup_printf (_ ("Replaying up to frame %s… waiting for the device"), number);
  else if (percent == 0)
    words = g_strdup_printf (_ ("Replaying up to frame %s…"), number);
  else
    words = g_strdup_printf (_ ("Replaying up to frame %s… %u %%"), number, percent);
  vtr_replay_session_say (request->session, VTR_REPLAY_IS_WORKING, words);
}

static void
request_progress (guint64  label,
                  gpointer data)
{
  VtrReplayRequest *request = data;

  if (request->is_making_snapshot)
    vtr_replay_request_say_snapshot (request, index_of_label (label, request->end));
  else if (request->progress != NULL)
    request->progress (index_of_label (label, request->end), request->end, request->data);
}

static void
request_message (int         level,
                 guint64     label,
                 const char *text,
                 gpointer    data)
{
  VtrReplayRequest *request = data;

  /* Warnings are mostly the loader's and the driver's about their own environment. */
  g_log (G_LOG_DOMAIN, level == VTR_LOG_ERROR ? G_LOG_LEVEL_MESSAGE : G_LOG_LEVEL_INFO,
         "command %" G_GUINT64_FORMAT ": %s", index_of_label (label, request->end), text);
}

static void
request_complaint (const VtrReplayComplaint *complaint,
                   gpointer                  data)
{
  VtrReplayRequest *request = data;
  VtrHistory *history = basis_of (request)->history;
  guint64 index = index_of_label (complaint->label, request->end);
  g_autoptr (GArray) objects = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) handles = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;
  VtrReplayComplaint named = *complaint;

  for (gsize i = 0; i < complaint->n_slots; i++)
    {
      const VtrObject *object = NULL;
      VtrIdentity identity;

      if (vtr_replay_builder_find_identity (request->builder, complaint->slots[i], &identity))
        object = vtr_history_find (history, identity, index);
      if (object == NULL)
        continue;
      g_array_append_val (objects, object->id);
      g_array_append_val (handles, complaint->handles[i]);
      g_ptr_array_add (names, vtr_history_describe (history, object));
    }
  text = vtr_complaint_text_new (complaint->text, (const guint64 *)(gpointer)handles->data,
                                 (const char *const *)names->pdata, names->len);
  named.text = text;
  if (request->complained != NULL)
    request->complained (index, &named, (const guint32 *)(gpointer)objects->data, objects->len,
                         request->data);
}

gboolean
vtr_replay_request_send (const VtrReplaySegment  *segment,
                         gpointer                 data,
                         GError                 **error)
{
  VtrReplayRequest *request = data;

  return request->backend->klass->send (request->backend, segment, error);
}

/* Names the command that an outcome blames. */
static void
blame (VtrReplayRequest        *request,
       const VtrReplayOutcome  *outcome,
       GError                 **error)
{
  guint64 index = index_of_label (outcome->label, request->end);
  g_autofree char *at = vtr_trace_format_number (basis_of (request)->trace, index);
  const char *name = index < vtr_trace_get_n_commands (basis_of (request)->trace)
                       ? vtr_trace_get_command_name (basis_of (request)->trace, index)
                       : "?";

  if (*error == NULL || outcome->failed ||
      g_error_matches (*error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    vtr_replay_session_note_failure (request->session, index);
  if (*error == NULL)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_CALL,
                   _ ("Command %s (%s) failed in the replay"), at, name);
      return;
    }
  if (g_error_matches (*error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    g_prefix_error (error, _ ("Replay crashed at command %s (%s): "), at, name);
  else if (outcome->failed)
    g_prefix_error (error, _ ("Replay failed at command %s (%s): "), at, name);
}

/* After a failed build: ends the request without running what is left. Returns: whether the
 * reason was the replayer's death, which only the end of the request tells; @error is that, then.
 */
static gboolean
request_abandon (VtrReplayRequest  *request,
                 VtrReplayOutcome  *outcome,
                 GError           **error)
{
  g_autoptr (GCancellable) now = g_cancellable_new ();
  g_autoptr (GError) why = NULL;

  g_cancellable_cancel (now);
  if (request->backend->klass->finish (request->backend, outcome, now, &why) ||
      !g_error_matches (why, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    return FALSE;
  g_clear_error (error);
  g_propagate_error (error, g_steal_pointer (&why));
  return TRUE;
}

gboolean
vtr_replay_request_begin (VtrReplayRequest  *request,
                          guint32            flags,
                          GError           **error)
{
  static const VtrReplayEvents events = {
    .get_resource = request_resource,
    .posted = request_posted,
    .progress = request_progress,
    .message = request_message,
    .complaint = request_complaint,
  };
  request->backend = vtr_replay_session_get_backend (request->session,
                                                     vtr_replay_request_get_replayer (request));
  return request->backend->klass->begin (request->backend, flags, &events, request,
                                         request->cancellable, error);
}

/* The device that stands for the captured one; NULL: not known. (transfer none) */
static const char *
name_of_target (VtrReplayRequest *request)
{
  VtrPlan *plan = vtr_replay_session_peek_plan (request->session);

  return plan != NULL ? vtr_plan_get_device (plan, basis_of (request)->trace) : NULL;
}

/* The text of the status bar after a request. (transfer full) (nullable): unchanged. */
static char *
words_of_end (VtrReplayRequest *request,
              const GError     *error)
{
  guint n_deaths = vtr_replay_request_get_replayer (request)->n_deaths;
  gboolean cancelled = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  const char *target;

  if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    return g_strdup (_ ("Replay crashed; it will restart when needed"));
  if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START) ||
      g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER))
    return g_strdup (_ ("Cannot replay here"));
  /* How far it was is over. */
  if (error != NULL &&
      vtr_replay_session_get_activity (request->session) != VTR_REPLAY_IS_WORKING)
    return NULL;
  if (error != NULL && !cancelled)
    return g_strdup (_ ("The last replay failed"));
  if (n_deaths > 0)
    return g_strdup_printf (
      ngettext ("Replayer restarted %u time", "Replayer restarted %u times", n_deaths), n_deaths);
  target = name_of_target (request);
  if (target != NULL && vtr_replay_session_guesses_addresses (request->session))
    return g_strdup_printf (_ ("Replay on %s, estimated addresses"), target);
  return target != NULL ? g_strdup_printf (_ ("Replay on %s"), target)
                        : g_strdup (_ ("Replay ready"));
}

void
vtr_replay_request_note_end (VtrReplayRequest *request,
                             const GError     *error)
{
  char *words;

  if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED))
    vtr_replay_request_get_replayer (request)->n_deaths++;
  /* A question without an answer, as for an image that was not written yet. */
  if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED) ||
      g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNWRITTEN))
    {
      vtr_replay_session_say_previous (request->session);
      return;
    }
  words = words_of_end (request, error);
  if (words != NULL)
    vtr_replay_session_say (request->session,
                            error != NULL &&
                                !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
                              ? VTR_REPLAY_IS_BROKEN
                              : VTR_REPLAY_IS_READY,
                            words);
}

/* Finds out what replays of the APIs of the trace need. */
static gboolean
prepare (VtrReplaySession  *session,
         GCancellable      *cancellable,
         GError           **error)
{
  const VtrRequestApi *api;
  guint nth = 0;

  while ((api = vtr_request_api_next (session, &nth)) != NULL)
    if (api->prepare != NULL && !api->prepare (session, cancellable, error))
      return FALSE;
  return TRUE;
}

VtrReplayBuilder *
vtr_replay_request_make_builder (VtrReplayRequest  *request,
                                 GCancellable      *cancellable,
                                 GError           **error)
{
  VtrReplayBuilder *builder;
  VtrPlan *plan;
  g_autoptr (GError) why = NULL;

  if (vtr_replay_request_get_replayer (request)->backend == NULL)
    vtr_replay_session_say (request->session, VTR_REPLAY_IS_WORKING,
                            g_strdup (_ ("Replay starting…")));
  if (!vtr_replay_session_check (request->session, cancellable, &why))
    {
      vtr_replay_request_note_end (request, why);
      g_propagate_error (error, g_steal_pointer (&why));
      return NULL;
    }
  if (!prepare (request->session, cancellable, error))
    return NULL;
  plan = vtr_replay_session_peek_plan (request->session);
  builder = vtr_replay_builder_new (basis_of (request)->trace, vtr_replay_request_send, request);
  vtr_replay_builder_set_plan (builder, plan);
  return builder;
}

/* Puts what every chain needs behind @chain (transfer full), and @builder behind that. */
VtrTransform *
vtr_replay_request_complete_chain (const VtrReplayRequest *request,
                                   VtrTransform           *chain,
                                   VtrReplayBuilder       *builder)
{
  const VtrRequestApi *api;
  guint nth = 0;

  while ((api = vtr_request_api_next (request->session, &nth)) != NULL)
    if (api->complete != NULL)
      chain = api->complete (request, chain, builder);
  return vtr_transform_chain (chain, vtr_transform_build_new (builder), NULL);
}

/* After the stream was driven, or failed to be (@driven): waits for the end. Sets @failure. */
void
vtr_replay_request_finish (VtrReplayRequest  *request,
                           gboolean           driven,
                           VtrReplayOutcome  *outcome,
                           GCancellable      *cancellable,
                           GError           **failure)
{
  if (driven)
    {
      request->backend->klass->finish (request->backend, outcome, cancellable, failure);
      if (*failure != NULL || outcome->failed)
        blame (request, outcome, failure);
    }
  else if (request_abandon (request, outcome, failure))
    blame (request, outcome, failure);
}

gboolean
vtr_replay_request_end_with (GError **failure,
                             GError **error)
{
  gboolean ok = *failure == NULL;

  if (!ok)
    g_propagate_error (error, g_steal_pointer (failure));
  return ok;
}

/* Takes @chain, which ends in front of the builder. Drives the trace through it into the replayer
 * and waits for the end. */
gboolean
vtr_replay_request_run (VtrReplayRequest  *request,
                        VtrTransform      *chain,
                        guint32            flags,
                        VtrReplayOutcome  *outcome,
                        GCancellable      *cancellable,
                        GError           **error)
{
  g_autoptr (VtrTransform) all = NULL;
  g_autoptr (GError) failure = NULL;

  memset (outcome, 0, sizeof *outcome);
  request->cancellable = cancellable;
  vtr_session_replayer_drop_snapshots (vtr_replay_request_get_replayer (request));
  request->builder = vtr_replay_request_make_builder (request, cancellable, error);
  if (request->builder == NULL)
    {
      vtr_transform_free (chain);
      return FALSE;
    }
  all = vtr_replay_request_complete_chain (request, chain, request->builder);
  if (vtr_replay_request_begin (request, flags, &failure))
    {
      gboolean driven = vtr_transform_run (all, basis_of (request)->trace, request->end, NULL, NULL,
                                           cancellable, &failure);

      vtr_replay_request_finish (request, driven, outcome, cancellable, &failure);
    }
  vtr_replay_request_note_end (request, failure);
  g_clear_pointer (&request->builder, vtr_replay_builder_free);
  return vtr_replay_request_end_with (&failure, error);
}

/* Work that an edit leaves out may be the reason why other work was dead. */
gboolean
vtr_replay_request_may_skip (const VtrReplayRequest *request)
{
  return request->edit == NULL && g_strcmp0 (g_getenv ("VITRINE_REPLAY_DEAD"), "1") != 0;
}
