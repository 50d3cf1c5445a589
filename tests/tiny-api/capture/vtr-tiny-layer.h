/* The tiny API's entry library: records its calls through the core of the capture layer.
 *
 * Threading: a context belongs to the thread on which it is current; what has a list or a group of them has a lock. */
#pragma once

#include "../library/tiny.h"
#include "../vtr-tiny-env.h"
#include "vtr-capture-core.h"

#include "api/vtr-tiny-args.h"

#include <stdbool.h>

/* What contexts share that were made with each other. */
typedef struct
{
  VtrNamespace names;
  unsigned refs; /* contexts that live */
} VtrTinyGroup;

/* Where the points of a draw come from. */
typedef struct VtrTinyArray VtrTinyArray;
struct VtrTinyArray
{
  VtrTinyArray *next;
  uint32_t name;  /* 0: of the array that exists from the start, or of one whose name was deleted */
  bool has_store; /* .points is an offset into a store */
  uint32_t stride;
  const uint8_t *points;
};

typedef struct VtrTinyContext VtrTinyContext;
struct VtrTinyContext
{
  VtrNamespace names;
  VtrLayerBatch batch;
  VtrTinyEnv env;
  VtrTinyGroup *group;
  VtrTinyContext *next;
  TnContext handle;
  bool is_current;
  bool is_destroyed; /* while it was current */

  /* As the calls of its thread have left it. */
  VtrTinyArray first_array; /* array 0 */
  VtrTinyArray *arrays;     /* those with names */
  VtrTinyArray *array;      /* that is bound */
};

extern VtrNamespace vtr_tiny_process;
extern const VtrCaptureApi vtr_tiny_capture_api;

/* What the program calls instead of @next, which is the driver's function of that name. */
TnFunction vtr_tiny_get_trampoline (const char *name,
                                    TnFunction  next);

/* ---- Contexts: vtr-tiny-contexts.c ---- */

/* The calling thread's. Returns: (nullable) */
VtrTinyContext *vtr_tiny_current (void);

/* Others may act on what the calling thread has done in its context. */
void vtr_tiny_publish (void);

/* Behind the driver's part of the calls; @handle may be NULL. */
void vtr_tiny_context_created (TnContext handle,
                               TnContext share);
void vtr_tiny_context_destroyed (TnContext handle);
void vtr_tiny_context_made_current (TnContext handle,
                                    bool      succeeded);

/* ---- What is bound: vtr-tiny-track.c ---- */

void vtr_tiny_track_Bind (VtrTinyContext       *self,
                          const VtrArgs_tnBind *args);
void vtr_tiny_track_Delete (VtrTinyContext         *self,
                            const VtrArgs_tnDelete *args);
void vtr_tiny_track_Pointer (VtrTinyContext          *self,
                             const VtrArgs_tnPointer *args);
void vtr_tiny_track_finish (VtrTinyContext *self);

/* VtrCaptureApi.observe_state */
void vtr_tiny_observe_state (const VtrLayerCall *call,
                             const void         *args,
                             VtrObserveSink      sink,
                             void               *data);
