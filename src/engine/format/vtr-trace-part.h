/* The file of a trace while it is being written: "NAME.part" beside where the trace will be.
 *
 * Nothing here changes or removes a file that is not the caller's own: files are made with O_EXCL,
 * and a path is only acted on while it leads to the open file.
 *
 * Threading: one at a time for each descriptor. */
#pragma once

#include <gio/gio.h>
#include <sys/stat.h>

#include "wire/vtr-recording-id.h"

G_BEGIN_DECLS

/* Makes and locks a new file for the trace at @path. @hidden: where the file system can, it has no
 * name yet, and @part_path is NULL: a program that dies leaves nothing. Else, and with
 * vtr_trace_part_give_name(), it is "<path>.part", or "<path>.2.part" and so on where that name is
 * taken. @part_path: (out) (transfer full). Returns: -1 with @error; G_IO_ERROR_BUSY when another
 * Vitrine writes this trace now. */
int vtr_trace_part_create (const char  *path,
                           gboolean     hidden,
                           char       **part_path,
                           GError     **error);

/* Gives a file without a name its name. FALSE with @error: as of vtr_trace_part_create(), and
 * G_IO_ERROR_NOT_SUPPORTED when the file system cannot. */
gboolean vtr_trace_part_give_name (int          fd,
                                   const char  *path,
                                   char       **part_path,
                                   GError     **error);

/* Opens and locks an unfinished file to go on with it. @recording: the one that it has to be of;
 * NULL: any. Returns: -1 with @error: G_IO_ERROR_BUSY when another Vitrine writes it;
 * G_IO_ERROR_PENDING when another program has it open; G_IO_ERROR_NOT_FOUND when it is not there;
 * G_IO_ERROR_INVALID_DATA when it is of something else. */
int vtr_trace_part_open (const char            *part_path,
                         const VtrRecordingId  *recording,
                         GError               **error);

/* Finds the unfinished file of @recording among the names that vtr_trace_part_create() gives for
 * @path. Returns: (transfer full) (nullable) */
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

/* What is at the path of a trace before it is written. */
typedef struct
{
  gboolean exists;
  dev_t device;
  ino_t inode;
  off_t size;
  struct timespec changed;
  gboolean only; /* no name beside it is taken instead */
} VtrTraceTarget;

void vtr_trace_part_look (const char     *path,
                          VtrTraceTarget *out);

/* Gives the open file the name @path; @part_path (nullable) is gone then. @target: the one file
 * that may be replaced; where there is another, "NAME-2.gfxtrace" and so on is taken, or it is
 * G_IO_ERROR_EXISTS when @target->only. NULL: none is,
 * and the names are "NAME-recovered.gfxtrace" and so on. Without a name of its own any
 * more, the file is copied. @placed: (out) (transfer full): where it is. @displaced: (out):
 * something else was at @part_path, and is still there. */
gboolean vtr_trace_part_place (int                    fd,
                               const char            *part_path,
                               const char            *path,
                               const VtrTraceTarget  *target,
                               char                 **placed,
                               gboolean              *displaced,
                               GError               **error);

/* Removes @part_path (nullable) if it leads to @fd. */
void vtr_trace_part_remove (int         fd,
                            const char *part_path);

G_END_DECLS
