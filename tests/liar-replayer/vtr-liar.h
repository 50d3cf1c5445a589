/* A replayer that sends wrong messages, at chosen moments.
 *
 * Threading: one thread. */
#pragma once

#include "wire/vtr-replay-message.h"
#include "wire/vtr-replay-status.h"

#include <glib.h>

typedef struct
{
  int socket;
  VtrReplayStatus *status;
  GRand *rand;
  const Vtr__Replay__ToReplayer *heard; /* the current request */
  guint64 request;                      /* the one it names */
  gboolean silent;                      /* the sound answer is left out */
} Liar;

/* Messages that arrive, and after which an act may be played. */
typedef enum
{
  LIAR_START, /* before Hello */
  LIAR_BEGIN,
  LIAR_SEGMENT,
  LIAR_FINISH,
  LIAR_DEVICES,
  LIAR_FORMATS,
} LiarCue;

/* Plays @act (a name of the table in vtr-liar-acts.c) if it has something for @cue. */
void liar_play (Liar       *self,
                const char *act,
                LiarCue     cue);

/* Ends the process if the engine has exited. @fd: -1, or taken. */
void liar_say (Liar                  *self,
               Vtr__Replay__ToEngine *message,
               int                    fd);
