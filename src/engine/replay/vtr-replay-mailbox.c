/* Queues messages from the replayer, up to a limit that an honest replayer never reaches. */
#include "engine/replay/vtr-replay-mailbox.h"

#include <unistd.h>

void
vtr_replay_letter_free (VtrReplayLetter *self)
{
  vtr__replay__to_engine__free_unpacked (self->message, NULL);
  if (self->fd >= 0)
    close (self->fd);
  g_free (self);
}

VtrStatus
vtr_replay_mailbox_fill (VtrReplayMailbox *self,
                         int               socket)
{
  while (!vtr_replay_mailbox_is_full (self))
    {
      Vtr__Replay__ToEngine *message;
      VtrReplayLetter *letter;
      int fd;
      VtrStatus status = vtr_replay_receive_at_engine (socket, &message, &fd, false);

      if (status == VTR_TIMEOUT)
        return VTR_OK;
      if (status != VTR_OK)
        return status;
      letter = g_new0 (VtrReplayLetter, 1);
      letter->message = message;
      letter->fd = fd;
      g_queue_push_tail (&self->letters, letter);
    }
  return VTR_OK;
}

VtrReplayLetter *
vtr_replay_mailbox_take (VtrReplayMailbox *self)
{
  return g_queue_pop_head (&self->letters);
}

gboolean
vtr_replay_mailbox_is_empty (const VtrReplayMailbox *self)
{
  return self->letters.length == 0;
}

gboolean
vtr_replay_mailbox_is_full (const VtrReplayMailbox *self)
{
  return self->letters.length >= VTR_REPLAY_MAX_LETTERS;
}

void
vtr_replay_mailbox_clear (VtrReplayMailbox *self)
{
  g_queue_clear_full (&self->letters, (GDestroyNotify)vtr_replay_letter_free);
}
