/* A device's contents that are copied after the cut, and the state of copying them.
 *
 * Threading: with the lock of core/vtr-layer-late.c. */
#pragma once

#include "vtr-layer-contents-private.h"
#include "vtr-layer-late.h"

/* The usages with which shaders can write to a resource through descriptors. */
#define VTR_LATE_IMAGE_STORAGE VK_IMAGE_USAGE_STORAGE_BIT
#define VTR_LATE_BUFFER_STORAGE \
  ((uint64_t)(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT))

static inline bool
vtr_late_is_buffer_stored (const VtrLayerLiveBuffer *buffer)
{
  return (buffer->usage & VTR_LATE_BUFFER_STORAGE) != 0;
}

static inline bool
vtr_late_is_image_stored (const VtrLayerLiveImage *image)
{
  return ((image->info.usage | image->stencil_usage) & VTR_LATE_IMAGE_STORAGE) != 0;
}

/* A piece that is one record. */
typedef struct
{
  VtrContentsPart part;
  VkImageAspectFlags aspects; /* that barriers name; of images */
  bool done;
} VtrLateItem;

typedef struct VtrLateResource VtrLateResource;
struct VtrLateResource
{
  VtrLayerLiveImage image; /* zero: a buffer, or a part of a memory that is kept still */
  VtrLayerLiveBuffer buffer;
  VtrLayerLiveMemory memory;
  const uint8_t *kept; /* its bytes are read from what is kept still; NULL: from the memory */
  size_t queue;
  size_t first, n; /* items */
  size_t n_left;
  bool by_cpu;
  bool stored; /* shaders can write to it through descriptors */
  bool wanted; /* now, by a thread of the program; it is in the list of them */
  VtrLateResource *next_wanted;
  VtrLateResource *next_in_memory;
};

/* What is left of one device. */
typedef struct VtrLate VtrLate;
struct VtrLate
{
  VtrLayerLate base; /* .n_left counts items */
  VtrContents contents;
  VtrLayerLiveWorld world; /* the queues */
  VtrLayerLiveQueue queues[VTR_CONTENTS_MAX_QUEUES];
  char why[VTR_LAYER_WHY_MAX];
  VtrLateResource *resources;
  size_t n_resources;
  VtrLateItem *items;
  size_t n_items;
  size_t n_stored;                     /* resources that are .stored and not copied yet */
  uint64_t looker;                     /* of vtr_layer_live_visit_reached() */
  size_t position;                     /* all items before it are done */
  VtrLayerMap images, buffers, memory; /* handle → VtrLateResource; the first in the memory */
  VtrLayerMap known;                   /* handle → VtrLayerLiveMemory of the cut, which is gone later */
  VtrLateResource *first_wanted;       /* by .next_wanted */
  size_t next_for_cpu;                 /* the CPU has read all resources before it that it can */
  size_t next_for_gpu;                 /* the GPU has copied all resources before it that it can */
  uint8_t *bounce;                     /* VTR_CONTENTS_PIECE bytes of what is kept still */
};

/* ---- Keeping (vtr-layer-late-keep.c) ---- */

/* Whether the CPU reads buffers in @memory. */
bool vtr_late_is_read_by_cpu (const VtrContents        *contents,
                              const VtrLayerLiveMemory *memory);


/* ---- Copying (vtr-layer-late-copy.c) ---- */

/* Members of VtrCaptureLate. */
bool vtr_late_copy_piece (VtrLayerLate      *late,
                          VtrLayerGatePlace *place,
                          int64_t            deadline);
void vtr_late_copy_wanted (VtrLayerLate      *late,
                           VtrLayerGatePlace *place);
void vtr_late_give_up (VtrLayerLate *late,
                       const char   *why);

/* ---- What a call may change (vtr-layer-late-touch.c) ---- */

/* Whether a call changes nothing that it names: it makes something from it, asks, or says in which descriptor sets
 * shaders find it (what these lead to counts when they are submitted). */
bool vtr_late_is_harmless (VtrCmdId cmd);

/* Sets .wanted of all that the driver's part of a call may change. Returns: whether there is any. */
bool vtr_late_touch (VtrLayerLate *late,
                     VtrCmdId      cmd,
                     const void   *args);
