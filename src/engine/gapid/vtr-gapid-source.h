/* The file source of GAPID and AGI: what its functions share. */
#pragma once

#include "engine/format/vtr-trace-private.h"
#include "engine/format/vtr-content-record.h"
#include "engine/gapid/vtr-gapid-initial.h"

G_BEGIN_DECLS

/* Bytes that the device sees from command @command on. */
typedef struct
{
  guint64 command;
  VtrGapidContent content;
} VtrGapidWrite;

/**
 * VtrGapidFile:
 *
 * The .source_data of a trace.
 *
 * Threading: immutable once the trace is open.
 */
typedef struct
{
  VtrGapidInitial *initial; /* of captures from the middle of a run; else NULL */
  GArray *writes;           /* VtrGapidWrite, by command */
} VtrGapidFile;

extern const VtrTraceSource vtr_gapid_source;

/* The functions of VtrTraceSource. */
gboolean vtr_gapid_open (VtrTrace          *self,
                         VtrTraceProgress   progress,
                         gpointer           progress_data,
                         GCancellable      *cancellable,
                         GError           **error);
gboolean vtr_gapid_decode (VtrTrace    *self,
                           guint64      index,
                           VtrArena    *arena,
                           VtrCommand  *out,
                           GError     **error);
gsize vtr_gapid_get_writes (VtrTrace                *self,
                            guint64                  index,
                            VtrArena                *arena,
                            const VtrContentRecord **out);

G_END_DECLS
