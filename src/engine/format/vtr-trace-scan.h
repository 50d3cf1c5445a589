/* Rebuilds the arrays of a trace by reading it from the beginning: for files without an index. */
#pragma once

#include <gio/gio.h>

#include "engine/format/vtr-trace-error.h"
#include "engine/format/vtr-trace-tables.h"
#include "engine/format/vtr-trace-types.h"
#include "wire/vtr-recording-id.h"

G_BEGIN_DECLS

/* A call in a trace that is not complete yet, and the ticket by which its result will come. */
typedef struct
{
  guint64 command;
  guint64 ticket;
} VtrTracePending;

typedef struct
{
  VtrTraceTypes *types;
  VtrTraceTables *tables;
  VtrTraceStream stream;       /* of commands that do not say theirs, in the chunks at hand */
  GArray *resources;           /* plain files: guint64 offset of each resource's chunk */
  GArray *pending;             /* VtrTracePending; those that returned included */
  guint64 front;               /* Vitrine files: bytes of the head */
  guint64 end;                 /* after the last thing that is complete */
  gboolean complete;           /* nothing was missing or damaged */
  const char *unknown_command; /* of a newer Vitrine: the scan ended there; NULL: none */
} VtrTraceScan;

VtrTraceScan *vtr_trace_scan_new (void);
void vtr_trace_scan_free (VtrTraceScan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTraceScan, vtr_trace_scan_free)

/* Whether the @size bytes at @data begin like a Vitrine file. */
gboolean vtr_trace_is_vitrine (const guint8 *data,
                               gsize         size);
/* Bytes of the head of a Vitrine file: where the first note is. */
guint64 vtr_trace_head_size (const guint8 *data);
/* The recording that a Vitrine file says it is of; none for files of version 1. */
VtrRecordingId vtr_trace_head_recording (const guint8 *data);

/* Reads the note at @at. Returns: FALSE unless it is whole and sound. The frame itself may be
 * cut. */
gboolean vtr_trace_scan_note (const guint8  *data,
                              gsize          size,
                              guint64        at,
                              VtrTraceFrame *out);

/* Lists frames by their notes, without decompressing: fills .tables->frames, .end and .complete.
 * The last frame may be cut: then .raw_size is the size of its readable part. */
void vtr_trace_scan_notes (VtrTraceScan *self,
                           const guint8 *data,
                           gsize         size);

/* Reads the definitions at the front, which .tables->frames must have. */
gboolean vtr_trace_scan_definitions (VtrTraceScan  *self,
                                     const guint8  *data,
                                     GError       **error);

/* Reads the definitions in @frame, behind those at the front. Returns: FALSE when they are not whole. */
gboolean vtr_trace_scan_more_definitions (VtrTraceScan        *self,
                                          const guint8        *data,
                                          const VtrTraceFrame *frame);

/* Walks the objects of all listed frames. Returns: FALSE if cancelled. */
gboolean vtr_trace_scan_objects (VtrTraceScan      *self,
                                 const guint8      *data,
                                 VtrTraceProgress   progress,
                                 gpointer           progress_data,
                                 GCancellable      *cancellable,
                                 GError           **error);

/* Walks one raw run of chunks; @base is the position of its first byte. Returns: bytes walked
 * over; less than @size if the rest is damaged or cut. */
gsize vtr_trace_scan_chunks (VtrTraceScan     *self,
                             const guint8     *data,
                             gsize             size,
                             VtrTracePosition  base);

/* Scans the whole Vitrine file at @fd, to continue it. @path: for messages. */
VtrTraceScan *vtr_trace_scan_file (int                fd,
                                   const char        *path,
                                   VtrTraceProgress   progress,
                                   gpointer           progress_data,
                                   GCancellable      *cancellable,
                                   GError           **error);

G_END_DECLS
