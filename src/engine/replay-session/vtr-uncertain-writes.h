/* Bytes of mapped memory that may be the GPU's, although they were recorded as the program's. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _VtrMemory VtrMemory;

/* Bytes that were recorded before command .index, while the submission .submit, of which the program
 * had not been told that it was done, may have been writing them. */
typedef struct
{
  guint64 index;
  guint64 submit; /* flat index: the oldest such submission */
  guint64 memory; /* name of the device memory */
  guint32 pool;   /* its object id */
  guint64 offset, size;
  /* They are as they were recorded before, and nothing that may have written them has ended since:
   * whoever changes them, it was not the program. Else they have changed, and who did that is not
   * known. */
  gboolean same;
} VtrUncertainWrite;

/**
 * VtrUncertainWrites:
 *
 * What a software driver's GPU writes, or any over shared memory, is found by the layer like a write
 * of the program. Which ranges GPU work writes exactly is known (vtr-transform-gpu-writes.c); what
 * shaders may write is not, and a page may be recorded before the results are in it. Bytes that are
 * .same need not be written by a replay: it has them already, or the GPU's results. The others are
 * written once pending work is done, so that results which were recorded are no news to it, and
 * listed for whoever wants to know what a picture rests on.
 *
 * Made by one pass over the trace, and none where no memory that the program maps holds anything that
 * shaders may write. Threading: any (immutable).
 */
typedef struct _VtrUncertainWrites VtrUncertainWrites;

/* Blocks. Errors: those of the trace, G_IO_ERROR_CANCELLED. */
VtrUncertainWrites *vtr_uncertain_writes_build (VtrMemory     *memory,
                                                GCancellable  *cancellable,
                                                GError       **error);
void vtr_uncertain_writes_free (VtrUncertainWrites *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrUncertainWrites, vtr_uncertain_writes_free)

/* Whether a replay may wait for pending work before it writes what has changed, so that the GPU's results
 * are there and not overtaken by older ones: not where the program sets events that work may wait for. */
gboolean vtr_uncertain_writes_may_settle (const VtrUncertainWrites *self);

/* Those before command @index. Returns: (array length=n) (transfer none) (nullable). */
const VtrUncertainWrite *vtr_uncertain_writes_find (const VtrUncertainWrites *self,
                                                    guint64                   index,
                                                    gsize                    *n);
/* All of them, by command. Returns: (array length=n) (transfer none) (nullable). */
const VtrUncertainWrite *vtr_uncertain_writes_list (const VtrUncertainWrites *self,
                                                    gsize                    *n);

G_END_DECLS
