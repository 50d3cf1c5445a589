/* The fields of the transform that drops recorded writes which the GPU made (vtr-transform-gpu-writes.c), and what it knows
 * about memory (vtr-gpu-writes-resources.c) and recorded commands (vtr-gpu-writes-record.c).
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
  gboolean opaque; /* its memory layout is known to the driver only */
  guint64 size;    /* 0: unknown */
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
  GHashTable *opaque;                  /* VkDeviceMemory → VtrRangeSet of bytes that only opaque images use; made on
                           demand, dropped when a resource is bound or destroyed */
  GHashTable *recorded;                /* VkCommandBuffer → GArray of VtrGpuWrite */
  GHashTable *written;                 /* VkDeviceMemory → VtrRangeSet, by all submissions so far (poison) */
  VtrPending pending;                  /* data: GArray of VtrGpuWrite */
  const VtrUncertainWrites *uncertain; /* (nullable) */
} VtrGpuWrites;

/* Handles as keys and as numbers. */
#define VTR_GPU_KEY(handle) ((gpointer)(gsize)(handle))
#define VTR_GPU_VALUE(handle) ((guint64)(gsize)(handle))

/* Notes what a command that is not recorded creates, binds or destroys. */
void vtr_gpu_writes_note (VtrGpuWrites     *self,
                          const VtrCommand *command);

/* The ranges of @memory that only images with optimal tiling use, so that the program cannot write there. (transfer none):
 * valid until the next command. */
const VtrRangeSet *vtr_gpu_writes_opaque_ranges (VtrGpuWrites *self,
                                                 guint64       memory);

/* Notes what a recorded transfer, or a vkCmdExecuteCommands, writes. */
void vtr_gpu_writes_record (VtrGpuWrites     *self,
                            const VtrCommand *command);

G_END_DECLS
