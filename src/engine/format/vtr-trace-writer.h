/* Writes a Vitrine .gfxtrace: proto-pack in a zstd seekable file (FORMAT.md). */
#pragma once

#include <gio/gio.h>

#include "api/vtr-api-types.h"
#include "wire/vtr-recording-id.h"

G_BEGIN_DECLS

/**
 * VtrTraceWriter:
 *
 * Streams objects to "<path>.part" (or "<path>.2.part" and so on if that name is taken: no existing
 * file is changed), compresses, deduplicates content above 1 KiB, closes a zstd frame at 1 MiB or
 * 250 ms. vtr_trace_writer_finish() writes the index and renames the file into place. Only then
 * does it replace a file that was there when the writer was made; a file that appeared later is
 * kept. After an error, only vtr_trace_writer_finish() may be called, which then completes the file
 * with the data on disk.
 *
 * Threading: one at a time.
 */
typedef struct _VtrTraceWriter VtrTraceWriter;

/* Begins a new recording. G_IO_ERROR_BUSY when another Vitrine is writing this trace. */
VtrTraceWriter *vtr_trace_writer_new (const char  *path,
                                      GError     **error);
VtrTraceWriter *vtr_trace_writer_new_recording (const char            *path,
                                                const VtrRecordingId  *recording,
                                                GError               **error);

/* For a file made from another trace: a crash leaves no file. Finishing fails with
 * G_IO_ERROR_EXISTS when another file has appeared at @path. */
VtrTraceWriter *vtr_trace_writer_new_hidden (const char  *path,
                                             GError     **error);

/* Continues the file that a dead process left at @part_path, to become the trace @path; an existing
 * file there is kept, and the trace gets a similar name. @recording: the recording that the file
 * must belong to; NULL: any. Errors: those of opening a trace and of vtr_trace_part_open(). */
VtrTraceWriter *vtr_trace_writer_resume (const char            *part_path,
                                         const char            *path,
                                         const VtrRecordingId  *recording,
                                         GError               **error);

/* Changes the path of the trace within its folder. A file that is there now will be replaced. */
void vtr_trace_writer_set_path (VtrTraceWriter *self,
                                const char     *path);
/* The future path of the trace; after vtr_trace_writer_finish(): its path. */
const char *vtr_trace_writer_get_path (VtrTraceWriter *self);
/* The unfinished file; NULL: it has no name. */
const char *vtr_trace_writer_get_part_path (VtrTraceWriter *self);
/* Whether to keep an existing file and name the trace "NAME-recovered.gfxtrace". */
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

/* Later commands that do not state a thread belong to @thread and the namespace @namespace; 0 and
 * 0: all commands state them. */
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

/* Records with lower tickets are on disk. Raised when a frame is closed. */
guint64 vtr_trace_writer_get_written_ticket (VtrTraceWriter *self);

/* Says that all objects of records below @next_ticket have been appended. */
void vtr_trace_writer_set_ticket (VtrTraceWriter *self,
                                  guint64         next_ticket);

/* After vtr_trace_writer_resume(): the number of objects of the record with the written ticket that
 * are already in the file. */
guint vtr_trace_writer_get_ticket_items (VtrTraceWriter *self);

/* After vtr_trace_writer_resume(): the ticket of the @nth call whose result is missing, and its
 * flat index. Returns: FALSE beyond the last one. */
gboolean vtr_trace_writer_get_pending (VtrTraceWriter *self,
                                       guint           nth,
                                       guint64        *ticket,
                                       guint64        *command);

/* Closes the open frame if it is older than 250 ms (or @force) so that its contents are safe. */
gboolean vtr_trace_writer_flush (VtrTraceWriter  *self,
                                 gboolean         force,
                                 GError         **error);

/* Compresses faster and less: the program produces data faster than it can be written. */
void vtr_trace_writer_set_hurry (VtrTraceWriter *self,
                                 gboolean        hurry);

guint64 vtr_trace_writer_get_bytes (VtrTraceWriter *self);
guint64 vtr_trace_writer_get_n_commands (VtrTraceWriter *self);

/* Writes the index and the seek table, syncs, and renames the file. @error may also be set if the file was completed, but
 * data before could not be written. Returns: whether the trace is complete. */
gboolean vtr_trace_writer_finish (VtrTraceWriter  *self,
                                  GError         **error);
/* After vtr_trace_writer_finish(): whether the trace is at vtr_trace_writer_get_path(), with or
 * without all of its content. */
gboolean vtr_trace_writer_is_placed (VtrTraceWriter *self);
/* After vtr_trace_writer_finish (): whether the trace has another name than requested, because another file has appeared
 * under that name since the writer was made. */
gboolean vtr_trace_writer_has_evaded (VtrTraceWriter *self);
/* After vtr_trace_writer_finish (): whether another file was found in the place of the unfinished file. */
gboolean vtr_trace_writer_was_displaced (VtrTraceWriter *self);

/* Frees; the unfinished file stays for recovery unless @discard. */
void vtr_trace_writer_free (VtrTraceWriter *self,
                            gboolean        discard);

G_END_DECLS
