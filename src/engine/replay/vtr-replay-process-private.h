/* The backend that runs the replayer as a process: its data, and how it talks to and watches that process.
 *
 * Threading: as VtrReplayBackend. */
#pragma once

#include "engine/replay/vtr-replay-backend.h"
#include "engine/replay/vtr-replay-child.h"
#include "engine/replay/vtr-replay-mailbox.h"
#include "engine/replay/vtr-replay-outcome.h"
#include "wire/vtr-replay-message.h"

G_BEGIN_DECLS

/* How long a turn of waiting is, in milliseconds. */
#define VTR_REPLAY_PROCESS_TICK 20

/* How long a request that was cancelled may take to end by itself. */
#define VTR_REPLAY_PROCESS_CANCEL (2 * G_USEC_PER_SEC)

typedef struct
{
  VtrReplayBackend base;
  char *driver;
  char *trace; /* version of the file (nullable); the child's is the same */
  VtrReplayChild child;
  VtrReplayMailbox mailbox; /* received while sending */
  gint64 hang;              /* microseconds */

  guint64 request;
  const VtrReplayEvents *events;
  gpointer data;
  gboolean running;          /* between begin() and finish() */
  GCancellable *cancellable; /* (nullable): of the request */
  gulong cancelled_id;
  GCancellable *waiting; /* (nullable): of the caller that waits for the replayer; borrowed */
  gint64 waiting_since;  /* … and was cancelled then; 0: not yet */
  gboolean ended;        /* the outcome is known */
  gboolean greeted;      /* Hello has come */
  gboolean kept;         /* the replayer has a state to resume */
  VtrReplayOutcome outcome;
  GError *failure;        /* why the request failed */
  GError *resource_error; /* why a resource could not be read */
  guint n_segments;       /* under way */
  guint n_words;          /* messages of the request */
  gsize words_size;       /* bytes of those and of complaints */

  GPtrArray *devices; /* described so far, while being asked */
  gpointer answer;    /* while a question is asked: .answer_size bytes of the caller's */
  gsize answer_size;
  gboolean answered;

  guint32 label; /* last reported */
  gint64 reported_at;
  guint64 last_calls; /* watchdog: the state at the last progress */
  guint32 last_label;
  guint32 last_phase;
  gint64 moved_at;
} VtrReplayProcess;

/* Sends @message; @fd (not taken over; -1: none) goes with it. Returns: FALSE when the replayer is
 * gone. */
gboolean vtr_replay_process_say (VtrReplayProcess              *self,
                                 const Vtr__Replay__ToReplayer *message,
                                 int                            fd);
/* Takes in and handles what the replayer says, for up to @milliseconds if it says nothing.
 * Returns: FALSE when it is gone. */
gboolean vtr_replay_process_attend (VtrReplayProcess *self,
                                    int               milliseconds);

/* Later waits can be cancelled with @cancellable (nullable). */
void vtr_replay_process_wait_for (VtrReplayProcess *self,
                                  GCancellable     *cancellable);

/* From now on the replayer has its time until it counts as hanging. */
void vtr_replay_process_start_watching (VtrReplayProcess *self);
/* Ends a replayer that makes no progress, or that no caller waits for. Returns: FALSE when it
 * did. */
gboolean vtr_replay_process_watch (VtrReplayProcess *self);

/* Ends the request with @error (transfer full). */
void vtr_replay_process_fail (VtrReplayProcess *self,
                              GError           *error);
/* The replayer has ended, or was told to: ends the request with an error that says why. */
void vtr_replay_process_died (VtrReplayProcess *self);
/* The replayer sent an invalid message: it is another program, or has been taken over. */
void vtr_replay_process_babbles (VtrReplayProcess *self);

/* Handles one letter (vtr-replay-process-letters.c). */
void vtr_replay_process_take (VtrReplayProcess *self,
                              VtrReplayLetter  *letter);
/* Handles a letter that only a request that runs can be about (vtr-replay-process-asked.c). */
void vtr_replay_process_answer (VtrReplayProcess *self,
                                VtrReplayLetter  *letter);

G_END_DECLS
