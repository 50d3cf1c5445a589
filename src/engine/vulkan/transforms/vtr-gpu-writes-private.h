/* What the files of the transform that tells the GPU's writes from the program's share.
 *
 * Threading: one at a time. */
#pragma once

#include "engine/vulkan/transforms/vtr-pending.h"
#include "base/vtr-range-set.h"
#include "engine/vulkan/transforms/vtr-transforms.h"
#include "vtr-api-args.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 size;
  guint64 memory; /* 0: not bound */
  guint64 offset;
} VtrGpuBuffer;

typedef struct
{
  VkFormat format;
  gboolean opaque; /* only the GPU knows its way in it */
  guint64 size;    /* 0: not known */
  guint64 memory;  /* 0: not bound */
  guint64 offset;
} VtrGpuImage;

/* Bytes of a memory object that one command writes. */
typedef struct
{
  guint64 memory, begin, end;
} VtrGpuWrite;

typedef struct
{
  VtrTransform parent;
  gboolean poison;
  GHashTable *buffers;                 /* VkBuffer → VtrGpuBuffer */
  GHashTable *images;                  /* VkImage → VtrGpuImage */
  GHashTable *paged;                   /* VkDeviceMemory whose pages are bound to sparse resources */
  GHashTable *opaque;                  /* VkDeviceMemory → VtrRangeSet, where only they lie; made when asked
                           for, dropped when something is bound or destroyed */
  GHashTable *recorded;                /* VkCommandBuffer → GArray of VtrGpuWrite */
  GHashTable *written;                 /* VkDeviceMemory → VtrRangeSet, by all submissions so far (poison) */
  VtrPending pending;                  /* data: GArray of VtrGpuWrite */
  const VtrUncertainWrites *uncertain; /* (nullable) */
} VtrGpuWrites;

/* Handles as keys and as numbers. */
#define VTR_GPU_KEY(handle) ((gpointer)(gsize)(handle))
#define VTR_GPU_VALUE(handle) ((guint64)(gsize)(handle))

/* A command outside of recordings: what it makes, binds or destroys. */
void vtr_gpu_writes_note (VtrGpuWrites     *self,
                          const VtrCommand *command);

/* Where images with optimal tiling lie in @memory, and nothing that the program may write to.
 * (transfer none): until the next command. */
const VtrRangeSet *vtr_gpu_writes_opaque_ranges (VtrGpuWrites *self,
                                                 guint64       memory);

/* A transfer or the execution of secondaries, in a command buffer: adds to what that writes. */
void vtr_gpu_writes_record (VtrGpuWrites     *self,
                            const VtrCommand *command);

G_END_DECLS
