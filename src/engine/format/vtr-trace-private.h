/* VtrTrace itself, and how its files read chunks and resources. */
#pragma once

#include "engine/api/vtr-read-api.h"
#include "engine/format/vtr-content-record.h"
#include "engine/format/vtr-trace-describe.h"
#include "engine/format/vtr-trace-frames.h"
#include "engine/format/vtr-trace-scan.h"
#include "engine/format/vtr-trace-source.h"
#include "engine/format/vtr-trace-tables.h"
#include "engine/format/vtr-trace-types.h"
#include "engine/format/vtr-trace.h"
#include "wire/vtr-pack.h"

G_BEGIN_DECLS

struct _VtrTrace
{
  gatomicrefcount refs;
  char *path;
  char *version; /* of the file when it was opened */
  GMappedFile *file;
  int guard; /* of the mapping: the file may be overwritten */
  const guint8 *data;
  gsize size;
  gboolean framed;              /* chunks lie in zstd frames; else in the file itself */
  const VtrTraceSource *source; /* NULL: the file is Vitrine's own */
  gpointer source_data;         /* of .source, which frees it */
  VtrTraceTypes *types;
  VtrTraceTables *tables;
  GArray *resources;               /* unless framed: guint64 offset of each resource's chunk */
  VtrTraceFrameCache *cache;       /* of the frames */
  GArray *frame_ends;              /* guint64: flat index of the last command of each frame */
  gboolean has_rest;               /* the last of them is no frame, but what comes after the frames */
  guint64 end_of_frames;           /* the last present; without one, the last call */
  guint64 n_initial;               /* commands at the front that are flagged INITIAL */
  guint8 *found;                   /* by id, also of unknown APIs: whether there is the command or an alias */
  gpointer api_data[VTR_MAX_APIS]; /* by vtr_api_get_number (); of VtrReadApi.data_new */
  gboolean completes;              /* some names mean different objects (VtrReadApi.find_names) */
  char *warning;
  gboolean cut; /* the file lacks its end */
  VtrTraceInfo info;
  gboolean has_device;                 /* .info has a device that an API described */
  GBytes *header;                      /* the message of the vitrine.Header that counts; NULL: there is none */
  GPtrArray *strings;                  /* owns what .info points to */
  GPtrArray *lists[VTR_TRACE_N_LISTS]; /* char *, until they are in .info; NULL: none yet */
  GPtrArray *namespaces;               /* VtrNamespaceInfo, by rising number */
  const VtrNamespaceInfo **by_stream;  /* of each entry of .tables->thread_table; (nullable) all NULL */
};

/* Fills .found. */
void vtr_trace_find_commands (VtrTrace *self);

/* Fills .found, .info from the objects of a Vitrine file that describe it, and lets APIs read theirs. */
void vtr_trace_load_info (VtrTrace *self);

/* Fills .namespaces and .by_stream. */
void vtr_trace_load_namespaces (VtrTrace *self);

/* With names that mean one object each, as a decoded command has them (VtrReadApi). */
void vtr_trace_complete_command (VtrTrace   *self,
                                 VtrCommand *command);
guint64 vtr_trace_complete_name (VtrTrace    *self,
                                 VtrHandleId  kind,
                                 guint64      owner,
                                 guint64      name);

/* The chunk at @position. @keep: (out) (transfer full) (nullable): unref when done with @out. */
gboolean vtr_trace_read_chunk (VtrTrace          *self,
                               VtrTracePosition   position,
                               GBytes           **keep,
                               VtrPackChunk      *out,
                               GError           **error);

/* Reads a message with contents, all but the bytes, with names as decoded commands have them. @arena: takes texts.
 * Returns: FALSE when it is damaged, or of no API of this build. */
gboolean vtr_trace_read_content (VtrTrace           *self,
                                 VtrTraceObject      object,
                                 const VtrPackChunk *chunk,
                                 VtrArena           *arena,
                                 VtrContentRecord   *out);

/* Content of resource @number (from 1), copied into @arena if it is not mapped. */
gboolean vtr_trace_read_resource (VtrTrace      *self,
                                  guint64        number,
                                  VtrArena      *arena,
                                  const guint8 **data,
                                  gsize         *size);

G_END_DECLS
