/* The reading of contents at the cut: its data, its records, and its work on the GPU.
 *
 * Threading: the caller stopped all other threads, and the device is idle. */
#pragma once

#include "vtr-layer-contents.h"
#include "vtr-layer-pagemap.h"
#include "vtr-layer-split-record.h"
#include "vtr-layer-staging.h"
#include "vtr-layer-still.h"

#define VTR_CONTENTS_PIECE (1024u * 1024u) /* bytes of content in one record: the host can keep up */
#define VTR_CONTENTS_PAGE 4096u            /* the least run of zeros that is left out */

#define VTR_CONTENTS_STAGING VTR_LAYER_STAGING_SIZE /* bytes that the GPU copies at once, at most */
#define VTR_CONTENTS_MAX_QUEUES VTR_LAYER_READBACK_FAMILIES

/* A part of a subresource, tightly packed, or (.image NULL) of a memory. */
typedef struct
{
  const VtrLayerLiveMemory *memory;
  const VtrLayerLiveImage *image;
  uint64_t offset; /* memory: of the first byte */
  uint64_t at;     /* in the staging memory */
  uint64_t size;
  VkImageAspectFlagBits aspect;
  VkImageLayout layout;
  uint32_t mip, layer, sample;
  /* First column (0 but for tiles of sparse images), row and slice, in texels of the aspect. */
  uint32_t x, y, z;
  uint32_t width, height, depth;
  uint32_t level_width, level_height; /* in texels of the image */
  uint32_t divisor;                   /* rows of the image in a row of the aspect */
  uint32_t block_height;              /* rows of texels in a row of blocks */
  bool tile;                          /* it is not the whole width */
  bool words;                         /* texels come as 32-bit words, still to be packed */
} VtrContentsPart;

/* GPU objects of our own. Zero-initialised there are none. */
typedef struct
{
  VkCommandPool pools[VTR_CONTENTS_MAX_QUEUES]; /* by place in the world's queues */
  VkCommandBuffer commands[VTR_CONTENTS_MAX_QUEUES];
  VkFence fence;
  VtrLayerStaging staging;
  bool lost;     /* the GPU still works on it, or is gone: nothing can be destroyed */
  size_t open;   /* place of the queue that work is being recorded for, from 1; 0: none */
  uint64_t used; /* bytes of the staging memory */
  VtrContentsPart *parts;
  size_t n_parts;
  size_t n_allocated;
} VtrContentsGpu;

/* The part of a memory that the CPU reads. Private to vtr-layer-contents-memory.c. */
typedef struct VtrContentsReading VtrContentsReading;

/* One reading of everything. On the stack of vtr_layer_contents_write(). */
typedef struct
{
  VtrLayerDevice *device;
  const VtrLayerLiveWorld *world;
  VtrLayerThread *thread;
  VtrContentsGpu gpu;
  VtrLayerContentsBefore before;
  void *before_data;
  bool begun;                   /* what comes first is committed, or has failed */
  VtrContentsReading *readings; /* of each memory; NULL: none */
  VtrLayerSplitRecord parts;    /* the record under way */
  char *why;                    /* VTR_LAYER_WHY_MAX bytes */
  uint32_t n_left_out;          /* images and memories that are not wholly in the trace */
  const char *left_out;         /* why the last one is not; NULL: none */
  uint64_t n_bytes;             /* that were read */
  VtrBuffer late;               /* VtrContentsLate: parts of images that are copied later */
  VtrLayerStill *still;         /* what of .readings is read later; NULL: nothing */
  VtrLayerPagemap pagemap;
} VtrContents;

/* A part of an image that is copied later. */
typedef struct
{
  VtrContentsPart part;       /* one record */
  VkImageAspectFlags aspects; /* that barriers name */
  size_t queue;
} VtrContentsLate;

/* Says why nothing can go on, unless that was said before. Returns: false. */
__attribute__ ((format (printf, 2, 3))) bool vtr_contents_fail (VtrContents *self,
                                                                const char *format,
                                                                ...);

/* Counts something that will not be in the trace; @why is a constant sentence. */
void vtr_contents_leave_out (VtrContents *self,
                             const char  *why);

/* ---- Records ---- */

/* Commits bytes of a memory, from @offset on. @in_place: @bytes are the memory itself, whose
 * untouched pages are not read; else a copy. Returns: false when recording has ended. */
bool vtr_contents_put_memory (VtrContents              *self,
                              const VtrLayerLiveMemory *memory,
                              uint64_t                  offset,
                              const uint8_t            *bytes,
                              uint64_t                  size,
                              bool                      in_place);

/* Like vtr_contents_put_memory (), for a part of an image. */
bool vtr_contents_put_image (VtrContents           *self,
                             const VtrContentsPart *part,
                             const uint8_t         *bytes);

/* Like vtr_contents_put_image (), for a part of a serialised acceleration structure of @whole bytes. */
bool vtr_contents_put_structure (VtrContents                 *self,
                                 const VtrLayerLiveStructure *structure,
                                 uint64_t                     offset,
                                 const uint8_t               *bytes,
                                 uint64_t                     size,
                                 uint64_t                     whole);

