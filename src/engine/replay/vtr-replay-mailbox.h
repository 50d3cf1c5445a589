/* Messages of a replayer that were not read yet.
 *
 * The replayer runs a driver on what a trace asks for: it may have been taken over. So no more is
 * taken in than a sound one would ever leave waiting; it waits when it says more.
 *
 * Threading: one at a time. */
#pragma once

#include "base/vtr-status.h"
#include "wire/vtr-replay-message.h"

#include <glib.h>

G_BEGIN_DECLS

/* Most letters that wait, and most of one turn. */
#define VTR_REPLAY_MAX_LETTERS 256

typedef struct
{
  Vtr__Replay__ToEngine *message;
  int fd; /* -1: none */
} VtrReplayLetter;

void vtr_replay_letter_free (VtrReplayLetter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrReplayLetter, vtr_replay_letter_free)

typedef struct
{
  GQueue letters; /* VtrReplayLetter */
} VtrReplayMailbox;

#define VTR_REPLAY_MAILBOX_INIT \
  { \
    G_QUEUE_INIT \
  }

/* Takes in what there is, as far as there is room. Errors: as vtr_replay_receive_at_engine(), but
 * VTR_TIMEOUT. */
VtrStatus vtr_replay_mailbox_fill (VtrReplayMailbox *self,
                                   int               socket) VTR_MUST_CHECK;

/* Returns: (transfer full) (nullable): the oldest. */
VtrReplayLetter *vtr_replay_mailbox_take (VtrReplayMailbox *self);

gboolean vtr_replay_mailbox_is_empty (const VtrReplayMailbox *self);
gboolean vtr_replay_mailbox_is_full (const VtrReplayMailbox *self);
void vtr_replay_mailbox_clear (VtrReplayMailbox *self);

G_END_DECLS
