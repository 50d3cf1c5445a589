/* Finds CPU writes to the mapped memory of one allocation.
 *
 * There are two ways to find the pages that were written: the kernel watches them
 * (vtr-layer-watcher.h), where a self-test has shown that this works, or all bytes are compared
 * with those last recorded. Either way only bytes that differ are handed over
 * (vtr-layer-tracker-compare.h). If much is written, comparing costs less than a page fault for
 * every page: a meter chooses for every mebibyte, and repeats its measurement regularly.
 *
 * Threading: one at a time per tracker; the program writes to the memory meanwhile. */
#pragma once

#include "vtr-layer-tracker-compare.h"
#include "vtr-layer-watcher.h"

/* How memory of one type is tracked, and why. */
typedef struct
{
  const VtrLayerWatcher *watcher; /* NULL: pages are compared */

  bool fixed;         /* requested by the user: no switching */
  bool breaks_reads;  /* the kernel cannot write to what is watched: read(2) into it fails */
  bool shared;        /* the driver's mappings can be shared ones, of files of … */
  uint64_t file;      /* … this file system; see VtrLayerMapping */
  uint32_t fault_ns;  /* what the first write to a protected page takes */
  uint32_t page_ns;   /* what comparing a page takes */
  const char *reason; /* why nothing is watched; NULL: it is */
} VtrLayerTrackerChoice;

/* The owner of the memory. */
typedef enum
{
  VTR_LAYER_OWNER_DRIVER = 0,
  VTR_LAYER_OWNER_PROGRAM = 1, /* imported host memory */
  VTR_LAYER_OWNER_OTHERS = 2,  /* shared with others, who write to it through mappings of their own */
} VtrLayerOwner;

typedef struct VtrLayerTracker VtrLayerTracker;

/**
 * vtr_layer_tracker_choose:
 * @choice: filled in
 * @memory: scratch memory of the type, mapped; NULL: there is none
 * @size: bytes there; at least VTR_LAYER_TRACKER_SCRATCH
 *
 * Finds out how memory of a type can be tracked, by trying. $VITRINE_TRACKER (“uffd”, “compare”; “uffd-sync”,
 * “mprotect”, which are used only on request) overrides the preference, but selects only a tracker
 * that works.
 */
void vtr_layer_tracker_choose (VtrLayerTrackerChoice *choice,
                               uint8_t               *memory,
                               size_t                 size);

#define VTR_LAYER_TRACKER_SCRATCH (256u * 1024u)

/* Describes the choice in words, for the report. */
void vtr_layer_tracker_describe (const VtrLayerTrackerChoice *choice,
                                 char                        *text,
                                 size_t                       size);

/* Starts with an allocation of @size bytes of unknown contents. @choice must stay.
 * Returns: NULL without memory. */
VtrLayerTracker *vtr_layer_tracker_new (uint64_t                     size,
                                        VtrLayerOwner                owner,
                                        const VtrLayerTrackerChoice *choice);

/* Nothing of the memory is touched afterwards. */
void vtr_layer_tracker_free (VtrLayerTracker *self);

/* The program has [@offset, @offset + @size) of it mapped at @address. */
void vtr_layer_tracker_map (VtrLayerTracker *self,
                            uint64_t         offset,
                            uint8_t         *address,
                            uint64_t         size);
void vtr_layer_tracker_unmap (VtrLayerTracker *self);

/* Does a part of the work of vtr_layer_tracker_adopt(), for up to *@left bytes of the mapped part, and subtracts them
 * from *@left. Does nothing where that might make calls of the program fail. @again: starts again at the beginning; what is done already
 * takes no time. Returns: whether there is more to do. */
bool vtr_layer_tracker_prepare (VtrLayerTracker *self,
                                bool             again,
                                uint64_t        *left);

/* The current contents of the mapped part have been recorded elsewhere, while no thread wrote. */
void vtr_layer_tracker_adopt (VtrLayerTracker *self);

/* Called when the tracker is no longer used and will be freed: ends watching up to *@left bytes, and subtracts them from
 * *@left. Returns: whether some are still watched. */
bool vtr_layer_tracker_retire (VtrLayerTracker *self,
                               uint64_t        *left);

/* The program can have written nothing to the bytes in @ranges: they are left out until the next call. Pages
 * that lie in them have their bit set in @pages. This and the array of @ranges must stay as they are until after
 * that call; NULL: none. */
void vtr_layer_tracker_leave_out (VtrLayerTracker   *self,
                                  const uint64_t    *pages,
                                  const VtrRangeSet *ranges);

/* Pages with their bit set in @pages are written by the device, too: what the kernel says was written to
 * in them is handed over as a whole, changed or not. @pages must stay; NULL: none. */
void vtr_layer_tracker_share (VtrLayerTracker *self,
                              const uint64_t  *pages);

/* Hands what may have changed in the mapped part of [@offset, @offset + @size) since it was last handed
 * over to @sink, neighbours together. @last: the memory is about to be unmapped. */
void vtr_layer_tracker_collect (VtrLayerTracker    *self,
                                uint64_t            offset,
                                uint64_t            size,
                                bool                last,
                                const VtrLayerSink *sink);

/* Passes on the changes in the pages of vtr_layer_tracker_share() that are compared. */
void vtr_layer_tracker_collect_shared (VtrLayerTracker    *self,
                                       const VtrLayerSink *sink);

/* The number of its mebibytes that the kernel watches at present, and of those that are
 * compared. */
void vtr_layer_tracker_count (const VtrLayerTracker *self,
                              size_t                *n_watched,
                              size_t                *n_compared);
