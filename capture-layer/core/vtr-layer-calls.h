/* Writes the records of calls into the calling thread's log, and has followed what they change.
 *
 * Threading: any; each thread has its own state. */
#pragma once

#include "api/vtr-api-walk.h"
#include "vtr-capture-core.h"
#include "vtr-layer-thread.h"

/* A call under way; on the trampoline's stack. Zero .thread: neither recorded nor followed. */
struct VtrLayerCall
{
  VtrLayerThread *thread;
  VtrNamespace *names;
  size_t start; /* of the message in .scratch */
  uint64_t ticket;
  uint32_t flags;
  uint32_t outer; /* VtrRingStream.inside of the call around this one */
  VtrCmdId cmd;
  VtrLayerBatch *batch; /* where it goes; NULL: into the log */
  uint8_t traits;       /* VtrCallTraits of .cmd */
  bool record;          /* the call is recorded */
  bool encode;          /* its message is being built */
};

/* For calls that have something to do before they are entered: enter and leave the gate, if there is
 * one. In pairs, around everything. */
VtrLayerThread *vtr_layer_thread_enter (VtrCmdId cmd);
/* Like vtr_layer_thread_enter (), for a call that gives the device work, or may end a wait. */
VtrLayerThread *vtr_layer_thread_enter_signaller (VtrCmdId    cmd,
                                                  const void *args);
void vtr_layer_thread_leave (VtrLayerThread *self);

/* ---- Calls that are recorded when they have returned ---- */

/* Records what the calling thread has done in @names so far: others may act on it. Without effect where there is no batch,
 * or nothing in it. */
void vtr_layer_publish (VtrNamespace *names);

/* Observes what the driver will read. Sets @self->thread to NULL if the call cannot be recorded. @args
 * must stay until the call is left. */
void vtr_layer_call_enter (VtrLayerCall *self,
                           VtrNamespace *names,
                           VtrCmdId      cmd,
                           const void   *args);

/* Observes the results and commits. */
void vtr_layer_call_leave (VtrLayerCall *self,
                           const void   *args,
                           uint64_t      result);

/* Adds data of a @type of our own to the call under way on this thread, if it is recorded. */
void vtr_layer_call_add_extra (const char *type,
                               const void *data,
                               size_t      size);

/* ---- Calls that are recorded before the driver is called ---- */

/* Observes and commits, after all earlier calls in @names. */
void vtr_layer_call_commit (VtrLayerCall *self,
                            VtrNamespace *names,
                            VtrCmdId      cmd,
                            const void   *args);

/* Commits the result. */
void vtr_layer_call_returned (VtrLayerCall *self,
                              uint64_t      result);

/* ---- Records of our own ---- */

/* Commits a VTR_RECORD_INFO: a message of type @name. */
void vtr_layer_record_info (const char *name,
                            const void *message,
                            size_t      size);
