/* VtrTraceWriter itself, and how its files write frames.
 *
 * Threading: one at a time. */
#pragma once

#include "engine/format/vtr-trace-part.h"
#include "engine/format/vtr-trace-resources.h"
#include "engine/format/vtr-trace-tables.h"
#include "engine/format/vtr-trace-writer.h"

#include <zstd.h>

G_BEGIN_DECLS

#define VTR_TRACE_LEVEL 3
#define VTR_TRACE_LEVEL_HURRY 1
/* Frame number in positions of the open frame, until it is closed and has one. */
#define VTR_TRACE_OPEN_FRAME G_MAXUINT32

struct _VtrTraceWriter
{
  char *path;
  char *part_path; /* NULL: the file has no name yet */
  int fd;
  guint64 front;         /* bytes of the head */
  VtrTraceTarget target; /* what may be replaced at .path */
  gboolean keep;         /* what exists at .path, the target too */
  gboolean placed;       /* the file is at .path */
  gboolean evaded;       /* another file is at .path */
  gboolean displaced;    /* another file was found at .part_path */
  guint64 offset;        /* where the next frame goes; all before it is complete */
  ZSTD_CCtx *zstd;
  VtrBuffer raw;        /* objects of the open frame */
  VtrBuffer compressed; /* scratch */
  VtrBuffer rewritten;  /* scratch */
  VtrTraceResources resources;
  VtrTraceTables *tables;
  GArray *pending;       /* VtrTracePending found in the file that is continued */
  GArray *seek;          /* guint32 pairs: compressed and raw size of every frame of the file */
  gint64 opened;         /* monotonic time of the first object in .raw */
  guint64 first_command; /* of the open frame */
  guint64 next_ticket;
  guint64 written_ticket;
  guint ticket_items;
  guint written_items;
  VtrTraceStream stream;      /* of commands that do not say theirs */
  VtrTraceStream open_stream; /* that the last vitrine.Batch of the open frame says */
  GError *failure;            /* why nothing more is accepted */
};

/* Notes that writing failed with errno @code (0: it failed before); nothing more is accepted.
 * Returns: FALSE, with @error set. */
gboolean vtr_trace_writer_fail (VtrTraceWriter  *self,
                                int              code,
                                GError         **error);

/* Writes to the file, at @offset. Returns: 0 or an errno. */
int vtr_trace_writer_put (int         fd,
                          const void *data,
                          gsize       size,
                          guint64     offset);
void vtr_trace_writer_add_seek_entry (VtrTraceWriter *self,
                                      guint64         compressed,
                                      guint64         raw);
/* The note of a frame that is being closed, without its contents. */
VtrTraceNote vtr_trace_writer_make_note (VtrTraceWriter *self);
/* @use_reserve: the room kept for the index may be used. */
gboolean vtr_trace_writer_write_frame (VtrTraceWriter     *self,
                                       VtrTraceFrameKind   kind,
                                       VtrBuffer          *raw,
                                       VtrTraceNote        note,
                                       gboolean            use_reserve,
                                       GError            **error);

/* Makes room for an object of @size bytes in the open frame. */
gboolean vtr_trace_writer_open_frame (VtrTraceWriter  *self,
                                      gsize            size,
                                      GError         **error);
gboolean vtr_trace_writer_close_frame (VtrTraceWriter  *self,
                                       GError         **error);

/* Makes sure that @id's API has its types in the file. */
gboolean vtr_trace_writer_define (VtrTraceWriter  *self,
                                  VtrCmdId         id,
                                  GError         **error);

G_END_DECLS
