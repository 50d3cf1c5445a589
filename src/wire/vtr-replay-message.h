/* Whole messages of the replay protocol over a channel.
 *
 * Threading: one at a time per socket and direction. */
#pragma once

#include "wire/vtr-replay-channel.h"
#include "wire/vtr-replay.pb-c.h"

/* Errors: as vtr_replay_channel_send(). */
VtrStatus vtr_replay_send_to_engine (int                          socket,
                                     const Vtr__Replay__ToEngine *message,
                                     int                          fd,
                                     bool                         wait) VTR_MUST_CHECK;
VtrStatus vtr_replay_send_to_replayer (int                            socket,
                                       const Vtr__Replay__ToReplayer *message,
                                       int                            fd,
                                       bool                           wait) VTR_MUST_CHECK;

/* @message: to be freed with vtr__replay__to_…__free_unpacked(). @fd: as of the channel. Errors: as
 * vtr_replay_channel_receive(); VTR_CORRUPT also for what is no message. */
VtrStatus vtr_replay_receive_at_engine (int                     socket,
                                        Vtr__Replay__ToEngine **message,
                                        int                    *fd,
                                        bool                    wait) VTR_MUST_CHECK;
VtrStatus vtr_replay_receive_at_replayer (int                       socket,
                                          Vtr__Replay__ToReplayer **message,
                                          int                      *fd,
                                          bool                      wait) VTR_MUST_CHECK;

/* Unpack a message from bytes, for tests and fuzzers. Returns: NULL if the bytes are not a message. */
Vtr__Replay__ToEngine *vtr_replay_parse_at_engine (const uint8_t *bytes,
                                                   size_t         size);
Vtr__Replay__ToReplayer *vtr_replay_parse_at_replayer (const uint8_t *bytes,
                                                       size_t         size);

/* Layout of a Segment's memfd. Errors: VTR_CORRUPT when the sizes overflow or exceed what a memfd
 * may have. */
typedef struct
{
  uint64_t words; /* offsets */
  uint64_t resources;
  uint64_t constants;
  uint64_t total;
} VtrReplaySegmentLayout;

VtrStatus vtr_replay_segment_layout (uint64_t                n_words,
                                     uint64_t                n_resources,
                                     uint64_t                constants_size,
                                     VtrReplaySegmentLayout *out) VTR_MUST_CHECK;

/* Bytes of one entry of a segment's resource list: u64 hash[2], u64 size. */
#define VTR_REPLAY_RESOURCE_BYTES 24

/* Where the content after one of @size bytes at @offset starts. Returns: false on overflow. */
static inline bool
vtr_replay_next_content (uint64_t  offset,
                         uint64_t  size,
                         uint64_t *next)
{
  return !__builtin_add_overflow (offset, size, next) &&
         !__builtin_add_overflow (*next, (uint64_t)15, next) &&
         (*next &= ~(uint64_t)15, *next <= VTR_REPLAY_MAX_BULK);
}
