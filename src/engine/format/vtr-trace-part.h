/* The file of a trace while it is being written: "NAME.part" beside where the trace will be.
 *
 * No function changes or removes a file of somebody else: files are created with O_EXCL, and a path
 * is used only while it leads to the open file.
 *
 * Threading: one at a time for each descriptor. */
#pragma once

#include <gio/gio.h>
#include <sys/stat.h>

#include "wire/vtr-recording-id.h"

G_BEGIN_DECLS

/* Creates and locks a new file for the trace at @path. @hidden: if the file system supports it, the
 * file has no name yet, and @part_path is NULL, so that a program that dies leaves no file.
 * Otherwise, and with vtr_trace_part_give_name(), the name is "<path>.part", or "<path>.2.part" and
 * so on if that name is taken. @part_path: (out) (transfer full). Returns: -1 with @error;
 * G_IO_ERROR_BUSY when another Vitrine is writing this trace. */
int vtr_trace_part_create (const char  *path,
                           gboolean     hidden,
                           char       **part_path,
                           GError     **error);

/* Gives a file without a name its name. FALSE with @error: those of vtr_trace_part_create(), and
 * G_IO_ERROR_NOT_SUPPORTED when the file system cannot do this. */
gboolean vtr_trace_part_give_name (int          fd,
                                   const char  *path,
                                   char       **part_path,
                                   GError     **error);

/* Opens and locks an unfinished file to continue it. @recording: the recording that it must belong
 * to; NULL: any. Returns: -1 with @error: G_IO_ERROR_BUSY when another Vitrine writes it;
 * G_IO_ERROR_PENDING when another program has it open; G_IO_ERROR_NOT_FOUND when it is not there;
 * G_IO_ERROR_INVALID_DATA when it belongs to another recording or is no trace. */
int vtr_trace_part_open (const char            *part_path,
                         const VtrRecordingId  *recording,
                         GError               **error);

/* Finds the unfinished file of @recording among the names that vtr_trace_part_create() gives for
 * @path. Returns: (transfer full) (nullable) */
char *vtr_trace_part_find (const char           *path,
                           const VtrRecordingId *recording);

/* "x.gfxtrace" of "x.gfxtrace.part" and "x.gfxtrace.2.part". Returns: (transfer full): NULL for any
 * other name. */
char *vtr_trace_part_get_trace_path (const char *part_path);

/* Reads which recording the regular file @path belongs to. Returns: FALSE when it is no Vitrine
 * file. */
gboolean vtr_trace_part_read_recording (const char     *path,
                                        VtrRecordingId *out);

/* Whether @path is the open file @fd, and not a link to it. */
gboolean vtr_trace_part_is_at (int         fd,
                               const char *path);

/* The file at the path of a trace before it is written. */
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

/* Gives the open file the name @path, and removes @part_path (nullable). @target: the only file
 * that may be replaced; if another file is there, the name becomes "NAME-2.gfxtrace" and so on, or
 * the error is G_IO_ERROR_EXISTS with @target->only. NULL: no file may be replaced, and the names
 * are "NAME-recovered.gfxtrace" and so on. A file that has lost its name is copied. @placed: (out)
 * (transfer full): its path now. @displaced: (out): another file was at @part_path, and is still
 * there. */
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
