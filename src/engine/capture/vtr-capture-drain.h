/* Moves records from a ring into a trace, during a capture and when one is recovered after a
 * crash. */
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

/* @mapping must outlive it. @writer: of a recording from launch, or (nullable); what a file that was
 * resumed has already is passed over. */
VtrCaptureDrain *vtr_capture_drain_new (void            *mapping,
                                        gsize            size,
                                        VtrTraceWriter  *writer,
                                        GError         **error);
void vtr_capture_drain_free (VtrCaptureDrain *self);

/* Expects the recording that @request asked the layer for: all records before its VTR_RECORD_START
 * and after its VTR_RECORD_STOP are dropped, except the picture of its last frame. */
gboolean vtr_capture_drain_expect (VtrCaptureDrain  *self,
                                   VtrTraceWriter   *writer,
                                   guint32           request,
                                   GError          **error);
/* Records belong to nothing from now on. @written: those that were taken are on disk, or of no use;
 * their room is given back. */
void vtr_capture_drain_detach (VtrCaptureDrain *self,
                               gboolean         written);

/* Whether the expected recording has begun. @frame: (out) (optional): its first one. */
gboolean vtr_capture_drain_has_started (VtrCaptureDrain *self,
                                        guint64         *frame);

/* The VTR_RECORD_PICTURE of the recording at hand, the last one. (transfer full) (nullable) */
GBytes *vtr_capture_drain_steal_picture (VtrCaptureDrain *self);

/* Whether the recording was begun and then declined by the layer, so that it is of no use. */
gboolean vtr_capture_drain_was_declined (VtrCaptureDrain *self);

/* Says in the trace why it ends (VtrRingState), unless the layer has. */
gboolean vtr_capture_drain_tell_end (VtrCaptureDrain  *self,
                                     guint32           state,
                                     GError          **error);

/* The size of all records that went into traces. */
guint64 vtr_capture_drain_get_bytes (VtrCaptureDrain *self);

#define VTR_CAPTURE_UNFILLED \
  N_ ("The program ended before Vitrine had copied all of its memory, so the trace lacks the " \
      "contents of some textures and buffers.")

/* Says VTR_CAPTURE_UNFILLED in the trace: contents that the layer left room for have not come. */
gboolean vtr_capture_drain_tell_unfilled (VtrCaptureDrain  *self,
                                          GError          **error);

/* All records with lower tickets have been taken. */
guint64 vtr_capture_drain_get_ticket (VtrCaptureDrain *self);

/* Makes vtr_capture_drain_run () stop before the next record once it has read @bytes. */
void vtr_capture_drain_set_step (VtrCaptureDrain *self,
                                 guint64          bytes);

/* Takes the available records, @limit at most, and frees the space of records that are on disk.
 * @skip: missing records will not come any more. @n_taken: (out): 0 when there were none. FALSE:
 * the trace could not be written. */
gboolean vtr_capture_drain_run (VtrCaptureDrain  *self,
                                gboolean          skip,
                                guint             limit,
                                guint            *n_taken,
                                GError          **error);

/* Whether a missing record is waited for however long it takes, as long as its process lives. */
void vtr_capture_drain_set_patient (VtrCaptureDrain *self,
                                    gboolean         patient);

/* The blocks that a dead process left unfinished. */
gboolean vtr_capture_drain_unfinished (VtrCaptureDrain  *self,
                                       GError          **error);

/* Whether a record waits for one that is missing, or a call that was committed before it ran has
 * not returned. */
gboolean vtr_capture_drain_expects_more (VtrCaptureDrain *self);

G_END_DECLS
