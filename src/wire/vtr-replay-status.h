/* The page the replayer shares with the engine: where it is, so that its death can be explained,
 * and the request to stop.
 *
 * A memfd made by the engine, fd VTR_REPLAY_STATUS_FD of the replayer. The first cache line is
 * written by the replayer with plain stores for every label and call; the second by the engine.
 * Nothing in it is trusted for more than words and numbers shown to the user. */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define VTR_REPLAY_SOCKET_FD 3
#define VTR_REPLAY_STATUS_FD 4
/* A socket: the locked replayer sends the descriptor there at which seccomp asks for memfd_create(),
 * in a message of one byte, and closes it. May be missing. */
#define VTR_REPLAY_WARDEN_FD 5
#define VTR_REPLAY_STATUS_MAGIC 0x53525456u /* "VTRS" */
#define VTR_REPLAY_STATUS_BYTES 4096
#define VTR_REPLAY_NO_FUNCTION 0xffffffffu

typedef enum
{
  VTR_REPLAY_IDLE,
  VTR_REPLAY_RUNNING,  /* instructions */
  VTR_REPLAY_TEARDOWN, /* destroying what the request made */
  VTR_REPLAY_LOADING,  /* the drivers, before the first request */
} VtrReplayPhase;

typedef struct
{
  uint32_t magic;
  uint32_t phase;    /* VtrReplayPhase */
  uint32_t label;    /* of the last LABEL */
  uint32_t function; /* API << 16 | function inside which it is, or VTR_REPLAY_NO_FUNCTION */
  uint64_t n_calls;  /* calls begun in this request */
  uint64_t request;
  uint64_t fault_address;
  int32_t signal;   /* that ended the replayer, 0: none */
  uint32_t waiting; /* 1: for the engine */
  /* Fills the line. An aligned member would have whatever contains a status aligned alike, which malloc() is not. */
  uint32_t reserved[4];
  uint32_t cancel; /* by the engine: stop at the next call */
} VtrReplayStatus;

static_assert (offsetof (VtrReplayStatus, cancel) == 64, "the engine's cache line");
static_assert (sizeof (VtrReplayStatus) <= VTR_REPLAY_STATUS_BYTES, "status fits its page");
