/* Writes a Vitrine .gfxtrace: proto-pack in a zstd seekable file (FORMAT.md). */
#pragma once

#include <gio/gio.h>

#include "api/vtr-api-types.h"

G_BEGIN_DECLS

/**
 * VtrTraceWriter:
 *
 * Streams objects to "<path>.part", compresses, deduplicates content above 1 KiB, closes a zstd frame at
 * 1 MiB or 250 ms. vtr_trace_writer_finish() writes the index and renames the file into place; an existing
 * file is never touched before that.
 *
 * Threading: one at a time.
 */
typedef struct _VtrTraceWriter VtrTraceWriter;

VtrTraceWriter *vtr_trace_writer_new (const char *path,
                                      GError **error);

/* Appends one command. @message is the layer's bytes (fields 1.. of FORMAT.md); @large says that it holds an
 * observation worth deduplicating. Returns: the flat index it got, or G_MAXUINT64 with @error. */
guint64 vtr_trace_writer_append_command (VtrTraceWriter *self,
                                         VtrCommandId id,
                                         const guint8 *message,
                                         gsize size,
                                         guint32 flags,
                                         gboolean large,
                                         GError **error);

/* The result of a command committed before its call. */
gboolean vtr_trace_writer_append_returned (VtrTraceWriter *self,
                                           guint64 command,
                                           guint64 result,
                                           GError **error);

/* Any other object: @type_name "vitrine.MappedWrites", "vitrine.DeviceInfo", … */
gboolean vtr_trace_writer_append_object (VtrTraceWriter *self,
                                         const char *type_name,
                                         const guint8 *message,
                                         gsize size,
                                         GError **error);

/* Tickets below this are in the frames that are on disk. Raised when a frame is closed. */
guint64 vtr_trace_writer_get_written_ticket (VtrTraceWriter *self);
void vtr_trace_writer_set_ticket (VtrTraceWriter *self,
                                  guint64 next_ticket);

/* Closes the open frame if it is older than 250 ms (or @force) so that what it holds is safe. */
gboolean vtr_trace_writer_flush (VtrTraceWriter *self,
                                 gboolean force,
                                 GError **error);

guint64 vtr_trace_writer_get_bytes (VtrTraceWriter *self);

/* Writes header, index and seek table, syncs, renames. */
gboolean vtr_trace_writer_finish (VtrTraceWriter *self,
                                  GError **error);

/* Frees; an unfinished "<path>.part" stays for recovery unless @discard. */
void vtr_trace_writer_free (VtrTraceWriter *self,
                            gboolean discard);

G_END_DECLS
