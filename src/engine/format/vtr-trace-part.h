/* The file of a trace while it is being written: "NAME.part" beside where the trace will be.
 *
 * Nothing here changes or removes a file that is not the caller's own: files are made with O_EXCL,
 * and a path is only acted on while it leads to the open file.
 *
 * Threading: one at a time for each descriptor. */
#pragma once

#include <gio/gio.h>

#include "wire/vtr-recording-id.h"

G_BEGIN_DECLS

/* Finds the unfinished file of @recording among the names that unfinished files of the
 * trace @path have. Returns: (transfer full) (nullable) */
char *vtr_trace_part_find (const char           *path,
                           const VtrRecordingId *recording);

/* "x.gfxtrace" of "x.gfxtrace.part" and "x.gfxtrace.2.part". Returns: (transfer full): NULL when it
 * is no such name. */
char *vtr_trace_part_get_trace_path (const char *part_path);

/* The recording that the regular file @path is of. Returns: FALSE when it is no Vitrine file. */
gboolean vtr_trace_part_read_recording (const char     *path,
                                        VtrRecordingId *out);

/* Whether @path leads to the open file @fd, and not through a link. */
gboolean vtr_trace_part_is_at (int         fd,
                               const char *path);

G_END_DECLS
