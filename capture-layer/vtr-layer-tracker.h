/* How CPU writes to mapped memory are found: the interface of the trackers.
 *
 * A tracker watches one allocation at a time through a state of its own. Its caller serialises all
 * calls for one device. Threading: one at a time per state; the application writes meanwhile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTR_LAYER_PAGE 4096u

/* Copies @size bytes that were found changed, @offset bytes into the allocation.
 * Returns: the copy, valid until the next call: later changes of the original are told against it.
 * NULL without memory. */
typedef const uint8_t *(*VtrLayerDirtySink) (void          *data,
                                             uint64_t       offset,
                                             const uint8_t *bytes,
                                             size_t         size);

typedef struct
{
  const char *name;
  const char *cost; /* of it, for the report */

  /* Starts with an allocation of @size bytes whose contents nobody knows. Returns: NULL without memory. */
  void *(*create) (uint64_t size);
  void (*destroy) (void *state);

  /* The program has [@offset, @offset + @size) of it mapped at @address. */
  void (*map) (void *state,
               uint64_t offset,
               uint8_t *address,
               size_t size);
  void (*unmap) (void *state);

  /* What is in the mapped part now has been recorded by somebody else. */
  void (*adopt) (void *state);

  /* Hands what may have changed in the mapped part of [@offset, @offset + @size) since it was last
   * handed over to @sink, neighbours together, at most @most bytes at once. */
  void (*collect) (void *state,
                   uint64_t offset,
                   uint64_t size,
                   size_t most,
                   VtrLayerDirtySink sink,
                   void *data);
} VtrLayerTracker;

/* Compares every page with what was last seen of it. Works on any memory. */
extern const VtrLayerTracker vtr_layer_tracker_compare;
