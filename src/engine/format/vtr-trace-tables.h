/* The per-command arrays of a trace, and their form in the file (vitrine.Index). */
#pragma once

#include <glib.h>

#include "api/vtr-api-types.h"
#include "base/vtr-buffer.h"
#include "engine/format/vtr-trace-layout.h"
#include "engine/format/vtr-trace-types.h"

G_BEGIN_DECLS

/* Where an object is: frame in the upper, offset of its chunk in the lower 32 bits. In a plain
 * proto-pack file: the offset in the file. */
typedef guint64 VtrTracePosition;

#define VTR_TRACE_POSITION(frame, offset) ((guint64)(frame) << 32 | (offset))
#define VTR_TRACE_POSITION_FRAME(position) ((guint32)((position) >> 32))
#define VTR_TRACE_POSITION_OFFSET(position) ((guint32)(position))

typedef struct
{
  guint64 command;
  guint64 result;
} VtrTraceReturned;

/* The commands of one thread in one namespace. */
typedef struct
{
  guint64 thread;
  guint32 namespace; /* its number; 0: none */
} VtrTraceStream;

/* Something that stands before command @command in the stream. */
typedef struct
{
  guint64 command;
  VtrTracePosition position;
  guint32 object; /* VtrTraceObject */
} VtrTraceMark;

/**
 * VtrTraceTables:
 *
 * 14 bytes per command: .positions, .ids, .threads, .flags; the rest is sparse. Threading: one
 * at a time while it is filled, then any.
 */
typedef struct
{
  GArray *frames;       /* VtrTraceFrame */
  GArray *positions;    /* VtrTracePosition, one per command */
  GArray *ids;          /* guint16: VtrCmdId */
  GArray *threads;      /* guint16: index in .thread_table: the stream */
  GArray *flags;        /* guint16: bits of field 7 */
  GArray *thread_table; /* guint64: of each stream */
  GArray *namespaces;   /* guint32: number of the namespace of each stream */
  GArray *returned;     /* VtrTraceReturned, sorted by .command once complete */
  GArray *mapped;       /* VtrTraceMark of messages with contents, in stream order */
  GArray *objects;      /* VtrTraceMark of the other vitrine.* objects */
  guint64 n_observations;
  guint64 n_resources;
  guint64 next_ticket;      /* of the last frame */
  guint last_thread;        /* a cache: most commands come from the stream of the one before */
  GTree *thread_places;     /* VtrTraceStream → place in .thread_table; only where commands are added */
  VtrTraceTypePlaces types; /* of a file that is being written */
} VtrTraceTables;

VtrTraceTables *vtr_trace_tables_new (void);
void vtr_trace_tables_free (VtrTraceTables *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTraceTables, vtr_trace_tables_free)

void vtr_trace_tables_add_command (VtrTraceTables   *self,
                                   VtrTracePosition  position,
                                   guint16           id,
                                   VtrTraceStream    stream,
                                   guint32           flags);
void vtr_trace_tables_add_mark (GArray           *marks,
                                guint64           command,
                                VtrTracePosition  position,
                                guint32           object);
/* Place of the first of @marks at or after @command. */
guint vtr_trace_tables_find_mark (const GArray *marks,
                                  guint64       command);

/* Drops the frames from @n_frames on, and everything in them. */
void vtr_trace_tables_truncate (VtrTraceTables *self,
                                guint           n_frames);

/* Sorts the tables that are searched by command. */
void vtr_trace_tables_complete (VtrTraceTables *self);

/* Returns: FALSE when the command never returned. O(log n). */
gboolean vtr_trace_tables_find_returned (const VtrTraceTables *self,
                                         guint64               command,
                                         guint64              *result);

/* Appends the vitrine.Index message. */
void vtr_trace_tables_encode (const VtrTraceTables *self,
                              VtrBuffer            *to);

/* The most commands, and the most of anything else, that an index of a file of this size may list.
 * Recorded files take 5 bytes a command and more; one command repeated takes least. A file that
 * truly holds more is scanned. */
guint64 vtr_trace_tables_get_limit (guint64 file_size);

/* Reads a vitrine.Index; .ids has type indices then. @file_size limits what frames and counts may claim,
 * before anything is allocated for them. Returns: NULL when anything in it does not fit together (then the
 * file is scanned). */
VtrTraceTables *vtr_trace_tables_decode (const guint8 *message,
                                         gsize         size,
                                         guint64       file_size);

/* Turns the type indices in .ids into commands. Returns: FALSE when some are of no command that this build
 * knows: a scan finds out where they begin. */
gboolean vtr_trace_tables_translate (VtrTraceTables      *self,
                                     const VtrTraceTypes *types);

G_END_DECLS
