/* The interface between the replayer's process and the APIs whose calls it runs (docs/design/api.md §3.7).
 *
 * Each API of the build is one constant table of functions; the build makes the array of them, so the process
 * names none. The number of an API is its place in that array, and the number under which the replay machine
 * calls its functions.
 *
 * Ownership: what is passed in is borrowed for the call. Errors: a function that fails says why by vtr_vm_fail ().
 * Threading: the replayer's one thread. */
#pragma once

#include "vtr-interpreter.h"
#include "vtr-sandbox.h"

#include "base/vtr-log.h"
#include "base/vtr-status.h"

/* What the process does for an API. */
typedef struct
{
  void (*message) (void *data,
                   VtrLogLevel level,
                   const char *text);
  /* A broken rule, named by @id; @handles: what it is about. */
  void (*complain) (void *data,
                    VtrLogLevel level,
                    const char *id,
                    const char *text,
                    const uint64_t *handles,
                    uint32_t n_handles);
  /* Where to write @size > 0 bytes that are sent as post @id; NULL after vtr_vm_fail(). */
  uint8_t *(*post) (void     *data,
                    uint64_t  id,
                    uint64_t  size);
  /* For how long the request has run, without what it waited for the engine; nanoseconds. */
  uint64_t (*clock) (void *data);
  /* The calling thread is about to wait for the GPU: what can be done meanwhile may be done now. */
  void (*idle) (void *data);
  void *data;
} VtrReplayerHost;

/* What a request compared between the capture and this replay. */
typedef struct
{
  uint64_t n_addresses;    /* that are as captured */
  uint64_t n_groups;       /* handles of shader groups that are */
  uint64_t n_other_groups; /* and those that are not */
} VtrReplayerCounts;

/* Gets bytes that the engine's side of the same API reads; valid during the call only. */
typedef void (*VtrDescribeSink) (void *data, const void *bytes, size_t size);

/* Members that may be NULL say what happens then. @self is what create () returned. */
typedef struct
{
  /* M1. Returns: (transfer full): the API in this process, NULL when out of memory. Loads nothing yet. */
  void *(*create) (VtrVm                 *vm,
                   const VtrReplayerHost *host);
  void (*destroy) (void *self);

  /* M2. The functions that the machine calls, owned by @self: *@calls those of the API's registry, with ids from 0,
   * *@own those of the replay, with ids from VTR_REPLAY_FIRST_SYNTHETIC on. */
  void (*functions) (void *self,
                     VtrVmFunctions *calls,
                     VtrVmFunctions *own);

  /* M3. Around each request. @flags: VTR_REPLAY_…; @device: name of the one to use, empty for the best fit. end ()
   * waits for the devices, then destroys everything that the request created and left, newest first. */
  void (*begin) (void *self,
                 uint32_t flags,
                 const char *device);
  void (*end) (void *self);
  /* (nullable): adds to @counts, which is about the request that runs. */
  void (*count) (const void *self,
                 VtrReplayerCounts *counts);

  /* M4 (all nullable, together): the state that a request kept for later ones. rewind () goes back to it; false when
   * that cannot be done: end then. resume () gets ready for a request with VTR_REPLAY_RESUME and @flags; false when
   * there is nothing to resume. */
  bool (*is_kept) (const void *self);
  bool (*rewind) (void *self);
  bool (*resume) (void *self,
                  uint32_t flags);

  /* M6, between requests. prepare () (nullable) loads the drivers, which takes long. describe () describes each device;
   * returns: why there are none, a sentence, or NULL. ask () answers one question about them; false: it cannot. */
  void (*prepare) (void *self);
  const char *(*describe) (void            *self,
                           VtrDescribeSink  sink,
                           void            *data);
  bool (*ask) (void *self,
               const void *question,
               size_t size,
               VtrDescribeSink sink,
               void *data);

  /* M8 (nullable): visits the files outside of the system's folders that drivers of the API need, before the process is
   * locked and before create (). */
  void (*visit_files) (VtrSandboxAllow allow,
                       void *data);

  /* M9. What VtrVmFunctions.judge () is, for both kinds of functions. */
  VtrVmErrorCode (*judge) (uint32_t function,
                           uint64_t result,
                           char *text,
                           size_t size);
} VtrReplayerApi;

/* By number of the API, from 1 on: the machine's own functions have the number 0. Made by the build. */
extern const VtrReplayerApi *const vtr_replayer_apis[VTR_VM_N_APIS];
