/* Exchanges messages with the replayer so that neither side waits forever, and handles a replayer
 * that has died, hangs or sends invalid data. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-process-private.h"

#include <glib/gi18n-lib.h>
#include <poll.h>

#define PROGRESS_MICROSECONDS (50 * 1000)

void
vtr_replay_process_fail (VtrReplayProcess *self,
                         GError           *error)
{
  if (self->child.status != NULL)
    self->outcome.label = self->child.status->label;
  self->outcome.failed = TRUE;
  self->ended = TRUE;
  if (self->failure == NULL)
    self->failure = error;
  else
    g_error_free (error);
}

void
vtr_replay_process_died (VtrReplayProcess *self)
{
  vtr_replay_mailbox_clear (&self->mailbox);
  self->kept = FALSE;
  self->outcome.n_calls = self->child.status->n_calls;
  vtr_replay_process_fail (self, vtr_replay_child_explain (&self->child));
}

void
vtr_replay_process_babbles (VtrReplayProcess *self)
{
  vtr_replay_process_fail (
    self, g_error_new_literal (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED,
                               _ ("The replayer sent invalid data and was stopped.")));
  g_subprocess_force_exit (self->child.process);
  vtr_replay_process_died (self);
}

/* Receives all available messages. Returns: FALSE if the replayer has ended; the request has
 * failed then. */
static gboolean
receive (VtrReplayProcess *self)
{
  VtrStatus status = vtr_replay_mailbox_fill (&self->mailbox, self->child.socket);

  if (status == VTR_CORRUPT)
    vtr_replay_process_babbles (self);
  else if (status != VTR_OK)
    vtr_replay_process_died (self);
  return status == VTR_OK;
}

static gboolean
wait_for_socket (VtrReplayProcess *self,
                 short             events,
                 int               milliseconds)
{
  struct pollfd poll_fd = { .fd = self->child.socket, .events = events };

  return poll (&poll_fd, 1, milliseconds) > 0;
}

void
vtr_replay_process_start_watching (VtrReplayProcess *self)
{
  self->moved_at = g_get_monotonic_time ();
}

gboolean
vtr_replay_process_say (VtrReplayProcess              *self,
                        const Vtr__Replay__ToReplayer *message,
                        int                            fd)
{
  while (self->child.process != NULL)
    {
      VtrStatus status = vtr_replay_send_to_replayer (self->child.socket, message, fd, false);

      if (status == VTR_OK)
        return TRUE;
      if (status != VTR_TIMEOUT)
        {
          /* Its last words may still lie there. */
          if (receive (self))
            vtr_replay_process_died (self);
          return FALSE;
        }
      wait_for_socket (self,
                       vtr_replay_mailbox_is_full (&self->mailbox) ? POLLOUT : POLLIN | POLLOUT,
                       VTR_REPLAY_PROCESS_TICK);
      if (!receive (self) || !vtr_replay_process_watch (self))
        return FALSE;
    }
  return FALSE;
}

void
vtr_replay_process_wait_for (VtrReplayProcess *self,
                             GCancellable     *cancellable)
{
  self->waiting = cancellable;
  self->waiting_since = 0;
}

/* Whether a cancelled caller has waited long enough. A driver may hang while it loads, but a sound
 * replayer answers soon, and its snapshot is worth the wait. */
static gboolean
is_given_up (VtrReplayProcess *self,
             gint64            now)
{
  if (!g_cancellable_is_cancelled (self->waiting))
    self->waiting_since = 0;
  else if (self->waiting_since == 0)
    self->waiting_since = now;
  return self->waiting_since != 0 && now - self->waiting_since > VTR_REPLAY_PROCESS_CANCEL;
}

gboolean
vtr_replay_process_watch (VtrReplayProcess *self)
{
  const VtrReplayStatus *status = self->child.status;
  gint64 now = g_get_monotonic_time ();
  g_autofree char *doing = NULL;

  if (status->n_calls != self->last_calls || status->label != self->last_label ||
      status->phase != self->last_phase)
    {
      self->last_calls = status->n_calls;
      self->last_label = status->label;
      self->last_phase = status->phase;
      self->moved_at = now;
    }
  if (is_given_up (self, now))
    {
      vtr_replay_process_fail (self, g_error_new (G_IO_ERROR, G_IO_ERROR_CANCELLED, "%s",
                                                  _ ("The replay was cancelled.")));
      g_subprocess_force_exit (self->child.process);
      vtr_replay_process_died (self);
      return FALSE;
    }
  if (now - self->moved_at < self->hang)
    return TRUE;
  doing = vtr_replay_child_describe (&self->child);
  vtr_replay_process_fail (self, g_error_new (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DIED,
                                              _ ("The replayer stopped responding while %s "
                                                 "and was stopped."),
                                              doing));
  g_subprocess_force_exit (self->child.process);
  vtr_replay_process_died (self);
  return FALSE;
}

static void
report_progress (VtrReplayProcess *self)
{
  guint32 label = self->child.status->label;
  gint64 now = g_get_monotonic_time ();

  if (self->events == NULL || self->events->progress == NULL || label == self->label ||
      now - self->reported_at < PROGRESS_MICROSECONDS)
    return;
  self->label = label;
  self->reported_at = now;
  self->events->progress (label, self->data);
}

gboolean
vtr_replay_process_attend (VtrReplayProcess *self,
                           int               milliseconds)
{
  if (vtr_replay_mailbox_is_empty (&self->mailbox))
    wait_for_socket (self, POLLIN, milliseconds);
  if (!receive (self))
    return FALSE;
  /* Returns after these messages even if more arrive, because the caller has other things to
   * check. */
  for (guint i = 0; i < VTR_REPLAY_MAX_LETTERS && self->child.process != NULL; i++)
    {
      g_autoptr (VtrReplayLetter) letter = vtr_replay_mailbox_take (&self->mailbox);

      if (letter == NULL)
        break;
      vtr_replay_process_take (self, letter);
    }
  if (self->child.process == NULL)
    return FALSE;
  report_progress (self);
  return TRUE;
}
