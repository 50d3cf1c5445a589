/* Writes the initial commands of a recording from the middle of a run: the calls that made the
 * live objects, and calls that bring them to their current state.
 *
 * Threading: the caller has stopped all other threads, and all devices are idle. */
#pragma once

#include "vtr-layer-contents.h"
#include "vtr-layer-live-state.h"

/* The destination of initial records. */
typedef struct
{
  VtrLayerThread *thread;
  const struct VtrLayerInitialStream *stream; /* not committed yet; NULL: it is */
  char *why;                                  /* VTR_LAYER_WHY_MAX bytes: a sentence when it fails */
  bool failed;
  struct VtrLayerQueryResults *queries; /* of the device that is being written */
} VtrLayerInitial;

__attribute__ ((format (printf, 2, 3))) bool vtr_layer_initial_fail (VtrLayerInitial *self,
                                                                     const char *format,
                                                                     ...);

/* Commits a call, flagged initial. */
void vtr_layer_initial_call (VtrLayerInitial *self,
                             VtrLayerDevice  *device,
                             VtrCmdId         cmd,
                             const void      *args,
                             int64_t          result);

/* Whether a resource is bound to memory that is still there, not to an older one of the same
 * handle. */
bool vtr_layer_initial_is_bound (const VtrLayerDevice *device,
                                 const VtrLayerObject *object,
                                 VkDeviceMemory        memory);

/* The acceleration structures that hold something, bottom levels first. @to: has room for all.
 * Returns: how many. */
size_t vtr_layer_initial_list_structures (VtrLayerDevice        *device,
                                          VtrLayerLiveStructure *to);

/* Calls @each for every object of @type that lives. */
void vtr_layer_initial_for_each (VtrLayerWorld *world,
                                 VtrHandleId type,
                                 void (*each) (VtrLayerObject *object,
                                               void *data),
                                 void *data);

/* Shared data of the checks of command buffers. Zero-initialised; for one cut. */
typedef struct
{
  VtrBuffer graves; /* destroyed objects that command buffers may still name, sorted */
  bool listed;      /* whether they were looked for yet */
  VtrHandleReader *reader;
} VtrLayerInitialChecks;

void vtr_layer_initial_checks_finish (VtrLayerInitialChecks *self);

/* Sets .valid of a command buffer that was kept; secondaries before those that execute them
 * (vtr-layer-initial-blocks.c). */
void vtr_layer_initial_check_block (VtrLayerCommandBuffer *self,
                                    VtrLayerInitialChecks *graves);

/* Layouts, queries, fences, semaphores, events, swapchains of a device (vtr-layer-initial-state.c). */
void vtr_layer_initial_write_state (VtrLayerInitial *self,
                                    VtrLayerDevice  *device);

/* Binds pages of sparse resources as they are bound (vtr-layer-initial-sparse.c). */
void vtr_layer_initial_write_sparse (VtrLayerInitial *self,
                                     VtrLayerDevice  *device);

/* Writes the results of available queries as calls of vkGetQueryPoolResults: all queries of a pool,
 * in 64 and in 32 bits, with availability (vtr-layer-initial-queries.c). */
void vtr_layer_initial_write_query_results (VtrLayerInitial *self,
                                            VtrLayerDevice  *device);

/* Writes the records before contents: those of all devices once, then those of @device. Returns:
 * false when that fails. */
bool vtr_layer_initial_write_before (VtrLayerDevice *device,
                                     void *data /* VtrLayerInitial */);

/* Writes the contents of memory and images, and the records before them
 * (vtr-layer-initial-contents.c). */
void vtr_layer_initial_write_contents (VtrLayerInitial *self,
                                       VtrLayerDevice  *device);

/**
 * vtr_layer_initial_write:
 * @why: (out): a sentence when it fails
 *
 * Commits everything in the log of @thread and begins to follow mapped memory. Returns: false when no
 * recording can begin.
 */
bool vtr_layer_initial_write (VtrLayerThread *thread,
                              char            why[VTR_LAYER_WHY_MAX]);
