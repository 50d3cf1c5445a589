/* Tracks the live objects of the program: for each, the call that made it and its state since,
 * so that a recording can begin in the middle of the run.
 *
 * A *record* is an encoded call with its place in the order of all calls. A *creation* is the
 * record of a call that made objects; it is kept while one of them is alive, or while something
 * that was made from them is kept (shader modules, layouts, render passes). A recording
 * therefore begins with the program's own calls in their order, without those that no longer
 * matter: parents come before children, and a handle value that is used twice means the right
 * object each time.
 *
 * Tracking happens only if vtr_layer_is_live(). If memory runs out, an object is not tracked,
 * and no recording can begin any more: vtr_layer_live_fail() keeps the first reason.
 *
 * Threading: any. One lock, never held while the driver is called. */
#pragma once

#include "vtr-layer-calls.h"
#include "vtr-layer-order.h"
#include "vtr-layer-records.h"
#include "vtr-layer.h"

typedef struct VtrLayerObject VtrLayerObject;
typedef struct VtrLayerDescriptors VtrLayerDescriptors;

struct VtrLayerCreation
{
  VtrLayerCreation *next; /* of its world */
  VtrLayerCreation *previous;
  VtrLayerWorld *world;
  VtrLayerRecord *record;
  VtrLayerObject *objects; /* that it made, by .sibling; the dead ones among them */
  uint32_t n_refs;         /* objects that live, records that need it */
  uint32_t n_hidden;       /* of the references: of what is left out at the cut */
  bool buried;             /* in its world's graves, with a reference */
  bool needed;             /* though it is: a command buffer was recorded with it; at the cut */
};

struct VtrLayerObject
{
  VtrLayerObject *sibling;  /* of the same creation */
  VtrLayerObject *shadowed; /* older object with the same handle value that lives as well */
  VtrLayerObject *owner;    /* ends with it: pool, swapchain; or NULL */
  VtrLayerObject *first_owned;
  VtrLayerObject *next_owned;
  VtrLayerObject *previous_owned;
  VtrLayerObject *next_living; /* of the same type in its world */
  VtrLayerObject *previous_living;
  VtrLayerCreation *creation;
  VtrLayerRecords records; /* calls that changed it */
  VtrLayerRecord *end;     /* the call that destroyed it; NULL: lives, or ended with its owner */
  void *state;             /* of its type, see vtr-layer-live-state.h; or NULL */
  void (*free_state) (void *state);
  uint64_t handle;
  uint64_t order; /* of the call that made it */
  uint16_t type;  /* VtrHandleId */
  bool dead;
};

#define VTR_LAYER_N_GRAVES 1024u

/* The objects of an instance (those of devices excluded) or of a device. */
struct VtrLayerWorld
{
  VtrLayerWorld *instance; /* of a device's: where its parents are; or NULL */
  VtrLayerDevice *device;  /* NULL: of an instance */
  VtrLayerCreation *first;
  uint64_t last_end; /* when an object was last destroyed that command buffers may name */
  /* Layouts that were destroyed, the last ones: command buffers may have been recorded with them. */
  VtrLayerCreation *graves[VTR_LAYER_N_GRAVES];
  size_t n_buried;                        /* so far */
  VtrLayerMap maps[VTR_VULKAN_N_HANDLES]; /* handle → VtrLayerObject, those that live */
  /* By type, the youngest first, by .next_living: those that live, with older ones of the same handle. */
  VtrLayerObject *living[VTR_VULKAN_N_HANDLES];
  size_t n_living[VTR_VULKAN_N_HANDLES];
  VtrLayerDescriptors *descriptors; /* of addresses; NULL: none was asked for */
  bool has_sparse;                  /* memory was once bound to a resource page by page */
  atomic_bool gives_descriptors;    /* shaders may find images without descriptor sets */
  struct
  {
    uint32_t frame;
    VtrLayerReach reach;             /* of what was submitted in this frame */
  } recent[VTR_LAYER_RECENT_FRAMES]; /* by frame, modulo their number */
};

/* Returns: NULL without memory, or when nothing is followed. */
VtrLayerWorld *vtr_layer_world_new (VtrLayerWorld  *instance,
                                    VtrLayerDevice *device);
void vtr_layer_world_free (VtrLayerWorld *self);

/* Whether the message of @cmd is needed when nothing is recorded. */
bool vtr_layer_live_needs_message (VtrCmdId cmd);

/* Follows a call that has returned, or one that is about to signal, to submit or to destroy. */
void vtr_layer_live_called (const VtrLayerCall *call,
                            const void         *args,
                            uint64_t            result);

/* Whether calls of @cmd are followed. */
bool vtr_layer_live_follows (VtrCmdId cmd);

/* Whether a submission, or a signal of the host, signals a timeline that work on the GPU waits for, and that
   nothing else has signalled. Any thread, without the lock. */
bool vtr_layer_live_is_awaited (VtrLayerDevice *device,
                                VtrCmdId        cmd,
                                const void     *args);

/* Keeps a record of the layer's own with the data of a device at its creation. */
void vtr_layer_live_add_info (VtrLayerDevice *device,
                              const char     *name,
                              const void     *message,
                              size_t          size);

/* The lock of all worlds. The functions below, up to the end of this file, need it held. */
void vtr_layer_live_lock (void);
void vtr_layer_live_unlock (void);

/* Returns: the object that lives with this handle, or NULL. Needs no lock. */
VtrLayerObject *vtr_layer_live_find (VtrLayerWorld *self,
                                     VtrHandleId    type,
                                     uint64_t       handle);

/* Returns: the record of a call just encoded, NULL without memory. @args: to find the objects that
 * it refers to. */
VtrLayerRecord *vtr_layer_record_new (VtrLayerWorld *world,
                                      VtrCmdId       cmd,
                                      const void    *args,
                                      int64_t        result);
void vtr_layer_record_free (VtrLayerRecord *self);

/* Gives up a reference; the last one frees it, and what only it needed. */
void vtr_layer_creation_unref (VtrLayerCreation *self);
void vtr_layer_creation_free (VtrLayerCreation *self);

/* Adds a record to an object in the place of one with the same @key (from 1). Takes @record, which may be
 * NULL; without a @record only takes the old one off. */
void vtr_layer_object_set_record (VtrLayerObject *self,
                                  uint64_t        key,
                                  VtrLayerRecord *record);

/* Ends an object. @end: the record of the call that did it, taken; or NULL */
void vtr_layer_object_die (VtrLayerWorld  *world,
                           VtrLayerObject *self,
                           VtrLayerRecord *end);

/* Like vtr_layer_object_die (), for every object that @self owns. */
void vtr_layer_object_end_owned (VtrLayerWorld  *world,
                                 VtrLayerObject *self);

/* ---- What the parts add; each with the lock held ---- */

/* @object was just made by @cmd with @args; it gets its .state. */
void vtr_layer_live_made (VtrLayerWorld  *world,
                          VtrLayerObject *object,
                          VtrCmdId        cmd,
                          const void     *args,
                          uint32_t        index);

/* Whether @cmd (canonical) changes objects in a way that is followed. */
bool vtr_layer_live_changes (VtrCmdId cmd);

/* A call that changes objects. */
void vtr_layer_live_changed (VtrLayerWorld *world,
                             VtrCmdId       called,
                             const void    *args,
                             int64_t        result);
