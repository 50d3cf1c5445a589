/* The tiny API's entry library: records its calls through the core of the capture layer, from launch or from the middle of
 * the run.
 *
 * Threading: a context belongs to the thread on which it is current; a group and the list of all contexts have a lock each.
 * When a recording begins, one thread reads everything while all others are outside of calls. */
#pragma once

#include "../library/tiny-dispatch.h"
#include "../vtr-tiny-env.h"
#include "vtr-capture-core.h"
#include "vtr-layer-batch.h"

#include "api/vtr-tiny-args.h"

#include <pthread.h>
#include <stdbool.h>

/* A picture or a store of a group, while anything holds it: its name, contexts that have it bound, arrays. */
typedef struct VtrTinyObject VtrTinyObject;
struct VtrTinyObject
{
  VtrTinyObject *next; /* of the group's */
  TnKind kind;
  unsigned refs;
  uint32_t name; /* 0: it was deleted */
  bool has_data;
  uint32_t width, height; /* of a picture */
  size_t size;            /* of .bytes */
  uint8_t *bytes;         /* of a store: the last data; of a picture: only while a recording begins */
  uint32_t name_at_cut;   /* by which a recording that begins calls it */
};

/* A name that tnGen () has returned and that is not bound yet. */
typedef struct VtrTinyReserved VtrTinyReserved;
struct VtrTinyReserved
{
  VtrTinyReserved *next;
  TnKind kind;
  uint32_t name;
};

/* What contexts share that were made with each other. */
typedef struct
{
  VtrNamespace names;
  pthread_mutex_t lock;
  unsigned refs; /* contexts that live */
  bool is_read;  /* its pictures were read for the recording that begins */
  VtrTinyObject *objects;
  VtrTinyReserved *reserved;
} VtrTinyGroup;

/* Where the points of a draw come from. */
typedef struct VtrTinyArray VtrTinyArray;
struct VtrTinyArray
{
  VtrTinyArray *next;
  uint32_t name;  /* 0: of the array that exists from the start, or of one whose name was deleted */
  bool has_store; /* .points is an offset into a store */
  bool has_points;
  uint32_t stride;
  const uint8_t *points;
  VtrTinyObject *store; /* while objects are followed; holds a reference */
};

typedef struct VtrTinyContext VtrTinyContext;
struct VtrTinyContext
{
  VtrNamespace names;
  VtrLayerBatch batch;
  VtrTinyEnv env;
  VtrTinyGroup *group;
  VtrTinyContext *next; /* older */
  TnContext handle;
  uint32_t width, height; /* of its window */
  uint32_t thread;        /* gettid(): on which it is current; 0: on none */
  bool is_destroyed;      /* while it was current */

  /* As the calls of its thread have left it. */
  VtrTinyArray first_array;  /* array 0 */
  VtrTinyArray *arrays;      /* those with names */
  VtrTinyArray *array;       /* that is bound */
  uint32_t picture_name;     /* that was bound last; 0: the window is */
  VtrTinyReserved *reserved; /* arrays */

  /* While objects are followed. */
  VtrTinyObject *picture; /* that is bound; NULL: the window; holds a reference */
  VtrTinyObject *store;   /* that is bound; NULL: none; holds a reference */
  uint32_t pen;
  uint8_t *window; /* its texels, while a recording begins */
  uint32_t error;  /* that the driver told where a recording began, and the program has not asked for */
};

extern VtrNamespace vtr_tiny_process;
extern const VtrCaptureApi vtr_tiny_capture_api;
extern TnFunctions vtr_tiny_next; /* the driver's */

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
                               TnContext share,
                               uint32_t  width,
                               uint32_t  height);
void vtr_tiny_context_destroyed (TnContext handle);
void vtr_tiny_context_made_current (TnContext handle,
                                    bool      succeeded);

/* All that live, the youngest first. While all threads are outside of calls. */
VtrTinyContext *vtr_tiny_get_contexts (void);

/* ---- What is bound: vtr-tiny-track.c ---- */

void vtr_tiny_track_Bind (VtrTinyContext       *self,
                          const VtrArgs_tnBind *args);
void vtr_tiny_track_Delete (VtrTinyContext         *self,
                            const VtrArgs_tnDelete *args);
void vtr_tiny_track_Pointer (VtrTinyContext          *self,
                             const VtrArgs_tnPointer *args);
/* Whether the array that is bound has no name any more. */
bool vtr_tiny_array_is_deleted (const VtrTinyContext *self);
void vtr_tiny_track_finish (VtrTinyContext *self);

/* VtrCaptureApi.observe_state */
void vtr_tiny_observe_state (const VtrLayerCall *call,
                             const void         *args,
                             VtrObserveSink      sink,
                             void               *data);

/* ---- What lives: vtr-tiny-follow.c ---- */

/* Whether @cmd changes it. */
bool vtr_tiny_follows (VtrCmdId cmd);
/* VtrCaptureApi.follow */
void vtr_tiny_follow (const VtrLayerCall *call,
                      const void         *args,
                      uint64_t            result);
/* @object: (nullable). With the lock of @group. */
void vtr_tiny_set_object (VtrTinyGroup   *group,
                          VtrTinyObject **place,
                          VtrTinyObject  *object);
void vtr_tiny_context_unfollow (VtrTinyContext *self);
void vtr_tiny_group_unfollow (VtrTinyGroup *self);

/* ---- The beginning of a recording: vtr-tiny-cut.c ---- */

/* Reads the window's texels into .window; by the thread on which the context is current, or for a context that is current
 * on no other. NULL afterwards: there is no memory, or a picture is bound that has no name any more. */
void vtr_tiny_read_window (VtrTinyContext *self);

/* What the driver told the program when it asked for the context's error, @told, with what a recording's begin has asked in its
 * place: the youngest error counts. */
uint32_t vtr_tiny_take_error (VtrTinyContext *self,
                              uint32_t        told);

/* Before a swap: copies the window if it is that of a recording's last frame. @self: (nullable) */
void vtr_tiny_copy_picture (VtrTinyContext *self);
/* VtrCaptureApi.get_picture */
bool vtr_tiny_get_picture (VtrNamespace    *names,
                           VtrRingPicture  *head,
                           const uint8_t  **rows,
                           size_t          *size);

/* VtrCaptureApi.errand, .write_state */
void vtr_tiny_errand (VtrLayerThread *thread);
bool vtr_tiny_write_state (VtrLayerThread *thread,
                           char            why[VTR_LAYER_WHY_MAX]);
