/* How a replay treats device addresses. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How device addresses in a program's data are replayed. */
typedef enum
{
  VTR_REPLAY_ADDRESSES_AUTO,  /* exact; where that is known to be impossible, guessed */
  VTR_REPLAY_ADDRESSES_EXACT, /* buffers lie where they were, or the replay fails */
  VTR_REPLAY_ADDRESSES_GUESS, /* buffers lie anywhere; what looks like an address is changed */
} VtrReplayAddresses;

/* How many values are changed in a place of the program's data where addresses are guessed. */
typedef struct
{
  const char *where; /* static: a command, a structure, "memory" */
  guint64 n;
} VtrAddressCount;

G_END_DECLS
