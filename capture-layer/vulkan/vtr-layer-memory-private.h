/* The allocations of a device, and the buffers and images that are bound to each. */
#pragma once

#include "api/vtr-api-walk.h"
#include "vtr-layer-memory.h"

typedef struct VtrLayerBinding VtrLayerBinding;

/* An image, or a buffer, and where it is bound. Guarded by the lock of the device's memory. */
struct VtrLayerBinding
{
  VtrLayerAllocation *allocation; /* NULL: not bound to memory that the program can map */
  VtrLayerBinding *next;          /* of .allocation */
  VtrLayerBinding **link;         /* that points to this one */
  uint64_t start;
  uint64_t end;
  bool opaque;     /* only the device knows its way in it */
  bool shared;     /* the device may write to it, and the program too */
  bool bound;      /* to whatever memory; of buffers that are shared */
  bool replayable; /* a buffer whose address can be asked for again */
};

struct VtrLayerAllocation
{
  VtrLayerAllocation *next_mapped;
  VtrLayerAllocation **mapped_link; /* that points to this one */
  VtrLayerAllocation *next_tracked;
  VtrLayerAllocation **tracked_link;
  VkDeviceMemory handle;
  uint64_t size;
  uint32_t type;
  bool coherent;
  VtrLayerOwner owner;
  uint64_t offset;          /* mapped part */
  uint64_t mapped;          /* bytes */
  uint8_t *address;         /* NULL: not mapped */
  VtrLayerTracker *tracker; /* NULL until first mapped while tracking */
  bool retired;             /* .tracker: it is used no more */

  VtrLayerBinding *bindings;
  VtrRangeSet opaque;     /* where only images with optimal tiling lie */
  uint64_t *opaque_pages; /* a bit for each page in them */
  uint64_t *shared_pages; /* a bit for each page that both device and program may write to */
  bool sparse;            /* pages of it were bound to resources: anything may lie anywhere */
  bool stale;             /* all three; something was bound or has gone */
};

/* The program has @address as long as the memory lives: it is the program's own. */
static inline bool
vtr_layer_allocation_is_own (const VtrLayerAllocation *self)
{
  return self->owner == VTR_LAYER_OWNER_PROGRAM;
}

/* Brings .opaque and the bits of pages up to date, and the tracker with them. */
void vtr_layer_allocation_update_bindings (VtrLayerAllocation *self);

/* Unbinds everything. */
void vtr_layer_allocation_drop_bindings (VtrLayerAllocation *self);
