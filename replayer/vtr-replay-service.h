/* The replayer's end of the replay protocol: takes requests one after the other and runs them.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-kept-slots.h"
#include "vtr-postback.h"
#include "vtr-replayer-api.h"
#include "vtr-resource-cache.h"
#include "sandbox/vtr-sandbox.h"

#define VTR_REPLAY_CACHE_BYTES (256ull << 20)

typedef struct VtrServicePacket VtrServicePacket;

typedef struct
{
  uint64_t hash[2];
  uint64_t size;
} VtrReplayServiceResource;

typedef struct
{
  int socket;
  VtrVm vm;
  void *apis[VTR_VM_N_APIS]; /* of vtr_replayer_apis[]; NULL in front */
  VtrVmFunction common[VTR_REPLAY_LAST_COMMON - VTR_REPLAY_FIRST_COMMON];
  VtrKeptSlots kept;  /* of the state that is kept; .bytes NULL: none is */
  VtrKeptSlots inner; /* of the inner one on top of it */
  VtrResourceCache cache;
  VtrPostback postback;
  VtrServicePacket *first; /* received while waiting for something else, linked by .next */
  VtrServicePacket *last;
  VtrReplayServiceResource *resources; /* of the request */
  size_t n_resources;
  size_t max_resources;
  struct
  {
    const VtrServicePacket *packet; /* NULL: nothing was read ahead; only to be compared */
    VtrVmRoom room;
    VtrStatus status;
  } ahead;                       /* the next segment */
  uint64_t request;              /* 0: none running */
  uint64_t ran, waited, started; /* nanoseconds: of segments; in them; since when the present one runs */
  bool arrived;                  /* what is waited for */
  bool closed;                   /* the engine is gone, or does not speak the protocol */
} VtrReplayService;

/* Takes over @socket. @status: the shared page. Errors: VTR_NO_MEMORY. Finish in any case. */
VtrStatus vtr_replay_service_init (VtrReplayService *self,
                                   int               socket,
                                   VtrReplayStatus  *status) VTR_MUST_CHECK;
void vtr_replay_service_finish (VtrReplayService *self);

/* Sends the report @sandbox to the engine, then serves until the engine closes the connection. */
void vtr_replay_service_run (VtrReplayService *self,
                             const VtrSandbox *sandbox);
