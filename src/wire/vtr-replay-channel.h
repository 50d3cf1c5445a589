/* The transport of the replay protocol: packets with file descriptors, and sealed shared memory.
 *
 * Messages are those of src/wire/vtr-replay.proto, one per packet of a SOCK_SEQPACKET pair. Bulk
 * data is passed in memfds that are sealed against shrinking, so that neither side can make the
 * other one fault.
 *
 * Threading: one at a time per socket and direction. */
#pragma once

#include "base/vtr-status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTR_REPLAY_PACKET_BYTES 65536

/* Most numbers of one ResourceRequest, most pieces of one Posted. */
#define VTR_REPLAY_MAX_BATCH 1024

/* Most bytes one memfd may have. */
#define VTR_REPLAY_MAX_BULK (8ull << 30)

/* Sends one packet, with @fd unless -1 (which stays the caller's). @wait: block while the other
 * side is busy. Errors: VTR_CLOSED, VTR_IO, VTR_TIMEOUT (busy, and not to wait), VTR_NO_SPACE
 * (too long). */
VtrStatus vtr_replay_channel_send (int         socket,
                                   const void *bytes,
                                   size_t      size,
                                   int         fd,
                                   bool        wait) VTR_MUST_CHECK;

/* Receives one packet of at most @size bytes. *@fd: the descriptor that came along, -1 for none;
 * the caller's. Errors: those of vtr_replay_channel_send (), VTR_CORRUPT (too long, or more than one descriptor). */
VtrStatus vtr_replay_channel_receive (int     socket,
                                      void   *bytes,
                                      size_t *size,
                                      int    *fd,
                                      bool    wait) VTR_MUST_CHECK;

typedef struct
{
  int fd;
  uint8_t *bytes; /* NULL when empty */
  size_t size;
} VtrReplayBulk;

#define VTR_REPLAY_BULK_INIT \
  { \
    -1, NULL, 0 \
  }

/* New memory of @size > 0 bytes, mapped for writing. Errors: VTR_IO, VTR_NO_SPACE. */
VtrStatus vtr_replay_bulk_create (VtrReplayBulk *self,
                                  const char    *name,
                                  uint64_t       size) VTR_MUST_CHECK;

/* Makes the size final; to be done before the descriptor is sent. */
VtrStatus vtr_replay_bulk_seal (VtrReplayBulk *self) VTR_MUST_CHECK;

/* Maps a received descriptor, which becomes part of @self whatever happens. Errors: VTR_CORRUPT
 * when it is not a memfd that is sealed against shrinking, or smaller than @size. */
VtrStatus vtr_replay_bulk_open (VtrReplayBulk *self,
                                int            fd,
                                uint64_t       size) VTR_MUST_CHECK;

/* Unmaps and closes. */
void vtr_replay_bulk_finish (VtrReplayBulk *self);
