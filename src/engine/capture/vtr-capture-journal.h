/* The journal of recordings: which unfinished files are Vitrine's, and where they are. Unlike
 * the rings, it survives a restart of the computer.
 *
 * It has one file for each recording under way, named by the recording's identity, in
 * "vitrine/recordings" of the user's state folder. If that folder cannot be written to, the user
 * must give recovery after a restart the name of the file.
 *
 * Threading: any. */
#pragma once

#include <gio/gio.h>

#include "wire/vtr-recording-id.h"

G_BEGIN_DECLS

/* A recording that is not finished. */
typedef struct
{
  VtrRecordingId id;
  char *part;  /* the path that the name of the unfinished file was made from */
  char *trace; /* where the trace is to be */
} VtrCaptureNote;

void vtr_capture_note_free (VtrCaptureNote *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrCaptureNote, vtr_capture_note_free)

/* As bytes, for files. Paths become absolute. */
GBytes *vtr_capture_note_to_bytes (const VtrRecordingId *id,
                                   const char           *part,
                                   const char           *trace);
/* Returns: (transfer full) (nullable): NULL if @data is not a note. Bytes after a note are
 * ignored. */
VtrCaptureNote *vtr_capture_note_parse (const char *data,
                                        gsize       size);

/* Writes or replaces the entry of @id. */
void vtr_capture_journal_set (const VtrRecordingId *id,
                              const char           *part,
                              const char           *trace);
void vtr_capture_journal_remove (const VtrRecordingId *id);

/* Of VtrCaptureNote. (transfer full) */
GPtrArray *vtr_capture_journal_list (void);
/* µs since the entry was written; G_MAXINT64 when there is none. */
gint64 vtr_capture_journal_get_age (const VtrRecordingId *id);

G_END_DECLS
