/* Copies contents after the start of a mid-run capture, so that the program does not wait for
 * them.
 *
 * A resource can be copied late if only commands that name it, and shaders through descriptors,
 * can write to it. When the capture begins, its records get tickets
 * before the first call, and the program goes on. Before a call that may change the resource,
 * mostly a submission, its contents are copied. A thread of the layer copies the rest piece by
 * piece, once the requested frames are recorded or have taken too long. The recording is
 * complete, and the next one may begin, when all records are written. If the program dies before
 * that, the trace says what is missing.
 *
 * Contents that the CPU can read are read while the program runs. Others are copied on the GPU;
 * for that, all threads are held outside of calls and all queues run empty, as at the start of
 * the capture.
 *
 * $VITRINE_LATE, for tests: "BYTES" or "BYTES,MS": contents of at least so many bytes are copied
 * late, and not before that many milliseconds have passed unless the program changes them.
 *
 * Threading: any. */
#pragma once

#include "vtr-capture-core.h"
#include "vtr-layer-thread.h"

#define VTR_LAYER_LATE_PIECE (1024u * 1024u) /* bytes of content in one record: the host can keep up */

/**
 * VtrLayerLate:
 *
 * What is to be copied later of one namespace. An API embeds it (C13).
 */
struct VtrLayerLate
{
  VtrLayerLate *next;
  VtrNamespace *names;
  VtrLayerThread writer; /* for its log, whose tickets are reserved, and scratch only; it is no thread's */
  size_t n_left;         /* records that are still to come */
};

extern atomic_bool vtr_layer_late_pending; /* something is still to be copied */

static inline bool
vtr_layer_late_is_pending (void)
{
  return __builtin_expect (atomic_load_explicit (&vtr_layer_late_pending, memory_order_relaxed),
                           false);
}

/* From how many bytes on contents are copied later. */
uint64_t vtr_layer_late_get_threshold (void);

/* Whether $VITRINE_LATE sets the threshold: then all contents that can wait do, even where it does not pay. */
bool vtr_layer_late_is_asked (void);

/* Whether it pays to keep memory still (vtr-layer-still.h), so that the CPU can read @size bytes later. */
bool vtr_layer_late_may_keep_still (uint64_t size);

/* Adds contents to be copied later, at the cut. */
void vtr_layer_late_add (VtrLayerLate *late,
                         VtrNamespace *names);

/* Copies what the driver's part of a call may change. @thread is inside the gate, with no call
 * around this one, and holds no lock; it may be outside meanwhile. */
void vtr_layer_late_before (VtrLayerThread *thread,
                            VtrNamespace   *names,
                            VtrCmdId        cmd,
                            const void     *args);

/* The cut is made. The caller has stopped all other threads. Returns: whether something is to be copied later; @filled
 * is then called once, by any thread, unless recording ends before. */
bool vtr_layer_late_start (void (*filled) (void));

/* The cut has failed: nothing is copied later. */
void vtr_layer_late_give_up (void);

/* The wanted frames are recorded: there is nothing more to wait for. */
void vtr_layer_late_hurry (void);
