/* Sends the results of a request to the engine. Small posts share one piece of shared memory,
 * each large one has its own.
 *
 * At most VTR_POSTBACK_LIMIT bytes are on the way; beyond that the sender waits until the engine
 * has taken some.
 *
 * Threading: one at a time. */
#pragma once

#include "wire/vtr-replay-message.h"

#define VTR_POSTBACK_BUFFER (2u << 20)
#define VTR_POSTBACK_LIMIT (256ull << 20)

typedef struct
{
  VtrReplayBulk bulk; /* being filled */
  size_t used;
  Vtr__Replay__Posted__Piece pieces[VTR_REPLAY_MAX_BATCH];
  size_t n_pieces;
  uint64_t under_way; /* bytes sent and not taken yet */
  int socket;
  uint64_t request;
} VtrPostback;

void vtr_postback_init (VtrPostback *self,
                        int          socket);
void vtr_postback_finish (VtrPostback *self);

/* Starts a request; drops what an earlier one left. */
void vtr_postback_begin (VtrPostback *self,
                         uint64_t     request);

/* Adds a post of @size > 0 bytes. Returns: where to write them before any other call, or NULL
 * when that failed with *@status (VTR_NO_SPACE, VTR_IO, VTR_CLOSED). */
uint8_t *vtr_postback_reserve (VtrPostback *self,
                               uint64_t     id,
                               uint64_t     size,
                               VtrStatus   *status);

/* Sends the added data. */
VtrStatus vtr_postback_flush (VtrPostback *self) VTR_MUST_CHECK;
