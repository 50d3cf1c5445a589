/* Writes a Vitrine .gfxtrace: proto-pack in a zstd seekable file (FORMAT.md). */
#pragma once

#include <gio/gio.h>

#include "api/vtr-api-types.h"
#include "wire/vtr-recording-id.h"

G_BEGIN_DECLS

/**
 * VtrTraceWriter:
 *
 * Streams objects to "<path>.part" (or "<path>.2.part" and so on where that is taken: no existing
 * file is changed), compresses, deduplicates content above 1 KiB, closes a zstd frame at 1 MiB or
 * 250 ms. vtr_trace_writer_finish() writes the index and renames the file into place; a file that was
 * there when the writer was made is replaced only then, and one that came since is kept. After an error nothing more is accepted but
 * vtr_trace_writer_finish(), which then completes what is on disk.
 *
 * Threading: one at a time.
 */
typedef struct _VtrTraceWriter VtrTraceWriter;

/* A new recording. G_IO_ERROR_BUSY when another Vitrine writes this trace now. */
VtrTraceWriter *vtr_trace_writer_new (const char  *path,
                                      GError     **error);
VtrTraceWriter *vtr_trace_writer_new_recording (const char            *path,
                                                const VtrRecordingId  *recording,
                                                GError               **error);

/* For a file made from another trace: after a crash, nothing is left of it. Finishing it is
 * G_IO_ERROR_EXISTS when another file has come to @path since. */
VtrTraceWriter *vtr_trace_writer_new_hidden (const char  *path,
                                             GError     **error);

/* Goes on with the file that a dead process left at @part_path, to become the trace @path; an
 * existing file there is kept, and a name beside it is taken. @recording: the one that the file has
 * to be of; NULL: any. Errors: as of opening a trace, and of vtr_trace_part_open(). */
VtrTraceWriter *vtr_trace_writer_resume (const char            *part_path,
                                         const char            *path,
                                         const VtrRecordingId  *recording,
                                         GError               **error);

/* Changes where the trace will be: in the same folder. A file that is there now is replaced. */
void vtr_trace_writer_set_path (VtrTraceWriter *self,
                                const char     *path);
/* Where the trace will be; after vtr_trace_writer_finish(): where it is. */
const char *vtr_trace_writer_get_path (VtrTraceWriter *self);
/* The unfinished file; NULL: it has no name. */
const char *vtr_trace_writer_get_part_path (VtrTraceWriter *self);
/* Whether an existing file is kept, and a name beside it is taken: "NAME-recovered.gfxtrace". */
void vtr_trace_writer_set_keep (VtrTraceWriter *self,
                                gboolean        keep);

/* Appends one command. With VTR_COMMAND_PENDING, the ticket set last is kept with it. @message
 * is the layer's bytes (fields 1.. of FORMAT.md); @flags are VtrCommandStateFlags; @large says
 * that it holds an observation worth deduplicating. Returns: the flat index it got, or
 * G_MAXUINT64 with @error. */
guint64 vtr_trace_writer_append_command (VtrTraceWriter  *self,
                                         VtrCmdId         id,
                                         const guint8    *message,
                                         gsize            size,
                                         guint32          flags,
                                         gboolean         large,
                                         GError         **error);

/* Commands that come from now on and do not say their thread are of @thread and namespace @namespace; 0
 * and 0: all say it. */
void vtr_trace_writer_set_stream (VtrTraceWriter *self,
                                  guint64         thread,
                                  guint32         namespace);

/* The result of a command committed before its call. */
gboolean vtr_trace_writer_append_returned (VtrTraceWriter  *self,
                                           guint64          command,
                                           guint64          result,
                                           GError         **error);

/* Any other object: @type_name "vitrine.MappedWrites", "vitrine.DeviceInfo", … Names that this
 * build does not define are dropped. */
gboolean vtr_trace_writer_append_object (VtrTraceWriter  *self,
                                         const char      *type_name,
                                         const guint8    *message,
                                         gsize            size,
                                         GError         **error);

/* Tickets below this are in the frames that are on disk. Raised when a frame is closed. */
guint64 vtr_trace_writer_get_written_ticket (VtrTraceWriter *self);

/* Says that all objects of records below @next_ticket have been appended. */
void vtr_trace_writer_set_ticket (VtrTraceWriter *self,
                                  guint64         next_ticket);

/* After vtr_trace_writer_resume(): how many objects of the record with the written ticket are in
 * the file already. */
guint vtr_trace_writer_get_ticket_items (VtrTraceWriter *self);

/* After vtr_trace_writer_resume(): the ticket of the @nth call whose result is missing, and its
 * flat index. Returns: FALSE beyond the last one. */
gboolean vtr_trace_writer_get_pending (VtrTraceWriter *self,
                                       guint           nth,
                                       guint64        *ticket,
                                       guint64        *command);

/* Closes the open frame if it is older than 250 ms (or @force) so that what it holds is safe. */
gboolean vtr_trace_writer_flush (VtrTraceWriter  *self,
                                 gboolean         force,
                                 GError         **error);

/* Compress faster and worse: the program produces more than we can take. */
void vtr_trace_writer_set_hurry (VtrTraceWriter *self,
                                 gboolean        hurry);

guint64 vtr_trace_writer_get_bytes (VtrTraceWriter *self);
guint64 vtr_trace_writer_get_n_commands (VtrTraceWriter *self);

/* Writes index and seek table, syncs, renames. @error may be set for what could not be written
 * although the file was completed with the rest: then TRUE is returned only if nothing is
 * missing. */
gboolean vtr_trace_writer_finish (VtrTraceWriter  *self,
                                  GError         **error);
/* After vtr_trace_writer_finish(): whether the trace is at vtr_trace_writer_get_path(), with or
 * without all of its content. */
gboolean vtr_trace_writer_is_placed (VtrTraceWriter *self);
/* Likewise: whether that is a name beside the one asked for, where somebody had put another file since
 * the writer was made. */
gboolean vtr_trace_writer_has_evaded (VtrTraceWriter *self);
/* Likewise: whether somebody had put something else in the place of the unfinished file. */
gboolean vtr_trace_writer_was_displaced (VtrTraceWriter *self);

/* Frees; the unfinished file stays for recovery unless @discard. */
void vtr_trace_writer_free (VtrTraceWriter *self,
                            gboolean        discard);

G_END_DECLS
