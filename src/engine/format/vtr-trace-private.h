/* What the files that make up VtrTrace share. */
#pragma once

#include "engine/format/vtr-trace-frames.h"
#include "engine/format/vtr-trace-scan.h"
#include "engine/format/vtr-trace-tables.h"
#include "engine/format/vtr-trace-twins.h"
#include "engine/format/vtr-trace-types.h"
#include "engine/format/vtr-trace.h"
#include "engine/gapid/vtr-gapid-initial.h"
#include "wire/vtr-pack.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_TRACE_KIND_VITRINE, /* zstd */
  VTR_TRACE_KIND_PLAIN,   /* the same stream, decompressed */
  VTR_TRACE_KIND_GAPID,
} VtrTraceKind;

/* GAPID: bytes that the device sees from command @command on. */
typedef struct
{
  guint64 command;
  VtrGapidContent content;
} VtrGapidWrite;

struct _VtrTrace
{
  gatomicrefcount refs;
  char *path;
  char *version; /* of the file when it was opened */
  GMappedFile *file;
  int guard; /* of the mapping: the file may be overwritten */
  const guint8 *data;
  gsize size;
  VtrTraceKind kind;
  VtrTraceTypes *types;
  VtrTraceTables *tables;
  GArray *resources;         /* PLAIN and GAPID: guint64 offset of each resource's chunk */
  VtrTraceFrameCache *cache; /* VITRINE */
  GArray *frame_ends;        /* guint64: flat index of the last command of each frame */
  gboolean has_rest;         /* the last of them is no frame, but what comes after the frames */
  guint64 end_of_frames;     /* the last present; without one, the last call */
  guint64 n_initial;         /* commands at the front that are flagged INITIAL */
  VtrGapidInitial *initial;  /* GAPID, of captures from the middle of a run; else NULL */
  GArray *writes;            /* GAPID: VtrGapidWrite, by command */
  VtrTraceTwins *twins;      /* NULL: all handles are different */
  char *warning;
  gboolean cut; /* the file lacks its end */
  VtrTraceInfo info;
  GBytes *header;     /* the message of the vitrine.Header that counts; NULL: there is none */
  GPtrArray *strings; /* owns what .info points to */
  GPtrArray *devices; /* VtrTraceDevice */
};

/* Fills .tables and .resources of a GAPID file from its stream. */
gboolean vtr_trace_gapid_scan (VtrTrace          *self,
                               VtrTraceProgress   progress,
                               gpointer           progress_data,
                               GCancellable      *cancellable,
                               GError           **error);
gboolean vtr_trace_gapid_decode (VtrTrace    *self,
                                 guint64      index,
                                 VtrArena    *arena,
                                 VtrCommand  *out,
                                 GError     **error);

/* vtr_trace_get_mapped_writes() of a GAPID file. */
gsize vtr_trace_gapid_get_writes (VtrTrace              *self,
                                  guint64                index,
                                  VtrArena              *arena,
                                  const VtrMappedWrite **out);

/* Fills .info and .devices from the header objects of a Vitrine file. */
void vtr_trace_load_info (VtrTrace *self);

/* Keeps a string for .info. Returns: it (transfer none). */
const char *vtr_trace_take_string (VtrTrace *self,
                                   char     *text);

/* The chunk at @position. @keep: (out) (transfer full) (nullable): unref when done with @out. */
gboolean vtr_trace_read_chunk (VtrTrace          *self,
                               VtrTracePosition   position,
                               GBytes           **keep,
                               VtrPackChunk      *out,
                               GError           **error);

/* Content of resource @number (from 1), copied into @arena if it is not mapped. */
gboolean vtr_trace_read_resource (VtrTrace      *self,
                                  guint64        number,
                                  VtrArena      *arena,
                                  const guint8 **data,
                                  gsize         *size);

G_END_DECLS
