/* Writes a new Vitrine trace from an existing one, without the parts that a filter leaves out. */
#pragma once

#include "base/vtr-buffer.h"
#include "base/vtr-range-set.h"
#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_REWRITE_KEEP,
  VTR_REWRITE_DROP,
  VTR_REWRITE_REPLACE, /* by another call of the same command */
  VTR_REWRITE_FAIL,
} VtrRewriteAnswer;

/**
 * VtrTraceFilter:
 *
 * Decides what stays. It is asked about calls in the order of the stream; results and contents from
 * the device stay with their calls.
 */
typedef struct
{
  gpointer data;
  /* @message: (out): for REPLACE, the whole message (api/vtr-api-walk.h). FAIL: with @error. */
  VtrRewriteAnswer (*command) (gpointer data,
                               guint64 index,
                               VtrBuffer *message,
                               GError **error);
  /* Which bytes of @memory to keep of writes before call @index. Returns: (transfer none) (nullable):
     NULL: all. */
  const VtrRangeSet *(*memory) (gpointer data,
                                guint64  index,
                                guint64  memory);
  gboolean (*image) (gpointer data,
                     guint64 index,
                     guint64 image);
  gboolean (*structure) (gpointer data,
                         guint64 index,
                         guint64 structure);
  gboolean (*device) (gpointer data,
                      guint64 index,
                      guint64 device);
} VtrTraceFilter;

/**
 * vtr_trace_rewrite:
 * @path: may be where the trace itself is: it is replaced when the new one is complete
 *
 * Streams @trace to @path. Blocks. Errors: VERSION (no file of this build's own making), DAMAGED, I/O;
 * then @path is as it was. Threading: any.
 */
gboolean vtr_trace_rewrite (VtrTrace              *trace,
                            const VtrTraceFilter  *filter,
                            const char            *path,
                            GCancellable          *cancellable,
                            GError               **error);

G_END_DECLS
