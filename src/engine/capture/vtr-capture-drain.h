/* Moves records from a ring into a trace; the same for live processes and for recovery. */
#pragma once

#include "engine/format/vtr-trace-writer.h"
#include "wire/vtr-ring-reader.h"

G_BEGIN_DECLS

/**
 * VtrCaptureDrain:
 *
 * Threading: one at a time.
 */
typedef struct _VtrCaptureDrain VtrCaptureDrain;

/* @writer and @mapping must outlive it. With a writer that was resumed, what the file already has
 *   is passed over. */
VtrCaptureDrain *vtr_capture_drain_new (void            *mapping,
                                        gsize            size,
                                        VtrTraceWriter  *writer,
                                        GError         **error);
void vtr_capture_drain_free (VtrCaptureDrain *self);

/* Takes what is there, @limit records at most, and gives back the room of what is on disk.
 * @skip: missing records will not come any more. @n_taken: (out): 0 when there was nothing.
 * FALSE: the trace could not be written. */
gboolean vtr_capture_drain_run (VtrCaptureDrain  *self,
                                gboolean          skip,
                                guint             limit,
                                guint            *n_taken,
                                GError          **error);

/* The blocks that a dead process left unfinished. */
gboolean vtr_capture_drain_unfinished (VtrCaptureDrain  *self,
                                       GError          **error);

/* Whether a record waits for one that is missing, or a call that was committed before it ran has
 * not returned. */
gboolean vtr_capture_drain_expects_more (VtrCaptureDrain *self);

G_END_DECLS
