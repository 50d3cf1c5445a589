/* What the files that copy contents after the cut share.
 *
 * Threading: with the lock of vtr-layer-late.c. */
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
  VtrLate *next;
  VtrLayerThread writer; /* for its log and scratch only; it is no thread's */
  VtrContents contents;
  VtrLayerLiveWorld world; /* the queues */
  VtrLayerLiveQueue queues[VTR_CONTENTS_MAX_QUEUES];
  char why[VTR_LAYER_WHY_MAX];
  VtrLateResource *resources;
  size_t n_resources;
  VtrLateItem *items;
  size_t n_items;
  size_t n_left;                       /* items */
  size_t n_stored;                     /* resources that are .stored and not copied yet */
  uint64_t looker;                     /* of vtr_layer_live_visit_reached() */
  size_t position;                     /* all items before it are done */
  VtrLayerMap images, buffers, memory; /* handle → VtrLateResource; the first in the memory */
  VtrLayerMap known;                   /* handle → VtrLayerLiveMemory of the cut, which is gone later */
  VtrLateResource *first_wanted;       /* by .next_wanted */
  size_t next_for_cpu;                 /* the CPU has read all resources before it that it can */
  size_t next_for_gpu;                 /* likewise */
  uint8_t *bounce;                     /* VTR_CONTENTS_PIECE bytes of what is kept still */
};

/* ---- Keeping (vtr-layer-late-keep.c) ---- */

/* Whether the CPU reads buffers in @memory. */
bool vtr_late_is_read_by_cpu (const VtrContents        *contents,
                              const VtrLayerLiveMemory *memory);

/* Makes it of what was chosen. Returns: false without memory; *@out NULL: nothing was chosen. */
bool vtr_late_new (VtrContents  *contents,
                   VtrLate     **out);

/* Fills the rest of its tickets, says what is missing, and frees it. */
void vtr_late_finish (VtrLate *self);

/* ---- Copying (vtr-layer-late-copy.c) ---- */

/* Copies about @limit bytes of resource @nth, which the CPU can read. Returns: how many. */
uint64_t vtr_late_copy_by_cpu (VtrLate  *self,
                               size_t    nth,
                               uint64_t  limit);

/* Copies up to @limit bytes of what only the GPU can read, in order, or (@wanted) of what is wanted of it.
 * Returns: false when the program did not come to rest by @deadline (ms). */
bool vtr_late_copy_by_gpu (VtrLate           *self,
                           VtrLayerGatePlace *place,
                           uint64_t           limit,
                           bool               wanted,
                           int64_t            deadline);

/* Gives up what is wanted, or all that is left; but nothing that is kept still, which can be read as before
 * whatever becomes of the GPU. @why: a constant sentence part */
void vtr_late_lose (VtrLate    *self,
                    bool        wanted,
                    const char *why);

/* ---- What a call may change (vtr-layer-late-touch.c) ---- */

/* Whether a call changes nothing that it names: it makes something from it, asks, or says in which descriptor sets
 * shaders find it (what these lead to counts when they are submitted). */
bool vtr_late_is_harmless (VtrCmdId cmd);

/* Sets .wanted of all that the driver's part of a call may change. Returns: whether there is any. */
bool vtr_late_touch (VtrLate    *self,
                     VtrCmdId    cmd,
                     const void *args);