/* Commits the first records, unless that was done: those of @self.before, then contents that the
 * CPU reads. All of this happens while the GPU copies. Returns: false when recording cannot
 * begin. */
bool vtr_contents_begin_records (VtrContents *self);

/* Reports missing contents in the trace and to the user. Returns: false when recording has
 * ended. */
bool vtr_contents_note_left_out (VtrContents *self);

/* ---- The GPU ---- */

/* The place of a queue that may touch what @owner owns, and can do what @flags say; from 1. 0: there
 * is none. */
size_t vtr_contents_find_queue (const VtrContents *self,
                                uint32_t           owner,
                                VkQueueFlags       flags);

/* Makes the staging buffer, unless it is there. */
bool vtr_contents_prepare (VtrContents *self);

/* Gives a command buffer for work on the queue at @place that leaves .size bytes in the staging
 * buffer; .at is set. Runs earlier work first if necessary. Returns: VK_NULL_HANDLE on failure. */
VkCommandBuffer vtr_contents_begin (VtrContents     *self,
                                    size_t           place,
                                    VtrContentsPart *part);

/* Gives a command buffer for work on the queue at @place that leaves nothing in the staging buffer.
 * Returns: VK_NULL_HANDLE on failure. */
VkCommandBuffer vtr_contents_open (VtrContents *self,
                                   size_t       place);

/* Runs the recorded work, commits the first records while it runs, and then the parts. */
bool vtr_contents_run (VtrContents *self);

/* Runs the recorded work, without parts. */
bool vtr_contents_wait (VtrContents *self);

/* Makes the bytes copied to @readback visible to the CPU. */
bool vtr_contents_invalidate (VtrContents            *self,
                              const VtrLayerReadback *readback);
void vtr_contents_gpu_finish (VtrContents *self);

/* ---- What is read ---- */

/* The next part of at most @limit bytes of what @whole describes, which begins where @part ends.
 * Zero .size of @part: the first. Returns: false after the last. */
bool vtr_contents_next_part (const VtrContentsPart *whole,
                             uint64_t               limit,
                             VtrContentsPart       *part);

/* Changes the layout of the part's subresource, unless both are the same. */
void vtr_contents_put_barrier (VtrContents           *self,
                               VkCommandBuffer        commands,
                               const VtrContentsPart *part,
                               VkImageAspectFlags     aspects,
                               VkImageLayout          from,
                               VkImageLayout          to);

/* Copies a part of an image that is no more than the staging memory holds. */
bool vtr_contents_copy_part (VtrContents           *self,
                             size_t                 queue,
                             const VtrContentsPart *wanted,
                             VkImageAspectFlags     aspects);

/* Whether an image has contents that its owner can copy. */
bool vtr_contents_can_copy (const VtrContents       *self,
                            const VtrLayerLiveImage *image);

/* Whether only the driver knows the layout of an image in its memory. */
bool vtr_contents_is_opaque (const VtrContents       *self,
                             const VtrLayerLiveImage *image);

/* All samples of the subresource that @whole is. */
bool vtr_contents_read_samples (VtrContents           *self,
                                size_t                 queue,
                                const VtrContentsPart *whole,
                                VkImageAspectFlags     aspects);

/* Turns the words of a part into texels as a copy gives them, in place. */
void vtr_contents_pack_samples (VtrContentsPart *part,
                                uint8_t         *bytes);

/* Memory: _write_memory() records what the GPU copies and finds what the CPU reads. _put_readings() records
 * that, or leaves it in .still for later. _finish_readings() forgets it. */
bool vtr_contents_write_memory (VtrContents *self);
bool vtr_contents_put_readings (VtrContents *self);
void vtr_contents_finish_readings (VtrContents *self);

bool vtr_contents_write_images (VtrContents *self);

/* ---- What is copied later ---- */

/* The properties of the type of @memory. */
VkMemoryPropertyFlags vtr_contents_memory_flags (const VtrContents        *self,
                                                 const VtrLayerLiveMemory *memory);

/* Bytes of a memory that are kept still. */
typedef struct
{
  const VtrLayerLiveMemory *memory;
  uint64_t offset;
  uint64_t size;
  const uint8_t *bytes; /* where they were, for vtr_layer_still_read() */
} VtrContentsKept;

/* Calls @each for each part that is kept in the snapshot, in order. */
void vtr_contents_for_each_kept (const VtrContents *self,
                                 void (*each) (const VtrContentsKept *kept,
                                               void *data),
                                 void *data);

/* Sets .late of what can wait (vtr-layer-late-choose.c). */
void vtr_contents_choose_late (VtrContents *self);

/* Reserves space in the log for the records of the chosen contents, and keeps the data to write
 * them. */
bool vtr_contents_keep_late (VtrContents *self);
bool vtr_contents_write_structures (VtrContents *self);
