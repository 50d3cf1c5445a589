/* Recorded writes to mapped memory that may have been made by the GPU, not by the program. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _VtrMemory VtrMemory;

/* Bytes that were recorded before command .index, while the submission .submit may still have been writing them. */
typedef struct
{
  guint64 index;
  guint64 submit; /* flat index of the oldest such submission */
  guint64 memory; /* name of the device memory */
  guint32 pool;   /* its object id */
  guint64 offset, size;
  /* TRUE: the bytes equal those recorded before, and no submission that may have written them has ended
   * since, so the program did not change them. FALSE: they have changed, by the program or by the GPU. */
  gboolean same;
} VtrUncertainWrite;

/**
 * VtrUncertainWrites:
 *
 * If a software driver or a GPU that shares memory with the CPU writes to mapped memory, the capture
 * layer finds the change like a write of the program. The ranges that transfers write are known exactly
 * (vtr-transform-gpu-writes.c); those that shaders write are not, and a page may be recorded before the
 * results are in it. A replay does not write bytes that are .same: it already has them, or the GPU's new
 * results. It writes the other bytes once the pending work is done, so that recorded results do not
 * change what the replay has computed. They are listed for users who want to know what a picture depends
 * on.
 *
 * Built by one pass over the trace; none is needed if no memory that the program maps contains anything
 * that shaders may write. Threading: any (immutable).
 */
typedef struct _VtrUncertainWrites VtrUncertainWrites;

/* Blocks. Errors: those of the trace, G_IO_ERROR_CANCELLED. */
VtrUncertainWrites *vtr_uncertain_writes_build (VtrMemory     *memory,
                                                GCancellable  *cancellable,
                                                GError       **error);
void vtr_uncertain_writes_free (VtrUncertainWrites *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrUncertainWrites, vtr_uncertain_writes_free)

/* Whether a replay may wait for pending work before it writes changed bytes. FALSE if the program sets events from the
 * host: work that waits for one would never end. */
gboolean vtr_uncertain_writes_may_settle (const VtrUncertainWrites *self);

/* The uncertain writes before command @index. Returns: (array length=n) (transfer none) (nullable). */
const VtrUncertainWrite *vtr_uncertain_writes_find (const VtrUncertainWrites *self,
                                                    guint64                   index,
                                                    gsize                    *n);
/* All of them, by command. Returns: (array length=n) (transfer none) (nullable). */
const VtrUncertainWrite *vtr_uncertain_writes_list (const VtrUncertainWrites *self,
                                                    gsize                    *n);

G_END_DECLS
