/* The functions of VtrReplayService that the machine and the APIs call, and its packets.
 *
 * Threading: one at a time, but where it says otherwise. */
#pragma once

#include "vtr-replay-service.h"

/* A packet from the engine. */
struct VtrServicePacket
{
  Vtr__Replay__ToReplayer *message;
  int fd;
  VtrServicePacket *next;
};

void vtr_service_packet_free (VtrServicePacket *self);

/* Monotonic nanoseconds. */
uint64_t vtr_replay_service_now (void);

/* Returns: (transfer full): the next packet; NULL once the engine is gone or, not to @wait, when there
 * is none yet. */
VtrServicePacket *vtr_replay_service_receive (VtrReplayService *self,
                                              bool              wait);
/* Keeps @packet (transfer full) until the current request is done. */
void vtr_replay_service_defer (VtrReplayService *self,
                               VtrServicePacket *packet);
/* Returns: (transfer none): the next packet, as far as it has arrived; NULL when none has. */
VtrServicePacket *vtr_replay_service_peek (VtrReplayService *self);
/* Returns: whether @packet was an answer (freed), and not something to do. */
bool vtr_replay_service_take_answer (VtrReplayService *self,
                                     VtrServicePacket *packet);
/* Returns: false (and fails the machine) when the engine does not listen. */
bool vtr_replay_service_send (VtrReplayService            *self,
                              const Vtr__Replay__ToEngine *message);

/* Requests of the machine (vtr-replay-service-asks.c); @data is the service. Each fails the machine
 * when it gets no answer. */
bool vtr_replay_service_resource (void           *data,
                                  uint64_t        number,
                                  const uint8_t **bytes,
                                  size_t         *size);
uint8_t *vtr_replay_service_reserve_post (void     *data,
                                          uint64_t  id,
                                          uint64_t  size);
bool vtr_replay_service_post (void          *data,
                              uint64_t       id,
                              const uint8_t *bytes,
                              size_t         size);
bool vtr_replay_service_fence (void     *data,
                               uint32_t  id);
/* Sends the posted data. */
bool vtr_replay_service_flush (VtrReplayService *self);

/* Messages (vtr-replay-service-words.c); @data is the service. */
void vtr_replay_service_message (void        *data,
                                 VtrLogLevel  level,
                                 const char  *text);
void vtr_replay_service_complain (void           *data,
                                  VtrLogLevel     level,
                                  const char     *id,
                                  const char     *text,
                                  const uint64_t *handles,
                                  uint32_t        n_handles);

/* A request's beginning and end (vtr-replay-service-requests.c). */
void vtr_replay_service_begin (VtrReplayService         *self,
                               const Vtr__Replay__Begin *begin);
/* Destroys what the request made and says how it went. */
void vtr_replay_service_end (VtrReplayService *self);
/* Nanoseconds that segments of the request ran without waiting for the engine. */
uint64_t vtr_replay_service_clock (void *data);

/* Kept states and the other functions that every API answers (vtr-replay-service-common.c). */
void vtr_replay_service_set_common (VtrReplayService *self);
/* Goes back to the innermost state that is kept. Returns: false when that cannot be done: end then. */
bool vtr_replay_service_rewind (VtrReplayService *self);
/* Gets ready for a request with VTR_REPLAY_RESUME and @flags: gives up the inner state when it is not the
 * one to resume. Returns: whether there is what to resume. */
bool vtr_replay_service_resume (VtrReplayService *self,
                                uint32_t          flags);
/* Forgets all states; what they hold lives on as the request's own. */
void vtr_replay_service_drop (VtrReplayService *self);
/* VtrReplayerHost.rename_kept (); @data is the service. */
bool vtr_replay_service_rename_kept (void     *data,
                                     bool      inner,
                                     uint64_t  from,
                                     uint64_t  to);

/* Its segments (vtr-replay-service-segments.c). @packet: (transfer none). */
void vtr_replay_service_segment (VtrReplayService *self,
                                 VtrServicePacket *packet);
/* Reads the next one, if it has come, while the present one waits for the GPU; @data is the
 * service. */
void vtr_replay_service_read_ahead (void *data);
void vtr_replay_service_say_done (VtrReplayService *self);
