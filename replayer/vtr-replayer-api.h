/* M: the interface between the replayer's process and the APIs whose calls it runs (docs/design/api.md, 3.7).
 *
 * Each API of the build is one constant table of functions. The build makes the array of these tables, so the process names no
 * API. The number of an API is its position in the array; the replay machine calls the API's functions by it.
 *
 * Ownership: arguments are borrowed for the call. Errors: a function that fails gives the reason
 * with vtr_vm_fail ().
 * Threading: the replayer's one thread. */
#pragma once

#include "vtr-interpreter.h"
#include "sandbox/vtr-sandbox.h"

#include "base/vtr-log.h"
#include "base/vtr-status.h"

/* Functions that the process provides to an API. */
typedef struct
{
  void (*message) (void *data,
                   VtrLogLevel level,
                   const char *text);
  /* Reports the violation of the rule named by @id; @handles: the objects concerned. */
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
  /* The time that the request has run, without waits for the engine, in nanoseconds. */
  uint64_t (*clock) (void *data);
  /* Called when the calling thread will wait for the GPU, so that the process can do other work first. */
  void (*idle) (void *data);
  /* Replaces @from by @to in the slots of the snapshot. @inner: in those of the inner snapshot. Returns: whether exactly one slot
   * had it. */
  bool (*rename_kept) (void *data,
                       bool inner,
                       uint64_t from,
                       uint64_t to);
  void *data;
} VtrReplayerHost;

/* The cost of a mark. */
typedef struct
{
  uint64_t bytes;
  uint64_t microseconds;
} VtrReplayerMark;

/* The comparisons of a request between the capture and this replay. */
typedef struct
{
  uint64_t n_addresses;    /* that are as captured */
  uint64_t n_groups;       /* handles of shader groups that are */
  uint64_t n_other_groups; /* and those that are not */
} VtrReplayerCounts;

/* Gets bytes that the engine's side of the same API reads; valid during the call only. */
typedef void (*VtrDescribeSink) (void *data, const void *bytes, size_t size);

/* Members are required unless their comment says that they are nullable. @self is what create () returned. */
typedef struct
{
  /* M1. Returns: (transfer full): the API in this process, NULL when out of memory. Loads nothing yet. */
  void *(*create) (VtrVm                 *vm,
                   const VtrReplayerHost *host);
  void (*destroy) (void *self);

  /* M2. The functions that the machine calls, owned by @self: *@calls those of the API's registry, with their ids,
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

  /* M4 (all nullable, together): snapshots for later requests, and marks inside them. The API does not handle slots. save ():
   * makes a snapshot of the driver's state; false if that is impossible. drop (): drops the snapshot; its objects then belong to
   * the request. rewind (): restores the snapshot, or with @inner the one that mark 0 made; without @inner, drops that one;
   * false if that is impossible, and end () follows. mark (), go_to_mark () and forget_mark () implement the functions of these
   * names (wire/vtr-replay-functions.h); false after vtr_vm_fail (). If one API lacks these members, no snapshots are made for
   * any API. */
  bool (*save) (void *self);
  void (*drop) (void *self);
  bool (*rewind) (void *self,
                  bool inner);
  bool (*mark) (void *self,
                uint64_t mark,
                VtrReplayerMark *taken);
  bool (*go_to_mark) (void *self,
                      uint64_t mark);
  void (*forget_mark) (void *self,
                       uint64_t mark);

  /* M5 (each nullable: UNSUPPORTED). Objects are of the API's kinds; @source lies in the machine's memory. */
  void (*read_texels) (void *self,
                       const VtrReplayReadTexels *read);
  void (*read_bytes) (void *self,
                      const VtrReplayReadBytes *read);
  void (*write_texels) (void *self,
                        const VtrReplayWriteTexels *write,
                        const void *source,
                        uint64_t size);
  void (*write_bytes) (void *self,
                       uint32_t kind,
                       uint64_t object,
                       uint64_t offset,
                       const void *source,
                       uint64_t size);

  /* M7 (nullable: there is nothing to wait for): waits for all devices, unless their work waits for a later call of the trace. */
  void (*settle) (void *self);

  /* M6 (each nullable), between requests. prepare () loads the drivers, which takes long. describe () describes each device;
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

  /* M9 (nullable: no call counts as failed). What VtrVmFunctions.judge () is, for both kinds of
   * functions. */
  VtrVmErrorCode (*judge) (uint32_t function,
                           uint64_t result,
                           char *text,
                           size_t size);
} VtrReplayerApi;

/* By number of the API, from 1 on: the machine's own functions have the number 0. Made by the build. */
extern const VtrReplayerApi *const vtr_replayer_apis[VTR_VM_N_APIS];
